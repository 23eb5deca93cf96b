/*
 * CREATE INDEX, DROP INDEX. An index is built in the statement's transaction: once it can be seen it answers.
 */

#include "model/digit.h"
#include "model/index_forms.h"
#include "model/schema_index.h"
#include "model/javatext.h"
#include "model/options.h"
#include "model/parse.h"

#define SAI_CLASS  "org.apache.cassandra.index.sai.StorageAttachedIndex"
#define SASI_CLASS "org.apache.cassandra.index.sasi.SASIIndex"

/* The class of an index by how it is named; false: there is none of that name. */
static bool class_of(struct slice name, enum index_class *out)
{
    if (java_equals_fold(name, "sai") || java_equals_fold(name, "StorageAttachedIndex") ||
        slice_eq_str(name, SAI_CLASS))
        *out = INDEX_SAI;
    else if (slice_eq_str(name, SASI_CLASS))
        *out = INDEX_SASI;
    else
        return false;
    return true;
}

/* ---- targets ---- */

static const char *const target_names[] = { [TARGET_SIMPLE] = "",
                                            [TARGET_KEYS] = "keys",
                                            [TARGET_VALUES] = "values",
                                            [TARGET_ENTRIES] = "entries",
                                            [TARGET_FULL] = "full" };

/* To a server the type of a column that descends is no collection, but another around it. */
static enum ast_index_target real_target(const struct column *column, enum ast_index_target target)
{
    return target == TARGET_SIMPLE && type_is_collection(column->type) && !column->descending ? TARGET_VALUES : target;
}

static enum wr_status target_text(struct ctx *ctx, const struct column *column, enum ast_index_target target,
                                  struct slice *out)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    buf_put_str(&buf, target_names[target]);
    buf_put_str(&buf, target == TARGET_SIMPLE ? "" : "(");
    cql_put_name(&buf, column->name);
    buf_put_str(&buf, target == TARGET_SIMPLE ? "" : ")");
    return buf_done(ctx, &buf, out);
}

static enum wr_status check_durations(struct ctx *ctx, const struct type *type)
{
    if (!type_has_duration(type))
        return WR_OK;
    if (type_is_collection(type))
        return fail(ctx, WR_INVALID, "Secondary indexes are not supported on collections containing durations");
    if (type->kind == TYPE_TUPLE)
        return fail(ctx, WR_INVALID, "Secondary indexes are not supported on tuples containing durations");
    if (type->kind == TYPE_UDT)
        return fail(ctx, WR_INVALID, "Secondary indexes are not supported on UDTs containing durations");
    return fail(ctx, WR_INVALID, "Secondary indexes are not supported on duration columns");
}

/* CreateIndexStatement.validateIndexTarget, in its order. */
static enum wr_status check_target(const struct index_request *r, const struct column *c, enum ast_index_target target)
{
    struct ctx *ctx = r->ddl->ctx;
    const char *of = target_names[target];
    bool frozen_collection = type_is_collection(c->type) && !c->type->multicell;

    if (r->custom && !name_is_valid(c->name))
        return fail(ctx, WR_INVALID, "Column '%.*s' contains non-alphanumeric-underscore characters",
                    SLICE_ARG(c->name));
    if (r->custom && c->name.len > DDL_NAME_MAX)
        return fail(ctx, WR_INVALID, "Column '%.*s' is longer than the permissible name length of %d characters",
                    SLICE_ARG(c->name), DDL_NAME_MAX);
    TRY(check_durations(ctx, c->type));
    if (r->table->flags & TABLE_COMPACT && column_is_primary_key(c))
        return fail(ctx, WR_INVALID,
                    "Secondary indexes are not supported on PRIMARY KEY columns in COMPACT STORAGE tables");
    if (r->table->flags & TABLE_COMPACT && c->kind == COLUMN_REGULAR)
        return fail(ctx, WR_INVALID,
                    "Secondary indexes are not supported on compact value column of COMPACT STORAGE tables");
    if (c->kind == COLUMN_PARTITION_KEY && r->table->key_count == 1)
        return fail(ctx, WR_INVALID, "Cannot create secondary index on the only partition key column %.*s",
                    SLICE_ARG(c->name));
    if (frozen_collection && target != TARGET_FULL) {
        struct buf name;
        buf_init(&name, ctx->arena);
        cql_put_name(&name, c->name);
        return fail(ctx, WR_INVALID,
                    "Cannot create %s() index on frozen column %.*s. Frozen collections are immutable and must be "
                    "fully indexed "
                    "by using the 'full(%.*s)' modifier",
                    of, SLICE_ARG(c->name), SLICE_ARG(buf_slice(&name)));
    }
    if (!frozen_collection && target == TARGET_FULL)
        return fail(ctx, WR_INVALID, "full() indexes can only be created on frozen collections");
    if (!type_is_collection(c->type) && target != TARGET_SIMPLE)
        return fail(ctx, WR_INVALID,
                    "Cannot create %s() index on %.*s. Non-collection columns only support simple indexes", of,
                    SLICE_ARG(c->name));
    if (c->type->kind != TYPE_MAP && (target == TARGET_KEYS || target == TARGET_ENTRIES))
        return fail(ctx, WR_INVALID, "Cannot create index on %s of column %.*s with non-map type", of,
                    SLICE_ARG(c->name));
    if (c->type->kind == TYPE_UDT && c->type->multicell)
        return fail(ctx, WR_INVALID, "Cannot create index on non-frozen UDT column %.*s", SLICE_ARG(c->name));
    return WR_OK;
}

static enum wr_status read_targets(struct index_request *r)
{
    static const enum index_target kinds[] = { [TARGET_SIMPLE] = INDEX_VALUE,
                                               [TARGET_KEYS] = INDEX_KEYS,
                                               [TARGET_VALUES] = INDEX_VALUES,
                                               [TARGET_ENTRIES] = INDEX_ENTRIES,
                                               [TARGET_FULL] = INDEX_FULL };
    struct ctx *ctx = r->ddl->ctx;
    const struct column *c;
    struct buf all;

    for (const struct ast_index_column *t = r->ast->columns; t; t = t->next, r->targets++)
        TRY(table_require_column(r->ddl->ctx, r->table, t->name, &c));
    if (r->targets == 0 && !r->custom)
        return fail(ctx, WR_INVALID, "Only CUSTOM indexes can be created without specifying a target column");
    if (r->targets > 1 && !r->custom)
        return fail(ctx, WR_INVALID, "Only CUSTOM indexes support multiple columns");
    for (const struct ast_index_column *t = r->ast->columns; t; t = t->next)
        for (const struct ast_index_column *u = r->ast->columns; u != t; u = u->next)
            if (slice_eq(t->name, u->name))
                return fail(ctx, WR_INVALID, "Duplicate column '%.*s' in index target list", SLICE_ARG(t->name));
    buf_init(&all, ctx->arena);
    for (const struct ast_index_column *t = r->ast->columns; t; t = t->next) {
        struct slice text;
        c = table_column(r->table, t->name);
        enum ast_index_target target = real_target(c, t->target);
        TRY(check_target(r, c, target));
        TRY(target_text(ctx, c, target, &text));
        buf_put_str(&all, all.len ? ", " : "");
        buf_put_slice(&all, text);
        if (r->targets == 1) {
            r->column = c;
            r->index.target = kinds[target];
        }
    }
    return buf_done(ctx, &all, &r->index.target_text);
}

/* ---- names ---- */

static bool index_name_taken(const struct ddl *ddl, struct slice name)
{
    const struct table *table;
    return schema_index(ddl->schema, ddl->keyspace_name, name, &table) != NULL;
}

/* `<table>_<column>_idx` without odd characters, with _1, _2, ... behind it until it is free. */
static enum wr_status default_name(struct index_request *r, struct slice *out)
{
    struct ctx *ctx = r->ddl->ctx;
    struct buf buf;
    size_t kept = 0;
    buf_init(&buf, ctx->arena);
    buf_printf(&buf, "%.*s_", SLICE_ARG(r->table->name));
    for (const struct ast_index_column *t = r->ast->columns; t; t = t->next)
        buf_printf(&buf, "%.*s_", SLICE_ARG(t->name));
    buf_put_str(&buf, "idx");
    TRY(buf_done(ctx, &buf, out));
    for (size_t i = 0; i < buf.len; i++)
        if (is_letter_or_digit(buf.data[i]) || buf.data[i] == '_')
            buf.data[kept++] = buf.data[i];
    *out = slice_of(buf.data, kept);
    for (uint32_t n = 1; index_name_taken(r->ddl, *out); n++) {
        char *next = ctx_format(ctx, "%.*s_%u", (int)kept, (const char *)buf.data, n);
        if (!next)
            return WR_NOMEM;
        *out = slice_str(next);
    }
    return WR_OK;
}

/* ---- attributes: class and options ---- */

static bool is_index_option(struct slice name)
{
    return slice_eq_str(name, "options");
}

static enum wr_status read_attributes(struct index_request *r)
{
    struct ctx *ctx = r->ddl->ctx;
    const struct ast_property *options = property_find(r->ast->properties, "options");
    struct slice using_class = r->ast->using_class;
    TRY(properties_known(ctx, r->ast->properties, is_index_option));
    r->custom = r->ast->custom || (using_class.data && !java_equals_fold(using_class, "legacy_local_table"));
    if (!r->custom && options)
        return fail(ctx, WR_INVALID, "Cannot specify options for a non-CUSTOM index");
    if (options)
        TRY(property_map(ctx, options, &r->options));
    static const char *const reserved[] = { "class_name", "target" };
    for (int i = 0; i < 2; i++)
        if (string_map_get(&r->options, slice_str(reserved[i])).data)
            return fail(ctx, WR_INVALID, "Cannot specify %s as a CUSTOM option", reserved[i]);
    if (r->custom)
        r->index.class_name = using_class.data ? using_class : SLICE_LIT("legacy_local_table");
    r->index.options = r->options;
    return WR_OK;
}

static const struct index *find_equal(const struct index_request *r)
{
    for (uint32_t i = 0; i < r->table->index_count; i++) {
        const struct index *x = &r->table->indexes[i];
        if (slice_eq(x->target_text, r->index.target_text) &&
            slice_is_null(x->class_name) == slice_is_null(r->index.class_name) &&
            slice_eq(x->class_name, r->index.class_name) && string_map_eq(&x->options, &r->index.options))
            return x;
    }
    return NULL;
}

static enum wr_status check_class(struct index_request *r)
{
    struct ctx *ctx = r->ddl->ctx;
    if (!name_is_valid(r->index.name))
        return fail(ctx, WR_CONFIG, "Illegal index name %.*s", SLICE_ARG(r->index.name));
    if (!r->custom)
        return WR_OK;
    if (slice_eq_str(r->index.class_name, "java.lang.String")) /* the class that tests take for one that is there */
        return fail(ctx, WR_CONFIG, "Specified Indexer class (java.lang.String) does not implement the Indexer interface");
    if (!class_of(r->index.class_name, &r->index.index_class))
        return fail(ctx, WR_CONFIG, "Unable to find custom indexer class '%.*s'", SLICE_ARG(r->index.class_name));
    return r->index.index_class == INDEX_SAI ? index_check_sai(r) : index_check_sasi(r);
}

/* ---- CREATE INDEX ---- */

void ddl_warn_of_vectors(struct ctx *ctx, const struct table *table)
{
    for (uint32_t i = 0; i < table->index_count; i++) { /* as often as there are some: a server says it of the whole table */
        if (!sai_is_vector(&table->indexes[i]))
            continue;
        ctx_warn(ctx, "SAI ANN indexes on vector columns are experimental and are not recommended for production use.\n"
                      "They don't yet support SELECT queries with:\n"
                      " * Consistency level higher than ONE/LOCAL_ONE.\n"
                      " * Paging.\n"
                      " * No LIMIT clauses.\n"
                      " * PER PARTITION LIMIT clauses.\n"
                      " * GROUP BY clauses.\n"
                      " * Aggregation functions.\n"
                      " * Filters on columns without a SAI index.");
    }
}

/* CreateIndexStatement.clientWarnings asks for the class alone: a statement that makes no index because there is one says it, too. */
static enum wr_status warn_of_sasi(const struct index_request *r)
{
    if (slice_eq_str(r->index.class_name, SASI_CLASS))
        ctx_warn(r->ddl->ctx, "SASI indexes are experimental and are not recommended for production use.");
    return WR_OK;
}

static uint32_t place_in_order(const struct table *table, struct slice name) /* indexes are kept by name */
{
    uint32_t at = 0;
    while (at < table->index_count && slice_cmp(table->indexes[at].name, name) < 0)
        at++;
    return at;
}

static enum wr_status add_index(struct index_request *r)
{
    struct ddl *ddl = r->ddl;
    struct table_draft d;
    uint32_t at = place_in_order(r->table, r->index.name);

    TRY(ddl_copy_table(ddl, r->table, 0, 1, 0, &d));
    TRY(txn_next_id(ddl->ctx, ddl->exec->txn, &r->index.id));
    memmove(&d.indexes[at + 1], &d.indexes[at], (d.table.index_count - at) * sizeof *d.indexes);
    d.indexes[at] = r->index;
    d.indexes[at].column = r->column;
    d.indexes[at].sketches = sai_may_sketch(&d.indexes[at]);
    d.table.index_count++;
    d.table.changed = schema_version(ddl->schema) + 1;
    TRY(ddl_order_dropped(ddl, &d, d.table.dropped_count));
    TRY(table_complete(ddl->ctx, &d.table));
    TRY(txn_build_index(ddl->ctx, ddl->exec->txn, &d.table.shape, &d.table.shape.indexes[at]));
    ddl_edit(ddl, r->table->name);
    TRY(catalog_store_table(&ddl->edit, r->table, &d.table));
    ddl_warn_of_vectors(ddl->ctx, &d.table);
    TRY(warn_of_sasi(r));
    return ddl_done(ddl, "UPDATED", "TABLE", r->table->name);
}

/* A vector's index where another one is wanted: it is the first that is found to be one too many. */
static bool has_vector_at(const struct index_request *r)
{
    for (uint32_t i = 0; i < r->table->index_count; i++)
        if (sai_is_vector(&r->table->indexes[i]) && slice_eq(r->table->indexes[i].target_text, r->index.target_text))
            return true;
    return false;
}

enum wr_status ddl_create_index(struct ddl *ddl)
{
    const struct ast_create_index *ast = &ddl->ast->create_index;
    struct index_request r = { .ddl = ddl, .ast = ast };
    const struct index *equal;

    TRY(read_attributes(&r));
    if (!ddl->keyspace)
        return fail(ddl->ctx, WR_INVALID, "Keyspace '%.*s' doesn't exist", SLICE_ARG(ddl->keyspace_name));
    r.table = schema_table(ddl->schema, ddl->keyspace_name, ast->table.name);
    if (!r.table)
        return fail(ddl->ctx, WR_INVALID, "Table '%.*s' doesn't exist", SLICE_ARG(ast->table.name));
    if (ast->name.name.data && index_name_taken(ddl, ast->name.name)) {
        if (ast->if_not_exists)
            return warn_of_sasi(&r);
        return fail(ddl->ctx, WR_INVALID, "Index '%.*s' already exists", SLICE_ARG(ast->name.name));
    }
    if (table_is_counter(r.table))
        return fail(ddl->ctx, WR_INVALID, "Secondary indexes on counter tables aren't supported");
    if (table_is_view(r.table))
        return fail(ddl->ctx, WR_INVALID, "Secondary indexes on materialized views aren't supported");
    TRY(read_targets(&r));
    if (ast->name.name.data)
        r.index.name = ast->name.name;
    else
        TRY(default_name(&r, &r.index.name));
    if ((equal = find_equal(&r))) {
        if (ast->if_not_exists)
            return warn_of_sasi(&r);
        return fail(ddl->ctx, WR_INVALID, "Index %.*s is a duplicate of existing index %.*s", SLICE_ARG(r.index.name),
                    SLICE_ARG(equal->name));
    }
    enum wr_status st = check_class(&r);
    if ((st == WR_INVALID || st == WR_CONFIG) && !has_vector_at(&r))
        ddl_warn_of_vectors(ddl->ctx, r.table); /* the indexes that are there have been validated before it */
    TRY(st);
    return add_index(&r);
}

/* ---- DROP INDEX ---- */

enum wr_status ddl_drop_index(struct ddl *ddl)
{
    struct slice name = ddl->ast->drop.name.name;
    const struct table *table = NULL;
    const struct index *index = schema_index(ddl->schema, ddl->keyspace_name, name, &table);
    struct table_draft d;
    uint32_t at;

    TRY(ddl_require_user_keyspace(ddl));
    if (!index && ddl->ast->drop.if_exists)
        return WR_OK;
    if (!index)
        return fail(ddl->ctx, WR_INVALID, "Index '%.*s.%.*s' doesn't exist'", SLICE_ARG(ddl->keyspace_name),
                    SLICE_ARG(name));
    TRY(ddl_copy_table(ddl, table, 0, 0, 0, &d));
    at = (uint32_t)(index - table->indexes);
    memmove(&d.indexes[at], &d.indexes[at + 1], (d.table.index_count - at - 1) * sizeof *d.indexes);
    d.table.index_count--;
    d.table.changed = schema_version(ddl->schema) + 1;
    TRY(ddl_order_dropped(ddl, &d, d.table.dropped_count));
    TRY(table_complete(ddl->ctx, &d.table));
    ddl_edit(ddl, table->name);
    TRY(catalog_store_table(&ddl->edit, table, &d.table));
    return ddl_done(ddl, "UPDATED", "TABLE", table->name);
}
