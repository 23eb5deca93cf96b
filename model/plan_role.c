/*
 * CREATE, ALTER and DROP ROLE and USER, GRANT and REVOKE of roles, identities. Each is authorized, validated and executed in
 * the order of its class (CreateRoleStatement, ...), all of it under the writer; one that is only prepared is validated. Where
 * nobody has logged in (AllowAllAuthenticator) it comes as far as asking who is there.
 */
#include "model/plan_role.h"
#include "model/grants.h"
#include "model/javatext.h"
#include "model/password.h"
#include "model/name_set.h"

/* ---- what several ask ---- */

enum wr_status role_require_login(struct exec *exec)
{
    TRY(authorize_login(exec));
    if (!slice_is_null(exec->who.role))
        return WR_OK;
    return fail(exec->ctx, WR_UNAUTHORIZED, "You have to be logged in and not anonymous to perform this request");
}

/* AuthenticationStatement.checkPermission: with a text of its own. */
static enum wr_status check_permission(struct exec *exec, enum permission permission, const struct resource *resource)
{
    enum wr_status st = authorize_resource(exec, permission, resource);
    if (st != WR_UNAUTHORIZED)
        return st;
    return fail(exec->ctx, st, "User %.*s does not have sufficient privileges to perform the requested operation",
                SLICE_ARG(exec->who.role));
}

static enum wr_status is_super(struct exec *exec, bool *out)
{
    const struct role_set *roles;
    *out = false;
    if (slice_is_null(exec->who.role))
        return WR_OK;
    TRY(authorize_roles(exec, &roles));
    *out = role_set_is_super(roles);
    return WR_OK;
}

static enum wr_status require_role(struct exec *exec, struct slice name)
{
    bool exists;
    TRY(role_exists(exec, name, &exists));
    return exists ? WR_OK : fail(exec->ctx, WR_INVALID, "%.*s doesn't exist", SLICE_ARG(name));
}

/* ---- options ---- */

/* RoleOptions.validate; passwords are for those who log in. */
static enum wr_status validate_options(struct exec *exec, const struct ast_role *role)
{
    bool passwords = !slice_is_null(exec->who.role);
    for (int i = 0; i < ROLE_OPTION_COUNT; i++) {
        bool supported = i == ROLE_SUPERUSER || i == ROLE_LOGIN || (i != ROLE_OPTIONS && passwords);
        if (role->given[i] && !supported)
            return fail(exec->ctx, WR_INVALID, "org.apache.cassandra.auth.CassandraRoleManager doesn't support %s",
                        role_option_name((enum role_option_kind)i));
    }
    if (role->given[ROLE_HASHED_PASSWORD] && !password_is_hash(role->hashed_password))
        return fail(exec->ctx, WR_INVALID, "Invalid hashed password value. Please use jBcrypt.");
    return WR_OK;
}

/* As Java prints a HashSet: [b, a]. */
static enum wr_status print_set(struct exec *exec, const struct texts *texts, struct slice *out)
{
    uint32_t *order = NEW_ARRAY(exec->ctx, uint32_t, texts->count);
    struct buf buf;
    if (!order)
        return WR_NOMEM;
    TRY(java_set_order(exec->ctx, texts->list, texts->count, 0, order));
    buf_init(&buf, exec->ctx->arena);
    for (uint32_t i = 0; i < texts->count; i++) {
        buf_put_str(&buf, i ? ", " : "");
        buf_put_slice(&buf, texts->list[order[i]]);
    }
    return buf_done(exec->ctx, &buf, out);
}

/* Each once. */
static enum wr_status texts_of(struct exec *exec, const struct ast_names *names, struct texts *out)
{
    struct name_set seen;
    uint32_t n = 0;
    for (const struct ast_names *name = names; name; name = name->next)
        n++;
    *out = (struct texts){ NEW_ARRAY(exec->ctx, struct slice, n), 0 };
    TRY(name_set_make(exec->ctx, &seen, n));
    for (const struct ast_names *name = names; out->list && name; name = name->next)
        if (name_set_add(&seen, name->name))
            out->list[out->count++] = name->name;
    return out->list ? WR_OK : WR_NOMEM;
}

static bool texts_have_all(const struct texts *texts, const struct texts *wanted)
{
    for (uint32_t i = 0; i < wanted->count; i++)
        if (!texts_have(texts, wanted->list[i]))
            return false;
    return true;
}

/* DCPermissions.validate, CIDRPermissions.validate */
static enum wr_status validate_access(struct exec *exec, const struct ast_role *role)
{
    struct slice one = SLICE_LIT(SYSTEM_DATACENTER), shown, available;
    struct texts datacenters = { &one, 1 }, groups, given;
    TRY(texts_of(exec, role->datacenters.names, &given));
    if (!texts_have_all(&datacenters, &given)) {
        TRY(print_set(exec, &given, &shown));
        return fail(exec->ctx, WR_INVALID,
                    "Invalid value(s) for DATACENTERS '[%.*s]',All values must be valid datacenters", SLICE_ARG(shown));
    }
    if (!role->cidr_groups.names)
        return WR_OK;
    TRY(texts_of(exec, role->cidr_groups.names, &given));
    TRY(role_cidr_groups(exec, &groups));
    if (texts_have_all(&groups, &given))
        return WR_OK;
    TRY(print_set(exec, &given, &shown));
    TRY(print_set(exec, &groups, &available));
    return fail(exec->ctx, WR_INVALID, "Invalid CIDR group(s): [%.*s]. Available CIDR Groups are: [%.*s]",
                SLICE_ARG(shown), SLICE_ARG(available));
}

static enum wr_status set_access(struct exec *exec, const struct ast_role *role)
{
    struct texts texts;
    if (role->datacenters.said) {
        TRY(texts_of(exec, role->datacenters.names, &texts));
        TRY(role_set_datacenters(exec, role->name, &texts));
    }
    if (!role->cidr_groups.said)
        return WR_OK;
    TRY(texts_of(exec, role->cidr_groups.names, &texts));
    return role_set_cidr_groups(exec, role->name, &texts);
}

static enum wr_status salted_hash(struct exec *exec, const struct ast_role *role, struct slice *out)
{
    *out = role->given[ROLE_HASHED_PASSWORD] ? role->hashed_password : SLICE_NULL;
    return role->given[ROLE_PASSWORD] ? password_hash(exec->ctx, role->password, out) : WR_OK;
}

/* ---- CREATE, ALTER, DROP ---- */

static enum wr_status authorize_create(struct exec *exec, const struct ast_statement *ast)
{
    struct resource all = resource_of(RESOURCE_ALL_ROLES, SLICE_NULL, SLICE_NULL);
    bool super;
    TRY(check_permission(exec, PERMISSION_CREATE, &all));
    TRY(is_super(exec, &super));
    if (ast->role.superuser && !super)
        return fail(exec->ctx, WR_UNAUTHORIZED, "Only superusers can create a role with superuser status");
    return WR_OK;
}

static enum wr_status validate_create(struct exec *exec, const struct ast_statement *ast)
{
    const struct ast_role *role = &ast->role;
    bool exists;
    TRY(validate_options(exec, role));
    if (!role->name.len)
        return fail(exec->ctx, WR_INVALID, "Role name can't be an empty string");
    TRY(validate_access(exec, role));
    TRY(role_require_login(exec));
    TRY(role_exists(exec, role->name, &exists));
    if (exists && !role->if_flag)
        return fail(exec->ctx, WR_INVALID, "%.*s already exists", SLICE_ARG(role->name));
    return WR_OK;
}

static enum wr_status create_role(struct exec *exec, const struct ast_statement *ast)
{
    const struct ast_role *role = &ast->role;
    struct resource itself = resource_role(role->name);
    struct role made = { .name = role->name, .is_super = role->superuser, .can_login = role->login };
    permissions added;
    bool exists;

    TRY(role_exists(exec, role->name, &exists));
    if (exists)
        return WR_OK;
    TRY(role_has_identity(exec, role->name, &exists));
    if (exists)
        return fail(
            exec->ctx, WR_SERVER_ERROR,
            "java.lang.IllegalStateException: Cannot create a role '%.*s' when identities already exists for it",
            SLICE_ARG(role->name));
    TRY(salted_hash(exec, role, &made.salted_hash));
    TRY(role_create(exec, &made));
    TRY(set_access(exec, role));
    return grants_add(exec, exec->who.role, &itself, resource_permissions(&itself), &added);
}

static enum wr_status authorize_alter(struct exec *exec, const struct ast_statement *ast)
{
    const struct ast_role *role = &ast->role;
    const struct role_set *roles = &(struct role_set){ 0 };
    struct resource itself = resource_role(role->name);
    bool nobody = slice_is_null(exec->who.role), super;
    if (!nobody)
        TRY(authorize_roles(exec, &roles));
    super = role_set_is_super(roles);
    if (role->given[ROLE_SUPERUSER] && role_set_find(roles, role->name))
        return fail(exec->ctx, WR_UNAUTHORIZED,
                    "You aren't allowed to alter your own superuser status or that of a role granted to you");
    if (role->given[ROLE_SUPERUSER] && !super)
        return fail(exec->ctx, WR_UNAUTHORIZED, "Only superusers are allowed to alter superuser status");
    if (role->datacenters.said && !super)
        return fail(exec->ctx, WR_UNAUTHORIZED, "Only superusers are allowed to alter access to datacenters.");
    if (role->cidr_groups.said && !super)
        return fail(exec->ctx, WR_UNAUTHORIZED, "Only superusers are allowed to alter access from CIDR groups.");
    if (super)
        return WR_OK;
    if (!slice_eq(nobody ? SLICE_LIT("anonymous") : exec->who.role, role->name))
        return check_permission(exec, PERMISSION_ALTER, &itself);
    for (int i = 0; i < ROLE_OPTION_COUNT; i++) { /* of itself it may change its password alone */
        bool password = i == ROLE_PASSWORD || i == ROLE_HASHED_PASSWORD;
        if (role->given[i] && (nobody || !password))
            return fail(exec->ctx, WR_UNAUTHORIZED, "You aren't allowed to alter %s",
                        role_option_name((enum role_option_kind)i));
    }
    return WR_OK;
}

static enum wr_status validate_alter(struct exec *exec, const struct ast_statement *ast)
{
    const struct ast_role *role = &ast->role;
    bool any = role->datacenters.said || role->cidr_groups.said, exists;

    TRY(validate_options(exec, role));
    for (int i = 0; i < ROLE_OPTION_COUNT; i++)
        any |= role->given[i];
    if (!any)
        return fail(exec->ctx, WR_INVALID, "ALTER [ROLE|USER] can't be empty");
    TRY(validate_access(exec, role));
    TRY(role_require_login(exec));
    TRY(role_exists(exec, role->name, &exists));
    if (!exists && !role->if_flag)
        return fail(exec->ctx, WR_INVALID, "Role %.*s doesn't exist", SLICE_ARG(role->name));
    return WR_OK;
}

static enum wr_status alter_role(struct exec *exec, const struct ast_statement *ast)
{
    const struct ast_role *role = &ast->role;
    struct role_change change = { .is_super = role->given[ROLE_SUPERUSER] ? &role->superuser : NULL,
                                  .can_login = role->given[ROLE_LOGIN] ? &role->login : NULL };
    bool exists;

    TRY(role_exists(exec, role->name, &exists));
    if (!exists)
        return WR_OK;
    TRY(salted_hash(exec, role, &change.salted_hash));
    TRY(role_alter(exec, role->name, &change));
    return set_access(exec, role);
}

static enum wr_status authorize_drop(struct exec *exec, const struct ast_statement *ast)
{
    struct slice name = ast->drop.name.name;
    struct resource itself = resource_role(name);
    struct role_set roles;
    bool super;

    TRY(check_permission(exec, PERMISSION_DROP, &itself));
    TRY(is_super(exec, &super));
    TRY(role_collect(exec, name, true, &roles));
    if (role_set_is_super(&roles) && !super)
        return fail(exec->ctx, WR_UNAUTHORIZED, "Only superusers can drop a role with superuser status");
    return WR_OK;
}

static enum wr_status validate_drop(struct exec *exec, const struct ast_statement *ast)
{
    struct slice name = ast->drop.name.name;
    TRY(role_require_login(exec));
    if (!ast->drop.if_exists)
        TRY(require_role(exec, name));
    if (slice_eq(exec->who.role, name))
        return fail(exec->ctx, WR_INVALID, "Cannot DROP primary role for current login");
    return WR_OK;
}

static enum wr_status drop_role(struct exec *exec, const struct ast_statement *ast)
{
    struct slice name = ast->drop.name.name;
    struct resource itself = resource_role(name);
    bool exists;

    TRY(role_exists(exec, name, &exists));
    if (!exists)
        return WR_OK;
    TRY(role_drop(exec, name));
    TRY(grants_drop_role(exec, name));
    return grants_drop_resource(exec, &itself);
}

/* ---- membership ---- */

static enum wr_status authorize_membership(struct exec *exec, const struct ast_statement *ast)
{
    struct resource role = resource_role(ast->membership.role);
    return check_permission(exec, PERMISSION_AUTHORIZE, &role);
}

static enum wr_status validate_membership(struct exec *exec, const struct ast_statement *ast)
{
    const struct ast_membership *m = &ast->membership;
    TRY(role_require_login(exec));
    TRY(require_role(exec, m->role));
    return require_role(exec, m->grantee);
}

static enum wr_status fail_member(struct exec *exec, struct slice member, const char *is, struct slice role)
{
    return fail(exec->ctx, WR_INVALID, "%.*s %s a member of %.*s", SLICE_ARG(member), is, SLICE_ARG(role));
}

static enum wr_status grant_role(struct exec *exec, const struct ast_statement *ast)
{
    const struct ast_membership *m = &ast->membership;
    struct role_set roles;
    TRY(role_collect(exec, m->grantee, true, &roles));
    if (role_set_find(&roles, m->role))
        return fail_member(exec, m->grantee, "is", m->role);
    TRY(role_collect(exec, m->role, true, &roles));
    if (role_set_find(&roles, m->grantee))
        return fail_member(exec, m->role, "is", m->grantee);
    return role_grant(exec, m->role, m->grantee);
}

static enum wr_status revoke_role(struct exec *exec, const struct ast_statement *ast)
{
    const struct ast_membership *m = &ast->membership;
    struct role_set roles;
    TRY(role_collect(exec, m->grantee, false, &roles));
    if (!role_set_find(&roles, m->role))
        return fail_member(exec, m->grantee, "is not", m->role);
    return role_revoke(exec, m->role, m->grantee);
}

/* ---- identities ---- */

static enum wr_status authorize_identity(struct exec *exec, const struct ast_statement *ast)
{
    struct resource own = resource_role(exec->who.role);
    enum permission needed = ast->kind == AST_ADD_IDENTITY ? PERMISSION_CREATE : PERMISSION_DROP;
    return slice_is_null(exec->who.role) ? WR_OK : check_permission(exec, needed, &own);
}

static enum wr_status validate_add_identity(struct exec *exec, const struct ast_statement *ast)
{
    const struct ast_identity *i = &ast->identity;
    bool exists;
    TRY(role_require_login(exec));
    TRY(role_exists(exec, i->role, &exists));
    if (!exists)
        return fail(exec->ctx, WR_INVALID, "Can not add identity for non-existent role '%.*s'", SLICE_ARG(i->role));
    if (i->if_flag)
        return WR_OK;
    TRY(role_identity_exists(exec, i->identity, &exists));
    return exists ? fail(exec->ctx, WR_INVALID, "%.*s already exists", SLICE_ARG(i->identity)) : WR_OK;
}

static enum wr_status add_identity(struct exec *exec, const struct ast_statement *ast)
{
    const struct ast_identity *i = &ast->identity;
    bool exists;
    TRY(role_identity_exists(exec, i->identity, &exists));
    return exists ? WR_OK : role_add_identity(exec, i->identity, i->role);
}

static enum wr_status validate_drop_identity(struct exec *exec, const struct ast_statement *ast)
{
    const struct ast_identity *i = &ast->identity;
    bool exists;
    TRY(role_require_login(exec));
    if (i->if_flag)
        return WR_OK;
    TRY(role_identity_exists(exec, i->identity, &exists));
    return exists ? WR_OK : fail(exec->ctx, WR_INVALID, "identity '%.*s' doesn't exist", SLICE_ARG(i->identity));
}

static enum wr_status drop_identity(struct exec *exec, const struct ast_statement *ast)
{
    const struct ast_identity *i = &ast->identity;
    bool exists;
    TRY(role_identity_exists(exec, i->identity, &exists));
    return exists ? role_drop_identity(exec, i->identity) : WR_OK;
}

/* ---- the table ---- */

typedef enum wr_status step_of_kind(struct exec *exec, const struct ast_statement *ast);

static const struct role_kind {
    step_of_kind *authorize, *validate, *execute;
} kinds[AST_KIND_COUNT] = {
    [AST_CREATE_ROLE] = { authorize_create, validate_create, create_role },
    [AST_ALTER_ROLE] = { authorize_alter, validate_alter, alter_role },
    [AST_DROP_ROLE] = { authorize_drop, validate_drop, drop_role },
    [AST_GRANT_ROLE] = { authorize_membership, validate_membership, grant_role },
    [AST_REVOKE_ROLE] = { authorize_membership, validate_membership, revoke_role },
    [AST_ADD_IDENTITY] = { authorize_identity, validate_add_identity, add_identity },
    [AST_DROP_IDENTITY] = { authorize_identity, validate_drop_identity, drop_identity },
};

static enum wr_status validate(struct exec *exec, const struct plan *plan)
{
    return kinds[plan->ast->kind].validate(exec, plan->ast);
}

static enum wr_status start(struct exec *exec, const struct plan *plan)
{
    const struct role_kind *kind = &kinds[plan->ast->kind];
    TRY(kind->authorize(exec, plan->ast));
    TRY(kind->validate(exec, plan->ast));
    return kind->execute(exec, plan->ast);
}

static const struct plan_ops role_ops = { .name = "role", .access = PLAN_WRITE, .validate = validate, .start = start };

enum wr_status bind_role_statement(struct bind *bind, const struct ast_statement *ast, struct plan **out)
{
    (void)ast;
    if (!(*out = NEW(bind->ctx, struct plan)))
        return WR_NOMEM;
    (*out)->ops = &role_ops;
    return WR_OK;
}
