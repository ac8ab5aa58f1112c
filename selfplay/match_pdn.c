// match_pdn.c -- writes the games of a match as PDN.

#include "selfplay/match_pdn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/pdn.h"
#include "core/support/file.h"
#include "core/support/memory.h"

struct match_pdn {
    const struct match_settings *settings;
    char *path;
    int file;
    bool made;   // by this match
    bool begun;  // emptied of what was there before
    off_t size;  // of whole games
};

static bool failed(const struct match_pdn *pdn, struct error *error) {
    return error_set(error, "%s: cannot write: %s", pdn->path, strerror(errno));
}

struct match_pdn *match_pdn_open(const char *path, const struct match_settings *settings,
                                 struct error *error) {
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    const bool made = file >= 0;
    if (!made) file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
        error_set(error, "%s: %s", path, strerror(errno));
        return NULL;
    }
    struct stat status;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && flock(file, LOCK_EX | LOCK_NB) != 0 &&
        errno == EWOULDBLOCK) {
        error_set(error, "%s: another match is writing to it", path);
        close(file);
        return NULL;
    }
    struct match_pdn *pdn = memory_new(1, sizeof *pdn);
    *pdn =
        (struct match_pdn){.settings = settings, .path = memory_text("%s", path), .file = file, .made = made};
    return pdn;
}

static void add_moves(const struct played_game *played, struct pdn_game *game) {
    for (int i = 0; i < played->plies; i++) {
        const struct played_ply *ply = &played->ply[i];
        const bool searched = i >= played->random_plies;
        const struct pdn_note note = {
            .scored = ply->score != NO_SCORE,
            .timed = searched,
            .score = ply->score,
            .seconds = (double)ply->seconds,
            .depth = ply->depth,
            .nodes = ply->nodes,
        };
        pdn_add_move(game, ply->move, searched ? &note : NULL);
    }
}

static void add_tags(const struct match_settings *settings, const struct match_pair *pair, int number,
                     struct pdn_game *game) {
    const struct match_game *played = &pair->games[number];
    char round[MATCH_ROUND_SIZE];
    match_round(pair, number, round);
    pdn_set_tag(game, "Event", settings->engine_count > 2 ? "huff-match tournament" : "huff-match");
    pdn_set_tag(game, "Round", round);
    pdn_set_tag(game, "White", settings->engines[played->engines[WHITE]].name);
    pdn_set_tag(game, "Black", settings->engines[played->engines[BLACK]].name);
    if (played->duplicate) pdn_set_tag(game, "Duplicate", "yes");
}

static char *game_text(const struct match_settings *settings, const struct match_pair *pair, int number) {
    const struct played_game *played = &pair->games[number].played;
    struct pdn_game game;
    pdn_game_init(&game, settings->variant, &played->start);
    game.result = (enum pdn_result)played->result;
    game.termination = played->termination;
    add_tags(settings, pair, number, &game);
    add_moves(played, &game);
    const char *reason = played->reason.text;
    if (*reason != '\0') pdn_set_comment(&game, reason, strlen(reason));
    char *text = pdn_game_to_text(&game, PDN_LEFT_DEFAULT);
    pdn_game_free(&game);
    return text;
}

// Whole or not at all, as far as that can be had: a pipe has passed on what it was given.
static bool write_game(struct match_pdn *pdn, const char *text, struct error *error) {
    if (file_write(pdn->file, text, strlen(text))) {
        pdn->size += (off_t)strlen(text);
        return true;
    }
    failed(pdn, error);
    const int cut = ftruncate(pdn->file, pdn->size);
    (void)cut;  // the error has been told
    return false;
}

static bool begin(struct match_pdn *pdn, struct error *error) {
    struct stat status;
    if (pdn->begun) return true;
    if (fstat(pdn->file, &status) != 0 || (S_ISREG(status.st_mode) && ftruncate(pdn->file, 0) != 0))
        return failed(pdn, error);
    pdn->begun = true;
    return true;
}

bool match_pdn_add(struct match_pdn *pdn, const struct match_pair *pair, struct error *error) {
    bool done = begin(pdn, error);
    for (int i = 0; done && i < PAIR_GAMES; i++) {
        if (!pair->games[i].finished) continue;
        char *text = game_text(pdn->settings, pair, i);
        done = write_game(pdn, text, error);
        free(text);
    }
    return done;
}

bool match_pdn_close(struct match_pdn *pdn, struct error *error) {
    if (pdn == NULL) return true;
    const bool done = close(pdn->file) == 0 || errno == EINTR || failed(pdn, error);
    if (pdn->made && !pdn->begun) unlink(pdn->path);
    free(pdn->path);
    free(pdn);
    return done;
}
