// open_shard.h -- a shard some of whose games are finished: kept in a journal until it is full, then
// published.
#ifndef HUFF_SELFPLAY_OPEN_SHARD_H
#define HUFF_SELFPLAY_OPEN_SHARD_H

#include "selfplay/dataset.h"
#include "selfplay/run_folder.h"

struct open_shard {
    uint64_t number, first;  // shard and its first game
    size_t size, done;       // games
    bool *have;
    struct journal *journal;
    struct open_shard *next;  // for lists
};

// Takes what its journal holds. *cut: damaged bytes that were cut off there.
struct open_shard *open_shard_new(const struct run_folder *, uint64_t number, uint64_t *cut, struct error *);

// Closes the journal of a shard that was not published, and deletes it when it is empty.
void open_shard_free(struct open_shard *);

bool open_shard_keep(struct open_shard *, uint64_t id, const struct played_game *, struct error *)
    __attribute__((warn_unused_result));
bool open_shard_sync(struct open_shard *, struct error *) __attribute__((warn_unused_result));

// A full shard becomes a file and its journal goes.
bool open_shard_publish(struct open_shard *, const struct run_folder *, struct error *)
    __attribute__((warn_unused_result));

// What a file says that is there under the name of a shard.
enum shard_origin {
    SHARD_OF_RUN,
    SHARD_OF_ANOTHER,  // run; `error` says why
    SHARD_USELESS,     // not readable, or other games of this run
};
enum shard_origin open_shard_origin(const struct run_folder *, uint64_t number, struct error *);

// Is this a file of such a shard, whole and true in every move, although nobody has its checksum?
bool open_shard_is_published(const struct run_folder *, uint64_t number);

// Trainers hold back whole games: 90 % training, 5 % validation, 5 % test.
enum split draw_split(struct random *);

// What game `id` draws before all else, the same whenever it is asked; the rest of its stream is `random`.
struct game_plan {
    enum split split;
    uint8_t engine[2];  // of each side
    bool played_out;    // it is not called, whatever its scores
    struct random random;
};
struct game_plan game_plan(const struct run_folder *, uint64_t id);

#endif
