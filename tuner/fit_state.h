// fit_state.h -- where a fit was after an epoch, as a file from which it goes on as if it had never stopped.
#ifndef HUFF_TUNER_FIT_STATE_H
#define HUFF_TUNER_FIT_STATE_H

#include "tuner/loss.h"

struct fit_state {
    uint64_t identity;  // of settings, start and samples: a fit goes on with its own state only
    int32_t epoch, best_epoch;
    double lowest;  // validation loss, of the best epoch
    uint64_t seen;  // training positions so far
    // Arrays of the caller. In logits: the weights now, and those of the best epoch.
    per_knot *logits, *best;  // [LOGIT_COUNT]
    per_knot *squares;        // [LOGIT_COUNT], of AdaGrad
    uint64_t *pulled;         // [TERM_COUNT - FEW]: positions seen at the last pull of a window's weight
};

// Written whole or not at all. Reading fills the arrays, or fails with one line: no such file, damage, the
// state of a fit with another identity. A state is read by the kind of machine that wrote it.
bool fit_state_write(const char *path, const struct fit_state *, struct error *)
    __attribute__((warn_unused_result));
bool fit_state_read(const char *path, struct fit_state *, struct error *) __attribute__((warn_unused_result));

#endif
