/* String.format: formats, texts, whole numbers. */
#include "model/java/big.h"
#include "model/java/format.h"

#include <stdio.h>

#include "model/unicode.h"

static const char flag_signs[] = "-#+ 0,(<";

/* ---- what is wrong ---- */

/* Flags as they are named together. */
static const char *flags_text(unsigned flags, char *text)
{
    size_t n = 0;
    for (size_t i = 0; flag_signs[i]; i++)
        if (flags >> i & 1)
            text[n++] = flag_signs[i];
    text[n] = 0;
    return text;
}

static char shown_kind(const struct conversion *c)
{
    return c->upper && c->kind >= 'a' && c->kind <= 'z' ? (char)(c->kind - 32) : c->kind;
}

/* The conversion as it could be written. */
static bool throw_specifier(struct java_run *run, enum java_kind kind, const char *before, const struct conversion *c,
                            const char *behind)
{
    char flags[sizeof flag_signs], index[16] = "", width[16] = "", precision[16] = "";
    if (c->index > 0)
        snprintf(index, sizeof index, "%d$", c->index);
    if (c->width >= 0)
        snprintf(width, sizeof width, "%d", c->width);
    if (c->precision >= 0)
        snprintf(precision, sizeof precision, ".%d", c->precision);
    return java_throw(run, kind, "%s%%%s%s%s%s%s%c%s", before, flags_text(c->flags, flags), index, width, precision,
                      c->time ? c->upper ? "T" : "t" : "", shown_kind(c), behind);
}

/* Throws for the first. */
static bool check_flags(struct java_run *run, const struct conversion *c, unsigned flags)
{
    static const unsigned order[] = { FORMAT_ALTERNATE, FORMAT_PLUS,  FORMAT_SPACE,
                                      FORMAT_ZERO,      FORMAT_GROUP, FORMAT_PARENTHESES };
    char text[sizeof flag_signs];
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (c->flags & flags & order[i])
            return java_throw(run, J_FORMAT_MISMATCH, "Conversion = %c, Flags = %s", c->kind,
                              flags_text(order[i], text));
    return true;
}

bool format_bad_class(struct java_run *run, const struct conversion *c, const struct java_object *o)
{
    return java_throw(run, J_FORMAT_CONVERSION, "%c != %s", c->kind, java_class_text(run, o));
}

static bool check_width(struct java_run *run, const struct conversion *c, unsigned needing)
{
    return !(c->flags & needing) || c->width >= 0 || throw_specifier(run, J_FORMAT_NO_WIDTH, "", c, "");
}

static bool check_no_precision(struct java_run *run, const struct conversion *c)
{
    return c->precision < 0 || java_throw(run, J_FORMAT_PRECISION, "%d", c->precision);
}

/* Capitals count as a flag here, the second. */
static bool bad_flags(struct java_run *run, const struct conversion *c)
{
    char text[sizeof flag_signs];
    const char *first = c->flags & FORMAT_LEFT ? "-" : "";
    return java_throw(run, J_FORMAT_FLAGS, "Flags = '%s%s%s'", first, c->upper ? "^" : "",
                      flags_text(c->flags & ~(unsigned)FORMAT_LEFT, text));
}

static bool check_number(struct java_run *run, const struct conversion *c)
{
    enum { BOTH_SIGNS = FORMAT_PLUS | FORMAT_SPACE, BOTH_SIDES = FORMAT_LEFT | FORMAT_ZERO };
    if (!check_width(run, c, FORMAT_LEFT | FORMAT_ZERO))
        return false;
    return ((c->flags & BOTH_SIGNS) != BOTH_SIGNS && (c->flags & BOTH_SIDES) != BOTH_SIDES) || bad_flags(run, c);
}

static bool check_fixed(struct java_run *run, const struct conversion *c)
{
    if (!check_no_precision(run, c))
        return false;
    if (c->kind == 'n' && c->width >= 0)
        return java_throw(run, J_FORMAT_WIDTH, "%d", c->width);
    if (c->kind == 'n' ? c->flags != 0 : c->flags & ~(unsigned)FORMAT_LEFT)
        return bad_flags(run, c);
    return check_width(run, c, FORMAT_LEFT);
}

/* What is wrong with one before any argument is looked at. */
static bool check_conversion(struct java_run *run, const struct conversion *c)
{
    enum { OF_NUMBERS = FORMAT_PLUS | FORMAT_SPACE | FORMAT_ZERO | FORMAT_GROUP | FORMAT_PARENTHESES };
    if (c->time) {
        if (!check_no_precision(run, c))
            return false;
        if (!format_is_time(c->kind))
            return java_throw(run, J_FORMAT_UNKNOWN, "Conversion = 't%c'", c->kind);
        return check_flags(run, c, FORMAT_ALTERNATE | OF_NUMBERS) && check_width(run, c, FORMAT_LEFT);
    }
    switch (c->kind) {
    case 'b':
    case 'h':
        if (!check_flags(run, c, FORMAT_ALTERNATE))
            return false;
        /* fall through */
    case 's':
        return check_width(run, c, FORMAT_LEFT) && check_flags(run, c, OF_NUMBERS);
    case 'c':
        return check_no_precision(run, c) && check_flags(run, c, FORMAT_ALTERNATE | OF_NUMBERS) &&
               check_width(run, c, FORMAT_LEFT);
    case 'd':
    case 'o':
    case 'x':
        return check_number(run, c) && check_no_precision(run, c) &&
               check_flags(run, c, c->kind == 'd' ? FORMAT_ALTERNATE : FORMAT_GROUP);
    case '%':
    case 'n':
        return check_fixed(run, c);
    default:
        return check_number(run, c) && (c->kind != 'a' || check_flags(run, c, FORMAT_PARENTHESES)) &&
               check_flags(run, c,
                               c->kind == 'a' || c->kind == 'e' ? FORMAT_GROUP
                               : c->kind == 'g'                 ? FORMAT_ALTERNATE
                                                                : 0);
    }
}

/* ---- formats ---- */

static bool is_digit(uint16_t c)
{
    return c >= '0' && c <= '9';
}

/* The digits from *at on; INT32_MIN: too great. */
static int32_t read_number(const struct java_object *s, uint32_t *at)
{
    int64_t v = 0;
    for (; *at < s->string.len && is_digit(s->string.units[*at]); ++*at)
        v = v > INT32_MAX ? v : v * 10 + s->string.units[*at] - '0';
    return v > INT32_MAX ? INT32_MIN : (int32_t)v;
}

static uint16_t unit_at(const struct java_object *s, uint32_t at)
{
    return at < s->string.len ? s->string.units[at] : 0;
}

/* The conversion whose % stands in front of *at. */
static bool read_conversion(struct java_run *run, const struct java_object *s, uint32_t *at, struct conversion *c)
{
    uint32_t i = *at, digits = i;
    unsigned twice = 0;
    bool indexed = false;
    const char *sign;

    *c = (struct conversion){ .width = -1, .precision = -1 };
    int32_t number = read_number(s, &i);
    if (i > digits && unit_at(s, i) == '$') {
        c->index = number;
        indexed = true;
        i++;
    } else {
        i = *at;
    }
    for (; unit_at(s, i) && unit_at(s, i) < 128 && (sign = strchr(flag_signs, (char)unit_at(s, i))); i++) {
        unsigned flag = 1u << (sign - flag_signs);
        twice |= twice ? 0 : c->flags & flag;
        c->flags |= flag;
    }
    if (is_digit(unit_at(s, i)))
        c->width = read_number(s, &i);
    if (unit_at(s, i) == '.' && is_digit(unit_at(s, i + 1))) {
        i++;
        c->precision = read_number(s, &i);
    }
    uint16_t kind = unit_at(s, i), after = unit_at(s, i + 1);
    if ((kind | 32) == 't' && (after == '%' || ((after | 32) >= 'a' && (after | 32) <= 'z'))) {
        c->time = true;
        c->upper = kind == 'T';
        kind = after;
        i++;
    }
    if (kind != '%' && !((kind | 32) >= 'a' && (kind | 32) <= 'z'))
        return java_throw(run, J_FORMAT_UNKNOWN, "Conversion = '%c'",
                          unit_at(s, *at) && unit_at(s, *at) < 128 ? (char)unit_at(s, *at) : '%');
    *at = i + 1;
    c->kind = (char)kind;
    if (indexed && c->index <= 0)
        return java_throw(run, J_FORMAT_INDEX, "Illegal format argument index = %d", c->index);
    if (twice) {
        char text[sizeof flag_signs];
        return java_throw(run, J_FORMAT_DUPLICATE, "Flags = '%s'", flags_text(twice, text));
    }
    if (c->flags & FORMAT_PREVIOUS)
        c->index = -1;
    if (c->width == INT32_MIN)
        return java_throw(run, J_FORMAT_WIDTH, "%d", c->width);
    if (c->precision == INT32_MIN)
        return java_throw(run, J_FORMAT_PRECISION, "%d", c->precision);
    if (!c->time && !strchr("bBhHsScCdoxXeEgGfaA%n", c->kind))
        return java_throw(run, J_FORMAT_UNKNOWN, "Conversion = '%c'", c->kind);
    if (!c->time && c->kind >= 'A' && c->kind <= 'Z') {
        c->upper = true;
        c->kind = (char)(c->kind + 32);
    }
    if (!c->time && (c->kind == '%' || c->kind == 'n'))
        c->index = -2;
    return check_conversion(run, c);
}

/* ---- texts ---- */

void format_put_padded(struct buf *out, const struct conversion *c, const struct buf *utf16)
{
    int32_t len = (int32_t)(utf16->len / sizeof(uint16_t));
    for (int32_t i = len; i < c->width && !(c->flags & FORMAT_LEFT); i++)
        java_put_ascii(out, " ", 1);
    buf_put(out, utf16->data, utf16->len);
    for (int32_t i = len; i < c->width && c->flags & FORMAT_LEFT; i++)
        java_put_ascii(out, " ", 1);
    out->failed |= utf16->failed;
}

/* As long as the precision lets it be, in capitals where they are asked for. */
static bool put_text(struct java_run *run, struct buf *out, const struct conversion *c, struct buf *utf16)
{
    struct buf capitals;
    union java_value text;
    struct slice utf8;

    if (c->precision >= 0 && utf16->len > (size_t)c->precision * sizeof(uint16_t))
        utf16->len = (size_t)c->precision * sizeof(uint16_t);
    if (!c->upper) {
        format_put_padded(out, c, utf16);
        return true;
    }
    if (!java_give_text(run, utf16, &text) || !java_utf8(run, text.o, &utf8) ||
        !java_ok(run, unicode_upper(run->ctx, utf8, &utf8)) || !java_string_of_utf8(run, utf8, &text.o))
        return false;
    buf_init(&capitals, run->ctx->arena);
    buf_put(&capitals, text.o->string.units, text.o->string.len * sizeof(uint16_t));
    format_put_padded(out, c, &capitals);
    return true;
}

static bool put_character(struct java_run *run, struct buf *text, const struct conversion *c,
                          const struct java_object *o)
{
    uint16_t units[2];
    int64_t v = o->value.i;

    if (o->kind != J_BOX_CHAR && o->kind != J_BOX_BYTE && o->kind != J_BOX_SHORT && o->kind != J_BOX_INT)
        return format_bad_class(run, c, o);
    if (v < 0 || v > 0x10ffff)
        return java_throw(run, J_FORMAT_CODE_POINT, "Code point = 0x%x", (unsigned)v);
    units[0] = (uint16_t)(v < 0x10000 ? v : 0xd800 + ((v - 0x10000) >> 10));
    units[1] = (uint16_t)(0xdc00 + (v & 0x3ff));
    buf_put(text, units, v < 0x10000 ? sizeof *units : sizeof units);
    return true;
}

static bool put_general(struct java_run *run, struct buf *out, const struct conversion *c, const struct java_object *o)
{
    struct buf text;
    char digits[16];

    buf_init(&text, run->ctx->arena);
    if (c->kind == 'b') {
        bool is = o && (o->kind != J_BOX_BOOLEAN || o->value.i);
        java_put_ascii(&text, is ? "true" : "false", is ? 4 : 5);
    } else if (c->kind == 'h' && o) {
        java_put_ascii(&text, digits, (size_t)snprintf(digits, sizeof digits, "%x", (unsigned)java_hash_code(run, o)));
    } else if (c->kind == 'c' && o) {
        if (!put_character(run, &text, c, o))
            return false;
    } else if (!(c->kind == 's' ? check_flags(run, c, FORMAT_ALTERNATE) : true) || !java_print(run, &text, o)) {
        return false;
    }
    return put_text(run, out, c, &text);
}

/* ---- whole numbers ---- */

void format_put_sign(struct buf *text, const struct conversion *c, bool negative)
{
    const char *sign = negative                  ? c->flags & FORMAT_PARENTHESES ? "(" : "-"
                       : c->flags & FORMAT_PLUS  ? "+"
                       : c->flags & FORMAT_SPACE ? " "
                                                 : "";
    java_put_ascii(text, sign, strlen(sign));
}

void format_put_end_sign(struct buf *text, const struct conversion *c, bool negative)
{
    if (negative && c->flags & FORMAT_PARENTHESES)
        java_put_ascii(text, ")", 1);
}

void format_put_magnitude(struct buf *text, const struct conversion *c, const char *digits, bool negative, int room)
{
    size_t whole = strcspn(digits, "."), len = strlen(digits);
    size_t groups = c->flags & FORMAT_GROUP && whole ? (whole - 1) / 3 : 0;
    int64_t used = (int64_t)(text->len / sizeof(uint16_t) + len + groups) + room;

    used += negative && c->flags & FORMAT_PARENTHESES;
    for (; c->flags & FORMAT_ZERO && used < c->width; used++)
        java_put_ascii(text, "0", 1);
    for (size_t i = 0; i < len; i++) {
        if (groups && i && i < whole && (whole - i) % 3 == 0)
            java_put_ascii(text, ",", 1);
        java_put_ascii(text, digits + i, 1);
    }
}

/* A magnitude in a base of 2^bits. */
static bool put_binary(struct java_run *run, struct slice magnitude, unsigned bits, struct buf *digits)
{
    size_t all = magnitude.len * 8, count = (all + bits - 1) / bits;
    bool some = false;

    for (size_t i = count; i-- > 0;) {
        unsigned digit = 0;
        for (unsigned k = bits; k-- > 0;) {
            size_t at = i * bits + k;
            digit = digit << 1 | (at < all ? magnitude.data[magnitude.len - 1 - at / 8] >> at % 8 & 1u : 0);
        }
        some |= digit != 0;
        if (some || !i)
            buf_put_u8(digits, (uint8_t)"0123456789abcdef"[digit]);
    }
    if (!count)
        buf_put_u8(digits, '0');
    return java_spend(run, count);
}

/* An integer's digits without its sign; its text in base ten is there already. */
static bool put_digits(struct java_run *run, const struct conversion *c, const struct java_object *o, bool *negative,
                       struct buf *digits)
{
    struct slice printed, magnitude;
    uint8_t bytes[8];
    struct buf text;

    buf_init(&text, run->ctx->arena);
    if (o->kind == J_BIG_INTEGER)
        varint_print(&text, o->bytes);
    else
        buf_printf(&text, "%lld", (long long)o->value.i);
    if (!java_ok(run, text.failed ? fail_nomem(run->ctx) : WR_OK) || !java_spend_digits(run, text.len / 2))
        return false;
    printed = buf_slice(&text);
    *negative = printed.data[0] == '-';
    if (c->kind == 'd') {
        buf_put_slice(digits, slice_skip(printed, *negative));
        return true;
    }
    if (o->kind == J_BIG_INTEGER) {
        if (!java_ok(run, varint_parse(run->ctx, slice_skip(printed, *negative), &magnitude)))
            return false;
        return put_binary(run, magnitude, c->kind == 'x' ? 4 : 3, digits);
    }
    uint64_t v = o->kind == J_BOX_LONG    ? (uint64_t)o->value.i
                 : o->kind == J_BOX_INT   ? (uint32_t)o->value.i
                 : o->kind == J_BOX_SHORT ? (uint16_t)o->value.i
                                          : (uint8_t)o->value.i;
    *negative = false;
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(v >> (56 - 8 * i));
    return put_binary(run, slice_of(bytes, sizeof bytes), c->kind == 'x' ? 4 : 3, digits);
}

static bool put_integer(struct java_run *run, struct buf *out, const struct conversion *c, const struct java_object *o)
{
    bool negative;
    struct buf digits, text;

    if (!(o->kind >= J_BOX_BYTE && o->kind <= J_BOX_LONG) && o->kind != J_BIG_INTEGER)
        return format_bad_class(run, c, o);
    if (c->kind != 'd' && o->kind != J_BIG_INTEGER &&
        (!check_flags(run, c, FORMAT_PARENTHESES) || !check_flags(run, c, FORMAT_SPACE) ||
         !check_flags(run, c, FORMAT_PLUS)))
        return false;
    buf_init(&digits, run->ctx->arena);
    buf_init(&text, run->ctx->arena);
    if (!put_digits(run, c, o, &negative, &digits))
        return false;
    buf_put_u8(&digits, 0);
    if (!java_ok(run, digits.failed ? fail_nomem(run->ctx) : WR_OK))
        return false;
    format_put_sign(&text, c, negative);
    if (c->flags & FORMAT_ALTERNATE)
        java_put_ascii(&text, "0x", c->kind == 'x' ? 2 : 1);
    format_put_magnitude(&text, c, (const char *)digits.data, negative, 0);
    format_put_end_sign(&text, c, negative);
    return put_text(run, out, c, &text);
}

/* ---- the whole ---- */

static bool put_conversion(struct java_run *run, struct buf *out, const struct conversion *c,
                           const struct java_object *o)
{
    struct buf text;

    if (c->width > FORMAT_SIZE_MAX || c->precision > FORMAT_SIZE_MAX)
        return java_out_of_memory(run);
    if (c->time ? o != NULL : strchr("dox", c->kind) && o)
        return c->time ? format_put_time(run, out, c, o) : put_integer(run, out, c, o);
    if (!c->time && strchr("egfa", c->kind) && o)
        return format_put_real(run, out, c, o);
    if (!c->time && strchr("bhsc", c->kind))
        return put_general(run, out, c, o);
    buf_init(&text, run->ctx->arena);
    java_put_ascii(&text, c->index != -2 ? "null" : c->kind == 'n' ? "\n" : "%", c->index != -2 ? 4 : 1);
    return put_text(run, out, c, &text);
}

/* The argument that a conversion means; *last and *ordinary: as they were before it. */
static bool find_argument(struct java_run *run, const struct conversion *c, const struct java_object *list,
                          int64_t *last, int64_t *ordinary, const struct java_object **out)
{
    *out = NULL;
    if (c->index == -2)
        return true;
    if (c->index > 0)
        *last = c->index - 1;
    else if (c->index == 0)
        *last = ++*ordinary;
    if (*last < 0 || (list && *last >= list->array.count))
        return throw_specifier(run, J_FORMAT_MISSING, "Format specifier '", c, "'");
    *out = list ? list->array.items[*last].o : NULL;
    return true;
}

JAVA_CALL_PUBLIC(java_string_format)
{
    bool is_own = !(method->flags & JAVA_STATIC); /* "...".formatted(...) */
    unsigned behind = method->args[0] == J_LOCALE; /* all that there are write numbers alike */
    const struct java_object *format = is_own ? self->o : args[behind].o, *list = args[is_own ? 0 : behind + 1].o, *o;
    int64_t last = -1, ordinary = -1;
    struct conversion c;
    struct buf text;
    JAVA_UNUSED;

    if (!format)
        return java_throw(run, J_NULL_POINTER, "Cannot invoke \"String.length()\" because \"s\" is null");
    for (uint32_t i = 0; i < format->string.len;) /* all of it is looked at before anything is printed */
        if (format->string.units[i++] == '%' && !read_conversion(run, format, &i, &c))
            return false;
    buf_init(&text, run->ctx->arena);
    for (uint32_t i = 0; i < format->string.len;) {
        if (format->string.units[i] != '%') {
            buf_put(&text, &format->string.units[i++], sizeof(uint16_t));
            continue;
        }
        i++;
        if (!read_conversion(run, format, &i, &c) || !find_argument(run, &c, list, &last, &ordinary, &o) ||
            !java_check_text(run, &text) || !put_conversion(run, &text, &c, o))
            return false;
    }
    return java_spend(run, format->string.len / JAVA_COMPARED_AT_ONCE) && java_give_text(run, &text, out);
}
