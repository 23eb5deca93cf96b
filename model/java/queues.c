/* java.util: Queue, Deque, PriorityQueue, Vector and Stack. */
#include "model/java/lib.h"

/* ---- PriorityQueue: a heap in a list, changed as Java's is, which its order shows ---- */

/* a before b: *is. */
static bool is_before(struct java_run *run, const struct java_list *list, const struct java_object *a, const struct java_object *b, bool *is)
{
    int c;
    if (!java_compare_by(run, list->order, NULL, a, b, &c))
        return false;
    *is = c < 0;
    return true;
}

static bool sift_up(struct java_run *run, struct java_list *list, uint32_t at, struct java_object *item)
{
    while (at > 0) {
        uint32_t parent = (at - 1) / 2;
        bool before;
        if (!is_before(run, list, item, list->items[parent], &before))
            return false;
        if (!before)
            break;
        list->items[at] = list->items[parent];
        at = parent;
    }
    list->items[at] = item;
    return true;
}

static bool sift_down(struct java_run *run, struct java_list *list, uint32_t at, struct java_object *item)
{
    while (at < list->count / 2) {
        uint32_t child = 2 * at + 1;
        bool before;
        if (child + 1 < list->count) {
            if (!is_before(run, list, list->items[child + 1], list->items[child], &before))
                return false;
            child += before;
        }
        if (!is_before(run, list, list->items[child], item, &before))
            return false;
        if (!before)
            break;
        list->items[at] = list->items[child];
        at = child;
    }
    list->items[at] = item;
    return true;
}

bool java_heap_add(struct java_run *run, struct java_list *list, struct java_object *item)
{
    bool before;
    if (!java_check_argument(run, item) || !is_before(run, list, item, list->count ? list->items[0] : item, &before) ||
        !java_list_add(run, list, list->count, item))
        return false;
    return sift_up(run, list, list->count - 1, item);
}

bool java_heap_take(struct java_run *run, struct java_list *list, uint32_t at)
{
    struct java_object *moved = list->items[--list->count];
    if (at == list->count)
        return true;
    if (!sift_down(run, list, at, moved))
        return false;
    return list->items[at] != moved || sift_up(run, list, at, moved);
}

bool java_heapify(struct java_run *run, struct java_list *list)
{
    for (uint32_t i = list->count / 2; i-- > 0;)
        if (!sift_down(run, list, i, list->items[i]))
            return false;
    return true;
}

/* ---- ends ---- */

/* What a method does with an end: which one, whether what is there goes, what it says where there is nothing. */
enum { END_FIRST = 0, END_LAST = 1, END_TAKE = 2, END_OR_NULL = 4 };

static bool take(struct java_run *run, struct java_object *o, uint32_t at)
{
    if (o->kind == J_PRIORITY_QUEUE)
        return java_heap_take(run, &o->list, at);
    java_list_take(run, &o->list, at);
    return true;
}

JAVA_CALL(queue_end)
{
    struct java_list *list = &self->o->list;
    JAVA_UNUSED;
    out->o = NULL;
    if (!list->count && (method->variant & END_OR_NULL))
        return true;
    if (!list->count)
        return java_throw(run, java_kind_extends(method->of, J_STACK) ? J_EMPTY_STACK : J_NO_SUCH_ELEMENT, NULL);
    uint32_t at = method->variant & END_LAST ? list->count - 1 : 0;
    out->o = list->items[at];
    return !(method->variant & END_TAKE) || take(run, self->o, at);
}

/* Added at an end; given back as it is of one that gives what it was given (Stack), or that it was. */
JAVA_CALL(queue_add)
{
    struct java_object *o = self->o;
    bool changed;
    JAVA_UNUSED;
    if (o->kind == J_ARRAY_DEQUE && !java_check_argument(run, args[0].o))
        return false;
    if (method->variant == END_LAST ? !java_collection_add(run, o, args[0].o, &changed) : !java_list_add(run, &o->list, 0, args[0].o))
        return false;
    if (method->result == J_BOOLEAN)
        out->i = true;
    else
        out->o = args[0].o;
    return true;
}

JAVA_CALL(deque_remove)
{
    int64_t at = java_list_find(run, &self->o->list, args[0].o, method->variant == END_LAST);
    JAVA_UNUSED;
    out->i = at >= 0;
    return at < 0 || take(run, self->o, (uint32_t)at);
}

/* From the end to the beginning, over what was there when it was made. */
JAVA_CALL(deque_descend)
{
    struct java_object **items;
    uint32_t count;
    JAVA_UNUSED;
    if (!(out->o = java_new(run, J_ITERATOR)) || !java_items(run, self->o, &items, &count))
        return false;
    for (uint32_t i = 0; i < count / 2; i++) {
        struct java_object *o = items[i];
        items[i] = items[count - 1 - i];
        items[count - 1 - i] = o;
    }
    struct java_object *seen = java_new(run, J_LIST); /* what is removed goes from there alone */
    if (!seen)
        return false;
    seen->list.sealed = true;
    out->o->iterator.items = items;
    out->o->iterator.count = count;
    out->o->iterator.of = seen;
    out->o->iterator.taken = true;
    return true;
}

/* ---- Vector, Stack ---- */

bool java_throw_vector_room(struct java_run *run, const struct java_list *list, int64_t at)
{
    uint64_t room = 10; /* it doubles, from what a Vector() begins with */
    while (room < list->count)
        room *= 2;
    return java_throw(run, J_ARRAY_INDEX, "Index %d out of bounds for length %llu", (int)at, (unsigned long long)room);
}

JAVA_CALL(vector_at)
{
    const struct java_list *list = &self->o->list;
    JAVA_UNUSED;
    if (args[0].i >= list->count)
        return java_throw(run, J_ARRAY_INDEX, "%d >= %u", (int)args[0].i, list->count);
    if (args[0].i < 0)
        return java_throw_vector_room(run, list, args[0].i);
    out->o = list->items[args[0].i];
    return true;
}

/* How far from the top, which is 1. */
JAVA_CALL(stack_search)
{
    int64_t at = java_list_find(run, &self->o->list, args[0].o, true);
    JAVA_UNUSED;
    out->i = at < 0 ? -1 : (int64_t)self->o->list.count - at;
    return true;
}

/* ---- the table ---- */

const struct java_method java_queue_methods[] = {
    { J_QUEUE, "offer", J_BOOLEAN, { JX_FIRST }, 0, queue_add, END_LAST },
    { J_QUEUE, "peek", JX_FIRST, { 0 }, 0, queue_end, END_FIRST | END_OR_NULL },
    { J_QUEUE, "element", JX_FIRST, { 0 }, 0, queue_end, END_FIRST },
    { J_QUEUE, "poll", JX_FIRST, { 0 }, 0, queue_end, END_FIRST | END_TAKE | END_OR_NULL },
    { J_QUEUE, "remove", JX_FIRST, { 0 }, 0, queue_end, END_FIRST | END_TAKE },
    { J_DEQUE, "addFirst", J_VOID, { JX_FIRST }, 0, queue_add, END_FIRST },
    { J_DEQUE, "addLast", J_VOID, { JX_FIRST }, 0, queue_add, END_LAST },
    { J_DEQUE, "offerFirst", J_BOOLEAN, { JX_FIRST }, 0, queue_add, END_FIRST },
    { J_DEQUE, "offerLast", J_BOOLEAN, { JX_FIRST }, 0, queue_add, END_LAST },
    { J_DEQUE, "push", J_VOID, { JX_FIRST }, 0, queue_add, END_FIRST },
    { J_DEQUE, "pop", JX_FIRST, { 0 }, 0, queue_end, END_FIRST | END_TAKE },
    { J_DEQUE, "getFirst", JX_FIRST, { 0 }, 0, queue_end, END_FIRST },
    { J_DEQUE, "getLast", JX_FIRST, { 0 }, 0, queue_end, END_LAST },
    { J_DEQUE, "peekFirst", JX_FIRST, { 0 }, 0, queue_end, END_FIRST | END_OR_NULL },
    { J_DEQUE, "peekLast", JX_FIRST, { 0 }, 0, queue_end, END_LAST | END_OR_NULL },
    { J_DEQUE, "pollFirst", JX_FIRST, { 0 }, 0, queue_end, END_FIRST | END_TAKE | END_OR_NULL },
    { J_DEQUE, "pollLast", JX_FIRST, { 0 }, 0, queue_end, END_LAST | END_TAKE | END_OR_NULL },
    { J_DEQUE, "removeFirst", JX_FIRST, { 0 }, 0, queue_end, END_FIRST | END_TAKE },
    { J_DEQUE, "removeLast", JX_FIRST, { 0 }, 0, queue_end, END_LAST | END_TAKE },
    { J_DEQUE, "removeFirstOccurrence", J_BOOLEAN, { J_OBJECT }, 0, deque_remove, END_FIRST },
    { J_DEQUE, "removeLastOccurrence", J_BOOLEAN, { J_OBJECT }, 0, deque_remove, END_LAST },
    { J_DEQUE, "descendingIterator", JX_ITERATOR, { 0 }, 0, deque_descend, 0 },
    { J_VECTOR, "addElement", J_VOID, { JX_FIRST }, 0, queue_add, END_LAST },
    { J_VECTOR, "elementAt", JX_FIRST, { J_INT }, 0, vector_at, 0 },
    { J_VECTOR, "firstElement", JX_FIRST, { 0 }, 0, queue_end, END_FIRST },
    { J_VECTOR, "lastElement", JX_FIRST, { 0 }, 0, queue_end, END_LAST },
    { J_VECTOR, "removeAllElements", J_VOID, { 0 }, 0, java_collection_clear, 0 },
    { J_STACK, "push", JX_FIRST, { JX_FIRST }, 0, queue_add, END_LAST },
    { J_STACK, "pop", JX_FIRST, { 0 }, 0, queue_end, END_LAST | END_TAKE },
    { J_STACK, "peek", JX_FIRST, { 0 }, 0, queue_end, END_LAST },
    { J_STACK, "empty", J_BOOLEAN, { 0 }, 0, java_collection_size, JAVA_IS_EMPTY },
    { J_STACK, "search", J_INT, { J_OBJECT }, 0, stack_search, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
