// wire.c -- reads and writes messages over pipes and sockets, and opens the sockets.
#include "search/wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "core/support/clock.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "core/support/progress.h"

enum { READ_SIZE = 1 << 16, LISTEN_QUEUE = 4 };

#define RETRY_SECONDS 0.1  // between two attempts to connect

// ---- messages ----

static void set_nonblocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

void wire_init(struct wire *wire, int in, int out, char end, size_t limit) {
    *wire = (struct wire){.in = in, .out = out, .end = end, .limit = limit};
    if (out >= 0) set_nonblocking(out);
}

void wire_free(struct wire *wire) {
    free(wire->bytes);
    *wire = (struct wire){.in = -1, .out = -1};
}

// Hands on the first whole message.
static bool take_message(struct wire *wire, const char **message, size_t *length) {
    char *end = NULL;
    if (wire->scanned < wire->filled)
        end = memchr(wire->bytes + wire->scanned, wire->end, wire->filled - wire->scanned);
    if (!end) {
        wire->scanned = wire->filled;
        return false;
    }
    *message = wire->bytes + wire->taken;
    *length = (size_t)(end - *message);
    *end = '\0';
    wire->taken = wire->scanned = (size_t)(end + 1 - wire->bytes);
    return true;
}

// Moves what is left to the front and makes room behind it.
static void make_room(struct wire *wire) {
    const size_t left = wire->filled - wire->taken;
    if (wire->taken) memmove(wire->bytes, wire->bytes + wire->taken, left);
    wire->filled = wire->scanned = left;
    wire->taken = 0;
    if (wire->capacity - left >= READ_SIZE) return;
    wire->capacity = 2 * left + READ_SIZE;
    wire->bytes = memory_grow(wire->bytes, wire->capacity, 1);
}

static void read_more(struct wire *wire) {
    make_room(wire);
    const ssize_t count = read(wire->in, wire->bytes + wire->filled, READ_SIZE);
    if (count > 0) {
        wire->filled += (size_t)count;
        wire->arrived = clock_seconds();
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
        wire->closed = true;
    }
}

enum wire_event wire_receive(struct wire *wire, double deadline, const char **message, size_t *length) {
    for (bool waited = false;; waited = true) {
        if (take_message(wire, message, length)) {
            const bool too_long = wire->skipping || *length > wire->limit;
            wire->skipping = false;
            return too_long ? WIRE_TOO_LONG : WIRE_MESSAGE;
        }
        if (wire->filled - wire->taken > wire->limit) {
            wire->skipping = true;
            wire->taken = wire->filled;
        }
        if (wire->closed) return WIRE_CLOSED;
        // Bytes without an end may come for ever.
        if (waited && clock_seconds() >= deadline) return WIRE_LATE;
        if (interruptible_wait(wire->in, POLLIN, deadline)) read_more(wire);
        if (interrupted()) return WIRE_CLOSED;
    }
}

static ssize_t write_some(int fd, const char *bytes, size_t length) {
    const ssize_t count = send(fd, bytes, length, MSG_NOSIGNAL);
    return count < 0 && errno == ENOTSOCK ? write(fd, bytes, length) : count;
}

static bool send_bytes(int fd, const char *bytes, size_t length, double deadline, struct error *error) {
    while (length) {
        const ssize_t count = write_some(fd, bytes, length);
        if (count > 0) {
            bytes += count;
            length -= (size_t)count;
        } else if (count < 0 && errno != EAGAIN && errno != EINTR) {
            return error_set(error, "cannot send: %s", strerror(errno));
        } else if (clock_seconds() >= deadline || interrupted()) {
            return error_set(error, "cannot send: the other side does not read");
        } else {
            interruptible_wait(fd, POLLOUT, deadline);
        }
    }
    return true;
}

// In one piece, since a reader may take every packet for a message of its own.
bool wire_send(struct wire *wire, const char *message, size_t length, double deadline, struct error *error) {
    char *bytes = memory_new(length + 1, 1);
    memcpy(bytes, message, length);
    bytes[length] = wire->end;
    const bool sent = send_bytes(wire->out, bytes, length + 1, deadline, error);
    free(bytes);
    return sent;
}

// ---- TCP ----

static const char *port_of(const char *address) {
    const char *colon = strrchr(address, ':');
    return colon ? colon + 1 : address;
}

bool wire_address_check(const char *address, struct error *error) {
    int64_t number;
    return options_number("port", port_of(address), 0, UINT16_MAX, &number, error) ||
           error_prefix(error, "%s: expected HOST:PORT or PORT", address);
}

// Looks "HOST:PORT" or "PORT" up; free with freeaddrinfo.
static struct addrinfo *look_up(const char *address, int flags, struct error *error) {
    const char *colon = strrchr(address, ':'), *port = port_of(address);
    if (!wire_address_check(address, error)) return NULL;
    const bool bracketed = colon && *address == '[' && colon[-1] == ']';
    char *host = !colon      ? memory_text("127.0.0.1")
                 : bracketed ? memory_text("%.*s", (int)(colon - address - 2), address + 1)
                             : memory_text("%.*s", (int)(colon - address), address);
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    const int code = getaddrinfo(host, port, &hints, &found);
    free(host);
    if (code == 0) return found;
    error_set(error, "%s: %s", address, gai_strerror(code));
    return NULL;
}

// Moves are small and each is waited for.
static void send_at_once(int fd) { setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)); }

// One attempt; errno says why it failed.
static int connect_to(const struct addrinfo *to, double deadline) {
    const int fd = socket(to->ai_family, to->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, to->ai_protocol);
    if (fd < 0) return -1;
    int code = connect(fd, to->ai_addr, to->ai_addrlen) == 0 ? 0 : errno;
    if (code == EINPROGRESS) {
        code = ETIMEDOUT;
        if (interruptible_wait(fd, POLLOUT, deadline))
            getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &(socklen_t){sizeof code});
    }
    if (code == 0) {
        send_at_once(fd);
        return fd;
    }
    close(fd);
    errno = code;
    return -1;
}

int wire_connect(const char *address, double deadline, struct error *error) {
    struct addrinfo *found = look_up(address, 0, error);
    if (!found) return -1;
    int fd = -1;
    for (;;) {
        for (const struct addrinfo *to = found; to && fd < 0; to = to->ai_next) fd = connect_to(to, deadline);
        if (fd >= 0 || interrupted() || clock_seconds() >= deadline) break;
        nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * RETRY_SECONDS)}, NULL);
    }
    if (fd < 0) error_set(error, "%s: cannot connect: %s", address, strerror(errno));
    freeaddrinfo(found);
    return fd;
}

static void describe_address(int fd, char text[static WIRE_ADDRESS_SIZE]) {
    struct sockaddr_storage name;
    socklen_t length = sizeof name;
    char host[64] = "?", port[8] = "?";
    if (getsockname(fd, (struct sockaddr *)&name, &length) == 0)
        getnameinfo((struct sockaddr *)&name, length, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(text, WIRE_ADDRESS_SIZE, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
}

int wire_listen(const char *address, char bound[static WIRE_ADDRESS_SIZE], struct error *error) {
    struct addrinfo *found = look_up(address, AI_PASSIVE, error);
    if (!found) return -1;
    const int fd = socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC, found->ai_protocol);
    if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    const bool listens =
        fd >= 0 && bind(fd, found->ai_addr, found->ai_addrlen) == 0 && listen(fd, LISTEN_QUEUE) == 0;
    if (!listens) error_set(error, "%s: cannot listen: %s", address, strerror(errno));
    freeaddrinfo(found);
    if (listens) {
        describe_address(fd, bound);
        return fd;
    }
    if (fd >= 0) close(fd);
    return -1;
}

int wire_accept(int listener, double deadline, struct error *error) {
    int fd;
    do {
        if (!interruptible_wait(listener, POLLIN, deadline)) {
            error_set(error, "nobody connected");
            return -1;
        }
        fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    } while (fd < 0 && errno == ECONNABORTED);
    if (fd < 0)
        error_set(error, "cannot accept a connection: %s", strerror(errno));
    else
        send_at_once(fd);
    return fd;
}

void wire_hang_up(int connection, double deadline) {
    char rest[256];
    shutdown(connection, SHUT_WR);
    while (clock_seconds() < deadline && interruptible_wait(connection, POLLIN, deadline) &&
           read(connection, rest, sizeof rest) > 0) {
    }
    close(connection);
}
