/* java.time's points in time by field: what it is, and the point where it is another. */
#include "model/java/time_format.h"

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

bool temporal_with(struct java_run *run, struct java_object *o, enum chrono_field field, int64_t value, struct java_object **out)
{
    struct java_when when = o->when;

    if (!temporal_has(o, field) || !temporal_is_counted(o)) /* a value that is none is told of before */
        return (field >= ISO_FIELDS_FROM || chrono_check(run, field, value)) && chrono_unsupported(run, field);
    if (!chrono_check(run, field, value))
        return false;
    *out = o;
    if (field == CHRONO_INSTANT_SECONDS)
        return temporal_at_second(run, o->kind, value, when.nanos % NANOS_A_SECOND, when.offset_s, when.zone, out);
    if (field == CHRONO_OFFSET_SECONDS) {
        when.offset_s = (int32_t)value;
        return o->kind == J_TIME_ZONED_DATE_TIME || temporal_give(run, o->kind, when, out); /* a zone of one offset has no other */
    }
    if (field <= CHRONO_AMPM_OF_DAY)
        when.nanos = with_time_field(when.nanos, field, value);
    else if (!with_date_field(run, when.day, field, value, &when.day))
        return false;
    return (when.day == o->when.day && when.nanos == o->when.nanos) || temporal_give(run, o->kind, when, out);
}
