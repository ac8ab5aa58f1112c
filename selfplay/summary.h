// summary.h -- what a dataset holds, counted: results, lengths, endings, sizes.
#ifndef HUFF_SELFPLAY_SUMMARY_H
#define HUFF_SELFPLAY_SUMMARY_H

#include <jansson.h>

#include "selfplay/dataset.h"

struct summary {
    const struct variant *variant;
    uint64_t games, positions, bytes;
    int files;
    uint64_t wins, draws, losses;  // of White
    uint64_t endings[TERMINATION_COUNT];
    uint64_t plies, shortest, longest;
    uint64_t called;          // games that adjudication ended, or would have ended
    uint64_t checked, wrong;  // of them played to the end all the same; to another result
};

bool summary_read(struct dataset *, struct summary *, struct error *) __attribute__((warn_unused_result));
json_t *summary_to_json(const struct summary *);
void summary_print(const struct summary *);  // to standard output

// To standard output; releases the document.
void json_print(json_t *);

#endif
