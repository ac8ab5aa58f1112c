// fuzz_referee.c -- games against engines full of faults, over Hub, DXP and the text protocol.
//
// An input is a few bytes that say which engine, game and limits there are, then the faults of what the
// engine says, message by message (tests/fuzz/fuzz_engine.h). The engine is a process of its own: mostly a
// fork of this one, without its exec (which --wrap of the linker puts into the hands of this file), since
// that is much faster; now and then a real start. Whatever the engine does, the games come to an end with a
// result that is in order or an error, and afterwards no descriptor, child or process is left.
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/support/memory.h"
#include "search/wire.h"
#include "selfplay/engine.h"
#include "selfplay/playing.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_engine.h"

enum {
    SEED_AT = 5,  // in an input
    HEAD_SIZE = 9,
    MOST_INPUT = 256,
    SKIPPED = 17,  // faults that an engine that is started again has had
    MOST_FAILURES = 3,
    LEFT_SECONDS = 20,  // for what was killed to be gone
    WORKERS = 24,
};

#define ENGINE      "engine"
#define LIMIT_SHORT 0.03  // seconds
#define LIMIT_READY 0.15
#define LIMIT_START 0.4

struct session {
    struct fuzz_script script;
    bool calls, runs;  // over DXP: it connects, it is not started by the referee
    bool real;         // it is started by a real exec
    enum side side;
    int games, random_plies, max_plies, options;
    struct time_control clock;
    struct search_limits limits;
};

// Of a worker; others see it.
static struct tally {
    struct fuzz_run run;
    long begun;  // inputs
    long games, plies, given_up, starts;
    long ends[TERMINATION_COUNT];
    // Of the input at hand, and its engines.
    int starts_now;
    char blame[FUZZ_BLAME_SIZE];
} * tally;

// ---- what an input says

static bool read_session(const uint8_t *bytes, size_t size, struct session *session) {
    enum { HUB, TEXT, STARTED, STARTED_CALLS, RUNS, RUNS_CALLS, KINDS };
    static const struct search_limits limits[] = {{.nodes = 100}, {.depth = 3}, {.seconds = LIMIT_SHORT}};
    enum { LIMITS = sizeof limits / sizeof *limits };
    if (size < HEAD_SIZE || size > MOST_INPUT) return false;
    const int kind = bytes[0] % KINDS, limit = bytes[2] % (LIMITS + 1);
    const struct variant *variant = &variants[bytes[1] % variant_count];
    *session = (struct session){
        .calls = kind == STARTED_CALLS || kind == RUNS_CALLS,
        .runs = kind >= RUNS,
        .real = kind < RUNS && bytes[3] >= 240,
        .side = bytes[3] % 2 ? BLACK : WHITE,
        .games = 1 + bytes[3] / 2 % 3,
        .options = bytes[3] / 8 % 8 < 6 ? 0 : bytes[3] / 8 % 8 - 5,
        .random_plies = bytes[4] % 8,
        .max_plies = 10 + bytes[4] / 4,
        .script = {.kind = kind == HUB    ? FUZZ_HUB
                           : kind == TEXT ? FUZZ_TEXT
                                          : FUZZ_DXP,
                   .variant = variant,
                   .faults = bytes + HEAD_SIZE,
                   .count = size - HEAD_SIZE},
    };
    struct fuzz_script *script = &session->script;
    memcpy(&script->seed, bytes + SEED_AT, HEAD_SIZE - SEED_AT);
    script->detaches = session->real;
    // Clocks of DXP run for minutes.
    if (limit < LIMITS || script->kind == FUZZ_DXP)
        session->limits = limits[limit % LIMITS];
    else
        session->clock =
            (struct time_control){.moves = bytes[2] & 64 ? 10 : 0, .seconds = 0.2, .increment = 0.01};
    if (script->kind == FUZZ_DXP && variant->rules->width != 10)
        script->variant = variant_find("international", NULL);
    return true;
}

static char *to_hex(const uint8_t *bytes, size_t size) {
    char *text = memory_new(2 * size + 1, 1);
    for (size_t i = 0; i < size; i++) snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return text;
}

static size_t from_hex(const char *text, uint8_t bytes[static MOST_INPUT]) {
    size_t size = 0;
    for (unsigned value; size < MOST_INPUT && sscanf(text + 2 * size, "%2x", &value) == 1; size++)
        bytes[size] = (uint8_t)value;
    return size;
}

// ---- the engine's process

// Each start of it goes on with other faults.
static void skip_faults(struct fuzz_script *script, int starts) {
    const size_t wanted = (size_t)starts * SKIPPED, skipped = wanted < script->count ? wanted : script->count;
    script->faults += skipped;
    script->count -= skipped;
}

// engine INPUT PORT STARTS. What is open besides the standard descriptors goes, as in an exec.
_Noreturn static void be_engine(char *const *argv, char *blame) {
    uint8_t bytes[MOST_INPUT];
    struct session session;
    struct error error;
    char bound[WIRE_ADDRESS_SIZE];
    if (!read_session(bytes, from_hex(argv[1], bytes), &session)) _exit(127);
    session.script.blame = blame;
    skip_faults(&session.script, atoi(argv[3]));
    const bool dxp = session.script.kind == FUZZ_DXP;
    int listener = dxp && !session.calls ? wire_listen(argv[2], bound, &error) : -1;
    if (listener >= 0) listener = dup2(listener, STDERR_FILENO + 1);
    close_range(STDERR_FILENO + (listener >= 0 ? 2 : 1), ~0U, 0);
    if (!dxp) fuzz_engine_run(&session.script);
    if (listener < 0 && !session.calls) _exit(126);
    fuzz_engine_serve(&session.script, listener, argv[2], true);
}

int __real_execvpe(const char *file, char *const argv[], char *const envp[]);
int __wrap_execvpe(const char *file, char *const argv[], char *const envp[]);

// Called by selfplay/process.c in the child.
int __wrap_execvpe(const char *file, char *const argv[], char *const envp[]) {
    uint8_t bytes[MOST_INPUT];
    struct session session;
    char starts[16];
    fuzz_require(!strcmp(file, ENGINE) && read_session(bytes, from_hex(argv[1], bytes), &session),
                 "another program was started");
    snprintf(starts, sizeof starts, "%d", tally->starts_now++);
    char *words[] = {argv[0], argv[1], argv[2], starts, NULL};
    if (session.real) return __real_execvpe("/proc/self/exe", words, envp);
    be_engine(words, tally->blame);
}

// One that runs already, at an address, in a group of its own: whoever leads it does not end its children.
static pid_t start_running(struct session *session, char address[static WIRE_ADDRESS_SIZE]) {
    struct error error;
    const int listener = wire_listen("0", address, &error);
    fuzz_require(listener >= 0, error.text);
    if (session->calls) close(listener);
    const pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setpgid(0, 0);
        signal(SIGPIPE, SIG_IGN);
        if (!freopen("/dev/null", "w", stderr)) _exit(126);
        fuzz_engine_serve(&session->script, session->calls ? -1 : listener, address, false);
    }
    setpgid(pid, pid);
    if (!session->calls) close(listener);
    return pid;
}

// ---- the games

static void check_game(const struct session *session, const struct played_game *game) {
    const int lost = session->side == WHITE ? -1 : 1;
    tally->games++;
    tally->plies += game->plies;
    fuzz_require(game->result >= -1 && game->result <= 1, "a result that is none");
    fuzz_require(game->termination < TERMINATION_COUNT, "an end that is none");
    if (*game->reason.text) fuzz_check_error(&game->reason);
    tally->ends[game->termination]++;
    switch (game->termination) {
    case GAME_TIME:
    case GAME_ILLEGAL_MOVE:
    case GAME_CRASH:
    case GAME_STALL:
    case GAME_ADJUDICATED_WIN:
        fuzz_require(game->result == lost, "the engine failed and did not lose");
        fuzz_require(*game->reason.text, "a failure without a reason");
        break;
    case GAME_GOES_ON: fuzz_require(*game->reason.text, "given up without a reason"); break;
    default: break;
    }
}

static void play_games(const struct session *session, struct engine *engine) {
    const struct variant *variant = session->script.variant;
    struct weights weights = weights_material(variant);
    const struct playing_settings rules = {.variant = variant,
                                           .draws = variant->rules->draws,
                                           .max_plies = session->max_plies,
                                           .time_margin = LIMIT_SHORT};
    struct player players[2] = {{.limits = {.depth = 1}}, {.limits = {.depth = 1}}};
    struct player *opponent = &players[other_side(session->side)];
    players[session->side] =
        (struct player){.engine = engine, .limits = session->limits, .clock = session->clock, .round = "1.1"};
    opponent->search = search_new(variant, &weights, 1);
    weights_free(&weights);
    struct playing *playing = playing_new(&rules);
    struct played_game game = {0};
    struct opening opening;
    struct error error;
    const struct opening_source source = {variant_initial(variant), session->random_plies};
    for (int i = 0; i < session->games; i++) {
        struct random random = random_stream(session->script.seed, 2 + (uint64_t)i);
        fuzz_require(opening_draw(&source, variant, &rules.draws, &random, &opening, &error), error.text);
        playing_game(playing, &opening, players, &game);
        check_game(session, &game);
        if (game.termination == GAME_GOES_ON) {
            tally->given_up++;
            break;
        }
    }
    played_game_free(&game);
    playing_free(playing);
    search_free(opponent->search);
}

static void play_session(const struct session *session, const char *command, const char *address) {
    char *const options[] = {"hash=2", "no such=option"};
    struct error_log *log = error_log_new("/dev/null");
    const struct engine_settings settings = {
        .name = "fuzz",
        .command = address ? NULL : command,
        .protocol = session->script.kind == FUZZ_HUB    ? ENGINE_HUB
                    : session->script.kind == FUZZ_TEXT ? ENGINE_TEXT
                                                        : ENGINE_DXP,
        .address = address,
        .calls = session->calls,
        .variant = session->script.variant,
        .options = options,
        .option_count = session->options,
        .startup = LIMIT_START,
        .ready = LIMIT_READY,
        .stall = LIMIT_SHORT,
        .most_failures = MOST_FAILURES,
        .log = log,
    };
    struct engine *engine = engine_new(&settings);
    play_games(session, engine);
    engine_free(engine);
    error_log_free(log);
}

// ---- what is left afterwards

static int count_descriptors(void) {
    int count = 0;
    DIR *all = opendir("/proc/self/fd");
    fuzz_require(all, "cannot list the open files");
    while (readdir(all)) count++;
    closedir(all);
    return count;
}

// Orphans become children of this process (PR_SET_CHILD_SUBREAPER).
static void check_processes(bool orphans) {
    const double end = clock_seconds() + LEFT_SECONDS;
    for (pid_t pid; (pid = waitpid(-1, NULL, WNOHANG)) >= 0;) {
        fuzz_require(orphans, pid ? "a child was not waited for" : "an engine is left");
        fuzz_require(pid || clock_seconds() < end, "a child of an engine is left");
        if (!pid) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

static void end_running(pid_t pid) {
    kill(-pid, SIGKILL);
    fuzz_require(waitpid(pid, NULL, 0) == pid, "an engine that nobody started is gone");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct session session;
    char address[WIRE_ADDRESS_SIZE];
    if (!read_session(bytes, size, &session)) return 0;
    tally->begun++;
    tally->starts_now = 0;
    session.script.blame = tally->blame;
    char *hex = to_hex(bytes, size), *command = memory_text(ENGINE " %s {port}", hex);
    const int descriptors = count_descriptors();
    const pid_t running = session.runs ? start_running(&session, address) : 0;
    play_session(&session, command, running ? address : NULL);
    if (running) end_running(running);
    fuzz_require(count_descriptors() == descriptors, "a descriptor is left open");
    check_processes(fuzz_engine_leaves_child(&session.script));
    fuzz_require(!*tally->blame, tally->blame);
    tally->starts += tally->starts_now;
    free(command);
    free(hex);
    return 0;
}

// ---- inputs

static void an_input(struct random *random, struct fuzz_input *in) {
    static const int numbers[] = {0, 1, 1, 1, 1, 2, 2, 3, 4, 8};
    fuzz_append_often(in, "\xff", MOST_INPUT);  // FUZZ_NO_FAULT
    for (int i = 0; i < HEAD_SIZE; i++) in->bytes[i] = (uint8_t)random_bits(random);
    const int faults = 1 + fuzz_some(random, MOST_INPUT - HEAD_SIZE);
    for (int n = FUZZ_CHOOSE(random, numbers); n > 0; n--)
        in->bytes[HEAD_SIZE + fuzz_some(random, 1 + fuzz_some(random, faults))] = fuzz_engine_fault(random);
}

// ---- the workers

static void start_worker(struct fuzz_plan plan, int worker) {
    const pid_t pid = fork();
    fuzz_require(pid >= 0, "cannot start a worker");
    if (pid != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    tally += worker;
    plan.seed = plan.seed * WORKERS + (uint64_t)worker;
    plan.count = (plan.count + WORKERS - 1 - worker) / WORKERS;
    tally->run = fuzz_run(plan, an_input);
    exit(0);
}

static struct tally sum_tallies(void) {
    struct tally sum = {0};
    for (const struct tally *t = tally; t < tally + WORKERS; t++) {
        sum.run.count += t->run.count;
        sum.run.slowest = fmax(sum.run.slowest, t->run.slowest);
        sum.games += t->games;
        sum.plies += t->plies;
        sum.given_up += t->given_up;
        sum.starts += t->starts;
        for (int end = 0; end < TERMINATION_COUNT; end++) sum.ends[end] += t->ends[end];
    }
    return sum;
}

static void print_tally(const struct tally *sum) {
    printf("%ld inputs, %ld games, %ld plies, %ld starts of engines, %ld given up, slowest %.3f s\n",
           sum->run.count, sum->games, sum->plies, sum->starts, sum->given_up, sum->run.slowest);
    for (int end = 0; end < TERMINATION_COUNT; end++)
        if (sum->ends[end]) printf("  %-18s %ld\n", termination_names[end], sum->ends[end]);
}

static bool wait_for_workers(void) {
    bool good = true;
    int status;
    while (waitpid(-1, &status, 0) > 0)
        if (status) good = false;
    for (int worker = 0; worker < WORKERS && !good; worker++)
        if (tally[worker].begun > tally[worker].run.count)
            fprintf(stderr, "fuzz_referee: worker %d failed in its input %ld\n", worker,
                    tally[worker].begun - 1);
    return good;
}

int main(int argc, char **argv) {
    if (argc == 4 && !strcmp(argv[0], ENGINE)) be_engine(argv, NULL);
    tally = mmap(NULL, WORKERS * sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fuzz_require(tally != MAP_FAILED, "no shared memory");
    const struct fuzz_plan plan = fuzz_plan(argc, argv);
    for (int worker = 0; worker < WORKERS; worker++) start_worker(plan, worker);
    const bool good = wait_for_workers();
    const struct tally sum = sum_tallies();
    print_tally(&sum);
    fuzz_require(sum.run.count < 100 || (sum.plies && sum.ends[GAME_ILLEGAL_MOVE]), "no fault was noticed");
    return good ? 0 : 1;
}
