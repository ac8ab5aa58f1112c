// huff_data.c -- the program huff-data: looks into datasets, checks them, and makes other files of them.

#include "core/support/file.h"
#include "core/support/progress.h"
#include "selfplay/data_command.h"

int main(int argc, char **argv) {
    static const struct command commands[] = {
        {"info", "what datasets hold", data_info_run},
        {"verify", "replay every game by the rules", data_verify_run},
        {"merge", "many files as one", data_merge_run},
        {"vds", "a small file that shows the shards of a run as one", data_vds_run},
        {"pdn", "games as text", data_pdn_run},
        {"import", "games from text", data_import_run},
        {"fen", "a list of positions", data_fen_run},
        {"sample", "choose positions for training", data_sample_run},
        {"stats", "compare what games of variants are like", data_stats_run},
    };
    file_keep_standard();
    interrupt_install();
    return options_run_command("huff-data",
                               "Looks into datasets of games, checks them, and makes others of them.",
                               commands, sizeof commands / sizeof commands[0], argc, argv);
}
