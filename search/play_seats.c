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

// Is it "huff VERSION (LEVEL)" or "huff VERSION (LEVEL, S s)"?
static bool read_engine(const char *name, enum level *level, double *seconds) {
    struct error unknown;
    char word[16];
    if (strncmp(name, ENGINE_NAME, strlen(ENGINE_NAME)) != 0) return false;
    const char *open = strrchr(name, '(');
    if (!open) return false;
    const size_t length = strcspn(open + 1, ",)");
    if (!open[1 + length] || length >= sizeof word) return false;
    memcpy(word, open + 1, length);
    word[length] = '\0';
    const double said = open[1 + length] == ',' ? strtod(open + 2 + length, NULL) : 0;
    *seconds = said >= PLAY_LEAST_SECONDS && said <= PLAY_MOST_SECONDS ? said : 0;
    return level_find(word, level, &unknown);
}

static bool is_engine(const char *name) {
    enum level level;
    double seconds;
    return read_engine(name, &level, &seconds);
}

static const char *name_in(const struct pdn_game *record, enum side side) {
    const char *name = pdn_tag(record, name_tags[side]);
    return name ? name : "";
}

static bool is_nobody(const char *name) { return !*name || !strcmp(name, "?"); }

void play_seats_write(const struct play_settings *settings, struct pdn_game *record) {
    char name[64], seconds[32] = "";
    if (settings->level == LEVEL_HARD) snprintf(seconds, sizeof seconds, ", %g s", settings->seconds);
    snprintf(name, sizeof name, ENGINE_NAME "%s (%s%s)", HUFF_VERSION, level_names[settings->level], seconds);
    for (int side = WHITE; side <= BLACK; side++) {
        const char *known = name_in(record, (enum side)side);
        const bool replace = settings->engine[side] || is_nobody(known) || is_engine(known);
        if (replace) pdn_set_tag(record, name_tags[side], settings->engine[side] ? name : PERSON_NAME);
    }
}

bool play_seats_read(const struct pdn_game *record, struct play_seats *seats) {
    *seats = (struct play_seats){.level = LEVEL_MEDIUM};
    int people = 0, engines = 0;
    for (int side = WHITE; side <= BLACK; side++) {
        const char *name = name_in(record, (enum side)side);
        people += !strcmp(name, PERSON_NAME);
        seats->engine[side] = read_engine(name, &seats->level, &seats->seconds);
        engines += seats->engine[side];
    }
    return engines == 1 || people == 2;
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
