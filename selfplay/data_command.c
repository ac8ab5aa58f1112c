// data_command.c -- what the commands of huff-data share.

#include "selfplay/data_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/memory.h"

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct data_paths *paths = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &paths->common; return 0;
    case ARGP_KEY_ARG:
        paths->paths = memory_grow(paths->paths, (size_t)paths->count + 1, sizeof *paths->paths);
        paths->paths[paths->count++] = argument;
        return 0;
    case ARGP_KEY_END:
        if (paths->count == 0) argp_error(state, "expected a dataset: a file or the folder of a run");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&options_common, 0, NULL, 0}, {0}};
const struct argp data_paths_argp = {.parser = parse, .children = children};

struct dataset *data_open(const struct data_paths *paths, struct error *error) {
    const char *name = paths->common.variant;
    const struct variant *expected = name != NULL ? variant_find(name, error) : NULL;
    if (name != NULL && expected == NULL) return NULL;
    struct dataset *dataset = dataset_open(paths->paths, paths->count, error);
    if (dataset == NULL || expected == NULL || dataset_variant(dataset) == expected) return dataset;
    error_set(error, "%s: holds games of %s, not of %s", paths->paths[0], dataset_variant(dataset)->name,
              expected->name);
    dataset_close(dataset);
    return NULL;
}

bool data_range_parse(const char *name, const char *text, int64_t least, int64_t most,
                      struct data_range *range, struct error *error) {
    const char *dash = strchr(text, '-');
    char *from = memory_text("%.*s", dash != NULL ? (int)(dash - text) : (int)strlen(text), text);
    const char *to = dash != NULL ? dash + 1 : from;
    *range = (struct data_range){least, most};
    const bool empty = *from == '\0' && *to == '\0';
    bool done = !empty && (*from == '\0' || options_number(name, from, least, most, &range->least, error)) &&
                (*to == '\0' || options_number(name, to, least, most, &range->most, error));
    if (empty) error_set(error, "%s: expected a range as 20-60, 20- or -60, got \"%.80s\"", name, text);
    if (done && range->least > range->most)
        done = error_set(error, "%s: %" PRId64 " is more than %" PRId64, name, range->least, range->most);
    free(from);
    return done;
}

int data_end(struct data_paths *paths, bool done, const struct error *error) {
    free(paths->paths);
    return done ? EXIT_DONE : options_fail("huff-data", EXIT_FAILED, error);
}
