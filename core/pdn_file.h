// pdn_file.h -- the games of a PDN file one after another, whatever its size, in the memory of a few.
#ifndef HUFF_CORE_PDN_FILE_H
#define HUFF_CORE_PDN_FILE_H

#include "core/pdn.h"

struct pdn_file;

// Settings as for pdn_reader_new_stream, and `guess`; "-" is standard input. Reads the first part of the
// file: NULL when that cannot be had, or is UTF-16 or UTF-32. `settings` need not stay, its context must.
struct pdn_file *pdn_file_open(const char *path, const struct pdn_settings *settings, struct error *)
    __attribute__((warn_unused_result));
void pdn_file_close(struct pdn_file *);  // NULL is allowed

// The next good game, to be freed by pdn_game_free. False at the end of the file, and after a failure to read
// it or a signal (interrupted()), which pdn_file_failed tells apart; a game that is cut off by them is none.
bool pdn_file_read(struct pdn_file *, struct pdn_game *) __attribute__((warn_unused_result));
bool pdn_file_failed(const struct pdn_file *, struct error *);
struct pdn_counts pdn_file_counts(const struct pdn_file *);
uint64_t pdn_file_bytes(const struct pdn_file *);  // read so far

#endif
