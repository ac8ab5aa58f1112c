// loss.c -- the loss of the regression and its gradient, over many positions on several threads.

#include "tuner/loss.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/memory.h"

enum {
    // Positions that are looked at together, in this many slices however many threads share them. What the
    // slices give is added up in their order, and what falls to a window's table by one thread in the order
    // of
    // positions: sums of floating-point numbers depend on their order.
    BLOCK = 4096,
    SLICES = 16,
    NOTHING_SEEN = WINDOW_VIEWS,
};

double logistic(double z) { return 1 / (1 + exp(-z)); }

// Of a target y and an expectation logistic(z): -y log p - (1 - y) log (1 - p), without overflow.
static double cross_entropy(double z, double y) { return (z > 0 ? z : 0) + log1p(exp(-fabs(z))) - y * z; }

// A position as the regression sees it.
struct row {
    double slope[KNOTS];  // of the loss by the sum of features at each knot
    int count;
    struct feature feature[MAX_FEATURES];  // all but those of windows
    uint16_t view[MAX_WINDOW_TABLES][2];   // seen by White and by Black; NOTHING_SEEN where they see the same
};

struct slice {
    double loss;
    uint64_t decided, foreseen;  // positions of games that one side won, and those in which it was ahead
    struct knots gradient[FEW];
};

struct pass {
    const struct variant *variant;
    int threads;
    struct row row[BLOCK];
    struct slice slice[SLICES];
};

struct pass *pass_new(const struct variant *variant, int threads) {
    struct pass *pass = memory_new(1, sizeof *pass);
    pass->variant = variant;
    pass->threads = threads;
    return pass;
}

void pass_free(struct pass *pass) { free(pass); }

struct gradient *gradient_new(void) {
    struct gradient *gradient = memory_new(1, sizeof *gradient);
    gradient->at = memory_new(TERM_COUNT, sizeof *gradient->at);
    return gradient;
}

void gradient_free(struct gradient *gradient) {
    if (gradient == NULL) return;
    free(gradient->at);
    free(gradient);
}

static void see(const struct variant *variant, const struct position *position, struct row *row) {
    struct feature features[MAX_FEATURES];
    const int count = eval_features(variant, position, features);
    int i = 0;
    while (i < count && features[i].term < FEW) i++;
    row->count = i;
    memcpy(row->feature, features, (size_t)i * sizeof *features);
    for (int table = 0; table < MAX_WINDOW_TABLES; table++) row->view[table][0] = NOTHING_SEEN;
    for (; i < count; i++) {  // both sides of a window, one after the other
        const int view = features[i].term - TERM_PATTERN;
        row->view[view / WINDOW_VIEWS][features[i].count < 0] = (uint16_t)(view % WINDOW_VIEWS);
    }
}

static void add_sums(const struct row *row, const struct knots *logits, double sum[static KNOTS]) {
    for (int i = 0; i < row->count; i++)
        for (int k = 0; k < KNOTS; k++) sum[k] += logits[row->feature[i].term].at[k] * row->feature[i].count;
    for (int table = 0; table < MAX_WINDOW_TABLES; table++) {
        if (row->view[table][0] == NOTHING_SEEN) continue;
        const struct knots *tables = logits + TERM_PATTERN + table * WINDOW_VIEWS;
        const struct knots *white = &tables[row->view[table][0]], *black = &tables[row->view[table][1]];
        for (int k = 0; k < KNOTS; k++) sum[k] += white->at[k] - black->at[k];
    }
}

// z, and how much of it the sum of features at each knot is.
static double expect(const struct variant *variant, const struct position *position,
                     const struct knots *logits, struct row *row, double share[static KNOTS]) {
    double sum[KNOTS] = {0}, z = 0;
    see(variant, position, row);
    add_sums(row, logits, sum);
    const struct eval_shares shares = eval_shares(variant, position);
    for (int k = 0; k < KNOTS; k++) z += sum[k] * shares.of[k] / EVAL_WHOLE;
    const double scale = eval_scale(variant, position, z < 0 ? BLACK : WHITE) / 8.0;
    for (int k = 0; k < KNOTS; k++) share[k] = scale * shares.of[k] / EVAL_WHOLE;
    return scale * z;
}

static void look_at(const struct variant *variant, const struct sample *sample, const struct knots *logits,
                    struct row *row, struct slice *slice) {
    double share[KNOTS];
    const double z = expect(variant, &sample->position, logits, row, share), y = (double)sample->target;
    const double slope = (double)sample->weight * (logistic(z) - y);
    slice->loss += (double)sample->weight * cross_entropy(z, y);
    slice->decided += sample->result != 0;
    slice->foreseen += (z > 0 && sample->result > 0) || (z < 0 && sample->result < 0);
    for (int k = 0; k < KNOTS; k++) row->slope[k] = slope * share[k];
    for (int i = 0; i < row->count; i++)
        for (int k = 0; k < KNOTS; k++)
            slice->gradient[row->feature[i].term].at[k] += row->slope[k] * row->feature[i].count;
}

static void touch(struct touched *touched, int view) {
    if (touched->is_touched[view]) return;
    touched->is_touched[view] = true;
    touched->view[touched->count++] = (uint16_t)view;
}

// What the rows say about the weights of one table.
static void add_table(const struct row *rows, size_t count, int table, struct gradient *gradient) {
    struct knots *at = gradient->at + TERM_PATTERN + table * WINDOW_VIEWS;
    for (size_t i = 0; i < count; i++) {
        const uint16_t *view = rows[i].view[table];
        if (view[0] == NOTHING_SEEN) continue;
        touch(&gradient->table[table], view[0]);
        touch(&gradient->table[table], view[1]);
        for (int k = 0; k < KNOTS; k++) {
            at[view[0]].at[k] += rows[i].slope[k];
            at[view[1]].at[k] -= rows[i].slope[k];
        }
    }
}

// Samples that `order` lists by number.
static void pass_block(struct pass *pass, const struct sample *sample, const uint32_t *order, size_t first,
                       size_t count, const struct knots *logits, struct gradient *gradient) {
    const int tables = window_tables(pass->variant->rules->width);
#pragma omp parallel num_threads(pass->threads)
    {
#pragma omp for schedule(static)
        for (size_t s = 0; s < SLICES; s++) {
            for (size_t i = s * count / SLICES; i < (s + 1) * count / SLICES; i++) {
                const size_t number = order != NULL ? order[first + i] : first + i;
                look_at(pass->variant, &sample[number], logits, &pass->row[i], &pass->slice[s]);
            }
        }
        if (gradient != NULL) {
#pragma omp for schedule(dynamic)
            for (int table = 0; table < tables; table++) add_table(pass->row, count, table, gradient);
        }
    }
}

struct sums pass_over(struct pass *pass, const struct samples *samples, const uint32_t *order, size_t first,
                      size_t count, const struct knots *logits, struct gradient *gradient) {
    memset(pass->slice, 0, sizeof pass->slice);
    for (size_t i = 0; i < count; i += BLOCK)
        pass_block(pass, samples->sample, order, first + i, count - i < BLOCK ? count - i : BLOCK, logits,
                   gradient);
    struct sums sums = {0};
    for (int s = 0; s < SLICES; s++) {
        const struct slice *slice = &pass->slice[s];
        sums.loss += slice->loss;
        sums.decided += slice->decided;
        sums.foreseen += slice->foreseen;
        for (int t = 0; gradient != NULL && t < FEW; t++)
            for (int k = 0; k < KNOTS; k++) gradient->at[t].at[k] += slice->gradient[t].at[k];
    }
    return sums;
}
