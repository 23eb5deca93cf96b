/*
 * flat.h - flat rows (scan.h) from their row code (rowcode.h): the values without the cells. For scan.c, whose loops it is part of.
 */
#ifndef WR_ENGINE_FLAT_H
#define WR_ENGINE_FLAT_H

#include "engine/coding.h"
#include "engine/rowcode.h"
#include "engine/scan.h"

/* The same as show_flat of rows that are as flat to who has said what time it is: of cells that end, have ended, were deleted or were written at several
 * times, and with collections. Damaged ones are left to who tells of it. */
bool show_nearly_flat(const struct flat_rows *flat, struct slice bytes, bool marker_decides, struct slice *values);

/* What a flat row has not is null. */
static inline void show_missing(const struct flat_rows *flat, uint64_t seen, struct slice *values)
{
    for (uint64_t missing = flat->wanted & ~seen; missing; missing &= missing - 1)
        values[flat->places[__builtin_ctzll(missing)]] = SLICE_NULL;
}

/* Of the values of a flat row those wanted; false: the row is not flat, or damaged, or there is nothing to see of it. */
static inline bool show_flat(const struct flat_rows *flat, struct slice bytes, bool marker_decides, struct slice *values)
{
    const uint8_t *data = bytes.data, *places = flat->places;
    const size_t len = bytes.len;
    size_t at = ROWCODE_PLAIN_BYTES;
    uint64_t seen = 0;

    if (len < ROWCODE_PLAIN_BYTES)
        return false;
    if (data[0] > ROWCODE_MARKER)
        return show_nearly_flat(flat, bytes, marker_decides, values);
    while (at + 1 < len) {
        unsigned pair = read_u16_le(data + at); /* a head and a length below 128, as most are */
        size_t cell_len = pair >> 8;
        at += 2;
        if (pair & 0x8081) {
            if (pair & 0x81 || at == len || data[at] & 0x80) /* longer values can afford the other way */
                return pair & 1 && show_nearly_flat(flat, bytes, marker_decides, values);
            cell_len = (cell_len & 0x7F) | (size_t)data[at++] << 7;
        }
        unsigned column = (pair & 0x7F) >> 1;
        seen |= UINT64_C(1) << column;
        values[places[column]] = slice_of(data + at, cell_len);
        at += cell_len;
    }
    if (at != len)
        return false;
    show_missing(flat, seen, values);
    return data[0] || (seen && !marker_decides);
}

/* Whether a row is alive beyond doubt: by its marker, which does not end, or by the first of cells that are plain. */
static inline bool is_plainly_alive(struct slice bytes, bool marker_decides)
{
    if (bytes.len < ROWCODE_PLAIN_BYTES)
        return false;
    if (bytes.data[0] & ROWCODE_MARKER)
        return !(bytes.data[0] & ROWCODE_MARKER_EXPIRES);
    bool has_plain = !bytes.data[0] && bytes.len > ROWCODE_PLAIN_BYTES && !(bytes.data[ROWCODE_PLAIN_BYTES] & 1); /* rowcode.h: detailed */
    return has_plain && !marker_decides;
}

static inline int64_t flat_timestamp(struct slice bytes)
{
    return (int64_t)read_u64(bytes.data + 1);
}

#endif
