// sample.h -- positions chosen from a dataset, in a file of the same layout that trainers read.
#ifndef HUFF_SELFPLAY_SAMPLE_H
#define HUFF_SELFPLAY_SAMPLE_H

#include "selfplay/dataset.h"

struct sample_range {
    int least, most;  // both included
};

// The steps are taken in this order.
struct sample_settings {
    bool drop_duplicates;  // games that were played before give nothing (duplicates.h)

    // 1. What a position must be.
    struct sample_range ply, pieces, clock;
    struct sample_range score;  // its size, for either side; positions without one pass if `unscored` is set
    bool unscored;
    bool quiet;        // nobody could capture if it were his turn
    bool skip_random;  // its move was not drawn at random
    bool results[3];   // games lost, drawn, won by White

    // 2. A random part of them.
    double share;

    // 3. Of each game at most so many, drawn at random; 0 = all.
    int per_game;

    // 4. Equal positions (boards and side to move) of games of one split: the first of them stays, with the
    // mean of their results as label and of their scores as score.
    bool unique;

    // 5. Of each count of pieces at most so many, drawn at random; 0 = all.
    uint64_t per_pieces;

    uint64_t seed;
    bool quiet_output;
};
struct sample_settings sample_settings_all(void);  // that choose every position

// Step 1 for one position, apart from the result of its game.
bool sample_wants(const struct sample_settings *, const struct position_columns *, size_t row);

struct sample_counts {
    uint64_t games, positions;  // written
    uint64_t read;              // positions looked at
    uint64_t chosen;            // by steps 1 to 3
    uint64_t unique;            // left by step 4
    uint64_t by_pieces[64];     // written
};

// Memory does not grow with the dataset, but for `unique`: about 80 bytes a position that is chosen, and
// `drop_duplicates`. The same settings choose the same positions of the same dataset.
bool sample_write(struct dataset *, const char *path, const struct sample_settings *, struct sample_counts *,
                  struct error *) __attribute__((warn_unused_result));

#endif
