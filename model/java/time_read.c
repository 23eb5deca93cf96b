/* A text read by a DateTimeFormatter: its fields, as they stand there. */
#include "model/java/time_format.h"

struct time_reader {
    struct java_run *run;
    const struct time_format *format;
    const struct java_object *text;
    uint32_t at, len;
    bool any_case, lenient, failed; /* failed: something is thrown */
    struct time_reading reading;
};

static uint16_t unit(const struct time_reader *r, uint32_t at)
{
    return at < r->len ? r->text->string.units[at] : 0;
}

static bool is_digit(uint16_t c)
{
    return c >= '0' && c <= '9';
}

static uint16_t folded(uint16_t c)
{
    return c < 128 && (c | 32) >= 'a' && (c | 32) <= 'z' ? c | 32 : c;
}

static bool same(const struct time_reader *r, uint16_t a, uint16_t b)
{
    return a == b || (r->any_case && folded(a) == folded(b));
}

/* All that follows gives the place where the text does not go on as it should, of which the caller tells, in *at; or moves *at behind what was read. */

/* A field that is something else already is wrong where it begins. */
static bool set(struct time_reader *r, enum chrono_field field, int64_t v, uint32_t behind, uint32_t *at)
{
    struct chrono_fields *f = &r->reading.fields;
    if (f->own >> field & 1 && f->values[field] != v)
        return false;
    f->own |= UINT64_C(1) << field;
    f->values[field] = v;
    *at = behind;
    return true;
}

static bool read_units(struct time_reader *r, const uint16_t *units, uint32_t len, uint32_t *at)
{
    for (uint32_t i = 0; i < len; i++)
        if (*at + i >= r->len || !same(r, unit(r, *at + i), units[i]))
            return false;
    *at += len;
    return true;
}

/* ---- numbers ---- */

/* Digits from `from` on, at most so many; *large: more than a long has. */
static uint32_t read_digits(const struct time_reader *r, uint32_t from, uint32_t most, java_wide *out)
{
    uint32_t n = 0;
    for (*out = 0; n < most && is_digit(unit(r, from + n)); n++)
        *out = *out > INT64_MAX ? *out : *out * 10 + (unit(r, from + n) - '0');
    return n;
}

static bool read_number(struct time_reader *r, const struct time_element *e, uint32_t *at)
{
    enum { LENIENT_MOST = 9 };
    bool strict = !r->lenient || e->fixed || (e->least == e->most && e->sign == SIGN_NOT_NEGATIVE);
    uint32_t from = *at, least = strict ? e->least : 1, most = (strict ? e->most : LENIENT_MOST) + e->behind;
    uint16_t sign = unit(r, from);
    bool negative = sign == '-', positive = sign == '+';
    java_wide v;

    if (positive || negative) {
        if (e->op == TIME_REDUCED || (e->sign == SIGN_NOT_NEGATIVE && (!r->lenient || e->least == e->most)) ||
            (e->sign == SIGN_NORMAL && positive && !r->lenient))
            return false;
        from++;
    }
    uint32_t digits = read_digits(r, from, most, &v);
    if (digits < least)
        return false;
    if (e->behind) { /* what follows at once has its digits first */
        uint32_t own = digits > e->behind && digits - e->behind > least ? digits - e->behind : least;
        digits = read_digits(r, from, own, &v);
    }
    if (negative) {
        if (!v && !r->lenient)
            return false;
        v = -v;
    } else if (e->sign == SIGN_EXCEEDS_PAD && !r->lenient && (positive ? digits <= e->least : digits > e->least)) {
        return false;
    }
    if (e->op == TIME_REDUCED && digits == 2)
        v += 2000;
    if (v != (int64_t)v) { /* as many digits as a long has not */
        digits--;
        v /= 10;
    }
    return set(r, e->field, (int64_t)v, from + digits, at);
}

static bool read_fraction(struct time_reader *r, const struct time_element *e, uint32_t *at)
{
    enum { DIGITS = 9 };
    uint32_t from = *at, least = r->lenient && !e->fixed ? 0 : e->least, most = r->lenient && !e->fixed ? DIGITS : e->most;
    java_wide v;
    if (from == r->len)
        return !least;
    if (e->point) {
        if (unit(r, from) != '.')
            return !least;
        from++;
    }
    uint32_t digits = read_digits(r, from, most, &v);
    if (digits < least)
        return false;
    for (uint32_t i = digits; i < DIGITS; i++)
        v *= 10;
    return set(r, e->field, (int64_t)v, from + digits, at);
}

/* ---- names ---- */

/* The longest that stands there, of the style; lenient, of any. Of those that read the same, as J for a month, the last. */
static bool read_text(struct time_reader *r, const struct time_element *e, uint32_t *at)
{
    struct chrono_range range = chrono_range_of(e->field);
    char name[TIME_TEXT_MOST];
    uint16_t units[TIME_TEXT_MOST];
    uint32_t best = 0;
    int64_t value = 0;

    for (int64_t v = range.least; v <= range.most; v++)
        for (int style = r->lenient ? STYLE_FULL : (int)e->style; style <= (r->lenient ? STYLE_SHORT : (int)e->style); style++) {
            uint32_t len = (uint32_t)chrono_text(e->field, v, (enum time_style)style, r->format->locale, name), to = *at;
            for (uint32_t i = 0; i < len; i++)
                units[i] = (uint16_t)name[i];
            if (len && len >= best && read_units(r, units, len, &to)) {
                best = len;
                value = v;
            }
        }
    return best && set(r, e->field, value, *at + best, at);
}

/* ---- offsets and zones ---- */

static bool two_digits(const struct time_reader *r, uint32_t *at, bool colon, int64_t *out)
{
    enum { MOST = 59 };
    uint32_t from = *at;
    java_wide v;
    if (colon && unit(r, from++) != ':')
        return false;
    if (read_digits(r, from, 2, &v) < 2 || v > MOST)
        return false;
    *at = from + 2;
    *out = (int64_t)v;
    return true;
}

static bool set_offset(struct time_reader *r, uint16_t sign, const int64_t part[3], uint32_t behind, uint32_t *at)
{
    enum { HOURS_MOST = 23 };
    if (part[0] > HOURS_MOST) {
        r->failed = true;
        return java_throw(r->run, J_DATE_TIME, "Value out of range: Hour[0-23], Minute[0-59], Second[0-59]");
    }
    return set(r, CHRONO_OFFSET_SECONDS, (sign == '-' ? -1 : 1) * (part[0] * 3600 + part[1] * 60 + part[2]), behind, at);
}

static bool read_offset(struct time_reader *r, const struct time_element *e, uint32_t *at)
{
    const char *form = time_offset_forms[e->most];
    bool colon = strchr(form, ':'), minutes = strchr(form, 'M') && !r->lenient, more = r->lenient || strchr(form, 's');
    int64_t part[3] = { 0 };
    uint32_t to = *at;
    uint16_t sign = unit(r, to);

    if (to == r->len)
        return false;
    if (read_units(r, e->units, e->len, &to))
        return set(r, CHRONO_OFFSET_SECONDS, 0, to, at);
    if ((sign != '+' && sign != '-') || !two_digits(r, (to++, &to), false, &part[0]))
        return false;
    if (two_digits(r, &to, colon, &part[1])) {
        if (more)
            (void)two_digits(r, &to, colon, &part[2]);
    } else if (minutes) {
        return false;
    }
    return set_offset(r, sign, part, to, at);
}

/* A digit that is asked for wherever the text may end. */
static bool digit_at(struct time_reader *r, uint32_t at, int64_t *out)
{
    if (at >= r->len) {
        *out = -1;
        r->failed = true;
        return java_throw(r->run, J_STRING_INDEX, "String index out of range: %u", (unsigned)at);
    }
    *out = unit(r, at) - '0';
    return is_digit(unit(r, at));
}

static bool two_digits_at(struct time_reader *r, uint32_t at, int64_t *out)
{
    int64_t tens, ones = 0;
    bool has_tens = digit_at(r, at, &tens);
    if (r->failed || !digit_at(r, at + 1, &ones) || !has_tens)
        return false;
    *out = tens * 10 + ones;
    return true;
}

/* A colon and two digits, if they are there; not held against what minutes there are. */
static bool read_localized_part(struct time_reader *r, uint32_t *at, int64_t *out)
{
    if (*at + 2 >= r->len || unit(r, *at) != ':' || !is_digit(unit(r, *at + 1)) || !is_digit(unit(r, *at + 2)))
        return false;
    *at += 3;
    return two_digits_at(r, *at - 2, out);
}

static bool read_full_hours(struct time_reader *r, uint32_t *at, int64_t *hours, int64_t *minutes)
{
    int64_t unused;
    if (!two_digits_at(r, *at, hours))
        return false;
    if (unit(r, *at + 2) != ':')
        return digit_at(r, *at + 2, &unused) && false; /* it is asked for */
    if (!two_digits_at(r, *at + 3, minutes))
        return false;
    *at += 5;
    return true;
}

static bool read_short_hours(struct time_reader *r, uint32_t *at, int64_t *hours)
{
    if (!digit_at(r, *at, hours))
        return false;
    ++*at;
    if (is_digit(unit(r, *at)))
        *hours = *hours * 10 + unit(r, (*at)++) - '0';
    return true;
}

/* GMT+1, GMT+01:30 */
static bool read_localized(struct time_reader *r, const struct time_element *e, uint32_t *at)
{
    static const uint16_t gmt[] = { 'G', 'M', 'T' };
    int64_t hours = 0, minutes = 0, seconds = 0;
    bool full = e->style == STYLE_FULL;
    uint32_t to = *at;

    if (!read_units(r, gmt, 3, &to))
        return false;
    uint16_t sign = unit(r, to);
    if (sign != '+' && sign != '-')
        return set(r, CHRONO_OFFSET_SECONDS, 0, to, at);
    to++;
    if (!(full ? read_full_hours(r, &to, &hours, &minutes) : read_short_hours(r, &to, &hours)))
        return false;
    if (full || read_localized_part(r, &to, &minutes))
        (void)read_localized_part(r, &to, &seconds);
    return set(r, CHRONO_OFFSET_SECONDS, (sign == '-' ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds), to, at);
}

/* +01:30, +01:30:15 as a zone, or behind UTC and the like. */
static bool read_zone_offset(struct time_reader *r, uint32_t *at, int64_t *out)
{
    int64_t part[3] = { 0 };
    uint32_t to = *at;
    uint16_t sign = unit(r, to++);
    if ((sign != '+' && sign != '-') || !two_digits(r, &to, false, &part[0]) || !two_digits(r, &to, true, &part[1]))
        return false;
    (void)two_digits(r, &to, true, &part[2]);
    *out = (sign == '-' ? -1 : 1) * (part[0] * 3600 + part[1] * 60 + part[2]);
    if (*out < -OFFSET_MOST_S || *out > OFFSET_MOST_S)
        return false;
    *at = to;
    return true;
}

static bool set_zone(struct time_reader *r, const struct buf *id)
{
    if (java_zone_id(r->run, buf_slice(id), &r->reading.zone))
        return true;
    r->failed = !r->run->thrown || !java_kind_extends(r->run->thrown->kind, J_DATE_TIME);
    if (!r->failed)
        r->run->thrown = NULL;
    return false;
}

static bool is_region_unit(uint16_t c)
{
    return c && c < 128 && (is_digit(c) || (folded(c) >= 'a' && folded(c) <= 'z') || strchr("/~._+-", c));
}

/* An offset; UTC, GMT or UT, with an offset behind it or without; Z; or all that may be a region's name. */
static bool read_zone(struct time_reader *r, uint32_t *at)
{
    static const struct {
        uint16_t units[3];
        uint32_t len;
        const char *id;
    } prefixes[] = { { { 'U', 'T', 'C' }, 3, "UTC" }, { { 'G', 'M', 'T' }, 3, "GMT" }, { { 'U', 'T' }, 2, "UT" } };
    static const uint16_t zulu[] = { 'Z', 'u', 'l', 'u' };
    struct buf id;
    uint32_t to = *at;
    int64_t offset_s = 0;

    if (unit(r, to) == '+' || unit(r, to) == '-')
        return read_zone_offset(r, at, &offset_s) && java_zone_of_offset(r->run, offset_s, &r->reading.zone);
    buf_init(&id, r->run->ctx->arena);
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (read_units(r, prefixes[i].units, prefixes[i].len, &to)) {
            buf_put_str(&id, prefixes[i].id);
            if (read_zone_offset(r, &to, &offset_s) && offset_s)
                chrono_put_offset(&id, (int32_t)offset_s);
            *at = to;
            return set_zone(r, &id);
        }
    if (same(r, unit(r, to), 'Z')) { /* the one region of that letter is another name of it */
        bool is_zulu = read_units(r, zulu, sizeof zulu / sizeof *zulu, &to);
        to += !is_zulu;
        buf_put_str(&id, is_zulu ? "Zulu" : "Z");
    } else {
        while (is_region_unit(unit(r, to)))
            buf_put_u8(&id, (uint8_t)unit(r, to++));
    }
    if (to == *at || !set_zone(r, &id))
        return false;
    *at = to;
    return true;
}

/* ---- elements ---- */

static bool read_element(struct time_reader *r, const struct time_element *e, uint32_t *at)
{
    switch (e->op) {
    case TIME_LITERAL:
        return read_units(r, e->units, e->len, at);
    case TIME_NUMBER:
    case TIME_REDUCED:
        return read_number(r, e, at);
    case TIME_FRACTION:
        return read_fraction(r, e, at);
    case TIME_TEXT:
        return read_text(r, e, at);
    case TIME_OFFSET:
        return read_offset(r, e, at);
    case TIME_LOCALIZED:
        return e->region ? read_zone(r, at) : read_localized(r, e, at);
    case TIME_ZONE:
        return read_zone(r, at);
    case TIME_ANY_CASE:
        r->any_case = e->on;
        return true;
    case TIME_LENIENT:
        r->lenient = e->on;
        return true;
    default:
        return true;
    }
}

/* Blanks, and what they fill up to so many characters, which is all that there is of it. */
static bool read_padded(struct time_reader *r, const struct time_element *e, uint32_t *at)
{
    uint32_t from = *at, whole = r->len, end = from + e->pad;
    if (end > r->len || end < from)
        return false;
    while (from < end && unit(r, from) == ' ')
        from++;
    r->len = end;
    bool good = read_element(r, e, &from);
    r->len = whole;
    if (good && from != end)
        return false;
    *at = from;
    return good;
}

/* An optional part that does not stand there is passed over, and nothing of it is kept. */
struct saved {
    struct time_reading reading;
    uint32_t at, end;
};

static bool read_all(struct time_reader *r, bool *good)
{
    const struct time_format *f = r->format;
    struct saved *open = java_alloc(r->run, (f->depth + 1) * sizeof *open);
    uint32_t depth = 0;

    if (!open)
        return false;
    *good = true;
    for (uint32_t i = 0; i < f->count; i++) {
        const struct time_element *e = &f->elements[i];
        if (!java_spend(r->run, 1 + (e->op == TIME_LITERAL ? e->len / JAVA_COMPARED_AT_ONCE : 0)))
            return false;
        if (e->op == TIME_OPEN) {
            open[depth++] = (struct saved){ r->reading, r->at, e->end };
        } else if (e->op == TIME_CLOSE) {
            depth--;
        } else if (!(e->pad ? read_padded : read_element)(r, e, &r->at)) {
            if (r->failed)
                return false;
            if (!depth) {
                *good = false;
                return true;
            }
            const struct saved *s = &open[--depth];
            r->reading = s->reading;
            r->at = s->at;
            i = s->end;
        }
    }
    return true;
}

/* ---- the whole ---- */

enum { SHOWN = 64 }; /* characters of the text that a message has */

static bool abbreviated(struct java_run *run, const struct java_object *text, struct slice *out)
{
    struct java_object part = { .kind = J_STRING, .string = { text->string.units, text->string.len > SHOWN ? SHOWN : text->string.len, 0, false } };
    return java_utf8(run, &part, out);
}

static const char *more_than(const struct java_object *text)
{
    return text->string.len > SHOWN ? "..." : "";
}

static bool fail_at(struct java_run *run, struct java_object *text, uint32_t at, const char *what)
{
    struct slice shown;
    return abbreviated(run, text, &shown) &&
           java_throw_parse(run, text, at, "Text '%.*s%s' could not be parsed%s at index %u", SLICE_ARG(shown), more_than(text), what, (unsigned)at);
}

bool time_format_refuse(struct java_run *run, struct java_object *text)
{
    struct java_object *cause = run->thrown;
    struct slice shown, message = SLICE_EMPTY;

    if (!cause || !java_kind_extends(cause->kind, J_RUNTIME_EXCEPTION) || cause->kind == J_UNSUPPORTED)
        return false;
    run->thrown = NULL;
    if (!abbreviated(run, text, &shown) || (cause->thrown.message && !java_utf8(run, cause->thrown.message, &message)))
        return false;
    (void)java_throw_parse(run, text, 0, "Text '%.*s%s' could not be parsed: %.*s", SLICE_ARG(shown), more_than(text), SLICE_ARG(message));
    if (run->thrown)
        run->thrown->thrown.cause = cause;
    return false;
}

bool time_format_read(struct java_run *run, const struct time_format *format, struct java_object *text, struct java_object **out)
{
    struct time_reader r = { .run = run, .format = format, .text = text, .len = text->string.len };
    bool good;

    if (!read_all(&r, &good))
        return time_format_refuse(run, text);
    if (!good)
        return fail_at(run, text, r.at, "");
    if (r.at < r.len)
        return fail_at(run, text, r.at, ", unparsed text found");
    return time_format_resolve(run, format, &r.reading, out) || (format->instant ? run->thrown && fail_at(run, text, 0, "") : time_format_refuse(run, text));
}
