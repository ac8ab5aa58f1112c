// dataset_hdf5.c -- the tables of a dataset, and HDF5 with errors in one line.

#include "selfplay/dataset_hdf5.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/memory.h"

// ---- tables ----

#define POSITION_COLUMN(name, type, kind) \
    {#name, COLUMN_##kind, sizeof(type), offsetof(struct position_columns, name)},
#define GAME_COLUMN(name, type, kind) \
    {#name, COLUMN_##kind, sizeof(type), offsetof(struct game_columns, name)},
#define OPENING_COLUMN(name, type, kind) \
    {#name, COLUMN_##kind, sizeof(type), offsetof(struct opening_columns, name)},

static const struct column position_column_list[] = {FOR_EACH_POSITION_COLUMN(POSITION_COLUMN)};
static const struct column game_column_list[] = {FOR_EACH_GAME_COLUMN(GAME_COLUMN)};
static const struct column opening_column_list[] = {FOR_EACH_OPENING_COLUMN(OPENING_COLUMN)};

#define LABEL_COLUMN(name, type, kind) \
    {#name, COLUMN_##kind, sizeof(type), offsetof(struct label_columns, name)},
static const struct column label_column_list[] = {FOR_EACH_LABEL_COLUMN(LABEL_COLUMN)};

#define COUNT_COLUMN(name, type, kind) +1
#define TABLE(group, list, newer) \
    { group, list, sizeof(list) / sizeof(list)[0], newer }
const struct table positions_table = TABLE("positions", position_column_list, 0);
const struct table games_table = TABLE("games", game_column_list, 0 FOR_EACH_NEWER_GAME_COLUMN(COUNT_COLUMN));
const struct table openings_table = TABLE("openings", opening_column_list, 0);
const struct table labels_table = TABLE("labels", label_column_list, 0);

void *column_get(const void *columns, const struct column *column) {
    void *data;
    memcpy(&data, (const char *)columns + column->offset, sizeof data);
    return data;
}

void table_allocate(const struct table *table, void *columns, size_t rows) {
    for (int i = 0; i < table->count; i++) {
        void *data = memory_new(rows > 0 ? rows : 1, table->columns[i].size);
        memcpy((char *)columns + table->columns[i].offset, &data, sizeof data);
    }
}

void table_release(const struct table *table, void *columns) {
    for (int i = 0; i < table->count; i++) {
        free(column_get(columns, &table->columns[i]));
        memset((char *)columns + table->columns[i].offset, 0, sizeof(void *));
    }
}

struct position_columns position_columns_new(size_t rows) {
    struct position_columns columns;
    table_allocate(&positions_table, &columns, rows);
    return columns;
}

struct game_columns game_columns_new(size_t rows) {
    struct game_columns columns;
    table_allocate(&games_table, &columns, rows);
    return columns;
}

struct opening_columns opening_columns_new(size_t rows) {
    struct opening_columns columns;
    table_allocate(&openings_table, &columns, rows);
    return columns;
}

void position_columns_free(struct position_columns *columns) { table_release(&positions_table, columns); }
void game_columns_free(struct game_columns *columns) { table_release(&games_table, columns); }
void opening_columns_free(struct opening_columns *columns) { table_release(&openings_table, columns); }

struct label_columns label_columns_new(size_t rows) {
    struct label_columns columns;
    table_allocate(&labels_table, &columns, rows);
    return columns;
}
void label_columns_free(struct label_columns *columns) { table_release(&labels_table, columns); }

#define COLUMN_AT(name, type, kind) .name = columns->name != NULL ? columns->name + row : NULL,
struct position_columns position_columns_at(const struct position_columns *columns, size_t row) {
    return (struct position_columns){FOR_EACH_POSITION_COLUMN(COLUMN_AT)};
}
struct game_columns game_columns_at(const struct game_columns *columns, size_t row) {
    return (struct game_columns){FOR_EACH_GAME_COLUMN(COLUMN_AT)};
}
struct label_columns label_columns_at(const struct label_columns *columns, size_t row) {
    return (struct label_columns){FOR_EACH_LABEL_COLUMN(COLUMN_AT)};
}

static size_t keep_rows(const struct table *table, const void *columns, size_t rows, const bool *keep) {
    size_t kept = 0;
    for (size_t row = 0; row < rows; row++) {
        for (int i = 0; keep[row] && kept != row && i < table->count; i++) {
            const size_t size = table->columns[i].size;
            char *data = column_get(columns, &table->columns[i]);
            if (data != NULL) memcpy(data + kept * size, data + row * size, size);
        }
        kept += keep[row];
    }
    return kept;
}

size_t position_columns_keep(const struct position_columns *columns, size_t rows, const bool *keep) {
    return keep_rows(&positions_table, columns, rows, keep);
}
size_t label_columns_keep(const struct label_columns *columns, size_t rows, const bool *keep) {
    return keep_rows(&labels_table, columns, rows, keep);
}

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

struct position opening_from_columns(const struct variant *variant, const struct opening_columns *columns,
                                     size_t row) {
    const struct position_columns boards = {
        .white_men = columns->white_men,
        .white_kings = columns->white_kings,
        .black_men = columns->black_men,
        .black_kings = columns->black_kings,
        .stm = columns->stm,
    };
    return position_from_columns(variant, &boards, row);
}

// ---- HDF5: errors, handles, types, attributes ----

void hdf5_begin(void) {
    H5dont_atexit();                        // heeded before HDF5 is used for the first time
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);  // there is a stack of errors in each thread
}

static herr_t take_cause(unsigned depth, const H5E_error2_t *entry, void *cause) {
    if (depth == 0 && entry->desc != NULL) snprintf(cause, 256, "%s", entry->desc);
    return 0;
}

bool hdf5_fail(struct error *error, const char *format, ...) {
    char cause[256] = "unknown cause", what[512];
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_cause, cause);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    // HDF5 tells the number of what the system said, among much that a user cannot act on.
    const char *number = strstr(cause, "errno = ");
    if (number != NULL) return error_set(error, "%s: %s", what, strerror(atoi(number + strlen("errno = "))));
    return error_set(error, "%s (HDF5: %s)", what, cause);
}

void hdf5_release(hid_t id) {
    if (id >= 0) H5Idec_ref(id);
}

hid_t hdf5_text_type(void) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

bool column_is_enum(const struct column *column) { return column->kind >= COLUMN_SIDE; }

static hid_t enum_type(hid_t base, int least, const char *const *names, int count) {
    const hid_t type = H5Tenum_create(base);
    for (int i = 0; i < count; i++) {
        const int8_t value = (int8_t)(least + i);  // as good for uint8: all are below 128
        H5Tenum_insert(type, names[i], &value);
    }
    return type;
}

// The type of a column, in the file or in memory. Names of enums come along, one byte has no byte order.
hid_t column_type(enum column_kind kind, bool in_file) {
    static const char *const sides[] = {"WHITE", "BLACK"};
    static const char *const results[] = {"LOSS", "DRAW", "WIN"};
    switch (kind) {
    case COLUMN_UINT64: return H5Tcopy(in_file ? H5T_STD_U64LE : H5T_NATIVE_UINT64);
    case COLUMN_UINT32: return H5Tcopy(in_file ? H5T_STD_U32LE : H5T_NATIVE_UINT32);
    case COLUMN_UINT16: return H5Tcopy(in_file ? H5T_STD_U16LE : H5T_NATIVE_UINT16);
    case COLUMN_UINT8: return H5Tcopy(in_file ? H5T_STD_U8LE : H5T_NATIVE_UINT8);
    case COLUMN_INT16: return H5Tcopy(in_file ? H5T_STD_I16LE : H5T_NATIVE_INT16);
    case COLUMN_FLOAT32: return H5Tcopy(in_file ? H5T_IEEE_F32LE : H5T_NATIVE_FLOAT);
    case COLUMN_SIDE: return enum_type(H5T_STD_U8LE, 0, sides, 2);
    case COLUMN_RESULT: return enum_type(H5T_STD_I8LE, -1, results, 3);
    case COLUMN_TERMINATION: return enum_type(H5T_STD_U8LE, 0, termination_names, TERMINATION_COUNT);
    }
    return -1;
}

bool column_transfer(hid_t dataset, const struct column *column, hsize_t first, hsize_t rows, void *data,
                     bool write, struct error *error) {
    const hsize_t end = first + rows;
    if (write && H5Dset_extent(dataset, &end) < 0)
        return hdf5_fail(error, "column %s: cannot grow", column->name);
    const hid_t in_file = H5Dget_space(dataset), in_memory = H5Screate_simple(1, &rows, NULL);
    // Names of an enum are read as numbers: a newer or older program may know more or fewer of them.
    const bool own_type = !write && column_is_enum(column);
    const hid_t type = own_type ? H5Dget_type(dataset) : column_type(column->kind, false);
    bool done = H5Sselect_hyperslab(in_file, H5S_SELECT_SET, &first, NULL, &rows, NULL) >= 0;
    if (done && write)
        done = H5Dwrite(dataset, type, in_memory, in_file, H5P_DEFAULT, data) >= 0;
    else if (done)
        done = H5Dread(dataset, type, in_memory, in_file, H5P_DEFAULT, data) >= 0;
    if (!done) hdf5_fail(error, "column %s: cannot %s", column->name, write ? "write" : "read");
    hdf5_release(type);
    hdf5_release(in_memory);
    hdf5_release(in_file);
    return done;
}

hid_t column_open(hid_t file, const struct table *table, const struct column *column) {
    char name[64];
    snprintf(name, sizeof name, "%s/%s", table->group, column->name);
    return H5Dopen2(file, name, H5P_DEFAULT);
}
