// progress.c -- a bar or lines on standard error that say how far long work has come; Ctrl-C.

#include "core/support/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/support/clock.h"
#include "core/support/memory.h"

#define REDRAW_SECONDS 0.2   // a bar on a terminal
#define LINE_SECONDS   10.0  // lines in a log
#define WORTH_A_LINE   1.0   // seconds: shorter work ends without a line

enum { BAR_CELLS = 20, MOST_NOTE = 160, MOST_LINE = 512, USUAL_COLUMNS = 80 };

// Threads add to `done` freely; whoever finds that a drawing is due tries the lock, and goes on working when
// another thread has it. A pthread mutex, since ThreadSanitizer does not know those of threads.h.
struct progress {
    char *title, *what;
    uint64_t total;
    bool quiet, terminal;
    double start, interval;
    _Atomic uint64_t done, skipped;
    _Atomic double due;
    pthread_mutex_t lock;  // of the note and of standard error
    char note[MOST_NOTE];
};

static bool is_terminal(void) {
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) && kind != NULL && strcmp(kind, "dumb") != 0;
}

struct progress *progress_start(const char *title, const char *what, uint64_t total, bool quiet) {
    struct progress *progress = memory_new(1, sizeof *progress);
    progress->title = memory_text("%s", title);
    progress->what = memory_text("%s", what);
    progress->total = total;
    progress->quiet = quiet;
    progress->terminal = is_terminal();
    progress->interval = progress->terminal ? REDRAW_SECONDS : LINE_SECONDS;
    progress->start = clock_seconds();
    atomic_init(&progress->done, 0);
    atomic_init(&progress->skipped, 0);
    atomic_init(&progress->due, progress->start + (progress->terminal ? 0 : LINE_SECONDS));
    pthread_mutex_init(&progress->lock, NULL);
    return progress;
}

static int columns(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : USUAL_COLUMNS;
}

// Text that grows in a buffer of MOST_LINE bytes and is cut there.
struct line {
    char text[MOST_LINE];
    size_t length;
};

static void add(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct line *line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int more = vsnprintf(line->text + line->length, MOST_LINE - line->length, format, arguments);
    va_end(arguments);
    if (more > 0) line->length += (size_t)more;
    if (line->length >= MOST_LINE) line->length = MOST_LINE - 1;
}

static void add_duration(struct line *line, double seconds) {
    const uint64_t whole = seconds < 1e9 ? (uint64_t)(seconds + 0.5) : 1000000000;
    const unsigned minutes = (unsigned)(whole / 60 % 60), rest = (unsigned)(whole % 60);
    if (whole >= 3600)
        add(line, "%u:%02u:%02u", (unsigned)(whole / 3600), minutes, rest);
    else
        add(line, "%u:%02u", minutes, rest);
}

static void add_bar(struct line *line, double part) {
    const int full = (int)(part * BAR_CELLS);
    add(line, " [");
    for (int i = 0; i < BAR_CELLS; i++) add(line, "%c", i < full ? '=' : i == full ? '>' : ' ');
    add(line, "]");
}

// "title [=====>   ] 617/2000 games 30.8% 51.2/s 0:27 left, note"
static void describe(const struct progress *progress, bool end, struct line *line) {
    const uint64_t done = atomic_load(&progress->done);
    const double elapsed = clock_seconds() - progress->start;
    const double worked = (double)(done - atomic_load(&progress->skipped));
    const double rate = elapsed > 0 ? worked / elapsed : 0;
    const double part = progress->total > 0 ? (double)done / (double)progress->total : 0;

    add(line, "%s:", progress->title);
    if (progress->terminal && progress->total > 0 && !end) add_bar(line, part < 1 ? part : 1);
    add(line, " %llu", (unsigned long long)done);
    if (progress->total > 0) add(line, "/%llu", (unsigned long long)progress->total);
    add(line, " %s", progress->what);
    if (progress->total > 0) add(line, " %.1f%%", 100 * part);
    if (rate > 0) add(line, rate < 100 ? " %.1f/s" : " %.0f/s", rate);
    if (end) {
        add(line, " in ");
        add_duration(line, elapsed);
    } else if (progress->total > done && rate > 0) {
        add(line, " ");
        add_duration(line, (double)(progress->total - done) / rate);
        add(line, " left");
    }
    if (progress->note[0] != '\0') add(line, ", %s", progress->note);
}

// Called with the lock held. A bar that reached the last column would scroll the terminal at every redraw.
static void draw(struct progress *progress, bool end) {
    struct line line = {.length = 0};
    describe(progress, end, &line);
    if (progress->terminal && !end)
        fprintf(stderr, "\r%.*s\033[K", columns() - 1, line.text);
    else
        fprintf(stderr, "%s%s%s\n", progress->terminal ? "\r" : "", line.text,
                progress->terminal ? "\033[K" : "");
    atomic_store(&progress->due, clock_seconds() + progress->interval);
}

void progress_skip(struct progress *progress, uint64_t done) {
    atomic_fetch_add(&progress->skipped, done);
    atomic_fetch_add(&progress->done, done);
}

void progress_step(struct progress *progress, uint64_t more) {
    atomic_fetch_add(&progress->done, more);
    if (progress->quiet || clock_seconds() < atomic_load(&progress->due)) return;
    if (pthread_mutex_trylock(&progress->lock) != 0) return;
    if (clock_seconds() >= atomic_load(&progress->due)) draw(progress, false);
    pthread_mutex_unlock(&progress->lock);
}

void progress_note(struct progress *progress, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&progress->lock);
    vsnprintf(progress->note, sizeof progress->note, format, arguments);
    pthread_mutex_unlock(&progress->lock);
    va_end(arguments);
}

void progress_drop(struct progress *progress) {
    if (!progress->quiet && progress->terminal) fputs("\r\033[K", stderr);
    progress->quiet = true;
    progress_end(progress);
}

void progress_end(struct progress *progress) {
    if (!progress->quiet && clock_seconds() - progress->start >= WORTH_A_LINE) draw(progress, true);
    pthread_mutex_destroy(&progress->lock);
    free(progress->title);
    free(progress->what);
    free(progress);
}

// A signal handler can reach nothing but globals.
static atomic_int signals_seen;
static int signal_pipe[2] = {-1, -1};  // has something to read since the first signal, for ever

static void on_signal(int number) {
    if (atomic_fetch_add(&signals_seen, 1) > 0) _exit(128 + number);
    const int before = errno;
    const ssize_t written = write(signal_pipe[1], "", 1);  // an empty pipe takes it
    (void)written;
    errno = before;
}

void interrupt_install(void) {
    // Without it a signal is seen by interrupted() alone.
    if (signal_pipe[0] < 0 && pipe2(signal_pipe, O_CLOEXEC) != 0) signal_pipe[0] = signal_pipe[1] = -1;
    struct sigaction action = {.sa_handler = on_signal};  // no SA_RESTART: blocking calls return EINTR
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction hang_up;
    sigaction(SIGHUP, NULL, &hang_up);
    if (hang_up.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, NULL);  // nohup ignores it
}

bool interrupted(void) { return atomic_load_explicit(&signals_seen, memory_order_relaxed) > 0; }

bool interruptible_wait(int fd, short events, double deadline) {
    const double left = fmax(deadline - clock_seconds(), 0);
    struct timespec timeout = {0};
    if (isfinite(left)) {
        timeout.tv_sec = (time_t)left;
        timeout.tv_nsec = (long)(1e9 * (left - (double)timeout.tv_sec));
    }
    struct pollfd both[2] = {{.fd = fd, .events = events}, {.fd = signal_pipe[0], .events = POLLIN}};
    return ppoll(both, 2, isfinite(left) ? &timeout : NULL, NULL) > 0 && both[1].revents == 0;
}
