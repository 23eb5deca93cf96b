/* java.util: SortedMap and SortedSet, NavigableMap and NavigableSet, which trees are. */
#include "model/java/lib.h"

bool java_entry(struct java_run *run, const struct java_pair *pair, struct java_object **out)
{
    if (!(*out = java_new(run, J_ENTRY)))
        return false;
    (*out)->entry.key = pair->key;
    (*out)->entry.value = pair->value;
    return java_check_nesting(run, pair->key, *out) && java_check_nesting(run, pair->value, *out);
}

/* ---- one of them ---- */

enum { AT_FIRST, AT_LAST, AT_FLOOR, AT_CEILING, AT_LOWER, AT_HIGHER, WHERE = 7 };
enum { GIVES_KEY = 0, GIVES_ENTRY = 8, TAKES = 16, OR_NULL = 32 };

/* The place of what is asked for; -1: there is none. */
static bool place(struct java_run *run, const struct java_map *map, int where, const struct java_object *key, int64_t *out)
{
    uint32_t at;
    bool found;

    if (where == AT_FIRST || where == AT_LAST) {
        *out = where == AT_FIRST ? (map->used ? 0 : -1) : (int64_t)map->used - 1;
        return true;
    }
    *out = -1;
    if (!map->used)
        return true;
    if (!key && !map->order)
        return java_throw(run, J_NULL_POINTER, "Cannot invoke \"java.lang.Comparable.compareTo(Object)\" because \"k1\" is null");
    if (!java_tree_place(run, map, key, &at, &found))
        return false;
    *out = where == AT_FLOOR     ? (found ? at : (int64_t)at - 1)
           : where == AT_LOWER   ? (int64_t)at - 1
           : where == AT_CEILING ? at
                                 : at + found;
    if (*out >= map->used)
        *out = -1;
    return true;
}

JAVA_CALL(sorted_one)
{
    struct java_map *map = &self->o->map;
    struct java_object *before;
    bool found;
    int64_t at;
    JAVA_UNUSED;

    if (!place(run, map, method->variant & WHERE, method->args[0] ? args[0].o : NULL, &at))
        return false;
    out->o = NULL;
    if (at < 0)
        return (method->variant & OR_NULL) || java_throw(run, J_NO_SUCH_ELEMENT, NULL);
    const struct java_pair pair = map->pairs[at];
    if ((method->variant & TAKES) && (!java_check_open(run, self->o, true) || !java_map_remove(run, self->o, pair.key, &before, &found)))
        return false;
    out->o = pair.key;
    return !(method->variant & GIVES_ENTRY) || java_entry(run, &pair, &out->o);
}

/* ---- some of them ---- */

/* Pairs from one place up to another, in an object of their own that refuses to be changed: Java's changes what it is of. */
static bool give_some(struct java_run *run, const struct java_object *from, uint32_t first, uint32_t end, bool turned, bool set, union java_value *out)
{
    struct java_object *o = java_new(run, set ? J_TREE_SET : J_TREE_MAP), *before;
    out->o = o;
    if (!o)
        return false;
    if (turned && !java_turned_order(run, from->map.order, &o->map.order))
        return false;
    if (!turned)
        o->map.order = from->map.order;
    for (uint32_t i = first; i < end; i++)
        if (!java_map_put(run, o, from->map.pairs[i].key, from->map.pairs[i].value, &before))
            return false;
    o->map.sealed = true;
    return true;
}

enum { HEAD = 1, TAIL = 2 };

/* headMap, tailMap, subMap and the sets' of up to four arguments: bounds, and whether each is one of what is given. */
JAVA_CALL(sorted_range)
{
    const struct java_map *map = &self->o->map;
    bool set = java_kind_extends(method->of, J_SET), inclusive = method->args[1] == J_BOOLEAN;
    bool with_low = true, with_high = false, found;
    const struct java_object *low = method->variant & TAIL ? args[0].o : NULL;
    const struct java_object *high = method->variant == HEAD ? args[0].o : method->variant & HEAD ? args[inclusive ? 2 : 1].o : NULL;
    uint32_t first = 0, end = map->used;
    int c = 0;
    JAVA_UNUSED;

    if (inclusive) {
        with_low = args[1].i;
        with_high = method->variant == HEAD ? args[1].i : method->args[3] ? args[3].i : false;
    }
    if (method->variant == (HEAD | TAIL)) {
        if (!java_compare_by(run, map->order, "k1", low, high, &c))
            return false;
        if (c > 0)
            return java_throw(run, J_ILLEGAL_ARGUMENT, "fromKey > toKey");
    }
    if (method->variant & TAIL) {
        if (!java_tree_place(run, map, low, &first, &found))
            return false;
        first += found && !with_low;
    }
    if (method->variant & HEAD) {
        if (!java_tree_place(run, map, high, &end, &found))
            return false;
        end += found && with_high;
    }
    return give_some(run, self->o, first, end, false, set, out);
}

enum { TURNED = 1, KEYS = 2 };

JAVA_CALL(sorted_all)
{
    bool set = (method->variant & KEYS) || java_kind_extends(method->of, J_SET);
    JAVA_UNUSED;
    return give_some(run, self->o, 0, self->o->map.used, method->variant & TURNED, set, out);
}

/* ---- the table ---- */

#define NEAR(kind, result, name, where, gives) { kind, name, result, { JX_FIRST }, 0, sorted_one, (where) | (gives) | OR_NULL }

const struct java_method java_sorted_methods[] = {
    { J_SORTED_MAP, "firstKey", JX_FIRST, { 0 }, 0, sorted_one, AT_FIRST },
    { J_SORTED_MAP, "lastKey", JX_FIRST, { 0 }, 0, sorted_one, AT_LAST },
    { J_SORTED_MAP, "headMap", JX_SORTED_MAP, { JX_FIRST }, 0, sorted_range, HEAD },
    { J_SORTED_MAP, "tailMap", JX_SORTED_MAP, { JX_FIRST }, 0, sorted_range, TAIL },
    { J_SORTED_MAP, "subMap", JX_SORTED_MAP, { JX_FIRST, JX_FIRST }, 0, sorted_range, HEAD | TAIL },
    { J_NAVIGABLE_MAP, "headMap", JX_NAVIGABLE_MAP, { JX_FIRST, J_BOOLEAN }, 0, sorted_range, HEAD },
    { J_NAVIGABLE_MAP, "tailMap", JX_NAVIGABLE_MAP, { JX_FIRST, J_BOOLEAN }, 0, sorted_range, TAIL },
    { J_NAVIGABLE_MAP, "subMap", JX_NAVIGABLE_MAP, { JX_FIRST, J_BOOLEAN, JX_FIRST, J_BOOLEAN }, 0, sorted_range, HEAD | TAIL },
    { J_NAVIGABLE_MAP, "firstEntry", JX_ENTRY, { 0 }, 0, sorted_one, AT_FIRST | GIVES_ENTRY | OR_NULL },
    { J_NAVIGABLE_MAP, "lastEntry", JX_ENTRY, { 0 }, 0, sorted_one, AT_LAST | GIVES_ENTRY | OR_NULL },
    { J_NAVIGABLE_MAP, "pollFirstEntry", JX_ENTRY, { 0 }, 0, sorted_one, AT_FIRST | GIVES_ENTRY | TAKES | OR_NULL },
    { J_NAVIGABLE_MAP, "pollLastEntry", JX_ENTRY, { 0 }, 0, sorted_one, AT_LAST | GIVES_ENTRY | TAKES | OR_NULL },
    NEAR(J_NAVIGABLE_MAP, JX_FIRST, "floorKey", AT_FLOOR, GIVES_KEY),
    NEAR(J_NAVIGABLE_MAP, JX_FIRST, "ceilingKey", AT_CEILING, GIVES_KEY),
    NEAR(J_NAVIGABLE_MAP, JX_FIRST, "lowerKey", AT_LOWER, GIVES_KEY),
    NEAR(J_NAVIGABLE_MAP, JX_FIRST, "higherKey", AT_HIGHER, GIVES_KEY),
    NEAR(J_NAVIGABLE_MAP, JX_ENTRY, "floorEntry", AT_FLOOR, GIVES_ENTRY),
    NEAR(J_NAVIGABLE_MAP, JX_ENTRY, "ceilingEntry", AT_CEILING, GIVES_ENTRY),
    NEAR(J_NAVIGABLE_MAP, JX_ENTRY, "lowerEntry", AT_LOWER, GIVES_ENTRY),
    NEAR(J_NAVIGABLE_MAP, JX_ENTRY, "higherEntry", AT_HIGHER, GIVES_ENTRY),
    { J_NAVIGABLE_MAP, "descendingMap", JX_NAVIGABLE_MAP, { 0 }, 0, sorted_all, TURNED },
    { J_NAVIGABLE_MAP, "descendingKeySet", JX_NAVIGABLE_SET, { 0 }, 0, sorted_all, TURNED | KEYS },
    { J_NAVIGABLE_MAP, "navigableKeySet", JX_NAVIGABLE_SET, { 0 }, 0, sorted_all, KEYS },
    { J_SORTED_SET, "first", JX_FIRST, { 0 }, 0, sorted_one, AT_FIRST },
    { J_SORTED_SET, "last", JX_FIRST, { 0 }, 0, sorted_one, AT_LAST },
    { J_SORTED_SET, "headSet", JX_SORTED_SET, { JX_FIRST }, 0, sorted_range, HEAD },
    { J_SORTED_SET, "tailSet", JX_SORTED_SET, { JX_FIRST }, 0, sorted_range, TAIL },
    { J_SORTED_SET, "subSet", JX_SORTED_SET, { JX_FIRST, JX_FIRST }, 0, sorted_range, HEAD | TAIL },
    { J_NAVIGABLE_SET, "headSet", JX_NAVIGABLE_SET, { JX_FIRST, J_BOOLEAN }, 0, sorted_range, HEAD },
    { J_NAVIGABLE_SET, "tailSet", JX_NAVIGABLE_SET, { JX_FIRST, J_BOOLEAN }, 0, sorted_range, TAIL },
    { J_NAVIGABLE_SET, "subSet", JX_NAVIGABLE_SET, { JX_FIRST, J_BOOLEAN, JX_FIRST, J_BOOLEAN }, 0, sorted_range, HEAD | TAIL },
    NEAR(J_NAVIGABLE_SET, JX_FIRST, "floor", AT_FLOOR, GIVES_KEY),
    NEAR(J_NAVIGABLE_SET, JX_FIRST, "ceiling", AT_CEILING, GIVES_KEY),
    NEAR(J_NAVIGABLE_SET, JX_FIRST, "lower", AT_LOWER, GIVES_KEY),
    NEAR(J_NAVIGABLE_SET, JX_FIRST, "higher", AT_HIGHER, GIVES_KEY),
    { J_NAVIGABLE_SET, "pollFirst", JX_FIRST, { 0 }, 0, sorted_one, AT_FIRST | TAKES | OR_NULL },
    { J_NAVIGABLE_SET, "pollLast", JX_FIRST, { 0 }, 0, sorted_one, AT_LAST | TAKES | OR_NULL },
    { J_NAVIGABLE_SET, "descendingSet", JX_NAVIGABLE_SET, { 0 }, 0, sorted_all, TURNED },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
