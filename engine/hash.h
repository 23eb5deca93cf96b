/*
 * hash.h - xxHash: for keys too long for the tree, index terms and caches. Its numbers are part of the file format.
 */
#ifndef WR_ENGINE_HASH_H
#define WR_ENGINE_HASH_H

#include "engine/slice.h"

enum { HASH128_BYTES = 16 };

uint64_t hash64(struct slice bytes);                              /* XXH3-64 */
void hash128_put(struct slice bytes, uint8_t out[HASH128_BYTES]); /* XXH3-128, big-endian */

#endif
