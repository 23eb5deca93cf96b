/* java.time: LocalDate, LocalTime, LocalDateTime, Year and YearMonth, made of numbers and of one another. */
#include "model/java/temporal.h"

/* What of a method's arguments is a Month or a number from 1; of a Month that is missing the year is told before. */
static bool take_month(struct java_run *run, int shape, union java_value arg, int64_t *out)
{
    if (shape == J_MONTH && !java_require(run, arg.o, "month"))
        return false;
    *out = shape == J_MONTH ? java_ordinal(arg.o) + 1 : arg.i;
    return true;
}

/* Three numbers, from the argument on. */
static bool take_day(struct java_run *run, const struct java_method *method, const union java_value *args, int64_t *out)
{
    int64_t month;
    return chrono_check(run, CHRONO_YEAR, args[0].i) && take_month(run, method->args[1], args[1], &month) && chrono_day(run, args[0].i, month, args[2].i, out);
}

/* An hour and minutes, and what there is of seconds and nanoseconds. */
static bool take_time(struct java_run *run, const union java_value *args, unsigned count, int64_t *out)
{
    return chrono_time(run, args[0].i, args[1].i, count > 2 ? args[2].i : 0, count > 3 ? args[3].i : 0, out);
}

static bool give(struct java_run *run, enum java_kind kind, int64_t day, int64_t nanos, union java_value *out)
{
    return (out->o = temporal_new(run, kind, (struct java_when){ day, nanos, NULL, 0 })) != NULL;
}

/* ---- of numbers ---- */

JAVA_CALL(date_of)
{
    int64_t day;
    JAVA_UNUSED;
    return take_day(run, method, args, &day) && give(run, J_TIME_LOCAL_DATE, day, 0, out);
}

JAVA_CALL(date_of_epoch_day)
{
    JAVA_UNUSED;
    return chrono_check(run, CHRONO_EPOCH_DAY, args[0].i) && give(run, J_TIME_LOCAL_DATE, args[0].i, 0, out);
}

JAVA_CALL(date_of_year_day)
{
    int64_t day, year = method->of == J_TIME_YEAR ? civil_of_days(self->o->when.day).year : args[0].i; /* Year.atDay */
    JAVA_UNUSED;
    return chrono_day_of_year(run, year, args[method->of != J_TIME_YEAR].i, &day) && give(run, J_TIME_LOCAL_DATE, day, 0, out);
}

JAVA_CALL(time_of)
{
    int64_t nanos;
    JAVA_UNUSED;
    return take_time(run, args, java_method_arity(method), &nanos) && give(run, J_TIME_LOCAL_TIME, 0, nanos, out);
}

/* variant: the field that counts from midnight. */
JAVA_CALL(time_of_day)
{
    enum chrono_field field = (enum chrono_field)method->variant;
    JAVA_UNUSED;
    return chrono_check(run, field, args[0].i) && give(run, J_TIME_LOCAL_TIME, 0, args[0].i * (field == CHRONO_SECOND_OF_DAY ? NANOS_A_SECOND : 1), out);
}

JAVA_CALL(date_time_of)
{
    enum { OF_DATE = 3 };
    int64_t day, nanos;
    JAVA_UNUSED;
    return take_day(run, method, args, &day) && take_time(run, args + OF_DATE, java_method_arity(method) - OF_DATE, &nanos) &&
           give(run, J_TIME_LOCAL_DATE_TIME, day, nanos, out);
}

JAVA_CALL(year_of)
{
    JAVA_UNUSED;
    return chrono_check(run, CHRONO_YEAR, args[0].i) && give(run, J_TIME_YEAR, days_of_civil((struct civil){ args[0].i, 1, 1 }), 0, out);
}

JAVA_CALL(year_month_of)
{
    const union java_value *argument = &args[method->of != J_TIME_YEAR]; /* else Year.atMonth */
    int64_t day, month, year = method->of == J_TIME_YEAR ? civil_of_days(self->o->when.day).year : args[0].i;
    int shape = method->args[method->of != J_TIME_YEAR];
    JAVA_UNUSED;
    if (shape == J_MONTH && !java_require(run, argument->o, "month"))
        return false;
    return chrono_check(run, CHRONO_YEAR, year) && take_month(run, shape, *argument, &month) && chrono_day(run, year, month, 1, &day) &&
           give(run, J_TIME_YEAR_MONTH, day, 0, out);
}

/* ---- of each other ---- */

JAVA_CALL(date_time_of_parts)
{
    JAVA_UNUSED;
    return java_require(run, args[0].o, "date") && java_require(run, args[1].o, "time") &&
           give(run, J_TIME_LOCAL_DATE_TIME, args[0].o->when.day, args[1].o->when.nanos, out);
}

JAVA_CALL(date_at_time)
{
    unsigned count = java_method_arity(method);
    int64_t nanos = 0;
    JAVA_UNUSED;
    if (method->args[0] == J_TIME_LOCAL_TIME) {
        if (!java_require(run, args[0].o, "time"))
            return false;
        nanos = args[0].o->when.nanos;
    } else if (count && !take_time(run, args, count, &nanos))
        return false;
    return give(run, J_TIME_LOCAL_DATE_TIME, self->o->when.day, nanos, out);
}

JAVA_CALL(time_at_date)
{
    JAVA_UNUSED;
    return java_require(run, args[0].o, "date") && give(run, J_TIME_LOCAL_DATE_TIME, args[0].o->when.day, self->o->when.nanos, out);
}

JAVA_CALL(year_month_at_day)
{
    struct civil first = civil_of_days(self->o->when.day);
    int64_t day = method->args[0] ? args[0].i : days_of_month(first.year, first.month);
    JAVA_UNUSED;
    return chrono_day(run, first.year, first.month, day, &day) && give(run, J_TIME_LOCAL_DATE, day, 0, out);
}

JAVA_CALL(year_month_is_day)
{
    struct civil first = civil_of_days(self->o->when.day);
    JAVA_UNUSED;
    out->i = args[0].i >= 1 && args[0].i <= days_of_month(first.year, first.month);
    return true;
}

JAVA_CALL(year_is_leap)
{
    JAVA_UNUSED;
    out->i = chrono_is_leap(args[0].i);
    return true;
}

/* ---- the seconds since 1970 ---- */

JAVA_CALL(of_epoch_second)
{
    JAVA_UNUSED;
    return java_require(run, args[2].o, "offset") && chrono_check(run, CHRONO_NANO_OF_SECOND, args[1].i) &&
           temporal_at_second(run, J_TIME_LOCAL_DATE_TIME, args[0].i, args[1].i, args[2].o->when.offset_s, NULL, &out->o);
}

JAVA_CALL(of_instant)
{
    struct java_object *at;
    JAVA_UNUSED;
    if (!java_require(run, args[0].o, "instant") || !java_require(run, args[1].o, "zone"))
        return false;
    const struct java_when *when = &args[0].o->when;
    return temporal_at_second(run, J_TIME_LOCAL_DATE_TIME, temporal_second(when), when->nanos % NANOS_A_SECOND, args[1].o->when.offset_s, NULL, &at) &&
           temporal_from(run, (enum java_kind)method->result, at, &out->o);
}

/* Of a date and a time, one of which is the receiver where it is not both. */
JAVA_CALL(to_epoch_second)
{
    bool both = !method->args[1], is_date = method->of == J_TIME_LOCAL_DATE;
    const struct java_object *other = args[0].o, *offset = args[both ? 0 : 1].o;
    JAVA_UNUSED;
    if ((!both && !java_require(run, other, is_date ? "time" : "date")) || !java_require(run, offset, "offset"))
        return false;
    struct java_when when = { both || is_date ? self->o->when.day : other->when.day, both || !is_date ? self->o->when.nanos : other->when.nanos, NULL,
                              offset->when.offset_s };
    out->i = temporal_second(&when);
    return true;
}

/* ---- now ---- */

JAVA_CALL(now)
{
    JAVA_UNUSED;
    struct java_object *zone = method->args[0] ? args[0].o : NULL;
    if (method->args[0] && !java_require(run, zone, "zone"))
        return false;
    return temporal_now(run, (enum java_kind)method->result, zone ? zone->when.offset_s : 0, NULL, &out->o);
}

/* ---- the table ---- */

#define AT_NOW(kind)                                                                                                   \
    { kind, "now", kind, { 0 }, JAVA_STATIC, now, 0 },                                                                \
    { kind, "now", kind, { J_ZONE_ID }, JAVA_STATIC, now, 0 }

const struct java_method java_date_methods[] = {
    { J_TIME_LOCAL_DATE, "of", J_TIME_LOCAL_DATE, { J_INT, J_MONTH, J_INT }, JAVA_STATIC, date_of, 0 },
    { J_TIME_LOCAL_DATE, "of", J_TIME_LOCAL_DATE, { J_INT, J_INT, J_INT }, JAVA_STATIC, date_of, 0 },
    { J_TIME_LOCAL_DATE, "ofYearDay", J_TIME_LOCAL_DATE, { J_INT, J_INT }, JAVA_STATIC, date_of_year_day, 0 },
    { J_TIME_LOCAL_DATE, "ofEpochDay", J_TIME_LOCAL_DATE, { J_LONG }, JAVA_STATIC, date_of_epoch_day, 0 },
    { J_TIME_LOCAL_DATE, "ofInstant", J_TIME_LOCAL_DATE, { J_TIME_INSTANT, J_ZONE_ID }, JAVA_STATIC, of_instant, 0 },
    { J_TIME_LOCAL_DATE, "atTime", J_TIME_LOCAL_DATE_TIME, { J_TIME_LOCAL_TIME }, 0, date_at_time, 0 },
    { J_TIME_LOCAL_DATE, "atTime", J_TIME_LOCAL_DATE_TIME, { J_INT, J_INT }, 0, date_at_time, 0 },
    { J_TIME_LOCAL_DATE, "atTime", J_TIME_LOCAL_DATE_TIME, { J_INT, J_INT, J_INT }, 0, date_at_time, 0 },
    { J_TIME_LOCAL_DATE, "atTime", J_TIME_LOCAL_DATE_TIME, { J_INT, J_INT, J_INT, J_INT }, 0, date_at_time, 0 },
    { J_TIME_LOCAL_DATE, "atStartOfDay", J_TIME_LOCAL_DATE_TIME, { 0 }, 0, date_at_time, 0 },
    { J_TIME_LOCAL_DATE, "toEpochSecond", J_LONG, { J_TIME_LOCAL_TIME, J_ZONE_OFFSET }, 0, to_epoch_second, 0 },
    AT_NOW(J_TIME_LOCAL_DATE),
    { J_TIME_LOCAL_TIME, "of", J_TIME_LOCAL_TIME, { J_INT, J_INT }, JAVA_STATIC, time_of, 0 },
    { J_TIME_LOCAL_TIME, "of", J_TIME_LOCAL_TIME, { J_INT, J_INT, J_INT }, JAVA_STATIC, time_of, 0 },
    { J_TIME_LOCAL_TIME, "of", J_TIME_LOCAL_TIME, { J_INT, J_INT, J_INT, J_INT }, JAVA_STATIC, time_of, 0 },
    { J_TIME_LOCAL_TIME, "ofSecondOfDay", J_TIME_LOCAL_TIME, { J_LONG }, JAVA_STATIC, time_of_day, CHRONO_SECOND_OF_DAY },
    { J_TIME_LOCAL_TIME, "ofNanoOfDay", J_TIME_LOCAL_TIME, { J_LONG }, JAVA_STATIC, time_of_day, CHRONO_NANO_OF_DAY },
    { J_TIME_LOCAL_TIME, "ofInstant", J_TIME_LOCAL_TIME, { J_TIME_INSTANT, J_ZONE_ID }, JAVA_STATIC, of_instant, 0 },
    { J_TIME_LOCAL_TIME, "atDate", J_TIME_LOCAL_DATE_TIME, { J_TIME_LOCAL_DATE }, 0, time_at_date, 0 },
    { J_TIME_LOCAL_TIME, "toEpochSecond", J_LONG, { J_TIME_LOCAL_DATE, J_ZONE_OFFSET }, 0, to_epoch_second, 0 },
    AT_NOW(J_TIME_LOCAL_TIME),
    { J_TIME_LOCAL_DATE_TIME, "of", J_TIME_LOCAL_DATE_TIME, { J_INT, J_MONTH, J_INT, J_INT, J_INT }, JAVA_STATIC, date_time_of, 0 },
    { J_TIME_LOCAL_DATE_TIME, "of", J_TIME_LOCAL_DATE_TIME, { J_INT, J_MONTH, J_INT, J_INT, J_INT, J_INT }, JAVA_STATIC, date_time_of, 0 },
    { J_TIME_LOCAL_DATE_TIME, "of", J_TIME_LOCAL_DATE_TIME, { J_INT, J_MONTH, J_INT, J_INT, J_INT, J_INT, J_INT }, JAVA_STATIC, date_time_of, 0 },
    { J_TIME_LOCAL_DATE_TIME, "of", J_TIME_LOCAL_DATE_TIME, { J_INT, J_INT, J_INT, J_INT, J_INT }, JAVA_STATIC, date_time_of, 0 },
    { J_TIME_LOCAL_DATE_TIME, "of", J_TIME_LOCAL_DATE_TIME, { J_INT, J_INT, J_INT, J_INT, J_INT, J_INT }, JAVA_STATIC, date_time_of, 0 },
    { J_TIME_LOCAL_DATE_TIME, "of", J_TIME_LOCAL_DATE_TIME, { J_INT, J_INT, J_INT, J_INT, J_INT, J_INT, J_INT }, JAVA_STATIC, date_time_of, 0 },
    { J_TIME_LOCAL_DATE_TIME, "of", J_TIME_LOCAL_DATE_TIME, { J_TIME_LOCAL_DATE, J_TIME_LOCAL_TIME }, JAVA_STATIC, date_time_of_parts, 0 },
    { J_TIME_LOCAL_DATE_TIME, "ofEpochSecond", J_TIME_LOCAL_DATE_TIME, { J_LONG, J_INT, J_ZONE_OFFSET }, JAVA_STATIC, of_epoch_second, 0 },
    { J_TIME_LOCAL_DATE_TIME, "ofInstant", J_TIME_LOCAL_DATE_TIME, { J_TIME_INSTANT, J_ZONE_ID }, JAVA_STATIC, of_instant, 0 },
    { J_CHRONO_LOCAL_DATE_TIME, "toEpochSecond", J_LONG, { J_ZONE_OFFSET }, 0, to_epoch_second, 0 },
    AT_NOW(J_TIME_LOCAL_DATE_TIME),
    { J_TIME_YEAR, "of", J_TIME_YEAR, { J_INT }, JAVA_STATIC, year_of, 0 },
    { J_TIME_YEAR, "isLeap", J_BOOLEAN, { J_LONG }, JAVA_STATIC, year_is_leap, 0 },
    { J_TIME_YEAR, "atDay", J_TIME_LOCAL_DATE, { J_INT }, 0, date_of_year_day, 0 },
    { J_TIME_YEAR, "atMonth", J_TIME_YEAR_MONTH, { J_MONTH }, 0, year_month_of, 0 },
    { J_TIME_YEAR, "atMonth", J_TIME_YEAR_MONTH, { J_INT }, 0, year_month_of, 0 },
    AT_NOW(J_TIME_YEAR),
    { J_TIME_YEAR_MONTH, "of", J_TIME_YEAR_MONTH, { J_INT, J_MONTH }, JAVA_STATIC, year_month_of, 0 },
    { J_TIME_YEAR_MONTH, "of", J_TIME_YEAR_MONTH, { J_INT, J_INT }, JAVA_STATIC, year_month_of, 0 },
    { J_TIME_YEAR_MONTH, "atDay", J_TIME_LOCAL_DATE, { J_INT }, 0, year_month_at_day, 0 },
    { J_TIME_YEAR_MONTH, "atEndOfMonth", J_TIME_LOCAL_DATE, { 0 }, 0, year_month_at_day, 0 },
    { J_TIME_YEAR_MONTH, "isValidDay", J_BOOLEAN, { J_INT }, 0, year_month_is_day, 0 },
    AT_NOW(J_TIME_YEAR_MONTH),
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};

#define LEAST_DAY INT64_C(-365243219162)
#define MOST_DAY  INT64_C(365241780471)

static struct java_object date_least = { .kind = J_TIME_LOCAL_DATE, .when = { .day = LEAST_DAY } },
                          date_most = { .kind = J_TIME_LOCAL_DATE, .when = { .day = MOST_DAY } },
                          date_epoch = { .kind = J_TIME_LOCAL_DATE, .when = { .day = 0 } }, midnight = { .kind = J_TIME_LOCAL_TIME, .when = { .nanos = 0 } },
                          noon = { .kind = J_TIME_LOCAL_TIME, .when = { .nanos = NANOS_PER_DAY / 2 } },
                          time_most = { .kind = J_TIME_LOCAL_TIME, .when = { .nanos = NANOS_PER_DAY - 1 } },
                          date_time_least = { .kind = J_TIME_LOCAL_DATE_TIME, .when = { .day = LEAST_DAY } },
                          date_time_most = { .kind = J_TIME_LOCAL_DATE_TIME, .when = { .day = MOST_DAY, .nanos = NANOS_PER_DAY - 1 } };

const struct java_constant java_date_constants[] = {
    { J_TIME_LOCAL_DATE, "MIN", J_TIME_LOCAL_DATE, { .o = &date_least }, java_constant_is_object },
    { J_TIME_LOCAL_DATE, "MAX", J_TIME_LOCAL_DATE, { .o = &date_most }, java_constant_is_object },
    { J_TIME_LOCAL_DATE, "EPOCH", J_TIME_LOCAL_DATE, { .o = &date_epoch }, java_constant_is_object },
    { J_TIME_LOCAL_TIME, "MIN", J_TIME_LOCAL_TIME, { .o = &midnight }, java_constant_is_object },
    { J_TIME_LOCAL_TIME, "MIDNIGHT", J_TIME_LOCAL_TIME, { .o = &midnight }, java_constant_is_object },
    { J_TIME_LOCAL_TIME, "NOON", J_TIME_LOCAL_TIME, { .o = &noon }, java_constant_is_object },
    { J_TIME_LOCAL_TIME, "MAX", J_TIME_LOCAL_TIME, { .o = &time_most }, java_constant_is_object },
    { J_TIME_LOCAL_DATE_TIME, "MIN", J_TIME_LOCAL_DATE_TIME, { .o = &date_time_least }, java_constant_is_object },
    { J_TIME_LOCAL_DATE_TIME, "MAX", J_TIME_LOCAL_DATE_TIME, { .o = &date_time_most }, java_constant_is_object },
    { J_TIME_YEAR, "MIN_VALUE", J_INT, { .i = -YEAR_MOST }, NULL },
    { J_TIME_YEAR, "MAX_VALUE", J_INT, { .i = YEAR_MOST }, NULL },
    { J_ERROR, NULL, J_ERROR, { .i = 0 }, NULL },
};
