/* Answers model/sort.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#undef fail /* ctx.h has one */

#include "model/sort.h"

enum { ITEMS_MAX = 40 };

struct item {
    int key, number;
};

struct wide_item {
    struct item item;
    uint8_t more[120];
};

static int cmp_keys(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static void assert_follows(struct item before, struct item after)
{
    assert_true(before.key < after.key || (before.key == after.key && before.number < after.number));
}

static void few_items_are_in_order_and_equals_stay(void **state)
{
    struct item items[ITEMS_MAX];
    (void)state;
    srand(1);
    for (int run = 0; run < 2000; run++) {
        int n = rand() % 17, keys = 1 + rand() % 8;
        for (int i = 0; i < n; i++)
            items[i] = (struct item){ rand() % keys, i };
        sort_few(items, (size_t)n, sizeof *items, cmp_keys);
        for (int i = 1; i < n; i++)
            assert_follows(items[i - 1], items[i]);
    }
}

static void many_and_wide_ones_are_in_order(void **state)
{
    struct wide_item wide[ITEMS_MAX];
    struct item items[ITEMS_MAX];
    (void)state;
    for (int i = 0; i < ITEMS_MAX; i++) {
        items[i] = (struct item){ i * 7 % ITEMS_MAX, i };
        wide[i] = (struct wide_item){ .item = items[i], .more = { [119] = (uint8_t)(i * 7 % ITEMS_MAX) } };
    }
    sort_few(items, ITEMS_MAX, sizeof *items, cmp_keys);
    sort_few(wide, 10, sizeof *wide, cmp_keys);
    for (int i = 0; i < ITEMS_MAX; i++)
        assert_int_equal(items[i].key, i);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(wide[i].more[119], wide[i].item.key);
        if (i)
            assert_follows(wide[i - 1].item, wide[i].item);
    }
}

static int cmp_and_count(const void *a, const void *b, const void *arg)
{
    ++*(int *)(uintptr_t)arg;
    return cmp_keys(a, b);
}

static void sort_counted(struct item *items, int n, int *compared)
{
    struct arena arena;
    struct ctx ctx;
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    *compared = 0;
    assert_int_equal(sort_stably(&ctx, items, (size_t)n, sizeof *items, cmp_and_count, compared), WR_OK);
    for (int i = 1; i < n; i++)
        assert_follows(items[i - 1], items[i]);
    arena_release(&arena);
}

static void stable_sorting_keeps_equals(void **state)
{
    struct item items[ITEMS_MAX];
    int compared;
    (void)state;
    srand(2);
    for (int run = 0; run < 4000; run++) {
        int n = rand() % (ITEMS_MAX + 1), keys = 1 + rand() % ITEMS_MAX;
        for (int i = 0; i < n; i++)
            items[i] = (struct item){ run % 2 ? rand() % keys : i % keys, i };
        sort_counted(items, n, &compared);
    }
}

/* `first` items in order, and the rest, which belong among them, in order: each is looked at twice at most. */
static void runs_in_order_are_merged(void **state)
{
    struct item items[ITEMS_MAX];
    int compared;
    (void)state;
    for (int first = 1; first <= ITEMS_MAX; first++) {
        for (int i = 0; i < ITEMS_MAX; i++)
            items[i] = (struct item){ i < first ? i : i - first, i };
        sort_counted(items, ITEMS_MAX, &compared);
        assert_in_range(compared, ITEMS_MAX - 1, first == ITEMS_MAX ? ITEMS_MAX - 1 : 2 * ITEMS_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_items_are_in_order_and_equals_stay),
        cmocka_unit_test(many_and_wide_ones_are_in_order),
        cmocka_unit_test(stable_sorting_keeps_equals),
        cmocka_unit_test(runs_in_order_are_merged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
