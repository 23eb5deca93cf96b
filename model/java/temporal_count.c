/* java.time's points in time by unit: so many further, and how many lie between two. */
#include "model/java/temporal.h"

/* Years and months of units that are so and so many; 0: the unit is none of these. */
static int64_t years_of(enum chrono_unit unit)
{
    static const int16_t years[CHRONO_UNIT_COUNT] = { [UNIT_YEARS] = 1, [UNIT_DECADES] = 10, [UNIT_CENTURIES] = 100, [UNIT_MILLENNIA] = 1000 };
    return years[unit];
}

static bool unsupported_unit(struct java_run *run, enum chrono_unit unit)
{
    return java_throw(run, J_UNSUPPORTED_TEMPORAL, "Unsupported unit: %s", java_enum_text(J_CHRONO_UNIT, unit));
}

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
    int64_t per_second = unit < UNIT_SECONDS ? NANOS_A_SECOND / chrono_unit_nanos(unit) : 0, nanos = o->when.nanos % NANOS_A_SECOND, second;
    java_wide seconds = per_second ? amount / per_second : (java_wide)amount * chrono_unit_seconds(unit);

    nanos += per_second ? amount % per_second * chrono_unit_nanos(unit) : 0;
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
        return plus_date(run, o, amount, unit, &when) && temporal_give(run, o->kind, when, out);
    if (unit == UNIT_HALF_DAYS && o->kind != J_TIME_LOCAL_TIME) /* LocalDateTime takes 256 of them for one day */
        return temporal_plus(run, o, amount / 256, UNIT_DAYS, &o) && temporal_plus(run, o, amount % 256 * 12, UNIT_HOURS, out);
    java_wide nanos = (java_wide)amount * chrono_unit_nanos(unit) + when.nanos;
    int64_t days = (int64_t)(nanos / NANOS_PER_DAY);
    when.nanos = (int64_t)(nanos % NANOS_PER_DAY);
    if (when.nanos < 0) {
        when.nanos += NANOS_PER_DAY;
        days--;
    }
    return (o->kind == J_TIME_LOCAL_TIME || chrono_add_days(run, when.day, days, &when.day)) && temporal_give(run, o->kind, when, out);
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
        return (civil_of_days(to).year > 0) - (civil_of_days(from).year > 0);
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
