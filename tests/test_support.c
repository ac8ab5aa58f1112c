// test_support.c -- errors, random numbers, options, files, configs, progress and signals.

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/support/clock.h"
#include "core/support/config.h"
#include "core/support/error.h"
#include "core/support/file.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "core/support/progress.h"
#include "core/support/random.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

// ---- Errors and memory ----

Test(error, is_one_line_with_its_place) {
    struct error error;
    cr_assert_not(error_set(&error, "square %d: \"%s\"", 7, "a\nb\033[2J"));
    cr_assert_str_eq(error.text, "square 7: \"a?b?[2J\"");
    cr_assert_not(error_prefix(&error, "%s:%d", "x.pdn", 12));
    cr_assert_str_eq(error.text, "x.pdn:12: square 7: \"a?b?[2J\"");
    cr_assert_not(error_set(&error, "again: %s", error.text));
    cr_assert_str_eq(error.text, "again: x.pdn:12: square 7: \"a?b?[2J\"");
    cr_assert_not(error_set(NULL, "nobody asks"));
    cr_assert_not(error_prefix(NULL, "nobody asks"));
}

Test(error, is_utf8) {
    struct error error;
    error_set(&error, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xe9 \xc0\xaf \xed\xa0\x80 \xf5 \xe2\x82");
    cr_assert_str_eq(error.text, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 ? ?? ??? ? ??");
}

Test(error, is_cut_where_its_room_ends) {
    char longer[2 * sizeof((struct error *)NULL)->text];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    struct error error;
    error_set(&error, "%s", longer);
    cr_assert_eq(strlen(error.text), sizeof error.text - 1);
    error_prefix(&error, "here");
    cr_assert_eq(strlen(error.text), sizeof error.text - 1);
    cr_assert_eq(strncmp(error.text, "here: xx", 8), 0);
}

Test(memory, is_zeroed_and_grows) {
    unsigned char *bytes = memory_new(1000, 1);
    for (int i = 0; i < 1000; i++) cr_assert_eq(bytes[i], 0);
    bytes[999] = 7;
    bytes = memory_grow(bytes, 100000, 1);
    cr_assert_eq(bytes[999], 7);
    free(bytes);
    free(memory_new(0, 8));
    char *text = memory_text("%s-%d", "a", 5);
    cr_assert_str_eq(text, "a-5");
    free(text);
}

Test(memory, ends_the_program_when_there_is_none) {
    const pid_t child = fork();
    if (child == 0) {
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        volatile size_t count = SIZE_MAX / 2;  // the product does not fit a size_t
        free(memory_new(count, 4));
        _exit(0);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_not(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// ---- Random numbers ----

// From state 1, 2, 3, 4: the vector that the xoshiro256** implementations of Rust (rand_xoshiro) and NumPy
// share.
Test(random, gives_the_published_numbers) {
    static const uint64_t expected[] = {11520u,
                                        0u,
                                        1509978240u,
                                        1215971899390074240u,
                                        1216172134540287360u,
                                        607988272756665600u,
                                        16172922978634559625u,
                                        8476171486693032832u,
                                        10595114339597558777u,
                                        2904607092377533576u};
    struct random random = {{1, 2, 3, 4}};
    for (int i = 0; i < COUNT(expected); i++) cr_assert_eq(random_bits(&random), expected[i]);
}

// splitmix64 from 1234567: https://rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64
Test(random, is_seeded_by_splitmix64) {
    static const uint64_t expected[4] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                         4593380528125082431u};
    const struct random random = random_stream(1234567, 0);
    for (int i = 0; i < 4; i++) cr_assert_eq(random.state[i], expected[i]);
}

Test(random, is_a_function_of_seed_and_stream) {
    enum { SEEDS = 8, STREAMS = 64 };
    uint64_t seen[SEEDS * STREAMS];
    int count = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        for (uint64_t stream = 0; stream < STREAMS; stream++) {
            struct random one = random_stream(seed, stream), other = random_stream(seed, stream);
            seen[count] = random_bits(&one);
            cr_assert_eq(seen[count], random_bits(&other));
            for (int i = 0; i < count; i++) cr_assert_neq(seen[i], seen[count]);
            count++;
        }
    }
}

Test(random, below_is_in_range_and_even) {
    struct random random = random_stream(1, 2);
    int counts[6] = {0};
    for (int i = 0; i < 60000; i++) {
        const uint64_t value = random_below(&random, 6);
        cr_assert_lt(value, 6);
        counts[value]++;
    }
    // Five standard deviations of a binomial count (n = 60000, p = 1/6) are 456.
    for (int i = 0; i < 6; i++) cr_assert(abs(counts[i] - 10000) < 456, "%d: %d", i, counts[i]);
    for (int i = 0; i < 100; i++) {
        cr_assert_eq(random_below(&random, 1), 0);
        cr_assert_lt(random_below(&random, UINT64_MAX), UINT64_MAX);
    }
}

// With a limit of 3 * 2^62, taking the remainder would give the lowest third twice as often as the others,
// and scaling every multiple of 3.
Test(random, below_has_no_bias_at_large_limits) {
    struct random random = random_stream(3, 4);
    int lowest = 0, multiples = 0;
    for (int i = 0; i < 30000; i++) {
        const uint64_t value = random_below(&random, (uint64_t)3 << 62);
        lowest += value < (uint64_t)1 << 62;
        multiples += value % 3 == 0;
    }
    // Five standard deviations (n = 30000, p = 1/3).
    cr_assert(abs(lowest - 10000) < 409, "%d", lowest);
    cr_assert(abs(multiples - 10000) < 409, "%d", multiples);
}

Test(random, unit_is_below_one) {
    struct random random = random_stream(5, 6);
    double sum = 0;
    for (int i = 0; i < 10000; i++) {
        const double value = random_unit(&random);
        cr_assert(value >= 0 && value < 1);
        sum += value;
    }
    // Five standard errors of the mean of 10000 uniform numbers.
    cr_assert_float_eq(sum / 10000, 0.5, 0.0144);
}

Test(clock, never_goes_back) {
    double before = clock_seconds();
    for (int i = 0; i < 1000; i++) {
        const double now = clock_seconds();
        cr_assert_geq(now, before);
        before = now;
    }
}

// ---- Options ----

Test(options, numbers_are_read_whole) {
    static const struct {
        const char *text;
        int64_t least, most, value;
        bool good;
    } rows[] = {
        {"1", 1, 64, 1, true},
        {"64", 1, 64, 64, true},
        {"-3", -5, 5, -3, true},
        {"+3", -5, 5, 3, true},
        {"007", 0, 10, 7, true},
        {"9223372036854775807", 0, INT64_MAX, INT64_MAX, true},
        {"-9223372036854775808", INT64_MIN, 0, INT64_MIN, true},
        {"0", 1, 64, 0, false},
        {"65", 1, 64, 0, false},
        {"2o", 1, 64, 0, false},
        {"", 1, 64, 0, false},
        {" 5", 1, 64, 0, false},
        {"5 ", 1, 64, 0, false},
        {"\t5", 1, 64, 0, false},
        {"0x10", 1, 64, 0, false},
        {"1e1", 1, 64, 0, false},
        {"1.0", 1, 64, 0, false},
        {"--5", -5, 5, 0, false},
        {"-", -5, 5, 0, false},
        {"5-", -5, 5, 0, false},
        {"9223372036854775808", 0, INT64_MAX, 0, false},
        {"99999999999999999999999", INT64_MIN, INT64_MAX, 0, false},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        struct error error;
        int64_t value = -99;
        const bool good = options_number("--n", rows[i].text, rows[i].least, rows[i].most, &value, &error);
        cr_assert_eq(good, rows[i].good, "\"%s\"", rows[i].text);
        cr_assert_eq(value, good ? rows[i].value : -99, "\"%s\"", rows[i].text);
    }
    struct error error;
    int64_t value;
    cr_assert_not(options_number("--threads", "2o", 1, 64, &value, &error));
    cr_assert_str_eq(error.text, "--threads: expected 1..64, got \"2o\"");
}

Test(options, reals_are_read_whole) {
    static const struct {
        const char *text;
        double value;
        bool good;
    } rows[] = {
        {"0.5", 0.5, true},  {"-1", -1, true},    {"1e1", 10, true}, {".25", 0.25, true}, {"10", 10, true},
        {"10.1", 0, false},  {"-1.01", 0, false}, {"nan", 0, false}, {"inf", 0, false},   {"0x1", 0, false},
        {"", 0, false},      {" 1", 0, false},    {"1 ", 0, false},  {"1.5z", 0, false},  {"1,5", 0, false},
        {"1e999", 0, false}, {"e", 0, false},     {"1e", 0, false},  {"1.2.3", 0, false}, {"-", 0, false},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        struct error error;
        double value = -99;
        const bool good = options_real("--x", rows[i].text, -1, 10, &value, &error);
        cr_assert_eq(good, rows[i].good, "\"%s\"", rows[i].text);
        cr_assert_eq(value, good ? rows[i].value : -99, "\"%s\"", rows[i].text);
    }
    struct error error;
    double value;
    cr_assert_not(options_real("--time", "soon", 0.001, 1e6, &value, &error));
    cr_assert_str_eq(error.text, "--time: expected 0.001..1000000, got \"soon\"");
}

static error_t parse_nothing(int key, char *argument, struct argp_state *state) {
    (void)argument;
    if (key != ARGP_KEY_INIT) return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = state->input;
    return 0;
}

static error_t parse_common_options(int argc, char **argv, unsigned flags, struct common_options *common) {
    static const struct argp_child children[] = {{.argp = &options_common}, {0}};
    const struct argp argp = {.parser = parse_nothing, .children = children};
    return argp_parse(&argp, argc, argv, flags, NULL, common);
}

Test(options, common_ones_are_read) {
    char *argv[] = {"huff x",      "--variant", "spanish", "--threads=3", "--seed",
                    "12345678901", "--json",    "-q",      NULL};
    struct common_options common = {0};
    cr_assert_eq(parse_common_options(COUNT(argv) - 1, argv, 0, &common), 0);
    cr_assert_str_eq(common.variant, "spanish");
    cr_assert_eq(common.threads, 3);
    cr_assert_eq(common.seed, 12345678901u);
    cr_assert(common.seed_given && common.json && common.quiet);
}

Test(options, common_ones_are_off_when_absent) {
    char *argv[] = {"huff x", NULL};
    struct common_options common = {0};
    cr_assert_eq(parse_common_options(1, argv, 0, &common), 0);
    cr_assert_null(common.variant);
    cr_assert_eq(common.threads, 0);
    cr_assert_not(common.seed_given || common.json || common.quiet);
}

Test(options, threads_are_those_asked_for_or_the_cores_to_run_on) {
    struct common_options common = {.threads = 3};
    cr_assert_eq(options_threads(&common), 3);
    common.threads = 0;
    cr_assert_geq(options_threads(&common), 1);
    cpu_set_t cores, one;
    cr_assert_eq(sched_getaffinity(0, sizeof cores, &cores), 0);
    CPU_ZERO(&one);
    for (size_t core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; core++) {
        if (CPU_ISSET(core, &cores)) CPU_SET(core, &one);
    }
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
    cr_assert_eq(options_threads(&common), 1);
}

// What a program prints and the code it exits with.
struct outcome {
    int code;
    char text[4096];
};

static void read_end(int fd, struct outcome *outcome) {
    size_t size = 0;
    ssize_t got;
    while ((got = read(fd, outcome->text + size, sizeof outcome->text - 1 - size)) > 0) size += (size_t)got;
    outcome->text[size] = '\0';
    close(fd);
}

// Runs `body` in a process of its own, with `stream` (1 or 2) caught.
static struct outcome run_apart(int (*body)(void *), void *data, int stream) {
    struct outcome outcome;
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        dup2(ends[1], stream);
        close(ends[1]);
        const int code = body(data);
        fflush(NULL);
        _exit(code);
    }
    close(ends[1]);
    read_end(ends[0], &outcome);
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome;
}

static int run_moves(int argc, char **argv) {
    printf("%s:%d:%s\n", argv[0], argc, argc > 1 ? argv[1] : "");
    return 7;
}

static int run_variants(int argc, char **argv) {
    struct common_options common = {0};
    parse_common_options(argc, argv, 0, &common);
    return 0;
}

static int run_program(void *data) {
    static const struct command commands[] = {{"moves", "lists the legal moves", run_moves},
                                              {"variants", "lists the rules", run_variants}};
    char **argv = data;
    int argc = 0;
    while (argv[argc] != NULL) argc++;
    return options_run_command("huff", "A draughts engine.", commands, COUNT(commands), argc, argv);
}

Test(options, a_command_is_run_with_its_arguments) {
    char *argv[] = {"./huff", "moves", "--fen", NULL};
    const struct outcome outcome = run_apart(run_program, argv, STDOUT_FILENO);
    cr_assert_eq(outcome.code, 7);
    cr_assert_str_eq(outcome.text, "huff moves:2:--fen\n");
}

Test(options, help_lists_the_commands) {
    char *argv[] = {"./huff", "--help", NULL};
    const struct outcome outcome = run_apart(run_program, argv, STDOUT_FILENO);
    cr_assert_eq(outcome.code, EXIT_DONE);
    cr_assert_not_null(strstr(outcome.text, "A draughts engine."));
    cr_assert_not_null(strstr(outcome.text, "  moves     lists the legal moves\n"));
    cr_assert_not_null(strstr(outcome.text, "  variants  lists the rules\n"));
}

Test(options, the_version_is_printed) {
    char *argv[] = {"./huff", "--version", NULL};
    const struct outcome outcome = run_apart(run_program, argv, STDOUT_FILENO);
    cr_assert_eq(outcome.code, EXIT_DONE);
    cr_assert_not_null(strstr(outcome.text, " " HUFF_VERSION "\n"));
    char *below[] = {"./huff", "variants", "--version", NULL};
    cr_assert_str_eq(run_apart(run_program, below, STDOUT_FILENO).text, outcome.text);
}

Test(options, a_wrong_command_line_is_a_usage_error) {
    static struct {
        char *argv[5];
        const char *text;
    } rows[] = {
        {{"./huff", NULL}, "huff: expected a command: moves, variants\n"},
        {{"./huff", "movse", NULL}, "huff: unknown command \"movse\", expected one of: moves, variants\n"},
        {{"./huff", "variants", "--threads", "0", NULL},
         "huff variants: --threads: expected 1..1024, got \"0\"\n"},
        {{"./huff", "variants", "--seed", "-1", NULL},
         "huff variants: --seed: expected 0..9223372036854775807, got \"-1\"\n"},
        {{"./huff", "variants", "--nonsense", NULL}, "huff variants: unrecognized option '--nonsense'\n"},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        const struct outcome outcome = run_apart(run_program, rows[i].argv, STDERR_FILENO);
        cr_assert_eq(outcome.code, EXIT_USAGE, "%s", rows[i].text);
        cr_assert_eq(strncmp(outcome.text, rows[i].text, strlen(rows[i].text)), 0, "%s", outcome.text);
    }
}

// Exits by exit(), as a main that returns does: the check runs at exit.
static int print_to_full_disk(void *data) {
    (void)data;
    char *argv[] = {"./huff", "--help", NULL};
    dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO);
    exit(run_program(argv));
}

Test(options, output_that_is_lost_is_a_failure) {
    const struct outcome outcome = run_apart(print_to_full_disk, NULL, STDERR_FILENO);
    cr_assert_eq(outcome.code, EXIT_FAILED);
    cr_assert_not_null(strstr(outcome.text, "cannot write standard output: No space left on device\n"));
}

// ---- Files ----

static char folder[] = "/tmp/test_support-XXXXXX";

static void make_folder(void) {
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chmod(folder, 0755), 0);
}

static void remove_folder(void) {
    chmod(folder, 0755);
    char *command = memory_text("rm -r %s", folder);
    cr_assert_eq(system(command), 0);
    free(command);
}

static char *in_folder(const char *name) { return memory_text("%s/%s", folder, name); }

static int count_files(void) {
    glob_t found;
    char *pattern = in_folder("*");
    const int result = glob(pattern, 0, NULL, &found);
    const int count = result == 0 ? (int)found.gl_pathc : 0;
    if (result == 0) globfree(&found);
    free(pattern);
    return count;
}

static void expect_content(const char *path, const char *content) {
    char *data;
    size_t size;
    struct error error;
    cr_assert(file_read(path, 1000000, &data, &size, &error), "%s", error.text);
    cr_assert_eq(size, strlen(content));
    cr_assert_str_eq(data, content);
    free(data);
}

TestSuite(file, .init = make_folder, .fini = remove_folder);

Test(file, is_replaced_whole) {
    struct error error;
    char *path = in_folder("a");
    cr_assert(file_replace(path, "one", 3, &error), "%s", error.text);
    expect_content(path, "one");
    cr_assert_eq(chmod(path, 0640), 0);
    cr_assert(file_replace(path, "three", 5, &error), "%s", error.text);
    expect_content(path, "three");
    struct stat found;
    cr_assert_eq(stat(path, &found), 0);
    cr_assert_eq(found.st_mode & 0777, 0640);
    cr_assert(file_replace(path, "", 0, &error), "%s", error.text);
    expect_content(path, "");
    cr_assert_eq(count_files(), 1);
    free(path);
}

Test(file, name_without_folder_is_replaced) {
    struct error error;
    cr_assert_eq(chdir(folder), 0);
    cr_assert(file_replace("plain", "x", 1, &error), "%s", error.text);
    expect_content("plain", "x");
    cr_assert_eq(count_files(), 1);
}

Test(file, link_stays_a_link) {
    struct error error;
    char *target = in_folder("target"), *alias = in_folder("alias");
    cr_assert(file_replace(target, "old", 3, &error));
    cr_assert_eq(symlink("target", alias), 0);
    cr_assert(file_replace(alias, "new", 3, &error), "%s", error.text);
    expect_content(target, "new");
    struct stat found;
    cr_assert_eq(lstat(alias, &found), 0);
    cr_assert(S_ISLNK(found.st_mode));
    free(target);
    free(alias);
}

Test(file, missing_folder_is_an_error) {
    struct error error;
    char *path = in_folder("none/a");
    cr_assert_not(file_replace(path, "one", 3, &error));
    char *expected = memory_text("%s: cannot write: No such file or directory", path);
    cr_assert_str_eq(error.text, expected);
    cr_assert_eq(count_files(), 0);
    free(expected);
    free(path);
}

// Root may write to any folder: the test goes on as nobody then.
Test(file, read_only_folder_is_an_error) {
    struct error error;
    char *path = in_folder("a");
    cr_assert(file_replace(path, "old", 3, &error));
    cr_assert_eq(chmod(folder, 0555), 0);
    if (geteuid() == 0 && seteuid(65534) != 0) cr_skip_test("nobody else is known here");
    cr_assert_not(file_replace(path, "new", 3, &error));
    cr_assert_not_null(strstr(error.text, "/a: cannot write: Permission denied"));
    if (getuid() == 0) cr_assert_eq(seteuid(0), 0);
    expect_content(path, "old");
    cr_assert_eq(count_files(), 1);
    free(path);
}

Test(file, failed_write_leaves_the_old_file_and_nothing_else) {
    enum { SIZE = 300000, LIMIT = 100000 };
    struct error error;
    char *path = in_folder("a");
    cr_assert(file_replace(path, "old", 3, &error));
    // A limit on the size of files: the first write is cut short, the second fails.
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){LIMIT, RLIM_INFINITY}), 0);
    char *data = memory_new(SIZE, 1);
    cr_assert_not(file_replace(path, data, SIZE, &error));
    cr_assert_not_null(strstr(error.text, "/a: cannot write: File too large"));
    expect_content(path, "old");
    cr_assert_eq(count_files(), 1);
    free(data);
    free(path);
}

Test(file, devices_and_folders_are_not_replaced) {
    struct error error;
    cr_assert_not(file_replace("/dev/null", "x", 1, &error));
    cr_assert_str_eq(error.text, "/dev/null: is not a regular file");
    cr_assert_not(file_replace(folder, "x", 1, &error));
    cr_assert_eq(count_files(), 0);
    char *from = in_folder("a.part"), *pipe = in_folder("pipe");
    cr_assert_eq(mkfifo(pipe, 0600), 0);
    cr_assert(file_replace(from, "one", 3, &error));
    cr_assert_not(file_publish(from, pipe, &error));
    cr_assert_not_null(strstr(error.text, "pipe: is not a regular file"));
    cr_assert_not(file_publish(from, "/dev/null", &error));
    cr_assert_not(file_publish(from, "", &error));
    expect_content(from, "one");
    free(from);
    free(pipe);
}

Test(file, is_published_under_its_name) {
    struct error error;
    char *from = in_folder("a.part"), *to = in_folder("a"), *nowhere = in_folder("none/a");
    cr_assert(file_replace(from, "one", 3, &error));
    cr_assert_not(file_publish(from, nowhere, &error));
    expect_content(from, "one");
    cr_assert(file_publish(from, to, &error), "%s", error.text);
    expect_content(to, "one");
    cr_assert_not(file_exists(from));
    cr_assert_not(file_publish(from, to, &error));
    cr_assert_not_null(strstr(error.text, "a.part: cannot write to disk: No such file or directory"));
    expect_content(to, "one");
    free(from);
    free(to);
    free(nowhere);
}

Test(file, is_read_up_to_a_limit) {
    enum { SIZE = 200001 };
    struct error error;
    char *path = in_folder("a"), *written = memory_new(SIZE, 1), *data;
    size_t size;
    for (int i = 0; i < SIZE; i++) written[i] = (char)('a' + i % 26);
    cr_assert(file_replace(path, written, SIZE, &error));
    cr_assert(file_read(path, SIZE, &data, &size, &error), "%s", error.text);
    cr_assert_eq(size, (size_t)SIZE);
    cr_assert_arr_eq(data, written, SIZE);
    cr_assert_eq(data[SIZE], '\0');
    free(data);
    cr_assert_not(file_read(path, SIZE - 1, &data, &size, &error));
    cr_assert_not_null(strstr(error.text, "/a: larger than 200000 bytes"));
    cr_assert_not(file_read(folder, SIZE, &data, &size, &error));
    cr_assert_not_null(strstr(error.text, "Is a directory"));
    free(written);
    free(path);
}

Test(file, folders_are_made_with_those_above) {
    struct error error;
    char *path = in_folder("a/b//c/"), *file = in_folder("f"), *below = in_folder("f/g");
    cr_assert(file_make_folder(path, &error), "%s", error.text);
    cr_assert(file_exists(path));
    cr_assert(file_make_folder(path, &error), "%s", error.text);
    cr_assert(file_replace(file, "", 0, &error));
    cr_assert_not(file_make_folder(below, &error));
    char *expected = memory_text("%s: is there and is not a folder", file);
    cr_assert_str_eq(error.text, expected);
    cr_assert_not(file_make_folder("", &error));
    free(expected);
    free(path);
    free(file);
    free(below);
}

// ---- Configs ----

struct opening {
    char *book;
    int random_plies;
};

enum limit { LIMIT_NODES, LIMIT_DEPTH };

struct settings {
    char *variant;
    uint32_t games;
    int8_t offset;
    double rate;
    bool quiet_only;
    enum limit limit;
    struct opening opening;
    int *plies;
    uint32_t plies_count;
};

static const cyaml_strval_t limits[] = {{"nodes", LIMIT_NODES}, {"depth", LIMIT_DEPTH}};

static const cyaml_schema_field_t opening_fields[] = {
    CYAML_FIELD_STRING_PTR("book", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct opening, book, 0, 40),
    CYAML_FIELD_INT("random_plies", CYAML_FLAG_OPTIONAL, struct opening, random_plies), CYAML_FIELD_END};

static const cyaml_schema_value_t ply = {CYAML_VALUE_INT(CYAML_FLAG_DEFAULT, int)};

static const cyaml_schema_field_t settings_fields[] = {
    CYAML_FIELD_STRING_PTR("variant", CYAML_FLAG_POINTER, struct settings, variant, 1, 20),
    CYAML_FIELD_UINT("games", CYAML_FLAG_OPTIONAL, struct settings, games),
    CYAML_FIELD_INT("offset", CYAML_FLAG_OPTIONAL, struct settings, offset),
    CYAML_FIELD_FLOAT("rate", CYAML_FLAG_OPTIONAL, struct settings, rate),
    CYAML_FIELD_BOOL("quiet_only", CYAML_FLAG_OPTIONAL, struct settings, quiet_only),
    CYAML_FIELD_ENUM("limit", CYAML_FLAG_OPTIONAL | CYAML_FLAG_STRICT, struct settings, limit, limits,
                     CYAML_ARRAY_LEN(limits)),
    CYAML_FIELD_MAPPING("opening", CYAML_FLAG_OPTIONAL, struct settings, opening, opening_fields),
    CYAML_FIELD_SEQUENCE("plies", CYAML_FLAG_OPTIONAL | CYAML_FLAG_POINTER, struct settings, plies, &ply, 0,
                         3),
    CYAML_FIELD_END};

static const cyaml_schema_value_t schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct settings, settings_fields)};

// Reads `text`, written to c.yaml in the folder, with up to 4 sets; the error starts without the folder's
// name.
static struct settings *read_config(const char *text, const char *const sets[4], struct error *error) {
    char *path = in_folder("c.yaml");
    void *config = NULL;
    cr_assert(file_replace(path, text, strlen(text), error), "%s", error->text);
    int count = 0;
    while (count < 4 && sets[count] != NULL) count++;
    error->text[0] = '\0';
    if (!config_read(path, sets, count, &schema, &config, error)) {
        cr_assert_null(config);
        const size_t length = strlen(folder) + 1;
        if (strncmp(error->text, path, length) == 0) {
            memmove(error->text, error->text + length, strlen(error->text + length) + 1);
        }
    }
    free(path);
    return config;
}

TestSuite(config, .init = make_folder, .fini = remove_folder);

Test(config, is_read) {
    struct error error;
    struct settings *read =
        read_config("# a comment\nvariant: spanish\ngames: 10\noffset: -128\nrate: 2.5e-1\n"
                    "quiet_only: on\nlimit: depth\nopening:\n  book: \"a: b\"\n"
                    "  random_plies: 4\nplies: [1, 2]\n",
                    (const char *const[4]){NULL}, &error);
    cr_assert_not_null(read, "%s", error.text);
    cr_assert_str_eq(read->variant, "spanish");
    cr_assert_eq(read->offset, -128);
    cr_assert_eq(read->rate, 0.25);
    cr_assert(read->quiet_only);
    cr_assert_eq(read->limit, LIMIT_DEPTH);
    cr_assert_str_eq(read->opening.book, "a: b");
    cr_assert_eq(read->opening.random_plies, 4);
    cr_assert_eq(read->plies_count, 2);
    cr_assert_eq(read->plies[1], 2);
    cr_assert_eq(read->games, 10);
    config_free(&schema, read);
}

Test(config, a_section_may_be_empty) {
    struct error error;
    struct settings *read =
        read_config("variant: x\nopening:\n  # book: b\ngames: 3\n", (const char *const[4]){NULL}, &error);
    cr_assert_not_null(read, "%s", error.text);
    cr_assert_null(read->opening.book);
    cr_assert_eq(read->games, 3);
    config_free(&schema, read);
    read = read_config("variant: x\ngames: 3\nopening:\n", (const char *const[4]){"opening.book=c"}, &error);
    cr_assert_not_null(read, "%s", error.text);
    cr_assert_str_eq(read->opening.book, "c");
    config_free(&schema, read);
}

Test(config, every_word_for_true_and_false_is_understood) {
    static const struct {
        const char *word;
        bool value;
    } rows[] = {{"true", true},   {"yes", true}, {"on", true},   {"True", true},
                {"false", false}, {"no", false}, {"off", false}, {"NO", false}};
    for (int i = 0; i < COUNT(rows); i++) {
        struct error error;
        char *text = memory_text("variant: x\nquiet_only: %s\n", rows[i].word);
        struct settings *read = read_config(text, (const char *const[4]){NULL}, &error);
        cr_assert_not_null(read, "%s", error.text);
        cr_assert_eq(read->quiet_only, rows[i].value, "%s", rows[i].word);
        config_free(&schema, read);
        free(text);
    }
}

Test(config, errors_name_line_and_key) {
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"variant: x\n\ngames: 2o0\n", "c.yaml:3: games: expected a whole number, got \"2o0\""},
        {"variant: x\ngames: 4294967296\n", "c.yaml:2: games: expected 0..4294967295, got \"4294967296\""},
        {"variant: x\ngames: -1\n", "c.yaml:2: games: expected 0..4294967295, got \"-1\""},
        {"variant: x\ngames: 0x10\n",
         "c.yaml:2: games: expected a decimal number without leading zeros, got \"0x10\""},
        {"variant: x\noffset: -010\n",
         "c.yaml:2: offset: expected a decimal number without leading zeros, got \"-010\""},
        {"variant: x\ngames:\n", "c.yaml:2: games: expected a whole number, got \"\""},
        {"variant: x\ngames: [1]\n", "c.yaml:2: games: expected a value, got a list"},
        {"variant: x\noffset: 128\n", "c.yaml:2: offset: expected -128..127, got \"128\""},
        {"variant: x\ngames: 2.5\n", "c.yaml:2: games: expected a whole number, got \"2.5\""},
        {"variant: x\nplies: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n",
         "c.yaml:2: nested more than 32 deep"},
        {"variant: x\nrate: nan\n", "c.yaml:2: rate: expected a number, got \"nan\""},
        {"variant: x\nrate: 1.5z\n", "c.yaml:2: rate: expected a number, got \"1.5z\""},
        {"variant: x\nquiet_only: flase\n", "c.yaml:2: quiet_only: expected true or false, got \"flase\""},
        {"variant: x\nlimit: time\n", "c.yaml:2: limit: expected one of nodes, depth, got \"time\""},
        {"variant: x\nlimit: 1\n", "c.yaml:2: limit: expected one of nodes, depth, got \"1\""},
        {"variant: \"\"\n", "c.yaml:1: variant: expected 1..20 characters, got 0"},
        {"variant: x\nopening:\n  # here\n  random_plies: four\n",
         "c.yaml:4: opening.random_plies: expected a whole number, got \"four\""},
        {"variant: x\nopening: \"\"\n",
         "c.yaml:2: opening: expected a mapping of keys to values, got a value"},
        {"variant: x\n\n# \x01\n", "c.yaml:3: control characters are not allowed"},
        {"variant: x\n\n\nlimit: \xff\n", "c.yaml:4: invalid leading UTF-8 octet"},
        {"variant: x\nopening: 4\n", "c.yaml:2: opening: expected a mapping of keys to values, got a value"},
        {"variant: x\nplies: 4\n", "c.yaml:2: plies: expected a list, got a value"},
        {"variant: x\nplies:\n  - 4\n  - x\n", "c.yaml:4: plies[1]: expected a whole number, got \"x\""},
        {"variant: x\nplies: [1, 2, 3, 4]\n", "c.yaml:2: plies: expected 0..3 entries, got 4"},
        {"variant: x\n\ngames: 1\nvariant: y\n", "c.yaml:4: variant: given twice"},
        {"games: 1\n", "c.yaml:1: variant: missing"},
        {"variant: x\n[a]: 1\n", "c.yaml:2: a key is a list"},
        {"- x\n", "c.yaml:1: expected a mapping of keys to values, got a list"},
        {"variant: x\ngames: 'x\n", "c.yaml:3: found unexpected end of stream"},
        {"variant: x\n---\nvariant: y\n", "c.yaml:2: expected one document"},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        struct error error;
        cr_expect_null(read_config(rows[i].text, (const char *const[4]){NULL}, &error), "%s", rows[i].text);
        cr_expect_str_eq(error.text, rows[i].error);
    }
}

Test(config, unknown_keys_are_refused) {
    struct error error;
    cr_assert_null(read_config("variant: x\n\ngamse: 1\n", (const char *const[4]){NULL}, &error));
    cr_assert_str_eq(error.text,
                     "c.yaml:3: gamse: unknown key, expected one of variant, games, offset, rate, "
                     "quiet_only, limit, opening, plies");
    cr_assert_null(read_config("variant: x\nopening:\n  bok: b\n", (const char *const[4]){NULL}, &error));
    cr_assert_str_eq(error.text, "c.yaml:3: opening.bok: unknown key, expected one of book, random_plies");
}

Test(config, sets_go_on_top_of_the_file) {
    struct error error;
    struct settings *read = read_config(
        "variant: x\ngames: 1\nopening:\n  book: b\n",
        (const char *const[4]){"games=7", "opening.random_plies=5", "variant=a: #b=c", "games=8"}, &error);
    cr_assert_not_null(read, "%s", error.text);
    cr_assert_eq(read->games, 8);
    cr_assert_eq(read->opening.random_plies, 5);
    cr_assert_str_eq(read->opening.book, "b");
    cr_assert_str_eq(read->variant, "a: #b=c");
    config_free(&schema, read);
}

Test(config, sets_make_what_is_not_in_the_file) {
    struct error error;
    struct settings *read = read_config(
        "", (const char *const[4]){"variant=x", "opening.book=", "opening.random_plies=5"}, &error);
    cr_assert_not_null(read, "%s", error.text);
    cr_assert_eq(read->opening.random_plies, 5);
    cr_assert_str_eq(read->opening.book, "");
    config_free(&schema, read);
}

Test(config, errors_of_sets_name_the_option) {
    static const struct {
        const char *set, *error;
    } rows[] = {
        {"variant=\377", "--set: expected text in UTF-8, got \"variant=?\""},
        {"games=2o0", "--set games: expected a whole number, got \"2o0\""},
        {"gamse=1",
         "--set gamse: unknown key, expected one of variant, games, offset, rate, quiet_only, limit, "
         "opening, plies"},
        {"opening.bok=1", "--set opening.bok: unknown key, expected one of book, random_plies"},
        {"opening.random_plies=x", "--set opening.random_plies: expected a whole number, got \"x\""},
        {"opening=x", "--set opening: expected a mapping of keys to values, got a value"},
        {"games.a=1", "--set games.a: expected a value, got a mapping"},
        {"games", "--set: expected KEY=VALUE, got \"games\""},
        {"=1", "--set: expected KEY=VALUE, got \"=1\""},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        struct error error;
        cr_expect_null(
            read_config("variant: x\ngames: 1\n", (const char *const[4]){"rate=1", rows[i].set}, &error),
            "%s", rows[i].set);
        cr_expect_str_eq(error.text, rows[i].error);
    }
}

Test(config, an_error_of_the_file_is_not_blamed_on_a_set) {
    struct error error;
    cr_assert_null(read_config("variant: x\ngames: 2o0\n", (const char *const[4]){"games=1"}, &error));
    cr_assert_str_eq(error.text, "c.yaml:2: games: expected a whole number, got \"2o0\"");
}

Test(config, may_have_no_file) {
    struct error error;
    void *read = NULL;
    cr_assert_not(config_read(NULL, NULL, 0, &schema, &read, &error));
    cr_assert_str_eq(error.text, "variant: missing");
    cr_assert(config_read("-", (const char *const[]){"variant=x"}, 1, &schema, &read, &error), "%s",
              error.text);
    cr_assert_str_eq(((struct settings *)read)->variant, "x");
    config_free(&schema, read);
    cr_assert_not(config_read("/nowhere/c.yaml", NULL, 0, &schema, &read, &error));
    cr_assert_str_eq(error.text, "/nowhere/c.yaml: No such file or directory");
}

Test(config, aliases_are_followed) {
    struct error error;
    struct settings *read =
        read_config("variant: &name x\nopening:\n  book: *name\n", (const char *const[4]){"games=3"}, &error);
    cr_assert_not_null(read, "%s", error.text);
    cr_assert_str_eq(read->opening.book, "x");
    cr_assert_eq(read->games, 3);
    config_free(&schema, read);
}

Test(config, ranges_name_line_or_option) {
    struct error error;
    char *path = in_folder("c.yaml"), *expected;
    const char text[] = "variant: x\nopening:\n  random_plies: 99\n";
    const char *const sets[] = {"games=0"};
    cr_assert(file_replace(path, text, strlen(text), &error));
    cr_assert(config_range(path, sets, 1, "opening.random_plies", 20, 0, 20, &error));
    cr_assert_not(config_range(path, sets, 1, "opening.random_plies", 99, 0, 20, &error));
    expected = memory_text("%s:3: opening.random_plies: expected 0..20, got \"99\"", path);
    cr_assert_str_eq(error.text, expected);
    cr_assert_not(config_range(path, sets, 1, "games", 0, 1, 1000000000, &error));
    cr_assert_str_eq(error.text, "--set games: expected 1..1000000000, got \"0\"");
    cr_assert_not(config_refuse(path, sets, 1, "variant", &error, "unknown variant \"%s\"", "x"));
    free(expected);
    expected = memory_text("%s:1: variant: unknown variant \"x\"", path);
    cr_assert_str_eq(error.text, expected);
    cr_assert_not(config_refuse(NULL, NULL, 0, "variant", &error, "unknown"));
    cr_assert_str_eq(error.text, "variant: unknown");
    free(expected);
    free(path);
}

Test(config, refusals_find_entries_of_lists) {
    struct error error;
    char *path = in_folder("c.yaml");
    const char text[] =
        "variant: x\nplies:\n  - 1\n  - 2\nengines:\n  - name: a\n  - name: b\n    nodes: 0\n";
    static const struct {
        const char *key;
        int line;
    } cases[] = {{"plies[1]", 4}, {"engines[0]", 6}, {"engines[1].nodes", 8}, {"plies[9]", 3}};
    cr_assert(file_replace(path, text, strlen(text), &error));
    for (int i = 0; i < COUNT(cases); i++) {
        cr_assert_not(config_refuse(path, NULL, 0, cases[i].key, &error, "bad"));
        char *expected = memory_text("%s:%d: %s: bad", path, cases[i].line, cases[i].key);
        cr_assert_str_eq(error.text, expected);
        free(expected);
    }
    free(path);
}

// ---- Sections of a config ----

static const char sections[] =
    "seed: 1\nplay:\n  variant: x\n  games: 7\n  opening:\n    random_plies: 99\nother: {games: y}\nempty:\n";

// A section of a file with the text above.
static char *make_section(const char *name) {
    struct error error;
    char *path = in_folder("sections.yaml");
    cr_assert(file_replace(path, sections, strlen(sections), &error));
    char *section = config_section(path, name);
    free(path);
    return section;
}

Test(config, a_section_is_read_alone) {
    struct error error;
    char *path = make_section("play");
    void *config = NULL;
    const char *const sets[] = {"other.games=5", "play.opening.book=b", "play.rate=1.5"};
    cr_assert(config_read(path, sets, COUNT(sets), &schema, &config, &error), "%s", error.text);
    const struct settings *read = config;
    cr_assert_str_eq(read->variant, "x");
    cr_assert_eq(read->games, 7);
    cr_assert_str_eq(read->opening.book, "b");
    cr_assert_float_eq(read->rate, 1.5, 1e-12);
    config_free(&schema, config);
    free(path);
}

Test(config, a_section_that_is_not_there_is_empty) {
    static const char *const names[] = {"nothing", "empty"};
    for (int i = 0; i < COUNT(names); i++) {
        struct error error;
        char *path = make_section(names[i]), *set = memory_text("%s.variant=x", names[i]);
        void *config = NULL;
        cr_assert_not(config_read(path, NULL, 0, &schema, &config, &error));
        char *missing = memory_text("%s.variant: missing", names[i]);
        cr_assert_not_null(strstr(error.text, missing), "%s", error.text);
        char *games = memory_text("%s.games=2", names[i]);
        cr_assert(config_read(path, (const char *const[]){set, games}, 2, &schema, &config, &error), "%s",
                  error.text);
        config_free(&schema, config);
        free(games);
        free(missing);
        free(set);
        free(path);
    }
}

Test(config, errors_of_a_section_name_it) {
    struct error error;
    void *config = NULL;
    char *other = make_section("other"), *play = make_section("play"), *seed = make_section("seed");
    const struct {
        const char *path, *set, *text;
    } rows[] = {
        {other, "other.variant=x", "sections.yaml:7: other.games: expected a whole number, got \"y\""},
        {play, "play.games=z", "--set play.games: expected a whole number, got \"z\""},
        {play, "play.opening.bok=z", "--set play.opening.bok: unknown key"},
        {seed, "x=y", "sections.yaml:1: seed: expected a mapping of keys to values, got a value"},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        cr_assert_not(config_read(rows[i].path, &rows[i].set, 1, &schema, &config, &error));
        cr_expect_not_null(strstr(error.text, rows[i].text), "%s", error.text);
    }
    const char *const sets[] = {"play.games=0"};
    cr_assert_not(config_range(play, sets, 1, "opening.random_plies", 99, 0, 20, &error));
    cr_expect_not_null(strstr(error.text, "sections.yaml:6: play.opening.random_plies: expected 0..20"), "%s",
                       error.text);
    cr_assert_not(config_range(play, sets, 1, "games", 0, 1, 10, &error));
    cr_expect_str_eq(error.text, "--set play.games: expected 1..10, got \"0\"");
    free(other);
    free(play);
    free(seed);
}

Test(config, tells_which_keys_it_has) {
    char *play = make_section("play");
    const char *const sets[] = {"play.rate=1"};
    cr_expect(config_has(play, sets, 1, "opening.random_plies"));
    cr_expect(config_has(play, sets, 1, "rate"));
    cr_expect_not(config_has(play, sets, 1, "opening.book"));
    cr_expect_not(config_has(play, sets, 1, "seed"));
    cr_expect(config_was_set(play, sets, 1, "rate"));
    cr_expect_not(config_was_set(play, sets, 1, "games"));
    free(play);
}

// ---- Progress and signals ----

static void *step_often(void *data) {
    for (int i = 0; i < 1000; i++) {
        progress_step(data, 2);
        progress_note(data, "W %d%%", 40);
    }
    return NULL;
}

struct work {
    bool quiet, lasts;
};

static int play_games(void *data) {
    const struct work *work = data;
    struct progress *progress = progress_start("selfplay", "games", 8100, work->quiet);
    if (work->lasts) nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 100000000}, NULL);
    progress_skip(progress, 100);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, step_often, progress);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    progress_end(progress);
    return 0;
}

Test(progress, ends_with_what_was_done) {
    struct work work = {.lasts = true};
    const struct outcome outcome = run_apart(play_games, &work, STDERR_FILENO);
    const char *last = strstr(outcome.text, "selfplay: 8100/8100 games 100.0% ");
    cr_assert_not_null(last, "%s", outcome.text);
    cr_assert_not_null(strstr(last, ", W 40%\n"));
}

Test(progress, is_silent_when_asked_or_when_work_is_short) {
    struct work work = {.quiet = true, .lasts = true};
    cr_assert_str_eq(run_apart(play_games, &work, STDERR_FILENO).text, "");
    work = (struct work){0};
    // On a machine that has much to do it may take longer than a second.
    for (int i = 0; i < 100; i++) {
        if (*run_apart(play_games, &work, STDERR_FILENO).text == '\0') return;
    }
    cr_assert_fail("short work is not silent");
}

static int raise_signals(void *data) {
    const int *numbers = data;
    signal(SIGHUP, SIG_DFL);  // nohup may have been the one who started this
    interrupt_install();
    if (interrupted()) return 1;
    raise(numbers[0]);
    if (!interrupted()) return 2;
    if (numbers[1] != 0) raise(numbers[1]);
    return 0;
}

Test(interrupt, first_signal_asks_and_second_ends) {
    static int rows[][2] = {{SIGINT, 0},       {SIGTERM, 0},       {SIGHUP, 0},     {SIGINT, SIGINT},
                            {SIGINT, SIGTERM}, {SIGTERM, SIGTERM}, {SIGHUP, SIGHUP}};
    static const int codes[] = {0, 0, 0, 130, 143, 143, 129};
    for (int i = 0; i < COUNT(rows); i++) {
        cr_assert_eq(run_apart(raise_signals, rows[i], STDERR_FILENO).code, codes[i], "row %d", i);
    }
}

static int raise_ignored(void *data) {
    (void)data;
    signal(SIGHUP, SIG_IGN);
    interrupt_install();
    raise(SIGHUP);
    return interrupted();
}

Test(interrupt, hanging_up_stays_ignored_under_nohup) {
    cr_assert_eq(run_apart(raise_ignored, NULL, STDERR_FILENO).code, 0);
}

static char *pipe_to_read;

// Of a pipe that nobody will ever write to; a file is read all the same.
static int read_after_a_signal(void *data) {
    char *bytes;
    size_t size;
    struct error error;
    interrupt_install();
    raise(SIGINT);
    if (file_read(pipe_to_read, 100, &bytes, &size, &error)) return 1;
    if (!strstr(error.text, "pipe: interrupted")) return 2;
    if (!file_read(data, 100, &bytes, &size, &error)) return 3;
    free(bytes);
    return size == 3 ? 0 : 4;
}

Test(interrupt, ends_the_reading_of_a_pipe_and_not_that_of_a_file, .init = make_folder,
     .fini = remove_folder) {
    struct error error;
    char *path = in_folder("a");
    pipe_to_read = in_folder("pipe");
    cr_assert_eq(mkfifo(pipe_to_read, 0600), 0);
    cr_assert(file_replace(path, "old", 3, &error));
    cr_assert_eq(run_apart(read_after_a_signal, path, STDERR_FILENO).code, 0);
    free(pipe_to_read);
    free(path);
}

// Returns 0 when all three are as closed as they were, and the next file is none of them.
static int close_standard(void *data) {
    (void)data;
    char byte;
    for (int fd = 0; fd < 3; fd++) close(fd);
    file_keep_standard();
    if (read(0, &byte, 1) >= 0 || write(1, "", 1) >= 0 || write(2, "", 1) >= 0) return 1;
    return open("/dev/null", O_RDONLY) < 3 ? 2 : 0;
}

Test(file, is_not_opened_in_place_of_a_closed_standard_stream) {
    cr_assert_eq(run_apart(close_standard, NULL, STDERR_FILENO).code, 0);
}

// What is returned says what was waited for in vain.
static int wait_at_a_pipe(void *data) {
    (void)data;
    int ends[2];
    if (pipe(ends) != 0) return 1;
    interrupt_install();
    if (interruptible_wait(ends[0], POLLIN, clock_seconds() + 0.01)) return 2;
    if (!interruptible_wait(ends[1], POLLOUT, INFINITY)) return 3;
    if (write(ends[1], "", 1) != 1 || !interruptible_wait(ends[0], POLLIN, INFINITY)) return 4;
    if (read(ends[0], ends, 1) != 1) return 5;
    raise(SIGINT);
    for (int i = 0; i < 2; i++) {
        if (interruptible_wait(ends[0], POLLIN, INFINITY)) return 6;
    }
    return 0;
}

Test(interrupt, a_signal_before_the_wait_ends_it) {
    cr_assert_eq(run_apart(wait_at_a_pipe, NULL, STDERR_FILENO).code, 0);
}
