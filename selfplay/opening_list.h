// opening_list.h -- openings that are listed, not drawn: those of a file, or all of so many plies.
#ifndef HUFF_SELFPLAY_OPENING_LIST_H
#define HUFF_SELFPLAY_OPENING_LIST_H

#include "selfplay/openings.h"

struct opening_list;

// A file of PDN games, or with a FEN a line (# begins a comment). An opening that is illegal, that is over by
// the rules or too long is refused with its line.
struct opening_list *opening_list_read(const char *path, const struct variant *, const struct draw_rules *,
                                       struct error *);

// A book: a file with a FEN a line, which also says of what game it is and has a checksum of its lines, so
// that reading a damaged one fails. The openings become positions; the moves to them are comments. `about`:
// the rest of its first line.
bool opening_list_write(const struct opening_list *, const char *path, const char *about, struct error *)
    __attribute__((warn_unused_result));

// Every position that `plies` plies from the start lead to, once, however many ways lead there. (No two of
// them are each other's colour swap: after so many plies it is the same side's turn in all of them.)
enum { MOST_ALL_PLIES = 8 };
struct opening_list *opening_list_all(int plies, const struct variant *, const struct draw_rules *,
                                      struct error *);

// Leaves those out for which kept[index] is false.
void opening_list_keep(struct opening_list *, const bool *kept);

// Puts them into an order that depends on the seed alone.
void opening_list_shuffle(struct opening_list *, uint64_t seed);

void opening_list_free(struct opening_list *);  // NULL is allowed
int opening_list_count(const struct opening_list *);
void opening_list_get(const struct opening_list *, int index, struct opening *);
// The position after its moves.
struct position opening_list_end(const struct opening_list *, int index);
// Where it stands in the file; its number, from 1, when there is none.
int opening_list_line(const struct opening_list *, int index);
// Of the file's bytes, in hexadecimal; "" without one.
const char *opening_list_sha256(const struct opening_list *);

#endif
