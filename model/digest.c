#include "model/digest.h"


#include "engine/coding.h"
#include "model/javatext.h"

/* A digest works on blocks of 64 or 128 bytes; behind the message come 0x80, zeroes and its length in bits. SHA-3 has none of this but its
 * block. */
struct digest {
    const char *names[3];
    size_t bytes, block;
    bool little_endian;
    void (*mix)(uint64_t *state, const uint8_t *block); /* SHA-3: NULL */
    uint64_t start[8];
};

/* ---- MD5 ---- */

static uint32_t rotate32(uint32_t v, unsigned by) /* left; by is 1 to 31 */
{
    return v << by | v >> (32 - by);
}

static uint32_t read_le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void mix_md5(uint64_t *state, const uint8_t *block)
{
    static const uint32_t sines[64] = {
        0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
        0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
        0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
        0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
        0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
        0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
        0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
        0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
    };
    static const uint8_t shifts[4][4] = { { 7, 12, 17, 22 }, { 5, 9, 14, 20 }, { 4, 11, 16, 23 }, { 6, 10, 15, 21 } };
    uint32_t a = (uint32_t)state[0], b = (uint32_t)state[1], c = (uint32_t)state[2], d = (uint32_t)state[3];

    for (unsigned i = 0; i < 64; i++) {
        unsigned round = i / 16, g;
        uint32_t f, next;
        switch (round) {
        case 0:
            f = (b & c) | (~b & d);
            g = i;
            break;
        case 1:
            f = (d & b) | (~d & c);
            g = (5 * i + 1) % 16;
            break;
        case 2:
            f = b ^ c ^ d;
            g = (3 * i + 5) % 16;
            break;
        default:
            f = c ^ (b | ~d);
            g = 7 * i % 16;
        }
        next = b + rotate32(a + f + sines[i] + read_le32(block + 4 * g), shifts[round][i % 4]);
        a = d;
        d = c;
        c = b;
        b = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

/* ---- SHA-1 ---- */

static void mix_sha1(uint64_t *state, const uint8_t *block)
{
    uint32_t w[80], a = (uint32_t)state[0], b = (uint32_t)state[1], c = (uint32_t)state[2], d = (uint32_t)state[3];
    uint32_t e = (uint32_t)state[4];

    for (unsigned i = 0; i < 80; i++)
        w[i] = i < 16 ? read_u32(block + 4 * i) : rotate32(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (unsigned i = 0; i < 80; i++) {
        uint32_t f = i < 20 ? (b & c) | (~b & d) : i >= 40 && i < 60 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
        uint32_t k = i < 20 ? 0x5A827999 : i < 40 ? 0x6ED9EBA1 : i < 60 ? 0x8F1BBCDC : 0xCA62C1D6;
        uint32_t next = rotate32(a, 5) + f + e + k + w[i];
        e = d;
        d = c;
        c = rotate32(b, 30);
        b = a;
        a = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

/* ---- SHA-2: one list of constants, of which the shorter ones take the upper half ---- */

static const uint64_t primes[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
    0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
    0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
    0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
    0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
    0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
    0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
    0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
    0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
    0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
    0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

static void mix_sha256(uint64_t *state, const uint8_t *block)
{
    uint32_t w[64], v[8];

    for (unsigned i = 0; i < 16; i++)
        w[i] = read_u32(block + 4 * i);
    for (unsigned i = 16; i < 64; i++)
        w[i] = w[i - 16] + (rotate32(w[i - 15], 25) ^ rotate32(w[i - 15], 14) ^ w[i - 15] >> 3) + w[i - 7] +
               (rotate32(w[i - 2], 15) ^ rotate32(w[i - 2], 13) ^ w[i - 2] >> 10);
    for (unsigned i = 0; i < 8; i++)
        v[i] = (uint32_t)state[i];
    for (unsigned i = 0; i < 64; i++) {
        uint32_t one = v[7] + (rotate32(v[4], 26) ^ rotate32(v[4], 21) ^ rotate32(v[4], 7)) +
                       ((v[4] & v[5]) ^ (~v[4] & v[6])) + (uint32_t)(primes[i] >> 32) + w[i];
        uint32_t two = (rotate32(v[0], 30) ^ rotate32(v[0], 19) ^ rotate32(v[0], 10)) +
                       ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (unsigned i = 0; i < 8; i++)
        state[i] += v[i];
}

static uint64_t rotate64(uint64_t v, unsigned by) /* right; by is 1 to 63 */
{
    return v >> by | v << (64 - by);
}

static void mix_sha512(uint64_t *state, const uint8_t *block)
{
    uint64_t w[80], v[8];

    for (unsigned i = 0; i < 16; i++)
        w[i] = read_u64(block + 8 * i);
    for (unsigned i = 16; i < 80; i++)
        w[i] = w[i - 16] + (rotate64(w[i - 15], 1) ^ rotate64(w[i - 15], 8) ^ w[i - 15] >> 7) + w[i - 7] +
               (rotate64(w[i - 2], 19) ^ rotate64(w[i - 2], 61) ^ w[i - 2] >> 6);
    memcpy(v, state, sizeof v);
    for (unsigned i = 0; i < 80; i++) {
        uint64_t one = v[7] + (rotate64(v[4], 14) ^ rotate64(v[4], 18) ^ rotate64(v[4], 41)) +
                       ((v[4] & v[5]) ^ (~v[4] & v[6])) + primes[i] + w[i];
        uint64_t two = (rotate64(v[0], 28) ^ rotate64(v[0], 34) ^ rotate64(v[0], 39)) +
                       ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (unsigned i = 0; i < 8; i++)
        state[i] += v[i];
}

/* ---- SHA-3: a sponge of 25 words that takes a block and is stirred ---- */

static uint64_t rotate64_left(uint64_t v, unsigned by)
{
    return rotate64(v, 64 - by);
}

static void stir(uint64_t *state) /* Keccak-f[1600] */
{
    static const uint64_t rounds[24] = {
        0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b, 0x0000000080000001,
        0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
        0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003, 0x8000000000008002, 0x8000000000000080,
        0x000000000000800a, 0x800000008000000a, 0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
    };
    static const uint8_t places[24] = { 10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1 };
    static const uint8_t turns[24] = { 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44 };

    for (unsigned r = 0; r < 24; r++) {
        uint64_t sums[5], row[5], moved;
        for (unsigned x = 0; x < 5; x++)
            sums[x] = state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20];
        for (unsigned i = 0; i < 25; i++)
            state[i] ^= sums[(i + 4) % 5] ^ rotate64_left(sums[(i + 1) % 5], 1);
        moved = state[1];
        for (unsigned i = 0; i < 24; i++) {
            uint64_t next = state[places[i]];
            state[places[i]] = rotate64_left(moved, turns[i]);
            moved = next;
        }
        for (unsigned y = 0; y < 25; y += 5) {
            memcpy(row, state + y, sizeof row);
            for (unsigned x = 0; x < 5; x++)
                state[y + x] ^= ~row[(x + 1) % 5] & row[(x + 2) % 5];
        }
        state[0] ^= rounds[r];
    }
}

static void take(uint64_t *state, size_t at, uint8_t byte)
{
    state[at / 8] ^= (uint64_t)byte << 8 * (at % 8);
}

static void sha3_of(const struct digest *digest, struct slice message, uint8_t *out)
{
    uint64_t state[25] = { 0 };
    size_t at = 0;

    for (size_t i = 0; i < message.len; i++) {
        take(state, at++, message.data[i]);
        if (at == digest->block) {
            stir(state);
            at = 0;
        }
    }
    take(state, at, 0x06);
    take(state, digest->block - 1, 0x80);
    stir(state);
    for (size_t i = 0; i < digest->bytes; i++)
        out[i] = (uint8_t)(state[i / 8] >> 8 * (i % 8));
}

/* ---- the table ---- */

static const struct digest table[] = {
    { { "MD5" }, 16, 64, true, mix_md5, { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 } },
    { { "SHA-1", "SHA", "SHA1" },
      20,
      64,
      false,
      mix_sha1,
      { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 } },
    { { "SHA-224", "SHA224" },
      28,
      64,
      false,
      mix_sha256,
      { 0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4 } },
    { { "SHA-256", "SHA256" },
      32,
      64,
      false,
      mix_sha256,
      { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 } },
    { { "SHA-384", "SHA384" },
      48,
      128,
      false,
      mix_sha512,
      { 0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939, 0x67332667ffc00b31,
        0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4 } },
    { { "SHA-512", "SHA512" },
      64,
      128,
      false,
      mix_sha512,
      { 0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1, 0x510e527fade682d1,
        0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179 } },
    { { "SHA-512/224", "SHA512/224" },
      28,
      128,
      false,
      mix_sha512,
      { 0x8c3d37c819544da2, 0x73e1996689dcd4d6, 0x1dfab7ae32ff9c82, 0x679dd514582f9fcf,
        0x0f6d2b697bd44da8, 0x77e36f7304c48942, 0x3f9d85a86a1d36c8, 0x1112e6ad91d692a1 } },
    { { "SHA-512/256", "SHA512/256" },
      32,
      128,
      false,
      mix_sha512,
      { 0x22312194fc2bf72c, 0x9f555fa3c84c64c2, 0x2393b86b6f53b151, 0x963877195940eabd,
        0x96283ee2a88effe3, 0xbe5e1e2553863992, 0x2b0199fc2c85b8aa, 0x0eb72ddc81c52ca2 } },
    { .names = { "SHA3-224" }, .bytes = 28, .block = 144 },
    { .names = { "SHA3-256" }, .bytes = 32, .block = 136 },
    { .names = { "SHA3-384" }, .bytes = 48, .block = 104 },
    { .names = { "SHA3-512" }, .bytes = 64, .block = 72 },
};

const struct digest *digest_find(struct slice name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (size_t k = 0; k < 3 && table[i].names[k]; k++)
            if (java_equals_fold(name, table[i].names[k]))
                return &table[i];
    return NULL;
}

size_t digest_bytes(const struct digest *digest)
{
    return digest->bytes;
}

void digest_of(const struct digest *digest, struct slice message, uint8_t *out)
{
    size_t word = digest->block / 16, done = 0, rest;
    uint64_t state[8], bits = (uint64_t)message.len * 8;
    uint8_t tail[256] = { 0 };

    if (!digest->mix) {
        sha3_of(digest, message, out);
        return;
    }
    memcpy(state, digest->start, sizeof state);
    for (; message.len - done >= digest->block; done += digest->block)
        digest->mix(state, message.data + done);
    rest = message.len - done;
    if (rest)
        memcpy(tail, message.data + done, rest);
    tail[rest] = 0x80;
    size_t end = rest + 1 + 2 * word > digest->block ? 2 * digest->block : digest->block;
    for (unsigned i = 0; i < 8; i++)
        tail[digest->little_endian ? end - 8 + i : end - 1 - i] = (uint8_t)(bits >> 8 * i);
    for (size_t at = 0; at < end; at += digest->block)
        digest->mix(state, tail + at);
    for (size_t i = 0; i < digest->bytes; i++) {
        size_t shift = 8 * (digest->little_endian ? i % word : word - 1 - i % word);
        out[i] = (uint8_t)(state[i / word] >> shift);
    }
}
