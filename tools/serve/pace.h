/*
 * pace.h - how long runs of something usually take, and whether that is so short that waking a thread for one would take longer. Any thread.
 */
#ifndef WR_SERVE_PACE_H
#define WR_SERVE_PACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    PACE_QUICK_US = 100,
    PACE_LONG_US = 7 * PACE_QUICK_US /* more than this counts as this: a single run that was kept from the processor tells nothing */
};

struct pace {
    atomic_uint usual_us;
};

/* Nothing is known: neither quick nor long, until a run has shown which. */
static inline void pace_set_unknown(struct pace *pace)
{
    atomic_store_explicit(&pace->usual_us, PACE_LONG_US - 1, memory_order_relaxed);
}

/* A run was given up. */
static inline void pace_set_long(struct pace *pace)
{
    atomic_store_explicit(&pace->usual_us, PACE_LONG_US, memory_order_relaxed);
}

static inline void pace_took(struct pace *pace, uint32_t us)
{
    unsigned seen = us < PACE_LONG_US ? us : PACE_LONG_US, before = atomic_load_explicit(&pace->usual_us, memory_order_relaxed);
    atomic_store_explicit(&pace->usual_us, (before * 7 + seen) / 8, memory_order_relaxed); /* of two at once, one may be lost */
}

/* As far as is known, of late as well. */
static inline bool pace_is_long(const struct pace *pace)
{
    return atomic_load_explicit(&pace->usual_us, memory_order_relaxed) >= PACE_LONG_US;
}

static inline bool pace_is_quick(const struct pace *pace)
{
    return atomic_load_explicit(&pace->usual_us, memory_order_relaxed) <= PACE_QUICK_US;
}

#endif
