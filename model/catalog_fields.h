/*
 * catalog_fields.h - what the catalog's values are made of, for catalog_code.c, catalog_table.c and catalog_view.c. A text: varint length + 1 and bytes; 0 is
 * null.
 */
#ifndef WR_MODEL_CATALOG_FIELDS_H
#define WR_MODEL_CATALOG_FIELDS_H

#include "engine/buf.h"
#include "engine/coding.h"
#include "model/catalog_code.h"

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

enum { CATALOG_FORMAT = 1 }; /* the byte that a value begins with */
enum wr_status catalog_read_format(struct ctx *ctx, struct reader *r);
enum wr_status catalog_read_end(struct ctx *ctx, const struct reader *r); /* nothing may be left */

void catalog_put_map(struct buf *buf, const struct string_map *map);
enum wr_status catalog_read_map(struct ctx *ctx, struct reader *r, struct string_map *out);
enum wr_status catalog_copy_optional(struct ctx *ctx, struct reader *r, struct slice *out); /* a copy of a text, or null */

/* Remembers whether it was asked for a type it does not know. */
struct type_finder {
    type_lookup *lookup;
    void *arg;
    bool missed;
};

void catalog_put_type(struct buf *buf, const struct type *type);
/* *out NULL: a user type is not known (yet). */
enum wr_status catalog_read_type(struct ctx *ctx, struct reader *r, struct slice keyspace, struct type_finder *finder, const struct type **out);
/* One that has to be known by now. */
enum wr_status catalog_read_known_type(struct ctx *ctx, struct reader *r, struct slice keyspace, struct type_finder *finder, const struct type **out);

#endif
