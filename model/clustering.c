#include "model/clustering.h"

#include "engine/coding.h"
#include "engine/order.h"
#include "model/type_parts.h"

enum { MISSING = PART_NULL, MISSING_REVERSED = (uint8_t)~PART_NULL };
enum { COMPONENT_OVERHEAD = 3 }; /* u16 length and the end byte of a composite key's component */

void clustering_put(struct buf *buf, const struct clustering_shape *shape, const struct slice *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        size_t from = buf->len;
        if (slice_is_null(values[i])) { /* first in the table's order, be it ascending or descending: ClusteringComparator */
            buf_put_u8(buf, shape->reversed ? MISSING_REVERSED : MISSING);
            continue;
        }
        type_put_part(buf, shape->columns[i].type, values[i]);
        if (shape->columns[i].inverted)
            order_invert(buf, from);
    }
}

/* The annex: the values one after the other as in a collection, without a count. */
enum wr_status clustering_read_annex(struct ctx *ctx, const struct clustering_shape *shape, struct slice annex, struct slice *values)
{
    struct reader r = reader_of(annex);
    for (uint32_t i = 0; i < shape->count; i++) {
        struct slice value = reader_left(&r) ? read_bytes32(&r) : SLICE_NULL;
        if (r.failed)
            return fail_corrupt(ctx, "clustering: an annex");
        TRY(ctx_copy(ctx, value, &values[i]));
    }
    return WR_OK;
}

static inline enum wr_status split_one(struct ctx *ctx, const struct clustering_column *column, struct slice *bytes, struct slice *value)
{
    if (!bytes->len) {
        *value = SLICE_NULL;
        return WR_OK;
    }
    if (bytes->data[0] == PART_VALUE && !column->inverted) {
        *bytes = slice_skip(*bytes, 1);
        return column->read(ctx, column->type, bytes, value);
    }
    if (bytes->data[0] == MISSING || bytes->data[0] == MISSING_REVERSED) {
        *value = SLICE_NULL;
        *bytes = slice_skip(*bytes, 1);
        return WR_OK;
    }
    return (column->inverted ? type_get_part_inverted : type_get_part)(ctx, column->type, bytes, value);
}

static inline enum wr_status split(struct ctx *ctx, const struct clustering_shape *shape, struct slice bytes, struct slice *values)
{
    for (uint32_t i = 0; i < shape->count; i++)
        TRY(split_one(ctx, &shape->columns[i], &bytes, &values[i]));
    return bytes.len ? fail_corrupt(ctx, "clustering: bytes behind the last column") : WR_OK;
}

enum wr_status clustering_split_bound(struct ctx *ctx, const struct clustering_shape *shape, struct slice bytes, struct slice *values,
                                      uint32_t *n, bool *behind)
{
    enum { BEHIND = 0xFF };
    for (*n = 0; bytes.len && bytes.data[0] != BEHIND && *n < shape->count; ++*n)
        TRY(split_one(ctx, &shape->columns[*n], &bytes, &values[*n]));
    *behind = bytes.len > 0;
    return WR_OK;
}

enum wr_status clustering_split(struct ctx *ctx, const struct clustering_shape *shape, struct slice bytes, struct slice *values)
{
    return split(ctx, shape, bytes, values);
}

/* Most tables have one clustering column, and most of its values a length of their own. */
static enum wr_status split_fixed(struct ctx *ctx, const struct clustering_shape *shape, const struct slice *rows, uint32_t n,
                                  struct slice *values, uint32_t stride)
{
    type_fixed_reader *read = shape->columns->fixed;
    size_t len = (size_t)type_fixed_len(shape->columns->type);
    uint8_t *to = arena_alloc_raw(ctx->arena, n * len);

    if (!to)
        return fail_nomem(ctx);
    for (uint32_t i = 0; i < n; i++, values += stride, to += len) {
        if (rows[i].len != len + 1 || rows[i].data[0] != PART_VALUE) {
            TRY(split(ctx, shape, rows[i], values));
            continue;
        }
        read(rows[i].data + 1, to, len);
        *values = slice_of(to, len);
    }
    return WR_OK;
}

enum wr_status clustering_split_rows(struct ctx *ctx, const struct clustering_shape *shape, const struct slice *rows, uint32_t n,
                                     struct slice *values, uint32_t stride)
{
    if (shape->count == 1 && shape->columns->fixed)
        return split_fixed(ctx, shape, rows, n, values, stride);
    for (uint32_t i = 0; i < n; i++, values += stride)
        TRY(split(ctx, shape, rows[i], values));
    return WR_OK;
}

/* Whether the value comes back from its comparable bytes as it was written; most do, whatever their type. */
static enum wr_status comes_back(struct ctx *ctx, const struct type *type, struct slice value, bool *out)
{
    struct buf buf;
    struct slice from, back;
    buf_init(&buf, ctx->arena);
    type_put_part(&buf, type, value);
    TRY(buf_done(ctx, &buf, &from));
    TRY(type_get_part(ctx, type, &from, &back));
    *out = slice_is_null(value) == slice_is_null(back) && slice_eq(value, back);
    return WR_OK;
}

enum wr_status clustering_annex(struct ctx *ctx, const struct clustering_shape *shape, const struct slice *values,
                                struct slice *out)
{
    bool all = true;
    struct buf buf;
    *out = SLICE_NULL;
    for (uint32_t i = 0; shape->lossy && all && i < shape->count; i++)
        if (type_order_is_lossy(shape->columns[i].type))
            TRY(comes_back(ctx, shape->columns[i].type, values[i], &all));
    if (all)
        return WR_OK;
    buf_init(&buf, ctx->arena);
    for (uint32_t i = 0; i < shape->count; i++)
        buf_put_bytes32(&buf, values[i]);
    return buf_done(ctx, &buf, out);
}

enum wr_status clustering_encode(struct ctx *ctx, const struct clustering_shape *shape, const struct slice *values,
                                 struct slice *out, struct slice *annex)
{
    struct buf buf;
    size_t len = 0;
    for (uint32_t i = 0; i < shape->count; i++)
        len += values[i].len;
    if (len > KEY_BYTES_MAX)
        return fail(ctx, WR_INVALID, "Key length of %zu is longer than maximum of %d", len, KEY_BYTES_MAX);
    buf_init(&buf, ctx->arena);
    clustering_put(&buf, shape, values, shape->count);
    TRY(buf_done(ctx, &buf, out));
    return clustering_annex(ctx, shape, values, annex);
}

/* ---- partition keys ---- */

enum wr_status partition_key_put(struct ctx *ctx, const struct slice *values, uint32_t n, struct slice *out)
{
    if (n == 1 && values[0].len == 0)
        return fail(ctx, WR_INVALID, "Key may not be empty");
    return partition_key_join(ctx, values, n, out);
}

enum wr_status partition_key_join(struct ctx *ctx, const struct slice *values, uint32_t n, struct slice *out)
{
    size_t total = 0;
    for (uint32_t i = 0; i < n; i++)
        total += values[i].len;
    if (n > 1 && total <= KEY_BYTES_MAX) /* the values alone are looked at first */
        total += n * COMPONENT_OVERHEAD;
    if (total > KEY_BYTES_MAX)
        return fail(ctx, WR_INVALID, "Key length of %zu is longer than maximum of %d", total, KEY_BYTES_MAX);
    return partition_key_bytes(ctx, values, n, out);
}

enum wr_status partition_key_bytes(struct ctx *ctx, const struct slice *values, uint32_t n, struct slice *out)
{
    struct buf buf;

    if (n == 1)
        return ctx_copy(ctx, values[0], out);
    buf_init(&buf, ctx->arena);
    for (uint32_t i = 0; i < n; i++) {
        if (values[i].len > UINT16_MAX)
            return fail(ctx, WR_SERVER_ERROR, "java.lang.IllegalArgumentException: Length %zu > max length %d", values[i].len, UINT16_MAX);
        buf_put_u16(&buf, (uint16_t)values[i].len);
        buf_put_slice(&buf, values[i]);
        buf_put_u8(&buf, 0);
    }
    return buf_done(ctx, &buf, out);
}

enum wr_status partition_key_get(struct ctx *ctx, struct slice key, uint32_t n, struct slice *values)
{
    struct reader r = reader_of(key);
    if (n == 1)
        return ctx_copy(ctx, key, &values[0]);
    for (uint32_t i = 0; i < n; i++) {
        struct slice value = read_bytes(&r, read_be16(&r));
        read_byte(&r);
        if (r.failed)
            return fail_corrupt(ctx, "a partition key");
        TRY(ctx_copy(ctx, value, &values[i]));
    }
    return reader_left(&r) ? fail_corrupt(ctx, "a partition key") : WR_OK;
}
