/*
 * thread.h - starting a thread of the database's own. It takes no signals: they are the host's.
 */
#ifndef WR_ENGINE_THREAD_H
#define WR_ENGINE_THREAD_H

#include <pthread.h>

int thread_start(pthread_t *out, void *(*run)(void *arg), void *arg); /* 0, or errno */
void thread_cond_init(pthread_cond_t *cond); /* whose timed waits go by clock_monotonic_ns */

#endif
