/* Answers engine/purge.h and queue.h: what a sweep takes away and when, that nothing visible changes, and that it ends. */
#include "engine/limits.h"
#include "engine/queue.h"
#include "tests/engine/rows.h"

static void step(struct rows *r, uint32_t by_s)
{
    r->db.ctx.now_s += by_s;
}

static void test_expiry_is_by_the_clock(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    put(&r, "p", "a", ROW_OF(expiring(1, 5, "x", 10, NOW_S + 10), plain(2, 5, "y")));
    put(&r, "p", "b", ROW_OF(expiring(1, 5, "x", 10, NOW_S + 10)));
    step(&r, 9);
    assert_string_equal(shown(&r, "p"), "a(1=x 2=y) b(1=x)");
    step(&r, 1);
    assert_string_equal(shown(&r, "p"), "a(2=y)"); /* before any sweep */
    rows_sweep(&r);
    assert_string_equal(shown(&r, "p"), "a(2=y)");
    put(&r, "p", "a", ROW_OF(plain(1, 4, "late"))); /* what has expired still shadows */
    put(&r, "p", "b", ROW_OF(plain(1, 5, "tie")));
    assert_string_equal(shown(&r, "p"), "a(2=y)");
    put(&r, "p", "b", ROW_OF(expiring(1, 5, "longer", 20, NOW_S + 20))); /* of two expiring the later: swept or not */
    assert_string_equal(shown(&r, "p"), "a(2=y) b(1=longer)");
    rows_close(&r);
}

static void test_marker_expires(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    struct row row = ROW_NONE;
    row.liveness = (struct liveness){ 5, 10, NOW_S + 10 };
    put(&r, "p", "a", row);
    put(&r, "p", "b", row);
    put(&r, "p", "b", ROW_OF(plain(1, 5, "y"))); /* a cell without TTL holds the row */
    step(&r, 10);
    assert_string_equal(shown(&r, "p"), "b(1=y)");
    rows_sweep(&r);
    put(&r, "p", "b", ROW_OF(dead(1, 6, r.db.ctx.now_s)));
    assert_string_equal(shown(&r, "p"), "");
    rows_close(&r);
}

/* Tombstones of every kind hold until their grace is over, and not a second less; then all is gone, the partition too. */
static void test_grace(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    r.table.gc_grace_s = 100;
    uint64_t empty = rows_entries(&r);
    delete_row(&r, "p", "a", 10);
    delete_range(&r, "p", "b", "c", 10);
    put(&r, "p", "d", ROW_OF(dead(1, 10, NOW_S), at_path(dead(3, 10, NOW_S), "k")));
    put_static(&r, "p", ROW_OF(dead(9, 10, NOW_S)));
    put(&r, "p", "e", ROW_OF(expiring(1, 10, "x", 5, NOW_S + 5)));
    delete_partition(&r, "q", 10);
    step(&r, 100);
    rows_sweep(&r);
    static const char *const places[] = { "a", "b", "d", "e" };
    for (size_t i = 0; i < 4; i++)
        put(&r, "p", places[i], ROW_OF(plain(1, 9, "late")));
    put_static(&r, "p", ROW_OF(plain(9, 9, "late")));
    put(&r, "q", "a", ROW_OF(plain(1, 9, "late")));
    assert_string_equal(shown(&r, "p"), "");
    assert_string_equal(shown(&r, "q"), "");
    assert_string_equal(shown_static(&r, "p"), "()");
    assert_int_equal(rows_figures(&r).partitions, 2);
    step(&r, 1);
    rows_sweep(&r);
    assert_int_equal(rows_figures(&r).partitions, 0);
    assert_int_equal(rows_entries(&r), empty);
    put(&r, "p", "a", ROW_OF(plain(1, 9, "later"))); /* nobody remembers now, as in Cassandra */
    assert_string_equal(shown(&r, "p"), "a(1=later)");
    rows_close(&r);
}

/* A TTL longer than the grace: what has expired may go at once, since it counts from when it was written. */
static void test_ttl_beyond_grace(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    r.table.gc_grace_s = 5;
    put(&r, "p", "a", ROW_OF(expiring(1, 10, "x", 50, NOW_S + 50)));
    step(&r, 49);
    rows_sweep(&r);
    assert_string_equal(shown(&r, "p"), "a(1=x)");
    step(&r, 1);
    rows_sweep(&r);
    assert_int_equal(rows_figures(&r).partitions, 0);
    rows_close(&r);
}

/* Dead elements of a collection go even when their row lives on and is never written again. */
static void test_dead_elements(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    r.table.gc_grace_s = 100;
    put(&r, "p", "a", ROW_OF(at_path(plain(3, 5, "x"), "k"), at_path(plain(3, 5, "y"), "l")));
    put(&r, "p", "a", ROW_OF(at_path(dead(3, 6, NOW_S), "k")));
    assert_int_equal(rows_figures(&r).tombstones, 1);
    step(&r, 101);
    rows_sweep(&r);
    assert_int_equal(rows_figures(&r).tombstones, 0);
    assert_string_equal(shown(&r, "p"), "a(3[l]=y)");
    rows_close(&r);
}

/* Commits sweep by themselves, SWEEP_STEP_MAX at a time, and look at nothing where nothing is due. */
static void test_commits_sweep(void **state)
{
    (void)state;
    enum { N = 5 * SWEEP_STEP_MAX };
    struct rows r;
    rows_open(&r, true);
    r.table.gc_grace_s = 0;
    for (int i = 0; i < N; i++) {
        char name[16];
        snprintf(name, sizeof name, "%04d", i);
        put(&r, "p", name, ROW_OF(expiring(1, 5, "x", 10, NOW_S + 10)));
    }
    uint64_t entries = rows_entries(&r);
    step(&r, 20);
    for (int i = 0; i < 5; i++) {
        put(&r, "q", "a", ROW_OF(plain(1, 5 + i, "x")));
        uint64_t left = rows_entries(&r);
        assert_true(left < entries);
        assert_true(left + 2 * SWEEP_STEP_MAX + 2 >= entries); /* a row and its place in the queue; p itself at the end */
        entries = left;
    }
    put(&r, "q", "a", ROW_OF(plain(1, 50, "x")));
    assert_int_equal(rows_figures(&r).rows, 1);
    assert_int_equal(rows_figures(&r).partitions, 1);
    bool more = true;
    OK(&r.db.ctx, engine_sweep(&r.db.ctx, r.db.engine, &more));
    assert_false(more);
    rows_close(&r);
}

/* Many rows with a TTL at once, over and over: those that have expired are gone as fast as others come. */
static void test_many_at_once(void **state)
{
    enum { MANY = 10 * SWEEP_STEP_MAX, TIMES = 20, TTL_S = 10, GRACE_S = 10, ALIVE = 2 * (TTL_S + GRACE_S) / TTL_S };
    char names[MANY][8];
    struct cell cells[MANY];
    struct row_update updates[MANY];
    struct rows r;
    (void)state;
    rows_open(&r, true);
    r.table.gc_grace_s = GRACE_S;
    for (int time = 0; time < TIMES; time++) {
        char key[8];
        snprintf(key, sizeof key, "p%d", time);
        struct update u = update_of(&r, key);
        for (int i = 0; i < MANY; i++) {
            snprintf(names[i], sizeof names[i], "%04d", i);
            cells[i] = expiring(1, 5, "x", TTL_S, r.db.ctx.now_s + TTL_S);
            updates[i] = (struct row_update){ slice_str(names[i]), row_of(&cells[i], 1) };
        }
        u.rows = updates;
        u.row_count = MANY;
        apply_one(&r, &u);
        assert_true(rows_figures(&r).partitions <= ALIVE);
        step(&r, TTL_S);
    }
    rows_close(&r);
}

/* A row written over and over with a TTL has one entry in the queue, not one a write. */
static void test_renewed(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    put(&r, "p", "a", ROW_OF(expiring(1, 5, "x", 10, NOW_S + 10)));
    uint64_t entries = rows_entries(&r);
    for (uint32_t i = 1; i < 40; i++) {
        step(&r, 1);
        put(&r, "p", "a", ROW_OF(expiring(1, 5 + i, "x", 10, NOW_S + 10 + i)));
        assert_int_equal(rows_entries(&r), entries);
    }
    assert_string_equal(shown(&r, "p"), "a(1=x)");
    put(&r, "p", "a", ROW_OF(plain(1, 100, "for ever")));
    step(&r, 100);
    rows_sweep(&r);
    assert_string_equal(shown(&r, "p"), "a(1=for ever)");
    assert_true(rows_entries(&r) < entries);
    rows_close(&r);
}

static void test_grace_changed(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    r.table.gc_grace_s = 100;
    delete_row(&r, "p", "a", 10);
    delete_range(&r, "p", "b", "c", 10);
    delete_partition(&r, "q", 10);
    r.table.gc_grace_s = 1000;
    step(&r, 500); /* visited as entered, and entered anew */
    rows_sweep(&r);
    put(&r, "p", "a", ROW_OF(plain(1, 9, "late")));
    put(&r, "p", "b", ROW_OF(plain(1, 9, "late")));
    put(&r, "q", "b", ROW_OF(plain(1, 9, "late")));
    assert_int_equal(rows_figures(&r).rows, 0);
    assert_int_equal(rows_findings(&r, false), 0);
    step(&r, 501);
    rows_sweep(&r);
    assert_int_equal(rows_figures(&r).partitions, 0);
    rows_close(&r);
}

/* A table that is not known is left alone, and does not hold up others. */
static void test_unknown_table(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    r.table.gc_grace_s = 0;
    for (int i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "%03d", i);
        put(&r, "p", name, ROW_OF(expiring(1, 5, "x", 10, NOW_S + 10)));
    }
    uint64_t entries = rows_entries(&r);
    r.unknown = true;
    step(&r, 20);
    rows_sweep(&r);
    assert_int_equal(rows_entries(&r), entries);
    r.unknown = false;
    step(&r, 120);
    rows_sweep(&r);
    assert_int_equal(rows_figures(&r).partitions, 0);
    rows_close(&r);
}

/* Nor does it take their turns, however much of it is due before them. */
static void test_unknown_first(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    r.table.gc_grace_s = 0;
    for (int i = 0; i < 2 * SWEEP_STEP_MAX; i++) {
        char name[16];
        snprintf(name, sizeof name, "%03d", i);
        put(&r, "p", name, ROW_OF(expiring(1, 5, "x", 10, NOW_S + 10)));
    }
    r.table.table_id++;
    put(&r, "q", "a", ROW_OF(expiring(1, 5, "x", 11, NOW_S + 11)));
    assert_int_equal(rows_figures(&r).partitions, 1);
    step(&r, 20);
    put(&r, "r", "a", ROW_OF(plain(1, 5, "x"))); /* with which a few things are visited */
    assert_int_equal(rows_figures(&r).partitions, 1);
    rows_close(&r);
}

/* DROP and TRUNCATE: at once for the caller, step by step behind the scenes, and nothing of it stays. */
static void test_forgotten_table(void **state)
{
    (void)state;
    struct rows r;
    static char large[5000], long_key[600];
    struct cell cells[200];
    char paths[200][8];
    rows_open(&r, true);
    struct ctx *ctx = &r.db.ctx;
    uint64_t empty = rows_entries(&r);
    memset(large, 'L', sizeof large - 1);
    memset(long_key, 'k', sizeof long_key - 1);
    for (int i = 0; i < 200; i++) {
        snprintf(paths[i], sizeof paths[i], "%03d", i % 1000);
        cells[i] = at_path(plain(3, 5, "m"), paths[i]);
    }
    for (int i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "%03d", i);
        put(&r, i % 10 ? name : long_key, name, ROW_OF(plain(1, 5, large), expiring(2, 5, "x", 10, NOW_S + 10)));
        put(&r, i % 10 ? name : long_key, long_key, row_of(cells, 200));
        put_static(&r, name, ROW_OF(plain(9, 5, large)));
        delete_row(&r, name, "gone", 5);
        delete_range(&r, name, "b", long_key, 5);
        if (i % 7 == 0)
            delete_partition(&r, name, 3);
    }
    struct txn *txn = rows_write(&r);
    OK(ctx, txn_forget_table(ctx, txn, r.table.table_id));
    OK(ctx, txn_next_id(ctx, txn, &r.table.table_id));
    rows_commit(&r, txn);
    assert_string_equal(shown(&r, "001"), "");
    assert_int_equal(rows_findings(&r, false), 0);
    put(&r, "001", "a", ROW_OF(plain(1, 1, "old timestamps are fine"))); /* a part is reclaimed with it */
    assert_int_equal(rows_findings(&r, false), 0);
    rows_sweep(&r);
    assert_string_equal(shown(&r, "001"), "a(1=old timestamps are f)");
    assert_int_equal(rows_entries(&r), empty + 2);
    rows_close(&r);
}

/* A partition of more rows than a step takes away: its entry stays until the last of them has gone, and of the others none goes before its turn. */
static void test_forgotten_in_steps(void **state)
{
    (void)state;
    enum { ROWS = 3000, OTHERS = 50 };
    struct rows r;
    char name[16];
    int steps = 0;

    rows_open(&r, true);
    struct ctx *ctx = &r.db.ctx;
    uint64_t empty = rows_entries(&r);
    for (int i = 0; i < ROWS + OTHERS; i++) {
        snprintf(name, sizeof name, "%04d", i);
        put(&r, i < ROWS ? "p" : name, name, ROW_OF(plain(1, 5, "x")));
    }
    struct txn *txn = rows_write(&r);
    OK(ctx, txn_forget_table(ctx, txn, r.table.table_id));
    rows_commit(&r, txn);
    for (bool more = true; more; steps++) {
        OK(ctx, engine_sweep(ctx, r.db.engine, &more));
        assert_int_equal(rows_findings(&r, false), 0);
    }
    assert_true(steps >= ROWS / 1024);
    assert_int_equal(rows_entries(&r), empty);
    rows_close(&r);
}

static void count_call(void *arg)
{
    ++*(int *)arg;
}

/* Reads that step over rows that have expired ask for a sweep, but for each thousand of them once. */
static void test_passed_rows_ask_for_a_sweep(void **state)
{
    (void)state;
    enum { ROWS = 333 };
    struct rows r;
    char name[16];
    int calls = 0;

    rows_open(&r, true);
    for (int i = 0; i < ROWS; i++) {
        snprintf(name, sizeof name, "%03d", i);
        put(&r, "p", name, ROW_OF(expiring(1, 5, "x", 10, NOW_S + 10)));
    }
    engine_set_sweep_hook(r.db.engine, count_call, &calls);
    step(&r, 10);
    for (int reads = 1; reads <= 7; reads++) {
        assert_string_equal(shown(&r, "p"), "");
        assert_int_equal(calls, reads * ROWS / 1000);
    }
    rows_close(&r);
}

/* Where the table is forgotten whole before something of it that is due is visited, in a transaction to which the table is still known, as the schema of
 * before a DROP knows it: the writer remembers nothing of its partitions. */
static void test_forgotten_while_known(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    struct ctx *ctx = &r.db.ctx;
    uint64_t empty = rows_entries(&r);
    put_static(&r, "p", ROW_OF(expiring(9, 5, "x", 10, NOW_S + 10)));
    delete_range(&r, "p", "a", "b", 5);
    delete_partition(&r, "p", 6); /* is due when the row would have expired, and stays */
    step(&r, 20);
    struct txn *txn = rows_write(&r);
    OK(ctx, txn_forget_table(ctx, txn, r.table.table_id));
    rows_commit(&r, txn);
    rows_sweep(&r);
    assert_int_equal(rows_entries(&r), empty);
    rows_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expiry_is_by_the_clock), cmocka_unit_test(test_marker_expires),
        cmocka_unit_test(test_grace),                  cmocka_unit_test(test_ttl_beyond_grace),
        cmocka_unit_test(test_dead_elements),          cmocka_unit_test(test_commits_sweep),
        cmocka_unit_test(test_many_at_once),
        cmocka_unit_test(test_renewed),                cmocka_unit_test(test_grace_changed),
        cmocka_unit_test(test_unknown_table),          cmocka_unit_test(test_unknown_first),
        cmocka_unit_test(test_forgotten_table),
        cmocka_unit_test(test_forgotten_in_steps),     cmocka_unit_test(test_passed_rows_ask_for_a_sweep),
        cmocka_unit_test(test_forgotten_while_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
