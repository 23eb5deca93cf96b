#include "engine/chunk.h"

enum { AT_COUNT = 0, AT_USED = 2, AT_DEAD = 4 };

/* Where the place of entry i lies. */
static size_t place(uint32_t i)
{
    return CHUNK_HEAD + (size_t)i * CHUNK_PLACE;
}

static bool is_lone(size_t len)
{
    return len > CHUNK_BYTES;
}

bool chunk_open(struct slice bytes, struct chunk *out)
{
    if (bytes.len < CHUNK_HEAD)
        return false;
    *out = (struct chunk){ bytes.data, bytes.len, read_u16(bytes.data + AT_COUNT) };
    size_t used = read_u16(bytes.data + AT_USED), dead = read_u16(bytes.data + AT_DEAD);
    if (is_lone(bytes.len))
        return out->count == 1 && used == 0;
    return out->count > 0 && dead <= used && place(out->count) + used <= bytes.len;
}

uint32_t chunk_run(const struct chunk *c, uint32_t i, bool back, uint32_t max, struct slice *keys, struct slice *values)
{
    const size_t room = c->len - place(c->count);
    const uint8_t *at = c->bytes + place(i);
    const ptrdiff_t step = back ? -CHUNK_PLACE : CHUNK_PLACE;
    uint32_t left = back ? i : c->count - 1 - i, n = 0;

    for (max = left < max ? left : max; n < max; n++) {
        at += step;
        size_t before = read_u16(at);
        if (before > room || !chunk_entry_at(c, c->len - before, &keys[n], &values[n]) || keys[n].len == CHUNK_KEY_MAX)
            break;
    }
    return n;
}

bool chunk_find(const struct chunk *c, struct slice key, uint32_t *at, bool *exact)
{
    uint32_t low = 0, high = c->count;
    struct slice there, value;

    *exact = false;
    if (!chunk_entry(c, c->count - 1, &there, &value))
        return false;
    if (slice_cmp(there, key) < 0) { /* as most that come, and the newest that are asked for */
        *at = c->count;
        return true;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (!chunk_entry(c, middle, &there, &value))
            return false;
        int order = slice_cmp(there, key);
        *exact = order == 0;
        if (*exact) {
            *at = middle;
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *at = low;
    return true;
}

size_t chunk_entry_bytes(size_t key_len, size_t value_len)
{
    return varint_len(key_len) + key_len + varint_len(value_len) + value_len + CHUNK_PLACE;
}

size_t chunk_live_bytes(const struct chunk *c)
{
    if (is_lone(c->len))
        return c->len - CHUNK_HEAD;
    return read_u16(c->bytes + AT_USED) - read_u16(c->bytes + AT_DEAD) + (size_t)c->count * CHUNK_PLACE;
}

size_t chunk_full_bytes(const struct chunk *c)
{
    return is_lone(c->len) ? c->len : place(c->count) + read_u16(c->bytes + AT_USED);
}

void chunk_init(uint8_t *bytes, size_t len)
{
    memset(bytes, 0, is_lone(len) ? CHUNK_HEAD + CHUNK_PLACE : len); /* a large entry will fill the rest */
}

bool chunk_insert(uint8_t *bytes, size_t len, uint32_t at, struct slice key, size_t value_len, uint8_t **value)
{
    uint32_t count = read_u16(bytes + AT_COUNT);
    size_t used = read_u16(bytes + AT_USED), taken = place(count) + used, need = chunk_entry_bytes(key.len, value_len);

    if (taken > len || len - taken < need || (is_lone(len) && count))
        return false;
    uint8_t *to = is_lone(len) ? bytes + place(1) : bytes + len - used - (need - CHUNK_PLACE);
    if (!is_lone(len)) {
        used = (size_t)(bytes + len - to);
        put_u16(bytes + AT_USED, (uint16_t)used);
        memmove(bytes + place(at + 1), bytes + place(at), (size_t)(count - at) * CHUNK_PLACE);
        put_u16(bytes + place(at), (uint16_t)used);
    }
    put_u16(bytes + AT_COUNT, (uint16_t)(count + 1));
    to += put_varint(to, key.len);
    if (key.len)
        memcpy(to, key.data, key.len);
    to += key.len;
    *value = to + put_varint(to, value_len);
    return true;
}

void chunk_resize(uint8_t *bytes, size_t len, const struct chunk *from)
{
    size_t begin = place(from->count), used = read_u16(from->bytes + AT_USED);

    memcpy(bytes, from->bytes, begin);
    memset(bytes + begin, 0, len - begin - used);
    memcpy(bytes + len - used, from->bytes + from->len - used, used);
}

/* What came behind the entry that began so far before the end moves to where its bytes were. */
static void close_gap(uint8_t *bytes, size_t len, uint32_t count, size_t from_end, size_t gone)
{
    size_t used = read_u16(bytes + AT_USED);
    uint8_t *begin = bytes + len - used;

    memmove(begin + gone, begin, used - from_end);
    put_u16(bytes + AT_USED, (uint16_t)(used - gone));
    for (uint32_t i = 0; i < count; i++) {
        size_t at = read_u16(bytes + place(i));
        put_u16(bytes + place(i), (uint16_t)(at > from_end ? at - gone : at));
    }
}

void chunk_remove(uint8_t *bytes, size_t len, uint32_t at)
{
    const struct chunk c = { bytes, len, read_u16(bytes + AT_COUNT) };
    struct slice key = SLICE_EMPTY, value = SLICE_EMPTY;
    size_t used = read_u16(bytes + AT_USED);

    (void)chunk_entry(&c, at, &key, &value);
    size_t gone = chunk_entry_bytes(key.len, value.len) - CHUNK_PLACE, from_end = read_u16(bytes + place(at));
    bool closes = gone <= from_end && from_end <= used && gone <= used - read_u16(bytes + AT_DEAD); /* all but a damaged one */
    memmove(bytes + place(at), bytes + place(at + 1), (size_t)(c.count - at - 1) * CHUNK_PLACE);
    put_u16(bytes + AT_COUNT, (uint16_t)(c.count - 1));
    if (closes)
        close_gap(bytes, len, c.count - 1, from_end, gone);
    else
        put_u16(bytes + AT_DEAD, (uint16_t)(read_u16(bytes + AT_DEAD) + gone));
}
