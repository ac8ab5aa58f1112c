// fit_config.h -- what a fit is told: its settings from a YAML file.
#ifndef HUFF_TUNER_FIT_CONFIG_H
#define HUFF_TUNER_FIT_CONFIG_H

#include "core/support/options.h"
#include "tuner/fit.h"

struct fit_config {
    struct fit_settings settings;
    char *start;  // file of the weights to start from, owned; NULL = material alone
};

// Reads a configuration with --set on top (config.h); a key that is absent has its usual value.
bool fit_config_read(const char *path, const char *const *sets, int set_count, struct fit_config *,
                     struct error *) __attribute__((warn_unused_result));
// Seed and threads of the command line come before those of the file.
void fit_config_override(struct fit_config *, const struct common_options *);
void fit_config_free(struct fit_config *);

// The weights that the fit starts from; after a failure there is nothing to free.
bool fit_config_read_start(const struct fit_config *, const struct variant *, struct weights *,
                           struct error *) __attribute__((warn_unused_result));

#endif
