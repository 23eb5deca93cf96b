/*
 * page.h - how LMDB 0.9 lays out a page that is no meta page (datafile.h): its head, the places of its nodes in order of their keys, each u16 from
 * the page's beginning, room, and the nodes. Numbers are the machine's own.
 */
#ifndef WR_ENGINE_PAGE_H
#define WR_ENGINE_PAGE_H

#include <stdint.h>

enum { PAGE_IS_BRANCH = 0x01, PAGE_IS_LEAF = 0x02, PAGE_IS_LARGE = 0x04, PAGE_IS_META = 0x08 };

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

#endif
