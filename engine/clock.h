/*
 * clock.h - the one clock of a database: wall time, write timestamps, random bytes. Nothing else asks the system for them.
 *
 * 1. clock_timestamp_us never returns the same number twice and never goes back, whatever the wall clock does, also across a
 *    restart (the store tells it the highest one it has committed: clock_raise; writes tell it those that clients bring along).
 * 2. A set clock stands still until it is stepped or released; timestamps still grow by one each call.
 * 3. Any thread may call anything here at any time.
 */
#ifndef WR_ENGINE_CLOCK_H
#define WR_ENGINE_CLOCK_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define CLOCK_S_MAX (UINT32_MAX - 86400u) /* UINT32_MAX is never, and a wait may be added to what the clock says */

struct clock {
    _Atomic int64_t last_us;   /* the last timestamp given out */
    _Atomic int64_t frozen_us; /* INT64_MIN: the wall clock runs */
    _Atomic int64_t offset_us; /* added to the wall clock */
};

/* Since 1970: 0 before, CLOCK_S_MAX for all that lies behind it. */
static inline uint32_t clock_seconds(int64_t us)
{
    uint64_t s = us < 0 ? 0 : (uint64_t)us / 1000000;
    return s > CLOCK_S_MAX ? CLOCK_S_MAX : (uint32_t)s;
}

void clock_init(struct clock *clock);
int64_t clock_now_us(const struct clock *clock);  /* microseconds since 1970, UTC */
uint32_t clock_now_s(const struct clock *clock);
int64_t clock_timestamp_us(struct clock *clock);  /* a write's: milliseconds * 1000, raised by one where needed, as ClientState does */
int64_t clock_timestamp_at_us(struct clock *clock, int64_t now_us); /* the same for who has asked for the time already */
void clock_raise(struct clock *clock, int64_t timestamp_us);
void clock_set(struct clock *clock, int64_t now_us);   /* freezes it there */
void clock_step(struct clock *clock, int64_t by_us);   /* a set clock moves; a running one is shifted */
void clock_release(struct clock *clock);               /* back to the wall clock, no shift */
int64_t clock_monotonic_ns(void);                      /* for measuring and waiting, not for data */
void clock_random(uint8_t *bytes, size_t n);           /* from the system's generator, buffered per thread */

#endif
