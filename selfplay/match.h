// match.h -- a match of two engines: pairs of games on one opening with colours swapped, until a number of
// games or a sequential test ends it.
//
// Pair p begins at an opening drawn from stream (seed, p), and pairs are counted in the order of their
// numbers whichever thread finishes first: with limits on nodes or depth the same settings give the same
// result for any number of threads, and short games do not get ahead of long ones in the test.
#ifndef HUFF_SELFPLAY_MATCH_H
#define HUFF_SELFPLAY_MATCH_H

#include "selfplay/match_settings.h"

enum { PAIR_GAMES = 2 };

struct match_game {
    int white;   // which engine has White
    int result;  // White's view: 1, 0, -1
    enum termination termination;
    int plies;
    uint64_t nodes[MATCH_ENGINES];  // searched by each engine
};

struct match_pair {
    uint64_t number;          // 0..
    struct position opening;  // where the engines take over
    int opening_plies;
    struct match_game games[PAIR_GAMES];  // the first engine has White in the first game
};

// What came of the pairs, in the view of the first engine.
struct match_score {
    struct outcomes games, pairs;
    uint64_t win_loss, draw_draw;  // what the middle of `pairs` consists of
    uint64_t terminations[TERMINATION_COUNT];
    uint64_t plies, nodes[MATCH_ENGINES];
};
struct match_score match_score_new(void);
void match_score_add(struct match_score *, const struct match_pair *);

enum match_end {
    MATCH_FAILED,
    MATCH_STOPPED,   // by SIGINT or SIGTERM
    MATCH_AT_LIMIT,  // all games are played
    MATCH_DECIDED,   // by the test
};

struct match_result {
    enum match_end end;
    struct match_score score;
    double llr;  // with a test
    enum sprt_verdict verdict;
    double seconds;
};

// Called with each pair in order, one at a time, and with the result so far.
typedef void match_listener(void *context, const struct match_pair *, const struct match_result *);

// Plays. After SIGINT or SIGTERM (interrupt_install) the games in flight are finished; pairs with both games
// played are counted.
enum match_end match_play(const struct match_settings *, match_listener *, void *context,
                          struct match_result *, struct error *);

#endif
