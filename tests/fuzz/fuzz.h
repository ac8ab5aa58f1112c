// fuzz.h -- what fuzzers share: inputs made and changed at random, and a run over many of them.
//
// Each fuzzer is built in two ways. With HUFF_LIBFUZZER defined (the build with HUFF_FUZZ, run by run.sh) it
// is libFuzzer's, which looks for inputs that reach new code. Otherwise it is a program
//     fuzz_x COUNT SEED [SECONDS]    makes inputs: number i is a function of the seed and i, and after so
//     many
//                                    seconds no further one is tried
//     fuzz_x FOLDER                  tries the files of a folder, e.g. those that libFuzzer kept in corpus/x
// An input that takes minutes ends the run (SIGALRM).
#ifndef HUFF_TESTS_FUZZ_FUZZ_H
#define HUFF_TESTS_FUZZ_FUZZ_H

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/support/random.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static inline void fuzz_require(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
    abort();
}

// An error is one line, and says something.
static inline void fuzz_check_error(const struct error *error) {
    const size_t length = strnlen(error->text, sizeof error->text);
    fuzz_require(length > 0 && length < sizeof error->text, "an error without text");
    for (size_t i = 0; i < length; i++)
        fuzz_require((unsigned char)error->text[i] >= ' ' && error->text[i] != '\x7f',
                     "an error of several lines");
}

static inline void fuzz_check_ascii(const struct error *error) {
    fuzz_check_error(error);
    for (const char *c = error->text; *c; c++)
        fuzz_require((unsigned char)*c <= '~', "an error that is not ASCII");
}

static char fuzz_file_path[] = "/tmp/fuzz_XXXXXX";
static inline void fuzz_file_remove(void) { unlink(fuzz_file_path); }

// A file that holds just these bytes, for functions that want a path; the same one each time.
static inline const char *fuzz_file(const void *bytes, size_t size) {
    static int file = -1;
    if (file < 0) {
        file = mkstemp(fuzz_file_path);
        atexit(fuzz_file_remove);
    }
    fuzz_require(ftruncate(file, 0) == 0 && pwrite(file, bytes, size, 0) == (ssize_t)size,
                 "no room for a file");
    return fuzz_file_path;
}

#ifndef HUFF_LIBFUZZER

#include <dirent.h>

#include "core/support/file.h"
#include "core/support/memory.h"

#ifndef FUZZ_INPUT_SIZE
#define FUZZ_INPUT_SIZE (1 << 14)
#endif

enum { FUZZ_HANG_SECONDS = 300, FUZZ_MOST_REPLAYED = 1 << 20 };

// What does not fit is left out.
struct fuzz_input {
    size_t size;
    uint8_t bytes[FUZZ_INPUT_SIZE];
};

static inline int fuzz_some(struct random *random, int limit) {
    return (int)random_below(random, (uint64_t)limit);
}

#define FUZZ_CHOOSE(random, list) (list)[fuzz_some(random, (int)(sizeof(list) / sizeof *(list)))]

// One of the likely characters, or any.
static inline char fuzz_char(struct random *random, const char *likely) {
    return fuzz_some(random, 8) ? likely[fuzz_some(random, (int)strlen(likely))] : (char)random_bits(random);
}

static inline void fuzz_insert(struct fuzz_input *in, size_t at, const char *bytes, size_t length) {
    if (length > sizeof in->bytes - in->size) return;
    memmove(in->bytes + at + length, in->bytes + at, in->size - at);
    memcpy(in->bytes + at, bytes, length);
    in->size += length;
}

static inline void fuzz_append_bytes(struct fuzz_input *in, const char *bytes, size_t length) {
    const size_t room = sizeof in->bytes - in->size;
    fuzz_insert(in, in->size, bytes, length < room ? length : room);
}

static inline void fuzz_append(struct fuzz_input *in, const char *text) {
    fuzz_append_bytes(in, text, strlen(text));
}

// One thing over and over.
static inline void fuzz_append_often(struct fuzz_input *in, const char *text, int times) {
    for (; times > 0; times--) fuzz_append(in, text);
}

static inline void fuzz_append_any(struct random *random, struct fuzz_input *in, int most) {
    for (int n = fuzz_some(random, most); n > 0; n--)
        fuzz_append_bytes(in, &(char){(char)random_bits(random)}, 1);
}

static inline void fuzz_cut(struct fuzz_input *in, size_t at, size_t length) {
    memmove(in->bytes + at, in->bytes + at + length, in->size - at - length);
    in->size -= length;
}

// A change at one place from `first` on: `length` bytes at most are overwritten by bytes of `piece`, go, or
// come again at the end, or the piece comes between.
static inline void fuzz_mutate(struct random *random, struct fuzz_input *in, size_t first, const char *piece,
                               size_t piece_length, size_t length) {
    const size_t at = first + (size_t)random_below(random, in->size - first + 1), rest = in->size - at;
    if (length > rest) length = rest;
    switch (fuzz_some(random, 4)) {
    case 0: memcpy(in->bytes + at, piece, piece_length < rest ? piece_length : rest); return;
    case 1: fuzz_insert(in, at, piece, piece_length); return;
    case 2: fuzz_cut(in, at, length); return;
    default: {
        char again[256];
        if (length > sizeof again) length = sizeof again;
        memcpy(again, in->bytes + at, length);
        fuzz_append_bytes(in, again, length);
        return;
    }
    }
}

// Of a run: what is asked for ...
struct fuzz_plan {
    long count;
    uint64_t seed;
    double end;  // clock_seconds
};

static inline void fuzz_replay_file(const char *path) {
    struct error error;
    char *bytes;
    size_t size;
    fuzz_require(file_read(path, FUZZ_MOST_REPLAYED, &bytes, &size, &error), error.text);
    printf("%s\n", path);
    fflush(stdout);  // what is named last is at fault
    alarm(FUZZ_HANG_SECONDS);
    LLVMFuzzerTestOneInput((const uint8_t *)bytes, size);
    free(bytes);
}

_Noreturn static inline void fuzz_replay(const char *folder) {
    struct dirent **entries;
    const int count = scandir(folder, &entries, NULL, alphasort);
    int files = 0;
    for (int i = 0; i < count; free(entries[i++])) {
        if (*entries[i]->d_name == '.') continue;
        char *path = memory_text("%s/%s", folder, entries[i]->d_name);
        fuzz_replay_file(path);
        free(path);
        files++;
    }
    if (count >= 0) free(entries);
    fuzz_require(files > 0, "no input in the folder");
    exit(0);
}

static inline struct fuzz_plan fuzz_plan(int argc, char **argv) {
    if (argc == 2) fuzz_replay(argv[1]);
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: %s COUNT SEED [SECONDS] | FOLDER\n", program_invocation_short_name);
        exit(2);
    }
    return (struct fuzz_plan){
        .count = strtol(argv[1], NULL, 10),
        .seed = strtoull(argv[2], NULL, 10),
        .end = argc > 3 ? clock_seconds() + strtod(argv[3], NULL) : INFINITY,
    };
}

// ... and what has come of it.
struct fuzz_run {
    long count;      // inputs tried
    double slowest;  // seconds
    long slowest_input;
};

// Makes an input with at least a byte in an empty one.
typedef void fuzz_maker(struct random *, struct fuzz_input *);

static inline struct fuzz_run fuzz_run(struct fuzz_plan plan, fuzz_maker *make) {
    static struct fuzz_input in;
    struct fuzz_run run = {0};
    for (; run.count < plan.count && clock_seconds() < plan.end; run.count++) {
        struct random random = random_stream(plan.seed, (uint64_t)run.count);
        in.size = 0;
        make(&random, &in);
        const double start = clock_seconds();
        alarm(FUZZ_HANG_SECONDS);
        LLVMFuzzerTestOneInput(in.bytes, in.size);
        const double seconds = clock_seconds() - start;
        if (seconds <= run.slowest) continue;
        run.slowest = seconds;
        run.slowest_input = run.count;
    }
    alarm(0);
    return run;
}

#endif

#endif
