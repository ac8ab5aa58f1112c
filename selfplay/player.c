// player.c -- asks an engine of this process for a move; others are asked by engine.c.

#include "selfplay/player.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/memory.h"
#include "core/support/options.h"
#include "search/budget.h"
#include "selfplay/engine.h"

enum { MOST_CONTROL = 1000 };

#define LEAST_SECONDS  0.01
#define MOST_SECONDS   1e6
#define MOST_INCREMENT 1e4

// ---- clocks

// Cuts the text up.
static bool parse_control(char *text, struct time_control *control, struct error *error) {
    int64_t moves = 0;
    char *increment = strchr(text, '+');
    if (increment) *increment++ = '\0';
    char *seconds = strchr(text, '/');
    if (seconds) *seconds++ = '\0';
    *control = (struct time_control){0};
    if ((seconds && !options_number("moves", text, 1, MOST_CONTROL, &moves, error)) ||
        (increment && !options_real("increment", increment, 0, MOST_INCREMENT, &control->increment, error)) ||
        !options_real("seconds", seconds ? seconds : text, LEAST_SECONDS, MOST_SECONDS, &control->seconds,
                      error))
        return error_prefix(error, "expected SECONDS, SECONDS+INCREMENT or MOVES/SECONDS+INCREMENT");
    control->moves = (int)moves;
    return true;
}

bool time_control_parse(const char *text, struct time_control *control, struct error *error) {
    char *copy = memory_text("%s", text);
    const bool done = parse_control(copy, control, error);
    free(copy);
    return done;
}

// ---- an engine of this process

struct soft_limit {
    double seconds;
    atomic_bool stop;
};

static void after_depth(void *context, const struct search_result *found) {
    struct soft_limit *limit = context;
    if (found->seconds >= limit->seconds) atomic_store(&limit->stop, true);
}

static void search_by_clock(const struct player *player, const struct question *question,
                            struct search_result *found) {
    const struct budget budget =
        budget_of_clock(question->remaining, player->clock.increment, question->moves_to_control);
    struct search_limits limits = player->limits;
    limits.seconds = limits.seconds > 0 ? fmin(limits.seconds, budget.hard) : budget.hard;
    struct soft_limit soft = {.seconds = budget.soft};
    search_think(player->search, question->game, &limits, &soft.stop, after_depth, &soft, found);
}

static void think_here(const struct player *player, const struct question *question, struct answer *answer) {
    struct search_result found;
    if (player->clock.seconds > 0)
        search_by_clock(player, question, &found);
    else
        search_think(player->search, question->game, &player->limits, NULL, NULL, NULL, &found);
    answer->failure = GAME_GOES_ON;
    answer->move = found.best;
    answer->index = found.index;
    answer->scored = true;
    answer->score = found.score;
    answer->depth = found.depth;
    answer->nodes = found.nodes;
    answer->seconds = found.seconds;
}

// ---- any

bool player_begin(const struct player *player, const struct game *game, enum side side, struct error *error) {
    if (player->engine) return engine_begin(player->engine, player, game, side, error);
    search_clear(player->search);
    return true;
}

void player_think(const struct player *player, const struct question *question, struct answer *answer) {
    if (player->engine)
        engine_think(player->engine, player, question, answer);
    else
        think_here(player, question, answer);
}

void player_end(const struct player *player, const struct question *question, enum termination end,
                int result, struct error *remark) {
    remark->text[0] = '\0';
    if (player->engine) engine_end(player->engine, question, end, result, remark);
}
