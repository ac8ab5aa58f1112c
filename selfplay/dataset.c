// dataset.c -- writes and reads game datasets in HDF5.

#include "selfplay/dataset.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <hdf5.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/support/memory.h"
#include "selfplay/shards.h"

#define SQUARE_ORDER                                                                                     \
    "bit i = square i+1 of the common board: 8x8 b8=1..g1=32, 10x10 b10=1..i1=50, White at the bottom; " \
    "mirrored official boards are mirrored onto it"

enum {
    DEFLATE_LEVEL = 4,
    MAX_COLUMNS = 16,
    IMAGE_GROWTH = 1 << 20,
    // Half the entries of a node of the tree that finds chunks. HDF5's own 32 would spend more bytes on empty
    // nodes than a shard has in its small columns.
    CHUNK_TREE_HALF_NODE = 4,
};

// ---- tables ----

enum column_kind {
    COLUMN_UINT64,
    COLUMN_UINT32,
    COLUMN_UINT16,
    COLUMN_UINT8,
    COLUMN_INT16,
    COLUMN_SIDE,
    COLUMN_RESULT,
    COLUMN_TERMINATION,
};

struct column {
    const char *name;
    enum column_kind kind;
    size_t size;    // of a value
    size_t offset;  // of the pointer to its values in the struct of columns
};

struct table {
    const char *group;
    const struct column *columns;
    int count;
    int newer;  // so many of the last ones may be missing in a file: zeros then
};

#define POSITION_COLUMN(name, type, kind) \
    {#name, COLUMN_##kind, sizeof(type), offsetof(struct position_columns, name)},
#define GAME_COLUMN(name, type, kind) \
    {#name, COLUMN_##kind, sizeof(type), offsetof(struct game_columns, name)},
#define OPENING_COLUMN(name, type, kind) \
    {#name, COLUMN_##kind, sizeof(type), offsetof(struct opening_columns, name)},

static const struct column position_column_list[] = {FOR_EACH_POSITION_COLUMN(POSITION_COLUMN)};
static const struct column game_column_list[] = {FOR_EACH_GAME_COLUMN(GAME_COLUMN)};
static const struct column opening_column_list[] = {FOR_EACH_OPENING_COLUMN(OPENING_COLUMN)};

#define COUNT_COLUMN(name, type, kind) +1
#define TABLE(group, list, newer) \
    { group, list, sizeof(list) / sizeof(list)[0], newer }
static const struct table positions_table = TABLE("positions", position_column_list, 0);
static const struct table games_table =
    TABLE("games", game_column_list, 0 FOR_EACH_NEWER_GAME_COLUMN(COUNT_COLUMN));
static const struct table openings_table = TABLE("openings", opening_column_list, 0);

static void *column_get(const void *columns, const struct column *column) {
    void *data;
    memcpy(&data, (const char *)columns + column->offset, sizeof data);
    return data;
}

static void columns_allocate(const struct table *table, void *columns, size_t rows) {
    for (int i = 0; i < table->count; i++) {
        void *data = memory_new(rows > 0 ? rows : 1, table->columns[i].size);
        memcpy((char *)columns + table->columns[i].offset, &data, sizeof data);
    }
}

static void columns_release(const struct table *table, void *columns) {
    for (int i = 0; i < table->count; i++) {
        free(column_get(columns, &table->columns[i]));
        memset((char *)columns + table->columns[i].offset, 0, sizeof(void *));
    }
}

struct position_columns position_columns_new(size_t rows) {
    struct position_columns columns;
    columns_allocate(&positions_table, &columns, rows);
    return columns;
}

struct game_columns game_columns_new(size_t rows) {
    struct game_columns columns;
    columns_allocate(&games_table, &columns, rows);
    return columns;
}

struct opening_columns opening_columns_new(size_t rows) {
    struct opening_columns columns;
    columns_allocate(&openings_table, &columns, rows);
    return columns;
}

void position_columns_free(struct position_columns *columns) { columns_release(&positions_table, columns); }
void game_columns_free(struct game_columns *columns) { columns_release(&games_table, columns); }
void opening_columns_free(struct opening_columns *columns) { columns_release(&openings_table, columns); }

struct position position_from_columns(const struct variant *variant, const struct position_columns *columns,
                                      size_t row) {
    const int width = variant->rules->width;
    const uint64_t white = columns->white_men[row] | columns->white_kings[row];
    const uint64_t black = columns->black_men[row] | columns->black_kings[row];
    return (struct position){
        .pieces = {board_unpack(width, white), board_unpack(width, black)},
        .kings = board_unpack(width, columns->white_kings[row] | columns->black_kings[row]),
        .turn = columns->stm[row],
    };
}

// ---- HDF5: errors, handles, types, attributes ----

// HDF5 keeps a stack of errors per thread, and prints it unless told not to.
static void silence(void) { H5Eset_auto2(H5E_DEFAULT, NULL, NULL); }

static herr_t take_cause(unsigned depth, const H5E_error2_t *entry, void *cause) {
    if (depth == 0 && entry->desc != NULL) snprintf(cause, 256, "%s", entry->desc);
    return 0;
}

// Adds HDF5's own innermost message. To be called before any other HDF5 function, which would clear it.
static bool fail(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct error *error, const char *format, ...) {
    char cause[256] = "unknown cause", what[512];
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_cause, cause);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return error_set(error, "%s (HDF5: %s)", what, cause);
}

// Any handle; one that was never opened is negative.
static void release(hid_t id) {
    if (id >= 0) H5Idec_ref(id);
}

static hid_t text_type(void) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static bool is_enum(const struct column *column) { return column->kind >= COLUMN_SIDE; }

static hid_t enum_type(hid_t base, int least, const char *const *names, int count) {
    const hid_t type = H5Tenum_create(base);
    for (int i = 0; i < count; i++) {
        const int8_t value = (int8_t)(least + i);  // as good for uint8: all are below 128
        H5Tenum_insert(type, names[i], &value);
    }
    return type;
}

// The type of a column, in the file or in memory. Names of enums come along, one byte has no byte order.
static hid_t column_type(enum column_kind kind, bool in_file) {
    static const char *const sides[] = {"WHITE", "BLACK"};
    static const char *const results[] = {"LOSS", "DRAW", "WIN"};
    switch (kind) {
    case COLUMN_UINT64: return H5Tcopy(in_file ? H5T_STD_U64LE : H5T_NATIVE_UINT64);
    case COLUMN_UINT32: return H5Tcopy(in_file ? H5T_STD_U32LE : H5T_NATIVE_UINT32);
    case COLUMN_UINT16: return H5Tcopy(in_file ? H5T_STD_U16LE : H5T_NATIVE_UINT16);
    case COLUMN_UINT8: return H5Tcopy(in_file ? H5T_STD_U8LE : H5T_NATIVE_UINT8);
    case COLUMN_INT16: return H5Tcopy(in_file ? H5T_STD_I16LE : H5T_NATIVE_INT16);
    case COLUMN_SIDE: return enum_type(H5T_STD_U8LE, 0, sides, 2);
    case COLUMN_RESULT: return enum_type(H5T_STD_I8LE, -1, results, 3);
    case COLUMN_TERMINATION: return enum_type(H5T_STD_U8LE, 0, termination_names, TERMINATION_COUNT);
    }
    return -1;
}

static bool write_attribute(hid_t object, const char *name, hid_t file_type, hid_t memory_type,
                            const void *value, struct error *error) {
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool done = attribute >= 0 && H5Awrite(attribute, memory_type, value) >= 0;
    if (!done) done = fail(error, "cannot write attribute %s", name);
    release(attribute);
    release(space);
    return done;
}

static bool write_text(hid_t object, const char *name, const char *text, struct error *error) {
    const hid_t type = text_type();
    const bool done = write_attribute(object, name, type, type, &text, error);
    release(type);
    return done;
}

static bool write_number(hid_t object, const char *name, hid_t file_type, uint64_t value,
                         struct error *error) {
    return write_attribute(object, name, file_type, H5T_NATIVE_UINT64, &value, error);
}

// A scalar attribute of a class of types, opened; negative and an error when it is not there or another
// thing.
static hid_t open_attribute(hid_t object, const char *name, H5T_class_t class, struct error *error) {
    if (H5Aexists(object, name) <= 0) {
        error_set(error, "attribute %s is missing", name);
        return -1;
    }
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const bool right = H5Tget_class(type) == class && H5Sget_simple_extent_npoints(space) == 1 &&
                       (class != H5T_STRING || H5Tis_variable_str(type) > 0);
    release(type);
    release(space);
    if (right) return attribute;
    release(attribute);
    error_set(error, "attribute %s: expected one %s", name, class == H5T_STRING ? "text" : "number");
    return -1;
}

// Freed by the caller; NULL on failure.
static char *read_text(hid_t object, const char *name, struct error *error) {
    const hid_t attribute = open_attribute(object, name, H5T_STRING, error);
    if (attribute < 0) return NULL;
    const hid_t type = text_type();
    char *value = NULL, *text = NULL;
    if (H5Aread(attribute, type, &value) < 0 || value == NULL)
        fail(error, "cannot read attribute %s", name);
    else
        text = memory_text("%s", value);
    if (value != NULL) H5free_memory(value);
    release(type);
    release(attribute);
    return text;
}

static bool read_number(hid_t object, const char *name, uint64_t *value, struct error *error) {
    const hid_t attribute = open_attribute(object, name, H5T_INTEGER, error);
    if (attribute < 0) return false;
    bool done = H5Aread(attribute, H5T_NATIVE_UINT64, value) >= 0;
    if (!done) done = fail(error, "cannot read attribute %s", name);
    release(attribute);
    return done;
}

// ---- writing ----

// A table being written: rows gather in `columns` until they fill a chunk.
struct table_writer {
    const struct table *table;
    void *columns;
    size_t waiting;
    hsize_t written;
    hid_t datasets[MAX_COLUMNS];
};

struct dataset_writer {
    const struct variant *variant;
    hid_t file;
    struct table_writer positions, games, openings;
    struct position_columns position_rows;
    struct game_columns game_rows;
    struct opening_columns opening_rows;
    struct position *starts;  // one a row of /openings
    size_t start_count;
    uint32_t *start_rows;  // by the key of the position, in the first free place: row + 1, 0 = free
    size_t start_room;     // a power of two, at least twice start_count
};

static uint64_t row_count(const struct table_writer *writer) { return writer->written + writer->waiting; }

static hid_t new_properties(hid_t class) {
    const hid_t properties = H5Pcreate(class);
    H5Pset_obj_track_times(properties, false);  // equal games, equal bytes
    return properties;
}

static hid_t column_properties(void) {
    const hsize_t chunk = DATASET_BLOCK;
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
    if (group < 0) fail(error, "cannot make group %s", name);
    release(properties);
    return group;
}

static bool create_table(hid_t file, const struct table *table, void *columns, struct table_writer *writer,
                         struct error *error) {
    writer->table = table;
    writer->columns = columns;
    columns_allocate(table, columns, DATASET_BLOCK);
    const hid_t group = create_group(file, table->group, error);
    if (group < 0) return false;
    const hsize_t none = 0, unlimited = H5S_UNLIMITED;
    const hid_t space = H5Screate_simple(1, &none, &unlimited), properties = column_properties();
    bool done = true;
    for (int i = 0; i < table->count && done; i++) {
        const hid_t type = column_type(table->columns[i].kind, true);
        writer->datasets[i] =
            H5Dcreate2(group, table->columns[i].name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
        if (writer->datasets[i] < 0) {
            done = fail(error, "cannot make column %s/%s", table->group, table->columns[i].name);
        }
        release(type);
    }
    release(properties);
    release(space);
    release(group);
    return done;
}

// Moves rows first .. first+rows-1 of a column between `data` and the file.
static bool transfer_rows(hid_t dataset, const struct column *column, hsize_t first, hsize_t rows, void *data,
                          bool write, struct error *error) {
    const hsize_t end = first + rows;
    if (write && H5Dset_extent(dataset, &end) < 0) return fail(error, "column %s: cannot grow", column->name);
    const hid_t in_file = H5Dget_space(dataset), in_memory = H5Screate_simple(1, &rows, NULL);
    // Names of an enum are read as numbers: a newer or older program may know more or fewer of them.
    const bool own_type = !write && is_enum(column);
    const hid_t type = own_type ? H5Dget_type(dataset) : column_type(column->kind, false);
    bool done = H5Sselect_hyperslab(in_file, H5S_SELECT_SET, &first, NULL, &rows, NULL) >= 0;
    if (done && write)
        done = H5Dwrite(dataset, type, in_memory, in_file, H5P_DEFAULT, data) >= 0;
    else if (done)
        done = H5Dread(dataset, type, in_memory, in_file, H5P_DEFAULT, data) >= 0;
    if (!done) fail(error, "column %s: cannot %s", column->name, write ? "write" : "read");
    release(type);
    release(in_memory);
    release(in_file);
    return done;
}

static bool flush_table(struct table_writer *writer, struct error *error) {
    for (int i = 0; i < writer->table->count && writer->waiting > 0; i++) {
        const struct column *column = &writer->table->columns[i];
        if (!transfer_rows(writer->datasets[i], column, writer->written, writer->waiting,
                           column_get(writer->columns, column), true, error)) {
            return false;
        }
    }
    writer->written += writer->waiting;
    writer->waiting = 0;
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
                      (info->engines == NULL || write_text(meta, "engines", info->engines, error));
    release(meta);
    return done;
}

static hid_t create_file(struct error *error) {
    const hid_t creation = new_properties(H5P_FILE_CREATE), access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_istore_k(creation, CHUNK_TREE_HALF_NODE);
    H5Pset_fapl_core(access, IMAGE_GROWTH, false);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    const hid_t file = H5Fcreate("dataset", H5F_ACC_TRUNC, creation, access);
    if (file < 0) fail(error, "cannot make an HDF5 file in memory");
    release(creation);
    release(access);
    return file;
}

struct dataset_writer *dataset_create(const struct dataset_info *info, struct error *error) {
    silence();
    struct dataset_writer *writer = memory_new(1, sizeof *writer);
    writer->variant = info->variant;
    writer->file = create_file(error);
    if (writer->file >= 0 && write_info(writer->file, info, error) &&
        create_table(writer->file, &positions_table, &writer->position_rows, &writer->positions, error) &&
        create_table(writer->file, &games_table, &writer->game_rows, &writer->games, error) &&
        create_table(writer->file, &openings_table, &writer->opening_rows, &writer->openings, error)) {
        return writer;
    }
    dataset_discard(writer);
    return NULL;
}

void dataset_discard(struct dataset_writer *writer) {
    if (writer == NULL) return;
    if (writer->file >= 0) H5Fclose(writer->file);  // and with it every column
    position_columns_free(&writer->position_rows);
    game_columns_free(&writer->game_rows);
    opening_columns_free(&writer->opening_rows);
    free(writer->starts);
    free(writer->start_rows);
    free(writer);
}

static uint64_t dense(const struct variant *variant, bitboard board) {
    return board_pack(variant->rules->width, board);
}

// Where the row of a position is kept, or would be.
static uint32_t *find_start(const struct dataset_writer *writer, const struct position *start) {
    for (size_t at = (size_t)position_key(start);; at++) {
        uint32_t *row = &writer->start_rows[at & (writer->start_room - 1)];
        if (*row == 0 || position_equal(start, &writer->starts[*row - 1])) return row;
    }
}

static void make_room_for_start(struct dataset_writer *writer) {
    if (2 * (writer->start_count + 1) <= writer->start_room) return;
    writer->start_room = writer->start_room == 0 ? 64 : 2 * writer->start_room;
    free(writer->start_rows);
    writer->start_rows = memory_new(writer->start_room, sizeof *writer->start_rows);
    writer->starts = memory_grow(writer->starts, writer->start_room / 2, sizeof *writer->starts);
    for (size_t i = 0; i < writer->start_count; i++)
        *find_start(writer, &writer->starts[i]) = (uint32_t)i + 1;
}

static bool opening_row(struct dataset_writer *writer, const struct position *start, uint32_t *opening,
                        struct error *error) {
    make_room_for_start(writer);
    uint32_t *known = find_start(writer, start);
    *opening = *known > 0 ? *known - 1 : (uint32_t)writer->start_count;
    if (*known > 0) return true;
    size_t row;
    if (!next_row(&writer->openings, &row, error)) return false;
    const struct opening_columns *rows = &writer->opening_rows;
    rows->white_men[row] = dense(writer->variant, position_men(start, WHITE));
    rows->white_kings[row] = dense(writer->variant, position_kings(start, WHITE));
    rows->black_men[row] = dense(writer->variant, position_men(start, BLACK));
    rows->black_kings[row] = dense(writer->variant, position_kings(start, BLACK));
    rows->stm[row] = start->turn;
    writer->starts[writer->start_count++] = *start;
    *known = (uint32_t)writer->start_count;
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
    silence();
    const uint32_t number = (uint32_t)row_count(&writer->games);
    const uint64_t first = row_count(&writer->positions);
    uint32_t opening;
    size_t row;
    if (!opening_row(writer, &game->start, &opening, error) || !add_positions(writer, game, number, error) ||
        !next_row(&writer->games, &row, error)) {
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

static bool take_image(hid_t file, void **bytes, size_t *size, struct error *error) {
    const ssize_t length = H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0 ? H5Fget_file_image(file, NULL, 0) : -1;
    if (length <= 0) return fail(error, "cannot complete the file");
    *size = (size_t)length;
    *bytes = memory_new(*size, 1);
    if (H5Fget_file_image(file, *bytes, *size) == length) return true;
    free(*bytes);
    return fail(error, "cannot complete the file");
}

bool dataset_finish(struct dataset_writer *writer, void **bytes, size_t *size, struct error *error) {
    silence();
    const bool done = flush_table(&writer->positions, error) && flush_table(&writer->games, error) &&
                      flush_table(&writer->openings, error) &&
                      write_number(writer->file, "complete", H5T_STD_U8LE, 1, error) &&
                      take_image(writer->file, bytes, size, error);
    dataset_discard(writer);
    return done;
}

// ---- reading ----

struct dataset {
    struct dataset_file *files;
    int count;
    int open_index;  // of the file that is open now, -1 = none
    hid_t open_file;
};

static hid_t open_file(const char *path, struct error *error) {
    // Names a cause that HDF5 would bury, and does not wait for what is no file.
    struct stat status;
    if (stat(path, &status) != 0 || (S_ISREG(status.st_mode) && access(path, R_OK) != 0)) {
        error_set(error, "%s: %s", path, strerror(errno));
        return -1;
    }
    if (!S_ISREG(status.st_mode) || H5Fis_hdf5(path) <= 0) {
        error_set(error, "%s: not an HDF5 file", path);
        return -1;
    }
    const hid_t how = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(how, H5F_CLOSE_STRONG);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(how, false, true);  // finished files never change; some file systems have no locks
#endif
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, how);
    if (file < 0) fail(error, "%s: damaged or truncated", path);
    release(how);
    return file;
}

static bool check_format(hid_t file, struct error *error) {
    char *format = read_text(file, "format", error);
    if (format == NULL) return false;
    const bool right = strcmp(format, DATASET_FORMAT) == 0;
    if (!right) error_set(error, "format is \"%s\", expected \"" DATASET_FORMAT "\"", format);
    free(format);
    uint64_t version = 0, complete = 0;
    if (!right || !read_number(file, "format_version", &version, error)) return false;
    if (version != DATASET_VERSION) {
        return error_set(error, "format version %llu, this program reads version %d",
                         (unsigned long long)version, DATASET_VERSION);
    }
    if (!read_number(file, "complete", &complete, error)) return false;
    return complete == 1 || error_set(error, "the file was not completed");
}

static bool read_variant(hid_t file, const struct variant **variant, struct error *error) {
    char *name = read_text(file, "variant", error);
    *variant = name != NULL ? variant_find(name, error) : NULL;
    free(name);
    return *variant != NULL;
}

static bool read_info(hid_t file, struct dataset_info *info, struct error *error) {
    if (!read_variant(file, &info->variant, error) || !(info->rules = read_text(file, "rules", error)) ||
        !(info->engine = read_text(file, "engine", error)) ||
        !(info->weights_sha256 = read_text(file, "weights_sha256", error)) ||
        !(info->limit = read_text(file, "limit", error)) || !read_number(file, "seed", &info->seed, error) ||
        !read_number(file, "first_game", &info->first_game, error)) {
        return false;
    }
    const hid_t meta = H5Gopen2(file, "meta", H5P_DEFAULT);
    if (meta < 0) return error_set(error, "group meta is missing");
    info->config = read_text(meta, "config", error);
    const bool listed = H5Aexists(meta, "engines") > 0;
    if (listed) info->engines = read_text(meta, "engines", error);
    release(meta);
    return info->config != NULL && (!listed || info->engines != NULL);
}

static bool column_type_fits(hid_t type, const struct column *column) {
    const bool named = is_enum(column);
    if (H5Tget_size(type) != column->size || H5Tget_class(type) != (named ? H5T_ENUM : H5T_INTEGER)) {
        return false;
    }
    const bool is_signed = column->kind == COLUMN_INT16 || column->kind == COLUMN_RESULT;
    const hid_t base = named ? H5Tget_super(type) : H5Tcopy(type);
    const bool fits = H5Tget_sign(base) == (is_signed ? H5T_SGN_2 : H5T_SGN_NONE);
    release(base);
    return fits;
}

// A column that the file is too old to have.
static bool is_missing(hid_t file, const struct table *table, int index) {
    char name[64];
    snprintf(name, sizeof name, "%s/%s", table->group, table->columns[index].name);
    return index >= table->count - table->newer && H5Lexists(file, name, H5P_DEFAULT) == 0;
}

static hid_t open_column(hid_t file, const struct table *table, const struct column *column) {
    char name[64];
    snprintf(name, sizeof name, "%s/%s", table->group, column->name);
    return H5Dopen2(file, name, H5P_DEFAULT);
}

// Checks one column and says how many rows it has.
static bool check_column(hid_t file, const struct table *table, const struct column *column, uint64_t *rows,
                         struct error *error) {
    const hid_t dataset = open_column(file, table, column);
    if (dataset < 0) return error_set(error, "column %s/%s is missing", table->group, column->name);
    const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    const bool fits = H5Sget_simple_extent_ndims(space) == 1 && column_type_fits(type, column);
    const hssize_t points = H5Sget_simple_extent_npoints(space);
    release(space);
    release(type);
    release(dataset);
    *rows = (uint64_t)points;
    return (fits && points >= 0) ||
           error_set(error, "column %s/%s has another type or shape", table->group, column->name);
}

static bool check_table(hid_t file, const struct table *table, uint64_t *rows, struct error *error) {
    for (int i = 0; i < table->count; i++) {
        uint64_t here = 0;
        if (is_missing(file, table, i)) continue;
        if (!check_column(file, table, &table->columns[i], &here, error)) return false;
        if (i == 0) *rows = here;
        if (here != *rows) {
            return error_set(error, "column %s/%s has %llu rows, %s has %llu", table->group,
                             table->columns[i].name, (unsigned long long)here, table->columns[0].name,
                             (unsigned long long)*rows);
        }
    }
    return true;
}

static bool read_file(struct dataset_file *file, struct error *error) {
    const hid_t id = open_file(file->path, error);
    if (id < 0) return false;
    hsize_t bytes = 0;
    bool done = check_format(id, error) && read_info(id, &file->info, error) &&
                check_table(id, &positions_table, &file->positions, error) &&
                check_table(id, &games_table, &file->games, error) &&
                check_table(id, &openings_table, &file->openings, error);
    if (done && H5Fget_filesize(id, &bytes) < 0) done = fail(error, "cannot tell the size");
    file->bytes = bytes;
    H5Fclose(id);
    return done || error_prefix(error, "%s", file->path);
}

// Takes over `path`.
static bool add_file(struct dataset *dataset, char *path, struct error *error) {
    const uint64_t positions = dataset_positions(dataset), games = dataset_games(dataset);
    dataset->files = memory_grow(dataset->files, (size_t)dataset->count + 1, sizeof *dataset->files);
    struct dataset_file *file = &dataset->files[dataset->count++];
    *file = (struct dataset_file){.path = path, .first_position = positions, .first_game = games};
    if (!read_file(file, error)) return false;
    if (file->info.variant == dataset_variant(dataset)) return true;
    return error_set(error, "%s: holds games of %s, but %s holds games of %s", path, file->info.variant->name,
                     dataset->files[0].path, dataset_variant(dataset)->name);
}

static int is_shard(const struct dirent *entry) {
    uint64_t number;
    return shard_name(entry->d_name, &number);
}

// By number, which need not have the same count of digits.
static int compare_shards(const struct dirent **a, const struct dirent **b) {
    uint64_t number_a = 0, number_b = 0;
    shard_name((*a)->d_name, &number_a);
    shard_name((*b)->d_name, &number_b);
    return number_a < number_b ? -1 : number_a > number_b;
}

static bool add_folder(struct dataset *dataset, const char *folder, struct error *error) {
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_shard, compare_shards);
    if (count < 0) return error_set(error, "%s: %s", folder, strerror(errno));
    bool done = count > 0 || error_set(error, "%s: no shards in this folder", folder);
    for (int i = 0; i < count; i++) {
        if (done) done = add_file(dataset, memory_text("%s/%s", folder, entries[i]->d_name), error);
        free(entries[i]);
    }
    free(entries);
    return done;
}

struct dataset *dataset_open(const char *const *paths, int count, struct error *error) {
    assert(count > 0);
    silence();
    struct dataset *dataset = memory_new(1, sizeof *dataset);
    dataset->open_index = -1;
    bool done = true;
    for (int i = 0; i < count && done; i++) {
        struct stat status;
        if (stat(paths[i], &status) != 0)
            done = error_set(error, "%s: %s", paths[i], strerror(errno));
        else if (S_ISDIR(status.st_mode))
            done = add_folder(dataset, paths[i], error);
        else
            done = add_file(dataset, memory_text("%s", paths[i]), error);
    }
    if (done) return dataset;
    dataset_close(dataset);
    return NULL;
}

void dataset_close(struct dataset *dataset) {
    if (dataset == NULL) return;
    if (dataset->open_index >= 0) H5Fclose(dataset->open_file);
    for (int i = 0; i < dataset->count; i++) {
        const struct dataset_info *info = &dataset->files[i].info;
        const char *const texts[] = {info->rules, info->engine, info->weights_sha256,
                                     info->limit, info->config, info->engines};
        for (size_t j = 0; j < sizeof texts / sizeof texts[0]; j++) free((char *)texts[j]);
        free(dataset->files[i].path);
    }
    free(dataset->files);
    free(dataset);
}

const struct variant *dataset_variant(const struct dataset *dataset) {
    return dataset->files[0].info.variant;
}
int dataset_file_count(const struct dataset *dataset) { return dataset->count; }

const struct dataset_file *dataset_file(const struct dataset *dataset, int index) {
    assert(index >= 0 && index < dataset->count);
    return &dataset->files[index];
}

uint64_t dataset_positions(const struct dataset *dataset) {
    if (dataset->count == 0) return 0;
    const struct dataset_file *last = &dataset->files[dataset->count - 1];
    return last->first_position + last->positions;
}

uint64_t dataset_games(const struct dataset *dataset) {
    if (dataset->count == 0) return 0;
    const struct dataset_file *last = &dataset->files[dataset->count - 1];
    return last->first_game + last->games;
}

// One file is kept open; whoever reads in order opens each once.
static bool use_file(struct dataset *dataset, int index, struct error *error) {
    if (dataset->open_index == index) return true;
    if (dataset->open_index >= 0) H5Fclose(dataset->open_file);
    dataset->open_file = open_file(dataset->files[index].path, error);
    dataset->open_index = dataset->open_file >= 0 ? index : -1;
    return dataset->open_file >= 0;
}

// Rows of one file, to row `offset` of the columns.
static bool read_rows(struct dataset *dataset, int index, const struct table *table, uint64_t first,
                      size_t count, const void *columns, size_t offset, struct error *error) {
    silence();
    if (count == 0) return true;
    if (!use_file(dataset, index, error)) return false;
    for (int i = 0; i < table->count; i++) {
        const struct column *column = &table->columns[i];
        char *data = column_get(columns, column);
        if (data == NULL) continue;
        if (is_missing(dataset->open_file, table, i)) {
            memset(data + offset * column->size, 0, count * column->size);
            continue;
        }
        const hid_t from = open_column(dataset->open_file, table, column);
        const bool done =
            transfer_rows(from, column, first, count, data + offset * column->size, false, error);
        release(from);
        if (!done) return error_prefix(error, "%s", dataset->files[index].path);
    }
    return true;
}

// How much of the rows first .. first+count-1 lies in a file that holds rows begin .. begin+size-1.
struct part {
    uint64_t first;  // in the file
    size_t count, offset;
};
static struct part part_of(uint64_t first, size_t count, uint64_t begin, uint64_t size) {
    const uint64_t from = first > begin ? first : begin;
    const uint64_t to = first + count < begin + size ? first + count : begin + size;
    if (from >= to) return (struct part){0};
    return (struct part){
        .first = from - begin, .count = (size_t)(to - from), .offset = (size_t)(from - first)};
}

bool dataset_read_positions(struct dataset *dataset, uint64_t first, size_t count,
                            const struct position_columns *columns, struct error *error) {
    assert(first + count <= dataset_positions(dataset));
    for (int i = 0; i < dataset->count; i++) {
        const struct dataset_file *file = &dataset->files[i];
        const struct part part = part_of(first, count, file->first_position, file->positions);
        if (!read_rows(dataset, i, &positions_table, part.first, part.count, columns, part.offset, error)) {
            return false;
        }
        for (size_t row = part.offset; columns->game != NULL && row < part.offset + part.count; row++) {
            columns->game[row] += (uint32_t)file->first_game;
        }
    }
    return true;
}

bool dataset_read_games(struct dataset *dataset, uint64_t first, size_t count,
                        const struct game_columns *columns, struct error *error) {
    assert(first + count <= dataset_games(dataset));
    for (int i = 0; i < dataset->count; i++) {
        const struct dataset_file *file = &dataset->files[i];
        const struct part part = part_of(first, count, file->first_game, file->games);
        if (!read_rows(dataset, i, &games_table, part.first, part.count, columns, part.offset, error)) {
            return false;
        }
        for (size_t row = part.offset; columns->first != NULL && row < part.offset + part.count; row++) {
            columns->first[row] += file->first_position;
        }
    }
    return true;
}

bool dataset_read_openings(struct dataset *dataset, int file, const struct opening_columns *columns,
                           struct error *error) {
    return read_rows(dataset, file, &openings_table, 0, (size_t)dataset_file(dataset, file)->openings,
                     columns, 0, error);
}
