// board.c -- the common square numbers, the dense form of files, and the board turned round.
#include "core/board.h"

uint64_t board_pack(int width, bitboard b) {
    const int n = width / 2;
    uint64_t dense = 0;
    for (int row = 0; row < width; row++)
        dense |= (b & board_row(width, row)) >> board_row_start(width, row) << row * n;
    return dense;
}

bitboard board_unpack(int width, uint64_t dense) {
    const int n = width / 2;
    bitboard b = 0;
    for (int row = 0; row < width; row++)
        b |= dense >> row * n << board_row_start(width, row) & board_row(width, row);
    return b;
}

static uint64_t bits_reversed(uint64_t x) {
    x = (x >> 1 & UINT64_C(0x5555555555555555)) | (x & UINT64_C(0x5555555555555555)) << 1;
    x = (x >> 2 & UINT64_C(0x3333333333333333)) | (x & UINT64_C(0x3333333333333333)) << 2;
    x = (x >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (x & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
    return __builtin_bswap64(x);
}

// The gaps between the rows read the same from both ends, so turning the board reverses the bits in use.
bitboard board_turned(int width, bitboard b) {
    const square last = board_square(width, board_squares(width));
    return bits_reversed(b) >> (63 - last);
}
