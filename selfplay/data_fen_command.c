// data_fen_command.c -- huff-data fen: positions of a dataset as a list.

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/support/memory.h"
#include "core/support/progress.h"
#include "selfplay/data_command.h"
#include "selfplay/game_reader.h"
#include "selfplay/output.h"
#include "selfplay/position_set.h"
#include "selfplay/sample.h"
#include "selfplay/summary.h"

enum {
    OPTION_GAMES = 0x200,
    OPTION_LIMIT,
    OPTION_PLY,
    OPTION_SCORE,
    OPTION_PIECES,
    OPTION_CLOCK,
    OPTION_QUIET,
    OPTION_RANDOM,
    OPTION_UNIQUE,
};

struct arguments {
    struct data_paths paths;
    const char *output;
    struct data_range games;
    int64_t limit;
    bool unique;
    struct sample_settings chosen;
};

// ---- command line ----

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *a = state->input;
    struct sample_settings *s = &a->chosen;
    struct error error;
    bool good = true;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->paths; return 0;
    case 'o': a->output = argument; return 0;
    case OPTION_GAMES: good = data_range_parse("--games", argument, 0, INT64_MAX, &a->games, &error); break;
    case OPTION_LIMIT: good = options_number("--limit", argument, 1, INT64_MAX, &a->limit, &error); break;
    case OPTION_PLY: good = data_sample_range("--ply", argument, PLAYING_MAX_PLIES, &s->ply, &error); break;
    case OPTION_PIECES: good = data_sample_range("--pieces", argument, 63, &s->pieces, &error); break;
    case OPTION_CLOCK: good = data_sample_range("--clock", argument, 255, &s->clock, &error); break;
    case OPTION_SCORE:
        good = data_sample_range("--score", argument, INT16_MAX, &s->score, &error);
        s->unscored = false;
        break;
    case OPTION_QUIET: s->quiet = true; break;
    case OPTION_RANDOM: s->skip_random = true; break;
    case OPTION_UNIQUE: a->unique = true; break;
    case ARGP_KEY_END:
        if (a->paths.common.json && a->output == NULL)
            argp_error(state, "--json goes with -o: the positions are written to standard output");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
    if (good) return 0;
    argp_failure(state, EXIT_USAGE, 0, "%s", error.text);
    return EINVAL;
}

// ---- positions ----

struct listing {
    const struct arguments *arguments;
    struct dataset *dataset;
    struct position_set seen;  // with --unique
    uint64_t written;
    char *text;  // lines of one game
    size_t room;
};

static bool is_wanted(struct listing *l, const struct read_game *game, size_t row,
                      const struct position *position) {
    const struct arguments *a = l->arguments;
    if (l->written == (uint64_t)a->limit || !sample_wants(&a->chosen, &game->rows, row)) return false;
    const size_t known = l->seen.count;
    return !a->unique || position_set_add(&l->seen, position) == known;
}

static const char *lines_of(struct listing *l, const struct read_game *game) {
    const struct variant *variant = dataset_variant(l->dataset);
    const size_t count = game->row.count[0], needed = (count + 1) * FEN_TEXT_SIZE;
    if (needed > l->room) l->text = memory_grow(l->text, l->room = 2 * needed, 1);
    char *to = l->text;
    for (size_t i = 0; i < count; i++) {
        const struct position position = position_from_columns(variant, &game->rows, i);
        if (!is_wanted(l, game, i, &position)) continue;
        position_to_fen(variant, &position, to);
        to += strlen(to);
        *to++ = '\n';
        l->written++;
    }
    *to = '\0';
    return l->text;
}

static bool list_games(void *context, int file, struct error *error) {
    struct listing *l = context;
    const struct arguments *a = l->arguments;
    const uint64_t games = dataset_games(l->dataset);
    struct game_reader *reader = game_reader_new(l->dataset, READ_POSITIONS);
    struct progress *progress = progress_start("writing", "games", games, a->paths.common.quiet);
    bool done = true;
    for (uint64_t i = 0; i < games && done && l->written < (uint64_t)a->limit; i++) {
        struct read_game game;
        done = game_reader_next(reader, &game, error);
        progress_step(progress, 1);
        const int64_t id = done ? (int64_t)game.row.id[0] : -1;
        if (id >= a->games.least && id <= a->games.most)
            done = data_write_text(a->output, file, lines_of(l, &game), error);
    }
    progress_end(progress);
    game_reader_free(reader);
    return done;
}

static bool list(const struct arguments *a, struct error *error) {
    struct listing l = {.arguments = a, .dataset = data_open(&a->paths, error)};
    const bool done = l.dataset != NULL && (a->output == NULL || output_check(a->output, l.dataset, error)) &&
                      data_write(a->output, list_games, &l, error);
    if (done && a->paths.common.json)
        json_print(json_pack("{s:s, s:I}", "path", a->output, "positions", (json_int_t)l.written));
    else if (done && a->output != NULL)
        printf("%s: %" PRIu64 " positions\n", a->output, l.written);
    position_set_free(&l.seen);
    free(l.text);
    dataset_close(l.dataset);
    return done;
}

int data_fen_run(int argc, char **argv) {
    static const struct argp_option options[] = {
        {"output", 'o', "FILE", 0, "The file to write (default: standard output)", 0},
        {"limit", OPTION_LIMIT, "N", 0, "No more than N positions", 0},
        {NULL, 0, NULL, 0, "Of which games and positions (A-B, A- or -B):", 1},
        {"games", OPTION_GAMES, "A-B", 0, "Only games of these numbers", 1},
        {"ply", OPTION_PLY, "A-B", 0, "Plies from the start of the game", 1},
        {"pieces", OPTION_PIECES, "A-B", 0, "Pieces on the board", 1},
        {"clock", OPTION_CLOCK, "A-B", 0, "Plies since a capture or a move of a man", 1},
        {"score", OPTION_SCORE, "A-B", 0, "Only with a score: centipawns ahead, whichever side", 1},
        {"quiet-only", OPTION_QUIET, NULL, 0, "Where nobody could capture if it were his turn", 1},
        {"skip-random", OPTION_RANDOM, NULL, 0, "Not where the move was drawn at random", 1},
        {"unique", OPTION_UNIQUE, NULL, 0, "Equal positions once (needs memory: 40 bytes a position)", 1},
        {0},
    };
    static const struct argp_child children[] = {{&data_paths_argp, 0, NULL, 2}, {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "PATH... [-o FILE]",
        .doc =
            "Writes positions in which a move was played, one FEN a line.\v"
            "Games can start from such a list: \"huff-match --openings FILE\", and for huff-selfplay "
            "\"opening.book: FILE\" in its configuration or \"--set opening.book=FILE\"; both take at most "
            "100000. For instance level positions after ten plies: \"huff-data fen RUN --ply 10 "
            "--score -50 --unique -o level.fen\". What \"huff-data sample\" chose can be listed, too.",
        .children = children};
    struct arguments a = {
        .games = {0, INT64_MAX},
        .limit = INT64_MAX,
        .chosen = sample_settings_all(),
    };
    struct error error;
    if (argp_parse(&argp, argc, argv, 0, NULL, &a) != 0) return EXIT_USAGE;
    return data_end(&a.paths, list(&a, &error), &error);
}
