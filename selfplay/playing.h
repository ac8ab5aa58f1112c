// playing.h -- one game between two players, from an opening to its result, and the referee of it.
//
// Self-play and matches both play their games here:
//
//     struct playing *playing = playing_new(&settings);       one a thread, reused from game to game
//     struct played_game game = {0};                          so is the record
//     opening_draw(..., &opening, ...);
//     playing_game(playing, &opening, players, &game);
//     ... game.result, game.plies, game.ply[i].move ...
//     played_game_free(&game);
//     playing_free(playing);
#ifndef HUFF_SELFPLAY_PLAYING_H
#define HUFF_SELFPLAY_PLAYING_H

#include "core/game.h"
#include "selfplay/adjudication.h"
#include "selfplay/openings.h"
#include "selfplay/player.h"
#include "selfplay/watch.h"

enum { NO_SCORE = -32768 };  // of a ply that no search chose

// Bits of struct played_ply.flags; the numbers are those of the dataset's /positions/flags: only add at the
// end.
enum position_flags {
    POSITION_CAN_CAPTURE = 1,           // the side to move can capture
    POSITION_OPPONENT_CAN_CAPTURE = 2,  // the other side could if it were its turn
    POSITION_RANDOM_MOVE = 4,           // its move was drawn at random
    POSITION_BOOK_MOVE = 8,
    POSITION_TABLE_VALUE = 16,
};

// A position of a game: what was known there and what was played.
struct played_ply {
    struct move move;
    uint64_t nodes;  // searched for it
    float seconds;   // thought about it
    uint8_t index;   // of the move in the list of legal moves
    uint8_t clock;   // plies since progress, at most 255
    uint16_t flags;  // enum position_flags
    int16_t score;   // centipawns, White's view; NO_SCORE
    uint8_t depth;   // searched; 0 = not known
};

struct played_game {
    struct position start;
    int random_plies;  // the first plies, which an opening gave
    int plies, capacity;
    struct played_ply *ply;        // owned
    int result;                    // White's view: 1, 0, -1
    enum termination termination;  // GAME_GOES_ON: it was given up, and does not count
    uint64_t nodes[2];             // searched by each side
    double seconds[2];             // thought by each side
    // For the record, and not written here: who played each side, in a list of the caller's, and after which
    // ply (0 = none) adjudication calls the game, for which result.
    uint8_t engine[2];
    int called_ply, called_result;
    bool doubtful;  // lost on time, perhaps only because this program was held up: it should not count
    // What a player did wrong, in a game that ended by it, or said about the end of another, or why the game
    // was given up; "" when the program is to end (interrupted).
    struct error reason;
};
void played_game_free(struct played_game *);  // leaves an empty record

struct playing_settings {
    const struct variant *variant;
    struct draw_rules draws;
    int max_plies;  // a game as long as this is a draw (GAME_LENGTH); at most PLAYING_MAX_PLIES
    struct adjudication adjudication;
    // Seconds that a player may take beyond its time a move or its clock; then it has lost. 0: engines of
    // this process cannot lose on time.
    double time_margin;
    struct watch *watch;  // knows when this program is held up; NULL: nobody does
};
enum { PLAYING_MAX_PLIES = 65535 };

// What one thread needs to play games.
struct playing *playing_new(const struct playing_settings *);
void playing_free(struct playing *);

// Plays a game. Both searches are cleared first, so that between engines of this process it depends on the
// opening, the weights and the limits alone (unless these are times). `played` may hold an older game, whose
// memory is reused; zero it the first time. A position with more legal moves than a dataset can number (256)
// ends the game as GAME_LENGTH. A player that fails loses: GAME_TIME, GAME_ILLEGAL_MOVE, GAME_CRASH or
// GAME_STALL.
void playing_game(struct playing *, const struct opening *, const struct player players[static 2],
                  struct played_game *played);

#endif
