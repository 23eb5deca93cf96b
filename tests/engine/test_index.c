/* Answers engine/index.h and the index part of scan.h: hits, their order, resuming, building late. */
#include "engine/index.h"
#include "engine/limits.h"
#include "engine/order.h"
#include "engine/rig.h"
#include "tests/engine/rows.h"

enum { MOST = 1000 /* entries of a range that are gathered */ };

/* A term of its bytes that is no other's prefix. */
static struct slice term_of(struct ctx *ctx, struct slice bytes)
{
    struct buf buf;
    struct slice term;
    buf_init(&buf, ctx->arena);
    order_put_string(&buf, bytes);
    OK(ctx, buf_done(ctx, &buf, &term));
    return term;
}

/* Under every value of column 1, and every path of column 3. */
static enum wr_status value_terms(struct ctx *ctx, void *arg, struct slice partition_key, struct slice clustering,
                                  const struct row *row, enum wr_status (*emit)(void *emit_arg, struct slice term),
                                  void *emit_arg)
{
    (void)arg, (void)partition_key, (void)clustering;
    for (uint32_t i = 0; i < row->cell_count; i++)
        if (row->cells[i].column == 1 || row->cells[i].column == 3)
            TRY(emit(emit_arg, term_of(ctx, row->cells[i].column == 1 ? row->cells[i].value : row->cells[i].path)));
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
    OK(ctx, index_scan_open(ctx, scan, txn, &r->table, index_id, term_of(ctx, slice_str(term)), after));
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

/* Under the key alone, for rows and for static ones. */
static enum wr_status key_terms(struct ctx *ctx, void *arg, struct slice partition_key, struct slice clustering,
                                const struct row *row, enum wr_status (*emit)(void *emit_arg, struct slice term), void *emit_arg)
{
    (void)arg, (void)clustering, (void)row;
    return emit(emit_arg, term_of(ctx, partition_key));
}

static void test_of_both(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        struct rows r;
        rows_open(&r, true);
        struct ctx *ctx = &r.db.ctx;
        struct index_shape index = index_of_values(&r);
        index.terms = key_terms;
        index.of_both = true;
        r.table.indexes = &index;
        r.table.index_count = !late;
        put_static(&r, "p", ROW_OF(plain(1, 5, "x")));
        put(&r, "p", "a", ROW_OF(plain(1, 5, "x")));
        put(&r, "q", "a", ROW_OF(plain(1, 5, "x")));
        if (late) {
            struct txn *txn = rows_write(&r);
            OK(ctx, txn_build_index(ctx, txn, &r.table, &index));
            rows_commit(&r, txn);
            r.table.index_count = 1;
        }
        assert_int_equal(rows_findings(&r, false), 0);
        assert_string_equal(hits(&r, index.index_id, "p", NULL), "p/ p/a");
        assert_string_equal(hits(&r, index.index_id, "q", NULL), "q/a");
        put_static(&r, "p", ROW_OF(dead(1, 6, NOW_S)));
        assert_string_equal(hits(&r, index.index_id, "p", NULL), "p/a");
        rows_close(&r);
    }
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
    OK(ctx, index_scan_open(ctx, scan, txn, &r.table, index.index_id, term_of(ctx, slice_str("x")), NULL));
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
        OK(ctx, index_scan_open(ctx, scan, txn, &r.table, index.index_id, term_of(ctx, slice_str("x")), &all[i]));
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
    OK(ctx, index_scan_open(ctx, scan, txn, &r.table, index.index_id, term_of(ctx, slice_str("x")), &all[5]));
    OK(ctx, index_scan_next(ctx, scan, &hit, &found));
    assert_true(found && slice_eq(hit.partition_key, all[6].partition_key) && slice_eq(hit.clustering, all[6].clustering));
    index_scan_free(scan);
    txn_abort(&txn);
    rows_close(&r);
}

/* The range of terms of which the first is `from` and the last `to`; NULL: open. */
static struct range terms_from_to(struct ctx *ctx, const char *from, const char *to)
{
    struct range range = { SLICE_EMPTY, SLICE_NULL };
    struct buf buf;
    if (from)
        range.start = term_of(ctx, slice_str(from));
    if (!to)
        return range;
    buf_init(&buf, ctx->arena);
    order_put_string(&buf, slice_str(to));
    buf_put_u8(&buf, 0xFF);
    OK(ctx, buf_done(ctx, &buf, &range.end));
    return range;
}

/* Every hit of a range once, in the order of one term's hits; the same behind each of them, and between two tokens. */
static void test_range(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    struct ctx *ctx = &r.db.ctx;
    struct index_shape index = index_of_values(&r);
    r.table.indexes = &index;
    r.table.index_count = 1;
    static char long_term[2][200];
    memset(long_term[0], 'm', 199);
    memset(long_term[1], 'm', 199);
    long_term[1][198] = 'n';
    const char *values[] = { "a", "ab", "b", long_term[0], long_term[1], "z", "" };
    for (int i = 0; i < 28; i++) {
        char key[16], name[16];
        snprintf(key, sizeof key, "p%d", i % 3);
        snprintf(name, sizeof name, "%03d", i);
        put(&r, key, name, ROW_OF(plain(1, 5, values[i % 7]), at_path(plain(3, 5, ""), i % 2 ? "aa" : "zz")));
    }
    static const struct {
        const char *from, *to;
        int first, last; /* among the values */
        bool odd, even;
    } cases[] = {
        { NULL, NULL, -1, 6, true, true },   { "a", "ab", 0, 1, true, false },      { "ab", "b", 1, 2, false, false },
        { "c", "y", 3, 4, false, false },    { "zz", "zz", 9, 9, false, true },     { "z", "y", 9, 9, false, false },
        { "c", long_term[0], 3, 4, false, false }, /* cut alike: both are candidates */
        { long_term[1], "y", 3, 4, false, false },
    };
    struct txn *txn = rows_read(&r);
    struct index_scan *scan;
    OK(ctx, index_scan_new(ctx, &scan));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct range range = terms_from_to(ctx, cases[i].from, cases[i].to);
        struct index_hit all[28], hit;
        uint32_t n = 0, expected = 0, counted;
        bool found, many;
        for (int j = 0; j < 28; j++)
            expected += (j % 7 >= cases[i].first && j % 7 <= cases[i].last) || (j % 2 ? cases[i].odd : cases[i].even);
        struct index_range asked = { index.index_id, range, INT64_MIN, INT64_MAX, NULL, MOST };
        OK(ctx, index_scan_open_range(ctx, scan, txn, &r.table, &asked, &many));
        for (assert_false(many);; n++) {
            OK(ctx, index_scan_next(ctx, scan, &hit, &found));
            if (!found)
                break;
            assert_true(n < 28);
            all[n].token = hit.token;
            OK(ctx, ctx_copy(ctx, hit.partition_key, &all[n].partition_key));
            OK(ctx, ctx_copy(ctx, hit.clustering, &all[n].clustering));
            assert_true(n == 0 || all[n - 1].token < hit.token ||
                        (all[n - 1].token == hit.token && slice_cmp(all[n - 1].clustering, hit.clustering) < 0));
        }
        assert_int_equal(n, expected);
        OK(ctx, index_count(ctx, scan, txn, index.index_id, range, 100, &counted));
        assert_true(counted >= expected);
        OK(ctx, index_count(ctx, scan, txn, index.index_id, range, 1, &counted));
        assert_int_equal(counted, expected > 0);
        for (uint32_t j = 0; j < n; j++) {
            struct index_range behind = asked, one = asked;
            behind.after = &all[j];
            one.token_from = one.token_to = all[j].token;
            OK(ctx, index_scan_open_range(ctx, scan, txn, &r.table, &behind, &many));
            OK(ctx, index_scan_next(ctx, scan, &hit, &found));
            assert_int_equal(found, j + 1 < n);
            if (found)
                assert_true(slice_eq(hit.clustering, all[j + 1].clustering));
            OK(ctx, index_scan_open_range(ctx, scan, txn, &r.table, &one, &many));
            OK(ctx, index_scan_next(ctx, scan, &hit, &found));
            assert_true(found && slice_eq(hit.partition_key, all[j].partition_key));
        }
    }
    index_scan_free(scan);
    txn_abort(&txn);
    rows_close(&r);
}

/* At the limit all are given, one past it none. */
static void test_range_of_too_many(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    struct ctx *ctx = &r.db.ctx;
    struct index_shape index = index_of_values(&r);
    r.table.indexes = &index;
    r.table.index_count = 1;
    struct range whole = { SLICE_EMPTY, SLICE_NULL };
    struct index_scan *scan;
    OK(ctx, index_scan_new(ctx, &scan));
    for (int past = 0; past < 2; past++) {
        struct txn *txn = rows_write(&r);
        uint32_t from = past ? MOST : 0, to = MOST + (uint32_t)past, n = 0;
        for (uint32_t i = from; i < to; i++) {
            uint8_t term_len = 1;
            struct index_place at = { .term = SLICE_LIT("t"), .partition_id = 1, .token = i % 7, .clustering = SLICE_NULL };
            struct slice bytes;
            struct arena_mark mark = arena_mark(ctx->arena);
            OK(ctx, ctx_copy(ctx, slice_of(&i, sizeof i), &at.clustering));
            OK(ctx, index_bytes(ctx, &at, &bytes));
            OK(ctx, wide_put(ctx, txn, TREE_INDEX, index.index_id, bytes, slice_of(&term_len, 1)));
            arena_rewind(ctx->arena, mark);
        }
        bool many;
        struct index_range asked = { index.index_id, whole, INT64_MIN, INT64_MAX, NULL, MOST };
        OK(ctx, index_scan_open_range(ctx, scan, txn, &r.table, &asked, &many));
        assert_int_equal(many, past);
        OK(ctx, index_count(ctx, scan, txn, index.index_id, whole, UINT32_MAX, &n));
        assert_int_equal(n, to);
        asked.token_from = asked.token_to = 3;
        OK(ctx, index_scan_open_range(ctx, scan, txn, &r.table, &asked, &many)); /* whatever of them is asked for */
        assert_int_equal(many, past);
        index_scan_close(scan);
        if (past)
            txn_abort(&txn);
        else
            rows_commit(&r, txn);
    }
    index_scan_free(scan);
    rows_close(&r);
}

/* Another element of a large collection is changed: those that are not read keep their entries. */
static void test_large_collection(void **state)
{
    (void)state;
    struct rows r;
    rows_open(&r, true);
    struct index_shape index = index_of_values(&r);
    r.table.indexes = &index;
    r.table.index_count = 1;
    for (int i = 0; i < 200; i++) {
        char path[16];
        snprintf(path, sizeof path, "%03d", i);
        put(&r, "p", "a", ROW_OF(at_path(plain(3, 5, ""), path)));
    }
    assert_int_equal(rows_findings(&r, false), 0);
    assert_string_equal(hits(&r, index.index_id, "007", NULL), "p/a");
    put(&r, "p", "a", ROW_OF(at_path(dead(3, 6, NOW_S), "007")));
    put(&r, "p", "a", ROW_OF(plain(1, 6, "value")));
    assert_string_equal(hits(&r, index.index_id, "007", NULL), "");
    assert_string_equal(hits(&r, index.index_id, "008", NULL), "p/a");
    assert_string_equal(hits(&r, index.index_id, "value", NULL), "p/a");
    assert_int_equal(rows_findings(&r, false), 0);
    delete_row(&r, "p", "a", 9);
    assert_string_equal(hits(&r, index.index_id, "008", NULL), "");
    assert_int_equal(rows_findings(&r, false), 0);
    rows_close(&r);
}

/* Nothing is alive of a large collection that has been deleted piece by piece, whatever its stub expects. */
static void test_collection_deleted_by_pieces(void **state)
{
    (void)state;
    for (int has_clustering = 0; has_clustering < 2; has_clustering++) {
        struct rows r;
        const char *c = has_clustering ? "a" : "", *hit = has_clustering ? "p/a" : "p/";
        char path[16];
        rows_open(&r, has_clustering);
        struct index_shape index = index_of_values(&r);
        index.terms = key_terms;
        r.table.indexes = &index;
        r.table.index_count = 1;
        for (int64_t timestamp_us = 5; timestamp_us < 7; timestamp_us++) {
            for (unsigned i = 0; i <= SPILL_COMPLEX_CELLS; i++) {
                snprintf(path, sizeof path, "%03u", i);
                put(&r, "p", c, ROW_OF(at_path(timestamp_us == 5 ? expiring(3, 5, "", 1000, NOW_S + 1000) : dead(3, 6, NOW_S), path)));
                assert_string_equal(hits(&r, index.index_id, "p", NULL), timestamp_us == 6 && i == SPILL_COMPLEX_CELLS ? "" : hit);
            }
        }
        assert_int_equal(rows_findings(&r, false), 0);
        put(&r, "p", c, ROW_OF(at_path(expiring(3, 7, "", 1000, NOW_S + 1000), path)));
        assert_string_equal(hits(&r, index.index_id, "p", NULL), hit);
        delete_row(&r, "p", c, 9);
        assert_string_equal(hits(&r, index.index_id, "p", NULL), "");
        assert_int_equal(rows_findings(&r, false), 0);
        rows_close(&r);
    }
}

/* What has expired, and no sweep has seen (it visits some rows at a time), is written again. */
static void test_built_late_over_expired(void **state)
{
    (void)state;
    for (int has_clustering = 0; has_clustering < 2; has_clustering++) {
        struct rows r;
        const char *c = has_clustering ? "a" : "";
        char key[8];
        rows_open(&r, has_clustering);
        struct ctx *ctx = &r.db.ctx;
        struct index_shape index = index_of_values(&r);
        for (int i = 0; i < 10 * SWEEP_STEP_MAX; i++) {
            snprintf(key, sizeof key, "p%d", i);
            put(&r, key, c, ROW_OF(expiring(1, 5, "x", 10, NOW_S + 10)));
        }
        r.db.ctx.now_s += 10;
        struct txn *txn = rows_write(&r);
        OK(ctx, txn_build_index(ctx, txn, &r.table, &index));
        r.table.indexes = &index;
        r.table.index_count = 1;
        struct row_update again = { .clustering = slice_str(c), .row = ROW_OF(plain(1, 6, "x")) };
        struct update update = update_of(&r, key);
        update.rows = &again;
        update.row_count = 1;
        OK(ctx, apply(ctx, txn, &update));
        rows_commit(&r, txn);
        rows_sweep(&r);
        assert_string_equal(hits(&r, index.index_id, "x", NULL), has_clustering ? "p319/a" : "p319/");
        assert_int_equal(rows_findings(&r, false), 0);
        rows_close(&r);
    }
}

/* Whatever fits in a batch: a row, some, a partition and a half, all. */
static void built_late(size_t batch_bytes)
{
    size_t batch_before = rig.build_batch_bytes;
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
    rig.build_batch_bytes = batch_bytes;
    OK(ctx, txn_build_index(ctx, txn, &r.table, &index));
    rig.build_batch_bytes = batch_before;
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

static void test_built_late(void **state)
{
    (void)state;
    static const size_t batches[] = { 1, 200, 8000, 1 << 20 };
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
        built_late(batches[i]);
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
        cmocka_unit_test(test_range),         cmocka_unit_test(test_range_of_too_many),
        cmocka_unit_test(test_built_late),    cmocka_unit_test(test_forgotten),
        cmocka_unit_test(test_large_collection), cmocka_unit_test(test_of_both),
        cmocka_unit_test(test_collection_deleted_by_pieces),  cmocka_unit_test(test_built_late_over_expired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
