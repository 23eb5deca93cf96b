/* Answers engine/counter.h through apply, as Cassandra 5.0.6 was seen to do (4, DELETE, +1 is 5). */
#include "engine/coding.h"
#include "engine/counter.h"
#include "tests/engine/rows.h"

static void add(struct rows *r, const char *clustering, int64_t timestamp_us, int64_t by)
{
    uint8_t bytes[8];
    put_u64(bytes, (uint64_t)by);
    struct cell c = { .column = 1, .flags = CELL_COUNTER, .timestamp_us = timestamp_us, .value = slice_of(bytes, 8) };
    put(r, "p", clustering, row_of(&c, 1));
}

/* INT64_MIN: no row. */
static int64_t total(struct rows *r, const char *clustering)
{
    struct ctx *ctx = &r->db.ctx;
    struct txn *txn = rows_read(r);
    struct partition p;
    struct row row;
    bool found;
    int64_t value = INT64_MIN;
    OK(ctx, partition_find(ctx, txn, &r->table, slice_str("p"), &p, &found));
    OK(ctx, row_find_live(ctx, txn, &p, slice_str(clustering), NULL, &row, &found));
    if (found)
        value = counter_value(row.cells[0].value);
    txn_abort(&txn);
    return value;
}

static void test_adding(void **state)
{
    for (int has_clustering = 0; has_clustering < 2; has_clustering++) {
        struct rows r;
        const char *c = has_clustering ? "a" : "";
        (void)state;
        rows_open(&r, has_clustering);
        add(&r, c, 5, 0); /* +0 makes a row */
        assert_true(total(&r, c) == 0);
        add(&r, c, 6, 4);
        add(&r, c, 6, 4); /* not idempotent: that is what counters are */
        add(&r, c, 7, -3);
        assert_true(total(&r, c) == 5);
        add(&r, c, 8, INT64_MAX);
        assert_true(total(&r, c) == INT64_MIN + 4);
        rows_close(&r);
    }
}

static void test_row_deletions_hide(void **state)
{
    (void)state;
    for (int has_clustering = 0; has_clustering < 2; has_clustering++) {
        struct rows r;
        const char *c = has_clustering ? "a" : "";
        int64_t expected = 0;
        rows_open(&r, has_clustering);
        for (int round = 0; round < 6; round++) {
            int64_t at = 10 * (round + 1);
            add(&r, c, at, 4);
            expected += 4;
            assert_true(total(&r, c) == expected);
            if (round % 3 == 0 || !has_clustering)
                delete_partition(&r, "p", at + 1);
            else if (round % 3 == 1)
                delete_row(&r, "p", c, at + 1);
            else
                delete_range(&r, "p", "", "b", at + 1);
            assert_true(total(&r, c) == INT64_MIN);
        }
        add(&r, c, 100, 1);
        assert_true(total(&r, c) == expected + 1);
        rows_close(&r);
    }
}

static void test_column_deletion_ends(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    add(&r, "a", 5, 4);
    put(&r, "p", "a", ROW_OF(dead(1, 6, NOW_S)));
    add(&r, "a", 7, 1);
    assert_true(total(&r, "a") == INT64_MIN);
    r.db.ctx.now_s += 864000 + 1; /* until the tombstone is purged */
    rows_sweep(&r);
    add(&r, "a", 8, 1);
    assert_true(total(&r, "a") == 1);
    rows_close(&r);
}

/* Clients that give timestamps bring a deletion of the column late: that of the row, which is later, has taken it away. */
static void test_column_deletion_beneath_a_rows(void **state)
{
    (void)state;
    struct rows r;
    struct cell end = dead(1, 6, NOW_S);
    counter_end(&end);
    rows_open(&r, true);
    add(&r, "a", 10, 4);
    delete_row(&r, "p", "a", 8);
    put(&r, "p", "a", ROW_OF(end));
    assert_true(total(&r, "a") == 4);
    add(&r, "a", 11, 1);
    assert_true(total(&r, "a") == 5);
    delete_range(&r, "p", "", "b", 9); /* one of a range takes no cells away */
    end.timestamp_us = 9;
    put(&r, "p", "a", ROW_OF(end));
    assert_true(total(&r, "a") == INT64_MIN);
    rows_close(&r);
}

/* What a server's counter is, as far as it shows: the sum of all that was ever added, and whether the column has a tombstone. */
struct model {
    int64_t sum;
    bool ended, shown;
};

static void test_any_order(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 300; seed++) {
        struct rows r;
        struct model model = { 0 };
        uint32_t random = seed * 2654435761u;
        rows_open(&r, true);
        for (int64_t at = 10; at < 300; at += 10) {
            random = random * 1664525u + 1013904223u;
            uint32_t step = random >> 28;
            if (step < 8) {
                add(&r, "a", at, step);
                model.sum += step;
                model.shown = !model.ended;
            } else if (step < 11) {
                struct cell end = dead(1, at, NOW_S);
                counter_end(&end);
                put(&r, "p", "a", ROW_OF(end));
                model.ended = true;
                model.shown = false;
            } else {
                if (step < 13)
                    delete_row(&r, "p", "a", at);
                else if (step < 15)
                    delete_range(&r, "p", "", "b", at);
                else
                    delete_partition(&r, "p", at);
                model.ended &= step >= 13;
                model.shown = false;
            }
            assert_int_equal(total(&r, "a"), model.shown ? model.sum : INT64_MIN);
        }
        rows_close(&r);
    }
}

static void test_what_is_kept_for_its_total(void **state)
{
    static const uint8_t four[COUNTER_LEN] = { [COUNTER_LEN - 1] = 4 };
    const struct deletion none = DELETION_NONE, at_9 = { .timestamp_us = 9, .local_s = 1 };
    struct cell total = { .column = 1, .flags = CELL_COUNTER, .timestamp_us = 5, .value = slice_of(four, sizeof four) }, kept, end = total;

    (void)state;
    assert_false(counter_is_buried(&total, at_9)); /* it is not dead */
    assert_true(counter_bury(&total, none, at_9, &kept) && counter_is_buried(&kept, none));
    counter_end(&end); /* is a tombstone of its own, */
    assert_false(counter_is_buried(&end, none));
    assert_true(counter_is_buried(&end, at_9)); /* until something covers it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adding),
        cmocka_unit_test(test_row_deletions_hide),
        cmocka_unit_test(test_column_deletion_ends),
        cmocka_unit_test(test_column_deletion_beneath_a_rows),
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_what_is_kept_for_its_total),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
