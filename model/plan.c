#include "model/plan.h"

typedef enum wr_status binder(struct bind *bind, const struct ast_statement *ast, struct plan **out);

static binder *const binders[AST_KIND_COUNT] = {
    [AST_SELECT] = bind_select,
    [AST_INSERT] = bind_modify,
    [AST_UPDATE] = bind_modify,
    [AST_DELETE] = bind_modify,
    [AST_BATCH] = bind_batch,
    [AST_TRUNCATE] = bind_schema_change,
    [AST_USE] = bind_use,
    [AST_CREATE_KEYSPACE] = bind_schema_change,
    [AST_ALTER_KEYSPACE] = bind_schema_change,
    [AST_DROP_KEYSPACE] = bind_schema_change,
    [AST_CREATE_TABLE] = bind_schema_change,
    [AST_ALTER_TABLE] = bind_schema_change,
    [AST_DROP_TABLE] = bind_schema_change,
    [AST_CREATE_TYPE] = bind_schema_change,
    [AST_ALTER_TYPE] = bind_schema_change,
    [AST_DROP_TYPE] = bind_schema_change,
    [AST_CREATE_INDEX] = bind_schema_change,
    [AST_DROP_INDEX] = bind_schema_change,
    [AST_CREATE_VIEW] = bind_schema_change,
    [AST_ALTER_VIEW] = bind_schema_change,
    [AST_DROP_VIEW] = bind_schema_change,
    [AST_CREATE_FUNCTION] = bind_schema_change,
    [AST_DROP_FUNCTION] = bind_schema_change,
    [AST_CREATE_AGGREGATE] = bind_schema_change,
    [AST_DROP_AGGREGATE] = bind_schema_change,
    [AST_CREATE_TRIGGER] = bind_schema_change,
    [AST_DROP_TRIGGER] = bind_schema_change,
    [AST_CREATE_ROLE] = bind_role_statement,
    [AST_ALTER_ROLE] = bind_role_statement,
    [AST_DROP_ROLE] = bind_role_statement,
    [AST_GRANT_ROLE] = bind_role_statement,
    [AST_REVOKE_ROLE] = bind_role_statement,
    [AST_ADD_IDENTITY] = bind_role_statement,
    [AST_DROP_IDENTITY] = bind_role_statement,
    [AST_GRANT] = bind_grant,
    [AST_REVOKE] = bind_grant,
    [AST_LIST_ROLES] = bind_list_roles,
    [AST_LIST_USERS] = bind_list_roles,
    [AST_LIST_PERMISSIONS] = bind_grant,
    [AST_DESCRIBE] = bind_describe,
};

static bool frees_space(const struct ast_statement *ast)
{
    static const bool kinds_that_do[AST_KIND_COUNT] = {
        [AST_DELETE] = true,     [AST_TRUNCATE] = true,      [AST_DROP_KEYSPACE] = true,  [AST_DROP_TABLE] = true, [AST_DROP_TYPE] = true, [AST_DROP_INDEX] = true,
        [AST_DROP_VIEW] = true, [AST_DROP_FUNCTION] = true, [AST_DROP_AGGREGATE] = true, [AST_DROP_ROLE] = true,
    };
    const struct ast_statement *part = ast->kind == AST_BATCH ? ast->batch.statements : NULL;

    while (part && frees_space(part))
        part = part->next;
    return ast->kind == AST_BATCH ? !part : kinds_that_do[ast->kind];
}

/* A marker that nothing asks for takes anything: of TTL ? AND TTL ? the first, which the second has taken the place of. */
static void type_the_unused(struct bind *bind)
{
    for (uint32_t i = 0; i < bind->marker_count; i++)
        if (!bind->markers[i].type)
            bind->markers[i] = (struct column_spec){
                .keyspace = SLICE_EMPTY, .table = SLICE_EMPTY, .name = SLICE_LIT("[unused]"), .type = type_native(TYPE_BLOB)
            };
}

enum wr_status plan_bind(struct bind *bind, const struct ast_statement *ast, struct plan **out)
{
    struct plan *plan;
    TRY(binders[ast->kind](bind, ast, &plan));
    type_the_unused(bind);
    plan->ast = ast;
    plan->markers = bind->markers;
    plan->marker_count = bind->marker_count;
    plan->called = bind->called;
    plan->calls_others = bind->calls_others;
    plan->frees = frees_space(ast);
    *out = plan;
    return WR_OK;
}

enum wr_status plan_check(struct ctx *ctx, const struct plan *plan)
{
    return plan->refused ? fail(ctx, WR_INVALID, "%s", plan->refused) : WR_OK;
}
