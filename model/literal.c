#include "model/literal.h"

#include "model/number.h"
#include "model/real.h"
#include "model/type_ops.h"

#define BIT(kind) (UINT32_C(1) << (kind))

/* Constants.Literal.testAssignment: the native types each kind of constant may be given to. */
static const struct {
    const char *name;
    uint32_t types;
} kinds[] = {
    [LITERAL_STRING] = { "STRING", BIT(TYPE_ASCII) | BIT(TYPE_TEXT) | BIT(TYPE_INET) | BIT(TYPE_DATE) | BIT(TYPE_TIME) |
                                       BIT(TYPE_TIMESTAMP) },
    [LITERAL_INTEGER] = { "INTEGER", BIT(TYPE_BIGINT) | BIT(TYPE_COUNTER) | BIT(TYPE_DATE) | BIT(TYPE_DECIMAL) |
                                         BIT(TYPE_DOUBLE) | BIT(TYPE_DURATION) | BIT(TYPE_FLOAT) | BIT(TYPE_INT) |
                                         BIT(TYPE_SMALLINT) | BIT(TYPE_TIME) | BIT(TYPE_TIMESTAMP) | BIT(TYPE_TINYINT) |
                                         BIT(TYPE_VARINT) },
    [LITERAL_FLOAT] = { "FLOAT", BIT(TYPE_DECIMAL) | BIT(TYPE_DOUBLE) | BIT(TYPE_FLOAT) },
    [LITERAL_BOOLEAN] = { "BOOLEAN", BIT(TYPE_BOOLEAN) },
    [LITERAL_UUID] = { "UUID", BIT(TYPE_UUID) | BIT(TYPE_TIMEUUID) },
    [LITERAL_HEX] = { "HEX", BIT(TYPE_BLOB) },
    [LITERAL_DURATION] = { "DURATION", BIT(TYPE_DURATION) },
    [LITERAL_NULL] = { "NULL", 0 },
};

/*
 * Whether a double holds the very number. BigDecimal.valueOf(double) is the number its digits say, so 0.1 is one.
 * *too_large: no double at all.
 */
static bool is_double(struct slice text, bool *too_large)
{
    struct arena arena;
    struct ctx ctx;
    struct slice exact, near;
    double v;
    bool same = true;
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    *too_large = double_parse(text, &v) && v - v != 0;
    if (!*too_large && decimal_parse(&ctx, text, &exact) == WR_OK && !slice_is_null(exact) &&
        decimal_of_double(&ctx, v, &near) == WR_OK)
        same = decimal_cmp(exact, near) == 0;
    arena_release(&arena);
    return same;
}

static const struct type *float_type(struct slice text)
{
    bool too_large = false;
    struct slice word = text.len && text.data[0] == '-' ? slice_skip(text, 1) : text;
    if (slice_eq_str(word, "NaN") || slice_eq_str(word, "Infinity") || is_double(text, &too_large))
        return too_large ? NULL : type_native(TYPE_DOUBLE);
    return type_native(TYPE_DECIMAL);
}

/* The smallest of int, bigint, varint that holds it. */
static const struct type *integer_type(struct slice text)
{
    static const enum type_kind candidates[] = { TYPE_INT, TYPE_BIGINT };
    struct arena arena;
    struct ctx ctx;
    struct slice value;
    enum type_kind kind = TYPE_VARINT;
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    for (size_t i = 0; kind == TYPE_VARINT && i < sizeof candidates / sizeof *candidates; i++)
        if (type_ops(type_native(candidates[i]))->from_string(&ctx, type_native(candidates[i]), text, &value) == WR_OK)
            kind = candidates[i];
    arena_release(&arena);
    return type_native(kind);
}

static const struct type *string_type(struct slice text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] & 0x80)
            return type_native(TYPE_TEXT);
    return type_native(TYPE_ASCII);
}

const struct type *literal_natural_type(enum literal_kind kind, struct slice text)
{
    enum { VERSION_AT = 14 }; /* the character of a uuid that is its version */
    switch (kind) {
    case LITERAL_STRING:
        return string_type(text);
    case LITERAL_INTEGER:
        return integer_type(text);
    case LITERAL_FLOAT:
        return float_type(text);
    case LITERAL_BOOLEAN:
        return type_native(TYPE_BOOLEAN);
    case LITERAL_UUID:
        return type_native(text.len > VERSION_AT && text.data[VERSION_AT] == '1' ? TYPE_TIMEUUID : TYPE_UUID);
    case LITERAL_HEX:
        return type_native(TYPE_TINYINT); /* so says the server (Constants.Type.HEX) */
    case LITERAL_DURATION:
        return type_native(TYPE_DURATION);
    case LITERAL_NULL:
        break;
    }
    return NULL;
}

enum assignment literal_assignable(enum literal_kind kind, const struct type *type)
{
    if (kind == LITERAL_NULL)
        return type->kind == TYPE_COUNTER ? ASSIGN_NO : ASSIGN_WEAK;
    if (type_is_collection(type) || type->kind == TYPE_UDT || type->kind == TYPE_VECTOR)
        return ASSIGN_NO;
    if (type->kind == TYPE_TUPLE || type->kind == TYPE_CUSTOM)
        return ASSIGN_WEAK; /* by its text, as 'a:b' */
    return kinds[kind].types & BIT(type->kind) ? ASSIGN_WEAK : ASSIGN_NO;
}

enum wr_status literal_parse(struct ctx *ctx, enum literal_kind kind, struct slice text, const struct type *type,
                             struct slice column, struct slice *out)
{
    if (kind == LITERAL_NULL) {
        if (type->kind == TYPE_COUNTER)
            return fail(ctx, WR_INVALID, "Invalid null value for counter increment/decrement");
        *out = SLICE_NULL;
        return WR_OK;
    }
    if (kind == LITERAL_FLOAT && slice_eq_str(text, "-NaN"))
        text = slice_skip(text, 1); /* as the server's grammar has it */
    const struct type *natural = kind == LITERAL_HEX ? literal_natural_type(kind, text) : NULL;
    if (literal_assignable(kind, type) == ASSIGN_NO && !(natural && type->kind == natural->kind))
        return fail(ctx, WR_INVALID, "Invalid %s constant (%.*s) for \"%.*s\" of type %s", kinds[kind].name,
                    SLICE_ARG(text), SLICE_ARG(column), type_name(ctx, type));
    if (kind == LITERAL_HEX)
        return literal_from_string(ctx, type_native(TYPE_BLOB), slice_skip(text, text.len < 2 ? text.len : 2), out);
    return literal_from_string(ctx, type, text, out);
}

enum wr_status literal_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out)
{
    return type_ops(type)->from_string(ctx, type, text, out);
}
