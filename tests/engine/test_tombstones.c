/* Answers engine/tombstones.h: what of the graveyard lies on a read's way, forwards, backwards and cut short. */
#include "engine/token.h"
#include "engine/tombstones.h"
#include "tests/engine/rows.h"

static uint64_t buried_of(struct rows *r, const char *start, const char *end, const char *last, unsigned flags, uint64_t most)
{
    struct ctx *ctx = &r->db.ctx;
    struct txn *txn = rows_read(r);
    struct partition p;
    uint64_t count = 0;
    bool found;

    OK(ctx, partition_find_any(ctx, txn, &r->table, token_of(slice_str("p")), slice_str("p"), &p, &found));
    struct stretch read = { { slice_str(start), slice_str(end) }, slice_str(last), flags & SCAN_REVERSED };
    OK(ctx, tombstones_buried(ctx, txn, &p, read, most, &count));
    txn_abort(&txn);
    return count;
}

static uint64_t buried(struct rows *r, const char *start, const char *end, const char *last, unsigned flags)
{
    return buried_of(r, start, end, last, flags, UINT64_MAX);
}

static void test_rows(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    put(&r, "p", "m", ROW_OF(plain(1, 5, "x")));
    assert_int_equal(buried(&r, "", NULL, NULL, 0), 0);
    for (const char *const *c = (const char *const[]){ "a", "c", "e", NULL }; *c; c++)
        delete_row(&r, "p", *c, 5);
    put(&r, "p", "b", ROW_OF(dead(1, 5, NOW_S), dead(2, 5, NOW_S)));
    assert_int_equal(buried(&r, "", NULL, NULL, 0), 5);
    assert_int_equal(buried(&r, "", NULL, NULL, SCAN_REVERSED), 5);
    assert_int_equal(buried(&r, "b", "e", NULL, 0), 3);
    assert_int_equal(buried(&r, "b", "e", NULL, SCAN_REVERSED), 3);
    assert_int_equal(buried(&r, "", NULL, "b", 0), 3); /* a and b */
    assert_int_equal(buried(&r, "", NULL, "b", SCAN_REVERSED), 4); /* e, c and b */
    assert_int_equal(buried(&r, "", NULL, "0", 0), 0);
    put(&r, "p", "c", ROW_OF(plain(1, 6, "x"))); /* lives again: its deletion is no row's any more */
    assert_int_equal(buried(&r, "", NULL, NULL, 0), 4);
    rows_close(&r);
}

/* Cells that are written again, later than all that is dead there, are not looked for among it; who merges when reading meets the later ones alone. */
static void test_rewritten(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    put(&r, "p", "b", ROW_OF(dead(1, 5, NOW_S), dead(2, 5, NOW_S)));
    put(&r, "p", "c", ROW_OF(at_path(dead(3, 5, NOW_S), "k"), at_path(dead(3, 5, NOW_S), "l")));
    delete_row(&r, "p", "d", 5);
    assert_int_equal(buried(&r, "", NULL, NULL, 0), 5);
    put(&r, "p", "b", ROW_OF(plain(2, 6, "x")));
    assert_int_equal(buried(&r, "", NULL, NULL, 0), 4);
    put(&r, "p", "b", ROW_OF(plain(1, 7, "x")));
    assert_int_equal(buried(&r, "", NULL, NULL, 0), 3);
    put(&r, "p", "c", ROW_OF(at_path(plain(3, 7, "x"), "l")));
    assert_int_equal(buried(&r, "", NULL, NULL, 0), 2);
    put(&r, "p", "d", ROW_OF(expiring(1, 8, "x", 1, NOW_S + 1)));
    assert_int_equal(buried(&r, "", NULL, NULL, 0), 1);
    r.db.ctx.now_s += 5; /* the cell that has expired is counted with the row */
    assert_int_equal(buried(&r, "", NULL, NULL, 0), 1);
    delete_range(&r, "p", "c", "d", 9);
    assert_int_equal(buried(&r, "", NULL, NULL, 0), 3); /* its bounds; what has expired lies in the graveyard by now */
    rows_close(&r);
}

/* A read that fails beyond so many has no use for the others, of which there may be millions. */
static void test_no_further_than_asked(void **state)
{
    (void)state;
    struct rows r;
    char name[2] = "a";
    rows_open(&r, true);
    put(&r, "p", "m", ROW_OF(plain(1, 5, "x")));
    for (; name[0] <= 'j'; name[0]++)
        delete_row(&r, "p", name, 5);
    assert_int_equal(buried_of(&r, "", NULL, NULL, 0, 20), 10);
    assert_int_equal(buried_of(&r, "", NULL, NULL, 0, 3), 4);
    delete_range(&r, "p", "p", "q", 5);
    delete_range(&r, "p", "r", "s", 5);
    assert_int_equal(buried_of(&r, "", NULL, NULL, 0, 1), 2);
    rows_close(&r);
}

/* Each end is one marker, and where two ranges meet there is one for both. */
static void test_ranges(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    delete_range(&r, "p", "b", "d", 5);
    delete_range(&r, "p", "d", "f", 6);
    delete_range(&r, "p", "k", NULL, 7);
    assert_int_equal(buried(&r, "", NULL, NULL, 0), 5);
    assert_int_equal(buried(&r, "", "c", NULL, 0), 2); /* cut by the slice, it ends there */
    assert_int_equal(buried(&r, "", NULL, "a", 0), 0);
    assert_int_equal(buried(&r, "", NULL, "b", 0), 1);
    assert_int_equal(buried(&r, "", NULL, "d", 0), 2);
    assert_int_equal(buried(&r, "", NULL, "g", 0), 3);
    assert_int_equal(buried(&r, "", NULL, "g", SCAN_REVERSED), 2);
    assert_int_equal(buried(&r, "", NULL, "e", SCAN_REVERSED), 3);
    assert_int_equal(buried(&r, "", NULL, "a", SCAN_REVERSED), 5);
    rows_close(&r);
}

static struct met in_entry(struct rows *r)
{
    struct ctx *ctx = &r->db.ctx;
    struct txn *txn = rows_read(r);
    struct met met = { 0, 0 };
    struct partition p;
    bool found;

    OK(ctx, partition_find_any(ctx, txn, &r->table, token_of(slice_str("p")), slice_str("p"), &p, &found));
    OK(ctx, tombstones_in_entry(ctx, txn, &p, &met));
    txn_abort(&txn);
    return met;
}

static void test_static_row(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    put_static(&r, "p", ROW_OF(plain(1, 5, "x"), dead(2, 5, NOW_S), expiring(3, 5, "y", 5, NOW_S + 5)));
    assert_true(in_entry(&r).live_rows == 1 && in_entry(&r).tombstones == 1);
    r.db.ctx.now_s += 5;
    assert_true(in_entry(&r).live_rows == 1 && in_entry(&r).tombstones == 2);
    put_static(&r, "p", ROW_OF(dead(1, 6, NOW_S)));
    assert_true(in_entry(&r).live_rows == 0 && in_entry(&r).tombstones == 3);
    rows_close(&r);
}

/* More of one collection than lie in its row. */
static void test_large_collection(void **state)
{
    enum { ELEMENTS = 300 };
    static char paths[ELEMENTS][8];
    static struct cell cells[ELEMENTS];
    (void)state;
    struct rows r;
    rows_open(&r, true);
    for (unsigned i = 0; i < ELEMENTS; i++) {
        snprintf(paths[i], sizeof paths[i], "e%04u", i);
        cells[i] = at_path(i % 3 ? dead(4, 5, NOW_S) : plain(4, 5, "x"), paths[i]);
    }
    put_static(&r, "p", row_of(cells, ELEMENTS));
    assert_true(in_entry(&r).live_rows == 1 && in_entry(&r).tombstones == 200);
    for (unsigned i = 0; i < ELEMENTS; i++)
        cells[i] = at_path(dead(4, 6, NOW_S), paths[i]);
    put(&r, "p", "c", row_of(cells, ELEMENTS));
    assert_int_equal(buried(&r, "", NULL, NULL, 0), ELEMENTS);
    rows_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_rewritten),
        cmocka_unit_test(test_no_further_than_asked),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_static_row),
        cmocka_unit_test(test_large_collection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
