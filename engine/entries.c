#include <assert.h>

#include "engine/datafile.h"
#include "engine/keycache.h"
#include "engine/look.h"
#include "engine/readahead.h"

/* ---- one by its key ---- */

/* In a write, one that stays given back: what is put where it looked before needs no second way down, and what lies beside that none at all. */
static int standing_cursor(struct txn *txn, enum tree tree, MDB_cursor **out)
{
    if (!txn->idle_count[tree]) {
        MDB_cursor *cursor;
        int code = mdb_cursor_open(txn->handle, txn->store->trees[tree], &cursor);
        if (code)
            return code;
        environment_give_cursor(txn, tree, cursor);
    }
    *out = txn->idle[tree][txn->idle_count[tree] - 1];
    return 0;
}

/* In a read. */
static int get_here(struct txn *txn, enum tree tree, struct slice key, MDB_val *value)
{
    struct cursor c;
    MDB_val there;
    int code = look_open(txn, tree, &c);

    if (code)
        return code;
    code = look_at(&c, key, &there, value);
    look_close(&c);
    return code;
}

static int get_entry(struct txn *txn, enum tree tree, struct slice key, MDB_val *value)
{
    MDB_val k = val_of(key);
    MDB_cursor *cursor;

    if (tree_is_packed(tree))
        return pack_get(txn, tree, key, value);
    *value = (MDB_val){ 0 };
    if (!txn->write)
        return tree == TREE_META ? mdb_get(txn->handle, txn->store->trees[tree], &k, value) : get_here(txn, tree, key, value);
    int code = trust_way(txn, tree, key);
    if (!code)
        code = standing_cursor(txn, tree, &cursor);
    return code ? code : environment_look(cursor, &k, value, MDB_SET);
}

enum wr_status store_get(struct ctx *ctx, struct txn *txn, enum tree tree, struct slice key, struct slice *out)
{
    MDB_val v;
    bool wanted = false;

    TRY(fault(ctx));
    if (tree == TREE_PARTITIONS && !txn->write && keycache_get(txn, key, &v, &wanted)) {
        *out = slice_of_val(v);
        return WR_OK;
    }
    int code = get_entry(txn, tree, key, &v);
    if (code && code != MDB_NOTFOUND)
        return fail_txn(ctx, txn, code);
    if (!code)
        readahead_value(txn->store, v);
    if (!code && wanted)
        keycache_put(txn, key, v);
    *out = code ? SLICE_NULL : slice_of_val(v);
    return WR_OK;
}

enum wr_status store_get_some(struct ctx *ctx, struct txn *txn, enum tree tree, struct wanted_entry *wanted, uint32_t count)
{
    assert(tree_is_packed(tree) && count <= STORE_SOME);
    TRY(fault(ctx));
    int code = pack_get_some(txn, tree, wanted, count);
    return code ? fail_txn(ctx, txn, code) : WR_OK;
}

static int find_beginning(struct txn *txn, const uint8_t prefix[KEYCACHE_PREFIX], MDB_val *k, MDB_val *v)
{
    struct slice beginning = slice_of(prefix, KEYCACHE_PREFIX);
    struct cursor c;
    int code = look_open(txn, TREE_PARTITIONS, &c);

    if (code)
        return code;
    code = look_from(&c, beginning, k, v);
    look_close(&c);
    return code ? code : slice_has_prefix(slice_of_val(*k), beginning) ? 0 : MDB_NOTFOUND;
}

enum wr_status store_get_beginning(struct ctx *ctx, struct txn *txn, const uint8_t prefix[KEYCACHE_PREFIX], struct slice *key, struct slice *value)
{
    MDB_val k, v;
    bool wanted = false;

    TRY(fault(ctx));
    int code = !txn->write && keycache_get_beginning(txn, prefix, &k, &v, &wanted) ? 0 : find_beginning(txn, prefix, &k, &v);
    if (code && code != MDB_NOTFOUND)
        return fail_txn(ctx, txn, code);
    if (!code && wanted)
        keycache_put(txn, slice_of_val(k), v);
    *key = code ? SLICE_NULL : slice_of_val(k);
    *value = code ? SLICE_NULL : slice_of_val(v);
    return WR_OK;
}

bool store_expects(const struct store *store)
{
    return keycache_is_far(store);
}

uint64_t store_expect(const struct store *store, const uint8_t prefix[KEYCACHE_PREFIX])
{
    return keycache_expect(store, prefix);
}

void store_expect_place(const struct store *store, uint64_t hash)
{
    keycache_expect_place(store, hash);
}

static enum wr_status fail_long(struct ctx *ctx)
{
    return fail(ctx, WR_BUSY, "the write is too long to share its transaction");
}

/* What has come too far for others to wait for it is given up (store_is_long). */
static enum wr_status begin_change(struct ctx *ctx, struct txn *txn)
{
    struct journal *j = txn->journal;

    assert(txn->write && !txn->let_go);
    TRY(fault(ctx));
    txn->changes++;
    if (!j)
        return WR_OK;
    if (!j->changes_left)
        return fail_long(ctx);
    j->changes_left--;
    return WR_OK;
}

enum wr_status store_be_long(struct ctx *ctx, struct txn *txn)
{
    struct journal *j = txn->journal;

    if (!j || j->changes_left > UINT32_MAX) /* nobody waits */
        return WR_OK;
    j->changes_left = 0;
    return fail_long(ctx);
}

/* What the cursor stands at, before LMDB gives its pages up or writes into them. */
static int look_here(const struct txn *txn, MDB_cursor *cursor, MDB_val *key, MDB_val *value)
{
    int code = environment_look(cursor, key, value, MDB_GET_CURRENT);
    return code || value_is_sound(txn, *key, *value) ? code : MDB_CORRUPTED;
}

static int put_entry(struct txn *txn, enum tree tree, struct slice key, MDB_val *value, unsigned flags)
{
    MDB_val k = val_of(key), given = *value, there;
    MDB_cursor *cursor;

    if (tree_is_packed(tree))
        return pack_put(txn, tree, key, value, flags);
    int code = trust_way(txn, tree, key);
    if (!code)
        code = standing_cursor(txn, tree, &cursor);
    if (code)
        return code;
    own_count(txn->own, given.mv_size);
    code = mdb_cursor_put(cursor, &k, value, flags | MDB_NOOVERWRITE);
    if (code != MDB_KEYEXIST)
        return code;
    code = look_here(txn, cursor, &there, value);
    if (code || (flags & MDB_NOOVERWRITE))
        return code ? code : MDB_KEYEXIST;
    *value = given;
    return mdb_cursor_put(cursor, &k, value, flags | MDB_CURRENT);
}

static enum wr_status put(struct ctx *ctx, struct txn *txn, enum tree tree, struct slice key, MDB_val *value,
                          unsigned flags)
{
    TRY(begin_change(ctx, txn));
    txn->dirty = true;
    int code = put_entry(txn, tree, key, value, flags);
    return code ? fail_write(ctx, txn, code) : WR_OK;
}

enum wr_status store_put(struct ctx *ctx, struct txn *txn, enum tree tree, struct slice key, struct slice value)
{
    MDB_val v = val_of(value);
    if (txn->journal) { /* first: key and value may lie in pages that the put moves */
        journal_settle(txn->journal);
        journal_put(txn->journal, tree, key, value);
    }
    return put(ctx, txn, tree, key, &v, 0);
}

enum wr_status store_insert(struct ctx *ctx, struct txn *txn, enum tree tree, struct slice key, struct slice value, struct slice *there)
{
    MDB_val v = val_of(value);

    TRY(begin_change(ctx, txn));
    int code = put_entry(txn, tree, key, &v, MDB_NOOVERWRITE);
    *there = code == MDB_KEYEXIST ? slice_of_val(v) : SLICE_NULL;
    if (code == MDB_KEYEXIST)
        return WR_OK;
    txn->dirty = true;
    if (code)
        return fail_write(ctx, txn, code);
    if (txn->journal) {
        journal_settle(txn->journal);
        journal_put(txn->journal, tree, key, value);
    }
    return WR_OK;
}

enum wr_status store_reserve(struct ctx *ctx, struct txn *txn, enum tree tree, struct slice key, size_t len,
                             uint8_t **out)
{
    MDB_val v = { len, NULL };
    struct journal *j = txn->journal;

    if (j) {
        journal_settle(j);
        journal_reserve(j, tree, key, NULL, len);
    }
    TRY(put(ctx, txn, tree, key, &v, MDB_RESERVE));
    *out = v.mv_data;
    if (j)
        j->reserved = v.mv_data;
    return WR_OK;
}

static int delete_entry(struct txn *txn, enum tree tree, struct slice key)
{
    MDB_val there, value;
    MDB_cursor *cursor;

    if (tree_is_packed(tree))
        return pack_delete(txn, tree, key);
    int code = standing_cursor(txn, tree, &cursor);
    if (!code)
        code = get_entry(txn, tree, key, &value);
    if (!code)
        code = look_here(txn, cursor, &there, &value);
    if (!code)
        code = trust_around(txn, tree, key);
    if (code)
        return code;
    own_count(txn->own, 0);
    return mdb_cursor_del(cursor, 0);
}

enum wr_status store_delete(struct ctx *ctx, struct txn *txn, enum tree tree, struct slice key)
{
    TRY(begin_change(ctx, txn));
    if (txn->journal) {
        journal_settle(txn->journal);
        journal_delete(txn->journal, tree, key);
    }
    int code = delete_entry(txn, tree, key);
    if (code == MDB_NOTFOUND)
        return WR_OK;
    txn->dirty = true;
    return code ? fail_write(ctx, txn, code) : WR_OK;
}

enum wr_status store_sift(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t id, struct slice from, struct slice end, struct sieve *sieve)
{
    struct sift_place place = { .len = ID_BYTES + from.len };

    assert(tree_is_packed(tree) && place.len <= STORE_KEY_MAX);
    put_u64(place.key, id);
    if (from.len)
        memcpy(place.key + ID_BYTES, from.data, from.len);
    while (!place.done && sieve->most) {
        TRY(ctx_go_on(ctx));
        TRY(begin_change(ctx, txn));
        if (txn->journal)
            journal_settle(txn->journal);
        int code = pack_sift(txn, tree, end, sieve, &place);
        if (code)
            return fail_write(ctx, txn, code);
    }
    return WR_OK;
}

/* ---- marks ---- */

static const struct slice marks_key = { (const uint8_t *)"marks", 5 };

enum wr_status store_put_marks(struct ctx *ctx, struct txn *txn, const uint8_t marks[MARKS_BYTES])
{
    assert(txn->write && !txn->let_go);
    TRY(fault(ctx));
    if (txn->journal) {
        journal_settle(txn->journal);
        journal_put(txn->journal, TREE_META, SLICE_EMPTY, slice_of(marks, MARKS_BYTES));
    }
    memcpy(txn->marks, marks, MARKS_BYTES);
    txn->has_marks = true;
    return WR_OK;
}

enum wr_status store_get_marks(struct ctx *ctx, struct txn *txn, struct slice *out)
{
    return store_get(ctx, txn, TREE_META, marks_key, out);
}

int environment_put_marks(struct txn *txn)
{
    MDB_val k = val_of(marks_key), v = { sizeof txn->marks, txn->marks };
    return txn->has_marks ? mdb_put(txn->handle, txn->store->trees[TREE_META], &k, &v, 0) : 0;
}

/* ---- cursors ---- */

enum wr_status cursor_open(struct ctx *ctx, struct cursor *c, struct txn *txn, enum tree tree)
{
    assert(!c->txn);
    TRY(fault(ctx));
    int code = look_open(txn, tree, c);
    return code ? fail_txn(ctx, txn, code) : WR_OK;
}

void cursor_close(struct cursor *c)
{
    if (c->txn)
        look_close(c);
}

/* What a move gave: an entry, none, or a failure. */
static enum wr_status moved(struct ctx *ctx, struct cursor *c, int code, MDB_val k, MDB_val v, struct slice *key, struct slice *value)
{
    if (code && code != MDB_NOTFOUND)
        return fail_txn(ctx, c->txn, code);
    *key = code ? SLICE_NULL : slice_of_val(k);
    *value = code ? SLICE_NULL : slice_of_val(v);
    return WR_OK;
}

/* The same of one that goes on by one, or from an end. */
static enum wr_status walked(struct ctx *ctx, struct cursor *c, int code, MDB_val k, MDB_val v, struct slice *key, struct slice *value)
{
    if (!code)
        readahead_walk(c, v);
    return moved(ctx, c, code, k, v, key, value);
}

static enum wr_status to_end(struct ctx *ctx, struct cursor *c, bool last, struct slice *key, struct slice *value)
{
    MDB_val k, v;

    TRY(may_move(ctx));
    int code = look_end(c, last, &k, &v);
    return walked(ctx, c, code, k, v, key, value);
}

static enum wr_status step(struct ctx *ctx, struct cursor *c, bool back, struct slice *key, struct slice *value)
{
    MDB_val k, v;

    TRY(may_move(ctx));
    int code = look_step(c, back, &k, &v);
    return walked(ctx, c, code, k, v, key, value);
}

enum wr_status cursor_seek(struct ctx *ctx, struct cursor *c, struct slice at, struct slice *key, struct slice *value)
{
    MDB_val k, v;

    if (at.len == 0)
        return to_end(ctx, c, false, key, value);
    TRY(may_move(ctx));
    int code = look_from(c, at, &k, &v);
    return moved(ctx, c, code, k, v, key, value);
}

enum wr_status cursor_seek_before(struct ctx *ctx, struct cursor *c, struct slice at, struct slice *key,
                                  struct slice *value)
{
    MDB_val k, v;

    if (slice_is_null(at))
        return to_end(ctx, c, true, key, value);
    if (at.len == 0) { /* nothing is */
        *key = *value = SLICE_NULL;
        return WR_OK;
    }
    TRY(may_move(ctx));
    int code = look_floor(c, at, FLOOR_BEFORE, &k, &v);
    return walked(ctx, c, code, k, v, key, value);
}

enum wr_status cursor_next(struct ctx *ctx, struct cursor *c, struct slice *key, struct slice *value)
{
    return step(ctx, c, false, key, value);
}

/* Nothing in the first leaf: many walks are short. */
static void expect_next(struct cursor *c, struct slice key, struct slice value)
{
    enum { AHEAD = 2 };
    const uintptr_t page = (uintptr_t)key.data / DATA_PAGE_BYTES;

    if (page != c->walked) {
        c->next_leaf = c->walked ? snapshot_next_leaf(&c->here) : NULL;
        c->walked = page;
        if (c->next_leaf)
            snapshot_fetch(c->next_leaf);
    }
    if (c->next_leaf)
        snapshot_expect(&c->here, AHEAD, c->next_leaf, key.len + value.len);
}

enum wr_status cursor_walk(struct ctx *ctx, struct cursor *c, struct slice *key, struct slice *value)
{
    TRY(cursor_next(ctx, c, key, value));
    if (!slice_is_null(*key) && !c->handle)
        expect_next(c, *key, *value);
    return WR_OK;
}

enum wr_status cursor_prev(struct ctx *ctx, struct cursor *c, struct slice *key, struct slice *value)
{
    return step(ctx, c, true, key, value);
}

enum wr_status cursor_delete(struct ctx *ctx, struct cursor *c)
{
    MDB_val k, v;

    TRY(begin_change(ctx, c->txn));
    int code = look_here(c->txn, c->handle, &k, &v);
    if (!code)
        code = trust_around(c->txn, c->tree, slice_of_val(k));
    if (code)
        return fail_txn(ctx, c->txn, code);
    if (c->txn->journal) {
        journal_settle(c->txn->journal);
        journal_delete(c->txn->journal, c->tree, slice_of_val(k));
    }
    c->txn->dirty = true;
    own_count(c->txn->own, 0);
    code = mdb_cursor_del(c->handle, 0);
    return code ? fail_write(ctx, c->txn, code) : WR_OK;
}

/* ---- doing again what a journal has ---- */

static enum wr_status do_again(struct ctx *ctx, struct txn *txn, const struct journal_entry *change)
{
    bool is_marks = change->tree == TREE_META && !change->key.len;

    if (change->tree >= TREE_COUNT || (is_marks && change->value.len != MARKS_BYTES))
        return fail_corrupt(ctx, "a change in the log");
    if (is_marks)
        return store_put_marks(ctx, txn, change->value.data);
    if (change->put)
        return store_put(ctx, txn, change->tree, change->key, change->value);
    return store_delete(ctx, txn, change->tree, change->key);
}

enum wr_status store_replay(struct ctx *ctx, struct txn *txn, struct slice changes)
{
    struct journal_entry change;
    bool failed;

    assert(!txn->journal);
    while (journal_next(&changes, &change, &failed))
        TRY(do_again(ctx, txn, &change));
    return failed ? fail_corrupt(ctx, "a change in the log") : WR_OK;
}
