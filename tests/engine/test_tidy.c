/* Answers engine/tidy.h and the halves of engine/partition.h: what comes out of the way of walks, when, and what brings it back. */
#include "engine/rig.h"
#include "engine/tidy.h"
#include "engine/token.h"
#include "tests/engine/put_off.h"

static void count_call(void *arg)
{
    ++*(int *)arg;
}

static void open_table(struct rows *r, bool has_clustering, int *calls)
{
    rows_open(r, has_clustering);
    *calls = 0;
    engine_set_sweep_hook(r->db.engine, count_call, calls);
}

static int walk(struct rows *r, struct txn *txn, bool any)
{
    struct ctx *ctx = &r->db.ctx;
    struct partitions *partitions;
    struct partition p;
    int64_t last = INT64_MIN;
    bool found = true;
    int n = 0;

    OK(ctx, partitions_new(ctx, &partitions));
    OK(ctx, (any ? partitions_open_any : partitions_open)(ctx, partitions, txn, &r->table, INT64_MIN, INT64_MAX, SLICE_NULL));
    for (;; n++) {
        OK(ctx, partitions_next(ctx, partitions, &p, &found));
        if (!found)
            break;
        assert_true(p.token == token_of(p.key) && (n == 0 || p.token > last));
        last = p.token;
    }
    partitions_free(partitions);
    return n;
}

static int count(struct rows *r, bool any)
{
    struct txn *txn = rows_read(r);
    int n = walk(r, txn, any);
    txn_abort(&txn);
    return n;
}
#define LIVING(r) count((r), false)
#define ALL(r) count((r), true)

static void tidy_all(struct rows *r)
{
    tidy_want(r->db.engine, &(struct tidying){ r->table.table_id, INT64_MIN, INT64_MAX });
    rows_sweep(r);
}

static const char *key_of(int i)
{
    static char key[8];
    snprintf(key, sizeof key, "k%d", i);
    return key;
}

/* So many steps over nothing, and not one less. */
static void many_steps_ask_for_it(void **state)
{
    (void)state;
    struct rows r;
    struct ctx *ctx = &r.db.ctx;
    struct partitions *partitions;
    struct partition p;
    bool found;
    int calls;

    open_table(&r, false, &calls);
    for (int i = 0; i < 10; i++) {
        put(&r, key_of(i), "", ROW_OF(plain(1, 5, "x")));
        if (i)
            delete_partition(&r, key_of(i), 6);
    }
    OK(ctx, partitions_new(ctx, &partitions));
    struct txn *txn = rows_read(&r);
    for (int passed = 0; passed < 1000;) {
        OK(ctx, partitions_open(ctx, partitions, txn, &r.table, INT64_MIN, INT64_MAX, SLICE_NULL));
        for (;;) {
            OK(ctx, partitions_next(ctx, partitions, &p, &found));
            if (!found)
                break;
            if (!slice_is_null(p.row) || passed == 1000)
                continue;
            assert_int_equal(calls, 0);
            partitions_pass(partitions, txn, &p);
            passed++;
        }
    }
    assert_int_equal(calls, 1);
    partitions_close(partitions);
    txn_abort(&txn);
    assert_int_equal(LIVING(&r), 10);
    rows_sweep(&r);
    assert_int_equal(LIVING(&r), 1);
    assert_int_equal(ALL(&r), 10);
    partitions_free(partitions);
    rows_close(&r);
}

static void what_comes_to_life_comes_back(void **state)
{
    (void)state;
    struct rows r;
    int calls;

    open_table(&r, false, &calls);
    for (int i = 0; i < 4; i++) {
        put(&r, key_of(i), "", ROW_OF(plain(1, 5, "x")));
        delete_partition(&r, key_of(i), 6);
    }
    tidy_all(&r);
    assert_int_equal(LIVING(&r), 0);
    put(&r, key_of(0), "", ROW_OF(plain(1, 6, "older"))); /* it is covered still */
    put(&r, key_of(1), "", ROW_OF(plain(1, 7, "newer")));
    put(&r, key_of(2), "", ROW_OF(dead(1, 8, NOW_S)));
    assert_int_equal(LIVING(&r), 1);
    assert_int_equal(ALL(&r), 4);
    assert_string_equal(shown(&r, key_of(1)), "(1=newer)");
    put(&r, key_of(2), "", ROW_OF(plain(1, 7, "older")));
    assert_int_equal(LIVING(&r), 1);
    put(&r, key_of(2), "", ROW_OF(plain(1, 9, "newer")));
    put(&r, key_of(2), "", ROW_OF(dead(1, 10, NOW_S)));
    assert_int_equal(LIVING(&r), 2); /* until the next sweep that is asked for */
    tidy_all(&r);
    assert_int_equal(LIVING(&r), 1);
    r.db.ctx.now_s += r.table.gc_grace_s + 1;
    rows_sweep(&r);
    assert_int_equal(ALL(&r), 1);
    rows_close(&r);
}

/* Whoever sweeps hears whether there is more to do. */
static void a_sweep_moves_some_and_tells_of_the_others(void **state)
{
    enum { DEAD = 1500 };
    (void)state;
    struct rows r;
    int calls, steps = 0, left = DEAD;

    open_table(&r, false, &calls);
    for (int i = 0; i < DEAD; i++) {
        put(&r, key_of(i), "", ROW_OF(plain(1, 5, "x")));
        delete_partition(&r, key_of(i), 6);
    }
    tidy_want(r.db.engine, &(struct tidying){ r.table.table_id, INT64_MIN, INT64_MAX });
    for (bool more = true; more; steps++) {
        OK(&r.db.ctx, engine_sweep(&r.db.ctx, r.db.engine, &more));
        int now = LIVING(&r);
        assert_true(now < left);
        left = now;
    }
    assert_int_equal(left, 0);
    assert_true(steps > 1);
    rows_close(&r);
}

/* What of a partition keeps it where it is. */
static void rows_and_static_rows_keep_it(void **state)
{
    (void)state;
    struct rows r;
    int calls;

    open_table(&r, true, &calls);
    for (int i = 0; i < 6; i++) {
        put(&r, key_of(i), "a", ROW_OF(plain(1, 5, "x")));
        put(&r, key_of(i), "b", ROW_OF(plain(1, 5, "x")));
    }
    put_static(&r, key_of(1), ROW_OF(plain(9, 5, "x")));
    put_static(&r, key_of(2), ROW_OF(expiring(9, 5, "x", 10, NOW_S + 10)));
    delete_partition(&r, key_of(0), 6);
    delete_range(&r, key_of(1), "", NULL, 6);
    for (const char *c = "ab"; *c; c++) {
        delete_row(&r, key_of(2), (char[]){ *c, 0 }, 6);
        delete_row(&r, key_of(3), (char[]){ *c, 0 }, 6);
    }
    delete_row(&r, key_of(4), "a", 6);
    put(&r, key_of(6), "a", ROW_OF(expiring(1, 5, "x", 10, NOW_S + 10)));
    delete_row(&r, key_of(7), "a", 5);
    tidy_all(&r);
    assert_int_equal(ALL(&r), 8);
    assert_int_equal(LIVING(&r), 5); /* 1 and 2 by their static rows, 4 and 5 by rows, 6 */
    r.db.ctx.now_s += 10;
    tidy_all(&r);
    assert_int_equal(LIVING(&r), 3);
    put(&r, key_of(3), "c", ROW_OF(plain(1, 5, "x")));
    put(&r, key_of(3), "a", ROW_OF(plain(1, 5, "x"))); /* covered */
    put(&r, key_of(0), "c", ROW_OF(plain(1, 6, "x"))); /* covered */
    put_static(&r, key_of(7), ROW_OF(plain(9, 5, "x")));
    assert_int_equal(LIVING(&r), 5);
    assert_string_equal(shown(&r, key_of(3)), "c(1=x)");
    assert_string_equal(shown(&r, key_of(0)), "");
    assert_string_equal(shown_static(&r, key_of(7)), "(9=x)");
    rows_close(&r);
}

/* What is alive without a cell in its row: its marker, or elements that lie elsewhere. */
static void markers_and_large_collections_keep_it(void **state)
{
    (void)state;
    enum { ELEMENTS = 500 };
    static char paths[ELEMENTS][8];
    static struct cell cells[ELEMENTS];
    struct rows r;
    int calls;

    open_table(&r, false, &calls);
    for (int i = 0; i < ELEMENTS; i++) {
        snprintf(paths[i], sizeof paths[i], "%03d", i);
        cells[i] = at_path(plain(3, 5, "element"), paths[i]);
    }
    put(&r, key_of(0), "", marked(ROW_NONE, 5));
    put(&r, key_of(1), "", row_of(cells, ELEMENTS));
    put(&r, key_of(2), "", marked(ROW_OF(dead(1, 5, NOW_S)), 5));
    put(&r, key_of(3), "", ROW_OF(dead(1, 5, NOW_S)));
    tidy_all(&r);
    assert_int_equal(LIVING(&r), 3);
    assert_int_equal(ALL(&r), 4);
    rows_close(&r);
}

static int token_cmp(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Before a sweep has its turn several walks may have asked, on either side of one another. */
static void what_several_walks_asked_for_is_one(void **state)
{
    (void)state;
    enum { DEAD = 30 };
    static const int asked[][2] = { { 10, 12 }, { 5, 6 }, { 20, 21 }, { 8, 9 } };
    struct rows r;
    int64_t tokens[DEAD];
    int calls;

    open_table(&r, false, &calls);
    for (int i = 0; i < DEAD; i++) {
        put(&r, key_of(i), "", ROW_OF(plain(1, 5, "x")));
        delete_partition(&r, key_of(i), 6);
        tokens[i] = token_of(slice_str(key_of(i)));
    }
    qsort(tokens, DEAD, sizeof *tokens, token_cmp);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        tidy_want(r.db.engine, &(struct tidying){ r.table.table_id, tokens[asked[i][0]], tokens[asked[i][1]] });
    rows_sweep(&r);
    assert_int_equal(LIVING(&r), DEAD - (21 - 5 + 1));
    rows_close(&r);
}

static struct table_shape tables[2];

static const struct table_shape *either_table(void *arg, uint64_t table_id)
{
    (void)arg;
    return table_id == tables[0].table_id ? &tables[0] : table_id == tables[1].table_id ? &tables[1] : NULL;
}

static void several_tables_have_their_turns(void **state)
{
    (void)state;
    struct rows r;
    struct ctx *ctx = &r.db.ctx;
    int calls;
    bool more;

    open_table(&r, false, &calls);
    engine_set_table_lookup(r.db.engine, either_table, NULL);
    for (int t = 0; t < 2; t++) {
        if (t) {
            struct txn *txn = rows_write(&r);
            OK(ctx, txn_next_id(ctx, txn, &r.table.table_id));
            rows_commit(&r, txn);
        }
        tables[t] = r.table;
        put(&r, key_of(t), "", ROW_OF(plain(1, 5, "x")));
        delete_partition(&r, key_of(t), 6);
    }
    for (int t = 0; t < 2; t++)
        tidy_want(r.db.engine, &(struct tidying){ tables[t].table_id, INT64_MIN, INT64_MAX });
    OK(ctx, engine_sweep(ctx, r.db.engine, &more));
    assert_true(more);
    OK(ctx, engine_sweep(ctx, r.db.engine, &more));
    assert_false(more);
    for (int t = 0; t < 2; t++) {
        r.table = tables[t];
        assert_int_equal(LIVING(&r), 0);
        assert_int_equal(ALL(&r), 1);
    }
    rows_close(&r);
}

/* In one that writes, entries change halves while both are walked over: what has not been come by is, once. */
static void both_halves_in_one_order(void **state)
{
    (void)state;
    enum { N = 200 };
    struct rows r;
    struct ctx *ctx = &r.db.ctx;
    struct partitions *partitions;
    struct partition p;
    bool found, more;
    int calls, n = 0;

    open_table(&r, false, &calls);
    for (int i = 0; i < N; i++) {
        put(&r, key_of(i), "", ROW_OF(plain(1, 5, "x")));
        if (i % 3 == 0)
            delete_partition(&r, key_of(i), 6);
    }
    tidy_all(&r);
    assert_int_equal(LIVING(&r), N - N / 3 - 1);
    assert_int_equal(ALL(&r), N);
    for (int i = 1; i < N; i += 3)
        delete_partition(&r, key_of(i), 6);
    struct txn *txn = rows_write(&r);
    assert_int_equal(walk(&r, txn, true), N);
    OK(ctx, partitions_new(ctx, &partitions));
    OK(ctx, partitions_open_any(ctx, partitions, txn, &r.table, INT64_MIN, INT64_MAX, SLICE_NULL));
    for (;; n++) {
        if (n == N / 2) {
            tidy_want(r.db.engine, &(struct tidying){ r.table.table_id, INT64_MIN, INT64_MAX });
            for (more = true; more;)
                OK(ctx, tidy_some(ctx, txn, 7, &more));
        }
        OK(ctx, partitions_next(ctx, partitions, &p, &found));
        if (!found)
            break;
    }
    assert_int_equal(n, N);
    partitions_free(partitions);
    assert_int_equal(walk(&r, txn, false), N / 3);
    txn_abort(&txn);
    assert_int_equal(LIVING(&r), N - N / 3 - 1);
    rows_close(&r);
}

/* The dead half has ended when the first entries come to it. */
static void what_is_moved_ahead_is_met(void **state)
{
    (void)state;
    struct rows r;
    struct ctx *ctx = &r.db.ctx;
    struct partitions *partitions;
    struct partition p;
    bool found = true, more = true;
    int calls, n = 0;

    open_table(&r, false, &calls);
    for (int i = 0; i < 20; i++) {
        put(&r, key_of(i), "", ROW_OF(plain(1, 5, "x")));
        delete_partition(&r, key_of(i), 6);
    }
    struct txn *txn = rows_write(&r);
    OK(ctx, partitions_new(ctx, &partitions));
    OK(ctx, partitions_open_any(ctx, partitions, txn, &r.table, INT64_MIN, INT64_MAX, SLICE_NULL));
    for (;; n++) {
        OK(ctx, partitions_next(ctx, partitions, &p, &found));
        if (!found)
            break;
        if (n == 9) {
            tidy_want(r.db.engine, &(struct tidying){ r.table.table_id, INT64_MIN, INT64_MAX });
            while (more)
                OK(ctx, tidy_some(ctx, txn, 100, &more));
        }
    }
    assert_int_equal(n, 20);
    partitions_free(partitions);
    txn_abort(&txn);
    rows_close(&r);
}

/* A table of which nothing was dead is remembered as such: not beyond a transaction that is undone. */
static void what_is_undone_is_forgotten(void **state)
{
    (void)state;
    struct rows r;
    struct ctx *ctx = &r.db.ctx;
    int calls;
    bool more;

    open_table(&r, false, &calls);
    put(&r, key_of(0), "", ROW_OF(plain(1, 5, "x")));
    delete_partition(&r, key_of(0), 10);
    for (int round = 0; round < 2; round++) {
        struct txn *txn = rows_write(&r);
        tidy_want(r.db.engine, &(struct tidying){ r.table.table_id, INT64_MIN, INT64_MAX });
        OK(ctx, tidy_some(ctx, txn, 100, &more));
        assert_int_equal(walk(&r, txn, false), 0);
        if (round)
            rows_commit(&r, txn);
        else
            txn_abort(&txn);
        put(&r, key_of(0), "", ROW_OF(plain(1, 9, "x"))); /* covered: by an entry of either half */
        assert_string_equal(shown(&r, key_of(0)), "");
        assert_int_equal(ALL(&r), 1);
    }
    rows_close(&r);
}

static void long_keys_and_dropped_tables(void **state)
{
    (void)state;
    static char keys[2][600];
    struct rows r;
    struct ctx *ctx = &r.db.ctx;
    int calls;

    open_table(&r, true, &calls);
    uint64_t empty = rows_entries(&r);
    for (int i = 0; i < 2; i++) {
        memset(keys[i], 'k', sizeof keys[i] - 1);
        keys[i][sizeof keys[i] - 2] = (char)('0' + i);
        put(&r, keys[i], "a", ROW_OF(plain(1, 5, "x")));
        delete_row(&r, keys[i], "b", 5);
        put_static(&r, keys[i], ROW_OF(dead(9, 5, NOW_S)));
        delete_partition(&r, keys[i], 6);
        delete_row(&r, keys[i], "b", 7);
    }
    tidy_all(&r);
    assert_int_equal(LIVING(&r), 0);
    assert_int_equal(ALL(&r), 2);
    put(&r, keys[0], "c", ROW_OF(plain(1, 7, "x")));
    assert_int_equal(LIVING(&r), 1);
    assert_int_equal(rows_findings(&r, false), 0);
    struct txn *txn = rows_write(&r);
    OK(ctx, txn_forget_table(ctx, txn, r.table.table_id));
    rows_commit(&r, txn);
    rows_sweep(&r);
    assert_int_equal(ALL(&r), 0);
    assert_int_equal(rows_entries(&r), empty);
    rows_close(&r);
}

static void bury_partition(struct rows *r, int i)
{
    put(r, key_of(i), "", ROW_OF(plain(1, 5, "x")));
    delete_partition(r, key_of(i), 6);
}

/* Changes as many as others can wait for, and then tidies. */
static enum wr_status tidy_at_length(struct ctx *ctx, struct txn *txn, void *runs)
{
    uint8_t key[ID_BYTES];
    bool more;

    ++*(int *)runs;
    for (uint64_t n = 0; n < 2000; n++) {
        put_u64(key, n + 1);
        TRY(store_put(ctx, txn, TREE_SPILL, slice_of(key, sizeof key), SLICE_EMPTY));
    }
    return tidy_some(ctx, txn, 100, &more);
}

/* A sweep that takes too long beside what others wait for is run again, and knows what it was to do. */
static void what_was_given_up_is_done_again(void **state)
{
    (void)state;
    struct rows r;
    int calls = 0, runs = 0;

    new_on_disk(&r, DURABILITY_PERIODIC);
    r.table.may_wait = false;
    r.table.has_clustering = false;
    engine_set_sweep_hook(r.db.engine, count_call, &calls);
    for (int i = 0; i < 10; i++)
        bury_partition(&r, i);
    tidy_want(r.db.engine, &(struct tidying){ r.table.table_id, INT64_MIN, INT64_MAX });
    put_gathered(&r, 0, 0, "x");
    OK(&r.db.ctx, engine_write_gathered(&r.db.ctx, r.db.engine, tidy_at_length, &runs));
    assert_int_equal(runs, 2);
    assert_int_equal(LIVING(&r), 1);
    assert_int_equal(ALL(&r), 11);
    engine_close(r.db.engine); /* without the entries of nobody's */
    r.db.engine = NULL;
    database_close(&r.db);
}

/* To move an entry would be to apply all that is put off around it. */
static void where_rows_are_put_off_nothing_is_moved(void **state)
{
    (void)state;
    struct rows r;
    int calls;

    open_table(&r, false, &calls);
    rig.backlog_idle_ms = 1 << 30;
    for (int i = 0; i < 10; i++)
        bury_partition(&r, i);
    rig.backlog_when = BACKLOG_ALWAYS;
    r.table.may_wait = true;
    put(&r, key_of(0), "", marked(ROW_OF(plain(1, 7, "x")), 7));
    tidy_all(&r);
    assert_int_equal(put_off(&r), 1);
    assert_int_equal(LIVING(&r), 10);
    catch_up(&r, NULL);
    tidy_all(&r);
    assert_int_equal(LIVING(&r), 1);
    rig.backlog_when = BACKLOG_WHERE_IT_PAYS;
    rows_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_steps_ask_for_it),       cmocka_unit_test(what_comes_to_life_comes_back),
        cmocka_unit_test(a_sweep_moves_some_and_tells_of_the_others),
        cmocka_unit_test(rows_and_static_rows_keep_it), cmocka_unit_test(markers_and_large_collections_keep_it),
        cmocka_unit_test(what_several_walks_asked_for_is_one), cmocka_unit_test(several_tables_have_their_turns),
        cmocka_unit_test(both_halves_in_one_order),
        cmocka_unit_test(what_is_moved_ahead_is_met),
        cmocka_unit_test(what_is_undone_is_forgotten), cmocka_unit_test(long_keys_and_dropped_tables),
        cmocka_unit_test(what_was_given_up_is_done_again),
        cmocka_unit_test(where_rows_are_put_off_nothing_is_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
