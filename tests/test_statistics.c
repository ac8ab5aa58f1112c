// test_statistics.c -- Elo, nElo, LOS and the sequential test: published examples, properties, extreme
// counts.

#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/random.h"
#include "selfplay/statistics.h"

enum { MOST_GAMES = 20000 };

// ---- helpers

static struct outcomes reversed(const struct outcomes *outcomes) {
    struct outcomes turned = {.kinds = outcomes->kinds};
    for (int i = 0; i < turned.kinds; i++) turned.count[i] = outcomes->count[turned.kinds - 1 - i];
    return turned;
}

static uint64_t total(const struct outcomes *outcomes) {
    uint64_t sum = 0;
    for (int i = 0; i < outcomes->kinds; i++) sum += outcomes->count[i];
    return sum;
}

static struct outcomes random_outcomes(struct random *random, int kinds) {
    struct outcomes outcomes = {.kinds = kinds};
    for (int i = 0; i < kinds; i++) outcomes.count[i] = 1 + random_below(random, 1000);
    return outcomes;
}

static struct sprt test_of(enum sprt_model model, double elo0, double elo1) {
    return (struct sprt){.model = model, .elo0 = elo0, .elo1 = elo1, .alpha = 0.05, .beta = 0.05};
}

static bool can_count(enum sprt_model model, int kinds) {
    return kinds == GAME_KINDS || sprt_counts_pairs(model);
}

// Equal to a part in 10^`digits`, for numbers that are not small.
static bool near(double a, double b, int digits) {
    return fabs(a - b) <= pow(10, -digits) * fmax(1, fmax(fabs(a), fabs(b)));
}

// ---- published examples

static json_t *read_vectors(void) {
    json_error_t error;
    json_t *root = json_load_file(TEST_DATA "/statistics.json", 0, &error);
    cr_assert(root, "line %d: %s", error.line, error.text);
    return root;
}

static struct outcomes counts_of(const json_t *vector) {
    const json_t *counts = json_object_get(vector, "counts");
    struct outcomes outcomes = {.kinds = (int)json_array_size(counts)};
    cr_assert(outcomes.kinds == GAME_KINDS || outcomes.kinds == PAIR_KINDS);
    for (int i = 0; i < outcomes.kinds; i++)
        outcomes.count[i] = (uint64_t)json_integer_value(json_array_get(counts, (size_t)i));
    return outcomes;
}

static double number(const json_t *vector, const char *key) {
    const json_t *value = json_object_get(vector, key);
    cr_assert(json_is_number(value), "%s", key);
    return json_number_value(value);
}

static enum sprt_model model_named(const char *name) {
    int model = 0;
    while (model < SPRT_MODEL_COUNT && strcmp(name, sprt_model_names[model]) != 0) model++;
    cr_assert_lt(model, SPRT_MODEL_COUNT, "no model %s", name);
    return (enum sprt_model)model;
}

// The examples are rounded to six decimals.
static void expect_estimate(const json_t *vector, const char *key, double got) {
    const json_t *wanted = json_object_get(json_object_get(vector, "expect"), key);
    char *text = json_dumps(vector, 0);
    if (json_is_null(wanted))
        cr_expect(!isfinite(got), "%s: %s is %f", text, key, got);
    else
        cr_expect(fabs(got - json_number_value(wanted)) < 1e-6, "%s: %s is %f", text, key, got);
    free(text);
}

Test(statistics, estimates_of_published_examples) {
    json_t *root = read_vectors(), *vector;
    size_t index;
    json_array_foreach(json_object_get(root, "estimates"), index, vector) {
        const struct outcomes outcomes = counts_of(vector);
        const struct estimate got = outcomes_estimate(&outcomes);
        expect_estimate(vector, "score", got.score);
        expect_estimate(vector, "variance", got.variance);
        expect_estimate(vector, "elo", got.elo);
        expect_estimate(vector, "elo_error", got.elo_error);
        expect_estimate(vector, "nelo", got.nelo);
        expect_estimate(vector, "nelo_error", got.nelo_error);
        expect_estimate(vector, "los", got.los);
    }
    cr_expect_eq(index, 12);
    json_decref(root);
}

Test(statistics, llrs_of_published_examples) {
    json_t *root = read_vectors(), *vector;
    size_t index;
    json_array_foreach(json_object_get(root, "llrs"), index, vector) {
        const enum sprt_model model = model_named(json_string_value(json_object_get(vector, "model")));
        const struct sprt test = test_of(model, number(vector, "elo0"), number(vector, "elo1"));
        const struct outcomes outcomes = counts_of(vector);
        const double got = sprt_llr(&test, &outcomes), wanted = number(vector, "llr");
        char *text = json_dumps(vector, 0);
        cr_expect(fabs(got - wanted) < 1e-6, "%s: got %f", text, got);
        free(text);
    }
    cr_expect_eq(index, 34);
    json_decref(root);
}

Test(statistics, bounds_of_published_examples) {
    json_t *root = read_vectors(), *vector;
    size_t index;
    json_array_foreach(json_object_get(root, "bounds"), index, vector) {
        const struct sprt test = {
            .elo1 = 1, .alpha = number(vector, "alpha"), .beta = number(vector, "beta")};
        double lower, upper;
        sprt_bounds(&test, &lower, &upper);
        cr_expect(fabs(lower - number(vector, "lower")) < 1e-6);
        cr_expect(fabs(upper - number(vector, "upper")) < 1e-6);
        cr_expect_eq(sprt_judge(&test, upper), SPRT_H1);
        cr_expect_eq(sprt_judge(&test, lower), SPRT_H0);
        cr_expect_eq(sprt_judge(&test, upper - 1e-9), SPRT_UNDECIDED);
        cr_expect_eq(sprt_judge(&test, lower + 1e-9), SPRT_UNDECIDED);
    }
    cr_expect_eq(index, 4);
    json_decref(root);
}

// The same counts, opposite verdicts: which Elo a test means matters.
Test(statistics, models_disagree_where_they_should) {
    const struct outcomes drawish = {GAME_KINDS, {608, 12530, 648}};
    const struct sprt logistic = test_of(SPRT_logistic, 0, 5), wald = test_of(SPRT_wald, 0, 5);
    cr_expect_eq(sprt_judge(&logistic, sprt_llr(&logistic, &drawish)), SPRT_H0);
    cr_expect(sprt_llr(&wald, &drawish) > 0);
}

Test(statistics, ratios) {
    const struct outcomes pairs = {PAIR_KINDS, {1, 3, 10, 5, 1}};
    const struct estimate estimate = outcomes_estimate(&pairs);
    cr_expect_float_eq(estimate.draw_ratio, 0.5, 1e-12);
    cr_expect_float_eq(estimate.pairs_ratio, 1.5, 1e-12);
    const struct outcomes games = {GAME_KINDS, {2, 6, 0}};
    cr_expect_float_eq(outcomes_estimate(&games).draw_ratio, 0.75, 1e-12);
    cr_expect_float_eq(outcomes_estimate(&games).pairs_ratio, 0, 1e-12);
    cr_expect(isnan(count_ratio(0, 0)) && isinf(count_ratio(3, 0)) && count_ratio(1, 4) == 0.25);
}

// ---- properties

Test(statistics, the_other_side_has_the_opposite) {
    struct random random = random_stream(1, 0);
    for (int round = 0; round < 200; round++) {
        const struct outcomes mine = random_outcomes(&random, round % 2 == 0 ? GAME_KINDS : PAIR_KINDS);
        const struct outcomes yours = reversed(&mine);
        const struct estimate a = outcomes_estimate(&mine), b = outcomes_estimate(&yours);
        cr_expect(near(a.elo, -b.elo, 9) && near(a.elo_error, b.elo_error, 9));
        cr_expect(near(a.nelo, -b.nelo, 9) && near(a.nelo_error, b.nelo_error, 9));
        cr_expect(near(a.los, 1 - b.los, 12) && near(a.score, 1 - b.score, 12));
        cr_expect(near(a.pairs_ratio * b.pairs_ratio, 1, 12) && near(a.draw_ratio, b.draw_ratio, 12));
        for (int model = 0; model < SPRT_MODEL_COUNT; model++) {
            if (!can_count((enum sprt_model)model, mine.kinds)) continue;
            const struct sprt test = test_of((enum sprt_model)model, -1.5, 4);
            const struct sprt mirror = test_of((enum sprt_model)model, -4, 1.5);
            cr_expect(near(sprt_llr(&test, &mine), -sprt_llr(&mirror, &yours), 8), "%s",
                      sprt_model_names[model]);
        }
    }
}

Test(statistics, n_times_the_games_are_n_times_the_evidence) {
    struct random random = random_stream(2, 0);
    for (int round = 0; round < 100; round++) {
        const struct outcomes once = random_outcomes(&random, round % 2 == 0 ? GAME_KINDS : PAIR_KINDS);
        struct outcomes often = once;
        for (int i = 0; i < often.kinds; i++) often.count[i] *= 7;
        const struct estimate a = outcomes_estimate(&once), b = outcomes_estimate(&often);
        cr_expect(near(a.elo, b.elo, 9) && near(a.nelo, b.nelo, 9));
        cr_expect(near(a.nelo_error, b.nelo_error * sqrt(7), 9));
        for (int model = 0; model < SPRT_cutechess; model++) {  // which adds half a game to every count
            if (!can_count((enum sprt_model)model, once.kinds)) continue;
            const struct sprt test = test_of((enum sprt_model)model, 0, 5);
            cr_expect(near(7 * sprt_llr(&test, &once), sprt_llr(&test, &often), 8), "%s",
                      sprt_model_names[model]);
        }
    }
}

Test(statistics, error_of_nelo_depends_on_the_number_of_games_alone) {
    struct random random = random_stream(3, 0);
    for (int round = 0; round < 100; round++) {
        const struct outcomes pairs = random_outcomes(&random, PAIR_KINDS);
        const double games = 2 * (double)total(&pairs);
        cr_expect(near(outcomes_estimate(&pairs).nelo_error, 680.96125 / sqrt(games), 6));
    }
}

// Pairs of independent games tell what their games tell.
Test(statistics, independent_pairs_agree_with_games) {
    const double loss = 0.2, draw = 0.5, win = 0.3, n = 1e6;
    const struct outcomes games = {
        GAME_KINDS, {(uint64_t)(2 * n * loss), (uint64_t)(2 * n * draw), (uint64_t)(2 * n * win)}};
    const struct outcomes pairs = {PAIR_KINDS,
                                   {(uint64_t)(n * loss * loss), (uint64_t)(n * 2 * loss * draw),
                                    (uint64_t)(n * (2 * loss * win + draw * draw)),
                                    (uint64_t)(n * 2 * draw * win), (uint64_t)(n * win * win)}};
    const struct estimate a = outcomes_estimate(&games), b = outcomes_estimate(&pairs);
    cr_expect(near(a.elo, b.elo, 4) && near(a.elo_error, b.elo_error, 4));
    cr_expect(near(a.nelo, b.nelo, 4) && near(a.nelo_error, b.nelo_error, 4));
    for (int model = SPRT_normalized; model <= SPRT_quadratic; model++) {
        const double truth = model == SPRT_normalized ? a.nelo : a.elo;
        const struct sprt test = test_of((enum sprt_model)model, truth - 2, truth);
        cr_expect(near(sprt_llr(&test, &games), sprt_llr(&test, &pairs), 2), "%s: %f %f",
                  sprt_model_names[model], sprt_llr(&test, &games), sprt_llr(&test, &pairs));
    }
}

Test(statistics, a_better_score_is_better_evidence) {
    for (int model = 0; model < SPRT_MODEL_COUNT; model++) {
        const struct sprt test = test_of((enum sprt_model)model, 0, 10);
        double last = -INFINITY;
        for (uint64_t wins = 100; wins <= 300; wins += 10) {
            const struct outcomes games = {GAME_KINDS, {400 - wins, 200, wins}};
            const double llr = sprt_llr(&test, &games);
            cr_expect(llr > last, "%s at %d wins", sprt_model_names[model], (int)wins);
            last = llr;
        }
        cr_expect(last > 0);
    }
}

// ---- extremes

Test(statistics, nothing_is_known_without_games) {
    const struct outcomes none = {PAIR_KINDS, {0}};
    const struct estimate estimate = outcomes_estimate(&none);
    cr_expect(isnan(estimate.elo) && isnan(estimate.elo_error) && isnan(estimate.nelo) &&
              isnan(estimate.los));
    cr_expect(isnan(estimate.score) && isnan(estimate.draw_ratio) && isnan(estimate.pairs_ratio));
    const struct sprt test = test_of(SPRT_normalized, 0, 5);
    cr_expect_eq(sprt_llr(&test, &none), 0);
}

Test(statistics, only_wins_or_losses) {
    const struct outcomes wins = {PAIR_KINDS, {0, 0, 0, 0, 9}}, losses = {PAIR_KINDS, {9, 0, 0, 0, 0}};
    cr_expect(outcomes_estimate(&wins).elo == INFINITY && outcomes_estimate(&losses).elo == -INFINITY);
    cr_expect(outcomes_estimate(&wins).elo_error == INFINITY);
    cr_expect(isnan(outcomes_estimate(&wins).nelo) && isnan(outcomes_estimate(&losses).los));

    const struct outcomes one = {PAIR_KINDS, {0, 1, 0, 0, 0}}, two = {PAIR_KINDS, {0, 2, 0, 0, 0}};
    cr_expect(isnan(outcomes_estimate(&one).elo_error) && outcomes_estimate(&two).elo_error < 1e-3);
}

// Every combination of these counts, under every model and bounds from narrow to the widest.
static void expect_finite(int kinds) {
    static const uint64_t sizes[] = {0, 1, 1000, UINT64_C(1000000000000), UINT64_C(1) << 61};
    static const double bounds[][2] = {{0, 5}, {-0.001, 0.001}, {-SPRT_ELO_LIMIT, SPRT_ELO_LIMIT}};
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    const int combinations = (int)pow(SIZES, kinds);
    for (int n = 0; n < combinations; n++) {
        struct outcomes outcomes = {.kinds = kinds};
        for (int i = 0, rest = n; i < kinds; i++, rest /= SIZES) outcomes.count[i] = sizes[rest % SIZES];
        const struct outcomes turned = reversed(&outcomes);
        for (int model = 0; model < SPRT_MODEL_COUNT; model++) {
            if (!can_count((enum sprt_model)model, kinds)) continue;
            for (int b = 0; b < 3; b++) {
                const struct sprt test = test_of((enum sprt_model)model, bounds[b][0], bounds[b][1]);
                const double llr = sprt_llr(&test, &outcomes);
                cr_assert(isfinite(llr), "%s, combination %d, bounds %d", sprt_model_names[model], n, b);
                // Rounding of more games than any match has, and bounds that are not symmetric.
                if (b == 0 || total(&outcomes) > 100000) continue;
                cr_assert(near(llr, -sprt_llr(&test, &turned), 6), "%s, combination %d, bounds %d: %g",
                          sprt_model_names[model], n, b, llr);
            }
        }
    }
}

Test(statistics, llrs_of_extreme_games_are_finite) { expect_finite(GAME_KINDS); }
Test(statistics, llrs_of_extreme_pairs_are_finite) { expect_finite(PAIR_KINDS); }

Test(statistics, tests_that_make_no_sense_are_refused) {
    static const struct sprt bad[] = {
        {SPRT_normalized, 5, 5, 0.05, 0.05},     {SPRT_normalized, 5, 0, 0.05, 0.05},
        {SPRT_normalized, 0, 5, 0, 0.05},        {SPRT_normalized, 0, 5, 0.05, 0},
        {SPRT_normalized, 0, 5, 0.5, 0.5},       {SPRT_normalized, 0, 5, 0.05, NAN},
        {SPRT_normalized, 0, 1001, 0.05, 0.05},  {SPRT_normalized, NAN, 5, 0.05, 0.05},
        {SPRT_normalized, -2000, 5, 0.05, 0.05},
    };
    struct error error;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_expect_not(sprt_check(&bad[i], &error), "number %zu", i);
    const struct sprt good = test_of(SPRT_logistic, 0, 5);
    cr_expect(sprt_check(&good, &error));
}

// ---- error rates

// Chances of the outcomes of a pair: drawish, and `shift` from the losing to the winning ones.
static void chances(double shift, double p[PAIR_KINDS]) {
    static const double even[PAIR_KINDS] = {0.02, 0.2, 0.56, 0.2, 0.02};
    for (int i = 0; i < PAIR_KINDS; i++) p[i] = even[i];
    p[1] -= shift;
    p[3] += shift;
}

static double nelo_of_chances(double shift) {
    double p[PAIR_KINDS];
    chances(shift, p);
    struct outcomes many = {.kinds = PAIR_KINDS};
    for (int i = 0; i < PAIR_KINDS; i++) many.count[i] = (uint64_t)llround(p[i] * 1e12);
    return outcomes_estimate(&many).nelo;
}

static enum sprt_verdict simulate(const struct sprt *test, const double p[PAIR_KINDS],
                                  struct random *random) {
    struct outcomes pairs = {.kinds = PAIR_KINDS};
    enum sprt_verdict verdict = SPRT_UNDECIDED;
    for (int game = 0; verdict == SPRT_UNDECIDED && game < MOST_GAMES; game += 2) {
        double left = random_unit(random);
        int kind = 0;
        while (kind < PAIR_KINDS - 1 && left >= p[kind]) left -= p[kind++];
        pairs.count[kind]++;
        verdict = sprt_judge(test, sprt_llr(test, &pairs));
    }
    return verdict;
}

// HUFF_TEST_SPRT, or few enough for every day.
static int simulated_tests(void) {
    const char *text = getenv("HUFF_TEST_SPRT");
    return text != NULL ? atoi(text) : 200;
}

// Where a hypothesis is exactly true, the other is accepted as rarely as was asked for, up to chance.
static void expect_error_rates(double alpha, double beta, double shift, uint64_t seed) {
    const int tests = simulated_tests();
    struct sprt test = test_of(SPRT_normalized, 0, nelo_of_chances(shift));
    test.alpha = alpha;
    test.beta = beta;
    for (int truth = 0; truth < 2; truth++) {
        const double rate = truth == 0 ? alpha : beta;
        double p[PAIR_KINDS];
        chances(truth * shift, p);
        int wrong = 0, undecided = 0;
        for (int i = 0; i < tests; i++) {
            struct random random = random_stream(seed + (uint64_t)truth, (uint64_t)i);
            const enum sprt_verdict verdict = simulate(&test, p, &random);
            wrong += verdict == (truth == 0 ? SPRT_H1 : SPRT_H0);
            undecided += verdict == SPRT_UNDECIDED;
        }
        cr_log_info("H%d: %d of %d wrong, %g asked for", truth, wrong, tests, rate);
        cr_expect(wrong <= tests * rate + 3 * sqrt(tests * rate * (1 - rate)), "H%d: %d of %d wrong", truth,
                  wrong, tests);
        cr_expect(wrong > 0, "H%d: the test never errs: its bounds are too wide", truth);
        cr_expect_eq(undecided, 0);
    }
}

Test(statistics, simulated_tests_keep_their_error_rates) { expect_error_rates(0.05, 0.05, 0.1, 4); }
Test(statistics, simulated_tests_keep_unequal_error_rates) { expect_error_rates(0.1, 0.02, 0.15, 6); }
