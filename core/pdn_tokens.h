// pdn_tokens.h -- the pieces that PDN text consists of, whatever its bytes.
#ifndef HUFF_CORE_PDN_TOKENS_H
#define HUFF_CORE_PDN_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

enum pdn_token_kind {
    PDN_END,
    PDN_TAG,
    PDN_NUMBER,      // of a move: "12." "12..."; also digits that are nothing else
    PDN_MOVE,        // ends or a whole route, with what was glued to it
    PDN_NO_MOVE,     // "- -" where a move should be
    PDN_RESULT,      // one of PDN's results
    PDN_SEPARATOR,   // "*"
    PDN_COMMENT,     // "{...}", or from ";" to the end of the line
    PDN_MARK,        // strength, NAG, dots, a variation, a command outside a comment
    PDN_SETUP,       // "/FEN .../"
    PDN_WORDS,       // text that means nothing here
    PDN_UNREADABLE,  // a move that is none, or a bracket without its partner: see `reason`
};

// Bytes of the text that is read, not ended by a zero.
struct pdn_bytes {
    const char *at;
    size_t size;
};

// What a text that comes in pieces may be in the middle of.
enum pdn_rest {
    PDN_REST_NONE,
    PDN_REST_LINE,
    PDN_REST_COMMENT
};  // a comment to the end of the line, to a brace

// The names of squares in one byte each, 0 = none: "1".."99", and a letter with one digit.
typedef unsigned char pdn_square;
// "" or other text behind the square: 0
pdn_square pdn_square_of(const char *text);

struct pdn_token {
    enum pdn_token_kind kind;
    struct pdn_bytes bytes;   // all of it
    struct pdn_bytes name;    // PDN_TAG; empty when the name is none that PDN allows
    struct pdn_bytes inside;  // PDN_TAG: the value, escapes in it as they are; PDN_COMMENT
    bool damaged;             // PDN_TAG: quotes or the bracket are missing
    bool dotted;              // PDN_NUMBER: a dot follows
    bool first;               // PDN_NUMBER: "1." and not "1...", as a game begins
    bool signless;            // PDN_MOVE: "3228", which may also be a number
    bool line;                // PDN_COMMENT: one to the end of the line
    enum pdn_rest rest;       // of the token, of which more may follow behind the end of the text
    pdn_square from, to;      // PDN_MOVE: of one that is written in the plain way, "32-28"; else 0
    const char *reason;       // PDN_UNREADABLE
    const char *result;       // PDN_RESULT: in ASCII, without blanks
};

struct pdn_tokens {
    const char *begin, *at, *end;
    enum pdn_rest rest;  // what comes first
};

struct pdn_tokens pdn_tokens_of(const char *text, size_t size);

// The next token; PDN_END over and over at the end. Every byte is looked at a bounded number of times.
void pdn_tokens_next(struct pdn_tokens *, struct pdn_token *);

// A PDN_MOVE in ASCII: its squares without leading zeros and the signs between them.
enum { PDN_MOVE_TEXT_SIZE = 128 };
void pdn_move_text(const struct pdn_token *, char text[static PDN_MOVE_TEXT_SIZE]);

#endif
