// fit.c -- logistic regression of game results on the terms of the evaluation.

#include "tuner/fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/support/clock.h"
#include "core/support/memory.h"
#include "core/support/progress.h"
#include "tuner/fit_state.h"

#define SMALL 1e-300  // changes no sum, and 0 / SMALL is 0

const struct term_group_info term_groups[GROUP_COUNT] = {
#define X(name, size, text) {#name, text, TERM_##name, size},
    FOR_EACH_TERM(X)
#undef X
};

// ---- For tests and other commands ----

double fit_loss(const struct variant *variant, const struct samples *samples,
                const per_knot logits[static TERM_COUNT], per_knot *gradient, int threads) {
    struct pass *pass = pass_new(variant, threads);
    struct gradient *sum = gradient != NULL ? gradient_new() : NULL;
    const double loss = pass_over(pass, samples, NULL, 0, samples->count, logits, sum).loss;
    for (int t = 0; sum != NULL && t < TERM_COUNT; t++) gradient[t] += sum->at[t];
    gradient_free(sum);
    pass_free(pass);
    return loss;
}

// ---- Scales ----

void fit_logits(const struct weights *weights, double centipawns_per_logit,
                per_knot logits[static TERM_COUNT]) {
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
        const double result = sample_points(sample);
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

// ---- Descent ----

struct descent {
    struct sample_sets *sets;
    const struct fit_settings *settings;
    struct fit_result *result;
    uint32_t *order;  // of the training positions
    struct pass *pass;
    struct gradient *gradient;
    per_knot *start;    // [TERM_COUNT], in logits, as the next two
    per_knot *logits;   // now
    per_knot *best;     // of the lowest validation loss
    per_knot *squares;  // AdaGrad: the sum of the squares of past gradients
    double *support;    // [FEW][KNOTS]: of the result, shared out to knots
    uint64_t identity;  // of all that the weights depend on but the number of epochs
    double lowest;      // validation loss
    uint64_t seen;      // training positions so far
    uint64_t *pulled;   // of a window's weight: positions seen when it was pulled last
};

static void count_support(struct descent *descent) {
    const struct variant *variant = descent->sets->variant;
    const struct samples *train = &descent->sets->part[SPLIT_TRAIN];
    struct fit_result *result = descent->result;
    for (size_t i = 0; i < train->count; i++) {
        const struct position *position = &train->sample[i].position;
        struct feature features[MAX_FEATURES];
        const int count = eval_features(variant, position, features);
        const struct eval_shares shares = eval_shares(variant, position);
        for (int f = 0; f < count; f++) {
            const int t = features[f].term, size = abs(features[f].count);
            result->support[t] += (uint64_t)size;
            for (int k = 0; t < FEW && k < KNOTS; k++)
                descent->support[t * KNOTS + k] += (double)size * shares.of[k] / EVAL_WHOLE;
        }
    }
    for (int t = 0; t < TERM_COUNT; t++)
        *(t < FEW ? &result->weights_seen : &result->views_seen) += result->support[t] > 0;
}

// Of a part: its mean loss, NAN when it is empty, and in *accuracy (unless NULL) how much of the positions of
// decided games the side that won was ahead in.
static double measure(const struct descent *descent, enum split part, const per_knot *logits,
                      double *accuracy) {
    const struct samples *samples = &descent->sets->part[part];
    const struct sums sums = pass_over(descent->pass, samples, NULL, 0, samples->count, logits, NULL);
    if (accuracy != NULL) *accuracy = (double)sums.foreseen / (double)sums.decided;
    return sums.loss / (double)samples->count;
}

static double mean_loss(const struct descent *descent, enum split part, const per_knot *logits) {
    return measure(descent, part, logits, NULL);
}

// Fisher-Yates; every epoch has a stream of its own, and its order does not depend on those before.
static void shuffle(uint32_t *order, size_t count, uint64_t seed, int epoch) {
    struct random random = random_stream(seed, (uint64_t)epoch);
    for (size_t i = 0; i < count; i++) order[i] = (uint32_t)i;
    for (size_t i = count; i > 1; i--) {
        const size_t j = (size_t)random_below(&random, i);
        const uint32_t other = order[j];
        order[j] = order[i - 1];
        order[i - 1] = other;
    }
}

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
    const double positions = (double)descent->sets->part[SPLIT_TRAIN].count;
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
    step_few(descent, (double)batch / (double)descent->sets->part[SPLIT_TRAIN].count, rate);
#pragma omp parallel for num_threads(descent->settings->threads) schedule(dynamic)
    for (int table = 0; table < tables; table++) step_table(descent, table, rate);
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
        if (interrupted()) return false;
        *loss +=
            pass_over(descent->pass, train, descent->order, first, count, descent->logits, descent->gradient)
                .loss;
        step(descent, count, rate);
    }
    *loss /= (double)train->count;
    return true;
}

static void copy_logits(per_knot *to, const per_knot *from) { memcpy(to, from, TERM_COUNT * sizeof *to); }

// ---- Its state ----

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t mix_real(uint64_t hash, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return mix(hash, bits);
}

static uint64_t identity_of(const struct descent *descent) {
    const struct fit_settings *settings = descent->settings;
    uint64_t hash = mix(mix(settings->seed, (uint64_t)settings->batch), (uint64_t)settings->patience);
    hash = mix_real(mix_real(hash, settings->lambda), settings->rate);
    for (int group = 0; group < GROUP_COUNT; group++) hash = mix_real(hash, settings->l2[group]);
    for (int t = 0; t < TERM_COUNT; t++)
        for (int k = 0; k < KNOTS; k++) hash = mix_real(hash, descent->start[t][k]);
    for (int part = SPLIT_TRAIN; part <= SPLIT_VALIDATION; part++) {
        const struct samples *samples = &descent->sets->part[part];
        hash = mix(hash, samples->count);
        for (size_t i = 0; i < samples->count; i++) {
            hash = mix(hash, position_key(&samples->sample[i].position));
            hash = mix_real(mix_real(hash, (double)samples->sample[i].target),
                            (double)samples->sample[i].weight);
        }
    }
    return hash;
}

static struct fit_state state_of(const struct descent *descent) {
    return (struct fit_state){
        .identity = descent->identity,
        .epoch = descent->result->epochs,
        .best_epoch = descent->result->best,
        .lowest = descent->lowest,
        .seen = descent->seen,
        .logits = descent->logits,
        .best = descent->best,
        .squares = descent->squares,
        .pulled = descent->pulled,
    };
}

static bool keep_state(const struct descent *descent, struct error *error) {
    if (descent->settings->state == NULL) return true;
    const struct fit_state state = state_of(descent);
    return fit_state_write(descent->settings->state, &state, error);
}

static bool take_state(struct descent *descent, struct error *error) {
    struct fit_state state = state_of(descent);
    if (!fit_state_read(descent->settings->state, &state, error)) return false;
    descent->result->epochs = state.epoch;
    descent->result->best = state.best_epoch;
    descent->lowest = state.lowest;
    descent->seen = state.seen;
    return true;
}

// ---- Epoch by epoch ----

static bool is_over(const struct descent *descent) {
    const struct fit_result *result = descent->result;
    return result->epochs >= descent->settings->epochs ||
           result->epochs - result->best >= descent->settings->patience;
}

static bool descend(struct descent *descent, fit_report *report, void *context, struct error *error) {
    struct fit_result *result = descent->result;
    while (!is_over(descent)) {
        const int epoch = result->epochs + 1;
        struct fit_epoch line = {.epoch = epoch};
        const double start = clock_seconds();
        result->interrupted = !run_epoch(descent, epoch, &line.loss[SPLIT_TRAIN]);
        if (result->interrupted) return true;
        const double seconds = clock_seconds() - start;
        line.positions_per_second = (double)descent->sets->part[SPLIT_TRAIN].count / (seconds + 1e-9);
        line.loss[SPLIT_VALIDATION] = measure(descent, SPLIT_VALIDATION, descent->logits, &line.accuracy);
        line.best = line.loss[SPLIT_VALIDATION] < descent->lowest;
        result->epochs = epoch;
        if (line.best) {
            result->best = epoch;
            descent->lowest = line.loss[SPLIT_VALIDATION];
            copy_logits(descent->best, descent->logits);
        }
        if (report != NULL) report(context, &line);
        if (!keep_state(descent, error)) return false;
    }
    return true;
}

// ---- From logits to centipawns ----

// Moves what a piece is worth on average at each knot from the table of its squares to the term of the piece.
static void take_average(per_knot *logits, const struct descent *descent, enum term_group squares,
                         int piece) {
    const struct term_group_info *info = &term_groups[squares];
    for (int k = 0; k < KNOTS; k++) {
        double sum = 0, pieces = 0;
        for (int t = info->first; t < info->first + info->count; t++) {
            sum += logits[t][k] * descent->support[t * KNOTS + k];
            pieces += descent->support[t * KNOTS + k];
        }
        const double average = pieces > 0 ? sum / pieces : 0;
        for (int t = info->first; t < info->first + info->count; t++)
            logits[t][k] = descent->result->support[t] > 0 ? logits[t][k] - average : 0;
        logits[piece][k] += average;
    }
}

// Of the men that the positions differ by, on their squares; the tempo counts as rows do.
static double average_man(const per_knot *logits, const struct descent *descent) {
    const int width = descent->sets->variant->rules->width;
    double sum = 0, men = 0;
    for (int s = 0; s < board_squares(width); s++) {
        const int t = TERM_MAN_SQUARE + s, rows = width - 1 - s / (width / 2);
        for (int k = 0; k < KNOTS; k++) {
            const double support = descent->support[t * KNOTS + k];
            sum += support * (logits[TERM_MAN][k] + rows * logits[TERM_TEMPO][k] + logits[t][k]);
            men += support;
        }
    }
    return men > 0 ? sum / men : 0;
}

static bool to_weights(const struct descent *descent, per_knot *logits, struct error *error) {
    struct fit_result *result = descent->result;
    take_average(logits, descent, GROUP_MAN_SQUARE, TERM_MAN);
    take_average(logits, descent, GROUP_KING_SQUARE, TERM_KING);
    const double man = average_man(logits, descent);
    if (!(man > 0)) return error_set(error, "a man more does not help to win these games");

    result->centipawns_per_logit = 100 / man;
    for (int t = 0; t < TERM_COUNT; t++) {
        for (int k = 0; k < KNOTS; k++) {
            const double value = logits[t][k] * result->centipawns_per_logit * WEIGHT_UNIT;
            if (!(fabs(value) <= WEIGHT_LIMIT))
                return error_set(error, "the fit went astray: a weight of %g men (a smaller rate may help)",
                                 value / (100 * WEIGHT_UNIT));
            result->weights.value[t][k] = (int32_t)lround(value);
        }
    }
    struct error cause;
    return weights_check(&result->weights, &cause) || error_set(error, "the fit went astray: %s", cause.text);
}

// ---- All of it ----

static per_knot *logits_new(void) { return per_knot_new(TERM_COUNT); }

static bool start_descent(struct descent *descent, const struct weights *start, struct error *error) {
    struct samples *train = &descent->sets->part[SPLIT_TRAIN];
    double scale;
    if (!check_sets(descent->sets, error)) return false;
    if (!fit_scale_of_weights(start, train, &scale))
        return error_set(error, "the side that the starting weights prefer does not win more of these games");
    if (!blend_targets(descent->sets, descent->settings->lambda, error)) return false;

    fit_logits(start, scale, descent->start);
    copy_logits(descent->logits, descent->start);
    for (int part = 0; part < PART_COUNT; part++)
        descent->result->start_loss[part] = mean_loss(descent, (enum split)part, descent->start);
    count_support(descent);
    descent->lowest = descent->result->start_loss[SPLIT_VALIDATION];
    descent->identity = identity_of(descent);
    copy_logits(descent->best, descent->start);
    descent->order = memory_new(train->count, sizeof *descent->order);
    return true;
}

static bool end_descent(const struct descent *descent, struct error *error) {
    struct fit_result *result = descent->result;
    if (result->interrupted && result->epochs == 0)
        return error_set(error, "interrupted before the first epoch was complete: nothing written");
    for (int part = 0; part < PART_COUNT; part++)
        result->loss[part] = mean_loss(descent, (enum split)part, descent->best);
    return to_weights(descent, descent->best, error);
}

static void free_descent(struct descent *descent) {
    free(descent->order);
    pass_free(descent->pass);
    gradient_free(descent->gradient);
    free(descent->start);
    free(descent->logits);
    free(descent->best);
    free(descent->squares);
    free(descent->support);
    free(descent->pulled);
}

bool fit_weights(struct sample_sets *sets, const struct weights *start, const struct fit_settings *settings,
                 fit_report *report, void *context, struct fit_result *result, struct error *error) {
    *result = (struct fit_result){.weights = weights_zero(start->variant),
                                  .support = memory_new(TERM_COUNT, sizeof *result->support)};
    struct descent descent = {
        .sets = sets,
        .settings = settings,
        .result = result,
        .pass = pass_new(sets->variant, settings->threads),
        .gradient = gradient_new(),
        .start = logits_new(),
        .logits = logits_new(),
        .best = logits_new(),
        .squares = logits_new(),
        .support = memory_new((size_t)FEW * KNOTS, sizeof *descent.support),
        .pulled = memory_new(TERM_COUNT - TERM_PATTERN, sizeof *descent.pulled),
    };
    const bool done = start_descent(&descent, start, error) &&
                      (!settings->resume || take_state(&descent, error)) &&
                      descend(&descent, report, context, error) && end_descent(&descent, error);
    if (done && !result->interrupted && settings->state != NULL) unlink(settings->state);
    free_descent(&descent);
    if (!done) fit_result_free(result);
    return done;
}

void fit_result_free(struct fit_result *result) {
    weights_free(&result->weights);
    free(result->support);
    result->support = NULL;
}
