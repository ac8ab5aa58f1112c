// dxp_command.c -- huff dxp: the options, and the connection to the other program.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/notation.h"
#include "core/support/clock.h"
#include "core/support/options.h"
#include "search/commands.h"
#include "search/dxp_engine.h"
#include "search/wire.h"

struct arguments {
    struct common_options common;
    struct dxp_settings settings;
    const char *listen, *connect, *weights, *fen;
};

enum {
    KEY_LISTEN = 0x200,
    KEY_CONNECT,
    KEY_GAMES,
    KEY_MINUTES,
    KEY_MOVES,
    KEY_FEN,
    KEY_DEPTH,
    KEY_NODES,
    KEY_TIME,
    KEY_WEIGHTS,
    KEY_HASH,
    KEY_PONDER,
    KEY_NAME,
    KEY_WAIT,
    KEY_TIMEOUT
};
enum { DEFAULT_HASH_MEGABYTES = 64, DEFAULT_MINUTES = 5, MOST_GAMES = 1000000 };
#define DEFAULT_WAIT    300.0
#define DEFAULT_TIMEOUT 30.0
#define MOST_WAIT       1e6

static const struct argp_option option_list[] = {
    {"listen", KEY_LISTEN, "[HOST:]PORT", 0, "Wait for a program to connect (0: any free port)", 0},
    {"connect", KEY_CONNECT, "[HOST:]PORT", 0, "Connect to a program that waits (usual port: 27531)", 0},
    {"games", KEY_GAMES, "N", 0, "Ask for this many games, white first, then alternating (default: be asked)",
     1},
    {"minutes", KEY_MINUTES, "N", 0,
     "Ask for games of this many minutes a side (default: 5; 0: no clock, which many programs do not know)",
     1},
    {"moves", KEY_MOVES, "N", 0, "Ask for games that end after this many moves (default: no limit)", 1},
    {"fen", KEY_FEN, "FEN", 0, "Ask for games from this position", 1},
    {"depth", KEY_DEPTH, "N", 0, "Search at most this many plies deep", 2},
    {"nodes", KEY_NODES, "N", 0, "Search at most this many positions a move", 2},
    {"time", KEY_TIME, "S", 0, "Search at most this many seconds a move", 2},
    {"weights", KEY_WEIGHTS, "FILE", 0, "Weights of the evaluation: a file, material, or default", 2},
    {"hash", KEY_HASH, "MB", 0, "Size of the transposition table (default: 64)", 2},
    {"ponder", KEY_PONDER, NULL, 0, "Think while the other program does", 2},
    {"name", KEY_NAME, "TEXT", 0, "Name to play under (default: huff)", 3},
    {"wait", KEY_WAIT, "S", 0, "Give up when nobody connects or asks for a game (default: 300)", 3},
    {"timeout", KEY_TIMEOUT, "S", 0, "Give up an answer, or a move when the clock is up (default: 30)", 3},
    {0},
};

static bool set_name(struct dxp_settings *settings, const char *text, struct error *error) {
    const size_t length = strlen(text);
    bool good = length >= 1 && length <= DXP_NAME_LENGTH && *text != ' ';
    for (const char *c = text; *c; c++) good = good && *c >= ' ' && *c <= '~';
    if (!good)
        return error_set(error, "--name: expected 1..%d characters of ASCII, got \"%.80s\"", DXP_NAME_LENGTH,
                         text);
    memcpy(settings->name, text, length + 1);
    return true;
}

// Numbers that fit an int.
static void check_arguments(struct argp_state *state, const struct arguments *a) {
    struct error error;
    if (!a->listen == !a->connect) argp_error(state, "expected either --listen or --connect");
    if (!wire_address_check(a->listen ? a->listen : a->connect, &error))
        argp_failure(state, EXIT_USAGE, 0, "%s: %s", a->listen ? "--listen" : "--connect", error.text);
    const struct dxp_settings *settings = &a->settings;
    if (!settings->games && (a->fen || settings->moves || settings->minutes != DEFAULT_MINUTES))
        argp_error(state, "--minutes, --moves and --fen go with --games only");
}

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *a = state->input;
    struct dxp_settings *settings = &a->settings;
    struct error error;
    int64_t nodes = 0;
    bool good = true;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->common; break;
    case KEY_LISTEN: a->listen = text; break;
    case KEY_CONNECT: a->connect = text; break;
    case KEY_GAMES: good = options_int("--games", text, 1, MOST_GAMES, &settings->games, &error); break;
    case KEY_MINUTES:
        good = options_int("--minutes", text, 0, DXP_MOST_MINUTES, &settings->minutes, &error);
        break;
    case KEY_MOVES: good = options_int("--moves", text, 1, DXP_MOST_MOVES, &settings->moves, &error); break;
    case KEY_FEN: a->fen = text; break;
    case KEY_DEPTH: good = options_int("--depth", text, 1, MAX_DEPTH, &settings->limits.depth, &error); break;
    case KEY_NODES:
        good = options_number("--nodes", text, 1, INT64_MAX, &nodes, &error);
        settings->limits.nodes = (uint64_t)nodes;
        break;
    case KEY_TIME: good = options_real("--time", text, 0.001, 1e6, &settings->limits.seconds, &error); break;
    case KEY_WEIGHTS: a->weights = text; break;
    case KEY_HASH:
        good = options_int("--hash", text, 1, MAX_TABLE_MEGABYTES, &settings->hash_megabytes, &error);
        break;
    case KEY_PONDER: settings->ponder = true; break;
    case KEY_NAME: good = set_name(settings, text, &error); break;
    case KEY_WAIT: good = options_real("--wait", text, 0.1, MOST_WAIT, &settings->wait, &error); break;
    case KEY_TIMEOUT:
        good = options_real("--timeout", text, 0.1, MOST_WAIT, &settings->patience, &error);
        break;
    case ARGP_KEY_ARG: argp_error(state, "unexpected \"%s\"", text); break;
    case ARGP_KEY_END: check_arguments(state, a); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    if (!good) argp_failure(state, EXIT_USAGE, 0, "%s", error.text);
    return 0;
}

static const struct argp_child children[] = {{&options_common, 0, NULL, 0}, {0}};
static const struct argp dxp_argp = {
    .options = option_list,
    .parser = parse,
    .doc =
        "Plays 10x10 games over DamExchange. Who connects and who asks for games are two questions: with "
        "--games this program asks. It listens on this machine only unless a HOST is given, and serves one "
        "opponent: the first with whom a game comes about; others that connect before, to leave again or to "
        "talk of something else, do not end the waiting. Where no game is played the exit code is 1. Both "
        "programs "
        "have to be told the variant (default: international). The search runs on one thread unless "
        "--threads asks for more.",
    .children = children,
};

static bool read_settings(struct arguments *a, struct error *error) {
    struct dxp_settings *settings = &a->settings;
    const char *name = a->common.variant ? a->common.variant : "international";
    if (!position_from_options(name, a->fen, &settings->variant, &settings->start, error)) return false;
    settings->special = a->fen != NULL;
    if (settings->variant->rules->width == DXP_WIDTH) return true;
    return error_set(error, "--variant: DXP is for 10x10 boards, %s has %dx%d", settings->variant->name,
                     settings->variant->rules->width, settings->variant->rules->width);
}

// Plays with the first caller with whom a game comes about. Returns the number of games; without one `error`
// says why. What goes wrong in a game makes it not *good.
static int serve_caller(const struct arguments *a, bool *good, struct error *error) {
    const double deadline = clock_seconds() + a->settings.wait;
    char bound[WIRE_ADDRESS_SIZE];
    const int listener = wire_listen(a->listen, bound, error);
    if (listener < 0) return 0;
    fprintf(stderr, "huff dxp: listening on %s\n", bound);
    int games = 0, callers = 0;
    while (!games) {
        const int connection = wire_accept(listener, deadline, error);
        if (connection < 0) break;
        callers++;
        *good = dxp_serve(&a->settings, connection, stdout, &games);
        wire_hang_up(connection, clock_seconds() + WIRE_HANG_UP_SECONDS);
    }
    close(listener);
    if (!games && callers) error_prefix(error, "no game was played with %d that connected", callers);
    return games;
}

static int serve_listener(const struct arguments *a, bool *good, struct error *error) {
    int games;
    const int connection = wire_connect(a->connect, clock_seconds() + a->settings.wait, error);
    if (connection < 0) return 0;
    *good = dxp_serve(&a->settings, connection, stdout, &games);
    wire_hang_up(connection, clock_seconds() + WIRE_HANG_UP_SECONDS);
    error_set(error, "no game was played");
    return games;
}

int dxp_run(int argc, char **argv) {
    struct arguments a = {
        .settings =
            {
                .hash_megabytes = DEFAULT_HASH_MEGABYTES,
                .name = "huff",
                .wait = DEFAULT_WAIT,
                .patience = DEFAULT_TIMEOUT,
                .minutes = DEFAULT_MINUTES,
            },
    };
    struct error error;
    argp_parse(&dxp_argp, argc, argv, 0, NULL, &a);
    if (!read_settings(&a, &error)) return options_fail(argv[0], EXIT_USAGE, &error);
    a.settings.threads = a.common.threads;
    a.settings.log = stderr;
    a.settings.quiet = a.common.quiet;
    a.settings.json = a.common.json;
    if (!weights_get(a.weights, a.settings.variant, &a.settings.weights, &error))
        return options_fail(argv[0], EXIT_FAILED, &error);
    if (!search_room(search_table_bytes((size_t)a.settings.hash_megabytes))) {
        error_set(&error, "--hash: no memory for %d megabytes", a.settings.hash_megabytes);
        return options_fail(argv[0], EXIT_FAILED, &error);
    }
    bool good = true;
    const int games = (a.listen ? serve_caller : serve_listener)(&a, &good, &error);
    weights_free(&a.settings.weights);
    if (!games) return options_fail(argv[0], EXIT_FAILED, &error);
    return good ? EXIT_DONE : EXIT_FAILED;
}
