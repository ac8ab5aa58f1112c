// pdn_file.h -- the games of a PDN file one after another, whatever its size, in the memory of a few.
#ifndef HUFF_CORE_PDN_FILE_H
#define HUFF_CORE_PDN_FILE_H

#include "core/pdn.h"

struct pdn_file;

// Settings as for pdn_reader_new_stream; "-" is standard input. NULL when it cannot be opened.
struct pdn_file *pdn_file_open(const char *path, const struct pdn_settings *, struct error *)
    __attribute__((warn_unused_result));
void pdn_file_close(struct pdn_file *);  // NULL is allowed

// The next good game, to be freed by pdn_game_free. False at the end of the file, and after a failure to read
// it, which pdn_file_failed tells apart.
bool pdn_file_read(struct pdn_file *, struct pdn_game *) __attribute__((warn_unused_result));
bool pdn_file_failed(const struct pdn_file *, struct error *);
struct pdn_counts pdn_file_counts(const struct pdn_file *);

#endif
