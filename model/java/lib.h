/*
 * lib.h - the part of Java's library that bodies may call: one table of methods, constructors and constants, in rooms
 * by class or two; lib.c lists them.
 */
#ifndef WR_MODEL_JAVA_LIB_H
#define WR_MODEL_JAVA_LIB_H

#include "model/java/object.h"

/* What a method takes and gives beside the kinds of class.h: types that follow from the receiver's or from the
 * arguments. */
enum java_shape {
    JX_FIRST = J_KIND_COUNT, /* the receiver's first type argument; Object where it has none */
    JX_SECOND,
    JX_SELF,          /* the receiver's type */
    JX_LIST_OF_FIRST, /* List<T> */
    JX_SET_OF_FIRST,
    JX_COLLECTION_OF_SECOND,
    JX_SET_OF_ENTRIES,    /* Set<Map.Entry<K,V>> */
    JX_LIST_OF_ARGUMENTS, /* of what all arguments are */
    JX_SET_OF_ARGUMENTS,
    JX_ELEMENT,       /* what the first argument, a collection, has */
    JX_ITERATOR,      /* Iterator<T> of the receiver's T */
    JX_OF_CLASS,      /* T, where the second argument is a Class<T> */
    JX_LIST_OF_CLASS, /* List<T> */
    JX_SET_OF_CLASS,
    JX_MAP_OF_CLASSES, /* Map<K,V>, of two */
    JX_AS_ARGUMENT,    /* the first argument's type */
    JX_OF_ARGUMENTS,   /* what all arguments are */
    JX_STRINGS,        /* String[] */
    JX_OBJECTS,
    JX_BYTES,
    JX_CHARS,
    JX_ARRAY,         /* the first argument's, an array */
    JX_ARRAY_ELEMENT, /* what that is of */
    JX_ORDERED_ARRAY, /* the first argument's, an array of what has an order of its own */
    JX_SORTED_MAP, /* these five of what the receiver is of */
    JX_NAVIGABLE_MAP,
    JX_SORTED_SET,
    JX_NAVIGABLE_SET,
    JX_ENTRY,
    JX_OPTIONAL_OF_ARGUMENTS,
    JX_COLLECTION_LIKE, /* these four of what the first argument is of */
    JX_LIST_LIKE,
    JX_SET_LIKE,
    JX_MAP_LIKE,
    JX_MAP_OF_ARGUMENTS, /* Map<K,V> of what the even ones are, and the odd ones */
    JX_ENTRY_OF_ARGUMENTS,
    JX_LIST_OF_COPIES, /* List<T> of the second argument */
    JX_ARRAY_OF_SELF,
    JX_CLASS_OF_SELF, /* Class<? extends T> of the receiver's T, without what that is of */
};

enum {
    JAVA_ARGS_MAX = 8,
    JAVA_STATIC = 1,
    JAVA_VARIADIC = 2, /* the last is an array of what more arguments there are */
    JAVA_REFUSED = 4,  /* by a server's verifier */
    JAVA_MISSING = 8,  /* it is there, but takes or gives what is not: variant tells which of java_missing */
};
#define JAVA_THROWS(kind)         ((unsigned)(kind) << 8) /* among the flags: what it throws that has to be caught */
#define JAVA_THROWN_BY(method)    ((enum java_kind)((method)->flags >> 8))

enum { JAVA_OBJECT_EQUALS = 1, JAVA_OBJECT_HASH = 2, JAVA_OBJECT_TEXT = 4, JAVA_OBJECT_CLASS = 8 }; /* which of Object's methods */

struct java_run;
struct java_method;

/* false: something is thrown. self is nobody's of a static one, and the new object's type of a constructor. */
typedef bool java_call(struct java_run *run, const struct java_method *method, const union java_value *self,
                       const union java_value *args, union java_value *out);

struct java_method {
    enum java_kind of;
    const char *name; /* "<init>": a constructor */
    int result;       /* enum java_kind or java_shape, as args */
    int args[JAVA_ARGS_MAX];
    unsigned flags;
    java_call *call;
    int variant; /* what tells apart methods that share a call */
};

struct java_constant {
    enum java_kind of;
    const char *name;
    enum java_kind type;
    union java_value value;
    const char *digits; /* of a number that is an object; or java_constant_is_object: value.o is it */
};
extern const char java_constant_is_object[];

/* Every method of that very class with the name, in turn: start with NULL. */
const struct java_method *java_method_next(enum java_kind of, struct slice name, const struct java_method *after);
const struct java_constant *java_constant_find(enum java_kind of, struct slice name);

unsigned java_method_arity(const struct java_method *method);
void java_put_method(struct buf *buf, const struct java_type *of,
                     const struct java_method *method); /* as the machine has it: `java.util.Map.get(Object)` */

/* ---- what the rooms share ---- */

#define JAVA_CALL_PUBLIC(name)                                                                                         \
    bool name(struct java_run *run, const struct java_method *method, const union java_value *self,                    \
              const union java_value *args, union java_value *out)
#define JAVA_CALL(name) static JAVA_CALL_PUBLIC(name)
#define JAVA_UNUSED     (void)run, (void)method, (void)self, (void)args, (void)out

bool java_print_to(struct java_run *run, const struct java_object *o, struct java_object **out); /* its toString */
bool java_throw_of(struct java_run *run, enum java_kind kind, const char *before, const struct java_object *o); /* its toString behind a text */
bool java_null_argument(struct java_run *run);                               /* throws */
bool java_check_argument(struct java_run *run, const struct java_object *o); /* throws where it is null */
bool java_require(struct java_run *run, const struct java_object *o, const char *name); /* the same, as Objects.requireNonNull has it with the name */
bool java_no_other(struct java_run *run, enum java_kind kind); /* throws what the compareTo of a class does of null, and what is like it */
bool java_throw_parse(struct java_run *run, struct java_object *text, uint32_t at, const char *format, ...)
    __attribute__((format(printf, 4, 5))); /* DateTimeParseException's: what was read, and where it is wrong */
/* Throws where it is null, as a machine does that was to `what` of it: `Cannot invoke "java.util.List.size()" because "list" is null`. */
bool java_check_read(struct java_run *run, const struct java_object *o, const char *what, const char *name);
#define JAVA_READ_LENGTH "read the array length"
#define JAVA_READ_ITERATOR "invoke \"java.util.Collection.iterator()\""
#define JAVA_READ_ARRAY "invoke \"java.util.Collection.toArray()\""
#define JAVA_READ_TEXT "invoke \"String.length()\""
#define JAVA_READ_SIZE   "invoke \"java.util.List.size()\""
static inline const struct java_type *java_own_primitive(const struct java_method *method) /* of a box's */
{
    return java_unboxed(java_simple(method->of));
}
bool java_box_of_text(struct java_run *run, const struct java_method *method, union java_value value, union java_value *out); /* of a constructor a new one */
bool java_bad_number(struct java_run *run, struct slice text, int64_t radix); /* throws what Integer.parseInt does */
bool java_give_text(struct java_run *run, const struct buf *utf16, union java_value *out);
/* An array of the objects. */
bool java_array_of_items(struct java_run *run, enum java_kind element, struct java_object *const *items, uint32_t count,
                         struct java_object **out);
bool java_new_bytes(struct java_run *run, struct slice bytes, struct java_object **out); /* an array of them */
bool java_array_bytes(struct java_run *run, const struct java_object *array, struct slice *out); /* those of such an array */
/* A builder's end. */
bool java_builder_put(struct java_run *run, struct java_object *b, uint32_t at, const struct buf *text);
bool java_is_space(uint16_t c, bool unicode);
int java_digit(uint16_t c, int64_t radix); /* Character.digit, of a radix up to 36: other scripts' digits, and wide letters, too; -1: it is none */
bool java_check_open(struct java_run *run, const struct java_object *o,
                     bool length); /* throws where it may not be changed, or not in its length */
bool java_put_all(struct java_run *run, struct java_object *to, const struct java_object *from);
bool java_turned_order(struct java_run *run, struct java_object *order, struct java_object **out);
bool java_compare_letters(struct java_run *run, const struct java_object *a, const struct java_object *b, int *out); /* without regard to case */
bool java_sort(struct java_run *run, struct java_object **items, uint32_t n, const struct java_object *order);       /* stable */
/* The first place of what is equal to an item, or the last; -1: none. */
bool java_throw_vector_room(struct java_run *run, const struct java_list *list, int64_t at); /* the array that a Vector is in has no such place */
int64_t java_list_find(struct java_run *run, const struct java_list *list, const struct java_object *item, bool last);
void java_list_take(struct java_run *run, struct java_list *list, int64_t at); /* out of it */
bool java_heap_add(struct java_run *run, struct java_list *list, struct java_object *item); /* of a PriorityQueue, as the next */
bool java_heap_take(struct java_run *run, struct java_list *list, uint32_t at);
bool java_heapify(struct java_run *run, struct java_list *list);
bool java_collection_add(struct java_run *run, struct java_object *o, struct java_object *item, bool *changed); /* of one that may be changed */
bool java_entry(struct java_run *run, const struct java_pair *pair, struct java_object **out); /* nobody's */
bool java_random_seed(struct java_run *run, struct java_object *random); /* by chance */
int32_t java_random_below(struct java_object *random, int32_t bound);    /* above 0 */
JAVA_CALL_PUBLIC(java_collection_size);
JAVA_CALL_PUBLIC(java_collection_clear);
JAVA_CALL_PUBLIC(java_compare_to);
JAVA_CALL_PUBLIC(java_substring);
JAVA_CALL_PUBLIC(java_string_find);
JAVA_CALL_PUBLIC(java_string_format);
JAVA_CALL_PUBLIC(java_math_whole);
JAVA_CALL_PUBLIC(java_math_real);
JAVA_CALL_PUBLIC(java_get_class);

/* What java_string_find looks for. */
enum { JAVA_FIND_FIRST, JAVA_FIND_LAST, JAVA_FIND_ANY, JAVA_FIND_START, JAVA_FIND_END };
/* What java_collection_size tells. */
enum { JAVA_SIZE, JAVA_IS_EMPTY };
/* What java_math_whole and java_math_real do. */
enum { JAVA_ABS, JAVA_MAX, JAVA_MIN, JAVA_SUM, JAVA_SIGNUM };

/* ---- the tables by room, each closed by a row without a name ---- */

enum {
    JAVA_MISSING_INT_STREAM,
    JAVA_MISSING_STREAM,
    JAVA_MISSING_PACKAGE,
    JAVA_MISSING_URL,
    JAVA_MISSING_CONSOLE,
    JAVA_MISSING_BYTE_ORDER,
    JAVA_MISSING_CHAR_BUFFER,
    JAVA_MISSING_SHORT_BUFFER,
    JAVA_MISSING_INT_BUFFER,
    JAVA_MISSING_LONG_BUFFER,
    JAVA_MISSING_FLOAT_BUFFER,
    JAVA_MISSING_DOUBLE_BUFFER,
};
extern const char *const java_missing[];
extern const struct java_method java_lang_methods[], java_integer_methods[], java_string_methods[], java_list_methods[],
    java_big_methods[], java_buffer_methods[], java_time_methods[], java_builder_methods[], java_math_methods[],
    java_map_methods[], java_tuple_methods[], java_tuple_type_methods[], java_pattern_methods[], java_array_methods[], java_class_methods[],
    java_system_methods[], java_throwable_methods[], java_queue_methods[], java_sorted_methods[], java_collections_methods[], java_comparator_methods[],
    java_decimal_methods[], java_context_methods[], java_optional_methods[], java_token_methods[], java_random_methods[], java_locale_methods[], java_base64_methods[], java_calendar_methods[], java_zone_methods[],
    java_date_format_methods[], java_big_text_methods[], java_modular_methods[],
    java_enum_methods[], java_temporal_methods[], java_date_methods[], java_instant_methods[], java_zone_id_methods[], java_amount_methods[],
    java_adjuster_methods[], java_range_methods[], java_formatter_methods[], java_decimal_format_methods[];
extern const struct java_constant java_lang_constants[], java_big_constants[], java_decimal_constants[], java_context_constants[],
    java_pattern_constants[], java_locale_constants[], java_comparator_constants[], java_calendar_constants[],
    java_enum_constants[], java_date_constants[], java_instant_constants[], java_zone_id_constants[], java_amount_constants[], java_formatter_constants[];

enum { JAVA_LOCALE_US, JAVA_LOCALE_ENGLISH, JAVA_LOCALE_UK, JAVA_LOCALE_ROOT }; /* a Locale is one of them */

#endif
