#include "model/timeuuid.h"

#include "engine/clock.h"
#include "engine/coding.h"

#define EPOCH_MS INT64_C(-12219292800000) /* 1582-10-15 */

/* What is beyond the 60 bits of the time spills into the version, as it does in Cassandra. */
static void put(uint64_t ticks, uint64_t low, uint8_t out[TIMEUUID_BYTES])
{
    put_u64(out, 0x1000 | ticks >> 48 | (ticks & UINT64_C(0xFFFF00000000)) >> 16 | ticks << 32);
    put_u64(out + 8, low);
}

static uint64_t ticks_of_ms(int64_t ms)
{
    return ((uint64_t)ms - (uint64_t)EPOCH_MS) * 10000;
}

void timeuuid_next(_Atomic int64_t *last_us, int64_t now_us, uint8_t out[TIMEUUID_BYTES])
{
    int64_t last = atomic_load(last_us), next;
    uint64_t low;

    do
        next = now_us > last || last == INT64_MAX ? now_us : last + 1;
    while (!atomic_compare_exchange_weak(last_us, &last, next));
    clock_random((uint8_t *)&low, sizeof low);
    low = (low & UINT64_C(0x3FFFFFFFFFFFFFFF)) |
          UINT64_C(0x8000010000000000); /* the variant; a node that is no MAC address */
    put((uint64_t)next * 10 - (uint64_t)EPOCH_MS * 10000, low, out);
}

void timeuuid_min(int64_t ms, uint8_t out[TIMEUUID_BYTES])
{
    put(ticks_of_ms(ms), UINT64_C(0x8080808080808080), out); /* bytes compare signed */
}

void timeuuid_max(int64_t ms, uint8_t out[TIMEUUID_BYTES])
{
    put(ticks_of_ms((int64_t)((uint64_t)ms + 1)) - 1, UINT64_C(0x7f7f7f7f7f7f7f7f), out);
}

int64_t timeuuid_us(const uint8_t uuid[TIMEUUID_BYTES])
{
    uint64_t high = read_u64(uuid) & ~UINT64_C(0x1000);
    uint64_t ticks = (high & 0xFFFF) << 48 | (high & UINT64_C(0xFFFF0000)) << 16 | high >> 32;

    return (int64_t)ticks / 10 + EPOCH_MS * 1000;
}

int64_t timeuuid_ms(const uint8_t uuid[TIMEUUID_BYTES])
{
    return timeuuid_us(uuid) / 1000;
}
