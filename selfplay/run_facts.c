// run_facts.c -- reads the manifest of a run for what its shards must agree with.

#include "selfplay/run_facts.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/memory.h"

struct run_facts {
    const char *source;           // that says so, for errors
    json_t *config;               // NULL: nothing is known
    char *weights;                // "": not said
    uint64_t games, shard_games;  // 0: not said
    bool finished;
};

static uint64_t positive(const json_t *config, const char *key) {
    const json_int_t value = json_integer_value(json_object_get(config, key));
    return value > 0 ? (uint64_t)value : 0;
}

static void take_config(struct run_facts *facts, json_t *config, const char *weights, const char *source) {
    facts->source = source;
    facts->config = config;
    facts->weights = memory_text("%s", weights != NULL ? weights : "");
    facts->games = positive(config, "games");
    facts->shard_games = positive(config, "shard_games");
}

struct run_facts *run_facts_read(const char *folder) {
    struct run_facts *facts = memory_new(1, sizeof *facts);
    char *path = memory_text("%s/manifest.json", folder);
    json_t *manifest = json_load_file(path, 0, NULL), *config = json_object_get(manifest, "config");
    if (json_is_object(config)) {
        const json_t *sums = json_object_get(manifest, "checksums");
        take_config(facts, json_incref(config), json_string_value(json_object_get(sums, "weights")),
                    "manifest.json");
        facts->finished = json_is_string(json_object_get(manifest, "finished"));
    }
    json_decref(manifest);
    free(path);
    return facts;
}

void run_facts_free(struct run_facts *facts) {
    json_decref(facts->config);
    free(facts->weights);
    free(facts);
}

uint64_t run_facts_shards(const struct run_facts *facts) {
    return facts->games > 0 && facts->shard_games > 0 ? (facts->games - 1) / facts->shard_games + 1 : 0;
}

bool run_facts_finished(const struct run_facts *facts) { return facts->finished; }

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

// The manifest has paths where a shard has names.
static bool same_value(const json_t *whole, const json_t *part) {
    if (json_is_string(whole) && json_is_string(part))
        return strcmp(last_part(json_string_value(whole)), last_part(json_string_value(part))) == 0;
    return json_equal(whole, part);
}

// The key of `part` that differs, NULL: the whole has all of it.
static const char *different_key(json_t *whole, json_t *part) {
    const char *key, *inner;
    json_t *value;
    json_object_foreach(part, key, value) {
        json_t *there = json_object_get(whole, key);
        if (!json_is_object(value)) {
            if (!same_value(there, value)) return key;
            continue;
        }
        inner = different_key(there, value);
        if (inner != NULL) return inner;
    }
    return NULL;
}

static bool check_config(const struct run_facts *facts, const struct dataset_file *file,
                         struct error *error) {
    json_t *config = json_loads(file->info.config, 0, NULL);
    const char *key = different_key(facts->config, config);
    bool good = true;
    if (key != NULL)
        good = error_set(error, "%s: is of another run: its %s differs from that of %s", file->path, key,
                         facts->source);
    json_decref(config);
    return good;
}

static bool check_place(const struct run_facts *facts, const struct dataset_file *file, uint64_t number,
                        struct error *error) {
    if (facts->shard_games == 0) return true;
    const uint64_t first = number * facts->shard_games, found = file->info.first_game;
    if (found != first)
        return error_set(error,
                         "%s: is not this shard: its games begin with number %" PRIu64 ", expected %" PRIu64,
                         file->path, found, first);
    if (facts->games == 0) return true;
    const uint64_t left = facts->games > first ? facts->games - first : 0;
    const uint64_t games = left < facts->shard_games ? left : facts->shard_games;
    return file->games == games ||
           error_set(error, "%s: holds %" PRIu64 " games, expected %" PRIu64, file->path, file->games, games);
}

bool run_facts_check(struct run_facts *facts, const struct dataset_file *file, uint64_t number,
                     struct error *error) {
    const struct dataset_info *info = &file->info;
    if (info->origin != NULL) return true;  // made from others and put there: it has a place of its own
    if (facts->config == NULL) {
        json_t *config = json_loads(info->config, 0, NULL);
        if (json_is_object(config))
            take_config(facts, config, info->weights_sha256, last_part(file->path));
        else
            json_decref(config);
    }
    if (facts->config == NULL) return true;
    if (!check_config(facts, file, error)) return false;
    if (*facts->weights != '\0' && strcmp(facts->weights, info->weights_sha256) != 0)
        return error_set(error, "%s: is of another run: its weights differ from those of %s", file->path,
                         facts->source);
    return check_place(facts, file, number, error);
}
