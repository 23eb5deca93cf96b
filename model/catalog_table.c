/* Tables to the bytes of the catalog and back, and what of a table follows from the rest. */
#include <stdlib.h>

#include "model/catalog_code.h"
#include "model/catalog_fields.h"
#include "model/index_forms.h"
#include "model/index_terms.h"
#include "model/options.h"
#include "model/system.h"

enum { COLUMNS_MAX = 1 << 20, CATALOG_SKETCHES = 128 /* beside an index's class */ };

static void put_options(struct buf *buf, const struct table_options *options)
{
    const struct option *o;
    uint32_t n = 0;
    while (option_at(n))
        n++;
    buf_put_varint(buf, n);
    for (uint32_t i = 0; (o = option_at(i)); i++) {
        const char *field = (const char *)options + o->offset;
        uint64_t bits;
        buf_put_u8(buf, o->code);
        switch (o->kind) {
        case OPTION_BOOL:
            buf_put_u8(buf, *(const bool *)field);
            break;
        case OPTION_DOUBLE:
            memcpy(&bits, field, sizeof bits);
            buf_put_u64(buf, bits);
            break;
        case OPTION_INT:
            buf_put_varint(buf, zigzag(*(const int32_t *)field));
            break;
        case OPTION_MAP:
            catalog_put_map(buf, (const struct string_map *)field);
            break;
        case OPTION_TEXT:
            put_text(buf, *(const struct slice *)field);
            break;
        }
    }
}

static enum wr_status read_options(struct ctx *ctx, struct reader *r, struct table_options *out)
{
    uint64_t n = read_varint(r), bits;
    *out = table_options_default;
    for (uint64_t i = 0; i < n && !r->failed; i++) {
        const struct option *o = option_by_code(read_byte(r));
        if (!o)
            return fail_corrupt(ctx, "catalog table option");
        char *field = (char *)out + o->offset;
        switch (o->kind) {
        case OPTION_BOOL:
            *(bool *)field = read_byte(r) != 0;
            break;
        case OPTION_DOUBLE:
            bits = read_be64(r);
            memcpy(field, &bits, sizeof bits);
            break;
        case OPTION_INT:
            *(int32_t *)field = (int32_t)unzigzag(read_varint(r));
            break;
        case OPTION_MAP:
            TRY(catalog_read_map(ctx, r, (struct string_map *)field));
            break;
        case OPTION_TEXT:
            TRY(copy_text(ctx, r, (struct slice *)field));
            break;
        }
    }
    return out->gc_grace_seconds < 0 ? fail_corrupt(ctx, "catalog table option") : WR_OK;
}

/* Among the flags of a stored table alone: masks follow. An entry without is what it was before there were masks. */
enum { STORED_MASKS = 128 };

static uint32_t mask_count(const struct table *table)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->column_count; i++)
        count += table->columns[i].mask != NULL;
    return count;
}

static void put_masks(struct buf *buf, const struct table *table)
{
    buf_put_varint(buf, mask_count(table));
    for (uint32_t i = 0; i < table->column_count; i++) {
        const struct column_mask *mask = table->columns[i].mask;
        if (!mask)
            continue;
        buf_put_varint(buf, i);
        put_text(buf, mask->keyspace);
        put_text(buf, mask->name);
        buf_put_varint(buf, mask->arg_count);
        for (uint32_t a = 0; a < mask->arg_count; a++) {
            catalog_put_type(buf, mask->types[a]);
            put_text(buf, mask->values[a]);
        }
    }
}

static enum wr_status read_mask(struct ctx *ctx, struct reader *r, struct type_finder *finder, struct slice keyspace,
                                const struct column_mask **out)
{
    struct column_mask *mask = NEW(ctx, struct column_mask);
    if (!mask)
        return WR_NOMEM;
    TRY(copy_text(ctx, r, &mask->keyspace));
    TRY(copy_text(ctx, r, &mask->name));
    uint64_t count = read_varint(r);
    if (r->failed || count > reader_left(r) / 2)
        return fail_corrupt(ctx, "catalog mask");
    const struct type **types = NEW_ARRAY(ctx, const struct type *, count);
    struct slice *values = NEW_ARRAY(ctx, struct slice, count);
    if (!types || !values)
        return WR_NOMEM;
    for (uint64_t i = 0; i < count; i++) {
        TRY(catalog_read_known_type(ctx, r, keyspace, finder, &types[i]));
        TRY(catalog_copy_optional(ctx, r, &values[i]));
    }
    mask->types = types;
    mask->values = values;
    mask->arg_count = (uint32_t)count;
    *out = mask;
    return WR_OK;
}

static enum wr_status read_masks(struct ctx *ctx, struct reader *r, struct type_finder *finder, struct table *t)
{
    struct column *columns = (struct column *)t->columns; /* read_columns has made them */
    uint64_t count = read_varint(r), before = UINT64_MAX;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t ordinal = read_varint(r);
        if (r->failed || ordinal >= t->column_count || (i && ordinal <= before))
            return fail_corrupt(ctx, "catalog mask");
        TRY(read_mask(ctx, r, finder, t->keyspace, &columns[ordinal].mask));
        before = ordinal;
    }
    return count ? WR_OK : fail_corrupt(ctx, "catalog mask");
}

enum wr_status table_encode(struct ctx *ctx, const struct table *table, struct slice *out)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    buf_put_u8(&buf, CATALOG_FORMAT);
    put_text(&buf, table->name);
    buf_put(&buf, table->id, sizeof table->id);
    buf_put_varint(&buf, table->flags | (mask_count(table) ? (unsigned)STORED_MASKS : 0));
    buf_put_varint(&buf, table->shape.table_id);
    buf_put_varint(&buf, table->next_column_id);
    buf_put_varint(&buf, table->changed);
    buf_put_varint(&buf, table->column_count);
    for (uint32_t i = 0; i < table->column_count; i++) {
        const struct column *c = &table->columns[i];
        put_text(&buf, c->name);
        buf_put_u8(&buf, (uint8_t)c->kind);
        buf_put_u8(&buf, c->descending);
        buf_put_varint(&buf, c->id);
        buf_put_varint(&buf, zigzag(c->dropped_us));
        catalog_put_type(&buf, c->type);
    }
    put_options(&buf, &table->options);
    buf_put_varint(&buf, table->index_count);
    for (uint32_t i = 0; i < table->index_count; i++) {
        const struct index *x = &table->indexes[i];
        put_text(&buf, x->name);
        buf_put_varint(&buf, x->column->ordinal);
        buf_put_u8(&buf, (uint8_t)(x->index_class | (x->sketches ? CATALOG_SKETCHES : 0)));
        buf_put_u8(&buf, (uint8_t)x->target);
        put_text(&buf, x->target_text);
        put_text(&buf, x->class_name);
        catalog_put_map(&buf, &x->options);
        buf_put_varint(&buf, x->id);
    }
    buf_put_varint(&buf, table->dropped_count);
    for (uint32_t i = 0; i < table->dropped_count; i++) {
        const struct dropped_column *d = &table->dropped[i];
        put_text(&buf, d->name);
        buf_put_u8(&buf, (uint8_t)d->kind);
        buf_put_varint(&buf, d->id);
        buf_put_varint(&buf, zigzag(d->dropped_us));
        catalog_put_type(&buf, d->type);
    }
    if (table->flags & TABLE_VIEW)
        view_encode(&buf, table->view);
    if (mask_count(table))
        put_masks(&buf, table);
    return buf_done(ctx, &buf, out);
}

static enum wr_status read_columns(struct ctx *ctx, struct reader *r, struct type_finder *finder, struct table *t)
{
    uint64_t count = read_varint(r);
    if (r->failed || count == 0 || count > reader_left(r) / 6)
        return fail_corrupt(ctx, "catalog table");
    struct column *columns = NEW_ARRAY(ctx, struct column, count);
    if (!columns)
        return WR_NOMEM;
    for (uint64_t i = 0; i < count; i++) {
        struct column *c = &columns[i];
        TRY(copy_text(ctx, r, &c->name));
        uint8_t kind = read_byte(r), descending = read_byte(r);
        uint64_t id = read_varint(r);
        c->dropped_us = unzigzag(read_varint(r));
        TRY(catalog_read_known_type(ctx, r, t->keyspace, finder, &c->type));
        bool is_key = kind <= COLUMN_CLUSTERING;
        if (kind > COLUMN_REGULAR || descending > is_key || (is_key ? id != 0 : id == 0) ||
            id >= t->next_column_id || (i && columns[i - 1].kind > kind))
            return fail_corrupt(ctx, "catalog table");
        c->kind = kind;
        c->descending = descending;
        c->id = (uint32_t)id;
    }
    t->columns = columns;
    t->column_count = (uint32_t)count;
    return columns[0].kind == COLUMN_PARTITION_KEY ? WR_OK : fail_corrupt(ctx, "catalog table");
}

static enum wr_status read_indexes(struct ctx *ctx, struct reader *r, struct table *t)
{
    uint64_t count = read_varint(r);
    if (r->failed || count > reader_left(r) / 6)
        return fail_corrupt(ctx, "catalog index");
    struct index *indexes = NEW_ARRAY(ctx, struct index, count);
    if (!indexes)
        return WR_NOMEM;
    for (uint64_t i = 0; i < count; i++) {
        struct index *x = &indexes[i];
        TRY(copy_text(ctx, r, &x->name));
        uint64_t ordinal = read_varint(r);
        uint8_t what = read_byte(r), target = read_byte(r), index_class = what & (uint8_t)~CATALOG_SKETCHES;
        TRY(copy_text(ctx, r, &x->target_text));
        TRY(ctx_copy(ctx, read_text(r), &x->class_name));
        TRY(catalog_read_map(ctx, r, &x->options));
        x->id = read_varint(r);
        if (r->failed || ordinal >= t->column_count || index_class > INDEX_SASI || target > INDEX_FULL || x->id == 0)
            return fail_corrupt(ctx, "catalog index");
        x->column = &t->columns[ordinal];
        x->index_class = index_class;
        x->sketches = what & CATALOG_SKETCHES;
        x->target = target;
    }
    t->indexes = indexes;
    t->index_count = (uint32_t)count;
    return WR_OK;
}

static enum wr_status read_dropped(struct ctx *ctx, struct reader *r, struct type_finder *finder, struct table *t)
{
    uint64_t count = read_varint(r);
    if (r->failed || count > reader_left(r) / 5)
        return fail_corrupt(ctx, "catalog table");
    struct dropped_column *dropped = NEW_ARRAY(ctx, struct dropped_column, count);
    if (!dropped)
        return WR_NOMEM;
    for (uint64_t i = 0; i < count; i++) {
        TRY(copy_text(ctx, r, &dropped[i].name));
        uint8_t kind = read_byte(r);
        uint64_t id = read_varint(r);
        dropped[i].dropped_us = unzigzag(read_varint(r));
        TRY(catalog_read_known_type(ctx, r, t->keyspace, finder, &dropped[i].type));
        if ((kind != COLUMN_STATIC && kind != COLUMN_REGULAR) || id == 0 || id >= t->next_column_id)
            return fail_corrupt(ctx, "catalog table");
        dropped[i].kind = kind;
        dropped[i].id = (uint32_t)id;
    }
    t->dropped = dropped;
    t->dropped_count = (uint32_t)count;
    return WR_OK;
}

static bool is_target_of(enum index_target target, const struct type *type)
{
    switch (target) {
    case INDEX_VALUE:
        return !type_is_collection(type) && !type->multicell;
    case INDEX_KEYS:
    case INDEX_ENTRIES:
        return type->kind == TYPE_MAP;
    case INDEX_VALUES:
        return type_is_collection(type);
    case INDEX_FULL:
        return type_is_collection(type) && !type->multicell;
    }
    return false;
}

/* What the rest of the model takes for granted of a table. */
static bool is_sound(const struct table *t)
{
    for (uint32_t i = 0; i < t->column_count; i++) {
        const struct column *c = &t->columns[i];
        if ((column_is_primary_key(c) && c->type->multicell) || table_mixes(t, c))
            return false;
        if (i && c->kind >= COLUMN_STATIC && c->kind == c[-1].kind && slice_cmp(c[-1].name, c->name) >= 0)
            return false; /* searches rely on the order of names */
    }
    if (t->flags & TABLE_COMPACT && (t->clustering_count == 0 || t->regular_count != 1))
        return false;
    if (t->static_count && t->clustering_count == 0)
        return false;
    if (table_is_view(t) && (t->static_count || t->index_count || t->flags & (TABLE_COUNTER | TABLE_COMPACT)))
        return false;
    for (uint32_t i = 0; i < t->index_count; i++)
        if (!is_target_of(t->indexes[i].target, t->indexes[i].column->type) || (t->indexes[i].sketches && !sai_may_sketch(&t->indexes[i])))
            return false;
    return true;
}

enum wr_status table_decode(struct ctx *ctx, struct slice bytes, struct slice keyspace, struct slice name,
                            type_lookup *lookup, void *arg, struct table *out)
{
    struct reader r = reader_of(bytes);
    struct type_finder finder = { lookup, arg, false };
    struct table t = { 0 };
    struct slice id;
    TRY(catalog_read_format(ctx, &r));
    TRY(ctx_copy(ctx, keyspace, &t.keyspace));
    TRY(copy_text(ctx, &r, &t.name));
    if (!slice_eq(t.name, name))
        return fail_corrupt(ctx, "catalog table");
    id = read_bytes(&r, sizeof t.id);
    if (id.data)
        memcpy(t.id, id.data, sizeof t.id);
    uint64_t flags = read_varint(&r);
    t.flags = (unsigned)flags & ~(unsigned)STORED_MASKS;
    t.shape.table_id = read_varint(&r);
    uint64_t next_column_id = read_varint(&r);
    t.changed = read_varint(&r);
    if (r.failed || flags > 127 + STORED_MASKS || t.shape.table_id == 0 || next_column_id > UINT32_MAX)
        return fail_corrupt(ctx, "catalog table");
    t.next_column_id = (uint32_t)next_column_id;
    TRY(read_columns(ctx, &r, &finder, &t));
    TRY(read_options(ctx, &r, &t.options));
    TRY(read_indexes(ctx, &r, &t));
    TRY(read_dropped(ctx, &r, &finder, &t));
    if (t.flags & TABLE_VIEW)
        TRY(view_decode(ctx, &r, &t.view));
    if (flags & STORED_MASKS)
        TRY(read_masks(ctx, &r, &finder, &t));
    TRY(catalog_read_end(ctx, &r));
    TRY(table_complete(ctx, &t));
    if (!is_sound(&t))
        return fail_corrupt(ctx, "catalog table");
    *out = t;
    return WR_OK;
}

/* ---- what follows ---- */

/* The order of `*`. Key and clustering columns keep the order in which they were declared. */
static int column_cmp(const void *a, const void *b)
{
    const struct column *x = a, *y = b;
    if (x->kind != y->kind)
        return (int)x->kind - (int)y->kind;
    if (x->kind <= COLUMN_CLUSTERING)
        return (x->position > y->position) - (x->position < y->position);
    return slice_cmp(x->name, y->name);
}

static bool are_in_order(const struct column *columns, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (column_cmp(&columns[i - 1], &columns[i]) > 0)
            return false;
    return true;
}

static enum wr_status complete_clustering(struct ctx *ctx, struct table *t)
{
    struct clustering_column *columns = NEW_ARRAY(ctx, struct clustering_column, t->clustering_count);
    if (!columns)
        return WR_NOMEM;
    t->clustering = (struct clustering_shape){ .columns = columns, .count = t->clustering_count };
    for (uint32_t i = 0; i < t->clustering_count; i++) {
        const struct column *c = table_clustering(t, i);
        columns[i] = clustering_column_of(c->type, c->descending != table_clustering(t, 0)->descending);
        t->clustering.lossy |= type_order_is_lossy(c->type);
    }
    t->clustering.reversed = t->clustering_count && table_clustering(t, 0)->descending;
    return WR_OK;
}

enum wr_status table_complete(struct ctx *ctx, struct table *t)
{
    struct column *columns = NEW_ARRAY(ctx, struct column, t->column_count);
    uint32_t counts[4] = { 0 };
    if (!columns)
        return WR_NOMEM;
    memcpy(columns, t->columns, t->column_count * sizeof *columns);
    for (uint32_t i = 0; i < t->column_count; i++)
        columns[i].position = counts[columns[i].kind]++;
    if (!are_in_order(columns, t->column_count))
        qsort(columns, t->column_count, sizeof *columns, column_cmp);
    uint32_t position = 0;
    for (uint32_t i = 0; i < t->column_count; i++) {
        position = i && columns[i].kind == columns[i - 1].kind ? position + 1 : 0;
        columns[i].position = position;
        columns[i].ordinal = i;
    }
    t->columns = columns;
    t->key_count = counts[COLUMN_PARTITION_KEY];
    t->clustering_count = counts[COLUMN_CLUSTERING];
    t->static_count = counts[COLUMN_STATIC];
    t->regular_count = counts[COLUMN_REGULAR];
    struct index *indexes = NEW_ARRAY(ctx, struct index, t->index_count);
    if (!indexes)
        return WR_NOMEM;
    for (uint32_t i = 0; i < t->index_count; i++) {
        indexes[i] = t->indexes[i];
        indexes[i].column = table_column(t, indexes[i].column->name); /* columns have moved */
        if (!indexes[i].column)
            return fail_corrupt(ctx, "index of a column that is not there");
    }
    t->indexes = indexes;
    TRY(complete_clustering(ctx, t));
    t->shape.has_clustering = t->clustering_count > 0;
    t->shape.annexed = t->clustering.lossy;
    t->shape.derived = table_is_view(t);
    t->shape.marker_decides = table_is_view(t) && t->view->has_key_cell; /* TableMetadata.enforceStrictLiveness */
    t->shape.may_wait = !(t->flags & TABLE_SYSTEM) && system_kind_of(t->keyspace) == SYSTEM_NOT && !table_is_view(t);
    t->shape.gc_grace_s = table_is_view(t) ? 0 : (uint32_t)t->options.gc_grace_seconds; /* there are no tombstones to wait for */
    return index_shapes_make(ctx, t, &t->shape);
}
