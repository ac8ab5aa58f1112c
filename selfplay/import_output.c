// import_output.c -- writes imported games as a folder of shards or as one file.

#include "selfplay/import_output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/support/file.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "selfplay/manifest.h"
#include "selfplay/open_shard.h"
#include "selfplay/rules_json.h"
#include "selfplay/shards.h"

enum { MOST_PLAYERS = 255 };  // and one more: the others

static const struct manifest_kind kind = {.format = "huff-import", .program = "huff-data " HUFF_VERSION};

struct import_output {
    const struct variant *variant;
    char *path, *folder;  // folder: where the shards are now; NULL: one file
    char *rules, *config;
    uint64_t seed, shard_games, games, shards;
    struct dataset_writer *writer;  // of the file or the open shard; NULL: none is open
    int player_count;
    char *players[MOST_PLAYERS];
};

bool import_output_is_file(const char *path) {
    const size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".h5") == 0;
}

static char *without_slashes(const char *path) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    return memory_text("%.*s", (int)length, path);
}

bool import_output_check(const char *path, struct error *error) {
    return import_output_is_file(path) || !file_exists(path) || error_set(error, "%s: exists already", path);
}

struct import_output *import_output_new(const char *path, const struct variant *variant,
                                        const struct draw_rules *draws, json_t *config, uint64_t seed,
                                        int shard_games, struct error *error) {
    struct import_output *output = memory_new(1, sizeof *output);
    *output = (struct import_output){
        .variant = variant,
        .path = without_slashes(path),
        .rules = rules_to_json(variant, draws),
        .config = json_dumps(config, JSON_COMPACT),
        .seed = seed,
        .shard_games = (uint64_t)shard_games,
    };
    json_decref(config);
    if (import_output_is_file(path)) return output;
    output->folder = memory_text("%s.tmp-%ld", output->path, (long)getpid());
    if (!file_exists(output->folder) ? file_make_folder(output->folder, error)
                                     : error_set(error, "%s: exists already", output->folder))
        return output;
    free(output->folder);
    output->folder = NULL;
    import_output_discard(output);
    return NULL;
}

// ---- players ----

static uint8_t number_of(struct import_output *output, const char *name) {
    for (int i = 0; i < output->player_count; i++)
        if (strcmp(output->players[i], name) == 0) return (uint8_t)i;
    if (output->player_count == MOST_PLAYERS) return MOST_PLAYERS;
    output->players[output->player_count] = memory_text("%s", name);
    return (uint8_t)output->player_count++;
}

// All that were met so far, whatever shard they play in: a number means the same player in every shard.
static char *players_text(const struct import_output *output) {
    json_t *list = json_array();
    for (int i = 0; i < output->player_count; i++)
        json_array_append_new(list, json_pack("{s:s}", "name", output->players[i]));
    if (output->player_count == MOST_PLAYERS)
        json_array_append_new(list, json_pack("{s:s}", "name", "others"));
    char *text = json_dumps(list, JSON_COMPACT);
    json_decref(list);
    return text;
}

// ---- files ----

static bool open_writer(struct import_output *output, struct error *error) {
    if (output->writer != NULL) return true;
    const struct dataset_info info = {
        .variant = output->variant,
        .rules = output->rules,
        .engine = "imported",
        .weights_sha256 = "unknown",
        .limit = "unknown",
        .config = output->config,
        .seed = output->seed,
        .first_game = output->games,
    };
    output->writer = output->folder != NULL ? dataset_create(&info, error)
                                            : dataset_create_file(output->path, &info, error);
    return output->writer != NULL;
}

static bool close_shard(struct import_output *output, struct error *error) {
    struct dataset_writer *writer = output->writer;
    void *bytes;
    size_t size;
    output->writer = NULL;
    if (!dataset_finish(writer, &bytes, &size, error)) return false;
    const bool done = shard_publish(output->folder, output->shards, bytes, size, error);
    free(bytes);
    output->shards += done;
    return done;
}

static bool close_writer(struct import_output *output, struct error *error) {
    if (output->writer == NULL) return true;
    char *players = players_text(output);
    bool done = dataset_write_engines(output->writer, players, error);
    free(players);
    if (!done) return false;
    if (output->folder != NULL) return close_shard(output, error);
    done = dataset_publish(output->writer, error);
    output->writer = NULL;
    return done;
}

bool import_output_add(struct import_output *output, struct played_game *game,
                       const char *const names[static 2], struct error *error) {
    if (!open_writer(output, error)) return false;
    struct random random = random_stream(output->seed, output->games);
    for (int side = 0; side < 2; side++) game->engine[side] = number_of(output, names[side]);
    if (!dataset_add(output->writer, game, output->games, draw_split(&random), error)) return false;
    output->games++;
    return output->folder == NULL || output->games % output->shard_games != 0 || close_writer(output, error);
}

// ---- the end ----

static bool write_manifest(const struct import_output *output, struct error *error) {
    json_t *config = json_loads(output->config, 0, NULL);
    json_object_set_new(config, "games", json_integer((json_int_t)output->games));
    json_object_set_new(config, "shard_games", json_integer((json_int_t)output->shard_games));
    struct manifest manifest;
    const bool done = manifest_create(output->folder, &kind, config, json_object(), &manifest, error) &&
                      manifest_note_finished(output->folder, &manifest, error);
    manifest_free(&manifest);
    return done;
}

static void free_output(struct import_output *output) {
    for (int i = 0; i < output->player_count; i++) free(output->players[i]);
    free(output->path);
    free(output->folder);
    free(output->rules);
    free(output->config);
    free(output);
}

bool import_output_publish(struct import_output *output, uint64_t *files, struct error *error) {
    bool done = close_writer(output, error);
    *files = output->folder != NULL ? output->shards : 1;
    if (output->folder != NULL)
        done = done && write_manifest(output, error) && import_output_check(output->path, error) &&
               file_publish(output->folder, output->path, error);
    if (done)
        free_output(output);
    else
        import_output_discard(output);
    return done;
}

static void remove_in(const char *folder, const char *name) {
    char *path = memory_text("%s/%s", folder, name);
    unlink(path);
    free(path);
}

void import_output_discard(struct import_output *output) {
    if (output == NULL) return;
    dataset_discard(output->writer);
    if (output->folder != NULL) {
        for (uint64_t i = 0; i <= output->shards; i++) {
            char *path = shard_path(output->folder, i, "h5");
            unlink(path);
            free(path);
        }
        remove_in(output->folder, "shards.sha256");
        remove_in(output->folder, "manifest.json");
        rmdir(output->folder);
    }
    free_output(output);
}
