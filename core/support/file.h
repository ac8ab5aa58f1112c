// file.h -- files that are whole or absent.
#ifndef HUFF_CORE_SUPPORT_FILE_H
#define HUFF_CORE_SUPPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/support/error.h"

// May a file be put there? Refused: no name, and what is there and is no regular file, be it behind a link:
// to rename over a device, a pipe or a folder would destroy it.
bool file_check_output(const char *path, struct error *) __attribute__((warn_unused_result));
// The file that is behind a link, so that the link stays one; `path` itself where nothing is there. Freed by
// the caller.
char *file_target(const char *path);

// Replaces `path` by these bytes: written beside it under a temporary name, fsync, rename, fsync of the
// folder. On failure the old file is untouched and nothing is left behind.
bool file_replace(const char *path, const void *data, size_t size, struct error *)
    __attribute__((warn_unused_result));
// The last two steps alone, for a file that was written by other means: fsync of `from`, rename to `to`,
// fsync of the folder. A folder, too, where there is none.
bool file_publish(const char *from, const char *to, struct error *) __attribute__((warn_unused_result));

// Removes what processes that were killed while they replaced the file `name` of a folder (NULL: any file)
// have left; none may be at it now.
void file_remove_temporaries(const char *folder, const char *name);

// All of the bytes, whatever signals come in between; false with errno when they cannot be written.
bool file_write(int file, const void *data, size_t size) __attribute__((warn_unused_result));

// A whole file; *data is followed by a zero byte and freed by the caller. Refuses more than `limit` bytes.
bool file_read(const char *path, size_t limit, char **data, size_t *size, struct error *)
    __attribute__((warn_unused_result));

// Makes a folder and those above it; it may be there already.
bool file_make_folder(const char *path, struct error *) __attribute__((warn_unused_result));
bool file_exists(const char *path);

// Where standard input, output or error is closed, no file that is opened later becomes it: to read or write
// it goes on to fail. First in main().
void file_keep_standard(void);

#endif
