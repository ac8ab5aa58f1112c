// data_import_command.c -- huff-data import: games of PDN as a dataset.

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "selfplay/data_command.h"
#include "selfplay/import.h"
#include "selfplay/summary.h"

enum {
    OPTION_KEEP = 0x200,
    OPTION_RESULT,
    OPTION_ANY_TYPE,
    OPTION_DRAW,
    OPTION_DRAW_MOVES,
    OPTION_DRAW_PROGRESS,
    OPTION_SHARD,
    USUAL_SHARD_GAMES = 5000,
    MOST_SHARD_GAMES = 1000000,
};

struct arguments {
    struct common_options common;
    const char **paths;
    int path_count;
    const char *output;
    struct import_settings settings;
};

// ---- command line ----

static bool left_from_name(const char *name, enum pdn_left *left, struct error *error) {
    static const char *const names[] = {"first", "white"};
    int which = 0;
    struct error cause;
    if (!word_choose(name, names, 2, &which, &cause)) return error_set(error, "--pdn-result: %s", cause.text);
    *left = which == 0 ? PDN_LEFT_FIRST : PDN_LEFT_WHITE;
    return true;
}

static void check_end(const struct arguments *a, struct argp_state *state) {
    const struct draw_words *words = &a->settings.draws;
    struct draw_rules draws;
    struct refusal refusal;
    const bool none = words->draw != NULL && strcmp(words->draw, "none") == 0;
    if (none ? words->moves != NULL || words->progress != NULL
             : words->draw != NULL && strcmp(words->draw, "federation") != 0 &&
                   strcmp(words->draw, "simple") != 0)
        argp_error(state, "--draw: expected federation, simple or none, got \"%.80s\"", words->draw);
    if (!none && !draws_read(words, &variants[0], &draws, &refusal))
        argp_error(state, "--%s: %s", refusal.key, refusal.cause.text);
    if (a->path_count == 0) argp_error(state, "expected a file of PDN, or - for standard input");
    if (a->output == NULL) argp_error(state, "expected -o RUN");
    if (a->settings.any_game_type && a->common.variant == NULL)
        argp_error(state, "--any-game-type goes with --variant only");
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *a = state->input;
    struct import_settings *s = &a->settings;
    struct error error;
    bool good = true;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->common; return 0;
    case ARGP_KEY_ARG: options_append(&a->paths, &a->path_count, argument); return 0;
    case 'o': a->output = argument; return 0;
    case OPTION_KEEP: s->keep_broken = true; return 0;
    case OPTION_ANY_TYPE: s->any_game_type = true; return 0;
    case OPTION_DRAW: s->draws.draw = argument; return 0;
    case OPTION_DRAW_MOVES: s->draws.moves = argument; return 0;
    case OPTION_DRAW_PROGRESS: s->draws.progress = argument; return 0;
    case OPTION_RESULT: good = left_from_name(argument, &s->left, &error); break;
    case OPTION_SHARD:
        good = options_int("--shard-games", argument, 1, MOST_SHARD_GAMES, &s->shard_games, &error);
        break;
    case ARGP_KEY_END: check_end(a, state); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
    if (good) return 0;
    argp_failure(state, EXIT_USAGE, 0, "%s", error.text);
    return EINVAL;
}

// ---- what became of the games ----

static void print_line(void *context, const char *line) {
    (void)context;
    fprintf(stderr, "%s\n", line);
}

static uint64_t lost_games(const struct import_counts *counts) {
    uint64_t lost = 0;
    for (int i = 0; i < IMPORT_LOSSES; i++) lost += counts->lost[i];
    return lost;
}

static void print_counts_json(const char *path, const struct import_counts *counts) {
    json_t *reasons = json_object();
    for (int i = 0; i < IMPORT_LOSSES; i++)
        json_object_set_new(reasons, import_loss_names[i], json_integer((json_int_t)counts->lost[i]));
    json_print(json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "path", path, "variant",
                         counts->variant->name, "files", (json_int_t)counts->files, "games",
                         (json_int_t)counts->games, "positions", (json_int_t)counts->positions, "broken_kept",
                         (json_int_t)counts->broken, "results_by_rules", (json_int_t)counts->by_rules,
                         "warnings", (json_int_t)counts->warnings, "lost_games",
                         (json_int_t)lost_games(counts), "lost_moves", (json_int_t)counts->lost_moves, "lost",
                         reasons));
}

static void print_counts(const char *path, const struct import_counts *counts) {
    printf("%s: %" PRIu64 " games, %" PRIu64 " moves of %s\n", path, counts->games, counts->positions,
           counts->variant->name);
    printf("mended: %" PRIu64 " games read up to their last good move, %" PRIu64
           " results by the rules, %" PRIu64 " warnings\n",
           counts->broken, counts->by_rules, counts->warnings);
    printf("lost: %" PRIu64 " games, %" PRIu64 " moves", lost_games(counts), counts->lost_moves);
    const char *sign = ": ";
    for (int i = 0; i < IMPORT_LOSSES; i++) {
        if (counts->lost[i] == 0) continue;
        printf("%s%" PRIu64 " %s", sign, counts->lost[i], import_loss_names[i]);
        sign = ", ";
    }
    printf("\n");
}

static bool import(struct arguments *a, struct error *error) {
    struct import_settings *settings = &a->settings;
    settings->seed = a->common.seed;
    settings->quiet = a->common.quiet;
    settings->report = a->common.quiet ? NULL : print_line;
    if (a->common.variant != NULL) {
        settings->variant = variant_find(a->common.variant, error);
        if (settings->variant == NULL) return false;
    }
    struct import_counts counts;
    if (!import_write(a->paths, a->path_count, a->output, settings, &counts, error)) return false;
    if (a->common.json)
        print_counts_json(a->output, &counts);
    else
        print_counts(a->output, &counts);
    return true;
}

int data_import_run(int argc, char **argv) {
    static const struct argp_option options[] = {
        {"output", 'o', "RUN", 0, "The folder to make, or one file if the name ends in .h5", 0},
        {"keep-broken", OPTION_KEEP, NULL, 0,
         "Keep a game in which a move is wrong up to there, if its result is known (default: skip it)", 0},
        {"any-game-type", OPTION_ANY_TYPE, NULL, 0,
         "Read every game as one of --variant, whatever its GameType says (default: skip others)", 0},
        {"pdn-result", OPTION_RESULT, "first|white", 0,
         "Where Black begins (american, pool, thai): whose points a result has at the left, those of the "
         "side "
         "that begins (default) or White's. A Termination tag that names the winner goes before",
         0},
        {"draw", OPTION_DRAW, "federation|simple|none", 0,
         "The rules by which games are drawn (default: federation). Games of people may go on after such a "
         "draw, which no one claimed: \"none\" takes them. Only datasets with the same rules can be merged",
         0},
        {"draw-moves", OPTION_DRAW_MOVES, "N", 0, "With --draw simple, as in configurations of huff-selfplay",
         0},
        {"draw-progress", OPTION_DRAW_PROGRESS, "WORD", 0, "So, too", 0},
        {"shard-games", OPTION_SHARD, "N", 0, "Games a file of the folder (default: 5000)", 0},
        {0},
    };
    static const struct argp_child children[] = {{&options_common, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "FILE.pdn... -o RUN",
        .doc = "Makes a dataset of games in PDN: positions, moves, results, and scores where comments have "
               "them ([%eval 0.35], White's view).\v"
               "FILE \"-\" is standard input. Files of any size are read in little memory. The variant is "
               "--variant, or what the GameType of the first game says, or the one whose rules allow most of "
               "the moves at the beginning of the file. RUN is a folder of shards as "
               "huff-selfplay writes it, with the checksums that \"huff-data verify\" compares. Games that "
               "are broken, of another variant or without a result are skipped; each is named on standard "
               "error with its line and the reason (-q: none is). A game whose last position is not final "
               "counts as adjudicated, unless its Termination tag names a time limit or a fault. RUN appears "
               "when it is complete; a command that failed or was interrupted leaves nothing.",
        .children = children};
    struct arguments a = {.settings = {.shard_games = USUAL_SHARD_GAMES}};
    struct error error;
    if (argp_parse(&argp, argc, argv, 0, NULL, &a) != 0) return EXIT_USAGE;
    const bool done = import(&a, &error);
    free(a.paths);
    return done ? EXIT_DONE : options_fail("huff-data", EXIT_FAILED, &error);
}
