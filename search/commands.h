// commands.h -- the commands of the program huff.
#ifndef HUFF_SEARCH_COMMANDS_H
#define HUFF_SEARCH_COMMANDS_H

#include "core/support/options.h"

// Each is a run function of struct command (core/support/options.h).
int moves_run(int argc, char **argv);
int analyse_run(int argc, char **argv);
int play_run(int argc, char **argv);
int variants_run(int argc, char **argv);
int hub_run(int argc, char **argv);
int dxp_run(int argc, char **argv);

#endif
