// eval.h -- the evaluation: a linear sum over one list of terms that engine and tuner share.
//
// score(position) = sum over terms of weight[t] * feature_t(position), where every feature is antisymmetric:
// White's count minus Black's count on the board turned by 180 degrees. So one set of weights serves both
// sides, and a position and its colour swap have opposite scores by construction.
#ifndef HUFF_SEARCH_EVAL_H
#define HUFF_SEARCH_EVAL_H

#include "core/variant.h"

// The list of terms, in the order of their weights: X(NAME, count, "what it says").
// Counts may depend on the board only through MAX_SQUARES: squares are common numbers seen by the owner of
// the piece with its own side at the bottom (White's own square n; Black's piece on n counts as squares+1-n).
#define FOR_EACH_TERM(X)                                                 \
    X(MAN, 1, "a man")                                                   \
    X(KING, 1, "a king")                                                 \
    X(TURN, 1, "the side to move")                                       \
    X(MAN_SQUARE, MAX_SQUARES, "a man on a square, on top of its value") \
    X(KING_SQUARE, MAX_SQUARES, "a king on a square, on top of its value")

enum {  // where each term's weights begin
#define X(name, size, text) TERM_##name, TERM_##name##_LAST = TERM_##name + (size)-1,
    FOR_EACH_TERM(X)
#undef X
        TERM_COUNT
};

enum {
    WEIGHT_UNIT = 10,       // weights are in tenths of a centipawn
    WEIGHT_LIMIT = 200000,  // a weight stays within +-WEIGHT_LIMIT, so that no sum of them overflows
    SCORE_LIMIT = 20000,    // evaluations stay within +-SCORE_LIMIT centipawns
};

struct weights {
    const struct variant *variant;  // the variant without house rules that they belong to
    int32_t value[TERM_COUNT];      // WEIGHT_UNIT per centipawn; a man starts at 100 centipawns
    char sha256[65];                // of the file's bytes, in hexadecimal
};

// Weights to start from: material and nothing else.
struct weights weights_material(const struct variant *);

// One file holds one variant's weights, as text of single blanks and line ends that are one '\n':
//
//     huff-weights 1
//     variant spanish
//     terms 1d6e1b0f7a52c3e4           hash of the names and counts of FOR_EACH_TERM
//     MAN 1000                         a line a term, in the order of the list
//     MAN_SQUARE 0 0 12 -5 ...
//     ...
//     checksum 8c736521                CRC-32 of the bytes before this line
//
// A mismatch of any is refused with one clear line. Written whole or not at all; sets weights->sha256. A
// variant with a house rule ("american+free") reads the weights of the variant without it; without a variant
// (NULL) those of any are read, and weights->variant says whose they are.
enum { WEIGHTS_VERSION = 1 };
bool weights_write(const char *path, struct weights *, struct error *) __attribute__((warn_unused_result));
bool weights_read(const char *path, const struct variant *, struct weights *, struct error *)
    __attribute__((warn_unused_result));

// The features of a position that are not zero. At most MAX_FEATURES.
enum { MAX_FEATURES = 3 + 2 * MAX_CAPTURED };
struct feature {
    int16_t term;
    int16_t count;
};
int eval_features(const struct variant *, const struct position *,
                  struct feature features[static MAX_FEATURES]);

// Centipawns (a man is about 100) from the side to move's view: the sum over eval_features.
int eval_score(const struct weights *, const struct position *);

// The same for a search: the weights laid out for speed.
struct evaluator *evaluator_new(const struct weights *) __attribute__((warn_unused_result));
void evaluator_free(struct evaluator *);
int evaluator_score(const struct evaluator *, const struct position *);  // equals eval_score

#endif
