/* chance.h - numbers by chance that a seed gives again, to each thread from a seed of its own. */
#ifndef WR_TESTS_CHANCE_H
#define WR_TESTS_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

static _Thread_local uint64_t rng;

static inline uint64_t next_random(void)
{
    rng += 0x9e3779b97f4a7c15u;
    uint64_t z = rng;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline unsigned below(unsigned n)
{
    return (unsigned)(next_random() % n);
}

static inline bool one_in(unsigned n)
{
    return below(n) == 0;
}

#endif
