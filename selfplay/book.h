// book.h -- books of openings: every position so many plies deep that is not decided yet.
#ifndef HUFF_SELFPLAY_BOOK_H
#define HUFF_SELFPLAY_BOOK_H

#include "search/search.h"
#include "selfplay/opening_list.h"

struct book_settings {
    int plies;   // 1..MOST_ALL_PLIES
    int margin;  // centipawns: positions that a search sees further from equal are left out; 0 = none are
    int depth;   // of that search, in plies
};
enum { BOOK_USUAL_DEPTH = 8, BOOK_MOST_MARGIN = 30000 };

// Searches every one of the positions, which takes a while when they are many; `quiet`: without saying how
// far it is. Fails when it is interrupted.
struct opening_list *book_make(const struct book_settings *, const struct variant *,
                               const struct draw_rules *, const struct weights *, bool quiet, struct error *);

// As a book file, with what was asked for in its first line.
bool book_write(const struct opening_list *, const struct book_settings *, const struct weights *,
                const char *path, struct error *) __attribute__((warn_unused_result));

#endif
