// test_pdn.c -- games of PDN: texts and what they mean, the strict text, random games there and back.
#include "core/pdn.h"

#include <criterion/criterion.h>
#include <regex.h>
#include <stdio.h>

#include "core/notation.h"
#include "core/support/random.h"
#include "tests/named.h"
#include "tests/table.h"

#define FOR_EACH_VARIANT(v) for (const struct variant *v = variants; v < variants + variant_count; v++)

// ---- texts that grow ----

struct text {
    char *bytes;  // a zero follows
    size_t size, capacity;
};

static void text_append(struct text *text, const char *bytes, size_t size) {
    if (text->size + size + 1 > text->capacity) {
        text->capacity = 2 * (text->size + size + 1);
        text->bytes = memory_grow(text->bytes, text->capacity, 1);
    }
    if (size) memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = '\0';
}

static void text_add(struct text *text, const char *more) { text_append(text, more, strlen(more)); }

// \n, \r, \xHH, \\, \#N,c;
static struct text text_of_cell(const char *cell) {
    struct text text = {0};
    text_add(&text, "");
    while (*cell) {
        char c = *cell++;
        long times = 1;
        if (c == '\\') {
            c = *cell++;
            if (c == 'n') c = '\n';
            if (c == 'r') c = '\r';
            if (c == 'x') {
                const char digits[3] = {cell[0], cell[1], '\0'};
                c = (char)strtol(digits, NULL, 16);
                cell += 2;
            } else if (c == '#') {
                char *end;
                times = strtol(cell, &end, 10);
                cr_assert_eq(*end, ',');
                c = end[1];
                cr_assert_eq(end[2], ';');
                cell = end + 3;
            }
        }
        for (; times > 0; times--) text_append(&text, &c, 1);
    }
    return text;
}

// ---- reading, and telling what was read ----

static void keep_report(void *context, const char *line) {
    cr_expect_null(strchr(line, '\n'), "a report of several lines");
    text_add(context, line);
    text_add(context, "\n");
}

static const char *result_name(enum pdn_result result) {
    switch (result) {
    case PDN_BLACK_WINS: return "black";
    case PDN_DRAW: return "draw";
    case PDN_WHITE_WINS: return "white";
    case PDN_BOTH_LOSE: return "both";
    case PDN_UNKNOWN: return "unknown";
    }
    return "?";
}

static void add_moves(struct text *text, const struct pdn_game *game) {
    static struct move_list legal;
    struct position p = game->start;
    if (!game->ply_count) text_add(text, "-");
    for (int i = 0; i < game->ply_count; i++) {
        char move[MOVE_TEXT_SIZE];
        game->variant->generate(&p, &legal);
        move_to_text(game->variant, &p, &legal, game->plies[i].move, move);
        if (i) text_add(text, " ");
        text_add(text, move);
        game->variant->play(&p, game->plies[i].move);
    }
}

// A text that comes in pieces of any size.
struct stream {
    const struct text *text;
    size_t at;
    struct random random;
};

static size_t next_piece(void *context, char *to, size_t room) {
    struct stream *stream = context;
    const size_t left = stream->text->size - stream->at;
    size_t size = 1 + (size_t)random_below(&stream->random, room);
    if (size > left) size = left;
    if (size) memcpy(to, stream->text->bytes + stream->at, size);
    stream->at += size;
    return size;
}

// All that a text holds.
struct read {
    struct text games, results, reports, written;
    struct pdn_counts counts;
};

// `stream`: NULL = the text is whole.
static struct read read_text(const struct text *text, struct stream *stream, struct pdn_settings settings) {
    struct read read = {0};
    text_add(&read.games, "");
    text_add(&read.results, "");
    text_add(&read.reports, "");
    text_add(&read.written, "");
    settings.report = keep_report;
    settings.context = &read.reports;
    // A copy of just this size, so that a sanitizer sees a byte read beyond it.
    char *bytes = memory_new(text->size, 1);
    memcpy(bytes, text->bytes, text->size);
    struct pdn_reader *reader = stream ? pdn_reader_new_stream("f.pdn", next_piece, stream, &settings)
                                       : pdn_reader_new("f.pdn", bytes, text->size, &settings);
    struct pdn_game game;
    long count = 0;
    while (pdn_read(reader, &game)) {
        if (count++) {
            text_add(&read.games, " | ");
            text_add(&read.results, " ");
        } else {
            char *written = pdn_game_to_text(&game, settings.left);
            text_add(&read.written, written);
            free(written);
        }
        add_moves(&read.games, &game);
        text_add(&read.results, result_name(game.result));
        pdn_game_free(&game);
    }
    cr_expect(!pdn_read(reader, &game), "a game behind the end");
    read.counts = pdn_reader_counts(reader);
    cr_expect_eq(read.counts.read, count);
    pdn_reader_free(reader);
    free(bytes);
    return read;
}

static struct read read_all(const struct text *text, struct pdn_settings settings) {
    return read_text(text, NULL, settings);
}

static void read_free(struct read *read) {
    free(read->games.bytes);
    free(read->results.bytes);
    free(read->reports.bytes);
    free(read->written.bytes);
}

static void expect_reports(const char *name, const char *reports, const char *expected) {
    if (!*expected) cr_expect_str_eq(reports, "", "%s", name);
    for (const char *at = reports; *expected;) {
        const char *end = strstr(expected, " && ");
        char *part = end ? strndup(expected, (size_t)(end - expected)) : strdup(expected);
        at = strstr(at, part);
        cr_expect(at, "%s: reports are\n%sand not \"%s\"", name, reports, part);
        if (at) at += strlen(part);
        free(part);
        if (!at) return;
        expected = end ? end + 4 : "";
    }
}

Test(read, table) {
    struct table table = table_read("pdn.tsv");
    for (int row = 0; row < table.rows; row++) {
        const char *name = table_cell(&table, row, "name"), *words = table_cell(&table, row, "settings");
        const struct pdn_settings settings = {
            .variant = strstr(words, "none") ? NULL : variant_named(table_cell(&table, row, "variant")),
            .left = strstr(words, "first")   ? PDN_LEFT_FIRST
                    : strstr(words, "white") ? PDN_LEFT_WHITE
                                             : PDN_LEFT_DEFAULT,
            .text_result_wins = strstr(words, "text") != NULL,
            .comments = strstr(words, "comments") != NULL,
            .keep_broken = strstr(words, "keep") != NULL,
            .one_variant = strstr(words, "single") != NULL,
        };
        struct text text = text_of_cell(table_cell(&table, row, "text"));
        struct text written = text_of_cell(table_cell(&table, row, "written"));
        struct read read = read_all(&text, settings);
        cr_expect_str_eq(read.games.bytes, table_cell(&table, row, "games"), "%s: games are %s\n%s", name,
                         read.games.bytes, read.reports.bytes);
        cr_expect_str_eq(read.results.bytes, table_cell(&table, row, "results"), "%s: results are %s", name,
                         read.results.bytes);
        cr_expect_eq(read.counts.skipped, strtol(table_cell(&table, row, "skipped"), NULL, 10),
                     "%s: %ld skipped\n%s", name, read.counts.skipped, read.reports.bytes);
        expect_reports(name, read.reports.bytes, table_cell(&table, row, "reports"));
        cr_expect(strstr(read.written.bytes, written.bytes), "%s: written is\n%.2000s", name,
                  read.written.bytes);
        read_free(&read);
        free(text.bytes);
        free(written.bytes);
    }
    table_free(&table);
}

// Every text of the table many times over, whatever it leaves open, and what is longer than the window.
static struct text long_text(struct random *random) {
    struct table table = table_read("pdn.tsv");
    struct text all = {0};
    text_add(&all, "");
    while (all.size < 5 << 20) {
        const int row = (int)random_below(random, (uint64_t)table.rows);
        struct text text = text_of_cell(table_cell(&table, row, "text"));
        if (text.size < 50000 || !random_below(random, 20)) text_append(&all, text.bytes, text.size);
        free(text.bytes);
        if (random_below(random, 2)) text_add(&all, "\n\n[Event \"x\"]\n");
        if (random_below(random, 5000)) continue;
        text = text_of_cell("\n[Event \"y\"]\n32-28 {\\#1500000,c; end} *\n");
        text_append(&all, text.bytes, text.size);
        free(text.bytes);
    }
    table_free(&table);
    return all;
}

static void expect_same_text(const char *a, const char *b) {
    size_t i = 0;
    while (a[i] && a[i] == b[i]) i++;
    cr_expect(a[i] == b[i], "differs: %.200s\nfrom: %.200s", a + (i > 50 ? i - 50 : 0),
              b + (i > 50 ? i - 50 : 0));
}

Test(read, in_pieces) {
    struct random random = random_stream(3, 1);
    struct text text = long_text(&random);
    const struct pdn_settings settings = {
        .comments = true, .keep_broken = true, .variant = variant_named("international")};
    struct stream stream = {.text = &text, .random = random_stream(4, 1)};
    struct read whole = read_text(&text, NULL, settings), pieces = read_text(&text, &stream, settings);
    expect_same_text(pieces.reports.bytes, whole.reports.bytes);
    expect_same_text(pieces.games.bytes, whole.games.bytes);
    expect_same_text(pieces.results.bytes, whole.results.bytes);
    cr_expect_str_eq(pieces.written.bytes, whole.written.bytes);
    cr_expect_eq(memcmp(&pieces.counts, &whole.counts, sizeof whole.counts), 0);
    cr_expect(whole.counts.read > 1000 && whole.counts.skipped > 500 && whole.counts.broken > 500);
    read_free(&whole);
    read_free(&pieces);
    free(text.bytes);
}

// A comment that is never closed, in a text of which there is no end.
static size_t more_of_the_same(void *context, char *to, size_t room) {
    long *left = context;
    if ((long)room > *left) room = (size_t)*left;
    memset(to, 'c', room);
    if (*left == 1 << 26) memcpy(to, "[Event \"a\"]\n32-28 {", 19);
    *left -= (long)room;
    return room;
}

Test(read, without_end) {
    long left = 1 << 26;
    struct text reports = {0};
    text_add(&reports, "");
    const struct pdn_settings settings = {.variant = variant_named("international"),
                                          .keep_broken = true,
                                          .report = keep_report,
                                          .context = &reports};
    struct pdn_reader *reader = pdn_reader_new_stream("f.pdn", more_of_the_same, &left, &settings);
    struct pdn_game game;
    cr_assert(pdn_read(reader, &game));
    cr_expect_eq(game.ply_count, 1);
    cr_expect(strstr(reports.bytes, "f.pdn:2: warning: game 1 is read up to here: \"ccc"), "%s",
              reports.bytes);
    cr_expect(game.broken);
    cr_expect_eq(left, 0);
    pdn_game_free(&game);
    cr_assert(!pdn_read(reader, &game));
    pdn_reader_free(reader);
    free(reports.bytes);
}

// What is longer than the part of a stream that is held: a text, so many bytes of a kind, another text.
struct long_stream {
    const char *parts[2];
    char filler;
    size_t left;
};

static size_t next_of_long(void *context, char *to, size_t room) {
    struct long_stream *stream = context;
    const bool begins = stream->parts[0] != NULL;
    if (!begins && stream->left) {
        if (room > stream->left) room = stream->left;
        memset(to, stream->filler, room);
        stream->left -= room;
        return room;
    }
    const char *part = stream->parts[!begins];
    if (!part) return 0;
    stream->parts[!begins] = NULL;
    cr_assert(room >= strlen(part));
    memcpy(to, part, strlen(part));
    return strlen(part);
}

Test(read, longer_than_what_is_held) {
    static const struct {
        const char *before;
        char filler;
        const char *after, *games, *reports;
    } rows[] = {
        {"32-28 {", '*', "} 19-23 * 33-29", "32-28 19-23 | 33-29 | ", ""},
        {"32-28 ;", '*', "\n19-23 *\n33-29", "32-28 19-23 | 33-29 | ", ""},
        {"32-28 %", '*', "\n19-23 *\n33-29", "32-28 19-23 | 33-29 | ", ""},
        {"32-28 \n", '\n', "19-23 * 33-29", "32-28 19-23 | 33-29 | ", ""},
        {"32-28 \n", ' ', "19-23 * 33-29", "32-28 19-23 | 33-29 | ", ""},
        {"32-28 ", '\0', "19-23 * 33-29", "32-28 19-23 | 33-29 | ", ""},
        {"32-28 {", '*', "\n[Event \"b\"]\n33-29", "32-28 | 33-29 | ", "the comment is not closed"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct long_stream stream = {{rows[i].before, rows[i].after}, rows[i].filler, 40000000};
        struct text reports = {0}, games = {0};
        text_add(&reports, "");
        text_add(&games, "");
        const struct pdn_settings settings = {.variant = variant_named("international"),
                                              .keep_broken = true,
                                              .report = keep_report,
                                              .context = &reports};
        struct pdn_reader *reader = pdn_reader_new_stream("f.pdn", next_of_long, &stream, &settings);
        for (struct pdn_game game; pdn_read(reader, &game); pdn_game_free(&game)) {
            add_moves(&games, &game);
            text_add(&games, " | ");
        }
        cr_expect_str_eq(games.bytes, rows[i].games, "row %zu: %s\n%s", i, games.bytes, reports.bytes);
        expect_reports(rows[i].before, reports.bytes, rows[i].reports);
        pdn_reader_free(reader);
        free(reports.bytes);
        free(games.bytes);
    }
}

Test(read, counts) {
    static const char text[] = "[GameType \"24\"] 1. 10-13 22-18 2. 13x22 *\n"
                               "1. 32-28 19-23 2. 34-29 14-19 *\n"
                               "1. 32-28 (33-29) 19-23 2. 28x19 14x23 *\n"
                               "99-98 17-18 *";
    const struct pdn_settings settings = {
        .variant = variant_named("international"), .keep_broken = true, .one_variant = true};
    struct pdn_reader *reader = pdn_reader_new("f.pdn", text, sizeof text - 1, &settings);
    struct pdn_game game;
    cr_assert(pdn_read(reader, &game));
    cr_expect(game.broken && game.number == 2 && game.ply_count == 2 && game.plies[1].index >= 0);
    pdn_game_free(&game);
    cr_assert(pdn_read(reader, &game));
    cr_expect(!game.broken && game.number == 3 && game.ply_count == 4 && game.line == 3);
    pdn_game_free(&game);
    cr_assert(!pdn_read(reader, &game));
    const struct pdn_counts counts = pdn_reader_counts(reader);
    cr_expect_eq(counts.read, 2);
    cr_expect_eq(counts.skipped, 2);
    cr_expect_eq(counts.others, 1);
    cr_expect_eq(counts.broken, 1);
    cr_expect_eq(counts.moves, 6);
    cr_expect_eq(counts.lost_moves, 3 + 2 + 2);
    pdn_reader_free(reader);
}

Test(read, guess) {
    static const struct {
        const char *text, *variant, *why;
    } rows[] = {
        {"1. c3-d4 d6-c5 2. b2-c3 f6-g5 3. c3-b4 g5-h4 4. b4:d6", "brazilian",
         "read as brazilian, whose rules allow 7 of 7 moves, as those of russian do, as those of czech do"},
        {"1. 11-15 22-18 2. 15x22 25x18", "american",
         "read as american, whose rules allow 4 of 4 moves, as those of pool do"},
        {"1. 32-28 19-23 2. 28x19 14x23 3. 99-98", "international", "whose rules allow 4 of 5 moves"},
        {"1. 10-13 22-18 1-0", "spanish", "as those of portuguese do"},
        {"1. e2-e4 e7-e5 *", NULL, "no game is known"},
        {"", NULL, "no game is known"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error why;
        const struct variant *guess = pdn_guess(rows[i].text, strlen(rows[i].text), &why);
        cr_expect_eq(guess, rows[i].variant ? variant_named(rows[i].variant) : NULL, "%s: %s", rows[i].text,
                     why.text);
        cr_expect(strstr(why.text, rows[i].why), "%s: %s", rows[i].text, why.text);
    }
}

// Files written for this test; what must be read of NAME.pdn stands in NAME.txt.
static void expect_file(const char *name, const char *variant) {
    struct error error;
    struct text text = {0}, expected = {0}, found = {0};
    char *path = memory_text("%s/pdn/%s.pdn", TEST_DATA, name);
    cr_assert(file_read(path, 1 << 20, &text.bytes, &text.size, &error), "%s", error.text);
    free(path);
    path = memory_text("%s/pdn/%s.txt", TEST_DATA, name);
    cr_assert(file_read(path, 1 << 20, &expected.bytes, &expected.size, &error), "%s", error.text);
    free(path);
    struct read read =
        read_all(&text, (struct pdn_settings){.variant = variant ? variant_named(variant) : NULL});
    for (char *at = read.games.bytes; (at = strstr(at, " | "));) memcpy(at, "\n  ", 3);
    text_add(&found, "games:\n  ");
    text_add(&found, read.games.bytes);
    text_add(&found, "\nresults: ");
    text_add(&found, read.results.bytes);
    text_add(&found, "\nreports:\n");
    text_add(&found, read.reports.bytes);
    cr_expect_str_eq(found.bytes, expected.bytes, "%s.pdn is read as\n%s", name, found.bytes);
    read_free(&read);
    free(text.bytes);
    free(expected.bytes);
    free(found.bytes);
}

Test(read, files) {
    expect_file("club", "international");
    expect_file("forum", NULL);
    expect_file("chess_habits", NULL);
}

Test(read, without_reports) {
    static const char text[] = "[Event \"a\"] 32-28 word 19-23 * [Event \"b\"] 1. 99-98 *";
    struct pdn_settings settings = {.variant = variant_named("international")};
    struct pdn_reader *reader = pdn_reader_new("f.pdn", text, sizeof text - 1, &settings);
    struct pdn_game game;
    cr_assert(pdn_read(reader, &game));
    cr_expect_str_eq(pdn_tag(&game, "EVENT"), "a");
    cr_expect_null(pdn_tag(&game, "Site"));
    cr_expect_eq(game.line, 1);
    pdn_game_free(&game);
    cr_assert(!pdn_read(reader, &game));
    const struct pdn_counts counts = pdn_reader_counts(reader);
    cr_expect_eq(counts.read, 1);
    cr_expect_eq(counts.skipped, 1);
    cr_expect_eq(counts.warnings, 1);
    pdn_reader_free(reader);
}

Test(read, lines_of_games) {
    static const char text[] = "32-28 *\r\n\r\n33-29 *\r34-29 *\n\n\n[Event \"x\"]\n35-30";
    static const int lines[] = {1, 3, 4, 7};
    struct pdn_settings settings = {.variant = variant_named("international")};
    struct pdn_reader *reader = pdn_reader_new("f.pdn", text, sizeof text - 1, &settings);
    struct pdn_game game;
    for (int i = 0; i < 4; i++) {
        cr_assert(pdn_read(reader, &game));
        cr_expect_eq(game.line, lines[i], "game %d in line %d", i, game.line);
        pdn_game_free(&game);
    }
    cr_assert(!pdn_read(reader, &game));
    pdn_reader_free(reader);
}

// ---- results and words ----

Test(words, results) {
    static const struct {
        const char *variant;
        enum pdn_result result;
        enum pdn_left left;
        const char *text;
    } rows[] = {
        // two points for International, GameType 20 (pdntags.rst); 3.4: the left number is White's
        {"international", PDN_WHITE_WINS, PDN_LEFT_DEFAULT, "2-0"},
        {"international", PDN_DRAW, PDN_LEFT_DEFAULT, "1-1"},
        {"international", PDN_BLACK_WINS, PDN_LEFT_FIRST, "0-2"},
        {"killer", PDN_BLACK_WINS, PDN_LEFT_DEFAULT, "0-2"},
        {"frisian", PDN_WHITE_WINS, PDN_LEFT_DEFAULT, "1-0"},
        {"russian", PDN_BLACK_WINS, PDN_LEFT_WHITE, "0-1"},
        {"russian", PDN_DRAW, PDN_LEFT_DEFAULT, "1/2-1/2"},
        // Black begins: Black's by default
        {"american", PDN_BLACK_WINS, PDN_LEFT_DEFAULT, "1-0"},
        {"american", PDN_WHITE_WINS, PDN_LEFT_FIRST, "0-1"},
        {"american", PDN_WHITE_WINS, PDN_LEFT_WHITE, "1-0"},
        {"pool", PDN_BLACK_WINS, PDN_LEFT_DEFAULT, "1-0"},
        {"thai", PDN_BLACK_WINS, PDN_LEFT_WHITE, "0-1"},
        {"thai", PDN_BOTH_LOSE, PDN_LEFT_DEFAULT, "0-0"},
        {"thai", PDN_UNKNOWN, PDN_LEFT_DEFAULT, "*"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct variant *v = variant_named(rows[i].variant);
        cr_expect_str_eq(pdn_result_to_text(v, rows[i].result, rows[i].left), rows[i].text, "row %zu", i);
        enum pdn_result result = PDN_DRAW;
        cr_expect(pdn_result_from_text(v, rows[i].text, rows[i].left, &result), "row %zu", i);
        cr_expect_eq(result, rows[i].result, "row %zu", i);
    }
    enum pdn_result result;
    cr_expect(!pdn_result_from_text(variant_named("russian"), "4-6", PDN_LEFT_DEFAULT, &result));
    cr_expect(!pdn_result_from_text(variant_named("russian"), "1-0 or something", PDN_LEFT_DEFAULT, &result));
}

// github.com/wiegerw/pdn doc/gametype.rst
Test(words, game_types) {
    static const char *const rows[][2] = {
        {"international", "20,W,10,10,N2,0"},
        {"american", "21,B,8,8,N1,0"},
        {"italian", "22,W,8,8,N2,1"},
        {"pool", "23,B,8,8,N1,0"},
        {"spanish", "24,W,8,8,N1,1"},
        {"russian", "25,W,8,8,A0,0"},
        {"brazilian", "26,W,8,8,A0,0"},
        {"portuguese", "28,W,8,8,N1,1"},
        {"czech", "29,W,8,8,A0,0"},
        {"thai", "31,B,8,8,N2,0"},
        {"frisian", "40,W,10,10,N2,0"},
        {"killer", ""},
        {"american+free", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char type[PDN_GAME_TYPE_SIZE];
        pdn_game_type(variant_named(rows[i][0]), type);
        cr_expect_str_eq(type, rows[i][1], "%s", rows[i][0]);
    }
}

Test(words, terminations) {
    static const struct {
        const char *text, *rest;
        enum pdn_result result;
        enum termination termination;
    } rows[] = {
        {"White wins: illegal move", "illegal move", PDN_WHITE_WINS, GAME_ILLEGAL_MOVE},
        {"black wins", "", PDN_BLACK_WINS, GAME_GOES_ON},
        {"Draw: repetition", "repetition", PDN_DRAW, GAME_REPETITION},
        {"time", "time", PDN_UNKNOWN, GAME_TIME},
        {"Drawish", "Drawish", PDN_UNKNOWN, GAME_GOES_ON},
        {"White wins: White wins: x", "x", PDN_WHITE_WINS, GAME_GOES_ON},
        {"goes on", "goes on", PDN_UNKNOWN, GAME_GOES_ON},
        {"", "", PDN_UNKNOWN, GAME_GOES_ON},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        enum pdn_result result;
        enum termination termination;
        cr_expect_str_eq(pdn_termination_from_text(rows[i].text, &result, &termination), rows[i].rest);
        cr_expect_eq(result, rows[i].result, "%s", rows[i].text);
        cr_expect_eq(termination, rows[i].termination, "%s", rows[i].text);
    }
}

// ---- writing ----

static void add_move(struct pdn_game *game, struct position *now, const char *text,
                     const struct pdn_note *note) {
    static struct move_list legal;
    struct move move;
    struct error error;
    game->variant->generate(now, &legal);
    cr_assert(move_from_text(game->variant, now, &legal, text, &move, &error), "%s", error.text);
    pdn_add_move(game, move, note);
    game->variant->play(now, move);
}

static void expect_written(struct pdn_game *game, const char *expected) {
    char *text = pdn_game_to_text(game, PDN_LEFT_DEFAULT);
    cr_expect_str_eq(text, expected, "written is\n%s", text);
    free(text);
    pdn_game_free(game);
}

Test(write, everything) {
    struct pdn_game game;
    pdn_game_init(&game, variant_named("international"), NULL);
    struct position now = game.start;
    pdn_set_tag(&game, "TimeControl", "10+0.1");
    pdn_set_tag(&game, "white", "old");
    pdn_set_tag(&game, "White", "huff \"new\" \\1");
    pdn_set_tag(&game, "Date", "2025.01.31");
    pdn_set_tag(&game, "Section", "");
    pdn_set_tag(&game, "PlyCount", "77");
    pdn_set_comment(&game, " from the {book}\n of 1 line", strlen(" from the {book}\n of 1 line"));
    add_move(&game, &now, "32-28",
             &(struct pdn_note){.timed = true, .seconds = 3725.1044, .scored = true, .score = -135});
    add_move(&game, &now, "19-23", NULL);
    add_move(&game, &now, "28x19",
             &(struct pdn_note){
                 .timed = true, .seconds = .1, .scored = true, .score = 35, .depth = 12, .nodes = 123456});
    pdn_set_comment(&game, "[Event \"x\"]", 11);
    add_move(&game, &now, "14x23", &(struct pdn_note){.scored = true});
    game.result = PDN_WHITE_WINS;
    game.termination = GAME_TIME;
    expect_written(&game, "[Event \"?\"]\n"
                          "[Site \"?\"]\n"
                          "[Date \"2025.01.31\"]\n"
                          "[Round \"?\"]\n"
                          "[White \"huff \\\"new\\\" \\\\1\"]\n"
                          "[Black \"?\"]\n"
                          "[Result \"2-0\"]\n"
                          "[GameType \"20,W,10,10,N2,0\"]\n"
                          "[TimeControl \"10+0.1\"]\n"
                          "[PlyCount \"4\"]\n"
                          "[Termination \"White wins: time\"]\n"
                          "\n"
                          "{from the (book) of 1 line} 1. 32-28 {[%emt 1:02:05.104] [%eval -1.35]} 19-23\n"
                          "2. 28x19 {[%emt 0:00:00.100] [%eval 0.35] d=12 n=123456 [Event \"x\"]} 14x23\n"
                          "{[%eval 0.00]} *\n"
                          "\n");
}

Test(write, second_side_begins) {
    struct pdn_game game;
    struct position start;
    struct error error;
    const struct variant *v = variant_named("american");
    cr_assert(position_from_fen(v, "W:W21-32:B1-12", &start, &error), "%s", error.text);
    pdn_game_init(&game, v, &start);
    struct position now = game.start;
    add_move(&game, &now, "22-18", NULL);
    add_move(&game, &now, "11-16", NULL);
    game.result = PDN_BLACK_WINS;
    pdn_set_tag(&game, "Termination", "White wins: resigned");
    expect_written(&game, "[Event \"?\"]\n"
                          "[Site \"?\"]\n"
                          "[Date \"????.??.??\"]\n"
                          "[Round \"?\"]\n"
                          "[White \"?\"]\n"
                          "[Black \"?\"]\n"
                          "[Result \"1-0\"]\n"
                          "[GameType \"21,B,8,8,N1,0\"]\n"
                          "[SetUp \"1\"]\n"
                          "[FEN \"W:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12\"]\n"
                          "[PlyCount \"2\"]\n"
                          "[Termination \"Black wins: resigned\"]\n"
                          "\n"
                          "1... 22-18 2. 11-16 *\n"
                          "\n");
}

Test(write, comments_go) {
    struct pdn_game game;
    pdn_game_init(&game, variant_named("killer"), NULL);
    pdn_set_comment(&game, "a", 1);
    pdn_set_comment(&game, " \n", 2);
    cr_expect_null(game.comment);
    pdn_game_free(&game);
}

// ---- random games there and back ----

static int some(struct random *random, int limit) { return (int)random_below(random, (uint64_t)limit); }

static struct position some_start(const struct variant *v, struct random *random) {
    struct position p = variant_initial(v), placed = {0};
    if (some(random, 2)) return p;
    for (int n = 1 + some(random, 2 * v->rules->rows_of_men * v->rules->width / 4); n > 0; n--) {
        const square s = board_square(v->rules->width, 1 + some(random, board_squares(v->rules->width)));
        const enum side side = some(random, 2) ? WHITE : BLACK;
        if ((placed.pieces[WHITE] | placed.pieces[BLACK]) & square_bit(s)) continue;
        placed.pieces[side] |= square_bit(s);
        if (!some(random, 3) || board_crown_row(v->rules->width, side) & square_bit(s))
            placed.kings |= square_bit(s);
    }
    placed.turn = (uint8_t)some(random, 2);
    struct error error;
    return variant_check(v, &placed, &error) ? placed : p;
}

static struct pdn_note some_note(struct random *random) {
    struct pdn_note note = {0};
    if (some(random, 2)) note.timed = true, note.seconds = some(random, 10000000) / 1000.0;
    if (some(random, 2)) note.scored = true, note.score = some(random, 200000) - 100000;
    if (some(random, 2)) note.depth = some(random, 100);
    if (some(random, 2)) note.nodes = random_bits(random);
    if (note.nodes > UINT64_MAX / 10) note.nodes /= 11;
    return note;
}

static void some_comment(struct pdn_game *game, struct random *random) {
    static const char *const words[] = {
        "good",   "32-28",  "*", "1-0",   "(",        ")", "%",
        "[Event", "\"x\"]", "d", "[%clk", "0:01:02]", "/", "\xc3\xa9t\xc3\xa9",
        ";",      "33-28;", "1."};
    struct text text = {0};
    text_add(&text, "");
    for (int n = some(random, 30); n > 0; n--) {
        text_add(&text, words[some(random, (int)(sizeof words / sizeof *words))]);
        text_add(&text, " ");
    }
    pdn_set_comment(game, text.bytes, text.size);
    free(text.bytes);
}

static void some_game(const struct variant *v, struct random *random, struct pdn_game *game) {
    static struct move_list legal;
    const struct position start = some_start(v, random);
    pdn_game_init(game, v, &start);
    struct position now = start;
    const bool said = some(random, 2);
    if (said) some_comment(game, random);
    for (int n = some(random, 120); n > 0; n--) {
        v->generate(&now, &legal);
        if (!legal.count || legal.truncated) break;
        const struct move move = legal.moves[some(random, legal.count)];
        const struct pdn_note note = said && some(random, 2) ? some_note(random) : (struct pdn_note){0};
        pdn_add_move(game, move, &note);
        if (said && !some(random, 4)) some_comment(game, random);
        v->play(&now, move);
    }
    static const enum pdn_result results[] = {PDN_WHITE_WINS, PDN_BLACK_WINS, PDN_DRAW, PDN_BOTH_LOSE,
                                              PDN_UNKNOWN};
    game->result = results[some(random, 5)];
    game->termination = (enum termination)some(random, TERMINATION_COUNT);
    pdn_set_tag(game, "Event", "\xd0\xa1\xd0\xa1\xd0\xa1\xd0\xa0 \"1965\"");
    if (some(random, 2)) pdn_set_tag(game, "Opening", "a [b] \\ {c");
}

static void expect_comment(const char *a, const char *b) {
    cr_expect_eq(!a, !b);
    if (a && b) cr_expect_str_eq(a, b);
}

static void expect_equal(const struct pdn_game *a, const struct pdn_game *b) {
    const char *name = a->variant->name;
    cr_expect_eq(a->variant, b->variant, "%s is read as %s", name, b->variant->name);
    cr_expect(position_equal(&a->start, &b->start), "%s: the start changed", name);
    cr_expect_eq(a->result, b->result, "%s: result %d became %d", name, (int)a->result, (int)b->result);
    cr_expect_eq(a->termination, b->termination, "%s", name);
    cr_expect_str_eq(pdn_tag(a, "Event"), pdn_tag(b, "Event"));
    expect_comment(pdn_tag(a, "Opening"), pdn_tag(b, "Opening"));
    expect_comment(a->comment, b->comment);
    cr_assert_eq(a->ply_count, b->ply_count, "%s: %d moves became %d", name, a->ply_count, b->ply_count);
    for (int i = 0; i < a->ply_count; i++) {
        const struct pdn_ply *p = &a->plies[i], *q = &b->plies[i];
        cr_expect(move_equal(p->move, q->move), "%s: move %d changed", name, i);
        cr_expect(p->note.scored == q->note.scored && p->note.score == q->note.score &&
                      p->note.timed == q->note.timed && p->note.seconds == q->note.seconds &&
                      p->note.depth == q->note.depth && p->note.nodes == q->note.nodes,
                  "%s: the note of move %d changed", name, i);
        expect_comment(p->comment, q->comment);
    }
}

static regex_t pattern_of(const char *text) {
    regex_t pattern;
    cr_assert_eq(regcomp(&pattern, text, REG_EXTENDED | REG_NOSUB), 0, "%s", text);
    return pattern;
}

// PDN's grammar for writing (grammar.rst): nothing but tags, numbers, moves, comments and "*".
static void expect_strict(const struct variant *v, char *text) {
    const char *name = v->rules->names == NUMERIC ? "[1-9][0-9]?" : "[a-h][1-8]";
    char *move = memory_text("^([1-9][0-9]*[.]([.][.])?|%s-%s|%s([%c]%s)+|[*])$", name, name, name,
                             v->rules->capture_sign, name);
    regex_t tag = pattern_of("^\\[[A-Z][A-Za-z0-9_]* \"([^\"\\\\]|\\\\.)*\"\\]$"), word = pattern_of(move);
    char *body = strstr(text, "\n\n"), *rest = NULL;
    cr_assert(body);
    *body = '\0';
    body += 2;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        cr_expect_eq(regexec(&tag, line, 0, NULL, 0), 0, "%s: no tag: %s", v->name, line);
    for (char *open; (open = strchr(body, '{'));) {
        char *close = strchr(open, '}');
        cr_assert(close && !memchr(open + 1, '{', (size_t)(close - open - 1)), "%s", open);
        memset(open, ' ', (size_t)(close + 1 - open));
    }
    for (char *w = strtok_r(body, " \n", &rest); w; w = strtok_r(NULL, " \n", &rest))
        cr_expect_eq(regexec(&word, w, 0, NULL, 0), 0, "%s: neither number nor move: %s", v->name, w);
    regfree(&tag);
    regfree(&word);
    free(move);
}

// At most 79 columns, apart from what may not be cut: tags, and words of a comment before "[" or "%".
static void expect_short_lines(const char *text) {
    for (const char *line = strstr(text, "\n\n") + 2; *line;) {
        const size_t bytes = strcspn(line, "\n");
        size_t columns = 0;
        bool whole = false;
        for (size_t i = 0; i < bytes; i++) {
            columns += (line[i] & 0xc0) != 0x80;
            whole |= i && line[i - 1] == ' ' && strchr("[%", line[i]);
        }
        cr_expect(columns <= 79 || whole, "%zu columns: %.*s", columns, (int)bytes, line);
        line += bytes + (line[bytes] == '\n');
    }
}

static void keep_nothing(void *context, const char *line) {
    cr_expect_fail("%s: %s", (const char *)context, line);
}

Test(round_trip, random_games) {
    struct random random = random_stream(11, 1);
    FOR_EACH_VARIANT(v) {
        enum { GAMES = 40 };
        static struct pdn_game games[GAMES];
        struct text file = {0};
        const enum pdn_left left = some(&random, 2) ? PDN_LEFT_FIRST : PDN_LEFT_WHITE;
        for (int i = 0; i < GAMES; i++) {
            some_game(v, &random, &games[i]);
            char *text = pdn_game_to_text(&games[i], left);
            expect_short_lines(text);
            text_add(&file, text);
            expect_strict(v, text);
            free(text);
        }
        struct pdn_settings settings = {.left = left,
                                        .variant = some(&random, 2) ? v : NULL,
                                        .comments = true,
                                        .report = keep_nothing,
                                        .context = (void *)v->name};
        struct pdn_reader *reader = pdn_reader_new("f.pdn", file.bytes, file.size, &settings);
        struct pdn_game read;
        for (int i = 0; i < GAMES; i++) {
            cr_assert(pdn_read(reader, &read), "%s: game %d is lost", v->name, i);
            expect_equal(&games[i], &read);
            pdn_game_free(&read);
            pdn_game_free(&games[i]);
        }
        cr_expect(!pdn_read(reader, &read));
        pdn_reader_free(reader);
        free(file.bytes);
    }
}
