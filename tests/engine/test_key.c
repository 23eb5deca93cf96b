/* Answers engine/key.h promise by promise, against a sorted array. */
#include "tests/engine/database.h"

#include "engine/coding.h"
#include "engine/key.h"

enum { ENTRIES_MAX = 700, LAYER = STORE_KEY_MAX - 8 };
static const uint64_t ID = 1000;

/* ---- the naive copy ---- */

struct entry {
    uint8_t *bytes;
    size_t len;
    uint32_t value;
};

struct model {
    struct entry entries[ENTRIES_MAX];
    size_t count;
};

static struct slice entry_bytes(const struct entry *e)
{
    return slice_of(e->bytes, e->len);
}

/* The first entry not before bytes. */
static size_t model_find(const struct model *m, struct slice bytes)
{
    size_t i = 0;
    while (i < m->count && slice_cmp(entry_bytes(&m->entries[i]), bytes) < 0)
        i++;
    return i;
}

static void model_put(struct model *m, struct slice bytes, uint32_t value)
{
    size_t i = model_find(m, bytes);
    if (i == m->count || !slice_eq(entry_bytes(&m->entries[i]), bytes)) {
        memmove(&m->entries[i + 1], &m->entries[i], (m->count - i) * sizeof *m->entries);
        m->entries[i].bytes = malloc(bytes.len + 1);
        memcpy(m->entries[i].bytes, bytes.data, bytes.len);
        m->entries[i].len = bytes.len;
        m->count++;
    }
    m->entries[i].value = value;
}

static void model_delete(struct model *m, size_t i)
{
    free(m->entries[i].bytes);
    m->count--;
    memmove(&m->entries[i], &m->entries[i + 1], (m->count - i) * sizeof *m->entries);
}

static void model_clear(struct model *m)
{
    while (m->count)
        model_delete(m, m->count - 1);
}

/* ---- comparing ---- */

static void assert_entry(const struct model *m, size_t i, bool there, struct slice bytes, struct slice value)
{
    assert_int_equal(!slice_is_null(bytes), there);
    if (!there)
        return;
    assert_true(slice_eq(bytes, entry_bytes(&m->entries[i])));
    assert_int_equal(value.len, 4);
    assert_int_equal(read_u32(value.data), m->entries[i].value);
}

static void assert_same(struct ctx *ctx, struct txn *txn, struct wide_cursor *c, const struct model *m)
{
    struct slice bytes, value;

    OK(ctx, wide_open(ctx, c, txn, TREE_ROWS, ID));
    OK(ctx, wide_seek(ctx, c, SLICE_EMPTY, &bytes, &value));
    for (size_t i = 0; i < m->count; i++) {
        assert_entry(m, i, true, bytes, value);
        OK(ctx, wide_next(ctx, c, &bytes, &value));
    }
    assert_true(slice_is_null(bytes));
    OK(ctx, wide_seek_before(ctx, c, SLICE_NULL, &bytes, &value));
    for (size_t i = m->count; i-- > 0;) {
        assert_entry(m, i, true, bytes, value);
        OK(ctx, wide_prev(ctx, c, &bytes, &value));
    }
    assert_true(slice_is_null(bytes));
    wide_close(c);
}

static void assert_seeks(struct ctx *ctx, struct txn *txn, struct wide_cursor *c, const struct model *m,
                         struct slice at)
{
    struct slice bytes, value;
    size_t i = model_find(m, at);

    OK(ctx, wide_open(ctx, c, txn, TREE_ROWS, ID));
    OK(ctx, wide_seek(ctx, c, at, &bytes, &value));
    assert_entry(m, i, i < m->count, bytes, value);
    if (i < m->count) {
        OK(ctx, wide_next(ctx, c, &bytes, &value));
        assert_entry(m, i + 1, i + 1 < m->count, bytes, value);
    }
    OK(ctx, wide_seek_before(ctx, c, at, &bytes, &value));
    assert_entry(m, i - 1, i > 0, bytes, value);
    if (i > 0) {
        OK(ctx, wide_prev(ctx, c, &bytes, &value));
        assert_entry(m, i - 2, i > 1, bytes, value);
    }
    wide_close(c);
    OK(ctx, wide_get(ctx, txn, TREE_ROWS, ID, at, &value));
    assert_int_equal(!slice_is_null(value), i < m->count && slice_eq(entry_bytes(&m->entries[i]), at));
}

static void put_u32_at(struct ctx *ctx, struct txn *txn, uint64_t id, struct slice bytes, uint32_t v)
{
    uint8_t value[4];
    put_u32(value, v);
    OK(ctx, wide_put(ctx, txn, TREE_ROWS, id, bytes, slice_of(value, 4)));
}

static uint64_t tree_entries(struct database *db)
{
    struct engine_figures figures;
    OK(&db->ctx, engine_figures(&db->ctx, db->engine, &figures));
    return figures.entries;
}

/* Neighbours on both sides, which nothing done to ID may touch or show. */
static void put_neighbours(struct ctx *ctx, struct txn *txn)
{
    static uint8_t longest[2 * LAYER];
    memset(longest, 0xff, sizeof longest);
    put_u32_at(ctx, txn, ID - 1, slice_of(longest, sizeof longest), 1);
    put_u32_at(ctx, txn, ID - 1, SLICE_EMPTY, 2);
    put_u32_at(ctx, txn, ID + 1, SLICE_EMPTY, 3);
    put_u32_at(ctx, txn, ID + 1, slice_of(longest, sizeof longest), 4);
}
enum { NEIGHBOUR_ENTRIES = 6 }; /* chunks: of the two ids, and of two layers for each of the long ones */

/* A key near the awkward lengths, of few different bytes so that long prefixes are shared. */
static struct slice random_key(uint64_t *seed, uint8_t *bytes)
{
    static const size_t lengths[] = {
        0, 1, 3, 8, LAYER - 1, LAYER, LAYER + 1, LAYER * 2, LAYER * 2 - 1, LAYER * 2 + 1, LAYER * 3 + 7, LAYER * 5
    };
    size_t len = lengths[random_below(seed, sizeof lengths / sizeof *lengths)];

    memset(bytes, 0x61, len);
    for (size_t changes = random_below(seed, 4); len && changes > 0; changes--) {
        static const uint8_t values[] = { 0x00, 0x60, 0x62, 0xff };
        size_t at = random_below(seed, 2) ? len - 1 : random_below(seed, len);
        bytes[at] = values[random_below(seed, sizeof values)];
    }
    return slice_of(bytes, len);
}

static void order_lookup_and_seeks_as_if_keys_had_no_limit(void **state)
{
    static struct model model;
    static uint8_t bytes[LAYER * 8];
    struct database db;
    struct wide_cursor *cursor;
    struct txn *txn = NULL;
    uint64_t seed = 20260401;
    (void)state;

    database_open_memory(&db);
    struct ctx *ctx = &db.ctx;
    /* Ids of layers must not meet the ids of this test. */
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    for (uint64_t id = 0; id < 2 * ID;)
        OK(ctx, txn_next_id(ctx, txn, &id));
    put_neighbours(ctx, txn);
    OK(ctx, wide_cursor_new(ctx, &cursor));
    for (int round = 0; round < 1500; round++) {
        struct slice key = random_key(&seed, bytes);
        if (random_below(&seed, 3) && model.count < ENTRIES_MAX - 1) {
            put_u32_at(ctx, txn, ID, key, (uint32_t)round);
            model_put(&model, key, (uint32_t)round);
        } else {
            size_t i = model_find(&model, key);
            OK(ctx, wide_delete(ctx, txn, TREE_ROWS, ID, key));
            if (i < model.count && slice_eq(entry_bytes(&model.entries[i]), key))
                model_delete(&model, i);
        }
        assert_seeks(ctx, txn, cursor, &model, random_key(&seed, bytes));
        if (round % 100 == 0)
            assert_same(ctx, txn, cursor, &model);
        if (round % 300 == 299) {
            OK(ctx, txn_commit(ctx, &txn));
            OK(ctx, txn_begin_read(ctx, db.engine, &txn));
            assert_same(ctx, txn, cursor, &model);
            for (int i = 0; i < 50; i++)
                assert_seeks(ctx, txn, cursor, &model, random_key(&seed, bytes));
            txn_abort(&txn);
            OK(ctx, txn_begin_write(ctx, db.engine, &txn));
        }
    }
    /* 2. What has been removed one by one leaves no layer behind. */
    assert_true(model.count > 50);
    while (model.count) {
        size_t i = random_below(&seed, model.count);
        OK(ctx, wide_delete(ctx, txn, TREE_ROWS, ID, entry_bytes(&model.entries[i])));
        model_delete(&model, i);
    }
    assert_same(ctx, txn, cursor, &model);
    OK(ctx, txn_commit(ctx, &txn));
    assert_int_equal(tree_entries(&db), NEIGHBOUR_ENTRIES);
    wide_cursor_free(cursor);
    model_clear(&model);
    database_close(&db);
}

static void clear_removes_layers_in_steps_and_nothing_else(void **state)
{
    static uint8_t bytes[LAYER * 8];
    struct database db;
    struct txn *txn = NULL;
    uint64_t seed = 7, budget, steps = 0;
    (void)state;

    database_open_memory(&db);
    struct ctx *ctx = &db.ctx;
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    for (uint64_t id = 0; id < 2 * ID;)
        OK(ctx, txn_next_id(ctx, txn, &id));
    put_neighbours(ctx, txn);
    for (uint32_t i = 0; i < 400; i++)
        put_u32_at(ctx, txn, ID, random_key(&seed, bytes), i);
    do {
        budget = 7;
        OK(ctx, wide_clear(ctx, txn, TREE_ROWS, ID, &budget));
        steps++;
    } while (budget == 0);
    assert_true(steps > 10);
    budget = 1;
    OK(ctx, wide_clear(ctx, txn, TREE_ROWS, ID, &budget));
    assert_int_equal(budget, 1);
    OK(ctx, txn_commit(ctx, &txn));
    assert_int_equal(tree_entries(&db), NEIGHBOUR_ENTRIES);
    database_close(&db);
}

static bool each_goes(void *arg, struct slice value)
{
    (void)arg, (void)value;
    return true;
}

static void a_sieve_leaves_what_is_in_layers(void **state)
{
    static struct model model;
    static uint8_t from[LAYER * 8], to[LAYER * 8];
    struct database db;
    struct wide_cursor *cursor;
    struct txn *txn = NULL;
    uint64_t seed = 11, id = 0;
    size_t gone = 0;
    (void)state;

    database_open_memory(&db);
    struct ctx *ctx = &db.ctx;
    OK(ctx, wide_cursor_new(ctx, &cursor));
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    while (id < 2 * ID)
        OK(ctx, txn_next_id(ctx, txn, &id));
    for (int round = 0; round < 40; round++) {
        while (model.count < 200) {
            struct slice bytes = random_key(&seed, from);
            put_u32_at(ctx, txn, ID, bytes, (uint32_t)round);
            model_put(&model, bytes, (uint32_t)round);
        }
        struct slice start = round % 4 ? random_key(&seed, from) : SLICE_EMPTY, end = round % 4 > 1 ? random_key(&seed, to) : SLICE_NULL;
        struct sieve sieve = { each_goes, NULL, UINT64_MAX, 0 };
        OK(ctx, wide_sift(ctx, txn, TREE_ROWS, ID, start, end, &sieve));
        for (size_t i = model_find(&model, start); i < model.count && (slice_is_null(end) || slice_cmp(entry_bytes(&model.entries[i]), end) < 0);) {
            bool is_short = model.entries[i].len < LAYER;
            gone += is_short;
            if (is_short)
                model_delete(&model, i);
            else
                i++;
        }
        assert_same(ctx, txn, cursor, &model);
        if (model.count > 150)
            for (uint64_t budget = UINT64_MAX; model.count; model_clear(&model))
                OK(ctx, wide_clear(ctx, txn, TREE_ROWS, ID, &budget));
    }
    assert_true(gone > 500);
    model_clear(&model);
    wide_cursor_free(cursor);
    txn_abort(&txn);
    database_close(&db);
}

static void a_scan_goes_on_while_its_entries_are_removed(void **state)
{
    static uint8_t bytes[LAYER * 3];
    struct database db;
    struct wide_cursor *cursor;
    struct slice key, value;
    struct txn *txn = NULL;
    uint32_t seen = 0;
    (void)state;

    database_open_memory(&db);
    struct ctx *ctx = &db.ctx;
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    memset(bytes, 0x61, sizeof bytes);
    for (uint32_t i = 0; i < 60; i++) {
        bytes[LAYER / 2] = (uint8_t)(0x62 + i / 6);
        size_t len = LAYER * (1 + i % 3) - 1 + i % 2;
        put_u32_at(ctx, txn, ID, slice_of(bytes, len), i);
    }
    OK(ctx, wide_cursor_new(ctx, &cursor));
    for (int direction = 0; direction < 2; direction++) {
        OK(ctx, wide_open(ctx, cursor, txn, TREE_ROWS, ID));
        if (direction)
            OK(ctx, wide_seek_before(ctx, cursor, SLICE_NULL, &key, &value));
        else
            OK(ctx, wide_seek(ctx, cursor, SLICE_EMPTY, &key, &value));
        for (uint32_t i = 0; !slice_is_null(key) && i < 30; i++) {
            struct slice copy;
            OK(ctx, ctx_copy(ctx, key, &copy));
            OK(ctx, wide_delete(ctx, txn, TREE_ROWS, ID, copy));
            if (direction)
                OK(ctx, wide_seek_before(ctx, cursor, copy, &key, &value));
            else
                OK(ctx, wide_seek(ctx, cursor, copy, &key, &value));
            seen++;
        }
        wide_close(cursor);
    }
    assert_int_equal(seen, 60);
    wide_cursor_free(cursor);
    OK(ctx, txn_commit(ctx, &txn));
    assert_int_equal(tree_entries(&db), 0);
    database_close(&db);
}

static void the_longest_key_fits_and_one_more_byte_does_not(void **state)
{
    struct database db;
    struct wide_cursor *cursor;
    struct slice key, value;
    struct txn *txn = NULL;
    uint8_t *bytes = malloc(WIDE_BYTES_MAX + 1), *room;
    (void)state;

    database_open_memory(&db);
    struct ctx *ctx = &db.ctx;
    memset(bytes, 0xff, WIDE_BYTES_MAX + 1);
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    put_u32_at(ctx, txn, ID, slice_of(bytes, WIDE_BYTES_MAX), 5);
    assert_int_equal(wide_put(ctx, txn, TREE_ROWS, ID, slice_of(bytes, WIDE_BYTES_MAX + 1), SLICE_EMPTY), WR_INVALID);
    assert_int_equal(wide_reserve(ctx, txn, TREE_ROWS, ID, slice_of(bytes, WIDE_BYTES_MAX + 1), 1, &room), WR_INVALID);
    assert_int_equal(wide_delete(ctx, txn, TREE_ROWS, ID, slice_of(bytes, WIDE_BYTES_MAX + 1)), WR_INVALID);
    OK(ctx, wide_get(ctx, txn, TREE_ROWS, ID, slice_of(bytes, WIDE_BYTES_MAX + 1), &value));
    assert_true(slice_is_null(value));
    OK(ctx, wide_cursor_new(ctx, &cursor));
    OK(ctx, wide_open(ctx, cursor, txn, TREE_ROWS, ID));
    OK(ctx, wide_seek(ctx, cursor, SLICE_EMPTY, &key, &value));
    assert_int_equal(key.len, WIDE_BYTES_MAX);
    assert_memory_equal(key.data, bytes, WIDE_BYTES_MAX);
    OK(ctx, wide_seek(ctx, cursor, slice_of(bytes, WIDE_BYTES_MAX + 1), &key, &value));
    assert_true(slice_is_null(key));
    /* What is looked for may be the cursor's own bytes. */
    OK(ctx, wide_seek_before(ctx, cursor, slice_of(bytes, WIDE_BYTES_MAX + 1), &key, &value));
    OK(ctx, wide_seek(ctx, cursor, key, &key, &value));
    assert_int_equal(key.len, WIDE_BYTES_MAX);
    assert_int_equal(read_u32(value.data), 5);
    OK(ctx, wide_seek_before(ctx, cursor, key, &key, &value));
    assert_true(slice_is_null(key));
    wide_close(cursor);
    wide_cursor_free(cursor);
    OK(ctx, wide_delete(ctx, txn, TREE_ROWS, ID, slice_of(bytes, WIDE_BYTES_MAX)));
    OK(ctx, wide_reserve(ctx, txn, TREE_ROWS, ID, SLICE_LIT("abc"), 3, &room));
    memcpy(room, "xyz", 3);
    OK(ctx, wide_get(ctx, txn, TREE_ROWS, ID, SLICE_LIT("abc"), &value));
    assert_true(slice_eq_str(value, "xyz"));
    OK(ctx, txn_commit(ctx, &txn));
    assert_int_equal(tree_entries(&db), 1);
    database_close(&db);
    free(bytes);
}

static void layers_that_lead_in_a_circle_are_reported(void **state)
{
    uint8_t bytes[STORE_KEY_MAX], layer[8];
    struct database db;
    struct wide_cursor *cursor;
    struct slice key, value;
    struct txn *txn = NULL;
    uint64_t budget = UINT64_MAX;
    (void)state;

    database_open_memory(&db);
    struct ctx *ctx = &db.ctx;
    memset(bytes, 0x61, sizeof bytes);
    put_u64(bytes, ID);
    put_u64(layer, ID);
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    OK(ctx, store_put(ctx, txn, TREE_ROWS, slice_of(bytes, sizeof bytes), slice_of(layer, sizeof layer)));
    OK(ctx, wide_cursor_new(ctx, &cursor));
    OK(ctx, wide_open(ctx, cursor, txn, TREE_ROWS, ID));
    assert_int_equal(wide_seek(ctx, cursor, SLICE_EMPTY, &key, &value), WR_CORRUPT);
    assert_int_equal(wide_seek_before(ctx, cursor, SLICE_NULL, &key, &value), WR_CORRUPT);
    wide_close(cursor);
    assert_int_equal(wide_clear(ctx, txn, TREE_ROWS, ID, &budget), WR_CORRUPT);
    OK(ctx, store_put(ctx, txn, TREE_ROWS, slice_of(bytes, sizeof bytes), SLICE_LIT("short")));
    OK(ctx, wide_open(ctx, cursor, txn, TREE_ROWS, ID));
    assert_int_equal(wide_seek(ctx, cursor, SLICE_EMPTY, &key, &value), WR_CORRUPT);
    assert_int_equal(wide_get(ctx, txn, TREE_ROWS, ID, slice_of(bytes + 8, LAYER), &value), WR_CORRUPT);
    wide_cursor_free(cursor);
    txn_abort(&txn);
    database_close(&db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_lookup_and_seeks_as_if_keys_had_no_limit),
        cmocka_unit_test(clear_removes_layers_in_steps_and_nothing_else),
        cmocka_unit_test(a_sieve_leaves_what_is_in_layers),
        cmocka_unit_test(a_scan_goes_on_while_its_entries_are_removed),
        cmocka_unit_test(the_longest_key_fits_and_one_more_byte_does_not),
        cmocka_unit_test(layers_that_lead_in_a_circle_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
