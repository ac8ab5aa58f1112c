// test_play.c -- what people see and meet at huff play: boards as drawn, moves as typed, levels of strength.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/support/memory.h"
#include "core/support/random.h"
#include "search/board_view.h"
#include "search/levels.h"
#include "search/move_input.h"
#include "tests/named.h"
#include "tests/table.h"

// ---- boards ----

static char *drawing(const struct board_view *view, const char *fen) {
    const struct position p = position_of(view->variant, fen);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    board_view_draw(view, &p, 0, out);
    fclose(out);
    return text;
}

static void expect_line(const char *text, int number, const char *expected) {
    for (int i = 1; i < number; i++) {
        text = strchr(text, '\n');
        cr_assert(text, "no line %d", number);
        text++;
    }
    cr_expect(!strncmp(text, expected, strlen(expected)), "line %d: expected \"%s\", got \"%.60s\"", number,
              expected, text);
}

// The first and the last row as each game has it. Numbers: PDN 3.0, GameType; the corner at the left is dark
// or light as in square_on_official_board.
Test(play, boards_are_those_of_the_variant) {
    static const struct {
        const char *variant, *top, *bottom;
        bool common;
        enum side below;
    } rows[] = {
        {"spanish", "  +32---+-----+31---+-----+30---+-----+29---+",
         "  +-----+4----+-----+3----+-----+2----+-----+1", false, WHITE},
        {"spanish", "  +-----+29---+-----+30---+-----+31---+-----+32",
         "  +1----+-----+2----+-----+3----+-----+4----+", true, WHITE},
        {"italian", "  +1----+-----+2----+-----+3----+-----+4----+",
         "  +-----+29---+-----+30---+-----+31---+-----+32", false, WHITE},
        {"american", "  +-----+1----+-----+2----+-----+3----+-----+4",
         "  +29---+-----+30---+-----+31---+-----+32---+", false, WHITE},
        {"american", "  +-----+32---+-----+31---+-----+30---+-----+29",
         "  +4----+-----+3----+-----+2----+-----+1----+", true, BLACK},
        {"thai", "  +-----+32---+-----+31---+-----+30---+-----+29",
         "  +4----+-----+3----+-----+2----+-----+1----+", false, WHITE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct board_view view = {
            .variant = variant_named(rows[i].variant), .common = rows[i].common, .below = rows[i].below};
        char *text = drawing(&view, "start");
        expect_line(text, 1, rows[i].top);
        expect_line(text, 15, rows[i].bottom);
        free(text);
    }
}

Test(play, letters_stand_at_the_edges) {
    const struct variant *variant = variant_named("russian");
    struct board_view view = {.variant = variant, .below = WHITE};
    char *text = drawing(&view, "W:Wa1,Kc3:Bh8,Kb6");
    expect_line(text, 2, "  8 |:::::|     |:::::|     |:::::|     |:::::|  b  |\n");
    expect_line(text, 6, "  6 |:::::|  B  |:::::|     ");
    expect_line(text, 12, "  3 |     |:::::|  W  |:::::|");
    expect_line(text, 16, "  1 |  w  |:::::|");
    expect_line(text, 18, "       a     b     c     d     e     f     g     h\n");
    free(text);
    view.below = BLACK;
    text = drawing(&view, "W:Wa1,Kc3:Bh8,Kb6");
    expect_line(text, 2, "  1 |:::::|     |:::::|     |:::::|     |:::::|  w  |\n");
    expect_line(text, 18, "       h     g     f     e     d     c     b     a\n");
    free(text);
}

Test(play, the_side_that_begins_is_black_on_the_common_board) {
    struct board_view view = {
        .variant = variant_named("spanish"), .common = true, .below = WHITE, .utf8 = true};
    cr_expect_str_eq(board_view_side(&view, WHITE), "Black");
    cr_expect_str_eq(board_view_side(&view, BLACK), "White");
    char *text = drawing(&view, "W:W1:BK32");
    expect_line(text, 16, "  │  ●  │");
    expect_line(text, 2, "  │░░░░░│     │░░░░░│     │░░░░░│     │░░░░░│  ♔  │");
    free(text);
    view.variant = variant_named("american");
    cr_expect_str_eq(board_view_side(&view, BLACK), "Black");
}

// Every line of a drawing in colours ends with them off and has as many columns as any other.
Test(play, colours_end_with_the_line) {
    for (int v = 0; v < variant_count; v++) {
        const struct board_view view = {
            .variant = &variants[v], .below = WHITE, .colours = (enum view_colours)(1 + v % 2)};
        char *text = drawing(&view, "start");
        const size_t margin = variants[v].rules->names == ALGEBRAIC ? 4 : 2;
        const size_t columns = margin + 6 * (size_t)variants[v].rules->width;
        char *rest = text;
        for (int line = 0; line < 2 * variants[v].rules->width; line++) {
            const char *start = strsep(&rest, "\n");
            size_t shown = 0;
            for (const char *c = start; *c; c++) {
                if (*c == '\033')
                    c += strcspn(c, "m");
                else
                    shown++;
            }
            cr_expect_eq(shown, columns, "%s, line %d: %zu columns", variants[v].name, line + 1, shown);
            const size_t length = strlen(start);
            cr_expect(length > 4 && !strcmp(start + length - 4, "\033[0m"), "%s", variants[v].name);
        }
        free(text);
    }
}

Test(play, a_narrow_terminal_gets_a_narrow_board) {
    static const struct {
        const char *variant, *fen;
        int columns, line;
        const char *text;
    } rows[] = {
        {"russian", "W:Wa1,Kc3:Bh8,Kb6", 48 + 4 + 1, 2, "  8 |:::::|"},
        {"russian", "W:Wa1,Kc3:Bh8,Kb6", 48 + 4, 1, " 8   .   .   .   b\n"},
        {"russian", "W:Wa1,Kc3:Bh8,Kb6", 18, 9, "   a b c d e f g h\n"},
        {"russian", "W:Wa1,Kc3:Bh8,Kb6", 17, 1, "no room for a board: 17 columns, it needs 18\n"},
        {"spanish", "W:W4:BK20", 16, 1, " .   .   .   .  \n"},
        {"spanish", "W:W4:BK20", 16, 8, "   w   .   .   .\n"},
        {"international", "W:W50:BK46", 20, 10, " B   .   .   .   w  \n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct variant *variant = variant_named(rows[i].variant);
        const struct board_view view = {.variant = variant, .below = WHITE, .columns = rows[i].columns};
        char *text = drawing(&view, rows[i].fen);
        expect_line(text, rows[i].line, rows[i].text);
        free(text);
    }
}

// ---- moves ----

Test(play, moves_as_people_type_them) {
    static const struct {
        const char *variant, *fen, *text, *said;  // said: the move, or what is wrong
    } rows[] = {
        {"spanish", "start", "9 13", "9-13"},
        {"spanish", "start", "9\t \t13", "9-13"},
        {"spanish", "start", "09-13", "9-13"},
        {"russian", "start", "C3D4", "c3-d4"},
        {"russian", "start", "c3", "the piece on c3 may play: c3-b4, c3-d4"},
        {"spanish", "start", "1-5", "the piece on 1 cannot move"},
        {"spanish", "start", "13-17", "there is no piece on 13"},
        {"spanish", "start", "24-20", "the piece on 24 is not yours"},
        {"american", "B:B9,11:W14", "11-15", "you must capture: 9x18"},
        {"american+free", "B:B9,11:W14", "11-15", "11-15"},
        {"american", "B:B9,11:W14", "9 18", "9x18"},
        {"spanish", "W:W1:BK32", "x", "\"x\": expected a square to begin with"},
    };
    struct move_list *legal = memory_new(1, sizeof *legal);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct variant *variant = variant_named(rows[i].variant);
        const struct position p = position_of(variant, rows[i].fen);
        struct move move;
        struct error error;
        char text[MOVE_TEXT_SIZE];
        variant->generate(&p, legal);
        const bool good = move_input_read(variant, &p, legal, rows[i].text, &move, &error);
        if (good) move_to_text(variant, &p, legal, move, text);
        cr_expect_str_eq(good ? text : error.text, rows[i].said, "%s: %s", rows[i].text,
                         good ? text : error.text);
    }
    free(legal);
}

Test(play, what_is_meant_as_a_move) {
    cr_expect(move_input_meant("9"));
    cr_expect(move_input_meant("c3-d4"));
    cr_expect(!move_input_meant("x9"));
    cr_expect(!move_input_meant("help"));
    cr_expect(!move_input_meant(""));
}

// ---- levels ----

static struct search *new_search(const struct variant *variant, const char *weights_name) {
    struct weights weights;
    struct error error;
    cr_assert(weights_get(weights_name, variant, &weights, &error), "%s", error.text);
    struct search *search = search_new(variant, &weights, 1);
    weights_free(&weights);
    cr_assert(search);
    return search;
}

// A level, or one of these: a move at random, or the best by material three plies deep.
enum { CHANCE = -1, SEES_THREE_PLIES = -2 };

static struct move choose(int level, struct search *search, struct game *game, struct random *random) {
    struct search_result result;
    if (level >= 0) {
        level_think((enum level)level, search, game, 0.01, random, NULL, &result);
        return result.best;
    }
    if (level == SEES_THREE_PLIES) {
        const struct search_limits limits = {.depth = 3, .analysis = true};
        search_clear(search);
        search_think(search, game, &limits, NULL, NULL, NULL, &result);
        return result.best;
    }
    struct move_list *legal = memory_new(1, sizeof *legal);
    game->variant->generate(game_position(game), legal);
    const struct move move = legal->moves[random_below(random, (uint64_t)legal->count)];
    free(legal);
    return move;
}

// Points of `white` in a game: 2, 1 or 0. Levels evaluate by the weights of the program.
static int play(const struct variant *variant, int white, int black, uint64_t seed) {
    const int player[2] = {[WHITE] = white, [BLACK] = black};
    struct search *search[2];
    for (int side = WHITE; side <= BLACK; side++)
        search[side] = new_search(variant, player[side] >= 0 ? NULL : "material");
    struct random random = random_stream(seed, 0);
    struct game game;
    const struct position start = variant_initial(variant);
    int result;
    game_init(&game, variant, NULL, &start);
    while (game_over(&game, &result) == GAME_GOES_ON) {
        const enum side turn = position_turn(game_position(&game));
        game_play(&game, choose(player[turn], search[turn], &game, &random));
    }
    game_free(&game);
    for (int side = WHITE; side <= BLACK; side++) search_free(search[side]);
    return 1 + result;
}

// Points of `better` in games with both colours.
static int match(int better, int worse, const char *const *names, int count) {
    int points = 0;
    for (int i = 0; i < count; i++) {
        const struct variant *variant = variant_named(names[i]);
        points += play(variant, better, worse, (uint64_t)i) + 2 - play(variant, worse, better, (uint64_t)i);
    }
    return points;
}

Test(play, a_level_is_stronger_than_the_one_below) {
    static const char *const names[] = {"spanish", "russian", "american", "pool",   "international",
                                        "italian", "thai",    "czech",    "killer", "frisian"};
    enum { COUNT = sizeof names / sizeof *names };
    const int easy = match(LEVEL_EASY, CHANCE, names, COUNT),
              medium = match(LEVEL_MEDIUM, LEVEL_EASY, names, COUNT),
              beginner = match(SEES_THREE_PLIES, LEVEL_EASY, names, COUNT);
    cr_expect_geq(easy, 4 * COUNT - 4, "easy against chance: %d of %d", easy, 4 * COUNT);
    cr_expect_geq(beginner, 4 * COUNT * 3 / 4, "three plies against easy: %d of %d", beginner, 4 * COUNT);
    cr_expect_geq(medium, 4 * COUNT * 3 / 4, "medium against easy: %d of %d", medium, 4 * COUNT);
}

// Where some moves give a man away and others do not, easy plays any of the others, as the random numbers
// say.
Test(play, easy_gives_nothing_away) {
    enum { TIMES = 60 };
    static const struct {
        const char *variant, *fen, *losing;
    } rows[] = {
        {"spanish", "W:W14,1,2:B22,30,31", "14-18 14-19"},
        {"american", "B:B10,1,2:W19,31,30", "10-15"},
    };
    struct move_list *legal = memory_new(1, sizeof *legal);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct variant *variant = variant_named(rows[i].variant);
        const struct position p = position_of(variant, rows[i].fen);
        struct search *search = new_search(variant, "material");
        struct random random = random_stream(1, 0);
        struct game game;
        game_init(&game, variant, NULL, &p);
        variant->generate(&p, legal);
        struct move first = {0};
        bool varies = false;
        for (int n = 0; n < TIMES; n++) {
            const struct move move = choose(LEVEL_EASY, search, &game, &random);
            char text[MOVE_TEXT_SIZE];
            move_to_text(variant, &p, legal, move, text);
            cr_expect(!strstr(rows[i].losing, text), "%s: %s", rows[i].fen, text);
            if (n == 0) first = move;
            varies = varies || !move_equal(first, move);
        }
        cr_expect(varies, "%s", rows[i].fen);
        game_free(&game);
        search_free(search);
    }
    free(legal);
}
