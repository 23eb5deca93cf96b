/*
 * readahead.h - what is read of the data file beside what was asked for.
 *
 * By itself the kernel reads what lies around a page that is missing. That warms a cache soon, and spoils one that is too small for the
 * file: inserts in no order into a table larger than memory go more than twice as fast without (docs/decisions.md). So of a file larger
 * than half of the memory this process may have (the machine's, or its cgroup's) the kernel reads what is asked for and no more, and
 * we ask for what a long walk comes to next, and for large values whole.
 */
#ifndef WR_ENGINE_READAHEAD_H
#define WR_ENGINE_READAHEAD_H

#include "engine/environment.h"

/* Where the file has grown, or been mapped anew: with the writer's turn, or before anybody else has the store. */
void readahead_follow(struct store *store);
void readahead_begin(struct store *store); /* of a new mapping */

void readahead_step(struct cursor *c, const void *at);
void readahead_value_bytes(const struct store *store, const void *at, size_t len);

static inline bool readahead_is_ours(const struct store *store)
{
    return atomic_load_explicit(&store->ahead.reads_alone, memory_order_acquire);
}

/* A cursor has gone on by one, to this entry. */
static inline void readahead_walk(struct cursor *c, MDB_val at)
{
    if (readahead_is_ours(c->txn->store))
        readahead_step(c, at.mv_data);
}

/* A value somebody is about to read. */
static inline void readahead_value(const struct store *store, MDB_val v)
{
    enum { LARGE = 8192 };
    if (v.mv_size > LARGE && readahead_is_ours(store))
        readahead_value_bytes(store, v.mv_data, v.mv_size);
}

#endif
