// journal.h -- finished games on disk before their shard is: an append-only file with a checksum a game.
//
// Whatever kills a run, the games whose record is whole are found again; a torn or damaged record ends the
// journal there. A record is written by one system call, so a killed process loses no finished game; the disk
// is waited for every few seconds only.
#ifndef HUFF_SELFPLAY_JOURNAL_H
#define HUFF_SELFPLAY_JOURNAL_H

#include "selfplay/playing.h"

struct journal;

// Called with a game found; it may take the record over and leave an empty one.
typedef void journal_found(void *context, uint64_t id, struct played_game *);

// Opens or makes a journal. Games in it are replayed by the rules and handed to `found`; what follows the
// last whole one is cut off and *cut says how many bytes that was. `owner` names the run and the shard: a
// journal of another owner counts as damaged from its first byte. Fails when another process has it open.
struct journal *journal_open(const char *path, const char *owner, const struct variant *,
                             journal_found *found, void *context, uint64_t *cut, struct error *);
// On failure the file ends where it did before.
bool journal_append(struct journal *, uint64_t id, const struct played_game *, struct error *)
    __attribute__((warn_unused_result));
// A game that was found or appended, by its number, into a record like that of playing_game. Fails when the
// file is not what it was any more.
bool journal_read(struct journal *, uint64_t id, struct played_game *, struct error *)
    __attribute__((warn_unused_result));
bool journal_sync(struct journal *, struct error *) __attribute__((warn_unused_result));
void journal_close(struct journal *);  // NULL is allowed
// Closes it and deletes its file.
void journal_delete(struct journal *);

#endif
