/* TemporalAdjuster: what sets fields of another point in time, and TemporalAdjusters, which go to a day near it. */
#include "model/java/temporal.h"

enum { FIELDS_MOST = 3 };

/* The fields that an object sets to what they are in itself, in order. */
static const struct {
    uint8_t count, fields[FIELDS_MOST];
} sets[J_KIND_COUNT] = {
    [J_TIME_LOCAL_DATE] = { 1, { CHRONO_EPOCH_DAY } },
    [J_TIME_LOCAL_TIME] = { 1, { CHRONO_NANO_OF_DAY } },
    [J_TIME_LOCAL_DATE_TIME] = { 2, { CHRONO_EPOCH_DAY, CHRONO_NANO_OF_DAY } },
    [J_TIME_OFFSET_DATE_TIME] = { 3, { CHRONO_EPOCH_DAY, CHRONO_NANO_OF_DAY, CHRONO_OFFSET_SECONDS } },
    [J_TIME_INSTANT] = { 2, { CHRONO_INSTANT_SECONDS, CHRONO_NANO_OF_SECOND } },
    [J_TIME_YEAR] = { 1, { CHRONO_YEAR } },
    [J_TIME_YEAR_MONTH] = { 1, { CHRONO_PROLEPTIC_MONTH } },
    [J_MONTH] = { 1, { CHRONO_MONTH_OF_YEAR } },
    [J_DAY_OF_WEEK] = { 1, { CHRONO_DAY_OF_WEEK } },
    [J_ZONE_OFFSET] = { 1, { CHRONO_OFFSET_SECONDS } },
};

/* ---- TemporalAdjusters ---- */

enum where {
    FIRST_OF_MONTH,
    LAST_OF_MONTH,
    FIRST_OF_NEXT_MONTH,
    FIRST_OF_YEAR,
    LAST_OF_YEAR,
    FIRST_OF_NEXT_YEAR,
    NEXT,
    NEXT_OR_SAME,
    PREVIOUS,
    PREVIOUS_OR_SAME,
    NTH_IN_MONTH,
    LAST_IN_MONTH
};

/* Of the month or the year; last: the last one. */
static bool to_edge(struct java_run *run, struct java_object *o, enum chrono_field field, bool last, struct java_object **out)
{
    int64_t day = 1;
    if (last && temporal_has(o, field)) {
        int64_t year = temporal_field(o, CHRONO_YEAR);
        day = field == CHRONO_DAY_OF_YEAR ? 365 + chrono_is_leap(year) : days_of_month(year, (int)temporal_field(o, CHRONO_MONTH_OF_YEAR));
    }
    return temporal_with(run, o, field, day, out);
}

/* The n-th such day of the month, or as many from its end where n is negative. */
static bool to_nth(struct java_run *run, struct java_object *o, int64_t n, int64_t of_week, struct java_object **out)
{
    struct java_object *edge;
    if (!to_edge(run, o, CHRONO_DAY_OF_MONTH, n < 0, &edge))
        return false;
    int64_t now = temporal_field(edge, CHRONO_DAY_OF_WEEK), by = of_week - now;
    by = n >= 0 ? (by + DAYS_A_WEEK) % DAYS_A_WEEK + (n - 1) * DAYS_A_WEEK : (by > 0 ? by - DAYS_A_WEEK : by) - (-n - 1) * DAYS_A_WEEK;
    return temporal_plus(run, edge, by, UNIT_DAYS, out);
}

static bool to_day_near(struct java_run *run, struct java_object *o, enum where where, int64_t of_week, struct java_object **out)
{
    if (!temporal_has(o, CHRONO_DAY_OF_WEEK))
        return java_throw(run, J_UNSUPPORTED_TEMPORAL, "Unsupported field: DayOfWeek");
    int64_t now = temporal_field(o, CHRONO_DAY_OF_WEEK);
    bool back = where == PREVIOUS || where == PREVIOUS_OR_SAME, may_stay = where == NEXT_OR_SAME || where == PREVIOUS_OR_SAME;
    int64_t by = floor_mod(back ? now - of_week : of_week - now, DAYS_A_WEEK);
    by = by || may_stay ? by : DAYS_A_WEEK;
    return temporal_plus(run, o, back ? -by : by, UNIT_DAYS, out);
}

/* An adjuster has where it goes as its day, which of them as its nanoseconds and the day of the week as its offset. */
static bool go(struct java_run *run, const struct java_object *adjuster, struct java_object *o, struct java_object **out)
{
    enum where where = (enum where)adjuster->when.day;
    bool of_year = where >= FIRST_OF_YEAR && where <= FIRST_OF_NEXT_YEAR;

    if (where == NTH_IN_MONTH)
        return to_nth(run, o, adjuster->when.nanos, adjuster->when.offset_s, out);
    if (where >= NEXT)
        return to_day_near(run, o, where, adjuster->when.offset_s, out);
    if (!to_edge(run, o, of_year ? CHRONO_DAY_OF_YEAR : CHRONO_DAY_OF_MONTH, where == LAST_OF_MONTH || where == LAST_OF_YEAR, out))
        return false;
    bool next = where == FIRST_OF_NEXT_MONTH || where == FIRST_OF_NEXT_YEAR;
    return !next || temporal_plus(run, *out, 1, of_year ? UNIT_YEARS : UNIT_MONTHS, out);
}

bool java_adjust(struct java_run *run, const struct java_object *adjuster, struct java_object *o, struct java_object **out)
{
    if (adjuster->kind == J_ADJUSTER)
        return go(run, adjuster, o, out);
    *out = o;
    for (unsigned i = 0; i < sets[adjuster->kind].count; i++) {
        enum chrono_field field = (enum chrono_field)sets[adjuster->kind].fields[i];
        if (!temporal_with(run, *out, field, temporal_field(adjuster, field), out))
            return false;
    }
    return true;
}

JAVA_CALL(adjuster_new)
{
    const struct java_object *day = NULL;
    struct java_when when = { .day = method->variant, .nanos = 1 };
    unsigned count = java_method_arity(method);
    JAVA_UNUSED;
    if (count) {
        bool counted = method->args[0] == J_INT;
        day = args[count - 1].o;
        if (!java_check_read(run, day, "invoke \"java.time.DayOfWeek.getValue()\"", "dayOfWeek"))
            return false;
        when.nanos = counted ? args[0].i : method->variant == LAST_IN_MONTH ? -1 : 1;
        when.day = method->variant == LAST_IN_MONTH ? NTH_IN_MONTH : method->variant;
        when.offset_s = (int32_t)java_ordinal(day) + 1;
    }
    return (out->o = temporal_new(run, J_ADJUSTER, when)) != NULL;
}

JAVA_CALL(adjust_into)
{
    JAVA_UNUSED;
    return java_check_read(run, args[0].o, "invoke \"java.time.temporal.Temporal.with(java.time.temporal.TemporalField, long)\"", "temporal") &&
           java_adjust(run, self->o, args[0].o, &out->o);
}

#define TO(name, where)        { J_TEMPORAL_ADJUSTERS, name, J_TEMPORAL_ADJUSTER, { 0 }, JAVA_STATIC, adjuster_new, where }
#define TO_DAY(name, where)    { J_TEMPORAL_ADJUSTERS, name, J_TEMPORAL_ADJUSTER, { J_DAY_OF_WEEK }, JAVA_STATIC, adjuster_new, where }

const struct java_method java_adjuster_methods[] = {
    TO("firstDayOfMonth", FIRST_OF_MONTH),
    TO("lastDayOfMonth", LAST_OF_MONTH),
    TO("firstDayOfNextMonth", FIRST_OF_NEXT_MONTH),
    TO("firstDayOfYear", FIRST_OF_YEAR),
    TO("lastDayOfYear", LAST_OF_YEAR),
    TO("firstDayOfNextYear", FIRST_OF_NEXT_YEAR),
    TO_DAY("next", NEXT),
    TO_DAY("nextOrSame", NEXT_OR_SAME),
    TO_DAY("previous", PREVIOUS),
    TO_DAY("previousOrSame", PREVIOUS_OR_SAME),
    TO_DAY("firstInMonth", NTH_IN_MONTH),
    TO_DAY("lastInMonth", LAST_IN_MONTH),
    { J_TEMPORAL_ADJUSTERS, "dayOfWeekInMonth", J_TEMPORAL_ADJUSTER, { J_INT, J_DAY_OF_WEEK }, JAVA_STATIC, adjuster_new, NTH_IN_MONTH },
    { J_TEMPORAL_ADJUSTER, "adjustInto", J_TEMPORAL, { J_TEMPORAL }, 0, adjust_into, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
