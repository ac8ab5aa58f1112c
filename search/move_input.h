// move_input.h -- a move as a person types it, and why it cannot be played.
#ifndef HUFF_SEARCH_MOVE_INPUT_H
#define HUFF_SEARCH_MOVE_INPUT_H

#include "core/variant.h"

// Could this be a move at all? It is when it begins as a square does.
bool move_input_meant(const char *text);

// Reads what core/notation.h reads, and squares with blanks between ("9 13"). The error is one line for the
// person: that a capture obliges, whose the piece is, where it may go, or the forms to choose from when the
// text fits several moves.
bool move_input_read(const struct variant *, const struct position *, const struct move_list *legal,
                     const char *text, struct move *, struct error *) __attribute__((warn_unused_result));

// "9-13, 9-14 and 3 more" of those legal moves that leave `from` (MOVE_INPUT_ANY: of all, captures first).
enum { MOVE_INPUT_ANY = 64, MOVE_INPUT_LIST_SIZE = 1024 };
void move_input_list(const struct variant *, const struct position *, const struct move_list *legal, int from,
                     char text[static MOVE_INPUT_LIST_SIZE]);

#endif
