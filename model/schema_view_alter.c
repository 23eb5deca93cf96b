/*
 * ALTER and DROP MATERIALIZED VIEW, and what a change of a table is to its views.
 */
#include "model/ddl.h"
#include "model/options.h"

/* ---- ALTER, DROP ---- */

/* *out NULL: there is none, and that is fine. */
static enum wr_status find_view(struct ddl *ddl, struct slice name, bool if_exists, const struct table **out)
{
    *out = schema_table(ddl->schema, ddl->keyspace_name, name);
    if (*out && !table_is_view(*out))
        *out = NULL;
    if (*out || if_exists)
        return WR_OK;
    return fail(ddl->ctx, WR_INVALID, "Materialized view '%.*s.%.*s' doesn't exist", SLICE_ARG(ddl->keyspace_name),
                SLICE_ARG(name));
}

static enum wr_status check_altered(struct ctx *ctx, const struct table_options *options)
{
    if (options->gc_grace_seconds == 0)
        return fail(ctx, WR_INVALID,
                    "Cannot alter gc_grace_seconds of a materialized view to 0, since this value is used to TTL undelivered "
                    "updates. Setting gc_grace_seconds too low might cause undelivered updates to expire before being "
                    "replayed.");
    if (options->default_time_to_live > 0)
        return fail(ctx, WR_INVALID,
                    "Forbidden default_time_to_live detected for a materialized view. Data in a materialized view always "
                    "expire at the same time than the corresponding data in the parent table. default_time_to_live must be "
                    "set to zero, see CASSANDRA-12868 for more information");
    return WR_OK;
}

/* Nothing is told where nothing has changed. */
static enum wr_status store_changed(struct ddl *ddl, const struct table *before, struct table *after, bool *stored)
{
    struct slice old, new;
    TRY(table_complete(ddl->ctx, after));
    TRY(table_encode(ddl->ctx, before, &old));
    TRY(table_encode(ddl->ctx, after, &new));
    *stored = !slice_eq(old, new);
    if (!*stored)
        return WR_OK;
    after->changed = schema_version(ddl->schema) + 1;
    return catalog_store_table(&ddl->edit, before, after);
}

enum wr_status ddl_alter_view(struct ddl *ddl)
{
    const struct ast_alter_table *ast = &ddl->ast->alter_table;
    const struct table *view;
    struct table_draft d;
    uint8_t id[16];
    bool has_id, stored;

    TRY(ddl_require_user_keyspace(ddl));
    TRY(find_view(ddl, ast->name.name, ast->if_exists, &view));
    if (!view)
        return WR_OK;
    TRY(ddl_copy_table(ddl, view, 0, 0, 0, &d));
    TRY(options_check(ddl->ctx, ast->properties)); /* for a table it comes behind */
    TRY(options_read(ddl->ctx, ast->properties, false, &d.table.options));
    TRY(options_table_id(ddl->ctx, ast->properties, &has_id, id));
    if (has_id)
        return fail(ddl->ctx, WR_CONFIG, "Cannot alter table id.");
    TRY(check_altered(ddl->ctx, &d.table.options));
    ddl_edit(ddl, view->name);
    TRY(store_changed(ddl, view, &d.table, &stored));
    return stored ? ddl_done(ddl, "UPDATED", "TABLE", view->name) : WR_OK;
}

enum wr_status ddl_drop_view(struct ddl *ddl)
{
    const struct table *view;

    TRY(ddl_require_user_keyspace(ddl));
    TRY(find_view(ddl, ddl->ast->drop.name.name, ddl->ast->drop.if_exists, &view));
    if (!view)
        return WR_OK;
    ddl_edit(ddl, view->name);
    TRY(catalog_remove_table(&ddl->edit, view));
    return ddl_done(ddl, "DROPPED", "TABLE", view->name);
}

/* ---- what follows from a change of the table ---- */

/* Key columns stay where they are, so a renamed one is known by its place. */
static struct slice new_name(const struct table *before, const struct table *after, struct slice name)
{
    for (uint32_t i = 0; i < before->key_count + before->clustering_count; i++)
        if (slice_eq(before->columns[i].name, name))
            return after->columns[i].name;
    return name;
}

static enum wr_status follow_where(struct ddl *ddl, const struct table *before, const struct table *after, struct view *view)
{
    struct view_relation *where = NEW_ARRAY(ddl->ctx, struct view_relation, view->where_count);
    if (!where)
        return WR_NOMEM;
    for (uint32_t i = 0; i < view->where_count; i++) {
        struct slice *columns = NEW_ARRAY(ddl->ctx, struct slice, view->where[i].column_count);
        if (!columns)
            return WR_NOMEM;
        for (uint32_t c = 0; c < view->where[i].column_count; c++)
            columns[c] = new_name(before, after, view->where[i].columns[c]);
        where[i] = view->where[i];
        where[i].columns = columns;
    }
    view->where = where;
    return WR_OK;
}

static void add_new_columns(const struct table *before, const struct table *after, struct table_draft *d)
{
    for (uint32_t i = after->key_count + after->clustering_count; i < after->column_count; i++) {
        const struct column *c = &after->columns[i];
        if (c->kind != COLUMN_REGULAR || table_column(before, c->name))
            continue;
        d->columns[d->table.column_count] = *c;
        d->columns[d->table.column_count++].dropped_us = TIMESTAMP_NONE;
        d->table.next_column_id = after->next_column_id; /* which is not changed for less: whoever looks at the view is told */
    }
}

enum wr_status ddl_follow_in_views(struct ddl *ddl, const struct table *before, const struct table *after)
{
    for (uint32_t v = 0; v < before->view_count; v++) {
        struct view view = *before->views[v]->view;
        struct table_draft d;
        bool stored;

        TRY(ddl_copy_table(ddl, before->views[v], after->column_count, 0, 0, &d));
        d.table.view = &view;
        for (uint32_t i = 0; i < d.table.column_count; i++) {
            d.columns[i].name = new_name(before, after, d.columns[i].name);
            d.columns[i].mask = table_column(after, d.columns[i].name)->mask;
        }
        TRY(follow_where(ddl, before, after, &view));
        if (view.every_column)
            add_new_columns(before, after, &d);
        TRY(store_changed(ddl, before->views[v], &d.table, &stored));
    }
    return WR_OK;
}
