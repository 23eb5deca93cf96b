/*
 * thread.h - threads: those of the database's own, which take no signals (they are the host's), and how deep the caller's may recurse.
 */
#ifndef WR_ENGINE_THREAD_H
#define WR_ENGINE_THREAD_H

#include <pthread.h>
#include <stdint.h>

int thread_start(pthread_t *out, void *(*run)(void *arg), void *arg); /* 0, or errno */
void thread_cond_init(pthread_cond_t *cond); /* whose timed waits go by clock_monotonic_ns */

/* How many levels of that many bytes this thread's stack has room for, at most `most`: what is nested deeper is refused, and not a crash. Threads of musl have
 * 128 KiB. On a stack that is not the thread's own (a coroutine's), which nobody can measure, `most`. */
uint32_t thread_levels(uint32_t most, size_t level_bytes);

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
