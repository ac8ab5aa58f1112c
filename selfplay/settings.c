// settings.c -- the configuration of a self-play run.

#include "selfplay/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/support/config.h"
#include "core/support/memory.h"
#include "core/support/options.h"
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
    MOST_PATH = 4096,
    USUAL_CHECK = 10,  // percent
};

// ---- the file ----

struct opening_keys {
    char *book;
    int64_t *margin, *depth, *random_plies;
};
struct adjudication_keys {
    char *draw, *resign;
    int64_t *check, *max_plies;
};
// A pointer is NULL when its key is absent.
struct keys {
    char *variant, *weights, *white_weights, *black_weights;
    bool *swap_sides;
    char *nodes, *depth, *movetime, *draw, *draw_moves, *draw_progress;  // conditions.h
    int64_t games, seed;
    int64_t *threads, *hash, *shard_games;
    struct opening_keys opening;
    struct adjudication_keys adjudication;
};

#define NUMBER(name) CYAML_FIELD_INT_PTR(#name, CYAML_FLAG_OPTIONAL, struct keys, name)
#define WORD(name)   CYAML_FIELD_STRING_PTR(#name, CYAML_FLAG_OPTIONAL, struct keys, name, 1, MOST_WORD)
#define PATH(name)   CYAML_FIELD_STRING_PTR(#name, CYAML_FLAG_OPTIONAL, struct keys, name, 1, MOST_PATH)

static const cyaml_schema_field_t opening_fields[] = {
    CYAML_FIELD_STRING_PTR("book", CYAML_FLAG_OPTIONAL, struct opening_keys, book, 1, MOST_PATH),
    CYAML_FIELD_INT_PTR("margin", CYAML_FLAG_OPTIONAL, struct opening_keys, margin),
    CYAML_FIELD_INT_PTR("depth", CYAML_FLAG_OPTIONAL, struct opening_keys, depth),
    CYAML_FIELD_INT_PTR("random_plies", CYAML_FLAG_OPTIONAL, struct opening_keys, random_plies),
    CYAML_FIELD_END,
};
static const cyaml_schema_field_t adjudication_fields[] = {
    CYAML_FIELD_STRING_PTR("draw", CYAML_FLAG_OPTIONAL, struct adjudication_keys, draw, 1, MOST_WORD),
    CYAML_FIELD_STRING_PTR("resign", CYAML_FLAG_OPTIONAL, struct adjudication_keys, resign, 1, MOST_WORD),
    CYAML_FIELD_INT_PTR("check", CYAML_FLAG_OPTIONAL, struct adjudication_keys, check),
    CYAML_FIELD_INT_PTR("max_plies", CYAML_FLAG_OPTIONAL, struct adjudication_keys, max_plies),
    CYAML_FIELD_END,
};
static const cyaml_schema_field_t fields[] = {
    CYAML_FIELD_STRING_PTR("variant", CYAML_FLAG_DEFAULT, struct keys, variant, 1, 64),
    CYAML_FIELD_INT("games", CYAML_FLAG_DEFAULT, struct keys, games),
    CYAML_FIELD_INT("seed", CYAML_FLAG_OPTIONAL, struct keys, seed),
    WORD(nodes),
    WORD(depth),
    WORD(movetime),
    NUMBER(threads),
    PATH(weights),
    PATH(white_weights),
    PATH(black_weights),
    CYAML_FIELD_BOOL_PTR("swap_sides", CYAML_FLAG_OPTIONAL, struct keys, swap_sides),
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
static bool take(const struct source *source, const char *key, const int64_t *given, int otherwise, int least,
                 int most, int *value) {
    if (given != NULL && !in_range(source, key, (double)*given, least, most)) return false;
    *value = given != NULL ? (int)*given : otherwise;
    return true;
}

static bool is_set(const struct source *source, const char *key) {
    return config_was_set(source->path, source->sets, source->set_count, key);
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
    settings->games = (uint64_t)keys->games;
    settings->seed = (uint64_t)keys->seed;
    if (keys->seed < 0) return refuse(source, "seed", "expected 0..9223372036854775807");
    if (!in_range(source, "games", (double)keys->games, 1, MOST_GAMES) ||
        !take(source, "shard_games", keys->shard_games, 1000, 1, MOST_SHARD_GAMES, &settings->shard_games)) {
        return false;
    }
    const uint64_t shards = (settings->games - 1) / (uint64_t)settings->shard_games + 1;
    return shards <= MOST_SHARDS || refuse(source, "shard_games", "more than 1000000 shards: make it larger");
}

// Resuming takes the run's own copy, and a path in the manifest need not lead anywhere.
static bool is_readable(const struct source *source, const char *key, const char *path) {
    if (source->path == NULL || access(path, R_OK) == 0) return true;
    return config_refuse(source->path, source->sets, source->set_count, key, source->error, "%s: %s", path,
                         strerror(errno));
}

static bool check_weights(const struct source *source, const char *key, const char *name) {
    return !weights_in_file(name) || is_readable(source, key, name);
}

static bool take_weights(const struct source *source, const struct keys *keys, struct settings *settings) {
    const char *const of[2] = {[WHITE] = keys->white_weights, [BLACK] = keys->black_weights};
    for (enum side side = WHITE; side <= BLACK; side++) {
        const char *name = of[side] != NULL ? of[side] : keys->weights;
        if (name != NULL) settings->weights[side] = memory_text("%s", name);
    }
    if (!check_weights(source, "weights", keys->weights) ||
        !check_weights(source, "white_weights", keys->white_weights) ||
        !check_weights(source, "black_weights", keys->black_weights))
        return false;
    settings->swap_sides = keys->swap_sides != NULL && *keys->swap_sides;
    return !settings->swap_sides || of[WHITE] != NULL || of[BLACK] != NULL ||
           refuse(source, "swap_sides", "goes with white_weights and black_weights only");
}

static bool take_book(const struct source *source, const char *text, struct settings *settings) {
    if (strncmp(text, "all:", 4) != 0) {
        settings->book = memory_text("%s", text);
        return is_readable(source, "opening.book", text);
    }
    struct error cause;
    return options_int("all", text + 4, 1, MOST_ALL_PLIES, &settings->all.plies, &cause) ||
           refuse(source, "opening.book", cause.text);
}

static bool take_opening(const struct source *source, const struct opening_keys *keys,
                         struct settings *settings) {
    if (keys->book != NULL && !take_book(source, keys->book, settings)) return false;
    if (keys->depth != NULL && keys->margin == NULL)
        return refuse(source, "opening.depth",
                      "goes with opening.margin only: it is the depth of that search");
    if (settings->all.plies == 0 && (keys->margin != NULL || keys->depth != NULL))
        return refuse(source, keys->margin != NULL ? "opening.margin" : "opening.depth",
                      "goes with opening.book=all:PLIES only");
    return take(source, "opening.margin", keys->margin, 0, 0, BOOK_MOST_MARGIN, &settings->all.margin) &&
           take(source, "opening.depth", keys->depth, BOOK_USUAL_DEPTH, 1, MAX_DEPTH, &settings->all.depth) &&
           take(source, "opening.random_plies", keys->random_plies, 0, 0, MAX_RANDOM_PLIES,
                &settings->random_plies);
}

static bool take_adjudication(const struct source *source, const struct adjudication_keys *keys,
                              struct settings *settings) {
    struct error cause;
    if (keys->draw != NULL && !adjudication_parse_draw(keys->draw, &settings->adjudication, &cause))
        return refuse(source, "adjudication.draw", cause.text);
    if (keys->resign != NULL && !adjudication_parse_resign(keys->resign, &settings->adjudication, &cause))
        return refuse(source, "adjudication.resign", cause.text);
    if (keys->check != NULL && !settings_adjudicate(settings))
        return refuse(source, "adjudication.check",
                      "goes with adjudication.draw or adjudication.resign only");
    return take(source, "adjudication.check", keys->check, USUAL_CHECK, 0, 100, &settings->played_out) &&
           take(source, "adjudication.max_plies", keys->max_plies, 1000, 1, PLAYING_MAX_PLIES,
                &settings->max_plies) &&
           (settings->random_plies <= settings->max_plies ||
            refuse(source,
                   is_set(source, "adjudication.max_plies") ? "adjudication.max_plies"
                                                            : "opening.random_plies",
                   "a game cannot have more random plies (opening.random_plies) than plies "
                   "(adjudication.max_plies)"));
}

static bool take_all(const struct source *source, const struct keys *keys, struct settings *settings) {
    struct error cause;
    settings->variant = variant_find(keys->variant, &cause);
    if (settings->variant == NULL) {
        const char *text = cause.text;  // "variant: no ...": the key is named already
        return refuse(source, "variant", strncmp(text, "variant: ", 9) == 0 ? text + 9 : text);
    }
    return take_weights(source, keys, settings) && take_games(source, keys, settings) &&
           take_limits(source, keys, &settings->limits) && take_draws(source, keys, settings) &&
           take(source, "threads", keys->threads, 0, 0, MOST_THREADS, &settings->threads) &&
           take(source, "hash", keys->hash, 2, 0, MOST_HASH, &settings->hash) &&
           take_opening(source, &keys->opening, settings) &&
           take_adjudication(source, &keys->adjudication, settings);
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
    free(settings->weights[WHITE]);
    free(settings->weights[BLACK]);
    free(settings->book);
    *settings = (struct settings){0};
}

// ---- asking ----

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

const char *settings_weights_name(const struct settings *settings, enum side side) {
    return settings->weights[side] != NULL ? last_part(settings->weights[side]) : "default";
}

int settings_weights_count(const struct settings *settings) {
    const char *white = settings->weights[WHITE], *black = settings->weights[BLACK];
    const bool same = white == NULL || black == NULL ? white == black : strcmp(white, black) == 0;
    return same ? 1 : 2;
}

bool settings_adjudicate(const struct settings *settings) {
    return settings->adjudication.draw_plies > 0 || settings->adjudication.resign_moves > 0;
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

// What is off is left out. `whole`: with the folder of a file.
static json_t *opening_json(const struct settings *settings, bool whole) {
    json_t *root = json_pack("{s:i}", "random_plies", settings->random_plies);
    const struct book_settings *all = &settings->all;
    if (settings->book != NULL) {
        json_object_set_new(root, "book", json_string(whole ? settings->book : last_part(settings->book)));
    } else if (all->plies > 0) {
        json_object_set_new(root, "book", json_sprintf("all:%d", all->plies));
        put_number(root, "margin", (uint64_t)all->margin);
        put_number(root, "depth", (uint64_t)all->depth);
    }
    return root;
}

static json_t *adjudication_json(const struct settings *settings) {
    const struct adjudication *called = &settings->adjudication;
    json_t *root = json_pack("{s:i}", "max_plies", settings->max_plies);
    if (called->draw_plies > 0)
        json_object_set_new(root, "draw",
                            json_sprintf("move=%d,plies=%d,score=%d", called->draw_moves, called->draw_plies,
                                         called->draw_score));
    if (called->resign_moves > 0)
        json_object_set_new(root, "resign",
                            json_sprintf("moves=%d,score=%d", called->resign_moves, called->resign_score));
    if (settings_adjudicate(settings)) put_number(root, "check", (uint64_t)settings->played_out);
    return root;
}

static json_t *game_settings(const struct settings *settings, bool whole) {
    json_t *root = json_object();
    json_object_set_new(root, "variant", json_string(settings->variant->name));
    put_number(root, "seed", settings->seed);
    put_limits(root, &settings->limits);
    put_draws(root, &settings->draws);
    json_object_set_new(root, "opening", opening_json(settings, whole));
    json_object_set_new(root, "adjudication", adjudication_json(settings));
    if (settings->swap_sides) json_object_set_new(root, "swap_sides", json_true());
    put_number(root, "hash", (uint64_t)settings->hash);
    put_number(root, "shard_games", (uint64_t)settings->shard_games);
    return root;
}

static void put_weights(json_t *root, const struct settings *settings) {
    static const char *const keys[2] = {[WHITE] = "white_weights", [BLACK] = "black_weights"};
    const bool both = settings_weights_count(settings) == 1 && !settings->swap_sides;
    if (both && settings->weights[WHITE] == NULL) return;
    for (enum side side = WHITE; side <= BLACK; side++) {
        const char *name = settings->weights[side] != NULL ? settings->weights[side] : "default";
        json_object_set_new(root, both ? "weights" : keys[side], json_string(name));
    }
}

json_t *settings_to_json(const struct settings *settings) {
    json_t *root = game_settings(settings, true);
    put_number(root, "games", settings->games);
    put_number(root, "threads", (uint64_t)settings->threads);
    put_weights(root, settings);
    return root;
}

bool settings_equal(const struct settings *a, const struct settings *b) {
    json_t *one = settings_to_json(a), *other = settings_to_json(b);
    json_object_del(one, "threads");
    json_object_del(other, "threads");
    const bool equal = json_equal(one, other);
    json_decref(one);
    json_decref(other);
    return equal;
}

char *settings_game_json(const struct settings *settings) {
    json_t *root = game_settings(settings, false);
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
    case JSON_TRUE: return memory_text("%s%s%s=yes", outer, dot, key);
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
