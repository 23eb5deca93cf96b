#include "model/java/lib.h"

static const struct java_method *const rooms[] = {
    java_lang_methods, java_integer_methods, java_math_methods, java_map_methods, java_builder_methods,
    java_string_methods, java_list_methods, java_big_methods, java_buffer_methods, java_time_methods,
    java_tuple_methods, java_tuple_type_methods, java_pattern_methods, java_array_methods, java_class_methods, java_system_methods,
    java_throwable_methods, java_queue_methods, java_sorted_methods, java_collections_methods, java_comparator_methods,
    java_decimal_methods, java_context_methods, java_optional_methods, java_token_methods,
    java_random_methods, java_locale_methods, java_base64_methods, java_calendar_methods, java_zone_methods,
    java_date_format_methods, java_big_text_methods, java_modular_methods,
    java_enum_methods, java_temporal_methods, java_date_methods, java_instant_methods, java_zone_id_methods, java_amount_methods,
    java_adjuster_methods, java_range_methods, java_formatter_methods, java_decimal_format_methods,
};
static const struct java_constant *const constants[] = {
    java_lang_constants, java_big_constants, java_decimal_constants, java_context_constants,
    java_pattern_constants, java_locale_constants, java_comparator_constants, java_calendar_constants,
    java_enum_constants, java_date_constants, java_instant_constants, java_zone_id_constants, java_amount_constants, java_formatter_constants,
};

const char *const java_missing[] = { [JAVA_MISSING_INT_STREAM] = "java.util.stream.IntStream",
                                     [JAVA_MISSING_STREAM] = "java.util.stream.Stream",
                                     [JAVA_MISSING_PACKAGE] = "java.lang.Package",
                                     [JAVA_MISSING_URL] = "java.net.URL",
                                     [JAVA_MISSING_CONSOLE] = "java.io.Console",
                                     [JAVA_MISSING_BYTE_ORDER] = "java.nio.ByteOrder",
                                     [JAVA_MISSING_CHAR_BUFFER] = "java.nio.CharBuffer",
                                     [JAVA_MISSING_SHORT_BUFFER] = "java.nio.ShortBuffer",
                                     [JAVA_MISSING_INT_BUFFER] = "java.nio.IntBuffer",
                                     [JAVA_MISSING_LONG_BUFFER] = "java.nio.LongBuffer",
                                     [JAVA_MISSING_FLOAT_BUFFER] = "java.nio.FloatBuffer",
                                     [JAVA_MISSING_DOUBLE_BUFFER] = "java.nio.DoubleBuffer" };

enum { ROOMS = sizeof rooms / sizeof *rooms };

const struct java_method *java_method_next(enum java_kind of, struct slice name, const struct java_method *after)
{
    bool passed = !after;
    for (size_t room = 0; room < ROOMS; room++)
        for (const struct java_method *m = rooms[room]; m->name; m++) {
            if (passed && m->of == of && slice_eq_str(name, m->name))
                return m;
            passed |= m == after;
        }
    return NULL;
}

const struct java_constant *java_constant_find(enum java_kind of, struct slice name)
{
    for (size_t room = 0; room < sizeof constants / sizeof *constants; room++)
        for (const struct java_constant *k = constants[room]; k->name; k++)
            if (k->of == of && slice_eq_str(name, k->name))
                return k;
    return NULL;
}

unsigned java_method_arity(const struct java_method *method)
{
    unsigned n = 0;
    while (n < JAVA_ARGS_MAX && method->args[n])
        n++;
    return n;
}

static const char *erased(int shape)
{
    switch (shape) {
    case JX_SELF:
        return "";
    case JX_LIST_OF_FIRST:
        return "java.util.List";
    case JX_STRINGS:
        return "String[]";
    case JX_OBJECTS:
    case JX_ARRAY:
        return "Object[]";
    case JX_ORDERED_ARRAY:
        return "boolean[]";
    case JX_BYTES:
        return "byte[]";
    case JX_CHARS:
        return "char[]";
    default:
        return "Object";
    }
}

enum { LEAVES_HASH = JAVA_OBJECT_HASH, LEAVES_TWO = LEAVES_HASH | JAVA_OBJECT_EQUALS, LEAVES_ALL = LEAVES_TWO | JAVA_OBJECT_TEXT };

/* Which of equals, hashCode and toString a class has of Object: it is Object's that is called. */
static const uint8_t left_to_object[J_KIND_COUNT] = {
    [J_CHAR_SEQUENCE] = LEAVES_TWO,
    [J_STRING_BUILDER] = LEAVES_TWO,
    [J_STRING_BUFFER] = LEAVES_TWO,
    [J_THROWABLE] = LEAVES_TWO,
    [J_ARRAY_DEQUE] = LEAVES_TWO,
    [J_PRIORITY_QUEUE] = LEAVES_TWO,
    [J_JOINER] = LEAVES_TWO,
    [J_MATCHER] = LEAVES_TWO,
    [J_PATTERN] = LEAVES_TWO,
    [J_CLASS] = LEAVES_TWO,
    [J_COMPARABLE] = LEAVES_ALL,
    [J_ITERABLE] = LEAVES_ALL,
    [J_ITERATOR] = LEAVES_ALL,
    [J_NUMBER] = LEAVES_ALL,
    [J_CLASS_LOADER] = LEAVES_ALL,
    [J_MATH] = LEAVES_ALL,
    [J_STRICT_MATH] = LEAVES_ALL,
    [J_SYSTEM] = LEAVES_ALL,
    [J_ARRAYS] = LEAVES_ALL,
    [J_COLLECTIONS] = LEAVES_ALL,
    [J_OBJECTS] = LEAVES_ALL,
    [J_BASE64] = LEAVES_ALL,
    [J_BASE64_ENCODER] = LEAVES_ALL,
    [J_BASE64_DECODER] = LEAVES_ALL,
    [J_FORMAT_OF_TEXT] = LEAVES_ALL,
    [J_RANDOM] = LEAVES_ALL,
    [J_TOKENIZER] = LEAVES_ALL,
    [J_TIME_ZONE] = LEAVES_ALL,
    [J_MATCH_RESULT] = LEAVES_ALL,
    [J_UDF_CONTEXT] = LEAVES_ALL,
    [J_TEMPORAL_UNIT] = LEAVES_TWO,
    [J_TEMPORAL_FIELD] = LEAVES_TWO,
    [J_DATE_TIME_FORMATTER] = LEAVES_TWO,
    [J_TEMPORAL_ACCESSOR] = LEAVES_ALL,
    [J_TEMPORAL] = LEAVES_ALL,
    [J_TEMPORAL_ADJUSTER] = LEAVES_ALL,
    [J_TEMPORAL_AMOUNT] = LEAVES_ALL,
    [J_TEMPORAL_ADJUSTERS] = LEAVES_ALL,
    [J_COLLECTION] = JAVA_OBJECT_TEXT,
    [J_LIST] = JAVA_OBJECT_TEXT,
    [J_SET] = JAVA_OBJECT_TEXT,
    [J_SORTED_SET] = JAVA_OBJECT_TEXT,
    [J_NAVIGABLE_SET] = JAVA_OBJECT_TEXT,
    [J_QUEUE] = JAVA_OBJECT_TEXT,
    [J_DEQUE] = JAVA_OBJECT_TEXT,
    [J_MAP] = JAVA_OBJECT_TEXT,
    [J_SORTED_MAP] = JAVA_OBJECT_TEXT,
    [J_NAVIGABLE_MAP] = JAVA_OBJECT_TEXT,
    [J_ENTRY] = JAVA_OBJECT_TEXT,
    [J_DATE_FORMAT] = JAVA_OBJECT_TEXT,
    [J_SIMPLE_DATE_FORMAT] = JAVA_OBJECT_TEXT,
    [J_COMPARATOR] = LEAVES_HASH | JAVA_OBJECT_TEXT,
};

static bool is_of_object(const struct java_type *of, const struct java_method *method)
{
    enum java_kind kind = java_kind_extends(of->kind, J_THROWABLE) ? J_THROWABLE : of->kind;
    return method->of == J_OBJECT && (kind == J_ARRAY || method->variant & (left_to_object[kind] | JAVA_OBJECT_CLASS));
}

void java_put_method(struct buf *buf, const struct java_type *of, const struct java_method *method)
{
    java_put_erased(buf, is_of_object(of, method) ? java_simple(J_OBJECT) : of);
    buf_printf(buf, ".%s(", method->name);
    for (unsigned i = 0; i < java_method_arity(method); i++) {
        buf_put_str(buf, i ? ", " : "");
        if (method->args[i] < J_KIND_COUNT)
            java_put_erased(buf, java_simple((enum java_kind)method->args[i]));
        else
            buf_put_str(buf, erased(method->args[i]));
    }
    buf_put_u8(buf, ')');
}

const char java_constant_is_object[] = "";

/* ---- what the rooms share ---- */

bool java_null_argument(struct java_run *run)
{
    return java_throw(run, J_NULL_POINTER, NULL);
}

bool java_throw_of(struct java_run *run, enum java_kind kind, const char *before, const struct java_object *o)
{
    struct java_object *printed;
    struct slice text;
    return java_print_to(run, o, &printed) && java_utf8(run, printed, &text) && java_throw(run, kind, "%s%.*s", before, SLICE_ARG(text));
}

bool java_check_argument(struct java_run *run, const struct java_object *o)
{
    return o || java_null_argument(run);
}

bool java_require(struct java_run *run, const struct java_object *o, const char *name)
{
    return o || java_throw(run, J_NULL_POINTER, "%s", name);
}

bool java_check_read(struct java_run *run, const struct java_object *o, const char *what, const char *name)
{
    return o || java_throw(run, J_NULL_POINTER, "Cannot %s because \"%s\" is null", what, name);
}

bool java_give_text(struct java_run *run, const struct buf *utf16, union java_value *out)
{
    return java_string_of_units(run, utf16, &out->o);
}
