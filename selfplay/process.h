// process.h -- a child process with lines in both directions, that can always be ended.
//
// It runs in a process group of its own, so that Ctrl-C does not reach it and that its own children end with
// it; those that leave the group are found by a variable of their environment. If this program is killed, the
// child is as well. Its standard error is read and the last of it kept.
#ifndef HUFF_SELFPLAY_PROCESS_H
#define HUFF_SELFPLAY_PROCESS_H

#include "search/wire.h"
#include "selfplay/error_log.h"

struct process;

// A command is words separated by blanks; "..." and '...' hold a word together.
bool process_check_command(const char *command, struct error *) __attribute__((warn_unused_result));

// `folder` may be NULL. Ignores SIGPIPE from now on. Call it from a thread that lives as long as the child.
struct process *process_start(const char *command, const char *folder, struct error *);

// Its standard error goes there, too, as long as it lives. NULL: nowhere.
void process_log_errors(struct process *, struct error_lines *);

// The next line, as wire_receive has it; valid until the next call. WIRE_CLOSED also when the child has ended
// and somebody else holds its output open.
enum wire_event process_receive(struct process *, double deadline, const char **line, size_t *length);
// When the last bytes were read (clock_seconds), less what this thread had to wait for a processor meanwhile.
double process_arrived(const struct process *);
// What has come of a line without its end; valid until the next call.
const char *process_half_line(const struct process *, size_t *length);

bool process_send(struct process *, const char *lines, double deadline, struct error *)
    __attribute__((warn_unused_result));

// For a child that is talked to in another way: reads what it has written, throws its standard output away,
// and says whether it still runs. `talks`: there was something, so that more may be waiting to be written.
bool process_goes_on(struct process *, bool *talks);

// How a child that has closed its output ended ("exit code 3", "signal 11 (Segmentation fault)"): waits a
// little, and says "it still runs" when that is so. What it wrote to standard error last is read, too.
void process_describe_end(struct process *, char *text, size_t size);
// The last lines of standard error, joined to one line.
void process_last_errors(struct process *, char *text, size_t size);

// Closes its input, after the line `quit` when that is not NULL, and waits; then SIGTERM, then SIGKILL for
// the whole group and what has left it. When `quit` is NULL there is no waiting.
void process_end(struct process *, const char *quit);

#endif
