/* Types as CQL prints them, and as Java classes. */
#include "model/digit.h"
#include "model/parse.h"
#include "model/type_ops.h"

static void print_args(struct buf *buf, const struct type *type, void (*print)(struct buf *, const struct type *),
                       const char *separator)
{
    for (uint32_t i = 0; i < type->arg_count; i++) {
        if (i)
            buf_put_str(buf, separator);
        print(buf, type->args[i]);
    }
}

static void print_bare(struct buf *buf, const struct type *type, void (*print)(struct buf *, const struct type *),
                       void (*put_udt)(struct buf *, struct slice))
{
    if (type->kind == TYPE_UDT)
        put_udt(buf, type->name);
    else if (type_is_class(type))
        buf_printf(buf, "'%.*s'", SLICE_ARG(type->name));
    else
        buf_put_str(buf, type_ops(type)->name);
    if (type->arg_count && type->kind != TYPE_UDT) {
        buf_put_u8(buf, '<');
        print_args(buf, type, print, ", ");
        if (type->kind == TYPE_VECTOR)
            buf_printf(buf, ", %u", type->dimension);
        buf_put_u8(buf, '>');
    }
}

void type_print_bare(struct buf *buf, const struct type *type)
{
    print_bare(buf, type, type_print_bare, cql_put_name);
}

static void print_cql(struct buf *buf, const struct type *type, void (*print)(struct buf *, const struct type *),
                      void (*put_udt)(struct buf *, struct slice))
{
    bool frozen = !type->multicell && (type_is_collection(type) || type_has_fields(type));
    if (frozen)
        buf_put_str(buf, "frozen<");
    print_bare(buf, type, print, put_udt);
    if (frozen)
        buf_put_u8(buf, '>');
}

void type_print_name(struct buf *buf, const struct type *type)
{
    print_cql(buf, type, type_print_name, cql_put_name);
}

static void put_stored_name(struct buf *buf, struct slice name)
{
    (type_by_name(name) || slice_eq_str(name, "empty") ? cql_put_quoted_name : cql_put_name)(buf, name);
}

void type_print_stored(struct buf *buf, const struct type *type)
{
    print_cql(buf, type, type_print_stored, put_stored_name);
}

void type_print_script(struct buf *buf, const struct type *type)
{
    if (type->kind == TYPE_EMPTY)
        buf_printf(buf, "'" MARSHAL "%s'", type_ops(type)->java);
    else
        print_cql(buf, type, type_print_script, cql_put_own_name);
}

const char *type_name(struct ctx *ctx, const struct type *type)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    type_print_name(&buf, type);
    return buf_string(ctx, &buf);
}

struct slice type_class_name(const struct type *type)
{
    return type->kind < TYPE_LIST && type->name.len ? type->name : slice_str(type_ops(type)->java);
}

static void print_class(struct buf *buf, const struct type *type, bool inside_frozen)
{
    if (type->reversed) {
        struct type straight = *type;
        straight.reversed = false;
        buf_put_str(buf, MARSHAL REVERSED_CLASS "(");
        print_class(buf, &straight, false); /* its toString asks nobody who is around it */
        buf_put_u8(buf, ')');
        return;
    }
    /* Frozen is told once, outermost; a tuple is, and says so of what it holds, without a word. */
    bool frozen = !type->multicell && !inside_frozen && type_can_be_frozen(type);
    bool hide = inside_frozen || frozen || type->kind == TYPE_TUPLE;
    if (type_is_class(type)) {
        buf_put_slice(buf, type->name);
        return;
    }
    if (frozen)
        buf_put_str(buf, MARSHAL FROZEN_CLASS "(");
    buf_put_str(buf, MARSHAL);
    buf_put_slice(buf, type_class_name(type));
    if (type->kind >= TYPE_LIST) {
        buf_put_u8(buf, '(');
        if (type->kind == TYPE_UDT) {
            buf_printf(buf, "%.*s,", SLICE_ARG(type->keyspace));
            put_hex(buf, type->name);
        }
        for (uint32_t i = 0; i < type->arg_count; i++) {
            if (i || type->kind == TYPE_UDT)
                buf_put_u8(buf, ',');
            if (type->kind == TYPE_UDT) {
                put_hex(buf, type->field_names[i]);
                buf_put_u8(buf, ':');
            }
            print_class(buf, type->args[i], hide);
        }
        if (type->kind == TYPE_VECTOR)
            buf_printf(buf, " , %u", type->dimension);
        buf_put_u8(buf, ')');
    }
    if (frozen)
        buf_put_u8(buf, ')');
}

void type_print_class(struct buf *buf, const struct type *type)
{
    print_class(buf, type, false);
}
