/* Answers engine/spill.h: large values and collections beside their rows, what a small change touches, and ties. */
#include "engine/key.h"
#include "engine/spill.h"
#include "tests/engine/rows.h"

static char text_x[4000], text_y[4000];
static char path_names[20000][16];
static struct cell elements[20000];

static int set_up(void **state)
{
    (void)state;
    memset(text_x, 'x', sizeof text_x - 1);
    memset(text_y, 'y', sizeof text_y - 1);
    for (int i = 0; i < 20000; i++)
        snprintf(path_names[i], sizeof path_names[i], "%05d", i);
    return 0;
}

/* n elements of column 3, the first of them number `from`. */
static struct row set_of(int from, int n, int64_t timestamp_us)
{
    for (int i = 0; i < n; i++)
        elements[i] = at_path(plain(3, timestamp_us, "m"), path_names[from + i]);
    return row_of(elements, (uint32_t)n);
}

static struct slice value_of(size_t len)
{
    static uint8_t bytes[16384];
    memset(bytes, 'v', sizeof bytes);
    return slice_of(bytes, len);
}

static uint64_t spilled_entries(struct rows *r)
{
    struct cursor c = { 0 };
    struct slice key, value;
    struct txn *txn = rows_read(r);
    uint64_t n = 0;
    OK(&r->db.ctx, cursor_open(&r->db.ctx, &c, txn, TREE_SPILL));
    OK(&r->db.ctx, cursor_seek(&r->db.ctx, &c, SLICE_EMPTY, &key, &value));
    for (; !slice_is_null(key); n++)
        OK(&r->db.ctx, cursor_next(&r->db.ctx, &c, &key, &value));
    cursor_close(&c);
    txn_abort(&txn);
    return n;
}

/* At the limit it stays in its row, one beyond it leaves. */
static void test_limits(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    struct cell c = plain(1, 5, "");
    c.value = value_of(SPILL_CELL_BYTES);
    put(&r, "p", "a", row_of(&c, 1));
    assert_int_equal(spilled_entries(&r), 0);
    c.value = value_of(SPILL_CELL_BYTES + 1);
    c.timestamp_us = 6;
    put(&r, "p", "a", row_of(&c, 1));
    assert_int_equal(spilled_entries(&r), 1);
    put(&r, "p", "b", set_of(0, SPILL_COMPLEX_CELLS, 5));
    assert_int_equal(spilled_entries(&r), 1);
    put(&r, "p", "b", set_of(100, 1, 5));
    assert_int_equal(spilled_entries(&r), 1 + SPILL_COMPLEX_CELLS + 1);
    rows_close(&r);
}

static void test_values_come_and_go(void **state)
{
    (void)state;
    for (int has_clustering = 0; has_clustering < 2; has_clustering++) {
        struct rows r;
        const char *c = has_clustering ? "a" : "";
        rows_open(&r, has_clustering);
        put(&r, "p", c, ROW_OF(plain(1, 5, text_x), plain(2, 5, "small")));
        put(&r, "p", c, ROW_OF(plain(2, 6, "changed")));
        assert_int_equal(spilled_entries(&r), 1);
        assert_non_null(strstr(shown(&r, "p"), "(1=xxxxxxxxxxxxxxxxxxxx 2=changed)"));
        put(&r, "p", c, ROW_OF(plain(1, 4, text_y))); /* late: not kept */
        assert_int_equal(spilled_entries(&r), 1);
        put(&r, "p", c, ROW_OF(plain(1, 7, text_y)));
        assert_int_equal(spilled_entries(&r), 1);
        assert_non_null(strstr(shown(&r, "p"), "(1=yyyyyyyyyyyyyyyyyyyy 2=changed)"));
        put(&r, "p", c, ROW_OF(plain(1, 8, "short")));
        assert_int_equal(spilled_entries(&r), 0);
        put(&r, "p", c, ROW_OF(plain(1, 9, text_x)));
        delete_partition(&r, "p", 9);
        assert_int_equal(spilled_entries(&r), 0);
        rows_close(&r);
    }
}

/* With equal timestamps the greater value wins, wherever either of them lies. */
static void test_ties(void **state)
{
    (void)state;
    const char *const ladder[] = { "a", text_x, text_y, "z" };
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            struct rows r;
            const char *winner = ladder[i > j ? i : j];
            char expected[64];
            rows_open(&r, true);
            put(&r, "p", "a", ROW_OF(plain(1, 5, ladder[i])));
            put(&r, "p", "a", ROW_OF(plain(1, 5, ladder[j])));
            snprintf(expected, sizeof expected, "a(1=%.20s)", winner);
            assert_string_equal(shown(&r, "p"), expected);
            assert_int_equal(spilled_entries(&r), strlen(winner) > SPILL_CELL_BYTES);
            rows_close(&r);
        }
}

/* Promises 1 and 2 in bytes: a commit that touches something small writes a few pages, whatever lies beside it. */
static void test_small_changes_are_small(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    struct ctx *ctx = &r.db.ctx;
    static char megabyte[1 << 20];
    memset(megabyte, 'm', sizeof megabyte - 1);
    put(&r, "p", "a", ROW_OF(plain(1, 5, megabyte), plain(2, 5, "small")));
    put(&r, "p", "b", set_of(0, 10000, 5));
    struct engine_figures before, after;
    OK(ctx, engine_figures(ctx, r.db.engine, &before));
    put(&r, "p", "a", ROW_OF(plain(2, 6, "changed")));
    put(&r, "p", "b", set_of(12000, 1, 6));
    put(&r, "p", "b", ROW_OF(at_path(dead(3, 7, NOW_S), path_names[5])));
    OK(ctx, engine_figures(ctx, r.db.engine, &after));
    assert_true(after.file_bytes - before.file_bytes < 40 * 4096);
    assert_int_equal(rows_figures(&r).cells, 2 + 10000);
    rows_close(&r);
}

/* Has the row n elements that are alive; of 0 it is not there? */
static bool rows_shows(struct rows *r, const char *clustering, uint32_t n)
{
    struct txn *txn = rows_read(r);
    struct row row = ROW_NONE;
    bool found = rows_find_live(r, txn, clustering, &row);
    bool right = found == (n > 0) && (!found || row.cell_count == n);
    txn_abort(&txn);
    return right;
}

static const char *count_shown(struct rows *r)
{
    static char text[64];
    struct txn *txn = rows_read(r);
    struct row row;
    bool found = rows_find_live(r, txn, "a", &row);
    snprintf(text, sizeof text, "%s%u", found ? "" : "gone ", row.cell_count);
    for (uint32_t i = 1; i < row.cell_count; i++)
        assert_true(slice_cmp(row.cells[i - 1].path, row.cells[i].path) < 0);
    txn_abort(&txn);
    return text;
}

static void test_collection_life(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    put(&r, "p", "a", set_of(0, 5000, 5));
    put(&r, "p", "a", set_of(2500, 5000, 6));
    assert_string_equal(count_shown(&r), "7500");
    struct row row = set_of(7000, 10, 8); /* overwritten: what is newer than the tombstone stays */
    struct complex_deletion complex = { 3, { 5, NOW_S } };
    row.complex = &complex;
    row.complex_count = 1;
    put(&r, "p", "a", row);
    assert_string_equal(count_shown(&r), "5000");
    complex.deletion.timestamp_us = 7;
    put(&r, "p", "a", row);
    assert_string_equal(count_shown(&r), "10");
    assert_int_equal(spilled_entries(&r), 10);
    put(&r, "p", "a", set_of(0, 1, 7)); /* covered */
    assert_string_equal(count_shown(&r), "10");
    delete_row(&r, "p", "a", 8);
    assert_string_equal(count_shown(&r), "gone 0");
    assert_int_equal(spilled_entries(&r), 0);
    put(&r, "p", "a", set_of(0, 3, 9)); /* home again */
    assert_int_equal(spilled_entries(&r), 0);
    assert_string_equal(count_shown(&r), "3");
    rows_close(&r);
}

/* Element by element until none is left: the row dies with the last, and late elements find the tombstones. */
static void test_emptied_one_by_one(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    put(&r, "p", "a", set_of(0, 100, 5));
    for (int i = 0; i < 100; i++)
        put(&r, "p", "a", ROW_OF(at_path(dead(3, 6, NOW_S), path_names[i])));
    assert_string_equal(count_shown(&r), "gone 0");
    assert_int_equal(rows_findings(&r, false), 0);
    put(&r, "p", "a", set_of(0, 100, 5));
    assert_string_equal(count_shown(&r), "gone 0");
    put(&r, "p", "a", set_of(50, 1, 7)); /* alive again, with all the tombstones */
    put(&r, "p", "a", set_of(51, 1, 6));
    assert_string_equal(count_shown(&r), "1");
    assert_int_equal(rows_findings(&r, false), 0);
    r.db.ctx.now_s += r.table.gc_grace_s + 1;
    rows_sweep(&r);
    assert_int_equal(spilled_entries(&r), 1);
    rows_close(&r);
}

/* A living row and an older grave, both with a large collection in the same column. */
static void test_two_of_one_row(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    struct row row = set_of(0, 100, 5);
    for (int i = 0; i < 100; i++) {
        elements[i].kind = CELL_DEAD;
        elements[i].local_s = NOW_S;
        elements[i].value = SLICE_NULL;
    }
    put(&r, "p", "a", row);
    assert_int_equal(spilled_entries(&r), 100);
    put(&r, "p", "a", set_of(50, 100, 6)); /* newer than every grave: does not look there */
    assert_int_equal(spilled_entries(&r), 200);
    assert_string_equal(count_shown(&r), "100");
    put(&r, "p", "a", set_of(0, 1, 5)); /* looks, and joins the two: cells of either that the update does not touch, too */
    assert_string_equal(count_shown(&r), "100");
    assert_int_equal(spilled_entries(&r), 150);
    put(&r, "p", "a", set_of(0, 200, 5));
    assert_string_equal(count_shown(&r), "150");
    assert_int_equal(spilled_entries(&r), 200);
    assert_int_equal(rows_findings(&r, false), 0);
    delete_partition(&r, "p", 9);
    assert_int_equal(spilled_entries(&r), 0);
    rows_close(&r);
}

/* n tombstones of elements, as those of set_of. */
static struct row dead_set_of(int from, int n, int64_t timestamp_us)
{
    struct row row = set_of(from, n, timestamp_us);
    for (int i = 0; i < n; i++)
        elements[i] = at_path(dead(3, timestamp_us, NOW_S), path_names[from + i]);
    return row;
}

/* Bytes that statements have taken and not given back: what was read whole is among them. */
static size_t taken(const struct arena *arena)
{
    size_t bytes = 0;

    for (const struct arena_block *b = arena->first; b; b = b->next) {
        bytes += b->used;
        if (b == arena->current)
            break;
    }
    return bytes;
}

static struct row one_in(int i, bool expires)
{
    struct row row = set_of(9999 + i, 1, 6 + 2 * i);
    if (expires)
        elements[0] = at_path(expiring(3, 6 + 2 * i, "m", 100, NOW_S + 100), path_names[9999 + i]);
    return row;
}

/* Promise 2 of a row that comes alive and dies with one element after the other, in the graveyard or in its partition's entry: what is
 * dead in it already is neither written again nor read, be it that elements would have expired. */
static void test_one_in_one_out(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        const bool clustered = kind & 1, expires = kind & 2;
        struct rows r;
        struct engine_figures before, after;
        rows_open(&r, clustered);
        struct ctx *ctx = &r.db.ctx;
        const char *at = clustered ? "a" : "";
        put(&r, "p", at, dead_set_of(0, 10000, 5));
        OK(ctx, engine_figures(ctx, r.db.engine, &before));
        size_t taken_before = taken(ctx->arena);
        for (int i = 0; i < 3; i++) {
            put(&r, "p", at, one_in(i, expires));
            assert_true(rows_shows(&r, at, 1));
            put(&r, "p", at, dead_set_of(9999 + i, 1, 7 + 2 * i));
            assert_true(rows_shows(&r, at, 0));
        }
        OK(ctx, engine_figures(ctx, r.db.engine, &after));
        assert_true(after.file_bytes - before.file_bytes < 60 * 4096);
        assert_true(taken(ctx->arena) - taken_before < 60 * 4096);
        assert_int_equal(spilled_entries(&r), 10002);
        assert_int_equal(rows_findings(&r, false), 0);

        put(&r, "p", at, set_of(9990, 12, 7)); /* late: of those the tombstones of three are as old, and win */
        assert_true(rows_shows(&r, at, 9));
        put(&r, "p", at, dead_set_of(9990, 9, 8));
        assert_true(rows_shows(&r, at, 0));
        assert_int_equal(rows_findings(&r, false), 0);
        r.db.ctx.now_s += r.table.gc_grace_s + 1;
        rows_sweep(&r);
        assert_int_equal(spilled_entries(&r), 0);
        rows_close(&r);
    }
}

/* All of it expires: by the clock at once, in the tree with the sweep. */
static void test_expiring_elements(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    struct row row = set_of(0, 100, 5);
    for (int i = 0; i < 100; i++)
        elements[i] = at_path(expiring(3, 5, "m", 10 + (uint32_t)i, NOW_S + 10 + (uint32_t)i), path_names[i]);
    put(&r, "p", "a", row);
    r.db.ctx.now_s += 50;
    assert_string_equal(count_shown(&r), "59");
    put(&r, "p", "a", ROW_OF(at_path(dead(3, 6, NOW_S), path_names[99])));
    rows_sweep(&r);
    assert_string_equal(count_shown(&r), "58");
    put(&r, "p", "a", ROW_OF(plain(1, 5, "small")));
    r.db.ctx.now_s += 59;
    put(&r, "p", "a", ROW_OF(dead(1, 6, NOW_S)));
    assert_string_equal(count_shown(&r), "gone 0");
    rows_sweep(&r);
    assert_int_equal(rows_findings(&r, false), 0);
    r.db.ctx.now_s += r.table.gc_grace_s + 1;
    rows_sweep(&r);
    assert_int_equal(spilled_entries(&r), 0);
    rows_close(&r);
}

/* LMDB 0.9.24 forgets a list of its own when a transaction has more dirty pages than it keeps in memory, as the largest value
 * makes it: 1 MiB a time. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:mdb_midl_alloc";
}

/* A value is as large as may be, and no larger. */
static void test_largest_value(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    uint8_t *bytes = malloc(VALUE_BYTES_MAX + 1);
    assert_non_null(bytes);
    memset(bytes, 'v', VALUE_BYTES_MAX + 1);
    struct cell c = plain(1, 5, "");
    c.value = slice_of(bytes, VALUE_BYTES_MAX);
    put(&r, "p", "a", row_of(&c, 1));
    struct txn *txn = rows_read(&r);
    struct partition p;
    struct row row;
    bool found;
    OK(&r.db.ctx, partition_find(&r.db.ctx, txn, &r.table, slice_str("p"), &p, &found));
    OK(&r.db.ctx, row_find_live(&r.db.ctx, txn, &p, slice_str("a"), NULL, &row, &found));
    assert_true(found && slice_eq(row.cells[0].value, c.value));
    txn_abort(&txn);

    c.value = slice_of(bytes, VALUE_BYTES_MAX + 1);
    struct row_update too_long = { slice_str("b"), row_of(&c, 1) };
    struct update u = update_of(&r, "p");
    u.rows = &too_long;
    u.row_count = 1;
    txn = rows_write(&r);
    assert_int_equal(apply(&r.db.ctx, txn, &u), WR_INVALID);
    assert_string_equal(r.db.ctx.error, "Value length of 268435457 is longer than maximum of 268435456");
    txn_abort(&txn);
    free(bytes);
    rows_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_values_come_and_go),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_small_changes_are_small),
        cmocka_unit_test(test_collection_life),
        cmocka_unit_test(test_emptied_one_by_one),
        cmocka_unit_test(test_two_of_one_row),
        cmocka_unit_test(test_one_in_one_out),
        cmocka_unit_test(test_expiring_elements),
        cmocka_unit_test(test_largest_value),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
