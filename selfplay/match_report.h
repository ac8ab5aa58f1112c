// match_report.h -- the result of a match, for people, for scripts and as JSON.
#ifndef HUFF_SELFPLAY_MATCH_REPORT_H
#define HUFF_SELFPLAY_MATCH_REPORT_H

#include <jansson.h>

#include "selfplay/match.h"

// The block that match runners print (as fastchess does, so that scripts that read it go on working), and a
// line on how the games ended. Freed by the caller.
char *match_report_text(const struct match_settings *, const struct match_result *);

// One object a game: {"type": "game", "pair": 0, "game": 0, "white": "A", ...}, and one for the whole match:
// {"type": "match", ...}. Numbers that are not determined are null.
json_t *match_game_json(const struct match_settings *, const struct match_pair *, int game);
json_t *match_summary_json(const struct match_settings *, const struct match_result *);

// "A +12 =30 -8 (54.0%), LLR 0.31": for a progress line.
enum { MATCH_NOTE_SIZE = 128 };
void match_note(const struct match_settings *, const struct match_result *,
                char text[static MATCH_NOTE_SIZE]);

#endif
