/* Answers engine/scan.h: bounds, directions, columns, raw scans, tokens, rows passed over, and no memory for a scan
 * opened again. */
#include "engine/graveyard.h"
#include "engine/token.h"
#include "tests/engine/rows.h"

static void fill(struct rows *r)
{
    static const char *const names[] = { "a", "ab", "b", "ba", "c" };
    for (size_t i = 0; i < 5; i++)
        put(r, "p", names[i], marked(ROW_OF(plain(1, 5, names[i]), plain(2, 5, "two"), at_path(plain(3, 5, "m"), "k")), 5));
}

static const char *range_text(struct rows *r, const char *start, const char *end, unsigned flags, const struct columns *columns,
                              const char *seek)
{
    static char text[1024];
    struct ctx *ctx = &r->db.ctx;
    struct txn *txn = rows_read(r);
    struct scan *scan;
    struct partition p;
    const struct row_view *view;
    bool found;

    text[0] = 0;
    OK(ctx, scan_new(ctx, &scan));
    OK(ctx, partition_find(ctx, txn, &r->table, slice_str("p"), &p, &found));
    OK(ctx, scan_open(ctx, scan, txn, &p, (struct range){ slice_str(start), slice_str(end) }, flags, columns));
    for (;;) {
        OK(ctx, scan_next(ctx, scan, &view));
        if (!view)
            break;
        add_text(text, sizeof text, "%s%.*s%s", *text ? " " : "", SLICE_ARG(view->clustering), view->buried ? "!" : "");
        if (columns)
            print_row(SLICE_EMPTY, &view->row, text, sizeof text);
        if (seek)
            scan_seek(scan, slice_str(seek));
        seek = NULL;
    }
    OK(ctx, scan_next(ctx, scan, &view)); /* the end stays the end */
    assert_null(view);
    scan_free(scan);
    txn_abort(&txn);
    return text;
}

static void test_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *start, *end, *forward, *reversed;
    } table[] = {
        { "", NULL, "a ab b ba c", "c ba b ab a" },
        { "ab", NULL, "ab b ba c", "c ba b ab" },
        { "ab", "b", "ab", "ab" },
        { "aa", "bb", "ab b ba", "ba b ab" },
        { "b", "b\xff", "b ba", "ba b" }, /* all that begin with b */
        { "", "a", "", "" },
        { "d", NULL, "", "" },
        { "c", "a", "", "" },
        { "", "\xff", "a ab b ba c", "c ba b ab a" },
    };
    struct rows r;
    rows_open(&r, true);
    fill(&r);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_string_equal(range_text(&r, table[i].start, table[i].end, 0, NULL, NULL), table[i].forward);
        assert_string_equal(range_text(&r, table[i].start, table[i].end, SCAN_REVERSED, NULL, NULL), table[i].reversed);
    }
    rows_close(&r);
}

static void test_seek(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    fill(&r);
    assert_string_equal(range_text(&r, "", NULL, 0, NULL, "b"), "a b ba c");
    assert_string_equal(range_text(&r, "", NULL, 0, NULL, "aa"), "a ab b ba c");
    assert_string_equal(range_text(&r, "", "c", 0, NULL, "c"), "a");
    assert_string_equal(range_text(&r, "", NULL, SCAN_REVERSED, NULL, "b"), "c b ab a");
    assert_string_equal(range_text(&r, "", NULL, SCAN_REVERSED, NULL, "az"), "c ab a");
    assert_string_equal(range_text(&r, "ab", NULL, SCAN_REVERSED, NULL, "a"), "c");
    rows_close(&r);
}

static void assert_next(struct ctx *ctx, struct scan *scan, const char *clustering)
{
    const struct row_view *view;

    OK(ctx, scan_next(ctx, scan, &view));
    assert_non_null(view);
    assert_true(slice_eq(view->clustering, slice_str(clustering)));
}

static void test_seek_before_the_first(void **state)
{
    (void)state;
    const struct range all = { SLICE_EMPTY, SLICE_NULL }, to_b = { SLICE_EMPTY, slice_str("b") };
    struct scan *scan;
    struct partition p;
    struct rows r;
    uint64_t passed;
    bool found;

    rows_open(&r, true);
    fill(&r);
    put(&r, "p", "bb", ROW_OF(expiring(1, 5, "v", 100, NOW_S + 100))); /* which a look at its beginning does not tell to be alive */
    struct ctx *ctx = &r.db.ctx;
    struct txn *txn = rows_read(&r);
    OK(ctx, scan_new(ctx, &scan));
    OK(ctx, partition_find(ctx, txn, &r.table, slice_str("p"), &p, &found));
    OK(ctx, scan_open(ctx, scan, txn, &p, all, 0, NULL));
    scan_seek(scan, slice_str("c"));
    OK(ctx, scan_open(ctx, scan, txn, &p, all, 0, NULL)); /* opened again it begins at the beginning */
    assert_next(ctx, scan, "a");
    OK(ctx, scan_open(ctx, scan, txn, &p, to_b, SCAN_REVERSED, NULL));
    scan_seek(scan, slice_str("ba")); /* which lies before what is in the range */
    assert_next(ctx, scan, "ab");
    OK(ctx, scan_open(ctx, scan, txn, &p, all, 0, NULL));
    OK(ctx, scan_pass_rows(ctx, scan, UINT64_MAX, &passed));
    assert_int_equal(passed, 4);
    scan_seek(scan, slice_str("c")); /* the row that it stopped at is passed over */
    assert_next(ctx, scan, "c");
    scan_free(scan);
    txn_abort(&txn);
    rows_close(&r);
}

static void test_columns(void **state)
{
    (void)state;
    struct rows r;
    const uint32_t one[] = { 1 }, some[] = { 0, 3, 9 };
    const struct columns only_one = { .ids = one, .count = 1 }, only_some = { .ids = some, .count = 3 }, nothing = { .count = 0 };
    rows_open(&r, true);
    put(&r, "p", "a", ROW_OF(plain(1, 5, "x"), plain(2, 5, "y"), at_path(plain(3, 5, "z"), "k")));
    put(&r, "p", "b", ROW_OF(plain(2, 5, "y")));
    assert_string_equal(range_text(&r, "", NULL, 0, &only_one, NULL), "a (1=x) b ()");
    assert_string_equal(range_text(&r, "", NULL, 0, &only_some, NULL), "a (3[k]=z) b ()");
    assert_string_equal(range_text(&r, "", NULL, 0, &nothing, NULL), "a () b ()");
    put(&r, "p", "b", ROW_OF(dead(2, 6, NOW_S)));
    assert_string_equal(range_text(&r, "", NULL, 0, &only_one, NULL), "a (1=x)");
    rows_close(&r);
}

/* What is not wanted and older than a marker does not count, also where that has expired. */
static void test_marker_shadows(void **state)
{
    (void)state;
    struct rows r;
    const uint32_t one[] = { 1 }, three[] = { 3 };
    const struct columns first = { .ids = one, .count = 1, .marker_shadows = true }, third = { .ids = three, .count = 1, .marker_shadows = true };
    const struct columns third_any = { .ids = three, .count = 1 };
    struct row row = ROW_OF(plain(1, 5, "x"));
    struct liveness marker = { 6, 5, NOW_S + 5 };
    rows_open(&r, true);
    put(&r, "p", "a", row); /* without a marker */
    row.liveness = marker;
    put(&r, "p", "b", row);
    row = ROW_OF(plain(1, 6, "x"));
    row.liveness = marker;
    put(&r, "p", "c", row); /* as old as the marker */
    row = ROW_OF(at_path(plain(1, 5, "x"), "k"));
    row.liveness = marker;
    put(&r, "p", "d", row);
    assert_string_equal(range_text(&r, "", NULL, 0, &third, NULL), "a () b () c () d ()");
    r.db.ctx.now_s += 6;
    assert_string_equal(range_text(&r, "", NULL, 0, &third, NULL), "a () c ()");
    assert_string_equal(range_text(&r, "", NULL, 0, &third_any, NULL), "a () b () c () d ()");
    assert_string_equal(range_text(&r, "", NULL, 0, &first, NULL), "a (1=x) b (1=x) c (1=x) d (1[k]=x)");
    rows_close(&r);
}

/* Living and buried rows in one order; of two at one place the living first. */
static void test_raw(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    delete_row(&r, "p", "a", 5);
    delete_row(&r, "p", "b", 5);
    put(&r, "p", "b", ROW_OF(plain(1, 6, "x"))); /* newer than all graves: does not look there */
    put(&r, "p", "c", ROW_OF(plain(1, 6, "x"), dead(2, 6, NOW_S)));
    put(&r, "p", "d", ROW_OF(expiring(1, 6, "x", 5, NOW_S + 5)));
    delete_range(&r, "p", "e", "f", 7);
    struct complex_deletion complex = { 8, { 6, NOW_S } };
    struct row static_row = ROW_OF(dead(9, 6, NOW_S));
    static_row.complex = &complex;
    static_row.complex_count = 1;
    put_static(&r, "p", static_row);
    r.db.ctx.now_s += 6;
    assert_string_equal(range_text(&r, "", NULL, 0, NULL, NULL), "b c");
    assert_string_equal(range_text(&r, "", NULL, SCAN_RAW, NULL, NULL), "a! b b! c d");
    assert_string_equal(range_text(&r, "", NULL, SCAN_RAW | SCAN_REVERSED, NULL, NULL), "d c b b! a!");
    assert_string_equal(range_text(&r, "b", "c", SCAN_RAW, NULL, NULL), "b b!");
    assert_string_equal(range_text(&r, "", NULL, SCAN_RAW, NULL, "b"), "a! b b! c d");

    struct txn *txn = rows_read(&r);
    struct tombstone_range *ranges;
    struct partition p;
    size_t count;
    bool found;
    OK(&r.db.ctx, partition_find(&r.db.ctx, txn, &r.table, slice_str("p"), &p, &found));
    OK(&r.db.ctx, graveyard_ranges(&r.db.ctx, txn, p.id, (struct range){ SLICE_EMPTY, SLICE_NULL }, &ranges, &count));
    assert_int_equal(count, 1);
    assert_true(slice_eq_str(ranges[0].range.start, "e") && ranges[0].deletion.timestamp_us == 7);

    struct range_deletion *shown_ranges;
    struct row row;
    uint32_t n;
    OK(&r.db.ctx, partition_ranges(&r.db.ctx, txn, &p, &shown_ranges, &n));
    assert_true(n == 1 && slice_eq_str(shown_ranges[0].range.end, "f") && shown_ranges[0].deletion.timestamp_us == 7);
    OK(&r.db.ctx, partition_static_raw(&r.db.ctx, txn, &p, &row));
    assert_true(row.cell_count == 1 && row.cells[0].kind == CELL_DEAD && row.complex_count == 1);
    txn_abort(&txn);
    rows_close(&r);
}

/* Partitions in order of token, from, to, and on behind a key. */
static void test_partitions(void **state)
{
    (void)state;
    enum { N = 300 };
    struct rows r;
    struct ctx *ctx = &r.db.ctx;
    struct partitions *partitions;
    struct partition p;
    int64_t tokens[N], last = INT64_MIN;
    struct slice keys[N];
    static char key_bytes[N][16];
    bool found;
    int n = 0;

    rows_open(&r, true);
    for (int i = 0; i < N; i++) {
        char key[16];
        snprintf(key, sizeof key, "key%d", i);
        put(&r, key, "a", ROW_OF(plain(1, 5, key)));
    }
    r.table.table_id++; /* the neighbour does not show */
    put(&r, "other", "a", ROW_OF(plain(1, 5, "x")));
    r.table.table_id--;
    struct txn *txn = rows_read(&r);
    OK(ctx, partitions_new(ctx, &partitions));
    OK(ctx, partitions_open(ctx, partitions, txn, &r.table, INT64_MIN, INT64_MAX, SLICE_NULL));
    for (;;) {
        OK(ctx, partitions_next(ctx, partitions, &p, &found));
        if (!found)
            break;
        assert_true(p.token > last && p.token == token_of(p.key) && p.has_clustering && p.id);
        memcpy(key_bytes[n], p.key.data, p.key.len);
        keys[n] = slice_of(key_bytes[n], p.key.len);
        last = tokens[n++] = p.token;
    }
    assert_int_equal(n, N);
    for (int i = 0; i < N; i += 7) {
        OK(ctx, partitions_open(ctx, partitions, txn, &r.table, tokens[i], INT64_MAX, SLICE_NULL));
        OK(ctx, partitions_next(ctx, partitions, &p, &found));
        assert_true(found && slice_eq(p.key, keys[i]));
        OK(ctx, partitions_open(ctx, partitions, txn, &r.table, tokens[i], tokens[i], SLICE_NULL));
        OK(ctx, partitions_next(ctx, partitions, &p, &found));
        assert_true(found && slice_eq(p.key, keys[i]));
        OK(ctx, partitions_next(ctx, partitions, &p, &found));
        assert_false(found);
        OK(ctx, partitions_open(ctx, partitions, txn, &r.table, tokens[i], INT64_MAX, keys[i]));
        OK(ctx, partitions_next(ctx, partitions, &p, &found));
        assert_int_equal(found, i + 1 < N);
        if (found)
            assert_true(slice_eq(p.key, keys[i + 1]));
        OK(ctx, partitions_open(ctx, partitions, txn, &r.table, tokens[i] + 1, tokens[i], SLICE_NULL));
        OK(ctx, partitions_next(ctx, partitions, &p, &found));
        assert_false(found);
    }
    partitions_free(partitions);
    txn_abort(&txn);
    rows_close(&r);
}

/* Promise 3, with large values and collections among what is read. */
static void test_no_memory_when_warm(void **state)
{
    (void)state;
    struct rows r;
    struct ctx *ctx = &r.db.ctx;
    struct scan *scan;
    struct cell cells[100];
    char names[100][8];
    static char large[4000];
    long calls = 0;

    rows_open(&r, true);
    memset(large, 'L', sizeof large - 1);
    for (int i = 0; i < 100; i++) {
        snprintf(names[i], sizeof names[i], "%d", i % 100);
        cells[i] = at_path(plain(3, 5, "m"), names[i]);
    }
    struct row row = row_of(cells, 100);
    row_normalize(&row);
    fill(&r);
    put(&r, "p", "d", row);
    put(&r, "p", "e", ROW_OF(plain(1, 5, large)));
    OK(ctx, scan_new(ctx, &scan));
    for (int i = 0; i < 10; i++) {
        struct partition p;
        const struct row_view *view;
        bool found;
        int n = 0;
        arena_reset(&r.db.arena);
        if (i == 3)
            calls = mem_calls();
        struct txn *txn = rows_read(&r);
        OK(ctx, partition_find(ctx, txn, &r.table, slice_str("p"), &p, &found));
        OK(ctx, scan_open(ctx, scan, txn, &p, (struct range){ SLICE_EMPTY, SLICE_NULL }, i % 2 ? SCAN_REVERSED : 0, NULL));
        for (;; n++) {
            OK(ctx, scan_next(ctx, scan, &view));
            if (!view)
                break;
        }
        assert_int_equal(n, 7);
        scan_close(scan);
        txn_abort(&txn);
    }
    assert_int_equal(mem_calls() - calls, 0);
    scan_free(scan);
    rows_close(&r);
}

/* A snapshot stays as it was while others write. */
static void test_snapshot(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    put(&r, "p", "a", ROW_OF(plain(1, 5, "old")));
    struct txn *txn = rows_read(&r);
    put(&r, "p", "a", ROW_OF(plain(1, 6, "new")));
    delete_partition(&r, "q", 5);
    assert_string_equal(shown_in(&r, txn, "p", 0), "a(1=old)");
    txn_abort(&txn);
    assert_string_equal(shown(&r, "p"), "a(1=new)");
    rows_close(&r);
}

static void test_figures(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    put(&r, "p", "a", ROW_OF(plain(1, 5, "x"), plain(2, 5, "y")));
    put(&r, "p", "b", ROW_OF(plain(1, 5, "x"), dead(2, 5, NOW_S)));
    put(&r, "q", "a", ROW_OF(plain(1, 5, "x")));
    put_static(&r, "q", ROW_OF(plain(9, 5, "s")));
    delete_row(&r, "q", "b", 5);
    delete_range(&r, "q", "c", "d", 5);
    struct table_figures f = rows_figures(&r);
    assert_int_equal(f.partitions, 2);
    assert_int_equal(f.rows, 3);
    assert_int_equal(f.cells, 5);
    assert_int_equal(f.tombstones, 3);
    assert_int_equal(f.widest_rows, 2);
    assert_true(f.bytes > 50 && f.widest_bytes < f.bytes);
    rows_close(&r);
}

/* Of a collection that lies beside its row, too: what is alive and what is not, and its bytes, and those of a range tombstone. */
static void test_figures_of_a_large_collection(void **state)
{
    enum { ELEMENTS = 100, EACH = 20 };
    static char paths[ELEMENTS][EACH + 1];
    struct cell cells[ELEMENTS];
    struct rows r;
    (void)state;
    rows_open(&r, true);
    delete_range(&r, "p", "c", "d", 5);
    uint64_t before = rows_figures(&r).bytes;
    assert_true(before > sizeof "cd");
    for (int i = 0; i < ELEMENTS; i++) {
        snprintf(paths[i], sizeof paths[i], "%0*d", EACH, i);
        cells[i] = at_path(expiring(1, 5, "x", 10 + i % 2, NOW_S + 10 + (uint32_t)i % 2), paths[i]);
    }
    put(&r, "p", "a", row_of(cells, ELEMENTS));
    struct table_figures f = rows_figures(&r);
    assert_int_equal(f.rows, 1);
    assert_int_equal(f.cells, ELEMENTS);
    assert_int_equal(f.tombstones, 1);
    assert_true(f.bytes > before + ELEMENTS * EACH);
    r.db.ctx.now_s += 10;
    f = rows_figures(&r);
    assert_int_equal(f.cells, ELEMENTS / 2);
    assert_int_equal(f.tombstones, 1 + ELEMENTS / 2);
    r.db.ctx.now_s += 1;
    assert_int_equal(rows_figures(&r).rows, 0);
    rows_close(&r);
}

/* ---- passed over ---- */

/* How many rows of a range there are, passed over where that may be, and else looked at; *passed: how many were. */
static uint64_t count_range(struct ctx *ctx, struct scan *scan, struct txn *txn, const struct partition *p, struct range range, unsigned flags, bool pass, uint64_t *passed)
{
    const struct row_view *view = NULL;
    uint64_t all = 0, some = 0;

    OK(ctx, scan_open(ctx, scan, txn, p, range, flags, NULL));
    do {
        if (pass)
            OK(ctx, scan_pass_rows(ctx, scan, all % 2 ? 1 : UINT64_MAX, &some)); /* in parts, too */
        *passed += some;
        all += some;
        OK(ctx, scan_next(ctx, scan, &view));
        all += view != NULL;
    } while (view);
    return all;
}

static void test_passed_over(void **state)
{
    (void)state;
    enum { ROWS = 400, TTL = 100 };
    struct scan *scan;
    struct partition p;
    struct rows r;
    uint64_t passed = 0, none = 0;
    bool found;

    rows_open(&r, true);
    for (int i = 0; i < ROWS; i++) {
        char key[600];
        int len = snprintf(key, sizeof key, "%03d", i);
        if (i % 50 == 7) { /* in a layer of its own (key.h) */
            memset(key + len, 'k', 550);
            key[len + 550] = 0;
        }
        if (i % 5 == 1)
            put(&r, "p", key, ROW_OF(expiring(1, 5, "one", TTL, NOW_S + (i % 2 ? TTL : 1))));
        else if (i % 7 == 1)
            put(&r, "p", key, marked(ROW_OF(dead(1, 6, NOW_S)), 5));
        else
            put(&r, "p", key, i % 3 ? marked(ROW_OF(plain(1, 5, "one")), 5) : ROW_OF(plain(1, 5, "one")));
    }
    struct ctx *ctx = &r.db.ctx;
    struct txn *txn = rows_read(&r);
    OK(ctx, scan_new(ctx, &scan));
    OK(ctx, partition_find(ctx, txn, &r.table, slice_str("p"), &p, &found));
    ctx->now_s += 10;
    static const struct range ranges[] = { { { (const uint8_t *)"", 0 }, { NULL, 0 } }, { { (const uint8_t *)"1", 1 }, { (const uint8_t *)"26", 2 } }, { { (const uint8_t *)"131", 3 }, { (const uint8_t *)"132", 3 } } };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        for (unsigned flags = 0; flags <= SCAN_REVERSED; flags += SCAN_REVERSED)
            assert_int_equal(count_range(ctx, scan, txn, &p, ranges[i], flags, true, &passed), count_range(ctx, scan, txn, &p, ranges[i], flags, false, &none));
    assert_true(passed > ROWS);
    assert_int_equal(none, 0);
    scan_free(scan);
    txn_abort(&txn);
    rows_close(&r);
}

/* Who asks for few rows is not made to wait for all that there are. */
static void test_passed_over_in_parts(void **state)
{
    (void)state;
    enum { ROWS = 2000, PART = 300 };
    struct scan *scan;
    struct partition p;
    struct rows r;
    uint64_t count = 1, all = 0;
    uint32_t parts = 0;
    bool found;

    rows_open(&r, true);
    for (int i = 0; i < ROWS; i++) {
        char key[16];
        snprintf(key, sizeof key, "%04d", i);
        put(&r, "p", key, marked(ROW_OF(plain(1, 5, "one")), 5));
    }
    struct ctx *ctx = &r.db.ctx;
    struct txn *txn = rows_read(&r);
    OK(ctx, scan_new(ctx, &scan));
    OK(ctx, partition_find(ctx, txn, &r.table, slice_str("p"), &p, &found));
    OK(ctx, scan_open(ctx, scan, txn, &p, (struct range){ SLICE_EMPTY, SLICE_NULL }, 0, NULL));
    for (; count; parts += count > 0, all += count)
        OK(ctx, scan_pass_rows(ctx, scan, PART, &count));
    assert_int_equal(all, ROWS);
    assert_in_range(parts, 2, ROWS / PART + 1);
    scan_free(scan);
    txn_abort(&txn);
    rows_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),     cmocka_unit_test(test_seek), cmocka_unit_test(test_seek_before_the_first),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_marker_shadows),
        cmocka_unit_test(test_raw),
        cmocka_unit_test(test_partitions), cmocka_unit_test(test_no_memory_when_warm),
        cmocka_unit_test(test_snapshot),   cmocka_unit_test(test_figures), cmocka_unit_test(test_figures_of_a_large_collection),
        cmocka_unit_test(test_passed_over), cmocka_unit_test(test_passed_over_in_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
