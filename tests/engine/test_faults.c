/*
 * Fails the n-th store call, then the n-th allocation, for every n of a story that touches all rooms about rows. Whatever
 * fails: an error is reported, the transaction is gone as a whole, verify finds nothing, and the story can be told on to the
 * same end.
 */
#include "engine/rig.h"
#include "engine/store.h"
#include "tests/engine/rows.h"

static char large[4000], names[150][8];
static struct cell elements[150];

enum { MANY = 40 }; /* rows over several chunks */
static struct cell many_cells[MANY];
static struct row_update many[MANY];

static enum wr_status terms(struct ctx *ctx, void *arg, struct slice partition_key, struct slice clustering,
                            const struct row *row, enum wr_status (*emit)(void *emit_arg, struct slice term), void *emit_arg)
{
    (void)ctx, (void)arg, (void)partition_key, (void)clustering;
    for (uint32_t i = 0; i < row->cell_count; i++)
        TRY(emit(emit_arg, row->cells[i].value));
    return WR_OK;
}

static struct index_shape index_shape = { .terms = terms, .shared_terms = true };

/* ---- the story: one transaction a step ---- */

static enum wr_status step_rows(struct rows *r, struct ctx *ctx, struct txn *txn)
{
    struct row_update rows[] = {
        { slice_str("a"), marked(ROW_OF(plain(1, 5, large), plain(2, 5, "x")), 5) },
        { slice_str("b"), ROW_OF(expiring(1, 5, "y", 10, NOW_S + 10)) },
        { slice_of(large, 700), ROW_OF(plain(1, 5, "long")) },
        { slice_str("c"), row_of(elements, 150) },
        { slice_str("d"), ROW_OF(plain(1, 5, "d")) },
    };
    struct row static_row = ROW_OF(expiring(9, 5, "s", 20, NOW_S + 20));
    struct update u = update_of(r, "p");
    u.rows = rows;
    u.row_count = 5;
    u.static_row = &static_row;
    return apply(ctx, txn, &u);
}

static enum wr_status step_change(struct rows *r, struct ctx *ctx, struct txn *txn)
{
    struct complex_deletion complex = { 3, { 4, NOW_S } };
    struct row_update rows[] = {
        { slice_str("a"), ROW_OF(plain(1, 6, large)) },
        { slice_str("c"), ROW_OF(at_path(plain(3, 6, "new"), "new")) },
        { slice_str("c"), ROW_NONE },
    };
    rows[2].row.complex = &complex;
    rows[2].row.complex_count = 1;
    struct update u = update_of(r, "p");
    u.rows = rows;
    u.row_count = 3;
    return apply(ctx, txn, &u);
}

static enum wr_status step_delete(struct rows *r, struct ctx *ctx, struct txn *txn)
{
    struct range_deletion ranges[] = {
        { { slice_str("c"), slice_str("cc") }, { 5, NOW_S } },
        { { slice_str("b"), slice_str("cb") }, { 4, NOW_S } },
    };
    struct row_update row = { slice_str("d"), ROW_NONE };
    row.row.deletion = (struct deletion){ 7, NOW_S };
    struct update u = update_of(r, "p");
    u.ranges = ranges;
    u.range_count = 2;
    u.rows = &row;
    u.row_count = 1;
    return apply(ctx, txn, &u);
}

static enum wr_status step_late(struct rows *r, struct ctx *ctx, struct txn *txn)
{
    struct row_update rows[] = {
        { slice_str("c"), ROW_OF(plain(1, 5, "covered")) },
        { slice_str("d"), ROW_OF(plain(1, 7, "covered"), plain(2, 8, "not")) },
    };
    struct update u = update_of(r, "p");
    u.rows = rows;
    u.row_count = 2;
    return apply(ctx, txn, &u);
}

static enum wr_status step_delete_other(struct rows *r, struct ctx *ctx, struct txn *txn)
{
    struct update u = update_of(r, "q");
    u.partition_deletion = (struct deletion){ 3, NOW_S };
    return apply(ctx, txn, &u);
}

/* Beside nothing that would have to hear of its rows: most of them go by the chunk. */
static enum wr_status delete_many(struct ctx *ctx, struct txn *txn, struct update *u)
{
    struct range_deletion range = { { slice_str(names[3]), slice_str(names[MANY - 2]) }, { 6, NOW_S } };

    u->rows = many;
    u->row_count = MANY;
    TRY(apply(ctx, txn, u));
    u->row_count = 0;
    u->ranges = &range;
    u->range_count = 1;
    return apply(ctx, txn, u);
}

static enum wr_status step_forget(struct rows *r, struct ctx *ctx, struct txn *txn)
{
    struct table_shape other = r->table;
    struct row_update row = { slice_str("a"), ROW_OF(plain(1, 5, large)) };
    struct update u = update_of(r, "p");
    other.index_count = 0;
    TRY(txn_next_id(ctx, txn, &other.table_id));
    u.table = &other;
    u.rows = &row;
    u.row_count = 1;
    TRY(apply(ctx, txn, &u));
    TRY(delete_many(ctx, txn, &u));
    return txn_forget_table(ctx, txn, other.table_id);
}

static enum wr_status (*const steps[])(struct rows *r, struct ctx *ctx, struct txn *txn) = {
    step_rows, step_change, step_delete, step_late, step_delete_other, step_forget,
};
enum { STEPS = sizeof steps / sizeof *steps };

static enum wr_status run_step(struct rows *r, size_t at)
{
    struct ctx *ctx = &r->db.ctx;
    struct txn *txn = NULL;
    enum wr_status st;

    TRY_OUT(txn_begin_write(ctx, r->db.engine, &txn));
    TRY_OUT(steps[at](r, ctx, txn));
    TRY_OUT(txn_commit(ctx, &txn));
out:
    txn_abort(&txn);
    return st;
}

static enum wr_status sweep(struct rows *r)
{
    for (bool more = true; more;)
        TRY(engine_sweep(&r->db.ctx, r->db.engine, &more));
    return WR_OK;
}

/* Reads everything in every way; returns the number of rows seen. */
static enum wr_status read_all(struct rows *r, int *rows)
{
    struct ctx *ctx = &r->db.ctx;
    struct txn *txn = NULL;
    struct scan *scan = NULL;
    struct partitions *partitions = NULL;
    struct index_scan *hits = NULL;
    const struct row_view *view;
    struct table_figures figures;
    struct table_estimate estimate;
    struct index_hit hit;
    struct partition p;
    struct row row;
    bool found;
    enum wr_status st;

    *rows = 0;
    TRY_OUT(txn_begin_read(ctx, r->db.engine, &txn));
    TRY_OUT(scan_new(ctx, &scan));
    TRY_OUT(partitions_new(ctx, &partitions));
    TRY_OUT(index_scan_new(ctx, &hits));
    TRY_OUT(partitions_open(ctx, partitions, txn, &r->table, INT64_MIN, INT64_MAX, SLICE_NULL));
    for (;;) {
        TRY_OUT(partitions_next(ctx, partitions, &p, &found));
        if (!found)
            break;
        TRY_OUT(partition_static(ctx, txn, &p, NULL, &row));
        TRY_OUT(row_find_live(ctx, txn, &p, slice_str("a"), NULL, &row, &found));
        TRY_OUT(scan_open(ctx, scan, txn, &p, (struct range){ SLICE_EMPTY, SLICE_NULL }, SCAN_REVERSED, NULL));
        for (;; ++*rows) {
            TRY_OUT(scan_next(ctx, scan, &view));
            if (!view)
                break;
        }
    }
    TRY_OUT(index_scan_open(ctx, hits, txn, &r->table, index_shape.index_id, slice_str("x"), NULL));
    do
        TRY_OUT(index_scan_next(ctx, hits, &hit, &found));
    while (found);
    TRY_OUT(engine_table_figures(ctx, txn, &r->table, &figures));
    TRY_OUT(engine_estimate(ctx, txn, &r->table, INT64_MIN, INT64_MAX, &estimate));
out:
    scan_free(scan);
    partitions_free(partitions);
    index_scan_free(hits);
    txn_abort(&txn);
    return st;
}

static _Atomic long *counter; /* rig.store_fail_after or rig.mem_fail_after */

static void disarm(void)
{
    *counter = -1;
}

/* A step that may fail; if it did, all is well nevertheless, and it is done again. */
static bool survive(struct rows *r, size_t at)
{
    enum wr_status st = at < STEPS ? run_step(r, at) : sweep(r);
    if (st == WR_OK)
        return false;
    assert_true(st == WR_IO || st == WR_FULL || st == WR_NOMEM);
    assert_true(r->db.ctx.error[0] != 0);
    disarm();
    assert_int_equal(rows_findings(r, false), 0);
    OK(&r->db.ctx, at < STEPS ? run_step(r, at) : sweep(r));
    return true;
}

/* false: n is beyond all that the story calls. */
static bool tell(long n)
{
    struct rows r;
    bool failed = false;
    int rows;

    rows_open(&r, true);
    struct txn *txn = rows_write(&r);
    OK(&r.db.ctx, txn_next_id(&r.db.ctx, txn, &index_shape.index_id));
    rows_commit(&r, txn);
    r.table.indexes = &index_shape;
    r.table.index_count = 1;
    arena_release(&r.db.arena); /* so that it asks for memory again */
    *counter = n;
    for (size_t i = 0; i < STEPS; i++)
        failed |= survive(&r, i);
    r.db.ctx.now_s += 15;
    failed |= survive(&r, STEPS);
    enum wr_status st = read_all(&r, &rows);
    failed |= st != WR_OK;
    disarm();
    OK(&r.db.ctx, read_all(&r, &rows));
    assert_int_equal(rows, 4); /* a, c, d and the long one */
    assert_non_null(strstr(shown(&r, "p"), "d(2=not)"));
    assert_string_equal(shown_static(&r, "p"), "(9=s)");
    rows_close(&r);
    return failed;
}

static void make_constants(void)
{
    memset(large, 'L', sizeof large - 1);
    for (int i = 0; i < 150; i++) {
        snprintf(names[i], sizeof names[i], "%03d", i % 1000);
        elements[i] = at_path(plain(3, 5, "m"), names[i]);
    }
    for (int i = 0; i < MANY; i++) {
        many_cells[i] = plain(1, 5, large + sizeof large - 300);
        many[i] = (struct row_update){ slice_str(names[i]), row_of(&many_cells[i], 1) };
    }
}

static void test_store_fails(void **state)
{
    (void)state;
    make_constants();
    counter = &rig.store_fail_after;
    for (int with = 0; with < 2; with++) {
        rig.store_fail_with = with ? WR_FULL : WR_IO;
        long n = 0;
        while (tell(n))
            n++;
        assert_true(n > 100);
    }
    rig.store_fail_with = WR_IO;
}

static void test_memory_fails(void **state)
{
    (void)state;
    make_constants();
    counter = &rig.mem_fail_after;
    long n = 0;
    while (tell(n))
        n++;
    assert_true(n > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_store_fails), cmocka_unit_test(test_memory_fails) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
