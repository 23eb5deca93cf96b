#include "model/type.h"

#include <assert.h>

#include "engine/order.h"
#include "model/digit.h"
#include "model/type_ops.h"
#include "model/type_parts.h"

#define FAMILY(f) type_##f##_compare, type_##f##_print, type_##f##_from_string
#define ORDER(f)  type_##f##_put_order, type_##f##_get_order

enum {
    NUMBER = TYPE_NUMERIC | EMPTY_ALLOWED | EMPTY_IS_NULL | SAI_NUMBER,
    SMALL = TYPE_NUMERIC | SAI_NUMBER,
    STRING = EMPTY_ALLOWED | EMPTY_IS_TEXT | LITERAL_QUOTED | JSON_QUOTED | SAI_LITERAL,
    UUID = EMPTY_ALLOWED | EMPTY_IS_NULL | JSON_QUOTED | LENGTH_FIXED | SAI_NUMBER,
    QUOTED = LITERAL_QUOTED | JSON_QUOTED | SAI_NUMBER,
    COMPOSITE = EMPTY_ALLOWED | EMPTY_IS_COMPOSITE | SAI_LITERAL,
};

/* clang-format off */
static const struct type_ops table[TYPE_KIND_COUNT] = {
    [TYPE_ASCII] = { "ascii", "AsciiType", 0x01, -1, STRING, NULL,
        type_ascii_validate, type_text_compare, type_text_print, type_ascii_from_string, json_to_ascii, ORDER(text), .json_expected = "an ascii string" },
    [TYPE_BIGINT] = { "bigint", "LongType", 0x02, 8, NUMBER | LENGTH_FIXED, "Expected 8 or 0 byte long",
        NULL, FAMILY(integer), json_to_integer, ORDER(integer), .json_expected = "a bigint value", .get_fixed = type_integer_get_fixed,
        .reads = BIT(TYPE_TIMESTAMP) },
    [TYPE_BLOB] = { "blob", "BytesType", 0x03, -1, EMPTY_ALLOWED | EMPTY_IS_TEXT | JSON_QUOTED, NULL,
        type_bytes_validate, FAMILY(bytes), json_to_blob, ORDER(bytes), .json_expected = NULL, .reads = UINT32_MAX, .sorts = BIT(TYPE_ASCII) | BIT(TYPE_TEXT) },
    [TYPE_BOOLEAN] = { "boolean", "BooleanType", 0x04, 1, EMPTY_ALLOWED | EMPTY_IS_NULL | ORDER_LOSSY | LENGTH_FIXED | SAI_LITERAL,
        "Expected 1 or 0 byte value", NULL, FAMILY(boolean), json_to_boolean, ORDER(boolean), .json_expected = "a boolean value" },
    [TYPE_COUNTER] = { "counter", "CounterColumnType", 0x05, 8, TYPE_NUMERIC | EMPTY_ALLOWED | EMPTY_IS_NULL, "Expected 8 or 0 byte long",
        NULL, FAMILY(integer), json_refused, ORDER(integer), .json_expected = NULL },
    [TYPE_DATE] = { "date", "SimpleDateType", 0x11, 4, QUOTED, "Expected 4 byte long for date",
        NULL, FAMILY(date), json_to_string_type, ORDER(date), .json_expected = "a string representation of a date value",
        .reads = BIT(TYPE_INT) },
    [TYPE_DECIMAL] = { "decimal", "DecimalType", 0x06, -1, NUMBER | ORDER_LOSSY, NULL,
        type_decimal_validate, FAMILY(decimal), json_to_number, ORDER(decimal), .json_expected = "decimal" },
    [TYPE_DOUBLE] = { "double", "DoubleType", 0x07, 8, NUMBER | ORDER_LOSSY | LENGTH_FIXED, "Expected 8 or 0 byte value for a double",
        NULL, FAMILY(real), json_to_real, ORDER(real), .json_expected = "a double value" },
    [TYPE_DURATION] = { "duration", "DurationType", 0x15, -1, JSON_QUOTED, NULL,
        type_duration_validate, FAMILY(duration), json_to_string_type, ORDER(duration), .json_expected = "a string representation of a duration" },
    [TYPE_EMPTY] = { "empty", "EmptyType", 0x00, 0, EMPTY_ALLOWED | LENGTH_FIXED, NULL,
        type_empty_validate, FAMILY(empty), json_to_empty, ORDER(empty), .json_expected = NULL },
    [TYPE_FLOAT] = { "float", "FloatType", 0x08, 4, NUMBER | ORDER_LOSSY | LENGTH_FIXED, "Expected 4 or 0 byte value for a float",
        NULL, FAMILY(real), json_to_real, ORDER(real), .json_expected = "a float value" },
    [TYPE_INET] = { "inet", "InetAddressType", 0x10, -1, EMPTY_ALLOWED | EMPTY_IS_NULL | QUOTED, NULL,
        type_inet_validate, FAMILY(inet), json_to_string_type, ORDER(inet), .json_expected = "a string representation of an inet value" },
    [TYPE_INT] = { "int", "Int32Type", 0x09, 4, NUMBER | LENGTH_FIXED, "Expected 4 or 0 byte int",
        NULL, FAMILY(integer), json_to_integer, ORDER(integer), .json_expected = "an int value", .get_fixed = type_integer_get_fixed },
    [TYPE_SMALLINT] = { "smallint", "ShortType", 0x13, 2, SMALL, "Expected 2 bytes for a smallint",
        NULL, FAMILY(integer), json_to_small, ORDER(integer), .json_expected = "a short value" },
    [TYPE_TEXT] = { "text", "UTF8Type", 0x0D, -1, STRING, NULL,
        type_text_validate, FAMILY(text), json_to_text, ORDER(text), .json_expected = "a UTF-8 string", .reads = BIT(TYPE_ASCII), .sorts = BIT(TYPE_ASCII) },
    [TYPE_TIME] = { "time", "TimeType", 0x12, 8, QUOTED, "Expected 8 byte long for time",
        NULL, FAMILY(time), json_to_string_type, ORDER(time), .json_expected = "a string representation of a time value",
        .reads = BIT(TYPE_BIGINT) },
    [TYPE_TIMESTAMP] = { "timestamp", "TimestampType", 0x0B, 8, EMPTY_ALLOWED | EMPTY_IS_NULL | QUOTED | LENGTH_FIXED,
        "Expected 8 or 0 byte long for date", NULL, FAMILY(timestamp), json_to_timestamp, ORDER(timestamp),
        .json_expected = "a long or a datestring representation of a timestamp value", .get_fixed = type_integer_get_fixed, .reads = BIT(TYPE_BIGINT) },
    [TYPE_TIMEUUID] = { "timeuuid", "TimeUUIDType", 0x0F, 16, UUID, "UUID should be 16 or 0 bytes",
        type_timeuuid_validate, FAMILY(timeuuid), json_to_string_type, ORDER(timeuuid), .json_expected = "a string representation of a timeuuid",
        .get_fixed = type_timeuuid_get_fixed },
    [TYPE_TINYINT] = { "tinyint", "ByteType", 0x14, 1, SMALL, "Expected 1 byte for a tinyint",
        NULL, FAMILY(integer), json_to_small, ORDER(integer), .json_expected = "a byte value" },
    [TYPE_UUID] = { "uuid", "UUIDType", 0x0C, 16, UUID, "UUID should be 16 or 0 bytes",
        NULL, FAMILY(uuid), json_to_string_type, ORDER(uuid), .json_expected = "a string representation of a uuid", .get_fixed = type_uuid_get_fixed,
        .reads = BIT(TYPE_TIMEUUID) },
    [TYPE_VARINT] = { "varint", "IntegerType", 0x0E, -1, NUMBER | ORDER_LOSSY, NULL,
        type_varint_validate, FAMILY(varint), json_to_number, ORDER(varint), .json_expected = "varint value",
        .reads = BIT(TYPE_INT) | BIT(TYPE_BIGINT) | BIT(TYPE_TIMESTAMP) },
    [TYPE_LIST] = { "list", "ListType", 0x20, -1, SAI_LITERAL, NULL,
        type_sequence_validate, FAMILY(sequence), json_to_sequence, ORDER(sequence), .json_expected = "a list", .ends = "[]" },
    [TYPE_SET] = { "set", "SetType", 0x22, -1, SAI_LITERAL, NULL,
        type_sequence_validate, FAMILY(sequence), json_to_sequence, ORDER(sequence), .json_expected = "a list (representing a set)", .ends = "{}" },
    [TYPE_MAP] = { "map", "MapType", 0x21, -1, SAI_LITERAL, NULL,
        type_sequence_validate, FAMILY(sequence), json_to_map, ORDER(sequence), .json_expected = "a map", .ends = "{}" },
    [TYPE_TUPLE] = { "tuple", "TupleType", 0x31, -1, COMPOSITE | ORDER_LOSSY, NULL,
        type_fields_validate, FAMILY(fields), json_to_tuple, ORDER(fields), .json_expected = "a list representation of a tuple", .ends = "()" },
    [TYPE_UDT] = { NULL, "UserType", 0x30, -1, COMPOSITE | ORDER_LOSSY, NULL,
        type_fields_validate, FAMILY(fields), json_to_udt, ORDER(fields), .json_expected = "a map", .ends = "{}" },
    [TYPE_VECTOR] = { "vector", "VectorType", 0x00, -1, SAI_LITERAL, NULL,
        type_vector_validate, FAMILY(vector), json_to_vector, ORDER(vector), .json_expected = "a list", .ends = "[]" },
    [TYPE_CUSTOM] = { NULL, NULL, 0x00, -1, EMPTY_ALLOWED | EMPTY_IS_TEXT | JSON_QUOTED | SAI_LITERAL, NULL,
        NULL, FAMILY(bytes), json_to_blob, ORDER(bytes), .json_expected = NULL },
    [TYPE_LEXICAL_UUID] = { NULL, NULL, 0x00, 16, EMPTY_ALLOWED | JSON_QUOTED | LENGTH_FIXED, "UUID should be 16 or 0 bytes",
        NULL, FAMILY(lexical_uuid), json_to_string_type, ORDER(lexical_uuid), .json_expected = "a string representation of a uuid",
        .get_fixed = type_lexical_uuid_get_fixed },
    [TYPE_COMPOSITE] = { NULL, NULL, 0x00, -1, EMPTY_ALLOWED | EMPTY_IS_TEXT | JSON_QUOTED | ORDER_LOSSY | SAI_LITERAL, NULL,
        type_composite_validate, FAMILY(composite), json_refused, ORDER(composite), .json_expected = NULL },
};
/* clang-format on */

#define NATIVE(k) [(k)] = { .kind = (k) }
static const struct type natives[] = {
    NATIVE(TYPE_ASCII),  NATIVE(TYPE_BIGINT),    NATIVE(TYPE_BLOB),     NATIVE(TYPE_BOOLEAN),  NATIVE(TYPE_COUNTER),
    NATIVE(TYPE_DATE),   NATIVE(TYPE_DECIMAL),   NATIVE(TYPE_DOUBLE),   NATIVE(TYPE_DURATION), NATIVE(TYPE_EMPTY),
    NATIVE(TYPE_FLOAT),  NATIVE(TYPE_INET),      NATIVE(TYPE_INT),      NATIVE(TYPE_SMALLINT), NATIVE(TYPE_TEXT),
    NATIVE(TYPE_TIME),   NATIVE(TYPE_TIMESTAMP), NATIVE(TYPE_TIMEUUID), NATIVE(TYPE_TINYINT),  NATIVE(TYPE_UUID),
    NATIVE(TYPE_VARINT),
};

const struct type_ops *type_ops(const struct type *type)
{
    return &table[type->kind];
}

/* ---- making ---- */

const struct type *type_native(enum type_kind kind)
{
    assert(kind <= TYPE_VARINT);
    return &natives[kind];
}

const struct type *type_by_name(struct slice name)
{
    if (is_word(name, "varchar"))
        return &natives[TYPE_TEXT];
    for (int kind = 0; kind <= TYPE_VARINT; kind++)
        if (kind != TYPE_EMPTY && is_word(name, table[kind].name))
            return &natives[kind];
    return NULL;
}

static uint32_t depth_of(const struct type *type)
{
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < type->arg_count; i++) {
        uint32_t depth = depth_of(type->args[i]);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + 1;
}

/* VectorType freezes nothing in it, UserType.freeze itself alone. */
static bool keeps_parts(const struct type *type)
{
    return type->multicell || type->kind == TYPE_VECTOR || type->kind == TYPE_UDT;
}

/* One bounded copy of the node; its arguments frozen too, unless it keeps them. */
static const struct type *copy(struct ctx *ctx, struct type node, bool keeps)
{
    const struct type **args = NEW_ARRAY(ctx, const struct type *, node.arg_count);
    struct type *type = NEW(ctx, struct type);
    if (!args || !type)
        return NULL;
    for (uint32_t i = 0; i < node.arg_count; i++) {
        args[i] = keeps ? node.args[i] : type_freeze(ctx, node.args[i]);
        if (!args[i])
            return NULL;
    }
    node.args = args;
    *type = node;
    if (depth_of(type) > TYPE_MADE_DEPTH_MAX) {
        fail(ctx, WR_INVALID, "Types are nested more than %d deep", TYPE_MADE_DEPTH_MAX);
        return NULL;
    }
    return type;
}

static const struct type *make(struct ctx *ctx, struct type node)
{
    return copy(ctx, node, keeps_parts(&node));
}

const struct type *type_make(struct ctx *ctx, enum type_kind kind, const struct type *const *args, uint32_t arg_count,
                             bool multicell, uint32_t dimension)
{
    struct type node = {
        .kind = kind, .multicell = multicell, .args = args, .arg_count = arg_count, .dimension = dimension
    };
    assert(kind >= TYPE_LIST && kind <= TYPE_VECTOR && kind != TYPE_UDT);
    assert(!multicell || kind <= TYPE_MAP);
    return make(ctx, node);
}

const struct type *type_make_selected(struct ctx *ctx, enum type_kind kind, const struct type *const *args)
{
    struct type node = { .kind = kind, .args = args, .arg_count = kind == TYPE_MAP ? 2 : 1 };
    return copy(ctx, node, true);
}

const struct type *type_make_udt(struct ctx *ctx, struct slice keyspace, struct slice name,
                                 const struct slice *field_names, const struct type *const *field_types, uint32_t count)
{
    struct slice *names = NEW_ARRAY(ctx, struct slice, count);
    struct type node = {
        .kind = TYPE_UDT, .multicell = true, .args = field_types, .arg_count = count, .field_names = names
    };
    if (!names || ctx_copy(ctx, keyspace, &node.keyspace) != WR_OK || ctx_copy(ctx, name, &node.name) != WR_OK)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        if (ctx_copy(ctx, field_names[i], &names[i]) != WR_OK)
            return NULL;
    return make(ctx, node);
}

const struct type *type_freeze(struct ctx *ctx, const struct type *type)
{
    if (!type->multicell) /* and what is in it stays as it is (ListType.freeze) */
        return type;
    struct type node = *type;
    node.multicell = false;
    return make(ctx, node);
}

const struct type *type_unfrozen_copy(struct ctx *ctx, const struct type *type)
{
    struct type *copy;
    if (type->multicell || !type_can_be_frozen(type))
        return type;
    if (!(copy = NEW(ctx, struct type)))
        return NULL;
    *copy = *type;
    copy->multicell = true;
    return copy;
}

const struct type *type_reversed(struct ctx *ctx, const struct type *type)
{
    struct type *copy = NEW(ctx, struct type);
    if (!copy)
        return NULL;
    *copy = *type;
    copy->reversed = true;
    return copy;
}

/* ---- asking ---- */

static bool eq(const struct type *a, const struct type *b, bool frozen_matters)
{
    if (a == b)
        return true;
    if (a->kind != b->kind || a->arg_count != b->arg_count || a->dimension != b->dimension ||
        (a->kind >= TYPE_LIST && (!slice_eq(a->name, b->name) || !slice_eq(a->keyspace, b->keyspace))) ||
        (frozen_matters && a->multicell != b->multicell))
        return false;
    frozen_matters |= a->kind == TYPE_VECTOR; /* of what is in one it always does: VectorType is compatible with itself alone */
    for (uint32_t i = 0; i < a->arg_count; i++)
        if (!eq(a->args[i], b->args[i], frozen_matters) ||
            (a->kind == TYPE_UDT && !slice_eq(a->field_names[i], b->field_names[i])))
            return false;
    return true;
}

bool type_eq(const struct type *a, const struct type *b)
{
    return eq(a, b, true);
}

bool type_eq_value(const struct type *a, const struct type *b)
{
    return eq(a, b, false);
}

bool type_is_numeric(const struct type *type)
{
    return table[type->kind].flags & TYPE_NUMERIC;
}

enum sai_terms type_sai_terms(const struct type *type)
{
    uint16_t flags = table[type->kind].flags;
    if (type->kind == TYPE_CUSTOM && type->component_count == 0) /* a DynamicCompositeType has letters, and is as what is frozen */
        return SAI_NO_TERMS;
    return flags & SAI_LITERAL ? SAI_TRIE : flags & SAI_NUMBER ? SAI_TREE : SAI_NO_TERMS;
}

const char *type_word(const struct type *type)
{
    return table[type->kind].name;
}

const char *type_ends(const struct type *type)
{
    return table[type->kind].ends;
}

bool type_field(const struct type *type, struct slice name, uint32_t *at)
{
    uint32_t count = type->kind == TYPE_UDT ? type->arg_count : 0;
    for (*at = 0; *at < count; ++*at)
        if (slice_eq(type->field_names[*at], name))
            return true;
    return false;
}

bool type_has_duration(const struct type *type)
{
    bool has = type->kind == TYPE_DURATION, looks = type->kind != TYPE_SET && type->kind != TYPE_VECTOR;
    for (uint32_t i = type->kind == TYPE_MAP; looks && !has && i < type->arg_count; i++)
        has = type_has_duration(type->args[i]);
    return has;
}

bool type_takes_unsound(const struct type *type)
{
    bool takes = type->kind == TYPE_TUPLE || type->kind == TYPE_LIST || type->kind == TYPE_TINYINT || type_is_class(type);
    for (uint32_t i = 0; !takes && i < type->arg_count; i++)
        takes = type_takes_unsound(type->args[i]);
    return takes;
}

bool type_order_is_lossy(const struct type *type)
{
    bool lossy = table[type->kind].flags & ORDER_LOSSY;
    for (uint32_t i = 0; !lossy && i < type->arg_count; i++)
        lossy = type_order_is_lossy(type->args[i]);
    return lossy;
}

bool type_keys_are_lossy(const struct type *type)
{
    return type_is_keyed(type) && type_order_is_lossy(type->args[0]);
}

bool type_allows_empty(const struct type *type)
{
    return table[type->kind].flags & EMPTY_ALLOWED;
}

bool type_empty_is_null(const struct type *type)
{
    return table[type->kind].flags & EMPTY_IS_NULL;
}

bool type_reads_null(const struct type *type, struct slice value)
{
    return slice_is_null(value) || (value.len == 0 && type_empty_is_null(type));
}

int type_fixed_len(const struct type *type)
{
    return table[type->kind].fixed_len;
}

uint16_t type_option_id(const struct type *type)
{
    return table[type->kind].option_id;
}

/* ---- values ---- */

enum wr_status type_validate(struct ctx *ctx, const struct type *type, struct slice value)
{
    const struct type_ops *ops = type_ops(type);
    if (slice_is_null(value))
        return WR_OK;
    if (ops->length_error && value.len != (size_t)ops->fixed_len && !(value.len == 0 && (ops->flags & EMPTY_ALLOWED)))
        return fail(ctx, WR_INVALID, "%s (%zu)", ops->length_error, value.len);
    return ops->validate ? ops->validate(ctx, type, value) : WR_OK;
}

int type_compare(const struct type *type, struct slice a, struct slice b)
{
    if (a.len == 0 || b.len == 0)
        return (int)(a.len != 0) - (int)(b.len != 0);
    return table[type->kind].compare(type, a, b);
}

int type_slices_cmp(const void *a, const void *b, const void *type)
{
    return type_compare(type, *(const struct slice *)a, *(const struct slice *)b);
}

/* Values have been validated, but for what a damaged file has within a collection or tuple, and a tinyint that was written as a longer constant:
 * its first byte counts (type_number.c), but where a literal is to give back what is there. */
static bool has_its_length(const struct type_ops *ops, const struct type *type, struct slice value, bool literal)
{
    if (type->kind == TYPE_TINYINT && !literal)
        return value.len > 0;
    if (type->kind == TYPE_INET)
        return value.len == 4 || value.len == 16;
    return !ops->length_error || value.len == (size_t)ops->fixed_len;
}

void type_print(struct buf *buf, const struct type *type, struct slice value, enum text_form form)
{
    const struct type_ops *ops = type_ops(type);
    bool plain_empty = ops->flags & (EMPTY_IS_TEXT | EMPTY_IS_COMPOSITE);
    bool literal = form == TEXT_LITERAL || form == TEXT_TERM;
    const char *quote = literal && (ops->flags & LITERAL_QUOTED)          ? "'"
                        : form == TEXT_JSON && (ops->flags & JSON_QUOTED) ? "\""
                                                                          : "";
    if (slice_is_null(value)) {
        buf_put_str(buf, "null");
    } else if (form == TEXT_TERM && type->kind == TYPE_TUPLE && !type_is_said_by_literal(type, value)) {
        type_print_literal(buf, type_native(TYPE_BLOB), value); /* a constant of bytes passes for a tuple */
    } else if (form == TEXT_TERM && !type_is_said_by_literal(type, value)) {
        buf_put_str(buf, "blobas"); /* all in lower case, as 3.11 and Scylla have it, too */
        buf_put_str(buf, ops->name);
        buf_put_u8(buf, '(');
        type_print_literal(buf, type_native(TYPE_BLOB), value);
        buf_put_u8(buf, ')');
    } else if (value.len == 0 && !plain_empty) {
        /* the server has no JSON for an empty boolean: it fails */
        buf_put_str(buf, form == TEXT_JSON && type->kind != TYPE_BOOLEAN ? "\"\"" : "null");
    } else if (!has_its_length(ops, type, value, literal)) {
        type_print(buf, type_native(TYPE_BLOB), value, form);
    } else {
        buf_put_str(buf, quote);
        ops->print(buf, type, value, form);
        buf_put_str(buf, quote);
    }
}

void type_print_literal(struct buf *buf, const struct type *type, struct slice value)
{
    type_print(buf, type, value, TEXT_LITERAL);
}

void type_print_term(struct buf *buf, const struct type *type, struct slice value)
{
    type_print(buf, type, value, TEXT_TERM);
}

void type_print_string(struct buf *buf, const struct type *type, struct slice value)
{
    type_print(buf, type, value, TEXT_STRING);
}

void type_print_java(struct buf *buf, const struct type *type, struct slice value)
{
    if (type_has_fields(type))
        type_fields_print_java(buf, type, value);
    else if (type_has_parts(type) || type->kind == TYPE_BLOB)
        put_hex(buf, value);
    else
        type_print_string(buf, type, value);
}

void type_print_json(struct buf *buf, const struct type *type, struct slice value)
{
    type_print(buf, type, value, TEXT_JSON);
}

/* Empty strings and composites have bytes in order; of all others an empty one puts nothing (see type_put_part). */
void type_put_order(struct buf *buf, const struct type *type, struct slice value)
{
    const struct type_ops *ops = type_ops(type);
    if (value.len || (ops->flags & EMPTY_IS_TEXT))
        ops->put_order(buf, type, value);
}

enum wr_status type_get_order(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out)
{
    const struct type_ops *ops = type_ops(type);
    if (from->len == 0 && type->kind != TYPE_VECTOR && !type_is_collection(type) && !(ops->flags & EMPTY_IS_TEXT)) {
        *out = SLICE_EMPTY;
        return WR_OK;
    }
    return ops->get_order(ctx, type, from, out);
}

type_order_reader *type_order_reader_of(const struct type *type)
{
    return type_ops(type)->get_order;
}

type_fixed_reader *type_fixed_reader_of(const struct type *type)
{
    return type_ops(type)->get_fixed;
}

void type_put_part(struct buf *buf, const struct type *type, struct slice value)
{
    buf_put_u8(buf, slice_is_null(value) ? PART_NULL : value.len == 0 ? PART_EMPTY : PART_VALUE);
    if (value.len)
        type_put_order(buf, type, value);
}

enum wr_status type_get_part(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out)
{
    uint8_t mark = from->len ? from->data[0] : 0;
    if (mark < PART_NULL || mark > PART_VALUE)
        return fail_corrupt(ctx, "order: a part's mark");
    *from = slice_skip(*from, 1);
    if (mark == PART_VALUE) /* not type_get_order, to which no bytes are the empty value */
        return table[type->kind].get_order(ctx, type, from, out);
    *out = mark == PART_NULL ? SLICE_NULL : SLICE_EMPTY;
    return WR_OK;
}

enum wr_status type_get_part_inverted(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out)
{
    struct slice flipped;
    struct buf buf;
    buf_init(&buf, ctx->arena);
    buf_put_slice(&buf, *from);
    order_invert(&buf, 0);
    TRY(buf_done(ctx, &buf, &flipped));
    TRY(type_get_part(ctx, type, &flipped, out));
    *from = slice_skip(*from, from->len - flipped.len);
    return WR_OK;
}
