// test_movegen.c -- the moves of every variant against published counts, recorded move lists and themselves.
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/variant.h"
#include "tests/named.h"
#include "tests/random_positions.h"
#include "tests/table.h"

enum {
    PERFT_LEAVES = 5000000,          // rows with more are left to HUFF_TEST_LEAVES (see tests/CMakeLists.txt)
    PERFT_BY_MOVES_LEAVES = 200000,  // rows up to this are counted by making every move too
    RECORDED_POSITIONS = 20000,      // of each variant
    NOT_RECORDED = 65535,
    RANDOM_UNITS = 200,  // random placements of each variant
    RANDOM_PLIES = 12,   // played on from each
};

static struct move_list *list_new(void) { return memory_new(1, sizeof(struct move_list)); }

// ---- canonical order and text of moves, as in reference.py ----

// qsort has no argument for the width of the board, so the moves carry what they are sorted by.
struct sortable {
    int from, to;
    uint64_t captured;
    bool crowned;
    struct move move;
};

static int compare_numbers(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int compare_sortable(const void *left, const void *right) {
    const struct sortable *a = left, *b = right;
    if (a->from != b->from) return a->from - b->from;
    if (a->to != b->to) return a->to - b->to;
    if (a->captured != b->captured) return compare_numbers(a->captured, b->captured);
    return a->crowned - b->crowned;
}

static void sort_moves(int width, struct move *moves, int count) {
    struct sortable *sorted = memory_new((size_t)count, sizeof *sorted);
    for (int i = 0; i < count; i++)
        sorted[i] = (struct sortable){board_number(width, moves[i].from), board_number(width, moves[i].to),
                                      board_pack(width, moves[i].captured), moves[i].crowned, moves[i]};
    qsort(sorted, (size_t)count, sizeof *sorted, compare_sortable);
    for (int i = 0; i < count; i++) moves[i] = sorted[i].move;
    free(sorted);
}

static void sort_list(const struct variant *variant, struct move_list *list) {
    sort_moves(variant->rules->width, list->moves, list->count);
}

static void move_text(int width, struct move m, char text[static 128]) {
    int length = sprintf(text, "%d%c%d", board_number(width, m.from), m.captured ? 'x' : '-',
                         board_number(width, m.to));
    const uint64_t dense = board_pack(width, m.captured);
    for (uint64_t left = dense; left; left &= left - 1)
        length += sprintf(text + length, "%c%d", left == dense ? '{' : ',', __builtin_ctzll(left) + 1);
    strcpy(text + length, m.captured ? m.crowned ? "}=K" : "}" : m.crowned ? "=K" : "");
}

static uint32_t list_hash(const struct variant *variant, const struct move_list *sorted) {
    uint64_t hash = FNV_START;
    for (int i = 0; i < sorted->count; i++) {
        char text[128];
        move_text(variant->rules->width, sorted->moves[i], text);
        hash = fnv_bytes(fnv_bytes(hash, text), "\n");
    }
    return (uint32_t)(hash ^ hash >> 32);
}

// ---- what to say when a test fails ----

static const char *describe(const struct variant *variant, const struct position *p) {
    static char text[FEN_TEXT_SIZE + 64];
    char fen[FEN_TEXT_SIZE];
    position_to_fen(variant, p, fen);
    snprintf(text, sizeof text, "%s %s", variant->name, fen);
    return text;
}

static void print_moves(const struct variant *variant, const struct move_list *list) {
    for (int i = 0; i < list->count; i++) {
        char text[128];
        move_text(variant->rules->width, list->moves[i], text);
        fprintf(stderr, "%s ", text);
    }
    fprintf(stderr, "(common numbers)\n");
}

// ---- published counts ----

struct perft_row {
    int row;
    char variant[32];
};

// Leaves by making every move, with nothing of the counting that `perft` does.
static uint64_t perft_by_moves(const struct variant *variant, const struct position *p, int depth,
                               bool paths) {
    struct move_list list;
    (paths ? variant->generate_paths : variant->generate)(p, &list);
    uint64_t leaves = 0;
    for (int i = 0; i < list.count; i++) {
        struct position next = *p;
        variant->play(&next, list.moves[i]);
        leaves += depth == 1 ? 1 : perft_by_moves(variant, &next, depth - 1, paths);
    }
    return leaves;
}

static void check_perft(const struct variant *variant, const struct position *p, int depth, bool paths,
                        uint64_t leaves) {
    const uint64_t counted = variant->perft(p, depth, paths, NULL);
    cr_expect_eq(counted, leaves, "%s depth %d %s: %" PRIu64 ", published %" PRIu64, describe(variant, p),
                 depth, paths ? "paths" : "distinct", counted, leaves);
    if (leaves > PERFT_BY_MOVES_LEAVES) return;
    const uint64_t made = perft_by_moves(variant, p, depth, paths);
    cr_expect_eq(made, leaves, "%s depth %d %s by making moves: %" PRIu64 ", published %" PRIu64,
                 describe(variant, p), depth, paths ? "paths" : "distinct", made, leaves);
}

static double most_leaves(void) {
    const char *set = getenv("HUFF_TEST_LEAVES");
    return set ? strtod(set, NULL) : PERFT_LEAVES;
}

static bool row_is_wanted(const struct table *table, int row) {
    return !*table_cell(table, row, "excluded") &&
           strtod(table_cell(table, row, "leaves"), NULL) <= most_leaves();
}

ParameterizedTestParameters(movegen, published_counts) {
    struct table table = table_read("perft.tsv");
    struct perft_row *rows = cr_calloc((size_t)table.rows * 2, sizeof *rows);
    size_t count = 0;
    for (int row = 0; row < table.rows; row++) {
        if (!row_is_wanted(&table, row)) continue;
        const char *name = table_cell(&table, row, "variant");
        rows[count].row = row;
        snprintf(rows[count++].variant, sizeof rows->variant, "%s", name);
        if (strcmp(name, "spanish") != 0) continue;
        rows[count].row = row;
        snprintf(rows[count++].variant, sizeof rows->variant, "portuguese");
    }
    table_free(&table);
    return cr_make_param_array(struct perft_row, rows, count);
}

ParameterizedTest(struct perft_row *param, movegen, published_counts) {
    struct table table = table_read("perft.tsv");
    const struct variant *variant = variant_named(param->variant);
    const char *convention = table_cell(&table, param->row, "convention");
    const int depth = atoi(table_cell(&table, param->row, "depth"));
    const uint64_t leaves = strtoull(table_cell(&table, param->row, "leaves"), NULL, 10);
    struct position p;
    struct error error;
    cr_assert(position_from_fen(variant, table_cell(&table, param->row, "fen"), &p, &error), "%s",
              error.text);
    const bool both = !strcmp(convention, "both");
    cr_assert(both || !strcmp(convention, "distinct") || !strcmp(convention, "paths"), "%s", convention);
    if (both || !strcmp(convention, "distinct")) check_perft(variant, &p, depth, false, leaves);
    if (both || !strcmp(convention, "paths")) check_perft(variant, &p, depth, true, leaves);
    table_free(&table);
}

// ---- recorded move lists ----

struct name {
    char text[32];
};

// Names of all variants, or of those without "+free".
static struct criterion_test_params variant_names(bool with_free) {
    struct name *names = cr_calloc((size_t)variant_count, sizeof *names);
    size_t count = 0;
    for (int i = 0; i < variant_count; i++)
        if (with_free || !variants[i].captures_optional)
            snprintf(names[count++].text, sizeof names->text, "%s", variants[i].name);
    return cr_make_param_array(struct name, names, count);
}

struct records {
    const struct variant *variant;
    unsigned char *bytes;
    size_t count, next;
    int compared;
};

// The records of a variant; `variant` stays NULL when there is no such variant ("international+free").
static struct records records_read(const char *file, const char *name) {
    struct records records = {.variant = variant_find(name, NULL)};
    if (!records.variant) return records;
    struct error error;
    char *path = memory_text("%s/positions/%s.moves", TEST_DATA, file), *data;
    size_t size;
    cr_assert(file_read(path, 1 << 20, &data, &size, &error), "%s", error.text);
    free(path);
    records.bytes = (unsigned char *)data;
    records.count = size / 6;
    cr_assert_eq(size % 6, 0);
    return records;
}

// Compares the moves of a position with the next record, leaving them sorted in `list`; false when that
// position was not recorded.
static bool compare_with_record(struct records *records, const struct position *p, struct move_list *list) {
    const unsigned char *b = records->bytes + 6 * records->next++;
    const int count = b[0] | b[1] << 8;
    const uint32_t hash = b[2] | (uint32_t)b[3] << 8 | (uint32_t)b[4] << 16 | (uint32_t)b[5] << 24;
    if (count == NOT_RECORDED) return false;
    const struct variant *variant = records->variant;
    variant->generate(p, list);
    sort_list(variant, list);
    records->compared++;
    if (list->count != count || list_hash(variant, list) != hash) {
        print_moves(variant, list);
        cr_assert_fail("%s: record %zu says %d other moves", describe(variant, p), records->next - 1, count);
    }
    return true;
}

// The position after a move, with nothing that the moves before would forbid.
static void play_freely(const struct variant *variant, struct position *p, struct move m) {
    variant->play(p, m);
    memset(p->run, 0, sizeof p->run);
}

// One unit of make_positions.py.
static void compare_unit(struct records *base, struct records *freely, const char *name, uint64_t unit) {
    const struct variant *variant = base->variant;
    struct move_list *list = list_new(), *optional = list_new();
    struct splitmix random = splitmix_of(name, unit);
    const int plies = unit % 64 == 0 ? 100 : unit % 64 == 32 ? 40 : 0;
    struct position p = unit % 64 == 0 ? variant_initial(variant) : random_placement(variant->rules, &random);
    for (int ply = 0; base->next < base->count; ply++) {
        const bool recorded = compare_with_record(base, &p, list);
        if (freely->variant) compare_with_record(freely, &p, optional);
        if (!recorded || !list->count || ply == plies) break;
        play_freely(variant, &p, list->moves[splitmix_below(&random, list->count)]);
    }
    free(optional);
    free(list);
}

ParameterizedTestParameters(movegen, recorded_moves) { return variant_names(false); }

ParameterizedTest(struct name *param, movegen, recorded_moves) {
    const char *file = strcmp(param->text, "portuguese") != 0 ? param->text : "spanish";
    char *free_name = memory_text("%s+free", param->text), *free_file = memory_text("%s+free", file);
    struct records base = records_read(file, param->text), freely = records_read(free_file, free_name);
    cr_assert(base.variant);
    cr_assert_eq(!freely.variant, base.variant->rules->width == 10);
    for (uint64_t unit = 0; base.next < base.count; unit++) compare_unit(&base, &freely, file, unit);
    cr_assert_geq(base.compared, RECORDED_POSITIONS);
    if (freely.variant) cr_assert_eq(freely.compared, base.compared);
    free(base.bytes);
    free(freely.bytes);
    free(free_name);
    free(free_file);
}

// ---- what must hold of any position ----

// Lists of one position, made in every way there is.
struct lists {
    struct move_list all, captures, paths;
};

static void check_list_shape(const struct variant *variant, const struct position *p,
                             const struct move_list *list) {
    const enum side us = position_turn(p);
    cr_assert_not(list->truncated);
    for (int i = 0; i < list->count; i++) {
        const struct move m = list->moves[i];
        const bool man = position_men(p, us) & square_bit(m.from);
        cr_assert_eq(!!m.captured, i < list->captures, "%s: captures first", describe(variant, p));
        cr_assert(p->pieces[us] & square_bit(m.from), "%s", describe(variant, p));
        cr_assert_not(m.captured & ~p->pieces[other_side(us)], "%s", describe(variant, p));
        const bitboard standing = (p->pieces[WHITE] | p->pieces[BLACK]) & ~square_bit(m.from);
        const bitboard lifted = variant->rules->removal == REMOVED_AT_ONCE ? m.captured : 0;
        cr_assert_not(square_bit(m.to) & (standing & ~lifted), "%s: ends on a piece", describe(variant, p));
        cr_assert(man || !m.crowned, "%s: a king is crowned", describe(variant, p));
        if (man && board_crown_row(variant->rules->width, us) & square_bit(m.to)) cr_assert(m.crowned);
        for (int j = 0; j < 5; j++) cr_assert_eq(m.unused[j], 0);
    }
}

// `sorted` holds no move twice.
static bool all_different(const struct move_list *sorted) {
    for (int i = 1; i < sorted->count; i++)
        if (move_equal(sorted->moves[i - 1], sorted->moves[i])) return false;
    return true;
}

static void drop_duplicates(struct move_list *sorted) {
    int kept = 0;
    for (int i = 0; i < sorted->count; i++)
        if (!kept || !move_equal(sorted->moves[kept - 1], sorted->moves[i]))
            sorted->moves[kept++] = sorted->moves[i];
    sorted->count = kept;
}

static bool same_moves(const struct move *a, const struct move *b, int count) {
    for (int i = 0; i < count; i++)
        if (!move_equal(a[i], b[i])) return false;
    return true;
}

// generate, captures, can_capture and generate_paths say the same.
static void check_lists_agree(const struct variant *variant, const struct position *p, struct lists *lists) {
    const char *where = describe(variant, p);
    variant->generate(p, &lists->all);
    variant->captures(p, &lists->captures);
    variant->generate_paths(p, &lists->paths);
    check_list_shape(variant, p, &lists->all);
    check_list_shape(variant, p, &lists->captures);

    const int captures = lists->captures.count, quiet = lists->all.count - lists->all.captures;
    cr_assert_eq(variant->can_capture(p), captures > 0, "%s", where);
    cr_assert_eq(lists->captures.captures, captures);
    cr_assert_eq(lists->all.captures, captures, "%s", where);
    cr_assert(same_moves(lists->all.moves, lists->captures.moves, captures), "%s", where);
    cr_assert(variant->captures_optional || !captures || !quiet, "%s: quiet moves beside captures", where);
    if (variant->captures_optional || !captures) cr_assert_eq(variant->can_step(p), quiet > 0, "%s", where);
    sort_list(variant, &lists->all);
    cr_assert(all_different(&lists->all), "%s: a move twice", where);
    if (lists->paths.truncated) return;

    check_list_shape(variant, p, &lists->paths);
    cr_assert_geq(lists->paths.count, lists->all.count, "%s", where);
    cr_assert_eq(lists->paths.count - lists->paths.captures, quiet, "%s", where);
    sort_list(variant, &lists->paths);
    drop_duplicates(&lists->paths);
    cr_assert_eq(lists->paths.count, lists->all.count, "%s", where);
    cr_assert(same_moves(lists->paths.moves, lists->all.moves, lists->all.count), "%s", where);
}

// A move changes what it says and nothing else, and leads to a position that the rules can have.
static struct position check_play(const struct variant *variant, const struct position *p, struct move m) {
    const enum side us = position_turn(p), them = other_side(us);
    struct position next = *p;
    struct error error;
    variant->play(&next, m);
    cr_assert(variant_check(variant, &next, &error), "%s: %s", describe(variant, p), error.text);
    cr_assert_eq(position_turn(&next), them);
    cr_assert_eq(next.pieces[us], (p->pieces[us] & ~square_bit(m.from)) | square_bit(m.to));
    cr_assert_eq(next.pieces[them], p->pieces[them] & ~m.captured);
    const bool king = m.crowned || p->kings & square_bit(m.from);
    cr_assert_eq(next.kings, (p->kings & ~m.captured & ~square_bit(m.from)) | (king ? square_bit(m.to) : 0));
    return next;
}

// Do the lists of paths hold all there are, here and after each move? A king among twenty pieces can have
// more.
static bool paths_fit(const struct variant *variant, const struct position *p, int depth) {
    struct move_list list;
    variant->generate_paths(p, &list);
    bool fit = !list.truncated;
    for (int i = 0; fit && depth > 1 && i < list.count; i++) {
        struct position next = *p;
        variant->play(&next, list.moves[i]);
        fit = paths_fit(variant, &next, depth - 1);
    }
    return fit;
}

// Counting at the last ply and listing give the same numbers.
static void check_counts(const struct variant *variant, const struct position *p) {
    const char *where = describe(variant, p);
    for (int depth = 1; depth <= 2; depth++) {
        cr_assert_eq(variant->perft(p, depth, false, NULL), perft_by_moves(variant, p, depth, false), "%s",
                     where);
        if (paths_fit(variant, p, depth))
            cr_assert_eq(variant->perft(p, depth, true, NULL), perft_by_moves(variant, p, depth, true),
                         "%s paths", where);
    }
}

static struct move move_turned(int width, struct move m) {
    const int last = board_squares(width) + 1;
    m.from = board_square(width, last - board_number(width, m.from));
    m.to = board_square(width, last - board_number(width, m.to));
    m.captured = board_turned(width, m.captured);
    return m;
}

// With colours changed and the board turned round, the moves are the same turned round.
static void check_symmetry(const struct variant *variant, const struct position *p, struct lists *lists) {
    const int width = variant->rules->width;
    const struct position turned = {
        .pieces = {board_turned(width, p->pieces[BLACK]), board_turned(width, p->pieces[WHITE])},
        .kings = board_turned(width, p->kings),
        .turn = (uint8_t)other_side(position_turn(p)),
    };
    struct move_list *other = &lists->captures;
    variant->generate(&turned, other);
    cr_assert_eq(other->count, lists->all.count, "%s", describe(variant, p));
    for (int i = 0; i < other->count; i++) other->moves[i] = move_turned(width, other->moves[i]);
    sort_list(variant, other);
    cr_assert(same_moves(other->moves, lists->all.moves, other->count), "%s", describe(variant, p));
}

ParameterizedTestParameters(movegen, is_consistent) { return variant_names(true); }

ParameterizedTest(struct name *param, movegen, is_consistent) {
    const struct variant *variant = variant_named(param->text);
    struct lists *lists = memory_new(1, sizeof *lists);
    for (uint64_t unit = 0; unit < RANDOM_UNITS; unit++) {
        struct splitmix random = splitmix_of("consistency", unit);
        struct position p = random_placement(variant->rules, &random);
        for (int ply = 0; ply <= RANDOM_PLIES; ply++) {
            check_lists_agree(variant, &p, lists);
            check_counts(variant, &p);
            struct position next[MAX_MOVES];
            for (int i = 0; i < lists->all.count; i++) next[i] = check_play(variant, &p, lists->all.moves[i]);
            if (!p.run[WHITE].moves && !p.run[BLACK].moves) check_symmetry(variant, &p, lists);
            if (!lists->all.count) break;
            p = next[splitmix_below(&random, lists->all.count)];
        }
    }
    free(lists);
}

// ---- the Frisian limit on king moves (FRIS 17) ----

static struct position frisian(const char *fen) {
    struct position p;
    struct error error;
    cr_assert(position_from_fen(variant_named("frisian"), fen, &p, &error), "%s", error.text);
    return p;
}

// Plays "50-44" and the like.
static void frisian_play(struct position *p, const char *text) {
    const struct variant *variant = variant_named("frisian");
    struct move_list *list = list_new();
    struct move m;
    struct error error;
    variant->generate(p, list);
    cr_assert(move_from_text(variant, p, list, text, &m, &error), "%s: %s", text, error.text);
    variant->play(p, m);
    free(list);
}

static int frisian_moves_from(const struct position *p, int number) {
    const struct variant *variant = variant_named("frisian");
    struct move_list *list = list_new();
    variant->generate(p, list);
    int count = 0;
    for (int i = 0; i < list->count; i++) count += board_number(10, list->moves[i].from) == number;
    free(list);
    return count;
}

static void frisian_play_all(struct position *p, const char *const *plies, int count) {
    for (int i = 0; i < count; i++) frisian_play(p, plies[i]);
}

// White's king has made three moves in a row; nothing could be captured meanwhile.
static const char *const three_king_moves[] = {"50-44", "5-10", "44-50", "10-15", "50-44", "15-20"};

Test(king_run, ends_after_three_quiet_moves_of_one_king) {
    struct position p = frisian("W:WK50,48:B5,18");
    frisian_play_all(&p, three_king_moves, 6);
    cr_assert_eq(frisian_moves_from(&p, 44), 0, "a fourth move in a row");
    cr_assert_eq(frisian_moves_from(&p, 48), 2);
    const char *const by_a_man[] = {"48-42", "18-23"};
    frisian_play_all(&p, by_a_man, 2);
    cr_assert_gt(frisian_moves_from(&p, 44), 0, "the man's move has freed the king");
}

Test(king_run, does_not_bind_a_side_without_men) {
    struct position p = frisian("W:WK50:B5,18");
    frisian_play_all(&p, three_king_moves, 6);
    cr_assert_gt(frisian_moves_from(&p, 44), 0);
    cr_assert_eq(p.run[WHITE].moves, 0);
}

Test(king_run, does_not_forbid_captures) {
    struct position p = frisian("W:WK50,48:B5,18");
    const char *const offered[] = {"18-22", "44x17"};
    frisian_play_all(&p, three_king_moves, 5);
    frisian_play_all(&p, offered, 2);
    cr_assert_eq(p.run[WHITE].moves, 0, "a capture ends the run");
}

Test(king_run, is_that_of_the_king_moved_last) {
    struct position p = frisian("W:WK50,K47,48:B5,18");
    const char *const plies[] = {"50-44", "5-10", "44-50", "10-15", "47-42", "18-23", "50-44"};
    frisian_play_all(&p, plies, 4);
    cr_assert_eq(p.run[WHITE].king, board_square(10, 50));
    cr_assert_eq(p.run[WHITE].moves, 2);
    frisian_play_all(&p, plies + 4, 3);
    cr_assert_eq(p.run[WHITE].king, board_square(10, 44));
    cr_assert_eq(p.run[WHITE].moves, 1);
}

Test(king_run, can_leave_no_move) {
    struct position p = frisian("W:WK46,26:B21,17");
    cr_assert_eq(frisian_moves_from(&p, 46), 9);
    cr_assert_eq(frisian_moves_from(&p, 26), 0);
    p.run[WHITE] = (struct king_run){.king = board_square(10, 46), .moves = 3};
    cr_assert_eq(variant_named("frisian")->perft(&p, 1, false, NULL), 0);
}

Test(king_run, is_a_rule_of_frisian_alone) {
    for (int i = 0; i < variant_count; i++) {
        const struct variant *variant = &variants[i];
        struct splitmix random = splitmix_of("king run", 1);
        struct position p = random_placement(variant->rules, &random);
        struct move_list *list = list_new();
        for (int ply = 0; ply < 40; ply++) {
            variant->generate(&p, list);
            if (!list->count) break;
            variant->play(&p, list->moves[splitmix_below(&random, list->count)]);
            if (strcmp(variant->name, "frisian") != 0)
                cr_assert_eq(p.run[WHITE].moves + p.run[BLACK].moves, 0);
        }
        free(list);
    }
}
