/*
 * thread.h - starting a thread of the database's own. It takes no signals: they are the host's.
 */
#ifndef WR_ENGINE_THREAD_H
#define WR_ENGINE_THREAD_H

#include <pthread.h>

int thread_start(pthread_t *out, void *(*run)(void *arg), void *arg); /* 0, or errno */
void thread_cond_init(pthread_cond_t *cond); /* whose timed waits go by clock_monotonic_ns */

/* Between two looks at what another thread is about to change. */
static inline void thread_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

#endif
