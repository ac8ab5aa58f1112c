// status.c -- shows how far a run is.

#include "selfplay/status.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/support/clock.h"
#include "core/support/memory.h"
#include "core/support/progress.h"

#define FILE_SECONDS 1.0

struct status {
    char *path;
    uint64_t total, kept, shown;  // games
    int processes;
    double started, due;  // by a clock that nobody sets
    struct progress *progress;
};

static double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

// ---- the file ----

static json_t *describe(const struct status *status, const char *state,
                        const uint64_t counts[static COUNTS]) {
    char host[256] = "";
    if (gethostname(host, sizeof host - 1) != 0) strcpy(host, "unknown");
    const double seconds = clock_seconds() - status->started, games = (double)counted_games(counts);
    const double rate = share(games, seconds), left = (double)(status->total - status->kept) - games;
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:I, s:f, s:f, s:o, s:i, s:i, s:s, s:o}",
                     "state", state, "games", (json_int_t)(status->kept + counted_games(counts)), "total",
                     (json_int_t)status->total, "wins", (json_int_t)counts[COUNT_WINS], "draws",
                     (json_int_t)counts[COUNT_DRAWS], "losses", (json_int_t)counts[COUNT_LOSSES], "draw_rate",
                     share((double)counts[COUNT_DRAWS], games), "games_per_second", rate, "positions",
                     (json_int_t)counts[COUNT_POSITIONS], "positions_per_second",
                     share((double)counts[COUNT_POSITIONS], seconds), "seconds", seconds, "seconds_left",
                     rate > 0 ? json_real(left / rate) : json_null(), "processes", status->processes, "pid",
                     (int)getpid(), "host", host, "updated", json_string(clock_now().text));
}

// Without a word when it cannot: it is no part of the data, and the next game tells of a full disk. It is not
// waited for until it is on the disk, either.
static void write_file(const struct status *status, const char *state, const uint64_t counts[static COUNTS]) {
    if (status->path == NULL) return;
    char *name = memory_text("%s.tmp-%ld", status->path, (long)getpid());
    json_t *root = describe(status, state, counts);
    const bool written = json_dump_file(root, name, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) == 0;
    if (!written || rename(name, status->path) != 0) unlink(name);
    json_decref(root);
    free(name);
}

// ---- both ----

struct status *status_start(const struct status_settings *settings) {
    static const uint64_t none[COUNTS];
    struct status *status = memory_new(1, sizeof *status);
    *status = (struct status){
        .path = settings->path != NULL ? memory_text("%s", settings->path) : NULL,
        .total = settings->total,
        .kept = settings->kept,
        .processes = settings->processes,
        .started = clock_seconds(),
        .progress = progress_start(settings->title, "games", settings->total, settings->quiet),
    };
    progress_skip(status->progress, settings->kept);
    write_file(status, "playing", none);
    status->due = clock_seconds() + FILE_SECONDS;
    return status;
}

void status_show(struct status *status, const uint64_t counts[static COUNTS]) {
    const uint64_t games = counted_games(counts);
    const double percent = share(100, (double)games);
    progress_note(status->progress, "W %.0f%% D %.0f%% L %.0f%%, %.0f positions/s",
                  percent * (double)counts[COUNT_WINS], percent * (double)counts[COUNT_DRAWS],
                  percent * (double)counts[COUNT_LOSSES],
                  share((double)counts[COUNT_POSITIONS], clock_seconds() - status->started));
    progress_step(status->progress, games - status->shown);
    status->shown = games;
    if (clock_seconds() < status->due) return;
    write_file(status, "playing", counts);
    status->due = clock_seconds() + FILE_SECONDS;
}

void status_end(struct status *status, const char *state, const uint64_t counts[static COUNTS]) {
    status_show(status, counts);
    progress_end(status->progress);
    write_file(status, state, counts);
    free(status->path);
    free(status);
}
