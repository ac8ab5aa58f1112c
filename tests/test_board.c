// test_board.c -- where squares lie, how boards are packed, and what turning them does.
#include "core/board.h"

#include <criterion/criterion.h>

#include "core/support/random.h"

// The drawings at the top of board.h: the bit of each square, row by row.
static const int bits_8x8[] = {0,  1,  2,  3,  5,  6,  7,  8,  11, 12, 13, 14, 16, 17, 18, 19,
                               22, 23, 24, 25, 27, 28, 29, 30, 33, 34, 35, 36, 38, 39, 40, 41};
static const int bits_10x10[] = {0,  1,  2,  3,  4,  6,  7,  8,  9,  10, 13, 14, 15, 16, 17, 19, 20,
                                 21, 22, 23, 26, 27, 28, 29, 30, 32, 33, 34, 35, 36, 39, 40, 41, 42,
                                 43, 45, 46, 47, 48, 49, 52, 53, 54, 55, 56, 58, 59, 60, 61, 62};

struct size {
    int width;
    const int *bits;
};
static const struct size sizes[] = {{8, bits_8x8}, {10, bits_10x10}};

#define FOR_EACH_SIZE(size) for (const struct size *size = sizes; size < sizes + 2; size++)

Test(board, numbers_and_bits) {
    FOR_EACH_SIZE(size) {
        bitboard all = 0;
        for (int number = 1; number <= board_squares(size->width); number++) {
            const square s = board_square(size->width, number);
            cr_expect_eq(s, size->bits[number - 1], "%d of %d", number, size->width);
            cr_expect_eq(board_number(size->width, s), number);
            all |= square_bit(s);
        }
        cr_expect_eq(all, board_all(size->width));
    }
}

Test(board, files_and_ranks) {
    FOR_EACH_SIZE(size) {
        int number = 0;
        for (int rank = 0; rank < size->width; rank++)
            for (int file = 0; file < size->width; file++) {
                if ((file + rank) % 2 == 0) continue;  // the top left corner is not a playing square
                const square s = board_square(size->width, ++number);
                cr_expect_eq(board_rank_from_top(size->width, s), rank, "%d of %d", number, size->width);
                cr_expect_eq(board_file(size->width, s), file, "%d of %d", number, size->width);
            }
        cr_expect_eq(number, board_squares(size->width));
    }
}

Test(board, neighbours_are_shifts) {
    FOR_EACH_SIZE(size) {
        const int width = size->width;
        const struct {
            int files, ranks, step;
        } ways[] = {{-1, 1, width / 2 + 1}, {1, 1, width / 2 + 2}, {0, 2, width + 3}, {2, 0, 1}};
        for (int number = 1; number <= board_squares(width); number++)
            for (int i = 0; i < 4; i++) {
                const square s = board_square(width, number);
                const int file = board_file(width, s) + ways[i].files,
                          rank = board_rank_from_top(width, s) + ways[i].ranks;
                const bitboard there = square_bit(s) << ways[i].step & board_all(width);
                if (file < 0 || file >= width || rank >= width) {
                    cr_expect_eq(there, 0, "%d of %d steps off the board", number, width);
                    continue;
                }
                cr_assert_neq(there, 0);
                cr_expect_eq(board_file(width, bits_first(there)), file);
                cr_expect_eq(board_rank_from_top(width, bits_first(there)), rank);
            }
    }
}

Test(board, rows) {
    cr_expect_eq(board_row(8, 0), 0xf);
    cr_expect_eq(board_row(8, 7), UINT64_C(0xf) << 38);
    cr_expect_eq(board_rows(10, 0, 4), board_unpack(10, 0xfffff));
    cr_expect_eq(board_rows(10, 6, 10), board_unpack(10, UINT64_C(0xfffff) << 30));
    cr_expect_eq(board_rows(8, 3, 3), 0);
    cr_expect_eq(board_crown_row(8, WHITE), board_unpack(8, 0xf));
    cr_expect_eq(board_crown_row(8, BLACK), board_unpack(8, 0xf0000000));
    cr_expect_eq(board_crown_row(10, BLACK), board_unpack(10, UINT64_C(0x1f) << 45));
}

Test(board, packing) {
    struct random random = random_stream(1, 0);
    FOR_EACH_SIZE(size) {
        const int squares = board_squares(size->width);
        cr_expect_eq(board_pack(size->width, board_all(size->width)), (UINT64_C(1) << squares) - 1);
        for (int number = 1; number <= squares; number++) {
            const bitboard one = square_bit(board_square(size->width, number));
            cr_expect_eq(board_pack(size->width, one), UINT64_C(1) << (number - 1));
        }
        for (int i = 0; i < 1000; i++) {
            const uint64_t dense = random_bits(&random) >> (64 - squares);
            const bitboard b = board_unpack(size->width, dense);
            cr_expect_eq(b & ~board_all(size->width), 0);
            cr_expect_eq(board_pack(size->width, b), dense);
        }
    }
}

Test(board, turning) {
    struct random random = random_stream(2, 0);
    FOR_EACH_SIZE(size) {
        const int squares = board_squares(size->width);
        for (int number = 1; number <= squares; number++)
            cr_expect_eq(board_turned(size->width, square_bit(board_square(size->width, number))),
                         square_bit(board_square(size->width, squares + 1 - number)));
        for (int i = 0; i < 1000; i++) {
            const bitboard b = random_bits(&random) & board_all(size->width),
                           turned = board_turned(size->width, b);
            cr_expect_eq(board_turned(size->width, turned), b);
            cr_expect_eq(bits_count(turned), bits_count(b));
        }
    }
}
