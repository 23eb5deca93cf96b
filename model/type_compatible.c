/*
 * type_compatible.c - which types' values another type has: AbstractType's three questions, and who of its classes answers them otherwise.
 */
#include "model/type_ops.h"

typedef bool question(const struct type *type, const struct type *other);

/* TupleType, and UserType, which is one: fields at the end may be missing. */
static bool fields_take(const struct type *type, const struct type *other, question *takes)
{
    bool all = type_has_fields(other) && other->arg_count <= type->arg_count;
    for (uint32_t i = 0; all && i < other->arg_count; i++)
        all = takes(type->args[i], other->args[i]);
    return all;
}

/* CollectionType: keys stand in their order; values that are cells of their own do not, and lie as they were written. */
static bool collection_takes(const struct type *type, const struct type *other, question *takes)
{
    if (type->kind != other->kind || type->multicell != other->multicell || (type_is_keyed(type) && !type_keeps_order(type->args[0], other->args[0])))
        return false;
    return type->kind == TYPE_SET || (type->multicell ? type_lies_as : takes)(type_contained(type), type_contained(other));
}

bool type_keeps_order(const struct type *type, const struct type *other)
{
    if (type_eq(type, other) || type_ops(type)->sorts & BIT(other->kind))
        return true;
    return type_is_collection(type) ? collection_takes(type, other, type_keeps_order) : type_has_fields(type) && fields_take(type, other, type_keeps_order);
}

/* isValueCompatibleWithInternal, which ListType asks of its elements: there a user type is a tuple. */
static bool reads_element(const struct type *type, const struct type *other)
{
    if (type_is_collection(type))
        return collection_takes(type, other, type->kind == TYPE_LIST ? reads_element : type_reads);
    if (type_has_fields(type))
        return fields_take(type, other, type_reads);
    if (type_ops(type)->reads & BIT(other->kind))
        return type->kind != TYPE_UUID || !type_is_legacy_timeuuid(other);
    return type_eq(type, other);
}

bool type_reads(const struct type *type, const struct type *other)
{
    if (type->kind != TYPE_UDT)
        return reads_element(type, other);
    return other->kind == TYPE_UDT && type->multicell == other->multicell && slice_eq(type->keyspace, other->keyspace) &&
           fields_take(type, other, type_keeps_order);
}

bool type_lies_as(const struct type *type, const struct type *other)
{
    if (!type_reads(type, other))
        return false;
    if (type_is_collection(type)) /* whose values are asked instead; a set has none */
        return type->kind == TYPE_SET || type_lies_as(type_contained(type), type_contained(other));
    return type->multicell == other->multicell && type_is_fixed(type) == type_is_fixed(other);
}
