/* Answers engine/change.h, partition.h, graveyard.h and apply: what stands after writes, late writes and taken back ones. */
#include "tests/engine/rows.h"

static void test_insert_update_delete(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    put(&r, "p", "b", marked(ROW_OF(plain(1, 5, "x"), plain(2, 5, "y")), 5));
    put(&r, "p", "a", marked(ROW_OF(plain(1, 5, "z")), 5));
    put(&r, "p", "b", ROW_OF(plain(2, 6, "Y")));
    put(&r, "p", "b", ROW_OF(plain(1, 4, "late")));
    assert_string_equal(shown(&r, "p"), "a(1=z) b(1=x 2=Y)");
    assert_string_equal(shown(&r, "q"), "");
    put(&r, "p", "b", ROW_OF(dead(1, 6, NOW_S), dead(2, 7, NOW_S)));
    assert_string_equal(shown(&r, "p"), "a(1=z) b()"); /* INSERT's marker keeps the row */
    put(&r, "p", "a", ROW_OF(dead(1, 6, NOW_S)));
    delete_row(&r, "p", "b", 8);
    assert_string_equal(shown(&r, "p"), "a()");
    put(&r, "p", "c", ROW_OF(plain(1, 5, "u")));
    put(&r, "p", "c", ROW_OF(dead(1, 6, NOW_S))); /* UPDATE leaves none */
    assert_string_equal(shown(&r, "p"), "a()");
    rows_close(&r);
}

/* A late write is held against every kind of tombstone; one newer than it is not. */
static void test_late_writes(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    delete_row(&r, "p", "a", 10);
    delete_range(&r, "p", "b", "c", 20);
    put(&r, "p", "d", ROW_OF(dead(1, 30, NOW_S)));
    put_static(&r, "p", ROW_OF(dead(9, 30, NOW_S)));
    for (int64_t at = 5; at <= 35; at += 10) {
        put(&r, "p", "a", ROW_OF(plain(1, at, "x")));
        put(&r, "p", "b", ROW_OF(plain(1, at, "x")));
        put(&r, "p", "bb", ROW_OF(plain(1, at, "x")));
        put(&r, "p", "c", ROW_OF(plain(1, at, "x")));
        put(&r, "p", "d", ROW_OF(plain(1, at, "x")));
        put_static(&r, "p", ROW_OF(plain(9, at, "x")));
        const char *expected = at < 10   ? "c(1=x)"
                               : at < 20 ? "a(1=x) c(1=x)"
                               : at < 30 ? "a(1=x) b(1=x) bb(1=x) c(1=x)"
                                         : "a(1=x) b(1=x) bb(1=x) c(1=x) d(1=x)";
        assert_string_equal(shown(&r, "p"), expected);
        assert_string_equal(shown_static(&r, "p"), at < 30 ? "()" : "(9=x)");
    }
    delete_partition(&r, "p", 34);
    assert_string_equal(shown(&r, "p"), "a(1=x) b(1=x) bb(1=x) c(1=x) d(1=x)");
    delete_partition(&r, "p", 35);
    assert_string_equal(shown(&r, "p"), "");
    assert_string_equal(shown_static(&r, "p"), "()");
    put(&r, "p", "a", ROW_OF(plain(1, 35, "x")));
    assert_string_equal(shown(&r, "p"), "");
    put(&r, "p", "a", ROW_OF(plain(1, 36, "x")));
    assert_string_equal(shown(&r, "p"), "a(1=x)");
    rows_close(&r);
}

/* All in one mutation, with one timestamp: what it deletes stays deleted, whatever else it brings. */
static void test_one_mutation(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    struct range_deletion range = { { slice_str("a"), slice_str("b") }, { 5, NOW_S } };
    struct row_update rows[] = {
        { slice_str("a"), marked(ROW_OF(plain(1, 5, "x")), 5) },
        { slice_str("b"), marked(ROW_OF(plain(1, 5, "x")), 5) },
        { slice_str("b"), ROW_OF(plain(1, 5, "y")) }, /* one cell twice: the greater value */
        { slice_str("c"), marked(ROW_OF(plain(1, 5, "x")), 5) },
    };
    rows[3].row.deletion = (struct deletion){ 5, NOW_S };
    struct update u = update_of(&r, "p");
    u.ranges = &range;
    u.range_count = 1;
    u.rows = rows;
    u.row_count = 4;
    apply_one(&r, &u);
    assert_string_equal(shown(&r, "p"), "b(1=y)");
    rows_close(&r);
}

static void test_no_clustering(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, false);
    put(&r, "k", "", marked(ROW_OF(plain(1, 5, "v")), 5));
    assert_string_equal(shown(&r, "k"), "(1=v)");
    assert_string_equal(shown_static(&r, "k"), "()");
    delete_partition(&r, "k", 4);
    assert_string_equal(shown(&r, "k"), "(1=v)");
    delete_partition(&r, "k", 5);
    put(&r, "k", "", ROW_OF(plain(1, 5, "late")));
    assert_string_equal(shown(&r, "k"), "");
    put(&r, "k", "", ROW_OF(plain(1, 6, "new")));
    assert_string_equal(shown(&r, "k"), "(1=new)");

    struct range_deletion range = { { SLICE_EMPTY, SLICE_NULL }, { 9, NOW_S } };
    struct update u = update_of(&r, "k");
    u.ranges = &range;
    u.range_count = 1;
    struct txn *txn = rows_write(&r);
    assert_int_equal(apply(&r.db.ctx, txn, &u), WR_MISUSE);
    txn_abort(&txn);
    rows_close(&r);
}

/* What the writer remembers of a partition is forgotten with the transaction that made it so. */
static void test_taken_back(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    struct ctx *ctx = &r.db.ctx;
    struct row_update row = { slice_str("a"), ROW_OF(plain(1, 5, "x")) };
    struct update insert = update_of(&r, "p"), remove = update_of(&r, "p");
    insert.rows = &row;
    insert.row_count = 1;
    remove.partition_deletion = (struct deletion){ 100, NOW_S };

    struct txn *txn = rows_write(&r);
    OK(ctx, apply(ctx, txn, &insert));
    txn_abort(&txn);
    put(&r, "p", "b", ROW_OF(plain(1, 5, "y")));
    assert_string_equal(shown(&r, "p"), "b(1=y)");

    txn = rows_write(&r);
    OK(ctx, apply(ctx, txn, &remove));
    txn_abort(&txn);
    txn = rows_write(&r);
    OK(ctx, apply(ctx, txn, &insert));
    assert_string_equal(shown_in(&r, txn, "p", 0), "a(1=x) b(1=y)"); /* it reads its own writes */
    assert_string_equal(shown(&r, "p"), "b(1=y)");
    rows_commit(&r, txn);
    assert_string_equal(shown(&r, "p"), "a(1=x) b(1=y)");
    rows_close(&r);
}

/* Keys and clusterings at their limits, and beyond; long ones that differ in their last byte only. */
static void test_long_keys(void **state)
{
    (void)state;
    struct rows r;
    static uint8_t bytes[KEY_BYTES_MAX + 1];
    static const size_t lengths[] = { 0, 1, 478, 479, 480, 494, 495, 496, 511, 512, 5000, KEY_BYTES_MAX };
    rows_open(&r, true);
    struct ctx *ctx = &r.db.ctx;
    memset(bytes, 'k', sizeof bytes);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int last = 0; last < 2; last++) {
            if (lengths[i])
                bytes[lengths[i] - 1] = (uint8_t)('k' + last);
            put_row_at(&r, slice_of(bytes, lengths[i]), slice_of(bytes, lengths[i]),
                       ROW_OF(plain(1, 5 + last, last ? "one" : "zero")));
            bytes[lengths[i] ? lengths[i] - 1 : 0] = 'k';
        }
    struct txn *txn = rows_read(&r);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int last = 0; last < 2; last++) {
            struct partition p;
            struct row row;
            bool found;
            if (lengths[i])
                bytes[lengths[i] - 1] = (uint8_t)('k' + last);
            OK(ctx, partition_find(ctx, txn, &r.table, slice_of(bytes, lengths[i]), &p, &found));
            assert_true(found && slice_eq(p.key, slice_of(bytes, lengths[i])));
            OK(ctx, row_find_live(ctx, txn, &p, slice_of(bytes, lengths[i]), NULL, &row, &found));
            assert_true(found && slice_eq_str(row.cells[0].value, last || !lengths[i] ? "one" : "zero"));
            bytes[lengths[i] ? lengths[i] - 1 : 0] = 'k';
        }
    txn_abort(&txn);

    struct row_update row = { slice_str("a"), ROW_OF(plain(1, 5, "x")) };
    struct update u = update_of(&r, "");
    u.partition_key = slice_of(bytes, KEY_BYTES_MAX + 1);
    u.rows = &row;
    u.row_count = 1;
    txn = rows_write(&r);
    assert_int_equal(apply(ctx, txn, &u), WR_INVALID);
    assert_string_equal(ctx->error, "Key length of 65536 is longer than maximum of 65535");
    txn_abort(&txn);
    static uint8_t order[CLUSTERING_ORDER_MAX];
    memset(order, 'c', sizeof order);
    put_row_at(&r, slice_str("q"), slice_of(order, sizeof order), ROW_OF(plain(1, 5, "long")));
    delete_range(&r, "q", "c", "d", 4);
    assert_int_equal(rows_figures(&r).rows, 24);
    delete_range(&r, "q", "c", "d", 5);
    assert_int_equal(rows_figures(&r).rows, 23);
    rows_close(&r);
}

/* Promise 1 of graveyard.h: many ranges laid over one another, against a plain array of timestamps. */
static void test_ranges(void **state)
{
    (void)state;
    struct rows r;
    uint64_t seed = 3;
    rows_open(&r, true);
    for (int round = 0; round < 20; round++) {
        int64_t over[27];
        char key[16], start[2] = "a", end[2] = "a", at[2] = "a";
        snprintf(key, sizeof key, "p%d", round);
        delete_range(&r, key, "", NULL, 0);
        for (int i = 0; i < 26; i++)
            over[i] = 0;
        for (int i = 0; i < 25; i++) {
            int from = (int)random_below(&seed, 26), to = from + (int)random_below(&seed, 27 - (uint64_t)from);
            int64_t timestamp_us = 1 + (int64_t)random_below(&seed, 9);
            start[0] = (char)('a' + from);
            end[0] = (char)('a' + to);
            delete_range(&r, key, start, to == 26 ? NULL : end, timestamp_us);
            for (int j = from; j < to; j++)
                over[j] = timestamp_us > over[j] ? timestamp_us : over[j];
        }
        for (int i = 0; i < 26; i++) {
            char expected[64] = "";
            at[0] = (char)('a' + i);
            put(&r, key, at, ROW_OF(plain(1, over[i], "covered")));
            put(&r, key, at, ROW_OF(plain(2, over[i] + 1, "not")));
            snprintf(expected, sizeof expected, "%s(2=not)", at);
            assert_non_null(strstr(shown(&r, key), expected));
        }
        assert_null(strstr(shown(&r, key), "covered"));
    }
    rows_close(&r);
}

/* More rows than a step of the walk. */
static void test_wide_partition(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    struct ctx *ctx = &r.db.ctx;
    struct txn *txn = rows_write(&r);
    for (int i = 0; i < 1000; i++) {
        char name[16];
        snprintf(name, sizeof name, "%04d", i);
        struct row_update row = { slice_str(name), marked(ROW_OF(plain(1, i, "x")), i) };
        struct update u = update_of(&r, "p");
        u.rows = &row;
        u.row_count = 1;
        OK(ctx, apply(ctx, txn, &u));
    }
    rows_commit(&r, txn);
    delete_range(&r, "p", "0100", "0900", 850);
    struct table_figures figures = rows_figures(&r);
    assert_int_equal(figures.rows, 100 + 49 + 100); /* 0..99, 851..899, 900..999 */
    assert_int_equal(figures.widest_rows, 249);
    delete_partition(&r, "p", 2000);
    assert_int_equal(rows_figures(&r).rows, 0);
    rows_close(&r);
}

struct told {
    char text[1024];
    struct table_shape *other;
};

static enum wr_status note_change(struct ctx *ctx, void *arg, struct txn *txn, struct slice partition_key,
                                  struct slice clustering, const struct row *before, const struct row *after)
{
    struct told *told = arg;
    add_text(told->text, sizeof told->text, "|");
    if (before)
        print_row(clustering, before, told->text, sizeof told->text);
    add_text(told->text, sizeof told->text, "->");
    if (after)
        print_row(clustering, after, told->text, sizeof told->text);
    if (!told->other || !after)
        return WR_OK;
    struct row_update row = { clustering, *after };
    struct update u = { .table = told->other, .partition_key = partition_key, .partition_deletion = DELETION_NONE };
    u.rows = &row;
    u.row_count = 1;
    return apply(ctx, txn, &u);
}

static void test_hook(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    struct ctx *ctx = &r.db.ctx;
    struct table_shape other = r.table, base = r.table;
    struct told told = { "", &other };
    struct row_hook hook = { &told, note_change }, circle = { &told, note_change };
    char large[2001];
    memset(large, 'L', sizeof large - 1);
    large[sizeof large - 1] = 0;

    struct txn *txn = rows_write(&r);
    OK(ctx, txn_next_id(ctx, txn, &other.table_id));
    rows_commit(&r, txn);
    r.table.hook = &hook;
    put(&r, "p", "a", marked(ROW_OF(plain(1, 5, "x"), plain(2, 5, large)), 5));
    put(&r, "p", "a", ROW_OF(dead(1, 6, NOW_S)));
    put(&r, "p", "b", ROW_OF(dead(1, 6, NOW_S))); /* nothing to see before or after */
    delete_partition(&r, "p", 7);
    assert_string_equal(told.text, "|-> a(1=x 2=LLLLLLLLLLLLLLLLLLLL)"
                                   "| a(1=x 2=LLLLLLLLLLLLLLLLLLLL)-> a(2=LLLLLLLLLLLLLLLLLLLL)"
                                   "| a(2=LLLLLLLLLLLLLLLLLLLL)->");
    r.table = other;
    assert_string_equal(shown(&r, "p"), "a(1=x 2=LLLLLLLLLLLLLLLLLLLL)");

    other.hook = &circle; /* a table that depends on itself is refused, not followed for ever */
    r.table = base;
    r.table.hook = &hook;
    struct row_update row = { slice_str("a"), ROW_OF(plain(1, 9, "x")) };
    struct update u = update_of(&r, "p");
    u.rows = &row;
    u.row_count = 1;
    txn = rows_write(&r);
    assert_int_equal(apply(ctx, txn, &u), WR_MISUSE);
    txn_abort(&txn);
    other.hook = NULL;
    put(&r, "p", "a", ROW_OF(plain(1, 9, "x"))); /* and the next write is as good as any */
    rows_close(&r);
}

static struct row with_annex(struct row row, const char *annex)
{
    row.annex = slice_str(annex);
    return row;
}

static void expect_annex(struct rows *r, const char *clustering, const char *annex)
{
    struct txn *txn = rows_read(r);
    struct row row;
    assert_true(rows_find_live(r, txn, clustering, &row) && slice_eq_str(row.annex, annex));
    txn_abort(&txn);
}

static void test_annex(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    put(&r, "p", "a", with_annex(ROW_OF(plain(1, 5, "x")), "1.0"));
    put(&r, "p", "a", with_annex(ROW_OF(plain(1, 6, "y")), "1.00"));
    expect_annex(&r, "a", "1.0");
    rows_close(&r);
}

/* mutation.h: one written again keeps that of its tombstone, however new the write is. */
static void test_annex_of_a_tombstone(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    r.table.annexed = true;
    put(&r, "p", "a", with_annex(ROW_OF(plain(1, 5, "x")), "1.0"));
    delete_row(&r, "p", "a", 6);
    put(&r, "p", "a", with_annex(ROW_OF(plain(1, 7, "y")), "1.00"));
    expect_annex(&r, "a", "1.0");
    put(&r, "p", "b", with_annex(ROW_OF(dead(1, 8, NOW_S)), "2.0"));
    put(&r, "p", "b", with_annex(ROW_OF(plain(1, 9, "z")), "2.00"));
    expect_annex(&r, "b", "2.0");
    rows_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_insert_update_delete), cmocka_unit_test(test_late_writes),
        cmocka_unit_test(test_one_mutation),         cmocka_unit_test(test_no_clustering),
        cmocka_unit_test(test_taken_back),           cmocka_unit_test(test_long_keys),
        cmocka_unit_test(test_ranges),               cmocka_unit_test(test_wide_partition),
        cmocka_unit_test(test_hook),                 cmocka_unit_test(test_annex),
        cmocka_unit_test(test_annex_of_a_tombstone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
