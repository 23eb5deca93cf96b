#include "engine/snapshot.h"

#include "engine/coding.h"
#include "engine/environment.h"

/* ---- pages ---- */

/* A page of the tree, and how many nodes it has; NULL: it is not what it should be. */
static const uint8_t *open_page(const struct snapshot_tree *tree, uint64_t number, bool leaf, uint32_t *count)
{
    const uint8_t *page = snapshot_page(tree, number);

    if (!page)
        return NULL;
    if (leaf)
        snapshot_fetch(page);
    *count = page_number(page) == number ? page_nodes(page, leaf ? PAGE_IS_LEAF : PAGE_IS_BRANCH) : 0;
    return *count ? page : NULL;
}

static const uint8_t *open_child(const struct snapshot_tree *tree, const uint8_t *branch, uint32_t way, bool leaf, uint32_t *count)
{
    struct node_head node;
    const uint8_t *key;

    return page_node(branch, way, &node, &key) ? open_page(tree, node_child(&node), leaf, count) : NULL;
}

/* A value that has pages of its own; NULL: they are not there. */
static const uint8_t *large_value(const struct snapshot_tree *tree, const uint8_t *at, size_t len)
{
    const uint64_t number = page_u64(at);
    const uint8_t *page = snapshot_page(tree, number);
    return page && (sizeof(struct page_head) + len - 1) / DATA_PAGE_BYTES < tree->pages - number ? page + sizeof(struct page_head) : NULL;
}

bool snapshot_entry(const struct snapshot_tree *tree, const uint8_t *leaf, uint32_t at, struct slice *key, struct slice *value)
{
    struct node_head node;
    const uint8_t *k;

    if (!page_node(leaf, at, &node, &k))
        return false;
    const uint8_t *v = k + node.key_len;
    const size_t len = node_size(&node), left = (size_t)(leaf + DATA_PAGE_BYTES - v);
    const bool large = node.flags == NODE_IS_LARGE;
    if ((node.flags && !large) || left < (large ? sizeof(uint64_t) : len) || (large && !(v = large_value(tree, v, len))))
        return false;
    *key = slice_of(k, node.key_len);
    *value = slice_of(v, len);
    return true;
}

/* ---- searching ---- */

/* Which keys lie before the place that is sought. */
enum bound { LESS, LESS_OR_EQUAL };

/* A key with its first bytes as a number, which tells most others from it. Those of a shorter one have nothing behind them. */
struct sought {
    struct slice key;
    uint64_t head;
};

static inline uint64_t head_of(const uint8_t *bytes, size_t len)
{
    if (len >= sizeof(uint64_t))
        return read_u64(bytes);
    uint64_t head = 0;
    for (size_t i = 0; i < len; i++)
        head |= (uint64_t)bytes[i] << (56 - 8 * i);
    return head;
}

/* As slice_cmp, where the first bytes are the same. */
static int tail_cmp(const uint8_t *a, size_t a_len, struct slice b)
{
    const size_t both = a_len < b.len ? a_len : b.len;
    size_t i = sizeof(uint64_t);

    for (; i + sizeof(uint64_t) <= both; i += sizeof(uint64_t)) {
        const uint64_t x = read_u64(a + i), y = read_u64(b.data + i);
        if (x != y)
            return x < y ? -1 : 1;
    }
    for (; i < both; i++)
        if (a[i] != b.data[i])
            return a[i] < b.data[i] ? -1 : 1;
    return (a_len > b.len) - (a_len < b.len);
}

static inline bool lies_before(const uint8_t *there, size_t len, const struct sought *sought, enum bound bound)
{
    const uint64_t head = head_of(there, len);

    if (head != sought->head)
        return head < sought->head;
    const int order = tail_cmp(there, len, sought->key);
    return order < 0 || (order == 0 && bound == LESS_OR_EQUAL);
}

/* How many of a page's nodes lie before it, of those from `low` on; false: damaged. Which half is next is no branch, for it could only be guessed. */
static bool search(const uint8_t *page, uint32_t low, uint32_t count, const struct sought *sought, enum bound bound, uint32_t *before)
{
    for (uint32_t left = count - low; left;) {
        const uint32_t half = left / 2;
        struct node_head node;
        const uint8_t *there;
        if (!page_node(page, low + half, &node, &there))
            return false;
        const bool is = lies_before(there, node.key_len, sought, bound);
        low = is ? low + half + 1 : low;
        left = is ? left - half - 1 : half;
    }
    *before = low;
    return true;
}

bool snapshot_way(const uint8_t *branch, uint32_t count, struct slice key, uint32_t *way)
{
    const struct sought sought = { key, head_of(key.data, key.len) };
    uint32_t before;

    if (!search(branch, 1, count, &sought, LESS_OR_EQUAL, &before))
        return false;
    *way = before - 1;
    return true;
}

static int lost(struct snapshot_cursor *c)
{
    c->leaf = NULL;
    return MDB_CORRUPTED;
}

/* NULL: the way ended at a damaged page. */
static int come_to(struct snapshot_cursor *c, const uint8_t *leaf, uint32_t count)
{
    if (!leaf)
        return lost(c);
    c->leaf = leaf;
    c->count = count;
    return 0;
}

/* To the leaf that the place lies in, or behind: of a branch the last node before it, the first of which is before all. */
static int go_down(struct snapshot_cursor *c, const struct sought *sought, enum bound bound)
{
    const struct snapshot_tree *tree = &c->tree;
    uint32_t count, before, deep = 1;

    if (tree->root == NO_PAGE)
        return MDB_NOTFOUND;
    const uint8_t *page = open_page(tree, tree->root, tree->depth == deep, &count);
    for (; page && deep < tree->depth; deep++) {
        if (!search(page, 1, count, sought, bound, &before))
            return lost(c);
        c->branches[deep - 1] = page;
        c->ways[deep - 1] = (uint16_t)(before - 1);
        page = open_child(tree, page, before - 1, deep + 1 == tree->depth, &count);
    }
    return come_to(c, page, count);
}

static int arrive(struct snapshot_cursor *c, uint32_t at, struct slice *key, struct slice *value)
{
    c->at = at;
    return snapshot_entry(&c->tree, c->leaf, at, key, value) ? 0 : lost(c);
}

/* To the first or the last leaf below a branch's node. */
static int go_to_end(struct snapshot_cursor *c, uint32_t deep, const uint8_t *page, uint32_t count, bool last)
{
    for (; page && deep < c->tree.depth; deep++) {
        const uint32_t way = last ? count - 1 : 0;
        c->branches[deep - 1] = page;
        c->ways[deep - 1] = (uint16_t)way;
        page = open_child(&c->tree, page, way, deep + 1 == c->tree.depth, &count);
    }
    return come_to(c, page, count);
}

int snapshot_end(struct snapshot_cursor *c, bool last, struct slice *key, struct slice *value)
{
    uint32_t count;

    if (c->tree.root == NO_PAGE)
        return MDB_NOTFOUND;
    const uint8_t *root = open_page(&c->tree, c->tree.root, c->tree.depth == 1, &count);
    int code = go_to_end(c, 1, root, count, last);
    return code ? code : arrive(c, last ? c->count - 1 : 0, key, value);
}

const uint8_t *snapshot_next_leaf(const struct snapshot_cursor *c)
{
    const uint32_t deep = c->tree.depth;
    struct node_head node;
    const uint8_t *key;

    if (!c->leaf || deep < 2)
        return NULL;
    const uint8_t *branch = c->branches[deep - 2];
    const uint32_t way = c->ways[deep - 2] + UINT32_C(1);
    return way < page_nodes(branch, PAGE_IS_BRANCH) && page_node(branch, way, &node, &key) ? snapshot_page(&c->tree, node_child(&node)) : NULL;
}

void snapshot_expect(const struct snapshot_cursor *c, uint32_t ahead, const uint8_t *next, size_t bytes)
{
    const uint8_t *leaf = c->leaf;
    uint32_t at = c->at + ahead;

    if (at >= c->count) {
        leaf = next;
        at -= c->count;
        if (at >= page_nodes(leaf, PAGE_IS_LEAF))
            return;
    }
    const uint8_t *node = leaf + page_place(leaf, at), *end = node + bytes < leaf + DATA_PAGE_BYTES ? node + bytes : leaf + DATA_PAGE_BYTES;
    for (; node < end; node += LINE_BYTES)
        __builtin_prefetch(node);
}

int snapshot_step_far(struct snapshot_cursor *c, bool back, struct slice *key, struct slice *value)
{
    const uint32_t within = back ? c->at - 1 : c->at + 1;

    if (!c->leaf)
        return MDB_NOTFOUND;
    if (within < c->count)
        return arrive(c, within, key, value);
    for (uint32_t deep = c->tree.depth; --deep > 0;) { /* the last branch that goes on */
        const uint8_t *branch = c->branches[deep - 1];
        const uint32_t way = back ? c->ways[deep - 1] - UINT32_C(1) : c->ways[deep - 1] + UINT32_C(1);
        uint32_t count;
        if (way >= page_nodes(branch, PAGE_IS_BRANCH))
            continue;
        c->ways[deep - 1] = (uint16_t)way;
        const uint8_t *page = open_child(&c->tree, branch, way, deep + 1 == c->tree.depth, &count);
        int code = go_to_end(c, deep + 1, page, count, back);
        return code ? code : arrive(c, back ? c->count - 1 : 0, key, value);
    }
    return MDB_NOTFOUND;
}

/* Down, and how many entries of the leaf lie before the place. */
static int go(struct snapshot_cursor *c, struct slice key, enum bound branches, enum bound leaf, uint32_t *before)
{
    const struct sought sought = { key, head_of(key.data, key.len) };
    int code = go_down(c, &sought, branches);
    if (code)
        return code;
    return search(c->leaf, 0, c->count, &sought, leaf, before) ? 0 : lost(c);
}

int snapshot_from(struct snapshot_cursor *c, struct slice at, struct slice *key, struct slice *value)
{
    uint32_t before;
    int code = go(c, at, LESS_OR_EQUAL, LESS, &before);

    if (code || before < c->count)
        return code ? code : arrive(c, before, key, value);
    c->at = c->count - 1;
    return snapshot_step_far(c, false, key, value);
}

/* The last entry before it. */
static int go_back_from(struct snapshot_cursor *c, struct slice at, enum bound bound, struct slice *key, struct slice *value)
{
    uint32_t before;
    int code = go(c, at, bound, bound, &before);

    if (code || before)
        return code ? code : arrive(c, before - 1, key, value);
    c->at = 0;
    return snapshot_step_far(c, true, key, value);
}

int snapshot_up_to(struct snapshot_cursor *c, struct slice at, struct slice *key, struct slice *value)
{
    return go_back_from(c, at, LESS_OR_EQUAL, key, value);
}

int snapshot_before(struct snapshot_cursor *c, struct slice at, struct slice *key, struct slice *value)
{
    return go_back_from(c, at, LESS, key, value);
}

int snapshot_at(struct snapshot_cursor *c, struct slice at, struct slice *key, struct slice *value)
{
    uint32_t before;
    int code = go(c, at, LESS_OR_EQUAL, LESS, &before);

    if (!code && before == c->count)
        code = MDB_NOTFOUND;
    if (!code)
        code = arrive(c, before, key, value);
    return code ? code : slice_eq(*key, at) ? 0 : MDB_NOTFOUND;
}
