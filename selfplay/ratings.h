// ratings.h -- ratings of engines that met in pairs, all fitted to all results at once.
#ifndef HUFF_SELFPLAY_RATINGS_H
#define HUFF_SELFPLAY_RATINGS_H

#include "selfplay/statistics.h"

// What came of two engines, in the view of the first; games or pairs of games.
struct meeting {
    int engines[2];
    struct outcomes outcomes;
};

// Elo, the mean of all engines being 0; 95 %: elo +- error. The error is INFINITY for an engine that won or
// lost every game, whose rating no result bounds on one side, and both are NAN without games.
struct rating {
    double elo, error;
};

// The ratings under which the scores are likeliest, when a game's expected score is that of the difference of
// two ratings; a draw is half a win and half a loss (R. A. Bradley and M. E. Terry, "Rank analysis of
// incomplete block designs", Biometrika 39, 1952). A prior that weighs as little as 3 % of a game keeps them
// finite whatever the results. Errors are taken from the variance that the outcomes have, so that draws and
// the pairing of games count for what they are.
void ratings_fit(const struct meeting *, int meeting_count, int engine_count, struct rating *);

#endif
