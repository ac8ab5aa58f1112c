// engine.h -- a player that is a program of its own and talks over its standard input and output, or over
// TCP.
//
// Whatever the program does, every call here comes to an end, memory stays bounded, and after engine_free
// nothing of it is left running.
#ifndef HUFF_SELFPLAY_ENGINE_H
#define HUFF_SELFPLAY_ENGINE_H

#include "selfplay/error_log.h"
#include "selfplay/player.h"
#include "selfplay/watch.h"

enum engine_protocol {
    ENGINE_HUB,   // version 2 (search/hub.h)
    ENGINE_TEXT,  // "position fen ... moves ...", "go ...", "bestmove ...", as chess engines have it
    ENGINE_DXP,   // DamExchange (search/dxp.h): boards of 10x10, clocks of whole minutes, no options
    ENGINE_PROTOCOL_COUNT
};
extern const char *const engine_protocol_names[ENGINE_PROTOCOL_COUNT];  // "hub", "text", "dxp"

// Seconds, and all strings are those of the caller.
struct engine_settings {
    const char *name;     // for messages
    const char *command;  // words, separated by blanks; quotes hold a word together. NULL (DXP): it runs
    const char *folder;   // to run in; NULL: this one
    enum engine_protocol protocol;
    const char *address;  // DXP, as struct dxp_link_settings has it, and whether the program connects to it
    bool calls;
    int minutes;  // DXP: that it is told, where it has no clock
    const struct variant *variant;
    char *const *options;  // "NAME=VALUE"
    int option_count;
    double startup;         // until it has introduced itself, or is connected; 0: 10, over DXP 30
    double ready;           // until it is ready to play, at the start and before each game
    double stall;           // until a move, where no clock runs
    int most_failures;      // in a row; then it is given up
    struct error_log *log;  // for its standard error; NULL: only the last of it is kept
    struct watch *watch;    // while this program is held up, no wait ends; NULL: nobody knows
};

struct engine *engine_new(const struct engine_settings *);  // starts nothing yet
void engine_free(struct engine *);                          // asks it to quit, then ends it

// As player_begin, player_think and player_end. A program that does not run is started; one that fails in it
// is started again until it has failed too often in a row. A game that was played without a failure ends the
// row. To lose on time or by an illegal move is no failure as long as the program answers.
bool engine_begin(struct engine *, const struct player *, const struct game *, enum side, struct error *)
    __attribute__((warn_unused_result));
void engine_think(struct engine *, const struct player *, const struct question *, struct answer *);
void engine_end(struct engine *, const struct question *, enum termination, int result, struct error *remark);

#endif
