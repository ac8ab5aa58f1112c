// run_folder.c -- begins, finds and joins the folders of runs.

#include "selfplay/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/support/file.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "core/support/progress.h"
#include "selfplay/shards.h"

static const struct manifest_kind kind = {"huff-run", "huff-selfplay " HUFF_VERSION};
static const char *const weights_files[2] = {"start.weights", "black.weights"};
static const char *const book_file = "start.book";

enum { CREATION_SECONDS = 600, JOINING_SECONDS = 5, NAPS_A_SECOND = 20 };

char *run_folder_file(const struct run_folder *folder, const char *name) {
    return memory_text("%s/%s", folder->path, name);
}

uint64_t run_folder_first_game(const struct run_folder *folder, uint64_t shard) {
    return shard * (uint64_t)folder->settings.shard_games;
}

size_t run_folder_shard_size(const struct run_folder *folder, uint64_t shard) {
    const uint64_t left = folder->settings.games - run_folder_first_game(folder, shard);
    const uint64_t full = (uint64_t)folder->settings.shard_games;
    return (size_t)(left < full ? left : full);
}

static void start(struct run_folder *folder, const char *path) {
    *folder = (struct run_folder){.path = memory_text("%s", path), .lock = -1};
}

void run_folder_close(struct run_folder *folder) {
    manifest_free(&folder->manifest);
    settings_free(&folder->settings);
    for (int i = 0; i < folder->engine_count; i++) weights_free(&folder->weights[i]);
    opening_list_free(folder->book);
    free(folder->path);
    if (folder->lock >= 0) close(folder->lock);
    *folder = (struct run_folder){.lock = -1};
}

static bool lock_alone(struct run_folder *folder, struct error *error) {
    folder->lock = manifest_lock(folder->path, error);
    return folder->lock >= 0;
}

static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = 1000000000 / NAPS_A_SECOND}, NULL); }

// Whoever has just made the run keeps it for a moment.
static bool lock_shared(struct run_folder *folder, struct error *error) {
    for (int naps = 0; folder->lock < 0; naps++) {
        if (naps > 0) nap();
        folder->lock = manifest_lock_shared(folder->path, error);
        if (interrupted() || naps == JOINING_SECONDS * NAPS_A_SECOND) break;
    }
    return folder->lock >= 0;
}

static void count_shards(struct run_folder *folder) {
    const struct settings *settings = &folder->settings;
    folder->shard_count = (settings->games - 1) / (uint64_t)settings->shard_games + 1;
}

// ---- weights and openings ----

static json_t *checksums(const struct run_folder *folder) {
    json_t *root = json_pack("{s:s}", "weights", folder->weights[0].sha256);
    if (folder->engine_count > 1)
        json_object_set_new(root, "black_weights", json_string(folder->weights[1].sha256));
    if (folder->book != NULL)
        json_object_set_new(root, "book", json_string(opening_list_sha256(folder->book)));
    return root;
}

static bool add_weights(struct run_folder *folder, const char *name, const struct settings *settings,
                        struct error *error) {
    if (!weights_get(name, settings->variant, &folder->weights[folder->engine_count], error)) return false;
    folder->engine_count++;
    return true;
}

// One set where both sides have the same name.
static bool get_weights(struct run_folder *folder, const struct settings *settings, struct error *error) {
    return add_weights(folder, settings->weights[WHITE], settings, error) &&
           (settings_weights_count(settings) == 1 ||
            add_weights(folder, settings->weights[BLACK], settings, error));
}

static bool get_book(struct run_folder *folder, const struct settings *settings, bool quiet,
                     struct error *error) {
    if (settings->book != NULL)
        folder->book = opening_list_read(settings->book, settings->variant, &settings->draws, error);
    else if (settings->all.plies > 0)
        folder->book =
            book_make(&settings->all, settings->variant, &settings->draws, &folder->weights[0], quiet, error);
    else
        return true;
    return folder->book != NULL;
}

static bool store_weights(struct run_folder *folder, struct error *error) {
    bool done = true;
    for (int i = 0; i < folder->engine_count && done; i++) {
        char *path = run_folder_file(folder, weights_files[i]);
        done = weights_write(path, &folder->weights[i], error);
        free(path);
    }
    return done;
}

// What is read is what was written, whoever reads it.
static bool read_book(struct run_folder *folder, const struct settings *settings, struct error *error) {
    char *path = run_folder_file(folder, book_file);
    opening_list_free(folder->book);
    folder->book = opening_list_read(path, settings->variant, &settings->draws, error);
    free(path);
    if (folder->book == NULL) return false;
    opening_list_shuffle(folder->book, settings->seed);
    return true;
}

static bool store_book(struct run_folder *folder, const struct settings *settings, struct error *error) {
    if (folder->book == NULL) return true;
    char *path = run_folder_file(folder, book_file);
    const bool done = settings->all.plies > 0
                          ? book_write(folder->book, &settings->all, &folder->weights[0], path, error)
                          : opening_list_write(folder->book, path, "from a file", error);
    free(path);
    return done && read_book(folder, settings, error);
}

static bool read_all(struct run_folder *folder, struct error *error) {
    const struct settings *settings = &folder->settings;
    char *black = run_folder_file(folder, weights_files[1]), *book = run_folder_file(folder, book_file);
    const int engines = file_exists(black) ? 2 : 1;
    bool done = true;
    for (int i = 0; i < engines && done; i++) {
        char *path = run_folder_file(folder, weights_files[i]);
        done = weights_read(path, settings->variant, &folder->weights[i], error);
        free(path);
        folder->engine_count += done;
    }
    if (done && file_exists(book)) done = read_book(folder, settings, error);
    if (done && !manifest_agrees(&folder->manifest, checksums(folder)))
        done = error_set(error,
                         "%s/start.weights, black.weights or start.book: not what the run began with (the "
                         "checksum differs)",
                         folder->path);
    free(black);
    free(book);
    return done;
}

// ---- names ----

bool run_folder_is(const char *path) {
    char *start = memory_text("%s/%s", path, weights_files[0]);
    const bool found = manifest_exists(path) || shards_have_sums(path) || file_exists(start);
    free(start);
    return found;
}

bool run_folder_keeps(const char *name) {
    const char *const names[] = {"manifest.json", "shards.sha256", weights_files[0], weights_files[1],
                                 book_file};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) return true;
    }
    uint64_t number;
    const char *dot = strrchr(name, '.');
    return shard_name(name, &number) ||
           (dot != NULL && strncmp(name, "shard-", 6) == 0 && strcmp(dot, ".journal") == 0) ||
           (dot != NULL && strncmp(name, "status", 6) == 0 && strcmp(dot, ".json") == 0);
}

// ---- finding ----

static bool find(struct run_folder *folder, struct error *error) {
    if (!manifest_exists(folder->path))
        return error_set(error,
                         "%s: no run has begun in this folder (it has no manifest.json): start it with its "
                         "configuration and -o %s",
                         folder->path, folder->path);
    if (!manifest_read(folder->path, &kind, &folder->manifest, error)) return false;
    if (!settings_from_json(manifest_config(&folder->manifest), &folder->settings, error))
        return error_prefix(error, "%s/manifest.json", folder->path);
    count_shards(folder);
    return read_all(folder, error);
}

bool run_folder_find(struct run_folder *folder, const char *path, enum run_share share, struct error *error) {
    start(folder, path);
    bool done = share == RUN_LED || (share == RUN_ALONE ? lock_alone : lock_shared)(folder, error);
    done = done && find(folder, error);
    if (done && share == RUN_ALONE) file_remove_temporaries(folder->path, NULL);
    if (!done) run_folder_close(folder);
    return done;
}

// ---- beginning ----

static void remove_beginnings(const struct run_folder *folder) {
    const char *const names[] = {"manifest.json", weights_files[0], weights_files[1], book_file};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *path = run_folder_file(folder, names[i]);
        unlink(path);
        free(path);
    }
    rmdir(folder->path);
}

static bool fill(struct run_folder *folder, struct settings *settings, struct error *error) {
    file_remove_temporaries(folder->path, NULL);
    if (store_weights(folder, error) && store_book(folder, settings, error) &&
        manifest_create(folder->path, &kind, settings_to_json(settings), checksums(folder), &folder->manifest,
                        error)) {
        folder->settings = *settings;
        *settings = (struct settings){0};
        count_shards(folder);
        return true;
    }
    remove_beginnings(folder);
    return false;
}

static bool begin_alone(struct run_folder *folder, struct settings *settings, struct error *error) {
    if (!file_make_folder(folder->path, error) || !lock_alone(folder, error)) return false;
    if (manifest_exists(folder->path))  // by a process that was faster
        return error_set(error, "%s: exists already", folder->path);
    return fill(folder, settings, error);
}

static bool join(struct run_folder *folder, const struct settings *settings, struct error *error) {
    char *path = memory_text("%s", folder->path);
    run_folder_close(folder);
    bool done = run_folder_find(folder, path, RUN_SHARED, error);
    if (done && !settings_equal(&folder->settings, settings)) {
        run_folder_close(folder);
        done = error_set(error, "%s: a run with another configuration", path);
    }
    free(path);
    return done;
}

// Of processes that begin together one makes the run, and the others wait until it is there.
static bool begin_shared(struct run_folder *folder, struct settings *settings, struct error *error) {
    if (!file_make_folder(folder->path, error)) return false;
    for (int naps = 0; !manifest_exists(folder->path); naps++) {
        if (lock_alone(folder, error)) {
            if (manifest_exists(folder->path)) break;
            if (!fill(folder, settings, error)) return false;
            manifest_share_lock(folder->lock);
            return true;
        }
        if (interrupted() || naps > CREATION_SECONDS * NAPS_A_SECOND) return false;
        nap();
    }
    return join(folder, settings, error);
}

// A folder that holds nothing but what a process killed at its very beginning leaves: no run has begun there.
static bool is_unused_folder(const char *path) {
    DIR *entries = opendir(path);
    if (entries == NULL) return false;
    bool unused = true;
    for (const struct dirent *entry; unused && (entry = readdir(entries)) != NULL;) {
        const char *name = entry->d_name;
        unused = strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, weights_files[0]) == 0 ||
                 strcmp(name, weights_files[1]) == 0 || strcmp(name, book_file) == 0 ||
                 strstr(name, ".tmp-") != NULL;
    }
    closedir(entries);
    return unused;
}

bool run_folder_begin(struct run_folder *folder, const char *path, struct settings *settings,
                      enum run_share share, bool quiet, struct error *error) {
    start(folder, path);
    const bool shared = share == RUN_SHARED;
    bool done = true;
    if (shared && manifest_exists(path)) {
        done = join(folder, settings, error);
    } else if (file_exists(path) && !is_unused_folder(path)) {
        done = error_set(error, "%s: exists already; to go on with a run: --resume %s", path, path);
    } else {
        done = get_weights(folder, settings, error) && get_book(folder, settings, quiet, error) &&
               (shared ? begin_shared : begin_alone)(folder, settings, error);
    }
    if (!done) run_folder_close(folder);
    return done;
}
