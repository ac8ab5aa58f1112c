// loss.c -- the loss of the regression and its gradient, over many positions on several threads.
//
// Positions go by in blocks: first all of a block are looked at and the slopes of their losses are found,
// then the slopes are added up, weight by weight. What a man or a king is worth is looked up by its square,
// so that the terms MAN, TEMPO and KING cost nothing: their gradients are sums of those of the squares.

#include "tuner/loss.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/memory.h"

enum {
    BLOCK = 4096,  // positions
    // A block is shared out in slices by its size, not by the number of threads; what they give is added up
    // in their order, and what falls to a window's table is added by one thread in the order of positions:
    // sums of floating-point numbers depend on their order.
    MOST_SLICES = 16,
    LEAST_SLICE = 64,
    AHEAD = 8,  // positions of a random order that are fetched before they are needed
};

double logistic(double z) { return 1 / (1 + exp(-z)); }

// ---- Weights and gradients by squares ----

// What is looked up for a position but for the views of windows, or its gradient.
struct worth {
    per_knot man[64], king[64];     // on a square, seen by the owner
    per_knot counted[COUNTED_END];  // from FIRST_COUNTED on
};

static void set_worth(const struct variant *variant, const per_knot *logits, struct worth *worth) {
    const int width = variant->rules->width;
    for (int number = 1; number <= board_squares(width); number++) {
        const square s = board_square(width, number);
        const double rows = width - 1 - board_rank_from_top(width, s);
        worth->man[s] = logits[TERM_MAN] + rows * logits[TERM_TEMPO] + logits[TERM_MAN_SQUARE + number - 1];
        worth->king[s] = logits[TERM_KING] + logits[TERM_KING_SQUARE + number - 1];
    }
    memcpy(worth->counted, logits, sizeof worth->counted);
}

static void add_gradient(const struct variant *variant, const struct worth *worth, per_knot *gradient) {
    const int width = variant->rules->width;
    for (int number = 1; number <= board_squares(width); number++) {
        const square s = board_square(width, number);
        const double rows = width - 1 - board_rank_from_top(width, s);
        gradient[TERM_MAN] += worth->man[s];
        gradient[TERM_TEMPO] += rows * worth->man[s];
        gradient[TERM_MAN_SQUARE + number - 1] += worth->man[s];
        gradient[TERM_KING] += worth->king[s];
        gradient[TERM_KING_SQUARE + number - 1] += worth->king[s];
    }
    for (int t = FIRST_COUNTED; t < COUNTED_END; t++) gradient[t] += worth->counted[t];
}

// ---- Room ----

// A position as the regression sees it.
struct row {
    per_knot slope;  // of the loss by the sum of features at each knot
    struct eval_sight sight;
};

struct slice {
    struct sums sums;
    struct worth gradient;
};

struct pass {
    struct row row[BLOCK];
    struct slice slice[MOST_SLICES];
    struct worth worth;                    // by the weights of this pass
    per_knot share[2 * MAX_CAPTURED + 1];  // of each knot, by the number of pieces
    double margin;
    const struct variant *variant;
    int threads, tables;
};

struct pass *pass_new(const struct variant *variant, int threads) {
    struct pass *pass = memory_new_aligned(1, sizeof *pass);
    pass->variant = variant;
    pass->threads = threads;
    pass->tables = window_tables(variant->rules->width);
    for (int pieces = 0; pieces <= 2 * MAX_CAPTURED; pieces++) {
        const struct eval_shares shares = eval_shares_of(variant, pieces);
        for (int k = 0; k < KNOTS; k++) pass->share[pieces][k] = (double)shares.of[k] / EVAL_WHOLE;
    }
    return pass;
}

void pass_free(struct pass *pass) { free(pass); }

per_knot *per_knot_new(size_t count) { return memory_new_aligned(count, sizeof(per_knot)); }

struct gradient *gradient_new(void) {
    struct gradient *gradient = memory_new(1, sizeof *gradient);
    gradient->at = per_knot_new(LOGIT_COUNT);
    return gradient;
}

void gradient_free(struct gradient *gradient) {
    if (gradient == NULL) return;
    free(gradient->at);
    free(gradient);
}

// ---- Forward: from positions to slopes ----

ALWAYS_INLINE void add_squares(const per_knot *worth, const bitboard squares[static 2], per_knot *sum) {
    for (bitboard b = squares[WHITE]; b; b = bits_without_lowest(b)) *sum += worth[bits_first(b)];
    for (bitboard b = squares[BLACK]; b; b = bits_without_lowest(b)) *sum -= worth[bits_first(b)];
}

// The sum of a position's features at each knot.
ALWAYS_INLINE void add_up(const struct pass *pass, const per_knot *logits, const struct eval_sight *sight,
                          per_knot *sum) {
    for (int t = FIRST_COUNTED; t < COUNTED_END; t++)
        *sum += (double)sight->count[t] * pass->worth.counted[t];
    add_squares(pass->worth.man, sight->men, sum);
    add_squares(pass->worth.king, sight->kings, sum);
    const per_knot *pattern = logits + TERM_PATTERN;
    for (int table = 0; table < pass->tables; table++, pattern += WINDOW_VIEWS)
        *sum += pattern[sight->view[table][WHITE]] - pattern[sight->view[table][BLACK]];
}

struct loss {
    double value, slope, margin_slope;
};

// Of an expectation p = logistic(z) and a target y: -y log p - (1 - y) log (1 - p), without overflow.
ALWAYS_INLINE struct loss cross_entropy(double z, double y) {
    const double e = exp(-fabs(z)), p = (z > 0 ? 1 : e) / (1 + e);
    return (struct loss){.value = (z > 0 ? z : 0) + log(1 + e) - y * z, .slope = p - y};
}

double softplus(double x) { return (x > 0 ? x : 0) + log1p(exp(-fabs(x))); }

// The same with three outcomes. P(draw) = logistic(z + m) - logistic(z - m)
// = logistic(z + m) * (1 - logistic(z - m)) * (1 - exp(-2m)), which keeps its digits for small margins m.
static struct loss ordered_cross_entropy(double z, double m, double expected, double drawn) {
    const double won = expected - drawn / 2, lost = 1 - expected - drawn / 2;
    const double upper = logistic(z - m), lower = logistic(z + m);
    return (struct loss){
        .value = won * softplus(m - z) + lost * softplus(z + m) +
                 drawn * (softplus(-z - m) + softplus(z - m) - log(-expm1(-2 * m))),
        .slope = upper * (won + drawn) + lower * (lost + drawn) - (won + drawn),
        .margin_slope = won * (1 - upper) + lost * lower - drawn * (1 - lower + upper + 2 / expm1(2 * m)),
    };
}

static void find_slope(const struct pass *pass, const struct sample *sample, const per_knot *logits,
                       struct row *row, struct sums *sums) {
    const struct position *p = &sample->position;
    const per_knot *share = &pass->share[bits_count(p->pieces[WHITE] | p->pieces[BLACK])];
    per_knot sum = {0};
    add_up(pass, logits, &row->sight, &sum);
    sum *= *share;
    double z = sum[0] + sum[1] + sum[2];
    const double scale = p->kings ? eval_scale(pass->variant, p, z < 0 ? BLACK : WHITE) / 8.0 : 1;
    z *= scale;
    const double weight = (double)sample->weight, target = (double)sample->target;
    const struct loss loss = pass->margin > 0
                                 ? ordered_cross_entropy(z, pass->margin, target, (double)sample->drawn)
                                 : cross_entropy(z, target);
    sums->loss += weight * loss.value;
    sums->margin_slope += weight * loss.margin_slope;
    sums->decided += sample->result != 0;
    sums->foreseen += (z > 0 && sample->result > 0) || (z < 0 && sample->result < 0);
    row->slope = weight * loss.slope * scale * *share;
}

// ---- Backward: from slopes to the gradient ----

ALWAYS_INLINE void add_to_squares(per_knot *gradient, const bitboard squares[static 2],
                                  const per_knot *slope) {
    for (bitboard b = squares[WHITE]; b; b = bits_without_lowest(b)) gradient[bits_first(b)] += *slope;
    for (bitboard b = squares[BLACK]; b; b = bits_without_lowest(b)) gradient[bits_first(b)] -= *slope;
}

// What the rows say about all weights but those of windows.
static void add_few(const struct row *rows, size_t count, struct worth *gradient) {
    for (const struct row *row = rows; row < rows + count; row++) {
        add_to_squares(gradient->man, row->sight.men, &row->slope);
        add_to_squares(gradient->king, row->sight.kings, &row->slope);
        for (int t = FIRST_COUNTED; t < COUNTED_END; t++)
            gradient->counted[t] += (double)row->sight.count[t] * row->slope;
    }
}

ALWAYS_INLINE void touch(struct touched *touched, uint16_t view) {
    // A place of the list is written in any case: no branch has to be foreseen.
    touched->view[touched->count] = view;
    touched->count += !touched->is_touched[view];
    touched->is_touched[view] = true;
}

// What the rows say about the weights of one table.
static void add_table(const struct row *rows, size_t count, int table, struct gradient *gradient) {
    per_knot *at = gradient->at + TERM_PATTERN + table * WINDOW_VIEWS;
    for (const struct row *row = rows; row < rows + count; row++) {
        const uint16_t *view = row->sight.view[table];
        if (view[WHITE] == view[BLACK]) continue;
        touch(&gradient->table[table], view[WHITE]);
        touch(&gradient->table[table], view[BLACK]);
        at[view[WHITE]] += row->slope;
        at[view[BLACK]] -= row->slope;
    }
}

// ---- Over many positions ----

// Samples that `order` lists by number.
struct batch {
    const struct sample *sample;
    const uint32_t *order;
    size_t first, count;
};

static const struct sample *sample_at(const struct batch *batch, size_t i) {
    return &batch->sample[batch->order != NULL ? batch->order[batch->first + i] : batch->first + i];
}

static void look_at(struct pass *pass, const struct batch *batch, size_t from, size_t to,
                    const per_knot *logits, struct sums *sums) {
    for (size_t i = from; i < to; i++) {
        if (i + AHEAD < to) __builtin_prefetch(sample_at(batch, i + AHEAD));
        eval_look(pass->variant, &sample_at(batch, i)->position, &pass->row[i].sight);
    }
    for (size_t i = from; i < to; i++) find_slope(pass, sample_at(batch, i), logits, &pass->row[i], sums);
}

static int slices_of(size_t count) {
    const size_t slices = count / LEAST_SLICE;
    return slices < 1 ? 1 : slices > MOST_SLICES ? MOST_SLICES : (int)slices;
}

static void pass_block(struct pass *pass, const struct batch *batch, int slices, const per_knot *logits,
                       struct gradient *gradient) {
    const size_t count = batch->count, parts = (size_t)slices;
    const int tables = pass->tables;
#pragma omp parallel num_threads(pass->threads)
    {
#pragma omp for schedule(dynamic)
        for (size_t s = 0; s < parts; s++)
            look_at(pass, batch, s * count / parts, (s + 1) * count / parts, logits, &pass->slice[s].sums);
        if (gradient != NULL) {
#pragma omp for schedule(dynamic)
            for (int i = 0; i < tables + slices; i++) {
                const size_t s = (size_t)(i - tables), from = s * count / parts;
                if (i < tables)
                    add_table(pass->row, count, i, gradient);
                else
                    add_few(pass->row + from, (s + 1) * count / parts - from, &pass->slice[s].gradient);
            }
        }
    }
}

void sums_add(struct sums *sums, const struct sums *more) {
    sums->loss += more->loss;
    sums->margin_slope += more->margin_slope;
    sums->decided += more->decided;
    sums->foreseen += more->foreseen;
}

struct sums pass_over(struct pass *pass, const struct samples *samples, const uint32_t *order, size_t first,
                      size_t count, const per_knot *logits, struct gradient *gradient) {
    const int slices = slices_of(count < BLOCK ? count : BLOCK);
    set_worth(pass->variant, logits, &pass->worth);
    pass->margin = logits[MARGIN][0];
    memset(pass->slice, 0, (size_t)slices * sizeof *pass->slice);
    for (size_t done = 0; done < count; done += BLOCK) {
        const struct batch batch = {samples->sample, order, first + done,
                                    count - done < BLOCK ? count - done : BLOCK};
        pass_block(pass, &batch, slices, logits, gradient);
    }
    struct sums sums = {0};
    for (int s = 0; s < slices; s++) {
        sums_add(&sums, &pass->slice[s].sums);
        if (gradient != NULL) add_gradient(pass->variant, &pass->slice[s].gradient, gradient->at);
    }
    if (gradient != NULL) gradient->at[MARGIN][0] += sums.margin_slope;
    return sums;
}
