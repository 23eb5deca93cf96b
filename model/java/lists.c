/* java.util: Collection, Iterator and List. */
#include "model/java/lib.h"

/* Whether the collection may be changed at all, and in its length. */
bool java_check_open(struct java_run *run, const struct java_object *o, bool length)
{
    bool shut = java_is_map(o) ? o->map.sealed : o->list.sealed || (length && o->list.fixed);
    return !shut || java_throw(run, J_UNSUPPORTED, NULL);
}

static bool check_removes(struct java_run *run, const struct java_object *o)
{
    return o->viewed || java_check_open(run, o, true);
}

static uint32_t size_of(const struct java_object *o)
{
    return java_is_map(o) ? o->map.count : o->list.count;
}

/* ---- making ---- */

/* At the end, or where a PriorityQueue has it. */
static bool add_item(struct java_run *run, struct java_object *o, struct java_object *item)
{
    if (o->kind == J_PRIORITY_QUEUE)
        return java_heap_add(run, &o->list, item);
    return (o->kind != J_ARRAY_DEQUE || java_check_argument(run, item)) && java_list_add(run, &o->list, o->list.count, item);
}

bool java_collection_add(struct java_run *run, struct java_object *o, struct java_object *item, bool *changed)
{
    struct java_object *before;
    uint32_t had = size_of(o);
    if (java_is_map(o) ? !java_map_put(run, o, item, NULL, &before) : !add_item(run, o, item))
        return false;
    *changed = size_of(o) != had;
    return true;
}

/* A null instead of a collection whose elements are taken, in the words of the class that takes them, as it is made or later. */
static bool check_taken(struct java_run *run, const struct java_object *to, const struct java_object *from, bool made)
{
    bool counts = to->kind == J_ARRAY_DEQUE || (java_is_map(to) && (made || (to->kind == J_TREE_SET && !to->map.count)));
    if (to->kind == J_PRIORITY_QUEUE && !made)
        return java_check_argument(run, from);
    return java_check_read(run, from,
                           counts            ? "invoke \"java.util.Collection.size()\""
                           : java_is_map(to) ? JAVA_READ_ITERATOR
                                             : JAVA_READ_ARRAY,
                           "c");
}

static bool add_all(struct java_run *run, struct java_object *to, const struct java_object *from, bool *changed)
{
    struct java_object **items;
    uint32_t count;
    bool one;

    if (!check_taken(run, to, from, false) || !java_items(run, from, &items, &count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!java_collection_add(run, to, items[i], &one))
            return false;
        *changed |= one;
    }
    return true;
}

/* The room that a HashMap is given for so many pairs. */
static uint64_t table_for(uint32_t count)
{
    return (uint64_t)((float)count / 0.75f + 1.0f);
}

bool java_put_all(struct java_run *run, struct java_object *to, const struct java_object *from)
{
    struct java_object *before;
    struct java_pair **pairs;

    if (!java_check_read(run, from, "invoke \"java.util.Map.size()\"", to->kind == J_TREE_MAP ? "map" : "m") || !java_map_pairs(run, from, &pairs))
        return false;
    if (from->map.count) /* its table is made for all of them, though some may be there already */
        java_map_expect(to, to->map.places ? (from->map.count * UINT64_C(4) + 2) / 3 : table_for(from->map.count));
    for (uint32_t i = 0; i < from->map.count; i++)
        if (!java_map_put(run, to, pairs[i]->key, pairs[i]->value, &before))
            return false;
    return true;
}

/* All at once, which leaves another order than one by one. */
static bool new_heap(struct java_run *run, struct java_object *heap, const struct java_object *from)
{
    struct java_object **items;
    uint32_t count;

    if (!java_items(run, from, &items, &count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!java_check_argument(run, items[i]) || !java_list_add(run, &heap->list, i, items[i]))
            return false;
    heap->list.order = from->kind == J_PRIORITY_QUEUE ? from->list.order : from->kind == J_TREE_SET ? from->map.order : NULL;
    return java_heapify(run, &heap->list);
}

static bool bad_load(struct java_run *run, union java_value load)
{
    struct java_object *of = NULL;
    return java_box(run, java_simple(J_FLOAT), load, &of) && java_throw_of(run, J_ILLEGAL_ARGUMENT, "Illegal load factor: ", of);
}

JAVA_CALL(collection_new)
{
    bool changed = false;
    unsigned last = method->args[1] ? 1 : 0;
    JAVA_UNUSED;
    if (!(out->o = java_new(run, (enum java_kind)self->i)))
        return false;
    if (method->args[last] == J_COMPARATOR)
        *(java_is_map(out->o) ? &out->o->map.order : &out->o->list.order) = args[last].o;
    switch (method->args[0]) {
    case J_COLLECTION:
        if (!check_taken(run, out->o, args[0].o, true))
            return false;
        if (args[0].o->kind == J_TREE_SET && out->o->kind == J_TREE_SET)
            out->o->map.order = args[0].o->map.order;
        if (java_is_map(out->o))
            java_map_expect(out->o, size_of(args[0].o) < 12 ? 16 : table_for(size_of(args[0].o)));
        if (out->o->kind == J_PRIORITY_QUEUE)
            return new_heap(run, out->o, args[0].o);
        return add_all(run, out->o, args[0].o, &changed);
    case J_MAP:
        if (args[0].o && args[0].o->kind == J_TREE_MAP && out->o->kind == J_TREE_MAP)
            out->o->map.order = args[0].o->map.order;
        return java_put_all(run, out->o, args[0].o);
    case J_INT:
        if (out->o->kind == J_ARRAY_DEQUE)
            return true;
        if (out->o->kind == J_PRIORITY_QUEUE && args[0].i < 1)
            return java_throw(run, J_ILLEGAL_ARGUMENT, NULL);
        if (args[0].i < 0)
            return java_throw(run, J_ILLEGAL_ARGUMENT,
                              java_is_map(out->o) ? "Illegal initial capacity: %d" : "Illegal Capacity: %d",
                              (int)args[0].i);
        if (method->args[1] == J_FLOAT && !(args[1].d > 0))
            return bad_load(run, args[1]);
        if (java_is_map(out->o))
            java_map_expect(out->o, (uint64_t)args[0].i);
        if (method->args[1] == J_FLOAT)
            out->o->map.load = (float)args[1].d;
        return true;
    default:
        return true;
    }
}

/* ---- Collection ---- */

JAVA_CALL_PUBLIC(java_collection_size)
{
    JAVA_UNUSED;
    out->i = method->variant == JAVA_SIZE ? size_of(self->o) : size_of(self->o) == 0;
    return true;
}

int64_t java_list_find(struct java_run *run, const struct java_list *list, const struct java_object *item, bool last)
{
    for (uint32_t i = 0; i < list->count && java_spend(run, 1); i++) {
        uint32_t at = last ? list->count - 1 - i : i;
        if (java_equals(run, list->items[at], item))
            return at;
    }
    return -1;
}

static bool contains(struct java_run *run, const struct java_object *o, const struct java_object *item, bool *is)
{
    bool failed = false;
    *is = java_is_map(o) ? java_map_find(run, o, item, &failed) != NULL : java_list_find(run, &o->list, item, false) >= 0;
    return !failed;
}

JAVA_CALL(collection_contains)
{
    bool is;
    JAVA_UNUSED;
    if (!contains(run, self->o, args[0].o, &is))
        return false;
    out->i = is;
    return true;
}

JAVA_CALL(collection_contains_all)
{
    struct java_object **items;
    uint32_t count;
    bool is = true;
    JAVA_UNUSED;
    if (!java_check_read(run, args[0].o, JAVA_READ_ITERATOR, "c") || !java_items(run, args[0].o, &items, &count))
        return false;
    for (uint32_t i = 0; i < count && is; i++)
        if (!contains(run, self->o, items[i], &is))
            return false;
    out->i = is;
    return true;
}

JAVA_CALL(collection_add)
{
    bool changed;
    JAVA_UNUSED;
    if (!java_check_open(run, self->o, true) || !java_collection_add(run, self->o, args[0].o, &changed))
        return false;
    out->i = changed;
    return true;
}

JAVA_CALL(collection_add_all)
{
    bool changed = false;
    JAVA_UNUSED;
    if (!java_check_open(run, self->o, true) || !add_all(run, self->o, args[0].o, &changed))
        return false;
    out->i = changed;
    return true;
}

void java_list_take(struct java_run *run, struct java_list *list, int64_t at)
{
    (void)java_spend(run, list->count / JAVA_MOVED_AT_ONCE);
    memmove(list->items + at, list->items + at + 1, (list->count - (size_t)at - 1) * sizeof *list->items);
    list->count--;
}

/* From the list, so many items that stand at that place of a view of it, as they did when the view was made. */
static bool take_items(struct java_run *run, const struct java_object *view, uint32_t at, uint32_t n)
{
    struct java_list *of = &view->viewed->list;
    uint64_t from = (uint64_t)view->list.from + at, end = from + n;

    if (!n)
        return true;
    if (of->count < end || memcmp(of->items + from, view->list.items + at, n * sizeof *of->items) != 0)
        return java_throw(run, J_CONCURRENT_CHANGE, NULL);
    memmove(of->items + from, of->items + end, (of->count - end) * sizeof *of->items);
    of->count -= n;
    return java_spend(run, of->count / JAVA_MOVED_AT_ONCE);
}

/* From the map, the value that stands at that place of a view, with its key, which has it as it did when the view was made. */
static bool take_value(struct java_run *run, const struct java_object *view, uint32_t at)
{
    struct java_object **key = view->list.keys + at, *before;
    bool failed, found;
    const struct java_pair *pair = java_map_find(run, view->viewed, *key, &failed);

    if (failed)
        return false;
    if (!pair || pair->value != view->list.items[at])
        return java_throw(run, J_CONCURRENT_CHANGE, NULL);
    if (!java_map_remove(run, view->viewed, *key, &before, &found))
        return false;
    memmove(key, key + 1, (view->list.count - at - 1) * sizeof *key);
    return true;
}

/* From the map, what a view of its keys or its entries has found of it. */
static bool take_key(struct java_run *run, const struct java_object *view, const struct java_object *own)
{
    struct java_object *before;
    bool found, is_entry = own && own->kind == J_ENTRY && own->entry.map == view->viewed;
    return java_map_remove(run, view->viewed, is_entry ? own->entry.key : own, &before, &found);
}

static bool remove_key(struct java_run *run, struct java_object *o, const struct java_object *item, bool *found)
{
    struct java_object *before;
    bool failed = false;
    const struct java_pair *pair = o->viewed ? java_map_find(run, o, item, &failed) : NULL;
    return !failed && (!pair || take_key(run, o, pair->key)) && java_map_remove(run, o, item, &before, found);
}

static bool remove_at(struct java_run *run, struct java_object *o, uint32_t at)
{
    if (o->viewed && !(java_is_map(o->viewed) ? take_value(run, o, at) : take_items(run, o, at, 1)))
        return false;
    java_list_take(run, &o->list, at);
    return true;
}

static bool remove_one(struct java_run *run, struct java_object *o, const struct java_object *item, bool *found)
{
    if (java_is_map(o))
        return remove_key(run, o, item, found);
    int64_t at = java_list_find(run, &o->list, item, false);
    *found = at >= 0;
    if (*found && o->kind == J_PRIORITY_QUEUE)
        return java_heap_take(run, &o->list, (uint32_t)at);
    return !*found || remove_at(run, o, (uint32_t)at);
}

JAVA_CALL(collection_remove)
{
    bool found;
    JAVA_UNUSED;
    if (!check_removes(run, self->o) || !remove_one(run, self->o, args[0].o, &found))
        return false;
    out->i = found;
    return true;
}

enum { REMOVE_ALL, RETAIN_ALL };

/* at: where a list has the item. */
static bool remove_item(struct java_run *run, struct java_object *o, const struct java_object *item, uint32_t at)
{
    bool found;
    return java_is_map(o) || o->kind == J_PRIORITY_QUEUE ? remove_one(run, o, item, &found) : remove_at(run, o, at);
}

JAVA_CALL(collection_filter)
{
    struct java_object **items;
    uint32_t count, kept = 0;
    bool is;
    JAVA_UNUSED;
    if (!check_removes(run, self->o) || !java_check_argument(run, args[0].o) || !java_items(run, self->o, &items, &count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!contains(run, args[0].o, items[i], &is) || run->exhausted)
            return false;
        if (is != (method->variant == REMOVE_ALL))
            kept++;
        else if (!remove_item(run, self->o, items[i], kept))
            return false;
    }
    out->i = kept < count;
    return true;
}

static void clear(struct java_object *o)
{
    if (java_is_map(o)) {
        struct java_map empty = { .buckets = o->map.buckets /* a HashMap keeps its table */, .order = o->map.order, .sealed = o->map.sealed };
        o->map = empty;
    } else {
        o->list.count = 0;
    }
}

JAVA_CALL_PUBLIC(java_collection_clear)
{
    struct java_object *of = self->o->viewed;
    JAVA_UNUSED;
    if (!check_removes(run, self->o))
        return false;
    if (of && !java_is_map(of) && !take_items(run, self->o, 0, self->o->list.count))
        return false;
    if (of && java_is_map(of))
        clear(of);
    clear(self->o);
    return true;
}

JAVA_CALL(collection_to_array)
{
    struct java_object **items, *o = java_new(run, J_ARRAY);
    JAVA_UNUSED;
    if (!o || !java_items(run, self->o, &items, &o->array.count) ||
        !(o->array.items = java_alloc(run, (o->array.count + 1u) * sizeof *o->array.items)))
        return false;
    o->array.element = java_simple(J_OBJECT);
    for (uint32_t i = 0; i < o->array.count; i++)
        o->array.items[i].o = items[i];
    out->o = o;
    return true;
}

/* ---- Iterator: it walks over what the collection had when it was made ---- */

JAVA_CALL(iterator_new)
{
    JAVA_UNUSED;
    if (!(out->o = java_new(run, J_ITERATOR)))
        return false;
    out->o->iterator.of = self->o;
    out->o->iterator.taken = true;
    return java_items(run, self->o, &out->o->iterator.items, &out->o->iterator.count);
}

JAVA_CALL(iterator_has)
{
    JAVA_UNUSED;
    out->i = self->o->iterator.at < self->o->iterator.count;
    return true;
}

JAVA_CALL(iterator_next)
{
    JAVA_UNUSED;
    if (self->o->iterator.at >= self->o->iterator.count)
        return java_throw(run, J_NO_SUCH_ELEMENT, NULL);
    out->o = self->o->iterator.items[self->o->iterator.at++];
    self->o->iterator.taken = false;
    return true;
}

JAVA_CALL(iterator_remove)
{
    struct java_object *o = self->o, *of = o->iterator.of;
    bool found;
    JAVA_UNUSED;
    if (!java_is_map(of) && of->list.fixed && !of->list.sealed) /* as Iterator has it of its own */
        return java_throw(run, J_UNSUPPORTED, "remove");
    if (!check_removes(run, of))
        return false;
    if (o->iterator.taken)
        return java_throw(run, J_ILLEGAL_STATE, NULL);
    o->iterator.taken = true;
    if (java_is_map(of))
        return remove_key(run, of, o->iterator.items[o->iterator.at - 1], &found);
    uint32_t at = o->iterator.at - 1 - o->iterator.removed;
    if (at >= of->list.count)
        return java_throw(run, J_ILLEGAL_STATE, NULL);
    o->iterator.removed++;
    return remove_at(run, of, at);
}

/* ---- List ---- */

static bool check_index(struct java_run *run, const struct java_object *o, int64_t at, bool adding)
{
    const struct java_list *list = &o->list;
    if (at >= 0 && at < (int64_t)list->count + adding)
        return true;
    if (java_kind_extends(o->kind, J_VECTOR))
        return adding   ? java_throw(run, J_ARRAY_INDEX, "%d > %u", (int)at, list->count)
               : at < 0 ? java_throw_vector_room(run, list, at)
                        : java_throw(run, J_ARRAY_INDEX, "Array index out of range: %d", (int)at);
    if (list->words == JAVA_WORDS_OF_GUAVA)
        return at < 0 ? java_throw(run, J_INDEX, "index (%d) must not be negative", (int)at)
                      : java_throw(run, J_INDEX, "index (%d) must be less than size (%u)", (int)at, list->count);
    if (list->words == JAVA_WORDS_OF_NONE)
        return java_throw(run, J_INDEX, "Index: %d", (int)at);
    if (list->words == JAVA_WORDS_OF_FEW)
        return java_throw(run, J_INDEX, "Index: %d Size: %u", (int)at, list->count);
    if (adding || o->kind == J_LINKED_LIST || list->words == JAVA_WORDS_OF_ONE || list->words == JAVA_WORDS_OF_COPIES)
        return java_throw(run, J_INDEX, "Index: %d, Size: %u", (int)at, list->count);
    return java_throw(run, list->words == JAVA_WORDS_OF_ARRAY ? J_ARRAY_INDEX : J_INDEX, "Index %d out of bounds for length %u", (int)at,
                      list->count);
}

JAVA_CALL(list_get)
{
    JAVA_UNUSED;
    if (!check_index(run, self->o, args[0].i, false))
        return false;
    out->o = self->o->list.items[args[0].i];
    return true;
}

JAVA_CALL(list_set)
{
    JAVA_UNUSED;
    if (!java_check_open(run, self->o, false) || !check_index(run, self->o, args[0].i, false))
        return false;
    out->o = self->o->list.items[args[0].i];
    return java_list_set(run, &self->o->list, (uint32_t)args[0].i, args[1].o);
}

JAVA_CALL(list_insert)
{
    JAVA_UNUSED;
    return java_check_open(run, self->o, true) && check_index(run, self->o, args[0].i, true) &&
           java_list_add(run, &self->o->list, (uint32_t)args[0].i, args[1].o);
}

JAVA_CALL(list_remove_at)
{
    JAVA_UNUSED;
    if (!check_removes(run, self->o) || !check_index(run, self->o, args[0].i, false))
        return false;
    out->o = self->o->list.items[args[0].i];
    return remove_at(run, self->o, (uint32_t)args[0].i);
}

JAVA_CALL(list_insert_all)
{
    struct java_object **items;
    uint32_t count;
    JAVA_UNUSED;
    if (!java_check_open(run, self->o, true) || !check_index(run, self->o, args[0].i, true) ||
        !java_check_read(run, args[1].o, JAVA_READ_ARRAY, "c") || !java_items(run, args[1].o, &items, &count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!java_list_add(run, &self->o->list, (uint32_t)args[0].i + i, items[i]))
            return false;
    out->i = count > 0;
    return true;
}

JAVA_CALL(list_room) /* nobody sees how much there is */
{
    JAVA_UNUSED;
    (void)out;
    return true;
}

JAVA_CALL(list_sort)
{
    JAVA_UNUSED;
    return java_check_open(run, self->o, false) &&
           (self->o->list.count < 2 || java_sort(run, self->o->list.items, self->o->list.count, args[0].o));
}

JAVA_CALL(list_index_of)
{
    JAVA_UNUSED;
    out->i = java_list_find(run, &self->o->list, args[0].o, method->variant);
    return true;
}

/* Preconditions.checkPositionIndex of Guava. */
static bool check_position(struct java_run *run, const char *what, int64_t at, uint32_t size)
{
    if (at < 0)
        return java_throw(run, J_INDEX, "%s (%d) must not be negative", what, (int)at);
    return at <= size || java_throw(run, J_INDEX, "%s (%d) must not be greater than size (%u)", what, (int)at, size);
}

/* A part of one that Guava has made is one of such. */
static bool immutable_sub(struct java_run *run, const struct java_object *list, int64_t from, int64_t to, struct java_object **out)
{
    if (!check_position(run, "start index", from, list->list.count) || !check_position(run, "end index", to, list->list.count))
        return false;
    if (from > to)
        return java_throw(run, J_INDEX, "end index (%d) must not be less than start index (%d)", (int)to, (int)from);
    return java_immutable_list(run, list->list.items + from, (uint32_t)(to - from), out);
}

JAVA_CALL(list_sub)
{
    int64_t from = args[0].i, to = args[1].i;
    JAVA_UNUSED;
    if (java_is_immutable(self->o))
        return immutable_sub(run, self->o, from, to, &out->o);
    if (from < 0)
        return java_throw(run, J_INDEX, "fromIndex = %d", (int)from);
    if (to > self->o->list.count)
        return java_throw(run, J_INDEX, "toIndex = %d", (int)to);
    if (from > to)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "fromIndex(%d) > toIndex(%d)", (int)from, (int)to);
    if (!(out->o = java_new(run, J_LIST)))
        return false;
    for (int64_t i = from; i < to; i++)
        if (!java_list_add(run, &out->o->list, out->o->list.count, self->o->list.items[i]))
            return false;
    out->o->list.sealed = true; /* what Java's has put or changed is the list's, too: here who tries is told that it cannot */
    out->o->list.from = (uint32_t)from;
    out->o->list.words = self->o->list.words == JAVA_WORDS_OF_COPIES ? JAVA_WORDS_OF_COPIES : JAVA_WORDS_OF_KIND;
    out->o->viewed = self->o->list.sealed || self->o->list.fixed ? NULL : self->o;
    return true;
}

/* ---- the table ---- */

#define NEW_COLLECTION(kind)                                                                                           \
    { kind, "<init>", kind, { 0 }, 0, collection_new, 0 },                                                             \
        { kind, "<init>", kind, { J_COLLECTION }, 0, collection_new, 0 }
#define NEW_SIZED(kind) { kind, "<init>", kind, { J_INT }, 0, collection_new, 0 }
#define NEW_MAP(kind)                                                                                                  \
    { kind, "<init>", kind, { 0 }, 0, collection_new, 0 }, { kind, "<init>", kind, { J_MAP }, 0, collection_new, 0 }

#define NEW_LOADED(kind) NEW_SIZED(kind), { kind, "<init>", kind, { J_INT, J_FLOAT }, 0, collection_new, 0 }

const struct java_method java_list_methods[] = {
    NEW_COLLECTION(J_ARRAY_LIST),
    NEW_SIZED(J_ARRAY_LIST),
    { J_ARRAY_LIST, "trimToSize", J_VOID, { 0 }, 0, list_room, 0 },
    { J_ARRAY_LIST, "ensureCapacity", J_VOID, { J_INT }, 0, list_room, 0 },
    NEW_COLLECTION(J_LINKED_LIST),
    NEW_COLLECTION(J_HASH_SET),
    NEW_LOADED(J_HASH_SET),
    NEW_COLLECTION(J_LINKED_HASH_SET),
    NEW_LOADED(J_LINKED_HASH_SET),
    NEW_COLLECTION(J_TREE_SET),
    NEW_MAP(J_HASH_MAP),
    NEW_LOADED(J_HASH_MAP),
    NEW_MAP(J_LINKED_HASH_MAP),
    NEW_LOADED(J_LINKED_HASH_MAP),
    NEW_MAP(J_TREE_MAP),
    { J_TREE_SET, "<init>", J_TREE_SET, { J_COMPARATOR }, 0, collection_new, 0 },
    { J_TREE_MAP, "<init>", J_TREE_MAP, { J_COMPARATOR }, 0, collection_new, 0 },
    NEW_COLLECTION(J_ARRAY_DEQUE),
    NEW_SIZED(J_ARRAY_DEQUE),
    NEW_COLLECTION(J_VECTOR),
    NEW_SIZED(J_VECTOR),
    { J_STACK, "<init>", J_STACK, { 0 }, 0, collection_new, 0 },
    NEW_COLLECTION(J_PRIORITY_QUEUE),
    NEW_SIZED(J_PRIORITY_QUEUE),
    { J_PRIORITY_QUEUE, "<init>", J_PRIORITY_QUEUE, { J_COMPARATOR }, 0, collection_new, 0 },
    { J_PRIORITY_QUEUE, "<init>", J_PRIORITY_QUEUE, { J_INT, J_COMPARATOR }, 0, collection_new, 0 },
    { J_ITERABLE, "iterator", JX_ITERATOR, { 0 }, 0, iterator_new, 0 },
    { J_ITERATOR, "hasNext", J_BOOLEAN, { 0 }, 0, iterator_has, 0 },
    { J_ITERATOR, "next", JX_FIRST, { 0 }, 0, iterator_next, 0 },
    { J_ITERATOR, "remove", J_VOID, { 0 }, 0, iterator_remove, 0 },
    { J_COLLECTION, "size", J_INT, { 0 }, 0, java_collection_size, JAVA_SIZE },
    { J_COLLECTION, "isEmpty", J_BOOLEAN, { 0 }, 0, java_collection_size, JAVA_IS_EMPTY },
    { J_COLLECTION, "contains", J_BOOLEAN, { J_OBJECT }, 0, collection_contains, 0 },
    { J_COLLECTION, "containsAll", J_BOOLEAN, { J_COLLECTION }, 0, collection_contains_all, 0 },
    { J_COLLECTION, "add", J_BOOLEAN, { JX_FIRST }, 0, collection_add, 0 },
    { J_COLLECTION, "addAll", J_BOOLEAN, { J_COLLECTION }, 0, collection_add_all, 0 },
    { J_COLLECTION, "remove", J_BOOLEAN, { J_OBJECT }, 0, collection_remove, 0 },
    { J_COLLECTION, "removeAll", J_BOOLEAN, { J_COLLECTION }, 0, collection_filter, REMOVE_ALL },
    { J_COLLECTION, "retainAll", J_BOOLEAN, { J_COLLECTION }, 0, collection_filter, RETAIN_ALL },
    { J_COLLECTION, "clear", J_VOID, { 0 }, 0, java_collection_clear, 0 },
    { J_COLLECTION, "toArray", JX_OBJECTS, { 0 }, 0, collection_to_array, 0 },
    { J_LIST, "get", JX_FIRST, { J_INT }, 0, list_get, 0 },
    { J_LIST, "set", JX_FIRST, { J_INT, JX_FIRST }, 0, list_set, 0 },
    { J_LIST, "add", J_VOID, { J_INT, JX_FIRST }, 0, list_insert, 0 },
    { J_LIST, "addAll", J_BOOLEAN, { J_INT, J_COLLECTION }, 0, list_insert_all, 0 },
    { J_LIST, "sort", J_VOID, { J_COMPARATOR }, 0, list_sort, 0 },
    { J_LIST, "remove", JX_FIRST, { J_INT }, 0, list_remove_at, 0 },
    { J_LIST, "indexOf", J_INT, { J_OBJECT }, 0, list_index_of, 0 },
    { J_LIST, "lastIndexOf", J_INT, { J_OBJECT }, 0, list_index_of, 1 },
    { J_LIST, "subList", JX_LIST_OF_FIRST, { J_INT, J_INT }, 0, list_sub, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
