#include "model/lex.h"

enum { WORD_LEN_MAX = 16 };

struct word {
    const char *text;
    uint8_t len;
    uint16_t kind;
};
#define WORD(text, kind) { text, sizeof(text) - 1, kind }

/* The kinds' own spellings are made from LEX_WORDS below; these are the others, and the words that are literals. */
static const struct word other_words[] = {
    WORD("TABLE", LEX_COLUMNFAMILY), WORD("COLUMNFAMILIES", LEX_TABLES), WORD("TRUE", LEX_TRUTH),
    WORD("FALSE", LEX_TRUTH),        WORD("NAN", LEX_NAN),               WORD("INFINITY", LEX_INFINITY),
};

static const struct word words[] = { /* sorted, and in the order of their kinds */
#define LEX_WORD(name, class) WORD(#name, LEX_##name),
    LEX_WORDS(LEX_WORD)
#undef LEX_WORD
};

/* The first word of each letter, or of the next letter that begins one. */
static const uint8_t first_words[] = {
    LEX_ACCESS, LEX_BATCH,  LEX_CALLED,    LEX_DATACENTERS, LEX_ENTRIES, LEX_FILTERING, LEX_GRANT,  LEX_HASHED, LEX_IDENTITY,
    LEX_JSON,   LEX_KEY,    LEX_LANGUAGE,  LEX_MAP,         LEX_NOLOGIN, LEX_OF,        LEX_PARTITION, LEX_RENAME, LEX_RENAME,
    LEX_SCHEMA, LEX_TABLES, LEX_UNLOGGED,  LEX_VALUES,      LEX_WHERE,   LEX_ERROR,     LEX_ERROR,  LEX_ERROR,  LEX_ERROR,
};

static const char *const kind_names[] = {
#define LEX_MARK(name, text) text,
#define LEX_WORD(name, class) "K_" #name,
    LEX_MARKS(LEX_MARK) LEX_WORDS(LEX_WORD) "<invalid>"
#undef LEX_MARK
#undef LEX_WORD
};

static const uint8_t kind_classes[] = {
#define LEX_MARK(name, text) WORD_NONE,
#define LEX_WORD(name, class) WORD_##class,
    LEX_MARKS(LEX_MARK) LEX_WORDS(LEX_WORD) WORD_NONE
#undef LEX_MARK
#undef LEX_WORD
};

const char *lex_name(enum lex_kind kind)
{
    return kind_names[kind];
}

enum word_class lex_class(enum lex_kind kind)
{
    return (enum word_class)kind_classes[kind];
}

bool lex_is_name(enum lex_kind kind)
{
    enum word_class class = lex_class(kind);
    return kind == LEX_IDENT || kind == LEX_QUOTED || (class != WORD_NONE && class != WORD_RESERVED);
}

/* ---- characters, in ASCII whatever the locale ---- */

static bool is_digit(int c) { return c >= '0' && c <= '9'; }
static bool is_letter(int c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }
static bool is_hex(int c) { return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }
static bool is_word(int c) { return is_letter(c) || is_digit(c) || c == '_'; }
static bool is_upper(int c) { return c >= 'A' && c <= 'Z'; }
static bool is_space(int c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static bool is_spelled(struct slice word, const struct word *as)
{
    if (word.len != as->len)
        return false;
    for (size_t i = 0; i < word.len; i++)
        if ((is_letter(word.data[i]) ? word.data[i] & ~0x20 : word.data[i]) != (uint8_t)as->text[i])
            return false;
    return true;
}

enum lex_kind lex_word(struct slice word)
{
    if (word.len == 0 || word.len > WORD_LEN_MAX || !is_letter(word.data[0]))
        return LEX_IDENT;
    size_t letter = (word.data[0] & 0x1F) - 1;
    for (const struct word *w = &words[first_words[letter] - LEX_ACCESS], *end = &words[first_words[letter + 1] - LEX_ACCESS]; w < end; w++)
        if (is_spelled(word, w))
            return (enum lex_kind)w->kind;
    for (size_t i = 0; i < sizeof other_words / sizeof *other_words; i++)
        if (is_spelled(word, &other_words[i]))
            return (enum lex_kind)other_words[i].kind;
    return LEX_IDENT;
}

void lex_init(struct lexer *lexer, struct slice text)
{
    *lexer = (struct lexer){ .text = text };
}

/* The byte at a place, -1 past the end. */
static int peek(const struct lexer *lexer, size_t at)
{
    return at < lexer->text.len ? lexer->text.data[at] : -1;
}

static const char set_null[] = "set null"; /* what stands for a letter of either case */

static enum lex_kind lex_fail(struct lexer *lexer, size_t offset, const char *expecting)
{
    lexer->error = (struct lex_error){
        .offset = offset, .problem = expecting ? "mismatched" : "no viable alternative at", .expecting = expecting };
    return LEX_ERROR;
}

static enum lex_kind lex_unclosed(struct lexer *lexer, size_t offset, const char *expecting)
{
    lex_fail(lexer, offset, expecting);
    lexer->error.unclosed = true;
    return LEX_ERROR;
}

/* ---- white space and comments ---- */

static size_t find(struct slice text, size_t from, const char *what)
{
    size_t len = strlen(what);
    for (size_t at = from; at + len <= text.len; at++)
        if (memcmp(text.data + at, what, len) == 0)
            return at;
    return text.len;
}

static bool skip_blank(struct lexer *lexer)
{
    for (;;) {
        int c = peek(lexer, lexer->at), d = peek(lexer, lexer->at + 1);
        if (is_space(c)) {
            lexer->at++;
        } else if (c != '-' && c != '/') {
            return true;
        } else if ((c == '-' && d == '-') || (c == '/' && d == '/')) {
            size_t at = lexer->at + 2;
            while (at < lexer->text.len && lexer->text.data[at] != '\n' && lexer->text.data[at] != '\r')
                at++;
            if (at == lexer->text.len) {
                lex_fail(lexer, at, set_null);
                lexer->error.in_line_comment = true;
                return false;
            }
            lexer->at = at + 1;
        } else if (c == '/' && d == '*') {
            size_t at = find(lexer->text, lexer->at + 2, "*/");
            if (at == lexer->text.len) {
                bool half = at > lexer->at + 2 && lexer->text.data[at - 1] == '*';
                lex_unclosed(lexer, at, half ? "'/'" : "'*'");
                return false;
            }
            lexer->at = at + 2;
        } else {
            return true;
        }
    }
}

/* ---- quoted things ---- */

/* 'text' or "name", the quote doubled to stand for itself; *end behind the closing one. */
static enum lex_kind lex_quoted(struct lexer *lexer, enum lex_kind kind, size_t *end)
{
    uint8_t quote = lexer->text.data[lexer->at];
    size_t at = lexer->at + 1;

    if (quote == '"' && at == lexer->text.len)
        return lex_fail(lexer, at, NULL);
    for (;;) {
        const uint8_t *found = memchr(lexer->text.data + at, quote, lexer->text.len - at);
        if (!found)
            return lex_unclosed(lexer, lexer->text.len, quote == '"' ? "'\"'" : "'''");
        at = (size_t)(found - lexer->text.data) + 1;
        if (peek(lexer, at) != quote)
            break;
        at++;
    }
    *end = at;
    return kind == LEX_QUOTED && at == lexer->at + 2 ? LEX_EMPTY_QUOTED : kind;
}

static enum lex_kind lex_dollars(struct lexer *lexer, size_t *end)
{
    if (peek(lexer, lexer->at + 1) != '$')
        return lex_fail(lexer, lexer->at + 1, "'$'");
    size_t at = find(lexer->text, lexer->at + 2, "$$");
    if (at == lexer->text.len) { /* the reference's loop leaves the last character to the closing pair */
        if (at > lexer->at + 2 && lexer->text.data[at - 1] != '$')
            do
                at--;
            while (at > lexer->at + 2 && (lexer->text.data[at] & 0xC0) == 0x80);
        return lex_unclosed(lexer, at, "'$'");
    }
    *end = at + 2;
    return LEX_STRING;
}

/* ---- numbers, uuids, durations ---- */

static size_t skip_digits(const struct lexer *lexer, size_t at)
{
    while (is_digit(peek(lexer, at)))
        at++;
    return at;
}

enum { UUID_FIRST_GROUP = 8, UUID_NEXT_GROUP = 4 };

/* `1234567e-`: a uuid or a number as yet. */
static bool has_exponent_of_seven(const struct lexer *lexer)
{
    size_t e = skip_digits(lexer, lexer->at);
    return e == lexer->at + UUID_FIRST_GROUP - 1 && (peek(lexer, e) | 0x20) == 'e' && peek(lexer, e + 1) == '-';
}

static bool goes_on_as_uuid(const struct lexer *lexer, size_t at)
{
    size_t digits = skip_digits(lexer, at) - at;
    int c = peek(lexer, at + digits);
    return digits < UUID_NEXT_GROUP ? is_hex(c) : digits == UUID_NEXT_GROUP && c == '-';
}

/* Whether what starts here with a hex digit can only be a uuid, or the start of a broken one. */
static bool must_be_uuid(const struct lexer *lexer)
{
    size_t start = lexer->at, hex = start;

    if (is_letter(peek(lexer, start)) && peek(lexer, start + UUID_FIRST_GROUP) != '-')
        return false; /* a word */
    while (hex < start + UUID_FIRST_GROUP && is_hex(peek(lexer, hex)))
        hex++;
    if (hex == start + UUID_FIRST_GROUP && peek(lexer, hex) == '-')
        return !has_exponent_of_seven(lexer) || goes_on_as_uuid(lexer, hex + 1);
    size_t at = skip_digits(lexer, start);
    if (at == start)
        return false;
    if ((peek(lexer, at) | 0x20) == 'e') { /* as far as an exponent goes, or a duration in days */
        at = skip_digits(lexer, at + 1);
    } else {
        while ((peek(lexer, at) | 0x20) == 'd') {
            size_t digits = skip_digits(lexer, ++at);
            if (digits == at)
                break;
            at = digits;
        }
    }
    return at < hex;
}

static enum lex_kind lex_uuid(struct lexer *lexer, size_t *end)
{
    static const uint8_t groups[] = { UUID_FIRST_GROUP, UUID_NEXT_GROUP, 4, 4, 12 };
    size_t at = lexer->at;

    for (size_t g = 0; g < sizeof groups; g++) {
        if (g > 0 && peek(lexer, at++) != '-')
            return lex_fail(lexer, at - 1, "'-'");
        for (size_t i = 0; i < groups[g]; i++)
            if (!is_hex(peek(lexer, at++)))
                return lex_fail(lexer, at - 1, set_null);
    }
    *end = at;
    return LEX_UUID_VALUE;
}

enum { MICRO_FIRST = 0xC2, MICRO_SECOND = 0xB5 }; /* of `µ` in UTF-8 */

/* The length of a duration's unit, any case; 0: none. Of `us`, `ns` and `µs` the first character decides. */
static size_t match_unit(struct lexer *lexer, size_t at, bool *broken)
{
    int c = peek(lexer, at), d = peek(lexer, at + 1);
    bool micro = c == MICRO_FIRST && d == MICRO_SECOND;

    if (c < 0)
        return 0;
    if (micro)
        d = peek(lexer, at + 2);
    d = d < 0 ? 0 : d | 0x20;
    switch (micro ? 'u' : c | 0x20) {
    case 'm': return d == 'o' || d == 's' ? 2 : 1;
    case 'u':
    case 'n':
        if (d != 's') {
            lex_fail(lexer, at + 1 + micro, set_null);
            *broken = true;
            return 0;
        }
        return 2 + (size_t)micro;
    case 'y':
    case 'w':
    case 'd':
    case 'h':
    case 's': return 1;
    default: return 0;
    }
}

/* `1h30m`; 0: no duration. A number without unit after the first is an error. */
static size_t match_units(struct lexer *lexer, size_t at, bool *broken)
{
    size_t end = 0;
    while (is_digit(peek(lexer, at))) {
        size_t digits = skip_digits(lexer, at), unit = match_unit(lexer, digits, broken);
        if (unit == 0) {
            if (end == 0 || *broken)
                return 0;
            lex_fail(lexer, digits, NULL);
            *broken = true;
            return 0;
        }
        at = end = digits + unit;
    }
    return end;
}

/* A place of a duration where none goes on any more; offset 0: there is none. */
struct iso_end {
    size_t offset;
    const char *expecting; /* the one designator that could stand there; NULL: there are several */
};

/* Digits with one of the designators behind, each at most once and in order: the Y M D of P1Y2M3D. */
static size_t match_designated(const struct lexer *lexer, size_t at, const char *designators, struct iso_end *broken)
{
    size_t end = at;
    while (*designators) {
        size_t digits = skip_digits(lexer, end);
        const char *found = digits > end && peek(lexer, digits) > 0 ? strchr(designators, peek(lexer, digits)) : NULL;
        if (digits > end && !found)
            *broken = (struct iso_end){ digits, designators[1] ? NULL : *designators == 'D' ? "'D'" : "'S'" };
        if (!found)
            break;
        designators = found + 1;
        end = digits + 1;
    }
    return end;
}

/* ISO 8601 durations: P1Y2M3DT4H5M6S, P2W, the sign already passed; 0: none, broken says where it is none. */
static size_t match_iso(const struct lexer *lexer, size_t at, struct iso_end *broken)
{
    size_t week = skip_digits(lexer, at + 1);
    *broken = (struct iso_end){ 0 };
    if (week > at + 1 && peek(lexer, week) == 'W')
        return week + 1;
    size_t end = match_designated(lexer, at + 1, "YMD", broken), time = end + 1;
    if (!broken->offset && peek(lexer, end) == 'T')
        end = match_designated(lexer, time, "HMS", broken);
    if (!broken->offset && (end == at + 1 || end == time)) /* nothing behind the P, or the T */
        *broken = (struct iso_end){ end, NULL };
    return broken->offset ? 0 : end;
}

/* P0001-02-03T04:05:06: four digits and a minus can be nothing else. */
static enum lex_kind lex_iso_alternative(struct lexer *lexer, size_t at, size_t *end)
{
    static const char *const pattern[] = { NULL, NULL, NULL, NULL, "'-'", NULL, NULL, "'-'", NULL, NULL,
                                           "'T'", NULL, NULL, "':'", NULL, NULL, "':'", NULL, NULL };
    for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++) {
        int c = peek(lexer, at + 1 + i);
        if (pattern[i] ? c != pattern[i][1] : !is_digit(c))
            return lex_fail(lexer, at + 1 + i, pattern[i] ? pattern[i] : set_null);
    }
    *end = at + 1 + sizeof pattern / sizeof *pattern;
    return LEX_PERIOD;
}

static bool is_iso_alternative(const struct lexer *lexer, size_t at)
{
    return peek(lexer, at) == 'P' && skip_digits(lexer, at + 1) == at + 5 && peek(lexer, at + 5) == '-';
}

/* A number from its first digit (or the minus before it). */
static enum lex_kind lex_number(struct lexer *lexer, size_t *end)
{
    size_t start = lexer->at + (lexer->text.data[lexer->at] == '-'), at = skip_digits(lexer, start);
    bool floating = false, broken = false;

    if (start == lexer->at && at == start + 1 && lexer->text.data[start] == '0' && (peek(lexer, at) | 0x20) == 'x') {
        do
            at++;
        while (is_hex(peek(lexer, at)));
        *end = at;
        return LEX_HEX;
    }
    size_t units = is_letter(peek(lexer, at)) || peek(lexer, at) == MICRO_FIRST ? match_units(lexer, start, &broken) : 0;
    if (broken)
        return LEX_ERROR;
    if (units) {
        *end = units;
        return LEX_PERIOD;
    }
    if (peek(lexer, at) == '.' && (peek(lexer, at + 1) != '.' || peek(lexer, at + 2) == '.')) {
        floating = true;
        at = skip_digits(lexer, at + 1);
    }
    if ((peek(lexer, at) | 0x20) == 'e' && peek(lexer, at) > 0) {
        size_t digits = at + 1;
        if (peek(lexer, digits) == '+' || peek(lexer, digits) == '-')
            digits++;
        if (!is_digit(peek(lexer, digits))) {
            lex_fail(lexer, digits, NULL);
            /* what cannot become a uuid any more is known for an exponent */
            bool signed_or_long = digits > at + 1 || at - lexer->at >= UUID_FIRST_GROUP || peek(lexer, lexer->at) == '-';
            if (floating || (signed_or_long && !has_exponent_of_seven(lexer)))
                lexer->error.problem = "required (...)+ loop did not match anything at";
            else
                lexer->error.ahead = true;
            return LEX_ERROR;
        }
        floating = true;
        at = skip_digits(lexer, digits);
    }
    *end = at;
    return floating ? LEX_FLOATING : LEX_INTEGER;
}

static enum lex_kind lex_letters(struct lexer *lexer, size_t *end)
{
    struct iso_end broken;
    size_t at = lexer->at;

    if (is_iso_alternative(lexer, at))
        return lex_iso_alternative(lexer, at, end);
    while (at < lexer->text.len && is_word(lexer->text.data[at]))
        at++;
    *end = at;
    struct slice word = slice_of(lexer->text.data + lexer->at, at - lexer->at);
    if (word.data[0] == 'P' && match_iso(lexer, lexer->at, &broken) == at)
        return LEX_PERIOD;
    if (peek(lexer, at) == '(' && slice_eq_str(word, "expr")) {
        *end = at + 1;
        return LEX_EXPR_LP;
    }
    return lex_word(word);
}

/* Behind a minus: a negative number, duration, NaN or Infinity, whose first letter decides. */
static enum lex_kind lex_negative(struct lexer *lexer, size_t *end)
{
    static const struct word signed_words[] = { WORD("nan", LEX_NEGATIVE_NAN), WORD("infinity", LEX_NEGATIVE_INFINITY) };
    struct iso_end broken;
    size_t at = lexer->at + 1;

    if (is_digit(peek(lexer, at)))
        return lex_number(lexer, end);
    if (is_iso_alternative(lexer, at))
        return lex_iso_alternative(lexer, at, end);
    if (peek(lexer, at) == 'P') {
        if ((*end = match_iso(lexer, at, &broken)) != 0)
            return LEX_PERIOD;
        return lex_fail(lexer, broken.offset, broken.expecting);
    }
    for (size_t w = 0; w < sizeof signed_words / sizeof *signed_words; w++) {
        const char *word = signed_words[w].text;
        size_t n = 0;
        while (word[n] && (peek(lexer, at + n) | 0x20) == word[n])
            n++;
        if (n > 0 && word[n])
            return lex_fail(lexer, at + n, set_null);
        if (n > 0) {
            *end = at + n;
            return (enum lex_kind)signed_words[w].kind;
        }
    }
    *end = at + (peek(lexer, at) == '=');
    return *end > at ? LEX_MINUS_EQ : LEX_MINUS;
}

/* ---- all together ---- */

struct mark { /* one character, or two */
    char second;
    uint8_t kind, pair_kind; /* LEX_ERROR: not alone */
};

static const struct mark marks[128] = { /* by their first characters; LEX_END: none begins so */
    ['?'] = { 0, LEX_QMARK, 0 },      [':'] = { 0, LEX_COLON, 0 },         [';'] = { 0, LEX_SEMICOLON, 0 },
    [','] = { 0, LEX_COMMA, 0 },      ['.'] = { '.', LEX_DOT, LEX_RANGE }, ['('] = { 0, LEX_LP, 0 },
    [')'] = { 0, LEX_RP, 0 },         ['['] = { 0, LEX_LB, 0 },            [']'] = { 0, LEX_RB, 0 },
    ['{'] = { 0, LEX_LC, 0 },         ['}'] = { 0, LEX_RC, 0 },            ['='] = { 0, LEX_EQ, 0 },
    ['!'] = { '=', LEX_ERROR, LEX_NEQ }, ['<'] = { '=', LEX_LT, LEX_LTE }, ['>'] = { '=', LEX_GT, LEX_GTE },
    ['+'] = { '=', LEX_PLUS, LEX_PLUS_EQ }, ['*'] = { 0, LEX_STAR, 0 },    ['/'] = { 0, LEX_SLASH, 0 },
    ['%'] = { 0, LEX_PERCENT, 0 },
};

static enum lex_kind lex_mark(struct lexer *lexer, size_t *end)
{
    uint8_t c = lexer->text.data[lexer->at];
    const struct mark *mark = c < sizeof marks / sizeof *marks ? &marks[c] : &marks[0];
    bool pair = mark->second && mark->second == peek(lexer, lexer->at + 1);

    if (mark->kind == LEX_END)
        return lex_fail(lexer, lexer->at, NULL);
    *end = lexer->at + 1 + pair;
    if (!pair && mark->kind == LEX_ERROR)
        return lex_fail(lexer, *end, "'='");
    return pair ? mark->pair_kind : mark->kind;
}

static enum lex_kind lex_one(struct lexer *lexer, size_t *end)
{
    int c = peek(lexer, lexer->at);
    if (c < 0) {
        *end = lexer->at;
        return LEX_END;
    }
    if (is_hex(c) && must_be_uuid(lexer))
        return lex_uuid(lexer, end);
    if (is_letter(c))
        return lex_letters(lexer, end);
    if (is_digit(c))
        return lex_number(lexer, end);
    switch (c) {
    case '-': return lex_negative(lexer, end);
    case '\'': return lex_quoted(lexer, LEX_STRING, end);
    case '"': return lex_quoted(lexer, LEX_QUOTED, end);
    case '$': return lex_dollars(lexer, end);
    default: return lex_mark(lexer, end);
    }
}

struct token lex_next(struct lexer *lexer)
{
    size_t end = lexer->at;
    enum lex_kind kind = skip_blank(lexer) ? lex_one(lexer, &end) : LEX_ERROR;
    if (kind == LEX_ERROR)
        return (struct token){ (uint32_t)lexer->at, 0, LEX_ERROR };
    struct token token = { (uint32_t)lexer->at, (uint32_t)(end - lexer->at), (uint16_t)kind };
    lexer->at = end;
    return token;
}

bool lex_recover(struct lexer *lexer)
{
    if (lexer->error.unclosed || lexer->error.in_line_comment)
        return false;
    size_t at = lexer->error.ahead ? lexer->at : lexer->error.offset, left_out = lexer->error.expecting == set_null ? 2 : 1;
    lexer->at = at + left_out < lexer->text.len ? at + left_out : lexer->text.len;
    return true;
}

/* ---- what a token means ---- */

static enum wr_status fold_quotes(struct ctx *ctx, struct slice text, uint8_t quote, struct slice *out)
{
    if (text.len == 0) {
        *out = SLICE_EMPTY;
        return WR_OK;
    }
    if (!memchr(text.data, quote, text.len)) {
        *out = text;
        return WR_OK;
    }
    uint8_t *copy = ctx_alloc(ctx, text.len);
    size_t n = 0;
    if (!copy)
        return WR_NOMEM;
    for (size_t i = 0; i < text.len; i++) {
        copy[n++] = text.data[i];
        i += text.data[i] == quote; /* the second of a pair */
    }
    *out = slice_of(copy, n);
    return WR_OK;
}

static enum wr_status fold_case(struct ctx *ctx, struct slice text, struct slice *out)
{
    size_t i = 0;
    while (i < text.len && !is_upper(text.data[i]))
        i++;
    if (i == text.len) {
        *out = text;
        return WR_OK;
    }
    uint8_t *copy = ctx_alloc(ctx, text.len);
    if (!copy)
        return WR_NOMEM;
    for (i = 0; i < text.len; i++)
        copy[i] = is_upper(text.data[i]) ? text.data[i] | 0x20 : text.data[i];
    *out = slice_of(copy, text.len);
    return WR_OK;
}

enum wr_status token_text(struct ctx *ctx, struct slice text, struct token token, struct slice *out)
{
    struct slice raw = slice_of(text.data + token.offset, token.len);
    switch (token.kind) {
    case LEX_STRING:
        if (raw.data[0] == '$') {
            *out = slice_of(raw.data + 2, raw.len - 4);
            return WR_OK;
        }
        return fold_quotes(ctx, slice_of(raw.data + 1, raw.len - 2), '\'', out);
    case LEX_QUOTED:
    case LEX_EMPTY_QUOTED: return fold_quotes(ctx, slice_of(raw.data + 1, raw.len - 2), '"', out);
    case LEX_IDENT: return fold_case(ctx, raw, out);
    default:
        if (lex_class((enum lex_kind)token.kind) != WORD_NONE)
            return fold_case(ctx, raw, out);
        *out = raw;
        return WR_OK;
    }
}
