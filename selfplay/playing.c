// playing.c -- plays one game between two players by the rules and the clock, and records it.

#include "selfplay/playing.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/clock.h"
#include "core/support/memory.h"
#include "core/support/progress.h"

enum { MOST_MOVES = 256 };  // that one byte can number

struct side_clock {
    double remaining;
    int moves;       // made since the last control
    double held_up;  // this program, while the clock ran
};

// Everything is on the heap: a list of moves is larger than a thread's stack should hold.
struct playing {
    struct playing_settings settings;
    struct game game;
    struct move_list list;
    struct answer answer;
    struct side_clock clocks[2];
    struct move *moves;  // moves[i] was played at ply i
    int capacity;
};

struct playing *playing_new(const struct playing_settings *settings) {
    assert(settings->max_plies >= 1 && settings->max_plies <= PLAYING_MAX_PLIES);
    struct playing *playing = memory_new(1, sizeof *playing);
    playing->settings = *settings;
    return playing;
}

void playing_free(struct playing *playing) {
    free(playing->moves);
    free(playing);
}

void played_game_free(struct played_game *played) {
    free(played->ply);
    *played = (struct played_game){0};
}

static struct played_ply *add_ply(struct played_game *played) {
    if (played->plies == played->capacity) {
        played->capacity = played->capacity == 0 ? 128 : 2 * played->capacity;
        played->ply = memory_grow(played->ply, (size_t)played->capacity, sizeof *played->ply);
    }
    return &played->ply[played->plies++];
}

static bool opponent_can_capture(const struct variant *variant, const struct position *position) {
    struct position turned = *position;
    turned.turn = (uint8_t)other_side(position_turn(position));
    return variant->can_capture(&turned);
}

static void remember_move(struct playing *playing, struct move move) {
    const int ply = playing->game.ply;
    if (ply == playing->capacity) {
        playing->capacity = ply == 0 ? 128 : 2 * ply;
        playing->moves = memory_grow(playing->moves, (size_t)playing->capacity, sizeof *playing->moves);
    }
    playing->moves[ply] = move;
}

// Records the position as it is now with what is played there (move, index, score, flags and how it was
// found), and plays it.
static void play(struct playing *playing, struct played_ply ply, struct played_game *played) {
    struct game *game = &playing->game;
    const struct position *position = game_position(game);
    const int clock = game->plies[game->ply].no_progress;
    if (game->variant->can_capture(position)) ply.flags |= POSITION_CAN_CAPTURE;
    if (opponent_can_capture(game->variant, position)) ply.flags |= POSITION_OPPONENT_CAN_CAPTURE;
    ply.clock = (uint8_t)(clock < 255 ? clock : 255);
    *add_ply(played) = ply;
    remember_move(playing, ply.move);
    game_play(game, ply.move);
}

static void play_opening(struct playing *playing, const struct opening *opening, struct played_game *played) {
    for (int i = 0; i < opening->plies; i++) {
        const struct played_ply ply = {
            .move = opening->moves[i],
            .index = opening->index[i],
            .flags = POSITION_RANDOM_MOVE,
            .score = NO_SCORE,
        };
        play(playing, ply, played);
    }
    played->random_plies = opening->plies;
}

static bool can_be_recorded(struct playing *playing) {
    playing->settings.variant->generate(game_position(&playing->game), &playing->list);
    return !playing->list.truncated && playing->list.count <= MOST_MOVES;
}

static enum termination game_ended(struct playing *playing, const struct played_game *played, int *result) {
    *result = 0;
    // Asked first, because the rules cannot judge a position whose moves do not fit a list.
    if (!can_be_recorded(playing)) return GAME_LENGTH;
    const enum termination by_rule = game_over(&playing->game, result);
    if (by_rule != GAME_GOES_ON) return by_rule;
    const enum termination called = adjudicate(&playing->settings.adjudication, played, result);
    if (called != GAME_GOES_ON) return called;
    return played->plies < playing->settings.max_plies ? GAME_GOES_ON : GAME_LENGTH;
}

// ---- the clock

static void start_clocks(struct playing *playing, const struct player players[static 2]) {
    for (int side = 0; side < 2; side++)
        playing->clocks[side] = (struct side_clock){.remaining = players[side].clock.seconds};
}

// Seconds that the next move may take; INFINITY where no clock runs.
static double allowed_seconds(const struct playing *playing, const struct player *player, enum side side) {
    const double a_move = player->limits.seconds > 0 ? player->limits.seconds : INFINITY;
    return player->clock.seconds > 0 ? fmin(a_move, playing->clocks[side].remaining) : a_move;
}

static void run_clock(struct side_clock *clock, const struct time_control *control, double seconds,
                      double held_up) {
    if (control->seconds <= 0) return;
    clock->remaining = fmax(clock->remaining - seconds, 0) + control->increment;
    clock->held_up += held_up;
    if (++clock->moves != control->moves) return;
    clock->moves = 0;
    clock->remaining += control->seconds;
}

// ---- the game

// Returns the seconds in which this program was held up meanwhile.
static double ask(struct playing *playing, const struct player *player, enum side side, double allowed) {
    const struct side_clock *clock = &playing->clocks[side];
    const struct question question = {
        .game = &playing->game,
        .moves = playing->moves,
        .legal = &playing->list,
        .remaining = clock->remaining,
        .moves_to_control = player->clock.moves > 0 ? player->clock.moves - clock->moves : 0,
        .patience = allowed + playing->settings.time_margin + clock->held_up,
    };
    const bool timed = isfinite(question.patience) && playing->settings.time_margin > 0;
    const double lag = timed ? clock_lag() : 0, held_up = watch_held_up(playing->settings.watch);
    player_think(player, &question, &playing->answer);
    // While this thread waited for a processor its engine could not think; another's does (process_arrived).
    if (timed && player->search)
        playing->answer.seconds = fmax(playing->answer.seconds - (clock_lag() - lag), 0);
    return watch_held_up(playing->settings.watch) - held_up;
}

// Returns whether a loss on time is in doubt: an answer to a program that is held up lies unread, and by a
// clock what that took is missing later. A player from which no answer came, although it was waited for all
// that longer, has failed without a doubt.
static bool judge_time(const struct playing *playing, enum side side, double allowed, double held_up,
                       struct answer *answer) {
    const double margin = playing->settings.time_margin, most = allowed + margin;
    if (answer->failure != GAME_GOES_ON || margin <= 0 || answer->seconds <= most) return false;
    answer->failure = GAME_TIME;
    error_set(&answer->reason, "took %.3f s for a move and had %.3f s", answer->seconds, allowed);
    return answer->seconds - held_up - playing->clocks[side].held_up <= most;
}

// Plays the next move, or says how the player fails.
static enum termination play_asked(struct playing *playing, const struct player players[static 2],
                                   struct played_game *played) {
    const enum side side = position_turn(game_position(&playing->game));
    const struct player *player = &players[side];
    struct answer *answer = &playing->answer;
    const double allowed = allowed_seconds(playing, player, side);
    const double held_up = ask(playing, player, side, allowed);
    played->doubtful = judge_time(playing, side, allowed, held_up, answer);
    played->nodes[side] += answer->nodes;
    played->seconds[side] += answer->seconds;
    if (answer->failure != GAME_GOES_ON) {
        played->reason = answer->reason;
        return answer->failure;
    }
    assert(answer->index >= 0 && answer->index < playing->list.count);
    run_clock(&playing->clocks[side], &player->clock, answer->seconds, held_up);
    const int score = side == WHITE ? answer->score : -answer->score;
    const struct played_ply ply = {
        .move = answer->move,
        .index = (uint8_t)answer->index,
        .score = (int16_t)(answer->scored ? score : NO_SCORE),
        .depth = (uint8_t)answer->depth,
        .seconds = (float)answer->seconds,
        .nodes = answer->nodes,
    };
    play(playing, ply, played);
    return GAME_GOES_ON;
}

static void begin_record(const struct opening *opening, struct played_game *played) {
    *played = (struct played_game){
        .start = opening->start,
        .capacity = played->capacity,
        .ply = played->ply,
    };
}

static bool begin_players(struct playing *playing, const struct player players[static 2],
                          struct played_game *played) {
    const enum side first = position_turn(game_position(&playing->game)), second = other_side(first);
    start_clocks(playing, players);
    return player_begin(&players[second], &playing->game, second, &played->reason) &&
           player_begin(&players[first], &playing->game, first, &played->reason);
}

static void end_players(struct playing *playing, const struct player players[static 2],
                        struct played_game *played) {
    const struct question question = {.game = &playing->game, .moves = playing->moves};
    for (int side = 0; side < 2; side++) {
        struct error remark;
        player_end(&players[side], &question, played->termination, played->result, &remark);
        if (!*played->reason.text) played->reason = remark;
    }
}

// A program that fails because this one is to end has not lost.
static bool is_given_up(const struct player players[static 2], enum termination failure) {
    return failure != GAME_GOES_ON && interrupted() && (players[WHITE].engine || players[BLACK].engine);
}

static void play_on(struct playing *playing, const struct player players[static 2],
                    struct played_game *played) {
    while ((played->termination = game_ended(playing, played, &played->result)) == GAME_GOES_ON) {
        const enum side side = position_turn(game_position(&playing->game));
        const enum termination failure = play_asked(playing, players, played);
        if (failure == GAME_GOES_ON) continue;
        if (is_given_up(players, failure)) {
            played->reason.text[0] = '\0';
            return;
        }
        played->termination = failure;
        played->result = side == WHITE ? -1 : 1;
        return;
    }
}

void playing_game(struct playing *playing, const struct opening *opening,
                  const struct player players[static 2], struct played_game *played) {
    begin_record(opening, played);
    game_init(&playing->game, playing->settings.variant, &playing->settings.draws, &opening->start);
    play_opening(playing, opening, played);
    if (begin_players(playing, players, played)) {
        play_on(playing, players, played);
        end_players(playing, players, played);
    }
    game_free(&playing->game);
}
