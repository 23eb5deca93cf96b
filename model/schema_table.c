/*
 * CREATE TABLE, DROP TABLE, TRUNCATE. The order of checks is CreateTableStatement's, so the first thing wrong is the
 * one told.
 */
#include <stdlib.h>

#include "model/ddl.h"
#include "model/expr.h"
#include "model/failure.h"
#include "model/guardrail.h"
#include "model/javatext.h"
#include "model/options.h"
#include "model/parse.h"
#include "model/star.h"
#include "model/timeuuid.h"
#include "model/virtual.h"

/* ---- when prepared ---- */

enum wr_status ddl_check_masking(struct ctx *ctx, bool masking)
{
    if (masking)
        return WR_OK;
    return fail(ctx, WR_INVALID,
                "Cannot mask columns because dynamic data masking is not enabled. You can enable it with the "
                "dynamic_data_masking_enabled property on cassandra.yaml");
}

enum wr_status ddl_bind_mask(struct ddl *ddl, const struct table *table, const struct ast_mask *ast, struct column *column)
{
    struct bind bind = { .ctx = ddl->ctx, .db = ddl->exec->db, .schema = ddl->schema, .current_keyspace = ddl->keyspace_name,
                         .text = ddl->ast->text, .table = schema_table(ddl->schema, table->keyspace, table->name) };
    return expr_bind_mask(&bind, ddl->exec, ast, table, column, &column->mask);
}

enum wr_status ddl_check_create_table(struct ctx *ctx, const struct ast_create_table *ast, bool masking)
{
    if (ast->primary_keys == 0)
        return ast->name.keyspace.data
                   ? fail(ctx, WR_INVALID, "No PRIMARY KEY specifed for table '%.*s.%.*s' (exactly one required)",
                          SLICE_ARG(ast->name.keyspace), SLICE_ARG(ast->name.name))
                   : fail(ctx, WR_INVALID, "No PRIMARY KEY specifed for table '%.*s' (exactly one required)", SLICE_ARG(ast->name.name));
    for (const struct ast_column_def *c = ast->columns; c; c = c->next)
        if (c->mask)
            TRY(ddl_check_masking(ctx, masking));
    return WR_OK;
}

/* ---- CREATE TABLE ---- */

/* A table in the making: all declared columns in order of their names, and which of them are keys. */
struct draft {
    struct ddl *ddl;
    const struct ast_create_table *ast;
    struct column *columns; /* room for the two of a compact table besides */
    uint32_t count;
    struct table_options options;
    bool has_counter, has_static;
    uint32_t key_count, clustering_count;
};

static int column_name_cmp(const void *a, const void *b)
{
    return slice_cmp(((const struct column *)a)->name, ((const struct column *)b)->name);
}

static struct column *draft_column(struct draft *d, struct slice name)
{
    struct column key = { .name = name };
    return bsearch(&key, d->columns, d->count, sizeof *d->columns, column_name_cmp);
}

static enum wr_status draft_columns(struct draft *d)
{
    struct ctx *ctx = d->ddl->ctx;
    uint32_t count = 0;
    for (const struct ast_column_def *c = d->ast->columns; c; c = c->next)
        count++;
    if (!(d->columns = NEW_ARRAY(ctx, struct column, (size_t)count + 2)))
        return WR_NOMEM;
    const struct ast_column_def **defs = NEW_ARRAY(ctx, const struct ast_column_def *, count);
    struct slice *names = NEW_ARRAY(ctx, struct slice, count);
    uint32_t *order = NEW_ARRAY(ctx, uint32_t, count), at = 0;
    const struct table table = { .keyspace = d->ddl->keyspace_name, .name = d->ast->name.name };
    if (!defs || !names || !order)
        return WR_NOMEM;
    for (const struct ast_column_def *def = d->ast->columns; def; def = def->next) {
        names[at] = def->name;
        defs[at++] = def;
    }
    TRY(java_map_order(ctx, names, count, 0, order)); /* a map's: the first bad type is the one told */
    for (uint32_t i = 0; i < count; i++) {
        const struct ast_column_def *def = defs[order[i]];
        struct column *c = &d->columns[d->count++];
        TRY(ddl_bind_type(d->ddl, def->type, &c->type));
        c->name = def->name;
        if (def->mask)
            TRY(ddl_bind_mask(d->ddl, &table, def->mask, c));
        c->kind = def->is_static ? COLUMN_STATIC : COLUMN_REGULAR;
        c->dropped_us = TIMESTAMP_NONE;
        d->has_static |= def->is_static;
        d->has_counter |= c->type->kind == TYPE_COUNTER && def->type->kind != AST_TYPE_CLASS; /* CQL3Type.Raw.isCounter */
    }
    qsort(d->columns, count, sizeof *d->columns, column_name_cmp);
    for (uint32_t i = 0; i < count; i++)
        if (ddl_has_nested_collection(d->ddl, d->columns[i].type))
            return fail(ctx, WR_INVALID, "Non-frozen UDTs with nested non-frozen collections are not supported");
    return WR_OK;
}

/* A type that was written as a class in quotes: that, in quotes; a null slice: as CQL's. */
static struct slice written_class(const struct draft *d, const struct column *c)
{
    for (const struct ast_column_def *def = d->ast->columns; def; def = def->next)
        if (slice_eq(def->name, c->name) && def->type->kind == AST_TYPE_CLASS)
            return def->type->name.name;
    return SLICE_NULL;
}

static enum wr_status check_key_type(struct draft *d, const struct column *c)
{
    struct ctx *ctx = d->ddl->ctx;
    struct slice class = written_class(d, c);
    if (c->type->multicell && !slice_is_null(class))
        return fail(ctx, WR_INVALID, "Invalid non-frozen %s type '%.*s' for PRIMARY KEY column '%.*s'",
                    type_is_collection(c->type) ? "collection" : "user-defined", SLICE_ARG(class), SLICE_ARG(c->name));
    if (c->type->multicell && type_is_collection(c->type))
        return fail(ctx, WR_INVALID, "Invalid non-frozen collection type %s for PRIMARY KEY column '%.*s'",
                    type_name(ctx, c->type), SLICE_ARG(c->name));
    if (c->type->multicell) /* UTName.toString: names without the quotes that they need */
        return fail(ctx, WR_INVALID, "Invalid non-frozen user-defined type \"%.*s.%.*s\" for PRIMARY KEY column '%.*s'",
                    SLICE_ARG(c->type->keyspace), SLICE_ARG(c->type->name), SLICE_ARG(c->name));
    if (c->type->kind == TYPE_COUNTER)
        return fail(ctx, WR_INVALID, "counter type is not supported for PRIMARY KEY column '%.*s'", SLICE_ARG(c->name));
    if (type_has_duration(c->type))
        return fail(ctx, WR_INVALID, "duration type is not supported for PRIMARY KEY column '%.*s'",
                    SLICE_ARG(c->name));
    if (c->kind == COLUMN_STATIC)
        return fail(ctx, WR_INVALID, "Static column '%.*s' cannot be part of the PRIMARY KEY", SLICE_ARG(c->name));
    return WR_OK;
}

static enum wr_status take_key(struct draft *d, struct slice name, enum column_kind kind, uint32_t position)
{
    struct slice table = d->ast->name.name;
    struct column *c = draft_column(d, name);
    if (!c)
        return fail(d->ddl->ctx, WR_INVALID, "Unknown column '%.*s' referenced in PRIMARY KEY for table '%.*s'",
                    SLICE_ARG(name), SLICE_ARG(table));
    if (c->kind <= COLUMN_CLUSTERING)
        return fail(d->ddl->ctx, WR_INVALID, "Duplicate column '%.*s' in PRIMARY KEY clause for table '%.*s'",
                    SLICE_ARG(name), SLICE_ARG(table));
    TRY(check_key_type(d, c));
    c->kind = kind;
    c->position = position;
    return WR_OK;
}

static enum wr_status draft_keys(struct draft *d)
{
    for (const struct ast_column_def *c = d->ast->columns; c && !d->ast->partition_key; c = c->next)
        if (c->is_primary_key)
            return take_key(d, c->name, COLUMN_PARTITION_KEY, d->key_count++);
    for (const struct ast_names *n = d->ast->partition_key; n; n = n->next)
        TRY(take_key(d, n->name, COLUMN_PARTITION_KEY, d->key_count++));
    for (const struct ast_names *n = d->ast->clustering; n; n = n->next) {
        TRY(take_key(d, n->name, COLUMN_CLUSTERING, d->clustering_count++));
        struct column *c = draft_column(d, n->name);
        struct slice class = written_class(d, c);
        c->descending = !slice_is_null(class) && type_class_is_reversed(class);
    }
    return WR_OK;
}

static bool order_has(const struct ast_clustering_order *order, struct slice name)
{
    for (; order; order = order->next)
        if (slice_eq(order->column, name))
            return true;
    return false;
}

static enum wr_status draft_order(struct draft *d)
{
    struct ctx *ctx = d->ddl->ctx;
    struct buf others;
    const struct ast_names *expected = d->ast->clustering;
    buf_init(&others, ctx->arena);
    for (const struct ast_clustering_order *o = d->ast->order; o; o = o->next) {
        const struct column *c = draft_column(d, o->column);
        if (c && c->kind == COLUMN_CLUSTERING)
            continue;
        buf_put_str(&others, others.len ? ", " : "");
        buf_put_slice(&others, o->column);
    }
    if (others.len || others.failed)
        return fail(ctx, WR_INVALID,
                    "Only clustering key columns can be defined in CLUSTERING ORDER directive: [%.*s] are not "
                    "clustering columns",
                    SLICE_ARG(buf_slice(&others)));
    for (const struct ast_clustering_order *o = d->ast->order; o; o = o->next, expected = expected->next) {
        if (slice_eq(o->column, expected->name)) {
            draft_column(d, o->column)->descending |= o->descending; /* of a ReversedType ASC says nothing */
            continue;
        }
        if (order_has(d->ast->order, expected->name))
            return fail(
                ctx, WR_INVALID,
                "The order of columns in the CLUSTERING ORDER directive must match that of the clustering columns "
                "(%.*s must appear before %.*s)",
                SLICE_ARG(expected->name), SLICE_ARG(o->column));
        return fail(ctx, WR_INVALID, "Missing CLUSTERING ORDER for column %.*s", SLICE_ARG(expected->name));
    }
    return WR_OK;
}

static int signed_name_cmp(const void *a, const void *b)
{
    return name_signed_cmp((*(const struct column *const *)a)->name, (*(const struct column *const *)b)->name);
}

/* `a, b`: the columns beside the key, in the order of a tree of their names' buffers. */
static enum wr_status other_names(struct draft *d, struct slice *out)
{
    const struct column **others = NEW_ARRAY(d->ddl->ctx, const struct column *, d->count);
    uint32_t n = 0;
    struct buf buf;
    if (!others)
        return WR_NOMEM;
    for (uint32_t i = 0; i < d->count; i++)
        if (!column_is_primary_key(&d->columns[i]))
            others[n++] = &d->columns[i];
    qsort(others, n, sizeof *others, signed_name_cmp);
    buf_init(&buf, d->ddl->ctx->arena);
    for (uint32_t i = 0; i < n; i++)
        buf_printf(&buf, "%s%.*s", i ? ", " : "", SLICE_ARG(others[i]->name));
    return buf_done(d->ddl->ctx, &buf, out);
}

static enum wr_status check_compact(struct draft *d)
{
    struct ctx *ctx = d->ddl->ctx;
    uint32_t others = d->count - d->key_count - d->clustering_count;
    struct slice names;
    for (uint32_t i = 0; i < d->count; i++)
        if (!column_is_primary_key(&d->columns[i]) && d->columns[i].type->multicell)
            return fail(ctx, WR_INVALID, "Non-frozen collections and UDTs are not supported with COMPACT STORAGE");
    if (d->has_static)
        return fail(ctx, WR_INVALID, "Static columns are not supported in COMPACT STORAGE tables");
    if (d->clustering_count == 0 && others == 0)
        return fail(ctx, WR_INVALID, "No definition found that is not part of the PRIMARY KEY");
    if (d->clustering_count && others > 1) {
        TRY(other_names(d, &names));
        return fail(ctx, WR_INVALID,
                    "COMPACT STORAGE with composite PRIMARY KEY allows no more than one column not part of the PRIMARY "
                    "KEY (got: %.*s)",
                    SLICE_ARG(names));
    }
    return WR_OK;
}

static enum wr_status check_counters(struct draft *d)
{
    if (!d->has_counter)
        return WR_OK;
    for (uint32_t i = 0; i < d->count; i++)
        if (!column_is_primary_key(&d->columns[i]) && d->columns[i].type->kind != TYPE_COUNTER)
            return fail(d->ddl->ctx, WR_INVALID, "Cannot mix counter and non counter columns in the same table");
    if (d->options.default_time_to_live > 0)
        return fail(d->ddl->ctx, WR_INVALID, "Cannot set default_time_to_live on a table with counters");
    return WR_OK;
}

/* CompactTables.DefaultNames: the first of base, base<from>, base<from + 1>, ... that is free. */
static enum wr_status default_name(struct draft *d, const char *base, int from, struct slice *out)
{
    char *name = from ? ctx_format(d->ddl->ctx, "%s%d", base, from) : ctx_string(d->ddl->ctx, slice_str(base));
    for (int i = from + 1; name && draft_column(d, slice_str(name)); i++)
        name = ctx_format(d->ddl->ctx, "%s%d", base, i);
    if (!name)
        return WR_NOMEM;
    *out = slice_str(name);
    return WR_OK;
}

/* The columns that a compact table has without their being declared. Appended behind the sorted ones: searches are
 * over. */
static enum wr_status add_compact_columns(struct draft *d, unsigned *flags)
{
    uint32_t others = d->count - d->key_count - d->clustering_count, count = d->count;
    struct slice clustering, value;
    TRY(default_name(d, "column", 1, &clustering));
    TRY(default_name(d, "value", 0, &value));
    *flags |= TABLE_COMPACT;
    if (d->clustering_count == 0) {
        *flags |= TABLE_STATIC_COMPACT;
        for (uint32_t i = 0; i < d->count; i++)
            if (d->columns[i].kind == COLUMN_REGULAR)
                d->columns[i].kind = COLUMN_STATIC;
        d->columns[count++] = (struct column){
            .name = clustering, .type = type_native(TYPE_TEXT), .kind = COLUMN_CLUSTERING, .dropped_us = TIMESTAMP_NONE
        };
        d->columns[count++] = (struct column){ .name = value,
                                               .type = type_native(d->has_counter ? TYPE_COUNTER : TYPE_BLOB),
                                               .kind = COLUMN_REGULAR,
                                               .dropped_us = TIMESTAMP_NONE };
    } else {
        *flags |= TABLE_DENSE | (d->clustering_count > 1 ? TABLE_COMPOUND : 0);
        if (others == 0)
            d->columns[count++] = (struct column){
                .name = value, .type = type_native(TYPE_EMPTY), .kind = COLUMN_REGULAR, .dropped_us = TIMESTAMP_NONE
            };
    }
    d->count = count;
    return WR_OK;
}

static int key_order_cmp(const void *a, const void *b)
{
    const struct column *x = a, *y = b;
    if (x->kind != y->kind)
        return (int)x->kind - (int)y->kind;
    return x->kind <= COLUMN_CLUSTERING ? (x->position > y->position) - (x->position < y->position)
                                        : slice_cmp(x->name, y->name);
}

/* TableId.generate: a time UUID. */
static void new_table_id(struct ddl *ddl, uint8_t id[16])
{
    struct clock *clock = engine_clock(txn_engine(ddl->exec->txn));
    _Atomic int64_t last_us = INT64_MIN; /* a new table's write timestamp is new as well */
    timeuuid_next(&last_us, clock_timestamp_us(clock), id);
}

static enum wr_status check_table_id(struct ddl *ddl, const struct table *table)
{
    for (uint32_t i = 0; i < schema_keyspace_count(ddl->schema); i++) {
        const struct keyspace *k = schema_keyspace_at(ddl->schema, i);
        for (uint32_t t = 0; t < k->table_count; t++) {
            const struct table *other = k->tables[t];
            if (memcmp(other->id, table->id, sizeof table->id) != 0)
                continue;
            struct buf id;
            buf_init(&id, ddl->ctx->arena);
            type_print_string(&id, type_native(TYPE_UUID), slice_of(table->id, sizeof table->id));
            return fail(
                ddl->ctx, WR_SERVER_ERROR,
                "java.lang.IllegalArgumentException: Multiple entries with same key: %.*s=%.*s.%.*s and %.*s=%.*s.%.*s",
                SLICE_ARG(buf_slice(&id)), SLICE_ARG(table->keyspace), SLICE_ARG(table->name),
                SLICE_ARG(buf_slice(&id)), SLICE_ARG(other->keyspace), SLICE_ARG(other->name));
        }
    }
    return WR_OK;
}

enum wr_status ddl_give_id(struct ddl *ddl, const struct ast_property *properties, struct table *table)
{
    bool has_id;
    TRY(options_table_id(ddl->ctx, properties, &has_id, table->id));
    if (has_id)
        return check_table_id(ddl, table);
    new_table_id(ddl, table->id);
    return WR_OK;
}

static enum wr_status draft_table(struct draft *d, struct table *out)
{
    struct ddl *ddl = d->ddl;
    struct table t = { .keyspace = ddl->keyspace_name,
                       .name = d->ast->name.name,
                       .next_column_id = 1,
                       .changed = schema_version(ddl->schema) + 1 };

    if (d->has_counter)
        t.flags |= TABLE_COUNTER;
    if (d->ast->compact_storage)
        TRY(add_compact_columns(d, &t.flags));
    else
        t.flags |= TABLE_COMPOUND;
    qsort(d->columns, d->count, sizeof *d->columns, key_order_cmp);
    for (uint32_t i = 0; i < d->count; i++)
        d->columns[i].id = column_is_primary_key(&d->columns[i]) ? 0 : t.next_column_id++;
    t.columns = d->columns;
    t.column_count = d->count;
    t.options = d->options;
    TRY(ddl_give_id(ddl, d->ast->properties, &t));
    TRY(ddl_check_table(ddl, &t));
    TRY(txn_next_id(ddl->ctx, ddl->exec->txn, &t.shape.table_id));
    TRY(table_complete(ddl->ctx, &t));
    *out = t;
    return WR_OK;
}

enum wr_status ddl_fail_exists(struct ddl *ddl, struct slice name)
{
    fail(ddl->ctx, WR_ALREADY_EXISTS, "Cannot add already existing table \"%.*s\" to keyspace \"%.*s\"", SLICE_ARG(name),
         SLICE_ARG(ddl->keyspace_name));
    return failure_of_existing(ddl->ctx, ddl->keyspace_name, name);
}

enum wr_status ddl_validate_create_table(struct exec *exec, const struct ast_statement *ast, struct slice keyspace)
{
    struct table_options read = table_options_default;
    (void)keyspace;
    return options_read(exec->ctx, ast->create_table.properties, true, &read);
}

static enum wr_status exists(struct ddl *ddl, struct slice name)
{
    return ddl->ast->create_table.if_not_exists ? WR_OK : ddl_fail_exists(ddl, name);
}

enum wr_status ddl_create_table(struct ddl *ddl)
{
    const struct ast_create_table *ast = &ddl->ast->create_table;
    struct draft d = { .ddl = ddl, .ast = ast, .options = table_options_default };
    struct slice name = ast->name.name;
    struct table table;

    TRY(options_read(ddl->ctx, ast->properties, true, &d.options));
    guardrail_table(ddl->exec, &d.options);
    if (!ddl->keyspace)
        return fail(ddl->ctx, WR_INVALID, "Keyspace '%.*s' doesn't exist", SLICE_ARG(ddl->keyspace_name));
    const struct table *same = schema_table(ddl->schema, ddl->keyspace_name, name);
    if (same && !table_is_view(same))
        return exists(ddl, name);
    TRY(options_check(ddl->ctx, ast->properties));
    TRY(draft_columns(&d));
    TRY(draft_keys(&d));
    TRY(draft_order(&d));
    if (ast->compact_storage)
        TRY(check_compact(&d));
    else if (d.has_static && d.clustering_count == 0)
        return fail(
            ddl->ctx, WR_INVALID,
            "Static columns are only useful (and thus allowed) if the table has at least one clustering column");
    TRY(check_counters(&d));
    TRY(draft_table(&d, &table));
    if (same) /* a view, over which CreateTableStatement stumbles at its end */
        return exists(ddl, name);
    ddl_edit(ddl, name);
    TRY(catalog_store_table(&ddl->edit, NULL, &table));
    return ddl_done(ddl, "CREATED", "TABLE", name);
}

/* ---- DROP TABLE, TRUNCATE ---- */

enum wr_status ddl_drop_table(struct ddl *ddl)
{
    struct slice name = ddl->ast->drop.name.name;
    const struct table *table = schema_table(ddl->schema, ddl->keyspace_name, name);
    if (!table && ddl->ast->drop.if_exists)
        return WR_OK;
    if (!table)
        return fail(ddl->ctx, WR_INVALID, "Table '%.*s.%.*s' doesn't exist", SLICE_ARG(ddl->keyspace_name),
                    SLICE_ARG(name));
    if (table_is_view(table))
        return fail(ddl->ctx, WR_INVALID,
                    "Cannot use DROP TABLE on a materialized view. Please use DROP MATERIALIZED VIEW instead.");
    if (table->view_count)
        return fail(ddl->ctx, WR_INVALID, "Cannot drop a table when materialized views still depend on it (%.*s)",
                    SLICE_ARG(ddl->keyspace_name)); /* the keyspace, sic */
    ddl_edit(ddl, name);
    TRY(catalog_remove_table(&ddl->edit, table));
    return ddl_done(ddl, "DROPPED", "TABLE", name);
}

/* The index that was made first of those behind one of that id. */
static uint32_t next_made(const struct table *table, uint64_t id)
{
    uint32_t next = table->index_count;
    for (uint32_t i = 0; i < table->index_count; i++)
        if (table->indexes[i].id > id && (next == table->index_count || table->indexes[i].id < table->indexes[next].id))
            next = i;
    return next;
}

/* Under new numbers, of which those of the indexes tell, as before, in which order they were made. */
static enum wr_status empty_table(struct ddl *ddl, const struct table *table)
{
    struct table_draft emptied;
    TRY(ddl_copy_table(ddl, table, 0, 0, 0, &emptied));
    TRY(txn_next_id(ddl->ctx, ddl->exec->txn, &emptied.table.shape.table_id));
    for (uint32_t at = next_made(table, 0); at < table->index_count; at = next_made(table, table->indexes[at].id))
        TRY(txn_next_id(ddl->ctx, ddl->exec->txn, &emptied.indexes[at].id));
    TRY(table_complete(ddl->ctx, &emptied.table));
    return catalog_store_table(&ddl->edit, table, &emptied.table);
}

enum wr_status ddl_validate_truncate(struct exec *exec, const struct ast_statement *ast, struct slice keyspace)
{
    const struct table *table;
    return schema_require_table(exec->ctx, exec->schema, SLICE_NULL, keyspace, ast->name.name, &table);
}

enum wr_status ddl_truncate(struct ddl *ddl)
{
    const struct table *table;
    TRY(schema_require_table(ddl->ctx, ddl->schema, SLICE_NULL, ddl->keyspace_name, ddl->ast->name.name, &table));
    if (table->flags & TABLE_VIRTUAL)
        return virtual_write(ddl->ctx, table, VIRTUAL_TRUNCATE);
    if (table_is_view(table))
        return fail(ddl->ctx, WR_INVALID,
                    "Cannot TRUNCATE materialized view directly; must truncate base table instead");
    ddl_edit(ddl, table->name);
    TRY(empty_table(ddl, table));
    for (uint32_t i = 0; i < table->view_count; i++)
        TRY(empty_table(ddl, table->views[i]));
    return ddl_done(ddl, NULL, NULL, SLICE_NULL); /* of the data, not of the schema, as clients see it */
}
