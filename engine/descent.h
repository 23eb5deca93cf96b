/*
 * descent.h - down a tree of LMDB whose keys begin with an id, for some keys at once, in a read: each step is taken for all of them before the next, so that
 * they wait for memory together, and none of LMDB's cursors is moved.
 *
 * What a snapshot has lies in the map as it is until its reads end. All that is read of a page is checked before it is trusted. Where something is wrong, or
 * the leaf that a key leads to does not tell, nothing is said: LMDB's cursor finds it, or finds out what is wrong.
 */
#ifndef WR_ENGINE_DESCENT_H
#define WR_ENGINE_DESCENT_H

#include "engine/environment.h"

enum { DESCENT_WAYS = STORE_SOME };

struct descent {
    const struct store *store;
    struct snapshot_tree tree;
};

/* Of a tree as the transaction has it, until that ends; false: it is no read, or the tree is empty. */
bool descent_open(struct txn *txn, enum tree tree, struct descent *out);

struct way {
    uint64_t id; /* of the key wanted */
    struct slice piece;
    struct slice at, value; /* the last entry whose key is not behind it; null: not told */
    uint64_t behind;        /* the id of the key behind that one; 0: not told */
};
void descend(const struct descent *d, struct way *ways, uint32_t count);

#endif
