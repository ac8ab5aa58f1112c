// test_tuner.c -- the fit finds the weights that made the results, and never looks at games that are held
// out.

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/support/file.h"
#include "core/support/memory.h"
#include "selfplay/rules_json.h"
#include "tests/random_positions.h"
#include "tests/selfplay_games.h"
#include "tuner/calibration.h"
#include "tuner/fit.h"

static const struct variant *find(const char *name) {
    struct error error = {.text = ""};
    const struct variant *variant = variant_find(name, &error);
    cr_assert_not_null(variant, "%s", error.text);
    return variant;
}

// ---- Samples whose results were drawn from weights that are known ----

static double planted_chance(const struct weights *weights, const struct position *position, double scale) {
    const int score = eval_score(weights, position);
    return 1 / (1 + exp(-(position_turn(position) == WHITE ? score : -score) / scale));
}

// Won with the chance that the weights give, lost otherwise; some of both become draws, which changes nothing
// in what is expected.
static int draw_result(struct random *random, double chance) {
    const double draws = 0.4 * fmin(chance, 1 - chance);
    const double drawn = random_unit(random);
    return drawn < chance - draws / 2 ? 1 : drawn < chance + draws / 2 ? 0 : -1;
}

static struct samples make_samples(const struct variant *variant, const struct weights *weights, double scale,
                                   size_t count, const char *name) {
    struct samples samples = {
        .sample = memory_new(count, sizeof *samples.sample), .count = count, .chosen = count, .games = count};
    struct splitmix placing = splitmix_of(name, 0);
    struct random random = random_stream(count, 1);
    for (size_t i = 0; i < count; i++) {
        struct sample *sample = &samples.sample[i];
        sample->position = random_placement(variant->rules, &placing);
        sample->result = (int8_t)draw_result(&random, planted_chance(weights, &sample->position, scale));
        sample->score = NO_SCORE;
        sample->game = (uint32_t)i;
        sample->target = (float)(sample->result + 1) / 2;
        sample->weight = 1;
        samples.results[sample->result + 1]++;
    }
    return samples;
}

static struct sample_sets make_sets(const struct variant *variant, const struct weights *weights,
                                    double scale, size_t train, size_t validation) {
    return (struct sample_sets){
        .variant = variant,
        .games = train + validation,
        .positions = train + validation,
        .part = {[SPLIT_TRAIN] = make_samples(variant, weights, scale, train, "train"),
                 [SPLIT_VALIDATION] = make_samples(variant, weights, scale, validation, "validation")},
    };
}

static char *temporary_path(void) {
    char *path = memory_text("/tmp/huff-tuner-XXXXXX");
    const int file = mkstemp(path);
    cr_assert(file >= 0);
    close(file);
    return path;
}

// Square tables of waves whose crests a fit could not guess, the same at all knots.
static struct weights planted_weights(const struct variant *variant) {
    struct weights weights = weights_material(variant);
    for (int k = 0; k < KNOTS; k++) {
        weights.value[TERM_KING][k] = 2500;
        weights.value[TERM_TURN][k] = 400;
        for (int s = 0; s < board_squares(variant->rules->width); s++) {
            weights.value[TERM_MAN_SQUARE + s][k] = (int32_t)lround(400 * sin(1.7 * s));
            weights.value[TERM_KING_SQUARE + s][k] = (int32_t)lround(800 * cos(0.9 * s));
        }
    }
    return weights;
}

static struct fit_settings quick_settings(void) {
    return (struct fit_settings){
        .choice = sample_choice_usual(),
        // Random placements say little of these, and they would share what was planted elsewhere.
        .l2 = {[GROUP_TEMPO] = HELD,
               [GROUP_FIRST_KING] = HELD,
               [GROUP_OPPOSITION] = HELD,
               [GROUP_BALANCE] = HELD,
               [GROUP_KING_SAFE] = HELD,
               [GROUP_KING_UNSAFE] = HELD,
               [GROUP_PATTERN] = HELD},
        .rate = 0.1,
        .batch = 1024,
        .epochs = 12,
        .patience = 3,
        .seed = 1,
        .threads = 1,
    };
}

static struct fit_result fit(struct sample_sets *sets, const struct fit_settings *settings) {
    struct error error = {.text = ""};
    struct fit_result result;
    struct weights start = weights_material(sets->variant);
    cr_assert(fit_weights(sets, &start, settings, NULL, NULL, &result, &error), "%s", error.text);
    weights_free(&start);
    return result;
}

static bool fit_fails(struct sample_sets *sets, const struct fit_settings *settings, struct error *error) {
    struct fit_result result;
    struct weights start = weights_material(sets->variant);
    *error = (struct error){.text = ""};
    const bool fails =
        !fit_weights(sets, &start, settings, NULL, NULL, &result, error) && error->text[0] != '\0';
    weights_free(&start);
    return fails;
}

// ---- The regression ----

// Of the weights with support, by their place in the list.
static int next_supported(const per_knot *gradient, int t) {
    while (t < TERM_COUNT && gradient[t][1] == 0) t++;
    return t;
}

// By differences; checked against the gradient.
static double check_slope(const struct variant *variant, const struct samples *samples, per_knot *logits,
                          const per_knot *gradient, int t, int k) {
    const double step = 1e-6, before = logits[t][k];
    logits[t][k] = before + step;
    const double above = fit_loss(variant, samples, logits, NULL, 1);
    logits[t][k] = before - step;
    const double below = fit_loss(variant, samples, logits, NULL, 1);
    logits[t][k] = before;
    const double slope = (above - below) / (2 * step);
    cr_assert_float_eq(slope, gradient[t][k], 1e-4 * (1 + fabs(slope)),
                       "%s, term %d, knot %d: %g by differences, %g by the gradient", variant->name, t, k,
                       slope, gradient[t][k]);
    return slope;
}

static void check_gradient(const char *name, double margin) {
    enum { STRIDE = 37 };  // of the views of windows
    const struct variant *variant = find(name);
    struct weights planted = planted_weights(variant);
    struct samples samples = make_samples(variant, &planted, 200, 400, name);
    per_knot *logits = per_knot_new(LOGIT_COUNT);
    per_knot *gradient = per_knot_new(LOGIT_COUNT);
    struct random random = random_stream(3, 4);
    for (int t = 0; t < TERM_COUNT; t++)
        for (int k = 0; k < KNOTS; k++) logits[t][k] = (random_unit(&random) - 0.5) / 4;
    logits[MARGIN][0] = margin;
    for (size_t i = 0; i < samples.count; i++) samples.sample[i].drawn = samples.sample[i].result == 0;

    fit_loss(variant, &samples, logits, gradient, 2);
    int views = 0;
    for (int t = 0; t < TERM_COUNT; t = next_supported(gradient, t + (t < TERM_PATTERN ? 1 : STRIDE)))
        for (int k = 0; k < KNOTS; k++)
            views += check_slope(variant, &samples, logits, gradient, t, k) != 0 && t >= TERM_PATTERN;
    cr_assert(views > 50);
    cr_assert(fabs(gradient[TERM_MAN][1]) > 0.1 && fabs(gradient[TERM_KING_SQUARE + 3][1]) > 0.01);
    if (margin > 0) cr_assert(fabs(check_slope(variant, &samples, logits, gradient, MARGIN, 0)) > 0.1);
    free(samples.sample);
    free(logits);
    free(gradient);
    weights_free(&planted);
}

Test(fit, gradient_agrees_with_differences) {
    check_gradient("spanish", 0);
    check_gradient("frisian", 0);
    check_gradient("russian", 0.7);
}

// What the tuner expects of one position that White is said to win tells its sum in logits: loss = log (1 +
// exp(-z)).
static double sum_of(struct pass *pass, struct sample *sample, const per_knot *logits) {
    const struct samples one = {.sample = sample, .count = 1};
    return -log(expm1(pass_over(pass, &one, NULL, 0, 1, logits, NULL).loss));
}

// The tuner's sum in logits is the engine's evaluation, which is cut to whole centipawns.
static void check_engine(const struct variant *variant, const struct weights *weights) {
    enum { POSITIONS = 100000 };
    const double scale = 200;
    per_knot *logits = per_knot_new(LOGIT_COUNT);
    struct pass *pass = pass_new(variant, 1);
    struct splitmix placing = splitmix_of(variant->name, 5);
    fit_logits(weights, scale, logits);
    for (int i = 0; i < POSITIONS; i++) {
        struct sample sample = {
            .position = random_placement(variant->rules, &placing), .target = 1, .weight = 1};
        const int score = eval_score(weights, &sample.position);
        const int white = position_turn(&sample.position) == WHITE ? score : -score;
        if (abs(white) > 10 * scale) continue;  // the loss has not the digits to tell
        const double sum = scale * sum_of(pass, &sample, logits);
        cr_assert(fabs(sum - white) < 1.0001, "%s, position %d: %g, and the engine has %d", variant->name, i,
                  sum, white);
    }
    free(logits);
    pass_free(pass);
}

Test(fit, expects_what_the_engine_evaluates) {
    for (int v = 0; v < variant_count; v++) {
        struct weights weights = planted_weights(&variants[v]);
        struct splitmix views = splitmix_of("views", 1);
        for (int t = 0; t < TERM_COUNT; t++)
            for (int k = 0; t != TERM_MAN && k < KNOTS; k++)
                weights.value[t][k] += splitmix_below(&views, 201) - 100;
        check_engine(&variants[v], &weights);
        weights_free(&weights);
    }
}

// Placements have pieces enough near this knot for its weights to be found.
enum { KNOT = 1 };

// What a piece on a square is worth in men of the average value.
static double worth(const struct weights *weights, int piece, int squares, int s) {
    return (weights->value[piece][KNOT] + weights->value[squares + s][KNOT]) / 1000.0;
}

static void check_worth(struct fit_result *result, const struct weights *planted, double man, int piece,
                        int squares) {
    double error = 0;
    int count = 0;
    for (int s = 0; s < MAX_SQUARES; s++) {
        if (result->support[squares + s] < 2000) continue;
        const double found = worth(&result->weights, piece, squares, s);
        const double true_worth = worth(planted, piece, squares, s) / man;
        cr_expect_float_eq(found, true_worth, 0.3, "%s, term %d, square %d: %g found, %g planted",
                           planted->variant->name, piece, s + 1, found, true_worth);
        error += fabs(found - true_worth);
        count++;
    }
    cr_assert(count >= 28, "only %d squares have support", count);
    cr_assert(error / count < 0.1, "mean error %g", error / count);
}

static void check_recovery(const char *name) {
    const struct variant *variant = find(name);
    struct weights planted = planted_weights(variant);
    struct sample_sets sets = make_sets(variant, &planted, 150, 100000, 6000);
    const struct fit_settings settings = quick_settings();
    struct fit_result result = fit(&sets, &settings);

    // The average man is worth 100 centipawns after the fit, whatever he was before.
    double sum = 0, men = 0;
    for (int s = 0; s < MAX_SQUARES; s++) {
        const double support = (double)result.support[TERM_MAN_SQUARE + s];
        sum += support * worth(&planted, TERM_MAN, TERM_MAN_SQUARE, s);
        men += support;
    }
    const double man = sum / men;
    cr_assert_float_eq(result.weights.value[TERM_MAN][KNOT], 1000, 30);
    check_worth(&result, &planted, man, TERM_MAN, TERM_MAN_SQUARE);
    check_worth(&result, &planted, man, TERM_KING, TERM_KING_SQUARE);
    cr_assert_float_eq(result.weights.value[TERM_TURN][KNOT], 400 / man, 150);
    cr_assert_float_eq(result.centipawns_per_logit, 150 / man, 10);
    cr_assert(result.best > 0);
    cr_assert(result.loss[SPLIT_VALIDATION] < 0.99 * result.start_loss[SPLIT_VALIDATION], "%g after %g",
              result.loss[SPLIT_VALIDATION], result.start_loss[SPLIT_VALIDATION]);
    cr_assert(isnan(result.loss[SPLIT_TEST]), "there is no test part");
    samples_free(&sets);
    weights_free(&planted);
    fit_result_free(&result);
}

Test(fit, planted_weights_are_recovered) {
    check_recovery("spanish");
    check_recovery("international");
}

// How alike two lists are, from -1 to 1.
static double correlation(const double *x, const double *y, int count) {
    double xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < count; i++) {
        xx += x[i] * x[i];
        yy += y[i] * y[i];
        xy += x[i] * y[i];
    }
    return xy / sqrt(xx * yy);
}

Test(fit, planted_patterns_are_recovered) {
    const struct variant *variant = find("russian");
    struct weights planted = weights_material(variant);
    struct splitmix random = splitmix_of("patterns", 1);
    for (int t = TERM_PATTERN; t < TERM_COUNT; t++)
        for (int k = 0; k < KNOTS; k++)
            planted.value[t][k] = k == 0 ? splitmix_below(&random, 1001) - 500 : planted.value[t][0];
    struct sample_sets sets = make_sets(variant, &planted, 150, 100000, 6000);
    struct fit_settings settings = quick_settings();
    settings.l2[GROUP_PATTERN] = 1;
    struct fit_result result = fit(&sets, &settings);

    // Windows overlap, so several sets of weights may say the same: compared is what they say of positions
    // that the fit has not seen.
    enum { COMPARED = 6000 };
    struct weights material = weights_material(variant);
    double *found = memory_new(COMPARED, sizeof *found), *wanted = memory_new(COMPARED, sizeof *wanted);
    for (int i = 0; i < COMPARED; i++) {
        const struct position *p = &sets.part[SPLIT_VALIDATION].sample[i].position;
        wanted[i] = eval_score(&planted, p) - eval_score(&material, p);
        found[i] =
            eval_score(&result.weights, p) * 150 / result.centipawns_per_logit - eval_score(&material, p);
    }
    weights_free(&material);
    cr_assert_gt(correlation(found, wanted, COMPARED), 0.7, "%g", correlation(found, wanted, COMPARED));
    free(found);
    free(wanted);
    fit_result_free(&result);
    samples_free(&sets);
    weights_free(&planted);
}

Test(fit, planted_scale_is_found) {
    const struct variant *variant = find("russian");
    struct weights planted = planted_weights(variant);
    struct samples samples = make_samples(variant, &planted, 321, 50000, "scale");
    double scale = 0;
    cr_assert(fit_scale_of_weights(&planted, &samples, &scale));
    cr_assert_float_eq(scale, 321, 10);

    for (size_t i = 0; i < samples.count; i++) samples.sample[i].result = (int8_t)-samples.sample[i].result;
    cr_assert_not(fit_scale_of_weights(&planted, &samples, &scale), "the worse side wins");
    free(samples.sample);
    weights_free(&planted);
}

Test(fit, same_bits_for_any_number_of_threads) {
    const struct variant *variant = find("italian");
    struct weights planted = planted_weights(variant);
    struct sample_sets sets = make_sets(variant, &planted, 250, 5000, 500);
    struct fit_settings settings = quick_settings();
    settings.threads = 1;
    settings.batch = 333;
    struct fit_result one = fit(&sets, &settings);
    for (int threads = 2; threads <= 5; threads++) {
        settings.threads = threads;
        struct fit_result more = fit(&sets, &settings);
        cr_assert_eq(memcmp(one.weights.value, more.weights.value, TERM_COUNT * sizeof *one.weights.value),
                     0);
        cr_assert_eq(memcmp(one.loss, more.loss, 2 * sizeof *one.loss), 0, "%d threads", threads);
        cr_assert_eq(one.best, more.best);
        fit_result_free(&more);
    }
    settings.seed++;
    struct fit_result other = fit(&sets, &settings);
    cr_assert_neq(memcmp(one.weights.value, other.weights.value, TERM_COUNT * sizeof *one.weights.value), 0,
                  "another seed, another order of positions");
    samples_free(&sets);
    weights_free(&planted);
    fit_result_free(&one);
    fit_result_free(&other);
}

enum { MOST_EPOCHS = 200 };
struct epochs {
    int count;
    double loss[MOST_EPOCHS + 1];  // validation, by epoch
    bool best[MOST_EPOCHS + 1];
};

static void note_epoch(void *context, const struct fit_epoch *epoch) {
    struct epochs *epochs = context;
    cr_assert_eq(epoch->epoch, ++epochs->count);
    epochs->loss[epoch->epoch] = epoch->loss[SPLIT_VALIDATION];
    epochs->best[epoch->epoch] = epoch->best;
}

// So few games that the weights soon fit to nothing but their chances.
Test(fit, stops_early_and_keeps_the_best_epoch) {
    const struct variant *variant = find("spanish");
    struct weights planted = planted_weights(variant), start = weights_material(variant);
    struct sample_sets sets = make_sets(variant, &planted, 250, 1500, 3000);
    struct fit_settings settings = quick_settings();
    settings.epochs = MOST_EPOCHS;
    settings.batch = 16;
    settings.rate = 0.05;
    struct epochs epochs = {0};
    struct fit_result result;
    struct error error;
    cr_assert(fit_weights(&sets, &start, &settings, note_epoch, &epochs, &result, &error), "%s", error.text);

    int best = 0;
    epochs.loss[0] = result.start_loss[SPLIT_VALIDATION];
    for (int epoch = 1; epoch <= epochs.count; epoch++) {
        const bool lower = epochs.loss[epoch] < epochs.loss[best];
        cr_assert_eq(epochs.best[epoch], lower, "epoch %d", epoch);
        if (lower) best = epoch;
    }
    cr_assert(best > 0);
    cr_assert_eq(result.best, best);
    cr_assert_eq(result.epochs, epochs.count);
    cr_assert_eq(result.epochs, best + settings.patience);
    cr_assert(result.epochs < settings.epochs);
    cr_assert_eq(result.loss[SPLIT_VALIDATION], epochs.loss[best], "the weights are those of the best epoch");
    samples_free(&sets);
    weights_free(&planted);
    weights_free(&start);
    fit_result_free(&result);
}

// Keeps the state as it was after the third epoch.
static void copy_third_state(void *context, const struct fit_epoch *epoch) {
    const char *const *paths = context;
    struct error error;
    char *data;
    size_t size;
    if (epoch->epoch != 4) return;
    cr_assert(file_read(paths[0], 1 << 26, &data, &size, &error) &&
                  file_replace(paths[1], data, size, &error),
              "%s", error.text);
    free(data);
}

Test(fit, goes_on_from_its_state_to_the_same_weights) {
    const struct variant *variant = find("czech");
    struct weights planted = planted_weights(variant), start = weights_material(variant);
    struct sample_sets sets = make_sets(variant, &planted, 250, 5000, 500);
    struct fit_settings settings = quick_settings();
    settings.l2[GROUP_PATTERN] = 5;
    settings.batch = 500;
    settings.epochs = 7;
    settings.patience = 7;
    const char *paths[] = {temporary_path(), temporary_path()};
    settings.state = paths[0];
    struct fit_result whole, resumed;
    struct error error;
    cr_assert(fit_weights(&sets, &start, &settings, copy_third_state, paths, &whole, &error), "%s",
              error.text);
    cr_assert_not(file_exists(paths[0]), "a complete fit leaves no state");

    settings.state = paths[1];
    settings.resume = true;
    settings.threads = 2;
    cr_assert(fit_weights(&sets, &start, &settings, NULL, NULL, &resumed, &error), "%s", error.text);
    cr_assert_eq(memcmp(whole.weights.value, resumed.weights.value, TERM_COUNT * sizeof *whole.weights.value),
                 0);
    cr_assert_eq(memcmp(whole.loss, resumed.loss, 2 * sizeof *whole.loss), 0);
    cr_assert(whole.best == resumed.best && whole.epochs == resumed.epochs);
    fit_result_free(&resumed);

    // Complete, so there is no state any more; then one of other settings, and damage.
    cr_assert_not(fit_weights(&sets, &start, &settings, NULL, NULL, &resumed, &error));
    cr_assert(strstr(error.text, "No such file"), "%s", error.text);
    settings.resume = false;
    settings.state = paths[0];
    cr_assert(fit_weights(&sets, &start, &settings, copy_third_state, paths, &resumed, &error));
    fit_result_free(&resumed);
    settings.resume = true;
    settings.state = paths[1];
    settings.rate *= 2;
    cr_assert_not(fit_weights(&sets, &start, &settings, NULL, NULL, &resumed, &error));
    cr_assert(strstr(error.text, "other settings"), "%s", error.text);
    cr_assert_eq(truncate(paths[1], 5000), 0);
    cr_assert_not(fit_weights(&sets, &start, &settings, NULL, NULL, &resumed, &error));
    cr_assert(strstr(error.text, "damaged"), "%s", error.text);
    for (int i = 0; i < 2; i++) {
        unlink(paths[i]);
        free((void *)paths[i]);
    }
    fit_result_free(&whole);
    weights_free(&planted);
    weights_free(&start);
    samples_free(&sets);
}

Test(fit, l2_holds_a_group_to_its_start) {
    const struct variant *variant = find("spanish");
    struct weights planted = planted_weights(variant);
    struct sample_sets sets = make_sets(variant, &planted, 250, 30000, 3000);
    struct fit_settings settings = quick_settings();
    struct fit_result loose = fit(&sets, &settings);
    settings.l2[GROUP_KING_SQUARE] = 1e6;
    struct fit_result held = fit(&sets, &settings);
    double loose_sum = 0, held_sum = 0, man_sum = 0;
    for (int s = 0; s < MAX_SQUARES; s++) {
        loose_sum += abs(loose.weights.value[TERM_KING_SQUARE + s][KNOT]);
        held_sum += abs(held.weights.value[TERM_KING_SQUARE + s][KNOT]);
        man_sum += abs(held.weights.value[TERM_MAN_SQUARE + s][KNOT]);
    }
    cr_assert(held_sum < loose_sum / 4, "%g held, %g loose", held_sum, loose_sum);
    cr_assert(man_sum > held_sum, "the other group is free");
    samples_free(&sets);
    weights_free(&planted);
    fit_result_free(&loose);
    fit_result_free(&held);
}

// The search knows what the results do not say: with lambda its scores are what is fitted to.
Test(fit, lambda_blends_the_scores_in) {
    const struct variant *variant = find("spanish");
    struct weights planted = planted_weights(variant);
    struct sample_sets sets = make_sets(variant, &planted, 250, 3000, 300);
    for (int part = 0; part < PART_COUNT; part++) {
        for (size_t i = 0; i < sets.part[part].count; i++) {
            struct sample *sample = &sets.part[part].sample[i];
            const int score = eval_score(&planted, &sample->position);
            sample->score = (int16_t)(position_turn(&sample->position) == WHITE ? score : -score);
        }
    }
    struct fit_settings settings = quick_settings();
    settings.batch = 64;
    settings.epochs = 40;
    struct fit_result by_result = fit(&sets, &settings);
    settings.lambda = 1;
    struct fit_result by_score = fit(&sets, &settings);
    double error_by_result = 0, error_by_score = 0;
    const int scale = planted.value[TERM_KING][KNOT];
    for (int s = 0; s < 32; s++) {
        const double wanted = planted.value[TERM_KING_SQUARE + s][KNOT] / (double)scale;
        const int t = TERM_KING_SQUARE + s;
        error_by_result += fabs(
            by_result.weights.value[t][KNOT] / (double)by_result.weights.value[TERM_KING][KNOT] - wanted);
        error_by_score +=
            fabs(by_score.weights.value[t][KNOT] / (double)by_score.weights.value[TERM_KING][KNOT] - wanted);
    }
    cr_assert(error_by_score < error_by_result / 2, "%g by score, %g by result", error_by_score,
              error_by_result);
    samples_free(&sets);
    weights_free(&planted);
    fit_result_free(&by_result);
    fit_result_free(&by_score);
}

Test(fit, refuses_what_teaches_nothing) {
    const struct variant *variant = find("spanish");
    struct weights planted = planted_weights(variant);
    struct sample_sets sets = make_sets(variant, &planted, 250, 400, 100);
    const struct fit_settings settings = quick_settings();
    struct error error;

    struct sample_sets without = sets;
    without.part[SPLIT_VALIDATION].chosen = 0;
    cr_assert(fit_fails(&without, &settings, &error));
    cr_assert(strstr(error.text, "no validation positions"), "%s", error.text);
    without = sets;
    without.part[SPLIT_TRAIN].chosen = 0;
    cr_assert(fit_fails(&without, &settings, &error));
    cr_assert(strstr(error.text, "no train positions"), "%s", error.text);

    struct samples *train = &sets.part[SPLIT_TRAIN];
    for (size_t i = 0; i < train->count; i++) train->sample[i].result = (int8_t)-train->sample[i].result;
    cr_assert(fit_fails(&sets, &settings, &error));
    cr_assert(strstr(error.text, "does not win more"), "%s", error.text);

    for (size_t i = 0; i < train->count; i++) train->sample[i].result = 0;
    memcpy(train->results, (uint64_t[3]){0, train->count, 0}, sizeof train->results);
    cr_assert(fit_fails(&sets, &settings, &error));
    cr_assert(strstr(error.text, "draws"), "%s", error.text);
    samples_free(&sets);
    weights_free(&planted);
}

// ---- Full batches ----

// Validated by what it is trained on, a fit keeps the lowest loss that it reaches.
Test(fit, full_batches_converge_lower_than_mini_batches) {
    const struct variant *variant = find("spanish");
    struct weights planted = planted_weights(variant);
    struct sample_sets sets = {.variant = variant};
    for (int part = SPLIT_TRAIN; part <= SPLIT_VALIDATION; part++)
        sets.part[part] = make_samples(variant, &planted, 150, 10000, "full");
    struct fit_settings settings = quick_settings();
    settings.l2[GROUP_MAN_SQUARE] = settings.l2[GROUP_KING_SQUARE] = 1;
    struct fit_result batches = fit(&sets, &settings);
    settings.method = METHOD_LBFGS;
    settings.epochs = settings.patience = 300;
    struct fit_result full = fit(&sets, &settings);
    settings.threads = 3;
    struct fit_result again = fit(&sets, &settings);
    cr_assert(full.converged && !batches.converged);
    cr_assert(full.epochs > 10 && full.epochs < settings.epochs);
    cr_assert(full.loss[SPLIT_TRAIN] < batches.loss[SPLIT_TRAIN], "%g, and by mini-batches %g",
              full.loss[SPLIT_TRAIN], batches.loss[SPLIT_TRAIN]);
    cr_assert_eq(memcmp(full.weights.value, again.weights.value, TERM_COUNT * sizeof *full.weights.value), 0,
                 "the same for any number of threads");
    samples_free(&sets);
    weights_free(&planted);
    fit_result_free(&batches);
    fit_result_free(&full);
    fit_result_free(&again);
}

// Keeps the state as it is after the first stage, when the next has begun.
static void copy_stage_state(void *context, const struct fit_epoch *epoch) {
    struct fit_epoch third = *epoch;
    if (epoch->epoch != 30) return;
    third.epoch = 4;
    copy_third_state(context, &third);
}

Test(fit, full_batches_go_on_from_their_state_to_the_same_weights) {
    const struct variant *variant = find("czech");
    struct weights planted = planted_weights(variant), start = weights_material(variant);
    struct sample_sets sets = make_sets(variant, &planted, 250, 3000, 500);
    struct fit_settings settings = quick_settings();
    settings.l2[GROUP_PATTERN] = 1;
    settings.method = METHOD_LBFGS;
    settings.epochs = settings.patience = 40;
    const char *paths[] = {temporary_path(), temporary_path()};
    struct fit_result whole, resumed;
    struct error error;
    settings.state = paths[0];
    cr_assert(fit_weights(&sets, &start, &settings, copy_stage_state, paths, &whole, &error), "%s",
              error.text);
    cr_assert_gt(whole.epochs, 30);
    settings.state = paths[1];
    settings.resume = true;
    cr_assert(fit_weights(&sets, &start, &settings, NULL, NULL, &resumed, &error), "%s", error.text);
    cr_assert_eq(memcmp(whole.weights.value, resumed.weights.value, TERM_COUNT * sizeof *whole.weights.value),
                 0);
    cr_assert(whole.best == resumed.best && whole.epochs == resumed.epochs);
    for (int i = 0; i < 2; i++) {
        unlink(paths[i]);
        free((void *)paths[i]);
    }
    fit_result_free(&whole);
    fit_result_free(&resumed);
    weights_free(&planted);
    weights_free(&start);
    samples_free(&sets);
}

// ---- Draws as an outcome of their own ----

static int draw_ordered_result(struct random *random, double z, double margin) {
    const double drawn = random_unit(random);
    return drawn < logistic(z - margin) ? 1 : drawn < logistic(z + margin) ? 0 : -1;
}

Test(fit, planted_margin_of_draws_is_found) {
    const double scale = 150, margins[] = {0.4, 1.5};
    const struct variant *variant = find("italian");
    struct weights planted = planted_weights(variant);
    for (size_t m = 0; m < sizeof margins / sizeof *margins; m++) {
        struct sample_sets sets = make_sets(variant, &planted, scale, 40000, 4000);
        struct random random = random_stream(7, m);
        for (int part = SPLIT_TRAIN; part <= SPLIT_VALIDATION; part++) {
            struct samples *samples = &sets.part[part];
            memset(samples->results, 0, sizeof samples->results);
            for (size_t i = 0; i < samples->count; i++) {
                const double chance = planted_chance(&planted, &samples->sample[i].position, scale);
                const double z = log(chance / (1 - chance));
                samples->sample[i].result = (int8_t)draw_ordered_result(&random, z, margins[m]);
                samples->results[samples->sample[i].result + 1]++;
            }
        }
        struct fit_settings settings = quick_settings();
        settings.draws = DRAWS_ORDERED;
        for (int method = METHOD_ADAGRAD; method <= METHOD_LBFGS; method++) {
            settings.method = (enum fit_method)method;
            settings.epochs = settings.patience = method == METHOD_LBFGS ? 100 : 20;
            struct fit_result result = fit(&sets, &settings);
            const double found = result.draw_margin / result.centipawns_per_logit;
            cr_assert_float_eq(found, margins[m], 0.08, "%g found, %g planted", found, margins[m]);
            cr_assert(result.loss[SPLIT_VALIDATION] < result.start_loss[SPLIT_VALIDATION]);
            fit_result_free(&result);
        }
        samples_free(&sets);
    }
    weights_free(&planted);
}

// ---- Why games are held out as a whole ----

// Games of positions that are alike, won by tossing a coin that falls a little more to the side with more
// pieces: beyond that there is nothing to learn.
static void make_coin_games(const struct variant *variant, int games, struct samples *samples,
                            uint64_t seed) {
    enum { ALIKE = 10 };
    struct splitmix placing = splitmix_of("coins", seed);
    struct random random = random_stream(seed, 1);
    *samples = (struct samples){.sample = memory_new((size_t)games * ALIKE, sizeof *samples->sample),
                                .count = (size_t)games * ALIKE,
                                .chosen = (uint64_t)games * ALIKE,
                                .games = (uint64_t)games};
    for (int game = 0; game < games; game++) {
        const struct position position = random_placement(variant->rules, &placing);
        const int more = bits_count(position.pieces[WHITE]) - bits_count(position.pieces[BLACK]);
        const int result = random_unit(&random) < logistic(0.1 * more) ? 1 : -1;
        samples->results[result + 1]++;
        for (int i = 0; i < ALIKE; i++) {
            samples->sample[game * ALIKE + i] = (struct sample){.position = position,
                                                                .target = (float)(result + 1) / 2,
                                                                .weight = 1,
                                                                .score = NO_SCORE,
                                                                .result = (int8_t)result,
                                                                .game = (uint32_t)game};
            samples->sample[game * ALIKE + i].position.turn = i % 2 == 0 ? WHITE : BLACK;
        }
    }
}

// Every fifth position moves to the validation part, whatever its game.
static void split_by_position(struct sample_sets *sets, const struct samples *all) {
    for (int part = SPLIT_TRAIN; part <= SPLIT_VALIDATION; part++) {
        struct samples *samples = &sets->part[part];
        samples->sample = memory_new(all->count, sizeof *samples->sample);
        samples->games = all->games;
        memcpy(samples->results, all->results, sizeof samples->results);
        for (size_t i = 0; i < all->count; i++)
            if ((i % 5 == 0) == (part == SPLIT_VALIDATION))
                samples->sample[samples->count++] = all->sample[i];
        samples->chosen = samples->count;
    }
}

// A split by position promises what does not come true with new games; a split by game tells.
Test(fit, a_split_by_position_would_flatter) {
    const struct variant *variant = find("russian");
    struct sample_sets by_game = {.variant = variant}, by_position = {.variant = variant};
    make_coin_games(variant, 400, &by_game.part[SPLIT_TRAIN], 1);
    make_coin_games(variant, 400, &by_game.part[SPLIT_VALIDATION], 2);
    make_coin_games(variant, 400, &by_position.part[SPLIT_TEST], 3);
    split_by_position(&by_position, &by_game.part[SPLIT_TRAIN]);
    struct fit_settings settings = quick_settings();
    settings.l2[GROUP_PATTERN] = 0;
    struct fit_result honest = fit(&by_game, &settings), flattered = fit(&by_position, &settings);
    const double promised = flattered.loss[SPLIT_VALIDATION], came = flattered.loss[SPLIT_TEST];
    cr_assert(promised < 0.5 * came, "promised %g, came %g", promised, came);
    cr_assert(honest.loss[SPLIT_VALIDATION] < came, "held-out games stop the fit in time: %g, not %g",
              honest.loss[SPLIT_VALIDATION], came);
    cr_assert_gt(honest.loss[SPLIT_VALIDATION], 0.5, "coins cannot be foreseen");
    samples_free(&by_game);
    samples_free(&by_position);
    fit_result_free(&honest);
    fit_result_free(&flattered);
}

Test(calibration, expects_what_is_scored_where_the_weights_are_true) {
    const struct variant *variant = find("spanish");
    struct weights planted = planted_weights(variant);
    struct samples samples = make_samples(variant, &planted, 250, 40000, "calibration");
    struct calibration calibration;
    struct error error;
    cr_assert(calibrate(&planted, variant, &samples, &samples, 2, &calibration, &error), "%s", error.text);
    cr_assert_float_eq(calibration.centipawns_per_logit, 250, 10);
    cr_assert(calibration.loss < calibration.material_loss);
    uint64_t positions = 0;
    for (int i = 0; i < SCORE_ROWS; i++) {
        const struct calibration_row *row = &calibration.by_score[i];
        positions += row->positions;
        cr_assert(row->positions > 500);
        cr_assert(row->expected >= 0.5 && (i == 0 || row->expected > row[-1].expected));
        cr_assert_float_eq(row->expected, row->scored, 4 * 0.5 / sqrt((double)row->positions));
    }
    cr_assert_eq(positions, samples.count);
    for (int i = 0; i < PIECE_ROWS; i++) positions -= calibration.by_pieces[i].positions;
    cr_assert_eq(positions, 0, "every position has a number of pieces");
    free(samples.sample);
    weights_free(&planted);
}

// ---- From a dataset ----

enum { GAMES = 30 };

// Game i has split i % 3; `id` numbers the games of a file.
static void write_dataset(const char *path, const struct games *games) {
    struct error error = {.text = ""};
    char *rules = rules_to_json(games->variant, &games->draws);
    const struct dataset_info info = {
        .variant = games->variant,
        .rules = rules,
        .engine = "huff test",
        .weights_sha256 = "",
        .limit = "depth=1",
        .config = "{}",
        .first_game = 0,
    };
    void *bytes;
    size_t size;
    struct dataset_writer *writer = dataset_create(&info, &error);
    cr_assert_not_null(writer, "%s", error.text);
    for (int i = 0; i < games->count; i++)
        cr_assert(dataset_add(writer, &games->game[i], (uint64_t)i, (enum split)(i % 3), &error), "%s",
                  error.text);
    cr_assert(dataset_finish(writer, &bytes, &size, &error), "%s", error.text);
    cr_assert(file_replace(path, bytes, size, &error), "%s", error.text);
    free(bytes);
    free(rules);
}

static struct sample_choice any_position(void) {
    return (struct sample_choice){.max_score = SCORE_WIN, .max_clock = MAX_CLOCK, .share = 1};
}

static size_t count_chosen(const struct games *games, const struct sample_choice *choice) {
    size_t count = 0;
    for (int g = 0; g < games->count; g++) {
        for (int i = games->game[g].random_plies; i < games->game[g].plies; i++) {
            const struct played_ply *ply = &games->game[g].ply[i];
            count += i >= choice->skip_plies && abs(ply->score) <= choice->max_score &&
                     ply->clock <= choice->max_clock &&
                     (!choice->quiet_only ||
                      !(ply->flags & (POSITION_CAN_CAPTURE | POSITION_OPPONENT_CAN_CAPTURE)));
        }
    }
    return count;
}

static struct sample_sets read_twice(const char *path, const struct sample_choice *choice) {
    struct error error = {.text = ""};
    struct sample_sets sets;
    const char *paths[2] = {path, path};
    cr_assert(samples_read(paths, 2, NULL, choice, true, &sets, &error), "%s", error.text);
    return sets;
}

Test(samples, games_never_straddle_the_split) {
    struct games games = games_play("brazilian", GAMES, 5);
    char *path = temporary_path();
    write_dataset(path, &games);
    const struct sample_choice choice = sample_choice_usual();
    struct sample_sets sets = read_twice(path, &choice);
    uint64_t counted = 0;
    for (int part = 0; part < PART_COUNT; part++) {
        const struct samples *samples = &sets.part[part];
        cr_assert(samples->count > 20);
        for (size_t i = 0; i < samples->count; i++) {
            const uint32_t game = samples->sample[i].game;
            cr_assert_eq(game % GAMES % 3, part, "game %u in the part %s", game, part_names[part]);
            cr_assert_eq(samples->sample[i].result, games.game[game % GAMES].result);
        }
        cr_assert_eq(samples->results[0] + samples->results[1] + samples->results[2], samples->games);
        counted += samples->games;
    }
    cr_assert(counted <= sets.games && sets.games == 2 * GAMES);

    const size_t all = sets.part[0].count + sets.part[1].count + sets.part[2].count;
    samples_join(&sets);
    cr_assert_eq(sets.part[0].count, all);
    cr_assert_eq(sets.part[0].games, counted);
    samples_free(&sets);
    unlink(path);
    free(path);
    games_free(&games);
}

// Openings are those of the first moves, as a book has them.
Test(samples, games_of_an_opening_are_in_one_part) {
    enum { OPENINGS = 49, EACH = 3, COUNT = OPENINGS * EACH };
    const struct variant *variant = find("spanish");
    struct position start[OPENINGS], initial = variant_initial(variant);
    int starts = 0;
    struct move_list moves, replies;
    variant->generate(&initial, &moves);
    for (int i = 0; i < moves.count; i++) {
        struct position after = initial;
        variant->play(&after, moves.moves[i]);
        variant->generate(&after, &replies);
        for (int j = 0; j < replies.count; j++) {
            start[starts] = after;
            variant->play(&start[starts++], replies.moves[j]);
        }
    }
    cr_assert_eq(starts, OPENINGS);
    struct games games = games_play_from(variant, start, starts, COUNT, 6);
    char *path = temporary_path();
    write_dataset(path, &games);
    struct sample_choice choice = any_position();
    choice.split_by = SPLIT_BY_OPENING;
    struct sample_sets sets = read_twice(path, &choice);
    int part_of[OPENINGS], openings[PART_COUNT] = {0};
    for (int i = 0; i < OPENINGS; i++) part_of[i] = -1;
    for (int part = 0; part < PART_COUNT; part++) {
        const struct samples *samples = &sets.part[part];
        for (size_t i = 0; i < samples->count; i++) {
            int *known = &part_of[samples->sample[i].game % COUNT % OPENINGS];
            cr_assert(*known < 0 || *known == part, "game %u is in %s, others of its opening in %s",
                      samples->sample[i].game, part_names[part], part_names[*known < 0 ? 0 : *known]);
            openings[part] += *known < 0;
            *known = part;
        }
    }
    cr_assert(openings[0] > 2 * (openings[1] + openings[2]) && openings[1] > 0 && openings[2] > 0,
              "%d, %d, %d openings", openings[0], openings[1], openings[2]);
    samples_free(&sets);
    unlink(path);
    free(path);
    games_free(&games);
}

Test(samples, only_chosen_positions_are_taken) {
    struct games games = games_play("spanish", GAMES, 6);
    char *path = temporary_path();
    write_dataset(path, &games);
    const struct sample_choice choices[] = {
        {.quiet_only = true, .max_score = SCORE_WIN, .max_clock = MAX_CLOCK, .share = 1},
        {.quiet_only = false, .max_score = SCORE_WIN, .max_clock = MAX_CLOCK, .share = 1},
        {.quiet_only = true, .max_score = 150, .max_clock = MAX_CLOCK, .share = 1},
        {.quiet_only = true, .max_score = SCORE_WIN, .max_clock = 3, .share = 1},
        {.quiet_only = true, .max_score = SCORE_WIN, .max_clock = MAX_CLOCK, .share = 1, .skip_plies = 20},
        sample_choice_usual(),
    };
    size_t first = 0;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        struct sample_sets sets = read_twice(path, &choices[i]);
        samples_join(&sets);
        cr_assert_eq(sets.part[0].count, 2 * count_chosen(&games, &choices[i]), "choice %zu", i);
        if (i == 0) first = sets.part[0].count;
        cr_assert(i == 0 || sets.part[0].count != first, "choice %zu chooses nothing of its own", i);
        samples_free(&sets);
    }
    struct sample_choice nothing = choices[0];
    nothing.skip_plies = 1000;
    struct sample_sets sets;
    struct error error;
    cr_assert_not(samples_read((const char *const *)&path, 1, NULL, &nothing, true, &sets, &error));
    cr_assert(strstr(error.text, "none of"), "%s", error.text);
    unlink(path);
    free(path);
    games_free(&games);
}

// The sum of the weights of each game's and each piece number's samples, and how many there are.
struct tallies {
    double game[2 * GAMES], pieces[2 * MAX_CAPTURED + 1];
    size_t games[2 * GAMES];
};

static struct tallies tally(const struct samples *samples) {
    struct tallies tallies = {0};
    for (size_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->sample[i];
        tallies.game[sample->game] += sample->weight;
        tallies.games[sample->game]++;
        tallies.pieces[bits_count(sample->position.pieces[WHITE] | sample->position.pieces[BLACK])] +=
            sample->weight;
    }
    return tallies;
}

Test(samples, games_and_piece_numbers_can_be_balanced) {
    struct games games = games_play("spanish", GAMES, 8);
    char *path = temporary_path();
    write_dataset(path, &games);
    struct sample_choice choice = sample_choice_usual();
    choice.game_balance = 1;
    struct sample_sets sets = read_twice(path, &choice);
    const struct samples *train = &sets.part[SPLIT_TRAIN];
    struct tallies tallies = tally(train);
    for (int game = 0; game < 2 * GAMES; game++)
        if (tallies.games[game] > 0)
            cr_assert_float_eq(tallies.game[game], (double)train->count / (double)train->games, 0.01,
                               "game %d: %g", game, tallies.game[game]);
    samples_free(&sets);

    choice.game_balance = 0;
    choice.piece_balance = 1;
    sets = read_twice(path, &choice);
    tallies = tally(&sets.part[SPLIT_TRAIN]);
    double first = 0, sum = 0;
    for (int pieces = 0; pieces <= 2 * MAX_CAPTURED; pieces++) {
        sum += tallies.pieces[pieces];
        if (tallies.pieces[pieces] == 0) continue;
        if (first == 0) first = tallies.pieces[pieces];
        cr_assert_float_eq(tallies.pieces[pieces], first, 0.01 * first, "%d pieces", pieces);
    }
    cr_assert_float_eq(sum, (double)sets.part[SPLIT_TRAIN].count, 0.1);
    samples_free(&sets);

    choice.piece_balance = 0;
    choice.share = 0.5;
    struct sample_sets half = read_twice(path, &choice);
    choice.share = 1;
    sets = read_twice(path, &choice);
    cr_assert(half.part[SPLIT_TRAIN].games < sets.part[SPLIT_TRAIN].games &&
              half.part[SPLIT_TRAIN].games > 0);
    cr_assert_eq(half.part[SPLIT_VALIDATION].count, sets.part[SPLIT_VALIDATION].count,
                 "held-out games all stay");
    samples_free(&half);
    samples_free(&sets);
    unlink(path);
    free(path);
    games_free(&games);
}

Test(samples, damaged_rows_are_refused) {
    struct games games = games_play("spanish", 3, 7);
    games.game[1].result = 2;
    char *path = temporary_path();
    write_dataset(path, &games);
    const struct sample_choice choice = sample_choice_usual();
    struct sample_sets sets;
    struct error error;
    cr_assert_not(samples_read((const char *const *)&path, 1, NULL, &choice, true, &sets, &error));
    cr_assert(strstr(error.text, "game 1") && strstr(error.text, "got 2"), "%s", error.text);
    unlink(path);
    free(path);
    games_free(&games);
}

// ---- More than the buffer holds ----

enum { COPIES = 4, MORE_GAMES = 60 };  // of a file, one after the other, that has so many games

static struct sample_sets read_copies(const char *path, const struct sample_choice *choice) {
    struct error error = {.text = ""};
    struct sample_sets sets;
    const char *paths[COPIES];
    for (int i = 0; i < COPIES; i++) paths[i] = path;
    cr_assert(samples_read(paths, COPIES, NULL, choice, true, &sets, &error), "%s", error.text);
    return sets;
}

// The samples of a pass, in the order of the dataset.
static int compare_samples(const void *a, const void *b) {
    const struct sample *x = a, *y = b;
    if (x->game != y->game) return x->game < y->game ? -1 : 1;
    const int order = memcmp(&x->position, &y->position, sizeof x->position);
    return order != 0 ? order : (x->score > y->score) - (x->score < y->score);
}

static struct samples collect(struct sample_sets *sets, uint64_t stream, size_t most, int *loads) {
    struct samples all = {.sample = memory_new((size_t)sets->part[0].chosen, sizeof *all.sample)};
    struct error error;
    bool more;
    *loads = 0;
    samples_rewind(sets, 1, stream);
    for (;; ++*loads) {
        cr_assert(samples_next(sets, &more, &error), "%s", error.text);
        if (!more) break;
        const struct samples *load = &sets->part[SPLIT_TRAIN];
        cr_assert(load->count <= most, "%zu in memory", load->count);
        cr_assert(all.count + load->count <= load->chosen, "more than there are");
        memcpy(all.sample + all.count, load->sample, load->count * sizeof *load->sample);
        all.count += load->count;
    }
    return all;
}

Test(samples, loads_are_all_of_the_positions_and_never_more_than_the_buffer) {
    struct games games = games_play("spanish", MORE_GAMES, 9);
    char *path = temporary_path();
    write_dataset(path, &games);
    struct sample_choice choice = any_position();
    choice.game_balance = 0.5;
    choice.piece_balance = 0.5;
    struct sample_sets whole = read_copies(path, &choice);
    choice.buffer = whole.part[SPLIT_TRAIN].count / 4;
    struct sample_sets stream = read_copies(path, &choice);
    cr_assert(whole.stream == NULL && stream.stream != NULL);
    const struct samples *wanted = &whole.part[SPLIT_TRAIN], *train = &stream.part[SPLIT_TRAIN];
    cr_assert(train->chosen == wanted->chosen && train->games == wanted->games);
    cr_assert_eq(memcmp(train->results, wanted->results, sizeof wanted->results), 0);
    for (int part = SPLIT_VALIDATION; part < PART_COUNT; part++) {
        cr_assert(stream.part[part].count <= choice.buffer / HELD_OUT_PARTS && stream.part[part].count > 0);
        cr_assert(stream.part[part].count == stream.part[part].chosen);
    }

    qsort(wanted->sample, wanted->count, sizeof *wanted->sample, compare_samples);
    struct samples orders[2];
    for (int order = 0; order < 2; order++) {
        int loads;
        orders[order] = collect(&stream, (uint64_t)order, choice.buffer, &loads);
        cr_assert(loads >= 4 && loads <= 6, "%d loads", loads);
        cr_assert_eq(orders[order].count, wanted->count);
    }
    cr_assert_neq(memcmp(orders[0].sample, orders[1].sample, wanted->count * sizeof *wanted->sample), 0,
                  "the order is drawn anew");
    for (int order = 0; order < 2; order++) {
        struct samples *all = &orders[order];
        qsort(all->sample, all->count, sizeof *all->sample, compare_samples);
        for (size_t i = 0; i < all->count; i++) {
            cr_assert_eq(compare_samples(&all->sample[i], &wanted->sample[i]), 0, "sample %zu", i);
            cr_assert_float_eq(all->sample[i].weight, wanted->sample[i].weight, 1e-6);
        }
        free(all->sample);
    }
    samples_free(&whole);
    samples_free(&stream);
    unlink(path);
    free(path);
    games_free(&games);
}

Test(fit, data_larger_than_the_buffer_give_the_same_bits_and_go_on) {
    struct games games = games_play("spanish", MORE_GAMES, 9);
    char *path = temporary_path();
    write_dataset(path, &games);
    struct fit_settings settings = quick_settings();
    settings.choice = any_position();
    settings.choice.buffer = 4500;
    settings.l2[GROUP_PATTERN] = 5;
    settings.batch = 300;
    settings.epochs = settings.patience = 4;
    struct sample_sets sets = read_copies(path, &settings.choice);
    cr_assert_not_null(sets.stream);
    struct weights start = weights_material(sets.variant);
    const char *paths[] = {temporary_path(), temporary_path()};
    settings.state = paths[0];
    for (int method = METHOD_ADAGRAD; method <= METHOD_LBFGS; method++) {
        struct fit_result one, two;
        struct error error;
        settings.method = (enum fit_method)method;
        settings.epochs = method == METHOD_ADAGRAD ? 4 : 2;
        settings.threads = 1;
        settings.resume = false;
        settings.state = paths[0];
        fit_report *const report = method == METHOD_ADAGRAD ? copy_third_state : NULL;
        cr_assert(fit_weights(&sets, &start, &settings, report, paths, &one, &error), "%s", error.text);
        settings.threads = 2;
        settings.resume = method == METHOD_ADAGRAD;  // the other keeps no state so early
        settings.state = paths[1];
        cr_assert(fit_weights(&sets, &start, &settings, NULL, NULL, &two, &error), "%s", error.text);
        cr_assert_eq(memcmp(one.weights.value, two.weights.value, TERM_COUNT * sizeof *one.weights.value), 0);
        cr_assert(one.epochs == two.epochs && one.loss[SPLIT_TRAIN] == two.loss[SPLIT_TRAIN]);
        fit_result_free(&one);
        fit_result_free(&two);
    }
    for (int i = 0; i < 2; i++) {
        unlink(paths[i]);
        free((void *)paths[i]);
    }
    weights_free(&start);
    samples_free(&sets);
    unlink(path);
    free(path);
    games_free(&games);
}
