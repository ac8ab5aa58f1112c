// test_claims.c -- every win in so many plies that self-play records is one: proved by a search of its own
// from where it was claimed, not by how the game went on.
#include <stdio.h>

#include "search/search.h"
#include "selfplay/playing.h"
#include "tests/named.h"

enum {
    GAMES = 8,  // of each variant; HUFF_TEST_POSITIONS says otherwise (see CMakeLists.txt)
    PLAYED_NODES = 200,
    PROOF_NODES = 2000000,
    EXACT_PLIES = 7,  // up to here without pruning by guesses and without solved endings
};

struct claims {
    int count, unproved, wrong;
};

struct wanted {
    int score;  // or more, for the side to move's view times `sign`
    int sign;
    atomic_bool found;
};

static void stop_when_found(void *context, const struct search_result *result) {
    struct wanted *wanted = context;
    if (wanted->sign * result->score >= wanted->score) atomic_store(&wanted->found, true);
}

// `white_score` says that White (or, negative, Black) wins in so many plies.
static void check_claim(struct search *prover, struct game *game, int white_score, struct claims *claims) {
    const bool white_to_move = position_turn(game_position(game)) == WHITE;
    const int plies = SCORE_WIN - abs(white_score);
    struct wanted wanted = {.score = SCORE_WIN - plies, .sign = (white_score > 0) == white_to_move ? 1 : -1};
    // A pruning search may see a win later than it comes, so that only an exact one can refute a claim.
    const bool exact = plies <= EXACT_PLIES;
    const struct search_limits limits = {
        .depth = exact ? plies + 1 : MAX_DEPTH, .nodes = PROOF_NODES, .exact = exact, .analysis = true};
    struct search_result found;
    search_clear(prover);
    search_think(prover, game, &limits, &wanted.found, stop_when_found, &wanted, &found);
    claims->count++;
    if (wanted.sign * found.score >= wanted.score) return;
    const bool whole = exact && found.depth > plies;
    *(whole ? &claims->wrong : &claims->unproved) += 1;
    char fen[FEN_TEXT_SIZE];
    position_to_fen(game->variant, game_position(game), fen);
    fprintf(stderr, "%s %s: a win in %d plies %s: %d at depth %d\n", game->variant->name, fen, plies,
            whole ? "is none" : "is not proved", found.score, found.depth);
}

static void check_game(struct search *prover, const struct variant *variant, const struct played_game *played,
                       struct claims *claims) {
    struct game game;
    game_init(&game, variant, NULL, &played->start);
    for (int i = 0; i < played->plies; i++) {
        const int score = played->ply[i].score;
        if (i >= played->random_plies && abs(score) >= SCORE_WIN_FROM && abs(score) < SCORE_WIN)
            check_claim(prover, &game, score, claims);
        game_play(&game, played->ply[i].move);
    }
    game_free(&game);
}

static struct claims claims_of(const struct variant *variant, int games) {
    struct error error;
    struct weights weights;
    cr_assert(weights_get(NULL, variant, &weights, &error), "%s", error.text);
    struct search *search = search_new(variant, &weights, 1), *prover = search_new(variant, &weights, 16);
    const struct player player = {.search = search, .limits = {.nodes = PLAYED_NODES}};
    const struct playing_settings settings = {
        .variant = variant, .draws = variant->rules->draws, .max_plies = 300};
    struct playing *playing = playing_new(&settings);
    const struct opening_source source = {.start = variant_initial(variant), .random_plies = 6};
    struct claims claims = {0};
    struct played_game played = {0};
    for (int i = 0; i < games; i++) {
        struct random random = random_stream(4, (uint64_t)i);
        struct opening opening;
        cr_assert(opening_draw(&source, variant, &settings.draws, &random, &opening, &error), "%s",
                  error.text);
        playing_game(playing, &opening, (const struct player[2]){player, player}, &played);
        check_game(prover, variant, &played, &claims);
    }
    played_game_free(&played);
    playing_free(playing);
    search_free(search);
    search_free(prover);
    weights_free(&weights);
    return claims;
}

Test(claims, of_self_play_are_proved, .timeout = 3600) {
    const int games = getenv("HUFF_TEST_POSITIONS") ? atoi(getenv("HUFF_TEST_POSITIONS")) : GAMES;
    struct claims all = {0};
    for (int i = 0; i < variant_count; i++) {
        if (variants[i].captures_optional) continue;
        const struct claims claims = claims_of(&variants[i], games);
        all.count += claims.count;
        all.unproved += claims.unproved;
        all.wrong += claims.wrong;
    }
    cr_assert_gt(all.count, 10 * games);
    cr_assert_eq(all.wrong, 0, "%d of %d claims are wrong", all.wrong, all.count);
    cr_assert_leq(50 * all.unproved, all.count, "%d of %d claims are not proved", all.unproved, all.count);
    fprintf(stderr, "%d claims, %d not proved within %d nodes\n", all.count, all.unproved, PROOF_NODES);
}
