// openings.h -- where games begin: a position and the moves that were played before the engines take over.
#ifndef HUFF_SELFPLAY_OPENINGS_H
#define HUFF_SELFPLAY_OPENINGS_H

#include "core/game.h"
#include "core/support/random.h"

enum {
    MAX_RANDOM_PLIES = 60,                      // that can be asked for
    MAX_OPENING_PLIES = MAX_RANDOM_PLIES + 20,  // with the exchange that is played out after them
};

// How openings are made. Openings are drawn, not listed: game (or pair) g draws its own from stream (seed,
// g).
struct opening_source {
    struct position start;
    int random_plies;
};

struct opening {
    struct position start;
    int plies;
    uint8_t index[MAX_OPENING_PLIES];  // of each move in the list of legal moves
    struct move moves[MAX_OPENING_PLIES];
};

// "start" (the variant's initial position) or "random:PLIES" (and that many random plies after it).
bool openings_parse(const char *text, const struct variant *, struct opening_source *, struct error *)
    __attribute__((warn_unused_result));

// Draws an opening: random plies, each uniform among the legal moves, and further ones while the side to move
// can capture, so that engines never take over inside an exchange. A draw in which the game ends is drawn
// again from the same stream. Fails when no opening of that length is found (few moves to the end of the
// game).
bool opening_draw(const struct opening_source *, const struct variant *, const struct draw_rules *,
                  struct random *, struct opening *, struct error *) __attribute__((warn_unused_result));

#endif
