/* Answers engine_estimate of engine/engine.h: exact where there is little, near enough and no dearer where there is much. */
#include "engine/coding.h"
#include "engine/token.h"
#include "tests/engine/rows.h"

static void put_many(struct rows *r, uint64_t partitions, uint32_t rows_each)
{
    struct txn *txn = rows_write(r);
    struct cell value = plain(1, 1, "0123456789");
    for (uint64_t p = 0; p < partitions; p++)
        for (uint32_t c = 0; c < rows_each; c++) {
            uint8_t key[8], clustering[4];
            put_u64(key, p);
            put_u32(clustering, c);
            struct row_update one = { .clustering = r->table.has_clustering ? slice_of(clustering, 4) : SLICE_EMPTY, .row = row_of(&value, 1) };
            struct update u = update_of(r, "");
            u.partition_key = slice_of(key, 8);
            u.rows = &one;
            u.row_count = 1;
            OK(&r->db.ctx, apply(&r->db.ctx, txn, &u));
        }
    rows_commit(r, txn);
}

static struct table_estimate estimate(struct rows *r, int64_t from, int64_t to)
{
    struct table_estimate out = { 0 };
    struct txn *txn = rows_read(r);
    OK(&r->db.ctx, engine_estimate(&r->db.ctx, txn, &r->table, from, to, &out));
    txn_abort(&txn);
    return out;
}

static uint64_t keys_between(uint64_t partitions, int64_t from, int64_t to)
{
    uint64_t n = 0;
    for (uint64_t p = 0; p < partitions; p++) {
        uint8_t key[8];
        put_u64(key, p);
        int64_t token = token_of(slice_of(key, 8));
        n += token >= from && token <= to;
    }
    return n;
}

static void test_nothing(void **state)
{
    struct rows r;
    (void)state;
    rows_open(&r, true);
    struct table_estimate e = estimate(&r, INT64_MIN, INT64_MAX);
    assert_int_equal(e.partitions, 0);
    assert_int_equal(e.partition_bytes, 0);
    rows_close(&r);
}

static void test_few_are_counted(void **state)
{
    for (int has_clustering = 0; has_clustering < 2; has_clustering++) {
        struct rows r;
        (void)state;
        rows_open(&r, has_clustering);
        put_many(&r, 300, has_clustering ? 3 : 1);
        assert_int_equal(estimate(&r, INT64_MIN, 0).partitions, keys_between(300, INT64_MIN, 0));
        assert_int_equal(estimate(&r, 1, INT64_MAX).partitions, keys_between(300, 1, INT64_MAX));
        struct table_figures figures = rows_figures(&r);
        struct table_estimate e = estimate(&r, INT64_MIN, INT64_MAX);
        assert_int_equal(e.partitions, 300);
        assert_in_range(e.partition_bytes, figures.bytes / 300 * 3 / 4, figures.bytes / 300 * 5 / 4);
        rows_close(&r);
    }
}

static void test_many_are_nearly(void **state)
{
    enum { MANY = 30000 };
    struct rows r;
    (void)state;
    rows_open(&r, false);
    put_many(&r, MANY, 1);
    struct table_figures figures = rows_figures(&r);
    int64_t bounds[][2] = { { INT64_MIN, 0 }, { 1, INT64_MAX }, { INT64_MIN, INT64_MAX }, { INT64_MIN / 4, INT64_MAX / 8 } };
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        uint64_t n = keys_between(MANY, bounds[i][0], bounds[i][1]);
        struct table_estimate e = estimate(&r, bounds[i][0], bounds[i][1]);
        assert_in_range(e.partitions, n * 85 / 100, n * 115 / 100); /* of 512 samples: a deviation of 4 in 100 */
        assert_in_range(e.partition_bytes, figures.bytes / MANY * 3 / 4, figures.bytes / MANY * 5 / 4);
    }
    rows_close(&r);
}

/* Of a partition of many rows no more are measured than of many small ones. */
static void test_a_wide_one_is_not_walked(void **state)
{
    struct rows r;
    (void)state;
    rows_open(&r, true);
    put_many(&r, 1, 3000);
    struct table_estimate whole = estimate(&r, INT64_MIN, INT64_MAX);
    put_many(&r, 1, 30000);
    struct table_estimate cut = estimate(&r, INT64_MIN, INT64_MAX);
    assert_int_equal(cut.partitions, 1);
    assert_true(whole.partition_bytes > 30000);
    assert_in_range(cut.partition_bytes, whole.partition_bytes * 5 / 4, whole.partition_bytes * 2);
    rows_close(&r);
}

/* What lies beside its row, as large values and collections do, counts. */
static void test_beside_their_rows(void **state)
{
    enum { PARTITIONS = 20, ELEMENTS = 100, LARGE = 5000 };
    static char paths[ELEMENTS][8], large[LARGE + 1];
    struct cell cells[ELEMENTS + 1];
    (void)state;
    memset(large, 'x', LARGE);
    for (int i = 0; i < ELEMENTS; i++) {
        snprintf(paths[i], sizeof paths[i], "%03d", i);
        cells[i] = at_path(plain(1, 1, "element"), paths[i]);
    }
    cells[ELEMENTS] = plain(2, 1, large);
    for (int has_clustering = 0; has_clustering < 2; has_clustering++) {
        struct rows r;
        rows_open(&r, has_clustering);
        for (int p = 0; p < PARTITIONS; p++) {
            char key[8];
            snprintf(key, sizeof key, "%d", p);
            put(&r, key, has_clustering ? "c" : "", row_of(cells, ELEMENTS + 1));
        }
        struct table_figures figures = rows_figures(&r);
        struct table_estimate e = estimate(&r, INT64_MIN, INT64_MAX);
        assert_int_equal(e.partitions, PARTITIONS);
        assert_in_range(figures.bytes / PARTITIONS, LARGE + ELEMENTS * 10, LARGE + ELEMENTS * 50);
        assert_in_range(e.partition_bytes, figures.bytes / PARTITIONS * 3 / 4, figures.bytes / PARTITIONS * 5 / 4);
        rows_close(&r);
    }
}

static uint64_t bytes_of_rows_with_collections(int rows)
{
    enum { ELEMENTS = 100 };
    static char paths[ELEMENTS][8];
    struct cell cells[ELEMENTS];
    struct rows r;
    rows_open(&r, true);
    for (int i = 0; i < ELEMENTS; i++) {
        snprintf(paths[i], sizeof paths[i], "%03d", i);
        cells[i] = at_path(plain(1, 1, "element"), paths[i]);
    }
    for (int c = 0; c < rows; c++) {
        char clustering[16];
        snprintf(clustering, sizeof clustering, "%03d", c);
        put(&r, "key", clustering, row_of(cells, ELEMENTS));
    }
    struct table_estimate e = estimate(&r, INT64_MIN, INT64_MAX);
    rows_close(&r);
    return e.partition_bytes;
}

/* Nor are more elements, where the last one that is measured is amid a collection. */
static void test_wide_collections_are_not_walked(void **state)
{
    (void)state;
    uint64_t all_measured = bytes_of_rows_with_collections(40);
    assert_in_range(bytes_of_rows_with_collections(400), all_measured, all_measured * 11 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_nothing), cmocka_unit_test(test_few_are_counted), cmocka_unit_test(test_beside_their_rows),
                                        cmocka_unit_test(test_many_are_nearly), cmocka_unit_test(test_a_wide_one_is_not_walked),
                                        cmocka_unit_test(test_wide_collections_are_not_walked) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
