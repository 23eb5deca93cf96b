#include "print_value.h"

#include <arpa/inet.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

enum { FLOAT_DIGITS = 5 }; /* cqlsh's default float and double precision */

void *or_exit(void *memory)
{
    if (!memory) {
        perror("wr");
        exit(1);
    }
    return memory;
}

void text_put(struct text *t, const char *bytes, size_t len)
{
    if (t->len + len + 1 > t->room) {
        t->room = (t->len + len + 1) * 2;
        t->data = or_exit(realloc(t->data, t->room));
    }
    memcpy(t->data + t->len, bytes, len);
    t->len += len;
    t->data[t->len] = 0;
}

void text_put_str(struct text *t, const char *s)
{
    text_put(t, s, strlen(s));
}

void text_put_escaped(struct text *t, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)bytes[i];
        char code[8];
        if (c == 0xc0 && i + 1 < len && (unsigned char)bytes[i + 1] == 0x80) {
            c = 0;
            i++;
        }
        if (c >= 0x20 && c != 0x7f && c != '\\') {
            text_put(t, bytes + i, 1);
            continue;
        }
        const char *known = c == '\n' ? "\\n" : c == '\t' ? "\\t" : c == '\r' ? "\\r" : c == '\\' ? "\\\\" : NULL;
        snprintf(code, sizeof code, "\\x%02x", c);
        text_put_str(t, known ? known : code);
    }
}

int text_width(const char *text)
{
    int width = 0;
    mbstate_t state = { 0 };
    for (size_t left = strlen(text); left;) {
        wchar_t c;
        size_t n = mbrtowc(&c, text, left, &state);
        if (n == 0 || n == (size_t)-1 || n == (size_t)-2) {
            n = 1;
            c = L'?';
            memset(&state, 0, sizeof state);
        }
        int w = wcwidth(c);
        width += w < 0 ? 1 : w;
        text += n;
        left -= n;
    }
    return width;
}

static void put_text(struct text *t, wr_value v, bool inside)
{
    if (!inside) {
        text_put_escaped(t, v.data, v.len);
        return;
    }
    const char *bytes = v.data;
    text_put_str(t, "'");
    for (size_t i = 0, from = 0; i <= v.len; i++)
        if (i == v.len || bytes[i] == '\'') {
            text_put_escaped(t, bytes + from, i - from);
            text_put_str(t, i < v.len ? "''" : "");
            from = i + 1;
        }
    text_put_str(t, "'");
}

/* As cqlsh has it (format_floating_point_type): Python's %.*g, with as many digits behind the first one's place where that is no exponent. */
static void put_float(struct text *t, double d)
{
    enum { SMALLEST_EXPONENT = -4 };
    char out[64];
    if (isnan(d)) {
        text_put_str(t, "NaN");
    } else if (isinf(d)) {
        text_put_str(t, d > 0 ? "Infinity" : "-Infinity");
    } else {
        int exponent = fabs(d) > DBL_EPSILON ? (int)log10(fabs(d)) : INT_MIN;
        int digits = FLOAT_DIGITS + (exponent >= SMALLEST_EXPONENT && exponent < FLOAT_DIGITS ? exponent + 1 : 0);
        snprintf(out, sizeof out, "%.*g", digits, d);
        text_put_str(t, out);
    }
}

void text_put_timestamp(struct text *t, int64_t ms, int digits)
{
    enum { MICROSECONDS = 6 };
    char out[64], fraction[MICROSECONDS + 1];
    int64_t s = ms / 1000, rest = ms % 1000;
    if (rest < 0) {
        rest += 1000;
        s--;
    }
    struct tm tm;
    time_t time = (time_t)s;
    if (ms < TIMESTAMP_FIRST_MS || ms > TIMESTAMP_LAST_MS || !gmtime_r(&time, &tm)) {
        snprintf(out, sizeof out, "%lld", (long long)ms);
        text_put_str(t, out);
        return;
    }
    snprintf(fraction, sizeof fraction, "%06d", (int)rest * 1000);
    snprintf(out, sizeof out, "%04d-%02d-%02d %02d:%02d:%02d.%.*s+0000", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
             tm.tm_min, tm.tm_sec, digits, fraction);
    text_put_str(t, out);
}

void text_put_formatted(struct text *t, wr_value v, enum wr_format format)
{
    size_t len = wr_value_format(v, format, NULL, 0);
    char *text = or_exit(len == SIZE_MAX ? NULL : malloc(len + 1));
    if (wr_value_format(v, format, text, len + 1) != len)
        or_exit(NULL);
    text_put(t, text, len);
    free(text);
}

/* As drivers print it, and not as Java does: ::1. */
static void put_inet(struct text *t, wr_value v)
{
    char out[INET6_ADDRSTRLEN];
    if (v.len == sizeof(struct in_addr) || v.len == sizeof(struct in6_addr))
        text_put_str(t, inet_ntop(v.len == sizeof(struct in_addr) ? AF_INET : AF_INET6, v.data, out, sizeof out));
    else /* of a damaged database */
        text_put_formatted(t, v, WR_STRING);
}

static void put_elements(struct text *t, wr_value v, const char *open, const char *close)
{
    struct wr_elements e = wr_elements_of(v);
    enum wr_type type = wr_value_type(v);
    wr_value element;
    text_put_str(t, open);
    for (uint32_t i = 0; wr_elements_next(&e, &element); i++) {
        size_t len;
        text_put_str(t, !i ? "" : type == WR_TYPE_MAP && i % 2 ? ": " : ", ");
        const char *field = wr_value_field_name(v, i, &len);
        if (field) {
            text_put(t, field, len);
            text_put_str(t, ": ");
        }
        text_put_value(t, element, true);
    }
    text_put_str(t, close);
}

enum value_colour text_put_value(struct text *t, wr_value v, bool inside)
{
    enum wr_type type = wr_value_type(v);
    if (wr_value_is_null(v)) {
        text_put_str(t, "null");
        return COLOUR_NULL;
    }
    switch (type) {
    case WR_TYPE_TEXT:
    case WR_TYPE_ASCII:
        put_text(t, v, inside);
        return COLOUR_TEXT;
    case WR_TYPE_LIST:
    case WR_TYPE_VECTOR:
        put_elements(t, v, "[", "]");
        return COLOUR_OTHER;
    case WR_TYPE_SET:
    case WR_TYPE_MAP:
    case WR_TYPE_UDT:
        put_elements(t, v, "{", "}");
        return COLOUR_OTHER;
    case WR_TYPE_TUPLE:
        put_elements(t, v, "(", ")");
        return COLOUR_OTHER;
    default:
        break;
    }
    if (!v.len && type != WR_TYPE_BLOB)
        return COLOUR_NULL; /* an empty value shows as nothing */
    switch (type) {
    case WR_TYPE_FLOAT:
    case WR_TYPE_DOUBLE:
        put_float(t, wr_value_double(v));
        return COLOUR_NUMBER;
    case WR_TYPE_TIMESTAMP:
        text_put_str(t, inside ? "'" : "");
        text_put_timestamp(t, wr_value_int(v), 6);
        text_put_str(t, inside ? "'" : "");
        return COLOUR_NUMBER;
    case WR_TYPE_BOOLEAN:
        text_put_str(t, wr_value_bool(v) ? "True" : "False");
        return COLOUR_NUMBER;
    case WR_TYPE_BLOB:
        text_put_formatted(t, v, WR_LITERAL);
        return COLOUR_OTHER;
    case WR_TYPE_INET:
        text_put_str(t, inside ? "'" : "");
        put_inet(t, v);
        text_put_str(t, inside ? "'" : "");
        return COLOUR_NUMBER;
    case WR_TYPE_DATE:
    case WR_TYPE_TIME:
        text_put_formatted(t, v, inside ? WR_LITERAL : WR_STRING);
        return COLOUR_NUMBER;
    default:
        text_put_formatted(t, v, WR_STRING);
        return COLOUR_NUMBER;
    }
}
