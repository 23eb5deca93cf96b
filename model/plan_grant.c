/* GRANT, REVOKE and LIST of permissions (GrantPermissionsStatement and its kin). */
#include "model/expr.h"
#include "model/functions.h"
#include "model/grants.h"
#include "model/listing.h"
#include "model/plan_role.h"
#include "model/signature.h"

struct grant_plan {
    struct plan plan;
    struct resource resource;
    bool has_resource;
    struct slice *types; /* texts of a function's, for finding it */
    uint32_t type_count;
    permissions permissions; /* those asked for that the resource has */
    struct column_spec columns[4];
};

/* ---- the resource ---- */

static enum wr_status bind_function(struct bind *bind, const struct ast_resource *ast, struct grant_plan *p)
{
    struct slice keyspace = ast->name.keyspace;
    const struct type **types;
    uint32_t count = 0;
    if (slice_is_null(keyspace))
        return fail(bind->ctx, WR_INVALID, "In this context function name must be explictly qualified by a keyspace");
    for (const struct ast_type *t = ast->args; t; t = t->next)
        count++;
    if (count && !schema_keyspace(bind->schema, keyspace))
        return fail(bind->ctx, WR_CONFIG, "Keyspace %.*s doesn't exist", SLICE_ARG(keyspace));
    if (!(types = NEW_ARRAY(bind->ctx, const struct type *, count)))
        return WR_NOMEM;
    count = 0;
    for (const struct ast_type *t = ast->args; t; t = t->next)
        TRY(bind_type(bind, keyspace, t, &types[count++]));
    TRY(type_texts(bind->ctx, types, count, &p->types));
    p->type_count = count;
    return resource_function(bind->ctx, keyspace, ast->name.name, types, count, &p->resource);
}

static enum wr_status function_exists(struct ctx *ctx, const struct database *db, const struct schema *schema,
                                      const struct grant_plan *p, bool *out)
{
    const struct resource *r = &p->resource;
    const struct user_function *function;
    const struct aggregate *aggregate;
    TRY(functions_find(ctx, db, schema, r->keyspace, r->name, p->types, p->type_count, &function));
    *out = function != NULL;
    if (*out)
        return WR_OK;
    TRY(aggregate_find(ctx, schema_keyspace(schema, r->keyspace), r->name, p->types, p->type_count, &aggregate));
    *out = aggregate != NULL;
    return WR_OK;
}

static enum wr_status bind_resource(struct bind *bind, const struct ast_resource *ast, struct grant_plan *p)
{
    struct slice keyspace = ast->name.keyspace;
    p->has_resource = true;
    if (ast->kind == RESOURCE_FUNCTION)
        return bind_function(bind, ast, p);
    if (ast->kind == RESOURCE_TABLE && slice_is_null(keyspace))
        keyspace = bind->current_keyspace;
    p->resource = resource_of(ast->kind, keyspace, ast->name.name);
    TRY(ctx_copy(bind->ctx, keyspace, &p->resource.keyspace));
    return WR_OK;
}

/* FunctionResource.validate */
static enum wr_status check_not_builtin(struct ctx *ctx, const struct resource *r)
{
    if ((r->kind == RESOURCE_FUNCTION || r->kind == RESOURCE_KEYSPACE_FUNCTIONS) && slice_eq_str(r->keyspace, "system"))
        return fail(ctx, WR_INVALID, "Altering permissions on builtin functions is not supported");
    return WR_OK;
}

/* CqlParser.filterPermissions */
static enum wr_status filter(struct bind *bind, permissions asked, struct grant_plan *p)
{
    bool exists = true;
    TRY(check_not_builtin(bind->ctx, &p->resource));
    if (p->resource.kind == RESOURCE_FUNCTION)
        TRY(function_exists(bind->ctx, bind->db, bind->schema, p, &exists));
    if (!exists)
        return fail(bind->ctx, WR_SYNTAX,
                    "Failed parsing statement: [%.*s] reason: NoSuchElementException No value present",
                    SLICE_ARG(bind->text));
    p->permissions = asked & resource_permissions(&p->resource);
    if (p->permissions)
        return WR_OK;
    return fail(bind->ctx, WR_SYNTAX, "Resource type %s does not support any of the requested permissions",
                resource_class(&p->resource));
}

static enum wr_status resource_exists(struct exec *exec, const struct grant_plan *p, bool *out)
{
    const struct resource *r = &p->resource;
    TRY(check_not_builtin(exec->ctx, r));
    switch (r->kind) {
    case RESOURCE_KEYSPACE:
    case RESOURCE_ALL_TABLES:
        *out = schema_keyspace(exec->schema, r->keyspace) != NULL;
        return WR_OK;
    case RESOURCE_KEYSPACE_FUNCTIONS:
        *out = schema_keyspace(exec->schema, r->keyspace) && system_kind_of(r->keyspace) != SYSTEM_VIRTUAL;
        return WR_OK;
    case RESOURCE_TABLE:
        *out = schema_table(exec->schema, r->keyspace, r->name) != NULL;
        return WR_OK;
    case RESOURCE_ROLE:
        return role_exists(exec, r->name, out);
    case RESOURCE_FUNCTION:
        return function_exists(exec->ctx, exec->db, exec->schema, p, out);
    default: /* roots; of MBeans there are none here to tell by */
        *out = true;
        return WR_OK;
    }
}

/* AuthorizationStatement.maybeCorrectResource */
static enum wr_status require_keyspace(struct exec *exec, const struct grant_plan *p)
{
    struct slice keyspace = p->resource.keyspace;
    bool names_table = p->has_resource && p->resource.kind == RESOURCE_TABLE;
    return names_table ? schema_qualify(exec->ctx, SLICE_NULL, keyspace, &keyspace) : WR_OK;
}

static enum wr_status fail_resource(struct exec *exec, const struct grant_plan *p, const char *what)
{
    const char *text = resource_text(exec->ctx, &p->resource);
    return text ? fail(exec->ctx, WR_INVALID, "%s%s doesn't exist", what, text) : WR_NOMEM;
}

/* ---- GRANT, REVOKE ---- */

/* What may never be granted on tables of the system's: all but SELECT, DESCRIBE and ALTER. */
static enum wr_status check_system(struct exec *exec, const struct grant_plan *p)
{
    const permissions allowed =
        permission_bit(PERMISSION_SELECT) | permission_bit(PERMISSION_DESCRIBE) | permission_bit(PERMISSION_ALTER);
    enum system_kind kind = system_kind_of(p->resource.keyspace);
    if (!resource_is_data(&p->resource) || (kind != SYSTEM_LOCAL && kind != SYSTEM_REPLICATED) ||
        !(p->permissions & ~allowed))
        return WR_OK;
    return fail(exec->ctx, WR_UNAUTHORIZED,
                "Granting permissions on system keyspaces is strictly limited, this operation is not permitted");
}

static enum wr_status authorize_change(struct exec *exec, const struct grant_plan *p)
{
    TRY(require_keyspace(exec, p));
    TRY(authorize_resource(exec, PERMISSION_AUTHORIZE, &p->resource));
    for (int i = 0; i < PERMISSION_COUNT; i++)
        if (permissions_have(p->permissions, (enum permission)i))
            TRY(authorize_resource(exec, (enum permission)i, &p->resource));
    return WR_OK;
}

static enum wr_status validate_change(struct exec *exec, const struct plan *plan)
{
    const struct grant_plan *p = (const struct grant_plan *)plan;
    const struct ast_statement *ast = plan->ast;
    bool exists;
    TRY(role_require_login(exec));
    TRY(role_exists(exec, ast->grant.role, &exists));
    if (!exists)
        return fail(exec->ctx, WR_INVALID, "Role %.*s doesn't exist", SLICE_ARG(ast->grant.role));
    TRY(require_keyspace(exec, p));
    TRY(resource_exists(exec, p, &exists));
    if (!exists)
        return fail_resource(exec, p, "Resource ");
    return ast->kind == AST_GRANT ? check_system(exec, p) : WR_OK;
}

/* What was asked for and had been done before. */
static enum wr_status warn_unchanged(struct exec *exec, const struct grant_plan *p, const struct ast_statement *ast,
                                     permissions changed)
{
    permissions same = p->permissions & (permissions)~changed;
    const char *text = resource_text(exec->ctx, &p->resource);
    struct slice names;
    struct buf buf;
    if (!same)
        return WR_OK;
    buf_init(&buf, exec->ctx->arena);
    for (int i = 0; i < PERMISSION_COUNT; i++)
        if (permissions_have(same, (enum permission)i)) {
            buf_put_str(&buf, buf.len ? ", " : "");
            buf_put_str(&buf, permission_name((enum permission)i));
        }
    TRY(buf_done(exec->ctx, &buf, &names));
    if (!text)
        return WR_NOMEM;
    ctx_warn(exec->ctx, "Role '%.*s' was %s %.*s on %s", SLICE_ARG(ast->grant.role),
             ast->kind == AST_GRANT ? "already granted" : "not granted", SLICE_ARG(names), text);
    return WR_OK;
}

static enum wr_status start_change(struct exec *exec, const struct plan *plan)
{
    const struct grant_plan *p = (const struct grant_plan *)plan;
    const struct ast_statement *ast = plan->ast;
    permissions changed;
    TRY(authorize_change(exec, p));
    TRY(validate_change(exec, plan));
    if (ast->kind == AST_GRANT)
        TRY(grants_add(exec, ast->grant.role, &p->resource, p->permissions, &changed));
    else
        TRY(grants_remove(exec, ast->grant.role, &p->resource, p->permissions, &changed));
    return warn_unchanged(exec, p, ast, changed);
}

static const struct plan_ops change_ops = { .name = "grant", .access = PLAN_WRITE, .validate = validate_change, .start = start_change };

/* ---- LIST ---- */

/* CassandraAuthorizer.list */
static enum wr_status authorize_list(struct exec *exec, struct slice of)
{
    struct resource all = resource_of(RESOURCE_ALL_ROLES, SLICE_NULL, SLICE_NULL), one = resource_role(of);
    const struct role_set *own;
    permissions granted;
    TRY(authorize_roles(exec, &own));
    if (role_set_is_super(own) || (!slice_is_null(of) && role_set_find(own, of)))
        return WR_OK;
    TRY(authorize_granted(exec, &all, &granted));
    if (!permissions_have(granted, PERMISSION_DESCRIBE) && !slice_is_null(of))
        TRY(authorize_granted(exec, &one, &granted));
    if (permissions_have(granted, PERMISSION_DESCRIBE))
        return WR_OK;
    if (slice_is_null(of))
        of = SLICE_LIT("everyone");
    return fail(exec->ctx, WR_UNAUTHORIZED, "You are not authorized to view %.*s's permissions", SLICE_ARG(of));
}

/* Whether a grant is of what the statement lists: its resource, and (recursive) what that lies in. */
static enum wr_status is_listed(struct exec *exec, const struct grant_plan *p, const struct grant *grant,
                                bool recursive, bool *out)
{
    struct resource at = p->resource, parent;
    *out = !p->has_resource;
    while (!*out) {
        struct slice name;
        TRY(resource_name(exec->ctx, &at, &name));
        *out = slice_eq(name, grant->resource);
        if (!recursive || !resource_parent(&at, &parent))
            return WR_OK;
        at = parent;
    }
    return WR_OK;
}

static enum wr_status list_grant(struct exec *exec, const struct grant *grant, permissions wanted,
                                 struct listing *listing)
{
    struct resource resource;
    const char *text;
    TRY(resource_of_name(exec->ctx, grant->resource, &resource));
    if (!(text = resource_text(exec->ctx, &resource)))
        return WR_NOMEM;
    for (int i = 0; i < PERMISSION_COUNT; i++) {
        enum permission permission = (enum permission)i;
        if (permissions_have(grant->permissions & wanted, permission))
            TRY(listing_add(
                exec, listing,
                (struct slice[]){ grant->role, grant->role, slice_str(text), slice_str(permission_name(permission)) }));
    }
    return WR_OK;
}

static enum wr_status list_all(struct exec *exec, const struct grant_plan *p, const struct ast_grant *ast,
                               struct listing *listing)
{
    struct role_set roles = { 0 };
    struct grant *grants;
    uint32_t count;
    if (!slice_is_null(ast->role))
        TRY(role_collect(exec, ast->role, true, &roles));
    TRY(grants_list(exec, &grants, &count));
    for (uint32_t i = 0; i < count; i++) {
        bool listed = slice_is_null(ast->role) || role_set_find(&roles, grants[i].role);
        if (listed)
            TRY(is_listed(exec, p, &grants[i], ast->recursive, &listed));
        if (listed)
            TRY(list_grant(exec, &grants[i], ast->permissions, listing));
    }
    return WR_OK;
}

static enum wr_status validate_list(struct exec *exec, const struct plan *plan)
{
    const struct grant_plan *p = (const struct grant_plan *)plan;
    const struct ast_grant *ast = &plan->ast->grant;
    bool exists = true;

    TRY(role_require_login(exec));
    TRY(require_keyspace(exec, p));
    if (p->has_resource)
        TRY(resource_exists(exec, p, &exists));
    if (!exists)
        return fail_resource(exec, p, "");
    if (!slice_is_null(ast->role))
        TRY(role_exists(exec, ast->role, &exists));
    if (!exists)
        return fail(exec->ctx, WR_INVALID, "<role %.*s> doesn't exist", SLICE_ARG(ast->role));
    return WR_OK;
}

static enum wr_status start_list(struct exec *exec, const struct plan *plan)
{
    const struct grant_plan *p = (const struct grant_plan *)plan;
    const struct ast_grant *ast = &plan->ast->grant;
    struct listing *listing;

    TRY(validate_list(exec, plan));
    TRY(authorize_list(exec, ast->role));
    TRY(listing_begin(exec, p->columns, sizeof p->columns / sizeof p->columns[0], &listing));
    return list_all(exec, p, ast, listing);
}

static const struct plan_ops list_ops = { .name = "list permissions",
                                          .access = PLAN_READ,
                                          .validate = validate_list,
                                          .start = start_list,
                                          .step = listing_step,
                                          .columns = listing_columns };

/* ---- binding ---- */

enum wr_status bind_grant(struct bind *bind, const struct ast_statement *ast, struct plan **out)
{
    static const char *const names[] = { "role", "username", "resource", "permission" };
    bool lists = ast->kind == AST_LIST_PERMISSIONS;
    struct grant_plan *p = NEW(bind->ctx, struct grant_plan);
    if (!p)
        return WR_NOMEM;
    if (ast->grant.resource)
        TRY(bind_resource(bind, ast->grant.resource, p));
    if (!lists)
        TRY(filter(bind, ast->grant.permissions, p));
    for (size_t i = 0; i < sizeof p->columns / sizeof p->columns[0]; i++)
        p->columns[i] = (struct column_spec){ .keyspace = SLICE_LIT(AUTH_KEYSPACE),
                                              .table = SLICE_LIT("permissions"),
                                              .name = slice_str(names[i]),
                                              .type = type_native(TYPE_TEXT) };
    p->plan.ops = lists ? &list_ops : &change_ops;
    *out = &p->plan;
    return WR_OK;
}
