// error.h -- what went wrong, in one line a user can act on.
//
// Functions that the outside world can make fail return bool (or NULL) and fill a struct error with place and
// cause ("configs/x.yaml:12: games: expected 1..1000000000, got \"2o0\""). Bugs are asserts, and running out
// of memory ends the program (memory.h).
#ifndef HUFF_CORE_SUPPORT_ERROR_H
#define HUFF_CORE_SUPPORT_ERROR_H

#include <stdbool.h>
#include <stddef.h>

struct error {
    char text[1024];  // UTF-8 in any case
};

// Fills `error` (which may be NULL) and returns false, so that a caller can write: return error_set(...);
bool error_set(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Puts "where: " before the text that is there; returns false.
bool error_prefix(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The beginning of what a user or a file said, fit for an error: short, in printable ASCII.
struct quote {
    char text[44];
};
struct quote error_quote(const char *text, size_t length);

#endif
