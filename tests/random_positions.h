// random_positions.h -- random numbers and random placements of pieces for tests, the same as in
// make_positions.py, which describes both.
#ifndef HUFF_TESTS_RANDOM_POSITIONS_H
#define HUFF_TESTS_RANDOM_POSITIONS_H

#include <stdint.h>

#include "core/variant.h"

struct splitmix {
    uint64_t state;
};

static inline uint64_t fnv_bytes(uint64_t hash, const char *text) {
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}
#define FNV_START UINT64_C(0xcbf29ce484222325)

// The numbers of unit `unit` of a name.
static inline struct splitmix splitmix_of(const char *name, uint64_t unit) {
    return (struct splitmix){fnv_bytes(FNV_START, name) ^ unit * UINT64_C(0xd1342543de82ef95)};
}

static inline uint64_t splitmix_bits(struct splitmix *random) {
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline int splitmix_below(struct splitmix *random, int limit) {
    return (int)((splitmix_bits(random) >> 32) * (uint64_t)limit >> 32);
}

// Pieces at random, kings among them; passes variant_check unless it has more captures than a list holds.
static inline struct position random_placement(const struct rules *r, struct splitmix *random) {
    struct position p = {0};
    p.turn = splitmix_below(random, 2) == 0 ? WHITE : BLACK;
    const int pattern = splitmix_below(random, 3);
    const int most = r->rows_of_men * r->width / 2;
    for (int side = WHITE; side <= BLACK; side++) {
        const int drawn = 1 + splitmix_below(random, most);
        const int share = splitmix_below(random, 9);
        const bool patterned = pattern >= 1 && side != p.turn;
        for (int i = patterned ? most : drawn; i > 0; i--) {
            const square s = board_square(r->width, 1 + splitmix_below(random, board_squares(r->width)));
            const bool king = splitmix_below(random, 8) < share;
            if ((p.pieces[WHITE] | p.pieces[BLACK]) & square_bit(s)) continue;
            if (patterned && board_rank_from_top(r->width, s) % 2 != pattern - 1) continue;
            p.pieces[side] |= square_bit(s);
            if (king || board_crown_row(r->width, (enum side)side) & square_bit(s)) p.kings |= square_bit(s);
        }
    }
    return p;
}

#endif
