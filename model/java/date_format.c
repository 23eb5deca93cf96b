/* java.text.SimpleDateFormat, in English. */
#include "model/java/calendar.h"

#include "engine/clock.h"
#include "model/calendar.h"
#include "model/java/object_ops.h"

static const char *const months[] = { "January", "February", "March",     "April",   "May",      "June",
                                      "July",    "August",   "September", "October", "November", "December" };
static const char *const days[] = { "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday" };
static const char *const halves[] = { "AM", "PM" };
static const char *const eras[] = { "BC", "AD" };

/* What a letter stands for. */
struct letter {
    enum calendar_field field;
    bool is_one_more;         /* it begins with 1 where the field does with 0, and what the field calls 0 is the most */
    int64_t zero_is;          /* of those: 0 as it is written; 0: it is one more */
    const char *const *names; /* NULL: numbers alone */
    unsigned count, least;    /* of names; letters from which on they are written */
};

static const struct letter *letter_of(uint16_t c)
{
    static const struct letter letters[128] = {
        ['G'] = { FIELD_ERA, false, 0, eras, 2, 1 },
        ['y'] = { FIELD_YEAR, false, 0, NULL, 0, 0 },
        ['Y'] = { FIELD_YEAR, false, 0, NULL, 0, 0 },
        ['M'] = { FIELD_MONTH, true, 0, months, 12, 3 },
        ['L'] = { FIELD_MONTH, true, 0, months, 12, 3 },
        ['w'] = { FIELD_WEEK_OF_YEAR, false, 0, NULL, 0, 0 },
        ['W'] = { FIELD_WEEK_OF_MONTH, false, 0, NULL, 0, 0 },
        ['D'] = { FIELD_DAY_OF_YEAR, false, 0, NULL, 0, 0 },
        ['d'] = { FIELD_DAY, false, 0, NULL, 0, 0 },
        ['F'] = { FIELD_DAY_OF_WEEK_IN_MONTH, false, 0, NULL, 0, 0 },
        ['E'] = { FIELD_DAY_OF_WEEK, true, 0, days, 7, 1 },
        ['u'] = { FIELD_DAY_OF_WEEK, false, 0, NULL, 0, 0 },
        ['a'] = { FIELD_AM_PM, false, 0, halves, 2, 1 },
        ['H'] = { FIELD_HOUR_OF_DAY, false, 0, NULL, 0, 0 },
        ['k'] = { FIELD_HOUR_OF_DAY, true, 24, NULL, 0, 0 },
        ['K'] = { FIELD_HOUR, false, 0, NULL, 0, 0 },
        ['h'] = { FIELD_HOUR, true, 12, NULL, 0, 0 },
        ['m'] = { FIELD_MINUTE, false, 0, NULL, 0, 0 },
        ['s'] = { FIELD_SECOND, false, 0, NULL, 0, 0 },
        ['S'] = { FIELD_MILLISECOND, false, 0, NULL, 0, 0 },
        ['z'] = { FIELD_ZONE_OFFSET, false, 0, NULL, 0, 0 },
        ['Z'] = { FIELD_ZONE_OFFSET, false, 0, NULL, 0, 0 },
        ['X'] = { FIELD_ZONE_OFFSET, false, 0, NULL, 0, 0 },
    };
    return c < 128 && (letters[c].field || c == 'G') ? &letters[c] : NULL;
}

static bool is_letter(uint16_t c)
{
    return c < 128 && (c | 32) >= 'a' && (c | 32) <= 'z';
}

static bool is_number(uint16_t c, unsigned count)
{
    const struct letter *l = letter_of(c);
    return l && !(l->names && count >= l->least) && l->field != FIELD_ZONE_OFFSET;
}

/* ---- patterns: letters, and what stands for itself ---- */

struct part {
    uint16_t c;     /* a letter, count times; or a character as it is, count 0 */
    unsigned count;
};

/* The next part from *at on; *quoted: within quotes. false: the pattern is at its end. */
static bool next_part(const struct java_object *pattern, uint32_t *at, bool *quoted, struct part *out)
{
    const uint16_t *u = pattern->string.units;
    uint32_t len = pattern->string.len;

    while (*at < len && u[*at] == '\'') {
        if (*at + 1 < len && u[*at + 1] == '\'') { /* two are one */
            *at += 2;
            *out = (struct part){ '\'', 0 };
            return true;
        }
        *quoted = !*quoted;
        ++*at;
    }
    if (*at >= len)
        return false;
    *out = (struct part){ u[*at], 0 };
    if (*quoted || !is_letter(u[*at])) {
        ++*at;
        return true;
    }
    for (; *at < len && u[*at] == out->c; ++*at)
        out->count++;
    return true;
}

static bool check_pattern(struct java_run *run, const struct java_object *pattern)
{
    struct part part;
    bool quoted = false;

    for (uint32_t at = 0; next_part(pattern, &at, &quoted, &part);)
        if (part.count && !letter_of(part.c))
            return java_throw(run, J_ILLEGAL_ARGUMENT, "Illegal pattern character '%c'", part.c);
        else if (part.c == 'X' && part.count > 3)
            return java_throw(run, J_ILLEGAL_ARGUMENT, "invalid ISO 8601 format: length=%u", part.count);
    return !quoted || java_throw(run, J_ILLEGAL_ARGUMENT, "Unterminated quote");
}

JAVA_CALL(format_new)
{
    struct java_object *pattern = method->args[0] ? args[0].o : NULL;
    JAVA_UNUSED;
    if (!method->args[0] && !java_string_of_utf8(run, SLICE_LIT("M/d/yy, h:mm a"), &pattern))
        return false;
    if (!java_check_argument(run, pattern) || (method->args[1] && !java_check_argument(run, args[1].o)) || !check_pattern(run, pattern) ||
        !(out->o = java_new(run, J_SIMPLE_DATE_FORMAT)))
        return false;
    out->o->date_format.pattern = pattern;
    return java_zone_new(run, SLICE_LIT("Etc/UTC"), &out->o->date_format.zone);
}

/* ---- format ---- */

static void put_zone(struct buf *text, const struct part *part, const struct java_object *zone)
{
    int32_t offset_ms = zone->zone.offset_ms;
    bool gmt = zone->zone.name->string.len == 3 && zone->zone.name->string.units[0] == 'G';

    if (part->c == 'X') {
        if (!offset_ms)
            buf_put_u8(text, 'Z');
        else if (part->count == 1)
            buf_printf(text, "%c%02d", offset_ms < 0 ? '-' : '+', (offset_ms < 0 ? -offset_ms : offset_ms) / 3600000);
        else
            java_zone_put_offset(text, offset_ms, part->count == 2 ? "" : ":");
    } else if (part->c == 'Z') {
        java_zone_put_offset(text, offset_ms, "");
    } else if (offset_ms) {
        buf_put_str(text, "GMT");
        java_zone_put_offset(text, offset_ms, ":");
    } else {
        buf_put_str(text, part->count < 4 ? (gmt ? "GMT" : "UTC") : gmt ? "Greenwich Mean Time" : "Coordinated Universal Time");
    }
}

/* The year that the week is one of. */
static int64_t week_year(const struct calendar *c)
{
    int64_t week = c->fields[FIELD_WEEK_OF_YEAR];
    int64_t year = c->fields[FIELD_ERA] ? c->fields[FIELD_YEAR] : 1 - c->fields[FIELD_YEAR];
    return year + (week == 1 && c->fields[FIELD_MONTH] == 11) - (week >= 52 && c->fields[FIELD_MONTH] == 0);
}

enum { SHORT = 3 }; /* letters of a month or day, where few are asked for */

static void put_part(struct buf *text, const struct part *part, const struct calendar *c)
{
    const struct letter *l = letter_of(part->c);
    int64_t v = part->c == 'Y' ? week_year(c) : c->fields[l->field];

    if (l->field == FIELD_ZONE_OFFSET) {
        put_zone(text, part, c->zone);
    } else if (l->names && part->count >= l->least) {
        const char *name = l->names[part->c == 'E' ? v - 1 : v];
        buf_put(text, name, part->count >= 4 || strlen(name) < SHORT ? strlen(name) : SHORT);
    } else if (l->field == FIELD_YEAR && part->count == 2) {
        buf_printf(text, "%02d", (int)(v % 100));
    } else {
        v = part->c == 'u' ? (v + 5) % 7 + 1 : !l->is_one_more ? v : l->zero_is ? (v ? v : l->zero_is) : v + 1;
        buf_printf(text, "%s%0*lld", v < 0 ? "-" : "", part->count > 300 ? 300 : (int)part->count, (long long)(v < 0 ? -v : v));
    }
}

static bool put_date(struct java_run *run, const struct java_object *pattern, struct java_object *zone, int64_t ms, union java_value *out)
{
    struct calendar c = { .zone = zone };
    bool quoted = false;
    struct part part;
    struct buf text, out_text;

    java_calendar_set_time(&c, ms);
    buf_init(&out_text, run->ctx->arena);
    for (uint32_t at = 0; next_part(pattern, &at, &quoted, &part);) {
        if (!part.count) {
            buf_put(&out_text, &part.c, sizeof part.c);
            continue;
        }
        buf_init(&text, run->ctx->arena);
        put_part(&text, &part, &c);
        java_put_buf(&out_text, &text);
        if (!java_spend(run, 1) || !java_check_text(run, &out_text))
            return false;
    }
    return java_give_text(run, &out_text, out);
}

JAVA_CALL(format_text)
{
    const struct java_object *o = args[0].o;
    JAVA_UNUSED;

    if (!o && method->args[0] == J_DATE)
        return java_throw(run, J_NULL_POINTER, "date must not be null");
    if (!o || (o->kind != J_DATE && !java_kind_extends(o->kind, J_NUMBER)))
        return java_throw(run, J_ILLEGAL_ARGUMENT, "Cannot format given Object as a Date");
    union java_value ms = o->value;
    if (o->kind != J_DATE && o->kind != J_BOX_LONG) {
        if (o->kind == J_BIG_INTEGER || o->kind == J_BIG_DECIMAL) {
            if (!java_big_value(run, o, J_LONG, &ms))
                return false;
        } else {
            ms = java_convert_primitive(java_kind_is_real(java_unboxed(java_simple(o->kind))->kind) ? J_DOUBLE : J_LONG, J_LONG, o->value);
        }
    }
    return put_date(run, self->o->date_format.pattern, self->o->date_format.zone, ms.i, out);
}

enum { DATE_GMT, DATE_LOCAL };

JAVA_CALL(date_text) /* as Date's own methods have it */
{
    static const char *const patterns[] = { [DATE_GMT] = "d MMM y HH:mm:ss 'GMT'", [DATE_LOCAL] = "MMM d, y, h:mm:ss a" };
    struct java_object *pattern, *zone;
    JAVA_UNUSED;
    return java_string_of_utf8(run, slice_str(patterns[method->variant]), &pattern) && java_zone_new(run, SLICE_LIT("Etc/UTC"), &zone) &&
           put_date(run, pattern, zone, self->o->value.i, out);
}

/* ---- parse ---- */

struct date_reader {
    const struct java_object *text;
    uint32_t at;
};

static uint16_t unit_at(const struct date_reader *r, uint32_t at)
{
    return at < r->text->string.len ? r->text->string.units[at] : 0;
}

static bool is_digit(uint16_t c)
{
    return c >= '0' && c <= '9';
}

/* Digits, a minus before them; most: no more characters than that, 0: as many as there are. *digits: how many. */
static bool read_number(struct date_reader *r, unsigned most, int64_t *out, unsigned *digits)
{
    uint32_t at = r->at, end = most && at + most < r->text->string.len ? at + most : r->text->string.len;
    bool negative = at < end && unit_at(r, at) == '-';

    at += negative;
    *out = 0;
    for (*digits = 0; at < end && is_digit(unit_at(r, at)); at++, ++*digits)
        *out = *out < INT64_C(100000000000000000) ? *out * 10 + (unit_at(r, at) - '0') : *out;
    if (negative)
        *out = -*out;
    *out = (int32_t)*out;
    if (*digits)
        r->at = at;
    return *digits > 0;
}

/* The name that is longest of those there, whole or its first three letters; -1: none. Case does not count. */
static int read_name(struct date_reader *r, const struct letter *l)
{
    int best = -1;
    uint32_t longest = 0;

    for (unsigned i = 0; i < l->count; i++)
        for (unsigned form = 0; form < 2; form++) {
            uint32_t len = form && l->count > 2 ? 3 : (uint32_t)strlen(l->names[i]), same = 0;
            while (same < len && r->at + same < r->text->string.len && (unit_at(r, r->at + same) | 32) == (l->names[i][same] | 32))
                same++;
            if (same == len && len > longest) {
                longest = len;
                best = (int)i;
            }
        }
    r->at += longest;
    return best;
}

static bool read_zone_name(struct date_reader *r, const char *name)
{
    for (unsigned i = 0; i < 3; i++)
        if ((unit_at(r, r->at + i) | 32) != (name[i] | 32))
            return false;
    r->at += 3;
    return true;
}

/* Behind a sign: of GMT one digit of hours is enough; minutes are there but behind X alone, after a colon where there is one in GMT and in XXX. */
static bool read_zone_offset(struct date_reader *r, bool gmt, uint32_t iso_count, int64_t *minutes)
{
    enum { HOURS_MOST = 23, MINUTES_MOST = 59 };
    struct date_reader ahead = { r->text, r->at };
    unsigned digits;
    int64_t hours, more = 0;

    if (!is_digit(unit_at(&ahead, ahead.at)) || !read_number(&ahead, 2, &hours, &digits) || (digits == 1 && !gmt) || hours > HOURS_MOST)
        return false;
    if (iso_count != 1) {
        if ((gmt || iso_count == 3) && unit_at(&ahead, ahead.at++) != ':')
            return false;
        if (!is_digit(unit_at(&ahead, ahead.at)) || !read_number(&ahead, 2, &more, &digits) || digits < 2 || more > MINUTES_MOST)
            return false;
    }
    r->at = ahead.at;
    *minutes = hours * 60 + more;
    return true;
}

/* UTC, GMT, GMT+1:00, Z, +01, +0100, +01:00, as the letter takes them. */
static bool read_zone(struct java_run *run, struct date_reader *r, const struct part *part, int64_t *offset_ms, bool *good)
{
    bool iso = part->c == 'X', gmt = !iso && read_zone_name(r, "GMT");
    int64_t minutes;

    *offset_ms = 0;
    *good = true;
    if (!gmt && !iso && read_zone_name(r, "UTC"))
        return true;
    uint16_t c = unit_at(r, r->at);
    if (iso && c == 'Z') {
        r->at++;
        return true;
    }
    if (c != '+' && c != '-') {
        if (!gmt && !iso && is_letter(c))
            return java_throw(run, J_UNSUPPORTED, "time zones other than UTC and offsets of it are not supported here");
        *good = gmt;
        return true;
    }
    r->at++;
    if ((*good = read_zone_offset(r, gmt, iso ? part->count : 0, &minutes)))
        *offset_ms = (c == '-' ? -1 : 1) * minutes * 60000;
    return true;
}

/* What the next two digits stand for: within 80 years before now and 20 after. */
static int64_t century_year(int64_t year)
{
    struct clock clock;
    clock_init(&clock);
    struct civil start = java_of_days(clock_now_us(&clock) / 1000 / MS_PER_DAY);
    start.year -= 80;
    int64_t in_century = floor_mod(start.year, 100);
    return year + floor_div(start.year, 100) * 100 + (year < in_century ? 100 : 0);
}

/* One part of the pattern; abutting: another number follows at once. *good false: the text does not fit. */
static bool read_part(struct java_run *run, struct date_reader *r, const struct part *part, bool abutting, struct calendar *c, bool *good)
{
    const struct letter *l = letter_of(part->c);
    int64_t v;
    unsigned digits;

    while (unit_at(r, r->at) == ' ' || unit_at(r, r->at) == '\t')
        r->at++;
    if (l->field == FIELD_ZONE_OFFSET) {
        if (!read_zone(run, r, part, &v, good))
            return false;
        if (*good)
            java_calendar_set(c, FIELD_ZONE_OFFSET, v);
        return true;
    }
    if (l->names && part->count >= l->least) {
        int name = read_name(r, l);
        *good = name >= 0;
        if (*good)
            java_calendar_set(c, l->field, name + (part->c == 'E'));
        return true;
    }
    uint32_t began = r->at;
    *good = !(abutting && began + part->count > r->text->string.len) && read_number(r, abutting ? part->count : 0, &v, &digits);
    if (!*good)
        return true;
    if (l->field == FIELD_YEAR && part->count <= 2 && r->at - began == 2 && digits == 2)
        v = century_year(v);
    else if (part->c == 'u')
        v = v % 7 + 1;
    else if (l->is_one_more)
        v = l->zero_is ? (v == l->zero_is ? 0 : v) : v - 1;
    java_calendar_set(c, l->field, v);
    return true;
}

static bool fits(const struct calendar *told, struct calendar *c)
{
    (void)java_calendar_time(c);
    for (int i = 0; i < FIELD_ZONE_OFFSET; i++)
        if (told->stamps[i] > COMPUTED && told->fields[i] != c->fields[i])
            return false;
    return true;
}

static bool fail_parse(struct java_run *run, const struct java_object *text, uint32_t at)
{
    (void)java_throw_of(run, J_PARSE_EXCEPTION, "Unparseable date: \"", text);
    if (!run->thrown || !run->thrown->thrown.message)
        return false;
    struct buf message;
    buf_init(&message, run->ctx->arena);
    struct java_object *thrown = run->thrown;
    if (!java_print(run, &message, thrown->thrown.message))
        return false;
    java_put_ascii(&message, "\"", 1);
    if (!java_string_of_units(run, &message, &thrown->thrown.message))
        return false;
    thrown->thrown.index = (int32_t)at;
    run->thrown = thrown;
    return false;
}

JAVA_CALL(format_parse)
{
    const struct java_object *pattern = self->o->date_format.pattern;
    struct calendar c = { .zone = self->o->date_format.zone }, told;
    struct date_reader r = { args[0].o, 0 };
    bool quoted = false, good = true, looking;
    struct part part, next;
    JAVA_UNUSED;

    if (!args[0].o)
        return java_throw(run, J_NULL_POINTER, "Cannot invoke \"String.length()\" because \"text\" is null");
    java_calendar_clear(&c);
    for (uint32_t at = 0; next_part(pattern, &at, &quoted, &part) && good;) {
        if (!part.count) {
            if (unit_at(&r, r.at) != part.c || r.at >= r.text->string.len)
                return fail_parse(run, args[0].o, r.at);
            r.at++;
            continue;
        }
        uint32_t ahead = at;
        looking = quoted;
        bool abutting = is_number(part.c, part.count) && next_part(pattern, &ahead, &looking, &next) && next.count && is_number(next.c, next.count);
        if (!java_spend(run, 1) || !read_part(run, &r, &part, abutting, &c, &good))
            return false;
        if (!good)
            return fail_parse(run, args[0].o, r.at);
    }
    told = c;
    if (self->o->date_format.strict && !fits(&told, &c))
        return fail_parse(run, args[0].o, r.at);
    if (!(out->o = java_new(run, J_DATE)))
        return false;
    out->o->value.i = java_calendar_time(&c);
    return true;
}

/* ---- its settings ---- */

JAVA_CALL(format_pattern)
{
    JAVA_UNUSED;
    out->o = self->o->date_format.pattern;
    return true;
}

JAVA_CALL(format_set_pattern)
{
    JAVA_UNUSED;
    if (!java_check_read(run, args[0].o, JAVA_READ_TEXT, "pattern") || !check_pattern(run, args[0].o))
        return false;
    self->o->date_format.pattern = args[0].o;
    return true;
}

JAVA_CALL(format_set_zone)
{
    JAVA_UNUSED;
    self->o->date_format.zone = args[0].o;
    return java_check_argument(run, args[0].o);
}

JAVA_CALL(format_set_lenient)
{
    JAVA_UNUSED;
    self->o->date_format.strict = !args[0].i;
    return true;
}

/* ---- as objects ---- */

static bool format_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    return java_equals(run, a->date_format.pattern, b->date_format.pattern) && java_equals(run, a->date_format.zone, b->date_format.zone) &&
           a->date_format.strict == b->date_format.strict;
}

static uint32_t format_hash(struct java_run *run, const struct java_object *o)
{
    return (uint32_t)java_hash_code(run, o->date_format.pattern);
}

const struct java_object_ops java_date_format_ops = { .equals = format_equals, .hash = format_hash };

/* ---- the table ---- */

const struct java_method java_date_format_methods[] = {
    { J_DATE, "toGMTString", J_STRING, { 0 }, 0, date_text, DATE_GMT },
    { J_DATE, "toLocaleString", J_STRING, { 0 }, 0, date_text, DATE_LOCAL },
    { J_SIMPLE_DATE_FORMAT, "applyPattern", J_VOID, { J_STRING }, 0, format_set_pattern, 0 },
    { J_SIMPLE_DATE_FORMAT, "<init>", J_SIMPLE_DATE_FORMAT, { 0 }, 0, format_new, 0 },
    { J_SIMPLE_DATE_FORMAT, "<init>", J_SIMPLE_DATE_FORMAT, { J_STRING }, 0, format_new, 0 },
    { J_SIMPLE_DATE_FORMAT, "<init>", J_SIMPLE_DATE_FORMAT, { J_STRING, J_LOCALE }, 0, format_new, 0 },
    { J_DATE_FORMAT, "format", J_STRING, { J_DATE }, 0, format_text, 0 },
    { J_FORMAT_OF_TEXT, "format", J_STRING, { J_OBJECT }, 0, format_text, 0 },
    { J_DATE_FORMAT, "parse", J_DATE, { J_STRING }, JAVA_THROWS(J_PARSE_EXCEPTION), format_parse, 0 },
    { J_DATE_FORMAT, "setTimeZone", J_VOID, { J_TIME_ZONE }, 0, format_set_zone, 0 },
    { J_DATE_FORMAT, "setLenient", J_VOID, { J_BOOLEAN }, 0, format_set_lenient, 0 },
    { J_SIMPLE_DATE_FORMAT, "toPattern", J_STRING, { 0 }, 0, format_pattern, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
