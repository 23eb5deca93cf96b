/*
 * pool.h - read transactions that nobody is using. Most are over, and wait to be begun again. Some are parked: they hold their snapshot still, for the
 * next read of their thread to go on with, without a lock, a snapshot to begin and trees to look up.
 *
 * 1. Parked is only the newest snapshot that anybody has seen, so that no page is kept from being used again: pool_show ends what is older before anybody
 *    begins on a newer one, or a writer hears that he has committed.
 * 2. There are a few places to park, each of its own line of the processor's; a thread has the same one always.
 *    None that LMDB has marked as failed.
 * 3. What is parked counts as active (map.h): who moves the map ends it first. The rest does not.
 */
#ifndef WR_ENGINE_POOL_H
#define WR_ENGINE_POOL_H

#include "engine/environment.h"

struct txn *pool_take(struct store *store); /* a parked one, counted; NULL: there is none */
void pool_give(struct txn *txn);            /* a read that is over, counted: parks it, or counts it out */

/* Begins on the last commit, with what map_enter has given, or anew; counted already. LMDB's code. */
int pool_begin(struct store *store, struct txn *pooled, struct txn **out);

void pool_show(struct store *store, uint64_t snapshot); /* somebody sees this one */
void pool_unpark_locked(struct store *store); /* with the gate's lock held */
void pool_clear_dead(struct store *store);    /* LMDB's slots of processes that died with a snapshot open, which would be held for ever */
void pool_make_room(struct store *store);     /* no slot is free: those that nobody needs are given back */
void pool_free(struct store *store);          /* all there are; nobody reads any more */
void pool_drop(struct txn *txn);              /* one that is not counted, for good */

#endif
