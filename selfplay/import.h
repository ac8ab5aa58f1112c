// import.h -- games of PDN as a dataset: positions, moves, results, and scores where the text has them.
#ifndef HUFF_SELFPLAY_IMPORT_H
#define HUFF_SELFPLAY_IMPORT_H

#include "core/pdn.h"
#include "selfplay/conditions.h"

struct import_settings {
    const struct variant *variant;  // NULL: the one that the first game names, or that its moves tell
    bool any_game_type;             // with a variant: games are of it, whatever their tags say
    enum pdn_left left;
    bool keep_broken;  // games up to their last good move, where the result is known all the same
    // By which games were drawn; "none" besides those of conditions.h: drawn games end by their results
    // alone.
    struct draw_words draws;
    uint64_t seed;    // of the choice of games that trainers hold back
    int shard_games;  // in a folder
    bool quiet;
    // Called with one line for each game that is not taken, or not all of it, and for warnings; may be NULL.
    void (*report)(void *context, const char *line);
    void *context;
};

enum import_loss {
    LOST_OTHER_VARIANT,
    LOST_UNREADABLE,   // with an illegal move, a bad FEN, ...
    LOST_NO_RESULT,    // unknown, and not by the rules either
    LOST_BOTH_LOSE,    // no result that a dataset has
    LOST_CONTRADICTS,  // the rules say another result
    LOST_GOES_ON,      // after it was drawn by the rules
    LOST_EMPTY,        // no moves
    LOST_TOO_LARGE,    // for the columns of a dataset
    IMPORT_LOSSES,
};
extern const char *const import_loss_names[IMPORT_LOSSES];  // "without a result"

struct import_counts {
    const struct variant *variant;
    uint64_t games, positions, files;  // written
    uint64_t broken;                   // of these games, kept up to their last good move
    uint64_t by_rules;                 // whose result only the rules told
    uint64_t warnings;
    uint64_t lost[IMPORT_LOSSES];  // games
    uint64_t lost_moves;           // of those, and of the ends of others
};

// Reads the files ("-": standard input) one after the other in little memory and writes their games, with
// numbers from 0 on, to `output`: a file when its name ends in ".h5", else a new folder of shards
// (import_output.h). Games of other variants, broken ones, and those of which no result is known are left out
// and reported. How a game ended is what the rules say; else the Termination tag where it names a time limit
// or a fault of the loser; else it counts as adjudicated to its result. Fails, and leaves nothing behind,
// when no game could be taken.
bool import_write(const char *const *paths, int path_count, const char *output,
                  const struct import_settings *, struct import_counts *, struct error *)
    __attribute__((warn_unused_result));

#endif
