/* Answers engine/descent.h and pack_expect: what is told without a cursor is what one finds, of damaged pages nothing is told that is not there, and a
 * partition whose rows are looked for ahead shows what any shows. */
#include "engine/descent.h"

#include "engine/coding.h"
#include "engine/page.h"
#include "engine/pack.h"
#include "tests/engine/entries.h"
#include "tests/engine/rows.h"

/* ---- beside a cursor ---- */

/* What LMDB's cursor finds: the last entry at or before the key, and the next. */
static bool find_floor(MDB_cursor *cursor, struct slice key, MDB_val at[2], MDB_val *behind)
{
    MDB_val value;

    *behind = at[0] = val_of(key);
    int code = mdb_cursor_get(cursor, behind, &value, MDB_SET_RANGE);
    if (!code && slice_eq(slice_of_val(*behind), key)) {
        at[0] = *behind;
        at[1] = value;
        code = mdb_cursor_get(cursor, behind, &value, MDB_NEXT);
        behind->mv_data = code ? NULL : behind->mv_data;
        return true;
    }
    behind->mv_data = code ? NULL : behind->mv_data;
    return mdb_cursor_get(cursor, &at[0], &at[1], code ? MDB_LAST : MDB_PREV) == 0;
}

struct told {
    uint32_t asked, entries, behind;
};

static void compare(const struct way *way, MDB_cursor *cursor, struct told *told)
{
    uint8_t key[STORE_KEY_MAX];
    MDB_val at[2], behind;

    put_u64(key, way->id);
    memcpy(key + ID_BYTES, way->piece.data, way->piece.len);
    bool is = find_floor(cursor, slice_of(key, ID_BYTES + way->piece.len), at, &behind);
    told->asked += is;
    if (slice_is_null(way->at))
        return;
    told->entries++;
    assert_true(is);
    assert_ptr_equal(way->at.data, at[0].mv_data);
    assert_int_equal(way->at.len, at[0].mv_size);
    assert_ptr_equal(way->value.data, at[1].mv_data);
    assert_int_equal(way->value.len, at[1].mv_size);
    if (!way->behind)
        return;
    told->behind++;
    assert_non_null(behind.mv_data);
    assert_int_equal(way->behind, read_u64(behind.mv_data));
}

static struct told ask(struct database *db, uint64_t *seed, uint64_t ids, uint32_t rounds)
{
    static uint8_t keys[DESCENT_WAYS][STORE_KEY_MAX];
    struct told told = { 0 };
    struct descent descent;
    struct txn *txn = NULL;
    MDB_cursor *cursor;

    OK(&db->ctx, txn_begin_read(&db->ctx, db->engine, &txn));
    assert_int_equal(mdb_cursor_open(txn->handle, txn->store->trees[TREE_GRAVES], &cursor), 0);
    assert_true(descent_open(txn, TREE_GRAVES, &descent));
    for (uint32_t r = 0; r < rounds; r++) {
        struct way ways[DESCENT_WAYS];
        uint32_t n = (uint32_t)(1 + random_below(seed, DESCENT_WAYS));
        for (uint32_t i = 0; i < n; i++) {
            struct slice key = some_key(seed, ids, keys[i]);
            ways[i] = (struct way){ .id = read_u64(keys[i]) - random_below(seed, 2), .piece = slice_skip(key, ID_BYTES) };
        }
        descend(&descent, ways, n);
        for (uint32_t i = 0; i < n; i++)
            compare(&ways[i], cursor, &told);
    }
    mdb_cursor_close(cursor);
    txn_abort(&txn);
    return told;
}

static void what_is_told_is_what_a_cursor_finds(void **state)
{
    static const uint32_t sizes[] = { 1, 5, 200, 3000, 30000 };
    struct descent descent;
    uint64_t seed = 7;
    (void)state;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct database db;
        struct txn *txn = NULL;
        const uint64_t ids = 1 + sizes[i] / 4;
        database_open_memory(&db);
        OK(&db.ctx, txn_begin_read(&db.ctx, db.engine, &txn));
        assert_false(descent_open(txn, TREE_GRAVES, &descent)); /* nothing is there */
        txn_abort(&txn);
        fill(&db, &seed, sizes[i], ids);
        struct told told = ask(&db, &seed, ids, 500);
        assert_true(told.entries * 10 >= told.asked * 9);
        assert_true(sizes[i] < 100 || told.behind * 10 >= told.entries * 7);
        OK(&db.ctx, txn_begin_write(&db.ctx, db.engine, &txn));
        assert_false(descent_open(txn, TREE_GRAVES, &descent)); /* its pages are not all in the map */
        txn_abort(&txn);
        database_close(&db);
    }
}

/* ---- damage ---- */

/* A tree whose ways lead over a copy of its pages. */
struct copied {
    struct database db;
    struct txn *txn;
    struct descent descent;
    const uint8_t *sound;
    uint8_t *copy;
    size_t len;
    uint64_t seed;
};

enum { COPIED_IDS = 200 };

static void open_copy(struct copied *c, uint64_t seed)
{
    memset(c, 0, sizeof *c);
    c->seed = seed;
    database_open_memory(&c->db);
    fill(&c->db, &c->seed, 3000, COPIED_IDS);
    OK(&c->db.ctx, txn_begin_read(&c->db.ctx, c->db.engine, &c->txn));
    assert_true(descent_open(c->txn, TREE_GRAVES, &c->descent));
    c->len = c->descent.tree.pages * DATA_PAGE_BYTES;
    c->sound = c->descent.tree.map;
    c->copy = aligned_alloc(DATA_PAGE_BYTES, c->len);
    memcpy(c->copy, c->sound, c->len);
    c->descent.tree.map = c->copy;
}

static void close_copy(struct copied *c)
{
    txn_abort(&c->txn);
    free(c->copy);
    database_close(&c->db);
}

static void descend_anywhere(struct copied *c, struct way ways[DESCENT_WAYS])
{
    uint8_t key[STORE_KEY_MAX];

    for (uint32_t i = 0; i < DESCENT_WAYS; i++) {
        some_key(&c->seed, COPIED_IDS, key);
        ways[i] = (struct way){ .id = read_u64(key), .piece = SLICE_EMPTY };
    }
    descend(&c->descent, ways, DESCENT_WAYS);
}

static void of_damaged_pages_only_what_lies_in_them_is_told(void **state)
{
    enum { ROUNDS = 3000 };
    struct way ways[DESCENT_WAYS];
    struct copied c;
    (void)state;

    open_copy(&c, 11);
    for (int r = 0; r < ROUNDS; r++) {
        if (r % 50 == 0)
            memcpy(c.copy, c.sound, c.len);
        spoil_pages(c.copy, c.descent.tree.pages, &c.seed);
        descend_anywhere(&c, ways);
        for (uint32_t i = 0; i < DESCENT_WAYS; i++) {
            assert_true(slice_is_null(ways[i].at) || lies_in(ways[i].at, c.copy, c.len));
            assert_true(slice_is_null(ways[i].value) || lies_in(ways[i].value, c.copy, c.len));
        }
    }
    close_copy(&c);
}

static void a_page_in_the_place_of_another_tells_nothing(void **state)
{
    enum { ROUNDS = 2000 };
    struct way ways[DESCENT_WAYS];
    struct copied c;
    uint32_t told = 0;
    (void)state;

    open_copy(&c, 17);
    const uint64_t pages = c.descent.tree.pages;
    for (int r = 0; r < ROUNDS; r++) {
        const size_t to = random_below(&c.seed, pages) * DATA_PAGE_BYTES, from = random_below(&c.seed, pages) * DATA_PAGE_BYTES;
        memcpy(c.copy + to, c.sound + from, DATA_PAGE_BYTES);
        descend_anywhere(&c, ways);
        for (uint32_t i = 0; i < DESCENT_WAYS; i++) {
            told += !slice_is_null(ways[i].at);
            assert_true(to == from || slice_is_null(ways[i].at) || !lies_in(ways[i].at, c.copy + to, DATA_PAGE_BYTES));
        }
        memcpy(c.copy + to, c.sound + to, DATA_PAGE_BYTES);
    }
    assert_true(told > ROUNDS * DESCENT_WAYS / 2);
    c.copy[c.descent.tree.root * DATA_PAGE_BYTES] ^= 1; /* of a branch, too: nobody goes by it */
    descend_anywhere(&c, ways);
    for (uint32_t i = 0; i < DESCENT_WAYS; i++)
        assert_true(slice_is_null(ways[i].at));
    close_copy(&c);
}

/* What follows it is not its. */
static void a_key_that_is_shorter_than_an_id_tells_nothing(void **state)
{
    struct snapshot_cursor cursor;
    struct slice key, value;
    struct copied c;
    (void)state;

    open_copy(&c, 19);
    snapshot_begin(&cursor, &c.descent.tree);
    assert_int_equal(snapshot_end(&cursor, false, &key, &value), 0);
    struct way way = { .id = read_u64(key.data), .piece = slice_skip(key, ID_BYTES) };
    descend(&c.descent, &way, 1);
    assert_true(slice_eq(way.at, key) && way.behind);
    uint8_t *leaf = c.copy + (page_under(key.data) - c.copy);
    for (uint32_t i = 1; i < page_nodes(leaf, PAGE_IS_LEAF); i++) {
        const uint16_t short_len = ID_BYTES - 1;
        memcpy(leaf + page_place(leaf, i) + offsetof(struct node_head, key_len), &short_len, sizeof short_len);
    }
    descend(&c.descent, &way, 1);
    assert_true(slice_is_null(way.at));
    assert_int_equal(way.behind, 0);
    close_copy(&c);
}

static void a_damaged_chunk_is_told(void **state)
{
    enum { IDS = STORE_SOME };
    static const uint8_t no_entries[2];
    struct wanted_entry wanted[IDS];
    struct known_chunk chunks[IDS];
    struct pack_cursor cursor = { 0 };
    struct database db;
    struct txn *txn = NULL;
    uint64_t ids[IDS];
    uint8_t key[ID_BYTES];
    (void)state;

    database_open_memory(&db);
    OK(&db.ctx, txn_begin_write(&db.ctx, db.engine, &txn));
    for (int i = 0; i < IDS; i++) {
        put_u64(key, ids[i] = 100 + (uint64_t)i);
        OK(&db.ctx, store_put(&db.ctx, txn, TREE_ROWS, slice_of(key, sizeof key), slice_str("value")));
        wanted[i] = (struct wanted_entry){ .id = ids[i], .piece = SLICE_EMPTY };
    }
    OK(&db.ctx, txn_commit(&db.ctx, &txn));
    OK(&db.ctx, txn_begin_read(&db.ctx, db.engine, &txn));
    OK(&db.ctx, store_get_some(&db.ctx, txn, TREE_ROWS, wanted, IDS));
    assert_true(slice_eq(wanted[7].value, slice_str("value")));
    pack_expect(txn, TREE_ROWS, ids, IDS, false, chunks);
    overwrite(txn, chunks[7].bytes.data, no_entries, sizeof no_entries);
    assert_int_equal(store_get_some(&db.ctx, txn, TREE_ROWS, wanted, IDS), WR_CORRUPT);
    assert_false(pack_enter(&cursor, ids[7], &chunks[7]));
    assert_true(pack_enter(&cursor, ids[8], &chunks[8]));
    txn_abort(&txn);
    database_close(&db);
}

/* ---- a chunk that is known ---- */

static uint32_t number_of(const struct packed *at)
{
    return at->id ? read_u32(at->piece.data) : UINT32_MAX;
}

/* Of an id with several chunks either end alone is in it; whatever else is sought is looked for as ever, and from it on the others are come to. */
static void a_known_chunk_is_one_end(void **state)
{
    enum { ID = 50, ROWS = 1000 };
    const uint64_t ids[] = { ID, ID + 1, ID + 2, ID + 3 }; /* as many as are looked for together */
    struct known_chunk chunks[2][sizeof ids / sizeof *ids];
    struct pack_cursor c = { 0 };
    struct packed at;
    struct database db;
    struct ctx *ctx = &db.ctx;
    struct txn *txn = NULL;
    uint8_t key[ID_BYTES + sizeof(uint32_t)], from[ID_BYTES], to[ID_BYTES];
    (void)state;

    put_u64(from, ID);
    put_u64(to, ID + 1);
    database_open_memory(&db);
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    for (uint32_t i = 0; i < ROWS; i++) {
        put_u64(key, ID);
        put_u32(key + ID_BYTES, i);
        OK(ctx, store_put(ctx, txn, TREE_ROWS, slice_of(key, sizeof key), slice_str("value")));
    }
    OK(ctx, txn_commit(ctx, &txn));
    OK(ctx, txn_begin_read(ctx, db.engine, &txn));
    OK(ctx, pack_open(ctx, &c, txn, TREE_ROWS));
    for (int last = 0; last < 2; last++) {
        pack_expect(txn, TREE_ROWS, ids, sizeof ids / sizeof *ids, last, chunks[last]);
        assert_false(chunks[last][0].alone);
        assert_true(pack_enter(&c, ID, &chunks[last][0]));
        OK(ctx, pack_seek(ctx, &c, slice_of(from, sizeof from), &at));
        for (uint32_t i = 0; i < ROWS; i++) {
            assert_int_equal(number_of(&at), i);
            OK(ctx, pack_next(ctx, &c, &at));
        }
        assert_int_equal(number_of(&at), UINT32_MAX);
        assert_true(pack_enter(&c, ID, &chunks[last][0]));
        OK(ctx, pack_seek_before(ctx, &c, slice_of(to, sizeof to), &at));
        for (uint32_t i = ROWS; i-- > 0;) {
            assert_int_equal(number_of(&at), i);
            OK(ctx, pack_prev(ctx, &c, &at));
        }
        assert_int_equal(number_of(&at), UINT32_MAX);
        assert_true(pack_enter(&c, ID, &chunks[last][0]));
        put_u32(key + ID_BYTES, ROWS / 2);
        OK(ctx, pack_seek(ctx, &c, slice_of(key, sizeof key), &at));
        assert_int_equal(number_of(&at), ROWS / 2);
        pack_leave(&c);
        OK(ctx, pack_seek(ctx, &c, slice_of(to, sizeof to), &at)); /* another id's, and there is none */
        assert_int_equal(at.id, 0);
    }
    pack_close(&c);
    txn_abort(&txn);
    database_close(&db);
}

/* ---- partitions whose only chunk is known ---- */

enum { PARTITIONS = 300 };

static void put_rows(struct rows *r, uint64_t *seed)
{
    char key[16], clustering[600], value[80];

    for (int p = 0; p < PARTITIONS; p++) {
        static const uint32_t counts[] = { 0, 1, 1, 2, 5, 20, 400 };
        uint32_t rows = counts[random_below(seed, sizeof counts / sizeof *counts)];
        snprintf(key, sizeof key, "p%d", p);
        if (random_below(seed, 4) == 0)
            put_static(r, key, ROW_OF(plain(2, 1, "static")));
        for (uint32_t i = 0; i < rows; i++) {
            memset(clustering, 'c', sizeof clustering); /* some are longer than a key of LMDB's may be */
            size_t before = random_below(seed, 40) ? 0 : sizeof clustering - 16;
            snprintf(clustering + before, 16, "%04u", (unsigned)random_below(seed, 3000));
            snprintf(value, sizeof value, "%0*u", (int)(1 + random_below(seed, 60)), i);
            put(r, key, clustering, ROW_OF(plain(1, 1, value)));
        }
        if (rows && random_below(seed, 5) == 0)
            delete_range(r, key, "0000", random_below(seed, 2) ? "2500" : NULL, 2);
    }
}

/* What a scan of the range gives, in a few bytes. */
static uint64_t scanned(struct ctx *ctx, struct scan *scan, struct txn *txn, const struct partition *p, struct range range, unsigned flags, uint32_t *rows)
{
    const struct row_view *view;
    uint64_t sum = 0;

    OK(ctx, scan_open(ctx, scan, txn, p, range, flags, NULL));
    for (*rows = 0;; ++*rows) {
        OK(ctx, scan_next(ctx, scan, &view));
        if (!view)
            return sum;
        for (size_t i = 0; i < view->clustering.len; i++)
            sum = sum * 31 + view->clustering.data[i];
        for (uint32_t c = 0; c < view->row.cell_count; c++)
            sum = sum * 31 + view->row.cells[c].value.len + view->row.cells[c].value.data[0];
    }
}

static int id_cmp(const void *a, const void *b)
{
    uint64_t x = ((const struct partition *)a)->id, y = ((const struct partition *)b)->id;
    return (x > y) - (x < y);
}

/* In parts of the partition, and all of it, whichever way: with what is known of where it begins, and without. */
static void scan_both(struct ctx *ctx, struct scan *scan, struct txn *txn, const struct partition *known)
{
    static const char *const bounds[][2] = { { "", NULL }, { "1000", NULL }, { "", "2000" }, { "1000", "2000" }, { "5", "6" }, { "0123", "0124" } };
    enum { BOUNDS = sizeof bounds / sizeof *bounds };
    struct partition plain_one = *known;
    uint32_t rows, rows_known;

    plain_one.chunk.bytes = SLICE_NULL;
    for (unsigned i = 0; i < 3 * BOUNDS; i++) {
        const char *const *bound = bounds[i % BOUNDS];
        struct range range = { slice_str(bound[0]), bound[1] ? slice_str(bound[1]) : SLICE_NULL };
        unsigned flags = i / BOUNDS == 0 ? 0 : i / BOUNDS == 1 ? SCAN_REVERSED : SCAN_RAW;
        uint64_t sum = scanned(ctx, scan, txn, &plain_one, range, flags, &rows);
        assert_int_equal(scanned(ctx, scan, txn, known, range, flags, &rows_known), sum);
        assert_int_equal(rows_known, rows);
    }
}

/* Of all, some at once; how many are known, and how many of those have more chunks. */
static uint32_t expect_all(struct txn *txn, struct partition *parts, uint32_t all, bool reversed, uint32_t *of_many)
{
    uint32_t known = 0;

    for (uint32_t i = 0; i < all; i += PARTITIONS_AT_ONCE)
        partitions_expect(txn, parts + i, all - i < PARTITIONS_AT_ONCE ? all - i : PARTITIONS_AT_ONCE, reversed);
    *of_many = 0;
    for (uint32_t i = 0; i < all; i++) {
        known += !slice_is_null(parts[i].chunk.bytes);
        *of_many += !slice_is_null(parts[i].chunk.bytes) && !parts[i].chunk.alone;
    }
    return known;
}

static void a_partition_shows_the_same_rows(void **state)
{
    static struct partition parts[PARTITIONS], ends[PARTITIONS];
    const struct range all_rows = { SLICE_EMPTY, SLICE_NULL };
    struct partitions *partitions;
    struct partition p;
    struct scan *scan, *apart;
    struct rows r;
    uint64_t seed = 3;
    uint32_t known = 0, all = 0, rows, rows_known, of_many;
    bool found = true;
    (void)state;

    rows_open(&r, true);
    put_rows(&r, &seed);
    struct ctx *ctx = &r.db.ctx;
    struct txn *txn = rows_read(&r);
    OK(ctx, scan_new(ctx, &scan));
    OK(ctx, scan_new(ctx, &apart));
    OK(ctx, partitions_new(ctx, &partitions));
    OK(ctx, partitions_open(ctx, partitions, txn, &r.table, INT64_MIN, INT64_MAX, SLICE_NULL));
    for (;;) {
        OK(ctx, partitions_next(ctx, partitions, &p, &found));
        if (!found)
            break;
        parts[all++] = p;
        known += !slice_is_null(p.chunk.bytes);
        scan_both(ctx, scan, txn, &p);
    }
    assert_true(all > PARTITIONS / 2 && known > all / 2);
    qsort(parts, all, sizeof *parts, id_cmp);
    memcpy(ends, parts, sizeof ends);
    assert_true(expect_all(txn, parts, all, false, &of_many) > all * 3 / 4 && of_many > 10);
    assert_true(expect_all(txn, ends, all, true, &of_many) > all * 3 / 4 && of_many > 10);
    for (uint32_t i = 0; i < all; i++)
        scan_both(ctx, scan, txn, &ends[i]);
    for (uint32_t i = 0; i < 20 * all; i++) { /* one scan from partition to partition, as they were first written, and a little to and fro */
        unsigned flags = random_below(&seed, 2) ? SCAN_REVERSED : 0;
        p = (random_below(&seed, 2) ? parts : ends)[i % (all - 2) + random_below(&seed, 3)];
        if (random_below(&seed, 3) == 0)
            p.chunk.bytes = SLICE_NULL;
        uint64_t sum = scanned(ctx, scan, txn, &p, all_rows, flags, &rows_known);
        p.chunk.bytes = SLICE_NULL;
        assert_int_equal(scanned(ctx, apart, txn, &p, all_rows, flags, &rows), sum);
        assert_int_equal(rows_known, rows);
        scan_close(apart);
    }
    scan_free(scan);
    scan_free(apart);
    partitions_free(partitions);
    txn_abort(&txn);
    rows_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_told_is_what_a_cursor_finds),
        cmocka_unit_test(of_damaged_pages_only_what_lies_in_them_is_told),
        cmocka_unit_test(a_page_in_the_place_of_another_tells_nothing),
        cmocka_unit_test(a_key_that_is_shorter_than_an_id_tells_nothing),
        cmocka_unit_test(a_damaged_chunk_is_told),
        cmocka_unit_test(a_known_chunk_is_one_end),
        cmocka_unit_test(a_partition_shows_the_same_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
