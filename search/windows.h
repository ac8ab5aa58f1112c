// windows.h -- the windows on the board through which the evaluation sees how men stand to each other.
//
// A window is a block of four rows by four files: 8 playing squares, two in each row. Windows begin at every
// second row and at each playing square of a row but the last: 9 on an 8x8 board, 16 on 10x10. They overlap,
// so that a formation is seen whole by one of them. Scan 2.0 (Fabien Letouzey) introduced such windows to
// draughts; he writes of them in "Scan 2.0", damforum.nl, topic 6786.
//
// What a window shows is a number in base 3, a digit for each square in the order of the board, the first the
// lowest: 0 for no man (a king is none), 1 for a man of the side that looks, 2 for one of its opponent.
// Turned by 180 degrees, window i is window (count - 1 - i): so Black sees through it what White sees through
// i, and one table of weights serves both. The window in the middle of an 8x8 board is its own counterpart.
#ifndef HUFF_SEARCH_WINDOWS_H
#define HUFF_SEARCH_WINDOWS_H

#include "core/board.h"

enum {
    WINDOW_SQUARES = 8,
    WINDOW_VIEWS = 6561,  // 3^8
    MAX_WINDOWS = 16,
    MAX_WINDOW_TABLES = (MAX_WINDOWS + 1) / 2,
    WINDOW_ROWS = 4,
};

ALWAYS_INLINE int window_columns(int width) { return width / 2 - 1; }
ALWAYS_INLINE int window_count(int width) { return ((width - WINDOW_ROWS) / 2 + 1) * window_columns(width); }
// Windows i and window_count - 1 - i share table i.
ALWAYS_INLINE int window_tables(int width) { return (window_count(width) + 1) / 2; }

ALWAYS_INLINE int window_first_row(int width, int window) { return window / window_columns(width) * 2; }
ALWAYS_INLINE int window_first_column(int width, int window) { return window % window_columns(width); }

// The index of a window's square 0..7 in its order; rows from the top and columns of playing squares.
ALWAYS_INLINE square window_square(int width, int window, int i) {
    return (square)(board_row_start(width, window_first_row(width, window) + i / 2) +
                    window_first_column(width, window) + i % 2);
}
ALWAYS_INLINE bitboard window_mask(int width, int window) {
    bitboard mask = 0;
#pragma GCC unroll 8
    for (int i = 0; i < WINDOW_SQUARES; i++) mask |= square_bit(window_square(width, window, i));
    return mask;
}

// The bits of `b` in a window, packed in its order.
ALWAYS_INLINE unsigned window_bits(int width, int window, bitboard b) {
#ifdef __BMI2__
    return (unsigned)__builtin_ia32_pext_di(b, window_mask(width, window));
#else
    // Rows of a window always begin with an even one of the board, so they lie at the same distances.
    const bitboard rows = b >> window_square(width, window, 0);
    const int n = width / 2;
    return (unsigned)((rows & 3) | (rows >> (n - 1) & 12) | (rows >> (2 * n - 1) & 48) |
                      (rows >> (3 * n - 2) & 192));
#endif
}

// Eight bits as digits 0 and 1 in base 3, and the same for the bits in the opposite order.
extern const uint16_t window_digits[256], window_digits_turned[256];

// What a side sees that sits at the bottom of the board, as White does, and one that sits at the top: his
// view is that of window_count - 1 - window on the turned board.
ALWAYS_INLINE int window_view(int width, int window, bitboard own, bitboard other) {
    return window_digits[window_bits(width, window, own)] +
           2 * window_digits[window_bits(width, window, other)];
}
ALWAYS_INLINE int window_view_from_top(int width, int window, bitboard own, bitboard other) {
    return window_digits_turned[window_bits(width, window, own)] +
           2 * window_digits_turned[window_bits(width, window, other)];
}

#endif
