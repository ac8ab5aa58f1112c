// run_facts.h -- what a run says of its shards, by its manifest, against what a shard says of itself.
//
// A shard that was renamed, or came from another run, is whole and has a good checksum: only this tells it.
#ifndef HUFF_SELFPLAY_RUN_FACTS_H
#define HUFF_SELFPLAY_RUN_FACTS_H

#include "selfplay/dataset.h"

struct run_facts;

// Of the run in `folder`. Without a manifest that can be read, the first shard that is checked speaks for the
// others.
struct run_facts *run_facts_read(const char *folder);
void run_facts_free(struct run_facts *);

// How many shards it is to have; 0: it does not say.
uint64_t run_facts_shards(const struct run_facts *);
// Is there a manifest that says that all was played?
bool run_facts_finished(const struct run_facts *);

// Is this shard `number` of the run? Fails with the path of the file and what differs.
bool run_facts_check(struct run_facts *, const struct dataset_file *, uint64_t number, struct error *)
    __attribute__((warn_unused_result));

#endif
