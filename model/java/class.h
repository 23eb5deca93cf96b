/*
 * class.h - the types of Java that bodies of functions see: primitives, the classes of class.c's table, their generic
 * forms and arrays; what is a subtype of what, and how messages name them. A type is immutable and compared with
 * java_type_eq; those without arguments are static.
 */
#ifndef WR_MODEL_JAVA_CLASS_H
#define WR_MODEL_JAVA_CLASS_H

#include "engine/buf.h"

/* Primitives stand in the order of widening, but for boolean and char; classes behind. */
enum java_kind {
    J_ERROR, /* of an expression in which something is wrong already */
    J_VOID,
    J_NULL,
    J_BOOLEAN,
    J_CHAR,
    J_BYTE,
    J_SHORT,
    J_INT,
    J_LONG,
    J_FLOAT,
    J_DOUBLE,
    J_ARRAY,
    J_OBJECT,
    J_STRING,
    J_CHAR_SEQUENCE,
    J_COMPARABLE,
    J_NUMBER,
    J_BOX_BOOLEAN,
    J_BOX_CHAR,
    J_BOX_BYTE,
    J_BOX_SHORT,
    J_BOX_INT,
    J_BOX_LONG,
    J_BOX_FLOAT,
    J_BOX_DOUBLE, /* in the order of the primitives */
    J_ITERABLE,
    J_COLLECTION,
    J_LIST,
    J_ARRAY_LIST,
    J_LINKED_LIST,
    J_SET,
    J_HASH_SET,
    J_LINKED_HASH_SET,
    J_TREE_SET,
    J_MAP,
    J_HASH_MAP,
    J_LINKED_HASH_MAP,
    J_TREE_MAP,
    J_ENTRY,
    J_ITERATOR,
    J_MATH,
    J_ARRAYS,
    J_COLLECTIONS,
    J_OBJECTS,
    J_SYSTEM,
    J_STRING_BUILDER,
    J_BIG_INTEGER,
    J_BIG_DECIMAL,
    J_ROUNDING_MODE,
    J_CLASS,
    J_UUID,
    J_INET_ADDRESS,
    J_DATE,
    J_BYTE_BUFFER,
    J_LOCAL_DATE,
    J_DURATION,
    J_TUPLE_VALUE,
    J_UDT_VALUE,
    J_TUPLE_TYPE,
    J_USER_TYPE,
    J_UDF_CONTEXT,
    J_THROWABLE,
    J_EXCEPTION,
    J_RUNTIME_EXCEPTION,
    J_ARITHMETIC,
    J_ILLEGAL_ARGUMENT,
    J_ILLEGAL_STATE,
    J_NUMBER_FORMAT,
    J_FORMAT_CONVERSION,
    J_FORMAT_MISSING,
    J_FORMAT_UNKNOWN,
    J_NULL_POINTER,
    J_INDEX,
    J_ARRAY_INDEX,
    J_ARRAY_STORE,
    J_STRING_INDEX,
    J_CLASS_CAST,
    J_UNSUPPORTED,
    J_NO_SUCH_ELEMENT,
    J_NEGATIVE_SIZE,
    J_BUFFER_UNDERFLOW,
    J_BUFFER_OVERFLOW,
    J_CODEC_NOT_FOUND,
    J_INVALID_TYPE,
    J_JAVA_ERROR,
    J_OUT_OF_MEMORY,
    J_STRING_BUFFER,
    J_MATCH_RESULT,
    J_MATCHER,
    J_PATTERN,
    J_PATTERN_SYNTAX,
    J_FORMAT,
    J_FORMAT_PRECISION,
    J_FORMAT_WIDTH,
    J_FORMAT_FLAGS,
    J_FORMAT_MISMATCH,
    J_FORMAT_DUPLICATE,
    J_FORMAT_NO_WIDTH,
    J_FORMAT_INDEX,
    J_FORMAT_CODE_POINT,
    J_STRICT_MATH,
    J_CLASS_LOADER,
    J_INPUT_MISMATCH,
    J_CONCURRENT_CHANGE,
    J_EMPTY_STACK,
    J_MISSING_RESOURCE,
    J_SECURITY,
    J_ACCESS_CONTROL,
    J_ILLEGAL_MONITOR,
    J_DATE_TIME,
    J_REFLECTIVE,
    J_CLASS_NOT_FOUND,
    J_INSTANTIATION,
    J_ILLEGAL_ACCESS,
    J_NO_SUCH_FIELD,
    J_NO_SUCH_METHOD,
    J_CLONE_NOT_SUPPORTED,
    J_INTERRUPTED,
    J_IO,
    J_UNKNOWN_HOST,
    J_PARSE_EXCEPTION,
    J_STACK_OVERFLOW,
    J_INTERNAL_ERROR,
    J_UNKNOWN_ERROR,
    J_ASSERTION,
    J_LINKAGE,
    J_QUEUE,
    J_DEQUE,
    J_ARRAY_DEQUE,
    J_PRIORITY_QUEUE,
    J_VECTOR,
    J_STACK,
    J_IMMUTABLE_LIST, /* of a vector's elements */
    J_IMMUTABLE_ONE,  /* of one element alone */
    J_SORTED_MAP,
    J_NAVIGABLE_MAP,
    J_SORTED_SET,
    J_NAVIGABLE_SET,
    J_COMPARATOR,
    J_MATH_CONTEXT,
    J_LOCALE,
    J_OPTIONAL,
    J_TOKENIZER,
    J_JOINER,
    J_RANDOM,
    J_BASE64,
    J_BASE64_ENCODER,
    J_BASE64_DECODER,
    J_TIME_ZONE,
    J_CALENDAR,
    J_GREGORIAN,
    J_FORMAT_OF_TEXT,
    J_DATE_FORMAT,
    J_SIMPLE_DATE_FORMAT,
    J_TEMPORAL_ACCESSOR,
    J_TEMPORAL,
    J_TEMPORAL_ADJUSTER,
    J_TEMPORAL_AMOUNT,
    J_TEMPORAL_UNIT,
    J_TEMPORAL_FIELD,
    J_CHRONO_LOCAL_DATE,
    J_CHRONO_LOCAL_DATE_TIME,
    J_CHRONO_ZONED_DATE_TIME,
    J_CHRONO_PERIOD,
    J_DATED, /* what has a date, or a time of day: no class of Java's, for the methods that such classes share */
    J_TIMED,
    J_TIME_LOCAL_DATE,
    J_TIME_LOCAL_TIME,
    J_TIME_LOCAL_DATE_TIME,
    J_TIME_INSTANT,
    J_TIME_OFFSET_DATE_TIME,
    J_TIME_ZONED_DATE_TIME,
    J_TIME_YEAR,
    J_TIME_YEAR_MONTH,
    J_TIME_DURATION,
    J_TIME_PERIOD,
    J_ZONE_ID,
    J_ZONE_REGION,
    J_ZONE_OFFSET,
    J_ENUM,
    J_DAY_OF_WEEK,
    J_MONTH,
    J_TEXT_STYLE,
    J_CHRONO_FIELD,
    J_CHRONO_UNIT,
    J_TEMPORAL_ADJUSTERS,
    J_ADJUSTER,
    J_DATE_TIME_PARSE,
    J_UNSUPPORTED_TEMPORAL,
    J_VALUE_RANGE,
    J_DATE_TIME_FORMATTER,
    J_RESOLVER_STYLE,
    J_ISO_FIELDS,
    J_ISO_FIELD,
    J_PARSED,
    J_FORMAT_OF_NUMBER,
    J_DECIMAL_FORMAT,
    J_DECIMAL_SYMBOLS,
    J_READ_ONLY_BUFFER,
    J_INVALID_MARK,
    J_KIND_COUNT,
};

struct java_type {
    enum java_kind kind;
    const struct java_type *args[2]; /* of a generic class; args[0] of an array: its elements'. NULL: raw */
    bool wild;                       /* an argument `? extends` the type */
};

const struct java_type *java_simple(enum java_kind kind);
const struct java_type *java_generic(struct ctx *ctx, enum java_kind kind, const struct java_type *first,
                                     const struct java_type *second);                  /* NULL: no memory */
const struct java_type *java_wildcard(struct ctx *ctx, const struct java_type *bound); /* NULL: no memory */
const struct java_type *java_array_of(struct ctx *ctx,
                                      const struct java_type *element); /* NULL: no memory. Of what is wrong: that */
const struct java_type *java_primitive(struct slice name);              /* `int`; NULL: none */

/* A class by its name, with its package or, where the generated source imports it, without; `Map.Entry` too. J_ERROR:
 * none. */
enum java_kind java_class_by_name(struct slice name);
const char *java_class_full_name(enum java_kind kind); /* java.util.Map$Entry */
unsigned java_class_parameters(enum java_kind kind);   /* how many type arguments it takes */
bool java_class_is_abstract(enum java_kind kind);      /* an interface, or one that cannot be made by `new` */
bool java_class_is_interface(enum java_kind kind);

static inline bool java_is_integral(const struct java_type *t)
{
    return t->kind >= J_CHAR && t->kind <= J_LONG;
}
static inline bool java_is_numeric_type(const struct java_type *t)
{
    return t->kind >= J_CHAR && t->kind <= J_DOUBLE;
}
static inline bool java_kind_is_real(enum java_kind kind)
{
    return kind == J_FLOAT || kind == J_DOUBLE;
}

static inline bool java_is_primitive(const struct java_type *t)
{
    return t->kind >= J_BOOLEAN && t->kind <= J_DOUBLE;
}
static inline bool java_is_reference(const struct java_type *t)
{
    return t->kind >= J_ARRAY || t->kind == J_NULL;
}

#define JAVA_TYPES_PACKAGE "org.apache.cassandra.cql3.functions.types."

bool java_type_eq(const struct java_type *a, const struct java_type *b);
bool java_kind_extends(enum java_kind kind, enum java_kind of);             /* the class itself counts */
bool java_widens(const struct java_type *from, const struct java_type *to); /* of primitives, to itself too */
/* Of references; type arguments must be the same, or be missing in one of them. */
bool java_is_subtype(const struct java_type *from, const struct java_type *to);
/* Whether some object can be of both references' types, so that one may be cast to the other. */
bool java_may_be(const struct java_type *from, const struct java_type *to);
/* The nearest class or interface that two references are of, with their arguments where these are the same. */
const struct java_type *java_common_type(struct ctx *ctx, const struct java_type *a,
                                         const struct java_type *b); /* NULL: no memory */
const struct java_type *java_boxed(const struct java_type *primitive);
const struct java_type *java_unboxed(const struct java_type *boxed); /* NULL: not a box */

void java_put_type(struct buf *buf,
                   const struct java_type *type); /* as the compiler's messages have it: `List<Integer>`, `int[]` */
void java_put_brackets(struct buf *buf, const struct java_type *type); /* with the classes' full names: `java.lang.String[]` */
const char *java_binary_name(struct ctx *ctx,
                             const struct java_type *type); /* `java.util.Map$Entry`, `[I`, `[[Ljava.lang.String;` */
void java_put_erased(
    struct buf *buf,
    const struct java_type *type); /* as the machine's have it: `java.util.List`, but `String` and `Object` */

#endif
