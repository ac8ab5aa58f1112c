// play_seats.c -- writes and reads the names of the players, and the options that seat them.
#include "search/play_seats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "search/board_view.h"

static const char *const name_tags[2] = {[WHITE] = "White", [BLACK] = "Black"};

#define ENGINE_NAME "huff "
#define PERSON_NAME "Player"

// ---- names ----

// The level of "huff VERSION (LEVEL)".
static bool engine_level(const char *name, enum level *level) {
    struct error unknown;
    if (strncmp(name, ENGINE_NAME, strlen(ENGINE_NAME)) != 0) return false;
    const char *open = strrchr(name, '('), *close = strrchr(name, ')');
    if (!open || !close || close < open || close[1]) return false;
    char *word = memory_text("%.*s", (int)(close - open - 1), open + 1);
    const bool found = level_find(word, level, &unknown);
    free(word);
    return found;
}

static const char *name_in(const struct pdn_game *record, enum side side) {
    const char *name = pdn_tag(record, name_tags[side]);
    return name ? name : "";
}

static bool is_nobody(const char *name) { return !*name || !strcmp(name, "?"); }

void play_seats_write(const struct play_settings *settings, struct pdn_game *record) {
    char name[64];
    enum level level;
    snprintf(name, sizeof name, ENGINE_NAME "%s (%s)", HUFF_VERSION, level_names[settings->level]);
    for (int side = WHITE; side <= BLACK; side++) {
        const char *known = name_in(record, (enum side)side);
        const bool replace = settings->engine[side] || is_nobody(known) || engine_level(known, &level);
        if (replace) pdn_set_tag(record, name_tags[side], settings->engine[side] ? name : PERSON_NAME);
    }
}

bool play_seats_read(const struct pdn_game *record, bool engine[static 2], enum level *level) {
    enum level found = LEVEL_MEDIUM;
    bool is_engine[2];
    for (int side = WHITE; side <= BLACK; side++)
        is_engine[side] = engine_level(name_in(record, (enum side)side), &found);
    if (is_engine[WHITE] && is_engine[BLACK]) return false;
    const bool people = !strcmp(name_in(record, WHITE), PERSON_NAME) &&  //
                        !strcmp(name_in(record, BLACK), PERSON_NAME);
    if (!is_engine[WHITE] && !is_engine[BLACK] && !people) return false;
    for (int side = WHITE; side <= BLACK; side++) engine[side] = is_engine[side];
    if (!people) *level = found;
    return true;
}

// ---- options ----

// As a shell takes it for one word.
static void put_word(FILE *out, const char *word) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-.,:/@%";
    if (*word && !word[strspn(word, plain)]) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (const char *c = word; *c; c++) fputs(*c == '\'' ? "'\\''" : (char[]){*c, '\0'}, out);
    fputc('\'', out);
}

static void put_players(FILE *out, const struct play_settings *settings) {
    const struct board_view view = {.variant = settings->game.variant, .common = settings->common};
    if (!settings->engine[WHITE] && !settings->engine[BLACK]) {
        fputs(" --side both", out);
        return;
    }
    const char *side = board_view_side(&view, settings->engine[WHITE] ? BLACK : WHITE);
    fprintf(out, " --side %s --level %s", *side == 'W' ? "white" : "black", level_names[settings->level]);
    if (settings->level == LEVEL_HARD) fprintf(out, " --time %g", settings->seconds);
}

char *play_seats_command(const struct play_settings *settings, const struct position *p) {
    char fen[FEN_TEXT_SIZE], *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return memory_text("huff play");
    position_to_fen(settings->game.variant, p, fen);
    fprintf(out, "huff play --variant %s --fen ", settings->game.variant->name);
    put_word(out, fen);
    put_players(out, settings);
    if (settings->common) fputs(" --board common", out);
    if (settings->weights_name) {
        fputs(" --weights ", out);
        put_word(out, settings->weights_name);
    }
    if (settings->hash_megabytes != PLAY_DEFAULT_HASH) fprintf(out, " --hash %d", settings->hash_megabytes);
    if (settings->threads != 1) fprintf(out, " --threads %d", settings->threads);
    if (settings->quiet) fputs(" -q", out);
    fclose(out);
    return text;
}
