// match_folder.h -- the folder of a match: what it was told, its games and its report.
//
//     RUN/manifest.json     settings, checksums, dates
//     RUN/games.journal     finished games
//     RUN/NAME.stderr       what an engine of that name wrote to its standard error, if anything
//     RUN/report.txt        as printed, and
//     RUN/summary.json      as JSON, when the match ends or stops
#ifndef HUFF_SELFPLAY_MATCH_FOLDER_H
#define HUFF_SELFPLAY_MATCH_FOLDER_H

#include "selfplay/manifest.h"
#include "selfplay/match.h"

struct match_folder {
    char *path, *journal_path;
    int lock;
    struct manifest manifest;
};

// Makes the folder, which must not be there, for a match whose engines are loaded.
bool match_folder_create(const char *path, const struct match_settings *, struct match_folder *,
                         struct error *) __attribute__((warn_unused_result));

// Opens one that is there, and reads and loads the settings of its match. Refused: no or a changed manifest,
// other files of weights, another process on the same match.
bool match_folder_open(const char *path, struct match_settings *, struct match_folder *, struct error *)
    __attribute__((warn_unused_result));

// Is the match that is there the one of these settings, word for word, paths among them?
bool match_folder_is_of(const char *path, const struct match_settings *);
// The files that a match keeps; all of them are removed, and the folder when there is nothing else in it.
enum { MATCH_FILES = 4 };
extern const char *const match_files[MATCH_FILES];
void match_folder_remove(const char *path);

void match_folder_close(struct match_folder *);
void match_folder_discard(struct match_folder *);  // removes one that was created, before its match began

struct match_journal match_folder_journal(const struct match_folder *);
// Writes the report of a match that ended, stopped or failed.
bool match_folder_finish(struct match_folder *, const struct match_settings *, const struct match_result *,
                         struct error *) __attribute__((warn_unused_result));

#endif
