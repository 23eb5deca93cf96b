#include "engine/keycache.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/datafile.h"
#include "engine/page.h"

/*
 * A place: where the entry's node lies (38 bits), some of the snapshot's number (18) and some of the key's hash (8); 0: none. It is one word, so nobody sees a
 * half of it. The node is LMDB's, an even number of bytes from the base, which lies as far before the first one that was put as others may lie behind it. It
 * begins with its lengths, and the key stands before the value: one that is laid out otherwise (its value on pages of its own) is not remembered.
 *
 * Places of snapshots whose numbers differ by a multiple of 2^18 look alike, so all are forgotten when the rest of the number, the epoch, changes.
 *
 * A key has its place in any slot of one line of the processor's: to look at eight of them is to wait for memory once.
 */
struct keyslot {
    _Atomic uint64_t place;
};

enum {
    TAG_BITS = 8,
    SNAPSHOT_BITS = 18,
    MARK_BITS = TAG_BITS + SNAPSHOT_BITS,
    PLACE_BITS = 64 - MARK_BITS,
    LINE_SLOTS = 8,
    SLOTS_FIRST = 2048,
    SLOTS_FAR = 1 << 15,  /* fewer, and what they lead to, are mostly in the processor's caches */
    SLOTS_MANY = 1 << 17, /* from here on they lie in large pages, if the system has any: a look then is one miss, not two */
};
#define TABLE_BYTES (KEYCACHE_SLOTS_MOST * sizeof(struct keyslot))
#define MARK_MASK ((UINT64_C(1) << MARK_BITS) - 1)
#define REACH (UINT64_C(1) << PLACE_BITS) /* bytes to either side */

static bool is_of_snapshot(uint64_t place, uint64_t mark)
{
    return place && (place & MARK_MASK) >> TAG_BITS == mark >> TAG_BITS;
}

static uint64_t epoch_of(uint64_t snapshot)
{
    return snapshot >> SNAPSHOT_BITS;
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

/* All slots are 0, and their memory is the system's. */
static void forget(struct keycache *cache)
{
    if (cache->slots)
        (void)madvise(cache->slots, TABLE_BYTES, MADV_DONTNEED);
}

void keycache_clear(struct keycache *cache)
{
    forget(cache);
    atomic_store_explicit(&cache->base, 0, memory_order_relaxed);
}

static bool begin_filling(struct keycache *cache)
{
    return !atomic_exchange_explicit(&cache->filling, true, memory_order_acquire);
}

static void end_filling(struct keycache *cache)
{
    atomic_store_explicit(&cache->filling, false, memory_order_release);
}

/* Who still reads in the epoch before finds nothing any more (keycache_get looks at it once more behind the slot). */
static void begin_epoch(struct keycache *cache, uint64_t epoch)
{
    if (!begin_filling(cache))
        return; /* a later read begins it */
    if (atomic_load_explicit(&cache->epoch, memory_order_relaxed) < epoch) {
        forget(cache);
        atomic_store_explicit(&cache->epoch, epoch, memory_order_release);
    }
    end_filling(cache);
}

void keycache_begin(struct txn *txn)
{
    struct keycache *cache = &txn->store->keycache;

    txn->snapshot = mdb_txn_id(txn->handle);
    if (atomic_load_explicit(&cache->snapshot, memory_order_relaxed) == txn->snapshot)
        return;
    if (atomic_load_explicit(&cache->epoch, memory_order_relaxed) < epoch_of(txn->snapshot))
        begin_epoch(cache, epoch_of(txn->snapshot));
    atomic_store_explicit(&cache->snapshot, txn->snapshot, memory_order_relaxed);
    atomic_store_explicit(&cache->searches, 0, memory_order_relaxed);
    atomic_store_explicit(&cache->sampled, 0, memory_order_relaxed);
    atomic_store_explicit(&cache->known, 0, memory_order_relaxed);
}

/* Token and table tell keys apart well enough; the key itself is compared. */
static uint64_t hash_of(const uint8_t prefix[KEYCACHE_PREFIX])
{
    const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t table, token;

    memcpy(&table, prefix, sizeof table);
    memcpy(&token, prefix + sizeof table, sizeof token);
    return ((table * odd) ^ token) * odd;
}

/* What the bits of a hash are for: the line (up to 21), the slot of it that is looked at first, the tag; and the highest for the sample. */
enum { LINE_SHIFT = 24, FIRST_SHIFT = 48, TAG_SHIFT = 51 };

static uint64_t mark_of(uint64_t snapshot, uint64_t hash)
{
    return (snapshot << TAG_BITS & MARK_MASK) | (hash >> TAG_SHIFT & ((1 << TAG_BITS) - 1));
}

static struct keyslot *line_of(const struct keycache *cache, uint64_t hash)
{
    uint32_t mask = atomic_load_explicit(&cache->mask, memory_order_relaxed);
    return &cache->slots[(hash >> LINE_SHIFT) & mask & ~(uint64_t)(LINE_SLOTS - 1)];
}

static unsigned first_of(uint64_t hash)
{
    return hash >> FIRST_SHIFT & (LINE_SLOTS - 1);
}

/*
 * A look that finds nothing has waited for memory for nothing. So one key in 2^SAMPLE_BITS always takes part, and the others once half of what was asked for
 * those is found, which tells, too, how many keys there are. Then they have as many reads as there are slots to find their own places, and go on while at least
 * half is found.
 */
enum { SAMPLE_BITS = 4, ASKED = 128 };

static bool is_sampled(uint64_t hash)
{
    return hash >> (64 - SAMPLE_BITS) == 0;
}

/* There are as many slots from now on, or as there may be. What of its line's number had those bits stays where it is found. */
static void widen(struct keycache *cache, uint64_t slots)
{
    uint32_t before = atomic_load_explicit(&cache->mask, memory_order_relaxed), mask = before;

    while ((uint64_t)mask + 1 < slots && mask < KEYCACHE_SLOTS_MOST - 1)
        mask = mask * 2 + 1;
    atomic_store_explicit(&cache->mask, mask, memory_order_relaxed);
    if (before < SLOTS_MANY && mask >= SLOTS_MANY)
        (void)madvise(cache->slots, TABLE_BYTES, MADV_HUGEPAGE);
}

/* All keys are to take part, so many by the sample; false: there are too many. */
static bool make_room(struct keycache *cache, uint64_t keys)
{
    if (keys > 2 * KEYCACHE_SLOTS_MOST)
        return false;
    if (begin_filling(cache)) { /* else count_filled does it, step by step */
        widen(cache, 2 * keys);
        end_filling(cache);
    }
    return true;
}

/* Several may count at once, and lose what others have counted. */
static void count_sampled(struct keycache *cache, bool met)
{
    uint32_t asked = atomic_load_explicit(&cache->asked, memory_order_relaxed) + 1;
    uint32_t all_met = atomic_load_explicit(&cache->met, memory_order_relaxed) + met;
    bool worth = atomic_load_explicit(&cache->worth, memory_order_relaxed);
    uint32_t enough = worth ? (atomic_load_explicit(&cache->mask, memory_order_relaxed) >> SAMPLE_BITS) + 1 : ASKED;

    if (asked >= enough) {
        uint64_t known = (uint64_t)atomic_load_explicit(&cache->known, memory_order_relaxed) << SAMPLE_BITS;
        if (worth ? all_met < asked / 2 : all_met >= asked / 2 && make_room(cache, known * asked / all_met))
            atomic_store_explicit(&cache->worth, !worth, memory_order_relaxed);
        asked = all_met = 0;
    }
    atomic_store_explicit(&cache->asked, asked, memory_order_relaxed);
    atomic_store_explicit(&cache->met, all_met, memory_order_relaxed);
    atomic_store_explicit(&cache->sampled, atomic_load_explicit(&cache->sampled, memory_order_relaxed) + 1, memory_order_relaxed);
}

/* A snapshot has been asked for an eighth of the keys or more: it may be for as many again, which pays for putting all of them (decisions.md). */
static bool is_long_read(const struct keycache *cache)
{
    return atomic_load_explicit(&cache->worth, memory_order_relaxed) &&
           atomic_load_explicit(&cache->sampled, memory_order_relaxed) > atomic_load_explicit(&cache->mask, memory_order_relaxed) >> (SAMPLE_BITS + 4);
}

/* Of a sixteenth as many fillings as there are slots an eighth took another key's of their snapshot: there are twice as many slots from now on. */
static void count_filled(struct keycache *cache, bool lost)
{
    uint32_t mask = atomic_load_explicit(&cache->mask, memory_order_relaxed);

    cache->lost += lost;
    if (++cache->filled <= mask / 16)
        return;
    if (cache->lost > mask / 128)
        widen(cache, 2 * ((uint64_t)mask + 1));
    cache->filled = cache->lost = 0;
}

/* ---- slots ---- */

enum match { WHOLE, BEGINNING };

/* The key's node lies where the bytes say, or that of a key which begins so: its key and value. */
static inline bool node_read(const uint8_t *bytes, struct slice key, enum match match, MDB_val *there, MDB_val *out)
{
    struct node_head node;

    memcpy(&node, bytes, sizeof node);
    if ((match == WHOLE ? node.key_len != key.len : node.key_len < key.len) || node.flags || memcmp(bytes + sizeof node, key.data, key.len) != 0)
        return false;
    *there = (MDB_val){ node.key_len, (void *)(bytes + sizeof node) };
    *out = (MDB_val){ (size_t)node.size_high << 16 | node.size_low, (void *)(bytes + sizeof node + node.key_len) };
    return true;
}

/* Of a place that was read before: who puts the first one of all sets the base before it, and who reads them in the other order may see the place alone. */
static inline const uint8_t *node_of(const struct keycache *cache, uint64_t place)
{
    return (const uint8_t *)(uintptr_t)(atomic_load_explicit(&cache->base, memory_order_relaxed) + 2 * (place >> MARK_BITS));
}

static inline bool find(struct keycache *cache, struct keyslot *line, unsigned first, uint64_t mark, struct slice key, enum match match, MDB_val *there,
                        MDB_val *out)
{
    for (unsigned i = 0; i < LINE_SLOTS; i++) {
        uint64_t place = atomic_load_explicit(&line[(first + i) % LINE_SLOTS].place, memory_order_acquire);
        if (place && (place & MARK_MASK) == mark && node_read(node_of(cache, place), key, match, there, out))
            return true;
    }
    return false;
}

uint64_t keycache_expect(const struct store *store, const uint8_t prefix[KEYCACHE_PREFIX])
{
    const struct keycache *cache = &store->keycache;
    uint64_t hash = hash_of(prefix);

    __builtin_prefetch(line_of(cache, hash));
    return hash;
}

bool keycache_is_far(const struct store *store)
{
    const struct keycache *cache = &store->keycache;
    return atomic_load_explicit(&cache->worth, memory_order_relaxed) && atomic_load_explicit(&cache->mask, memory_order_relaxed) >= SLOTS_FAR - 1;
}

/* In the snapshot that was read last, as the next read's mostly is. */
void keycache_expect_place(const struct store *store, uint64_t hash)
{
    const struct keycache *cache = &store->keycache;
    const struct keyslot *line = line_of(cache, hash);
    uint64_t mark = mark_of(atomic_load_explicit(&cache->snapshot, memory_order_relaxed), hash);

    for (unsigned i = 0; i < LINE_SLOTS; i++) {
        uint64_t place = atomic_load_explicit(&line[i].place, memory_order_acquire);
        if (place && (place & MARK_MASK) == mark) {
            const uint8_t *node = node_of(cache, place);
            __builtin_prefetch(node);
            __builtin_prefetch(node + LINE_BYTES);
        }
    }
}

static inline bool get(struct txn *txn, struct slice key, enum match match, MDB_val *there, MDB_val *out, bool *wanted)
{
    struct keycache *cache = &txn->store->keycache;
    uint32_t searches = atomic_load_explicit(&cache->searches, memory_order_relaxed);

    *wanted = false;
    if (searches < KEYCACHE_AFTER) {
        atomic_store_explicit(&cache->searches, searches + (cache->slots != NULL), memory_order_relaxed);
        return false;
    }
    uint64_t hash = hash_of(key.data), epoch = epoch_of(txn->snapshot);
    bool sampled = is_sampled(hash);
    if (atomic_load_explicit(&cache->epoch, memory_order_acquire) != epoch ||
        (!sampled && !atomic_load_explicit(&cache->worth, memory_order_relaxed)))
        return false;
    *wanted = !find(cache, line_of(cache, hash), first_of(hash), mark_of(txn->snapshot, hash), key, match, there, out) ||
              atomic_load_explicit(&cache->epoch, memory_order_relaxed) != epoch;
    if (sampled)
        count_sampled(cache, !*wanted);
    return !*wanted;
}

bool keycache_get(struct txn *txn, struct slice key, MDB_val *out, bool *wanted)
{
    MDB_val there;
    return get(txn, key, WHOLE, &there, out, wanted);
}

bool keycache_get_beginning(struct txn *txn, const uint8_t prefix[KEYCACHE_PREFIX], MDB_val *key, MDB_val *out, bool *wanted)
{
    return get(txn, slice_of(prefix, KEYCACHE_PREFIX), BEGINNING, key, out, wanted);
}

/* 0: too far from the first one that was put. */
static uint64_t place_of(struct keycache *cache, const uint8_t *node)
{
    uint64_t base = atomic_load_explicit(&cache->base, memory_order_relaxed), address = (uintptr_t)node;

    if (!base)
        atomic_store_explicit(&cache->base, base = address - REACH, memory_order_relaxed);
    return address - base < 2 * REACH ? (address - base) / 2 : 0;
}

/* Of a node whose key is this long at least. */
static uint64_t hash_of_node(const uint8_t *node)
{
    return hash_of(node + sizeof(struct node_head));
}

/* 0: it cannot be told. */
static uint64_t word_of(struct keycache *cache, const uint8_t *node, uint64_t hash, uint64_t snapshot)
{
    uint64_t place = place_of(cache, node);
    return place ? place << MARK_BITS | mark_of(snapshot, hash) : 0;
}

static bool is_put(const struct keyslot *line, uint64_t word)
{
    bool is = false;
    for (unsigned i = 0; i < LINE_SLOTS; i++)
        is |= atomic_load_explicit(&line[i].place, memory_order_relaxed) == word;
    return is;
}

/* A slot that no key of the snapshot has, or the first one. */
static struct keyslot *find_room(struct keyslot *line, unsigned first, uint64_t word, bool *full)
{
    *full = false;
    for (unsigned i = 0; i < LINE_SLOTS; i++) {
        struct keyslot *slot = &line[(first + i) % LINE_SLOTS];
        if (!is_of_snapshot(atomic_load_explicit(&slot->place, memory_order_relaxed), word & MARK_MASK))
            return slot;
    }
    *full = true;
    return &line[first];
}

static void put(struct keycache *cache, const uint8_t *node, uint64_t snapshot)
{
    uint64_t hash = hash_of_node(node), word = word_of(cache, node, hash, snapshot);
    struct keyslot *line = line_of(cache, hash);
    bool full;

    if (!word || is_put(line, word))
        return;
    atomic_store_explicit(&find_room(line, first_of(hash), word, &full)->place, word, memory_order_release);
    if (!full && is_sampled(hash))
        atomic_fetch_add_explicit(&cache->known, 1, memory_order_relaxed);
    count_filled(cache, full);
}

/* ---- pages ---- */

enum { BATCH = 32 };

/* NULL: none that may be put. */
static const uint8_t *node_to_put(const uint8_t *page, unsigned i)
{
    struct node_head head;
    const uint8_t *key;

    if (page_place(page, i) % 2 || !page_node(page, i, &head, &key) || head.flags || head.key_len < KEYCACHE_PREFIX)
        return NULL;
    return key - sizeof head;
}

/* Nodes from number i on, their lines asked for. */
static unsigned nodes_to_put(const struct keycache *cache, const uint8_t *page, unsigned i, unsigned end, const uint8_t *nodes[BATCH])
{
    unsigned n = 0;

    for (; i < end && n < BATCH; i++) {
        if (!(nodes[n] = node_to_put(page, i)))
            continue;
        __builtin_prefetch(line_of(cache, hash_of_node(nodes[n++])));
    }
    return n;
}

/* Most of them have their places. */
static bool are_put(struct keycache *cache, const uint8_t *const nodes[], unsigned n, uint64_t snapshot)
{
    unsigned known = 0;

    for (unsigned i = 0; i < n; i++) {
        uint64_t hash = hash_of_node(nodes[i]);
        known += is_put(line_of(cache, hash), word_of(cache, nodes[i], hash, snapshot));
    }
    return known > n / 2;
}

/*
 * All that lie on one page with a node: who looks them up finds their places at once, and to put them together is less work than to
 * search for one after the other. Of a page that has been put some have lost theirs to others.
 */
static void put_page(const struct txn *txn, const uint8_t *node)
{
    struct keycache *cache = &txn->store->keycache;
    const uint8_t *nodes[BATCH];
    const uint8_t *page = page_under(node);
    const unsigned end = page_nodes(page, PAGE_IS_LEAF);

    for (unsigned i = 0; i < end; i += BATCH) {
        unsigned n = nodes_to_put(cache, page, i, i + BATCH < end ? i + BATCH : end, nodes);
        if (i == 0 && are_put(cache, nodes, n, txn->snapshot))
            return;
        for (unsigned k = 0; k < n; k++)
            put(cache, nodes[k], txn->snapshot);
    }
}

void keycache_put(const struct txn *txn, struct slice key, MDB_val value)
{
    struct keycache *cache = &txn->store->keycache;
    const uint8_t *node = (const uint8_t *)value.mv_data - key.len - sizeof(struct node_head);
    MDB_val there, found;

    if ((uintptr_t)node % 2 || !node_read(node, key, WHOLE, &there, &found) || found.mv_size != value.mv_size)
        return;
    if (!begin_filling(cache)) /* another search may */
        return;
    if (atomic_load_explicit(&cache->epoch, memory_order_relaxed) == epoch_of(txn->snapshot)) {
        if (is_long_read(cache))
            put_page(txn, node);
        put(cache, node, txn->snapshot);
    }
    end_filling(cache);
}
