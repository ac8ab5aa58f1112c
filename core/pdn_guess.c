// pdn_guess.c -- which game is played in PDN that does not say: the one whose rules allow most of the moves.
//
// Letters or numbers, the numbering of the board, who begins and what captures oblige set nearly all games
// apart within a few moves.
#include <stdio.h>
#include <string.h>

#include "core/pdn.h"

struct guess {
    const struct variant *variant;
    long legal, moves;
};

// How far do the rules of a variant go along with the games?
static struct guess try_variant(const struct variant *variant, const char *text, size_t size) {
    const struct pdn_settings settings = {.variant = variant, .keep_broken = true};
    struct pdn_reader *reader = pdn_reader_new("", text, size, &settings);
    struct pdn_game game;
    while (pdn_read(reader, &game)) pdn_game_free(&game);
    const struct pdn_counts counts = pdn_reader_counts(reader);
    pdn_reader_free(reader);
    return (struct guess){variant, counts.moves, counts.moves + counts.lost_moves};
}

const struct variant *pdn_guess(const char *text, size_t size, struct error *why) {
    struct guess best = {0};
    char others[160] = "";
    for (int i = 0; i < variant_count; i++) {
        if (variants[i].captures_optional) continue;
        const struct guess guess = try_variant(&variants[i], text, size);
        if (guess.legal > best.legal) {
            best = guess;
            others[0] = '\0';
        } else if (best.variant && guess.legal == best.legal) {
            const size_t length = strlen(others);
            snprintf(others + length, sizeof others - length, ", as those of %s do", guess.variant->name);
        }
    }
    if (best.variant)
        (void)error_set(why, "no GameType; read as %s, whose rules allow %ld of %ld moves%s",
                        best.variant->name, best.legal, best.moves, others);
    else
        (void)error_set(why, "no GameType, and no game is known whose moves these are");
    return best.variant;
}
