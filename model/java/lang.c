/* java.lang: Object and boxes. */
#include <math.h>

#include "model/java/lib.h"
#include "model/javatext.h"
#include "model/real.h"
#include "model/unicode.h"

/* ---- Object ---- */

JAVA_CALL(object_new)
{
    JAVA_UNUSED;
    return (out->o = java_new(run, J_OBJECT)) != NULL;
}

JAVA_CALL(object_equals)
{
    JAVA_UNUSED;
    out->i = java_equals(run, self->o, args[0].o);
    return true;
}

JAVA_CALL(object_hash)
{
    JAVA_UNUSED;
    out->i = java_hash_code(run, self->o);
    return true;
}

bool java_print_to(struct java_run *run, const struct java_object *o, struct java_object **out)
{
    union java_value printed;
    struct buf text;
    buf_init(&text, run->ctx->arena);
    if (!java_print(run, &text, o) || !java_give_text(run, &text, &printed))
        return false;
    *out = printed.o;
    return true;
}

JAVA_CALL(object_text)
{
    JAVA_UNUSED;
    out->o = self->o;
    return self->o->kind == J_STRING || java_print_to(run, self->o, &out->o);
}

/* What each class's compareTo trips over where there is nothing to compare with. */
#define NO_FIELD(field, name)  "Cannot read field \"" field "\" because \"" name "\" is null"
#define NO_OBJECT(call, name)  "Cannot invoke \"" call "\" because \"" name "\" is null"

static const char *const no_other[J_KIND_COUNT] = {
    [J_STRING] = NO_FIELD("value", "anotherString"),
    [J_STRING_BUILDER] = NO_FIELD("value", "another"),
    [J_STRING_BUFFER] = NO_FIELD("value", "another"),
    [J_BOX_BOOLEAN] = NO_FIELD("value", "b"),
    [J_BOX_CHAR] = NO_FIELD("value", "anotherCharacter"),
    [J_BOX_BYTE] = NO_FIELD("value", "anotherByte"),
    [J_BOX_SHORT] = NO_FIELD("value", "anotherShort"),
    [J_BOX_INT] = NO_FIELD("value", "anotherInteger"),
    [J_BOX_LONG] = NO_FIELD("value", "anotherLong"),
    [J_BOX_FLOAT] = NO_FIELD("value", "anotherFloat"),
    [J_BOX_DOUBLE] = NO_FIELD("value", "anotherDouble"),
    [J_BIG_INTEGER] = NO_FIELD("signum", "val"),
    [J_BIG_DECIMAL] = NO_FIELD("scale", "val"),
    [J_UUID] = NO_FIELD("mostSigBits", "val"),
    [J_CALENDAR] = NO_FIELD("isTimeSet", "calendar"),
    [J_DATE] = NO_OBJECT("Object.getClass()", "date"),
    [J_ROUNDING_MODE] = NO_OBJECT("Object.getClass()", "other"),
    [J_BYTE_BUFFER] = NO_OBJECT("java.nio.ByteBuffer.position()", "that"),
    [J_DAY_OF_WEEK] = NO_OBJECT("Object.getClass()", "other"),
    [J_MONTH] = NO_OBJECT("Object.getClass()", "other"),
    [J_TEXT_STYLE] = NO_OBJECT("Object.getClass()", "other"),
    [J_RESOLVER_STYLE] = NO_OBJECT("Object.getClass()", "other"),
    [J_CHRONO_FIELD] = NO_OBJECT("Object.getClass()", "other"),
    [J_CHRONO_UNIT] = NO_OBJECT("Object.getClass()", "other"),
    [J_CHRONO_LOCAL_DATE] = NO_OBJECT("java.time.chrono.ChronoLocalDate.toEpochDay()", "other"),
    [J_CHRONO_LOCAL_DATE_TIME] = NO_OBJECT("java.time.chrono.ChronoLocalDateTime.toLocalDate()", "other"),
    [J_CHRONO_ZONED_DATE_TIME] = NO_OBJECT("java.time.chrono.ChronoZonedDateTime.toEpochSecond()", "other"),
    [J_TIME_OFFSET_DATE_TIME] = NO_OBJECT("java.time.OffsetDateTime.getOffset()", "datetime2"),
    [J_TIME_LOCAL_TIME] = NO_FIELD("hour", "other"),
    [J_TIME_INSTANT] = NO_FIELD("seconds", "otherInstant"),
    [J_TIME_YEAR] = NO_FIELD("year", "other"),
    [J_TIME_YEAR_MONTH] = NO_FIELD("year", "other"),
    [J_TIME_DURATION] = NO_FIELD("seconds", "otherDuration"),
    [J_ZONE_OFFSET] = NO_FIELD("totalSeconds", "other"),
};

bool java_no_other(struct java_run *run, enum java_kind kind)
{
    for (size_t of = 0; of < sizeof no_other / sizeof *no_other; of++)
        if (no_other[of] && java_kind_extends(kind, (enum java_kind)of))
            return java_throw(run, J_NULL_POINTER, "%s", no_other[of]);
    return java_null_argument(run);
}

JAVA_CALL_PUBLIC(java_compare_to)
{
    int c;
    JAVA_UNUSED;
    if (!args[0].o)
        return java_no_other(run, method->of == J_COMPARABLE ? self->o->kind : method->of);
    if (!java_compare(run, self->o, args[0].o, &c))
        return false;
    out->i = c;
    return true;
}

/* Character.isWhitespace; or, not unicode, what trim() takes away. */
bool java_is_space(uint16_t c, bool unicode)
{
    return unicode ? c == ' ' || (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x1f) ||
                         (c > 127 && unicode_class(c) == UNICODE_SPACE && c != 0xa0 && c != 0x2007 && c != 0x202f) || c == 0x2028 || c == 0x2029
                   : c <= ' ';
}

int java_digit(uint16_t c, int64_t radix)
{
    static const uint16_t letters[] = { 'A', 'a', 0xff21, 0xff41 };
    int digit = c < 128 ? (c >= '0' && c <= '9' ? c - '0' : -1) : unicode_char_digit(c);
    for (size_t i = 0; digit < 0 && i < sizeof letters / sizeof *letters; i++)
        if (c >= letters[i] && c < letters[i] + 26)
            digit = c - letters[i] + 10;
    return digit < radix ? digit : -1;
}

/* ---- boxes ---- */

enum { BOX_VALUE_OF, BOX_NEW };

JAVA_CALL(box_value_of)
{
    JAVA_UNUSED;
    if (!java_box(run, java_own_primitive(method), args[0], &out->o))
        return false;
    out->o->made = method->variant == BOX_NEW;
    return true;
}

bool java_box_of_text(struct java_run *run, const struct java_method *method, union java_value v, union java_value *out)
{
    if (!java_box(run, java_own_primitive(method), v, &out->o))
        return false;
    out->o->made = !(method->flags & JAVA_STATIC);
    return true;
}

/* intValue() and kin of any number: variant is the primitive type. */
JAVA_CALL(number_value)
{
    const struct java_object *o = self->o;
    enum java_kind to = (enum java_kind)method->variant;
    JAVA_UNUSED;
    bool real = o->kind == J_BOX_FLOAT || o->kind == J_BOX_DOUBLE;
    if (o->kind == J_BIG_INTEGER || o->kind == J_BIG_DECIMAL)
        return java_big_value(run, o, to, out);
    *out = java_convert_primitive(real ? J_DOUBLE : J_LONG, to, o->value);
    return true;
}

JAVA_CALL(box_plain)
{
    JAVA_UNUSED;
    *out = self->o->value;
    return true;
}

bool java_bad_number(struct java_run *run, struct slice text, int64_t radix)
{
    return radix == 10 ? java_throw(run, J_NUMBER_FORMAT, "For input string: \"%.*s\"", SLICE_ARG(text))
                       : java_throw(run, J_NUMBER_FORMAT, "For input string: \"%.*s\" under radix %d", SLICE_ARG(text),
                                    (int)radix);
}

JAVA_CALL(parse_real)
{
    const struct java_object *s = args[0].o;
    union java_value v = { .d = 0 };
    struct slice utf8;
    float narrow;
    JAVA_UNUSED;

    if (!java_check_read(run, s, "invoke \"String.trim()\"", "in"))
        return false;
    if (!java_utf8(run, s, &utf8))
        return false;
    utf8 = java_trim(utf8);
    if (!utf8.len)
        return java_throw(run, J_NUMBER_FORMAT, "empty String");
    bool is_float = method->of == J_BOX_FLOAT;
    if (is_float ? !float_parse(utf8, &narrow) : !double_parse(utf8, &v.d))
        return java_bad_number(run, utf8, 10);
    if (is_float)
        v.d = (double)narrow;
    if (method->result == (int)method->of)
        return java_box_of_text(run, method, v, out);
    *out = v;
    return true;
}

JAVA_CALL(parse_boolean)
{
    JAVA_UNUSED;
    union java_value v = { .i = 0 };
    static const char word[] = "true";
    if (args[0].o && args[0].o->string.len == 4)
        for (v.i = 1; v.i <= 4 && (args[0].o->string.units[v.i - 1] | 32) == word[v.i - 1]; v.i++)
            ;
    v.i = v.i == 5;
    if (method->result == (int)method->of)
        return java_box_of_text(run, method, v, out);
    *out = v;
    return true;
}

JAVA_CALL(box_text)
{
    struct buf text;
    JAVA_UNUSED;
    buf_init(&text, run->ctx->arena);
    java_print_primitive(&text, java_own_primitive(method), args[0]);
    return java_give_text(run, &text, out);
}

JAVA_CALL(box_hash)
{
    struct java_object *o;
    JAVA_UNUSED;
    if (!java_box(run, java_own_primitive(method), args[0], &o))
        return false;
    out->i = java_hash_code(run, o);
    return true;
}

JAVA_CALL(box_compare)
{
    struct java_object *a, *b;
    int c;
    JAVA_UNUSED;
    if (!java_box(run, java_own_primitive(method), args[0], &a) || !java_box(run, java_own_primitive(method), args[1], &b) ||
        !java_compare(run, a, b, &c))
        return false;
    out->i = c;
    return true;
}

enum { LOGIC_AND, LOGIC_OR, LOGIC_XOR };

JAVA_CALL(boolean_logic)
{
    JAVA_UNUSED;
    out->i = method->variant == LOGIC_AND ? args[0].i & args[1].i : method->variant == LOGIC_OR ? args[0].i | args[1].i : args[0].i ^ args[1].i;
    return true;
}

JAVA_CALL(real_of_bits)
{
    JAVA_UNUSED;
    out->d = method->of == J_BOX_FLOAT ? real_widen(float_of((uint32_t)args[0].i)) : double_of((uint64_t)args[0].i);
    return true;
}

JAVA_CALL(char_digit)
{
    int64_t radix = args[1].i, digit = args[0].i;
    JAVA_UNUSED;
    if (method->result == J_CHAR) { /* forDigit */
        out->i = radix < 2 || radix > 36 || digit < 0 || digit >= radix ? 0 : "0123456789abcdefghijklmnopqrstuvwxyz"[digit];
        return true;
    }
    out->i = radix >= 2 && radix <= 36 ? java_digit((uint16_t)args[0].i, radix) : -1;
    return true;
}

enum { REAL_NAN, REAL_INFINITE, REAL_FINITE };

static int64_t real_is(double d, int what)
{
    return what == REAL_NAN ? isnan(d) : what == REAL_INFINITE ? isinf(d) != 0 : isfinite(d);
}

JAVA_CALL(real_static_is)
{
    JAVA_UNUSED;
    out->i = real_is(args[0].d, method->variant);
    return true;
}

JAVA_CALL(real_self_is)
{
    JAVA_UNUSED;
    out->i = real_is(self->o->value.d, method->variant);
    return true;
}

JAVA_CALL(real_to_bits)
{
    JAVA_UNUSED;
    out->i = method->of == J_BOX_FLOAT ? (int32_t)float_bits((float)args[0].d) : (int64_t)double_bits(args[0].d);
    return true;
}

/* What counts as a letter of either case without being one: Unicode's Other_Uppercase and Other_Lowercase. */
static bool is_cased(uint32_t c, bool upper)
{
    static const struct {
        uint32_t first, last;
        bool upper;
    } others[] = {
        { 0xaa, 0xaa, false },     { 0xba, 0xba, false },     { 0x2b0, 0x2b8, false },   { 0x2c0, 0x2c1, false },     { 0x2e0, 0x2e4, false },
        { 0x345, 0x345, false },   { 0x37a, 0x37a, false },   { 0x1d2c, 0x1d6a, false }, { 0x1d78, 0x1d78, false },   { 0x1d9b, 0x1dbf, false },
        { 0x2071, 0x2071, false }, { 0x207f, 0x207f, false }, { 0x2090, 0x209c, false }, { 0x2160, 0x216f, true },    { 0x2170, 0x217f, false },
        { 0x24b6, 0x24cf, true },  { 0x24d0, 0x24e9, false }, { 0x2c7c, 0x2c7d, false }, { 0xa69c, 0xa69d, false },   { 0xa770, 0xa770, false },
        { 0xa7f8, 0xa7f9, false }, { 0xab5c, 0xab5f, false }, { 0x1f130, 0x1f149, true }, { 0x1f150, 0x1f169, true }, { 0x1f170, 0x1f189, true },
    };
    size_t i = 0;
    while (i < sizeof others / sizeof *others && c > others[i].last)
        i++;
    return i < sizeof others / sizeof *others && c >= others[i].first && others[i].upper == upper;
}

enum { CHAR_DIGIT, CHAR_LETTER, CHAR_LETTER_OR_DIGIT, CHAR_SPACE, CHAR_UPPER, CHAR_LOWER };

JAVA_CALL(char_is)
{
    enum unicode_class class = unicode_class((uint32_t)args[0].i);
    bool digit = class == UNICODE_DIGIT, letter = class >= UNICODE_UPPER && class <= UNICODE_LETTER;
    JAVA_UNUSED;
    switch (method->variant) {
    case CHAR_DIGIT:
        out->i = digit;
        break;
    case CHAR_LETTER:
        out->i = letter;
        break;
    case CHAR_LETTER_OR_DIGIT:
        out->i = letter || digit;
        break;
    case CHAR_SPACE:
        out->i = java_is_space((uint16_t)args[0].i, true);
        break;
    case CHAR_UPPER:
        out->i = class == UNICODE_UPPER || is_cased((uint32_t)args[0].i, true);
        break;
    default:
        out->i = class == UNICODE_LOWER || is_cased((uint32_t)args[0].i, false);
        break;
    }
    return true;
}

enum { CASE_LOWER, CASE_UPPER };

JAVA_CALL(char_case)
{
    uint32_t c = (uint32_t)args[0].i;
    JAVA_UNUSED;
    out->i = method->variant == CASE_UPPER ? unicode_char_upper(c) : unicode_char_lower(c);
    return true;
}

/* What a code point or a unit of UTF-16 is by its number alone. */
enum {
    POINT_ISO_CONTROL,
    POINT_SURROGATE,
    POINT_VALID,
    POINT_BASIC,
    POINT_SUPPLEMENTARY,
    POINT_COUNT,
    POINT_HIGH,
    POINT_LOW,
    POINT_OF_PAIR,
    POINT_SWAPPED,
    POINT_IS_HIGH,
    POINT_IS_LOW,
    POINT_IS_PAIR
};

static bool is_high(int64_t c)
{
    return c >= 0xd800 && c <= 0xdbff;
}

static bool is_low(int64_t c)
{
    return c >= 0xdc00 && c <= 0xdfff;
}

JAVA_CALL(point_part)
{
    int64_t c = args[0].i;
    JAVA_UNUSED;
    const int64_t parts[] = {
        [POINT_ISO_CONTROL] = c >= 0 && c <= 0x9f && (c >= 0x7f || c <= 0x1f),
        [POINT_SURROGATE] = c >= 0xd800 && c <= 0xdfff,
        [POINT_VALID] = c >= 0 && c <= 0x10ffff,
        [POINT_BASIC] = c >= 0 && c <= 0xffff,
        [POINT_SUPPLEMENTARY] = c >= 0x10000 && c <= 0x10ffff,
        [POINT_COUNT] = c >= 0x10000 ? 2 : 1,
        [POINT_HIGH] = ((uint32_t)c >> 10) + 0xd800 - (0x10000 >> 10),
        [POINT_LOW] = (c & 0x3ff) + 0xdc00,
        [POINT_OF_PAIR] = method->args[1] ? (c << 10) + args[1].i + 0x10000 - (0xd800 << 10) - 0xdc00 : 0,
        [POINT_SWAPPED] = __builtin_bswap16((uint16_t)c),
        [POINT_IS_HIGH] = is_high(c),
        [POINT_IS_LOW] = is_low(c),
        [POINT_IS_PAIR] = method->args[1] && is_high(c) && is_low(args[1].i),
    };
    out->i = method->result == J_CHAR ? (uint16_t)parts[method->variant] : method->result == J_INT ? (int32_t)parts[method->variant] : parts[method->variant];
    return true;
}

JAVA_CALL(char_number)
{
    JAVA_UNUSED;
    out->i = java_digit((uint16_t)args[0].i, 36);
    return true;
}

/* ---- the table ---- */

#define BOX(box, primitive)                                                                                            \
    { box, "<init>", box, { primitive }, 0, box_value_of, BOX_NEW },                                                   \
        { box, "valueOf", box, { primitive }, JAVA_STATIC, box_value_of, BOX_VALUE_OF },                               \
        { box, "toString", J_STRING, { primitive }, JAVA_STATIC, box_text, 0 },                                        \
        { box, "hashCode", J_INT, { primitive }, JAVA_STATIC, box_hash, 0 },                                           \
        { box, "compare", J_INT, { primitive, primitive }, JAVA_STATIC, box_compare, 0 },                              \
        { box, "compareTo", J_INT, { box }, 0, java_compare_to, 0 }
#define REAL(box, primitive, parse, bits, raw, of_bits, width)                                                                     \
    BOX(box, primitive), { box, parse, primitive, { J_STRING }, JAVA_STATIC, parse_real, 0 },                \
        { box, "<init>", box, { J_STRING }, 0, parse_real, 0 },                                                \
        { box, "valueOf", box, { J_STRING }, JAVA_STATIC, parse_real, 0 },                                     \
        { box, "isNaN", J_BOOLEAN, { primitive }, JAVA_STATIC, real_static_is, REAL_NAN },                             \
        { box, "isNaN", J_BOOLEAN, { 0 }, 0, real_self_is, REAL_NAN },                                                 \
        { box, "isInfinite", J_BOOLEAN, { primitive }, JAVA_STATIC, real_static_is, REAL_INFINITE },                   \
        { box, "isInfinite", J_BOOLEAN, { 0 }, 0, real_self_is, REAL_INFINITE },                                       \
        { box, "isFinite", J_BOOLEAN, { primitive }, JAVA_STATIC, real_static_is, REAL_FINITE },                       \
        { box, bits, width, { primitive }, JAVA_STATIC, real_to_bits, 0 },                                             \
        { box, raw, width, { primitive }, JAVA_STATIC, real_to_bits, 0 },                                              \
        { box, of_bits, primitive, { width }, JAVA_STATIC, real_of_bits, 0 },                                          \
        { box, "max", primitive, { primitive, primitive }, JAVA_STATIC, java_math_real, JAVA_MAX },                    \
        { box, "min", primitive, { primitive, primitive }, JAVA_STATIC, java_math_real, JAVA_MIN },                    \
    {                                                                                                                  \
        box, "sum", primitive, { primitive, primitive }, JAVA_STATIC, java_math_real, JAVA_SUM                         \
    }
#define CHARACTER(name, which)                                                                                         \
    { J_BOX_CHAR, name, J_BOOLEAN, { J_CHAR }, JAVA_STATIC, char_is, which },                                          \
    {                                                                                                                  \
        J_BOX_CHAR, name, J_BOOLEAN, { J_INT }, JAVA_STATIC, char_is, which                                            \
    }

const struct java_method java_lang_methods[] = {
    { J_OBJECT, "<init>", J_OBJECT, { 0 }, 0, object_new, 0 },
    { J_OBJECT, "equals", J_BOOLEAN, { J_OBJECT }, 0, object_equals, JAVA_OBJECT_EQUALS },
    { J_OBJECT, "hashCode", J_INT, { 0 }, 0, object_hash, JAVA_OBJECT_HASH },
    { J_OBJECT, "toString", J_STRING, { 0 }, 0, object_text, JAVA_OBJECT_TEXT },
    { J_OBJECT, "getClass", JX_CLASS_OF_SELF, { 0 }, 0, java_get_class, JAVA_OBJECT_CLASS },
    { J_COMPARABLE, "compareTo", J_INT, { JX_FIRST }, 0, java_compare_to, 0 },
    { J_UUID, "compareTo", J_INT, { J_UUID }, 0, java_compare_to, 0 },
    { J_DATE, "compareTo", J_INT, { J_DATE }, 0, java_compare_to, 0 },
    { J_BYTE_BUFFER, "compareTo", J_INT, { J_BYTE_BUFFER }, 0, java_compare_to, 0 },
    { J_BIG_INTEGER, "compareTo", J_INT, { J_BIG_INTEGER }, 0, java_compare_to, 0 },
    { J_BIG_DECIMAL, "compareTo", J_INT, { J_BIG_DECIMAL }, 0, java_compare_to, 0 },
    { J_NUMBER, "byteValue", J_BYTE, { 0 }, 0, number_value, J_BYTE },
    { J_NUMBER, "shortValue", J_SHORT, { 0 }, 0, number_value, J_SHORT },
    { J_NUMBER, "intValue", J_INT, { 0 }, 0, number_value, J_INT },
    { J_NUMBER, "longValue", J_LONG, { 0 }, 0, number_value, J_LONG },
    { J_NUMBER, "floatValue", J_FLOAT, { 0 }, 0, number_value, J_FLOAT },
    { J_NUMBER, "doubleValue", J_DOUBLE, { 0 }, 0, number_value, J_DOUBLE },
    { J_BOX_BOOLEAN, "booleanValue", J_BOOLEAN, { 0 }, 0, box_plain, 0 },
    { J_BOX_CHAR, "charValue", J_CHAR, { 0 }, 0, box_plain, 0 },
    BOX(J_BOX_BOOLEAN, J_BOOLEAN),
    { J_BOX_BOOLEAN, "<init>", J_BOX_BOOLEAN, { J_STRING }, 0, parse_boolean, 0 },
    { J_BOX_BOOLEAN, "parseBoolean", J_BOOLEAN, { J_STRING }, JAVA_STATIC, parse_boolean, 0 },
    { J_BOX_BOOLEAN, "valueOf", J_BOX_BOOLEAN, { J_STRING }, JAVA_STATIC, parse_boolean, 0 },
    { J_BOX_BOOLEAN, "logicalAnd", J_BOOLEAN, { J_BOOLEAN, J_BOOLEAN }, JAVA_STATIC, boolean_logic, LOGIC_AND },
    { J_BOX_BOOLEAN, "logicalOr", J_BOOLEAN, { J_BOOLEAN, J_BOOLEAN }, JAVA_STATIC, boolean_logic, LOGIC_OR },
    { J_BOX_BOOLEAN, "logicalXor", J_BOOLEAN, { J_BOOLEAN, J_BOOLEAN }, JAVA_STATIC, boolean_logic, LOGIC_XOR },
    BOX(J_BOX_CHAR, J_CHAR),
    { J_BOX_CHAR, "digit", J_INT, { J_CHAR, J_INT }, JAVA_STATIC, char_digit, 0 },
    { J_BOX_CHAR, "forDigit", J_CHAR, { J_INT, J_INT }, JAVA_STATIC, char_digit, 0 },
    CHARACTER("isDigit", CHAR_DIGIT),
    CHARACTER("isLetter", CHAR_LETTER),
    CHARACTER("isLetterOrDigit", CHAR_LETTER_OR_DIGIT),
    CHARACTER("isWhitespace", CHAR_SPACE),
    CHARACTER("isUpperCase", CHAR_UPPER),
    CHARACTER("isLowerCase", CHAR_LOWER),
    { J_BOX_CHAR, "isISOControl", J_BOOLEAN, { J_CHAR }, JAVA_STATIC, point_part, POINT_ISO_CONTROL },
    { J_BOX_CHAR, "isISOControl", J_BOOLEAN, { J_INT }, JAVA_STATIC, point_part, POINT_ISO_CONTROL },
    { J_BOX_CHAR, "isSurrogate", J_BOOLEAN, { J_CHAR }, JAVA_STATIC, point_part, POINT_SURROGATE },
    { J_BOX_CHAR, "isHighSurrogate", J_BOOLEAN, { J_CHAR }, JAVA_STATIC, point_part, POINT_IS_HIGH },
    { J_BOX_CHAR, "isLowSurrogate", J_BOOLEAN, { J_CHAR }, JAVA_STATIC, point_part, POINT_IS_LOW },
    { J_BOX_CHAR, "isSurrogatePair", J_BOOLEAN, { J_CHAR, J_CHAR }, JAVA_STATIC, point_part, POINT_IS_PAIR },
    { J_BOX_CHAR, "isValidCodePoint", J_BOOLEAN, { J_INT }, JAVA_STATIC, point_part, POINT_VALID },
    { J_BOX_CHAR, "isBmpCodePoint", J_BOOLEAN, { J_INT }, JAVA_STATIC, point_part, POINT_BASIC },
    { J_BOX_CHAR, "isSupplementaryCodePoint", J_BOOLEAN, { J_INT }, JAVA_STATIC, point_part, POINT_SUPPLEMENTARY },
    { J_BOX_CHAR, "charCount", J_INT, { J_INT }, JAVA_STATIC, point_part, POINT_COUNT },
    { J_BOX_CHAR, "highSurrogate", J_CHAR, { J_INT }, JAVA_STATIC, point_part, POINT_HIGH },
    { J_BOX_CHAR, "lowSurrogate", J_CHAR, { J_INT }, JAVA_STATIC, point_part, POINT_LOW },
    { J_BOX_CHAR, "toCodePoint", J_INT, { J_CHAR, J_CHAR }, JAVA_STATIC, point_part, POINT_OF_PAIR },
    { J_BOX_CHAR, "reverseBytes", J_CHAR, { J_CHAR }, JAVA_STATIC, point_part, POINT_SWAPPED },
    { J_BOX_CHAR, "toUpperCase", J_INT, { J_INT }, JAVA_STATIC, char_case, CASE_UPPER },
    { J_BOX_CHAR, "toLowerCase", J_INT, { J_INT }, JAVA_STATIC, char_case, CASE_LOWER },
    { J_BOX_CHAR, "toUpperCase", J_CHAR, { J_CHAR }, JAVA_STATIC, char_case, CASE_UPPER },
    { J_BOX_CHAR, "toLowerCase", J_CHAR, { J_CHAR }, JAVA_STATIC, char_case, CASE_LOWER },
    { J_BOX_CHAR, "getNumericValue", J_INT, { J_CHAR }, JAVA_STATIC, char_number, 0 },
    BOX(J_BOX_BYTE, J_BYTE),
    BOX(J_BOX_SHORT, J_SHORT),
    BOX(J_BOX_INT, J_INT),
    BOX(J_BOX_LONG, J_LONG),
    REAL(J_BOX_FLOAT, J_FLOAT, "parseFloat", "floatToIntBits", "floatToRawIntBits", "intBitsToFloat", J_INT),
    REAL(J_BOX_DOUBLE, J_DOUBLE, "parseDouble", "doubleToLongBits", "doubleToRawLongBits", "longBitsToDouble", J_LONG),
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};

const struct java_constant java_lang_constants[] = {
    { J_BOX_BYTE, "MAX_VALUE", J_BYTE, { .i = INT8_MAX }, NULL },
    { J_BOX_BYTE, "MIN_VALUE", J_BYTE, { .i = INT8_MIN }, NULL },
    { J_BOX_SHORT, "MAX_VALUE", J_SHORT, { .i = INT16_MAX }, NULL },
    { J_BOX_SHORT, "MIN_VALUE", J_SHORT, { .i = INT16_MIN }, NULL },
    { J_BOX_CHAR, "MAX_VALUE", J_CHAR, { .i = UINT16_MAX }, NULL },
    { J_BOX_CHAR, "MIN_VALUE", J_CHAR, { .i = 0 }, NULL },
    { J_BOX_INT, "MAX_VALUE", J_INT, { .i = INT32_MAX }, NULL },
    { J_BOX_INT, "MIN_VALUE", J_INT, { .i = INT32_MIN }, NULL },
    { J_BOX_LONG, "MAX_VALUE", J_LONG, { .i = INT64_MAX }, NULL },
    { J_BOX_LONG, "MIN_VALUE", J_LONG, { .i = INT64_MIN }, NULL },
    { J_BOX_FLOAT, "MAX_VALUE", J_FLOAT, { .d = 0x1.fffffep127 }, NULL },
    { J_BOX_FLOAT, "MIN_VALUE", J_FLOAT, { .d = 0x1p-149 }, NULL },
    { J_BOX_FLOAT, "MIN_NORMAL", J_FLOAT, { .d = 0x1p-126 }, NULL },
    { J_BOX_FLOAT, "NaN", J_FLOAT, { .d = NAN }, NULL },
    { J_BOX_FLOAT, "POSITIVE_INFINITY", J_FLOAT, { .d = INFINITY }, NULL },
    { J_BOX_FLOAT, "NEGATIVE_INFINITY", J_FLOAT, { .d = -INFINITY }, NULL },
    { J_BOX_DOUBLE, "MAX_VALUE", J_DOUBLE, { .d = 0x1.fffffffffffffp1023 }, NULL },
    { J_BOX_DOUBLE, "MIN_VALUE", J_DOUBLE, { .d = 0x1p-1074 }, NULL },
    { J_BOX_DOUBLE, "MIN_NORMAL", J_DOUBLE, { .d = 0x1p-1022 }, NULL },
    { J_BOX_DOUBLE, "NaN", J_DOUBLE, { .d = NAN }, NULL },
    { J_BOX_DOUBLE, "POSITIVE_INFINITY", J_DOUBLE, { .d = INFINITY }, NULL },
    { J_BOX_DOUBLE, "NEGATIVE_INFINITY", J_DOUBLE, { .d = -INFINITY }, NULL },
    { J_BOX_BYTE, "SIZE", J_INT, { .i = 8 }, NULL },
    { J_BOX_BYTE, "BYTES", J_INT, { .i = 1 }, NULL },
    { J_BOX_SHORT, "SIZE", J_INT, { .i = 16 }, NULL },
    { J_BOX_SHORT, "BYTES", J_INT, { .i = 2 }, NULL },
    { J_BOX_CHAR, "MIN_RADIX", J_INT, { .i = 2 }, NULL },
    { J_BOX_CHAR, "MAX_RADIX", J_INT, { .i = 36 }, NULL },
    { J_BOX_FLOAT, "MAX_EXPONENT", J_INT, { .i = 127 }, NULL },
    { J_BOX_FLOAT, "MIN_EXPONENT", J_INT, { .i = -126 }, NULL },
    { J_BOX_DOUBLE, "MAX_EXPONENT", J_INT, { .i = 1023 }, NULL },
    { J_BOX_DOUBLE, "MIN_EXPONENT", J_INT, { .i = -1022 }, NULL },
    { J_BOX_CHAR, "SIZE", J_INT, { .i = 16 }, NULL },
    { J_BOX_CHAR, "BYTES", J_INT, { .i = 2 }, NULL },
    { J_BOX_INT, "SIZE", J_INT, { .i = 32 }, NULL },
    { J_BOX_INT, "BYTES", J_INT, { .i = 4 }, NULL },
    { J_BOX_LONG, "SIZE", J_INT, { .i = 64 }, NULL },
    { J_BOX_LONG, "BYTES", J_INT, { .i = 8 }, NULL },
    { J_BOX_FLOAT, "SIZE", J_INT, { .i = 32 }, NULL },
    { J_BOX_FLOAT, "BYTES", J_INT, { .i = 4 }, NULL },
    { J_BOX_DOUBLE, "SIZE", J_INT, { .i = 64 }, NULL },
    { J_BOX_DOUBLE, "BYTES", J_INT, { .i = 8 }, NULL },
    { J_BOX_BOOLEAN, "TRUE", J_BOX_BOOLEAN, { .i = 1 }, NULL },
    { J_BOX_BOOLEAN, "FALSE", J_BOX_BOOLEAN, { .i = 0 }, NULL },
    { J_MATH, "PI", J_DOUBLE, { .d = 3.141592653589793 }, NULL },
    { J_MATH, "E", J_DOUBLE, { .d = 2.718281828459045 }, NULL },
    { J_STRICT_MATH, "PI", J_DOUBLE, { .d = 3.141592653589793 }, NULL },
    { J_STRICT_MATH, "E", J_DOUBLE, { .d = 2.718281828459045 }, NULL },
    { J_BOX_BOOLEAN, "TYPE", J_CLASS, { .i = J_BOOLEAN }, NULL },
    { J_BOX_CHAR, "TYPE", J_CLASS, { .i = J_CHAR }, NULL },
    { J_BOX_BYTE, "TYPE", J_CLASS, { .i = J_BYTE }, NULL },
    { J_BOX_SHORT, "TYPE", J_CLASS, { .i = J_SHORT }, NULL },
    { J_BOX_INT, "TYPE", J_CLASS, { .i = J_INT }, NULL },
    { J_BOX_LONG, "TYPE", J_CLASS, { .i = J_LONG }, NULL },
    { J_BOX_FLOAT, "TYPE", J_CLASS, { .i = J_FLOAT }, NULL },
    { J_BOX_DOUBLE, "TYPE", J_CLASS, { .i = J_DOUBLE }, NULL },
    { J_ERROR, NULL, J_ERROR, { .i = 0 }, NULL },
};
