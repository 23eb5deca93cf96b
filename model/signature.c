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

enum wr_status aggregate_find(struct ctx *ctx, const struct keyspace *keyspace, struct slice name, const struct slice *types,
                              uint32_t count, const struct aggregate **out)
{
    *out = NULL;
    for (uint32_t i = 0; keyspace && i < keyspace->aggregate_count && !*out; i++) {
        const struct aggregate *a = &keyspace->aggregates[i];
        struct slice *own;
        if (!slice_eq(a->name, name) || a->arg_count != count)
            continue;
        TRY(type_texts(ctx, a->args, count, &own));
        if (same_texts(own, types, count))
            *out = a;
    }
    return WR_OK;
}
