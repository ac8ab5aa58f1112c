// fit.h -- weights by logistic regression: the evaluation that predicts the results of games best.
//
// White's expected score of a position is p = 1 / (1 + exp(-z)) with z = sum of share_k * logit[t][k] *
// feature_t: the evaluation of the engine (eval.h) in logits in place of centipawns. Minimised over the
// training games is the sum over positions of the cross entropy between p and a target, plus for each weight
// a pull towards the starting weights:
//
//     target = (1 - lambda) * result + lambda * 1 / (1 + exp(-score / c))       result 0, 1/2, 1
//     pull   = l2[group] / 2 * (logit[t][k] - start[t][k])^2                    as many positions' worth
//
// with c the centipawns of a logit that suit the searches' scores best. The sum is convex but for the scale
// of drawish material, which depends on who is ahead; AdaGrad (Duchi, Hazan and Singer, 2011) goes down it in
// mini-batches.
//
// Scale. Logits have the scale that games give them, searches expect a man of 100 centipawns. So the fit runs
// freely in logits, and then all weights are multiplied by one number that makes the average man on the
// boards fitted to worth 100. What a piece is worth on average at a knot goes to MAN and KING, so that the
// square tables average 0; a square that no piece was seen on has 0.
#ifndef HUFF_TUNER_FIT_H
#define HUFF_TUNER_FIT_H

#include "tuner/loss.h"

// The terms as groups of weights: one for each line of FOR_EACH_TERM.
enum term_group {
#define X(name, size, text) GROUP_##name,
    FOR_EACH_TERM(X)
#undef X
        GROUP_COUNT
};
struct term_group_info {
    const char *name, *text;
    int first, count;  // weights; what the variant's board does not have is always 0
};
extern const struct term_group_info term_groups[GROUP_COUNT];

#define HELD 1e9

// How the loss is made smaller: in mini-batches, or by the gradient of all positions (an epoch is then an
// iteration of L-BFGS).
enum fit_method { METHOD_ADAGRAD, METHOD_LBFGS };
// What a draw is to the loss: half a win, or an outcome of its own between two thresholds at +- a margin that
// is fitted along (loss.h). Losses of the two cannot be compared.
enum fit_draws { DRAWS_HALF, DRAWS_ORDERED };

struct fit_settings {
    struct sample_choice choice;
    double lambda;           // 0..1: how much of the target is the search's score
    double l2[GROUP_COUNT];  // the pull of each group of terms; HELD: it stays where it starts
    enum fit_method method;
    enum fit_draws draws;
    double rate;    // AdaGrad's step in logits; that of epoch n is rate / sqrt(n)
    int batch;      // positions between two steps
    int epochs;     // at most
    int patience;   // epochs without a better validation loss before it ends
    uint64_t seed;  // of the order of positions
    int threads;
    const char
        *state;   // file to keep the state in after each epoch, removed when the fit is complete; or NULL
    bool resume;  // go on from that file
    bool show_progress;
};

// One line of the table. Losses are mean cross entropies in nats; the training loss of an epoch is taken
// while the weights change, the validation loss after it.
struct fit_epoch {
    int epoch;
    double positions_per_second;
    double loss[2];   // by enum split
    double accuracy;  // of the validation positions in games that were not drawn: the winner was ahead; 0..1
    bool best;        // so far
};
typedef void fit_report(void *context, const struct fit_epoch *);

struct fit_result {
    struct weights weights;         // of the best epoch
    int epochs, best;               // epochs run, and the one that was kept (0 = the start)
    bool interrupted;               // by SIGINT or SIGTERM
    bool converged;                 // L-BFGS: there is no lower loss to be found
    double start_loss[PART_COUNT];  // of the starting weights at the scale that suits them best
    double loss[PART_COUNT];        // of the best epoch; NAN for a part without positions
    double centipawns_per_logit;    // of the fitted weights
    double draw_margin;             // in centipawns; 0 when draws are half a win
    int weights_seen, views_seen;   // with a training position that shows them: views of windows, all others
    uint64_t *support;  // [TERM_COUNT]: the sum of each feature's size over the training positions
};
void fit_result_free(struct fit_result *);

// Fits to the part train of `sets` (whose targets it sets) and stops by the part validation. The same
// settings and samples give the same weights, bit by bit, for any number of threads. Fails with one line: no
// positions to train on or to validate with, nothing but draws, games in which material does not count. Then
// there is nothing to free.
bool fit_weights(struct sample_sets *sets, const struct weights *start, const struct fit_settings *,
                 fit_report *report, void *context, struct fit_result *, struct error *)
    __attribute__((warn_unused_result));

// ---- the parts of it that tests and other commands need ----

// Weights in logits, from centipawns at `centipawns_per_logit`.
void fit_logits(const struct weights *, double centipawns_per_logit, per_knot logits[static LOGIT_COUNT]);

// The sum over samples of the cross entropy, and its gradient added up in gradient[LOGIT_COUNT] unless NULL.
double fit_loss(const struct variant *, const struct samples *, const per_knot logits[static LOGIT_COUNT],
                per_knot *gradient, int threads);

// The number of centipawns that make a logit, so that the evaluation by these weights predicts the results
// best. False when there is no such number: the better score does not win more.
bool fit_scale_of_weights(const struct weights *, const struct samples *, double *centipawns_per_logit)
    __attribute__((warn_unused_result));

#endif
