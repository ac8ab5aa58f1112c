// huff_bench.c -- the program huff-bench: how fast and how right moves are generated and searched.
#include "bench/nps.h"
#include "bench/perft.h"
#include "core/support/file.h"
#include "core/support/options.h"
#include "core/support/progress.h"

int main(int argc, char **argv) {
    static const struct command commands[] = {
        {"perft", "count the leaves of the tree of legal moves", perft_run},
        {"verify", "count the published perft tables again", verify_run},
        {"scale", "the same count on 1, 2, ... threads", scale_run},
        {"nps", "nodes a second of the search", nps_run},
        {"signature", "node counts of a fixed search, one a variant: the same on every machine",
         signature_run},
    };
    file_keep_standard();
    interrupt_install();
    return options_run_command("huff-bench", "Measures move generation and search.", commands,
                               sizeof commands / sizeof *commands, argc, argv);
}
