// variant.c -- variants by name, their start, and which positions they can have.
#include "core/variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/support/memory.h"
#include "core/variants.h"

static const struct alias {
    const char *alias, *name;
} aliases[] = {
#define ALIAS(alias, name) {#alias, #name},
    FOR_EACH_ALIAS(ALIAS)
#undef ALIAS
};

static const struct variant *find(const char *name) {
    for (int i = 0; i < variant_count; i++)
        if (!strcasecmp(variants[i].name, name)) return &variants[i];
    return NULL;
}

static const char *without_alias(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strlen(aliases[i].alias) == length && !strncasecmp(aliases[i].alias, name, length))
            return aliases[i].name;
    return NULL;
}

static bool no_such_variant(const char *name, struct error *error) {
    char names[512] = "";
    for (int i = 0; i < variant_count && !variants[i].captures_optional; i++) {
        strcat(names, variants[i].name);
        strcat(names, ", ");
    }
    return error_set(error, "variant: no \"%.40s\"; there are %sand VARIANT+free for those on 8x8", name,
                     names);
}

const struct variant *variant_find(const char *name, struct error *error) {
    const struct variant *variant = find(name);
    if (variant) return variant;
    const size_t base = strcspn(name, "+");
    const char *canonical = without_alias(name, base);
    if (canonical) {
        char *full = memory_text("%s%s", canonical, name + base);
        variant = find(full);
        free(full);
    }
    if (!variant) no_such_variant(name, error);
    return variant;
}

struct position variant_initial(const struct variant *variant) {
    const struct rules *r = variant->rules;
    return (struct position){
        .pieces = {[WHITE] = board_rows(r->width, r->width - r->rows_of_men, r->width),
                   [BLACK] = board_rows(r->width, 0, r->rows_of_men)},
        .turn = (uint8_t)r->starts,
    };
}

static const char *const side_names[] = {"White", "Black"};

static bool side_check(const struct rules *r, const struct position *p, enum side side, struct error *error) {
    const int most = r->rows_of_men * r->width / 2, count = bits_count(p->pieces[side]);
    if (count > most)
        return error_set(error, "%s has %d pieces, %s has at most %d a side", side_names[side], count,
                         r->name, most);
    if (position_men(p, side) & board_crown_row(r->width, side))
        return error_set(error, "%s has a man on its crowning row", side_names[side]);
    const struct king_run *run = &p->run[side];
    if (run->moves > r->king_move_limit || (!run->moves && run->king) || run->king >= 64)
        return error_set(error, "%s's count of moves by one king is out of range", side_names[side]);
    if (run->moves && !(position_kings(p, side) & square_bit(run->king)))
        return error_set(error, "%s's king moves are counted on a square where it has no king",
                         side_names[side]);
    return true;
}

static const struct variant *without_house_rules(const struct variant *variant) {
    return variant_find(variant->rules->name, NULL);
}

bool variant_same_moves(const struct variant *a, const struct variant *b) {
    return without_house_rules(a)->generate == without_house_rules(b)->generate;
}

static bool captures_fit(const struct variant *variant, const struct position *p, struct error *error) {
    if (!variant->can_capture(p)) return true;
    struct move_list *list = memory_new(1, sizeof *list);
    variant->captures(p, list);
    const bool fits = !list->truncated;
    free(list);
    return fits || error_set(error, "the position has more than %d captures", MAX_CAPTURES);
}

bool variant_check(const struct variant *variant, const struct position *p, struct error *error) {
    const struct rules *r = variant->rules;
    const bitboard all = p->pieces[WHITE] | p->pieces[BLACK];
    if (p->turn != WHITE && p->turn != BLACK) return error_set(error, "nobody is to move");
    if (all & ~board_all(r->width)) return error_set(error, "a piece stands off the board");
    if (p->pieces[WHITE] & p->pieces[BLACK]) return error_set(error, "two pieces stand on one square");
    if (p->kings & ~all) return error_set(error, "a king stands on an empty square");
    return side_check(r, p, WHITE, error) && side_check(r, p, BLACK, error) &&
           captures_fit(variant, p, error);
}

_Noreturn void variant_too_many_captures(const char *name, const struct position *p) {
    fprintf(stderr,
            "%s: a position has more than %d captures (white %#llx, black %#llx, kings %#llx, %s to move)\n",
            name, MAX_CAPTURES, (unsigned long long)p->pieces[WHITE], (unsigned long long)p->pieces[BLACK],
            (unsigned long long)p->kings, side_names[p->turn]);
    exit(1);
}
