/* CREATE and DROP TRIGGER: a trigger is a Java class, which nothing here can load, so every table is without. */
#include "model/ddl.h"

enum wr_status ddl_create_trigger(struct ddl *ddl)
{
    const struct ast_trigger *ast = &ddl->ast->trigger;
    const struct table *table = schema_table(ddl->schema, ddl->keyspace_name, ast->table.name);

    TRY(ddl_require_user_keyspace(ddl));
    if (!ddl->keyspace)
        return fail(ddl->ctx, WR_INVALID, "Keyspace '%.*s' doesn't exist", SLICE_ARG(ddl->keyspace_name));
    if (!table)
        return fail(ddl->ctx, WR_INVALID, "Table '%.*s' doesn't exist", SLICE_ARG(ast->table.name));
    if (table_is_view(table))
        return fail(ddl->ctx, WR_INVALID, "Cannot CREATE TRIGGER for a materialized view");
    return fail(ddl->ctx, WR_INVALID, "Trigger class '%.*s' couldn't be loaded", SLICE_ARG(ast->class_name));
}

enum wr_status ddl_drop_trigger(struct ddl *ddl)
{
    const struct ast_trigger *ast = &ddl->ast->trigger;
    TRY(ddl_require_user_keyspace(ddl));
    if (ast->if_flag)
        return WR_OK;
    return fail(ddl->ctx, WR_INVALID, "Trigger '%.*s' on '%.*s.%.*s' doesn't exist", SLICE_ARG(ast->name),
                SLICE_ARG(ddl->keyspace_name), SLICE_ARG(ast->table.name));
}
