// fuzz_column.c -- finds the chunks of columns by their zlib streams, which are the only ones in the file.
//
// A chunk went through HDF5's filters "shuffle" (the first bytes of all rows, then the second ones ...),
// "deflate" and "fletcher32" (four bytes at the end): support.hdfgroup.org/documentation/hdf5/latest,
// specification of the file format, IV.A.2.l. HDF5 passes over what lies between the end of a stream and the
// checksum.

#include "tests/fuzz/fuzz_column.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/support/memory.h"
#include "selfplay/dataset.h"

enum {
    MOST_WIDTH = 8,  // bytes of a row
    MOST_RAW = DATASET_BLOCK * MOST_WIDTH,
    GAMES_BLOCK = 4096,  // rows of the chunks of tables other than /positions and /labels
    CHECKSUM = 4,
    MOST_CHUNK = 4096,  // bytes of a packed chunk, of the few games that there are
    MOST_ROWS = 300,    // among which a change is likely to be one of a row in use
};

struct chunk {
    uint8_t *packed;
    size_t room;  // for the stream: what is before the checksum
    size_t size;  // of `raw`
    uint8_t raw[MOST_RAW];
};

static uint32_t fold(uint32_t sum) { return (sum & 0xffff) + (sum >> 16); }

// Of 16-bit words, the high byte first, modulo 65535.
static uint32_t fletcher32(const uint8_t *bytes, size_t size) {
    uint32_t low = 0, high = 0;
    for (size_t i = 0; i < size; i += 2) {
        const uint32_t word = (uint32_t)bytes[i] << 8 | (i + 1 < size ? bytes[i + 1] : 0);
        low = fold(low + word);
        high = fold(high + low);
    }
    return high << 16 | low;
}

static uint32_t stored_checksum(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void store_checksum(uint8_t *at, uint32_t sum) {
    for (int i = 0; i < CHECKSUM; i++) at[i] = (uint8_t)(sum >> 8 * i);
}

static bool unpack(struct chunk *chunk, uint8_t *at, size_t left) {
    z_stream stream = {.next_in = at, .avail_in = (uInt)left, .next_out = chunk->raw, .avail_out = MOST_RAW};
    if (inflateInit(&stream) != Z_OK) return false;
    const bool whole = inflate(&stream, Z_FINISH) == Z_STREAM_END;
    chunk->packed = at;
    chunk->size = stream.total_out;
    const size_t used = stream.total_in;
    inflateEnd(&stream);
    if (!whole || (chunk->size % DATASET_BLOCK != 0 && chunk->size % GAMES_BLOCK != 0)) return false;
    for (chunk->room = used; chunk->room + CHECKSUM <= left && chunk->room < MOST_CHUNK; chunk->room++) {
        if (stored_checksum(at + chunk->room) == fletcher32(at, chunk->room)) return true;
    }
    return false;
}

static bool pack(struct chunk *chunk) {
    uint8_t packed[MOST_CHUNK];
    uLongf size = chunk->room;
    if (compress2(packed, &size, chunk->raw, chunk->size, Z_BEST_COMPRESSION) != Z_OK) return false;
    memcpy(chunk->packed, packed, size);
    memset(chunk->packed + size, 0, chunk->room - size);
    store_checksum(chunk->packed + chunk->room, fletcher32(chunk->packed, chunk->room));
    return true;
}

static void change(struct chunk *chunk, struct random *random) {
    const size_t rows = chunk->size < DATASET_BLOCK ? GAMES_BLOCK : DATASET_BLOCK, width = chunk->size / rows;
    const size_t row = (size_t)random_below(random, random_below(random, 2) ? 4 : MOST_ROWS);
    uint8_t *byte = chunk->raw + random_below(random, width) * rows + row;
    switch (random_below(random, 6)) {
    case 0: *byte = (uint8_t)random_bits(random); return;
    case 1: *byte ^= (uint8_t)(1 << random_below(random, 8)); return;
    case 2: ++*byte; return;
    case 3: *byte = byte[1]; return;
    case 4: *byte = random_below(random, 2) ? 0 : 0xff; return;
    default:  // the whole row
        for (size_t i = 0; i < width; i++)
            chunk->raw[i * rows + row] = (uint8_t)(random_below(random, 2) - 1);
    }
}

bool fuzz_change_column(uint8_t *file, size_t size, struct random *random) {
    if (size < CHECKSUM) return false;
    struct chunk *chunk = memory_new(1, sizeof *chunk);
    const size_t first = (size_t)random_below(random, size);
    bool found = false;
    for (size_t i = 0; i < size && !found; i++) {
        const size_t at = (first + i) % size;
        if (file[at] == 0x78) found = unpack(chunk, file + at, size - at);
    }
    if (found) {
        for (uint64_t n = 1 + random_below(random, 3); n > 0; n--) change(chunk, random);
        found = pack(chunk);
    }
    free(chunk);
    return found;
}
