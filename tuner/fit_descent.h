// fit_descent.h -- what the ways down to the lowest loss share; for fit*.c alone.
#ifndef HUFF_TUNER_FIT_DESCENT_H
#define HUFF_TUNER_FIT_DESCENT_H

#include "tuner/fit.h"

struct descent {
    struct sample_sets *sets;
    const struct fit_settings *settings;
    struct fit_result *result;
    fit_report *report;
    void *context;
    struct pass *pass;
    struct gradient *gradient;
    per_knot *start;      // [LOGIT_COUNT], as the next three
    per_knot *logits;     // now
    per_knot *best;       // of the lowest validation loss
    per_knot *squares;    // AdaGrad: the sum of the squares of past gradients
    double *support;      // [FEW][KNOTS]: of the result, shared out to knots
    uint64_t identity;    // of all that the weights depend on but the number of epochs
    double lowest;        // validation loss
    double lambda_scale;  // centipawns of the searches' scores that make a logit
    uint64_t seen;        // training positions so far
    uint64_t *pulled;     // of a window's weight: positions seen when it was pulled last
};

#define LEAST_MARGIN 0.01

// The targets of the training positions that are in memory.
void descent_set_targets(struct descent *);

// Over all positions of a part; the gradient is added to descent->gradient when it is wanted. False: a read
// failed. What is summed up is not all of it when interrupted().
bool descent_pass(struct descent *, enum split, const per_knot *logits, bool gradient, struct sums *,
                  struct error *) __attribute__((warn_unused_result));

bool descent_is_over(const struct descent *);

// An epoch has ended with descent->logits: whether it is the best, and the report.
bool descent_end_epoch(struct descent *, double train_loss, double seconds, struct error *)
    __attribute__((warn_unused_result));

bool descent_keep_state(const struct descent *, struct error *) __attribute__((warn_unused_result));

// What makes a logit of the scores that the searches gave; false when they do not predict the results.
bool descent_scale_of_searches(const struct samples *, double *scale) __attribute__((warn_unused_result));

// On from where descent->result->epochs and the state say, until it is over or interrupted.
bool descend_by_adagrad(struct descent *, struct error *) __attribute__((warn_unused_result));
bool descend_by_lbfgs(struct descent *, struct error *) __attribute__((warn_unused_result));

#endif
