/* java.time.format.DateTimeFormatter's methods, and those that a point in time has of it. */
#include "model/java/object_ops.h"
#include "model/java/time_format.h"

static bool formatter_new(struct java_run *run, const struct time_format *format, union java_value *out)
{
    if (!(out->o = java_new(run, J_DATE_TIME_FORMATTER)))
        return false;
    out->o->formatter.format = format;
    return true;
}

JAVA_CALL(formatter_of_pattern)
{
    struct time_format *format;
    JAVA_UNUSED;
    if (!java_require(run, args[0].o, "pattern") || (method->args[1] && !java_require(run, args[1].o, "locale")) ||
        !time_format_compile(run, args[0].o, false, &format))
        return false;
    if (method->args[1])
        format->locale = java_ordinal(args[1].o);
    return formatter_new(run, format, out);
}

/* ---- those that Java has: in patterns whose control characters time_pattern.c knows ---- */

#define DATE     "\1-MM-dd"
#define TIME     "HH:mm[:ss[\2]]"
#define SHOWN_DATE "Value(Year,4,10,EXCEEDS_PAD)'-'Value(MonthOfYear,2)'-'Value(DayOfMonth,2)"
#define SHOWN_TIME "Value(HourOfDay,2)':'Value(MinuteOfHour,2)[':'Value(SecondOfMinute,2)[Fraction(NanoOfSecond,0,9,DecimalPoint)]]"
#define SHOWN_OFFSET "Offset(+HH:MM:ss,'Z')"
#define SHOWN_BOTH "ParseCaseSensitive(false)(" SHOWN_DATE ")'T'(" SHOWN_TIME ")"
#define SHOWN_ZONE "['['ParseCaseSensitive(true)ZoneRegionId()']']"
#define LENIENT  "\x13"
#define STRICT   "\x12"
#define ANY_CASE "\x11"

enum own { ISO_LOCAL_DATE, ISO_LOCAL_TIME, ISO_LOCAL_DATE_TIME, ISO_DATE, ISO_TIME, ISO_DATE_TIME, ISO_OFFSET_DATE, ISO_OFFSET_TIME, ISO_OFFSET_DATE_TIME,
           ISO_ZONED_DATE_TIME, ISO_INSTANT, ISO_ORDINAL_DATE, ISO_WEEK_DATE, BASIC_ISO_DATE, RFC_1123_DATE_TIME, OF_YEAR, OF_YEAR_MONTH };

static const struct {
    const char *pattern, *shown;
    bool smart;
} own[] = {
    [ISO_LOCAL_DATE] = { DATE, SHOWN_DATE, false },
    [ISO_LOCAL_TIME] = { TIME, SHOWN_TIME, false },
    [ISO_LOCAL_DATE_TIME] = { ANY_CASE DATE "'T'" TIME, SHOWN_BOTH, false },
    [ISO_DATE] = { ANY_CASE DATE "[\3]", "ParseCaseSensitive(false)(" SHOWN_DATE ")[" SHOWN_OFFSET "]", false },
    [ISO_TIME] = { ANY_CASE TIME "[\3]", "ParseCaseSensitive(false)(" SHOWN_TIME ")[" SHOWN_OFFSET "]", false },
    [ISO_DATE_TIME] = { ANY_CASE DATE "'T'" TIME "[\3['['\x10\4']']]", "(" SHOWN_BOTH ")[" SHOWN_OFFSET SHOWN_ZONE "]", false },
    [ISO_OFFSET_DATE] = { ANY_CASE DATE "\3", "ParseCaseSensitive(false)(" SHOWN_DATE ")" SHOWN_OFFSET, false },
    [ISO_OFFSET_TIME] = { ANY_CASE TIME "\3", "ParseCaseSensitive(false)(" SHOWN_TIME ")" SHOWN_OFFSET, false },
    [ISO_OFFSET_DATE_TIME] = { ANY_CASE DATE "'T'" TIME LENIENT "\3" STRICT,
                               "ParseCaseSensitive(false)(" SHOWN_BOTH ")ParseStrict(false)" SHOWN_OFFSET "ParseStrict(true)", false },
    [ISO_ZONED_DATE_TIME] = { ANY_CASE DATE "'T'" TIME LENIENT "\3" STRICT "['['\x10\4']']",
                              "(ParseCaseSensitive(false)(" SHOWN_BOTH ")ParseStrict(false)" SHOWN_OFFSET "ParseStrict(true))" SHOWN_ZONE, false },
    [ISO_INSTANT] = { ANY_CASE DATE "'T'HH:mm:ss\2\3", "ParseCaseSensitive(false)Instant()", false },
    [ISO_ORDINAL_DATE] = { ANY_CASE "\1-DDD[\3]", "ParseCaseSensitive(false)Value(Year,4,10,EXCEEDS_PAD)'-'Value(DayOfYear,3)[" SHOWN_OFFSET "]", false },
    [ISO_WEEK_DATE] = { ANY_CASE "\x16'-W'\x17-\x18[\3]", "ParseCaseSensitive(false)Value(WeekBasedYear,4,10,EXCEEDS_PAD)'-W'Value(WeekOfWeekBasedYear,2)'-'Value(DayOfWeek,1)[" SHOWN_OFFSET "]", false },
    [BASIC_ISO_DATE] = { ANY_CASE "\6MMdd[" LENIENT "\7" STRICT "]",
                         "ParseCaseSensitive(false)Value(Year,4)Value(MonthOfYear,2)Value(DayOfMonth,2)[ParseStrict(false)Offset(+HHMMss,'Z')ParseStrict(true)]", false },
    [RFC_1123_DATE_TIME] = { ANY_CASE LENIENT "[EEE', ']\x14 MMM \6 HH:mm[:ss] \5",
                             "ParseCaseSensitive(false)ParseStrict(false)[Text(DayOfWeek)', ']Value(DayOfMonth,1,2,NOT_NEGATIVE)' 'Text(MonthOfYear)' 'Value(Year,4)' "
                             "'Value(HourOfDay,2)':'Value(MinuteOfHour,2)[':'Value(SecondOfMinute,2)]' 'Offset(+HHMM,'GMT')",
                             true },
    [OF_YEAR] = { LENIENT "\x15", "", true },
    [OF_YEAR_MONTH] = { "\1-MM", "", true },
};

static bool own_format(struct java_run *run, enum own which, struct time_format **out)
{
    struct java_object *pattern;
    if (!java_string_of_utf8(run, slice_str(own[which].pattern), &pattern) || !time_format_compile(run, pattern, true, out))
        return false;
    (*out)->shown = own[which].shown;
    (*out)->strict = !own[which].smart;
    (*out)->instant = which == ISO_INSTANT;
    return true;
}

/* A constant is nothing but which of them it is, until it is asked. */
static bool format_of(struct java_run *run, const struct java_object *o, struct time_format **out)
{
    if (!o->formatter.format)
        return own_format(run, (enum own)o->formatter.own, out);
    if (!(*out = java_alloc(run, sizeof **out)))
        return false;
    **out = *o->formatter.format;
    return true;
}

/* ---- the same with something else ---- */

enum { WITH_ZONE, WITH_LOCALE, WITH_STYLE };

JAVA_CALL(formatter_with)
{
    enum { STRICT_STYLE, SMART_STYLE, LENIENT_STYLE };
    struct time_format *format;
    JAVA_UNUSED;
    if (method->variant != WITH_ZONE && !args[0].o && method->variant == WITH_LOCALE)
        return java_null_argument(run);
    if (!format_of(run, self->o, &format))
        return false;
    if (method->variant == WITH_ZONE) {
        format->zone = args[0].o;
    } else if (method->variant == WITH_LOCALE) {
        format->locale = java_ordinal(args[0].o);
    } else {
        if (!java_require(run, args[0].o, "resolverStyle"))
            return false;
        if (java_ordinal(args[0].o) == LENIENT_STYLE)
            return java_throw(run, J_UNSUPPORTED, "ResolverStyle.LENIENT is not supported here");
        format->strict = java_ordinal(args[0].o) == STRICT_STYLE;
    }
    return formatter_new(run, format, out);
}

/* ---- print and read ---- */

JAVA_CALL(formatter_print)
{
    bool of_formatter = method->of == J_DATE_TIME_FORMATTER;
    const struct java_object *formatter = of_formatter ? self->o : args[0].o;
    struct java_object *o = of_formatter ? args[0].o : self->o;
    struct time_format *format;
    JAVA_UNUSED;
    return java_require(run, o, "temporal") && java_require(run, formatter, "formatter") && format_of(run, formatter, &format) &&
           time_format_print(run, format, o, &out->o);
}

JAVA_CALL(formatter_read)
{
    struct time_format *format;
    JAVA_UNUSED;
    return java_require(run, args[0].o, "text") && format_of(run, self->o, &format) && time_format_read(run, format, args[0].o, &out->o);
}

/* LocalDate.parse and its kind: variant is the formatter that is meant where none is given. */
JAVA_CALL(temporal_parse)
{
    struct java_object *text = args[0].o, *parsed;
    struct time_format *format;
    JAVA_UNUSED;
    if (method->args[1] ? !java_require(run, args[1].o, "formatter") || !java_require(run, text, "text") || !format_of(run, args[1].o, &format)
                        : !java_require(run, text, "text") || !own_format(run, (enum own)method->variant, &format))
        return false;
    return time_format_read(run, format, text, &parsed) && (temporal_from(run, method->of, parsed, &out->o) || time_format_refuse(run, text));
}

static bool formatter_show(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    struct time_format *format;
    struct java_object *string;
    struct buf text;
    buf_init(&text, utf16->arena);
    return format_of(run, o, &format) && time_format_show(run, format, &text) && java_string_of_utf8(run, buf_slice(&text), &string) &&
           java_print(run, utf16, string);
}

const struct java_object_ops java_formatter_ops = { .print = formatter_show };

/* ---- the table ---- */

#define READ(kind, which)                                                                                              \
    { kind, "parse", kind, { J_CHAR_SEQUENCE }, JAVA_STATIC, temporal_parse, which },                                 \
    { kind, "parse", kind, { J_CHAR_SEQUENCE, J_DATE_TIME_FORMATTER }, JAVA_STATIC, temporal_parse, which }
#define PRINT(kind) { kind, "format", J_STRING, { J_DATE_TIME_FORMATTER }, 0, formatter_print, 0 }

const struct java_method java_formatter_methods[] = {
    { J_DATE_TIME_FORMATTER, "ofPattern", J_DATE_TIME_FORMATTER, { J_STRING }, JAVA_STATIC, formatter_of_pattern, 0 },
    { J_DATE_TIME_FORMATTER, "ofPattern", J_DATE_TIME_FORMATTER, { J_STRING, J_LOCALE }, JAVA_STATIC, formatter_of_pattern, 0 },
    { J_DATE_TIME_FORMATTER, "withZone", J_DATE_TIME_FORMATTER, { J_ZONE_ID }, 0, formatter_with, WITH_ZONE },
    { J_DATE_TIME_FORMATTER, "withLocale", J_DATE_TIME_FORMATTER, { J_LOCALE }, 0, formatter_with, WITH_LOCALE },
    { J_DATE_TIME_FORMATTER, "withResolverStyle", J_DATE_TIME_FORMATTER, { J_RESOLVER_STYLE }, 0, formatter_with, WITH_STYLE },
    { J_DATE_TIME_FORMATTER, "format", J_STRING, { J_TEMPORAL_ACCESSOR }, 0, formatter_print, 0 },
    { J_DATE_TIME_FORMATTER, "parse", J_TEMPORAL_ACCESSOR, { J_CHAR_SEQUENCE }, 0, formatter_read, 0 },
    READ(J_TIME_LOCAL_DATE, ISO_LOCAL_DATE),
    READ(J_TIME_LOCAL_TIME, ISO_LOCAL_TIME),
    READ(J_TIME_LOCAL_DATE_TIME, ISO_LOCAL_DATE_TIME),
    READ(J_TIME_OFFSET_DATE_TIME, ISO_OFFSET_DATE_TIME),
    READ(J_TIME_ZONED_DATE_TIME, ISO_ZONED_DATE_TIME),
    READ(J_TIME_YEAR, OF_YEAR),
    READ(J_TIME_YEAR_MONTH, OF_YEAR_MONTH),
    { J_TIME_INSTANT, "parse", J_TIME_INSTANT, { J_CHAR_SEQUENCE }, JAVA_STATIC, temporal_parse, ISO_INSTANT },
    PRINT(J_CHRONO_LOCAL_DATE),
    PRINT(J_CHRONO_LOCAL_DATE_TIME),
    PRINT(J_CHRONO_ZONED_DATE_TIME),
    PRINT(J_TIME_LOCAL_TIME),
    PRINT(J_TIME_OFFSET_DATE_TIME),
    PRINT(J_TIME_YEAR),
    PRINT(J_TIME_YEAR_MONTH),
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};

#define OWN(name)      static struct java_object own_##name = { .kind = J_DATE_TIME_FORMATTER, .formatter = { NULL, name } }
#define CONSTANT(name) { J_DATE_TIME_FORMATTER, #name, J_DATE_TIME_FORMATTER, { .o = &own_##name }, java_constant_is_object }

OWN(ISO_LOCAL_DATE);
OWN(ISO_LOCAL_TIME);
OWN(ISO_LOCAL_DATE_TIME);
OWN(ISO_DATE);
OWN(ISO_TIME);
OWN(ISO_DATE_TIME);
OWN(ISO_OFFSET_DATE);
OWN(ISO_OFFSET_TIME);
OWN(ISO_OFFSET_DATE_TIME);
OWN(ISO_ZONED_DATE_TIME);
OWN(ISO_INSTANT);
OWN(ISO_ORDINAL_DATE);
OWN(ISO_WEEK_DATE);
OWN(BASIC_ISO_DATE);
OWN(RFC_1123_DATE_TIME);

const struct java_constant java_formatter_constants[] = {
    CONSTANT(ISO_LOCAL_DATE),
    CONSTANT(ISO_LOCAL_TIME),
    CONSTANT(ISO_LOCAL_DATE_TIME),
    CONSTANT(ISO_DATE),
    CONSTANT(ISO_TIME),
    CONSTANT(ISO_DATE_TIME),
    CONSTANT(ISO_OFFSET_DATE),
    CONSTANT(ISO_OFFSET_TIME),
    CONSTANT(ISO_OFFSET_DATE_TIME),
    CONSTANT(ISO_ZONED_DATE_TIME),
    CONSTANT(ISO_INSTANT),
    CONSTANT(ISO_ORDINAL_DATE),
    CONSTANT(ISO_WEEK_DATE),
    CONSTANT(BASIC_ISO_DATE),
    CONSTANT(RFC_1123_DATE_TIME),
    { J_ERROR, NULL, J_ERROR, { .i = 0 }, NULL },
};
