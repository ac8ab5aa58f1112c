// budget.c -- shares out the time on a clock among the moves it has to last for.
#include "search/budget.h"

#include <math.h>

// Seconds kept back; of little time, the part of it.
#define MARGIN         0.05
#define MARGIN_PART    0.25
#define LEAST          0.001  // even with a clock that has run out a move has to be made
#define INCREMENT_PART 0.8

// A move expects its even share. It may take HARD_SHARES of them, but no more than LARGEST_PART of the clock
// unless the next control follows it; a deeper search takes about as long as all before it together.
enum { EXPECTED_MOVES = 30, HARD_SHARES = 4 };
#define LARGEST_PART 0.3
#define SOFT_PART    0.5

static double without_margin(double seconds) {
    return fmax(seconds - fmin(MARGIN, MARGIN_PART * seconds), LEAST);
}

struct budget budget_of_clock(double remaining, double increment, int moves) {
    const double usable = without_margin(remaining);
    const int share = moves > 0 && moves < EXPECTED_MOVES ? moves : EXPECTED_MOVES;
    const double target = fmin(usable / share + INCREMENT_PART * increment, usable);
    const double most = moves == 1 ? usable : fmax(LARGEST_PART * usable, usable / share);
    const double hard = fmax(fmin(HARD_SHARES * target, most), LEAST);
    return (struct budget){.soft = fmin(SOFT_PART * target, hard), .hard = hard};
}

struct budget budget_of_move(double seconds) {
    const double all = without_margin(seconds);
    return (struct budget){.soft = all, .hard = all};
}

struct budget budget_smaller(struct budget a, struct budget b) {
    return (struct budget){.soft = fmin(a.soft, b.soft), .hard = fmin(a.hard, b.hard)};
}
