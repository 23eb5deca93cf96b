#include "model/number.h"

#include <assert.h>

#include "model/big.h"
#include "model/digit.h"
#include "model/unicode.h"

static enum wr_status write_varint(struct ctx *ctx, const mp_int *n, struct slice *out)
{
    if (big_len(n) > NUMBER_BYTES_MAX)
        return big_fail_overflow(ctx);
    struct buf buf;
    buf_init(&buf, ctx->arena);
    big_put_bytes(&buf, n);
    return buf_done(ctx, &buf, out);
}

enum wr_status varint_parse(struct ctx *ctx, struct slice text, struct slice *out)
{
    TRY(unicode_digits(ctx, text, &text));
    bool negative = text.len && text.data[0] == '-';
    size_t from = negative || (text.len && text.data[0] == '+');
    *out = SLICE_NULL;
    if (text.len == from || text.len > NUMBER_TEXT_MAX)
        return WR_OK;
    for (size_t i = from; i < text.len; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            return WR_OK;
    mp_int n;
    enum wr_status st = big_ok(ctx, mp_init(&n));
    if (st != WR_OK)
        return st;
    TRY_OUT(big_ok(ctx, big_from_digits(&n, text.data + from, text.len - from)));
    if (negative)
        TRY_OUT(big_ok(ctx, mp_neg(&n, &n)));
    if (big_len(&n) <= NUMBER_BYTES_MAX)
        st = write_varint(ctx, &n, out);
out:
    mp_clear(&n);
    return st;
}

void varint_print(struct buf *buf, struct slice value)
{
    value = varint_trim(value);
    if (value.len <= 8) {
        put_whole(buf, varint_to_i64(value));
        return;
    }
    mp_int n;
    if (mp_init(&n) != MP_OKAY) {
        buf->failed = true;
        return;
    }
    if (big_from_bytes(&n, value) != MP_OKAY)
        buf->failed = true;
    if (mp_isneg(&n))
        buf_put_u8(buf, '-');
    if (big_put_digits(buf, &n) != MP_OKAY)
        buf->failed = true;
    mp_clear(&n);
}

struct slice varint_trim(struct slice value)
{
    while (value.len > 1 && (value.data[0] == 0x00 || value.data[0] == 0xff) &&
           (value.data[0] & 0x80) == (value.data[1] & 0x80))
        value = slice_skip(value, 1);
    return value;
}

static bool is_negative(struct slice varint)
{
    return varint.data[0] & 0x80;
}

int varint_cmp(struct slice a, struct slice b)
{
    a = varint_trim(a);
    b = varint_trim(b);
    if (is_negative(a) != is_negative(b))
        return is_negative(a) ? -1 : 1;
    if (a.len != b.len)
        return (a.len > b.len) == is_negative(a) ? -1 : 1;
    int c = slice_cmp(a, b);
    return (c > 0) - (c < 0);
}

enum wr_status varint_calc(struct ctx *ctx, enum number_op op, struct slice a, struct slice b, struct slice *out)
{
    mp_int x, y;
    enum wr_status st = big_ok(ctx, mp_init_multi(&x, &y, NULL));
    if (st != WR_OK)
        return st;
    TRY_OUT(big_ok(ctx, big_from_bytes(&x, a)));
    TRY_OUT(big_ok(ctx, big_from_bytes(&y, b)));
    if ((op == NUMBER_DIVIDE || op == NUMBER_REMAINDER) && mp_iszero(&y)) {
        st = fail(ctx, WR_FUNCTION_FAILURE, "BigInteger divide by zero");
        goto out;
    }
    switch (op) {
    case NUMBER_ADD:
        st = big_ok(ctx, mp_add(&x, &y, &x));
        break;
    case NUMBER_SUBTRACT:
        st = big_ok(ctx, mp_sub(&x, &y, &x));
        break;
    case NUMBER_MULTIPLY:
        st = big_ok(ctx, mp_mul(&x, &y, &x));
        break;
    case NUMBER_DIVIDE:
        st = big_ok(ctx, mp_div(&x, &y, &x, NULL));
        break;
    case NUMBER_REMAINDER:
        st = big_ok(ctx, mp_div(&x, &y, NULL, &x));
        break;
    }
    if (st == WR_OK)
        st = write_varint(ctx, &x, out);
out:
    mp_clear_multi(&x, &y, NULL);
    return st;
}

enum wr_status varint_of_i64(struct ctx *ctx, int64_t v, struct slice *out)
{
    uint8_t bytes[8];
    put_u64(bytes, (uint64_t)v);
    return ctx_copy(ctx, varint_trim(slice_of(bytes, sizeof bytes)), out);
}

/* The magnitude is head * 2^exponent, and a little more where the head's last bit is set for what does not fit: enough
 * for the compiler's conversion to round as the whole would. */
static uint64_t head_of(struct slice value, int *exponent)
{
    bool negative = is_negative(value), rest = false;
    uint64_t head = 0;
    size_t n = 0;
    value = varint_trim(value);
    if (value.len > 8) /* the first byte may be all sign, so eight bytes are seven of number at worst: 56 bits */
        n = value.len - 8;
    for (size_t i = 0; i < value.len - n; i++)
        head = head << 8 | (negative ? (uint8_t)~value.data[i] : value.data[i]);
    for (size_t i = value.len - n; i < value.len; i++)
        rest |= value.data[i] != 0;
    if (negative && !rest)
        head++;
    *exponent = (int)n * 8;
    return head | rest;
}

double varint_to_double(struct slice value)
{
    int exponent;
    double v = (double)head_of(value, &exponent);
    for (; exponent > 0 && v <= 1.7976931348623157e308; exponent -= 8)
        v *= 256;
    return is_negative(value) ? -v : v;
}

float varint_to_float(struct slice value)
{
    int exponent;
    float v = (float)head_of(value, &exponent);
    for (; exponent > 0 && v <= 3.4028235e38F; exponent -= 8)
        v *= 256;
    return is_negative(value) ? -v : v;
}
