/*
 * stopwatch.h - a clock that only counts, for how long something took. What time it is, the database's clock says.
 */
#ifndef WR_SERVE_STOPWATCH_H
#define WR_SERVE_STOPWATCH_H

#include <stdint.h>
#include <time.h>

static inline uint64_t stopwatch_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

#endif
