// statistics.h -- what a match says about strength: Elo and its error, and the sequential test.
//
// Pure functions of counts. Pairs of games on one opening with colours swapped are counted as pairs
// (pentanomial), because the two games of a pair are not independent; single games are counted as games
// (trinomial).
//
// Elo is logistic: expected score 1 / (1 + 10^(-elo/400)). Normalised Elo (nElo) measures the score in
// standard deviations of one game, so it keeps its meaning where most games are drawn; it is scaled to agree
// with Elo when no game is drawn (M. Van den Bergh, "Comments on normalized Elo",
// https://www.cantate.be/Fishtest/normalized_elo_practical.pdf).
#ifndef HUFF_SELFPLAY_STATISTICS_H
#define HUFF_SELFPLAY_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/support/error.h"

// How often each outcome came, in increasing order of score.
enum { GAME_KINDS = 3, PAIR_KINDS = 5 };
struct outcomes {
    int kinds;                   // GAME_KINDS: loss, draw, win; PAIR_KINDS: LL, LD, WL or DD, WD, WW
    uint64_t count[PAIR_KINDS];  // the first `kinds`
};

// What the counts do not determine is NAN: everything without games, LOS and nElo without any variance, the
// error of Elo by a single outcome. It is INFINITY when the interval reaches a score of 0 or 1.
struct estimate {
    double score;           // mean, 0..1
    double variance;        // of a game's score, or of a pair's mean score
    double elo, elo_error;  // 95 %: elo +- elo_error
    double nelo, nelo_error;
    double los;          // likelihood of superiority, 0..1
    double draw_ratio;   // outcomes in the middle among all
    double pairs_ratio;  // outcomes above the middle to those below; INFINITY when none is below
};
struct estimate outcomes_estimate(const struct outcomes *);

// a / b for counts, as reports show it: NAN for 0 / 0, INFINITY for a / 0.
double count_ratio(uint64_t a, uint64_t b);

// ---- the sequential probability ratio test ----
//
// Plays until the log-likelihood ratio (LLR) of "elo1" against "elo0" leaves (lower, upper). `normalized` and
// `logistic` are what a match should use; the others are what other match runners call their LLR, so that
// their numbers can be compared.

// X(name, pairs, unit): can it count pairs, and in what unit are its bounds?
#define FOR_EACH_SPRT_MODEL(X)                                                                      \
    X(normalized, true, "nElo")    /* generalised likelihood ratio */                               \
    X(logistic, true, "Elo")       /* the same */                                                   \
    X(quadratic, true, "Elo")      /* second-order approximation of logistic (c-chess-cli) */       \
    X(bayesian, false, "BayesElo") /* logistic, with bounds in BayesElo (fastchess) */              \
    X(wald, false, "BayesElo")     /* likelihoods of BayesElo's own model (OpenBench, for games) */ \
    X(cutechess, false, "Elo")     /* the same, with bounds scaled to Elo (cutechess) */

enum sprt_model {
#define X(name, pairs, unit) SPRT_##name,
    FOR_EACH_SPRT_MODEL(X)
#undef X
        SPRT_MODEL_COUNT
};
extern const char *const sprt_model_names[SPRT_MODEL_COUNT];
extern const char *const sprt_model_units[SPRT_MODEL_COUNT];
bool sprt_counts_pairs(enum sprt_model);

struct sprt {
    enum sprt_model model;
    double elo0, elo1;   // H0: the strength is elo0; H1: it is elo1
    double alpha, beta;  // chance to accept H1 under H0, H0 under H1
};

// elo0 < elo1, both within +-SPRT_ELO_LIMIT; alpha, beta > 0 and alpha + beta < 1.
enum { SPRT_ELO_LIMIT = 1000 };
bool sprt_check(const struct sprt *, struct error *) __attribute__((warn_unused_result));

void sprt_bounds(const struct sprt *, double *lower, double *upper);

// The LLR of these outcomes; 0 without any. Finite for all counts. The model must be able to count their
// kind.
double sprt_llr(const struct sprt *, const struct outcomes *);

enum sprt_verdict { SPRT_UNDECIDED, SPRT_H0, SPRT_H1 };
enum sprt_verdict sprt_judge(const struct sprt *, double llr);

#endif
