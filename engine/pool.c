#include "engine/pool.h"

#include <errno.h>

#include "engine/keycache.h"
#include "engine/map.h"

enum { POOL_MAX = 64 }; /* kept beside those parked; each holds one of READERS_MAX slots */

void pool_drop(struct txn *txn)
{
    environment_close_cursors(txn);
    if (txn->handle)
        mdb_txn_abort(txn->handle);
    mem_free(txn);
}

/* Ends it. */
static void retire_locked(struct txn *txn)
{
    struct store *store = txn->store;

    if (store->pool.count < POOL_MAX) {
        mdb_txn_reset(txn->handle);
        txn->next = store->pool.first;
        store->pool.first = txn;
        store->pool.count++;
    } else {
        pool_drop(txn);
    }
    map_leave_locked(store);
}

static void retire(struct txn *txn)
{
    struct store *store = txn->store;

    pthread_mutex_lock(&store->gate.lock);
    retire_locked(txn);
    pthread_mutex_unlock(&store->gate.lock);
}

/* ---- parking ---- */

static _Atomic(struct txn *) *place_of_thread(struct store *store)
{
    uint64_t hash = (uint64_t)(uintptr_t)pthread_self() * UINT64_C(0x9E3779B97F4A7C15);
    return &store->pool.parked[hash >> (64 - PARKED_BITS)].txn;
}

static bool may_be_parked(const struct txn *txn)
{
    return txn->snapshot == atomic_load(&txn->store->newest) && !atomic_load(&txn->store->gate.growing);
}

struct txn *pool_take(struct store *store)
{
    struct txn *txn = atomic_exchange(place_of_thread(store), NULL);

    if (txn && !may_be_parked(txn)) {
        retire(txn);
        txn = NULL;
    }
    return txn;
}

void pool_give(struct txn *txn)
{
    struct txn *none = NULL;
    struct store *store = txn->store;
    _Atomic(struct txn *) *place = place_of_thread(store);
    uint64_t snapshot = txn->snapshot; /* once it is parked, it is another's */

    if (may_be_parked(txn) && atomic_compare_exchange_strong(place, &none, txn)) {
        /* Who shows a newer snapshot, or moves the map, says so first and then looks at the places: he has found it, or this sees that. */
        if (snapshot == atomic_load(&store->newest) && !atomic_load(&store->gate.growing))
            return;
        txn = atomic_exchange(place, NULL);
    }
    if (txn)
        retire(txn);
}

void pool_unpark_locked(struct store *store)
{
    for (int i = 0; i < PARKED; i++) {
        struct txn *txn = atomic_load(&store->pool.parked[i].txn);
        if (txn && (txn = atomic_exchange(&store->pool.parked[i].txn, NULL)))
            retire_locked(txn);
    }
}

static void unpark(struct store *store)
{
    pthread_mutex_lock(&store->gate.lock);
    pool_unpark_locked(store);
    pthread_mutex_unlock(&store->gate.lock);
}

void pool_clear_dead(struct store *store)
{
    int dead;
    mdb_reader_check(store->env, &dead);
}

void pool_make_room(struct store *store)
{
    unpark(store);
    pool_clear_dead(store);
}

void pool_show(struct store *store, uint64_t snapshot)
{
    if (snapshot <= atomic_load(&store->newest))
        return;
    pthread_mutex_lock(&store->gate.lock);
    if (snapshot > store->newest) {
        store->newest = snapshot;
        pool_unpark_locked(store);
    }
    pthread_mutex_unlock(&store->gate.lock);
}

/* ---- beginning, and the end ---- */

int pool_begin(struct store *store, struct txn *pooled, struct txn **out)
{
    struct txn *txn = pooled ? pooled : mem_alloc(sizeof *txn);

    if (!txn)
        return ENOMEM;
    txn->store = store;
    int code = txn->handle ? mdb_txn_renew(txn->handle) : mdb_txn_begin(store->env, NULL, MDB_RDONLY, &txn->handle);
    if (code) {
        pool_drop(txn);
        return code;
    }
    memset(txn->trees, 0, sizeof txn->trees);
    keycache_begin(txn);
    pool_show(store, txn->snapshot);
    *out = txn;
    return 0;
}

void pool_free(struct store *store)
{
    unpark(store);
    for (struct txn *txn = store->pool.first, *next; txn; txn = next) {
        next = txn->next;
        pool_drop(txn);
    }
}
