/*
 * CREATE MATERIALIZED VIEW. The order of checks is CreateViewStatement's, so the first thing wrong is the one told. What a view's
 * rows are: view.h.
 */
#include "model/ddl.h"
#include "model/describe.h"
#include "model/javatext.h"
#include "model/options.h"
#include "model/parse.h"
#include "model/view.h"
#include "model/view_filter.h"

/* ---- when prepared ---- */

enum wr_status ddl_check_create_view(struct ctx *ctx, const struct ast_create_view *ast, struct slice keyspace,
                                     uint32_t marker_count)
{
    if (ast->base.keyspace.data && !slice_eq(ast->base.keyspace, keyspace))
        return fail(ctx, WR_INVALID, "Cannot create a materialized view on a table in a different keyspace");
    if (marker_count)
        return fail(ctx, WR_INVALID, "Bind variables are not allowed in CREATE MATERIALIZED VIEW statements");
    return WR_OK;
}

/* ---- CREATE: what is selected ---- */

/* A view in the making. Arrays are by the base's ordinals. */
struct draft {
    struct ddl *ddl;
    const struct ast_create_view *ast;
    const struct table *base;
    struct table unindexed;   /* it without its indexes: what the restrictions of WHERE are of */
    bool *selected, *in_key;
    struct slice *names; /* of columns in the order in which a set of them was made: first those selected, then those of the key */
    uint32_t name_count;
    struct view view;
    struct table table;
};

static void select_column(struct draft *d, const struct column *c)
{
    if (!d->selected[c->ordinal])
        d->names[d->name_count++] = c->name;
    d->selected[c->ordinal] = true;
}

static enum wr_status read_selector(struct draft *d, const struct ast_selector *selector)
{
    struct ctx *ctx = d->ddl->ctx;
    const struct column *c;
    struct buf text;

    buf_init(&text, ctx->arena);
    cql_put_expr(&text, selector->expr);
    if (selector->alias.data)
        return fail(ctx, WR_INVALID, "Cannot use aliases when defining a materialized view (got %.*s AS %.*s)",
                    SLICE_ARG(buf_slice(&text)), SLICE_ARG(selector->alias));
    if (selector->expr->kind != EXPR_COLUMN)
        return fail(ctx, WR_INVALID, "Can only select columns by name when defining a materialized view (got %.*s)",
                    SLICE_ARG(buf_slice(&text)));
    TRY(table_require_column(d->ddl->ctx, d->base, selector->expr->text, &c));
    select_column(d, c);
    return WR_OK;
}

/* The first of the names, in the order of a HashSet of them, that `wanted` is true of; null: none. */
static enum wr_status first_name(struct draft *d, bool (*wanted)(const struct column *c), struct slice *out)
{
    uint32_t *order = NEW_ARRAY(d->ddl->ctx, uint32_t, d->name_count);
    if (!order)
        return WR_NOMEM;
    TRY(java_map_order(d->ddl->ctx, d->names, d->name_count, 0, order));
    *out = SLICE_NULL;
    for (uint32_t i = 0; i < d->name_count && !out->data; i++)
        if (wanted(table_column(d->base, d->names[order[i]])))
            *out = d->names[order[i]];
    return WR_OK;
}

static bool is_static(const struct column *c)
{
    return c->kind == COLUMN_STATIC;
}

static enum wr_status read_selection(struct draft *d)
{
    struct slice name;
    for (uint32_t i = 0; d->ast->star && i < d->base->column_count; i++) /* those that a compact table hides, too */
        select_column(d, &d->base->columns[i]);
    for (const struct ast_selector *s = d->ast->selectors; s && !d->ast->star; s = s->next)
        TRY(read_selector(d, s));
    TRY(first_name(d, is_static, &name));
    if (name.data)
        return fail(d->ddl->ctx, WR_INVALID, "Cannot include static column '%.*s' in materialized view '%.*s'",
                    SLICE_ARG(name), SLICE_ARG(d->ast->name.name));
    d->view.every_column = d->ast->star;
    return WR_OK;
}

/* ---- CREATE: the key ---- */

static enum wr_status check_key_type(struct ctx *ctx, const struct column *c)
{
    struct buf class;
    buf_init(&class, ctx->arena);
    type_print_class(&class, c->type);
    if (c->type->multicell)
        return fail(ctx, WR_INVALID,
                    type_is_collection(c->type) ? "Invalid non-frozen collection type '%.*s' for PRIMARY KEY column '%.*s'"
                                                : "Invalid non-frozen user-defined type '%.*s' for PRIMARY KEY column '%.*s'",
                    SLICE_ARG(buf_slice(&class)), SLICE_ARG(c->name));
    if (type_has_duration(c->type))
        return fail(ctx, WR_INVALID, "duration type is not supported for PRIMARY KEY column '%.*s'", SLICE_ARG(c->name));
    return WR_OK;
}

static enum wr_status take_key(struct draft *d, struct slice name)
{
    struct slice view = d->ast->name.name;
    const struct column *c = table_column(d->base, name);
    if (!c || !d->selected[c->ordinal])
        return fail(d->ddl->ctx, WR_INVALID, "Unknown column '%.*s' referenced in PRIMARY KEY for materialized view '%.*s'",
                    SLICE_ARG(name), SLICE_ARG(view));
    if (d->in_key[c->ordinal])
        return fail(d->ddl->ctx, WR_INVALID, "Duplicate column '%.*s' in PRIMARY KEY clause for materialized view '%.*s'",
                    SLICE_ARG(name), SLICE_ARG(view));
    d->in_key[c->ordinal] = true;
    d->names[d->name_count++] = name;
    return check_key_type(d->ddl->ctx, c);
}

static bool order_is_of(const struct ast_clustering_order *order, const struct ast_names *columns)
{
    for (; order && columns; order = order->next, columns = columns->next)
        if (!slice_eq(order->column, columns->name))
            return false;
    return !order && !columns;
}

/* `a, b`: those key columns, in the order of a set of them, that `wanted` is true of. */
static enum wr_status key_names(struct draft *d, bool (*wanted)(const void *arg, const struct column *c),
                                const void *arg, struct buf *out, uint32_t *count)
{
    uint32_t *order = NEW_ARRAY(d->ddl->ctx, uint32_t, d->name_count);
    if (!order)
        return WR_NOMEM;
    TRY(java_map_order(d->ddl->ctx, d->names, d->name_count, 0, order));
    buf_init(out, d->ddl->ctx->arena);
    *count = 0;
    for (uint32_t i = 0; i < d->name_count; i++) {
        struct slice name = d->names[order[i]];
        if (wanted(arg, table_column(d->base, name)))
            buf_printf(out, "%s%.*s", (*count)++ ? ", " : "", SLICE_ARG(name));
    }
    return out->failed ? fail_nomem(d->ddl->ctx) : WR_OK;
}

static bool is_not_of_base_key(const void *arg, const struct column *c)
{
    (void)arg;
    return !column_is_primary_key(c);
}

static enum wr_status check_base_key(struct draft *d)
{
    struct ctx *ctx = d->ddl->ctx;
    struct buf names;
    uint32_t count;

    buf_init(&names, ctx->arena);
    for (uint32_t i = 0; i < d->base->key_count + d->base->clustering_count; i++)
        if (!d->in_key[i])
            buf_printf(&names, "%s%.*s", names.len ? ", " : "", SLICE_ARG(d->base->columns[i].name));
    if (names.len)
        return fail(ctx, WR_INVALID,
                    "Cannot create materialized view '%.*s' without primary key columns %.*s from base table '%.*s'",
                    SLICE_ARG(d->ast->name.name), SLICE_ARG(buf_slice(&names)), SLICE_ARG(d->base->name));
    TRY(key_names(d, is_not_of_base_key, NULL, &names, &count));
    if (count > 1)
        return fail(ctx, WR_INVALID,
                    "Cannot include more than one non-primary key column in materialized view primary key (got %.*s)",
                    SLICE_ARG(buf_slice(&names)));
    d->view.has_key_cell = count == 1;
    return WR_OK;
}

static enum wr_status read_key(struct draft *d)
{
    d->name_count = 0;
    for (const struct ast_names *n = d->ast->partition_key; n; n = n->next)
        TRY(take_key(d, n->name));
    for (const struct ast_names *n = d->ast->clustering; n; n = n->next)
        TRY(take_key(d, n->name));
    if (d->ast->order && !order_is_of(d->ast->order, d->ast->clustering))
        return fail(d->ddl->ctx, WR_INVALID,
                    "Clustering key columns must exactly match columns in CLUSTERING ORDER BY directive");
    return check_base_key(d);
}

/* ---- CREATE: which rows ---- */

static bool is_free(const void *arg, const struct column *c)
{
    return !restrict_has_column(arg, c) && !restrict_column_is_not_null(arg, c);
}

static enum wr_status check_restrictions(struct draft *d, const struct restrictions *r)
{
    struct ctx *ctx = d->ddl->ctx;
    struct buf names;
    uint32_t count;

    TRY(key_names(d, is_free, r, &names, &count));
    if (count)
        return fail(ctx, WR_INVALID, "Primary key columns %.*s must be restricted with 'IS NOT NULL' or otherwise",
                    SLICE_ARG(buf_slice(&names)));
    buf_init(&names, ctx->arena);
    for (uint32_t i = 0; i < d->base->column_count; i++)
        if (!column_is_primary_key(&d->base->columns[i]) && restrict_has_column(r, &d->base->columns[i]))
            buf_printf(&names, "%s%.*s", names.len ? "," : "", SLICE_ARG(d->base->columns[i].name));
    if (names.len)
        return fail(ctx, WR_INVALID,
                    "Non-primary key columns can only be restricted with 'IS NOT NULL' (got: %.*s restricted illegally)",
                    SLICE_ARG(buf_slice(&names)));
    return WR_OK;
}

static enum wr_status keep_relation(struct ctx *ctx, const struct ast_relation *ast, struct view_relation *out)
{
    struct buf all, columns;
    struct slice *names;
    struct slice text;
    uint32_t count = 0;

    for (const struct ast_names *n = ast->columns; n; n = n->next)
        count++;
    if (!(names = NEW_ARRAY(ctx, struct slice, count)))
        return WR_NOMEM;
    count = 0;
    for (const struct ast_names *n = ast->columns; n; n = n->next)
        names[count++] = n->name;
    *out = (struct view_relation){ .columns = names, .column_count = count, .tuple = ast->subject == SUBJECT_COLUMNS };
    buf_init(&all, ctx->arena);
    cql_put_relation(&all, ast);
    buf_init(&columns, ctx->arena);
    describe_relation(&columns, out);
    TRY(buf_done(ctx, &all, &text));
    out->rest = slice_skip(text, columns.len);
    return WR_OK;
}

static enum wr_status keep_where(struct draft *d)
{
    struct view_relation *where;
    uint32_t count = 0;
    for (const struct ast_relation *r = d->ast->where; r; r = r->next)
        count++;
    if (!(where = NEW_ARRAY(d->ddl->ctx, struct view_relation, count)))
        return WR_NOMEM;
    for (const struct ast_relation *r = d->ast->where; r; r = r->next)
        TRY(keep_relation(d->ddl->ctx, r, &where[d->view.where_count++]));
    d->view.where = where;
    return WR_OK;
}

static enum wr_status read_where(struct draft *d, struct restrictions **out)
{
    struct ddl *ddl = d->ddl;
    struct bind bind = { .ctx = ddl->ctx,
                         .schema = ddl->schema,
                         .current_keyspace = ddl->keyspace_name,
                         .table = d->base,
                         .text = ddl->ast->text };
    struct restrictions *r;

    for (const struct ast_relation *w = d->ast->where; w; w = w->next)
        if (w->subject == SUBJECT_TOKEN)
            return fail(ddl->ctx, WR_INVALID, "Cannot use token relation when defining a materialized view");
    for (const struct ast_relation *w = d->ast->where; w; w = w->next)
        if (w->subject == SUBJECT_INDEX)
            return fail(ddl->ctx, WR_INVALID,
                        "WHERE clause for materialized view '%.*s' cannot contain custom index expressions",
                        SLICE_ARG(d->ast->name.name));
    TRY(restrict_bind(&bind, d->ast->where, NULL, RESTRICT_SELECT, RESTRICT_VIEW | RESTRICT_ALLOW_FILTERING, &r));
    TRY(check_restrictions(d, r));
    d->unindexed = *d->base; /* what is wrong has been told as of a read; but rows are not looked for, they come by */
    d->unindexed.index_count = 0;
    bind.table = &d->unindexed;
    TRY(restrict_bind(&bind, d->ast->where, NULL, RESTRICT_SELECT, RESTRICT_VIEW | RESTRICT_ALLOW_FILTERING, &r));
    *out = r;
    return keep_where(d);
}

/* ---- CREATE: options, and the whole ---- */

static enum wr_status read_options(struct draft *d)
{
    const struct ast_property *properties = d->ast->properties;
    d->table.options = table_options_default;
    TRY(options_check(d->ddl->ctx, properties)); /* for a table it comes behind */
    TRY(options_read(d->ddl->ctx, properties, true, &d->table.options));
    if (d->table.options.default_time_to_live != 0)
        return fail(d->ddl->ctx, WR_INVALID,
                    "Cannot set default_time_to_live for a materialized view. Data in a materialized view always expire at "
                    "the same time than the corresponding data in the parent table.");
    return WR_OK;
}

/* A key column goes the way the view says, and without a word the way it goes in the base: Cassandra takes over its type, with
 * the ReversedType around it. */
static bool is_descending(const struct draft *d, const struct column *c)
{
    for (const struct ast_clustering_order *o = d->ast->order; o; o = o->next)
        if (slice_eq(o->column, c->name))
            return o->descending;
    return c->descending;
}

static enum wr_status make_columns(struct draft *d)
{
    struct column *columns = NEW_ARRAY(d->ddl->ctx, struct column, d->base->column_count);
    uint32_t count = 0;

    if (!columns)
        return WR_NOMEM;
    for (const struct ast_names *n = d->ast->partition_key; n; n = n->next)
        columns[count++] = (struct column){ .name = n->name, .kind = COLUMN_PARTITION_KEY };
    for (const struct ast_names *n = d->ast->clustering; n; n = n->next)
        columns[count++] = (struct column){ .name = n->name, .kind = COLUMN_CLUSTERING };
    for (uint32_t i = 0; i < d->base->column_count; i++)
        if (d->selected[i] && !d->in_key[i])
            columns[count++] = (struct column){ .name = d->base->columns[i].name, .kind = COLUMN_REGULAR };
    for (uint32_t i = 0; i < count; i++) {
        const struct column *c = table_column(d->base, columns[i].name);
        columns[i].type = c->type;
        columns[i].descending = columns[i].kind != COLUMN_REGULAR && is_descending(d, c);
        columns[i].mask = c->mask;
        columns[i].id = columns[i].kind == COLUMN_REGULAR ? c->id : 0;
        columns[i].dropped_us = TIMESTAMP_NONE; /* what is hidden in the base does not come here */
    }
    d->table.columns = columns;
    d->table.column_count = count;
    return WR_OK;
}

static enum wr_status make_table(struct draft *d)
{
    struct ddl *ddl = d->ddl;
    struct table *t = &d->table;

    t->keyspace = ddl->keyspace_name;
    t->name = d->ast->name.name;
    t->flags = TABLE_VIEW | TABLE_COMPOUND;
    t->view = &d->view;
    t->next_column_id = d->base->next_column_id;
    t->changed = schema_version(ddl->schema) + 1;
    d->view.base_name = d->base->name;
    memcpy(d->view.base_id, d->base->id, sizeof d->base->id);
    TRY(make_columns(d));
    TRY(ddl_give_id(ddl, d->ast->properties, t));
    TRY(ddl_check_table(ddl, t));
    TRY(txn_next_id(ddl->ctx, ddl->exec->txn, &t->shape.table_id));
    return table_complete(ddl->ctx, t);
}

static enum wr_status fill(struct draft *d)
{
    struct derivation derivation;
    TRY(view_derivation_make(d->ddl->ctx, d->base, &d->table, &derivation));
    return txn_build_derived(d->ddl->ctx, d->ddl->exec->txn, &d->base->shape, &derivation);
}

static void warn(struct ddl *ddl)
{
    ctx_warn(ddl->ctx, "Materialized views are experimental and are not recommended for production use.");
}

/* Whether there is anything to do at all. */
static enum wr_status check_names(struct draft *d, bool *exists)
{
    struct ddl *ddl = d->ddl;
    struct slice name = d->ast->name.name;
    const struct table *other = schema_table(ddl->schema, ddl->keyspace_name, name);

    if (!ddl->keyspace)
        return fail(ddl->ctx, WR_INVALID, "Keyspace '%.*s' doesn't exist", SLICE_ARG(ddl->keyspace_name));
    d->base = schema_table(ddl->schema, ddl->keyspace_name, d->ast->base.name);
    if (!d->base || table_is_view(d->base))
        return fail(ddl->ctx, WR_INVALID, "Base table '%.*s' doesn't exist", SLICE_ARG(d->ast->base.name));
    if (other && !table_is_view(other))
        return fail(ddl->ctx, WR_INVALID,
                    "Cannot create materialized view '%.*s' - a table with the same name already exists", SLICE_ARG(name));
    *exists = other != NULL;
    if (!other || d->ast->if_not_exists)
        return WR_OK;
    return ddl_fail_exists(ddl, name);
}

static enum wr_status check_base(struct draft *d)
{
    struct ctx *ctx = d->ddl->ctx;
    if (table_is_counter(d->base))
        return fail(ctx, WR_INVALID, "Materialized views are not supported on counter tables");
    if (d->base->options.gc_grace_seconds == 0)
        return fail(ctx, WR_INVALID,
                    "Cannot create materialized view '%.*s' for base table '%.*s' with gc_grace_seconds of 0, since this value "
                    "is used to TTL undelivered updates. Setting gc_grace_seconds too low might cause undelivered updates to "
                    "expire before being replayed.",
                    SLICE_ARG(d->ast->name.name), SLICE_ARG(d->base->name));
    return WR_OK;
}

enum wr_status ddl_create_view(struct ddl *ddl)
{
    struct draft d = { .ddl = ddl, .ast = &ddl->ast->create_view };
    struct restrictions *where = NULL;
    bool exists;

    TRY(check_names(&d, &exists));
    if (exists) {
        warn(ddl);
        return WR_OK;
    }
    TRY(check_base(&d));
    d.selected = NEW_ARRAY(ddl->ctx, bool, d.base->column_count);
    d.in_key = NEW_ARRAY(ddl->ctx, bool, d.base->column_count);
    d.names = NEW_ARRAY(ddl->ctx, struct slice, d.base->column_count);
    if (!d.selected || !d.in_key || !d.names)
        return WR_NOMEM;
    TRY(read_selection(&d));
    TRY(read_key(&d));
    TRY(read_where(&d, &where));
    TRY(read_options(&d));
    TRY(make_table(&d));
    TRY(view_filter_encode(ddl->exec, where, &d.view.chosen)); /* refuses nulls, over which a server stumbles once the view is there */
    TRY(fill(&d));
    ddl_edit(ddl, SLICE_NULL);
    TRY(catalog_store_table(&ddl->edit, NULL, &d.table));
    warn(ddl);
    return ddl_done(ddl, "CREATED", "TABLE", d.table.name);
}
