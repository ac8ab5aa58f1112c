// match.h -- a match of two engines or a tournament of more: pairs of games on one opening with colours
// swapped, until a number of games or a sequential test ends it.
//
// Which engines meet in pair p and on which opening depends on p and the seed alone, and pairs are counted in
// the order of their numbers whichever thread finishes first: with limits on nodes or depth the same settings
// give the same result for any number of threads, and short games do not get ahead of long ones in the test.
// In a tournament all engines that meet do so once on each opening before the next one's turn comes.
//
// With a journal every finished game is kept, whatever ends the program, and the same match goes on with what
// is missing: the listener hears of all pairs, those found first.
#ifndef HUFF_SELFPLAY_MATCH_H
#define HUFF_SELFPLAY_MATCH_H

#include "selfplay/match_settings.h"

enum { PAIR_GAMES = 2 };

struct match_game {
    int engines[2];  // by side: engines[WHITE] has White
    bool finished;
    bool duplicate;  // of an earlier game: the same engines, colours and moves
    int replays;     // how often it was void
    struct played_game played;
};

struct match_pair {
    uint64_t number;   // 0..
    uint64_t opening;  // number of the opening
    int engines[2];    // the first has White in the first game
    bool found;        // in the journal, as a whole
    struct match_game games[PAIR_GAMES];
};

// "12.1": the first game of the twelfth pair.
enum { MATCH_ROUND_SIZE = 24 };
void match_round(const struct match_pair *, int game, char text[static MATCH_ROUND_SIZE]);

// Where the engines took over.
struct position match_game_opening(const struct match_settings *, const struct match_game *);

// What came of the pairs of two engines, in the view of the first.
struct match_score {
    int engines[2];
    struct outcomes games, pairs;
    uint64_t win_loss, draw_draw;  // what the middle of `pairs` consists of
};

// How the games of one engine ended: lost, drawn, won.
struct match_ends {
    uint64_t count[GAME_KINDS][TERMINATION_COUNT];
    uint64_t nodes, moves;  // searched, and moves it chose
    double seconds;
    struct error reason;  // of the last game that it lost by what it did wrong; "": none
};

// Results on one opening of a list, in the view of White and of the first engine of each pair.
struct match_opening {
    uint64_t white[GAME_KINDS], first[GAME_KINDS];
};

enum match_end {
    MATCH_FAILED,
    MATCH_STOPPED,   // by SIGINT or SIGTERM
    MATCH_AT_LIMIT,  // all games are played
    MATCH_DECIDED,   // by the test
};

struct match_result {
    enum match_end end;
    uint64_t pairs, games;  // counted; games: two a pair
    uint64_t odd;           // finished games of pairs that are not, which do not count
    uint64_t duplicates, plies;
    // Games that were played once more, because one was lost on time while this program was held up, and for
    // how long that was in all (watch.h). A match that is resumed begins to count anew.
    uint64_t replays;
    double held_up;
    uint64_t found, cut;  // games in the journal, and damaged bytes at its end
    int score_count;
    struct match_score *scores;      // of each two engines that meet; a match has one
    struct match_ends *ends;         // of each engine
    struct match_opening *openings;  // of each opening of a list, else NULL
    double llr;                      // with a test
    enum sprt_verdict verdict;
    double seconds;
};
void match_result_free(struct match_result *);

// Called with each pair in order, one at a time, and with the result so far. A pair of which one game is
// finished comes when the match is stopped. On false the match fails with that error.
typedef bool match_listener(void *context, const struct match_pair *, const struct match_result *,
                            struct error *);

// A file that keeps the games of a match, which `owner` names, and the folder for what engines write to their
// standard error: NAME.stderr.
struct match_journal {
    const char *path, *owner, *folder;
};

// Is there memory for the tables of all games that are played at a time? Asked before anything is written.
bool match_check_memory(const struct match_settings *, struct error *) __attribute__((warn_unused_result));

// Plays. After SIGINT or SIGTERM (interrupt_install) the games in flight are finished; pairs with both games
// played are counted. `journal` may be NULL. The result holds what was counted, also when the match failed:
// free it in any case.
enum match_end match_play(const struct match_settings *, const struct match_journal *journal,
                          match_listener *, void *context, struct match_result *, struct error *);

#endif
