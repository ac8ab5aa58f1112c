// samples.h -- the positions of a dataset that weights are fitted to, apart by what each game is for.
#ifndef HUFF_TUNER_SAMPLES_H
#define HUFF_TUNER_SAMPLES_H

#include "selfplay/dataset.h"

enum {
    PART_COUNT = SPLIT_TEST + 1,
    MAX_CLOCK = 255,  // that a dataset tells
};
extern const char *const part_names[PART_COUNT];  // by enum split: "train", "validation", "test"

struct sample {
    struct position position;
    float target;  // what White is taken to score from here, 0..1: at first sample_points
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

// A whole game is in one part, as the dataset's column `split` says: positions of one game are alike, and a
// model that has seen some of them would look better on the others than it is.
struct samples {
    struct sample *sample;
    size_t count, capacity;
    uint64_t games;       // that at least one of them comes from
    uint64_t results[3];  // of those games: lost, drawn, won by White
};

struct sample_sets {
    const struct variant *variant;
    uint64_t games, positions;  // of the dataset
    struct samples part[PART_COUNT];
};

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
};
struct sample_choice sample_choice_usual(void);  // configs/fit-default.yaml says why

// Fails with one clear line: data that dataset_open refuses, games of another variant than `wanted` (NULL:
// any), damaged rows, no position left by the choice, Ctrl-C.
bool samples_read(const char *const *paths, int count, const struct variant *wanted,
                  const struct sample_choice *, bool quiet, struct sample_sets *, struct error *)
    __attribute__((warn_unused_result));
void samples_join(struct sample_sets *);  // all parts into the first
void samples_free(struct sample_sets *);

#endif
