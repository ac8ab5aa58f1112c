// dxp.h -- DamExchange, the protocol by which draughts programs play over a connection: its messages.
//
// Version 01, 10x10 boards only (mesander.nl/damexchange). A message is a letter and fields in fixed columns,
// 1 to 127 characters, then a zero byte. Squares are the common numbers 1..50, black is 'Z' (zwart). Which
// variant is played is not said: both programs are told beforehand.
#ifndef HUFF_SEARCH_DXP_H
#define HUFF_SEARCH_DXP_H

#include "core/variant.h"

enum {
    DXP_PORT = 27531,
    DXP_VERSION = 1,
    DXP_MESSAGE_LIMIT = 127,
    DXP_MESSAGE_SIZE = DXP_MESSAGE_LIMIT + 1,
    DXP_NAME_LENGTH = 32,
    DXP_CHAT_LENGTH = DXP_MESSAGE_LIMIT - 1,
    DXP_MOST_MINUTES = 999,
    DXP_MOST_MOVES = 999,
    DXP_MOST_SECONDS = 9999,
    DXP_WIDTH = 10,
};

enum dxp_type {
    DXP_GAMEREQ = 'R',  // the initiator asks for a game
    DXP_GAMEACC = 'A',  // the follower's answer
    DXP_MOVE = 'M',
    DXP_GAMEEND = 'E',  // the side to move ends the game, the other acknowledges with a message of its own
    DXP_CHAT = 'C',
    DXP_BACKREQ = 'B',  // let us go back to an earlier move
    DXP_BACKACC = 'K',
};

enum dxp_answer { DXP_ACCEPT, DXP_WRONG_VERSION, DXP_NOT_THIS_GAME, DXP_NO_GAMES };
enum dxp_reason { DXP_UNKNOWN, DXP_I_LOSE, DXP_DRAW, DXP_I_WIN };  // as the sender sees it
enum dxp_back { DXP_BACK, DXP_BACK_NEVER, DXP_BACK_NOT_NOW };

struct dxp_message {
    enum dxp_type type;
    union {
        struct {
            int version;
            char name[DXP_NAME_LENGTH + 1];  // the initiator's
            enum side follower;              // what the other program plays
            double minutes;                  // for the whole game; some programs send fractions
            int moves;                       // in that time, by each side; 0 = without end
            bool special;                    // from `position`, otherwise from the start
            struct position position;
        } request;
        struct {
            char name[DXP_NAME_LENGTH + 1];  // the follower's
            enum dxp_answer answer;
        } accept;
        struct {
            int seconds;  // thought; for information only
            int from, to;
            int count;
            int captured[MAX_CAPTURED];  // in any order
        } move;
        struct {
            enum dxp_reason reason;
            bool stop;  // no further game
        } end;
        char chat[DXP_CHAT_LENGTH + 1];
        struct {
            int move;
            enum side turn;
        } back;
        enum dxp_back back_answer;
    };
};

// Takes a message apart, without its zero byte, whatever its bytes. Names and chat come out as printable
// ASCII.
bool dxp_read(const char *text, size_t length, struct dxp_message *, struct error *)
    __attribute__((warn_unused_result));

// False when a field does not fit its columns. Minutes are rounded, names and chat made printable ASCII.
bool dxp_write(const struct dxp_message *, char text[static DXP_MESSAGE_SIZE], struct error *)
    __attribute__((warn_unused_result));

// A move as a message and back; the message's captured squares are a set.
struct dxp_message dxp_from_move(struct move, double seconds);
bool dxp_find_move(const struct dxp_message *, const struct move_list *legal, struct move *, struct error *)
    __attribute__((warn_unused_result));

#endif
