// stats.h -- what the games of a variant are like: results, lengths, choice, material, openings.
#ifndef HUFF_SELFPLAY_STATS_H
#define HUFF_SELFPLAY_STATS_H

#include <jansson.h>

#include "selfplay/dataset.h"
#include "selfplay/position_set.h"

enum {
    STATS_STEP = 10,  // plies of a row of stats.by_ply
    STATS_STEPS = PLAYING_MAX_PLIES / STATS_STEP + 1,
    STATS_PIECES = 2 * MAX_CAPTURED + 1,
    STATS_MOVES = 257,
    STATS_LINE = 96,  // characters of the moves to an opening
};

struct stats_step {
    uint64_t positions, moves, pieces, kings, captures;
};

struct stats_opening {
    char moves[STATS_LINE];  // "11-15 22-18"; "" where games started there
    uint64_t results[3];     // lost, drawn, won by White
    int begins;              // the side to move at the start of the games
};

struct stats {
    const struct variant *variant;
    uint64_t games, positions, duplicates;
    uint64_t results[3];  // lost, drawn, won by White
    uint64_t first[3];    // so by the side that moves first
    uint64_t endings[TERMINATION_COUNT];
    uint64_t *plies;              // [0..PLAYING_MAX_PLIES] games of this length
    uint64_t moves[STATS_MOVES];  // positions with so many legal moves
    uint64_t captures;            // positions where the side to move can capture
    struct stats_step *steps;
    uint64_t pieces[STATS_PIECES];  // positions with so many pieces
    int opening_plies;
    struct position_set positions_of_openings;
    struct stats_opening *openings;  // by the numbers of that set
    size_t opening_room;
};

// `opening_plies`: openings are the positions after so many plies; -1: where games started, or after two
// plies if that is one position.
bool stats_read(struct dataset *, int opening_plies, bool quiet, struct stats *, struct error *)
    __attribute__((warn_unused_result));
void stats_free(struct stats *);

// ---- what follows from it; 95 % errors take games for independent ----

struct stats_estimate {
    double value, error;
};
struct stats_estimate stats_draw_rate(const struct stats *);
struct stats_estimate stats_first_score(const struct stats *);  // points of the side that moves first, 0..1
double stats_first_elo(const struct stats *);                   // infinite when it wins or loses all
int stats_length(const struct stats *, double share);           // that this share of games does not exceed
double stats_mean_length(const struct stats *);
double stats_mean_moves(const struct stats *);   // a position
double stats_mean_choice(const struct stats *);  // so, where there is more than one

json_t *stats_to_json(const struct stats *, int openings);
// Side by side, to standard output; at most `openings` openings of each.
void stats_print(const struct stats *, const char *const *names, int count, int openings);

#endif
