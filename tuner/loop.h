// loop.h -- generations: games by the best weights so far, weights fitted to them, a match that says whether
// these are better; in one folder.
//
//     RUN/manifest.json            what the loop was told
//     RUN/config.yaml              the same, as the file that it was
//     RUN/start.weights.gz         what it began with
//     RUN/accepted.weights.gz      the best so far
//     RUN/generations.tsv          the table of generations
//     RUN/gen-001/games/           a run of self-play (run.h)
//     RUN/gen-001/new.weights.gz   fitted to its games and those of generations before
//     RUN/gen-001/support.json     how often these games showed each weight (support.h)
//     RUN/gen-001/gate/            a match of these against the accepted ones (match_folder.h)
//     RUN/gen-001/final/           in the last one: a match of the accepted weights against others
//     RUN/gen-001/record.json      what came of it (loop_record.h)
//
// Where it is follows from these files alone, and each of its steps goes on where it was stopped or killed,
// so that the weights are those of a loop that was left alone.
#ifndef HUFF_TUNER_LOOP_H
#define HUFF_TUNER_LOOP_H

#include <jansson.h>

#include "tuner/loop_config.h"

struct loop;

enum loop_end {
    LOOP_FAILED,
    LOOP_STOPPED,  // by SIGINT or SIGTERM; what is finished is kept
    LOOP_DONE,
};

// Hears of each generation whose weights were accepted or not, those found done first (loop_record.h).
typedef void loop_listener(void *context, const json_t *record);

// Makes the folder, which must not be there, and takes the configuration over. Nothing is left behind on
// failure.
struct loop *loop_create(const char *folder, struct loop_config *, bool quiet, struct error *);

// Goes on with a loop; `generations` 0: with as many as it was told, otherwise with so many.
struct loop *loop_resume(const char *folder, int generations, bool quiet, struct error *);

// threads 0: as the configuration says.
enum loop_end loop_run(struct loop *, int threads, loop_listener *, void *context, struct error *);

// Records of the generations that are done, in order; the last may have a final match.
const json_t *loop_records(const struct loop *);
const struct loop_config *loop_told(const struct loop *);

void loop_close(struct loop *);  // NULL is allowed

#endif
