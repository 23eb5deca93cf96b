/*
 * chunk.h - entries of one id, in order, in a run of bytes: what lies in one entry of LMDB for many of the rooms above (pack.h).
 *
 *     chunk  count u16 | used u16 | dead u16 | place u16 of the first entry .. of the last | room | entries
 *     entry  key length varint | key | value length varint | value
 *
 * Places are in the order of keys, unsigned byte order, and say how far before the chunk's end an entry begins. Entries lie in the order in which
 * they came, the first at the very end: so the newest of what is written in order come first in memory. `used` is how many bytes at the end
 * are entries', `dead` what of them is nobody's any more (0: what lies behind one that is removed closes up; a damaged one alone leaves its bytes). A chunk of
 * more than CHUNK_BYTES holds one entry behind its place, and all three but the count are 0.
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

/* A length at *at, of one byte or two as most are, or more; as many bytes must follow. */
static inline bool chunk_length(const uint8_t *bytes, size_t len, size_t *at, size_t *out)
{
    size_t i = *at;

    if (i >= len)
        return false;
    size_t n = bytes[i++];
    if (n & 0x80) {
        if (i == len)
            return false;
        if (bytes[i] & 0x80) {
            struct reader r = reader_of(slice_of(bytes + i - 1, len - i + 1));
            n = read_varint(&r);
            if (r.failed)
                return false;
            i = (size_t)(r.at - bytes);
        } else {
            n = (n & 0x7F) | (size_t)bytes[i++] << 7;
        }
    }
    *at = i;
    *out = n;
    return n <= len - i;
}

/* The entry whose bytes begin at `at`; false: damaged. */
static inline bool chunk_entry_at(const struct chunk *c, size_t at, struct slice *key, struct slice *value)
{
    size_t key_len, value_len;

    if (!chunk_length(c->bytes, c->len, &at, &key_len) || key_len > CHUNK_KEY_MAX)
        return false;
    *key = slice_of(c->bytes + at, key_len);
    at += key_len;
    if (!chunk_length(c->bytes, c->len, &at, &value_len))
        return false;
    *value = slice_of(c->bytes + at, value_len);
    return true;
}

/* The entry at i, below count; false: damaged. */
static inline bool chunk_entry(const struct chunk *c, uint32_t i, struct slice *key, struct slice *value)
{
    size_t at = CHUNK_HEAD + (size_t)c->count * CHUNK_PLACE;

    if (c->len <= CHUNK_BYTES) {
        size_t place = read_u16(c->bytes + CHUNK_HEAD + (size_t)i * CHUNK_PLACE);
        if (place > c->len - at)
            return false;
        at = c->len - place;
    }
    return chunk_entry_at(c, at, key, value);
}

/* That entry will be asked for: its memory is fetched meanwhile. */
static inline void chunk_expect(const struct chunk *c, uint32_t i)
{
    size_t place = c->len <= CHUNK_BYTES ? read_u16(c->bytes + CHUNK_HEAD + (size_t)i * CHUNK_PLACE) : 0;
    if (place <= c->len)
        __builtin_prefetch(c->bytes + c->len - place);
}

/* Of the entries behind the one at i, or before it, the next ones up to max: how many there are before the chunk's end, a damaged one, or
 * one whose key is as long as can be. */
uint32_t chunk_run(const struct chunk *c, uint32_t i, bool back, uint32_t max, struct slice *keys, struct slice *values);

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
