// memory.c -- allocation that ends the program when there is no memory left.

#include "core/support/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64 };

static _Noreturn void out_of_memory(void) {
    fputs("out of memory\n", stderr);
    abort();
}

static void *or_abort(void *memory) {
    if (memory == NULL) out_of_memory();
    return memory;
}

// A size of 0 may give NULL, which would look like failure: such a caller gets one byte.
void *memory_new(size_t count, size_t size) {
    return or_abort(count == 0 || size == 0 ? calloc(1, 1) : calloc(count, size));
}

void *memory_new_aligned(size_t count, size_t size) {
    const size_t lines = (count * size + CACHE_LINE - 1) / CACHE_LINE;
    return memset(or_abort(aligned_alloc(CACHE_LINE, (lines + 1) * CACHE_LINE)), 0, lines * CACHE_LINE);
}

void *memory_grow(void *old, size_t count, size_t size) {
    return or_abort(count == 0 || size == 0 ? realloc(old, 1) : reallocarray(old, count, size));
}

char *memory_text(const char *format, ...) {
    char *text;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) out_of_memory();
    return text;
}
