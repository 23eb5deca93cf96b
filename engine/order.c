#include "engine/order.h"

#include <assert.h>

enum { ESCAPED = 0x00, ESCAPE = 0xFF };

void order_put_signed(struct buf *buf, struct slice value)
{
    assert(value.len > 0);
    buf_put_u8(buf, value.data[0] ^ 0x80);
    buf_put(buf, value.data + 1, value.len - 1);
}

static bool is_nan(struct slice value)
{
    static const uint8_t infinity[2][8] = { { 0x7f, 0x80 }, { 0x7f, 0xf0 } };
    uint8_t magnitude[8];
    memcpy(magnitude, value.data, value.len);
    magnitude[0] &= 0x7f;
    return memcmp(magnitude, infinity[value.len == 8], value.len) > 0;
}

void order_put_real(struct buf *buf, struct slice value)
{
    static const uint8_t nan[2][8] = { { 0x7f, 0xc0 }, { 0x7f, 0xf8 } };
    assert(value.len == 4 || value.len == 8);
    if (is_nan(value))
        value.data = nan[value.len == 8];
    size_t from = buf->len;
    order_put_signed(buf, value);
    if (value.data[0] & 0x80) {
        order_invert(buf, from);
        if (!buf->failed)
            buf->data[from] ^= 0x80;
    }
}

void order_put_string(struct buf *buf, struct slice value)
{
    while (value.len > 0) {
        const uint8_t *zero = memchr(value.data, 0, value.len);
        size_t n = zero ? (size_t)(zero - value.data) + 1 : value.len;
        buf_put(buf, value.data, n);
        if (zero)
            buf_put_u8(buf, ESCAPE);
        value = slice_skip(value, n);
    }
    buf_put_u16(buf, 0);
}

bool order_get_raw(struct slice *from, uint8_t *out, size_t n)
{
    if (from->len < n)
        return false;
    memcpy(out, from->data, n);
    *from = slice_skip(*from, n);
    return true;
}

bool order_get_signed(struct slice *from, uint8_t *out, size_t n)
{
    if (n == 0 || !order_get_raw(from, out, n))
        return false;
    out[0] ^= 0x80;
    return true;
}

bool order_get_real(struct slice *from, uint8_t *out, size_t n)
{
    if (!order_get_raw(from, out, n))
        return false;
    if (out[0] & 0x80) {
        out[0] ^= 0x80;
        return true;
    }
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)~out[i];
    return true;
}

enum wr_status order_get_string(struct ctx *ctx, struct slice *from, struct slice *out)
{
    const uint8_t *zero;
    size_t at = 0, escapes = 0;
    /* First to its end, so that what is asked of the arena is what the string needs. */
    for (;; escapes++) {
        zero = at < from->len ? memchr(from->data + at, ESCAPED, from->len - at) : NULL;
        if (!zero || zero + 1 == from->data + from->len)
            return fail_corrupt(ctx, "order: a string without its end");
        at = (size_t)(zero - from->data) + 2;
        if (zero[1] == 0)
            break;
        if (zero[1] != ESCAPE)
            return fail_corrupt(ctx, "order: a string's escape");
    }
    size_t coded = at - 2, len = coded - escapes;
    uint8_t *bytes = arena_alloc_raw(ctx->arena, len);
    if (!bytes)
        return fail_nomem(ctx);
    for (size_t i = 0, j = 0; j < coded;) { /* up to an escaped zero, and with it */
        zero = escapes ? memchr(from->data + j, ESCAPED, coded - j) : NULL;
        size_t n = zero ? (size_t)(zero - from->data) + 1 - j : coded - j;
        memcpy(bytes + i, from->data + j, n);
        i += n;
        j += zero ? n + 1 : n;
    }
    *from = slice_skip(*from, at);
    *out = slice_of(bytes, len);
    return WR_OK;
}

void order_invert(struct buf *buf, size_t from)
{
    if (buf->failed)
        return;
    for (size_t i = from; i < buf->len; i++)
        buf->data[i] = (uint8_t)~buf->data[i];
}
