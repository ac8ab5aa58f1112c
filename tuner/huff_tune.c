// huff_tune.c -- the program huff-tune: from datasets to weights of the evaluation.

#include "core/support/file.h"
#include "core/support/options.h"
#include "core/support/progress.h"
#include "tuner/tune.h"

int main(int argc, char **argv) {
    static const struct command commands[] = {
        {"fit", "weights that predict the results of games best", tune_fit_run},
        {"curve", "whether more games would help", tune_curve_run},
        {"eval", "how well weights predict the results of games", tune_eval_run},
        {"loop", "games, fit and match, generation after generation", tune_loop_run},
        {"show", "weights as boards", tune_show_run},
    };
    file_keep_standard();
    interrupt_install();
    return options_run_command("huff-tune", "Fits the weights of the evaluation to games.", commands,
                               sizeof commands / sizeof *commands, argc, argv);
}
