/*
 * object_ops.h - what any object can be asked: is it the same as another, equal to it, what does it hash to, which comes first, how does it read.
 * A class answers in its own room; object_ops.c has the table of classes, and asks.
 *
 * A member that is NULL: as Object has it. Both objects are of the same class, and neither is NULL.
 */
#ifndef WR_MODEL_JAVA_OBJECT_OPS_H
#define WR_MODEL_JAVA_OBJECT_OPS_H

#include "model/java/object.h"

struct java_object_ops {
    bool (*same)(const struct java_object *a, const struct java_object *b); /* two of ours that Java has one object for */
    bool (*equals)(struct java_run *run, const struct java_object *a, const struct java_object *b);
    bool of_any_class; /* equals looks at what has the same ops, as any List may equal any other */
    uint32_t (*hash)(struct java_run *run, const struct java_object *o);
    bool (*compare)(struct java_run *run, const struct java_object *a, const struct java_object *b, int *out); /* NULL: no Comparable */
    bool (*print)(struct java_run *run, struct buf *utf16, const struct java_object *o);
};

extern const struct java_object_ops java_text_ops, java_builder_ops, java_whole_ops, java_short_ops, java_long_ops, java_real_ops,
    java_list_ops, java_set_ops, java_map_ops, java_collection_ops, java_entry_ops, java_big_integer_ops, java_big_decimal_ops,
    java_context_ops, java_enum_ops, java_uuid_ops, java_date_ops, java_local_date_ops, java_duration_ops, java_buffer_ops,
    java_address_ops, java_tuple_ops, java_tuple_type_ops, java_class_ops, java_pattern_ops, java_matcher_ops, java_locale_ops, java_optional_ops,
    java_joiner_ops, java_zone_ops, java_calendar_ops, java_date_format_ops, java_throwable_ops,
    java_temporal_ops, java_time_duration_ops, java_time_period_ops, java_zone_region_ops, java_zone_offset_ops,
    java_range_ops, java_formatter_ops, java_parsed_ops;

/* ---- what several of them are made of ---- */

bool java_value_equals(struct java_run *run, const struct java_object *a, const struct java_object *b);
uint32_t java_value_hash(struct java_run *run, const struct java_object *o); /* Long's */
bool java_value_compare(struct java_run *run, const struct java_object *a, const struct java_object *b, int *out);
bool java_bytes_equals(struct java_run *run, const struct java_object *a, const struct java_object *b);
bool java_text_compare(struct java_run *run, const struct java_object *a, const struct java_object *b, int *out);
bool java_text_print(struct java_run *run, struct buf *utf16, const struct java_object *o);
void java_put_cql(struct buf *utf16, enum type_kind kind, struct slice value); /* as the CQL type's value reads */

static inline uint32_t java_fold_hash(uint64_t v)
{
    return (uint32_t)(v ^ v >> 32);
}

#endif
