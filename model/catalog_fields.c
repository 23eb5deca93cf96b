#include "model/catalog_fields.h"

void catalog_put_map(struct buf *buf, const struct string_map *map)
{
    buf_put_varint(buf, map->count);
    for (uint32_t i = 0; i < map->count; i++) {
        put_text(buf, map->keys[i]);
        put_text(buf, map->values[i]);
    }
}

enum wr_status catalog_read_map(struct ctx *ctx, struct reader *r, struct string_map *out)
{
    uint64_t count = read_varint(r);
    if (r->failed || count > reader_left(r) / 2) /* an entry is two bytes at least */
        return fail_corrupt(ctx, "catalog map");
    struct slice *keys = NEW_ARRAY(ctx, struct slice, count), *values = NEW_ARRAY(ctx, struct slice, count);
    if (!keys || !values)
        return WR_NOMEM;
    for (uint64_t i = 0; i < count; i++) {
        TRY(copy_text(ctx, r, &keys[i]));
        TRY(copy_text(ctx, r, &values[i]));
    }
    *out = (struct string_map){ .keys = keys, .values = values, .count = (uint32_t)count };
    return WR_OK;
}

enum wr_status catalog_read_format(struct ctx *ctx, struct reader *r)
{
    uint8_t format = read_byte(r);
    if (!r->failed && format > CATALOG_FORMAT)
        return fail(ctx, WR_VERSION, "the schema was written by a newer version of Widerow (format %u)", format);
    return r->failed || format != CATALOG_FORMAT ? fail_corrupt(ctx, "catalog entry") : WR_OK;
}

enum wr_status catalog_read_end(struct ctx *ctx, const struct reader *r)
{
    return r->failed || reader_left(r) ? fail_corrupt(ctx, "catalog entry") : WR_OK;
}

void catalog_put_type(struct buf *buf, const struct type *type)
{
    struct buf name;
    buf_init(&name, buf->arena);
    type_print_stored(&name, type);
    buf->failed |= name.failed;
    put_text(buf, buf_slice(&name));
}

static const struct type *find_type(void *arg, struct slice keyspace, struct slice name)
{
    struct type_finder *f = arg;
    const struct type *type = f->lookup ? f->lookup(f->arg, keyspace, name) : NULL;
    f->missed |= !type;
    return type;
}

/* *out NULL: a user type is not known (yet). */
enum wr_status catalog_read_type(struct ctx *ctx, struct reader *r, struct slice keyspace, struct type_finder *finder,
                                const struct type **out)
{
    struct slice text = read_text(r);
    if (!text.data)
        return fail_corrupt(ctx, "catalog type");
    finder->missed = false;
    enum wr_status st = type_parse_name(ctx, text, keyspace, find_type, finder, out);
    if (st != WR_OK && finder->missed) {
        *out = NULL;
        return WR_OK;
    }
    return st == WR_OK || st == WR_NOMEM ? st : fail_corrupt(ctx, "catalog type");
}

/* A type that has to be known by now. */
enum wr_status catalog_read_known_type(struct ctx *ctx, struct reader *r, struct slice keyspace, struct type_finder *finder,
                                      const struct type **out)
{
    TRY(catalog_read_type(ctx, r, keyspace, finder, out));
    return *out ? WR_OK : fail_corrupt(ctx, "catalog: unknown type");
}

enum wr_status catalog_copy_optional(struct ctx *ctx, struct reader *r, struct slice *out)
{
    return ctx_copy(ctx, read_text(r), out);
}
