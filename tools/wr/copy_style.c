/* Values without parts in the style that was asked for: words for booleans, points and spaces of numbers, times. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "copy.h"

static bool is_number(enum wr_type type)
{
    switch (type) {
    case WR_TYPE_TINYINT:
    case WR_TYPE_SMALLINT:
    case WR_TYPE_INT:
    case WR_TYPE_BIGINT:
    case WR_TYPE_COUNTER:
    case WR_TYPE_VARINT:
    case WR_TYPE_DECIMAL:
    case WR_TYPE_FLOAT:
    case WR_TYPE_DOUBLE: return true;
    default: return false;
    }
}

static const char *point_of(const struct copy *copy)
{
    return *copy->point ? copy->point : ".";
}

static bool has_marks(const struct copy *copy)
{
    return *copy->thousands || strcmp(point_of(copy), ".") != 0;
}

/* ---- to text ---- */

static void put_whole(struct text *t, const struct copy *copy, const char *digits, size_t count)
{
    enum { GROUP = 3 };
    for (size_t i = 0; i < count; i++) {
        if (i && (count - i) % GROUP == 0)
            text_put_str(t, copy->thousands);
        text_put(t, digits + i, 1);
    }
}

static void write_number(struct text *t, const struct copy *copy, wr_value v, bool inside)
{
    const size_t begin = t->len;
    text_put_formatted(t, v, inside ? WR_LITERAL : WR_STRING);
    if (!has_marks(copy))
        return;
    char *number = or_exit(strndup(t->data + begin, t->len - begin));
    const char *rest = number + (*number == '-');
    t->len = begin + (size_t)(rest - number);
    const size_t whole = strspn(rest, "0123456789");
    put_whole(t, copy, rest, whole);
    rest += whole;
    if (*rest == '.') {
        text_put_str(t, point_of(copy));
        rest++;
    }
    text_put_str(t, rest);
    free(number);
}

/* One of no length has no text. */
static void write_duration(struct text *t, wr_value v)
{
    const size_t before = t->len;
    text_put_formatted(t, v, WR_STRING);
    text_put_str(t, t->len == before ? "0s" : "");
}

static void write_timestamp(struct text *t, const struct copy *copy, wr_value v, bool inside)
{
    text_put_str(t, inside ? "'" : "");
    copy_write_time(t, copy->times, wr_value_int(v));
    text_put_str(t, inside ? "'" : "");
}

void copy_write_single(struct text *t, const struct copy *copy, wr_value v, bool inside)
{
    const enum wr_type type = wr_value_type(v);
    if (is_number(type))
        write_number(t, copy, v, inside);
    else if (type == WR_TYPE_DURATION)
        write_duration(t, v);
    else if (type == WR_TYPE_BOOLEAN && v.len)
        text_put_str(t, wr_value_bool(v) ? copy->yes : copy->no);
    else if (type == WR_TYPE_TIMESTAMP && v.len)
        write_timestamp(t, copy, v, inside);
    else
        text_put_formatted(t, v, inside || type == WR_TYPE_BLOB ? WR_LITERAL : WR_STRING);
}

/* ---- from text ---- */

static bool is_word(const char *text, size_t len, const char *word)
{
    return len == strlen(word) && strncasecmp(text, word, len) == 0;
}

static void read_number(struct text *out, const struct copy *copy, const char *text, size_t len)
{
    const char *const point = point_of(copy);
    const size_t point_len = strlen(point), thousands_len = strlen(copy->thousands);
    for (size_t i = 0; i < len;) {
        if (thousands_len && len - i >= thousands_len && memcmp(text + i, copy->thousands, thousands_len) == 0) {
            i += thousands_len;
        } else if (len - i >= point_len && memcmp(text + i, point, point_len) == 0) {
            text_put_str(out, ".");
            i += point_len;
        } else {
            text_put(out, text + i++, 1);
        }
    }
}

static void read_boolean(struct text *out, const struct copy *copy, const char *text, size_t len)
{
    if (is_word(text, len, copy->yes))
        text_put_str(out, "true");
    else if (is_word(text, len, copy->no))
        text_put_str(out, "false");
}

static void read_timestamp(struct text *out, const struct copy *copy, const char *text, size_t len)
{
    char number[32];
    int64_t ms;
    if (!copy_read_time(copy->times, text, len, &ms))
        return;
    snprintf(number, sizeof number, "%lld", (long long)ms);
    text_put_str(out, number);
}

void copy_read_single(struct text *out, const struct copy *copy, enum wr_type type, const char **text, size_t *len)
{
    out->len = 0;
    if (type == WR_TYPE_BOOLEAN)
        read_boolean(out, copy, *text, *len);
    else if (type == WR_TYPE_TIMESTAMP)
        read_timestamp(out, copy, *text, *len);
    else if (is_number(type) && has_marks(copy))
        read_number(out, copy, *text, *len);
    if (out->len) {
        *text = out->data;
        *len = out->len;
    }
}
