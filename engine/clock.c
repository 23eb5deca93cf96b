#include "engine/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define RUNNING INT64_MIN /* clock.frozen_us: nobody has set the clock */

static int64_t system_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

void clock_init(struct clock *clock)
{
    atomic_init(&clock->last_us, INT64_MIN);
    atomic_init(&clock->frozen_us, RUNNING);
    atomic_init(&clock->offset_us, 0);
}

/* Far-off settings stay where they are; the sums of a clock never wrap. */
static int64_t add_us(int64_t a, int64_t b)
{
    int64_t sum;
    if (!__builtin_add_overflow(a, b, &sum))
        return sum == RUNNING ? sum + 1 : sum;
    return b > 0 ? INT64_MAX : RUNNING + 1;
}

int64_t clock_now_us(const struct clock *clock)
{
    int64_t frozen = atomic_load(&clock->frozen_us);
    return frozen != RUNNING ? frozen : add_us(system_us(), atomic_load(&clock->offset_us));
}

uint32_t clock_now_s(const struct clock *clock)
{
    return clock_seconds(clock_now_us(clock));
}

int64_t clock_timestamp_us(struct clock *clock)
{
    return clock_timestamp_at_us(clock, clock_now_us(clock));
}

int64_t clock_timestamp_at_us(struct clock *clock, int64_t now_us)
{
    int64_t ms = now_us / 1000 - (now_us % 1000 < 0);
    int64_t want = ms < INT64_MIN / 1000 ? INT64_MIN + 1 : ms * 1000;
    int64_t last = atomic_load(&clock->last_us), next;

    do {
        next = last == INT64_MAX || want > last ? want : last + 1;
    } while (!atomic_compare_exchange_weak(&clock->last_us, &last, next));
    return next;
}

void clock_raise(struct clock *clock, int64_t timestamp_us)
{
    int64_t last = atomic_load(&clock->last_us);
    while (last < timestamp_us && !atomic_compare_exchange_weak(&clock->last_us, &last, timestamp_us))
        ;
}

void clock_set(struct clock *clock, int64_t now_us)
{
    atomic_store(&clock->frozen_us, now_us == RUNNING ? RUNNING + 1 : now_us);
}

void clock_step(struct clock *clock, int64_t by_us)
{
    int64_t frozen = atomic_load(&clock->frozen_us);
    while (frozen != RUNNING)
        if (atomic_compare_exchange_weak(&clock->frozen_us, &frozen, add_us(frozen, by_us)))
            return;
    int64_t offset = atomic_load(&clock->offset_us);
    while (!atomic_compare_exchange_weak(&clock->offset_us, &offset, add_us(offset, by_us)))
        ;
}

void clock_release(struct clock *clock)
{
    atomic_store(&clock->offset_us, 0);
    atomic_store(&clock->frozen_us, RUNNING);
}

int64_t clock_monotonic_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Random bytes that repeat would be wrong data (two uuids alike), so there is no second-best source: without one, stop. */
static void system_random(uint8_t *bytes, size_t n)
{
    while (n > 0) {
        ssize_t got = getrandom(bytes, n, 0);
        if (got < 0 && errno != EINTR)
            abort();
        if (got > 0) {
            bytes += got;
            n -= (size_t)got;
        }
    }
}

void clock_random(uint8_t *bytes, size_t n)
{
    static _Thread_local struct {
        pid_t owner; /* a fork must not repeat its parent's bytes */
        size_t left;
        uint8_t bytes[512];
    } buffer;

    if (n > sizeof buffer.bytes / 4) {
        system_random(bytes, n);
        return;
    }
    pid_t self = getpid();
    if (buffer.left < n || buffer.owner != self) {
        system_random(buffer.bytes, sizeof buffer.bytes);
        buffer.left = sizeof buffer.bytes;
        buffer.owner = self;
    }
    buffer.left -= n;
    memcpy(bytes, buffer.bytes + buffer.left, n);
    memset(buffer.bytes + buffer.left, 0, n);
}
