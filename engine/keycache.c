#include "engine/keycache.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

/*
 * stamp: the snapshot's number (40 bits), the key's length (9), some of its hash (7), and a version (8) that is odd while the slot is written and
 * another each time. place: the value's length (16) and its address (48). The key's bytes end where the value begins, as LMDB lays nodes out: a
 * value they do not stand before (one on pages of its own) is not remembered.
 *
 * A key has its place in any slot of one line of the processor's: to look at four of them is to wait for memory once.
 */
struct keyslot {
    _Atomic uint64_t stamp, place;
};

enum {
    VERSION_BITS = 8,
    TAG_BITS = 7,
    KEY_LEN_BITS = 9,
    SNAPSHOT_SHIFT = VERSION_BITS + TAG_BITS + KEY_LEN_BITS,
    ADDRESS_BITS = 48,
    LINE_SLOTS = 4,
    SLOTS_FIRST = 1024,
    SLOTS_MANY = 1 << 16, /* from here on they lie in large pages, if the system has any: a look then is one miss, not two */
};
#define TABLE_BYTES (KEYCACHE_SLOTS_MOST * sizeof(struct keyslot))
#define VERSION_MASK ((UINT64_C(1) << VERSION_BITS) - 1)

static bool is_of_snapshot(uint64_t a, uint64_t b)
{
    return (a ^ b) >> SNAPSHOT_SHIFT == 0;
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

/* What the bits of a hash are for: the line (up to 20), the slot of it that is looked at first, the tag; and the highest for the sample. */
enum { LINE_SHIFT = 24, FIRST_SHIFT = 48, TAG_SHIFT = 51 };

static uint64_t stamp_of(uint64_t snapshot, size_t key_len, uint64_t hash)
{
    uint64_t tag = hash >> TAG_SHIFT & ((1 << TAG_BITS) - 1);
    return ((snapshot << KEY_LEN_BITS | key_len) << TAG_BITS | tag) << VERSION_BITS;
}

static struct keyslot *line_of(struct keycache *cache, uint64_t hash)
{
    uint32_t mask = atomic_load_explicit(&cache->mask, memory_order_relaxed);
    return &cache->slots[(hash >> LINE_SHIFT) & mask & ~(uint64_t)(LINE_SLOTS - 1)];
}

static unsigned first_of(uint64_t hash)
{
    return hash >> FIRST_SHIFT & (LINE_SLOTS - 1);
}

/* A look that finds nothing has waited for memory for nothing. So one key in 2^SAMPLE_BITS always takes part, and the others while at least
 * half of what was asked for those is found. */
enum { SAMPLE_BITS = 4, ASKED = 128 };

static bool is_sampled(uint64_t hash)
{
    return hash >> (64 - SAMPLE_BITS) == 0;
}

/* Several may count at once, and lose what others have counted. */
static void count_sampled(struct keycache *cache, bool met)
{
    uint32_t asked = atomic_load_explicit(&cache->asked, memory_order_relaxed) + 1;
    uint32_t all_met = atomic_load_explicit(&cache->met, memory_order_relaxed) + met;

    if (asked >= ASKED) {
        bool worth = all_met >= ASKED / 2;
        if (worth != atomic_load_explicit(&cache->worth, memory_order_relaxed))
            atomic_store_explicit(&cache->worth, worth, memory_order_relaxed);
        asked = all_met = 0;
    }
    atomic_store_explicit(&cache->asked, asked, memory_order_relaxed);
    atomic_store_explicit(&cache->met, all_met, memory_order_relaxed);
}

/* Of a sixteenth as many fillings as there are slots an eighth took another key's of their snapshot: there are twice as many slots from now on. What
 * had half of those stays where it is found. */
static void count_filled(struct keycache *cache, bool lost)
{
    uint32_t mask = atomic_load_explicit(&cache->mask, memory_order_relaxed);

    cache->lost += lost;
    if (++cache->filled <= mask / 16)
        return;
    if (cache->lost > mask / 128 && mask < KEYCACHE_SLOTS_MOST - 1) {
        atomic_store_explicit(&cache->mask, mask * 2 + 1, memory_order_relaxed);
        if (mask + 1 == SLOTS_MANY)
            (void)madvise(cache->slots, TABLE_BYTES, MADV_HUGEPAGE);
    }
    cache->filled = cache->lost = 0;
}

/* ---- slots ---- */

static bool slot_read(struct keyslot *slot, uint64_t stamp, struct slice key, MDB_val *out)
{
    uint64_t place = atomic_load_explicit(&slot->place, memory_order_acquire);

    if (stamp & 1 || atomic_load_explicit(&slot->stamp, memory_order_relaxed) != stamp)
        return false;
    const uint8_t *value = (const uint8_t *)(uintptr_t)(place & ((UINT64_C(1) << ADDRESS_BITS) - 1));
    *out = (MDB_val){ place >> ADDRESS_BITS, (void *)value };
    return memcmp(value - key.len, key.data, key.len) == 0;
}

static bool find(struct keyslot *line, unsigned first, uint64_t expected, struct slice key, MDB_val *out)
{
    for (unsigned i = 0; i < LINE_SLOTS; i++) {
        struct keyslot *slot = &line[(first + i) % LINE_SLOTS];
        uint64_t stamp = atomic_load_explicit(&slot->stamp, memory_order_acquire);
        if ((stamp & ~VERSION_MASK) == expected && slot_read(slot, stamp, key, out))
            return true;
    }
    return false;
}

bool keycache_get(struct txn *txn, struct slice key, MDB_val *out, bool *wanted)
{
    struct keycache *cache = &txn->store->keycache;
    uint32_t searches = atomic_load_explicit(&cache->searches, memory_order_relaxed);

    *wanted = false;
    if (searches < KEYCACHE_AFTER) {
        atomic_store_explicit(&cache->searches, searches + (cache->slots != NULL), memory_order_relaxed);
        return false;
    }
    uint64_t hash = hash_of(key);
    bool sampled = is_sampled(hash);
    if (!sampled && !atomic_load_explicit(&cache->worth, memory_order_relaxed))
        return false;
    *wanted = !find(line_of(cache, hash), first_of(hash), stamp_of(txn->snapshot, key.len, hash), key, out);
    if (sampled)
        count_sampled(cache, !*wanted);
    return !*wanted;
}

/* A slot that no key of the snapshot has, or the first one. */
static struct keyslot *find_room(struct keyslot *line, unsigned first, uint64_t stamp, bool *full)
{
    *full = false;
    for (unsigned i = 0; i < LINE_SLOTS; i++) {
        struct keyslot *slot = &line[(first + i) % LINE_SLOTS];
        if (!is_of_snapshot(atomic_load_explicit(&slot->stamp, memory_order_relaxed), stamp))
            return slot;
    }
    *full = true;
    return &line[first % LINE_SLOTS];
}

void keycache_put(const struct txn *txn, struct slice key, MDB_val value)
{
    struct keycache *cache = &txn->store->keycache;
    const uint8_t *bytes = value.mv_data;
    uint64_t address = (uintptr_t)bytes, hash = hash_of(key), stamp = stamp_of(txn->snapshot, key.len, hash);
    bool full;

    if (value.mv_size > UINT16_MAX || address >> ADDRESS_BITS || memcmp(bytes - key.len, key.data, key.len) != 0)
        return;
    if (atomic_exchange_explicit(&cache->filling, true, memory_order_acquire)) /* another search may */
        return;
    struct keyslot *slot = find_room(line_of(cache, hash), first_of(hash), stamp, &full);
    uint64_t version = atomic_load_explicit(&slot->stamp, memory_order_relaxed);
    atomic_store_explicit(&slot->stamp, (version + 1) & VERSION_MASK, memory_order_relaxed);
    atomic_store_explicit(&slot->place, (uint64_t)value.mv_size << ADDRESS_BITS | address, memory_order_release);
    atomic_store_explicit(&slot->stamp, stamp | ((version + 2) & VERSION_MASK), memory_order_release);
    count_filled(cache, full);
    atomic_store_explicit(&cache->filling, false, memory_order_release);
}
