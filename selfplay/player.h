// player.h -- whoever chooses the moves of one side: an engine of this process, or a program of its own.
//
// A player is asked for a move and answers with one, or fails in a way that ends the game. What it may take
// is said to it; that it took no more is for whoever asks to find out (playing.c).
#ifndef HUFF_SELFPLAY_PLAYER_H
#define HUFF_SELFPLAY_PLAYER_H

#include "core/game.h"
#include "search/search.h"

struct engine;  // selfplay/engine.h

// A clock: `seconds` for the next `moves` (0: for all of the game), and so much more after each move.
struct time_control {
    int moves;
    double seconds;  // 0 = no clock
    double increment;
};

// "10", "10+0.1", "40/60", "40/60+0.5".
bool time_control_parse(const char *text, struct time_control *, struct error *)
    __attribute__((warn_unused_result));

// One side of a game. Both may share one search.
struct player {
    struct search *search;  // NULL for
    struct search_limits limits;
    struct time_control clock;
    struct engine *engine;  // a program of its own
    const char *round;      // names the game for what it writes to standard error; NULL: no name
};

// A position to think about.
struct question {
    struct game *game;              // is as it was afterwards
    const struct move *moves;       // moves[i] was played at ply i
    const struct move_list *legal;  // here, in the order of the generator; none of them: not asked
    double remaining;               // on the clock, where the player has one
    int moves_to_control;           // with that, this one included; 0 = all of the game
    double patience;                // seconds after which nobody waits any longer; INFINITY: no clock runs
};

struct answer {
    enum termination failure;  // GAME_GOES_ON: there is a move. Otherwise `reason` says more
    struct move move;
    int index;  // in the list of legal moves
    bool scored;
    int score;  // centipawns, side to move's view
    int depth;
    uint64_t nodes;
    double seconds;  // as measured here
    struct error reason;
};

// Begins a game that goes on from the position now, and forgets what was learnt in the one before. Where
// both players are programs, the side to move comes last: it may think from now on. False when the player
// cannot play any more, or when the program is to end (interrupted; then `error` is "").
bool player_begin(const struct player *, const struct game *, enum side, struct error *)
    __attribute__((warn_unused_result));

// When the program is to end, a player that is a program gives up: `failure` is GAME_CRASH and interrupted()
// says why.
void player_think(const struct player *, const struct question *, struct answer *);

// Says that the game is over, how, and with what result (White's view). `remark`: that the player takes the
// end for another, or "".
void player_end(const struct player *, const struct question *, enum termination, int result,
                struct error *remark);

#endif
