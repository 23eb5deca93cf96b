/* java.time's points in time by field and unit: what each class has of them, and what is reckoned with them. */
#include "model/java/time_format.h"

#include "engine/clock.h"
#include "model/java/object_ops.h"

enum { DAYS_A_WEEK = 7, MONTHS_A_YEAR = 12 };
#define DAY_LEAST   INT64_C(-365243219162)
#define DAY_MOST    INT64_C(365241780471)
#define MONTH_LEAST (-(int64_t)YEAR_MOST * MONTHS_A_YEAR)
#define MONTH_MOST  ((int64_t)YEAR_MOST * MONTHS_A_YEAR + MONTHS_A_YEAR - 1)
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

static bool has_day(const struct java_object *o)
{
    return temporal_has(o, CHRONO_EPOCH_DAY);
}

static bool has_time(const struct java_object *o)
{
    return temporal_has(o, CHRONO_NANO_OF_DAY);
}

/* ---- numbers ---- */

bool java_exact(struct java_run *run, java_wide v, int64_t *out)
{
    *out = (int64_t)v;
    return v == *out || java_throw(run, J_ARITHMETIC, "long overflow");
}

bool java_exact_int(struct java_run *run, java_wide v, int64_t *out)
{
    *out = (int64_t)v;
    return v == (int32_t)v || java_throw(run, J_ARITHMETIC, "integer overflow");
}

static const struct chrono_range ranges[CHRONO_FIELD_COUNT] = {
    [CHRONO_NANO_OF_SECOND] = { 0, NANOS_A_SECOND - 1, NANOS_A_SECOND - 1 },
    [CHRONO_NANO_OF_DAY] = { 0, NANOS_PER_DAY - 1, NANOS_PER_DAY - 1 },
    [CHRONO_MICRO_OF_SECOND] = { 0, 999999, 999999 },
    [CHRONO_MICRO_OF_DAY] = { 0, NANOS_PER_DAY / 1000 - 1, NANOS_PER_DAY / 1000 - 1 },
    [CHRONO_MILLI_OF_SECOND] = { 0, 999, 999 },
    [CHRONO_MILLI_OF_DAY] = { 0, MS_PER_DAY - 1, MS_PER_DAY - 1 },
    [CHRONO_SECOND_OF_MINUTE] = { 0, 59, 59 },
    [CHRONO_SECOND_OF_DAY] = { 0, SECONDS_A_DAY - 1, SECONDS_A_DAY - 1 },
    [CHRONO_MINUTE_OF_HOUR] = { 0, 59, 59 },
    [CHRONO_MINUTE_OF_DAY] = { 0, 1439, 1439 },
    [CHRONO_HOUR_OF_AMPM] = { 0, 11, 11 },
    [CHRONO_CLOCK_HOUR_OF_AMPM] = { 1, 12, 12 },
    [CHRONO_HOUR_OF_DAY] = { 0, 23, 23 },
    [CHRONO_CLOCK_HOUR_OF_DAY] = { 1, 24, 24 },
    [CHRONO_AMPM_OF_DAY] = { 0, 1, 1 },
    [CHRONO_DAY_OF_WEEK] = { 1, 7, 7 },
    [CHRONO_ALIGNED_DAY_OF_WEEK_IN_MONTH] = { 1, 7, 7 },
    [CHRONO_ALIGNED_DAY_OF_WEEK_IN_YEAR] = { 1, 7, 7 },
    [CHRONO_DAY_OF_MONTH] = { 1, 28, 31 },
    [CHRONO_DAY_OF_YEAR] = { 1, 365, 366 },
    [CHRONO_EPOCH_DAY] = { DAY_LEAST, DAY_MOST, DAY_MOST },
    [CHRONO_ALIGNED_WEEK_OF_MONTH] = { 1, 4, 5 },
    [CHRONO_ALIGNED_WEEK_OF_YEAR] = { 1, 53, 53 },
    [CHRONO_MONTH_OF_YEAR] = { 1, 12, 12 },
    [CHRONO_PROLEPTIC_MONTH] = { MONTH_LEAST, MONTH_MOST, MONTH_MOST },
    [CHRONO_YEAR_OF_ERA] = { 1, YEAR_MOST, YEAR_MOST + 1 },
    [CHRONO_YEAR] = { -YEAR_MOST, YEAR_MOST, YEAR_MOST },
    [CHRONO_ERA] = { 0, 1, 1 },
    [CHRONO_INSTANT_SECONDS] = { INT64_MIN, INT64_MAX, INT64_MAX },
    [CHRONO_OFFSET_SECONDS] = { -OFFSET_MOST_S, OFFSET_MOST_S, OFFSET_MOST_S },
    [CHRONO_DAY_OF_QUARTER] = { 1, 90, 92 },
    [CHRONO_QUARTER_OF_YEAR] = { 1, 4, 4 },
    [CHRONO_WEEK_OF_WEEK_BASED_YEAR] = { 1, 52, 53 },
    [CHRONO_WEEK_BASED_YEAR] = { -YEAR_MOST, YEAR_MOST, YEAR_MOST },
};

struct chrono_range chrono_range_of(enum chrono_field field)
{
    return ranges[field];
}

void chrono_put_range(struct buf *text, struct chrono_range r)
{
    buf_printf(text, "%lld - %lld", (long long)r.least, (long long)r.most_at_least);
    if (r.most != r.most_at_least)
        buf_printf(text, "/%lld", (long long)r.most);
}

static bool refuse_value(struct java_run *run, enum chrono_field field, int64_t value)
{
    struct buf text;
    buf_init(&text, run->ctx->arena);
    chrono_put_range(&text, ranges[field]);
    return java_throw(run, J_DATE_TIME, "Invalid value for %s (valid values %.*s): %lld", chrono_field_text(field), SLICE_ARG(buf_slice(&text)),
                      (long long)value);
}

bool chrono_check(struct java_run *run, enum chrono_field field, int64_t value)
{
    return (value >= ranges[field].least && value <= ranges[field].most) || refuse_value(run, field, value);
}

bool chrono_is_int(struct chrono_range range)
{
    return range.least >= INT32_MIN && range.most <= INT32_MAX;
}

bool chrono_check_int(struct java_run *run, enum chrono_field field, int64_t value)
{
    return chrono_is_int(ranges[field]) ? chrono_check(run, field, value) : refuse_value(run, field, value);
}

static const struct {
    int64_t seconds;
    int32_t nanos;
} lengths[CHRONO_UNIT_COUNT] = {
    [UNIT_NANOS] = { 0, 1 },
    [UNIT_MICROS] = { 0, 1000 },
    [UNIT_MILLIS] = { 0, 1000000 },
    [UNIT_SECONDS] = { 1, 0 },
    [UNIT_MINUTES] = { 60, 0 },
    [UNIT_HOURS] = { 3600, 0 },
    [UNIT_HALF_DAYS] = { SECONDS_A_DAY / 2, 0 },
    [UNIT_DAYS] = { SECONDS_A_DAY, 0 },
    [UNIT_WEEKS] = { 7 * SECONDS_A_DAY, 0 },
    [UNIT_MONTHS] = { 31556952 / 12, 0 }, /* a mean year's */
    [UNIT_YEARS] = { 31556952, 0 },
    [UNIT_DECADES] = { 31556952 * INT64_C(10), 0 },
    [UNIT_CENTURIES] = { 31556952 * INT64_C(100), 0 },
    [UNIT_MILLENNIA] = { 31556952 * INT64_C(1000), 0 },
    [UNIT_ERAS] = { 31556952 * INT64_C(1000000000), 0 },
    [UNIT_FOREVER] = { INT64_MAX, 999999999 },
};

int64_t chrono_unit_nanos(enum chrono_unit unit)
{
    return lengths[unit].seconds * NANOS_A_SECOND + lengths[unit].nanos;
}

int64_t chrono_unit_seconds(enum chrono_unit unit)
{
    return lengths[unit].seconds;
}

/* Years and months of units that are so and so many; 0: the unit is none of these. */
static int64_t years_of(enum chrono_unit unit)
{
    static const int16_t years[CHRONO_UNIT_COUNT] = { [UNIT_YEARS] = 1, [UNIT_DECADES] = 10, [UNIT_CENTURIES] = 100, [UNIT_MILLENNIA] = 1000 };
    return years[unit];
}

bool chrono_truncate(struct java_run *run, enum chrono_unit unit, int64_t nanos_of_day, int64_t *out)
{
    if (lengths[unit].seconds > SECONDS_A_DAY)
        return java_throw(run, J_UNSUPPORTED_TEMPORAL, "Unit is too large to be used for truncation");
    int64_t length = chrono_unit_nanos(unit);
    *out = nanos_of_day / length * length;
    return true;
}

/* ---- days ---- */

static bool refuse_leap_day(struct java_run *run, const char *day, int64_t year)
{
    return java_throw(run, J_DATE_TIME, "Invalid date '%s' as '%lld' is not a leap year", day, (long long)year);
}

bool chrono_day(struct java_run *run, int64_t year, int64_t month, int64_t day, int64_t *out)
{
    if (!chrono_check(run, CHRONO_YEAR, year) || !chrono_check(run, CHRONO_MONTH_OF_YEAR, month) || !chrono_check(run, CHRONO_DAY_OF_MONTH, day))
        return false;
    if (day > days_of_month(year, (int)month))
        return day == 29 ? refuse_leap_day(run, "February 29", year)
                         : java_throw(run, J_DATE_TIME, "Invalid date '%s %d'", java_enum_text(J_MONTH, month - 1), (int)day);
    *out = days_of_civil((struct civil){ year, (int)month, (int)day });
    return true;
}

bool chrono_day_of_year(struct java_run *run, int64_t year, int64_t day, int64_t *out)
{
    if (!chrono_check(run, CHRONO_YEAR, year) || !chrono_check(run, CHRONO_DAY_OF_YEAR, day))
        return false;
    if (day == 366 && !chrono_is_leap(year))
        return refuse_leap_day(run, "DayOfYear 366", year);
    *out = days_of_civil((struct civil){ year, 1, 1 }) + day - 1;
    return true;
}

bool chrono_add_days(struct java_run *run, int64_t day, int64_t days, int64_t *out)
{
    enum { SOON = 59 }; /* the day of a month up to which Java tells of the year that is left, and not of the day */
    struct civil date = civil_of_days(day);
    java_wide sum = (java_wide)day + days, in_month = (java_wide)date.day + days;

    if (sum > DAY_MOST && in_month <= SOON)
        return chrono_check(run, CHRONO_YEAR, date.year + 1);
    return java_exact(run, sum, out) && chrono_check(run, CHRONO_EPOCH_DAY, *out);
}

bool chrono_in_month(struct java_run *run, int64_t month, int day, int64_t *out)
{
    int64_t year = floor_div(month, MONTHS_A_YEAR);
    int of_year = (int)floor_mod(month, MONTHS_A_YEAR) + 1;
    if (!chrono_check(run, CHRONO_YEAR, year))
        return false;
    int most = days_of_month(year, of_year);
    *out = days_of_civil((struct civil){ year, of_year, day > most ? most : day });
    return true;
}

bool chrono_time(struct java_run *run, int64_t hour, int64_t minute, int64_t second, int64_t nano, int64_t *out)
{
    if (!chrono_check(run, CHRONO_HOUR_OF_DAY, hour) || !chrono_check(run, CHRONO_MINUTE_OF_HOUR, minute) || !chrono_check(run, CHRONO_SECOND_OF_MINUTE, second) ||
        !chrono_check(run, CHRONO_NANO_OF_SECOND, nano))
        return false;
    *out = ((hour * 60 + minute) * 60 + second) * NANOS_A_SECOND + nano;
    return true;
}

/* ---- making ---- */

struct java_object *temporal_new(struct java_run *run, enum java_kind kind, struct java_when when)
{
    struct java_object *o = java_new(run, kind);
    if (o)
        o->when = when;
    return o;
}

static bool give(struct java_run *run, enum java_kind kind, struct java_when when, struct java_object **out)
{
    return (*out = temporal_new(run, kind, when)) != NULL;
}

int64_t temporal_second(const struct java_when *when)
{
    return when->day * SECONDS_A_DAY + when->nanos / NANOS_A_SECOND - when->offset_s;
}

bool temporal_at_second(struct java_run *run, enum java_kind kind, int64_t second, int64_t nano, int32_t offset_s, struct java_object *zone, struct java_object **out)
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
    return give(run, kind, when, out);
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
    return v >= ranges[field].least && v <= ranges[field].most;
}

static bool first_of(struct java_run *run, enum java_kind kind, const struct java_object *o, struct java_object **out)
{
    int64_t month = kind == J_TIME_YEAR ? 1 : temporal_field(o, CHRONO_MONTH_OF_YEAR);
    return give(run, kind, (struct java_when){ .day = days_of_civil((struct civil){ temporal_field(o, CHRONO_YEAR), (int)month, 1 }) }, out);
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
            return give(run, kind, parts_of(o, true, false), out);
        break;
    case J_TIME_LOCAL_TIME:
        if (time)
            return give(run, kind, parts_of(o, false, true), out);
        break;
    case J_TIME_LOCAL_DATE_TIME:
        if (day && time)
            return give(run, kind, parts_of(o, true, true), out);
        break;
    case J_TIME_OFFSET_DATE_TIME:
        if (instant && offset)
            return give(run, kind, (struct java_when){ o->when.day, o->when.nanos, NULL, o->when.offset_s }, out);
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

/* ---- fields ---- */

static int64_t day_of_week(int64_t day)
{
    enum { EPOCH_IS = 3 }; /* days behind a Monday */
    return floor_mod(day + EPOCH_IS, DAYS_A_WEEK) + 1;
}

static int64_t first_of_year(int64_t year)
{
    return days_of_civil((struct civil){ year, 1, 1 });
}

/* The year that a week is of is that of its Thursday. */
static int64_t thursday_of(int64_t day)
{
    enum { THURSDAY = 4 };
    return day - day_of_week(day) + THURSDAY;
}

static int64_t date_field(int64_t day, enum chrono_field field)
{
    struct civil date = civil_of_days(day);
    int64_t of_year = day - first_of_year(date.year);

    switch (field) {
    case CHRONO_DAY_OF_WEEK:
        return day_of_week(day);
    case CHRONO_ALIGNED_DAY_OF_WEEK_IN_MONTH:
        return (date.day - 1) % DAYS_A_WEEK + 1;
    case CHRONO_ALIGNED_DAY_OF_WEEK_IN_YEAR:
        return of_year % DAYS_A_WEEK + 1;
    case CHRONO_DAY_OF_MONTH:
        return date.day;
    case CHRONO_DAY_OF_YEAR:
        return of_year + 1;
    case CHRONO_EPOCH_DAY:
        return day;
    case CHRONO_ALIGNED_WEEK_OF_MONTH:
        return (date.day - 1) / DAYS_A_WEEK + 1;
    case CHRONO_ALIGNED_WEEK_OF_YEAR:
        return of_year / DAYS_A_WEEK + 1;
    case CHRONO_MONTH_OF_YEAR:
        return date.month;
    case CHRONO_PROLEPTIC_MONTH:
        return chrono_month_of(date);
    case CHRONO_YEAR_OF_ERA:
        return date.year > 0 ? date.year : 1 - date.year;
    case CHRONO_ERA:
        return date.year > 0;
    case CHRONO_DAY_OF_QUARTER:
        return day - days_of_civil((struct civil){ date.year, (date.month - 1) / 3 * 3 + 1, 1 }) + 1;
    case CHRONO_QUARTER_OF_YEAR:
        return (date.month + 2) / 3;
    case CHRONO_WEEK_OF_WEEK_BASED_YEAR:
        return (thursday_of(day) - first_of_year(civil_of_days(thursday_of(day)).year)) / DAYS_A_WEEK + 1;
    case CHRONO_WEEK_BASED_YEAR:
        return civil_of_days(thursday_of(day)).year;
    default:
        return date.year;
    }
}

/* A field of the time of day: so many nanoseconds make one, and so many there are in the next larger one. */
static const struct {
    int64_t nanos, within;
    bool from_one; /* what would be 0 is the most */
} time_fields[] = {
    [CHRONO_NANO_OF_SECOND] = { 1, NANOS_A_SECOND, false },
    [CHRONO_NANO_OF_DAY] = { 1, NANOS_PER_DAY, false },
    [CHRONO_MICRO_OF_SECOND] = { 1000, 1000000, false },
    [CHRONO_MICRO_OF_DAY] = { 1000, NANOS_PER_DAY / 1000, false },
    [CHRONO_MILLI_OF_SECOND] = { 1000000, 1000, false },
    [CHRONO_MILLI_OF_DAY] = { 1000000, MS_PER_DAY, false },
    [CHRONO_SECOND_OF_MINUTE] = { NANOS_A_SECOND, 60, false },
    [CHRONO_SECOND_OF_DAY] = { NANOS_A_SECOND, SECONDS_A_DAY, false },
    [CHRONO_MINUTE_OF_HOUR] = { 60 * NANOS_A_SECOND, 60, false },
    [CHRONO_MINUTE_OF_DAY] = { 60 * NANOS_A_SECOND, 1440, false },
    [CHRONO_HOUR_OF_AMPM] = { 3600 * NANOS_A_SECOND, 12, false },
    [CHRONO_CLOCK_HOUR_OF_AMPM] = { 3600 * NANOS_A_SECOND, 12, true },
    [CHRONO_HOUR_OF_DAY] = { 3600 * NANOS_A_SECOND, 24, false },
    [CHRONO_CLOCK_HOUR_OF_DAY] = { 3600 * NANOS_A_SECOND, 24, true },
    [CHRONO_AMPM_OF_DAY] = { NANOS_PER_DAY / 2, 2, false },
};

static int64_t time_field(int64_t nanos, enum chrono_field field)
{
    int64_t v = nanos / time_fields[field].nanos % time_fields[field].within;
    return !v && time_fields[field].from_one ? time_fields[field].within : v;
}

int64_t temporal_field(const struct java_object *o, enum chrono_field field)
{
    if (o->kind == J_MONTH || o->kind == J_DAY_OF_WEEK)
        return field == CHRONO_QUARTER_OF_YEAR ? java_ordinal(o) / 3 + 1 : java_ordinal(o) + 1;
    if (o->kind == J_PARSED && o->parsed.fields->own >> field & 1)
        return o->parsed.fields->values[field];
    if (field == CHRONO_INSTANT_SECONDS)
        return temporal_second(&o->when);
    if (field == CHRONO_OFFSET_SECONDS)
        return o->when.offset_s;
    return field <= CHRONO_AMPM_OF_DAY ? time_field(o->when.nanos, field) : date_field(o->when.day, field);
}

/* What is below the field stays, but for fields that count on from midnight; micro- and milliseconds leave nothing below them. */
static int64_t with_time_field(int64_t nanos, enum chrono_field field, int64_t value)
{
    int64_t length = time_fields[field].nanos, within = time_fields[field].within;
    bool rests = field != CHRONO_MICRO_OF_SECOND && field != CHRONO_MICRO_OF_DAY && field != CHRONO_MILLI_OF_SECOND && field != CHRONO_MILLI_OF_DAY;
    int64_t below = rests ? nanos % length : 0, above = nanos / length / within * within;
    return (above + value % within) * length + below;
}

int64_t chrono_weeks_of(int64_t year)
{
    enum { IN_THE_LAST = 28 }; /* of December: always in the last week */
    return date_field(days_of_civil((struct civil){ year, 12, IN_THE_LAST }), CHRONO_WEEK_OF_WEEK_BASED_YEAR);
}

/* The same week and day of the week in another year, of whose first week January 4 is. */
static bool with_week_year(struct java_run *run, int64_t day, int64_t year, int64_t *out)
{
    enum { IN_THE_FIRST = 4 };
    int64_t week = date_field(day, CHRONO_WEEK_OF_WEEK_BASED_YEAR), most = chrono_weeks_of(year);
    int64_t first = days_of_civil((struct civil){ year, 1, IN_THE_FIRST });
    return chrono_add_days(run, first, day_of_week(day) - day_of_week(first) + ((week > most ? most : week) - 1) * DAYS_A_WEEK, out);
}

static bool with_date_field(struct java_run *run, int64_t day, enum chrono_field field, int64_t value, int64_t *out)
{
    struct civil date = civil_of_days(day);
    int64_t month = chrono_month_of(date), now = date_field(day, field);

    switch (field) {
    case CHRONO_DAY_OF_WEEK:
    case CHRONO_ALIGNED_DAY_OF_WEEK_IN_MONTH:
    case CHRONO_ALIGNED_DAY_OF_WEEK_IN_YEAR:
        return chrono_add_days(run, day, value - now, out);
    case CHRONO_ALIGNED_WEEK_OF_MONTH:
    case CHRONO_ALIGNED_WEEK_OF_YEAR:
    case CHRONO_WEEK_OF_WEEK_BASED_YEAR:
        return chrono_add_days(run, day, (value - now) * DAYS_A_WEEK, out);
    case CHRONO_DAY_OF_MONTH:
        return chrono_day(run, date.year, date.month, value, out);
    case CHRONO_DAY_OF_YEAR:
        return chrono_day_of_year(run, date.year, value, out);
    case CHRONO_EPOCH_DAY:
        *out = value;
        return true;
    case CHRONO_YEAR:
        return chrono_in_month(run, month + (value - date.year) * MONTHS_A_YEAR, date.day, out);
    case CHRONO_YEAR_OF_ERA:
        value = date.year >= 1 ? value : 1 - value;
        return chrono_check(run, CHRONO_YEAR, value) && chrono_in_month(run, month + (value - date.year) * MONTHS_A_YEAR, date.day, out);
    case CHRONO_ERA:
        return chrono_in_month(run, value == now ? month : month + (1 - 2 * date.year) * MONTHS_A_YEAR, date.day, out);
    case CHRONO_DAY_OF_QUARTER:
        return chrono_day_of_year(run, date.year, date_field(day, CHRONO_DAY_OF_YEAR) + value - now, out);
    case CHRONO_QUARTER_OF_YEAR:
        return chrono_in_month(run, month + (value - now) * 3, date.day, out);
    case CHRONO_WEEK_BASED_YEAR:
        return with_week_year(run, day, value, out);
    default: /* MONTH_OF_YEAR, PROLEPTIC_MONTH */
        return chrono_in_month(run, month + value - now, date.day, out);
    }
}

bool chrono_unsupported(struct java_run *run, enum chrono_field field)
{
    return java_throw(run, J_UNSUPPORTED_TEMPORAL, "Unsupported field: %s", chrono_field_text(field));
}

static bool unsupported_unit(struct java_run *run, enum chrono_unit unit)
{
    return java_throw(run, J_UNSUPPORTED_TEMPORAL, "Unsupported unit: %s", java_enum_text(J_CHRONO_UNIT, unit));
}

bool temporal_with(struct java_run *run, struct java_object *o, enum chrono_field field, int64_t value, struct java_object **out)
{
    struct java_when when = o->when;

    if (!temporal_has(o, field) || !had[o->kind].units) /* a value that is none is told of before */
        return (field >= ISO_FIELDS_FROM || chrono_check(run, field, value)) && chrono_unsupported(run, field);
    if (!chrono_check(run, field, value))
        return false;
    *out = o;
    if (field == CHRONO_INSTANT_SECONDS)
        return temporal_at_second(run, o->kind, value, when.nanos % NANOS_A_SECOND, when.offset_s, when.zone, out);
    if (field == CHRONO_OFFSET_SECONDS) {
        when.offset_s = (int32_t)value;
        return o->kind == J_TIME_ZONED_DATE_TIME || give(run, o->kind, when, out); /* a zone of one offset has no other */
    }
    if (field <= CHRONO_AMPM_OF_DAY)
        when.nanos = with_time_field(when.nanos, field, value);
    else if (!with_date_field(run, when.day, field, value, &when.day))
        return false;
    return (when.day == o->when.day && when.nanos == o->when.nanos) || give(run, o->kind, when, out);
}

/* ---- counting ---- */

static int64_t wrapped(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static bool plus_date(struct java_run *run, struct java_object *o, int64_t amount, enum chrono_unit unit, struct java_when *when)
{
    struct civil date = civil_of_days(when->day);
    int64_t n;

    if (unit == UNIT_DAYS || unit == UNIT_WEEKS)
        return java_exact(run, (java_wide)amount * (unit == UNIT_WEEKS ? DAYS_A_WEEK : 1), &n) && chrono_add_days(run, when->day, n, &when->day);
    if (unit == UNIT_MONTHS)
        return chrono_in_month(run, wrapped(chrono_month_of(date), amount), date.day, &when->day);
    if (unit == UNIT_ERAS) {
        struct java_object *with;
        if (!java_exact(run, (java_wide)temporal_field(o, CHRONO_ERA) + amount, &n) || !temporal_with(run, o, CHRONO_ERA, n, &with))
            return false;
        when->day = with->when.day;
        return true;
    }
    if (!java_exact(run, (java_wide)amount * years_of(unit), &n))
        return false;
    int64_t year = wrapped(date.year, n);
    return chrono_check(run, CHRONO_YEAR, year) && chrono_in_month(run, chrono_month_of((struct civil){ year, date.month, 1 }), date.day, &when->day);
}

static bool plus_instant(struct java_run *run, const struct java_object *o, int64_t amount, enum chrono_unit unit, struct java_object **out)
{
    int64_t per_second = lengths[unit].nanos ? NANOS_A_SECOND / lengths[unit].nanos : 0, nanos = o->when.nanos % NANOS_A_SECOND, second;
    java_wide seconds = per_second ? amount / per_second : (java_wide)amount * lengths[unit].seconds;

    nanos += per_second ? amount % per_second * lengths[unit].nanos : 0;
    return java_exact(run, seconds, &second) && java_exact(run, (java_wide)temporal_second(&o->when) + second, &second) &&
           temporal_at_second(run, J_TIME_INSTANT, second + floor_div(nanos, NANOS_A_SECOND), floor_mod(nanos, NANOS_A_SECOND), 0, NULL, out);
}

bool temporal_plus(struct java_run *run, struct java_object *o, int64_t amount, enum chrono_unit unit, struct java_object **out)
{
    struct java_when when = o->when;

    if (!temporal_counts(o, unit))
        return unsupported_unit(run, unit);
    *out = o;
    if (!amount)
        return true;
    if (o->kind == J_TIME_INSTANT)
        return plus_instant(run, o, amount, unit, out);
    if (unit >= UNIT_DAYS)
        return plus_date(run, o, amount, unit, &when) && give(run, o->kind, when, out);
    java_wide nanos = (java_wide)amount * chrono_unit_nanos(unit) + when.nanos;
    if (unit == UNIT_HALF_DAYS && o->kind != J_TIME_LOCAL_TIME) /* LocalDateTime takes 256 of them for one day */
        nanos = (java_wide)(amount / 256) * NANOS_PER_DAY + amount % 256 * chrono_unit_nanos(unit) + when.nanos;
    int64_t days = (int64_t)(nanos / NANOS_PER_DAY);
    when.nanos = (int64_t)(nanos % NANOS_PER_DAY);
    if (when.nanos < 0) {
        when.nanos += NANOS_PER_DAY;
        days--;
    }
    return (o->kind == J_TIME_LOCAL_TIME || chrono_add_days(run, when.day, days, &when.day)) && give(run, o->kind, when, out);
}

bool temporal_minus(struct java_run *run, struct java_object *o, int64_t amount, enum chrono_unit unit, struct java_object **out)
{
    if (amount == INT64_MIN)
        return temporal_plus(run, o, INT64_MAX, unit, &o) && temporal_plus(run, o, 1, unit, out);
    return temporal_plus(run, o, -amount, unit, out);
}

static int64_t months_between(int64_t from, int64_t to)
{
    enum { MORE_THAN_A_MONTH = 32 };
    struct civil a = civil_of_days(from), b = civil_of_days(to);
    return ((chrono_month_of(b) - chrono_month_of(a)) * MORE_THAN_A_MONTH + b.day - a.day) / MORE_THAN_A_MONTH;
}

static int64_t date_until(int64_t from, int64_t to, enum chrono_unit unit)
{
    switch (unit) {
    case UNIT_DAYS:
        return to - from;
    case UNIT_WEEKS:
        return (to - from) / DAYS_A_WEEK;
    case UNIT_MONTHS:
        return months_between(from, to);
    case UNIT_ERAS:
        return date_field(to, CHRONO_ERA) - date_field(from, CHRONO_ERA);
    default:
        return months_between(from, to) / (MONTHS_A_YEAR * years_of(unit));
    }
}

/* Milliseconds of Instants are told as they were rounded down, both. */
static bool instant_until(struct java_run *run, const struct java_when *from, const struct java_when *to, enum chrono_unit unit, int64_t *out)
{
    java_wide seconds = (java_wide)temporal_second(to) - temporal_second(from), a = from->nanos % NANOS_A_SECOND, b = to->nanos % NANOS_A_SECOND;
    if (unit == UNIT_MILLIS)
        return java_exact(run, seconds * 1000 + b / 1000000 - a / 1000000, out);
    int64_t nanos;
    if (unit == UNIT_MICROS) /* by way of nanoseconds, which may be too many */
        return java_exact(run, seconds * NANOS_A_SECOND + b - a, &nanos) && java_exact(run, nanos / 1000, out);
    return java_exact(run, (seconds * NANOS_A_SECOND + b - a) / chrono_unit_nanos(unit), out);
}

bool temporal_until(struct java_run *run, struct java_object *o, const struct java_object *end, enum chrono_unit unit, int64_t *out)
{
    struct java_object *to;

    if (!temporal_from(run, o->kind, end, &to))
        return false;
    if (!temporal_counts(o, unit))
        return unsupported_unit(run, unit);
    if (o->kind == J_TIME_INSTANT)
        return instant_until(run, &o->when, &to->when, unit, out);
    if (to->when.offset_s != o->when.offset_s &&
        !temporal_at_second(run, o->kind, temporal_second(&to->when), to->when.nanos % NANOS_A_SECOND, o->when.offset_s, o->when.zone, &to))
        return false;
    int64_t days = to->when.day - o->when.day, nanos = to->when.nanos - o->when.nanos;
    if (unit < UNIT_DAYS)
        return java_exact(run, ((java_wide)days * NANOS_PER_DAY + nanos) / chrono_unit_nanos(unit), out);
    int64_t begun = days > 0 && nanos < 0 ? -1 : days < 0 && nanos > 0; /* a day that is not whole */
    *out = date_until(o->when.day, to->when.day + begun, unit);
    return true;
}
