/*
 * catalog_fields.h - texts in the catalog's values, for catalog_code.c and catalog_view.c: varint length + 1 and bytes; 0 is null.
 */
#ifndef WR_MODEL_CATALOG_FIELDS_H
#define WR_MODEL_CATALOG_FIELDS_H

#include "engine/buf.h"
#include "engine/coding.h"

static inline void put_text(struct buf *buf, struct slice text)
{
    buf_put_varint(buf, text.data ? (uint64_t)text.len + 1 : 0);
    buf_put_slice(buf, text);
}

static inline struct slice read_text(struct reader *r)
{
    uint64_t n = read_varint(r);
    return n == 0 || n - 1 > reader_left(r) ? (r->failed |= n != 0, SLICE_NULL) : read_bytes(r, (size_t)n - 1);
}

/* A copy, not null. */
static inline enum wr_status copy_text(struct ctx *ctx, struct reader *r, struct slice *out)
{
    struct slice text = read_text(r);
    if (!text.data)
        return fail_corrupt(ctx, "catalog text");
    return ctx_copy(ctx, text, out);
}

#endif
