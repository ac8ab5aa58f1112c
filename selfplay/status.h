// status.h -- how far a run is: a line for people on standard error, a file for programs in its folder.
//
// RUN/status.json is one JSON object, replaced as a whole about once a second:
//
//     state                 "playing", "done", "stopped" or "failed"
//     games, total          finished, those of earlier sessions included; to be played
//     wins, draws, losses   of White, in the games of this session, and so
//     draw_rate, games_per_second, positions, positions_per_second
//     seconds, seconds_left since the session began; null when unknown
//     processes, pid, host, updated
//
// Processes that share a run by --shards A-B write status-A-B.json each.
#ifndef HUFF_SELFPLAY_STATUS_H
#define HUFF_SELFPLAY_STATUS_H

#include <stdbool.h>
#include <stdint.h>

// What is counted, by all ranks together (ranks.h).
enum count { COUNT_WINS, COUNT_DRAWS, COUNT_LOSSES, COUNT_POSITIONS, COUNT_SHARDS, COUNT_STOPS, COUNTS };

static inline uint64_t counted_games(const uint64_t counts[static COUNTS]) {
    return counts[COUNT_WINS] + counts[COUNT_DRAWS] + counts[COUNT_LOSSES];
}

struct status_settings {
    const char *title, *path;  // the file; NULL: none
    uint64_t total, kept;      // games; those that earlier sessions finished
    int processes;
    bool quiet;  // no line
};

struct status;
struct status *status_start(const struct status_settings *);
// To be called after every game; what it does not do every time is its own matter.
void status_show(struct status *, const uint64_t counts[static COUNTS]);
void status_end(struct status *, const char *state, const uint64_t counts[static COUNTS]);

#endif
