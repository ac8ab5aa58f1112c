// analyse_command.c -- huff analyse: what the search finds in a position, depth by depth.
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/position_options.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "search/annotate.h"
#include "search/commands.h"
#include "search/keyboard.h"
#include "search/search.h"

struct arguments {
    struct common_options common;
    struct search_limits limits;
    struct position_options position;
    const char *weights;
    int hash_megabytes;
};

enum { KEY_DEPTH = 0x200, KEY_NODES, KEY_TIME, KEY_WEIGHTS, KEY_HASH, KEY_LINES };
enum { DEFAULT_HASH_MEGABYTES = 64, MOST_HASH_MEGABYTES = 1 << 20, MOST_LINES = 100 };

static const struct argp_option option_list[] = {
    {"depth", KEY_DEPTH, "N", 0, "Search this many plies deep", 0},
    {"nodes", KEY_NODES, "N", 0, "Search this many positions", 0},
    {"time", KEY_TIME, "S", 0, "Search for this many seconds", 0},
    {"weights", KEY_WEIGHTS, "FILE", 0, "Weights of the evaluation: a file, material, or default", 0},
    {"lines", KEY_LINES, "N", 0, "Show the N best moves, each with its line (default: 1)", 0},
    {"hash", KEY_HASH, "MB", 0, "Size of the transposition table (default: 64)", 0},
    {0},
};

// Whole games, and not one position of one of them.
static bool is_of_games(const struct position_options *position) {
    return position->pdn && position->ply < 0;
}

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *a = state->input;
    struct error error;
    int64_t number = 0;
    bool good = true;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->common;
        state->child_inputs[1] = &a->position;
        break;
    case KEY_DEPTH: good = options_int("--depth", text, 1, MAX_DEPTH, &a->limits.depth, &error); break;
    case KEY_NODES:
        good = options_number("--nodes", text, 1, INT64_MAX, &number, &error);
        a->limits.nodes = (uint64_t)number;
        break;
    case KEY_TIME: good = options_real("--time", text, 0.001, 1e9, &a->limits.seconds, &error); break;
    case KEY_WEIGHTS: a->weights = text; break;
    case KEY_HASH:
        good = options_int("--hash", text, 1, MOST_HASH_MEGABYTES, &a->hash_megabytes, &error);
        break;
    case KEY_LINES: good = options_int("--lines", text, 1, MOST_LINES, &a->limits.lines, &error); break;
    case ARGP_KEY_ARG: argp_error(state, "unexpected \"%s\"", text); break;
    case ARGP_KEY_END:
        if (!a->limits.depth && !a->limits.nodes && a->limits.seconds <= 0)
            argp_error(state, "one of --depth, --nodes and --time is needed");
        if (is_of_games(&a->position) && a->limits.lines > 1)
            argp_error(state, "--lines is for one position: --ply is missing");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    if (!good) argp_failure(state, EXIT_USAGE, 0, "%s", error.text);
    return 0;
}

static const struct argp_child children[] = {
    {&options_common, 0, NULL, 0}, {&position_options, 0, NULL, 0}, {0}};
static const struct argp analyse_argp = {
    .options = option_list,
    .parser = parse,
    .doc =
        "Searches a position. Prints a line for each depth, with the score in centipawns from the view of "
        "the side to move, and at last \"bestmove MOVE\". With --lines there is one for each of the best "
        "moves, numbered from 1. Ctrl-C ends the search with what it has found. It runs on one thread unless "
        "--threads asks for more.\v"
        "With --pdn and --ply it is that position of the file's first game, or of the one that --game says. "
        "Without --ply all games, or that one, are searched move by move and printed as PDN: each move with "
        "its score (White's view), moves that give away 0.25, 0.50 or 1.00 marked as inaccuracy, mistake or "
        "blunder with what was best.",
    .children = children,
};

struct report {
    const struct variant *variant;
    struct position position;  // a copy: the search may move the game's own
    bool json, quiet;
    int lines;         // of each depth
    json_t *of_depth;  // those of this depth so far
};

// Calls `each` with the text of every move of a line.
typedef void line_move(void *context, const char *move);
static void each_move_of_line(const struct report *report, const struct move *moves, int count,
                              line_move *each, void *context) {
    const struct variant *v = report->variant;
    struct position p = report->position;
    struct move_list *legal = memory_new(1, sizeof *legal);
    for (int i = 0; i < count; i++) {
        char text[MOVE_TEXT_SIZE];
        v->generate(&p, legal);
        move_to_text(v, &p, legal, moves[i], text);
        each(context, text);
        v->play(&p, moves[i]);
    }
    free(legal);
}

static void print_move(void *context, const char *move) {
    (void)context;
    printf(" %s", move);
}

static void append_move(void *context, const char *move) {
    json_array_append_new(context, json_string(move));
}

static uint64_t nodes_per_second(const struct search_result *r) {
    return (uint64_t)((double)r->nodes / (r->seconds > 1e-6 ? r->seconds : 1e-6));
}

// Plies to a win (or, below zero, to a loss) that the score has proved, 0 if it has not.
static int plies_to_end(int score) {
    if (score >= SCORE_WIN_FROM) return SCORE_WIN - score;
    if (score <= -SCORE_WIN_FROM) return -(SCORE_WIN + score);
    return 0;
}

static void print_info(const struct report *report, const struct search_result *r) {
    printf("info depth %d", r->depth);
    if (report->lines > 1) printf(" line %d", r->line + 1);
    fputs(" score ", stdout);
    const int end = plies_to_end(r->score);
    if (end)
        printf("%s in %d %s", end > 0 ? "win" : "loss", abs(end), abs(end) == 1 ? "ply" : "plies");
    else
        printf("%d", r->score);
    printf(" nodes %" PRIu64 " time %.3f nps %" PRIu64 " pv", r->nodes, r->seconds, nodes_per_second(r));
    each_move_of_line(report, r->pv, r->pv_length, print_move, NULL);
    putchar('\n');
}

static json_t *line_json(const struct report *report, const struct search_result *r) {
    json_t *pv = json_array();
    each_move_of_line(report, r->pv, r->pv_length, append_move, pv);
    json_t *line = json_pack("{s:i, s:o}", "score", r->score, "pv", pv);
    const int end = plies_to_end(r->score);
    if (end) json_object_set_new(line, end > 0 ? "win_in" : "loss_in", json_integer(abs(end)));
    return line;
}

static void print_json(json_t *root) {
    json_dumpf(root, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(root);
}

// A document a depth, with what is said of the best line; all lines follow when more than one was asked for.
static void add_info_json(struct report *report, const struct search_result *r) {
    json_t *line = line_json(report, r);
    if (r->line == 0) report->of_depth = json_array();
    json_array_append_new(report->of_depth, line);
    if (r->line + 1 < report->lines) return;
    json_t *best = json_array_get(report->of_depth, 0);
    json_t *root =
        json_pack("{s:i, s:O, s:I, s:f, s:I, s:O}", "depth", r->depth, "score",
                  json_object_get(best, "score"), "nodes", (json_int_t)r->nodes, "time", r->seconds, "nps",
                  (json_int_t)nodes_per_second(r), "pv", json_object_get(best, "pv"));
    json_object_update_missing(root, best);
    if (report->lines > 1) json_object_set(root, "lines", report->of_depth);
    json_decref(report->of_depth);
    print_json(root);
}

static void report_depth(void *context, const struct search_result *r) {
    struct report *report = context;
    if (report->json)
        add_info_json(report, r);
    else
        print_info(report, r);
    fflush(stdout);
}

static void keep_text(void *context, const char *move) { strcpy(context, move); }

static void print_best(const struct report *report, const struct search_result *r) {
    char text[MOVE_TEXT_SIZE];
    each_move_of_line(report, &r->best, 1, keep_text, text);
    if (!report->json) {
        printf("bestmove %s\n", text);
        return;
    }
    print_json(json_pack("{s:s}", "bestmove", text));
}

// ---- the search ----

struct job {
    struct search *search;
    struct game *game;
    const struct search_limits *limits;
    struct report report;
    struct search_result result;
};

static void work(void *context, const atomic_bool *stop) {
    struct job *job = context;
    search_think(job->search, job->game, job->limits, stop, job->report.quiet ? NULL : report_depth,
                 &job->report, &job->result);
}

static int count_moves(const struct variant *v, const struct position *p) {
    struct move_list *legal = memory_new(1, sizeof *legal);
    v->generate(p, legal);
    const int count = legal->count;
    free(legal);
    return count;
}

// Until the limits, or Ctrl-C.
static bool search_and_print(struct job *job, struct error *error) {
    struct keyboard keyboard;
    if (!keyboard_open(&keyboard, -1, error)) return false;
    keyboard_during(&keyboard, work, job);
    keyboard_close(&keyboard);
    print_best(&job->report, &job->result);
    return true;
}

static bool analyse(const struct arguments *a, const struct variant *v, const struct weights *weights,
                    struct game *game, struct error *error) {
    const struct position p = *game_position(game);
    const int megabytes = a->hash_megabytes;
    const int moves = count_moves(v, &p), lines = a->limits.lines < moves ? a->limits.lines : moves;
    struct job job = {
        .search = search_new(v, weights, (size_t)megabytes),
        .game = game,
        .limits = &a->limits,
        .report = {v, p, a->common.json, a->common.quiet, lines, NULL},
    };
    if (!job.search) return error_set(error, "--hash: no memory for %d megabytes", megabytes);
    search_set_threads(job.search, a->common.threads ? a->common.threads : 1);
    const bool done = search_and_print(&job, error);
    search_free(job.search);
    return done;
}

// One position, at the end of `game`.
static bool analyse_position(const struct arguments *a, struct game *game, struct error *error) {
    struct weights weights;
    int result;
    if (!weights_get(a->weights, game->variant, &weights, error)) return false;
    const enum termination end = game_over(game, &result);
    const bool done = end == GAME_GOES_ON ? analyse(a, game->variant, &weights, game, error)
                                          : error_set(error, "nothing to search, the game is over: %s",
                                                      termination_names[end]);
    weights_free(&weights);
    return done;
}

static bool analyse_games(const struct arguments *a, int *code, struct error *error) {
    struct annotate_settings settings = {
        .path = a->position.pdn,
        .game = a->position.game,
        .weights = a->weights,
        .limits = a->limits,
        .hash_megabytes = a->hash_megabytes,
        .threads = a->common.threads ? a->common.threads : 1,
        .json = a->common.json,
        .quiet = a->common.quiet,
    };
    *code = EXIT_USAGE;
    if (a->common.variant && !(settings.variant = variant_find(a->common.variant, error))) return false;
    *code = EXIT_FAILED;
    return annotate_games(&settings, error);
}

int analyse_run(int argc, char **argv) {
    struct arguments a = {
        .limits = {.lines = 1}, .position = {.ply = -1}, .hash_megabytes = DEFAULT_HASH_MEGABYTES};
    struct error error;
    struct game game;
    int code;
    argp_parse(&analyse_argp, argc, argv, 0, NULL, &a);
    a.limits.analysis = true;
    if (is_of_games(&a.position))
        return analyse_games(&a, &code, &error) ? EXIT_DONE : options_fail(argv[0], code, &error);
    if (!position_options_game(&a.position, a.common.variant, &game, &code, &error))
        return options_fail(argv[0], code, &error);
    const bool done = analyse_position(&a, &game, &error);
    game_free(&game);
    return done ? EXIT_DONE : options_fail(argv[0], EXIT_FAILED, &error);
}
