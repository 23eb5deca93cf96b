/* Answers engine/pack.h promise by promise, against a sorted array. */
#include "tests/engine/entries.h"

#include "engine/pack.h"

enum { ENTRIES_MAX = 1200, KEY_MAX = 60, VALUE_MAX = 9000, IDS = 3, CURSORS = 3 };
static const uint64_t FIRST_ID = 70;

/* ---- the naive copy ---- */

struct entry {
    uint8_t key[8 + KEY_MAX];
    size_t key_len, len;
    uint64_t seed; /* of the value's bytes */
};

struct model {
    struct entry entries[ENTRIES_MAX];
    size_t count;
};

static struct slice key_of(const struct entry *e)
{
    return slice_of(e->key, e->key_len);
}

/* The first entry not before the key. */
static size_t model_find(const struct model *m, struct slice key)
{
    size_t low = 0, high = m->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (slice_cmp(key_of(&m->entries[middle]), key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool model_has(const struct model *m, size_t i, struct slice key)
{
    return i < m->count && slice_eq(key_of(&m->entries[i]), key);
}

static void model_put(struct model *m, const struct entry *e)
{
    size_t i = model_find(m, key_of(e));
    if (!model_has(m, i, key_of(e)))
        memmove(&m->entries[i + 1], &m->entries[i], (m->count++ - i) * sizeof *m->entries);
    m->entries[i] = *e;
}

static void model_delete(struct model *m, size_t i)
{
    m->count--;
    memmove(&m->entries[i], &m->entries[i + 1], (m->count - i) * sizeof *m->entries);
}

static void fill_value(const struct entry *e, uint8_t *to)
{
    for (size_t i = 0; i < e->len; i++)
        to[i] = (uint8_t)(e->seed >> i % 7 * 8 ^ i);
}

static struct slice value_of(const struct entry *e)
{
    static uint8_t bytes[VALUE_MAX];
    fill_value(e, bytes);
    return slice_of(bytes, e->len);
}

/* Of few different bytes, so that keys are met again; most values as rows are, some larger than a chunk. */
static struct entry random_entry(uint64_t *seed)
{
    static const size_t sizes[] = { 10, 200, 200, 200, 1500, 5000, VALUE_MAX };
    struct entry e = { .key_len = 8 + random_below(seed, 5) * random_below(seed, KEY_MAX / 4), .seed = *seed };

    put_u64(e.key, FIRST_ID + random_below(seed, IDS));
    for (size_t i = 8; i < e.key_len; i++)
        e.key[i] = (uint8_t)(random_below(seed, 8) ? 'a' : 'b' + random_below(seed, 3));
    size_t most = random_below(seed, 20) ? sizes[random_below(seed, 4)] : sizes[random_below(seed, sizeof sizes / sizeof *sizes)];
    e.len = random_below(seed, most);
    return e;
}

/* ---- comparing ---- */

static void assert_at(const struct model *m, size_t i, bool there, const struct packed *at)
{
    assert_int_equal(at->id != 0, there);
    if (!there)
        return;
    const struct entry *e = &m->entries[i];
    assert_int_equal(at->id, read_u64(e->key));
    assert_true(slice_eq(at->piece, slice_skip(key_of(e), 8)));
    assert_true(slice_eq(at->value, value_of(e)));
}

static void assert_same(struct ctx *ctx, struct txn *txn, const struct model *m)
{
    static const uint8_t first[8], last[] = { 255, 255, 255, 255, 255, 255, 255, 255 };
    struct pack_cursor c = { 0 };
    struct packed at;

    OK(ctx, pack_open(ctx, &c, txn, TREE_ROWS));
    OK(ctx, pack_seek(ctx, &c, slice_of(first, 8), &at));
    for (size_t i = 0; i < m->count; i++) {
        assert_at(m, i, true, &at);
        OK(ctx, pack_next(ctx, &c, &at));
    }
    assert_at(m, 0, false, &at);
    OK(ctx, pack_seek_before(ctx, &c, slice_of(last, 8), &at));
    for (size_t i = m->count; i-- > 0;) {
        assert_at(m, i, true, &at);
        OK(ctx, pack_prev(ctx, &c, &at));
    }
    assert_at(m, 0, false, &at);
    pack_close(&c);
}

static void assert_seeks(struct ctx *ctx, struct txn *txn, const struct model *m, struct slice key)
{
    struct pack_cursor c = { 0 };
    struct packed at;
    struct slice value;
    size_t i = model_find(m, key);

    OK(ctx, pack_open(ctx, &c, txn, TREE_ROWS));
    OK(ctx, pack_seek_before(ctx, &c, key, &at));
    assert_at(m, i - 1, i > 0, &at);
    if (i > 0) {
        OK(ctx, pack_next(ctx, &c, &at));
        assert_at(m, i, i < m->count, &at);
    }
    OK(ctx, pack_seek(ctx, &c, key, &at));
    assert_at(m, i, i < m->count, &at);
    if (i < m->count) {
        OK(ctx, pack_prev(ctx, &c, &at));
        assert_at(m, i - 1, i > 0, &at);
    }
    pack_close(&c);
    OK(ctx, store_get(ctx, txn, TREE_ROWS, key, &value));
    assert_int_equal(!slice_is_null(value), model_has(m, i, key));
    if (model_has(m, i, key))
        assert_true(slice_eq(value, value_of(&m->entries[i])));
}

/* A cursor that looks ahead, be it that it turns round then. */
static void assert_looks_ahead(struct ctx *ctx, struct txn *txn, const struct model *m, uint64_t *seed)
{
    struct pack_cursor c = { 0 };
    struct packed at;

    OK(ctx, pack_open(ctx, &c, txn, TREE_ROWS));
    for (int walks = 0; walks < 20; walks++) {
        size_t i = random_below(seed, m->count);
        uint64_t turns = 1 + random_below(seed, 60);
        bool back = random_below(seed, 2);
        OK(ctx, pack_seek(ctx, &c, key_of(&m->entries[i]), &at));
        for (int steps = 0; steps < 200; steps++) {
            assert_at(m, i, true, &at);
            if (random_below(seed, 3) == 0)
                pack_look_ahead(&c, back ^ (random_below(seed, 8) == 0));
            if (random_below(seed, turns) == 0)
                back = !back;
            if (back ? i == 0 : i + 1 == m->count)
                break;
            i = back ? i - 1 : i + 1;
            OK(ctx, back ? pack_prev(ctx, &c, &at) : pack_next(ctx, &c, &at));
        }
    }
    /* At either end there is nothing to look at, and the cursor stays where it is. */
    for (int end = 0; end < 2; end++) {
        size_t i = end ? m->count - 1 : 0;
        OK(ctx, pack_seek(ctx, &c, key_of(&m->entries[i]), &at));
        pack_look_ahead(&c, !end);
        pack_look_ahead(&c, !end);
        OK(ctx, end ? pack_prev(ctx, &c, &at) : pack_next(ctx, &c, &at));
        assert_at(m, end ? i - 1 : i + 1, true, &at);
        OK(ctx, end ? pack_next(ctx, &c, &at) : pack_prev(ctx, &c, &at));
        assert_at(m, i, true, &at);
        pack_look_ahead(&c, !end);
        OK(ctx, end ? pack_next(ctx, &c, &at) : pack_prev(ctx, &c, &at));
        assert_at(m, i, false, &at);
    }
    pack_close(&c);
}

/* Some at once, of which some are there, some come twice and some are of an id that has none. */
static void assert_some(struct ctx *ctx, struct txn *txn, const struct model *m, uint64_t *seed)
{
    struct entry asked[STORE_SOME];
    struct wanted_entry wanted[STORE_SOME];
    uint32_t n = (uint32_t)random_below(seed, STORE_SOME + 1);

    for (uint32_t i = 0; i < n; i++) {
        asked[i] = m->count && random_below(seed, 2) ? m->entries[random_below(seed, m->count)] : random_entry(seed);
        if (i && random_below(seed, 8) == 0)
            asked[i] = asked[i - 1];
        if (random_below(seed, 8) == 0)
            put_u64(asked[i].key, FIRST_ID + random_below(seed, 3) * IDS - 1);
        wanted[i] = (struct wanted_entry){ .id = read_u64(asked[i].key), .piece = slice_skip(key_of(&asked[i]), 8) };
    }
    OK(ctx, store_get_some(ctx, txn, TREE_ROWS, wanted, n));
    for (uint32_t i = 0; i < n; i++) {
        size_t at = model_find(m, key_of(&asked[i]));
        if (model_has(m, at, key_of(&asked[i])))
            assert_true(slice_eq(wanted[i].value, value_of(&m->entries[at])));
        else
            assert_true(slice_is_null(wanted[i].value));
    }
}

static uint64_t tree_entries(struct database *db)
{
    struct engine_figures figures;
    OK(&db->ctx, engine_figures(&db->ctx, db->engine, &figures));
    return figures.entries;
}

/* ---- writing ---- */

static void write_one(struct ctx *ctx, struct txn *txn, struct model *m, uint64_t *seed, uint64_t deletes)
{
    struct entry e = random_entry(seed);
    size_t i = model_find(m, key_of(&e));
    bool had = model_has(m, i, key_of(&e)), inserted = true;
    struct slice there;
    uint8_t *room;

    if (random_below(seed, 10) < deletes || m->count == ENTRIES_MAX) {
        if (random_below(seed, 4) && m->count) {
            i = random_below(seed, m->count);
            had = true;
        }
        struct entry gone = had ? m->entries[i] : e;
        OK(ctx, store_delete(ctx, txn, TREE_ROWS, key_of(&gone)));
        if (had)
            model_delete(m, i);
        return;
    }
    if (had && random_below(seed, 3) == 0) /* of the length there was */
        e.len = m->entries[i].len;
    switch (random_below(seed, 3)) {
    case 0:
        OK(ctx, store_insert(ctx, txn, TREE_ROWS, key_of(&e), value_of(&e), &there));
        inserted = slice_is_null(there);
        assert_int_equal(inserted, !had);
        if (had)
            assert_true(slice_eq(there, value_of(&m->entries[i])));
        break;
    case 1:
        OK(ctx, store_reserve(ctx, txn, TREE_ROWS, key_of(&e), e.len, &room));
        fill_value(&e, room);
        break;
    default:
        OK(ctx, store_put(ctx, txn, TREE_ROWS, key_of(&e), value_of(&e)));
    }
    if (inserted)
        model_put(m, &e);
}

static bool goes(void *arg, struct slice value)
{
    return value.len % 4 < *(const uint64_t *)arg;
}

/* None, some or all of a range's, or of its first few. */
static void sift_some(struct ctx *ctx, struct txn *txn, struct model *m, uint64_t *seed)
{
    uint64_t share = random_below(seed, 5), most = random_below(seed, 3) ? 1000 : random_below(seed, 10), left = most, gone = 0;
    struct sieve sieve = { goes, &share, most, 0 };
    struct entry from = random_entry(seed), end = random_entry(seed);
    struct slice behind = random_below(seed, 3) ? slice_skip(key_of(&end), 8) : SLICE_NULL;

    OK(ctx, store_sift(ctx, txn, TREE_ROWS, read_u64(from.key), slice_skip(key_of(&from), 8), behind, &sieve));
    for (size_t i = model_find(m, key_of(&from)); i < m->count && left; left--) {
        const struct entry *e = &m->entries[i];
        bool within = read_u64(e->key) == read_u64(from.key) && (slice_is_null(behind) || slice_cmp(slice_skip(key_of(e), 8), behind) < 0);
        if (!within)
            break;
        if (e->len % 4 < share) {
            model_delete(m, i);
            gone++;
        } else {
            i++;
        }
    }
    assert_int_equal(sieve.most, left);
    assert_int_equal(sieve.gone, gone);
}

/* A cursor that stays open while the tree is written to, and the key it gave last. */
struct follower {
    struct pack_cursor cursor;
    struct entry at;
};

static void begin(struct ctx *ctx, struct txn *txn, const struct model *m, struct follower *f, uint64_t *seed)
{
    struct packed at;
    f->at = random_entry(seed);
    size_t i = model_find(m, key_of(&f->at));
    OK(ctx, pack_seek(ctx, &f->cursor, key_of(&f->at), &at));
    assert_at(m, i, i < m->count, &at);
    if (i < m->count)
        f->at = m->entries[i];
    else
        f->at.key_len = 0;
    (void)txn;
}

static void follow(struct ctx *ctx, struct txn *txn, const struct model *m, struct follower *f, uint64_t *seed)
{
    struct packed at;

    if (!f->at.key_len || random_below(seed, 30) == 0) {
        begin(ctx, txn, m, f, seed);
        return;
    }
    size_t i = model_find(m, key_of(&f->at));
    bool next = random_below(seed, 2);
    OK(ctx, next ? pack_next(ctx, &f->cursor, &at) : pack_prev(ctx, &f->cursor, &at));
    i = next ? i + model_has(m, i, key_of(&f->at)) : i - 1;
    assert_at(m, i, i < m->count, &at);
    if (i < m->count)
        f->at = m->entries[i];
    else
        f->at.key_len = 0;
}

static void entries_are_as_in_any_tree(void **state)
{
    static struct model model;
    static struct follower followers[CURSORS];
    struct database db;
    struct txn *txn = NULL;
    uint64_t seed = 20261122;
    (void)state;

    database_open_memory(&db);
    struct ctx *ctx = &db.ctx;
    for (int round = 0; round < 40; round++) {
        uint64_t deletes = round % 8 < 5 ? 2 : 8; /* it grows, and shrinks */
        OK(ctx, txn_begin_write(ctx, db.engine, &txn));
        for (int i = 0; i < CURSORS; i++) {
            OK(ctx, pack_open(ctx, &followers[i].cursor, txn, TREE_ROWS));
            begin(ctx, txn, &model, &followers[i], &seed);
        }
        for (int n = 0; n < 250; n++) {
            write_one(ctx, txn, &model, &seed, model.count < 150 ? 0 : deletes);
            if (model.count > 200 && random_below(&seed, 50) == 0)
                sift_some(ctx, txn, &model, &seed);
            for (uint64_t moves = random_below(&seed, 3); moves > 0; moves--)
                follow(ctx, txn, &model, &followers[random_below(&seed, CURSORS)], &seed);
            struct entry any = random_entry(&seed);
            assert_seeks(ctx, txn, &model, key_of(&any));
            if (n % 10 == 0)
                assert_some(ctx, txn, &model, &seed);
        }
        assert_same(ctx, txn, &model);
        for (int i = 0; i < CURSORS; i++)
            pack_close(&followers[i].cursor);
        OK(ctx, txn_commit(ctx, &txn));
        OK(ctx, txn_begin_read(ctx, db.engine, &txn));
        assert_same(ctx, txn, &model);
        assert_looks_ahead(ctx, txn, &model, &seed);
        for (int n = 0; n < 100; n++) {
            struct entry any = random_entry(&seed);
            assert_seeks(ctx, txn, &model, key_of(&any));
            assert_some(ctx, txn, &model, &seed);
        }
        txn_abort(&txn);
    }
    assert_true(model.count > 100);
    /* 1. Nothing is left of what has been removed. */
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    while (model.count) {
        size_t i = random_below(&seed, model.count);
        OK(ctx, store_delete(ctx, txn, TREE_ROWS, key_of(&model.entries[i])));
        model_delete(&model, i);
    }
    assert_same(ctx, txn, &model);
    OK(ctx, txn_commit(ctx, &txn));
    assert_int_equal(tree_entries(&db), 0);
    database_close(&db);
}

static void an_aborted_transaction_leaves_chunks_as_they_were(void **state)
{
    static struct model model, before;
    struct database db;
    struct txn *txn = NULL;
    struct pack_cursor c = { 0 };
    struct packed at;
    uint64_t seed = 7;
    (void)state;

    database_open_memory(&db);
    struct ctx *ctx = &db.ctx;
    for (int round = 0; round < 30; round++) {
        OK(ctx, txn_begin_write(ctx, db.engine, &txn));
        for (int n = 0; n < 60; n++)
            write_one(ctx, txn, &model, &seed, 3);
        OK(ctx, txn_commit(ctx, &txn));
        before = model;
        OK(ctx, txn_begin_write(ctx, db.engine, &txn));
        for (int n = 0; n < 60; n++)
            write_one(ctx, txn, &model, &seed, 5);
        OK(ctx, pack_open(ctx, &c, txn, TREE_ROWS));
        OK(ctx, pack_seek(ctx, &c, key_of(&model.entries[0]), &at));
        assert_at(&model, 0, true, &at);
        pack_close(&c);
        if (round % 2) {
            txn_abort(&txn);
            model = before;
        } else {
            OK(ctx, txn_commit(ctx, &txn));
        }
        OK(ctx, txn_begin_write(ctx, db.engine, &txn));
        assert_same(ctx, txn, &model);
        txn_abort(&txn);
    }
    database_close(&db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_as_in_any_tree),
        cmocka_unit_test(an_aborted_transaction_leaves_chunks_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
