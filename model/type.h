/*
 * type.h - CQL's types: one table of what each can do, and the types built of others.
 *
 * A value is its bytes as the native protocol v4/v5 has them; a null slice is null, a zero-length one "empty" (which many
 * types accept). A non-frozen collection's or UDT's value is handled in the same form once it has been put together.
 * Types are immutable. The native ones are static; built ones live in the arena they were made in (a schema snapshot's, or a
 * statement's) and may be compared with type_eq across arenas.
 */
#ifndef WR_MODEL_TYPE_H
#define WR_MODEL_TYPE_H

#include "engine/buf.h"

/* The order is that of type.c's table, and some is asked by it below. TYPE_EMPTY is the value of compact tables without a value column. */
enum type_kind {
    TYPE_ASCII, TYPE_BIGINT, TYPE_BLOB, TYPE_BOOLEAN, TYPE_COUNTER, TYPE_DATE, TYPE_DECIMAL, TYPE_DOUBLE, TYPE_DURATION,
    TYPE_EMPTY, TYPE_FLOAT, TYPE_INET, TYPE_INT, TYPE_SMALLINT, TYPE_TEXT, TYPE_TIME, TYPE_TIMESTAMP, TYPE_TIMEUUID,
    TYPE_TINYINT, TYPE_UUID, TYPE_VARINT, TYPE_LIST, TYPE_SET, TYPE_MAP, TYPE_TUPLE, TYPE_UDT, TYPE_VECTOR, TYPE_CUSTOM,
    TYPE_LEXICAL_UUID, TYPE_COMPOSITE, TYPE_KIND_COUNT
};

struct type {
    enum type_kind kind;
    bool multicell;                 /* a collection or UDT that is not frozen: kept as one cell per element */
    bool reversed;                  /* a ReversedType, in a CompositeType or a selected tuple: as a part its order is the other one (part_cmp) */
    const struct type *const *args; /* list, set, vector: 1; map: 2; tuple, UDT: one a field */
    uint32_t arg_count;
    uint32_t dimension;             /* vector */
    struct slice keyspace, name;    /* UDT; type_is_class: name is the Java class; of a native one with a class of its own: that one's */
    const struct slice *field_names; /* UDT */
    const struct type *const *components; /* CompositeType: nobody looks into it but who orders and reads its values */
    uint32_t component_count;
};

#define MARSHAL "org.apache.cassandra.db.marshal." /* the package of Java's classes of types */
#define FROZEN_CLASS "FrozenType"
#define REVERSED_CLASS "ReversedType"

/* ---- making and naming ---- */

const struct type *type_native(enum type_kind kind);
const struct type *type_by_name(struct slice name); /* native names any case, varchar too; NULL: none */

/* list, set, map (args 2), tuple; vector with its dimension. NULL: out of memory (error set). Nested collections in a frozen
 * one are made frozen, as Cassandra does, and in a vector or a user type stay as they are. */
const struct type *type_make(struct ctx *ctx, enum type_kind kind, const struct type *const *args, uint32_t arg_count,
                             bool multicell, uint32_t dimension);
/* Of a collection in a select list: frozen, of parts that may be columns' and are as these are (ListType.getInstance). */
const struct type *type_make_selected(struct ctx *ctx, enum type_kind kind, const struct type *const *args);
const struct type *type_make_udt(struct ctx *ctx, struct slice keyspace, struct slice name, const struct slice *field_names,
                                 const struct type *const *field_types, uint32_t count); /* multicell */
const struct type *type_freeze(struct ctx *ctx, const struct type *type);
const struct type *type_unfrozen_copy(struct ctx *ctx, const struct type *type); /* outermost level multicell */
const struct type *type_reversed(struct ctx *ctx, const struct type *type); /* the same type in the other order, as a part; type_eq to it */

bool type_eq(const struct type *a, const struct type *b);       /* the same, frozen-ness included */
bool type_eq_value(const struct type *a, const struct type *b); /* the same but for frozen-ness (AbstractType.isValueCompatible is wider) */
static inline bool type_is_collection(const struct type *type)  /* list, set, map */
{
    return type->kind == TYPE_LIST || type->kind == TYPE_SET || type->kind == TYPE_MAP;
}
static inline bool type_has_fields(const struct type *type) /* tuple, UDT */
{
    return type->kind == TYPE_TUPLE || type->kind == TYPE_UDT;
}
static inline bool type_has_parts(const struct type *type) /* list, set, map, tuple, UDT, vector: struct elements walks their values */
{
    return type->kind >= TYPE_LIST && type->kind <= TYPE_VECTOR;
}
static inline bool type_is_keyed(const struct type *type) /* set, map: in the order of args[0], each of which is there once */
{
    return type->kind == TYPE_SET || type->kind == TYPE_MAP;
}
static inline bool type_can_be_frozen(const struct type *type) /* list, set, map, UDT: a column of it is multicell or not */
{
    return type_is_collection(type) || type->kind == TYPE_UDT;
}
static inline bool type_is_text(const struct type *type)
{
    return type->kind == TYPE_TEXT || type->kind == TYPE_ASCII;
}
static inline bool type_is_float_vector(const struct type *type)
{
    return type->kind == TYPE_VECTOR && type->args[0]->kind == TYPE_FLOAT;
}
static inline bool type_is_class(const struct type *type) /* CQL has it as the class in quotes alone */
{
    return type->kind >= TYPE_CUSTOM;
}
/* Whether values of the second type are values of the first (AbstractType.isValueCompatibleWith), and have the same order (isCompatibleWith), or lie in files
 * in the same way (isSerializationCompatibleWith). */
bool type_reads(const struct type *type, const struct type *other);
bool type_keeps_order(const struct type *type, const struct type *other);
bool type_lies_as(const struct type *type, const struct type *other);
/* What SAI has of its values (IndexTermType): terms in a trie (isLiteral), or those that ranges can go by, in a tree. */
enum sai_terms { SAI_NO_TERMS, SAI_TRIE, SAI_TREE };
enum sai_terms type_sai_terms(const struct type *type);
bool type_is_numeric(const struct type *type);                  /* counter counts */
const char *type_word(const struct type *type); /* CQL's name of it alone: "list", "tuple"; NULL: a UDT's or a class's own */
const char *type_ends(const struct type *type); /* what literals of it stand in: "[]", "{}", "()"; NULL: it has no parts */
bool type_field(const struct type *type, struct slice name, uint32_t *at); /* of a UDT; false: it has none, or is none */
bool type_has_duration(const struct type *type); /* anywhere inside (referencesDuration), but that sets and vectors do not look, nor maps at keys */
bool type_takes_unsound(const struct type *type); /* at it or inside: constants nobody looks at, a tuple's, a tinyint's, a class's; a bound list with nulls */

/* As Cassandra's messages and system_schema print it: `frozen<list<int>>`, `map<text, int>`, UDT names as cql_name prints. */
void type_print_name(struct buf *buf, const struct type *type);
void type_print_bare(struct buf *buf, const struct type *type); /* the same, and nothing of it frozen */
const char *type_name(struct ctx *ctx, const struct type *type); /* the same as a string in ctx's memory; "?" without memory */
/* The same for the catalog: a UDT that has the name of a native type is in quotes, which Cassandra leaves out. */
void type_print_stored(struct buf *buf, const struct type *type);
/* The same so that a statement means it: quotes round all names that need them there (cql_put_own_name), and the class of what CQL has no name for. */
void type_print_script(struct buf *buf, const struct type *type);
/* `org.apache.cassandra.db.marshal.Int32Type` and so on, as the native protocol's custom types and CQL's quoted classes. */
void type_print_class(struct buf *buf, const struct type *type);
struct slice type_class_name(const struct type *type); /* the class alone, as it is in db.marshal */

/* Reads back what the two write (for wr_cf and the catalog): UDTs by `lookup(arg, keyspace, name)`, names unqualified
 * meaning `keyspace`. Java class names (LongType, CompositeType(...)) too. */
enum wr_status type_parse_name(struct ctx *ctx, struct slice text, struct slice keyspace,
                               const struct type *(*lookup)(void *arg, struct slice keyspace, struct slice name), void *arg,
                               const struct type **out);

/* A class name as CQL has it in quotes as a type ('LexicalUUIDType', without the quotes); without a name at its beginning it is blob. WR_SYNTAX with the
 * server's "Error setting type foo: Unable to find abstract-type class ..."; WR_SERVER_ERROR with the name and text of what Java throws at it. */
enum wr_status type_parse_class(struct ctx *ctx, struct slice text, const struct type **out);
/* Whether the class is a ReversedType, or (reversed=true) makes it one; type_parse_class makes what is in it of that: a clustering column with that type is in
 * descending order. */
bool type_class_is_reversed(struct slice text);

/* What a function that users make takes or gives where it is declared with the type, and what one of Cassandra's that takes any type is made for (min, max,
 * mask_...): a timeuuid is LegacyTimeUUIDType there, whatever is in others (AbstractType.udfType). That has all a timeuuid has, but clients are told its
 * class, and it is no uuid. */
const struct type *type_in_function(const struct type *type);
static inline bool type_is_legacy_timeuuid(const struct type *type)
{
    return type->kind == TYPE_TIMEUUID && type->name.len;
}

/* ---- values ---- */

/* WR_INVALID with Cassandra's text where the bytes are not a value of the type, WR_SERVER_ERROR where a server trips over them; null is fine. */
enum wr_status type_validate(struct ctx *ctx, const struct type *type, struct slice value);
/* The same of what a marker is bound to, which a server takes apart: no count in it may be negative, and a list's elements may be
 * null (ListSerializer.deserialize), though not those of a list in it. */
enum wr_status type_validate_sent(struct ctx *ctx, const struct type *type, struct slice value);
/* What of it comes behind type_validate, of a value that is taken apart: counts, and texts that Java does not decode. */
enum wr_status type_check_read(struct ctx *ctx, const struct type *type, struct slice value);

/* Cassandra's order of two non-null values (empty first). For types without an order (duration): unsigned bytes. */
int type_compare(const struct type *type, struct slice a, struct slice b);
int type_slices_cmp(const void *a, const void *b, const void *type); /* of two slices, for sort_stably */

/* Whether two values are equal as the objects that a server makes of them: of true any bytes but zero, of decimals those of one scale. Neither
 * is null. */
bool type_java_equal(const struct type *type, struct slice a, struct slice b);

bool type_allows_empty(const struct type *type); /* zero-length values pass */
bool type_empty_is_null(const struct type *type); /* isEmptyValueMeaningless: a zero-length int reads as null in functions */
bool type_reads_null(const struct type *type, struct slice value); /* null, or empty where that is meaningless */
int type_fixed_len(const struct type *type);     /* bytes of a value; -1: varies */
bool type_is_fixed(const struct type *type);     /* valueLengthIfFixed: a value lies in a vector, or in a file, without its length */
uint16_t type_option_id(const struct type *type); /* the native protocol's (v5) */

/* Text of a value, each into a growing buf; the value is valid for the type, a null one prints as null. */
void type_print_literal(struct buf *buf, const struct type *type, struct slice value); /* a CQL literal, as DESCRIBE and LWT messages: 'it''s', 0xab, {1, 2} */
/* CQL that gives the very value, on one line: what no literal says (empty numbers, control characters) as blobAsInt(0x). */
void type_print_term(struct buf *buf, const struct type *type, struct slice value);
void type_print_string(struct buf *buf, const struct type *type, struct slice value);  /* cast(x as text), getString(): no quotes */
void type_print_java(struct buf *buf, const struct type *type, struct slice value);    /* AbstractType.getString, which type_ops' from_string reads */
void type_print_json(struct buf *buf, const struct type *type, struct slice value);    /* SELECT JSON, to_json */

/* ---- comparable bytes (engine order) ---- */

/* Appends bytes that sort as type_compare sorts, self-delimiting: no encoding of a value is a prefix of another's. value is
 * not null and not empty unless the type allows empty. Descending columns invert what was put. */
void type_put_order(struct buf *buf, const struct type *type, struct slice value);

/* Reads one back from the front of *from (advancing it) into bytes of the native form. */
enum wr_status type_get_order(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out);

/* What does it for the type, which no empty value may be asked of: for those who read many. */
typedef enum wr_status type_order_reader(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out);
type_order_reader *type_order_reader_of(const struct type *type);
/* The same for types whose comparable bytes are as many as a value has, type_fixed_len of them: from those to the value. NULL: others. */
typedef void type_fixed_reader(const uint8_t *from, uint8_t *to, size_t len);
type_fixed_reader *type_fixed_reader_of(const struct type *type);

/* The same for a value that may be null or empty, as parts of a larger key are: a mark (02 null, 03 empty, 04 a value) and the
 * value's bytes, so null sorts first, then empty. type_put_order puts no bytes for an empty value of a type whose values are
 * numbers, so only a key's last part could do without the mark. */
void type_put_part(struct buf *buf, const struct type *type, struct slice value);
enum wr_status type_get_part(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out);
/* Of one whose bits have all been flipped. Where it ends only reading it tells, so all that is left is flipped back for it. */
enum wr_status type_get_part_inverted(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out);

/* True where different values share an order (decimal 1.0 and 1.00, boolean 1 and 2, ...): type_get_order then gives a
 * canonical one, and who must give back what was written keeps the value itself beside the key. */
bool type_order_is_lossy(const struct type *type);
bool type_keys_are_lossy(const struct type *type); /* of a set or map: the order of its keys is */

/* ---- putting collections together and apart ---- */

struct elements {          /* walks a serialized list, set, map (keys and values in turn), tuple, UDT or vector */
    const struct type *type;
    struct slice rest;
    uint32_t count, at;
    bool failed;
};
void elements_open(struct elements *e, const struct type *type, struct slice value);
bool elements_next(struct elements *e, struct slice *out); /* false at the end; tuple fields may be null or missing (then false) */
bool elements_next_entry(struct elements *e, struct slice *key, struct slice *value); /* of a map both, of all others an element as both */
struct slice element_at(const struct type *type, struct slice value, uint32_t at); /* null: it is, or there is none */
static inline const struct type *element_type(const struct type *type, uint32_t at) /* of the at-th as the walker counts */
{
    return type->args[type_has_fields(type) ? at : type->kind == TYPE_MAP ? at % 2 : 0];
}
/* What CONTAINS asks for: a list's or set's elements, a map's values. */
static inline const struct type *type_contained(const struct type *type)
{
    return type->args[type->arg_count - 1];
}

uint32_t type_collection_count(struct slice value); /* elements (map: pairs) of a serialized list, set or map */
/* Serializes: list, set: n values; map: n pairs, so 2n values (n is not doubled); tuple, UDT: n fields, null ones too; vector.
 * Sets and maps must be in order and without doubles already. */
enum wr_status type_pack(struct ctx *ctx, const struct type *type, const struct slice *values, uint32_t n, struct slice *out);
/* Sorts n set elements or map pairs (2n values) and drops doubles, in place: of equal elements the first stays, of equal keys
 * the first with the last one's value, as in Java's TreeSet and TreeMap. Returns the new n. */
uint32_t type_sort_unique(const struct type *type, struct slice *values, uint32_t n);

#endif
