/*
 * chunk.h - entries of one id, in order, in a run of bytes: what lies in one entry of LMDB for many of the rooms above (pack.h).
 *
 *     chunk  count u16 | used u16 | dead u16 | place u16 of the first entry .. of the last | room | entries
 *     entry  key length varint | key | value length varint | value
 *
 * Places are in the order of keys, unsigned byte order, and say how far before the chunk's end an entry begins. Entries lie in the order in which
 * they came, the first at the very end: so the newest of what is written in order come first in memory. `used` is how many bytes at the end
 * are entries', `dead` what of them is nobody's any more. A chunk of more than CHUNK_BYTES holds one entry behind its place, and all three but the count are 0.
 *
 * Pure: bytes in, bytes out. Reading checks what it reads: of damaged bytes it says so, and looks at nothing outside of them.
 */
#ifndef WR_ENGINE_CHUNK_H
#define WR_ENGINE_CHUNK_H

#include "engine/coding.h"
#include "engine/limits.h"

enum {
    CHUNK_BYTES = 4080, /* what LMDB lays into a page of its own, whose header has the other 16 */
    CHUNK_HEAD = 6,
    CHUNK_PLACE = 2,
    CHUNK_KEY_MAX = STORE_KEY_MAX - 8, /* an id lies before it in LMDB's keys */
};

struct chunk {
    const uint8_t *bytes;
    size_t len;
    uint32_t count; /* of entries, at least 1 */
};

bool chunk_open(struct slice bytes, struct chunk *out); /* false: damaged */

/* A length at *at, of one byte or two as most are, or more. */
static inline bool chunk_length(const uint8_t **at, const uint8_t *end, size_t *out)
{
    const uint8_t *p = *at;

    if (end - p < 2) {
        if (p == end || p[0] & 0x80)
            return false;
    } else if (p[0] & 0x80) {
        if (p[1] & 0x80) {
            struct reader r = reader_of(slice_of(p, (size_t)(end - p)));
            *out = read_varint(&r);
            *at = r.at;
            return !r.failed && *out <= (size_t)(end - r.at);
        }
        *out = (size_t)(p[0] & 0x7F) | (size_t)p[1] << 7;
        *at = p + 2;
        return *out <= (size_t)(end - *at);
    }
    *out = p[0];
    *at = p + 1;
    return *out <= (size_t)(end - *at);
}

/* The entry at i, below count; false: damaged. */
static inline bool chunk_entry(const struct chunk *c, uint32_t i, struct slice *key, struct slice *value)
{
    size_t first = CHUNK_HEAD + (size_t)c->count * CHUNK_PLACE, key_len, value_len;
    const uint8_t *end = c->bytes + c->len, *at = c->bytes + first;

    if (c->len <= CHUNK_BYTES) {
        size_t place = read_u16(c->bytes + CHUNK_HEAD + (size_t)i * CHUNK_PLACE);
        if (place > c->len - first)
            return false;
        at = end - place;
    }
    if (!chunk_length(&at, end, &key_len) || key_len > CHUNK_KEY_MAX)
        return false;
    *key = slice_of(at, key_len);
    at += key_len;
    if (!chunk_length(&at, end, &value_len))
        return false;
    *value = slice_of(at, value_len);
    return true;
}

/* The first entry whose key is not before `key`, or count; *exact: it is that key's. False: damaged. */
bool chunk_find(const struct chunk *c, struct slice key, uint32_t *at, bool *exact);

/* What an entry takes, its place included; what all of a chunk take. */
size_t chunk_entry_bytes(size_t key_len, size_t value_len);
size_t chunk_live_bytes(const struct chunk *c); /* as its head has it */
size_t chunk_full_bytes(const struct chunk *c); /* its head and what is dead, too: all but the room */

/* ---- making and changing: of bytes that are the caller's ---- */

void chunk_init(uint8_t *bytes, size_t len);
/* An entry with room for its value between those before and behind `at`; false: there is no room. Its key is not one of the chunk's. */
bool chunk_insert(uint8_t *bytes, size_t len, uint32_t at, struct slice key, size_t value_len, uint8_t **value);
/* The same entries, dead bytes too, in more bytes, or fewer that they fit into. */
void chunk_resize(uint8_t *bytes, size_t len, const struct chunk *from);
void chunk_remove(uint8_t *bytes, size_t len, uint32_t at); /* of a chunk that chunk_entry has found sound there */

#endif
