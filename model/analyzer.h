/*
 * analyzer.h - a text to the tokens an index has of it: AbstractAnalyzer of SAI and SASI, and what their options ask for.
 *
 * 1. The tokens are in ctx's memory or within the text.
 * 2. An analyzer that is not tokenizing makes exactly one token of any text.
 */
#ifndef WR_MODEL_ANALYZER_H
#define WR_MODEL_ANALYZER_H

#include "model/schema.h"

#define SASI_ANALYZERS "org.apache.cassandra.index.sasi.analyzer."

enum analyzer_kind {
    ANALYZER_NONE,      /* the text as it is */
    ANALYZER_WHOLE,     /* the whole text, its case and form made one */
    ANALYZER_WORDS,     /* SASI's StandardAnalyzer */
    ANALYZER_DELIMITED, /* SASI's DelimiterAnalyzer */
};

struct analyzer {
    enum analyzer_kind kind;
    bool lower, upper, nfc, ascii; /* done in this order */
    bool skip_stop_words, stem;    /* of words */
    struct slice locale;           /* of both */
    struct slice delimiter;        /* one character */
};

/* Of an index of SAI or SASI; ANALYZER_NONE of any other. Options were checked when the index was made. */
struct analyzer analyzer_of(const struct index *index);

static inline bool analyzer_is_tokenizing(const struct analyzer *a)
{
    return a->kind == ANALYZER_WORDS || a->kind == ANALYZER_DELIMITED;
}

struct tokens {
    struct slice *list;
    uint32_t count, room;
};

enum wr_status analyzer_tokens(struct ctx *ctx, const struct analyzer *analyzer, struct slice text, struct tokens *out);

#endif
