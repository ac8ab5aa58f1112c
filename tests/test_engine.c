// test_engine.c -- clocks as text, child processes, and the referee's clock.

#include <criterion/criterion.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/support/clock.h"
#include "core/support/memory.h"
#include "selfplay/engine.h"
#include "selfplay/playing.h"
#include "selfplay/process.h"

// ---- clocks ----

Test(clocks, are_read) {
    static const struct {
        const char *text;
        struct time_control control;
    } cases[] = {
        {"10", {0, 10, 0}},           {"10+0.1", {0, 10, 0.1}},   {"40/60", {40, 60, 0}},
        {"40/60+0.5", {40, 60, 0.5}}, {"1/0.25+0", {1, 0.25, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct time_control control;
        struct error error = {.text = ""};
        cr_assert(time_control_parse(cases[i].text, &control, &error), "%s: %s", cases[i].text, error.text);
        cr_assert_eq(control.moves, cases[i].control.moves);
        cr_assert_float_eq(control.seconds, cases[i].control.seconds, 1e-12);
        cr_assert_float_eq(control.increment, cases[i].control.increment, 1e-12);
    }
}

Test(clocks, that_make_no_sense_are_refused) {
    static const char *const texts[] = {"",       "0",     "-1",    "10+", "+1",    "10+-1",
                                        "0/10",   "40/",   "/60",   "x",   "10 +1", "40/60/60",
                                        "40+1/9", "1e9+1", "2.5/9", "nan", "inf",   "10+1+1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct time_control control;
        struct error error = {.text = ""};
        cr_assert_not(time_control_parse(texts[i], &control, &error), "%s", texts[i]);
        cr_assert(strstr(error.text, "MOVES/SECONDS") != NULL, "%s", error.text);
    }
}

static void spin(double seconds) {
    const double end = clock_seconds() + seconds;
    while (clock_seconds() < end) {
    }
}

// Two programs that share one processor with this one take about two thirds of the time.
Test(clocks, know_how_long_others_had_the_processor) {
    cpu_set_t all, one;
    cr_assert_eq(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
    if (access("/proc/thread-self/schedstat", R_OK) != 0) return;
    pid_t others[2];
    for (int i = 0; i < 2; i++)
        if ((others[i] = fork()) == 0) spin(30), _exit(0);
    const double begun = clock_seconds(), before = clock_lag();
    spin(0.5);
    const double lag = clock_lag() - before, elapsed = clock_seconds() - begun;
    for (int i = 0; i < 2; i++) {
        kill(others[i], SIGKILL);
        waitpid(others[i], NULL, 0);
    }
    cr_assert(lag > 0 && lag < elapsed, "%g s of %g s", lag, elapsed);
}

// ---- processes ----

enum { TEXT_SIZE = 600 };

static struct process *start(const char *command, const char *folder) {
    struct error error = {.text = ""};
    struct process *process = process_start(command, folder, &error);
    cr_assert_not_null(process, "%s", error.text);
    return process;
}

static void expect_line(struct process *process, const char *expected) {
    const char *line;
    size_t length;
    cr_assert_eq(process_receive(process, clock_seconds() + 60, &line, &length), WIRE_MESSAGE);
    cr_assert_str_eq(line, expected);
}

static void expect_end(struct process *process) {
    const char *line;
    size_t length;
    cr_assert_eq(process_receive(process, clock_seconds() + 60, &line, &length), WIRE_CLOSED);
}

Test(process, gets_the_words_of_its_command) {
    struct process *process =
        start("printf  '%s\\n' one \"two three\" 'four \"4\"' fi\"v e\"  '' six ", NULL);
    static const char *const words[] = {"one", "two three", "four \"4\"", "fiv e", "", "six"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) expect_line(process, words[i]);
    expect_end(process);
    process_end(process, "quit");
}

Test(process, runs_in_its_folder_and_talks_both_ways) {
    struct process *process = start("sh -c 'pwd; while read x; do echo got $x; done'", "/");
    struct error error;
    expect_line(process, "/");
    cr_assert(process_send(process, "a\nb", clock_seconds() + 60, &error));
    expect_line(process, "got a");
    expect_line(process, "got b");
    process_end(process, "quit");
}

Test(process, that_cannot_be_started_says_why) {
    struct error error = {.text = ""};
    cr_assert_null(process_start("/no/such/program hub", NULL, &error));
    cr_assert_str_eq(error.text, "cannot start \"/no/such/program\": No such file or directory");
    cr_assert_null(process_start("sh", "/no/such/folder", &error));
    cr_assert_null(process_start("/", NULL, &error));
    cr_assert(strstr(error.text, "Permission denied") != NULL, "%s", error.text);
    cr_assert_null(process_start("  ", NULL, &error));
    cr_assert_str_eq(error.text, "expected a command to start");
}

Test(process, describes_its_end) {
    char text[TEXT_SIZE];
    struct process *process = start("sh -c 'exit 7'", NULL);
    expect_end(process);
    process_describe_end(process, text, sizeof text);
    cr_assert_str_eq(text, "exit code 7");
    process_end(process, NULL);
    process = start("sh -c 'kill -SEGV $$'", NULL);
    expect_end(process);
    process_describe_end(process, text, sizeof text);
    cr_assert(strncmp(text, "signal 11 (", 11) == 0, "%s", text);
    process_end(process, NULL);
    process = start("sh -c 'exec >&-; sleep 600'", NULL);
    expect_end(process);
    process_describe_end(process, text, sizeof text);
    cr_assert_str_eq(text, "it still runs");
    process_end(process, NULL);
}

// More than a pipe holds is written to standard error before the line that is waited for.
Test(process, keeps_the_last_of_its_errors) {
    char text[TEXT_SIZE];
    struct process *process = start("sh -c 'yes abcdefghijklmnopqrstuvwxyz | head -c 3000000 >&2; for i in 1 "
                                    "2 3 4 5 6; do echo line $i >&2; done; "
                                    "echo ready; read x'",
                                    NULL);
    expect_line(process, "ready");
    process_last_errors(process, text, sizeof text);
    cr_assert_str_eq(text, "line 2 | line 3 | line 4 | line 5 | line 6");
    process_last_errors(process, text, 20);
    cr_assert_lt(strlen(text), 20);
    process_end(process, "quit");
}

Test(process, wait_has_an_end) {
    const char *line;
    size_t length;
    struct process *process = start("sh -c 'printf half; sleep 600'", NULL);
    cr_assert_eq(process_receive(process, clock_seconds() + 0.05, &line, &length), WIRE_LATE);
    process_end(process, NULL);
}

// ---- the referee's clock ----

// A game between engines of this process.
static void play(struct player white, struct player black, double margin, int max_plies,
                 struct played_game *played) {
    struct error error;
    const struct variant *variant = variant_find("spanish", &error);
    const struct playing_settings settings = {
        .variant = variant,
        .draws = variant->rules->draws,
        .max_plies = max_plies,
        .time_margin = margin,
    };
    const struct weights weights = weights_material(variant);
    white.search = search_new(variant, &weights, 1);
    black.search = search_new(variant, &weights, 1);
    struct playing *playing = playing_new(&settings);
    const struct opening opening = {.start = variant_initial(variant)};
    playing_game(playing, &opening, (struct player[2]){white, black}, played);
    playing_free(playing);
    search_free(white.search);
    search_free(black.search);
}

// No search takes less than a nanosecond; but when the thread has to wait for a processor, that may be all
// that the referee can be sure of, and it plays on.
static void play_until_late(struct player white, struct player black, struct played_game *played) {
    for (int i = 0; i < 100; i++) {
        play(white, black, 1e-9, 4, played);
        if (played->termination == GAME_TIME && played->plies < 2) return;
    }
}

Test(referee, ends_the_game_of_a_side_that_is_late) {
    struct played_game played = {0};
    const struct player untimed = {.limits = {.depth = 2}};
    const struct player by_move = {.limits = {.seconds = 1e-9}};
    const struct player by_clock = {.limits = {.depth = 2}, .clock = {.seconds = 1e-9}};
    play_until_late(by_move, untimed, &played);
    cr_assert_eq(played.termination, GAME_TIME);
    cr_assert_eq(played.result, -1);
    cr_assert_eq(played.plies, 0);
    cr_assert(strstr(played.reason.text, "for a move and had 0.000 s") != NULL, "%s", played.reason.text);
    play_until_late(untimed, by_clock, &played);
    cr_assert_eq(played.termination, GAME_TIME);
    cr_assert_eq(played.result, 1);
    cr_assert_eq(played.plies, 1);
    play(by_move, by_clock, 0, 20, &played);
    cr_assert_eq(played.termination, GAME_LENGTH, "without a margin there is no referee");
    cr_assert_str_eq(played.reason.text, "");
    played_game_free(&played);
}

// Thirty moves each, on a clock that lasts for them only when it is shared out.
Test(referee, sees_an_engine_of_this_process_keep_to_its_clock) {
    struct played_game played = {0};
    const struct player player = {.limits = {0}, .clock = {.moves = 10, .seconds = 0.4, .increment = 0.001}};
    play(player, player, 30, 60, &played);
    cr_assert_neq(played.termination, GAME_TIME);
    cr_assert_neq(played.termination, GAME_GOES_ON);
    for (int i = 0; i < played.plies; i++) {
        cr_assert_gt(played.ply[i].nodes, 0);
        cr_assert_gt(played.ply[i].depth, 0);
        cr_assert_geq(played.ply[i].seconds, 0);
    }
    played_game_free(&played);
}
