#include "model/duration.h"

#include <assert.h>

#include "engine/coding.h"
#include "model/calendar.h"
#include "model/digit.h"

#define NANOS_PER_HOUR INT64_C(3600000000000)

/* ---- bytes ---- */

size_t vint_len(uint64_t v)
{
    size_t bits = v ? 64 - (size_t)__builtin_clzll(v) : 1;
    return bits > 56 ? 9 : (bits + 6) / 7;
}

void vint_put(struct buf *buf, uint64_t v)
{
    uint8_t bytes[9];
    size_t len = vint_len(v);
    assert(len > 0);
    for (size_t i = len; i-- > 0; v >>= 8)
        bytes[i] = (uint8_t)v;
    bytes[0] |= (uint8_t) ~(0xff >> (len - 1)); /* as many ones in front as bytes follow */
    buf_put(buf, bytes, len);
}

bool vint_read(struct slice *from, uint64_t *out)
{
    if (!from->len)
        return false;
    uint8_t first = from->data[0], inverted = (uint8_t)~first;
    size_t more = inverted ? (size_t)__builtin_clz(inverted) - 24 : 8;
    if (from->len < more + 1)
        return false;
    uint64_t v = more < 8 ? first & (0xffu >> more) : 0;
    for (size_t i = 1; i <= more; i++)
        v = v << 8 | from->data[i];
    *from = slice_skip(*from, more + 1);
    *out = v;
    return true;
}

void duration_encode(struct buf *buf, struct duration d)
{
    vint_put(buf, zigzag(d.months));
    vint_put(buf, zigzag(d.days));
    vint_put(buf, zigzag(d.nanos));
}

enum wr_status duration_decode(struct ctx *ctx, struct slice value, struct duration *out)
{
    static const char *const names[] = { "months", "days" };
    int64_t parts[3];
    if (value.len < 3)
        return fail(ctx, WR_INVALID, "Expected at least 3 bytes for a duration (%zu)", value.len);
    for (int i = 0; i < 3; i++) {
        uint64_t v;
        if (!vint_read(&value, &v)) /* the server has an assertion here; its client sees this text */
            return fail(ctx, WR_SERVER_ERROR, "java.lang.AssertionError: Unexpected error");
        parts[i] = unzigzag(v);
    }
    for (int i = 0; i < 2; i++)
        if (parts[i] < INT32_MIN || parts[i] > INT32_MAX)
            return fail(ctx, WR_INVALID, "The duration %s must be a 32 bits integer but was: %lld", names[i],
                        (long long)parts[i]);
    *out = (struct duration){ (int32_t)parts[0], (int32_t)parts[1], parts[2] };
    bool plus = parts[0] >= 0 && parts[1] >= 0 && parts[2] >= 0,
         minus = parts[0] <= 0 && parts[1] <= 0 && parts[2] <= 0;
    if (!plus && !minus)
        return fail(ctx, WR_INVALID,
                    "The duration months, days and nanoseconds must be all of the same sign (%d, %d, %lld)",
                    out->months, out->days, (long long)out->nanos);
    return WR_OK;
}

/* ---- text ---- */

enum unit { UNIT_NONE, YEARS, MONTHS, WEEKS, DAYS, HOURS, MINUTES, SECONDS, MILLIS, MICROS, NANOS };

enum part { PART_MONTHS, PART_DAYS, PART_NANOS };

static const struct unit_info {
    const char *name;
    uint8_t part;
    int64_t factor; /* in its part */
} units[] = {
    [YEARS] = { "years", PART_MONTHS, 12 },
    [MONTHS] = { "months", PART_MONTHS, 1 },
    [WEEKS] = { "weeks", PART_DAYS, 7 },
    [DAYS] = { "days", PART_DAYS, 1 },
    [HOURS] = { "hours", PART_NANOS, NANOS_PER_HOUR },
    [MINUTES] = { "minutes", PART_NANOS, NANOS_PER_HOUR / 60 },
    [SECONDS] = { "seconds", PART_NANOS, 1000000000 },
    [MILLIS] = { "milliseconds", PART_NANOS, 1000000 },
    [MICROS] = { "microseconds", PART_NANOS, 1000 },
    [NANOS] = { "nanoseconds", PART_NANOS, 1 },
};

static const struct {
    const char *name;
    int64_t max;
} parts[] = { { "months", INT32_MAX }, { "days", INT32_MAX }, { "nanoseconds", INT64_MAX } };

/* Two letters before one, that mo and ms are not taken for m; any case but for the micro sign. */
static const struct {
    const char *text;
    enum unit unit;
} symbols[] = {
    { "mo", MONTHS }, { "ms", MILLIS }, { "us", MICROS }, { "\xc2\xb5s", MICROS }, { "ns", NANOS },  { "y", YEARS },
    { "w", WEEKS },   { "d", DAYS },    { "h", HOURS },   { "m", MINUTES },        { "s", SECONDS },
};

struct builder {
    int64_t parts[3];
    enum unit last;
};

static enum wr_status build(struct ctx *ctx, struct builder *b, enum unit unit, int64_t number)
{
    const struct unit_info *info = &units[unit];
    if (b->last == unit)
        return fail(ctx, WR_INVALID, "Invalid duration. The %s are specified multiple times", info->name);
    if (b->last > unit)
        return fail(ctx, WR_INVALID, "Invalid duration. The %s should be after %s", units[b->last].name, info->name);
    b->last = unit;
    int64_t *part = &b->parts[info->part], max = parts[info->part].max;
    if (number > (max - *part) / info->factor)
        return fail(ctx, WR_INVALID, "Invalid duration. The total number of %s must be less or equal to 2147483647",
                    parts[info->part].name);
    *part += number * info->factor;
    return WR_OK;
}

static enum wr_status fail_format(struct ctx *ctx, struct slice text)
{
    return fail(ctx, WR_INVALID, "Unable to convert '%.*s' to a duration", SLICE_ARG(text));
}

static size_t count_digits(struct slice s)
{
    size_t n = 0;
    while (n < s.len && is_digit(s.data[n]))
        n++;
    return n;
}

static enum wr_status parse_number(struct ctx *ctx, struct slice digits, int64_t *out)
{
    uint64_t v = 0;
    for (size_t i = 0; i < digits.len; i++) {
        uint64_t digit = (uint64_t)(digits.data[i] - '0');
        if (v > ((uint64_t)INT64_MAX - digit) / 10)
            return fail(ctx, WR_SERVER_ERROR, "java.lang.NumberFormatException: For input string: \"%.*s\"",
                        SLICE_ARG(digits));
        v = v * 10 + digit;
    }
    *out = (int64_t)v;
    return WR_OK;
}

static bool has_symbol(struct slice s, const char *symbol)
{
    size_t n = strlen(symbol);
    for (size_t i = 0; i < n; i++) {
        uint8_t c = i < s.len ? s.data[i] : 0;
        if (c >= 'A' && c <= 'Z')
            c |= 0x20;
        if (c != (uint8_t)symbol[i])
            return false;
    }
    return true;
}

static enum wr_status parse_standard(struct ctx *ctx, struct slice text, struct builder *b)
{
    struct slice rest = text;
    if (!rest.len)
        return fail_format(ctx, text);
    while (rest.len) {
        struct slice digits = slice_of(rest.data, count_digits(rest));
        enum unit unit = UNIT_NONE;
        int64_t number = 0;
        rest = slice_skip(rest, digits.len);
        for (size_t i = 0; digits.len && i < sizeof symbols / sizeof *symbols && unit == UNIT_NONE; i++) {
            if (has_symbol(rest, symbols[i].text)) {
                unit = symbols[i].unit;
                rest = slice_skip(rest, strlen(symbols[i].text));
            }
        }
        if (unit == UNIT_NONE)
            return fail_format(ctx, text);
        TRY(parse_number(ctx, digits, &number));
        TRY(build(ctx, b, unit, number));
    }
    return WR_OK;
}

struct designator {
    char letter;
    enum unit unit;
};

/* Number and letter by turns, letters in the order of the list; what fits nowhere is left. */
static enum wr_status parse_designated(struct ctx *ctx, struct slice *rest, const struct designator *list,
                                       struct builder *b)
{
    for (; list->letter; list++) {
        size_t n = count_digits(*rest);
        int64_t number = 0;
        if (n == 0 || n == rest->len || rest->data[n] != (uint8_t)list->letter)
            continue;
        TRY(parse_number(ctx, slice_of(rest->data, n), &number));
        TRY(build(ctx, b, list->unit, number));
        *rest = slice_skip(*rest, n + 1);
    }
    return WR_OK;
}

/* The form is checked as a whole before its numbers are looked at, so that the first thing wrong is the one told. */
static bool fits_iso(struct slice s, const struct designator *list)
{
    bool in_time = false;
    while (s.len) {
        if (!in_time && s.data[0] == 'T') {
            in_time = true;
            while (list->unit < HOURS && list->letter)
                list++;
            s = slice_skip(s, 1);
            continue;
        }
        size_t n = count_digits(s);
        if (n == 0 || n == s.len)
            return false;
        while (list->letter && (list->letter != (char)s.data[n] || (list->unit >= HOURS) != in_time))
            list++;
        if (!list++->letter)
            return false;
        s = slice_skip(s, n + 1);
    }
    return true;
}

static enum wr_status parse_iso(struct ctx *ctx, struct slice text, struct builder *b)
{
    static const struct designator list[] = { { 'Y', YEARS },   { 'M', MONTHS },  { 'D', DAYS }, { 'H', HOURS },
                                              { 'M', MINUTES }, { 'S', SECONDS }, { 0 } };
    static const struct designator date[] = { { 'Y', YEARS }, { 'M', MONTHS }, { 'D', DAYS }, { 0 } };
    static const struct designator time[] = { { 'H', HOURS }, { 'M', MINUTES }, { 'S', SECONDS }, { 0 } };
    struct slice rest = slice_skip(text, 1);
    if (!fits_iso(rest, list))
        return fail_format(ctx, text);
    TRY(parse_designated(ctx, &rest, date, b));
    if (rest.len)
        rest = slice_skip(rest, 1);
    return parse_designated(ctx, &rest, time, b);
}

static enum wr_status parse_iso_weeks(struct ctx *ctx, struct slice text, struct builder *b)
{
    struct slice digits = slice_of(text.data + 1, text.len - 2);
    int64_t number = 0;
    if (!digits.len || count_digits(digits) != digits.len)
        return fail_format(ctx, text);
    TRY(parse_number(ctx, digits, &number));
    return build(ctx, b, WEEKS, number);
}

/* P0001-02-03T04:05:06 */
static enum wr_status parse_iso_alternative(struct ctx *ctx, struct slice text, struct builder *b)
{
    static const char form[] = "Pdddd-dd-ddTdd:dd:dd";
    static const struct {
        uint8_t at, len;
        enum unit unit;
    } fields[] = { { 1, 4, YEARS },  { 6, 2, MONTHS },   { 9, 2, DAYS },
                   { 12, 2, HOURS }, { 15, 2, MINUTES }, { 18, 2, SECONDS } };
    bool fits = text.len == sizeof form - 1;
    for (size_t i = 0; fits && i < text.len; i++)
        fits = form[i] == 'd' ? is_digit(text.data[i]) : form[i] == (char)text.data[i];
    if (!fits)
        return fail_format(ctx, text);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        int64_t number = 0;
        TRY(parse_number(ctx, slice_of(text.data + fields[i].at, fields[i].len), &number));
        TRY(build(ctx, b, fields[i].unit, number));
    }
    return WR_OK;
}

enum wr_status duration_parse(struct ctx *ctx, struct slice text, struct duration *out)
{
    struct builder b = { .last = UNIT_NONE };
    bool negative = text.len && text.data[0] == '-';
    if (negative)
        text = slice_skip(text, 1);
    if (!text.len || text.data[0] != 'P')
        TRY(parse_standard(ctx, text, &b));
    else if (text.len > 1 && text.data[text.len - 1] == 'W')
        TRY(parse_iso_weeks(ctx, text, &b));
    else if (memchr(text.data, '-', text.len))
        TRY(parse_iso_alternative(ctx, text, &b));
    else
        TRY(parse_iso(ctx, text, &b));
    *out = (struct duration){ (int32_t)b.parts[PART_MONTHS], (int32_t)b.parts[PART_DAYS], b.parts[PART_NANOS] };
    if (negative)
        *out = duration_negate(*out);
    return WR_OK;
}

static uint64_t put_unit(struct buf *buf, uint64_t v, uint64_t unit, const char *symbol)
{
    if (v >= unit && v)
        buf_printf(buf, "%llu%s", (unsigned long long)(v / unit), symbol);
    return v % unit;
}

/* Java's Math.abs leaves the least of all values as it is, and of less than one unit nothing is printed. */
static uint64_t magnitude(int64_t v, int64_t least)
{
    return v == least ? 0 : (uint64_t)(v < 0 ? -v : v);
}

void duration_print(struct buf *buf, struct duration d)
{
    if (d.months < 0 || d.days < 0 || d.nanos < 0)
        buf_put_u8(buf, '-');
    uint64_t rest = put_unit(buf, magnitude(d.months, INT32_MIN), 12, "y");
    put_unit(buf, rest, 1, "mo");
    put_unit(buf, magnitude(d.days, INT32_MIN), 1, "d");
    rest = put_unit(buf, magnitude(d.nanos, INT64_MIN), NANOS_PER_HOUR, "h");
    rest = put_unit(buf, rest, NANOS_PER_HOUR / 60, "m");
    rest = put_unit(buf, rest, 1000000000, "s");
    rest = put_unit(buf, rest, 1000000, "ms");
    rest = put_unit(buf, rest, 1000, "us");
    put_unit(buf, rest, 1, "ns");
}

/* ---- arithmetic ---- */

struct duration duration_negate(struct duration d)
{
    return (struct duration){ (int32_t)(0 - (uint32_t)d.months), (int32_t)(0 - (uint32_t)d.days),
                              (int64_t)(0 - (uint64_t)d.nanos) };
}

static int64_t add_wrapping(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

int64_t duration_add_to_ms(struct duration d, int64_t timestamp_ms)
{
    int64_t days = floor_div(timestamp_ms, MS_PER_DAY), of_day = floor_mod(timestamp_ms, MS_PER_DAY);
    if (d.months) {
        struct civil date = java_of_days(days);
        int32_t month = (int32_t)((uint32_t)(date.month - 1) + (uint32_t)d.months); /* of the date's year; an int that wraps there */
        date.year += floor_div(month, 12);
        date.month = (int)floor_mod(month, 12) + 1;
        int last = days_of_java_month(date.year, date.month);
        date.day = date.day < last ? date.day : last;
        days = days_of_java(date);
    }
    int64_t ms = (int64_t)((uint64_t)(days + d.days) * (uint64_t)MS_PER_DAY);
    /* With months the server goes through Calendar.add, whose argument is an int. */
    int64_t more_ms = d.nanos / 1000000;
    return add_wrapping(add_wrapping(ms, of_day), d.months ? (int32_t)(uint32_t)(uint64_t)more_ms : more_ms);
}
