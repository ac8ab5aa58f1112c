// calibration.h -- how well weights predict results: the loss, and what was scored where they promised what.
#ifndef HUFF_TUNER_CALIBRATION_H
#define HUFF_TUNER_CALIBRATION_H

#include "tuner/fit.h"

// The positions of one bin, seen by the side that the evaluation prefers.
struct calibration_row {
    int from, to;  // both ends belong to it; `to` INT_MAX: no end
    uint64_t positions, draws;
    double expected, scored;  // mean points a game, 0..1
    double loss;              // mean cross entropy
};

enum { SCORE_ROWS = 9, PIECE_ROWS = 2 * MAX_CAPTURED / 4 };

struct calibration {
    double centipawns_per_logit;                   // that suits the training positions best
    double loss;                                   // mean cross entropy against the results
    double material_loss;                          // the same of material alone, at its own scale
    struct calibration_row by_score[SCORE_ROWS];   // centipawns that the side is ahead
    struct calibration_row by_pieces[PIECE_ROWS];  // pieces on the board
};

// Of one part of the samples, which must not be empty, at the scale that `train` gives: one that was fitted
// to the games it is judged by would flatter. Fails when the better score does not win more of these.
bool calibrate(const struct weights *, const struct variant *, const struct samples *train,
               const struct samples *, int threads, struct calibration *, struct error *)
    __attribute__((warn_unused_result));

#endif
