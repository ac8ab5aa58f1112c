// board_view.h -- a position drawn as text, for people to look at.
#ifndef HUFF_SEARCH_BOARD_VIEW_H
#define HUFF_SEARCH_BOARD_VIEW_H

#include <stdio.h>

#include "core/variant.h"

enum view_colours { VIEW_PLAIN, VIEW_8_COLOURS, VIEW_256_COLOURS };

// The official board is the variant's own, mirrored where its players have it so. The common board is the
// same for all games: a playing square in the near left corner, and the side that begins is drawn and called
// Black, whatever its official colour. Squares have the variant's own names on both.
struct board_view {
    const struct variant *variant;
    bool common;
    enum side below;  // by its official colour
    enum view_colours colours;
    bool utf8;
    int columns;  // of the terminal; 0 = any number
};

// A view fit for what `out` is: colours on a terminal that has them, unless the environment asks for none
// (NO_COLOR); characters as the locale says. The side that begins is below.
struct board_view board_view_for(const struct variant *, bool common, FILE *out);

// "White" or "Black", as the board is drawn.
const char *board_view_side(const struct board_view *, enum side);

// How wide the terminal is now; called before drawing, since windows change their size.
void board_view_fit(struct board_view *, FILE *out);

// Squares in `marked` stand out: where the last move came from and went to. Where the columns do not suffice
// the board is drawn with two of them for a square, without numbers; where even these do not, a line says so.
void board_view_draw(const struct board_view *, const struct position *, bitboard marked, FILE *out);

// A line that says which sign is what, where colours do not.
void board_view_explain(const struct board_view *, FILE *out);

#endif
