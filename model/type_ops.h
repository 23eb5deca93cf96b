/*
 * type_ops.h - one line of the table of types: what type.h, literal.h and json.h ask of a type, answered by its family
 * (type_number.c, type_text.c, type_time.c, type_uuid.c, type_inet.c, type_composite.c, type_collection.c, type_tuple.c,
 * type_vector.c). Only type_*.c, literal.c and json_value.c include it.
 *
 * 1. A function is given values that passed validate, not null, and not empty unless the type prints or orders empty
 * ones (EMPTY_IS_TEXT, EMPTY_IS_COMPOSITE); what is common to all of them type.c has done before.
 * 2. Values nest as deep as their type, and types are bounded (TYPE_DEPTH_MAX), so recursion is.
 */
#ifndef WR_MODEL_TYPE_OPS_H
#define WR_MODEL_TYPE_OPS_H

#include "model/json.h"
#include "model/type.h"

enum text_form { TEXT_LITERAL, TEXT_TERM, TEXT_STRING, TEXT_JSON };

enum type_flags {
    TYPE_NUMERIC = 1 << 0,
    EMPTY_ALLOWED = 1 << 1,      /* zero-length bytes pass */
    EMPTY_IS_NULL = 1 << 2,      /* isEmptyValueMeaningless */
    EMPTY_IS_TEXT = 1 << 3,      /* empty prints as the empty text, not as null */
    EMPTY_IS_COMPOSITE = 1 << 4, /* empty prints as one of no fields */
    ORDER_LOSSY = 1 << 5,
    LITERAL_QUOTED = 1 << 6, /* 'like this' in CQL */
    JSON_QUOTED = 1 << 7,    /* "like this" in JSON */
    LENGTH_FIXED = 1 << 8,   /* type_is_fixed */
    SAI_LITERAL = 1 << 9,    /* type_sai_terms */
    SAI_NUMBER = 1 << 10,
};

#define BIT(kind) (UINT32_C(1) << (kind))

struct type_ops {
    _Alignas(64) const char *name; /* CQL's; lines of a power of two are found by a shift, for each value */
    const char *java; /* the class in org.apache.cassandra.db.marshal */
    uint16_t option_id;
    int8_t fixed_len; /* -1: varies */
    uint16_t flags;
    const char *length_error; /* what a value of another length is told; NULL where validate tells */
    enum wr_status (*validate)(struct ctx *ctx, const struct type *type, struct slice value);
    int (*compare)(const struct type *type, struct slice a, struct slice b);
    void (*print)(struct buf *buf, const struct type *type, struct slice value, enum text_form form);
    enum wr_status (*from_string)(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out);
    enum wr_status (*from_json)(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out);
    void (*put_order)(struct buf *buf, const struct type *type, struct slice value);
    enum wr_status (*get_order)(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out);
    const char *json_expected; /* "an int value": what another kind of JSON is told was expected */
    const char *ends;               /* type_ends */
    type_fixed_reader *get_fixed;   /* type_fixed_reader_of */
    uint32_t reads, sorts;          /* bits by kind, of types without parts: type_reads, type_keeps_order */
};

const struct type_ops *type_ops(const struct type *type);

/* Whether a literal in a script is read back as these very bytes, which are not null (type_said.c). */
bool type_is_said_by_literal(const struct type *type, struct slice value);

/* print with quotes and the words for null and empty */
void type_print(struct buf *buf, const struct type *type, struct slice value, enum text_form form);

/* ---- the families ---- */

#define TYPE_FAMILY(family)                                                                                            \
    int type_##family##_compare(const struct type *type, struct slice a, struct slice b);                              \
    void type_##family##_print(struct buf *buf, const struct type *type, struct slice value, enum text_form form);     \
    enum wr_status type_##family##_from_string(struct ctx *ctx, const struct type *type, struct slice text,            \
                                               struct slice *out);                                                     \
    void type_##family##_put_order(struct buf *buf, const struct type *type, struct slice value);                      \
    enum wr_status type_##family##_get_order(struct ctx *ctx, const struct type *type, struct slice *from,             \
                                             struct slice *out)

type_fixed_reader type_integer_get_fixed, type_uuid_get_fixed, type_timeuuid_get_fixed, type_lexical_uuid_get_fixed;

TYPE_FAMILY(
    integer);      /* type_number.c: bigint, counter, int, smallint, tinyint; of time and timestamp all but the text */
TYPE_FAMILY(real); /* float, double */
TYPE_FAMILY(boolean);
TYPE_FAMILY(varint);
TYPE_FAMILY(decimal);
TYPE_FAMILY(bytes); /* type_text.c: blob, ascii, text and all that orders by its bytes */
TYPE_FAMILY(text);
TYPE_FAMILY(empty);
TYPE_FAMILY(date); /* type_time.c */
TYPE_FAMILY(time);
TYPE_FAMILY(timestamp);
TYPE_FAMILY(duration);
TYPE_FAMILY(uuid); /* type_uuid.c */
TYPE_FAMILY(timeuuid);
TYPE_FAMILY(lexical_uuid);
TYPE_FAMILY(composite); /* type_composite.c */
TYPE_FAMILY(inet);     /* type_inet.c */
TYPE_FAMILY(sequence); /* type_collection.c: list, set, map */
TYPE_FAMILY(fields);   /* type_tuple.c: tuple, UDT */
TYPE_FAMILY(vector);   /* type_vector.c */

enum wr_status type_decimal_validate(struct ctx *ctx, const struct type *type, struct slice value);
enum wr_status type_varint_validate(struct ctx *ctx, const struct type *type, struct slice value);
enum wr_status type_ascii_validate(struct ctx *ctx, const struct type *type, struct slice value);
enum wr_status type_ascii_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out);
enum wr_status type_text_validate(struct ctx *ctx, const struct type *type, struct slice value);
size_t type_text_decoded(struct slice value);                              /* how many bytes of it Java decodes */
enum wr_status type_text_decode(struct ctx *ctx, struct slice value); /* what it does not decode is refused */
enum wr_status type_bytes_validate(struct ctx *ctx, const struct type *type, struct slice value);
enum wr_status type_composite_validate(struct ctx *ctx, const struct type *type, struct slice value);
enum wr_status type_empty_validate(struct ctx *ctx, const struct type *type, struct slice value);
enum wr_status type_duration_validate(struct ctx *ctx, const struct type *type, struct slice value);
enum wr_status type_timeuuid_validate(struct ctx *ctx, const struct type *type, struct slice value);
enum wr_status type_inet_validate(struct ctx *ctx, const struct type *type, struct slice value);
enum wr_status type_sequence_validate(struct ctx *ctx, const struct type *type, struct slice value);
enum wr_status type_fields_validate(struct ctx *ctx, const struct type *type, struct slice value);
void type_fields_print_java(struct buf *buf, const struct type *type, struct slice value);
enum wr_status type_vector_validate(struct ctx *ctx, const struct type *type, struct slice value);

/* json_value.c */
enum wr_status json_to_string_type(struct ctx *ctx, const struct type *type, const struct json *json,
                                   struct slice *out);
enum wr_status json_to_ascii(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out);
enum wr_status json_to_text(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out);
enum wr_status json_to_blob(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out);
enum wr_status json_to_boolean(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out);
enum wr_status json_to_integer(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out);
enum wr_status json_to_small(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out);
enum wr_status json_to_real(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out);
enum wr_status json_to_number(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out);
enum wr_status json_to_timestamp(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out);
enum wr_status json_to_empty(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out);
enum wr_status json_refused(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out);
enum wr_status json_to_sequence(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out);
enum wr_status json_to_map(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out);
enum wr_status json_to_tuple(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out);
enum wr_status json_to_udt(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out);
enum wr_status json_to_vector(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out);

/* ---- texts of values with parts: a:b:c ---- */

/* The first, off the rest; *more: there is another. */
struct slice type_split_field(struct slice *rest, bool *more);
/* Without the '\' before what is `escaped`. */
enum wr_status type_unescape_field(struct ctx *ctx, struct slice field, const char *escaped, struct slice *out);

#endif
