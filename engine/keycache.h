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
    KEYCACHE_SLOTS_MOST = 1 << 21, /* of 8 bytes; memory that no key needed is never touched */
};

void keycache_open(struct keycache *cache); /* where there is no address space for it, nothing is remembered */
void keycache_close(struct keycache *cache);
void keycache_clear(struct keycache *cache); /* the map moves; nobody reads */

void keycache_begin(struct txn *txn); /* a read has begun */

/* False: it is not known; *wanted: keycache_put may be told once it has been found. The key is that of a partition (partition.h). */
bool keycache_get(struct txn *txn, struct slice key, MDB_val *out, bool *wanted);
void keycache_put(const struct txn *txn, struct slice key, MDB_val value); /* as mdb_get has given it */

#endif
