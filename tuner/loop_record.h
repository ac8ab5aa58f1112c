// loop_record.h -- what came of each generation, step by step: RUN/gen-NNN/record.json, and the table of all.
//
//     generation                                        its number
//     games      games, positions, draws, copies        played; copies: games that were played before
//     fit        games, positions                       that its weights were fitted to
//                patterns, epochs, best, loss, start_loss (by part), weights_sha256
//     gate       pairs (counts, by outcomes), verdict, elo, elo_error, los, accepted
//     final      the same, and against; of the last generation only
//     seconds    of each step
//
// A step that is not done has no entry. Numbers that are not determined are null.
#ifndef HUFF_TUNER_LOOP_RECORD_H
#define HUFF_TUNER_LOOP_RECORD_H

#include <jansson.h>

#include "selfplay/match.h"
#include "selfplay/summary.h"
#include "tuner/fit.h"

// Names of steps.
#define STEP_GAMES "games"
#define STEP_FIT   "fit"
#define STEP_GATE  "gate"
#define STEP_FINAL "final"

// A new one where there is no file. Refuses what is not a record of this generation.
json_t *loop_record_read(const char *path, int generation, struct error *error);
bool loop_record_write(const char *path, const json_t *record, struct error *error)
    __attribute__((warn_unused_result));

bool loop_record_has(const json_t *record, const char *step);
void loop_record_add_seconds(json_t *record, const char *step, double seconds);

void loop_record_games(json_t *record, const struct summary *, uint64_t copies);
void loop_record_fit(json_t *record, const struct sample_sets *, const struct fit_result *, bool patterns);
// Of two engines, in the view of the first; `against` may be NULL.
void loop_record_match(json_t *record, const char *step, const struct match_settings *,
                       const struct match_result *, const char *against);
// New weights are accepted when the test says so, and without its verdict from this likelihood on that they
// are the stronger ones.
bool loop_record_judge(json_t *record, double accept_los);

bool loop_record_accepted(const json_t *record);            // false before the gate is done, too
const char *loop_record_weights_sha256(const json_t *fit);  // of a record; NULL: not fitted yet

// The table for people: its head and a line for each generation that is done.
extern const char loop_table_head[];
char *loop_table_line(const json_t *record);  // freed by the caller
char *loop_final_text(const json_t *record);  // "generation 3 against material: Elo ...", freed by the caller
// And for programs, with tabs between the columns; freed by the caller.
extern const char loop_tsv_head[];
char *loop_tsv_line(const json_t *record);

#endif
