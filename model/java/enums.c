/* Java's enums: an object of one is its ordinal. */
#include "model/java/big.h"
#include "model/java/object_ops.h"
#include "model/java/time_format.h"

#define DAYS_OF_WEEK(X) X(MONDAY, NULL) X(TUESDAY, NULL) X(WEDNESDAY, NULL) X(THURSDAY, NULL) X(FRIDAY, NULL) X(SATURDAY, NULL) X(SUNDAY, NULL)
#define MONTHS(X)                                                                                                      \
    X(JANUARY, NULL) X(FEBRUARY, NULL) X(MARCH, NULL) X(APRIL, NULL) X(MAY, NULL) X(JUNE, NULL) X(JULY, NULL) X(AUGUST, NULL)         \
    X(SEPTEMBER, NULL) X(OCTOBER, NULL) X(NOVEMBER, NULL) X(DECEMBER, NULL)
#define MODES(X)                                                                                                       \
    X(UP, NULL) X(DOWN, NULL) X(CEILING, NULL) X(FLOOR, NULL) X(HALF_UP, NULL) X(HALF_DOWN, NULL) X(HALF_EVEN, NULL) X(UNNECESSARY, NULL)
#define STYLES(X)                                                                                                      \
    X(FULL, NULL) X(FULL_STANDALONE, NULL) X(SHORT, NULL) X(SHORT_STANDALONE, NULL) X(NARROW, NULL) X(NARROW_STANDALONE, NULL)

#define RESOLVERS(X) X(STRICT, NULL) X(SMART, NULL) X(LENIENT, NULL)

struct constant {
    const char *name, *shown; /* shown NULL: as it is named */
};
#define AS_CONSTANT(name, shown) { #name, shown },

static const struct constant days[] = { DAYS_OF_WEEK(AS_CONSTANT) { NULL, NULL } }, months[] = { MONTHS(AS_CONSTANT) { NULL, NULL } },
                             modes[] = { MODES(AS_CONSTANT) { NULL, NULL } }, styles[] = { STYLES(AS_CONSTANT) { NULL, NULL } }, resolvers[] = { RESOLVERS(AS_CONSTANT) { NULL, NULL } },
                             fields[] = { CHRONO_FIELDS(AS_CONSTANT) { NULL, NULL } }, iso_fields[] = { ISO_FIELDS(AS_CONSTANT) { NULL, NULL } }, units[] = { CHRONO_UNITS(AS_CONSTANT) { NULL, NULL } };

static const struct constant *const enums[J_KIND_COUNT] = {
    [J_DAY_OF_WEEK] = days, [J_MONTH] = months,          [J_ROUNDING_MODE] = modes,
    [J_TEXT_STYLE] = styles, [J_CHRONO_FIELD] = fields, [J_CHRONO_UNIT] = units, [J_RESOLVER_STYLE] = resolvers, [J_ISO_FIELD] = iso_fields,
};

int64_t java_ordinal(const struct java_object *constant)
{
    return constant->value.i;
}

bool java_enum_new(struct java_run *run, enum java_kind kind, int64_t ordinal, struct java_object **out)
{
    if (!(*out = java_new(run, kind)))
        return false;
    (*out)->value.i = ordinal;
    return true;
}

const char *java_enum_text(enum java_kind kind, int64_t ordinal)
{
    const struct constant *c = &enums[kind][ordinal];
    return c->shown ? c->shown : c->name;
}

enum chrono_field chrono_field_of(const struct java_object *constant)
{
    return (enum chrono_field)(java_ordinal(constant) + (constant->kind == J_ISO_FIELD ? ISO_FIELDS_FROM : 0));
}

const char *chrono_field_text(enum chrono_field field)
{
    return field < ISO_FIELDS_FROM ? java_enum_text(J_CHRONO_FIELD, field) : java_enum_text(J_ISO_FIELD, field - ISO_FIELDS_FROM);
}

/* ---- what any of them is asked ---- */

JAVA_CALL(enum_ordinal)
{
    JAVA_UNUSED;
    out->i = java_ordinal(self->o);
    return true;
}

JAVA_CALL(enum_name)
{
    JAVA_UNUSED;
    return java_string_of_utf8(run, slice_str(enums[self->o->kind][java_ordinal(self->o)].name), &out->o);
}

JAVA_CALL(enum_class)
{
    JAVA_UNUSED;
    return java_get_class(run, method, self, args, out);
}

static uint32_t count_of(enum java_kind kind)
{
    uint32_t n = 0;
    while (enums[kind][n].name)
        n++;
    return n;
}

JAVA_CALL(enum_values)
{
    uint32_t n = count_of(method->of);
    struct java_object **items = java_alloc(run, n * sizeof *items);
    JAVA_UNUSED;
    for (uint32_t i = 0; i < n; i++)
        if (!items || !java_enum_new(run, method->of, i, &items[i]))
            return false;
    return java_array_of_items(run, method->of, items, n, &out->o);
}

JAVA_CALL(enum_value_of)
{
    struct slice name;
    JAVA_UNUSED;
    if (!args[0].o)
        return java_throw(run, J_NULL_POINTER, "Name is null");
    if (!java_utf8(run, args[0].o, &name))
        return false;
    for (uint32_t i = 0; enums[method->of][i].name; i++)
        if (slice_eq_str(name, enums[method->of][i].name))
            return java_enum_new(run, method->of, i, &out->o);
    return java_throw(run, J_ILLEGAL_ARGUMENT, "No enum constant %s.%.*s", java_class_full_name(method->of), SLICE_ARG(name));
}

static bool enum_same(const struct java_object *a, const struct java_object *b)
{
    return java_ordinal(a) == java_ordinal(b);
}

/* How far one stands behind the other. */
static bool enum_compare(struct java_run *run, const struct java_object *a, const struct java_object *b, int *out)
{
    (void)run;
    *out = (int)(java_ordinal(a) - java_ordinal(b));
    return true;
}

static bool enum_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    const char *text = java_enum_text(o->kind, java_ordinal(o));
    (void)run;
    java_put_ascii(utf16, text, strlen(text));
    return true;
}

const struct java_object_ops java_enum_ops = { .same = enum_same, .equals = java_value_equals, .compare = enum_compare, .print = enum_print };

/* ---- days of the week, months ---- */

JAVA_CALL(enum_number)
{
    JAVA_UNUSED;
    out->i = java_ordinal(self->o) + 1;
    return true;
}

JAVA_CALL(enum_of_number)
{
    int64_t n = args[0].i;
    JAVA_UNUSED;
    if (n < 1 || n > count_of(method->of))
        return java_throw(run, J_DATE_TIME, "Invalid value for %s: %d", method->of == J_MONTH ? "MonthOfYear" : "DayOfWeek", (int)n);
    return java_enum_new(run, method->of, n - 1, &out->o);
}

enum { ENUM_PLUS, ENUM_MINUS };

JAVA_CALL(enum_turn)
{
    int64_t count = count_of(method->of), by = args[0].i % count;
    JAVA_UNUSED;
    return java_enum_new(run, method->of, floor_mod(java_ordinal(self->o) + (method->variant == ENUM_MINUS ? -by : by), count), &out->o);
}

enum { MONTH_LENGTH, MONTH_LEAST, MONTH_MOST, MONTH_FIRST_DAY };

JAVA_CALL(month_part)
{
    enum { LEAP = 2000, PLAIN = 2001 };
    int month = (int)java_ordinal(self->o) + 1;
    int64_t year = method->variant == MONTH_MOST || (method->args[0] && args[0].i) ? LEAP : PLAIN;
    JAVA_UNUSED;
    out->i = method->variant == MONTH_FIRST_DAY ? days_of_civil((struct civil){ year, month, 1 }) - days_of_civil((struct civil){ year, 1, 1 }) + 1
                                                : days_of_month(year, month);
    return true;
}

JAVA_CALL(month_quarter)
{
    JAVA_UNUSED;
    return java_enum_new(run, J_MONTH, java_ordinal(self->o) / 3 * 3, &out->o);
}

JAVA_CALL(enum_display)
{
    char text[TIME_TEXT_MOST];
    JAVA_UNUSED;
    if (!java_require(run, args[0].o, "textStyle") || !java_require(run, args[1].o, "locale"))
        return false;
    enum time_style style = (enum time_style)(java_ordinal(args[0].o) / 2); /* standing alone or not */
    size_t len =
        chrono_text(self->o->kind == J_MONTH ? CHRONO_MONTH_OF_YEAR : CHRONO_DAY_OF_WEEK, java_ordinal(self->o) + 1, style, java_ordinal(args[1].o), text);
    return java_string_of_utf8(run, slice_of(text, len), &out->o);
}

/* ---- units and fields ---- */

enum { IS_DATE_BASED, IS_TIME_BASED, IS_ESTIMATED };

JAVA_CALL(unit_is)
{
    int64_t unit = java_ordinal(self->o);
    JAVA_UNUSED;
    out->i = method->variant == IS_TIME_BASED ? unit < UNIT_DAYS : unit >= UNIT_DAYS && (unit != UNIT_FOREVER || method->variant == IS_ESTIMATED);
    return true;
}

JAVA_CALL(unit_length)
{
    enum chrono_unit unit = (enum chrono_unit)java_ordinal(self->o);
    int64_t seconds = chrono_unit_seconds(unit);
    JAVA_UNUSED;
    int64_t nanos = unit == UNIT_FOREVER ? NANOS_A_SECOND - 1 : seconds ? 0 : chrono_unit_nanos(unit);
    return (out->o = temporal_new(run, J_TIME_DURATION, (struct java_when){ seconds, nanos, NULL, 0 })) != NULL;
}

JAVA_CALL(field_is)
{
    enum chrono_field field = chrono_field_of(self->o);
    JAVA_UNUSED;
    out->i = method->variant == IS_TIME_BASED ? field < CHRONO_DAY_OF_WEEK
                                              : field >= CHRONO_DAY_OF_WEEK && field != CHRONO_INSTANT_SECONDS && field != CHRONO_OFFSET_SECONDS;
    return true;
}

enum { CHECK_LONG, CHECK_INT };

JAVA_CALL(field_check)
{
    enum chrono_field field = chrono_field_of(self->o);
    JAVA_UNUSED;
    out->i = args[0].i;
    return method->variant == CHECK_INT ? chrono_check_int(run, field, args[0].i) : chrono_check(run, field, args[0].i);
}

/* ---- the table ---- */

#define OF_ENUM(kind)                                                                                                  \
    { kind, "values", JX_ARRAY_OF_SELF, { 0 }, JAVA_STATIC, enum_values, 0 },                                         \
    { kind, "valueOf", kind, { J_STRING }, JAVA_STATIC, enum_value_of, 0 },                                           \
    { kind, "compareTo", J_INT, { kind }, 0, java_compare_to, 0 }
#define OF_NUMBER(kind)                                                                                                \
    { kind, "of", kind, { J_INT }, JAVA_STATIC, enum_of_number, 0 },                                                  \
    { kind, "getValue", J_INT, { 0 }, 0, enum_number, 0 },                                                            \
    { kind, "plus", kind, { J_LONG }, 0, enum_turn, ENUM_PLUS },                                                      \
    { kind, "minus", kind, { J_LONG }, 0, enum_turn, ENUM_MINUS },                                                    \
    { kind, "getDisplayName", J_STRING, { J_TEXT_STYLE, J_LOCALE }, 0, enum_display, 0 }

const struct java_method java_enum_methods[] = {
    { J_ENUM, "ordinal", J_INT, { 0 }, 0, enum_ordinal, 0 },
    { J_ENUM, "name", J_STRING, { 0 }, 0, enum_name, 0 },
    { J_ENUM, "getDeclaringClass", JX_CLASS_OF_SELF, { 0 }, 0, enum_class, 0 },
    OF_ENUM(J_ROUNDING_MODE),
    OF_ENUM(J_TEXT_STYLE),
    OF_ENUM(J_RESOLVER_STYLE),
    OF_ENUM(J_CHRONO_FIELD),
    OF_ENUM(J_CHRONO_UNIT),
    OF_ENUM(J_DAY_OF_WEEK),
    OF_NUMBER(J_DAY_OF_WEEK),
    OF_ENUM(J_MONTH),
    OF_NUMBER(J_MONTH),
    { J_MONTH, "length", J_INT, { J_BOOLEAN }, 0, month_part, MONTH_LENGTH },
    { J_MONTH, "minLength", J_INT, { 0 }, 0, month_part, MONTH_LEAST },
    { J_MONTH, "maxLength", J_INT, { 0 }, 0, month_part, MONTH_MOST },
    { J_MONTH, "firstDayOfYear", J_INT, { J_BOOLEAN }, 0, month_part, MONTH_FIRST_DAY },
    { J_MONTH, "firstMonthOfQuarter", J_MONTH, { 0 }, 0, month_quarter, 0 },
    { J_TEMPORAL_UNIT, "isDateBased", J_BOOLEAN, { 0 }, 0, unit_is, IS_DATE_BASED },
    { J_TEMPORAL_UNIT, "isTimeBased", J_BOOLEAN, { 0 }, 0, unit_is, IS_TIME_BASED },
    { J_TEMPORAL_UNIT, "isDurationEstimated", J_BOOLEAN, { 0 }, 0, unit_is, IS_ESTIMATED },
    { J_TEMPORAL_UNIT, "getDuration", J_TIME_DURATION, { 0 }, 0, unit_length, 0 },
    { J_TEMPORAL_FIELD, "isDateBased", J_BOOLEAN, { 0 }, 0, field_is, IS_DATE_BASED },
    { J_TEMPORAL_FIELD, "isTimeBased", J_BOOLEAN, { 0 }, 0, field_is, IS_TIME_BASED },
    { J_CHRONO_FIELD, "checkValidValue", J_LONG, { J_LONG }, 0, field_check, CHECK_LONG },
    { J_CHRONO_FIELD, "checkValidIntValue", J_INT, { J_LONG }, 0, field_check, CHECK_INT },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};

#define ROUNDING(name, shown) { J_ROUNDING_MODE, #name, J_ROUNDING_MODE, { .i = ROUND_##name }, NULL },
#define FIELD(name, shown)    { J_CHRONO_FIELD, #name, J_CHRONO_FIELD, { .i = CHRONO_##name }, NULL },
#define ISO_FIELD(name, shown) { J_ISO_FIELDS, #name, J_ISO_FIELD, { .i = CHRONO_##name - ISO_FIELDS_FROM }, NULL },
#define UNIT(name, shown)     { J_CHRONO_UNIT, #name, J_CHRONO_UNIT, { .i = UNIT_##name }, NULL },
#define NUMBERED(name, shown) OF_##name,
enum { DAYS_OF_WEEK(NUMBERED) DAYS_OF_WEEK_END };
enum { MONTHS(NUMBERED) MONTHS_END };
enum { STYLES(NUMBERED) STYLES_END };
enum { RESOLVERS(NUMBERED) RESOLVERS_END };
#define DAY(name, shown)   { J_DAY_OF_WEEK, #name, J_DAY_OF_WEEK, { .i = OF_##name }, NULL },
#define MONTH(name, shown) { J_MONTH, #name, J_MONTH, { .i = OF_##name }, NULL },
#define RESOLVER(name, shown) { J_RESOLVER_STYLE, #name, J_RESOLVER_STYLE, { .i = OF_##name }, NULL },
#define STYLE(name, shown) { J_TEXT_STYLE, #name, J_TEXT_STYLE, { .i = OF_##name }, NULL },

const struct java_constant java_enum_constants[] = {
    MODES(ROUNDING) CHRONO_FIELDS(FIELD) ISO_FIELDS(ISO_FIELD) CHRONO_UNITS(UNIT) DAYS_OF_WEEK(DAY) MONTHS(MONTH) STYLES(STYLE) RESOLVERS(RESOLVER)
    { J_ERROR, NULL, J_ERROR, { .i = 0 }, NULL },
};
