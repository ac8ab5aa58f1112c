// levels.c -- searches as deep as the level allows and chooses among the moves that are good enough for it.
#include "search/levels.h"

#include <stdlib.h>
#include <strings.h>

#include "core/support/memory.h"

const char *const level_names[LEVEL_COUNT] = {"easy", "medium", "hard"};

enum { MOST_LINES = 100 };

// Far more than the depths below take, but for boards full of kings, whose captures have no end. Nodes, so
// that every machine plays the same.
enum { MOST_NODES = 2000000 };

// Centipawns that a move may be worse than the best and still be played. They let a game vary, and an easy
// player waste time, but are less than a man by far.
static const struct {
    int depth, lines, margin;
} measures[] = {
    [LEVEL_EASY] = {.depth = 1, .lines = MOST_LINES, .margin = 60},
    [LEVEL_MEDIUM] = {.depth = 6, .lines = 4, .margin = 8},
};

bool level_find(const char *name, enum level *level, struct error *error) {
    for (int i = 0; i < LEVEL_COUNT; i++) {
        if (strcasecmp(name, level_names[i])) continue;
        *level = (enum level)i;
        return true;
    }
    return error_set(error, "expected easy, medium or hard, got \"%.80s\"", name);
}

// The lines of the last depth that was completed, the best first.
struct choice {
    int count;
    struct search_result lines[MOST_LINES];
};

static void keep_line(void *context, const struct search_result *line) {
    struct choice *choice = context;
    if (line->line == 0) choice->count = 0;
    choice->lines[choice->count++] = *line;
}

static int good_enough(const struct choice *choice, int margin) {
    const int least = choice->lines[0].score - margin;
    int count = 1;
    while (count < choice->count && choice->lines[count].score >= least) count++;
    return count;
}

void level_think(enum level level, struct search *search, struct game *game, double seconds,
                 struct random *random, const atomic_bool *stop, struct search_result *result) {
    if (level == LEVEL_HARD) {
        const struct search_limits limits = {.seconds = seconds};
        search_think(search, game, &limits, stop, NULL, NULL, result);
        return;
    }
    const struct search_limits limits = {.depth = measures[level].depth,
                                         .lines = measures[level].lines,
                                         .nodes = MOST_NODES,
                                         .analysis = true};
    struct choice *choice = memory_new(1, sizeof *choice);
    search_clear(search);  // what it remembers of the moves before would make it see further
    search_think(search, game, &limits, stop, keep_line, choice, result);
    const int count = choice->count ? good_enough(choice, measures[level].margin) : 0;
    if (count) *result = choice->lines[random_below(random, (uint64_t)count)];
    free(choice);
}
