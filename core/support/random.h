// random.h -- random numbers that are a pure function of (seed, stream), the same on every machine.
//
// xoshiro256** (Blackman and Vigna, 2018), seeded by splitmix64 of seed and stream. Game g of a run draws
// from stream g, so it does not matter which thread plays it, or when.
#ifndef HUFF_CORE_SUPPORT_RANDOM_H
#define HUFF_CORE_SUPPORT_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state[4];
};

struct random random_stream(uint64_t seed, uint64_t stream);
uint64_t random_bits(struct random *);
uint64_t random_below(struct random *, uint64_t limit);  // 0..limit-1 without bias; limit > 0
double random_unit(struct random *);                     // [0, 1), 53 bits

#endif
