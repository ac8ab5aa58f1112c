// opening_list.h -- openings that are listed, not drawn: those of a file, or all of so many plies.
#ifndef HUFF_SELFPLAY_OPENING_LIST_H
#define HUFF_SELFPLAY_OPENING_LIST_H

#include "selfplay/openings.h"

struct opening_list;

// A file of PDN games, or with a FEN a line (# begins a comment). An opening that is illegal, that is over by
// the rules or too long is refused with its line.
struct opening_list *opening_list_read(const char *path, const struct variant *, const struct draw_rules *,
                                       struct error *);

// Every position that `plies` plies from the start lead to, once.
enum { MOST_ALL_PLIES = 8 };
struct opening_list *opening_list_all(int plies, const struct variant *, const struct draw_rules *,
                                      struct error *);

// Puts them into an order that depends on the seed alone.
void opening_list_shuffle(struct opening_list *, uint64_t seed);

void opening_list_free(struct opening_list *);  // NULL is allowed
int opening_list_count(const struct opening_list *);
void opening_list_get(const struct opening_list *, int index, struct opening *);
// Where it stands in the file; its number, from 1, when there is none.
int opening_list_line(const struct opening_list *, int index);
// Of the file's bytes, in hexadecimal; "" without one.
const char *opening_list_sha256(const struct opening_list *);

#endif
