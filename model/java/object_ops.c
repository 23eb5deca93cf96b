/* The table of what objects can be asked, by their class. */
#include "model/java/object_ops.h"

#include <stdio.h>

static const struct java_object_ops *const table[J_KIND_COUNT] = {
    [J_STRING] = &java_text_ops,
    [J_STRING_BUILDER] = &java_builder_ops,
    [J_STRING_BUFFER] = &java_builder_ops,
    [J_BOX_BOOLEAN] = &java_whole_ops,
    [J_BOX_CHAR] = &java_short_ops,
    [J_BOX_BYTE] = &java_short_ops,
    [J_BOX_SHORT] = &java_short_ops,
    [J_BOX_INT] = &java_whole_ops,
    [J_BOX_LONG] = &java_long_ops,
    [J_BOX_FLOAT] = &java_real_ops,
    [J_BOX_DOUBLE] = &java_real_ops,
    [J_LIST] = &java_list_ops,
    [J_ARRAY_LIST] = &java_list_ops,
    [J_LINKED_LIST] = &java_list_ops,
    [J_VECTOR] = &java_list_ops,
    [J_STACK] = &java_list_ops,
    [J_IMMUTABLE_LIST] = &java_list_ops,
    [J_IMMUTABLE_ONE] = &java_list_ops,
    [J_SET] = &java_set_ops,
    [J_HASH_SET] = &java_set_ops,
    [J_LINKED_HASH_SET] = &java_set_ops,
    [J_TREE_SET] = &java_set_ops,
    [J_SORTED_SET] = &java_set_ops,
    [J_NAVIGABLE_SET] = &java_set_ops,
    [J_MAP] = &java_map_ops,
    [J_HASH_MAP] = &java_map_ops,
    [J_LINKED_HASH_MAP] = &java_map_ops,
    [J_TREE_MAP] = &java_map_ops,
    [J_SORTED_MAP] = &java_map_ops,
    [J_NAVIGABLE_MAP] = &java_map_ops,
    [J_COLLECTION] = &java_collection_ops,
    [J_QUEUE] = &java_collection_ops,
    [J_DEQUE] = &java_collection_ops,
    [J_ARRAY_DEQUE] = &java_collection_ops,
    [J_PRIORITY_QUEUE] = &java_collection_ops,
    [J_ENTRY] = &java_entry_ops,
    [J_BIG_INTEGER] = &java_big_integer_ops,
    [J_BIG_DECIMAL] = &java_big_decimal_ops,
    [J_MATH_CONTEXT] = &java_context_ops,
    [J_ROUNDING_MODE] = &java_enum_ops,
    [J_DAY_OF_WEEK] = &java_enum_ops,
    [J_MONTH] = &java_enum_ops,
    [J_TEXT_STYLE] = &java_enum_ops,
    [J_CHRONO_FIELD] = &java_enum_ops,
    [J_CHRONO_UNIT] = &java_enum_ops,
    [J_UUID] = &java_uuid_ops,
    [J_DATE] = &java_date_ops,
    [J_LOCAL_DATE] = &java_local_date_ops,
    [J_DURATION] = &java_duration_ops,
    [J_BYTE_BUFFER] = &java_buffer_ops,
    [J_INET_ADDRESS] = &java_address_ops,
    [J_TUPLE_VALUE] = &java_tuple_ops,
    [J_UDT_VALUE] = &java_tuple_ops,
    [J_TUPLE_TYPE] = &java_tuple_type_ops,
    [J_USER_TYPE] = &java_tuple_type_ops,
    [J_CLASS] = &java_class_ops,
    [J_PATTERN] = &java_pattern_ops,
    [J_MATCHER] = &java_matcher_ops,
    [J_LOCALE] = &java_locale_ops,
    [J_OPTIONAL] = &java_optional_ops,
    [J_JOINER] = &java_joiner_ops,
    [J_TIME_ZONE] = &java_zone_ops,
    [J_SIMPLE_DATE_FORMAT] = &java_date_format_ops,
    [J_GREGORIAN] = &java_calendar_ops,
    [J_TIME_LOCAL_DATE] = &java_temporal_ops,
    [J_TIME_LOCAL_TIME] = &java_temporal_ops,
    [J_TIME_LOCAL_DATE_TIME] = &java_temporal_ops,
    [J_TIME_INSTANT] = &java_temporal_ops,
    [J_TIME_OFFSET_DATE_TIME] = &java_temporal_ops,
    [J_TIME_ZONED_DATE_TIME] = &java_temporal_ops,
    [J_TIME_YEAR] = &java_temporal_ops,
    [J_TIME_YEAR_MONTH] = &java_temporal_ops,
    [J_TIME_DURATION] = &java_time_duration_ops,
    [J_TIME_PERIOD] = &java_time_period_ops,
    [J_ZONE_REGION] = &java_zone_region_ops,
    [J_RESOLVER_STYLE] = &java_enum_ops,
    [J_ISO_FIELD] = &java_enum_ops,
    [J_DATE_TIME_FORMATTER] = &java_formatter_ops,
    [J_PARSED] = &java_parsed_ops,
    [J_VALUE_RANGE] = &java_range_ops,
    [J_ZONE_OFFSET] = &java_zone_offset_ops,
};

static const struct java_object_ops *ops_of(const struct java_object *o)
{
    static const struct java_object_ops plain = { 0 };
    return table[o->kind]                               ? table[o->kind]
           : java_kind_extends(o->kind, J_THROWABLE) ? &java_throwable_ops
                                                     : &plain;
}

const char *java_class_text(struct java_run *run, const struct java_object *o)
{
    struct java_type array = { J_ARRAY, { o->kind == J_ARRAY ? o->array.element : NULL, NULL }, false };
    return o->kind == J_ARRAY ? java_binary_name(run->ctx, &array) : java_class_full_name(o->kind);
}

bool java_same(const struct java_object *a, const struct java_object *b)
{
    if (a == b || !a || !b || a->kind != b->kind)
        return a == b;
    const struct java_object_ops *ops = ops_of(a);
    return ops->same && ops->same(a, b);
}

bool java_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    if (a == b || !a || !b || !java_spend(run, 1))
        return a == b;
    const struct java_object_ops *ops = ops_of(a);
    if (a->kind != b->kind && !(ops->of_any_class && ops == ops_of(b)))
        return false;
    return ops->equals && ops->equals(run, a, b);
}

/* An object's place in memory, which Object makes it of, tells nobody anything. */
int32_t java_hash_code(struct java_run *run, const struct java_object *o)
{
    if (!o || !java_spend(run, 1))
        return 0;
    const struct java_object_ops *ops = ops_of(o);
    return ops->hash ? (int32_t)ops->hash(run, o) : 1;
}

bool java_compare(struct java_run *run, const struct java_object *a, const struct java_object *b, int *out)
{
    if (!a || !b)
        return java_throw(run, J_NULL_POINTER, NULL);
    const struct java_object_ops *ops = ops_of(a);
    if (a->kind != b->kind || !ops->compare) {
        const char *from = java_class_text(run, b),
                   *to = a->kind == b->kind ? java_class_full_name(J_COMPARABLE) : java_class_text(run, a);
        return java_throw_cast(run, from, to);
    }
    return java_spend(run, 1) && ops->compare(run, a, b, out);
}

bool java_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    char text[160];

    if (!o) {
        java_put_ascii(utf16, "null", 4);
        return true;
    }
    if (!java_spend(run, 1))
        return false;
    const struct java_object_ops *ops = ops_of(o);
    if (ops->print)
        return ops->print(run, utf16, o);
    java_put_ascii(utf16, text, (size_t)snprintf(text, sizeof text, "%.100s@%x", java_class_text(run, o), (unsigned)java_hash_code(run, o)));
    return true;
}

/* ---- what several of them are made of ---- */

bool java_value_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    (void)run;
    return a->value.i == b->value.i;
}

uint32_t java_value_hash(struct java_run *run, const struct java_object *o)
{
    (void)run;
    return java_fold_hash((uint64_t)o->value.i);
}

bool java_value_compare(struct java_run *run, const struct java_object *a, const struct java_object *b, int *out)
{
    (void)run;
    *out = (a->value.i > b->value.i) - (a->value.i < b->value.i);
    return true;
}

bool java_bytes_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    (void)run;
    return slice_eq(a->bytes, b->bytes);
}

void java_put_cql(struct buf *utf16, enum type_kind kind, struct slice value)
{
    struct buf text;
    buf_init(&text, utf16->arena);
    type_print_string(&text, type_native(kind), value);
    java_put_buf(utf16, &text);
}
