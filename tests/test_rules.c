// test_rules.c -- positions of rule books, and positions in which draughts programs went wrong, with exactly
// their legal moves (data/legal-moves.tsv, data/cases.tsv).
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/variant.h"
#include "tests/table.h"

// A position of a table with its legal moves.
struct example {
    struct table table;
    int row;
    const struct variant *variant;
    struct position position;
    struct move_list list;
};

static struct example *example_read(const char *file, int row) {
    struct example *e = memory_new(1, sizeof *e);
    struct error error;
    e->table = table_read(file);
    e->row = row;
    e->variant = variant_find(table_cell(&e->table, row, "variant"), &error);
    cr_assert(e->variant, "%s", error.text);
    cr_assert(position_from_fen(e->variant, table_cell(&e->table, row, "fen"), &e->position, &error), "%s",
              error.text);
    e->variant->generate(&e->position, &e->list);
    return e;
}

static const char *example_cell(const struct example *e, const char *column) {
    return table_cell(&e->table, e->row, column);
}

static void example_free(struct example *e) {
    table_free(&e->table);
    free(e);
}

// One parameter for each row of a table.
static struct criterion_test_params all_rows(const char *file) {
    struct table table = table_read(file);
    const size_t count = (size_t)table.rows;
    int *rows = cr_calloc(count, sizeof *rows);
    for (int row = 0; row < table.rows; row++) rows[row] = row;
    table_free(&table);
    return cr_make_param_array(int, rows, count);
}

// ---- reading moves, apart from core/notation's own reader ----

// The square whose name in the variant's notation `text` starts with; moves `text` behind it.
static square read_square(const struct variant *variant, const char **text) {
    *text += strspn(*text, "0");
    const size_t length = strcspn(*text, "-x,} ");
    for (int number = 1; number <= board_squares(variant->rules->width); number++) {
        const square s = board_square(variant->rules->width, number);
        char name[SQUARE_TEXT_SIZE];
        square_to_text(variant, s, name);
        if (strlen(name) != length || strncmp(name, *text, length) != 0) continue;
        *text += length;
        return s;
    }
    cr_assert_fail("%s: no such square: %s", variant->name, *text);
    return 0;
}

// "28x19 {23} =K"
static struct move read_move(const struct variant *variant, const char *text) {
    struct move m = {0};
    m.from = read_square(variant, &text);
    text++;
    m.to = read_square(variant, &text);
    if (*text == ' ' && text[1] == '{')
        for (text++; *text != '}';) {
            text++;
            m.captured |= square_bit(read_square(variant, &text));
        }
    m.crowned = strstr(text, "=K") != NULL;
    return m;
}

// Calls check(example, move as text) for each of the moves in `texts`, which `separator` divides; returns how
// many.
static int each_move(struct example *e, const char *texts, const char *separator,
                     void check(struct example *, const char *)) {
    int count = 0;
    char *copy = memory_text("%s", texts);
    for (char *text = copy; text && *text; count++) {
        char *end = strstr(text, separator);
        if (end) *end = 0;
        check(e, text);
        text = end ? end + strlen(separator) : NULL;
    }
    free(copy);
    return count;
}

// ---- rule books ----

// Exactly one legal move has these ends, and it is what the variant's notation calls so.
static void expect_ends(struct example *e, const char *text) {
    const struct move wanted = read_move(e->variant, text);
    const bool capture = strchr(text, 'x');
    int found = 0;
    for (int i = 0; i < e->list.count; i++) {
        const struct move m = e->list.moves[i];
        found += m.from == wanted.from && m.to == wanted.to && !!m.captured == capture;
    }
    cr_expect_eq(found, 1, "%s: %s occurs %d times", example_cell(e, "fen"), text, found);
    struct move m;
    struct error error;
    cr_expect(move_from_text(e->variant, &e->position, &e->list, text, &m, &error), "%s", error.text);
}

ParameterizedTestParameters(rules, of_the_rule_books) { return all_rows("legal-moves.tsv"); }

ParameterizedTest(int *row, rules, of_the_rule_books) {
    struct example *e = example_read("legal-moves.tsv", *row);
    const int count = each_move(e, example_cell(e, "legal_moves"), " ", expect_ends);
    cr_expect_eq(e->list.count, count, "%s %s (%s): %d moves, %d expected", e->variant->name,
                 example_cell(e, "fen"), example_cell(e, "rule_article"), e->list.count, count);
    example_free(e);
}

// ---- where programs went wrong ----

static void expect_move(struct example *e, const char *text) {
    const struct move wanted = read_move(e->variant, text);
    int found = 0;
    for (int i = 0; i < e->list.count; i++) found += move_equal(e->list.moves[i], wanted);
    cr_expect_eq(found, 1, "%s: %s occurs %d times", example_cell(e, "id"), text, found);
}

// The number of ways to make the legal captures.
static int count_paths(const struct example *e) {
    struct move_list *paths = memory_new(1, sizeof *paths);
    e->variant->generate_paths(&e->position, paths);
    const int count = paths->count;
    cr_assert_not(paths->truncated);
    free(paths);
    return count;
}

ParameterizedTestParameters(rules, where_programs_went_wrong) { return all_rows("cases.tsv"); }

ParameterizedTest(int *row, rules, where_programs_went_wrong) {
    struct example *e = example_read("cases.tsv", *row);
    const char *id = example_cell(e, "id"), *moves = example_cell(e, "moves");
    const int count = atoi(example_cell(e, "count")), paths = atoi(example_cell(e, "paths"));
    cr_expect_eq(e->list.count, count, "%s: %d moves, %d expected", id, e->list.count, count);
    const int listed = each_move(e, moves, "; ", expect_move);
    if (*moves) cr_expect_eq(listed, count, "%s", id);
    if (paths) cr_expect_eq(count_paths(e), paths, "%s: %d paths, %d expected", id, count_paths(e), paths);
    example_free(e);
}

// mg-18: a move played already is no longer legal.
Test(rules, refuses_a_move_that_was_played) {
    const struct variant *variant = variant_find("international", NULL);
    struct position p;
    struct error error;
    struct move m;
    struct move_list *list = memory_new(1, sizeof *list);
    cr_assert(position_from_fen(variant, "W:WK2,25:B14,15,16", &p, &error), "%s", error.text);
    variant->generate(&p, list);
    cr_assert(move_from_text(variant, &p, list, "2-11", &m, &error), "%s", error.text);
    variant->play(&p, m);
    variant->generate(&p, list);
    cr_assert_not(move_from_text(variant, &p, list, "2-11", &m, &error));
    free(list);
}

// The tables hold what they were made from: nothing drops out unseen.
Test(rules, tables_are_complete) {
    struct table book = table_read("legal-moves.tsv"), cases = table_read("cases.tsv");
    cr_assert_eq(book.rows, 36);
    cr_assert_eq(cases.rows, 56);
    table_free(&book);
    table_free(&cases);
}
