/* Tuples and user types, and the context that makes them. */
#include <inttypes.h>

#include "engine/coding.h"
#include "model/digit.h"
#include "model/host.h"
#include "model/java/body.h"
#include "model/java/lib.h"
#include "model/java/object_ops.h"
#include "model/parse.h"

/* Codecs make an empty collection of none. */
static struct slice read_by_codec(const struct type *type, struct slice value)
{
    static const uint8_t no_elements[4];
    return slice_is_null(value) && type_is_collection(type) ? slice_of(no_elements, sizeof no_elements) : value;
}

static bool print_value(struct java_run *run, struct buf *text, const struct type *type, struct slice value);

static bool print_field(struct java_run *run, struct buf *text, const struct type *type, uint32_t i, struct slice value)
{
    buf_put_str(text, i ? "," : "");
    if (type->kind == TYPE_UDT) {
        cql_put_name(text, type->field_names[i]);
        buf_put_u8(text, ':');
    }
    return print_value(run, text, type->args[i], value);
}

static bool print_fields(struct java_run *run, struct buf *text, const struct type *type, const struct slice *fields)
{
    buf_put_u8(text, (uint8_t)type_ends(type)[0]);
    for (uint32_t i = 0; i < type->arg_count; i++)
        if (!print_field(run, text, type, i, fields[i]))
            return false;
    buf_put_u8(text, (uint8_t)type_ends(type)[1]);
    return true;
}

static bool print_packed_fields(struct java_run *run, struct buf *text, const struct type *type, struct slice value)
{
    struct elements e;

    elements_open(&e, type, value);
    buf_put_u8(text, (uint8_t)type_ends(type)[0]);
    for (uint32_t i = 0; i < type->arg_count; i++) {
        struct slice part;
        if (!print_field(run, text, type, i, elements_next(&e, &part) ? part : SLICE_NULL))
            return false;
    }
    buf_put_u8(text, (uint8_t)type_ends(type)[1]);
    return true;
}

/* That of vectors has no format of its own: the List's toString. */
static bool print_vector(struct java_run *run, struct buf *text, const struct type *type, struct slice value)
{
    struct java_object *list, *string;
    struct slice printed;
    struct buf utf16;

    buf_init(&utf16, run->ctx->arena);
    if (!java_object_from_value(run, type, value, &list) || !java_print(run, &utf16, list) ||
        !java_string_of_units(run, &utf16, &string) || !java_utf8(run, string, &printed))
        return false;
    buf_put_slice(text, printed);
    return true;
}

static bool print_collection(struct java_run *run, struct buf *text, const struct type *type, struct slice value)
{
    struct elements e;
    struct slice part;

    buf_put_u8(text, (uint8_t)type_ends(type)[0]);
    elements_open(&e, type, value);
    for (uint32_t i = 0; elements_next(&e, &part); i++) {
        bool second = type->kind == TYPE_MAP && i % 2;
        buf_put_str(text, second ? ":" : i ? "," : "");
        if (!print_value(run, text, type->args[second], part))
            return false;
    }
    buf_put_u8(text, (uint8_t)type_ends(type)[1]);
    return true;
}

/* As the codecs' format: literals without blanks. */
static bool print_value(struct java_run *run, struct buf *text, const struct type *type, struct slice value)
{
    value = read_by_codec(type, value);
    if (slice_is_null(value)) {
        buf_put_str(text, "NULL");
    } else if (type_has_fields(type)) {
        return print_packed_fields(run, text, type, value);
    } else if (type->kind == TYPE_VECTOR) {
        return print_vector(run, text, type, value);
    } else if (type_is_collection(type)) {
        return print_collection(run, text, type, value);
    } else if (type->kind == TYPE_TIMESTAMP && value.len == sizeof(uint64_t)) {
        buf_printf(text, "%" PRId64, (int64_t)read_u64(value.data));
    } else if (type->kind == TYPE_DATE && value.len == sizeof(uint32_t)) {
        buf_put_u8(text, '\'');
        java_put_local_date(text, (int64_t)read_u32(value.data) - (INT64_C(1) << 31));
        buf_put_u8(text, '\'');
    } else {
        type_print_literal(text, type, value);
    }
    return true;
}

static bool tuple_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    struct java_object *text;
    struct buf printed;

    buf_init(&printed, run->ctx->arena);
    return print_fields(run, &printed, o->tuple.type, o->tuple.fields) && java_string_of_text(run, &printed, &text) &&
           java_print(run, utf16, text);
}

static bool tuple_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    bool same = type_eq_value(a->tuple.type, b->tuple.type);
    (void)run;
    for (uint32_t i = 0; i < a->tuple.type->arg_count && same; i++)
        same = slice_is_null(a->tuple.fields[i]) == slice_is_null(b->tuple.fields[i]) &&
               slice_eq(a->tuple.fields[i], b->tuple.fields[i]);
    return same;
}

/* AbstractData's, of what the codecs read. */
static uint32_t tuple_hash(struct java_run *run, const struct java_object *o)
{
    uint32_t h = 31;
    for (uint32_t i = 0; i < o->tuple.type->arg_count; i++) {
        struct java_object *field = NULL;
        bool is_null = slice_is_null(o->tuple.fields[i]);
        if (!is_null && !java_object_from_value(run, o->tuple.type->args[i], o->tuple.fields[i], &field))
            return 0;
        h += is_null ? 1 : (uint32_t)java_hash_code(run, field);
    }
    return h;
}

const struct java_object_ops java_tuple_ops = { .equals = tuple_equals, .hash = tuple_hash, .print = tuple_print };

static bool is_name_of(struct slice field, struct slice name, bool quoted, bool folded)
{
    size_t n = 0;

    for (size_t i = 0; i < name.len; i++, n++) {
        i += quoted && i + 1 < name.len && name.data[i] == '"' && name.data[i + 1] == '"';
        if (n == field.len || field.data[n] != (folded ? small_letter(name.data[i]) : name.data[i]))
            return false;
    }
    return n == field.len;
}

/* A name in quotes is as it is within, one of letters, digits and _ in lower case, any other as it is (Metadata.handleId). */
bool java_type_has_field(const struct type *t, struct slice given, uint32_t *out)
{
    bool quoted = given.len >= 2 && given.data[0] == '"' && given.data[given.len - 1] == '"', folded = true;
    struct slice name = quoted ? slice_of(given.data + 1, given.len - 2) : given;

    for (size_t i = 0; i < given.len && folded; i++)
        folded = is_letter_or_digit(given.data[i]) || given.data[i] == '_';
    for (*out = 0; *out < t->arg_count; ++*out)
        if (is_name_of(t->field_names[*out], name, quoted, folded))
            return true;
    return false;
}

bool java_field_named(struct java_run *run, const struct java_object *o, struct slice given, uint32_t *out)
{
    return java_type_has_field(o->tuple.type, given, out) ||
           java_throw(run, J_ILLEGAL_ARGUMENT, "%.*s is not a field defined in this UDT", SLICE_ARG(given));
}

static bool field_of(struct java_run *run, const struct java_object *o, const struct java_method *method,
                     const union java_value *at, uint32_t *out)
{
    const struct type *t = o->tuple.type;
    struct slice name;

    *out = 0;
    if (method->args[0] == J_INT) {
        if (at->i < 0 || at->i >= t->arg_count)
            return java_throw(run, J_ARRAY_INDEX, "Index %d out of bounds for length %u", (int)at->i, t->arg_count);
        *out = (uint32_t)at->i;
        return true;
    }
    if (!at->o)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "null is not a field defined in this UDT");
    return java_utf8(run, at->o, &name) && java_field_named(run, o, name, out);
}

#define OF(type) (UINT32_C(1) << TYPE_##type)

/* CQL's types that a getter or setter of the Java type takes; none: any. A List may be a vector, too. */
static const uint32_t types_of[J_KIND_COUNT] = {
    [J_BOOLEAN] = OF(BOOLEAN),
    [J_BYTE] = OF(TINYINT),
    [J_SHORT] = OF(SMALLINT),
    [J_INT] = OF(INT),
    [J_LONG] = OF(BIGINT) | OF(COUNTER) | OF(TIME),
    [J_FLOAT] = OF(FLOAT),
    [J_DOUBLE] = OF(DOUBLE),
    [J_STRING] = OF(TEXT) | OF(ASCII),
    [J_BYTE_BUFFER] = OF(BLOB),
    [J_BIG_INTEGER] = OF(VARINT),
    [J_BIG_DECIMAL] = OF(DECIMAL),
    [J_UUID] = OF(UUID) | OF(TIMEUUID),
    [J_INET_ADDRESS] = OF(INET),
    [J_DATE] = OF(TIMESTAMP),
    [J_LOCAL_DATE] = OF(DATE),
    [J_TUPLE_VALUE] = OF(TUPLE),
    [J_UDT_VALUE] = OF(UDT),
    [J_LIST] = OF(LIST),
    [J_SET] = OF(SET),
    [J_MAP] = OF(MAP),
};

static bool takes(int kind, enum type_kind type, bool vector)
{
    uint32_t types = kind < J_KIND_COUNT ? types_of[kind] : 0;
    return !types || types & UINT32_C(1) << type || (vector && kind == J_LIST && type == TYPE_VECTOR);
}

/* A field, or of a collection in one an element: what its type is called by the driver that its codecs are of. */
struct coded {
    const struct type *type;
    bool within; /* another that is frozen, as all are that a tuple has */
};

static struct coded field_type(const struct java_object *o, uint32_t at)
{
    return (struct coded){ o->tuple.type->args[at], o->tuple.type->kind == TYPE_TUPLE };
}

static struct coded coded_part(struct coded of, uint32_t at)
{
    return (struct coded){ of.type->args[at], of.within || (type_is_collection(of.type) && !of.type->multicell) };
}

/* class: as Java's name is; its arguments behind. */
static bool throw_no_codec(struct java_run *run, struct coded c, const char *class, const char *arguments)
{
    struct buf text;
    buf_init(&text, run->ctx->arena);
    java_put_data_type(run->ctx, &text, c.type, c.within);
    return text.failed ? java_out_of_memory(run)
                       : java_throw(run, J_CODEC_NOT_FOUND, "Codec not found for requested operation: [%.*s <-> %s%s]", SLICE_ARG(buf_slice(&text)),
                                    class, arguments);
}

static bool check_codec(struct java_run *run, struct coded c, int kind, bool vector)
{
    struct java_type plain = { (enum java_kind)kind, { NULL, NULL }, false };
    const struct java_type *boxed = java_is_primitive(&plain) ? java_boxed(&plain) : &plain;
    return takes(kind, c.type->kind, vector) || throw_no_codec(run, c, java_class_full_name(boxed->kind), "");
}

bool java_check_codec_of(struct java_run *run, const struct java_object *o, uint32_t at, const struct java_object *value)
{
    const struct java_type *of;
    struct coded c = field_type(o, at);
    return java_ok(run, java_type_of(run->ctx, c.type, false, &of)) &&
           ((of && java_kind_extends(value->kind, of->kind)) || throw_no_codec(run, c, java_class_text(run, value), ""));
}

JAVA_CALL(tuple_is_null)
{
    uint32_t at;
    JAVA_UNUSED;
    if (!field_of(run, self->o, method, &args[0], &at))
        return false;
    out->i = slice_is_null(self->o->tuple.fields[at]);
    return true;
}

JAVA_CALL(tuple_get)
{
    struct java_object *value;
    uint32_t at;
    JAVA_UNUSED;
    if (!field_of(run, self->o, method, &args[0], &at) ||
        !check_codec(run, field_type(self->o, at), method->result, method->variant) ||
        !java_object_from_value(run, self->o->tuple.type->args[at],
                                read_by_codec(self->o->tuple.type->args[at], self->o->tuple.fields[at]), &value))
        return false;
    if (!java_is_primitive(java_simple((enum java_kind)method->result)))
        out->o = value;
    else
        *out = value ? value->value : (union java_value){ .i = 0 };
    return true;
}

static bool is_of_class(struct java_run *run, const struct type *type, const struct java_object *class, bool *is)
{
    const struct java_type *of;
    if (!java_check_argument(run, class) || !java_ok(run, java_type_of(run->ctx, type, false, &of)))
        return false;
    *is = of && of->kind == class->described->kind && !java_class_parameters(of->kind); /* a List alone is of nothing */
    return true;
}

/* Whether values of the CQL type are of the class that a Class stands for. */
static bool check_class(struct java_run *run, struct coded c, const struct java_object *class)
{
    bool is;
    return is_of_class(run, c.type, class, &is) && (is || throw_no_codec(run, c, java_class_full_name(class->described->kind), ""));
}

/* Whether the CQL type is a collection of the kind, of what the classes say. */
static bool check_collection(struct java_run *run, struct coded c, enum java_kind kind, const union java_value *classes)
{
    const char *names[2] = { "null", "null" };
    bool fits = takes(kind, c.type->kind, true);

    if (fits && c.type->kind == TYPE_VECTOR && !is_of_class(run, c.type->args[0], classes[0].o, &fits))
        return false;
    for (int i = 0; i < (kind == J_MAP ? 2 : 1); i++)
        if (classes[i].o)
            names[i] = java_class_full_name(classes[i].o->described->kind);
    if (!fits) {
        const char *arguments = ctx_format(run->ctx, kind == J_MAP ? "<%s, %s>" : "<%s>", names[0], names[1]);
        return arguments ? throw_no_codec(run, c, java_class_full_name(kind), arguments) : java_out_of_memory(run);
    }
    return check_class(run, coded_part(c, 0), classes[0].o) && (kind != J_MAP || check_class(run, coded_part(c, 1), classes[1].o));
}

static bool check_classes(struct java_run *run, struct coded c, enum java_kind kind, const union java_value *classes)
{
    return kind == J_OBJECT ? check_class(run, c, classes[0].o) : check_collection(run, c, kind, classes);
}

/* getList, getSet, getMap, getVector, and get, which tell the classes; of a null, a collection without elements. */
JAVA_CALL(tuple_get_as)
{
    enum java_kind kind = (enum java_kind)method->variant;
    const struct type *type;
    uint32_t at;
    JAVA_UNUSED;

    if (!field_of(run, self->o, method, &args[0], &at) || !check_classes(run, field_type(self->o, at), kind, args + 1))
        return false;
    type = self->o->tuple.type->args[at];
    if (!java_object_from_value(run, type, self->o->tuple.fields[at], &out->o))
        return false;
    if (!out->o && kind != J_OBJECT && type_is_collection(type))
        out->o = java_new(run, kind == J_LIST ? J_ARRAY_LIST : kind == J_SET ? J_LINKED_HASH_SET : J_LINKED_HASH_MAP);
    return out->o || kind == J_OBJECT || !type_is_collection(type);
}

/* The bytes as they are. */
JAVA_CALL(tuple_get_bytes)
{
    uint32_t at;
    JAVA_UNUSED;
    if (!field_of(run, self->o, method, &args[0], &at))
        return false;
    struct slice value = self->o->tuple.fields[at];
    out->o = NULL;
    return slice_is_null(value) || ((out->o = java_new(run, J_BYTE_BUFFER)) && java_buffer_of(run, value, out->o));
}

JAVA_CALL(tuple_set)
{
    int kind = method->args[1];
    struct java_object *value = args[1].o;
    uint32_t at;
    JAVA_UNUSED;
    if (!field_of(run, self->o, method, &args[0], &at) ||
        !(method->args[2] ? check_classes(run, field_type(self->o, at), (enum java_kind)kind, args + 2)
                          : check_codec(run, field_type(self->o, at), kind, method->variant)))
        return false;
    if (kind < J_KIND_COUNT && java_is_primitive(java_simple((enum java_kind)kind)) &&
        !java_box(run, java_simple((enum java_kind)kind), args[1], &value))
        return false;
    out->o = self->o;
    return java_to_value(run, self->o->tuple.type->args[at], value, &self->o->tuple.fields[at]);
}

JAVA_CALL(tuple_set_null)
{
    uint32_t at;
    JAVA_UNUSED;
    if (!field_of(run, self->o, method, &args[0], &at))
        return false;
    self->o->tuple.fields[at] = SLICE_NULL;
    out->o = self->o;
    return true;
}

bool java_tuple_new(struct java_run *run, const struct type *type, enum java_kind kind, union java_value *out)
{
    if (!(out->o = java_new(run, kind)) ||
        !(out->o->tuple.fields = java_alloc(run, (type->arg_count + 1u) * sizeof *out->o->tuple.fields)))
        return false;
    out->o->tuple.type = type;
    for (uint32_t i = 0; i < type->arg_count; i++)
        out->o->tuple.fields[i] = SLICE_NULL;
    return true;
}

static bool new_tuple(struct java_run *run, const struct type *type, enum java_kind kind, union java_value *out)
{
    if (type->kind != (kind == J_TUPLE_VALUE ? TYPE_TUPLE : TYPE_UDT))
        return java_throw(run, J_ILLEGAL_STATE, "Function argument is not a %s but a %s",
                          kind == J_TUPLE_VALUE ? "tuple type" : "UDT", java_data_type_name(run->ctx, type));
    return java_tuple_new(run, type, kind, out);
}

JAVA_CALL(context_result)
{
    JAVA_UNUSED;
    return run->body && new_tuple(run, run->body->signature->result, (enum java_kind)method->result, out);
}

/* A tuple by its type's text, a user type of the function's keyspace by its name. */
JAVA_CALL(context_type)
{
    const struct java_signature *s = run->body ? run->body->signature : NULL;
    const struct type *type = NULL;
    struct slice text;
    JAVA_UNUSED;

    bool is_tuple = method->result == J_TUPLE_VALUE;
    if (!java_check_read(run, args[0].o, is_tuple ? "invoke \"String.toLowerCase()\"" : "invoke \"String.getBytes(java.nio.charset.Charset)\"",
                         is_tuple ? "unparsed" : "s") ||
        !java_utf8(run, args[0].o, &text))
        return false;
    if (!s || !s->schema)
        return java_throw(run, J_ILLEGAL_STATE, NULL);
    if (is_tuple) {
        if (host_type(run->ctx, s->schema, s->keyspace, text, &type) != WR_OK)
            return java_throw(run, J_ILLEGAL_STATE, NULL);
    } else if (!(type = schema_type(s->schema, s->keyspace, text))) {
        return java_throw(run, J_ILLEGAL_ARGUMENT, "No UDT named %.*s in keyspace %.*s", SLICE_ARG(text),
                          SLICE_ARG(s->keyspace));
    }
    return new_tuple(run, type, (enum java_kind)method->result, out);
}

JAVA_CALL(context_argument)
{
    const struct java_signature *s = run->body ? run->body->signature : NULL;
    uint32_t at = 0;
    struct slice name;
    JAVA_UNUSED;

    if (!s)
        return java_throw(run, J_ILLEGAL_STATE, NULL);
    if (method->args[0] == J_INT) {
        if (args[0].i < 0 || args[0].i >= s->arg_count)
            return java_throw(run, J_ILLEGAL_ARGUMENT, "Function does not declare an argument with index %d",
                              (int)args[0].i);
        at = (uint32_t)args[0].i;
    } else {
        if (!args[0].o)
            return java_throw(run, J_ILLEGAL_ARGUMENT, "Function does not declare an argument named 'null'");
        if (!java_utf8(run, args[0].o, &name))
            return false;
        while (at < s->arg_count && !slice_eq(s->names[at], name))
            at++;
        if (at == s->arg_count)
            return java_throw(run, J_ILLEGAL_ARGUMENT, "Function does not declare an argument named '%.*s'",
                              SLICE_ARG(name));
    }
    return new_tuple(run, s->args[at], (enum java_kind)method->result, out);
}

/* ---- the table ---- */

#define FIELD_OF(of, key, name, kind)                                                                                  \
    { of, "get" name, kind, { key }, 0, tuple_get, 0 },                                                                \
    {                                                                                                                  \
        of, "set" name, of, { key, kind }, 0, tuple_set, 0                                                             \
    }
#define FIELD(name, kind)                                                                                              \
    FIELD_OF(J_TUPLE_VALUE, J_INT, name, kind), FIELD_OF(J_UDT_VALUE, J_INT, name, kind), FIELD_OF(J_UDT_VALUE, J_STRING, name, kind)
#define COLLECTION(of, key, name, result, kind, ...)                                                                   \
    { of, "get" name, result, { key, __VA_ARGS__ }, 0, tuple_get_as, kind },                                           \
        { of, "set" name, of, { key, kind }, 0, tuple_set, 0 }, { of, "set" name, of, { key, kind, __VA_ARGS__ }, 0, tuple_set, 0 }
#define COLLECTIONS(of, key)                                                                                           \
    COLLECTION(of, key, "List", JX_LIST_OF_CLASS, J_LIST, J_CLASS),                                                    \
        COLLECTION(of, key, "Set", JX_SET_OF_CLASS, J_SET, J_CLASS),                                                   \
        COLLECTION(of, key, "Map", JX_MAP_OF_CLASSES, J_MAP, J_CLASS, J_CLASS),                                        \
        { of, "getVector", JX_LIST_OF_CLASS, { key, J_CLASS }, 0, tuple_get_as, J_LIST },                              \
        { of, "setVector", of, { key, J_LIST }, 0, tuple_set, true },                                                  \
        { of, "set", of, { key, J_OBJECT, J_CLASS }, 0, tuple_set, 0 },                                                \
    {                                                                                                                  \
        of, "get", JX_OF_CLASS, { key, J_CLASS }, 0, tuple_get_as, J_OBJECT                                            \
    }
#define NULLS(of, key)                                                                                                 \
    { of, "isNull", J_BOOLEAN, { key }, 0, tuple_is_null, 0 }, { of, "setToNull", of, { key }, 0, tuple_set_null, 0 }, \
        { of, "getObject", J_OBJECT, { key }, 0, tuple_get, 0 },                                                       \
        { of, "getBytesUnsafe", J_BYTE_BUFFER, { key }, 0, tuple_get_bytes, 0 }

const struct java_method java_tuple_methods[] = {
    NULLS(J_TUPLE_VALUE, J_INT),
    NULLS(J_UDT_VALUE, J_INT),
    NULLS(J_UDT_VALUE, J_STRING),
    FIELD("Bool", J_BOOLEAN),
    FIELD("Byte", J_BYTE),
    FIELD("Short", J_SHORT),
    FIELD("Int", J_INT),
    FIELD("Long", J_LONG),
    FIELD("Time", J_LONG),
    FIELD("Float", J_FLOAT),
    FIELD("Double", J_DOUBLE),
    FIELD("String", J_STRING),
    FIELD("Bytes", J_BYTE_BUFFER),
    FIELD("Varint", J_BIG_INTEGER),
    FIELD("Decimal", J_BIG_DECIMAL),
    FIELD("UUID", J_UUID),
    FIELD("Inet", J_INET_ADDRESS),
    FIELD("Timestamp", J_DATE),
    FIELD("Date", J_LOCAL_DATE),
    FIELD("TupleValue", J_TUPLE_VALUE),
    FIELD("UDTValue", J_UDT_VALUE),
    COLLECTIONS(J_TUPLE_VALUE, J_INT),
    COLLECTIONS(J_UDT_VALUE, J_INT),
    COLLECTIONS(J_UDT_VALUE, J_STRING),
    { J_UDF_CONTEXT, "newTupleValue", J_TUPLE_VALUE, { J_STRING }, 0, context_type, 0 },
    { J_UDF_CONTEXT, "newUDTValue", J_UDT_VALUE, { J_STRING }, 0, context_type, 0 },
    { J_UDF_CONTEXT, "newReturnTupleValue", J_TUPLE_VALUE, { 0 }, 0, context_result, 0 },
    { J_UDF_CONTEXT, "newReturnUDTValue", J_UDT_VALUE, { 0 }, 0, context_result, 0 },
    { J_UDF_CONTEXT, "newArgTupleValue", J_TUPLE_VALUE, { J_INT }, 0, context_argument, 0 },
    { J_UDF_CONTEXT, "newArgTupleValue", J_TUPLE_VALUE, { J_STRING }, 0, context_argument, 0 },
    { J_UDF_CONTEXT, "newArgUDTValue", J_UDT_VALUE, { J_INT }, 0, context_argument, 0 },
    { J_UDF_CONTEXT, "newArgUDTValue", J_UDT_VALUE, { J_STRING }, 0, context_argument, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
