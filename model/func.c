#include "model/func.h"
#include "model/similarity.h"

#include "engine/token.h"
#include "model/clustering.h"
#include "model/numeric.h"
#include "model/parse.h"

/* ---- the table ---- */

/* clang-format off */
#define FIXED(name_, legacy_, result_, flags_, call_, count, ...) \
    { name_, legacy_, SHAPE_FIXED, .result = result_, .args = { __VA_ARGS__ }, .arg_count = count, .flags = flags_, \
      .call = call_ }
#define CLOCK(name, legacy, result_, call_) \
    { name, legacy, SHAPE_FIXED, .result = result_, .flags = FUNC_IMPURE, .call = call_ }
#define ANY { .kind = PARAM_ANY }
#define OF(param) { .kind = param }
#define OPTIONAL(param) { .kind = param, .optional = true }
#define NUMERICS(fn, function, op) \
    { fn, NULL, SHAPE_NUMERICS, .arg_count = 2, .flags = FUNC_OPERATOR, .call = function, .variant = op }
#define MATH(fn, op) { fn, NULL, SHAPE_NUMERIC, .arg_count = 1, .call = func_math, .variant = op }
#define CAST_NUMBER(type, Type, kind) \
    { "cast_as_" type, "castAs" Type, SHAPE_NUMERIC_TO, .result = kind, .arg_count = 1, .flags = FUNC_CAST, \
      .call = func_cast_number }
#define SHIFT(name, type, op) \
    { name, NULL, SHAPE_FIXED, type, { type, TYPE_DURATION }, 2, FUNC_OPERATOR, func_shift_time, .variant = op }
#define FACTORY(name, legacy, count, make_function, ...) \
    { name, legacy, SHAPE_FACTORY, .arg_count = count, .make = make_function, __VA_ARGS__ }
/* clang-format on */
#define CAST(type, Type, kind, from, function) FIXED("cast_as_" type, "castAs" Type, kind, FUNC_CAST, function, 1, from)
#define CAST_TEXT(from)                                                                                                \
    CAST("ascii", "Ascii", TYPE_ASCII, from, func_cast_text), CAST("text", "Text", TYPE_TEXT, from, func_cast_text)
#define BLOB(type, kind)                                                                                               \
    FIXED(type "_as_blob", type "asblob", TYPE_BLOB, FUNC_TAKES_NULL, func_to_blob, 1, kind),                          \
        FIXED("blob_as_" type, "blobas" type, kind, FUNC_TAKES_NULL, func_from_blob, 1, TYPE_BLOB)
#define TIME_FROM(name, legacy, result, from, function) FIXED(name, legacy, result, FUNC_MONOTONIC, function, 1, from)
#define FLOOR(type, result)                                                                                            \
    FIXED("floor", NULL, result, FUNC_MONOTONIC, func_floor, 2, type, TYPE_DURATION),                                  \
        FIXED("floor", NULL, result, FUNC_MONOTONIC, func_floor, 3, type, TYPE_DURATION, result)
#define CONCAT(result, left, right) FIXED("_add", NULL, result, FUNC_OPERATOR, func_concatenate, 2, left, right)

static const struct func_entry table[] = {
    /* operators; their names are Cassandra's */
    NUMERICS("_add", func_arithmetic, '+'),
    NUMERICS("_substract", func_arithmetic, '-'),
    NUMERICS("_multiply", func_arithmetic, '*'),
    NUMERICS("_divide", func_arithmetic, '/'),
    NUMERICS("_modulo", func_arithmetic, '%'),
    CONCAT(TYPE_TEXT, TYPE_TEXT, TYPE_TEXT),
    CONCAT(TYPE_ASCII, TYPE_ASCII, TYPE_ASCII),
    CONCAT(TYPE_TEXT, TYPE_ASCII, TYPE_TEXT),
    CONCAT(TYPE_TEXT, TYPE_TEXT, TYPE_ASCII),
    SHIFT("_add", TYPE_TIMESTAMP, '+'),
    SHIFT("_substract", TYPE_TIMESTAMP, '-'),
    SHIFT("_add", TYPE_DATE, '+'),
    SHIFT("_substract", TYPE_DATE, '-'),
    { "_negate", NULL, SHAPE_NUMERIC, .arg_count = 1, .flags = FUNC_NEGATION, .call = func_negate },

    /* aggregates */
    { "count_rows", "countRows", SHAPE_FIXED, TYPE_BIGINT, { 0 }, 0, FUNC_COUNT_ROWS, .aggregate = &func_count_rows },
    { "count", NULL, SHAPE_FIXED, TYPE_BIGINT, { TYPE_BLOB }, 1, FUNC_TAKES_NULL, .aggregate = &func_count },
    { "sum", NULL, SHAPE_NUMERIC, .arg_count = 1, .variant = AGGREGATE_SUM },
    { "avg", NULL, SHAPE_NUMERIC, .arg_count = 1, .variant = AGGREGATE_AVG },
    FACTORY("min", NULL, 1, func_make_extreme, .params = { OF(PARAM_ANY_OR_RECEIVER) }, .flags = FUNC_TAKES_NULL,
            .aggregate = &func_min),
    FACTORY("max", NULL, 1, func_make_extreme, .params = { OF(PARAM_ANY_OR_RECEIVER) }, .flags = FUNC_TAKES_NULL,
            .aggregate = &func_max),

    /* math */
    MATH("abs", MATH_ABS),
    MATH("exp", MATH_EXP),
    MATH("log", MATH_LOG),
    MATH("log10", MATH_LOG10),
    MATH("round", MATH_ROUND),

    /* casts */
    CAST_NUMBER("tinyint", "Tinyint", TYPE_TINYINT),
    CAST_NUMBER("smallint", "Smallint", TYPE_SMALLINT),
    CAST_NUMBER("int", "Int", TYPE_INT),
    CAST_NUMBER("bigint", "Bigint", TYPE_BIGINT),
    CAST_NUMBER("float", "Float", TYPE_FLOAT),
    CAST_NUMBER("double", "Double", TYPE_DOUBLE),
    CAST_NUMBER("decimal", "Decimal", TYPE_DECIMAL),
    CAST_NUMBER("varint", "Varint", TYPE_VARINT),
    CAST_TEXT(TYPE_TINYINT),
    CAST_TEXT(TYPE_SMALLINT),
    CAST_TEXT(TYPE_INT),
    CAST_TEXT(TYPE_BIGINT),
    CAST_TEXT(TYPE_FLOAT),
    CAST_TEXT(TYPE_DOUBLE),
    CAST_TEXT(TYPE_DECIMAL),
    CAST_TEXT(TYPE_COUNTER),
    CAST_TEXT(TYPE_VARINT),
    CAST_TEXT(TYPE_INET),
    CAST_TEXT(TYPE_BOOLEAN),
    CAST_TEXT(TYPE_TIMEUUID),
    CAST_TEXT(TYPE_TIMESTAMP),
    CAST_TEXT(TYPE_DATE),
    CAST_TEXT(TYPE_TIME),
    CAST_TEXT(TYPE_UUID),
    CAST("text", "Text", TYPE_TEXT, TYPE_ASCII, func_cast_same),
    CAST("date", "Date", TYPE_DATE, TYPE_TIMEUUID, func_to_date),
    CAST("date", "Date", TYPE_DATE, TYPE_TIMESTAMP, func_to_date),
    CAST("timestamp", "Timestamp", TYPE_TIMESTAMP, TYPE_TIMEUUID, func_to_timestamp),
    CAST("timestamp", "Timestamp", TYPE_TIMESTAMP, TYPE_DATE, func_to_timestamp),

    /* time */
    CLOCK("now", NULL, TYPE_TIMEUUID, func_now),
    CLOCK("current_timeuuid", "currenttimeuuid", TYPE_TIMEUUID, func_now),
    CLOCK("current_timestamp", "currenttimestamp", TYPE_TIMESTAMP, func_current_timestamp),
    CLOCK("current_date", "currentdate", TYPE_DATE, func_current_date),
    CLOCK("current_time", "currenttime", TYPE_TIME, func_current_time),
    FIXED("min_timeuuid", "mintimeuuid", TYPE_TIMEUUID, 0, func_min_timeuuid, 1, TYPE_TIMESTAMP),
    FIXED("max_timeuuid", "maxtimeuuid", TYPE_TIMEUUID, 0, func_max_timeuuid, 1, TYPE_TIMESTAMP),
    TIME_FROM("to_date", "todate", TYPE_DATE, TYPE_TIMEUUID, func_to_date),
    TIME_FROM("to_date", "todate", TYPE_DATE, TYPE_TIMESTAMP, func_to_date),
    TIME_FROM("to_timestamp", "totimestamp", TYPE_TIMESTAMP, TYPE_TIMEUUID, func_to_timestamp),
    TIME_FROM("to_timestamp", "totimestamp", TYPE_TIMESTAMP, TYPE_DATE, func_to_timestamp),
    TIME_FROM("to_unix_timestamp", "tounixtimestamp", TYPE_BIGINT, TYPE_TIMEUUID, func_to_unix_timestamp),
    TIME_FROM("to_unix_timestamp", "tounixtimestamp", TYPE_BIGINT, TYPE_TIMESTAMP, func_to_unix_timestamp),
    TIME_FROM("to_unix_timestamp", "tounixtimestamp", TYPE_BIGINT, TYPE_DATE, func_to_unix_timestamp),
    FLOOR(TYPE_TIMESTAMP, TYPE_TIMESTAMP),
    FLOOR(TYPE_TIMEUUID, TYPE_TIMESTAMP),
    FLOOR(TYPE_DATE, TYPE_DATE),
    FIXED("floor", NULL, TYPE_TIME, FUNC_MONOTONIC, func_floor_time, 2, TYPE_TIME, TYPE_DURATION),
    CLOCK("uuid", NULL, TYPE_UUID, func_uuid),

    /* blobs */
    BLOB("ascii", TYPE_ASCII),
    BLOB("bigint", TYPE_BIGINT),
    BLOB("boolean", TYPE_BOOLEAN),
    BLOB("counter", TYPE_COUNTER),
    BLOB("date", TYPE_DATE),
    BLOB("decimal", TYPE_DECIMAL),
    BLOB("double", TYPE_DOUBLE),
    BLOB("duration", TYPE_DURATION),
    BLOB("empty", TYPE_EMPTY),
    BLOB("float", TYPE_FLOAT),
    BLOB("inet", TYPE_INET),
    BLOB("int", TYPE_INT),
    BLOB("smallint", TYPE_SMALLINT),
    BLOB("text", TYPE_TEXT),
    BLOB("time", TYPE_TIME),
    BLOB("timestamp", TYPE_TIMESTAMP),
    BLOB("timeuuid", TYPE_TIMEUUID),
    BLOB("tinyint", TYPE_TINYINT),
    BLOB("uuid", TYPE_UUID),
    BLOB("varchar", TYPE_TEXT),
    BLOB("varint", TYPE_VARINT),

    /* JSON */
    FACTORY("to_json", "tojson", 1, func_make_to_json, .params = { ANY }, .flags = FUNC_TAKES_NULL),
    FACTORY("from_json", "fromjson", 1, func_make_from_json, .params = { OF(PARAM_TEXT) }),

    /* collections */
    FACTORY("map_keys", NULL, 1, func_make_map_part, .params = { OF(PARAM_MAP) }, .variant = 0),
    FACTORY("map_values", NULL, 1, func_make_map_part, .params = { OF(PARAM_MAP) }, .variant = 1),
    FACTORY("collection_count", NULL, 1, func_make_count, .params = { OF(PARAM_COLLECTION) }),
    FACTORY("collection_min", NULL, 1, func_make_fold, .params = { OF(PARAM_SET_OR_LIST) }, .variant = COLLECTION_MIN),
    FACTORY("collection_max", NULL, 1, func_make_fold, .params = { OF(PARAM_SET_OR_LIST) }, .variant = COLLECTION_MAX),
    FACTORY("collection_sum", NULL, 1, func_make_fold, .params = { OF(PARAM_NUMERIC_SET_OR_LIST) },
            .variant = COLLECTION_SUM),
    FACTORY("collection_avg", NULL, 1, func_make_fold, .params = { OF(PARAM_NUMERIC_SET_OR_LIST) },
            .variant = COLLECTION_AVG),

/* vectors: each argument tells the other's type where it has none of its own */
#define SIMILARITY(name, of)                                                                                           \
    FACTORY(name, NULL, 2, func_make_similarity, .variant = of,                                                        \
            .params = { { PARAM_FLOAT_VECTOR, .as_other = true, .other = 1 },                                          \
                        { PARAM_FLOAT_VECTOR, .as_other = true, .other = 0 } })
    SIMILARITY("similarity_cosine", SIMILARITY_COSINE),
    SIMILARITY("similarity_euclidean", SIMILARITY_EUCLIDEAN),
    SIMILARITY("similarity_dot_product", SIMILARITY_DOT_PRODUCT),

    /* masks */
    FACTORY("mask_null", NULL, 1, func_make_mask, .params = { ANY }, .flags = FUNC_TAKES_NULL | FUNC_MASKING, .variant = MASK_NULL),
    FACTORY("mask_default", NULL, 1, func_make_mask, .params = { ANY }, .flags = FUNC_TAKES_NULL | FUNC_MASKING,
            .variant = MASK_DEFAULT),
    FACTORY("mask_replace", NULL, 2, func_make_mask, .flags = FUNC_TAKES_NULL | FUNC_MASKING, .variant = MASK_REPLACE,
            .params = { OF(PARAM_ANY_OR_RECEIVER), { PARAM_ANY_OR_RECEIVER, .prefer_other = true, .other = 0 } }),
    FACTORY("mask_inner", NULL, 4, func_make_mask, .flags = FUNC_TAKES_NULL | FUNC_MASKING, .variant = MASK_INNER,
            .params = { OF(PARAM_STRING), OF(PARAM_INT), OF(PARAM_INT), OPTIONAL(PARAM_TEXT) }),
    FACTORY("mask_outer", NULL, 4, func_make_mask, .flags = FUNC_TAKES_NULL | FUNC_MASKING, .variant = MASK_OUTER,
            .params = { OF(PARAM_STRING), OF(PARAM_INT), OF(PARAM_INT), OPTIONAL(PARAM_TEXT) }),
    FACTORY("mask_hash", NULL, 2, func_make_mask, .flags = FUNC_TAKES_NULL | FUNC_MASKING, .variant = MASK_HASH,
            .params = { ANY, OPTIONAL(PARAM_TEXT) }),
};

enum { TABLE_SIZE = sizeof table / sizeof *table };

/* ---- finding ---- */

static bool is_named(const struct func_entry *entry, struct slice name)
{
    return slice_eq_str(name, entry->name) || (entry->legacy && slice_eq_str(name, entry->legacy));
}

const struct func_entry *func_find(struct slice name, const struct func_entry *after)
{
    for (const struct func_entry *e = after ? after + 1 : table; e < table + TABLE_SIZE; e++)
        if (is_named(e, name))
            return e;
    return NULL;
}

bool func_is_single(const struct func_entry *entry)
{
    return entry->shape == SHAPE_FIXED;
}

/* ---- overloads ---- */

static const enum type_kind numeric_kinds[] = {
    TYPE_TINYINT, TYPE_SMALLINT, TYPE_INT,    TYPE_BIGINT,  TYPE_FLOAT,
    TYPE_DOUBLE,  TYPE_DECIMAL,  TYPE_VARINT, TYPE_COUNTER,
};
enum { NUMERIC_COUNT = sizeof numeric_kinds / sizeof *numeric_kinds };

bool func_is_numeric(enum type_kind kind)
{
    for (uint32_t i = 0; i < NUMERIC_COUNT; i++)
        if (numeric_kinds[i] == kind)
            return true;
    return false;
}

/* OperationFcts.returnType: the wider of the two, with a fraction where one has one. */
static enum type_kind wider(enum type_kind a, enum type_kind b)
{
    bool real = numeric_is_real(a) || numeric_is_real(b) || a == TYPE_DECIMAL || b == TYPE_DECIMAL;
    int size_a = a == TYPE_COUNTER ? 8 : type_fixed_len(type_native(a));
    int size_b = b == TYPE_COUNTER ? 8 : type_fixed_len(type_native(b));
    int size = size_a < 0 || size_b < 0 ? INT32_MAX : size_a > size_b ? size_a : size_b;

    switch (size) {
    case 1:
        return TYPE_TINYINT;
    case 2:
        return TYPE_SMALLINT;
    case 4:
        return real ? TYPE_FLOAT : TYPE_INT;
    case 8:
        return real ? TYPE_DOUBLE : TYPE_BIGINT;
    default:
        return real ? TYPE_DECIMAL : TYPE_VARINT;
    }
}

bool func_overload(const struct func_entry *entry, struct slice name, uint32_t i, const struct type **args,
                   struct func *out)
{
    enum type_kind result = entry->result, kinds[FUNC_ARGS_MAX];

    memcpy(kinds, entry->args, sizeof kinds);
    switch (entry->shape) {
    case SHAPE_FIXED:
        if (i > 0)
            return false;
        break;
    case SHAPE_NUMERIC:
        if (i >= NUMERIC_COUNT)
            return false;
        result = kinds[0] = numeric_kinds[i];
        break;
    case SHAPE_NUMERIC_TO: { /* not from the type itself */
        uint32_t self = 0;
        while (numeric_kinds[self] != entry->result)
            self++;
        if (i + 1 >= NUMERIC_COUNT)
            return false;
        kinds[0] = numeric_kinds[i + (i >= self)];
        break;
    }
    case SHAPE_NUMERICS:
        if (i >= NUMERIC_COUNT * NUMERIC_COUNT)
            return false;
        kinds[0] = numeric_kinds[i / NUMERIC_COUNT];
        kinds[1] = numeric_kinds[i % NUMERIC_COUNT];
        result = wider(kinds[0], kinds[1]);
        break;
    case SHAPE_FACTORY:
        return false;
    }

    for (uint32_t k = 0; k < entry->arg_count; k++)
        args[k] = entry->call == func_to_blob ? type_in_function(type_native(kinds[k])) : type_native(kinds[k]); /* ToBlobFunction, as FromBlobFunction */
    *out = (struct func){
        .name = slice_eq_str(name, entry->name) ? entry->name : entry->legacy,
        .result = entry->call == func_from_blob ? type_in_function(type_native(result)) : type_native(result), /* as of users' (FromBlobFunction) */
        .args = args,
        .arg_count = entry->arg_count,
        .flags = entry->flags | (entry->shape == SHAPE_FIXED ? 0 : FUNC_NUMBERS),
        .call = entry->call,
        .aggregate = entry->aggregate,
        .variant = entry->variant,
    };
    if (!out->call && !out->aggregate)
        out->aggregate = entry->variant == AGGREGATE_SUM ? func_sum_of(result) : func_avg_of(result);
    return true;
}

/* ---- token, whose signature is the table's partition key ---- */

/* The key itself; null where part of it is. */
static enum wr_status key_of_key(const struct call *call, const struct slice *args, struct slice *out)
{
    uint32_t n = call->func->arg_count;

    for (uint32_t i = 0; i < n; i++) {
        if (slice_is_null(args[i])) {
            *out = SLICE_NULL;
            return WR_OK;
        }
    }
    *out = args[0];
    return n > 1 ? partition_key_bytes(call->ctx, args, n, out) : WR_OK;
}

static enum wr_status token_of_key(const struct call *call, const struct slice *args, struct slice *out)
{
    struct slice key;
    TRY(key_of_key(call, args, &key));
    if (!slice_is_null(key))
        return numeric_put_integer(call->ctx, TYPE_BIGINT, token_of(key), out);
    *out = SLICE_NULL;
    return WR_OK;
}

enum wr_status func_token(struct ctx *ctx, const struct table *t, const struct func **out)
{
    struct func *func = NEW(ctx, struct func);
    const struct type **args = NEW_ARRAY(ctx, const struct type *, t->key_count), *result;

    if (!func || !args)
        return WR_NOMEM;
    TRY(table_token_type(ctx, t, &result));
    for (uint32_t i = 0; i < t->key_count; i++)
        args[i] = table_key(t, i)->type;
    *func = (struct func){ .name = "token",
                           .result = result,
                           .args = args,
                           .arg_count = t->key_count,
                           .flags = FUNC_TAKES_NULL | FUNC_FACTORY | FUNC_OF_KEY,
                           .call = t->flags & TABLE_VIRTUAL ? key_of_key : token_of_key };
    *out = func;
    return WR_OK;
}

/* ---- printing ---- */

const char *func_full_name(struct ctx *ctx, const struct func *func)
{
    struct slice keyspace = slice_is_null(func->keyspace) ? SLICE_LIT("system") : func->keyspace;
    const char *name = ctx_format(ctx, "%.*s.%s", SLICE_ARG(keyspace), func->name);
    return name ? name : "?";
}

/* AbstractFunction.toCqlString: a tuple is named without its frozen<>, which it cannot be without; what is given has it. */
static void put_argument(struct buf *buf, const struct type *type)
{
    struct type bare = *type;
    bare.multicell |= type->kind == TYPE_TUPLE;
    type_print_name(buf, &bare);
}

void func_put_signature(struct buf *buf, const struct func *func, const bool *constant)
{
    if (func->flags & FUNC_OF_KEY) { /* FunctionName.appendCqlTo leaves token() as it is */
        buf_put_str(buf, func->name);
    } else {
        cql_put_full_name(buf, slice_is_null(func->keyspace) ? slice_str("system") : func->keyspace, slice_str(func->name));
    }
    buf_put_str(buf, " : (");
    for (uint32_t i = 0; i < func->arg_count; i++) {
        if (i)
            buf_put_str(buf, ", ");
        put_argument(buf, func->args[i]);
        if (constant && constant[i])
            buf_put_str(buf, "(constant)");
    }
    buf_put_str(buf, ") -> ");
    type_print_name(buf, func->result);
}

void func_put_factory(struct buf *buf, const char *name, const struct func_entry *entry)
{
    static const char *const kinds[] = {
        [PARAM_ANY] = "any",
        [PARAM_ANY_OR_RECEIVER] = "any",
        [PARAM_TEXT] = "text",
        [PARAM_INT] = "int",
        [PARAM_STRING] = "[text|varchar|ascii]",
        [PARAM_COLLECTION] = "collection",
        [PARAM_MAP] = "map",
        [PARAM_SET_OR_LIST] = "numeric_set_or_list", /* sic */
        [PARAM_NUMERIC_SET_OR_LIST] = "numeric_set_or_list",
        [PARAM_FLOAT_VECTOR] = "vector<float, n>",
    };

    buf_printf(buf, "system.%s(", name);
    for (uint32_t i = 0; i < entry->arg_count; i++) {
        const struct func_param *param = &entry->params[i];
        buf_printf(buf, "%s%s%s%s", i ? ", " : "", param->optional ? "[" : "", kinds[param->kind],
                   param->optional ? "]" : "");
    }
    buf_put_u8(buf, ')');
}
