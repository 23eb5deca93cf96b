/*
 * trust.h - pages that LMDB is about to go over in a write, looked at before: it believes what a page says, and of a damaged one ends the process or writes
 * outside of its memory. (Reads go over pages without LMDB: snapshot.h.)
 *
 * What a transaction has not written lies in the file as the snapshot has it that it began with, so the way to a key is looked at there; and before something
 * is deleted, or a cursor goes on, the two pages on either side of each page of the way, which LMDB may put together with it, or come to. Pages that were
 * found sound stay so: nobody but LMDB writes to the file.
 *
 * 1. A tree of few pages is looked at once, whole; from then on this costs nothing. So it is with trees that were empty when the database was opened, and in
 * memory.
 * 2. Of a larger one each page is looked at once, the first time that a write comes near it.
 *    What lies beside a leaf is asked anew by each transaction: its page's number may be another leaf's by then.
 * 3. A damaged page is told of (MDB_CORRUPTED) to those alone whose writes come near it.
 */
#ifndef WR_ENGINE_TRUST_H
#define WR_ENGINE_TRUST_H

#include "engine/environment.h"

void trust_open(struct store *store); /* it has just been opened */
void trust_close(struct store *store);

int trust_look_way(struct txn *txn, enum tree tree, struct slice key);
int trust_look_around(struct txn *txn, enum tree tree, struct slice key);
int trust_look_outermost(struct txn *txn, enum tree tree, bool last);
void trust_note_arrived(struct cursor *c, MDB_val key);
int trust_look_beside(struct cursor *c);

static inline bool is_trusted(const struct txn *txn, enum tree tree)
{
    return txn->store->trust.trees[tree] == TRUST_WHOLE;
}

/* In a write, before LMDB goes to where the key lies or would lie, and puts something there. LMDB's codes. */
static inline int trust_way(struct txn *txn, enum tree tree, struct slice key)
{
    return is_trusted(txn, tree) ? 0 : trust_look_way(txn, tree, key);
}

/* Before it deletes the entry. */
static inline int trust_around(struct txn *txn, enum tree tree, struct slice key)
{
    return is_trusted(txn, tree) ? 0 : trust_look_around(txn, tree, key);
}

/* Before it goes to an end of the tree. */
static inline int trust_outermost(struct txn *txn, enum tree tree, bool last)
{
    return is_trusted(txn, tree) ? 0 : trust_look_outermost(txn, tree, last);
}

/* Its cursor has come to that key, which is LMDB's; and is about to be moved on. (To ask it then where it stands is no way: it would forget that what it stood
 * at was deleted, and pass over what is behind.) */
static inline void trust_arrived(struct cursor *c, MDB_val key)
{
    if (!is_trusted(c->txn, c->tree))
        trust_note_arrived(c, key);
}

static inline int trust_beside(struct cursor *c)
{
    return is_trusted(c->txn, c->tree) ? 0 : trust_look_beside(c);
}

#endif
