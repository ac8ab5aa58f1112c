// wire.h -- a pipe or socket as a stream of messages, where every wait has an end.
//
// Hub lines end with '\n', DXP messages with a zero byte; otherwise both are read and written in the same
// way, by engines and by referees. Memory stays within the limit on a message, however much the other side
// sends.
#ifndef HUFF_SEARCH_WIRE_H
#define HUFF_SEARCH_WIRE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/support/error.h"

struct wire {
    int in, out;     // file descriptors, not owned
    char end;        // ends a message and is no part of it
    size_t limit;    // the longest message
    double arrived;  // clock_seconds when the last bytes were read
    char *bytes;     // read and not yet handed on
    size_t capacity, filled;
    size_t taken;    // of these, handed on
    size_t scanned;  // of these, known to hold no end
    bool skipping;   // in the middle of a message that is too long
    bool closed;
};

enum wire_event {
    WIRE_MESSAGE,
    WIRE_LATE,      // nothing whole until the deadline
    WIRE_TOO_LONG,  // a message longer than the limit was thrown away
    WIRE_CLOSED,  // the other side is gone (half a message is dropped), or a signal asks this program to end
};

// `out` may be -1 and is switched to non-blocking writes. A program that writes to a pipe ignores SIGPIPE.
void wire_init(struct wire *, int in, int out, char end, size_t limit);
void wire_free(struct wire *);

// Waits until `deadline` (clock_seconds; INFINITY: for ever). The message is followed by a zero byte and
// valid until the next call. Messages that are there already are handed on after the deadline, too.
enum wire_event wire_receive(struct wire *, double deadline, const char **message, size_t *length);

// Sends the message and its end.
bool wire_send(struct wire *, const char *message, size_t length, double deadline, struct error *)
    __attribute__((warn_unused_result));

// ---- TCP; "HOST:PORT", "[::1]:PORT", and PORT alone for 127.0.0.1. All return a descriptor, or -1 ----

enum { WIRE_ADDRESS_SIZE = 80 };

// Can it be an address? Names of hosts are not looked up.
bool wire_address_check(const char *address, struct error *) __attribute__((warn_unused_result));

// Tries again until the deadline when nobody listens yet.
int wire_connect(const char *address, double deadline, struct error *);
// `bound` is where it listens, with the port that port 0 became.
int wire_listen(const char *address, char bound[static WIRE_ADDRESS_SIZE], struct error *);
int wire_accept(int listener, double deadline, struct error *);
// Closes a connection, but hears the other side out first, until it closes or the deadline: what it had said
// and nobody read would make it see a failure in place of our last words.
#define WIRE_HANG_UP_SECONDS 1.0  // usually
void wire_hang_up(int connection, double deadline);

#endif
