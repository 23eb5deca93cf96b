#include "engine/page.h"

static bool places_are_sound(const struct page_head *head, const struct page_rules *rules)
{
    const unsigned least = rules->is_leaf || rules->is_free_list ? 1 : 2; /* LMDB asserts that a branch has two, but in the free list */
    return head->places_end % 2 == 0 && head->places_end >= sizeof *head + 2 * least && head->places_end <= head->nodes_begin &&
           head->nodes_begin <= DATA_PAGE_BYTES;
}

static int key_cmp(const struct page_rules *rules, struct slice a, struct slice b)
{
    if (!rules->is_free_list)
        return slice_cmp(a, b);
    const uint64_t x = page_u64(a.data), y = page_u64(b.data);
    return (x > y) - (x < y);
}

static bool is_within(const struct page_rules *rules, struct slice key, struct page_bounds bounds)
{
    return (slice_is_null(bounds.from) || key_cmp(rules, key, bounds.from) >= 0) &&
           (slice_is_null(bounds.to) || key_cmp(rules, key, bounds.to) < 0);
}

/* Nodes begin at even places. */
enum { UNITS = DATA_PAGE_BYTES / 2 };

/* Whether no node before has taken of that; it is taken then. */
static bool take(uint64_t taken[UNITS / 64], uint32_t place, size_t len)
{
    const uint32_t end = (uint32_t)((place + len + 1) / 2);

    for (uint32_t from = place / 2, to; from < end; from = to) {
        to = (from / 64 + 1) * 64 < end ? (from / 64 + 1) * 64 : end;
        const uint64_t bits = (to - from == 64 ? UINT64_MAX : (UINT64_C(1) << (to - from)) - 1) << from % 64;
        if (taken[from / 64] & bits)
            return false;
        taken[from / 64] |= bits;
    }
    return true;
}

bool page_is_in_order(const uint8_t *page, const struct page_rules *rules, struct page_bounds bounds)
{
    const unsigned leaf_flags = NODE_IS_LARGE | (rules->is_main ? NODE_IS_TREE : 0);
    struct slice last = SLICE_NULL;
    struct page_head head;
    struct node_head node;
    const uint8_t *at;
    uint64_t taken[UNITS / 64] = { 0 };

    memcpy(&head, page, sizeof head);
    if (!places_are_sound(&head, rules))
        return false;
    const uint32_t count = (head.places_end - (uint32_t)sizeof head) / 2;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t place = page_place(page, i);
        if (place < head.nodes_begin || place % 2 || !page_node(page, i, &node, &at))
            return false;
        const struct slice key = slice_of(at, node.key_len);
        const size_t stored = rules->is_leaf ? node_stored(&node) : 0;
        if (stored > (size_t)(page + DATA_PAGE_BYTES - at) - key.len)
            return false;
        if (!take(taken, place, sizeof node + key.len + stored))
            return false;
        if (!rules->is_leaf && i == 0)
            continue;
        if (rules->is_free_list && key.len != sizeof(uint64_t))
            return false;
        if (!is_within(rules, key, bounds) || (!slice_is_null(last) && key_cmp(rules, key, last) <= 0))
            return false;
        if (rules->is_leaf && (node.flags & ~leaf_flags))
            return false;
        last = key;
    }
    return true;
}
