/* java.time.temporal.ValueRange: what a field may be. */
#include "model/java/object_ops.h"
#include "model/java/temporal.h"

static bool range_new(struct java_run *run, int64_t least, int64_t least_at_most, int64_t most_at_least, int64_t most, struct java_object **out)
{
    if (!(*out = java_new(run, J_VALUE_RANGE)))
        return false;
    (*out)->range.least = least;
    (*out)->range.least_at_most = least_at_most;
    (*out)->range.most_at_least = most_at_least;
    (*out)->range.most = most;
    return true;
}

/* The length of a month or a year is known where there is a date, and in which era it is. */
static struct chrono_range refined(const struct java_object *o, enum chrono_field field)
{
    struct chrono_range r = chrono_range_of(field);
    int64_t year = temporal_has(o, CHRONO_YEAR) ? temporal_field(o, CHRONO_YEAR) : 0;

    if (field == CHRONO_DAY_OF_MONTH)
        r.most = days_of_month(year, (int)temporal_field(o, CHRONO_MONTH_OF_YEAR));
    else if (field == CHRONO_DAY_OF_YEAR)
        r.most = 365 + chrono_is_leap(year);
    else if (field == CHRONO_ALIGNED_WEEK_OF_MONTH)
        r.most -= temporal_field(o, CHRONO_MONTH_OF_YEAR) == 2 && !chrono_is_leap(year);
    else if (field == CHRONO_DAY_OF_QUARTER)
        r.most = temporal_field(o, CHRONO_QUARTER_OF_YEAR) > 2 ? 92 : temporal_field(o, CHRONO_QUARTER_OF_YEAR) > 1 ? 91 : 90 + chrono_is_leap(year);
    else if (field == CHRONO_WEEK_OF_WEEK_BASED_YEAR)
        r.most = chrono_weeks_of(temporal_field(o, CHRONO_WEEK_BASED_YEAR));
    else if (field == CHRONO_YEAR_OF_ERA)
        r.most -= year > 0;
    else
        return r;
    r.most_at_least = r.most;
    return r;
}

JAVA_CALL_PUBLIC(java_range_of)
{
    JAVA_UNUSED;
    if (!args[0].o && !java_kind_extends(self->o->kind, J_DATED))
        return java_require(run, NULL, "field");
    if (!java_check_read(run, args[0].o, "invoke \"java.time.temporal.TemporalField.rangeRefinedBy(java.time.temporal.TemporalAccessor)\"", "field"))
        return false;
    enum chrono_field field = chrono_field_of(args[0].o);
    if (!temporal_has(self->o, field))
        return chrono_unsupported(run, field);
    struct chrono_range r = refined(self->o, field);
    return range_new(run, r.least, r.least, r.most_at_least, r.most, &out->o);
}

JAVA_CALL(range_of_field)
{
    struct chrono_range r = chrono_range_of(chrono_field_of(self->o));
    JAVA_UNUSED;
    return range_new(run, r.least, r.least, r.most_at_least, r.most, &out->o);
}

JAVA_CALL(range_of_numbers)
{
    unsigned count = java_method_arity(method);
    int64_t least = args[0].i, least_at_most = count > 3 ? args[1].i : least, most_at_least = args[count > 3 ? 2 : 1].i, most = args[count - 1].i;
    JAVA_UNUSED;
    if (count == 2 && least > most)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "Minimum value must be less than maximum value");
    if (least > least_at_most)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "Smallest minimum value must be less than largest minimum value");
    if (most_at_least > most)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "Smallest maximum value must be less than largest maximum value");
    if (least_at_most > most)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "Largest minimum value must be less than largest maximum value");
    return range_new(run, least, least_at_most, most_at_least, most, &out->o);
}

enum { RANGE_LEAST, RANGE_LEAST_AT_MOST, RANGE_MOST_AT_LEAST, RANGE_MOST, RANGE_FIXED, RANGE_IS_INT };

static bool is_int(const struct java_object *o)
{
    return chrono_is_int((struct chrono_range){ o->range.least, o->range.most, o->range.most });
}

JAVA_CALL(range_part)
{
    const struct java_object *o = self->o;
    JAVA_UNUSED;
    const int64_t parts[] = {
        [RANGE_LEAST] = o->range.least,
        [RANGE_LEAST_AT_MOST] = o->range.least_at_most,
        [RANGE_MOST_AT_LEAST] = o->range.most_at_least,
        [RANGE_MOST] = o->range.most,
        [RANGE_FIXED] = o->range.least == o->range.least_at_most && o->range.most_at_least == o->range.most,
        [RANGE_IS_INT] = is_int(o),
    };
    out->i = parts[method->variant];
    return true;
}

JAVA_CALL(range_has)
{
    JAVA_UNUSED;
    out->i = args[0].i >= self->o->range.least && args[0].i <= self->o->range.most && (!method->variant || is_int(self->o));
    return true;
}

static bool range_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    (void)run;
    return a->range.least == b->range.least && a->range.least_at_most == b->range.least_at_most && a->range.most_at_least == b->range.most_at_least &&
           a->range.most == b->range.most;
}

static uint32_t range_hash(struct java_run *run, const struct java_object *o)
{
    uint64_t least = (uint64_t)o->range.least, least_at_most = (uint64_t)o->range.least_at_most, most_at_least = (uint64_t)o->range.most_at_least,
             most = (uint64_t)o->range.most;
    (void)run;
    return java_fold_hash(least + (least_at_most << 16) + (uint64_t)((int64_t)least_at_most >> 48) + (most_at_least << 32) +
                          (uint64_t)((int64_t)most_at_least >> 32) + (most << 48) + (uint64_t)((int64_t)most >> 16));
}

static bool range_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    struct buf text;
    (void)run;
    buf_init(&text, utf16->arena);
    buf_printf(&text, "%lld", (long long)o->range.least);
    if (o->range.least_at_most != o->range.least)
        buf_printf(&text, "/%lld", (long long)o->range.least_at_most);
    buf_printf(&text, " - %lld", (long long)o->range.most_at_least);
    if (o->range.most != o->range.most_at_least)
        buf_printf(&text, "/%lld", (long long)o->range.most);
    java_put_buf(utf16, &text);
    return true;
}

const struct java_object_ops java_range_ops = { .equals = range_equals, .hash = range_hash, .print = range_print };

#define PART(name, type, part) { J_VALUE_RANGE, name, type, { 0 }, 0, range_part, part }

const struct java_method java_range_methods[] = {
    { J_VALUE_RANGE, "of", J_VALUE_RANGE, { J_LONG, J_LONG }, JAVA_STATIC, range_of_numbers, 0 },
    { J_VALUE_RANGE, "of", J_VALUE_RANGE, { J_LONG, J_LONG, J_LONG }, JAVA_STATIC, range_of_numbers, 0 },
    { J_VALUE_RANGE, "of", J_VALUE_RANGE, { J_LONG, J_LONG, J_LONG, J_LONG }, JAVA_STATIC, range_of_numbers, 0 },
    PART("getMinimum", J_LONG, RANGE_LEAST),
    PART("getLargestMinimum", J_LONG, RANGE_LEAST_AT_MOST),
    PART("getSmallestMaximum", J_LONG, RANGE_MOST_AT_LEAST),
    PART("getMaximum", J_LONG, RANGE_MOST),
    PART("isFixed", J_BOOLEAN, RANGE_FIXED),
    PART("isIntValue", J_BOOLEAN, RANGE_IS_INT),
    { J_VALUE_RANGE, "isValidValue", J_BOOLEAN, { J_LONG }, 0, range_has, false },
    { J_VALUE_RANGE, "isValidIntValue", J_BOOLEAN, { J_LONG }, 0, range_has, true },
    { J_TEMPORAL_FIELD, "range", J_VALUE_RANGE, { 0 }, 0, range_of_field, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
