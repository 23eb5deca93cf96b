/* Answers engine/backlog.h: what is put off, when it is applied, and what a failure or a table that goes leave of it. */
#include "engine/rig.h"
#include "engine/token.h"
#include "tests/engine/put_off.h"

enum { ROWS = 60 };

static void open_rows(struct rows *r, bool has_clustering)
{
    rows_open(r, has_clustering);
    clock_set(engine_clock(r->db.engine), (int64_t)NOW_S * 1000000);
    r->table.may_wait = true;
    r->table.gc_grace_s = GRACE_S;
    rig.backlog_when = BACKLOG_ALWAYS;
    rig.backlog_idle_ms = 0;
}

/* Row c of partition k, of `version`. */
static void put_numbered(struct rows *r, unsigned k, unsigned c, unsigned version)
{
    char key[16], clustering[16], value[16];

    snprintf(key, sizeof key, "key%u", k);
    snprintf(clustering, sizeof clustering, "%04u", c);
    snprintf(value, sizeof value, "%u", version);
    put(r, key, r->table.has_clustering ? clustering : "", marked(ROW_OF(plain(1, version, value)), version));
}

/* Every row twice, the greater version first or last. */
static void put_all(struct rows *r, unsigned rows)
{
    for (unsigned i = 0; i < KEYS * rows; i++) {
        unsigned at = i * 7919 % (KEYS * rows), k = at % KEYS, c = at / KEYS;
        put_numbered(r, k, c, at % 3 ? 5 : 6);
        put_numbered(r, k, c, at % 3 ? 6 : 5);
    }
}

static void a_read_that_has_caught_up_has_all(void **state)
{
    (void)state;
    for (int has_clustering = 0; has_clustering < 2; has_clustering++) {
        unsigned rows = has_clustering ? ROWS : 1;
        struct rows r;
        open_rows(&r, has_clustering);
        put_all(&r, rows);
        assert_int_equal(put_off(&r), 2 * KEYS * rows);
        assert_int_equal(rows_findings(&r, false), 0);

        struct txn *before = rows_read(&r);
        assert_true(is_behind(&r, before, NULL) && is_behind(&r, before, "key3"));
        catch_up(&r, "key3");
        struct txn *txn = rows_read(&r);
        assert_true(is_behind(&r, txn, NULL) && !is_behind(&r, txn, "key3"));
        check_numbered(&r, txn, 3, 0, 6);
        txn_abort(&txn);

        catch_up(&r, NULL);
        txn = rows_read(&r);
        assert_false(is_behind(&r, txn, NULL));
        assert_true(is_behind(&r, before, NULL)); /* it sees what it saw */
        assert_false(engine_has_backlog(r.db.engine));
        check_all(&r, txn, rows);
        txn_abort(&txn);
        txn_abort(&before);
        assert_int_equal(put_off(&r), 0);
        rows_close(&r);
    }
}

static void a_write_that_reads_applies_what_it_comes_to(void **state)
{
    struct rows r;
    (void)state;

    open_rows(&r, true);
    put_all(&r, ROWS);
    struct txn *txn = rows_write(&r);
    check_numbered(&r, txn, 3, 0, 6);
    assert_true(put_off_in(&r, txn) < 2 * KEYS * ROWS);
    txn_abort(&txn); /* and nothing has happened */
    assert_int_equal(put_off(&r), 2 * KEYS * ROWS);

    const struct reach reach = reach_all(&r.table);
    bool more = true;
    txn = rows_write(&r);
    while (more)
        OK(&r.db.ctx, txn_catch_up(&r.db.ctx, txn, &reach, 0, &more));
    assert_false(is_behind(&r, txn, NULL));
    txn_abort(&txn); /* nor then: the next one has the same number, and is behind */
    txn = rows_write(&r);
    assert_true(is_behind(&r, txn, NULL));
    txn_abort(&txn);

    struct partitions *partitions;
    struct partition p;
    unsigned n = 0;
    txn = rows_write(&r);
    OK(&r.db.ctx, partitions_new(&r.db.ctx, &partitions));
    OK(&r.db.ctx, partitions_open(&r.db.ctx, partitions, txn, &r.table, INT64_MIN, INT64_MAX, SLICE_NULL));
    for (bool found = true; found; n += found)
        OK(&r.db.ctx, partitions_next(&r.db.ctx, partitions, &p, &found));
    assert_int_equal(n, KEYS);
    partitions_close(partitions);
    partitions_free(partitions);
    check_all(&r, txn, ROWS);
    rows_commit(&r, txn);
    assert_int_equal(put_off(&r), 0);
    rows_close(&r);
}

static void what_is_written_amid_a_read_is_met(void **state)
{
    struct rows r;
    struct ctx *ctx = &r.db.ctx;
    struct partitions *partitions;
    struct partition p;
    struct row_update row = { .clustering = slice_str("0000"), .row = marked(ROW_OF(plain(1, 5, "x")), 5) };
    unsigned n = 0, behind = 0;
    bool found = true;
    (void)state;

    open_rows(&r, true);
    put_all(&r, 1);
    struct txn *txn = rows_write(&r);
    OK(ctx, partitions_new(ctx, &partitions));
    OK(ctx, partitions_open(ctx, partitions, txn, &r.table, INT64_MIN, INT64_MAX, SLICE_NULL));
    OK(ctx, partitions_next(ctx, partitions, &p, &found));
    for (unsigned i = 0; i < KEYS; i++) {
        char key[16];
        snprintf(key, sizeof key, "new%u", i);
        struct update u = update_of(&r, key);
        u.rows = &row;
        u.row_count = 1;
        OK(ctx, apply(ctx, txn, &u));
        behind += token_of(u.partition_key) > p.token;
    }
    assert_int_equal(put_off_in(&r, txn), 0);
    for (; found; n += found)
        OK(ctx, partitions_next(ctx, partitions, &p, &found));
    assert_true(behind > 0);
    assert_int_equal(n, KEYS - 1 + behind);
    partitions_free(partitions);
    rows_commit(&r, txn);
    put(&r, "new0", "0001", row.row); /* and behind the transaction they are put off again */
    assert_int_equal(put_off(&r), 1);
    rows_close(&r);
}

static enum wr_status no_terms(struct ctx *ctx, void *arg, struct slice partition_key, struct slice clustering, const struct row *row,
                               enum wr_status (*emit)(void *emit_arg, struct slice term), void *emit_arg)
{
    (void)ctx, (void)arg, (void)partition_key, (void)clustering, (void)row;
    return emit(emit_arg, SLICE_LIT("t"));
}

static void only_plain_inserts_are_put_off(void **state)
{
    static char large[3000];
    static const struct index_shape index = { .index_id = 900, .terms = no_terms };
    struct rows r;
    (void)state;

    memset(large, 'x', sizeof large - 1);
    open_rows(&r, true);
    put(&r, "p", "a", ROW_OF(plain(1, 5, "x"), plain(2, 6, "y"))); /* without a marker, of two times: as any */
    assert_int_equal(put_off(&r), 1);
    catch_up(&r, NULL);
    put(&r, "p", "b", ROW_OF(expiring(1, 5, "x", 10, NOW_S + 10)));
    put(&r, "p", "b", ROW_OF(dead(1, 5, NOW_S)));
    put(&r, "p", "b", ROW_OF(at_path(plain(1, 5, "x"), "path")));
    put(&r, "p", "b", ROW_OF(plain(1, 5, large)));
    put(&r, "p", "b", ROW_OF(plain(1, 5, "x"), plain(2, 5, large + 1200), plain(3, 5, large + 1600)));
    put_static(&r, "p", ROW_OF(plain(9, 5, "x")));
    delete_row(&r, "p", "c", 5);
    delete_range(&r, "p", "d", "e", 5);
    delete_partition(&r, "q", 5);
    assert_int_equal(put_off(&r), 0);
    r.table.may_wait = false;
    put(&r, "p", "a", ROW_OF(plain(1, 5, "x")));
    r.table.may_wait = r.table.annexed = true;
    put(&r, "p", "a", ROW_OF(plain(1, 5, "x")));
    r.table.annexed = false;
    rig.backlog_when = BACKLOG_NEVER;
    put(&r, "p", "a", ROW_OF(plain(1, 5, "x")));
    rig.backlog_when = BACKLOG_ALWAYS;
    engine_bar_backlog(r.db.engine, true);
    put(&r, "p", "a", ROW_OF(plain(1, 5, "x")));
    engine_bar_backlog(r.db.engine, false);
    assert_int_equal(put_off(&r), 0);
    rows_close(&r);

    open_rows(&r, true);
    r.table.indexes = &index;
    r.table.index_count = 1;
    put(&r, "p", "a", ROW_OF(plain(1, 5, "x")));
    assert_int_equal(put_off(&r), 0);
    rows_close(&r);
}

/* What is put off and older than a tombstone stays covered, when that is purged too. */
static void a_tombstone_is_not_purged_before(void **state)
{
    struct rows r;
    struct row row;
    (void)state;

    open_rows(&r, true);
    put(&r, "p", "other", ROW_OF(plain(1, 1, "x")));
    delete_row(&r, "p", "gone", 9);
    put(&r, "p", "gone", ROW_OF(plain(1, 5, "x")));
    assert_int_equal(put_off(&r), 1);
    r.db.ctx.now_s += GRACE_S + 10;
    clock_set(engine_clock(r.db.engine), (int64_t)r.db.ctx.now_s * 1000000);
    rig.backlog_idle_ms = 1 << 30; /* not the sweep's doing */
    rows_sweep(&r);
    assert_int_equal(put_off(&r), 0);
    struct txn *txn = rows_read(&r);
    assert_true(rows_find_live(&r, txn, "other", &row));
    assert_false(rows_find_live(&r, txn, "gone", &row));
    txn_abort(&txn);
    rows_close(&r);
}

static void count_call(void *arg)
{
    ++*(int *)arg;
}

static void the_sweep_applies_what_has_waited(void **state)
{
    struct rows r;
    int calls = 0;
    bool more;
    (void)state;

    open_rows(&r, true);
    engine_set_sweep_hook(r.db.engine, count_call, &calls);
    put_all(&r, ROWS);
    assert_int_equal(calls, 1); /* for all that is put off until it has been applied */
    rig.backlog_idle_ms = 1 << 30;
    OK(&r.db.ctx, engine_sweep(&r.db.ctx, r.db.engine, &more));
    assert_true(!more && engine_has_backlog(r.db.engine)); /* somebody has put off a row just now */
    rig.backlog_idle_ms = 0;
    rows_sweep(&r);
    assert_int_equal(put_off(&r), 0);
    assert_false(engine_has_backlog(r.db.engine));
    struct txn *txn = rows_read(&r);
    check_all(&r, txn, ROWS);
    txn_abort(&txn);
    put_all(&r, 1);
    assert_int_equal(calls, 2);
    rows_close(&r);
}

/* Whoever sweeps hears whether there is more to do. */
static void the_sweep_applies_some_and_tells_of_the_others(void **state)
{
    enum { LARGE_ROWS = 6000 };
    static char value[1001];
    struct rows r;
    int steps = 0;
    (void)state;

    memset(value, 'v', sizeof value - 1);
    open_rows(&r, true);
    for (unsigned i = 0; i < LARGE_ROWS; i++) {
        char key[16];
        snprintf(key, sizeof key, "key%u", i);
        put(&r, key, "c", ROW_OF(plain(1, 6, value)));
    }
    unsigned left = put_off(&r);
    assert_int_equal(left, LARGE_ROWS);
    for (bool more = true; more; steps++) {
        OK(&r.db.ctx, engine_sweep(&r.db.ctx, r.db.engine, &more));
        unsigned now = put_off(&r);
        assert_true(now < left || !more); /* the last one may find nothing */
        left = now;
    }
    assert_int_equal(left, 0);
    assert_true(steps > 2);
    rows_close(&r);
}

static void rows_of_a_table_that_is_gone_are_forgotten(void **state)
{
    struct rows r;
    (void)state;

    open_rows(&r, true);
    put_all(&r, 2);
    r.unknown = true;
    catch_up(&r, NULL);
    r.unknown = false;
    assert_int_equal(put_off(&r), 0);
    struct txn *txn = rows_read(&r);
    struct partition p;
    bool found;
    OK(&r.db.ctx, partition_find(&r.db.ctx, txn, &r.table, slice_str("key3"), &p, &found));
    assert_false(found);
    txn_abort(&txn);
    rows_close(&r);
}

/* Whatever call fails while rows are applied: they are all put off still, and can be applied then. */
static void nothing_is_lost_where_applying_fails(void **state)
{
    struct rows r;
    (void)state;

    open_rows(&r, true);
    for (long n = 0, allocations = 0; allocations < 2;) {
        put_all(&r, 1);
        unsigned waiting = put_off(&r);
        const struct reach reach = reach_all(&r.table);
        bool more;
        struct txn *txn = rows_write(&r);
        *(allocations ? &rig.mem_fail_after : &rig.store_fail_after) = n;
        enum wr_status st = txn_catch_up(&r.db.ctx, txn, &reach, 0, &more);
        bool failed = *(allocations ? &rig.mem_fail_after : &rig.store_fail_after) < 0;
        rig.mem_fail_after = rig.store_fail_after = -1;
        assert_true(st == WR_OK || failed);
        if (st == WR_OK)
            rows_commit(&r, txn);
        else
            txn_abort(&txn);
        if (st != WR_OK)
            assert_int_equal(put_off(&r), waiting);
        assert_int_equal(rows_findings(&r, false), 0);
        catch_up(&r, NULL);
        txn = rows_read(&r);
        check_all(&r, txn, 1);
        txn_abort(&txn);
        n = failed ? n + (n < 50 ? 1 : 37) : 0;
        allocations += !failed;
    }
    rows_close(&r);
}

static void a_put_that_is_undone_leaves_nothing_to_look_for(void **state)
{
    struct rows r;
    (void)state;

    open_rows(&r, true);
    struct row_update one = { .clustering = slice_str("0001"), .row = ROW_OF(plain(1, 5, "v")) };
    struct update u = update_of(&r, "key1");
    u.rows = &one;
    u.row_count = 1;
    struct txn *txn = rows_write(&r);
    OK(&r.db.ctx, apply(&r.db.ctx, txn, &u));
    assert_int_equal(put_off_in(&r, txn), 1);
    txn_abort(&txn);
    assert_true(engine_has_backlog(r.db.engine));
    rows_sweep(&r);
    assert_false(engine_has_backlog(r.db.engine));
    rows_close(&r);
}

static void a_part_is_as_full_as_before_where_applying_is_undone(void **state)
{
    uint64_t before[BACKLOG_PARTS];
    struct rows r;
    bool more;
    (void)state;

    open_rows(&r, true);
    put_all(&r, 1);
    const struct reach reach = reach_all(&r.table);
    const uint64_t *bytes = r.db.engine->backlog.bytes;
    memcpy(before, bytes, sizeof before);
    struct txn *txn = rows_write(&r);
    OK(&r.db.ctx, txn_catch_up(&r.db.ctx, txn, &reach, 0, &more));
    txn_abort(&txn);
    for (size_t i = 0; i < BACKLOG_PARTS; i++)
        assert_true(bytes[i] >= before[i]);
    rows_close(&r);
}

/* It would not be taken out with the others, and applied again and again. */
static void a_number_as_long_as_a_key_can_be_is_damaged(void **state)
{
    (void)state;
    struct rows r;
    uint8_t key[STORE_KEY_MAX] = { 0 };
    bool more;

    open_rows(&r, true);
    const struct reach reach = reach_all(&r.table);
    put_numbered(&r, 3, 0, 5);
    put_u64(key, BACKLOG_BIT);
    struct txn *txn = rows_write(&r);
    OK(&r.db.ctx, store_put(&r.db.ctx, txn, TREE_ROWS, slice_of(key, sizeof key), SLICE_EMPTY));
    assert_int_equal(txn_catch_up(&r.db.ctx, txn, &reach, 0, &more), WR_CORRUPT);
    txn_abort(&txn);
    database_close(&r.db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_that_has_caught_up_has_all),
        cmocka_unit_test(a_write_that_reads_applies_what_it_comes_to), cmocka_unit_test(what_is_written_amid_a_read_is_met),
        cmocka_unit_test(only_plain_inserts_are_put_off),
        cmocka_unit_test(a_tombstone_is_not_purged_before),
        cmocka_unit_test(the_sweep_applies_what_has_waited),
        cmocka_unit_test(the_sweep_applies_some_and_tells_of_the_others),
        cmocka_unit_test(rows_of_a_table_that_is_gone_are_forgotten),
        cmocka_unit_test(nothing_is_lost_where_applying_fails),
        cmocka_unit_test(a_put_that_is_undone_leaves_nothing_to_look_for),
        cmocka_unit_test(a_part_is_as_full_as_before_where_applying_is_undone),
        cmocka_unit_test(a_number_as_long_as_a_key_can_be_is_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
