// loop.c -- runs the steps of generations, and finds out which of them are done.

#include "tuner/loop.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/support/clock.h"
#include "core/support/file.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "core/support/progress.h"
#include "selfplay/duplicates.h"
#include "selfplay/manifest.h"
#include "selfplay/run.h"
#include "tuner/loop_match.h"
#include "tuner/loop_record.h"
#include "tuner/support.h"

enum { MOST_FILE = 64 << 20 };

static const struct manifest_kind kind = {"huff-loop", "huff-tune " HUFF_VERSION};

struct loop {
    struct loop_config config;
    char *folder;
    int lock;
    struct manifest manifest;
    struct ranks *ranks;
    int threads;
    bool quiet;
    json_t *records;  // of generations that are done, in order
};

// A generation at work.
struct generation {
    struct loop *loop;
    int number;
    char *folder, *record_path, *weights;  // weights: the file of the new ones
    json_t *record;
};

const json_t *loop_records(const struct loop *loop) { return loop->records; }
const struct loop_config *loop_told(const struct loop *loop) { return &loop->config; }

// ---- Names, freed by the caller ----

static char *in_loop(const struct loop *loop, const char *name) {
    return memory_text("%s/%s", loop->folder, name);
}

static char *in_generation(const struct loop *loop, int number, const char *name) {
    return memory_text("%s/gen-%03d/%s", loop->folder, number, name);
}

// How matches call weights: "gen-002", "start".
static char *player_name(int generation) {
    return generation > 0 ? memory_text("gen-%03d", generation) : memory_text("start");
}

static void tell(const struct generation *generation, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void tell(const struct generation *generation, const char *format, ...) {
    if (generation->loop->quiet) return;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "generation %d of %d: ", generation->number, generation->loop->config.generations);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
}

// ---- The accepted weights ----

// The last generation whose weights were accepted; 0: none.
static int accepted_generation(const struct loop *loop) {
    int accepted = 0;
    size_t i;
    json_t *record;
    json_array_foreach(loop->records, i, record) {
        if (loop_record_accepted(record)) accepted = (int)i + 1;
    }
    return accepted;
}

static char *accepted_path(const struct loop *loop) { return in_loop(loop, "accepted.weights.gz"); }

// "" when they cannot be read.
struct sum {
    char sha256[65];
};
static struct sum sum_of(const struct loop *loop, const char *path) {
    struct sum sum = {""};
    struct weights weights;
    if (!weights_read(path, loop->config.variant, &weights, NULL)) return sum;
    memcpy(sum.sha256, weights.sha256, sizeof sum.sha256);
    weights_free(&weights);
    return sum;
}

static bool copy_file(const char *from, const char *to, struct error *error) {
    char *bytes;
    size_t size;
    if (!file_read(from, MOST_FILE, &bytes, &size, error)) return false;
    const bool done = file_replace(to, bytes, size, error);
    free(bytes);
    return done;
}

// What a generation that was accepted has by its record; those of the start were checked already.
static const char *accepted_sha256(const struct loop *loop, int number) {
    const json_t *record = json_array_get(loop->records, (size_t)(number - 1));
    return number > 0 ? loop_record_weights_sha256(record) : NULL;
}

// From the generation's file to the accepted one; when the former is damaged and the latter is not, it is
// mended.
static bool copy_accepted(const struct loop *loop, const char *sha256, const char *from, const char *to,
                          struct error *error) {
    struct weights weights;
    if (sha256 != NULL && strcmp(sum_of(loop, to).sha256, sha256) == 0)
        return strcmp(sum_of(loop, from).sha256, sha256) == 0 || copy_file(to, from, error);
    if (!weights_read(from, loop->config.variant, &weights, error)) return false;
    bool done = sha256 == NULL || strcmp(weights.sha256, sha256) == 0 ||
                error_set(error, "%s: not the weights that this loop made (another checksum)", from);
    if (done && strcmp(weights.sha256, sum_of(loop, to).sha256) != 0) done = copy_file(from, to, error);
    weights_free(&weights);
    return done;
}

// Makes RUN/accepted.weights.gz what the records say.
static bool put_accepted(const struct loop *loop, struct error *error) {
    const int number = accepted_generation(loop);
    char *from =
        number > 0 ? in_generation(loop, number, "new.weights.gz") : in_loop(loop, "start.weights.gz");
    char *to = accepted_path(loop);
    const bool done = copy_accepted(loop, accepted_sha256(loop, number), from, to, error);
    free(from);
    free(to);
    return done;
}

// ---- Games ----

static struct run *open_games(const struct generation *generation, const char *folder, struct error *error) {
    const struct loop *loop = generation->loop;
    const struct run_share_out out = {.ranks = loop->ranks, .quiet = loop->quiet};
    if (manifest_exists(folder)) return run_resume(folder, &out, error);
    struct settings settings;
    char *weights = accepted_path(loop);
    struct run *run = NULL;
    if (loop_selfplay_settings(&loop->config, generation->number, weights, &settings, error)) {
        run = run_create(folder, &settings, &out, error);
        settings_free(&settings);
    }
    free(weights);
    return run;
}

static bool count_games(const struct generation *generation, const char *folder, struct error *error) {
    struct dataset *dataset = dataset_open(&folder, 1, error);
    struct summary summary;
    bool *repeated = NULL;
    uint64_t copies;
    const bool done = dataset != NULL && summary_read(dataset, &summary, error) &&
                      duplicates_find(dataset, true, &repeated, &copies, error);
    dataset_close(dataset);
    free(repeated);
    if (done) loop_record_games(generation->record, &summary, copies);
    return done;
}

static bool play_games(const struct generation *generation, struct error *error) {
    char *folder = in_generation(generation->loop, generation->number, "games");
    char *player = player_name(accepted_generation(generation->loop));
    tell(generation, "games by %s", player);
    ranks_count_anew(generation->loop->ranks);
    struct run *run = open_games(generation, folder, error);
    bool done = false;
    if (run != NULL) {
        const enum run_end end = run_play(run, generation->loop->threads, error);
        done = end == RUN_DONE;
        if (end == RUN_STOPPED) error_set(error, "%s: interrupted", folder);
    }
    run_close(run);
    done = done && count_games(generation, folder, error);
    free(player);
    free(folder);
    return done;
}

// ---- Fit ----

// The weights that a fit starts from; fit.start as loop_config.h has it.
static bool read_start(const struct loop *loop, const char *start, struct weights *weights,
                       struct error *error) {
    char *path = start == NULL                    ? in_loop(loop, "start.weights.gz")
                 : strcmp(start, "accepted") == 0 ? accepted_path(loop)
                                                  : memory_text("%s", start);
    const bool done = weights_get(path, loop->config.variant, weights, error);
    free(path);
    return done;
}

static void hear_epoch(void *context, const struct fit_epoch *epoch) {
    struct progress *const progress = context;
    progress_note(progress, "validation loss %.5f%s", epoch->loss[SPLIT_VALIDATION],
                  epoch->best ? ", the lowest" : "");
    progress_step(progress, 1);
}

static bool write_fitted(const struct generation *generation, struct fit_result *result,
                         struct error *error) {
    char *support = in_generation(generation->loop, generation->number, "support.json");
    const bool done = weights_write(generation->weights, &result->weights, error) &&
                      support_write(support, &result->weights, result->support, error);
    free(support);
    return done;
}

static bool run_fit(const struct generation *generation, struct sample_sets *sets,
                    const struct fit_config *config, struct error *error) {
    struct weights start;
    struct fit_result result;
    if (!read_start(generation->loop, config->start, &start, error)) return false;
    char *state = memory_text("%s.state", generation->weights);
    struct fit_settings settings = config->settings;
    settings.threads = generation->loop->threads;
    settings.state = state;
    settings.resume = file_exists(state);
    struct progress *progress =
        progress_start("fit", "epochs", (uint64_t)settings.epochs, generation->loop->quiet);
    bool done = fit_weights(sets, &start, &settings, hear_epoch, progress, &result, error);
    progress_end(progress);
    if (done) {
        done = !result.interrupted || error_set(error, "%s: interrupted", generation->weights);
        done = done && write_fitted(generation, &result, error);
        if (done) loop_record_fit(generation->record, sets, &result, settings.l2[GROUP_PATTERN] < HELD);
        fit_result_free(&result);
    }
    free(state);
    weights_free(&start);
    return done;
}

static void tell_of_fit(const struct generation *generation, int first, bool patterns) {
    const char *with = patterns ? "with" : "without";
    if (first < generation->number)
        tell(generation, "fit to the games of generations %d to %d, %s patterns", first, generation->number,
             with);
    else
        tell(generation, "fit to the games of generation %d, %s patterns", first, with);
}

static bool fit_generation(const struct generation *generation, struct error *error) {
    const struct loop *loop = generation->loop;
    const int first = loop_first_fitted(&loop->config, generation->number);
    const int count = generation->number - first + 1;
    char **paths = memory_new((size_t)count, sizeof *paths);
    for (int i = 0; i < count; i++) paths[i] = in_generation(loop, first + i, "games");
    struct fit_config config;
    struct sample_sets sets;
    bool done = loop_fit_config(&loop->config, generation->number, &config, error);
    if (done) {
        tell_of_fit(generation, first, config.settings.l2[GROUP_PATTERN] < HELD);
        done = samples_read((const char *const *)paths, count, loop->config.variant, &config.settings.choice,
                            loop->quiet, &sets, error);
        if (done) {
            done = run_fit(generation, &sets, &config, error);
            samples_free(&sets);
        }
        fit_config_free(&config);
    }
    for (int i = 0; i < count; i++) free(paths[i]);
    free(paths);
    return done;
}

static bool is_fitted(const struct generation *generation) {
    const char *sha256 = loop_record_weights_sha256(generation->record);
    return sha256 != NULL && strcmp(sum_of(generation->loop, generation->weights).sha256, sha256) == 0;
}

// ---- Matches ----

static bool play_match(const struct generation *generation, enum loop_match which,
                       const struct loop_side sides[static 2], struct error *error) {
    const struct loop *loop = generation->loop;
    const char *step = which == LOOP_GATE ? STEP_GATE : STEP_FINAL;
    tell(generation, "match of %s against %s", sides[0].name, sides[1].name);
    struct match_settings settings;
    if (!loop_match_settings(&loop->config, which, generation->number, sides, &settings, error)) return false;
    struct match_result result;
    char *folder = in_generation(loop, generation->number, step);
    const bool done = loop_match_play(folder, &settings, loop->threads, loop->quiet, &result, error);
    if (done) {
        loop_record_match(generation->record, step, &settings, &result,
                          which == LOOP_FINAL ? loop->config.final_against : NULL);
        match_result_free(&result);
    }
    match_settings_free(&settings);
    free(folder);
    return done;
}

static bool play_gate(const struct generation *generation, struct error *error) {
    const struct loop *loop = generation->loop;
    char *old = player_name(accepted_generation(loop)), *new = player_name(generation->number);
    char *accepted = accepted_path(loop);
    const struct loop_side sides[2] = {{new, generation->weights}, {old, accepted}};
    const bool done = play_match(generation, LOOP_GATE, sides, error);
    if (done) loop_record_judge(generation->record, loop->config.accept_los);
    free(accepted);
    free(old);
    free(new);
    return done;
}

static bool play_final(const struct generation *generation, struct error *error) {
    const struct loop *loop = generation->loop;
    const char *against = loop->config.final_against, *slash = strrchr(against, '/');
    char *name = player_name(accepted_generation(loop)), *accepted = accepted_path(loop);
    const struct loop_side sides[2] = {{name, accepted}, {slash != NULL ? slash + 1 : against, against}};
    const bool done = play_match(generation, LOOP_FINAL, sides, error);
    free(accepted);
    free(name);
    return done;
}

// Weights do not play themselves.
static bool is_final_needed(const struct generation *generation, bool *needed, struct error *error) {
    const struct loop *loop = generation->loop;
    *needed = false;
    if (generation->number < loop->config.generations || !loop->config.final_match ||
        loop_record_has(generation->record, STEP_FINAL))
        return true;
    struct weights best, other;
    char *accepted = accepted_path(loop);
    bool done = weights_read(accepted, loop->config.variant, &best, error);
    free(accepted);
    if (!done) return false;
    done = weights_get(loop->config.final_against, loop->config.variant, &other, error);
    if (done) {
        *needed = memcmp(best.value, other.value, TERM_COUNT * sizeof *best.value) != 0;
        if (!*needed)
            tell(generation, "no match against %s: nothing better was found", loop->config.final_against);
        weights_free(&other);
    }
    weights_free(&best);
    return done;
}

// ---- One generation ----

typedef bool step_function(const struct generation *, struct error *);

// Runs a step and keeps the record of it, and of its time in any case.
static bool run_step(const struct generation *generation, const char *name, step_function *run,
                     struct error *error) {
    const double start = clock_seconds();
    struct error other;
    const bool done = run(generation, error);
    loop_record_add_seconds(generation->record, name, clock_seconds() - start);
    return loop_record_write(generation->record_path, generation->record, done ? error : &other) && done;
}

static bool run_steps(const struct generation *generation, struct error *error) {
    return (is_fitted(generation) || (run_step(generation, STEP_GAMES, play_games, error) &&
                                      run_step(generation, STEP_FIT, fit_generation, error))) &&
           run_step(generation, STEP_GATE, play_gate, error);
}

static struct generation generation_of(struct loop *loop, int number) {
    return (struct generation){.loop = loop,
                               .number = number,
                               .folder = in_generation(loop, number, ""),
                               .record_path = in_generation(loop, number, "record.json"),
                               .weights = in_generation(loop, number, "new.weights.gz")};
}

static void generation_free(struct generation *generation) {
    free(generation->folder);
    free(generation->record_path);
    free(generation->weights);
    json_decref(generation->record);
}

static bool write_table(const struct loop *loop, struct error *error) {
    char *text = memory_text("%s", loop_tsv_head), *path = in_loop(loop, "generations.tsv");
    size_t i;
    json_t *record;
    json_array_foreach(loop->records, i, record) {
        char *line = loop_tsv_line(record), *longer = memory_text("%s%s", text, line);
        free(line);
        free(text);
        text = longer;
    }
    const bool done = file_replace(path, text, strlen(text), error);
    free(path);
    free(text);
    return done;
}

// One that is not done yet.
static bool finish_generation(struct generation *generation, struct error *error) {
    struct loop *loop = generation->loop;
    if (!file_make_folder(generation->folder, error)) return false;
    generation->record = loop_record_read(generation->record_path, generation->number, error);
    if (generation->record == NULL || !run_steps(generation, error)) return false;
    json_array_append(loop->records, generation->record);
    return put_accepted(loop, error);
}

static bool run_generation(struct generation *generation, loop_listener *listener, void *context,
                           struct error *error) {
    struct loop *loop = generation->loop;
    const size_t before = (size_t)generation->number - 1;
    file_remove_temporaries(generation->folder, NULL);
    if (before < json_array_size(loop->records))
        generation->record = json_incref(json_array_get(loop->records, before));
    else if (!finish_generation(generation, error))
        return false;
    if (listener != NULL) listener(context, generation->record);
    bool needed;
    return write_table(loop, error) && is_final_needed(generation, &needed, error) &&
           (!needed || run_step(generation, STEP_FINAL, play_final, error));
}

// Of the generations that are done.
static bool read_records(struct loop *loop, struct error *error) {
    json_array_clear(loop->records);
    for (bool done = true; done;) {
        struct generation next = generation_of(loop, (int)json_array_size(loop->records) + 1);
        if (file_exists(next.record_path)) {
            next.record = loop_record_read(next.record_path, next.number, error);
            if (next.record == NULL) {
                generation_free(&next);
                return false;
            }
        }
        done = next.record != NULL && loop_record_has(next.record, STEP_GATE);
        if (done) json_array_append(loop->records, next.record);
        generation_free(&next);
    }
    const int count = (int)json_array_size(loop->records);
    return count <= loop->config.generations ||
           error_set(error, "%s: %d generations are done already, more than %d", loop->folder, count,
                     loop->config.generations);
}

enum loop_end loop_run(struct loop *loop, int threads, loop_listener *listener, void *context,
                       struct error *error) {
    const struct common_options all = {.threads = threads > 0 ? threads : loop->config.threads};
    loop->threads = options_threads(&all);
    if (!read_records(loop, error) || !put_accepted(loop, error)) return LOOP_FAILED;
    for (int number = 1; number <= loop->config.generations; number++) {
        struct generation generation = generation_of(loop, number);
        const bool done = run_generation(&generation, listener, context, error);
        generation_free(&generation);
        if (!done) return interrupted() ? LOOP_STOPPED : LOOP_FAILED;
    }
    return manifest_note_finished(loop->folder, &loop->manifest, error) ? LOOP_DONE : LOOP_FAILED;
}

// ---- The folder ----

static struct loop *loop_new(const char *folder, bool quiet) {
    struct loop *loop = memory_new(1, sizeof *loop);
    *loop = (struct loop){.folder = memory_text("%s", folder),
                          .lock = -1,
                          .ranks = ranks_join(),
                          .quiet = quiet,
                          .records = json_array()};
    return loop;
}

void loop_close(struct loop *loop) {
    if (loop == NULL) return;
    ranks_leave(loop->ranks);
    loop_config_free(&loop->config);
    manifest_free(&loop->manifest);
    if (loop->lock >= 0) close(loop->lock);
    json_decref(loop->records);
    free(loop->folder);
    free(loop);
}

static struct loop *close_failed(struct loop *loop) {
    loop_close(loop);
    return NULL;
}

static bool is_alone(const struct loop *loop, struct error *error) {
    return ranks_count(loop->ranks) == 1 ||
           error_set(error, "a loop is one process with threads: start it without mpirun");
}

// What a process that was killed at its very beginning leaves.
static const char *const beginnings[] = {"config.yaml", "start.weights.gz", "manifest.json"};
enum { BEGINNINGS = sizeof beginnings / sizeof *beginnings };

static bool is_unused_folder(const char *path) {
    DIR *entries = opendir(path);
    if (entries == NULL) return false;
    bool unused = true;
    for (const struct dirent *entry; unused && (entry = readdir(entries)) != NULL;) {
        const char *name = entry->d_name;
        unused = strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strstr(name, ".tmp-") != NULL ||
                 strcmp(name, beginnings[0]) == 0 || strcmp(name, beginnings[1]) == 0;
    }
    closedir(entries);
    return unused;
}

static void remove_beginnings(const struct loop *loop) {
    for (int i = 0; i < BEGINNINGS; i++) {
        char *path = in_loop(loop, beginnings[i]);
        unlink(path);
        free(path);
    }
    rmdir(loop->folder);
}

// From now on the configuration is the folder's copy, and so are the weights to start with.
static void point_to_copies(struct loop *loop) {
    struct loop_config *config = &loop->config;
    free(config->path);
    config->path = in_loop(loop, "config.yaml");
    free(config->start);
    config->start = in_loop(loop, "start.weights.gz");
}

static json_t *told_to_json(const struct loop_config *config, struct error *error) {
    char *text = NULL;
    size_t size = 0;
    if (strcmp(config->path, "-") != 0 && !file_read(config->path, MOST_FILE, &text, &size, error))
        return NULL;
    json_t *string = json_stringn(text != NULL ? text : "", size), *sets = json_array();
    free(text);
    for (int i = 0; i < config->set_count; i++) json_array_append_new(sets, json_string(config->sets[i]));
    if (string != NULL) return json_pack("{s:o, s:o}", "config", string, "sets", sets);
    json_decref(sets);
    error_set(error, "%s: expected UTF-8", config->path);
    return NULL;
}

// What was told, for people: the file, and what the command line said in comments below it.
static char *config_text(const json_t *told) {
    const json_t *sets = json_object_get(told, "sets");
    char *text = memory_text("%s", json_string_value(json_object_get(told, "config")));
    const char *before = *text == '\0' || text[strlen(text) - 1] == '\n' ? "" : "\n";
    for (size_t i = 0; i < json_array_size(sets); i++) {
        char *longer =
            memory_text("%s%s# --set %s\n", text, before, json_string_value(json_array_get(sets, i)));
        free(text);
        text = longer;
        before = "";
    }
    return text;
}

static bool is_unchanged(const char *path, const char *text, struct error *error) {
    char *there;
    size_t size;
    if (!file_read(path, MOST_FILE, &there, &size, error)) return false;
    const bool same = size == strlen(text) && memcmp(there, text, size) == 0;
    free(there);
    return same ||
           error_set(error,
                     "%s: was changed after the loop began, of which only the number of generations can "
                     "change (--set generations=N): put back what it was, or begin a new loop",
                     path);
}

static bool write_config(const struct loop *loop, const json_t *told, struct error *error) {
    char *path = in_loop(loop, "config.yaml"), *text = config_text(told);
    const bool done = file_replace(path, text, strlen(text), error);
    free(text);
    free(path);
    return done;
}

static bool check_config(const struct loop *loop, const json_t *told, struct error *error) {
    char *path = in_loop(loop, "config.yaml"), *text = config_text(told);
    const bool done = file_exists(path) ? is_unchanged(path, text, error) : write_config(loop, told, error);
    free(text);
    free(path);
    return done;
}

static bool write_start(const struct loop *loop, struct weights *start, struct error *error) {
    char *path = in_loop(loop, "start.weights.gz");
    const bool done = weights_get(loop->config.start, loop->config.variant, start, error) &&
                      (weights_write(path, start, error) || (weights_free(start), false));
    free(path);
    return done;
}

static bool fill(struct loop *loop, struct error *error) {
    json_t *told = told_to_json(&loop->config, error);
    struct weights start;
    bool done = told != NULL && write_config(loop, told, error) && write_start(loop, &start, error);
    if (done) {
        done = manifest_create(loop->folder, &kind, json_incref(told),
                               json_pack("{s:s}", "start", start.sha256), &loop->manifest, error);
        weights_free(&start);
    }
    json_decref(told);
    if (!done) remove_beginnings(loop);
    return done;
}

static bool begin(struct loop *loop, struct error *error) {
    if (!file_make_folder(loop->folder, error)) return false;
    loop->lock = manifest_lock(loop->folder, error);
    if (loop->lock < 0) return false;
    if (manifest_exists(loop->folder))  // by a process that was faster
        return error_set(error, "%s: exists already", loop->folder);
    return fill(loop, error);
}

struct loop *loop_create(const char *folder, struct loop_config *config, bool quiet, struct error *error) {
    if (file_exists(folder) && !is_unused_folder(folder)) {
        error_set(error, "%s: exists already; to go on with a loop: --resume %s", folder, folder);
        return NULL;
    }
    struct loop *loop = loop_new(folder, quiet);
    loop->config = *config;
    *config = (struct loop_config){0};
    if (!is_alone(loop, error) || !begin(loop, error)) return close_failed(loop);
    point_to_copies(loop);
    return loop;
}

// The configuration of a loop that is there: of its manifest, and `more` on top.
static bool read_told(struct loop *loop, const char *more, struct error *error) {
    const json_t *told = manifest_config(&loop->manifest), *all = json_object_get(told, "sets");
    if (!json_is_string(json_object_get(told, "config")) || !check_config(loop, told, error)) return false;
    const size_t count = json_array_size(all);
    const char **sets = memory_new(count + 2, sizeof *sets);
    for (size_t i = 0; i < count; i++) sets[i] = json_string_value(json_array_get(all, i));
    char *path = in_loop(loop, "config.yaml"),
         *start = memory_text("start=%s/start.weights.gz", loop->folder);
    sets[count] = start;
    if (more != NULL) sets[count + 1] = more;
    const bool done = loop_config_read(path, sets, (int)count + 1 + (more != NULL), &loop->config, error);
    free(path);
    free(start);
    free(sets);
    return done;
}

static bool check_start(const struct loop *loop, struct error *error) {
    const struct sum sum = sum_of(loop, loop->config.start);
    return manifest_agrees(&loop->manifest, json_pack("{s:s}", "start", sum.sha256)) ||
           error_set(error, "%s: not the weights that the loop began with", loop->config.start);
}

static bool find(struct loop *loop, int generations, struct error *error) {
    loop->lock = manifest_lock(loop->folder, error);
    if (loop->lock < 0 || !manifest_read(loop->folder, &kind, &loop->manifest, error)) return false;
    file_remove_temporaries(loop->folder, NULL);
    char *more = generations > 0 ? memory_text("generations=%d", generations) : NULL;
    const bool done = read_told(loop, more, error) && check_start(loop, error) &&
                      manifest_note_resumed(loop->folder, &loop->manifest, error);
    free(more);
    return done;
}

struct loop *loop_resume(const char *folder, int generations, bool quiet, struct error *error) {
    struct loop *loop = loop_new(folder, quiet);
    if (!is_alone(loop, error) || !find(loop, generations, error)) return close_failed(loop);
    return loop;
}
