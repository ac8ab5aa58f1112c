// huff_data.c -- the program huff-data: looks into datasets and checks them.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/support/memory.h"
#include "core/support/options.h"
#include "selfplay/dataset.h"
#include "selfplay/summary.h"
#include "selfplay/verify.h"

#define PROGRAM "huff-data"

enum { MOST_FAULTS_SHOWN = 20 };

// ---- command line ----

struct arguments {
    struct common_options common;
    const char **paths;
    int count;
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &arguments->common; return 0;
    case ARGP_KEY_ARG:
        arguments->paths =
            memory_grow(arguments->paths, (size_t)arguments->count + 1, sizeof *arguments->paths);
        arguments->paths[arguments->count++] = argument;
        return 0;
    case ARGP_KEY_END:
        if (arguments->count == 0) argp_error(state, "expected a dataset: a file or the folder of a run");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

// What a command does; false with an error when it cannot. *good: nothing is wrong with the data.
typedef bool action(const struct arguments *, bool *good, struct error *);

static int run(int argc, char **argv, const char *doc, action *act) {
    static const struct argp_child children[] = {{&options_common, 0, NULL, 0}, {0}};
    const struct argp argp = {.parser = parse, .args_doc = "PATH...", .doc = doc, .children = children};
    struct arguments arguments = {0};
    if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) != 0) return EXIT_USAGE;
    struct error error;
    bool good = true;
    const bool done = act(&arguments, &good, &error);
    free(arguments.paths);
    if (!done) return options_fail(PROGRAM, EXIT_FAILED, &error);
    return good ? EXIT_DONE : EXIT_FAILED;
}

// --variant says which one is expected.
static struct dataset *open_dataset(const struct arguments *arguments, struct error *error) {
    const char *name = arguments->common.variant;
    const struct variant *expected = name != NULL ? variant_find(name, error) : NULL;
    if (name != NULL && expected == NULL) return NULL;
    struct dataset *dataset = dataset_open(arguments->paths, arguments->count, error);
    if (dataset == NULL || expected == NULL || dataset_variant(dataset) == expected) return dataset;
    error_set(error, "%s: holds games of %s, not of %s", arguments->paths[0], dataset_variant(dataset)->name,
              expected->name);
    dataset_close(dataset);
    return NULL;
}

// ---- info ----

static json_t *file_to_json(const struct dataset_file *file) {
    json_t *rules = json_loads(file->info.rules, 0, NULL), *config = json_loads(file->info.config, 0, NULL);
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:s, s:s, s:s, s:o*, s:o*}", "path", file->path, "bytes",
                     (json_int_t)file->bytes, "first_game", (json_int_t)file->info.first_game, "games",
                     (json_int_t)file->games, "positions", (json_int_t)file->positions, "seed",
                     (json_int_t)file->info.seed, "engine", file->info.engine, "limit", file->info.limit,
                     "weights_sha256", file->info.weights_sha256, "rules", rules, "config", config);
}

static void print_file(const struct dataset_file *file) {
    printf("%s: games %llu..%llu, %llu positions, seed %llu, %s, %s, weights %.12s\n", file->path,
           (unsigned long long)file->info.first_game,
           (unsigned long long)(file->info.first_game + file->games - (file->games > 0)),
           (unsigned long long)file->positions, (unsigned long long)file->info.seed, file->info.engine,
           file->info.limit, file->info.weights_sha256);
}

static void print_info(const struct summary *summary, const struct dataset *dataset) {
    summary_print(summary);
    for (int i = 0; i < summary->files; i++) print_file(dataset_file(dataset, i));
}

static void print_info_json(const struct summary *summary, const struct dataset *dataset) {
    json_t *root = summary_to_json(summary), *files = json_array();
    for (int i = 0; i < summary->files; i++) {
        json_array_append_new(files, file_to_json(dataset_file(dataset, i)));
    }
    json_object_set_new(root, "contents", files);
    json_print(root);
}

static bool info(const struct arguments *arguments, bool *good, struct error *error) {
    (void)good;
    struct dataset *dataset = open_dataset(arguments, error);
    struct summary summary;
    const bool done = dataset != NULL && summary_read(dataset, &summary, error);
    if (done && arguments->common.json)
        print_info_json(&summary, dataset);
    else if (done)
        print_info(&summary, dataset);
    dataset_close(dataset);
    return done;
}

static int run_info(int argc, char **argv) {
    return run(argc, argv, "Says what datasets hold: games, positions, results, lengths, sizes.", info);
}

// ---- verify ----

struct faults {
    uint64_t count;
    json_t *shown;
};

static void add_fault(void *context, const char *text) {
    struct faults *faults = context;
    if (faults->count++ < MOST_FAULTS_SHOWN) json_array_append_new(faults->shown, json_string(text));
}

static bool check_folders(const struct arguments *arguments, struct faults *faults, struct error *error) {
    for (int i = 0; i < arguments->count; i++) {
        struct stat status;
        if (stat(arguments->paths[i], &status) == 0 && S_ISDIR(status.st_mode) &&
            !verify_run_files(arguments->paths[i], add_fault, faults, error)) {
            return false;
        }
    }
    return true;
}

static void print_faults(const struct faults *faults, uint64_t games, uint64_t positions) {
    size_t i;
    json_t *fault;
    json_array_foreach(faults->shown, i, fault) printf("%s\n", json_string_value(fault));
    if (faults->count > MOST_FAULTS_SHOWN) {
        printf("... and %llu more\n", (unsigned long long)faults->count - MOST_FAULTS_SHOWN);
    }
    printf("%llu games and %llu positions checked, %llu faults\n", (unsigned long long)games,
           (unsigned long long)positions, (unsigned long long)faults->count);
}

static void print_faults_json(const struct faults *faults, uint64_t games, uint64_t positions) {
    json_print(json_pack("{s:I, s:I, s:I, s:O}", "games", (json_int_t)games, "positions",
                         (json_int_t)positions, "faults", (json_int_t)faults->count, "first_faults",
                         faults->shown));
}

// Checksums come first: damaged files are not even opened, because HDF5 does not survive every damage.
static bool verify(const struct arguments *arguments, bool *good, struct error *error) {
    struct faults faults = {.shown = json_array()};
    struct dataset *dataset = NULL;
    bool done = check_folders(arguments, &faults, error);
    if (done && faults.count == 0) {
        dataset = open_dataset(arguments, error);
        done = dataset != NULL;
    }
    if (dataset != NULL) verify_dataset(dataset, add_fault, &faults);
    const uint64_t games = dataset != NULL ? dataset_games(dataset) : 0;
    const uint64_t positions = dataset != NULL ? dataset_positions(dataset) : 0;
    *good = faults.count == 0;
    if (done && arguments->common.json)
        print_faults_json(&faults, games, positions);
    else if (done)
        print_faults(&faults, games, positions);
    dataset_close(dataset);
    json_decref(faults.shown);
    return done;
}

static int run_verify(int argc, char **argv) {
    return run(argc, argv,
               "Replays every game by the rules and compares positions, moves, flags and results.", verify);
}

int main(int argc, char **argv) {
    static const struct command commands[] = {
        {"info", "what datasets hold", run_info},
        {"verify", "replay every game by the rules", run_verify},
    };
    return options_run_command(PROGRAM, "Looks into datasets of games and checks them.", commands,
                               sizeof commands / sizeof commands[0], argc, argv);
}
