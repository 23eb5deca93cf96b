/* java.time: Duration, and Period; the driver's Duration is time.c's. */
#include "model/java/big.h"
#include "model/java/object_ops.h"
#include "model/java/temporal.h"

enum { HOUR_S = 3600, MINUTE_S = 60 };

/* ---- Duration: seconds, and nanoseconds of one more ---- */

static java_wide nanos_of(const struct java_object *duration)
{
    return (java_wide)duration->when.day * NANOS_A_SECOND + duration->when.nanos;
}

static bool of_seconds(struct java_run *run, java_wide seconds, int64_t nanos, struct java_object **out)
{
    struct java_when when = { .nanos = nanos };
    return java_exact(run, seconds, &when.day) && (*out = temporal_new(run, J_TIME_DURATION, when)) != NULL;
}

bool duration_of_nanos(struct java_run *run, java_wide nanos, struct java_object **out)
{
    java_wide seconds = nanos / NANOS_A_SECOND;
    int64_t rest = (int64_t)(nanos % NANOS_A_SECOND);
    return of_seconds(run, seconds - (rest < 0), rest < 0 ? rest + NANOS_A_SECOND : rest, out);
}

/* So many of a unit: of one below a second no number is too large, of others what are too many seconds is told at once. */
static bool in_unit(struct java_run *run, java_wide amount, enum chrono_unit unit, java_wide *out)
{
    int64_t seconds = chrono_unit_seconds(unit);
    *out = amount * chrono_unit_nanos(unit);
    if (!seconds)
        return true;
    int64_t exact;
    return (seconds == 1 && amount == -(java_wide)INT64_MIN) || java_exact(run, amount * seconds, &exact);
}

static bool check_unit(struct java_run *run, enum chrono_unit unit)
{
    return unit <= UNIT_DAYS || java_throw(run, J_UNSUPPORTED_TEMPORAL, "Unit must not have an estimated duration");
}

/* variant: the unit. */
JAVA_CALL(duration_of)
{
    java_wide nanos;
    JAVA_UNUSED;
    return in_unit(run, args[0].i, (enum chrono_unit)method->variant, &nanos) && duration_of_nanos(run, nanos, &out->o);
}

JAVA_CALL(duration_of_both)
{
    JAVA_UNUSED;
    return duration_of_nanos(run, (java_wide)args[0].i * NANOS_A_SECOND + args[1].i, &out->o);
}

/* Of the receiver and so many of a unit, which is the variant or the second argument; without a receiver of nothing. */
enum { DURATION_MINUS = 1, UNIT_IN_ARGUMENT = 2, UNIT_SHIFT = 2 };
#define ADDS(unit)      ((int)(unit) << UNIT_SHIFT)
#define SUBTRACTS(unit) (ADDS(unit) | DURATION_MINUS)

JAVA_CALL(duration_add_units)
{
    enum chrono_unit unit = (enum chrono_unit)(method->variant >> UNIT_SHIFT);
    java_wide nanos;
    JAVA_UNUSED;
    if (method->variant & UNIT_IN_ARGUMENT) {
        if (!java_require(run, args[1].o, "unit"))
            return false;
        unit = (enum chrono_unit)java_ordinal(args[1].o);
        if (!check_unit(run, unit))
            return false;
    }
    java_wide before = method->flags & JAVA_STATIC ? 0 : nanos_of(self->o);
    return in_unit(run, method->variant & DURATION_MINUS ? -(java_wide)args[0].i : args[0].i, unit, &nanos) && duration_of_nanos(run, before + nanos, &out->o);
}

JAVA_CALL(duration_add)
{
    JAVA_UNUSED;
    if (!java_check_read(run, args[0].o, "invoke \"java.time.Duration.getSeconds()\"", "duration"))
        return false;
    java_wide other = nanos_of(args[0].o);
    return duration_of_nanos(run, nanos_of(self->o) + (method->variant ? -other : other), &out->o);
}

JAVA_CALL(duration_between)
{
    struct java_object *from = args[0].o, *to;
    int64_t seconds, nanos = 0;
    JAVA_UNUSED;
    if (!java_check_read(run, from, "invoke \"java.time.temporal.Temporal.until(java.time.temporal.Temporal, java.time.temporal.TemporalUnit)\"",
                         "startInclusive") ||
        !temporal_until(run, from, args[1].o, UNIT_SECONDS, &seconds) || !temporal_from(run, from->kind, args[1].o, &to))
        return false;
    if (!seconds)
        return temporal_until(run, from, to, UNIT_NANOS, &nanos) && duration_of_nanos(run, nanos, &out->o);
    nanos = to->when.nanos % NANOS_A_SECOND - from->when.nanos % NANOS_A_SECOND;
    seconds += nanos < 0 && seconds > 0 ? 1 : nanos > 0 && seconds < 0 ? -1 : 0;
    return duration_of_nanos(run, (java_wide)seconds * NANOS_A_SECOND + nanos, &out->o);
}

enum { DURATION_SECONDS, DURATION_NANO, DURATION_ZERO, DURATION_NEGATIVE, TO_DAYS, TO_HOURS, TO_MINUTES, HOURS_PART, MINUTES_PART, SECONDS_PART, MILLIS_PART };

JAVA_CALL(duration_part)
{
    int64_t s = self->o->when.day, nanos = self->o->when.nanos;
    JAVA_UNUSED;
    const int64_t parts[] = {
        [DURATION_SECONDS] = s,         [DURATION_NANO] = nanos,           [DURATION_ZERO] = !s && !nanos,      [DURATION_NEGATIVE] = s < 0,
        [TO_DAYS] = s / SECONDS_A_DAY,  [TO_HOURS] = s / HOUR_S,           [TO_MINUTES] = s / MINUTE_S,         [HOURS_PART] = s / HOUR_S % 24,
        [MINUTES_PART] = s / MINUTE_S % 60, [SECONDS_PART] = s % MINUTE_S, [MILLIS_PART] = nanos / 1000000,
    };
    out->i = parts[method->variant];
    return true;
}

/* variant: the unit. */
JAVA_CALL(duration_whole)
{
    JAVA_UNUSED;
    return java_exact(run, nanos_of(self->o) / chrono_unit_nanos((enum chrono_unit)method->variant), &out->i);
}

JAVA_CALL(duration_get)
{
    JAVA_UNUSED;
    int64_t unit = args[0].o ? java_ordinal(args[0].o) : UNIT_FOREVER;
    if (unit != UNIT_SECONDS && unit != UNIT_NANOS)
        return java_throw(run, J_UNSUPPORTED_TEMPORAL, "Unsupported unit: %s", args[0].o ? java_enum_text(J_CHRONO_UNIT, unit) : "null");
    out->i = unit == UNIT_SECONDS ? self->o->when.day : self->o->when.nanos;
    return true;
}

JAVA_CALL(duration_with)
{
    struct java_when when = self->o->when;
    JAVA_UNUSED;
    if (method->variant == DURATION_NANO && !chrono_check(run, CHRONO_NANO_OF_SECOND, args[0].i))
        return false;
    *(method->variant == DURATION_NANO ? &when.nanos : &when.day) = args[0].i;
    return (out->o = temporal_new(run, J_TIME_DURATION, when)) != NULL;
}

static struct slice whole_of(java_wide v, uint8_t bytes[static 16])
{
    for (int i = 15; i >= 0; i--, v >>= 8)
        bytes[i] = (uint8_t)v;
    return slice_of(bytes, 16);
}

/* What is too much is told by its digits, however many they are. */
static bool multiply(struct java_run *run, const struct java_object *o, int64_t by, struct java_object **out)
{
    uint8_t a[16], b[16];
    struct slice product, digits;
    java_wide nanos;

    if (!__builtin_mul_overflow(nanos_of(o), (java_wide)by, &nanos) && nanos / NANOS_A_SECOND == (int64_t)(nanos / NANOS_A_SECOND))
        return duration_of_nanos(run, nanos, out);
    return java_whole(run, NUMBER_MULTIPLY, whole_of(nanos_of(o), a), whole_of(by, b), &product) && java_print_digits(run, product, &digits) &&
           java_throw(run, J_ARITHMETIC, "Exceeds capacity of Duration: %.*s", SLICE_ARG(digits));
}

JAVA_CALL(duration_multiplied)
{
    JAVA_UNUSED;
    return multiply(run, self->o, args[0].i, &out->o);
}

enum { DURATION_ABS, DURATION_NEGATED };

JAVA_CALL(duration_turned)
{
    JAVA_UNUSED;
    out->o = self->o;
    return (method->variant == DURATION_ABS && self->o->when.day >= 0) || multiply(run, self->o, -1, &out->o);
}

JAVA_CALL(duration_divided)
{
    JAVA_UNUSED;
    if (method->args[0] == J_LONG)
        return args[0].i ? duration_of_nanos(run, nanos_of(self->o) / args[0].i, &out->o) : java_throw(run, J_ARITHMETIC, "Cannot divide by zero");
    if (!java_require(run, args[0].o, "divisor"))
        return false;
    java_wide a = nanos_of(self->o), b = nanos_of(args[0].o);
    if (!b)
        return java_throw(run, J_ARITHMETIC, a ? "Division by zero" : "Division undefined");
    out->i = (int64_t)(a / b);
    return a / b == out->i || java_throw(run, J_ARITHMETIC, "Overflow");
}

/* Towards zero. */
JAVA_CALL(duration_truncated)
{
    JAVA_UNUSED;
    if (!java_require(run, args[0].o, "unit"))
        return false;
    enum chrono_unit unit = (enum chrono_unit)java_ordinal(args[0].o);
    int64_t of_day = self->o->when.day % SECONDS_A_DAY * NANOS_A_SECOND + self->o->when.nanos, whole;
    return chrono_truncate(run, unit, of_day, &whole) && duration_of_nanos(run, nanos_of(self->o) - of_day + whole, &out->o);
}

/* ---- Period ---- */

bool period_of_parts(struct java_run *run, java_wide years, java_wide months, java_wide days, struct java_object **out)
{
    int64_t y, m, d;
    if (!java_exact_int(run, years, &y) || !java_exact_int(run, months, &m) || !java_exact_int(run, days, &d) || !(*out = java_new(run, J_TIME_PERIOD)))
        return false;
    (*out)->period.years = (int32_t)y;
    (*out)->period.months = (int32_t)m;
    (*out)->period.days = (int32_t)d;
    return true;
}

JAVA_CALL(period_of)
{
    JAVA_UNUSED;
    return period_of_parts(run, args[0].i, args[1].i, args[2].i, &out->o);
}

enum { PERIOD_YEARS, PERIOD_MONTHS, PERIOD_DAYS, PERIOD_WEEKS };

/* So many of one part. */
static bool with_part(struct java_run *run, const struct java_object *o, int part, java_wide amount, bool add, struct java_object **out)
{
    java_wide parts[] = { o ? o->period.years : 0, o ? o->period.months : 0, o ? o->period.days : 0 };
    int64_t sum;
    if (add && !java_exact(run, parts[part] + amount, &sum)) /* first as a long */
        return false;
    parts[part] = add ? parts[part] + amount : amount;
    return period_of_parts(run, parts[0], parts[1], parts[2], out);
}

JAVA_CALL(period_of_part)
{
    JAVA_UNUSED;
    bool weeks = method->variant == PERIOD_WEEKS;
    return with_part(run, NULL, weeks ? PERIOD_DAYS : method->variant, args[0].i * (weeks ? DAYS_A_WEEK : 1), false, &out->o);
}

JAVA_CALL(period_with)
{
    JAVA_UNUSED;
    return with_part(run, self->o, method->variant, args[0].i, false, &out->o);
}

JAVA_CALL(period_plus_part)
{
    JAVA_UNUSED;
    return with_part(run, self->o, method->variant, args[0].i, true, &out->o);
}

JAVA_CALL(period_minus_part)
{
    JAVA_UNUSED;
    return with_part(run, self->o, method->variant, -(java_wide)args[0].i, true, &out->o);
}

static int32_t part_of(const struct java_object *o, int part)
{
    return part == PERIOD_YEARS ? o->period.years : part == PERIOD_MONTHS ? o->period.months : o->period.days;
}

JAVA_CALL(period_part)
{
    JAVA_UNUSED;
    out->i = part_of(self->o, method->variant);
    return true;
}

JAVA_CALL(period_get)
{
    JAVA_UNUSED;
    int64_t unit = args[0].o ? java_ordinal(args[0].o) : UNIT_FOREVER;
    if (unit != UNIT_YEARS && unit != UNIT_MONTHS && unit != UNIT_DAYS)
        return java_throw(run, J_UNSUPPORTED_TEMPORAL, "Unsupported unit: %s", args[0].o ? java_enum_text(J_CHRONO_UNIT, unit) : "null");
    out->i = part_of(self->o, unit == UNIT_YEARS ? PERIOD_YEARS : unit == UNIT_MONTHS ? PERIOD_MONTHS : PERIOD_DAYS);
    return true;
}

static int64_t total_months(const struct java_object *o)
{
    return (int64_t)o->period.years * MONTHS_A_YEAR + o->period.months;
}

enum { PERIOD_ZERO, PERIOD_NEGATIVE, PERIOD_TOTAL };

JAVA_CALL(period_is)
{
    int32_t y = self->o->period.years, m = self->o->period.months, d = self->o->period.days;
    JAVA_UNUSED;
    out->i = method->variant == PERIOD_TOTAL ? total_months(self->o) : method->variant == PERIOD_ZERO ? !y && !m && !d : y < 0 || m < 0 || d < 0;
    return true;
}

JAVA_CALL(period_normalized)
{
    int64_t months = total_months(self->o);
    JAVA_UNUSED;
    return period_of_parts(run, months / MONTHS_A_YEAR, months % MONTHS_A_YEAR, self->o->period.days, &out->o);
}

JAVA_CALL(period_multiplied)
{
    int64_t by = method->args[0] ? args[0].i : -1; /* negated */
    JAVA_UNUSED;
    return period_of_parts(run, (java_wide)self->o->period.years * by, (java_wide)self->o->period.months * by, (java_wide)self->o->period.days * by, &out->o);
}

static bool check_period(struct java_run *run, const struct java_object *amount)
{
    if (!java_require(run, amount, "amount"))
        return false;
    return amount->kind == J_TIME_PERIOD || java_throw(run, J_DATE_TIME, "Unit must be Years, Months or Days, but was Seconds");
}

JAVA_CALL(period_add)
{
    int sign = method->variant ? -1 : 1;
    const struct java_object *o = self->o, *by = args[0].o;
    JAVA_UNUSED;
    return check_period(run, by) && period_of_parts(run, (java_wide)o->period.years + sign * (java_wide)by->period.years,
                                               (java_wide)o->period.months + sign * (java_wide)by->period.months,
                                               (java_wide)o->period.days + sign * (java_wide)by->period.days, &out->o);
}

JAVA_CALL(period_from)
{
    JAVA_UNUSED;
    out->o = args[0].o;
    return check_period(run, args[0].o);
}

JAVA_CALL(duration_from)
{
    JAVA_UNUSED;
    out->o = args[0].o;
    if (!java_require(run, args[0].o, "amount"))
        return false;
    return args[0].o->kind == J_TIME_DURATION || java_throw(run, J_UNSUPPORTED_TEMPORAL, "Unit must not have an estimated duration");
}

JAVA_CALL(period_between)
{
    const struct java_object *from = method->flags & JAVA_STATIC ? args[0].o : self->o, *to = args[(method->flags & JAVA_STATIC) != 0].o;
    JAVA_UNUSED;
    if (!java_check_read(run, from, "invoke \"java.time.LocalDate.until(java.time.chrono.ChronoLocalDate)\"", "startDateInclusive") ||
        !java_require(run, to, "temporal"))
        return false;
    struct civil a = civil_of_days(from->when.day), b = civil_of_days(to->when.day);
    int64_t months = chrono_month_of(b) - chrono_month_of(a), days = b.day - a.day, there;
    if (months > 0 && days < 0) {
        if (!chrono_in_month(run, chrono_month_of(a) + --months, a.day, &there))
            return false;
        days = to->when.day - there;
    } else if (months < 0 && days > 0) {
        months++;
        days -= days_of_month(b.year, b.month);
    }
    return period_of_parts(run, months / MONTHS_A_YEAR, months % MONTHS_A_YEAR, days, &out->o);
}

/* ---- added to a point in time ---- */

bool java_amount_add(struct java_run *run, const struct java_object *amount, struct java_object *to, bool subtract, struct java_object **out)
{
    bool (*add)(struct java_run *, struct java_object *, int64_t, enum chrono_unit, struct java_object **) = subtract ? temporal_minus : temporal_plus;
    bool period = amount->kind == J_TIME_PERIOD;
    const struct {
        int64_t amount;
        enum chrono_unit unit;
    } parts[] = { { period ? amount->period.months ? total_months(amount) : amount->period.years : amount->when.day,
                    period ? amount->period.months ? UNIT_MONTHS : UNIT_YEARS : UNIT_SECONDS },
                  { period ? amount->period.days : amount->when.nanos, period ? UNIT_DAYS : UNIT_NANOS } };

    *out = to;
    for (int i = 0; i < 2; i++)
        if (parts[i].amount && !add(run, *out, parts[i].amount, parts[i].unit, out))
            return false;
    return true;
}

JAVA_CALL(amount_add_to)
{
    JAVA_UNUSED;
    out->o = args[0].o;
    if (self->o->kind == J_TIME_PERIOD
            ? !java_require(run, args[0].o, "temporal")
            : !args[0].o && (self->o->when.day || self->o->when.nanos) &&
                  !java_check_read(run, NULL,
                                   method->variant ? "invoke \"java.time.temporal.Temporal.minus(long, java.time.temporal.TemporalUnit)\""
                                                   : "invoke \"java.time.temporal.Temporal.plus(long, java.time.temporal.TemporalUnit)\"",
                                   "temporal"))
        return false;
    return !args[0].o || java_amount_add(run, self->o, args[0].o, method->variant, &out->o);
}

/* ---- as objects ---- */

static bool duration_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    (void)run;
    return nanos_of(a) == nanos_of(b);
}

static uint32_t duration_hash(struct java_run *run, const struct java_object *o)
{
    enum { NANOS_FACTOR = 51 };
    (void)run;
    return java_fold_hash((uint64_t)o->when.day) + NANOS_FACTOR * (uint32_t)o->when.nanos;
}

static bool duration_compare(struct java_run *run, const struct java_object *a, const struct java_object *b, int *out)
{
    (void)run;
    *out = a->when.day != b->when.day ? (a->when.day > b->when.day) - (a->when.day < b->when.day) : (int)(a->when.nanos - b->when.nanos);
    return true;
}

/* There is one that is nothing. */
static bool duration_same(const struct java_object *a, const struct java_object *b)
{
    return !(a->when.day | a->when.nanos | b->when.day | b->when.nanos);
}

const struct java_object_ops java_time_duration_ops = {
    .same = duration_same, .equals = duration_equals, .hash = duration_hash, .compare = duration_compare, .print = java_duration_print
};

static bool period_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    (void)run;
    return a->period.years == b->period.years && a->period.months == b->period.months && a->period.days == b->period.days;
}

static uint32_t turned(uint32_t v, unsigned by)
{
    return v << by | v >> (32 - by);
}

static uint32_t period_hash(struct java_run *run, const struct java_object *o)
{
    enum { MONTHS_TURNED = 8, DAYS_TURNED = 16 };
    (void)run;
    return (uint32_t)o->period.years + turned((uint32_t)o->period.months, MONTHS_TURNED) + turned((uint32_t)o->period.days, DAYS_TURNED);
}

static bool period_same(const struct java_object *a, const struct java_object *b)
{
    return !(a->period.years | a->period.months | a->period.days | b->period.years | b->period.months | b->period.days);
}

const struct java_object_ops java_time_period_ops = { .same = period_same, .equals = period_equals, .hash = period_hash, .print = java_period_print };

/* ---- the table ---- */

#define OF_UNIT(name, unit)                                                                                            \
    { J_TIME_DURATION, "of" name, J_TIME_DURATION, { J_LONG }, JAVA_STATIC, duration_of, unit },                      \
    { J_TIME_DURATION, "plus" name, J_TIME_DURATION, { J_LONG }, 0, duration_add_units, ADDS(unit) },                 \
    { J_TIME_DURATION, "minus" name, J_TIME_DURATION, { J_LONG }, 0, duration_add_units, SUBTRACTS(unit) }
#define PART(name, type, part) { J_TIME_DURATION, name, type, { 0 }, 0, duration_part, part }
#define OF_PART(name, part)                                                                                            \
    { J_TIME_PERIOD, "of" name, J_TIME_PERIOD, { J_INT }, JAVA_STATIC, period_of_part, part },                        \
    { J_TIME_PERIOD, "get" name, J_INT, { 0 }, 0, period_part, part },                                                \
    { J_TIME_PERIOD, "with" name, J_TIME_PERIOD, { J_INT }, 0, period_with, part },                                   \
    { J_TIME_PERIOD, "plus" name, J_TIME_PERIOD, { J_LONG }, 0, period_plus_part, part },                             \
    { J_TIME_PERIOD, "minus" name, J_TIME_PERIOD, { J_LONG }, 0, period_minus_part, part }

const struct java_method java_amount_methods[] = {
    { J_TEMPORAL_AMOUNT, "addTo", J_TEMPORAL, { J_TEMPORAL }, 0, amount_add_to, false },
    { J_TEMPORAL_AMOUNT, "subtractFrom", J_TEMPORAL, { J_TEMPORAL }, 0, amount_add_to, true },
    OF_UNIT("Days", UNIT_DAYS),
    OF_UNIT("Hours", UNIT_HOURS),
    OF_UNIT("Minutes", UNIT_MINUTES),
    OF_UNIT("Seconds", UNIT_SECONDS),
    OF_UNIT("Millis", UNIT_MILLIS),
    OF_UNIT("Nanos", UNIT_NANOS),
    { J_TIME_DURATION, "ofSeconds", J_TIME_DURATION, { J_LONG, J_LONG }, JAVA_STATIC, duration_of_both, 0 },
    { J_TIME_DURATION, "of", J_TIME_DURATION, { J_LONG, J_TEMPORAL_UNIT }, JAVA_STATIC, duration_add_units, UNIT_IN_ARGUMENT },
    { J_TIME_DURATION, "from", J_TIME_DURATION, { J_TEMPORAL_AMOUNT }, JAVA_STATIC, duration_from, 0 },
    { J_TIME_DURATION, "parse", J_TIME_DURATION, { J_CHAR_SEQUENCE }, JAVA_STATIC, java_duration_parse, 0 },
    { J_TIME_DURATION, "between", J_TIME_DURATION, { J_TEMPORAL, J_TEMPORAL }, JAVA_STATIC, duration_between, 0 },
    { J_TIME_DURATION, "plus", J_TIME_DURATION, { J_TIME_DURATION }, 0, duration_add, false },
    { J_TIME_DURATION, "plus", J_TIME_DURATION, { J_LONG, J_TEMPORAL_UNIT }, 0, duration_add_units, UNIT_IN_ARGUMENT },
    { J_TIME_DURATION, "minus", J_TIME_DURATION, { J_TIME_DURATION }, 0, duration_add, true },
    { J_TIME_DURATION, "minus", J_TIME_DURATION, { J_LONG, J_TEMPORAL_UNIT }, 0, duration_add_units, UNIT_IN_ARGUMENT | DURATION_MINUS },
    PART("getSeconds", J_LONG, DURATION_SECONDS),
    PART("toSeconds", J_LONG, DURATION_SECONDS),
    PART("getNano", J_INT, DURATION_NANO),
    PART("toNanosPart", J_INT, DURATION_NANO),
    PART("isZero", J_BOOLEAN, DURATION_ZERO),
    PART("isNegative", J_BOOLEAN, DURATION_NEGATIVE),
    PART("toDays", J_LONG, TO_DAYS),
    PART("toDaysPart", J_LONG, TO_DAYS),
    PART("toHours", J_LONG, TO_HOURS),
    PART("toMinutes", J_LONG, TO_MINUTES),
    PART("toHoursPart", J_INT, HOURS_PART),
    PART("toMinutesPart", J_INT, MINUTES_PART),
    PART("toSecondsPart", J_INT, SECONDS_PART),
    PART("toMillisPart", J_INT, MILLIS_PART),
    { J_TIME_DURATION, "toMillis", J_LONG, { 0 }, 0, duration_whole, UNIT_MILLIS },
    { J_TIME_DURATION, "toNanos", J_LONG, { 0 }, 0, duration_whole, UNIT_NANOS },
    { J_TIME_DURATION, "get", J_LONG, { J_TEMPORAL_UNIT }, 0, duration_get, 0 },
    { J_TIME_DURATION, "withSeconds", J_TIME_DURATION, { J_LONG }, 0, duration_with, DURATION_SECONDS },
    { J_TIME_DURATION, "withNanos", J_TIME_DURATION, { J_INT }, 0, duration_with, DURATION_NANO },
    { J_TIME_DURATION, "multipliedBy", J_TIME_DURATION, { J_LONG }, 0, duration_multiplied, 0 },
    { J_TIME_DURATION, "dividedBy", J_TIME_DURATION, { J_LONG }, 0, duration_divided, 0 },
    { J_TIME_DURATION, "dividedBy", J_LONG, { J_TIME_DURATION }, 0, duration_divided, 0 },
    { J_TIME_DURATION, "abs", J_TIME_DURATION, { 0 }, 0, duration_turned, DURATION_ABS },
    { J_TIME_DURATION, "negated", J_TIME_DURATION, { 0 }, 0, duration_turned, DURATION_NEGATED },
    { J_TIME_DURATION, "truncatedTo", J_TIME_DURATION, { J_TEMPORAL_UNIT }, 0, duration_truncated, 0 },
    { J_TIME_DURATION, "compareTo", J_INT, { J_TIME_DURATION }, 0, java_compare_to, 0 },

    OF_PART("Years", PERIOD_YEARS),
    OF_PART("Months", PERIOD_MONTHS),
    OF_PART("Days", PERIOD_DAYS),
    { J_TIME_PERIOD, "ofWeeks", J_TIME_PERIOD, { J_INT }, JAVA_STATIC, period_of_part, PERIOD_WEEKS },
    { J_TIME_PERIOD, "of", J_TIME_PERIOD, { J_INT, J_INT, J_INT }, JAVA_STATIC, period_of, 0 },
    { J_TIME_PERIOD, "from", J_TIME_PERIOD, { J_TEMPORAL_AMOUNT }, JAVA_STATIC, period_from, 0 },
    { J_TIME_PERIOD, "parse", J_TIME_PERIOD, { J_CHAR_SEQUENCE }, JAVA_STATIC, java_period_parse, 0 },
    { J_TIME_PERIOD, "between", J_TIME_PERIOD, { J_TIME_LOCAL_DATE, J_TIME_LOCAL_DATE }, JAVA_STATIC, period_between, 0 },
    { J_TIME_LOCAL_DATE, "until", J_TIME_PERIOD, { J_CHRONO_LOCAL_DATE }, 0, period_between, 0 },
    { J_TIME_PERIOD, "get", J_LONG, { J_TEMPORAL_UNIT }, 0, period_get, 0 },
    { J_TIME_PERIOD, "isZero", J_BOOLEAN, { 0 }, 0, period_is, PERIOD_ZERO },
    { J_TIME_PERIOD, "isNegative", J_BOOLEAN, { 0 }, 0, period_is, PERIOD_NEGATIVE },
    { J_TIME_PERIOD, "toTotalMonths", J_LONG, { 0 }, 0, period_is, PERIOD_TOTAL },
    { J_TIME_PERIOD, "normalized", J_TIME_PERIOD, { 0 }, 0, period_normalized, 0 },
    { J_TIME_PERIOD, "multipliedBy", J_TIME_PERIOD, { J_INT }, 0, period_multiplied, 0 },
    { J_TIME_PERIOD, "negated", J_TIME_PERIOD, { 0 }, 0, period_multiplied, 0 },
    { J_TIME_PERIOD, "plus", J_TIME_PERIOD, { J_TEMPORAL_AMOUNT }, 0, period_add, false },
    { J_TIME_PERIOD, "minus", J_TIME_PERIOD, { J_TEMPORAL_AMOUNT }, 0, period_add, true },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};

static struct java_object no_duration = { .kind = J_TIME_DURATION }, no_period = { .kind = J_TIME_PERIOD };

const struct java_constant java_amount_constants[] = {
    { J_TIME_DURATION, "ZERO", J_TIME_DURATION, { .o = &no_duration }, java_constant_is_object },
    { J_TIME_PERIOD, "ZERO", J_TIME_PERIOD, { .o = &no_period }, java_constant_is_object },
    { J_ERROR, NULL, J_ERROR, { .i = 0 }, NULL },
};
