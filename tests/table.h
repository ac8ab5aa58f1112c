// table.h -- reads the tab-separated tables of tests/data: lines of "#" are comments, the first other line
// names the columns.
#ifndef HUFF_TESTS_TABLE_H
#define HUFF_TESTS_TABLE_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/file.h"
#include "core/support/memory.h"

enum { TABLE_MAX_COLUMNS = 16 };

struct table {
    int rows, columns;
    const char *names[TABLE_MAX_COLUMNS];
    const char **cells;  // rows * columns
    char *text;          // what they point into
};

// Cuts `line` into its fields; fails the test when there are more than `most`.
static inline int table_split(char *line, const char **fields, int most) {
    int count = 0;
    for (char *field = line; field; count++) {
        cr_assert_lt(count, most, "too many fields");
        fields[count] = field;
        field = strchr(field, '\t');
        if (field) *field++ = 0;
    }
    return count;
}

// Reads TEST_DATA/`name`; free it with table_free.
static inline struct table table_read(const char *name) {
    struct table table = {0};
    struct error error;
    size_t size;
    char *path = memory_text("%s/%s", TEST_DATA, name);
    cr_assert(file_read(path, 1 << 24, &table.text, &size, &error), "%s", error.text);
    free(path);
    char *rest = NULL;
    for (char *line = strtok_r(table.text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const char *fields[TABLE_MAX_COLUMNS];
        if (line[0] == '#') continue;
        const int count = table_split(line, fields, TABLE_MAX_COLUMNS);
        if (!table.columns) {
            table.columns = count;
            memcpy(table.names, fields, sizeof fields);
            continue;
        }
        cr_assert_eq(count, table.columns, "%s: row %d has %d fields", name, table.rows + 1, count);
        const size_t columns = (size_t)table.columns, rows = (size_t)table.rows++;
        table.cells = memory_grow(table.cells, (rows + 1) * columns, sizeof *table.cells);
        memcpy(table.cells + rows * columns, fields, columns * sizeof *fields);
    }
    cr_assert_gt(table.rows, 0, "%s is empty", name);
    return table;
}

static inline void table_free(struct table *table) {
    free(table->cells);
    free(table->text);
}

static inline const char *table_cell(const struct table *table, int row, const char *column) {
    for (int i = 0; i < table->columns; i++)
        if (!strcmp(table->names[i], column)) return table->cells[row * table->columns + i];
    cr_assert_fail("no column %s", column);
    return NULL;
}

#endif
