// test_notation.c -- square names, FEN, PDN and Hub moves, in both directions, for every variant.
#include "core/notation.h"
#include "tests/named.h"

#include <stdio.h>

#include "tests/random_positions.h"
#include "tests/table.h"

#define FOR_EACH_VARIANT(v) for (const struct variant *v = variants; v < variants + variant_count; v++)

// ---- squares ----

// The official boards with White at the bottom, from the diagrams and GameType attributes of PDN 3.0
// (github.com/wiegerw/pdn, doc/gametype.rst); 0 = not a playing square.
static const int board_english[64] = {
    0,  1,  0,  2,  0,  3,  0,  4,   //
    5,  0,  6,  0,  7,  0,  8,  0,   //
    0,  9,  0,  10, 0,  11, 0,  12,  //
    13, 0,  14, 0,  15, 0,  16, 0,   //
    0,  17, 0,  18, 0,  19, 0,  20,  //
    21, 0,  22, 0,  23, 0,  24, 0,   //
    0,  25, 0,  26, 0,  27, 0,  28,  //
    29, 0,  30, 0,  31, 0,  32, 0,   //
};
static const int board_italian[64] = {
    1,  0,  2,  0,  3,  0,  4,  0,   //
    0,  5,  0,  6,  0,  7,  0,  8,   //
    9,  0,  10, 0,  11, 0,  12, 0,   //
    0,  13, 0,  14, 0,  15, 0,  16,  //
    17, 0,  18, 0,  19, 0,  20, 0,   //
    0,  21, 0,  22, 0,  23, 0,  24,  //
    25, 0,  26, 0,  27, 0,  28, 0,   //
    0,  29, 0,  30, 0,  31, 0,  32,  //
};
static const int board_spanish[64] = {
    32, 0,  31, 0,  30, 0,  29, 0,   //
    0,  28, 0,  27, 0,  26, 0,  25,  //
    24, 0,  23, 0,  22, 0,  21, 0,   //
    0,  20, 0,  19, 0,  18, 0,  17,  //
    16, 0,  15, 0,  14, 0,  13, 0,   //
    0,  12, 0,  11, 0,  10, 0,  9,   //
    8,  0,  7,  0,  6,  0,  5,  0,   //
    0,  4,  0,  3,  0,  2,  0,  1,   //
};
static const int board_thai[64] = {
    0,  32, 0,  31, 0,  30, 0,  29,  //
    28, 0,  27, 0,  26, 0,  25, 0,   //
    0,  24, 0,  23, 0,  22, 0,  21,  //
    20, 0,  19, 0,  18, 0,  17, 0,   //
    0,  16, 0,  15, 0,  14, 0,  13,  //
    12, 0,  11, 0,  10, 0,  9,  0,   //
    0,  8,  0,  7,  0,  6,  0,  5,   //
    4,  0,  3,  0,  2,  0,  1,  0,   //
};
static const int board_russian[64] = {
    0,  29, 0,  30, 0,  31, 0,  32,  //
    25, 0,  26, 0,  27, 0,  28, 0,   //
    0,  21, 0,  22, 0,  23, 0,  24,  //
    17, 0,  18, 0,  19, 0,  20, 0,   //
    0,  13, 0,  14, 0,  15, 0,  16,  //
    9,  0,  10, 0,  11, 0,  12, 0,   //
    0,  5,  0,  6,  0,  7,  0,  8,   //
    1,  0,  2,  0,  3,  0,  4,  0,   //
};
static const int board_international[100] = {
    0,  1,  0,  2,  0,  3,  0,  4,  0,  5,   //
    6,  0,  7,  0,  8,  0,  9,  0,  10, 0,   //
    0,  11, 0,  12, 0,  13, 0,  14, 0,  15,  //
    16, 0,  17, 0,  18, 0,  19, 0,  20, 0,   //
    0,  21, 0,  22, 0,  23, 0,  24, 0,  25,  //
    26, 0,  27, 0,  28, 0,  29, 0,  30, 0,   //
    0,  31, 0,  32, 0,  33, 0,  34, 0,  35,  //
    36, 0,  37, 0,  38, 0,  39, 0,  40, 0,   //
    0,  41, 0,  42, 0,  43, 0,  44, 0,  45,  //
    46, 0,  47, 0,  48, 0,  49, 0,  50, 0,   //
};

struct official {
    const char *variant;
    const int *board;
    bool letters;
    // FEN of the start, as PDN 3.0 gives it
    const char *start;
};
static const struct official officials[] = {
    {"spanish", board_spanish, false, "W:W1-12:B21-32"},
    {"portuguese", board_spanish, false, "W:W1-12:B21-32"},
    {"italian", board_italian, false, "W:W21-32:B1-12"},
    {"american", board_english, false, "B:W21-32:B1-12"},
    {"pool", board_english, false, "B:W21-32:B1-12"},
    {"thai", board_thai, false, "B:W1-8:B25-32"},
    {"brazilian", board_russian, true,
     "W:Wa1,a3,b2,c1,c3,d2,e1,e3,f2,g1,g3,h2:Bb6,b8,a7,c7,d6,d8,e7,f6,f8,g7,h6,h8"},
    {"russian", board_russian, true,
     "W:Wa1,a3,b2,c1,c3,d2,e1,e3,f2,g1,g3,h2:Bb6,b8,a7,c7,d6,d8,e7,f6,f8,g7,h6,h8"},
    {"czech", board_russian, true,
     "W:Wa1,a3,b2,c1,c3,d2,e1,e3,f2,g1,g3,h2:Bb6,b8,a7,c7,d6,d8,e7,f6,f8,g7,h6,h8"},
    {"international", board_international, false, "W:W31-50:B1-20"},
    {"frisian", board_international, false, "W:W31-50:B1-20"},
    {"killer", board_international, false, "W:W31-50:B1-20"},
};
enum { OFFICIALS = sizeof officials / sizeof *officials };

static const struct official *official_of(const struct variant *variant) {
    for (int i = 0; i < OFFICIALS; i++)
        if (!strcmp(officials[i].variant, variant->rules->name)) return &officials[i];
    cr_assert_fail("no official board of %s in this test", variant->name);
    return NULL;
}

static void expect_name(const struct variant *variant, square s, bool letters, int file, int rank,
                        int number) {
    char expected[16], text[SQUARE_TEXT_SIZE];
    if (letters)
        snprintf(expected, sizeof expected, "%c%d", 'a' + file, rank + 1);
    else
        snprintf(expected, sizeof expected, "%d", number);
    square_to_text(variant, s, text);
    cr_expect_str_eq(text, expected, "%s", variant->name);
}

Test(squares, official_boards) {
    FOR_EACH_VARIANT(v) {
        const struct official *official = official_of(v);
        const int width = v->rules->width;
        int seen = 0;
        for (int i = 0; i < width * width; i++) {
            const int number = official->board[i];
            if (!number) continue;
            const square s = square_from_pdn_number(v, number);
            int file, rank;
            square_on_official_board(v, s, &file, &rank);
            cr_expect_eq(file, i % width, "%s %d", v->name, number);
            cr_expect_eq(rank, width - 1 - i / width, "%s %d", v->name, number);
            cr_expect_eq(square_pdn_number(v, s), number, "%s", v->name);
            expect_name(v, s, official->letters, file, rank, number);
            seen++;
        }
        cr_expect_eq(seen, board_squares(width));
    }
}

// The mirrored boards lie on the common one as mirror images.
Test(squares, common_numbers) {
    static const struct {
        const char *variant;
        int pdn, common;
    } pairs[] = {{"italian", 1, 4},  {"italian", 32, 29},  {"spanish", 1, 29},        {"spanish", 32, 4},
                 {"american", 1, 1}, {"american", 32, 32}, {"russian", 1, 29},        {"russian", 32, 4},
                 {"thai", 1, 32},    {"thai", 32, 1},      {"portuguese", 4, 32},     {"portuguese", 29, 1},
                 {"pool", 5, 5},     {"italian", 5, 8},    {"international", 46, 46}, {"frisian", 5, 5}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct variant *v = variant_named(pairs[i].variant);
        const int common = board_number(v->rules->width, square_from_pdn_number(v, pairs[i].pdn));
        cr_expect_eq(common, pairs[i].common, "%s %d: %d", v->name, pairs[i].pdn, common);
    }
    const struct variant *spanish = variant_named("spanish"), *italian = variant_named("italian");
    for (int n = 1; n <= 32; n++)
        cr_expect_eq(square_from_pdn_number(spanish, n), square_from_pdn_number(italian, 33 - n));
}

// ---- FEN ----

Test(fen, start_positions) {
    FOR_EACH_VARIANT(v) {
        const struct position start = variant_initial(v), read = position_of(v, official_of(v)->start);
        cr_expect(position_equal(&start, &read), "%s", v->name);
    }
}

// "\x1b" in a table is that byte.
static char *with_bytes(const char *text) {
    char *copy = memory_text("%s", text), *to = copy;
    for (const char *from = text; *from;) {
        unsigned byte;
        if (from[0] == '\\' && from[1] == 'x' && sscanf(from + 2, "%2x", &byte) == 1) {
            *to++ = (char)byte;
            from += 4;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
    return copy;
}

Test(fen, table) {
    struct table table = table_read("fen.tsv");
    for (int row = 0; row < table.rows; row++) {
        const char *name = table_cell(&table, row, "name"), *meaning = table_cell(&table, row, "meaning");
        const struct variant *v = variant_named(table_cell(&table, row, "variant"));
        char *text = with_bytes(table_cell(&table, row, "text")), fen[FEN_TEXT_SIZE];
        struct position p;
        struct error error = {""};
        const bool read = position_from_fen(v, text, &p, &error);
        if (!strcmp(table_cell(&table, row, "outcome"), "ok")) {
            cr_expect(read, "%s: %s", name, error.text);
            if (read) {
                position_to_fen(v, &p, fen);
                cr_expect_str_eq(fen, meaning, "%s", name);
            }
        } else {
            cr_expect_not(read, "%s", name);
            cr_expect(strstr(error.text, meaning), "%s: %s", name, error.text);
            cr_expect_lt(strlen(error.text), 200, "%s", name);
        }
        free(text);
    }
    table_free(&table);
}

Test(fen, endless_text) {
    enum { LENGTH = 1 << 20 };
    const struct variant *v = variant_named("international");
    char *text = memory_new(LENGTH + 1, 1);
    for (const char *pattern = "W:,K0[\" "; *pattern; pattern++) {
        memset(text, *pattern, LENGTH);
        memcpy(text, "W:W", 3);
        struct position p;
        struct error error = {""};
        if (!position_from_fen(v, text, &p, &error)) cr_expect_neq(*error.text, 0, "%c", *pattern);
        cr_expect_lt(strlen(error.text), 200, "%c", *pattern);
    }
    free(text);
}

// ---- random positions ----

// With counts of king moves where the rules have them. False when the position has too many captures.
static bool random_position(const struct variant *v, struct splitmix *random, struct position *p) {
    *p = random_placement(v->rules, random);
    for (int side = WHITE; side <= BLACK && v->rules->king_move_limit; side++) {
        const bitboard kings = position_kings(p, (enum side)side);
        const int moves = splitmix_below(random, v->rules->king_move_limit + 1);
        if (moves && kings && position_men(p, (enum side)side))
            p->run[side] = (struct king_run){.king = bits_first(kings), .moves = (uint8_t)moves};
    }
    struct error error;
    return variant_check(v, p, &error);
}

enum { POSITIONS = 1000 };

Test(fen, random_positions) {
    FOR_EACH_VARIANT(v) {
        struct splitmix random = splitmix_of(v->name, 3);
        for (int i = 0; i < POSITIONS; i++) {
            struct position p, read;
            if (!random_position(v, &random, &p)) continue;
            char fen[FEN_TEXT_SIZE], hub[HUB_TEXT_SIZE];
            struct error error;
            position_to_fen(v, &p, fen);
            cr_assert(position_from_fen(v, fen, &read, &error), "%s %s: %s", v->name, fen, error.text);
            cr_assert(position_equal(&p, &read), "%s %s", v->name, fen);
            position_to_hub(v, &p, hub);
            cr_assert(position_from_hub(v, hub, &read, &error), "%s %s: %s", v->name, hub, error.text);
            memset(p.run, 0, sizeof p.run);  // Hub has no place for them
            cr_assert(position_equal(&p, &read), "%s %s", v->name, hub);
        }
    }
}

Test(fen, as_long_as_can_be) {
    const struct variant *v = variant_named("frisian");
    struct position p = {
        .run = {{.king = board_square(10, 50), .moves = 3}, {.king = board_square(10, 20), .moves = 3}}};
    p.pieces[WHITE] = board_rows(10, 6, 10);
    p.pieces[BLACK] = board_rows(10, 0, 4);
    p.kings = (p.pieces[WHITE] | p.pieces[BLACK]) & ~square_bit(board_square(10, 31)) &
              ~square_bit(board_square(10, 1));
    char fen[FEN_TEXT_SIZE];
    position_to_fen(v, &p, fen);
    cr_expect(strstr(fen, ":+320+350"), "%s", fen);
    const struct position read = position_of(v, fen);
    cr_expect(position_equal(&p, &read), "%s", fen);
}

// ---- Hub positions ----

Test(hub, positions) {
    char text[HUB_TEXT_SIZE];
    const struct variant *international = variant_named("international");
    const struct position start = variant_initial(international);
    position_to_hub(international, &start, text);
    // github.com/rhalbersma/scan protocol.txt
    cr_expect_str_eq(text, "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww");

    // Common numbering, whatever PDN numbers the game has.
    const struct variant *spanish = variant_named("spanish");
    const struct position p = position_of(spanish, "B:W1,K32:BK4,29");
    position_to_hub(spanish, &p, text);
    cr_expect_str_eq(text, "BbeeWeeeeeeeeeeeeeeeeeeeeeeeeweeB");
}

Test(hub, bad_positions) {
    static const struct {
        const char *text, *error;
    } bad[] = {
        {"Wbbb", "got 4 characters"},
        {"", "got 0 characters"},
        {"Wbbbbbbbbbbbbeeeeeeeewwwwwwwwwwwww", "got 34 characters"},
        {"?bbbbbbbbbbbbeeeeeeeewwwwwwwwwwww", "side to move, got \"?\""},
        {"wbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww", "side to move, got \"w\""},
        {"Wbbbbbbbbbbbbeeeeeee.wwwwwwwwwwww", "square 20: expected one of wWbBe, got \".\""},
        {"Wweeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "White has a man on its crowning row"},
    };
    const struct variant *v = variant_named("american");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct position p;
        struct error error = {""};
        cr_expect_not(position_from_hub(v, bad[i].text, &p, &error));
        cr_expect(strstr(error.text, bad[i].error), "%s: %s", bad[i].text, error.text);
    }
}

// ---- moves ----

static struct move_list legal_moves(const struct variant *v, const struct position *p) {
    struct move_list list;
    v->generate(p, &list);
    return list;
}

static void expect_reads(const struct variant *v, const struct position *p, const struct move_list *legal,
                         const char *text, struct move move) {
    struct move read;
    struct error error;
    char fen[FEN_TEXT_SIZE];
    position_to_fen(v, p, fen);
    cr_assert(move_from_text(v, p, legal, text, &read, &error), "%s %s: %s", v->name, fen, error.text);
    cr_assert(move_equal(read, move), "%s %s: %s", v->name, fen, text);
}

static void check_hub(const struct variant *v, const struct move_list *legal, struct move move) {
    char text[MOVE_TEXT_SIZE];
    struct move read;
    struct error error;
    move_to_hub(v, move, text);
    cr_assert(move_from_hub(v, legal, text, &read, &error), "%s: %s", v->name, error.text);
    cr_assert(move_equal(read, move), "%s: %s", v->name, text);
}

struct route_count {
    const struct variant *variant;
    const struct position *position;
    const struct move_list *legal;
    struct move move;
    int count, limit;
};

// Every route names its move, and no other.
static bool check_route(void *context, const char *text, const char *captures) {
    struct route_count *c = context;
    expect_reads(c->variant, c->position, c->legal, text, c->move);
    cr_assert_eq(strncmp(captures, " {", 2), 0);
    return ++c->count < c->limit;
}

static int routes_of(const struct variant *v, const struct position *p, const struct move_list *legal,
                     int limit) {
    struct route_count c = {.variant = v, .position = p, .legal = legal, .limit = limit};
    for (int i = 0; i < legal->captures && c.count < limit; i++) {
        const int before = c.count;
        c.move = legal->moves[i];
        cr_assert(move_routes_to_text(v, p, c.move, check_route, &c));
        cr_assert_gt(c.count, before, "%s: a capture without a route", v->name);
    }
    return c.count;
}

// Returns how many moves needed a long form.
static int check_moves(const struct variant *v, const struct position *p) {
    static struct move_list legal, paths;
    v->generate(p, &legal);
    if (legal.truncated) return 0;
    int long_forms = 0;
    for (int i = 0; i < legal.count; i++) {
        char text[MOVE_TEXT_SIZE], captures[CAPTURES_TEXT_SIZE];
        move_to_text(v, p, &legal, legal.moves[i], text);
        long_forms += strlen(text) > 5;
        expect_reads(v, p, &legal, text, legal.moves[i]);
        // As `huff moves` prints it.
        move_captures_to_text(v, legal.moves[i], captures);
        char *line = memory_text(" %s%s%s", text, captures, legal.moves[i].crowned ? " =K" : "");
        expect_reads(v, p, &legal, line, legal.moves[i]);
        free(line);
        check_hub(v, &legal, legal.moves[i]);
    }
    v->generate_paths(p, &paths);
    if (paths.truncated) return long_forms;
    char fen[FEN_TEXT_SIZE];
    position_to_fen(v, p, fen);
    const int routes = routes_of(v, p, &legal, MAX_CAPTURES);
    cr_assert_eq(routes, paths.captures, "%s %s: %d routes, %d paths", v->name, fen, routes, paths.captures);
    return long_forms;
}

Test(moves, random_positions) {
    int long_forms = 0;
    FOR_EACH_VARIANT(v) {
        struct splitmix random = splitmix_of(v->name, 4);
        for (int i = 0; i < POSITIONS; i++) {
            struct position p;
            if (random_position(v, &random, &p)) long_forms += check_moves(v, &p);
        }
    }
    cr_expect_gt(long_forms, 100, "only %d long forms were tried", long_forms);
}

static void expect_moves(const char *variant, const char *fen, const char *expected) {
    const struct variant *v = variant_named(variant);
    const struct position p = position_of(v, fen);
    const struct move_list legal = legal_moves(v, &p);
    char all[4096] = "";
    for (int i = 0; i < legal.count; i++) {
        char text[MOVE_TEXT_SIZE], captures[CAPTURES_TEXT_SIZE];
        move_to_text(v, &p, &legal, legal.moves[i], text);
        move_captures_to_text(v, legal.moves[i], captures);
        char *item = memory_text("%s%s%s", text, captures, i + 1 < legal.count ? "; " : "");
        strcat(all, item);
        free(item);
    }
    // Each expected move once, whatever the order of generation.
    size_t length = 0;
    for (const char *item = expected; *item;) {
        const size_t size = strcspn(item, ";");
        char *one = memory_text("%.*s", (int)size, item);
        cr_expect(strstr(all, one), "%s %s: no %s in %s", variant, fen, one, all);
        free(one);
        length += size + 2;
        item += size + (item[size] ? 2 : 0);
    }
    cr_expect_eq(strlen(all), length - 2, "%s %s: %s", variant, fen, all);
}

Test(moves, written) {
    expect_moves("international", "W:W28:B23", "28x19 {23}");
    expect_moves("international", "W:W32:B1", "32-27; 32-28");
    expect_moves("russian", "W:Wc3:Bd4", "c3:e5 {d4}");
    expect_moves("brazilian", "W:Wf6:Be7,c7", "f6xb6 {c7,e7}");
    expect_moves("spanish", "W:W21:BK26", "21x30 {26}");
    expect_moves("thai", "W:WK20:BK24", "20-27 {24}");
    // Turns back through the gap.
    expect_moves("thai", "W:WK10:B7,K17", "10-21 {7,17}; 10-3 {7,17}");
    // Captured squares in order of their numbers.
    expect_moves("international", "W:WK41,49:B9,10,12,19,38", "41x43 {9,12,19,38}");
}

// PDN 3.0, grammar.rst; github.com/AttackingOrDefending/pydraughts test_ambiguous_moves.py;
// github.com/RoepStoep/lidraughts/issues/16
Test(moves, long_forms) {
    expect_moves("international", "W:WK47:B14,19,29,31,42",
                 "47x38x24x13x36 {19,29,31,42}; 47x38x20x9x36 {14,29,31,42}");
    expect_moves("international", "W:WK1:B12,13,19,20", "1x23x14x25 {12,19,20}; 1x18x9x25 {12,13,20}");
    // Two ways round the same four pieces are one move.
    expect_moves("international", "W:WK38:B18,19,32,33",
                 "38x38 {18,19,32,33}; 38x42 {18,19,32,33}; 38x43 {18,19,32,33}; 38x47 {18,19,32,33}; "
                 "38x49 {18,19,32,33}");
    // A man's two ways forward.
    expect_moves("italian", "W:W31:B19,20,27,28", "31x22x15 {19,27}; 31x24x15 {20,28}");
    expect_moves("czech", "W:Wd2:Bc3,c5,e3,e5", "d2xb4xd6 {c3,c5}; d2xf4xd6 {e3,e5}");
    // github.com/AttackingOrDefending/pydraughts/issues/42: the single capture is its own long form.
    expect_moves("russian", "W:We3,g3,h4,a5,b2,h2,a3,Kf8:Bc5,e5,g5,g7,h8",
                 "f8:b4 {c5}; f8:h6:f4:d6:b4 {c5,e5,g5,g7}; h4:b6 {c5,e5,g5}");
}

struct reading {
    const char *text, *move;  // the move in Hub notation, or
    const char *error;
};

static void expect_readings(const char *variant, const char *fen, const struct reading *readings,
                            size_t count) {
    const struct variant *v = variant_named(variant);
    const struct position p = position_of(v, fen);
    const struct move_list legal = legal_moves(v, &p);
    for (size_t i = 0; i < count; i++) {
        const struct reading *r = &readings[i];
        struct move move;
        struct error error = {""};
        const bool read = move_from_text(v, &p, &legal, r->text, &move, &error);
        if (r->error) {
            cr_expect_not(read, "\"%s\"", r->text);
            cr_expect(strstr(error.text, r->error), "\"%s\": %s", r->text, error.text);
            continue;
        }
        char hub[MOVE_TEXT_SIZE];
        cr_expect(read, "\"%s\": %s", r->text, error.text);
        if (!read) continue;
        move_to_hub(v, move, hub);
        cr_expect_str_eq(hub, r->move, "\"%s\"", r->text);
    }
}
#define EXPECT_READINGS(variant, fen, readings) \
    expect_readings(variant, fen, readings, sizeof(readings) / sizeof *(readings))

Test(moves, read) {
    static const struct reading readings[] = {
        {"32-28", .move = "32-28"},
        {" 32 - 28 ", .move = "32-28"},
        {"32x28", .move = "32-28"},
        {"032-028", .move = "32-28"},
        {"32\xe2\x80\x93\x32\x38", .move = "32-28"},
        {"32-28!?", .move = "32-28"},
        {"32-28 (!)", .move = "32-28"},
        {"32-28 {a comment}", .move = "32-28"},
        {"d4-e5", .move = "32-28"},
        {"32-29", .error = "\"32-29\" is not legal; legal: 31-26, 32-27"},
        {"32-28-23", .error = "not legal"},
        {"32", .error = "expected a sign"},
        {"32-", .error = "expected a square"},
        {"-28", .error = "expected a square"},
        {"", .error = "expected a square"},
        {"...", .error = "expected a square"},
        {"32-51", .error = "no such square"},
        {"0-28", .error = "no such square"},
        {"32-28x", .error = "expected a square"},
        {"32-28 q", .error = "expected a square"},
        {"32-28 5", .error = "unexpected \"5\""},
        {"32-28 {", .error = "unexpected"},
        {"99999999999999999999-28", .error = "no such square"},
    };
    EXPECT_READINGS("international", "W:W31-50:B1-20", readings);
}

Test(moves, read_letters) {
    static const struct reading russian[] = {
        {"a3b4", .move = "21-17"},  // github.com/wiegerw/pdn games/succeed/alphanumeric.pdn
        {"a3-b4", .move = "21-17"},
        {"A3-B4", .move = "21-17"},
        {"a3:b4", .move = "21-17"},
        {"9-13", .error = "letter and number"},
        {"a3-a4", .error = "no such square"},
        {"a3", .error = "expected a sign"},
    };
    EXPECT_READINGS("russian", "start", russian);
    static const struct reading american[] = {{"b6-a5", .move = "9-13"}, {"b6a5", .move = "9-13"}};
    EXPECT_READINGS("american", "start", american);
}

Test(moves, read_captures) {
    static const struct reading two_sets[] = {
        {"47x36", .error = "\"47x36\" is ambiguous: "},
        {"47x36", .error = "47x38x24x13x36"},
        {"47x36", .error = "47x38x20x9x36"},
        {"47x38x24x13x36", .move = "47x36x19x29x31x42"},
        {"47-38-20-9-36", .move = "47x36x14x29x31x42"},
        // Not PDN: squares left out or added.
        {"47x24x36", .move = "47x36x19x29x31x42"},
        {"47x33x24x13x36", .move = "47x36x19x29x31x42"},
        {"47x9x36", .move = "47x36x14x29x31x42"},
        {"47x38x36", .error = "ambiguous"},
        {"47x33x36", .error = "ambiguous"},
        {"47x9x24x36", .error = "not legal"},  // visited, but in another order
        // Pieces taken for squares visited.
        {"47x42x29x14x31x36", .move = "47x36x14x29x31x42"},
        {"47x31x19x42x29x36", .move = "47x36x19x29x31x42"},
        {"47x19x36", .move = "47x36x19x29x31x42"},
        {"47x31x36", .error = "ambiguous"},
        {"47x36x14x29x31x42", .move = "47x36x14x29x31x42"},
        {"47x36 {42,29,14,31}", .move = "47x36x14x29x31x42"},
        {"47x36 {14, 29, 31, 42}", .move = "47x36x14x29x31x42"},
        {"47x36 {14,29}", .error = "not legal"},
        {"47x36 {with the king}", .error = "ambiguous"},
    };
    EXPECT_READINGS("international", "W:WK47:B14,19,29,31,42", two_sets);
    static const struct reading round[] = {
        {"38x38", .move = "38x38x18x19x32x33"},
        {"38x27x13x24x38", .move = "38x38x18x19x32x33"},
        {"38x24x13x27x38", .move = "38x38x18x19x32x33"},
    };
    EXPECT_READINGS("international", "W:WK38:B18,19,32,33", round);
    static const struct reading single[] = {
        {"28x19", .move = "28x19x23"},      {"28-19", .move = "28x19x23"},
        {"28:19", .move = "28x19x23"},      {"28x19x23", .move = "28x19x23"},
        {"28x22x19", .error = "not legal"}, {"28-22", .error = "legal: 28x19"},
    };
    EXPECT_READINGS("international", "W:W28:B23", single);
    static const struct reading one_or_four[] = {
        {"f8:b4", .move = "3x17x14"},  // the long form of the single capture
        {"f8:h6:b4", .move = "3x17x8x14x15x16"},
        {"f8:b4 {g7,c5,e5,g5}", .move = "3x17x8x14x15x16"},
    };
    EXPECT_READINGS("russian", "W:We3,g3,h4,a5,b2,h2,a3,Kf8:Bc5,e5,g5,g7,h8", one_or_four);
    static const struct reading crowned[] = {
        {"f6:a5 =K", .move = "11x13x6x7"},
        {"f6:d8:a5", .move = "11x13x6x7"},
    };
    EXPECT_READINGS("russian", "W:Wf6:Be7,c7", crowned);
}

// A quiet move may share its ends with a capture that goes round.
Test(moves, captures_optional) {
    static const struct reading russian[] = {
        {"d2:f4", .move = "26x19x9x15x22"}, {"d2xf4", .move = "26x19x9x15x22"},
        {"d2-f4", .move = "26-19"},         {"d2f4", .error = "ambiguous: d2:f4, d2-f4"},
        {"d2-e1-f4", .error = "not legal"},
    };
    EXPECT_READINGS("russian+free", "W:WKd2:Bc3,e5,b6", russian);
    // Thai has one sign for both: the capture needs its long form.
    expect_moves("thai+free", "W:WK26:B6,11,17",
                 "26-13-2-16 {6,11,17}; 26-31; 26-30; 26-23; 26-22; 26-19; 26-16; 26-12");
    static const struct reading thai[] = {
        {"26-16", .move = "7-17"},
        {"26x16", .move = "7x17x16x22x27"},
        {"26-13-2-16", .move = "7x17x16x22x27"},
    };
    EXPECT_READINGS("thai+free", "W:WK26:B6,11,17", thai);
    expect_moves("american+free", "W:W22:B18", "22x15 {18}; 22-17");
}

Test(moves, none_left) {
    static const struct reading readings[] = {{"32-28", .error = "there is no legal move"}};
    EXPECT_READINGS("international", "W:W:B1", readings);
}

Test(hub, moves) {
    const struct variant *v = variant_named("international");
    const struct position p = position_of(v, "W:WK47:B14,19,29,31,42");
    const struct move_list legal = legal_moves(v, &p);
    static const struct reading readings[] = {
        {"47x36x14x29x31x42", .move = "47x36x14x29x31x42"},
        {"47x36x42x31x29x14", .move = "47x36x14x29x31x42"},
        {" 047x36x042x31x29x14 ", .move = "47x36x14x29x31x42"},
        {"47x36", .error = "ambiguous"},
        {"47x36x14x29x31", .error = "not a legal move"},
        {"47x38x20x9x36", .error = "not a legal move"},
        {"47-42", .error = "not a legal move"},
        {"47x51", .error = "squares are 1..50"},
        {"47x0", .error = "squares are 1..50"},
        {"47x", .error = "expected from-to"},
        {"47", .error = "expected from-to"},
        {"", .error = "expected from-to"},
        {"e4", .error = "expected from-to"},
        {"47x36!", .error = "expected from-to"},
        {"1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1", .error = "expected from-to"},
    };
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        const struct reading *r = &readings[i];
        struct move move;
        struct error error = {""};
        char hub[MOVE_TEXT_SIZE];
        const bool read = move_from_hub(v, &legal, r->text, &move, &error);
        cr_expect_eq(read, !r->error, "\"%s\": %s", r->text, error.text);
        if (r->error) cr_expect(strstr(error.text, r->error), "\"%s\": %s", r->text, error.text);
        if (read) move_to_hub(v, move, hub);
        if (read && r->move) cr_expect_str_eq(hub, r->move);
    }
}

// github.com/rhalbersma/scan protocol.txt; common numbers, also where PDN writes letters.
Test(hub, written) {
    const struct variant *v = variant_named("russian");
    const struct position p = position_of(v, "W:Wc3:Bd4");
    const struct move_list legal = legal_moves(v, &p);
    char text[MOVE_TEXT_SIZE];
    move_to_hub(v, legal.moves[0], text);
    cr_expect_str_eq(text, "22x15x18");
}
