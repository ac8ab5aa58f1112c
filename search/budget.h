// budget.h -- how long to think about a move.
#ifndef HUFF_SEARCH_BUDGET_H
#define HUFF_SEARCH_BUDGET_H

// Seconds from the start of the search.
struct budget {
    double soft;  // begin no deeper search after this
    double hard;  // have the move by then
};

// `remaining` is on the clock now, `increment` comes with each move after this one, `moves` are to be made
// with what remains, this one included (0: all that are left of the game). Of any clock with more than a few
// milliseconds `hard` leaves a margin, for the delays of sending and of a busy machine.
struct budget budget_of_clock(double remaining, double increment, int moves);

// A fixed time a move: all of it but the margin.
struct budget budget_of_move(double seconds);

struct budget budget_smaller(struct budget a, struct budget b);

#endif
