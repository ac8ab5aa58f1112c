// pdn.h -- games as PDN 3.0 text: written strictly, read tolerantly.
//
// Grammar, tags and GameType: github.com/wiegerw/pdn, doc/grammar.rst, pdntags.rst, gametype.rst.
#ifndef HUFF_CORE_PDN_H
#define HUFF_CORE_PDN_H

#include <stddef.h>

#include "core/game.h"

// ---- a game ----

// The first three are results as game_over gives them.
enum pdn_result {
    PDN_BLACK_WINS = -1,
    PDN_DRAW = 0,
    PDN_WHITE_WINS = 1,
    PDN_BOTH_LOSE = 2,
    PDN_UNKNOWN = 3,
};

// What a player said about a move. All zero: nothing.
struct pdn_note {
    bool scored, timed;
    int score;       // centipawns (a man = 100), White's view; "[%eval 0.35]"
    double seconds;  // thought; "[%emt 0:00:00.104]"
    int depth;       // 0 = not said; "d=12"
    uint64_t nodes;  // 0 = not said; "n=123456"
};

struct pdn_ply {
    struct move move;
    int index;  // of it in the list of legal moves, where the reader found it; else -1
    struct pdn_note note;
    char *comment;  // UTF-8, one blank between words; NULL = none
};

struct pdn_tag {
    char *name, *value;  // value: UTF-8
};

struct pdn_game {
    const struct variant *variant;
    struct position start;
    enum pdn_result result;
    enum termination termination;  // GAME_GOES_ON = not said
    int line;                      // of the text it was read from, where it begins
    long number;                   // in that text, from 1; skipped games count
    bool broken;                   // what follows the last move could not be read (keep_broken)
    char *comment;                 // before the first move; NULL = none
    int ply_count, ply_capacity;
    struct pdn_ply *plies;
    int tag_count, tag_capacity;
    struct pdn_tag *tags;
};

// A game without moves and tags, its result unknown. `start`: NULL = where the variant's games start.
void pdn_game_init(struct pdn_game *, const struct variant *, const struct position *start);
void pdn_game_free(struct pdn_game *);

// `note` may be NULL.
void pdn_add_move(struct pdn_game *, struct move, const struct pdn_note *note);
// After the last move, or before the first one. Any bytes: what is not UTF-8 is taken for Latin-1, braces
// become parentheses. Replaces a comment that is there; no text takes it away.
void pdn_set_comment(struct pdn_game *, const char *text, size_t size);

// A tag's value by its name in any case; NULL when there is none.
const char *pdn_tag(const struct pdn_game *, const char *name);
// Adds or replaces a tag; the name is a letter and then letters, digits and "_". The value may be any bytes.
void pdn_set_tag(struct pdn_game *, const char *name, const char *value);
void pdn_set_tag_bytes(struct pdn_game *, const char *name, const char *value, size_t size);

// ---- words of PDN ----

// Whose points stand at the left of a result? White's where White begins. For games that Black begins
// (American, pool, Thai) PDN does not say, and files follow two customs.
enum pdn_left {
    PDN_LEFT_DEFAULT,  // PDN_LEFT_FIRST; the reader says once that it assumed this
    PDN_LEFT_FIRST,    // the side's that begins in this variant, as in files of English draughts
    PDN_LEFT_WHITE,
};

// "2-0", "1-1", "0-2" of International and Killer, "1-0", "1/2-1/2", "0-1" of the others; "0-0", "*".
const char *pdn_result_to_text(const struct variant *, enum pdn_result, enum pdn_left);
// Reads either kind, also "½-½", "1:0" and blanks; "*", "?" and nothing are PDN_UNKNOWN. False for other
// texts.
bool pdn_result_from_text(const struct variant *, const char *text, enum pdn_left, enum pdn_result *);

// "20,W,10,10,N2,0"; "" when PDN has no number for exactly this game (Killer, captures optional).
enum { PDN_GAME_TYPE_SIZE = 24 };
void pdn_game_type(const struct variant *, char text[static PDN_GAME_TYPE_SIZE]);

// A Termination tag as the writer forms it: "White wins: illegal move". Takes the winner off the text, into
// *result (else PDN_UNKNOWN), and returns the rest; *termination is the one of that name or GAME_GOES_ON.
const char *pdn_termination_from_text(const char *text, enum pdn_result *result,
                                      enum termination *termination);

// ---- writing ----

// The text of one game by PDN's strict grammar, lines of at most 79 columns where words allow it, "*" and an
// empty line at the end: the texts of games one after another are a file. Tags: the seven of the roster,
// GameType (else Variant, with our name for the game), FEN and SetUp when the start is not the initial
// position, the game's own tags, PlyCount, and Termination, which names the winner in words. The moves must
// be legal. Free the text.
char *pdn_game_to_text(const struct pdn_game *, enum pdn_left);

// ---- reading ----

struct pdn_settings {
    const struct variant *variant;  // NULL: as each game's GameType or Variant tag says
    enum pdn_left left;             // a winner named in the Termination tag settles it in any case
    bool text_result_wins;          // where the Result tag and the end of the moves disagree; else the tag
    bool comments;                  // keep comments and notes
    bool notes;                     // keep notes, whether comments are kept or not
    // Games whose tags name another variant than `variant` are skipped; where that is NULL, than the first
    // game that names one. Else tags are trusted only where `variant` is NULL.
    bool one_variant;
    // By pdn_file_open: where `variant` is NULL and the file's beginning names none, its moves tell which it
    // is, and a report says so.
    bool guess;
    bool keep_broken;  // of a game in which a move is wrong keep what comes before, if anything
    // Called with one line for a game that is skipped or cut off, and for a warning ("games.pdn:12: ...");
    // may be NULL.
    void (*report)(void *context, const char *line);
    void *context;
};

struct pdn_counts {
    long read, skipped, warnings;
    long others;             // of those skipped: for their variant alone
    long broken;             // of those read
    long moves, lost_moves;  // in the games that are read; in the text besides, variations apart
};

// False and a line in `error` for UTF-16 and UTF-32, which are not read, by their first bytes.
bool pdn_check_encoding(const char *text, size_t size, struct error *error);

// Reads games from a whole file in memory, which must stay there; `name` of the file is for reports. The
// bytes may be anything: UTF-8 or Latin-1, any line ends.
//
// Taken beyond the strict grammar: results in place of "*" and missing ones, "1. ...", leading zeros, missing
// move numbers, any sign in moves and blanks around it, "3228", the long form of any capture, hyphens of
// typographers, text between moves, tags that are damaged or come twice, comments from ";" to the end of the
// line. Variations are passed over. Skipped are games with
// an illegal, ambiguous or unreadable move, a bad FEN, an unknown GameType, a setup "/FEN .../" among the
// moves, or a brace or parenthesis that does not match; reading goes on at the next game.
struct pdn_reader *pdn_reader_new(const char *name, const char *text, size_t size,
                                  const struct pdn_settings *);

// Puts at most `room` bytes at `to` and returns how many; 0 at the end, or where reading failed, of which the
// source keeps what its owner wants to know.
typedef size_t pdn_source(void *context, char *to, size_t room);

// So too a file of any size, in the memory of a few games: what is read is a megabyte at a time, or as much
// as a comment or variation is long. Beyond 16 megabytes a variation is cut off, as if its end were missing,
// and a comment is not kept.
struct pdn_reader *pdn_reader_new_stream(const char *name, pdn_source *, void *context,
                                         const struct pdn_settings *);
void pdn_reader_free(struct pdn_reader *);

// The next good game, to be freed by pdn_game_free; false when there is none.
bool pdn_read(struct pdn_reader *, struct pdn_game *) __attribute__((warn_unused_result));

struct pdn_counts pdn_reader_counts(const struct pdn_reader *);

// Of games without GameType: the variant whose rules allow most of their moves, the first one of several;
// NULL when none allows any. `why` gets one line that says so in either case, for the user to judge.
const struct variant *pdn_guess(const char *text, size_t size, struct error *why);

#endif
