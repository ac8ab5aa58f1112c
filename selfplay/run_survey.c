// run_survey.c -- finds out what of a run is finished.

#include "selfplay/run_survey.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/support/file.h"
#include "core/support/memory.h"
#include "selfplay/open_shard.h"
#include "selfplay/shards.h"

// Says what becomes of a shard that is not as it should be, and whether it is finished.
static bool judge_shard(const struct run_folder *folder, uint64_t number, const struct shard_sum *sum,
                        enum shard_origin origin, bool quiet) {
    const bool good =
        origin == SHARD_OF_RUN && (sum->state == SHARD_WHOLE ||
                                   (sum->state == SHARD_UNKNOWN && open_shard_is_published(folder, number)));
    if ((sum->state == SHARD_WHOLE && good) || sum->state == SHARD_ABSENT || quiet) return good;
    fprintf(stderr, "%s: shard %" PRIu64 " %s\n", folder->path, number,
            good ? "had lost its checksum: it was checked move by move and is kept"
                 : "is damaged: its games are played again");
    return good;
}

// Where others may be adding checksums at the same time, those that were lost are added, too.
static bool keep_sums(const struct run_folder *folder, const struct run_survey *survey,
                      struct shard_sum *sums, const bool *lost, struct error *error) {
    if (!survey->shared) return shards_rewrite_sums(folder->path, survey->end, sums, error);
    bool done = true;
    for (uint64_t i = survey->first; i < survey->end && done; i++) {
        if (lost[i - survey->first])
            done = shard_add_sum(folder->path, i, sums[i - survey->first].sha256, error);
    }
    return done;
}

static bool survey_shards(const struct run_folder *folder, struct run_survey *survey, bool quiet,
                          struct error *error) {
    const uint64_t count = survey->end - survey->first;
    struct shard_sum *sums = memory_new(count, sizeof *sums);
    bool *lost = memory_new(count, sizeof *lost);
    bool done = shards_examine(folder->path, survey->first, count, sums, error);
    for (uint64_t i = 0; i < count && done; i++) {
        const uint64_t number = survey->first + i;
        enum shard_origin origin = SHARD_USELESS;
        // A shard of another run is not this one's to replace.
        if (sums[i].state == SHARD_WHOLE || sums[i].state == SHARD_UNKNOWN)
            origin = open_shard_origin(folder, number, error);
        if (origin == SHARD_OF_ANOTHER) done = false;
        survey->published[number] = done && judge_shard(folder, number, &sums[i], origin, quiet);
        if (!survey->published[number]) {
            if (sums[i].state != SHARD_ABSENT) sums[i].state = SHARD_DAMAGED;
            continue;
        }
        lost[i] = sums[i].state == SHARD_UNKNOWN;
        sums[i].state = SHARD_WHOLE;
        survey->games += run_folder_shard_size(folder, number);
        survey->shards++;
    }
    done = done && keep_sums(folder, survey, sums, lost, error);
    free(lost);
    free(sums);
    return done;
}

// Counts what a journal holds; its games are taken when the shard is played.
static bool survey_journal(const struct run_folder *folder, uint64_t number, struct run_survey *survey,
                           bool quiet, struct error *error) {
    uint64_t cut;
    struct open_shard *shard = open_shard_new(folder, number, &cut, error);
    if (shard == NULL) return false;
    if (cut > 0 && !quiet) {
        fprintf(stderr,
                "%s: %" PRIu64 " damaged bytes at the end of the journal of shard %" PRIu64
                ": %zu games kept\n",
                folder->path, cut, number, shard->done);
    }
    survey->games += shard->done;
    open_shard_free(shard);
    return true;
}

static bool survey_journals(const struct run_folder *folder, struct run_survey *survey, bool quiet,
                            struct error *error) {
    bool done = true;
    for (uint64_t i = survey->first; i < survey->end && done; i++) {
        char *path = shard_path(folder->path, i, "journal");
        if (survey->published[i])
            unlink(path);
        else if (file_exists(path))
            done = survey_journal(folder, i, survey, quiet, error);
        free(path);
    }
    return done;
}

bool run_survey(const struct run_folder *folder, struct run_survey *survey, bool quiet, struct error *error) {
    survey->games = survey->shards = 0;
    return survey_shards(folder, survey, quiet, error) && survey_journals(folder, survey, quiet, error);
}
