// test_dxp.c -- DXP messages in both directions, and games against a scripted program on the other end.
#include "search/dxp.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/notation.h"
#include "core/support/clock.h"
#include "core/support/memory.h"
#include "search/dxp_engine.h"
#include "search/wire.h"
#include "tests/named.h"
#include "tests/table.h"

#define START   "zzzzzzzzzzzzzzzzzzzzeeeeeeeeeewwwwwwwwwwwwwwwwwwww"
#define SCRIPT  "script                          "
#define ENGINE  "engine                          "
#define EMPTY10 "eeeeeeeeee"
#define NAME    "Tornado voor Windows 4.0        "

static struct dxp_message message_of(const char *text) {
    struct dxp_message message;
    struct error error;
    cr_assert(dxp_read(text, strlen(text), &message, &error), "%s: %s", text, error.text);
    return message;
}

// ---- messages ----

Test(dxp, messages_come_out_as_they_went_in) {
    static const char *const texts[] = {
        "R01" NAME "W060065A",
        "R01" NAME "Z120075B"
        "W" START,
        "R99" NAME "Z000000BZeeeeewzeee" EMPTY10 EMPTY10 EMPTY10 "eeeeeeeeWZ",
        "A" NAME "0",
        "A" NAME "3",
        "M0012061100",
        "M001205250422122320",
        "M999938380418193233",
        "M00000107200102030405060708091011121314151617181920",
        "E00",
        "E31",
        "Chello, world",
        "C",
        "B005Z",
        "B999W",
        "K0",
        "K2",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct dxp_message message = message_of(texts[i]);
        char text[DXP_MESSAGE_SIZE];
        struct error error;
        cr_assert(dxp_write(&message, text, &error), "%s: %s", texts[i], error.text);
        cr_expect_str_eq(text, texts[i]);
    }
}

Test(dxp, fields) {
    struct dxp_message m = message_of("R01" NAME "Z120075A");
    cr_expect_eq(m.type, DXP_GAMEREQ);
    cr_expect_eq(m.request.version, 1);
    cr_expect_str_eq(m.request.name, "Tornado voor Windows 4.0");
    cr_expect_eq(m.request.follower, BLACK);
    cr_expect_float_eq(m.request.minutes, 120, 1e-9);
    cr_expect_eq(m.request.moves, 75);
    cr_expect(!m.request.special);

    m = message_of("R01" NAME "W001000BZ" START);
    struct position p = variant_initial(variant_named("international"));
    p.turn = BLACK;
    cr_expect(m.request.special && position_equal(&m.request.position, &p));

    m = message_of("M001205250422122320");
    cr_expect(m.move.seconds == 12 && m.move.from == 5 && m.move.to == 25 && m.move.count == 4);
    static const int captured[] = {22, 12, 23, 20};
    cr_expect_arr_eq(m.move.captured, captured, sizeof captured);

    m = message_of("E31");
    cr_expect(m.end.reason == DXP_I_WIN && m.end.stop);
    m = message_of("B005Z");
    cr_expect(m.back.move == 5 && m.back.turn == BLACK);
}

Test(dxp, what_other_programs_write) {
    cr_expect_float_eq(message_of("R01" NAME "W.17000A").request.minutes, 0.17, 1e-9);
    cr_expect_float_eq(message_of("R01" NAME "W2.5000A").request.minutes, 2.5, 1e-9);
    cr_expect_float_eq(message_of("R01" NAME "W  5 60A").request.minutes, 5, 1e-9);
    cr_expect_eq(message_of("R01" NAME "W  5 60A").request.moves, 60);
    cr_expect_eq(message_of("R01" NAME "W001000BW"
                            "zzzzzzzzzzzzzzzzzzzzEEEEEEEEEEwwwwwwwwwwwwwwwwwwww")
                     .request.position.pieces[WHITE],
                 variant_initial(variant_named("international")).pieces[WHITE]);
    cr_expect_str_eq(message_of("Cd\xc3\xa9j\xc3\xa0 \x1b[2J").chat, "d??j?? ?[2J");
}

Test(dxp, messages_that_are_refused) {
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"", "empty"},
        {"X", "unknown message"},
        {"m0012061100", "unknown message"},
        {"R", "GAMEREQ: the message ends before version"},
        {"Rxx" NAME "W060065A", "GAMEREQ: version"},
        {"R01Tornado", "GAMEREQ: the message ends before the end of the name"},
        {"R01" NAME "B060065A", "colour of the follower: expected one of WZ"},
        {"R01" NAME "W-60065A", "minutes"},
        {"R01" NAME "W1e5065A", "minutes"},
        {"R01" NAME "W   065A", "minutes"},
        {"R01" NAME "W06006xA", "moves"},
        {"R01" NAME "W060   A", "moves"},
        {"R01" NAME "W060065C", "position: expected one of AB"},
        {"R01" NAME "W060065AB", "behind the last field"},
        {"R01" NAME "W060065B", "side to move"},
        {"R01" NAME "W060065BWzz", "before the end of the position"},
        {"R01" NAME "W060065BW"
         "zzzzzzzzzzzzzzzzzzzzeeeeeexeeewwwwwwwwwwwwwwwwwwww",
         "square 27"},
        {"A" NAME, "answer"},
        {"A" NAME "4", "answer: expected one of 0123"},
        {"A" NAME "00", "behind the last field"},
        {"M", "seconds"},
        {"M001206110", "before number captured"},
        {"M00120611000", "behind the last field"},
        {"M0012006100", "from: expected 1..50"},
        {"M0012065100", "to: expected 1..50"},
        {"M0012061121", "number captured: expected 0..20"},
        {"M001206110117x", "behind the last field"},
        {"M001206110199", "captured: expected 1..50"},
        {"M0012061102170", "before captured"},
        {"M+012061100", "seconds"},
        {"E0", "stop code"},
        {"E40", "reason"},
        {"E02", "stop code"},
        {"B05Z", "move number"},
        {"B005B", "side to move"},
        {"K3", "answer"},
        {"K", "answer"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dxp_message message;
        struct error error = {""};
        cr_expect(!dxp_read(rows[i].text, strlen(rows[i].text), &message, &error), "%s", rows[i].text);
        cr_expect(strstr(error.text, rows[i].error), "%s: %s", rows[i].text, error.text);
    }
    char text[DXP_MESSAGE_LIMIT + 1];
    struct dxp_message message;
    struct error error;
    memset(text, 'C', sizeof text);
    cr_expect(dxp_read(text, DXP_MESSAGE_LIMIT, &message, &error));
    cr_expect_eq(strlen(message.chat), DXP_CHAT_LENGTH);
    cr_expect(!dxp_read(text, DXP_MESSAGE_LIMIT + 1, &message, &error));
    cr_expect(!dxp_read("E\0000", 3, &message, &error));
}

Test(dxp, what_does_not_fit_is_not_written) {
    char text[DXP_MESSAGE_SIZE];
    struct error error;
    struct dxp_message m = message_of("R01" NAME "W060065A");
    m.request.minutes = 1000;
    cr_expect(!dxp_write(&m, text, &error) && strstr(error.text, "minutes"));
    m.request.minutes = NAN;
    cr_expect(!dxp_write(&m, text, &error));
    m.request.minutes = 2.5;
    cr_expect(dxp_write(&m, text, &error) && !strncmp(text + 36, "003", 3));
    m.request.moves = 1000;
    cr_expect(!dxp_write(&m, text, &error) && strstr(error.text, "moves"));
    m.request.moves = -1;
    cr_expect(!dxp_write(&m, text, &error));

    m = message_of("M0012061100");
    m.move.count = 21;
    cr_expect(!dxp_write(&m, text, &error) && strstr(error.text, "number captured"));
    m.move.count = 0;
    m.move.seconds = 10000;
    cr_expect(!dxp_write(&m, text, &error) && strstr(error.text, "seconds"));
    m.type = (enum dxp_type)'?';
    cr_expect(!dxp_write(&m, text, &error));
}

Test(dxp, names_and_chat_are_made_printable) {
    char text[DXP_MESSAGE_SIZE];
    struct error error;
    struct dxp_message m = message_of("A" NAME "0");
    strcpy(m.accept.name, "  a\n\xff");
    cr_expect(dxp_write(&m, text, &error));
    cr_expect_str_eq(text, "Aa??                             0");
    strcpy(m.accept.name, "");
    cr_expect(dxp_write(&m, text, &error));
    cr_expect_str_eq(text, "A?                               0");
}

// ---- moves ----

static void expect_move(const char *variant_name, const char *fen, const char *text, const char *hub) {
    const struct variant *variant = variant_named(variant_name);
    struct position p;
    struct error error;
    struct move move;
    struct move_list *legal = memory_new(1, sizeof *legal);
    cr_assert(position_from_fen(variant, fen, &p, &error), "%s", error.text);
    variant->generate(&p, legal);
    const struct dxp_message m = message_of(text);
    const bool found = dxp_find_move(&m, legal, &move, &error);
    cr_expect_eq(found, hub != NULL, "%s: %s", text, error.text);
    if (found && hub) {
        char written[MOVE_TEXT_SIZE];
        move_to_hub(variant, move, written);
        cr_expect_str_eq(written, hub);
        const struct dxp_message again = dxp_from_move(move, m.move.seconds);
        cr_expect(dxp_find_move(&again, legal, &move, &error), "%s", error.text);
    }
    free(legal);
}

Test(dxp, moves) {
    expect_move("international", "start", "M0012322800", "32-28");
    expect_move("international", "start", "M0012322900", NULL);
    expect_move("international", "start", "M001232280119", NULL);
    // Round a square of four and back to 38: captured squares in any order, but all of them, and each once.
    expect_move("international", "W:WK38:B18,19,32,33", "M000038380418193233", "38x38x18x19x32x33");
    expect_move("international", "W:WK38:B18,19,32,33", "M000038380433181932", "38x38x18x19x32x33");
    expect_move("international", "W:WK38:B18,19,32,33", "M0000383803181932", NULL);
    expect_move("international", "W:WK38:B18,19,32,33", "M000038380418193218", NULL);
    expect_move("international", "W:WK38:B18,19,32,33",
                "M000038380518193233"
                "32",
                NULL);
    expect_move("frisian", "W:W28:B22",
                "M0000281701"
                "22",
                "28x17x22");
}

Test(dxp, time_of_a_move_is_rounded_into_its_columns) {
    const struct move move = {.from = board_square(DXP_WIDTH, 6), .to = board_square(DXP_WIDTH, 11)};
    static const struct {
        double seconds;
        const char *text;
    } rows[] = {{0.4, "M0000061100"}, {11.6, "M0012061100"}, {1e9, "M9999061100"}, {-3, "M0000061100"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct dxp_message m = dxp_from_move(move, rows[i].seconds);
        char text[DXP_MESSAGE_SIZE];
        struct error error;
        cr_assert(dxp_write(&m, text, &error));
        cr_expect_str_eq(text, rows[i].text);
    }
}

// ---- games against a script ----

struct match {
    struct dxp_settings settings;
    int ends[2];
    struct wire wire;  // the script's end
    pthread_t thread;
    bool good;           // what the engine thinks of it
    int games;           // that were played
    char *report, *log;  // what it printed
};

static void *serve(void *context) {
    struct match *match = context;
    size_t size;
    FILE *out = open_memstream(&match->report, &size);
    match->settings.log = open_memstream(&match->log, &size);
    match->good = dxp_serve(&match->settings, match->ends[0], out, &match->games);
    fclose(out);
    fclose(match->settings.log);
    close(match->ends[0]);
    return NULL;
}

static struct dxp_settings settings_of(const char *variant, int games) {
    return (struct dxp_settings){
        .variant = variant_named(variant),
        .hash_megabytes = 1,
        .name = "engine",
        .limits = {.nodes = 200},
        .wait = 20,
        .patience = 20,
        .quiet = true,
        .games = games,
    };
}

static void begin(struct match *match, struct dxp_settings settings) {
    *match = (struct match){.settings = settings};
    match->settings.weights = weights_material(settings.variant);
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, match->ends), 0);
    wire_init(&match->wire, match->ends[1], match->ends[1], '\0', DXP_MESSAGE_LIMIT);
    cr_assert_eq(pthread_create(&match->thread, NULL, serve, match), 0);
}

static void say(struct match *match, const char *text) {
    struct error error;
    cr_assert(wire_send(&match->wire, text, strlen(text), clock_seconds() + 20, &error), "%s", error.text);
}

// The engine's next message begins like this.
static void hears(struct match *match, const char *expected) {
    const char *text = "nothing";
    size_t length;
    const enum wire_event event = wire_receive(&match->wire, clock_seconds() + 20, &text, &length);
    cr_assert(event == WIRE_MESSAGE && !strncmp(text, expected, strlen(expected)), "%s instead of %s", text,
              expected);
}

static void hears_no_more(struct match *match) {
    const char *text;
    size_t length;
    cr_expect_eq(wire_receive(&match->wire, clock_seconds() + 20, &text, &length), WIRE_CLOSED);
}

static void hang_up(struct match *match) { shutdown(match->ends[1], SHUT_WR); }

// A part of the report; NULL: no game was played and nothing is reported.
static void finish(struct match *match, bool good, const char *report) {
    hears_no_more(match);
    pthread_join(match->thread, NULL);
    cr_expect_eq(match->good, good);
    cr_expect_eq(match->games > 0, report != NULL, "%d games", match->games);
    if (report)
        cr_expect(strstr(match->report, report), "%s instead of %s", match->report, report);
    else
        cr_expect_str_empty(match->report);
    cr_expect_eq(good, !*match->log, "%s", match->log);
    free(match->report);
    free(match->log);
    weights_free(&match->settings.weights);
    wire_free(&match->wire);
    close(match->ends[1]);
}

Test(dxp_engine, follower_loses_and_acknowledges) {
    struct match match;
    begin(&match, settings_of("international", 0));
    say(&match, "R01" SCRIPT "Z005000A");
    hears(&match, "A" ENGINE "0");
    say(&match, "M0000322800");
    hears(&match, "M");
    say(&match, "Cnice game");
    say(&match, "E31");
    hears(&match, "E01");
    finish(&match, true,
           "game 1: script - engine 2-0, ended by the opponent, 2 plies\n1 games: 0 won, 0 drawn, 1 lost");
}

// The engine has no move left, says that it loses, and is ready for another game.
Test(dxp_engine, follower_ends_a_game_that_is_over) {
    struct match match;
    begin(&match, settings_of("international", 0));
    say(&match, "R01" SCRIPT "Z005000BW" EMPTY10 "ezeeeeweee" EMPTY10 EMPTY10 EMPTY10);
    hears(&match, "A" ENGINE "0");
    say(&match, "M000017080112");
    hears(&match, "E10");
    say(&match, "E00");
    hang_up(&match);
    finish(&match, true, "game 1: script - engine 2-0, no pieces, 1 plies");
}

// Black to move does not know that the third repetition is a draw; White says so when it is its turn.
Test(dxp_engine, draws_are_told_at_the_next_turn) {
    struct dxp_settings settings = settings_of("international", 0);
    settings.limits.depth = 1;
    struct match match;
    begin(&match, settings);
    say(&match, "R01" SCRIPT "W005000BW" EMPTY10 EMPTY10 EMPTY10 EMPTY10 "WeeeeeeeeZ");
    hears(&match, "A" ENGINE "0");
    static const char *const moves[] = {"M0000500600", "M0000065000"};
    const char *text;
    size_t length;
    for (int i = 0;; i++) {
        cr_assert_eq(wire_receive(&match.wire, clock_seconds() + 20, &text, &length), WIRE_MESSAGE);
        if (text[0] != 'M') break;
        cr_assert_lt(i, 100);
        say(&match, moves[i % 2]);
    }
    cr_expect_str_eq(text, "E20");
    say(&match, "E00");
    hang_up(&match);
    finish(&match, true, "engine - script 1-1, ");
}

Test(dxp_engine, initiator_alternates_colours_and_says_which_game_is_the_last) {
    struct dxp_settings settings = settings_of("frisian", 2);
    struct error error;
    settings.special = true;
    settings.minutes = 7;
    settings.moves = 1;
    cr_assert(position_from_fen(settings.variant, "W:W50:B1", &settings.start, &error));
    struct match match;
    begin(&match, settings);
    hears(&match, "R01" ENGINE "Z007001BWz"
                  "eeeeeeeee" EMPTY10 EMPTY10 EMPTY10 "eeeeeeeeew");
    say(&match, "A" SCRIPT "0");
    hears(&match, "M000050");
    say(&match, "M0000010600");
    hears(&match, "E00");  // one move each was agreed on
    say(&match, "E00");
    hears(&match, "R01" ENGINE "W007001BWz");
    say(&match, "A" SCRIPT "0");
    say(&match, "M0000504500");
    hears(&match, "M000001");
    say(&match, "E20");
    hears(&match, "E00");
    finish(&match, true,
           "game 1: engine - script *, all moves played, 2 plies\n"
           "game 2: script - engine 1-1, ended by the opponent, 2 plies\n"
           "2 games: 0 won, 1 drawn, 0 lost\n");
}

// More than may be said without a move, but not in a row.
Test(dxp_engine, chat_between_moves_is_endured) {
    struct match match;
    begin(&match, settings_of("international", 0));
    say(&match, "R01" SCRIPT "Z005000A");
    hears(&match, "A" ENGINE "0");
    for (int i = 0; i < 150; i++) say(&match, "Cwhat a move");
    say(&match, "M0000322800");
    hears(&match, "M");
    for (int i = 0; i < 150; i++) say(&match, "Cwhat an answer");
    say(&match, "E00");
    hears(&match, "E00");
    hang_up(&match);
    finish(&match, true, "game 1: script - engine *, ended by the opponent, 2 plies");
}

Test(dxp_engine, back_requests_are_declined) {
    struct match match;
    begin(&match, settings_of("international", 0));
    say(&match, "B001W");
    hears(&match, "K1");
    say(&match, "R01" SCRIPT "W005000A");
    hears(&match, "A" ENGINE "0");
    hears(&match, "M");
    say(&match, "B001W");
    hears(&match, "K1");
    say(&match, "K0");
    say(&match, "E00");
    hears(&match, "E00");
    hang_up(&match);
    finish(&match, true, "game 1: engine - script *, ended by the opponent, 1 plies");
}

// Whatever is wrong is said in a chat, the game ends, and another one may follow.
static void expect_broken_off(const char *wrong, const char *chat, const char *report) {
    struct match match;
    begin(&match, settings_of("international", 0));
    say(&match, "R01" SCRIPT "Z005000A");
    hears(&match, "A" ENGINE "0");
    say(&match, wrong);
    hears(&match, chat);
    hears(&match, "E00");
    say(&match, "E00");
    say(&match, "R01" SCRIPT "W005000A");
    hears(&match, "A" ENGINE "0");
    hears(&match, "M");
    say(&match, "E11");
    hears(&match, "E01");
    finish(&match, false, report);
}

Test(dxp_engine, wrong_messages_end_the_game) {
    expect_broken_off("M0000322900", "Cerror: 32-29", "script - engine *, illegal move, 0 plies");
    expect_broken_off("M0000999900", "Cerror: MOVE: from", "script - engine *, garbage, 0 plies");
    expect_broken_off("~~~", "Cerror: unknown message", "script - engine *, garbage, 0 plies");
    expect_broken_off("R01" SCRIPT "Z005000A", "Cerror: expected a move", "*, unexpected message, 0 plies");
    char much[2 * DXP_MESSAGE_LIMIT];
    memset(much, 'C', sizeof much);
    much[sizeof much - 1] = '\0';
    expect_broken_off(much, "Cerror: a message of more than 127", "script - engine *, garbage, 0 plies");
}

Test(dxp_engine, requests_that_are_refused) {
    struct match match;
    begin(&match, settings_of("international", 0));
    say(&match, "R02" SCRIPT "Z005000A");
    hears(&match, "A" ENGINE "1");
    // A white man on its crowning row.
    say(&match, "R01" SCRIPT "Z005000BWw"
                "eeeeeeeee" EMPTY10 EMPTY10 EMPTY10 "eeeeeeeeez");
    hears(&match, "A" ENGINE "2");
    say(&match, "M0000322800");
    say(&match, "E00");
    say(&match, "garbage");
    hears(&match, "Cerror: ");
    say(&match, "E01");
    finish(&match, false, NULL);
}

Test(dxp_engine, answers_that_are_no_acceptance) {
    static const char *const answers[] = {"A" SCRIPT "1", "A" SCRIPT "2", "A" SCRIPT "3", "A",
                                          "R01" SCRIPT "Z005000A"};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct match match;
        begin(&match, settings_of("killer", 1));
        hears(&match, "R01" ENGINE "Z000000A");
        say(&match, answers[i]);
        finish(&match, false, NULL);
    }
}

Test(dxp_engine, silence_and_closed_connections) {
    struct dxp_settings settings = settings_of("international", 1);
    settings.patience = settings.wait = 0.05;
    struct match match;
    begin(&match, settings);
    hears(&match, "R");
    finish(&match, false, NULL);

    settings.games = 0;
    begin(&match, settings);
    finish(&match, false, NULL);

    begin(&match, settings);
    say(&match, "R01" SCRIPT "Z000000A");
    hears(&match, "A");
    hears(&match, "Cerror: no move");
    hears(&match, "E00");
    finish(&match, false, "game 1: script - engine *, no move, 0 plies");

    begin(&match, settings_of("international", 0));
    say(&match, "R01" SCRIPT "Z000000A");
    hears(&match, "A");
    hang_up(&match);
    finish(&match, false, "game 1: script - engine *, connection closed, 0 plies");

    begin(&match, settings_of("international", 0));
    hang_up(&match);
    finish(&match, true, NULL);
}

Test(dxp_engine, nobody_is_listened_to_for_ever) {
    struct match match;
    begin(&match, settings_of("international", 0));
    for (int i = 0; i <= 200; i++) say(&match, "Cblah");
    finish(&match, false, NULL);
}
