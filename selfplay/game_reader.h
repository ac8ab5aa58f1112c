// game_reader.h -- the games of a dataset one after the other with their positions, in little memory.
#ifndef HUFF_SELFPLAY_GAME_READER_H
#define HUFF_SELFPLAY_GAME_READER_H

#include "selfplay/dataset.h"

enum game_reading {
    READ_GAMES,      // /games alone
    READ_MOVES,      // and positions/move
    READ_POSITIONS,  // and all of /positions
    READ_LABELS,     // and what they are worth
};

// Valid until the next game is read.
struct read_game {
    uint64_t number;  // row of the dataset
    int file;
    struct game_columns row;       // where its columns begin: row.id[0], row.count[0], ...
    struct position_columns rows;  // so its positions, of those columns that are read: row.count[0] of them
    struct label_columns labels;
    struct position start;
};

// False, with the file's name, when a part of the dataset holds chosen positions (data_sample) in place of
// games.
bool game_reader_check(const struct dataset *, struct error *) __attribute__((warn_unused_result));

struct game_reader *game_reader_new(struct dataset *, enum game_reading);
void game_reader_free(struct game_reader *);

// There are dataset_games(). Fails with one clear line: Ctrl-C, a file that cannot be read, rows that do not
// follow one another, an opening or a result that cannot be. Positions are as the file has them.
bool game_reader_next(struct game_reader *, struct read_game *, struct error *)
    __attribute__((warn_unused_result));

// The legal moves of `position`, and the one that was played at row `row` of the game; fails when there is
// none of that number.
bool read_game_move(const struct read_game *, const struct variant *, const struct position *, size_t row,
                    struct move_list *, struct move *, struct error *) __attribute__((warn_unused_result));

#endif
