// run_survey.h -- what of a run is finished already: its shards judged, its journals looked into.
#ifndef HUFF_SELFPLAY_RUN_SURVEY_H
#define HUFF_SELFPLAY_RUN_SURVEY_H

#include "selfplay/run_folder.h"

// Of shards first .. end-1.
struct run_survey {
    uint64_t first, end;
    bool shared;      // other processes may be at work on other shards
    bool *published;  // of the caller, by number of shard
    uint64_t games;   // finished ones, in shards and journals
    uint64_t shards;  // finished ones
};

// Damaged shards and journals are named on standard error unless `quiet`, and so are shards whose checksum
// was lost, which are kept when they are what they should be. The file of checksums is put right.
bool run_survey(const struct run_folder *, struct run_survey *, bool quiet, struct error *)
    __attribute__((warn_unused_result));

#endif
