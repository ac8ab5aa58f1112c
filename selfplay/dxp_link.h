// dxp_link.h -- games with a program that plays over DamExchange, asked for and led by this one.
//
// The program may be started here or run already, and either side may be the one that calls. Every call
// comes to an end.
#ifndef HUFF_SELFPLAY_DXP_LINK_H
#define HUFF_SELFPLAY_DXP_LINK_H

#include "search/dxp.h"
#include "selfplay/player.h"
#include "selfplay/process.h"

// All strings are those of the caller.
struct dxp_link_settings {
    const char *command;  // NULL: it runs already. "{port}" in it becomes the port of the connection
    const char *folder;   // to run in; NULL: this one
    const char *address;  // [HOST:]PORT; NULL: a free port of this machine
    bool calls;           // the program connects to the address; otherwise it listens there
    const struct variant *variant;
    struct error_lines *errors;  // for standard error; NULL: it is not kept
};

enum dxp_heard {
    DXP_HEARD_MOVE,
    DXP_HEARD_ILLEGAL,  // a move that is none here
    DXP_HEARD_END,      // it ended the game, which is acknowledged already
    DXP_HEARD_LATE,
    DXP_HEARD_GONE,
    DXP_HEARD_WRONG,  // what is not DXP, or not now
};

struct dxp_link *dxp_link_new(const struct dxp_link_settings *);  // starts nothing yet
void dxp_link_free(struct dxp_link *);

// Starts the program and connects, within so many seconds. After a failure there may be a process that can
// say more.
bool dxp_link_open(struct dxp_link *, double seconds, struct error *) __attribute__((warn_unused_result));
bool dxp_link_is_open(const struct dxp_link *);
void dxp_link_close(struct dxp_link *, bool politely);      // ends the program; one that ran already goes on
struct process *dxp_link_process(const struct dxp_link *);  // or NULL
const char *dxp_link_chat(const struct dxp_link *);         // the last that it said in this game, or ""

// Asks for a game that goes on from the position now, the program on `side`. It may play its first move at
// once. Minutes: of its clock; 0: none.
bool dxp_link_begin(struct dxp_link *, const struct game *, enum side, int minutes, double seconds,
                    struct error *) __attribute__((warn_unused_result));

// Tells what was played and waits for its move. `arrived`: when the answer came (clock_seconds), less
// what this thread had to wait for a processor before it saw that. Of an end,
// `reason` is the program's.
enum dxp_heard dxp_link_think(struct dxp_link *, const struct question *, double deadline, struct move *,
                              double *arrived, enum dxp_reason *reason, struct error *);

// Ends a game that still goes on for the program. By the protocol the side to move does that, so after an end
// by the rules it is told the last move and may be the one. `remark` says when it takes the result for
// another ("" otherwise). False when it does not acknowledge the end: the connection is of no use any more.
bool dxp_link_end(struct dxp_link *, const struct question *, enum termination, int result,
                  struct error *remark) __attribute__((warn_unused_result));

#endif
