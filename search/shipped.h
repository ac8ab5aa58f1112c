// shipped.h -- the weights that come with the program: the files configs/weights/VARIANT.weights.gz, byte by
// byte.
#ifndef HUFF_SEARCH_SHIPPED_H
#define HUFF_SEARCH_SHIPPED_H

#include "core/variant.h"

struct shipped {
    const char *variant;
    const unsigned char *begin, *end;
};

// The file for a variant, or for the one of the same moves under another name; NULL when there is none.
const struct shipped *shipped_weights(const struct variant *);

#endif
