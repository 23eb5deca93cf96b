#include "engine/trust.h"

#include <sys/mman.h>

#include "engine/look.h"
#include "engine/rig.h"

enum { MARKED_A_BYTE = 8 }; /* pages that have been looked at */

/* ---- what is known ---- */

void trust_open(struct store *store)
{
    if (store->in_place)
        memset(store->trust.trees, TRUST_WHOLE, sizeof store->trust.trees);
    store->trust.trees[TREE_META] = TRUST_WHOLE; /* pages_check_first has looked at it */
}

void trust_close(struct store *store)
{
    if (store->trust.marks)
        munmap(store->trust.marks, store->trust.pages / MARKED_A_BYTE);
}

static bool is_marked(const struct trust *trust, uint64_t page)
{
    return page < trust->pages && trust->marks[page / MARKED_A_BYTE] >> page % MARKED_A_BYTE & 1;
}

/* Marks of more pages, in memory that those of pages nobody comes to never touch. */
static bool widen(struct trust *trust, uint64_t pages)
{
    const size_t bytes = (pages / MARKED_A_BYTE + DATA_PAGE_BYTES) / DATA_PAGE_BYTES * DATA_PAGE_BYTES;
    void *marks = trust->marks ? mremap(trust->marks, trust->pages / MARKED_A_BYTE, bytes, MREMAP_MAYMOVE)
                               : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (marks == MAP_FAILED)
        return false;
    trust->marks = marks;
    trust->pages = bytes * MARKED_A_BYTE;
    return true;
}

/* Where there is no memory for it the page will be looked at again. */
static void mark(struct trust *trust, uint64_t page)
{
    if (page < trust->pages || widen(trust, page + page / 2))
        trust->marks[page / MARKED_A_BYTE] |= (uint8_t)(1 << page % MARKED_A_BYTE);
}

/* What lies beside a leaf has been looked at. So it is as long as the transaction lasts: later its number may be another's, with others beside it. */
enum side { BEFORE = 1, BEHIND = 2, AROUND = 4 };

static struct trust_side *sides_of(struct trust *trust, const struct txn *txn, uint64_t leaf)
{
    const uint64_t transaction = mdb_txn_id(txn->handle);
    struct trust_side *sides = &trust->sides[leaf % TRUST_SIDES];

    if (sides->leaf != leaf || sides->transaction != transaction)
        *sides = (struct trust_side){ leaf, transaction, 0 };
    return sides;
}

/* ---- pages on a way ---- */

/* From the root to a page, by the nodes that were gone by. */
struct route {
    const struct txn *txn;
    struct trust *trust;
    struct snapshot_tree tree;
    uint64_t numbers[TREE_DEPTH_MOST];
    const uint8_t *pages[TREE_DEPTH_MOST];
    uint32_t counts[TREE_DEPTH_MOST], ways[TREE_DEPTH_MOST];
    struct page_bounds bounds[TREE_DEPTH_MOST];
};

static struct slice key_of(const uint8_t *page, uint32_t i)
{
    struct node_head node;
    const uint8_t *key;
    return page_node(page, i, &node, &key) ? slice_of(key, node.key_len) : SLICE_NULL;
}

/* Of one that was found sound: LMDB may have used its number for another since, and a damaged branch leads anywhere. */
static bool is_still(const uint8_t *page, uint32_t count, bool is_leaf, struct page_bounds bounds)
{
    const uint32_t first = is_leaf ? 0 : 1;
    return first >= count || ((slice_is_null(bounds.from) || slice_cmp(key_of(page, first), bounds.from) >= 0) &&
                              (slice_is_null(bounds.to) || slice_cmp(key_of(page, count - 1), bounds.to) < 0));
}

static int enter(struct route *r, uint32_t deep, uint64_t number, struct page_bounds bounds)
{
    const struct page_rules rules = { .is_leaf = deep + 1 == r->tree.depth };
    const uint8_t *page = snapshot_page(&r->tree, number);
    struct page_head head;

    if (!page)
        return MDB_CORRUPTED;
    memcpy(&head, page, sizeof head);
    if (head.number != number || head.flags != (rules.is_leaf ? PAGE_IS_LEAF : PAGE_IS_BRANCH))
        return MDB_CORRUPTED;
    if (!is_marked(r->trust, number)) {
        if (!page_is_in_order(page, &rules, bounds))
            return MDB_CORRUPTED;
        mark(r->trust, number);
    }
    r->numbers[deep] = number;
    r->pages[deep] = page;
    r->counts[deep] = page_nodes(page, head.flags);
    r->bounds[deep] = bounds;
    return is_still(page, r->counts[deep], rules.is_leaf, bounds) ? 0 : MDB_CORRUPTED;
}

static int enter_child(struct route *r, uint32_t deep, uint32_t way)
{
    const uint8_t *branch = r->pages[deep];
    const struct page_bounds *bounds = &r->bounds[deep];
    struct node_head node;
    const uint8_t *key;

    if (way >= r->counts[deep] || !page_node(branch, way, &node, &key))
        return MDB_CORRUPTED;
    r->ways[deep] = way;
    return enter(r, deep + 1, node_child(&node),
                 (struct page_bounds){ way ? slice_of(key, node.key_len) : bounds->from, way + 1 < r->counts[deep] ? key_of(branch, way + 1) : bounds->to });
}

/* The first or the last page of that depth below the one at `from`. */
static int enter_end(struct route *r, uint32_t from, uint32_t deep, bool last)
{
    int code = 0;
    for (; !code && from < deep; from++)
        code = enter_child(r, from, last ? r->counts[from] - 1 : 0);
    return code;
}

static int enter_root(struct txn *txn, enum tree tree, struct route *r)
{
    int code = look_tree(txn, tree, &r->tree);

    r->txn = txn;
    r->trust = &txn->store->trust;
    if (!code && r->tree.root == NO_PAGE)
        return MDB_NOTFOUND;
    return code ? code : enter(r, 0, r->tree.root, (struct page_bounds){ SLICE_NULL, SLICE_NULL });
}

/* The page beside that of that depth; MDB_NOTFOUND: there is none. */
static int step(struct route *r, uint32_t deep, bool back)
{
    for (uint32_t above = deep; above-- > 0;) {
        const uint32_t way = back ? r->ways[above] - 1 : r->ways[above] + 1; /* before the first: beyond every count */
        if (way >= r->counts[above])
            continue;
        int code = enter_child(r, above, way);
        return code ? code : enter_end(r, above + 1, deep, back);
    }
    return MDB_NOTFOUND;
}

/* ---- looking ---- */

static int look_beside(const struct route *r, uint32_t deep, bool back, int pages)
{
    struct route beside = *r;
    int code = 0;

    while (!code && pages--)
        code = step(&beside, deep, back);
    return code == MDB_NOTFOUND ? 0 : code;
}

/* A way to a key that is none of its leaf's, or the first of them: LMDB looks for the one behind it, and then for the one before. */
static int look_at_edges(const struct route *r, struct slice key)
{
    const uint32_t last = r->tree.depth - 1u;
    const bool before = slice_cmp(key, key_of(r->pages[last], 0)) <= 0;

    if (!before && slice_cmp(key, key_of(r->pages[last], r->counts[last] - 1)) <= 0)
        return 0;
    const enum side side = before ? BEFORE : BEHIND;
    struct trust_side *sides = sides_of(r->trust, r->txn, r->numbers[last]);
    int code = sides->looked_at & side ? 0 : look_beside(r, last, before, 1);
    if (!code)
        sides->looked_at |= (uint8_t)side;
    return code;
}

/* Two on either side: a page that has been put together with the one beside it may be so once more with the next, until something is deleted there. */
static int look_around(const struct route *r)
{
    enum { BESIDE = 2 };
    const uint32_t last = r->tree.depth - 1u;
    struct trust_side *sides = sides_of(r->trust, r->txn, r->numbers[last]);
    int code = 0;

    if (sides->looked_at & AROUND)
        return 0;
    for (uint32_t deep = 1; !code && deep <= last; deep++) {
        code = look_beside(r, deep, false, BESIDE);
        if (!code)
            code = look_beside(r, deep, true, BESIDE);
    }
    if (!code)
        sides->looked_at |= AROUND;
    return code;
}

/* All of it, as far as it has few pages and none is damaged; the rest is seen by the way. */
static void look_whole(struct txn *txn, enum tree tree, struct route *r)
{
    int code = enter_root(txn, tree, r);

    if (!code)
        code = enter_end(r, 0, r->tree.depth - 1u, false);
    for (int leaves = 1; !code && leaves < rig.trust_whole_leaves; leaves++)
        code = step(r, r->tree.depth - 1u, false);
    r->trust->trees[tree] = code == MDB_NOTFOUND ? TRUST_WHOLE : TRUST_BY_WAY;
}

/* *done: nothing more is to be looked at. */
static int begin(struct txn *txn, enum tree tree, struct route *r, bool *done)
{
    struct trust *trust = &txn->store->trust;

    if (trust->trees[tree] == TRUST_NOT_YET)
        look_whole(txn, tree, r);
    int code = trust->trees[tree] == TRUST_WHOLE ? MDB_NOTFOUND : enter_root(txn, tree, r);
    *done = code == MDB_NOTFOUND;
    return *done ? 0 : code;
}

/* To the leaf where the key lies, or would lie. */
static int go(struct txn *txn, enum tree tree, struct slice key, struct route *r, bool *done)
{
    uint32_t way;
    int code = begin(txn, tree, r, done);

    for (uint32_t deep = 0; !code && !*done && deep + 1 < r->tree.depth; deep++)
        code = snapshot_way(r->pages[deep], r->counts[deep], key, &way) ? enter_child(r, deep, way) : MDB_CORRUPTED;
    return code;
}

int trust_look_way(struct txn *txn, enum tree tree, struct slice key)
{
    struct route r;
    bool done;
    int code = go(txn, tree, key, &r, &done);

    return code || done ? code : look_at_edges(&r, key);
}

int trust_look_around(struct txn *txn, enum tree tree, struct slice key)
{
    struct route r;
    bool done;
    int code = go(txn, tree, key, &r, &done);

    return code || done ? code : look_around(&r);
}

int trust_look_outermost(struct txn *txn, enum tree tree, bool last)
{
    struct route r;
    bool done;
    int code = begin(txn, tree, &r, &done);

    return code || done ? code : enter_end(&r, 0, r.tree.depth - 1u, last);
}

void trust_note_arrived(struct cursor *c, MDB_val key)
{
    c->stands = slice_of_val(key);
    if (is_mapped(c->txn->store, key.mv_data))
        return;
    if (c->stands.len > sizeof c->stood) /* of a damaged leaf */
        c->stands.len = sizeof c->stood;
    memcpy(c->stood, c->stands.data, c->stands.len); /* the transaction's own leaf may be gone when it is moved on */
    c->stands.data = c->stood;
}

int trust_look_beside(struct cursor *c)
{
    if (!is_mapped(c->txn->store, c->stands.data))
        return trust_look_around(c->txn, c->tree, c->stands);
    const uint64_t page = (uint64_t)(page_under(c->stands.data) - c->txn->store->map_at) / DATA_PAGE_BYTES;
    return sides_of(&c->txn->store->trust, c->txn, page)->looked_at & AROUND ? 0 : trust_look_around(c->txn, c->tree, c->stands);
}
