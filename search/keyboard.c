// keyboard.c -- reads lines and signals in one place, so that neither is lost while the other is waited for.
#include "search/keyboard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

static sigset_t signals_to_take(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

bool keyboard_open(struct keyboard *k, int in, struct error *error) {
    // A closed standard input would come back as the descriptor that is opened here.
    const bool readable = in >= 0 && fcntl(in, F_GETFD) >= 0;
    *k = (struct keyboard){.in = readable ? in : -1, .ended = !readable};
    const sigset_t set = signals_to_take();
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    k->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    return k->signals >= 0 || error_set(error, "cannot wait for signals: %s", strerror(errno));
}

void keyboard_close(struct keyboard *k) { close(k->signals); }

static enum keyboard_event take_signal(struct keyboard *k) {
    struct signalfd_siginfo info;
    if (read(k->signals, &info, sizeof info) != sizeof info) return KEYBOARD_NOTHING;
    if (info.ssi_signo == SIGINT) return KEYBOARD_INTERRUPT;
    k->ended = true;
    k->filled = k->taken = 0;
    return KEYBOARD_END;
}

bool keyboard_let_go(struct keyboard *k) {
    if (take_signal(k) != KEYBOARD_NOTHING) return false;
    const sigset_t set = signals_to_take();
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    return true;
}

void keyboard_take_back(void) {
    const sigset_t set = signals_to_take();
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

// Waits until there is something at `fd` (none: -1) or a signal.
static void wait_for(struct keyboard *k, int fd) {
    struct pollfd both[] = {{.fd = k->signals, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
    poll(both, 2, -1);
}

// ---- lines ----

static void read_more(struct keyboard *k) {
    memmove(k->bytes, k->bytes + k->taken, k->filled - k->taken);
    k->filled -= k->taken;
    k->taken = 0;
    if (k->filled == KEYBOARD_LINE_LIMIT) {
        k->skipping = true;
        k->filled = 0;
    }
    struct pollfd one = {.fd = k->in, .events = POLLIN};
    if (poll(&one, 1, 0) <= 0) return;
    const ssize_t count = read(k->in, k->bytes + k->filled, KEYBOARD_LINE_LIMIT - k->filled);
    if (count > 0)
        k->filled += (size_t)count;
    else if (count == 0 || (errno != EINTR && errno != EAGAIN))
        k->ended = true;
}

// Hands on the bytes before `end`.
static enum keyboard_event hand_on(struct keyboard *k, char *end, const char **line) {
    char *start = k->bytes + k->taken;
    for (char *c = start; c < end; c++)
        if (!*c) *c = '?';
    *end = '\0';
    k->taken = (size_t)(end - k->bytes) + 1;
    if (k->taken > k->filled) k->taken = k->filled;  // the last line has no end
    *line = start;
    const bool too_long = k->skipping;
    k->skipping = false;
    return too_long ? KEYBOARD_TOO_LONG : KEYBOARD_LINE;
}

enum keyboard_event keyboard_line(struct keyboard *k, const char **line) {
    for (;;) {
        const enum keyboard_event signal = take_signal(k);
        if (signal != KEYBOARD_NOTHING) return signal;
        char *end = memchr(k->bytes + k->taken, '\n', k->filled - k->taken);
        if (end) return hand_on(k, end, line);
        if (k->ended && k->taken < k->filled) return hand_on(k, k->bytes + k->filled, line);
        if (k->ended) return KEYBOARD_END;
        wait_for(k, k->in);
        read_more(k);
    }
}

// ---- work ----

struct worker {
    keyboard_work *work;
    void *context;
    atomic_bool stop;
    int done;  // becomes readable
};

static void *run(void *argument) {
    struct worker *w = argument;
    w->work(w->context, &w->stop);
    eventfd_write(w->done, 1);
    return NULL;
}

static _Noreturn void give_up(const char *what) {
    fprintf(stderr, "%s: cannot start a thread: %s\n", program_invocation_short_name, what);
    exit(EXIT_FAILURE);
}

enum keyboard_event keyboard_during(struct keyboard *k, keyboard_work *work, void *context) {
    struct worker w = {.work = work, .context = context, .done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (w.done < 0) give_up(strerror(errno));
    pthread_t thread;
    const int code = pthread_create(&thread, NULL, run, &w);
    if (code) give_up(strerror(code));
    enum keyboard_event last = KEYBOARD_NOTHING;
    eventfd_t count;
    while (eventfd_read(w.done, &count)) {
        const enum keyboard_event signal = take_signal(k);
        if (signal != KEYBOARD_NOTHING) {
            atomic_store(&w.stop, true);
            last = signal;
        }
        wait_for(k, w.done);
    }
    pthread_join(thread, NULL);
    close(w.done);
    return last;
}
