/*
 * pool.h - worker threads and the jobs they take.
 *
 * 1. First come first served within a lane, and lanes by turns: who has put many jobs does not hold up who has put one.
 * 2. There are short jobs and long ones. One thread is never at a long one, so the short never wait for those to end; one takes a long job
 *    next, where some wait and no thread is at any, so those go on however many short ones come. Else short ones go first.
 */
#ifndef WR_SERVE_POOL_H
#define WR_SERVE_POOL_H

#include <stdbool.h>

struct pool;

enum pool_length { POOL_SHORT, POOL_LONG, POOL_LENGTHS };

/* A job is part of something larger. */
struct job {
    struct job *next;
    void (*run)(void *state, struct job *job); /* which may free it */
};

/* The jobs of one client and length that wait. Zero-filled at first; stays where it is while it has some. */
struct pool_lane {
    struct job *first, *last;
    struct pool_lane *next; /* whose turn is after this one's */
};

struct pool_work {
    void *(*begin)(void *arg);               /* in each thread, once: what it keeps from job to job; NULL: no memory */
    void (*end)(void *state);
    void *arg;
};

/* So many threads for long jobs, and one besides. NULL: the system has no threads or memory to give. */
struct pool *pool_open(unsigned threads, const struct pool_work *work);
void pool_put(struct pool *pool, enum pool_length length, struct pool_lane *lane, struct job *job);
void pool_close(struct pool *pool); /* once all that was put has run; NULL is fine */

#endif
