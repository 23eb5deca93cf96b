/* Answers what engine.h, mutation.h and change.h say of derived tables: rows put as they are, and nothing left of those that go;
 * rows that live by their marker; a hook told of rows that are there already. */
#include "engine/rig.h"
#include "tests/engine/rows.h"

static void open_derived(struct rows *r, bool has_clustering)
{
    rows_open(r, has_clustering);
    r->table.derived = true;
    r->table.gc_grace_s = 0;
}

/* row NULL: none. */
static void stand(struct rows *r, const char *key, const char *clustering, const struct row *row)
{
    struct txn *txn = rows_write(r);
    OK(&r->db.ctx, apply_derived(&r->db.ctx, txn, &r->table, slice_str(key), slice_str(clustering), row));
    rows_commit(r, txn);
}

static void test_put_as_it_is(void **state)
{
    (void)state;
    struct rows r;
    open_derived(&r, true);
    uint64_t empty = rows_entries(&r);
    struct row late = marked(ROW_OF(plain(1, 9, "x"), plain(2, 9, "y")), 9), early = marked(ROW_OF(plain(2, 3, "z")), 3);
    stand(&r, "p", "a", &late);
    stand(&r, "p", "b", &late);
    assert_string_equal(shown(&r, "p"), "a(1=x 2=y) b(1=x 2=y)");
    stand(&r, "p", "a", &early); /* older, and with less in it */
    assert_string_equal(shown(&r, "p"), "a(2=z) b(1=x 2=y)");
    stand(&r, "p", "a", &early);
    assert_int_equal(rows_findings(&r, false), 0);
    stand(&r, "p", "a", NULL);
    stand(&r, "p", "nosuch", NULL);
    stand(&r, "nosuch", "a", NULL);
    assert_string_equal(shown(&r, "p"), "b(1=x 2=y)");
    assert_int_equal(rows_figures(&r).tombstones, 0);
    stand(&r, "p", "b", NULL);
    assert_int_equal(rows_entries(&r), empty); /* the partition has gone with its last row */
    rows_close(&r);
}

static void test_without_clustering(void **state)
{
    (void)state;
    struct rows r;
    open_derived(&r, false);
    uint64_t empty = rows_entries(&r);
    struct row row = marked(ROW_OF(plain(1, 9, "x")), 9), other = ROW_OF(expiring(2, 3, "z", 10, NOW_S + 10));
    stand(&r, "", "", &row); /* an empty key: a view may have one */
    stand(&r, "p", "", &row);
    stand(&r, "p", "", &other);
    assert_string_equal(shown(&r, ""), "(1=x)");
    assert_string_equal(shown(&r, "p"), "(2=z)");
    r.db.ctx.now_s += 10;
    assert_string_equal(shown(&r, "p"), "");
    rows_sweep(&r);
    stand(&r, "", "", NULL);
    assert_int_equal(rows_entries(&r), empty);
    rows_close(&r);
}

static void test_large_ones(void **state)
{
    (void)state;
    struct rows r;
    char large[5000];
    enum { ELEMENTS = 300 };
    static struct cell cells[ELEMENTS];
    static char paths[ELEMENTS][4];
    open_derived(&r, true);
    uint64_t empty = rows_entries(&r);
    memset(large, 'L', sizeof large - 1);
    large[sizeof large - 1] = 0;
    for (int i = 0; i < ELEMENTS; i++) {
        snprintf(paths[i], sizeof paths[i], "%03d", i);
        cells[i] = at_path(plain(3, 5, "v"), paths[i]);
    }
    struct row value = ROW_OF(plain(1, 5, large)), collection = row_of(cells, ELEMENTS), fewer = row_of(cells + 7, 2);
    stand(&r, "p", "a", &value);
    stand(&r, "p", "a", &value);
    stand(&r, "p", "a", &collection);
    assert_int_equal(rows_findings(&r, false), 0);
    stand(&r, "p", "a", &fewer);
    assert_string_equal(shown(&r, "p"), "a(3[007]=v 3[008]=v)");
    stand(&r, "p", "a", &collection);
    stand(&r, "p", "a", &value);
    assert_string_equal(shown(&r, "p"), "a(1=LLLLLLLLLLLLLLLLLLLL)");
    assert_int_equal(rows_findings(&r, false), 0);
    stand(&r, "p", "a", NULL);
    assert_int_equal(rows_entries(&r), empty);
    rows_close(&r);
}

static void test_marker_decides(void **state)
{
    (void)state;
    struct rows r;
    for (int has_clustering = 0; has_clustering < 2; has_clustering++) {
        open_derived(&r, has_clustering);
        uint64_t empty = rows_entries(&r);
        const char *clustering = has_clustering ? "a" : "";
        struct row row = ROW_OF(plain(1, 5, "x"), expiring(2, 5, "y", 5, NOW_S + 5));
        row.liveness = (struct liveness){ 5, 10, NOW_S + 10 };
        r.table.marker_decides = true;
        stand(&r, "p", clustering, &row);
        r.db.ctx.now_s = NOW_S + 5;
        assert_non_null(strstr(shown(&r, "p"), "(1=x)"));
        rows_sweep(&r);
        assert_non_null(strstr(shown(&r, "p"), "(1=x)"));
        assert_int_equal(rows_figures(&r).rows, 1);
        r.db.ctx.now_s = NOW_S + 10;
        assert_string_equal(shown(&r, "p"), "");
        assert_int_equal(rows_figures(&r).rows, 0);
        assert_int_equal(rows_findings(&r, false), 0);
        rows_sweep(&r);
        assert_int_equal(rows_entries(&r), empty);
        r.table.marker_decides = false; /* any other table shows what else is alive */
        r.db.ctx.now_s = NOW_S + 5;
        stand(&r, "p", clustering, &row);
        r.db.ctx.now_s = NOW_S + 10;
        assert_non_null(strstr(shown(&r, "p"), "(1=x)"));
        rows_sweep(&r);
        assert_non_null(strstr(shown(&r, "p"), "(1=x)"));
        rows_close(&r);
    }
}

/* ---- building ---- */

struct told {
    struct table_shape *derived;
    bool turns;
    const char *skips; /* a clustering; NULL: none */
    uint32_t rows;
    char text[256];
};

/* A row of the partition p and the clustering c stands at the same place, and where it is turned round at c and p. */
static enum wr_status derive(struct ctx *ctx, void *arg, struct slice partition_key, struct slice clustering, const struct row *row,
                             struct derived_row *out)
{
    struct told *told = arg;
    (void)ctx;
    told->rows++;
    print_row(clustering, row, told->text, sizeof told->text);
    *out = (struct derived_row){ true, told->turns ? clustering : partition_key, told->turns ? partition_key : clustering, *row };
    out->is_there = !told->skips || !slice_eq(clustering, slice_str(told->skips));
    return WR_OK;
}

static enum wr_status try_build(struct rows *r, struct told *told, struct txn *txn)
{
    struct derivation derivation = { told->derived, told, derive };
    OK(&r->db.ctx, txn_next_id(&r->db.ctx, txn, &told->derived->table_id));
    told->rows = 0;
    return txn_build_derived(&r->db.ctx, txn, &r->table, &derivation);
}

static void build(struct rows *r, struct told *told)
{
    struct txn *txn = rows_write(r);
    OK(&r->db.ctx, try_build(r, told, txn));
    rows_commit(r, txn);
}

static void test_built_of_what_is_there(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    struct table_shape derived = { .has_clustering = true, .derived = true }, base = r.table;
    struct told told = { .derived = &derived };
    char large[3000];
    memset(large, 'L', sizeof large - 1);
    large[sizeof large - 1] = 0;
    put(&r, "p", "a", marked(ROW_OF(plain(1, 5, large), dead(2, 5, NOW_S)), 5));
    put(&r, "p", "b", ROW_OF(expiring(1, 5, "x", 10, NOW_S + 10), at_path(plain(3, 5, "m"), "k")));
    put(&r, "p", "c", ROW_OF(expiring(1, 5, "x", 5, NOW_S + 5)));
    put(&r, "p", "d", ROW_OF(dead(1, 5, NOW_S)));
    r.db.ctx.now_s += 5; /* c has expired, and no writer has seen it */
    build(&r, &told);
    assert_string_equal(told.text, "a(1=LLLLLLLLLLLLLLLLLLLL) b(1=x 3[k]=m)");
    r.table = derived;
    assert_string_equal(shown(&r, "p"), "a(1=LLLLLLLLLLLLLLLLLLLL) b(1=x 3[k]=m)");
    r.table = base;
    told.turns = true;
    told.skips = "a";
    build(&r, &told);
    r.table = derived;
    assert_string_equal(shown(&r, "b"), "p(1=x 3[k]=m)");
    assert_string_equal(shown(&r, "a"), "");
    r.table = base;
    rows_close(&r);
}

static enum wr_status follow(struct ctx *ctx, void *arg, struct txn *txn, struct slice partition_key, struct slice clustering,
                             const struct row *before, const struct row *after)
{
    struct told *told = arg;
    assert_true(before && !after);
    told->rows--;
    TRY(apply_derived(ctx, txn, told->derived, clustering, partition_key, after));
    return apply_derived(ctx, txn, told->derived, partition_key, clustering, after);
}

static void put_many(struct rows *r, int count)
{
    char key[8], clustering[8];
    for (int i = 0; i < count; i++) {
        snprintf(key, sizeof key, "p%d", i % 3);
        snprintf(clustering, sizeof clustering, "%04d", i % 10000);
        put(r, key, clustering, marked(ROW_OF(plain(1, 5, "x"), expiring(2, 5, "y", 1000, NOW_S + 1000)), 5));
    }
}

static uint64_t last_commit(struct rows *r)
{
    struct engine_figures figures;
    OK(&r->db.ctx, engine_figures(&r->db.ctx, r->db.engine, &figures));
    return figures.last_commit_id;
}

/* Committed many times on its way, and all the same. */
static void test_built_in_parts(void **state)
{
    (void)state;
    enum { ROWS = 500 };
    struct rows r;
    for (int i = 0; i < 2; i++) {
        rows_open(&r, true);
        struct table_shape derived = { .has_clustering = true, .derived = true, .gc_grace_s = 864000 };
        struct told told = { .derived = &derived, .turns = true };
        put_many(&r, ROWS);
        rig.build_batch_bytes = i ? 1 : 8 << 20; /* row by row; all at once */
        rig.build_part_bytes = 1;
        uint64_t before = last_commit(&r);
        build(&r, &told);
        rig.build_batch_bytes = 8 << 20;
        rig.build_part_bytes = 16 << 20;
        assert_int_equal(told.rows, ROWS);
        assert_true(i || last_commit(&r) - before > ROWS / 2);
        assert_int_equal(rows_findings(&r, false), 0);
        struct table_shape base = r.table;
        r.table = derived;
        assert_int_equal(rows_figures(&r).rows, ROWS);
        assert_string_equal(shown(&r, "0007"), "p1(1=x 2=y)");
        rows_sweep(&r); /* it is not taken for one that is forgotten any more */
        assert_int_equal(rows_figures(&r).rows, ROWS);
        r.table = base;
        rows_close(&r);
    }
}

/* What has been committed of it goes like a table that is dropped. */
static void test_given_up_in_parts(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    struct table_shape derived = { .has_clustering = true, .derived = true, .gc_grace_s = 864000 };
    struct told told = { .derived = &derived, .turns = true };
    put_many(&r, 100);
    rows_sweep(&r);
    uint64_t entries = rows_entries(&r);
    rig.build_part_bytes = 1;
    struct txn *txn = rows_write(&r);
    OK(&r.db.ctx, try_build(&r, &told, txn));
    rig.build_part_bytes = 16 << 20;
    txn_abort(&txn);
    assert_true(rows_entries(&r) > entries);
    assert_int_equal(rows_findings(&r, false), 0);
    rows_sweep(&r);
    assert_int_equal(rows_entries(&r), entries);
    build(&r, &told);
    struct table_shape base = r.table;
    r.table = derived;
    assert_int_equal(rows_figures(&r).rows, 100);
    r.table = base;
    rows_close(&r);
}

/* However many rows: the memory of a few steps. */
static void test_building_and_deleting_need_little_memory(void **state)
{
    (void)state;
    enum { ROWS = 20000, CALLS_MAX = 100 };
    struct rows r;
    rows_open(&r, true);
    struct table_shape derived = { .has_clustering = true, .derived = true };
    struct told told = { .derived = &derived };
    struct row_hook hook = { &told, follow };
    static char clusterings[ROWS][8];
    struct update u = update_of(&r, "p");
    u.rows = calloc(ROWS, sizeof *u.rows);
    u.row_count = ROWS;
    for (int i = 0; i < ROWS; i++) {
        snprintf(clusterings[i], sizeof clusterings[i], "%06d", i);
        u.rows[i] = (struct row_update){ slice_str(clusterings[i]), marked(ROW_NONE, 5) };
    }
    apply_one(&r, &u);
    free(u.rows);
    arena_release(r.db.ctx.arena);

    rig.build_batch_bytes = 1 << 18;
    long before = mem_calls();
    build(&r, &told);
    assert_int_equal(told.rows, ROWS);
    assert_true(mem_calls() - before < CALLS_MAX);
    rig.build_batch_bytes = 8 << 20;
    assert_int_equal(rows_findings(&r, false), 0);
    arena_release(r.db.ctx.arena);
    r.table.hook = &hook;
    before = mem_calls();
    delete_partition(&r, "p", 9);
    assert_int_equal(told.rows, 0);
    assert_true(mem_calls() - before < CALLS_MAX);
    r.table = derived;
    assert_int_equal(rows_figures(&r).partitions, 0);
    rows_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_put_as_it_is),
        cmocka_unit_test(test_without_clustering),
        cmocka_unit_test(test_large_ones),
        cmocka_unit_test(test_marker_decides),
        cmocka_unit_test(test_built_of_what_is_there),
        cmocka_unit_test(test_built_in_parts),
        cmocka_unit_test(test_given_up_in_parts),
        cmocka_unit_test(test_building_and_deleting_need_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
