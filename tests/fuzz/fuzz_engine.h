// fuzz_engine.h -- an engine that plays legal moves and keeps to its protocol, but for the faults that an
// input asks for.
#ifndef HUFF_TESTS_FUZZ_FUZZ_ENGINE_H
#define HUFF_TESTS_FUZZ_FUZZ_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/support/random.h"
#include "core/variant.h"

enum fuzz_engine_kind { FUZZ_HUB, FUZZ_TEXT, FUZZ_DXP };

// A byte for each message in turn: the fault that it has, or FUZZ_NO_FAULT, as those after the last one.
struct fuzz_script {
    enum fuzz_engine_kind kind;
    const struct variant *variant;
    uint64_t seed;  // of moves and of what a fault leaves open
    const uint8_t *faults;
    size_t count;
    bool detaches;  // a child that it leaves behind is one of a session of its own
    char *blame;  // becomes what the referee said wrong, in FUZZ_BLAME_SIZE bytes; NULL: stderr alone has it
};
enum { FUZZ_NO_FAULT = 255, FUZZ_BLAME_SIZE = 120 };

uint8_t fuzz_engine_fault(struct random *);  // those that others have to wait for are rare
bool fuzz_engine_leaves_child(const struct fuzz_script *);

// Converses over its standard input and output.
_Noreturn void fuzz_engine_run(const struct fuzz_script *);

// Converses over one connection after the other: those that are made to the listener, or its own to the
// address where `listener` is -1.
_Noreturn void fuzz_engine_serve(const struct fuzz_script *, int listener, const char *address, bool once);

#endif
