// selfplay_games.h -- a few real games for tests of what happens to games.
#ifndef HUFF_TESTS_SELFPLAY_GAMES_H
#define HUFF_TESTS_SELFPLAY_GAMES_H

#include <criterion/criterion.h>
#include <stdlib.h>

#include "core/support/memory.h"
#include "selfplay/playing.h"

struct games {
    const struct variant *variant;
    struct draw_rules draws;
    int count;
    struct played_game *game;
};

// `count` games of quick engines that look one ply ahead, after six random plies; game i begins from start[i
// % starts].
static inline struct games games_play_from(const struct variant *variant, const struct position *start,
                                           int starts, int count, uint64_t seed) {
    struct error error = {.text = ""};
    struct games games = {
        .variant = variant,
        .draws = variant->rules->draws,
        .count = count,
        .game = memory_new((size_t)count, sizeof *games.game),
    };
    struct weights weights = weights_material(variant);
    struct search *search = search_new(variant, &weights, 0);
    const struct player players[2] = {{.search = search, .limits = {.depth = 1}},
                                      {.search = search, .limits = {.depth = 1}}};
    const struct playing_settings settings = {.variant = variant, .draws = games.draws, .max_plies = 300};
    struct playing *playing = playing_new(&settings);
    for (int i = 0; i < count; i++) {
        const struct opening_source source = {.start = start[i % starts], .random_plies = 6};
        struct random random = random_stream(seed, (uint64_t)i);
        struct opening opening;
        cr_assert(opening_draw(&source, variant, &games.draws, &random, &opening, &error), "%s", error.text);
        playing_game(playing, &opening, players, &games.game[i]);
    }
    playing_free(playing);
    search_free(search);
    weights_free(&weights);
    return games;
}

static inline struct games games_play(const char *variant_name, int count, uint64_t seed) {
    struct error error = {.text = ""};
    const struct variant *variant = variant_find(variant_name, &error);
    cr_assert_not_null(variant, "%s", error.text);
    const struct position start = variant_initial(variant);
    return games_play_from(variant, &start, 1, count, seed);
}

static inline void games_free(struct games *games) {
    for (int i = 0; i < games->count; i++) played_game_free(&games->game[i]);
    free(games->game);
}

// All that a file keeps of a game.
static inline bool played_games_equal(const struct played_game *a, const struct played_game *b) {
    if (!position_equal(&a->start, &b->start) || a->plies != b->plies || a->result != b->result ||
        a->termination != b->termination || a->random_plies != b->random_plies) {
        return false;
    }
    for (int i = 0; i < a->plies; i++) {
        const struct played_ply *p = &a->ply[i], *q = &b->ply[i];
        if (!move_equal(p->move, q->move) || p->index != q->index || p->clock != q->clock ||
            p->flags != q->flags || p->score != q->score) {
            return false;
        }
    }
    return true;
}

#endif
