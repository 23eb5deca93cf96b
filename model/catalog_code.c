#include "model/catalog_code.h"

#include "engine/hash.h"
#include "model/catalog_fields.h"

enum { NAME_BYTES_MAX = 400 };

/* ---- names ---- */

enum wr_status catalog_prefix(struct ctx *ctx, enum catalog_tag tag, struct slice keyspace, struct slice *out)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    buf_put_u8(&buf, (uint8_t)tag);
    if (keyspace.data) {
        buf_put_slice(&buf, keyspace);
        buf_put_u8(&buf, 0);
    }
    return buf_done(ctx, &buf, out);
}

enum wr_status catalog_name(struct ctx *ctx, enum catalog_tag tag, struct slice keyspace, struct slice name,
                            struct slice *out)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    buf_put_u8(&buf, (uint8_t)tag);
    if (keyspace.data)
        buf_put_slice(&buf, keyspace);
    if (name.data) {
        buf_put_u8(&buf, 0);
        if (name.len <= NAME_BYTES_MAX) {
            buf_put_slice(&buf, name);
        } else {
            uint8_t hash[HASH128_BYTES];
            hash128_put(name, hash);
            buf_put(&buf, name.data, NAME_BYTES_MAX);
            buf_put(&buf, hash, sizeof hash);
        }
    }
    return buf_done(ctx, &buf, out);
}

/* ---- keyspaces ---- */

enum wr_status keyspace_encode(struct ctx *ctx, const struct keyspace *keyspace, struct slice *out)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    buf_put_u8(&buf, CATALOG_FORMAT);
    put_text(&buf, keyspace->name);
    buf_put_u8(&buf, keyspace->durable_writes);
    catalog_put_map(&buf, &keyspace->replication);
    return buf_done(ctx, &buf, out);
}

enum wr_status keyspace_decode(struct ctx *ctx, struct slice bytes, struct keyspace *out)
{
    struct reader r = reader_of(bytes);
    *out = (struct keyspace){ 0 };
    TRY(catalog_read_format(ctx, &r));
    TRY(copy_text(ctx, &r, &out->name));
    uint8_t durable = read_byte(&r);
    if (durable > 1)
        return fail_corrupt(ctx, "catalog keyspace");
    out->durable_writes = durable;
    TRY(catalog_read_map(ctx, &r, &out->replication));
    return catalog_read_end(ctx, &r);
}

/* ---- user types ---- */

enum wr_status type_encode(struct ctx *ctx, const struct type *type, struct slice *out)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    buf_put_u8(&buf, CATALOG_FORMAT);
    put_text(&buf, type->name);
    buf_put_varint(&buf, type->arg_count);
    for (uint32_t i = 0; i < type->arg_count; i++) {
        put_text(&buf, type->field_names[i]);
        catalog_put_type(&buf, type->args[i]);
    }
    return buf_done(ctx, &buf, out);
}

enum wr_status type_decode(struct ctx *ctx, struct slice bytes, struct slice keyspace, type_lookup *lookup, void *arg,
                           const struct type **out)
{
    struct reader r = reader_of(bytes);
    struct type_finder finder = { lookup, arg, false };
    struct slice name;
    TRY(catalog_read_format(ctx, &r));
    TRY(copy_text(ctx, &r, &name));
    uint64_t count = read_varint(&r);
    if (r.failed || count > reader_left(&r) / 2)
        return fail_corrupt(ctx, "catalog type");
    struct slice *field_names = NEW_ARRAY(ctx, struct slice, count);
    const struct type **types = NEW_ARRAY(ctx, const struct type *, count);
    if (!field_names || !types)
        return WR_NOMEM;
    for (uint64_t i = 0; i < count; i++) {
        TRY(copy_text(ctx, &r, &field_names[i]));
        TRY(catalog_read_type(ctx, &r, keyspace, &finder, &types[i]));
        if (!types[i]) {
            *out = NULL;
            return WR_OK;
        }
    }
    TRY(catalog_read_end(ctx, &r));
    *out = type_make_udt(ctx, keyspace, name, field_names, types, (uint32_t)count);
    return *out ? WR_OK : WR_NOMEM;
}

/* ---- functions and aggregates ---- */

enum wr_status function_encode(struct ctx *ctx, const struct function *function, struct slice *out)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    buf_put_u8(&buf, CATALOG_FORMAT);
    put_text(&buf, function->name);
    buf_put_varint(&buf, function->arg_count);
    for (uint32_t i = 0; i < function->arg_count; i++) {
        put_text(&buf, function->arg_names[i]);
        catalog_put_type(&buf, function->args[i]);
    }
    catalog_put_type(&buf, function->result);
    buf_put_u8(&buf, function->called_on_null);
    put_text(&buf, function->language);
    put_text(&buf, function->body);
    return buf_done(ctx, &buf, out);
}

enum wr_status aggregate_encode(struct ctx *ctx, const struct aggregate *aggregate, struct slice *out)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    buf_put_u8(&buf, CATALOG_FORMAT);
    put_text(&buf, aggregate->name);
    buf_put_varint(&buf, aggregate->arg_count);
    for (uint32_t i = 0; i < aggregate->arg_count; i++)
        catalog_put_type(&buf, aggregate->args[i]);
    put_text(&buf, aggregate->state_function);
    catalog_put_type(&buf, aggregate->state);
    put_text(&buf, aggregate->final_function);
    catalog_put_type(&buf, aggregate->result);
    put_text(&buf, aggregate->initial);
    return buf_done(ctx, &buf, out);
}

/* Arguments: as many types as a number in front says, each with a name before it where names are wanted. */
static enum wr_status read_arguments(struct ctx *ctx, struct reader *r, struct slice keyspace, struct type_finder *finder, const struct type *const **out,
                                     const struct slice **names, uint32_t *out_count)
{
    uint64_t count = read_varint(r);
    if (r->failed || count > reader_left(r))
        return fail_corrupt(ctx, "catalog: arguments");
    const struct type **args = NEW_ARRAY(ctx, const struct type *, count);
    struct slice *list = names ? NEW_ARRAY(ctx, struct slice, count) : NULL;
    if (!args || (names && !list))
        return WR_NOMEM;
    for (uint64_t i = 0; i < count; i++) {
        if (names)
            TRY(copy_text(ctx, r, &list[i]));
        TRY(catalog_read_known_type(ctx, r, keyspace, finder, &args[i]));
    }
    *out = args;
    *out_count = (uint32_t)count;
    if (names)
        *names = list;
    return WR_OK;
}

enum wr_status function_decode(struct ctx *ctx, struct slice bytes, struct slice keyspace, type_lookup *lookup, void *arg,
                               struct function *out)
{
    struct reader r = reader_of(bytes);
    struct type_finder finder = { lookup, arg, false };
    *out = (struct function){ 0 };
    TRY(catalog_read_format(ctx, &r));
    TRY(copy_text(ctx, &r, &out->name));
    TRY(read_arguments(ctx, &r, keyspace, &finder, &out->args, &out->arg_names, &out->arg_count));
    TRY(catalog_read_known_type(ctx, &r, keyspace, &finder, &out->result));
    uint8_t called = read_byte(&r);
    if (called > 1)
        return fail_corrupt(ctx, "catalog function");
    out->called_on_null = called;
    TRY(copy_text(ctx, &r, &out->language));
    TRY(copy_text(ctx, &r, &out->body));
    return catalog_read_end(ctx, &r);
}

enum wr_status aggregate_decode(struct ctx *ctx, struct slice bytes, struct slice keyspace, type_lookup *lookup, void *arg,
                                struct aggregate *out)
{
    struct reader r = reader_of(bytes);
    struct type_finder finder = { lookup, arg, false };
    *out = (struct aggregate){ 0 };
    TRY(catalog_read_format(ctx, &r));
    TRY(copy_text(ctx, &r, &out->name));
    TRY(read_arguments(ctx, &r, keyspace, &finder, &out->args, NULL, &out->arg_count));
    TRY(copy_text(ctx, &r, &out->state_function));
    TRY(catalog_read_known_type(ctx, &r, keyspace, &finder, &out->state));
    TRY(catalog_copy_optional(ctx, &r, &out->final_function));
    TRY(catalog_read_known_type(ctx, &r, keyspace, &finder, &out->result));
    TRY(catalog_copy_optional(ctx, &r, &out->initial));
    return catalog_read_end(ctx, &r);
}
