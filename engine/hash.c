#include "engine/hash.h"

#include <xxhash.h>

uint64_t hash64(struct slice bytes)
{
    return XXH3_64bits(bytes.data, bytes.len);
}

void hash128_put(struct slice bytes, uint8_t out[HASH128_BYTES])
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data, bytes.len));
    memcpy(out, canonical.digest, HASH128_BYTES);
}
