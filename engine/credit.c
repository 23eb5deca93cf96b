#include "engine/credit.h"

#include <stdint.h>

enum {
    READS_A_WRITE = 12, /* brief ones: with more a commit for each write is cheaper than reading without one */
    MOST = 4096,
    WAITED = 64,        /* what a brief read takes that has to wait: with snapshots of their own reads go side by side */
    WAITED_WRITER = 2,  /* and of a thread that writes too, whose writes had to wait for commits else */
    LEAST = -20000,     /* where waiting has taken the last: over a thousand writes are committed one by one before it is tried again */
};

static int left(struct credit *c)
{
    return atomic_load_explicit(&c->left, memory_order_relaxed);
}

static void set(struct credit *c, int value)
{
    atomic_store_explicit(&c->left, value, memory_order_relaxed);
}

static _Atomic(pthread_t) *writers_place(struct credit *c)
{
    return &c->writers[((uintptr_t)pthread_self() >> 12) * UINT64_C(0x9E3779B97F4A7C15) >> 60 & (CREDIT_WRITERS - 1)];
}

static bool has_written(struct credit *c)
{
    return pthread_equal(atomic_load_explicit(writers_place(c), memory_order_relaxed), pthread_self());
}

void credit_begin_session(struct credit *c)
{
    for (int i = 0; i < CREDIT_WRITERS; i++)
        atomic_store_explicit(&c->writers[i], 0, memory_order_relaxed);
}

void credit_earn(struct credit *c, bool gathered)
{
    int now = left(c);

    if (now < MOST)
        set(c, now + READS_A_WRITE);
    if (gathered)
        atomic_store_explicit(writers_place(c), pthread_self(), memory_order_relaxed);
}

void credit_spend(struct credit *c)
{
    int now = left(c);

    if (now > 0)
        set(c, now - 1);
}

void credit_spend_for_waiting(struct credit *c)
{
    int price = has_written(c) ? WAITED_WRITER : WAITED, now = left(c);

    set(c, now > price ? now - price : LEAST);
}

void credit_halve(struct credit *c)
{
    int now = left(c);

    if (now > 0)
        set(c, now / 2);
}

int credit_writes(struct credit *c)
{
    return left(c) / READS_A_WRITE;
}

bool credit_is_left(struct credit *c)
{
    return left(c) > 0;
}
