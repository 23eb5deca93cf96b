/*
 * JSON text to a tree and strings back. The grammar is strict JSON; what stands behind the document is not looked at.
 * Messages, and the places in them, are those of the server's parser (Jackson), since drivers' users see them.
 */
#include "model/json.h"

#include <stdio.h>

#include "engine/format.h"
#include "engine/hash.h"
#include "engine/thread.h"
#include "model/digit.h"
#include "model/javatext.h"
#include "model/unicode.h"

#define SOURCE         "[Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); line: "
#define VALUE_EXPECTED "expected a valid value (JSON String, Number, Array, Object or token 'null', 'true' or 'false')"
#define TOKEN_EXPECTED "was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')"

enum { NUMBER_LEN_MAX = 1000, NAME_LEN_MAX = 50000, LOCATION_LEN = 64, INDEXED_MIN = 16 };

struct json_parser {
    struct ctx *ctx;
    struct slice text;
    size_t at;
    uint32_t depth, depth_most;
    size_t lone; /* of the string that was read last */
    const char *java_class; /* of the exception, once failed */
};

/* ---- errors ---- */

static const char parse_exception[] = "com.fasterxml.jackson.core.JsonParseException";
static const char eof_exception[] = "com.fasterxml.jackson.core.io.JsonEOFException";
static const char format_exception[] = "com.fasterxml.jackson.databind.exc.InvalidFormatException";
static const char input_exception[] = "com.fasterxml.jackson.databind.exc.MismatchedInputException";
static const char limit_exception[] = "com.fasterxml.jackson.core.exc.StreamConstraintsException";

static struct json_parser parser_of(struct ctx *ctx, struct slice text)
{
    enum { LEVEL_BYTES = 512 };
    return (struct json_parser){ .ctx = ctx, .text = text, .depth_most = thread_levels(JSON_DEPTH_MAX, LEVEL_BYTES), .java_class = parse_exception };
}

/* Line and column from 1; columns are UTF-16 units. */
static void print_location(const struct json_parser *p, size_t at, char *out, size_t size)
{
    uint32_t line = 1, column = 1;
    for (size_t i = 0; i < at && i < p->text.len; i++) {
        uint8_t c = p->text.data[i];
        if (c == '\n' || (c == '\r' && !(i + 1 < p->text.len && p->text.data[i + 1] == '\n'))) {
            line++;
            column = 1;
        } else if (c != '\r' && (c & 0xc0) != 0x80) {
            column += c >= 0xf0 ? 2 : 1;
        }
    }
    if (at > p->text.len)
        column += (uint32_t)(at - p->text.len);
    snprintf(out, size, "%u, column: %u]", line, column);
}

static enum wr_status fail_at(struct json_parser *p, const char *java_class, size_t at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static enum wr_status fail_at(struct json_parser *p, const char *java_class, size_t at, const char *format, ...)
{
    char text[ERROR_TEXT_MAX / 2], location[LOCATION_LEN];
    va_list args;
    va_start(args, format);
    format_message(text, sizeof text, format, args);
    va_end(args);
    print_location(p, at, location, sizeof location);
    p->java_class = java_class;
    return fail(p->ctx, WR_INVALID, "%s\n at " SOURCE "%s", text, location);
}

/* A character as messages show it, whole though it may be several bytes: 'x' (code 120). */
static void describe_char(const struct json_parser *p, size_t at, char *out, size_t size)
{
    struct slice s = slice_skip(p->text, at);
    uint8_t first = s.data[0];
    size_t n = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    n = n < s.len ? n : s.len;
    uint32_t code = n == 1 ? first : first & (0x7fu >> n);
    for (size_t i = 1; i < n; i++)
        code = code << 6 | (s.data[i] & 0x3f);
    if (code < ' ' || (code >= 0x7f && code < 0xa0))
        snprintf(out, size, "(CTRL-CHAR, code %u)", code);
    else if (code > 0xFFFF) /* the first of its two halves */
        snprintf(out, size, "'?' (code %u / 0x%x)", 0xD7C0 + (code >> 10), 0xD7C0 + (code >> 10));
    else if (code > 0xFF)
        snprintf(out, size, "'%.*s' (code %u / 0x%x)", (int)n, (const char *)s.data, code, code);
    else
        snprintf(out, size, "'%.*s' (code %u)", (int)n, (const char *)s.data, code);
}

/* Inside of a token or right behind a number, whatever the character is. */
static enum wr_status fail_char_from(struct json_parser *p, size_t char_at, size_t at, const char *after)
{
    char shown[LOCATION_LEN];
    describe_char(p, char_at, shown, sizeof shown);
    return fail_at(p, parse_exception, at, "Unexpected character (%s)%s", shown, after);
}

/* Between tokens. */
static enum wr_status fail_char(struct json_parser *p, const char *after)
{
    char shown[LOCATION_LEN];
    describe_char(p, p->at, shown, sizeof shown);
    if (p->text.data[p->at] < ' ')
        return fail_at(p, parse_exception, p->at + 1,
                       "Illegal character (%s): only regular white space (\\r, \\n, \\t) is allowed between tokens",
                       shown);
    if (p->text.data[p->at] == '/')
        after = ": maybe a (non-standard) comment? (not recognized as one since Feature 'ALLOW_COMMENTS' not enabled "
                "for parser)";
    return fail_char_from(p, p->at, p->at, after);
}

static enum wr_status fail_end(struct json_parser *p, const char *after)
{
    return fail_at(p, eof_exception, p->text.len, "Unexpected end-of-input%s", after);
}

static enum wr_status fail_limit(struct json_parser *p, const char *what, unsigned is, unsigned most, const char *name)
{
    p->java_class = limit_exception;
    return fail(p->ctx, WR_INVALID, "%s (%u) exceeds the maximum allowed (%u, from `StreamReadConstraints.%s()`)", what,
                is, most, name);
}

/* ---- tokens ---- */

static int peek(const struct json_parser *p)
{
    return p->at < p->text.len ? p->text.data[p->at] : -1;
}

static void skip_blanks(struct json_parser *p)
{
    while (p->at < p->text.len && strchr(" \t\r\n", p->text.data[p->at]) && p->text.data[p->at])
        p->at++;
}

static enum wr_status fail_token(struct json_parser *p, size_t from)
{
    for (size_t n; (n = unicode_java_part(slice_skip(p->text, p->at), false)) > 0;)
        p->at += n;
    struct slice word = slice_of(p->text.data + from, p->at - from);
    if (slice_eq_str(word, "NaN") || slice_eq_str(word, "Infinity") || slice_eq_str(word, "-Infinity") ||
        slice_eq_str(word, "-INF") || slice_eq_str(word, "+Infinity") || slice_eq_str(word, "+INF"))
        return fail_at(p, parse_exception, p->at,
                       "Non-standard token '%.*s': enable `JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS` to allow",
                       SLICE_ARG(word));
    return fail_at(p, parse_exception, p->at, "Unrecognized token '%.*s': " TOKEN_EXPECTED, SLICE_ARG(word));
}

static enum wr_status parse_word(struct json_parser *p, struct json *out)
{
    static const struct {
        const char *word;
        enum json_kind kind;
    } words[] = { { "null", JSON_NULL }, { "true", JSON_TRUE }, { "false", JSON_FALSE } };
    struct slice rest = slice_skip(p->text, p->at);
    size_t from = p->at;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i].word);
        if (!slice_has_prefix(rest, slice_str(words[i].word)) || unicode_java_part(slice_skip(rest, n), false))
            continue;
        p->at += n;
        out->kind = words[i].kind;
        return WR_OK;
    }
    return fail_token(p, from);
}

/* Returns how many there were. */
static size_t skip_digits(struct json_parser *p)
{
    size_t from = p->at;
    while (p->at < p->text.len && is_digit(p->text.data[p->at]))
        p->at++;
    return p->at - from;
}

struct number { /* how many digits; as Jackson reads it */
    size_t whole, fraction, exponent;
    size_t whole_end; /* where it says that anything behind it is wrong, but for a whole part of 0 */
    bool zero;
};

/* Where one begins with 0 or the text ends with it, it takes a fraction or an exponent that is not there for -1. */
static enum wr_status check_digits(struct json_parser *p, const struct number *n)
{
    size_t digits = n->whole + n->fraction + n->exponent;

    if ((n->zero || p->at == p->text.len) && (n->fraction == 0) != (n->exponent == 0))
        digits--;
    return digits > NUMBER_LEN_MAX ? fail_limit(p, "Number value length", (unsigned)digits, NUMBER_LEN_MAX, "getMaxNumberLength") : WR_OK;
}

/* Behind a minus that no digit follows, or a plus, which no number has. As Jackson's _handleInvalidNumberStart has it, the two letters after the
 * sign tell an infinity. */
static enum wr_status fail_sign(struct json_parser *p, size_t sign)
{
    bool minus = p->text.data[sign] == '-';
    if (peek(p) == -1)
        return fail_end(p, minus ? "No digit following sign" : " in a Number value");
    if (peek(p) == 'I') {
        p->at++;
        if (peek(p) == -1)
            return fail_end(p, " in a Number value");
        if (peek(p) == 'N' || peek(p) == 'n')
            return fail_token(p, sign);
    }
    if (minus && peek(p) == '.') /* it may be a number without a whole part, were these allowed */
        return fail_char_from(p, p->at, p->at, ": " VALUE_EXPECTED);
    return minus ? fail_char_from(p, p->at, p->at,
                                  " in numeric value: expected digit (0-9) to follow minus sign, for valid numeric value")
                 : fail_char_from(p, sign, p->at,
                                  " in numeric value: JSON spec does not allow numbers to have plus signs: enable "
                                  "`JsonReadFeature.ALLOW_LEADING_PLUS_SIGN_FOR_NUMBERS` to allow");
}

static bool is_at_digit(const struct json_parser *p)
{
    return p->at < p->text.len && is_digit(p->text.data[p->at]);
}

static enum wr_status parse_whole(struct json_parser *p, struct number *n)
{
    size_t from = p->at;

    if (peek(p) == '-' || peek(p) == '+') {
        p->at++;
        if (p->text.data[from] == '+' || !is_at_digit(p))
            return fail_sign(p, from);
    }
    size_t first = p->at;
    n->whole = skip_digits(p);
    n->whole_end = p->at;
    n->zero = n->whole == 1 && p->text.data[first] == '0';
    if (n->whole > 1 && p->text.data[first] == '0')
        return fail_at(p, parse_exception, first + 1, "Invalid numeric value: Leading zeroes not allowed");
    return WR_OK;
}

static enum wr_status parse_fraction(struct json_parser *p, struct number *n)
{
    p->at++;
    if (peek(p) == -1)
        return fail_char_from(p, n->whole_end, n->whole_end, " in numeric value: Decimal point not followed by a digit");
    if (!is_at_digit(p))
        return fail_char_from(p, p->at, n->zero ? p->at : n->whole_end, " in numeric value: Decimal point not followed by a digit");
    n->fraction = skip_digits(p);
    return WR_OK;
}

static enum wr_status parse_exponent(struct json_parser *p, struct number *n)
{
    p->at++;
    if (peek(p) == '+' || peek(p) == '-')
        p->at++;
    if (peek(p) == -1)
        return fail_end(p, "expected a digit for number exponent");
    if (!is_at_digit(p))
        return fail_char_from(p, p->at, n->zero ? p->at : n->whole_end, " in numeric value: Exponent indicator not followed by a digit");
    n->exponent = skip_digits(p);
    return WR_OK;
}

static enum wr_status parse_number(struct json_parser *p, struct json *out)
{
    struct number n = { 0 };
    size_t from = p->at;

    TRY(parse_whole(p, &n));
    if (peek(p) == '.')
        TRY(parse_fraction(p, &n));
    if (peek(p) == 'e' || peek(p) == 'E')
        TRY(parse_exponent(p, &n));
    out->kind = p->at == n.whole_end ? JSON_INTEGER : JSON_FLOAT;
    out->text = slice_of(p->text.data + from, p->at - from);
    return check_digits(p, &n);
}

/* Four hexadecimal digits, at p->at. */
static enum wr_status parse_unit(struct json_parser *p, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++, p->at++) {
        if (peek(p) == -1)
            return fail_end(p, " in character escape sequence");
        int digit = hex_digit(p->text.data[p->at]);
        if (digit < 0)
            return fail_char_from(p, p->at, p->at, ": expected a hex-digit for character escape sequence");
        *out = *out << 4 | (uint32_t)digit;
    }
    return WR_OK;
}

/* Behind the backslash and u. Half a pair alone becomes a question mark, as in Java's own UTF-8. */
static enum wr_status parse_unicode(struct json_parser *p, struct buf *buf)
{
    uint32_t unit, low;
    TRY(parse_unit(p, &unit));
    if (unit >= 0xd800 && unit < 0xdc00 && p->at + 1 < p->text.len && p->text.data[p->at] == '\\' &&
        p->text.data[p->at + 1] == 'u') {
        size_t back = p->at;
        p->at += 2;
        TRY(parse_unit(p, &low));
        if (low >= 0xdc00 && low < 0xe000) {
            unicode_put(buf, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
            return WR_OK;
        }
        p->at = back;
    }
    bool alone = unit >= 0xd800 && unit < 0xe000;
    unicode_put(buf, alone ? '?' : unit);
    if (alone && !p->lone)
        p->lone = buf->len;
    return WR_OK;
}

static enum wr_status parse_escape(struct json_parser *p, struct buf *buf)
{
    static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    int c = peek(p);
    if (c == -1)
        return fail_end(p, " in character escape sequence");
    const char *letter = c ? strchr(letters, c) : NULL;
    if (c != 'u' && !letter) {
        char shown[LOCATION_LEN];
        describe_char(p, p->at, shown, sizeof shown);
        return fail_at(p, parse_exception, p->at, "Unrecognized character escape %s", shown);
    }
    p->at++;
    if (!letter)
        return parse_unicode(p, buf);
    buf_put_u8(buf, (uint8_t)values[letter - letters]);
    return WR_OK;
}

/* At the opening quote. Borrows from the text where nothing is escaped. */
static enum wr_status parse_string(struct json_parser *p, bool is_name, struct slice *out)
{
    struct buf buf;
    bool copied = false;
    size_t from = ++p->at;
    p->lone = 0;
    buf_init(&buf, p->ctx->arena);
    for (;;) {
        size_t run = p->at;
        while (p->at < p->text.len && p->text.data[p->at] != '"' && p->text.data[p->at] != '\\' &&
               p->text.data[p->at] >= ' ')
            p->at++;
        if (copied)
            buf_put(&buf, p->text.data + run, p->at - run);
        int c = peek(p);
        if (c == -1)
            return fail_end(p, is_name ? " in field name" : ": was expecting closing quote for a string value");
        if (c < ' ')
            return fail_at(p, parse_exception, p->at,
                           "Illegal unquoted character ((CTRL-CHAR, code %d)): has to be escaped using backslash to be "
                           "included in %s",
                           c, is_name ? "name" : "string value");
        p->at++;
        if (c == '"')
            break;
        if (!copied)
            buf_put(&buf, p->text.data + from, p->at - 1 - from);
        copied = true;
        TRY(parse_escape(p, &buf));
    }
    if (copied)
        return buf_done(p->ctx, &buf, out);
    *out = slice_of(p->text.data + from, p->at - 1 - from);
    return WR_OK;
}

/* ---- arrays and objects ---- */

static enum wr_status parse_value(struct json_parser *p, struct json *out);

static enum wr_status fail_close(struct json_parser *p, char expected, const char *what, size_t opened)
{
    char location[LOCATION_LEN];
    if (!expected)
        return fail_at(p, parse_exception, p->at, "Unexpected close marker '%c': no open %s to close",
                       p->text.data[p->at], p->text.data[p->at] == ']' ? "Array" : "Object");
    print_location(p, opened, location, sizeof location);
    return fail_at(p, parse_exception, p->at,
                   "Unexpected close marker '%c': expected '%c' (for %s starting at " SOURCE "%s)", p->text.data[p->at],
                   expected, what, location);
}

static enum wr_status fail_unclosed(struct json_parser *p, const char *what, size_t opened)
{
    char location[LOCATION_LEN];
    print_location(p, opened, location, sizeof location);
    return fail_at(p, eof_exception, p->text.len,
                   "Unexpected end-of-input: expected close marker for %s (start marker at " SOURCE "%s)", what,
                   location);
}

/* Members of one object by their keys, so that a key seen again is found without looking at all of them. */
struct members {
    struct json **slots; /* NULL while they are few */
    size_t mask;
};

static struct json **find_slot(const struct members *m, struct slice key)
{
    size_t i = hash64(key) & m->mask;
    while (m->slots[i] && !slice_eq(m->slots[i]->key, key))
        i = (i + 1) & m->mask;
    return &m->slots[i];
}

static enum wr_status index_members(struct ctx *ctx, struct members *m, const struct json *object)
{
    size_t size = 2ul * INDEXED_MIN;
    while (size < (size_t)object->count * 4)
        size *= 2;
    if (!(m->slots = NEW_ARRAY(ctx, struct json *, size)))
        return WR_NOMEM;
    m->mask = size - 1;
    for (const struct json *j = object->first; j; j = j->next)
        *find_slot(m, j->key) = (struct json *)j;
    return WR_OK;
}

static struct json *find_member(const struct members *m, const struct json *object, struct slice key)
{
    if (m->slots)
        return *find_slot(m, key);
    const struct json *j = object->first;
    while (j && !slice_eq(j->key, key))
        j = j->next;
    return (struct json *)j;
}

static enum wr_status parse_name(struct json_parser *p, struct slice *out)
{
    TRY(parse_string(p, true, out));
    size_t units = unicode_java_length(*out);
    return units > NAME_LEN_MAX ? fail_limit(p, "Name length", (unsigned)units, NAME_LEN_MAX, "getMaxNameLength") : WR_OK;
}

/* The last of members with one key gives the value, the first the place (LinkedHashMap). */
static enum wr_status parse_member(struct json_parser *p, struct json *object, struct members *m, struct json ***last)
{
    struct slice key;
    TRY(parse_name(p, &key));
    size_t key_lone = p->lone;
    skip_blanks(p);
    if (peek(p) == -1)
        return fail_end(p, " within/between Object entries");
    if (peek(p) != ':')
        return fail_char(p, ": was expecting a colon to separate field name and value");
    p->at++;
    skip_blanks(p);
    if (peek(p) == -1)
        return fail_end(p, " within/between Object entries");
    struct json *member = find_member(m, object, key), value = { .key = key, .key_lone = key_lone };
    TRY(parse_value(p, &value));
    if (member) {
        value.next = member->next;
        *member = value;
        return WR_OK;
    }
    if (!(member = NEW(p->ctx, struct json)))
        return WR_NOMEM;
    *member = value;
    **last = member;
    *last = (struct json **)&member->next;
    object->count++;
    if (m->slots && (size_t)object->count * 2 <= m->mask)
        *find_slot(m, key) = member;
    else if (object->count >= INDEXED_MIN)
        TRY(index_members(p->ctx, m, object));
    return WR_OK;
}

static enum wr_status parse_item(struct json_parser *p, struct json *array, struct json ***last)
{
    struct json *item = NEW(p->ctx, struct json);
    if (!item)
        return WR_NOMEM;
    if (peek(p) == '}')
        return fail_char(p, ": expected a value");
    TRY(parse_value(p, item));
    **last = item;
    *last = (struct json **)&item->next;
    array->count++;
    return WR_OK;
}

static enum wr_status parse_container(struct json_parser *p, struct json *out)
{
    bool object = p->text.data[p->at] == '{';
    const char *what = object ? "Object" : "Array";
    const char close = object ? '}' : ']', other = object ? ']' : '}';
    size_t opened = p->at++;
    struct members members = { 0 };
    struct json **last = (struct json **)&out->first;
    out->kind = object ? JSON_OBJECT : JSON_ARRAY;
    for (bool first = true;; first = false) {
        skip_blanks(p);
        if (peek(p) == -1)
            return fail_unclosed(p, what, opened);
        if (peek(p) == close) {
            p->at++;
            return WR_OK;
        }
        if (peek(p) == other)
            return fail_close(p, close, what, opened);
        if (!first) {
            if (peek(p) != ',')
                return fail_char(p, object ? ": was expecting comma to separate Object entries"
                                           : ": was expecting comma to separate Array entries");
            p->at++;
            skip_blanks(p);
            if (peek(p) == -1)
                return fail_at(p, parse_exception, p->text.len, "Unexpected end-of-input within/between %s entries", what);
        }
        if (!object)
            TRY(parse_item(p, out, &last));
        else if (peek(p) == '"')
            TRY(parse_member(p, out, &members, &last));
        else
            return fail_char(p, ": was expecting double-quote to start field name");
    }
}

/* At a character. Recursion is bounded by depth_most. */
static enum wr_status parse_value(struct json_parser *p, struct json *out)
{
    int c = peek(p);
    if (c == '{' || c == '[') {
        if (++p->depth > p->depth_most)
            return fail_limit(p, "Document nesting depth", p->depth, p->depth_most, "getMaxNestingDepth");
        TRY(parse_container(p, out));
        p->depth--;
        return WR_OK;
    }
    if (c == '"') {
        out->kind = JSON_STRING;
        TRY(parse_string(p, false, &out->text));
        out->lone = p->lone;
        return WR_OK;
    }
    if (c == '-' || c == '+' || is_digit((uint8_t)c))
        return parse_number(p, out);
    if ((c == '}' || c == ']') && p->depth == 0)
        return fail_close(p, 0, NULL, 0);
    if (unicode_java_part(slice_skip(p->text, p->at), true))
        return parse_word(p, out);
    return fail_char(p, ": " VALUE_EXPECTED);
}

static enum wr_status parse_root(struct json_parser *p, struct json *out)
{
    skip_blanks(p);
    if (peek(p) == -1) {
        p->java_class = input_exception;
        return fail(p->ctx, WR_INVALID, "No content to map due to end-of-input\n at " SOURCE "1]");
    }
    TRY(parse_value(p, out));
    bool number = out->kind == JSON_INTEGER || out->kind == JSON_FLOAT;
    if (number && peek(p) != -1 && !memchr(" \t\r\n", peek(p), 4))
        return fail_char_from(p, p->at, p->at, ": Expected space separating root-level values");
    return WR_OK;
}

enum wr_status json_parse(struct ctx *ctx, struct slice text, bool named, const struct json **out)
{
    struct json_parser p = parser_of(ctx, text);
    struct json *root = NEW(ctx, struct json);
    if (!root)
        return WR_NOMEM;
    enum wr_status st = parse_root(&p, root);
    if (st == WR_INVALID) {
        const char *cause = ctx_format(ctx, "%s", ctx->error);
        return cause ? fail(ctx, st, "%s: %s", named ? p.java_class : "Error decoding JSON string", cause) : WR_NOMEM;
    }
    *out = root;
    return st;
}

/* What the document begins with, where that is no object; the rest of it is not looked at then. */
static enum wr_status check_is_map(struct json_parser *p)
{
    static const char *const tokens[] = {
        [JSON_FALSE] = "Boolean value (token `JsonToken.VALUE_FALSE`)",
        [JSON_TRUE] = "Boolean value (token `JsonToken.VALUE_TRUE`)",
        [JSON_INTEGER] = "Integer value (token `JsonToken.VALUE_NUMBER_INT`)",
        [JSON_FLOAT] = "Floating-point value (token `JsonToken.VALUE_NUMBER_FLOAT`)",
        [JSON_ARRAY] = "Array value (token `JsonToken.START_ARRAY`)",
    };
    struct json_parser ahead = *p;
    struct json value = { .kind = JSON_ARRAY };
    skip_blanks(&ahead);
    size_t from = ahead.at;
    int c = peek(&ahead);
    if (c == -1 || c == '{')
        return WR_OK;
    if (c != '[') {
        enum wr_status st = parse_root(&ahead, &value);
        p->java_class = ahead.java_class;
        TRY(st);
    }
    if (value.kind == JSON_NULL)
        return WR_OK;
    if (value.kind == JSON_STRING)
        value.text = java_trim(value.text);
    if (value.kind == JSON_STRING && !value.text.len)
        return fail_at(
            p, format_exception, from,
            "Cannot coerce empty String (\"\") to element of `java.util.LinkedHashMap` (but could if coercion was "
            "enabled using `CoercionConfig`)");
    if (value.kind == JSON_STRING)
        return fail_at(
            p, input_exception, from,
            "Cannot construct instance of `java.util.LinkedHashMap` (although at least one Creator exists): no "
            "String-argument constructor/factory method to deserialize from String value ('%.*s')",
            SLICE_ARG(value.text));
    return fail_at(
        p, input_exception, from,
        "Cannot deserialize value of type `java.util.LinkedHashMap<java.lang.Object,java.lang.Object>` from %s",
        tokens[value.kind]);
}

enum wr_status json_parse_map(struct ctx *ctx, struct slice text, const struct json **out)
{
    struct json_parser p = parser_of(ctx, text);
    struct json *root = NEW(ctx, struct json);
    if (!root)
        return WR_NOMEM;
    enum wr_status st = check_is_map(&p);
    if (st == WR_OK)
        st = parse_root(&p, root);
    if (st == WR_INVALID) {
        const char *cause = ctx_format(ctx, "%s", ctx->error);
        return cause ? fail(ctx, st, "Could not decode JSON string as a map: %s: %s. (String was: %.*s)", p.java_class,
                            cause, SLICE_ARG(text))
                     : WR_NOMEM;
    }
    *out = root;
    return st;
}

/* ---- strings out ---- */

void json_put_escaped(struct buf *buf, struct slice text)
{
    static const char letters[] = "btn?fr"; /* of codes 8 to 13; 11 has none */
    size_t run = 0;
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = text.data[i];
        if (c >= ' ' && c != '"' && c != '\\')
            continue;
        buf_put(buf, text.data + run, i - run);
        run = i + 1;
        if (c == '"' || c == '\\')
            buf_put(buf, (uint8_t[]){ '\\', c }, 2);
        else if (c >= 8 && c <= 13 && c != 11)
            buf_put(buf, (char[]){ '\\', letters[c - 8] }, 2);
        else
            buf_printf(buf, "\\u%04X", c);
    }
    buf_put(buf, text.data + run, text.len - run);
}

void json_put_name(struct buf *buf, struct slice name)
{
    bool lower = unicode_is_lower(name);
    buf_put_str(buf, lower ? "\"" : "\"\\\"");
    json_put_escaped(buf, name);
    buf_put_str(buf, lower ? "\"" : "\\\"\"");
}

void json_put_string(struct buf *buf, struct slice text)
{
    buf_put_u8(buf, '"');
    json_put_escaped(buf, text);
    buf_put_u8(buf, '"');
}
