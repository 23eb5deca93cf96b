/* Answers engine/scan.h: bounds, directions, columns, raw scans, tokens, flat rows, and no memory for a scan
 * opened again. */
#include <stdlib.h>

#include "engine/graveyard.h"
#include "engine/rowcode.h"
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
            OK(ctx, scan_seek(ctx, scan, slice_str(seek)));
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

/* ---- flat rows ---- */

enum { FLAT_BATCH = 4 };

/* Columns 1, 2 and 40 are wanted, in this order. */
static const uint32_t flat_columns[] = { 1, 2, 40 };
enum { FLAT_WANTED = sizeof flat_columns / sizeof *flat_columns, FLAT_STRIDE = FLAT_WANTED + 1 };

static void add_value(char *text, size_t size, struct slice value)
{
    if (slice_is_null(value))
        add_text(text, size, " -");
    else if (value.len > 9)
        add_text(text, size, " %zu%c", value.len, value.data[value.len - 1]);
    else
        add_text(text, size, " %.*s", SLICE_ARG(value));
}

/* All rows of an open scan that are read in batches of `max`: their clustering's last byte, how they came, their values. now_s 0: with timestamps. */
static const char *all_flat_at(struct ctx *ctx, struct scan *scan, uint32_t max, uint32_t now_s, bool counts_dead)
{
    static char text[2048];
    static uint8_t places[FLAT_COLUMNS];
    struct slice values[FLAT_BATCH * FLAT_STRIDE], clusterings[FLAT_BATCH];
    int64_t timestamps[FLAT_BATCH] = { 0 };
    struct flat_rows flat = {
        .places = places, .values = values, .stride = FLAT_STRIDE, .clusterings = clusterings, .timestamps = now_s ? NULL : timestamps, .now_s = now_s, .counts_dead = counts_dead,
    };
    const struct row_view *view;
    uint32_t count, n;

    memset(places, FLAT_WANTED, sizeof places);
    for (uint8_t i = 0; i < FLAT_WANTED; i++) {
        places[flat_columns[i]] = i;
        flat.wanted |= UINT64_C(1) << flat_columns[i];
    }
    *text = 0;
    for (;;) {
        memset(values, 0xEE, sizeof values); /* each row gives all of them */
        OK(ctx, scan_flat_rows(ctx, scan, &flat, max, &count));
        assert_true(count <= max);
        for (uint32_t r = 0; r < count; r++) {
            add_text(text, sizeof text, "%c:flat@%lld", clusterings[r].len ? clusterings[r].data[clusterings[r].len - 1] : '.',
                     (long long)timestamps[r]);
            for (int i = 0; i < FLAT_WANTED; i++)
                add_value(text, sizeof text, values[r * FLAT_STRIDE + i]);
            add_text(text, sizeof text, "|");
        }
        if (count)
            continue;
        OK(ctx, scan_next(ctx, scan, &view));
        if (!view)
            return text;
        add_text(text, sizeof text, "%c:cells", view->clustering.data[view->clustering.len - 1]);
        for (int i = 0; i < FLAT_WANTED; i++) {
            const struct cell *cell = row_find(&view->row, flat_columns[i], &n);
            add_value(text, sizeof text, n ? cell->value : SLICE_NULL);
        }
        add_text(text, sizeof text, "|");
    }
}

static const char *all_flat(struct ctx *ctx, struct scan *scan, uint32_t max)
{
    return all_flat_at(ctx, scan, max, 0, false);
}

static void test_flat(void **state)
{
    (void)state;
    enum { MIDDLE = 300, LONG = 20000 }; /* two bytes of varint, and three */
    static char middle[MIDDLE + 1], lengthy[LONG + 1], long_key[WIDE_BYTES_MAX / 2];
    static const char expected[] = "a:flat@5 one two three|b:flat@5 - two -|c:flat@4 - - -|d:flat@5 300m two -|e:cells 20000l - -|f:cells one - -|"
                                   "g:cells one two -|h:cells one two -|i:flat@-6  - -|k:flat@5 long - -|l:flat@77 longer - -|z:flat@5 last - -|";
    static const char all_backwards[] = "z:flat@5 last - -|l:flat@77 longer - -|k:flat@5 long - -|i:flat@-6  - -|h:cells one two -|g:cells one two -|"
                                        "f:cells one - -|e:cells 20000l - -|d:flat@5 300m two -|c:flat@4 - - -|b:flat@5 - two -|"
                                        "a:flat@5 one two three|";
    static const char backwards[] = "e:cells 20000l - -|d:flat@5 300m two -|c:flat@4 - - -|b:flat@5 - two -|";
    struct scan *scan;
    struct partition p;
    struct rows r;
    bool found;

    memset(middle, 'm', MIDDLE);
    memset(lengthy, 'l', LONG);
    memset(long_key, 'k', sizeof long_key - 1);
    rows_open(&r, true);
    put(&r, "p", "a", marked(ROW_OF(plain(1, 5, "one"), plain(2, 5, "two"), plain(40, 5, "three")), 5));
    put(&r, "p", "b", ROW_OF(plain(2, 5, "two"), plain(3, 5, "nobody's")));
    put(&r, "p", "c", marked(ROW_NONE, 4));
    put(&r, "p", "d", ROW_OF(plain(1, 5, middle), plain(2, 5, "two")));
    put(&r, "p", "e", ROW_OF(plain(1, 5, lengthy)));
    put(&r, "p", "f", ROW_OF(plain(1, 5, "one"), plain(70, 5, "of a high column")));
    put(&r, "p", "g", ROW_OF(plain(1, 5, "one"), plain(2, 6, "two")));
    put(&r, "p", "h", ROW_OF(plain(1, 5, "one"), plain(2, 5, "two"), expiring(40, 5, "gone", 1, NOW_S)));
    put(&r, "p", "i", ROW_OF(plain(1, -6, "")));
    put(&r, "p", "j", ROW_OF(expiring(1, 5, "gone", 1, NOW_S)));
    put(&r, "p", long_key, ROW_OF(plain(1, 5, "long")));
    long_key[sizeof long_key - 2] = 'l';
    put(&r, "p", long_key, ROW_OF(plain(1, 77, "longer")));
    put(&r, "p", "z", ROW_OF(plain(1, 5, "last")));

    struct ctx *ctx = &r.db.ctx;
    struct txn *txn = rows_read(&r);
    OK(ctx, scan_new(ctx, &scan));
    OK(ctx, partition_find(ctx, txn, &r.table, slice_str("p"), &p, &found));
    for (uint32_t max = 1; max <= FLAT_BATCH; max++) {
        OK(ctx, scan_open(ctx, scan, txn, &p, (struct range){ SLICE_EMPTY, SLICE_NULL }, 0, NULL));
        assert_string_equal(all_flat(ctx, scan, max), expected);
        OK(ctx, scan_open(ctx, scan, txn, &p, (struct range){ slice_str("b"), slice_str("f") }, SCAN_REVERSED, NULL));
        assert_string_equal(all_flat(ctx, scan, max), backwards);
        OK(ctx, scan_open(ctx, scan, txn, &p, (struct range){ SLICE_EMPTY, SLICE_NULL }, SCAN_REVERSED, NULL));
        assert_string_equal(all_flat(ctx, scan, max), all_backwards);
        OK(ctx, scan_open(ctx, scan, txn, &p, (struct range){ SLICE_EMPTY, SLICE_NULL }, 0, NULL));
        OK(ctx, scan_seek(ctx, scan, slice_str("m")));
        assert_string_equal(all_flat(ctx, scan, max), "z:flat@5 last - -|");
    }
    /* Where the marker decides, a row without one is not there; scan_next, which finds that out, gives the one behind it. */
    p.marker_decides = true;
    OK(ctx, scan_open(ctx, scan, txn, &p, (struct range){ SLICE_EMPTY, slice_str("e") }, 0, NULL));
    assert_string_equal(all_flat(ctx, scan, FLAT_BATCH), "a:flat@5 one two three|c:cells - - -|");
    scan_free(scan);
    txn_abort(&txn);
    rows_close(&r);
}

/* The same of all of a partition, at the time there is. */
static const char *all_at_once(struct ctx *ctx, struct scan *scan, struct txn *txn, const struct partition *p, uint32_t max, bool counts_dead)
{
    OK(ctx, scan_open(ctx, scan, txn, p, (struct range){ SLICE_EMPTY, SLICE_NULL }, 0, NULL));
    return all_flat_at(ctx, scan, max, ctx->now_s, counts_dead);
}

/* Of several timestamps, with ends, and of cells that are no more. (What comes behind a row of which nothing is seen has been looked at with it: c, later.) */
static void test_flat_at_a_time(void **state)
{
    (void)state;
    enum { TTL = 100, MIDDLE = 300 };
    static char middle[MIDDLE + 1];
    static const char expected[] = "a:flat@0 one two three|b:flat@0 one 300m -|c:flat@0 one - three|d:flat@0 one - -|e:flat@0 - - -|f:flat@0 - two -|"
                                   "g:cells - two -|h:flat@0 one - three|i:flat@0 one two -|j:flat@0 one - -|k:flat@0 one - three|l:cells one x -|m:flat@0 one - -|";
    static const char counted[] = "a:flat@0 one two three|b:flat@0 one 300m -|c:flat@0 one - three|d:cells one - -|e:flat@0 - - -|f:flat@0 - two -|"
                                  "g:cells - two -|h:flat@0 one - three|i:cells one two -|j:flat@0 one - -|k:cells one - three|l:cells one x -|m:cells one - -|";
    static const char later[] = "a:flat@0 one two three|c:cells one - -|d:flat@0 one - -|e:flat@0 - - -|g:cells - two -|h:flat@0 one - -|i:flat@0 one two -|"
                                "k:cells one - three|l:cells one x -|m:flat@0 one - -|";
    struct scan *scan;
    struct partition p;
    struct rows r;
    bool found;

    memset(middle, 'm', MIDDLE);
    rows_open(&r, true);
    struct row ends = marked(ROW_OF(expiring(1, 5, "one", TTL, NOW_S + TTL), expiring(2, 5, middle, TTL, NOW_S + TTL)), 5);
    ends.liveness.ttl_s = TTL;
    ends.liveness.local_s = NOW_S + TTL;
    put(&r, "p", "a", marked(ROW_OF(plain(1, 5, "one"), plain(2, 600000, "two"), plain(40, -7, "three")), 5));
    put(&r, "p", "b", ends);
    put(&r, "p", "c", marked(ROW_OF(plain(1, 5, "one"), expiring(40, 6, "three", TTL, NOW_S + TTL)), 5));
    put(&r, "p", "d", marked(ROW_OF(plain(1, 5, "one"), dead(2, 6, NOW_S)), 5));
    put(&r, "p", "e", marked(ROW_OF(expiring(3, 5, "nobody's", TTL, NOW_S + TTL)), 5));
    put(&r, "p", "f", ROW_OF(expiring(2, 5, "two", TTL, NOW_S + TTL)));
    put(&r, "p", "g", ROW_OF(plain(2, 5, "two"), plain(70, 6, "of a high column")));
    put(&r, "p", "h", ROW_OF(expiring(1, 5, "one", 2 * TTL, NOW_S + 2 * TTL), expiring(40, 5, "three", TTL, NOW_S + TTL)));
    put(&r, "p", "i", ROW_OF(plain(1, 5, "one"), plain(2, 6, "two"), expiring(40, 5, "gone", 1, NOW_S)));
    put(&r, "p", "j", ROW_OF(expiring(1, 5, "one", 1, NOW_S + 1)));
    struct row emptied = marked(ROW_OF(plain(1, 5, "one")), 5);
    emptied.complex = &(struct complex_deletion){ 2, { 4, NOW_S } };
    emptied.complex_count = 1;
    put(&r, "p", "k", marked(ROW_OF(plain(1, 5, "one"), at_path(plain(3, 5, "x"), "a"), at_path(dead(3, 6, NOW_S), "b"), plain(40, 5, "three")), 5));
    put(&r, "p", "l", marked(ROW_OF(plain(1, 5, "one"), at_path(plain(2, 5, "x"), "a")), 5));
    put(&r, "p", "m", emptied);

    struct ctx *ctx = &r.db.ctx;
    struct txn *txn = rows_read(&r);
    OK(ctx, scan_new(ctx, &scan));
    OK(ctx, partition_find(ctx, txn, &r.table, slice_str("p"), &p, &found));
    for (uint32_t max = 1; max <= FLAT_BATCH; max++)
        assert_string_equal(all_at_once(ctx, scan, txn, &p, max, false), expected);
    assert_string_equal(all_at_once(ctx, scan, txn, &p, FLAT_BATCH, true), counted);
    ctx->now_s += TTL;
    assert_string_equal(all_at_once(ctx, scan, txn, &p, FLAT_BATCH, false), later);
    scan_free(scan);
    txn_abort(&txn);
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

/* ---- any row, and any bytes ---- */

enum { CELLS_MOST = 8 };

static int64_t some_time(uint64_t *seed)
{
    static const int64_t times[] = { 5, 5, 5, 6, -900000, 1700000000000000 };
    return times[random_below(seed, sizeof times / sizeof *times)];
}

/* Ends or has ended a little before or behind now. */
static uint32_t some_end(uint64_t *seed)
{
    return NOW_S - 1 + (uint32_t)random_below(seed, 3);
}

static struct cell some_cell(uint64_t *seed, uint32_t column)
{
    static const char value[301] = "of some length";
    struct cell c = plain(column, some_time(seed), "");
    c.kind = random_below(seed, 3) ? CELL_PLAIN : (uint8_t)random_below(seed, 4);
    if (c.kind == CELL_PLAIN || c.kind == CELL_EXPIRING)
        c.value = slice_of(value, random_below(seed, 4) ? random_below(seed, 20) : random_below(seed, sizeof value));
    else
        c.value = SLICE_NULL;
    c.local_s = c.kind == CELL_PLAIN ? 0 : some_end(seed);
    c.ttl_s = c.kind == CELL_EXPIRING || c.kind == CELL_EXPIRED ? 1 + (uint32_t)random_below(seed, 300) : 0;
    return c;
}

/* Of the wanted columns, one that is not, which is a collection, and now and then one that is too high. */
static struct row some_row(uint64_t *seed, struct cell cells[CELLS_MOST], struct complex_deletion *complex)
{
    static const uint32_t columns[] = { 1, 2, 3, 3, 3, 40, 63, 64 };
    static const char *const paths[] = { "a", "b", "c" };
    struct row row = ROW_NONE;
    row.cells = cells;
    for (uint32_t i = 0, path = 0; i < CELLS_MOST; i++) {
        if (!random_below(seed, 3) || (columns[i] == 64 && random_below(seed, 8)))
            continue;
        struct cell c = some_cell(seed, columns[i]);
        cells[row.cell_count++] = columns[i] == 3 ? at_path(c, paths[path++]) : c;
    }
    if (random_below(seed, 2))
        row.liveness.timestamp_us = some_time(seed);
    if (!liveness_is_none(row.liveness) && !random_below(seed, 4)) {
        row.liveness.ttl_s = 7;
        row.liveness.local_s = some_end(seed);
    }
    *complex = (struct complex_deletion){ 3, { 4, NOW_S } };
    row.complex = complex;
    row.complex_count = !random_below(seed, 3);
    return row;
}

enum { COLLECTION = 3, COLLECTION_PLACE = FLAT_STRIDE, ANY_STRIDE };

/* A collection given as its cells has those that live. */
static void assert_elements(const struct row *row, struct slice stored)
{
    struct slice path, value;
    for (uint32_t c = 0; c < row->cell_count; c++) {
        if (row->cells[c].column != COLLECTION)
            continue;
        assert_true(flat_next_element(&stored, &path, &value));
        assert_true(slice_eq(path, row->cells[c].path) && slice_eq(value, row->cells[c].value));
    }
    assert_int_equal(stored.len, 0);
}

/* What is shown without cells is what its cells say. */
static bool agrees(struct ctx *ctx, struct slice bytes, const struct flat_rows *flat, bool marker_decides)
{
    struct slice values[ANY_STRIDE];
    const struct partition partition = { .row = bytes, .marker_decides = marker_decides };
    struct row row;

    if (!partition_flat_row(&partition, flat, values))
        return false;
    OK(ctx, rowcode_decode(ctx, bytes, &row));
    assert_true(marker_decides ? liveness_is_live(row.liveness, NOW_S) : row_is_alive(&row, NOW_S));
    for (uint32_t i = 0; i < FLAT_WANTED; i++) {
        struct slice value = SLICE_NULL;
        for (uint32_t c = 0; c < row.cell_count; c++) {
            assert_false(flat->counts_dead && !cell_is_live(&row.cells[c], NOW_S));
            if (row.cells[c].column == flat_columns[i] && cell_is_live(&row.cells[c], NOW_S))
                value = row.cells[c].value;
        }
        assert_true(slice_is_null(value) == slice_is_null(values[i]) && slice_eq(value, values[i]));
    }
    if (flat->collections)
        assert_elements(&row, values[COLLECTION_PLACE]);
    return true;
}

/* Some bytes changed, or the end missing: nothing outside of them is read (AddressSanitizer sees to that), whatever comes out. */
static void damage(uint64_t *seed, struct slice bytes, const struct flat_rows *flat)
{
    struct slice values[ANY_STRIDE];
    size_t len = random_below(seed, 2) ? bytes.len : random_below(seed, bytes.len + 1);
    uint8_t *copy = malloc(len + !len);
    memcpy(copy, bytes.data, len);
    for (uint64_t n = random_below(seed, 3); len && n; n--)
        copy[random_below(seed, len < 24 ? len : 24)] = (uint8_t)random_next(seed);
    const struct partition partition = { .row = slice_of(copy, len) };
    struct slice path, value;
    if (partition_flat_row(&partition, flat, values) && flat->collections)
        for (struct slice stored = values[COLLECTION_PLACE]; stored.len;)
            assert_true(flat_next_element(&stored, &path, &value));
    free(copy);
}

static void test_flat_of_any_row(void **state)
{
    enum { ROWS = 20000 };
    static uint8_t places[FLAT_COLUMNS];
    struct flat_rows alone = { .places = places, .now_s = NOW_S }, with_collection;
    struct database db;
    uint64_t seed = 11;
    int shown[2] = { 0, 0 };
    (void)state;

    memset(places, FLAT_WANTED, sizeof places);
    for (uint8_t i = 0; i < FLAT_WANTED; i++) {
        places[flat_columns[i]] = i;
        alone.wanted |= UINT64_C(1) << flat_columns[i];
    }
    places[COLLECTION] = COLLECTION_PLACE; /* where nobody reads, if it is not wanted */
    with_collection = alone;
    with_collection.collections = UINT64_C(1) << COLLECTION;
    with_collection.wanted |= with_collection.collections;
    database_init(&db);
    for (int n = 0; n < ROWS; n++) {
        struct cell cells[CELLS_MOST];
        struct complex_deletion complex;
        struct buf buf;
        struct row row = some_row(&seed, cells, &complex);
        buf_init(&buf, &db.arena);
        rowcode_encode(&buf, &row, random_below(&seed, 2) ? NOW_S : 0);
        struct flat_rows *flat = n % 2 ? &alone : &with_collection;
        flat->counts_dead = n % 5 == 0;
        shown[n % 2] += agrees(&db.ctx, buf_slice(&buf), flat, n % 3 == 0);
        damage(&seed, buf_slice(&buf), flat);
        arena_reset(&db.arena);
    }
    assert_true(shown[0] > ROWS / 8 && shown[1] > ROWS / 8);
    database_close(&db);
}

/* A table without clustering columns: the row is in the directory. */
static void test_flat_in_entry(void **state)
{
    (void)state;
    static const char *const keys[] = { "flat", "cells" };
    static const char *const expected[] = { ".:flat@5 one - -|", "" };
    struct scan *scan;
    struct partition p;
    struct rows r;
    bool found;

    rows_open(&r, false);
    put(&r, "flat", "", ROW_OF(plain(1, 5, "one")));
    put(&r, "cells", "", ROW_OF(expiring(1, 5, "gone", 1, NOW_S)));
    struct ctx *ctx = &r.db.ctx;
    struct txn *txn = rows_read(&r);
    OK(ctx, scan_new(ctx, &scan));
    for (int i = 0; i < 2; i++) {
        OK(ctx, partition_find(ctx, txn, &r.table, slice_str(keys[i]), &p, &found));
        OK(ctx, scan_open(ctx, scan, txn, &p, (struct range){ SLICE_EMPTY, SLICE_NULL }, 0, NULL));
        assert_string_equal(all_flat(ctx, scan, FLAT_BATCH), expected[i]);
    }
    scan_free(scan);
    txn_abort(&txn);
    rows_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),     cmocka_unit_test(test_seek),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_marker_shadows),
        cmocka_unit_test(test_raw),
        cmocka_unit_test(test_partitions), cmocka_unit_test(test_no_memory_when_warm),
        cmocka_unit_test(test_snapshot),   cmocka_unit_test(test_figures),
        cmocka_unit_test(test_flat),       cmocka_unit_test(test_flat_in_entry),
        cmocka_unit_test(test_flat_at_a_time), cmocka_unit_test(test_flat_of_any_row),
        cmocka_unit_test(test_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
