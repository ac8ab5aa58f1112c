// dataset_write.c -- writes game datasets in HDF5.

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/support/file.h"
#include "core/support/memory.h"
#include "search/search.h"
#include "selfplay/dataset_hdf5.h"
#include "selfplay/output.h"
#include "selfplay/position_set.h"

#define SQUARE_ORDER                                                                                     \
    "bit i = square i+1 of the common board: 8x8 b8=1..g1=32, 10x10 b10=1..i1=50, White at the bottom; " \
    "mirrored official boards are mirrored onto it"

enum {
    DEFLATE_LEVEL = 6,  // 9 takes four times as long for 2 % less
    GAMES_CHUNK = 4096,
    IMAGE_GROWTH = 1 << 20,
    // Half the entries of a node of the tree that finds chunks. HDF5's own 32 would spend more bytes on empty
    // nodes than a shard has in its small columns.
    CHUNK_TREE_HALF_NODE = 4,
};

// ---- attributes ----

static bool write_attribute(hid_t object, const char *name, hid_t file_type, hid_t memory_type,
                            const void *value, struct error *error) {
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool done = attribute >= 0 && H5Awrite(attribute, memory_type, value) >= 0;
    if (!done) done = hdf5_fail(error, "cannot write attribute %s", name);
    hdf5_release(attribute);
    hdf5_release(space);
    return done;
}

static bool write_text(hid_t object, const char *name, const char *text, struct error *error) {
    const hid_t type = hdf5_text_type();
    const bool done = write_attribute(object, name, type, type, &text, error);
    hdf5_release(type);
    return done;
}

static bool write_number(hid_t object, const char *name, hid_t file_type, uint64_t value,
                         struct error *error) {
    return write_attribute(object, name, file_type, H5T_NATIVE_UINT64, &value, error);
}

// ---- writing ----

// A table being written: rows gather in `columns` until they fill a chunk.
struct table_writer {
    const struct table *table;
    void *columns;
    size_t waiting;
    hsize_t written;
    hid_t datasets[MAX_COLUMNS];
    bool is_view[MAX_COLUMNS];
};

struct dataset_writer {
    const struct variant *variant;
    hid_t file;
    char *name, *path, *temporary;  // as it was given, behind links, until it is complete; NULL in memory
    struct table_writer positions, games, openings, labels;
    struct position_columns position_rows;
    struct game_columns game_rows;
    struct opening_columns opening_rows;
    struct label_columns label_rows;
    uint64_t end;                // of the positions of the games added
    struct position_set starts;  // one a row of /openings, of the same number
};

static uint64_t row_count(const struct table_writer *writer) { return writer->written + writer->waiting; }

static hid_t new_properties(hid_t class) {
    const hid_t properties = H5Pcreate(class);
    H5Pset_obj_track_times(properties, false);  // equal games, equal bytes
    return properties;
}

static hid_t column_properties(hsize_t chunk) {
    const hid_t properties = new_properties(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, 1, &chunk);
    H5Pset_shuffle(properties);
    H5Pset_deflate(properties, DEFLATE_LEVEL);
    H5Pset_fletcher32(properties);
    return properties;
}

static hid_t create_group(hid_t file, const char *name, struct error *error) {
    const hid_t properties = new_properties(H5P_GROUP_CREATE);
    const hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (group < 0) hdf5_fail(error, "cannot make group %s", name);
    hdf5_release(properties);
    return group;
}

// The name of `file` as seen from the folder in which `path` is or will be; freed by the caller.
static char *relative_path(const char *path, const char *file, struct error *error) {
    char *copy = memory_text("%s", path), *slash = strrchr(copy, '/');
    if (slash != NULL) slash[slash == copy] = '\0';
    char *from = realpath(slash != NULL ? copy : ".", NULL), *to = realpath(file, NULL), *name = NULL;
    free(copy);
    if (from == NULL || to == NULL) {
        error_set(error, "%s: %s", from == NULL ? path : file, strerror(errno));
    } else if (strchr(to, '%') != NULL) {
        error_set(error, "%s: HDF5 has no views of files with \"%%\" in their names", file);
    } else {
        size_t common = 0, end = 0;  // `common`: where names that both have end
        while (from[end] != '\0' && from[end] == to[end]) {
            end++;
            if (to[end] == '/' && (from[end] == '/' || from[end] == '\0')) common = end;
        }
        const char *down = from + common;
        name = memory_text("%s", to + common + 1);
        while ((down = strchr(down, '/')) != NULL && *++down != '\0') {
            char *longer = memory_text("../%s", name);
            free(name);
            name = longer;
        }
    }
    free(from);
    free(to);
    return name;
}

// A column over those of the files of a dataset, in their order.
static hid_t view_properties(const char *path, const struct table *table, const struct column *column,
                             hid_t type, hid_t space, struct dataset *sources, struct error *error) {
    const hid_t properties = new_properties(H5P_DATASET_CREATE);
    // Seen where a source is missing: no value that a position has.
    uint8_t missing[8];
    memset(missing, 0xFF, sizeof missing);
    if (column->kind == COLUMN_INT16 || column->kind == COLUMN_RESULT) missing[column->size - 1] = 0x7F;
    bool done = H5Pset_fill_value(properties, type, missing) >= 0;
    char *name = memory_text("%s/%s", table->group, column->name);
    for (int i = 0; i < dataset_file_count(sources) && done; i++) {
        const struct dataset_file *file = dataset_file(sources, i);
        const hsize_t rows = file->positions, first = file->first_position;
        if (rows == 0) continue;
        char *source = relative_path(path, file->path, error);
        const hid_t from = H5Screate_simple(1, &rows, NULL);
        done = source != NULL;
        if (done && (H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &rows, NULL) < 0 ||
                     H5Pset_virtual(properties, space, source, name, from) < 0))
            done = hdf5_fail(error, "cannot make a view of %s", file->path);
        hdf5_release(from);
        free(source);
    }
    free(name);
    if (done) return properties;
    hdf5_release(properties);
    return -1;
}

static hid_t create_view(hid_t group, const char *path, const struct table *table,
                         const struct column *column, struct dataset *sources, struct error *error) {
    const hsize_t rows = dataset_positions(sources);
    const hid_t type = column_type(column->kind, true), space = H5Screate_simple(1, &rows, NULL);
    const hid_t properties = view_properties(path, table, column, type, space, sources, error);
    hid_t dataset = -1;
    if (properties >= 0) {
        H5Sselect_all(space);
        dataset = H5Dcreate2(group, column->name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
        if (dataset < 0) hdf5_fail(error, "cannot make a view of column %s", column->name);
    }
    hdf5_release(properties);
    hdf5_release(space);
    hdf5_release(type);
    return dataset;
}

static hid_t create_column(hid_t group, const struct column *column, hsize_t chunk, struct error *error) {
    const hsize_t none = 0, unlimited = H5S_UNLIMITED;
    const hid_t space = H5Screate_simple(1, &none, &unlimited), properties = column_properties(chunk);
    const hid_t type = column_type(column->kind, true);
    const hid_t dataset = H5Dcreate2(group, column->name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (dataset < 0) hdf5_fail(error, "cannot make column %s", column->name);
    hdf5_release(type);
    hdf5_release(properties);
    hdf5_release(space);
    return dataset;
}

// For readers who have the file and not this program; the numbers are those of playing.h, search.h and
// dataset.h.
static const struct {
    const char *group, *column, *text;
} meanings[] = {
    {"positions", "score",
     "centipawns, White's view; 30000 - n or n - 30000: a win of White or Black proven in n plies (from "
     "29000 "
     "on); -32768: no search chose this move"},
    {"positions", "flags",
     "bits: 1 the side to move can capture, 2 the other side could if it were its turn, 4 the move was drawn "
     "at "
     "random, 8 it came from a book, 16 the score is that of a table of endings"},
    {"positions", "move", "index in the list of legal moves, as huff generates them"},
    {"games", "split", "0 training, 1 validation, 2 test"},
};
static_assert(POSITION_CAN_CAPTURE == 1 && POSITION_OPPONENT_CAN_CAPTURE == 2 && POSITION_RANDOM_MOVE == 4 &&
                  POSITION_BOOK_MOVE == 8 && POSITION_TABLE_VALUE == 16 && NO_SCORE == -32768 &&
                  SCORE_WIN == 30000 && SCORE_WIN_FROM >= 29000 && SPLIT_VALIDATION == 1 && SPLIT_TEST == 2,
              "the meanings say so");

static bool write_meaning(hid_t dataset, const struct table *table, const struct column *column,
                          struct error *error) {
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        if (strcmp(meanings[i].group, table->group) == 0 && strcmp(meanings[i].column, column->name) == 0)
            return write_text(dataset, "meaning", meanings[i].text, error);
    }
    return true;
}

// `sources` (NULL: none): columns are views of theirs, but for the one that counts rows.
static bool create_table(struct dataset_writer *writer, const struct table *table, void *columns,
                         struct dataset *sources, struct table_writer *into, struct error *error) {
    into->table = table;
    into->columns = columns;
    table_allocate(table, columns, DATASET_BLOCK);
    const hid_t group = create_group(writer->file, table->group, error);
    // A chunk is unpacked as a whole, even for the few games of a small shard.
    const hsize_t chunk = table == &positions_table || table == &labels_table ? DATASET_BLOCK : GAMES_CHUNK;
    bool done = group >= 0;
    for (int i = 0; i < table->count && done; i++) {
        const struct column *column = &table->columns[i];
        into->is_view[i] = sources != NULL && strcmp(column->name, "game") != 0;
        into->datasets[i] = into->is_view[i] ? create_view(group, writer->path, table, column, sources, error)
                                             : create_column(group, column, chunk, error);
        done = into->datasets[i] >= 0 && write_meaning(into->datasets[i], table, column, error);
    }
    hdf5_release(group);
    return done;
}

static bool flush_table(struct table_writer *writer, struct error *error) {
    for (int i = 0; i < writer->table->count && writer->waiting > 0; i++) {
        const struct column *column = &writer->table->columns[i];
        if (!writer->is_view[i] &&
            !column_transfer(writer->datasets[i], column, writer->written, writer->waiting,
                             column_get(writer->columns, column), true, error)) {
            return false;
        }
    }
    writer->written += writer->waiting;
    writer->waiting = 0;
    return true;
}

static bool add_rows(struct table_writer *writer, const void *rows, size_t count, struct error *error) {
    for (size_t from = 0; from < count;) {
        if (writer->waiting == DATASET_BLOCK && !flush_table(writer, error)) return false;
        const size_t room = DATASET_BLOCK - writer->waiting;
        const size_t part = count - from < room ? count - from : room;
        for (int i = 0; i < writer->table->count; i++) {
            const struct column *column = &writer->table->columns[i];
            const char *data = column_get(rows, column);
            if (writer->is_view[i]) continue;
            memcpy((char *)column_get(writer->columns, column) + writer->waiting * column->size,
                   data + from * column->size, part * column->size);
        }
        writer->waiting += part;
        from += part;
    }
    return true;
}

// The place of the next row.
static bool next_row(struct table_writer *writer, size_t *row, struct error *error) {
    if (writer->waiting == DATASET_BLOCK && !flush_table(writer, error)) return false;
    *row = writer->waiting++;
    return true;
}

static bool write_info(hid_t file, const struct dataset_info *info, struct error *error) {
    if (!write_text(file, "format", DATASET_FORMAT, error) ||
        !write_number(file, "format_version", H5T_STD_U32LE, DATASET_VERSION, error) ||
        !write_text(file, "variant", info->variant->name, error) ||
        !write_text(file, "rules", info->rules, error) ||
        !write_text(file, "square_order", SQUARE_ORDER, error) ||
        !write_text(file, "engine", info->engine, error) ||
        !write_text(file, "weights_sha256", info->weights_sha256, error) ||
        !write_text(file, "limit", info->limit, error) ||
        !write_number(file, "seed", H5T_STD_U64LE, info->seed, error) ||
        !write_number(file, "first_game", H5T_STD_U64LE, info->first_game, error)) {
        return false;
    }
    const hid_t meta = create_group(file, "meta", error);
    const bool done = meta >= 0 && write_text(meta, "config", info->config, error) &&
                      write_text(meta, "engine", info->engine, error) &&
                      (info->engines == NULL || write_text(meta, "engines", info->engines, error)) &&
                      (info->origin == NULL || write_text(meta, "origin", info->origin, error)) &&
                      (info->sample == NULL || write_text(meta, "sample", info->sample, error));
    hdf5_release(meta);
    return done;
}

static hid_t create_file(const char *path, struct error *error) {
    const hid_t creation = new_properties(H5P_FILE_CREATE), access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_istore_k(creation, CHUNK_TREE_HALF_NODE);
    if (path == NULL) H5Pset_fapl_core(access, IMAGE_GROWTH, false);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access, false, true);  // nobody else knows its name; some file systems have no locks
#endif
    const hid_t file = H5Fcreate(path != NULL ? path : "dataset", path != NULL ? H5F_ACC_EXCL : H5F_ACC_TRUNC,
                                 creation, access);
    if (file < 0) hdf5_fail(error, "cannot make the file");
    hdf5_release(creation);
    hdf5_release(access);
    return file;
}

// `path` NULL: in memory.
static struct dataset_writer *begin(const char *path, const struct dataset_info *info,
                                    struct dataset *sources, struct error *error) {
    hdf5_begin();
    struct dataset_writer *writer = memory_new(1, sizeof *writer);
    writer->variant = info->variant;
    if (path != NULL) {
        writer->name = memory_text("%s", path);
        writer->path = file_target(path);
        writer->temporary = memory_text("%s.tmp-%ld", writer->path, (long)getpid());
    }
    writer->file = create_file(writer->temporary, error);
    if (writer->file >= 0 && write_info(writer->file, info, error) &&
        create_table(writer, &positions_table, &writer->position_rows, sources, &writer->positions, error) &&
        create_table(writer, &games_table, &writer->game_rows, NULL, &writer->games, error) &&
        create_table(writer, &openings_table, &writer->opening_rows, NULL, &writer->openings, error) &&
        (info->sample == NULL ||
         create_table(writer, &labels_table, &writer->label_rows, NULL, &writer->labels, error))) {
        return writer;
    }
    if (path != NULL) error_prefix(error, "%s", path);
    dataset_discard(writer);
    return NULL;
}

struct dataset_writer *dataset_create(const struct dataset_info *info, struct error *error) {
    return begin(NULL, info, NULL, error);
}

struct dataset_writer *dataset_create_file(const char *path, const struct dataset_info *info,
                                           struct error *error) {
    return output_check(path, NULL, error) ? begin(path, info, NULL, error) : NULL;
}

struct dataset_writer *dataset_create_views(const char *path, const struct dataset_info *info,
                                            struct dataset *sources, struct error *error) {
    for (int i = 0; i < dataset_file_count(sources); i++) {
        const struct dataset_file *file = dataset_file(sources, i);
        if (file->views) return error_set(error, "%s: is a file of views itself", file->path), NULL;
    }
    return output_check(path, sources, error) ? begin(path, info, sources, error) : NULL;
}

bool dataset_write_engines(struct dataset_writer *writer, const char *engines, struct error *error) {
    hdf5_begin();
    const hid_t meta = H5Gopen2(writer->file, "meta", H5P_DEFAULT);
    const bool done =
        meta >= 0 ? write_text(meta, "engines", engines, error) : hdf5_fail(error, "cannot open group meta");
    hdf5_release(meta);
    return done;
}

void dataset_discard(struct dataset_writer *writer) {
    if (writer == NULL) return;
    if (writer->file >= 0) {
        H5Fclose(writer->file);  // and with it every column
        if (writer->temporary != NULL) unlink(writer->temporary);
    }
    position_columns_free(&writer->position_rows);
    game_columns_free(&writer->game_rows);
    opening_columns_free(&writer->opening_rows);
    label_columns_free(&writer->label_rows);
    position_set_free(&writer->starts);
    free(writer->temporary);
    free(writer->path);
    free(writer->name);
    free(writer);
}

static uint64_t dense(const struct variant *variant, bitboard board) {
    return board_pack(variant->rules->width, board);
}

bool dataset_add_opening(struct dataset_writer *writer, const struct position *start, uint32_t *opening,
                         struct error *error) {
    hdf5_begin();
    const size_t known = writer->starts.count;
    *opening = (uint32_t)position_set_add(&writer->starts, start);
    if (*opening < known) return true;
    size_t row;
    if (!next_row(&writer->openings, &row, error)) return false;
    const struct opening_columns *rows = &writer->opening_rows;
    rows->white_men[row] = dense(writer->variant, position_men(start, WHITE));
    rows->white_kings[row] = dense(writer->variant, position_kings(start, WHITE));
    rows->black_men[row] = dense(writer->variant, position_men(start, BLACK));
    rows->black_kings[row] = dense(writer->variant, position_kings(start, BLACK));
    rows->stm[row] = start->turn;
    return true;
}

static bool add_positions(struct dataset_writer *writer, const struct played_game *game, uint32_t number,
                          struct error *error) {
    const struct position_columns *rows = &writer->position_rows;
    struct position position = game->start;
    for (int i = 0; i < game->plies; i++) {
        size_t row;
        if (!next_row(&writer->positions, &row, error)) return false;
        rows->white_men[row] = dense(writer->variant, position_men(&position, WHITE));
        rows->white_kings[row] = dense(writer->variant, position_kings(&position, WHITE));
        rows->black_men[row] = dense(writer->variant, position_men(&position, BLACK));
        rows->black_kings[row] = dense(writer->variant, position_kings(&position, BLACK));
        rows->stm[row] = position.turn;
        rows->ply[row] = (uint16_t)i;
        rows->score[row] = game->ply[i].score;
        rows->result[row] = (int8_t)game->result;
        rows->move[row] = game->ply[i].index;
        rows->flags[row] = game->ply[i].flags;
        rows->clock[row] = game->ply[i].clock;
        rows->game[row] = number;
        writer->variant->play(&position, game->ply[i].move);
    }
    return true;
}

bool dataset_add(struct dataset_writer *writer, const struct played_game *game, uint64_t id, enum split split,
                 struct error *error) {
    assert(game->plies >= 0 && game->plies <= PLAYING_MAX_PLIES && row_count(&writer->games) < UINT32_MAX);
    hdf5_begin();
    const uint32_t number = (uint32_t)row_count(&writer->games);
    const uint64_t first = row_count(&writer->positions);
    uint32_t opening;
    size_t row;
    if (!dataset_add_opening(writer, &game->start, &opening, error) ||
        !add_positions(writer, game, number, error) || !next_row(&writer->games, &row, error)) {
        return false;
    }
    const struct game_columns *rows = &writer->game_rows;
    rows->id[row] = id;
    rows->first[row] = first;
    rows->count[row] = (uint32_t)game->plies;
    rows->plies[row] = (uint16_t)game->plies;
    rows->result[row] = (int8_t)game->result;
    rows->termination[row] = (uint8_t)game->termination;
    rows->opening[row] = opening;
    rows->random_plies[row] = (uint8_t)game->random_plies;
    rows->split[row] = (uint8_t)split;
    rows->white_engine[row] = game->engine[WHITE];
    rows->black_engine[row] = game->engine[BLACK];
    rows->called_ply[row] = (uint16_t)game->called_ply;
    rows->called_result[row] = (int8_t)game->called_result;
    return true;
}

bool dataset_add_games(struct dataset_writer *writer, const struct game_columns *rows, size_t count,
                       struct error *error) {
    hdf5_begin();
    for (size_t i = 0; i < count; i++) {
        rows->first[i] = writer->end;
        writer->end += rows->count[i];
    }
    return add_rows(&writer->games, rows, count, error);
}

bool dataset_add_positions(struct dataset_writer *writer, const struct position_columns *rows, size_t count,
                           struct error *error) {
    hdf5_begin();
    return add_rows(&writer->positions, rows, count, error);
}

bool dataset_add_labels(struct dataset_writer *writer, const struct label_columns *rows, size_t count,
                        struct error *error) {
    assert(writer->labels.table != NULL);
    hdf5_begin();
    return add_rows(&writer->labels, rows, count, error);
}

// Names whatever a reader takes for granted when it is there and for absent when it is not: a name that is
// damaged must not pass for one that was never written.
static bool write_contents(hid_t file, struct error *error) {
    static const char *const optional[] = DATASET_OPTIONAL_TEXTS;
    const hid_t meta = H5Gopen2(file, "meta", H5P_DEFAULT);
    if (meta < 0) return hdf5_fail(error, "cannot open group meta");
    char *text = memory_text("%s", "");
    for (int i = 0; i < games_table.count; i++) {
        char *longer = memory_text("%sgames/%s ", text, games_table.columns[i].name);
        free(text);
        text = longer;
    }
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++) {
        if (H5Aexists(meta, optional[i]) <= 0) continue;
        char *longer = memory_text("%smeta/%s ", text, optional[i]);
        free(text);
        text = longer;
    }
    text[strlen(text) - 1] = '\0';
    const bool done = write_text(meta, "contents", text, error);
    hdf5_release(meta);
    free(text);
    return done;
}

// Everything is in the file, as HDF5 sees it.
static bool complete(struct dataset_writer *writer, struct error *error) {
    return flush_table(&writer->positions, error) && flush_table(&writer->games, error) &&
           flush_table(&writer->openings, error) &&
           (writer->labels.table == NULL || flush_table(&writer->labels, error)) &&
           write_contents(writer->file, error) &&
           write_number(writer->file, "complete", H5T_STD_U8LE, 1, error);
}

static bool take_image(hid_t file, void **bytes, size_t *size, struct error *error) {
    const ssize_t length = H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0 ? H5Fget_file_image(file, NULL, 0) : -1;
    if (length <= 0) return hdf5_fail(error, "cannot complete the file");
    *size = (size_t)length;
    *bytes = memory_new(*size, 1);
    if (H5Fget_file_image(file, *bytes, *size) == length) return true;
    free(*bytes);
    return hdf5_fail(error, "cannot complete the file");
}

bool dataset_finish(struct dataset_writer *writer, void **bytes, size_t *size, struct error *error) {
    hdf5_begin();
    const bool done = complete(writer, error) && take_image(writer->file, bytes, size, error);
    dataset_discard(writer);
    return done;
}

bool dataset_publish(struct dataset_writer *writer, struct error *error) {
    hdf5_begin();
    bool done = complete(writer, error);
    if (done && H5Fflush(writer->file, H5F_SCOPE_GLOBAL) < 0)
        done = hdf5_fail(error, "cannot write the file");
    if (done) {
        done = H5Fclose(writer->file) >= 0 || hdf5_fail(error, "cannot close the file");
        writer->file = -1;
        done = done && file_publish(writer->temporary, writer->path, error);
        if (!done) unlink(writer->temporary);
    }
    if (!done) error_prefix(error, "%s", writer->name);
    dataset_discard(writer);
    return done;
}
