// annotate.h -- games of a PDN file with what the search thinks of every move.
#ifndef HUFF_SEARCH_ANNOTATE_H
#define HUFF_SEARCH_ANNOTATE_H

#include "search/search.h"

struct annotate_settings {
    const char *path;               // of the games
    int game;                       // the only one, by its number in the file; 0 = all
    const struct variant *variant;  // NULL: as each game says
    const char *weights;            // as for weights_get
    struct search_limits limits;    // of each position
    int hash_megabytes, threads;
    bool json, quiet;
};

// Searches the positions of each game, the last one first, and writes the game to standard output: after
// every move the score of the position reached, and of moves that lose INACCURACY centipawns or more which
// one was best. With `json` a line for each move instead. Positions that a rule has ended are worth the
// result. Games that cannot be read are told on standard error. Stops after Ctrl-C, with whole games written.
enum { INACCURACY = 25, MISTAKE = 50, BLUNDER = 100 };
bool annotate_games(const struct annotate_settings *, struct error *) __attribute__((warn_unused_result));

#endif
