// notation.h -- positions and moves as text: FEN, each variant's PDN notation, Hub.
//
// The only place that knows official square numbers, letters and mirrored boards (PDN 3.0 GameType:
// github.com/wiegerw/pdn doc/gametype.rst; Hub 2: github.com/rhalbersma/scan protocol.txt).
#ifndef HUFF_CORE_NOTATION_H
#define HUFF_CORE_NOTATION_H

#include "core/game.h"

enum {
    SQUARE_TEXT_SIZE = 4,
    MOVE_TEXT_SIZE = 4 * (MAX_CAPTURED + 2),    // the longest long form
    CAPTURES_TEXT_SIZE = 4 * MAX_CAPTURED + 4,  // " {12,23}"
    FEN_TEXT_SIZE = 8 + 2 * MAX_CAPTURED * 5 + 32,
    HUB_TEXT_SIZE = 1 + MAX_SQUARES + 1,
};

// ---- squares ----

// "7" or "c3", as the variant's PDN writes it.
void square_to_text(const struct variant *, square, char text[static SQUARE_TEXT_SIZE]);
// The number PDN's GameType gives a square (for letters too: a1 = 1 of Russian). 1..board_squares.
int square_pdn_number(const struct variant *, square);
square square_from_pdn_number(const struct variant *, int number);
// Where a square lies on the official board as White sees it: file 0.. from the left, rank 0.. from the
// bottom.
void square_on_official_board(const struct variant *, square, int *file, int *rank);

// ---- positions ----

// Strict PDN 3.0 FEN ("W:W31-50:B1-20" is written square by square: "W:W31,32,...").
void position_to_fen(const struct variant *, const struct position *, char text[static FEN_TEXT_SIZE]);

// Tolerant: ranges, blanks, missing commas, a final dot, quotes, either case, colours in any order, an empty
// side, numbers or letters whatever the variant writes, [FEN "..."], "start". A count of king moves
// ("+248+0": Black's king on 48 has made two, see king_move_limit) is read where the rules have one; other
// fields after the pieces of both sides are skipped. The position is checked (variant_check). `error` names
// the item that is wrong. Numbers in a game of letters are PDN's (a1 = 1), unless that puts a man on its
// crowning row and counting from the top left (b8 = 1), as lidraughts and many engines do, does not.
bool position_from_fen(const struct variant *, const char *text, struct position *, struct error *)
    __attribute__((warn_unused_result));

// The variant and the position that --variant and --fen ask for (fen may be NULL: the start of the game).
bool position_from_options(const char *variant_name, const char *fen, const struct variant **variant,
                           struct position *position, struct error *error)
    __attribute__((warn_unused_result));

// Hub: side to move and one character a square, common numbering ("Wbbbb...wwww").
void position_to_hub(const struct variant *, const struct position *, char text[static HUB_TEXT_SIZE]);
bool position_from_hub(const struct variant *, const char *text, struct position *, struct error *)
    __attribute__((warn_unused_result));

// ---- moves ----

// PDN: "32-28", "28x19", "c3:e5"; the long form with every intermediate square when another legal capture
// has the same ends ("47x38x24x13x36"). `legal` are the moves of `position`.
void move_to_text(const struct variant *, const struct position *, const struct move_list *legal, struct move,
                  char text[static MOVE_TEXT_SIZE]);
// " {23,14}": the captured squares in the variant's notation, in order of number; "" for a quiet move.
void move_captures_to_text(const struct variant *, struct move, char text[static CAPTURES_TEXT_SIZE]);

// The long form of every way to make a capture, with the captured squares in order (see core/routes.h): calls
// `each` until it returns false. False when the search was given up before all were found.
typedef bool route_text(void *context, const char *move, const char *captures);
bool move_routes_to_text(const struct variant *, const struct position *, struct move, route_text *each,
                         void *context) __attribute__((warn_unused_result));

// Tolerant: either sign, "c3e5", leading zeros, blanks, the long form with any of the squares visited or of
// the captured squares, Hub's form, a trailing "=K", "!?" or "{...}" (captured squares in braces are heeded).
// Exactly one legal move must fit, but a text that is one move's long form means that move; the error says
// why not and, when it is ambiguous, names the long forms. Numbers are refused in a game of letters.
bool move_from_text(const struct variant *, const struct position *, const struct move_list *legal,
                    const char *text, struct move *, struct error *) __attribute__((warn_unused_result));

// Hub: "32-28", "28x19x23" (all captured squares, any order when reading), common numbers.
void move_to_hub(const struct variant *, struct move, char text[static MOVE_TEXT_SIZE]);
bool move_from_hub(const struct variant *, const struct move_list *legal, const char *text, struct move *,
                   struct error *) __attribute__((warn_unused_result));

#endif
