// shards.c -- publishes and checks the shards of a run.

#include "selfplay/shards.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/support/file.h"
#include "core/support/memory.h"

#define MOST_SUMS ((size_t)1 << 30)

char *shard_path(const char *folder, uint64_t number, const char *suffix) {
    return memory_text("%s/shard-%06" PRIu64 ".%s", folder, number, suffix);
}

bool shard_name(const char *name, uint64_t *number) {
    int length = 0;
    return sscanf(name, "shard-%" SCNu64 ".h5%n", number, &length) == 1 && length > 0 && name[length] == '\0';
}

static char *sums_path(const char *folder) { return memory_text("%s/shards.sha256", folder); }

// ---- examining ----

bool shards_have_sums(const char *folder) {
    char *path = sums_path(folder);
    const bool exist = file_exists(path);
    free(path);
    return exist;
}

// One line, which may be torn: then it says nothing. The last line about a shard counts.
static void take_line(const char *line, uint64_t first, uint64_t count, struct shard_sum *sums) {
    uint64_t number;
    char sha256[65];
    int length = 0;
    if (sscanf(line, "%64[0-9a-f]  %n", sha256, &length) != 1 || length != 66) return;
    if (!shard_name(line + length, &number) || number < first || number - first >= count) return;
    memcpy(sums[number - first].sha256, sha256, sizeof sha256);
}

static bool read_sums(const char *folder, uint64_t first, uint64_t count, struct shard_sum *sums,
                      struct error *error) {
    char *path = sums_path(folder), *text = NULL, *rest, *line;
    size_t size;
    const bool done = !file_exists(path) || file_read(path, MOST_SUMS, &text, &size, error);
    rest = text;
    while (done && (line = strsep(&rest, "\n")) != NULL) take_line(line, first, count, sums);
    free(text);
    free(path);
    return done;
}

static void examine(const char *folder, uint64_t number, struct shard_sum *sum) {
    char *path = shard_path(folder, number, "h5");
    char found[SHA256_DIGEST_STRING_LENGTH] = "";
    sum->state = SHARD_ABSENT;
    if (file_exists(path)) {
        const bool equal = SHA256File(path, found) != NULL && strcmp(found, sum->sha256) == 0;
        sum->state = equal ? SHARD_WHOLE : *sum->sha256 == '\0' ? SHARD_UNKNOWN : SHARD_DAMAGED;
        if (sum->state == SHARD_UNKNOWN) memcpy(sum->sha256, found, sizeof sum->sha256);
    }
    free(path);
}

bool shards_examine(const char *folder, uint64_t first, uint64_t count, struct shard_sum *sums,
                    struct error *error) {
    memset(sums, 0, count * sizeof *sums);
    if (!read_sums(folder, first, count, sums, error)) return false;
    for (uint64_t i = 0; i < count; i++) examine(folder, first + i, &sums[i]);
    return true;
}

// ---- publishing ----

static char *sum_line(uint64_t number, const char *sha256) {
    return memory_text("%s  shard-%06" PRIu64 ".h5\n", sha256, number);
}

bool shards_rewrite_sums(const char *folder, uint64_t count, const struct shard_sum *sums,
                         struct error *error) {
    char *path = sums_path(folder), *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) abort();
    for (uint64_t i = 0; i < count; i++) {
        if (sums[i].state != SHARD_WHOLE) continue;
        char *line = sum_line(i, sums[i].sha256);
        fputs(line, stream);
        free(line);
    }
    if (fclose(stream) != 0) abort();
    const bool done = file_replace(path, text, size, error);
    free(text);
    free(path);
    return done;
}

bool shards_sort_sums(const char *folder, uint64_t count, struct error *error) {
    struct shard_sum *sums = memory_new(count, sizeof *sums);
    const bool done = read_sums(folder, 0, count, sums, error);
    for (uint64_t i = 0; i < count; i++) sums[i].state = *sums[i].sha256 != '\0' ? SHARD_WHOLE : SHARD_ABSENT;
    const bool written = done && shards_rewrite_sums(folder, count, sums, error);
    free(sums);
    return written;
}

static bool sync_file(int file) {
    int result;
    do result = fsync(file);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

static bool lock_file(int file) {
    int result;
    do result = flock(file, LOCK_EX);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

static bool append_sum(const char *folder, const char *line, struct error *error) {
    char *path = sums_path(folder);
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    const ssize_t length = (ssize_t)strlen(line);
    // The lock is for file systems over a network, where appending is two steps.
    bool done =
        file >= 0 && lock_file(file) && write(file, line, (size_t)length) == length && sync_file(file);
    if (!done) done = error_set(error, "%s: cannot write: %s", path, strerror(errno));
    if (file >= 0) close(file);
    free(path);
    return done;
}

bool shard_add_sum(const char *folder, uint64_t number, const char *sha256, struct error *error) {
    char *line = sum_line(number, sha256);
    const bool done = append_sum(folder, line, error);
    free(line);
    return done;
}

bool shard_publish(const char *folder, uint64_t number, const void *bytes, size_t size, struct error *error) {
    char sha256[SHA256_DIGEST_STRING_LENGTH];
    SHA256Data(bytes, size, sha256);
    char *path = shard_path(folder, number, "h5");
    const bool done = shard_add_sum(folder, number, sha256, error) && file_replace(path, bytes, size, error);
    free(path);
    return done;
}
