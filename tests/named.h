// named.h -- variants and positions of tests by their names; a wrong name fails the test.
#ifndef HUFF_TESTS_NAMED_H
#define HUFF_TESTS_NAMED_H

#include <criterion/criterion.h>

#include "core/notation.h"

static inline const struct variant *variant_named(const char *name) {
    struct error error;
    const struct variant *variant = variant_find(name, &error);
    cr_assert(variant, "%s", error.text);
    return variant;
}

// The position of a FEN.
static inline struct position position_of(const struct variant *variant, const char *fen) {
    struct position p;
    struct error error;
    cr_assert(position_from_fen(variant, fen, &p, &error), "%s: %s", fen, error.text);
    return p;
}

#endif
