/* java.util: Arrays.asList, List.of and Set.of, Collections, Objects. */
#include "model/java/lib.h"

/* ---- Arrays, Collections, List.of ---- */

/* Of List.of and List.copyOf: those with one or two items are a class of their own. */
static enum java_list_words words_of_some(uint32_t count)
{
    return count == 1 || count == 2 ? JAVA_WORDS_OF_FEW : JAVA_WORDS_OF_ARRAY;
}

JAVA_CALL(list_of_array)
{
    const struct java_object *array = args[0].o;
    bool sealed = method->variant;
    JAVA_UNUSED;
    if (!(sealed ? java_check_read(run, array, JAVA_READ_LENGTH, "elements") : java_check_argument(run, array)) || !(out->o = java_new(run, J_LIST)))
        return false;
    for (uint32_t i = 0; i < array->array.count; i++)
        if ((sealed && !java_check_argument(run, array->array.items[i].o)) ||
            !java_list_add(run, &out->o->list, i, array->array.items[i].o))
            return false;
    out->o->list.fixed = true;
    out->o->list.sealed = sealed;
    out->o->list.words = sealed ? words_of_some(array->array.count) : JAVA_WORDS_OF_ARRAY;
    return true;
}

JAVA_CALL(set_of_array)
{
    const struct java_object *array = args[0].o;
    struct java_object *before;
    JAVA_UNUSED;
    if (!java_check_read(run, array, JAVA_READ_LENGTH, "elements") || !(out->o = java_new(run, J_LINKED_HASH_SET)))
        return false;
    for (uint32_t i = 0; i < array->array.count; i++) {
        if (!java_check_argument(run, array->array.items[i].o) ||
            !java_map_put(run, out->o, array->array.items[i].o, NULL, &before))
            return false;
        if (out->o->map.count != i + 1)
            return java_throw_of(run, J_ILLEGAL_ARGUMENT, "duplicate element: ", array->array.items[i].o);
    }
    out->o->map.sealed = true;
    return true;
}

JAVA_CALL(single_list)
{
    JAVA_UNUSED;
    if (!(out->o = java_new(run, J_LIST)) || (method->args[0] && !java_list_add(run, &out->o->list, 0, args[0].o)))
        return false;
    out->o->list.sealed = true;
    out->o->list.words = method->args[0] ? JAVA_WORDS_OF_ONE : JAVA_WORDS_OF_NONE;
    return true;
}

enum { EMPTY_SET = J_LINKED_HASH_SET, EMPTY_MAP = J_LINKED_HASH_MAP };

JAVA_CALL(empty_map)
{
    struct java_object *before;
    JAVA_UNUSED;
    if (!(out->o = java_new(run, (enum java_kind)method->variant)) ||
        (method->args[0] && !java_map_put(run, out->o, args[0].o, method->args[1] ? args[1].o : NULL, &before)))
        return false;
    out->o->map.sealed = true;
    return true;
}

/* A merge sort, as Java's is stable. */
static bool merge_sort(struct java_run *run, struct java_object **items, struct java_object **other, uint32_t n, const struct java_object *order)
{
    uint32_t half = n / 2, a = 0, b = half, to = 0;
    int c;

    if (n < 2)
        return true;
    if (!merge_sort(run, items, other, half, order) || !merge_sort(run, items + half, other, n - half, order))
        return false;
    memcpy(other, items, n * sizeof *items);
    while (a < half && b < n) {
        if (!java_compare_by(run, order, "a[runHi]", other[b], other[a], &c))
            return false;
        items[to++] = c < 0 ? other[b++] : other[a++];
    }
    while (a < half)
        items[to++] = other[a++];
    while (b < n)
        items[to++] = other[b++];
    return true;
}

bool java_sort(struct java_run *run, struct java_object **items, uint32_t n, const struct java_object *order)
{
    struct java_object **other = java_alloc(run, (n + 1u) * sizeof *other);
    return other && merge_sort(run, items, other, n, order);
}

JAVA_CALL(collections_sort)
{
    const struct java_object *order = method->args[1] ? args[1].o : NULL;
    JAVA_UNUSED;
    return java_check_read(run, args[0].o, "invoke \"java.util.List.sort(java.util.Comparator)\"", "list") &&
           java_check_open(run, args[0].o, false) &&
           (args[0].o->list.count < 2 || java_sort(run, args[0].o->list.items, args[0].o->list.count, order));
}

/* A list whose items are moved around: where there are not two, none is set. */
static bool check_movable(struct java_run *run, const struct java_object *list)
{
    return java_check_read(run, list, JAVA_READ_SIZE, "list") && (list->list.count < 2 || java_check_open(run, list, false));
}

JAVA_CALL(collections_reverse)
{
    JAVA_UNUSED;
    if (!check_movable(run, args[0].o))
        return false;
    struct java_list *list = &args[0].o->list;
    if (!java_spend(run, list->count / JAVA_MOVED_AT_ONCE))
        return false;
    for (uint32_t i = 0; i < list->count / 2; i++) {
        struct java_object *o = list->items[i];
        list->items[i] = list->items[list->count - 1 - i];
        list->items[list->count - 1 - i] = o;
    }
    return true;
}

enum { LEAST, GREATEST };

JAVA_CALL(collections_extreme)
{
    struct java_object **items;
    uint32_t count;
    const struct java_object *order = method->args[1] ? args[1].o : NULL;
    int c;
    JAVA_UNUSED;
    if (!java_check_read(run, args[0].o, JAVA_READ_ITERATOR, "coll") || !java_items(run, args[0].o, &items, &count))
        return false;
    if (!count)
        return java_throw(run, J_NO_SUCH_ELEMENT, NULL);
    out->o = items[0];
    for (uint32_t i = 1; i < count; i++) {
        if (!java_compare_by(run, order, "next", items[i], out->o, &c))
            return false;
        if (method->variant == GREATEST ? c > 0 : c < 0)
            out->o = items[i];
    }
    return true;
}

/* An index of a list that a method of Collections is given. */
static bool check_place(struct java_run *run, const struct java_list *list, int64_t at)
{
    return (at >= 0 && at < list->count) ||
           java_throw(run, J_INDEX, "Index %d out of bounds for length %u", (int)at, list->count);
}

JAVA_CALL(collections_swap)
{
    JAVA_UNUSED;
    if (!java_check_read(run, args[0].o, "invoke \"java.util.List.get(int)\"", "l") || !java_check_open(run, args[0].o, false))
        return false;
    struct java_list *list = &args[0].o->list;
    if (!check_place(run, list, args[1].i) || !check_place(run, list, args[2].i))
        return false;
    struct java_object *o = list->items[args[1].i];
    list->items[args[1].i] = list->items[args[2].i];
    list->items[args[2].i] = o;
    return true;
}

JAVA_CALL(collections_fill)
{
    JAVA_UNUSED;
    if (!java_check_read(run, args[0].o, JAVA_READ_SIZE, "list") || !java_check_open(run, args[0].o, false) ||
        !java_spend(run, args[0].o->list.count / JAVA_MOVED_AT_ONCE))
        return false;
    for (uint32_t i = 0; i < args[0].o->list.count; i++)
        if (!java_list_set(run, &args[0].o->list, i, args[1].o))
            return false;
    return true;
}

JAVA_CALL(collections_rotate)
{
    JAVA_UNUSED;
    if (!java_check_read(run, args[0].o, JAVA_READ_SIZE, "list"))
        return false;
    struct java_list *list = &args[0].o->list;
    struct java_object **items;
    uint32_t count = list->count;
    int64_t by = count ? (args[1].i % count + count) % count : 0;
    if (!by)
        return true;
    if (!java_check_open(run, args[0].o, false) || !java_items(run, args[0].o, &items, &count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        list->items[(i + by) % count] = items[i];
    return java_spend(run, count / JAVA_MOVED_AT_ONCE);
}

JAVA_CALL(collections_shuffle)
{
    struct java_object fresh = { .kind = J_RANDOM }, *random = method->args[1] ? args[1].o : &fresh;
    JAVA_UNUSED;
    if (!check_movable(run, args[0].o) ||
        (args[0].o->list.count > 1 && !java_check_read(run, random, "invoke \"java.util.Random.nextInt(int)\"", "rnd")) ||
        (random == &fresh && !java_random_seed(run, &fresh)))
        return false;
    struct java_list *list = &args[0].o->list;
    for (uint32_t i = list->count; i > 1 && java_spend(run, 1); i--) {
        uint32_t at = (uint32_t)java_random_below(random, (int32_t)i);
        struct java_object *o = list->items[i - 1];
        list->items[i - 1] = list->items[at];
        list->items[at] = o;
    }
    return true;
}

JAVA_CALL(collections_frequency)
{
    struct java_object **items;
    uint32_t count;
    JAVA_UNUSED;
    if (!java_check_read(run, args[0].o, JAVA_READ_ITERATOR, "c") || !java_items(run, args[0].o, &items, &count))
        return false;
    out->i = 0;
    for (uint32_t i = 0; i < count && java_spend(run, 1); i++)
        out->i += java_equals(run, items[i], args[1].o);
    return true;
}

JAVA_CALL(collections_disjoint)
{
    struct java_object **a, **b;
    uint32_t a_count, b_count;
    JAVA_UNUSED;
    if (!java_check_read(run, args[0].o, "invoke \"java.util.Collection.size()\"", "c1") ||
        !java_check_read(run, args[1].o, "invoke \"java.util.Collection.size()\"", "c2") || !java_items(run, args[0].o, &a, &a_count) ||
        !java_items(run, args[1].o, &b, &b_count))
        return false;
    out->i = true;
    for (uint32_t i = 0; i < a_count && out->i; i++)
        for (uint32_t j = 0; j < b_count && out->i && java_spend(run, 1); j++)
            out->i = !java_equals(run, a[i], b[j]);
    return true;
}

JAVA_CALL(collections_copies)
{
    JAVA_UNUSED;
    if (args[0].i < 0)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "List length = %d", (int)args[0].i);
    if (!(out->o = java_new(run, J_LIST)))
        return false;
    for (int64_t i = 0; i < args[0].i; i++)
        if (!java_list_add(run, &out->o->list, (uint32_t)i, args[1].o))
            return false;
    out->o->list.sealed = true;
    out->o->list.words = JAVA_WORDS_OF_COPIES;
    return true;
}

/* The first of what is equal, found in halves; where there is none, where it would be. */
JAVA_CALL(collections_search)
{
    JAVA_UNUSED;
    if (!java_check_read(run, args[0].o, JAVA_READ_SIZE, "list"))
        return false;
    const struct java_list *list = &args[0].o->list;
    const struct java_object *order = method->args[2] ? args[2].o : NULL;
    int64_t low = 0, high = (int64_t)list->count - 1;
    int c;
    while (low <= high) {
        int64_t mid = (low + high) / 2;
        if (!java_compare_by(run, order, "midVal", list->items[mid], args[1].o, &c))
            return false;
        if (c == 0) {
            out->i = mid;
            return true;
        }
        if (c < 0)
            low = mid + 1;
        else
            high = mid - 1;
    }
    out->i = -(low + 1);
    return true;
}

/* A null, in the words of unmodifiable... or of List.copyOf. */
static bool check_copied(struct java_run *run, const struct java_method *method, const struct java_object *o)
{
    if (method->of == J_LIST)
        return java_check_read(run, o, JAVA_READ_ARRAY, "coll");
    if (method->of == J_MAP)
        return java_check_read(run, o, "invoke \"java.util.Map.entrySet()\"", "map");
    if (method->of == J_SET)
        return java_check_read(run, o, "invoke \"java.util.Collection.size()\"", "c");
    return java_check_read(run, o, "invoke \"Object.getClass()\"",
                           method->args[0] == J_LIST  ? "list"
                           : method->args[0] == J_MAP ? "m"
                           : method->args[0] == J_SET ? "s"
                                                      : "c");
}

static bool check_no_null_pairs(struct java_run *run, const struct java_object *map)
{
    struct java_pair **pairs;
    if (!java_map_pairs(run, map, &pairs))
        return false;
    for (uint32_t i = 0; i < map->map.count; i++)
        if (!java_check_argument(run, pairs[i]->key) || !java_check_argument(run, pairs[i]->value))
            return false;
    return true;
}

/* A copy that refuses to be changed: Java's shows what the collection is changed to. */
JAVA_CALL(collections_unmodifiable)
{
    struct java_object **items, *o;
    uint32_t count;
    JAVA_UNUSED;
    if (!check_copied(run, method, args[0].o))
        return false;
    bool is_map = java_kind_extends(args[0].o->kind, J_MAP), is_set = java_kind_extends(args[0].o->kind, J_SET);
    is_set |= method->of == J_SET;
    if (!(o = java_new(run, is_map ? J_LINKED_HASH_MAP : is_set ? J_LINKED_HASH_SET : J_LIST)))
        return false;
    out->o = o;
    if (is_map ? !java_put_all(run, o, args[0].o) : !java_items(run, args[0].o, &items, &count))
        return false;
    bool copied = method->flags & JAVA_STATIC && method->of != J_COLLECTIONS; /* copyOf: no nulls */
    if (copied && is_map && !check_no_null_pairs(run, o))
        return false;
    for (uint32_t i = 0; !is_map && i < count; i++) {
        struct java_object *before;
        if (copied && !java_check_argument(run, items[i]))
            return false;
        if (is_set ? !java_map_put(run, o, items[i], NULL, &before) : !java_list_add(run, &o->list, i, items[i]))
            return false;
    }
    *(is_map || is_set ? &o->map.sealed : &o->list.sealed) = true;
    if (o->kind == J_LIST && copied)
        o->list.words = words_of_some(count);
    else if (o->kind == J_LIST && java_kind_extends(args[0].o->kind, J_LIST))
        o->list.words = args[0].o->list.words;
    return true;
}

/* The items of one list over those of another, which may have more. */
JAVA_CALL(collections_copy)
{
    struct java_object *to = args[0].o, *from = args[1].o;
    JAVA_UNUSED;
    if (!java_check_read(run, from, JAVA_READ_SIZE, "src") || !java_check_read(run, to, JAVA_READ_SIZE, "dest"))
        return false;
    if (from->list.count > to->list.count)
        return java_throw(run, J_INDEX, "Source does not fit in dest");
    if (!java_spend(run, from->list.count))
        return false;
    for (uint32_t i = 0; i < from->list.count; i++)
        if (!java_check_open(run, to, false) ||
            !java_list_set(run, &to->list, i, from->list.items[i]))
            return false;
    return true;
}

JAVA_CALL(collections_replace_all)
{
    struct java_object *list = args[0].o;
    JAVA_UNUSED;
    out->i = false;
    if (!java_check_read(run, list, JAVA_READ_SIZE, "list"))
        return false;
    for (uint32_t i = 0; i < list->list.count; i++) {
        if (list->list.items[i] ? !java_equals(run, list->list.items[i], args[1].o) : args[1].o != NULL)
            continue;
        if (!java_check_open(run, list, false) || !java_list_set(run, &list->list, i, args[2].o))
            return false;
        out->i = true;
    }
    return java_spend(run, list->list.count / JAVA_COMPARED_AT_ONCE);
}

/* What nobody else has in hand needs no turns. */
JAVA_CALL(collections_same)
{
    JAVA_UNUSED;
    out->o = args[0].o;
    return java_check_argument(run, args[0].o);
}

JAVA_CALL(collections_add_all)
{
    JAVA_UNUSED;
    if (!java_check_argument(run, args[1].o) ||
        (args[1].o->array.count && !java_check_read(run, args[0].o, "invoke \"java.util.Collection.add(Object)\"", "c")) ||
        (args[0].o && !java_check_open(run, args[0].o, true)))
        return false;
    out->i = false;
    for (uint32_t i = 0; i < args[1].o->array.count; i++) {
        bool changed;
        if (!java_collection_add(run, args[0].o, args[1].o->array.items[i].o, &changed))
            return false;
        out->i |= changed;
    }
    return true;
}

/* ---- Objects ---- */

JAVA_CALL(objects_equals)
{
    JAVA_UNUSED;
    out->i = java_equals(run, args[0].o, args[1].o);
    return true;
}

JAVA_CALL(objects_is_null)
{
    JAVA_UNUSED;
    out->i = (args[0].o == NULL) == method->variant;
    return true;
}

JAVA_CALL(objects_hash)
{
    JAVA_UNUSED;
    out->i = java_hash_code(run, args[0].o);
    return true;
}

/* Of all arguments, as of a list. */
JAVA_CALL(objects_hash_all)
{
    uint32_t h = 1;
    JAVA_UNUSED;
    for (uint32_t i = 0; args[0].o && i < args[0].o->array.count; i++)
        h = 31 * h + (uint32_t)java_hash_code(run, args[0].o->array.items[i].o);
    out->i = args[0].o ? (int32_t)h : 0;
    return true;
}

JAVA_CALL(objects_text)
{
    struct buf text;
    JAVA_UNUSED;
    if (!args[0].o && method->args[1]) {
        out->o = args[1].o;
        return true;
    }
    buf_init(&text, run->ctx->arena);
    return java_print(run, &text, args[0].o) && java_give_text(run, &text, out);
}

JAVA_CALL(objects_require_else)
{
    JAVA_UNUSED;
    out->o = args[0].o ? args[0].o : args[1].o;
    return out->o || java_throw(run, J_NULL_POINTER, "defaultObj");
}

JAVA_CALL(objects_require)
{
    JAVA_UNUSED;
    out->o = args[0].o;
    return args[0].o || java_throw(run, J_NULL_POINTER, NULL);
}

/* ---- Objects ---- */

enum { CHECK_INDEX, CHECK_FROM_TO, CHECK_FROM_SIZE };

JAVA_CALL(objects_check)
{
    long long a = args[0].i, b = args[1].i, c = method->args[2] ? args[2].i : 0;
    JAVA_UNUSED;
    out->i = a;
    if (method->variant == CHECK_INDEX)
        return (a >= 0 && a < b) || java_throw(run, J_INDEX, "Index %lld out of bounds for length %lld", a, b);
    if (method->variant == CHECK_FROM_TO)
        return (a >= 0 && a <= b && b <= c) || java_throw(run, J_INDEX, "Range [%lld, %lld) out of bounds for length %lld", a, b, c);
    return (a >= 0 && b >= 0 && c >= 0 && a <= c - b) || java_throw(run, J_INDEX, "Range [%lld, %lld + %lld) out of bounds for length %lld", a, a, b, c);
}

/* The same is equal, whatever the order is. */
JAVA_CALL(objects_compare)
{
    int order = 0;
    JAVA_UNUSED;
    if (!java_same(args[0].o, args[1].o)) {
        if (!java_check_read(run, args[2].o, "invoke \"java.util.Comparator.compare(Object, Object)\"", "c") ||
            !java_compare_by(run, args[2].o, NULL, args[0].o, args[1].o, &order))
            return false;
    }
    out->i = order;
    return true;
}

/* ---- the table ---- */

const struct java_method java_collections_methods[] = {
    { J_ARRAYS, "asList", JX_LIST_OF_ARGUMENTS, { JX_OBJECTS }, JAVA_STATIC | JAVA_VARIADIC, list_of_array, 0 },
    { J_LIST, "of", JX_LIST_OF_ARGUMENTS, { JX_OBJECTS }, JAVA_STATIC | JAVA_VARIADIC, list_of_array, 1 },
    { J_SET, "of", JX_SET_OF_ARGUMENTS, { JX_OBJECTS }, JAVA_STATIC | JAVA_VARIADIC, set_of_array, 0 },
    { J_COLLECTIONS, "singletonList", JX_LIST_OF_ARGUMENTS, { J_OBJECT }, JAVA_STATIC, single_list, 0 },
    { J_COLLECTIONS, "singleton", JX_SET_OF_ARGUMENTS, { J_OBJECT }, JAVA_STATIC, empty_map, EMPTY_SET },
    { J_COLLECTIONS, "emptyList", J_LIST, { 0 }, JAVA_STATIC, single_list, 0 },
    { J_COLLECTIONS, "emptySet", J_SET, { 0 }, JAVA_STATIC, empty_map, EMPTY_SET },
    { J_COLLECTIONS, "emptyMap", J_MAP, { 0 }, JAVA_STATIC, empty_map, EMPTY_MAP },
    { J_COLLECTIONS, "singletonMap", JX_MAP_OF_ARGUMENTS, { J_OBJECT, J_OBJECT }, JAVA_STATIC, empty_map, EMPTY_MAP },
    { J_COLLECTIONS, "sort", J_VOID, { J_LIST }, JAVA_STATIC, collections_sort, 0 },
    { J_COLLECTIONS, "reverse", J_VOID, { J_LIST }, JAVA_STATIC, collections_reverse, 0 },
    { J_COLLECTIONS, "max", JX_ELEMENT, { J_COLLECTION }, JAVA_STATIC, collections_extreme, GREATEST },
    { J_COLLECTIONS, "min", JX_ELEMENT, { J_COLLECTION }, JAVA_STATIC, collections_extreme, LEAST },
    { J_OBJECTS, "equals", J_BOOLEAN, { J_OBJECT, J_OBJECT }, JAVA_STATIC, objects_equals, 0 },
    { J_OBJECTS, "isNull", J_BOOLEAN, { J_OBJECT }, JAVA_STATIC, objects_is_null, 1 },
    { J_OBJECTS, "nonNull", J_BOOLEAN, { J_OBJECT }, JAVA_STATIC, objects_is_null, 0 },
    { J_OBJECTS, "hashCode", J_INT, { J_OBJECT }, JAVA_STATIC, objects_hash, 0 },
    { J_OBJECTS, "hash", J_INT, { JX_OBJECTS }, JAVA_STATIC | JAVA_VARIADIC, objects_hash_all, 0 },
    { J_OBJECTS, "toString", J_STRING, { J_OBJECT }, JAVA_STATIC, objects_text, 0 },
    { J_OBJECTS, "toString", J_STRING, { J_OBJECT, J_STRING }, JAVA_STATIC, objects_text, 0 },
    { J_OBJECTS, "requireNonNull", JX_AS_ARGUMENT, { J_OBJECT }, JAVA_STATIC, objects_require, 0 },
    { J_OBJECTS, "requireNonNullElse", JX_OF_ARGUMENTS, { J_OBJECT, J_OBJECT }, JAVA_STATIC, objects_require_else, 0 },
    { J_OBJECTS, "checkIndex", J_INT, { J_INT, J_INT }, JAVA_STATIC, objects_check, CHECK_INDEX },
    { J_OBJECTS, "checkFromToIndex", J_INT, { J_INT, J_INT, J_INT }, JAVA_STATIC, objects_check, CHECK_FROM_TO },
    { J_OBJECTS, "checkFromIndexSize", J_INT, { J_INT, J_INT, J_INT }, JAVA_STATIC, objects_check, CHECK_FROM_SIZE },
    { J_OBJECTS, "checkIndex", J_LONG, { J_LONG, J_LONG }, JAVA_STATIC, objects_check, CHECK_INDEX },
    { J_OBJECTS, "checkFromToIndex", J_LONG, { J_LONG, J_LONG, J_LONG }, JAVA_STATIC, objects_check, CHECK_FROM_TO },
    { J_OBJECTS, "checkFromIndexSize", J_LONG, { J_LONG, J_LONG, J_LONG }, JAVA_STATIC, objects_check, CHECK_FROM_SIZE },
    { J_OBJECTS, "compare", J_INT, { J_OBJECT, J_OBJECT, J_COMPARATOR }, JAVA_STATIC, objects_compare, 0 },
    { J_SET, "copyOf", JX_SET_LIKE, { J_COLLECTION }, JAVA_STATIC, collections_unmodifiable, 0 },
    { J_MAP, "copyOf", JX_MAP_LIKE, { J_MAP }, JAVA_STATIC, collections_unmodifiable, 0 },
    { J_LIST, "copyOf", JX_LIST_LIKE, { J_COLLECTION }, JAVA_STATIC, collections_unmodifiable, 0 },
    { J_COLLECTIONS, "sort", J_VOID, { J_LIST, J_COMPARATOR }, JAVA_STATIC, collections_sort, 0 },
    { J_COLLECTIONS, "max", JX_ELEMENT, { J_COLLECTION, J_COMPARATOR }, JAVA_STATIC, collections_extreme, GREATEST },
    { J_COLLECTIONS, "min", JX_ELEMENT, { J_COLLECTION, J_COMPARATOR }, JAVA_STATIC, collections_extreme, LEAST },
    { J_COLLECTIONS, "swap", J_VOID, { J_LIST, J_INT, J_INT }, JAVA_STATIC, collections_swap, 0 },
    { J_COLLECTIONS, "fill", J_VOID, { J_LIST, J_OBJECT }, JAVA_STATIC, collections_fill, 0 },
    { J_COLLECTIONS, "rotate", J_VOID, { J_LIST, J_INT }, JAVA_STATIC, collections_rotate, 0 },
    { J_COLLECTIONS, "shuffle", J_VOID, { J_LIST }, JAVA_STATIC, collections_shuffle, 0 },
    { J_COLLECTIONS, "shuffle", J_VOID, { J_LIST, J_RANDOM }, JAVA_STATIC, collections_shuffle, 0 },
    { J_COLLECTIONS, "frequency", J_INT, { J_COLLECTION, J_OBJECT }, JAVA_STATIC, collections_frequency, 0 },
    { J_COLLECTIONS, "disjoint", J_BOOLEAN, { J_COLLECTION, J_COLLECTION }, JAVA_STATIC, collections_disjoint, 0 },
    { J_COLLECTIONS, "nCopies", JX_LIST_OF_COPIES, { J_INT, J_OBJECT }, JAVA_STATIC, collections_copies, 0 },
    { J_COLLECTIONS, "binarySearch", J_INT, { J_LIST, J_OBJECT }, JAVA_STATIC, collections_search, 0 },
    { J_COLLECTIONS, "binarySearch", J_INT, { J_LIST, J_OBJECT, J_COMPARATOR }, JAVA_STATIC, collections_search, 0 },
    { J_COLLECTIONS, "addAll", J_BOOLEAN, { J_COLLECTION, JX_OBJECTS }, JAVA_STATIC | JAVA_VARIADIC, collections_add_all, 0 },
    { J_COLLECTIONS, "copy", J_VOID, { J_LIST, J_LIST }, JAVA_STATIC, collections_copy, 0 },
    { J_COLLECTIONS, "replaceAll", J_BOOLEAN, { J_LIST, J_OBJECT, J_OBJECT }, JAVA_STATIC, collections_replace_all, 0 },
    { J_COLLECTIONS, "synchronizedCollection", JX_COLLECTION_LIKE, { J_COLLECTION }, JAVA_STATIC, collections_same, 0 },
    { J_COLLECTIONS, "synchronizedList", JX_LIST_LIKE, { J_LIST }, JAVA_STATIC, collections_same, 0 },
    { J_COLLECTIONS, "synchronizedSet", JX_SET_LIKE, { J_SET }, JAVA_STATIC, collections_same, 0 },
    { J_COLLECTIONS, "synchronizedMap", JX_MAP_LIKE, { J_MAP }, JAVA_STATIC, collections_same, 0 },
    { J_COLLECTIONS, "unmodifiableCollection", JX_COLLECTION_LIKE, { J_COLLECTION }, JAVA_STATIC, collections_unmodifiable, 0 },
    { J_COLLECTIONS, "unmodifiableList", JX_LIST_LIKE, { J_LIST }, JAVA_STATIC, collections_unmodifiable, 0 },
    { J_COLLECTIONS, "unmodifiableSet", JX_SET_LIKE, { J_SET }, JAVA_STATIC, collections_unmodifiable, 0 },
    { J_COLLECTIONS, "unmodifiableMap", JX_MAP_LIKE, { J_MAP }, JAVA_STATIC, collections_unmodifiable, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
