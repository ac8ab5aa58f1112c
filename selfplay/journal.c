// journal.c -- the append-only file of finished games.
//
// A header line "huff-journal 2 OWNER", then records:
//
//     length  checksum  id  start      result termination random_plies  plies  ply ...
//     u32     u32       u64 4 x u64 u8 i8     u8          u8            u32
//
// and the reason of the termination as text;
//
//     ply: index u8, clock u8, flags u16, score i16, depth u8, nodes u40, microseconds u32
//
// little-endian; length and CRC-32 are those of what follows them.

#include "selfplay/journal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include <zlib.h>

#include "core/support/clock.h"
#include "core/support/file.h"
#include "core/support/memory.h"

#define SYNC_SECONDS 5.0

enum {
    FRAME_SIZE = 8,
    GAME_SIZE = 8 + 4 * 8 + 1 + 3 + 4,
    PLY_SIZE = 1 + 1 + 2 + 2 + 1 + 5 + 4,
    MOST_REASON = sizeof((struct error *)NULL)->text - 1,
    MOST_RECORD = GAME_SIZE + PLAYING_MAX_PLIES * PLY_SIZE + MOST_REASON,
};
#define MOST_JOURNAL ((size_t)1 << 36)
#define MOST_NODES   ((UINT64_C(1) << 40) - 1)

// Where the record of a game begins.
struct place {
    uint64_t id;
    off_t at;
};

struct journal {
    char *path;
    int file;
    const struct variant *variant;
    off_t size;
    double synced;
    uint8_t *record;
    size_t room;
    struct place *places;
    size_t count, places_room;
    bool sorted;  // the places, by number
    struct move_list *list;
};

// ---- bytes ----

static void put(uint8_t **at, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) *(*at)++ = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const uint8_t **at, int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) value |= (uint64_t) * (*at)++ << 8 * i;
    return value;
}

static uint32_t checksum(const uint8_t *data, size_t size) {
    return (uint32_t)crc32(crc32(0, NULL, 0), data, (uInt)size);
}

static void put_position(uint8_t **at, int width, const struct position *position) {
    for (enum side side = WHITE; side <= BLACK; side++) {
        put(at, board_pack(width, position_men(position, side)), 8);
        put(at, board_pack(width, position_kings(position, side)), 8);
    }
    put(at, position->turn, 1);
}

static struct position get_position(const uint8_t **at, int width) {
    struct position position = {0};
    for (enum side side = WHITE; side <= BLACK; side++) {
        const bitboard men = board_unpack(width, get(at, 8)), kings = board_unpack(width, get(at, 8));
        position.pieces[side] = men | kings;
        position.kings |= kings;
    }
    position.turn = (uint8_t)get(at, 1);
    return position;
}

static size_t encode(const struct variant *variant, uint64_t id, const struct played_game *game,
                     uint8_t *record) {
    uint8_t *at = record + FRAME_SIZE;
    put(&at, id, 8);
    put_position(&at, variant->rules->width, &game->start);
    put(&at, (uint8_t)game->result, 1);
    put(&at, (uint64_t)game->termination, 1);
    put(&at, (uint64_t)game->random_plies, 1);
    put(&at, (uint64_t)game->plies, 4);
    for (int i = 0; i < game->plies; i++) {
        const struct played_ply *ply = &game->ply[i];
        put(&at, ply->index, 1);
        put(&at, ply->clock, 1);
        put(&at, ply->flags, 2);
        put(&at, (uint16_t)ply->score, 2);
        put(&at, ply->depth, 1);
        put(&at, ply->nodes < MOST_NODES ? ply->nodes : MOST_NODES, 5);
        put(&at, (uint32_t)fmin(round(1e6 * (double)ply->seconds), UINT32_MAX), 4);
    }
    const size_t reason = strlen(game->reason.text);
    memcpy(at, game->reason.text, reason);
    at += reason;
    const size_t size = (size_t)(at - record);
    at = record;
    put(&at, size - FRAME_SIZE, 4);
    put(&at, checksum(record + FRAME_SIZE, size - FRAME_SIZE), 4);
    return size;
}

// The moves are found again by the rules; false when they do not fit.
static bool decode_plies(const struct variant *variant, const uint8_t *at, struct move_list *list,
                         struct played_game *game) {
    struct position position = game->start;
    for (int i = 0; i < game->plies; i++) {
        struct played_ply *ply = &game->ply[i];
        ply->index = (uint8_t)get(&at, 1);
        ply->clock = (uint8_t)get(&at, 1);
        ply->flags = (uint16_t)get(&at, 2);
        ply->score = (int16_t)get(&at, 2);
        ply->depth = (uint8_t)get(&at, 1);
        ply->nodes = get(&at, 5);
        ply->seconds = (float)((double)get(&at, 4) / 1e6);
        game->nodes[position.turn] += ply->nodes;
        game->seconds[position.turn] += (double)ply->seconds;
        variant->generate(&position, list);
        if (ply->index >= list->count || list->truncated) return false;
        ply->move = list->moves[ply->index];
        variant->play(&position, ply->move);
    }
    return true;
}

// A record without its frame.
static bool decode(const struct variant *variant, const uint8_t *at, size_t size, struct move_list *list,
                   uint64_t *id, struct played_game *game) {
    if (size < GAME_SIZE) return false;
    *id = get(&at, 8);
    game->start = get_position(&at, variant->rules->width);
    game->result = (int8_t)get(&at, 1);
    game->termination = (enum termination)get(&at, 1);
    game->random_plies = (int)get(&at, 1);
    const uint64_t plies = get(&at, 4);
    const size_t least = GAME_SIZE + plies * PLY_SIZE;
    if (size < least || size - least > MOST_REASON || game->termination >= TERMINATION_COUNT ||
        !variant_check(variant, &game->start, NULL)) {
        return false;
    }
    game->plies = (int)plies;
    if (game->capacity < game->plies || game->ply == NULL) {
        game->capacity = game->plies;
        game->ply = memory_grow(game->ply, plies > 0 ? plies : 1, sizeof *game->ply);
    }
    memset(game->ply, 0, plies * sizeof *game->ply);
    memcpy(game->reason.text, at + plies * PLY_SIZE, size - least);
    return decode_plies(variant, at, list, game);
}

// ---- opening ----

static void note_place(struct journal *journal, uint64_t id, off_t at) {
    if (journal->count == journal->places_room) {
        journal->places_room = journal->places_room == 0 ? 64 : 2 * journal->places_room;
        journal->places = memory_grow(journal->places, journal->places_room, sizeof *journal->places);
    }
    journal->places[journal->count++] = (struct place){.id = id, .at = at};
    journal->sorted = false;
}

// Hands over the records of a journal; returns how many of its bytes are good.
static size_t read_records(struct journal *journal, const char *header, const char *data, size_t size,
                           journal_found *found, void *context) {
    size_t good = strlen(header);
    if (data == NULL || size < good || memcmp(data, header, good) != 0) return 0;
    while (size - good >= FRAME_SIZE) {
        const uint8_t *at = (const uint8_t *)data + good;
        const size_t length = get(&at, 4);
        const uint32_t sum = (uint32_t)get(&at, 4);
        if (length > MOST_RECORD || length > size - good - FRAME_SIZE || checksum(at, length) != sum) break;
        uint64_t id;
        struct played_game game = {0};
        const bool whole = decode(journal->variant, at, length, journal->list, &id, &game);
        if (whole) note_place(journal, id, (off_t)good);
        if (whole) found(context, id, &game);
        played_game_free(&game);
        if (!whole) break;
        good += FRAME_SIZE + length;
    }
    return good;
}

static bool failed(const struct journal *journal, struct error *error) {
    return error_set(error, "%s: cannot write: %s", journal->path, strerror(errno));
}

// Nobody else may write to it while it is open here.
static bool take_file(struct journal *journal, struct error *error) {
    do journal->file = open(journal->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    while (journal->file < 0 && errno == EINTR);
    if (journal->file < 0) return error_set(error, "%s: %s", journal->path, strerror(errno));
    if (flock(journal->file, LOCK_EX | LOCK_NB) == 0) return true;
    return errno == EWOULDBLOCK ? error_set(error, "%s: another process is writing to it", journal->path)
                                : error_set(error, "%s: cannot lock: %s", journal->path, strerror(errno));
}

static bool start_writing(struct journal *journal, const char *header, size_t good, struct error *error) {
    if (ftruncate(journal->file, (off_t)good) != 0) return failed(journal, error);
    journal->size = (off_t)good;
    if (good > 0) return true;
    journal->size = (off_t)strlen(header);
    return file_write(journal->file, header, strlen(header)) || failed(journal, error);
}

struct journal *journal_open(const char *path, const char *owner, const struct variant *variant,
                             journal_found *found, void *context, uint64_t *cut, struct error *error) {
    char *header = memory_text("huff-journal 2 %s\n", owner), *data = NULL;
    size_t size = 0, good = 0;
    struct journal *journal = memory_new(1, sizeof *journal);
    *journal = (struct journal){
        .path = memory_text("%s", path),
        .file = -1,
        .variant = variant,
        .synced = clock_seconds(),
        .list = memory_new(1, sizeof *journal->list),
    };
    bool done = take_file(journal, error) && file_read(path, MOST_JOURNAL, &data, &size, error);
    if (done) good = read_records(journal, header, data, size, found, context);
    free(data);
    *cut = size - good;
    done = done && start_writing(journal, header, good, error);
    free(header);
    if (done) return journal;
    journal_close(journal);
    return NULL;
}

// ---- writing ----

static void make_room(struct journal *journal, size_t bytes) {
    if (journal->room >= bytes) return;
    journal->room = 2 * bytes;
    journal->record = memory_grow(journal->record, journal->room, 1);
}

bool journal_append(struct journal *journal, uint64_t id, const struct played_game *game,
                    struct error *error) {
    make_room(journal, FRAME_SIZE + GAME_SIZE + (size_t)game->plies * PLY_SIZE + MOST_REASON);
    const size_t size = encode(journal->variant, id, game, journal->record);
    if (!file_write(journal->file, journal->record, size)) {
        failed(journal, error);
        const bool restored = ftruncate(journal->file, journal->size) == 0;
        (void)restored;  // if not, the torn record is cut off when the journal is opened again
        return false;
    }
    note_place(journal, id, journal->size);
    journal->size += (off_t)size;
    return clock_seconds() - journal->synced < SYNC_SECONDS || journal_sync(journal, error);
}

// ---- reading again ----

static int compare_places(const void *a, const void *b) {
    const struct place *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static const struct place *find_place(struct journal *journal, uint64_t id) {
    const struct place wanted = {.id = id};
    if (!journal->sorted) qsort(journal->places, journal->count, sizeof wanted, compare_places);
    journal->sorted = true;
    return bsearch(&wanted, journal->places, journal->count, sizeof wanted, compare_places);
}

static bool read_all(int file, off_t at, uint8_t *data, size_t size) {
    while (size > 0) {
        const ssize_t got = pread(file, data, size, at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        data += got;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

bool journal_read(struct journal *journal, uint64_t id, struct played_game *game, struct error *error) {
    const struct place *place = find_place(journal, id);
    assert(place != NULL);
    make_room(journal, FRAME_SIZE);
    const uint8_t *at = journal->record;
    uint64_t found;
    bool good = read_all(journal->file, place->at, journal->record, FRAME_SIZE);
    const size_t length = good ? get(&at, 4) : 0;
    const uint32_t sum = good ? (uint32_t)get(&at, 4) : 0;
    good = good && length <= MOST_RECORD;
    if (good) make_room(journal, length);
    good = good && read_all(journal->file, place->at + FRAME_SIZE, journal->record, length) &&
           checksum(journal->record, length) == sum;
    *game = (struct played_game){.ply = game->ply, .capacity = game->capacity};
    if (good && decode(journal->variant, journal->record, length, journal->list, &found, game) && found == id)
        return true;
    return error_set(error, "%s: damaged while the run went on", journal->path);
}

bool journal_sync(struct journal *journal, struct error *error) {
    int result;
    do result = fdatasync(journal->file);
    while (result != 0 && errno == EINTR);
    journal->synced = clock_seconds();
    return result == 0 || failed(journal, error);
}

void journal_close(struct journal *journal) {
    if (journal == NULL) return;
    if (journal->file >= 0) close(journal->file);
    free(journal->record);
    free(journal->places);
    free(journal->list);
    free(journal->path);
    free(journal);
}

void journal_delete(struct journal *journal) {
    if (journal == NULL) return;
    unlink(journal->path);
    journal_close(journal);
}
