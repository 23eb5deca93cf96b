/* Answers engine/flat.h and scan_flat_rows: rows that come as values alone, and those that do not. */
#include <stdlib.h>

#include "engine/rowcode.h"
#include "tests/engine/rows.h"

/* ---- in batches ---- */

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
        scan_seek(scan, slice_str("m"));
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
        cmocka_unit_test(test_flat),           cmocka_unit_test(test_flat_in_entry),
        cmocka_unit_test(test_flat_at_a_time), cmocka_unit_test(test_flat_of_any_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
