/* Which values a literal in a script is read back as; the others are told as functions of their bytes, tuples as these bytes (type_print_term). */
#include "engine/coding.h"
#include "model/calendar.h"
#include "model/duration.h"
#include "model/number.h"
#include "model/type_ops.h"
#include "model/type_parts.h"

enum { FLOAT_BYTES = 4, DOUBLE_BYTES = 8, TIME_BYTES = 8, SCALE_BYTES = 4, DURATION_PARTS = 3 };

/* What a script may be cut at or changed by, when it is read: C0, DEL, C1, Unicode's ends of lines, and what begins and ends a comment, which cqlsh
 * looks for in strings, too. */
static bool has_cuts(struct slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        const uint8_t *at = text.data + i;
        size_t left = text.len - i;
        if (*at < ' ' || *at == 0x7f || (left > 1 && *at == 0xc2 && at[1] < 0xa0) ||
            (left > 2 && *at == 0xe2 && at[1] == 0x80 && (at[2] & 0xfe) == 0xa8) ||
            (left > 1 && ((*at == '/' && at[1] == '*') || (*at == '*' && at[1] == '/'))))
            return true;
    }
    return false;
}

static bool is_said_text(struct slice text)
{
    return !has_cuts(text) && type_text_decoded(text) == text.len;
}

/* Any byte but 0 is true. */
static bool is_said_boolean(struct slice value)
{
    return value.data[0] <= 1;
}

/* Of all that are no number one is NaN. */
static bool is_said_float(struct slice value)
{
    uint32_t bits = value.len == FLOAT_BYTES ? read_u32(value.data) : 0;
    return (bits & INT32_MAX) <= 0x7f800000 || bits == 0x7fc00000;
}

static bool is_said_double(struct slice value)
{
    uint64_t bits = value.len == DOUBLE_BYTES ? read_u64(value.data) : 0;
    return (bits & INT64_MAX) <= UINT64_C(0x7ff0000000000000) || bits == UINT64_C(0x7ff8000000000000);
}

/* A number of several lengths is said by its fewest bytes. */
static bool is_said_varint(struct slice value)
{
    return varint_trim(value).len == value.len;
}

/* The server makes a double of each literal with an exponent, and fails where that is infinite, whatever it is for. A byte is 2.41 digits. */
static bool is_said_decimal(struct slice value)
{
    if (value.len < SCALE_BYTES)
        return true;
    struct slice number = slice_skip(value, SCALE_BYTES);
    return (int64_t)number.len * 5 / 2 - (int32_t)read_u32(value.data) < 308 && is_said_varint(number);
}

/* In each of its vints, too; what stands behind them is nobody's. */
static bool is_said_duration(struct slice value)
{
    for (int i = 0; i < DURATION_PARTS; i++) {
        uint64_t part;
        size_t before = value.len;
        if (!vint_read(&value, &part) || before - value.len != vint_len(part))
            return false;
    }
    return value.len == 0;
}

static bool is_said_inet(struct slice value)
{
    return inet_unmapped(value).len == value.len;
}

static bool is_said_time(struct slice value)
{
    return value.len != TIME_BYTES || read_u64(value.data) < (uint64_t)NANOS_PER_DAY;
}

/* A literal's sets and maps are in order, and have each element once; within a tuple a driver or JSON may have given others. */
static bool is_in_order(const struct type *type, struct slice value)
{
    struct elements e;
    struct slice element, before = SLICE_NULL;
    if (!type_has_parts(type))
        return true;
    elements_open(&e, type, value);
    for (uint32_t i = 0; elements_next(&e, &element); i++) {
        if (type->kind == TYPE_SET || (type->kind == TYPE_MAP && i % 2 == 0)) {
            if (i && type_compare(type->args[0], before, element) >= 0)
                return false;
            before = element;
        }
        if (!is_in_order(element_type(type, i), element))
            return false;
    }
    return true;
}

static bool (*const said[TYPE_KIND_COUNT])(struct slice value) = { /* NULL: all are */
    [TYPE_ASCII] = is_said_text,       [TYPE_BOOLEAN] = is_said_boolean,   [TYPE_DECIMAL] = is_said_decimal,
    [TYPE_DOUBLE] = is_said_double,    [TYPE_DURATION] = is_said_duration, [TYPE_FLOAT] = is_said_float,
    [TYPE_INET] = is_said_inet,        [TYPE_TEXT] = is_said_text,         [TYPE_TIME] = is_said_time,
    [TYPE_VARINT] = is_said_varint,
};

bool type_is_said_by_literal(const struct type *type, struct slice value)
{
    if (value.len == 0)
        return type_ops(type)->flags & (EMPTY_IS_TEXT | EMPTY_IS_COMPOSITE);
    if (type->kind == TYPE_TUPLE)
        return is_in_order(type, value);
    return !said[type->kind] || said[type->kind](value);
}
