#include "engine/descent.h"

#include <assert.h>

#include "engine/look.h"
#include "engine/readahead.h"

bool descent_open(struct txn *txn, enum tree tree, struct descent *out)
{
    out->store = txn->store;
    return !txn->write && look_tree(txn, tree, &out->tree) == 0 && out->tree.root != NO_PAGE;
}

/* ---- pages ---- */

/* A page that is searched for a key: the node wanted is none before `low`, nor from `high` on. */
struct search {
    const uint8_t *page; /* NULL: given up */
    uint64_t number;     /* the page's */
    uint32_t low, high, count;
};

static void fetch(const struct descent *d, const uint8_t *page)
{
    if (page && readahead_is_ours(d->store))
        readahead_value_bytes(d->store, page, DATA_PAGE_BYTES);
    if (page)
        snapshot_fetch(page);
}

/* The first key of a branch is whatever comes before the second. */
static void begin(struct search *s, bool leaf)
{
    if (!s->page)
        return;
    s->count = page_number(s->page) == s->number ? page_nodes(s->page, leaf ? PAGE_IS_LEAF : PAGE_IS_BRANCH) : 0;
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

    if (!page_node(s->page, middle, &node, &key) || node.key_len < ID_BYTES)
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
                __builtin_prefetch(searches[i].page + page_place(searches[i].page, middle_of(&searches[i])));
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
    const bool sound = page_node(s->page, s->low - 1, &node, &key);
    s->number = sound ? node_child(&node) : NO_PAGE;
    s->page = snapshot_page(&d->tree, s->number);
    fetch(d, s->page);
}

static void arrive(const struct descent *d, const struct search *s, struct way *way)
{
    struct node_head next;
    const uint8_t *next_key;

    if (!s->page || s->low == 0 || !snapshot_entry(&d->tree, s->page, s->low - 1, &way->at, &way->value))
        return;
    __builtin_prefetch(way->value.data);
    if (s->low < s->count && page_node(s->page, s->low, &next, &next_key) && next.key_len >= ID_BYTES)
        way->behind = read_u64(next_key);
}

void descend(const struct descent *d, struct way *ways, uint32_t count)
{
    struct search searches[DESCENT_WAYS];
    const uint8_t *root = snapshot_page(&d->tree, d->tree.root);

    assert(count <= DESCENT_WAYS);
    for (uint32_t i = 0; i < count; i++) {
        ways[i].at = ways[i].value = SLICE_NULL;
        ways[i].behind = 0;
        searches[i].page = root;
        searches[i].number = d->tree.root;
    }
    for (uint32_t deep = 1; deep <= d->tree.depth; deep++) {
        const bool leaf = deep == d->tree.depth;
        for (uint32_t i = 0; i < count; i++)
            begin(&searches[i], leaf);
        (leaf ? search_together : search_each)(searches, ways, count);
        for (uint32_t i = 0; !leaf && i < count; i++)
            go_down(d, &searches[i]);
    }
    for (uint32_t i = 0; i < count; i++)
        arrive(d, &searches[i], &ways[i]);
}
