/*
 * coding.h - numbers in bytes, and a reader that never runs past its end.
 *
 * Fixed widths are big-endian, but for read_u16_le. A varint is LEB128: seven bits a byte, low bits first, at most ten bytes.
 * A reader remembers its first failure: reads after it give 0 or a null slice, and one look at `failed` at the end tells.
 */
#ifndef WR_ENGINE_CODING_H
#define WR_ENGINE_CODING_H

#include <endian.h>

#include "engine/slice.h"

enum { VARINT_MAX = 10 };

static inline uint16_t read_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint16_t read_u16_le(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return le16toh(v);
}

static inline uint32_t read_u32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return be32toh(v);
}

static inline uint64_t read_u64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return be64toh(v);
}

/* A number of any length in two's complement: its low 64 bits; none: 0. Mostly it has eight bytes or four. */
static inline int64_t read_signed(struct slice bytes)
{
    if (bytes.len == sizeof(uint64_t))
        return (int64_t)read_u64(bytes.data);
    if (bytes.len == sizeof(uint32_t))
        return (int32_t)read_u32(bytes.data);
    uint64_t v = bytes.len && bytes.data[0] & 0x80 ? UINT64_MAX : 0;
    for (size_t i = 0; i < bytes.len; i++)
        v = v << 8 | bytes.data[i];
    return (int64_t)v;
}

static inline void put_u16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

static inline void put_u32(uint8_t *p, uint32_t v)
{
    v = htobe32(v);
    memcpy(p, &v, sizeof v);
}

static inline void put_u64(uint8_t *p, uint64_t v)
{
    v = htobe64(v);
    memcpy(p, &v, sizeof v);
}

/* Returns the bytes written, 1 to VARINT_MAX. */
static inline size_t put_varint(uint8_t *p, uint64_t v)
{
    size_t n = 0;
    while (v >= 0x80) {
        p[n++] = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    p[n++] = (uint8_t)v;
    return n;
}

static inline size_t varint_len(uint64_t v)
{
    size_t n = 1;
    while (v >= 0x80) {
        v >>= 7;
        n++;
    }
    return n;
}

/* Small signed numbers to small unsigned ones, for varints. */
static inline uint64_t zigzag(int64_t v)
{
    return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static inline int64_t unzigzag(uint64_t v)
{
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

struct reader {
    const uint8_t *at, *end;
    bool failed;
};

static inline struct reader reader_of(struct slice s)
{
    return (struct reader){ s.data, s.data ? s.data + s.len : s.data, false };
}

static inline size_t reader_left(const struct reader *r)
{
    return (size_t)(r->end - r->at);
}

static inline struct slice reader_rest(const struct reader *r)
{
    return slice_of(r->at, reader_left(r));
}

/* n bytes in place, or a null slice and failed. */
static inline struct slice read_bytes(struct reader *r, size_t n)
{
    if (r->failed || reader_left(r) < n) {
        r->failed = true;
        return SLICE_NULL;
    }
    if (!n)
        return slice_of(r->at ? r->at : (const uint8_t *)"", 0);
    struct slice s = slice_of(r->at, n);
    r->at += n;
    return s;
}

static inline uint8_t read_byte(struct reader *r)
{
    if (r->failed || r->at == r->end) {
        r->failed = true;
        return 0;
    }
    return *r->at++;
}

static inline uint16_t read_be16(struct reader *r)
{
    struct slice s = read_bytes(r, 2);
    return s.data ? read_u16(s.data) : 0;
}

static inline uint32_t read_be32(struct reader *r)
{
    struct slice s = read_bytes(r, 4);
    return s.data ? read_u32(s.data) : 0;
}

static inline uint64_t read_be64(struct reader *r)
{
    struct slice s = read_bytes(r, 8);
    return s.data ? read_u64(s.data) : 0;
}

static inline uint64_t read_varint(struct reader *r)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t b = read_byte(r);
        v |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80))
            return v;
    }
    r->failed = true;
    return 0;
}

/* i32 length and bytes; a negative length is null. A value inside a collection, tuple or frame. */
static inline struct slice read_bytes32(struct reader *r)
{
    int32_t n = (int32_t)read_be32(r);
    return n < 0 || r->failed ? SLICE_NULL : read_bytes(r, (size_t)n);
}

#endif
