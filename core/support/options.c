// options.c -- the options, commands and exit codes that all programs share.

#include "core/support/options.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/support/memory.h"

enum { OPTION_VARIANT = 0x100, OPTION_THREADS, OPTION_SEED, OPTION_JSON };

static void print_version(FILE *stream, struct argp_state *state) {
    (void)state;
    fprintf(stream, "%s %s\n", program_invocation_short_name, HUFF_VERSION);
}

// argp asks a program to define these two: they override what the C library has.
error_t argp_err_exit_status = EXIT_USAGE;
void (*argp_program_version_hook)(FILE *, struct argp_state *) = print_version;

// A full disk shows when the last block of standard output is written, and that must not pass for success.
// Registered twice, the second run finds nothing left to do.
static void check_output(void) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return;
    fprintf(stderr, "%s: cannot write standard output%s%s\n", program_invocation_short_name,
            errno != 0 ? ": " : "", errno != 0 ? strerror(errno) : "");
    _exit(EXIT_FAILED);
}

bool options_number(const char *name, const char *text, int64_t least, int64_t most, int64_t *value,
                    struct error *error) {
    char *end;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    // strtoll would skip white space before the number.
    if (text[strspn(text, "+-0123456789")] != '\0' || end == text || *end != '\0' || errno != 0 ||
        number < least || number > most) {
        return error_set(error, "%s: expected %" PRId64 "..%" PRId64 ", got \"%.80s\"", name, least, most,
                         text);
    }
    *value = number;
    return true;
}

bool options_int(const char *name, const char *text, int least, int most, int *value, struct error *error) {
    int64_t number = 0;
    if (!options_number(name, text, least, most, &number, error)) return false;
    *value = (int)number;
    return true;
}

bool options_real(const char *name, const char *text, double least, double most, double *value,
                  struct error *error) {
    char *end;
    const double number = strtod(text, &end);
    // strtod would take white space, hexadecimal, "inf" and "nan"; too large a number becomes infinite.
    if (text[strspn(text, "+-.0123456789eE")] != '\0' || end == text || *end != '\0' || !isfinite(number) ||
        number < least || number > most) {
        return error_set(error, "%s: expected %.15g..%.15g, got \"%.80s\"", name, least, most, text);
    }
    *value = number;
    return true;
}

static const struct argp_option common_list[] = {
    {"variant", OPTION_VARIANT, "NAME", 0, "The rules to play by", 0},
    {"threads", OPTION_THREADS, "N", 0,
     "Threads to work with (default: one for a single search, else all cores)", 0},
    {"seed", OPTION_SEED, "N", 0, "Start of the random numbers: the same seed gives the same results", 0},
    {"json", OPTION_JSON, NULL, 0, "Results as JSON", 0},
    {"quiet", 'q', NULL, 0, "No progress and no messages, only results and errors", 0},
    {0},
};

static error_t parse_common(int key, char *argument, struct argp_state *state) {
    struct common_options *common = state->input;
    struct error error;
    int64_t number = 0;
    bool good = true;
    switch (key) {
    case ARGP_KEY_INIT: atexit(check_output); break;
    case OPTION_VARIANT: common->variant = argument; break;
    case OPTION_THREADS:
        good = options_int("--threads", argument, 1, OPTIONS_MOST_THREADS, &common->threads, &error);
        break;
    case OPTION_SEED:
        good = options_number("--seed", argument, 0, INT64_MAX, &number, &error);
        common->seed = (uint64_t)number;
        common->seed_given = true;
        break;
    case OPTION_JSON: common->json = true; break;
    case 'q': common->quiet = true; break;
    default: return ARGP_ERR_UNKNOWN;
    }
    if (good) return 0;
    argp_failure(state, EXIT_USAGE, 0, "%s", error.text);
    return EINVAL;
}

int options_threads(const struct common_options *common) {
    if (common->threads) return common->threads;
    cpu_set_t cores;
    CPU_ZERO(&cores);
    if (sched_getaffinity(0, sizeof cores, &cores)) return 1;
    const int count = CPU_COUNT(&cores);
    return count < OPTIONS_MOST_THREADS ? count : OPTIONS_MOST_THREADS;
}

const struct argp options_common = {.options = common_list, .parser = parse_common};

static void print_commands(const char *program, const char *about, const struct command *commands,
                           int count) {
    printf("Usage: %s COMMAND [OPTION...]\n%s\n\nCommands:\n", program, about);
    int width = 0;
    for (int i = 0; i < count; i++) {
        const int length = (int)strlen(commands[i].name);
        if (length > width) width = length;
    }
    for (int i = 0; i < count; i++) printf("  %-*s  %s\n", width, commands[i].name, commands[i].summary);
    printf("\n\"%s COMMAND --help\" describes the options of a command; --version prints the version.\n",
           program);
}

static int run(const char *program, const struct command *command, int argc, char **argv) {
    char *name = memory_text("%s %s", program, command->name);
    argv[0] = name;
    const int code = command->run(argc, argv);
    free(name);
    return code;
}

int options_run_command(const char *program, const char *about, const struct command *commands, int count,
                        int argc, char **argv) {
    atexit(check_output);
    const char *wanted = argc < 2 ? "" : argv[1];
    if (strcmp(wanted, "--help") == 0 || strcmp(wanted, "-?") == 0) {
        print_commands(program, about, commands, count);
        return EXIT_DONE;
    }
    if (strcmp(wanted, "--version") == 0 || strcmp(wanted, "-V") == 0) {
        print_version(stdout, NULL);
        return EXIT_DONE;
    }
    for (int i = 0; i < count; i++) {
        if (strcmp(wanted, commands[i].name) == 0) return run(program, &commands[i], argc - 1, argv + 1);
    }

    struct error error;
    char *list = memory_text("%s", commands[0].name);
    for (int i = 1; i < count; i++) {
        char *longer = memory_text("%s, %s", list, commands[i].name);
        free(list);
        list = longer;
    }
    if (argc < 2)
        error_set(&error, "expected a command: %s", list);
    else
        error_set(&error, "unknown command \"%.80s\", expected one of: %s", wanted, list);
    free(list);
    return options_fail(program, EXIT_USAGE, &error);
}

void options_append(const char ***list, int *count, const char *text) {
    *list = memory_grow(*list, (size_t)*count + 1, sizeof **list);
    (*list)[(*count)++] = text;
}

int options_fail(const char *program, int code, const struct error *error) {
    fprintf(stderr, "%s: %s\n", program, error->text);
    return code;
}
