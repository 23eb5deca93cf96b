#include "engine/held.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

#include "engine/gather_state.h"

enum {
    PATIENCE_MS = 5,      /* for the end of a held write, before what is pending is parted from it */
    MEMORY_KEPT = 1 << 20 /* of its journal */
};

/* ---- for gather.c ---- */

void held_lose(struct ctx *ctx, struct gather *g, giver *order, enum wr_status st)
{
    struct held *h = &g->held;

    h->lost = st;
    snprintf(h->reason, sizeof h->reason, "%s", ctx->error);
    if (g->stream.txn)
        order(ctx, &g->stream, ORDER_ABORT);
}

enum wr_status held_set_apart(struct ctx *ctx, struct gather *g, giver *order)
{
    struct stream *s = &g->stream;
    struct held *h = &g->held;
    struct journal *j = &h->journal;

    h->apart = true;
    if (!stream_is_pending(s))
        return WR_OK;
    enum wr_status st = stream_part(ctx, s, order, slice_of(j->bytes, j->len));
    if (st != WR_OK) {
        held_lose(ctx, g, order, st);
        return st;
    }
    store_set_journal(s->txn, j);
    j->overflow = !gather_is_open(g);
    return WR_OK;
}

void held_await(struct gather *g)
{
    int64_t until = clock_monotonic_ns() + PATIENCE_MS * INT64_C(1000000);
    struct timespec at = { until / 1000000000, until % 1000000000 };

    while (atomic_load(&g->held.is_open) && !g->held.apart && !held_is_mine(g))
        if (pthread_cond_timedwait(&g->held.ended, &g->lock, &at) == ETIMEDOUT)
            return;
}

/* ---- its parts ---- */

static void begin_journal(struct journal *j)
{
    if (j->room > MEMORY_KEPT) {
        mem_free(j->bytes);
        j->bytes = NULL;
        j->room = 0;
    }
    j->len = 0;
    j->overflow = false;
    j->reserved = NULL;
    j->changes_left = UINT64_MAX;
}

enum wr_status held_begin(struct ctx *ctx, struct gather *g, struct txn **out)
{
    struct held *h = &g->held;

    TRY(gather_begin(ctx, g, out));
    if (!*out)
        return WR_OK;
    enum wr_status st = stream_sync(ctx, &g->stream, g->stream.put); /* nobody sees what others still wait for */
    if (st != WR_OK) {
        txn_abort(out);
        return st;
    }
    begin_journal(&h->journal);
    store_set_journal(*out, &h->journal);
    h->inside = h->apart = h->is_due = false;
    h->lost = WR_OK;
    atomic_store(&h->thread, pthread_self());
    atomic_store(&h->is_open, true);
    pthread_mutex_unlock(&g->lock);
    return WR_OK;
}

enum wr_status held_resume(struct ctx *ctx, struct gather *g)
{
    struct held *h = &g->held;

    if (!held_is_mine(g))
        return WR_OK;
    while (atomic_load(&g->flushing)) /* the next lock would be ours again, and again */
        sched_yield();
    pthread_mutex_lock(&g->lock);
    h->inside = h->lost == WR_OK && !h->apart;
    h->sound = h->journal.len;
    if (h->inside)
        return WR_OK;
    pthread_mutex_unlock(&g->lock);
    return h->lost == WR_OK ? WR_OK : fail(ctx, h->lost, "%s", h->reason);
}

static void leave(struct gather *g)
{
    g->held.inside = false;
    pthread_mutex_unlock(&g->lock);
}

/* What has not fitted. Quietly: the next part is told. */
static void give_up_fitting(const struct ctx *ctx, struct gather *g)
{
    struct held *h = &g->held;
    struct ctx quiet;

    ctx_init(&quiet, ctx->arena);
    if (h->journal.overflow)
        held_lose(&quiet, g, stream_ask, fail_nomem(&quiet));
    else if (held_set_apart(&quiet, g, stream_ask) == WR_OK)
        h->journal.overflow = true;
}

void held_pause(struct ctx *ctx, struct gather *g, enum wr_status st)
{
    struct held *h = &g->held;

    if (!held_is_mine(g) || !h->inside)
        return;
    journal_settle(&h->journal);
    if (st != WR_OK)
        h->journal.len = h->sound;
    if (h->journal.overflow || h->journal.len > g->stream.file.half_bytes)
        give_up_fitting(ctx, g);
    leave(g);
}

enum wr_status held_keep(struct ctx *ctx, struct gather *g)
{
    struct held *h = &g->held;

    TRY(held_resume(ctx, g));
    if (!held_is_mine(g) || !h->inside)
        return WR_OK;
    enum wr_status st = held_set_apart(ctx, g, stream_ask);
    if (!g->stream.full) {
        h->journal.overflow = true;
        credit_halve(&g->credit);
    }
    leave(g);
    return st;
}

static void end_sharing(void *arg)
{
    struct gather *g = arg;

    gather_give_up_failed(g);
    leave(g);
}

struct txn *held_share(struct ctx *ctx, struct gather *g)
{
    if (!held_is_mine(g) || !credit_is_left(&g->credit) || held_resume(ctx, g) != WR_OK || !g->held.inside)
        return NULL;
    credit_spend(&g->credit);
    store_hold_still(g->stream.txn, end_sharing, g);
    return g->stream.txn;
}

enum wr_status held_release(struct ctx *ctx, struct gather *g)
{
    struct held *h = &g->held;

    if (!held_is_mine(g))
        return WR_OK;
    pthread_mutex_lock(&g->lock);
    atomic_store(&h->is_open, false);
    pthread_cond_broadcast(&h->ended);
    enum wr_status st = h->lost == WR_OK ? WR_OK : fail(ctx, h->lost, "%s", h->reason); /* with the lock: the next one begins with none lost */
    if (st != WR_OK)
        pthread_mutex_unlock(&g->lock);
    return st;
}
