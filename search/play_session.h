// play_session.h -- an evening at the board: games of a person against the engine, or of two people.
#ifndef HUFF_SEARCH_PLAY_SESSION_H
#define HUFF_SEARCH_PLAY_SESSION_H

#include <stdio.h>

#include "core/pdn.h"
#include "search/levels.h"

enum { PLAY_DEFAULT_HASH = 64 };  // megabytes
#define PLAY_LEAST_SECONDS 0.01
#define PLAY_MOST_SECONDS  1e6

struct play_settings {
    struct pdn_game game;  // to go on with, or over: then it can be looked at and taken back; taken over
    const struct weights *weights;
    const char *weights_name;  // as it was given; NULL: not at all
    int hash_megabytes, threads;
    enum level level;
    double seconds;  // of a move of the hard level
    bool engine[2];  // which sides it plays, not both
    bool common;     // the common board (board_view.h)
    bool turned;     // Black below on the official board
    bool quiet;      // no boards but those asked for
    uint64_t seed;
};

// When the engine agrees to a draw, in words.
#define PLAY_DRAW_RULE                                                                                      \
    "The engine takes a draw that is offered when its search finds it half a man or more worse off; when "  \
    "it "                                                                                                   \
    "is at most a tenth of a man better off and the game is 40 plies old, no more than 8 pieces are left "  \
    "or "                                                                                                   \
    "both sides have as many kings; and when it is less than a man better off in an ending of a few kings " \
    "that is a draw as a rule (two against one, say)."

// Reads commands and moves from `in`, a line each, until "quit" or the end. Boards are drawn by themselves,
// and there is a prompt, only where `out` is a terminal. Where `in` is none nobody is asked whether something
// may be lost: it is kept. False only when it cannot begin.
bool play_session(struct play_settings *, int in, FILE *out, struct error *)
    __attribute__((warn_unused_result));

#endif
