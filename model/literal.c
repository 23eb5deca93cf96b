#include "model/literal.h"

#include "model/number.h"
#include "model/real.h"
#include "model/type_ops.h"

/* Constants.Literal.testAssignment: the native types each kind of constant may be given to, and those that it may have by itself. */
static const struct {
    const char *name;
    uint32_t types, natural;
} kinds[] = {
    [LITERAL_STRING] = { "STRING", BIT(TYPE_ASCII) | BIT(TYPE_TEXT) | BIT(TYPE_INET) | BIT(TYPE_DATE) | BIT(TYPE_TIME) | BIT(TYPE_TIMESTAMP),
                         BIT(TYPE_ASCII) | BIT(TYPE_TEXT) },
    [LITERAL_INTEGER] = { "INTEGER", BIT(TYPE_BIGINT) | BIT(TYPE_COUNTER) | BIT(TYPE_DATE) | BIT(TYPE_DECIMAL) |
                                         BIT(TYPE_DOUBLE) | BIT(TYPE_DURATION) | BIT(TYPE_FLOAT) | BIT(TYPE_INT) |
                                         BIT(TYPE_SMALLINT) | BIT(TYPE_TIME) | BIT(TYPE_TIMESTAMP) | BIT(TYPE_TINYINT) |
                                         BIT(TYPE_VARINT),
                          BIT(TYPE_INT) | BIT(TYPE_BIGINT) | BIT(TYPE_VARINT) },
    [LITERAL_FLOAT] = { "FLOAT", BIT(TYPE_DECIMAL) | BIT(TYPE_DOUBLE) | BIT(TYPE_FLOAT), BIT(TYPE_DOUBLE) | BIT(TYPE_DECIMAL) },
    [LITERAL_BOOLEAN] = { "BOOLEAN", BIT(TYPE_BOOLEAN), BIT(TYPE_BOOLEAN) },
    [LITERAL_UUID] = { "UUID", BIT(TYPE_UUID) | BIT(TYPE_TIMEUUID), BIT(TYPE_UUID) | BIT(TYPE_TIMEUUID) },
    [LITERAL_HEX] = { "HEX", BIT(TYPE_BLOB), BIT(TYPE_TINYINT) /* hex_type */ },
    [LITERAL_DURATION] = { "DURATION", BIT(TYPE_DURATION), BIT(TYPE_DURATION) },
    [LITERAL_NULL] = { "NULL", 0, 0 },
};

static const enum type_kind hex_type = TYPE_TINYINT; /* so says the server (Constants.Type.HEX) */

/* Not WR_OK: WR_NOMEM; what does not parse is no failure here. */
static enum wr_status only_nomem(enum wr_status st)
{
    return st == WR_NOMEM ? st : WR_OK;
}

/* No more digits than a double gives back as they were, and near enough to 1 to be none of those that have fewer. */
static bool is_short(struct slice text)
{
    enum { LENGTH_MAX = 16 };
    bool has_exponent = false;

    for (size_t i = 0; i < text.len; i++)
        has_exponent |= (text.data[i] | 0x20) == 'e';
    return text.len <= LENGTH_MAX && !has_exponent;
}

/*
 * Whether a double holds the very number. BigDecimal.valueOf(double) is the number its digits say, so 0.1 is one.
 * *too_large: no double at all.
 */
static enum wr_status is_double(struct ctx *ctx, struct slice text, bool *same, bool *too_large)
{
    struct slice exact, near;
    double v;
    *same = true;
    *too_large = double_parse(text, &v) && v - v != 0;
    if (*too_large || is_short(text))
        return WR_OK;
    enum wr_status st = decimal_parse(ctx, text, &exact);
    if (st != WR_OK || slice_is_null(exact))
        return only_nomem(st);
    st = decimal_of_double(ctx, v, &near);
    if (st == WR_OK)
        *same = decimal_cmp(exact, near) == 0;
    return only_nomem(st);
}

static enum wr_status float_type(struct ctx *ctx, struct slice text, const struct type **out)
{
    bool same = true, too_large = false;
    struct slice word = text.len && text.data[0] == '-' ? slice_skip(text, 1) : text;
    struct ctx inner; /* whose failures are nobody's */

    ctx_init(&inner, ctx->arena);
    if (!slice_eq_str(word, "NaN") && !slice_eq_str(word, "Infinity") && is_double(&inner, text, &same, &too_large) != WR_OK)
        return fail_nomem(ctx);
    *out = too_large ? NULL : type_native(same ? TYPE_DOUBLE : TYPE_DECIMAL);
    return WR_OK;
}

/* The smallest of int, bigint, varint that holds it. */
static const struct type *integer_type(struct slice text)
{
    static const struct {
        enum type_kind kind;
        const char *most, *least; /* the digits */
    } candidates[] = { { TYPE_INT, "2147483647", "2147483648" }, { TYPE_BIGINT, "9223372036854775807", "9223372036854775808" } };
    bool negative = text.len && text.data[0] == '-';
    struct slice digits = slice_skip(text, negative);

    while (digits.len > 1 && digits.data[0] == '0')
        digits = slice_skip(digits, 1);
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        struct slice limit = slice_str(negative ? candidates[i].least : candidates[i].most);
        if (digits.len < limit.len || (digits.len == limit.len && slice_cmp(digits, limit) <= 0))
            return type_native(candidates[i].kind);
    }
    return type_native(TYPE_VARINT);
}

static const struct type *string_type(struct slice text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] & 0x80)
            return type_native(TYPE_TEXT);
    return type_native(TYPE_ASCII);
}

enum wr_status literal_natural_type(struct ctx *ctx, enum literal_kind kind, struct slice text, const struct type **out)
{
    enum { VERSION_AT = 14 }; /* the character of a uuid that is its version */

    *out = NULL;
    switch (kind) {
    case LITERAL_STRING:
        *out = string_type(text);
        break;
    case LITERAL_INTEGER:
        *out = integer_type(text);
        break;
    case LITERAL_FLOAT:
        return float_type(ctx, text, out);
    case LITERAL_BOOLEAN:
        *out = type_native(TYPE_BOOLEAN);
        break;
    case LITERAL_UUID:
        *out = type_native(text.len > VERSION_AT && text.data[VERSION_AT] == '1' ? TYPE_TIMEUUID : TYPE_UUID);
        break;
    case LITERAL_HEX:
        *out = type_native(hex_type);
        break;
    case LITERAL_DURATION:
        *out = type_native(TYPE_DURATION);
        break;
    case LITERAL_NULL:
        break;
    }
    return WR_OK;
}

bool literal_may_be(enum literal_kind kind, const struct type *type)
{
    return kinds[kind].natural & BIT(type->kind);
}

enum assignment literal_assignable(enum literal_kind kind, const struct type *type)
{
    if (kind == LITERAL_NULL)
        return type->kind == TYPE_COUNTER ? ASSIGN_NO : ASSIGN_WEAK;
    if (type_can_be_frozen(type) || type->kind == TYPE_VECTOR)
        return ASSIGN_NO;
    if (type->kind == TYPE_TUPLE || type_is_class(type))
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
    if (literal_assignable(kind, type) == ASSIGN_NO && !(kind == LITERAL_HEX && type->kind == hex_type))
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
