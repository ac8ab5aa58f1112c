// merge.h -- the games of many files in one.
#ifndef HUFF_SELFPLAY_MERGE_H
#define HUFF_SELFPLAY_MERGE_H

#include "selfplay/dataset.h"

struct merge_settings {
    bool views;            // columns of positions stay in their files (dataset_create_views)
    bool drop_duplicates;  // games that were played before (duplicates.h); not with views
    bool quiet;
};

struct merge_counts {
    uint64_t games, positions;  // written
    uint64_t dropped;           // games left out
    bool sorted;                // files of one run were not in the order of their games, now they are
    bool renumbered;            // numbers of games were not rising, so they are new: 0, 1, ...
};

// Games stay in their order, but for files of one run (dataset_sort), and keep their numbers where these rise
// all through, as those of one run do.
bool merge_write(struct dataset *, const char *path, const struct merge_settings *, struct merge_counts *,
                 struct error *) __attribute__((warn_unused_result));

#endif
