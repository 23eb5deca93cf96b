#include "pool.h"

#include <pthread.h>
#include <stdlib.h>

struct pool {
    struct pool_work work;
    pthread_mutex_t lock;
    pthread_cond_t some;
    struct pool_lane *first, *last; /* that have jobs, by turns */
    unsigned waiting; /* threads that have nothing to do */
    bool closing;
    unsigned count;
    struct pool_thread {
        struct pool *pool;
        pthread_t thread;
        void *state;
    } threads[];
};

/* Under the lock. */
static void append(struct pool *pool, struct pool_lane *lane)
{
    lane->next = NULL;
    *(pool->last ? &pool->last->next : &pool->first) = lane;
    pool->last = lane;
}

/* Under the lock; NULL: there is none. */
static struct job *next_job(struct pool *pool)
{
    struct pool_lane *lane = pool->first;
    if (!lane)
        return NULL;
    struct job *job = lane->first;
    if (!(pool->first = lane->next))
        pool->last = NULL;
    if (!(lane->first = job->next))
        lane->last = NULL;
    else
        append(pool, lane);
    return job;
}

static struct job *take(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    while (!pool->first && !pool->closing) {
        pool->waiting++;
        pthread_cond_wait(&pool->some, &pool->lock);
        pool->waiting--;
    }
    struct job *job = next_job(pool);
    pthread_mutex_unlock(&pool->lock);
    return job;
}

static void *work(void *arg)
{
    struct pool_thread *thread = arg;
    struct job *job;
    while ((job = take(thread->pool)))
        job->run(thread->state, job);
    return NULL;
}

static bool start(struct pool *pool, struct pool_thread *thread)
{
    thread->pool = pool;
    if (!(thread->state = pool->work.begin(pool->work.arg)))
        return false;
    if (pthread_create(&thread->thread, NULL, work, thread) == 0)
        return true;
    pool->work.end(thread->state);
    return false;
}

struct pool *pool_open(unsigned threads, const struct pool_work *work)
{
    struct pool *pool = calloc(1, sizeof *pool + threads * sizeof *pool->threads);
    if (!pool)
        return NULL;
    pool->work = *work;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->some, NULL);
    while (pool->count < threads && start(pool, &pool->threads[pool->count]))
        pool->count++;
    if (pool->count == threads)
        return pool;
    pool_close(pool);
    return NULL;
}

void pool_put(struct pool *pool, struct pool_lane *lane, struct job *job)
{
    job->next = NULL;
    pthread_mutex_lock(&pool->lock);
    if (!lane->first)
        append(pool, lane);
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
