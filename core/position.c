// position.c -- equality and the key of a position.
#include "core/position.h"

#include <string.h>

bool position_equal(const struct position *a, const struct position *b) { return !memcmp(a, b, sizeof *a); }

// The finaliser of splitmix64 (Steele, Lea and Flood, 2014): every bit of the input reaches every bit of the
// output.
static uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

uint64_t position_key(const struct position *p) {
    uint64_t rest = p->turn;
    for (int side = 0; side < 2; side++)
        rest = rest << 16 | (uint64_t)p->run[side].king << 8 | p->run[side].moves;
    uint64_t key = mixed(p->pieces[WHITE] + UINT64_C(0x9e3779b97f4a7c15));
    key = mixed(key ^ p->pieces[BLACK]);
    // Most positions have no king, and only Frisian counts king moves: two rounds serve for the rest.
    return mixed(key ^ (p->kings + rest * UINT64_C(0xd1342543de82ef95)));
}
