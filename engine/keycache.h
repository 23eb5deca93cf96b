/*
 * keycache.h - where partitions lie: of keys of the directory that have been searched for, the place in the map, so that the next search
 * costs a look into a table and not a walk down a tree. Cassandra's key cache is the same thing.
 *
 * A place holds for one snapshot, since any commit may move entries. So it is remembered for a snapshot only once that has been searched
 * KEYCACHE_AFTER times, and who writes between his reads pays nothing. All transactions look, and one at a time remembers: so that a slot
 * is written without a locked instruction, which would wait for the memory it lies in.
 */
#ifndef WR_ENGINE_KEYCACHE_H
#define WR_ENGINE_KEYCACHE_H

#include "engine/environment.h"

enum {
    KEYCACHE_AFTER = 256,
    KEYCACHE_SLOTS_MOST = 1 << 21, /* of 16 bytes; memory that no key needed is never touched */
};

void keycache_open(struct keycache *cache); /* where there is no address space for it, nothing is remembered */
void keycache_close(struct keycache *cache);
void keycache_clear(struct keycache *cache); /* the map moves; nobody reads */

/* A read: whether it remembers, under the gate; its snapshot; its end. */
void keycache_take(struct keycache *cache, struct txn *txn);
void keycache_begin(struct txn *txn);
void keycache_let(struct txn *txn);

/* False: it is not known; *room: where it may be put, once it has been found, or NULL. The key is that of a partition (partition.h). */
bool keycache_get(struct txn *txn, struct slice key, MDB_val *out, struct keyslot **room);
void keycache_put(const struct txn *txn, struct keyslot *slot, struct slice key, MDB_val value); /* as mdb_get has given it */

#endif
