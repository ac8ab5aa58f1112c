// fit.c -- logistic regression of game results on the terms of the evaluation.

#include "tuner/fit.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/clock.h"
#include "core/support/memory.h"
#include "core/support/progress.h"

// Work is cut into this many slices, however many threads share them, and what the slices give is added up in
// their order: sums of floating-point numbers depend on their order.
enum { SLICES = 16 };

const struct term_group_info term_groups[GROUP_COUNT] = {
#define X(name, size, text) {#name, text, TERM_##name, size},
    FOR_EACH_TERM(X)
#undef X
};

// ---- Loss and gradient ----

static double logistic(double z) { return 1 / (1 + exp(-z)); }

// Of a target y and an expectation logistic(z): -y log p - (1 - y) log (1 - p), without overflow.
static double cross_entropy(double z, double y) { return (z > 0 ? z : 0) + log1p(exp(-fabs(z))) - y * z; }

struct slice {
    double loss;
    double gradient[TERM_COUNT];
};

static void add_sample_loss(const struct variant *variant, const struct sample *sample, const double *logits,
                            struct slice *slice) {
    struct feature features[MAX_FEATURES];
    const int count = eval_features(variant, &sample->position, features);
    double z = 0;
    for (int i = 0; i < count; i++) z += logits[features[i].term] * features[i].count;
    const double y = (double)sample->target, slope = logistic(z) - y;
    slice->loss += cross_entropy(z, y);
    for (int i = 0; i < count; i++) slice->gradient[features[i].term] += slope * features[i].count;
}

double fit_loss(const struct variant *variant, const struct samples *samples, const uint32_t *order,
                size_t count, const double logits[static TERM_COUNT], double *gradient, int threads) {
    struct slice slices[SLICES] = {0};
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t s = 0; s < SLICES; s++) {
        for (size_t i = s * count / SLICES; i < (s + 1) * count / SLICES; i++) {
            add_sample_loss(variant, &samples->sample[order != NULL ? order[i] : i], logits, &slices[s]);
        }
    }
    double loss = 0;
    for (int s = 0; s < SLICES; s++) {
        loss += slices[s].loss;
        for (int t = 0; gradient != NULL && t < TERM_COUNT; t++) gradient[t] += slices[s].gradient[t];
    }
    return loss;
}

// ---- Scales ----

void fit_logits(const struct weights *weights, double centipawns_per_logit,
                double logits[static TERM_COUNT]) {
    for (int t = 0; t < TERM_COUNT; t++) logits[t] = weights->value[t] / (WEIGHT_UNIT * centipawns_per_logit);
}

// The first two derivatives of the loss by the slope k of p = logistic(k * score).
static void scale_derivatives(const int *scores, const struct samples *samples, double k, double *first,
                              double *second) {
    *first = *second = 0;
    for (size_t i = 0; i < samples->count; i++) {
        if (scores[i] == NO_SCORE) continue;
        const double x = scores[i], p = logistic(k * x);
        *first += (p - (samples->sample[i].result + 1) / 2.0) * x;
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
static bool scale_of_searches(const struct samples *samples, double *scale) {
    int *scores = memory_new(samples->count, sizeof *scores);
    for (size_t i = 0; i < samples->count; i++) {
        const int score = samples->sample[i].score;
        scores[i] = abs(score) <= SCORE_LIMIT ? score : NO_SCORE;
    }
    const bool found = scale_of_scores(scores, samples, scale);
    free(scores);
    return found;
}

// ---- Before the fit ----

static void set_targets(struct samples *samples, double lambda, double scale) {
    for (size_t i = 0; i < samples->count; i++) {
        struct sample *sample = &samples->sample[i];
        const double result = (sample->result + 1) / 2.0;
        const bool blend = lambda > 0 && sample->score != NO_SCORE;
        const double score = blend ? logistic(sample->score / scale) : result;
        sample->target = (float)((1 - lambda) * result + lambda * score);
    }
}

static bool blend_targets(struct sample_sets *sets, double lambda, struct error *error) {
    double scale = 1;
    if (lambda > 0 && !scale_of_searches(&sets->part[SPLIT_TRAIN], &scale))
        return error_set(error, "lambda: the scores of these games do not predict their results");
    for (int part = 0; part < PART_COUNT; part++) set_targets(&sets->part[part], lambda, scale);
    return true;
}

static bool check_sets(const struct sample_sets *sets, struct error *error) {
    const struct samples *train = &sets->part[SPLIT_TRAIN];
    for (int part = SPLIT_TRAIN; part <= SPLIT_VALIDATION; part++) {
        if (sets->part[part].count == 0)
            return error_set(error, "no %s positions in %" PRIu64 " games: more games are needed",
                             part_names[part], sets->games);
    }
    return train->results[1] < train->games ||
           error_set(error, "all %" PRIu64 " training games are draws: there is nothing to learn from them",
                     train->games);
}

static void count_support(const struct variant *variant, const struct samples *train,
                          struct fit_result *result) {
    for (size_t i = 0; i < train->count; i++) {
        struct feature features[MAX_FEATURES];
        const int count = eval_features(variant, &train->sample[i].position, features);
        for (int f = 0; f < count; f++) result->support[features[f].term] += (uint64_t)abs(features[f].count);
    }
    for (int t = 0; t < TERM_COUNT; t++) result->weights_seen += result->support[t] > 0;
}

// ---- Descent ----

struct descent {
    struct sample_sets *sets;
    const struct fit_settings *settings;
    struct fit_result *result;
    uint32_t *order;             // of the training positions
    double start[TERM_COUNT];    // logits
    double logits[TERM_COUNT];   // now
    double best[TERM_COUNT];     // of the lowest validation loss
    double squares[TERM_COUNT];  // AdaGrad: the sum of the squares of past gradients
};

// Mean loss of a part; NAN when it is empty.
static double mean_loss(const struct descent *descent, enum split part, const double *logits) {
    const struct samples *samples = &descent->sets->part[part];
    return fit_loss(descent->sets->variant, samples, NULL, samples->count, logits, NULL,
                    descent->settings->threads) /
           (double)samples->count;
}

// Fisher-Yates; every epoch has a stream of its own.
static void shuffle(uint32_t *order, size_t count, uint64_t seed, int epoch) {
    struct random random = random_stream(seed, (uint64_t)epoch);
    for (size_t i = count; i > 1; i--) {
        const size_t j = (size_t)random_below(&random, i);
        const uint32_t other = order[j];
        order[j] = order[i - 1];
        order[i - 1] = other;
    }
}

static void add_pull(const struct descent *descent, double part, double *gradient) {
    for (int group = 0; group < GROUP_COUNT; group++) {
        const struct term_group_info *info = &term_groups[group];
        for (int t = info->first; t < info->first + info->count; t++)
            gradient[t] += descent->settings->l2[group] * part * (descent->logits[t] - descent->start[t]);
    }
}

static void step(struct descent *descent, double rate, const double *gradient) {
    for (int t = 0; t < TERM_COUNT; t++) {
        descent->squares[t] += gradient[t] * gradient[t];
        if (descent->squares[t] > 0) descent->logits[t] -= rate * gradient[t] / sqrt(descent->squares[t]);
    }
}

// Goes once over the training positions; false when interrupted. *loss is their mean loss on the way.
static bool run_epoch(struct descent *descent, int epoch, double *loss) {
    const struct fit_settings *settings = descent->settings;
    const struct samples *train = &descent->sets->part[SPLIT_TRAIN];
    const double rate = settings->rate / sqrt(epoch);
    shuffle(descent->order, train->count, settings->seed, epoch);
    *loss = 0;
    for (size_t first = 0; first < train->count; first += (size_t)settings->batch) {
        const size_t left = train->count - first, batch = (size_t)settings->batch;
        const size_t count = left < batch ? left : batch;
        double gradient[TERM_COUNT] = {0};
        if (interrupted()) return false;
        *loss += fit_loss(descent->sets->variant, train, descent->order + first, count, descent->logits,
                          gradient, settings->threads);
        add_pull(descent, (double)count / (double)train->count, gradient);
        step(descent, rate, gradient);
    }
    *loss /= (double)train->count;
    return true;
}

static void descend(struct descent *descent, fit_report *report, void *context) {
    struct fit_result *result = descent->result;
    double lowest = result->start_loss[SPLIT_VALIDATION];
    memcpy(descent->best, descent->logits, sizeof descent->best);
    for (int epoch = 1; epoch <= descent->settings->epochs; epoch++) {
        struct fit_epoch line = {.epoch = epoch};
        const double start = clock_seconds();
        result->interrupted = !run_epoch(descent, epoch, &line.loss[SPLIT_TRAIN]);
        if (result->interrupted) return;
        const double seconds = clock_seconds() - start;
        line.positions_per_second = (double)descent->sets->part[SPLIT_TRAIN].count / (seconds + 1e-9);
        line.loss[SPLIT_VALIDATION] = mean_loss(descent, SPLIT_VALIDATION, descent->logits);
        line.best = line.loss[SPLIT_VALIDATION] < lowest;
        result->epochs = epoch;
        if (line.best) {
            result->best = epoch;
            lowest = line.loss[SPLIT_VALIDATION];
            memcpy(descent->best, descent->logits, sizeof descent->best);
        }
        if (report != NULL) report(context, &line);
        if (epoch - result->best >= descent->settings->patience) return;
    }
}

// ---- From logits to centipawns ----

// Takes what a piece is worth on average out of the table of its squares.
static double take_average(double *logits, const uint64_t *support, enum term_group squares) {
    const struct term_group_info *info = &term_groups[squares];
    double sum = 0, pieces = 0;
    for (int t = info->first; t < info->first + info->count; t++) {
        sum += logits[t] * (double)support[t];
        pieces += (double)support[t];
    }
    const double average = pieces > 0 ? sum / pieces : 0;
    for (int t = info->first; t < info->first + info->count; t++)
        logits[t] = support[t] > 0 ? logits[t] - average : 0;
    return average;
}

static bool to_weights(const double *fitted, struct fit_result *result, struct error *error) {
    double logits[TERM_COUNT];
    memcpy(logits, fitted, sizeof logits);
    logits[TERM_MAN] += take_average(logits, result->support, GROUP_MAN_SQUARE);
    logits[TERM_KING] += take_average(logits, result->support, GROUP_KING_SQUARE);
    if (!(logits[TERM_MAN] > 0)) return error_set(error, "a man more does not help to win these games");

    result->centipawns_per_logit = 100 / logits[TERM_MAN];
    for (int t = 0; t < TERM_COUNT; t++) {
        const double value = logits[t] * result->centipawns_per_logit * WEIGHT_UNIT;
        if (!(fabs(value) <= WEIGHT_LIMIT))
            return error_set(error, "the fit went astray: a weight of %g men (a smaller rate may help)",
                             value / (100 * WEIGHT_UNIT));
        result->weights.value[t] = (int32_t)lround(value);
    }
    return true;
}

// ---- All of it ----

static bool start_descent(struct descent *descent, const struct weights *start, struct error *error) {
    struct samples *train = &descent->sets->part[SPLIT_TRAIN];
    double scale;
    if (!check_sets(descent->sets, error)) return false;
    if (!fit_scale_of_weights(start, train, &scale))
        return error_set(error, "the side that the starting weights prefer does not win more of these games");
    if (!blend_targets(descent->sets, descent->settings->lambda, error)) return false;

    fit_logits(start, scale, descent->start);
    memcpy(descent->logits, descent->start, sizeof descent->logits);
    for (int part = 0; part < PART_COUNT; part++)
        descent->result->start_loss[part] = mean_loss(descent, (enum split)part, descent->start);
    count_support(descent->sets->variant, train, descent->result);
    descent->order = memory_new(train->count, sizeof *descent->order);
    for (size_t i = 0; i < train->count; i++) descent->order[i] = (uint32_t)i;
    return true;
}

static bool end_descent(const struct descent *descent, struct error *error) {
    struct fit_result *result = descent->result;
    if (result->interrupted && result->epochs == 0)
        return error_set(error, "interrupted before the first epoch was complete: nothing written");
    for (int part = 0; part < PART_COUNT; part++)
        result->loss[part] = mean_loss(descent, (enum split)part, descent->best);
    return to_weights(descent->best, result, error);
}

bool fit_weights(struct sample_sets *sets, const struct weights *start, const struct fit_settings *settings,
                 fit_report *report, void *context, struct fit_result *result, struct error *error) {
    *result = (struct fit_result){.weights = {.variant = start->variant}};
    struct descent descent = {.sets = sets, .settings = settings, .result = result};
    bool done = start_descent(&descent, start, error);
    if (done) {
        descend(&descent, report, context);
        done = end_descent(&descent, error);
    }
    free(descent.order);
    return done;
}
