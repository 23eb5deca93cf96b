/* What is asked of java.time by field and unit, which most of its methods are: getYear is a field, plusDays a unit. */
#include "model/java/temporal.h"

static bool check_field(struct java_run *run, const struct java_object *field, const char *method)
{
    return field || java_throw(run, J_NULL_POINTER, "Cannot invoke \"java.time.temporal.TemporalField.%s\" because \"field\" is null", method);
}

static bool check_unit(struct java_run *run, const struct java_object *unit, const char *method)
{
    return unit || java_throw(run, J_NULL_POINTER, "Cannot invoke \"java.time.temporal.TemporalUnit.%s\" because \"unit\" is null", method);
}

enum { GET_INT, GET_LONG };

/* What is asked for an int and may be more is refused, by some in other words. */
static bool check_int(struct java_run *run, const struct java_object *o, enum chrono_field field)
{
    if (chrono_is_int(chrono_range_of(field)))
        return true;
    if (o->kind == J_TIME_INSTANT)
        return chrono_unsupported(run, field);
    if (o->kind == J_TIME_YEAR_MONTH)
        return chrono_check_int(run, field, temporal_field(o, field));
    return java_throw(run, J_UNSUPPORTED_TEMPORAL, "Invalid field '%s' for get() method, use getLong() instead", chrono_field_text(field));
}

JAVA_CALL(temporal_get)
{
    bool is_int = method->variant == GET_INT, dated = java_kind_extends(self->o->kind, J_DATED);
    JAVA_UNUSED;
    if (!args[0].o && is_int && !dated)
        return java_require(run, NULL, "field");
    if (!check_field(run, args[0].o, is_int ? "rangeRefinedBy(java.time.temporal.TemporalAccessor)" : "getFrom(java.time.temporal.TemporalAccessor)"))
        return false;
    enum chrono_field field = chrono_field_of(args[0].o);
    if (!temporal_has(self->o, field))
        return chrono_unsupported(run, field);
    out->i = temporal_field(self->o, field);
    return !is_int || check_int(run, self->o, field);
}

JAVA_CALL(temporal_is_supported)
{
    JAVA_UNUSED;
    out->i = args[0].o && (method->args[0] == J_TEMPORAL_FIELD ? temporal_has(self->o, chrono_field_of(args[0].o))
                                                               : temporal_counts(self->o, (enum chrono_unit)java_ordinal(args[0].o)));
    return true;
}

JAVA_CALL(temporal_set)
{
    JAVA_UNUSED;
    return check_field(run, args[0].o, "adjustInto(java.time.temporal.Temporal, long)") &&
           temporal_with(run, self->o, chrono_field_of(args[0].o), args[1].i, &out->o);
}

JAVA_CALL(temporal_adjust)
{
    JAVA_UNUSED;
    return java_check_read(run, args[0].o, "invoke \"java.time.temporal.TemporalAdjuster.adjustInto(java.time.temporal.Temporal)\"", "adjuster") &&
           java_adjust(run, args[0].o, self->o, &out->o);
}

enum { TEMPORAL_PLUS, TEMPORAL_MINUS };

JAVA_CALL(temporal_add)
{
    JAVA_UNUSED;
    if (!check_unit(run, args[1].o, "addTo(java.time.temporal.Temporal, long)"))
        return false;
    enum chrono_unit unit = (enum chrono_unit)java_ordinal(args[1].o);
    return method->variant == TEMPORAL_PLUS ? temporal_plus(run, self->o, args[0].i, unit, &out->o) : temporal_minus(run, self->o, args[0].i, unit, &out->o);
}

JAVA_CALL(temporal_add_amount)
{
    JAVA_UNUSED;
    bool minus = method->variant == TEMPORAL_MINUS;
    if (!args[0].o && java_kind_extends(self->o->kind, J_DATED) && self->o->kind != J_TIME_OFFSET_DATE_TIME) /* they look whether it is a Period */
        return java_throw(run, J_NULL_POINTER, "%s", minus ? "amountToSubtract" : "amountToAdd");
    return java_check_read(run, args[0].o,
                           minus ? "invoke \"java.time.temporal.TemporalAmount.subtractFrom(java.time.temporal.Temporal)\""
                                 : "invoke \"java.time.temporal.TemporalAmount.addTo(java.time.temporal.Temporal)\"",
                           minus ? "amountToSubtract" : "amountToAdd") &&
           java_amount_add(run, args[0].o, self->o, minus, &out->o);
}

JAVA_CALL(temporal_between)
{
    JAVA_UNUSED;
    struct java_object *o = method->of == J_TEMPORAL ? self->o : args[0].o; /* else a ChronoUnit's */
    const struct java_object *unit = method->of == J_TEMPORAL ? args[1].o : self->o;
    if (!java_check_read(run, o, "invoke \"java.time.temporal.Temporal.until(java.time.temporal.Temporal, java.time.temporal.TemporalUnit)\"",
                         "temporal1Inclusive"))
        return false;
    if (!unit) {
        struct java_object *to;
        return temporal_from(run, o->kind, args[0].o, &to) && check_unit(run, unit, "between(java.time.temporal.Temporal, java.time.temporal.Temporal)");
    }
    return temporal_until(run, o, method->of == J_TEMPORAL ? args[0].o : args[1].o, (enum chrono_unit)java_ordinal(unit), &out->i);
}

/* A field of a point in time, a unit added to it: as that does itself. */
JAVA_CALL(field_of)
{
    enum chrono_field field = chrono_field_of(self->o);
    JAVA_UNUSED;
    if (!java_check_read(run, args[0].o, "invoke \"java.time.temporal.TemporalAccessor.getLong(java.time.temporal.TemporalField)\"", "temporal"))
        return false;
    if (!temporal_has(args[0].o, field))
        return chrono_unsupported(run, field);
    out->i = temporal_field(args[0].o, field);
    return true;
}

JAVA_CALL(unit_add_to)
{
    JAVA_UNUSED;
    return java_check_read(run, args[0].o, "invoke \"java.time.temporal.Temporal.plus(long, java.time.temporal.TemporalUnit)\"", "temporal") &&
           temporal_plus(run, args[0].o, args[1].i, (enum chrono_unit)java_ordinal(self->o), &out->o);
}

/* getYear, plusDays, withHour and all of their kind: variant is the field or the unit. */
JAVA_CALL(part_get)
{
    JAVA_UNUSED;
    out->i = temporal_field(self->o, (enum chrono_field)method->variant);
    return true;
}

JAVA_CALL(part_with)
{
    JAVA_UNUSED;
    return temporal_with(run, self->o, (enum chrono_field)method->variant, args[0].i, &out->o);
}

JAVA_CALL(part_plus)
{
    JAVA_UNUSED;
    return temporal_plus(run, self->o, args[0].i, (enum chrono_unit)method->variant, &out->o);
}

JAVA_CALL(part_minus)
{
    JAVA_UNUSED;
    return temporal_minus(run, self->o, args[0].i, (enum chrono_unit)method->variant, &out->o);
}

JAVA_CALL(part_enum)
{
    JAVA_UNUSED;
    return java_enum_new(run, (enum java_kind)method->result, temporal_field(self->o, (enum chrono_field)method->variant) - 1, &out->o);
}

JAVA_CALL(temporal_of)
{
    JAVA_UNUSED;
    return temporal_from(run, (enum java_kind)method->result, args[0].o, &out->o);
}

enum { IS_BEFORE, IS_AFTER, IS_EQUAL };

JAVA_CALL(temporal_order)
{
    JAVA_UNUSED;
    if (!args[0].o && method->of == J_TIME_OFFSET_DATE_TIME)
        return java_check_read(run, NULL, "invoke \"java.time.OffsetDateTime.toEpochSecond()\"", "other");
    if (!args[0].o && method->of == J_CHRONO_LOCAL_DATE_TIME && method->variant == IS_EQUAL)
        return java_check_read(run, NULL, "invoke \"java.time.chrono.ChronoLocalDateTime.toLocalTime()\"", "other");
    if (!args[0].o)
        return java_no_other(run, method->of);
    const struct java_when *a = &self->o->when, *b = &args[0].o->when;
    int64_t seconds = temporal_second(a) - temporal_second(b), order = seconds ? seconds : a->nanos % NANOS_A_SECOND - b->nanos % NANOS_A_SECOND;
    out->i = method->variant == IS_EQUAL ? !order : method->variant == IS_BEFORE ? order < 0 : order > 0;
    return true;
}

JAVA_CALL(temporal_truncate)
{
    struct java_when when = self->o->when;
    JAVA_UNUSED;
    if (!java_check_read(run, args[0].o, "invoke \"java.time.temporal.TemporalUnit.getDuration()\"", "unit") ||
        !chrono_truncate(run, (enum chrono_unit)java_ordinal(args[0].o), when.nanos, &when.nanos))
        return false;
    return (out->o = temporal_new(run, self->o->kind, when)) != NULL;
}

enum { YEAR_IS_LEAP, LENGTH_OF_MONTH, LENGTH_OF_YEAR };

JAVA_CALL(year_part)
{
    struct civil date = civil_of_days(self->o->when.day);
    JAVA_UNUSED;
    out->i = method->variant == YEAR_IS_LEAP      ? chrono_is_leap(date.year)
             : method->variant == LENGTH_OF_MONTH ? days_of_month(date.year, date.month)
                                                  : 365 + chrono_is_leap(date.year);
    return true;
}

/* ---- the table ---- */

#define PLUS_MINUS(kind, what, unit)                                                                                   \
    { kind, "plus" what, JX_SELF, { J_LONG }, 0, part_plus, unit },                                                   \
    { kind, "minus" what, JX_SELF, { J_LONG }, 0, part_minus, unit }
#define GET(kind, what, field) { kind, "get" what, J_INT, { 0 }, 0, part_get, field }
#define WITH(kind, what, field) { kind, "with" what, JX_SELF, { J_INT }, 0, part_with, field }
#define FROM(kind) { kind, "from", kind, { J_TEMPORAL_ACCESSOR }, JAVA_STATIC, temporal_of, 0 }
#define ORDER(kind, than)                                                                                              \
    { kind, "isAfter", J_BOOLEAN, { than }, 0, temporal_order, IS_AFTER },                                            \
    { kind, "isBefore", J_BOOLEAN, { than }, 0, temporal_order, IS_BEFORE }
#define COMPARED(kind, with) { kind, "compareTo", J_INT, { with }, 0, java_compare_to, 0 }

const struct java_method java_temporal_methods[] = {
    { J_TEMPORAL_ACCESSOR, "get", J_INT, { J_TEMPORAL_FIELD }, 0, temporal_get, GET_INT },
    { J_TEMPORAL_ACCESSOR, "getLong", J_LONG, { J_TEMPORAL_FIELD }, 0, temporal_get, GET_LONG },
    { J_TEMPORAL_ACCESSOR, "range", J_VALUE_RANGE, { J_TEMPORAL_FIELD }, 0, java_range_of, 0 },
    { J_TEMPORAL_ACCESSOR, "isSupported", J_BOOLEAN, { J_TEMPORAL_FIELD }, 0, temporal_is_supported, 0 },
    { J_TEMPORAL, "isSupported", J_BOOLEAN, { J_TEMPORAL_UNIT }, 0, temporal_is_supported, 0 },
    { J_TEMPORAL, "with", JX_SELF, { J_TEMPORAL_ADJUSTER }, 0, temporal_adjust, 0 },
    { J_TEMPORAL, "with", JX_SELF, { J_TEMPORAL_FIELD, J_LONG }, 0, temporal_set, 0 },
    { J_TEMPORAL, "plus", JX_SELF, { J_TEMPORAL_AMOUNT }, 0, temporal_add_amount, TEMPORAL_PLUS },
    { J_TEMPORAL, "plus", JX_SELF, { J_LONG, J_TEMPORAL_UNIT }, 0, temporal_add, TEMPORAL_PLUS },
    { J_TEMPORAL, "minus", JX_SELF, { J_TEMPORAL_AMOUNT }, 0, temporal_add_amount, TEMPORAL_MINUS },
    { J_TEMPORAL, "minus", JX_SELF, { J_LONG, J_TEMPORAL_UNIT }, 0, temporal_add, TEMPORAL_MINUS },
    { J_TEMPORAL, "until", J_LONG, { J_TEMPORAL, J_TEMPORAL_UNIT }, 0, temporal_between, 0 },
    { J_TEMPORAL_FIELD, "getFrom", J_LONG, { J_TEMPORAL_ACCESSOR }, 0, field_of, 0 },
    { J_TEMPORAL_UNIT, "addTo", JX_AS_ARGUMENT, { J_TEMPORAL, J_LONG }, 0, unit_add_to, 0 },
    { J_TEMPORAL_UNIT, "between", J_LONG, { J_TEMPORAL, J_TEMPORAL }, 0, temporal_between, 0 },

    GET(J_DATED, "Year", CHRONO_YEAR),
    GET(J_DATED, "MonthValue", CHRONO_MONTH_OF_YEAR),
    GET(J_DATED, "DayOfMonth", CHRONO_DAY_OF_MONTH),
    GET(J_DATED, "DayOfYear", CHRONO_DAY_OF_YEAR),
    { J_DATED, "getMonth", J_MONTH, { 0 }, 0, part_enum, CHRONO_MONTH_OF_YEAR },
    { J_DATED, "getDayOfWeek", J_DAY_OF_WEEK, { 0 }, 0, part_enum, CHRONO_DAY_OF_WEEK },
    WITH(J_DATED, "Year", CHRONO_YEAR),
    WITH(J_DATED, "Month", CHRONO_MONTH_OF_YEAR),
    WITH(J_DATED, "DayOfMonth", CHRONO_DAY_OF_MONTH),
    WITH(J_DATED, "DayOfYear", CHRONO_DAY_OF_YEAR),
    PLUS_MINUS(J_DATED, "Years", UNIT_YEARS),
    PLUS_MINUS(J_DATED, "Months", UNIT_MONTHS),
    PLUS_MINUS(J_DATED, "Weeks", UNIT_WEEKS),
    PLUS_MINUS(J_DATED, "Days", UNIT_DAYS),

    GET(J_TIMED, "Hour", CHRONO_HOUR_OF_DAY),
    GET(J_TIMED, "Minute", CHRONO_MINUTE_OF_HOUR),
    GET(J_TIMED, "Second", CHRONO_SECOND_OF_MINUTE),
    GET(J_TIMED, "Nano", CHRONO_NANO_OF_SECOND),
    WITH(J_TIMED, "Hour", CHRONO_HOUR_OF_DAY),
    WITH(J_TIMED, "Minute", CHRONO_MINUTE_OF_HOUR),
    WITH(J_TIMED, "Second", CHRONO_SECOND_OF_MINUTE),
    WITH(J_TIMED, "Nano", CHRONO_NANO_OF_SECOND),
    PLUS_MINUS(J_TIMED, "Hours", UNIT_HOURS),
    PLUS_MINUS(J_TIMED, "Minutes", UNIT_MINUTES),
    PLUS_MINUS(J_TIMED, "Seconds", UNIT_SECONDS),
    PLUS_MINUS(J_TIMED, "Nanos", UNIT_NANOS),
    { J_TIMED, "truncatedTo", JX_SELF, { J_TEMPORAL_UNIT }, 0, temporal_truncate, 0 },

    { J_TIME_LOCAL_TIME, "toSecondOfDay", J_INT, { 0 }, 0, part_get, CHRONO_SECOND_OF_DAY },
    { J_TIME_LOCAL_TIME, "toNanoOfDay", J_LONG, { 0 }, 0, part_get, CHRONO_NANO_OF_DAY },
    GET(J_TIME_INSTANT, "Nano", CHRONO_NANO_OF_SECOND),
    PLUS_MINUS(J_TIME_INSTANT, "Seconds", UNIT_SECONDS),
    PLUS_MINUS(J_TIME_INSTANT, "Millis", UNIT_MILLIS),
    PLUS_MINUS(J_TIME_INSTANT, "Nanos", UNIT_NANOS),
    { J_TIME_INSTANT, "truncatedTo", JX_SELF, { J_TEMPORAL_UNIT }, 0, temporal_truncate, 0 },
    { J_TIME_INSTANT, "getEpochSecond", J_LONG, { 0 }, 0, part_get, CHRONO_INSTANT_SECONDS },

    GET(J_TIME_YEAR, "Value", CHRONO_YEAR),
    PLUS_MINUS(J_TIME_YEAR, "Years", UNIT_YEARS),
    { J_TIME_YEAR, "isLeap", J_BOOLEAN, { 0 }, 0, year_part, YEAR_IS_LEAP },
    { J_TIME_YEAR, "length", J_INT, { 0 }, 0, year_part, LENGTH_OF_YEAR },
    GET(J_TIME_YEAR_MONTH, "Year", CHRONO_YEAR),
    GET(J_TIME_YEAR_MONTH, "MonthValue", CHRONO_MONTH_OF_YEAR),
    { J_TIME_YEAR_MONTH, "getMonth", J_MONTH, { 0 }, 0, part_enum, CHRONO_MONTH_OF_YEAR },
    WITH(J_TIME_YEAR_MONTH, "Year", CHRONO_YEAR),
    WITH(J_TIME_YEAR_MONTH, "Month", CHRONO_MONTH_OF_YEAR),
    PLUS_MINUS(J_TIME_YEAR_MONTH, "Years", UNIT_YEARS),
    PLUS_MINUS(J_TIME_YEAR_MONTH, "Months", UNIT_MONTHS),
    { J_TIME_YEAR_MONTH, "isLeapYear", J_BOOLEAN, { 0 }, 0, year_part, YEAR_IS_LEAP },
    { J_TIME_YEAR_MONTH, "lengthOfMonth", J_INT, { 0 }, 0, year_part, LENGTH_OF_MONTH },
    { J_TIME_YEAR_MONTH, "lengthOfYear", J_INT, { 0 }, 0, year_part, LENGTH_OF_YEAR },

    { J_CHRONO_LOCAL_DATE, "isLeapYear", J_BOOLEAN, { 0 }, 0, year_part, YEAR_IS_LEAP },
    { J_CHRONO_LOCAL_DATE, "lengthOfMonth", J_INT, { 0 }, 0, year_part, LENGTH_OF_MONTH },
    { J_CHRONO_LOCAL_DATE, "lengthOfYear", J_INT, { 0 }, 0, year_part, LENGTH_OF_YEAR },
    { J_CHRONO_LOCAL_DATE, "toEpochDay", J_LONG, { 0 }, 0, part_get, CHRONO_EPOCH_DAY },
    ORDER(J_CHRONO_LOCAL_DATE, J_CHRONO_LOCAL_DATE),
    { J_CHRONO_LOCAL_DATE, "isEqual", J_BOOLEAN, { J_CHRONO_LOCAL_DATE }, 0, temporal_order, IS_EQUAL },
    COMPARED(J_CHRONO_LOCAL_DATE, J_CHRONO_LOCAL_DATE),
    ORDER(J_CHRONO_LOCAL_DATE_TIME, J_CHRONO_LOCAL_DATE_TIME),
    { J_CHRONO_LOCAL_DATE_TIME, "isEqual", J_BOOLEAN, { J_CHRONO_LOCAL_DATE_TIME }, 0, temporal_order, IS_EQUAL },
    COMPARED(J_CHRONO_LOCAL_DATE_TIME, J_CHRONO_LOCAL_DATE_TIME),
    ORDER(J_CHRONO_ZONED_DATE_TIME, J_CHRONO_ZONED_DATE_TIME),
    { J_CHRONO_ZONED_DATE_TIME, "isEqual", J_BOOLEAN, { J_CHRONO_ZONED_DATE_TIME }, 0, temporal_order, IS_EQUAL },
    COMPARED(J_CHRONO_ZONED_DATE_TIME, J_CHRONO_ZONED_DATE_TIME),
    ORDER(J_TIME_OFFSET_DATE_TIME, J_TIME_OFFSET_DATE_TIME),
    { J_TIME_OFFSET_DATE_TIME, "isEqual", J_BOOLEAN, { J_TIME_OFFSET_DATE_TIME }, 0, temporal_order, IS_EQUAL },
    COMPARED(J_TIME_OFFSET_DATE_TIME, J_TIME_OFFSET_DATE_TIME),
    ORDER(J_TIME_LOCAL_TIME, J_TIME_LOCAL_TIME),
    COMPARED(J_TIME_LOCAL_TIME, J_TIME_LOCAL_TIME),
    ORDER(J_TIME_INSTANT, J_TIME_INSTANT),
    COMPARED(J_TIME_INSTANT, J_TIME_INSTANT),
    ORDER(J_TIME_YEAR, J_TIME_YEAR),
    COMPARED(J_TIME_YEAR, J_TIME_YEAR),
    ORDER(J_TIME_YEAR_MONTH, J_TIME_YEAR_MONTH),
    COMPARED(J_TIME_YEAR_MONTH, J_TIME_YEAR_MONTH),

    FROM(J_TIME_LOCAL_DATE),
    FROM(J_TIME_LOCAL_TIME),
    FROM(J_TIME_LOCAL_DATE_TIME),
    FROM(J_TIME_INSTANT),
    FROM(J_TIME_OFFSET_DATE_TIME),
    FROM(J_TIME_ZONED_DATE_TIME),
    FROM(J_TIME_YEAR),
    FROM(J_TIME_YEAR_MONTH),
    FROM(J_MONTH),
    FROM(J_DAY_OF_WEEK),
    FROM(J_ZONE_ID),
    FROM(J_ZONE_OFFSET),
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
