/*
 * CREATE INDEX, DROP INDEX. An index is built in the statement's transaction: once it can be seen it answers.
 */
#include <ctype.h>

#include "model/ddl.h"
#include "model/javatext.h"
#include "model/options.h"
#include "model/parse.h"

#define SAI_CLASS  "org.apache.cassandra.index.sai.StorageAttachedIndex"
#define SASI_CLASS "org.apache.cassandra.index.sasi.SASIIndex"
#define NOT_HERE   "is not supported by this version of Widerow"

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

/* What a statement asks for, step by step. */
struct request {
    struct ddl *ddl;
    const struct ast_create_index *ast;
    const struct table *table;
    bool custom;
    struct string_map options;
    const struct column *column; /* the one target; NULL: none, or several */
    uint32_t targets;
    struct index index; /* in the making */
};

/* ---- targets ---- */

static const char *const target_names[] = { [TARGET_SIMPLE] = "",
                                            [TARGET_KEYS] = "keys",
                                            [TARGET_VALUES] = "values",
                                            [TARGET_ENTRIES] = "entries",
                                            [TARGET_FULL] = "full" };

static enum ast_index_target real_target(const struct column *column, enum ast_index_target target)
{
    return target == TARGET_SIMPLE && type_is_collection(column->type) ? TARGET_VALUES : target;
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
static enum wr_status check_target(const struct request *r, const struct column *c, enum ast_index_target target)
{
    struct ctx *ctx = r->ddl->ctx;
    const char *of = target_names[target];
    bool frozen_collection = type_is_collection(c->type) && !c->type->multicell;

    if (r->custom && !name_is_valid(c->name))
        return fail(ctx, WR_INVALID, "Column '%.*s' contains non-alphanumeric-underscore characters",
                    SLICE_ARG(c->name));
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

static enum wr_status read_targets(struct request *r)
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
        TRY(ddl_require_column(r->ddl, r->table, t->name, &c));
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
static enum wr_status default_name(struct request *r, struct slice *out)
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
        if (isalnum(buf.data[i]) || buf.data[i] == '_')
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

static enum wr_status read_attributes(struct request *r)
{
    struct ctx *ctx = r->ddl->ctx;
    const struct ast_property *options = property_find(r->ast->properties, "options");
    struct slice using_class = r->ast->using_class;
    for (const struct ast_property *p = r->ast->properties; p; p = p->next)
        if (p != options)
            return fail(ctx, WR_SYNTAX, "Unknown property '%.*s'", SLICE_ARG(p->name));
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

static const struct index *find_equal(const struct request *r)
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

/* ---- SAI ---- */

static const char *const sai_text_options[] = { "case_sensitive", "normalize", "ascii" };
static const char *const sai_vector_options[] = { "maximum_node_connections", "construction_beam_width",
                                                  "similarity_function", "optimize_for" };

static bool is_one_of(struct slice name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (slice_eq_str(name, names[i]))
            return true;
    return false;
}
#define IS_ONE_OF(name, names) is_one_of((name), (names), sizeof(names) / sizeof *(names))

static enum wr_status check_sai_text(const struct request *r, const struct type *type)
{
    struct ctx *ctx = r->ddl->ctx;
    struct string_map found = { NULL, NULL, 0 };
    for (int i = 0; i < 3; i++) {
        struct slice value = string_map_get(&r->options, slice_str(sai_text_options[i]));
        if (value.data)
            TRY(string_map_set(ctx, &found, slice_str(sai_text_options[i]), value, &found));
    }
    if (found.count == 0)
        return WR_OK;
    if (column_is_primary_key(r->column)) {
        struct buf buf;
        buf_init(&buf, ctx->arena);
        string_map_print(&buf, &found);
        return fail(ctx, WR_INVALID, "Analysis options are not supported on primary key columns, but found %.*s",
                    SLICE_ARG(buf_slice(&buf)));
    }
    if (type->kind != TYPE_TEXT && type->kind != TYPE_ASCII)
        return fail(ctx, WR_INVALID, "CQL type %s cannot be analyzed.", type_name(ctx, type));
    for (uint32_t i = 0; i < found.count; i++) {
        bool yes = java_equals_fold(found.values[i], "true");
        if (!yes && !java_equals_fold(found.values[i], "false"))
            return fail(ctx, WR_INVALID, "Illegal value for boolean option '%.*s': %.*s", SLICE_ARG(found.keys[i]),
                        SLICE_ARG(found.values[i]));
        if (yes != slice_eq_str(found.keys[i], "case_sensitive"))
            return fail(ctx, WR_INVALID, "The option '%.*s': '%.*s' of StorageAttachedIndex " NOT_HERE,
                        SLICE_ARG(found.keys[i]), SLICE_ARG(found.values[i]));
    }
    return WR_OK;
}

static bool is_word(struct slice given, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (java_equals_fold(given, words[i]))
            return true;
    return !given.len;
}

static enum wr_status check_sai_vector(const struct request *r, const struct type *type)
{
    static const char *const functions[] = { "euclidean", "dot_product", "cosine" }, *const aims[] = { "latency",
                                                                                                       "recall" };
    struct ctx *ctx = r->ddl->ctx;
    struct slice function = string_map_get(&r->options, SLICE_LIT("similarity_function"));
    struct slice aim = string_map_get(&r->options, SLICE_LIT("optimize_for"));
    if (string_map_get(&r->options, SLICE_LIT("maximum_node_connections")).data)
        return fail(ctx, WR_INVALID,
                    "Maximum node connections cannot be set without enabling SAI_VECTOR_ALLOW_CUSTOM_PARAMETERS");
    if (string_map_get(&r->options, SLICE_LIT("construction_beam_width")).data)
        return fail(ctx, WR_INVALID,
                    "Construction beam width cannot be set without enabling SAI_VECTOR_ALLOW_CUSTOM_PARAMETERS");
    TRY(java_upper(ctx, function, &function));
    TRY(java_upper(ctx, aim, &aim));
    if (!is_word(function, functions, 3))
        return fail(ctx, WR_INVALID,
                    "Similarity function %.*s was not recognized for index null. Valid values are: EUCLIDEAN, "
                    "DOT_PRODUCT, COSINE",
                    SLICE_ARG(function));
    if (!is_word(aim, aims, 2))
        return fail(ctx, WR_INVALID,
                    "optimize_for '%.*s' was not recognized for index null. Valid values are: LATENCY, RECALL",
                    SLICE_ARG(aim));
    if (type->args[0]->kind != TYPE_FLOAT)
        return fail(ctx, WR_INVALID, "SAI ANN indexes are only allowed on vector columns with float elements");
    if (type->dimension == 1 && (!function.len || java_equals_fold(function, "cosine")))
        return fail(ctx, WR_INVALID, "Cosine similarity is not supported for single-dimension vectors");
    return WR_OK;
}

static bool sai_supports(const struct type *type)
{
    switch (type->kind) {
    case TYPE_BLOB:
    case TYPE_COUNTER:
    case TYPE_DURATION:
    case TYPE_EMPTY:
    case TYPE_CUSTOM:
        return false;
    default:
        return true;
    }
}

static enum wr_status check_sai(const struct request *r)
{
    struct ctx *ctx = r->ddl->ctx;
    struct buf unknown;
    buf_init(&unknown, ctx->arena);
    for (uint32_t i = 0; i < r->options.count; i++)
        if (!IS_ONE_OF(r->options.keys[i], sai_text_options) && !IS_ONE_OF(r->options.keys[i], sai_vector_options))
            buf_printf(&unknown, "%s%.*s", unknown.len ? ", " : "", SLICE_ARG(r->options.keys[i]));
    if (unknown.len)
        return fail(ctx, WR_CONFIG, "Properties specified [%.*s] are not understood by StorageAttachedIndex",
                    SLICE_ARG(buf_slice(&unknown)));
    if (r->targets > 1)
        return fail(ctx, WR_INVALID, "A storage-attached index cannot be created over multiple columns: %.*s",
                    SLICE_ARG(r->index.target_text));
    if (!r->column)
        return fail(ctx, WR_INVALID, "Failed to retrieve target column for: ");
    for (uint32_t i = 0; i < r->table->index_count; i++)
        if (r->table->indexes[i].index_class == INDEX_SAI &&
            slice_eq(r->table->indexes[i].target_text, r->index.target_text))
            return fail(ctx, WR_INVALID, "Cannot create more than one storage-attached index on the same column: %.*s",
                        SLICE_ARG(r->column->name));

    const struct type *type = r->column->type;
    const struct type *parts[2] = { type, NULL };
    if (r->index.target == INDEX_ENTRIES) {
        parts[0] = type->args[0];
        parts[1] = type->args[1];
    } else if (r->index.target == INDEX_KEYS || r->index.target == INDEX_VALUES) {
        parts[0] = type->args[type->kind == TYPE_MAP && r->index.target == INDEX_VALUES];
    }
    TRY(check_sai_text(r, parts[0]));
    if (parts[0]->kind == TYPE_VECTOR)
        TRY(check_sai_vector(r, parts[0]));
    for (uint32_t i = 0; i < r->options.count && parts[0]->kind != TYPE_VECTOR; i++)
        if (IS_ONE_OF(r->options.keys[i], sai_vector_options))
            return fail(ctx, WR_INVALID, "CQL type %s cannot have vector options", type_name(ctx, parts[0]));
    for (int i = 0; i < 2 && parts[i]; i++)
        if (!sai_supports(parts[i]))
            return fail(ctx, WR_INVALID, "Unsupported type: %s", type_name(ctx, parts[i]));
    return WR_OK;
}

/* ---- SASI ---- */

static enum wr_status check_sasi_analyzer(const struct request *r)
{
    static const char *const analyzers[] = { "NonTokenizingAnalyzer", "StandardAnalyzer", "DelimiterAnalyzer",
                                             "NoOpAnalyzer" };
    struct ctx *ctx = r->ddl->ctx;
    struct slice given = string_map_get(&r->options, SLICE_LIT("analyzer_class"));
    struct slice package = SLICE_LIT("org.apache.cassandra.index.sasi.analyzer.");
    bool literal = r->column->type->kind == TYPE_TEXT || r->column->type->kind == TYPE_ASCII;
    if (!given.data)
        return WR_OK;
    if (!slice_has_prefix(given, package) || !IS_ONE_OF(slice_skip(given, package.len), analyzers))
        return fail(ctx, WR_CONFIG, "Invalid analyzer class option specified [%.*s]", SLICE_ARG(given));
    struct slice name = slice_skip(given, package.len);
    if (!literal && !slice_eq_str(name, "NoOpAnalyzer"))
        return fail(ctx, WR_CONFIG, "%.*s does not support type %s", SLICE_ARG(name), type_name(ctx, r->column->type));
    if (!slice_eq_str(name, "NoOpAnalyzer"))
        return fail(ctx, WR_INVALID, "The analyzer %.*s of SASIIndex " NOT_HERE, SLICE_ARG(name));
    return WR_OK;
}

static enum wr_status check_sasi(const struct request *r)
{
    struct ctx *ctx = r->ddl->ctx;
    struct slice mode = string_map_get(&r->options, SLICE_LIT("mode"));
    if (!r->column)
        return fail(ctx, WR_CONFIG, "failed to retrieve target column for: %.*s", SLICE_ARG(r->index.target_text));
    if (r->column->type->multicell)
        return fail(ctx, WR_CONFIG, "complex columns are not yet supported by SASI");
    if (r->column->kind == COLUMN_PARTITION_KEY)
        return fail(ctx, WR_CONFIG, "partition key columns are not yet supported by SASI");
    TRY(check_sasi_analyzer(r));
    if (mode.data && !java_equals_fold(mode, "PREFIX") && !java_equals_fold(mode, "CONTAINS") &&
        !java_equals_fold(mode, "SPARSE"))
        return fail(ctx, WR_CONFIG, "Incorrect index mode: %.*s", SLICE_ARG(mode));
    if (mode.data && java_equals_fold(mode, "SPARSE") &&
        (r->column->type->kind == TYPE_TEXT || r->column->type->kind == TYPE_ASCII))
        return fail(ctx, WR_CONFIG, "SPARSE mode is only supported on non-literal columns.");
    return WR_OK;
}

static enum wr_status check_class(struct request *r)
{
    struct ctx *ctx = r->ddl->ctx;
    if (!name_is_valid(r->index.name))
        return fail(ctx, WR_CONFIG, "Illegal index name %.*s", SLICE_ARG(r->index.name));
    if (!r->custom)
        return WR_OK;
    if (!class_of(r->index.class_name, &r->index.index_class))
        return fail(ctx, WR_CONFIG, "Unable to find custom indexer class '%.*s'", SLICE_ARG(r->index.class_name));
    return r->index.index_class == INDEX_SAI ? check_sai(r) : check_sasi(r);
}

/* ---- CREATE INDEX ---- */

static void warn(struct ctx *ctx, const struct table *table, const struct index *made)
{
    bool ann = false;
    for (uint32_t i = 0; i < table->index_count; i++)
        ann |= table->indexes[i].index_class == INDEX_SAI && table->indexes[i].column->type->kind == TYPE_VECTOR;
    if (ann)
        ctx_warn(ctx, "SAI ANN indexes on vector columns are experimental and are not recommended for production use.\n"
                      "They don't yet support SELECT queries with:\n"
                      " * Consistency level higher than ONE/LOCAL_ONE.\n"
                      " * Paging.\n"
                      " * No LIMIT clauses.\n"
                      " * PER PARTITION LIMIT clauses.\n"
                      " * GROUP BY clauses.\n"
                      " * Aggregation functions.\n"
                      " * Filters on columns without a SAI index.");
    if (made->index_class == INDEX_SASI)
        ctx_warn(ctx, "SASI indexes are experimental and are not recommended for production use.");
}

static uint32_t place_in_order(const struct table *table, struct slice name) /* indexes are kept by name */
{
    uint32_t at = 0;
    while (at < table->index_count && slice_cmp(table->indexes[at].name, name) < 0)
        at++;
    return at;
}

static enum wr_status add_index(struct request *r)
{
    struct ddl *ddl = r->ddl;
    struct table_draft d;
    uint32_t at = place_in_order(r->table, r->index.name);

    TRY(ddl_copy_table(ddl, r->table, 0, 1, 0, &d));
    TRY(txn_next_id(ddl->ctx, ddl->exec->txn, &r->index.id));
    memmove(&d.indexes[at + 1], &d.indexes[at], (d.table.index_count - at) * sizeof *d.indexes);
    d.indexes[at] = r->index;
    d.indexes[at].column = r->column;
    d.table.index_count++;
    d.table.changed = schema_version(ddl->schema) + 1;
    TRY(ddl_order_dropped(ddl, &d, d.table.dropped_count));
    TRY(table_complete(ddl->ctx, &d.table));
    ddl_edit(ddl, r->table->name);
    TRY(catalog_store_table(&ddl->edit, r->table, &d.table));
    TRY(txn_build_index(ddl->ctx, ddl->exec->txn, &d.table.shape, &d.table.shape.indexes[at]));
    warn(ddl->ctx, &d.table, &d.table.indexes[at]);
    return ddl_done(ddl, "UPDATED", "TABLE", r->table->name);
}

enum wr_status ddl_create_index(struct ddl *ddl)
{
    const struct ast_create_index *ast = &ddl->ast->create_index;
    struct request r = { .ddl = ddl, .ast = ast };
    const struct index *equal;

    TRY(ddl_authorize(ddl, "ALTER", ddl_table_resource(ddl, ast->table.name)));
    TRY(read_attributes(&r));
    if (!ddl->keyspace)
        return fail(ddl->ctx, WR_INVALID, "Keyspace '%.*s' doesn't exist", SLICE_ARG(ddl->keyspace_name));
    r.table = schema_table(ddl->schema, ddl->keyspace_name, ast->table.name);
    if (!r.table)
        return fail(ddl->ctx, WR_INVALID, "Table '%.*s' doesn't exist", SLICE_ARG(ast->table.name));
    if (ast->name.name.data && index_name_taken(ddl, ast->name.name)) {
        if (ast->if_not_exists)
            return WR_OK;
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
            return WR_OK;
        return fail(ddl->ctx, WR_INVALID, "Index %.*s is a duplicate of existing index %.*s", SLICE_ARG(r.index.name),
                    SLICE_ARG(equal->name));
    }
    TRY(check_class(&r));
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
