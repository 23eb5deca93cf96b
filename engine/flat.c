#include "engine/flat.h"

static size_t skip_varint(const uint8_t *data, size_t at, size_t len)
{
    while (at < len && data[at++] & 0x80)
        ;
    return at;
}

/* Bytes behind their length, which is below 16384. */
static inline bool take_bytes(const uint8_t *data, size_t *at, size_t len, struct slice *out)
{
    if (*at >= len)
        return false;
    size_t n = data[(*at)++];
    if (n & 0x80) {
        if (*at == len || data[*at] & 0x80)
            return false;
        n = (n & 0x7F) | (size_t)data[(*at)++] << 7;
    }
    if (n > len - *at)
        return false;
    *out = slice_of(data + *at, n);
    *at += n;
    return true;
}

bool show_nearly_flat(const struct flat_rows *flat, struct slice bytes, bool marker_decides, struct slice *values)
{
    enum {
        HEAD = ROWCODE_MARKER | ROWCODE_MARKER_EXPIRES | ROWCODE_EXPIRY | ROWCODE_COMPLEX | ROWCODE_DUE,
        CELL = CELLCODE_KIND | CELLCODE_TIMESTAMP | CELLCODE_EXPIRY | CELLCODE_PATH
    };
    const uint8_t *data = bytes.data, *places = flat->places;
    const size_t len = bytes.len;
    size_t at = ROWCODE_PLAIN_BYTES;
    uint64_t seen = 0;
    uint32_t end_s = 0; /* the row's */
    struct slice passed, value;
    uint8_t flags = data[0];

    if (!flat->now_s || (flags & ~HEAD))
        return false;
    if (flags & ROWCODE_DUE)
        at += sizeof end_s;
    if (flags & ROWCODE_EXPIRY) {
        at = skip_varint(data, at, len) + sizeof end_s; /* the TTL before it */
        if (at > len)
            return false;
        end_s = read_u32(data + at - sizeof end_s);
    }
    if ((flags & ROWCODE_MARKER_EXPIRES) && flat->now_s >= end_s) /* what keeps such a row alive is not so simple (row.h) */
        return false;
    if ((flags & ROWCODE_COMPLEX) && (flat->counts_dead || !take_bytes(data, &at, len, &passed)))
        return false;
    while (at + 1 < len) {
        const size_t from = at;
        unsigned head = data[at++], details = head & 1 ? data[at++] : 0, kind = details & CELLCODE_KIND;
        uint64_t column = UINT64_C(1) << (head >> 1 & (FLAT_COLUMNS - 1));
        uint32_t until_s = end_s;
        if ((head & 0x80) || (details & ~(unsigned)CELL))
            return false;
        if (details & CELLCODE_TIMESTAMP)
            at = skip_varint(data, at, len);
        if (details & CELLCODE_EXPIRY)
            at = skip_varint(data, at, len);
        if ((details & CELLCODE_EXPIRY) || kind == CELL_DEAD) {
            at += sizeof until_s;
            if (at > len)
                return false;
            until_s = read_u32(data + at - sizeof until_s);
        }
        bool lives = kind == CELL_PLAIN || (kind == CELL_EXPIRING && flat->now_s < until_s);
        if (!lives && flat->counts_dead)
            return false;
        bool whole = flat->collections & column;
        if (whole != ((details & CELLCODE_PATH) && (flat->wanted & column)) || (whole && kind != CELL_PLAIN))
            return false;
        if ((details & CELLCODE_PATH) && !take_bytes(data, &at, len, &passed))
            return false;
        if (kind == CELL_DEAD || kind == CELL_EXPIRED)
            continue;
        if (!take_bytes(data, &at, len, &value))
            return false;
        if (lives) {
            struct slice *place = &values[places[head >> 1]];
            const uint8_t *first = seen & column ? place->data : data + from;
            *place = whole ? slice_of(first, (size_t)(data + at - first)) : value;
            seen |= column;
        }
    }
    if (at != len)
        return false;
    show_missing(flat, seen, values);
    return (flags & ROWCODE_MARKER) || (seen && !marker_decides);
}

bool flat_next_element(struct slice *cells, struct slice *path, struct slice *value)
{
    enum { HEAD_BYTES = 2 };
    const uint8_t *data = cells->data;
    size_t at = HEAD_BYTES;

    if (cells->len < HEAD_BYTES)
        return false;
    if (data[1] & CELLCODE_TIMESTAMP)
        at = skip_varint(data, at, cells->len);
    if (!take_bytes(data, &at, cells->len, path) || !take_bytes(data, &at, cells->len, value))
        return false;
    *cells = slice_skip(*cells, at);
    return true;
}
