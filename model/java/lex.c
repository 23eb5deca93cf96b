#include "model/java/lex.h"

#include "model/digit.h"
#include "model/java/tree.h"
#include "model/real.h"
#include "model/unicode.h"

static const char *const keywords[] = {
    "abstract", "assert",    "boolean",   "break",  "byte",     "case",  "catch",      "char",         "class",
    "const",    "continue",  "default",   "do",     "double",   "else",  "enum",       "extends",      "false",
    "final",    "finally",   "float",     "for",    "goto",     "if",    "implements", "import",       "instanceof",
    "int",      "interface", "long",      "native", "new",      "null",  "package",    "private",      "protected",
    "public",   "return",    "short",     "static", "strictfp", "super", "switch",     "synchronized", "this",
    "throw",    "throws",    "transient", "true",   "try",      "void",  "volatile",   "while",
};

/* Longest first. '>' stands alone, for `List<List<Integer>>`; the parser puts shifts together. */
static const char *const signs[] = {
    "<<=", "...", "++", "--", "&&", "||", "==", "!=", "<=", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=",  "^=",  "<<", "->", "::", "(",  ")",  "{",  "}",  "[",  "]",  ";",  ",",  ".",  "@",
    "=",   "<",   ">",  "!",  "~",  "?",  ":",  "+",  "-",  "*",  "/",  "&",  "|",  "^",  "%",
};

struct java_lexer {
    struct ctx *ctx;
    struct slice rest;
    uint32_t line;
};

static enum wr_status fail_at(struct java_lexer *l, const char *text)
{
    return fail(l->ctx, WR_INVALID, JAVA_ERROR_LIST "Line %u: %s\n", l->line, text);
}

static uint8_t byte_at(const struct java_lexer *l, size_t i)
{
    return i < l->rest.len ? l->rest.data[i] : 0;
}

static bool is_name_byte(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           c >= 0x80;
}

/* ---- \u0041, anywhere in the text ---- */

static enum wr_status translate(struct java_lexer *l)
{
    struct buf text;
    bool escaped = false;

    buf_init(&text, l->ctx->arena);
    for (size_t i = 0; i < l->rest.len;) {
        if (byte_at(l, i) != '\\' || escaped || byte_at(l, i + 1) != 'u') {
            escaped = byte_at(l, i) == '\\' && !escaped;
            l->line += byte_at(l, i) == '\n';
            buf_put_u8(&text, byte_at(l, i++));
            continue;
        }
        uint32_t c = 0;
        for (i++; byte_at(l, i) == 'u'; i++)
            ;
        for (int digit = 0; digit < 4; digit++, i++) {
            if (hex_digit(byte_at(l, i)) < 0)
                return fail_at(l, "Invalid unicode");
            c = c << 4 | (uint32_t)hex_digit(byte_at(l, i));
        }
        unicode_put(&text, c);
    }
    l->line = 1;
    return buf_done(l->ctx, &text, &l->rest);
}

/* ---- what is between tokens ---- */

static enum wr_status skip_space(struct java_lexer *l, bool *skipped)
{
    *skipped = false;
    for (;;) {
        uint8_t c = byte_at(l, 0), next = byte_at(l, 1);
        size_t n = 0;
        if (c == ' ' || c == '\t' || c == '\f' || c == '\r' || c == '\n') {
            n = 1;
        } else if (c == '/' && next == '/') {
            while (n < l->rest.len && l->rest.data[n] != '\n')
                n++;
        } else if (c == '/' && next == '*') {
            for (n = 2; n < l->rest.len && !(l->rest.data[n] == '*' && byte_at(l, n + 1) == '/'); n++)
                ;
            if (n >= l->rest.len)
                return fail_at(l, "Unexpected end of comment");
            n += 2;
        }
        if (!n)
            return WR_OK;
        for (size_t i = 0; i < n; i++)
            l->line += l->rest.data[i] == '\n';
        l->rest = slice_skip(l->rest, n);
        *skipped = true;
    }
}

/* ---- characters and strings ---- */

/* One character of the text, escapes resolved, as a code point; *len bytes of it. */
static enum wr_status read_character(struct java_lexer *l, size_t at, uint32_t *out, size_t *len)
{
    static const char from[] = "btnfr\"'\\", to[] = "\b\t\n\f\r\"'\\";
    uint8_t c = byte_at(l, at);
    const char *escape;

    if (c != '\\') {
        size_t more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0; /* a statement's text is UTF-8 */
        *out = more == 3 ? c & 7u : more == 2 ? c & 15u : more == 1 ? c & 31u : c;
        for (size_t i = 1; i <= more; i++)
            *out = *out << 6 | (byte_at(l, at + i) & 63u);
        *len = more + 1;
        return WR_OK;
    }
    c = byte_at(l, at + 1);
    if (c >= '0' && c <= '7') {
        size_t i = at + 1, most = c <= '3' ? 3 : 2;
        for (*out = 0; i < at + 1 + most && byte_at(l, i) >= '0' && byte_at(l, i) <= '7'; i++)
            *out = *out << 3 | (uint32_t)(byte_at(l, i) - '0');
        *len = i - at;
        return WR_OK;
    }
    if (!c || !(escape = strchr(from, c)))
        return fail_at(l, "Invalid escape sequence (valid ones are  \\b  \\t  \\n  \\f  \\r  \\\"  \\'  \\\\ )");
    *out = (uint8_t)to[escape - from];
    *len = 2;
    return WR_OK;
}

static void put_unit(struct buf *buf, uint32_t c)
{
    uint16_t units[2] = { (uint16_t)c, 0 };
    if (c < 0x10000) {
        buf_put(buf, units, sizeof *units);
        return;
    }
    units[0] = (uint16_t)(0xd800 + ((c - 0x10000) >> 10));
    units[1] = (uint16_t)(0xdc00 + (c & 0x3ff));
    buf_put(buf, units, sizeof units);
}

static enum wr_status lex_string(struct java_lexer *l, struct java_token *t, size_t *len)
{
    struct buf units;
    size_t at = 1, n;
    uint32_t c;

    if (byte_at(l, 1) == '"' && byte_at(l, 2) == '"')
        return fail_at(l, "The Java feature 'Text Blocks' is only available with source level 15 and above");
    buf_init(&units, l->ctx->arena);
    for (; byte_at(l, at) != '"'; at += n) {
        if (at >= l->rest.len || byte_at(l, at) == '\n')
            return fail_at(l, "String literal is not properly closed by a double-quote");
        TRY(read_character(l, at, &c, &n));
        put_unit(&units, c);
    }
    t->kind = JT_STRING;
    *len = at + 1;
    return buf_done(l->ctx, &units, &t->string);
}

static enum wr_status lex_char(struct java_lexer *l, struct java_token *t, size_t *len)
{
    size_t n = 1;
    uint32_t c = 0;

    if (byte_at(l, 1) && byte_at(l, 1) != '\'')
        TRY(read_character(l, 1, &c, &n));
    if (c > 0xffff || byte_at(l, 1) == '\'' || byte_at(l, 1 + n) != '\'')
        return fail_at(l, "Invalid character constant");
    t->kind = JT_CHAR;
    t->integer = c;
    *len = n + 2;
    return WR_OK;
}

/* ---- numbers ---- */

static bool is_digit_of(uint8_t c, unsigned base)
{
    if (base == 16 && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')))
        return true;
    return c >= '0' && c < '0' + (base < 10 ? base : 10);
}

static enum wr_status out_of_range(struct java_lexer *l, struct slice text, const char *type)
{
    return fail(l->ctx, WR_INVALID, JAVA_ERROR_LIST "Line %u: The literal %.*s of type %s is out of range \n", l->line,
                SLICE_ARG(text), type);
}

/* Whether an underscore in the first n bytes stands elsewhere than between digits. */
static bool is_split_badly(const struct java_lexer *l, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint8_t before = byte_at(l, i - 1), next = byte_at(l, i + 1);
        if (byte_at(l, i) == '_' && ((before != '_' && hex_digit(before) < 0) || (next != '_' && hex_digit(next) < 0)))
            return true;
    }
    return false;
}

static enum wr_status lex_integer(struct java_lexer *l, struct java_token *t, size_t from, unsigned base, size_t *len)
{
    uint64_t v = 0;
    bool over = false;
    size_t i = from;

    for (; is_digit_of(byte_at(l, i), base == 8 ? 10 : base) || byte_at(l, i) == '_'; i++) {
        uint8_t c = byte_at(l, i);
        if (c == '_')
            continue;
        unsigned digit = c <= '9' ? c - 48u : (c | 32u) - 'a' + 10u;
        if (digit >= base)
            return out_of_range(l, slice_of(l->rest.data, i + 1), "int");
        over |= v > (UINT64_MAX - digit) / base;
        v = v * base + digit;
    }
    if (i == from)
        return fail_at(l, base == 16 ? "Invalid hex literal number" : "Invalid binary literal number");
    if (is_split_badly(l, i))
        return fail_at(l, "Underscores have to be located within digits");
    bool is_long = (byte_at(l, i) | 32) == 'l';
    struct slice text = slice_of(l->rest.data, i + is_long);
    uint64_t most = is_long ? (uint64_t)INT64_MAX : INT32_MAX;
    t->kind = is_long ? JT_LONG : JT_INT;
    t->least = base == 10 && v == most + 1;
    if (over || (base == 10 ? v > most + 1 : v > (is_long ? UINT64_MAX : UINT32_MAX)))
        return out_of_range(l, text, is_long ? "long" : "int");
    t->integer = is_long ? (int64_t)v : (int32_t)(uint32_t)v;
    *len = i + is_long;
    return WR_OK;
}

/* 0x1.8p3: a hexadecimal number has an exponent where it is not whole. */
static bool is_hex_real(const struct java_lexer *l)
{
    size_t i = 2;
    while (hex_digit(byte_at(l, i)) >= 0 || byte_at(l, i) == '_' || byte_at(l, i) == '.')
        i++;
    return (byte_at(l, i) | 32) == 'p';
}

/* The digits from `from` on, underscores left out; the exponent's sign is one of them. */
static size_t read_digits(const struct java_lexer *l, size_t from, uint8_t exponent, struct buf *digits, bool *real)
{
    size_t i = from;
    for (bool past = false;; i++) {
        uint8_t c = byte_at(l, i), low = c | 32, next = byte_at(l, i + 1);
        if (c == '_')
            continue;
        if (!(c >= '0' && c <= '9') && c != '.' && low != exponent && (exponent != 'p' || past || hex_digit(c) < 0))
            return i;
        past |= low == exponent;
        *real |= c == '.' || low == exponent;
        buf_put_u8(digits, c);
        if (low == exponent && (next == '-' || next == '+'))
            buf_put_u8(digits, byte_at(l, ++i));
    }
}

/* No number of its type is near it: beyond the greatest, or between 0 and the least. */
static bool is_out_of_range(double v, struct slice digits, bool hex)
{
    size_t i = 0;
    while (i < digits.len && (digits.data[i] == '0' || digits.data[i] == '.' || (hex && i == 1)))
        i++;
    bool nothing = i == digits.len || (digits.data[i] | 32) == (hex ? 'p' : 'e');
    return v - v != 0 || (v == 0 && !nothing);
}

static enum wr_status lex_number(struct java_lexer *l, struct java_token *t, size_t *len)
{
    uint8_t second = byte_at(l, 1) | 32;
    bool real = false, hex = byte_at(l, 0) == '0' && second == 'x';
    struct buf digits;

    if (hex && !is_hex_real(l))
        return lex_integer(l, t, 2, 16, len);
    if (byte_at(l, 0) == '0' && second == 'b')
        return lex_integer(l, t, 2, 2, len);
    buf_init(&digits, l->ctx->arena);
    buf_put_str(&digits, hex ? "0x" : "");
    size_t i = read_digits(l, hex ? 2 : 0, hex ? 'p' : 'e', &digits, &real);
    uint8_t suffix = byte_at(l, i) | 32;
    if (!real && suffix != 'f' && suffix != 'd')
        return lex_integer(l, t, byte_at(l, 0) == '0' && i > 1 ? 1 : 0, byte_at(l, 0) == '0' && i > 1 ? 8 : 10, len);
    if (is_split_badly(l, i))
        return fail_at(l, "Underscores have to be located within digits");
    float narrow;
    if (digits.failed)
        return fail_nomem(l->ctx);
    t->kind = suffix == 'f' ? JT_FLOAT : JT_DOUBLE;
    if (suffix == 'f' ? !float_parse(buf_slice(&digits), &narrow) : !double_parse(buf_slice(&digits), &t->real))
        return fail_at(l, "Invalid float literal number");
    if (suffix == 'f')
        t->real = (double)narrow;
    *len = i + (suffix == 'f' || suffix == 'd');
    return is_out_of_range(t->real, buf_slice(&digits), hex)
               ? out_of_range(l, slice_of(l->rest.data, *len), suffix == 'f' ? "float" : "double")
               : WR_OK;
}

/* ---- tokens ---- */

static enum wr_status lex_sign(struct java_lexer *l, struct java_token *t, size_t *len)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t n = strlen(signs[i]);
        if (l->rest.len >= n && memcmp(l->rest.data, signs[i], n) == 0) {
            t->kind = JT_SIGN;
            *len = n;
            return WR_OK;
        }
    }
    return fail_at(l, "Syntax error on token \"Invalid Character\", delete this token");
}

static enum wr_status lex_token(struct java_lexer *l, struct java_token *t, size_t *len)
{
    uint8_t c = byte_at(l, 0);

    if (c == '"')
        return lex_string(l, t, len);
    if (c == '\'')
        return lex_char(l, t, len);
    if ((c >= '0' && c <= '9') || (c == '.' && byte_at(l, 1) >= '0' && byte_at(l, 1) <= '9'))
        return lex_number(l, t, len);
    if (!is_name_byte(c))
        return lex_sign(l, t, len);
    size_t n = 1;
    while (is_name_byte(byte_at(l, n)))
        n++;
    t->kind = JT_NAME;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (slice_eq_str(slice_of(l->rest.data, n), keywords[i]))
            t->kind = JT_KEYWORD;
    *len = n;
    return WR_OK;
}

enum wr_status java_lex(struct ctx *ctx, struct slice *text, struct java_token **out)
{
    struct java_lexer l = { ctx, *text, 1 };
    struct java_token *list, *t;
    size_t len;
    bool skipped;

    TRY(translate(&l));
    *text = l.rest;
    if (!(t = list = NEW_ARRAY(ctx, struct java_token, text->len + 1)))
        return WR_NOMEM;
    for (;; t++) {
        TRY(skip_space(&l, &skipped));
        t->line = l.line;
        t->glued = !skipped;
        if (!l.rest.len)
            break;
        TRY(lex_token(&l, t, &len));
        t->text = slice_of(l.rest.data, len);
        l.rest = slice_skip(l.rest, len);
    }
    *out = list;
    return WR_OK;
}
