// ranks.h -- several processes, on one machine or many, that share out one run: which of them this is, and
// what they count together.
//
// Built with MPI and started by mpirun or srun they are MPI's ranks; else there is one, and nothing to wait
// for. Calls that wait (agree, share, leave) are made by every rank; one thread at a time may be in any call.
#ifndef HUFF_SELFPLAY_RANKS_H
#define HUFF_SELFPLAY_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANKS_SUMS = 6 };

struct ranks;

// Called before the command line is read, and so before MPI is begun: whatever ends rank 0 until it joins
// (--help, a mistake) ends the others there, too, with its exit code. Says whether this is rank 0.
bool ranks_expect(void);
struct ranks *ranks_join(void);
void ranks_leave(struct ranks *);
int ranks_number(const struct ranks *);  // 0 .. count-1
int ranks_count(const struct ranks *);

// Do all of them say so?
bool ranks_agree(struct ranks *, bool mine);
// Gives the bytes of rank 0 to all.
void ranks_share(struct ranks *, void *data, size_t size);

// Counts from 0 again, for another run of the same process; there is one rank only.
void ranks_count_anew(struct ranks *);

// 0, 1, 2, ... : each number goes to one rank only.
uint64_t ranks_take(struct ranks *);
// Adds to sums that all share; sums[] is what they are then.
void ranks_add(struct ranks *, const uint64_t more[static RANKS_SUMS], uint64_t sums[static RANKS_SUMS]);
// Has every rank called this, since the last time that it said so? Does not wait: call it until it is true.
bool ranks_arrived(struct ranks *);

#endif
