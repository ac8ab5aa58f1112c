// options.h -- what the command lines of all programs share, on top of glibc's argp.
//
// Exit codes: 0 done, 1 failed, 2 usage. A program's main parses with its own argp parser, hands
// options_common down as a child, and reads values by the functions below, which take the whole text and
// check the range: an error is one line that names the option. A program that uses this file has --version,
// ends with 2 when argp finds a mistake, and fails when standard output could not be written.
#ifndef HUFF_CORE_SUPPORT_OPTIONS_H
#define HUFF_CORE_SUPPORT_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/support/error.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

// --variant, --threads, --seed, --json, -q. Zero them, parse, read.
enum { OPTIONS_MOST_THREADS = 1024 };
struct common_options {
    const char *variant;  // NULL when absent; resolve with variant_find
    int threads;          // 0 = not said: one for a single search, else all cores
    uint64_t seed;
    bool seed_given, json, quiet;
};
extern const struct argp options_common;  // its input is a struct common_options *

// --threads, or the number of cores this process may run on.
int options_threads(const struct common_options *);

// One command of a program: "huff moves", "huff variants".
struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);  // argv[0] is "huff moves"; returns the exit code
};

// main() of a program with commands: --help lists them, --version, an unknown one is a usage error.
int options_run_command(const char *program, const char *about, const struct command *commands, int count,
                        int argc, char **argv);

// Whole decimal numbers in a range ("expected 1..64, got \"2o\"").
bool options_number(const char *name, const char *text, int64_t least, int64_t most, int64_t *value,
                    struct error *) __attribute__((warn_unused_result));
bool options_int(const char *name, const char *text, int least, int most, int *value, struct error *)
    __attribute__((warn_unused_result));
bool options_real(const char *name, const char *text, double least, double most, double *value,
                  struct error *) __attribute__((warn_unused_result));

// An argument, or an option that may come again, to a list of them; `*list` is freed by the caller.
void options_append(const char ***list, int *count, const char *text);

// Prints "program: text" to standard error and returns `code`: return options_fail(...);
int options_fail(const char *program, int code, const struct error *);

#define HUFF_VERSION "0.1.0"

#endif
