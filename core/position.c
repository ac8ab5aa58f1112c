// position.c -- equality and the key of a position.
#include "core/position.h"

#include <string.h>

bool position_equal(const struct position *a, const struct position *b) { return !memcmp(a, b, sizeof *a); }

// Both halves of a product, folded: every bit of either factor reaches every bit of it (Wang Yi, wyhash,
// 2019).
static uint64_t folded(uint64_t a, uint64_t b) {
    const unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

// Constants from the digits of sqrt 2, 3, 5 and 7. Boards leave bit 63 free, so with that bit neither of the
// first two factors can be 0, which would hide the other.
uint64_t position_key(const struct position *p) {
    uint64_t rest = p->turn;
    for (int side = 0; side < 2; side++)
        rest = rest << 16 | (uint64_t)p->run[side].king << 8 | p->run[side].moves;
    const uint64_t pieces = folded(p->pieces[WHITE] ^ UINT64_C(0xb504f333f9de6484),
                                   p->pieces[BLACK] ^ UINT64_C(0xddb3d742c265539d));
    return folded(pieces ^ UINT64_C(0x8f1bbcdcbfa53e0a),
                  (p->kings ^ UINT64_C(0xa953fd4e97c74dbc)) + rest * UINT64_C(0xd1342543de82ef95));
}
