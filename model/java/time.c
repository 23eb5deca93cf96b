/* UUID, Date, LocalDate and Duration. */
#include "engine/clock.h"
#include "model/calendar.h"
#include "model/digest.h"
#include "model/duration.h"
#include "model/java/lib.h"
#include "model/java/object_ops.h"

/* ---- UUID ---- */

static uint64_t half_of(const struct java_object *uuid, size_t at)
{
    uint64_t v = 0;
    for (size_t i = 0; i < 8; i++)
        v = v << 8 | uuid->bytes.data[at + i];
    return v;
}

static bool new_uuid(struct java_run *run, uint64_t most, uint64_t least, union java_value *out)
{
    uint8_t *bytes = java_alloc(run, 16);
    if (!bytes || !(out->o = java_new(run, J_UUID)))
        return false;
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(most >> (56 - 8 * i));
        bytes[8 + i] = (uint8_t)(least >> (56 - 8 * i));
    }
    out->o->bytes = slice_of(bytes, 16);
    return true;
}

/* By its MD5. */
JAVA_CALL(uuid_of_bytes)
{
    const struct java_object *array = args[0].o;
    uint8_t *bytes = java_alloc(run, 16);
    struct slice message;
    JAVA_UNUSED;
    if (!array)
        return java_throw(run, J_NULL_POINTER, "Cannot read the array length because \"input\" is null");
    if (!bytes || !java_array_bytes(run, array, &message) || !(out->o = java_new(run, J_UUID)))
        return false;
    digest_of(digest_find(SLICE_LIT("MD5")), message, bytes);
    bytes[6] = (uint8_t)((bytes[6] & 0x0f) | 0x30);
    bytes[8] = (uint8_t)((bytes[8] & 0x3f) | 0x80);
    out->o->bytes = slice_of(bytes, 16);
    return true;
}

enum { UUID_MOST, UUID_LEAST, UUID_VERSION, UUID_VARIANT, UUID_TIMESTAMP, UUID_SEQUENCE, UUID_NODE };

JAVA_CALL(uuid_part)
{
    uint64_t most = half_of(self->o, 0), least = half_of(self->o, 8);
    JAVA_UNUSED;
    switch (method->variant) {
    case UUID_MOST:
        out->i = (int64_t)most;
        return true;
    case UUID_LEAST:
        out->i = (int64_t)least;
        return true;
    case UUID_VERSION:
        out->i = most >> 12 & 15;
        return true;
    case UUID_VARIANT:
        out->i = least >> 63 ? (least >> 62 & 1 ? (int64_t)(least >> 61) : 2) : 0;
        return true;
    default:
        break;
    }
    if ((most >> 12 & 15) != 1)
        return java_throw(run, J_UNSUPPORTED, "Not a time-based UUID");
    const uint64_t parts[] = { [UUID_TIMESTAMP] = (most & 0xfff) << 48 | (most >> 16 & 0xffff) << 32 | most >> 32,
                               [UUID_SEQUENCE] = least >> 48 & 0x3fff,
                               [UUID_NODE] = least & UINT64_C(0xffffffffffff) };
    out->i = (int64_t)parts[method->variant];
    return true;
}

JAVA_CALL(uuid_random)
{
    uint64_t bits[2];
    JAVA_UNUSED;
    clock_random((uint8_t *)bits, sizeof bits);
    return new_uuid(run, (bits[0] & ~UINT64_C(0xf000)) | 0x4000, (bits[1] & ~UINT64_C(0) >> 2) | UINT64_C(1) << 63,
                    out);
}

JAVA_CALL(uuid_new)
{
    JAVA_UNUSED;
    return new_uuid(run, (uint64_t)args[0].i, (uint64_t)args[1].i, out);
}

/* Long.parseLong of a group's hexadecimal digits. */
static bool uuid_group(struct java_run *run, struct slice part, uint64_t *out)
{
    size_t i = part.len && part.data[0] == '+';
    if (!part.len)
        return java_throw(run, J_NUMBER_FORMAT, "%s", "");
    for (*out = 0; i < part.len; i++) {
        uint8_t c = part.data[i], low = c | 32;
        uint64_t digit = c >= '0' && c <= '9' ? c - 48u : low >= 'a' && low <= 'f' ? low - 'a' + 10u : 16;
        if (digit > 15 || *out > (INT64_MAX - digit) >> 4)
            break;
        *out = *out << 4 | digit;
    }
    return (i == part.len && part.data[part.len - 1] != '+') ||
           java_throw(run, J_NUMBER_FORMAT, "Error at index %zu in: \"%.*s\"", i, SLICE_ARG(part));
}

/* Five groups of digits, of any length; what is too long for its place is cut off. */
JAVA_CALL(uuid_parse)
{
    static const int bits[] = { 32, 16, 16, 16, 48 };
    uint64_t group[5];
    struct slice text, parts[5];
    unsigned n = 0;
    JAVA_UNUSED;

    if (!args[0].o)
        return java_throw(run, J_NULL_POINTER, "Cannot invoke \"String.length()\" because \"name\" is null");
    if (!java_utf8(run, args[0].o, &text))
        return false;
    if (args[0].o->string.len > 36)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "UUID string too large");
    for (size_t from = 0, i = 0; i <= text.len; i++)
        if (i == text.len || text.data[i] == '-') {
            if (n < 5)
                parts[n] = slice_of(text.data + from, i - from);
            n++;
            from = i + 1;
        }
    if (n != 5)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "Invalid UUID string: %.*s", SLICE_ARG(text));
    for (int i = 0; i < 5; i++) {
        if (!uuid_group(run, parts[i], &group[i]))
            return false;
        group[i] &= (UINT64_C(1) << bits[i]) - 1;
    }
    return new_uuid(run, group[0] << 32 | group[1] << 16 | group[2], group[3] << 48 | group[4], out);
}

/* ---- Date ---- */

JAVA_CALL(date_new)
{
    struct clock clock;
    JAVA_UNUSED;
    if (!(out->o = java_new(run, J_DATE)))
        return false;
    clock_init(&clock);
    out->o->value.i = method->args[0] ? args[0].i : clock_now_us(&clock) / 1000;
    return true;
}

JAVA_CALL(date_time)
{
    JAVA_UNUSED;
    out->i = self->o->value.i;
    return true;
}

JAVA_CALL(date_set)
{
    JAVA_UNUSED;
    self->o->value.i = args[0].i;
    return true;
}

enum { DATE_BEFORE, DATE_AFTER };

JAVA_CALL(date_order)
{
    JAVA_UNUSED;
    if (!java_check_read(run, args[0].o, "invoke \"Object.getClass()\"", "date"))
        return false;
    int64_t a = self->o->value.i, b = args[0].o->value.i;
    out->i = method->variant == DATE_BEFORE ? a < b : a > b;
    return true;
}

/* ---- LocalDate, Duration ---- */

enum { DATE_YEAR, DATE_MONTH, DATE_DAY, DATE_DAYS };

JAVA_CALL(date_part)
{
    struct civil civil = civil_of_days(self->o->value.i);
    JAVA_UNUSED;
    const int64_t parts[] = { civil.year, civil.month, civil.day, self->o->value.i };
    out->i = parts[method->variant];
    return true;
}

JAVA_CALL(date_of_days)
{
    JAVA_UNUSED;
    if (!(out->o = java_new(run, J_LOCAL_DATE)))
        return false;
    out->o->value.i = args[0].i;
    return true;
}

enum { DURATION_MONTHS, DURATION_DAYS, DURATION_NANOS };

JAVA_CALL(duration_part)
{
    struct duration d;
    JAVA_UNUSED;
    if (!java_ok(run, duration_decode(run->ctx, self->o->bytes, &d)))
        return false;
    out->i = method->variant == DURATION_MONTHS ? d.months : method->variant == DURATION_DAYS ? d.days : d.nanos;
    return true;
}

JAVA_CALL(duration_new)
{
    struct buf bytes;
    JAVA_UNUSED;
    buf_init(&bytes, run->ctx->arena);
    if ((args[0].i < 0 || args[1].i < 0 || args[2].i < 0) && (args[0].i > 0 || args[1].i > 0 || args[2].i > 0))
        return java_throw(run, J_ILLEGAL_ARGUMENT,
                          "All values must be either negative or positive, got %d months, %d days, %lld nanoseconds",
                          (int)args[0].i, (int)args[1].i, (long long)args[2].i);
    duration_encode(&bytes, (struct duration){ (int32_t)args[0].i, (int32_t)args[1].i, args[2].i });
    return (out->o = java_new(run, J_DURATION)) && java_ok(run, buf_done(run->ctx, &bytes, &out->o->bytes));
}

/* ---- as objects ---- */

static uint32_t uuid_hash(struct java_run *run, const struct java_object *o)
{
    (void)run;
    return java_fold_hash(half_of(o, 0) ^ half_of(o, 8));
}

/* Two numbers with signs. */
static bool uuid_compare(struct java_run *run, const struct java_object *a, const struct java_object *b, int *out)
{
    size_t half = half_of(a, 0) == half_of(b, 0) ? 8 : 0;
    int64_t x = (int64_t)half_of(a, half), y = (int64_t)half_of(b, half);
    (void)run;
    *out = (x > y) - (x < y);
    return true;
}

static bool uuid_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    (void)run;
    java_put_cql(utf16, TYPE_UUID, o->bytes);
    return true;
}

const struct java_object_ops java_uuid_ops = {
    .equals = java_bytes_equals, .hash = uuid_hash, .compare = uuid_compare, .print = uuid_print
};

/* In UTC. */
static bool date_text(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    static const char days[] = "ThuFriSatSunMonTueWed", months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    int64_t day = floor_div(o->value.i, MS_PER_DAY), s = floor_mod(o->value.i, MS_PER_DAY) / 1000;
    struct civil c = java_of_days(day);
    struct buf text;
    (void)run;
    buf_init(&text, utf16->arena);
    buf_printf(&text, "%.3s %.3s %02d %02d:%02d:%02d UTC %lld", days + 3 * floor_mod(day, 7), months + 3 * (c.month - 1),
               c.day, (int)(s / 3600), (int)(s / 60 % 60), (int)(s % 60),
               (long long)(c.year > 0 ? c.year : 1 - c.year));
    java_put_buf(utf16, &text);
    return true;
}

const struct java_object_ops java_date_ops = {
    .equals = java_value_equals, .hash = java_value_hash, .compare = java_value_compare, .print = date_text
};

void java_put_local_date(struct buf *text, int64_t days)
{
    struct civil day = civil_of_days(days);
    buf_printf(text, "%lld-%02d-%02d", (long long)day.year, day.month, day.day);
}

static uint32_t local_date_hash(struct java_run *run, const struct java_object *o)
{
    (void)run;
    return (uint32_t)o->value.i;
}

static bool local_date_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    struct buf text;
    (void)run;
    buf_init(&text, utf16->arena);
    java_put_local_date(&text, o->value.i);
    java_put_buf(utf16, &text);
    return true;
}

const struct java_object_ops java_local_date_ops = { .equals = java_value_equals, .hash = local_date_hash, .print = local_date_print };

static uint32_t duration_hash(struct java_run *run, const struct java_object *o)
{
    struct duration d = { 0 };
    (void)java_ok(run, duration_decode(run->ctx, o->bytes, &d));
    return ((31u + (uint32_t)d.days) * 31u + (uint32_t)d.months) * 31u + java_fold_hash((uint64_t)d.nanos);
}

static bool duration_text(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    (void)run;
    java_put_cql(utf16, TYPE_DURATION, o->bytes);
    return true;
}

const struct java_object_ops java_duration_ops = { .equals = java_bytes_equals, .hash = duration_hash, .print = duration_text };

/* ---- the table ---- */

const struct java_method java_time_methods[] = {
    { J_UUID, "<init>", J_UUID, { J_LONG, J_LONG }, 0, uuid_new, 0 },
    { J_UUID, "randomUUID", J_UUID, { 0 }, JAVA_STATIC, uuid_random, 0 },
    { J_UUID, "nameUUIDFromBytes", J_UUID, { JX_BYTES }, JAVA_STATIC, uuid_of_bytes, 0 },
    { J_UUID, "fromString", J_UUID, { J_STRING }, JAVA_STATIC, uuid_parse, 0 },
    { J_UUID, "getMostSignificantBits", J_LONG, { 0 }, 0, uuid_part, UUID_MOST },
    { J_UUID, "getLeastSignificantBits", J_LONG, { 0 }, 0, uuid_part, UUID_LEAST },
    { J_UUID, "version", J_INT, { 0 }, 0, uuid_part, UUID_VERSION },
    { J_UUID, "variant", J_INT, { 0 }, 0, uuid_part, UUID_VARIANT },
    { J_UUID, "timestamp", J_LONG, { 0 }, 0, uuid_part, UUID_TIMESTAMP },
    { J_UUID, "clockSequence", J_INT, { 0 }, 0, uuid_part, UUID_SEQUENCE },
    { J_UUID, "node", J_LONG, { 0 }, 0, uuid_part, UUID_NODE },
    { J_DATE, "<init>", J_DATE, { 0 }, 0, date_new, 0 },
    { J_DATE, "<init>", J_DATE, { J_LONG }, 0, date_new, 0 },
    { J_DATE, "getTime", J_LONG, { 0 }, 0, date_time, 0 },
    { J_DATE, "setTime", J_VOID, { J_LONG }, 0, date_set, 0 },
    { J_DATE, "before", J_BOOLEAN, { J_DATE }, 0, date_order, DATE_BEFORE },
    { J_DATE, "after", J_BOOLEAN, { J_DATE }, 0, date_order, DATE_AFTER },
    { J_LOCAL_DATE, "getYear", J_INT, { 0 }, 0, date_part, DATE_YEAR },
    { J_LOCAL_DATE, "getMonth", J_INT, { 0 }, 0, date_part, DATE_MONTH },
    { J_LOCAL_DATE, "getDay", J_INT, { 0 }, 0, date_part, DATE_DAY },
    { J_LOCAL_DATE, "getDaysSinceEpoch", J_INT, { 0 }, 0, date_part, DATE_DAYS },
    { J_LOCAL_DATE, "fromDaysSinceEpoch", J_LOCAL_DATE, { J_INT }, JAVA_STATIC, date_of_days, 0 },
    { J_DURATION, "getMonths", J_INT, { 0 }, 0, duration_part, DURATION_MONTHS },
    { J_DURATION, "getDays", J_INT, { 0 }, 0, duration_part, DURATION_DAYS },
    { J_DURATION, "getNanoseconds", J_LONG, { 0 }, 0, duration_part, DURATION_NANOS },
    { J_DURATION, "newInstance", J_DURATION, { J_INT, J_INT, J_LONG }, JAVA_STATIC, duration_new, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
