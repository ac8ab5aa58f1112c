// rules.h -- what distinguishes one draughts variant from another, as data.
//
// The values, with the article each one comes from, are in variants.h. Code that must be fast reads a rule
// through a pointer to a constant descriptor, so that the test of the rule folds away (movegen.c).
#ifndef HUFF_CORE_RULES_H
#define HUFF_CORE_RULES_H

#include "core/board.h"

// Sets of directions, seen by the side that moves. A "straight" step of a game played on one colour of the
// squares covers two squares of the board (Frisian); there a capture covers four.
enum directions {
    DIAGONAL_FORWARD = 1,
    DIAGONAL_BACKWARD = 2,
    STRAIGHT_FORWARD = 4,
    STRAIGHT_BACKWARD = 8,
    SIDEWAYS = 16,
    DIAGONAL = DIAGONAL_FORWARD | DIAGONAL_BACKWARD,
    STRAIGHT = STRAIGHT_FORWARD | STRAIGHT_BACKWARD | SIDEWAYS,
};

enum king_range {
    SHORT_KING,   // one square; jumps over a neighbour
    FLYING_KING,  // any distance
};

enum king_landing {
    LANDS_ANYWHERE,          // on any free square behind the piece it takes
    LANDS_BEHIND_LAST_KING,  // so, but right behind a king that is the last piece taken (Killer)
    LANDS_RIGHT_BEHIND,      // always on the first square behind (Thai)
};

// Which captures oblige when there are several.
enum priority {
    PRIORITY_NONE,            // any may be chosen
    PRIORITY_QUANTITY,        // most pieces
    PRIORITY_QUANTITY_KINGS,  // most pieces, then most kings among them
    PRIORITY_ITALIAN,     // most pieces, then with a king, then most kings, then kings as early as possible
    PRIORITY_KING_FIRST,  // with a king, if any king can capture
    PRIORITY_VALUE,       // most value (a king is just under two men), then with a king (Frisian)
};

// What becomes of a man that reaches its crowning row in the middle of a capture.
enum crowning {
    CROWNING_STOPS,      // it is crowned and the move ends
    CROWNING_PASSES,     // it goes on as a man, crowned only where the capture ends
    CROWNING_CONTINUES,  // it is a king at once and goes on as one
};

enum removal {
    REMOVED_AT_END,   // jumped pieces stand until the move is complete and may not be jumped twice
    REMOVED_AT_ONCE,  // lines open during the move
};

enum goal {
    NO_MOVE_LOSES,  // the side to move without a move has lost
    NO_MOVE_WINS,   // ... has won (losing games)
};

// ---- draws ----

enum progress_reading {
    PROGRESS_CAPTURE_OR_MAN_MOVE,
    PROGRESS_CAPTURE_OR_CROWNING,
};

enum balance {
    BALANCE_LONE_KING,   // one side has exactly one king, the other `min_pieces`..`max_pieces`
    BALANCE_KINGS_BOTH,  // both sides own a king; `min_pieces`..`max_pieces` on the board in all
};

// A limit that counts while the material is of one kind. The move that brings the balance about is not
// counted.
struct balance_limit {
    enum balance balance;
    uint8_t min_pieces, max_pieces;
    uint8_t min_kings;  // that the stronger side owns at least (lone king only)
    uint8_t max_men;    // that the stronger side owns at most (lone king only)
    bool on_main_road;  // the lone king stands on the long diagonal
    bool restarts;      // any capture or crowning starts the count again
    uint16_t plies;     // drawn when this many plies were played under it; 0 ends a list
};

enum { MAX_BALANCE_LIMITS = 6 };

struct draw_rules {
    const char *name;     // "federation" or "simple"
    uint8_t repetitions;  // drawn at this occurrence of a position with the same side to move; 0 = never
    uint16_t no_progress_plies;      // drawn after this many plies without progress; 0 = never
    enum progress_reading progress;  // what starts that count again
    struct balance_limit limits[MAX_BALANCE_LIMITS];
};

// ---- notation (PDN 3.0, GameType) ----

enum square_names { NUMERIC, ALGEBRAIC };

// The corner of square 1, seen by the side that starts.
enum corner { BOTTOM_LEFT, BOTTOM_RIGHT, TOP_LEFT, TOP_RIGHT };

// ---- a variant ----

struct rules {
    const char *name;
    const char *source;  // the rule book

    int width;        // of the square board: 8 or 10
    int rows_of_men;  // that each side starts with
    enum side starts;
    enum goal goal;

    int game_type;  // PDN number, 0 = none
    enum square_names names;
    enum corner first_square;
    bool mirrored;      // the official board has a playing square at White's right, not left
    char capture_sign;  // between the squares of a capture in PDN
    bool two_points;    // PDN results 2-0, 1-1, 0-2

    unsigned man_moves, man_captures, king_moves, king_captures;  // enum directions
    bool men_capture_kings;
    enum king_range king_range;
    enum king_landing king_landing;
    enum priority priority;
    enum crowning crowning;
    enum removal removal;
    int king_move_limit;  // quiet moves in a row by one king of a side that has men; 0 = no limit (Frisian)

    struct draw_rules draws;  // the federation's
};

#endif
