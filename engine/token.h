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

#endif
