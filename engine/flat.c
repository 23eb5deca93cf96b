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

/* What stands before a row's cells, and when what ends of it ends; false: it is not so simple (rowcode.h). */
static bool pass_header(const struct flat_rows *flat, struct slice bytes, size_t *at, uint32_t *end_s)
{
    enum { KNOWN = ROWCODE_MARKER | ROWCODE_MARKER_EXPIRES | ROWCODE_EXPIRY | ROWCODE_COMPLEX | ROWCODE_DUE };
    const uint8_t *data = bytes.data;
    unsigned flags = data[0];
    struct slice complex;

    *at = ROWCODE_PLAIN_BYTES;
    *end_s = 0;
    if (flags & ~(unsigned)KNOWN)
        return false;
    if (flags & ROWCODE_DUE)
        *at += sizeof *end_s;
    if (flags & ROWCODE_EXPIRY) {
        *at = skip_varint(data, *at, bytes.len) + sizeof *end_s; /* the TTL before it */
        if (*at > bytes.len)
            return false;
        *end_s = read_u32(data + *at - sizeof *end_s);
    }
    if ((flags & ROWCODE_MARKER_EXPIRES) && flat->now_s >= *end_s)
        return false;
    return !(flags & ROWCODE_COMPLEX) || (!flat->counts_dead && take_bytes(data, at, bytes.len, &complex));
}

struct flat_cell {
    unsigned column;
    bool lives, whole; /* whole: an element, of a collection that is wanted with all of its cells */
    struct slice value; /* if it lives */
};

/* The cell at *at, of a row whose cells end at end_s if they do not say; false: it is not so simple. */
static inline bool take_cell(const struct flat_rows *flat, struct slice bytes, size_t *at, uint32_t end_s, struct flat_cell *out)
{
    enum { KNOWN = CELLCODE_KIND | CELLCODE_TIMESTAMP | CELLCODE_EXPIRY | CELLCODE_PATH };
    const uint8_t *data = bytes.data;
    const size_t len = bytes.len;
    unsigned head = data[(*at)++], details = head & 1 ? data[(*at)++] : 0, kind = details & CELLCODE_KIND;
    uint64_t column = UINT64_C(1) << (head >> 1 & (FLAT_COLUMNS - 1));
    struct slice path;

    if ((head & 0x80) || (details & ~(unsigned)KNOWN))
        return false;
    if (details & CELLCODE_TIMESTAMP)
        *at = skip_varint(data, *at, len);
    if (details & CELLCODE_EXPIRY)
        *at = skip_varint(data, *at, len);
    if ((details & CELLCODE_EXPIRY) || kind == CELL_DEAD) {
        *at += sizeof end_s;
        if (*at > len)
            return false;
        end_s = read_u32(data + *at - sizeof end_s);
    }
    out->column = head >> 1;
    out->lives = kind == CELL_PLAIN || (kind == CELL_EXPIRING && flat->now_s < end_s);
    out->whole = flat->collections & column;
    if (!out->lives && flat->counts_dead)
        return false;
    if (out->whole != ((details & CELLCODE_PATH) && (flat->wanted & column)) || (out->whole && kind != CELL_PLAIN))
        return false;
    if ((details & CELLCODE_PATH) && !take_bytes(data, at, len, &path))
        return false;
    return kind == CELL_DEAD || kind == CELL_EXPIRED || take_bytes(data, at, len, &out->value);
}

bool show_nearly_flat(const struct flat_rows *flat, struct slice bytes, bool marker_decides, struct slice *values)
{
    uint64_t seen = 0;
    uint32_t end_s;
    size_t at;

    if (!flat->now_s || !pass_header(flat, bytes, &at, &end_s))
        return false;
    while (at + 1 < bytes.len) {
        const uint8_t *from = bytes.data + at;
        struct flat_cell cell;
        if (!take_cell(flat, bytes, &at, end_s, &cell))
            return false;
        if (!cell.lives)
            continue;
        uint64_t column = UINT64_C(1) << cell.column;
        struct slice *place = &values[flat->places[cell.column]];
        const uint8_t *first = seen & column ? place->data : from;
        *place = cell.whole ? slice_of(first, (size_t)(bytes.data + at - first)) : cell.value;
        seen |= column;
    }
    if (at != bytes.len)
        return false;
    show_missing(flat, seen, values);
    return (bytes.data[0] & ROWCODE_MARKER) || (seen && !marker_decides);
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
