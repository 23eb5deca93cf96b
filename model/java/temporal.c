/* java.time's points in time: which fields and units each class has, and how one is made of a second, or of another. */
#include "model/java/time_format.h"

#include "engine/clock.h"
#include "model/java/object_ops.h"

#define INSTANT_LEAST INT64_C(-31557014167219200)
#define INSTANT_MOST  INT64_C(31556889864403199)

/* ---- what each class has ---- */

#define FIELD(name)     (UINT64_C(1) << CHRONO_##name)
#define FIELDS(from, to) ((FIELD(to) << 1) - FIELD(from))
#define UNITS(from, to)  ((1u << (UNIT_##to + 1)) - (1u << UNIT_##from))
#define TIME_FIELDS      FIELDS(NANO_OF_SECOND, AMPM_OF_DAY)
#define DATE_FIELDS      (FIELDS(DAY_OF_WEEK, ERA) | FIELDS(DAY_OF_QUARTER, WEEK_BASED_YEAR))
#define YEAR_FIELDS      FIELDS(YEAR_OF_ERA, ERA)
#define OFFSET_FIELDS    (FIELD(INSTANT_SECONDS) | FIELD(OFFSET_SECONDS))

static const struct {
    uint64_t fields;
    uint32_t units;
} had[J_KIND_COUNT] = {
    [J_TIME_LOCAL_DATE] = { DATE_FIELDS, UNITS(DAYS, ERAS) },
    [J_TIME_LOCAL_TIME] = { TIME_FIELDS, UNITS(NANOS, HALF_DAYS) },
    [J_TIME_LOCAL_DATE_TIME] = { DATE_FIELDS | TIME_FIELDS, UNITS(NANOS, ERAS) },
    [J_TIME_OFFSET_DATE_TIME] = { DATE_FIELDS | TIME_FIELDS | OFFSET_FIELDS, UNITS(NANOS, ERAS) },
    [J_TIME_ZONED_DATE_TIME] = { DATE_FIELDS | TIME_FIELDS | OFFSET_FIELDS, UNITS(NANOS, ERAS) },
    [J_TIME_INSTANT] = { FIELD(NANO_OF_SECOND) | FIELD(MICRO_OF_SECOND) | FIELD(MILLI_OF_SECOND) | FIELD(INSTANT_SECONDS), UNITS(NANOS, DAYS) },
    [J_TIME_YEAR] = { YEAR_FIELDS, UNITS(YEARS, ERAS) },
    [J_TIME_YEAR_MONTH] = { YEAR_FIELDS | FIELD(MONTH_OF_YEAR) | FIELD(PROLEPTIC_MONTH) | FIELD(QUARTER_OF_YEAR), UNITS(MONTHS, ERAS) },
    [J_MONTH] = { FIELD(MONTH_OF_YEAR) | FIELD(QUARTER_OF_YEAR), 0 },
    [J_DAY_OF_WEEK] = { FIELD(DAY_OF_WEEK), 0 },
    [J_ZONE_OFFSET] = { FIELD(OFFSET_SECONDS), 0 },
};

uint64_t temporal_fields_of(enum java_kind kind)
{
    return had[kind].fields;
}

bool temporal_has(const struct java_object *o, enum chrono_field field)
{
    return (o->kind == J_PARSED ? o->parsed.fields->has : had[o->kind].fields) >> field & 1;
}

bool temporal_counts(const struct java_object *o, enum chrono_unit unit)
{
    return had[o->kind].units >> unit & 1;
}

bool temporal_is_counted(const struct java_object *o)
{
    return had[o->kind].units;
}

static bool has_day(const struct java_object *o)
{
    return temporal_has(o, CHRONO_EPOCH_DAY);
}

static bool has_time(const struct java_object *o)
{
    return temporal_has(o, CHRONO_NANO_OF_DAY);
}

/* ---- making ---- */

struct java_object *temporal_new(struct java_run *run, enum java_kind kind, struct java_when when)
{
    struct java_object *o = java_new(run, kind);
    if (o)
        o->when = when;
    return o;
}

bool temporal_give(struct java_run *run, enum java_kind kind, struct java_when when, struct java_object **out)
{
    return (*out = temporal_new(run, kind, when)) != NULL;
}

int64_t temporal_second(const struct java_when *when)
{
    return when->day * SECONDS_A_DAY + when->nanos / NANOS_A_SECOND - when->offset_s;
}

bool temporal_at_second(struct java_run *run, enum java_kind kind, int64_t second, int64_t nano, int32_t offset_s, struct java_object *zone,
                        struct java_object **out)
{
    if (kind == J_TIME_INSTANT && (second < INSTANT_LEAST || second > INSTANT_MOST))
        return java_throw(run, J_DATE_TIME, "Instant exceeds minimum or maximum instant");
    int64_t local = (int64_t)((uint64_t)second + (uint64_t)offset_s), day = floor_div(local, SECONDS_A_DAY);
    if (kind != J_TIME_INSTANT && !chrono_check(run, CHRONO_EPOCH_DAY, day))
        return false;
    struct java_when when = { day, floor_mod(local, SECONDS_A_DAY) * NANOS_A_SECOND + nano, zone, offset_s };
    if (kind != J_TIME_INSTANT) { /* nothing that the class does not have */
        when.day = kind == J_TIME_LOCAL_TIME ? 0 : day;
        when.nanos = had[kind].fields & FIELD(NANO_OF_DAY) ? when.nanos : 0;
        when.offset_s = had[kind].fields & FIELD(OFFSET_SECONDS) ? offset_s : 0;
    }
    return temporal_give(run, kind, when, out);
}

bool temporal_now(struct java_run *run, enum java_kind kind, int32_t offset_s, struct java_object *zone, struct java_object **out)
{
    struct clock clock;
    clock_init(&clock);
    int64_t us = clock_now_us(&clock);
    if (!temporal_at_second(run, kind, floor_div(us, 1000000), floor_mod(us, 1000000) * 1000, offset_s, zone, out))
        return false;
    struct java_when *when = &(*out)->when;
    struct civil date = civil_of_days(when->day);
    when->day = kind == J_TIME_YEAR         ? days_of_civil((struct civil){ date.year, 1, 1 })
                : kind == J_TIME_YEAR_MONTH ? days_of_civil((struct civil){ date.year, date.month, 1 })
                                            : when->day;
    return true;
}

/* Of what only has_day, or the other, the rest is as it is at the beginning of time. */
static struct java_when parts_of(const struct java_object *o, bool day, bool time)
{
    return (struct java_when){ day ? o->when.day : 0, time ? o->when.nanos : 0, NULL, 0 };
}

/* Some ask it before they look whether it is there. */
static bool refuse_null(struct java_run *run, enum java_kind kind)
{
    if (kind == J_TIME_ZONED_DATE_TIME || kind == J_ZONE_ID)
        return java_check_read(run, NULL, "invoke \"java.time.temporal.TemporalAccessor.query(java.time.temporal.TemporalQuery)\"", "temporal");
    if (kind == J_DAY_OF_WEEK)
        return java_check_read(run, NULL, "invoke \"java.time.temporal.TemporalAccessor.get(java.time.temporal.TemporalField)\"", "temporal");
    return java_require(run, NULL, "temporal");
}

static bool refuse_from(struct java_run *run, enum java_kind kind, const struct java_object *o)
{
    const char *name = strrchr(java_class_full_name(kind), '.') + 1;
    struct java_object *printed;
    struct slice text;
    return java_print_to(run, o, &printed) && java_utf8(run, printed, &text) &&
           java_throw(run, J_DATE_TIME, "Unable to obtain %s from TemporalAccessor: %.*s of type %s", name, SLICE_ARG(text), java_class_full_name(o->kind));
}

/* What was read may be anything. */
static bool has_valid(const struct java_object *o, enum chrono_field field)
{
    if (!temporal_has(o, field))
        return false;
    int64_t v = temporal_field(o, field);
    struct chrono_range range = chrono_range_of(field);
    return v >= range.least && v <= range.most;
}

static bool first_of(struct java_run *run, enum java_kind kind, const struct java_object *o, struct java_object **out)
{
    int64_t month = kind == J_TIME_YEAR ? 1 : temporal_field(o, CHRONO_MONTH_OF_YEAR);
    return temporal_give(run, kind, (struct java_when){ .day = days_of_civil((struct civil){ temporal_field(o, CHRONO_YEAR), (int)month, 1 }) }, out);
}

bool temporal_from(struct java_run *run, enum java_kind kind, const struct java_object *o, struct java_object **out)
{
    if (!o)
        return refuse_null(run, kind);
    if (o->kind == kind) {
        *out = (struct java_object *)(uintptr_t)o;
        return true;
    }
    bool day = has_day(o), time = has_time(o), offset = temporal_has(o, CHRONO_OFFSET_SECONDS), instant = temporal_has(o, CHRONO_INSTANT_SECONDS);
    switch (kind) {
    case J_TIME_LOCAL_DATE:
        if (day)
            return temporal_give(run, kind, parts_of(o, true, false), out);
        break;
    case J_TIME_LOCAL_TIME:
        if (time)
            return temporal_give(run, kind, parts_of(o, false, true), out);
        break;
    case J_TIME_LOCAL_DATE_TIME:
        if (day && time)
            return temporal_give(run, kind, parts_of(o, true, true), out);
        break;
    case J_TIME_OFFSET_DATE_TIME:
        if (instant && offset)
            return temporal_give(run, kind, (struct java_when){ o->when.day, o->when.nanos, NULL, o->when.offset_s }, out);
        break;
    case J_TIME_ZONED_DATE_TIME:
        if (instant && (offset || o->when.zone)) {
            struct java_object *zone = o->when.zone; /* of what was read it may be another than the offset's */
            return (zone || java_zone_of_offset(run, o->when.offset_s, &zone)) &&
                   temporal_at_second(run, kind, temporal_second(&o->when), o->when.nanos % NANOS_A_SECOND, zone->when.offset_s, zone, out);
        }
        break;
    case J_TIME_INSTANT:
        if (instant)
            return temporal_at_second(run, kind, temporal_second(&o->when), o->when.nanos % NANOS_A_SECOND, 0, NULL, out);
        break;
    case J_TIME_YEAR:
    case J_TIME_YEAR_MONTH:
        if (has_valid(o, CHRONO_YEAR) && (kind == J_TIME_YEAR || has_valid(o, CHRONO_MONTH_OF_YEAR)))
            return first_of(run, kind, o, out);
        break;
    case J_MONTH:
        if (has_valid(o, CHRONO_MONTH_OF_YEAR))
            return java_enum_new(run, kind, temporal_field(o, CHRONO_MONTH_OF_YEAR) - 1, out);
        break;
    case J_DAY_OF_WEEK:
        if (has_valid(o, CHRONO_DAY_OF_WEEK))
            return java_enum_new(run, kind, temporal_field(o, CHRONO_DAY_OF_WEEK) - 1, out);
        break;
    case J_ZONE_OFFSET:
    case J_ZONE_ID:
        if (kind == J_ZONE_ID && o->kind == J_TIME_ZONED_DATE_TIME) {
            *out = o->when.zone;
            return true;
        }
        if (offset)
            return java_zone_of_offset(run, temporal_field(o, CHRONO_OFFSET_SECONDS), out);
        break;
    default:
        break;
    }
    return refuse_from(run, kind, o);
}
