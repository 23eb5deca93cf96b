/* The statements of roles and permissions, built. */
#include "model/parse_build.h"

struct ast_name *build_user_name(struct parser *p, struct token token, const char *what)
{
    struct ast_name *built = build_name(p, (struct token){ .kind = LEX_END }, token, NULL);
    if (token.kind == LEX_QUOTED)
        build_fail(p, token.offset, "Quoted strings are are not supported for %s", what);
    else if (token.kind != LEX_IDENT)
        build_refuse(p, token.offset);
    built->name = slice_of(p->text.data + token.offset, token.len);
    return built;
}

/* ---- options ---- */

const char *role_option_name(enum role_option_kind kind)
{
    static const char *const names[ROLE_OPTION_COUNT] = { "SUPERUSER", "PASSWORD", "LOGIN", "OPTIONS",
                                                          "HASHED_PASSWORD" };
    return names[kind];
}

static void fail_access(struct parser *p, size_t offset, const char *reason)
{
    build_fail(p, offset, "Failed parsing statement: [%.*s] reason: IllegalArgumentException %s", SLICE_ARG(p->text),
               reason);
}

/* DCPermissions.Builder, CIDRPermissions.Builder */
static void add_access(struct parser *p, struct ast_access *access, struct role_option option, const char *what)
{
    struct ast_names *last = option.names;
    if (!option.names && access->names)
        fail_access(p, option.value.offset, ctx_format(p->ctx, "%s have already been set", what));
    else if (option.names && access->said && !access->names)
        fail_access(p, option.value.offset, "All has been set");
    access->said = true;
    while (last && last->next)
        last = last->next;
    if (last) {
        last->next = access->names;
        access->names = option.names;
    }
}

void build_role_option(struct parser *p, struct ast_role *role, struct role_option option)
{
    bool truth = option.value.len && (p->text.data[option.value.offset] | 0x20) == 't';
    switch (option.kind) {
    case ROLE_NOTHING:
        return;
    case ROLE_DATACENTERS:
        add_access(p, &role->datacenters, option, "DCs");
        return;
    case ROLE_CIDRS:
        add_access(p, &role->cidr_groups, option, "CIDR Groups");
        return;
    case ROLE_SUPERUSER:
        role->superuser = truth;
        break;
    case ROLE_LOGIN:
        role->login = truth;
        break;
    case ROLE_PASSWORD:
        role->password = build_text(p, option.value);
        break;
    case ROLE_HASHED_PASSWORD:
        role->hashed_password = build_text(p, option.value);
        break;
    }
    if (role->given[option.kind])
        build_fail(p, option.value.offset, "Multiple definition for property '%s'",
                   role_option_name((enum role_option_kind)option.kind));
    role->given[option.kind] = true;
}

struct ast_statement *build_role(struct parser *p, enum ast_kind kind, const struct ast_name *name, bool if_flag,
                                 const struct ast_role *options)
{
    struct ast_role role = *options;

    role.name = name->name;
    role.if_flag = if_flag;
    if (kind == AST_CREATE_ROLE) {
        role.given[ROLE_SUPERUSER] = role.given[ROLE_LOGIN] = true;
        role.datacenters.said = role.cidr_groups.said = true;
    }
    if (role.given[ROLE_PASSWORD] && role.given[ROLE_HASHED_PASSWORD])
        build_fail(p, p->at, "Options 'password' and 'hashed password' are mutually exclusive");
    struct ast_statement *statement = build_statement(p, kind);
    statement->role = role;
    return statement;
}

struct ast_statement *build_user(struct parser *p, enum ast_kind kind, const struct ast_name *name, bool if_flag,
                                 struct role_option password, int superuser)
{
    struct ast_role options = { .superuser = superuser > 0, .login = kind == AST_CREATE_ROLE };
    options.given[ROLE_SUPERUSER] = superuser >= 0;
    build_role_option(p, &options, password);
    return build_role(p, kind, name, if_flag, &options);
}

/* ---- the others ---- */

struct ast_statement *build_identity(struct parser *p, enum ast_kind kind, const struct ast_name *identity,
                                     const struct ast_name *role, bool if_flag)
{
    struct ast_identity built = { .identity = identity->name,
                                  .role = role ? role->name : SLICE_NULL,
                                  .if_flag = if_flag };
    struct ast_statement *statement = build_statement(p, kind);
    statement->identity = built;
    return statement;
}

struct ast_statement *build_membership(struct parser *p, enum ast_kind kind, const struct ast_name *role,
                                       const struct ast_name *grantee)
{
    struct ast_membership built = { role->name, grantee->name };
    struct ast_statement *statement = build_statement(p, kind);
    statement->membership = built;
    return statement;
}

struct ast_statement *build_grant(struct parser *p, enum ast_kind kind, permissions set, struct ast_resource *resource,
                                  const struct ast_name *role, bool recursive)
{
    struct ast_grant built = { set, resource, role ? role->name : SLICE_NULL, recursive };
    struct resource granted = { .kind = resource ? resource->kind : RESOURCE_FUNCTION };
    struct ast_statement *statement = build_statement(p, kind);
    bool builtin = granted.kind == RESOURCE_KEYSPACE_FUNCTIONS && slice_eq_str(resource->name.keyspace, "system"); /* nobody's to alter */

    /* filterPermissions; a function's are of what the schema has */
    if (kind != AST_LIST_PERMISSIONS && granted.kind != RESOURCE_FUNCTION && !builtin && !(set & resource_permissions(&granted)))
        build_fail(p, role->offset, "Resource type %s does not support any of the requested permissions", resource_class(&granted));
    statement->grant = built;
    return statement;
}

struct ast_statement *build_list_roles(struct parser *p, enum ast_kind kind, const struct ast_name *role,
                                       bool recursive)
{
    struct ast_list_roles built = { role ? role->name : SLICE_NULL, recursive };
    struct ast_statement *statement = build_statement(p, kind);
    statement->list_roles = built;
    return statement;
}

/* ---- resources ---- */

struct ast_resource *build_resource(struct parser *p, enum resource_kind kind, const struct ast_name *name)
{
    struct ast_name named = name ? *name : (struct ast_name){ .keyspace = SLICE_NULL };
    struct ast_resource *resource = BUILD(p, ast_resource);
    resource->kind = kind;
    resource->name = named;
    return resource;
}

static bool has_any(struct slice text, const char *characters)
{
    for (size_t i = 0; i < text.len; i++)
        if (memchr(characters, text.data[i], strlen(characters)))
            return true;
    return false;
}

/* javax.management.ObjectName: a domain, a colon, and keys with values, or `*`. */
static bool is_object_name(struct slice name)
{
    const uint8_t *colon = name.len ? memchr(name.data, ':', name.len) : NULL;
    struct slice properties = colon ? slice_skip(name, (size_t)(colon - name.data) + 1) : SLICE_EMPTY;
    bool ok = properties.len > 0 && !has_any(name, "\n");
    while (ok && properties.len) {
        const uint8_t *comma = memchr(properties.data, ',', properties.len);
        struct slice one = slice_of(properties.data, comma ? (size_t)(comma - properties.data) : properties.len);
        const uint8_t *equals = one.len ? memchr(one.data, '=', one.len) : NULL;
        size_t key_len = equals ? (size_t)(equals - one.data) : 0;
        ok = slice_eq_str(one, "*") || (key_len && !has_any(slice_of(one.data, key_len), ":*?\"") &&
                                        !has_any(slice_skip(one, key_len + 1), "=:"));
        ok &= !comma || one.len + 1 < properties.len;
        properties = slice_skip(properties, one.len + (comma != NULL));
    }
    return ok;
}

static bool is_pattern(struct slice name)
{
    return name.len && (memchr(name.data, '*', name.len) || memchr(name.data, '?', name.len));
}

/* CqlParser.canonicalizeObjectName */
struct ast_resource *build_mbean(struct parser *p, struct token token, bool pattern)
{
    struct ast_name *name = build_name(p, (struct token){ .kind = LEX_END }, token, NULL);
    if (!name->name.len)
        build_fail(p, token.offset, "Empty JMX object name supplied");
    else if (slice_eq_str(name->name, "*:*"))
        build_fail(p, token.offset, "Please use ALL MBEANS instead of wildcard pattern");
    else if (!is_object_name(name->name))
        build_fail(p, token.offset, "%.*s is not a valid JMX object name", SLICE_ARG(name->name));
    else if (pattern && !is_pattern(name->name))
        build_fail(p, token.offset, "Plural form used, but non-pattern JMX object name specified (%.*s)",
                   SLICE_ARG(name->name));
    return build_resource(p, RESOURCE_MBEAN, name);
}
