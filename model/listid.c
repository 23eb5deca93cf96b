#include "model/listid.h"

#include "engine/coding.h"

#define LISTID_EPOCH ((uint64_t)1 << 63)

static void ask_clock(struct listid *ids, struct clock *clock)
{
    if (!ids->now_us)
        ids->now_us = clock_timestamp_us(clock);
}

void listid_append(struct listid *ids, struct clock *clock, uint8_t out[LISTID_BYTES])
{
    ask_clock(ids, clock);
    put_u64(out, LISTID_EPOCH + (uint64_t)ids->now_us);
    put_u64(out + 8, ids->appended++);
}

void listid_prepend(struct listid *ids, struct clock *clock, uint64_t n)
{
    ask_clock(ids, clock);
    ids->prepended += n;
}

void listid_prepended(const struct listid *ids, uint64_t i, uint8_t out[LISTID_BYTES])
{
    put_u64(out, LISTID_EPOCH - (uint64_t)ids->now_us);
    put_u64(out + 8, 0 - ids->prepended + i);
}
