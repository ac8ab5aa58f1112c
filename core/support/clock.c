// clock.c -- the monotonic clock, the calendar, and what a busy machine takes away.

#include "core/support/clock.h"

#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

double clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct clock_text clock_now(void) {
    struct clock_text now;
    struct tm utc;
    const time_t seconds = time(NULL);
    strftime(now.text, sizeof now.text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
    return now;
}

// "time-on-cpu time-waiting timeslices", in nanoseconds (Linux, Documentation/scheduler/sched-stats.rst).
double clock_lag(void) {
    char text[96] = "";
    const int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0) return 0;
    char *end;
    strtoull(text, &end, 10);
    return 1e-9 * (double)strtoull(end, NULL, 10);
}
