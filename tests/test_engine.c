// test_engine.c -- clocks as text, child processes, the referee's clock, and programs that play over DXP.

#include <criterion/criterion.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/notation.h"
#include "core/support/clock.h"
#include "core/support/memory.h"
#include "search/dxp.h"
#include "search/wire.h"
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

// Not one that has ended and was not waited for either: it has no command any more.
static bool is_alive(pid_t pid) {
    char *path = memory_text("/proc/%d/cmdline", (int)pid);
    FILE *file = fopen(path, "r");
    free(path);
    const bool alive = file && fgetc(file) != EOF;
    if (file) fclose(file);
    return alive;
}

// What was killed needs a moment to be gone, on a machine that has much to do.
static bool goes(pid_t pid) {
    const double end = clock_seconds() + 60;
    while (is_alive(pid) && clock_seconds() < end) usleep(1000);
    return !is_alive(pid);
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
    cr_assert_str_eq(error.text, "cannot enter the folder \"/no/such/folder\": No such file or directory");
    cr_assert_null(process_start("/", NULL, &error));
    cr_assert(strstr(error.text, "Permission denied") != NULL, "%s", error.text);
    cr_assert_null(process_start("  ", NULL, &error));
    cr_assert_str_eq(error.text, "expected a command to start");
}

Test(process, command_has_all_its_quotes) {
    struct error error = {.text = ""};
    cr_assert(process_check_command("a 'b \"' \"c '\"", &error), "%s", error.text);
    cr_assert_not(process_check_command("", &error));
    cr_assert_not(process_check_command("a 'b c", &error));
    cr_assert_str_eq(error.text, "a quote (') is not closed in the command, at \"b c\"");
    cr_assert_null(process_start("echo \"", NULL, &error));
    cr_assert_str_eq(error.text, "a quote (\") is not closed in the command, at \"\"");
}

// Its child holds the output open.
Test(process, end_is_noticed_whoever_else_goes_on) {
    char text[TEXT_SIZE];
    struct process *process = start("sh -c 'sleep 600 & echo last; exit 3'", NULL);
    expect_line(process, "last");
    expect_end(process);
    process_describe_end(process, text, sizeof text);
    cr_assert_str_eq(text, "exit code 3");
    process_end(process, NULL);
}

// The first has left the group; the second belongs to another process.
Test(process, takes_what_has_left_its_group_with_it) {
    static const char command[] = "sh -c 'setsid sh -c \"echo \\$\\$; exec sleep 600\" & read x'";
    pid_t pids[2];
    struct process *processes[2];
    for (int i = 0; i < 2; i++) {
        const char *line;
        size_t length;
        processes[i] = start(command, NULL);
        cr_assert_eq(process_receive(processes[i], clock_seconds() + 60, &line, &length), WIRE_MESSAGE);
        pids[i] = (pid_t)atoi(line);
        cr_assert(pids[i] > 1 && getsid(pids[i]) == pids[i], "%s", line);
    }
    process_end(processes[0], NULL);
    cr_assert(goes(pids[0]));
    cr_assert(is_alive(pids[1]));
    process_end(processes[1], NULL);
    cr_assert(goes(pids[1]));
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
    struct weights weights = weights_material(variant);
    white.search = search_new(variant, &weights, 1);
    black.search = search_new(variant, &weights, 1);
    weights_free(&weights);
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

// ---- DXP ----

// What a program at the other end says when it is to move, in turn: a text of DXP, "move" for the first
// legal one, "silent" for nothing, "gone" for the end of the connection.
static void follow(int connection, const char *const *says) {
    struct wire wire;
    struct dxp_message message;
    struct error error;
    struct game game;
    struct move_list *legal = memory_new(1, sizeof *legal);
    const struct variant *variant = variant_find("international", &error);
    const char *text;
    size_t length;
    enum side side = WHITE;
    bool playing = false;
    char reply[DXP_MESSAGE_SIZE];
    wire_init(&wire, connection, connection, '\0', DXP_MESSAGE_LIMIT);
    for (;;) {
        while (playing && position_turn(game_position(&game)) == side) {
            const char *now = *says++;
            variant->generate(game_position(&game), legal);
            if (strcmp(now, "gone") == 0) return;
            if (strcmp(now, "silent") == 0) break;
            snprintf(reply, sizeof reply, "%s", now);
            if (strcmp(now, "move") == 0) {
                message = dxp_from_move(legal->moves[0], 0);
                if (!dxp_write(&message, reply, &error)) return;
                game_play(&game, legal->moves[0]);
            }
            if (!wire_send(&wire, reply, strlen(reply), clock_seconds() + 60, &error)) return;
            if (*reply == 'E') playing = false;
            if (*reply != 'M' && *reply != 'C' && *reply != 'B') break;
            if (strcmp(now, "move") != 0 && *reply == 'M') break;
        }
        if (wire_receive(&wire, clock_seconds() + 60, &text, &length) != WIRE_MESSAGE) return;
        if (!dxp_read(text, length, &message, &error)) return;
        struct move move;
        if (message.type == DXP_GAMEREQ) {
            const struct position start =
                message.request.special ? message.request.position : variant_initial(variant);
            game_init(&game, variant, NULL, &start);
            side = message.request.follower;
            playing = true;
            if (!wire_send(&wire, "Afake                            0", 34, clock_seconds() + 60, &error))
                return;
        } else if (message.type == DXP_MOVE) {
            variant->generate(game_position(&game), legal);
            if (!dxp_find_move(&message, legal, &move, &error)) return;
            game_play(&game, move);
        } else if (message.type == DXP_GAMEEND) {
            if (playing && !wire_send(&wire, "E00", 3, clock_seconds() + 60, &error)) return;
            if (message.end.stop) return;
            playing = false;
        }
    }
}

// A game against that program, which has `side` and plays on a position of few pieces.
static void play_over_dxp(const char *fen, enum side side, const char *const *says, int max_plies,
                          struct played_game *played) {
    struct error error;
    char address[WIRE_ADDRESS_SIZE];
    const struct variant *variant = variant_find("international", &error);
    const int listener = wire_listen("0", address, &error);
    const pid_t pid = fork();
    if (pid == 0) {
        const int connection = wire_accept(listener, clock_seconds() + 60, &error);
        follow(connection, says);
        _exit(0);
    }
    close(listener);
    struct weights weights = weights_material(variant);
    const struct engine_settings settings = {
        .name = "fake",
        .protocol = ENGINE_DXP,
        .address = address,
        .variant = variant,
        .startup = 60,
        .ready = 60,
        .stall = 0.2,
        .most_failures = 1,
    };
    struct player players[2] = {{.limits = {.depth = 1}}, {.limits = {.depth = 1}}};
    players[side].engine = engine_new(&settings);
    players[other_side(side)].search = search_new(variant, &weights, 1);
    weights_free(&weights);
    const struct playing_settings rules = {
        .variant = variant, .draws = variant->rules->draws, .max_plies = max_plies, .time_margin = 1};
    struct playing *playing = playing_new(&rules);
    struct opening opening = {.start = variant_initial(variant)};
    if (fen) cr_assert(position_from_fen(variant, fen, &opening.start, &error), "%s", error.text);
    playing_game(playing, &opening, players, played);
    playing_free(playing);
    engine_free(players[side].engine);
    search_free(players[other_side(side)].search);
    waitpid(pid, NULL, 0);
}

Test(dxp, ends_are_what_they_should_be) {
    static const struct {
        const char *says[8], *reason;
        enum termination end;
        int result, plies;
    } cases[] = {
        {{"E10"}, "engine fake: resigned", GAME_ADJUDICATED_WIN, -1, 0},
        {{"move", "E11"}, "engine fake: resigned", GAME_ADJUDICATED_WIN, -1, 2},
        {{"E20"}, "engine fake: ended the game as a draw instead of a move", GAME_ILLEGAL_MOVE, -1, 0},
        {{"Cerror: bad", "E00"},
         "engine fake: ended the game without a result instead of a move; it said: \"error: bad\"",
         GAME_ILLEGAL_MOVE,
         -1,
         0},
        {{"move", "M0001320100", "silent"},
         "engine fake: 32-01 with 0 captured is not a legal move",
         GAME_ILLEGAL_MOVE,
         -1,
         2},
        {{"move", "Mxx"}, "engine fake: MOVE: the message ends before seconds", GAME_CRASH, -1, 2},
        {{"Chello", "gone"},
         "engine fake: gone instead of a move (the connection was closed); its last line: \"hello\"",
         GAME_CRASH,
         -1,
         0},
        {{"B001W", "move", "silent"}, "engine fake: no move within 0.2 s", GAME_STALL, -1, 2},
        {{"move", "move", "silent"}, "", GAME_LENGTH, 0, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct played_game played = {0};
        play_over_dxp(NULL, WHITE, cases[i].says, 4, &played);
        cr_expect_str_eq(played.reason.text, cases[i].reason, "%zu: %s", i, played.reason.text);
        cr_expect_eq(played.termination, cases[i].end, "%zu: %s", i, termination_names[played.termination]);
        cr_expect_eq(played.result, cases[i].result, "%zu: %d", i, played.result);
        cr_expect_eq(played.plies, cases[i].plies, "%zu: %d plies", i, played.plies);
        played_game_free(&played);
    }
}

Test(dxp, talk_is_listened_to_but_not_for_ever) {
    enum { MOST = 200 };
    const char *says[2 * MOST + 4];
    struct played_game played = {0};
    int count = 0;
    for (int move = 0; move < 2; move++) {
        for (int i = 0; i < MOST; i++) says[count++] = "Ctalk";
        says[count++] = "move";
    }
    says[count] = "silent";
    play_over_dxp(NULL, WHITE, says, 4, &played);
    cr_expect_eq(played.termination, GAME_LENGTH, "%s", played.reason.text);
    says[2 * MOST + 1] = says[MOST] = "Ctalk";
    play_over_dxp(NULL, WHITE, says, 4, &played);
    cr_expect_eq(played.termination, GAME_CRASH);
    cr_expect_str_eq(played.reason.text,
                     "engine fake: more than 200 messages that are no move; its last line: \"talk\"");
    played_game_free(&played);
}

// White captures the last piece; Black, to move, has lost and says so, or something else.
Test(dxp, the_result_is_the_referees) {
    static const struct {
        const char *says[2], *reason;
    } cases[] = {
        {{"E10"}, ""},
        {{"E00"}, ""},
        {{"E31"}, "engine fake: it called the result its win, by the rules it is its loss"},
        {{"E20"}, "engine fake: it called the result a draw, by the rules it is its loss"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct played_game played = {0};
        play_over_dxp("W:W28:B23", BLACK, cases[i].says, 100, &played);
        cr_expect_str_eq(played.reason.text, cases[i].reason, "%s", played.reason.text);
        cr_expect_eq(played.termination, GAME_NO_PIECES);
        cr_expect_eq(played.result, 1);
        played_game_free(&played);
    }
}
