// shipped.c -- files of weights as parts of the program.
#include "search/shipped.h"

#include <string.h>

// SHIPPED(variant, "path") for every file; made by CMake.
#define SHIPPED(name, path)                                                \
    __asm__(".pushsection .rodata\n"                                       \
            "shipped_" #name ":\n"                                         \
            ".incbin \"" path "\"\n"                                       \
            "shipped_" #name "_end:\n"                                     \
            ".popsection\n");                                              \
    extern const unsigned char shipped_##name[] __asm__("shipped_" #name); \
    extern const unsigned char shipped_##name##_end[] __asm__("shipped_" #name "_end");
#include "search/shipped_weights.inc"
#undef SHIPPED

static const struct shipped files[] = {
#define SHIPPED(name, path) {#name, shipped_##name, shipped_##name##_end},
#include "search/shipped_weights.inc"
#undef SHIPPED
    {0},
};

const struct shipped *shipped_weights(const struct variant *variant) {
    for (const struct shipped *file = files; file->variant; file++) {
        const struct variant *owner = variant_find(file->variant, NULL);
        if (owner && variant_same_moves(owner, variant)) return file;
    }
    return NULL;
}
