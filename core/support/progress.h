// progress.h -- how far long work has come: done, rate, time left; and Ctrl-C without loss.
//
// On a terminal one line is redrawn; otherwise a line is printed now and then. Everything goes to standard
// error. Call progress_step from any thread.
#ifndef HUFF_CORE_SUPPORT_PROGRESS_H
#define HUFF_CORE_SUPPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress;

// `what` is the unit ("games"), `total` 0 when unknown, quiet = print nothing.
struct progress *progress_start(const char *title, const char *what, uint64_t total, bool quiet);
void progress_skip(struct progress *, uint64_t done);  // work found done when resuming: not in the rate
void progress_step(struct progress *, uint64_t more);
// A short text after the numbers ("W 40% D 21% L 39%"), copied.
void progress_note(struct progress *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void progress_drop(struct progress *);  // takes the bar away and frees: what comes next says more
void progress_end(struct progress *);   // prints the final line of work longer than a second, and frees

// SIGINT, SIGTERM and SIGHUP (unless it was ignored) set a flag that loops ask; a second signal ends the
// program at once with exit code 128 and its number. Blocking calls return EINTR; a signal just before them
// does not end them, so what may last for ever is waited for by interruptible_wait.
void interrupt_install(void);
bool interrupted(void);
// Waits until `fd` is ready for `events` of poll() or an error of it can be read; false at the deadline
// (clock_seconds; INFINITY: none) and when interrupted, before or meanwhile.
bool interruptible_wait(int fd, short events, double deadline);

#endif
