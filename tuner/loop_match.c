// loop_match.c -- the matches of a loop.

#include "tuner/loop_match.h"

#include <unistd.h>

#include "core/support/file.h"
#include "core/support/progress.h"
#include "selfplay/match_folder.h"
#include "selfplay/match_report.h"

struct audience {
    const struct match_settings *settings;
    struct progress *progress;
};

static bool hear(void *context, const struct match_pair *pair, const struct match_result *result,
                 struct error *error) {
    const struct audience *audience = context;
    (void)error;
    if (!pair->games[0].finished || !pair->games[1].finished) return true;
    char note[MATCH_NOTE_SIZE];
    match_note(audience->settings, result, note);
    progress_note(audience->progress, "%s", note);
    (pair->found ? progress_skip : progress_step)(audience->progress, PAIR_GAMES);
    return true;
}

static bool begin(const char *path, struct match_settings *settings, struct match_folder *folder,
                  struct error *error) {
    // A process that was killed at the very beginning of a match leaves no more than a folder and a temporary
    // file.
    file_remove_temporaries(path, NULL);
    rmdir(path);  // fails when there is anything else
    return match_settings_load(settings, error) && match_check_memory(settings, error) &&
           match_folder_create(path, settings, folder, error);
}

static bool open(const char *path, struct match_settings *settings, struct match_folder *folder,
                 struct error *error) {
    match_settings_free(settings);
    return match_folder_open(path, settings, folder, error) && match_check_memory(settings, error);
}

static bool play(struct match_folder *folder, const struct match_settings *settings, bool quiet,
                 struct match_result *result, struct error *error) {
    const struct match_journal journal = match_folder_journal(folder);
    struct audience audience = {settings,
                                progress_start(settings->variant->name, "games", settings->games, quiet)};
    const enum match_end end = match_play(settings, &journal, hear, &audience, result, error);
    progress_end(audience.progress);
    bool done = end != MATCH_FAILED && match_folder_finish(folder, settings, result, error);
    if (done && end == MATCH_STOPPED) done = error_set(error, "%s: interrupted", folder->path);
    if (!done) match_result_free(result);
    return done;
}

bool loop_match_play(const char *path, struct match_settings *settings, int threads, bool quiet,
                     struct match_result *result, struct error *error) {
    struct match_folder folder = {.lock = -1};
    // Paths are other ones when the loop was moved, or is resumed from another folder than it was begun in.
    if (manifest_exists(path) && !match_folder_is_of(path, settings)) match_folder_remove(path);
    bool done = (manifest_exists(path) ? open : begin)(path, settings, &folder, error);
    if (done) {
        settings->threads = threads;
        done = play(&folder, settings, quiet, result, error);
    }
    match_folder_close(&folder);
    return done;
}
