/* String.format. */
#include <math.h>
#include <stdio.h>

#include "model/java/lib.h"
#include "model/unicode.h"

struct conversion {
    bool left, zero, plus, group, space;
    int width, precision; /* -1: none */
    char kind;
};

static uint32_t read_conversion(const struct java_object *format, uint32_t at, struct conversion *c)
{
    *c = (struct conversion){ .width = -1, .precision = -1 };
    for (; at < format->string.len; at++) {
        uint16_t u = format->string.units[at];
        if (u == '-')
            c->left = true;
        else if (u == '0')
            c->zero = true;
        else if (u == '+')
            c->plus = true;
        else if (u == ',')
            c->group = true;
        else if (u == ' ')
            c->space = true;
        else
            break;
    }
    for (; at < format->string.len && format->string.units[at] >= '0' && format->string.units[at] <= '9' &&
           c->width < 10000;
         at++)
        c->width = (c->width < 0 ? 0 : c->width) * 10 + format->string.units[at] - '0';
    if (at < format->string.len && format->string.units[at] == '.')
        for (at++, c->precision = 0; at < format->string.len && format->string.units[at] >= '0' &&
                                     format->string.units[at] <= '9' && c->precision < 10000;
             at++)
            c->precision = c->precision * 10 + format->string.units[at] - '0';
    c->kind = at < format->string.len && format->string.units[at] < 128 ? (char)format->string.units[at++] : 0;
    return at;
}

static void put_padded(struct buf *out, const struct conversion *c, const struct buf *utf16)
{
    int len = (int)(utf16->len / sizeof(uint16_t)), pad = c->width > len ? c->width - len : 0;
    for (int i = 0; i < pad && !c->left; i++)
        java_put_ascii(out, " ", 1);
    buf_put(out, utf16->data, utf16->len);
    for (int i = 0; i < pad && c->left; i++)
        java_put_ascii(out, " ", 1);
}

/* The digits of a number, its sign in front, with what the flags want. */
static void put_number(struct buf *out, const struct conversion *c, bool negative, const char *digits)
{
    struct buf grouped;
    size_t whole = strcspn(digits, "."), len = strlen(digits);
    buf_init(&grouped, out->arena);
    for (size_t i = 0; i < len; i++) {
        if (c->group && i && i < whole && (whole - i) % 3 == 0)
            java_put_ascii(&grouped, ",", 1);
        java_put_ascii(&grouped, digits + i, 1);
    }
    struct buf all;
    buf_init(&all, out->arena);
    const char *sign = negative ? "-" : c->plus ? "+" : c->space ? " " : "";
    java_put_ascii(&all, sign, strlen(sign));
    for (int n = (int)(grouped.len / sizeof(uint16_t) + strlen(sign)); c->zero && n < c->width; n++)
        java_put_ascii(&all, "0", 1);
    buf_put(&all, grouped.data, grouped.len);
    put_padded(out, c, &all);
}

static bool is_integer_box(const struct java_object *o)
{
    return o->kind >= J_BOX_BYTE && o->kind <= J_BOX_LONG;
}

static bool put_real(struct java_run *run, struct buf *out, const struct conversion *c, const struct java_object *o)
{
    struct buf rounded;
    double d = o->value.d;
    if (c->precision > 100)
        return java_throw(run, J_UNSUPPORTED, "more than 100 decimal places are not supported here");
    if (isfinite(d) && c->kind == 'f') {
        buf_init(&rounded, run->ctx->arena);
        if (!java_put_rounded(run, &rounded, fabs(d), c->precision < 0 ? 6 : c->precision))
            return false;
        buf_put_u8(&rounded, 0);
        if (!java_ok(run, rounded.failed ? fail_nomem(run->ctx) : WR_OK))
            return false;
        put_number(out, c, signbit(d), (const char *)rounded.data);
        return true;
    }
    const char *digits = !isfinite(d) ? (isnan(d) ? "NaN" : "Infinity") : ctx_format(run->ctx, "%.*e", c->precision < 0 ? 6 : c->precision, fabs(d));
    if (!java_ok(run, digits ? WR_OK : WR_NOMEM))
        return false;
    put_number(out, c, signbit(d) && !isnan(d), digits);
    return true;
}

static bool put_conversion(struct java_run *run, struct buf *out, const struct conversion *c,
                           const struct java_object *o)
{
    struct buf text;
    char digits[32];

    buf_init(&text, run->ctx->arena);
    switch (c->kind) {
    case 's':
    case 'S':
    case 'b':
    case 'c':
        if (c->kind == 'b')
            java_put_ascii(&text, o && (o->kind != J_BOX_BOOLEAN || o->value.i) ? "true" : "false",
                           o && (o->kind != J_BOX_BOOLEAN || o->value.i) ? 4 : 5);
        else if (c->kind == 'c' && o && is_integer_box(o))
            java_print_primitive(&text, java_simple(J_CHAR), o->value);
        else if (!java_print(run, &text, o))
            return false;
        if (c->precision >= 0 && text.len > (size_t)c->precision * sizeof(uint16_t))
            text.len = (size_t)c->precision * sizeof(uint16_t);
        if (c->kind == 'S')
            for (size_t i = 0; i < text.len / 2; i++)
                ((uint16_t *)(void *)text.data)[i] = (uint16_t)unicode_char_upper(((uint16_t *)(void *)text.data)[i]);
        put_padded(out, c, &text);
        return true;
    default:
        break;
    }
    if (!o) {
        java_put_ascii(&text, "null", 4);
        put_padded(out, c, &text);
        return true;
    }
    if (c->kind == 'd' && is_integer_box(o)) {
        uint64_t v = (uint64_t)o->value.i;
        snprintf(digits, sizeof digits, "%llu", (unsigned long long)(o->value.i < 0 ? 0 - v : v));
        put_number(out, c, o->value.i < 0, digits);
        return true;
    }
    if ((c->kind == 'x' || c->kind == 'X' || c->kind == 'o') && is_integer_box(o)) {
        uint64_t v = o->kind == J_BOX_LONG    ? (uint64_t)o->value.i
                     : o->kind == J_BOX_INT   ? (uint32_t)o->value.i
                     : o->kind == J_BOX_SHORT ? (uint16_t)o->value.i
                                              : (uint8_t)o->value.i;
        snprintf(digits, sizeof digits,
                 c->kind == 'x'   ? "%llx"
                 : c->kind == 'X' ? "%llX"
                                  : "%llo",
                 (unsigned long long)v);
        put_number(out, c, false, digits);
        return true;
    }
    if ((c->kind == 'f' || c->kind == 'e') && (o->kind == J_BOX_DOUBLE || o->kind == J_BOX_FLOAT))
        return put_real(run, out, c, o);
    return java_throw(run, J_FORMAT_CONVERSION, "%c != %s", c->kind, java_class_full_name(o->kind));
}

JAVA_CALL_PUBLIC(java_string_format)
{
    const struct java_object *format = args[0].o, *list = args[1].o;
    struct buf text;
    uint32_t next = 0;
    JAVA_UNUSED;

    if (!format)
        return java_null_argument(run);
    buf_init(&text, run->ctx->arena);
    for (uint32_t i = 0; i < format->string.len;) {
        struct conversion c;
        if (format->string.units[i] != '%') {
            buf_put(&text, &format->string.units[i++], sizeof(uint16_t));
            continue;
        }
        i = read_conversion(format, i + 1, &c);
        if (c.kind == '%' || c.kind == 'n') {
            java_put_ascii(&text, c.kind == 'n' ? "\n" : "%", 1);
            continue;
        }
        if (c.kind && strchr("hHgGaAtTBCE(", c.kind))
            return java_throw(run, J_UNSUPPORTED, "the conversion %%%c is not supported here", c.kind);
        if (!c.kind || !strchr("sSbcdxXofe", c.kind))
            return java_throw(run, J_FORMAT_UNKNOWN, "Conversion = '%c'", c.kind ? c.kind : '%');
        if (!list || next >= list->array.count)
            return java_throw(run, J_FORMAT_MISSING, "Format specifier '%%%c'", c.kind);
        if (!java_check_text(run, &text) || !put_conversion(run, &text, &c, list->array.items[next++].o))
            return false;
    }
    return java_give_text(run, &text, out);
}
