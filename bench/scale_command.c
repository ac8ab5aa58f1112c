// scale_command.c -- huff-bench scale: the same count on 1, 2, ... threads, and what each further one adds.
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/nps.h"
#include "bench/perft.h"
#include "core/support/clock.h"
#include "core/support/options.h"

enum { KEY_DEPTH = 0x200, KEY_RUNS, MAX_RUNS = 99 };

struct arguments {
    struct common_options common;
    int depth, runs;
};

static const struct argp_option option_list[] = {
    {"depth", KEY_DEPTH, "N", 0, "Plies to count (default: 11 on 8x8, 9 on 10x10)", 0},
    {"runs", KEY_RUNS, "N", 0, "Counts for each number of threads, of which the median is told (default: 5)",
     0},
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *a = state->input;
    struct error error;
    bool good = true;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->common; break;
    case KEY_DEPTH: good = options_int("--depth", text, 1, MAX_PERFT_DEPTH, &a->depth, &error); break;
    case KEY_RUNS: good = options_int("--runs", text, 1, MAX_RUNS, &a->runs, &error); break;
    case ARGP_KEY_ARG: argp_error(state, "unexpected \"%s\"", text); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    if (!good) argp_failure(state, EXIT_USAGE, 0, "%s", error.text);
    return 0;
}

static const struct argp_child children[] = {{&options_common, 0, NULL, 0}, {0}};
static const struct argp scale_argp = {
    .options = option_list,
    .parser = parse,
    .doc =
        "Counts the same tree on 1, 2, ... threads (--threads: up to so many). Efficiency is the rate of N "
        "threads over N times the rate of one.",
    .children = children,
};

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Median rate in leaves a second; false when interrupted.
static bool median_rate(const struct variant *v, const struct arguments *a, int threads, double *rate) {
    const struct perft_options options = {.depth = a->depth, .threads = threads, .quiet = true};
    const struct position start = variant_initial(v);
    struct perft *perft = perft_new(v, &options, NULL);
    double rates[MAX_RUNS];
    bool done = true;
    for (int i = 0; i < a->runs && done; i++) {
        wide_count leaves;
        const double began = clock_seconds();
        done = perft_count(perft, &start, a->depth, &leaves);
        rates[i] = (double)leaves / (clock_seconds() - began + 1e-9);
    }
    perft_free(perft);
    qsort(rates, (size_t)a->runs, sizeof *rates, ascending);
    *rate = rates[a->runs / 2];
    return done;
}

static void print_row(const struct arguments *a, const struct variant *v, int threads, double rate,
                      double one) {
    if (a->common.json) {
        json_t *row =
            json_pack("{s:s, s:i, s:i, s:f, s:f}", "variant", v->name, "depth", a->depth, "threads", threads,
                      "mleaves_per_second", rate / 1e6, "efficiency", rate / one / threads);
        bench_print_json(row);
    } else {
        printf("%2d thread%s %9.1f Mleaves/s  %5.2f times one  efficiency %5.1f %%\n", threads,
               threads == 1 ? " " : "s", rate / 1e6, rate / one, 100 * rate / one / threads);
    }
    fflush(stdout);
}

int scale_run(int argc, char **argv) {
    struct arguments a = {.runs = 5};
    struct error error;
    argp_parse(&scale_argp, argc, argv, 0, NULL, &a);
    const struct variant *v = variant_find(a.common.variant ? a.common.variant : "international", &error);
    if (!v) return options_fail(argv[0], EXIT_USAGE, &error);
    if (!a.depth) a.depth = v->rules->width == 8 ? 11 : 9;
    const int most = options_threads(&a.common);
    double one = 0;
    for (int threads = 1; threads <= most; threads++) {
        double rate;
        if (!median_rate(v, &a, threads, &rate)) {
            error_set(&error, "interrupted");
            return options_fail(argv[0], EXIT_FAILED, &error);
        }
        if (threads == 1) one = rate;
        print_row(&a, v, threads, rate, one);
    }
    return EXIT_DONE;
}
