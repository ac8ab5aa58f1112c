// pdn_file.c -- PDN from the disk.

#include "core/pdn_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/support/memory.h"

struct pdn_file {
    char *path;
    int descriptor;
    int failure;  // an errno, or 0
    struct pdn_reader *reader;
};

static size_t read_more(void *context, char *to, size_t room) {
    struct pdn_file *file = context;
    ssize_t got;
    do got = read(file->descriptor, to, room);
    while (got < 0 && errno == EINTR);
    if (got < 0) file->failure = errno;
    return got < 0 ? 0 : (size_t)got;
}

struct pdn_file *pdn_file_open(const char *path, const struct pdn_settings *settings, struct error *error) {
    const int descriptor = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        error_set(error, "%s: %s", path, strerror(errno));
        return NULL;
    }
    struct pdn_file *file = memory_new(1, sizeof *file);
    file->path = memory_text("%s", path);
    file->descriptor = descriptor;
    file->reader = pdn_reader_new_stream(path, read_more, file, settings);
    return file;
}

void pdn_file_close(struct pdn_file *file) {
    if (file == NULL) return;
    pdn_reader_free(file->reader);
    if (file->descriptor != STDIN_FILENO) close(file->descriptor);
    free(file->path);
    free(file);
}

bool pdn_file_read(struct pdn_file *file, struct pdn_game *game) { return pdn_read(file->reader, game); }

bool pdn_file_failed(const struct pdn_file *file, struct error *error) {
    return file->failure != 0 && !error_set(error, "%s: %s", file->path, strerror(file->failure));
}

struct pdn_counts pdn_file_counts(const struct pdn_file *file) {
    return pdn_reader_counts(file->reader);
}
