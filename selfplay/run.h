// run.h -- a self-play run: thousands of games on all cores into the shards of a folder, whatever happens.
//
//     RUN/...                    what it was told and plays with (run_folder.h)
//     RUN/shard-NNNNNN.h5        games k*B .. k*B+B-1, once all of them are finished
//     RUN/shard-NNNNNN.journal   finished games of a shard that is not
//     RUN/shards.sha256          checksums of the shards
//     RUN/status.json            how far it is (status.h)
//
// A game depends on its number and the configuration alone, a shard on its games: its bytes are the same for
// any number of threads and processes, and for a run that was killed and resumed.
#ifndef HUFF_SELFPLAY_RUN_H
#define HUFF_SELFPLAY_RUN_H

#include "selfplay/ranks.h"
#include "selfplay/settings.h"

struct run;

// Who plays what of it.
struct run_share_out {
    struct ranks *ranks;   // share out the shards among themselves; the first one makes or finds the folder
    bool some;             // only shards first .. last, side by side with processes that play others
    uint64_t first, last;  // last: at most the last there is
    bool quiet;
};

enum run_end {
    RUN_FAILED,   // the error says why, "": another rank says it; finished games are kept
    RUN_STOPPED,  // by SIGINT or SIGTERM; finished games are kept
    RUN_PLAYED,   // its part
    RUN_DONE,     // all of it
};

// Makes the folder, which must not be there (unless to play some shards of the same run), and takes the
// settings over. Nothing is left behind on failure.
struct run *run_create(const char *folder, struct settings *, const struct run_share_out *, struct error *);

// Goes on with a run; games of damaged shards and journals are played again (a message on standard error says
// so unless quiet). Refused: no or a changed manifest, other weights, another process on the same shards. It
// is also how all ranks but the first come to a run.
struct run *run_resume(const char *folder, const struct run_share_out *, struct error *);

// Plays the games that are missing. threads 0: as the configuration says. Every rank calls it.
enum run_end run_play(struct run *, int threads, struct error *);

void run_close(struct run *);  // NULL is allowed

// Finished games of its shards on disk, in shards and journals.
uint64_t run_games_kept(const struct run *);

#endif
