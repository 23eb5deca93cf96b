#include "engine/coding.h"
#include "engine/order.h"
#include "model/digit.h"
#include "model/type_ops.h"

/* ---- blob, and the order of all that sorts by its bytes ---- */

enum wr_status type_bytes_validate(struct ctx *ctx, const struct type *type, struct slice value)
{
    (void)ctx;
    (void)type;
    (void)value;
    return WR_OK;
}

int type_bytes_compare(const struct type *type, struct slice a, struct slice b)
{
    (void)type;
    int c = slice_cmp(a, b);
    return (c > 0) - (c < 0);
}

void type_bytes_print(struct buf *buf, const struct type *type, struct slice value, enum text_form form)
{
    (void)type;
    (void)form;
    buf_put_str(buf, "0x");
    put_hex(buf, value);
}

enum wr_status type_bytes_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out)
{
    (void)type;
    uint8_t *bytes = ctx_alloc(ctx, text.len / 2);
    if (!bytes)
        return WR_NOMEM;
    bool valid = text.len % 2 == 0;
    for (size_t i = 0; valid && i < text.len; i += 2) {
        int high = hex_digit(text.data[i]), low = hex_digit(text.data[i + 1]);
        valid = high >= 0 && low >= 0;
        bytes[i / 2] = (uint8_t)((unsigned)high << 4 | (unsigned)low);
    }
    if (!valid)
        return fail(ctx, WR_INVALID, "cannot parse '%.*s' as hex bytes", SLICE_ARG(text));
    *out = slice_of(bytes, text.len / 2);
    return WR_OK;
}

void type_bytes_put_order(struct buf *buf, const struct type *type, struct slice value)
{
    (void)type;
    order_put_string(buf, value);
}

enum wr_status type_bytes_get_order(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out)
{
    (void)type;
    return order_get_string(ctx, from, out);
}

/* ---- ascii, text ---- */

enum wr_status type_ascii_validate(struct ctx *ctx, const struct type *type, struct slice value)
{
    (void)type;
    for (size_t i = 0; i < value.len; i++)
        if (value.data[i] & 0x80)
            return fail(ctx, WR_INVALID, "Invalid byte for ascii: %d", (int8_t)value.data[i]);
    return WR_OK;
}

/*
 * UTF8Serializer's own idea of UTF-8: C0 80 is zero, surrogates pass, F4 to F7 may go beyond the last character, and of a second byte after
 * E0 and F0 it sees only that the character is not written too long. What it takes is what drivers can write, so it is taken.
 */
static size_t utf8_char(struct slice s)
{
    const uint8_t *p = s.data;
    size_t len = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4, i = 1;
    if (len == 1)
        return 1;
    if (p[0] < 0xc0 || p[0] == 0xc1 || p[0] > 0xf7 || s.len < len)
        return 0;
    if (p[0] == 0xc0 && p[1] != 0x80)
        return 0;
    if (p[0] == 0xe0 || p[0] == 0xf0) {
        if (p[0] == 0xe0 ? (p[1] & 0xe0) == 0x80 : (p[1] & 0x30) == 0)
            return 0;
        i++;
    }
    for (; i < len; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    return len;
}

enum wr_status type_text_validate(struct ctx *ctx, const struct type *type, struct slice value)
{
    const uint64_t above_ascii = 0x8080808080808080u;
    (void)type;
    while (value.len) {
        size_t n = value.len >= sizeof(uint64_t) && !(read_u64(value.data) & above_ascii) ? sizeof(uint64_t) : utf8_char(value);
        if (!n)
            return fail(ctx, WR_INVALID, "String didn't validate.");
        value = slice_skip(value, n);
    }
    return WR_OK;
}

/* A character that UTF8Serializer lets through and a decoder of Java's refuses. */
static bool is_no_character(const uint8_t *p)
{
    return p[0] == 0xc0 || (p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf4 && p[1] >= 0x90) || p[0] > 0xf4 ||
           ((p[0] == 0xe0 || p[0] == 0xf0) && (p[1] & 0xc0) != 0x80);
}

size_t type_text_decoded(struct slice value)
{
    size_t at = 0;
    for (size_t n; at < value.len && (n = utf8_char(slice_skip(value, at))) && !is_no_character(value.data + at);)
        at += n;
    return at;
}

enum wr_status type_text_decode(struct ctx *ctx, struct slice value)
{
    struct buf hex;
    if (type_text_decoded(value) == value.len)
        return WR_OK;
    buf_init(&hex, ctx->arena);
    put_hex(&hex, value);
    return fail(ctx, WR_INVALID, "Invalid UTF-8 bytes %.*s", SLICE_ARG(buf_slice(&hex)));
}

int type_text_compare(const struct type *type, struct slice a, struct slice b)
{
    return type_bytes_compare(type, a, b);
}

static void put_doubling_quotes(struct buf *buf, struct slice text)
{
    while (text.len) {
        const uint8_t *quote = memchr(text.data, '\'', text.len);
        size_t n = quote ? (size_t)(quote - text.data) + 1 : text.len;
        buf_put(buf, text.data, n);
        if (quote)
            buf_put_u8(buf, '\'');
        text = slice_skip(text, n);
    }
}

void type_text_print(struct buf *buf, const struct type *type, struct slice value, enum text_form form)
{
    (void)type;
    switch (form) {
    case TEXT_LITERAL:
    case TEXT_TERM:
        put_doubling_quotes(buf, value);
        break;
    case TEXT_STRING:
        buf_put_slice(buf, value);
        break;
    case TEXT_JSON:
        json_put_escaped(buf, value);
        break;
    }
}

enum wr_status type_text_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out)
{
    (void)type;
    return ctx_copy(ctx, text, out);
}

enum wr_status type_ascii_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out)
{
    (void)type;
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] & 0x80) /* the length is in UTF-16 units: a pair for what is outside of the basic plane */
            return fail(ctx, WR_INVALID,
                        "Invalid ASCII character in string literal: java.nio.charset.UnmappableCharacterException: "
                        "Input length = %d",
                        text.data[i] >= 0xf0 ? 2 : 1);
    return ctx_copy(ctx, text, out);
}

void type_text_put_order(struct buf *buf, const struct type *type, struct slice value)
{
    type_bytes_put_order(buf, type, value);
}

enum wr_status type_text_get_order(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out)
{
    return type_bytes_get_order(ctx, type, from, out);
}

/* ---- empty: the value of compact tables without a value column ---- */

enum wr_status type_empty_validate(struct ctx *ctx, const struct type *type, struct slice value)
{
    (void)type;
    return value.len == 0 ? WR_OK : fail(ctx, WR_INVALID, "EmptyType only accept empty values");
}

int type_empty_compare(const struct type *type, struct slice a, struct slice b)
{
    return type_bytes_compare(type, a, b);
}

void type_empty_print(struct buf *buf, const struct type *type, struct slice value, enum text_form form)
{
    (void)type;
    (void)form;
    buf_put_slice(buf, value);
}

enum wr_status type_empty_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out)
{
    (void)type;
    if (text.len)
        return fail(ctx, WR_INVALID, "'%.*s' is not empty", SLICE_ARG(text));
    *out = SLICE_EMPTY;
    return WR_OK;
}

void type_empty_put_order(struct buf *buf, const struct type *type, struct slice value)
{
    (void)buf;
    (void)type;
    (void)value;
}

enum wr_status type_empty_get_order(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out)
{
    (void)ctx;
    (void)type;
    (void)from;
    *out = SLICE_EMPTY;
    return WR_OK;
}
