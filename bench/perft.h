// perft.h -- leaves of the tree of legal moves, on all cores, with or without a table.
#ifndef HUFF_BENCH_PERFT_H
#define HUFF_BENCH_PERFT_H

#include "core/variant.h"

// Published counts pass 2^63 (American from the start at 28 plies): totals have 128 bits.
typedef unsigned __int128 wide_count;
enum { WIDE_TEXT_SIZE = 40 };
void wide_to_text(wide_count count, char text[static WIDE_TEXT_SIZE]);

enum { MAX_PERFT_DEPTH = 64 };

struct perft_options {
    int depth;           // 1..MAX_PERFT_DEPTH
    bool paths;          // every order of capturing counts
    bool made;           // the moves of the last ply are played, too
    int threads;         // at least 1
    int hash_megabytes;  // 0 = no table
    bool quiet;          // no progress
};

struct perft;

// A count and its table; the table may serve several counts of one variant. NULL when there is not so much
// memory.
struct perft *perft_new(const struct variant *, const struct perft_options *, struct error *);
void perft_free(struct perft *);

// Leaves below `position` at `depth` plies. False when interrupted.
bool perft_count(struct perft *, const struct position *, int depth, wide_count *leaves)
    __attribute__((warn_unused_result));

// Commands of huff-bench.
int perft_run(int argc, char **argv);
int verify_run(int argc, char **argv);
int scale_run(int argc, char **argv);

#endif
