// watch.c -- a thread that notices when it was not woken in time.

#include "selfplay/watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "core/support/clock.h"
#include "core/support/memory.h"

#define BEAT_SECONDS  0.02  // between two looks at the clock
#define LEAST_HELD_UP 0.05  // less is what any machine that has much to do takes

struct watch {
    pthread_t thread;
    pthread_mutex_t lock;   // of what follows
    pthread_cond_t ending;  // by the monotonic clock
    bool ends;
    double last;  // look at the clock
    double held_up;
};

// With the lock held: of the spell that goes on.
static double open_spell(const struct watch *watch, double now) {
    return now - watch->last >= LEAST_HELD_UP ? now - watch->last : 0;
}

static void beat(struct watch *watch) {
    const double now = clock_seconds();
    watch->held_up += open_spell(watch, now);
    watch->last = now;
}

static void *look(void *context) {
    struct watch *watch = context;
    pthread_mutex_lock(&watch->lock);
    while (!watch->ends) {
        const double next = watch->last + BEAT_SECONDS;
        const struct timespec until = {.tv_sec = (time_t)next,
                                       .tv_nsec = (long)(1e9 * (next - (double)(time_t)next))};
        pthread_cond_timedwait(&watch->ending, &watch->lock, &until);
        beat(watch);
    }
    pthread_mutex_unlock(&watch->lock);
    return NULL;
}

// Signals are for the other threads.
static bool start_thread(struct watch *watch) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&watch->thread, NULL, look, watch) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void free_watch(struct watch *watch) {
    pthread_cond_destroy(&watch->ending);
    pthread_mutex_destroy(&watch->lock);
    free(watch);
}

struct watch *watch_start(void) {
    struct watch *watch = memory_new(1, sizeof *watch);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&watch->ending, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&watch->lock, NULL);
    watch->last = clock_seconds();
    if (start_thread(watch)) return watch;
    free_watch(watch);
    return NULL;
}

void watch_end(struct watch *watch) {
    if (watch == NULL) return;
    pthread_mutex_lock(&watch->lock);
    watch->ends = true;
    pthread_cond_signal(&watch->ending);
    pthread_mutex_unlock(&watch->lock);
    pthread_join(watch->thread, NULL);
    free_watch(watch);
}

double watch_held_up(struct watch *watch) {
    if (watch == NULL) return 0;
    pthread_mutex_lock(&watch->lock);
    const double held_up = watch->held_up + open_spell(watch, clock_seconds());
    pthread_mutex_unlock(&watch->lock);
    return held_up;
}
