// test_playing.c -- openings are what they promise, games follow the rules and repeat exactly.

#include "tests/named.h"
#include "tests/selfplay_games.h"

// ---- openings ----

Test(openings, parse_start_and_random) {
    const struct variant *variant = variant_named("spanish");
    const struct position start = variant_initial(variant);
    struct opening_source source;
    struct error error;
    cr_assert(openings_parse("start", variant, &source, &error));
    cr_assert_eq(source.random_plies, 0);
    cr_assert(position_equal(&source.start, &start));
    cr_assert(openings_parse("random:7", variant, &source, &error));
    cr_assert_eq(source.random_plies, 7);
}

Test(openings, refuse_what_they_do_not_know) {
    static const char *const texts[] = {"",          "random",    "random:", "random:x",
                                        "random:61", "random:-1", "start ",  "all:3"};
    struct opening_source source;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct error error = {.text = ""};
        cr_assert_not(openings_parse(texts[i], variant_named("spanish"), &source, &error), "%s", texts[i]);
        cr_assert(strlen(error.text) > 0);
    }
}

// Plays an opening by the rules and returns the game after it.
static struct game follow(const struct opening *opening, const struct variant *variant) {
    struct move_list *list = memory_new(1, sizeof *list);
    struct game game;
    game_init(&game, variant, NULL, &opening->start);
    for (int i = 0; i < opening->plies; i++) {
        variant->generate(game_position(&game), list);
        cr_assert_lt(opening->index[i], list->count);
        cr_assert(move_equal(opening->moves[i], list->moves[opening->index[i]]));
        game_play(&game, opening->moves[i]);
    }
    free(list);
    return game;
}

Test(openings, are_long_enough_and_leave_no_exchange_open) {
    for (int v = 0; v < variant_count; v++) {
        const struct variant *variant = &variants[v];
        const struct opening_source source = {.start = variant_initial(variant), .random_plies = 9};
        for (uint64_t i = 0; i < 200; i++) {
            struct random random = random_stream(3, i);
            struct opening opening;
            struct error error;
            cr_assert(opening_draw(&source, variant, &variant->rules->draws, &random, &opening, &error));
            cr_assert_geq(opening.plies, 9);
            struct game game = follow(&opening, variant);
            int result;
            cr_assert_not(variant->can_capture(game_position(&game)), "%s", variant->name);
            cr_assert_eq(game_over(&game, &result), GAME_GOES_ON);
            game_free(&game);
        }
    }
}

// 7 first moves; 7,000 draws give each 1,000 times with a standard deviation of 29.
Test(openings, are_uniform) {
    const struct variant *variant = variant_named("spanish");
    const struct opening_source source = {.start = variant_initial(variant), .random_plies = 1};
    int seen[7] = {0};
    for (uint64_t i = 0; i < 7000; i++) {
        struct random random = random_stream(11, i);
        struct opening opening;
        struct error error;
        cr_assert(opening_draw(&source, variant, &variant->rules->draws, &random, &opening, &error));
        cr_assert_eq(opening.plies, 1);
        cr_assert_lt(opening.index[0], 7);
        seen[opening.index[0]]++;
    }
    for (int i = 0; i < 7; i++)
        cr_assert(seen[i] > 850 && seen[i] < 1150, "move %d came %d times", i, seen[i]);
}

// White has nothing left, so no game goes on from here.
Test(openings, that_do_not_exist_are_refused) {
    const struct variant *variant = variant_named("spanish");
    const struct opening_source source = {
        .start = {.pieces = {0, square_bit(board_square(8, 9))}, .turn = WHITE},
        .random_plies = 40,
    };
    struct random random = random_stream(1, 1);
    struct opening opening;
    struct error error = {.text = ""};
    cr_assert_not(opening_draw(&source, variant, &variant->rules->draws, &random, &opening, &error));
    cr_assert(strstr(error.text, "40 random plies") != NULL, "%s", error.text);
}

// ---- games ----

static void check_ply(const struct game *game, const struct played_ply *ply, bool random,
                      struct move_list *list) {
    const struct position *now = game_position(game);
    struct position turned = *now;
    turned.turn = (uint8_t)other_side(position_turn(now));
    int result;
    cr_assert_eq(game_over(game, &result), GAME_GOES_ON);
    game->variant->generate(now, list);
    cr_assert_lt(ply->index, list->count);
    cr_assert(move_equal(ply->move, list->moves[ply->index]));
    cr_assert_eq(ply->clock, game->plies[game->ply].no_progress);
    cr_assert_eq((ply->flags & POSITION_CAN_CAPTURE) != 0, game->variant->can_capture(now));
    cr_assert_eq((ply->flags & POSITION_OPPONENT_CAN_CAPTURE) != 0, game->variant->can_capture(&turned));
    cr_assert_eq((ply->flags & POSITION_RANDOM_MOVE) != 0, random);
    cr_assert_eq(ply->score == NO_SCORE, random);
    cr_assert(random || abs(ply->score) <= SCORE_WIN);
}

// Every variant's games, move by move, up to an end that the rules know and the record says.
Test(playing, follows_the_rules) {
    struct move_list *list = memory_new(1, sizeof *list);
    for (int v = 0; v < variant_count; v++) {
        struct games games = games_play(variants[v].name, 6, 5);
        for (int i = 0; i < games.count; i++) {
            const struct played_game *played = &games.game[i];
            struct game game;
            game_init(&game, games.variant, &games.draws, &played->start);
            for (int j = 0; j < played->plies; j++) {
                check_ply(&game, &played->ply[j], j < played->random_plies, list);
                game_play(&game, played->ply[j].move);
            }
            int result = 0;
            const enum termination ended = game_over(&game, &result);
            cr_assert_eq(ended, played->termination == GAME_LENGTH ? GAME_GOES_ON : played->termination);
            cr_assert_eq(result, played->result);
            game_free(&game);
        }
        games_free(&games);
    }
    free(list);
}

struct table {
    struct search *white, *black;
    struct playing *playing;
};

static struct table table_new(const struct variant *variant, int max_plies) {
    struct weights weights = weights_material(variant);
    const struct playing_settings settings = {
        .variant = variant, .draws = variant->rules->draws, .max_plies = max_plies};
    const struct table table = {
        .white = search_new(variant, &weights, 1),
        .black = search_new(variant, &weights, 1),
        .playing = playing_new(&settings),
    };
    weights_free(&weights);
    return table;
}

static void table_free(struct table *table) {
    search_free(table->white);
    search_free(table->black);
    playing_free(table->playing);
}

static void play_one(struct table *table, const struct variant *variant, uint64_t number,
                     struct search_limits white, struct search_limits black, struct played_game *played) {
    const struct opening_source source = {.start = variant_initial(variant), .random_plies = 4};
    const struct player players[2] = {{.search = table->white, .limits = white},
                                      {.search = table->black, .limits = black}};
    struct random random = random_stream(21, number);
    struct opening opening;
    struct error error;
    cr_assert(opening_draw(&source, variant, &variant->rules->draws, &random, &opening, &error));
    playing_game(table->playing, &opening, players, played);
}

// Neither the games played before nor the memory used matter.
Test(playing, repeats_exactly) {
    const struct variant *variant = variant_named("russian");
    const struct search_limits limits = {.nodes = 300};
    struct table one = table_new(variant, 400), other = table_new(variant, 400);
    struct played_game a = {0}, b = {0};
    for (uint64_t i = 0; i < 4; i++) play_one(&one, variant, i, limits, limits, &a);
    play_one(&other, variant, 3, limits, limits, &b);
    cr_assert(played_games_equal(&a, &b));
    cr_assert_eq(a.nodes[WHITE], b.nodes[WHITE]);
    cr_assert_eq(a.nodes[BLACK], b.nodes[BLACK]);
    play_one(&other, variant, 2, limits, limits, &b);
    cr_assert_not(played_games_equal(&a, &b));
    played_game_free(&a);
    played_game_free(&b);
    table_free(&one);
    table_free(&other);
}

Test(playing, lets_each_side_think_within_its_own_limits) {
    const struct variant *variant = variant_named("spanish");
    struct table table = table_new(variant, 400);
    struct played_game played = {0};
    int score = 0;
    for (uint64_t i = 0; i < 6; i++) {
        play_one(&table, variant, i, (struct search_limits){.depth = 5}, (struct search_limits){.depth = 1},
                 &played);
        cr_assert_gt(played.nodes[WHITE], 5 * played.nodes[BLACK]);
        score += played.result;
    }
    cr_assert_gt(score, 0, "five plies ahead must beat one");
    played_game_free(&played);
    table_free(&table);
}

Test(playing, stops_at_the_limit_on_plies) {
    const struct variant *variant = variant_named("american");
    struct table table = table_new(variant, 12);
    struct played_game played = {0};
    play_one(&table, variant, 0, (struct search_limits){.depth = 1}, (struct search_limits){.depth = 1},
             &played);
    cr_assert_eq(played.plies, 12);
    cr_assert_eq(played.termination, GAME_LENGTH);
    cr_assert_eq(played.result, 0);
    played_game_free(&played);
    cr_assert_null(played.ply);
    table_free(&table);
}
