/* java.time as texts, and as objects: equal, hashed, in order. */
#include "model/java/object_ops.h"
#include "model/java/temporal.h"

/* ---- as texts ---- */

void chrono_put_year(struct buf *text, int64_t year)
{
    buf_printf(text, "%s%04lld", year < 0 ? "-" : year > 9999 ? "+" : "", (long long)(year < 0 ? -year : year));
}

static void put_day(struct buf *text, int64_t day)
{
    struct civil date = civil_of_days(day);
    chrono_put_year(text, date.year);
    buf_printf(text, "-%02d-%02d", date.month, date.day);
}

/* Fractions in groups of three digits, as many as there are. */
static void put_time(struct buf *text, int64_t nanos, bool always_seconds)
{
    int64_t seconds = nanos / NANOS_A_SECOND, rest = nanos % NANOS_A_SECOND;
    buf_printf(text, "%02d:%02d", (int)(seconds / 3600), (int)(seconds / 60 % 60));
    if (seconds % 60 || rest || always_seconds)
        buf_printf(text, ":%02d", (int)(seconds % 60));
    if (rest % 1000)
        buf_printf(text, ".%09d", (int)rest);
    else if (rest % 1000000)
        buf_printf(text, ".%06d", (int)(rest / 1000));
    else if (rest)
        buf_printf(text, ".%03d", (int)(rest / 1000000));
}

void chrono_put_offset(struct buf *text, int32_t offset_s)
{
    int32_t s = offset_s < 0 ? -offset_s : offset_s;
    if (!s) {
        buf_put_u8(text, 'Z');
        return;
    }
    buf_printf(text, "%c%02d:%02d", offset_s < 0 ? '-' : '+', (int)(s / 3600), (int)(s / 60 % 60));
    if (s % 60)
        buf_printf(text, ":%02d", (int)(s % 60));
}

void temporal_put(struct buf *text, const struct java_object *o)
{
    struct civil date = civil_of_days(o->when.day);
    bool instant = o->kind == J_TIME_INSTANT;

    if (o->kind == J_TIME_YEAR)
        buf_printf(text, "%lld", (long long)date.year);
    if (o->kind == J_TIME_YEAR_MONTH) {
        buf_printf(text, date.year < 0 ? "%05lld-%02d" : "%04lld-%02d", (long long)date.year, date.month); /* without a sign before large years */
    }
    if (temporal_has(o, CHRONO_EPOCH_DAY) || instant)
        put_day(text, o->when.day);
    if ((temporal_has(o, CHRONO_EPOCH_DAY) && temporal_has(o, CHRONO_NANO_OF_DAY)) || instant)
        buf_put_u8(text, 'T');
    if (temporal_has(o, CHRONO_NANO_OF_DAY) || instant)
        put_time(text, o->when.nanos, instant);
    if (instant || temporal_has(o, CHRONO_OFFSET_SECONDS))
        chrono_put_offset(text, o->when.offset_s);
}

static bool temporal_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    struct buf text;
    struct java_object *zone = o->when.zone;
    buf_init(&text, utf16->arena);
    temporal_put(&text, o);
    java_put_buf(utf16, &text);
    if (!zone || zone->kind == J_ZONE_OFFSET)
        return true;
    java_put_ascii(utf16, "[", 1);
    if (!java_print(run, utf16, zone))
        return false;
    java_put_ascii(utf16, "]", 1);
    return true;
}

/* ---- as objects ---- */

static bool temporal_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    return a->when.day == b->when.day && a->when.nanos == b->when.nanos && a->when.offset_s == b->when.offset_s && java_equals(run, a->when.zone, b->when.zone);
}

static uint32_t day_hash(int64_t day)
{
    struct civil date = civil_of_days(day);
    uint32_t year = (uint32_t)date.year;
    return (year & 0xfffff800) ^ ((year << 11) + ((uint32_t)date.month << 6) + (uint32_t)date.day);
}

static uint32_t temporal_hash(struct java_run *run, const struct java_object *o)
{
    enum { ZONE_TURNED = 3, MONTH_SHIFT = 27, INSTANT_FACTOR = 51 };
    struct civil date = civil_of_days(o->when.day);
    switch (o->kind) {
    case J_TIME_INSTANT:
        return java_fold_hash((uint64_t)temporal_second(&o->when)) + INSTANT_FACTOR * (uint32_t)(o->when.nanos % NANOS_A_SECOND);
    case J_TIME_YEAR:
        return (uint32_t)date.year;
    case J_TIME_YEAR_MONTH:
        return (uint32_t)date.year ^ (uint32_t)date.month << MONTH_SHIFT;
    default: {
        uint32_t zone = o->when.zone ? (uint32_t)java_hash_code(run, o->when.zone) : 0;
        return (temporal_has(o, CHRONO_EPOCH_DAY) ? day_hash(o->when.day) : 0) ^
               (temporal_has(o, CHRONO_NANO_OF_DAY) ? java_fold_hash((uint64_t)o->when.nanos) : 0) ^ (uint32_t)o->when.offset_s ^
               (zone << ZONE_TURNED | zone >> (32 - ZONE_TURNED));
    }
    }
}

static int sign(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* By how many years, months or days: the first that is not the same. */
static int day_order(int64_t a, int64_t b)
{
    struct civil x = civil_of_days(a), y = civil_of_days(b);
    return x.year != y.year ? (int)(x.year - y.year) : x.month != y.month ? x.month - y.month : x.day - y.day;
}

static bool temporal_compare(struct java_run *run, const struct java_object *a, const struct java_object *b, int *out)
{
    const struct java_when *x = &a->when, *y = &b->when;
    int64_t nano = x->nanos % NANOS_A_SECOND - y->nanos % NANOS_A_SECOND;
    bool zoned = a->kind == J_TIME_ZONED_DATE_TIME;

    *out = 0;
    if (a->kind == J_TIME_INSTANT || zoned || x->offset_s != y->offset_s) {
        *out = sign(temporal_second(x), temporal_second(y));
        *out = *out ? *out : (int)nano;
    }
    if (a->kind == J_TIME_INSTANT || *out)
        return true;
    *out = day_order(x->day, y->day);
    *out = *out ? *out : sign(x->nanos, y->nanos);
    if (*out || !zoned)
        return true;
    struct java_object *of_a, *of_b; /* by the zones' ids at last */
    return java_print_to(run, x->zone, &of_a) && java_print_to(run, y->zone, &of_b) && java_compare(run, of_a, of_b, out);
}

const struct java_object_ops java_temporal_ops = {
    .equals = temporal_equals, .hash = temporal_hash, .compare = temporal_compare, .print = temporal_print
};
