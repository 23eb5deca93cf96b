#include "model/unicode.h"

#include <stdlib.h>
#include <utf8proc.h>

#include "engine/buf.h"
#include "model/unicode_fold.h"

bool unicode_is_ascii(struct slice text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] >= 0x80)
            return false;
    return true;
}

/* The character at a place and its bytes; a byte that begins none stands for itself. */
static size_t character_at(struct slice text, size_t at, int32_t *out)
{
    utf8proc_ssize_t n = utf8proc_iterate(text.data + at, (utf8proc_ssize_t)(text.len - at), out);
    if (n > 0)
        return (size_t)n;
    *out = text.data[at];
    return 1;
}

void unicode_put(struct buf *buf, uint32_t character)
{
    utf8proc_uint8_t bytes[4];
    buf_put(buf, bytes, (size_t)utf8proc_encode_char((utf8proc_int32_t)character, bytes));
}

enum unicode_class unicode_class(uint32_t character)
{
    switch (utf8proc_category((utf8proc_int32_t)character)) {
    case UTF8PROC_CATEGORY_LU: return UNICODE_UPPER;
    case UTF8PROC_CATEGORY_LL: return UNICODE_LOWER;
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO: return UNICODE_LETTER;
    case UTF8PROC_CATEGORY_ND: return UNICODE_DIGIT;
    case UTF8PROC_CATEGORY_ZS: return UNICODE_SPACE;
    default: return UNICODE_OTHER;
    }
}

unsigned unicode_category(uint32_t character)
{
    return (unsigned)utf8proc_category((utf8proc_int32_t)character);
}

uint32_t unicode_char_lower(uint32_t character)
{
    return (uint32_t)utf8proc_tolower((utf8proc_int32_t)character);
}

uint32_t unicode_char_upper(uint32_t character)
{
    return character == 0xDF ? character : (uint32_t)utf8proc_toupper((utf8proc_int32_t)character); /* a sharp s has no capital to Unicode's own table */
}

size_t unicode_length(struct slice text)
{
    size_t length = 0;
    int32_t c;

    for (size_t at = 0; at < text.len; length++)
        at += character_at(text, at, &c);
    return length;
}

size_t unicode_java_length(struct slice text)
{
    size_t units = 0;

    for (size_t i = 0; i < text.len; i++)
        units += (text.data[i] & 0xc0) == 0x80 ? 0 : text.data[i] >= 0xf0 ? 2 : 1;
    return units;
}

/* ---- case ---- */

enum { CAPITAL_SIGMA = 0x3A3, FINAL_SIGMA = 0x3C2, SMALL_SIGMA = 0x3C3, DOTTED_I = 0x130, DOT_ABOVE = 0x307,
       SHARP_S = 0xDF, IOTA_BELOW = 0x345, CAPITAL_IOTA = 0x399 };

/* Sets of categories. */
#define CATEGORY(name) (UINT32_C(1) << UTF8PROC_CATEGORY_##name)
#define CASED (CATEGORY(LU) | CATEGORY(LL) | CATEGORY(LT))
#define LETTERS (CASED | CATEGORY(LM) | CATEGORY(LO))

static bool is_of(int32_t c, uint32_t categories)
{
    return categories >> utf8proc_category(c) & 1;
}

enum caseword { WORD_PART, WORD_JOINER, WORD_NOT }; /* to java.text.BreakIterator, by whose words Java finds their ends */

static enum caseword caseword_of(int32_t c)
{
    if (is_of(c, LETTERS | CATEGORY(MN) | CATEGORY(ME) | CATEGORY(CF) | CATEGORY(ND)))
        return WORD_PART;
    return is_of(c, CATEGORY(PD)) || c == '\'' || c == '"' || c == '.' || c == 0x2027 ? WORD_JOINER : WORD_NOT;
}

/* Whether the word that stands at a place goes on there; one that joins does between two parts. */
static bool word_goes_on(struct slice text, size_t at)
{
    int32_t c;
    size_t n = character_at(text, at, &c);
    enum caseword part = caseword_of(c);

    if (part != WORD_JOINER || at + n >= text.len)
        return part == WORD_PART;
    character_at(text, at + n, &c);
    return caseword_of(c) == WORD_PART;
}

/* ConditionalSpecialCasing.isFinalCased: a letter with case before it in its word, none behind it. */
static bool is_final(struct slice text, size_t at, size_t next)
{
    bool before = false;
    int32_t c;

    for (size_t i = 0; i < at;) { /* texts are short, and a sigma in capitals is rare */
        before = word_goes_on(text, i) && before;
        i += character_at(text, i, &c);
        before |= is_of(c, CASED);
    }
    while (before && next < text.len && word_goes_on(text, next)) {
        next += character_at(text, next, &c);
        if (is_of(c, CASED))
            return false;
    }
    return before;
}

static bool is_ascii_upper(int32_t c)
{
    return c >= 'A' && c <= 'Z';
}

enum wr_status unicode_lower(struct ctx *ctx, struct slice text, struct slice *out)
{
    struct buf buf;
    int32_t c;

    buf_init(&buf, ctx->arena);
    for (size_t at = 0, n; at < text.len; at += n) {
        n = character_at(text, at, &c);
        if (n == 1) {
            buf_put_u8(&buf, (uint8_t)(c | (is_ascii_upper(c) ? 0x20 : 0))); /* half a pair of Java's stays as it is */
        } else if (c == CAPITAL_SIGMA) {
            unicode_put(&buf, is_final(text, at, at + n) ? FINAL_SIGMA : SMALL_SIGMA);
        } else if (c == DOTTED_I) {
            buf_put_u8(&buf, 'i');
            unicode_put(&buf, DOT_ABOVE);
        } else {
            unicode_put(&buf, utf8proc_tolower(c));
        }
    }
    return buf_done(ctx, &buf, out);
}

bool unicode_is_lower(struct slice text)
{
    int32_t c;

    for (size_t at = 0, n; at < text.len; at += n) {
        n = character_at(text, at, &c);
        if (n == 1 ? is_ascii_upper(c) : utf8proc_tolower(c) != c)
            return false;
    }
    return true;
}

/* utf8proc knows capitals of one character; those of several are the ligatures and the letters with marks of SpecialCasing, which
 * decomposition takes apart: an iota below a letter becomes a capital behind it. */
static void put_upper(struct buf *buf, int32_t c)
{
    int32_t parts[8], upper = utf8proc_toupper(c);
    int boundary = 0;

    if (c == SHARP_S) {
        buf_put_str(buf, "SS");
        return;
    }
    bool greek = c >= 0x1F80 && c <= 0x1FFC && is_of(c, CASED);
    bool ligature = upper == c && is_of(c, CATEGORY(LL));
    utf8proc_option_t how = UTF8PROC_DECOMPOSE | (ligature ? UTF8PROC_COMPAT : 0);
    utf8proc_ssize_t n = greek || ligature ? utf8proc_decompose_char(c, parts, 8, how, &boundary) : 0;
    if (n < 2 || n > 8 || (!ligature && parts[n - 1] != IOTA_BELOW)) {
        unicode_put(buf, upper);
        return;
    }
    for (utf8proc_ssize_t i = 0; i < n; i++)
        unicode_put(buf, parts[i] == IOTA_BELOW ? CAPITAL_IOTA : utf8proc_toupper(parts[i]));
}

enum wr_status unicode_upper(struct ctx *ctx, struct slice text, struct slice *out)
{
    struct buf buf;
    int32_t c;

    buf_init(&buf, ctx->arena);
    for (size_t at = 0; at < text.len;) {
        at += character_at(text, at, &c);
        put_upper(&buf, c);
    }
    return buf_done(ctx, &buf, out);
}

/* ---- normal form ---- */

enum wr_status unicode_nfc(struct ctx *ctx, struct slice text, struct slice *out)
{
    utf8proc_uint8_t *bytes = NULL;

    *out = text;
    if (unicode_is_ascii(text))
        return WR_OK;
    utf8proc_ssize_t n = utf8proc_map(text.data, (utf8proc_ssize_t)text.len, &bytes, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    if (n < 0)
        return n == UTF8PROC_ERROR_NOMEM ? fail_nomem(ctx) : WR_OK; /* not UTF-8: as it is */
    enum wr_status st = ctx_copy(ctx, slice_of(bytes, (size_t)n), out);
    free(bytes);
    return st;
}

/* Each character put as `put` has it; a text of ASCII alone stays as it is. */
static enum wr_status map_characters(struct ctx *ctx, struct slice text, void (*put)(struct buf *buf, int32_t c), struct slice *out)
{
    struct buf buf;
    int32_t c;

    *out = text;
    if (unicode_is_ascii(text))
        return WR_OK;
    buf_init(&buf, ctx->arena);
    for (size_t at = 0; at < text.len;) {
        at += character_at(text, at, &c);
        put(&buf, c);
    }
    return buf_done(ctx, &buf, out);
}

static void put_folded(struct buf *buf, int32_t c)
{
    const char *folded = unicode_fold(c);
    if (folded)
        buf_put_str(buf, folded);
    else
        unicode_put(buf, c);
}

enum wr_status unicode_ascii(struct ctx *ctx, struct slice text, struct slice *out)
{
    return map_characters(ctx, text, put_folded, out);
}

/* ---- digits ---- */

/* The digits of a script are ten in a row. */
int unicode_char_digit(uint32_t character)
{
    int32_t c = (int32_t)character;
    int digit = 0;

    if (character > 0xFFFF || !is_of(c, CATEGORY(ND)))
        return -1;
    while (digit < 9 && is_of(c - digit - 1, CATEGORY(ND)))
        digit++;
    return digit;
}

int unicode_digit(struct slice *text)
{
    int32_t c;
    size_t bytes = character_at(*text, 0, &c);
    int digit = c >= 0x80 ? unicode_char_digit((uint32_t)c) : c >= '0' && c <= '9' ? c - '0' : -1;

    *text = slice_skip(*text, digit < 0 ? 0 : bytes);
    return digit;
}

static void put_digit(struct buf *buf, int32_t c)
{
    int digit = unicode_char_digit((uint32_t)c);
    unicode_put(buf, digit < 0 ? c : '0' + digit);
}

enum wr_status unicode_digits(struct ctx *ctx, struct slice text, struct slice *out)
{
    return map_characters(ctx, text, put_digit, out);
}

/* ---- words ---- */

enum word_part { PART_NONE, PART_LETTER, PART_DIGIT, PART_KATAKANA, PART_JOINER, PART_MARK, PART_SINGLE, PART_MID };

static bool is_within(int32_t c, int32_t from, int32_t to)
{
    return c >= from && c <= to;
}

static bool is_ideograph(int32_t c)
{
    return is_within(c, 0x3041, 0x309F) || is_within(c, 0x3400, 0x4DBF) || is_within(c, 0x4E00, 0x9FFF) ||
           is_within(c, 0xF900, 0xFAFF) || is_within(c, 0x20000, 0x2FA1F) || c == 0x3005 || c == 0x3007;
}

static enum word_part part_of(int32_t c)
{
    static const struct {
        uint32_t categories;
        enum word_part part;
    } parts[] = {
        { LETTERS | CATEGORY(NL), PART_LETTER },
        { CATEGORY(ND), PART_DIGIT },
        { CATEGORY(PC), PART_JOINER },
        { CATEGORY(MN) | CATEGORY(MC) | CATEGORY(ME) | CATEGORY(CF), PART_MARK },
    };

    if (is_ideograph(c))
        return PART_SINGLE;
    if (is_within(c, 0x30A1, 0x30FF) || is_within(c, 0x31F0, 0x31FF) || is_within(c, 0xFF66, 0xFF9D))
        return c == 0x30FB ? PART_NONE : PART_KATAKANA;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (is_of(c, parts[i].categories))
            return parts[i].part;
    return PART_MID;
}

/* Between two letters (MidLetter, MidNumLet) and between two digits (MidNum, MidNumLet). */
static bool joins(int32_t c, enum word_part side)
{
    bool both = c == '.' || c == '\'' || c == 0x2018 || c == 0x2019 || c == 0x2024 || c == 0xFE52 || c == 0xFF07 || c == 0xFF0E;
    if (side == PART_LETTER)
        return both || c == ':' || c == 0xB7 || c == 0x387 || c == 0x2027 || c == 0xFE13 || c == 0xFE55 || c == 0xFF1A;
    return side == PART_DIGIT && (both || c == ',' || c == ';' || c == 0x37E || c == 0x589 || c == 0x60C || c == 0x66C);
}

/* Whether what stands at a place (its part given back) goes on from `last`; *at moves behind it, and behind what joins it. */
static bool goes_on(struct slice text, size_t *at, enum word_part *last)
{
    int32_t c, next;
    size_t n = character_at(text, *at, &c);
    enum word_part part = part_of(c);

    if (part == PART_MARK) {
        *at += n;
        return true;
    }
    if (part == PART_MID && *at + n < text.len && joins(c, *last)) {
        size_t more = character_at(text, *at + n, &next);
        if (part_of(next) != *last)
            return false;
        *at += n + more;
        return true;
    }
    bool words = part == PART_LETTER || part == PART_DIGIT;
    bool joined = *last == PART_JOINER || part == PART_JOINER;
    bool kept = words ? *last == PART_LETTER || *last == PART_DIGIT || joined
                      : part == PART_JOINER || (part == PART_KATAKANA && (*last == PART_KATAKANA || joined));
    if (!kept)
        return false;
    *last = part;
    *at += n;
    return true;
}

bool unicode_word(struct slice *rest, struct slice *word)
{
    struct slice text = *rest;
    int32_t c;

    for (size_t from = 0, n; from < text.len; from += n) {
        n = character_at(text, from, &c);
        enum word_part last = part_of(c);
        if (last != PART_LETTER && last != PART_DIGIT && last != PART_KATAKANA && last != PART_SINGLE && last != PART_JOINER)
            continue;
        size_t at = from + n;
        bool any = last != PART_JOINER;
        if (last != PART_SINGLE) {
            while (at < text.len && goes_on(text, &at, &last))
                any |= last != PART_JOINER;
        }
        n = at - from;
        if (!any)
            continue;
        *word = slice_of(text.data + from, n);
        *rest = slice_skip(text, at);
        return true;
    }
    *rest = SLICE_EMPTY;
    return false;
}

size_t unicode_java_part(struct slice text, bool begins)
{
    int32_t c;
    size_t n = text.len ? character_at(text, 0, &c) : 0;

    if (n == 0 || c > 0xFFFF)
        return 0;
    if (is_of(c, LETTERS | CATEGORY(NL) | CATEGORY(SC) | CATEGORY(PC)))
        return n;
    if (begins)
        return 0;
    bool ignorable = is_of(c, CATEGORY(CC)) && (c <= 8 || (c >= 0x0E && c <= 0x1B) || c >= 0x7F); /* Character.isIdentifierIgnorable */
    return ignorable || is_of(c, CATEGORY(ND) | CATEGORY(MC) | CATEGORY(MN) | CATEGORY(CF)) ? n : 0;
}

struct slice unicode_java_char(struct slice text)
{
    size_t len = 1;
    while (len < text.len && (text.data[len] & 0xC0) == 0x80)
        len++;
    return text.data[0] >= 0xF0 ? SLICE_LIT("?") : slice_of(text.data, len);
}
