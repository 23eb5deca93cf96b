/*
 * object.h - Java's objects while a body runs, and the run itself. All memory is of the run's ctx; what a body may take
 * of it and how long it may run is bounded.
 */
#ifndef WR_MODEL_JAVA_OBJECT_H
#define WR_MODEL_JAVA_OBJECT_H

#include "model/java/tree.h"
#include "model/type.h"

/* How a list tells of an index that it does not have, which Java's do each in their own words: as its kind does, or as what made it. */
enum java_list_words { JAVA_WORDS_OF_KIND, JAVA_WORDS_OF_ARRAY, JAVA_WORDS_OF_FEW, JAVA_WORDS_OF_NONE, JAVA_WORDS_OF_ONE, JAVA_WORDS_OF_COPIES, JAVA_WORDS_OF_GUAVA };

struct java_list {
    struct java_object **items;
    uint32_t count, room;
    bool fixed, sealed; /* its length may not change; nothing of it may */
    enum java_list_words words;
    struct java_object *order;  /* of a PriorityQueue: a Comparator; NULL: as Comparable has it */
    uint32_t from;      /* of a view of a list: where in that it begins */
    struct java_object **keys; /* of a view of a map's values: which has each */
};

struct java_pair {
    struct java_object *key, *value;
    uint32_t hash;
    bool gone;
};

/* A map, or a set, whose values are all NULL. Pairs lie in the order of coming; a tree's in that of their keys. */
struct java_map {
    struct java_pair *pairs;
    uint32_t *places; /* open addressing: 1 + the pair's place; 0: free */
    uint32_t count;   /* alive */
    uint32_t used, room, place_count;
    uint32_t buckets; /* of a HashMap: what its order goes by */
    float load;       /* how full they may be; 0: three quarters */
    bool sealed;
    struct java_object *order; /* of a tree, as a PriorityQueue's */
};

struct calendar;
struct chrono_fields;
struct number_format;
struct time_format;

/* A point in time of java.time (temporal.h). */
struct java_when {
    int64_t day, nanos;       /* since 1970-01-01; of that day */
    struct java_object *zone; /* of a ZonedDateTime; of a ZoneId that is no offset: its name */
    int32_t offset_s;         /* of both, and of a ZoneOffset */
};

/* The bytes that ByteBuffers share: as they are, or as an array of the body's, which each of them changes. */
struct java_store {
    uint8_t *data;
    struct java_object *array;
    uint32_t length;
};

struct java_string {
    const uint16_t *units;
    uint32_t len, room; /* room: of a StringBuilder */
    bool constant;      /* of the text of the body: the same object wherever it is the same text */
};

struct java_array {
    const struct java_type *element;
    union java_value *items;
    uint32_t count;
};

struct java_buffer {
    struct java_store *store;
    uint32_t offset, position, limit, capacity; /* the first in the store, the others from there on */
    uint32_t mark;                              /* 1 + where it is; 0: none */
    bool read_only;
};

struct java_tuple {
    const struct type *type;
    struct slice *fields;
};

struct java_entry {
    struct java_object *key, *value; /* of an Optional the value alone */
    struct java_object *map;         /* NULL: nobody's */
};

struct java_iterator {
    struct java_object **items, *of;
    uint32_t count, at, removed;
    bool taken; /* what it came to last is removed already, or it came to nothing yet */
};

struct java_tokenizer {
    struct java_object *text, *delimiters;
    uint32_t at;
    bool gives; /* delimiters, too */
};

struct java_joiner {
    struct java_object *separator, *before, *behind, *empty; /* empty NULL: before and behind */
    struct java_object *text;                                /* NULL: nothing came yet */
};

struct java_order { /* a Comparator: comparators.c */
    struct java_object *of; /* NULL: as Comparable has it */
    uint32_t depth;
    uint8_t by;
};

struct java_random {
    int64_t seed;
    double gaussian; /* the second of a pair, where has_gaussian */
    bool has_gaussian;
};

struct java_time_zone { /* TimeZone */
    struct java_object *name;
    int32_t offset_ms;
};

struct java_date_format {
    struct java_object *pattern, *zone;
    bool strict;
};

/* time_format.h has these two. */
struct java_parsed {
    struct java_when when; /* in the place of java_object's */
    struct chrono_fields *fields;
};

struct java_formatter {
    const struct time_format *format; /* NULL: one that Java has */
    uint32_t own;
};

struct java_period {
    int32_t years, months, days;
};

struct java_range {
    int64_t least, least_at_most, most_at_least, most;
};

struct java_thrown {
    struct java_object *message, *cause;
    struct java_object *description, *pattern_text; /* PatternSyntaxException's; the text that a DateTimeParseException is about */
    int32_t index;
};

struct java_object {
    enum java_kind kind;
    uint8_t above; /* of a collection: at least so many hold one another down to it */
    bool made;     /* of a box: by `new`, and so the same as no other */
    struct java_object *viewed; /* of a view: the map or list that loses what is removed from it; NULL: nothing is */
    union {
        /* boxes; Date: milliseconds; LocalDate: days since 1970; of a MathContext 8 times its precision and its mode; of an enum its ordinal */
        union java_value value;
        struct java_string string;
        struct slice bytes; /* BigInteger, BigDecimal, UUID, InetAddress, Duration: the CQL value */
        struct java_list list;
        struct java_map map;
        struct java_array array;
        struct java_buffer buffer;
        struct java_tuple tuple;
        struct java_entry entry;
        struct java_iterator iterator;
        struct java_tokenizer tokenizer;
        struct java_joiner joiner;
        struct java_order order;
        struct java_random random;
        struct java_time_zone zone;
        struct java_date_format date_format;
        struct calendar *calendar;           /* calendar.h */
        struct number_format *number_format; /* decimal_format.c */
        struct java_when when;
        struct java_parsed parsed;
        struct java_formatter formatter;
        struct java_period period;
        struct java_range range;
        struct java_thrown thrown;
        const struct java_type *described; /* Class: what it stands for */
        const struct regex *regex;         /* Pattern */
        struct regex_matcher *matcher;     /* Matcher, MatchResult */
    };
};

struct java_run {
    struct ctx *ctx;
    const struct java_body *body;
    union java_value *slots;
    struct java_object *thrown; /* NULL and false: ctx has an error */
    union java_value result;
    union java_value taken; /* by the compound assignment under way, for the left side of its operator */
    struct slice label;     /* of the break or continue under way; null: none */
    uint64_t allocated;
    size_t held; /* of the arena, as it began */
    uint32_t spent;   /* since the clock was looked at */
    int64_t began_ns; /* when it was for the first time; 0: it was not yet */
    bool exhausted;   /* its time or its memory: nothing catches that, and what a call made of it is not looked at */
    bool keeps;       /* what becomes bytes is an object again, and need be no value */
};

/* ---- memory and failures: false is always "something is thrown" ---- */

bool java_ok(struct java_run *run,
             enum wr_status st);     /* whether it is WR_OK; if not, nothing that can be caught is thrown */
enum { JAVA_COMPARED_AT_ONCE = 64 }; /* units of a text that cost what a comparison does */
enum { JAVA_MOVED_AT_ONCE = 64 };    /* items of a list that do */
bool java_spend(struct java_run *run,
                uint64_t work); /* that many comparisons or the like; false: no time is left, ctx has the error */
bool java_charge(struct java_run *run,
                 size_t bytes);                /* memory of ctx's that was taken otherwise; false: it is too much */
bool java_out_of_memory(struct java_run *run); /* false */
void *java_alloc(struct java_run *run, size_t bytes); /* zeroes; NULL: thrown */
struct java_object *java_new(struct java_run *run, enum java_kind kind);
bool java_throw(struct java_run *run, enum java_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4))); /* false. NULL: no message */

bool java_throw_cast(struct java_run *run, const char *from, const char *to); /* of classes' names; false */

/* ---- texts (text.c) ---- */

bool java_string(struct java_run *run, const uint16_t *units, size_t len, struct java_object **out); /* copies */
bool java_string_of_units(struct java_run *run, const struct buf *utf16,
                          struct java_object **out); /* keeps the buf's memory: nobody writes to it again */
bool java_string_of_utf8(struct java_run *run, struct slice text, struct java_object **out);
bool java_string_of_text(struct java_run *run, const struct buf *utf8, struct java_object **out);
bool java_utf8(struct java_run *run, const struct java_object *string, struct slice *out); /* lone surrogates as ? */
void java_put_ascii(struct buf *utf16, const char *text, size_t len);
void java_put_buf(struct buf *utf16, const struct buf *ascii);
bool java_check_text(struct java_run *run, const struct buf *utf16); /* throws where it is longer than all memory there is */

/* ---- primitives and boxes (box.c) ---- */

int64_t java_narrow(enum java_kind kind, int64_t v); /* an integer's low bits, as its type has them */
union java_value java_convert_primitive(enum java_kind from, enum java_kind to, union java_value v);
bool java_box(struct java_run *run, const struct java_type *primitive, union java_value value, struct java_object **out);
void java_print_primitive(struct buf *utf16, const struct java_type *type, union java_value value);

/* ---- what any object can be asked (object_ops.c) ---- */

bool java_same(const struct java_object *a, const struct java_object *b); /* a == b */
bool java_equals(struct java_run *run, const struct java_object *a, const struct java_object *b);
int32_t java_hash_code(struct java_run *run, const struct java_object *o);
bool java_compare(struct java_run *run, const struct java_object *a, const struct java_object *b, int *out); /* Comparable's */
/* What a Comparator says, or Comparable where the order is NULL: there a is told by the name where it is null; NULL: by none. */
bool java_compare_by(struct java_run *run, const struct java_object *order, const char *name, const struct java_object *a, const struct java_object *b,
                     int *out);
bool java_print(struct java_run *run, struct buf *utf16, const struct java_object *o);                       /* toString; NULL prints as null */

const char *java_class_text(struct java_run *run, const struct java_object *o); /* its class's name, an array's too */

/* ---- collections (collection.c) ---- */

/* Of a collection or a map: kept as a map, as sets are, too; others are as a list. */
static inline bool java_is_map(const struct java_object *o)
{
    return java_kind_extends(o->kind, J_SET) || java_kind_extends(o->kind, J_MAP);
}
bool java_check_nesting(struct java_run *run, struct java_object *item,
                        const struct java_object *holder);     /* throws where the holder may not get it */
void java_map_expect(struct java_object *map, uint64_t pairs); /* room as for that many, which the order shows */
bool java_list_set(struct java_run *run, struct java_list *list, uint32_t at,
                   struct java_object *item); /* at is one of it */
bool java_list_add(struct java_run *run, struct java_list *list, uint32_t at, struct java_object *item);
/* One that Guava makes of so many items. */
bool java_immutable_list(struct java_run *run, struct java_object *const *items, uint32_t count, struct java_object **out);
static inline bool java_is_immutable(const struct java_object *o)
{
    return o->kind == J_IMMUTABLE_LIST || o->kind == J_IMMUTABLE_ONE;
}
void java_seal(struct java_object *list); /* makes it what java_immutable_list gives */
struct java_pair *java_map_find(struct java_run *run, const struct java_object *map, const struct java_object *key,
                                bool *failed);
/* The place among a tree's pairs of the first that is not before key. */
bool java_tree_place(struct java_run *run, const struct java_map *map, const struct java_object *key, uint32_t *at, bool *found);
bool java_map_put(struct java_run *run, struct java_object *map, struct java_object *key, struct java_object *value,
                  struct java_object **before);
bool java_map_remove(struct java_run *run, struct java_object *map, const struct java_object *key,
                     struct java_object **before, bool *found);
/* Its pairs in the order in which it gives them. */
bool java_map_pairs(struct java_run *run, const struct java_object *map, struct java_pair ***out);
/* What a list, a set or any collection has, in order. */
bool java_items(struct java_run *run, const struct java_object *collection, struct java_object ***out, uint32_t *count);

/* ---- of the library's rooms ---- */

bool java_buffer_of(struct java_run *run, struct slice bytes, struct java_object *out); /* a ByteBuffer of a copy */
bool java_buffer_rest(struct java_run *run, const struct java_object *buffer, struct slice *out); /* from its position to its limit */
bool java_big_value(struct java_run *run, const struct java_object *number, enum java_kind to, union java_value *out);
void java_put_local_date(struct buf *text, int64_t days); /* LocalDate.toString of the driver: years as they are, without zeroes or a sign before them */
/* The place of a UDT's field; the name as CQL has it, in quotes where it needs them. Throws where there is none. */
bool java_type_has_field(const struct type *type, struct slice given, uint32_t *out);
bool java_tuple_new(struct java_run *run, const struct type *type, enum java_kind kind, union java_value *out); /* a TupleValue or UDTValue, of nulls */
void java_put_data_type(struct ctx *ctx, struct buf *text, const struct type *type, bool within); /* as a driver's DataType prints; within: one that is frozen */
const char *java_data_type_name(struct ctx *ctx, const struct type *type);                         /* DataType.Name's */
bool java_check_codec_of(struct java_run *run, const struct java_object *o, uint32_t at, const struct java_object *value); /* of a field; throws where there is none */
bool java_field_named(struct java_run *run, const struct java_object *o, struct slice given, uint32_t *out);

/* ---- CQL's values (value.c) ---- */

/* The class that values of a type are of; NULL: none. primitive: the primitive type where there is one. */
enum wr_status java_type_of(struct ctx *ctx, const struct type *type, bool primitive, const struct java_type **out);
/* value is not null where as is primitive. */
bool java_from_value(struct java_run *run, const struct type *type, struct slice value, const struct java_type *as,
                     union java_value *out);
bool java_object_from_value(struct java_run *run, const struct type *type, struct slice value,
                            struct java_object **out);
bool java_to_value(struct java_run *run, const struct type *type, const struct java_object *o, struct slice *out);
bool java_has_shape(const struct type *type); /* a collection: its bytes do not tell all of the object */
/* Bytes that java_from_kept makes such an object of: of nulls within it, too, and of its class where that is one of a list, a set or a map. */
bool java_keep(struct java_run *run, const struct type *type, const struct java_object *o, struct slice *out);
bool java_from_kept(struct java_run *run, const struct type *type, struct slice kept, const struct java_type *as, union java_value *out);

#endif
