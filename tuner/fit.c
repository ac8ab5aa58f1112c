// fit.c -- logistic regression of game results on the terms of the evaluation.

#include "tuner/fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/support/memory.h"
#include "core/support/progress.h"
#include "tuner/fit_descent.h"
#include "tuner/fit_state.h"

const struct term_group_info term_groups[GROUP_COUNT] = {
#define X(name, size, text) {#name, text, TERM_##name, size},
    FOR_EACH_TERM(X)
#undef X
};

// ---- Before the fit ----

// The chance of a draw.
static double drawn_at(double z, double margin) { return logistic(z + margin) - logistic(z - margin); }

static void set_target(struct sample *sample, const struct descent *descent) {
    const double result = sample_points(sample), margin = descent->start[MARGIN][0];
    // A mean of results lies between two of them.
    const double drawn = 1 - fabs(2 * result - 1), lambda = descent->settings->lambda;
    sample->target = (float)result;
    sample->drawn = (float)drawn;
    if (lambda == 0 || sample->score == NO_SCORE) return;
    const double z = sample->score / descent->lambda_scale;
    const double expected = margin > 0 ? (logistic(z + margin) + logistic(z - margin)) / 2 : logistic(z);
    sample->target = (float)((1 - lambda) * result + lambda * expected);
    sample->drawn = (float)((1 - lambda) * drawn + lambda * drawn_at(z, margin));
}

static void set_targets(const struct descent *descent, enum split part) {
    struct samples *samples = &descent->sets->part[part];
    for (size_t i = 0; i < samples->count; i++) set_target(&samples->sample[i], descent);
}

void descent_set_targets(struct descent *descent) { set_targets(descent, SPLIT_TRAIN); }

static bool blend_targets(struct descent *descent, struct error *error) {
    struct sample_sets *sets = descent->sets;
    if (descent->settings->lambda > 0 &&
        !descent_scale_of_searches(&sets->part[SPLIT_TRAIN], &descent->lambda_scale))
        return error_set(error, "lambda: the scores of these games do not predict their results");
    for (int part = 0; part < PART_COUNT; part++) set_targets(descent, (enum split)part);
    return true;
}

static const char *what_is_needed(const struct sample_sets *sets) {
    if (sets->held_out < 1) return "a larger buffer is needed";
    return sets->split_by == SPLIT_BY_OPENING ? "more openings are needed" : "more games are needed";
}

static bool check_sets(const struct sample_sets *sets, struct error *error) {
    const struct samples *train = &sets->part[SPLIT_TRAIN];
    for (int part = SPLIT_TRAIN; part <= SPLIT_VALIDATION; part++) {
        if (sets->part[part].chosen == 0)
            return error_set(error, "no %s positions in %" PRIu64 " games: %s", part_names[part], sets->games,
                             what_is_needed(sets));
    }
    if (train->results[1] == train->games)
        return error_set(error,
                         "all %" PRIu64 " training games are draws: there is nothing to learn from them",
                         train->games);
    for (int result = 0; result <= 2; result += 2) {
        if (train->results[result] == train->games)
            return error_set(error,
                             "%s wins all %" PRIu64 " training games: there is nothing to learn from them",
                             result == 0 ? "Black" : "White", train->games);
    }
    return true;
}

// ---- Descent ----

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
}

static void count_weights(struct fit_result *result) {
    for (int t = 0; t < TERM_COUNT; t++)
        *(t < FEW ? &result->weights_seen : &result->views_seen) += result->support[t] > 0;
}

bool descent_pass(struct descent *descent, enum split part, const per_knot *logits, bool gradient,
                  struct sums *sums, struct error *error) {
    struct gradient *sum = gradient ? descent->gradient : NULL;
    struct sample_sets *sets = descent->sets;
    const struct samples *samples = &sets->part[part];
    if (part != SPLIT_TRAIN || sets->stream == NULL) {
        *sums = pass_over(descent->pass, samples, NULL, 0, samples->count, logits, sum);
        return true;
    }
    bool more, good;
    *sums = (struct sums){0};
    samples_rewind(sets, 0, SAMPLES_AS_THEY_LIE);
    while ((good = samples_next(sets, &more, error)) && more) {
        descent_set_targets(descent);
        const struct sums load = pass_over(descent->pass, samples, NULL, 0, samples->count, logits, sum);
        sums_add(sums, &load);
    }
    return good;
}

// Of a part; NAN when it is empty.
static bool mean_loss(struct descent *descent, enum split part, const per_knot *logits, double *loss,
                      struct error *error) {
    struct sums sums;
    const bool done = descent_pass(descent, part, logits, false, &sums, error);
    *loss = sums.loss / (double)descent->sets->part[part].chosen;
    return done;
}

static void copy_logits(per_knot *to, const per_knot *from) { memcpy(to, from, LOGIT_COUNT * sizeof *to); }

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
    hash = mix(mix(hash, settings->method), settings->draws);
    // What passes through a buffer is known by its numbers, and by the load that is there.
    hash = mix(hash, descent->sets->stream != NULL ? settings->choice.buffer : 0);
    hash = mix(mix(hash, descent->sets->positions), descent->sets->part[SPLIT_TRAIN].chosen);
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

bool descent_keep_state(const struct descent *descent, struct error *error) {
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

bool descent_is_over(const struct descent *descent) {
    const struct fit_result *result = descent->result;
    return result->epochs >= descent->settings->epochs ||
           result->epochs - result->best >= descent->settings->patience;
}

bool descent_end_epoch(struct descent *descent, double train_loss, double seconds, struct error *error) {
    struct fit_result *result = descent->result;
    const struct samples *validation = &descent->sets->part[SPLIT_VALIDATION];
    struct sums sums;
    if (!descent_pass(descent, SPLIT_VALIDATION, descent->logits, false, &sums, error)) return false;
    const struct fit_epoch line = {
        .epoch = ++result->epochs,
        .positions_per_second = (double)descent->sets->part[SPLIT_TRAIN].chosen / (seconds + 1e-9),
        .loss = {[SPLIT_TRAIN] = train_loss, [SPLIT_VALIDATION] = sums.loss / (double)validation->chosen},
        .accuracy = (double)sums.foreseen / (double)sums.decided,
        .best = sums.loss / (double)validation->chosen < descent->lowest,
    };
    if (line.best) {
        result->best = line.epoch;
        descent->lowest = line.loss[SPLIT_VALIDATION];
        copy_logits(descent->best, descent->logits);
    }
    if (descent->report != NULL) descent->report(descent->context, &line);
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
    result->draw_margin = logits[MARGIN][0] * result->centipawns_per_logit;
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

// As if all games were even from the start: the margin that makes as many draws of them.
static double first_margin(const struct samples *train) {
    const double drawn = (double)train->results[1] / (double)train->games;
    const double margin = 2 * atanh(drawn < 0.9 ? drawn : 0.9);
    return margin > LEAST_MARGIN ? margin : LEAST_MARGIN;
}

// What the training positions show, and how well the starting weights predict them; in one pass.
static bool look_at_train(struct descent *descent, struct error *error) {
    struct sample_sets *sets = descent->sets;
    const struct samples *train = &sets->part[SPLIT_TRAIN];
    double loss = 0;
    bool more, good;
    samples_rewind(sets, 0, SAMPLES_AS_THEY_LIE);
    while ((good = samples_next(sets, &more, error)) && more) {
        if (sets->stream != NULL) descent_set_targets(descent);
        count_support(descent);
        loss += pass_over(descent->pass, train, NULL, 0, train->count, descent->start, NULL).loss;
    }
    count_weights(descent->result);
    descent->result->start_loss[SPLIT_TRAIN] = loss / (double)train->chosen;
    return good && (!interrupted() ||
                    error_set(error, "interrupted before the first epoch was complete: nothing written"));
}

static bool start_descent(struct descent *descent, const struct weights *start, struct error *error) {
    const struct samples *train = &descent->sets->part[SPLIT_TRAIN];
    double *losses = descent->result->start_loss, scale;
    bool more;
    if (!check_sets(descent->sets, error)) return false;
    // Scales are those of a load, when there are several.
    samples_rewind(descent->sets, descent->settings->seed, 0);
    if (!samples_next(descent->sets, &more, error)) return false;
    if (!fit_scale_of_weights(start, train, &scale))
        return error_set(error, "the side that the starting weights prefer does not win more of these games");
    fit_logits(start, scale, descent->start);
    if (descent->settings->draws == DRAWS_ORDERED) descent->start[MARGIN][0] = first_margin(train);
    if (!blend_targets(descent, error)) return false;
    descent->identity = identity_of(descent);

    copy_logits(descent->logits, descent->start);
    copy_logits(descent->best, descent->start);
    for (int part = SPLIT_VALIDATION; part < PART_COUNT; part++)
        if (!mean_loss(descent, (enum split)part, descent->start, &losses[part], error)) return false;
    descent->lowest = losses[SPLIT_VALIDATION];
    return look_at_train(descent, error);
}

static bool descend(struct descent *descent, struct error *error) {
    return descent->settings->method == METHOD_LBFGS ? descend_by_lbfgs(descent, error)
                                                     : descend_by_adagrad(descent, error);
}

static bool end_descent(struct descent *descent, struct error *error) {
    struct fit_result *result = descent->result;
    if (result->interrupted && result->epochs == 0)
        return error_set(error, "interrupted before the first epoch was complete: nothing written");
    for (int part = 0; part < PART_COUNT; part++)
        if (!mean_loss(descent, (enum split)part, descent->best, &result->loss[part], error)) return false;
    // A pass that Ctrl-C has ended says nothing.
    if (descent->sets->stream != NULL && interrupted()) result->loss[SPLIT_TRAIN] = NAN;
    return to_weights(descent, descent->best, error);
}

static void free_descent(struct descent *descent) {
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
        .report = report,
        .context = context,
        .pass = pass_new(sets->variant, settings->threads),
        .gradient = gradient_new(),
        .start = per_knot_new(LOGIT_COUNT),
        .logits = per_knot_new(LOGIT_COUNT),
        .best = per_knot_new(LOGIT_COUNT),
        .squares = per_knot_new(LOGIT_COUNT),
        .support = memory_new((size_t)FEW * KNOTS, sizeof *descent.support),
        .pulled = memory_new(TERM_COUNT - TERM_PATTERN, sizeof *descent.pulled),
        .lambda_scale = 1,
    };
    const bool done = start_descent(&descent, start, error) &&
                      (!settings->resume || take_state(&descent, error)) && descend(&descent, error) &&
                      end_descent(&descent, error);
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
