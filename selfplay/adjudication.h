// adjudication.h -- games that are called before the rules end them, by what the engines say of them.
#ifndef HUFF_SELFPLAY_ADJUDICATION_H
#define HUFF_SELFPLAY_ADJUDICATION_H

#include "core/game.h"
#include "core/support/error.h"

struct played_game;

// All zero: no game is called. Scores are centipawns.
struct adjudication {
    // A draw once `draw_moves` moves by each side are played and the last `draw_plies` plies all have scores
    // within +-draw_score: both engines agree. 0 plies: never.
    int draw_moves, draw_plies, draw_score;
    // Lost for a side that says of `resign_moves` of its own moves in a row that it is at least resign_score
    // behind, whatever the other side says. 0 moves: never.
    int resign_moves, resign_score;
};

// "move=40,plies=8,score=10" and "moves=4,score=600"; each key has a default but an empty text is refused.
bool adjudication_parse_draw(const char *text, struct adjudication *, struct error *)
    __attribute__((warn_unused_result));
bool adjudication_parse_resign(const char *text, struct adjudication *, struct error *)
    __attribute__((warn_unused_result));

// After which ply of a game that is over it was or would have been called first, and for what; 0 = not before
// it ended.
int adjudication_called(const struct adjudication *, const struct played_game *, int *result);

// Is the game called after its last ply? Then *result is White's.
enum termination adjudicate(const struct adjudication *, const struct played_game *, int *result);

#endif
