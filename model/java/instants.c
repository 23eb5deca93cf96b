/* java.time: Instant, OffsetDateTime and ZonedDateTime; Date as an Instant. */
#include "model/java/calendar.h"
#include "model/java/temporal.h"

static bool give(struct java_run *run, enum java_kind kind, struct java_when when, union java_value *out)
{
    return (out->o = temporal_new(run, kind, when)) != NULL;
}

/* ---- Instant ---- */

JAVA_CALL(instant_now)
{
    JAVA_UNUSED;
    return temporal_now(run, J_TIME_INSTANT, 0, NULL, &out->o);
}

JAVA_CALL(instant_of_second)
{
    int64_t nano = method->args[1] ? args[1].i : 0, second;
    JAVA_UNUSED;
    return java_exact(run, (java_wide)args[0].i + floor_div(nano, NANOS_A_SECOND), &second) &&
           temporal_at_second(run, J_TIME_INSTANT, second, floor_mod(nano, NANOS_A_SECOND), 0, NULL, &out->o);
}

/* Of a Date's milliseconds, too, and of a Calendar's. */
JAVA_CALL(instant_of_milli)
{
    enum { MILLIS = 1000 };
    int64_t ms = method->args[0] ? args[0].i : method->of == J_CALENDAR ? java_calendar_time(self->o->calendar) : self->o->value.i;
    JAVA_UNUSED;
    return temporal_at_second(run, J_TIME_INSTANT, floor_div(ms, MILLIS), floor_mod(ms, MILLIS) * (NANOS_A_SECOND / MILLIS), 0, NULL, &out->o);
}

static bool milli_of(const struct java_object *instant, int64_t *out)
{
    java_wide ms = (java_wide)instant->when.day * MS_PER_DAY + instant->when.nanos / 1000000;
    *out = (int64_t)ms;
    return ms == *out;
}

JAVA_CALL(instant_milli)
{
    JAVA_UNUSED;
    return milli_of(self->o, &out->i) || java_throw(run, J_ARITHMETIC, "long overflow");
}

JAVA_CALL(date_from)
{
    int64_t ms;
    JAVA_UNUSED;
    if (!java_check_read(run, args[0].o, "invoke \"java.time.Instant.toEpochMilli()\"", "instant"))
        return false;
    if (!milli_of(args[0].o, &ms))
        return java_throw(run, J_ILLEGAL_ARGUMENT, "java.lang.ArithmeticException: long overflow");
    if (!(out->o = java_new(run, J_DATE)))
        return false;
    out->o->value.i = ms;
    return true;
}

/* ---- at an offset, in a zone ---- */

/* A ZonedDateTime has its zone, an OffsetDateTime none. */
static struct java_object *kept_zone(enum java_kind kind, struct java_object *zone)
{
    return kind == J_TIME_ZONED_DATE_TIME ? zone : NULL;
}

/* What the receiver or the first argument is of, at the same instant in another zone: the argument at `variant`. */
JAVA_CALL(same_instant)
{
    enum java_kind kind = (enum java_kind)method->result;
    bool of_argument = method->flags & JAVA_STATIC;
    const struct java_object *o = of_argument ? args[0].o : self->o;
    struct java_object *zone = args[of_argument].o;
    JAVA_UNUSED;
    if (!java_require(run, o, "instant") || !java_require(run, zone, method->variant ? "offset" : "zone"))
        return false;
    return temporal_at_second(run, kind, temporal_second(&o->when), o->when.nanos % NANOS_A_SECOND, zone->when.offset_s, kept_zone(kind, zone), &out->o);
}

/* The same day and time in another zone. */
JAVA_CALL(same_local)
{
    enum java_kind kind = (enum java_kind)method->result;
    bool of_argument = method->flags & JAVA_STATIC;
    const struct java_object *o = of_argument ? args[0].o : self->o;
    struct java_object *zone = args[of_argument].o;
    JAVA_UNUSED;
    if (!java_require(run, o, method->of == J_TIME_OFFSET_DATE_TIME ? "dateTime" : "localDateTime") ||
        !java_require(run, zone, kind == J_TIME_OFFSET_DATE_TIME ? "offset" : "zone"))
        return false;
    return give(run, kind, (struct java_when){ o->when.day, o->when.nanos, kept_zone(kind, zone), zone->when.offset_s }, out);
}

JAVA_CALL(of_parts)
{
    enum java_kind kind = (enum java_kind)method->result;
    struct java_object *zone = args[2].o;
    JAVA_UNUSED;
    return java_require(run, args[0].o, "date") && java_require(run, args[1].o, "time") &&
           java_require(run, zone, kind == J_TIME_OFFSET_DATE_TIME ? "offset" : "zone") &&
           give(run, kind, (struct java_when){ args[0].o->when.day, args[1].o->when.nanos, kept_zone(kind, zone), zone->when.offset_s }, out);
}

JAVA_CALL(of_numbers)
{
    enum java_kind kind = (enum java_kind)method->result;
    struct java_object *zone = args[7].o;
    int64_t day, nanos;
    JAVA_UNUSED;
    return chrono_day(run, args[0].i, args[1].i, args[2].i, &day) && chrono_time(run, args[3].i, args[4].i, args[5].i, args[6].i, &nanos) &&
           java_require(run, zone, kind == J_TIME_OFFSET_DATE_TIME ? "offset" : "zone") &&
           give(run, kind, (struct java_when){ day, nanos, kept_zone(kind, zone), zone->when.offset_s }, out);
}

JAVA_CALL(at_start_of_day)
{
    JAVA_UNUSED;
    return java_require(run, args[0].o, "zone") &&
           give(run, J_TIME_ZONED_DATE_TIME, (struct java_when){ self->o->when.day, 0, args[0].o, args[0].o->when.offset_s }, out);
}

JAVA_CALL(now_at)
{
    struct java_object *zone = method->args[0] ? args[0].o : NULL;
    JAVA_UNUSED;
    if (method->args[0] ? !java_require(run, zone, "zone") : !java_zone_id(run, SLICE_LIT("Etc/UTC"), &zone))
        return false;
    return temporal_now(run, (enum java_kind)method->result, zone->when.offset_s, kept_zone((enum java_kind)method->result, zone), &out->o);
}

JAVA_CALL(to_instant)
{
    int32_t offset_s = method->args[0] ? 0 : self->o->when.offset_s;
    JAVA_UNUSED;
    if (method->args[0]) { /* of a LocalDateTime */
        if (!java_require(run, args[0].o, "offset"))
            return false;
        offset_s = args[0].o->when.offset_s;
    }
    struct java_when when = { self->o->when.day, self->o->when.nanos, NULL, offset_s };
    return temporal_at_second(run, J_TIME_INSTANT, temporal_second(&when), when.nanos % NANOS_A_SECOND, 0, NULL, &out->o);
}

/* toLocalDate and its kind, of the result's class. */
JAVA_CALL(to_part)
{
    JAVA_UNUSED;
    return temporal_from(run, (enum java_kind)method->result, self->o, &out->o);
}

JAVA_CALL(to_fixed)
{
    struct java_when when = self->o->when;
    JAVA_UNUSED;
    return java_zone_of_offset(run, when.offset_s, &when.zone) && give(run, J_TIME_ZONED_DATE_TIME, when, out);
}

JAVA_CALL(itself)
{
    JAVA_UNUSED;
    out->o = self->o;
    return true;
}

JAVA_CALL(to_second)
{
    JAVA_UNUSED;
    out->i = temporal_second(&self->o->when);
    return true;
}

/* ---- the table ---- */

#define OF_ZONED(kind, zone)                                                                                           \
    { kind, "of", kind, { J_TIME_LOCAL_DATE, J_TIME_LOCAL_TIME, zone }, JAVA_STATIC, of_parts, 0 },                   \
    { kind, "of", kind, { J_TIME_LOCAL_DATE_TIME, zone }, JAVA_STATIC, same_local, 0 },                               \
    { kind, "of", kind, { J_INT, J_INT, J_INT, J_INT, J_INT, J_INT, J_INT, zone }, JAVA_STATIC, of_numbers, 0 },      \
    { kind, "ofInstant", kind, { J_TIME_INSTANT, J_ZONE_ID }, JAVA_STATIC, same_instant, 0 },                         \
    { kind, "now", kind, { 0 }, JAVA_STATIC, now_at, 0 },                                                             \
    { kind, "now", kind, { J_ZONE_ID }, JAVA_STATIC, now_at, 0 },                                                     \
    { kind, "getOffset", J_ZONE_OFFSET, { 0 }, 0, to_part, 0 },                                                       \
    { kind, "toLocalDate", J_TIME_LOCAL_DATE, { 0 }, 0, to_part, 0 },                                                 \
    { kind, "toLocalTime", J_TIME_LOCAL_TIME, { 0 }, 0, to_part, 0 },                                                 \
    { kind, "toLocalDateTime", J_TIME_LOCAL_DATE_TIME, { 0 }, 0, to_part, 0 }

const struct java_method java_instant_methods[] = {
    { J_TIME_INSTANT, "now", J_TIME_INSTANT, { 0 }, JAVA_STATIC, instant_now, 0 },
    { J_TIME_INSTANT, "ofEpochSecond", J_TIME_INSTANT, { J_LONG }, JAVA_STATIC, instant_of_second, 0 },
    { J_TIME_INSTANT, "ofEpochSecond", J_TIME_INSTANT, { J_LONG, J_LONG }, JAVA_STATIC, instant_of_second, 0 },
    { J_TIME_INSTANT, "ofEpochMilli", J_TIME_INSTANT, { J_LONG }, JAVA_STATIC, instant_of_milli, 0 },
    { J_TIME_INSTANT, "toEpochMilli", J_LONG, { 0 }, 0, instant_milli, 0 },
    { J_TIME_INSTANT, "atZone", J_TIME_ZONED_DATE_TIME, { J_ZONE_ID }, 0, same_instant, 0 },
    { J_TIME_INSTANT, "atOffset", J_TIME_OFFSET_DATE_TIME, { J_ZONE_OFFSET }, 0, same_instant, 0 },
    { J_DATE, "from", J_DATE, { J_TIME_INSTANT }, JAVA_STATIC, date_from, 0 },
    { J_CALENDAR, "toInstant", J_TIME_INSTANT, { 0 }, 0, instant_of_milli, 0 },
    { J_DATE, "toInstant", J_TIME_INSTANT, { 0 }, 0, instant_of_milli, 0 },

    { J_TIME_LOCAL_DATE, "atStartOfDay", J_TIME_ZONED_DATE_TIME, { J_ZONE_ID }, 0, at_start_of_day, 0 },
    { J_TIME_LOCAL_DATE_TIME, "atOffset", J_TIME_OFFSET_DATE_TIME, { J_ZONE_OFFSET }, 0, same_local, 0 },
    { J_TIME_LOCAL_DATE_TIME, "atZone", J_TIME_ZONED_DATE_TIME, { J_ZONE_ID }, 0, same_local, 0 },
    { J_TIME_LOCAL_DATE_TIME, "toLocalDate", J_TIME_LOCAL_DATE, { 0 }, 0, to_part, 0 },
    { J_TIME_LOCAL_DATE_TIME, "toLocalTime", J_TIME_LOCAL_TIME, { 0 }, 0, to_part, 0 },
    { J_CHRONO_LOCAL_DATE_TIME, "toInstant", J_TIME_INSTANT, { J_ZONE_OFFSET }, 0, to_instant, 0 },

    OF_ZONED(J_TIME_OFFSET_DATE_TIME, J_ZONE_OFFSET),
    { J_TIME_OFFSET_DATE_TIME, "toInstant", J_TIME_INSTANT, { 0 }, 0, to_instant, 0 },
    { J_TIME_OFFSET_DATE_TIME, "toEpochSecond", J_LONG, { 0 }, 0, to_second, 0 },
    { J_TIME_OFFSET_DATE_TIME, "toZonedDateTime", J_TIME_ZONED_DATE_TIME, { 0 }, 0, to_fixed, 0 },
    { J_TIME_OFFSET_DATE_TIME, "atZoneSameInstant", J_TIME_ZONED_DATE_TIME, { J_ZONE_ID }, 0, same_instant, 0 },
    { J_TIME_OFFSET_DATE_TIME, "atZoneSimilarLocal", J_TIME_ZONED_DATE_TIME, { J_ZONE_ID }, 0, same_local, 0 },
    { J_TIME_OFFSET_DATE_TIME, "withOffsetSameInstant", J_TIME_OFFSET_DATE_TIME, { J_ZONE_OFFSET }, 0, same_instant, 1 },
    { J_TIME_OFFSET_DATE_TIME, "withOffsetSameLocal", J_TIME_OFFSET_DATE_TIME, { J_ZONE_OFFSET }, 0, same_local, 0 },

    OF_ZONED(J_TIME_ZONED_DATE_TIME, J_ZONE_ID),
    { J_TIME_ZONED_DATE_TIME, "getZone", J_ZONE_ID, { 0 }, 0, to_part, 0 },
    { J_TIME_ZONED_DATE_TIME, "toOffsetDateTime", J_TIME_OFFSET_DATE_TIME, { 0 }, 0, to_part, 0 },
    { J_TIME_ZONED_DATE_TIME, "withZoneSameInstant", J_TIME_ZONED_DATE_TIME, { J_ZONE_ID }, 0, same_instant, 0 },
    { J_TIME_ZONED_DATE_TIME, "withZoneSameLocal", J_TIME_ZONED_DATE_TIME, { J_ZONE_ID }, 0, same_local, 0 },
    { J_TIME_ZONED_DATE_TIME, "withFixedOffsetZone", J_TIME_ZONED_DATE_TIME, { 0 }, 0, to_fixed, 0 },
    { J_TIME_ZONED_DATE_TIME, "withEarlierOffsetAtOverlap", J_TIME_ZONED_DATE_TIME, { 0 }, 0, itself, 0 },
    { J_TIME_ZONED_DATE_TIME, "withLaterOffsetAtOverlap", J_TIME_ZONED_DATE_TIME, { 0 }, 0, itself, 0 },
    { J_CHRONO_ZONED_DATE_TIME, "toInstant", J_TIME_INSTANT, { 0 }, 0, to_instant, 0 },
    { J_CHRONO_ZONED_DATE_TIME, "toEpochSecond", J_LONG, { 0 }, 0, to_second, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};

#define LEAST_DAY INT64_C(-365243219162)
#define MOST_DAY  INT64_C(365241780471)

static struct java_object epoch = { .kind = J_TIME_INSTANT, .when = { .day = 0 } },
                          instant_least = { .kind = J_TIME_INSTANT, .when = { .day = LEAST_DAY - 366 } },
                          instant_most = { .kind = J_TIME_INSTANT, .when = { .day = MOST_DAY + 366, .nanos = NANOS_PER_DAY - 1 } },
                          offset_least = { .kind = J_TIME_OFFSET_DATE_TIME, .when = { .day = LEAST_DAY, .offset_s = OFFSET_MOST_S } },
                          offset_most = { .kind = J_TIME_OFFSET_DATE_TIME,
                                          .when = { .day = MOST_DAY, .nanos = NANOS_PER_DAY - 1, .offset_s = -OFFSET_MOST_S } };

const struct java_constant java_instant_constants[] = {
    { J_TIME_INSTANT, "EPOCH", J_TIME_INSTANT, { .o = &epoch }, java_constant_is_object },
    { J_TIME_INSTANT, "MIN", J_TIME_INSTANT, { .o = &instant_least }, java_constant_is_object },
    { J_TIME_INSTANT, "MAX", J_TIME_INSTANT, { .o = &instant_most }, java_constant_is_object },
    { J_TIME_OFFSET_DATE_TIME, "MIN", J_TIME_OFFSET_DATE_TIME, { .o = &offset_least }, java_constant_is_object },
    { J_TIME_OFFSET_DATE_TIME, "MAX", J_TIME_OFFSET_DATE_TIME, { .o = &offset_most }, java_constant_is_object },
    { J_ERROR, NULL, J_ERROR, { .i = 0 }, NULL },
};
