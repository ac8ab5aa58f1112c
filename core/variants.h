// variants.h -- the ONE place where a variant is described.
//
// To add a variant: a descriptor here, a line in FOR_EACH_8X8_GAME or
// FOR_EACH_10X10_GAME, its published perft rows in
// tests/data/perft.tsv. A field that is absent is false, 0 or the first name of its enum, which is meant.
//
// Sources, with the letters the fields cite:
//   FMJD   Annex 1, official FMJD rules for international draughts (2015)
//   FRIS   Official Rules for Frisian Draughts (2011)
//   FID    Federazione Italiana Dama, technical rules; WCDF/ACF: rules of (English/American) draughts
//   APCA   American Pool Checkers Association, rules of play
//   K2004  Kodeks sports rules of Russian draughts (2004), article numbers; FMJD-64: rules of its section 64
//   TK     club rule sheets of the tkabber checkers plugin (Debian package tkabber-plugins,
//   doc/checkers/rules) PDN    Portable Draughts Notation 3.0, GameType
// Start-position counts and rulebook positions hold each of them (tests/data).
#ifndef HUFF_CORE_VARIANTS_H
#define HUFF_CORE_VARIANTS_H

#include "core/rules.h"

// No federation text with a move count was found for some games: third repetition, or 40 moves by each side
// without a capture or a man's move, the reading most rule pages of 8x8 games give.
#define DRAWS_WITHOUT_A_SOURCE                                           \
    {                                                                    \
        .name = "federation", .repetitions = 3, .no_progress_plies = 80, \
        .progress = PROGRESS_CAPTURE_OR_MAN_MOVE                         \
    }

// FMJD-64 7.2.8: two kings, king and man, or king against one king: 5 moves each, never started again.
#define TWO_PIECES_AGAINST_KING_5_MOVES                                                               \
    {                                                                                                 \
        .balance = BALANCE_LONE_KING, .min_pieces = 1, .max_pieces = 2, .min_kings = 1, .max_men = 1, \
        .plies = 10                                                                                   \
    }

static const struct rules RULES_SPANISH = {
    .name = "spanish",
    .source = "TK rule sheet; quality law and draws: section64 (Portuguese federation)",
    .width = 8,
    .rows_of_men = 3,
    .starts = WHITE,
    .game_type = 24,  // PDN 24,W,8,8,N1,1
    .names = NUMERIC,
    .first_square = BOTTOM_RIGHT,  // h1 = 1 at White's right: White starts on 1-12
    .mirrored = true,
    .capture_sign = 'x',
    .man_moves = DIAGONAL_FORWARD,
    .man_captures = DIAGONAL_FORWARD,  // men never capture backwards
    .king_moves = DIAGONAL,
    .king_captures = DIAGONAL,
    .men_capture_kings = true,
    .king_range = FLYING_KING,
    .king_landing = LANDS_ANYWHERE,
    .priority = PRIORITY_QUANTITY_KINGS,  // ley de cantidad, then ley de calidad, over men and kings alike
    .crowning = CROWNING_STOPS,           // TK 5
    .removal = REMOVED_AT_END,            // TK 8-9
    .draws = {.name = "federation",       // section64: 20 king moves each without a capture
              .repetitions = 3,
              .no_progress_plies = 40,
              .progress = PROGRESS_CAPTURE_OR_MAN_MOVE},
};

// The same game as Spanish on the dark squares; only its PDN number differs.
static const struct rules RULES_PORTUGUESE = {
    .name = "portuguese",
    .source = "Portuguese federation rules, art. 3; section64",
    .width = 8,
    .rows_of_men = 3,
    .starts = WHITE,
    .game_type = 28,  // PDN 28,W,8,8,N1,1; federation art. 3: 1 to 32 from White's bottom right
    .names = NUMERIC,
    .first_square = BOTTOM_RIGHT,
    .mirrored = true,
    .capture_sign = 'x',
    .man_moves = DIAGONAL_FORWARD,
    .man_captures = DIAGONAL_FORWARD,
    .king_moves = DIAGONAL,
    .king_captures = DIAGONAL,
    .men_capture_kings = true,
    .king_range = FLYING_KING,
    .king_landing = LANDS_ANYWHERE,
    .priority = PRIORITY_QUANTITY_KINGS,
    .crowning = CROWNING_STOPS,
    .removal = REMOVED_AT_END,
    .draws = {.name = "federation",
              .repetitions = 3,
              .no_progress_plies = 40,
              .progress = PROGRESS_CAPTURE_OR_MAN_MOVE},
};

static const struct rules RULES_ITALIAN = {
    .name = "italian",
    .source = "FID",
    .width = 8,
    .rows_of_men = 3,
    .starts = WHITE,
    .game_type = 22,  // PDN 22,W,8,8,N2,1
    .names = NUMERIC,
    .first_square = TOP_LEFT,  // FID 2.3-2.6: dark corner at the right
    .mirrored = true,
    .capture_sign = 'x',
    .man_moves = DIAGONAL_FORWARD,
    .man_captures = DIAGONAL_FORWARD,  // FID 5.3b
    .king_moves = DIAGONAL,
    .king_captures = DIAGONAL,   // FID 5.3c, d
    .men_capture_kings = false,  // FID 5.3b
    .king_range = SHORT_KING,
    .priority = PRIORITY_ITALIAN,  // FID 6.6-6.10
    .crowning = CROWNING_STOPS,
    .removal = REMOVED_AT_END,       // FID 3.5
    .draws = {.name = "federation",  // FID 9.3 b1: fourth time; 10.4: 40 moves each
              .repetitions = 4,
              .no_progress_plies = 80,
              .progress = PROGRESS_CAPTURE_OR_MAN_MOVE},
};

static const struct rules RULES_BRAZILIAN = {
    .name = "brazilian",
    .source = "FMJD rules on 8x8; official Brazilian summary",
    .width = 8,
    .rows_of_men = 3,
    .starts = WHITE,
    .game_type = 26,  // PDN 26,W,8,8,A0,0
    .names = ALGEBRAIC,
    .first_square = BOTTOM_LEFT,
    .capture_sign = 'x',
    .man_moves = DIAGONAL_FORWARD,
    .man_captures = DIAGONAL,
    .king_moves = DIAGONAL,
    .king_captures = DIAGONAL,
    .men_capture_kings = true,
    .king_range = FLYING_KING,
    .king_landing = LANDS_ANYWHERE,
    .priority = PRIORITY_QUANTITY,
    .crowning = CROWNING_PASSES,  // summary, rule 13
    .removal = REMOVED_AT_END,
    .draws = {.name = "federation",  // summary: 20 king moves each; endings as FMJD-64 7.2.8
              .repetitions = 3,
              .no_progress_plies = 40,
              .progress = PROGRESS_CAPTURE_OR_MAN_MOVE,
              .limits = {TWO_PIECES_AGAINST_KING_5_MOVES}},
};

static const struct rules RULES_RUSSIAN = {
    .name = "russian",
    .source = "K2004; draws: FMJD-64",
    .width = 8,
    .rows_of_men = 3,
    .starts = WHITE,
    .game_type = 25,  // PDN 25,W,8,8,A0,0
    .names = ALGEBRAIC,
    .first_square = BOTTOM_LEFT,
    .capture_sign = ':',
    .man_moves = DIAGONAL_FORWARD,
    .man_captures = DIAGONAL,  // K2004 1.5.3
    .king_moves = DIAGONAL,
    .king_captures = DIAGONAL,
    .men_capture_kings = true,
    .king_range = FLYING_KING,  // K2004 1.4.5
    .king_landing = LANDS_ANYWHERE,
    .priority = PRIORITY_NONE,
    .crowning = CROWNING_CONTINUES,  // K2004 1.5.15
    .removal = REMOVED_AT_END,
    .draws = {.name = "federation",  // FMJD-64 7.2.3, 7.2.5
              .repetitions = 3,
              .no_progress_plies = 30,
              .progress = PROGRESS_CAPTURE_OR_MAN_MOVE,
              .limits =
                  {
                      // 7.2.8
                      TWO_PIECES_AGAINST_KING_5_MOVES,
                      // 7.2.7: three pieces against a king on the main road, 5 moves each
                      {.balance = BALANCE_LONE_KING,
                       .min_pieces = 3,
                       .max_pieces = 3,
                       .min_kings = 1,
                       .max_men = 2,
                       .on_main_road = true,
                       .plies = 10},
                      // 7.2.4: three or more kings against one, 15 moves each
                      {.balance = BALANCE_LONE_KING,
                       .min_pieces = 3,
                       .max_pieces = 12,
                       .min_kings = 3,
                       .plies = 30},
                      // 7.2.6: kings on both sides and the balance unchanged: 30 or 60 moves each
                      {.balance = BALANCE_KINGS_BOTH,
                       .min_pieces = 4,
                       .max_pieces = 5,
                       .restarts = true,
                       .plies = 60},
                      {.balance = BALANCE_KINGS_BOTH,
                       .min_pieces = 6,
                       .max_pieces = 7,
                       .restarts = true,
                       .plies = 120},
                  }},
};

static const struct rules RULES_CZECH = {
    .name = "czech",
    .source = "Czech draughts federation rules (damweb.cz, hrejsi.cz)",
    .width = 8,
    .rows_of_men = 3,
    .starts = WHITE,
    .game_type = 29,  // PDN 29,W,8,8,A0,0
    .names = ALGEBRAIC,
    .first_square = BOTTOM_LEFT,
    .capture_sign = 'x',
    .man_moves = DIAGONAL_FORWARD,
    .man_captures = DIAGONAL_FORWARD,
    .king_moves = DIAGONAL,
    .king_captures = DIAGONAL,
    .men_capture_kings = true,
    .king_range = FLYING_KING,
    .king_landing = LANDS_ANYWHERE,
    .priority = PRIORITY_KING_FIRST,
    .crowning = CROWNING_STOPS,
    .removal = REMOVED_AT_END,
    .draws = DRAWS_WITHOUT_A_SOURCE,  // "when no further capture is possible with careful play"
};

static const struct rules RULES_AMERICAN = {
    .name = "american",
    .source = "WCDF rules of draughts",
    .width = 8,
    .rows_of_men = 3,
    .starts = BLACK,  // WCDF 1.4-1.5
    .game_type = 21,  // PDN 21,B,8,8,N1,0
    .names = NUMERIC,
    .first_square = BOTTOM_RIGHT,  // at Black's right: b8 seen from White
    .capture_sign = 'x',
    .man_moves = DIAGONAL_FORWARD,
    .man_captures = DIAGONAL_FORWARD,  // 1.18
    .king_moves = DIAGONAL,
    .king_captures = DIAGONAL,
    .men_capture_kings = true,
    .king_range = SHORT_KING,        // 1.17
    .priority = PRIORITY_NONE,       // 1.20
    .crowning = CROWNING_STOPS,      // 1.19
    .removal = REMOVED_AT_ONCE,      // immaterial with short kings that may not jump a piece twice
    .draws = {.name = "federation",  // 1.32.1; 1.32.2: 40 moves each with no man advanced, nothing removed
              .repetitions = 3,
              .no_progress_plies = 80,
              .progress = PROGRESS_CAPTURE_OR_MAN_MOVE},
};

static const struct rules RULES_POOL = {
    .name = "pool",
    .source = "APCA",
    .width = 8,
    .rows_of_men = 3,
    .starts = BLACK,  // APCA 2, 5, 7
    .game_type = 23,  // PDN 23,B,8,8,N1,0
    .names = NUMERIC,
    .first_square = BOTTOM_RIGHT,
    .capture_sign = 'x',
    .man_moves = DIAGONAL_FORWARD,
    .man_captures = DIAGONAL,  // APCA 14
    .king_moves = DIAGONAL,
    .king_captures = DIAGONAL,
    .men_capture_kings = true,
    .king_range = FLYING_KING,  // APCA 15
    .king_landing = LANDS_ANYWHERE,
    .priority = PRIORITY_NONE,       // APCA 20
    .crowning = CROWNING_PASSES,     // APCA 16, 22, 23
    .removal = REMOVED_AT_END,       // APCA 17-19
    .draws = {.name = "federation",  // APCA 26
              .repetitions = 3,
              .no_progress_plies = 30,
              .progress = PROGRESS_CAPTURE_OR_MAN_MOVE,
              // three kings against one: 13 moves each
              .limits = {{.balance = BALANCE_LONE_KING,
                          .min_pieces = 3,
                          .max_pieces = 12,
                          .min_kings = 3,
                          .plies = 26}}},
};

static const struct rules RULES_THAI = {
    .name = "thai",
    .source = "coldmoon.io, mindsports.nl; PDN GameType 31",
    .width = 8,
    .rows_of_men = 2,
    .starts = BLACK,  // PDN 31,B,8,8,N2,0
    .game_type = 31,
    .names = NUMERIC,
    .first_square = TOP_LEFT,  // seen by Black: g1 = 1 seen by White, so White starts on 1-8
    .capture_sign = '-',
    .man_moves = DIAGONAL_FORWARD,
    .man_captures = DIAGONAL_FORWARD,
    .king_moves = DIAGONAL,
    .king_captures = DIAGONAL,  // may turn straight back
    .men_capture_kings = true,
    .king_range = FLYING_KING,
    .king_landing = LANDS_RIGHT_BEHIND,
    .priority = PRIORITY_NONE,
    .crowning = CROWNING_STOPS,
    .removal = REMOVED_AT_ONCE,
    .draws = DRAWS_WITHOUT_A_SOURCE,
};

static const struct rules RULES_INTERNATIONAL = {
    .name = "international",
    .source = "FMJD",
    .width = 10,
    .rows_of_men = 4,
    .starts = WHITE,  // FMJD 2.4-2.8, 3.3
    .game_type = 20,  // PDN 20,W,10,10,N2,0
    .names = NUMERIC,
    .first_square = TOP_LEFT,
    .capture_sign = 'x',
    .two_points = true,
    .man_moves = DIAGONAL_FORWARD,
    .man_captures = DIAGONAL,  // 4.1
    .king_moves = DIAGONAL,
    .king_captures = DIAGONAL,
    .men_capture_kings = true,
    .king_range = FLYING_KING,       // 3.9
    .king_landing = LANDS_ANYWHERE,  // 4.3, 4.6
    .priority = PRIORITY_QUANTITY,   // 4.13, 4.14
    .crowning = CROWNING_PASSES,     // 4.15
    .removal = REMOVED_AT_END,       // 4.8, 4.11
    .draws = {.name = "federation",  // 6.1; 6.2: 25 moves each by kings only, no capture
              .repetitions = 3,
              .no_progress_plies = 50,
              .progress = PROGRESS_CAPTURE_OR_MAN_MOVE,
              .limits =
                  {
                      // 6.4: two pieces or fewer against a king, 5 moves each
                      TWO_PIECES_AGAINST_KING_5_MOVES,
                      // 6.3: three pieces with a king against a king, 16 moves each
                      {.balance = BALANCE_LONE_KING,
                       .min_pieces = 3,
                       .max_pieces = 3,
                       .min_kings = 1,
                       .max_men = 2,
                       .plies = 32},
                  }},
};

static const struct rules RULES_KILLER = {
    .name = "killer",
    .source = "mindsports.nl; FMJD otherwise",
    .width = 10,
    .rows_of_men = 4,
    .starts = WHITE,
    .game_type = 0,  // none in PDN 3.0
    .names = NUMERIC,
    .first_square = TOP_LEFT,
    .capture_sign = 'x',
    .two_points = true,
    .man_moves = DIAGONAL_FORWARD,
    .man_captures = DIAGONAL,
    .king_moves = DIAGONAL,
    .king_captures = DIAGONAL,
    .men_capture_kings = true,
    .king_range = FLYING_KING,
    .king_landing = LANDS_BEHIND_LAST_KING,  // single captures included
    .priority = PRIORITY_QUANTITY,
    .crowning = CROWNING_PASSES,
    .removal = REMOVED_AT_END,
    .draws = {.name = "federation",  // two kings win against one here: no limit on that ending
              .repetitions = 3,
              .no_progress_plies = 50,
              .progress = PROGRESS_CAPTURE_OR_MAN_MOVE},
};

static const struct rules RULES_FRISIAN = {
    .name = "frisian",
    .source = "FRIS",
    .width = 10,
    .rows_of_men = 4,
    .starts = WHITE,
    .game_type = 40,  // PDN 40,W,10,10,N2,0
    .names = NUMERIC,
    .first_square = TOP_LEFT,
    .capture_sign = 'x',
    .man_moves = DIAGONAL_FORWARD,        // FRIS 7
    .man_captures = DIAGONAL | STRAIGHT,  // 7: in all eight directions
    .king_moves = DIAGONAL,               // 9
    .king_captures = DIAGONAL | STRAIGHT,
    .men_capture_kings = true,
    .king_range = FLYING_KING,
    .king_landing = LANDS_ANYWHERE,
    .priority = PRIORITY_VALUE,  // 11, 12
    .crowning = CROWNING_PASSES,
    .removal = REMOVED_AT_END,  // 13, 14
    .king_move_limit = 3,       // 17
    // 18: two kings against one, 7 moves each; 21: king against king, 2 moves each as servers read it. The
    // text has neither repetition nor a limit on king moves; servers play the third repetition, and 50 moves
    // each without progress are ours, so that every game ends.
    .draws =
        {.name = "federation",
         .repetitions = 3,
         .no_progress_plies = 100,
         .progress = PROGRESS_CAPTURE_OR_MAN_MOVE,
         .limits =
             {
                 {.balance = BALANCE_LONE_KING, .min_pieces = 1, .max_pieces = 1, .min_kings = 1, .plies = 4},
                 {.balance = BALANCE_LONE_KING,
                  .min_pieces = 2,
                  .max_pieces = 2,
                  .min_kings = 2,
                  .plies = 14},
             }},
};

// X(id, RULES): every game once. 8x8 sets are listed apart because "+free" exists for them alone.
#define FOR_EACH_8X8_GAME(X)      \
    X(spanish, RULES_SPANISH)     \
    X(italian, RULES_ITALIAN)     \
    X(brazilian, RULES_BRAZILIAN) \
    X(russian, RULES_RUSSIAN)     \
    X(czech, RULES_CZECH)         \
    X(american, RULES_AMERICAN)   \
    X(pool, RULES_POOL)           \
    X(thai, RULES_THAI)

#define FOR_EACH_10X10_GAME(X)            \
    X(international, RULES_INTERNATIONAL) \
    X(frisian, RULES_FRISIAN)             \
    X(killer, RULES_KILLER)

// X(name, RULES, id): the same moves as an 8x8 game above under another name and notation.
#define FOR_EACH_8X8_NAMESAKE(X) X(portuguese, RULES_PORTUGUESE, spanish)

// X(alias, name)
#define FOR_EACH_ALIAS(X) \
    X(english, american)  \
    X(checkers, american) \
    X(standard, international)

#endif
