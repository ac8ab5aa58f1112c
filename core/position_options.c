// position_options.c -- where a command finds its position.

#include "core/position_options.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/pdn_file.h"
#include "core/support/memory.h"

enum { KEY_FEN = 0x300, KEY_PDN, KEY_GAME, KEY_PLY };

static const struct argp_option option_list[] = {
    {"fen", KEY_FEN, "FEN", 0, "The position (default: the start of the game)", 0},
    {"pdn", KEY_PDN, "FILE", 0, "A position from a game of this file, and its variant", 0},
    {"game", KEY_GAME, "N", 0, "The file's Nth game (default: 1)", 0},
    {"ply", KEY_PLY, "N", 0, "The position after N moves of both sides (default: all)", 0},
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state) {
    struct position_options *options = state->input;
    struct error error;
    bool good = true;
    switch (key) {
    case KEY_FEN: options->fen = text; break;
    case KEY_PDN: options->pdn = text; break;
    case KEY_GAME: good = options_int("--game", text, 1, INT_MAX, &options->game, &error); break;
    case KEY_PLY: good = options_int("--ply", text, 0, INT_MAX, &options->ply, &error); break;
    case ARGP_KEY_END:
        if (options->fen && options->pdn) argp_error(state, "--fen and --pdn exclude each other");
        if (!options->pdn && (options->game || options->ply >= 0))
            argp_error(state, "--game and --ply are for games of a file: --pdn is missing");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    if (!good) argp_failure(state, EXIT_USAGE, 0, "%s", error.text);
    return 0;
}

const struct argp position_options = {.options = option_list, .parser = parse};

// The last thing that the reader said: of a game that is skipped, why.
static void keep_report(void *context, const char *line) {
    char **last = context;
    free(*last);
    *last = memory_text("%s", line);
}

// Games before it need not be good ones.
static bool find_game(struct pdn_file *file, int number, char **report, struct pdn_game *game,
                      struct error *error) {
    while (pdn_file_read(file, game)) {
        if (game->number == number) return true;
        const bool passed = game->number > number;
        pdn_game_free(game);
        if (passed) break;
        free(*report);
        *report = NULL;
    }
    const struct pdn_counts counts = pdn_file_counts(file);
    if (pdn_file_failed(file, error)) return false;
    if (counts.read + counts.skipped < number)
        return error_set(error, "--game %d: the file has %ld", number, counts.read + counts.skipped);
    return error_set(error, "%s", *report ? *report : "the game cannot be read");
}

static bool play_until(const struct pdn_game *from, int ply, struct game *game, struct error *error) {
    if (ply > from->ply_count)
        return error_set(error, "--ply %d: the game has %d moves that can be read", ply, from->ply_count);
    game_init(game, from->variant, NULL, &from->start);
    for (int i = 0; i < (ply >= 0 ? ply : from->ply_count); i++) game_play(game, from->plies[i].move);
    return true;
}

static bool game_of_file(const struct position_options *options, const struct variant *variant,
                         struct game *game, struct error *error) {
    char *report = NULL;
    struct pdn_game found;
    const struct pdn_settings settings = {
        .variant = variant, .keep_broken = true, .guess = true, .report = keep_report, .context = &report};
    struct pdn_file *file = pdn_file_open(options->pdn, &settings, error);
    if (!file) return false;
    char *guess = report;  // which variant it was taken for
    report = NULL;
    bool done = find_game(file, options->game ? options->game : 1, &report, &found, error);
    if (done) {
        if (guess) fprintf(stderr, "%s\n", guess);
        done = play_until(&found, options->ply, game, error);
        pdn_game_free(&found);
    }
    pdn_file_close(file);
    free(report);
    free(guess);
    return done;
}

bool position_options_game(const struct position_options *options, const char *variant_name,
                           struct game *game, int *code, struct error *error) {
    const struct variant *variant = NULL;
    *code = EXIT_USAGE;
    if (!variant_name && !options->pdn) return error_set(error, "--variant is missing");
    if (variant_name && !(variant = variant_find(variant_name, error))) return false;
    if (options->pdn) {
        *code = EXIT_FAILED;
        return game_of_file(options, variant, game, error);
    }
    struct position start;
    if (!position_from_options(variant_name, options->fen, &variant, &start, error)) return false;
    game_init(game, variant, NULL, &start);
    return true;
}
