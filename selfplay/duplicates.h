// duplicates.h -- games of a dataset that were played before: from the same start with the same moves.
#ifndef HUFF_SELFPLAY_DUPLICATES_H
#define HUFF_SELFPLAY_DUPLICATES_H

#include "selfplay/dataset.h"

// repeated[game] for each game of the dataset, but the first of those that are equal, which is not; freed by
// the caller. *count is how many. Games are told apart by 64 bits of their moves. Data must be of whole
// games.
bool duplicates_find(struct dataset *, bool quiet, bool **repeated, uint64_t *count, struct error *)
    __attribute__((warn_unused_result));

#endif
