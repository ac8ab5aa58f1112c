// memory.h -- allocation that does not fail: out of memory ends the program with a message.
#ifndef HUFF_CORE_SUPPORT_MEMORY_H
#define HUFF_CORE_SUPPORT_MEMORY_H

#include <stddef.h>

void *memory_new(size_t count, size_t size) __attribute__((malloc, returns_nonnull));  // zeroed; free()
// The same, from the beginning of a cache line on. The size must not overflow.
void *memory_new_aligned(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *memory_grow(void *old, size_t count, size_t size) __attribute__((returns_nonnull));
char *memory_text(const char *format, ...) __attribute__((format(printf, 1, 2), malloc, returns_nonnull));

#endif
