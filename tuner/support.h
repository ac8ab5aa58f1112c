// support.h -- how often the positions of a fit showed each weight, in JSON beside its weights.
//
// {"sha256": "...", "support": {"MAN": 123, "MAN_SQUARE": [1, 2, ...], "PATTERN": {"17": 4}}}, among other
// keys: what huff-tune fit --json prints, and gen-NNN/support.json of a loop. A number is the sum of the
// feature's size over the training positions; views of windows that none of them shows are left out.
#ifndef HUFF_TUNER_SUPPORT_H
#define HUFF_TUNER_SUPPORT_H

#include <jansson.h>

#include "tuner/fit.h"

// support[TERM_COUNT]
bool support_write(const char *path, const struct weights *, const uint64_t *support, struct error *)
    __attribute__((warn_unused_result));
json_t *support_to_json(const struct variant *, const uint64_t *support);

// Reads support[TERM_COUNT]. Refuses a file about other weights.
bool support_read(const char *path, const struct weights *, uint64_t *support, struct error *)
    __attribute__((warn_unused_result));

#endif
