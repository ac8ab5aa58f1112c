// origin.c -- joins what files say of themselves.

#include "selfplay/origin.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/memory.h"

enum { MOST_ENGINES = 256 };

// ---- engines ----

// The list of a file; one that is too old to have it names what it knows.
static json_t *engines_of(const struct dataset_info *info) {
    json_t *engines = info->engines != NULL ? json_loads(info->engines, 0, NULL) : NULL;
    if (json_is_array(engines)) return engines;
    json_decref(engines);
    return json_pack("[{s:s, s:s}]", "name", info->engine, "weights_sha256", info->weights_sha256);
}

// The place in the list, where it is put when it is new.
static size_t put_engine(json_t *all, json_t *engine) {
    for (size_t i = 0; i < json_array_size(all); i++) {
        if (json_equal(json_array_get(all, i), engine)) return i;
    }
    json_array_append(all, engine);
    return json_array_size(all) - 1;
}

// So too, but those for which a column has no number are "others" (imported games may be of many players).
static uint8_t place_of(json_t *all, json_t *engine, json_t *others) {
    const size_t place = put_engine(all, engine);
    if (place < MOST_ENGINES - 1 || json_equal(engine, others)) return (uint8_t)place;
    json_array_remove(all, place);
    return (uint8_t)put_engine(all, others);
}

static void join_engines(struct origin *origin, struct dataset *dataset) {
    const int files = dataset_file_count(dataset);
    json_t *all = json_array(), *others = json_pack("{s:s}", "name", "others");
    origin->engine = memory_new((size_t)files, sizeof *origin->engine);
    for (int i = 0; i < files; i++) {
        json_t *engines = engines_of(&dataset_file(dataset, i)->info), *engine;
        size_t number;
        json_array_foreach(engines, number, engine) {
            if (number < MOST_ENGINES) origin->engine[i][number] = place_of(all, engine, others);
        }
        json_decref(engines);
    }
    origin->engines = json_dumps(all, JSON_COMPACT);
    json_decref(others);
    json_decref(all);
}

// ---- runs ----

static bool same_text(const char *one, const char *other) {
    return one == other || (one != NULL && other != NULL && strcmp(one, other) == 0);
}

static bool same_run(const struct dataset_info *a, const struct dataset_info *b) {
    return a->seed == b->seed && same_text(a->engine, b->engine) && same_text(a->limit, b->limit) &&
           same_text(a->weights_sha256, b->weights_sha256) && same_text(a->config, b->config) &&
           same_text(a->engines, b->engines) && same_text(a->origin, b->origin) &&
           same_text(a->sample, b->sample);
}

static void set_parsed(json_t *object, const char *key, const char *text) {
    json_t *value = text != NULL ? json_loads(text, 0, NULL) : NULL;
    if (value != NULL) json_object_set_new(object, key, value);
}

static json_t *run_to_json(const struct dataset_info *info, uint64_t games) {
    json_t *run = json_pack("{s:I, s:I, s:I, s:s, s:s, s:s}", "first_game", (json_int_t)info->first_game,
                            "games", (json_int_t)games, "seed", (json_int_t)info->seed, "engine",
                            info->engine, "limit", info->limit, "weights_sha256", info->weights_sha256);
    set_parsed(run, "config", info->config);
    set_parsed(run, "engines", info->engines);
    set_parsed(run, "origin", info->origin);
    set_parsed(run, "sample", info->sample);
    return run;
}

static char *runs_of(struct dataset *dataset) {
    json_t *runs = json_array();
    for (int i = 0; i < dataset_file_count(dataset);) {
        const struct dataset_info *info = &dataset_file(dataset, i)->info;
        uint64_t games = 0;
        for (; i < dataset_file_count(dataset) && same_run(info, &dataset_file(dataset, i)->info); i++)
            games += dataset_file(dataset, i)->games;
        json_array_append_new(runs, run_to_json(info, games));
    }
    char *text = json_dumps(runs, JSON_COMPACT);
    json_decref(runs);
    return text;
}

// ---- all ----

static const char *common(const char *one, const char *other, const char *several) {
    return same_text(one, other) ? one : several;
}

static bool join(struct dataset_info *info, const struct dataset_file *first, const struct dataset_file *file,
                 struct error *error) {
    const struct dataset_info *other = &file->info;
    if (!same_text(info->rules, other->rules))
        return error_set(error, "%s: its games were played by other draw rules than those of %s", file->path,
                         first->path);
    info->engine = common(info->engine, other->engine, "several");
    info->weights_sha256 = common(info->weights_sha256, other->weights_sha256, "several");
    info->limit = common(info->limit, other->limit, "several");
    info->config = common(info->config, other->config, "{}");
    if (info->seed != other->seed) info->seed = 0;
    return true;
}

bool origin_init(struct origin *origin, struct dataset *dataset, struct error *error) {
    const struct dataset_file *first = dataset_file(dataset, 0);
    *origin = (struct origin){.info = first->info};
    bool done = true;
    for (int i = 1; i < dataset_file_count(dataset) && done; i++)
        done = join(&origin->info, first, dataset_file(dataset, i), error);
    if (done) {
        join_engines(origin, dataset);
        origin->info.engines = origin->engines;
        origin->info.origin = origin->runs = runs_of(dataset);
        origin->info.sample = NULL;
    } else {
        origin_free(origin);
    }
    return done;
}

void origin_free(struct origin *origin) {
    free(origin->engine);
    free(origin->engines);
    free(origin->runs);
    *origin = (struct origin){0};
}
