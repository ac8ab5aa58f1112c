// run_folder.h -- the folder of a run and what the run depends on: begun, found again, or joined.
//
//     RUN/manifest.json          the configuration, checksums, dates
//     RUN/start.weights          the weights it plays with; of White, where they differ
//     RUN/black.weights          and then those of Black
//     RUN/start.book             the positions that games start from, where there is a book
//
// The run owns copies of all, so that resuming does not depend on what becomes of the files.
#ifndef HUFF_SELFPLAY_RUN_FOLDER_H
#define HUFF_SELFPLAY_RUN_FOLDER_H

#include "selfplay/manifest.h"
#include "selfplay/settings.h"

struct run_folder {
    char *path;
    int lock;  // of the folder, held while it is open; -1: another process holds it for this one, too
    struct manifest manifest;
    struct settings settings;
    int engine_count;           // 1 or 2
    struct weights weights[2];  // of each engine; with two, of White and of Black
    struct opening_list *book;  // in the order of play; NULL: games begin at the start
    uint64_t shard_count;
};

// Whose the folder is while it is open.
enum run_share {
    RUN_ALONE,   // this process's
    RUN_SHARED,  // that of all who open it so
    RUN_LED,     // that of the process that leads this one
};

// Makes the folder and takes the settings over. Refused when it is there, but with RUN_SHARED joined when it
// is that of a run with the same configuration. Nothing is left behind on failure.
bool run_folder_begin(struct run_folder *, const char *path, struct settings *, enum run_share, bool quiet,
                      struct error *) __attribute__((warn_unused_result));

// Refused: no or a changed manifest, other weights or openings, another process's.
bool run_folder_find(struct run_folder *, const char *path, enum run_share, struct error *)
    __attribute__((warn_unused_result));

void run_folder_close(struct run_folder *);

// Does it hold a run, or what is left of one?
bool run_folder_is(const char *path);
// Is `name` that of a file that a run makes in its folder?
bool run_folder_keeps(const char *name);

char *run_folder_file(const struct run_folder *, const char *name);  // freed by the caller
uint64_t run_folder_first_game(const struct run_folder *, uint64_t shard);
size_t run_folder_shard_size(const struct run_folder *, uint64_t shard);

#endif
