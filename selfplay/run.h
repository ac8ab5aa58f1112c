// run.h -- a self-play run: thousands of games on all cores into the shards of a folder, whatever happens.
//
//     RUN/manifest.json          the configuration, checksums, dates
//     RUN/start.weights          the weights it plays with
//     RUN/shard-NNNNNN.h5        games k*B .. k*B+B-1, once all of them are finished
//     RUN/shard-NNNNNN.journal   finished games of a shard that is not
//     RUN/shards.sha256          checksums of the shards
//
// A game depends on its number and the configuration alone, a shard on its games: its bytes are the same for
// any number of threads, and for a run that was killed and resumed.
#ifndef HUFF_SELFPLAY_RUN_H
#define HUFF_SELFPLAY_RUN_H

#include "selfplay/settings.h"

struct run;

enum run_end {
    RUN_FAILED,   // the error says why; finished games are kept
    RUN_STOPPED,  // by SIGINT or SIGTERM; finished games are kept
    RUN_DONE,
};

// Makes the folder, which must not be there, and takes the settings over. Nothing is left behind on failure.
struct run *run_create(const char *folder, struct settings *, struct error *);

// Goes on with a run; games of damaged shards and journals are played again (a message on standard error says
// so unless `quiet`). Refused: no or a changed manifest, other weights, another process on the same run.
struct run *run_resume(const char *folder, bool quiet, struct error *);

// Plays the games that are missing. threads 0: as the configuration says.
enum run_end run_play(struct run *, int threads, bool quiet, struct error *);

void run_close(struct run *);  // NULL is allowed

// Finished games on disk, in shards and journals.
uint64_t run_games_kept(const struct run *);

#endif
