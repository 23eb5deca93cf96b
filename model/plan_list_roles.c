/* LIST ROLES and LIST USERS (ListRolesStatement, ListUsersStatement). */
#include <stdlib.h>

#include "model/listing.h"
#include "model/plan_role.h"

struct list_plan {
    struct plan plan;
    const struct column_spec *columns;
    uint32_t column_count;
};

static int cmp_roles(const void *a, const void *b)
{
    return slice_cmp(((const struct role *)a)->name, ((const struct role *)b)->name);
}

/* Which roles the run's may see. */
static enum wr_status visible_roles(struct exec *exec, struct slice of, bool recursive, struct role_set *out)
{
    struct resource all = resource_of(RESOURCE_ALL_ROLES, SLICE_NULL, SLICE_NULL);
    const struct role_set *own;
    permissions granted;
    TRY(authorize_granted(exec, &all, &granted));
    bool every = permissions_have(granted, PERMISSION_DESCRIBE);
    if (slice_is_null(of))
        return every ? role_all(exec, out) : role_collect(exec, exec->who.role, recursive, out);
    TRY(authorize_roles(exec, &own));
    if (!every && !role_set_find(own, of))
        return fail(exec->ctx, WR_UNAUTHORIZED, "You are not authorized to view roles granted to %.*s ", SLICE_ARG(of));
    return role_collect(exec, of, recursive, out);
}

static enum wr_status datacenters_text(struct exec *exec, const struct role_set *roles, struct slice name,
                                       struct slice *out)
{
    struct texts datacenters;
    struct buf buf;
    bool all;
    TRY(role_datacenters(exec, roles, name, &datacenters, &all));
    buf_init(&buf, exec->ctx->arena);
    if (!datacenters.count)
        buf_put_str(&buf, all ? "ALL" : "n/a");
    for (uint32_t i = 0; i < datacenters.count; i++) {
        buf_put_str(&buf, i ? ", " : "");
        buf_put_slice(&buf, datacenters.list[i]);
    }
    return buf_done(exec->ctx, &buf, out);
}

static enum wr_status list_role(struct exec *exec, bool users, const struct role *role, struct listing *listing)
{
    struct role_set roles;
    struct slice datacenters;
    TRY(role_collect(exec, role->name, true, &roles));
    TRY(datacenters_text(exec, &roles, role->name, &datacenters));
    if (users && !role->can_login)
        return WR_OK;
    if (users)
        return listing_add(exec, listing,
                           (struct slice[]){ role->name, auth_flag_value(role_set_is_super(&roles)), datacenters });
    return listing_add(exec, listing,
                       (struct slice[]){ role->name, auth_flag_value(role->is_super), auth_flag_value(role->can_login),
                                         SLICE_LIT("\0\0\0\0"), datacenters });
}

static enum wr_status validate(struct exec *exec, const struct plan *plan)
{
    const struct ast_list_roles *ast = &plan->ast->list_roles;
    bool exists = true;

    TRY(role_require_login(exec));
    if (!slice_is_null(ast->role))
        TRY(role_exists(exec, ast->role, &exists));
    if (!exists)
        return fail(exec->ctx, WR_INVALID, "<role %.*s> doesn't exist", SLICE_ARG(ast->role));
    return WR_OK;
}

static enum wr_status start(struct exec *exec, const struct plan *plan)
{
    const struct list_plan *p = (const struct list_plan *)plan;
    const struct ast_list_roles *ast = &plan->ast->list_roles;
    struct listing *listing;
    struct role_set roles;

    TRY(validate(exec, plan));
    TRY(visible_roles(exec, ast->role, ast->recursive, &roles));
    if (roles.count)
        qsort(roles.list, roles.count, sizeof *roles.list, cmp_roles);
    TRY(listing_begin(exec, p->columns, p->column_count, &listing));
    for (uint32_t i = 0; i < roles.count; i++)
        TRY(list_role(exec, plan->ast->kind == AST_LIST_USERS, &roles.list[i], listing));
    return WR_OK;
}

static const struct plan_ops list_ops = {
    .name = "list roles", .access = PLAN_READ, .validate = validate, .start = start, .step = listing_step, .columns = listing_columns
};

static const struct {
    const char *name, *type;
} of_roles[] = { { "role", "text" },
                 { "super", "boolean" },
                 { "login", "boolean" },
                 { "options", "map<text, text>" },
                 { "datacenters", "text" } },
  of_users[] = { { "name", "text" }, { "super", "boolean" }, { "datacenters", "text" } };

enum wr_status bind_list_roles(struct bind *bind, const struct ast_statement *ast, struct plan **out)
{
    bool users = ast->kind == AST_LIST_USERS;
    uint32_t count = users ? 3 : 5;
    struct list_plan *p = NEW(bind->ctx, struct list_plan);
    struct column_spec *columns = NEW_ARRAY(bind->ctx, struct column_spec, count);
    if (!p || !columns)
        return WR_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        columns[i] = (struct column_spec){ .keyspace = SLICE_LIT(AUTH_KEYSPACE),
                                           .table = users ? SLICE_LIT("users") : SLICE_LIT("roles"),
                                           .name = slice_str(users ? of_users[i].name : of_roles[i].name) };
        TRY(type_parse_name(bind->ctx, slice_str(users ? of_users[i].type : of_roles[i].type), SLICE_NULL, NULL, NULL,
                            &columns[i].type));
    }
    p->columns = columns;
    p->column_count = count;
    p->plan.ops = &list_ops;
    *out = &p->plan;
    return WR_OK;
}
