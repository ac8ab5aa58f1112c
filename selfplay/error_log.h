// error_log.h -- what a program writes to its standard error as a file of bounded size: whole lines, each
// with the game it belongs to, also when several of the same program run at a time.
#ifndef HUFF_SELFPLAY_ERROR_LOG_H
#define HUFF_SELFPLAY_ERROR_LOG_H

#include <stddef.h>

enum { ERROR_LOG_MEGABYTES = 16 };  // then a line says that the rest is not kept

// The file is made when there is something to write, and goes on when it is there already.
struct error_log *error_log_new(const char *path);
void error_log_free(struct error_log *);  // NULL: nothing

// "its standard error is in RUN/bad.stderr", or why it is not; "" when there was none. Freed by the
// caller.
char *error_log_describe(struct error_log *);

// What comes from one program. NULL is allowed for it below: then nothing is kept.
struct error_lines *error_lines_new(struct error_log *);  // NULL for no log
void error_lines_free(struct error_lines *);

void error_lines_label(struct error_lines *, const char *game);  // "12.1": "[12.1] " begins lines from now on
void error_lines_add(struct error_lines *, const char *bytes, size_t count);
void error_lines_end(struct error_lines *);  // of the program: also of a line that it has not finished

#endif
