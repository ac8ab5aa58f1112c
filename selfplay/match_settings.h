// match_settings.h -- what a match is told, by options on top of a configuration file.
//
// Both say the same things under the same names, so both are read as words first; the words are checked and
// understood in one place. An option replaces the key of the file; --engine and --sprt replace all engines
// and the whole test.
#ifndef HUFF_SELFPLAY_MATCH_SETTINGS_H
#define HUFF_SELFPLAY_MATCH_SETTINGS_H

#include <jansson.h>

#include "selfplay/engine.h"
#include "selfplay/opening_list.h"
#include "selfplay/playing.h"
#include "selfplay/statistics.h"

// X(key, option, argument, what it says): keys of the file and options that say the same.
#define FOR_EACH_MATCH_KEY(X)                                                                               \
    X(games, "games", "N", "Games of each two engines, two a pair (default 1000, with --sprt 100000)")      \
    X(nodes, "nodes", "N", "Limit of a move: positions searched")                                           \
    X(depth, "depth", "N", "Limit of a move: depth")                                                        \
    X(movetime, "movetime", "SECONDS", "Limit of a move: time")                                             \
    X(tc, "tc", "[MOVES/]SECONDS[+INCREMENT]", "A clock: for all moves or so many, and more for each move") \
    X(time_margin, "time-margin", "SECONDS",                                                                \
      "Time that an engine may take beyond its limit before it has lost (default 0.1)")                     \
    X(startup, "startup", "SECONDS",                                                                        \
      "Time of an external engine to introduce itself (default 10; over DXP, to be connected: 30)")         \
    X(ready, "ready", "SECONDS", "Time of an external engine to get ready for a game (default 120)")        \
    X(stall, "stall", "SECONDS",                                                                            \
      "Time of an external engine for a move with a limit on nodes or depth (default 60)")                  \
    X(recover, "recover", "K",                                                                              \
      "Start an external engine that fails again, until it fails K times in a row (default 3)")             \
    X(hash, "hash", "MB", "Transposition table of an engine (default 2)")                                   \
    X(openings, "openings", "start|random:PLIES|all:PLIES|FILE",                                            \
      "Where the two games of a pair begin (default random:8); a file holds PDN games, or a FEN a line")    \
    X(draw, "draw", "federation|simple",                                                                    \
      "Draw rules: the variant's own (default), or third repetition and N moves without progress")          \
    X(draw_moves, "draw-moves", "N", "Simple draw rules: moves by each side without progress (default 40)") \
    X(draw_progress, "draw-progress", "WHAT",                                                               \
      "Simple draw rules: capture-or-man-move (default) or capture-or-crowning")                            \
    X(adjudicate_draw, "adjudicate-draw", "move=N,plies=N,score=CP",                                        \
      "Call a draw from move N (40) on when so many plies in a row (8) have scores within +-CP (10)")       \
    X(adjudicate_resign, "adjudicate-resign", "moves=N,score=CP",                                           \
      "An engine has lost that is CP (600) behind by its own score in N moves in a row (4)")                \
    X(tournament, "tournament", "roundrobin|gauntlet",                                                      \
      "Who meets whom when there are more than two engines: all (default), or the first all others")        \
    X(max_plies, "max-plies", "N", "A game as long as this is a draw (default 1000)")

// Keys of the file whose options are those of all programs (core/support/options.h).
#define FOR_EACH_COMMON_KEY(X) X(variant) X(threads) X(seed)

// Keys of an engine and of the test.
#define FOR_EACH_ENGINE_KEY(X) \
    X(name)                    \
    X(weights)                 \
    X(nodes) X(depth) X(movetime) X(tc) X(hash) X(cmd) X(proto) X(dir) X(port) X(listen) X(connect) X(minutes)
#define FOR_EACH_SPRT_KEY(X) X(elo0) X(elo1) X(alpha) X(beta) X(model)

enum { MOST_ENGINE_OPTIONS = 64 };

#define MATCH_WORD(key, ...) char *key;
struct engine_words {
    FOR_EACH_ENGINE_KEY(MATCH_WORD)
    char *options[MOST_ENGINE_OPTIONS];  // "NAME=VALUE"
    uint32_t options_count;
};
struct sprt_words {
    FOR_EACH_SPRT_KEY(MATCH_WORD)
};
// NULL = not said.
struct match_words {
    FOR_EACH_COMMON_KEY(MATCH_WORD)
    FOR_EACH_MATCH_KEY(MATCH_WORD)
    struct engine_words *engines;
    uint32_t engines_count;
    struct sprt_words *sprt;
};
#undef MATCH_WORD

// "name=a,weights=F", "name=b,cmd=\"path hub\",option.hash=64" (quotes hold a value with commas together) and
// "elo0=0,elo1=5,model=normalized"; the words point into `text`, which is cut up.
bool engine_words_parse(char *text, struct engine_words *, struct error *)
    __attribute__((warn_unused_result));
bool sprt_words_parse(char *text, struct sprt_words *, struct error *) __attribute__((warn_unused_result));

struct match_engine {
    char *name;
    char *weights_path;      // as for weights_get
    struct weights weights;  // once loaded
    struct search_limits limits;
    struct time_control clock;
    int hash;  // megabytes

    bool external;  // a program of its own
    char *command;  // of that; NULL: it runs already
    char *folder;   // NULL: the current one
    enum engine_protocol protocol;
    char *address;  // over DXP; NULL: a free port
    bool calls;
    int minutes;  // it is told, where it has no clock
    char *options[MOST_ENGINE_OPTIONS];
    int option_count;
};

enum { MATCH_ENGINES = 64, MOST_MATCH_GAMES = 1000000000 };  // at most

struct match_settings {
    const struct variant *variant;
    struct draw_rules draws;
    int max_plies;
    char *openings_text;
    struct opening_source openings;
    int all_plies;              // of "all:PLIES"; 0: no such thing
    bool openings_in_file;      // openings_text names it
    struct opening_list *list;  // of either, once loaded; NULL: `openings` are drawn
    struct adjudication adjudication;
    uint64_t games, seed;  // games: of each two engines that meet; even
    int threads;           // 0 = all cores
    bool alone;            // an engine that can play one game at a time
    bool pin;              // each thread keeps to a core of its own
    double time_margin;
    double startup, ready, stall;  // of external engines
    int recover;                   // failures in a row of one of them that end the match
    int engine_count;
    struct match_engine *engines;
    bool gauntlet;  // the first engine meets each other; else each meets each
    bool has_sprt;
    struct sprt sprt;
    json_t *words;  // all of the above as it was said, but for the number of threads (match_words.h)
};

// `config` may be NULL or a section of a file; `sets` ("nodes=500") go on top of it (config.h). An error
// names the option, or the line of the file.
bool match_settings_read(const char *config, const char *const *sets, int set_count,
                         const struct match_words *options, struct match_settings *, struct error *)
    __attribute__((warn_unused_result));
void match_settings_free(struct match_settings *);

// Reads the weights of the engines and the openings.
bool match_settings_load(struct match_settings *, struct error *) __attribute__((warn_unused_result));

#endif
