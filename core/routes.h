// routes.h -- the ways in which a capture can be made: in which order, and over which squares.
//
// A move says what is taken and where the piece ends; notation sometimes has to say how. Nothing here is on a
// path that must be fast: the rules are read at run time.
#ifndef HUFF_CORE_ROUTES_H
#define HUFF_CORE_ROUTES_H

#include "core/variant.h"

struct route {
    int count;                   // pieces taken
    square taken[MAX_CAPTURED];  // in order
    square stops[MAX_CAPTURED];  // after each piece: where the capture turns, or right behind the piece when
                                 // it goes straight on; the last one is where the move ends
};

// Finds a route of a legal capture, the same one every time. False only when the search was given up, which
// takes a position made for that.
bool route_find(const struct variant *, const struct position *, struct move, struct route *)
    __attribute__((warn_unused_result));

// Does a route of a legal capture stop at these squares in this order, or at least pass them, with others
// before, between and after them? At most MAX_CAPTURED squares.
bool route_stops_at(const struct variant *, const struct position *, struct move, const square *, int count);
bool route_passes(const struct variant *, const struct position *, struct move, const square *, int count);

// Calls `visit` for every route of a legal capture until it returns false. Routes that take the same pieces
// in the same order and directions are one, wherever in between they could have stopped, as in the `paths`
// convention of variant.h. False when the search was given up before all were found.
typedef bool route_visit(void *context, const struct route *);
bool routes_visit(const struct variant *, const struct position *, struct move, route_visit *visit,
                  void *context) __attribute__((warn_unused_result));

// The pieces taken by going straight from each of `squares` to the next with exactly one piece to jump over
// each time; 0 when that is impossible. Whether the rules allow the move is not asked.
bitboard route_captures(const struct variant *, const struct position *, const square *squares, int count);

#endif
