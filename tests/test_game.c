// test_game.c -- draw rules and results: the rule books' own cases, and counters against a slow recount.
#include <criterion/criterion.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/game.h"
#include "core/notation.h"
#include "core/support/memory.h"
#include "tests/named.h"
#include "tests/random_positions.h"

enum {
    RANDOM_GAMES = 150,  // of each variant
    RANDOM_PLIES = 120,
};

static struct game game_from(const char *variant_name, const char *fen, const struct draw_rules *draws) {
    const struct variant *variant = variant_named(variant_name);
    struct position start;
    struct error error;
    struct game game;
    cr_assert(position_from_fen(variant, fen, &start, &error), "%s", error.text);
    game_init(&game, variant, draws, &start);
    return game;
}

static struct move_list *legal_moves(const struct game *game) {
    struct move_list *list = memory_new(1, sizeof *list);
    game->variant->generate(game_position(game), list);
    return list;
}

static void play(struct game *game, const char *text) {
    struct move_list *list = legal_moves(game);
    struct move move;
    struct error error;
    cr_assert(move_from_text(game->variant, game_position(game), list, text, &move, &error), "%s",
              error.text);
    game_play(game, move);
    free(list);
}

// Plays moves separated by blanks; before the last of them the game must go on.
static void play_all(struct game *game, const char *moves) {
    char *text = memory_text("%s", moves), *rest = NULL;
    for (char *move = strtok_r(text, " ", &rest); move; move = strtok_r(NULL, " ", &rest)) {
        cr_assert_eq(game_drawn(game), GAME_GOES_ON, "drawn before %s at ply %d", move, game->ply);
        play(game, move);
    }
    free(text);
}

static void play_times(struct game *game, int times, const char *moves) {
    for (int i = 0; i < times; i++) play_all(game, moves);
}

static struct draw_rules without_repetition(struct draw_rules draws) {
    draws.repetitions = 0;
    return draws;
}

// ---- repetition ----

// FMJD 6.1. The start position counts. (docest.com/doc/355197, annex 1)
Test(repetition, third_time_counts_the_start_position) {
    static const char fen[] = "W:WK1,K2,K36:BK50,K49,K15";
    static const char *const names[] = {"international", "frisian", "killer"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct game game = game_from(names[i], fen, NULL);
        play_all(&game, "1-6 50-45 6-1 45-50");
        cr_assert_eq(game_occurrences(&game), 2);
        cr_assert_eq(game_previous(&game), 0);
        play_all(&game, "1-6 50-45 6-1 45-50");
        cr_assert_eq(game_occurrences(&game), 3);
        cr_assert_eq(game_previous(&game), 4);
        int result = 9;
        cr_assert_eq(game_over(&game, &result), GAME_REPETITION, "%s", names[i]);
        cr_assert_eq(result, 0);
        game_undo(&game);
        cr_assert_eq(game_drawn(&game), GAME_GOES_ON);
        game_free(&game);
    }
}

// FID 9.3 b1: the fourth time.
Test(repetition, fourth_time_in_italian) {
    struct game game = game_from("italian", "W:WK1:BK32", NULL);
    play_times(&game, 2, "1-5 32-28 5-1 28-32");
    cr_assert_eq(game_occurrences(&game), 3);
    cr_assert_eq(game_drawn(&game), GAME_GOES_ON);
    play_all(&game, "1-5 32-28 5-1 28-32");
    cr_assert_eq(game_drawn(&game), GAME_REPETITION);
    game_free(&game);
}

Test(repetition, other_side_to_move_is_another_position) {
    // White loses a move on the way back: the same squares, but Black is to move.
    struct game game = game_from("russian", "W:WKa1:BKh2", NULL);
    play_all(&game, "a1-c3 h2-g1 c3-b2 g1-h2 b2-a1");
    cr_assert_eq(game_occurrences(&game), 1);
    game_free(&game);
}

// ---- no progress ----

// FMJD 6.2: 25 moves by each side. (github.com/shiro-nya/2025-chess-bot-tournament/issues/21)
Test(no_progress, fifty_plies_are_25_moves_each) {
    const struct draw_rules draws = without_repetition(variant_named("international")->rules->draws);
    struct game game = game_from("international", "W:WK1,K2,K36:BK50,K49,K15", &draws);
    play_times(&game, 12, "1-6 50-45 6-1 45-50");
    play(&game, "1-6");
    cr_assert_eq(game_drawn(&game), GAME_GOES_ON, "at ply 49");
    cr_assert_eq(game_plies_to_limit(&game), 1);
    play(&game, "50-45");
    cr_assert_eq(game_drawn(&game), GAME_NO_PROGRESS);
    game_free(&game);
}

// A limit that was passed before the game was loaded counts. (github.com/marianogappa/cheesse/issues/19)
Test(no_progress, beyond_the_limit_is_drawn_too) {
    struct game game = game_from("international", "W:WK1,K2,K36:BK50,K49,K15", NULL);
    game.plies[0].no_progress = 77;
    cr_assert_eq(game_drawn(&game), GAME_NO_PROGRESS);
    play(&game, "1-6");
    cr_assert_eq(game_drawn(&game), GAME_NO_PROGRESS);
    game_free(&game);
}

// (github.com/miskibin/py-draughts/pull/25)
Test(no_progress, a_promotion_is_a_mans_move) {
    struct game game = game_from("international", "W:W7,K36:BK50,K49,K15", NULL);
    game.plies[0].no_progress = 30;
    play(&game, "7-1");
    cr_assert_eq(game.plies[game.ply].no_progress, 0);
    game_free(&game);
}

// WCDF 1.32.2: 40 moves of each side. (littlegolem.net forum 300, topic 17)
Test(no_progress, eighty_plies_in_american) {
    const struct draw_rules draws = without_repetition(variant_named("american")->rules->draws);
    struct game game = game_from("american", "W:WK32:BK1,K2", &draws);
    play_times(&game, 19, "32-28 1-5 28-32 5-1");
    play_all(&game, "32-28 1-5 28-32");
    cr_assert_eq(game_drawn(&game), GAME_GOES_ON, "at ply 79");
    play(&game, "5-1");
    cr_assert_eq(game_drawn(&game), GAME_NO_PROGRESS);
    game_free(&game);
}

// The two readings on published rule pages.
Test(no_progress, man_moves_count_or_not) {
    for (int reading = 0; reading < 2; reading++) {
        const bool by_man_moves = reading == PROGRESS_CAPTURE_OR_MAN_MOVE;
        const struct draw_rules draws = without_repetition(draws_simple(2, (enum progress_reading)reading));
        struct game game = game_from("american", "B:W24,K32:B5,K1", &draws);
        play_all(&game, "1-6 32-28 5-9");
        cr_assert_eq(game.plies[game.ply].no_progress, by_man_moves ? 0 : 3);
        play(&game, "28-32");
        cr_assert_eq(game_drawn(&game), by_man_moves ? GAME_GOES_ON : GAME_NO_PROGRESS);
        game_free(&game);

        game = game_from("american", "W:W5,24:B27,K17", &draws);
        play(&game, "5-1");  // crowned: progress in both
        cr_assert_eq(game.plies[game.ply].no_progress, 0);
        game_free(&game);

        game = game_from("american", "W:WK24:B19,K1", &draws);
        play(&game, "24x15");
        cr_assert_eq(game.plies[game.ply].no_progress, 0);
        game_free(&game);
    }
}

Test(no_progress, simple_rules_are_third_repetition_and_n_moves_each) {
    const struct draw_rules draws = draws_simple(40, PROGRESS_CAPTURE_OR_CROWNING);
    cr_assert_str_eq(draws.name, "simple");
    cr_assert_eq(draws.repetitions, 3);
    cr_assert_eq(draws.no_progress_plies, 80);
    cr_assert_eq(draws.progress, PROGRESS_CAPTURE_OR_CROWNING);
    cr_assert_eq(draws.limits[0].plies, 0);
}

// ---- endings with a limit ----

// FMJD 6.3 and 6.4. When Black takes a king at its 13th move, is the rest of the sixteen moves left (3) or
// are there five new ones? Disputed; variants.h counts each limit by itself, as one server does: five.
// (leveluplounge.net/checkers-how-do-the-different-draw-rules-interact-with-each-other-in-international-checkers)
Test(balance, two_pieces_against_a_king_get_five_new_moves) {
    const struct draw_rules draws = without_repetition(variant_named("international")->rules->draws);
    struct game game = game_from("international", "W:WK46,K47,K48:BK3", &draws);
    play_all(&game, "47-38 3-9 46-23 9-22 38-24 22-17 48-31 17-39 24-38 39-17 31-42 17-22 38-15 22-6 "
                    "42-31 6-1 31-18 1-6 18-13 6-17 15-20 17-39 13-18 39-17 20-33");
    cr_assert_eq(game_plies_to_limit(&game), 32 - 25);
    play(&game, "17x39");
    cr_assert_eq(game_plies_to_limit(&game), 10);
    game_free(&game);
}

Test(balance, sixteen_moves_each_for_three_against_one) {
    const struct draw_rules draws = without_repetition(variant_named("international")->rules->draws);
    struct game game = game_from("international", "W:WK1,K7,K2:BK50", &draws);
    play_times(&game, 8, "1-6 50-45 6-1 45-50");
    cr_assert_eq(game_drawn(&game), GAME_BALANCE);
    int result = 9;
    cr_assert_eq(game_over(&game, &result), GAME_BALANCE);
    cr_assert_eq(result, 0);
    game_undo(&game);
    cr_assert_eq(game_drawn(&game), GAME_GOES_ON, "at ply 31");
    game_free(&game);
}

// The move that makes the balance is not counted; king and man against king counts as two pieces.
Test(balance, five_moves_each_after_the_move_that_makes_it) {
    const struct draw_rules draws = without_repetition(variant_named("international")->rules->draws);
    struct game game = game_from("international", "W:WK1,26:B8,K50", &draws);
    cr_assert_not(game.plies[0].under[0], "Black has two pieces");
    play_all(&game, "26-21 8-12 1x18");
    cr_assert(game.plies[game.ply].under[0]);
    cr_assert_eq(game.plies[game.ply].balance[0], 0);
    play_times(&game, 2, "50-44 18-12 44-50 12-18");
    play(&game, "50-44");
    cr_assert_eq(game_drawn(&game), GAME_GOES_ON, "after nine plies");
    play(&game, "18-12");
    cr_assert_eq(game_drawn(&game), GAME_BALANCE);
    game_free(&game);
}

// FMJD-64 7.2.8: what changes within the two pieces does not start the count again.
Test(balance, never_started_again) {
    struct game game = game_from("russian", "W:WKa1,g7:BKh2", NULL);
    play_all(&game, "a1-b2 h2-g1 b2-a1 g1-h2");
    cr_assert_eq(game.plies[game.ply].balance[0], 4);
    play(&game, "g7-h8");
    cr_assert_eq(game.plies[game.ply].balance[0], 5, "crowned, but still two pieces against a king");
    game_free(&game);
}

// 7.2.7: three pieces against a king on the main road, which is a1-h8 and nothing else.
Test(balance, main_road) {
    struct game game = game_from("russian", "B:WKg1,Kh2,Kh4:BKa1", NULL);
    cr_assert(game.plies[0].under[1]);
    cr_assert(game.plies[0].under[2], "three kings against one, on the road or not");
    play_all(&game, "a1-h8 h4-g5 h8-a1 g5-h4");
    cr_assert_eq(game.plies[game.ply].balance[1], 4);
    cr_assert_eq(game.plies[game.ply].balance[2], 4);
    game_free(&game);

    game = game_from("russian", "B:WKg1,Kh2,Kh4:BKa3", NULL);
    cr_assert_not(game.plies[0].under[1]);
    play(&game, "a3-b2");
    cr_assert(game.plies[game.ply].under[1]);
    cr_assert_eq(game.plies[game.ply].balance[1], 0);
    play(&game, "h4-g5");
    cr_assert_eq(game.plies[game.ply].balance[1], 1);
    game_free(&game);
}

Test(balance, leaving_the_main_road_ends_the_count) {
    struct game game = game_from("russian", "B:WKg1,Kh2,Kh4:BKa1", NULL);
    play_all(&game, "a1-b2 h4-g5");
    cr_assert_eq(game.plies[game.ply].balance[1], 2);
    play(&game, "b2-a3");
    cr_assert_not(game.plies[game.ply].under[1]);
    cr_assert_eq(game.plies[game.ply].balance[1], 0);
    cr_assert_eq(game.plies[game.ply].balance[2], 3);
    game_free(&game);
}

// Every square of the road on both boards, by its name or number.
Test(balance, main_road_square_by_square) {
    const struct draw_rules draws = {
        .name = "federation",
        .limits = {{.balance = BALANCE_LONE_KING,
                    .min_pieces = 1,
                    .max_pieces = 1,
                    .min_kings = 1,
                    .on_main_road = true,
                    .plies = 10}},
    };
    static const char *const road[] = {"a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8"};
    int on_road = 0;
    for (size_t i = 0; i < 8; i++) {
        char *fen = memory_text("W:WK%s:BKa3", road[i]);
        struct game game = game_from("brazilian", fen, &draws);
        on_road += game.plies[0].under[0];
        game_free(&game);
        free(fen);
    }
    cr_assert_eq(on_road, 8);
    on_road = 0;
    for (int n = 1; n <= 50; n++) {
        if (n == 6) continue;
        char *fen = memory_text("W:WK%d:BK6", n);
        struct game game = game_from("international", fen, &draws);
        cr_assert_eq(game.plies[0].under[0], n == 46 || n == 41 || n == 37 || n == 32 || n == 28 || n == 23 ||
                                                 n == 19 || n == 14 || n == 10 || n == 5);
        on_road += game.plies[0].under[0];
        game_free(&game);
        free(fen);
    }
    cr_assert_eq(on_road, 10);
}

// FMJD-64 7.2.6: 4 or 5 pieces with kings on both sides and the balance unchanged: 30 moves, here of each
// side; whether in all or each is disputed. A promotion changes the balance.
// (lidraughts.org/forum/general-draughts-discussion/blog-Xuju_hAAACMAAyKu)
Test(balance, kings_on_both_sides_start_again_with_a_promotion) {
    struct game game = game_from("russian", "W:WKa1,g7,a3:BKh2,h4", NULL);
    enum { KINGS_OF_BOTH = 3 };
    cr_assert_eq(game.draws.limits[KINGS_OF_BOTH].balance, BALANCE_KINGS_BOTH);
    cr_assert_eq(game.draws.limits[KINGS_OF_BOTH].plies, 60);
    cr_assert(game.plies[0].under[KINGS_OF_BOTH]);
    play_all(&game, "a1-b2 h2-g1 a3-b4 g1-h2");
    cr_assert_eq(game.plies[game.ply].balance[KINGS_OF_BOTH], 4, "a man's move leaves the balance as it is");
    cr_assert_eq(game.plies[game.ply].no_progress, 1);
    play(&game, "g7-f8");
    cr_assert_eq(game.plies[game.ply].balance[KINGS_OF_BOTH], 0);
    cr_assert(game.plies[game.ply].under[KINGS_OF_BOTH]);
    game.plies[game.ply].balance[KINGS_OF_BOTH] = 58;
    play(&game, "h2-g1");
    cr_assert_eq(game_drawn(&game), GAME_GOES_ON);
    play(&game, "b2-a1");
    cr_assert_eq(game_drawn(&game), GAME_BALANCE);
    game_free(&game);
}

// FRIS 18: two kings against one, 7 moves each; 21: king against king, 2 moves each as servers read it.
Test(balance, frisian_endings) {
    const struct draw_rules draws = without_repetition(variant_named("frisian")->rules->draws);
    struct game game = game_from("frisian", "W:WK46,K47:BK3", &draws);
    cr_assert_eq(game_plies_to_limit(&game), 14);
    game_free(&game);
    game = game_from("frisian", "W:WK46:BK3", &draws);
    cr_assert_eq(game_plies_to_limit(&game), 4);
    game_free(&game);
    game = game_from("frisian", "W:WK46,47:BK3", &draws);
    cr_assert_eq(game_plies_to_limit(&game), 100, "a king and a man are not limited");
    game_free(&game);
}

// ---- the end of the game ----

// (fid.it/corsi/10regoleita.asp)
Test(over, blocked_is_lost) {
    struct game game = game_from("italian", "W:W32:B28,K27", NULL);
    int result = 9;
    cr_assert_eq(game_over(&game, &result), GAME_GOES_ON);
    game_free(&game);

    game = game_from("american", "W:W32:B28,24,27", NULL);
    cr_assert_eq(game_over(&game, &result), GAME_GOES_ON, "it can capture");
    game_free(&game);

    game = game_from("american", "W:W28:B24,19", NULL);
    cr_assert_eq(game_over(&game, &result), GAME_BLOCKED);
    cr_assert_eq(result, -1);
    game_free(&game);
}

// Only the side to move can be blocked. (github.com/ImparaAI/checkers/pull/12)
Test(over, a_side_that_is_not_to_move_is_not_blocked) {
    struct game game = game_from("american", "B:W28:B24,19", NULL);
    int result = 9;
    cr_assert_eq(game_over(&game, &result), GAME_GOES_ON);
    cr_assert_eq(result, 9, "no result yet");
    game_free(&game);
}

Test(over, no_pieces_is_lost) {
    struct game game = game_from("international", "B:W50:B", NULL);
    int result = 9;
    cr_assert_eq(game_over(&game, &result), GAME_NO_PIECES);
    cr_assert_eq(result, 1);
    game_free(&game);
}

// A win on the board stands, whatever the counters say.
Test(over, a_win_comes_before_a_draw) {
    struct game game = game_from("american", "W:W28:B24,19", NULL);
    game.plies[0].no_progress = 80;
    int result = 9;
    cr_assert_eq(game_drawn(&game), GAME_NO_PROGRESS);
    cr_assert_eq(game_over(&game, &result), GAME_BLOCKED);
    cr_assert_eq(result, -1);
    game_free(&game);
}

Test(over, losing_games_turn_the_result_round) {
    struct game game = game_from("american", "W:W28:B24,19", NULL);
    struct rules rules = *game.variant->rules;
    rules.goal = NO_MOVE_WINS;
    struct variant giveaway = *game.variant;
    giveaway.rules = &rules;
    game.variant = &giveaway;
    int result = 9;
    cr_assert_eq(game_over(&game, &result), GAME_BLOCKED);
    cr_assert_eq(result, 1);
    game_free(&game);
}

// FRIS 17: the king that moved three times in a row may not move again while White has a man, so the history
// is part of the position. (miskibin.github.io/py-draughts/frisian.html)
Test(over, frisian_king_limit_is_kept_in_the_game) {
    struct game game = game_from("frisian", "W:WK49,35:B1,5", NULL);
    play_all(&game, "49-43 1-6 43-49 6-11 49-43 11-16");
    struct move_list *list = legal_moves(&game);
    char text[MOVE_TEXT_SIZE];
    cr_assert_eq(list->count, 1);
    move_to_text(game.variant, game_position(&game), list, list->moves[0], text);
    cr_assert_str_eq(text, "35-30");
    free(list);
    game_free(&game);
}

Test(over, every_termination_has_a_name) {
    for (int i = 0; i < TERMINATION_COUNT; i++) cr_assert(termination_names[i] && *termination_names[i]);
}

// ---- random games against a slow recount ----

struct played {
    struct move moves[RANDOM_PLIES];
    struct position before[RANDOM_PLIES + 1];  // before[n]: after n moves
    int count;
};

static int recounted_occurrences(const struct played *played) {
    int times = 0;
    for (int i = 0; i <= played->count; i++)
        times += position_equal(&played->before[i], &played->before[played->count]);
    return times;
}

static bool is_progress(const struct played *played, int ply, enum progress_reading progress) {
    const struct move move = played->moves[ply];
    const bool man = !(played->before[ply].kings & square_bit(move.from));
    return move.captured || move.crowned || (man && progress == PROGRESS_CAPTURE_OR_MAN_MOVE);
}

static int recounted_no_progress(const struct played *played, enum progress_reading progress) {
    int plies = 0;
    for (int i = played->count - 1; i >= 0 && !is_progress(played, i, progress); i--) plies++;
    return plies;
}

static void count_pieces(const struct position *p, enum side side, int *men, int *kings) {
    *men = *kings = 0;
    for (int s = 0; s < 64; s++) {
        if (!(p->pieces[side] & square_bit((square)s))) continue;
        if (p->kings & square_bit((square)s))
            ++*kings;
        else
            ++*men;
    }
}

static bool lone_king_stands(const struct position *p, enum side lone, const struct balance_limit *limit,
                             int width) {
    int men, kings, other_men, other_kings;
    count_pieces(p, lone, &men, &kings);
    count_pieces(p, other_side(lone), &other_men, &other_kings);
    if (men != 0 || kings != 1) return false;
    if (other_men + other_kings < limit->min_pieces || other_men + other_kings > limit->max_pieces)
        return false;
    if (other_kings < limit->min_kings || other_men > limit->max_men) return false;
    if (!limit->on_main_road) return true;
    const square s = bits_first(p->pieces[lone]);
    return board_file(width, s) + board_rank_from_top(width, s) == width - 1;
}

static bool stands(const struct position *p, const struct balance_limit *limit, int width) {
    if (limit->balance == BALANCE_LONE_KING)
        return lone_king_stands(p, WHITE, limit, width) || lone_king_stands(p, BLACK, limit, width);
    int men[2], kings[2];
    for (int side = WHITE; side <= BLACK; side++) count_pieces(p, (enum side)side, &men[side], &kings[side]);
    const int all = men[WHITE] + men[BLACK] + kings[WHITE] + kings[BLACK];
    return kings[WHITE] && kings[BLACK] && all >= limit->min_pieces && all <= limit->max_pieces;
}

// Moves since the balance came about, or since it started again.
static int recounted_balance(const struct played *played, const struct balance_limit *limit, int width) {
    int plies = 0;
    for (int i = played->count - 1; i >= 0; i--) {
        if (!stands(&played->before[i], limit, width)) break;
        if (limit->restarts && (played->moves[i].captured || played->moves[i].crowned)) break;
        plies++;
    }
    return plies;
}

static void check_counters(const struct game *game, const struct played *played) {
    const struct game_ply *now = &game->plies[game->ply];
    const int width = game->variant->rules->width;
    cr_assert_eq(game_occurrences(game), recounted_occurrences(played));
    cr_assert_eq(now->no_progress, recounted_no_progress(played, game->draws.progress));
    cr_assert_eq(now->key, position_key(&now->position));
    int least = game->draws.no_progress_plies ? game->draws.no_progress_plies - now->no_progress : INT_MAX;
    for (int i = 0; i < MAX_BALANCE_LIMITS && game->draws.limits[i].plies; i++) {
        const struct balance_limit *limit = &game->draws.limits[i];
        cr_assert_eq(now->under[i], stands(&now->position, limit, width), "%s limit %d", game->variant->name,
                     i);
        if (!now->under[i]) continue;
        const int plies = recounted_balance(played, limit, width);
        cr_assert_eq(now->balance[i], plies, "%s limit %d", game->variant->name, i);
        if (limit->plies - plies < least) least = limit->plies - plies;
    }
    cr_assert_eq(game_plies_to_limit(game), least);
    cr_assert_eq(game_drawn(game) == GAME_GOES_ON,
                 least > 0 &&
                     (!game->draws.repetitions || recounted_occurrences(played) < game->draws.repetitions));
}

// Few pieces, most of them kings: draw rules have nothing to count elsewhere.
static struct position ending(const struct rules *rules, struct splitmix *random) {
    struct position p = {.turn = (uint8_t)splitmix_below(random, 2)};
    for (int side = WHITE; side <= BLACK; side++) {
        for (int i = splitmix_below(random, 4); i >= 0; i--) {
            const square s =
                board_square(rules->width, 1 + splitmix_below(random, board_squares(rules->width)));
            if ((p.pieces[WHITE] | p.pieces[BLACK]) & square_bit(s)) continue;
            p.pieces[side] |= square_bit(s);
            if (splitmix_below(random, 3) || board_crown_row(rules->width, (enum side)side) & square_bit(s))
                p.kings |= square_bit(s);
        }
    }
    return p;
}

// Moves back and forth are likely, so that positions repeat.
static struct move choose(const struct played *played, const struct move_list *list,
                          struct splitmix *random) {
    const int count = played->count;
    if (count >= 2 && splitmix_below(random, 2))
        for (int i = 0; i < list->count; i++)
            if (list->moves[i].from == played->moves[count - 2].to &&
                list->moves[i].to == played->moves[count - 2].from)
                return list->moves[i];
    return list->moves[splitmix_below(random, list->count)];
}

static void play_random_game(const struct variant *variant, const struct draw_rules *draws,
                             struct splitmix *random, struct move_list *list, int seen[TERMINATION_COUNT]) {
    const struct position start = ending(variant->rules, random);
    struct played played = {.before = {start}};
    struct game game, copy;
    game_init(&game, variant, draws, &start);
    while (played.count < RANDOM_PLIES) {
        check_counters(&game, &played);
        int result;
        seen[game_over(&game, &result)]++;
        variant->generate(game_position(&game), list);
        if (!list->count) break;
        played.moves[played.count] = choose(&played, list, random);
        game_play(&game, played.moves[played.count++]);
        played.before[played.count] = *game_position(&game);
    }
    game_copy(&copy, &game);
    check_counters(&copy, &played);
    while (played.count > 0) {
        game_undo(&copy);
        played.count--;
        check_counters(&copy, &played);
    }
    cr_assert(position_equal(game_position(&copy), &start));
    game_free(&copy);
    game_free(&game);
}

Test(random_games, counters_equal_a_recount, .timeout = 3600) {
    struct move_list *list = memory_new(1, sizeof *list);
    int seen[TERMINATION_COUNT] = {0};
    const struct draw_rules simple = draws_simple(10, PROGRESS_CAPTURE_OR_CROWNING);
    for (int i = 0; i < variant_count; i++)
        for (int g = 0; g < RANDOM_GAMES; g++) {
            struct splitmix random = splitmix_of(variants[i].name, (uint64_t)g);
            play_random_game(&variants[i], g % 3 ? NULL : &simple, &random, list, seen);
        }
    for (int i = GAME_GOES_ON; i <= GAME_BALANCE; i++)
        cr_assert_gt(seen[i], 0, "never seen: %s", termination_names[i]);
    free(list);
}
