/*
 * pool.h - worker threads and the jobs they take: first come first served within a lane, and lanes by turns. So who has put many jobs does not
 * hold up who has put one.
 */
#ifndef WR_SERVE_POOL_H
#define WR_SERVE_POOL_H

#include <stdbool.h>

struct pool;

/* A job is part of something larger. */
struct job {
    struct job *next;
    void (*run)(void *state, struct job *job); /* which may free it */
};

/* The jobs of one client that wait. Zero-filled at first; stays where it is while it has some. */
struct pool_lane {
    struct job *first, *last;
    struct pool_lane *next; /* whose turn is after this one's */
};

struct pool_work {
    void *(*begin)(void *arg);               /* in each thread, once: what it keeps from job to job; NULL: no memory */
    void (*end)(void *state);
    void *arg;
};

struct pool *pool_open(unsigned threads, const struct pool_work *work); /* NULL: the system has no threads or memory to give */
void pool_put(struct pool *pool, struct pool_lane *lane, struct job *job);
void pool_close(struct pool *pool); /* once all that was put has run; NULL is fine */

#endif
