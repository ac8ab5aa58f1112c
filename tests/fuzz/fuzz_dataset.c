// fuzz_dataset.c -- damaged HDF5 files through the reader of datasets, its checks and its summary.
//
// An input is a file. It is refused in one line, or read: then every fault that verify finds is one line, and
// nothing crashes or reads beyond the file, whatever HDF5 thinks of it. Mutations change columns, too
// (fuzz_column.h).
#define FUZZ_INPUT_SIZE (1 << 17)
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_column.h"

#include <jansson.h>

#include "core/support/memory.h"
#include "selfplay/dataset.h"
#include "selfplay/rules_json.h"
#include "selfplay/summary.h"
#include "selfplay/verify.h"
#include "tuner/samples.h"

static struct { long refused, faulty, good, sampled; } counts;

#ifdef HUFF_LIBFUZZER

// A child of dataset_open, which tries each file first, may die of HDF5, but not of what is ours. Its stderr
// is /dev/null, and libFuzzer would take its death for that of the program: a child leaves its report in a
// folder.
#include <dirent.h>
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#include <signal.h>
#include <sys/time.h>

#include "core/support/file.h"

enum {
    MOST_REPORT = 1 << 20,
    CHILD_SECONDS = 1,  // of processor time: dataset_open gives it a minute, when HDF5 runs on without end
};

static char reports[] = "/tmp/fuzz_reports_XXXXXX";
static void remove_reports(void) { rmdir(reports); }

static void begin_child(void) {
    char path[sizeof reports + 8];
    snprintf(path, sizeof path, "%s/of", reports);
    __sanitizer_set_report_path(path);
    __sanitizer_set_death_callback(NULL);
    signal(SIGPROF, SIG_DFL);
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {CHILD_SECONDS, 0}}, NULL);
}

// Names of functions take a second each, and only modules are asked for.
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "symbolize=0:handle_abort=1"; }

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    fuzz_require(mkdtemp(reports) != NULL, "no folder in /tmp");
    atexit(remove_reports);
    fuzz_require(pthread_atfork(NULL, NULL, begin_child) == 0, "no handler of forks");
    return 0;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed) {
    struct random random = random_stream(seed, 0);
    if (random_below(&random, 4) && fuzz_change_column(data, size, &random)) return size;
    return LLVMFuzzerMutate(data, size, room);
}

static bool frame_is_of_hdf5(const char *report, const char *number) {
    const char *frame = strstr(report, number), *found = frame ? strstr(frame, "libhdf5") : NULL;
    return found && found < frame + strcspn(frame, "\n");
}

static void check_report(const char *path) {
    char *text;
    size_t size;
    struct error error;
    fuzz_require(file_read(path, MOST_REPORT, &text, &size, &error), error.text);
    unlink(path);
    // HDF5 may die in libc, and there through an interceptor.
    const bool of_hdf5 = frame_is_of_hdf5(text, "    #0 ") || frame_is_of_hdf5(text, "    #1 ") ||
                         frame_is_of_hdf5(text, "    #2 ");
    if (!of_hdf5) fputs(text, stderr);
    fuzz_require(of_hdf5, "the child that tries a file died");
    free(text);
}

static void check_reports(void) {
    DIR *all = opendir(reports);
    fuzz_require(all != NULL, "the folder of reports is gone");
    for (const struct dirent *entry; (entry = readdir(all)) != NULL;) {
        if (*entry->d_name == '.') continue;
        char *path = memory_text("%s/%s", reports, entry->d_name);
        check_report(path);
        free(path);
    }
    closedir(all);
}

#else
static void check_reports(void) {}
#endif

static void note_fault(void *context, const char *text) {
    fuzz_require(*text && !strchr(text, '\n'), "a fault that is not one line");
    json_t *string = json_string(text);
    fuzz_require(string != NULL, "a fault that is not UTF-8");
    json_decref(string);
    ++*(long *)context;
}

static void check_samples(const char *path) {
    struct sample_choice choice = sample_choice_usual();
    struct sample_sets sets;
    struct error error = {""};
    choice.skip_plies = 0;
    if (samples_read(&path, 1, NULL, &choice, true, &sets, &error)) {
        counts.sampled++;
        samples_free(&sets);
    } else {
        fuzz_check_error(&error);
    }
}

static void check_dataset(struct dataset *dataset) {
    long faults = 0;
    struct summary summary;
    struct error error = {""};
    if (!summary_read(dataset, &summary, &error)) {
        fuzz_check_error(&error);
        faults++;
    }
    fuzz_require(verify_dataset(dataset, true, note_fault, &faults, &error), "interrupted");
    counts.faulty += faults > 0;
    counts.good += faults == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *path = fuzz_file(data, size);
    struct error error = {""};
    struct dataset *dataset = dataset_open(&path, 1, &error);
    if (dataset) {
        check_dataset(dataset);
        dataset_close(dataset);
        check_samples(path);
    } else {
        fuzz_check_error(&error);
        note_fault(&(long){0}, error.text);
        counts.refused++;
    }
    check_reports();
    return 0;
}

#ifndef HUFF_LIBFUZZER

enum { FILES = 3, GAMES = 4 };
static struct {
    void *bytes;
    size_t size;
} files[FILES];

static void play(const struct variant *variant, struct random *random, struct played_game *game) {
    struct weights weights = weights_material(variant);
    struct search *search = search_new(variant, &weights, 0);
    const struct player players[2] = {{.search = search, .limits = {.depth = 1}},
                                      {.search = search, .limits = {.depth = 1}}};
    const struct playing_settings settings = {
        .variant = variant, .draws = variant->rules->draws, .max_plies = 200};
    struct playing *playing = playing_new(&settings);
    const struct opening_source source = {.start = variant_initial(variant), .random_plies = 6};
    struct opening opening;
    struct error error;
    fuzz_require(opening_draw(&source, variant, &settings.draws, random, &opening, &error), error.text);
    playing_game(playing, &opening, players, game);
    playing_free(playing);
    search_free(search);
    weights_free(&weights);
}

// A shard of a few games.
static void make_file(int number) {
    static const char *const names[FILES] = {"spanish", "international", "american+free"};
    struct error error;
    const struct variant *variant = variant_find(names[number], &error);
    char *rules = rules_to_json(variant, &variant->rules->draws);
    const struct dataset_info info = {.variant = variant,
                                      .rules = rules,
                                      .engine = "huff",
                                      .weights_sha256 = "",
                                      .limit = "depth=1",
                                      .config = "{}",
                                      .seed = 1};
    struct dataset_writer *writer = dataset_create(&info, &error);
    fuzz_require(writer != NULL, error.text);
    for (uint64_t id = 0; id < GAMES; id++) {
        struct random random = random_stream((uint64_t)number, id);
        struct played_game game = {0};
        play(variant, &random, &game);
        fuzz_require(dataset_add(writer, &game, id, (enum split)(id % 3), &error), error.text);
        played_game_free(&game);
    }
    fuzz_require(dataset_finish(writer, &files[number].bytes, &files[number].size, &error), error.text);
    fuzz_require(files[number].size < FUZZ_INPUT_SIZE, "a base file is too large");
    free(rules);
}

static void an_input(struct random *random, struct fuzz_input *in) {
    const int file = fuzz_some(random, FILES);
    fuzz_append_bytes(in, files[file].bytes, files[file].size);
    if (!fuzz_some(random, 50)) return;
    if (!fuzz_some(random, 10)) {  // it ends early
        in->size = 1 + (size_t)random_below(random, in->size);
        return;
    }
    for (int n = fuzz_some(random, 3); n > 0; n--) fuzz_change_column(in->bytes, in->size, random);
    if (fuzz_some(random, 2)) return;
    for (int n = 1 + fuzz_some(random, 4); n > 0; n--) {
        const uint64_t bits = random_bits(random);
        const size_t length = (size_t)(1 + fuzz_some(random, sizeof bits));
        // The head and the texts matter most, and nothing moves: HDF5 finds things by their addresses.
        const size_t room = in->size - length,
                     at = (size_t)random_below(random, fuzz_some(random, 2) ? room : 4096);
        memcpy(in->bytes + at, &bits, length);
    }
}

int main(int argc, char **argv) {
    const struct fuzz_plan plan = fuzz_plan(argc, argv);
    for (int i = 0; i < FILES; i++) make_file(i);
    const struct fuzz_run run = fuzz_run(plan, an_input);
    for (int i = 0; i < FILES; i++) free(files[i].bytes);
    printf("%ld inputs: %ld refused, %ld with faults, %ld good, %ld give positions; slowest %.3f s (%ld)\n",
           run.count, counts.refused, counts.faulty, counts.good, counts.sampled, run.slowest,
           run.slowest_input);
    fflush(stdout);
    fuzz_require(run.count < 50 || (counts.refused && counts.faulty && counts.good && counts.sampled),
                 "not all was tried");
    return 0;
}

#endif
