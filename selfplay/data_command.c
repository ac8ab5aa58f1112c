// data_command.c -- what the commands of huff-data share.

#include "selfplay/data_command.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/support/file.h"
#include "core/support/memory.h"
#include "core/support/progress.h"
#include "selfplay/verify.h"

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct data_paths *paths = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &paths->common; return 0;
    case ARGP_KEY_ARG: options_append(&paths->paths, &paths->count, argument); return 0;
    case ARGP_KEY_END:
        if (paths->count == 0) argp_error(state, "expected a dataset: a file or the folder of a run");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&options_common, 0, NULL, 0}, {0}};
const struct argp data_paths_argp = {.parser = parse, .children = children};

bool data_each_folder(const struct data_paths *paths, data_folder_action *act, void *context,
                      struct error *error) {
    for (int i = 0; i < paths->count; i++) {
        struct stat status;
        if (stat(paths->paths[i], &status) == 0 && S_ISDIR(status.st_mode) &&
            !act(paths->paths[i], context, error)) {
            return false;
        }
    }
    return true;
}

bool data_check_variant(const struct data_paths *paths, const struct dataset *dataset, struct error *error) {
    if (paths->common.variant == NULL) return true;
    const struct variant *expected = variant_find(paths->common.variant, error);
    return expected != NULL && (dataset_variant(dataset) == expected ||
                                error_set(error, "%s: holds games of %s, not of %s", paths->paths[0],
                                          dataset_variant(dataset)->name, expected->name));
}

struct dataset *data_open_quietly(const struct data_paths *paths, struct error *error) {
    if (paths->common.variant != NULL && variant_find(paths->common.variant, error) == NULL) return NULL;
    struct dataset *dataset = dataset_open(paths->paths, paths->count, error);
    if (dataset == NULL || data_check_variant(paths, dataset, error)) return dataset;
    dataset_close(dataset);
    return NULL;
}

static void warn(void *context, const char *text) {
    (void)context;
    fprintf(stderr, "huff-data: warning: %s\n", text);
}

static bool warn_of_missing(const char *folder, void *context, struct error *error) {
    (void)error;
    verify_missing_shards(folder, warn, context);
    return true;
}

struct dataset *data_open(const struct data_paths *paths, struct error *error) {
    struct dataset *dataset = data_open_quietly(paths, error);
    if (dataset == NULL) return NULL;
    (void)!data_each_folder(paths, warn_of_missing, NULL, error);
    verify_repeated_files(dataset, warn, NULL);
    return dataset;
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

bool data_sample_range(const char *name, const char *text, int most, struct sample_range *range,
                       struct error *error) {
    struct data_range read;
    if (!data_range_parse(name, text, 0, most, &read, error)) return false;
    *range = (struct sample_range){(int)read.least, (int)read.most};
    return true;
}

bool data_results_parse(char *list, bool results[static 3], struct error *error) {
    static const char *const names[] = {"black", "draw", "white"};
    memset(results, 0, 3 * sizeof *results);
    for (char *name; (name = strsep(&list, ",")) != NULL;) {
        int i = 0;
        while (i < 3 && strcmp(name, names[i]) != 0) i++;
        if (i == 3)
            return error_set(error, "--result: expected some of white,draw,black, got \"%.80s\"", name);
        results[i] = true;
    }
    return true;
}

static bool cannot_write(const char *output, struct error *error) {
    return error_set(error, "%s: cannot write: %s", output != NULL ? output : "standard output",
                     strerror(errno));
}

// By system calls: a signal must not be taken for a full disk. A pipe that is ready takes PIPE_BUF bytes
// without waiting for its reader.
bool data_write_text(const char *output, int file, const char *text, struct error *error) {
    for (size_t size = strlen(text); size > 0;) {
        ssize_t written = -1;
        if (interruptible_wait(file, POLLOUT, INFINITY))
            written = write(file, text, size < PIPE_BUF ? size : PIPE_BUF);
        if (written < 0 && interrupted()) return error_set(error, "interrupted");
        if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (written < 0) return cannot_write(output, error);
        text += written;
        size -= (size_t)written;
    }
    return true;
}

bool data_write(const char *output, data_writing *write, void *context, struct error *error) {
    if (output == NULL) return write(context, STDOUT_FILENO, error);
    if (!file_check_output(output, error)) return false;
    char *target = file_target(output), *temporary = memory_text("%s.tmp-%ld", target, (long)getpid());
    const int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool done = file >= 0 || cannot_write(output, error);
    if (done) {
        done = write(context, file, error);
        if (close(file) != 0 && errno != EINTR && done) done = cannot_write(output, error);
        done = done && file_publish(temporary, target, error);
        if (!done) unlink(temporary);
    }
    free(temporary);
    free(target);
    return done;
}

int data_end(struct data_paths *paths, bool done, const struct error *error) {
    free(paths->paths);
    return done ? EXIT_DONE : options_fail("huff-data", EXIT_FAILED, error);
}
