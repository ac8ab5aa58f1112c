// error_log.c -- cuts what programs write to their standard error into lines and writes these to a file.

#include "selfplay/error_log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/support/file.h"
#include "core/support/memory.h"

enum {
    LINE = 1024,  // bytes: what is longer becomes several lines
    LABEL = 32,
    TEXT = 1 << 15,  // written at once
    MOST = ERROR_LOG_MEGABYTES << 20,
};

struct error_log {
    char *path;
    pthread_mutex_t lock;  // of what follows
    int file;              // -1: not there yet
    bool over;             // full or failed
    int failure;           // errno, or 0
    size_t size;
};

struct error_lines {
    struct error_log *log;
    char label[LABEL];
    size_t filled, ready;
    char line[LINE];
    char text[TEXT];  // lines with their labels that are to be written
};

// ---- the file

struct error_log *error_log_new(const char *path) {
    struct error_log *log = memory_new(1, sizeof *log);
    *log = (struct error_log){.path = memory_text("%s", path), .file = -1};
    pthread_mutex_init(&log->lock, NULL);
    return log;
}

void error_log_free(struct error_log *log) {
    if (log == NULL) return;
    if (log->file >= 0) close(log->file);
    pthread_mutex_destroy(&log->lock);
    free(log->path);
    free(log);
}

// With the lock held, as below.
static void give_up(struct error_log *log) {
    log->over = true;
    log->failure = errno;
}

// Whether another text may not fit. Whoever opens a file that is full finds it so again.
static bool is_full(const struct error_log *log) { return log->size + TEXT > MOST; }

static void open_file(struct error_log *log) {
    struct stat status;
    if (log->file >= 0) return;
    log->file = open(log->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (log->file < 0 || fstat(log->file, &status) != 0) {
        give_up(log);
        return;
    }
    log->size = (size_t)status.st_size;
    log->over = is_full(log);
}

static void write_all(struct error_log *log, const char *text, size_t size) {
    if (file_write(log->file, text, size))
        log->size += size;
    else
        give_up(log);
}

static void fill(struct error_log *log) {
    char *last = memory_text("more than %d MB: the rest is not kept\n", ERROR_LOG_MEGABYTES);
    write_all(log, last, strlen(last));
    log->over = true;
    free(last);
}

static void write_text(struct error_log *log, const char *text, size_t size) {
    pthread_mutex_lock(&log->lock);
    if (!log->over) open_file(log);
    if (!log->over) write_all(log, text, size);
    if (!log->over && is_full(log)) fill(log);
    pthread_mutex_unlock(&log->lock);
}

char *error_log_describe(struct error_log *log) {
    pthread_mutex_lock(&log->lock);
    char *text;
    if (log->failure != 0)
        text = memory_text("its standard error cannot be kept in %s: %s", log->path, strerror(log->failure));
    else if (log->over)
        text = memory_text("the first %d MB of its standard error are in %s", ERROR_LOG_MEGABYTES, log->path);
    else
        text = log->size > 0 ? memory_text("its standard error is in %s", log->path) : memory_text("%s", "");
    pthread_mutex_unlock(&log->lock);
    return text;
}

// ---- lines

struct error_lines *error_lines_new(struct error_log *log) {
    if (log == NULL) return NULL;
    struct error_lines *lines = memory_new(1, sizeof *lines);
    lines->log = log;
    return lines;
}

void error_lines_free(struct error_lines *lines) { free(lines); }

static void flush(struct error_lines *lines) {
    if (lines->ready > 0) write_text(lines->log, lines->text, lines->ready);
    lines->ready = 0;
}

static void end_line(struct error_lines *lines) {
    if (lines->ready + LABEL + LINE + 4 > TEXT) flush(lines);
    char *at = lines->text + lines->ready;
    const int label = snprintf(at, LABEL + 4, "[%s] ", lines->label);
    memcpy(at + label, lines->line, lines->filled);
    at[(size_t)label + lines->filled] = '\n';
    lines->ready += (size_t)label + lines->filled + 1;
    lines->filled = 0;
}

void error_lines_label(struct error_lines *lines, const char *game) {
    if (lines != NULL) snprintf(lines->label, sizeof lines->label, "%s", game);
}

void error_lines_add(struct error_lines *lines, const char *bytes, size_t count) {
    if (lines == NULL) return;
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != '\n') lines->line[lines->filled++] = bytes[i];
        if (bytes[i] == '\n' || lines->filled == LINE) end_line(lines);
    }
    flush(lines);
}

void error_lines_end(struct error_lines *lines) {
    if (lines == NULL) return;
    if (lines->filled > 0) end_line(lines);
    flush(lines);
}
