/*
 * sweeper.h - a thread that sweeps what has expired, where reads pass over much of it.
 *
 * Writes sweep a little each (purge.h), so what is only read after it has expired would be passed over by every read. A thread is
 * started when reads have passed over many such rows, and sweeps all that is due, in steps between which others may write: no longer
 * at work than at rest. Then it sleeps until it is wanted again.
 */
#ifndef WR_MODEL_SWEEPER_H
#define WR_MODEL_SWEEPER_H

#include <pthread.h>
#include <stdbool.h>

struct database;

struct sweeper {
    struct database *db;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    bool started, wanted, stop;
};

void sweeper_init(struct sweeper *s, struct database *db);
void sweeper_want(void *sweeper); /* never waits; where no thread can be had nothing is swept */
void sweeper_release(struct sweeper *s); /* waits for the step under way */

#endif
