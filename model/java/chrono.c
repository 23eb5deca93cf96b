/* java.time's fields, units and days: how large they may be, and what is told of what is larger. */
#include "model/java/temporal.h"

#define DAY_LEAST   INT64_C(-365243219162)
#define DAY_MOST    INT64_C(365241780471)
#define MONTH_LEAST (-(int64_t)YEAR_MOST * MONTHS_A_YEAR)
#define MONTH_MOST  ((int64_t)YEAR_MOST * MONTHS_A_YEAR + MONTHS_A_YEAR - 1)

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
    if (!chrono_check(run, CHRONO_HOUR_OF_DAY, hour) || !chrono_check(run, CHRONO_MINUTE_OF_HOUR, minute) ||
        !chrono_check(run, CHRONO_SECOND_OF_MINUTE, second) || !chrono_check(run, CHRONO_NANO_OF_SECOND, nano))
        return false;
    *out = ((hour * 60 + minute) * 60 + second) * NANOS_A_SECOND + nano;
    return true;
}
