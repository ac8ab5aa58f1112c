// perft_command.c -- huff-bench perft: one count, its time and rate, and the counts below each move.
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/nps.h"
#include "bench/perft.h"
#include "core/notation.h"
#include "core/position_options.h"
#include "core/support/clock.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "core/support/progress.h"

struct arguments {
    struct common_options common;
    struct perft_options perft;
    struct position_options position;
    bool divide;
};

enum { KEY_DEPTH = 0x200, KEY_PATHS, KEY_DIVIDE, KEY_MADE, KEY_HASH };

static const struct argp_option option_list[] = {
    {"depth", KEY_DEPTH, "N", 0, "Plies to count", 0},
    {"paths", KEY_PATHS, NULL, 0, "Count every order of capturing (default: different captures only)", 0},
    {"divide", KEY_DIVIDE, NULL, 0, "Print the count below each move first", 0},
    {"made", KEY_MADE, NULL, 0, "Play every move of the last ply, too", 0},
    {"hash", KEY_HASH, "MB", 0, "Remember subtrees in a table of this size", 0},
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *a = state->input;
    struct error error;
    bool good = true;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->common;
        state->child_inputs[1] = &a->position;
        break;
    case KEY_DEPTH: good = options_int("--depth", text, 1, MAX_PERFT_DEPTH, &a->perft.depth, &error); break;
    case KEY_PATHS: a->perft.paths = true; break;
    case KEY_DIVIDE: a->divide = true; break;
    case KEY_MADE: a->perft.made = true; break;
    case KEY_HASH: good = options_int("--hash", text, 1, 1 << 20, &a->perft.hash_megabytes, &error); break;
    case ARGP_KEY_ARG: argp_error(state, "unexpected \"%s\"", text); break;
    case ARGP_KEY_END:
        if (!a->perft.depth) argp_error(state, "--depth is missing");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    if (!good) argp_failure(state, EXIT_USAGE, 0, "%s", error.text);
    return 0;
}

static const struct argp_child children[] = {
    {&options_common, 0, NULL, 0}, {&position_options, 0, NULL, 0}, {0}};
static const struct argp perft_argp = {
    .options = option_list,
    .parser = parse,
    .doc = "Counts the leaves of the tree of legal moves. The last line is \"perft N = LEAVES  S s  M "
           "Mleaves/s\".",
    .children = children,
};

// "12-16" or "c3:e5 {d4}": with the captured pieces where there are any, since the ends may not tell moves
// apart.
static void move_name(const struct variant *v, const struct position *p, const struct move_list *list,
                      struct move m, char name[static MOVE_TEXT_SIZE + CAPTURES_TEXT_SIZE]) {
    char captures[CAPTURES_TEXT_SIZE];
    move_to_text(v, p, list, m, name);
    move_captures_to_text(v, m, captures);
    strcat(name, captures);
}

static bool divide(struct perft *perft, const struct variant *v, const struct position *p,
                   const struct arguments *a, wide_count *leaves, json_t *rows) {
    struct move_list *list = memory_new(1, sizeof *list);
    (a->perft.paths ? v->generate_paths : v->generate)(p, list);
    bool done = true;
    if (list->truncated) variant_too_many_captures(v->name, p);
    for (int i = 0; i < list->count && done; i++) {
        struct position next = *p;
        v->play(&next, list->moves[i]);
        wide_count below = 1;
        if (a->perft.depth > 1) done = perft_count(perft, &next, a->perft.depth - 1, &below);
        if (!done) break;
        *leaves += below;
        char name[MOVE_TEXT_SIZE + CAPTURES_TEXT_SIZE], count[WIDE_TEXT_SIZE];
        move_name(v, p, list, list->moves[i], name);
        wide_to_text(below, count);
        if (rows)
            json_array_append_new(rows, json_pack("{s:s, s:s}", "move", name, "leaves", count));
        else
            printf("%s: %s\n", name, count);
        fflush(stdout);
    }
    free(list);
    return done;
}

static int interrupted_code(const char *program) {
    const struct error error = {"interrupted: no count"};
    return options_fail(program, EXIT_FAILED, &error);
}

static void print_result(const struct variant *v, const struct position *p, const struct arguments *a,
                         wide_count leaves, double seconds, json_t *rows) {
    char count[WIDE_TEXT_SIZE], fen[FEN_TEXT_SIZE];
    const double rate = (double)leaves / (seconds > 1e-9 ? seconds : 1e-9) / 1e6;
    wide_to_text(leaves, count);
    if (!a->common.json) {
        printf("perft %d = %s  %.3f s  %.1f Mleaves/s\n", a->perft.depth, count, seconds, rate);
        return;
    }
    position_to_fen(v, p, fen);
    // A count may be too long for a JSON number: a string keeps all its digits.
    json_t *result = json_pack("{s:s, s:s, s:i, s:s, s:s, s:b, s:i, s:f, s:f}", "variant", v->name, "fen",
                               fen, "depth", a->perft.depth, "leaves", count, "convention",
                               a->perft.paths ? "paths" : "distinct", "made", a->perft.made, "threads",
                               a->perft.threads, "seconds", seconds, "mleaves_per_second", rate);
    if (rows) json_object_set_new(result, "divide", rows);
    bench_print_json(result);
}

int perft_run(int argc, char **argv) {
    struct arguments a = {.position = {.ply = -1}};
    struct error error;
    struct game game;
    int code;
    argp_parse(&perft_argp, argc, argv, 0, NULL, &a);
    if (!position_options_game(&a.position, a.common.variant, &game, &code, &error))
        return options_fail(argv[0], code, &error);
    const struct variant *v = game.variant;
    const struct position p = *game_position(&game);
    game_free(&game);
    a.perft.threads = options_threads(&a.common);
    a.perft.quiet = a.common.quiet;
    struct perft *perft = perft_new(v, &a.perft, &error);
    if (!perft) return options_fail(argv[0], EXIT_FAILED, &error);

    json_t *rows = a.divide && a.common.json ? json_array() : NULL;
    wide_count leaves = 0;
    const double start = clock_seconds();
    const bool done =
        a.divide ? divide(perft, v, &p, &a, &leaves, rows) : perft_count(perft, &p, a.perft.depth, &leaves);
    const double seconds = clock_seconds() - start;
    perft_free(perft);
    if (!done) return interrupted_code(argv[0]);
    print_result(v, &p, &a, leaves, seconds, rows);
    return EXIT_DONE;
}
