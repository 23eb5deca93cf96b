/* Answers engine/pack.h and engine/chunk.h promise by promise, against a sorted array. */
#include "tests/engine/entries.h"

#include "engine/own.h"
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

static void a_last_chunk_is_known_until_the_end_or_until_pages_may_have_moved(void **state)
{
    static struct own own;
    uint8_t one[1], other[1];
    (void)state;

    own_note_last(&own, 7, one);
    assert_ptr_equal(own_last(&own, 7), one);
    assert_null(own_last(&own, 7 + OWN_CHUNKS));
    own_note_last(&own, 7 + OWN_CHUNKS, NULL); /* which has not been known */
    assert_ptr_equal(own_last(&own, 7), one);
    own_note_last(&own, 7 + OWN_CHUNKS, other);
    assert_null(own_last(&own, 7));
    own_note_last(&own, 7 + OWN_CHUNKS, NULL);
    assert_null(own_last(&own, 7 + OWN_CHUNKS));

    own_note_last(&own, 7, one);
    for (int i = 0; i < OWN_PAGES_MOST / OWN_PAGES_A_CHANGE; i++)
        own_count(&own, 0);
    assert_ptr_equal(own_last(&own, 7), one);
    own_count(&own, 0);
    assert_null(own_last(&own, 7));
    own_clear(&own);
    assert_null(own_last(&own, 7));
    assert_int_equal(own.changes, 0);
}

/* ---- chunks that are changed, one by one ---- */

enum { ONE_ID = 7, SMALL = 100 };

static struct slice piece_key(uint8_t key[12], int n) /* below 0: the id alone, which its first chunk begins with */
{
    put_u64(key, ONE_ID);
    if (n >= 0)
        put_u32(key + 8, (uint32_t)n);
    return slice_of(key, n < 0 ? 8 : 12);
}

static void put_piece(struct ctx *ctx, struct txn *txn, int n, size_t len)
{
    static uint8_t value[CHUNK_BYTES];
    uint8_t key[12];

    memset(value, n, len);
    OK(ctx, store_put(ctx, txn, TREE_ROWS, piece_key(key, n), slice_of(value, len)));
}

/* Each from `from` on and before `to` once, of that length; but for one, `other`, of another. */
static void assert_pieces(struct ctx *ctx, struct txn *txn, int from, int to, int other, size_t other_len)
{
    struct pack_cursor c = { 0 };
    struct packed at;
    uint8_t key[12];

    OK(ctx, pack_open(ctx, &c, txn, TREE_ROWS));
    OK(ctx, pack_seek(ctx, &c, piece_key(key, -1), &at));
    for (int n = from; n < to; n++) {
        assert_int_equal(at.id, ONE_ID);
        assert_true(slice_eq(at.piece, slice_skip(piece_key(key, n), 8)));
        assert_int_equal(at.value.len, n == other ? other_len : SMALL);
        assert_true(at.value.data[0] == (uint8_t)n);
        OK(ctx, pack_next(ctx, &c, &at));
    }
    assert_int_equal(at.id, 0);
    pack_close(&c);
}

/* The first entry of the only chunk grows until that has no room: what comes behind all belongs to another chunk then. */
static void what_begins_a_chunk_grows_out_of_it(void **state)
{
    struct database db;
    struct ctx *ctx = &db.ctx;
    struct txn *txn = NULL;
    uint8_t elsewhere[8];
    (void)state;

    put_u64(elsewhere, ONE_ID - 1);
    database_open_memory(&db);
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    for (int n = -1; n < 30; n++)
        put_piece(ctx, txn, n, SMALL);
    OK(ctx, store_put(ctx, txn, TREE_ROWS, slice_of(elsewhere, sizeof elsewhere), SLICE_EMPTY)); /* so that the chunk is looked for anew */
    put_piece(ctx, txn, -1, 2000);
    for (int n = 30; n < 50; n++)
        put_piece(ctx, txn, n, SMALL);
    assert_pieces(ctx, txn, -1, 50, -1, 2000);
    OK(ctx, txn_commit(ctx, &txn));
    OK(ctx, txn_begin_read(ctx, db.engine, &txn));
    assert_pieces(ctx, txn, -1, 50, -1, 2000);
    txn_abort(&txn);
    database_close(&db);
}

/* The last entry of a chunk that another transaction has filled grows: it is in a chunk of its own, and not where it was any more. */
static void what_ends_a_chunk_grows_out_of_it(void **state)
{
    struct database db;
    struct ctx *ctx = &db.ctx;
    struct txn *txn = NULL;
    (void)state;

    for (int last = 20; last < 60; last++) {
        database_open_memory(&db);
        OK(ctx, txn_begin_write(ctx, db.engine, &txn));
        for (int n = 0; n <= last; n++)
            put_piece(ctx, txn, n, SMALL);
        OK(ctx, txn_commit(ctx, &txn));
        OK(ctx, txn_begin_write(ctx, db.engine, &txn));
        put_piece(ctx, txn, last, 3000);
        assert_pieces(ctx, txn, 0, last + 1, last, 3000);
        OK(ctx, txn_commit(ctx, &txn));
        database_close(&db);
    }
}

static bool every_one_goes(void *arg, struct slice value)
{
    (void)arg, (void)value;
    return true;
}

/* In the transaction that has written them, and knows where the last of them lay. */
static void behind_those_that_are_sifted_others_come(void **state)
{
    struct database db;
    struct ctx *ctx = &db.ctx;
    struct txn *txn = NULL;
    (void)state;

    for (int count = 1; count < 100; count += 7) {
        struct sieve sieve = { every_one_goes, NULL, UINT64_MAX, 0 };
        database_open_memory(&db);
        OK(ctx, txn_begin_write(ctx, db.engine, &txn));
        for (int n = 0; n < 100; n++)
            put_piece(ctx, txn, n, SMALL);
        sieve.most = (uint64_t)count;
        OK(ctx, store_sift(ctx, txn, TREE_ROWS, ONE_ID, SLICE_EMPTY, SLICE_NULL, &sieve));
        assert_int_equal(sieve.gone, count);
        for (int n = 100; n < 150; n++)
            put_piece(ctx, txn, n, SMALL);
        assert_pieces(ctx, txn, count, 150, -1, 0);
        sieve.most = UINT64_MAX;
        OK(ctx, store_sift(ctx, txn, TREE_ROWS, ONE_ID, SLICE_EMPTY, SLICE_NULL, &sieve));
        for (int n = 150; n < 250; n++)
            put_piece(ctx, txn, n, SMALL);
        assert_pieces(ctx, txn, 150, 250, -1, 0);
        OK(ctx, txn_commit(ctx, &txn));
        database_close(&db);
    }
}

/* A cursor whose entry has gone goes on with what is behind that, also if it is another id's that looks like it. */
static void behind_what_has_gone_comes_the_next(void **state)
{
    struct pack_cursor c = { 0 };
    struct packed at;
    struct database db;
    struct ctx *ctx = &db.ctx;
    struct txn *txn = NULL;
    uint8_t keys[3][12];
    (void)state;

    database_open_memory(&db);
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    for (int i = 0; i < 3; i++) {
        put_u64(keys[i], ONE_ID + (uint64_t)i);
        put_u32(keys[i] + 8, SMALL);
        OK(ctx, store_put(ctx, txn, TREE_ROWS, slice_of(keys[i], 12), slice_str("value")));
    }
    OK(ctx, pack_open(ctx, &c, txn, TREE_ROWS));
    OK(ctx, pack_seek(ctx, &c, slice_of(keys[0], 12), &at));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(at.id, ONE_ID + i);
        OK(ctx, pack_remove(ctx, &c));
        OK(ctx, pack_next(ctx, &c, &at));
    }
    assert_int_equal(at.id, 0);
    pack_close(&c);
    OK(ctx, txn_commit(ctx, &txn));
    database_close(&db);
}

static bool none_goes(void *arg, struct slice value)
{
    (void)arg, (void)value;
    return false;
}

/* In the first chunk that there is, these places lead to where another does. */
static void mislead(struct database *db, uint32_t from, uint32_t to, uint32_t like)
{
    struct ctx *ctx = &db->ctx;
    struct cursor c = { 0 };
    struct txn *txn = NULL;
    struct slice key, chunk;
    uint8_t place[CHUNK_PLACE];

    OK(ctx, txn_begin_read(ctx, db->engine, &txn));
    OK(ctx, cursor_open(ctx, &c, txn, TREE_ROWS));
    OK(ctx, cursor_seek(ctx, &c, SLICE_EMPTY, &key, &chunk));
    cursor_close(&c);
    memcpy(place, chunk.data + CHUNK_HEAD + like * CHUNK_PLACE, sizeof place);
    for (uint32_t i = from; i < to; i++)
        overwrite(txn, chunk.data + CHUNK_HEAD + i * CHUNK_PLACE, place, sizeof place);
    txn_abort(&txn);
}

/* The last entry of a damaged chunk says that it is the first: who sifts would come to the chunk again and again. */
static void a_chunk_that_leads_back_is_damaged(void **state)
{
    enum { COUNT = 10 };
    struct sieve sieve = { none_goes, NULL, UINT64_MAX, 0 };
    struct database db;
    struct ctx *ctx = &db.ctx;
    struct txn *txn = NULL;
    (void)state;

    database_open_memory(&db);
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    for (int n = 0; n < COUNT; n++)
        put_piece(ctx, txn, n, SMALL);
    OK(ctx, txn_commit(ctx, &txn));
    mislead(&db, COUNT - 1, COUNT, 0);
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    assert_int_equal(store_sift(ctx, txn, TREE_ROWS, ONE_ID, SLICE_EMPTY, SLICE_NULL, &sieve), WR_CORRUPT);
    txn_abort(&txn);
    database_close(&db);
}

/* All of its entries are a large one: laid out anew they would be more chunks than sound ones can become. */
static void a_chunk_of_more_than_it_holds_is_damaged(void **state)
{
    enum { COUNT = 20, LARGE = 3000 };
    struct database db;
    struct ctx *ctx = &db.ctx;
    struct txn *txn = NULL;
    uint8_t key[12], value[LARGE] = { 0 };
    (void)state;

    database_open_memory(&db);
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    put_piece(ctx, txn, 0, LARGE);
    for (int n = 1; n < COUNT; n++)
        put_piece(ctx, txn, n, 20);
    OK(ctx, txn_commit(ctx, &txn));
    mislead(&db, 1, COUNT, 0);
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    assert_int_equal(store_put(ctx, txn, TREE_ROWS, piece_key(key, COUNT / 2), slice_of(value, sizeof value)), WR_CORRUPT);
    txn_abort(&txn);
    database_close(&db);
}

/* What may lead to a layer of longer keys is for who looks at it by itself. */
static void a_run_ends_before_a_key_as_long_as_can_be(void **state)
{
    static const size_t lens[] = { 1, CHUNK_KEY_MAX - 1, CHUNK_KEY_MAX, CHUNK_KEY_MAX - 1, 1 };
    enum { COUNT = sizeof lens / sizeof *lens };
    uint8_t bytes[CHUNK_BYTES], key[CHUNK_KEY_MAX], *room;
    struct slice keys[COUNT], values[COUNT];
    struct chunk c;
    (void)state;

    chunk_init(bytes, sizeof bytes);
    for (uint32_t i = 0; i < COUNT; i++) {
        memset(key, 'a' + (int)i, sizeof key);
        assert_true(chunk_insert(bytes, sizeof bytes, i, slice_of(key, lens[i]), 8, &room));
        memset(room, 0, 8);
    }
    assert_true(chunk_open(slice_of(bytes, sizeof bytes), &c));
    assert_int_equal(chunk_run(&c, 0, false, COUNT, keys, values), 1);
    assert_int_equal(chunk_run(&c, COUNT - 1, true, COUNT, keys, values), 1);
    assert_int_equal(chunk_run(&c, 1, false, COUNT, keys, values), 0);
    assert_int_equal(chunk_run(&c, 2, false, COUNT, keys, values), 2);
}

static void a_large_chunk_has_one_entry(void **state)
{
    uint8_t bytes[CHUNK_BYTES + SMALL], *room;
    (void)state;

    chunk_init(bytes, sizeof bytes);
    assert_true(chunk_insert(bytes, sizeof bytes, 0, slice_str("a"), SMALL, &room));
    assert_false(chunk_insert(bytes, sizeof bytes, 1, slice_str("b"), SMALL, &room));
}

/* ---- the room it takes ---- */

enum { ROWS = 5000, ROW_BYTES = 100 };

static uint64_t bytes_of(struct database *db, uint32_t (*number)(uint32_t i))
{
    struct engine_figures figures;
    struct txn *txn = NULL;
    uint8_t key[12], value[ROW_BYTES] = { 1 };
    struct ctx *ctx = &db->ctx;

    OK(ctx, txn_begin_write(ctx, db->engine, &txn));
    for (uint32_t i = 0; i < ROWS; i++) {
        put_u64(key, FIRST_ID + i % 5); /* in turns, as rooms are written to */
        put_u32(key + 8, number(i / 5));
        OK(ctx, store_put(ctx, txn, TREE_ROWS, slice_of(key, sizeof key), slice_of(value, sizeof value)));
    }
    OK(ctx, txn_commit(ctx, &txn));
    OK(ctx, engine_figures(ctx, db->engine, &figures));
    return figures.used_bytes;
}

static uint32_t upwards(uint32_t i)
{
    return i;
}

static uint32_t downwards(uint32_t i)
{
    return UINT32_MAX - i;
}

static uint32_t in_no_order(uint32_t i)
{
    return i * 2654435761u;
}

static void what_comes_in_order_leaves_full_chunks(void **state)
{
    uint32_t (*const orders[])(uint32_t) = { upwards, downwards, in_no_order };
    const double most[] = { 1.1, 1.1, 1.7 }; /* times the rows' own bytes */
    (void)state;

    for (int i = 0; i < 3; i++) {
        struct database db;
        database_open_memory(&db);
        uint64_t bytes = bytes_of(&db, orders[i]);
        database_close(&db);
        assert_true((double)bytes < most[i] * ROWS * (ROW_BYTES + 4 + 5) + 20 * 4096);
    }
}

/* ---- damaged bytes ---- */

/* An entry that is changed again and again, each time to another length, takes no more room than it has. */
static void what_is_removed_leaves_no_gap(void **state)
{
    enum { ENTRIES = 20, CHANGES = 2000 };
    uint8_t bytes[CHUNK_BYTES], *room;
    size_t lens[ENTRIES], all = CHUNK_HEAD;
    struct slice key = SLICE_EMPTY, value = SLICE_EMPTY;
    uint64_t seed = 5;
    struct chunk c;
    (void)state;

    chunk_init(bytes, sizeof bytes);
    for (uint32_t i = 0; i < ENTRIES; i++) {
        lens[i] = 150;
        assert_true(chunk_insert(bytes, sizeof bytes, i, slice_of(&(uint8_t){ (uint8_t)i }, 1), lens[i], &room));
        memset(room, (int)i, lens[i]);
        all += chunk_entry_bytes(1, lens[i]);
    }
    for (uint32_t n = 0; n < CHANGES; n++) {
        uint32_t at = random_below(&seed, ENTRIES);
        all -= chunk_entry_bytes(1, lens[at]);
        chunk_remove(bytes, sizeof bytes, at);
        lens[at] = 140 + random_below(&seed, 20);
        assert_true(chunk_insert(bytes, sizeof bytes, at, slice_of(&(uint8_t){ (uint8_t)at }, 1), lens[at], &room));
        memset(room, (int)at, lens[at]);
        all += chunk_entry_bytes(1, lens[at]);
        assert_true(chunk_open(slice_of(bytes, sizeof bytes), &c));
        assert_int_equal(chunk_full_bytes(&c), all);
        for (uint32_t i = 0; i < ENTRIES; i++) {
            assert_true(chunk_entry(&c, i, &key, &value));
            assert_true(key.data[0] == i && value.len == lens[i] && value.data[0] == i && value.data[value.len - 1] == i);
        }
    }
}

static void damaged_chunks_are_told_and_never_left(void **state)
{
    uint64_t seed = 99;
    uint64_t sound = 0;
    (void)state;

    for (int round = 0; round < 20000; round++) {
        size_t len = round % 3 ? 20 + random_below(&seed, 300) : random_below(&seed, 20);
        uint8_t *bytes = malloc(len ? len : 1), *room; /* exactly, so that the sanitizer sees a step beyond */
        uint8_t key[20];
        assert_non_null(bytes);
        if (round % 3) {
            chunk_init(bytes, len);
            bool fits = true;
            for (uint8_t i = 0; i < 10 && fits; i++) {
                memset(key, 'a' + i, sizeof key);
                fits = chunk_insert(bytes, len, i, slice_of(key, random_below(&seed, sizeof key)), random_below(&seed, 20), &room);
            }
        } else {
            for (size_t i = 0; i < len; i++)
                bytes[i] = (uint8_t)random_below(&seed, 256);
        }
        for (uint64_t n = random_below(&seed, 4); n > 0 && len; n--)
            bytes[random_below(&seed, len)] = (uint8_t)random_below(&seed, 256);
        struct chunk c;
        struct slice k = SLICE_NULL, v = SLICE_NULL;
        uint32_t at;
        bool exact;
        if (chunk_open(slice_of(bytes, len), &c)) {
            uint64_t seen = 0;
            for (uint32_t i = 0; i < c.count; i++)
                if (chunk_entry(&c, i, &k, &v)) {
                    assert_true(k.data >= bytes && v.data + v.len <= bytes + len);
                    seen++;
                }
            memset(key, 'c', sizeof key);
            if (chunk_find(&c, slice_of(key, 3), &at, &exact)) {
                assert_true(at <= c.count);
                if (chunk_insert(bytes, len, at, slice_of(key, 3), 5, &room))
                    memset(room, 0, 5);
            }
            for (uint32_t i = 0; i < c.count; i++) {
                struct slice keys[4], values[4];
                bool back = random_below(&seed, 2);
                uint32_t run = chunk_run(&c, i, back, 4, keys, values);
                for (uint32_t n = 1; n <= 4; n++) {
                    uint32_t next = back ? i - n : i + n;
                    assert_int_equal(n <= run, n <= run + 1 && next < c.count && chunk_entry(&c, next, &k, &v));
                    assert_true(n > run || (slice_eq(keys[n - 1], k) && slice_eq(values[n - 1], v)));
                }
            }
            sound += seen == c.count;
        }
        free(bytes);
    }
    assert_true(sound > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_as_in_any_tree),
        cmocka_unit_test(an_aborted_transaction_leaves_chunks_as_they_were),
        cmocka_unit_test(a_last_chunk_is_known_until_the_end_or_until_pages_may_have_moved),
        cmocka_unit_test(what_begins_a_chunk_grows_out_of_it),
        cmocka_unit_test(what_ends_a_chunk_grows_out_of_it),
        cmocka_unit_test(behind_those_that_are_sifted_others_come),
        cmocka_unit_test(behind_what_has_gone_comes_the_next),
        cmocka_unit_test(a_chunk_that_leads_back_is_damaged),
        cmocka_unit_test(a_chunk_of_more_than_it_holds_is_damaged),
        cmocka_unit_test(a_run_ends_before_a_key_as_long_as_can_be),
        cmocka_unit_test(a_large_chunk_has_one_entry),
        cmocka_unit_test(what_comes_in_order_leaves_full_chunks),
        cmocka_unit_test(what_is_removed_leaves_no_gap),
        cmocka_unit_test(damaged_chunks_are_told_and_never_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
