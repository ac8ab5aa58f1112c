// dataset.h -- games and their positions in HDF5 files: the one place that knows the layout.
//
// A file holds games of one variant in columns, one dataset a column, rows in game order. Everything that can
// be recomputed cheaply is not stored; everything a trainer filters by is. Any HDF5 reader opens it without
// plug-ins. The layout, version 1:
//
//     /                 attributes: format, format_version, variant, rules, square_order, engine,
//                       weights_sha256, limit, seed, first_game, complete
//     /positions/...    FOR_EACH_POSITION_COLUMN: a row a position in which a move was played
//     /games/...        FOR_EACH_GAME_COLUMN: a row a game; its positions are the rows first .. first+count-1
//     /openings/...     FOR_EACH_OPENING_COLUMN: a row a position that games started from
//     /labels/...       FOR_EACH_LABEL_COLUMN: a row a position, in files of chosen positions only
//     /meta             attributes: config (JSON), engine, engines (JSON, a list), origin (JSON, in files
//     made
//                       from others), sample (JSON, in files of chosen positions), contents (what the file
//                       must have of all that readers do without: "games/called_ply meta/sample ..."; a name
//                       that is damaged is then missed. Files of before it have none)
//
// Columns whose numbers have no names say what they mean in an attribute `meaning`. A score is in centipawns,
// White's view; one of SCORE_WIN_FROM or more is SCORE_WIN - n, a win of White proven in n plies, and so,
// with the sign turned, of Black (search.h); NO_SCORE is that of a move that no search chose. Flags are enum
// position_flags (playing.h).
//
// Boards are dense (board_pack): bit i = square i+1 of the common board. Equal games give equal bytes.
#ifndef HUFF_SELFPLAY_DATASET_H
#define HUFF_SELFPLAY_DATASET_H

#include <stddef.h>
#include <sys/types.h>

#include "selfplay/playing.h"

#define DATASET_FORMAT "huff-positions"

enum {
    DATASET_VERSION = 1,
    DATASET_BLOCK =
        65536,  // rows of a chunk of /positions: blocks that begin at a multiple of it are read fastest
};

// X(name, type in memory, type in the file)
#define FOR_EACH_POSITION_COLUMN(X)                                    \
    X(white_men, uint64_t, UINT64)                                     \
    X(white_kings, uint64_t, UINT64)                                   \
    X(black_men, uint64_t, UINT64)                                     \
    X(black_kings, uint64_t, UINT64)                                   \
    X(stm, uint8_t, SIDE)      /* enum side */                         \
    X(ply, uint16_t, UINT16)   /* from the start of the game */        \
    X(score, int16_t, INT16)   /* White's view, see above */           \
    X(result, int8_t, RESULT)  /* of the game, White's view */         \
    X(move, uint8_t, UINT8)    /* index in the list of legal moves */  \
    X(flags, uint16_t, UINT16) /* enum position_flags */               \
    X(clock, uint8_t, UINT8)   /* plies since progress, at most 255 */ \
    X(game, uint32_t, UINT32)  /* row in /games */

#define FOR_EACH_GAME_COLUMN(X)                                          \
    X(id, uint64_t, UINT64)    /* number of the game in its run */       \
    X(first, uint64_t, UINT64) /* row in /positions */                   \
    X(count, uint32_t, UINT32) /* rows in /positions */                  \
    X(plies, uint16_t, UINT16) /* that the game lasted */                \
    X(result, int8_t, RESULT)  /* White's view */                        \
    X(termination, uint8_t, TERMINATION)                                 \
    X(opening, uint32_t, UINT32) /* row in /openings of the same file */ \
    X(random_plies, uint8_t, UINT8)                                      \
    X(split, uint8_t, UINT8) /* enum split */                            \
    FOR_EACH_NEWER_GAME_COLUMN(X)

// Files that were written before there were these are read as if they held zeros.
#define FOR_EACH_NEWER_GAME_COLUMN(X)                                                                  \
    X(white_engine, uint8_t, UINT8) /* who played: in the list /meta engines */                        \
    X(black_engine, uint8_t, UINT8)                                                                    \
    X(called_ply, uint16_t, UINT16)  /* after which adjudication ended it, or would have; 0 = never */ \
    X(called_result, int8_t, RESULT) /* what it was called, White's view */

#define FOR_EACH_OPENING_COLUMN(X)   \
    X(white_men, uint64_t, UINT64)   \
    X(white_kings, uint64_t, UINT64) \
    X(black_men, uint64_t, UINT64)   \
    X(black_kings, uint64_t, UINT64) \
    X(stm, uint8_t, SIDE)

// What a position is worth to a trainer, where that is more than the result of its own game.
#define FOR_EACH_LABEL_COLUMN(X)                                                  \
    X(expected, float, FLOAT32) /* mean of White's points: 1, 0.5 and 0 a game */ \
    X(seen, uint32_t, UINT32)   /* positions that this row stands for */

// Which games a trainer holds back; drawn per game, because positions of one game are alike.
enum split { SPLIT_TRAIN, SPLIT_VALIDATION, SPLIT_TEST };

#define DATASET_POINTER(name, type, file_type) type *name;
// Arrays of one length. When reading, a NULL column is not read.
struct position_columns {
    FOR_EACH_POSITION_COLUMN(DATASET_POINTER)
};
struct game_columns {
    FOR_EACH_GAME_COLUMN(DATASET_POINTER)
};
struct opening_columns {
    FOR_EACH_OPENING_COLUMN(DATASET_POINTER)
};
struct label_columns {
    FOR_EACH_LABEL_COLUMN(DATASET_POINTER)
};
#undef DATASET_POINTER

// Room for `rows` in every column; every column is freed.
struct position_columns position_columns_new(size_t rows);
void position_columns_free(struct position_columns *);
struct game_columns game_columns_new(size_t rows);
void game_columns_free(struct game_columns *);
struct opening_columns opening_columns_new(size_t rows);
void opening_columns_free(struct opening_columns *);
struct label_columns label_columns_new(size_t rows);
void label_columns_free(struct label_columns *);

// The columns from row `row` on.
struct position_columns position_columns_at(const struct position_columns *, size_t row);
struct game_columns game_columns_at(const struct game_columns *, size_t row);
struct label_columns label_columns_at(const struct label_columns *, size_t row);

// Moves the rows to keep together at the beginning; returns how many they are.
size_t position_columns_keep(const struct position_columns *, size_t rows, const bool *keep);
size_t label_columns_keep(const struct label_columns *, size_t rows, const bool *keep);

// What a file says of itself. The texts belong to the caller of dataset_create, or to the dataset read.
struct dataset_info {
    const struct variant *variant;
    const char *rules;   // rules_to_json
    const char *engine;  // program and version
    const char *weights_sha256;
    const char *limit;    // "nodes=1000"
    const char *config;   // of the run, JSON
    const char *engines;  // JSON: [{"name": ..., "weights_sha256": ...}, ...]; NULL: not said
    // Of a file made from others: the runs in it (merge.h), JSON; NULL: it is a shard of one run.
    const char *origin;
    const char *sample;  // how its positions were chosen, JSON; NULL: games are whole
    uint64_t seed;
    uint64_t first_game;  // number of the first game
};

// ---- writing ----

// A file in the making.
struct dataset_writer;
struct dataset;

// Built in memory, so that no failing disk can leave HDF5 half way; dataset_finish gives the bytes, which the
// caller puts where they belong (file_replace).
struct dataset_writer *dataset_create(const struct dataset_info *, struct error *);
// Built under a temporary name beside `path`, whatever its size in little memory; dataset_publish puts it
// there.
struct dataset_writer *dataset_create_file(const char *path, const struct dataset_info *, struct error *);
// So too, but columns of /positions are views of those in the files of `sources`, named relative to `path`.
// What counts rows, and would be another number in another file, is written: positions/game and all of /games
// and /openings.
struct dataset_writer *dataset_create_views(const char *path, const struct dataset_info *,
                                            struct dataset *sources, struct error *);

// The list of engines (dataset_info) where it is known only now, and was NULL before.
bool dataset_write_engines(struct dataset_writer *, const char *engines, struct error *)
    __attribute__((warn_unused_result));

// A game with its positions. Games come in the order of their numbers.
bool dataset_add(struct dataset_writer *, const struct played_game *, uint64_t id, enum split, struct error *)
    __attribute__((warn_unused_result));

// Rows as they are, from other files: openings (*row is where it is now) before games, which must agree with
// the positions; `first` of games is set here, by their counts. Columns of views may be NULL.
bool dataset_add_opening(struct dataset_writer *, const struct position *, uint32_t *row, struct error *)
    __attribute__((warn_unused_result));
bool dataset_add_games(struct dataset_writer *, const struct game_columns *, size_t count, struct error *)
    __attribute__((warn_unused_result));
bool dataset_add_positions(struct dataset_writer *, const struct position_columns *, size_t count,
                           struct error *) __attribute__((warn_unused_result));
// In files of chosen positions (info.sample): a row for each position, too.
bool dataset_add_labels(struct dataset_writer *, const struct label_columns *, size_t count, struct error *)
    __attribute__((warn_unused_result));

// End writing, whether they succeed or not. *bytes is freed by the caller.
bool dataset_finish(struct dataset_writer *, void **bytes, size_t *size, struct error *)
    __attribute__((warn_unused_result));
bool dataset_publish(struct dataset_writer *, struct error *) __attribute__((warn_unused_result));
void dataset_discard(struct dataset_writer *);  // ends writing without a file; NULL is allowed

// ---- reading ----

// A file as the system knows it, whatever its names.
struct file_place {
    dev_t device;
    ino_t number;
};

// Several files as one. Rows are numbered through: a game's `first` and a position's `game` are rows of the
// whole dataset.
struct dataset_file {
    char *path;
    struct dataset_info info;
    uint64_t bytes;
    uint64_t first_position, positions;  // rows of the dataset that lie in it
    uint64_t first_game, games;
    uint64_t openings;
    bool views;                  // its positions are in other files:
    struct file_place *sources;  // where those are
    size_t source_count;
};

// Each path is a file or the folder of a run, which stands for its shards in order. Refused with one clear
// line: another format or version, different variants, a truncated or damaged file, a missing or odd column,
// a file of views whose sources are not there, a shard that is not the one that its run has there
// (run_facts.h).
struct dataset *dataset_open(const char *const *paths, int count, struct error *);

// So too, but what would be refused is left out and goes to `fault`; so are files that `skips` names. NULL
// when nothing is left.
struct dataset_choice {
    bool (*skips)(void *context, const char *path);
    void (*fault)(void *context, const char *text);  // a line without its end
    void *context;
};
struct dataset *dataset_open_good(const char *const *paths, int count, const struct dataset_choice *);

// Puts files of one run in the order of their games; says whether they were in another. Files of several runs
// stay as they are.
bool dataset_sort(struct dataset *);

void dataset_close(struct dataset *);

const struct variant *dataset_variant(const struct dataset *);
uint64_t dataset_positions(const struct dataset *);
uint64_t dataset_games(const struct dataset *);
int dataset_file_count(const struct dataset *);
const struct dataset_file *dataset_file(const struct dataset *, int index);
// Is it a view of that file?
bool dataset_file_shows(const struct dataset_file *, dev_t device, ino_t number);

// Rows first .. first+count-1, which must be there, into the columns that are not NULL.
bool dataset_read_positions(struct dataset *, uint64_t first, size_t count, const struct position_columns *,
                            struct error *) __attribute__((warn_unused_result));
bool dataset_read_games(struct dataset *, uint64_t first, size_t count, const struct game_columns *,
                        struct error *) __attribute__((warn_unused_result));
// Where a file has none, what the result of the game says.
bool dataset_read_labels(struct dataset *, uint64_t first, size_t count, const struct label_columns *,
                         struct error *) __attribute__((warn_unused_result));
// The openings of one file, all of them.
bool dataset_read_openings(struct dataset *, int file, const struct opening_columns *, struct error *)
    __attribute__((warn_unused_result));

// Row `row` of columns that were read as a position (boards and stm are needed).
struct position position_from_columns(const struct variant *, const struct position_columns *, size_t row);
struct position opening_from_columns(const struct variant *, const struct opening_columns *, size_t row);

#endif
