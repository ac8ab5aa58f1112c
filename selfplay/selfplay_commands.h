// selfplay_commands.h -- what huff-selfplay does besides playing.
#ifndef HUFF_SELFPLAY_SELFPLAY_COMMANDS_H
#define HUFF_SELFPLAY_SELFPLAY_COMMANDS_H

// argv[0] is "huff-selfplay book"; returns the exit code.
int selfplay_book_command(int argc, char **argv);

#endif
