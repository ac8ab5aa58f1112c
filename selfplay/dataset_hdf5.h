// dataset_hdf5.h -- what reading and writing datasets share: tables of columns, and HDF5 with errors in one
// line. For dataset*.c only.
#ifndef HUFF_SELFPLAY_DATASET_HDF5_H
#define HUFF_SELFPLAY_DATASET_HDF5_H

#include <hdf5.h>

#include "selfplay/dataset.h"

// ---- tables ----

enum column_kind {
    COLUMN_UINT64,
    COLUMN_UINT32,
    COLUMN_UINT16,
    COLUMN_UINT8,
    COLUMN_INT16,
    COLUMN_FLOAT32,
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

enum { MAX_COLUMNS = 16 };

struct table {
    const char *group;
    const struct column *columns;
    int count;
    int newer;  // so many of the last ones may be missing in a file: zeros then
};
extern const struct table positions_table, games_table, openings_table, labels_table;

void table_allocate(const struct table *, void *columns, size_t rows);
void table_release(const struct table *, void *columns);

void *column_get(const void *columns, const struct column *);  // its values
bool column_is_enum(const struct column *);
hid_t column_type(enum column_kind, bool in_file);
hid_t column_open(hid_t file, const struct table *, const struct column *);
// Moves rows first .. first+rows-1 of a column between `data` and the file.
bool column_transfer(hid_t dataset, const struct column *, hsize_t first, hsize_t rows, void *data,
                     bool write, struct error *) __attribute__((warn_unused_result));

// Attributes of /meta that need not be there.
#define DATASET_OPTIONAL_TEXTS \
    { "engines", "origin", "sample" }

// ---- HDF5 ----

// To be called before any work with HDF5 in a thread: it prints nothing, and nothing at the program's end
// tries to save what could not be written.
void hdf5_begin(void);

// Adds HDF5's own innermost message. To be called before any other HDF5 function, which would clear it.
bool hdf5_fail(struct error *, const char *format, ...) __attribute__((format(printf, 2, 3)));

void hdf5_release(hid_t);  // any handle; one that was never opened is negative
hid_t hdf5_text_type(void);

#endif
