// data_sample_command.c -- huff-data sample: positions chosen for training.

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "selfplay/data_command.h"
#include "selfplay/sample.h"
#include "selfplay/summary.h"

enum {
    OPTION_PLY = 0x200,
    OPTION_SCORE,
    OPTION_SCORED,
    OPTION_PIECES,
    OPTION_CLOCK,
    OPTION_RESULT,
    OPTION_QUIET,
    OPTION_RANDOM,
    OPTION_SHARE,
    OPTION_PER_GAME,
    OPTION_UNIQUE,
    OPTION_PER_PIECES,
    OPTION_DROP,
};

struct arguments {
    struct data_paths paths;
    const char *output;
    struct sample_settings settings;
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *a = state->input;
    struct sample_settings *s = &a->settings;
    struct error error;
    int64_t number = 0;
    bool good = true;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->paths; return 0;
    case 'o': a->output = argument; return 0;
    case OPTION_PLY: good = data_sample_range("--ply", argument, PLAYING_MAX_PLIES, &s->ply, &error); break;
    case OPTION_SCORE: good = data_sample_range("--score", argument, INT16_MAX, &s->score, &error); break;
    case OPTION_PIECES: good = data_sample_range("--pieces", argument, 63, &s->pieces, &error); break;
    case OPTION_CLOCK: good = data_sample_range("--clock", argument, 255, &s->clock, &error); break;
    case OPTION_RESULT: good = data_results_parse(argument, s->results, &error); break;
    case OPTION_SCORED: s->unscored = false; break;
    case OPTION_QUIET: s->quiet = true; break;
    case OPTION_RANDOM: s->skip_random = true; break;
    case OPTION_UNIQUE: s->unique = true; break;
    case OPTION_DROP: s->drop_duplicates = true; break;
    case OPTION_SHARE: good = options_real("--share", argument, 0, 1, &s->share, &error); break;
    case OPTION_PER_GAME:
        good = options_int("--per-game", argument, 1, PLAYING_MAX_PLIES, &s->per_game, &error);
        break;
    case OPTION_PER_PIECES:
        good = options_number("--per-pieces", argument, 1, INT64_MAX, &number, &error);
        s->per_pieces = (uint64_t)number;
        break;
    case ARGP_KEY_END:
        if (a->output == NULL) argp_error(state, "expected -o FILE");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
    if (good) return 0;
    argp_failure(state, EXIT_USAGE, 0, "%s", error.text);
    return EINVAL;
}

static void print_counts(const char *path, const struct sample_counts *counts) {
    printf("%s: %llu of %llu positions, of %llu games\n", path, (unsigned long long)counts->positions,
           (unsigned long long)counts->read, (unsigned long long)counts->games);
    printf("chosen %llu, different %llu, written %llu\n", (unsigned long long)counts->chosen,
           (unsigned long long)counts->unique, (unsigned long long)counts->positions);
    printf("pieces  positions\n");
    for (int i = 63; i >= 0; i--) {
        if (counts->by_pieces[i] > 0) printf("%6d %10llu\n", i, (unsigned long long)counts->by_pieces[i]);
    }
}

static void print_counts_json(const char *path, const struct sample_counts *counts) {
    json_t *pieces = json_object();
    for (int i = 0; i < 64; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        if (counts->by_pieces[i] > 0)
            json_object_set_new(pieces, name, json_integer((json_int_t)counts->by_pieces[i]));
    }
    json_print(json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:o}", "path", path, "read",
                         (json_int_t)counts->read, "chosen", (json_int_t)counts->chosen, "different",
                         (json_int_t)counts->unique, "positions", (json_int_t)counts->positions, "games",
                         (json_int_t)counts->games, "by_pieces", pieces));
}

static bool sample(struct arguments *a, struct error *error) {
    a->settings.seed = a->paths.common.seed;
    a->settings.quiet_output = a->paths.common.quiet;
    struct dataset *dataset = data_open(&a->paths, error);
    struct sample_counts counts;
    const bool done = dataset != NULL && sample_write(dataset, a->output, &a->settings, &counts, error);
    if (done && a->paths.common.json)
        print_counts_json(a->output, &counts);
    else if (done)
        print_counts(a->output, &counts);
    dataset_close(dataset);
    return done;
}

int data_sample_run(int argc, char **argv) {
    static const struct argp_option options[] = {
        {"output", 'o', "FILE", 0, "The file to write", 0},
        {NULL, 0, NULL, 0, "Of which games and positions (A-B, A- or -B):", 1},
        {"drop-duplicates", OPTION_DROP, NULL, 0, "Not of games that were played before", 1},
        {"result", OPTION_RESULT, "LIST", 0, "Of games with these results: white,draw,black", 1},
        {"ply", OPTION_PLY, "A-B", 0, "Plies from the start of the game", 1},
        {"pieces", OPTION_PIECES, "A-B", 0, "Pieces on the board", 1},
        {"clock", OPTION_CLOCK, "A-B", 0, "Plies since a capture or a move of a man", 1},
        {"score", OPTION_SCORE, "A-B", 0, "Centipawns ahead, whichever side", 1},
        {"scored", OPTION_SCORED, NULL, 0, "Only with a score", 1},
        {"quiet-only", OPTION_QUIET, NULL, 0, "Where nobody could capture if it were his turn", 1},
        {"skip-random", OPTION_RANDOM, NULL, 0, "Not where the move was drawn at random", 1},
        {NULL, 0, NULL, 0, "How many, in the order in which it is done:", 2},
        {"share", OPTION_SHARE, "P", 0, "Each with this probability (see --seed)", 2},
        {"per-game", OPTION_PER_GAME, "N", 0, "At most N of a game", 2},
        {"unique", OPTION_UNIQUE, NULL, 0,
         "Equal positions once, with the mean of their results (labels/expected) and scores; training, "
         "validation and test games apart",
         2},
        {"per-pieces", OPTION_PER_PIECES, "N", 0, "At most N with each count of pieces", 2},
        {0},
    };
    static const struct argp_child children[] = {{&data_paths_argp, 0, NULL, 3}, {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "PATH... -o FILE",
        .doc = "Writes chosen positions to a file of the same layout, for training; huff-tune reads it.",
        .children = children};
    struct arguments a = {.settings = sample_settings_all()};
    struct error error;
    if (argp_parse(&argp, argc, argv, 0, NULL, &a) != 0) return EXIT_USAGE;
    return data_end(&a.paths, sample(&a, &error), &error);
}
