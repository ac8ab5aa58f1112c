// play_command.c -- huff play: the options, and the game to begin with.
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/notation.h"
#include "core/pdn_file.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "search/board_view.h"
#include "search/commands.h"
#include "search/play_seats.h"
#include "search/play_session.h"

#define DEFAULT_SECONDS 2.0

struct arguments {
    struct common_options common;
    struct play_settings settings;
    const char *fen, *pdn, *weights;
    const char *side;  // NULL: the one that begins
    bool level_given;
};

enum { KEY_LEVEL = 0x200, KEY_TIME, KEY_SIDE, KEY_BOARD, KEY_FEN, KEY_PDN, KEY_WEIGHTS, KEY_HASH };

static const struct argp_option option_list[] = {
    {"level", KEY_LEVEL, "NAME", 0,
     "How well the engine plays: easy, medium or hard (default: as --pdn says, or medium)", 0},
    {"time", KEY_TIME, "S", 0, "Level hard, with so many seconds a move (default of that level: 2)", 0},
    {"side", KEY_SIDE, "NAME", 0,
     "You play white, black or both, as two people (default: as --pdn says, or who begins)", 0},
    {"board", KEY_BOARD, "NAME", 0,
     "official: the board as the variant has it (default); common: the same board for all games, where Black "
     "is below and moves first; FEN and PDN call the sides what the variant calls them in any case",
     0},
    {"fen", KEY_FEN, "FEN", 0, "Begin from this position", 0},
    {"pdn", KEY_PDN, "FILE", 0,
     "Go on with the first game of this file, in its variant, and on the side and against the level that its "
     "names tell (\"Player\", \"huff 0.1.0 (easy)\")",
     0},
    {"weights", KEY_WEIGHTS, "FILE", 0, "Weights of the evaluation: a file, material, or default", 1},
    {"hash", KEY_HASH, "MB", 0, "Size of the transposition table (default: 64)", 1},
    {0},
};

// ---- options ----

static bool set_board(const char *text, bool *common, struct error *error) {
    *common = !strcasecmp(text, "common");
    return *common || !strcasecmp(text, "official") ||
           error_set(error, "--board: expected official or common, got \"%.80s\"", text);
}

static bool set_level(struct arguments *a, const char *text, struct error *error) {
    a->level_given = true;
    return level_find(text, &a->settings.level, error) || error_prefix(error, "--level");
}

static void check_arguments(struct argp_state *state, struct arguments *a) {
    if (!a->common.variant && !a->pdn) argp_error(state, "--variant is missing");
    if (a->fen && a->pdn) argp_error(state, "--fen and --pdn exclude each other");
    if (a->common.json) argp_error(state, "--json: a game on the terminal is no JSON");
    if (a->settings.seconds > 0 && a->level_given && a->settings.level != LEVEL_HARD)
        argp_error(state, "--time is for --level hard");
    if (a->settings.seconds > 0) {
        a->settings.level = LEVEL_HARD;
        a->level_given = true;
    }
}

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *a = state->input;
    struct error error;
    bool good = true;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->common; break;
    case KEY_LEVEL: good = set_level(a, text, &error); break;
    case KEY_TIME:
        good =
            options_real("--time", text, PLAY_LEAST_SECONDS, PLAY_MOST_SECONDS, &a->settings.seconds, &error);
        break;
    case KEY_SIDE: a->side = text; break;
    case KEY_BOARD: good = set_board(text, &a->settings.common, &error); break;
    case KEY_FEN: a->fen = text; break;
    case KEY_PDN: a->pdn = text; break;
    case KEY_WEIGHTS: a->weights = text; break;
    case KEY_HASH:
        good = options_int("--hash", text, 1, MAX_TABLE_MEGABYTES, &a->settings.hash_megabytes, &error);
        break;
    case ARGP_KEY_ARG: argp_error(state, "unexpected \"%s\"", text); break;
    case ARGP_KEY_END: check_arguments(state, a); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    if (!good) argp_failure(state, EXIT_USAGE, 0, "%s", error.text);
    return 0;
}

static const struct argp_child children[] = {{&options_common, 0, NULL, 0}, {0}};
static const struct argp play_argp = {
    .options = option_list,
    .parser = parse,
    .doc = "A game on the terminal, against the engine or between two people. Moves are typed as they are "
           "written (\"9-13\", \"c3-d4\"); \"help\" lists what else can be said. The engine searches on one "
           "thread unless --threads asks for more.\v" PLAY_DRAW_RULE
           " Where the input is no terminal, nobody is asked whether a game may be dropped or a file "
           "replaced: it is not.",
    .children = children,
};

// ---- the game to begin with ----

static void keep_first(void *context, const char *line) {
    char **first = context;
    if (!*first) *first = memory_text("%s", line);
}

// The first game of a file.
static bool load_game(const char *path, const struct variant *variant, struct pdn_game *game,
                      struct error *error) {
    char *complaint = NULL;
    const struct pdn_settings settings = {
        .variant = variant, .comments = true, .guess = true, .report = keep_first, .context = &complaint};
    struct pdn_file *file = pdn_file_open(path, &settings, error);
    if (!file) return false;
    char *guess = complaint;  // which variant it was taken for
    complaint = NULL;
    const bool found = pdn_file_read(file, game);
    if (found && guess) fprintf(stderr, "%s\n", guess);
    if (!found && !pdn_file_failed(file, error))
        error_set(error, "%s%s", complaint ? complaint : path, complaint ? "" : ": no game in it");
    pdn_file_close(file);
    free(complaint);
    free(guess);
    return found;
}

// Returns the exit code.
static int prepare_game(struct arguments *a, struct error *error) {
    const struct variant *variant = NULL;
    struct position start;
    if (a->common.variant && !position_from_options(a->common.variant, a->fen, &variant, &start, error))
        return EXIT_USAGE;
    if (a->pdn) return load_game(a->pdn, variant, &a->settings.game, error) ? EXIT_DONE : EXIT_FAILED;
    pdn_game_init(&a->settings.game, variant, a->fen ? &start : NULL);
    return EXIT_DONE;
}

// ---- who sits where ----

// Sides are called what they are called on the board.
static bool read_side(const struct arguments *a, enum side *person, bool *both, struct error *error) {
    const struct play_settings *settings = &a->settings;
    const struct board_view view = {.variant = settings->game.variant, .common = settings->common};
    *both = !strcasecmp(a->side, "both");
    *person = strcasecmp(a->side, board_view_side(&view, WHITE)) ? BLACK : WHITE;
    return *both || !strcasecmp(a->side, board_view_side(&view, *person)) ||
           error_set(error, "--side: expected white, black or both, got \"%.80s\"", a->side);
}

// Where options say nothing the record does, and where that is silent you are the side that begins.
static bool set_sides(struct arguments *a, struct error *error) {
    struct play_settings *settings = &a->settings;
    enum side person = settings->game.variant->rules->starts;
    struct play_seats seats;
    bool both = false;
    const bool told = play_seats_read(&settings->game, &seats);
    if (told && !a->level_given) {
        settings->level = seats.level;
        settings->seconds = seats.seconds;
    }
    if (a->side && !read_side(a, &person, &both, error)) return false;
    if (!a->side && told) {
        memcpy(settings->engine, seats.engine, sizeof seats.engine);
    } else {
        settings->engine[other_side(person)] = !both;
    }
    const bool people = !settings->engine[WHITE] && !settings->engine[BLACK];
    settings->turned = people ? settings->game.variant->rules->starts == BLACK : settings->engine[WHITE];
    return true;
}

static uint64_t seed_of(const struct common_options *common) {
    uint64_t seed = common->seed;
    if (!common->seed_given && getrandom(&seed, sizeof seed, 0) != sizeof seed) seed = 0;
    return seed;
}

static int play(struct arguments *a, struct error *error) {
    struct play_settings *settings = &a->settings;
    struct weights weights;
    if (!weights_get(a->weights, settings->game.variant, &weights, error)) return EXIT_FAILED;
    settings->weights = &weights;
    settings->weights_name = a->weights;
    const bool played = play_session(settings, STDIN_FILENO, stdout, error);
    weights_free(&weights);
    return played ? EXIT_DONE : EXIT_FAILED;
}

int play_run(int argc, char **argv) {
    struct arguments a = {.settings = {.level = LEVEL_MEDIUM, .hash_megabytes = PLAY_DEFAULT_HASH}};
    struct error error;
    argp_parse(&play_argp, argc, argv, 0, NULL, &a);
    setlocale(LC_CTYPE, "");
    int code = prepare_game(&a, &error);
    if (code == EXIT_DONE && !set_sides(&a, &error)) code = EXIT_USAGE;
    if (a.settings.seconds <= 0) a.settings.seconds = DEFAULT_SECONDS;
    a.settings.threads = a.common.threads ? a.common.threads : 1;
    a.settings.seed = seed_of(&a.common);
    a.settings.quiet = a.common.quiet;
    if (code == EXIT_DONE) code = play(&a, &error);
    return code == EXIT_DONE ? EXIT_DONE : options_fail(argv[0], code, &error);
}
