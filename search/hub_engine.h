// hub_engine.h -- the engine behind the Hub protocol.
#ifndef HUFF_SEARCH_HUB_ENGINE_H
#define HUFF_SEARCH_HUB_ENGINE_H

#include <stdio.h>

#include "core/variant.h"

// The parameters as they are declared, until "set-param" changes them.
struct hub_settings {
    const struct variant *variant;
    int hash_megabytes;
    int threads;          // 0 = 1
    const char *weights;  // as for weights_get; "" = default
};

enum { HUB_DEFAULT_HASH = 64 };  // megabytes

// Obeys the lines read from `in` until "quit" or the end of input, at which a search under way is dropped.
// False when that search did not end within a second: then the program has to exit without cleaning up.
bool hub_serve(const struct hub_settings *, int in, FILE *out) __attribute__((warn_unused_result));

#endif
