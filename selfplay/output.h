// output.h -- where a command may write: nothing that it reads from, and nothing that a run keeps.
#ifndef HUFF_SELFPLAY_OUTPUT_H
#define HUFF_SELFPLAY_OUTPUT_H

#include "selfplay/dataset.h"

// Refuses a name under which no regular file can be put, that of a file of `sources` (NULL: none) whatever
// links lead there, and those of the files of a run in its folder. To be called before the work, not after.
bool output_check(const char *path, const struct dataset *sources, struct error *)
    __attribute__((warn_unused_result));
// So too, where what is read from is files that are not open yet.
bool output_check_paths(const char *path, const char *const *sources, int count, struct error *)
    __attribute__((warn_unused_result));

#endif
