// annotate.c -- what the search thinks of the moves of games.

#include "search/annotate.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/notation.h"
#include "core/pdn_file.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "core/support/progress.h"
#include "search/keyboard.h"

// A lead from which on more is not better: nobody errs by winning slowly.
enum { WON_ANYWAY = 500 };

// A position of a game.
struct verdict {
    bool ended;        // by the rules: no search
    struct move best;  // of the side to move
    int score;         // centipawns, White's view
    int depth;
    uint64_t nodes;
};

// What a side did wrong.
struct tally {
    int moves, inaccuracies, mistakes, blunders, lost;  // lost: centipawns
};

struct annotator {
    const struct annotate_settings *settings;
    const struct variant *variant;  // of the search; NULL = none yet
    struct search *search;
    struct keyboard keyboard;
    bool stopped;
    struct progress *progress;
    struct move_list legal;
};

// ---- searching ----

struct job {
    struct annotator *annotator;
    struct game *game;
    struct search_result result;
};

static void work(void *context, const atomic_bool *stop) {
    struct job *job = context;
    struct annotator *a = job->annotator;
    search_think(a->search, job->game, &a->settings->limits, stop, NULL, NULL, &job->result);
}

static struct verdict judge(struct annotator *a, struct game *game) {
    int result;
    if (game_over(game, &result) != GAME_GOES_ON)
        return (struct verdict){.ended = true, .score = result * SCORE_WIN};
    struct job job = {.annotator = a, .game = game};
    if (keyboard_during(&a->keyboard, work, &job) != KEYBOARD_NOTHING) a->stopped = true;
    const int sign = game_position(game)->turn == WHITE ? 1 : -1;
    return (struct verdict){.best = job.result.best,
                            .score = sign * job.result.score,
                            .depth = job.result.depth,
                            .nodes = job.result.nodes};
}

// Every position of the game, from the last one back: what comes of a move is known when the position before
// it is searched. False after Ctrl-C.
static bool judge_game(struct annotator *a, const struct pdn_game *from, struct verdict *verdicts) {
    struct game game;
    game_init(&game, from->variant, NULL, &from->start);
    for (int i = 0; i < from->ply_count; i++) game_play(&game, from->plies[i].move);
    search_clear(a->search);
    for (int i = from->ply_count; i >= 0 && !a->stopped; i--) {
        verdicts[i] = judge(a, &game);
        progress_step(a->progress, 1);
        if (i > 0) game_undo(&game);
    }
    game_free(&game);
    return !a->stopped;
}

// ---- writing ----

static int sober(int score) {
    return score > WON_ANYWAY ? WON_ANYWAY : score < -WON_ANYWAY ? -WON_ANYWAY : score;
}

// Centipawns that the move gave away.
static int loss_of(const struct verdict *before, const struct verdict *after, struct move move,
                   enum side mover) {
    if (before->ended || move_equal(before->best, move)) return 0;
    const int change = sober(before->score) - sober(after->score);
    const int loss = mover == WHITE ? change : -change;
    return loss > 0 ? loss : 0;
}

static const char *name_of_loss(int loss) {
    return loss >= BLUNDER      ? "blunder"
           : loss >= MISTAKE    ? "mistake"
           : loss >= INACCURACY ? "inaccuracy"
                                : NULL;
}

static void count_loss(struct tally *tally, int loss) {
    tally->moves++;
    tally->lost += loss;
    tally->blunders += loss >= BLUNDER;
    tally->mistakes += loss >= MISTAKE && loss < BLUNDER;
    tally->inaccuracies += loss >= INACCURACY && loss < MISTAKE;
}

static void score_text(int score, char text[static 32]) {
    const int plies = score >= SCORE_WIN_FROM    ? SCORE_WIN - score
                      : score <= -SCORE_WIN_FROM ? SCORE_WIN + score
                                                 : -1;
    if (plies >= 0)
        snprintf(text, 32, "%s wins in %d", score > 0 ? "White" : "Black", plies);
    else
        snprintf(text, 32, "%.2f", score / 100.0);
}

static char *joined(char *comment, const char *more) {
    char *text = comment ? memory_text("%s; %s", comment, more) : memory_text("%s", more);
    free(comment);
    return text;
}

// A move of the game, with the position that it is made in.
struct made {
    int ply;
    const struct position *position;
    const struct verdict *before, *after;
    char best[MOVE_TEXT_SIZE];  // "" where none is known
    int loss;
};

static void note_move(struct pdn_ply *ply, const struct made *made) {
    ply->note.scored = true;
    ply->note.score = made->after->score;
    ply->note.depth = made->after->depth;
    ply->note.nodes = made->after->nodes;
    const char *name = name_of_loss(made->loss);
    if (!name) return;
    char score[32], *text;
    score_text(made->before->score, score);
    text = memory_text("%s: best %s (%s)", name, made->best, score);
    ply->comment = joined(ply->comment, text);
    free(text);
}

static void print_json(const struct pdn_game *game, const char *move, const struct made *made) {
    json_t *line = json_pack("{s:I, s:i, s:s, s:s, s:i, s:i}", "game", (json_int_t)game->number, "ply",
                             made->ply + 1, "side", made->position->turn == WHITE ? "white" : "black", "move",
                             move, "score", made->after->score, "loss", made->loss);
    if (*made->best) json_object_set_new(line, "best", json_string(made->best));
    const char *name = name_of_loss(made->loss);
    if (name) json_object_set_new(line, "mark", json_string(name));
    json_dumpf(line, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(line);
}

static char *tally_text(const char *side, const struct tally *t) {
    return memory_text("%s: inaccuracies %d, mistakes %d, blunders %d, lost %.2f a move", side,
                       t->inaccuracies, t->mistakes, t->blunders,
                       t->moves ? t->lost / 100.0 / t->moves : 0.0);
}

// Of a whole game, before its first move.
static void note_tallies(struct pdn_game *game, const struct tally tally[static 2]) {
    for (enum side side = WHITE; side <= BLACK; side++) {
        char *text = tally_text(side == WHITE ? "White" : "Black", &tally[side]);
        game->comment = joined(game->comment, text);
        free(text);
    }
}

static void write_game(struct annotator *a, struct pdn_game *game, const struct verdict *verdicts) {
    const struct variant *variant = game->variant;
    struct tally tally[2] = {0};
    struct position now = game->start;
    for (int i = 0; i < game->ply_count; i++) {
        struct pdn_ply *ply = &game->plies[i];
        struct made made = {.ply = i, .position = &now, .before = &verdicts[i], .after = &verdicts[i + 1]};
        made.loss = loss_of(made.before, made.after, ply->move, now.turn);
        variant->generate(&now, &a->legal);
        if (!made.before->ended) move_to_text(variant, &now, &a->legal, made.before->best, made.best);
        count_loss(&tally[now.turn], made.loss);
        if (a->settings->json) {
            char move[MOVE_TEXT_SIZE];
            move_to_text(variant, &now, &a->legal, ply->move, move);
            print_json(game, move, &made);
        } else {
            note_move(ply, &made);
        }
        variant->play(&now, ply->move);
    }
    if (!a->settings->json) {
        note_tallies(game, tally);
        pdn_set_tag(game, "Annotator", "huff " HUFF_VERSION);
        char *text = pdn_game_to_text(game, PDN_LEFT_DEFAULT);
        fputs(text, stdout);
        free(text);
    }
    fflush(stdout);
}

// ---- games ----

static bool prepare_search(struct annotator *a, const struct variant *variant, struct error *error) {
    if (a->variant == variant) return true;
    const struct annotate_settings *settings = a->settings;
    struct weights weights;
    if (!weights_get(settings->weights, variant, &weights, error)) return false;
    if (a->search) search_free(a->search);
    a->search = search_new(variant, &weights, (size_t)settings->hash_megabytes);
    weights_free(&weights);
    a->variant = a->search ? variant : NULL;
    if (!a->search) return error_set(error, "--hash: no memory for %d megabytes", settings->hash_megabytes);
    search_set_threads(a->search, settings->threads);
    return true;
}

static bool annotate(struct annotator *a, struct pdn_game *game, struct error *error) {
    if (!prepare_search(a, game->variant, error)) return error_prefix(error, "game %ld", game->number);
    struct verdict *verdicts = memory_new((size_t)game->ply_count + 1, sizeof *verdicts);
    const bool done = judge_game(a, game, verdicts);
    if (done) write_game(a, game, verdicts);
    free(verdicts);
    return done || error_set(error, "interrupted in game %ld; those before it are complete", game->number);
}

static void tell(void *context, const char *line) {
    (void)context;
    fprintf(stderr, "%s\n", line);
}

// A pipe may have no other game for ever. What was written by then is whole.
static bool read_game(struct annotator *a, struct pdn_file *file, struct pdn_game *game,
                      struct error *error) {
    if (!keyboard_let_go(&a->keyboard)) return error_set(error, "interrupted; the games so far are complete");
    const bool found = pdn_file_read(file, game);
    keyboard_take_back();
    return found;
}

static bool each_game(struct annotator *a, struct pdn_file *file, struct error *error) {
    const int wanted = a->settings->game;
    long games = 0;
    bool good = true;
    struct pdn_game game;
    error->text[0] = '\0';
    while (good && (!wanted || !games) && read_game(a, file, &game, error)) {
        if (!wanted || game.number == wanted) {
            games++;
            good = annotate(a, &game, error);
        }
        pdn_game_free(&game);
    }
    if (!good || *error->text || pdn_file_failed(file, error)) return false;
    if (games) return true;
    if (wanted) return error_set(error, "%s: no game %d that can be read", a->settings->path, wanted);
    return error_set(error, "%s: no game that can be read", a->settings->path);
}

bool annotate_games(const struct annotate_settings *settings, struct error *error) {
    const struct pdn_settings reading = {
        .variant = settings->variant, .comments = true, .keep_broken = true, .guess = true, .report = tell};
    struct pdn_file *file = pdn_file_open(settings->path, &reading, error);
    if (!file) return false;
    struct annotator *a = memory_new(1, sizeof *a);
    a->settings = settings;
    bool done = keyboard_open(&a->keyboard, -1, error);
    if (done) {
        a->progress = progress_start("annotating", "positions", 0, settings->quiet);
        done = each_game(a, file, error);
        progress_end(a->progress);
        keyboard_close(&a->keyboard);
    }
    if (a->search) search_free(a->search);
    free(a);
    pdn_file_close(file);
    return done;
}
