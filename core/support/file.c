// file.c -- files that are whole or absent, after a crash too.

#include "core/support/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/support/memory.h"
#include "core/support/progress.h"

#define TEMPORARY ".tmp-"  // after the name of the file it is to become

enum { FIRST_READ = 1 << 16 };

// Signals (progress.h) interrupt system calls; none of these may be left half done.
static int open_file(const char *path, int flags, mode_t mode) {
    int fd;
    do fd = open(path, flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR);
    return fd;
}

bool file_write(int file, const void *data, size_t size) {
    for (const char *at = data; size > 0;) {
        const ssize_t written = write(file, at, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        at += written;
        size -= (size_t)written;
    }
    return true;
}

static bool sync_file(int fd) {
    int result;
    do result = fsync(fd);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

// Closing keeps errno, so that the first failure is the one reported.
static void close_quietly(int fd) {
    const int cause = errno;
    close(fd);
    errno = cause;
}

static bool sync_path(const char *path, int flags) {
    const int fd = open_file(path, O_RDONLY | flags, 0);
    if (fd < 0) return false;
    const bool done = sync_file(fd);
    close_quietly(fd);
    return done;
}

// The entry in the folder is data of the folder. A file system that cannot sync a folder says EINVAL.
static bool sync_folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    char *folder = length == 0 ? memory_text(".") : memory_text("%.*s", (int)length, path);
    const bool done = sync_path(folder, O_DIRECTORY) || errno == EINVAL;
    free(folder);
    return done;
}

// A new file beside `path`; *name is freed by the caller. The number of the process keeps two programs apart,
// the attempt two threads, or what an earlier process of that number left.
static int open_temporary(const char *path, mode_t mode, char **name) {
    for (int attempt = 0;; attempt++) {
        *name = memory_text("%s" TEMPORARY "%ld-%d", path, (long)getpid(), attempt);
        const int fd = open_file(*name, O_WRONLY | O_CREAT | O_EXCL, mode);
        if (fd >= 0 || errno != EEXIST || attempt == 99) return fd;
        free(*name);
    }
}

static bool write_and_rename(const char *path, const struct stat *old, const void *data, size_t size) {
    char *name;
    const int fd = open_temporary(path, 0666, &name);
    bool done = fd >= 0;
    if (done) {
        done = (old == NULL || fchmod(fd, old->st_mode & 07777) == 0) && file_write(fd, data, size) &&
               sync_file(fd);
        if (done)
            done = close(fd) == 0 || errno == EINTR;
        else
            close_quietly(fd);
        done = done && rename(name, path) == 0;
        if (!done) {
            const int cause = errno;
            unlink(name);
            errno = cause;
        }
    }
    free(name);
    return done && sync_folder_of(path);
}

bool file_check_output(const char *path, struct error *error) {
    struct stat there;
    if (*path == '\0') return error_set(error, "expected the name of a file to write, got an empty one");
    return stat(path, &there) != 0 || S_ISREG(there.st_mode) ||
           error_set(error, "%s: is not a regular file", path);
}

char *file_target(const char *path) {
    char *target = realpath(path, NULL);
    return target != NULL ? target : memory_text("%s", path);
}

bool file_replace(const char *path, const void *data, size_t size, struct error *error) {
    struct stat old;
    if (!file_check_output(path, error)) return false;
    char *target = file_target(path);
    const bool exists = stat(path, &old) == 0;
    const bool done = write_and_rename(target, exists ? &old : NULL, data, size);
    if (!done) error_set(error, "%s: cannot write: %s", path, strerror(errno));
    free(target);
    return done;
}

void file_remove_temporaries(const char *folder, const char *name) {
    DIR *entries = opendir(folder);
    const size_t length = name != NULL ? strlen(name) : 0;
    for (const struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        const char *at = strstr(entry->d_name, TEMPORARY);
        if (at == NULL) continue;
        if (name != NULL && (strncmp(entry->d_name, name, length) != 0 || at != entry->d_name + length))
            continue;
        char *path = memory_text("%s/%s", folder, entry->d_name);
        unlink(path);
        free(path);
    }
    if (entries != NULL) closedir(entries);
}

static bool is_folder(const char *path) {
    struct stat there;
    return stat(path, &there) == 0 && S_ISDIR(there.st_mode);
}

bool file_publish(const char *from, const char *to, struct error *error) {
    // A folder is only ever renamed over an empty one.
    if (!is_folder(from) && !file_check_output(to, error)) return false;
    if (!sync_path(from, 0)) return error_set(error, "%s: cannot write to disk: %s", from, strerror(errno));
    if (rename(from, to) != 0 || !sync_folder_of(to)) {
        return error_set(error, "%s: cannot rename from %s: %s", to, from, strerror(errno));
    }
    return true;
}

// A pipe may have nothing to read for ever, which Ctrl-C ends; a file is there after that, too.
static bool wait_to_read(int fd, bool regular) {
    if (regular || interruptible_wait(fd, POLLIN, INFINITY) || !interrupted()) return true;
    errno = EINTR;
    return false;
}

// Reads until the end or one byte past the limit; false with errno set when reading fails.
static bool read_all(int fd, size_t limit, char **data, size_t *size) {
    struct stat kind;
    const bool regular = fstat(fd, &kind) == 0 && S_ISREG(kind.st_mode);
    size_t room = 0;
    *size = 0;
    *data = NULL;
    for (;;) {
        if (*size == room) {
            room = room == 0 ? FIRST_READ : 2 * room;
            *data = memory_grow(*data, room + 1, 1);
        }
        if (!wait_to_read(fd, regular)) return false;
        const ssize_t got = read(fd, *data + *size, room - *size);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got < 0) return false;
        *size += (size_t)got;
        if (got == 0 || *size > limit) {
            (*data)[*size] = '\0';
            return true;
        }
    }
}

bool file_read(const char *path, size_t limit, char **data, size_t *size, struct error *error) {
    // A pipe is waited for when it is read, not here.
    const int fd = open_file(path, O_RDONLY | O_NONBLOCK, 0);
    if (fd < 0) return error_set(error, "%s: %s", path, strerror(errno));
    bool done = read_all(fd, limit, data, size);
    if (!done && errno == EINTR)
        error_set(error, "%s: interrupted while it was read", path);
    else if (!done)
        error_set(error, "%s: cannot read: %s", path, strerror(errno));
    else if (*size > limit)
        done = error_set(error, "%s: larger than %zu bytes", path, limit);
    if (!done) {
        free(*data);
        *data = NULL;
    }
    close(fd);
    return done;
}

static bool make_one_folder(const char *path, struct error *error) {
    struct stat found;
    if (mkdir(path, 0777) == 0) return true;
    const int cause = errno;
    if (stat(path, &found) != 0)
        return error_set(error, "%s: cannot make the folder: %s", path, strerror(cause));
    return S_ISDIR(found.st_mode) || error_set(error, "%s: is there and is not a folder", path);
}

bool file_make_folder(const char *path, struct error *error) {
    char *part = memory_text("%s", path);
    bool done = true;
    for (char *slash = strchr(part + strspn(part, "/"), '/'); done && slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        done = make_one_folder(part, error);
        *slash = '/';
    }
    done = done && make_one_folder(part, error);
    free(part);
    return done;
}

bool file_exists(const char *path) { return access(path, F_OK) == 0; }

void file_keep_standard(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) continue;
        // The lowest number that is free is this one.
        const int kept = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        if (kept > fd) close(kept);
    }
}
