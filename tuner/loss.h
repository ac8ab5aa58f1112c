// loss.h -- what the regression makes smaller: the cross entropy of expectations and targets, and its
// gradient.
//
// The same samples in the same order give the same sums, bit by bit, for any number of threads.
#ifndef HUFF_TUNER_LOSS_H
#define HUFF_TUNER_LOSS_H

#include "search/eval.h"
#include "tuner/samples.h"

// The weights of a term in logits, one at each of KNOTS knots. The last place makes up the width of a vector
// register, and is 0.
typedef double per_knot __attribute__((vector_size(32), aligned(8)));
enum { LANES = sizeof(per_knot) / sizeof(double) };
per_knot *per_knot_new(size_t count) __attribute__((malloc, returns_nonnull));  // zero; free()

// Lists of logits have one number more than there are terms, the first of logits[MARGIN]. Where it is 0, a
// draw is half a win. Otherwise draws are told apart (an ordered logit): of z = the sum for White,
//     P(White wins) = logistic(z - margin), P(Black wins) = logistic(-z - margin), the rest are draws.
enum { MARGIN = TERM_COUNT, LOGIT_COUNT };

enum { FEW = TERM_PATTERN };  // terms before it have few weights, and most positions have a say in them

// Of which few windows' weights are not zero: those of the views that are touched.
struct gradient {
    per_knot *at;  // [LOGIT_COUNT]
    struct touched {
        int count;
        uint16_t view[WINDOW_VIEWS + 1];  // a place more than there are, that touching may write to
        bool is_touched[WINDOW_VIEWS];
    } table[MAX_WINDOW_TABLES];
};
struct gradient *gradient_new(void);  // zero
void gradient_free(struct gradient *);

double logistic(double z);
double softplus(double z);  // log(1 + exp(z)), without overflow

struct sums {
    double loss, margin_slope;
    uint64_t decided, foreseen;  // positions of games that one side won, and those in which it was ahead
};

void sums_add(struct sums *, const struct sums *more);

// Room to work in.
struct pass *pass_new(const struct variant *, int threads) __attribute__((warn_unused_result));
void pass_free(struct pass *);

// Over the samples that order[first .. first + count - 1] lists by number (NULL: 0, 1, ...); the gradient is
// added to `gradient` unless NULL. logits[LOGIT_COUNT].
struct sums pass_over(struct pass *, const struct samples *, const uint32_t *order, size_t first,
                      size_t count, const per_knot *logits, struct gradient *gradient);

#endif
