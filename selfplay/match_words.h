// match_words.h -- what a match was told, word by word, as JSON: enough to set it up again.
#ifndef HUFF_SELFPLAY_MATCH_WORDS_H
#define HUFF_SELFPLAY_MATCH_WORDS_H

#include "selfplay/match_settings.h"

// Is a limit for all engines among them?
bool match_words_limit(const struct match_words *);

// JSON holds UTF-8 only, and so do the words: false for others, with an error that names the option.
bool match_words_check(const struct match_words *options, struct error *) __attribute__((warn_unused_result));

// What applies of the options and the file (both as match_settings.h has them), without the number of
// threads, which changes nothing.
json_t *match_words_to_json(const struct match_words *options, const struct match_words *file);

// And back; the words live in the document, the rest is freed by match_words_free.
bool match_words_from_json(json_t *, struct match_words *, struct error *)
    __attribute__((warn_unused_result));
void match_words_free(struct match_words *);

#endif
