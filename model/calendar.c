#include "model/calendar.h"

#include "model/digit.h"
#include "model/javatext.h"
#include "model/unicode.h"
#include "model/zone.h"

enum { YEAR_MAX = 999999999 };

int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

int64_t floor_mod(int64_t a, int64_t b)
{
    int64_t rest = a % b;
    return rest && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* Counted in eras of 400 years that begin in March, so that the leap day is a year's last. */
int64_t days_of_civil(struct civil date)
{
    int64_t year = date.year - (date.month <= 2), era = floor_div(year, 400);
    int64_t of_era = year - era * 400;
    int64_t of_year = (153 * (date.month + (date.month > 2 ? -3 : 9)) + 2) / 5 + date.day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

struct civil civil_of_days(int64_t days)
{
    days += 719468;
    int64_t era = floor_div(days, 146097), of_era = days - era * 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
    struct civil date = { .year = era * 400 + year,
                          .month = (int)(month < 10 ? month + 3 : month - 9),
                          .day = (int)(of_year - (153 * month + 2) / 5 + 1) };
    date.year += date.month <= 2;
    return date;
}

/* java.util.GregorianCalendar: Julian before 1582-10-15. 719470 and not 719468: where the two agree, in the third century,
 * the Gregorian one has left out two leap days. */
enum { GREGORIAN_FROM = -141427, JULIAN_EPOCH = 719470 };

static int64_t days_of_julian(struct civil date)
{
    int64_t year = date.year - (date.month <= 2);
    int64_t of_year = (153 * (date.month + (date.month > 2 ? -3 : 9)) + 2) / 5 + date.day - 1;
    return 365 * year + floor_div(year, 4) + of_year - JULIAN_EPOCH;
}

struct civil java_of_days(int64_t days)
{
    if (days >= GREGORIAN_FROM)
        return civil_of_days(days);
    int64_t year = floor_div(4 * (days + JULIAN_EPOCH) + 3, 1461);
    int64_t of_year = days + JULIAN_EPOCH - (365 * year + floor_div(year, 4)), month = (5 * of_year + 2) / 153;
    struct civil date = { .year = year,
                          .month = (int)(month < 10 ? month + 3 : month - 9),
                          .day = (int)(of_year - (153 * month + 2) / 5 + 1) };
    date.year += date.month <= 2;
    return date;
}

int64_t days_of_java(struct civil date)
{
    int64_t days = days_of_civil(date);
    return days >= GREGORIAN_FROM ? days : days_of_julian(date);
}

int days_of_java_month(int64_t year, int month)
{
    enum { CUTOVER_YEAR = 1582 };
    return year > CUTOVER_YEAR || month != 2 ? days_of_month(year, month) : 28 + (floor_mod(year, 4) == 0);
}

int days_of_month(int64_t year, int month)
{
    static const uint8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

/* ---- pieces of text ---- */

/* `-?\d+` and nothing else. */
static bool is_integer(struct slice s)
{
    if (s.len && s.data[0] == '-')
        s = slice_skip(s, 1);
    for (size_t i = 0; i < s.len; i++)
        if (!is_digit(s.data[i]))
            return false;
    return s.len > 0;
}

/* Long.parseLong of what is_integer. */
static bool parse_long(struct slice s, int64_t *out)
{
    bool negative = s.data[0] == '-';
    uint64_t v = 0, limit = (uint64_t)INT64_MAX + negative;
    for (size_t i = negative; i < s.len; i++) {
        uint64_t digit = (uint64_t)(s.data[i] - '0');
        if (v > (limit - digit) / 10)
            return false;
        v = v * 10 + digit;
    }
    *out = (int64_t)(negative ? 0 - v : v);
    return true;
}

static bool take(struct slice *s, char c)
{
    if (!s->len || s->data[0] != (uint8_t)c)
        return false;
    *s = slice_skip(*s, 1);
    return true;
}

/* Between least and most digits; *out is held at INT64_MAX / 16 where there are more than fit. */
static bool take_digits(struct slice *s, size_t least, size_t most, int64_t *out)
{
    size_t n = 0;
    int64_t v = 0;
    for (; n < s->len && n < most && is_digit(s->data[n]); n++) {
        v = v * 10 + (s->data[n] - '0');
        if (v > INT64_MAX / 16)
            v = INT64_MAX / 16;
    }
    *s = slice_skip(*s, n);
    *out = v;
    return n >= least;
}

/* yyyy-MM-dd; a year of more than four digits has its sign (SignStyle.EXCEEDS_PAD). */
static bool take_iso_date(struct slice *s, struct civil *out)
{
    bool minus = take(s, '-'), plus = !minus && take(s, '+');
    size_t before = s->len;
    int64_t month, day;
    if (!take_digits(s, 4, 10, &out->year))
        return false;
    bool is_long = before - s->len > 4;
    if ((is_long && !minus && !plus) || (plus && !is_long) || out->year > YEAR_MAX || (minus && out->year == 0))
        return false;
    if (minus)
        out->year = -out->year;
    if (!take(s, '-') || !take_digits(s, 2, 2, &month) || !take(s, '-') || !take_digits(s, 2, 2, &day))
        return false;
    out->month = (int)month;
    out->day = (int)day;
    return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/* ---- date ---- */

static enum wr_status fail_date(struct ctx *ctx, struct slice text)
{
    return fail(ctx, WR_INVALID, "Unable to coerce '%.*s' to a formatted date (long)", SLICE_ARG(text));
}

enum wr_status date_parse(struct ctx *ctx, struct slice text, uint32_t *out)
{
    /* Instant.toEpochMilli overflows on years beyond these, and the server then speaks of the format. */
    static const struct civil millis_min = { -292275055, 5, 17 }, millis_max = { 292278994, 8, 17 };
    if (is_integer(text)) {
        int64_t v;
        if (!parse_long(text, &v) || v < 0 || v > UINT32_MAX)
            return fail(ctx, WR_INVALID, "Unable to make unsigned int (for date) from: '%.*s'", SLICE_ARG(text));
        *out = (uint32_t)v;
        return WR_OK;
    }
    struct slice rest = text;
    struct civil date;
    if (!take_iso_date(&rest, &date) || rest.len || date.day > days_of_month(date.year, date.month))
        return fail_date(ctx, text);
    int64_t days = days_of_civil(date);
    if (days < days_of_civil(millis_min) || days > days_of_civil(millis_max))
        return fail_date(ctx, text);
    if (days < INT32_MIN)
        return fail(ctx, WR_INVALID, "Input date %.*s is less than min supported date -5877641-06-23T00:00Z",
                    SLICE_ARG(text));
    if (days > INT32_MAX)
        return fail(ctx, WR_INVALID, "Input date %.*s is greater than max supported date +5881580-07-11T00:00Z",
                    SLICE_ARG(text));
    *out = (uint32_t)days + DATE_EPOCH;
    return WR_OK;
}

static void put_date(struct buf *buf, int64_t year, int month, int day)
{
    int64_t magnitude = year < 0 ? -year : year;
    buf_put_str(buf, year < 0 ? "-" : year > 9999 ? "+" : "");
    put_digits(buf, (uint64_t)magnitude, 4);
    buf_put_u8(buf, '-');
    put_digits(buf, (uint64_t)month, 2);
    buf_put_u8(buf, '-');
    put_digits(buf, (uint64_t)day, 2);
}

void date_print(struct buf *buf, uint32_t value)
{
    struct civil date = civil_of_days((int64_t)value - DATE_EPOCH);
    put_date(buf, date.year, date.month, date.day);
}

/* ---- time ---- */

/* Integer.parseInt: a sign, then digits, no larger than an int. */
static bool parse_int(struct slice s, int64_t *out)
{
    if (s.len > 1 && s.data[0] == '+')
        s = slice_skip(s, 1);
    return is_integer(s) && parse_long(s, out) && *out >= INT32_MIN && *out <= INT32_MAX;
}

static bool take_part(struct slice *s, char end, int64_t below, int64_t *out)
{
    const uint8_t *at = s->len ? memchr(s->data, end, s->len) : NULL;
    if (!at)
        return false;
    struct slice part = slice_of(s->data, (size_t)(at - s->data));
    *s = slice_skip(*s, part.len + 1);
    return parse_int(part, out) && *out >= 0 && *out < below;
}

static bool parse_fraction(struct slice s, int64_t *out)
{
    if (s.len > 9 || !s.len || !is_integer(s) || s.data[0] == '-')
        return false;
    parse_long(s, out);
    for (size_t i = s.len; i < 9; i++)
        *out *= 10;
    return true;
}

static bool parse_time_of_day(struct slice s, int64_t *out)
{
    int64_t hour, minute, second, nanos = 0;
    s = java_trim(s);
    if (!take_part(&s, ':', 24, &hour) || !take_part(&s, ':', 60, &minute))
        return false;
    const uint8_t *point = s.len ? memchr(s.data, '.', s.len) : NULL;
    struct slice whole = point ? slice_of(s.data, (size_t)(point - s.data)) : s;
    if (!parse_int(whole, &second) || second < 0 || second >= 60)
        return false;
    if (point && !parse_fraction(slice_skip(s, whole.len + 1), &nanos))
        return false;
    *out = ((hour * 60 + minute) * 60 + second) * 1000000000 + nanos;
    return true;
}

enum wr_status time_parse(struct ctx *ctx, struct slice text, int64_t *out)
{
    struct slice digits;

    if (is_integer(text)) {
        if (!parse_long(text, out) || *out < 0 || *out >= NANOS_PER_DAY)
            return fail(ctx, WR_INVALID, "Unable to make long (for time) from: '%.*s'", SLICE_ARG(text));
        return WR_OK;
    }
    TRY(unicode_digits(ctx, text, &digits));
    if (!parse_time_of_day(digits, out))
        return fail(ctx, WR_INVALID, "(TimeType) Unable to coerce '%.*s' to a formatted time (long)", SLICE_ARG(text));
    return WR_OK;
}

/* Bound values are not checked, so there are negative ones; they come out as strange as from the server (leftPadZeros).
 */
static void put_padded(struct buf *buf, int64_t v, int digits)
{
    int64_t power = 10;
    for (int i = 1; i < digits; i++, power *= 10)
        if (v < power)
            buf_put_u8(buf, '0');
    put_whole(buf, v);
}

void time_print(struct buf *buf, int64_t nanos)
{
    static const int64_t units[] = { 1000, 1000, 1000, 60, 60, 24 };
    int64_t parts[6];
    for (int i = 0; i < 6; i++) {
        parts[i] = nanos % units[i];
        nanos /= units[i];
    }
    for (int i = 5; i >= 3; i--) {
        put_padded(buf, parts[i], 2);
        buf_put_u8(buf, i == 3 ? '.' : ':');
    }
    for (int i = 2; i >= 0; i--)
        put_padded(buf, parts[i], 3);
}

/* ---- timestamp ---- */

enum { NUMBER_DIGITS = 19 }; /* of one number in `y-M-d H:m:s`, however many zeros lead */

struct moment {
    struct civil date;
    int64_t second_of_day, ms;
};

/* H:m[:s[.fraction]]; a fraction only behind seconds. */
static bool take_time(struct slice *s, struct moment *out)
{
    int64_t hour, minute, second = 0, scale = 100;
    bool has_second = false;
    if (!take_digits(s, 1, NUMBER_DIGITS, &hour) || !take(s, ':') || !take_digits(s, 1, NUMBER_DIGITS, &minute))
        return false;
    if (take(s, ':')) {
        has_second = true;
        if (!take_digits(s, 1, NUMBER_DIGITS, &second))
            return false;
    }
    if (s->len && s->data[0] == '.' && !has_second)
        return false;
    out->ms = 0;
    if (take(s, '.')) {
        for (int i = 0; i < 9 && s->len && is_digit(s->data[0]); i++, scale /= 10) {
            out->ms += (s->data[0] - '0') * scale;
            *s = slice_skip(*s, 1);
        }
    }
    bool is_midnight = hour == 24 && minute == 0 && second == 0 && out->ms == 0;
    if (!is_midnight && (hour >= 24 || minute >= 60 || second >= 60))
        return false;
    out->second_of_day = (hour * 60 + minute) * 60 + second;
    return true;
}

/* y-M-d[T ]time: a year of the common era of any number of digits, and one-digit months and days. */
static bool take_date_time(struct slice *s, struct moment *out)
{
    int64_t year, month, day;
    if (!take_digits(s, 1, NUMBER_DIGITS, &year) || !take(s, '-') || !take_digits(s, 1, NUMBER_DIGITS, &month) ||
        !take(s, '-') || !take_digits(s, 1, NUMBER_DIGITS, &day) || !(take(s, 'T') || take(s, ' ')))
        return false;
    if (year < 1 || year > YEAR_MAX || month < 1 || month > 12 || day < 1 || day > 31)
        return false;
    out->date = (struct civil){ year, (int)month, (int)day };
    return take_time(s, out);
}

static bool to_ms(const struct moment *m, struct slice zone, enum zone_place place, int64_t *out, bool *overflow)
{
    int32_t offset_s = 0, skipped_s = 0;
    struct civil date = m->date;
    int last = days_of_month(date.year, date.month);
    date.day = date.day < last ? date.day : last;
    int64_t local_s = days_of_civil(date) * 86400 + m->second_of_day;
    if (place == ZONE_AFTER_BLANK)
        zone = slice_skip(zone, 1);
    if (zone.len && !zone_offset(zone, place, local_s, &offset_s, &skipped_s))
        return false;
    *overflow = __builtin_mul_overflow(local_s + skipped_s - offset_s, INT64_C(1000), out) ||
                __builtin_add_overflow(*out, m->ms, out);
    return true;
}

static enum zone_place place_of(struct slice rest, enum zone_place bare)
{
    return rest.len > 1 && rest.data[0] == ' ' ? ZONE_AFTER_BLANK : bare;
}

/* Behind a date alone: ISO 8601's Z, +01:00 and +01:00:00, or nothing. Other zones are read with a year of the common era. */
static bool is_iso_zone(struct slice rest)
{
    return !rest.len || rest.data[0] == 'Z' || rest.data[0] == 'z' || (rest.data[0] != ' ' && memchr(rest.data, ':', rest.len));
}

static bool parse_moment(struct slice text, int64_t *out, bool *overflow)
{
    struct moment m = { .ms = 0 };
    struct slice rest = text;
    if (take_date_time(&rest, &m))
        return to_ms(&m, rest, place_of(rest, ZONE_AFTER_TIME), out, overflow);
    m.second_of_day = m.ms = 0;
    rest = text;
    return take_iso_date(&rest, &m.date) && (m.date.year >= 1 || is_iso_zone(rest)) &&
           to_ms(&m, rest, place_of(rest, ZONE_AFTER_DATE), out, overflow);
}

enum wr_status timestamp_parse(struct ctx *ctx, struct slice text, int64_t *out_ms)
{
    bool overflow = false;
    if (is_word(text, "now")) {
        *out_ms = ctx->now_ms;
        return WR_OK;
    }
    if (is_integer(text)) {
        if (!parse_long(text, out_ms))
            return fail(ctx, WR_INVALID, "Unable to make long (for date) from: '%.*s'", SLICE_ARG(text));
        return WR_OK;
    }
    if (!parse_moment(text, out_ms, &overflow))
        return fail(ctx, WR_INVALID, "Unable to parse a date/time from '%.*s'", SLICE_ARG(text));
    if (overflow)
        return fail(ctx, WR_SERVER_ERROR, "java.lang.ArithmeticException: long overflow");
    return WR_OK;
}

void timestamp_print(struct buf *buf, int64_t ms, char separator)
{
    struct civil date = civil_of_days(floor_div(ms, MS_PER_DAY));
    int64_t of_day = floor_mod(ms, MS_PER_DAY);
    put_date(buf, date.year > 0 ? date.year : 1 - date.year, date.month, date.day);
    buf_put_u8(buf, (uint8_t)separator);
    put_digits(buf, (uint64_t)(of_day / 3600000), 2);
    buf_put_u8(buf, ':');
    put_digits(buf, (uint64_t)(of_day / 60000 % 60), 2);
    buf_put_u8(buf, ':');
    put_digits(buf, (uint64_t)(of_day / 1000 % 60), 2);
    buf_put_u8(buf, '.');
    put_digits(buf, (uint64_t)(of_day % 1000), 3);
    buf_put_u8(buf, 'Z');
}
