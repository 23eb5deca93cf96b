/* Comparable bytes of varint and decimal: order.h's kind of promise for numbers of any size. */
#include "engine/coding.h"
#include "engine/order.h"
#include "model/number.h"

/* ---- varint ---- */

/*
 * Comparable: the length first, so that more bytes are farther from zero, then the bytes, which sort among equally long
 * ones of one sign. 80..EF: 1 to 112 bytes, not negative; F0: a u32 length follows. For negative ones all of that
 * flipped.
 */
enum { ORDER_SHORT_MAX = 112, ORDER_LONG = 0xF0 };

void varint_put_order(struct buf *buf, struct slice value)
{
    value = varint_trim(value);
    size_t from = buf->len;
    if (value.len <= ORDER_SHORT_MAX) {
        buf_put_u8(buf, (uint8_t)(0x80 + value.len - 1));
    } else {
        buf_put_u8(buf, ORDER_LONG);
        buf_put_u32(buf, (uint32_t)value.len);
    }
    if (value.data[0] & 0x80)
        order_invert(buf, from);
    buf_put_slice(buf, value);
}

enum wr_status varint_get_order(struct ctx *ctx, struct slice *from, struct slice *out)
{
    struct reader r = reader_of(*from);
    uint8_t first = read_byte(&r), flip = first & 0x80 ? 0 : 0xff;
    size_t len = (size_t)(first ^ flip) - 0x80 + 1;
    if ((first ^ flip) >= ORDER_LONG)
        len = read_be32(&r) ^ (flip ? UINT32_MAX : 0);
    struct slice bytes = read_bytes(&r, len);
    if (r.failed || len == 0 || (bytes.data[0] & 0x80) != (flip & 0x80))
        return fail_corrupt(ctx, "order: a varint");
    TRY(ctx_copy(ctx, bytes, out));
    *from = reader_rest(&r);
    return WR_OK;
}

/* ---- decimal ---- */

/*
 * Comparable: the sign (7F 80 81), then for 0.d1d2d3... * 10^exponent the exponent and the digits in pairs, each pair
 * plus one, ended by 0; behind a negative sign all bits flipped. The exponent is one byte, 0x80 in the middle, where it
 * is small; else 00 or FF and five bytes.
 */
enum { SIGN_ZERO = 0x80, EXPONENT_SMALL_MAX = 110 };

static const int64_t exponent_bias = INT64_C(1) << 39;

void decimal_put_order(struct buf *buf, struct slice value)
{
    struct buf text;
    buf_init(&text, buf->arena);
    varint_print(&text, slice_skip(value, 4));
    if (text.failed) {
        buf->failed = true;
        return;
    }
    struct slice digits = buf_slice(&text);
    bool negative = digits.data[0] == '-';
    if (negative)
        digits = slice_skip(digits, 1);
    int64_t exponent = (int64_t)digits.len - (int32_t)read_u32(value.data);
    while (digits.len && digits.data[digits.len - 1] == '0')
        digits.len--;
    if (!digits.len) {
        buf_put_u8(buf, SIGN_ZERO);
        return;
    }
    buf_put_u8(buf, negative ? SIGN_ZERO - 1 : SIGN_ZERO + 1);
    size_t from = buf->len;
    if (exponent >= -EXPONENT_SMALL_MAX && exponent <= EXPONENT_SMALL_MAX) {
        buf_put_u8(buf, (uint8_t)(0x80 + exponent));
    } else {
        buf_put_u8(buf, exponent < 0 ? 0x00 : 0xff);
        buf_put_u8(buf, (uint8_t)((exponent + exponent_bias) >> 32));
        buf_put_u32(buf, (uint32_t)(exponent + exponent_bias));
    }
    for (size_t i = 0; i < digits.len; i += 2)
        buf_put_u8(buf,
                   (uint8_t)((digits.data[i] - '0') * 10 + (i + 1 < digits.len ? digits.data[i + 1] - '0' : 0) + 1));
    buf_put_u8(buf, 0);
    if (negative)
        order_invert(buf, from);
}

static const int64_t whole_digits_max = 18;

/* Whole numbers of an ordinary size come back without an exponent, all others with the scale their digits need (or, at
 * the end of what a scale can be, with some zeros more). */
static enum wr_status canonical(struct ctx *ctx, bool negative, struct buf *digits, int64_t exponent, struct slice *out)
{
    if (digits->failed)
        return fail_nomem(ctx);
    while (digits->len && digits->data[digits->len - 1] == '0')
        digits->len--;
    if (digits->len == 0)
        return fail_corrupt(ctx, "order: a decimal");
    int64_t least = exponent <= whole_digits_max ? exponent : exponent + INT32_MIN;
    if (least > NUMBER_TEXT_MAX)
        return fail_corrupt(ctx, "order: a decimal");
    while ((int64_t)digits->len < least && !digits->failed)
        buf_put_u8(digits, '0');
    if (digits->failed)
        return fail_nomem(ctx);
    TRY(decimal_of_digits(ctx, negative, buf_slice(digits), (int64_t)digits->len - exponent, out));
    return slice_is_null(*out) ? fail_corrupt(ctx, "order: a decimal") : WR_OK;
}

enum wr_status decimal_get_order(struct ctx *ctx, struct slice *from, struct slice *out)
{
    static const uint8_t zero[5] = { 0 };
    struct reader r = reader_of(*from);
    uint8_t sign = read_byte(&r), flip = sign < SIGN_ZERO ? 0xff : 0;
    if (r.failed || sign < SIGN_ZERO - 1 || sign > SIGN_ZERO + 1)
        return fail_corrupt(ctx, "order: a decimal");
    if (sign == SIGN_ZERO) {
        *from = reader_rest(&r);
        return ctx_copy(ctx, slice_of(zero, sizeof zero), out);
    }
    uint8_t first = read_byte(&r) ^ flip;
    int64_t exponent = first - 0x80;
    if (first == 0x00 || first == 0xff) {
        exponent = (int64_t)(uint8_t)(read_byte(&r) ^ flip) << 32;
        exponent += read_be32(&r) ^ (flip ? UINT32_MAX : 0);
        exponent -= exponent_bias;
    }
    struct buf digits;
    buf_init(&digits, ctx->arena);
    for (;;) {
        uint8_t pair = read_byte(&r) ^ flip;
        if (r.failed || pair > 100)
            return fail_corrupt(ctx, "order: a decimal");
        if (pair == 0)
            break;
        buf_put_u8(&digits, (uint8_t)('0' + (pair - 1) / 10));
        buf_put_u8(&digits, (uint8_t)('0' + (pair - 1) % 10));
    }
    TRY(canonical(ctx, sign < SIGN_ZERO, &digits, exponent, out));
    *from = reader_rest(&r);
    return WR_OK;
}
