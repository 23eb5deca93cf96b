/*
 * keycache.h - where partitions lie: of keys of the directory that have been searched for, the place in the map, so that the next search
 * costs a look into a table and not a walk down a tree. Cassandra's key cache is the same thing.
 *
 * A place holds for one snapshot, since any commit may move entries. So it is remembered for a snapshot only once that has been searched
 * KEYCACHE_AFTER times, and who writes between his reads pays nothing. All transactions look without a lock, and one at a time
 * puts.
 */
#ifndef WR_ENGINE_KEYCACHE_H
#define WR_ENGINE_KEYCACHE_H

#include "engine/environment.h"

enum {
    KEYCACHE_AFTER = 256,
    KEYCACHE_PREFIX = 16, /* bytes of a key that tell keys apart */
    KEYCACHE_SLOTS_MOST = 1 << 21, /* of 8 bytes; memory that no key needed is never touched */
};

void keycache_open(struct keycache *cache); /* where there is no address space for it, nothing is remembered */
void keycache_close(struct keycache *cache);
void keycache_clear(struct keycache *cache); /* the map moves; nobody reads */

void keycache_begin(struct txn *txn); /* a read has begun */

/*
 * A key with these first bytes (the table, the token) will be asked for. Two waits for memory lie before it, the second known only behind the first: that
 * of its line is begun by keycache_expect, which gives its hash, and that of where the line says it lies by keycache_expect_place, some
 * fifty nanoseconds later. They change nothing.
 */
uint64_t keycache_expect(const struct store *store, const uint8_t prefix[KEYCACHE_PREFIX]);
bool keycache_is_far(const struct store *store); /* so many places are remembered that a look waits for memory: else neither is worth it */
void keycache_expect_place(const struct store *store, uint64_t hash);

/* False: it is not known; *wanted: keycache_put may be told once it has been found. The key is that of a partition (directory.h). */
bool keycache_get(struct txn *txn, struct slice key, MDB_val *out, bool *wanted);
void keycache_put(const struct txn *txn, struct slice key, MDB_val value); /* as mdb_get has given it */

/* The same where no more of the key is known than its first bytes: of those that begin so, of which there is hardly ever more than one, any. */
bool keycache_get_beginning(struct txn *txn, const uint8_t prefix[KEYCACHE_PREFIX], MDB_val *key, MDB_val *out, bool *wanted);

#endif
