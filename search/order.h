// order.h -- which move of a position to try next.
//
// The move that the table remembers comes first, then captures, then the quiet moves that refuted something
// at this ply (killers), then the others by how often they refuted something anywhere (history; J. Schaeffer,
// "The history heuristic and alpha-beta search enhancements in practice", 1989). Nothing is ranked before the
// first move has failed to make the rest superfluous, and nothing is sorted: the best of those left is sought
// each time.
#ifndef HUFF_SEARCH_ORDER_H
#define HUFF_SEARCH_ORDER_H

#include "core/position.h"

enum { KILLERS = 2 };

// What one search has learnt about quiet moves: [side][from][to].
struct history {
    int16_t value[2][64][64];
};

// The moves of one position being tried.
struct order {
    const struct history *history;
    const struct position *position;
    const struct move *killers;  // KILLERS of them
    const struct move_list *list;
    int32_t *rank;  // room for as many as the list is long
    int first;      // index of the move to try first, or -1
    int tried;      // so far
};

// The index of the next move in the list; there must be one left.
int order_next(struct order *);

// The last move tried, `best`, refuted the position's last move with `depth` plies to search; the quiet moves
// tried before it did not.
void order_learn(const struct order *, struct history *, struct move *killers, int best, int depth);

#endif
