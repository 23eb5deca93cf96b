/*
 * temporal.h - java.time: points in time, and the fields and units by which they are read, set and counted.
 *
 * One struct, java_when, is all of them. A LocalDate is its day, a LocalTime the nanoseconds of a day, a LocalDateTime both; an OffsetDateTime and a
 * ZonedDateTime both as they are at their offset, an Instant both at UTC; a YearMonth is its first day, a Year its first of January. A Duration is seconds (in
 * day) and nanoseconds below one.
 * 1. Which fields and units a class has is a line of temporal.c's table; all that is done by field or unit goes by that.
 * 2. Days are of the proleptic calendar of model/calendar.h, and years within nine digits: what is beyond throws what Java throws.
 */
#ifndef WR_MODEL_JAVA_TEMPORAL_H
#define WR_MODEL_JAVA_TEMPORAL_H

#include "model/calendar.h"
#include "model/java/lib.h"

/* Enums of Java in their order: the constant's name, and how it reads. */
#define CHRONO_FIELDS(X)                                                                                               \
    X(NANO_OF_SECOND, "NanoOfSecond")                                                                                  \
    X(NANO_OF_DAY, "NanoOfDay")                                                                                        \
    X(MICRO_OF_SECOND, "MicroOfSecond")                                                                                \
    X(MICRO_OF_DAY, "MicroOfDay")                                                                                      \
    X(MILLI_OF_SECOND, "MilliOfSecond")                                                                                \
    X(MILLI_OF_DAY, "MilliOfDay")                                                                                      \
    X(SECOND_OF_MINUTE, "SecondOfMinute")                                                                              \
    X(SECOND_OF_DAY, "SecondOfDay")                                                                                    \
    X(MINUTE_OF_HOUR, "MinuteOfHour")                                                                                  \
    X(MINUTE_OF_DAY, "MinuteOfDay")                                                                                    \
    X(HOUR_OF_AMPM, "HourOfAmPm")                                                                                      \
    X(CLOCK_HOUR_OF_AMPM, "ClockHourOfAmPm")                                                                           \
    X(HOUR_OF_DAY, "HourOfDay")                                                                                        \
    X(CLOCK_HOUR_OF_DAY, "ClockHourOfDay")                                                                             \
    X(AMPM_OF_DAY, "AmPmOfDay")                                                                                        \
    X(DAY_OF_WEEK, "DayOfWeek")                                                                                        \
    X(ALIGNED_DAY_OF_WEEK_IN_MONTH, "AlignedDayOfWeekInMonth")                                                         \
    X(ALIGNED_DAY_OF_WEEK_IN_YEAR, "AlignedDayOfWeekInYear")                                                           \
    X(DAY_OF_MONTH, "DayOfMonth")                                                                                      \
    X(DAY_OF_YEAR, "DayOfYear")                                                                                        \
    X(EPOCH_DAY, "EpochDay")                                                                                           \
    X(ALIGNED_WEEK_OF_MONTH, "AlignedWeekOfMonth")                                                                     \
    X(ALIGNED_WEEK_OF_YEAR, "AlignedWeekOfYear")                                                                       \
    X(MONTH_OF_YEAR, "MonthOfYear")                                                                                    \
    X(PROLEPTIC_MONTH, "ProlepticMonth")                                                                               \
    X(YEAR_OF_ERA, "YearOfEra")                                                                                        \
    X(YEAR, "Year")                                                                                                    \
    X(ERA, "Era")                                                                                                      \
    X(INSTANT_SECONDS, "InstantSeconds")                                                                               \
    X(OFFSET_SECONDS, "OffsetSeconds")
#define CHRONO_UNITS(X)                                                                                                \
    X(NANOS, "Nanos")                                                                                                  \
    X(MICROS, "Micros")                                                                                                \
    X(MILLIS, "Millis")                                                                                                \
    X(SECONDS, "Seconds")                                                                                              \
    X(MINUTES, "Minutes")                                                                                              \
    X(HOURS, "Hours")                                                                                                  \
    X(HALF_DAYS, "HalfDays")                                                                                           \
    X(DAYS, "Days")                                                                                                    \
    X(WEEKS, "Weeks")                                                                                                  \
    X(MONTHS, "Months")                                                                                                \
    X(YEARS, "Years")                                                                                                  \
    X(DECADES, "Decades")                                                                                              \
    X(CENTURIES, "Centuries")                                                                                          \
    X(MILLENNIA, "Millennia")                                                                                          \
    X(ERAS, "Eras")                                                                                                    \
    X(FOREVER, "Forever")

/* IsoFields, which go on behind those. */
#define ISO_FIELDS(X)                                                                                                  \
    X(DAY_OF_QUARTER, "DayOfQuarter")                                                                                  \
    X(QUARTER_OF_YEAR, "QuarterOfYear")                                                                                \
    X(WEEK_OF_WEEK_BASED_YEAR, "WeekOfWeekBasedYear")                                                                  \
    X(WEEK_BASED_YEAR, "WeekBasedYear")

#define CHRONO_AS_FIELD(name, shown) CHRONO_##name,
#define CHRONO_AS_UNIT(name, shown) UNIT_##name,
enum chrono_field { CHRONO_FIELDS(CHRONO_AS_FIELD) ISO_FIELDS(CHRONO_AS_FIELD) CHRONO_FIELD_COUNT, ISO_FIELDS_FROM = CHRONO_DAY_OF_QUARTER };
enum chrono_unit { CHRONO_UNITS(CHRONO_AS_UNIT) CHRONO_UNIT_COUNT };
#undef CHRONO_AS_FIELD
#undef CHRONO_AS_UNIT

#define NANOS_A_SECOND INT64_C(1000000000)
enum { SECONDS_A_DAY = 86400, DAYS_A_WEEK = 7, MONTHS_A_YEAR = 12, YEAR_MOST = 999999999, OFFSET_MOST_S = 18 * 3600 };

__extension__ typedef __int128 java_wide;

/* ---- numbers that may be too large ---- */

bool java_exact(struct java_run *run, java_wide v, int64_t *out);     /* throws `long overflow` */
bool java_exact_int(struct java_run *run, java_wide v, int64_t *out); /* throws `integer overflow` */
/* Throws where a field may never have the value. */
bool chrono_check(struct java_run *run, enum chrono_field field, int64_t value);
bool chrono_check_int(struct java_run *run, enum chrono_field field, int64_t value); /* or the field's values are not all of an int */
bool chrono_unsupported(struct java_run *run, enum chrono_field field);              /* throws */
struct chrono_range {
    int64_t least, most_at_least, most; /* the greatest that it may be everywhere, and somewhere */
};
struct chrono_range chrono_range_of(enum chrono_field field);
bool chrono_is_int(struct chrono_range range);
void chrono_put_range(struct buf *text, struct chrono_range range);
int64_t chrono_unit_nanos(enum chrono_unit unit); /* below days, and those */
int64_t chrono_unit_seconds(enum chrono_unit unit);

/* ---- days ---- */

bool chrono_day(struct java_run *run, int64_t year, int64_t month, int64_t day, int64_t *out);
bool chrono_day_of_year(struct java_run *run, int64_t year, int64_t day, int64_t *out);
bool chrono_add_days(struct java_run *run, int64_t day, int64_t days, int64_t *out);
/* To a month, by its number since year 0: a day that it does not have is its last. Throws where the year is none. */
bool chrono_in_month(struct java_run *run, int64_t month, int day, int64_t *out);
bool chrono_time(struct java_run *run, int64_t hour, int64_t minute, int64_t second, int64_t nano, int64_t *out);
static inline int64_t chrono_month_of(struct civil date) /* since year 0 */
{
    return date.year * 12 + date.month - 1;
}
int64_t chrono_weeks_of(int64_t year); /* of ISO 8601 */
static inline bool chrono_is_leap(int64_t year)
{
    return days_of_month(year, 2) == 29;
}

/* ---- any of them ---- */

struct java_object *temporal_new(struct java_run *run, enum java_kind kind, struct java_when when); /* NULL: thrown */
bool temporal_give(struct java_run *run, enum java_kind kind, struct java_when when, struct java_object **out);
uint64_t temporal_fields_of(enum java_kind kind); /* by bits */
bool temporal_has(const struct java_object *o, enum chrono_field field);
bool temporal_counts(const struct java_object *o, enum chrono_unit unit);
bool temporal_is_counted(const struct java_object *o); /* by any unit: a point in time, and no part of one */
int64_t temporal_field(const struct java_object *o, enum chrono_field field); /* one that it has */
bool temporal_with(struct java_run *run, struct java_object *o, enum chrono_field field, int64_t value, struct java_object **out);
bool temporal_plus(struct java_run *run, struct java_object *o, int64_t amount, enum chrono_unit unit, struct java_object **out);
bool temporal_minus(struct java_run *run, struct java_object *o, int64_t amount, enum chrono_unit unit, struct java_object **out);
bool temporal_until(struct java_run *run, struct java_object *o, const struct java_object *end, enum chrono_unit unit, int64_t *out);
int64_t temporal_second(const struct java_when *when); /* since 1970, of what has a day and a time */
/* At a second since 1970 as it is at the offset. Throws where its year is none; an Instant may be a little beyond. */
bool temporal_at_second(struct java_run *run, enum java_kind kind, int64_t second, int64_t nano, int32_t offset_s, struct java_object *zone, struct java_object **out);
/* As the class's `from` makes it of what another class's object has. */
bool temporal_from(struct java_run *run, enum java_kind kind, const struct java_object *o, struct java_object **out);
bool temporal_now(struct java_run *run, enum java_kind kind, int32_t offset_s, struct java_object *zone, struct java_object **out);
/* What it has, as the text that is read by the class again. */
void temporal_put(struct buf *text, const struct java_object *o);
void chrono_put_offset(struct buf *text, int32_t offset_s);
void chrono_put_year(struct buf *text, int64_t year); /* -0001, 2020, +12020 */
bool chrono_truncate(struct java_run *run, enum chrono_unit unit, int64_t nanos_of_day, int64_t *out); /* down, where they are not negative */

/* ---- their rooms ---- */

int64_t java_ordinal(const struct java_object *constant);
bool java_enum_new(struct java_run *run, enum java_kind kind, int64_t ordinal, struct java_object **out);
enum chrono_field chrono_field_of(const struct java_object *constant); /* a ChronoField, or one of IsoFields */
const char *chrono_field_text(enum chrono_field field);
const char *java_enum_text(enum java_kind kind, int64_t ordinal); /* toString */
bool java_zone_id(struct java_run *run, struct slice id, struct java_object **out);
bool java_zone_of_offset(struct java_run *run, int64_t offset_s, struct java_object **out);
bool duration_of_nanos(struct java_run *run, java_wide nanos, struct java_object **out);
bool period_of_parts(struct java_run *run, java_wide years, java_wide months, java_wide days, struct java_object **out);
JAVA_CALL_PUBLIC(java_duration_parse);
JAVA_CALL_PUBLIC(java_period_parse);
bool java_duration_print(struct java_run *run, struct buf *utf16, const struct java_object *o);
bool java_period_print(struct java_run *run, struct buf *utf16, const struct java_object *o);
bool java_amount_add(struct java_run *run, const struct java_object *amount, struct java_object *to, bool subtract, struct java_object **out);
JAVA_CALL_PUBLIC(java_range_of); /* of a point in time, by a field */
bool java_adjust(struct java_run *run, const struct java_object *adjuster, struct java_object *o, struct java_object **out);

#endif
