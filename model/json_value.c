/* JSON values to values of a type, and the complaints where they are none: AbstractType.fromJSONObject of each type. */
#include "engine/coding.h"
#include "model/digit.h"
#include "model/number.h"
#include "model/real.h"
#include "model/type_ops.h"
#include "model/type_parts.h"
#include "model/unicode.h"

/* ---- how Java sees a JSON value ---- */

static enum wr_status fits(struct ctx *ctx, const struct json *json, enum type_kind kind, bool *does)
{
    struct slice value;
    enum wr_status st = type_ops(type_native(kind))->from_string(ctx, type_native(kind), json->text, &value);

    *does = st == WR_OK;
    return st == WR_NOMEM ? st : WR_OK;
}

/* Whether a whole number is an Integer, or is not and is a Long. */
static enum wr_status find_size(struct ctx *ctx, const struct json *json, bool *is_int, bool *is_long)
{
    *is_long = false;
    TRY(fits(ctx, json, TYPE_INT, is_int));
    return *is_int ? WR_OK : fits(ctx, json, TYPE_BIGINT, is_long);
}

static enum wr_status java_class(struct ctx *ctx, const struct json *json, const char **out)
{
    static const char *const names[] = { [JSON_FLOAT] = "Double", [JSON_STRING] = "String", [JSON_ARRAY] = "ArrayList", [JSON_OBJECT] = "LinkedHashMap",
                                         [JSON_FALSE] = "Boolean", [JSON_TRUE] = "Boolean", [JSON_NULL] = "Boolean" };
    bool is_int, is_long;

    if (json->kind != JSON_INTEGER) {
        *out = names[json->kind];
        return WR_OK;
    }
    TRY(find_size(ctx, json, &is_int, &is_long));
    *out = is_int ? "Integer" : is_long ? "Long" : "BigInteger";
    return WR_OK;
}

/* A number's text without what it can do without: -0 is 0. */
static void put_integer(struct buf *buf, struct slice text)
{
    if (slice_eq_str(text, "-0"))
        text = SLICE_LIT("0");
    buf_put_slice(buf, text);
}

/* Object.toString: [1, a], {k=v}. Recursion is bounded by the parser's depth. */
static void print_java(struct buf *buf, const struct json *json)
{
    static const char *const words[] = { [JSON_NULL] = "null", [JSON_FALSE] = "false", [JSON_TRUE] = "true" };
    double d;
    switch (json->kind) {
    case JSON_INTEGER:
        put_integer(buf, json->text);
        break;
    case JSON_FLOAT:
        if (double_parse(json->text, &d))
            double_print(buf, d);
        else
            buf->failed = true;
        break;
    case JSON_STRING:
        buf_put_slice(buf, json->text);
        break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        buf_put_u8(buf, json->kind == JSON_ARRAY ? '[' : '{');
        for (const struct json *j = json->first; j && buf->len < ERROR_TEXT_MAX; j = j->next) {
            if (j != json->first)
                buf_put_str(buf, ", ");
            if (json->kind == JSON_OBJECT) {
                buf_put_slice(buf, j->key);
                buf_put_u8(buf, '=');
            }
            print_java(buf, j);
        }
        buf_put_u8(buf, json->kind == JSON_ARRAY ? ']' : '}');
        break;
    default:
        buf_put_str(buf, words[json->kind]);
        break;
    }
}

static enum wr_status java_text(struct ctx *ctx, const struct json *json, struct slice *out)
{
    struct buf buf;

    if (json->kind == JSON_STRING) {
        *out = json->text;
        return WR_OK;
    }
    buf_init(&buf, ctx->arena);
    print_java(&buf, json);
    return buf_done(ctx, &buf, out);
}

static enum wr_status fail_expected(struct ctx *ctx, const struct type *type, const struct json *json)
{
    const char *class;
    struct slice text;

    TRY(java_class(ctx, json, &class));
    TRY(java_text(ctx, json, &text));
    return fail(ctx, WR_INVALID, "Expected %s, but got a %s: %.*s", type_ops(type)->json_expected, class, SLICE_ARG(text));
}

static enum wr_status from_text(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out)
{
    return type_ops(type)->from_string(ctx, type, text, out);
}

/* ---- types of one value ---- */

enum wr_status json_to_string_type(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out)
{
    return json->kind == JSON_STRING ? from_text(ctx, type, json->text, out) : fail_expected(ctx, type, json);
}

/* The first character that is none of ASCII is told, and half a pair alone is none at all. */
enum wr_status json_to_ascii(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out)
{
    size_t at = 0;
    while (at < json->lone && !(json->text.data[at] & 0x80))
        at++;
    if (json->lone && at == json->lone)
        return fail(ctx, WR_INVALID, "Invalid ASCII character in string literal: java.nio.charset.MalformedInputException: Input length = 1");
    return json_to_string_type(ctx, type, json, out);
}

enum wr_status json_to_text(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out)
{
    return json_to_string_type(ctx, type, json, out);
}

enum wr_status json_to_blob(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out)
{
    struct slice text;
    TRY(java_text(ctx, json, &text));
    if (json->kind != JSON_STRING) {
        /* The server lets a cast fail, and Java's words for that through. */
        const char *name;
        TRY(java_class(ctx, json, &name));
        const char *package = json->kind == JSON_ARRAY || json->kind == JSON_OBJECT ? "java.util"
                              : name[0] == 'B' && name[1] == 'i'                    ? "java.math"
                                                                                    : "java.lang";
        return fail(
            ctx, WR_INVALID,
            "Value '%.*s' is not a valid blob representation: class %s.%s cannot be cast to class java.lang.String "
            "(%s.%s and java.lang.String are in module java.base of loader 'bootstrap')",
            SLICE_ARG(text), package, name, package, name);
    }
    if (!slice_has_prefix(text, SLICE_LIT("0x")))
        return fail(
            ctx, WR_INVALID,
            "Value '%.*s' is not a valid blob representation: String representation of blob is missing 0x prefix: %.*s",
            SLICE_ARG(text), SLICE_ARG(text));
    enum wr_status st = from_text(ctx, type, slice_skip(text, 2), out);
    if (st == WR_INVALID) {
        const char *cause = ctx_format(ctx, "%s", ctx->error);
        return fail(ctx, st, "Value '%.*s' is not a valid blob representation: %s", SLICE_ARG(text),
                    cause ? cause : "");
    }
    return st;
}

enum wr_status json_to_boolean(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out)
{
    if (json->kind == JSON_STRING)
        return from_text(ctx, type, json->text, out);
    if (json->kind != JSON_TRUE && json->kind != JSON_FALSE)
        return fail_expected(ctx, type, json);
    return from_text(ctx, type, json->kind == JSON_TRUE ? SLICE_LIT("true") : SLICE_LIT("false"), out);
}

/* int, bigint: a whole number that fits, or a string of one. */
enum wr_status json_to_integer(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out)
{
    bool does = json->kind == JSON_STRING;
    if (json->kind == JSON_INTEGER)
        TRY(fits(ctx, json, type->kind, &does));
    return does ? from_text(ctx, type, json->text, out) : fail_expected(ctx, type, json);
}

/* smallint, tinyint: any number's text is tried. */
enum wr_status json_to_small(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out)
{
    if (json->kind != JSON_STRING && json->kind != JSON_INTEGER && json->kind != JSON_FLOAT)
        return fail_expected(ctx, type, json);
    struct slice text;
    TRY(java_text(ctx, json, &text));
    return from_text(ctx, type, text, out);
}

enum wr_status json_to_real(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out)
{
    uint8_t bytes[8];
    double d;
    if (json->kind == JSON_STRING)
        return from_text(ctx, type, json->text, out);
    if (json->kind != JSON_INTEGER && json->kind != JSON_FLOAT)
        return fail_expected(ctx, type, json);
    /* A whole number has no -0; one with a point is a double first, for a float, too. */
    if (json->kind == JSON_INTEGER || type->kind == TYPE_DOUBLE)
        return from_text(ctx, type, slice_eq_str(json->text, "-0") ? SLICE_LIT("0") : json->text, out);
    if (!double_parse(json->text, &d))
        return fail_nomem(ctx);
    put_u32(bytes, float_bits((float)d));
    return ctx_copy(ctx, slice_of(bytes, 4), out);
}

/* varint, decimal: through the text Java gives the value, whatever it is. */
enum wr_status json_to_number(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out)
{
    struct slice text;
    TRY(java_text(ctx, json, &text));
    if (json->kind == JSON_STRING && text.len == 0 && type->kind == TYPE_DECIMAL) {
        *out = SLICE_EMPTY;
        return WR_OK;
    }
    TRY(type->kind == TYPE_DECIMAL ? decimal_parse(ctx, text, out) : varint_parse(ctx, text, out));
    if (slice_is_null(*out))
        return fail(ctx, WR_INVALID, "Value '%.*s' is not a valid representation of a %s", SLICE_ARG(text),
                    type->kind == TYPE_DECIMAL ? "decimal value" : "varint value");
    return WR_OK;
}

/* A number only where Java has made a Long of it: what fits an int is refused (TimestampType.fromJSONObject). */
enum wr_status json_to_timestamp(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out)
{
    bool is_int, is_long = false;
    if (json->kind == JSON_INTEGER)
        TRY(find_size(ctx, json, &is_int, &is_long));
    if (json->kind != JSON_STRING && !is_long)
        return fail_expected(ctx, type, json);
    return from_text(ctx, type, json->text, out);
}

enum wr_status json_to_empty(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out)
{
    struct slice text;
    TRY(java_text(ctx, json, &text));
    if (json->kind != JSON_STRING)
        return fail(ctx, WR_INVALID, "Expected an empty string, but got: %.*s", SLICE_ARG(text));
    return from_text(ctx, type, text, out);
}

enum wr_status json_refused(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out)
{
    (void)type;
    (void)json;
    (void)out;
    return fail(ctx, WR_SERVER_ERROR, "java.lang.UnsupportedOperationException");
}

/* ---- types built of others ---- */

/* A string is JSON once more. */
static enum wr_status unwrap(struct ctx *ctx, const struct type *type, const struct json **json,
                             enum json_kind expected)
{
    if ((*json)->kind == JSON_STRING)
        TRY(json_parse(ctx, (*json)->text, false, json));
    if ((*json)->kind == JSON_NULL)
        return fail(ctx, WR_SERVER_ERROR,
                    "java.lang.NullPointerException: Cannot invoke \"Object.getClass()\" because \"parsed\" is null");
    return (*json)->kind == expected ? WR_OK : fail_expected(ctx, type, *json);
}

static enum wr_status convert(struct ctx *ctx, const struct type *type, const struct json *json, const char *null_error,
                              struct slice *out)
{
    return json->kind == JSON_NULL ? fail(ctx, WR_INVALID, "%s", null_error) : json_to_value(ctx, type, json, out);
}

enum wr_status json_to_sequence(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out)
{
    const char *null_error = type->kind == TYPE_LIST ? "Invalid null element in list" : "Invalid null element in set";
    uint32_t n = 0;
    TRY(unwrap(ctx, type, &json, JSON_ARRAY));
    struct slice *values = NEW_ARRAY(ctx, struct slice, json->count);
    if (!values)
        return WR_NOMEM;
    for (const struct json *j = json->first; j; j = j->next)
        TRY(convert(ctx, type->args[0], j, null_error, &values[n++]));
    if (type->kind == TYPE_SET)
        n = type_sort_unique(type, values, n);
    return type_pack(ctx, type, values, n, out);
}

enum wr_status json_to_map(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out)
{
    size_t n = 0;
    TRY(unwrap(ctx, type, &json, JSON_OBJECT));
    struct slice *values = NEW_ARRAY(ctx, struct slice, (size_t)json->count * 2);
    if (!values)
        return WR_NOMEM;
    for (const struct json *j = json->first; j; j = j->next, n++) {
        const struct json key = { .kind = JSON_STRING, .text = j->key, .lone = j->key_lone };
        if (j->kind == JSON_NULL)
            return fail(ctx, WR_INVALID, "Invalid null value in map");
        TRY(json_to_value(ctx, type->args[0], &key, &values[n * 2]));
        TRY(json_to_value(ctx, type->args[1], j, &values[n * 2 + 1]));
    }
    uint32_t kept = type_sort_unique(type, values, json->count);
    return type_pack(ctx, type, values, kept, out);
}

enum wr_status json_fail_vector(struct ctx *ctx)
{
    enum wr_status st = fail(ctx, WR_INVALID, "null is not supported inside vectors");
    ctx->error_stands = ctx->error_waits = true;
    return st;
}

enum wr_status json_to_vector(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out)
{
    struct slice text;
    uint32_t n = 0;
    TRY(unwrap(ctx, type, &json, JSON_ARRAY));
    if (json->count != type->dimension) {
        TRY(java_text(ctx, json, &text));
        return fail(ctx, WR_INVALID, "List had incorrect size: expected %u but given %u; %.*s", type->dimension,
                    json->count, SLICE_ARG(text));
    }
    struct slice *values = NEW_ARRAY(ctx, struct slice, json->count);
    if (!values)
        return WR_NOMEM;
    for (const struct json *j = json->first; j; j = j->next) {
        TRY(convert(ctx, type->args[0], j, "Invalid null element in list", &values[n]));
        if (values[n++].len == 0 && !(type_ops(type->args[0])->flags & (EMPTY_IS_TEXT | EMPTY_IS_COMPOSITE)))
            return json_fail_vector(ctx);
    }
    return type_pack(ctx, type, values, n, out);
}

enum wr_status json_to_tuple(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out)
{
    struct slice text;
    uint32_t n = 0;
    TRY(unwrap(ctx, type, &json, JSON_ARRAY));
    if (json->count != type->arg_count) {
        TRY(java_text(ctx, json, &text));
        return fail(ctx, WR_INVALID, "Tuple %s items (expected %u): %.*s",
                    json->count > type->arg_count ? "contains extra" : "is missing", type->arg_count, SLICE_ARG(text));
    }
    struct slice *values = NEW_ARRAY(ctx, struct slice, json->count);
    if (!values)
        return WR_NOMEM;
    for (const struct json *j = json->first; j; j = j->next, n++)
        TRY(json_to_value(ctx, type->args[n], j, &values[n]));
    return type_pack(ctx, type, values, n, out);
}

/* *changed: the name is another than the key. */
static enum wr_status member_name(struct ctx *ctx, struct slice key, struct slice *out, bool *changed)
{
    if (key.len == 1 && key.data[0] == '"') /* Java's substring of what is between a quote and itself */
        return fail(ctx, WR_SERVER_ERROR, "java.lang.StringIndexOutOfBoundsException: begin 1, end 0, length 1");
    *changed = key.len >= 2 && key.data[0] == '"' && key.data[key.len - 1] == '"';
    if (*changed) {
        *out = slice_of(key.data + 1, key.len - 2);
        return WR_OK;
    }
    *out = key;
    *changed = !unicode_is_lower(key);
    return *changed ? unicode_lower(ctx, key, out) : WR_OK;
}

enum wr_status json_match_members(struct ctx *ctx, const struct json *object, int64_t (*place)(const void *arg, struct slice name),
                                  const void *arg, const struct json **members, struct slice *stray)
{
    *stray = SLICE_NULL;
    for (int pass = 0; pass < 2; pass++)
        for (const struct json *m = object->first; m; m = m->next) {
            struct slice name;
            bool changed;
            TRY(member_name(ctx, m->key, &name, &changed));
            if (changed != (pass == 1))
                continue;
            int64_t at = place(arg, name);
            if (at >= 0)
                members[at] = m;
            else if (slice_is_null(*stray))
                *stray = name;
        }
    return WR_OK;
}

static int64_t place_of_field(const void *type, struct slice name)
{
    uint32_t at;
    return type_field(type, name, &at) ? (int64_t)at : -1;
}

enum wr_status json_to_udt(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out)
{
    TRY(unwrap(ctx, type, &json, JSON_OBJECT));
    const struct json **members = NEW_ARRAY(ctx, const struct json *, type->arg_count);
    struct slice *values = NEW_ARRAY(ctx, struct slice, type->arg_count), stray;
    if (!members || !values)
        return WR_NOMEM;
    TRY(json_match_members(ctx, json, place_of_field, type, members, &stray));
    for (uint32_t i = 0; i < type->arg_count; i++)
        if (members[i])
            TRY(json_to_value(ctx, type->args[i], members[i], &values[i]));
    if (!slice_is_null(stray))
        return fail(ctx, WR_INVALID, "Unknown field '%.*s' in value of user defined type %.*s", SLICE_ARG(stray),
                    SLICE_ARG(type->name));
    return type_pack(ctx, type, values, type->arg_count, out);
}

enum wr_status json_to_value(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out)
{
    if (json->kind == JSON_NULL) {
        *out = SLICE_NULL;
        return WR_OK;
    }
    return type_ops(type)->from_json(ctx, type, json, out);
}
