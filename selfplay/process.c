// process.c -- starts a child with pipes to it, reads both its outputs, and ends it for certain.

#include "selfplay/process.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/support/clock.h"
#include "core/support/memory.h"
#include "core/support/progress.h"
#include "search/hub.h"

enum {
    ERRORS_KEPT = 2048,        // bytes of standard error
    LINES_SHOWN = 5,           // of these, in a message
    CHUNK = 1 << 16,           // read at once
    MOST_CHUNKS = 16,          // of standard error before standard output is looked at again
    SLICE_MILLISECONDS = 100,  // a signal may go to another thread: look whether there was one
    STEP_MILLISECONDS = 5,     // a child may end without closing anything
    MARK_SIZE = 64,
    MOST_SWEEPS = 200,  // one step each; what was killed needs a moment, and may have forked before
};

#define QUIT_SECONDS      2.0  // to end after the end of its input
#define TERMINATE_SECONDS 1.0  // to end after SIGTERM
#define DESCRIBE_SECONDS  2.0  // from the end of its output to its own
#define SEND_SECONDS      0.1  // for a last line

struct process {
    pid_t pid;            // and process group
    int in, out, errors;  // descriptors here: its standard input, output and error; -1: closed
    bool ended;           // and not waited for yet
    siginfo_t end;
    char mark[MARK_SIZE];  // in the environment of the child and all that come from it
    struct wire wire;
    double looked;  // clock_lag when there was nothing to read
    double lag;     // from then until the last bytes were read
    size_t kept;
    char last[ERRORS_KEPT];
    struct error_lines *lines;  // all of it; NULL: not wanted
};

// ---- the words of a command

// Cuts the next word out of *rest; NULL at the end. `still_open`: the quote that is open at its end, or 0.
static char *next_word(char **rest, char *still_open) {
    char *at = *rest;
    while (*at == ' ' || *at == '\t') at++;
    if (!*at) return NULL;
    char *const word = at, *to = at, open = '\0';  // the quote that is open
    for (; *at && (open || (*at != ' ' && *at != '\t')); at++) {
        if (open ? *at == open : *at == '"' || *at == '\'')
            open = open ? '\0' : *at;
        else
            *to++ = *at;
    }
    *rest = *at ? at + 1 : at;
    *still_open = open;
    *to = '\0';
    return word;
}

// The words point into `text`; free the list. NULL: there are none, or not whole ones.
static char **split_command(char *text, struct error *error) {
    size_t count = 0;
    char open = '\0';
    char **words = memory_new(strlen(text) / 2 + 2, sizeof *words);
    for (char *word; (word = next_word(&text, &open)) != NULL;) words[count++] = word;
    if (count && !open) return words;
    if (open)
        error_set(error, "a quote (%c) is not closed in the command, at \"%.80s\"", open, words[count - 1]);
    else
        error_set(error, "expected a command to start");
    free(words);
    return NULL;
}

bool process_check_command(const char *command, struct error *error) {
    char *text = memory_text("%s", command);
    char **words = split_command(text, error);
    const bool good = words != NULL;
    free(words);
    free(text);
    return good;
}

// ---- the start

// Reading ends in [0], writing ends in [1].
struct pipes {
    int in[2], out[2], errors[2], failure[2];
};

static void close_pair(const int pair[2]) {
    if (pair[0] >= 0) close(pair[0]);
    if (pair[1] >= 0) close(pair[1]);
}

static void close_pipes(const struct pipes *pipes) {
    close_pair(pipes->in);
    close_pair(pipes->out);
    close_pair(pipes->errors);
    close_pair(pipes->failure);
}

static bool open_pipes(struct pipes *pipes) {
    *pipes = (struct pipes){{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    return pipe2(pipes->in, O_CLOEXEC) == 0 && pipe2(pipes->out, O_CLOEXEC) == 0 &&
           pipe2(pipes->errors, O_CLOEXEC) == 0 && pipe2(pipes->failure, O_CLOEXEC) == 0;
}

// Why there is no program: one of its folder or of the program itself.
struct failure {
    int code;  // 0: none
    bool folder;
};

// What the child does; only calls that are safe after the fork of a program with threads.
_Noreturn static void become(char **words, char **environment, const char *folder, const struct pipes *pipes,
                             pid_t parent) {
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct failure failure = {.folder = folder && chdir(folder) != 0};
    if (!failure.folder && getppid() == parent && dup2(pipes->in[0], STDIN_FILENO) >= 0 &&
        dup2(pipes->out[1], STDOUT_FILENO) >= 0 && dup2(pipes->errors[1], STDERR_FILENO) >= 0)
        execvpe(words[0], words, environment);
    failure.code = errno;
    (void)!write(pipes->failure[1], &failure, sizeof failure);
    _exit(127);
}

static struct failure read_failure(struct pipes *pipes) {
    close(pipes->failure[1]);
    pipes->failure[1] = -1;
    struct failure failure = {0};
    ssize_t count;
    do count = read(pipes->failure[0], &failure, sizeof failure);
    while (count < 0 && errno == EINTR);
    return count == (ssize_t)sizeof failure ? failure : (struct failure){0};
}

static void keep(int *from, int *to) {
    *to = *from;
    *from = -1;
    fcntl(*to, F_SETFL, fcntl(*to, F_GETFL) | O_NONBLOCK);
}

static void adopt(struct process *process, pid_t pid, struct pipes *pipes) {
    process->pid = pid;
    keep(&pipes->in[1], &process->in);
    keep(&pipes->out[0], &process->out);
    keep(&pipes->errors[0], &process->errors);
    wire_init(&process->wire, process->out, process->in, '\n', HUB_LINE_LIMIT);
}

// Ours and the mark. The mark is a name, not a value, so that a match within a match leaves the outer one.
static char **mark_environment(char *mark) {
    size_t count = 0;
    while (environ[count]) count++;
    char **marked = memory_new(count + 2, sizeof *marked);
    memcpy(marked, environ, count * sizeof *marked);
    marked[count] = mark;
    return marked;
}

static struct process *start(char **words, const char *folder, struct error *error) {
    struct pipes pipes;
    struct process *process = memory_new(1, sizeof *process);
    const pid_t self = getpid();
    snprintf(process->mark, MARK_SIZE, "HUFF_ENGINE_%d_%" PRIxPTR "=1", (int)self, (uintptr_t)process);
    char **environment = mark_environment(process->mark);
    pid_t pid = -1;
    if (open_pipes(&pipes) && (pid = fork()) == 0) become(words, environment, folder, &pipes, self);
    struct failure failure = {.code = pid < 0 ? errno : 0};
    if (pid > 0) {
        setpgid(pid, pid);  // whichever of the two is first
        failure = read_failure(&pipes);
    }
    free(environment);
    if (failure.code == 0)
        adopt(process, pid, &pipes);
    else if (pid > 0)
        waitpid(pid, NULL, 0);
    close_pipes(&pipes);
    if (failure.code == 0) return process;
    error_set(error,
              failure.folder ? "cannot enter the folder \"%.200s\": %s" : "cannot start \"%.200s\": %s",
              failure.folder ? folder : words[0], strerror(failure.code));
    free(process);
    return NULL;
}

struct process *process_start(const char *command, const char *folder, struct error *error) {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL);  // ignored, it would let children vanish before they are waited for
    char *text = memory_text("%s", command);
    char **words = split_command(text, error);
    struct process *process = words ? start(words, folder, error) : NULL;
    free(words);
    free(text);
    return process;
}

// ---- lines

void process_log_errors(struct process *process, struct error_lines *lines) { process->lines = lines; }

static void keep_errors(struct process *process, const char *bytes, size_t count) {
    if (count > ERRORS_KEPT) {
        bytes += count - ERRORS_KEPT;
        count = ERRORS_KEPT;
    }
    const size_t room = ERRORS_KEPT - process->kept, drop = count > room ? count - room : 0;
    memmove(process->last, process->last + drop, process->kept - drop);
    process->kept -= drop;
    memcpy(process->last + process->kept, bytes, count);
    process->kept += count;
}

// Returns whether there was anything.
static bool read_errors(struct process *process) {
    char bytes[CHUNK / 16];
    bool any = false;
    for (int i = 0; i < MOST_CHUNKS && process->errors >= 0; i++) {
        const ssize_t count = read(process->errors, bytes, sizeof bytes);
        if (count > 0) {
            keep_errors(process, bytes, (size_t)count);
            error_lines_add(process->lines, bytes, (size_t)count);
            any = true;
        } else if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
            break;
        } else {
            close(process->errors);
            process->errors = -1;
        }
    }
    return any;
}

// Waits for either output, reads standard error; `milliseconds` at most.
static void wait_for_output(struct process *process, int milliseconds) {
    struct pollfd both[2] = {{.fd = process->out, .events = POLLIN},
                             {.fd = process->errors, .events = POLLIN}};
    if (poll(both, 2, milliseconds) > 0 && both[1].revents) read_errors(process);
}

static bool has_ended(struct process *process) {
    if (process->ended) return true;
    process->end = (siginfo_t){0};
    // Left unwaited for, so that neither its number nor that of its group can become another's.
    const int code = waitid(P_PID, (id_t)process->pid, &process->end, WEXITED | WNOHANG | WNOWAIT);
    process->ended = code == 0 && process->end.si_pid != 0;
    return process->ended;
}

enum wire_event process_receive(struct process *process, double deadline, const char **line, size_t *length) {
    for (bool ended = false;; ended = has_ended(process)) {
        const double arrived = process->wire.arrived;
        const enum wire_event event = wire_receive(&process->wire, 0, line, length);  // what is there
        if (process->wire.arrived != arrived) process->lag = clock_lag() - process->looked;
        if (event != WIRE_LATE) return event;
        // All that it wrote came before its end.
        if (ended && process->wire.arrived == arrived) return WIRE_CLOSED;
        const double left = deadline - clock_seconds();
        if (left <= 0) return WIRE_LATE;
        process->looked = clock_lag();
        wait_for_output(process, (int)ceil(fmin(1000 * left, SLICE_MILLISECONDS)));
    }
}

double process_arrived(const struct process *process) { return process->wire.arrived - process->lag; }

const char *process_half_line(const struct process *process, size_t *length) {
    *length = process->wire.filled - process->wire.taken;
    return *length ? process->wire.bytes + process->wire.taken : "";
}

bool process_send(struct process *process, const char *lines, double deadline, struct error *error) {
    process->looked = clock_lag();
    return wire_send(&process->wire, lines, strlen(lines), deadline, error);
}

// ---- the end

// Nobody needs its output any more, but it may be unable to end until that is read.
// Returns whether there was anything.
static bool drain_output(struct process *process) {
    char bytes[CHUNK / 16];
    bool any = false;
    for (int i = 0; i < MOST_CHUNKS && process->out >= 0; i++) {
        const ssize_t count = read(process->out, bytes, sizeof bytes);
        any = any || count > 0;
        if (count > 0) continue;
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
        close(process->out);
        process->out = -1;
    }
    return any;
}

bool process_goes_on(struct process *process, bool *talks) {
    const bool errors = read_errors(process), output = drain_output(process);
    *talks = errors || output;
    return !has_ended(process);
}

static bool wait_for_end(struct process *process, double seconds) {
    const double deadline = clock_seconds() + seconds;
    while (!has_ended(process) && clock_seconds() < deadline) {
        wait_for_output(process, STEP_MILLISECONDS);
        drain_output(process);
    }
    return process->ended;
}

void process_describe_end(struct process *process, char *text, size_t size) {
    const bool ended = wait_for_end(process, DESCRIBE_SECONDS);
    read_errors(process);
    const int status = process->end.si_status;
    if (!ended)
        snprintf(text, size, "it still runs");
    else if (process->end.si_code == CLD_EXITED)
        snprintf(text, size, "exit code %d", status);
    else
        snprintf(text, size, "signal %d (%s)", status, strsignal(status));
}

void process_last_errors(struct process *process, char *text, size_t size) {
    read_errors(process);
    const char *from = process->last, *end = process->last + process->kept;
    while (end > from && end[-1] == '\n') end--;
    int lines = 0;
    const char *at = end;
    while (at > from && (size_t)(end - at) < size / 2 && (at[-1] != '\n' || ++lines < LINES_SHOWN)) at--;
    size_t length = 0;
    for (; at < end && length + 4 < size; at++) {
        const char *const shown = *at == '\n' ? " | " : NULL;
        if (shown)
            length += (size_t)snprintf(text + length, size - length, "%s", shown);
        else
            text[length++] = (unsigned char)*at < ' ' || *at == '\x7f' ? '?' : *at;
    }
    text[length] = '\0';
}

static void ask_to_quit(struct process *process, const char *quit) {
    struct error ignored;
    if (quit) (void)!process_send(process, quit, clock_seconds() + SEND_SECONDS, &ignored);
    close(process->in);
    process->in = -1;
}

// Whether a process, a folder of /proc, has the mark in its environment. One that has ended has none.
static bool is_marked(const char *number, const char *mark) {
    char *path = memory_text("/proc/%s/environ", number), *variable = NULL;
    size_t size = 0;
    bool found = false;
    FILE *file = fopen(path, "re");
    while (file && !found && getdelim(&variable, &size, '\0', file) > 0) found = strcmp(variable, mark) == 0;
    if (file) fclose(file);
    free(variable);
    free(path);
    return found;
}

// Whatever has the number by then, only what is marked is ended: the descriptor stays with the process.
static bool end_if_marked(const char *number, const char *mark) {
    const int fd = (int)syscall(SYS_pidfd_open, atoi(number), 0);
    if (fd < 0) return false;
    const bool marked = is_marked(number, mark);
    if (marked) syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
    close(fd);
    return marked;
}

// False when none was found.
static bool end_marked(const char *mark) {
    bool found = false;
    DIR *all = opendir("/proc");
    if (!all) return false;
    for (const struct dirent *entry; (entry = readdir(all)) != NULL;)
        if (isdigit((unsigned char)entry->d_name[0]) && end_if_marked(entry->d_name, mark)) found = true;
    closedir(all);
    return found;
}

// Those that have left the group for one of their own.
static void end_descendants(const struct process *process) {
    for (int i = 0; i < MOST_SWEEPS && end_marked(process->mark); i++)
        nanosleep(&(struct timespec){.tv_nsec = STEP_MILLISECONDS * 1000000L}, NULL);
}

void process_end(struct process *process, const char *quit) {
    ask_to_quit(process, quit);
    if (quit && !wait_for_end(process, QUIT_SECONDS)) {
        kill(-process->pid, SIGTERM);
        wait_for_end(process, TERMINATE_SECONDS);
    }
    kill(-process->pid, SIGKILL);
    while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    end_descendants(process);
    read_errors(process);
    error_lines_end(process->lines);
    if (process->out >= 0) close(process->out);
    if (process->errors >= 0) close(process->errors);
    wire_free(&process->wire);
    free(process);
}
