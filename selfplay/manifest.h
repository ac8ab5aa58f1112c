// manifest.h -- RUN/manifest.json: what a run is, so that it can be resumed exactly as it was begun.
#ifndef HUFF_SELFPLAY_MANIFEST_H
#define HUFF_SELFPLAY_MANIFEST_H

#include "selfplay/settings.h"

struct manifest {
    struct settings settings;
    char weights_sha256[65];
    char config_sha256[65];  // of the configuration; also the run's name in its journals
    json_t *root;
};

// Begins a run: computes the checksum and writes RUN/manifest.json. Takes the settings over when it succeeds.
bool manifest_create(const char *folder, struct settings *, const char *weights_sha256, struct manifest *,
                     struct error *) __attribute__((warn_unused_result));

// Refuses a manifest that is absent, damaged, was changed by hand, or belongs to another version of the
// program.
bool manifest_read(const char *folder, struct manifest *, struct error *) __attribute__((warn_unused_result));

// Notes that the run was resumed or finished now.
bool manifest_note_resumed(const char *folder, struct manifest *, struct error *)
    __attribute__((warn_unused_result));
bool manifest_note_finished(const char *folder, struct manifest *, struct error *)
    __attribute__((warn_unused_result));

void manifest_free(struct manifest *);

#endif
