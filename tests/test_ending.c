// test_ending.c -- kings against a lone king: what the books say is won is won over the board, what is drawn
// is held, and the tables tell the plies.
#include <criterion/criterion.h>
#include <stdlib.h>

#include "core/notation.h"
#include "search/ending.h"
#include "search/search.h"

enum {
    WIDTH = 8,
    SQUARES = 32,
    NODES = 5000,  // a move
    // Of the placements; every one with HUFF_TEST_POSITIONS (see tests/CMakeLists.txt).
    ONE_IN = 97,
};

static int stride(void) { return getenv("HUFF_TEST_POSITIONS") ? 1 : ONE_IN; }

static const struct variant *variant_named(const char *name) {
    struct error error;
    const struct variant *variant = variant_find(name, &error);
    cr_assert(variant, "%s", error.text);
    return variant;
}

static bitboard bit(int number) { return square_bit(board_square(WIDTH, number)); }

// The long diagonal from the bottom left corner: numbers 29, 25, 22, 18, 15, 11, 8, 4.
static bitboard main_road(void) {
    return bit(29) | bit(25) | bit(22) | bit(18) | bit(15) | bit(11) | bit(8) | bit(4);
}

static struct position placement(bitboard kings, bitboard lone, enum side turn) {
    return (struct position){.pieces = {kings, lone}, .kings = kings | lone, .turn = (uint8_t)turn};
}

// Plays the game out by the engine on both sides: White's result.
static int play_out(struct search *search, const struct variant *variant, const struct position *p,
                    int *plies) {
    struct game game;
    int result;
    game_init(&game, variant, NULL, p);
    search_clear(search);
    while (game_over(&game, &result) == GAME_GOES_ON) {
        struct search_result found;
        search_think(search, &game, &(struct search_limits){.nodes = NODES}, NULL, NULL, NULL, &found);
        game_play(&game, found.best);
    }
    *plies = game.ply;
    game_free(&game);
    return result;
}

static struct search *search_of(const struct variant *variant) {
    struct weights weights;
    struct error error;
    cr_assert(weights_get(NULL, variant, &weights, &error), "%s", error.text);
    struct search *search = search_new(variant, &weights, 1);
    weights_free(&weights);
    return search;
}

static void expect(struct search *search, const struct variant *variant, const struct position *p, int wanted,
                   int most_plies) {
    char fen[FEN_TEXT_SIZE];
    int plies;
    const int result = play_out(search, variant, p, &plies);
    position_to_fen(variant, p, fen);
    cr_assert_eq(result, wanted, "%s %s: White's result is %d", variant->name, fen, result);
    cr_assert(!wanted || plies <= most_plies, "%s %s: won in %d plies", variant->name, fen, plies);
}

// Short kings: two beat one wherever they stand, but for a capture and the double corner with the two too far
// away to matter, where the tables know no win ("first position" of the checkers books; J. Sturges, Guide to
// the Game of Draughts, 1800).
// The value of a position as its moves have it: won with the shortest of those after which the opponent has
// lost, lost with the longest when the opponent has won after all of them. Whoever has more kings.
static bool value_of_moves(const struct endings *endings, const struct variant *variant,
                           const struct position *p, int *plies, bool *won) {
    static struct move_list list;
    variant->generate(p, &list);
    int shortest = 1000, longest = -1, lost = 0;
    for (int i = 0; i < list.count; i++) {
        struct position next = *p;
        int after;
        bool next_won;
        variant->play(&next, list.moves[i]);
        if (!next.pieces[next.turn]) {
            after = 0;
            next_won = false;
        } else if (!endings_find(endings, &next, &after, &next_won)) {
            continue;
        }
        if (!next_won && after < shortest) shortest = after;
        if (next_won && after > longest) longest = after;
        lost += next_won;
    }
    *won = shortest < 1000;
    *plies = *won ? shortest + 1 : longest + 1;
    return *won || lost == list.count;
}

static struct position turned(const struct position *p) {
    return (struct position){
        .pieces = {board_turned(WIDTH, p->pieces[BLACK]), board_turned(WIDTH, p->pieces[WHITE])},
        .kings = board_turned(WIDTH, p->kings),
        .turn = (uint8_t)other_side(position_turn(p)),
    };
}

static void check_values(const char *name) {
    const struct variant *variant = variant_named(name);
    struct endings *endings = endings_new(variant, NULL);
    uint64_t state = 1;
    int known = 0;
    for (int n = 0; n < 30000; n++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const int kings = 1 + (int)(state >> 60) % 3;
        bitboard strong = 0;
        for (int k = 0; k < kings; k++) strong |= bit(1 + (int)(state >> (20 + 5 * k) & 31));
        const bitboard lone = bit(1 + (int)(state >> 40 & 31));
        if (strong & lone) continue;
        const struct position p = placement(strong, lone, state >> 50 & 1 ? WHITE : BLACK), q = turned(&p);
        int plies, plies_of_moves, plies_turned;
        bool won, won_by_moves, won_turned;
        const bool found = endings_find(endings, &p, &plies, &won);
        const bool known_by_moves = value_of_moves(endings, variant, &p, &plies_of_moves, &won_by_moves);
        cr_assert_eq(found, endings_find(endings, &q, &plies_turned, &won_turned), "%s: the other colours",
                     name);
        if (!found) {  // then at most the lone king may win, which the tables do not say
            cr_assert(!known_by_moves || won_by_moves == (position_turn(&p) == BLACK), "%s: not found", name);
            continue;
        }
        cr_assert(known_by_moves, "%s: found, but not by its moves", name);
        known++;
        cr_assert(plies == plies_of_moves && won == won_by_moves, "%s: %d and %d plies", name, plies,
                  plies_of_moves);
        cr_assert(plies == plies_turned && won == won_turned);
    }
    cr_assert_gt(known, 1000);
    endings_free(endings);
}

Test(ending, every_value_follows_from_those_of_its_moves, .timeout = 600) {
    static const char *const names[] = {"spanish", "italian",  "brazilian", "russian",
                                        "czech",   "american", "pool",      "thai"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) check_values(names[i]);
}

static void two_kings_beat_one(const char *name) {
    const struct variant *variant = variant_named(name);
    struct endings *endings = endings_new(variant, NULL);
    struct search *search = search_of(variant);
    int count = 0, unknown = 0, played = 0;
    for (int a = 1; a <= SQUARES; a++)
        for (int b = a + 1; b <= SQUARES; b++)
            for (int lone = 1; lone <= SQUARES; lone++) {
                if (lone == a || lone == b) continue;
                const struct position p = placement(bit(a) | bit(b), bit(lone), WHITE);
                int plies;
                bool won;
                count++;
                if (!endings_find(endings, &p, &plies, &won)) {
                    unknown++;
                } else if (count % stride() == 0) {
                    expect(search, variant, &p, 1, plies);
                    played++;
                }
            }
    cr_assert_eq(count, 14880);
    cr_assert_lt(unknown, 40);
    cr_assert_gt(played, 100);
    search_free(search);
    endings_free(endings);
}

Test(ending, two_kings_beat_one_in_american, .timeout = 3600) { two_kings_beat_one("american"); }
Test(ending, two_kings_beat_one_in_italian, .timeout = 3600) { two_kings_beat_one("italian"); }

// Flying kings: three that hold the main road catch a king that is off it, in 15 moves at most (A. D.
// Petrov's triangle, 1827).
static void three_kings_with_the_main_road_beat_one(const char *name) {
    const struct variant *variant = variant_named(name);
    struct search *search = search_of(variant);
    int count = 0;
    for (int a = 1; a <= SQUARES; a++)
        for (int b = a + 1; b <= SQUARES; b++)
            for (int c = b + 1; c <= SQUARES; c++)
                for (int lone = 1; lone <= SQUARES; lone++) {
                    const bitboard kings = bit(a) | bit(b) | bit(c);
                    if (kings & bit(lone) || bit(lone) & main_road() || !(kings & main_road())) continue;
                    const struct position p = placement(kings, bit(lone), WHITE),
                                          passed = placement(kings, bit(lone), BLACK);
                    if (variant->can_capture(&passed)) continue;  // a king of the three may be lost
                    if (++count % (10 * stride()) == 0) expect(search, variant, &p, 1, 30);
                }
    cr_assert_gt(count, 30000);
    search_free(search);
}

Test(ending, three_kings_with_the_main_road_beat_one_in_russian, .timeout = 3600) {
    three_kings_with_the_main_road_beat_one("russian");
}
Test(ending, three_kings_with_the_main_road_beat_one_in_brazilian, .timeout = 3600) {
    three_kings_with_the_main_road_beat_one("brazilian");
}

// ... and a king on the main road holds against three, unless it can be taken or shut in at once.
Test(ending, a_king_on_the_main_road_holds, .timeout = 3600) {
    const struct variant *variant = variant_named("russian");
    struct endings *endings = endings_new(variant, NULL);
    struct search *search = search_of(variant);
    int count = 0, lost = 0;
    for (int a = 1; a <= SQUARES; a++)
        for (int b = a + 1; b <= SQUARES; b++)
            for (int c = b + 1; c <= SQUARES; c++)
                for (int lone = 1; lone <= SQUARES; lone++) {
                    const bitboard kings = bit(a) | bit(b) | bit(c);
                    if (!(bit(lone) & main_road()) || kings & main_road()) continue;
                    const struct position p = placement(kings, bit(lone), BLACK);
                    int plies;
                    bool won;
                    count++;
                    if (endings_find(endings, &p, &plies, &won)) {
                        lost++;
                    } else if (count % (10 * stride()) == 0) {
                        int result = play_out(search, variant, &p, &plies);
                        cr_assert_leq(result, 0);
                    }
                }
    cr_assert_lt(lost, count / 20, "%d of %d", lost, count);
    search_free(search);
    endings_free(endings);
}
