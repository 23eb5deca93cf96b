#include "model/forks.h"

#include <pthread.h>

_Atomic uint32_t forks;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool counted;

static void in_child(void)
{
    atomic_fetch_add_explicit(&forks, 1, memory_order_relaxed);
}

static void count(void)
{
    counted = pthread_atfork(NULL, NULL, in_child) == 0;
}

bool forks_count(void)
{
    return pthread_once(&once, count) == 0 && counted;
}
