#include <stdio.h>

#include "engine/coding.h"
#include "engine/order.h"
#include "model/calendar.h"
#include "model/duration.h"
#include "model/type_ops.h"

static enum wr_status copy_u64(struct ctx *ctx, uint64_t v, struct slice *out)
{
    uint8_t bytes[8];
    put_u64(bytes, v);
    return ctx_copy(ctx, slice_of(bytes, sizeof bytes), out);
}

static void put_number(struct buf *buf, long long number)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", number);
    buf_put_str(buf, text);
}

/* ---- date: unsigned days, so its bytes are in order as they are ---- */

int type_date_compare(const struct type *type, struct slice a, struct slice b)
{
    return type_bytes_compare(type, a, b);
}

void type_date_print(struct buf *buf, const struct type *type, struct slice value, enum text_form form)
{
    (void)type;
    if (form == TEXT_TERM) /* a literal has no place for years of many digits */
        put_number(buf, read_u32(value.data));
    else
        date_print(buf, read_u32(value.data));
}

enum wr_status type_date_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out)
{
    (void)type;
    uint8_t bytes[4];
    uint32_t date;
    TRY(date_parse(ctx, text, &date));
    put_u32(bytes, date);
    return ctx_copy(ctx, slice_of(bytes, sizeof bytes), out);
}

void type_date_put_order(struct buf *buf, const struct type *type, struct slice value)
{
    (void)type;
    buf_put_slice(buf, value);
}

enum wr_status type_date_get_order(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out)
{
    (void)type;
    uint8_t bytes[4];
    if (!order_get_raw(from, bytes, sizeof bytes))
        return fail_corrupt(ctx, "order: a date");
    return ctx_copy(ctx, slice_of(bytes, sizeof bytes), out);
}

/* ---- time: signed in name only (a bound value may be anything), in order by its bytes, as the server compares ---- */

int type_time_compare(const struct type *type, struct slice a, struct slice b)
{
    return type_bytes_compare(type, a, b);
}

void type_time_print(struct buf *buf, const struct type *type, struct slice value, enum text_form form)
{
    (void)type;
    (void)form;
    time_print(buf, (int64_t)read_u64(value.data));
}

enum wr_status type_time_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out)
{
    (void)type;
    int64_t nanos;
    TRY(time_parse(ctx, text, &nanos));
    return copy_u64(ctx, (uint64_t)nanos, out);
}

void type_time_put_order(struct buf *buf, const struct type *type, struct slice value)
{
    (void)type;
    buf_put_slice(buf, value);
}

enum wr_status type_time_get_order(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out)
{
    (void)type;
    uint8_t bytes[8];
    if (!order_get_raw(from, bytes, sizeof bytes))
        return fail_corrupt(ctx, "order: a time");
    return ctx_copy(ctx, slice_of(bytes, sizeof bytes), out);
}

/* ---- timestamp ---- */

int type_timestamp_compare(const struct type *type, struct slice a, struct slice b)
{
    return type_integer_compare(type, a, b);
}

void type_timestamp_print(struct buf *buf, const struct type *type, struct slice value, enum text_form form)
{
    (void)type;
    if (form == TEXT_TERM)
        put_number(buf, (int64_t)read_u64(value.data));
    else
        timestamp_print(buf, (int64_t)read_u64(value.data), form == TEXT_JSON ? ' ' : 'T');
}

enum wr_status type_timestamp_from_string(struct ctx *ctx, const struct type *type, struct slice text,
                                          struct slice *out)
{
    (void)type;
    int64_t ms;
    if (text.len == 0) {
        *out = SLICE_EMPTY;
        return WR_OK;
    }
    TRY(timestamp_parse(ctx, text, &ms));
    return copy_u64(ctx, (uint64_t)ms, out);
}

void type_timestamp_put_order(struct buf *buf, const struct type *type, struct slice value)
{
    type_integer_put_order(buf, type, value);
}

enum wr_status type_timestamp_get_order(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out)
{
    return type_integer_get_order(ctx, type, from, out);
}

/* ---- duration: has no order (a month has no length), so its bytes stand in ---- */

enum wr_status type_duration_validate(struct ctx *ctx, const struct type *type, struct slice value)
{
    (void)type;
    struct duration d;
    return duration_decode(ctx, value, &d);
}

int type_duration_compare(const struct type *type, struct slice a, struct slice b)
{
    return type_bytes_compare(type, a, b);
}

void type_duration_print(struct buf *buf, const struct type *type, struct slice value, enum text_form form)
{
    (void)type;
    struct ctx scratch; /* for a message nobody reads: the value has been validated */
    struct duration d;
    ctx_init(&scratch, buf->arena);
    size_t before = buf->len;
    if (duration_decode(&scratch, value, &d) == WR_OK)
        duration_print(buf, d);
    if (form == TEXT_TERM && buf->len == before)
        buf_put_str(buf, "0s"); /* a duration of nothing has no text */
}

enum wr_status type_duration_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out)
{
    (void)type;
    struct duration d;
    struct buf buf;
    if (text.len == 0) {
        *out = SLICE_EMPTY;
        return WR_OK;
    }
    enum wr_status st = duration_parse(ctx, text, &d);
    ctx->error_stands = st == WR_INVALID; /* Duration.from throws no MarshalException as other types do, but what goes to the client */
    TRY(st);
    buf_init(&buf, ctx->arena);
    duration_encode(&buf, d);
    return buf_done(ctx, &buf, out);
}

void type_duration_put_order(struct buf *buf, const struct type *type, struct slice value)
{
    type_bytes_put_order(buf, type, value);
}

enum wr_status type_duration_get_order(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out)
{
    return type_bytes_get_order(ctx, type, from, out);
}
