/* Answers engine/page.h: what a page of a tree has to be, looked at byte by byte. */
#include "engine/page.h"
#include "tests/engine/database.h"

/* A page as LMDB would fill it: nodes from the end on, in order. */
struct made {
    _Alignas(DATA_PAGE_BYTES) uint8_t bytes[DATA_PAGE_BYTES];
    uint32_t count;
    uint16_t places[16];
};

static const struct page_rules leaf = { .is_leaf = true }, branch = { 0 }, main_leaf = { .is_leaf = true, .is_main = true },
                               free_leaf = { .is_leaf = true, .is_free_list = true }, free_branch = { .is_free_list = true };
static const struct page_bounds anywhere = { { NULL, 0 }, { NULL, 0 } };

static struct page_head *head_of(struct made *m)
{
    return (struct page_head *)m->bytes;
}

static void set_place(struct made *m, uint32_t i, uint16_t place)
{
    memcpy(m->bytes + sizeof(struct page_head) + i * sizeof place, &place, sizeof place);
}

static void make(struct made *m, uint16_t kind)
{
    memset(m, 0, sizeof *m);
    *head_of(m) = (struct page_head){ .number = 7, .flags = kind, .places_end = sizeof(struct page_head), .nodes_begin = DATA_PAGE_BYTES };
}

static struct node_head *node_of(struct made *m, uint32_t i)
{
    return (struct node_head *)(m->bytes + m->places[i]);
}

/* Value bytes: of a leaf. */
static void add(struct made *m, struct slice key, size_t value_len, uint16_t flags)
{
    size_t stored = flags & NODE_IS_LARGE ? sizeof(uint64_t) : value_len, len = (sizeof(struct node_head) + key.len + stored + 1) / 2 * 2;
    struct page_head *head = head_of(m);

    head->nodes_begin = (uint16_t)(head->nodes_begin - len);
    m->places[m->count] = head->nodes_begin;
    set_place(m, m->count, head->nodes_begin);
    *node_of(m, m->count) = (struct node_head){ (uint16_t)value_len, (uint16_t)(value_len >> 16), flags, (uint16_t)key.len };
    memcpy(m->bytes + head->nodes_begin + sizeof(struct node_head), key.data, key.len);
    head->places_end = (uint16_t)(sizeof *head + ++m->count * sizeof(uint16_t));
}

static void make_of(struct made *m, uint16_t kind, const char *const keys[], uint32_t count)
{
    make(m, kind);
    for (uint32_t i = 0; i < count; i++)
        add(m, slice_str(keys[i]), kind == PAGE_IS_LEAF ? 5 : 0, 0);
}

static bool in_order(const struct made *m, const struct page_rules *rules, const char *from, const char *to)
{
    return page_is_in_order(m->bytes, rules, (struct page_bounds){ from ? slice_str(from) : SLICE_NULL, to ? slice_str(to) : SLICE_NULL });
}

static void keys_are_in_order_and_within_bounds(void **state)
{
    static const char *const good[] = { "b", "ba", "c" }, *const twice[] = { "b", "c", "c" }, *const turned[] = { "b", "d", "c" };
    struct made m;
    (void)state;

    make_of(&m, PAGE_IS_LEAF, good, 3);
    assert_true(in_order(&m, &leaf, NULL, NULL));
    assert_true(in_order(&m, &leaf, "b", "ca"));
    assert_false(in_order(&m, &leaf, "ba", NULL));
    assert_false(in_order(&m, &leaf, NULL, "c"));
    make_of(&m, PAGE_IS_LEAF, twice, 3);
    assert_false(in_order(&m, &leaf, NULL, NULL));
    make_of(&m, PAGE_IS_LEAF, turned, 3);
    assert_false(in_order(&m, &leaf, NULL, NULL));
    /* The first key of a branch is as good as the least. */
    make_of(&m, PAGE_IS_BRANCH, turned + 1, 2);
    assert_true(in_order(&m, &branch, "c", "d"));
    assert_false(in_order(&m, &branch, "ca", NULL));
    assert_false(in_order(&m, &branch, NULL, "c"));
}

static void nodes_lie_in_the_page_and_beside_each_other(void **state)
{
    static const char *const keys[] = { "key1", "key2" };
    struct made m;
    (void)state;

    make_of(&m, PAGE_IS_LEAF, keys, 2);
    node_of(&m, 0)->size_low = 6; /* up to the page's end, to which there was a byte */
    assert_true(in_order(&m, &leaf, NULL, NULL));
    node_of(&m, 0)->size_low = 7;
    assert_false(in_order(&m, &leaf, NULL, NULL));
    make_of(&m, PAGE_IS_LEAF, keys, 2);
    node_of(&m, 1)->size_low = 6;
    assert_true(in_order(&m, &leaf, NULL, NULL));
    node_of(&m, 1)->size_low = 7; /* into the one behind it */
    assert_false(in_order(&m, &leaf, NULL, NULL));
    make_of(&m, PAGE_IS_LEAF, keys, 2);
    node_of(&m, 1)->size_high = 1;
    assert_false(in_order(&m, &leaf, NULL, NULL));
    make_of(&m, PAGE_IS_LEAF, keys, 2);
    node_of(&m, 0)->size_low = 0;
    node_of(&m, 0)->key_len = (uint16_t)(DATA_PAGE_BYTES - sizeof(struct node_head) - m.places[0]);
    assert_true(in_order(&m, &leaf, NULL, NULL));
    node_of(&m, 0)->key_len++;
    assert_false(in_order(&m, &leaf, NULL, NULL));
    make_of(&m, PAGE_IS_LEAF, keys, 2);
    set_place(&m, 1, m.places[0]); /* one twice */
    assert_false(in_order(&m, &leaf, NULL, NULL));
    make_of(&m, PAGE_IS_LEAF, keys, 2);
    memmove(m.bytes + m.places[1] - 1, m.bytes + m.places[1], sizeof(struct node_head) + 4);
    head_of(&m)->nodes_begin = (uint16_t)(m.places[1] - 1); /* odd */
    set_place(&m, 1, (uint16_t)(m.places[1] - 1));
    assert_false(in_order(&m, &leaf, NULL, NULL));
    make_of(&m, PAGE_IS_LEAF, keys, 2);
    head_of(&m)->nodes_begin = (uint16_t)(m.places[1] + 2); /* one lies before */
    assert_false(in_order(&m, &leaf, NULL, NULL));
    make_of(&m, PAGE_IS_LEAF, keys, 2);
    set_place(&m, 1, DATA_PAGE_BYTES - 2);
    assert_false(in_order(&m, &leaf, NULL, NULL));
}

static void places_end_where_nodes_begin_or_before(void **state)
{
    static const char *const keys[] = { "key1", "key2" };
    struct made m;
    (void)state;

    make_of(&m, PAGE_IS_LEAF, keys, 0);
    assert_false(in_order(&m, &leaf, NULL, NULL));
    make_of(&m, PAGE_IS_LEAF, keys, 1);
    assert_true(in_order(&m, &leaf, NULL, NULL));
    head_of(&m)->places_end++;
    assert_false(in_order(&m, &leaf, NULL, NULL));
    make_of(&m, PAGE_IS_LEAF, keys, 2);
    head_of(&m)->nodes_begin = head_of(&m)->places_end;
    assert_true(in_order(&m, &leaf, NULL, NULL));
    head_of(&m)->nodes_begin--;
    assert_false(in_order(&m, &leaf, NULL, NULL));
    make_of(&m, PAGE_IS_BRANCH, keys, 1); /* of which LMDB asserts that it has two, but in the list of free pages */
    assert_false(in_order(&m, &branch, NULL, NULL));
    assert_true(in_order(&m, &free_branch, NULL, NULL));
    make_of(&m, PAGE_IS_BRANCH, keys, 2);
    assert_true(in_order(&m, &branch, NULL, NULL));
}

static void nodes_are_of_their_tree(void **state)
{
    static const uint64_t numbers[] = { 255, 256, 1 << 20 }; /* whose bytes are in another order */
    struct made m;
    (void)state;

    make(&m, PAGE_IS_LEAF);
    add(&m, slice_str("large"), 100000, NODE_IS_LARGE);
    assert_true(in_order(&m, &leaf, NULL, NULL));
    add(&m, slice_str("tree"), 48, NODE_IS_TREE);
    assert_false(in_order(&m, &leaf, NULL, NULL));
    assert_true(in_order(&m, &main_leaf, NULL, NULL));
    node_of(&m, 1)->flags = 4;
    assert_false(in_order(&m, &main_leaf, NULL, NULL));

    make(&m, PAGE_IS_LEAF);
    for (int i = 0; i < 3; i++)
        add(&m, slice_of((const uint8_t *)&numbers[i], sizeof numbers[i]), 8, 0);
    assert_true(page_is_in_order(m.bytes, &free_leaf, anywhere));
    assert_false(page_is_in_order(m.bytes, &leaf, anywhere));
    add(&m, slice_str("\xff\xff\xff\xff\xff\xff\xff"), 8, 0); /* none of seven bytes */
    assert_false(page_is_in_order(m.bytes, &free_leaf, anywhere));
}

/* What LMDB 0.9 allows of a leaf's node, and what it says of any page it makes. */
static void it_is_as_lmdb_lays_it_out(void **state)
{
    struct made m;
    (void)state;

    assert_int_equal(NODE_MOST, 2038);
    make(&m, PAGE_IS_LEAF);
    assert_int_equal(page_nodes(m.bytes, PAGE_IS_LEAF), 0);
    add(&m, slice_str("key"), 10, 0);
    assert_int_equal(page_nodes(m.bytes, PAGE_IS_LEAF), 1);
    assert_int_equal(page_nodes(m.bytes, PAGE_IS_BRANCH), 0);
    head_of(&m)->flags = PAGE_IS_LEAF | PAGE_HAS_KEYS_ALONE;
    assert_int_equal(page_nodes(m.bytes, PAGE_IS_LEAF), 0);
    head_of(&m)->flags = PAGE_IS_LEAF;
    head_of(&m)->places_end = DATA_PAGE_BYTES + 1;
    assert_int_equal(page_nodes(m.bytes, PAGE_IS_LEAF), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_in_order_and_within_bounds),
        cmocka_unit_test(nodes_lie_in_the_page_and_beside_each_other),
        cmocka_unit_test(places_end_where_nodes_begin_or_before),
        cmocka_unit_test(nodes_are_of_their_tree),
        cmocka_unit_test(it_is_as_lmdb_lays_it_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
