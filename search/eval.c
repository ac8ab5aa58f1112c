// eval.c -- the evaluation of a position: its features, and their weighted sum two ways.
//
// eval_score is the definition that the tuner fits; evaluator_score is the same sum arranged for speed.
#include "search/eval.h"

#include <stdlib.h>

#include "core/support/memory.h"

// ---- the definition ----

static int add_feature(struct feature *features, int n, int term, int count) {
    if (count) features[n++] = (struct feature){.term = (int16_t)term, .count = (int16_t)count};
    return n;
}

// White's and Black's pieces of one kind, each seen by its owner; those that stand on the same square of his
// cancel out.
static int add_squares(struct feature *features, int n, int term, uint64_t white, uint64_t black) {
    for (uint64_t b = white ^ black; b; b = bits_without_lowest(b))
        n = add_feature(features, n, term + bits_first(b), white & bits_lowest(b) ? 1 : -1);
    return n;
}

int eval_features(const struct variant *variant, const struct position *p,
                  struct feature features[static MAX_FEATURES]) {
    const int width = variant->rules->width;
    const bitboard men[2] = {position_men(p, WHITE), position_men(p, BLACK)};
    const bitboard kings[2] = {position_kings(p, WHITE), position_kings(p, BLACK)};

    int n = add_feature(features, 0, TERM_MAN, bits_count(men[WHITE]) - bits_count(men[BLACK]));
    n = add_feature(features, n, TERM_KING, bits_count(kings[WHITE]) - bits_count(kings[BLACK]));
    n = add_feature(features, n, TERM_TURN, p->turn == WHITE ? 1 : -1);
    n = add_squares(features, n, TERM_MAN_SQUARE, board_pack(width, men[WHITE]),
                    board_pack(width, board_turned(width, men[BLACK])));
    return add_squares(features, n, TERM_KING_SQUARE, board_pack(width, kings[WHITE]),
                       board_pack(width, board_turned(width, kings[BLACK])));
}

// White's sum as a score of the side to move. Division rounds towards zero, so that the colours stay
// symmetric.
static int to_score(int sum, enum side turn) {
    const int score = (turn == WHITE ? sum : -sum) / WEIGHT_UNIT;
    return score > SCORE_LIMIT ? SCORE_LIMIT : score < -SCORE_LIMIT ? -SCORE_LIMIT : score;
}

int eval_score(const struct weights *weights, const struct position *p) {
    struct feature features[MAX_FEATURES];
    const int n = eval_features(weights->variant, p, features);
    int sum = 0;
    for (int i = 0; i < n; i++) sum += weights->value[features[i].term] * features[i].count;
    return to_score(sum, position_turn(p));
}

// ---- for the search ----

// By bit of the board, a piece's value and its square's in one number.
struct evaluator {
    int32_t man[2][64], king[2][64];
    int32_t turn;
};

struct evaluator *evaluator_new(const struct weights *weights) {
    const int32_t *value = weights->value;
    const int width = weights->variant->rules->width, squares = board_squares(width);
    struct evaluator *e = memory_new(1, sizeof *e);
    e->turn = value[TERM_TURN];
    for (int number = 1; number <= squares; number++) {
        const square white = board_square(width, number), black = board_square(width, squares + 1 - number);
        e->man[WHITE][white] = e->man[BLACK][black] = value[TERM_MAN] + value[TERM_MAN_SQUARE + number - 1];
        e->king[WHITE][white] = e->king[BLACK][black] =
            value[TERM_KING] + value[TERM_KING_SQUARE + number - 1];
    }
    return e;
}

void evaluator_free(struct evaluator *e) { free(e); }

static int sum_over(const int32_t value[static 64], bitboard pieces) {
    int sum = 0;
    for (; pieces; pieces = bits_without_lowest(pieces)) sum += value[bits_first(pieces)];
    return sum;
}

int evaluator_score(const struct evaluator *e, const struct position *p) {
    int sum = p->turn == WHITE ? e->turn : -e->turn;
    sum += sum_over(e->man[WHITE], position_men(p, WHITE)) - sum_over(e->man[BLACK], position_men(p, BLACK));
    if (p->kings)
        sum += sum_over(e->king[WHITE], position_kings(p, WHITE)) -
               sum_over(e->king[BLACK], position_kings(p, BLACK));
    return to_score(sum, position_turn(p));
}
