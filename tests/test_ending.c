// test_ending.c -- known endings are won or held: tests/data/endings.tsv played out by the engine on both
// sides, by the rules of the game; and the solved endings follow from the rules.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/support/memory.h"
#include "search/ending.h"
#include "search/search.h"
#include "tests/named.h"
#include "tests/random_positions.h"
#include "tests/table.h"

enum {
    TABLE_MEGABYTES = 4,
    MOST_PLACEMENTS = 32 * 4960,  // three kings and one on 8x8
};

static struct search *search_of(const struct variant *variant) {
    struct weights weights;
    struct error error;
    cr_assert(weights_get(NULL, variant, &weights, &error), "%s", error.text);
    struct search *search = search_new(variant, &weights, TABLE_MEGABYTES);
    weights_free(&weights);
    return search;
}

static bitboard bit(int width, int number) { return square_bit(board_square(width, number)); }

// Solved with this many kings at most.
static int most_kings(int width) { return width == 8 ? 3 : 2; }

static struct position placement(bitboard kings, bitboard lone, enum side turn) {
    return (struct position){.pieces = {kings, lone}, .kings = kings | lone, .turn = (uint8_t)turn};
}

// ---- the solved endings ----

// The value of a position as its moves have it: won with the shortest of those after which the opponent has
// lost, lost with the longest when the opponent has won after all of them. Whoever has more kings.
static bool value_of_moves(const struct endings *endings, const struct variant *variant,
                           const struct position *p, int *plies, bool *won) {
    static struct move_list list;
    variant->generate(p, &list);
    int shortest = 1000, longest = -1, lost = 0;
    for (int i = 0; i < list.count; i++) {
        struct position next = *p;
        int after;
        bool next_won;
        variant->play(&next, list.moves[i]);
        if (!next.pieces[next.turn]) {
            after = 0;
            next_won = false;
        } else if (!endings_find(endings, &next, &after, &next_won)) {
            continue;
        }
        if (!next_won && after < shortest) shortest = after;
        if (next_won && after > longest) longest = after;
        lost += next_won;
    }
    *won = shortest < 1000;
    *plies = *won ? shortest + 1 : longest + 1;
    return *won || lost == list.count;
}

static struct position turned(int width, const struct position *p) {
    return (struct position){
        .pieces = {board_turned(width, p->pieces[BLACK]), board_turned(width, p->pieces[WHITE])},
        .kings = board_turned(width, p->kings),
        .turn = (uint8_t)other_side(position_turn(p)),
    };
}

static bitboard random_square(int width, struct splitmix *random) {
    return bit(width, 1 + splitmix_below(random, board_squares(width)));
}

// From here the game ends in just so many plies.
static void check_line(const struct variant *variant, const struct endings *endings, struct position p,
                       int plies) {
    struct move move;
    int played = 0;
    for (; endings_move(endings, &p, &move); played++) {
        variant->play(&p, move);
    }
    cr_assert_eq(played, plies);
    cr_assert_not(variant_can_move(variant, &p));
}

static void check_values(const char *name) {
    const struct variant *variant = variant_named(name);
    const int width = variant->rules->width;
    const struct endings *endings = endings_get(variant, NULL);
    struct splitmix random = splitmix_of(name, 0);
    int known = 0;
    for (int n = 0; n < 30000; n++) {
        bitboard strong = 0;
        for (int k = splitmix_below(&random, most_kings(width)); k >= 0; k--)
            strong |= random_square(width, &random);
        const bitboard lone = random_square(width, &random);
        if (strong & lone) continue;
        const struct position p = placement(strong, lone, splitmix_below(&random, 2) ? WHITE : BLACK),
                              q = turned(width, &p);
        int plies, plies_of_moves, plies_turned;
        bool won, won_by_moves, won_turned;
        const bool found = endings_find(endings, &p, &plies, &won);
        const bool known_by_moves = value_of_moves(endings, variant, &p, &plies_of_moves, &won_by_moves);
        cr_assert_eq(found, endings_find(endings, &q, &plies_turned, &won_turned), "%s: the other colours",
                     name);
        if (!found) {  // then at most the lone king may win, which the tables do not say
            cr_assert(!known_by_moves || won_by_moves == (position_turn(&p) == BLACK), "%s: not found", name);
            continue;
        }
        cr_assert(known_by_moves, "%s: found, but not by its moves", name);
        known++;
        cr_assert(plies == plies_of_moves && won == won_by_moves, "%s: %d and %d plies", name, plies,
                  plies_of_moves);
        cr_assert(plies == plies_turned && won == won_turned);
        if (n % 16 == 0) check_line(variant, endings, p, plies);
    }
    cr_assert_gt(known, 1000);
}

Test(ending, every_value_follows_from_those_of_its_moves, .timeout = 3600) {
    static const char *const names[] = {"spanish", "italian",  "brazilian",    "russian",
                                        "czech",   "american", "pool",         "thai",
                                        "killer",  "frisian",  "international"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) check_values(names[i]);
}

// ---- games ----

// What the table of endings says of a row, and what the games must show.
struct row {
    const struct variant *variant;
    const char *position;
    int result;  // White's
    int plies;   // won in at most so many
    uint64_t nodes;
};

struct played {
    int result, plies;
    bool claimed[2];  // by side: a search of its own said that it wins
};

static struct played play_out(struct search *search, const struct row *row, const struct position *p) {
    struct game game;
    struct played played = {0};
    game_init(&game, row->variant, NULL, p);
    search_clear(search);
    while (game_over(&game, &played.result) == GAME_GOES_ON) {
        struct search_result found;
        search_think(search, &game, &(struct search_limits){.nodes = row->nodes}, NULL, NULL, NULL, &found);
        if (found.score >= SCORE_WIN_FROM) played.claimed[position_turn(game_position(&game))] = true;
        game_play(&game, found.best);
    }
    played.plies = game.ply;
    game_free(&game);
    return played;
}

// Played out, it ends as it must: in time, and nobody thought that he would win who could not. Says what
// was wrong.
static bool comes_out(struct search *search, const struct row *row, const struct position *p) {
    const struct played played = play_out(search, row, p);
    const bool in_time = !row->result || played.plies <= row->plies;
    const bool claims =
        (row->result <= 0 && played.claimed[WHITE]) || (row->result >= 0 && played.claimed[BLACK]);
    if (played.result == row->result && in_time && !claims) return true;
    char fen[FEN_TEXT_SIZE];
    position_to_fen(row->variant, p, fen);
    fprintf(stderr, "%s %s (%s): result %d after %d plies instead of %d in %d%s\n", row->variant->name, fen,
            row->position, played.result, played.plies, row->result, row->plies,
            claims ? ", a wrong claim" : "");
    return false;
}

static int result_of(const char *text) {
    if (!strcmp(text, "1-0")) return 1;
    if (!strcmp(text, "0-1")) return -1;
    cr_assert_str_eq(text, "1/2");
    return 0;
}

static struct row row_of(const struct table *table, int i) {
    return (struct row){
        .variant = variant_named(table_cell(table, i, "variant")),
        .position = table_cell(table, i, "position"),
        .result = result_of(table_cell(table, i, "result")),
        .plies = atoi(table_cell(table, i, "plies")),
        .nodes = strtoull(table_cell(table, i, "nodes"), NULL, 10),
    };
}

// ---- single positions ----

static bool has_table(const struct variant *variant, const struct position *p) {
    const int white = bits_count(p->pieces[WHITE]), black = bits_count(p->pieces[BLACK]);
    const int more = white > black ? white : black;
    return !((p->pieces[WHITE] | p->pieces[BLACK]) & ~p->kings) && white + black == more + 1 &&
           more <= most_kings(variant->rules->width);
}

// The plies in which the side to move wins, negative when it loses, 0 when the tables know neither.
static int solved_value(const struct variant *variant, const struct position *p) {
    const struct endings *endings = endings_get(variant, NULL);
    int plies;
    bool won;
    const bool found = endings_find(endings, p, &plies, &won);
    return !found ? 0 : won ? plies : -plies;
}

// Positions with men were solved by solve_endings.py, which checks all values of the column.
static bool is_solved_as_said(const struct table *table, int i, const struct row *row,
                              const struct position *p) {
    const char *solved = table_cell(table, i, "solved");
    if (!has_table(row->variant, p)) return true;
    const int found = solved_value(row->variant, p);
    if (strcmp(solved, "-") != 0 && found == atoi(solved)) return true;
    fprintf(stderr, "%s %s: solved value %d instead of %s\n", row->variant->name, row->position, found,
            solved);
    return false;
}

static bool position_comes_out(const struct table *table, int i) {
    const struct row row = row_of(table, i);
    const struct position p = position_of(row.variant, row.position);
    struct search *search = search_of(row.variant);
    const bool well = comes_out(search, &row, &p);
    search_free(search);
    return is_solved_as_said(table, i, &row, &p) && well;
}

static bool is_sweep(const struct table *table, int i) {
    return !strncmp(table_cell(table, i, "position"), "every ", 6);
}

// Rows that search more nodes belong to the slow test, which sets HUFF_TEST_POSITIONS (see CMakeLists.txt).
enum { FAST_NODES = 50000 };

static bool is_wanted(const struct table *table, int i) {
    return getenv("HUFF_TEST_POSITIONS") || atoi(table_cell(table, i, "nodes")) <= FAST_NODES;
}

Test(ending, known_positions_come_out, .timeout = 3600) {
    struct table table = table_read("endings.tsv");
    int wrong = 0, played = 0;
    for (int i = 0; i < table.rows; i++) {
        if (is_sweep(&table, i) || !is_wanted(&table, i)) continue;
        wrong += !position_comes_out(&table, i);
        played++;
    }
    cr_assert_gt(played, 50);
    cr_assert_eq(wrong, 0, "%d of %d positions come out wrong", wrong, played);
    table_free(&table);
}

// ---- every placement of kings against a king ----

// "every 3 road v off W": three white kings, one of which at least is on the main road, against a black king
// off it, White to move. `none` of the white ones is on it, the black one is `on` it, or `any` of them is
// anywhere.
struct sweep {
    int kings;
    char strong[8], lone[8];
    enum side turn;
};

static struct sweep sweep_of(const char *text) {
    struct sweep sweep;
    char turn;
    const int read = sscanf(text, "every %d %7s v %7s %c", &sweep.kings, sweep.strong, sweep.lone, &turn);
    cr_assert(read == 4 && sweep.kings >= 1 && sweep.kings <= 3 && strchr("WB", turn), "%s", text);
    sweep.turn = turn == 'W' ? WHITE : BLACK;
    return sweep;
}

// The long diagonal from the bottom left corner.
static bitboard main_road(int width) {
    bitboard road = 0;
    for (int row = 0; row < width; row++) road |= bit(width, row * width / 2 + (width - 1 - row) / 2 + 1);
    return road;
}

static bool is_where(int width, bitboard kings, const char *where) {
    const bool on_road = kings & main_road(width);
    if (!strcmp(where, "any")) return true;
    if (!strcmp(where, "road") || !strcmp(where, "on")) return on_road;
    cr_assert(!strcmp(where, "none") || !strcmp(where, "off"), "%s", where);
    return !on_road;
}

struct placements {
    const struct variant *variant;
    struct sweep sweep;
    int count;
    struct position *found;
};

// A settled one: the lone king has nothing to capture, now or if it were its turn.
static void try_placement(struct placements *all, bitboard kings, bitboard lone) {
    const int width = all->variant->rules->width;
    const struct position passed = placement(kings, lone, BLACK);
    if (kings & lone || !is_where(width, lone, all->sweep.lone) || all->variant->can_capture(&passed)) return;
    cr_assert_lt(all->count, MOST_PLACEMENTS);
    all->found[all->count++] = placement(kings, lone, all->sweep.turn);
}

// `missing` more kings on squares after `last`.
static void find_placements(struct placements *all, bitboard kings, int last, int missing) {
    const int width = all->variant->rules->width, squares = board_squares(width);
    if (missing) {
        for (int n = last + 1; n <= squares; n++) find_placements(all, kings | bit(width, n), n, missing - 1);
    } else if (is_where(width, kings, all->sweep.strong)) {
        for (int lone = 1; lone <= squares; lone++) try_placement(all, kings, bit(width, lone));
    }
}

// Is it solved as the row says, and in how many plies?
static bool solved_as(const struct endings *endings, const struct position *p, const struct row *row,
                      int *plies) {
    bool won;
    *plies = 0;
    if (!endings_find(endings, p, plies, &won)) return row->result == 0;
    return row->result > 0 && won == (position_turn(p) == WHITE) && *plies <= row->plies;
}

// As many placements as the row says are solved otherwise, and the longest win takes what it says; some of
// the others are played out.
static bool sweep_comes_out(const struct table *table, int i) {
    const struct row row = row_of(table, i);
    const int games = getenv("HUFF_TEST_POSITIONS") ? 1000 : 25;
    struct placements all = {.variant = row.variant, .sweep = sweep_of(row.position)};
    all.found = memory_new(MOST_PLACEMENTS, sizeof *all.found);
    find_placements(&all, 0, 0, all.sweep.kings);
    const struct endings *endings = endings_get(row.variant, NULL);
    struct search *search = search_of(row.variant);
    int otherwise = 0, longest = 0, wrong = 0;
    for (int n = 0; n < all.count; n++) {
        struct row one = row;
        if (!solved_as(endings, &all.found[n], &row, &one.plies)) {
            otherwise++;
            continue;
        }
        if (one.plies > longest) longest = one.plies;
        if (n % (all.count / games + 1) == 0) wrong += !comes_out(search, &one, &all.found[n]);
    }
    search_free(search);
    free(all.found);
    char *found = memory_text("%d of %d", otherwise, all.count);
    const bool as_said = !strcmp(found, table_cell(table, i, "solved")) && longest == row.plies;
    if (!as_said)
        fprintf(stderr, "%s %s: %s solved otherwise, the longest in %d plies\n", row.variant->name,
                row.position, found, longest);
    free(found);
    return as_said && !wrong;
}

Test(ending, every_placement_comes_out, .timeout = 3600) {
    struct table table = table_read("endings.tsv");
    int wrong = 0, sweeps = 0;
    for (int i = 0; i < table.rows; i++) {
        if (!is_sweep(&table, i)) continue;
        wrong += !sweep_comes_out(&table, i);
        sweeps++;
    }
    cr_assert_gt(sweeps, 10);
    cr_assert_eq(wrong, 0, "%d of %d kinds of placements come out wrong", wrong, sweeps);
    table_free(&table);
}
