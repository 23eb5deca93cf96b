#include "model/authorize.h"

#include "model/func.h"
#include "model/grants.h"

/* ---- who it is ---- */

enum wr_status authorize_roles(struct exec *exec, const struct role_set **out)
{
    if (!exec->who.roles) {
        struct role_set *roles = NEW(exec->ctx, struct role_set);
        if (!roles)
            return WR_NOMEM;
        TRY(role_collect(exec, exec->who.role, true, roles));
        exec->who.roles = roles;
    }
    *out = exec->who.roles;
    return WR_OK;
}

enum wr_status authorize_login(struct exec *exec)
{
    const struct role_set *roles;
    struct texts datacenters;
    bool all;
    if (slice_is_null(exec->who.role))
        return WR_OK;
    TRY(authorize_roles(exec, &roles));
    TRY(role_datacenters(exec, roles, exec->who.role, &datacenters, &all));
    if (all || texts_have(&datacenters, SLICE_LIT(SYSTEM_DATACENTER)))
        return WR_OK;
    return fail(exec->ctx, WR_UNAUTHORIZED, "You do not have access to this datacenter (%s)", SYSTEM_DATACENTER);
}

/* ---- what it has ---- */

enum wr_status authorize_granted(struct exec *exec, const struct resource *resource, permissions *out)
{
    const struct role_set *roles;
    *out = resource_permissions(resource);
    if (slice_is_null(exec->who.role))
        return WR_OK;
    TRY(authorize_roles(exec, &roles));
    if (role_set_is_super(roles))
        return WR_OK;
    *out = PERMISSIONS_NONE;
    for (uint32_t i = 0; i < roles->count; i++) {
        permissions granted;
        TRY(grants_of(exec, roles->list[i].name, resource, &granted));
        *out |= granted;
    }
    return WR_OK;
}

/* On the resource or its parents; with_root false: permissions on the root are not theirs. */
static enum wr_status has_in_chain(struct exec *exec, enum permission permission, struct resource resource,
                                   bool with_root, bool *out)
{
    struct resource parent;
    for (*out = false; !*out; resource = parent) {
        permissions granted;
        bool is_root = !resource_parent(&resource, &parent);
        if (is_root && !with_root)
            return WR_OK;
        TRY(authorize_granted(exec, &resource, &granted));
        *out = permissions_have(granted, permission);
        if (is_root)
            return WR_OK;
    }
    return WR_OK;
}

enum wr_status authorize_has(struct exec *exec, enum permission permission, const struct resource *resource, bool *out)
{
    *out = true;
    if (slice_is_null(exec->who.role))
        return WR_OK;
    TRY(authorize_login(exec));
    return has_in_chain(exec, permission, *resource, true, out);
}

/* ---- refusing ---- */

enum wr_status authorize_resource(struct exec *exec, enum permission permission, const struct resource *resource)
{
    const struct role_set *roles;
    bool has, of_system, is_root = resource->kind == RESOURCE_ALL_KEYSPACES;
    if (slice_is_null(exec->who.role))
        return WR_OK;
    if ((resource->kind == RESOURCE_KEYSPACE_FUNCTIONS || resource->kind == RESOURCE_FUNCTION) &&
        slice_eq_str(resource->keyspace, "system"))
        return WR_OK;
    TRY(authorize_roles(exec, &roles));
    of_system = resource_is_data(resource) && !is_root && system_kind_of(resource->keyspace) != SYSTEM_NOT;
    /* What is granted on all keyspaces is not on the system's. */
    TRY(has_in_chain(exec, permission, *resource, !of_system || role_set_is_super(roles), &has));
    if (has)
        return WR_OK;
    const char *text = resource_text(exec->ctx, resource);
    if (!text)
        return WR_NOMEM;
    return fail(exec->ctx, WR_UNAUTHORIZED, "User %.*s has no %s permission on %s or any of its parents",
                SLICE_ARG(exec->who.role), permission_name(permission), text);
}

static bool changes_schema(enum permission permission)
{
    return permission == PERMISSION_CREATE || permission == PERMISSION_ALTER || permission == PERMISSION_DROP;
}

/* ClientState.preventSystemKSSchemaModification */
static enum wr_status check_system(struct exec *exec, enum permission permission, const struct resource *resource)
{
    enum system_kind kind = system_kind_of(resource->keyspace);
    const char *text;
    if (kind == SYSTEM_LOCAL || kind == SYSTEM_VIRTUAL)
        return fail(exec->ctx, WR_UNAUTHORIZED, "%.*s keyspace is not user-modifiable.", SLICE_ARG(resource->keyspace));
    if (kind == SYSTEM_NOT || (permission == PERMISSION_ALTER && resource->kind == RESOURCE_KEYSPACE))
        return WR_OK;
    if (!(text = resource_text(exec->ctx, resource)))
        return WR_NOMEM;
    return fail(exec->ctx, WR_UNAUTHORIZED, "Cannot %s %s", permission_name(permission), text);
}

/* Tables that everybody may read: drivers and tools do (ClientState.READABLE_SYSTEM_RESOURCES). name NULL: all of the
 * keyspace. */
static bool is_readable(const struct resource *resource)
{
    static const struct {
        const char *keyspace, *name;
    } readable[] = {
        { "system", "local" },
        { "system", "peers" },
        { "system", "peers_v2" },
        { "system", "size_estimates" },
        { "system", "table_estimates" },
        { "system_schema", NULL },
        { "system_virtual_schema", NULL },
        { "system_traces", "events" },
        { "system_traces", "sessions" },
    };
    for (size_t i = 0; i < sizeof readable / sizeof readable[0]; i++)
        if (slice_eq_str(resource->keyspace, readable[i].keyspace) &&
            (!readable[i].name || slice_eq_str(resource->name, readable[i].name)))
            return true;
    return false;
}

enum wr_status authorize_data(struct exec *exec, enum permission permission, const struct resource *resource)
{
    TRY(authorize_login(exec));
    if (changes_schema(permission) && resource->kind != RESOURCE_ALL_KEYSPACES)
        TRY(check_system(exec, permission, resource));
    if (slice_is_null(exec->who.role) ||
        (permission == PERMISSION_SELECT && resource->kind == RESOURCE_TABLE && is_readable(resource)))
        return WR_OK;
    return authorize_resource(exec, permission, resource);
}

enum wr_status authorize_table(struct exec *exec, enum permission permission, const struct table *table)
{
    struct resource resource = resource_table(table->keyspace, table->name);
    return authorize_data(exec, permission, &resource);
}

enum wr_status authorize_functions(struct exec *exec, const struct plan *plan)
{
    for (const struct called *c = plan->called; c; c = c->next) {
        struct resource resource;
        TRY(resource_function(exec->ctx, c->func->keyspace, slice_str(c->func->name), c->func->args, c->func->arg_count,
                              &resource));
        TRY(authorize_resource(exec, PERMISSION_EXECUTE, &resource));
    }
    return WR_OK;
}
