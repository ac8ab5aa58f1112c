// game_reader.c -- reads the games of a dataset in batches.

#include "selfplay/game_reader.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/support/memory.h"
#include "core/support/progress.h"

// Positions read in one go; more when a single game has more.
enum { BATCH_POSITIONS = 2 * DATASET_BLOCK };

struct game_reader {
    struct dataset *dataset;
    enum game_reading reading;
    uint64_t number;  // of the next game
    int file;
    struct opening_columns openings;  // of the file
    uint64_t block, block_end;        // the games in `games`
    struct game_columns games;
    uint64_t end;               // of the positions of the games before
    uint64_t batch, batch_end;  // the positions in `rows`
    size_t room;
    struct position_columns rows;
    struct label_columns labels;
};

bool game_reader_check(const struct dataset *dataset, struct error *error) {
    for (int i = 0; i < dataset_file_count(dataset); i++) {
        const struct dataset_file *file = dataset_file(dataset, i);
        if (file->info.sample != NULL)
            return error_set(error, "%s: holds chosen positions, no whole games", file->path);
    }
    return true;
}

struct game_reader *game_reader_new(struct dataset *dataset, enum game_reading reading) {
    struct game_reader *reader = memory_new(1, sizeof *reader);
    *reader = (struct game_reader){.dataset = dataset, .reading = reading, .file = -1};
    reader->games = game_columns_new(DATASET_BLOCK);
    return reader;
}

static void free_rows(struct game_reader *reader) {
    position_columns_free(&reader->rows);
    label_columns_free(&reader->labels);
}

void game_reader_free(struct game_reader *reader) {
    free_rows(reader);
    game_columns_free(&reader->games);
    opening_columns_free(&reader->openings);
    free(reader);
}

static bool use_file(struct game_reader *reader, struct error *error) {
    const int count = dataset_file_count(reader->dataset);
    int file = reader->file < 0 ? 0 : reader->file;
    for (; file < count; file++) {
        const struct dataset_file *of = dataset_file(reader->dataset, file);
        if (reader->number < of->first_game + of->games) break;
    }
    if (file == reader->file) return true;
    opening_columns_free(&reader->openings);
    reader->file = file;
    reader->openings = opening_columns_new((size_t)dataset_file(reader->dataset, file)->openings);
    return dataset_read_openings(reader->dataset, file, &reader->openings, error);
}

static bool use_block(struct game_reader *reader, struct error *error) {
    if (reader->number < reader->block_end) return true;
    const uint64_t left = dataset_games(reader->dataset) - reader->number;
    reader->block = reader->number;
    reader->block_end = reader->number + (left < DATASET_BLOCK ? left : DATASET_BLOCK);
    return dataset_read_games(reader->dataset, reader->block, (size_t)(reader->block_end - reader->block),
                              &reader->games, error);
}

static bool complain(const struct game_reader *reader, const struct read_game *game, struct error *error,
                     const char *what) {
    return error_set(error, "%s: game %" PRIu64 ": %s", dataset_file(reader->dataset, reader->file)->path,
                     game->row.id[0], what);
}

static bool is_sound(const struct game_reader *reader, const struct read_game *game, struct error *error) {
    const struct dataset_file *file = dataset_file(reader->dataset, reader->file);
    if (game->row.first[0] != reader->end)
        return complain(reader, game, error, "its rows do not follow those of the game before");
    if (reader->end + game->row.count[0] > file->first_position + file->positions)
        return complain(reader, game, error, "its rows lie beyond the end of /positions");
    if (game->row.count[0] > game->row.plies[0])
        return complain(reader, game, error, "it has more positions than plies");
    if (game->row.result[0] < -1 || game->row.result[0] > 1)
        return complain(reader, game, error, "its result is none");
    return game->row.opening[0] < file->openings ||
           complain(reader, game, error, "its opening is not in /openings");
}

// As many positions as a batch has, from those of the game that begins at reader->end on.
static bool read_batch(struct game_reader *reader, size_t needed, struct error *error) {
    const uint64_t left = dataset_positions(reader->dataset) - reader->end;
    const size_t size = needed > BATCH_POSITIONS ? needed : BATCH_POSITIONS;
    if (size > reader->room) {
        free_rows(reader);
        if (reader->reading == READ_MOVES)
            reader->rows.move = memory_new(size, 1);
        else
            reader->rows = position_columns_new(size);
        if (reader->reading == READ_LABELS) reader->labels = label_columns_new(size);
        reader->room = size;
    }
    const size_t count = left < size ? (size_t)left : size;
    reader->batch = reader->end;
    reader->batch_end = reader->end + count;
    return dataset_read_positions(reader->dataset, reader->batch, count, &reader->rows, error) &&
           (reader->reading != READ_LABELS ||
            dataset_read_labels(reader->dataset, reader->batch, count, &reader->labels, error));
}

static struct position opening_position(const struct game_reader *reader, size_t row) {
    const struct position_columns as_positions = {
        .white_men = reader->openings.white_men,
        .white_kings = reader->openings.white_kings,
        .black_men = reader->openings.black_men,
        .black_kings = reader->openings.black_kings,
        .stm = reader->openings.stm,
    };
    return position_from_columns(dataset_variant(reader->dataset), &as_positions, row);
}

bool game_reader_next(struct game_reader *reader, struct read_game *game, struct error *error) {
    if (interrupted()) return error_set(error, "interrupted");
    if (!use_file(reader, error) || !use_block(reader, error)) return false;
    *game = (struct read_game){
        .number = reader->number,
        .file = reader->file,
        .row = game_columns_at(&reader->games, (size_t)(reader->number - reader->block)),
    };
    if (!is_sound(reader, game, error)) return false;
    const size_t count = game->row.count[0];
    if (reader->reading != READ_GAMES) {
        if (reader->end + count > reader->batch_end && !read_batch(reader, count, error)) return false;
        const size_t at = (size_t)(reader->end - reader->batch);
        game->rows = position_columns_at(&reader->rows, at);
        game->labels = label_columns_at(&reader->labels, at);
    }
    game->start = opening_position(reader, game->row.opening[0]);
    if (!variant_check(dataset_variant(reader->dataset), &game->start, error))
        return complain(reader, game, error, "its opening is no position of this game");
    reader->end += count;
    reader->number++;
    return true;
}

bool read_game_move(const struct read_game *game, const struct variant *variant,
                    const struct position *position, size_t row, struct move_list *list, struct move *move,
                    struct error *error) {
    variant->generate(position, list);
    const int index = game->rows.move[row];
    if (index >= list->count || list->truncated)
        return error_set(error, "game %" PRIu64 ", ply %zu: move %d of %d legal ones", game->row.id[0], row,
                         index, list->count);
    *move = list->moves[index];
    return true;
}
