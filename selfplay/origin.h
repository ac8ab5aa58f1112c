// origin.h -- what a file that is made from other files says of itself.
#ifndef HUFF_SELFPLAY_ORIGIN_H
#define HUFF_SELFPLAY_ORIGIN_H

#include "selfplay/dataset.h"

struct origin {
    // For the new file: what its sources agree in, "several" (seed 0, config {}) where they do not, and all
    // of it, run by run, as the JSON of info.origin.
    struct dataset_info info;
    uint8_t (*engine)[256];  // [file][white_engine or black_engine there]: that engine in info.engines
    char *engines, *runs;    // owned
};

// Fails where games cannot be in one file: they were played by different draw rules.
bool origin_init(struct origin *, struct dataset *, struct error *) __attribute__((warn_unused_result));
void origin_free(struct origin *);

#endif
