// test_ratings.c -- the joint fit finds planted ratings and errors, and ends whatever the results.

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/support/random.h"
#include "selfplay/ratings.h"

enum { MOST = 8 };

static double expected(double elo) { return 1 / (1 + pow(10, -elo / 400)); }

// Every engine against every other.
static int round_robin(int engines, struct meeting meetings[static MOST * MOST]) {
    int count = 0;
    for (int i = 0; i < engines; i++) {
        for (int j = i + 1; j < engines; j++) meetings[count++] = (struct meeting){.engines = {i, j}};
    }
    return count;
}

// Games of engines of these strengths, a part `drawish` of the points of which is shared.
static struct outcomes play(double elo, double drawish, int games, struct random *random) {
    struct outcomes outcomes = {.kinds = GAME_KINDS};
    const double p = expected(elo), draws = 2 * drawish * fmin(p, 1 - p);
    for (int i = 0; i < games; i++) {
        const double x = random_unit(random);
        outcomes.count[x < draws ? 1 : x < draws + p - draws / 2 ? 2 : 0]++;
    }
    return outcomes;
}

Test(ratings, of_exact_scores_are_exact) {
    static const double planted[] = {150, 30, -40, -140};
    struct meeting meetings[MOST * MOST];
    const int count = round_robin(4, meetings);
    for (int i = 0; i < count; i++) {
        const double p = expected(planted[meetings[i].engines[0]] - planted[meetings[i].engines[1]]);
        const uint64_t wins = (uint64_t)llround(1e9 * p);
        meetings[i].outcomes = (struct outcomes){GAME_KINDS, {1000000000 - wins, 0, wins}};
    }
    struct rating ratings[4];
    ratings_fit(meetings, count, 4, ratings);
    for (int i = 0; i < 4; i++) cr_expect_float_eq(ratings[i].elo, planted[i], 1e-4, "%d", i);
}

// With games the planted ratings lie within the errors as often as 95 % promise.
Test(ratings, of_played_games_are_within_their_errors) {
    static const double planted[] = {120, 60, 10, -50, -140};
    enum { ENGINES = 5, TOURNAMENTS = 400 };
    int outside = 0;
    for (int t = 0; t < TOURNAMENTS; t++) {
        struct random random = random_stream(11, (uint64_t)t);
        struct meeting meetings[MOST * MOST];
        const int count = round_robin(ENGINES, meetings);
        for (int i = 0; i < count; i++) {
            const double elo = planted[meetings[i].engines[0]] - planted[meetings[i].engines[1]];
            meetings[i].outcomes = play(elo, 0.6, 200, &random);
        }
        struct rating ratings[ENGINES];
        ratings_fit(meetings, count, ENGINES, ratings);
        for (int i = 0; i < ENGINES; i++) {
            cr_assert(ratings[i].error > 5 && ratings[i].error < 50, "%f", ratings[i].error);
            outside += fabs(ratings[i].elo - planted[i]) > ratings[i].error;
        }
    }
    const double n = TOURNAMENTS * ENGINES, wanted = 0.05 * n;
    const double deviation = sqrt(n * 0.05 * 0.95 * 2);  // ratings of one tournament hang together
    cr_expect(fabs(outside - wanted) < 4 * deviation, "%d of %.0f outside", outside, n);
}

// Two engines have half the difference that their match says, with half its error.
Test(ratings, of_two_engines_agree_with_their_match) {
    struct meeting meeting = {{0, 1}, {PAIR_KINDS, {400, 540, 630, 640, 750}}};
    const struct estimate match = outcomes_estimate(&meeting.outcomes);
    struct rating ratings[2];
    ratings_fit(&meeting, 1, 2, ratings);
    cr_expect_float_eq(ratings[0].elo, match.elo / 2, 0.01);
    cr_expect_float_eq(ratings[1].elo, -match.elo / 2, 0.01);
    cr_expect_float_eq(ratings[0].error, match.elo_error / 2, 0.01);
}

// A gauntlet: the others never met, and are rated all the same.
Test(ratings, of_engines_that_met_one_other_only) {
    struct meeting meetings[] = {{{0, 1}, {GAME_KINDS, {100, 200, 300}}},
                                 {{0, 2}, {GAME_KINDS, {300, 200, 100}}}};
    struct rating ratings[3];
    ratings_fit(meetings, 2, 3, ratings);
    cr_expect_float_eq(ratings[0].elo, 0, 1e-6);
    cr_expect_float_eq(ratings[1].elo, -ratings[2].elo, 1e-6);
    cr_expect_float_eq(ratings[2].elo, 400 * log10(2), 0.1);
}

Test(ratings, of_an_engine_that_won_everything_are_finite) {
    static const uint64_t sizes[] = {1, 50, 1000000, UINT64_C(1000000000000)};
    for (int i = 0; i < 4; i++) {
        struct meeting meetings[] = {{{0, 1}, {PAIR_KINDS, {0, 0, 0, 0, sizes[i]}}},
                                     {{0, 2}, {PAIR_KINDS, {0, 0, 0, 0, sizes[i]}}},
                                     {{1, 2}, {PAIR_KINDS, {sizes[i], 2 * sizes[i], 0, sizes[i], sizes[i]}}}};
        struct rating ratings[3];
        ratings_fit(meetings, 3, 3, ratings);
        cr_expect(ratings[0].elo > 200 && ratings[0].elo < 10000, "%f", ratings[0].elo);
        cr_expect(ratings[0].error == INFINITY && isfinite(ratings[1].error));
        cr_expect(isfinite(ratings[1].elo) && ratings[1].elo < ratings[0].elo);
        cr_expect_float_eq(ratings[0].elo + ratings[1].elo + ratings[2].elo, 0, 1e-3);
    }
}

Test(ratings, without_games_are_unknown) {
    struct meeting meetings[] = {{{0, 1}, {PAIR_KINDS, {1, 1, 1, 1, 1}}}, {{0, 2}, {PAIR_KINDS, {0}}}};
    struct rating ratings[3];
    ratings_fit(meetings, 2, 3, ratings);
    cr_expect_float_eq(ratings[0].elo, 0, 1e-9);
    cr_expect(isnan(ratings[2].elo) && isnan(ratings[2].error));
    ratings_fit(NULL, 0, 3, ratings);
    cr_expect(isnan(ratings[0].elo));
}
