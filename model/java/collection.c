/* Lists, maps and sets, with the orders that Java's have. */
#include <stddef.h>
#include <stdlib.h>

#include "model/java/object_ops.h"

enum {
    BUCKETS_MIN = 16,
    BUCKETS_MAX = 1 << 30,
    BUCKETS_OF_TREES = 64,
    BUCKET_MAX = 8,
    LIST_ROOM_MIN = 8,
    NESTED_MAX = 50
};

/* ---- nesting ---- */

static bool nests(const struct java_object *o)
{
    return o && (java_kind_extends(o->kind, J_COLLECTION) || java_kind_extends(o->kind, J_MAP) || o->kind == J_ENTRY || o->kind == J_OPTIONAL);
}

/* o and all that it has stand at least that many levels deep; false: too deep, or the holder would be within itself. */
static bool deepen(struct java_object *o, const struct java_object *holder, unsigned level)
{
    bool good = true;

    if (!nests(o))
        return true;
    if (o == holder || level > NESTED_MAX)
        return false;
    if (o->above >= level)
        return true;
    o->above = (uint8_t)level;
    if (o->kind == J_ENTRY || o->kind == J_OPTIONAL)
        return deepen(o->entry.key, holder, level + 1) && deepen(o->entry.value, holder, level + 1);
    if (!java_is_map(o)) {
        for (uint32_t i = 0; i < o->list.count && good; i++)
            good = deepen(o->list.items[i], holder, level + 1);
        return good;
    }
    for (uint32_t i = 0; i < o->map.used && good; i++)
        good = o->map.pairs[i].gone ||
               (deepen(o->map.pairs[i].key, holder, level + 1) && deepen(o->map.pairs[i].value, holder, level + 1));
    return good;
}

/* What goes into the list or map of an object: a collection within itself could neither be printed nor compared, and
 * one in thousands of others not without as many calls. */
bool java_check_nesting(struct java_run *run, struct java_object *item, const struct java_object *holder)
{
    return !nests(item) || deepen(item, holder, holder->above + 1u) ||
           java_throw(run, J_UNSUPPORTED, "a collection within itself, or in too many others");
}

/* What a list or map is kept in. */
static const struct java_object *holder_of(const void *store)
{
    return (const struct java_object *)((const uint8_t *)store - offsetof(struct java_object, list));
}

/* ---- lists ---- */

bool java_list_set(struct java_run *run, struct java_list *list, uint32_t at, struct java_object *item)
{
    if (!java_check_nesting(run, item, holder_of(list)))
        return false;
    list->items[at] = item;
    return true;
}

bool java_list_add(struct java_run *run, struct java_list *list, uint32_t at, struct java_object *item)
{
    if (!java_check_nesting(run, item, holder_of(list)))
        return false;
    if (list->count == list->room) {
        uint32_t room = list->room ? 2 * list->room : LIST_ROOM_MIN;
        struct java_object **items = java_alloc(run, room * sizeof *items);
        if (!items)
            return false;
        if (list->count)
            memcpy(items, list->items, list->count * sizeof *items);
        list->items = items;
        list->room = room;
    }
    if (!java_spend(run, 1 + (list->count - at) / JAVA_MOVED_AT_ONCE))
        return false;
    memmove(list->items + at + 1, list->items + at, (list->count - at) * sizeof *list->items);
    list->items[at] = item;
    list->count++;
    return true;
}

void java_seal(struct java_object *list)
{
    bool one = list->list.count == 1;
    list->kind = one ? J_IMMUTABLE_ONE : J_IMMUTABLE_LIST;
    list->list.words = one ? JAVA_WORDS_OF_GUAVA : JAVA_WORDS_OF_ARRAY;
    list->list.sealed = true;
}

bool java_immutable_list(struct java_run *run, struct java_object *const *items, uint32_t count, struct java_object **out)
{
    struct java_object *o = java_new(run, J_IMMUTABLE_LIST);
    if (!o)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!java_list_add(run, &o->list, i, items[i]))
            return false;
    java_seal(o);
    *out = o;
    return true;
}

/* ---- maps: where a pair is ---- */

static bool is_tree(const struct java_object *map)
{
    return map->kind == J_TREE_MAP || map->kind == J_TREE_SET;
}

static bool is_hashed(const struct java_object *map)
{
    return map->kind == J_HASH_MAP || map->kind == J_HASH_SET;
}

/* Where a place is looked for. In HashMaps, whose order it makes, it is Java's; elsewhere entries have one of their own, for of a map of numbers to
 * themselves Java's is 0 for all. */
static uint32_t spread(struct java_run *run, const struct java_object *map, const struct java_object *key)
{
    enum { FACTOR = 31 };
    bool own = key && key->kind == J_ENTRY && !is_hashed(map);
    uint32_t h = own ? (uint32_t)java_hash_code(run, key->entry.key) * FACTOR + (uint32_t)java_hash_code(run, key->entry.value) : (uint32_t)java_hash_code(run, key);
    return h ^ h >> 16;
}

bool java_tree_place(struct java_run *run, const struct java_map *map, const struct java_object *key, uint32_t *at, bool *found)
{
    uint32_t low = 0, high = map->used;
    int c = 0;

    *found = false;
    if (!map->used && !java_compare_by(run, map->order, "k1", key, key, &c))
        return false;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (!java_compare_by(run, map->order, NULL, key, map->pairs[mid].key, &c))
            return false;
        if (c == 0) {
            *at = mid;
            *found = true;
            return true;
        }
        if (c < 0)
            high = mid;
        else
            low = mid + 1;
    }
    *at = low;
    return true;
}

/* The place in `places` of the key's pair, or a free one; any at all where no time is left. */
static uint32_t *hash_place(struct java_run *run, const struct java_map *map, const struct java_object *key,
                            uint32_t hash)
{
    uint32_t i = hash * 2654435769u & (map->place_count - 1);
    for (;; i = (i + 1) & (map->place_count - 1)) {
        uint32_t at = map->places[i];
        if (!at || run->exhausted)
            return &map->places[i];
        const struct java_pair *p = &map->pairs[at - 1];
        if (!p->gone && p->hash == hash && java_equals(run, p->key, key))
            return &map->places[i];
    }
}

struct java_pair *java_map_find(struct java_run *run, const struct java_object *map, const struct java_object *key,
                                bool *failed)
{
    const struct java_map *m = &map->map;
    uint32_t at;
    bool found;

    *failed = is_tree(map) && !m->order && !key && !java_throw(run, J_NULL_POINTER, NULL);
    if (*failed || !m->count)
        return NULL;
    if (is_tree(map)) {
        *failed = !java_tree_place(run, m, key, &at, &found);
        return !*failed && found ? &m->pairs[at] : NULL;
    }
    at = *hash_place(run, m, key, spread(run, map, key));
    return at ? &m->pairs[at - 1] : NULL;
}

/* ---- maps: changing ---- */

/* More room, and the places anew; pairs that are gone go. */
static bool grow(struct java_run *run, struct java_map *map)
{
    uint32_t room = map->count * 2 < BUCKETS_MIN ? BUCKETS_MIN : map->count * 2, places = BUCKETS_MIN, used = 0;
    while (places < room * 2)
        places *= 2;
    struct java_pair *pairs = java_alloc(run, room * sizeof *pairs);
    uint32_t *list = pairs ? java_alloc(run, places * sizeof *list) : NULL;

    if (!list)
        return false;
    for (uint32_t i = 0; i < map->used; i++)
        if (!map->pairs[i].gone)
            pairs[used++] = map->pairs[i];
    map->pairs = pairs;
    map->room = room;
    map->places = list;
    map->place_count = places;
    map->used = 0;
    for (uint32_t i = 0; i < used; i++) {
        uint32_t *place = hash_place(run, map, pairs[i].key, pairs[i].hash);
        *place = ++map->used;
    }
    return true;
}

/* HashMap.tableSizeFor; a table that is there already does not shrink. */
void java_map_expect(struct java_object *map, uint64_t pairs)
{
    uint32_t *buckets = &map->map.buckets;
    for (*buckets = *buckets ? *buckets : 1; *buckets < pairs && *buckets < BUCKETS_MAX;)
        *buckets *= 2;
}

static bool tree_put(struct java_run *run, struct java_map *map, uint32_t at, const struct java_pair *pair)
{
    if (map->used == map->room) {
        uint32_t room = map->room ? 2 * map->room : BUCKETS_MIN;
        struct java_pair *pairs = java_alloc(run, room * sizeof *pairs);
        if (!pairs)
            return false;
        if (map->used)
            memcpy(pairs, map->pairs, map->used * sizeof *pairs);
        map->pairs = pairs;
        map->room = room;
    }
    if (!java_spend(run, (map->used - at) / JAVA_MOVED_AT_ONCE))
        return false;
    memmove(map->pairs + at + 1, map->pairs + at, (map->used - at) * sizeof *map->pairs);
    map->pairs[at] = *pair;
    map->used++;
    map->count++;
    return true;
}

/* HashMap.treeifyBin: a small table grows where a ninth pair comes to one of its buckets. */
static bool is_crowded(const struct java_map *map, const struct java_pair *last)
{
    uint32_t beside = 0;
    if (map->buckets >= BUCKETS_OF_TREES)
        return false;
    for (const struct java_pair *p = map->pairs; p < last; p++)
        beside += !p->gone && !((p->hash ^ last->hash) & (map->buckets - 1));
    return beside >= BUCKET_MAX;
}

bool java_map_put(struct java_run *run, struct java_object *map, struct java_object *key, struct java_object *value,
                  struct java_object **before)
{
    struct java_map *m = &map->map;
    struct java_pair pair = { key, value, 0, false }, *old;
    bool found, failed;
    uint32_t at;

    *before = NULL;
    if (!java_check_nesting(run, key, map) || !java_check_nesting(run, value, map))
        return false;
    if (is_tree(map)) {
        if (!java_tree_place(run, m, key, &at, &found))
            return false;
        if (!found)
            return tree_put(run, m, at, &pair);
        *before = m->pairs[at].value;
        m->pairs[at].value = value;
        return true;
    }
    if ((old = java_map_find(run, map, key, &failed))) {
        *before = old->value;
        old->value = value;
        return true;
    }
    if (m->used == m->room && !grow(run, m))
        return false;
    pair.hash = spread(run, map, key);
    m->pairs[m->used] = pair;
    *hash_place(run, m, key, pair.hash) = ++m->used;
    m->count++;
    m->buckets = m->buckets ? m->buckets : BUCKETS_MIN;
    if (is_crowded(m, &m->pairs[m->used - 1]))
        m->buckets *= 2;
    while (m->buckets < BUCKETS_MAX && m->count > (uint32_t)((float)m->buckets * (m->load > 0 ? m->load : 0.75f)))
        m->buckets *= 2;
    return true;
}

bool java_map_remove(struct java_run *run, struct java_object *map, const struct java_object *key,
                     struct java_object **before, bool *found)
{
    struct java_map *m = &map->map;
    bool failed;
    struct java_pair *p = java_map_find(run, map, key, &failed);

    *found = p;
    *before = NULL;
    if (!p)
        return !failed;
    *before = p->value;
    m->count--;
    if (is_tree(map)) {
        memmove(p, p + 1, (size_t)(m->pairs + m->used - p - 1) * sizeof *p);
        m->used--;
        return true;
    }
    p->gone = true; /* its place goes on pointing here, so that what lies behind is found */
    return true;
}

/* ---- orders ---- */

struct ordered {
    struct java_pair *pair;
    uint32_t bucket, at;
};

static int by_bucket(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    if (x->bucket != y->bucket)
        return x->bucket < y->bucket ? -1 : 1;
    return x->at < y->at ? -1 : 1;
}

bool java_map_pairs(struct java_run *run, const struct java_object *map, struct java_pair ***out)
{
    const struct java_map *m = &map->map;
    struct java_pair **list = java_alloc(run, (m->count + 1) * sizeof *list);
    struct ordered *order = is_hashed(map) ? java_alloc(run, (m->count + 1) * sizeof *order) : NULL;
    uint32_t n = 0;

    if (!list || (is_hashed(map) && !order))
        return false;
    for (uint32_t i = 0; i < m->used; i++) {
        struct java_pair *p = &m->pairs[i];
        if (p->gone)
            continue;
        if (order)
            order[n] = (struct ordered){ p, p->hash & (m->buckets - 1), i };
        list[n++] = p;
    }
    if (order) {
        qsort(order, n, sizeof *order, by_bucket);
        for (uint32_t i = 0; i < n; i++)
            list[i] = order[i].pair;
    }
    *out = list;
    return true;
}

bool java_items(struct java_run *run, const struct java_object *collection, struct java_object ***out, uint32_t *count)
{
    struct java_pair **pairs;

    if (!java_is_map(collection)) { /* what is walked may change */
        *count = collection->list.count;
        if (!(*out = java_alloc(run, (*count + 1) * sizeof **out)))
            return false;
        if (*count)
            memcpy(*out, collection->list.items, *count * sizeof **out);
        return true;
    }
    *count = collection->map.count;
    if (!java_map_pairs(run, collection, &pairs) || !(*out = java_alloc(run, (*count + 1) * sizeof **out)))
        return false;
    for (uint32_t i = 0; i < *count; i++)
        (*out)[i] = pairs[i]->key;
    return true;
}

/* ---- as objects ---- */

static bool list_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    bool same = a->list.count == b->list.count;
    for (uint32_t i = 0; i < a->list.count && same; i++)
        same = java_equals(run, a->list.items[i], b->list.items[i]);
    return same;
}

static bool map_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    bool same = a->map.count == b->map.count, failed;
    for (uint32_t i = 0; i < a->map.used && same; i++) {
        const struct java_pair *p = &a->map.pairs[i], *q;
        if (p->gone)
            continue;
        q = java_map_find(run, b, p->key, &failed);
        same = q && java_equals(run, p->value, q->value);
    }
    return same;
}

static uint32_t list_hash(struct java_run *run, const struct java_object *o)
{
    uint32_t h = 1;
    for (uint32_t i = 0; i < o->list.count; i++)
        h = 31 * h + (uint32_t)java_hash_code(run, o->list.items[i]);
    return h;
}

static uint32_t map_hash(struct java_run *run, const struct java_object *o)
{
    uint32_t h = 0;
    for (uint32_t i = 0; i < o->map.used; i++)
        if (!o->map.pairs[i].gone)
            h += (uint32_t)java_hash_code(run, o->map.pairs[i].key) ^ (uint32_t)java_hash_code(run, o->map.pairs[i].value);
    return h;
}

static bool items_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    struct java_object **items;
    uint32_t count;

    if (!java_items(run, o, &items, &count))
        return false;
    java_put_ascii(utf16, "[", 1);
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            java_put_ascii(utf16, ", ", 2);
        if (!java_check_text(run, utf16) || !java_print(run, utf16, items[i]))
            return false;
    }
    java_put_ascii(utf16, "]", 1);
    return true;
}

static bool map_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    struct java_pair **pairs;

    if (!java_map_pairs(run, o, &pairs))
        return false;
    java_put_ascii(utf16, "{", 1);
    for (uint32_t i = 0; i < o->map.count; i++) {
        if (i)
            java_put_ascii(utf16, ", ", 2);
        if (!java_check_text(run, utf16) || !java_print(run, utf16, pairs[i]->key))
            return false;
        java_put_ascii(utf16, "=", 1);
        if (!java_print(run, utf16, pairs[i]->value))
            return false;
    }
    java_put_ascii(utf16, "}", 1);
    return true;
}

const struct java_object_ops java_list_ops = { .of_any_class = true, .equals = list_equals, .hash = list_hash, .print = items_print };
const struct java_object_ops java_set_ops = { .of_any_class = true, .equals = map_equals, .hash = map_hash, .print = items_print };
const struct java_object_ops java_map_ops = { .of_any_class = true, .equals = map_equals, .hash = map_hash, .print = map_print };
const struct java_object_ops java_collection_ops = { .print = items_print };
