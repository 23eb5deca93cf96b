#include "engine/pagecheck.h"

#include <inttypes.h>
#include <unistd.h>

#include "engine/folder.h"
#include "engine/page.h"

enum {
    TREE_IS_BY_NUMBER = 0x08,
    TREE_NEVER = 0x76 /* flags that change how keys and values lie, and that ours have not */
};
enum { TREES_MOST = 16, NAME_MOST = 16, METAS = 2 };

struct node {
    uint64_t child; /* of a branch */
    uint16_t flags;
    struct slice key, value; /* value: of a leaf; of a large one the number of its first page */
    uint32_t value_len;
};

struct named_tree {
    char name[NAME_MOST];
    struct tree_record record;
};

struct check {
    struct ctx *ctx;
    int fd;
    const struct pages_first *first;
    struct findings *findings;
    struct meta meta;
    uint8_t *levels; /* a page for each level of the tree at hand */
    uint8_t *met;    /* a bit for each page; NULL: not kept */
    struct named_tree trees[TREES_MOST];
    uint32_t tree_count;
};

/* One tree on the way. */
struct visit {
    struct check *check;
    const char *name;
    const struct tree_record *record;
    struct tree_record counted;
    bool is_main, is_free_list, root_alone;
    struct slice key; /* only what leads there; null: to all */
};

static bool is_over(const struct check *c)
{
    return c->first && c->findings->count;
}

/* ---- pages ---- */

/* Nothing of what is asked for may lie behind the last page. */
static enum wr_status read_file(const struct check *c, uint64_t page, size_t skip, void *out, size_t len)
{
    ssize_t n = pread(c->fd, out, len, (off_t)(page * c->meta.page_bytes + skip));
    if (n < 0)
        return fail_errno(c->ctx, "cannot read", "the data file");
    if ((size_t)n < len) { /* cut off while it was open */
        memset((uint8_t *)out + n, 0, len - (size_t)n);
        findings_add(c->findings, "page %" PRIu64 " lies behind the end of the file", page);
    }
    return WR_OK;
}

/* They are the visit's from now on; false: they are no pages, or somebody else's. */
static bool take_pages(struct visit *v, uint64_t page, uint64_t count)
{
    struct check *c = v->check;

    if (page < METAS || page > c->meta.last_page || count > c->meta.last_page - page + 1) {
        findings_add(c->findings, "the tree %s leads to page %" PRIu64 ", which the file has not", v->name, page);
        return false;
    }
    for (uint64_t i = page; c->met && i < page + count; i++) {
        if (c->met[i / 8] >> i % 8 & 1) {
            findings_add(c->findings, "page %" PRIu64 " is there twice, the second time in the tree %s", i, v->name);
            return false;
        }
        c->met[i / 8] |= (uint8_t)(1 << i % 8);
    }
    return true;
}

/* What LMDB notes of a page in memory (dirty, loose, to be kept) it takes away before it writes it, and of one that has it in the file it believes it: such a
 * page would be changed where it lies, or not written. */
static bool is_page(const struct visit *v, const struct page_head *head, uint64_t page, unsigned kind, const char *what)
{
    if (head->number == page && head->flags == kind)
        return true;
    findings_add(v->check->findings, "page %" PRIu64 " is no %s of the tree %s", page, what, v->name);
    return false;
}

/* ---- nodes ---- */

/* Of a page that is in order. */
static struct node node_at(const uint8_t *page, uint32_t i, bool is_leaf)
{
    struct node_head head;
    const uint8_t *key;

    if (!page_node(page, i, &head, &key))
        return (struct node){ 0 };
    return (struct node){ .child = node_child(&head),
                          .flags = head.flags,
                          .key = slice_of(key, head.key_len),
                          .value = slice_of(key + head.key_len, is_leaf ? node_stored(&head) : 0),
                          .value_len = (uint32_t)node_size(&head) };
}

/* ---- values ---- */

/* The pages of a large value. */
static enum wr_status check_large(struct visit *v, uint64_t page, uint32_t len)
{
    struct check *c = v->check;
    struct page_head head;
    uint32_t pages;

    if (!take_pages(v, page, 1))
        return WR_OK;
    TRY(read_file(c, page, 0, &head, sizeof head));
    memcpy(&pages, &head.places_end, sizeof pages);
    if (!is_page(v, &head, page, PAGE_IS_LARGE, "large value"))
        return WR_OK;
    if ((uint64_t)pages * c->meta.page_bytes < sizeof head + (uint64_t)len)
        findings_add(c->findings, "page %" PRIu64 " has less than its value of %" PRIu32 " bytes", page, len);
    else if (pages == 1 || take_pages(v, page + 1, pages - 1))
        v->counted.large_pages += pages;
    return WR_OK;
}

static void take_free_pages(struct visit *v, const uint8_t *numbers, uint64_t bytes)
{
    uint64_t count = bytes / sizeof count ? page_u64(numbers) : 0;

    if (count >= bytes / sizeof count) {
        findings_add(v->check->findings, "the free list has fewer pages than it says");
        return;
    }
    for (uint64_t i = 1; i <= count; i++)
        take_pages(v, page_u64(numbers + i * sizeof count), 1);
}

static enum wr_status check_free_pages(struct visit *v, const struct node *node)
{
    struct check *c = v->check;

    if (!(node->flags & NODE_IS_LARGE)) {
        take_free_pages(v, node->value.data, node->value.len);
        return WR_OK;
    }
    struct arena_mark mark = arena_mark(c->ctx->arena);
    uint8_t *numbers = NEW_ROOM(c->ctx, uint8_t, node->value_len);
    if (!numbers)
        return WR_NOMEM;
    TRY(read_file(c, page_u64(node->value.data), sizeof(struct page_head), numbers, node->value_len));
    take_free_pages(v, numbers, node->value_len);
    arena_rewind(c->ctx->arena, mark);
    return WR_OK;
}

static bool is_name(struct slice name)
{
    for (size_t i = 0; i < name.len; i++)
        if (name.data[i] < 'a' || name.data[i] > 'z')
            return false;
    return name.len < NAME_MOST;
}

/* A tree is known by its name in the main one. */
static void keep_tree(struct check *c, const struct node *node)
{
    struct named_tree *tree = &c->trees[c->tree_count];

    if (c->tree_count == TREES_MOST || !is_name(node->key) || node->value.len != sizeof tree->record) {
        findings_add(c->findings, "the main tree has a tree that is none of ours");
        return;
    }
    memcpy(tree->name, node->key.data, node->key.len);
    tree->name[node->key.len] = '\0';
    memcpy(&tree->record, node->value.data, sizeof tree->record);
    c->tree_count++;
}

static enum wr_status check_value(struct visit *v, const struct node *node)
{
    uint64_t findings = v->check->findings->count;

    v->counted.entries++;
    if (node->flags & NODE_IS_TREE)
        keep_tree(v->check, node);
    else if (node->flags & NODE_IS_LARGE)
        TRY(check_large(v, page_u64(node->value.data), node->value_len));
    if (v->is_free_list && v->check->findings->count == findings)
        TRY(check_free_pages(v, node));
    return WR_OK;
}

/* ---- trees ---- */

/* Those of a page's nodes that are met on the way to the key, and to the one behind it: from *first to before *end. */
static void nodes_on_the_way(const struct visit *v, const uint8_t *page, uint32_t count, bool is_leaf, uint32_t *first, uint32_t *end)
{
    uint32_t met = is_leaf ? 1 : 2, i = 0;

    *first = 0;
    *end = count;
    if (slice_is_null(v->key))
        return;
    while (i < count && slice_cmp(node_at(page, i, is_leaf).key, v->key) < 0)
        i++;
    *first = is_leaf || !i ? i : i - 1; /* below a branch's node lies what is not less than its key */
    if (count - *first > met)
        *end = *first + met;
}

static enum wr_status check_page(struct visit *v, uint64_t number, unsigned level, struct page_bounds bounds);

static enum wr_status check_nodes(struct visit *v, const uint8_t *page, unsigned level, bool is_leaf,
                                  struct page_bounds bounds)
{
    const struct page_head *head = (const void *)page;
    const uint32_t count = (head->places_end - (uint32_t)sizeof *head) / 2;
    uint32_t i, end;

    nodes_on_the_way(v, page, count, is_leaf, &i, &end);
    for (; i < end && !is_over(v->check); i++) {
        struct node node = node_at(page, i, is_leaf);
        if (is_leaf) {
            TRY(check_value(v, &node));
            continue;
        }
        struct page_bounds below = { i ? node.key : bounds.from,
                                i + 1 < count ? node_at(page, i + 1, false).key : bounds.to };
        TRY(check_page(v, node.child, level + 1, below));
    }
    return WR_OK;
}

static enum wr_status check_page(struct visit *v, uint64_t number, unsigned level, struct page_bounds bounds)
{
    struct check *c = v->check;
    const bool is_leaf = level + 1 == v->record->depth;
    uint8_t *page = c->levels + (size_t)level * c->meta.page_bytes;
    const struct page_head *head = (const void *)page;

    TRY(ctx_go_on(c->ctx));
    if (!take_pages(v, number, 1))
        return WR_OK;
    TRY(read_file(c, number, 0, page, c->meta.page_bytes));
    if (!is_page(v, head, number, is_leaf ? PAGE_IS_LEAF : PAGE_IS_BRANCH, is_leaf ? "leaf" : "branch"))
        return WR_OK;
    const struct page_rules rules = { .is_leaf = is_leaf, .is_main = v->is_main, .is_free_list = v->is_free_list };
    if (!page_is_in_order(page, &rules, bounds)) {
        findings_add(c->findings, "page %" PRIu64 " of the tree %s has entries that lie outside of it, or in no order",
                     number, v->name);
        return WR_OK;
    }
    ++*(is_leaf ? &v->counted.leaf_pages : &v->counted.branch_pages);
    return v->root_alone ? WR_OK : check_nodes(v, page, level, is_leaf, bounds);
}

static bool counts_agree(const struct tree_record *a, const struct tree_record *b)
{
    return a->branch_pages == b->branch_pages && a->leaf_pages == b->leaf_pages && a->large_pages == b->large_pages &&
           a->entries == b->entries;
}

static enum wr_status check_tree(struct visit *v)
{
    struct check *c = v->check;
    const uint64_t findings = c->findings->count;
    const struct tree_record *record = v->record;

    if ((record->flags & TREE_NEVER) || !(record->flags & TREE_IS_BY_NUMBER) == v->is_free_list) {
        findings_add(c->findings, "the tree %s is of another kind than ours", v->name);
        return WR_OK;
    }
    if (record->root != NO_PAGE) {
        if (record->depth == 0 || record->depth > TREE_DEPTH_MOST)
            findings_add(c->findings, "the tree %s says it is %d pages deep", v->name, record->depth);
        else
            TRY(check_page(v, record->root, 0, (struct page_bounds){ 0 }));
    }
    if (c->findings->count == findings && !v->root_alone && slice_is_null(v->key) && !counts_agree(record, &v->counted))
        findings_add(c->findings,
                     "the tree %s has %" PRIu64 " entries on %" PRIu64 " pages, and says %" PRIu64 " on %" PRIu64,
                     v->name, v->counted.entries, (v->counted.leaf_pages + v->counted.branch_pages), record->entries,
                     (record->leaf_pages + record->branch_pages));
    return WR_OK;
}

static enum wr_status check_trees(struct check *c)
{
    struct visit main = { .check = c, .name = "main", .record = &c->meta.main, .is_main = true };
    struct visit free_list = {
        .check = c, .name = "of free pages", .record = &c->meta.free_list, .is_free_list = true, .root_alone = c->first && !c->first->free_list
    };

    TRY(check_tree(&main));
    for (uint32_t i = 0; i < c->tree_count && !is_over(c); i++) {
        struct visit v = { .check = c, .name = c->trees[i].name, .record = &c->trees[i].record };
        v.root_alone = c->first && strcmp(v.name, c->first->tree) != 0;
        v.key = c->first ? c->first->key : SLICE_NULL;
        TRY(check_tree(&v));
    }
    return is_over(c) ? WR_OK : check_tree(&free_list);
}

enum wr_status pagecheck(struct ctx *ctx, int fd, const uint8_t meta[META_BYTES], const struct pages_first *first,
                         struct findings *findings)
{
    struct check c = { .ctx = ctx, .fd = fd, .first = first, .findings = findings };

    if (!meta_decode(meta, &c.meta)) {
        findings_add(findings, "the meta page is damaged");
        return WR_OK;
    }
    c.levels = mem_alloc((size_t)TREE_DEPTH_MOST * c.meta.page_bytes);
    c.met = first ? NULL : mem_alloc(c.meta.last_page / 8 + 1);
    enum wr_status st = c.levels && (first || c.met) ? check_trees(&c) : fail_nomem(ctx);
    mem_free(c.levels);
    mem_free(c.met);
    return st;
}
