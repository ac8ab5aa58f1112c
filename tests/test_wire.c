// test_wire.c -- messages over pipes and sockets: joined, torn, too long, late, unread, closed.
#include "search/wire.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/support/clock.h"
#include "core/support/memory.h"

enum { LIMIT = 10 };

struct pair {
    int ends[2];
    struct wire wire;  // reads and writes ends[0]
};

static struct pair pair_new(char end) {
    struct pair pair;
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair.ends), 0);
    wire_init(&pair.wire, pair.ends[0], pair.ends[0], end, LIMIT);
    return pair;
}

static void pair_free(struct pair *pair) {
    wire_free(&pair->wire);
    close(pair->ends[0]);
    if (pair->ends[1] >= 0) close(pair->ends[1]);
}

static void put(struct pair *pair, const char *bytes, size_t length) {
    cr_assert_eq(write(pair->ends[1], bytes, length), (ssize_t)length);
}

static void hang_up(struct pair *pair) {
    close(pair->ends[1]);
    pair->ends[1] = -1;
}

static void expect_event(struct pair *pair, enum wire_event expected) {
    const char *text;
    size_t length;
    cr_expect_eq(wire_receive(&pair->wire, clock_seconds() + 0.05, &text, &length), expected);
}

static void expect_message(struct pair *pair, const char *expected) {
    const char *text = "";
    size_t length = 0;
    cr_assert_eq(wire_receive(&pair->wire, INFINITY, &text, &length), WIRE_MESSAGE, "%s", expected);
    cr_expect_str_eq(text, expected);
    cr_expect_eq(length, strlen(expected));
}

Test(wire, joined_and_torn_messages) {
    struct pair pair = pair_new('\n');
    put(&pair, "one\ntwo\n\nthr", 12);
    expect_message(&pair, "one");
    expect_message(&pair, "two");
    expect_message(&pair, "");
    expect_event(&pair, WIRE_LATE);
    put(&pair, "ee\n", 3);
    expect_message(&pair, "three");
    pair_free(&pair);
}

Test(wire, messages_that_are_there_are_handed_on_after_the_deadline) {
    struct pair pair = pair_new('\n');
    const char *text;
    size_t length;
    put(&pair, "a\nb\n", 4);
    cr_expect_eq(wire_receive(&pair.wire, 0, &text, &length), WIRE_MESSAGE);
    cr_expect_eq(wire_receive(&pair.wire, 0, &text, &length), WIRE_MESSAGE);
    cr_expect_eq(wire_receive(&pair.wire, 0, &text, &length), WIRE_LATE);
    pair_free(&pair);
}

Test(wire, messages_that_are_too_long) {
    struct pair pair = pair_new('\0');
    put(&pair, "0123456789\0", 11);
    expect_message(&pair, "0123456789");
    put(&pair, "0123456789a\0next\0", 17);
    expect_event(&pair, WIRE_TOO_LONG);
    expect_message(&pair, "next");
    put(&pair, "0123456789abcdef", 16);
    expect_event(&pair, WIRE_LATE);
    put(&pair, "0123456789abcdef", 16);
    expect_event(&pair, WIRE_LATE);
    put(&pair, "\0end\0", 5);
    expect_event(&pair, WIRE_TOO_LONG);
    expect_message(&pair, "end");
    pair_free(&pair);
}

// Bytes without an end, faster than they can be read.
static void flood(int fd) {
    static const char zeros[1 << 16];
    while (write(fd, zeros, sizeof zeros) > 0)
        ;
    _exit(0);
}

Test(wire, a_flood_ends_no_later_than_the_deadline) {
    struct pair pair = pair_new('\n');
    const pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        close(pair.ends[0]);
        flood(pair.ends[1]);
    }
    hang_up(&pair);
    expect_event(&pair, WIRE_LATE);
    cr_expect_lt(pair.wire.capacity, 1 << 18, "memory stays small");
    pair_free(&pair);  // ends the child: nobody reads what it writes
}

Test(wire, closed) {
    struct pair pair = pair_new('\n');
    put(&pair, "last\nhalf", 9);
    hang_up(&pair);
    expect_message(&pair, "last");
    expect_event(&pair, WIRE_CLOSED);
    expect_event(&pair, WIRE_CLOSED);
    struct error error = {""};
    cr_expect(!wire_send(&pair.wire, "x", 1, clock_seconds() + 1, &error));
    cr_expect(strstr(error.text, "cannot send"), "%s", error.text);
    pair_free(&pair);
}

Test(wire, sends_whole_messages) {
    struct pair pair = pair_new('\0');
    struct error error;
    char bytes[8] = "";
    cr_assert(wire_send(&pair.wire, "move", 4, INFINITY, &error));
    cr_expect_eq(read(pair.ends[1], bytes, sizeof bytes), 5);
    cr_expect_arr_eq(bytes, "move\0", 5);
    pair_free(&pair);
}

Test(wire, gives_up_on_someone_who_does_not_read) {
    enum { SIZE = 1 << 22 };
    struct pair pair = pair_new('\n');
    struct error error = {""};
    char *much = memory_new(SIZE, 1);
    cr_expect(!wire_send(&pair.wire, much, SIZE, clock_seconds() + 0.05, &error));
    cr_expect(strstr(error.text, "does not read"), "%s", error.text);
    free(much);
    pair_free(&pair);
}

Test(wire, connects_and_accepts) {
    char bound[WIRE_ADDRESS_SIZE];
    struct error error;
    const int listener = wire_listen("0", bound, &error);
    cr_assert_geq(listener, 0, "%s", error.text);
    cr_expect(!strncmp(bound, "127.0.0.1:", 10) && strcmp(bound, "127.0.0.1:0"), "%s", bound);
    const int caller = wire_connect(bound, clock_seconds() + 60, &error);
    cr_assert_geq(caller, 0, "%s", error.text);
    const int answerer = wire_accept(listener, clock_seconds() + 60, &error);
    cr_assert_geq(answerer, 0, "%s", error.text);
    cr_expect_eq(write(caller, "x", 1), 1);
    cr_expect_eq(wire_accept(listener, clock_seconds(), &error), -1);
    close(answerer);
    close(caller);
    close(listener);
    cr_expect_eq(wire_connect(bound, clock_seconds(), &error), -1);
    cr_expect(strstr(error.text, "cannot connect"), "%s", error.text);
}

// Without that the other side sees a reset in place of our last words, and on some systems not even these.
Test(wire, hangs_up_on_one_who_has_said_more) {
    struct error error;
    char bound[WIRE_ADDRESS_SIZE], heard[8];
    const int listener = wire_listen("0", bound, &error);
    for (int stays = 0; stays < 2; stays++) {
        const int caller = wire_connect(bound, clock_seconds() + 5, &error);
        const int called = wire_accept(listener, clock_seconds() + 5, &error);
        cr_assert(caller >= 0 && called >= 0);
        cr_assert_eq(write(caller, "more", 4), 4);
        cr_assert_eq(write(called, "last", 4), 4);
        if (!stays) shutdown(caller, SHUT_WR);
        const double begun = clock_seconds(), patience = stays ? 0.2 : 60;
        wire_hang_up(called, begun + patience);
        cr_expect_lt(clock_seconds() - begun, 30);
        cr_expect_eq(read(caller, heard, sizeof heard), 4);
        cr_expect_eq(read(caller, heard, sizeof heard), 0, "no reset");
        close(caller);
    }
    close(listener);
}

Test(wire, addresses_that_are_refused) {
    static const char *const addresses[] = {"", ":", "x", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:99999999"};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        char bound[WIRE_ADDRESS_SIZE];
        struct error error = {""};
        cr_expect_eq(wire_listen(addresses[i], bound, &error), -1, "%s", addresses[i]);
        cr_expect(*error.text);
    }
}
