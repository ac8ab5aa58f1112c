// movegen_bounds.c -- why the moves of every position fit a struct move_list, and what happens when they do
// not.
//
// Quiet moves and the pieces of one capture have proven bounds. The number of different captures has not:
// there it is shown how rich positions get that a search looks for, and that a list too long is refused, not
// used.
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/support/memory.h"
#include "core/variant.h"
#include "tests/named.h"
#include "tests/random_positions.h"

enum {
    SEARCH_STARTS = 2,
    SEARCH_STEPS = 2000,  // from each start
};

static struct move_list *list_new(void) { return memory_new(1, sizeof(struct move_list)); }

static int most_pieces(const struct rules *r) { return r->rows_of_men * r->width / 2; }

// ---- proven: quiet moves ----

static int least(int a, int b) { return a < b ? a : b; }

// Squares on the diagonals of a square, itself not counted: what a king there can reach on an empty board.
static int diagonal_squares(int width, square s) {
    const int up = board_rank_from_top(width, s), left = board_file(width, s);
    const int down = width - 1 - up, right = width - 1 - left;
    return least(up, left) + least(up, right) + least(down, left) + least(down, right);
}

static int descending(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }

// No piece has more quiet moves than the diagonals of its square are long, men have fewer, other pieces only
// shorten the lines, and no two pieces share a square: so all of them have at most the sum over the best
// squares.
static int quiet_moves_bound(const struct rules *r) {
    int reach[MAX_SQUARES], sum = 0;
    const int squares = board_squares(r->width);
    for (int i = 0; i < squares; i++) reach[i] = diagonal_squares(r->width, board_square(r->width, i + 1));
    qsort(reach, (size_t)squares, sizeof *reach, descending);
    for (int i = 0; i < most_pieces(r); i++) sum += reach[i];
    return sum;
}

Test(bounds, quiet_moves_fit) {
    for (int i = 0; i < variant_count; i++) cr_expect_leq(quiet_moves_bound(variants[i].rules), MAX_QUIET);
}

// The premise of that sum, asked of the generator: a lone king or man on each square.
Test(bounds, one_piece_moves_along_its_diagonals) {
    struct move_list *list = list_new();
    for (int i = 0; i < variant_count; i++) {
        const struct rules *r = variants[i].rules;
        for (int number = 1; number <= board_squares(r->width); number++) {
            const square s = board_square(r->width, number);
            const struct position king = {.pieces = {square_bit(s)}, .kings = square_bit(s)};
            variants[i].generate(&king, list);
            if (r->king_range == FLYING_KING)
                cr_expect_eq(list->count, diagonal_squares(r->width, s));
            else
                cr_expect_leq(list->count, least(4, diagonal_squares(r->width, s)));
            if (square_bit(s) & board_crown_row(r->width, WHITE)) continue;
            const struct position man = {.pieces = {square_bit(s)}};
            variants[i].generate(&man, list);
            cr_expect_leq(list->count, least(2, diagonal_squares(r->width, s)));
        }
    }
    free(list);
}

// ---- proven: the pieces of one capture ----

// A piece is taken once, so a capture takes at most what the other side has.
Test(bounds, captured_pieces_fit) {
    for (int i = 0; i < variant_count; i++) cr_expect_leq(most_pieces(variants[i].rules), MAX_CAPTURED);
}

// ---- not proven: how many captures there are ----

struct rich {
    const char *variant, *fen;
    int captures;
    int taken;  // pieces, by each of them
};

// Positions known for their captures, the first from damforum.nl/bb3/viewtopic.php?p=124140, the second from
// the tests of a server (scaladraughts); the others were found by searches like the one below, far longer. In
// the Frisian ones walks meet millions of times in the same states: a walk that does not notice takes for
// ever.
static const struct rich rich_positions[] = {
    {"international", "W:WK2,K4,K5,K15,K35,K45,K46,K47,K48,K49:B8,K9,18,K19,22,24,27,K30,K37,K40,42,43,44",
     334, 6},
    {"frisian", "W:WK50:B3,7,10,12,13,14,17,20,21,23,25,30,32,36,38,39,41,43,K47", 1, 19},
    {"frisian",
     "W:WK1,K6,K30,K41,K46,K47,K48,K49,K50:"
     "BK4,K7,K8,K9,K10,K12,K15,K18,K21,K23,K27,K28,K29,K32,34,K37,38,K40,K43",
     3, 19},
    {"frisian",
     "W:WK1,K6,K7,K16,K26,K36,K46,47,K50:B3,K8,K9,K12,K14,K17,21,K24,K27,K28,K29,K32,K33,K35,K37,K44", 1034,
     13},
    {"international",
     "W:WK5,K15,K36,K46,K47,K48,K49:B2,K4,8,K9,K13,K18,K19,22,K24,K27,K30,K31,K40,K41,K42,K43,K44", 407, 6},
    {"killer", "W:WK5,K15,K16,K25,K35,K46,K47:BK4,K9,K10,13,18,20,21,22,30,K31,32,K36,K38,40,43,K44,K49", 407,
     6},
};
enum { RICH_POSITIONS = sizeof rich_positions / sizeof *rich_positions };

ParameterizedTestParameters(bounds, rich_positions) {
    int *rows = cr_calloc(RICH_POSITIONS, sizeof *rows);
    for (int i = 0; i < RICH_POSITIONS; i++) rows[i] = i;
    return cr_make_param_array(int, rows, RICH_POSITIONS);
}

ParameterizedTest(int *row, bounds, rich_positions) {
    const struct rich *rich = &rich_positions[*row];
    const struct variant *variant = variant_named(rich->variant);
    const struct position p = position_of(variant, rich->fen);
    struct move_list *list = list_new();
    variant->captures(&p, list);
    cr_assert_not(list->truncated);
    cr_assert_eq(list->count, rich->captures, "%s %s: %d captures", rich->variant, rich->fen, list->count);
    for (int i = 0; i < list->count; i++) cr_assert_eq(bits_count(list->moves[i].captured), rich->taken);
    cr_assert_eq(variant->perft(&p, 1, false, NULL), (uint64_t)rich->captures);
    free(list);
}

// Moves, turns or replaces up to three pieces; false when the result is no position of the rules.
static bool change_pieces(const struct rules *r, struct position *p, struct splitmix *random) {
    for (int changes = 1 + splitmix_below(random, 3); changes > 0; changes--) {
        const bitboard b =
            square_bit(board_square(r->width, 1 + splitmix_below(random, board_squares(r->width))));
        const int what = splitmix_below(random, 6);  // nothing twice, a man or king of each side
        p->pieces[WHITE] &= ~b;
        p->pieces[BLACK] &= ~b;
        p->kings &= ~b;
        if (what >= 2) p->pieces[what % 2] |= b;
        if (what >= 4) p->kings |= b;
    }
    for (int side = WHITE; side <= BLACK; side++)
        if (bits_count(p->pieces[side]) > most_pieces(r) ||
            position_men(p, (enum side)side) & board_crown_row(r->width, (enum side)side))
            return false;
    return true;
}

// What a search looks for: captures, or legal moves of any kind.
enum richness { CAPTURES, MOVES };

// Threshold accepting: a change is kept unless it loses more than a number that goes down to 0.
static int search_rich(const struct variant *variant, enum richness of, uint64_t start,
                       struct position *richest) {
    struct move_list *list = list_new();
    struct splitmix random = splitmix_of("rich positions", start);
    struct position p = random_placement(variant->rules, &random);
    int now = 0, best = -1;
    for (int step = 0; step < SEARCH_STEPS; step++) {
        struct position next = p;
        if (!change_pieces(variant->rules, &next, &random)) continue;
        (of == MOVES ? variant->generate : variant->captures)(&next, list);
        cr_assert_not(list->truncated);
        const int threshold = (now / 10 + 2) * (SEARCH_STEPS - step) / SEARCH_STEPS;
        if (list->count < now - threshold) continue;
        p = next;
        now = list->count;
        if (now > best) {
            best = now;
            *richest = p;
        }
    }
    free(list);
    return best;
}

static int search_all(const struct variant *variant, enum richness of) {
    struct position richest = {0}, p;
    int best = -1;
    for (uint64_t start = 0; start < SEARCH_STARTS; start++) {
        const int found = search_rich(variant, of, start, &p);
        if (found <= best) continue;
        best = found;
        richest = p;
    }
    char fen[FEN_TEXT_SIZE];
    position_to_fen(variant, &richest, fen);
    printf("%s: %d %s in %s\n", variant->name, best, of == MOVES ? "moves" : "captures", fen);
    return best;
}

ParameterizedTestParameters(bounds, search) {
    int *rows = cr_calloc((size_t)variant_count, sizeof *rows);
    for (int i = 0; i < variant_count; i++) rows[i] = i;
    return cr_make_param_array(int, rows, (size_t)variant_count);
}

// More than a hundredth of the room, or the search has found nothing; and less than half of it.
ParameterizedTest(int *row, bounds, search) {
    const int captures = search_all(&variants[*row], CAPTURES), moves = search_all(&variants[*row], MOVES);
    cr_assert_geq(captures, 8);
    cr_assert_lt(captures, MAX_CAPTURES / 2);
    cr_assert_geq(moves, 24);
    cr_assert_lt(moves, MAX_MOVES / 2);
}

// ---- lists that are too short ----

// No position is known that has too many captures, but it is easy to have too many orders of capturing.
#define TOO_MANY_PATHS "W:WK50:B3,7,10,12,13,14,17,20,21,23,25,30,32,36,38,39,41,43,K47"

Test(too_many, are_reported) {
    const struct variant *variant = variant_named("frisian");
    const struct position p = position_of(variant, TOO_MANY_PATHS);
    struct move_list *list = list_new();
    variant->generate_paths(&p, list);
    cr_assert(list->truncated);
    cr_assert_leq(list->count, MAX_CAPTURES);
    variant->generate(&p, list);
    cr_assert_not(list->truncated, "the mark must not stay from the list before");
    free(list);
}

Test(too_many, end_a_count_of_leaves, .exit_code = 1) {
    const struct variant *variant = variant_named("frisian");
    const struct position p = position_of(variant, TOO_MANY_PATHS);
    (void)freopen("/dev/null", "w", stderr);
    variant->perft(&p, 1, true, NULL);
    exit(0);
}
