// playing.c -- plays one game between two engines and records it.

#include "selfplay/playing.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/memory.h"

enum { MOST_MOVES = 256 };  // that one byte can number

// Everything is on the heap: a list of moves is larger than a thread's stack should hold.
struct playing {
    struct playing_settings settings;
    struct game game;
    struct move_list list;
    struct search_result found;
};

struct playing *playing_new(const struct playing_settings *settings) {
    assert(settings->max_plies >= 1 && settings->max_plies <= PLAYING_MAX_PLIES);
    struct playing *playing = memory_new(1, sizeof *playing);
    playing->settings = *settings;
    return playing;
}

void playing_free(struct playing *playing) { free(playing); }

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

// Records the position as it is now with the move that is played there, and plays it.
static void play(struct game *game, struct move move, int index, int score, unsigned flags,
                 struct played_game *played) {
    const struct position *position = game_position(game);
    const int clock = game->plies[game->ply].no_progress;
    if (game->variant->can_capture(position)) flags |= POSITION_CAN_CAPTURE;
    if (opponent_can_capture(game->variant, position)) flags |= POSITION_OPPONENT_CAN_CAPTURE;
    *add_ply(played) = (struct played_ply){
        .move = move,
        .index = (uint8_t)index,
        .clock = (uint8_t)(clock < 255 ? clock : 255),
        .flags = (uint16_t)flags,
        .score = (int16_t)score,
    };
    game_play(game, move);
}

static void play_opening(struct game *game, const struct opening *opening, struct played_game *played) {
    for (int i = 0; i < opening->plies; i++) {
        play(game, opening->moves[i], opening->index[i], NO_SCORE, POSITION_RANDOM_MOVE, played);
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

static void play_searched(struct playing *playing, const struct player players[static 2],
                          struct played_game *played) {
    struct game *game = &playing->game;
    struct search_result *found = &playing->found;
    const enum side side = position_turn(game_position(game));
    search_think(players[side].search, game, &players[side].limits, NULL, NULL, NULL, found);
    assert(found->index >= 0 && found->index < playing->list.count);
    played->nodes[side] += found->nodes;
    played->seconds[side] += found->seconds;
    play(game, found->best, found->index, side == WHITE ? found->score : -found->score, 0, played);
    struct played_ply *ply = &played->ply[played->plies - 1];
    ply->nodes = found->nodes;
    ply->seconds = (float)found->seconds;
    ply->depth = (uint8_t)found->depth;
}

void playing_game(struct playing *playing, const struct opening *opening,
                  const struct player players[static 2], struct played_game *played) {
    *played = (struct played_game){
        .start = opening->start,
        .capacity = played->capacity,
        .ply = played->ply,
    };
    search_clear(players[WHITE].search);
    if (players[BLACK].search != players[WHITE].search) search_clear(players[BLACK].search);
    game_init(&playing->game, playing->settings.variant, &playing->settings.draws, &opening->start);
    play_opening(&playing->game, opening, played);
    while ((played->termination = game_ended(playing, played, &played->result)) == GAME_GOES_ON) {
        play_searched(playing, players, played);
    }
    game_free(&playing->game);
}
