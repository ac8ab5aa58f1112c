// fit_scale.c -- how many centipawns make a logit, and the loss of weights that are given.

#include <math.h>
#include <stdlib.h>

#include "core/support/memory.h"
#include "tuner/fit_descent.h"

void fit_logits(const struct weights *weights, double centipawns_per_logit,
                per_knot logits[static LOGIT_COUNT]) {
    for (int t = 0; t < TERM_COUNT; t++)
        for (int k = 0; k < KNOTS; k++)
            logits[t][k] = weights->value[t][k] / (WEIGHT_UNIT * centipawns_per_logit);
}

// The first two derivatives of the loss by the slope k of p = logistic(k * score).
static void scale_derivatives(const int *scores, const struct samples *samples, double k, double *first,
                              double *second) {
    *first = *second = 0;
    for (size_t i = 0; i < samples->count; i++) {
        if (scores[i] == NO_SCORE) continue;
        const double x = scores[i], p = logistic(k * x);
        *first += (p - sample_points(&samples->sample[i])) * x;
        *second += p * (1 - p) * x * x;
    }
}

// The centipawns that make a logit, so that the scores predict the results best; those that are NO_SCORE do
// not count. Newton's method between bounds that close in: the first derivative grows with k.
static bool scale_of_scores(const int *scores, const struct samples *samples, double *scale) {
    enum { STEPS = 60 };
    double low = 0, high = 1, k = 0, first, second;
    scale_derivatives(scores, samples, k, &first, &second);
    if (!(first < 0)) return false;
    for (int i = 0; i < STEPS; i++) {
        const double step = second > 0 ? k - first / second : high;
        k = step > low && step < high ? step : (low + high) / 2;
        scale_derivatives(scores, samples, k, &first, &second);
        if (first < 0)
            low = k;
        else
            high = k;
        if (high - low < 1e-12 || fabs(first) <= 1e-9 * second * k) break;
    }
    *scale = 1 / k;
    return true;
}

bool fit_scale_of_weights(const struct weights *weights, const struct samples *samples,
                          double *centipawns_per_logit) {
    int *scores = memory_new(samples->count, sizeof *scores);
    for (size_t i = 0; i < samples->count; i++) {
        const struct position *position = &samples->sample[i].position;
        const int score = eval_score(weights, position);
        scores[i] = position_turn(position) == WHITE ? score : -score;
    }
    const bool found = scale_of_scores(scores, samples, centipawns_per_logit);
    free(scores);
    return found;
}

// What makes a logit of the scores that the searches gave; proven wins are no matter of scale.
bool descent_scale_of_searches(const struct samples *samples, double *scale) {
    int *scores = memory_new(samples->count, sizeof *scores);
    for (size_t i = 0; i < samples->count; i++) {
        const int score = samples->sample[i].score;
        scores[i] = abs(score) <= SCORE_LIMIT ? score : NO_SCORE;
    }
    const bool found = scale_of_scores(scores, samples, scale);
    free(scores);
    return found;
}

double fit_loss(const struct variant *variant, const struct samples *samples,
                const per_knot logits[static LOGIT_COUNT], per_knot *gradient, int threads) {
    struct pass *pass = pass_new(variant, threads);
    struct gradient *sum = gradient != NULL ? gradient_new() : NULL;
    const double loss = pass_over(pass, samples, NULL, 0, samples->count, logits, sum).loss;
    for (int t = 0; sum != NULL && t < LOGIT_COUNT; t++) gradient[t] += sum->at[t];
    gradient_free(sum);
    pass_free(pass);
    return loss;
}
