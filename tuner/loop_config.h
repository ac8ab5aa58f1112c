// loop_config.h -- what a loop of generations is told: keys of its own, and in sections those of self-play,
// of a fit and of matches, each read by whoever reads the configurations of these.
//
//     variant, generations, ...      the loop's own
//     selfplay:                      as in configs/selfplay-*.yaml
//     fit:                           as in configs/fit-default.yaml
//     gate:                          as in configs/match-*.yaml
//     final:                         the same
//
// Keys that are the loop's to say (variant, seed, threads, weights, engines) are refused in the sections.
#ifndef HUFF_TUNER_LOOP_CONFIG_H
#define HUFF_TUNER_LOOP_CONFIG_H

#include "selfplay/match_settings.h"
#include "selfplay/settings.h"
#include "tuner/fit_config.h"

struct loop_config {
    const struct variant *variant;
    int generations;
    uint64_t seed;
    int threads;        // 0 = all cores
    char *start;        // weights to begin with, as for weights_get
    int window;         // a generation's weights are fitted to the games of so many generations, its own last
    bool forget_first;  // but the games of generation 1 are fitted to in generation 1 only
    int patterns_from;  // generation; before it patterns are held where the fit starts
    double
        accept_los;    // likelihood of superiority from which on new weights are accepted, where no test says
    bool final_match;  // of the accepted weights at the end,
    char *final_against;  // against these

    // Where the sections are.
    char *path;
    char **sets;
    int set_count;
};

// Reads a configuration with --set on top (config.h) and all of its sections, with the weights and openings
// that they name, so that what is wrong is said before anything is played.
bool loop_config_read(const char *path, const char *const *sets, int set_count, struct loop_config *,
                      struct error *) __attribute__((warn_unused_result));
void loop_config_free(struct loop_config *);

// What each step of a generation (1, 2, ...) is told. Seeds follow from the loop's, the generation and the
// step.
bool loop_selfplay_settings(const struct loop_config *, int generation, const char *weights,
                            struct settings *, struct error *) __attribute__((warn_unused_result));

// `start`: NULL for the weights that the loop began with, "accepted" for the last accepted ones, or as for
// weights_get.
bool loop_fit_config(const struct loop_config *, int generation, struct fit_config *, struct error *)
    __attribute__((warn_unused_result));

enum loop_match { LOOP_GATE, LOOP_FINAL };
struct loop_side {
    const char *name, *weights;
};
bool loop_match_settings(const struct loop_config *, enum loop_match, int generation,
                         const struct loop_side sides[static 2], struct match_settings *, struct error *)
    __attribute__((warn_unused_result));

// First generation whose games the weights of this one are fitted to.
int loop_first_fitted(const struct loop_config *, int generation);

#endif
