// game.h -- a game in progress: its positions, what counts towards a draw, and how it ended.
//
// The one place that decides whether a game is over; search, self-play and matches all ask here.
#ifndef HUFF_CORE_GAME_H
#define HUFF_CORE_GAME_H

#include "core/variant.h"

// How a game ended. The numbers are those of the dataset's /games/termination: only add at the end.
enum termination {
    GAME_GOES_ON,
    GAME_NO_PIECES,  // the side to move has none left
    GAME_BLOCKED,    // the side to move has no legal move
    GAME_REPETITION,
    GAME_NO_PROGRESS,
    GAME_BALANCE,  // a limit on an ending of few pieces
    GAME_ADJUDICATED_DRAW,
    GAME_ADJUDICATED_WIN,
    GAME_LENGTH,  // stopped at a limit on plies, scored as a draw
    GAME_TIME,
    GAME_ILLEGAL_MOVE,
    GAME_CRASH,
    GAME_STALL,  // no answer where no clock runs
    TERMINATION_COUNT
};
extern const char *const termination_names[TERMINATION_COUNT];

// One position of the game and the counters that go with it.
struct game_ply {
    struct position position;
    uint64_t key;                          // position_key
    uint16_t no_progress;                  // plies since progress
    uint16_t balance[MAX_BALANCE_LIMITS];  // plies under each limit, 0 outside it
    bool under[MAX_BALANCE_LIMITS];        // its material is there now
    bool irreversible;                     // no position before the move that led here can come again
    int plies_to_limit;  // the fewest after which a limit that counts now could end the game; INT_MAX when
                         // none
};

struct game {
    const struct variant *variant;
    struct draw_rules draws;
    int limit_count;  // of draws.limits
    int ply;          // plies[ply] is the position now; plies[0] the start
    int capacity;
    struct game_ply *plies;  // owned
};

// `game` starts at `start` under `draws` (NULL: the federation's). Free it with game_free.
void game_init(struct game *game, const struct variant *variant, const struct draw_rules *draws,
               const struct position *start);
void game_free(struct game *game);
void game_copy(struct game *to, const struct game *from);  // `to` is initialised by it

static inline const struct position *game_position(const struct game *game) {
    return &game->plies[game->ply].position;
}
// Room for so many more plies: until they are played, positions stay where they are in memory.
void game_reserve(struct game *game, int plies);
void game_play(struct game *game, struct move move);  // a legal move
void game_undo(struct game *game);

// Draw by rule in the position now: GAME_REPETITION, GAME_NO_PROGRESS, GAME_BALANCE or GAME_GOES_ON. A
// position without a legal move is lost (or won), whatever the counters say, so ask game_over where that may
// be.
enum termination game_drawn(const struct game *game);

// Times the position now has occurred, this one included.
int game_occurrences(const struct game *game);

// The last ply before this one with the same position, or -1.
int game_previous(const struct game *game);

static inline int game_plies_to_limit(const struct game *game) {
    return game->plies[game->ply].plies_to_limit;
}

// Is the game over? Then *result is White's: 1, 0 or -1.
enum termination game_over(const struct game *game, int *result);

// `draw: simple`: third repetition, or `moves` (1..MAX_SIMPLE_MOVES) by each side without progress.
enum { MAX_SIMPLE_MOVES = 10000 };
struct draw_rules draws_simple(int moves, enum progress_reading progress);

#endif
