/*
 * stemming.h - words to their stems, and words that say nothing: what StandardAnalyzer does with words when it is told to. The one
 * room that includes libstemmer.
 *
 * A locale is Java's: its language is its first two letters, any case.
 */
#ifndef WR_MODEL_STEMMING_H
#define WR_MODEL_STEMMING_H

#include "engine/ctx.h"

struct sb_stemmer; /* libstemmer's; NULL: words stay as they are */

enum wr_status stemmer_open(struct ctx *ctx, struct slice locale, struct sb_stemmer **out); /* NULL for languages without one */
enum wr_status stem(struct ctx *ctx, struct sb_stemmer *stemmer, struct slice word, struct slice *out); /* in ctx's memory */
void stemmer_close(struct sb_stemmer *stemmer); /* NULL is fine */

bool stop_words_known(struct slice locale); /* of other languages there is no list here */
bool is_stop_word(struct slice locale, struct slice word);

#endif
