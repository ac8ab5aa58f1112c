// fit_state.c -- the file of a fit's state: a head, the arrays, a checksum.

#include "tuner/fit_state.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/support/file.h"
#include "core/support/memory.h"

static const char magic[16] = "huff-fit-state 2";

struct head {
    char magic[sizeof magic];
    uint64_t identity, seen;
    double lowest;
    int32_t epoch, best_epoch;
};

// The arrays in the order of the file.
struct piece {
    void *data;
    size_t size;
};
enum { PIECES = 4 };
static void list_pieces(const struct fit_state *state, struct piece pieces[static PIECES]) {
    pieces[0] = (struct piece){state->logits, LOGIT_COUNT * sizeof *state->logits};
    pieces[1] = (struct piece){state->best, LOGIT_COUNT * sizeof *state->best};
    pieces[2] = (struct piece){state->squares, LOGIT_COUNT * sizeof *state->squares};
    pieces[3] = (struct piece){state->pulled, (TERM_COUNT - FEW) * sizeof *state->pulled};
}

static size_t body_size(const struct piece *pieces) {
    size_t size = sizeof(struct head);
    for (int i = 0; i < PIECES; i++) size += pieces[i].size;
    return size;
}

static uint32_t checksum(const char *data, size_t size) {
    return (uint32_t)crc32(crc32(0, NULL, 0), (const Bytef *)data, (uInt)size);
}

bool fit_state_write(const char *path, const struct fit_state *state, struct error *error) {
    struct piece pieces[PIECES];
    list_pieces(state, pieces);
    const size_t size = body_size(pieces);
    char *data = memory_new(size + sizeof(uint32_t), 1), *at = data;
    struct head head = {
        .identity = state->identity,
        .seen = state->seen,
        .lowest = state->lowest,
        .epoch = state->epoch,
        .best_epoch = state->best_epoch,
    };
    memcpy(head.magic, magic, sizeof magic);
    memcpy(at, &head, sizeof head);
    at += sizeof head;
    for (int i = 0; i < PIECES; i++) {
        memcpy(at, pieces[i].data, pieces[i].size);
        at += pieces[i].size;
    }
    const uint32_t sum = checksum(data, size);
    memcpy(at, &sum, sizeof sum);
    const bool written = file_replace(path, data, size + sizeof sum, error);
    free(data);
    return written;
}

static bool take(const char *path, const char *data, size_t size, struct fit_state *state,
                 struct error *error) {
    struct piece pieces[PIECES];
    list_pieces(state, pieces);
    const size_t expected = body_size(pieces);
    uint32_t sum;
    struct head head;
    if (size < sizeof head || memcmp(data, magic, sizeof magic) != 0)
        return error_set(error, "%s: not the state of a fit", path);
    memcpy(&sum, data + size - sizeof sum, sizeof sum);
    if (size != expected + sizeof sum || checksum(data, expected) != sum)
        return error_set(error, "%s: damaged", path);
    memcpy(&head, data, sizeof head);
    if (head.identity != state->identity)
        return error_set(error, "%s: of a fit with other settings, data or starting weights", path);
    state->seen = head.seen;
    state->lowest = head.lowest;
    state->epoch = head.epoch;
    state->best_epoch = head.best_epoch;
    const char *at = data + sizeof head;
    for (int i = 0; i < PIECES; i++) {
        memcpy(pieces[i].data, at, pieces[i].size);
        at += pieces[i].size;
    }
    return true;
}

bool fit_state_read(const char *path, struct fit_state *state, struct error *error) {
    enum { LIMIT = 1 << 26 };
    char *data;
    size_t size;
    if (!file_read(path, LIMIT, &data, &size, error)) return false;
    const bool done = take(path, data, size, state, error);
    free(data);
    return done;
}
