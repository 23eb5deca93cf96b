/* String.format of times: %t and %T, of milliseconds in UTC and of java.time. */
#include "model/calendar.h"
#include "model/java/format.h"
#include "model/java/temporal.h"

enum number {
    HOUR,
    HOUR_OF_HALF,
    MINUTE,
    SECOND,
    MILLISECOND,
    NANOSECOND,
    SECONDS, /* since 1970, as the next */
    MILLISECONDS,
    CENTURY,
    YEAR,
    YEAR_OF_CENTURY,
    MONTH,
    DAY,
    DAY_OF_YEAR,
    NUMBERS
};

enum name { HALF, OFFSET, ZONE, MONTH_NAME, DAY_NAME, NAMES };

struct moment {
    int64_t numbers[NUMBERS];
    const char *names[NAMES];
    uint32_t no_numbers, no_names; /* by bits: what it does not have */
};

static const char *const months[] = { "January", "February", "March",     "April",   "May",      "June",
                                      "July",    "August",   "September", "October", "November", "December" };
static const char *const days[] = { "Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday" };

/* What a letter stands for: a number of at least so many digits, so many letters of a name (0: all), or several letters with what is
 * between them, where # is p in capitals. */
static const struct part {
    char kind;
    enum { IS_NUMBER, IS_NAME, IS_SEVERAL } is;
    int which, width;
    const char *parts;
} parts[] = {
    { 'H', IS_NUMBER, HOUR, 2, NULL },
    { 'k', IS_NUMBER, HOUR, 1, NULL },
    { 'I', IS_NUMBER, HOUR_OF_HALF, 2, NULL },
    { 'l', IS_NUMBER, HOUR_OF_HALF, 1, NULL },
    { 'M', IS_NUMBER, MINUTE, 2, NULL },
    { 'S', IS_NUMBER, SECOND, 2, NULL },
    { 'L', IS_NUMBER, MILLISECOND, 3, NULL },
    { 'N', IS_NUMBER, NANOSECOND, 9, NULL },
    { 's', IS_NUMBER, SECONDS, 1, NULL },
    { 'Q', IS_NUMBER, MILLISECONDS, 1, NULL },
    { 'C', IS_NUMBER, CENTURY, 2, NULL },
    { 'Y', IS_NUMBER, YEAR, 4, NULL },
    { 'y', IS_NUMBER, YEAR_OF_CENTURY, 2, NULL },
    { 'm', IS_NUMBER, MONTH, 2, NULL },
    { 'd', IS_NUMBER, DAY, 2, NULL },
    { 'e', IS_NUMBER, DAY, 1, NULL },
    { 'j', IS_NUMBER, DAY_OF_YEAR, 3, NULL },
    { 'p', IS_NAME, HALF, 0, NULL },
    { 'z', IS_NAME, OFFSET, 0, NULL },
    { 'Z', IS_NAME, ZONE, 0, NULL },
    { 'B', IS_NAME, MONTH_NAME, 0, NULL },
    { 'b', IS_NAME, MONTH_NAME, 3, NULL },
    { 'h', IS_NAME, MONTH_NAME, 3, NULL },
    { 'A', IS_NAME, DAY_NAME, 0, NULL },
    { 'a', IS_NAME, DAY_NAME, 3, NULL },
    { 'R', IS_SEVERAL, 0, 0, "H:M" },
    { 'T', IS_SEVERAL, 0, 0, "H:M:S" },
    { 'r', IS_SEVERAL, 0, 0, "I:M:S #" },
    { 'D', IS_SEVERAL, 0, 0, "m/d/y" },
    { 'F', IS_SEVERAL, 0, 0, "Y-m-d" },
    { 'c', IS_SEVERAL, 0, 0, "a b d T Z Y" },
};

static const struct part *part_of(char kind)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].kind == kind)
            return &parts[i];
    return NULL;
}

bool format_is_time(char kind)
{
    return part_of(kind) != NULL;
}

static struct moment moment_of(int64_t ms)
{
    int64_t day = floor_div(ms, MS_PER_DAY), of_day = floor_mod(ms, MS_PER_DAY), hour = of_day / 3600000;
    struct civil date = java_of_days(day);
    int64_t of_era = date.year > 0 ? date.year : 1 - date.year;

    return (struct moment){
        .numbers = { [HOUR] = hour, [HOUR_OF_HALF] = hour % 12 ? hour % 12 : 12, [MINUTE] = of_day / 60000 % 60,
                     [SECOND] = of_day / 1000 % 60, [MILLISECOND] = of_day % 1000, [NANOSECOND] = of_day % 1000 * 1000000,
                     [SECONDS] = ms / 1000, [MILLISECONDS] = ms, [CENTURY] = of_era / 100, [YEAR] = of_era,
                     [YEAR_OF_CENTURY] = of_era % 100, [MONTH] = date.month, [DAY] = date.day,
                     [DAY_OF_YEAR] = day - days_of_java((struct civil){ date.year, 1, 1 }) + 1 },
        .names = { [HALF] = hour < 12 ? "am" : "pm", [OFFSET] = "+0000", [ZONE] = "UTC", [MONTH_NAME] = months[date.month - 1],
                   [DAY_NAME] = days[floor_mod(day, 7)] },
    };
}

/* What a point in time has of it. */
static bool moment_of_temporal(struct java_run *run, const struct java_object *o, struct moment *m)
{
    static const uint8_t fields[NUMBERS] = {
        [HOUR] = CHRONO_HOUR_OF_DAY,        [HOUR_OF_HALF] = CHRONO_CLOCK_HOUR_OF_AMPM, [MINUTE] = CHRONO_MINUTE_OF_HOUR,
        [SECOND] = CHRONO_SECOND_OF_MINUTE, [MILLISECOND] = CHRONO_MILLI_OF_SECOND,     [NANOSECOND] = CHRONO_NANO_OF_SECOND,
        [SECONDS] = CHRONO_INSTANT_SECONDS, [MILLISECONDS] = CHRONO_INSTANT_SECONDS,    [CENTURY] = CHRONO_YEAR_OF_ERA,
        [YEAR] = CHRONO_YEAR_OF_ERA,        [YEAR_OF_CENTURY] = CHRONO_YEAR_OF_ERA,     [MONTH] = CHRONO_MONTH_OF_YEAR,
        [DAY] = CHRONO_DAY_OF_MONTH,        [DAY_OF_YEAR] = CHRONO_DAY_OF_YEAR,
    };
    struct buf text;

    *m = (struct moment){ .no_names = (1u << NAMES) - 1 };
    for (int i = 0; i < NUMBERS; i++)
        if (temporal_has(o, (enum chrono_field)fields[i]))
            m->numbers[i] = temporal_field(o, (enum chrono_field)fields[i]);
        else
            m->no_numbers |= 1u << i;
    m->numbers[MILLISECONDS] = (int64_t)((uint64_t)m->numbers[SECONDS] * 1000u + (uint64_t)m->numbers[MILLISECOND]);
    m->numbers[CENTURY] /= 100;
    m->numbers[YEAR_OF_CENTURY] %= 100;
    if (!(m->no_numbers & 1u << HOUR)) {
        m->names[HALF] = m->numbers[HOUR] < 12 ? "am" : "pm";
        m->no_names &= ~(1u << HALF);
    }
    if (!(m->no_numbers & 1u << MONTH)) {
        m->names[MONTH_NAME] = months[m->numbers[MONTH] - 1];
        m->no_names &= ~(1u << MONTH_NAME);
    }
    if (temporal_has(o, CHRONO_DAY_OF_WEEK)) {
        m->names[DAY_NAME] = days[(temporal_field(o, CHRONO_DAY_OF_WEEK) + 3) % 7];
        m->no_names &= ~(1u << DAY_NAME);
    }
    if (!temporal_has(o, CHRONO_OFFSET_SECONDS))
        return true;
    int32_t offset_s = (int32_t)temporal_field(o, CHRONO_OFFSET_SECONDS), minutes = (offset_s < 0 ? -offset_s : offset_s) / 60;
    m->no_names &= ~(1u << OFFSET | 1u << ZONE);
    buf_init(&text, run->ctx->arena);
    buf_printf(&text, "%c%02d%02d", offset_s < 0 ? '-' : '+', (int)(minutes / 60), (int)(minutes % 60));
    buf_put_u8(&text, 0);
    size_t zone_at = text.len;
    struct java_object *printed;
    struct slice id;
    if (o->when.zone && o->when.zone->kind == J_ZONE_REGION) {
        if (!java_print_to(run, o->when.zone, &printed) || !java_utf8(run, printed, &id))
            return false;
        buf_put_slice(&text, slice_eq_str(id, "Etc/UTC") ? SLICE_LIT("UTC") : id);
    } else {
        chrono_put_offset(&text, offset_s);
    }
    buf_put_u8(&text, 0);
    if (!java_ok(run, text.failed ? fail_nomem(run->ctx) : WR_OK))
        return false;
    m->names[OFFSET] = (const char *)text.data;
    m->names[ZONE] = (const char *)text.data + zone_at;
    return true;
}

/* The letter of what the moment does not have; 0: it is put. */
static char put_part(struct buf *text, const struct moment *m, const struct part *part)
{
    char missing = 0;
    if (part->is == IS_NUMBER ? m->no_numbers >> part->which & 1 : part->is == IS_NAME && m->no_names >> part->which & 1)
        return part->kind;
    if (part->is == IS_NUMBER)
        buf_printf(text, "%0*lld", part->width, (long long)m->numbers[part->which]);
    else if (part->is == IS_NAME)
        buf_put(text, m->names[part->which], part->width ? (size_t)part->width : strlen(m->names[part->which]));
    for (const char *at = part->parts; at && *at && !missing; at++)
        if (*at == '#')
            buf_put_str(text, m->numbers[HOUR] < 12 ? "AM" : "PM");
        else if (part_of(*at))
            missing = put_part(text, m, part_of(*at));
        else
            buf_put_u8(text, (uint8_t)*at);
    return missing;
}

bool format_put_time(struct java_run *run, struct buf *out, const struct conversion *c, const struct java_object *o)
{
    struct conversion missing = *c;
    struct buf text, utf16;
    struct moment m;

    if (java_kind_extends(o->kind, J_TEMPORAL_ACCESSOR)) {
        if (!moment_of_temporal(run, o, &m))
            return false;
    } else if (o->kind == J_BOX_LONG || o->kind == J_DATE) {
        m = moment_of(o->value.i);
    } else {
        return format_bad_class(run, c, o);
    }
    buf_init(&text, run->ctx->arena);
    buf_init(&utf16, run->ctx->arena);
    if ((missing.kind = put_part(&text, &m, part_of(c->kind))))
        return format_bad_class(run, &missing, o);
    for (size_t i = 0; c->upper && i < text.len; i++)
        text.data[i] = (uint8_t)(text.data[i] >= 'a' && text.data[i] <= 'z' ? text.data[i] - 32 : text.data[i]);
    java_put_ascii(&utf16, (const char *)text.data, text.len);
    if (!java_ok(run, text.failed || utf16.failed ? fail_nomem(run->ctx) : WR_OK))
        return false;
    format_put_padded(out, c, &utf16);
    return true;
}
