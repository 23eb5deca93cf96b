#include "engine/keeper.h"

#include <pthread.h>
#include <time.h>

#include "engine/clock.h"
#include "engine/thread.h"

struct keeper {
    struct keeper_work work;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum order order;
    enum wr_status outcome;
    char *error;    /* of the outcome, in the keeper's memory until the next order */
    int64_t due_ns; /* KEEPER_NEVER; the keeper's own */
};

static int64_t in(int64_t ns)
{
    return ns == KEEPER_NEVER ? KEEPER_NEVER : clock_monotonic_ns() + ns;
}

void keeper_call_in(struct keeper *k, int64_t ns)
{
    k->due_ns = in(ns);
}

/* With the lock held, but for the work itself: who has given an order waits. */
static void carry_out(struct ctx *ctx, struct keeper *k)
{
    enum order order = k->order;

    arena_reset(ctx->arena);
    pthread_mutex_unlock(&k->lock);
    enum wr_status st = k->work.obey(ctx, k->work.arg, order);
    pthread_mutex_lock(&k->lock);
    k->outcome = st;
    k->error = ctx->error;
    k->order = ORDER_NONE;
    pthread_cond_broadcast(&k->changed);
}

static void call_back(struct ctx *ctx, struct keeper *k)
{
    arena_reset(ctx->arena);
    pthread_mutex_unlock(&k->lock);
    k->due_ns = in(k->work.due(ctx, k->work.arg));
    pthread_mutex_lock(&k->lock);
}

static void *keep(void *arg)
{
    struct keeper *k = arg;
    struct arena arena;
    struct ctx ctx;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    pthread_mutex_lock(&k->lock);
    while (k->order != ORDER_STOP) {
        struct timespec at = { k->due_ns / 1000000000, k->due_ns % 1000000000 };
        if (k->order != ORDER_NONE)
            carry_out(&ctx, k);
        else if (k->due_ns == KEEPER_NEVER)
            pthread_cond_wait(&k->changed, &k->lock);
        else if (clock_monotonic_ns() < k->due_ns)
            pthread_cond_timedwait(&k->changed, &k->lock, &at);
        else
            call_back(&ctx, k);
    }
    pthread_mutex_unlock(&k->lock);
    arena_release(&arena);
    return NULL;
}

static void destroy(struct keeper *k)
{
    pthread_cond_destroy(&k->changed);
    pthread_mutex_destroy(&k->lock);
    mem_free(k);
}

enum wr_status keeper_start(struct ctx *ctx, const struct keeper_work *work, struct keeper **out)
{
    struct keeper *k = mem_alloc(sizeof *k);

    if (!k)
        return fail_nomem(ctx);
    k->work = *work;
    k->due_ns = KEEPER_NEVER;
    pthread_mutex_init(&k->lock, NULL);
    thread_cond_init(&k->changed);
    if (thread_start(&k->thread, keep, k) != 0) {
        destroy(k);
        return fail(ctx, WR_NOMEM, "no thread could be started");
    }
    *out = k;
    return WR_OK;
}

enum wr_status keeper_ask(struct ctx *ctx, struct keeper *k, enum order order)
{
    pthread_mutex_lock(&k->lock);
    k->order = order;
    pthread_cond_broadcast(&k->changed);
    while (k->order == order)
        pthread_cond_wait(&k->changed, &k->lock);
    enum wr_status st = k->outcome;
    if (st != WR_OK)
        st = fail(ctx, st, "%s", k->error);
    pthread_mutex_unlock(&k->lock);
    return st;
}

void keeper_stop(struct keeper *k)
{
    if (!k)
        return;
    pthread_mutex_lock(&k->lock);
    k->order = ORDER_STOP;
    pthread_cond_broadcast(&k->changed);
    pthread_mutex_unlock(&k->lock);
    pthread_join(k->thread, NULL);
    destroy(k);
}
