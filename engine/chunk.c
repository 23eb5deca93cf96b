#include "engine/chunk.h"

enum { AT_COUNT = 0, AT_END = 2, AT_DEAD = 4 };

/* Where the place of entry i lies. */
static size_t place(size_t len, uint32_t i)
{
    return len - (size_t)(i + 1) * CHUNK_PLACE;
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
    size_t head = CHUNK_HEAD + (size_t)read_u16(bytes.data + AT_DEAD), end = read_u16(bytes.data + AT_END);
    if (is_lone(bytes.len))
        return out->count == 1 && end == 0;
    return out->count > 0 && head <= end && end + (size_t)out->count * CHUNK_PLACE <= bytes.len;
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
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
            *exact |= order == 0;
        }
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
    return read_u16(c->bytes + AT_END) - CHUNK_HEAD - read_u16(c->bytes + AT_DEAD) + (size_t)c->count * CHUNK_PLACE;
}

size_t chunk_full_bytes(const struct chunk *c)
{
    return is_lone(c->len) ? c->len : read_u16(c->bytes + AT_END) + (size_t)c->count * CHUNK_PLACE;
}

void chunk_init(uint8_t *bytes, size_t len)
{
    if (!is_lone(len)) /* its one entry will fill it */
        memset(bytes, 0, len);
    put_u16(bytes + AT_COUNT, 0);
    put_u16(bytes + AT_END, is_lone(len) ? 0 : CHUNK_HEAD);
    put_u16(bytes + AT_DEAD, 0);
}

bool chunk_insert(uint8_t *bytes, size_t len, uint32_t at, struct slice key, size_t value_len, uint8_t **value)
{
    uint32_t count = read_u16(bytes + AT_COUNT);
    size_t end = is_lone(len) ? CHUNK_HEAD : read_u16(bytes + AT_END), places = place(len, count - 1);

    if (end > places || places - end < chunk_entry_bytes(key.len, value_len) || (is_lone(len) && count))
        return false;
    uint8_t *to = bytes + end;
    to += put_varint(to, key.len);
    if (key.len)
        memcpy(to, key.data, key.len);
    to += key.len;
    to += put_varint(to, value_len);
    *value = to;

    memmove(bytes + places - CHUNK_PLACE, bytes + places, (size_t)(count - at) * CHUNK_PLACE);
    put_u16(bytes + place(len, at), (uint16_t)end);
    put_u16(bytes + AT_COUNT, (uint16_t)(count + 1));
    if (!is_lone(len))
        put_u16(bytes + AT_END, (uint16_t)(to + value_len - bytes));
    return true;
}

void chunk_resize(uint8_t *bytes, size_t len, const struct chunk *from)
{
    size_t end = read_u16(from->bytes + AT_END), places = (size_t)from->count * CHUNK_PLACE;

    memcpy(bytes, from->bytes, end);
    memset(bytes + end, 0, len - end - places);
    memcpy(bytes + len - places, from->bytes + from->len - places, places);
}

void chunk_remove(uint8_t *bytes, size_t len, uint32_t at)
{
    const struct chunk c = { bytes, len, read_u16(bytes + AT_COUNT) };
    struct slice key = SLICE_EMPTY, value = SLICE_EMPTY;
    size_t places = place(len, c.count - 1);

    (void)chunk_entry(&c, at, &key, &value);
    size_t dead = chunk_entry_bytes(key.len, value.len) - CHUNK_PLACE;
    if (read_u16(bytes + place(len, at)) + dead == read_u16(bytes + AT_END)) /* the last that came */
        put_u16(bytes + AT_END, read_u16(bytes + place(len, at)));
    else
        put_u16(bytes + AT_DEAD, (uint16_t)(read_u16(bytes + AT_DEAD) + dead));
    memmove(bytes + places + CHUNK_PLACE, bytes + places, (size_t)(c.count - at - 1) * CHUNK_PLACE);
    put_u16(bytes + AT_COUNT, (uint16_t)(c.count - 1));
}
