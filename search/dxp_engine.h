// dxp_engine.h -- games over DamExchange, as the program that asks for them or as the one that is asked.
#ifndef HUFF_SEARCH_DXP_ENGINE_H
#define HUFF_SEARCH_DXP_ENGINE_H

#include <stdio.h>

#include "search/dxp.h"
#include "search/search.h"

struct dxp_settings {
    const struct variant *variant;  // of a 10x10 board
    struct weights weights;
    int hash_megabytes;
    int threads;  // 0 = 1
    bool ponder;  // think while the opponent does
    char name[DXP_NAME_LENGTH + 1];
    struct search_limits limits;  // of a move, beside the clock of the game; all 0: the clock alone
    double wait;                  // seconds for the next game to be asked for
    double patience;              // seconds for any other answer, and for a move beyond the opponent's clock
    bool json;
    FILE *log;   // what goes wrong
    bool quiet;  // and nothing else

    // Of the program that asks; the others have games = 0.
    int games;
    int minutes, moves;  // as in a request; 0 = no limit
    bool special;        // games begin at `start`
    struct position start;
};

// Plays over the connection until its games are played or the other side wants no more. Results go to `out`,
// a line each; what else happens is told on standard error. False when a game or the connection went wrong.
// `games` (may be NULL) is how many were played.
bool dxp_serve(const struct dxp_settings *, int connection, FILE *out, int *games);

#endif
