// fuzz_column.h -- changes what the columns of a dataset hold.
#ifndef HUFF_TESTS_FUZZ_FUZZ_COLUMN_H
#define HUFF_TESTS_FUZZ_FUZZ_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/support/random.h"

// Changes a byte or a few of one column in the HDF5 file, and puts the column's checksum right, so that it is
// read; nothing moves. False, and nothing is changed, where no column is found or it does not fit any more.
bool fuzz_change_column(uint8_t *file, size_t size, struct random *);

#endif
