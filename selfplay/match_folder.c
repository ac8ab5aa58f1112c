// match_folder.c -- begins, resumes and finishes the folder of a match.

#include "selfplay/match_folder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/support/file.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "selfplay/match_report.h"
#include "selfplay/match_words.h"

static const struct manifest_kind kind = {"huff-match", "huff-match " HUFF_VERSION};

// Of the engines' weights, in order, null for those of other programs; and of the openings.
static json_t *checksums(const struct match_settings *settings) {
    json_t *weights = json_array();
    for (int i = 0; i < settings->engine_count; i++) {
        const struct match_engine *engine = &settings->engines[i];
        json_array_append_new(weights, !engine->external ? json_string(engine->weights.sha256) : json_null());
    }
    const char *openings = settings->list != NULL ? opening_list_sha256(settings->list) : "";
    return json_pack("{s:o, s:s}", "weights", weights, "openings", openings);
}

const char *const match_files[MATCH_FILES] = {"games.journal", "report.txt", "summary.json", "manifest.json"};

static struct match_folder new_folder(const char *path) {
    return (struct match_folder){
        .path = memory_text("%s", path),
        .journal_path = memory_text("%s/games.journal", path),
        .lock = -1,
    };
}

static bool begin(struct match_folder *folder, const struct match_settings *settings, struct error *error) {
    if (!file_make_folder(folder->path, error)) return false;
    folder->lock = manifest_lock(folder->path, error);
    if (folder->lock < 0) return false;
    if (manifest_exists(folder->path))  // by a process that was faster
        return error_set(error, "%s: exists already", folder->path);
    if (manifest_create(folder->path, &kind, json_incref(settings->words), checksums(settings),
                        &folder->manifest, error)) {
        return true;
    }
    rmdir(folder->path);  // with the lock held it is nobody else's
    return false;
}

bool match_folder_create(const char *path, const struct match_settings *settings, struct match_folder *folder,
                         struct error *error) {
    if (file_exists(path)) {
        return error_set(error, "%s: exists already; to go on with a match: --resume %s", path, path);
    }
    *folder = new_folder(path);
    if (begin(folder, settings, error)) return true;
    match_folder_close(folder);
    return false;
}

// ---- paths of a match, which are relative to where it began

static bool check_path(const struct match_folder *folder, const char *what, const char *path,
                       struct error *error) {
    return path == NULL || *path == '/' || file_exists(path) ||
           error_set(error,
                     "%s: %s: %.200s is not to be found from this folder: resume the match from where it "
                     "was begun",
                     folder->path, what, path);
}

// A program that is named by a path, not sought in PATH.
static bool check_command(const struct match_folder *folder, const struct engine_words *words,
                          struct error *error) {
    if (words->cmd == NULL) return true;
    const char *const first = words->cmd + strspn(words->cmd, " \"");
    const int length = (int)strcspn(first, " \"");
    if (*first == '/' || memchr(first, '/', (size_t)length) == NULL) return true;
    char *path = words->dir != NULL ? memory_text("%s/%.*s", words->dir, length, first)
                                    : memory_text("%.*s", length, first);
    const bool found = check_path(folder, "cmd", path, error);
    free(path);
    return found;
}

static bool check_paths(const struct match_folder *folder, const struct match_words *words,
                        struct error *error) {
    for (uint32_t i = 0; i < words->engines_count; i++) {
        const struct engine_words *engine = &words->engines[i];
        if (!check_path(folder, "weights", weights_in_file(engine->weights) ? engine->weights : NULL,
                        error) ||
            !check_path(folder, "dir", engine->dir, error) || !check_command(folder, engine, error)) {
            return false;
        }
    }
    const char *openings = words->openings;
    const bool drawn = openings != NULL && (strcmp(openings, "start") == 0 ||
                                            strncmp(openings, "random:", strlen("random:")) == 0 ||
                                            strncmp(openings, "all:", strlen("all:")) == 0);
    return check_path(folder, "openings", drawn ? NULL : openings, error);
}

// ---- going on

static bool read_settings(const struct match_folder *folder, struct match_settings *settings,
                          struct error *error) {
    struct match_words words;
    if (!match_words_from_json(manifest_config(&folder->manifest), &words, error)) return false;
    const bool done =
        check_paths(folder, &words, error) && match_settings_read(NULL, NULL, 0, &words, settings, error);
    match_words_free(&words);
    return done;
}

static bool load(const struct match_folder *folder, struct match_settings *settings, struct error *error) {
    if (!match_settings_load(settings, error)) return false;
    return manifest_agrees(&folder->manifest, checksums(settings)) ||
           error_set(error, "%s: an engine's weights or the openings are not those that the match began with",
                     folder->path);
}

bool match_folder_open(const char *path, struct match_settings *settings, struct match_folder *folder,
                       struct error *error) {
    *folder = new_folder(path);
    folder->lock = manifest_lock(path, error);
    bool done = folder->lock >= 0 && manifest_read(path, &kind, &folder->manifest, error);
    if (done) file_remove_temporaries(path, NULL);
    if (done && (done = read_settings(folder, settings, error))) {
        done = load(folder, settings, error) && manifest_note_resumed(path, &folder->manifest, error);
        if (!done) match_settings_free(settings);
    }
    if (!done) match_folder_close(folder);
    return done;
}

bool match_folder_is_of(const char *path, const struct match_settings *settings) {
    struct manifest manifest;
    struct error ignored;
    if (!manifest_read(path, &kind, &manifest, &ignored)) return false;
    const bool same = json_equal(manifest_config(&manifest), settings->words);
    manifest_free(&manifest);
    return same;
}

void match_folder_remove(const char *path) {
    for (int i = 0; i < MATCH_FILES; i++) {
        char *file = memory_text("%s/%s", path, match_files[i]);
        unlink(file);
        free(file);
    }
    rmdir(path);
}

void match_folder_discard(struct match_folder *folder) {
    if (folder->path == NULL) return;
    char *manifest = memory_text("%s/manifest.json", folder->path);
    unlink(manifest);
    free(manifest);
    rmdir(folder->path);
}

void match_folder_close(struct match_folder *folder) {
    manifest_free(&folder->manifest);
    if (folder->lock >= 0) close(folder->lock);
    free(folder->path);
    free(folder->journal_path);
    *folder = (struct match_folder){.lock = -1};
}

struct match_journal match_folder_journal(const struct match_folder *folder) {
    return (struct match_journal){folder->journal_path, folder->manifest.config_sha256, folder->path};
}

static bool write_file(const struct match_folder *folder, const char *name, const char *text,
                       struct error *error) {
    char *path = memory_text("%s/%s", folder->path, name);
    const bool done = file_replace(path, text, strlen(text), error);
    free(path);
    return done;
}

bool match_folder_finish(struct match_folder *folder, const struct match_settings *settings,
                         const struct match_result *result, struct error *error) {
    char *report = match_report_text(settings, result);
    json_t *summary = match_summary_json(settings, result);
    char *dumped = json_dumps(summary, JSON_INDENT(2));
    char *text = memory_text("%s\n", dumped);
    bool done =
        write_file(folder, "report.txt", report, error) && write_file(folder, "summary.json", text, error);
    if (result->end == MATCH_AT_LIMIT || result->end == MATCH_DECIDED)
        done = done && manifest_note_finished(folder->path, &folder->manifest, error);
    free(text);
    free(dumped);
    json_decref(summary);
    free(report);
    return done;
}
