// moves_command.c -- huff moves: the legal moves of a position, or every way to make them.
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/position_options.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "search/commands.h"

struct arguments {
    struct common_options common;
    struct position_options position;
    bool paths;
};

enum { KEY_PATHS = 0x200 };

static const struct argp_option option_list[] = {
    {"paths", KEY_PATHS, NULL, 0, "List every order of capturing, square by square", 0},
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->common;
        state->child_inputs[1] = &a->position;
        break;
    case KEY_PATHS: a->paths = true; break;
    case ARGP_KEY_ARG: argp_error(state, "unexpected \"%s\"", text); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {
    {&options_common, 0, NULL, 0}, {&position_options, 0, NULL, 0}, {0}};
static const struct argp moves_argp = {
    .options = option_list,
    .parser = parse,
    .doc = "Lists the legal moves in PDN notation: each with the pieces it captures in braces, and \"=K\" "
           "where a "
           "man is crowned. The last line counts them.",
    .children = children,
};

// Where moves go: lines on standard output, or a list.
struct listing {
    json_t *rows;  // NULL: lines
    bool crowned;  // of the move whose paths are listed
    int count;
};

// " {7,17}" as a list of squares.
static json_t *captures_to_json(const char *captures) {
    json_t *list = json_array();
    while (*captures) {
        captures += strspn(captures, " {,}");
        const size_t length = strcspn(captures, ",}");
        if (length) json_array_append_new(list, json_stringn(captures, length));
        captures += length;
    }
    return list;
}

static bool list_move(void *context, const char *move, const char *captures) {
    struct listing *listing = context;
    listing->count++;
    if (listing->rows)
        json_array_append_new(listing->rows,
                              json_pack("{s:s, s:o, s:b}", "move", move, "captures",
                                        captures_to_json(captures), "crowned", listing->crowned));
    else
        printf("%s%s%s\n", move, captures, listing->crowned ? " =K" : "");
    return true;
}

static bool list_all(const struct variant *v, const struct position *p, const struct move_list *legal,
                     bool paths, struct listing *listing, struct error *error) {
    for (int i = 0; i < legal->count; i++) {
        const struct move move = legal->moves[i];
        listing->crowned = move.crowned;
        if (paths && move.captured) {
            if (!move_routes_to_text(v, p, move, list_move, listing))
                return error_set(error, "too many ways to make one capture");
            continue;
        }
        char text[MOVE_TEXT_SIZE], captures[CAPTURES_TEXT_SIZE];
        move_to_text(v, p, legal, move, text);
        move_captures_to_text(v, move, captures);
        list_move(listing, text, captures);
    }
    return true;
}

static bool list_moves(const struct variant *v, const struct position *p, bool paths, struct listing *listing,
                       struct error *error) {
    struct move_list *list = memory_new(1, sizeof *list);
    bool done = true;
    if (paths) {
        v->generate_paths(p, list);
        if (list->truncated)
            done = error_set(error, "the position has more than %d orders of capturing", MAX_CAPTURES);
    }
    if (done) {
        v->generate(p, list);
        done = list->truncated ? error_set(error, "the position has more than %d captures", MAX_CAPTURES)
                               : list_all(v, p, list, paths, listing, error);
    }
    free(list);
    return done;
}

static void print_json(const struct variant *v, const struct position *p, bool paths,
                       struct listing *listing) {
    char fen[FEN_TEXT_SIZE];
    position_to_fen(v, p, fen);
    json_t *root = json_pack("{s:s, s:s, s:o, s:i}", "variant", v->name, "fen", fen,
                             paths ? "paths" : "moves", listing->rows, "count", listing->count);
    json_dumpf(root, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(root);
}

int moves_run(int argc, char **argv) {
    struct arguments a = {.position = {.ply = -1}};
    struct error error;
    struct game game;
    int code;
    argp_parse(&moves_argp, argc, argv, 0, NULL, &a);
    if (!position_options_game(&a.position, a.common.variant, &game, &code, &error))
        return options_fail(argv[0], code, &error);
    const struct variant *v = game.variant;
    const struct position p = *game_position(&game);
    game_free(&game);
    struct listing listing = {.rows = a.common.json ? json_array() : NULL};
    if (!list_moves(v, &p, a.paths, &listing, &error)) return options_fail(argv[0], EXIT_FAILED, &error);
    if (a.common.json)
        print_json(v, &p, a.paths, &listing);
    else
        printf("%d %s\n", listing.count, a.paths ? "paths" : "moves");
    return EXIT_DONE;
}
