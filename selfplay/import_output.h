// import_output.h -- where games that are imported go: a folder of shards or one file, there when it is
// whole.
#ifndef HUFF_SELFPLAY_IMPORT_OUTPUT_H
#define HUFF_SELFPLAY_IMPORT_OUTPUT_H

#include <jansson.h>

#include "selfplay/dataset.h"

struct import_output;

// Does the path name a file ("games.h5") and not a folder?
bool import_output_is_file(const char *path);

// Refused: a folder that exists. Nothing is made before the first game.
bool import_output_check(const char *path, struct error *) __attribute__((warn_unused_result));

// Everything is written beside `path` under a temporary name. `config` says where the games come from
// (/meta/config, and RUN/manifest.json); it is released. In a folder, a shard holds `shard_games` games.
struct import_output *import_output_new(const char *path, const struct variant *, const struct draw_rules *,
                                        json_t *config, uint64_t seed, int shard_games, struct error *);

// Sets the players of the game by their names, which become the list of engines: of more than 255 names the
// further ones are "others". Draws whether trainers hold the game back, by the seed and its number.
bool import_output_add(struct import_output *, struct played_game *, const char *const names[static 2],
                       struct error *) __attribute__((warn_unused_result));

// Both end it: as a whole under its name, or without a trace. NULL is allowed.
bool import_output_publish(struct import_output *, uint64_t *files, struct error *)
    __attribute__((warn_unused_result));
void import_output_discard(struct import_output *);

#endif
