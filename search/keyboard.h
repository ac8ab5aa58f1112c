// keyboard.h -- what a person says to a program: lines, and Ctrl-C while it works.
#ifndef HUFF_SEARCH_KEYBOARD_H
#define HUFF_SEARCH_KEYBOARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/support/error.h"

enum { KEYBOARD_LINE_LIMIT = 4096 };  // bytes

enum keyboard_event {
    KEYBOARD_NOTHING,
    KEYBOARD_LINE,
    KEYBOARD_TOO_LONG,   // a longer line was thrown away
    KEYBOARD_INTERRUPT,  // Ctrl-C
    KEYBOARD_END,        // no more lines, or the program is asked to end (SIGTERM)
};

struct keyboard {
    int in, signals;  // descriptors; `in` is not owned, and -1 where no lines are read
    bool skipping;    // in the middle of a line that is too long
    bool ended;       // `in` has no more
    size_t filled, taken;
    char bytes[KEYBOARD_LINE_LIMIT + 1];
};

// From now on Ctrl-C and SIGTERM do nothing but what is said here. Open it before any thread is started.
bool keyboard_open(struct keyboard *, int in, struct error *) __attribute__((warn_unused_result));
void keyboard_close(struct keyboard *);

// Between these two they end the program at once, as they would without all this: for a wait of which it
// knows nothing. False: there was one just now, which has not ended it.
bool keyboard_let_go(struct keyboard *) __attribute__((warn_unused_result));
void keyboard_take_back(void);

// Waits for a line, which is handed on without its end and stays until the next call. Zero bytes become '?'.
enum keyboard_event keyboard_line(struct keyboard *, const char **line);

// Works in a thread until that is done; Ctrl-C and SIGTERM set *stop. Returns what came last, or
// KEYBOARD_NOTHING. Ends the program when there can be no thread.
typedef void keyboard_work(void *context, const atomic_bool *stop);
enum keyboard_event keyboard_during(struct keyboard *, keyboard_work *, void *context);

#endif
