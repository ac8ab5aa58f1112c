// test_opening_list.c -- lists of openings: what is read, what is refused and where, and that nothing is
// twice.

#include <criterion/criterion.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/notation.h"
#include "core/support/file.h"
#include "core/support/memory.h"
#include "selfplay/opening_list.h"

static const struct variant *named(const char *name) {
    const struct variant *variant = variant_find(name, NULL);
    cr_assert_not_null(variant);
    return variant;
}

// Reads a file with this text; NULL and the error when it is refused.
static struct opening_list *read_text(const struct variant *variant, const char *text, const char *suffix,
                                      struct error *error) {
    char *path = memory_text("/tmp/huff-openings-XXXXXX%s", suffix);
    const int file = mkstemps(path, (int)strlen(suffix));
    cr_assert_geq(file, 0);
    cr_assert_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    *error = (struct error){.text = ""};
    struct opening_list *list = opening_list_read(path, variant, &variant->rules->draws, error);
    unlink(path);
    free(path);
    return list;
}

static void refuses(const char *variant, const char *text, const char *suffix, const char *expected) {
    struct error error;
    struct opening_list *list = read_text(named(variant), text, suffix, &error);
    cr_expect_null(list, "taken: %s", text);
    cr_expect(strstr(error.text, expected) != NULL, "no \"%s\" in: %s", expected, error.text);
    opening_list_free(list);
}

static struct position end_of(const struct variant *variant, const struct opening *opening) {
    struct position position = opening->start;
    for (int i = 0; i < opening->plies; i++) variant->play(&position, opening->moves[i]);
    return position;
}

// Books were written without a checksum of their first line before.
Test(opening_list, of_an_older_book) {
    const char *const text = "# huff-book 1 russian 1 plies: 1 positions\n# sha256 %s\n%s";
    const char *const body = "W:Wa1,c3:Bf6,h8\n";
    char sha256[SHA256_DIGEST_STRING_LENGTH];
    struct error error;
    SHA256Data((const uint8_t *)body, strlen(body), sha256);
    char *good = memory_text(text, sha256, body), *bad = memory_text(text, sha256, "W:Wa1,c3:Bf6\n");
    struct opening_list *list = read_text(named("russian"), good, ".book", &error);
    cr_assert_not_null(list, "%s", error.text);
    cr_expect_eq(opening_list_count(list), 1);
    opening_list_free(list);
    refuses("russian", bad, ".book", "its checksum differs");
    free(good);
    free(bad);
}

Test(opening_list, refuses_a_zero_byte) {
    static const char text[] = "W:Wa1,c3:Bf6,h8\nW:Wa1,c3:Bf6,h8\0 and more\nW:Wa1:Bh8\n";
    char path[] = "/tmp/huff-zero-XXXXXX";
    struct error error;
    close(mkstemp(path));
    cr_assert(file_replace(path, text, sizeof text - 1, &error), "%s", error.text);
    const struct variant *variant = named("russian");
    cr_expect_null(opening_list_read(path, variant, &variant->rules->draws, &error));
    cr_expect(strstr(error.text, ":2: has a zero byte") != NULL, "%s", error.text);
    unlink(path);
}

Test(opening_list, of_positions) {
    const struct variant *variant = named("international");
    struct error error;
    struct opening_list *list =
        read_text(variant, "# two\n\nW:W31-50:B1-20\n  B:W31-50:B1-20  # Black\r\n", ".fen", &error);
    cr_assert_not_null(list, "%s", error.text);
    cr_assert_eq(opening_list_count(list), 2);
    cr_assert(opening_list_line(list, 0) == 3 && opening_list_line(list, 1) == 4);
    cr_assert_eq(strlen(opening_list_sha256(list)), 64);
    struct opening opening;
    opening_list_get(list, 1, &opening);
    cr_assert(opening.plies == 0 && position_turn(&opening.start) == BLACK);
    opening_list_free(list);
}

Test(opening_list, of_games) {
    const struct variant *variant = named("international");
    struct error error;
    static const char games[] =
        "[Event \"a\"]\n\n1. 32-28 19-23 2. 28x19 14x23 *\n\n[Event \"b\"]\n\n1. 33-29 *\n";
    struct opening_list *list = read_text(variant, games, ".txt", &error);
    cr_assert_not_null(list, "%s", error.text);
    cr_assert_eq(opening_list_count(list), 2);
    struct opening opening;
    opening_list_get(list, 0, &opening);
    cr_assert_eq(opening.plies, 4);
    char fen[FEN_TEXT_SIZE];
    const struct position end = end_of(variant, &opening);
    position_to_fen(variant, &end, fen);
    cr_assert_str_eq(fen, "W:W31,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:"
                          "B1,2,3,4,5,6,7,8,9,10,11,12,13,15,16,17,18,20,23");
    opening_list_free(list);
}

Test(opening_list, refusals_name_the_line) {
    refuses("international", "W:W31-50:B1-20\nW:W31-50:B1-20,51\n", ".fen", ".fen:2: ");
    refuses("international", "\n# nothing\n", ".fen", ".fen: no opening in it");
    refuses("international", "W:W46:B37,41\n", ".fen", ".fen:1: the game is over after 0 plies (blocked)");
    refuses("international", "W:W:B1\n", ".fen", ".fen:1: the game is over after 0 plies (no pieces)");
    refuses("international", "[Event \"a\"]\n\n1. 32-28 *\n\n[Event \"b\"]\n\n1. 32-27 1-50 *\n", ".pdn",
            ".pdn:");
    refuses("international", "[Event \"b\"]\n\n1. 32-27 1-50 *\n\n[Event \"a\"]\n\n1. 32-28 *\n", ".pdn",
            ".pdn:");
    // Two kings walk up and down until the position is there for the third time.
    refuses("international",
            "[Event \"a\"]\n[SetUp \"1\"]\n[FEN \"W:WK46,K47,K48:BK5,K4\"]\n\n"
            "1. 47-41 4-10 2. 41-47 10-4 3. 47-41 4-10 4. 41-47 10-4 *\n",
            ".pdn", "(repetition)");
}

// The numbers of distinct positions of American checkers are known from ballots (49 of two moves), those of
// three and more plies from counting them with another program.
Test(opening_list, all_positions_once) {
    static const struct {
        const char *variant;
        int plies, count;
    } cases[] = {{"international", 1, 9}, {"international", 2, 81}, {"american", 1, 7},   {"american", 2, 49},
                 {"american", 3, 216},    {"american", 4, 805},     {"american", 5, 2733}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const struct variant *variant = named(cases[c].variant);
        struct error error;
        struct opening_list *list = opening_list_all(cases[c].plies, variant, &variant->rules->draws, &error);
        cr_assert_not_null(list);
        cr_expect_eq(opening_list_count(list), cases[c].count, "%d", opening_list_count(list));
        opening_list_free(list);
    }
    const struct variant *variant = named("american");
    struct error error;
    struct opening_list *list = opening_list_all(3, variant, &variant->rules->draws, &error);
    const int count = opening_list_count(list);
    cr_assert(count > 100 && count < 302, "%d", count);  // 302 ways to play three plies
    for (int i = 0; i < count; i++) {
        struct opening a, b;
        opening_list_get(list, i, &a);
        cr_assert_eq(a.plies, 3);
        const struct position end = end_of(variant, &a);
        for (int j = 0; j < i; j++) {
            opening_list_get(list, j, &b);
            const struct position other = end_of(variant, &b);
            cr_assert_not(position_equal(&end, &other), "%d and %d", i, j);
        }
    }
    opening_list_free(list);
    cr_assert_null(opening_list_all(8, named("international"), &variant->rules->draws, &error));
    cr_assert(strstr(error.text, "more than 100000 openings") != NULL, "%s", error.text);
}

// Every opening stays, in another order for another seed and in the same for the same.
Test(opening_list, shuffled_by_the_seed) {
    const struct variant *variant = named("spanish");
    struct error error;
    struct opening_list *lists[3];
    for (int i = 0; i < 3; i++) {
        lists[i] = opening_list_all(2, variant, &variant->rules->draws, &error);
        opening_list_shuffle(lists[i], i == 2 ? 7 : 8);
    }
    const int count = opening_list_count(lists[0]);
    int moved = 0, sum = 0;
    for (int i = 0; i < count; i++) {
        cr_assert_eq(opening_list_line(lists[0], i), opening_list_line(lists[1], i));
        moved += opening_list_line(lists[0], i) != opening_list_line(lists[2], i);
        sum += opening_list_line(lists[2], i);
    }
    cr_assert_gt(moved, count / 2);
    cr_assert_eq(sum, count * (count + 1) / 2);
    for (int i = 0; i < 3; i++) opening_list_free(lists[i]);
}

// What is written as a book is read back as the same positions; a changed byte, wherever it is, is not read.
Test(opening_list, book_survives_nothing_but_itself) {
    const struct variant *variant = named("russian");
    struct error error = {.text = ""};
    struct opening_list *list = opening_list_all(3, variant, &variant->rules->draws, &error);
    cr_assert_not_null(list, "%s", error.text);
    bool *kept = memory_new((size_t)opening_list_count(list), sizeof *kept);
    for (int i = 0; i < 10; i++) kept[3 * i] = true;
    opening_list_keep(list, kept);
    cr_assert_eq(opening_list_count(list), 10);
    char path[] = "/tmp/huff-book-XXXXXX";
    close(mkstemp(path));
    cr_assert(opening_list_write(list, path, "of a test", &error), "%s", error.text);
    struct opening_list *read = opening_list_read(path, variant, &variant->rules->draws, &error);
    cr_assert_not_null(read, "%s", error.text);
    cr_assert_eq(opening_list_count(read), 10);
    for (int i = 0; i < 10; i++) {
        const struct position written = opening_list_end(list, i), found = opening_list_end(read, i);
        cr_expect(position_equal(&written, &found), "opening %d", i);
    }
    char *text;
    size_t size;
    cr_assert(file_read(path, 1 << 20, &text, &size, &error));
    // A first line without its first word is a comment in a list that somebody wrote.
    for (size_t at = strlen("# huff-book"); at < size; at++) {
        text[at] ^= 1;
        cr_expect_null(read_text(variant, text, ".book", &error), "changed at %zu", at);
        text[at] ^= 1;
    }
    text[size - 1] = '\0';
    cr_expect_null(read_text(variant, text, ".book", &error));
    cr_expect_null(opening_list_read(path, named("czech"), &variant->rules->draws, &error));
    cr_expect(strstr(error.text, "a book of russian, not of czech") != NULL, "%s", error.text);
    unlink(path);
    free(text);
    free(kept);
    opening_list_free(read);
    opening_list_free(list);
}
