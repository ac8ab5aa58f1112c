// settings.c -- the configuration of a self-play run.

#include "selfplay/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/config.h"
#include "core/support/memory.h"
#include "selfplay/conditions.h"
#include "selfplay/openings.h"
#include "selfplay/playing.h"

enum {
    MOST_GAMES = 1000000000,
    MOST_SHARDS = 1000000,
    MOST_SHARD_GAMES = 1000000,
    MOST_THREADS = 1024,
    MOST_HASH = 65536,
    MOST_SETS = 32,  // keys there are, and some
    MOST_WORD = 64,
};

// ---- the file ----

struct opening_keys {
    uint32_t *random_plies;
};
struct adjudication_keys {
    uint32_t *max_plies;
};
// A pointer is NULL when its key is absent.
struct keys {
    char *variant, *weights;
    char *nodes, *depth, *movetime, *draw, *draw_moves, *draw_progress;  // conditions.h
    uint64_t games, seed;
    uint32_t *threads, *hash, *shard_games;
    struct opening_keys opening;
    struct adjudication_keys adjudication;
};

#define NUMBER(name) CYAML_FIELD_UINT_PTR(#name, CYAML_FLAG_OPTIONAL, struct keys, name)
#define WORD(name)   CYAML_FIELD_STRING_PTR(#name, CYAML_FLAG_OPTIONAL, struct keys, name, 1, MOST_WORD)

static const cyaml_schema_field_t opening_fields[] = {
    CYAML_FIELD_UINT_PTR("random_plies", CYAML_FLAG_OPTIONAL, struct opening_keys, random_plies),
    CYAML_FIELD_END,
};
static const cyaml_schema_field_t adjudication_fields[] = {
    CYAML_FIELD_UINT_PTR("max_plies", CYAML_FLAG_OPTIONAL, struct adjudication_keys, max_plies),
    CYAML_FIELD_END,
};
static const cyaml_schema_field_t fields[] = {
    CYAML_FIELD_STRING_PTR("variant", CYAML_FLAG_DEFAULT, struct keys, variant, 1, 64),
    CYAML_FIELD_UINT("games", CYAML_FLAG_DEFAULT, struct keys, games),
    CYAML_FIELD_UINT("seed", CYAML_FLAG_OPTIONAL, struct keys, seed),
    WORD(nodes),
    WORD(depth),
    WORD(movetime),
    NUMBER(threads),
    CYAML_FIELD_STRING_PTR("weights", CYAML_FLAG_OPTIONAL, struct keys, weights, 1, 4096),
    NUMBER(hash),
    NUMBER(shard_games),
    WORD(draw),
    WORD(draw_moves),
    WORD(draw_progress),
    CYAML_FIELD_MAPPING("opening", CYAML_FLAG_OPTIONAL, struct keys, opening, opening_fields),
    CYAML_FIELD_MAPPING("adjudication", CYAML_FLAG_OPTIONAL, struct keys, adjudication, adjudication_fields),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct keys, fields),
};

// ---- keys to settings ----

// Where the keys came from, for errors.
struct source {
    const char *path;
    const char *const *sets;
    int set_count;
    struct error *error;
};

static bool in_range(const struct source *source, const char *key, double value, double least, double most) {
    return config_range(source->path, source->sets, source->set_count, key, value, least, most,
                        source->error);
}

static bool refuse(const struct source *source, const char *key, const char *cause) {
    return config_refuse(source->path, source->sets, source->set_count, key, source->error, "%s", cause);
}

// An optional number, or what it is by default.
static bool take(const struct source *source, const char *key, const uint32_t *given, int otherwise,
                 int least, int most, int *value) {
    if (given != NULL && !in_range(source, key, *given, least, most)) return false;
    *value = given != NULL ? (int)*given : otherwise;
    return true;
}

static bool is_set(const struct source *source, const char *key) {
    const size_t length = strlen(key);
    for (int i = 0; i < source->set_count; i++) {
        if (strncmp(source->sets[i], key, length) == 0 && source->sets[i][length] == '=') return true;
    }
    return false;
}

// A limit; --set of one is stronger than the file's, of whatever kind.
static bool take_limits(const struct source *source, const struct keys *keys, struct search_limits *limits) {
    struct limit_words words = {.nodes = keys->nodes, .depth = keys->depth, .movetime = keys->movetime};
    const bool sets[] = {is_set(source, "nodes"), is_set(source, "depth"), is_set(source, "movetime")};
    if (sets[0] || sets[1] || sets[2]) {
        if (!sets[0]) words.nodes = NULL;
        if (!sets[1]) words.depth = NULL;
        if (!sets[2]) words.movetime = NULL;
    }
    struct move_limit limit;
    struct refusal refusal;
    if (!limit_read(&words, &limit, &refusal)) return refuse(source, refusal.key, refusal.cause.text);
    *limits = limit.search;
    return limit.given || refuse(source, "nodes", "expected one of nodes, depth and movetime");
}

static bool take_draws(const struct source *source, const struct keys *keys, struct settings *settings) {
    const struct draw_words words = {keys->draw, keys->draw_moves, keys->draw_progress};
    struct refusal refusal;
    return draws_read(&words, settings->variant, &settings->draws, &refusal) ||
           refuse(source, refusal.key, refusal.cause.text);
}

static bool take_games(const struct source *source, const struct keys *keys, struct settings *settings) {
    settings->games = keys->games;
    settings->seed = keys->seed;
    if (!in_range(source, "games", (double)keys->games, 1, MOST_GAMES) ||
        !take(source, "shard_games", keys->shard_games, 1000, 1, MOST_SHARD_GAMES, &settings->shard_games)) {
        return false;
    }
    const uint64_t shards = (settings->games - 1) / (uint64_t)settings->shard_games + 1;
    return shards <= MOST_SHARDS || refuse(source, "shard_games", "more than 1000000 shards: make it larger");
}

static bool take_all(const struct source *source, const struct keys *keys, struct settings *settings) {
    struct error cause;
    settings->variant = variant_find(keys->variant, &cause);
    if (settings->variant == NULL) {
        const char *text = cause.text;  // "variant: no ...": the key is named already
        return refuse(source, "variant", strncmp(text, "variant: ", 9) == 0 ? text + 9 : text);
    }
    if (keys->weights != NULL) settings->weights = memory_text("%s", keys->weights);
    return take_games(source, keys, settings) && take_limits(source, keys, &settings->limits) &&
           take_draws(source, keys, settings) &&
           take(source, "threads", keys->threads, 0, 0, MOST_THREADS, &settings->threads) &&
           take(source, "hash", keys->hash, 2, 0, MOST_HASH, &settings->hash) &&
           take(source, "opening.random_plies", keys->opening.random_plies, 0, 0, MAX_RANDOM_PLIES,
                &settings->random_plies) &&
           take(source, "adjudication.max_plies", keys->adjudication.max_plies, 1000, 1, PLAYING_MAX_PLIES,
                &settings->max_plies);
}

bool settings_read(const char *path, const char *const *sets, int set_count, struct settings *settings,
                   struct error *error) {
    *settings = (struct settings){0};
    void *keys;
    if (!config_read(path, sets, set_count, &schema, &keys, error)) return false;
    const struct source source = {.path = path, .sets = sets, .set_count = set_count, .error = error};
    const bool done = take_all(&source, keys, settings);
    config_free(&schema, keys);
    if (!done) settings_free(settings);
    return done;
}

void settings_free(struct settings *settings) {
    free(settings->weights);
    *settings = (struct settings){0};
}

// ---- JSON ----

static void put_number(json_t *root, const char *key, uint64_t value) {
    json_object_set_new(root, key, json_integer((json_int_t)value));
}

static void put_draws(json_t *root, const struct draw_rules *draws) {
    json_object_set_new(root, "draw", json_string(draws->name));
    const char *progress = draws_progress(draws);
    if (progress == NULL) return;
    put_number(root, "draw_moves", draws->no_progress_plies / 2u);
    json_object_set_new(root, "draw_progress", json_string(progress));
}

static void put_limits(json_t *root, const struct search_limits *limits) {
    if (limits->nodes > 0) put_number(root, "nodes", limits->nodes);
    if (limits->depth > 0) put_number(root, "depth", (uint64_t)limits->depth);
    if (limits->seconds > 0) json_object_set_new(root, "movetime", json_real(limits->seconds));
}

static json_t *game_settings(const struct settings *settings) {
    json_t *root = json_object();
    json_object_set_new(root, "variant", json_string(settings->variant->name));
    put_number(root, "seed", settings->seed);
    put_limits(root, &settings->limits);
    put_draws(root, &settings->draws);
    json_object_set_new(root, "opening", json_pack("{s:i}", "random_plies", settings->random_plies));
    json_object_set_new(root, "adjudication", json_pack("{s:i}", "max_plies", settings->max_plies));
    put_number(root, "hash", (uint64_t)settings->hash);
    put_number(root, "shard_games", (uint64_t)settings->shard_games);
    return root;
}

json_t *settings_to_json(const struct settings *settings) {
    json_t *root = game_settings(settings);
    put_number(root, "games", settings->games);
    put_number(root, "threads", (uint64_t)settings->threads);
    if (settings->weights != NULL) json_object_set_new(root, "weights", json_string(settings->weights));
    return root;
}

char *settings_game_json(const struct settings *settings) {
    json_t *root = game_settings(settings);
    char *text = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    return text;
}

char *settings_limit_text(const struct settings *settings) {
    const struct search_limits *limits = &settings->limits;
    if (limits->nodes > 0) return memory_text("nodes=%llu", (unsigned long long)limits->nodes);
    if (limits->depth > 0) return memory_text("depth=%d", limits->depth);
    return memory_text("movetime=%g", limits->seconds);
}

// Every value as a --set; NULL for one that no configuration has.
static char *to_set(const char *outer, const char *key, const json_t *value) {
    const char *dot = *outer != '\0' ? "." : "";
    switch (json_typeof(value)) {
    case JSON_STRING: return memory_text("%s%s%s=%s", outer, dot, key, json_string_value(value));
    case JSON_INTEGER:
        return memory_text("%s%s%s=%lld", outer, dot, key, (long long)json_integer_value(value));
    case JSON_REAL: return memory_text("%s%s%s=%.17g", outer, dot, key, json_real_value(value));
    default: return NULL;
    }
}

static bool add_sets(const char *outer, json_t *object, char **sets, int *count) {
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        if (json_is_object(value)) {
            if (*outer != '\0' || !add_sets(key, value, sets, count)) return false;
            continue;
        }
        if (*count == MOST_SETS || (sets[*count] = to_set(outer, key, value)) == NULL) return false;
        ++*count;
    }
    return true;
}

bool settings_from_json(json_t *root, struct settings *settings, struct error *error) {
    char *sets[MOST_SETS];
    int count = 0;
    bool done = json_is_object(root) && add_sets("", root, sets, &count);
    if (done)
        done = settings_read(NULL, (const char *const *)sets, count, settings, error);
    else
        error_set(error, "config: not one this program writes");
    for (int i = 0; i < count; i++) free(sets[i]);
    return done;
}
