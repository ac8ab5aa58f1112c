// samples.h -- the positions of a dataset that weights are fitted to, apart by what each game is for.
#ifndef HUFF_TUNER_SAMPLES_H
#define HUFF_TUNER_SAMPLES_H

#include "core/support/random.h"
#include "selfplay/dataset.h"

enum {
    PART_COUNT = SPLIT_TEST + 1,
    MAX_CLOCK = 255,  // that a dataset tells
};
extern const char *const part_names[PART_COUNT];  // by enum split: "train", "validation", "test"

struct sample {
    struct position position;
    float target;  // what White is taken to score from here, 0..1: at first sample_points
    float drawn;   // how much of that are draws, 0..1; where draws are told apart
    float shift;  // from the points of its own result to the mean of those of equal positions (data's labels)
    float weight;   // of its loss; 1 on average over the part
    int16_t score;  // centipawns, White's view; NO_SCORE
    int8_t result;  // White's view
    uint32_t game;  // row of the dataset
};

// Of White, 0..1.
static inline double sample_points(const struct sample *sample) {
    return (sample->result + 1) / 2.0 + (double)sample->shift;
}

// A whole game is in one part: positions of one game are alike, and a model that has seen some of them would
// look better on the others than it is. Which part the dataset's column `split` says, drawn by game; or it is
// drawn here, in the same shares, by the position that the game began from: then all games of an opening are
// in one part.
enum split_by { SPLIT_BY_GAME, SPLIT_BY_OPENING, SPLIT_BY_COUNT };
extern const char *const split_by_names[SPLIT_BY_COUNT];  // "game", "opening"

struct samples {
    struct sample *sample;
    size_t count, capacity;  // in memory
    uint64_t chosen;         // of the dataset
    uint64_t games;          // that at least one of those comes from
    uint64_t results[3];     // of those games: lost, drawn, won by White
    uint32_t last_game;      // that was counted
};

// Training positions that do not fit into the buffer pass through it, a load at a time (samples_next);
// otherwise all are in memory. Held-out ones always are: of a part that has more than an HELD_OUT_PARTS-th of
// the buffer, those of fewer games.
struct sample_sets {
    const struct variant *variant;
    uint64_t games, positions;  // of the dataset
    struct samples part[PART_COUNT];
    struct sample_stream *stream;  // NULL: all are in memory
    bool rewound;                  // and not yet passed over
    enum split_by split_by;
    double held_out;  // the share of the held-out games that is kept
};
enum { HELD_OUT_PARTS = 8 };

// Which positions to take. One whose move was drawn at random is never taken: the game's result says little
// about it.
struct sample_choice {
    bool quiet_only;  // nobody could capture if it were his turn
    int skip_plies;   // from the start of the game
    int max_score;    // at most, in centipawns for either side
    int max_clock;    // at most, plies since progress: endings in which kings walk about are many and alike
    double share;     // of the training games, chosen by their rows; 1 = all
    // How much less the positions of a game count that has many (0: not at all, 1: every game counts the
    // same), and those of a number of pieces that many have.
    double game_balance, piece_balance;
    enum split_by split_by;
    size_t buffer;  // training positions to hold in memory at most; 0: all
};
struct sample_choice sample_choice_usual(void);  // configs/fit-default.yaml says why; all in memory
// With less than LEAST_BUFFER a load would be made of parts of chunks, each of which is decompressed whole.
enum { USUAL_BUFFER = 20000000, LEAST_BUFFER = 8 * DATASET_BLOCK };

// Fails with one clear line: data that dataset_open refuses, games of another variant than `wanted` (NULL:
// any), damaged rows, no position left by the choice, Ctrl-C.
bool samples_read(const char *const *paths, int count, const struct variant *wanted,
                  const struct sample_choice *, bool quiet, struct sample_sets *, struct error *)
    __attribute__((warn_unused_result));
// A pass over the training positions: samples_rewind, then samples_next as long as *more. Each load is in
// part[SPLIT_TRAIN]; without a stream there is one, and it is there already. A load is made of blocks of rows
// as they lie on disk, the blocks in an order that is drawn from the seed (SAMPLES_AS_THEY_LIE: in their
// own). Ctrl-C ends a pass early; false: a read failed. After samples_read there is a load to look at.
#define SAMPLES_AS_THEY_LIE UINT64_MAX
void samples_order(uint32_t *order, size_t count, struct random *);  // a permutation; NULL: 0, 1, ...
void samples_rewind(struct sample_sets *, uint64_t seed, uint64_t stream);
bool samples_next(struct sample_sets *, bool *more, struct error *) __attribute__((warn_unused_result));

void samples_join(struct sample_sets *);  // all parts into the first; not of a stream
void samples_free(struct sample_sets *);

#endif
