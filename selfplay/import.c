// import.c -- takes games out of PDN: replays them by the rules, finds out how they ended, writes them.

#include "selfplay/import.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/pdn_file.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "core/support/progress.h"
#include "selfplay/import_output.h"
#include "selfplay/output.h"

enum { MOST_INDEX = 255, MOST_RANDOM_PLIES = 255, MEGABYTE = 1 << 20 };

const char *const import_loss_names[IMPORT_LOSSES] = {
    [LOST_OTHER_VARIANT] = "of other variants",
    [LOST_UNREADABLE] = "broken",
    [LOST_NO_RESULT] = "without a result",
    [LOST_BOTH_LOSE] = "that both lost",
    [LOST_CONTRADICTS] = "with another result than by the rules",
    [LOST_GOES_ON] = "played on after a draw by the rules",
    [LOST_EMPTY] = "without moves",
    [LOST_TOO_LARGE] = "too large",
};

struct importing {
    const char *const *paths;
    int path_count;
    const char *output_path;
    const struct import_settings *settings;
    struct import_counts *counts;
    struct draw_rules draws;
    struct import_output *output;  // NULL before the first game
    struct played_game record;     // its memory is used for game after game
    struct progress *progress;
    const char *path;    // of the file that is read
    uint64_t bytes;      // of the files before it
    uint64_t megabytes;  // read of all files
};

// ---- one game ----

static enum import_loss lose(enum import_loss loss, struct error *why, const char *text) {
    error_set(why, "%s", text);
    return loss;
}

// Plies that an opening gave, where our own writer says so (data_pdn_command.c).
static int random_plies_of(const struct pdn_game *pdn) {
    const char *tag = pdn_tag(pdn, "RandomPlies");
    int plies;
    return tag != NULL && options_int("", tag, 0, MOST_RANDOM_PLIES, &plies, NULL) && plies <= pdn->ply_count
               ? plies
               : 0;
}

static int16_t score_of(const struct pdn_note *note) {
    if (!note->scored) return NO_SCORE;
    return (int16_t)(note->score > SCORE_WIN    ? SCORE_WIN
                     : note->score < -SCORE_WIN ? -SCORE_WIN
                                                : note->score);
}

static struct played_ply ply_of(const struct game *game, const struct pdn_ply *pdn, bool random) {
    const struct variant *variant = game->variant;
    const struct game_ply *now = &game->plies[game->ply];
    struct position turned = now->position;
    turned.turn = (uint8_t)other_side(position_turn(&turned));
    return (struct played_ply){
        .move = pdn->move,
        .index = (uint8_t)pdn->index,
        .clock = (uint8_t)(now->no_progress < 255 ? now->no_progress : 255),
        .flags = (uint16_t)((variant->can_capture(&now->position) ? POSITION_CAN_CAPTURE : 0) |
                            (variant->can_capture(&turned) ? POSITION_OPPONENT_CAN_CAPTURE : 0) |
                            (random ? POSITION_RANDOM_MOVE : 0)),
        .score = score_of(&pdn->note),
    };
}

// Plays the moves until they or the game end. A move was legal when it was read, so that before it the game
// can only be over by a draw.
static void replay(const struct pdn_game *pdn, struct game *game, struct played_game *record) {
    record->random_plies = random_plies_of(pdn);
    record->plies = 0;
    if (pdn->ply_count > record->capacity) {
        record->capacity = 2 * pdn->ply_count;
        record->ply = memory_grow(record->ply, (size_t)record->capacity, sizeof *record->ply);
    }
    for (int i = 0; i < pdn->ply_count && game_drawn(game) == GAME_GOES_ON; i++) {
        record->ply[record->plies++] = ply_of(game, &pdn->plies[i], i < record->random_plies);
        game_play(game, pdn->plies[i].move);
    }
    if (record->random_plies > record->plies) record->random_plies = record->plies;
}

// Of a game that the rules do not end.
static enum termination termination_of(const struct pdn_game *pdn) {
    const bool drawn = pdn->result == PDN_DRAW;
    switch (pdn->termination) {
    case GAME_LENGTH: return drawn ? GAME_LENGTH : GAME_ADJUDICATED_WIN;
    case GAME_TIME:
    case GAME_ILLEGAL_MOVE:
    case GAME_CRASH:
    case GAME_STALL: return drawn ? GAME_ADJUDICATED_DRAW : pdn->termination;
    default: return drawn ? GAME_ADJUDICATED_DRAW : GAME_ADJUDICATED_WIN;
    }
}

static const char *winner(int result) {
    return result > 0 ? "White wins" : result < 0 ? "Black wins" : "a draw";
}

// How it ended and for whom; IMPORT_LOSSES when that is known.
static enum import_loss decide_end(const struct pdn_game *pdn, const struct game *game,
                                   struct played_game *record, struct error *why) {
    const enum termination ended = game_over(game, &record->result);
    record->termination = ended;
    if (pdn->result == PDN_BOTH_LOSE) return lose(LOST_BOTH_LOSE, why, "both sides have lost it");
    if (ended == GAME_GOES_ON) {
        if (pdn->result == PDN_UNKNOWN) return lose(LOST_NO_RESULT, why, "its result is not known");
        record->result = (int)pdn->result;
        record->termination = termination_of(pdn);
    } else if (pdn->result != PDN_UNKNOWN && (int)pdn->result != record->result) {
        error_set(why, "by the rules it is %s (%s), by its tags %s", winner(record->result),
                  termination_names[ended], winner((int)pdn->result));
        return LOST_CONTRADICTS;
    }
    return IMPORT_LOSSES;
}

static bool fits(const struct pdn_game *pdn) {
    bool fits = pdn->ply_count <= PLAYING_MAX_PLIES;
    for (int i = 0; i < pdn->ply_count && fits; i++)
        fits = pdn->plies[i].index >= 0 && pdn->plies[i].index <= MOST_INDEX;
    return fits;
}

// Fills the record, or says in `why` what is wrong with the game.
static enum import_loss take_game(struct importing *m, const struct pdn_game *pdn, struct error *why) {
    if (pdn->ply_count == 0) return lose(LOST_EMPTY, why, "it has no moves");
    if (!fits(pdn)) return lose(LOST_TOO_LARGE, why, "it is too long, or has a position with too many moves");
    struct game game;
    game_init(&game, pdn->variant, &m->draws, &pdn->start);
    m->record.start = pdn->start;
    replay(pdn, &game, &m->record);
    enum import_loss loss = IMPORT_LOSSES;
    if (m->record.plies < pdn->ply_count && (!m->settings->keep_broken || m->record.plies == 0)) {
        error_set(why, "it goes on for %d plies after a draw by the rules (%s); see --draw",
                  pdn->ply_count - m->record.plies, termination_names[game_drawn(&game)]);
        loss = LOST_GOES_ON;
    } else {
        loss = decide_end(pdn, &game, &m->record, why);
    }
    game_free(&game);
    return loss;
}

// ---- the dataset ----

static bool read_draws(struct importing *m, struct error *error) {
    struct refusal refusal;
    const struct draw_words *words = &m->settings->draws;
    if (words->draw != NULL && strcmp(words->draw, "none") == 0) {
        m->draws = (struct draw_rules){.name = "none"};
        return true;
    }
    return draws_read(words, m->counts->variant, &m->draws, &refusal) ||
           error_set(error, "--%s: %s", refusal.key, refusal.cause.text);
}

static json_t *config_of(const struct importing *m) {
    json_t *files = json_array();
    for (int i = 0; i < m->path_count; i++) json_array_append_new(files, json_string(m->paths[i]));
    return json_pack("{s:o, s:s, s:s, s:b}", "import", files, "variant", m->counts->variant->name, "draw",
                     m->draws.name, "keep_broken", m->settings->keep_broken);
}

static bool begin_output(struct importing *m, struct error *error) {
    if (m->output != NULL) return true;
    m->output = import_output_new(m->output_path, m->counts->variant, &m->draws, config_of(m),
                                  m->settings->seed, m->settings->shard_games, error);
    return m->output != NULL;
}

static void report(const struct importing *m, const struct pdn_game *pdn, struct error *what) {
    error_prefix(what, "%.200s:%d", m->path, pdn->line);
    if (m->settings->report != NULL) m->settings->report(m->settings->context, what->text);
}

static void report_cut(const struct importing *m, const struct pdn_game *pdn) {
    struct error what;
    error_set(&what, "warning: game %ld is read up to ply %d, when it is a draw by the rules (%s)",
              pdn->number, m->record.plies, termination_names[m->record.termination]);
    report(m, pdn, &what);
}

static bool write_game(struct importing *m, const struct pdn_game *pdn, struct error *error) {
    const char *const white = pdn_tag(pdn, "White"), *const black = pdn_tag(pdn, "Black");
    const char *const names[2] = {
        [WHITE] = white != NULL ? white : "?", [BLACK] = black != NULL ? black : "?"};
    struct import_counts *counts = m->counts;
    const int cut = pdn->ply_count - m->record.plies;
    if (!begin_output(m, error) || !import_output_add(m->output, &m->record, names, error)) return false;
    if (cut > 0) report_cut(m, pdn);
    counts->games++;
    counts->positions += (uint64_t)m->record.plies;
    counts->lost_moves += (uint64_t)cut;
    counts->broken += pdn->broken || cut > 0;
    counts->warnings += cut > 0;
    counts->by_rules += pdn->result == PDN_UNKNOWN;
    return true;
}

static bool add_game(struct importing *m, const struct pdn_game *pdn, struct error *error) {
    struct error why;
    if (m->counts->variant == NULL) {
        m->counts->variant = pdn->variant;
        if (!read_draws(m, error)) return false;
    }
    const enum import_loss loss = take_game(m, pdn, &why);
    if (loss == IMPORT_LOSSES) return write_game(m, pdn, error);
    error_prefix(&why, "game %ld skipped", pdn->number);
    report(m, pdn, &why);
    m->counts->lost[loss]++;
    m->counts->lost_moves += (uint64_t)pdn->ply_count;
    return true;
}

// ---- files ----

static void count_file(struct importing *m, const struct pdn_file *file) {
    const struct pdn_counts read = pdn_file_counts(file);
    m->counts->warnings += (uint64_t)read.warnings;
    m->counts->lost[LOST_OTHER_VARIANT] += (uint64_t)read.others;
    m->counts->lost[LOST_UNREADABLE] += (uint64_t)(read.skipped - read.others);
    m->counts->lost_moves += (uint64_t)read.lost_moves;
}

static void show_progress(struct importing *m, const struct pdn_file *file) {
    const uint64_t megabytes = (m->bytes + pdn_file_bytes(file)) / MEGABYTE;
    progress_step(m->progress, megabytes - m->megabytes);
    m->megabytes = megabytes;
}

static bool read_games(struct importing *m, struct pdn_file *file, struct error *error) {
    struct pdn_game game;
    bool done = true;
    while (done && pdn_file_read(file, &game)) {
        done = interrupted() ? error_set(error, "interrupted") : add_game(m, &game, error);
        pdn_game_free(&game);
        show_progress(m, file);
    }
    return done && !pdn_file_failed(file, error);
}

static bool read_file(struct importing *m, struct error *error) {
    const struct import_settings *settings = m->settings;
    const struct pdn_settings reading = {
        .variant = m->counts->variant,
        .left = settings->left,
        .notes = true,
        .one_variant = !settings->any_game_type,
        .guess = true,
        .keep_broken = settings->keep_broken,
        .report = settings->report,
        .context = settings->context,
    };
    struct pdn_file *file = pdn_file_open(m->path, &reading, error);
    if (file == NULL) return false;
    if (strcmp(m->path, "-") == 0) m->path = "standard input";
    const bool done = read_games(m, file, error);
    count_file(m, file);
    m->bytes += pdn_file_bytes(file);
    pdn_file_close(file);
    return done;
}

// In megabytes; 0 when it is not known.
static uint64_t size_of_all(const struct importing *m) {
    uint64_t size = 0;
    for (int i = 0; i < m->path_count; i++) {
        struct stat status;
        if (stat(m->paths[i], &status) != 0 || !S_ISREG(status.st_mode)) return 0;
        size += (uint64_t)status.st_size;
    }
    return size / MEGABYTE;
}

bool import_write(const char *const *paths, int path_count, const char *output,
                  const struct import_settings *settings, struct import_counts *counts, struct error *error) {
    *counts = (struct import_counts){.variant = settings->variant};
    struct importing m = {
        .paths = paths,
        .path_count = path_count,
        .output_path = output,
        .settings = settings,
        .counts = counts,
    };
    bool done = import_output_check(output, error) &&
                (!import_output_is_file(output) || output_check_paths(output, paths, path_count, error)) &&
                (counts->variant == NULL || read_draws(&m, error));
    m.progress = progress_start("importing", "MB", size_of_all(&m), settings->quiet);
    for (int i = 0; i < path_count && done; i++) {
        m.path = paths[i];
        done = read_file(&m, error);
    }
    progress_end(m.progress);
    if (done && m.output == NULL) done = error_set(error, "%s: no game could be taken", m.path);
    if (done)
        done = import_output_publish(m.output, &counts->files, error);
    else
        import_output_discard(m.output);
    played_game_free(&m.record);
    return done;
}
