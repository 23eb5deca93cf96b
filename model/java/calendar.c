/* java.util: Calendar and GregorianCalendar; a Date's own fields. Weeks begin on Sunday unless it is said otherwise, and the year's first is that of January 1, as
 * where a server's locale is English. */
#include "model/java/calendar.h"

#include "engine/clock.h"
#include "model/calendar.h"
#include "model/java/object_ops.h"

/* ---- weeks and days ---- */

enum { SUNDAY = 1, DAYS_A_WEEK = 7, DAY_OF_EPOCH = 5 /* a Thursday */ };

static int64_t day_of_week(int64_t day)
{
    return floor_mod(day + DAY_OF_EPOCH - 1, DAYS_A_WEEK) + 1;
}

static int64_t on_or_before(int64_t day, int64_t of_week)
{
    return day - floor_mod(day_of_week(day) - of_week, DAYS_A_WEEK);
}

static int32_t first_of_week(const struct calendar *c)
{
    return c->first_of_week ? c->first_of_week : SUNDAY;
}

static int32_t least_in_week(const struct calendar *c)
{
    return c->least_in_week ? c->least_in_week : 1;
}

/* When the first week of a year or month that begins on that day does: it has so many of its days at least. */
static int64_t first_week(const struct calendar *c, int64_t first)
{
    int64_t begin = on_or_before(first + DAYS_A_WEEK - 1, first_of_week(c));
    return begin - first >= least_in_week(c) ? begin - DAYS_A_WEEK : begin;
}

static int64_t week_number(const struct calendar *c, int64_t first, int64_t day)
{
    return floor_div(day - first_week(c, first), DAYS_A_WEEK) + 1;
}

static int64_t new_year(int64_t year)
{
    return days_of_java((struct civil){ year, 1, 1 });
}

/* A day before the year's first week is in the last one of the year before, and one of the next year's first week is in that. */
static int64_t week_of_year(const struct calendar *c, int64_t year, int64_t day)
{
    if (day < first_week(c, new_year(year)))
        return week_number(c, new_year(year - 1), day);
    return day >= first_week(c, new_year(year + 1)) ? 1 : week_number(c, new_year(year), day);
}

/* ---- a time's fields, and back ---- */

/* As Java adds and multiplies. */
static int64_t wrapped(int64_t a, int64_t times, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)times + (uint64_t)b);
}

static void compute_fields(struct calendar *c)
{
    int64_t local = wrapped(c->ms, 1, c->zone->zone.offset_ms), day = floor_div(local, MS_PER_DAY), ms = floor_mod(local, MS_PER_DAY);
    struct civil date = java_of_days(day);
    int64_t month = days_of_java((struct civil){ date.year, date.month, 1 }); /* a day of it may be less far than its number: one lacks ten */
    int64_t *f = c->fields;

    f[FIELD_ERA] = date.year > 0;
    f[FIELD_YEAR] = date.year > 0 ? date.year : 1 - date.year;
    f[FIELD_MONTH] = date.month - 1;
    f[FIELD_DAY] = date.day;
    f[FIELD_DAY_OF_YEAR] = day - new_year(date.year) + 1;
    f[FIELD_DAY_OF_WEEK] = day_of_week(day);
    f[FIELD_DAY_OF_WEEK_IN_MONTH] = (day - month) / DAYS_A_WEEK + 1;
    f[FIELD_WEEK_OF_MONTH] = week_number(c, month, day);
    f[FIELD_WEEK_OF_YEAR] = week_of_year(c, date.year, day);
    f[FIELD_HOUR_OF_DAY] = ms / 3600000;
    f[FIELD_HOUR] = f[FIELD_HOUR_OF_DAY] % 12;
    f[FIELD_AM_PM] = f[FIELD_HOUR_OF_DAY] / 12;
    f[FIELD_MINUTE] = ms / 60000 % 60;
    f[FIELD_SECOND] = ms / 1000 % 60;
    f[FIELD_MILLISECOND] = ms % 1000;
    f[FIELD_ZONE_OFFSET] = c->zone->zone.offset_ms;
    f[FIELD_DST_OFFSET] = 0;
    for (int i = 0; i < JAVA_CALENDAR_FIELDS; i++)
        c->stamps[i] = COMPUTED;
    c->stamp = COMPUTED;
    c->behind = false;
}

void java_calendar_set_time(struct calendar *c, int64_t ms)
{
    c->ms = ms;
    compute_fields(c);
}

/* When a date of two fields was told: with the later of them; 0: one of them was not. */
static uint32_t both(uint32_t a, uint32_t b)
{
    return !a || !b ? 0 : a > b ? a : b;
}

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The field by which the day is told: that set last counts (Calendar.selectFields). */
static enum calendar_field telling_day(const struct calendar *c)
{
    const uint32_t *s = c->stamps;
    uint32_t week = s[FIELD_DAY_OF_WEEK], day = s[FIELD_DAY], of_month = both(s[FIELD_WEEK_OF_MONTH], week),
             in_month = both(s[FIELD_DAY_OF_WEEK_IN_MONTH], week), of_year = both(s[FIELD_WEEK_OF_YEAR], week), of_days = s[FIELD_DAY_OF_YEAR];
    uint32_t best = later(later(day, of_month), later(in_month, later(of_days, of_year)));

    if (!best) {
        of_month = s[FIELD_WEEK_OF_MONTH];
        in_month = later(s[FIELD_DAY_OF_WEEK_IN_MONTH], week);
        of_year = s[FIELD_WEEK_OF_YEAR];
        best = later(of_month, later(in_month, of_year));
        if (!best)
            best = day = s[FIELD_MONTH];
    }
    if (best == day)
        return FIELD_DAY;
    if (best == of_month && s[FIELD_WEEK_OF_MONTH] >= s[FIELD_WEEK_OF_YEAR] &&
        (of_month != in_month || s[FIELD_WEEK_OF_MONTH] >= s[FIELD_DAY_OF_WEEK_IN_MONTH]))
        return FIELD_WEEK_OF_MONTH;
    if (best == in_month && s[FIELD_DAY_OF_WEEK_IN_MONTH] >= s[FIELD_WEEK_OF_YEAR])
        return FIELD_DAY_OF_WEEK_IN_MONTH;
    return best == of_days ? FIELD_DAY_OF_YEAR : FIELD_WEEK_OF_YEAR;
}

static int64_t field_or(const struct calendar *c, enum calendar_field field, int64_t otherwise)
{
    return c->stamps[field] ? c->fields[field] : otherwise;
}

static int64_t told_day(const struct calendar *c)
{
    int64_t year = field_or(c, FIELD_YEAR, 1970), month = field_or(c, FIELD_MONTH, 0), of_week = field_or(c, FIELD_DAY_OF_WEEK, first_of_week(c));
    enum calendar_field by = telling_day(c);

    if (c->stamps[FIELD_ERA] && !c->fields[FIELD_ERA])
        year = 1 - year;
    if (by == FIELD_DAY_OF_YEAR)
        return new_year(year) + c->fields[FIELD_DAY_OF_YEAR] - 1;
    if (by == FIELD_WEEK_OF_YEAR)
        return on_or_before(first_week(c, new_year(year)) + DAYS_A_WEEK - 1, of_week) + DAYS_A_WEEK * (field_or(c, FIELD_WEEK_OF_YEAR, 1) - 1);
    year += floor_div(month, 12);
    int in_year = (int)floor_mod(month, 12) + 1;
    int64_t first = days_of_java((struct civil){ year, in_year, 1 });
    if (by == FIELD_DAY) {
        int64_t day = field_or(c, FIELD_DAY, 1);
        bool has = day > 0 && day <= days_of_java_month(year, in_year); /* told by itself, for one month lacks ten days */
        return has ? days_of_java((struct civil){ year, in_year, (int)day }) : first + day - 1;
    }
    if (by == FIELD_WEEK_OF_MONTH)
        return on_or_before(first_week(c, first) + DAYS_A_WEEK - 1, of_week) + DAYS_A_WEEK * (c->fields[FIELD_WEEK_OF_MONTH] - 1);
    int64_t nth = field_or(c, FIELD_DAY_OF_WEEK_IN_MONTH, 1);
    return nth >= 0 ? on_or_before(first + DAYS_A_WEEK * nth - 1, of_week)
                    : on_or_before(first + days_of_java_month(year, in_year) + DAYS_A_WEEK * (nth + 1) - 1, of_week);
}

static int64_t told_hours(const struct calendar *c)
{
    uint32_t whole = c->stamps[FIELD_HOUR_OF_DAY], half = both(c->stamps[FIELD_HOUR], c->stamps[FIELD_AM_PM]), best = later(whole, half);
    if (!best)
        best = later(c->stamps[FIELD_HOUR], c->stamps[FIELD_AM_PM]);
    if (!best || best == whole)
        return best ? c->fields[FIELD_HOUR_OF_DAY] : 0;
    return field_or(c, FIELD_HOUR, 0) + 12 * field_or(c, FIELD_AM_PM, 0);
}

int64_t java_calendar_time(struct calendar *c)
{
    if (!c->behind)
        return c->ms;
    int64_t ms = ((told_hours(c) * 60 + field_or(c, FIELD_MINUTE, 0)) * 60 + field_or(c, FIELD_SECOND, 0)) * 1000 + field_or(c, FIELD_MILLISECOND, 0);
    int64_t offset = c->stamps[FIELD_ZONE_OFFSET] > COMPUTED ? c->fields[FIELD_ZONE_OFFSET] : c->zone->zone.offset_ms;
    offset += c->stamps[FIELD_DST_OFFSET] > COMPUTED ? c->fields[FIELD_DST_OFFSET] : 0;
    java_calendar_set_time(c, wrapped(told_day(c), MS_PER_DAY, ms - offset));
    return c->ms;
}

void java_calendar_set(struct calendar *c, enum calendar_field field, int64_t value)
{
    c->fields[field] = value;
    c->stamps[field] = ++c->stamp;
    c->behind = true;
}

void java_calendar_clear(struct calendar *c)
{
    memset(c->fields, 0, sizeof c->fields);
    memset(c->stamps, 0, sizeof c->stamps);
    c->stamp = COMPUTED;
    c->behind = true;
}

/* ---- Calendar ---- */

/* Of calls that name several. */
static const enum calendar_field in_order[] = { FIELD_YEAR, FIELD_MONTH, FIELD_DAY, FIELD_HOUR_OF_DAY, FIELD_MINUTE, FIELD_SECOND };

JAVA_CALL(calendar_new)
{
    struct java_object *zone = method->args[0] == J_TIME_ZONE ? args[0].o : NULL;
    struct clock clock;
    JAVA_UNUSED;

    if ((method->args[0] == J_TIME_ZONE && !java_check_argument(run, zone)) || (!zone && !java_zone_new(run, SLICE_LIT("Etc/UTC"), &zone)) ||
        !(out->o = java_new(run, J_GREGORIAN)) || !(out->o->calendar = java_alloc(run, sizeof *out->o->calendar)))
        return false;
    struct calendar *c = out->o->calendar;
    c->zone = zone;
    clock_init(&clock);
    java_calendar_set_time(c, clock_now_us(&clock) / 1000);
    if (method->args[0] != J_INT)
        return true;
    java_calendar_clear(c);
    for (unsigned i = 0; i < java_method_arity(method); i++)
        java_calendar_set(c, in_order[i], args[i].i);
    return true;
}

static bool check_field(struct java_run *run, int64_t field)
{
    return (field >= 0 && field < JAVA_CALENDAR_FIELDS) ||
           java_throw(run, J_ARRAY_INDEX, "Index %d out of bounds for length %d", (int)field, (int)JAVA_CALENDAR_FIELDS);
}

JAVA_CALL(calendar_get)
{
    JAVA_UNUSED;
    if (!check_field(run, args[0].i))
        return false;
    (void)java_calendar_time(self->o->calendar);
    out->i = self->o->calendar->fields[args[0].i];
    return true;
}

JAVA_CALL(calendar_set)
{
    JAVA_UNUSED;
    if (!method->args[2]) {
        if (!check_field(run, args[0].i))
            return false;
        java_calendar_set(self->o->calendar, (enum calendar_field)args[0].i, args[1].i);
        return true;
    }
    for (unsigned i = 0; i < java_method_arity(method); i++)
        java_calendar_set(self->o->calendar, in_order[i], args[i].i);
    return true;
}

JAVA_CALL(calendar_clear)
{
    JAVA_UNUSED;
    if (method->args[0]) {
        if (!check_field(run, args[0].i))
            return false;
        (void)java_calendar_time(self->o->calendar);
        self->o->calendar->fields[args[0].i] = 0;
        self->o->calendar->stamps[args[0].i] = 0;
        self->o->calendar->behind = true;
        return true;
    }
    java_calendar_clear(self->o->calendar);
    return true;
}

/* Milliseconds that one of a field is; 0: its length varies. */
static int64_t length_of(enum calendar_field field)
{
    static const int64_t lengths[JAVA_CALENDAR_FIELDS] = {
        [FIELD_WEEK_OF_YEAR] = DAYS_A_WEEK * MS_PER_DAY, [FIELD_WEEK_OF_MONTH] = DAYS_A_WEEK * MS_PER_DAY,
        [FIELD_DAY_OF_WEEK_IN_MONTH] = DAYS_A_WEEK * MS_PER_DAY, [FIELD_DAY] = MS_PER_DAY, [FIELD_DAY_OF_YEAR] = MS_PER_DAY,
        [FIELD_DAY_OF_WEEK] = MS_PER_DAY, [FIELD_AM_PM] = MS_PER_DAY / 2, [FIELD_HOUR] = 3600000, [FIELD_HOUR_OF_DAY] = 3600000,
        [FIELD_MINUTE] = 60000, [FIELD_SECOND] = 1000, [FIELD_MILLISECOND] = 1,
    };
    return lengths[field];
}

JAVA_CALL(calendar_add)
{
    struct calendar *c = self->o->calendar;
    JAVA_UNUSED;
    if (!args[1].i)
        return true;
    if (args[0].i < 0 || args[0].i >= FIELD_ZONE_OFFSET)
        return java_throw(run, J_ILLEGAL_ARGUMENT, NULL);
    enum calendar_field field = (enum calendar_field)args[0].i;
    int64_t ms = java_calendar_time(c);
    if (length_of(field)) {
        java_calendar_set_time(c, wrapped(args[1].i, length_of(field), ms));
    } else if (field != FIELD_ERA) { /* a day that the month does not have becomes its last */
        int64_t year = c->fields[FIELD_ERA] ? c->fields[FIELD_YEAR] : 1 - c->fields[FIELD_YEAR];
        int64_t months = year * 12 + c->fields[FIELD_MONTH] + args[1].i * (field == FIELD_YEAR ? 12 : 1),
                in_day = floor_mod(wrapped(ms, 1, c->zone->zone.offset_ms), MS_PER_DAY);
        struct civil date = { floor_div(months, 12), (int)floor_mod(months, 12) + 1, (int)c->fields[FIELD_DAY] };
        int most = days_of_java_month(date.year, date.month);
        date.day = date.day > most ? most : date.day;
        java_calendar_set_time(c, wrapped(days_of_java(date), MS_PER_DAY, in_day - c->zone->zone.offset_ms));
    }
    return true;
}

enum { CALENDAR_MS, CALENDAR_DATE, CALENDAR_ZONE };

JAVA_CALL(calendar_time)
{
    JAVA_UNUSED;
    if (method->variant == CALENDAR_ZONE) {
        out->o = self->o->calendar->zone;
        return true;
    }
    int64_t ms = java_calendar_time(self->o->calendar);
    if (method->variant == CALENDAR_MS) {
        out->i = ms;
        return true;
    }
    if (!(out->o = java_new(run, J_DATE)))
        return false;
    out->o->value.i = ms;
    return true;
}

JAVA_CALL(calendar_set_time)
{
    JAVA_UNUSED;
    if (method->args[0] != J_LONG && !args[0].o)
        return java_throw(run, J_NULL_POINTER, "date must not be null");
    java_calendar_set_time(self->o->calendar, method->args[0] == J_LONG ? args[0].i : args[0].o->value.i);
    return true;
}

JAVA_CALL(calendar_set_zone)
{
    JAVA_UNUSED;
    int64_t ms = java_calendar_time(self->o->calendar);
    if (!java_check_argument(run, args[0].o))
        return false;
    self->o->calendar->zone = args[0].o;
    java_calendar_set_time(self->o->calendar, ms);
    return true;
}

enum { CALENDAR_BEFORE, CALENDAR_AFTER };

JAVA_CALL(calendar_order)
{
    JAVA_UNUSED;
    out->i = false;
    if (!args[0].o || !java_kind_extends(args[0].o->kind, J_CALENDAR))
        return true;
    int64_t a = java_calendar_time(self->o->calendar), b = java_calendar_time(args[0].o->calendar);
    out->i = method->variant == CALENDAR_BEFORE ? a < b : a > b;
    return true;
}

JAVA_CALL(calendar_is_leap)
{
    JAVA_UNUSED;
    out->i = days_of_java_month(args[0].i, 2) == 29;
    return true;
}

JAVA_CALL(calendar_least)
{
    JAVA_UNUSED;
    if (!check_field(run, args[0].i))
        return false;
    out->i = args[0].i == FIELD_YEAR || (args[0].i >= FIELD_WEEK_OF_YEAR && args[0].i <= FIELD_DAY_OF_WEEK_IN_MONTH);
    return true;
}

/* The greatest that a field may be just now. */
JAVA_CALL(calendar_most)
{
    static const int16_t most[JAVA_CALENDAR_FIELDS] = { [FIELD_ERA] = 1, [FIELD_MONTH] = 11, [FIELD_DAY_OF_WEEK] = 7, [FIELD_AM_PM] = 1,
                                                        [FIELD_HOUR] = 11, [FIELD_HOUR_OF_DAY] = 23, [FIELD_MINUTE] = 59, [FIELD_SECOND] = 59,
                                                        [FIELD_MILLISECOND] = 999 };
    struct calendar *c = self->o->calendar;
    JAVA_UNUSED;
    if (!check_field(run, args[0].i))
        return false;
    (void)java_calendar_time(c);
    int64_t year = c->fields[FIELD_ERA] ? c->fields[FIELD_YEAR] : 1 - c->fields[FIELD_YEAR];
    int month = (int)c->fields[FIELD_MONTH] + 1, days = days_of_java_month(year, month);
    int64_t first = days_of_java((struct civil){ year, month, 1 });
    switch ((enum calendar_field)args[0].i) {
    case FIELD_DAY:
        out->i = days;
        return true;
    case FIELD_DAY_OF_YEAR:
        out->i = new_year(year + 1) - new_year(year);
        return true;
    case FIELD_WEEK_OF_MONTH:
        out->i = week_number(c, first, first + days - 1);
        return true;
    case FIELD_WEEK_OF_YEAR:
        out->i = week_number(c, new_year(year), first_week(c, new_year(year + 1)) - 1);
        return true;
    default:
        out->i = most[args[0].i];
        return out->i || java_throw(run, J_UNSUPPORTED, "the greatest value of that field is not supported here");
    }
}

enum { WEEKS_FIRST_DAY, WEEKS_LEAST_DAYS };

JAVA_CALL(calendar_weeks)
{
    JAVA_UNUSED;
    out->i = method->variant == WEEKS_FIRST_DAY ? first_of_week(self->o->calendar) : least_in_week(self->o->calendar);
    return true;
}

JAVA_CALL(calendar_set_weeks)
{
    struct calendar *c = self->o->calendar;
    JAVA_UNUSED;
    (void)out;
    *(method->variant == WEEKS_FIRST_DAY ? &c->first_of_week : &c->least_in_week) = (int32_t)args[0].i;
    if (!c->behind)
        compute_fields(c);
    return true;
}

JAVA_CALL(calendar_is_set)
{
    JAVA_UNUSED;
    if (!check_field(run, args[0].i))
        return false;
    out->i = self->o->calendar->stamps[args[0].i] != 0;
    return true;
}

/* ---- Date's own fields, in UTC ---- */

JAVA_CALL(date_field)
{
    static struct java_object utc = { .kind = J_TIME_ZONE };
    struct calendar c = { .zone = &utc };
    JAVA_UNUSED;
    java_calendar_set_time(&c, self->o->value.i);
    out->i = c.fields[method->variant] - (method->variant == FIELD_YEAR ? 1900 : method->variant == FIELD_DAY_OF_WEEK);
    return true;
}

JAVA_CALL(date_set_field) /* of the time of day, which may carry */
{
    static const int64_t units[JAVA_CALENDAR_FIELDS] = { [FIELD_HOUR_OF_DAY] = 3600000, [FIELD_MINUTE] = 60000, [FIELD_SECOND] = 1000 };
    union java_value now;
    JAVA_UNUSED;
    (void)date_field(run, method, self, args, &now);
    self->o->value.i = wrapped(args[0].i - now.i, units[method->variant], self->o->value.i);
    return true;
}

JAVA_CALL(date_set_day) /* or the month, or the year: what is too much carries */
{
    static struct java_object utc = { .kind = J_TIME_ZONE };
    struct calendar c = { .zone = &utc };
    JAVA_UNUSED;
    (void)out;
    java_calendar_set_time(&c, self->o->value.i);
    java_calendar_set(&c, (enum calendar_field)method->variant, args[0].i + (method->variant == FIELD_YEAR ? 1900 : 0));
    self->o->value.i = java_calendar_time(&c);
    return true;
}

/* Of a year (from 1900), a month (from 0), a day and perhaps hours, minutes and seconds, each of which may carry. */
JAVA_CALL(date_of_fields)
{
    unsigned count = java_method_arity(method);
    JAVA_UNUSED;
    if (!(out->o = java_new(run, J_DATE)))
        return false;
    struct civil first = { args[0].i + 1900 + floor_div(args[1].i, 12), (int)floor_mod(args[1].i, 12) + 1, 1 };
    int64_t ms = count > 3 ? args[3].i * 3600000 + args[4].i * 60000 : 0;
    if (count > 5)
        ms += args[5].i * 1000;
    out->o->value.i = wrapped(days_of_java(first) + args[2].i - 1, MS_PER_DAY, ms);
    return true;
}

JAVA_CALL(date_zone) /* UTC is no minutes behind itself */
{
    JAVA_UNUSED;
    out->i = 0;
    return true;
}

JAVA_CALL(date_clone)
{
    JAVA_UNUSED;
    if (!(out->o = java_new(run, J_DATE)))
        return false;
    out->o->value = self->o->value;
    return true;
}

/* ---- as objects ---- */

static bool calendar_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    return java_calendar_time(a->calendar) == java_calendar_time(b->calendar) && first_of_week(a->calendar) == first_of_week(b->calendar) &&
           least_in_week(a->calendar) == least_in_week(b->calendar) && java_equals(run, a->calendar->zone, b->calendar->zone);
}

static uint32_t calendar_hash(struct java_run *run, const struct java_object *o)
{
    enum { LENIENT = 1, CUTOVER_DAY = 577736 }; /* 1582-10-15, from the year 1 on */
    uint32_t weeks = (uint32_t)first_of_week(o->calendar) << 1 | (uint32_t)least_in_week(o->calendar) << 4;
    return java_fold_hash((uint64_t)java_calendar_time(o->calendar)) ^ (LENIENT | weeks | (uint32_t)java_hash_code(run, o->calendar->zone) << 7) ^ CUTOVER_DAY;
}

static bool calendar_compare(struct java_run *run, const struct java_object *a, const struct java_object *b, int *out)
{
    int64_t x = java_calendar_time(a->calendar), y = java_calendar_time(b->calendar);
    (void)run;
    *out = (x > y) - (x < y);
    return true;
}

/* The fields as they stand: a question mark is one that is not set, and the time where one was set since. */
static bool calendar_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    static const char *const names[JAVA_CALENDAR_FIELDS] = {
        "ERA", "YEAR", "MONTH", "WEEK_OF_YEAR", "WEEK_OF_MONTH", "DAY_OF_MONTH", "DAY_OF_YEAR", "DAY_OF_WEEK", "DAY_OF_WEEK_IN_MONTH",
        "AM_PM", "HOUR", "HOUR_OF_DAY", "MINUTE", "SECOND", "MILLISECOND", "ZONE_OFFSET", "DST_OFFSET",
    };
    const struct calendar *c = o->calendar;
    struct buf before, fields;
    bool all = true;

    buf_init(&before, utf16->arena);
    buf_init(&fields, utf16->arena);
    buf_printf(&fields, ",firstDayOfWeek=%d,minimalDaysInFirstWeek=%d", (int)first_of_week(c), (int)least_in_week(c));
    for (int i = 0; i < JAVA_CALENDAR_FIELDS; i++) {
        all &= c->stamps[i] != 0;
        if (c->stamps[i])
            buf_printf(&fields, ",%s=%lld", names[i], (long long)c->fields[i]);
        else
            buf_printf(&fields, ",%s=?", names[i]);
    }
    buf_put_u8(&fields, ']');
    buf_put_str(&before, "java.util.GregorianCalendar[time=");
    if (c->behind)
        buf_put_u8(&before, '?');
    else
        buf_printf(&before, "%lld", (long long)c->ms);
    buf_printf(&before, ",areFieldsSet=%s,areAllFieldsSet=%s,lenient=true,zone=", c->behind ? "false" : "true", all ? "true" : "false");
    java_put_buf(utf16, &before);
    if (!java_print(run, utf16, c->zone))
        return false;
    java_put_buf(utf16, &fields);
    return true;
}

const struct java_object_ops java_calendar_ops = {
    .equals = calendar_equals, .hash = calendar_hash, .compare = calendar_compare, .print = calendar_print
};

/* ---- the tables ---- */

const struct java_method java_calendar_methods[] = {
    { J_DATE, "<init>", J_DATE, { J_INT, J_INT, J_INT }, 0, date_of_fields, 0 },
    { J_DATE, "<init>", J_DATE, { J_INT, J_INT, J_INT, J_INT, J_INT }, 0, date_of_fields, 0 },
    { J_DATE, "<init>", J_DATE, { J_INT, J_INT, J_INT, J_INT, J_INT, J_INT }, 0, date_of_fields, 0 },
    { J_DATE, "clone", J_OBJECT, { 0 }, 0, date_clone, 0 },
    { J_DATE, "getTimezoneOffset", J_INT, { 0 }, 0, date_zone, 0 },
    { J_DATE, "setHours", J_VOID, { J_INT }, 0, date_set_field, FIELD_HOUR_OF_DAY },
    { J_DATE, "setMinutes", J_VOID, { J_INT }, 0, date_set_field, FIELD_MINUTE },
    { J_DATE, "setSeconds", J_VOID, { J_INT }, 0, date_set_field, FIELD_SECOND },
    { J_DATE, "setDate", J_VOID, { J_INT }, 0, date_set_day, FIELD_DAY },
    { J_DATE, "setMonth", J_VOID, { J_INT }, 0, date_set_day, FIELD_MONTH },
    { J_DATE, "setYear", J_VOID, { J_INT }, 0, date_set_day, FIELD_YEAR },
    { J_DATE, "getYear", J_INT, { 0 }, 0, date_field, FIELD_YEAR },
    { J_DATE, "getMonth", J_INT, { 0 }, 0, date_field, FIELD_MONTH },
    { J_DATE, "getDate", J_INT, { 0 }, 0, date_field, FIELD_DAY },
    { J_DATE, "getDay", J_INT, { 0 }, 0, date_field, FIELD_DAY_OF_WEEK },
    { J_DATE, "getHours", J_INT, { 0 }, 0, date_field, FIELD_HOUR_OF_DAY },
    { J_DATE, "getMinutes", J_INT, { 0 }, 0, date_field, FIELD_MINUTE },
    { J_DATE, "getSeconds", J_INT, { 0 }, 0, date_field, FIELD_SECOND },
    { J_CALENDAR, "getInstance", J_CALENDAR, { 0 }, JAVA_STATIC, calendar_new, 0 },
    { J_CALENDAR, "getInstance", J_CALENDAR, { J_TIME_ZONE }, JAVA_STATIC, calendar_new, 0 },
    { J_GREGORIAN, "<init>", J_GREGORIAN, { 0 }, 0, calendar_new, 0 },
    { J_GREGORIAN, "<init>", J_GREGORIAN, { J_TIME_ZONE }, 0, calendar_new, 0 },
    { J_GREGORIAN, "<init>", J_GREGORIAN, { J_INT, J_INT, J_INT }, 0, calendar_new, 0 },
    { J_GREGORIAN, "<init>", J_GREGORIAN, { J_INT, J_INT, J_INT, J_INT, J_INT }, 0, calendar_new, 0 },
    { J_GREGORIAN, "<init>", J_GREGORIAN, { J_INT, J_INT, J_INT, J_INT, J_INT, J_INT }, 0, calendar_new, 0 },
    { J_CALENDAR, "get", J_INT, { J_INT }, 0, calendar_get, 0 },
    { J_CALENDAR, "set", J_VOID, { J_INT, J_INT }, 0, calendar_set, 0 },
    { J_CALENDAR, "set", J_VOID, { J_INT, J_INT, J_INT }, 0, calendar_set, 0 },
    { J_CALENDAR, "set", J_VOID, { J_INT, J_INT, J_INT, J_INT, J_INT }, 0, calendar_set, 0 },
    { J_CALENDAR, "set", J_VOID, { J_INT, J_INT, J_INT, J_INT, J_INT, J_INT }, 0, calendar_set, 0 },
    { J_CALENDAR, "add", J_VOID, { J_INT, J_INT }, 0, calendar_add, 0 },
    { J_CALENDAR, "clear", J_VOID, { 0 }, 0, calendar_clear, 0 },
    { J_CALENDAR, "clear", J_VOID, { J_INT }, 0, calendar_clear, 0 },
    { J_CALENDAR, "getTime", J_DATE, { 0 }, 0, calendar_time, CALENDAR_DATE },
    { J_CALENDAR, "getTimeInMillis", J_LONG, { 0 }, 0, calendar_time, CALENDAR_MS },
    { J_CALENDAR, "getTimeZone", J_TIME_ZONE, { 0 }, 0, calendar_time, CALENDAR_ZONE },
    { J_CALENDAR, "setTime", J_VOID, { J_DATE }, 0, calendar_set_time, 0 },
    { J_CALENDAR, "setTimeInMillis", J_VOID, { J_LONG }, 0, calendar_set_time, 0 },
    { J_CALENDAR, "setTimeZone", J_VOID, { J_TIME_ZONE }, 0, calendar_set_zone, 0 },
    { J_CALENDAR, "before", J_BOOLEAN, { J_OBJECT }, 0, calendar_order, CALENDAR_BEFORE },
    { J_CALENDAR, "after", J_BOOLEAN, { J_OBJECT }, 0, calendar_order, CALENDAR_AFTER },
    { J_CALENDAR, "compareTo", J_INT, { J_CALENDAR }, 0, java_compare_to, 0 },
    { J_GREGORIAN, "isLeapYear", J_BOOLEAN, { J_INT }, 0, calendar_is_leap, 0 },
    { J_CALENDAR, "getActualMinimum", J_INT, { J_INT }, 0, calendar_least, 0 },
    { J_CALENDAR, "getActualMaximum", J_INT, { J_INT }, 0, calendar_most, 0 },
    { J_CALENDAR, "isSet", J_BOOLEAN, { J_INT }, 0, calendar_is_set, 0 },
    { J_CALENDAR, "getFirstDayOfWeek", J_INT, { 0 }, 0, calendar_weeks, WEEKS_FIRST_DAY },
    { J_CALENDAR, "getMinimalDaysInFirstWeek", J_INT, { 0 }, 0, calendar_weeks, WEEKS_LEAST_DAYS },
    { J_CALENDAR, "setFirstDayOfWeek", J_VOID, { J_INT }, 0, calendar_set_weeks, WEEKS_FIRST_DAY },
    { J_CALENDAR, "setMinimalDaysInFirstWeek", J_VOID, { J_INT }, 0, calendar_set_weeks, WEEKS_LEAST_DAYS },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};

#define NUMBER(name, number) { J_CALENDAR, name, J_INT, { .i = number }, NULL }

const struct java_constant java_calendar_constants[] = {
    NUMBER("ERA", FIELD_ERA),
    NUMBER("YEAR", FIELD_YEAR),
    NUMBER("MONTH", FIELD_MONTH),
    NUMBER("WEEK_OF_YEAR", FIELD_WEEK_OF_YEAR),
    NUMBER("WEEK_OF_MONTH", FIELD_WEEK_OF_MONTH),
    NUMBER("DATE", FIELD_DAY),
    NUMBER("DAY_OF_MONTH", FIELD_DAY),
    NUMBER("DAY_OF_YEAR", FIELD_DAY_OF_YEAR),
    NUMBER("DAY_OF_WEEK", FIELD_DAY_OF_WEEK),
    NUMBER("DAY_OF_WEEK_IN_MONTH", FIELD_DAY_OF_WEEK_IN_MONTH),
    NUMBER("AM_PM", FIELD_AM_PM),
    NUMBER("HOUR", FIELD_HOUR),
    NUMBER("HOUR_OF_DAY", FIELD_HOUR_OF_DAY),
    NUMBER("MINUTE", FIELD_MINUTE),
    NUMBER("SECOND", FIELD_SECOND),
    NUMBER("MILLISECOND", FIELD_MILLISECOND),
    NUMBER("ZONE_OFFSET", FIELD_ZONE_OFFSET),
    NUMBER("DST_OFFSET", FIELD_DST_OFFSET),
    NUMBER("JANUARY", 0),
    NUMBER("FEBRUARY", 1),
    NUMBER("MARCH", 2),
    NUMBER("APRIL", 3),
    NUMBER("MAY", 4),
    NUMBER("JUNE", 5),
    NUMBER("JULY", 6),
    NUMBER("AUGUST", 7),
    NUMBER("SEPTEMBER", 8),
    NUMBER("OCTOBER", 9),
    NUMBER("NOVEMBER", 10),
    NUMBER("DECEMBER", 11),
    NUMBER("SUNDAY", 1),
    NUMBER("MONDAY", 2),
    NUMBER("TUESDAY", 3),
    NUMBER("WEDNESDAY", 4),
    NUMBER("THURSDAY", 5),
    NUMBER("FRIDAY", 6),
    NUMBER("SATURDAY", 7),
    NUMBER("AM", 0),
    NUMBER("PM", 1),
    { J_ERROR, NULL, J_ERROR, { .i = 0 }, NULL },
};
