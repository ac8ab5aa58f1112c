// test_adjudication.c -- which games are called, after which ply.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/memory.h"
#include "selfplay/playing.h"

enum { NONE = NO_SCORE };

// A game of which only the scores matter: White's view, White first.
static struct played_game game_with(const int *scores, int plies) {
    struct played_game game = {.plies = plies, .capacity = plies};
    game.ply = memory_new((size_t)plies + 1, sizeof *game.ply);
    for (int i = 0; i < plies; i++) game.ply[i].score = (int16_t)scores[i];
    return game;
}

// The ply after which the game is called, 0 for never; *result and *how are what it is called.
static int called_after(const struct adjudication *adjudication, const int *scores, int plies, int *result,
                        enum termination *how) {
    for (int n = 1; n <= plies; n++) {
        struct played_game game = game_with(scores, n);
        *how = adjudicate(adjudication, &game, result);
        played_game_free(&game);
        if (*how != GAME_GOES_ON) return n;
    }
    return 0;
}
#define CALLED_AFTER(adjudication, scores) \
    called_after(adjudication, scores, (int)(sizeof(scores) / sizeof *(scores)), &result, &how)

Test(adjudication, is_off_by_default) {
    const struct adjudication off = {0};
    const int scores[] = {0, 0, -9999, -9999, -9999, -9999, 0, 0, 0, 0, 9999, 9999, 9999, 9999};
    int result;
    enum termination how;
    cr_assert_eq(CALLED_AFTER(&off, scores), 0);
}

Test(adjudication, draws_when_both_agree_for_long_enough) {
    const struct adjudication draw = {.draw_moves = 3, .draw_plies = 4, .draw_score = 10};
    int result;
    enum termination how;
    const int even[] = {0, 0, 0, 0, 0, 0, 0};
    cr_assert_eq(CALLED_AFTER(&draw, even), 6);  // three moves by each side
    cr_assert(how == GAME_ADJUDICATED_DRAW && result == 0);
    const int from_the_book[] = {NONE, NONE, NONE, NONE, -10, 10, 5, -3, 0};
    cr_assert_eq(CALLED_AFTER(&draw, from_the_book), 8);
    const int one_disagrees[] = {0, 11, 0, 11, 0, 11, 0, 11, 0, 11, 0, 11};
    cr_assert_eq(CALLED_AFTER(&draw, one_disagrees), 0);
    const int interrupted_once[] = {0, 0, 0, 0, -11, 0, 0, 0, 0, 0};
    cr_assert_eq(CALLED_AFTER(&draw, interrupted_once), 9);
}

Test(adjudication, a_side_resigns_by_its_own_moves) {
    const struct adjudication resign = {.resign_moves = 3, .resign_score = 600};
    int result;
    enum termination how;
    // Black moves second, and what White thinks does not count.
    const int black_lost[] = {700, 599, 700, 600, 0, 650, 700, 700, 700};
    cr_assert_eq(CALLED_AFTER(&resign, black_lost), 8);
    cr_assert(how == GAME_ADJUDICATED_WIN && result == 1);
    const int white_lost[] = {NONE, NONE, -600, -100, -800, -100, -601, 0};
    cr_assert_eq(CALLED_AFTER(&resign, white_lost), 7);
    cr_assert(how == GAME_ADJUDICATED_WIN && result == -1);
    const int one_says_so[] = {900, 0, 900, 0, 900, 0, 900, 0, 900, 0};  // the one that wins
    cr_assert_eq(CALLED_AFTER(&resign, one_says_so), 0);
    const int recovers[] = {-900, 0, -900, 0, 0, 0, -900, 0, -900, 0, -900};
    cr_assert_eq(CALLED_AFTER(&resign, recovers), 11);
}

Test(adjudication, goes_by_the_side_that_begins) {
    const struct adjudication resign = {.resign_moves = 2, .resign_score = 600};
    const int scores[] = {-700, 700, -700, 700};
    struct played_game game = game_with(scores, 4);
    game.start.turn = BLACK;  // so that plies 1 and 3 are White's
    int result;
    cr_assert_eq(adjudicate(&resign, &game, &result), GAME_GOES_ON);
    for (int i = 0; i < game.plies; i++) game.ply[i].score = (int16_t)-scores[i];
    cr_assert_eq(adjudicate(&resign, &game, &result), GAME_ADJUDICATED_WIN);
    cr_assert_eq(result, -1);
    played_game_free(&game);
}

Test(adjudication, is_read_from_text) {
    struct adjudication read = {0};
    struct error error;
    cr_assert(adjudication_parse_draw("score=7,move=50", &read, &error), "%s", error.text);
    cr_assert(read.draw_moves == 50 && read.draw_plies == 8 && read.draw_score == 7);
    cr_assert(adjudication_parse_resign("moves=2,score=300", &read, &error), "%s", error.text);
    cr_assert(read.resign_moves == 2 && read.resign_score == 300);
    static const char *const bad[] = {"",        "move",     "move=",    "moves=3",
                                      "plies=1", "score=-1", "score=1,", "=3"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_assert_not(adjudication_parse_draw(bad[i], &read, &error), "\"%s\"", bad[i]);
    }
    cr_assert_not(adjudication_parse_resign("move=3", &read, &error));
    cr_assert(strstr(error.text, "expected moves=N,score=N, got \"move\"") != NULL, "%s", error.text);
    cr_assert_not(adjudication_parse_resign("moves=0", &read, &error));
}

// Of a game that is over: when it was called, or would have been.
Test(adjudication, is_found_in_games_that_are_over) {
    const struct adjudication draw = {.draw_moves = 1, .draw_plies = 3, .draw_score = 10};
    const int scores[] = {50, 0, 0, 0, 0, 900, 900};
    int result = 9;
    struct played_game game = game_with(scores, 7);
    game.termination = GAME_NO_PIECES;
    cr_expect(adjudication_called(&draw, &game, &result) == 4 && result == 0);
    game.plies = 4;  // the rules ended it there
    cr_expect(adjudication_called(&draw, &game, &result) == 0 && result == 0);
    game.termination = GAME_ADJUDICATED_DRAW;
    cr_expect_eq(adjudication_called(&draw, &game, &result), 4);
    const struct adjudication resign = {.resign_moves = 1, .resign_score = 800};
    game.plies = 7;
    game.termination = GAME_REPETITION;
    cr_expect(adjudication_called(&resign, &game, &result) == 6 && result == 1);  // Black is 900 behind
    cr_expect(adjudication_called(&(struct adjudication){0}, &game, &result) == 0);
    played_game_free(&game);
}
