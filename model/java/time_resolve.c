/* Fields that were read become a day, a time of day and an instant, as far as they tell them (java.time.format.Parsed). */
#include "model/java/object_ops.h"
#include "model/java/time_format.h"

struct resolver {
    struct java_run *run;
    struct chrono_fields f;
    bool strict;
    bool has_day, has_time;
    int64_t day, nanos;
    bool takes_midnight, next_day; /* 24:00 */
};

static bool has(const struct resolver *r, enum chrono_field field)
{
    return r->f.own >> field & 1;
}

static void drop(struct resolver *r, enum chrono_field field)
{
    r->f.own &= ~(UINT64_C(1) << field);
}

static int64_t take(struct resolver *r, enum chrono_field field)
{
    drop(r, field);
    return r->f.values[field];
}

static void put(struct resolver *r, enum chrono_field field, int64_t v)
{
    r->f.own |= UINT64_C(1) << field;
    r->f.values[field] = v;
}

/* What one field says of another is what that says itself, if it does. */
static bool put_checked(struct resolver *r, enum chrono_field by, enum chrono_field field, int64_t v)
{
    const char *name = chrono_field_text(field);
    if (has(r, field) && r->f.values[field] != v)
        return java_throw(r->run, J_DATE_TIME, "Conflict found: %s %lld differs from %s %lld while resolving  %s", name, (long long)r->f.values[field], name,
                          (long long)v, chrono_field_text(by));
    put(r, field, v);
    return true;
}

/* ---- the day ---- */

static bool put_year(struct resolver *r, int64_t year)
{
    if (has(r, CHRONO_YEAR) && r->f.values[CHRONO_YEAR] != year)
        return java_throw(r->run, J_DATE_TIME, "Conflict found: Year %lld differs from Year %lld", (long long)r->f.values[CHRONO_YEAR], (long long)year);
    put(r, CHRONO_YEAR, year);
    return true;
}

static bool resolve_era(struct resolver *r)
{
    if (!has(r, CHRONO_YEAR_OF_ERA))
        return !has(r, CHRONO_ERA) || chrono_check(r->run, CHRONO_ERA, r->f.values[CHRONO_ERA]);
    int64_t of_era = take(r, CHRONO_YEAR_OF_ERA);
    if (!chrono_check(r->run, CHRONO_YEAR_OF_ERA, of_era))
        return false;
    if (has(r, CHRONO_ERA))
        return put_year(r, take(r, CHRONO_ERA) ? of_era : 1 - of_era);
    if (r->strict && !has(r, CHRONO_YEAR)) { /* nobody knows which era */
        put(r, CHRONO_YEAR_OF_ERA, of_era);
        return true;
    }
    return put_year(r, !has(r, CHRONO_YEAR) || r->f.values[CHRONO_YEAR] > 0 ? of_era : 1 - of_era);
}

static bool check_year(struct resolver *r, int64_t *out)
{
    *out = take(r, CHRONO_YEAR);
    return chrono_check(r->run, CHRONO_YEAR, *out);
}

/* ISO 8601: January 4 is in the first week. */
static bool resolve_week(struct resolver *r)
{
    int64_t year = take(r, CHRONO_WEEK_BASED_YEAR), week = take(r, CHRONO_WEEK_OF_WEEK_BASED_YEAR), of_week = take(r, CHRONO_DAY_OF_WEEK), first;
    if (!chrono_check(r->run, CHRONO_WEEK_BASED_YEAR, year) || !chrono_check(r->run, CHRONO_DAY_OF_WEEK, of_week))
        return false;
    int weeks = (int)chrono_weeks_of(year);
    if (r->strict && (week < 1 || week > weeks))
        return java_throw(r->run, J_DATE_TIME, "Invalid value for WeekOfWeekBasedYear (valid values 1 - %d): %lld", weeks, (long long)week);
    if (!chrono_check(r->run, CHRONO_WEEK_OF_WEEK_BASED_YEAR, week))
        return false;
    struct java_object made = { .kind = J_TIME_LOCAL_DATE };
    return chrono_day(r->run, year, 1, 4, &first) && (made.when.day = first, true) &&
           chrono_add_days(r->run, first, of_week - temporal_field(&made, CHRONO_DAY_OF_WEEK) + (week - 1) * 7, &r->day);
}

/* SMART: of a short month the last day stands for those that it does not have. */
static bool resolve_day(struct resolver *r)
{
    int64_t year;
    if (!resolve_era(r))
        return false;
    if (has(r, CHRONO_YEAR) && has(r, CHRONO_MONTH_OF_YEAR) && has(r, CHRONO_DAY_OF_MONTH)) {
        if (!check_year(r, &year))
            return false;
        int64_t month = take(r, CHRONO_MONTH_OF_YEAR), day = take(r, CHRONO_DAY_OF_MONTH);
        if (!chrono_check(r->run, CHRONO_MONTH_OF_YEAR, month) || !chrono_check(r->run, CHRONO_DAY_OF_MONTH, day))
            return false;
        int most = days_of_month(year, (int)month);
        r->has_day = chrono_day(r->run, year, month, !r->strict && day > most ? most : day, &r->day);
        return r->has_day;
    }
    if (has(r, CHRONO_YEAR) && has(r, CHRONO_DAY_OF_YEAR)) {
        r->has_day = check_year(r, &year) && chrono_day_of_year(r->run, year, take(r, CHRONO_DAY_OF_YEAR), &r->day);
        return r->has_day;
    }
    if (has(r, CHRONO_WEEK_BASED_YEAR) && has(r, CHRONO_WEEK_OF_WEEK_BASED_YEAR) && has(r, CHRONO_DAY_OF_WEEK)) {
        r->has_day = resolve_week(r);
        return r->has_day;
    }
    return true;
}

/* ---- the time of day ---- */

/* An hour that begins with 1; SMART takes 0, too. */
static bool resolve_clock_hour(struct resolver *r, enum chrono_field clock, enum chrono_field field)
{
    if (!has(r, clock))
        return true;
    int64_t v = take(r, clock), most = chrono_range_of(clock).most;
    return ((!v && !r->strict) || chrono_check(r->run, clock, v)) && put_checked(r, clock, field, v == most ? 0 : v);
}

static bool put_parts(struct resolver *r, enum chrono_field by, int64_t nanos)
{
    int64_t s = nanos / NANOS_A_SECOND;
    return put_checked(r, by, CHRONO_HOUR_OF_DAY, s / 3600) && put_checked(r, by, CHRONO_MINUTE_OF_HOUR, s / 60 % 60) &&
           put_checked(r, by, CHRONO_SECOND_OF_MINUTE, s % 60);
}

static bool resolve_of_day(struct resolver *r)
{
    enum { NANOS_A_MILLI = 1000000 };
    if (has(r, CHRONO_NANO_OF_DAY)) {
        int64_t v = take(r, CHRONO_NANO_OF_DAY);
        if (!chrono_check(r->run, CHRONO_NANO_OF_DAY, v) || !put_parts(r, CHRONO_NANO_OF_DAY, v) ||
            !put_checked(r, CHRONO_NANO_OF_DAY, CHRONO_NANO_OF_SECOND, v % NANOS_A_SECOND))
            return false;
    }
    if (has(r, CHRONO_MILLI_OF_DAY)) {
        int64_t v = take(r, CHRONO_MILLI_OF_DAY);
        if (!chrono_check(r->run, CHRONO_MILLI_OF_DAY, v) || !put_parts(r, CHRONO_SECOND_OF_DAY, v * NANOS_A_MILLI))
            return false;
        int64_t below = has(r, CHRONO_NANO_OF_SECOND) ? r->f.values[CHRONO_NANO_OF_SECOND] % NANOS_A_MILLI : 0;
        if (!put_checked(r, CHRONO_MILLI_OF_SECOND, CHRONO_NANO_OF_SECOND, v % 1000 * NANOS_A_MILLI + below))
            return false;
    }
    return true;
}

static bool make_time(struct resolver *r, int64_t hour, int64_t minute, int64_t second, int64_t nano)
{
    r->next_day = r->takes_midnight && hour == 24 && !minute && !second && !nano;
    r->has_time = chrono_check(r->run, CHRONO_MINUTE_OF_HOUR, minute) && chrono_check(r->run, CHRONO_NANO_OF_SECOND, nano) &&
                  chrono_time(r->run, r->next_day ? 0 : hour, minute, second, nano, &r->nanos);
    return r->has_time;
}

static int64_t or_zero(const struct resolver *r, enum chrono_field field)
{
    return has(r, field) ? r->f.values[field] : 0;
}

static bool resolve_time(struct resolver *r)
{
    if (!resolve_clock_hour(r, CHRONO_CLOCK_HOUR_OF_DAY, CHRONO_HOUR_OF_DAY) || !resolve_clock_hour(r, CHRONO_CLOCK_HOUR_OF_AMPM, CHRONO_HOUR_OF_AMPM))
        return false;
    if (has(r, CHRONO_AMPM_OF_DAY) && has(r, CHRONO_HOUR_OF_AMPM)) {
        int64_t half = take(r, CHRONO_AMPM_OF_DAY), hour = take(r, CHRONO_HOUR_OF_AMPM);
        if (!chrono_check(r->run, CHRONO_HOUR_OF_AMPM, hour) || !put_checked(r, CHRONO_AMPM_OF_DAY, CHRONO_HOUR_OF_DAY, half * 12 + hour))
            return false;
    }
    if (!resolve_of_day(r) || (has(r, CHRONO_NANO_OF_SECOND) && !chrono_check(r->run, CHRONO_NANO_OF_SECOND, r->f.values[CHRONO_NANO_OF_SECOND])))
        return false;
    bool minute = has(r, CHRONO_MINUTE_OF_HOUR), second = has(r, CHRONO_SECOND_OF_MINUTE), nano = has(r, CHRONO_NANO_OF_SECOND);
    if (!has(r, CHRONO_HOUR_OF_DAY)) { /* a half of the day alone is its middle */
        if (has(r, CHRONO_AMPM_OF_DAY) && !minute && !second && !nano && !r->strict)
            return make_time(r, take(r, CHRONO_AMPM_OF_DAY) * 12 + 6, 0, 0, 0);
        return true;
    }
    if ((!minute && (second || nano)) || (minute && !second && nano))
        return true;
    if (!make_time(r, r->f.values[CHRONO_HOUR_OF_DAY], or_zero(r, CHRONO_MINUTE_OF_HOUR), or_zero(r, CHRONO_SECOND_OF_MINUTE),
                   or_zero(r, CHRONO_NANO_OF_SECOND)))
        return false;
    drop(r, CHRONO_HOUR_OF_DAY);
    drop(r, CHRONO_MINUTE_OF_HOUR);
    drop(r, CHRONO_SECOND_OF_MINUTE);
    drop(r, CHRONO_NANO_OF_SECOND);
    return true;
}

/* Of a time that is not known whole each part may be what it is. */
static bool check_rest(struct resolver *r)
{
    for (enum chrono_field f = CHRONO_NANO_OF_SECOND; f <= CHRONO_AMPM_OF_DAY; f++)
        if (has(r, f) && !chrono_check(r->run, f, r->f.values[f]))
            return false;
    if (!r->has_time && has(r, CHRONO_SECOND_OF_MINUTE)) {
        int64_t nano = or_zero(r, CHRONO_NANO_OF_SECOND);
        put(r, CHRONO_NANO_OF_SECOND, nano);
        put(r, CHRONO_MICRO_OF_SECOND, nano / 1000);
        put(r, CHRONO_MILLI_OF_SECOND, nano / 1000000);
    }
    return true;
}

/* ---- both ---- */

/* What else is told of the day or the time is true of it. */
static bool cross_check(struct resolver *r, enum java_kind kind, struct java_when when)
{
    struct java_object made = { .kind = kind, .when = when };
    for (enum chrono_field f = CHRONO_NANO_OF_SECOND; f < CHRONO_FIELD_COUNT; f++) {
        if (!has(r, f) || !temporal_has(&made, f))
            continue;
        int64_t is = temporal_field(&made, f);
        if (is != r->f.values[f]) {
            const char *name = chrono_field_text(f);
            struct buf text;
            buf_init(&text, r->run->ctx->arena);
            temporal_put(&text, &made);
            return java_throw(r->run, J_DATE_TIME, "Conflict found: Field %s %lld differs from %s %lld derived from %.*s", name, (long long)is, name,
                              (long long)r->f.values[f], SLICE_ARG(buf_slice(&text)));
        }
        drop(r, f);
    }
    return true;
}

bool time_format_resolve(struct java_run *run, const struct time_format *format, const struct time_reading *reading, struct java_object **out)
{
    struct resolver r = { .run = run, .f = reading->fields, .strict = format->strict, .takes_midnight = !format->strict || format->instant };
    struct java_object *zone = reading->zone ? reading->zone : format->zone;
    int32_t offset_s = zone ? zone->when.offset_s : 0;

    if (!resolve_day(&r) || !resolve_time(&r) || !check_rest(&r) || (r.has_day && !cross_check(&r, J_TIME_LOCAL_DATE, (struct java_when){ .day = r.day })) ||
        (r.has_time && !cross_check(&r, J_TIME_LOCAL_TIME, (struct java_when){ .nanos = r.nanos })))
        return false;
    if (r.next_day && r.has_day && !chrono_add_days(run, r.day, 1, &r.day))
        return false;
    if (has(&r, CHRONO_OFFSET_SECONDS)) {
        int64_t v = r.f.values[CHRONO_OFFSET_SECONDS];
        if (r.has_day && r.has_time && (v < -OFFSET_MOST_S || v > OFFSET_MOST_S)) /* nobody else asks for the moment */
            return java_throw(run, J_DATE_TIME, "Zone offset not in valid range: -18:00 to +18:00");
        offset_s = (int32_t)v;
    }
    struct java_when when = { r.has_day ? r.day : 0, r.has_time ? r.nanos : 0, zone, offset_s };
    if (r.has_day && r.has_time && (zone || has(&r, CHRONO_OFFSET_SECONDS)))
        put(&r, CHRONO_INSTANT_SECONDS, temporal_second(&when));
    struct chrono_fields *kept = java_alloc(run, sizeof *kept);
    if (!kept || !(*out = temporal_new(run, J_PARSED, when)))
        return false;
    r.f.has = r.f.own | (r.has_day ? temporal_fields_of(J_TIME_LOCAL_DATE) : 0) | (r.has_time ? temporal_fields_of(J_TIME_LOCAL_TIME) : 0);
    *kept = r.f;
    (*out)->parsed.fields = kept;
    return true;
}

/* ---- as an object ---- */

static bool parsed_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    const struct chrono_fields *f = o->parsed.fields;
    bool day = temporal_has(o, CHRONO_EPOCH_DAY), time = temporal_has(o, CHRONO_NANO_OF_DAY), first = true;
    struct java_object made = { .kind = day && time ? J_TIME_LOCAL_DATE_TIME : day ? J_TIME_LOCAL_DATE : J_TIME_LOCAL_TIME, .when = o->when };
    struct buf text;

    buf_init(&text, utf16->arena);
    buf_put_u8(&text, '{');
    for (enum chrono_field field = CHRONO_NANO_OF_SECOND; field < CHRONO_FIELD_COUNT; field++)
        if (f->own >> field & 1) {
            buf_printf(&text, "%s%s=%lld", first ? "" : ", ", chrono_field_text(field), (long long)f->values[field]);
            first = false;
        }
    buf_put_str(&text, "},ISO");
    java_put_buf(utf16, &text);
    if (o->when.zone) {
        java_put_ascii(utf16, ",", 1);
        if (!java_print(run, utf16, o->when.zone))
            return false;
    }
    if (!day && !time)
        return true;
    buf_clear(&text);
    buf_put_str(&text, " resolved to ");
    temporal_put(&text, &made);
    java_put_buf(utf16, &text);
    return true;
}

const struct java_object_ops java_parsed_ops = { .print = parsed_print };
