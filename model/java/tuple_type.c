/* TupleType and UserType: what tuples and user types say of themselves, and others that are made by them. An object has the type and no fields. */
#include "engine/hash.h"
#include "model/java/lib.h"
#include "model/java/object_ops.h"
#include "model/parse.h"

const char *java_data_type_name(struct ctx *ctx, const struct type *type)
{
    static const char *const others[TYPE_KIND_COUNT] = { [TYPE_TEXT] = "varchar", [TYPE_LIST] = "list",   [TYPE_SET] = "set", [TYPE_MAP] = "map",
                                                         [TYPE_VECTOR] = "vector", [TYPE_TUPLE] = "tuple", [TYPE_UDT] = "udt" };
    return others[type->kind] ? others[type->kind] : type_name(ctx, type);
}

void java_put_data_type(struct ctx *ctx, struct buf *text, const struct type *type, bool within)
{
    bool frozen = type_has_fields(type) || (type_is_collection(type) && !type->multicell && !within);

    buf_put_str(text, frozen ? "frozen<" : "");
    if (type->kind == TYPE_UDT) {
        cql_put_name(text, type->keyspace);
        buf_put_u8(text, '.');
    }
    if (type->kind != TYPE_VECTOR && !type_is_collection(type)) {
        type_print_bare(text, type);
    } else {
        buf_printf(text, "%s<", java_data_type_name(ctx, type));
        for (uint32_t i = 0; i < type->arg_count; i++) {
            buf_put_str(text, i ? ", " : "");
            java_put_data_type(ctx, text, type->args[i], within || frozen);
        }
        if (type->kind == TYPE_VECTOR)
            buf_printf(text, ", %u", type->dimension);
        buf_put_u8(text, '>');
    }
    buf_put_str(text, frozen ? ">" : "");
}

static bool type_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    struct java_object *string;
    struct buf text;

    buf_init(&text, run->ctx->arena);
    java_put_data_type(run->ctx, &text, o->tuple.type, false);
    return java_string_of_text(run, &text, &string) && java_print(run, utf16, string);
}

static bool type_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    (void)run;
    return type_eq_value(a->tuple.type, b->tuple.type);
}

static uint32_t type_hash(struct java_run *run, const struct java_object *o)
{
    struct buf text;

    buf_init(&text, run->ctx->arena);
    java_put_data_type(run->ctx, &text, o->tuple.type, false);
    return (uint32_t)hash64(buf_slice(&text));
}

const struct java_object_ops java_tuple_type_ops = { .equals = type_equals, .hash = type_hash, .print = type_print };

JAVA_CALL(value_type)
{
    JAVA_UNUSED;
    if (!(out->o = java_new(run, (enum java_kind)method->result)))
        return false;
    out->o->tuple.type = self->o->tuple.type;
    return true;
}

/* Of the values that are given, each of which its codec must take, or of nulls. */
JAVA_CALL(type_new_value)
{
    const struct type *type = self->o->tuple.type;
    const struct java_object *values = method->args[0] ? args[0].o : NULL;
    JAVA_UNUSED;

    if (!java_tuple_new(run, type, (enum java_kind)method->result, out))
        return false;
    if (!method->args[0])
        return true;
    if (!java_check_read(run, values, JAVA_READ_LENGTH, "values"))
        return false;
    if (values->array.count != type->arg_count)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "Invalid number of values. Expecting %u but got %u", type->arg_count, values->array.count);
    for (uint32_t i = 0; i < type->arg_count; i++)
        if (values->array.items[i].o && (!java_check_codec_of(run, out->o, i, values->array.items[i].o) ||
                                         !java_to_value(run, type->args[i], values->array.items[i].o, &out->o->tuple.fields[i])))
            return false;
    return true;
}

enum { TYPE_KEYSPACE, TYPE_NAME };

JAVA_CALL(type_named)
{
    const struct type *type = self->o->tuple.type;
    struct buf text;
    JAVA_UNUSED;

    buf_init(&text, run->ctx->arena);
    buf_put_slice(&text, method->variant == TYPE_KEYSPACE ? type->keyspace : type->name);
    return java_string_of_text(run, &text, &out->o);
}

JAVA_CALL(type_size)
{
    JAVA_UNUSED;
    out->i = self->o->tuple.type->arg_count;
    return true;
}

JAVA_CALL(type_is)
{
    JAVA_UNUSED;
    out->i = method->variant;
    return true;
}

JAVA_CALL(type_contains)
{
    struct slice name;
    uint32_t at;
    JAVA_UNUSED;

    out->i = false;
    if (!args[0].o)
        return true;
    if (!java_utf8(run, args[0].o, &name))
        return false;
    out->i = java_type_has_field(self->o->tuple.type, name, &at);
    return true;
}

const struct java_method java_tuple_type_methods[] = {
    { J_TUPLE_VALUE, "getType", J_TUPLE_TYPE, { 0 }, 0, value_type, 0 },
    { J_UDT_VALUE, "getType", J_USER_TYPE, { 0 }, 0, value_type, 0 },
    { J_TUPLE_TYPE, "newValue", J_TUPLE_VALUE, { 0 }, 0, type_new_value, 0 },
    { J_TUPLE_TYPE, "newValue", J_TUPLE_VALUE, { JX_OBJECTS }, JAVA_VARIADIC, type_new_value, 0 },
    { J_TUPLE_TYPE, "isFrozen", J_BOOLEAN, { 0 }, 0, type_is, true },
    { J_TUPLE_TYPE, "isCollection", J_BOOLEAN, { 0 }, 0, type_is, false },
    { J_USER_TYPE, "isFrozen", J_BOOLEAN, { 0 }, 0, type_is, true },
    { J_USER_TYPE, "isCollection", J_BOOLEAN, { 0 }, 0, type_is, false },
    { J_USER_TYPE, "newValue", J_UDT_VALUE, { 0 }, 0, type_new_value, 0 },
    { J_USER_TYPE, "getKeyspace", J_STRING, { 0 }, 0, type_named, TYPE_KEYSPACE },
    { J_USER_TYPE, "getTypeName", J_STRING, { 0 }, 0, type_named, TYPE_NAME },
    { J_USER_TYPE, "size", J_INT, { 0 }, 0, type_size, 0 },
    { J_USER_TYPE, "contains", J_BOOLEAN, { J_STRING }, 0, type_contains, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
