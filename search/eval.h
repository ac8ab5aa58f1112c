// eval.h -- the evaluation: a linear sum over one list of terms that engine and tuner share.
//
//     score = scale(p) * sum over knots k and terms t of share_k(p) * weight[t][k] * feature_t(p)
//
// Every feature is antisymmetric: White's count minus Black's count on the board turned by 180 degrees. So
// one set of weights serves both sides, and a position and its colour swap have opposite scores by
// construction. A weight has a value at each of three knots, the full board, half of the pieces and the empty
// board; between them it is interpolated by the number of pieces. What is drawish although one side is ahead
// is scaled down.
#ifndef HUFF_SEARCH_EVAL_H
#define HUFF_SEARCH_EVAL_H

#include "core/variant.h"
#include "search/windows.h"

// The list of terms, in the order of their weights: X(NAME, count, "what it says").
// Counts do not depend on the variant; what its board does not have is 0. Squares are common numbers seen by
// the owner of the piece with its own side at the bottom (White's own square n; Black's piece on n counts as
// squares + 1 - n). A PATTERN is a window's table and what is seen in it (windows.h).
#define FOR_EACH_TERM(X)                                                                          \
    X(MAN, 1, "a man")                                                                            \
    X(TEMPO, 1, "a row that a man has gone forward")                                              \
    X(KING, 1, "a king")                                                                          \
    X(FIRST_KING, 1, "the first king of a side, on top of its value")                             \
    X(TURN, 1, "the side to move")                                                                \
    X(OPPOSITION, 1, "having the move: the last word when men meet (short kings, equal numbers)") \
    X(BALANCE, 1, "a man more on one wing than on the other")                                     \
    X(KING_SAFE, 1, "a square that kings reach and no man attacks")                               \
    X(KING_UNSAFE, 1, "a square that kings reach and a man attacks")                              \
    X(MAN_SQUARE, MAX_SQUARES, "a man on a square, on top of its value")                          \
    X(KING_SQUARE, MAX_SQUARES, "a king on a square, on top of its value")                        \
    X(PATTERN, MAX_WINDOW_TABLES *WINDOW_VIEWS, "men as seen through a window of eight squares")

enum {  // where each term's weights begin
#define X(name, size, text) TERM_##name, TERM_##name##_LAST = TERM_##name + (size)-1,
    FOR_EACH_TERM(X)
#undef X
        TERM_COUNT
};

enum {
    KNOTS = 3,
    WEIGHT_UNIT = 10,  // weights are in tenths of a centipawn
    // No sum of weights within these overflows: of any weight, and of MAN + TEMPO * rows + MAN_SQUARE.
    WEIGHT_LIMIT = 32767,
    MAN_LIMIT = 10000,
    SCORE_LIMIT = 20000,  // evaluations stay within +-SCORE_LIMIT centipawns
};

// A handle: copies share the values. Released once with weights_free.
struct weights {
    const struct variant *variant;  // the variant without house rules that they belong to
    int32_t (*value)[KNOTS];        // [TERM_COUNT]; WEIGHT_UNIT per centipawn; a man starts at 100 centipawns
    char sha256[65];                // of the file's text, in hexadecimal
};
void weights_free(struct weights *);

// All zero, and without a sha256.
struct weights weights_zero(const struct variant *);
// Weights to start from: material and nothing else.
struct weights weights_material(const struct variant *);
// False, with the reason, when a man on some square would be worth more than MAN_LIMIT.
bool weights_check(const struct weights *, struct error *) __attribute__((warn_unused_result));

// One file holds one variant's weights, as text of single blanks and line ends that are one '\n', compressed
// by gzip when its name ends in ".gz":
//
//     huff-weights 2
//     variant spanish
//     terms 1d6e1b0f7a52c3e4           hash of the names and counts of FOR_EACH_TERM, and KNOTS
//     MAN 0 1000 1010 995              a line for each weight that is not zero, in the order of the list:
//     MAN_SQUARE 2 12 -5 0             the term, which of its weights (from 0), the values at the knots
//     ...
//     checksum 8c736521                CRC-32 of the bytes before this line
//
// A mismatch of any is refused with one clear line. Written whole or not at all; sets weights->sha256. A
// variant with a house rule ("american+free") or another name for the same moves ("portuguese") reads the
// weights of the variant that has them; without a variant (NULL) those of any are read, and weights->variant
// says whose they are. After a failure there is nothing to free.
enum { WEIGHTS_VERSION = 2 };
bool weights_write(const char *path, struct weights *, struct error *) __attribute__((warn_unused_result));
bool weights_read(const char *path, const struct variant *, struct weights *, struct error *)
    __attribute__((warn_unused_result));

// Weights as users name them: NULL or "default" for those that come with the program (material, when none
// do), "material", or a file.
bool weights_in_file(const char *name);
bool weights_get(const char *name, const struct variant *, struct weights *, struct error *)
    __attribute__((warn_unused_result));

// The features of a position that are not zero. At most MAX_FEATURES.
enum { MAX_FEATURES = TERM_MAN_SQUARE + 2 * MAX_CAPTURED + MAX_WINDOWS + 1 };
struct feature {
    int32_t term;
    int32_t count;
};
int eval_features(const struct variant *, const struct position *,
                  struct feature features[static MAX_FEATURES]);

// The same before it is a list. MAN, TEMPO and KING follow from the squares.
enum { FIRST_COUNTED = TERM_FIRST_KING, COUNTED_END = TERM_MAN_SQUARE };
struct eval_sight {
    // The squares, as their owners see them with the own side at the bottom, where one side alone has a piece
    // of the kind: White, Black.
    bitboard men[2], kings[2];
    uint16_t view[MAX_WINDOW_TABLES][2];  // White's and Black's; they may be the same, and then count nothing
    int8_t count[COUNTED_END];            // of the terms from FIRST_COUNTED on, by their places in the list
};
void eval_look(const struct variant *, const struct position *, struct eval_sight *);

// How far a position is from each knot: the sum of its features' weights at knot k counts of[k] / EVAL_WHOLE.
enum { EVAL_WHOLE = 480 };  // a multiple of half the pieces that any game starts with, times 8
struct eval_shares {
    int of[KNOTS];
};
struct eval_shares eval_shares(const struct variant *, const struct position *);
struct eval_shares eval_shares_of(const struct variant *, int pieces);

// The eighths of its lead that the side `ahead` keeps: fewer than 8 in material that is hard to win.
int eval_scale(const struct variant *, const struct position *, enum side ahead);

// Centipawns (a man is about 100) from the side to move's view: the sum over eval_features.
int eval_score(const struct weights *, const struct position *);

// The same for a search: the weights laid out for speed.
struct evaluator *evaluator_new(const struct weights *) __attribute__((warn_unused_result));
void evaluator_free(struct evaluator *);
int evaluator_score(const struct evaluator *, const struct position *);  // equals eval_score

#endif
