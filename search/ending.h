// ending.h -- solved endings: up to three kings against one on the 8x8 board, up to two on 10x10.
//
// What a search cannot see and an evaluation hardly says: three flying kings need up to 13 moves to catch a
// king that does not stand on the main road (Petrov's triangle), two kings of Frisian up to 10, most of them
// without a visible gain. The tables are computed by the rules of the variant when they are first asked for,
// in about a tenth of a second, and stay for all searches of the program.
#ifndef HUFF_SEARCH_ENDING_H
#define HUFF_SEARCH_ENDING_H

#include <stdatomic.h>

#include "core/variant.h"

struct endings;

// Where no move wins there are none.
bool endings_exist(const struct variant *);
// From any thread. NULL when *stop (may be NULL) was set on the way.
const struct endings *endings_get(const struct variant *, const atomic_bool *stop)
    __attribute__((warn_unused_result));

// The plies in which the side to move wins by force or loses (0: it has no move now). False when neither is
// known. Draw rules are not looked at.
bool endings_find(const struct endings *, const struct position *, int *plies, bool *won)
    __attribute__((warn_unused_result));

// A move that wins, or loses, in just as many plies as endings_find says; false when it says nothing.
bool endings_move(const struct endings *, const struct position *, struct move *)
    __attribute__((warn_unused_result));

#endif
