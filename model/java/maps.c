/* Map, its views and entries. */
#include "model/java/lib.h"
#include "model/java/object_ops.h"

JAVA_CALL(map_get)
{
    bool failed;
    JAVA_UNUSED;
    struct java_pair *p = java_map_find(run, self->o, args[0].o, &failed);
    out->o = p ? p->value : method->args[1] ? args[1].o : NULL;
    return !failed;
}

JAVA_CALL(map_has_key)
{
    bool failed;
    JAVA_UNUSED;
    out->i = java_map_find(run, self->o, args[0].o, &failed) != NULL;
    return !failed;
}

JAVA_CALL(map_has_value)
{
    JAVA_UNUSED;
    out->i = false;
    for (uint32_t i = 0; i < self->o->map.used && !out->i && java_spend(run, 1); i++)
        out->i = !self->o->map.pairs[i].gone && java_equals(run, self->o->map.pairs[i].value, args[0].o);
    return true;
}

JAVA_CALL(map_put)
{
    JAVA_UNUSED;
    return java_check_open(run, self->o, true) && java_map_put(run, self->o, args[0].o, args[1].o, &out->o);
}

JAVA_CALL(map_put_if_absent)
{
    bool failed;
    struct java_object *before;
    JAVA_UNUSED;
    if (!java_check_open(run, self->o, true))
        return false;
    struct java_pair *p = java_map_find(run, self->o, args[0].o, &failed);
    out->o = p ? p->value : NULL;
    return !failed && (out->o || java_map_put(run, self->o, args[0].o, args[1].o, &before));
}

JAVA_CALL(map_remove)
{
    bool found;
    JAVA_UNUSED;
    return java_check_open(run, self->o, true) && java_map_remove(run, self->o, args[0].o, &out->o, &found);
}

JAVA_CALL(map_put_all)
{
    JAVA_UNUSED;
    return java_check_open(run, self->o, true) && java_put_all(run, self->o, args[0].o);
}

enum { VIEW_KEYS, VIEW_VALUES, VIEW_ENTRIES };

/* Copies, from which may be removed: out of the map, too. They do not see what else it gets and loses; entries do know it. */
JAVA_CALL(map_view)
{
    struct java_pair **pairs;
    struct java_object *before, *item;
    bool values = method->variant == VIEW_VALUES;
    JAVA_UNUSED;

    if (!(out->o = java_new(run, values ? J_COLLECTION : J_LINKED_HASH_SET)) || !java_map_pairs(run, self->o, &pairs))
        return false;
    if (values && !(out->o->list.keys = java_alloc(run, self->o->map.count * sizeof *out->o->list.keys)))
        return false;
    for (uint32_t i = 0; i < self->o->map.count; i++) {
        item = values ? pairs[i]->value : pairs[i]->key;
        if (method->variant == VIEW_ENTRIES) {
            if (!(item = java_new(run, J_ENTRY)))
                return false;
            item->entry.key = pairs[i]->key;
            item->entry.value = pairs[i]->value;
            item->entry.map = self->o;
        }
        if (values)
            out->o->list.keys[i] = pairs[i]->key;
        if (values ? !java_list_add(run, &out->o->list, i, item)
                   : !java_map_put(run, out->o, item, NULL, &before))
            return false;
    }
    *(values ? &out->o->list.sealed : &out->o->map.sealed) = true; /* nothing is put into a view */
    out->o->viewed = self->o->map.sealed ? NULL : self->o;
    return true;
}

/* put where there is something already */
JAVA_CALL(map_replace)
{
    bool failed;
    JAVA_UNUSED;
    struct java_pair *p = java_map_find(run, self->o, args[0].o, &failed);
    out->o = NULL;
    if (failed || !java_check_open(run, self->o, false))
        return false;
    return !p || java_map_put(run, self->o, args[0].o, args[1].o, &out->o);
}

/* Where the key has just that value: removed, or replaced by another. */
JAVA_CALL(map_change_pair)
{
    bool failed, found;
    struct java_object *before;
    JAVA_UNUSED;
    struct java_pair *p = java_map_find(run, self->o, args[0].o, &failed);
    out->i = p && java_equals(run, p->value, args[1].o);
    if (failed || !java_check_open(run, self->o, !method->args[2]))
        return false;
    if (!out->i)
        return true;
    return method->args[2] ? java_map_put(run, self->o, args[0].o, args[2].o, &before)
                           : java_map_remove(run, self->o, args[0].o, &before, &found);
}

/* Map.of. Java's has an order that each process makes up. */
JAVA_CALL(map_of)
{
    const struct java_object *pairs = args[0].o;
    struct java_object *before;
    JAVA_UNUSED;
    if (!java_check_argument(run, pairs) || !(out->o = java_new(run, J_LINKED_HASH_MAP)))
        return false;
    for (uint32_t i = 0; i + 1 < pairs->array.count; i += 2) {
        struct java_object *key = pairs->array.items[i].o, *value = pairs->array.items[i + 1].o;
        if (!java_check_argument(run, key) || !java_check_argument(run, value) || !java_map_put(run, out->o, key, value, &before))
            return false;
        if (out->o->map.count != i / 2 + 1)
            return java_throw_of(run, J_ILLEGAL_ARGUMENT, "duplicate key: ", key);
    }
    out->o->map.sealed = true;
    return true;
}

JAVA_CALL(map_entry)
{
    JAVA_UNUSED;
    return java_check_argument(run, args[0].o) && java_check_argument(run, args[1].o) &&
           java_entry(run, &(struct java_pair){ .key = args[0].o, .value = args[1].o }, &out->o);
}

enum { ENTRY_KEY, ENTRY_VALUE };

JAVA_CALL(entry_part)
{
    JAVA_UNUSED;
    out->o = method->variant == ENTRY_KEY ? self->o->entry.key : self->o->entry.value;
    return true;
}

JAVA_CALL(entry_set)
{
    struct java_object *map = self->o->entry.map;
    JAVA_UNUSED;
    if (!map)
        return java_throw(run, J_UNSUPPORTED, NULL);
    if (!java_check_open(run, map, false) || !java_check_nesting(run, args[0].o, self->o) ||
        !java_map_put(run, map, self->o->entry.key, args[0].o, &out->o))
        return false;
    self->o->entry.value = args[0].o;
    return true;
}

static bool entry_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    return java_equals(run, a->entry.key, b->entry.key) && java_equals(run, a->entry.value, b->entry.value);
}

static uint32_t entry_hash(struct java_run *run, const struct java_object *o)
{
    return (uint32_t)java_hash_code(run, o->entry.key) ^ (uint32_t)java_hash_code(run, o->entry.value);
}

static bool entry_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    if (!java_print(run, utf16, o->entry.key))
        return false;
    java_put_ascii(utf16, "=", 1);
    return java_print(run, utf16, o->entry.value);
}

const struct java_object_ops java_entry_ops = { .equals = entry_equals, .hash = entry_hash, .print = entry_print };

/* ---- the table ---- */

const struct java_method java_map_methods[] = {
    { J_MAP, "size", J_INT, { 0 }, 0, java_collection_size, JAVA_SIZE },
    { J_MAP, "isEmpty", J_BOOLEAN, { 0 }, 0, java_collection_size, JAVA_IS_EMPTY },
    { J_MAP, "get", JX_SECOND, { J_OBJECT }, 0, map_get, 0 },
    { J_MAP, "getOrDefault", JX_SECOND, { J_OBJECT, JX_SECOND }, 0, map_get, 0 },
    { J_MAP, "containsKey", J_BOOLEAN, { J_OBJECT }, 0, map_has_key, 0 },
    { J_MAP, "containsValue", J_BOOLEAN, { J_OBJECT }, 0, map_has_value, 0 },
    { J_MAP, "put", JX_SECOND, { JX_FIRST, JX_SECOND }, 0, map_put, 0 },
    { J_MAP, "putIfAbsent", JX_SECOND, { JX_FIRST, JX_SECOND }, 0, map_put_if_absent, 0 },
    { J_MAP, "putAll", J_VOID, { J_MAP }, 0, map_put_all, 0 },
    { J_MAP, "remove", JX_SECOND, { J_OBJECT }, 0, map_remove, 0 },
    { J_MAP, "remove", J_BOOLEAN, { J_OBJECT, J_OBJECT }, 0, map_change_pair, 0 },
    { J_MAP, "replace", JX_SECOND, { JX_FIRST, JX_SECOND }, 0, map_replace, 0 },
    { J_MAP, "replace", J_BOOLEAN, { JX_FIRST, JX_SECOND, JX_SECOND }, 0, map_change_pair, 0 },
    { J_MAP, "of", JX_MAP_OF_ARGUMENTS, { JX_OBJECTS }, JAVA_STATIC | JAVA_VARIADIC, map_of, 0 },
    { J_MAP, "entry", JX_ENTRY_OF_ARGUMENTS, { J_OBJECT, J_OBJECT }, JAVA_STATIC, map_entry, 0 },
    { J_MAP, "clear", J_VOID, { 0 }, 0, java_collection_clear, 0 },
    { J_MAP, "keySet", JX_SET_OF_FIRST, { 0 }, 0, map_view, VIEW_KEYS },
    { J_MAP, "values", JX_COLLECTION_OF_SECOND, { 0 }, 0, map_view, VIEW_VALUES },
    { J_MAP, "entrySet", JX_SET_OF_ENTRIES, { 0 }, 0, map_view, VIEW_ENTRIES },
    { J_ENTRY, "getKey", JX_FIRST, { 0 }, 0, entry_part, ENTRY_KEY },
    { J_ENTRY, "getValue", JX_SECOND, { 0 }, 0, entry_part, ENTRY_VALUE },
    { J_ENTRY, "setValue", JX_SECOND, { JX_SECOND }, 0, entry_set, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
