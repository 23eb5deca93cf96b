#include "pool.h"

#include <pthread.h>
#include <stdlib.h>

struct pool {
    struct pool_work work;
    pthread_mutex_t lock;
    pthread_cond_t some;
    struct pool_turns {
        struct pool_lane *first, *last; /* that have jobs, by turns */
    } turns[POOL_LENGTHS];
    unsigned waiting; /* threads that have nothing to do */
    unsigned at_long, at_long_max; /* threads that are at a long job; that may be */
    bool closing;
    unsigned count;
    struct pool_thread {
        struct pool *pool;
        pthread_t thread;
        void *state;
    } threads[];
};

/* Under the lock. */
static void append(struct pool_turns *turns, struct pool_lane *lane)
{
    lane->next = NULL;
    *(turns->last ? &turns->last->next : &turns->first) = lane;
    turns->last = lane;
}

/* Under the lock; there is one. */
static struct job *next_job(struct pool_turns *turns)
{
    struct pool_lane *lane = turns->first;
    struct job *job = lane->first;
    if (!(turns->first = lane->next))
        turns->last = NULL;
    if (!(lane->first = job->next))
        lane->last = NULL;
    else
        append(turns, lane);
    return job;
}

/* Under the lock: which one a thread that has nothing to do takes; POOL_LENGTHS: none. */
static enum pool_length choose(const struct pool *pool)
{
    bool is_short = pool->turns[POOL_SHORT].first, is_long = pool->turns[POOL_LONG].first;
    if (is_long && (!pool->at_long || (!is_short && (pool->at_long < pool->at_long_max || pool->closing))))
        return POOL_LONG;
    return is_short ? POOL_SHORT : POOL_LENGTHS;
}

/* The next job, NULL: there will be none. *length: at first of the one that was taken before (POOL_LENGTHS: none). */
static struct job *take(struct pool *pool, enum pool_length *length)
{
    pthread_mutex_lock(&pool->lock);
    pool->at_long -= *length == POOL_LONG;
    while ((*length = choose(pool)) == POOL_LENGTHS && !pool->closing) {
        pool->waiting++;
        pthread_cond_wait(&pool->some, &pool->lock);
        pool->waiting--;
    }
    pool->at_long += *length == POOL_LONG;
    struct job *job = *length == POOL_LENGTHS ? NULL : next_job(&pool->turns[*length]);
    bool wake = pool->waiting && choose(pool) != POOL_LENGTHS; /* the end of a long job lets another thread begin one */
    pthread_mutex_unlock(&pool->lock);
    if (wake)
        pthread_cond_signal(&pool->some);
    return job;
}

static void *work(void *arg)
{
    struct pool_thread *thread = arg;
    enum pool_length length = POOL_LENGTHS;
    struct job *job;
    while ((job = take(thread->pool, &length)))
        job->run(thread->state, job);
    return NULL;
}

/* With room for what is nested as deeply as statements may be, also where threads have little (musl's 128 KiB). */
static int start_roomy(pthread_t *out, void *(*run)(void *arg), void *arg)
{
    enum { STACK_LEAST = 2 << 20 };
    pthread_attr_t attr;
    size_t stack = 0;

    pthread_attr_init(&attr);
    if (pthread_attr_getstacksize(&attr, &stack) == 0 && stack < STACK_LEAST)
        pthread_attr_setstacksize(&attr, STACK_LEAST);
    int code = pthread_create(out, &attr, run, arg);
    pthread_attr_destroy(&attr);
    return code;
}

static bool start(struct pool *pool, struct pool_thread *thread)
{
    thread->pool = pool;
    if (!(thread->state = pool->work.begin(pool->work.arg)))
        return false;
    if (start_roomy(&thread->thread, work, thread) == 0)
        return true;
    pool->work.end(thread->state);
    return false;
}

struct pool *pool_open(unsigned threads, const struct pool_work *work)
{
    struct pool *pool = calloc(1, sizeof *pool + (threads + 1) * sizeof *pool->threads);
    if (!pool)
        return NULL;
    pool->work = *work;
    pool->at_long_max = threads;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->some, NULL);
    while (pool->count <= threads && start(pool, &pool->threads[pool->count]))
        pool->count++;
    if (pool->count > threads)
        return pool;
    pool_close(pool);
    return NULL;
}

void pool_put(struct pool *pool, enum pool_length length, struct pool_lane *lane, struct job *job)
{
    job->next = NULL;
    pthread_mutex_lock(&pool->lock);
    if (!lane->first)
        append(&pool->turns[length], lane);
    *(lane->last ? &lane->last->next : &lane->first) = job;
    lane->last = job;
    bool wake = pool->waiting > 0;
    pthread_mutex_unlock(&pool->lock);
    if (wake)
        pthread_cond_signal(&pool->some);
}

void pool_close(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pthread_mutex_unlock(&pool->lock);
    pthread_cond_broadcast(&pool->some);
    for (unsigned i = 0; i < pool->count; i++) {
        pthread_join(pool->threads[i].thread, NULL);
        pool->work.end(pool->threads[i].state);
    }
    pthread_cond_destroy(&pool->some);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}
