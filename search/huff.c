// huff.c -- the program huff: legal moves, analysis, games and the rules of every variant.
#include "core/support/file.h"
#include "core/support/options.h"
#include "search/commands.h"

int main(int argc, char **argv) {
    static const struct command commands[] = {
        {"moves", "list the legal moves of a position", moves_run},
        {"analyse", "search a position for the best move", analyse_run},
        {"play", "play a game on the terminal", play_run},
        {"variants", "show the rules of the variants, or how they differ", variants_run},
        {"hub", "play for a program that speaks the Hub protocol", hub_run},
        {"dxp", "play over a connection by the DamExchange protocol", dxp_run},
    };
    file_keep_standard();
    return options_run_command("huff", "Plays and analyses draughts variants.", commands,
                               sizeof commands / sizeof *commands, argc, argv);
}
