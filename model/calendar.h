/*
 * calendar.h - days, dates, times of day and timestamps, and their texts as Cassandra reads and prints them.
 *
 * The calendar is the proleptic Gregorian one, year 0 being 1 BC. A date value is days since 1970-01-01 plus 2^31, a
 * time nanoseconds of the day, a timestamp milliseconds since 1970-01-01T00:00:00Z.
 * 1. Parsing takes what the server takes and refuses in its words (WR_INVALID): of a timestamp a whole number of
 * milliseconds, `now`, y-M-d with a blank or T and H:m[:s[.fraction]], or yyyy-MM-dd, each with an optional zone
 * (zone.h); without one UTC.
 * 2. As java.time does there, day 31 of a shorter month is its last day, 24:00 the next midnight, and fractions are cut
 * to milliseconds. Dates of the type date are strict.
 * 3. Timestamps print the year of their era (year -1 as 0002), dates the ISO year (-0001): so does the server.
 */
#ifndef WR_MODEL_CALENDAR_H
#define WR_MODEL_CALENDAR_H

#include "engine/buf.h"

#define DATE_EPOCH    UINT32_C(0x80000000) /* 1970-01-01 as a date value */
#define MS_PER_DAY    INT64_C(86400000)
#define NANOS_PER_DAY INT64_C(86400000000000)

struct civil {
    int64_t year;
    int month, day; /* from 1 */
};

int64_t days_of_civil(struct civil date); /* since 1970-01-01; |year| below 10^12 */
struct civil civil_of_days(int64_t days);
int days_of_month(int64_t year, int month);

/* The same by java.util.GregorianCalendar, which is Julian before 1582-10-15: months are added to a time in it. */
int64_t days_of_java(struct civil date);
struct civil java_of_days(int64_t days);
int days_of_java_month(int64_t year, int month);

/* Division and remainder that round down, as time before 1970 needs. */
int64_t floor_div(int64_t a, int64_t b);
int64_t floor_mod(int64_t a, int64_t b);

enum wr_status date_parse(struct ctx *ctx, struct slice text, uint32_t *out);
enum wr_status time_parse(struct ctx *ctx, struct slice text, int64_t *out);
enum wr_status timestamp_parse(struct ctx *ctx, struct slice text, int64_t *out_ms);

void date_print(struct buf *buf, uint32_t date);
void time_print(struct buf *buf, int64_t nanos);
void timestamp_print(struct buf *buf, int64_t ms, char separator); /* between date and time: T, or a blank in JSON */

#endif
