// budget.c -- shares out the time on a clock among the moves it has to last for.
#include "search/budget.h"

#include <math.h>

// Seconds kept back at every move, and for each move that is expected to follow; a small part of the clock is
// used all the same. Even with a clock that has run out a move has to be made.
#define MARGIN      0.05
#define LAG         0.02
#define LEAST_PART  0.05
#define LEAST       0.001
#define MARGIN_PART 0.25  // of a fixed time a move, at most

// A move expects its even share and most of the increment. It may take HARD_SHARES of them, but no more than
// LARGEST_PART of the clock unless the next control follows it. A deeper search takes about as long as all
// before it together, so none is begun after half of what is expected.
enum { EXPECTED_MOVES = 30, HARD_SHARES = 3 };
#define INCREMENT_PART 0.8
#define LARGEST_PART   0.3
#define SOFT_PART      0.5

struct budget budget_of_clock(double remaining, double increment, int moves) {
    const int share = moves > 0 && moves < EXPECTED_MOVES ? moves : EXPECTED_MOVES;
    const double reserve = MARGIN + share * fmax(LAG - (1 - INCREMENT_PART) * increment, 0);
    const double usable = fmax(fmax(remaining - reserve, LEAST_PART * remaining), LEAST);
    const double target = fmin(usable / share + INCREMENT_PART * increment, usable);
    const double most = fmax(LARGEST_PART, 1.0 / share) * usable;
    const double hard = fmax(fmin(HARD_SHARES * target, most), LEAST);
    return (struct budget){.soft = fmin(SOFT_PART * target, hard), .hard = hard};
}

struct budget budget_of_move(double seconds) {
    const double all = fmax(seconds - fmin(MARGIN, MARGIN_PART * seconds), LEAST);
    return (struct budget){.soft = all, .hard = all};
}

struct budget budget_smaller(struct budget a, struct budget b) {
    return (struct budget){.soft = fmin(a.soft, b.soft), .hard = fmin(a.hard, b.hard)};
}
