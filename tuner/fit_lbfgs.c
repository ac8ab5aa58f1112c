// fit_lbfgs.c -- down the loss of all training positions at once: L-BFGS (Liu and Nocedal, 1989), by
// liblbfgs.
//
// Weights that many positions show bend the loss more than others. So the descent goes over x = (logit -
// start)
// * unit, with the unit of a weight about the root of the loss's second derivative, and by the mean loss of a
// position. The margin of draws is positive: its logarithm is taken.

#include <lbfgs.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/clock.h"
#include "core/support/memory.h"
#include "core/support/progress.h"
#include "tuner/fit_descent.h"

enum {
    PAIRS = 10,  // of the last steps that it remembers
    // After so many iterations it forgets them. Only then the state is kept, for it does not hold them.
    STAGE = 25,
    ROUND = 16,  // liblbfgs wants a number of variables that registers divide
};
// It has converged when the gradient is this much smaller than x, or the loss in PAST iterations was lower by
// this share of it.
#define GRADIENT_LIMIT 1e-4
#define LOSS_LIMIT     1e-6
enum { PAST = 5 };

struct full_descent {
    struct descent *descent;
    struct error *error;
    bool failed;
    int count;     // of weights that are free
    int *term;     // [count]
    double *unit;  // [count]
    int size;      // of x
    double *x;
    double started, loss;  // of the iteration: when, and the mean loss without the pull
};

static double l2_of(const struct descent *descent, int t) {
    int group = 0;
    while (t >= term_groups[group].first + term_groups[group].count) group++;
    return descent->settings->l2[group];
}

// Weights that nothing shows stay where they start, as those that are held.
static void choose_weights(struct full_descent *full) {
    const struct descent *descent = full->descent;
    const uint64_t *support = descent->result->support;
    const double positions = (double)descent->sets->part[SPLIT_TRAIN].chosen;
    for (int t = 0; t < TERM_COUNT; t++) {
        const double l2 = l2_of(descent, t);
        if (support[t] == 0 || l2 >= HELD) continue;
        // p (1 - p) times the squares of a knot's shares is about a tenth.
        full->unit[full->count] = sqrt((1 + l2 + 0.1 * (double)support[t]) / positions);
        full->term[full->count++] = t;
    }
    const int variables = full->count * KNOTS + 1;
    full->size = (variables + ROUND - 1) / ROUND * ROUND;
}

static bool has_margin(const struct full_descent *full) { return full->descent->logits[MARGIN][0] > 0; }

static void to_x(const struct full_descent *full, const per_knot *logits, double *x) {
    for (int i = 0; i < full->count; i++)
        for (int k = 0; k < KNOTS; k++)
            x[i * KNOTS + k] =
                (logits[full->term[i]][k] - full->descent->start[full->term[i]][k]) * full->unit[i];
    if (has_margin(full)) x[full->count * KNOTS] = log(logits[MARGIN][0]);
}

static void from_x(const struct full_descent *full, const double *x, per_knot *logits) {
    for (int i = 0; i < full->count; i++)
        for (int k = 0; k < KNOTS; k++)
            logits[full->term[i]][k] =
                full->descent->start[full->term[i]][k] + x[i * KNOTS + k] / full->unit[i];
    if (has_margin(full)) logits[MARGIN][0] = exp(x[full->count * KNOTS]);
}

// The pull of all weights towards their start, and its gradient added to that of the positions.
static double pull(const struct full_descent *full) {
    const struct descent *descent = full->descent;
    double loss = 0;
    for (int i = 0; i < full->count; i++) {
        const int t = full->term[i];
        const double l2 = l2_of(descent, t);
        const per_knot way = descent->logits[t] - descent->start[t];
        descent->gradient->at[t] += l2 * way;
        for (int k = 0; k < KNOTS; k++) loss += l2 / 2 * way[k] * way[k];
    }
    return loss;
}

static double evaluate(void *context, const double *x, double *slopes, int size, double step) {
    struct full_descent *full = context;
    struct descent *descent = full->descent;
    const double positions = (double)descent->sets->part[SPLIT_TRAIN].chosen;
    struct sums sums;
    (void)step;
    memset(slopes, 0, (size_t)size * sizeof *slopes);
    // There is no way to end it from here, but one that goes nowhere ends soon.
    if (full->failed || interrupted()) return NAN;
    from_x(full, x, descent->logits);
    memset(descent->gradient->at, 0, LOGIT_COUNT * sizeof *descent->gradient->at);
    full->failed = !descent_pass(descent, SPLIT_TRAIN, descent->logits, true, &sums, full->error);
    const double pulled = pull(full);
    for (int i = 0; i < full->count; i++)
        for (int k = 0; k < KNOTS; k++)
            slopes[i * KNOTS + k] = descent->gradient->at[full->term[i]][k] / full->unit[i] / positions;
    if (has_margin(full))
        slopes[full->count * KNOTS] =
            descent->gradient->at[MARGIN][0] * descent->logits[MARGIN][0] / positions;
    full->loss = sums.loss / positions;
    return (sums.loss + pulled) / positions;
}

// After each iteration; what is not 0 ends the descent and is its code.
static int end_iteration(void *context, const double *x, const double *slopes, double loss, double x_norm,
                         double slope_norm, double step, int size, int iteration, int evaluations) {
    struct full_descent *full = context;
    (void)slopes, (void)loss, (void)x_norm, (void)slope_norm, (void)step, (void)size, (void)iteration;
    (void)evaluations;
    if (full->failed || interrupted()) return LBFGSERR_CANCELED;
    from_x(full, x, full->descent->logits);
    const double now = clock_seconds();
    full->failed = !descent_end_epoch(full->descent, full->loss, now - full->started, full->error);
    full->started = now;
    return full->failed || descent_is_over(full->descent) ? LBFGSERR_CANCELED : 0;
}

// STAGE iterations. True: that was not the last stage.
static bool run_stage(struct full_descent *full) {
    struct fit_result *result = full->descent->result;
    const int before = result->epochs;
    lbfgs_parameter_t parameters;
    lbfgs_parameter_init(&parameters);
    parameters.m = PAIRS;
    parameters.epsilon = GRADIENT_LIMIT;
    parameters.past = PAST;
    parameters.delta = LOSS_LIMIT;
    parameters.max_iterations = STAGE;
    to_x(full, full->descent->logits, full->x);
    full->started = clock_seconds();
    const int code = lbfgs(full->size, full->x, NULL, evaluate, end_iteration, full, &parameters);
    result->interrupted = interrupted();
    result->converged = code == LBFGS_SUCCESS || code == LBFGS_STOP || code == LBFGS_ALREADY_MINIMIZED;
    if (full->failed || result->interrupted || result->converged) return false;
    // A step that leads no lower: rounding is all that is left, unless it was the first of the stage.
    if (code != LBFGSERR_MAXIMUMITERATION) return result->epochs > before && !descent_is_over(full->descent);
    return !descent_is_over(full->descent);
}

bool descend_by_lbfgs(struct descent *descent, struct error *error) {
    struct full_descent full = {
        .descent = descent,
        .error = error,
        .term = memory_new(TERM_COUNT, sizeof *full.term),
        .unit = memory_new(TERM_COUNT, sizeof *full.unit),
    };
    choose_weights(&full);
    full.x = memory_new_aligned((size_t)full.size, sizeof *full.x);
    while (!descent_is_over(descent) && run_stage(&full) && !full.failed) {
        from_x(&full, full.x, descent->logits);
        full.failed = !descent_keep_state(descent, error);
    }
    free(full.term);
    free(full.unit);
    free(full.x);
    return !full.failed;
}
