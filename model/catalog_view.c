/*
 * A view in the catalog, behind what it shares with tables:
 *     base's name | base's uuid 16 | flags u8 | chosen bytes | relations: columns: name | tuple u8 | rest
 */
#include "model/catalog_code.h"
#include "model/catalog_fields.h"

enum { EVERY_COLUMN = 1, KEY_CELL = 2 };

void view_encode(struct buf *buf, const struct view *view)
{
    put_text(buf, view->base_name);
    buf_put(buf, view->base_id, sizeof view->base_id);
    buf_put_u8(buf, (uint8_t)((view->every_column ? EVERY_COLUMN : 0) | (view->has_key_cell ? KEY_CELL : 0)));
    put_text(buf, view->chosen);
    buf_put_varint(buf, view->where_count);
    for (uint32_t i = 0; i < view->where_count; i++) {
        const struct view_relation *relation = &view->where[i];
        buf_put_varint(buf, relation->column_count);
        for (uint32_t c = 0; c < relation->column_count; c++)
            put_text(buf, relation->columns[c]);
        buf_put_u8(buf, relation->tuple);
        put_text(buf, relation->rest);
    }
}

static enum wr_status read_relation(struct ctx *ctx, struct reader *r, struct view_relation *out)
{
    uint64_t count = read_varint(r);
    struct slice *columns;

    if (r->failed || count == 0 || count > reader_left(r))
        return fail_corrupt(ctx, "catalog view");
    if (!(columns = NEW_ARRAY(ctx, struct slice, count)))
        return WR_NOMEM;
    for (uint64_t i = 0; i < count; i++)
        TRY(copy_text(ctx, r, &columns[i]));
    uint8_t tuple = read_byte(r);
    if (tuple > 1)
        return fail_corrupt(ctx, "catalog view");
    *out = (struct view_relation){ .columns = columns, .column_count = (uint32_t)count, .tuple = tuple };
    return copy_text(ctx, r, &out->rest);
}

enum wr_status view_decode(struct ctx *ctx, struct reader *r, const struct view **out)
{
    struct view *view = NEW(ctx, struct view);
    struct view_relation *where;

    if (!view)
        return WR_NOMEM;
    TRY(copy_text(ctx, r, &view->base_name));
    struct slice id = read_bytes(r, sizeof view->base_id);
    if (id.data)
        memcpy(view->base_id, id.data, sizeof view->base_id);
    uint8_t flags = read_byte(r);
    view->every_column = flags & EVERY_COLUMN;
    view->has_key_cell = flags & KEY_CELL;
    if (flags > (EVERY_COLUMN | KEY_CELL))
        return fail_corrupt(ctx, "catalog view");
    TRY(copy_text(ctx, r, &view->chosen));
    uint64_t count = read_varint(r);
    if (r->failed || count > reader_left(r) / 4)
        return fail_corrupt(ctx, "catalog view");
    if (!(where = NEW_ARRAY(ctx, struct view_relation, count)))
        return WR_NOMEM;
    for (uint64_t i = 0; i < count; i++)
        TRY(read_relation(ctx, r, &where[i]));
    view->where = where;
    view->where_count = (uint32_t)count;
    *out = view;
    return WR_OK;
}
