#include "model/analyzer.h"

#include "model/index_forms.h"
#include "model/javatext.h"
#include "model/stemming.h"
#include "model/string_map.h"
#include "model/unicode.h"

/* ---- options ---- */

static bool option_is(const struct index *index, const char *name, const char *word)
{
    return java_equals_fold(string_map_get(&index->options, slice_str(name)), word);
}

static struct analyzer sai_analyzer(const struct index *index)
{
    struct analyzer a = { .kind = ANALYZER_NONE };

    a.lower = option_is(index, "case_sensitive", "false");
    a.nfc = option_is(index, "normalize", "true");
    a.ascii = option_is(index, "ascii", "true");
    if (a.lower || a.nfc || a.ascii)
        a.kind = ANALYZER_WHOLE;
    return a;
}

/* IndexMode.getMode and getAnalyzer: a class is enough, `analyzed` alone means the standard one. */
static enum analyzer_kind sasi_kind(const struct index *index)
{
    static const struct { const char *name; enum analyzer_kind kind; } classes[] = {
        { SASI_ANALYZERS "NonTokenizingAnalyzer", ANALYZER_WHOLE },
        { SASI_ANALYZERS "StandardAnalyzer", ANALYZER_WORDS },
        { SASI_ANALYZERS "DelimiterAnalyzer", ANALYZER_DELIMITED },
        { SASI_ANALYZERS "NoOpAnalyzer", ANALYZER_NONE },
    };
    struct slice name = string_map_get(&index->options, SLICE_LIT("analyzer_class"));
    struct slice analyzed = string_map_get(&index->options, SLICE_LIT("analyzed"));
    bool said = java_equals_fold(analyzed, "true");

    if (!name.data)
        return said && type_is_text(index->column->type) ? ANALYZER_WORDS : ANALYZER_NONE;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (slice_eq_str(name, classes[i].name))
            return !analyzed.data || said ? classes[i].kind : ANALYZER_NONE;
    return ANALYZER_NONE;
}

static struct analyzer sasi_analyzer(const struct index *index)
{
    struct analyzer a = { .kind = sasi_kind(index) };
    struct slice given;

    switch (a.kind) {
    case ANALYZER_WHOLE: /* Boolean.parseBoolean: what is not true is false */
        given = string_map_get(&index->options, SLICE_LIT("case_sensitive"));
        a.lower = (given.data && !java_equals_fold(given, "true")) || option_is(index, "normalize_lowercase", "true");
        a.upper = option_is(index, "normalize_uppercase", "true");
        a.nfc = true;
        break;
    case ANALYZER_WORDS:
        a.lower = option_is(index, "tokenization_normalize_lowercase", "true");
        a.upper = option_is(index, "tokenization_normalize_uppercase", "true");
        a.skip_stop_words = option_is(index, "tokenization_skip_stop_words", "true");
        a.stem = option_is(index, "tokenization_enable_stemming", "true");
        given = string_map_get(&index->options, SLICE_LIT("tokenization_locale"));
        a.locale = given; /* null: neither is done */
        a.nfc = true;
        break;
    case ANALYZER_DELIMITED:
        given = string_map_get(&index->options, SLICE_LIT("delimiter"));
        a.delimiter = given.data ? given : SLICE_LIT(",");
        break;
    case ANALYZER_NONE: break;
    }
    return a;
}

struct analyzer analyzer_of(const struct index *index)
{
    switch (index->index_class) {
    case INDEX_SAI: return sai_analyzer(index);
    case INDEX_SASI: return sasi_analyzer(index);
    default: return (struct analyzer){ .kind = ANALYZER_NONE };
    }
}

/* ---- tokens ---- */

static enum wr_status add(struct ctx *ctx, struct tokens *tokens, struct slice token)
{
    if (tokens->count == tokens->room) {
        uint32_t room = tokens->room ? 2 * tokens->room : 4;
        struct slice *list = NEW_ARRAY(ctx, struct slice, room);
        if (!list)
            return WR_NOMEM;
        if (tokens->count)
            memcpy(list, tokens->list, tokens->count * sizeof *list);
        tokens->list = list;
        tokens->room = room;
    }
    tokens->list[tokens->count++] = token;
    return WR_OK;
}

static enum wr_status fold(struct ctx *ctx, const struct analyzer *a, struct slice text, struct slice *out)
{
    *out = text;
    if (a->lower)
        TRY(unicode_lower(ctx, *out, out));
    if (a->upper)
        TRY(unicode_upper(ctx, *out, out));
    if (a->nfc)
        TRY(unicode_nfc(ctx, *out, out));
    return a->ascii ? unicode_ascii(ctx, *out, out) : WR_OK;
}

enum { WORD_MAX = 255 }; /* StandardTokenizerOptions.DEFAULT_MAX_TOKEN_LENGTH; longer ones are left out */

static enum wr_status add_words(struct ctx *ctx, const struct analyzer *a, struct slice text, struct tokens *out)
{
    struct sb_stemmer *stemmer = NULL;
    struct slice word;
    enum wr_status st = WR_OK;

    if (a->stem)
        TRY_OUT(stemmer_open(ctx, a->locale, &stemmer));
    while (unicode_word(&text, &word)) {
        if (unicode_length(word) > WORD_MAX)
            continue;
        TRY_OUT(fold(ctx, a, word, &word));
        if (a->skip_stop_words && is_stop_word(a->locale, word))
            continue;
        TRY_OUT(stem(ctx, stemmer, word, &word));
        TRY_OUT(add(ctx, out, word));
    }
out:
    stemmer_close(stemmer);
    return st;
}

/* What lies between two delimiters; nothing between them is no token. */
static enum wr_status add_delimited(struct ctx *ctx, const struct analyzer *a, struct slice text, struct tokens *out)
{
    size_t from = 0;

    for (size_t at = 0; at <= text.len; at++) {
        bool ends = at == text.len || slice_has_prefix(slice_skip(text, at), a->delimiter);
        if (!ends)
            continue;
        if (at > from)
            TRY(add(ctx, out, slice_of(text.data + from, at - from)));
        from = at + a->delimiter.len;
        at = at == text.len ? at : from - 1;
    }
    return WR_OK;
}

enum wr_status analyzer_tokens(struct ctx *ctx, const struct analyzer *analyzer, struct slice text, struct tokens *out)
{
    *out = (struct tokens){ 0 };
    switch (analyzer->kind) {
    case ANALYZER_WORDS: return add_words(ctx, analyzer, text, out);
    case ANALYZER_DELIMITED: return add_delimited(ctx, analyzer, text, out);
    default:
        TRY(fold(ctx, analyzer, text, &text));
        return add(ctx, out, text);
    }
}
