/* TupleType and UserType: what tuples and user types say of themselves, and others that are made by them. An object has the type and no fields. */
#include "engine/hash.h"
#include "model/java/lib.h"
#include "model/java/object_ops.h"
#include "model/parse.h"

static void put_text(struct buf *text, const struct type *type)
{
    buf_put_str(text, "frozen<");
    if (type->kind == TYPE_UDT) {
        cql_put_name(text, type->keyspace);
        buf_put_u8(text, '.');
    }
    type_print_bare(text, type);
    buf_put_u8(text, '>');
}

static bool type_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    struct java_object *string;
    struct buf text;

    buf_init(&text, run->ctx->arena);
    put_text(&text, o->tuple.type);
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
    put_text(&text, o->tuple.type);
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

JAVA_CALL(type_new_value)
{
    JAVA_UNUSED;
    return java_tuple_new(run, self->o->tuple.type, (enum java_kind)method->result, out);
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
    { J_USER_TYPE, "newValue", J_UDT_VALUE, { 0 }, 0, type_new_value, 0 },
    { J_USER_TYPE, "getKeyspace", J_STRING, { 0 }, 0, type_named, TYPE_KEYSPACE },
    { J_USER_TYPE, "getTypeName", J_STRING, { 0 }, 0, type_named, TYPE_NAME },
    { J_USER_TYPE, "size", J_INT, { 0 }, 0, type_size, 0 },
    { J_USER_TYPE, "contains", J_BOOLEAN, { J_STRING }, 0, type_contains, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
