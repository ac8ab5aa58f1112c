// tree.h -- the alpha-beta search of one thread, below the root.
#ifndef HUFF_SEARCH_TREE_H
#define HUFF_SEARCH_TREE_H

#include <stdatomic.h>

#include "core/game.h"
#include "search/ending.h"
#include "search/eval.h"
#include "search/order.h"
#include "search/search.h"
#include "search/table.h"

enum { SCORE_NONE = SCORE_WIN + 1 };

// A line of best play.
struct line {
    int length;
    struct move moves[MAX_SEARCH_PLY];
};

// What a search needs at one ply. Only the beginning of the lists is ever touched, but for the richest
// positions.
struct frame {
    struct move killers[KILLERS];
    struct line line;         // best from here, kept where the window is open
    int32_t rank[MAX_MOVES];  // of the moves
    struct move_list list;    // the moves
};

struct root_move {
    struct move move;
    int index;  // in the list of legal moves
};

struct tree {
    const struct variant *variant;
    const struct evaluator *evaluator;
    struct table *table;            // may be shared
    const struct endings *endings;  // to look at in this search, or NULL
    struct history history;
    struct frame *frames;  // MAX_SEARCH_PLY of them

    // The search under way.
    struct game *game;
    int root;                      // game ply it began at
    struct root_move *root_moves;  // room for MAX_MOVES, the best known first
    int root_count;
    bool exact;  // see struct search_limits
    uint64_t nodes;
    uint64_t next_look;  // nodes at which to ask whether to stop
    uint64_t node_limit;
    double deadline;           // of clock_seconds; 0 = none
    const atomic_bool *stop;   // may be NULL
    bool may_stop;             // a first depth is complete
    bool stopped;              // then every score is without meaning
    _Atomic uint64_t counted;  // nodes at the last look, for other threads
};

struct tree *tree_new(const struct variant *, const struct evaluator *, struct table *);
void tree_free(struct tree *);
void tree_clear(struct tree *);  // forgets what it has learnt

// Begins a search of the position that `game` has now, with at least one legal move.
void tree_begin(struct tree *, struct game *game, const struct search_limits *, double deadline,
                const atomic_bool *stop);

// Does the search have to end?
bool tree_must_stop(const struct tree *);

// What to answer before anything is searched.
struct search_result tree_first_result(const struct tree *);

// One iteration: finds the best of the root moves from the `from`-th on if its score is within alpha..beta,
// and brings it to that place; *result says what is known, even when the search had to stop in the middle.
// The score when it is outside is a bound.
int tree_search_root(struct tree *, int from, int depth, int alpha, int beta, struct search_result *result);
void tree_swap_root_moves(struct tree *, int i, int j);

#endif
