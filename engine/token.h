/*
 * token.h - the partitioner: Murmur3 x64-128, first half, as Cassandra has it.
 *
 * Two deviations from the published hash, both Cassandra's: tail bytes are sign-extended (MurmurHash.hash3_x64_128 on signed
 * Java bytes), and the minimum is mapped to the maximum (Murmur3Partitioner.normalize).
 */
#ifndef WR_ENGINE_TOKEN_H
#define WR_ENGINE_TOKEN_H

#include "engine/slice.h"

int64_t token_of(struct slice partition_key);

/* A token as a number without a sign, in the same order: how keys have it. And back. */
static inline uint64_t token_order(int64_t token)
{
    return (uint64_t)token ^ UINT64_C(1) << 63;
}

static inline int64_t token_from_order(uint64_t order)
{
    return (int64_t)(order ^ UINT64_C(1) << 63);
}

#endif
