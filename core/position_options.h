// position_options.h -- the position that a command is about: --fen, or --pdn with --game and --ply.
#ifndef HUFF_CORE_POSITION_OPTIONS_H
#define HUFF_CORE_POSITION_OPTIONS_H

#include "core/game.h"
#include "core/support/options.h"

struct position_options {
    const char *fen, *pdn;  // NULL = not said
    int game;               // in the file, from 1; 0 = not said
    int ply;                // after so many moves; -1 = not said, which a caller sets before parsing
};

// A child of argp parsers; its input is a struct position_options *.
extern const struct argp position_options;

// The game up to that position, under the federation's draw rules, freed by game_free: from the variant's
// start or the FEN without a move, or the first or --game-th game of the file until --ply, or its end.
// `variant_name` NULL: as the file says, where there is one. On failure *code is the program's exit code.
bool position_options_game(const struct position_options *, const char *variant_name, struct game *,
                           int *code, struct error *) __attribute__((warn_unused_result));

#endif
