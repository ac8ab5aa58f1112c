// loop_config.c -- the keys of a loop, their ranges and what they are when absent, and its sections.

#include "tuner/loop_config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/support/config.h"
#include "core/support/memory.h"
#include "core/support/random.h"
#include "selfplay/match.h"
#include "selfplay/open_shard.h"

enum { MOST_GENERATIONS = 999, MOST_THREADS = 1024, MOST_PATH = 4096 };

// ---- The loop's own keys ----

// A pointer is NULL when its key is absent.
struct loop_keys {
    char *variant, *start, *final_against;
    int64_t *generations, *threads, *window, *patterns_from;
    uint64_t *seed;
    double *accept_los;
    bool *forget_first, *final_match;
};

#define NUMBER(name)  CYAML_FIELD_INT_PTR(#name, CYAML_FLAG_OPTIONAL, struct loop_keys, name)
#define TRUTH(name)   CYAML_FIELD_BOOL_PTR(#name, CYAML_FLAG_OPTIONAL, struct loop_keys, name)
#define PATH(name)    CYAML_FIELD_STRING_PTR(#name, CYAML_FLAG_OPTIONAL, struct loop_keys, name, 1, MOST_PATH)
#define SECTION(name) CYAML_FIELD_IGNORE(#name, CYAML_FLAG_OPTIONAL)

static const cyaml_schema_field_t fields[] = {
    CYAML_FIELD_STRING_PTR("variant", CYAML_FLAG_DEFAULT, struct loop_keys, variant, 1, 64),
    NUMBER(generations),
    CYAML_FIELD_UINT_PTR("seed", CYAML_FLAG_OPTIONAL, struct loop_keys, seed),
    NUMBER(threads),
    PATH(start),
    NUMBER(window),
    TRUTH(forget_first),
    NUMBER(patterns_from),
    CYAML_FIELD_FLOAT_PTR("accept_los", CYAML_FLAG_OPTIONAL, struct loop_keys, accept_los),
    TRUTH(final_match),
    PATH(final_against),
    SECTION(selfplay),
    SECTION(fit),
    SECTION(gate),
    SECTION(final),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct loop_keys, fields),
};

static bool in_range(const struct loop_config *config, const char *key, double value, double least,
                     double most, struct error *error) {
    return config_range(config->path, (const char *const *)config->sets, config->set_count, key, value, least,
                        most, error);
}

static bool take(const struct loop_config *config, const char *key, const int64_t *given, int otherwise,
                 int least, int most, int *value, struct error *error) {
    *value = given != NULL ? (int)*given : otherwise;
    return given == NULL || in_range(config, key, (double)*given, least, most, error);
}

static bool take_variant(struct loop_config *config, const char *name, struct error *error) {
    struct error cause;
    config->variant = variant_find(name, &cause);
    if (config->variant != NULL) return true;
    const char *text = cause.text;  // "variant: no ...": the key is named already
    return config_refuse(config->path, (const char *const *)config->sets, config->set_count, "variant", error,
                         "%s", strncmp(text, "variant: ", 9) == 0 ? text + 9 : text);
}

static bool take_all(struct loop_config *config, const struct loop_keys *keys, struct error *error) {
    config->start = memory_text("%s", keys->start != NULL ? keys->start : "material");
    config->final_against = memory_text("%s", keys->final_against != NULL ? keys->final_against : "material");
    config->seed = keys->seed != NULL ? *keys->seed : 1;
    config->forget_first = keys->forget_first == NULL || *keys->forget_first;
    config->final_match = keys->final_match == NULL || *keys->final_match;
    config->accept_los = keys->accept_los != NULL ? *keys->accept_los : 0.5;
    return take_variant(config, keys->variant, error) &&
           take(config, "generations", keys->generations, 3, 1, MOST_GENERATIONS, &config->generations,
                error) &&
           take(config, "threads", keys->threads, 0, 0, MOST_THREADS, &config->threads, error) &&
           take(config, "window", keys->window, 2, 1, MOST_GENERATIONS, &config->window, error) &&
           take(config, "patterns_from", keys->patterns_from, 2, 1, MOST_GENERATIONS + 1,
                &config->patterns_from, error) &&
           in_range(config, "accept_los", config->accept_los, 0, 1, error);
}

// ---- Sections ----

// What a section is read with: the user's --set and what the loop says.
struct section {
    char *path, **sets;
    int set_count;
};

static struct section section_of(const struct loop_config *config, const char *name) {
    enum { MOST_OWN = 4 };
    struct section section = {
        .path = config_section(config->path, name),
        .sets = memory_new((size_t)config->set_count + MOST_OWN, sizeof *section.sets),
    };
    for (; section.set_count < config->set_count; section.set_count++)
        section.sets[section.set_count] = memory_text("%s", config->sets[section.set_count]);
    return section;
}

static void section_free(struct section *section) {
    for (int i = 0; i < section->set_count; i++) free(section->sets[i]);
    free(section->sets);
    free(section->path);
}

// Takes the set over.
static void section_set(struct section *section, char *set) { section->sets[section->set_count++] = set; }

static const char *const *sets_of(const struct section *section) {
    return (const char *const *)section->sets;
}

// None of these keys, which end with NULL, may be in it.
static bool section_without(const struct section *section, const char *const *keys, const char *whose,
                            struct error *error) {
    for (; *keys != NULL; keys++) {
        if (config_has(section->path, sets_of(section), section->set_count, *keys))
            return config_refuse(section->path, sets_of(section), section->set_count, *keys, error,
                                 "%s, not in this section", whose);
    }
    return true;
}

#define SAID_ONCE "is said for all steps, by the loop's own keys"

// Below 2^63, as numbers of configurations are.
static uint64_t seed_of(const struct loop_config *config, int generation, int step) {
    struct random random = random_stream(config->seed, 8 * (uint64_t)generation + (uint64_t)step);
    return random_bits(&random) >> 1;
}

enum { SELFPLAY_SEED, MATCH_SEED };  // and the next, by enum loop_match

bool loop_selfplay_settings(const struct loop_config *config, int generation, const char *weights,
                            struct settings *settings, struct error *error) {
    static const char *const others[] = {"variant",       "seed",          "threads",    "weights",
                                         "white_weights", "black_weights", "swap_sides", NULL};
    struct section section = section_of(config, "selfplay");
    bool done = section_without(&section, others, SAID_ONCE, error);
    section_set(&section, memory_text("selfplay.variant=%s", config->variant->name));
    section_set(&section, memory_text("selfplay.seed=%" PRIu64, seed_of(config, generation, SELFPLAY_SEED)));
    section_set(&section, memory_text("selfplay.weights=%s", weights));
    done = done && settings_read(section.path, sets_of(&section), section.set_count, settings, error);
    section_free(&section);
    return done;
}

bool loop_fit_config(const struct loop_config *config, int generation, struct fit_config *fit,
                     struct error *error) {
    static const char *const others[] = {"threads", NULL};
    struct section section = section_of(config, "fit");
    const bool done = section_without(&section, others, SAID_ONCE, error) &&
                      fit_config_read(section.path, sets_of(&section), section.set_count, fit, error);
    section_free(&section);
    if (done && generation < config->patterns_from) fit->settings.l2[GROUP_PATTERN] = HELD;
    return done;
}

static const char *const match_sections[] = {[LOOP_GATE] = "gate", [LOOP_FINAL] = "final"};

bool loop_match_settings(const struct loop_config *config, enum loop_match which, int generation,
                         const struct loop_side sides[static 2], struct match_settings *settings,
                         struct error *error) {
    static const char *const others[] = {"variant", "seed", "threads", "engines", "tournament", NULL};
    struct section section = section_of(config, match_sections[which]);
    struct engine_words engines[2];
    for (int i = 0; i < 2; i++)
        engines[i] =
            (struct engine_words){.name = (char *)sides[i].name, .weights = (char *)sides[i].weights};
    char *variant = memory_text("%s", config->variant->name),
         *seed = memory_text("%" PRIu64, seed_of(config, generation, MATCH_SEED + (int)which));
    const struct match_words words = {
        .variant = variant, .seed = seed, .engines = engines, .engines_count = 2};
    const bool done =
        section_without(&section, others, SAID_ONCE, error) &&
        match_settings_read(section.path, sets_of(&section), section.set_count, &words, settings, error);
    free(variant);
    free(seed);
    section_free(&section);
    return done;
}

int loop_first_fitted(const struct loop_config *config, int generation) {
    const int first = generation - config->window + 1;
    const int least = config->forget_first && generation > 1 ? 2 : 1;
    return first > least ? first : least;
}

// ---- Before anything is played ----

static bool try_selfplay(const struct loop_config *config, struct error *error) {
    struct settings settings;
    if (!loop_selfplay_settings(config, 1, config->start, &settings, error)) return false;
    bool done = true;
    if (settings.book != NULL) {
        struct opening_list *book =
            opening_list_read(settings.book, settings.variant, &settings.draws, error);
        done = book != NULL;
        opening_list_free(book);
    }
    settings_free(&settings);
    return done;
}

// Which games are held out follows from their numbers: of a few there may be none, and no fit is possible.
static bool try_split(const struct loop_config *config, int generation, struct error *error) {
    struct fit_config fit;
    if (!loop_fit_config(config, generation, &fit, error)) return false;
    const enum split_by by = fit.settings.choice.split_by;
    fit_config_free(&fit);
    struct settings settings;
    if (by != SPLIT_BY_GAME) return true;
    if (!loop_selfplay_settings(config, generation, config->start, &settings, error)) return false;
    bool found[PART_COUNT] = {false};
    for (uint64_t id = 0; id < settings.games && !(found[SPLIT_TRAIN] && found[SPLIT_VALIDATION]); id++) {
        struct random random = random_stream(settings.seed, id);
        found[draw_split(&random)] = true;
    }
    const bool done = (found[SPLIT_TRAIN] && found[SPLIT_VALIDATION]) ||
                      error_set(error,
                                "%s: selfplay: games: of the %" PRIu64
                                " games of generation %d none would be left to %s: more are needed",
                                config->path, settings.games, generation,
                                found[SPLIT_TRAIN] ? "validate with" : "train on");
    settings_free(&settings);
    return done;
}

static bool try_splits(const struct loop_config *config, struct error *error) {
    for (int generation = 1; generation <= config->generations; generation++)
        if (!try_split(config, generation, error)) return false;
    return true;
}

static bool try_weights(const struct loop_config *config, const char *name, struct error *error) {
    struct weights weights;
    if (!weights_get(name, config->variant, &weights, error)) return false;
    weights_free(&weights);
    return true;
}

static bool try_fit(const struct loop_config *config, struct error *error) {
    struct fit_config fit;
    if (!loop_fit_config(config, 1, &fit, error)) return false;
    const bool done =
        fit.start == NULL || strcmp(fit.start, "accepted") == 0 || try_weights(config, fit.start, error);
    fit_config_free(&fit);
    return done;
}

static bool try_match(const struct loop_config *config, enum loop_match which, const char *old,
                      struct error *error) {
    struct match_settings settings;
    const struct loop_side sides[2] = {{"new", config->start}, {"old", old}};
    if (!loop_match_settings(config, which, 1, sides, &settings, error)) return false;
    const bool done = match_settings_load(&settings, error) && match_check_memory(&settings, error);
    match_settings_free(&settings);
    return done;
}

// ---- All of it ----

// A pipe is empty when the sections are read.
static bool is_lasting(const char *path, struct error *error) {
    struct stat found;
    return stat(path, &found) != 0 || S_ISREG(found.st_mode) ||
           error_set(error, "%s: expected a regular file, not a pipe or a device", path);
}

static bool read_own(struct loop_config *config, struct error *error) {
    void *keys;
    if (!is_lasting(config->path, error)) return false;
    if (!config_read(config->path, (const char *const *)config->sets, config->set_count, &schema, &keys,
                     error)) {
        return false;
    }
    const bool done = take_all(config, keys, error);
    config_free(&schema, keys);
    return done;
}

bool loop_config_read(const char *path, const char *const *sets, int set_count, struct loop_config *config,
                      struct error *error) {
    *config = (struct loop_config){
        .path = memory_text("%s", path),
        .sets = memory_new((size_t)set_count + 1, sizeof *config->sets),
    };
    for (; config->set_count < set_count; config->set_count++)
        config->sets[config->set_count] = memory_text("%s", sets[config->set_count]);
    const bool done = read_own(config, error) && try_weights(config, config->start, error) &&
                      try_selfplay(config, error) && try_splits(config, error) && try_fit(config, error) &&
                      try_match(config, LOOP_GATE, config->start, error) &&
                      (!config->final_match || try_match(config, LOOP_FINAL, config->final_against, error));
    if (!done) loop_config_free(config);
    return done;
}

void loop_config_free(struct loop_config *config) {
    for (int i = 0; i < config->set_count; i++) free(config->sets[i]);
    free(config->sets);
    free(config->path);
    free(config->start);
    free(config->final_against);
    *config = (struct loop_config){0};
}
