// position.h -- what stands on the board, whose turn it is, and what a move does to it.
#ifndef HUFF_CORE_POSITION_H
#define HUFF_CORE_POSITION_H

#include "core/board.h"

struct position {
    bitboard pieces[2];  // of each side, men and kings
    bitboard kings;      // of both sides
    uint8_t turn;        // enum side
    // Games that limit a king's quiet moves in a row (Frisian): the king each side moved last and how often.
    // moves = 0 when nothing counts; `king` is then 0 as well, so that equal positions have equal bytes.
    struct king_run {
        square king;
        uint8_t moves;
    } run[2];
    uint8_t unused[3];  // always 0
};

// A move; two captures that agree in all of this are one move.
struct move {
    bitboard captured;  // pieces taken, empty for a quiet move
    square from, to;    // may be equal in a capture
    bool crowned;       // a man becomes a king by it
    uint8_t unused[5];  // always 0
};

enum {
    // Quiet moves: at most MAX_QUIET, which tests prove from the pieces and the longest lines of each board.
    // Captures have no useful proven bound below the exponential one; the generator stops at MAX_CAPTURES and
    // says so in `truncated`. The richest position that long searches found, a Frisian one, has 1034; on 8x8
    // none was found with 100 (tests/movegen_bounds.c).
    MAX_QUIET = 352,
    MAX_CAPTURES = 1696,
    MAX_MOVES = MAX_QUIET + MAX_CAPTURES,
    MAX_CAPTURED = 20,  // a side has no more pieces
};

struct move_list {
    int count;
    int captures;    // the first `captures` moves of the list are captures
    bool truncated;  // there are more captures than fit: the list must not be used
    struct move moves[MAX_MOVES];
};

static inline bool move_equal(struct move a, struct move b) {
    return a.captured == b.captured && a.from == b.from && a.to == b.to && a.crowned == b.crowned;
}

ALWAYS_INLINE enum side position_turn(const struct position *p) { return (enum side)p->turn; }
ALWAYS_INLINE enum side other_side(enum side side) { return side == WHITE ? BLACK : WHITE; }
ALWAYS_INLINE bitboard position_men(const struct position *p, enum side side) {
    return p->pieces[side] & ~p->kings;
}
ALWAYS_INLINE bitboard position_kings(const struct position *p, enum side side) {
    return p->pieces[side] & p->kings;
}

bool position_equal(const struct position *a, const struct position *b);

// A 64-bit key of everything in the position. Equal positions have equal keys on every machine; different
// ones collide as random numbers do, so a use that must be exact compares positions as well.
uint64_t position_key(const struct position *p);

#endif
