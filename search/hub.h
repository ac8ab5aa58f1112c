// hub.h -- the Hub protocol, version 2, as text: what an engine and its user say to each other.
//
// Both sides read and write through here (github.com/rhalbersma/scan protocol.txt). A line is a command and
// arguments "name=value", "name=\"a value\"" or "name"; there is no escape for a quote. Boards other than
// 10x10 use the common numbering of the squares, as in core/notation.h: 33 characters for 8x8.
#ifndef HUFF_SEARCH_HUB_H
#define HUFF_SEARCH_HUB_H

#include "core/game.h"

enum { HUB_LINE_LIMIT = 1 << 20 };  // bytes; the protocol has no limit, and a game of moves is a few thousand

// ---- lines ----

struct hub_argument {
    const char *name, *value;  // a flag has the value ""
};

struct hub_line {
    const char *command;  // "" for a blank line
    int count;
    struct hub_argument *arguments;
    int capacity;
    char *text;  // what all of these point into
};

// Takes a line apart, whatever its bytes; line ends and blanks around it are skipped. A struct hub_line may
// be used again and again; it begins zeroed and ends with hub_line_free.
bool hub_read(const char *text, size_t length, struct hub_line *, struct error *)
    __attribute__((warn_unused_result));
void hub_line_free(struct hub_line *);

const char *hub_value(const struct hub_line *, const char *name);  // NULL when there is no such argument

// A line being written, without its line end; begins zeroed.
struct hub_text {
    char *text;
    size_t length, capacity;
};

void hub_begin(struct hub_text *, const char *command);  // forgets the line before
void hub_add_flag(struct hub_text *, const char *name);
// The value is quoted where it has to be. Quotes in it become apostrophes, control characters '?'.
void hub_add(struct hub_text *, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void hub_text_free(struct hub_text *);

// ---- level: how long to search ----

struct hub_level {
    int depth;         // 0 = no limit
    uint64_t nodes;    // 0 = no limit
    double move_time;  // seconds; 0 = no limit
    bool clock;        // the three below are given:
    double time;       // remaining, without the increment that this move brings; may be below zero
    double increment;  // added before each move
    int moves;         // to the next control; 0 = all of the game
    bool infinite;
};

// Adds what a line gives to `level`, which is as before when the line is wrong.
bool hub_level_read(const struct hub_line *, struct hub_level *level, struct error *)
    __attribute__((warn_unused_result));
void hub_level_write(struct hub_text *, const struct hub_level *);

// ---- pos: the position and how it came about ----

// Sets up `game` (free it with game_free) at the position and plays the moves.
bool hub_pos_read(const struct hub_line *, const struct variant *, struct game *game, struct error *)
    __attribute__((warn_unused_result));

// moves[i] was played at ply i. Begins at the last position before which nothing counts any more: neither
// towards a repetition nor towards a limit of moves.
void hub_pos_write(struct hub_text *, const struct game *, const struct move *moves);

// ---- info: what a search has found ----

struct hub_info {
    int depth;  // 0 = not given, as for all of these but the score
    bool scored;
    double score;  // men, from the side to move's view
    uint64_t nodes;
    double seconds;
    double nps;      // millions
    const char *pv;  // moves with blanks between; NULL = not given
};

// What cannot be read counts as not given.
struct hub_info hub_info_read(const struct hub_line *);
void hub_info_write(struct hub_text *, const struct hub_info *);

// A score of search.h in men and back. A win in n plies is 100 - n/100 men, as Scan has it; anything else
// stays within +-HUB_MOST_MEN.
#define HUB_MOST_MEN 80.0
double hub_score_write(int score);
int hub_score_read(double men);

// ---- done ----

// `answer` (the expected reply) may be NULL.
void hub_done_write(struct hub_text *, const struct variant *, const struct move *move,
                    const struct move *answer);

// ---- variants ----

// variant_find, and the name that Scan gives the international game ("normal").
const struct variant *hub_variant(const char *name, struct error *);

#endif
