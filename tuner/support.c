// support.c -- the support of weights to JSON and back.

#include "tuner/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/file.h"
#include "core/support/memory.h"
#include "core/support/options.h"

enum { MOST_BYTES = 64 << 20 };

static json_t *group_to_json(const struct variant *variant, enum term_group group, const uint64_t *support) {
    const struct term_group_info *info = &term_groups[group];
    support += info->first;
    if (info->count == 1) return json_integer((json_int_t)support[0]);
    if (group != GROUP_PATTERN) {
        json_t *squares = json_array();
        for (int i = 0; i < board_squares(variant->rules->width); i++)
            json_array_append_new(squares, json_integer((json_int_t)support[i]));
        return squares;
    }
    json_t *views = json_object();
    for (int i = 0; i < info->count; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        if (support[i] > 0) json_object_set_new(views, number, json_integer((json_int_t)support[i]));
    }
    return views;
}

json_t *support_to_json(const struct variant *variant, const uint64_t *support) {
    json_t *root = json_object();
    for (int group = 0; group < GROUP_COUNT; group++)
        json_object_set_new(root, term_groups[group].name,
                            group_to_json(variant, (enum term_group)group, support));
    return root;
}

bool support_write(const char *path, const struct weights *weights, const uint64_t *support,
                   struct error *error) {
    json_t *root = json_pack("{s:s, s:s, s:o}", "variant", weights->variant->name, "sha256", weights->sha256,
                             "support", support_to_json(weights->variant, support));
    char *text = json_dumps(root, JSON_COMPACT);
    const bool done = file_replace(path, text, strlen(text), error);
    free(text);
    json_decref(root);
    return done;
}

static bool take(const json_t *value, uint64_t *support) {
    if (!json_is_integer(value) || json_integer_value(value) < 0) return false;
    *support = (uint64_t)json_integer_value(value);
    return true;
}

// A number, an array by square, or an object by view.
static bool group_from_json(json_t *value, const struct term_group_info *info, uint64_t *support) {
    support += info->first;
    if (info->count == 1) return take(value, support);
    bool good = json_is_array(value) ? json_array_size(value) <= (size_t)info->count : json_is_object(value);
    size_t i;
    json_t *entry;
    json_array_foreach(value, i, entry) good = good && take(entry, &support[i]);
    const char *key;
    json_object_foreach(value, key, entry) {
        int number;
        good = good && options_int("view", key, 0, info->count - 1, &number, NULL) &&
               take(entry, &support[number]);
    }
    return good;
}

static bool from_json(json_t *root, const struct weights *weights, uint64_t *support, struct error *error) {
    const char *sha256 = json_string_value(json_object_get(root, "sha256"));
    json_t *groups = json_object_get(root, "support");
    if (sha256 == NULL || !json_is_object(groups))
        return error_set(error, "does not say how often weights were seen");
    if (strcmp(sha256, weights->sha256) != 0) return error_set(error, "is about other weights");
    for (int group = 0; group < GROUP_COUNT; group++) {
        const struct term_group_info *info = &term_groups[group];
        if (!group_from_json(json_object_get(groups, info->name), info, support))
            return error_set(error, "support.%s: expected whole numbers", info->name);
    }
    return true;
}

bool support_read(const char *path, const struct weights *weights, uint64_t *support, struct error *error) {
    char *text;
    size_t size;
    if (!file_read(path, MOST_BYTES, &text, &size, error)) return false;
    json_error_t cause;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &cause);
    free(text);
    if (root == NULL) return error_set(error, "%s:%d: %s", path, cause.line, cause.text);
    const bool done = from_json(root, weights, support, error) || error_prefix(error, "%s", path);
    json_decref(root);
    return done;
}
