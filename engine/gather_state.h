/*
 * gather_state.h - what gather.c and held.c share: the state of gathered writes, and what each asks of the other.
 */
#ifndef WR_ENGINE_GATHER_STATE_H
#define WR_ENGINE_GATHER_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/credit.h"
#include "engine/held.h"
#include "engine/stream.h"

/* The held write. Between its parts g->lock is free, and what is pending may be parted from it. */
struct held {
    struct journal journal; /* what it has written, in memory of its own */
    _Atomic bool is_open;
    _Atomic(pthread_t) thread; /* set before is_open */
    pthread_cond_t ended;

    /* Under g->lock. */
    bool inside; /* its thread has the lock */
    size_t sound; /* of the journal, where a part fails in the midst of a change */
    bool apart;  /* nothing is pending beside it: nobody else has any business with its transaction */
    bool is_due; /* the session is to end with it */
    enum wr_status lost; /* WR_OK, or why there is no transaction any more */
    char reason[ERROR_TEXT_MAX];
};

struct gather {
    struct stream stream;

    atomic_int missed; /* mode full: writes that were not gathered, since the database was opened */
    struct credit credit;
    _Atomic uint64_t acknowledged; /* the place in the log until where writes are */

    pthread_mutex_t turn_lock;
    pthread_cond_t turn_taken;
    atomic_uint waiting; /* who wants the writer's turn */

    atomic_uint flushing;   /* who waits for the lock to flush */
    pthread_mutex_t lock;   /* of who writes or flushes: the session is his, and what follows */
    struct journal journal; /* of the write, in the log */
    struct held held;
};

static inline bool gather_is_open(struct gather *g)
{
    return atomic_load(&g->stream.open);
}

/* The held write is this thread's. */
static inline bool held_is_mine(struct gather *g)
{
    return atomic_load(&g->held.is_open) && pthread_equal(atomic_load(&g->held.thread), pthread_self());
}

/* Where a read has met a damaged page LMDB has marked the transaction: the held write is lost with it if that is this thread's, and what else is pending
 * will be done again. With the lock. */
void gather_give_up_failed(struct gather *g);

/* ---- of the held write, with the lock ---- */

enum wr_status held_set_apart(struct ctx *ctx, struct gather *g, giver *order); /* so that the transaction is its alone */
void held_lose(struct ctx *ctx, struct gather *g, giver *order, enum wr_status st);
void held_await(struct gather *g); /* who holds one is mostly done before the work of parting from it would be */

#endif
