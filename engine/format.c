#include "engine/format.h"

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct sink {
    char *out;
    size_t room, len; /* len goes on where room ends */
    const char *nul;  /* what is put for one, and how long that is */
    size_t nul_len;
};

static void put(struct sink *sink, const char *data, size_t len)
{
    if (sink->len + 1 < sink->room) {
        size_t left = sink->room - 1 - sink->len;
        memcpy(sink->out + sink->len, data, len < left ? len : left);
    }
    sink->len += len;
}

static void put_slice(struct sink *sink, const char *data, size_t len)
{
    for (const char *nul; len && (nul = memchr(data, 0, len));) {
        size_t before = (size_t)(nul - data);
        put(sink, data, before);
        put(sink, sink->nul, sink->nul_len);
        data = nul + 1;
        len -= before + 1;
    }
    if (len)
        put(sink, data, len);
}

/* %, flags, width, precision and length, in the words of printf, without stars. */
struct conversion {
    char spec[48];
    size_t len;
    bool slice;    /* .* was there, and a plain s behind it: exactly so many bytes */
    int precision; /* of .* */
    char length;   /* l, L for ll, h, z, j, t or 0 */
    char kind;
};

static const char *read_conversion(const char *at, struct conversion *c, va_list *args)
{
    *c = (struct conversion){ .spec = "%", .len = 1 };
    for (; strchr("-+ #0123456789.*hlzjt", *at) && *at && c->len + 16 < sizeof c->spec; at++) {
        if (*at == '*') {
            c->precision = va_arg(*args, int);
            c->slice = at[-1] == '.';
            c->len += (size_t)snprintf(c->spec + c->len, sizeof c->spec - c->len, "%d", c->precision);
            continue;
        }
        if (strchr("hlzjt", *at))
            c->length = *at == 'l' && c->length == 'l' ? 'L' : *at;
        c->spec[c->len++] = *at;
    }
    c->kind = *at;
    c->spec[c->len++] = *at;
    c->spec[c->len] = 0;
    c->slice &= c->kind == 's' && c->precision >= 0;
    return *at ? at + 1 : at;
}

enum { NUMBER_TEXT_MAX = 512 }; /* DBL_MAX has 309 digits before its point */

/* As C's own locale has it: the program's may have a comma for the point. */
static int print_double(char *text, size_t room, const char *spec, double number)
{
    locale_t own = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* without memory of its own in glibc */
    locale_t before = uselocale(own);
    int len = snprintf(text, room, spec, number);

    uselocale(before);
    if (own)
        freelocale(own);
    return len;
}

#define PUT_NUMBER(type) snprintf(text, sizeof text, c->spec, va_arg(*args, type))

static void put_number(struct sink *sink, const struct conversion *c, va_list *args)
{
    char text[NUMBER_TEXT_MAX];
    int len;

    if (c->kind == 'p')
        len = PUT_NUMBER(void *);
    else if (strchr("aAeEfFgG", c->kind))
        len = print_double(text, sizeof text, c->spec, va_arg(*args, double));
    else if (c->length == 'L')
        len = PUT_NUMBER(long long);
    else if (c->length == 'l')
        len = PUT_NUMBER(long);
    else if (c->length == 'z')
        len = PUT_NUMBER(size_t);
    else if (c->length == 'j')
        len = PUT_NUMBER(intmax_t);
    else if (c->length == 't')
        len = PUT_NUMBER(ptrdiff_t);
    else
        len = PUT_NUMBER(int);
    if (len > 0)
        put(sink, text, (size_t)len < sizeof text ? (size_t)len : sizeof text - 1);
}

static void put_string(struct sink *sink, const struct conversion *c, va_list *args)
{
    const char *text = va_arg(*args, const char *);
    char few[NUMBER_TEXT_MAX];

    if (c->slice) {
        put_slice(sink, text, (size_t)c->precision);
    } else if (c->len == 2) {
        put(sink, text ? text : "(null)", text ? strlen(text) : 6);
    } else { /* padded */
        int len = snprintf(few, sizeof few, c->spec, text);
        put(sink, few, len < 0 ? 0 : (size_t)len < sizeof few ? (size_t)len : sizeof few - 1);
    }
}

static size_t format_text(struct sink *sink, const char *format, va_list *args)
{
    struct conversion c;

    while (*format) {
        size_t plain = strcspn(format, "%");
        put(sink, format, plain);
        format += plain;
        if (!*format)
            break;
        format = read_conversion(format + 1, &c, args);
        if (c.kind == '%')
            put(sink, "%", 1);
        else if (c.kind == 's')
            put_string(sink, &c, args);
        else
            put_number(sink, &c, args);
    }
    if (sink->room)
        sink->out[sink->len < sink->room ? sink->len : sink->room - 1] = 0;
    return sink->len;
}

/* How many of the bytes are whole characters. */
static size_t whole_characters(const char *text, size_t len)
{
    size_t last = len;
    while (last && ((unsigned char)text[last - 1] & 0xC0) == 0x80)
        last--;
    if (!last)
        return len;
    unsigned char first = (unsigned char)text[last - 1];
    size_t needs = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    return len - last + 1 < needs ? last - 1 : len;
}

size_t format_message(char *out, size_t room, const char *format, va_list args)
{
    struct sink sink = { .out = out, .room = room, .nul = NUL_IN_MESSAGE, .nul_len = sizeof NUL_IN_MESSAGE - 1 };
    va_list own; /* whose address can be taken on every machine */
    va_copy(own, args);
    size_t len = format_text(&sink, format, &own);
    va_end(own);
    if (room && len >= room)
        out[whole_characters(out, room - 1)] = 0;
    return len;
}

size_t format_bytes(char *out, size_t room, const char *format, va_list args)
{
    struct sink sink = { .out = out, .room = room, .nul = "", .nul_len = 1 };
    va_list own;
    va_copy(own, args);
    size_t len = format_text(&sink, format, &own);
    va_end(own);
    return len;
}
