// fit.h -- weights by logistic regression: the evaluation that predicts the results of games best.
//
// White's expected score of a position is p = 1 / (1 + exp(-z)) with z = sum of logit[t] * feature_t: the
// terms of the engine's evaluation (eval.h) in logits in place of centipawns. Minimised over the training
// games is the sum over positions of the cross entropy between p and a target, plus for each term a pull
// towards the starting weights:
//
//     target = (1 - lambda) * result + lambda * 1 / (1 + exp(-score / c))       result 0, 1/2, 1
//     pull   = l2[group] / 2 * (logit[t] - start[t])^2                        as many positions' worth
//
// with c the centipawns of a logit that suit the searches' scores best. The sum is convex; AdaGrad (Duchi,
// Hazan and Singer, 2011) goes down it in mini-batches.
//
// Scale. Logits have the scale that games give them, searches expect a man of 100 centipawns. So the fit runs
// freely in logits, and then all weights are multiplied by one number that makes the average man on the
// boards fitted to worth 100. What a piece is worth on average goes to MAN and KING, so that the square
// tables average 0; a square that no piece was seen on has 0.
#ifndef HUFF_TUNER_FIT_H
#define HUFF_TUNER_FIT_H

#include "search/eval.h"
#include "tuner/samples.h"

// The terms as groups of weights: one for each line of FOR_EACH_TERM.
enum term_group {
#define X(name, size, text) GROUP_##name,
    FOR_EACH_TERM(X)
#undef X
        GROUP_COUNT
};
struct term_group_info {
    const char *name, *text;
    int first, count;  // weights; squares beyond the variant's board are always 0
};
extern const struct term_group_info term_groups[GROUP_COUNT];

struct fit_settings {
    struct sample_choice choice;
    double lambda;           // 0..1: how much of the target is the search's score
    double l2[GROUP_COUNT];  // the pull of each group of terms
    double rate;             // AdaGrad's step in logits; that of epoch n is rate / sqrt(n)
    int batch;               // positions between two steps
    int epochs;              // at most
    int patience;            // epochs without a better validation loss before it ends
    uint64_t seed;           // of the order of positions
    int threads;
};

// One line of the table. Losses are mean cross entropies in nats; the training loss of an epoch is taken
// while the weights change, the validation loss after it.
struct fit_epoch {
    int epoch;
    double positions_per_second;
    double loss[2];  // by enum split
    bool best;       // so far
};
typedef void fit_report(void *context, const struct fit_epoch *);

struct fit_result {
    struct weights weights;         // of the best epoch
    int epochs, best;               // epochs run, and the one that was kept (0 = the start)
    bool interrupted;               // by SIGINT or SIGTERM
    double start_loss[PART_COUNT];  // of the starting weights at the scale that suits them best
    double loss[PART_COUNT];        // of the best epoch; NAN for a part without positions
    double centipawns_per_logit;    // of the fitted weights
    int weights_seen;               // that some training position has a say in
    uint64_t support[TERM_COUNT];   // pieces (for TURN: positions) that each weight was fitted to
};

// Fits to the part train of `sets` (whose targets it sets) and stops by the part validation. The same
// settings and samples give the same weights, bit by bit, for any number of threads. Fails with one line: no
// positions to train on or to validate with, nothing but draws, games in which material does not count.
bool fit_weights(struct sample_sets *sets, const struct weights *start, const struct fit_settings *,
                 fit_report *report, void *context, struct fit_result *, struct error *)
    __attribute__((warn_unused_result));

// ---- the parts of it that tests and other commands need ----

// Weights in logits, from centipawns at `centipawns_per_logit`.
void fit_logits(const struct weights *, double centipawns_per_logit, double logits[static TERM_COUNT]);

// The sum over samples of the cross entropy, and its gradient added up in gradient[TERM_COUNT] unless NULL.
// `order` (NULL: 0, 1, ...) lists the samples by number.
double fit_loss(const struct variant *, const struct samples *, const uint32_t *order, size_t count,
                const double logits[static TERM_COUNT], double *gradient, int threads);

// The number of centipawns that make a logit, so that the evaluation by these weights predicts the results
// best. False when there is no such number: the better score does not win more.
bool fit_scale_of_weights(const struct weights *, const struct samples *, double *centipawns_per_logit)
    __attribute__((warn_unused_result));

#endif
