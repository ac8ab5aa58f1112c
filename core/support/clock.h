// clock.h -- time that only goes forward.
#ifndef HUFF_CORE_SUPPORT_CLOCK_H
#define HUFF_CORE_SUPPORT_CLOCK_H

double clock_seconds(void);  // monotonic, from an arbitrary start

// Seconds that the calling thread could have run so far and had to wait for a processor; 0 where the system
// does not say.
double clock_lag(void);

#endif
