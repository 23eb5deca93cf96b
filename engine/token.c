#include "engine/token.h"

#include <endian.h>

static const uint64_t C1 = 0x87c37b91114253d5u, C2 = 0x4cf5ad432745937fu;

static inline uint64_t rotl(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static inline uint64_t read_le64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return le64toh(v);
}

static inline uint64_t fmix(uint64_t k)
{
    k ^= k >> 33;
    k *= 0xff51afd7ed558ccdu;
    k ^= k >> 33;
    k *= 0xc4ceb9fe1a85ec53u;
    return k ^ k >> 33;
}

/* Up to eight bytes, low first. Each is a signed Java byte, so one above 0x7f flips all the bits above its own. */
static uint64_t read_tail(const uint8_t *p, size_t n)
{
    uint64_t k = 0;
    for (size_t i = 0; i < n; i++)
        k ^= (uint64_t)(int64_t)(int8_t)p[i] << (8 * i);
    return k;
}

int64_t token_of(struct slice key)
{
    if (key.len == 0)
        return INT64_MIN; /* Murmur3Partitioner.getToken: an empty key has the minimum token */

    const uint8_t *p = key.data;
    size_t left = key.len;
    uint64_t h1 = 0, h2 = 0;
    for (; left >= 16; p += 16, left -= 16) {
        h1 ^= rotl(read_le64(p) * C1, 31) * C2;
        h1 = (rotl(h1, 27) + h2) * 5 + 0x52dce729;
        h2 ^= rotl(read_le64(p + 8) * C2, 33) * C1;
        h2 = (rotl(h2, 31) + h1) * 5 + 0x38495ab5;
    }
    if (left > 8)
        h2 ^= rotl(read_tail(p + 8, left - 8) * C2, 33) * C1;
    if (left > 0)
        h1 ^= rotl(read_tail(p, left < 8 ? left : 8) * C1, 31) * C2;

    h1 ^= key.len;
    h2 ^= key.len;
    h1 += h2;
    h2 += h1;
    h1 = fmix(h1);
    h2 = fmix(h2);
    h1 += h2;
    return h1 == (uint64_t)INT64_MIN ? INT64_MAX : (int64_t)h1;
}
