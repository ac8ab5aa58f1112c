// output.c -- looks at the name of a file before it is written.

#include "selfplay/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/support/file.h"
#include "core/support/memory.h"
#include "selfplay/manifest.h"
#include "selfplay/match_folder.h"
#include "selfplay/run_folder.h"
#include "selfplay/shards.h"

static bool is_file(const struct stat *there, const char *path) {
    struct stat found;
    return stat(path, &found) == 0 && found.st_dev == there->st_dev && found.st_ino == there->st_ino;
}

static bool is_source(const struct stat *there, const struct dataset *sources, int *index) {
    for (*index = 0; *index < dataset_file_count(sources); ++*index) {
        const struct dataset_file *file = dataset_file(sources, *index);
        if (is_file(there, file->path) || dataset_file_shows(file, there->st_dev, there->st_ino)) return true;
    }
    return false;
}

static bool check_sources(const char *path, const struct dataset *sources, struct error *error) {
    struct stat there;
    int index;
    if (sources == NULL || stat(path, &there) != 0 || !is_source(&there, sources, &index)) return true;
    return error_set(error, "%s: is read from (by way of %s): write to another file", path,
                     dataset_file(sources, index)->path);
}

static bool is_one_of(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0) return true;
    }
    return false;
}

// Those of games, of matches, and of loops and their generations (tuner/loop.h), which have a manifest in
// the folder above.
static bool run_keeps(const char *folder, const char *name) {
    static const char *const loop[] = {"config.yaml", "start.weights.gz", "accepted.weights.gz",
                                       "generations.tsv"};
    static const char *const generation[] = {"record.json", "new.weights.gz", "support.json"};
    if (run_folder_is(folder)) {
        const char *dot = strrchr(name, '.');
        return run_folder_keeps(name) || is_one_of(name, match_files, MATCH_FILES) ||
               is_one_of(name, loop, sizeof loop / sizeof loop[0]) ||
               (dot != NULL && strcmp(dot, ".stderr") == 0);
    }
    char *above = memory_text("%s/..", folder);
    const bool kept =
        is_one_of(name, generation, sizeof generation / sizeof generation[0]) && manifest_exists(above);
    free(above);
    return kept;
}

// By the place where the file would be, behind any link.
static bool check_run(const char *path, struct error *error) {
    char *target = file_target(path), *slash = strrchr(target, '/');
    char *folder = slash != NULL ? memory_text("%.*s/.", (int)(slash - target), target) : memory_text(".");
    const bool good =
        !run_keeps(folder, slash != NULL ? slash + 1 : target) ||
        error_set(error, "%s: is a file of the run in that folder: write to another file", path);
    free(folder);
    free(target);
    return good;
}

bool output_check(const char *path, const struct dataset *sources, struct error *error) {
    return file_check_output(path, error) && check_sources(path, sources, error) && check_run(path, error);
}

bool output_check_paths(const char *path, const char *const *sources, int count, struct error *error) {
    struct stat there;
    if (!output_check(path, NULL, error)) return false;
    if (stat(path, &there) != 0) return true;
    for (int i = 0; i < count; i++) {
        if (is_file(&there, sources[i]))
            return error_set(error, "%s: is read from: write to another file", path);
    }
    return true;
}
