// commands.h -- the commands of the program huff.
#ifndef HUFF_SEARCH_COMMANDS_H
#define HUFF_SEARCH_COMMANDS_H

#include "core/variant.h"

// Each is a run function of struct command (core/support/options.h).
int moves_run(int argc, char **argv);
int analyse_run(int argc, char **argv);
int variants_run(int argc, char **argv);
int hub_run(int argc, char **argv);
int dxp_run(int argc, char **argv);

// The variant and the position that --variant and --fen ask for (fen may be NULL: the start of the game).
bool read_position_options(const char *variant_name, const char *fen, const struct variant **variant,
                           struct position *position, struct error *error)
    __attribute__((warn_unused_result));

#endif
