/* Times as DATETIMEFORMAT has them, in the letters of Python's strftime and strptime, which are cqlsh's. English, and UTC where no zone is said. */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "copy.h"

enum { MICROSECONDS = 6, MONTHS = 12, DAYS = 7, NOON = 12 };

static const char *const months[MONTHS] = { "January", "February", "March",     "April",   "May",      "June",
                                            "July",    "August",   "September", "October", "November", "December" };
static const char *const days[DAYS] = { "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday" };
static const char *const halves[] = { "AM", "PM" };

/* A time in parts; what is read is put together from them. */
struct moment {
    struct tm tm;
    int ms, offset_s;
    int hour12; /* -1: none */
    bool is_pm;
};

bool copy_time_format_is_known(const char *format)
{
    for (; *format; format++)
        if (*format == '%' && (!*++format || !strchr("YymdHIMSfpbBaAzZ%", *format)))
            return false;
    return true;
}

/* ---- to text ---- */

static void put_number(struct text *t, int number, int digits)
{
    char out[16];
    snprintf(out, sizeof out, "%0*d", digits, number);
    text_put_str(t, out);
}

/* Behind a point, as cqlsh leaves of it what a timestamp has. */
static void put_fraction(struct text *t, int ms)
{
    put_number(t, ms, COPY_MILLISECONDS);
    if (t->len == COPY_MILLISECONDS || t->data[t->len - COPY_MILLISECONDS - 1] != '.')
        text_put_str(t, "000");
}

static void put_part(struct text *t, char letter, const struct moment *m)
{
    enum { SHORT_NAME = 3, TM_YEAR = 1900, CENTURY = 100 };
    const struct tm *tm = &m->tm;
    switch (letter) {
    case 'Y': put_number(t, tm->tm_year + TM_YEAR, 4); break;
    case 'y': put_number(t, (tm->tm_year + TM_YEAR) % CENTURY, 2); break;
    case 'm': put_number(t, tm->tm_mon + 1, 2); break;
    case 'd': put_number(t, tm->tm_mday, 2); break;
    case 'H': put_number(t, tm->tm_hour, 2); break;
    case 'I': put_number(t, tm->tm_hour % NOON ? tm->tm_hour % NOON : NOON, 2); break;
    case 'M': put_number(t, tm->tm_min, 2); break;
    case 'S': put_number(t, tm->tm_sec, 2); break;
    case 'f': put_fraction(t, m->ms); break;
    case 'p': text_put_str(t, halves[tm->tm_hour >= NOON]); break;
    case 'b': text_put(t, months[tm->tm_mon], SHORT_NAME); break;
    case 'B': text_put_str(t, months[tm->tm_mon]); break;
    case 'a': text_put(t, days[tm->tm_wday], SHORT_NAME); break;
    case 'A': text_put_str(t, days[tm->tm_wday]); break;
    case 'z': text_put_str(t, "+0000"); break;
    case 'Z': text_put_str(t, "UTC"); break;
    default: text_put(t, &letter, 1); break;
    }
}

void copy_write_time(struct text *t, const char *format, int64_t ms)
{
    struct moment m = { .ms = (int)(ms % 1000) };
    if (!*format || ms < TIMESTAMP_FIRST_MS || ms > TIMESTAMP_LAST_MS) {
        text_put_timestamp(t, ms, COPY_MILLISECONDS);
        return;
    }
    m.ms += m.ms < 0 ? 1000 : 0;
    time_t seconds = (time_t)((ms - m.ms) / 1000);
    gmtime_r(&seconds, &m.tm);
    for (; *format; format++) {
        if (*format == '%')
            put_part(t, *++format, &m);
        else
            text_put(t, format, 1);
    }
}

/* ---- from text ---- */

struct span {
    const char *at, *end;
};

static bool take_digits(struct span *s, int least, int most, int *out)
{
    int count = 0, number = 0;
    for (; count < most && s->at < s->end && *s->at >= '0' && *s->at <= '9'; count++)
        number = number * 10 + (*s->at++ - '0');
    *out = number;
    return count >= least;
}

/* One of so many names, of each so many letters; 0: all. */
static bool take_name(struct span *s, const char *const *names, int count, size_t letters, int *out)
{
    for (int i = 0; i < count; i++) {
        size_t len = letters ? letters : strlen(names[i]);
        if ((size_t)(s->end - s->at) < len || strncasecmp(s->at, names[i], len) != 0)
            continue;
        s->at += len;
        *out = i;
        return true;
    }
    return false;
}

static bool take_fraction(struct span *s, int *ms)
{
    const char *begin = s->at;
    int number;
    if (!take_digits(s, 1, MICROSECONDS, &number))
        return false;
    for (int digits = (int)(s->at - begin); digits < MICROSECONDS; digits++)
        number *= 10;
    *ms = number / 1000;
    return true;
}

static bool take_offset(struct span *s, int *offset_s)
{
    int hours, minutes, sign;
    if (s->at < s->end && *s->at == 'Z') {
        s->at++;
        return true;
    }
    if (s->at == s->end || (*s->at != '+' && *s->at != '-'))
        return false;
    sign = *s->at++ == '-' ? -1 : 1;
    if (!take_digits(s, 2, 2, &hours))
        return false;
    s->at += s->at < s->end && *s->at == ':';
    if (!take_digits(s, 2, 2, &minutes) || minutes > 59)
        return false;
    *offset_s = sign * (hours * 60 + minutes) * 60;
    return true;
}

/* Two digits are of the years from 1969 to 2068. */
static bool take_short_year(struct span *s, int *tm_year)
{
    enum { FIRST_OF_1900S = 69, CENTURY = 100 };
    int year;
    if (!take_digits(s, 2, 2, &year))
        return false;
    *tm_year = year < FIRST_OF_1900S ? year + CENTURY : year;
    return true;
}

static bool take_part(struct span *s, char letter, struct moment *m)
{
    enum { SHORT_NAME = 3, TM_YEAR = 1900 };
    static const char *const zones[] = { "UTC", "GMT" };
    struct tm *tm = &m->tm;
    int ignored, half;
    bool taken;
    switch (letter) {
    case 'Y': taken = take_digits(s, 4, 4, &tm->tm_year); tm->tm_year -= TM_YEAR; return taken;
    case 'y': return take_short_year(s, &tm->tm_year);
    case 'm': taken = take_digits(s, 1, 2, &tm->tm_mon); tm->tm_mon--; return taken;
    case 'd': return take_digits(s, 1, 2, &tm->tm_mday);
    case 'H': return take_digits(s, 1, 2, &tm->tm_hour);
    case 'I': return take_digits(s, 1, 2, &m->hour12) && m->hour12 >= 1 && m->hour12 <= NOON;
    case 'M': return take_digits(s, 1, 2, &tm->tm_min);
    case 'S': return take_digits(s, 1, 2, &tm->tm_sec);
    case 'f': return take_fraction(s, &m->ms);
    case 'p': taken = take_name(s, halves, 2, 0, &half); m->is_pm = taken && half; return taken;
    case 'b': return take_name(s, months, MONTHS, SHORT_NAME, &tm->tm_mon);
    case 'B': return take_name(s, months, MONTHS, 0, &tm->tm_mon);
    case 'a': return take_name(s, days, DAYS, SHORT_NAME, &ignored);
    case 'A': return take_name(s, days, DAYS, 0, &ignored);
    case 'z': return take_offset(s, &m->offset_s);
    case 'Z': return take_name(s, zones, 2, 0, &ignored);
    default: return s->at < s->end && *s->at++ == letter;
    }
}

static bool take_all(struct span *s, const char *format, struct moment *m)
{
    for (; *format; format++) {
        if (*format == '%' ? !take_part(s, *++format, m) : s->at == s->end || *s->at++ != *format)
            return false;
    }
    return s->at == s->end;
}

bool copy_read_time(const char *format, const char *text, size_t len, int64_t *ms)
{
    struct moment m = { .tm = { .tm_year = 0, .tm_mday = 1 }, .hour12 = -1 };
    struct span s = { text, text + len };
    if (!*format || !take_all(&s, format, &m))
        return false;
    if (m.hour12 >= 0)
        m.tm.tm_hour = m.hour12 % NOON + (m.is_pm ? NOON : 0);
    struct tm tm = m.tm; /* what is beyond a part's end, as the 30th of February, comes back as something else */
    time_t seconds = timegm(&tm);
    if (tm.tm_mon != m.tm.tm_mon || tm.tm_mday != m.tm.tm_mday || tm.tm_hour != m.tm.tm_hour || tm.tm_min != m.tm.tm_min || tm.tm_sec != m.tm.tm_sec)
        return false;
    *ms = ((int64_t)seconds - m.offset_s) * 1000 + m.ms;
    return true;
}
