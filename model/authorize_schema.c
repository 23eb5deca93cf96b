/*
 * What statements of schema ask where it is not one permission on one resource, and what a change of the schema does to
 * permissions (AlterSchemaStatement, AuthSchemaChangeListener).
 */
#include "model/authorize.h"
#include "model/ddl.h"
#include "model/expr.h"
#include "model/functions.h"
#include "model/grants.h"
#include "model/signature.h"

/* ---- indexes and views: their tables' ---- */

enum wr_status authorize_drop_index(struct exec *exec, const struct ast_statement *ast, struct slice keyspace)
{
    const struct table *table;
    bool found = schema_index(exec->schema, keyspace, ast->drop.name.name, &table) != NULL;
    return found ? authorize_table(exec, PERMISSION_ALTER, table) : WR_OK;
}

enum wr_status authorize_create_view(struct exec *exec, const struct ast_statement *ast, struct slice keyspace)
{
    struct resource base = resource_table(keyspace, ast->create_view.base.name);
    return authorize_data(exec, PERMISSION_ALTER, &base);
}

static enum wr_status authorize_view(struct exec *exec, struct slice keyspace, struct slice name)
{
    const struct table *view = schema_table(exec->schema, keyspace, name);
    if (!view || !table_is_view(view))
        return WR_OK;
    struct resource base = resource_table(keyspace, view->view->base_name);
    return authorize_data(exec, PERMISSION_ALTER, &base);
}

enum wr_status authorize_alter_view(struct exec *exec, const struct ast_statement *ast, struct slice keyspace)
{
    return authorize_view(exec, keyspace, ast->alter_table.name.name);
}

enum wr_status authorize_drop_view(struct exec *exec, const struct ast_statement *ast, struct slice keyspace)
{
    return authorize_view(exec, keyspace, ast->drop.name.name);
}

/* Java code runs in the server: nothing that can be granted is enough. The two texts are Cassandra's. */
enum wr_status authorize_trigger(struct exec *exec, const struct ast_statement *ast, struct slice keyspace)
{
    const struct role_set *roles;
    (void)keyspace;
    if (slice_is_null(exec->who.role))
        return WR_OK;
    TRY(authorize_roles(exec, &roles));
    if (role_set_is_super(roles))
        return WR_OK;
    return fail(exec->ctx, WR_UNAUTHORIZED, "Only superusers are allowed to %s TRIGGER queries",
                ast->kind == AST_CREATE_TRIGGER ? "perform CREATE" : "perfrom DROP");
}

/* ---- functions and aggregates ---- */

struct signature_types {
    const struct type *const *types;
    struct slice *texts;
    uint32_t count;
};

/* first NULL: the list alone. */
static enum wr_status bind_signature(struct exec *exec, struct slice keyspace, const struct ast_type *first,
                                     const struct ast_type *list, struct signature_types *out)
{
    struct bind bind = { .ctx = exec->ctx, .db = exec->db, .schema = exec->schema, .current_keyspace = keyspace };
    uint32_t count = 1;
    for (const struct ast_type *t = list; t; t = t->next)
        count++;
    const struct type **types = NEW_ARRAY(exec->ctx, const struct type *, count);
    if (!types)
        return WR_NOMEM;
    *out = (struct signature_types){ .types = types };
    if (first)
        TRY(bind_type(&bind, keyspace, first, &types[out->count++]));
    for (const struct ast_type *t = list; t; t = t->next)
        TRY(bind_type(&bind, keyspace, t, &types[out->count++]));
    return type_texts(exec->ctx, out->types, out->count, &out->texts);
}

static enum wr_status authorize_function(struct exec *exec, enum permission permission, struct slice keyspace,
                                         struct slice name, const struct signature_types *types)
{
    struct resource resource;
    TRY(resource_function(exec->ctx, keyspace, name, types->types, types->count, &resource));
    return authorize_resource(exec, permission, &resource);
}

static enum wr_status has_namesake(struct exec *exec, const struct keyspace *k, struct slice name, uint32_t arg_count, bool *out)
{
    const struct user_function *list;
    uint32_t n;
    *out = false;
    TRY(functions_list(exec->ctx, exec->db, exec->schema, k->name, name, &list, &n));
    for (uint32_t i = 0; i < n; i++)
        *out |= list[i].arg_count == arg_count;
    for (uint32_t i = 0; i < k->aggregate_count; i++)
        *out |= slice_eq(k->aggregates[i].name, name) && k->aggregates[i].arg_count == arg_count;
    return WR_OK;
}

/* To put one in the place of another is to alter that. Types are looked at where there is one to compare with (UserFunctions.find). */
static enum wr_status authorize_made(struct exec *exec, struct slice keyspace, struct slice name, bool or_replace,
                                     const struct ast_type *args)
{
    struct resource functions = resource_of(RESOURCE_KEYSPACE_FUNCTIONS, keyspace, SLICE_NULL);
    const struct keyspace *k = schema_keyspace(exec->schema, keyspace);
    const struct aggregate *aggregate;
    const struct user_function *function;
    struct signature_types types;
    uint32_t count = 0;
    bool found = false;
    for (const struct ast_type *t = args; t; t = t->next)
        count++;
    if (k)
        TRY(has_namesake(exec, k, name, count, &found));
    if (!found)
        return authorize_resource(exec, PERMISSION_CREATE, &functions);
    TRY(bind_signature(exec, keyspace, NULL, args, &types));
    TRY(functions_find(exec->ctx, exec->db, exec->schema, keyspace, name, types.texts, types.count, &function));
    TRY(aggregate_find(exec->ctx, k, name, types.texts, types.count, &aggregate));
    if (or_replace && (aggregate || function))
        return authorize_function(exec, PERMISSION_ALTER, keyspace, name, &types);
    return authorize_resource(exec, PERMISSION_CREATE, &functions);
}

enum wr_status authorize_create_function(struct exec *exec, const struct ast_statement *ast, struct slice keyspace)
{
    const struct ast_create_function *function = &ast->create_function;
    struct ast_type *list;
    if (slice_is_null(exec->who.role))
        return WR_OK;
    TRY(ddl_parameter_types(exec->ctx, function, &list));
    return authorize_made(exec, keyspace, function->name.name, function->or_replace, list);
}

enum wr_status authorize_create_aggregate(struct exec *exec, const struct ast_statement *ast, struct slice keyspace)
{
    const struct ast_create_aggregate *aggregate = &ast->create_aggregate;
    struct signature_types types;
    if (slice_is_null(exec->who.role))
        return WR_OK;
    TRY(authorize_made(exec, keyspace, aggregate->name.name, aggregate->or_replace, aggregate->args));
    if (!schema_keyspace(exec->schema, keyspace)) /* whose functions have no types: what comes next tells */
        return WR_OK;
    TRY(bind_signature(exec, keyspace, aggregate->state_type, aggregate->args, &types));
    TRY(authorize_function(exec, PERMISSION_EXECUTE, keyspace, aggregate->state_function.name, &types));
    if (slice_is_null(aggregate->final_function.name))
        return WR_OK;
    TRY(bind_signature(exec, keyspace, aggregate->state_type, NULL, &types));
    return authorize_function(exec, PERMISSION_EXECUTE, keyspace, aggregate->final_function.name, &types);
}

/* Everything of the name, or of these types: whether a function or an aggregate is meant is asked later. */
enum wr_status authorize_drop_function(struct exec *exec, const struct ast_statement *ast, struct slice keyspace)
{
    const struct ast_drop *drop = &ast->drop;
    const struct keyspace *k = schema_keyspace(exec->schema, keyspace);
    const struct user_function *list;
    struct signature_types wanted;
    uint32_t n, named = 0;
    if (slice_is_null(exec->who.role) || !k)
        return WR_OK;
    TRY(functions_list(exec->ctx, exec->db, exec->schema, keyspace, drop->name.name, &list, &n));
    for (uint32_t i = 0; i < k->aggregate_count; i++)
        named += slice_eq(k->aggregates[i].name, drop->name.name);
    if (!n && !named) /* nothing to compare types with */
        return WR_OK;
    TRY(bind_signature(exec, keyspace, NULL, drop->args, &wanted));
    for (uint32_t i = 0; i < n; i++) {
        struct signature_types types = { .types = list[i].args, .count = list[i].arg_count };
        if (drop->has_args && (types.count != wanted.count || !same_texts(list[i].texts, wanted.texts, wanted.count)))
            continue;
        if (types.types)
            TRY(authorize_function(exec, PERMISSION_DROP, keyspace, drop->name.name, &types));
    }
    for (uint32_t i = 0; i < k->aggregate_count; i++) {
        const struct aggregate *a = &k->aggregates[i];
        struct slice *texts;
        struct resource resource;
        if (!slice_eq(a->name, drop->name.name))
            continue;
        TRY(type_texts(exec->ctx, a->args, a->arg_count, &texts));
        if (drop->has_args && (a->arg_count != wanted.count || !same_texts(texts, wanted.texts, wanted.count)))
            continue;
        TRY(resource_function(exec->ctx, keyspace, a->name, a->args, a->arg_count, &resource));
        TRY(authorize_resource(exec, PERMISSION_DROP, &resource));
    }
    return WR_OK;
}

/* ---- what follows a change of the schema ---- */

static enum wr_status give_creator(struct exec *exec, const struct resource *resource)
{
    permissions added;
    return grants_add(exec, exec->who.role, resource, resource_permissions(resource), &added);
}

/* The function or aggregate that exec->made.change is about. */
static enum wr_status changed_function(struct exec *exec, struct resource *out)
{
    const struct schema_change *c = &exec->made.change;
    return resource_function(exec->ctx, c->keyspace, c->name, c->types, c->arg_count, out);
}

static enum wr_status created(struct exec *exec, enum ast_kind kind)
{
    const struct schema_change *c = &exec->made.change;
    struct resource resource;
    switch (kind) {
    case AST_CREATE_KEYSPACE:
        resource = resource_of(RESOURCE_KEYSPACE, c->keyspace, SLICE_NULL);
        TRY(give_creator(exec, &resource));
        resource = resource_of(RESOURCE_KEYSPACE_FUNCTIONS, c->keyspace, SLICE_NULL);
        return give_creator(exec, &resource);
    case AST_CREATE_TABLE:
        resource = resource_table(c->keyspace, c->name);
        return give_creator(exec, &resource);
    case AST_CREATE_FUNCTION:
    case AST_CREATE_AGGREGATE:
        TRY(changed_function(exec, &resource));
        return give_creator(exec, &resource);
    default:
        return WR_OK;
    }
}

static enum wr_status drop_function(struct exec *exec, const struct keyspace *keyspace, struct slice name,
                                    const struct type *const *args, uint32_t arg_count)
{
    struct resource resource;
    TRY(resource_function(exec->ctx, keyspace->name, name, args, arg_count, &resource));
    return grants_drop_resource(exec, &resource);
}

static enum wr_status drop_keyspace(struct exec *exec, const struct keyspace *keyspace)
{
    static const enum resource_kind kinds[] = { RESOURCE_KEYSPACE, RESOURCE_ALL_TABLES, RESOURCE_KEYSPACE_FUNCTIONS };
    struct resource resource;
    for (uint32_t i = 0; i < keyspace->table_count; i++) {
        resource = resource_table(keyspace->name, keyspace->tables[i]->name);
        TRY(grants_drop_resource(exec, &resource));
    }
    for (uint32_t i = 0; i < keyspace->function_count; i++) {
        const struct function *f = &keyspace->functions[i];
        TRY(drop_function(exec, keyspace, f->name, f->args, f->arg_count));
    }
    for (uint32_t i = 0; i < keyspace->aggregate_count; i++) {
        const struct aggregate *a = &keyspace->aggregates[i];
        TRY(drop_function(exec, keyspace, a->name, a->args, a->arg_count));
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        resource = resource_of(kinds[i], keyspace->name, SLICE_NULL);
        TRY(grants_drop_resource(exec, &resource));
    }
    return WR_OK;
}

static enum wr_status dropped(struct exec *exec, enum ast_kind kind, const struct keyspace *before)
{
    struct resource resource;
    switch (kind) {
    case AST_DROP_KEYSPACE:
        return before ? drop_keyspace(exec, before) : WR_OK;
    case AST_DROP_TABLE:
    case AST_DROP_VIEW:
        resource = resource_table(exec->made.change.keyspace, exec->made.change.name);
        return grants_drop_resource(exec, &resource);
    case AST_DROP_FUNCTION:
    case AST_DROP_AGGREGATE:
        TRY(changed_function(exec, &resource));
        return grants_drop_resource(exec, &resource);
    default:
        return WR_OK;
    }
}

enum wr_status authorize_changed(struct exec *exec, const struct plan *plan, const struct keyspace *before)
{
    const char *change = exec->made.change.change;
    if (!exec->made.change.target)
        return WR_OK;
    if (strcmp(change, "DROPPED") == 0)
        return dropped(exec, plan->ast->kind, before);
    return strcmp(change, "CREATED") == 0 && !slice_is_null(exec->who.role) ? created(exec, plan->ast->kind) : WR_OK;
}
