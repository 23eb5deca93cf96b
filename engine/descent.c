#include "engine/descent.h"

#include <assert.h>

#include "engine/page.h"
#include "engine/readahead.h"

enum { DEPTH_MOST = 32 /* LMDB's cursors have room for */ };

bool descent_open(struct txn *txn, enum tree tree, struct descent *out)
{
    MDB_val name = val_of(slice_str(store_tree_name(tree))), value = { 0 };
    struct tree_record record;
    MDB_envinfo info;

    if (txn->write || !txn->store->map_at || mdb_get(txn->handle, txn->store->trees[TREE_META], &name, &value) != 0 || value.mv_size != sizeof record)
        return false;
    memcpy(&record, value.mv_data, sizeof record);
    mdb_env_info(txn->store->env, &info);
    *out = (struct descent){ txn->store, txn->store->map_at, (uint64_t)info.me_last_pgno + 1, record.root };
    return record.root != NO_PAGE;
}

/* ---- pages ---- */

/* A page that is searched for a key: the node wanted is none before `low`, nor from `high` on. */
struct search {
    const uint8_t *page; /* NULL: given up */
    uint32_t low, high, count;
};

static const uint8_t *page_of(const struct descent *d, uint64_t number)
{
    return number < d->pages ? d->map + number * DATA_PAGE_BYTES : NULL;
}

static void fetch(const struct descent *d, const uint8_t *page)
{
    enum { LINES = 3 }; /* the head, and the places of most pages */

    if (page && readahead_is_ours(d->store))
        readahead_value_bytes(d->store, page, DATA_PAGE_BYTES);
    for (int i = 0; page && i < LINES; i++)
        __builtin_prefetch(page + i * LINE_BYTES);
}

static uint16_t place_of(const uint8_t *page, uint32_t i)
{
    uint16_t place;
    memcpy(&place, page + sizeof(struct page_head) + i * sizeof place, sizeof place);
    return place;
}

/* False: not within the page. */
static inline bool node_at(const uint8_t *page, uint32_t i, struct node_head *node, const uint8_t **key)
{
    const uint32_t place = place_of(page, i);

    if (place > DATA_PAGE_BYTES - sizeof *node)
        return false;
    memcpy(node, page + place, sizeof *node);
    *key = page + place + sizeof *node;
    return node->key_len <= DATA_PAGE_BYTES - sizeof *node - place;
}

/* The first key of a branch is whatever comes before the second. */
static void begin(struct search *s, bool leaf)
{
    struct page_head head;

    if (!s->page)
        return;
    memcpy(&head, s->page, sizeof head);
    const bool sound = (head.flags & (PAGE_IS_BRANCH | PAGE_IS_LEAF)) == (leaf ? PAGE_IS_LEAF : PAGE_IS_BRANCH) &&
                       head.places_end > sizeof head && head.places_end <= DATA_PAGE_BYTES;
    s->count = sound ? (head.places_end - (uint32_t)sizeof head) / sizeof(uint16_t) : 0;
    s->low = leaf ? 0 : 1;
    s->high = s->count;
    if (!s->count)
        s->page = NULL;
}

static inline bool is_searching(const struct search *s)
{
    return s->page && s->low < s->high;
}

static inline uint32_t middle_of(const struct search *s)
{
    return s->low + (s->high - s->low) / 2;
}

static inline bool is_behind(const uint8_t *key, size_t len, const struct way *way)
{
    const uint64_t id = read_u64(key);
    return id != way->id ? id > way->id : slice_cmp(slice_of(key + ID_BYTES, len - ID_BYTES), way->piece) > 0;
}

static inline void halve(struct search *s, const struct way *way)
{
    const uint32_t middle = middle_of(s);
    struct node_head node;
    const uint8_t *key;

    if (!node_at(s->page, middle, &node, &key) || node.key_len < ID_BYTES)
        s->page = NULL;
    else if (is_behind(key, node.key_len, way))
        s->high = middle;
    else
        s->low = middle + 1;
}

/* Of branches, which are mostly in the processor's caches. */
static void search_each(struct search *searches, const struct way *ways, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        while (is_searching(&searches[i]))
            halve(&searches[i], &ways[i]);
}

static void search_together(struct search *searches, const struct way *ways, uint32_t count)
{
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < count; i++)
            if (is_searching(&searches[i])) {
                __builtin_prefetch(searches[i].page + place_of(searches[i].page, middle_of(&searches[i])));
                more = true;
            }
        for (uint32_t i = 0; more && i < count; i++)
            if (is_searching(&searches[i]))
                halve(&searches[i], &ways[i]);
    }
}

/* ---- down ---- */

static void go_down(const struct descent *d, struct search *s)
{
    struct node_head node;
    const uint8_t *key;

    if (!s->page)
        return;
    s->page = node_at(s->page, s->low - 1, &node, &key)
                  ? page_of(d, node.size_low | (uint64_t)node.size_high << 16 | (uint64_t)node.flags << 32)
                  : NULL;
    fetch(d, s->page);
}

/* A value that has pages of its own; NULL: damaged. */
static const uint8_t *large_value(const struct descent *d, const uint8_t *at, size_t len)
{
    const uint8_t *page;
    uint64_t number;

    memcpy(&number, at, sizeof number);
    page = page_of(d, number);
    return page && (sizeof(struct page_head) + len - 1) / DATA_PAGE_BYTES < d->pages - number ? page + sizeof(struct page_head) : NULL;
}

static void arrive(const struct descent *d, const struct search *s, struct way *way)
{
    struct node_head node, next;
    const uint8_t *key, *next_key;

    if (!s->page || s->low == 0 || !node_at(s->page, s->low - 1, &node, &key))
        return;
    const size_t len = node.size_low | (size_t)node.size_high << 16, left = (size_t)(s->page + DATA_PAGE_BYTES - key) - node.key_len;
    const bool large = node.flags == NODE_IS_LARGE;
    const uint8_t *value = key + node.key_len;
    if ((node.flags && !large) || left < (large ? sizeof(uint64_t) : len))
        return;
    if (large && !(value = large_value(d, value, len)))
        return;
    __builtin_prefetch(value);
    way->at = slice_of(key, node.key_len);
    way->value = slice_of(value, len);
    if (s->low < s->count && node_at(s->page, s->low, &next, &next_key) && next.key_len >= ID_BYTES)
        way->behind = read_u64(next_key);
}

static bool is_leaf(const uint8_t *page)
{
    struct page_head head;
    memcpy(&head, page, sizeof head);
    return head.flags & PAGE_IS_LEAF;
}

void descend(const struct descent *d, struct way *ways, uint32_t count)
{
    struct search searches[DESCENT_WAYS];
    const uint8_t *root = page_of(d, d->root), *first = root; /* all leaves lie as deep */
    bool leaf = false;

    assert(count <= DESCENT_WAYS);
    for (uint32_t i = 0; i < count; i++) {
        ways[i].at = ways[i].value = SLICE_NULL;
        ways[i].behind = 0;
        searches[i].page = root;
    }
    for (int depth = 0; first && !leaf && depth < DEPTH_MOST; depth++) {
        leaf = is_leaf(first);
        for (uint32_t i = 0; i < count; i++)
            begin(&searches[i], leaf);
        (leaf ? search_together : search_each)(searches, ways, count);
        first = NULL;
        for (uint32_t i = 0; !leaf && i < count; i++) {
            go_down(d, &searches[i]);
            first = first ? first : searches[i].page;
        }
    }
    for (uint32_t i = 0; leaf && i < count; i++)
        arrive(d, &searches[i], &ways[i]);
}
