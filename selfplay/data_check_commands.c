// data_check_commands.c -- huff-data info and verify: what datasets hold, and whether it is right.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/memory.h"
#include "selfplay/data_command.h"
#include "selfplay/duplicates.h"
#include "selfplay/summary.h"
#include "selfplay/verify.h"

enum { MOST_FAULTS_SHOWN = 20 };

static error_t parse(int key, char *argument, struct argp_state *state) {
    (void)argument;
    if (key != ARGP_KEY_INIT) return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = state->input;
    return 0;
}

static bool parse_paths(int argc, char **argv, const char *doc, struct data_paths *paths) {
    static const struct argp_child children[] = {{&data_paths_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {.parser = parse, .args_doc = "PATH...", .doc = doc, .children = children};
    return argp_parse(&argp, argc, argv, 0, NULL, paths) == 0;
}

// ---- faults ----

struct faults {
    uint64_t count;
    json_t *shown;
};

static void add_fault(void *context, const char *text) {
    struct faults *faults = context;
    if (faults->count++ < MOST_FAULTS_SHOWN) json_array_append_new(faults->shown, json_string(text));
}

static void print_faults(const struct faults *faults) {
    size_t i;
    json_t *fault;
    json_array_foreach(faults->shown, i, fault) printf("%s\n", json_string_value(fault));
    if (faults->count > MOST_FAULTS_SHOWN) {
        printf("... and %llu more\n", (unsigned long long)faults->count - MOST_FAULTS_SHOWN);
    }
}

// ---- info ----

static json_t *parsed(const char *text) { return text != NULL ? json_loads(text, 0, NULL) : NULL; }

static json_t *file_to_json(const struct dataset_file *file) {
    const struct dataset_info *info = &file->info;
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:s, s:s, s:o*, s:o*, s:o*, s:o*, s:o*}",
                     "path", file->path, "bytes", (json_int_t)file->bytes, "first_game",
                     (json_int_t)info->first_game, "games", (json_int_t)file->games, "positions",
                     (json_int_t)file->positions, "openings", (json_int_t)file->openings, "seed",
                     (json_int_t)info->seed, "engine", info->engine, "limit", info->limit, "weights_sha256",
                     info->weights_sha256, "rules", parsed(info->rules), "config", parsed(info->config),
                     "engines", parsed(info->engines), "origin", parsed(info->origin), "sample",
                     parsed(info->sample));
}

static void print_file(const struct dataset_file *file) {
    printf("%s: games %llu..%llu, %llu positions, seed %llu, %s, %s, weights %.12s\n", file->path,
           (unsigned long long)file->info.first_game,
           (unsigned long long)(file->info.first_game + file->games - (file->games > 0)),
           (unsigned long long)file->positions, (unsigned long long)file->info.seed, file->info.engine,
           file->info.limit, file->info.weights_sha256);
    if (file->info.sample != NULL) printf("  chosen positions: %s\n", file->info.sample);
}

static bool note_missing(const char *folder, void *context, struct error *error) {
    (void)error;
    verify_missing_shards(folder, add_fault, context);
    return true;
}

struct contents {
    struct summary summary;
    bool whole;           // games, so that they can be compared
    uint64_t duplicates;  // of them
    struct faults missing;
};

static bool read_contents(const struct data_paths *paths, struct dataset *dataset, struct contents *contents,
                          struct error *error) {
    bool *repeated = NULL;
    contents->whole = true;
    for (int i = 0; i < dataset_file_count(dataset); i++)
        contents->whole = contents->whole && dataset_file(dataset, i)->info.sample == NULL;
    const bool done = data_each_folder(paths, note_missing, &contents->missing, error) &&
                      summary_read(dataset, &contents->summary, error) &&
                      (!contents->whole || duplicates_find(dataset, paths->common.quiet, &repeated,
                                                           &contents->duplicates, error));
    free(repeated);
    return done;
}

static void print_info(const struct contents *contents, struct dataset *dataset) {
    summary_print(&contents->summary);
    if (contents->whole)
        printf("duplicates: %llu %s played before\n", (unsigned long long)contents->duplicates,
               contents->duplicates == 1 ? "game was" : "games were");
    for (int i = 0; i < contents->summary.files; i++) print_file(dataset_file(dataset, i));
    size_t i;
    json_t *text;
    json_array_foreach(contents->missing.shown, i, text) printf("warning: %s\n", json_string_value(text));
}

static void print_info_json(const struct contents *contents, struct dataset *dataset) {
    json_t *root = summary_to_json(&contents->summary), *files = json_array();
    for (int i = 0; i < contents->summary.files; i++)
        json_array_append_new(files, file_to_json(dataset_file(dataset, i)));
    if (contents->whole)
        json_object_set_new(root, "duplicates", json_integer((json_int_t)contents->duplicates));
    json_object_set(root, "warnings", contents->missing.shown);
    json_object_set_new(root, "contents", files);
    json_print(root);
}

int data_info_run(int argc, char **argv) {
    struct data_paths paths = {0};
    if (!parse_paths(argc, argv,
                     "Says what datasets hold: games, positions, results, lengths, sizes, duplicates.",
                     &paths))
        return EXIT_USAGE;
    struct error error;
    struct dataset *dataset = data_open_quietly(&paths, &error);
    struct contents contents = {.missing = {.shown = json_array()}};
    const bool done = dataset != NULL && read_contents(&paths, dataset, &contents, &error);
    if (done && paths.common.json)
        print_info_json(&contents, dataset);
    else if (done)
        print_info(&contents, dataset);
    json_decref(contents.missing.shown);
    dataset_close(dataset);
    return data_end(&paths, done, &error);
}

// ---- verify ----

struct verifying {
    struct faults faults, warnings;
    char **damaged;  // paths of files, owned
    size_t damaged_count;
};

static void add_damaged(void *context, const char *path, const char *text) {
    struct verifying *v = context;
    add_fault(&v->faults, text);
    v->damaged = memory_grow(v->damaged, v->damaged_count + 1, sizeof *v->damaged);
    v->damaged[v->damaged_count++] = memory_text("%s", path);
}

static bool is_damaged(void *context, const char *path) {
    const struct verifying *v = context;
    for (size_t i = 0; i < v->damaged_count; i++) {
        if (strcmp(v->damaged[i], path) == 0) return true;
    }
    return false;
}

static void add_verify_fault(void *context, const char *text) {
    add_fault(&((struct verifying *)context)->faults, text);
}

// What a run that goes on has not played yet is no fault.
static bool check_folder(const char *folder, void *context, struct error *error) {
    struct verifying *v = context;
    struct faults missing = {.shown = json_array()};
    const enum verify_gap gap = verify_missing_shards(folder, add_fault, &missing);
    struct faults *to = gap == VERIFY_GAPS ? &v->faults : &v->warnings;
    size_t i;
    json_t *text;
    json_array_foreach(missing.shown, i, text) add_fault(to, json_string_value(text));
    json_decref(missing.shown);
    return verify_shard_sums(folder, add_damaged, v, error);
}

static void print_verdict(const struct verifying *v, uint64_t games, uint64_t positions) {
    print_faults(&v->faults);
    size_t i;
    json_t *text;
    json_array_foreach(v->warnings.shown, i, text) printf("warning: %s\n", json_string_value(text));
    printf("%llu %s and %llu %s checked, %llu %s\n", (unsigned long long)games, games == 1 ? "game" : "games",
           (unsigned long long)positions, positions == 1 ? "position" : "positions",
           (unsigned long long)v->faults.count, v->faults.count == 1 ? "fault" : "faults");
}

static void print_verdict_json(const struct verifying *v, uint64_t games, uint64_t positions) {
    json_print(json_pack("{s:I, s:I, s:I, s:O, s:O}", "games", (json_int_t)games, "positions",
                         (json_int_t)positions, "faults", (json_int_t)v->faults.count, "first_faults",
                         v->faults.shown, "warnings", v->warnings.shown));
}

// Checksums come first, and damaged files are not even opened; the others are checked all the same.
static bool verify(const struct data_paths *paths, struct verifying *v, struct error *error) {
    if (!data_each_folder(paths, check_folder, v, error)) return false;
    const struct dataset_choice choice = {is_damaged, add_verify_fault, v};
    struct dataset *dataset = dataset_open_good(paths->paths, paths->count, &choice);
    const bool done =
        dataset == NULL || (data_check_variant(paths, dataset, error) &&
                            verify_dataset(dataset, paths->common.quiet, add_verify_fault, v, error));
    const uint64_t games = dataset != NULL ? dataset_games(dataset) : 0;
    const uint64_t positions = dataset != NULL ? dataset_positions(dataset) : 0;
    if (done && paths->common.json)
        print_verdict_json(v, games, positions);
    else if (done)
        print_verdict(v, games, positions);
    dataset_close(dataset);
    return done;
}

int data_verify_run(int argc, char **argv) {
    struct data_paths paths = {0};
    if (!parse_paths(
            argc, argv,
            "Replays every game by the rules and compares positions, moves, flags and results. What is "
            "damaged or missing is named, and the rest is checked. Shards that a run has not played "
            "yet are no fault.",
            &paths))
        return EXIT_USAGE;
    struct error error;
    struct verifying v = {.faults.shown = json_array(), .warnings.shown = json_array()};
    const bool done = verify(&paths, &v, &error), good = v.faults.count == 0;
    json_decref(v.faults.shown);
    json_decref(v.warnings.shown);
    for (size_t i = 0; i < v.damaged_count; i++) free(v.damaged[i]);
    free(v.damaged);
    const int code = data_end(&paths, done, &error);
    return code != EXIT_DONE || good ? code : EXIT_FAILED;
}
