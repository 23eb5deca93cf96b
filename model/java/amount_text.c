/* java.time: a Duration and a Period as texts, read and printed. */
#include "model/java/temporal.h"

enum { HOUR_S = 3600, MINUTE_S = 60 };

struct amount_text {
    struct slice text;
    bool any; /* a part was read */
};

static bool take(struct amount_text *r, char c)
{
    if (!r->text.len || (r->text.data[0] | 32) != (c | 32))
        return false;
    r->text = slice_skip(r->text, 1);
    return true;
}

/* A sign, and digits; *large: more than a long has. false: they are not there. */
static bool take_number(struct amount_text *r, int64_t *out, bool *negative, bool *large)
{
    struct amount_text ahead = *r;
    java_wide v = 0;
    size_t digits = 0;

    *negative = ahead.text.len && ahead.text.data[0] == '-';
    if (ahead.text.len && (ahead.text.data[0] == '-' || ahead.text.data[0] == '+'))
        ahead.text = slice_skip(ahead.text, 1);
    for (; ahead.text.len && ahead.text.data[0] >= '0' && ahead.text.data[0] <= '9'; digits++, ahead.text = slice_skip(ahead.text, 1))
        v = v <= INT64_MAX ? v * 10 + (ahead.text.data[0] - '0') : v;
    v = *negative ? -v : v;
    *out = (int64_t)v;
    *large = v != *out;
    if (!digits)
        return false;
    *r = ahead;
    return true;
}

/* A number and the letter behind it, if both are there. */
static void take_part(struct amount_text *r, char letter, int64_t *out, bool *large)
{
    struct amount_text ahead = *r;
    int64_t v;
    bool negative, too_large;
    if (!take_number(&ahead, &v, &negative, &too_large) || !take(&ahead, letter))
        return;
    *r = ahead;
    r->any = true;
    *out = v;
    *large = too_large;
}

/* Up to nine digits behind a point, and the S. */
static bool take_fraction(struct amount_text *r, int64_t *out)
{
    enum { DIGITS_MOST = 9 };
    size_t digits = 0;
    *out = 0;
    if (r->text.len && (r->text.data[0] == '.' || r->text.data[0] == ',')) {
        r->text = slice_skip(r->text, 1);
        for (; digits < DIGITS_MOST && r->text.len && r->text.data[0] >= '0' && r->text.data[0] <= '9'; digits++, r->text = slice_skip(r->text, 1))
            *out = *out * 10 + r->text.data[0] - '0';
        for (; digits < DIGITS_MOST; digits++)
            *out *= 10;
    }
    return take(r, 'S');
}

static bool bad_duration(struct java_run *run, struct java_object *text, const char *what)
{
    return java_throw_parse(run, text, 0, "Text cannot be parsed to a Duration%s%s", what ? ": " : "", what ? what : "");
}

static bool read_sign(struct amount_text *r)
{
    bool negative = r->text.len && r->text.data[0] == '-';
    if (negative || (r->text.len && r->text.data[0] == '+'))
        r->text = slice_skip(r->text, 1);
    return negative;
}

JAVA_CALL_PUBLIC(java_duration_parse)
{
    enum { DAYS, HOURS, MINUTES, SECONDS, PARTS };
    static const char *const names[PARTS] = { "days", "hours", "minutes", "seconds" };
    static const int32_t lengths[PARTS] = { SECONDS_A_DAY, HOUR_S, MINUTE_S, 1 };
    static const char letters[PARTS] = "DHM";
    int64_t part[PARTS] = { 0 }, fraction = 0;
    bool large[PARTS] = { false }, negative = false, time;
    struct amount_text r = { SLICE_EMPTY, false };
    JAVA_UNUSED;

    if (!java_require(run, args[0].o, "text") || !java_utf8(run, args[0].o, &r.text))
        return false;
    bool negate = read_sign(&r), good = take(&r, 'P');
    take_part(&r, letters[DAYS], &part[DAYS], &large[DAYS]);
    bool before = r.any;
    if (good && (time = take(&r, 'T'))) {
        r.any = false;
        for (int i = HOURS; i <= MINUTES; i++)
            take_part(&r, letters[i], &part[i], &large[i]);
        if (take_number(&r, &part[SECONDS], &negative, &large[SECONDS]))
            r.any = good = take_fraction(&r, &fraction);
        good &= r.any;
    }
    if (!good || r.text.len || !(before || r.any))
        return bad_duration(run, args[0].o, NULL);
    java_wide sum = 0;
    for (int i = DAYS; i < PARTS; i++) {
        java_wide seconds = (java_wide)part[i] * lengths[i];
        if (large[i] || seconds != (int64_t)seconds)
            return bad_duration(run, args[0].o, names[i]);
        sum += seconds;
    }
    sum = sum * NANOS_A_SECOND + (negative ? -fraction : fraction);
    sum = negate ? -sum : sum;
    java_wide whole = sum / NANOS_A_SECOND - (sum % NANOS_A_SECOND < 0);
    return whole == (int64_t)whole ? duration_of_nanos(run, sum, &out->o) : bad_duration(run, args[0].o, "overflow");
}

JAVA_CALL_PUBLIC(java_period_parse)
{
    enum { YEARS, MONTHS, WEEKS, DAYS, PARTS };
    static const char letters[PARTS + 1] = "YMWD";
    int64_t part[PARTS] = { 0 };
    bool large[PARTS] = { false };
    struct amount_text r = { SLICE_EMPTY, false };
    JAVA_UNUSED;

    if (!java_require(run, args[0].o, "text") || !java_utf8(run, args[0].o, &r.text))
        return false;
    bool negate = read_sign(&r), good = take(&r, 'P');
    for (int i = YEARS; i < PARTS; i++) {
        take_part(&r, letters[i], &part[i], &large[i]);
        good &= !large[i] && part[i] == (int32_t)part[i];
        part[i] = negate ? -part[i] : part[i];
        good &= part[i] == (int32_t)part[i];
    }
    if (!good || !r.any || r.text.len)
        return java_throw_parse(run, args[0].o, 0, "Text cannot be parsed to a Period");
    return period_of_parts(run, part[YEARS], part[MONTHS], (java_wide)part[WEEKS] * DAYS_A_WEEK + part[DAYS], &out->o);
}

bool java_duration_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    int64_t seconds = o->when.day, nanos = o->when.nanos;
    bool back = seconds < 0 && nanos;
    int64_t whole = seconds + back; /* towards zero, as are the nanoseconds then */
    struct buf text;
    (void)run;

    buf_init(&text, utf16->arena);
    buf_put_str(&text, "PT");
    if (whole / HOUR_S)
        buf_printf(&text, "%lldH", (long long)(whole / HOUR_S));
    if (whole % HOUR_S / MINUTE_S)
        buf_printf(&text, "%dM", (int)(whole % HOUR_S / MINUTE_S));
    int rest = (int)(whole % MINUTE_S);
    if (rest || nanos || text.len == 2) {
        buf_printf(&text, "%s%d", back && !rest ? "-" : "", rest);
        if (nanos) {
            buf_printf(&text, ".%09d", (int)(back ? NANOS_A_SECOND - nanos : nanos));
            while (text.len && text.data[text.len - 1] == '0')
                text.len--;
        }
        buf_put_u8(&text, 'S');
    }
    java_put_buf(utf16, &text);
    return true;
}

bool java_period_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    static const char letters[] = "YMD";
    const int32_t parts[] = { o->period.years, o->period.months, o->period.days };
    struct buf text;
    (void)run;
    buf_init(&text, utf16->arena);
    buf_put_u8(&text, 'P');
    for (int i = 0; letters[i]; i++)
        if (parts[i])
            buf_printf(&text, "%d%c", (int)parts[i], letters[i]);
    if (text.len == 1)
        buf_put_str(&text, "0D");
    java_put_buf(utf16, &text);
    return true;
}
