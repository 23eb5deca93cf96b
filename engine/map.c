#include "engine/map.h"

#include <assert.h>
#include <errno.h>
#include <sys/mman.h>

#include "engine/keycache.h"
#include "engine/page.h"
#include "engine/pool.h"
#include "engine/readahead.h"

enum { GROW_WAIT_S = 3 }; /* how long growing the map waits for transactions to end */

enum wr_status map_enter(struct ctx *ctx, struct store *store, struct txn **pooled)
{
    pthread_mutex_lock(&store->gate.lock);
    while (store->gate.growing)
        pthread_cond_wait(&store->gate.changed, &store->gate.lock);
    bool lost = store->gate.map_lost;
    store->gate.active += !lost;
    if (pooled && !lost && (*pooled = store->pool.first)) {
        store->pool.first = (*pooled)->next;
        store->pool.count--;
    }
    pthread_mutex_unlock(&store->gate.lock);
    return lost ? fail_lmdb(ctx, MDB_PANIC) : WR_OK;
}

void map_leave_locked(struct store *store)
{
    assert(store->gate.active > 0);
    if (--store->gate.active == 0 && store->gate.growing)
        pthread_cond_broadcast(&store->gate.changed);
}

void map_leave(struct store *store)
{
    pthread_mutex_lock(&store->gate.lock);
    map_leave_locked(store);
    pthread_mutex_unlock(&store->gate.lock);
}

uint64_t map_bytes(const struct store *store)
{
    return atomic_load(&store->map_bytes);
}

static uint64_t real_bytes(MDB_env *env)
{
    MDB_envinfo info;
    mdb_env_info(env, &info);
    return info.me_mapsize;
}

uint64_t map_used_bytes(struct store *store)
{
    MDB_envinfo info;

    mdb_env_info(store->env, &info);
    return ((uint64_t)info.me_last_pgno + 1) * DATA_PAGE_BYTES;
}

bool map_has_room(uint64_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED)
        return false;
    munmap(at, bytes);
    return true;
}

uint64_t map_first_bytes(void)
{
    uint64_t bytes = MAP_BYTES_FIRST;

    while (bytes > MAP_BYTES_SMALL && !map_has_room(bytes * MAP_SHARE))
        bytes /= 2;
    while (bytes > MAP_BYTES_LEAST && !map_has_room(bytes * MAP_SHARE_SMALL))
        bytes /= 2;
    return bytes;
}

/* As much again, or what of that there is room for. */
static uint64_t room_for_more(uint64_t bytes)
{
    while (bytes > MAP_BYTES_SMALL / 4 && !map_has_room(bytes))
        bytes = bytes / 2 / MAP_BYTES_STEP * MAP_BYTES_STEP;
    return bytes;
}

void map_take_over(struct store *store)
{
    store->map_bytes = real_bytes(store->env);
}

int map_find(struct store *store)
{
    MDB_val name = val_of(slice_str(store_tree_name(TREE_ROWS))), value;
    int code = store->finder ? mdb_txn_renew(store->finder) : mdb_txn_begin(store->env, NULL, MDB_RDONLY, &store->finder);

    store->map_at = NULL;
    if (code)
        return code;
    code = mdb_get(store->finder, store->trees[TREE_META], &name, &value);
    if (!code)
        store->map_at = page_map_of(value.mv_data);
    mdb_txn_reset(store->finder);
    return code == MDB_NOTFOUND ? 0 : code;
}

/* Closes the gate and waits until nobody is inside; false: somebody stays, and the gate is open again. Called with the
 * gate's lock held and not growing. */
static bool close_gate(struct store *store)
{
    int64_t until = clock_monotonic_ns() + GROW_WAIT_S * INT64_C(1000000000);
    struct timespec at = { until / 1000000000, until % 1000000000 };

    store->gate.growing = true;
    pool_unpark_locked(store);
    while (store->gate.active > 0)
        if (pthread_cond_timedwait(&store->gate.changed, &store->gate.lock, &at) == ETIMEDOUT)
            break;
    if (store->gate.active == 0)
        return true;
    store->gate.growing = false;
    pthread_cond_broadcast(&store->gate.changed);
    return false;
}

static enum wr_status move_map(struct ctx *ctx, struct store *store, uint64_t bytes)
{
    if (store->gate.map_lost)
        return fail_lmdb(ctx, MDB_PANIC);
    if (!close_gate(store))
        return fail(ctx, WR_FULL,
                    "the database must grow its map, but transactions stay open; end them, or open the "
                    "database with a larger map_bytes");
    /* LMDB gives up the map it has before it asks for another, and where it gets none the environment can only be closed. So that is asked for before. */
    bool has_room = map_has_room(bytes - store->map_bytes);
    int code = has_room ? mdb_env_set_mapsize(store->env, bytes) : ENOMEM;
    if (!code) {
        store->map_bytes = real_bytes(store->env);
        code = map_find(store);
        readahead_begin(store);
        keycache_clear(&store->keycache);
    }
    store->gate.map_lost = has_room && code;
    store->gate.growing = false;
    pthread_cond_broadcast(&store->gate.changed);
    if (code == ENOMEM)
        return fail(ctx, WR_FULL, "no address space left to grow the database beyond %llu bytes",
                    (unsigned long long)store->map_bytes);
    return code ? fail_lmdb(ctx, code) : WR_OK;
}

enum wr_status map_grow(struct ctx *ctx, struct store *store, uint64_t seen_bytes)
{
    enum wr_status st = WR_OK;

    pthread_mutex_lock(&store->gate.lock);
    while (store->gate.growing)
        pthread_cond_wait(&store->gate.changed, &store->gate.lock);
    if (store->map_bytes > seen_bytes)
        ; /* another writer has done it */
    else if (store->full_at < seen_bytes)
        st = WR_FULL; /* it was not the map; the message stands */
    else if (store->map_bytes >= MAP_BYTES_MOST)
        st = fail(ctx, WR_FULL, "the database cannot grow beyond %llu bytes", (unsigned long long)store->map_bytes);
    else
        st = move_map(ctx, store, store->map_bytes + room_for_more(store->map_bytes));
    pthread_mutex_unlock(&store->gate.lock);
    return st;
}

enum wr_status map_follow(struct ctx *ctx, struct store *store)
{
    pthread_mutex_lock(&store->gate.lock);
    while (store->gate.growing)
        pthread_cond_wait(&store->gate.changed, &store->gate.lock);
    enum wr_status st = WR_OK;
    uint64_t bytes = store->map_bytes;
    while (!store->gate.map_lost && bytes < map_used_bytes(store))
        bytes *= 2;
    if (bytes > store->map_bytes || store->gate.map_lost)
        st = move_map(ctx, store, bytes);
    pthread_mutex_unlock(&store->gate.lock);
    return st;
}
