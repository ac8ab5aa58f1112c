// random.c -- xoshiro256** and its seeding by splitmix64.
//
// Blackman and Vigna, "Scrambled linear pseudorandom number generators" (2018), https://prng.di.unimi.it/;
// splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).

#include "core/support/random.h"

#include <assert.h>

__extension__ typedef unsigned __int128 wide;

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t rotate_left(uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }

// mix is a bijection with mix(0) = 0: the streams of one seed all start at different points of splitmix64's
// sequence, far apart, and stream 0 is what splitmix64 makes of the seed alone.
struct random random_stream(uint64_t seed, uint64_t stream) {
    uint64_t at = seed ^ mix(stream);
    struct random random;
    for (int i = 0; i < 4; i++) random.state[i] = mix(at += 0x9e3779b97f4a7c15u);
    return random;
}

uint64_t random_bits(struct random *random) {
    uint64_t *s = random->state;
    const uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

// Lemire, "Fast random integer generation in an interval" (2019): the high half of bits * limit, where the
// 2^64 mod limit lowest values of the low half are drawn again.
uint64_t random_below(struct random *random, uint64_t limit) {
    assert(limit > 0);
    wide product = (wide)random_bits(random) * limit;
    if ((uint64_t)product < limit) {
        const uint64_t surplus = -limit % limit;
        while ((uint64_t)product < surplus) product = (wide)random_bits(random) * limit;
    }
    return (uint64_t)(product >> 64);
}

double random_unit(struct random *random) { return (double)(random_bits(random) >> 11) * 0x1p-53; }
