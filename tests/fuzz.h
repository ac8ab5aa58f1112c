// fuzz.h -- a fuzzer's run without libFuzzer: `fuzz_x COUNT SEED` makes inputs from random streams and tries
// each.
#ifndef HUFF_TESTS_FUZZ_H
#define HUFF_TESTS_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/support/clock.h"
#include "core/support/random.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

struct fuzz_run {
    long count;      // inputs tried
    double slowest;  // seconds
    long slowest_input;
};

// Makes an input, which stays until the next call, and says its size.
typedef const uint8_t *fuzz_input(struct random *, size_t *size);

static inline struct fuzz_run fuzz_run(const char *name, int argc, char **argv, fuzz_input *next) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s COUNT SEED\n", name);
        exit(2);
    }
    struct fuzz_run run = {.count = strtol(argv[1], NULL, 10)};
    const uint64_t seed = strtoull(argv[2], NULL, 10);
    for (long i = 0; i < run.count; i++) {
        struct random random = random_stream(seed, (uint64_t)i);
        size_t size;
        const uint8_t *bytes = next(&random, &size);
        const double start = clock_seconds();
        LLVMFuzzerTestOneInput(bytes, size);
        const double seconds = clock_seconds() - start;
        if (seconds <= run.slowest) continue;
        run.slowest = seconds;
        run.slowest_input = i;
    }
    return run;
}

#endif
