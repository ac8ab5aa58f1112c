// eval.c -- the evaluation of a position: its features, and their weighted sum two ways.
//
// eval_look and eval_score are the definition that the tuner fits; evaluator_score is the same sum arranged
// for speed.
#include "search/eval.h"

#include <stdlib.h>

#include "core/support/memory.h"

// ---- what both ways look at ----

// The playing squares of the left half, as White sits.
ALWAYS_INLINE bitboard left_wing(int width) {
    bitboard wing = 0;
#pragma GCC unroll 10
    for (int row = 0; row < MAX_WIDTH; row++) {
        if (row >= width) break;
        // The first square of an even row is on the second file.
        const int squares = (width / 2 + row % 2) / 2;
        wing |= ((UINT64_C(1) << squares) - 1) << board_row_start(width, row);
    }
    return wing;
}

ALWAYS_INLINE int imbalance(int width, bitboard men) {
    const int difference = 2 * bits_count(men & left_wing(width)) - bits_count(men);
    return difference < 0 ? -difference : difference;
}

// Who has the move (in games of short kings the side that makes the last move when men run up against each
// other): the side to move, if an odd number of pieces stands on the files that begin on its own first row.
// Those files hold every second row of the playing squares. A rule of the oldest books; it counts when
// numbers are equal.
ALWAYS_INLINE int opposition(int width, const struct position *p) {
    if (bits_count(p->pieces[WHITE]) != bits_count(p->pieces[BLACK])) return 0;
    bitboard odd_rows = 0;
#pragma GCC unroll 5
    for (int row = 1; row < width; row += 2) odd_rows |= board_row(width, row);
    const bitboard pieces = p->pieces[WHITE] | p->pieces[BLACK];
    const bitboard system = p->turn == WHITE ? pieces & odd_rows : pieces & ~odd_rows;
    return (bits_count(system) % 2 == 1) == (p->turn == WHITE) ? 1 : -1;
}

ALWAYS_INLINE bitboard line(bitboard from, bitboard empty, int step, bool flying) {
    bitboard reached = bits_shift(from, step) & empty;
    if (!flying) return reached;
    for (bitboard next = reached; next; reached |= next) next = bits_shift(next, step) & empty;
    return reached;
}

// The empty squares that kings step to.
ALWAYS_INLINE bitboard reach(int width, bitboard kings, bitboard empty, bool flying) {
    const int sw = board_step_sw(width), se = board_step_se(width);
    return line(kings, empty, sw, flying) | line(kings, empty, se, flying) | line(kings, empty, -sw, flying) |
           line(kings, empty, -se, flying);
}

// The empty squares on which a man of these could take at once: he is beside them and the square behind is
// empty. Straight captures are left out.
ALWAYS_INLINE bitboard attacked_by(int width, bitboard men, bitboard empty, enum side side,
                                   unsigned captures) {
    const int sw = board_step_sw(width), se = board_step_se(width), forward = side == WHITE ? -1 : 1;
    bitboard attacked = (bits_shift(men, forward * sw) & bits_shift(empty, -forward * sw)) |
                        (bits_shift(men, forward * se) & bits_shift(empty, -forward * se));
    if (captures & DIAGONAL_BACKWARD)
        attacked |= (bits_shift(men, -forward * sw) & bits_shift(empty, forward * sw)) |
                    (bits_shift(men, -forward * se) & bits_shift(empty, forward * se));
    return attacked & empty;
}

struct king_squares {
    int safe, unsafe;  // White's less Black's
};

ALWAYS_INLINE struct king_squares count_king_squares(const struct rules *rules, int width,
                                                     const struct position *p) {
    struct king_squares squares = {0};
    const bitboard empty = board_all(width) & ~(p->pieces[WHITE] | p->pieces[BLACK]);
    for (int side = WHITE; side <= BLACK; side++) {
        const bitboard kings = position_kings(p, (enum side)side);
        if (!kings) continue;
        const enum side other = other_side((enum side)side);
        const bitboard reached = reach(width, kings, empty, rules->king_range == FLYING_KING);
        const bitboard attacked = rules->men_capture_kings ? attacked_by(width, position_men(p, other), empty,
                                                                         other, rules->man_captures)
                                                           : 0;
        const int sign = side == WHITE ? 1 : -1;
        squares.safe += sign * bits_count(reached & ~attacked);
        squares.unsafe += sign * bits_count(reached & attacked);
    }
    return squares;
}

static int first_king(const struct position *p) {
    return (position_kings(p, WHITE) != 0) - (position_kings(p, BLACK) != 0);
}

// ---- shares and scale ----

// Half of the pieces that the game starts with.
static int half_of_pieces(const struct rules *rules) { return rules->rows_of_men * rules->width / 2; }

static struct eval_shares shares_of(int pieces, int half) {
    const int unit = EVAL_WHOLE / half;
    if (pieces >= half) return (struct eval_shares){{(pieces - half) * unit, (2 * half - pieces) * unit, 0}};
    return (struct eval_shares){{0, pieces * unit, (half - pieces) * unit}};
}

static int count_pieces(const struct position *p) { return bits_count(p->pieces[WHITE] | p->pieces[BLACK]); }

struct eval_shares eval_shares_of(const struct variant *variant, int pieces) {
    return shares_of(pieces, half_of_pieces(variant->rules));
}

struct eval_shares eval_shares(const struct variant *variant, const struct position *p) {
    return eval_shares_of(variant, count_pieces(p));
}

// Material that is drawish, in eighths that the lead of the stronger side keeps.
struct drawish {
    struct few {
        int pieces;  // the stronger side has no more than these, the weaker one a king
        int keeps;
    } few, few_on_road;  // the second when the weaker side's king is on the main road
    int same_kings;      // both have the same number of kings, and a man more at most
};

// Three against a king are a draw on 10x10 and nearly so are two on any board, as long as kings fly and land
// where they like; on 8x8 the main road saves the lone king even from three (rules of Russian draughts: three
// kings win from anywhere else, by Petrov's triangle). Equal kings with a man more: the halving is Scan's.
static const struct drawish drawish_flying_10 = {.few = {3, 1}, .few_on_road = {3, 1}, .same_kings = 4};
static const struct drawish drawish_flying_8 = {.few = {2, 1}, .few_on_road = {3, 1}, .same_kings = 4};
static const struct drawish drawish_not = {.few = {0, 8}, .few_on_road = {0, 8}, .same_kings = 8};

static const struct drawish *drawish_of(const struct rules *rules) {
    const bool catches = rules->king_landing != LANDS_ANYWHERE || rules->king_captures != DIAGONAL;
    if (rules->king_range != FLYING_KING || catches || rules->goal == NO_MOVE_WINS) return &drawish_not;
    return rules->width == 10 ? &drawish_flying_10 : &drawish_flying_8;
}

// From the bottom left corner to the top right.
ALWAYS_INLINE bitboard main_road(int width) {
    bitboard road = 0;
#pragma GCC unroll 10
    for (int row = 0; row < MAX_WIDTH; row++)
        if (row < width) road |= square_bit((square)(board_row_start(width, row) + (width - 1 - row) / 2));
    return road;
}

static int scale_by(const struct drawish *drawish, int width, const struct position *p, enum side ahead) {
    const enum side behind = other_side(ahead);
    const bitboard kings = position_kings(p, behind);
    if (!kings) return 8;
    const int pieces = bits_count(p->pieces[ahead]);
    if (pieces <= drawish->few.pieces) return drawish->few.keeps;
    if (pieces <= drawish->few_on_road.pieces && kings & main_road(width)) return drawish->few_on_road.keeps;
    const int men = bits_count(position_men(p, ahead)) - bits_count(position_men(p, behind));
    return bits_count(position_kings(p, ahead)) == bits_count(kings) && men <= 1 ? drawish->same_kings : 8;
}

int eval_scale(const struct variant *variant, const struct position *p, enum side ahead) {
    return scale_by(drawish_of(variant->rules), variant->rules->width, p, ahead);
}

// `whole` is White's sum in EVAL_WHOLE parts, before the scale. Division rounds towards zero, so that the
// colours stay symmetric.
ALWAYS_INLINE int to_score(int64_t whole, int eighths, uint8_t turn) {
    const int64_t white = whole * eighths / (8 * EVAL_WHOLE * WEIGHT_UNIT);
    const int score = (int)(turn == WHITE ? white : -white);
    return score > SCORE_LIMIT ? SCORE_LIMIT : score < -SCORE_LIMIT ? -SCORE_LIMIT : score;
}

// ---- the definition ----

// White's and Black's pieces of one kind, each seen by its owner; those that stand on the same square of his
// cancel out.
ALWAYS_INLINE void look_at_squares(int width, bitboard white, bitboard black, bitboard squares[static 2]) {
    const bitboard turned = black ? board_turned(width, black) : 0;
    squares[WHITE] = white & ~turned;
    squares[BLACK] = turned & ~white;
}

// What each side sees through the windows, White's view of the upper ones and Black's of the lower ones.
ALWAYS_INLINE void look_through_windows(int width, bitboard white, bitboard black, struct eval_sight *sight) {
    const int count = window_count(width);
#pragma GCC unroll 8
    for (int table = 0; table < window_tables(width); table++) {
        sight->view[table][WHITE] = (uint16_t)window_view(width, table, white, black);
        sight->view[table][BLACK] = (uint16_t)window_view_from_top(width, count - 1 - table, black, white);
    }
}

ALWAYS_INLINE void look_on(int width, const struct rules *rules, const struct position *p,
                           struct eval_sight *sight) {
    const bitboard white = position_men(p, WHITE), black = position_men(p, BLACK);
    int8_t *const count = sight->count;
    count[TERM_TURN] = p->turn == WHITE ? 1 : -1;
    count[TERM_OPPOSITION] = (int8_t)(rules->king_range == SHORT_KING ? opposition(width, p) : 0);
    count[TERM_BALANCE] = (int8_t)(imbalance(width, white) - imbalance(width, black));
    look_at_squares(width, white, black, sight->men);
    look_through_windows(width, white, black, sight);
    count[TERM_FIRST_KING] = count[TERM_KING_SAFE] = count[TERM_KING_UNSAFE] = 0;
    sight->kings[WHITE] = sight->kings[BLACK] = 0;
    if (!p->kings) return;
    const struct king_squares squares = count_king_squares(rules, width, p);
    count[TERM_FIRST_KING] = (int8_t)first_king(p);
    count[TERM_KING_SAFE] = (int8_t)squares.safe;
    count[TERM_KING_UNSAFE] = (int8_t)squares.unsafe;
    look_at_squares(width, position_kings(p, WHITE), position_kings(p, BLACK), sight->kings);
}

void eval_look(const struct variant *variant, const struct position *p, struct eval_sight *sight) {
    const struct rules *rules = variant->rules;
    if (rules->width == 10)
        look_on(10, rules, p, sight);
    else
        look_on(8, rules, p, sight);
}

// ---- as a list ----

static int add_feature(struct feature *features, int n, int term, int count) {
    if (count) features[n++] = (struct feature){.term = term, .count = count};
    return n;
}

static int add_squares(struct feature *features, int n, int term, int width,
                       const bitboard squares[static 2]) {
    for (bitboard b = squares[WHITE] | squares[BLACK]; b; b = bits_without_lowest(b)) {
        const int number = board_number(width, bits_first(b));
        n = add_feature(features, n, term + number - 1, squares[WHITE] & bits_lowest(b) ? 1 : -1);
    }
    return n;
}

static int difference(const bitboard squares[static 2]) {
    return bits_count(squares[WHITE]) - bits_count(squares[BLACK]);
}

// Rows that men have gone forward, White's less Black's.
static int tempo(int width, const bitboard men[static 2]) {
    int rows = 0;
    for (int row = 0; row < width; row++) {
        const bitboard squares = board_row(width, row);
        rows += (width - 1 - row) * (bits_count(men[WHITE] & squares) - bits_count(men[BLACK] & squares));
    }
    return rows;
}

int eval_features(const struct variant *variant, const struct position *p,
                  struct feature features[static MAX_FEATURES]) {
    const int width = variant->rules->width;
    struct eval_sight sight;
    eval_look(variant, p, &sight);
    int n = add_feature(features, 0, TERM_MAN, difference(sight.men));
    n = add_feature(features, n, TERM_TEMPO, tempo(width, sight.men));
    n = add_feature(features, n, TERM_KING, difference(sight.kings));
    for (int t = FIRST_COUNTED; t < COUNTED_END; t++) n = add_feature(features, n, t, sight.count[t]);
    n = add_squares(features, n, TERM_MAN_SQUARE, width, sight.men);
    n = add_squares(features, n, TERM_KING_SQUARE, width, sight.kings);
    for (int table = 0; table < window_tables(width); table++) {
        const uint16_t *view = sight.view[table];
        if (view[WHITE] == view[BLACK]) continue;
        n = add_feature(features, n, TERM_PATTERN + table * WINDOW_VIEWS + view[WHITE], 1);
        n = add_feature(features, n, TERM_PATTERN + table * WINDOW_VIEWS + view[BLACK], -1);
    }
    return n;
}

int eval_score(const struct weights *weights, const struct position *p) {
    struct feature features[MAX_FEATURES];
    const int n = eval_features(weights->variant, p, features);
    const struct eval_shares shares = eval_shares(weights->variant, p);
    int64_t whole = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < KNOTS; k++)
            whole += (int64_t)shares.of[k] * weights->value[features[i].term][k] * features[i].count;
    return to_score(whole, eval_scale(weights->variant, p, whole < 0 ? BLACK : WHITE), p->turn);
}

// ---- for the search ----

// The sums of three knots side by side in one number, so that one addition adds to all. Each has FIELD bits
// with its sign: enough for 16 windows of WEIGHT_LIMIT and 40 men of MAN_LIMIT.
enum { FIELD = 21 };
_Static_assert(MAX_WINDOWS *WEIGHT_LIMIT + 2 * MAX_CAPTURED * MAN_LIMIT < 1 << (FIELD - 1), "room for a sum");

typedef int64_t packed;

static packed pack(const int32_t value[static KNOTS]) {
    return value[0] + value[1] * (INT64_C(1) << FIELD) + value[2] * (INT64_C(1) << 2 * FIELD);
}

ALWAYS_INLINE int64_t lowest_field(packed sum) {
    return (int64_t)((uint64_t)sum << (64 - FIELD)) >> (64 - FIELD);
}

struct evaluator {
    // The weights of MAN, TEMPO and MAN_SQUARE are in the pattern tables as well: each man is seen by one
    // window that counts him (fold_men).
    packed pattern[MAX_WINDOW_TABLES][WINDOW_VIEWS];
    struct eval_shares shares[2 * MAX_CAPTURED + 1];  // by number of pieces
    int (*score)(const struct evaluator *, const struct position *);
    const struct rules *rules;
    const struct drawish *drawish;
    int32_t turn[KNOTS], opposition[KNOTS], balance[KNOTS];
    int32_t first_king[KNOTS], king_safe[KNOTS], king_unsafe[KNOTS];
    int32_t king[2][64][KNOTS];  // White's positive, Black's negative
};

ALWAYS_INLINE void add(int64_t sum[static KNOTS], const int32_t weight[static KNOTS], int count) {
    for (int k = 0; k < KNOTS; k++) sum[k] += weight[k] * count;
}

ALWAYS_INLINE packed sum_of_windows(const struct evaluator *e, int width, bitboard white, bitboard black) {
    const int count = window_count(width);
    packed sum = 0;
#pragma GCC unroll 8
    for (int table = 0; table < count / 2; table++)
        sum += e->pattern[table][window_view(width, table, white, black)] -
               e->pattern[table][window_view_from_top(width, count - 1 - table, black, white)];
    // The middle one's table holds the difference already.
    if (count % 2 == 1) sum += e->pattern[count / 2][window_view(width, count / 2, white, black)];
    return sum;
}

static void add_kings(const struct evaluator *e, int width, const struct position *p,
                      int64_t sum[static KNOTS]) {
    for (int side = WHITE; side <= BLACK; side++)
        for (bitboard b = position_kings(p, (enum side)side); b; b = bits_without_lowest(b))
            add(sum, e->king[side][bits_first(b)], 1);
    const struct king_squares squares = count_king_squares(e->rules, width, p);
    add(sum, e->first_king, first_king(p));
    add(sum, e->king_safe, squares.safe);
    add(sum, e->king_unsafe, squares.unsafe);
}

ALWAYS_INLINE int score_on(const struct evaluator *e, const struct position *p, int width) {
    const bitboard white = position_men(p, WHITE), black = position_men(p, BLACK);
    packed windows = sum_of_windows(e, width, white, black);
    int64_t sum[KNOTS];
    for (int k = 0; k < KNOTS; k++) {
        sum[k] = lowest_field(windows);
        windows = (windows - sum[k]) >> FIELD;
    }
    add(sum, e->turn, p->turn == WHITE ? 1 : -1);
    add(sum, e->balance, imbalance(width, white) - imbalance(width, black));
    if (e->rules->king_range == SHORT_KING) add(sum, e->opposition, opposition(width, p));
    if (p->kings) add_kings(e, width, p, sum);

    const struct eval_shares *shares = &e->shares[count_pieces(p)];
    int64_t whole = 0;
    for (int k = 0; k < KNOTS; k++) whole += shares->of[k] * sum[k];
    const int eighths = p->kings ? scale_by(e->drawish, width, p, whole < 0 ? BLACK : WHITE) : 8;
    return to_score(whole, eighths, p->turn);
}

static int score_on_8(const struct evaluator *e, const struct position *p) { return score_on(e, p, 8); }
static int score_on_10(const struct evaluator *e, const struct position *p) { return score_on(e, p, 10); }

int evaluator_score(const struct evaluator *e, const struct position *p) { return e->score(e, p); }

// ---- laying out the weights ----

// What a man is worth on a square, whatever stands beside him; squares from 0, seen by his owner.
static void man_value(const struct weights *weights, int s, int32_t value[static KNOTS]) {
    const int width = weights->variant->rules->width, rows = width - 1 - s / (width / 2);
    for (int k = 0; k < KNOTS; k++)
        value[k] = weights->value[TERM_MAN][k] + rows * weights->value[TERM_TEMPO][k] +
                   weights->value[TERM_MAN_SQUARE + s][k];
}

// Adds the value of a man on the square of the board to what the table says of the views in which its place
// shows one: his owner's own, and his opponent's, for whom he stands on the turned square.
static void fold_square(struct evaluator *e, const struct weights *weights, int table, int place, int s) {
    const int squares = board_squares(weights->variant->rules->width);
    int power = 1;
    for (int i = 0; i < place; i++) power *= 3;
    int32_t own[KNOTS], opponent[KNOTS];
    man_value(weights, s, own);
    man_value(weights, squares - 1 - s, opponent);
    for (int view = 0; view < WINDOW_VIEWS; view++) {
        const int digit = view / power % 3;
        if (digit == 1) e->pattern[table][view] += pack(own);
        if (digit == 2) e->pattern[table][view] -= pack(opponent);
    }
}

// White counts the men in the upper half of the board, Black those in the lower half: his upper one. Each
// square of the upper half belongs to the first window that shows it.
static void fold_men(struct evaluator *e, const struct weights *weights) {
    const int width = weights->variant->rules->width;
    bitboard left = board_rows(width, 0, width / 2);
    for (int table = 0; table < window_count(width) / 2; table++) {
        for (int place = 0; place < WINDOW_SQUARES; place++) {
            const square s = window_square(width, table, place);
            if (!(left & square_bit(s))) continue;
            left &= ~square_bit(s);
            fold_square(e, weights, table, place, board_number(width, s) - 1);
        }
    }
}

static void fold_middle(struct evaluator *e, const struct weights *weights, int table) {
    int32_t(*const value)[KNOTS] = weights->value + TERM_PATTERN + table * WINDOW_VIEWS;
    for (int view = 0; view < WINDOW_VIEWS; view++) {
        int seen_by_other = 0;
        for (int i = 0, rest = view; i < WINDOW_SQUARES; i++, rest /= 3)
            seen_by_other = 3 * seen_by_other + (3 - rest % 3) % 3;
        e->pattern[table][view] = pack(value[view]) - pack(value[seen_by_other]);
    }
}

static void fold_patterns(struct evaluator *e, const struct weights *weights) {
    const int count = window_count(weights->variant->rules->width);
    for (int table = 0; table < count / 2; table++)
        for (int view = 0; view < WINDOW_VIEWS; view++)
            e->pattern[table][view] = pack(weights->value[TERM_PATTERN + table * WINDOW_VIEWS + view]);
    if (count % 2 == 1) fold_middle(e, weights, count / 2);
    fold_men(e, weights);
}

static void lay_out_kings(struct evaluator *e, const struct weights *weights) {
    const int width = weights->variant->rules->width, squares = board_squares(width);
    for (int number = 1; number <= squares; number++) {
        const square white = board_square(width, number), black = board_square(width, squares + 1 - number);
        for (int k = 0; k < KNOTS; k++) {
            const int32_t value =
                weights->value[TERM_KING][k] + weights->value[TERM_KING_SQUARE + number - 1][k];
            e->king[WHITE][white][k] = value;
            e->king[BLACK][black][k] = -value;
        }
    }
}

struct evaluator *evaluator_new(const struct weights *weights) {
    const struct rules *rules = weights->variant->rules;
    struct evaluator *e = memory_new(1, sizeof *e);
    e->rules = rules;
    e->drawish = drawish_of(rules);
    e->score = rules->width == 10 ? score_on_10 : score_on_8;
    const int half = half_of_pieces(rules);
    for (int pieces = 0; pieces <= 2 * half; pieces++) e->shares[pieces] = shares_of(pieces, half);
    for (int k = 0; k < KNOTS; k++) {
        e->turn[k] = weights->value[TERM_TURN][k];
        e->opposition[k] = weights->value[TERM_OPPOSITION][k];
        e->balance[k] = weights->value[TERM_BALANCE][k];
        e->first_king[k] = weights->value[TERM_FIRST_KING][k];
        e->king_safe[k] = weights->value[TERM_KING_SAFE][k];
        e->king_unsafe[k] = weights->value[TERM_KING_UNSAFE][k];
    }
    fold_patterns(e, weights);
    lay_out_kings(e, weights);
    return e;
}

void evaluator_free(struct evaluator *e) { free(e); }
