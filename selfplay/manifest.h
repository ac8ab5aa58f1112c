// manifest.h -- RUN/manifest.json: what a run is, so that it can be resumed exactly as it was begun.
#ifndef HUFF_SELFPLAY_MANIFEST_H
#define HUFF_SELFPLAY_MANIFEST_H

#include <jansson.h>

#include "core/support/error.h"

// Runs of one kind are begun and resumed by the same version of the same program.
struct manifest_kind {
    const char *format, *program;  // "huff-run", "huff-selfplay 0.1.0"
};

struct manifest {
    char config_sha256[65];  // of the configuration; also the run's name in its journals
    json_t *root;
};

// Takes the lock on the folder of a run, which closing the descriptor or ending the process gives back; -1
// when another process has it.
int manifest_lock(const char *folder, struct error *);
// So too, but others may have it at the same time who take it in this way.
int manifest_lock_shared(const char *folder, struct error *);
// Makes a lock of manifest_lock such a one.
void manifest_share_lock(int lock);

// Begins a run: computes the checksum and writes RUN/manifest.json. Takes over the configuration and the
// checksums of what else the run depends on (files of weights).
bool manifest_create(const char *folder, const struct manifest_kind *, json_t *config, json_t *checksums,
                     struct manifest *, struct error *) __attribute__((warn_unused_result));

// Refuses a manifest that is absent, damaged, was changed by hand, or belongs to another program or version.
bool manifest_read(const char *folder, const struct manifest_kind *, struct manifest *, struct error *)
    __attribute__((warn_unused_result));
bool manifest_exists(const char *folder);

json_t *manifest_config(const struct manifest *);
// Are these the checksums that the run began with? Releases them.
bool manifest_agrees(const struct manifest *, json_t *checksums);

// Notes that the run was resumed or finished now.
bool manifest_note_resumed(const char *folder, struct manifest *, struct error *)
    __attribute__((warn_unused_result));
bool manifest_note_finished(const char *folder, struct manifest *, struct error *)
    __attribute__((warn_unused_result));

void manifest_free(struct manifest *);

#endif
