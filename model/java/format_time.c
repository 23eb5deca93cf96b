/* String.format of times, in UTC: %t and %T. */
#include "model/calendar.h"
#include "model/java/format.h"

struct moment {
    int64_t ms, day;
    struct civil date;
    int64_t year; /* of its era */
    int second, millisecond;
};

static const char *const months[] = { "January", "February", "March",     "April",   "May",      "June",
                                      "July",    "August",   "September", "October", "November", "December" };
static const char *const days[] = { "Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday" };

/* Those that stand for several. */
static const struct {
    char kind;
    const char *parts;
} together[] = { { 'R', "H:M" },   { 'T', "H:M:S" }, { 'r', "I:M:S #" },
                 { 'D', "m/d/y" }, { 'F', "Y-m-d" }, { 'c', "a b d T Z Y" } };

bool format_is_time(char kind)
{
    return kind && strchr("HIklMSLNpzZsQBbhAaCYyjmdeRTrDFc", kind);
}

static const char *parts_of(char kind)
{
    for (size_t i = 0; i < sizeof together / sizeof *together; i++)
        if (together[i].kind == kind)
            return together[i].parts;
    return NULL;
}

static void put_part(struct buf *text, const struct moment *m, char kind)
{
    int hour = m->second / 3600, twelve = hour % 12 ? hour % 12 : 12;
    const char *parts = parts_of(kind);

    for (; parts && *parts; parts++)
        if (*parts == '#')
            buf_put_str(text, hour < 12 ? "AM" : "PM");
        else if (strchr(":/- ", *parts))
            buf_put_u8(text, (uint8_t)*parts);
        else
            put_part(text, m, *parts);
    switch (kind) {
    case 'H':
        buf_printf(text, "%02d", hour);
        break;
    case 'k':
        buf_printf(text, "%d", hour);
        break;
    case 'I':
        buf_printf(text, "%02d", twelve);
        break;
    case 'l':
        buf_printf(text, "%d", twelve);
        break;
    case 'M':
        buf_printf(text, "%02d", m->second / 60 % 60);
        break;
    case 'S':
        buf_printf(text, "%02d", m->second % 60);
        break;
    case 'L':
        buf_printf(text, "%03d", m->millisecond);
        break;
    case 'N':
        buf_printf(text, "%03d000000", m->millisecond);
        break;
    case 'p':
        buf_put_str(text, hour < 12 ? "am" : "pm");
        break;
    case 'z':
        buf_put_str(text, "+0000");
        break;
    case 'Z':
        buf_put_str(text, "UTC");
        break;
    case 's':
        buf_printf(text, "%lld", (long long)(m->ms / 1000));
        break;
    case 'Q':
        buf_printf(text, "%lld", (long long)m->ms);
        break;
    case 'B':
        buf_put_str(text, months[m->date.month - 1]);
        break;
    case 'b':
    case 'h':
        buf_printf(text, "%.3s", months[m->date.month - 1]);
        break;
    case 'A':
        buf_put_str(text, days[floor_mod(m->day, 7)]);
        break;
    case 'a':
        buf_printf(text, "%.3s", days[floor_mod(m->day, 7)]);
        break;
    case 'C':
        buf_printf(text, "%02lld", (long long)(m->year / 100));
        break;
    case 'Y':
        buf_printf(text, "%04lld", (long long)m->year);
        break;
    case 'y':
        buf_printf(text, "%02lld", (long long)(m->year % 100));
        break;
    case 'j':
        buf_printf(text, "%03d", (int)(m->day - days_of_java((struct civil){ m->date.year, 1, 1 }) + 1));
        break;
    case 'm':
        buf_printf(text, "%02d", m->date.month);
        break;
    case 'd':
        buf_printf(text, "%02d", m->date.day);
        break;
    case 'e':
        buf_printf(text, "%d", m->date.day);
        break;
    default:
        break;
    }
}

bool format_put_time(struct java_run *run, struct buf *out, const struct conversion *c, const struct java_object *o)
{
    struct moment m = { .ms = o->value.i };
    struct buf text, utf16;

    if (o->kind != J_BOX_LONG && o->kind != J_DATE)
        return format_bad_class(run, c, o);
    m.day = floor_div(m.ms, MS_PER_DAY);
    m.date = java_of_days(m.day);
    m.year = m.date.year > 0 ? m.date.year : 1 - m.date.year;
    m.second = (int)(floor_mod(m.ms, MS_PER_DAY) / 1000);
    m.millisecond = (int)floor_mod(m.ms, 1000);
    buf_init(&text, run->ctx->arena);
    buf_init(&utf16, run->ctx->arena);
    put_part(&text, &m, c->kind);
    for (size_t i = 0; c->upper && i < text.len; i++)
        text.data[i] = (uint8_t)(text.data[i] >= 'a' && text.data[i] <= 'z' ? text.data[i] - 32 : text.data[i]);
    java_put_ascii(&utf16, (const char *)text.data, text.len);
    if (!java_ok(run, text.failed || utf16.failed ? fail_nomem(run->ctx) : WR_OK))
        return false;
    format_put_padded(out, c, &utf16);
    return true;
}
