// play_session.h -- an evening at the board: games of a person against the engine, or of two people.
#ifndef HUFF_SEARCH_PLAY_SESSION_H
#define HUFF_SEARCH_PLAY_SESSION_H

#include <stdio.h>

#include "core/pdn.h"
#include "search/levels.h"

struct play_settings {
    struct pdn_game game;  // to go on with, its result unknown; taken over
    const struct weights *weights;
    int hash_megabytes, threads;
    enum level level;
    double seconds;  // of a move of the hard level
    bool engine[2];  // which sides it plays, not both
    bool common;     // the common board (board_view.h)
    bool turned;     // Black below on the official board
    bool quiet;      // no boards but those asked for
    uint64_t seed;
};

// Reads commands and moves from `in`, a line each, until "quit" or the end. Boards are drawn by themselves,
// and there is a prompt, only where `out` is a terminal. False only when it cannot begin.
bool play_session(struct play_settings *, int in, FILE *out, struct error *)
    __attribute__((warn_unused_result));

#endif
