// test_eval.c -- the evaluation is antisymmetric and equals its features; files of weights are read strictly.
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "core/notation.h"
#include "core/support/file.h"
#include "core/support/memory.h"
#include "search/eval.h"
#include "tests/named.h"
#include "tests/random_positions.h"

enum { POSITIONS = 2000 };  // of each variant

static struct weights random_weights(const struct variant *variant, uint64_t unit, int size) {
    struct splitmix random = splitmix_of("weights", unit);
    struct weights weights = weights_zero(variant);
    for (int t = 0; t < TERM_COUNT; t++) {
        // As large as MAN, TEMPO and MAN_SQUARE can be in a sum.
        const bool man =
            t == TERM_MAN || t == TERM_TEMPO || (t >= TERM_MAN_SQUARE && t <= TERM_MAN_SQUARE_LAST);
        const int most = man && size > MAN_LIMIT / 11 ? MAN_LIMIT / 11 : size;
        for (int k = 0; k < KNOTS; k++) weights.value[t][k] = splitmix_below(&random, 2 * most + 1) - most;
    }
    return weights;
}

// The colours exchanged, the board turned, the other side to move.
static struct position swapped(const struct variant *variant, const struct position *p) {
    const int width = variant->rules->width;
    return (struct position){
        .pieces = {board_turned(width, p->pieces[BLACK]), board_turned(width, p->pieces[WHITE])},
        .kings = board_turned(width, p->kings),
        .turn = (uint8_t)other_side(position_turn(p)),
    };
}

// ---- features ----

Test(features, of_a_known_position) {
    const struct variant *variant = variant_named("international");
    const struct position p = position_of(variant, "B:W31,K5:B1,20");
    struct feature features[MAX_FEATURES];
    const int n = eval_features(variant, &p, features);
    const struct feature expected[] = {
        {TERM_MAN, -1},
        // Tempo: the men on 31 and on 20, which is Black's own 31, have gone three rows; they cancel.
        {TERM_KING, 1},
        {TERM_FIRST_KING, 1},
        {TERM_TURN, -1},
        {TERM_BALANCE, 1},      // White's man is alone on his wing, Black has one on each
        {TERM_KING_SAFE, 8},    // the long diagonal from 46 to 10, but
        {TERM_KING_UNSAFE, 1},  // on 14 the man on 20 takes backwards
        {TERM_MAN_SQUARE + 50 - 1, -1},
        {TERM_KING_SQUARE + 5 - 1, 1},
    };
    const int others = sizeof expected / sizeof *expected;
    for (int i = 0; i < others; i++) {
        cr_assert_eq(features[i].term, expected[i].term);
        cr_assert_eq(features[i].count, expected[i].count);
    }
    // Black's man on 1 is the first square of White's first window, an opponent's; Black sees nothing through
    // his. All windows that show the men on 31 and 20 show both sides the same.
    const struct feature patterns[] = {{TERM_PATTERN + 2, 1}, {TERM_PATTERN, -1}};
    cr_assert_eq(n, others + 2);
    cr_assert_eq(memcmp(features + others, patterns, sizeof patterns), 0);
}

Test(features, opposition_by_the_rule_of_the_books) {
    // An odd number of pieces on the files that begin on the first row of the side to move.
    static const struct {
        const char *fen;
        int count;  // 0: not a feature
    } cases[] = {
        {"W:W32:B1", 1}, {"B:W32:B1", -1},   {"W:W27:B6", 1},       {"W:W27:B1", -1},     {"W:W32:B5", -1},
        {"B:W32:B5", 1}, {"W:W31,32:B1", 0}, {"W:W31,32:B1,2", -1}, {"B:W31,32:B1,2", 1}, {"W:WK10:BK23", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct variant *variant = variant_named("american");
        const struct position p = position_of(variant, cases[i].fen);
        struct feature features[MAX_FEATURES];
        const int n = eval_features(variant, &p, features);
        int count = 0;
        for (int f = 0; f < n; f++)
            if (features[f].term == TERM_OPPOSITION) count = features[f].count;
        cr_expect_eq(count, cases[i].count, "%s: %d", cases[i].fen, count);
    }
}

Test(features, never_more_than_there_is_room_for) {
    // Every piece of both sides on a square of its own.
    const struct variant *variant = variant_named("international");
    const struct position p = position_of(variant, "W:WK1-20:B31-44,45,K46-50");
    struct feature features[MAX_FEATURES];
    const int n = eval_features(variant, &p, features);
    cr_assert_leq(n, MAX_FEATURES);
    cr_assert_gt(n, 30);
}

Test(features, weigh_up_to_the_score) {
    for (int i = 0; i < variant_count; i++) {
        const struct variant *variant = &variants[i];
        struct splitmix random = splitmix_of(variant->name, 1);
        struct weights weights = random_weights(variant, (uint64_t)i, 3000);
        struct evaluator *const evaluator = evaluator_new(&weights);
        int different = 0;
        for (int n = 0; n < POSITIONS; n++) {
            const struct position p = random_placement(variant->rules, &random);
            struct feature features[MAX_FEATURES];
            const int count = eval_features(variant, &p, features);
            double sum = 0;
            const struct eval_shares shares = eval_shares(variant, &p);
            for (int f = 0; f < count; f++) {
                cr_assert_neq(features[f].count, 0);
                cr_assert(features[f].term >= 0 && features[f].term < TERM_COUNT);
                for (int k = 0; k < KNOTS; k++)
                    sum += features[f].count * (double)shares.of[k] * weights.value[features[f].term][k];
            }
            sum *= eval_scale(variant, &p, sum < 0 ? BLACK : WHITE) / (8.0 * EVAL_WHOLE * WEIGHT_UNIT);
            int score = (int)(p.turn == WHITE ? sum : -sum);
            score = score > SCORE_LIMIT ? SCORE_LIMIT : score < -SCORE_LIMIT ? -SCORE_LIMIT : score;
            cr_assert_eq(eval_score(&weights, &p), score);
            cr_assert_eq(evaluator_score(evaluator, &p), score);
            different += score != 0;
        }
        cr_assert_gt(different, POSITIONS / 2);
        evaluator_free(evaluator);
        weights_free(&weights);
    }
}

Test(eval, colour_swap_keeps_the_score_of_the_side_to_move) {
    for (int i = 0; i < variant_count; i++) {
        const struct variant *variant = &variants[i];
        struct splitmix random = splitmix_of(variant->name, 2);
        struct weights weights = random_weights(variant, 100u + (uint64_t)i, 3000);
        struct evaluator *const evaluator = evaluator_new(&weights);
        for (int n = 0; n < POSITIONS; n++) {
            const struct position p = random_placement(variant->rules, &random), q = swapped(variant, &p);
            cr_assert_eq(evaluator_score(evaluator, &p), evaluator_score(evaluator, &q));

            struct feature a[MAX_FEATURES], b[MAX_FEATURES];
            const int count = eval_features(variant, &p, a);
            cr_assert_eq(count, eval_features(variant, &q, b));
            // In the order of the list, but for the two sides of a window.
            int64_t sum[2] = {0};
            for (int f = 0; f < count; f++) {
                for (int k = 0; k < KNOTS; k++) {
                    sum[0] += (k + 1) * (int64_t)weights.value[a[f].term][k] * a[f].count;
                    sum[1] += (k + 1) * (int64_t)weights.value[b[f].term][k] * b[f].count;
                }
            }
            cr_assert_eq(sum[0], -sum[1]);
        }
        evaluator_free(evaluator);
        weights_free(&weights);
    }
}

// What a side sees, square by square. A side at the top turns the board first.
static int view_by_hand(int width, int window, bitboard own, bitboard other) {
    int view = 0;
    for (int i = WINDOW_SQUARES - 1; i >= 0; i--) {
        const int row = window_first_row(width, window) + i / 2,
                  column = window_first_column(width, window) + i % 2;
        const bitboard bit = square_bit(board_square(width, row * (width / 2) + column + 1));
        view = 3 * view + (own & bit ? 1 : other & bit ? 2 : 0);
    }
    return view;
}

Test(windows, show_what_stands_there) {
    struct splitmix random = splitmix_of("windows", 1);
    for (int width = 8; width <= 10; width += 2) {
        const int count = window_count(width);
        cr_assert_eq(count, width == 8 ? 9 : 16);
        bitboard shown = 0;
        for (int window = 0; window < count; window++) {
            cr_assert_eq(bits_count(window_mask(width, window)), WINDOW_SQUARES);
            cr_assert_eq(board_turned(width, window_mask(width, window)),
                         window_mask(width, count - 1 - window));
            shown |= window_mask(width, window);
        }
        cr_assert_eq(shown, board_all(width), "every square is shown");
        for (int n = 0; n < POSITIONS; n++) {
            const bitboard men = splitmix_bits(&random) & board_all(width);
            const bitboard white = men & splitmix_bits(&random), black = men & ~white;
            for (int window = 0; window < count; window++) {
                cr_assert_eq(window_view(width, window, white, black),
                             view_by_hand(width, window, white, black));
                cr_assert_eq(window_view_from_top(width, window, black, white),
                             view_by_hand(width, count - 1 - window, board_turned(width, black),
                                          board_turned(width, white)));
            }
        }
    }
}

Test(eval, drawish_material_is_scaled) {
    static const struct {
        const char *variant, *fen;
        int white_keeps;
    } cases[] = {
        {"international", "W:WK46,K47,K48:BK5", 1},
        {"international", "W:WK46,K47,K48,37:BK5", 8},
        {"international", "W:WK46,K47,K48:B5", 8},
        {"international", "W:WK46,31:BK5", 1},
        {"international", "W:WK46,31,32,33,34:BK5,10,15,20", 4},
        {"international", "W:WK46,31,32,33,34:BK5,10,15", 8},
        {"russian", "W:Wa1,Kc1,Ke1,Kg1:BKh8", 8},
        {"russian", "W:WKc1,Ke1,Kg1:BKh8", 1},
        {"russian", "W:WKc1,Ke1,Kg1:BKb8", 8},
        {"russian", "W:WKc1,Ke1:BKb8", 1},
        {"american", "W:WK32,K31:BK1", 8},
        {"killer", "W:WK46,K47,K48:BK5", 8},
        {"frisian", "W:WK46,K47,K48:BK5", 8},
        {"thai", "W:WK32,K31:BK1", 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct variant *variant = variant_named(cases[i].variant);
        const struct position p = position_of(variant, cases[i].fen), q = swapped(variant, &p);
        cr_expect_eq(eval_scale(variant, &p, WHITE), cases[i].white_keeps, "%s %s: %d", cases[i].variant,
                     cases[i].fen, eval_scale(variant, &p, WHITE));
        cr_expect_eq(eval_scale(variant, &q, BLACK), cases[i].white_keeps);
    }
}

Test(eval, interpolates_between_the_knots) {
    const struct variant *variant = variant_named("american");
    struct weights weights = weights_zero(variant);
    for (int k = 0; k < KNOTS; k++) weights.value[TERM_TURN][k] = 1000 * (k + 1);
    static const struct {
        const char *fen;
        int score;
    } cases[] = {
        {"W:W21-32:B1-12", 100},  // all 24 pieces: the first knot
        {"W:W24-29:B4-9", 200},   // half of them: the second
        {"W:W22-30:B1-9", 150},   // 18: half way
        {"W:W30:B1", 283},        // 2: 300 - 100 * 2 / 12
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct position p = position_of(variant, cases[i].fen);
        cr_expect_eq(eval_score(&weights, &p), cases[i].score, "%s: %d", cases[i].fen,
                     eval_score(&weights, &p));
    }
    weights_free(&weights);
}

Test(eval, stays_within_its_limit) {
    const struct variant *variant = variant_named("international");
    struct weights weights = weights_material(variant);
    for (int t = 0; t < TERM_COUNT; t++)
        for (int k = 0; k < KNOTS; k++) weights.value[t][k] = t <= TERM_TEMPO ? 0 : WEIGHT_LIMIT;
    for (int t = TERM_MAN_SQUARE; t <= TERM_MAN_SQUARE_LAST; t++)
        for (int k = 0; k < KNOTS; k++) weights.value[t][k] = MAN_LIMIT;
    struct evaluator *const evaluator = evaluator_new(&weights);
    const struct position p = position_of(variant, "W:WK31-50:B1");
    cr_assert_eq(evaluator_score(evaluator, &p), SCORE_LIMIT);
    const struct position q = swapped(variant, &p);
    cr_assert_eq(eval_score(&weights, &q), SCORE_LIMIT);
    evaluator_free(evaluator);
    weights_free(&weights);
}

Test(eval, material_to_start_from) {
    for (int i = 0; i < variant_count; i++) {
        struct weights weights = weights_material(&variants[i]);
        cr_assert_not(weights.variant->captures_optional);
        cr_assert_eq(weights.variant->rules, variants[i].rules);
        const struct position p = variant_initial(&variants[i]);
        cr_assert_eq(eval_score(&weights, &p), 0);
        weights_free(&weights);
    }
    const struct variant *american = variant_named("american");
    struct weights weights = weights_material(american);
    const struct position man_up = position_of(american, "B:W32:B1,2");
    cr_assert_eq(eval_score(&weights, &man_up), 100);
    weights_free(&weights);
}

// ---- files ----

static char *temporary_path(void) { return memory_text("/tmp/huff-test-eval-%ld.weights", (long)getpid()); }

static char *text_of(const char *path, size_t *size) {
    char *text;
    struct error error;
    cr_assert(file_read(path, 1 << 23, &text, size, &error), "%s", error.text);
    return text;
}

// Not file_replace, which waits for the disk.
static void write_text(const char *path, const char *text, size_t size) {
    FILE *file = fopen(path, "wb");
    cr_assert(file && fwrite(text, 1, size, file) == size);
    cr_assert_eq(fclose(file), 0);
}

Test(weights_file, round_trip) {
    char *path = temporary_path();
    for (int i = 0; i < variant_count; i++) {
        struct error error;
        struct weights written = random_weights(&variants[i], 200u + (uint64_t)i, WEIGHT_LIMIT), read, again;
        written.value[TERM_KING][0] = WEIGHT_LIMIT;
        written.value[TERM_COUNT - 1][2] = -WEIGHT_LIMIT;
        cr_assert(weights_write(path, &written, &error), "%s", error.text);
        cr_assert(weights_read(path, &variants[i], &read, &error), "%s", error.text);
        cr_assert_eq(memcmp(read.value, written.value, TERM_COUNT * sizeof *read.value), 0);
        cr_assert_eq(read.variant, written.variant);
        cr_assert_str_eq(read.sha256, written.sha256);
        cr_assert_eq(strlen(read.sha256), 64);
        cr_assert(weights_write(path, &read, &error), "%s", error.text);
        cr_assert(weights_read(path, &variants[i], &again, &error), "%s", error.text);
        cr_assert_str_eq(again.sha256, written.sha256, "the same weights make the same bytes");
        weights_free(&written);
        weights_free(&read);
        weights_free(&again);
    }
    unlink(path);
    free(path);
}

Test(weights_file, compressed_when_the_name_says_so) {
    char *plain = temporary_path(), *packed = memory_text("%s.gz", plain);
    struct error error;
    struct weights written = random_weights(variant_named("american"), 7, 40), read;
    cr_assert(weights_write(plain, &written, &error) && weights_write(packed, &written, &error), "%s",
              error.text);
    cr_assert(weights_read(packed, written.variant, &read, &error), "%s", error.text);
    cr_assert_eq(memcmp(read.value, written.value, TERM_COUNT * sizeof *read.value), 0);
    cr_assert_str_eq(read.sha256, written.sha256, "the digest is that of the text");
    weights_free(&read);

    size_t size, packed_size;
    free(text_of(plain, &size));
    char *data = text_of(packed, &packed_size);
    cr_assert_lt(packed_size, size / 2);
    for (size_t n = packed_size - 1; n >= 2; n /= 2) {
        write_text(packed, data, n);
        cr_assert_not(weights_read(packed, written.variant, &read, &error));
        cr_assert(strstr(error.text, "the compressed data is damaged"), "%s", error.text);
    }
    data[packed_size / 2] ^= 1;
    write_text(packed, data, packed_size);
    cr_assert_not(weights_read(packed, written.variant, &read, &error));
    cr_assert_eq(strncmp(error.text, packed, strlen(packed)), 0);
    free(data);
    weights_free(&written);
    unlink(plain);
    unlink(packed);
    free(plain);
    free(packed);
}

Test(weights_file, material_has_the_digest_of_its_file) {
    char *path = temporary_path();
    struct error error;
    struct weights material = weights_material(variant_named("spanish")), written = material;
    cr_assert(weights_write(path, &written, &error), "%s", error.text);
    cr_assert_str_eq(material.sha256, written.sha256);
    weights_free(&material);
    unlink(path);
    free(path);
}

// A file of Spanish weights in which `find` (its first occurrence) is `replacement`; the checksum is put
// right unless it is what is broken.
static char *damaged(const char *path, const char *find, const char *replacement, bool right_checksum,
                     size_t *size) {
    struct error error;
    struct weights weights = weights_material(variant_named("spanish"));
    cr_assert(weights_write(path, &weights, &error), "%s", error.text);
    weights_free(&weights);
    char *text = text_of(path, size);
    size_t at = 0;
    while (text[at] && strncmp(text + at, find, strlen(find)) != 0) at++;
    cr_assert(text[at], "no \"%s\" in the file", find);
    char *changed = memory_text("%.*s%s%s", (int)at, text, replacement, text + at + strlen(find));
    free(text);
    char *line = strstr(changed, "checksum ");
    if (right_checksum && line) {
        const size_t before = (size_t)(line - changed);
        const uint32_t crc = (uint32_t)crc32(0, (const Bytef *)changed, (uInt)before);
        char *whole = memory_text("%.*schecksum %08" PRIx32 "%s", (int)before, changed, crc, line + 17);
        free(changed);
        changed = whole;
    }
    *size = strlen(changed);
    return changed;
}

static void expect_refused(const char *variant, const char *text, size_t size, const char *cause) {
    char *path = temporary_path();
    struct error error = {""};
    struct weights weights;
    write_text(path, text, size);
    cr_assert_not(weights_read(path, variant_named(variant), &weights, &error), "accepted: %s", cause);
    cr_assert(strstr(error.text, cause), "expected \"%s\" in \"%s\"", cause, error.text);
    cr_assert_eq(strncmp(error.text, path, strlen(path)), 0, "the error begins with the file: %s",
                 error.text);
    cr_assert_not(strchr(error.text, '\n'));
    unlink(path);
    free(path);
}

static void expect_refused_with(const char *find, const char *replacement, bool right_checksum,
                                const char *cause) {
    char *path = temporary_path();
    size_t size;
    char *text = damaged(path, find, replacement, right_checksum, &size);
    expect_refused("spanish", text, size, cause);
    free(text);
    free(path);
}

Test(weights_file, what_the_tests_write_is_read_when_nothing_is_wrong) {
    char *path = temporary_path();
    struct error error;
    struct weights weights;
    size_t size;
    char *text = damaged(path, "MAN 0 1000 1000", "MAN 0 999 1000", true, &size);
    write_text(path, text, size);
    cr_assert(weights_read(path, variant_named("spanish"), &weights, &error), "%s", error.text);
    cr_assert_eq(weights.value[TERM_MAN][0], 999);
    weights_free(&weights);
    cr_assert(weights_read(path, variant_named("spanish+free"), &weights, &error), "%s", error.text);
    cr_assert_str_eq(weights.variant->name, "spanish");
    weights_free(&weights);
    free(text);
    unlink(path);
    free(path);
}

Test(weights_file, refusals) {
    static const char man[] = "MAN 0 1000 1000 1000";
    expect_refused_with("huff-weights 2", "huff-weights 1", true, ":1: version 1 of the format");
    expect_refused_with("huff-weights", "other-weights", true, ":1: not a file of weights");
    expect_refused_with("variant spanish", "variant italian", true,
                        ":2: these are weights of italian, not of spanish");
    expect_refused_with("terms ", "terms 0", true, ":3: weights of another list of terms");
    expect_refused_with(man, "MAN 0 32768 1000 1000", true,
                        ":4: expected a weight of -32767..32767, got \"32768\"");
    expect_refused_with(man, "MAN 0 99999999999999999999 0 0", true, ":4: expected a weight");
    expect_refused_with(man, "MAN 0 10.5 0 0", true, ":4: expected a weight");
    expect_refused_with(man, "MAN 0 +5 0 0", true, ":4: expected a weight");
    expect_refused_with(man, "MAN 0  1000 0 0", true, ":4: expected a weight, got nothing");
    expect_refused_with(man, "MAN 0 1 2", true, ":4: expected a weight, got the end of the line");
    expect_refused_with(man, "MAN", true, ":4: expected a number, got the end of the line");
    expect_refused_with(man, "MAN 0 1000 1000 1000 7", true, ":4: more on the line");
    expect_refused_with(man, "MAN 1 1000 1000 1000", true,
                        ":4: expected a weight's number of 0..0, got \"1\"");
    expect_refused_with(man, "MEN 0 1 1 1", true,
                        ":4: expected the name of a term or \"checksum\", got \"MEN\"");
    expect_refused_with(man, "PATTERN 65535 1 1 1", true, ":4: expected a weight's number of 0..52487");
    expect_refused_with(man, "KING 0 1 1 1", true, ":5: KING 0 is out of order");
    expect_refused_with(man, "MAN 0 10001 1 1", true, ": a man on square 1 would be worth 10001");
    expect_refused_with(man, "MAN 0 1000 1000 1001", false, "wrong checksum");
    expect_refused_with("checksum", "checksums", false, ":6: expected the name of a term");
}

Test(weights_file, refuses_every_shorter_file_and_anything_after_the_end) {
    char *path = temporary_path();
    size_t size;
    char *text = damaged(path, "MAN", "MAN", true, &size);
    for (size_t n = 0; n < size; n++) expect_refused("spanish", text, n, n < 13 ? ":1: not a file" : "");
    char *longer = memory_text("%s\n", text);
    expect_refused("spanish", longer, size + 1, ":7: more after the checksum");
    free(longer);
    free(text);
    unlink(path);
    free(path);
}

Test(weights_file, refuses_every_changed_byte) {
    char *path = temporary_path();
    size_t size;
    char *text = damaged(path, "MAN", "MAN", true, &size);
    for (size_t n = 0; n < size; n++) {
        text[n] ^= 1;
        expect_refused("spanish", text, size, "");
        text[n] ^= 1;
    }
    free(text);
    unlink(path);
    free(path);
}

Test(weights_file, refuses_what_cannot_be_read_or_written) {
    struct error error;
    struct weights weights = weights_material(variant_named("spanish"));
    struct weights read;
    cr_assert_not(weights_read("/nonexistent/w.weights", weights.variant, &read, &error));
    cr_assert(strstr(error.text, "/nonexistent/w.weights"));
    cr_assert_not(weights_write("/nonexistent/w.weights", &weights, &error));
    cr_assert(strstr(error.text, "/nonexistent/w.weights"));
    weights_free(&weights);
}
