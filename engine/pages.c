#include "engine/pages.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "engine/environment.h"
#include "engine/map.h"
#include "engine/pool.h"

/* The meta page of a snapshot lies where its number's parity says, until the commit after the next; writers are
 * stopped. */
static int read_meta(struct store *store, uint64_t commit_id, uint8_t meta[META_BYTES])
{
    ssize_t n = pread(store_fd(store), meta, META_BYTES, (off_t)((commit_id & 1) * DATA_PAGE_BYTES));
    return n == META_BYTES ? 0 : n < 0 ? errno : EIO;
}

enum wr_status pages_pin(struct ctx *ctx, struct store *store, struct pin *out)
{
    int i = store->pins[0].used;
    MDB_txn *handle = store->pins[i].handle;

    assert(!store->pins[i].used);
    TRY(fault(ctx));
    int code = mdb_txn_renew(handle);
    if (code)
        return fail_lmdb(ctx, code);
    out->commit_id = mdb_txn_id(handle);
    code = read_meta(store, out->commit_id, out->meta);
    if (code) {
        mdb_txn_reset(handle);
        return fail_lmdb(ctx, code);
    }
    store->pins[i].used = true;
    out->store = store;
    out->slot = i;
    pool_clear_dead(store);
    return WR_OK;
}

void pages_unpin(struct pin *pin)
{
    struct store *store = pin->store;

    if (!store)
        return;
    mdb_txn_reset(store->pins[pin->slot].handle);
    store->pins[pin->slot].used = false;
    pin->store = NULL;
}

/* ---- the free list: LMDB's tree 0, by transaction how many pages it gave up, and then which ---- */

static uint64_t pages_in(MDB_val entry)
{
    return page_u64(entry.mv_data);
}

static bool each_in(MDB_val entry, bool (*each)(void *arg, uint64_t page), void *arg)
{
    const uint8_t *numbers = entry.mv_data;
    const uint64_t pages = pages_in(entry);

    for (uint64_t i = 1; i <= pages && (i + 1) * sizeof i <= entry.mv_size; i++)
        if (!each(arg, page_u64(numbers + i * sizeof i)))
            return false;
    return true;
}

static int walk_free(MDB_txn *txn, uint64_t after, bool (*each)(void *arg, uint64_t page), void *arg)
{
    size_t id = after + 1;
    MDB_val k = { sizeof id, &id }, v;
    MDB_cursor *cursor;
    int code = mdb_cursor_open(txn, 0, &cursor);

    if (code)
        return code;
    code = environment_look(cursor, &k, &v, MDB_SET_RANGE);
    while (!code)
        code = each_in(v, each, arg) ? environment_look(cursor, &k, &v, MDB_NEXT) : ENOMEM;
    mdb_cursor_close(cursor);
    return code == MDB_NOTFOUND ? 0 : code;
}

enum wr_status pages_each_free(struct ctx *ctx, const struct pin *pin, uint64_t after,
                               bool (*each)(void *arg, uint64_t page), void *arg)
{
    TRY(fault(ctx));
    TRY(map_enter(ctx, pin->store, NULL));
    int code = walk_free(pin->store->pins[pin->slot].handle, after, each, arg);
    map_leave(pin->store);
    return code ? fail_lmdb(ctx, code) : WR_OK;
}

/* ---- a snapshot as a whole ---- */

/* A snapshot and its meta page. While others commit that page may be gone already. */
static enum wr_status hold_snapshot(struct ctx *ctx, struct store *store, MDB_txn **out, uint8_t meta[META_BYTES])
{
    enum { TRIES = 100 };
    struct meta is;
    int code = 0;

    for (int i = 0; i < TRIES; i++) {
        TRY(map_enter(ctx, store, NULL)); /* a transaction begins with a look at it */
        code = mdb_txn_begin(store->env, NULL, MDB_RDONLY, out);
        map_leave(store);
        if (code == MDB_MAP_RESIZED) {
            TRY(map_follow(ctx, store));
            continue;
        }
        if (code == MDB_READERS_FULL) {
            pool_make_room(store);
            continue;
        }
        if (code)
            return fail_lmdb(ctx, code);
        code = read_meta(store, mdb_txn_id(*out), meta);
        if (!code && meta_decode(meta, &is) && is.commit_id == mdb_txn_id(*out))
            return WR_OK;
        mdb_txn_abort(*out);
        *out = NULL;
    }
    return code ? fail_lmdb(ctx, code) : fail_corrupt(ctx, "the meta pages");
}

enum wr_status pages_check(struct ctx *ctx, struct store *store, const struct pages_first *first, struct findings *findings)
{
    const uint64_t before = findings->count;
    uint8_t meta[META_BYTES];
    MDB_txn *snapshot = NULL;

    TRY(hold_snapshot(ctx, store, &snapshot, meta));
    enum wr_status st = pagecheck(ctx, store_fd(store), meta, first, findings);
    findings->unreadable |= findings->count != before;
    mdb_txn_abort(snapshot);
    return st;
}

static void keep_text(void *arg, const char *finding)
{
    snprintf(arg, ERROR_TEXT_MAX, "%s", finding);
}

enum wr_status pages_check_first(struct ctx *ctx, struct store *store, const struct pages_first *first)
{
    char text[ERROR_TEXT_MAX];
    struct findings findings = { .report = keep_text, .arg = text };

    TRY(pages_check(ctx, store, first, &findings));
    return findings.count ? fail(ctx, WR_CORRUPT, "the database is damaged: %s", text) : WR_OK;
}

/* Over a damaged page LMDB's copying may go on for ever, or end the process. What is committed meanwhile is made of pages that have been looked at. */
enum wr_status pages_copy(struct ctx *ctx, struct store *store, int fd)
{
    TRY(pages_check_first(ctx, store, NULL));
    TRY(map_enter(ctx, store, NULL));
    int code = mdb_env_copyfd2(store->env, fd, MDB_CP_COMPACT);
    map_leave(store);
    return code ? fail_lmdb(ctx, code) : WR_OK;
}

static int count_free(MDB_txn *txn, uint64_t oldest, uint64_t enough, uint64_t *out)
{
    MDB_cursor *cursor;
    MDB_val k, v;
    int code = mdb_cursor_open(txn, 0, &cursor);

    if (code)
        return code;
    while (*out < enough && (code = environment_look(cursor, &k, &v, MDB_NEXT)) == 0)
        *out += page_u64(k.mv_data) < oldest ? pages_in(v) : 0;
    mdb_cursor_close(cursor);
    return code == MDB_NOTFOUND ? 0 : code;
}

/* A write may not look at that tree. The finder is nobody's as long as the map stays where it is, which it does for a write. */
enum wr_status pages_free(struct ctx *ctx, struct store *store, uint64_t oldest, uint64_t enough, uint64_t *out)
{
    int code = mdb_txn_renew(store->finder);

    *out = 0;
    if (!code) {
        code = count_free(store->finder, oldest, enough, out);
        mdb_txn_reset(store->finder);
    }
    return code ? fail_lmdb(ctx, code) : WR_OK;
}

enum wr_status pages_given_up(struct ctx *ctx, struct store *store, uint64_t commit_id, uint64_t *bytes)
{
    size_t id = commit_id;
    uint64_t pages = 0;
    MDB_val k = { sizeof id, &id }, v;
    MDB_cursor *cursor;
    struct txn *txn = NULL;

    TRY(store_begin_read(ctx, store, &txn));
    int code = mdb_cursor_open(txn->handle, 0, &cursor);
    if (!code) {
        code = environment_look(cursor, &k, &v, MDB_SET);
        if (!code)
            pages = pages_in(v);
        mdb_cursor_close(cursor);
    }
    enum wr_status st = code && code != MDB_NOTFOUND ? fail_txn(ctx, txn, code) : WR_OK;
    txn_abort(&txn);
    *bytes = pages * DATA_PAGE_BYTES;
    return st;
}

enum wr_status pages_figures(struct ctx *ctx, struct txn *txn, uint64_t oldest, struct page_figures *out)
{
    MDB_stat stat;
    int code;

    *out = (struct page_figures){ 0 };
    code = count_free(txn->handle, oldest, UINT64_MAX, &out->pages_free);
    out->commit_id = mdb_txn_id(txn->handle);
    for (int tree = 0; !code && tree < TREE_COUNT; tree++) {
        code = mdb_stat(txn->handle, txn->store->trees[tree], &stat);
        out->entries += tree == TREE_META ? 0 : stat.ms_entries;
        out->pages_used += stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages;
    }
    return code ? fail_txn(ctx, txn, code) : WR_OK;
}
