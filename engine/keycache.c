#include "engine/keycache.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

/*
 * stamp: the snapshot's number (40 bits), the key's length (9), and a version (15) that is odd while the slot is written and another
 * each time. place: the value's length (16) and its address (48). The key's bytes end where the value begins, as LMDB lays nodes out: a
 * value they do not stand before (one on pages of its own) is not remembered.
 */
struct keyslot {
    _Atomic uint64_t stamp, place;
};

enum {
    VERSION_BITS = 15,
    KEY_LEN_BITS = 9,
    ADDRESS_BITS = 48,
    SLOTS_FIRST = 1024,
    SLOTS_MANY = 1 << 16, /* from here on they lie in large pages, if the system has any: a look then is one miss, not two */
};
#define TABLE_BYTES (KEYCACHE_SLOTS_MOST * sizeof(struct keyslot))
#define VERSION_MASK ((UINT64_C(1) << VERSION_BITS) - 1)

static uint64_t stamp_of(uint64_t snapshot, size_t key_len)
{
    return (snapshot << KEY_LEN_BITS | key_len) << VERSION_BITS;
}

static bool is_of_snapshot(uint64_t a, uint64_t b)
{
    return (a ^ b) >> (KEY_LEN_BITS + VERSION_BITS) == 0;
}

void keycache_open(struct keycache *cache)
{
    void *slots = mmap(NULL, TABLE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    cache->slots = slots == MAP_FAILED ? NULL : slots;
    cache->mask = SLOTS_FIRST - 1;
}

void keycache_close(struct keycache *cache)
{
    if (cache->slots)
        munmap(cache->slots, TABLE_BYTES);
    cache->slots = NULL;
}

void keycache_clear(struct keycache *cache)
{
    for (uint32_t i = 0; cache->slots && i <= atomic_load(&cache->mask); i++)
        atomic_store_explicit(&cache->slots[i].stamp, 0, memory_order_relaxed);
}

void keycache_take(struct keycache *cache, struct txn *txn)
{
    txn->remembers = cache->slots && !atomic_load_explicit(&cache->taken, memory_order_acquire); /* without it no search counts */
    if (txn->remembers)
        atomic_store_explicit(&cache->taken, true, memory_order_relaxed);
}

void keycache_let(struct txn *txn)
{
    if (txn->remembers)
        atomic_store_explicit(&txn->store->keycache.taken, false, memory_order_release);
    txn->remembers = false;
}

void keycache_begin(struct txn *txn)
{
    struct keycache *cache = &txn->store->keycache;

    txn->snapshot = mdb_txn_id(txn->handle);
    if (atomic_load_explicit(&cache->snapshot, memory_order_relaxed) == txn->snapshot)
        return;
    atomic_store_explicit(&cache->snapshot, txn->snapshot, memory_order_relaxed);
    atomic_store_explicit(&cache->searches, 0, memory_order_relaxed);
}

/* Token and table tell keys apart well enough; the key itself is compared. */
static uint64_t hash_of(struct slice key)
{
    const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t table, token;

    assert(key.len >= sizeof table + sizeof token);
    memcpy(&table, key.data, sizeof table);
    memcpy(&token, key.data + sizeof table, sizeof token);
    return ((table * odd) ^ token) * odd;
}

/* A look that finds nothing has waited for memory for nothing. So one key in 2^SAMPLE_BITS always takes part, and the others while at least
 * half of what was asked for those is found. */
enum { SAMPLE_BITS = 4, ASKED = 128 };

static bool is_sampled(uint64_t hash)
{
    return hash >> (64 - SAMPLE_BITS) == 0;
}

static void count_sampled(struct keycache *cache, bool met)
{
    cache->met += met;
    if (++cache->asked < ASKED)
        return;
    atomic_store_explicit(&cache->worth, cache->met >= ASKED / 2, memory_order_relaxed);
    cache->met = cache->asked = 0;
}

/* Of as many looks as there are slots an eighth met another key of their snapshot there: there are twice as many from now on. What had half
 * of those stays where it is found. */
static void count_look(struct keycache *cache, bool lost)
{
    uint32_t mask = atomic_load_explicit(&cache->mask, memory_order_relaxed);

    cache->lost += lost;
    if (++cache->looks <= mask)
        return;
    if (cache->lost > mask / 8 && mask < KEYCACHE_SLOTS_MOST - 1) {
        atomic_store_explicit(&cache->mask, mask * 2 + 1, memory_order_relaxed);
        if (mask + 1 == SLOTS_MANY)
            (void)madvise(cache->slots, TABLE_BYTES, MADV_HUGEPAGE);
    }
    cache->looks = cache->lost = 0;
}

/* ---- slots ---- */

static bool slot_read(struct keyslot *slot, uint64_t stamp, uint64_t expected, struct slice key, MDB_val *out)
{
    uint64_t place = atomic_load_explicit(&slot->place, memory_order_acquire);

    if ((stamp & ~VERSION_MASK) != expected || stamp & 1 || atomic_load_explicit(&slot->stamp, memory_order_relaxed) != stamp)
        return false;
    const uint8_t *value = (const uint8_t *)(uintptr_t)(place & ((UINT64_C(1) << ADDRESS_BITS) - 1));
    *out = (MDB_val){ place >> ADDRESS_BITS, (void *)value };
    return memcmp(value - key.len, key.data, key.len) == 0;
}

bool keycache_get(struct txn *txn, struct slice key, MDB_val *out, struct keyslot **room)
{
    struct keycache *cache = &txn->store->keycache;
    uint32_t searches = atomic_load_explicit(&cache->searches, memory_order_relaxed);

    *room = NULL;
    if (searches < KEYCACHE_AFTER) {
        if (txn->remembers)
            atomic_store_explicit(&cache->searches, searches + 1, memory_order_relaxed);
        return false;
    }
    uint64_t hash = hash_of(key);
    bool sampled = is_sampled(hash);
    if (!sampled && !atomic_load_explicit(&cache->worth, memory_order_relaxed))
        return false;
    struct keyslot *slot = &cache->slots[(hash >> 32) & atomic_load_explicit(&cache->mask, memory_order_relaxed)];
    uint64_t stamp = atomic_load_explicit(&slot->stamp, memory_order_acquire), expected = stamp_of(txn->snapshot, key.len);
    bool known = slot_read(slot, stamp, expected, key, out);
    if (!txn->remembers)
        return known;
    count_look(cache, !known && is_of_snapshot(stamp, expected));
    if (sampled)
        count_sampled(cache, known);
    *room = known ? NULL : slot;
    return known;
}

void keycache_put(const struct txn *txn, struct keyslot *slot, struct slice key, MDB_val value)
{
    const uint8_t *bytes = value.mv_data;
    uint64_t address = (uintptr_t)bytes, version = atomic_load_explicit(&slot->stamp, memory_order_relaxed);

    if (value.mv_size > UINT16_MAX || address >> ADDRESS_BITS || memcmp(bytes - key.len, key.data, key.len) != 0)
        return;
    atomic_store_explicit(&slot->stamp, (version + 1) & VERSION_MASK, memory_order_relaxed);
    atomic_store_explicit(&slot->place, (uint64_t)value.mv_size << ADDRESS_BITS | address, memory_order_release);
    atomic_store_explicit(&slot->stamp, stamp_of(txn->snapshot, key.len) | ((version + 2) & VERSION_MASK), memory_order_release);
}
