// nps.c -- huff-bench nps and signature: the same positions searched for speed, and for a count to compare.
#include "bench/nps.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "core/notation.h"
#include "core/support/options.h"
#include "core/support/progress.h"
#include "search/search.h"

enum {
    DEFAULT_NODES = 200000,  // a position
    NPS_MEGABYTES = 16,
    SIGNATURE_DEPTH = 8,
    SIGNATURE_MEGABYTES = 1,
};

// Positions of the variants without house rules; "+free" searches the same.
static const struct bench_position {
    const char *variant, *fen;
} bench_positions[] = {
#include "bench/positions.inc"
};
enum { BENCH_POSITIONS = sizeof bench_positions / sizeof *bench_positions };

struct total {
    uint64_t nodes;
    double seconds;
};

// ---- searching ----

// Of this thread on a processor, so that other programs do not count.
static double processor_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void search_position(struct search *search, const struct variant *variant, const struct position *p,
                            const struct search_limits *limits, struct total *total) {
    struct game game;
    struct search_result result;
    game_init(&game, variant, NULL, p);
    search_clear(search);
    const double start = processor_seconds();
    search_think(search, &game, limits, NULL, NULL, NULL, &result);
    total->seconds += processor_seconds() - start;
    total->nodes += result.nodes;
    game_free(&game);
}

// Every position of a variant with its default weights or others of the program; false when interrupted.
static bool search_positions(const struct variant *variant, const char *weights_name,
                             const struct search_limits *limits, size_t megabytes, struct total *total) {
    struct weights weights;
    struct error error;
    const bool known = weights_get(weights_name, variant, &weights, &error);
    assert(known);
    if (!known) return false;
    struct search *search = search_new(variant, &weights, megabytes);
    weights_free(&weights);
    if (!search) {
        fputs("out of memory\n", stderr);
        abort();
    }
    struct position p = variant_initial(variant);
    search_position(search, variant, &p, limits, total);
    for (int i = 0; i < BENCH_POSITIONS && !interrupted(); i++) {
        if (strcmp(bench_positions[i].variant, variant->rules->name) != 0) continue;
        const bool read = position_from_fen(variant, bench_positions[i].fen, &p, NULL);
        assert(read);
        if (read) search_position(search, variant, &p, limits, total);
    }
    search_free(search);
    return !interrupted();
}

static int interrupted_code(const char *program) {
    const struct error error = {"interrupted"};
    return options_fail(program, EXIT_FAILED, &error);
}

void bench_print_json(json_t *object) {
    json_dumpf(object, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(object);
}

bool bench_variants(const char *name, const struct variant **only, struct error *error) {
    *only = NULL;
    return !name || !strcasecmp(name, "all") || (*only = variant_find(name, error)) != NULL;
}

static void check_one_thread(const struct common_options *common, struct argp_state *state) {
    if (common->threads > 1) argp_error(state, "--threads: the search runs on one");
}

// ---- nps ----

struct arguments {
    struct common_options common;
    int64_t nodes;
};

enum { KEY_NODES = 0x200 };

static const struct argp_option nps_options[] = {
    {"nodes", KEY_NODES, "N", 0, "Nodes to search from each position (default: 200000)", 0},
    {0},
};

static error_t parse_nps(int key, char *text, struct argp_state *state) {
    struct arguments *a = state->input;
    struct error error;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->common; break;
    case KEY_NODES:
        if (!options_number("--nodes", text, 1, INT64_C(1) << 40, &a->nodes, &error))
            argp_failure(state, EXIT_USAGE, 0, "%s", error.text);
        break;
    case ARGP_KEY_ARG: argp_error(state, "unexpected \"%s\"", text); break;
    case ARGP_KEY_END: check_one_thread(&a->common, state); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {{&options_common, 0, NULL, 0}, {0}};
static const struct argp nps_argp = {
    .options = nps_options,
    .parser = parse_nps,
    .doc = "Searches fixed positions of a variant, or of all (\"--variant all\", the default), each with an "
           "empty table of 16 MB and the default weights, and prints nodes a second of processor time.",
    .children = children,
};

static void print_total(const char *name, const struct total *total, bool json) {
    const double rate = (double)total->nodes / (total->seconds > 1e-9 ? total->seconds : 1e-9) / 1e6;
    if (json) {
        json_t *line = json_pack("{s:s, s:I, s:f, s:f}", "variant", name, "nodes", (json_int_t)total->nodes,
                                 "seconds", total->seconds, "mnodes_per_second", rate);
        bench_print_json(line);
    } else {
        printf("%-16s %12" PRIu64 " nodes %8.3f s %7.2f Mnodes/s\n", name, total->nodes, total->seconds,
               rate);
    }
    fflush(stdout);
}

int nps_run(int argc, char **argv) {
    struct arguments a = {.nodes = DEFAULT_NODES};
    struct error error;
    argp_parse(&nps_argp, argc, argv, 0, NULL, &a);
    const struct variant *only;
    if (!bench_variants(a.common.variant, &only, &error)) return options_fail(argv[0], EXIT_USAGE, &error);
    const struct search_limits limits = {.nodes = (uint64_t)a.nodes, .analysis = true};
    struct total all = {0};
    for (int i = 0; i < variant_count; i++) {
        if (only && only != &variants[i]) continue;
        struct total total = {0};
        if (!search_positions(&variants[i], NULL, &limits, NPS_MEGABYTES, &total))
            return interrupted_code(argv[0]);
        print_total(variants[i].name, &total, a.common.json);
        all.nodes += total.nodes;
        all.seconds += total.seconds;
    }
    if (!only) print_total("all", &all, a.common.json);
    return EXIT_DONE;
}

// ---- signature ----

static error_t parse_signature(int key, char *text, struct argp_state *state) {
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = state->input; break;
    case ARGP_KEY_ARG: argp_error(state, "unexpected \"%s\"", text); break;
    case ARGP_KEY_END: check_one_thread(state->input, state); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp signature_argp = {
    .parser = parse_signature,
    .doc = "Prints each variant (\"--variant all\", the default), or one, and the nodes that a search of "
           "fixed positions to a fixed depth takes. They "
           "change only when the search, the evaluation or the rules change what they do.",
    .children = children,
};

int signature_run(int argc, char **argv) {
    struct common_options common = {0};
    struct error error;
    argp_parse(&signature_argp, argc, argv, 0, NULL, &common);
    const struct variant *only;
    if (!bench_variants(common.variant, &only, &error)) return options_fail(argv[0], EXIT_USAGE, &error);
    const struct search_limits limits = {.depth = SIGNATURE_DEPTH, .analysis = true};
    for (int i = 0; i < variant_count; i++) {
        if (only && only != &variants[i]) continue;
        struct total total = {0};
        if (!search_positions(&variants[i], "material", &limits, SIGNATURE_MEGABYTES, &total))
            return interrupted_code(argv[0]);
        printf(common.json ? "{\"variant\":\"%s\",\"nodes\":%" PRIu64 "}\n" : "%s %" PRIu64 "\n",
               variants[i].name, total.nodes);
        fflush(stdout);
    }
    return EXIT_DONE;
}
