// game.c -- a game in progress: its positions, what counts towards a draw, and how it ended.
//
// Every position keeps its own counters, so that undoing a move is one step back and a search may ask at
// every node. All draw rules are data (struct draw_rules); this file only counts.
#include "core/game.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/memory.h"

enum { FIRST_CAPACITY = 256 };

const char *const termination_names[TERMINATION_COUNT] = {
    [GAME_GOES_ON] = "goes on",
    [GAME_NO_PIECES] = "no pieces",
    [GAME_BLOCKED] = "blocked",
    [GAME_REPETITION] = "repetition",
    [GAME_NO_PROGRESS] = "no progress",
    [GAME_BALANCE] = "balance limit",
    [GAME_ADJUDICATED_DRAW] = "adjudicated draw",
    [GAME_ADJUDICATED_WIN] = "adjudicated win",
    [GAME_LENGTH] = "length limit",
    [GAME_TIME] = "time",
    [GAME_ILLEGAL_MOVE] = "illegal move",
    [GAME_CRASH] = "crash",
    [GAME_STALL] = "stall",
};

// ---- limits on endings ----

// The long diagonal through the bottom left corner. Official boards that are mirrored have it the other way
// round; mapped to the common board the main road is this one in every variant.
static bitboard main_road(int width) {
    bitboard road = 0;
    for (int row = 0; row < width; row++)
        road |= square_bit((square)(board_row_start(width, row) + (width - 1 - row) / 2));
    return road;
}

static bool within(int n, int least, int most) { return n >= least && n <= most; }

static bool is_lone_king(const struct balance_limit *limit, const struct position *p, enum side lone,
                         int width) {
    const bitboard king = p->pieces[lone], stronger = p->pieces[other_side(lone)];
    if (bits_without_lowest(king) || !(king & p->kings)) return false;

    const int pieces = bits_count(stronger), kings = bits_count(stronger & p->kings);
    return within(pieces, limit->min_pieces, limit->max_pieces) && kings >= limit->min_kings &&
           pieces - kings <= limit->max_men && (!limit->on_main_road || (king & main_road(width)));
}

static bool is_under(const struct balance_limit *limit, const struct position *p, int width) {
    switch (limit->balance) {
    case BALANCE_LONE_KING:
        return is_lone_king(limit, p, WHITE, width) || is_lone_king(limit, p, BLACK, width);
    case BALANCE_KINGS_BOTH:
        return (p->pieces[WHITE] & p->kings) && (p->pieces[BLACK] & p->kings) &&
               within(bits_count(p->pieces[WHITE] | p->pieces[BLACK]), limit->min_pieces, limit->max_pieces);
    }
    return false;
}

static uint16_t one_more(uint16_t plies) { return plies < UINT16_MAX ? (uint16_t)(plies + 1) : plies; }

// `before` is NULL at the start of the game. The move that brings a balance about is not counted.
static void count_balances(const struct game *game, const struct game_ply *before, struct game_ply *now,
                           bool force_changed) {
    const struct draw_rules *draws = &game->draws;
    for (int i = 0; i < game->limit_count; i++) {
        const struct balance_limit *limit = &draws->limits[i];
        now->under[i] = is_under(limit, &now->position, game->variant->rules->width);
        if (!now->under[i]) continue;
        if (before && before->under[i] && !(limit->restarts && force_changed))
            now->balance[i] = one_more(before->balance[i]);
        if (limit->plies - now->balance[i] < now->plies_to_limit)
            now->plies_to_limit = limit->plies - now->balance[i];
    }
}

// After no_progress.
static void count_limits(const struct game *game, const struct game_ply *before, struct game_ply *now,
                         bool force_changed) {
    const int plies = game->draws.no_progress_plies;
    now->plies_to_limit = plies ? plies - now->no_progress : INT_MAX;
    memset(now->balance, 0, sizeof now->balance);
    memset(now->under, 0, sizeof now->under);
    // Every balance has a king in it.
    if (now->position.kings && game->limit_count) count_balances(game, before, now, force_changed);
}

// ---- the history ----

void game_init(struct game *game, const struct variant *variant, const struct draw_rules *draws,
               const struct position *start) {
    *game = (struct game){
        .variant = variant,
        .draws = draws ? *draws : variant->rules->draws,
        .capacity = FIRST_CAPACITY,
        .plies = memory_new(FIRST_CAPACITY, sizeof(struct game_ply)),
    };
    while (game->limit_count < MAX_BALANCE_LIMITS && game->draws.limits[game->limit_count].plies)
        game->limit_count++;

    struct game_ply *first = &game->plies[0];
    first->position = *start;
    first->key = position_key(start);
    first->irreversible = true;
    count_limits(game, NULL, first, false);
}

void game_free(struct game *game) {
    free(game->plies);
    *game = (struct game){0};
}

void game_copy(struct game *to, const struct game *from) {
    *to = *from;
    to->plies = memory_new((size_t)from->capacity, sizeof(struct game_ply));
    memcpy(to->plies, from->plies, ((size_t)from->ply + 1) * sizeof(struct game_ply));
}

void game_reserve(struct game *game, int plies) {
    const int needed = game->ply + 1 + plies;
    if (needed <= game->capacity) return;
    while (game->capacity < needed) game->capacity *= 2;
    game->plies = memory_grow(game->plies, (size_t)game->capacity, sizeof(struct game_ply));
}

void game_play(struct game *game, struct move move) {
    game_reserve(game, 1);
    const struct rules *rules = game->variant->rules;
    const struct game_ply *before = &game->plies[game->ply];
    struct game_ply *now = &game->plies[game->ply + 1];

    now->position = before->position;
    game->variant->play(&now->position, move);
    now->key = position_key(&now->position);

    const bool by_man = !(before->position.kings & square_bit(move.from));
    const bool force_changed = move.captured || move.crowned;
    const bool progress = force_changed || (by_man && game->draws.progress == PROGRESS_CAPTURE_OR_MAN_MOVE);
    now->no_progress = progress ? 0 : one_more(before->no_progress);
    // A man that only moves forward never comes back; one that moves sideways may.
    now->irreversible = force_changed || (by_man && !(rules->man_moves & SIDEWAYS));
    count_limits(game, before, now, force_changed);
    game->ply++;
}

void game_undo(struct game *game) {
    assert(game->ply > 0);
    game->ply--;
}

// ---- how it ends ----

// The last ply before `ply` with the position of that ply, or -1. Only positions since the last irreversible
// move with the same side to move come into question.
static int previous(const struct game *game, int ply) {
    const struct game_ply *plies = game->plies, *now = &plies[ply];
    for (int i = ply; i >= 2 && !plies[i].irreversible && !plies[i - 1].irreversible; i -= 2)
        if (plies[i - 2].key == now->key && position_equal(&plies[i - 2].position, &now->position))
            return i - 2;
    return -1;
}

int game_previous(const struct game *game) { return previous(game, game->ply); }

int game_occurrences(const struct game *game) {
    int times = 0;
    for (int ply = game->ply; ply >= 0; ply = previous(game, ply)) times++;
    return times;
}

enum termination game_drawn(const struct game *game) {
    const struct game_ply *now = &game->plies[game->ply];
    const struct draw_rules *draws = &game->draws;
    if (draws->repetitions && game_occurrences(game) >= draws->repetitions) return GAME_REPETITION;
    if (draws->no_progress_plies && now->no_progress >= draws->no_progress_plies) return GAME_NO_PROGRESS;
    for (int i = 0; i < game->limit_count; i++)
        if (now->under[i] && now->balance[i] >= draws->limits[i].plies) return GAME_BALANCE;
    return GAME_GOES_ON;
}

enum termination game_over(const struct game *game, int *result) {
    const struct variant *variant = game->variant;
    const struct position *p = game_position(game);
    if (!variant_can_move(variant, p)) {
        const bool white_wins = (p->turn == WHITE) == (variant->rules->goal == NO_MOVE_WINS);
        *result = white_wins ? 1 : -1;
        return p->pieces[p->turn] ? GAME_BLOCKED : GAME_NO_PIECES;
    }
    const enum termination drawn = game_drawn(game);
    if (drawn != GAME_GOES_ON) *result = 0;
    return drawn;
}

struct draw_rules draws_simple(int moves, enum progress_reading progress) {
    assert(within(moves, 1, MAX_SIMPLE_MOVES));
    return (struct draw_rules){
        .name = "simple",
        .repetitions = 3,
        .no_progress_plies = (uint16_t)(2 * moves),
        .progress = progress,
    };
}
