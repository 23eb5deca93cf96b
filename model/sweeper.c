#include "model/sweeper.h"

#include "engine/thread.h"
#include "model/database.h"

enum { REST_MS = 1000 /* at least, from one round of steps to the next: reads may pass over what no sweep takes away */ };

void sweeper_init(struct sweeper *s, struct database *db)
{
    *s = (struct sweeper){ .db = db };
    pthread_mutex_init(&s->lock, NULL);
    thread_cond_init(&s->changed);
}

/* With the lock. */
static void rest(struct sweeper *s, int64_t ns)
{
    int64_t until = clock_monotonic_ns() + ns;
    struct timespec at = { until / 1000000000, until % 1000000000 };

    while (!s->stop && clock_monotonic_ns() < until)
        pthread_cond_timedwait(&s->changed, &s->lock, &at);
}

/* False: nothing is due any more, or it failed, which is told to whoever writes next. */
static bool step(struct ctx *ctx, struct database *db)
{
    bool more = false;

    ctx->now_s = clock_now_s(engine_clock(db->engine));
    pthread_rwlock_rdlock(&db->schema_gate); /* the sweep asks for tables by id */
    enum wr_status st = engine_sweep(ctx, db->engine, &more);
    pthread_rwlock_unlock(&db->schema_gate);
    arena_reset(ctx->arena);
    return st == WR_OK && more;
}

static void *sweep(void *arg)
{
    struct sweeper *s = arg;
    struct arena arena;
    struct ctx ctx;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    pthread_mutex_lock(&s->lock);
    while (!s->stop) {
        if (!s->wanted) {
            pthread_cond_wait(&s->changed, &s->lock);
            continue;
        }
        s->wanted = false; /* what is passed over from here on, while it rests too, is another round's */
        for (bool more = true; more && !s->stop;) {
            int64_t begun = clock_monotonic_ns();
            pthread_mutex_unlock(&s->lock);
            more = step(&ctx, s->db);
            pthread_mutex_lock(&s->lock);
            rest(s, clock_monotonic_ns() - begun);
        }
        rest(s, REST_MS * INT64_C(1000000));
        s->wanted |= engine_has_backlog(s->db->engine);
    }
    pthread_mutex_unlock(&s->lock);
    arena_release(&arena);
    return NULL;
}

void sweeper_want(void *sweeper)
{
    struct sweeper *s = sweeper;

    pthread_mutex_lock(&s->lock);
    s->wanted = true;
    if (!s->started)
        s->started = thread_start(&s->thread, sweep, s) == 0;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

void sweeper_release(struct sweeper *s)
{
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
    if (s->started)
        pthread_join(s->thread, NULL);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
}
