// clock.h -- time that only goes forward, and what the calendar says.
#ifndef HUFF_CORE_SUPPORT_CLOCK_H
#define HUFF_CORE_SUPPORT_CLOCK_H

double clock_seconds(void);  // monotonic, from an arbitrary start

// Now, as "2026-11-30T23:59:59Z".
struct clock_text {
    char text[32];
};
struct clock_text clock_now(void);

// Seconds that the calling thread could have run so far and had to wait for a processor; 0 where the system
// does not say.
double clock_lag(void);

#endif
