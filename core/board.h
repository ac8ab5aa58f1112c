// board.h -- where the squares lie in a 64-bit word, and which way is forward.
//
// One layout serves 8x8 and 10x10. A row holds n = width/2 playing squares; one empty bit ("ghost") follows
// an even row and two follow an odd one. Row 0 is the top, White sits at the bottom and moves up:
//
//     8x8                                   10x10
//      .  0  .  1  .  2  .  3                .  0  .  1  .  2  .  3  .  4
//      5  .  6  .  7  .  8  .                6  .  7  .  8  .  9  . 10  .
//      . 11  . 12  . 13  . 14                . 13  . 14  . 15  . 16  . 17
//     16  . 17  . 18  . 19  .               19  . 20  . 21  . 22  . 23  .
//      ...                                   ...
//
// Every neighbour is then a constant shift (south-west n+1, south-east n+2, two rows south 2n+3, two files
// east 1), and a step off the board lands on a ghost bit or off the word: nothing wraps, no edge masks are
// needed. 8x8 uses 42 bits, 10x10 uses 63.
//
// Squares have a second name that files use: the common number 1.. counted row by row from the top left
// (8x8: b8 = 1 ... g1 = 32; 10x10: b10 = 1 ... i1 = 50). Mirrored official boards (Spanish, Italian) and the
// numbering of each game's notation are the business of notation.h alone.
#ifndef HUFF_CORE_BOARD_H
#define HUFF_CORE_BOARD_H

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t bitboard;
typedef uint8_t square;  // index of a square's bit in a bitboard, 0..63

enum side { WHITE, BLACK };

enum {
    MAX_WIDTH = 10,
    MAX_SQUARES = MAX_WIDTH * MAX_WIDTH / 2,
};

// Functions that must fold away with the rules they are given; see movegen.c.
#define ALWAYS_INLINE static inline __attribute__((always_inline))

// ---- one square, many squares ----

ALWAYS_INLINE bitboard square_bit(square s) { return UINT64_C(1) << s; }
ALWAYS_INLINE bitboard bits_lowest(bitboard b) { return b & -b; }
ALWAYS_INLINE bitboard bits_without_lowest(bitboard b) { return b & (b - 1); }
ALWAYS_INLINE int bits_count(bitboard b) { return __builtin_popcountll(b); }
ALWAYS_INLINE square bits_first(bitboard b) { return (square)__builtin_ctzll(b); }  // b must not be empty

// ---- geometry of a board `width` squares wide (8 or 10); all fold for a constant width ----

ALWAYS_INLINE int board_squares(int width) { return width * width / 2; }
ALWAYS_INLINE int board_row_start(int width, int row) {
    return row / 2 * (width + 3) + row % 2 * (width / 2 + 1);
}
ALWAYS_INLINE bitboard board_row(int width, int row) {
    return ((UINT64_C(1) << width / 2) - 1) << board_row_start(width, row);
}
// Rows first .. last-1.
ALWAYS_INLINE bitboard board_rows(int width, int first, int last) {
    bitboard rows = 0;
#pragma GCC unroll 10
    for (int row = 0; row < MAX_WIDTH; row++)
        if (row >= first && row < last) rows |= board_row(width, row);
    return rows;
}
ALWAYS_INLINE bitboard board_all(int width) { return board_rows(width, 0, width); }

// The shift of one step south-west, south-east, two rows south and two files east.
ALWAYS_INLINE int board_step_sw(int width) { return width / 2 + 1; }
ALWAYS_INLINE int board_step_se(int width) { return width / 2 + 2; }
ALWAYS_INLINE int board_step_s(int width) { return width + 3; }
ALWAYS_INLINE int board_step_e(void) { return 1; }

ALWAYS_INLINE bitboard bits_shift(bitboard b, int step) { return step > 0 ? b << step : b >> -step; }

// Where a side's men are crowned.
ALWAYS_INLINE bitboard board_crown_row(int width, enum side side) {
    return board_row(width, side == WHITE ? 0 : width - 1);
}

// ---- the common square numbers (1-based) ----

ALWAYS_INLINE square board_square(int width, int number) {
    const int n = width / 2, index = number - 1;
    return (square)(board_row_start(width, index / n) + index % n);
}
// Row 0.. from the top of a square, and its place 0.. among the playing squares of the row.
ALWAYS_INLINE int board_rank_from_top(int width, square s) {
    return s / (width + 3) * 2 + (s % (width + 3) > width / 2);
}
ALWAYS_INLINE int board_place_in_row(int width, square s) {
    return s % (width + 3) - (s % (width + 3) > width / 2 ? width / 2 + 1 : 0);
}
// The common number of a square that is on the board.
ALWAYS_INLINE int board_number(int width, square s) {
    return board_rank_from_top(width, s) * (width / 2) + board_place_in_row(width, s) + 1;
}
// File 0.. from the left, on the common board: its top row begins with an empty corner, the next one with a
// playing square, and so on.
ALWAYS_INLINE int board_file(int width, square s) {
    return 2 * board_place_in_row(width, s) + (board_rank_from_top(width, s) % 2 == 0);
}

// Between a bitboard and the dense form of files and datasets: bit i = common square i+1.
uint64_t board_pack(int width, bitboard b);
bitboard board_unpack(int width, uint64_t dense);

// The board turned by 180 degrees: common square n becomes (squares + 1 - n).
bitboard board_turned(int width, bitboard b);

#endif
