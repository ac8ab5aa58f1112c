// clock.h -- time that only goes forward.
#ifndef HUFF_CORE_SUPPORT_CLOCK_H
#define HUFF_CORE_SUPPORT_CLOCK_H

double clock_seconds(void);  // monotonic, from an arbitrary start

#endif
