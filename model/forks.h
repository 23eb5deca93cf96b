/*
 * forks.h - how often a fork has led to this process. What was opened before the last of them is the parent's: its threads are not here, its locks may be held
 * by nobody, and what is written to its maps, the parent sees.
 */
#ifndef WR_MODEL_FORKS_H
#define WR_MODEL_FORKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern _Atomic uint32_t forks; /* read by forks_so_far */

bool forks_count(void); /* from now on; to be called before the first is asked for, and as often as one likes. False: no memory */

static inline uint32_t forks_so_far(void)
{
    return atomic_load_explicit(&forks, memory_order_relaxed);
}

#endif
