#include "engine/coding.h"
#include "engine/order.h"
#include "model/digit.h"
#include "model/number.h"
#include "model/real.h"
#include "model/type_ops.h"
#include "model/unicode.h"

/* ---- bigint, counter, int, smallint, tinyint ---- */

/* Of a tinyint that was written as a longer constant the first byte counts (ByteSerializer). */
static struct slice number_in(const struct type *type, struct slice value)
{
    return type->kind == TYPE_TINYINT ? slice_of(value.data, 1) : value;
}

int type_integer_compare(const struct type *type, struct slice a, struct slice b)
{
    int64_t x = varint_to_i64(number_in(type, a)), y = varint_to_i64(number_in(type, b));
    return (x > y) - (x < y);
}

void type_integer_print(struct buf *buf, const struct type *type, struct slice value, enum text_form form)
{
    (void)form;
    put_whole(buf, varint_to_i64(number_in(type, value)));
}

static const char *java_word(const struct type *type)
{
    switch (type_fixed_len(type)) {
    case 1:
        return "byte";
    case 2:
        return "short";
    case 4:
        return "int";
    default:
        return "long";
    }
}

/* Long.parseLong and its kin: a sign, then digits. */
static bool parse_digits(struct slice text, int bytes, int64_t *out)
{
    bool negative = text.len && text.data[0] == '-';
    uint64_t v = 0, limit = (UINT64_C(1) << (bytes * 8 - 1)) - !negative;
    if (negative || (text.len && text.data[0] == '+'))
        text = slice_skip(text, 1);
    for (size_t i = 0; i < text.len; i++) {
        uint64_t digit = (uint64_t)text.data[i] - '0';
        if (digit > 9 || v > (limit - digit) / 10)
            return false;
        v = v * 10 + digit;
    }
    *out = (int64_t)(negative ? 0 - v : v);
    return text.len > 0;
}

enum wr_status type_integer_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out)
{
    int len = type_fixed_len(type);
    uint8_t bytes[8];
    struct slice digits;
    int64_t v;
    if (text.len == 0) {
        *out = SLICE_EMPTY;
        return WR_OK;
    }
    TRY(unicode_digits(ctx, text, &digits));
    if (!parse_digits(digits, len, &v))
        return fail(ctx, WR_INVALID, "Unable to make %s from '%.*s'", java_word(type), SLICE_ARG(text));
    put_u64(bytes, (uint64_t)v);
    return ctx_copy(ctx, slice_of(bytes + 8 - len, (size_t)len), out);
}

void type_integer_put_order(struct buf *buf, const struct type *type, struct slice value)
{
    order_put_signed(buf, number_in(type, value));
}

enum wr_status type_integer_get_order(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out)
{
    uint8_t bytes[8];
    size_t len = (size_t)type_fixed_len(type);
    if (!order_get_signed(from, bytes, len))
        return fail_corrupt(ctx, "order: a number");
    return ctx_copy(ctx, slice_of(bytes, len), out);
}

void type_integer_get_fixed(const uint8_t *from, uint8_t *to, size_t len)
{
    memcpy(to, from, len);
    to[0] ^= 0x80;
}

/* ---- float, double ---- */

static double real_of(struct slice value)
{
    return value.len == 4 ? real_widen(float_of(read_u32(value.data))) : double_of(read_u64(value.data));
}

/* Double.compare: -0.0 before 0.0, all NaN equal and greatest. */
int type_real_compare(const struct type *type, struct slice a, struct slice b)
{
    (void)type;
    double x = real_of(a), y = real_of(b);
    if (x < y)
        return -1;
    if (x > y)
        return 1;
    int64_t m = (int64_t)double_bits(x), n = (int64_t)double_bits(y);
    return (m > n) - (m < n);
}

void type_real_print(struct buf *buf, const struct type *type, struct slice value, enum text_form form)
{
    (void)type;
    double v = real_of(value);
    if (form == TEXT_JSON && v - v != 0)
        buf_put_str(buf, "null"); /* JSON has no NaN and no infinity */
    else if (value.len == 4)
        float_print(buf, float_of(read_u32(value.data)));
    else
        double_print(buf, v);
}

enum wr_status type_real_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out)
{
    uint8_t bytes[8];
    size_t len = (size_t)type_fixed_len(type);
    double d = 0;
    float f = 0;
    if (text.len == 0) {
        *out = SLICE_EMPTY;
        return WR_OK;
    }
    if (!(len == 4 ? float_parse(text, &f) : double_parse(text, &d)))
        return fail(ctx, WR_INVALID, "Unable to make %s from '%.*s'", type_ops(type)->name, SLICE_ARG(text));
    if (len == 4)
        put_u32(bytes, float_bits(f));
    else
        put_u64(bytes, double_bits(d));
    return ctx_copy(ctx, slice_of(bytes, len), out);
}

void type_real_put_order(struct buf *buf, const struct type *type, struct slice value)
{
    (void)type;
    order_put_real(buf, value);
}

enum wr_status type_real_get_order(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out)
{
    uint8_t bytes[8];
    size_t len = (size_t)type_fixed_len(type);
    if (!order_get_real(from, bytes, len))
        return fail_corrupt(ctx, "order: a real number");
    return ctx_copy(ctx, slice_of(bytes, len), out);
}

/* ---- boolean: any byte but 0 is true, and stays as it came ---- */

int type_boolean_compare(const struct type *type, struct slice a, struct slice b)
{
    (void)type;
    return (a.data[0] != 0) - (b.data[0] != 0);
}

void type_boolean_print(struct buf *buf, const struct type *type, struct slice value, enum text_form form)
{
    (void)type;
    (void)form;
    buf_put_str(buf, value.data[0] ? "true" : "false");
}

enum wr_status type_boolean_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out)
{
    (void)type;
    bool is_true = is_word(text, "true");
    if (!is_true && text.len && !is_word(text, "false")) /* the empty text is false */
        return fail(ctx, WR_INVALID, "Unable to make boolean from '%.*s'", SLICE_ARG(text));
    *out = slice_of(is_true ? "\1" : "\0", 1);
    return WR_OK;
}

void type_boolean_put_order(struct buf *buf, const struct type *type, struct slice value)
{
    (void)type;
    buf_put_u8(buf, value.data[0] != 0);
}

enum wr_status type_boolean_get_order(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out)
{
    (void)type;
    uint8_t byte;
    if (!order_get_raw(from, &byte, 1) || byte > 1)
        return fail_corrupt(ctx, "order: a boolean");
    *out = slice_of(byte ? "\1" : "\0", 1);
    return WR_OK;
}

/* ---- varint, decimal: number.h does the work ---- */

enum wr_status type_varint_validate(struct ctx *ctx, const struct type *type, struct slice value)
{
    if (value.len > NUMBER_BYTES_MAX)
        return fail(ctx, WR_INVALID, "A %s of %zu bytes is longer than the %d supported", type_ops(type)->name,
                    value.len, NUMBER_BYTES_MAX);
    return WR_OK;
}

int type_varint_compare(const struct type *type, struct slice a, struct slice b)
{
    (void)type;
    return varint_cmp(a, b);
}

void type_varint_print(struct buf *buf, const struct type *type, struct slice value, enum text_form form)
{
    (void)type;
    (void)form;
    varint_print(buf, value);
}

enum wr_status type_varint_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out)
{
    (void)type;
    if (text.len == 0) {
        *out = SLICE_EMPTY;
        return WR_OK;
    }
    TRY(varint_parse(ctx, text, out));
    if (slice_is_null(*out))
        return fail(ctx, WR_INVALID, "unable to make int from '%.*s'", SLICE_ARG(text));
    return WR_OK;
}

void type_varint_put_order(struct buf *buf, const struct type *type, struct slice value)
{
    (void)type;
    varint_put_order(buf, value);
}

enum wr_status type_varint_get_order(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out)
{
    (void)type;
    return varint_get_order(ctx, from, out);
}

enum wr_status type_decimal_validate(struct ctx *ctx, const struct type *type, struct slice value)
{
    if (value.len > 0 && value.len < 4)
        return fail(ctx, WR_INVALID, "Expected 0 or at least 4 bytes (%zu)", value.len);
    /* The server takes a scale without a number and fails with this text whenever it looks at it. */
    if (value.len == 4)
        return fail(ctx, WR_INVALID, "Zero length BigInteger");
    return type_varint_validate(ctx, type, value);
}

int type_decimal_compare(const struct type *type, struct slice a, struct slice b)
{
    (void)type;
    return decimal_cmp(a, b);
}

void type_decimal_print(struct buf *buf, const struct type *type, struct slice value, enum text_form form)
{
    (void)type;
    (void)form;
    decimal_print(buf, value);
}

void type_decimal_put_order(struct buf *buf, const struct type *type, struct slice value)
{
    (void)type;
    decimal_put_order(buf, value);
}

enum wr_status type_decimal_get_order(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out)
{
    (void)type;
    return decimal_get_order(ctx, from, out);
}

enum wr_status type_decimal_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out)
{
    (void)type;
    if (text.len == 0) {
        *out = SLICE_EMPTY;
        return WR_OK;
    }
    TRY(decimal_parse(ctx, text, out));
    if (slice_is_null(*out))
        return fail(ctx, WR_INVALID, "unable to make BigDecimal from '%.*s'", SLICE_ARG(text));
    return WR_OK;
}
