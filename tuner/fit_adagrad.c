// fit_adagrad.c -- down the loss in mini-batches: AdaGrad (Duchi, Hazan and Singer, 2011).

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "core/support/clock.h"
#include "core/support/memory.h"
#include "core/support/progress.h"
#include "tuner/fit_descent.h"

#define SMALL 1e-300  // changes no sum, and 0 / SMALL is 0

// A step against the gradient of one weight, which is 0 afterwards; `pull` is how much of the pull of a whole
// pass over the positions belongs to it.
static void step_weight(struct descent *descent, int t, double l2, double pull, double rate) {
    per_knot *gradient = &descent->gradient->at[t], *squares = &descent->squares[t],
             *logit = &descent->logits[t];
    const per_knot slope = *gradient + l2 * pull * (*logit - descent->start[t]);
    *squares += slope * slope;
    per_knot root;
    for (int k = 0; k < LANES; k++) root[k] = sqrt((*squares)[k]) + SMALL;
    *logit -= rate * slope / root;
    *gradient = (per_knot){0};
}

// Draws that are told apart stay so.
static void step_margin(struct descent *descent, double rate) {
    per_knot *margin = &descent->logits[MARGIN];
    if ((*margin)[0] == 0) return;
    step_weight(descent, MARGIN, 0, 0, rate);
    if ((*margin)[0] < LEAST_MARGIN) (*margin)[0] = LEAST_MARGIN;
}

static void step_few(struct descent *descent, double pull, double rate) {
    for (int group = 0; group < GROUP_PATTERN; group++) {
        const double l2 = descent->settings->l2[group];
        const struct term_group_info *info = &term_groups[group];
        for (int t = info->first; t < info->first + info->count; t++) {
            if (l2 >= HELD)
                descent->gradient->at[t] = (per_knot){0};
            else
                step_weight(descent, t, l2, pull, rate);
        }
    }
}

// The weights of one table that the batch says something about. The pull of the batches before in which they
// were not seen is made up for.
static void step_table(struct descent *descent, int table, double rate) {
    struct touched *touched = &descent->gradient->table[table];
    const double l2 = descent->settings->l2[GROUP_PATTERN];
    const double positions = (double)descent->sets->part[SPLIT_TRAIN].chosen;
    for (int i = 0; i < touched->count; i++) {
        const int view = touched->view[i], t = TERM_PATTERN + table * WINDOW_VIEWS + view;
        touched->is_touched[view] = false;
        if (l2 >= HELD) {
            descent->gradient->at[t] = (per_knot){0};
            continue;
        }
        uint64_t *pulled = &descent->pulled[t - TERM_PATTERN];
        step_weight(descent, t, l2, (double)(descent->seen - *pulled) / positions, rate);
        *pulled = descent->seen;
    }
    touched->count = 0;
}

static void step(struct descent *descent, size_t batch, double rate) {
    const int tables = window_tables(descent->sets->variant->rules->width);
    descent->seen += batch;
    step_margin(descent, rate);
    step_few(descent, (double)batch / (double)descent->sets->part[SPLIT_TRAIN].chosen, rate);
#pragma omp parallel for num_threads(descent->settings->threads) schedule(static)
    for (int table = 0; table < tables; table++) step_table(descent, table, rate);
}

// The positions that are in memory, in the order drawn. *loss is the sum of their losses on the way. False:
// interrupted.
static bool run_load(struct descent *descent, struct random *random, double rate, struct progress *progress,
                     double *loss) {
    const struct samples *train = &descent->sets->part[SPLIT_TRAIN];
    const size_t batch = (size_t)descent->settings->batch;
    uint32_t *order = memory_new(train->count, sizeof *order);
    samples_order(order, train->count, random);
    size_t first = 0;
    while (first < train->count && !interrupted()) {
        const size_t left = train->count - first, count = left < batch ? left : batch;
        *loss +=
            pass_over(descent->pass, train, order, first, count, descent->logits, descent->gradient).loss;
        step(descent, count, rate);
        progress_step(progress, count);
        first += count;
    }
    free(order);
    return first == train->count;
}

// Once over the training positions. Every epoch has a stream of random numbers of its own: its order does not
// depend on those before. *loss is their mean loss on the way.
static bool run_epoch(struct descent *descent, int epoch, double *loss, struct error *error) {
    const struct fit_settings *settings = descent->settings;
    struct sample_sets *sets = descent->sets;
    const uint64_t positions = sets->part[SPLIT_TRAIN].chosen;
    char *title = memory_text("epoch %d of %d at most", epoch, settings->epochs);
    struct progress *progress = progress_start(title, "positions", positions, !settings->show_progress);
    struct random random = random_stream(settings->seed, (uint64_t)epoch);
    bool good, more;
    *loss = 0;
    samples_rewind(sets, settings->seed, (uint64_t)epoch);
    while ((good = samples_next(sets, &more, error)) && more) {
        if (sets->stream != NULL) descent_set_targets(descent);
        if (!run_load(descent, &random, settings->rate / sqrt(epoch), progress, loss)) break;
    }
    *loss /= (double)positions;
    progress_drop(progress);
    free(title);
    return good;
}

bool descend_by_adagrad(struct descent *descent, struct error *error) {
    while (!descent_is_over(descent)) {
        double loss;
        const double start = clock_seconds();
        if (!run_epoch(descent, descent->result->epochs + 1, &loss, error)) return false;
        descent->result->interrupted = interrupted();
        if (descent->result->interrupted) return true;
        if (!descent_end_epoch(descent, loss, clock_seconds() - start, error) ||
            !descent_keep_state(descent, error))
            return false;
    }
    return true;
}
