/*
 * order.h - bytes that sort under memcmp as their values do.
 *
 * Knows no type: a caller says which of the few shapes its bytes have, and what comes in its own order already is put
 * as it is.
 * 1. Within one shape no encoding is a prefix of another, so encodings can follow each other and whole sequences still
 * sort element by element; this stays true when all bits are flipped, which turns the order around (order_invert).
 * 2. Taking apart never runs past the end: false, or WR_CORRUPT, where the bytes cannot have been put.
 *
 *     signed   the big-endian two's complement with its first bit flipped
 *     real     IEEE 754 big-endian: first bit flipped, all bits where it was set; every NaN as the one, greatest
 *     string   its bytes, each 00 followed by FF; ends with 00 00
 */
#ifndef WR_ENGINE_ORDER_H
#define WR_ENGINE_ORDER_H

#include "engine/buf.h"

enum { ORDER_STRING_END = 2 }; /* bytes behind a string's own */

void order_put_signed(struct buf *buf, struct slice value);
void order_put_real(struct buf *buf, struct slice value); /* 4 or 8 bytes */
void order_put_string(struct buf *buf, struct slice value);

/* Takes n bytes from the front of *from into out. */
bool order_get_signed(struct slice *from, uint8_t *out, size_t n);
bool order_get_real(struct slice *from, uint8_t *out, size_t n);
bool order_get_raw(struct slice *from, uint8_t *out, size_t n);
enum wr_status order_get_string(struct ctx *ctx, struct slice *from, struct slice *out); /* in ctx's memory */
/* The same of bytes that are one string and nothing else, where it lies; false: it does not lie there as it is, or they are damaged. */
static inline bool order_view_string(struct slice from, struct slice *out)
{
    size_t len = from.len - ORDER_STRING_END;

    if (from.len < ORDER_STRING_END || from.data[len + 1] || memchr(from.data, 0, from.len) != from.data + len)
        return false;
    *out = slice_of(from.data, len);
    return true;
}

/* Flips what was put since the buf was `from` long. */
void order_invert(struct buf *buf, size_t from);

#endif
