#include "model/family.h"

#include "engine/coding.h"
#include "engine/counter.h"

/* See clustering.h: null components have header 0x02, or 0xFD in a table that is read backwards, where they are the last ones stored. */
enum { AFTER_PREFIX = 0xFF, BEHIND_MISSING = 0x03, MISSING_BACKWARDS = 0xFD };

enum wr_status family_of(struct ctx *ctx, const struct table *table, struct family *out)
{
    unsigned wanted = TABLE_COMPACT | TABLE_DENSE;
    if ((table->flags & wanted) != wanted || table->key_count != 1 || table->regular_count != 1)
        return fail(ctx, WR_INVALID, "table %.*s is not a column family of names and values", SLICE_ARG(table->name));
    out->table = table;
    out->value = &table->columns[table->column_count - 1];
    out->is_counter = table_is_counter(table);
    return WR_OK;
}

/* ---- names ---- */

struct composite {
    struct slice *values; /* clustering_count of them */
    uint32_t count;       /* given */
    int8_t end;           /* the last end-of-component byte */
};

static enum wr_status split_name(struct ctx *ctx, const struct family *family, struct slice name, struct composite *out)
{
    uint32_t most = family->table->clustering_count;
    *out = (struct composite){ .values = NEW_ARRAY(ctx, struct slice, most) };
    if (!out->values)
        return WR_NOMEM;
    if (most == 1) {
        out->values[0] = name;
        out->count = 1;
    } else {
        struct reader r = reader_of(name);
        while (reader_left(&r) && out->count < most && !r.failed) {
            out->values[out->count++] = read_bytes(&r, read_be16(&r));
            out->end = (int8_t)read_byte(&r);
        }
        if (r.failed || reader_left(&r))
            return fail(ctx, WR_INVALID, "Not enough bytes to read value of component %u", out->count ? out->count - 1 : 0);
    }
    for (uint32_t i = 0; i < out->count; i++)
        TRY(type_validate(ctx, family->table->clustering.columns[i].type, out->values[i]));
    return WR_OK;
}

enum wr_status family_name_put(struct ctx *ctx, const struct family *family, struct slice name, struct slice *clustering,
                               struct slice *annex)
{
    struct composite c;
    if (!name.len)
        return fail(ctx, WR_INVALID, "column name must not be empty");
    TRY(split_name(ctx, family, name, &c));
    return clustering_encode(ctx, &family->table->clustering, c.values, clustering, annex);
}

enum wr_status family_name_get(struct ctx *ctx, const struct family *family, struct slice clustering, struct slice annex,
                               struct slice *name)
{
    uint32_t count = family->table->clustering_count;
    struct slice *values = NEW_ARRAY(ctx, struct slice, count);
    struct buf buf;
    if (!values)
        return WR_NOMEM;
    TRY(clustering_get(ctx, &family->table->clustering, clustering, annex, values));
    if (count == 1) {
        *name = values[0];
        return WR_OK;
    }
    buf_init(&buf, ctx->arena);
    for (uint32_t i = 0; i < count && !slice_is_null(values[i]); i++) {
        buf_put_u16(&buf, (uint16_t)values[i].len);
        buf_put_slice(&buf, values[i]);
        buf_put_u8(&buf, 0);
    }
    return buf_done(ctx, &buf, name);
}

enum wr_status family_names_get(struct ctx *ctx, const struct family *family, const struct slice *clusterings, uint32_t n, struct slice *names)
{
    if (family->table->clustering_count == 1)
        return clustering_split_rows(ctx, &family->table->clustering, clusterings, n, names, 1);
    for (uint32_t i = 0; i < n; i++)
        TRY(family_name_get(ctx, family, clusterings[i], SLICE_NULL, &names[i]));
    return WR_OK;
}

/* Where a bound lies, in the table's order: names that end with the prefix come first of all that begin with it. */
enum bound_place { BEFORE_ALL, BEHIND_SHORT, BEHIND_ALL };

/* AbstractCompositeType's ends of components: -1 before, 0 at, 1 behind all that begins so, whatever direction the components have. */
static enum bound_place place_of(const struct composite *c, bool is_finish, bool whole)
{
    if (c->end)
        return c->end < 0 ? BEFORE_ALL : BEHIND_ALL;
    return !is_finish ? BEFORE_ALL : whole ? BEHIND_ALL : BEHIND_SHORT;
}

static enum wr_status put_bound(struct ctx *ctx, const struct family *family, struct slice name, bool is_finish, struct slice *out)
{
    static const uint8_t marks[2][3] = {
        /* table read backwards: */
        [false] = { [BEHIND_SHORT] = BEHIND_MISSING, [BEHIND_ALL] = AFTER_PREFIX },
        [true] = { [BEFORE_ALL] = AFTER_PREFIX, [BEHIND_SHORT] = MISSING_BACKWARDS },
    };
    const struct clustering_shape *shape = &family->table->clustering;
    struct composite c;
    struct buf buf;
    TRY(split_name(ctx, family, name, &c));
    buf_init(&buf, ctx->arena);
    clustering_put(&buf, shape, c.values, c.count);
    uint8_t mark = marks[shape->reversed][place_of(&c, is_finish, c.count == shape->count)];
    if (mark)
        buf_put_u8(&buf, mark);
    return buf_done(ctx, &buf, out);
}

enum wr_status family_range(struct ctx *ctx, const struct family *family, struct slice start, struct slice finish, bool reversed,
                            struct range *out)
{
    bool backwards = family->table->clustering.reversed;
    struct slice first = reversed ? finish : start, last = reversed ? start : finish; /* in the table's order */
    struct slice low = backwards ? last : first, high = backwards ? first : last;     /* as it is stored */
    *out = (struct range){ SLICE_EMPTY, SLICE_NULL };
    if (low.len)
        TRY(put_bound(ctx, family, low, backwards, &out->start));
    if (high.len)
        TRY(put_bound(ctx, family, high, !backwards, &out->end));
    if (!slice_is_null(out->end) && slice_cmp(out->start, out->end) > 0)
        return fail(ctx, WR_INVALID, "range finish must come after start in the order of traversal");
    return WR_OK;
}

/* ---- changes ---- */

enum wr_status family_check_key(struct ctx *ctx, const struct family *family, struct slice key)
{
    struct slice serialized;
    if (slice_is_null(key))
        key = SLICE_EMPTY;
    TRY(partition_key_put(ctx, &key, 1, &serialized));
    return type_validate(ctx, table_key(family->table, 0)->type, key);
}

/* An update of one row with room for one cell. */
static enum wr_status one_row(struct ctx *ctx, const struct family *family, const struct family_change *change,
                              struct update **out, struct row **row)
{
    struct update *update = NEW(ctx, struct update);
    struct row_update *rows = NEW(ctx, struct row_update);
    struct cell *cells = NEW(ctx, struct cell);
    TRY(family_check_key(ctx, family, change->key));
    if (!update || !rows || !cells)
        return WR_NOMEM;
    update->table = &family->table->shape;
    update->partition_key = change->key;
    update->partition_deletion = DELETION_NONE;
    update->rows = rows;
    update->row_count = 1;
    rows->row = ROW_NONE;
    rows->row.cells = cells;
    rows->row.cell_count = 1;
    cells->column = family->value->id;
    cells->timestamp_us = change->timestamp_us;
    TRY(family_name_put(ctx, family, change->name, &rows->clustering, &rows->row.annex));
    *out = update;
    *row = &rows->row;
    return WR_OK;
}

enum wr_status family_insert(struct ctx *ctx, const struct family *family, const struct family_change *change, struct update **out)
{
    struct update *update;
    struct row *row;
    if (family->is_counter)
        return fail(ctx, WR_INVALID, "invalid operation for commutative columnfamily %.*s", SLICE_ARG(family->table->name));
    if (change->ttl_s < 0 || change->ttl_s > TTL_MAX_S)
        return fail(ctx, WR_INVALID, "ttl must be between 0 and %d (got %d)", TTL_MAX_S, change->ttl_s);
    TRY(one_row(ctx, family, change, &update, &row));
    struct cell *cell = row->cells;
    cell->value = slice_is_null(change->value) ? SLICE_EMPTY : change->value;
    TRY(type_validate(ctx, family->value->type, cell->value));
    if (change->ttl_s) {
        cell->kind = CELL_EXPIRING;
        cell->ttl_s = (uint32_t)change->ttl_s;
        cell->local_s = ctx->now_s + cell->ttl_s;
    }
    *out = update;
    return WR_OK;
}

enum wr_status family_remove(struct ctx *ctx, const struct family *family, const struct family_change *change, struct update **out)
{
    struct update *update;
    struct row *row;
    if (slice_is_null(change->name)) {
        TRY(family_check_key(ctx, family, change->key));
        if (!(update = NEW(ctx, struct update)))
            return WR_NOMEM;
        update->table = &family->table->shape;
        update->partition_key = change->key;
        update->partition_deletion = (struct deletion){ change->timestamp_us, ctx->now_s };
        *out = update;
        return WR_OK;
    }
    TRY(one_row(ctx, family, change, &update, &row));
    row->cells->kind = CELL_DEAD;
    row->cells->local_s = ctx->now_s;
    if (family->is_counter)
        counter_end(row->cells);
    *out = update;
    return WR_OK;
}

enum wr_status family_add(struct ctx *ctx, const struct family *family, const struct family_change *change, struct update **out)
{
    struct update *update;
    struct row *row;
    uint8_t *bytes = ctx_alloc(ctx, 8);
    if (!bytes)
        return WR_NOMEM;
    if (!family->is_counter)
        return fail(ctx, WR_INVALID, "invalid operation for non commutative columnfamily %.*s", SLICE_ARG(family->table->name));
    TRY(one_row(ctx, family, change, &update, &row));
    put_u64(bytes, (uint64_t)change->increment);
    row->cells->flags = CELL_COUNTER;
    row->cells->value = slice_of(bytes, 8);
    *out = update;
    return WR_OK;
}
