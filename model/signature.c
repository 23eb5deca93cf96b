#include "model/signature.h"

enum wr_status signature_text(struct ctx *ctx, struct slice name, const struct slice *args, uint32_t arg_count,
                              struct slice *out)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    buf_put_slice(&buf, name);
    buf_put_u8(&buf, '(');
    for (uint32_t i = 0; i < arg_count; i++)
        buf_printf(&buf, "%s%.*s", i ? ", " : "", SLICE_ARG(args[i]));
    buf_put_u8(&buf, ')');
    return buf_done(ctx, &buf, out);
}

enum wr_status type_texts(struct ctx *ctx, const struct type *const *types, uint32_t count, struct slice **out)
{
    if (!(*out = NEW_ARRAY(ctx, struct slice, count)))
        return WR_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        struct buf buf;
        buf_init(&buf, ctx->arena);
        type_print_name(&buf, types[i]);
        TRY(buf_done(ctx, &buf, &(*out)[i]));
    }
    return WR_OK;
}

bool same_texts(const struct slice *a, const struct slice *b, uint32_t count)
{
    uint32_t same = 0;
    while (same < count && slice_eq(a[same], b[same]))
        same++;
    return same == count;
}

static enum wr_status has_texts(struct ctx *ctx, const struct type *const *args, uint32_t arg_count, const struct slice *types,
                                uint32_t count, bool *out)
{
    struct slice *own;
    *out = false;
    if (arg_count != count)
        return WR_OK;
    TRY(type_texts(ctx, args, count, &own));
    *out = same_texts(own, types, count);
    return WR_OK;
}

enum wr_status function_find(struct ctx *ctx, const struct keyspace *keyspace, struct slice name, const struct slice *types,
                             uint32_t count, const struct function **out)
{
    *out = NULL;
    for (uint32_t i = 0; keyspace && i < keyspace->function_count && !*out; i++) {
        const struct function *f = &keyspace->functions[i];
        bool same;
        if (!slice_eq(f->name, name))
            continue;
        TRY(has_texts(ctx, f->args, f->arg_count, types, count, &same));
        *out = same ? f : NULL;
    }
    return WR_OK;
}

enum wr_status aggregate_find(struct ctx *ctx, const struct keyspace *keyspace, struct slice name, const struct slice *types,
                              uint32_t count, const struct aggregate **out)
{
    *out = NULL;
    for (uint32_t i = 0; keyspace && i < keyspace->aggregate_count && !*out; i++) {
        const struct aggregate *a = &keyspace->aggregates[i];
        bool same;
        if (!slice_eq(a->name, name))
            continue;
        TRY(has_texts(ctx, a->args, a->arg_count, types, count, &same));
        *out = same ? a : NULL;
    }
    return WR_OK;
}
