// test_hub.c -- Hub lines in both directions, levels, positions with moves, scores, and the time to think.
#include "search/hub.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/support/memory.h"
#include "core/support/random.h"
#include "search/budget.h"
#include "search/search.h"
#include "tests/named.h"
#include "tests/table.h"

static struct hub_line line_of(const char *text) {
    struct hub_line line = {0};
    struct error error;
    cr_assert(hub_read(text, strlen(text), &line, &error), "%s: %s", text, error.text);
    return line;
}

// The line as "command|name=value|name=value", whatever it looked like.
static char *normal_form(const struct hub_line *line) {
    char *text = memory_text("%s", line->command);
    for (int i = 0; i < line->count; i++) {
        char *longer = memory_text("%s|%s=%s", text, line->arguments[i].name, line->arguments[i].value);
        free(text);
        text = longer;
    }
    return text;
}

// ---- reading ----

Test(hub, lines_are_taken_apart) {
    static const struct {
        const char *text, *expected;
    } rows[] = {
        {"", ""},
        {"  \t\r", ""},
        {"wait", "wait"},
        {"    wait  ", "wait"},
        {"ping\r", "ping"},
        {"id name=Scan version=3.1 author=\"Fabien Letouzey\" country=France",
         "id|name=Scan|version=3.1|author=Fabien Letouzey|country=France"},
        {"param name=variant value=normal type=enum values=\"normal killer bt frisian losing\"",
         "param|name=variant|value=normal|type=enum|values=normal killer bt frisian losing"},
        {"param name=weights value=\"\" type=string", "param|name=weights|value=|type=string"},
        {"level infinite", "level|infinite="},
        {"level moves=9 time=291.587", "level|moves=9|time=291.587"},
        {"go think", "go|think="},
        {"a b = c d", "a|b=c|d="},
        {"a b= \"c d\" e =\"f=g\"", "a|b=c d|e=f=g"},
        {"a b=\"c\"d=e", "a|b=c|d=e"},
        {"a b c=d", "a|b=|c=d"},
        {"a b \t c", "a|b=|c="},
        {"info score=-0.01 pv=\"32-28 17-22 28x17x22\"", "info|score=-0.01|pv=32-28 17-22 28x17x22"},
        {"id name=D\xc3\xa4mchen", "id|name=D\xc3\xa4mchen"},
        {"a 1=2 1=3", "a|1=2|1=3"},
        {"a x=\"tab\there\"", "a|x=tab\there"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hub_line line = line_of(rows[i].text);
        char *text = normal_form(&line);
        cr_expect_str_eq(text, rows[i].expected, "%s: %s", rows[i].text, text);
        free(text);
        hub_line_free(&line);
    }
}

Test(hub, bad_lines_are_refused) {
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"=", "expected a name"},         {"\"hub\"", "expected a name"}, {"hub=3", "unexpected \"=3\""},
        {"a b=", "expected a value"},     {"a b= ", "expected a value"},  {"a =b", "expected a name"},
        {"a b=c=d", "unexpected \"=d\""}, {"a b=c\"d\"", "unexpected"},   {"a b\"c\"", "unexpected"},
        {"a b==c", "b: expected a name"}, {"a b=\"c", "not closed"},      {"a b=\"", "not closed"},
        {"a \x01", "expected a name"},    {"a b\x7f", "unexpected"},
    };
    struct hub_line line = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error error = {""};
        cr_expect(!hub_read(rows[i].text, strlen(rows[i].text), &line, &error), "%s", rows[i].text);
        cr_expect(strstr(error.text, rows[i].error), "%s: %s", rows[i].text, error.text);
    }
    struct error error;
    cr_expect(!hub_read("a\0b", 3, &line, &error) && strstr(error.text, "zero byte"));
    hub_line_free(&line);
}

Test(hub, lines_may_be_long_but_not_endless) {
    struct hub_line line = {0};
    struct error error;
    char *text = memory_new(HUB_LINE_LIMIT + 1, 1);
    memset(text, 'a', HUB_LINE_LIMIT + 1);
    for (int i = 1; i < HUB_LINE_LIMIT; i += 2) text[i] = ' ';
    cr_assert(hub_read(text, HUB_LINE_LIMIT, &line, &error));
    cr_expect_eq(line.count, HUB_LINE_LIMIT / 2 - 1);
    cr_expect(!hub_read(text, HUB_LINE_LIMIT + 1, &line, &error));
    cr_expect_eq(line.count, 0, "nothing of a line that is refused stays");
    free(text);
    hub_line_free(&line);
}

// ---- writing ----

Test(hub, values_are_quoted_where_they_must_be) {
    static const struct {
        const char *value, *written;
    } rows[] = {
        {"1", "a b=1"},          {"", "a b=\"\""},        {"c d", "a b=\"c d\""},
        {"c=d", "a b=\"c=d\""},  {"c\"d", "a b=\"c'd\""}, {"c\nd", "a b=\"c?d\""},
        {"c\x7f", "a b=\"c?\""}, {"32-28", "a b=32-28"},  {"\xc3\xa4", "a b=\xc3\xa4"},
    };
    struct hub_text text = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hub_begin(&text, "a");
        hub_add(&text, "b", "%s", rows[i].value);
        cr_expect_str_eq(text.text, rows[i].written);
        struct hub_line line = line_of(text.text);
        cr_expect_eq(line.count, 1);
        hub_line_free(&line);
    }
    hub_text_free(&text);
}

// ---- level ----

Test(hub, levels) {
    static const struct {
        const char *text, *written;
    } rows[] = {
        {"level depth=12", "level depth=12"},
        {"level nodes=1000000", "level nodes=1000000"},
        {"level move-time=1.5", "level move-time=1.500"},
        {"level move-time=2", "level move-time=2.000"},
        {"level time=300", "level time=300.000"},
        {"level moves=9 time=291.587", "level moves=9 time=291.587"},
        {"level inc=0.1 time=60", "level time=60.000 inc=0.100"},
        {"level infinite", "level infinite"},
        {"level time=-3", "level time=0.001"},
        {"level depth=5 nodes=9 move-time=1 moves=3 time=4 inc=1 infinite",
         "level depth=5 nodes=9 move-time=1.000 moves=3 time=4.000 inc=1.000 infinite"},
        {"level depth=0 time=4 handicap=2", "level time=4.000"},
    };
    struct hub_text text = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hub_line line = line_of(rows[i].text);
        struct hub_level level = {0};
        struct error error;
        cr_assert(hub_level_read(&line, &level, &error), "%s: %s", rows[i].text, error.text);
        hub_level_write(&text, &level);
        cr_expect_str_eq(text.text, rows[i].written, "%s: %s", rows[i].text, text.text);
        hub_line_free(&line);
    }
    hub_text_free(&text);
}

Test(hub, levels_that_are_refused) {
    static const char *const rows[] = {
        "level",
        "level depth=x",
        "level depth=-1",
        "level nodes=1e6",
        "level nodes=",
        "level depth=0",
        "level time=abc",
        "level time=nan",
        "level time=inf",
        "level time=1e300",
        "level inc=-1 time=5",
        "level move-time=0",
        "level move-time=-1",
        "level moves=3",
        "level moves=-1 time=5",
        "level depth=99999999999999999999",
        "level time=5s",
        "level fast",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hub_line line = {0};
        struct hub_level level = {.depth = 3}, before = {0};
        struct error error = {""};
        level = before;
        const bool parsed = hub_read(rows[i], strlen(rows[i]), &line, &error);
        cr_expect(!parsed || !hub_level_read(&line, &level, &error), "%s", rows[i]);
        cr_expect(*error.text && !level.depth && !level.clock && level.move_time <= 0, "%s", rows[i]);
        hub_line_free(&line);
    }
}

Test(hub, several_level_lines_add_up) {
    struct hub_level level = {0};
    struct error error;
    struct hub_line line = line_of("level depth=7");
    cr_assert(hub_level_read(&line, &level, &error));
    hub_line_free(&line);
    line = line_of("level move-time=2");
    cr_assert(hub_level_read(&line, &level, &error));
    hub_line_free(&line);
    cr_expect_eq(level.depth, 7);
    cr_expect_float_eq(level.move_time, 2, 1e-9);
}

// ---- pos ----

static struct game game_of(const struct variant *variant, const char *text) {
    struct hub_line line = line_of(text);
    struct game game;
    struct error error;
    cr_assert(hub_pos_read(&line, variant, &game, &error), "%s: %s", text, error.text);
    hub_line_free(&line);
    return game;
}

Test(hub, positions_with_moves) {
    static const struct {
        const char *variant, *text, *position;
    } rows[] = {
        {"international", "pos pos=Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww",
         "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww"},
        {"international", "pos start", "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww"},
        {"international", "pos pos=start moves=\" 32-28  17-22 28x17x22 \"",
         "Bbbbbbbbbbbbbbbbbwbbbeeeeeeeeeewewwwwwwwwwwwwwwwwww"},
        {"international",
         "pos pos=BeeeWWeeeeeeeeeeeeeeeeeeeweeeeeeeeewweBeeeeeeeeeBee moves=\"38-15 5-41 48-26\"",
         "WeeeWeeeeeeeeeeBeeeeeeeeewBeeeeeeeewweeeeWeeeeeeeee"},
        {"spanish", "pos moves=\"\" pos=Wbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww",
         "Wbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww"},
        {"american", "pos start moves=\"11-15 22-18 15x22x18\"", "Wbbbbbbbbbbebeeeeeeeewbwwwwwwwwww"},
        {"russian", "pos start moves=21-17 other=thing", "Bbbbbbbbbbbbbeeeeweeeewwwwwwwwwww"},
        // Captured squares in any order are the same move.
        {"international", "pos pos=WeeeeeeWebeeeeeeeeBeeeeeeeeeeeeebeeeeeeBeeeeeeeeeee moves=7x16x18x32x39",
         "BeeeeeeeebeeeeeeWeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"},
        {"international", "pos pos=WeeeeeeWebeeeeeeeeBeeeeeeeeeeeeebeeeeeeBeeeeeeeeeee moves=7x16x39x18x32",
         "BeeeeeeeebeeeeeeWeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct variant *variant = variant_named(rows[i].variant);
        struct game game = game_of(variant, rows[i].text);
        char text[HUB_TEXT_SIZE];
        position_to_hub(variant, game_position(&game), text);
        cr_expect_str_eq(text, rows[i].position, "%s: %s", rows[i].text, text);
        game_free(&game);
    }
}

Test(hub, positions_that_are_refused) {
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"pos", "pos: expected pos="},
        {"pos moves=32-28", "pos: expected pos="},
        {"pos pos=W", "50 squares"},
        {"pos pos=Wbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww", "50 squares"},
        {"pos pos=Xbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww", "side to move"},
        {"pos pos=Wbbbbbbbbbbbbbbbbbbbbeeeeexeeeewwwwwwwwwwwwwwwwwwww", "square 26"},
        {"pos start moves=32-29", "moves: move 1: "},
        {"pos start moves=\"32-28 17-22 28x17\"", NULL},
        {"pos start moves=\"32-28 17-22 28x17x21\"", "moves: move 3: "},
        {"pos start moves=\"32-28 32-28\"", "moves: move 2: "},
        {"pos start moves=\"32-28 17-22 28-23\"", "moves: move 3: "},
        {"pos start moves=9999999999999999999999999999999999999999-1", "moves: move 1: "},
        {"pos start "
         "moves=1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1",
         "moves: move 1: "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hub_line line = line_of(rows[i].text);
        struct error error = {""};
        struct game game;
        const bool good = hub_pos_read(&line, variant_named("international"), &game, &error);
        cr_expect_eq(good, rows[i].error == NULL, "%s: %s", rows[i].text, error.text);
        if (good) game_free(&game);
        if (!good && rows[i].error)
            cr_expect(strstr(error.text, rows[i].error), "%s: %s", rows[i].text, error.text);
        hub_line_free(&line);
    }
}

static void expect_same_state(const struct game *a, const struct game *b) {
    const struct game_ply *p = &a->plies[a->ply], *q = &b->plies[b->ply];
    cr_expect(position_equal(&p->position, &q->position));
    cr_expect_eq(game_occurrences(a), game_occurrences(b));
    cr_expect_eq(game_drawn(a), game_drawn(b));
    cr_expect_eq(game_plies_to_limit(a), game_plies_to_limit(b));
    for (int i = 0; i < a->limit_count; i++) cr_expect_eq(p->balance[i], q->balance[i]);
}

static void expect_survives_pos(const struct game *game, const struct move *moves, struct hub_text *text) {
    hub_pos_write(text, game, moves);
    struct game read = game_of(game->variant, text->text);
    expect_same_state(game, &read);
    game_free(&read);
}

// Kings are made often enough in random play for repetitions and every counter to come up.
static int play_randomly(const struct variant *variant, uint64_t seed) {
    enum { MOST_PLIES = 150 };
    struct random random = random_stream(seed, 0);
    struct move_list *legal = memory_new(1, sizeof *legal);
    struct move moves[MOST_PLIES];
    struct hub_text text = {0};
    struct game game;
    const struct position start = variant_initial(variant);
    game_init(&game, variant, NULL, &start);
    while (game.ply < MOST_PLIES) {
        variant->generate(game_position(&game), legal);
        if (!legal->count) break;
        const uint64_t i = random_below(&random, (uint64_t)legal->count);
        moves[game.ply] = legal->moves[i];
        game_play(&game, legal->moves[i]);
        expect_survives_pos(&game, moves, &text);
    }
    const int plies = game.ply;
    hub_text_free(&text);
    game_free(&game);
    free(legal);
    return plies;
}

Test(hub, pos_tells_all_that_counts) {
    enum { GAMES = 4 };
    int plies = 0;
    for (int v = 0; v < variant_count; v++)
        for (uint64_t seed = 0; seed < GAMES; seed++) plies += play_randomly(&variants[v], seed);
    cr_expect_gt(plies, 20 * GAMES * variant_count);
}

// The king on 49 has made three quiet moves in a row, and Black's man moves say nothing of it.
Test(hub, pos_keeps_counts_that_a_position_does_not_show) {
    const struct variant *variant = variant_named("frisian");
    struct position start;
    struct error error;
    struct hub_text text = {0};
    struct move moves[6];
    struct move_list *legal = memory_new(1, sizeof *legal);
    struct game game;
    cr_assert(position_from_fen(variant, "W:WK49,35:B1,5", &start, &error), "%s", error.text);
    game_init(&game, variant, NULL, &start);
    static const char *const played[] = {"49-43", "1-6", "43-49", "6-11", "49-43", "11-16"};
    for (int i = 0; i < 6; i++) {
        variant->generate(game_position(&game), legal);
        cr_assert(move_from_hub(variant, legal, played[i], &moves[i], &error), "%s", error.text);
        game_play(&game, moves[i]);
    }
    hub_pos_write(&text, &game, moves);
    struct game read = game_of(variant, text.text);
    variant->generate(game_position(&read), legal);
    cr_expect_eq(legal->count, 1);
    game_free(&read);
    game_free(&game);
    hub_text_free(&text);
    free(legal);
}

Test(hub, pos_begins_where_nothing_counts_any_more) {
    const struct variant *variant = variant_named("international");
    struct game game = game_of(variant, "pos start");
    struct move_list *legal = memory_new(1, sizeof *legal);
    struct hub_text text = {0};
    struct error error;
    struct move move;
    variant->generate(game_position(&game), legal);
    cr_assert(move_from_hub(variant, legal, "32-28", &move, &error));
    game_play(&game, move);
    hub_pos_write(&text, &game, &move);
    cr_expect_str_eq(text.text, "pos pos=Bbbbbbbbbbbbbbbbbbbbbeeeeeeeweewewwwwwwwwwwwwwwwwww");
    game_free(&game);
    hub_text_free(&text);
    free(legal);
}

// ---- info, done, scores, names ----

Test(hub, infos) {
    static const struct {
        const char *text, *written;
    } rows[] = {
        {"info depth=21 mean-depth=20.8 score=-0.01 nodes=31261613 time=3.906 nps=8.0 pv=\"32-28 17-22\"",
         "info depth=21 score=-0.01 nodes=31261613 time=3.906 nps=8.000 pv=\"32-28 17-22\""},
        {"info", "info"},
        {"info score=0", "info score=0.00"},
        {"info score=nan depth=x nodes=-5 time=inf nps= other=1", NULL},
        {"info score=99.96 depth=3", "info depth=3 score=99.96"},
        {"info depth=1e99 nodes=1e99", "info depth=1000 nodes=1000000000000000000"},
        {"info score=x depth=-1 nodes=-5 time=-2", "info"},
    };
    struct hub_text text = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hub_line line = {0};
        struct error error;
        const bool good = hub_read(rows[i].text, strlen(rows[i].text), &line, &error);
        cr_expect_eq(good, rows[i].written != NULL, "%s", rows[i].text);
        const struct hub_info info = hub_info_read(&line);
        hub_info_write(&text, &info);
        if (good) cr_expect_str_eq(text.text, rows[i].written, "%s: %s", rows[i].text, text.text);
        hub_line_free(&line);
    }
    hub_text_free(&text);
}

Test(hub, scores) {
    static const struct {
        int score;
        double men;
    } rows[] = {
        {0, 0},
        {100, 1},
        {-137, -1.37},
        {8000, 80},
        {SCORE_WIN - 1, 99.99},
        {-(SCORE_WIN - 4), -99.96},
        {SCORE_WIN_FROM, 100 - MAX_SEARCH_PLY / 100.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_float_eq(hub_score_write(rows[i].score), rows[i].men, 1e-9);
        cr_expect_eq(hub_score_read(rows[i].men), rows[i].score, "%d", hub_score_read(rows[i].men));
    }
    cr_expect_float_eq(hub_score_write(SCORE_LIMIT), HUB_MOST_MEN, 1e-9);
    cr_expect_float_eq(hub_score_write(-SCORE_LIMIT), -HUB_MOST_MEN, 1e-9);
    cr_expect_eq(hub_score_read(1e300), SCORE_WIN);
    cr_expect_eq(hub_score_read(-1e300), -SCORE_WIN);
}

Test(hub, done) {
    const struct variant *variant = variant_named("international");
    struct game game = game_of(variant, "pos start moves=\"32-28 17-22\"");
    struct move_list *legal = memory_new(1, sizeof *legal);
    struct hub_text text = {0};
    variant->generate(game_position(&game), legal);
    cr_assert_eq(legal->count, 1);
    hub_done_write(&text, variant, &legal->moves[0], NULL);
    cr_expect_str_eq(text.text, "done move=28x17x22");
    hub_done_write(&text, variant, &legal->moves[0], &legal->moves[0]);
    cr_expect_str_eq(text.text, "done move=28x17x22 ponder=28x17x22");
    game_free(&game);
    hub_text_free(&text);
    free(legal);
}

Test(hub, names_of_variants) {
    struct error error;
    cr_expect_str_eq(hub_variant("normal", &error)->name, "international");
    cr_expect_str_eq(hub_variant("standard", &error)->name, "international");
    cr_expect_str_eq(hub_variant("english", &error)->name, "american");
    cr_expect_str_eq(hub_variant("Frisian", &error)->name, "frisian");
    cr_expect_null(hub_variant("losing", &error));
    cr_expect(strstr(error.text, "losing"));
}

// ---- the time to think ----

Test(budget, leaves_a_margin) {
    for (double remaining = 0.01; remaining < 1e5; remaining *= 1.7)
        for (int moves = 0; moves < 80; moves++)
            for (double increment = 0; increment < 100; increment = 3 * increment + 0.01) {
                const struct budget b = budget_of_clock(remaining, increment, moves);
                cr_assert(b.soft > 0 && b.soft <= b.hard);
                cr_assert(b.hard <= fmax(remaining - 0.05, 0.1 * remaining) + 1e-9);
            }
    for (double seconds = 0.01; seconds < 1e5; seconds *= 1.7) {
        const struct budget b = budget_of_move(seconds);
        cr_assert(b.hard < seconds && b.hard >= 0.75 * seconds - 1e-9 && b.soft >= b.hard);
    }
}

Test(budget, something_is_left_even_of_nothing) {
    static const double clocks[] = {-1e9, -1, 0, 1e-9, 0.001};
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
        for (int moves = 0; moves < 3; moves++) {
            const struct budget b = budget_of_clock(clocks[i], 0, moves);
            cr_expect(b.soft > 0 && b.soft <= b.hard && b.hard <= 0.001 + 1e-9);
        }
}

// A game in which every move takes as long as it may, and the machine `lag` on top.
static double least_clock(double time, double increment, int period, int moves, double lag) {
    double clock = time, least = INFINITY;
    for (int i = 0; i < moves; i++) {
        if (period && i && i % period == 0) clock += time;
        clock += increment;
        clock -= budget_of_clock(clock, increment, period ? period - i % period : 0).hard + lag;
        least = fmin(least, clock);
    }
    return least;
}

Test(budget, no_game_is_lost_on_time) {
    cr_expect_gt(least_clock(60, 0, 0, 120, 0.005), 0);
    cr_expect_gt(least_clock(10, 0.1, 0, 1000, 0.01), 0);
    cr_expect_gt(least_clock(1, 0.02, 0, 1000, 0.01), 0);
    cr_expect_gt(least_clock(1, 1, 0, 1000, 0.02), 0);
    cr_expect_gt(least_clock(0, 1, 0, 1000, 0.02), 0);
    cr_expect_gt(least_clock(7200, 0, 50, 200, 0.02), 0);
    cr_expect_gt(least_clock(10, 0, 40, 400, 0.01), 0);
    cr_expect_gt(least_clock(1, 0, 1, 400, 0.02), 0);
}

Test(budget, the_clock_is_used) {
    // With a minute for forty moves, the moves together should take most of it.
    double clock = 60;
    for (int i = 0; i < 40; i++) clock -= budget_of_clock(clock, 0, 40 - i).soft * 1.5;
    cr_expect_lt(clock, 30);
    cr_expect_gt(budget_of_clock(60, 10, 0).soft, budget_of_clock(60, 0, 0).soft);
    cr_expect_gt(budget_of_clock(60, 0, 5).soft, budget_of_clock(60, 0, 20).soft);
}
