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
    PDN_COMMENT,     // "{...}"
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

struct pdn_token {
    enum pdn_token_kind kind;
    struct pdn_bytes bytes;   // all of it
    struct pdn_bytes name;    // PDN_TAG; empty when the name is none that PDN allows
    struct pdn_bytes inside;  // PDN_TAG: the value, escapes in it as they are; PDN_COMMENT
    bool damaged;             // PDN_TAG: quotes or the bracket are missing
    bool dotted;              // PDN_NUMBER: a dot follows
    bool first;               // PDN_NUMBER: "1." and not "1...", as a game begins
    const char *reason;       // PDN_UNREADABLE
    char text[128];           // PDN_MOVE, PDN_RESULT: in ASCII, without blanks and leading zeros
};

struct pdn_tokens {
    const char *begin, *at, *end;
};

struct pdn_tokens pdn_tokens_of(const char *text, size_t size);

// The next token; PDN_END over and over at the end. Every byte is looked at a bounded number of times.
struct pdn_token pdn_tokens_next(struct pdn_tokens *);

#endif
