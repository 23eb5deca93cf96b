/* A DateTimeFormatter's pattern as a list of elements, and the list as Java shows it. */
#include "model/java/time_format.h"

const char *const time_offset_forms[] = { "+HH", "+HHmm", "+HH:mm", "+HHMM", "+HH:MM", "+HHMMss", "+HH:MM:ss" };
enum { OFFSET_HOURS, OFFSET_PLAIN = 3, OFFSET_FULL = 6 };

struct builder {
    struct java_run *run;
    struct time_format *format;
    uint32_t room, pad;
    uint32_t open[JAVA_DEPTH_MAX], depth; /* the optional parts that are not closed yet */
    int64_t number;                       /* the number that what follows it at once belongs to; -1: none */
};

/* ---- elements ---- */

static struct time_element *add(struct builder *b, enum time_op op)
{
    struct time_format *f = b->format;
    if (f->count == b->room) {
        uint32_t room = b->room ? b->room * 2 : 8;
        struct time_element *more = java_alloc(b->run, room * sizeof *more);
        if (!more)
            return NULL;
        if (f->count)
            memcpy(more, f->elements, f->count * sizeof *more);
        f->elements = more;
        b->room = room;
    }
    struct time_element *e = &f->elements[f->count++];
    *e = (struct time_element){ .op = op, .pad = b->pad };
    b->pad = 0;
    b->number = -1;
    return e;
}

static bool add_literal(struct builder *b, const uint16_t *units, uint32_t len)
{
    struct time_element *e = add(b, TIME_LITERAL);
    if (!e)
        return false;
    e->units = units;
    e->len = len;
    return true;
}

/* Numbers that follow one another at once: those behind the first are of so many digits, and the first takes what they leave. */
static void join_number(struct builder *b, int64_t before)
{
    uint32_t at = b->format->count - 1;
    struct time_element *e = &b->format->elements[at], *first = before >= 0 ? &b->format->elements[before] : NULL;
    bool counted = e->least == e->most && (e->op == TIME_FRACTION ? !e->point : e->op == TIME_REDUCED || e->sign == SIGN_NOT_NEGATIVE);

    b->number = at;
    if (first && counted) {
        e->fixed = true;
        first->behind += e->most;
        b->number = before;
    } else if (first) {
        first->fixed = true;
    }
}

static bool add_number(struct builder *b, enum time_op op, enum chrono_field field, uint32_t least, uint32_t most, enum time_sign sign, bool point)
{
    int64_t before = b->number;
    struct time_element *e = add(b, op);
    if (!e)
        return false;
    e->field = field;
    e->least = least;
    e->most = most;
    e->sign = sign;
    e->point = point;
    join_number(b, before);
    return true;
}

static bool add_text(struct builder *b, enum chrono_field field, enum time_style style, bool standalone)
{
    struct time_element *e = add(b, TIME_TEXT);
    if (!e)
        return false;
    e->field = field;
    e->style = style;
    e->standalone = standalone;
    return true;
}

static bool add_offset(struct builder *b, unsigned form, const char *none)
{
    struct time_element *e = add(b, TIME_OFFSET);
    uint16_t *units = java_alloc(b->run, strlen(none) * sizeof *units);
    if (!e || !units)
        return false;
    for (size_t i = 0; none[i]; i++)
        units[i] = (uint16_t)none[i];
    e->field = CHRONO_OFFSET_SECONDS;
    e->most = form;
    e->units = units;
    e->len = (uint32_t)strlen(none);
    return true;
}

static bool add_styled(struct builder *b, enum time_op op, enum time_style style, bool region)
{
    struct time_element *e = add(b, op);
    if (e) {
        e->style = style;
        e->region = region;
    }
    return e;
}

static bool add_switch(struct builder *b, enum time_op op, bool on)
{
    struct time_element *e = add(b, op);
    if (e)
        e->on = on;
    return e;
}

static bool open_part(struct builder *b)
{
    if (b->depth == JAVA_DEPTH_MAX)
        return java_throw(b->run, J_UNSUPPORTED, "more than %d optional parts in one another are not supported here", JAVA_DEPTH_MAX);
    if (!add(b, TIME_OPEN))
        return false;
    b->open[b->depth++] = b->format->count - 1;
    b->format->depth = b->depth > b->format->depth ? b->depth : b->format->depth;
    return true;
}

static bool close_part(struct builder *b)
{
    if (!add(b, TIME_CLOSE))
        return false;
    b->format->elements[b->open[--b->depth]].end = b->format->count - 1;
    return true;
}

/* ---- letters ---- */

static bool refuse(struct builder *b, const char *what, uint16_t c)
{
    return java_throw(b->run, J_ILLEGAL_ARGUMENT, "%s: %c", what, c);
}

static bool too_many(struct builder *b, uint16_t c)
{
    return refuse(b, "Too many pattern letters", c);
}

static const struct letter {
    uint8_t field;
    uint8_t most;              /* so many letters, each a digit that is there at least; 0: any number */
    bool is_text, is_standalone; /* from three letters on */
    bool is_known;
} letters[128] = {
    ['G'] = { CHRONO_ERA, 5, true, false, true },
    ['u'] = { CHRONO_YEAR, 0, false, false, true },
    ['y'] = { CHRONO_YEAR_OF_ERA, 0, false, false, true },
    ['M'] = { CHRONO_MONTH_OF_YEAR, 5, true, false, true },
    ['L'] = { CHRONO_MONTH_OF_YEAR, 5, true, true, true },
    ['Q'] = { CHRONO_QUARTER_OF_YEAR, 5, true, false, true },
    ['q'] = { CHRONO_QUARTER_OF_YEAR, 5, true, true, true },
    ['d'] = { CHRONO_DAY_OF_MONTH, 2, false, false, true },
    ['D'] = { CHRONO_DAY_OF_YEAR, 3, false, false, true },
    ['E'] = { CHRONO_DAY_OF_WEEK, 5, true, false, true },
    ['F'] = { CHRONO_ALIGNED_DAY_OF_WEEK_IN_MONTH, 1, false, false, true },
    ['a'] = { CHRONO_AMPM_OF_DAY, 1, true, false, true },
    ['h'] = { CHRONO_CLOCK_HOUR_OF_AMPM, 2, false, false, true },
    ['H'] = { CHRONO_HOUR_OF_DAY, 2, false, false, true },
    ['k'] = { CHRONO_CLOCK_HOUR_OF_DAY, 2, false, false, true },
    ['K'] = { CHRONO_HOUR_OF_AMPM, 2, false, false, true },
    ['m'] = { CHRONO_MINUTE_OF_HOUR, 2, false, false, true },
    ['s'] = { CHRONO_SECOND_OF_MINUTE, 2, false, false, true },
    ['A'] = { CHRONO_MILLI_OF_DAY, 0, false, false, true },
    ['n'] = { CHRONO_NANO_OF_SECOND, 0, false, false, true },
    ['N'] = { CHRONO_NANO_OF_DAY, 0, false, false, true },
};

static bool add_year(struct builder *b, enum chrono_field field, uint32_t count)
{
    enum { SHORT = 2, PADDED = 4 };
    if (count == SHORT)
        return add_number(b, TIME_REDUCED, field, SHORT, SHORT, SIGN_NOT_NEGATIVE, false);
    return add_number(b, TIME_NUMBER, field, count, TIME_DIGITS_MOST, count < PADDED ? SIGN_NORMAL : SIGN_EXCEEDS_PAD, false);
}

static bool add_field(struct builder *b, uint16_t c, uint32_t count)
{
    enum { TEXT_FROM = 3, FULL = 4 };
    const struct letter *l = &letters[c];
    enum chrono_field field = (enum chrono_field)l->field;
    bool only_text = c == 'E' || c == 'G' || c == 'a';

    if (l->most && count > l->most)
        return too_many(b, c);
    if (field == CHRONO_YEAR || field == CHRONO_YEAR_OF_ERA)
        return add_year(b, field, count);
    if (l->is_text && (only_text || count >= TEXT_FROM))
        return add_text(b, field, count == FULL ? STYLE_FULL : count > FULL ? STYLE_NARROW : STYLE_SHORT, l->is_standalone);
    if (!l->most || c == 'D')
        return count == 1 && c == 'D' ? add_number(b, TIME_NUMBER, field, 1, TIME_DIGITS_MOST, SIGN_NORMAL, false)
                                      : add_number(b, TIME_NUMBER, field, count, c == 'D' ? l->most : TIME_DIGITS_MOST, SIGN_NOT_NEGATIVE, false);
    return count == 1 ? add_number(b, TIME_NUMBER, field, 1, TIME_DIGITS_MOST, SIGN_NORMAL, false)
                      : add_number(b, TIME_NUMBER, field, count, count, SIGN_NOT_NEGATIVE, false);
}

/* Zones and their offsets. */
static bool add_zone_letter(struct builder *b, uint16_t c, uint32_t count)
{
    enum { NAME = 2, FULL = 4, MOST = 5 };
    switch (c) {
    case 'V':
        return count == NAME ? add_styled(b, TIME_ZONE, STYLE_FULL, false) : refuse(b, "Pattern letter count must be 2", c);
    case 'z':
        return count > FULL ? too_many(b, c) : add_styled(b, TIME_LOCALIZED, count == FULL ? STYLE_FULL : STYLE_SHORT, true);
    case 'O':
        return count == 1 || count == FULL ? add_styled(b, TIME_LOCALIZED, count == 1 ? STYLE_SHORT : STYLE_FULL, false)
                                           : refuse(b, "Pattern letter count must be 1 or 4", c);
    case 'Z':
        return count > MOST    ? too_many(b, c)
               : count == MOST ? add_offset(b, OFFSET_FULL, "Z")
               : count == FULL ? add_styled(b, TIME_LOCALIZED, STYLE_FULL, false)
                               : add_offset(b, OFFSET_PLAIN, "+0000");
    default:
        return count > MOST ? too_many(b, c)
                            : add_offset(b, count == 1 ? 1 : count + 1, c == 'X' ? "Z" : count == 1 ? "+00" : count % 2 ? "+00:00" : "+0000");
    }
}

static bool is_letter(uint16_t c)
{
    return c < 128 && (c | 32) >= 'a' && (c | 32) <= 'z';
}

static bool add_letters(struct builder *b, uint16_t c, uint32_t count)
{
    if (c == 'S')
        return count > 9 ? java_throw(b->run, J_ILLEGAL_ARGUMENT, "Minimum width must be from 0 to 9 inclusive but was %u", (unsigned)count)
                         : add_number(b, TIME_FRACTION, CHRONO_NANO_OF_SECOND, count, count, SIGN_NORMAL, false);
    if (letters[c].is_known) {
        if (!letters[c].most && count > TIME_DIGITS_MOST)
            return java_throw(b->run, J_ILLEGAL_ARGUMENT, "The minimum width must be from 1 to 19 inclusive but was %u", (unsigned)count);
        return add_field(b, c, count);
    }
    if (strchr("VzOZXx", c))
        return add_zone_letter(b, c, count);
    if (strchr("ecwWYBgv", c))
        return java_throw(b->run, J_UNSUPPORTED, "the pattern letter %c is not supported here", c);
    return refuse(b, "Unknown pattern letter", c);
}

/* What the library's own formatters have and no letter stands for. */
static bool add_own(struct builder *b, uint16_t c)
{
    switch (c) {
    case '\1':
        return add_number(b, TIME_NUMBER, CHRONO_YEAR, 4, 10, SIGN_EXCEEDS_PAD, false);
    case '\2':
        return add_number(b, TIME_FRACTION, CHRONO_NANO_OF_SECOND, 0, 9, SIGN_NORMAL, true);
    case '\3':
        return add_offset(b, OFFSET_FULL, "Z");
    case '\4':
        return add_styled(b, TIME_ZONE, STYLE_FULL, true);
    case '\5':
        return add_offset(b, OFFSET_PLAIN, "GMT");
    case '\6':
        return add_number(b, TIME_NUMBER, CHRONO_YEAR, 4, 4, SIGN_NOT_NEGATIVE, false);
    case '\7':
        return add_offset(b, 5, "Z");
    case '\x15':
        return add_number(b, TIME_NUMBER, CHRONO_YEAR, 1, 10, SIGN_NORMAL, false);
    case '\x16':
        return add_number(b, TIME_NUMBER, CHRONO_WEEK_BASED_YEAR, 4, 10, SIGN_EXCEEDS_PAD, false);
    case '\x17':
        return add_number(b, TIME_NUMBER, CHRONO_WEEK_OF_WEEK_BASED_YEAR, 2, 2, SIGN_NOT_NEGATIVE, false);
    case '\x18':
        return add_number(b, TIME_NUMBER, CHRONO_DAY_OF_WEEK, 1, 1, SIGN_NOT_NEGATIVE, false);
    case '\x10':
    case '\x11':
        return add_switch(b, TIME_ANY_CASE, c == '\x11');
    case '\x12':
    case '\x13':
        return add_switch(b, TIME_LENIENT, c == '\x13');
    default:
        return add_number(b, TIME_NUMBER, CHRONO_DAY_OF_MONTH, 1, 2, SIGN_NOT_NEGATIVE, false);
    }
}

/* From the quote at *at to the next; two within are one. */
static bool add_quoted(struct builder *b, const struct java_object *pattern, uint32_t *at)
{
    const uint16_t *u = pattern->string.units;
    uint32_t len = pattern->string.len, from = ++*at, to = 0;
    uint16_t *units = java_alloc(b->run, (len - from + 1) * sizeof *units);

    if (!units)
        return false;
    for (; *at < len && (u[*at] != '\'' || (*at + 1 < len && u[*at + 1] == '\'')); ++*at) {
        *at += u[*at] == '\'';
        units[to++] = u[*at];
    }
    if (*at >= len)
        return java_throw_of(b->run, J_ILLEGAL_ARGUMENT, "Pattern ends with an incomplete string literal: ", pattern);
    ++*at;
    if (!to)
        units[to++] = '\'';
    return add_literal(b, units, to);
}

static uint32_t count_same(const struct java_object *pattern, uint32_t at)
{
    uint32_t from = at;
    while (at < pattern->string.len && pattern->string.units[at] == pattern->string.units[from])
        at++;
    return at - from;
}

bool time_format_compile(struct java_run *run, const struct java_object *pattern, bool internal, struct time_format **out)
{
    struct builder b = { .run = run, .number = -1 };
    const uint16_t *u = pattern->string.units;
    uint32_t len = pattern->string.len;

    if (!(*out = b.format = java_alloc(run, sizeof **out)))
        return false;
    b.format->locale = JAVA_LOCALE_ENGLISH;
    for (uint32_t at = 0; at < len;) {
        uint16_t c = u[at];
        bool good;
        if (!java_spend(run, 1))
            return false;
        if (is_letter(c)) {
            uint32_t count = count_same(pattern, at);
            at += count;
            if (c == 'p') {
                if (at >= len || !is_letter(u[at]))
                    return java_throw_of(run, J_ILLEGAL_ARGUMENT, "Pad letter 'p' must be followed by valid pad pattern: ", pattern);
                b.pad = count;
                continue;
            }
            good = add_letters(&b, c, count);
        } else if (c == '\'') {
            good = add_quoted(&b, pattern, &at);
        } else {
            at++;
            if (c == ']' && !b.depth)
                return java_throw(run, J_ILLEGAL_ARGUMENT, "Pattern invalid as it contains ] without previous [");
            if (c == '{' || c == '}' || c == '#')
                return java_throw(run, J_ILLEGAL_ARGUMENT, "Pattern includes reserved character: '%c'", c);
            good = c == '['              ? open_part(&b)
                   : c == ']'            ? close_part(&b)
                   : internal && c < ' ' ? add_own(&b, c)
                                         : add_literal(&b, &u[at - 1], 1);
        }
        if (!good)
            return false;
    }
    while (b.depth)
        if (!close_part(&b))
            return false;
    return true;
}

/* ---- as Java shows it ---- */

static void show_number(struct buf *text, const struct time_element *e, const char *field)
{
    static const char *const signs[] = { "NORMAL", "NOT_NEGATIVE", "EXCEEDS_PAD" };
    if (e->op == TIME_REDUCED)
        buf_printf(text, "ReducedValue(%s,2,2,2000-01-01)", field);
    else if (e->op == TIME_FRACTION)
        buf_printf(text, "Fraction(%s,%u,%u%s)", field, (unsigned)e->least, (unsigned)e->most, e->point ? ",DecimalPoint" : "");
    else if (e->least == 1 && e->most == TIME_DIGITS_MOST && e->sign == SIGN_NORMAL)
        buf_printf(text, "Value(%s)", field);
    else if (e->least == e->most && e->sign == SIGN_NOT_NEGATIVE)
        buf_printf(text, "Value(%s,%u)", field, (unsigned)e->least);
    else
        buf_printf(text, "Value(%s,%u,%u,%s)", field, (unsigned)e->least, (unsigned)e->most, signs[e->sign]);
}

/* Quotes in it are two. */
static void put_quoted(struct buf *text, struct slice literal)
{
    buf_put_u8(text, '\'');
    for (size_t i = 0; i < literal.len; i++) {
        if (literal.data[i] == '\'')
            buf_put_u8(text, '\'');
        buf_put_u8(text, literal.data[i]);
    }
    buf_put_u8(text, '\'');
}

static bool show_element(struct java_run *run, const struct time_element *e, struct buf *text)
{
    static const char *const styles[][2] = { { "", ",FULL_STANDALONE" }, { ",SHORT", ",SHORT_STANDALONE" }, { ",NARROW", ",NARROW_STANDALONE" } };
    const char *field = chrono_field_text(e->field), *style = e->style == STYLE_FULL ? "FULL" : "SHORT";
    struct java_object literal = { .kind = J_STRING, .string = { e->units, e->len, 0, false } };
    struct slice utf8 = SLICE_EMPTY;

    if ((e->op == TIME_LITERAL || e->op == TIME_OFFSET) && !java_utf8(run, &literal, &utf8))
        return false;
    if (e->pad)
        buf_put_str(text, "Pad(");
    switch (e->op) {
    case TIME_LITERAL:
        if (e->len == 1 && e->units[0] == '\'')
            buf_put_str(text, "''");
        else
            put_quoted(text, utf8);
        break;
    case TIME_TEXT:
        buf_printf(text, "Text(%s%s)", field, styles[e->style][e->standalone]);
        break;
    case TIME_OFFSET:
        buf_printf(text, "Offset(%s,'%.*s')", time_offset_forms[e->most], SLICE_ARG(utf8));
        break;
    case TIME_LOCALIZED:
        buf_printf(text, "%s(%s)", e->region ? "ZoneText" : "LocalizedOffset", style);
        break;
    case TIME_ZONE:
        buf_put_str(text, "ZoneId()");
        break;
    case TIME_OPEN:
    case TIME_CLOSE:
        buf_put_u8(text, e->op == TIME_OPEN ? '[' : ']');
        break;
    default:
        show_number(text, e, field);
        break;
    }
    if (e->pad)
        buf_printf(text, ",%u)", (unsigned)e->pad);
    return true;
}

bool time_format_show(struct java_run *run, const struct time_format *format, struct buf *text)
{
    if (format->shown) {
        buf_put_str(text, format->shown);
        return true;
    }
    for (uint32_t i = 0; i < format->count; i++)
        if (!java_spend(run, 1) || !show_element(run, &format->elements[i], text))
            return false;
    return true;
}
