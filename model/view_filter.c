#include "model/view_filter.h"

enum wr_status view_filter_encode(struct exec *exec, const struct restrictions *r, struct slice *out)
{
    struct filter *tests;
    struct range *ranges;
    struct buf buf;
    bool null_bound;
    uint32_t count;

    TRY(restrict_ranges(exec, r, &ranges, &count, &null_bound));
    TRY(filter_new(exec, r, &tests));
    buf_init(&buf, exec->ctx->arena);
    buf_put_varint(&buf, count);
    for (uint32_t i = 0; i < count; i++) {
        struct slice end = ranges[i].end;
        buf_put_varint(&buf, ranges[i].start.len);
        buf_put_slice(&buf, ranges[i].start);
        buf_put_varint(&buf, slice_is_null(end) ? 0 : (uint64_t)end.len + 1);
        buf_put_slice(&buf, end);
    }
    filter_put(&buf, tests);
    return buf_done(exec->ctx, &buf, out);
}

static enum wr_status read_range(struct ctx *ctx, struct reader *r, struct range *out)
{
    uint64_t end;

    TRY(ctx_copy(ctx, read_bytes(r, read_varint(r)), &out->start));
    end = read_varint(r);
    out->end = SLICE_NULL;
    return end ? ctx_copy(ctx, read_bytes(r, end - 1), &out->end) : WR_OK;
}

enum wr_status view_filter_decode(struct ctx *ctx, const struct table *base, struct slice bytes, struct view_filter *out)
{
    struct reader r = reader_of(bytes);
    uint64_t count = read_varint(&r);

    if (r.failed || count > reader_left(&r) / 2)
        return fail_corrupt(ctx, "which rows a view has");
    if (!(out->ranges = NEW_ARRAY(ctx, struct range, count)))
        return WR_NOMEM;
    for (uint64_t i = 0; i < count; i++)
        TRY(read_range(ctx, &r, &out->ranges[i]));
    out->range_count = (uint32_t)count;
    if (r.failed)
        return fail_corrupt(ctx, "which rows a view has");
    TRY(filter_read(ctx, &r, base, &out->tests));
    return reader_left(&r) ? fail_corrupt(ctx, "which rows a view has") : WR_OK;
}

enum wr_status view_filter_passes(struct ctx *ctx, const struct view_filter *f, const struct slice *keys, struct slice clustering,
                                  bool *passes)
{
    *passes = false;
    for (uint32_t i = 0; i < f->range_count && !*passes; i++)
        *passes = range_has(f->ranges[i], clustering);
    if (*passes)
        TRY(filter_partition(ctx, f->tests, keys, passes));
    return *passes ? filter_row(ctx, f->tests, keys, passes) : WR_OK;
}
