#include "model/big.h"

enum {
    CHUNK_DIGITS = BIG_POW10_AT_ONCE + 1, /* as many decimal digits as one of the library's holds */
    SMALL_BYTES = 8,
};

static const uint64_t powers10[] = {
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    10000000000,
    100000000000,
    1000000000000,
    10000000000000,
    100000000000000,
    1000000000000000,
    10000000000000000,
    100000000000000000,
    1000000000000000000,
};

enum wr_status big_ok(struct ctx *ctx, mp_err err)
{
    return err == MP_OKAY ? WR_OK : fail_nomem(ctx);
}

enum wr_status big_fail_overflow(struct ctx *ctx)
{
    return fail(ctx, WR_FUNCTION_FAILURE, "BigInteger would overflow supported range");
}

void big_borrow(mp_int *n, mp_digit *room, int digits)
{
    *n = (mp_int){ .alloc = digits, .sign = MP_ZPOS, .dp = room };
}

/* Byte by byte into the library's digits: mp_from_ubin, and mp_to_ubin for the way back, move the whole number for each byte. */
static mp_err fill_digits(mp_int *n, struct slice bytes, uint8_t flip)
{
    mp_err err = mp_grow(n, (int)(bytes.len * 8 / MP_DIGIT_BIT) + 1);
    unsigned __int128 bits = 0;
    int have = 0;

    if (err != MP_OKAY)
        return err;
    mp_zero(n);
    for (size_t i = bytes.len; i; i--) {
        bits |= (unsigned __int128)(uint8_t)(bytes.data[i - 1] ^ flip) << have;
        have += 8;
        if (have >= MP_DIGIT_BIT) {
            n->dp[n->used++] = (mp_digit)bits & MP_MASK;
            bits >>= MP_DIGIT_BIT;
            have -= MP_DIGIT_BIT;
        }
    }
    if (have)
        n->dp[n->used++] = (mp_digit)bits;
    mp_clamp(n);
    return MP_OKAY;
}

static void read_digits(const mp_int *n, uint8_t *bytes, size_t len)
{
    unsigned __int128 bits = 0;
    int have = 0, at = 0;

    for (size_t i = len; i; i--) {
        if (have < 8 && at < n->used) {
            bits |= (unsigned __int128)n->dp[at++] << have;
            have += MP_DIGIT_BIT;
        }
        bytes[i - 1] = (uint8_t)bits;
        bits >>= 8;
        have -= 8;
    }
}

mp_err big_from_bytes(mp_int *n, struct slice bytes)
{
    if (bytes.len <= SMALL_BYTES) {
        int64_t v = bytes.len && (bytes.data[0] & 0x80) ? -1 : 0;
        for (size_t i = 0; i < bytes.len; i++)
            v = (int64_t)((uint64_t)v << 8 | bytes.data[i]);
        mp_set_i64(n, v);
        return MP_OKAY;
    }
    bool negative = bytes.data[0] & 0x80;
    mp_err err = fill_digits(n, bytes, negative ? 0xff : 0);
    if (err == MP_OKAY && negative) { /* -(~n + 1) */
        err = mp_add_d(n, 1, n);
        if (err == MP_OKAY)
            err = mp_neg(n, n);
    }
    return err;
}

mp_err big_from_digits(mp_int *n, const uint8_t *digits, size_t count)
{
    mp_zero(n);
    while (count > 0) {
        size_t take = count < CHUNK_DIGITS ? count : CHUNK_DIGITS;
        mp_digit chunk = 0;
        for (size_t i = 0; i < take; i++)
            chunk = chunk * 10 + (mp_digit)(digits[i] - '0');
        mp_err err = mp_mul_d(n, (mp_digit)powers10[take], n);
        if (err == MP_OKAY)
            err = mp_add_d(n, chunk, n);
        if (err != MP_OKAY)
            return err;
        digits += take;
        count -= take;
    }
    return MP_OKAY;
}

/* What libtommath has for it goes by another name from version to version. */
static mp_err raise_10(uint32_t power, mp_int *out)
{
    mp_err err = MP_OKAY;

    mp_set(out, 1);
    for (uint32_t bit = UINT32_C(1) << 31; bit && err == MP_OKAY; bit >>= 1) {
        err = mp_sqr(out, out);
        if (err == MP_OKAY && power & bit)
            err = mp_mul_d(out, 10, out);
    }
    return err;
}

mp_err big_times_pow10(mp_int *n, uint32_t power)
{
    if (power < CHUNK_DIGITS)
        return mp_mul_d(n, (mp_digit)powers10[power], n);
    mp_int factor;
    mp_err err = mp_init(&factor);
    if (err != MP_OKAY)
        return err;
    err = raise_10(power, &factor);
    if (err == MP_OKAY)
        err = mp_mul(n, &factor, n);
    mp_clear(&factor);
    return err;
}

size_t big_len(const mp_int *n)
{
    return (size_t)mp_count_bits(n) / 8 + 1;
}

void big_put_bytes(struct buf *buf, const mp_int *n)
{
    size_t from = buf->len, size = mp_ubin_size(n);
    if (size == 0)
        buf_put_u8(buf, 0);
    if (size == 0 || !buf_reserve(buf, size + 1))
        return;
    uint8_t *bytes = buf->data + from;
    bytes[0] = 0;
    read_digits(n, bytes + 1, size);
    if (mp_isneg(n)) {
        for (size_t i = 0; i <= size; i++)
            bytes[i] = (uint8_t)~bytes[i];
        for (size_t i = size; ++bytes[i] == 0;)
            i--;
    }
    buf->len = from + size + 1;
    if ((bytes[0] & 0x80) == (bytes[1] & 0x80)) { /* the first byte only repeats the sign */
        memmove(bytes, bytes + 1, size);
        buf->len--;
    }
}

mp_err big_put_digits(struct buf *buf, const mp_int *n)
{
    if (mp_count_bits(n) <= 64) {
        buf_printf(buf, "%llu", (unsigned long long)mp_get_mag_u64(n));
        return buf->failed ? MP_MEM : MP_OKAY;
    }
    /* Chunks come least first: each goes in front of those before, into room for all of them. */
    size_t room = (size_t)((double)mp_count_bits(n) * 0.30103) + CHUNK_DIGITS + 2, at = room;
    if (!buf_reserve(buf, room))
        return MP_MEM;
    uint8_t *text = buf->data + buf->len;
    mp_int rest;
    mp_err err = mp_init_copy(&rest, n);
    if (err != MP_OKAY)
        return err;
    while (err == MP_OKAY && !mp_iszero(&rest)) {
        mp_digit chunk;
        err = mp_div_d(&rest, (mp_digit)powers10[CHUNK_DIGITS], &rest, &chunk);
        for (int i = 0; err == MP_OKAY && i < CHUNK_DIGITS && (chunk || !mp_iszero(&rest)); i++) {
            text[--at] = (uint8_t)('0' + chunk % 10);
            chunk /= 10;
        }
    }
    mp_clear(&rest);
    if (err == MP_OKAY) {
        memmove(text, text + at, room - at);
        buf->len += room - at;
    }
    return err;
}
