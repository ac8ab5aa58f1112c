// adjudication.c -- calls games by the scores of their last plies.

#include "selfplay/adjudication.h"

#include <stdlib.h>
#include <string.h>

#include "core/support/memory.h"
#include "core/support/options.h"
#include "selfplay/playing.h"

enum { MOST_MOVES = PLAYING_MAX_PLIES / 2, MOST_SCORE = 32000 };

// ---- settings

struct key {
    const char *name;
    int least, most;
    int *value;
};

// One KEY=N of the list.
static bool take_pair(char *pair, const struct key *keys, const char *expected, struct error *error) {
    char *equals = strchr(pair, '=');
    if (equals != NULL) *equals = '\0';
    for (; equals != NULL && keys->name != NULL; keys++) {
        if (strcmp(pair, keys->name) == 0)
            return options_int(keys->name, equals + 1, keys->least, keys->most, keys->value, error);
    }
    return error_set(error, "expected %s, got \"%.80s\"", expected, pair);
}

static bool parse(const char *text, const struct key *keys, const char *expected, struct error *error) {
    char *copy = memory_text("%s", text), *rest = copy;
    bool done = true;
    for (char *pair = strsep(&rest, ","); done && pair != NULL; pair = strsep(&rest, ",")) {
        done = take_pair(pair, keys, expected, error);
    }
    free(copy);
    return done;
}

bool adjudication_parse_draw(const char *text, struct adjudication *adjudication, struct error *error) {
    adjudication->draw_moves = 40;
    adjudication->draw_plies = 8;
    adjudication->draw_score = 10;
    const struct key keys[] = {
        {"move", 0, MOST_MOVES, &adjudication->draw_moves},
        {"plies", 2, PLAYING_MAX_PLIES, &adjudication->draw_plies},
        {"score", 0, MOST_SCORE, &adjudication->draw_score},
        {0},
    };
    return parse(text, keys, "move=N,plies=N,score=N", error);
}

bool adjudication_parse_resign(const char *text, struct adjudication *adjudication, struct error *error) {
    adjudication->resign_moves = 4;
    adjudication->resign_score = 600;
    const struct key keys[] = {
        {"moves", 1, MOST_MOVES, &adjudication->resign_moves},
        {"score", 1, MOST_SCORE, &adjudication->resign_score},
        {0},
    };
    return parse(text, keys, "moves=N,score=N", error);
}

// ---- games

static bool is_draw(const struct adjudication *adjudication, const struct played_game *game) {
    const int plies = adjudication->draw_plies;
    if (plies == 0 || game->plies < plies || game->plies / 2 < adjudication->draw_moves) return false;
    for (int i = game->plies - plies; i < game->plies; i++) {
        const int score = game->ply[i].score;
        if (score == NO_SCORE || abs(score) > adjudication->draw_score) return false;
    }
    return true;
}

// Does the side that moved last give up?
static bool resigns(const struct adjudication *adjudication, const struct played_game *game, enum side side) {
    int left = adjudication->resign_moves;
    if (left == 0) return false;
    for (int i = game->plies - 1; i >= 0 && left > 0; i -= 2, left--) {
        const int score = game->ply[i].score;
        if (score == NO_SCORE || (side == WHITE ? score : -score) > -adjudication->resign_score) return false;
    }
    return left == 0;
}

enum termination adjudicate(const struct adjudication *adjudication, const struct played_game *game,
                            int *result) {
    *result = 0;
    if (game->plies == 0) return GAME_GOES_ON;
    if (is_draw(adjudication, game)) return GAME_ADJUDICATED_DRAW;
    const enum side first = position_turn(&game->start);
    const enum side moved = game->plies % 2 == 1 ? first : other_side(first);
    if (!resigns(adjudication, game, moved)) return GAME_GOES_ON;
    *result = moved == WHITE ? -1 : 1;
    return GAME_ADJUDICATED_WIN;
}

int adjudication_called(const struct adjudication *adjudication, const struct played_game *game,
                        int *result) {
    // Where the rules ended it, they came first.
    const bool called =
        game->termination == GAME_ADJUDICATED_DRAW || game->termination == GAME_ADJUDICATED_WIN;
    struct played_game part = *game;
    for (part.plies = 1; part.plies < game->plies + called; part.plies++) {
        if (adjudicate(adjudication, &part, result) != GAME_GOES_ON) return part.plies;
    }
    *result = 0;
    return 0;
}
