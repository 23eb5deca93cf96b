#include "model/ddl.h"
#include "model/failure.h"
#include "model/host.h"
#include "model/options.h"
#include "model/replication.h"

enum wr_status ddl_create_keyspace(struct ddl *ddl)
{
    const struct ast_create_keyspace *ast = &ddl->ast->create_keyspace;
    struct slice name = ddl->keyspace_name;
    struct keyspace_params params;

    TRY(ddl_require_user_keyspace(ddl));
    TRY(keyspace_params_check(ddl->ctx, ast->properties));
    if (ddl->keyspace && !property_find(ast->properties, "replication"))
        return fail(ddl->ctx, WR_INVALID, "Missing mandatory option 'replication'");
    if (ddl->keyspace && ast->if_not_exists)
        return WR_OK;
    if (ddl->keyspace) {
        fail(ddl->ctx, WR_ALREADY_EXISTS, "Cannot add existing keyspace \"%.*s\"", SLICE_ARG(name));
        return failure_of_existing(ddl->ctx, name, SLICE_EMPTY);
    }
    TRY(keyspace_params_apply(ddl->ctx, ast->properties, name, NULL, &params));
    struct keyspace made = { .name = name, .replication = params.replication, .durable_writes = params.durable_writes };
    ddl_edit(ddl, SLICE_NULL);
    TRY(catalog_store_keyspace(&ddl->edit, &made));
    TRY(host_show_all(&ddl->edit, ddl->exec->db, name)); /* registered before there was a keyspace for them */
    return ddl_done(ddl, "CREATED", "KEYSPACE", SLICE_NULL);
}

enum wr_status ddl_alter_keyspace(struct ddl *ddl)
{
    const struct ast_alter_keyspace *ast = &ddl->ast->alter_keyspace;
    struct keyspace_params before, after;

    TRY(keyspace_params_check(ddl->ctx, ast->properties));
    if (!ddl->keyspace && ast->if_exists)
        return WR_OK;
    if (!ddl->keyspace)
        return fail(ddl->ctx, WR_INVALID, "Keyspace '%.*s' doesn't exist", SLICE_ARG(ddl->keyspace_name));
    before = (struct keyspace_params){ ddl->keyspace->replication, ddl->keyspace->durable_writes };
    TRY(keyspace_params_apply(ddl->ctx, ast->properties, ddl->keyspace_name, &before, &after));
    if (string_map_eq(&before.replication, &after.replication) && before.durable_writes == after.durable_writes)
        return WR_OK;
    struct keyspace changed = *ddl->keyspace;
    changed.replication = after.replication;
    changed.durable_writes = after.durable_writes;
    ddl_edit(ddl, SLICE_NULL);
    TRY(catalog_store_keyspace(&ddl->edit, &changed));
    return ddl_done(ddl, "UPDATED", "KEYSPACE", SLICE_NULL);
}

enum wr_status ddl_drop_keyspace(struct ddl *ddl)
{
    if (!ddl->keyspace && ddl->ast->drop.if_exists)
        return WR_OK;
    if (!ddl->keyspace)
        return fail(ddl->ctx, WR_INVALID, "Keyspace '%.*s' doesn't exist", SLICE_ARG(ddl->keyspace_name));
    ddl_edit(ddl, SLICE_NULL);
    TRY(catalog_remove_keyspace(&ddl->edit, ddl->keyspace));
    return ddl_done(ddl, "DROPPED", "KEYSPACE", SLICE_NULL);
}
