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

static void check_gradient(const char *name) {
    enum { STRIDE = 37 };  // of the views of windows
    const struct variant *variant = find(name);
    struct weights planted = planted_weights(variant);
    struct samples samples = make_samples(variant, &planted, 200, 400, name);
    per_knot *logits = per_knot_new(LOGIT_COUNT);
    per_knot *gradient = per_knot_new(LOGIT_COUNT);
    struct random random = random_stream(3, 4);
    for (int t = 0; t < TERM_COUNT; t++)
        for (int k = 0; k < KNOTS; k++) logits[t][k] = (random_unit(&random) - 0.5) / 4;

    fit_loss(variant, &samples, logits, gradient, 2);
    int views = 0;
    for (int t = 0; t < TERM_COUNT; t = next_supported(gradient, t + (t < TERM_PATTERN ? 1 : STRIDE))) {
        for (int k = 0; k < KNOTS; k++) {
            const double step = 1e-6, before = logits[t][k];
            logits[t][k] = before + step;
            const double above = fit_loss(variant, &samples, logits, NULL, 1);
            logits[t][k] = before - step;
            const double below = fit_loss(variant, &samples, logits, NULL, 1);
            logits[t][k] = before;
            const double slope = (above - below) / (2 * step);
            cr_assert_float_eq(slope, gradient[t][k], 1e-4 * (1 + fabs(slope)),
                               "%s, term %d, knot %d: %g by differences, %g by the gradient", name, t, k,
                               slope, gradient[t][k]);
            views += t >= TERM_PATTERN && slope != 0;
        }
    }
    cr_assert(views > 50);
    cr_assert(fabs(gradient[TERM_MAN][1]) > 0.1 && fabs(gradient[TERM_KING_SQUARE + 3][1]) > 0.01);
    free(samples.sample);
    free(logits);
    free(gradient);
    weights_free(&planted);
}

Test(fit, gradient_agrees_with_differences) {
    check_gradient("spanish");
    check_gradient("frisian");
}

// The tuner's sum in logits is the engine's evaluation.
Test(fit, expects_what_the_engine_evaluates) {
    const struct variant *variant = find("international");
    struct weights weights = planted_weights(variant);
    struct splitmix views = splitmix_of("views", 1);
    for (int t = TERM_PATTERN; t < TERM_COUNT; t++)
        for (int k = 0; k < KNOTS; k++) weights.value[t][k] = splitmix_below(&views, 1001) - 500;
    struct samples samples = make_samples(variant, &weights, 200, 2000, "engine");
    per_knot *logits = per_knot_new(LOGIT_COUNT);
    fit_logits(&weights, 200, logits);
    for (size_t i = 0; i < samples.count; i++) {
        struct samples one = {.sample = &samples.sample[i], .count = 1};
        one.sample->target = 1;
        const double chance = exp(-fit_loss(variant, &one, logits, NULL, 1));
        // An evaluation is cut to whole centipawns.
        cr_assert_float_eq(chance, planted_chance(&weights, &one.sample->position, 200), 0.0026);
    }
    free(samples.sample);
    free(logits);
    weights_free(&weights);
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

Test(calibration, expects_what_is_scored_where_the_weights_are_true) {
    const struct variant *variant = find("spanish");
    struct weights planted = planted_weights(variant);
    struct samples samples = make_samples(variant, &planted, 250, 40000, "calibration");
    struct calibration calibration;
    struct error error;
    cr_assert(calibrate(&planted, variant, &samples, 2, &calibration, &error), "%s", error.text);
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
