/* Answers engine/index.h and the index part of scan.h: hits, their order, resuming, building late. */
#include "engine/index.h"
#include "tests/engine/rows.h"

/* Under every value of column 1, and every path of column 3. */
static enum wr_status value_terms(struct ctx *ctx, void *arg, struct slice partition_key, struct slice clustering,
                                  const struct row *row, enum wr_status (*emit)(void *emit_arg, struct slice term),
                                  void *emit_arg)
{
    (void)ctx, (void)arg, (void)partition_key, (void)clustering;
    for (uint32_t i = 0; i < row->cell_count; i++)
        if (row->cells[i].column == 1 || row->cells[i].column == 3)
            TRY(emit(emit_arg, row->cells[i].column == 1 ? row->cells[i].value : row->cells[i].path));
    return WR_OK;
}

static struct index_shape index_of_values(struct rows *r)
{
    struct index_shape index = { .terms = value_terms };
    struct txn *txn = rows_write(r);
    OK(&r->db.ctx, txn_next_id(&r->db.ctx, txn, &index.index_id));
    rows_commit(r, txn);
    return index;
}

static const char *hits(struct rows *r, uint64_t index_id, const char *term, const struct index_hit *after)
{
    static char text[1024];
    struct ctx *ctx = &r->db.ctx;
    struct txn *txn = rows_read(r);
    struct index_scan *scan;
    struct index_hit hit;
    bool found;

    text[0] = 0;
    OK(ctx, index_scan_new(ctx, &scan));
    OK(ctx, index_scan_open(ctx, scan, txn, index_id, slice_str(term), after));
    for (;;) {
        OK(ctx, index_scan_next(ctx, scan, &hit, &found));
        if (!found)
            break;
        add_text(text, sizeof text, "%s%.*s/%.*s", *text ? " " : "", SLICE_ARG(hit.partition_key), SLICE_ARG(hit.clustering));
    }
    index_scan_free(scan);
    txn_abort(&txn);
    return text;
}

static void test_kept_by_apply(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    struct index_shape index = index_of_values(&r);
    r.table.indexes = &index;
    r.table.index_count = 1;

    put(&r, "p", "a", ROW_OF(plain(1, 5, "x"), at_path(plain(3, 5, ""), "k")));
    put(&r, "p", "b", ROW_OF(plain(1, 5, "x")));
    put(&r, "p", "c", ROW_OF(plain(2, 5, "x")));
    assert_string_equal(hits(&r, index.index_id, "x", NULL), "p/a p/b");
    assert_string_equal(hits(&r, index.index_id, "k", NULL), "p/a");
    put(&r, "p", "a", ROW_OF(plain(1, 6, "y")));
    assert_string_equal(hits(&r, index.index_id, "x", NULL), "p/b");
    assert_string_equal(hits(&r, index.index_id, "y", NULL), "p/a");
    put(&r, "p", "a", ROW_OF(plain(1, 5, "z"))); /* late: changes nothing */
    assert_string_equal(hits(&r, index.index_id, "z", NULL), "");
    put(&r, "p", "b", ROW_OF(dead(1, 6, NOW_S)));
    assert_string_equal(hits(&r, index.index_id, "x", NULL), "");
    delete_partition(&r, "p", 9);
    assert_string_equal(hits(&r, index.index_id, "y", NULL), "");
    assert_string_equal(hits(&r, index.index_id, "k", NULL), "");
    rows_close(&r);
}

/* A row's terms go with the sweep that sees it expire, or with the next write. */
static void test_expiry(void **state)
{
    (void)state;
    for (int has_clustering = 0; has_clustering < 2; has_clustering++) {
        struct rows r;
        const char *c = has_clustering ? "a" : "";
        rows_open(&r, has_clustering);
        struct index_shape index = index_of_values(&r);
        r.table.indexes = &index;
        r.table.index_count = 1;
        put(&r, "p", c, ROW_OF(expiring(1, 5, "x", 10, NOW_S + 10)));
        put(&r, "q", c, ROW_OF(expiring(1, 5, "x", 10, NOW_S + 10)));
        r.db.ctx.now_s += 20;
        put(&r, "q", c, ROW_OF(plain(1, 6, "y"))); /* and it sweeps p on the way */
        assert_string_equal(hits(&r, index.index_id, "x", NULL), "");
        assert_string_equal(hits(&r, index.index_id, "y", NULL), has_clustering ? "q/a" : "q/");
        rows_close(&r);
    }
}

static void test_static(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    struct index_shape index = index_of_values(&r);
    index.of_static = true;
    r.table.indexes = &index;
    r.table.index_count = 1;
    put_static(&r, "p", ROW_OF(plain(1, 5, "x")));
    put(&r, "q", "a", ROW_OF(plain(1, 5, "x")));
    assert_string_equal(hits(&r, index.index_id, "x", NULL), "p/");
    put_static(&r, "p", ROW_OF(plain(1, 6, "y")));
    assert_string_equal(hits(&r, index.index_id, "x", NULL), "");
    delete_partition(&r, "p", 7);
    assert_string_equal(hits(&r, index.index_id, "y", NULL), "");
    rows_close(&r);
}

/* In order of (token, key, clustering), and on from behind each hit, also when that row has gone since. */
static void test_order_and_resuming(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    struct ctx *ctx = &r.db.ctx;
    struct index_shape index = index_of_values(&r);
    r.table.indexes = &index;
    r.table.index_count = 1;
    static char long_key[700];
    memset(long_key, 'K', sizeof long_key);
    for (int p = 0; p < 5; p++)
        for (int c = 0; c < 4; c++) {
            char name[16];
            struct slice key = slice_of(long_key, 600 + (size_t)p);
            snprintf(name, sizeof name, "%d", c);
            put_row_at(&r, p % 2 ? key : slice_of(long_key, (size_t)p + 1), slice_str(name), ROW_OF(plain(1, 5, "x")));
        }

    struct index_hit all[20], hit;
    struct index_scan *scan;
    bool found;
    int n = 0;
    struct txn *txn = rows_read(&r);
    OK(ctx, index_scan_new(ctx, &scan));
    OK(ctx, index_scan_open(ctx, scan, txn, index.index_id, slice_str("x"), NULL));
    for (;; n++) {
        OK(ctx, index_scan_next(ctx, scan, &hit, &found));
        if (!found)
            break;
        assert_true(n < 20);
        all[n].token = hit.token;
        OK(ctx, ctx_copy(ctx, hit.partition_key, &all[n].partition_key));
        OK(ctx, ctx_copy(ctx, hit.clustering, &all[n].clustering));
        if (n)
            assert_true(all[n - 1].token < hit.token ||
                        (all[n - 1].token == hit.token && slice_cmp(all[n - 1].clustering, hit.clustering) < 0));
    }
    assert_int_equal(n, 20);
    for (int i = 0; i < 20; i++) {
        OK(ctx, index_scan_open(ctx, scan, txn, index.index_id, slice_str("x"), &all[i]));
        for (int j = i + 1; j < 20; j++) {
            OK(ctx, index_scan_next(ctx, scan, &hit, &found));
            assert_true(found && slice_eq(hit.partition_key, all[j].partition_key));
            assert_true(slice_eq(hit.clustering, all[j].clustering));
        }
        OK(ctx, index_scan_next(ctx, scan, &hit, &found));
        assert_false(found);
    }
    index_scan_close(scan);
    txn_abort(&txn);

    put_row_at(&r, all[5].partition_key, all[5].clustering, ROW_OF(dead(1, 6, NOW_S)));
    txn = rows_read(&r);
    OK(ctx, index_scan_open(ctx, scan, txn, index.index_id, slice_str("x"), &all[5]));
    OK(ctx, index_scan_next(ctx, scan, &hit, &found));
    assert_true(found && slice_eq(hit.partition_key, all[6].partition_key) && slice_eq(hit.clustering, all[6].clustering));
    index_scan_free(scan);
    txn_abort(&txn);
    rows_close(&r);
}

static void test_built_late(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    struct ctx *ctx = &r.db.ctx;
    static char large[3000];
    memset(large, 'L', sizeof large - 1);
    for (int i = 0; i < 200; i++) {
        char key[16], name[16];
        snprintf(key, sizeof key, "p%d", i % 3);
        snprintf(name, sizeof name, "%03d", i);
        put(&r, key, name, ROW_OF(plain(1, 5, i % 2 ? "odd" : large)));
    }
    delete_row(&r, "p1", "001", 6);
    struct index_shape index = index_of_values(&r);
    struct txn *txn = rows_write(&r);
    OK(ctx, txn_build_index(ctx, txn, &r.table, &index));
    rows_commit(&r, txn);
    r.table.indexes = &index;
    r.table.index_count = 1;
    assert_int_equal(rows_findings(&r, false), 0); /* which counts the entries of every row */
    assert_null(strstr(hits(&r, index.index_id, "odd", NULL), "001"));
    assert_non_null(strstr(hits(&r, index.index_id, "odd", NULL), "p0/003"));
    assert_non_null(strstr(hits(&r, index.index_id, large, NULL), "p0/000"));
    put(&r, "p0", "003", ROW_OF(plain(1, 6, "even")));
    assert_null(strstr(hits(&r, index.index_id, "odd", NULL), "p0/003"));
    rows_close(&r);
}

static void test_forgotten(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    struct ctx *ctx = &r.db.ctx;
    struct index_shape index = index_of_values(&r);
    r.table.indexes = &index;
    r.table.index_count = 1;
    for (int i = 0; i < 200; i++) {
        char name[16];
        snprintf(name, sizeof name, "%03d", i);
        put(&r, "p", name, ROW_OF(plain(1, 5, "x")));
    }
    uint64_t entries = rows_entries(&r);
    struct txn *txn = rows_write(&r);
    OK(ctx, txn_forget_index(ctx, txn, index.index_id));
    rows_commit(&r, txn);
    r.table.index_count = 0;
    rows_sweep(&r);
    assert_int_equal(rows_entries(&r), entries - 200);
    assert_string_equal(hits(&r, index.index_id, "x", NULL), "");
    rows_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept_by_apply), cmocka_unit_test(test_expiry),
        cmocka_unit_test(test_static),        cmocka_unit_test(test_order_and_resuming),
        cmocka_unit_test(test_built_late),    cmocka_unit_test(test_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
