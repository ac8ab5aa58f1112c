// test_search.c -- the search against plain negamax and a win solver; its limits, its memory, its draws.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/support/memory.h"
#include "search/search.h"
#include "tests/named.h"
#include "tests/random_positions.h"

enum {
    TABLE_MEGABYTES = 1,
    COMPARED_POSITIONS = 24,  // of each variant; more with HUFF_TEST_POSITIONS (see tests/CMakeLists.txt)
    COMPARED_MOVES = 4,       // of each position
    COMPARED_DEPTH = 4,
    COMPARED_NODES = 20000,  // positions with larger trees are left out
    DEEPLY_COMPARED_DEPTH = 6,
    DEEPLY_COMPARED_NODES = 10000000,
    ENDINGS = 40,  // of each variant
    SOLVED_PLIES = 5,
    REPEATING_ENDINGS = 100,
    CLAIMING_POSITIONS = 30,  // of each variant
    PLAYED_OUT_NODES = 20000,
};

static struct game game_from(const struct variant *variant, const char *fen) {
    struct position start;
    struct error error;
    struct game game;
    cr_assert(position_from_fen(variant, fen, &start, &error), "%s", error.text);
    game_init(&game, variant, NULL, &start);
    return game;
}

static struct search *search_of(const struct variant *variant, size_t megabytes) {
    struct weights weights = weights_material(variant);
    struct search *search = search_new(variant, &weights, megabytes);
    weights_free(&weights);
    return search;
}

static struct search_result think(struct search *search, struct game *game, struct search_limits limits) {
    struct search_result result;
    search_think(search, game, &limits, NULL, NULL, NULL, &result);
    return result;
}

static struct move_list *legal_moves(const struct game *game) {
    struct move_list *list = memory_new(1, sizeof *list);
    game->variant->generate(game_position(game), list);
    return list;
}

static void check_best_is_legal(const struct game *game, const struct search_result *result) {
    struct move_list *list = legal_moves(game);
    cr_assert(result->index >= 0 && result->index < list->count);
    cr_assert(move_equal(list->moves[result->index], result->best));
    free(list);
}

// Random moves from the start.
static struct game random_game(const struct variant *variant, struct splitmix *random, int plies) {
    const struct position start = variant_initial(variant);
    struct game game;
    game_init(&game, variant, NULL, &start);
    for (int i = 0; i < plies; i++) {
        struct move_list *list = legal_moves(&game);
        const int count = list->count;
        if (count) game_play(&game, list->moves[splitmix_below(random, count)]);
        free(list);
        if (!count) break;
    }
    return game;
}

static struct position random_ending(const struct rules *rules, struct splitmix *random) {
    struct position p = {.turn = (uint8_t)splitmix_below(random, 2)};
    for (int side = WHITE; side <= BLACK; side++)
        for (int i = side == p.turn ? 3 : 1 + splitmix_below(random, 2); i > 0; i--) {
            const square s =
                board_square(rules->width, 1 + splitmix_below(random, board_squares(rules->width)));
            if ((p.pieces[WHITE] | p.pieces[BLACK]) & square_bit(s)) continue;
            p.pieces[side] |= square_bit(s);
            if (splitmix_below(random, 4) || board_crown_row(rules->width, (enum side)side) & square_bit(s))
                p.kings |= square_bit(s);
        }
    return p;
}

// Material with squares that all differ.
static struct weights random_weights(const struct variant *variant, uint64_t unit) {
    struct splitmix random = splitmix_of("search", unit);
    struct weights weights = weights_material(variant);
    for (int t = TERM_TURN; t < TERM_COUNT; t++)
        for (int k = 0; k < KNOTS; k++) weights.value[t][k] = splitmix_below(&random, 601) - 300;
    return weights;
}

// ---- plain negamax ----

struct plain {
    struct game *game;
    const struct weights *weights;
    int root;
    int nodes, most_nodes;
    bool cuts;                                // alpha-beta: what cannot change the value is left out
    struct move_list *lists[MAX_SEARCH_PLY];  // one a ply, made when it is needed
};

static struct plain plain_new(struct game *game, const struct weights *weights) {
    return (struct plain){.game = game, .weights = weights, .root = game->ply, .most_nodes = COMPARED_NODES};
}

static void plain_free(struct plain *plain) {
    for (int i = 0; i < MAX_SEARCH_PLY; i++) free(plain->lists[i]);
}

static const struct move_list *plain_moves(struct plain *plain) {
    const int ply = plain->game->ply - plain->root;
    cr_assert_lt(ply, MAX_SEARCH_PLY);
    if (!plain->lists[ply]) plain->lists[ply] = memory_new(1, sizeof *plain->lists[ply]);
    plain->game->variant->generate(game_position(plain->game), plain->lists[ply]);
    return plain->lists[ply];
}

static bool is_draw(const struct plain *plain) {
    const struct game *game = plain->game;
    for (int i = plain->root; game->draws.repetitions && i < game->ply; i++)
        if (position_equal(&game->plies[i].position, game_position(game))) return true;
    return game_drawn(game) != GAME_GOES_ON;
}

static bool is_threatened(const struct game *game) {
    struct position p = *game_position(game);
    p.turn = (uint8_t)other_side(position_turn(&p));
    return game->variant->can_capture(&p);
}

static int plain_value(struct plain *plain, int depth, int alpha, int beta);

static int best_of(struct plain *plain, const struct move_list *list, int count, int best, int depth,
                   int alpha, int beta) {
    for (int i = 0; i < count && best < beta && plain->nodes < plain->most_nodes; i++) {
        plain->nodes++;
        if (plain->cuts && best > alpha) alpha = best;
        game_play(plain->game, list->moves[i]);
        const int value = -plain_value(plain, depth, -beta, -alpha);
        game_undo(plain->game);
        if (value > best) best = value;
    }
    return best;
}

enum { AFTER_CAPTURE = -1 };  // a depth

// What the search promises without any of its short cuts: the value of every legal move to `depth`, a forced
// move costing none of it; then captures only, where they are optional with the evaluation as the least.
// Where the moves of `depth` end, a position without captures is worth the evaluation only if no capture
// threatens it; otherwise every move is tried.
static int plain_value(struct plain *plain, int depth, int alpha, int beta) {
    const struct game *game = plain->game;
    const int ply = game->ply - plain->root;
    const struct move_list *list = plain_moves(plain);
    if (!list->count) return game->variant->rules->goal == NO_MOVE_WINS ? SCORE_WIN - ply : ply - SCORE_WIN;
    if (ply > 0 && is_draw(plain)) return 0;
    if (depth > 0)
        return best_of(plain, list, list->count, -SCORE_WIN, list->count == 1 && ply > 0 ? depth : depth - 1,
                       alpha, beta);
    const int standing = eval_score(plain->weights, game_position(game));
    if (list->captures)
        return best_of(plain, list, list->captures, game->variant->captures_optional ? standing : -SCORE_WIN,
                       AFTER_CAPTURE, alpha, beta);
    if (depth == AFTER_CAPTURE || !is_threatened(game)) return standing;
    return best_of(plain, list, list->count, -SCORE_WIN, AFTER_CAPTURE, alpha, beta);
}

// 1 when compared, 0 when the tree was too large.
static int compare_with_plain(struct search *search, struct game *game, int depth,
                              const struct weights *weights) {
    const struct search_result result =
        think(search, game, (struct search_limits){.depth = depth, .exact = true});
    struct plain plain = plain_new(game, weights);
    plain.cuts = depth > COMPARED_DEPTH;
    if (plain.cuts) plain.most_nodes = DEEPLY_COMPARED_NODES;
    const int value = plain_value(&plain, result.depth, -SCORE_WIN, SCORE_WIN);
    plain_free(&plain);
    if (plain.nodes >= plain.most_nodes) return 0;
    char fen[FEN_TEXT_SIZE];
    position_to_fen(game->variant, game_position(game), fen);
    cr_assert_eq(result.score, value, "%s %s depth %d: %d, plain %d", game->variant->name, fen, result.depth,
                 result.score, value);
    check_best_is_legal(game, &result);
    return 1;
}

static bool goes_on(const struct game *game) {
    int result;
    return game_over(game, &result) == GAME_GOES_ON;
}

// The position, then those after its first moves one ply less deep: for them the table holds bounds that were
// found with other windows.
static int compare_with_moves(struct search *search, struct game *game, int depth,
                              const struct weights *weights) {
    struct move_list *list = legal_moves(game);
    int compared = compare_with_plain(search, game, depth, weights);
    for (int i = 0; compared && depth > 1 && i < list->count && i < COMPARED_MOVES; i++) {
        game_play(game, list->moves[i]);
        if (goes_on(game)) compared += compare_with_plain(search, game, depth - 1, weights);
        game_undo(game);
    }
    free(list);
    return compared;
}

// Middle games, positions full of captures and kings, and endings in turn.
static struct game compared_game(const struct variant *variant, int i) {
    struct splitmix random = splitmix_of(variant->name, (uint64_t)i);
    if (i % 3 == 0) return random_game(variant, &random, 10 + splitmix_below(&random, 60));
    const struct position p =
        i % 3 == 1 ? random_placement(variant->rules, &random) : random_ending(variant->rules, &random);
    struct game game;
    game_init(&game, variant, NULL, &p);
    return game;
}

static int compare_positions(const struct variant *variant, size_t megabytes) {
    struct weights weights = random_weights(variant, 1);
    int compared = 0;
    for (int i = 0; i < COMPARED_POSITIONS; i++) {
        struct game game = compared_game(variant, i);
        struct search *search = search_new(variant, &weights, megabytes);
        if (goes_on(&game))
            compared += compare_with_moves(search, &game, 1 + i / 3 % COMPARED_DEPTH, &weights);
        search_free(search);
        game_free(&game);
    }
    weights_free(&weights);
    return compared;
}

Test(value, equals_plain_negamax_without_a_table, .timeout = 3600) {
    for (int i = 0; i < variant_count; i++)
        cr_assert_gt(compare_positions(&variants[i], 0), COMPARED_POSITIONS / 2, "%s", variants[i].name);
}

Test(value, equals_plain_negamax_with_a_table, .timeout = 3600) {
    for (int i = 0; i < variant_count; i++)
        cr_assert_gt(compare_positions(&variants[i], TABLE_MEGABYTES), COMPARED_POSITIONS / 2, "%s",
                     variants[i].name);
}

// Deep enough for late moves to be reduced and for scores to be guessed in a search that is not exact. The
// table knows nothing of the way to a position, so with one repetitions do not count.
Test(value, equals_plain_negamax_six_plies_deep, .timeout = 3600) {
    const char *set = getenv("HUFF_TEST_POSITIONS");
    const int positions = set ? atoi(set) : COMPARED_POSITIONS / 4;
    for (int i = 0; i < variant_count; i++) {
        struct weights weights = random_weights(&variants[i], 1);
        struct search *without = search_new(&variants[i], &weights, 0),
                      *with = search_new(&variants[i], &weights, TABLE_MEGABYTES);
        int compared = 0;
        for (int n = 0; compared < positions; n++) {
            struct game game = compared_game(&variants[i], 10000 + n);
            if (goes_on(&game) && compare_with_plain(without, &game, DEEPLY_COMPARED_DEPTH, &weights)) {
                compared++;
                search_clear(with);
                game.draws.repetitions = 0;
                compare_with_plain(with, &game, DEEPLY_COMPARED_DEPTH, &weights);
            }
            game_free(&game);
        }
        search_free(without);
        search_free(with);
        weights_free(&weights);
    }
}

// King against king for six plies: who does not want a draw has to leave his best squares. Short kings have
// no more than four moves, so no move is late. Without a table, whose values know nothing of the way to a
// position.
Test(value, equals_plain_negamax_when_positions_repeat, .timeout = 3600) {
    const struct variant *variant = variant_named("american");
    for (uint64_t n = 0; n < REPEATING_ENDINGS; n++) {
        struct splitmix random = splitmix_of("repeating", n);
        struct weights weights = random_weights(variant, n);
        const int white = splitmix_below(&random, 32), black = (white + 1 + splitmix_below(&random, 31)) % 32;
        const bitboard kings[] = {square_bit(board_square(8, 1 + white)),
                                  square_bit(board_square(8, 1 + black))};
        const struct position p = {.pieces = {kings[WHITE], kings[BLACK]},
                                   .kings = kings[WHITE] | kings[BLACK]};
        struct game game;
        game_init(&game, variant, NULL, &p);
        struct search *search = search_new(variant, &weights, 0);
        compare_with_plain(search, &game, 6, &weights);
        search_free(search);
        weights_free(&weights);
        game_free(&game);
    }
}

// Losing games need no code of their own: only the goal differs.
Test(value, equals_plain_negamax_when_no_move_wins, .timeout = 3600) {
    static const char *const names[] = {"american", "russian", "spanish+free"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct variant giveaway = *variant_named(names[i]);
        struct rules rules = *giveaway.rules;
        rules.goal = NO_MOVE_WINS;
        giveaway.rules = &rules;
        cr_assert_gt(compare_positions(&giveaway, TABLE_MEGABYTES), COMPARED_POSITIONS / 2, "%s", names[i]);
    }
}

// ---- wins ----

// Does the side to move win within so many plies, whatever the other side does?
static bool wins_within(struct plain *plain, int plies);

static bool loses_within(struct plain *plain, int plies) {
    const struct move_list *list = plain_moves(plain);
    if (!list->count) return true;
    if (plies < 2 || is_draw(plain)) return false;
    bool lost = true;
    for (int i = 0; lost && i < list->count; i++) {
        game_play(plain->game, list->moves[i]);
        lost = wins_within(plain, plies - 1);
        game_undo(plain->game);
    }
    return lost;
}

static bool wins_within(struct plain *plain, int plies) {
    if (plain->game->ply > plain->root && is_draw(plain)) return false;
    const struct move_list *list = plain_moves(plain);
    bool won = false;
    for (int i = 0; !won && i < list->count; i++) {
        game_play(plain->game, list->moves[i]);
        won = loses_within(plain, plies - 1);
        game_undo(plain->game);
    }
    return won;
}

// The fewest plies in which the side to move forces a win, 0 when there are more than SOLVED_PLIES.
static int plies_to_win(struct game *game) {
    struct plain plain = plain_new(game, NULL);
    int shortest = 0;
    for (int plies = 1; !shortest && plies <= SOLVED_PLIES; plies += 2)
        if (wins_within(&plain, plies)) shortest = plies;
    plain_free(&plain);
    return shortest;
}

// The same win seen a ply later, with the table as it is.
static void expect_win_after_move(struct search *search, struct game *game, const struct search_result *win,
                                  int plies) {
    game_play(game, win->best);
    if (goes_on(game)) {
        const struct search_result after =
            think(search, game, (struct search_limits){.depth = 8, .analysis = true});
        cr_assert_eq(after.score, plies - 1 - SCORE_WIN, "%s: lost in %d, found %d", game->variant->name,
                     plies - 1, after.score);
    }
    game_undo(game);
}

// A forced win is found, with its length; and no win is claimed that is not there.
Test(wins, as_the_solver_says, .timeout = 3600) {
    for (int i = 0; i < variant_count; i++) {
        const struct variant *variant = &variants[i];
        struct search *search = search_of(variant, TABLE_MEGABYTES);
        int wins = 0;
        for (int n = 0; n < ENDINGS; n++) {
            struct splitmix random = splitmix_of(variant->name, 1000u + (uint64_t)n);
            const struct position p = random_ending(variant->rules, &random);
            struct game game;
            game_init(&game, variant, NULL, &p);
            if (goes_on(&game)) {
                const int plies = plies_to_win(&game);
                const struct search_result found = think(search, &game, (struct search_limits){.depth = 8});
                char fen[FEN_TEXT_SIZE];
                position_to_fen(variant, &p, fen);
                // A single legal move is answered before anything is searched.
                if (plies && found.depth > 1)
                    cr_assert_eq(found.score, SCORE_WIN - plies, "%s %s: a win in %d, found %d",
                                 variant->name, fen, plies, found.score);
                if (found.score >= SCORE_WIN - SOLVED_PLIES)
                    cr_assert_eq(plies, SCORE_WIN - found.score, "%s %s", variant->name, fen);
                if (plies && found.depth > 1) expect_win_after_move(search, &game, &found, plies);
                wins += plies > 1;
            }
            game_free(&game);
            search_clear(search);
        }
        cr_assert_gt(wins, 0, "%s", variant->name);
        search_free(search);
    }
}

static void check_claim(struct search *search, struct game *game, int depth) {
    const struct search_result found =
        think(search, game, (struct search_limits){.depth = depth, .analysis = true});
    const int plies = SCORE_WIN - abs(found.score);
    if (plies > SOLVED_PLIES) return;
    struct plain plain = plain_new(game, NULL);
    char fen[FEN_TEXT_SIZE];
    position_to_fen(game->variant, game_position(game), fen);
    cr_assert(found.score > 0 ? wins_within(&plain, plies) : loses_within(&plain, plies),
              "%s %s: %d is not true", game->variant->name, fen, found.score);
    plain_free(&plain);
}

// A position, then the positions after its moves with the table as it is: whatever the table has seen with
// other windows, a proven win or loss is one.
Test(wins, are_true_when_the_table_says_so, .timeout = 3600) {
    for (int i = 0; i < variant_count; i++) {
        struct search *search = search_of(&variants[i], TABLE_MEGABYTES);
        for (int n = 0; n < CLAIMING_POSITIONS; n++) {
            struct game game = compared_game(&variants[i], n);
            struct move_list *list = legal_moves(&game);
            if (goes_on(&game)) check_claim(search, &game, 5);
            for (int m = 0; m < list->count; m++) {
                game_play(&game, list->moves[m]);
                if (goes_on(&game)) check_claim(search, &game, 4);
                game_undo(&game);
            }
            free(list);
            game_free(&game);
            search_clear(search);
        }
        search_free(search);
    }
}

struct wanted_win {
    int score;
    atomic_bool found;
};

static void stop_at_win(void *context, const struct search_result *result) {
    struct wanted_win *wanted = context;
    if (result->score >= wanted->score) atomic_store(&wanted->found, true);
}

// Plays a win that is claimed for the side to move in so many plies: the winner by its search, which may take
// its time to find the win again, the loser by his or at random. The win comes, and no later.
static void play_win_out(struct search *search, struct game *game, int plies, struct splitmix *random) {
    const int root = game->ply;
    const enum side winner = position_turn(game_position(game));
    char fen[FEN_TEXT_SIZE];
    position_to_fen(game->variant, game_position(game), fen);
    int result;
    enum termination end;
    while ((end = game_over(game, &result)) == GAME_GOES_ON && game->ply - root < plies) {
        const bool winners_turn = position_turn(game_position(game)) == winner;
        struct wanted_win wanted = {.score =
                                        winners_turn ? SCORE_WIN - (plies - (game->ply - root)) : SCORE_WIN};
        const struct search_limits limits = {.nodes = PLAYED_OUT_NODES * (winners_turn ? 100 : 1),
                                             .analysis = true};
        struct search_result found;
        search_think(search, game, &limits, &wanted.found, stop_at_win, &wanted, &found);
        struct move_list *list = legal_moves(game);
        const bool at_random = !winners_turn && splitmix_below(random, 2);
        game_play(game, at_random ? list->moves[splitmix_below(random, list->count)] : found.best);
        free(list);
    }
    cr_assert(end == GAME_NO_PIECES || end == GAME_BLOCKED, "%s %s: win in %d, after %d plies: %s",
              game->variant->name, fen, plies, game->ply - root, termination_names[end]);
    cr_assert_eq(result > 0, winner == WHITE);
    while (game->ply > root) game_undo(game);
}

// Every win that is claimed is played to its end, with little to search a move and much.
Test(wins, come_when_they_are_claimed, .timeout = 3600) {
    const char *set = getenv("HUFF_TEST_POSITIONS");
    const int positions = set ? atoi(set) : CLAIMING_POSITIONS;
    for (int i = 0; i < variant_count; i++) {
        struct search *search = search_of(&variants[i], TABLE_MEGABYTES);
        int wins = 0;
        for (int n = 0; n < positions; n++) {
            struct splitmix random = splitmix_of(variants[i].name, 20000u + (uint64_t)n);
            struct game game = compared_game(&variants[i], 20000 + n);
            search_clear(search);
            if (goes_on(&game)) {
                const struct search_limits limits = {
                    .nodes = n % 2 ? PLAYED_OUT_NODES : PLAYED_OUT_NODES / 10, .analysis = true};
                const struct search_result found = think(search, &game, limits);
                if (found.score >= SCORE_WIN_FROM) {
                    play_win_out(search, &game, SCORE_WIN - found.score, &random);
                    wins++;
                }
            }
            game_free(&game);
        }
        cr_assert_gt(wins, 0, "%s", variants[i].name);
        search_free(search);
    }
}

// ---- draws ----

// A win in three plies is none when the limit allows two more, and is one again when it does; the table that
// remembers one must not answer for the other.
Test(draws, counters_near_a_limit_do_not_poison_the_table) {
    const struct variant *variant = variant_named("international");
    struct search *search = search_of(variant, TABLE_MEGABYTES);
    int endings = 0;
    for (uint64_t n = 0; endings < 3; n++) {
        struct splitmix random = splitmix_of("limits", n);
        const struct position p = random_ending(variant->rules, &random);
        struct game game;
        game_init(&game, variant, NULL, &p);
        const bool limited = game.plies[0].under[0];  // two pieces against a king: ten plies
        if (limited && variant_can_move(variant, &p) && plies_to_win(&game) == SOLVED_PLIES) {
            const struct search_limits limits = {.depth = 10};
            cr_assert_eq(think(search, &game, limits).score, SCORE_WIN - SOLVED_PLIES);
            game.plies[0].balance[0] = 7;
            cr_assert_eq(think(search, &game, limits).score, 0, "no ply left for the fifth");
            game.plies[0].balance[0] = 5;
            cr_assert_eq(think(search, &game, limits).score, SCORE_WIN - SOLVED_PLIES);
            game.plies[0].balance[0] = 8;
            cr_assert_eq(think(search, &game, limits).score, 0);
            endings++;
        }
        game_free(&game);
    }
    search_free(search);
}

// A man that is blocked by the last move before the limit has lost, and is no draw.
Test(draws, a_win_on_the_last_ply_counts) {
    struct game game = game_from(variant_named("american"), "W:WK20,19:B12");
    game.plies[0].no_progress = game.draws.no_progress_plies - 1;
    struct search *search = search_of(game.variant, TABLE_MEGABYTES);
    cr_assert_eq(think(search, &game, (struct search_limits){.depth = 4}).score, SCORE_WIN - 1);
    search_free(search);
    game_free(&game);
}

// One king against two: the third repetition is what Black can hope for.
Test(draws, repetitions_of_the_game_count) {
    const struct variant *variant = variant_named("american");
    struct game game = game_from(variant, "W:WK32,K31:BK1");
    const struct move there = {.from = board_square(8, 1), .to = board_square(8, 5)};
    const struct move back = {.from = board_square(8, 5), .to = board_square(8, 1)};
    const struct move out = {.from = board_square(8, 32), .to = board_square(8, 28)};
    const struct move home = {.from = board_square(8, 28), .to = board_square(8, 32)};
    const struct move moves[] = {out, there, home, back, out, there, home};
    struct search *search = search_of(variant, 0);
    const struct search_limits limits = {.depth = 1, .exact = true};  // without solved endings
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) game_play(&game, moves[i]);
    const struct search_result result = think(search, &game, limits);
    cr_assert_eq(result.score, 0);
    cr_assert(move_equal(result.best, back));

    for (int i = 0; i < 4; i++) game_undo(&game);  // the second time only
    cr_assert_eq(think(search, &game, limits).score, -150);
    search_free(search);
    game_free(&game);
}

// ---- limits ----

// A variant that counts how often a move is played.
static uint64_t moves_played;
static void (*play_of_american)(struct position *, struct move);
static void counting_play(struct position *p, struct move move) {
    moves_played++;
    play_of_american(p, move);
}

Test(limits, nodes_are_the_moves_played_and_never_exceed_the_limit) {
    struct variant variant = *variant_named("american");
    play_of_american = variant.play;
    variant.play = counting_play;
    struct splitmix random = splitmix_of("nodes", 0);
    struct game game = random_game(&variant, &random, 9);
    struct search *search = search_of(&variant, TABLE_MEGABYTES);
    for (uint64_t nodes = 1; nodes < 100000; nodes += 1 + nodes / 3) {
        moves_played = 0;
        const struct search_result result = think(search, &game, (struct search_limits){.nodes = nodes});
        cr_assert_eq(result.nodes, moves_played);
        cr_assert_eq(result.nodes, nodes, "there is more to search than %llu nodes",
                     (unsigned long long)nodes);
        check_best_is_legal(&game, &result);
        search_clear(search);
    }
    search_free(search);
    game_free(&game);
}

Test(limits, depth) {
    struct splitmix random = splitmix_of("depth", 0);
    struct game game = random_game(variant_named("brazilian"), &random, 12);
    struct search *search = search_of(game.variant, TABLE_MEGABYTES);
    for (int depth = 1; depth <= 9; depth++) {
        const struct search_result result = think(search, &game, (struct search_limits){.depth = depth});
        cr_assert_eq(result.depth, depth);
        cr_assert_gt(result.pv_length, 0);
        cr_assert(move_equal(result.pv[0], result.best));
    }
    search_free(search);
    game_free(&game);
}

Test(limits, time_ends_a_search) {
    struct splitmix random = splitmix_of("time", 0);
    struct game game = random_game(variant_named("international"), &random, 6);
    struct search *search = search_of(game.variant, TABLE_MEGABYTES);
    const struct search_result result = think(search, &game, (struct search_limits){.seconds = 0.001});
    cr_assert_geq(result.depth, 1);
    cr_assert_lt(result.depth, MAX_DEPTH);
    check_best_is_legal(&game, &result);
    search_free(search);
    game_free(&game);
}

static void stop_at_depth_3(void *context, const struct search_result *result) {
    if (result->depth == 3) atomic_store((atomic_bool *)context, true);
}

Test(limits, stop_flag) {
    struct splitmix random = splitmix_of("stop", 0);
    struct game game = random_game(variant_named("killer"), &random, 6);
    struct search *search = search_of(game.variant, TABLE_MEGABYTES);
    const struct search_limits limits = {0};
    struct search_result result;
    atomic_bool stop = false;
    search_think(search, &game, &limits, &stop, stop_at_depth_3, &stop, &result);
    cr_assert_eq(result.depth, 3);
    check_best_is_legal(&game, &result);

    atomic_store(&stop, true);  // set before it starts: still an answer
    search_think(search, &game, &limits, &stop, NULL, NULL, &result);
    cr_assert_eq(result.depth, 1);
    check_best_is_legal(&game, &result);
    search_free(search);
    game_free(&game);
}

// Several threads keep to the limits of one.
Test(limits, threads) {
    struct splitmix random = splitmix_of("threads", 0);
    struct game game = random_game(variant_named("international"), &random, 6);
    struct search *search = search_of(game.variant, TABLE_MEGABYTES);
    for (int threads = 1; threads <= 5; threads += 2) {
        search_set_threads(search, threads);
        const struct search_result result = think(search, &game, (struct search_limits){.nodes = 50000});
        cr_assert_leq(result.nodes, 50000);
        check_best_is_legal(&game, &result);
        cr_assert_eq(think(search, &game, (struct search_limits){.depth = 7}).depth, 7);
        search_clear(search);
    }
    game_free(&game);
    search_free(search);
}

Test(limits, one_legal_move_is_answered_at_once) {
    const struct variant *variant = variant_named("american");
    struct game game = game_from(variant, "W:W24,32,31,30:B19,1,2,3");
    struct search *search = search_of(variant, TABLE_MEGABYTES);
    const struct search_result result = think(search, &game, (struct search_limits){.depth = 20});
    cr_assert_eq(result.depth, 1);
    cr_assert_eq(result.index, 0);
    check_best_is_legal(&game, &result);
    search_free(search);
    game_free(&game);
}

// ---- lines ----

static void check_same(const struct search_result *a, const struct search_result *b) {
    cr_assert_eq(a->nodes, b->nodes);
    cr_assert_eq(a->score, b->score);
    cr_assert_eq(a->depth, b->depth);
    cr_assert_eq(a->index, b->index);
    cr_assert_eq(a->pv_length, b->pv_length);
    cr_assert_eq(memcmp(a->pv, b->pv, (size_t)a->pv_length * sizeof *a->pv), 0);
}

struct seen_lines {
    const struct game *game;
    int depth, lines;
    struct search_result result[3];
};

// Lines are numbered from 0, begin with moves that differ, and get no better.
static void see_line(void *context, const struct search_result *result) {
    struct seen_lines *seen = context;
    seen->lines = result->line ? seen->lines + 1 : 1;
    seen->depth = result->depth;
    cr_assert_eq(result->line, seen->lines - 1);
    cr_assert_lt(result->line, 3);
    check_best_is_legal(seen->game, result);
    seen->result[result->line] = *result;
    for (int i = 0; i < result->line; i++) {
        cr_assert_neq(seen->result[i].index, result->index);
        cr_assert_geq(seen->result[i].score, result->score);
        cr_assert_eq(seen->result[i].depth, result->depth);
    }
}

Test(lines, are_the_best_moves) {
    struct splitmix random = splitmix_of("lines", 0);
    struct game game = random_game(variant_named("russian"), &random, 8);
    struct search *search = search_of(game.variant, TABLE_MEGABYTES);
    struct seen_lines seen = {.game = &game};
    struct search_result best;
    search_think(search, &game, &(struct search_limits){.depth = 8, .lines = 3}, NULL, see_line, &seen,
                 &best);
    cr_assert_eq(seen.lines, 3);
    cr_assert_eq(seen.depth, 8);
    check_same(&best, &seen.result[0]);
    search_free(search);
    game_free(&game);
}

// Exactly, with as many lines as there are moves: each has the score of the position after it.
Test(lines, have_the_scores_of_their_moves) {
    struct splitmix random = splitmix_of("lines", 1);
    struct game game = random_game(variant_named("american"), &random, 6);
    struct search *search = search_of(game.variant, 0);
    struct seen_lines seen = {.game = &game};
    struct search_result best;
    search_think(search, &game, &(struct search_limits){.depth = 5, .lines = 3, .exact = true}, NULL,
                 see_line, &seen, &best);
    for (int line = 0; line < 3; line++) {
        game_play(&game, seen.result[line].best);
        const struct search_limits limits = {.depth = 4, .exact = true, .analysis = true};
        cr_assert_eq(think(search, &game, limits).score, -seen.result[line].score);
        game_undo(&game);
    }
    search_free(search);
    game_free(&game);
}

// ---- memory ----

// A cleared search is as good as new, and the game comes out as it went in.
Test(memory, the_same_again) {
    for (int i = 0; i < variant_count; i++) {
        struct splitmix random = splitmix_of(variants[i].name, 7);
        struct game game = random_game(&variants[i], &random, 8);
        struct search *search = search_of(&variants[i], TABLE_MEGABYTES),
                      *other = search_of(&variants[i], TABLE_MEGABYTES);
        const struct search_limits limits = {.nodes = 20000};
        const int ply = game.ply;
        const struct game_ply before = game.plies[ply];
        const struct search_result first = think(search, &game, limits);
        cr_assert_eq(game.ply, ply);
        cr_assert(position_equal(&game.plies[ply].position, &before.position));
        cr_assert_eq(game.plies[ply].no_progress, before.no_progress);
        think(search, &game, limits);
        search_clear(search);
        const struct search_result again = think(search, &game, limits), fresh = think(other, &game, limits);
        check_same(&first, &again);
        check_same(&first, &fresh);
        search_free(search);
        search_free(other);
        game_free(&game);
    }
}

// What the search says is the line it says: every move legal, one after another.
// The memory of a game grows as it gets longer, but never under a search.
Test(memory, a_search_finds_the_same_in_a_game_of_any_length) {
    const struct variant *variant = variant_named("spanish");
    struct splitmix random = splitmix_of("length", 1);
    struct search *one = search_of(variant, 1), *other = search_of(variant, 1);
    for (int plies = 0; plies < 70; plies++) {
        struct game game = random_game(variant, &random, plies), roomy;
        game_copy(&roomy, &game);
        game_reserve(&roomy, 1000);
        if (goes_on(&game)) {
            search_clear(one);
            search_clear(other);
            const struct search_limits limits = {.nodes = 3000};
            const struct search_result a = think(one, &game, limits), b = think(other, &roomy, limits);
            cr_assert(a.score == b.score && a.index == b.index && a.nodes == b.nodes, "after %d plies",
                      plies);
        }
        game_free(&game);
        game_free(&roomy);
    }
    search_free(one);
    search_free(other);
}

Test(memory, principal_variation_is_playable) {
    for (int i = 0; i < variant_count; i++) {
        struct splitmix random = splitmix_of(variants[i].name, 8);
        struct game game = random_game(&variants[i], &random, 20);
        struct search *search = search_of(&variants[i], TABLE_MEGABYTES);
        if (goes_on(&game)) {
            const struct search_result found = think(search, &game, (struct search_limits){.nodes = 30000});
            for (int n = 0; n < found.pv_length; n++) {
                struct move_list *list = legal_moves(&game);
                bool legal = false;
                for (int m = 0; m < list->count; m++) legal |= move_equal(list->moves[m], found.pv[n]);
                cr_assert(legal, "%s, move %d of the line", variants[i].name, n + 1);
                game_play(&game, found.pv[n]);
                free(list);
            }
        }
        search_free(search);
        game_free(&game);
    }
}
