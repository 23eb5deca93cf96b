/* Arrays' methods over arrays of any kind, and what an array itself has. */
#include <stdlib.h>

#include "model/java/lib.h"

enum { DEPTH_MAX = 50 };

static bool is_primitive(const struct java_object *array)
{
    return java_is_primitive(array->array.element);
}

/* An element, where it is a number, in a box that is nobody's. */
static const struct java_object *boxed(const struct java_object *array, uint32_t i, struct java_object *box)
{
    if (!is_primitive(array))
        return array->array.items[i].o;
    *box = (struct java_object){ .kind = java_boxed(array->array.element)->kind };
    box->value = array->array.items[i];
    return box;
}

static bool print(struct java_run *run, struct buf *text, const struct java_object *array, bool deep, unsigned depth)
{
    struct java_object box;

    if (depth > DEPTH_MAX)
        return java_throw(run, J_UNSUPPORTED, "an array within itself, or in too many others");
    java_put_ascii(text, "[", 1);
    for (uint32_t i = 0; i < array->array.count; i++) {
        const struct java_object *one = boxed(array, i, &box);
        if (i)
            java_put_ascii(text, ", ", 2);
        if (!java_check_text(run, text) ||
            !(deep && one && one->kind == J_ARRAY ? print(run, text, one, deep, depth + 1)
                                                  : java_print(run, text, one)))
            return false;
    }
    java_put_ascii(text, "]", 1);
    return true;
}

enum { TEXT_FLAT, TEXT_DEEP };

JAVA_CALL(arrays_text)
{
    struct buf text;
    JAVA_UNUSED;
    buf_init(&text, run->ctx->arena);
    if (!args[0].o)
        java_put_ascii(&text, "null", 4);
    else if (!print(run, &text, args[0].o, method->variant == TEXT_DEEP, 0))
        return false;
    return java_give_text(run, &text, out);
}

/* What lies between two places, zeroes or nulls behind the end. */
static bool copy(struct java_run *run, const struct java_object *array, int64_t from, int64_t to,
                 struct java_object **out)
{
    struct java_object *o = java_new(run, J_ARRAY);
    if (!o || !(o->array.items = java_alloc(run, ((size_t)(to - from) + 1) * sizeof *o->array.items)))
        return false;
    o->array.element = array->array.element;
    o->array.count = (uint32_t)(to - from);
    int64_t end = to < array->array.count ? to : array->array.count;
    if (end > from)
        memcpy(o->array.items, array->array.items + from, (size_t)(end - from) * sizeof *o->array.items);
    *out = o;
    return java_spend(run, o->array.count / JAVA_COMPARED_AT_ONCE);
}

JAVA_CALL(array_clone)
{
    JAVA_UNUSED;
    return copy(run, self->o, 0, self->o->array.count, &out->o);
}

JAVA_CALL(arrays_copy)
{
    int64_t from = method->args[2] ? args[1].i : 0, to = method->args[2] ? args[2].i : args[1].i;
    JAVA_UNUSED;
    if (method->args[2] && from > to)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "%d > %d", (int)from, (int)to);
    if (!method->args[2] && to < 0)
        return java_throw(run, J_NEGATIVE_SIZE, "%d", (int)to);
    if (!java_check_read(run, args[0].o, JAVA_READ_LENGTH, "original"))
        return false;
    if (from > args[0].o->array.count)
        return java_throw(run, J_ARRAY_INDEX, "arraycopy: length %d is negative", (int)(args[0].o->array.count - from));
    if (from < 0)
        return java_throw(run, J_ARRAY_INDEX, "arraycopy: source index %d out of bounds for %s[%u]", (int)from,
                          is_primitive(args[0].o) ? java_class_full_name(args[0].o->array.element->kind)
                                                  : "object array",
                          args[0].o->array.count);
    return copy(run, args[0].o, from, to, &out->o);
}

/* Some of the first argument, an array: from a place up to another, or all where the method is given none. */
struct span {
    uint32_t from, to;
    bool part;
};

static bool read_span(struct java_run *run, const struct java_method *method, const union java_value *args, struct span *out)
{
    *out = (struct span){ .part = method->args[1] == J_INT };
    if (!java_check_read(run, args[0].o, JAVA_READ_LENGTH, "a"))
        return false;
    uint32_t count = args[0].o->array.count;
    int64_t from = out->part ? args[1].i : 0, to = out->part ? args[2].i : count;
    if (from > to)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "fromIndex(%d) > toIndex(%d)", (int)from, (int)to);
    if (from < 0 || to > count)
        return java_throw(run, J_ARRAY_INDEX, "Array index out of range: %d", (int)(from < 0 ? from : to));
    out->from = (uint32_t)from;
    out->to = (uint32_t)to;
    return java_spend(run, (uint64_t)(to - from) / JAVA_COMPARED_AT_ONCE);
}

JAVA_CALL(arrays_fill)
{
    struct span s;
    JAVA_UNUSED;
    if (!read_span(run, method, args, &s))
        return false;
    for (uint32_t i = s.from; i < s.to; i++)
        args[0].o->array.items[i] = args[s.part ? 3 : 1];
    return true;
}

JAVA_CALL(arrays_equal)
{
    const struct java_object *a = args[0].o, *b = args[1].o;
    struct java_object x, y;
    JAVA_UNUSED;
    out->i = a == b || (a && b && a->array.count == b->array.count);
    for (uint32_t i = 0; a != b && out->i && i < a->array.count; i++)
        out->i = java_equals(run, boxed(a, i, &x), boxed(b, i, &y)) || (!boxed(a, i, &x) && !boxed(b, i, &y));
    return true;
}

JAVA_CALL(arrays_hash)
{
    const struct java_object *array = args[0].o;
    struct java_object box;
    uint32_t h = array != NULL;
    JAVA_UNUSED;
    for (uint32_t i = 0; array && i < array->array.count; i++)
        h = 31 * h + (uint32_t)java_hash_code(run, boxed(array, i, &box));
    out->i = (int32_t)h;
    return true;
}

/* How many elements both begin with, at most as many as both have. */
static bool find_mismatch(struct java_run *run, const struct java_object *a, const struct java_object *b, uint32_t *out)
{
    struct java_object x, y;
    uint32_t i = 0, n = a->array.count < b->array.count ? a->array.count : b->array.count;
    while (i < n && (java_equals(run, boxed(a, i, &x), boxed(b, i, &y)) || (!boxed(a, i, &x) && !boxed(b, i, &y))))
        i++;
    *out = i;
    return java_spend(run, i / JAVA_COMPARED_AT_ONCE);
}

JAVA_CALL(arrays_mismatch)
{
    uint32_t same;
    JAVA_UNUSED;
    if (!java_check_read(run, args[0].o, JAVA_READ_LENGTH, "a") || !java_check_read(run, args[1].o, JAVA_READ_LENGTH, "b") ||
        !find_mismatch(run, args[0].o, args[1].o, &same))
        return false;
    out->i = same == args[0].o->array.count && same == args[1].o->array.count ? -1 : (int32_t)same;
    return true;
}

/* A null comes before what is none. */
JAVA_CALL(arrays_compare)
{
    const struct java_object *a = args[0].o, *b = args[1].o;
    struct java_object x, y;
    uint32_t same;
    int c;
    JAVA_UNUSED;
    out->i = (a != NULL) - (b != NULL);
    if (!a || !b || a == b)
        return true;
    if (!find_mismatch(run, a, b, &same))
        return false;
    if (same == a->array.count || same == b->array.count) {
        out->i = (int64_t)a->array.count - b->array.count;
        return true;
    }
    const struct java_object *one = boxed(a, same, &x), *other = boxed(b, same, &y);
    out->i = (one != NULL) - (other != NULL);
    if (!one || !other)
        return true;
    bool compared = java_compare(run, one, other, &c);
    out->i = c;
    return compared;
}

/* ---- sort ---- */

static int by_integer(const void *a, const void *b)
{
    const union java_value *x = a, *y = b;
    return (x->i > y->i) - (x->i < y->i);
}

/* As Double.compare: -0.0 in front of 0.0, NaN last. */
static int by_real(const void *a, const void *b)
{
    const union java_value *x = a, *y = b;
    if (x->d != x->d || y->d != y->d)
        return (x->d != x->d) - (y->d != y->d);
    return x->d < y->d ? -1 : x->d > y->d ? 1 : by_integer(a, b);
}

/* The Comparator that is the last argument; NULL: there is none. */
static const struct java_object *order_of(const struct java_method *method, const union java_value *args)
{
    unsigned last = java_method_arity(method) - 1;
    return method->args[last] == J_COMPARATOR ? args[last].o : NULL;
}

JAVA_CALL(arrays_sort)
{
    const struct java_object *array = args[0].o;
    struct span s;
    JAVA_UNUSED;
    if (!read_span(run, method, args, &s) || !java_spend(run, s.to - s.from))
        return false;
    uint32_t n = s.to - s.from;
    union java_value *first = array->array.items + s.from;
    if (is_primitive(array)) {
        bool real = array->array.element->kind == J_FLOAT || array->array.element->kind == J_DOUBLE;
        qsort(first, n, sizeof *first, real ? by_real : by_integer);
        return true;
    }
    struct java_object **items = java_alloc(run, (n + 1u) * sizeof *items);
    if (!items)
        return false;
    for (uint32_t i = 0; i < n; i++)
        items[i] = first[i].o;
    if (n > 1 && !java_sort(run, items, n, order_of(method, args)))
        return false;
    for (uint32_t i = 0; i < n; i++)
        first[i].o = items[i];
    return true;
}

JAVA_CALL(arrays_search)
{
    const struct java_object *array = args[0].o;
    struct java_object box, key;
    struct span s;
    JAVA_UNUSED;
    if (!read_span(run, method, args, &s))
        return false;
    const union java_value *given = &args[s.part ? 3 : 1];
    const struct java_object *sought = given->o;
    if (is_primitive(array)) {
        key = (struct java_object){ .kind = java_boxed(array->array.element)->kind };
        key.value = *given;
        sought = &key;
    }
    int64_t low = s.from, high = (int64_t)s.to - 1;
    while (low <= high) {
        int64_t mid = (low + high) / 2;
        int c;
        if (!java_compare_by(run, order_of(method, args), "midVal", boxed(array, (uint32_t)mid, &box), sought, &c))
            return false;
        if (c == 0) {
            out->i = mid;
            return true;
        }
        *(c < 0 ? &low : &high) = c < 0 ? mid + 1 : mid - 1;
    }
    out->i = -(low + 1);
    return true;
}

/* ---- the table ---- */

const struct java_method java_array_methods[] = {
    { J_ARRAY, "clone", JX_SELF, { 0 }, 0, array_clone, 0 },
    { J_ARRAYS, "toString", J_STRING, { JX_ARRAY }, JAVA_STATIC, arrays_text, TEXT_FLAT },
    { J_ARRAYS, "deepToString", J_STRING, { JX_OBJECTS }, JAVA_STATIC, arrays_text, TEXT_DEEP },
    { J_ARRAYS, "copyOf", JX_ARRAY, { JX_ARRAY, J_INT }, JAVA_STATIC, arrays_copy, 0 },
    { J_ARRAYS, "copyOfRange", JX_ARRAY, { JX_ARRAY, J_INT, J_INT }, JAVA_STATIC, arrays_copy, 0 },
    { J_ARRAYS, "fill", J_VOID, { JX_ARRAY, JX_ARRAY_ELEMENT }, JAVA_STATIC, arrays_fill, 0 },
    { J_ARRAYS, "binarySearch", J_INT, { JX_ARRAY, JX_ARRAY_ELEMENT }, JAVA_STATIC, arrays_search, 0 },
    { J_ARRAYS, "binarySearch", J_INT, { JX_OBJECTS, JX_ARRAY_ELEMENT, J_COMPARATOR }, JAVA_STATIC, arrays_search, 0 },
    { J_ARRAYS, "binarySearch", J_INT, { JX_ARRAY, J_INT, J_INT, JX_ARRAY_ELEMENT }, JAVA_STATIC, arrays_search, 0 },
    { J_ARRAYS, "binarySearch", J_INT, { JX_OBJECTS, J_INT, J_INT, JX_ARRAY_ELEMENT, J_COMPARATOR }, JAVA_STATIC, arrays_search, 0 },
    { J_ARRAYS, "fill", J_VOID, { JX_ARRAY, J_INT, J_INT, JX_ARRAY_ELEMENT }, JAVA_STATIC, arrays_fill, 0 },
    { J_ARRAYS, "sort", J_VOID, { JX_ARRAY, J_INT, J_INT }, JAVA_STATIC, arrays_sort, 0 },
    { J_ARRAYS, "sort", J_VOID, { JX_OBJECTS, J_INT, J_INT, J_COMPARATOR }, JAVA_STATIC, arrays_sort, 0 },
    { J_ARRAYS, "equals", J_BOOLEAN, { JX_ARRAY, JX_ARRAY }, JAVA_STATIC, arrays_equal, 0 },
    { J_ARRAYS, "mismatch", J_INT, { JX_ARRAY, JX_ARRAY }, JAVA_STATIC, arrays_mismatch, 0 },
    { J_ARRAYS, "compare", J_INT, { JX_ORDERED_ARRAY, JX_ORDERED_ARRAY }, JAVA_STATIC, arrays_compare, 0 },
    { J_ARRAYS, "hashCode", J_INT, { JX_ARRAY }, JAVA_STATIC, arrays_hash, 0 },
    { J_ARRAYS, "sort", J_VOID, { JX_ARRAY }, JAVA_STATIC, arrays_sort, 0 },
    { J_ARRAYS, "sort", J_VOID, { JX_OBJECTS, J_COMPARATOR }, JAVA_STATIC, arrays_sort, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
