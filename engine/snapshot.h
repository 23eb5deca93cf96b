/*
 * snapshot.h - a tree of LMDB as a read's snapshot has it, and a cursor over it: its pages are read where they lie in the map, without LMDB's cursors.
 *
 * What a snapshot has stays as it is until its reads end. All that is read of a page is checked before it is trusted, so a damaged one is told of, and leads
 * neither out of the map nor, since all leaves lie as deep as the tree's record says, anywhere for ever. What a transaction has written and not committed lies
 * elsewhere, in LMDB's hands: its cursors are LMDB's.
 *
 * Functions give 0 or LMDB's codes: MDB_NOTFOUND, MDB_CORRUPTED.
 */
#ifndef WR_ENGINE_SNAPSHOT_H
#define WR_ENGINE_SNAPSHOT_H

#include "engine/page.h"
#include "engine/slice.h"

struct snapshot_tree {
    const uint8_t *map; /* NULL: not looked up yet */
    uint64_t pages;     /* none is behind the first so many */
    uint64_t root;      /* NO_PAGE: the tree is empty */
    uint16_t depth;     /* of its leaves, from 1 on */
};

/* The page of that number if there is one; not looked at yet. */
static inline const uint8_t *snapshot_page(const struct snapshot_tree *tree, uint64_t number)
{
    return number < tree->pages ? tree->map + number * DATA_PAGE_BYTES : NULL;
}

static inline void snapshot_fetch(const uint8_t *page)
{
    enum { LINES = 3 }; /* the head, and the places of most pages */

    for (int i = 0; i < LINES; i++)
        __builtin_prefetch(page + i * LINE_BYTES);
}

/* The node of a branch below which the key lies, or would; false: the page is damaged. */
bool snapshot_way(const uint8_t *branch, uint32_t count, struct slice key, uint32_t *way);

/* An entry of a leaf, by its node: where key and value lie. False: they are not within their pages. */
bool snapshot_entry(const struct snapshot_tree *tree, const uint8_t *leaf, uint32_t at, struct slice *key, struct slice *value);

/* A small struct its owner keeps. It owns nothing. */
struct snapshot_cursor {
    struct snapshot_tree tree;
    const uint8_t *leaf; /* NULL: it stands nowhere */
    uint32_t at, count;
    const uint8_t *branches[TREE_DEPTH_MOST]; /* above it, from the root */
    uint16_t ways[TREE_DEPTH_MOST];           /* the node of each that was gone by */
};

static inline void snapshot_begin(struct snapshot_cursor *c, const struct snapshot_tree *tree)
{
    c->tree = *tree;
    c->leaf = NULL;
}

/* Each gives the entry arrived at. Where there is none a step leaves the cursor where it is, the others anywhere. */
int snapshot_end(struct snapshot_cursor *c, bool last, struct slice *key, struct slice *value); /* the first, or the last */
int snapshot_from(struct snapshot_cursor *c, struct slice at, struct slice *key, struct slice *value); /* first >= at */
int snapshot_up_to(struct snapshot_cursor *c, struct slice at, struct slice *key, struct slice *value); /* last <= at */
int snapshot_before(struct snapshot_cursor *c, struct slice at, struct slice *key, struct slice *value); /* last < at */
int snapshot_at(struct snapshot_cursor *c, struct slice at, struct slice *key, struct slice *value);
const uint8_t *snapshot_next_leaf(const struct snapshot_cursor *c); /* behind its own, below the same branch, not looked at yet; NULL: not known */
/* The entry so many steps ahead, in its leaf or in `next`, will be asked for: the memory of so many bytes of it is fetched meanwhile. */
void snapshot_expect(const struct snapshot_cursor *c, uint32_t ahead, const uint8_t *next, size_t bytes);
int snapshot_step_far(struct snapshot_cursor *c, bool back, struct slice *key, struct slice *value); /* into another leaf */

static inline int snapshot_step(struct snapshot_cursor *c, bool back, struct slice *key, struct slice *value)
{
    uint32_t at = back ? c->at - 1 : c->at + 1; /* before the first: beyond every count */

    if (!c->leaf || at >= c->count || !snapshot_entry(&c->tree, c->leaf, at, key, value))
        return snapshot_step_far(c, back, key, value);
    c->at = at;
    return 0;
}

#endif
