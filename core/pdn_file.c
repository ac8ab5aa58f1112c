// pdn_file.c -- PDN from the disk.

#include "core/pdn_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/support/memory.h"
#include "core/support/progress.h"

enum { BEGINNING = 1 << 18 };

struct pdn_file {
    char *name;  // for reports
    int descriptor;
    uint64_t bytes;
    bool failed;  // to read, and why
    struct error cause;
    char *beginning;  // what is read before there is a reader
    size_t begun, used;
    struct pdn_reader *reader;
};

// ---- bytes ----

static size_t read_bytes(struct pdn_file *file, char *to, size_t room) {
    ssize_t got = -1;
    do {
        if (interruptible_wait(file->descriptor, POLLIN, INFINITY)) got = read(file->descriptor, to, room);
    } while (got < 0 && (errno == EINTR || errno == EAGAIN) && !interrupted());
    if (got < 0) {
        file->failed = true;
        if (interrupted())
            error_set(&file->cause, "interrupted");
        else
            error_set(&file->cause, "%s: cannot read: %s", file->name, strerror(errno));
        return 0;
    }
    file->bytes += (uint64_t)got;
    return (size_t)got;
}

static size_t read_more(void *context, char *to, size_t room) {
    struct pdn_file *file = context;
    const size_t left = file->begun - file->used, size = left < room ? left : room;
    if (size == 0) return read_bytes(file, to, room);
    memcpy(to, file->beginning + file->used, size);
    file->used += size;
    return size;
}

static void read_beginning(struct pdn_file *file) {
    file->beginning = memory_new(BEGINNING, 1);
    for (size_t more = 1; more > 0 && file->begun < BEGINNING; file->begun += more)
        more = read_bytes(file, file->beginning + file->begun, BEGINNING - file->begun);
}

// ---- what kind of file it is ----

static bool has_text(const struct pdn_file *file, const char *text) {
    return memmem(file->beginning, file->begun, text, strlen(text)) != NULL;
}

static const struct variant *guess_variant(const struct pdn_file *file, const struct pdn_settings *settings) {
    if (has_text(file, "[GameType") || has_text(file, "[Variant")) return NULL;
    struct error why;
    const struct variant *variant = pdn_guess(file->beginning, file->begun, &why);
    error_prefix(&why, "%.200s", file->name);
    if (settings->report != NULL) settings->report(settings->context, why.text);
    return variant;
}

static bool begin_reading(struct pdn_file *file, const struct pdn_settings *settings, struct error *error) {
    read_beginning(file);
    if (pdn_file_failed(file, error)) return false;
    if (!pdn_check_encoding(file->beginning, file->begun, error))
        return error_prefix(error, "%s", file->name);
    struct pdn_settings reading = *settings;
    if (reading.guess && reading.variant == NULL) reading.variant = guess_variant(file, settings);
    file->reader = pdn_reader_new_stream(file->name, read_more, file, &reading);
    return true;
}

// ---- files ----

struct pdn_file *pdn_file_open(const char *path, const struct pdn_settings *settings, struct error *error) {
    const bool standard = strcmp(path, "-") == 0;
    // A pipe is waited for when it is read, not here.
    const int descriptor = standard ? STDIN_FILENO : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) {
        error_set(error, "%s: %s", path, strerror(errno));
        return NULL;
    }
    struct pdn_file *file = memory_new(1, sizeof *file);
    file->name = memory_text("%s", standard ? "standard input" : path);
    file->descriptor = descriptor;
    if (begin_reading(file, settings, error)) return file;
    pdn_file_close(file);
    return NULL;
}

void pdn_file_close(struct pdn_file *file) {
    if (file == NULL) return;
    pdn_reader_free(file->reader);
    if (file->descriptor != STDIN_FILENO) close(file->descriptor);
    free(file->beginning);
    free(file->name);
    free(file);
}

bool pdn_file_read(struct pdn_file *file, struct pdn_game *game) {
    if (!pdn_read(file->reader, game)) return false;
    if (file->failed) pdn_game_free(game);
    return !file->failed;
}

bool pdn_file_failed(const struct pdn_file *file, struct error *error) {
    if (file->failed) error_set(error, "%s", file->cause.text);
    return file->failed;
}

struct pdn_counts pdn_file_counts(const struct pdn_file *file) {
    return pdn_reader_counts(file->reader);
}

uint64_t pdn_file_bytes(const struct pdn_file *file) { return file->bytes; }
