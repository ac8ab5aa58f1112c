// verify.h -- replays every game of a dataset by the rules and compares what was written.
#ifndef HUFF_SELFPLAY_VERIFY_H
#define HUFF_SELFPLAY_VERIFY_H

#include "selfplay/dataset.h"

// Called for every fault; "shard.h5: game 12, ply 7: ..." without a line end.
typedef void verify_fault(void *context, const char *text);

// Checks the chain of games and positions, every position, move, flag and counter, and each result against
// the last position. Of chosen positions, which cannot be replayed, each is checked by itself. What is wrong
// goes to `fault`; a file that cannot be read is a fault too. False only after Ctrl-C.
bool verify_dataset(struct dataset *, bool quiet, verify_fault *fault, void *context, struct error *)
    __attribute__((warn_unused_result));

// The shards of a folder against its shards.sha256, where it has one: those that are damaged.
typedef void verify_damaged(void *context, const char *path, const char *text);
bool verify_shard_sums(const char *folder, verify_damaged *, void *context, struct error *)
    __attribute__((warn_unused_result));

// Says in one line which shards a run has not, by gaps in their numbers and by the games it is to play.
enum verify_gap {
    VERIFY_WHOLE,
    VERIFY_UNFINISHED,  // not played yet, or left behind when some shards were copied without their manifest
    VERIFY_GAPS,        // of a finished run
};
enum verify_gap verify_missing_shards(const char *folder, verify_fault *fault, void *context);

// Names the files that a dataset has twice, by whatever paths: their games would count twice.
void verify_repeated_files(const struct dataset *, verify_fault *fault, void *context);

#endif
