// search.h -- the engine: the best move of a position within limits.
//
// A search owns all its memory; several run side by side in one process. With a limit on nodes or depth the
// same game and the same history of searches since search_clear give the same answer on every machine.
#ifndef HUFF_SEARCH_SEARCH_H
#define HUFF_SEARCH_SEARCH_H

#include <stdatomic.h>

#include "core/game.h"
#include "core/support/options.h"
#include "search/eval.h"

enum {
    MAX_DEPTH = 99,
    MAX_SEARCH_PLY = 160,
    SCORE_WIN = 30000,                           // a win in n plies scores SCORE_WIN - n
    SCORE_WIN_FROM = SCORE_WIN - MAX_SEARCH_PLY  // at least this: a proven win
};

// 0 = no limit; at least one must be given, or `stop`.
struct search_limits {
    uint64_t nodes;
    int depth;
    double seconds;
    int lines;      // the best so many moves, each with its line; 0 or 1 = the best one
    bool exact;     // neither reductions nor pruning by guesses: the value of the whole tree of `depth` plies
    bool analysis;  // search a single legal move, too, instead of answering at once
};

struct search_result {
    int line;  // 0 = the best, 1 = the second best, ...
    struct move best;
    int index;       // of `best` in the list of legal moves
    int score;       // centipawns, side to move's view
    int depth;       // last depth completed
    uint64_t nodes;  // positions entered by a move, quiescence included
    double seconds;
    int pv_length;
    struct move pv[MAX_SEARCH_PLY];
};

enum { MAX_TABLE_MEGABYTES = 1 << 20 };  // that options and parameters take

// NULL when there is no memory for the table.
struct search *search_new(const struct variant *, const struct weights *, size_t table_megabytes)
    __attribute__((warn_unused_result));
void search_free(struct search *);

// Threads that search the same position together, sharing the table; one unless said otherwise. With more
// than one a search does not repeat itself, whatever its limits. Not while search_think runs.
enum { MAX_SEARCH_THREADS = OPTIONS_MOST_THREADS };
void search_set_threads(struct search *, int threads);

// What the table of a search takes, and whether the system can give so many bytes at all: to refuse a number
// of searches before the first of them begins.
size_t search_table_bytes(size_t table_megabytes);
bool search_room(size_t bytes) __attribute__((warn_unused_result));

void search_clear(struct search *);  // forgets everything learnt: call it at the start of a game

// Called after each depth, for every line once, the best first, and so at the end of a search that stopped
// within a depth, with what it answers (depth 0: not even the first one was completed); may be NULL.
typedef void search_report(void *context, const struct search_result *);

// `game` must not be over and is as it was afterwards. *stop (may be NULL) ends the search at once.
void search_think(struct search *, struct game *game, const struct search_limits *, const atomic_bool *stop,
                  search_report *report, void *context, struct search_result *result);

#endif
