// loss.c -- the loss of the regression and its gradient, over many positions on several threads.
//
// Positions go by in blocks. All of a block are looked at; then what the weights say is added up, the slopes
// of the losses are found, and the slopes are added up to the gradient. Tables of windows are large: each is
// gone through for the whole block before the next, and always by the same thread, in whose cache it stays.
// What a man or a king is worth is looked up by its square, so that the terms MAN, TEMPO and KING cost
// nothing: their gradients are sums of those of the squares.

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
    AHEAD = 16,  // positions of a random order that are fetched before they are needed
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
    struct eval_sight sight;
    uint8_t pieces;
    uint8_t eighths[2];  // of its lead that a side keeps that is ahead
    int8_t result;
    float target, drawn, weight;  // of the sample
    double logit;                 // what all weights but those of windows add
    double slope;  // of the loss, by the sum that the shares of the knots make of those at each knot
};

// Rows of a block.
struct span {
    size_t from, to;
};

struct slice {
    struct sums sums;
    struct worth gradient;
};

struct pass {
    struct row row[BLOCK];
    struct table {
        uint16_t view[BLOCK][2];  // White's and Black's
        double logit[BLOCK];      // what its weights add
    } table[MAX_WINDOW_TABLES];
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

ALWAYS_INLINE double share_out(const struct pass *pass, int pieces, const per_knot *sum) {
    const per_knot shared = pass->share[pieces] * *sum;
    return shared[0] + shared[1] + shared[2];
}

static void add_up_few(struct pass *pass, struct span span) {
    for (struct row *row = pass->row + span.from; row < pass->row + span.to; row++) {
        per_knot sum = {0};
        for (int t = FIRST_COUNTED; t < COUNTED_END; t++)
            sum += (double)row->sight.count[t] * pass->worth.counted[t];
        add_squares(pass->worth.man, row->sight.men, &sum);
        add_squares(pass->worth.king, row->sight.kings, &sum);
        row->logit = share_out(pass, row->pieces, &sum);
    }
}

static void add_up_table(struct pass *pass, size_t count, int number, const per_knot *logits) {
    const per_knot *pattern = logits + TERM_PATTERN + number * WINDOW_VIEWS;
    struct table *table = &pass->table[number];
    for (size_t i = 0; i < count; i++) {
        const per_knot sum = pattern[table->view[i][WHITE]] - pattern[table->view[i][BLACK]];
        table->logit[i] = share_out(pass, pass->row[i].pieces, &sum);
    }
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

static void find_slopes(struct pass *pass, struct span span, struct sums *sums) {
    for (size_t i = span.from; i < span.to; i++) {
        struct row *row = &pass->row[i];
        double z = row->logit;
        for (int t = 0; t < pass->tables; t++) z += pass->table[t].logit[i];
        const double scale = row->eighths[z < 0 ? BLACK : WHITE] / 8.0;
        z *= scale;
        const double weight = (double)row->weight, target = (double)row->target;
        const struct loss loss = pass->margin > 0
                                     ? ordered_cross_entropy(z, pass->margin, target, (double)row->drawn)
                                     : cross_entropy(z, target);
        sums->loss += weight * loss.value;
        sums->margin_slope += weight * loss.margin_slope;
        sums->decided += row->result != 0;
        sums->foreseen += (z > 0 && row->result > 0) || (z < 0 && row->result < 0);
        row->slope = weight * loss.slope * scale;
    }
}

// ---- Backward: from slopes to the gradient ----

ALWAYS_INLINE void add_to_squares(per_knot *gradient, const bitboard squares[static 2],
                                  const per_knot *slope) {
    for (bitboard b = squares[WHITE]; b; b = bits_without_lowest(b)) gradient[bits_first(b)] += *slope;
    for (bitboard b = squares[BLACK]; b; b = bits_without_lowest(b)) gradient[bits_first(b)] -= *slope;
}

// What the rows say about all weights but those of windows.
static void add_few(const struct pass *pass, struct span span, struct worth *gradient) {
    for (const struct row *row = pass->row + span.from; row < pass->row + span.to; row++) {
        const per_knot slope = row->slope * pass->share[row->pieces];
        add_to_squares(gradient->man, row->sight.men, &slope);
        add_to_squares(gradient->king, row->sight.kings, &slope);
        for (int t = FIRST_COUNTED; t < COUNTED_END; t++)
            gradient->counted[t] += (double)row->sight.count[t] * slope;
    }
}

ALWAYS_INLINE void touch(struct touched *touched, uint16_t view) {
    // A place of the list is written in any case: no branch has to be foreseen.
    touched->view[touched->count] = view;
    touched->count += !touched->is_touched[view];
    touched->is_touched[view] = true;
}

// What the rows say about the weights of one table.
static void add_table(const struct pass *pass, size_t count, int number, struct gradient *gradient) {
    per_knot *at = gradient->at + TERM_PATTERN + number * WINDOW_VIEWS;
    for (size_t i = 0; i < count; i++) {
        const uint16_t *view = pass->table[number].view[i];
        if (view[WHITE] == view[BLACK]) continue;
        const per_knot slope = pass->row[i].slope * pass->share[pass->row[i].pieces];
        touch(&gradient->table[number], view[WHITE]);
        touch(&gradient->table[number], view[BLACK]);
        at[view[WHITE]] += slope;
        at[view[BLACK]] -= slope;
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

// Samples lie about in memory, so that each is fetched once.
static void look_at(struct pass *pass, const struct batch *batch, struct span span) {
    for (size_t i = span.from; i < span.to; i++) {
        if (i + AHEAD < span.to) {
            const struct sample *next = sample_at(batch, i + AHEAD);
            __builtin_prefetch(next);
            __builtin_prefetch((const char *)(next + 1) - 1);
        }
        const struct sample *sample = sample_at(batch, i);
        const struct position *p = &sample->position;
        struct row *row = &pass->row[i];
        eval_look(pass->variant, p, &row->sight);
        for (int t = 0; t < pass->tables; t++)
            memcpy(pass->table[t].view[i], row->sight.view[t], sizeof row->sight.view[t]);
        row->pieces = (uint8_t)bits_count(p->pieces[WHITE] | p->pieces[BLACK]);
        for (enum side side = WHITE; side <= BLACK; side++)
            row->eighths[side] = p->kings ? (uint8_t)eval_scale(pass->variant, p, side) : 8;
        row->result = sample->result;
        row->target = sample->target;
        row->drawn = sample->drawn;
        row->weight = sample->weight;
    }
}

static int slices_of(size_t count) {
    const size_t slices = count / LEAST_SLICE;
    return slices < 1 ? 1 : slices > MOST_SLICES ? MOST_SLICES : (int)slices;
}

static struct span span_of(size_t count, int slices, int slice) {
    const size_t parts = (size_t)slices, s = (size_t)slice;
    return (struct span){s * count / parts, (s + 1) * count / parts};
}

// Loops over tables are shared out in the same way each time; who has fewer of them does more of the slices.
static void pass_block(struct pass *pass, const struct batch *batch, int slices, const per_knot *logits,
                       struct gradient *gradient) {
    const size_t count = batch->count;
    const int tables = pass->tables;
#pragma omp parallel num_threads(pass->threads)
    {
#pragma omp for schedule(dynamic)
        for (int s = 0; s < slices; s++) look_at(pass, batch, span_of(count, slices, s));
#pragma omp for schedule(static) nowait
        for (int t = 0; t < tables; t++) add_up_table(pass, count, t, logits);
#pragma omp for schedule(dynamic)
        for (int s = 0; s < slices; s++) add_up_few(pass, span_of(count, slices, s));
#pragma omp for schedule(dynamic)
        for (int s = 0; s < slices; s++) find_slopes(pass, span_of(count, slices, s), &pass->slice[s].sums);
        if (gradient != NULL) {
#pragma omp for schedule(static) nowait
            for (int t = 0; t < tables; t++) add_table(pass, count, t, gradient);
#pragma omp for schedule(dynamic)
            for (int s = 0; s < slices; s++)
                add_few(pass, span_of(count, slices, s), &pass->slice[s].gradient);
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
