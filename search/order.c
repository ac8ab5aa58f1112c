// order.c -- which move of a position to try next.
#include "search/order.h"

#include <limits.h>

enum {
    RANK_TRIED = INT_MIN,
    RANK_CAPTURE = 1 << 24,
    RANK_KILLER = 1 << 20,
    HISTORY_LIMIT = 16384,  // of a value's size
    HISTORY_STEP = HISTORY_LIMIT / 8,
};

// Captures of more pieces first, of those more kings.
static int32_t rank_of_capture(const struct move *move, bitboard kings) {
    return RANK_CAPTURE + 2 * bits_count(move->captured) + bits_count(move->captured & kings) + move->crowned;
}

static int32_t rank_of_quiet(const struct move *move, const struct move *killers,
                             const int16_t value[64][64]) {
    for (int k = 0; k < KILLERS; k++)
        if (move->from == killers[k].from && move->to == killers[k].to) return RANK_KILLER - k;
    return value[move->from][move->to] + move->crowned * HISTORY_LIMIT;
}

static void rank_all(struct order *o) {
    const struct move_list *list = o->list;
    int i = 0;
    for (; i < list->captures; i++) o->rank[i] = rank_of_capture(&list->moves[i], o->position->kings);
    for (; i < list->count; i++)
        o->rank[i] = rank_of_quiet(&list->moves[i], o->killers, o->history->value[o->position->turn]);
    if (o->tried) o->rank[o->first] = RANK_TRIED;
}

int order_next(struct order *o) {
    if (o->tried == 0 && o->first >= 0 && o->first < o->list->count) {
        o->tried = 1;
        return o->first;
    }
    if (o->tried == 0) o->first = -1;
    if (o->tried == (o->first >= 0)) rank_all(o);
    const int count = o->list->count;
    int best = 0;
    int32_t most = o->rank[0];
    for (int i = 1; i < count; i++)
        if (o->rank[i] > most) most = o->rank[best = i];
    o->rank[best] = RANK_TRIED;
    o->tried++;
    return best;
}

// Towards +-HISTORY_LIMIT, ever more slowly.
static void add(int16_t *value, int bonus) {
    const int size = bonus < 0 ? -bonus : bonus;
    *value = (int16_t)(*value + bonus - *value * size / HISTORY_LIMIT);
}

void order_learn(const struct order *o, struct history *history, struct move *killers, int best, int depth) {
    const struct move *moves = o->list->moves;
    if (best < o->list->captures) return;
    if (!move_equal(moves[best], killers[0])) {
        killers[1] = killers[0];
        killers[0] = moves[best];
    }
    int16_t(*value)[64] = history->value[o->position->turn];
    const int bonus = depth * depth < HISTORY_STEP ? depth * depth : HISTORY_STEP;
    add(&value[moves[best].from][moves[best].to], bonus);
    if (o->tried == 1) return;
    for (int i = o->list->captures; i < o->list->count; i++)
        if (o->rank[i] == RANK_TRIED && i != best) add(&value[moves[i].from][moves[i].to], -bonus);
}
