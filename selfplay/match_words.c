// match_words.c -- the words of a match to JSON and back.

#include "selfplay/match_words.h"

#include <stdlib.h>
#include <string.h>

#include "core/support/memory.h"

// ---- UTF-8

static bool check_word(const char *outer, const char *key, const char *word, struct error *error) {
    json_t *string = word != NULL ? json_string(word) : json_null();
    json_decref(string);
    if (string != NULL) return true;
    const struct quote quote = error_quote(word, strlen(word));
    error_set(error, "%s%s: expected UTF-8, got \"%s\"", outer, key, quote.text);
    for (char *at = error->text; *at != ':'; at++) {
        if (*at == '_') *at = '-';
    }
    return false;
}

static bool check_engine(const struct engine_words *words, struct error *error) {
#define X(key) \
    if (!check_word("--engine: ", #key, words->key, error)) return false;
    FOR_EACH_ENGINE_KEY(X)
#undef X
    for (uint32_t i = 0; i < words->options_count; i++) {
        if (!check_word("--engine: ", "option", words->options[i], error)) return false;
    }
    return true;
}

static bool check_sprt(const struct sprt_words *words, struct error *error) {
#define X(key) \
    if (!check_word("--sprt: ", #key, words->key, error)) return false;
    FOR_EACH_SPRT_KEY(X)
#undef X
    return true;
}

bool match_words_check(const struct match_words *options, struct error *error) {
#define X(key, ...) \
    if (!check_word("--", #key, options->key, error)) return false;
    FOR_EACH_COMMON_KEY(X)
    FOR_EACH_MATCH_KEY(X)
#undef X
    for (uint32_t i = 0; i < options->engines_count; i++) {
        if (!check_engine(&options->engines[i], error)) return false;
    }
    return options->sprt == NULL || check_sprt(options->sprt, error);
}

// ---- to JSON

static void put(json_t *root, const char *key, const char *word) {
    if (word != NULL) json_object_set_new(root, key, json_string(word));
}

static json_t *engines_to_json(const struct match_words *words) {
    json_t *array = json_array();
    for (uint32_t i = 0; i < words->engines_count; i++) {
        json_t *root = json_object();
#define X(key) put(root, #key, words->engines[i].key);
        FOR_EACH_ENGINE_KEY(X)
#undef X
        json_t *options = json_array();
        for (uint32_t k = 0; k < words->engines[i].options_count; k++)
            json_array_append_new(options, json_string(words->engines[i].options[k]));
        json_object_set_new(root, "options", options);
        json_array_append_new(array, root);
    }
    return array;
}

static json_t *sprt_to_json(const struct sprt_words *words) {
    json_t *root = json_object();
#define X(key) put(root, #key, words->key);
    FOR_EACH_SPRT_KEY(X)
#undef X
    return root;
}

bool match_words_limit(const struct match_words *words) {
    return words->nodes != NULL || words->depth != NULL || words->movetime != NULL || words->tc != NULL;
}

// Options replace the keys of the file, a limit the limit of whatever kind.
static struct match_words combine(const struct match_words *options, const struct match_words *file) {
    struct match_words words = *file;
    if (match_words_limit(options)) words.nodes = words.depth = words.movetime = words.tc = NULL;
#define X(key, ...) \
    if (options->key != NULL) words.key = options->key;
    FOR_EACH_COMMON_KEY(X)
    FOR_EACH_MATCH_KEY(X)
#undef X
    if (options->engines_count > 0) {
        words.engines = options->engines;
        words.engines_count = options->engines_count;
    }
    if (options->sprt != NULL) words.sprt = options->sprt;
    words.threads = NULL;
    return words;
}

json_t *match_words_to_json(const struct match_words *options, const struct match_words *file) {
    const struct match_words words = combine(options, file);
    json_t *root = json_object();
#define X(key, ...) put(root, #key, words.key);
    FOR_EACH_COMMON_KEY(X)
    FOR_EACH_MATCH_KEY(X)
#undef X
    json_object_set_new(root, "engines", engines_to_json(&words));
    if (words.sprt != NULL) json_object_set_new(root, "sprt", sprt_to_json(words.sprt));
    return root;
}

// ---- and back

struct reader {
    json_t *root;
    const char *bad;  // key of a value that is no text
};

static char *get(struct reader *reader, const char *key) {
    const json_t *value = json_object_get(reader->root, key);
    if (value != NULL && !json_is_string(value)) reader->bad = key;
    return (char *)json_string_value(value);
}

static void engines_from_json(const json_t *array, struct match_words *words, const char **bad) {
    words->engines_count = (uint32_t)json_array_size(array);
    words->engines = memory_new(words->engines_count + 1, sizeof *words->engines);
    for (uint32_t i = 0; i < words->engines_count; i++) {
        struct reader reader = {.root = json_array_get(array, i), .bad = *bad};
#define X(key) words->engines[i].key = get(&reader, #key);
        FOR_EACH_ENGINE_KEY(X)
#undef X
        json_t *option, *options = json_object_get(reader.root, "options");
        size_t k;
        json_array_foreach(options, k, option) {
            if (!json_is_string(option) || k == MOST_ENGINE_OPTIONS) reader.bad = "options";
            if (reader.bad != NULL) break;
            words->engines[i].options[words->engines[i].options_count++] = (char *)json_string_value(option);
        }
        *bad = reader.bad;
    }
}

static void sprt_from_json(json_t *root, struct match_words *words, const char **bad) {
    if (root == NULL) return;
    words->sprt = memory_new(1, sizeof *words->sprt);
    struct reader reader = {.root = root, .bad = *bad};
#define X(key) words->sprt->key = get(&reader, #key);
    FOR_EACH_SPRT_KEY(X)
#undef X
    *bad = reader.bad;
}

bool match_words_from_json(json_t *root, struct match_words *words, struct error *error) {
    *words = (struct match_words){0};
    struct reader reader = {.root = root};
#define X(key, ...) words->key = get(&reader, #key);
    FOR_EACH_COMMON_KEY(X)
    FOR_EACH_MATCH_KEY(X)
#undef X
    engines_from_json(json_object_get(root, "engines"), words, &reader.bad);
    sprt_from_json(json_object_get(root, "sprt"), words, &reader.bad);
    if (reader.bad == NULL) return true;
    match_words_free(words);
    return error_set(error, "%s: expected a text", reader.bad);
}

void match_words_free(struct match_words *words) {
    free(words->engines);
    free(words->sprt);
    *words = (struct match_words){0};
}
