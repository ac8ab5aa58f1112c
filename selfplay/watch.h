// watch.h -- how long this program could not run while it should have: stopped, frozen, paused with its
// machine, or waiting for memory.
//
// A thread sleeps for short spells; how much longer such a spell took is how long nobody here could see an
// answer come. Time in which the whole machine is suspended is none of it, nor of clock_seconds.
#ifndef HUFF_SELFPLAY_WATCH_H
#define HUFF_SELFPLAY_WATCH_H

struct watch;

struct watch *watch_start(void);  // NULL: there cannot be one more thread
void watch_end(struct watch *);   // NULL: nothing

// Seconds in all so far, to take differences of; at once when the program goes on. NULL: 0.
double watch_held_up(struct watch *);

#endif
