// play_seats.h -- who plays which side of a game of huff play: in the game's record, and as options.
#ifndef HUFF_SEARCH_PLAY_SEATS_H
#define HUFF_SEARCH_PLAY_SEATS_H

#include "search/play_session.h"

// A record names the engine "huff 0.1.0 (easy)" or "huff 0.1.0 (hard, 2 s)", with its version, level and
// seconds a move, and a person "Player". Persons who have other names keep them.
void play_seats_write(const struct play_settings *, struct pdn_game *record);

// Who sits where, as the names tell: two people, or a person and the engine. False when they tell neither.
struct play_seats {
    bool engine[2];
    enum level level;  // and this, where the engine plays
    double seconds;    // 0 = not told
};
bool play_seats_read(const struct pdn_game *record, struct play_seats *) __attribute__((warn_unused_result));

// The command by which the same players go on from a position, on the same board. Free it.
char *play_seats_command(const struct play_settings *, const struct position *);

#endif
