// data_pdn_command.c -- huff-data pdn: games of a dataset as PDN.

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/pdn.h"
#include "core/support/file.h"
#include "core/support/memory.h"
#include "core/support/progress.h"
#include "selfplay/data_command.h"
#include "selfplay/game_reader.h"
#include "selfplay/output.h"
#include "selfplay/summary.h"

enum { OPTION_GAMES = 0x200, OPTION_LIMIT, OPTION_RESULT, OPTION_PLIES, OPTION_TERMINATION };

struct arguments {
    struct data_paths paths;
    const char *output;
    struct data_range games, plies;
    int64_t limit;
    bool results[3];  // wanted: won by Black, drawn, won by White
    int termination;  // GAME_GOES_ON: any
};

// ---- command line ----

static bool termination_from_name(const char *name, int *termination, struct error *error) {
    for (int i = GAME_GOES_ON + 1; i < TERMINATION_COUNT; i++) {
        if (strcmp(name, termination_names[i]) == 0) return *termination = i, true;
    }
    return error_set(error, "--termination: no \"%.80s\"; \"huff-data info\" names those of a dataset", name);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *a = state->input;
    struct error error;
    bool good = true;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->paths;
        a->games = (struct data_range){0, INT64_MAX};
        a->plies = (struct data_range){0, PLAYING_MAX_PLIES};
        a->limit = INT64_MAX;
        for (int i = 0; i < 3; i++) a->results[i] = true;
        return 0;
    case 'o': a->output = argument; return 0;
    case OPTION_GAMES: good = data_range_parse("--games", argument, 0, INT64_MAX, &a->games, &error); break;
    case OPTION_PLIES:
        good = data_range_parse("--plies", argument, 0, PLAYING_MAX_PLIES, &a->plies, &error);
        break;
    case OPTION_LIMIT: good = options_number("--limit", argument, 1, INT64_MAX, &a->limit, &error); break;
    case OPTION_RESULT: good = data_results_parse(argument, a->results, &error); break;
    case OPTION_TERMINATION: good = termination_from_name(argument, &a->termination, &error); break;
    case ARGP_KEY_END:
        if (a->paths.common.json && a->output == NULL)
            argp_error(state, "--json goes with -o: the games are written to standard output");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
    if (good) return 0;
    argp_failure(state, EXIT_USAGE, 0, "%s", error.text);
    return EINVAL;
}

// ---- one game ----

static bool is_wanted(const struct arguments *a, const struct read_game *game) {
    const int64_t id = (int64_t)game->row.id[0], plies = game->row.plies[0];
    return id >= a->games.least && id <= a->games.most && plies >= a->plies.least && plies <= a->plies.most &&
           a->results[game->row.result[0] + 1] &&
           (a->termination == GAME_GOES_ON || game->row.termination[0] == a->termination);
}

static bool add_moves(const struct read_game *game, struct move_list *list, struct pdn_game *pdn,
                      struct error *error) {
    struct position position = game->start;
    for (size_t i = 0; i < game->row.count[0]; i++) {
        struct move move;
        if (!read_game_move(game, pdn->variant, &position, i, list, &move, error)) return false;
        const int score = game->rows.score[i];
        const struct pdn_note note = {.scored = true, .score = score};
        pdn_add_move(pdn, move, score != NO_SCORE ? &note : NULL);
        pdn->variant->play(&position, move);
    }
    return true;
}

// Who played, by the list of engines of the file, where it has one.
static void add_players(const struct dataset_info *info, const struct read_game *game, struct pdn_game *pdn) {
    json_t *engines = info->engines != NULL ? json_loads(info->engines, 0, NULL) : NULL;
    const uint8_t numbers[2] = {game->row.white_engine[0], game->row.black_engine[0]};
    static const char *const tags[2] = {"White", "Black"};
    for (int i = 0; i < 2; i++) {
        const char *name = json_string_value(json_object_get(json_array_get(engines, numbers[i]), "name"));
        pdn_set_tag(pdn, tags[i], name != NULL ? name : info->engine);
    }
    json_decref(engines);
}

// Freed by the caller; NULL on failure.
static char *game_text(const struct dataset *dataset, const struct read_game *game, struct move_list *list,
                       struct error *error) {
    struct pdn_game pdn;
    char number[24];
    pdn_game_init(&pdn, dataset_variant(dataset), &game->start);
    pdn.result = (enum pdn_result)game->row.result[0];
    if (game->row.termination[0] < TERMINATION_COUNT)
        pdn.termination = (enum termination)game->row.termination[0];
    snprintf(number, sizeof number, "%" PRIu64, game->row.id[0]);
    pdn_set_tag(&pdn, "Event", "huff-selfplay");
    pdn_set_tag(&pdn, "Round", number);
    // Moves that an opening gave, which a trainer may want to leave out when the games are imported again.
    if (game->row.random_plies[0] > 0) {
        snprintf(number, sizeof number, "%u", game->row.random_plies[0]);
        pdn_set_tag(&pdn, "RandomPlies", number);
    }
    add_players(&dataset_file(dataset, game->file)->info, game, &pdn);
    char *text = add_moves(game, list, &pdn, error) ? pdn_game_to_text(&pdn, PDN_LEFT_DEFAULT) : NULL;
    pdn_game_free(&pdn);
    return text;
}

// ---- all of them ----

struct writing {
    const struct arguments *arguments;
    struct dataset *dataset;
    uint64_t written;
};

static bool write_games(void *context, int file, struct error *error) {
    struct writing *w = context;
    const struct arguments *a = w->arguments;
    struct dataset *dataset = w->dataset;
    const uint64_t games = dataset_games(dataset);
    struct game_reader *reader = game_reader_new(dataset, READ_POSITIONS);
    struct move_list *list = memory_new(1, sizeof *list);
    struct progress *progress = progress_start("writing", "games", games, a->paths.common.quiet);
    bool done = true;
    for (uint64_t i = 0; i < games && done && w->written < (uint64_t)a->limit; i++) {
        struct read_game game;
        done = game_reader_next(reader, &game, error);
        progress_step(progress, 1);
        if (!done || !is_wanted(a, &game)) continue;
        char *text = game_text(dataset, &game, list, error);
        done = text != NULL && data_write_text(a->output, file, text, error);
        free(text);
        w->written++;
    }
    progress_end(progress);
    free(list);
    game_reader_free(reader);
    return done &&
           (w->written > 0 || error_set(error, "none of %" PRIu64 " games is left by this choice", games));
}

static bool write_pdn(const struct arguments *a, struct error *error) {
    struct writing w = {.arguments = a, .dataset = data_open(&a->paths, error)};
    const bool done = w.dataset != NULL && (a->output == NULL || output_check(a->output, w.dataset, error)) &&
                      game_reader_check(w.dataset, error) && data_write(a->output, write_games, &w, error);
    if (done && a->paths.common.json)
        json_print(json_pack("{s:s, s:I}", "path", a->output, "games", (json_int_t)w.written));
    else if (done && a->output != NULL)
        printf("%s: %" PRIu64 " %s\n", a->output, w.written, w.written == 1 ? "game" : "games");
    dataset_close(w.dataset);
    return done;
}

int data_pdn_run(int argc, char **argv) {
    static const struct argp_option options[] = {
        {"output", 'o', "FILE", 0, "The file to write (default: standard output)", 0},
        {"games", OPTION_GAMES, "A-B", 0, "Only games of these numbers", 0},
        {"limit", OPTION_LIMIT, "N", 0, "No more than N games", 0},
        {"result", OPTION_RESULT, "LIST", 0, "Only games with these results: white,draw,black", 0},
        {"plies", OPTION_PLIES, "A-B", 0, "Only games that lasted so long", 0},
        {"termination", OPTION_TERMINATION, "NAME", 0, "Only games that ended so (\"repetition\")", 0},
        {0},
    };
    static const struct argp_child children[] = {{&data_paths_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "PATH... [-o FILE]",
        .doc = "Writes games as PDN, with the scores of searches as comments ([%eval 0.35], White's view).",
        .children = children};
    struct arguments a = {0};
    struct error error;
    if (argp_parse(&argp, argc, argv, 0, NULL, &a) != 0) return EXIT_USAGE;
    return data_end(&a.paths, write_pdn(&a, &error), &error);
}
