/*
 * func_time.c - the time of the statement, conversions between date, timestamp and timeuuid, and floor.
 */
#include "engine/coding.h"
#include "model/calendar.h"
#include "model/database.h"
#include "model/duration.h"
#include "model/func.h"
#include "model/numeric.h"
#include "model/timeuuid.h"

enum { NANOS_PER_MS = 1000000, MONTHS_PER_YEAR = 12, STEPS_MAX = 20000 };
#define MS_PER_MONTH 2629746000.0 /* on average */

/* ---- now ---- */

enum wr_status func_now(const struct call *call, const struct slice *args, struct slice *out)
{
    uint8_t *uuid = ctx_alloc(call->ctx, TIMEUUID_BYTES);

    (void)args;
    if (!uuid)
        return WR_NOMEM;
    timeuuid_next(&call->exec->db->last_timeuuid_us, call->exec->now_us, uuid);
    *out = slice_of(uuid, TIMEUUID_BYTES);
    return WR_OK;
}

enum wr_status func_current_timestamp(const struct call *call, const struct slice *args, struct slice *out)
{
    (void)args;
    return numeric_put_integer(call->ctx, TYPE_BIGINT, floor_div(call->exec->now_us, 1000), out);
}

enum wr_status func_current_date(const struct call *call, const struct slice *args, struct slice *out)
{
    (void)args;
    return numeric_put_integer(call->ctx, TYPE_INT, floor_div(call->exec->now_us, MS_PER_DAY * 1000) + DATE_EPOCH, out);
}

enum wr_status func_current_time(const struct call *call, const struct slice *args, struct slice *out)
{
    (void)args;
    return numeric_put_integer(call->ctx, TYPE_BIGINT, floor_mod(call->exec->now_us, MS_PER_DAY * 1000) * 1000, out);
}

/* ---- conversions, all by way of milliseconds ---- */

static int64_t ms_of(const struct type *type, struct slice value)
{
    switch (type->kind) {
    case TYPE_DATE:
        return ((int64_t)read_u32(value.data) - DATE_EPOCH) * MS_PER_DAY;
    case TYPE_TIMEUUID:
        return timeuuid_ms(value.data);
    default:
        return (int64_t)read_u64(value.data);
    }
}

static enum wr_status put_ms(const struct call *call, const struct type *type, int64_t ms, struct slice *out)
{
    /* SimpleDateSerializer.timeInMillisToDay (Duration.toDays) rounds to seconds downwards, to days towards 1970 */
    if (type->kind == TYPE_DATE)
        return numeric_put_integer(call->ctx, TYPE_INT, floor_div(ms, 1000) / (MS_PER_DAY / 1000) + DATE_EPOCH, out);
    return numeric_put_integer(call->ctx, TYPE_BIGINT, ms, out);
}

static enum wr_status convert(const struct call *call, const struct slice *args, struct slice *out)
{
    return put_ms(call, call->func->result, ms_of(call->func->args[0], args[0]), out);
}

enum wr_status func_to_date(const struct call *call, const struct slice *args, struct slice *out)
{
    return convert(call, args, out);
}

enum wr_status func_to_timestamp(const struct call *call, const struct slice *args, struct slice *out)
{
    return convert(call, args, out);
}

enum wr_status func_to_unix_timestamp(const struct call *call, const struct slice *args, struct slice *out)
{
    return convert(call, args, out);
}

static enum wr_status bound_uuid(const struct call *call, const struct slice *args, void (*make)(int64_t, uint8_t *),
                                 struct slice *out)
{
    uint8_t *uuid = ctx_alloc(call->ctx, TIMEUUID_BYTES);

    if (!uuid)
        return WR_NOMEM;
    make((int64_t)read_u64(args[0].data), uuid);
    *out = slice_of(uuid, TIMEUUID_BYTES);
    return WR_OK;
}

enum wr_status func_min_timeuuid(const struct call *call, const struct slice *args, struct slice *out)
{
    return bound_uuid(call, args, timeuuid_min, out);
}

enum wr_status func_max_timeuuid(const struct call *call, const struct slice *args, struct slice *out)
{
    return bound_uuid(call, args, timeuuid_max, out);
}

/* ---- floor ---- */

static bool is_negative(struct duration d)
{
    return d.months < 0 || d.days < 0 || d.nanos < 0;
}

/* By Calendar, of which YEAR counts from the birth of Christ in both directions; an int, which wraps. */
static uint32_t month_number(int64_t ms)
{
    struct civil date = java_of_days(floor_div(ms, MS_PER_DAY));

    return (uint32_t)((date.year > 0 ? date.year : 1 - date.year) * MONTHS_PER_YEAR + date.month);
}

/* The greatest start + n * d that is not behind ms (Duration.floorTimestamp; it wraps, as Java does). */
static int64_t floor_ms(int64_t ms, struct duration d, int64_t start)
{
    int64_t step = (int64_t)((uint64_t)d.days * MS_PER_DAY + (uint64_t)(d.nanos / NANOS_PER_MS)), n, at;

    if (d.months == 0)
        return step == 0 ? ms : ms - (int64_t)((uint64_t)ms - (uint64_t)start) % step;

    /* As many months as lie between, then back until days and hours fit as well. Like Java's calendar, going back
     * starts from where going forward has come to: the 31st, cut to the 30th, stays the 30th. Where that would be a
     * long way, most of it is done by the length of an average month. */
    n = (int32_t)(month_number(ms) - month_number(start)) / d.months;
    if (n > STEPS_MAX && step > 0) {
        double average = (double)step + d.months * MS_PER_MONTH;
        int64_t estimate = (int64_t)(((double)ms - (double)start) / average) + STEPS_MAX / 2;
        n = estimate < n ? estimate : n;
    }
    at = duration_add_to_ms((struct duration){ .months = (int32_t)(n * d.months) }, start);
    if (d.days == 0 && d.nanos == 0)
        return at;
    for (int64_t i = 0; i <= STEPS_MAX; i++, n--) {
        int64_t floor = (int64_t)((uint64_t)at + (uint64_t)n * (uint64_t)step);
        if (floor <= ms)
            return floor > start ? floor : start;
        at = duration_add_to_ms((struct duration){ .months = -d.months }, at);
    }
    return start;
}

static enum wr_status refuse(struct ctx *ctx, const char *before, struct duration d, const char *after)
{
    struct buf text;

    buf_init(&text, ctx->arena);
    duration_print(&text, d);
    return fail(ctx, WR_INVALID, "%s the %.*s duration as precision is below %s", before, SLICE_ARG(buf_slice(&text)),
                after);
}

enum wr_status func_floor(const struct call *call, const struct slice *args, struct slice *out)
{
    const struct func *func = call->func;
    int64_t ms = ms_of(func->args[0], args[0]), start = func->arg_count == 3 ? ms_of(func->args[2], args[2]) : 0;
    struct ctx *ctx = call->ctx;
    struct duration d;

    TRY(duration_decode(ctx, args[1], &d));
    if (func->result->kind == TYPE_DATE && d.nanos != 0)
        return refuse(ctx, "The floor on date values cannot be computed for", d, "1 day");
    if (d.nanos % NANOS_PER_MS != 0)
        return refuse(ctx, "The floor cannot be computed for", d, "1 millisecond");
    if (start > ms)
        return fail(ctx, WR_INVALID, "The floor function starting time is greater than the provided time");
    if (is_negative(d))
        return fail(ctx, WR_INVALID, "Negative durations are not supported by the floor function");
    return put_ms(call, func->result, floor_ms(ms, d, start), out);
}

enum wr_status func_floor_time(const struct call *call, const struct slice *args, struct slice *out)
{
    int64_t nanos = (int64_t)read_u64(args[0].data);
    struct duration d;

    TRY(duration_decode(call->ctx, args[1], &d));
    if (is_negative(d))
        return fail(call->ctx, WR_INVALID, "Negative durations are not supported by the floor function");
    if (d.months != 0 || d.days != 0 || d.nanos > NANOS_PER_DAY)
        return fail(call->ctx, WR_INVALID,
                    "For time values, the floor can only be computed for durations smaller that a day");
    return numeric_put_integer(call->ctx, TYPE_BIGINT, d.nanos == 0 ? nanos : nanos - nanos % d.nanos, out);
}
