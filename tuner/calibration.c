// calibration.c -- compares what weights expect with what was scored.

#include "tuner/calibration.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "core/support/memory.h"

static const int score_edges[SCORE_ROWS + 1] = {0, 25, 50, 75, 100, 150, 200, 300, 500, INT_MAX};

static void set_ends(struct calibration *calibration) {
    for (int i = 0; i < SCORE_ROWS; i++) {
        const int next = score_edges[i + 1];
        calibration->by_score[i].from = score_edges[i];
        calibration->by_score[i].to = next == INT_MAX ? INT_MAX : next - 1;
    }
    for (int i = 0; i < PIECE_ROWS; i++) {
        calibration->by_pieces[i].from = 4 * i + 1;
        calibration->by_pieces[i].to = 4 * i + 4;
    }
}

static struct calibration_row *row_of_score(struct calibration *calibration, int ahead) {
    int row = 0;
    while (row < SCORE_ROWS - 1 && ahead >= score_edges[row + 1]) row++;
    return &calibration->by_score[row];
}

static struct calibration_row *row_of_pieces(struct calibration *calibration, const struct position *p) {
    const int pieces = bits_count(p->pieces[WHITE] | p->pieces[BLACK]);
    return &calibration->by_pieces[pieces > 0 ? (pieces - 1) / 4 : 0];
}

static void add(struct calibration_row *row, double expected, int result, double loss) {
    row->positions++;
    row->draws += result == 0;
    row->expected += expected;
    row->scored += (result + 1) / 2.0;
    row->loss += loss;
}

static void add_sample(struct calibration *calibration, const struct weights *weights,
                       const struct sample *sample) {
    const int score = eval_score(weights, &sample->position);
    const bool mover_ahead = score >= 0;
    const bool white_ahead = mover_ahead == (position_turn(&sample->position) == WHITE);
    const int result = white_ahead ? sample->result : -sample->result;
    const double z = abs(score) / calibration->centipawns_per_logit;
    const double expected = 1 / (1 + exp(-z));
    const double loss = z + log1p(exp(-z)) - (result + 1) / 2.0 * z;
    add(row_of_score(calibration, abs(score)), expected, result, loss);
    add(row_of_pieces(calibration, &sample->position), expected, result, loss);
    calibration->loss += loss;
}

static void take_means(struct calibration_row *rows, int count) {
    for (int i = 0; i < count; i++) {
        const double positions = (double)rows[i].positions;
        if (rows[i].positions == 0) continue;
        rows[i].expected /= positions;
        rows[i].scored /= positions;
        rows[i].loss /= positions;
    }
}

static bool material_loss(const struct weights *weights, const struct variant *variant,
                          const struct samples *train, const struct samples *samples, int threads,
                          double *loss) {
    struct weights material = weights_material(weights->variant);
    double scale;
    const bool found = fit_scale_of_weights(&material, train, &scale);
    if (found) {
        per_knot *logits = per_knot_new(LOGIT_COUNT);
        fit_logits(&material, scale, logits);
        *loss = fit_loss(variant, samples, logits, NULL, threads) / (double)samples->count;
        free(logits);
    }
    weights_free(&material);
    return found;
}

bool calibrate(const struct weights *weights, const struct variant *variant, const struct samples *train,
               const struct samples *samples, int threads, struct calibration *calibration,
               struct error *error) {
    *calibration = (struct calibration){0};
    set_ends(calibration);
    if (!fit_scale_of_weights(weights, train, &calibration->centipawns_per_logit))
        return error_set(error, "the side that these weights prefer does not win more of these games");
    if (!material_loss(weights, variant, train, samples, threads, &calibration->material_loss))
        return error_set(error, "the side with more material does not win more of these games");
    for (size_t i = 0; i < samples->count; i++) add_sample(calibration, weights, &samples->sample[i]);
    calibration->loss /= (double)samples->count;
    take_means(calibration->by_score, SCORE_ROWS);
    take_means(calibration->by_pieces, PIECE_ROWS);
    return true;
}
