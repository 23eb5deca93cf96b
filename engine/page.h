/*
 * page.h - how LMDB 0.9 lays out a page that is no meta page (datafile.h): its head, the places of its nodes in order of their keys, each u16 from
 * the page's beginning, room, and the nodes. Numbers are the machine's own.
 */
#ifndef WR_ENGINE_PAGE_H
#define WR_ENGINE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "engine/datafile.h"
#include "engine/slice.h"

enum { TREE_DEPTH_MOST = 32 }; /* LMDB's cursors have room for */
enum { LINE_BYTES = 64 }; /* what a processor's caches hold together, or pass from one core to another */

/* The other flags are LMDB's notes of a page in memory (dirty, loose, to be kept): none is in the file. */
enum { PAGE_IS_BRANCH = 0x01, PAGE_IS_LEAF = 0x02, PAGE_IS_LARGE = 0x04, PAGE_IS_META = 0x08, PAGE_KINDS = 0x0F, PAGE_HAS_KEYS_ALONE = 0x20, PAGE_IS_WITHIN = 0x40 };

struct page_head {
    uint64_t number;
    uint16_t pad, flags;
    uint16_t places_end, nodes_begin; /* of a large value: how many pages it has, u32 */
};

enum { NODE_IS_LARGE = 0x01, NODE_IS_TREE = 0x02 };

/* Key and value follow. The sizes are those of a leaf's value. */
struct node_head {
    uint16_t size_low, size_high, flags, key_len;
};

enum {
    NODE_MOST = (DATA_PAGE_BYTES - (int)sizeof(struct page_head)) / 2 - 2, /* of a leaf, head and all, with its value; a larger value has pages of its own */
    LARGE_PAGES_MOST = 1 << 20
};

/* Of a branch: the number of the page that it leads to. */
static inline uint64_t node_child(const struct node_head *node)
{
    return node->size_low | (uint64_t)node->size_high << 16 | (uint64_t)node->flags << 32;
}

static inline size_t node_size(const struct node_head *node)
{
    return node->size_low | (size_t)node->size_high << 16;
}

/* Of a leaf: how many bytes of its value lie in it; of a large one the number of its first page does. */
static inline size_t node_stored(const struct node_head *node)
{
    return node->flags & NODE_IS_LARGE ? sizeof(uint64_t) : node_size(node);
}

/* A number of LMDB's, wherever it lies. */
static inline uint64_t page_u64(const uint8_t *at)
{
    uint64_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

static inline uint64_t page_number(const uint8_t *page)
{
    return page_u64(page);
}

/* Of what lies in a page of the map: the page, and where page 0 lies. */
static inline const uint8_t *page_under(const void *in_it)
{
    return (const uint8_t *)((uintptr_t)in_it / DATA_PAGE_BYTES * DATA_PAGE_BYTES);
}

static inline const uint8_t *page_map_of(const void *in_it)
{
    return page_under(in_it) - page_number(page_under(in_it)) * DATA_PAGE_BYTES;
}

/* How many nodes it has places of; 0: it is no branch, or no leaf with values, as it should be. */
static inline uint32_t page_nodes(const uint8_t *page, uint16_t kind)
{
    struct page_head head;

    memcpy(&head, page, sizeof head);
    const bool sound = (head.flags & (PAGE_KINDS | PAGE_HAS_KEYS_ALONE | PAGE_IS_WITHIN)) == kind && head.places_end <= DATA_PAGE_BYTES;
    return sound && head.places_end > sizeof head ? (head.places_end - (uint32_t)sizeof head) / (uint32_t)sizeof(uint16_t) : 0;
}

static inline uint16_t page_place(const uint8_t *page, uint32_t i)
{
    uint16_t place;
    memcpy(&place, page + sizeof(struct page_head) + i * sizeof place, sizeof place);
    return place;
}

/* One of those nodes, and where its key lies; false: not within the page. */
static inline bool page_node(const uint8_t *page, uint32_t i, struct node_head *node, const uint8_t **key)
{
    const uint32_t place = page_place(page, i);

    if (place > DATA_PAGE_BYTES - sizeof *node)
        return false;
    memcpy(node, page + place, sizeof *node);
    *key = page + place + sizeof *node;
    return node->key_len <= DATA_PAGE_BYTES - sizeof *node - place;
}

/* What a page of a tree has to be, beside a branch or a leaf of it. */
struct page_rules {
    bool is_leaf;
    bool is_main;      /* trees may be in its leaves */
    bool is_free_list; /* its keys are u64 of the machine's */
};

struct page_bounds {
    struct slice from, to; /* keys are not before the one, and before the other; null: none */
};

/* Whether the nodes lie within the page, beside each other, in the order of their keys and within the bounds: what LMDB expects of a page that it reads or
 * changes. The first key of a branch is as good as the least that may be there. */
bool page_is_in_order(const uint8_t *page, const struct page_rules *rules, struct page_bounds bounds);

/* Whether a value that has pages of its own may be given up: LMDB takes their number and how many they are from the first one's head, whatever page that is,
 * and writes down each of up to 2^32; and where that one has notes it takes it for a page in memory, also of the file, and writes there. So it is to be asked
 * of what is about to be deleted or put anew. `flags`: which of them count, of a page of the file all. */
static inline bool page_large_is_sound(const uint8_t *value, size_t len, unsigned flags, uint32_t *pages)
{
    struct page_head head;

    memcpy(&head, value - sizeof head, sizeof head);
    memcpy(pages, value - sizeof *pages, sizeof *pages);
    return (head.flags & flags) == PAGE_IS_LARGE && *pages <= LARGE_PAGES_MOST && (uint64_t)*pages * DATA_PAGE_BYTES >= sizeof head + len;
}

#endif
