/*
 * Functions and aggregates by CQL. Functions themselves come from the host: CREATE FUNCTION is refused as by a server
 * whose user_defined_functions_enabled is false, but for LANGUAGE native, which says that the host is to have
 * registered it. Aggregates over them are the schema's.
 */
#include "model/ddl.h"
#include "model/expr.h"
#include "model/func_user.h"
#include "model/parse.h"
#include "model/signature.h"

/* ---- types ---- */

/* CQL3Type.Raw.isFrozen of a type that is not frozen by itself (a tuple, a native one); nothing freezes a vector. */
static bool is_frozen(const struct ast_type *type)
{
    const struct ast_type *of = type;
    while (of->kind == AST_TYPE_FROZEN)
        of = of->args;
    return of != type && of->kind != AST_TYPE_TUPLE && of->kind != AST_TYPE_VECTOR;
}

/* keyspace: what user types are shown to be of, once a server has bound the types; NULL before. */
static enum wr_status fail_frozen(struct ddl *ddl, const char *what, const struct ast_type *type, struct slice keyspace)
{
    struct buf text;
    buf_init(&text, ddl->ctx->arena);
    cql_put_type(&text, type, keyspace);
    return fail(ddl->ctx, WR_INVALID, "%s '%.*s' cannot be frozen; remove frozen<> modifier from '%.*s'", what,
                SLICE_ARG(buf_slice(&text)), SLICE_ARG(buf_slice(&text)));
}

static enum wr_status check_not_frozen(struct ddl *ddl, const struct ast_type *types, struct slice keyspace)
{
    for (; types; types = types->next)
        if (is_frozen(types))
            return fail_frozen(ddl, "Argument", types, keyspace);
    return WR_OK;
}

static enum wr_status bind_types(struct ddl *ddl, const struct ast_type *types, const struct type *const **out,
                                 uint32_t *count)
{
    *count = 0;
    for (const struct ast_type *t = types; t; t = t->next)
        ++*count;
    const struct type **list = NEW_ARRAY(ddl->ctx, const struct type *, *count);
    if (!list)
        return WR_NOMEM;
    for (uint32_t i = 0; types; types = types->next)
        TRY(ddl_bind_type(ddl, types, &list[i++]));
    *out = list;
    return WR_OK;
}

/* ---- what the statements share ---- */

/* FunctionName.isNameValid */
static enum wr_status check_name(struct ddl *ddl, const char *what, struct slice name)
{
    bool valid = true;
    for (size_t i = 0; i < name.len && valid; i++)
        valid = !strchr("/[]", name.data[i]);
    return valid ? WR_OK : fail(ddl->ctx, WR_INVALID, "%s name '%.*s' is invalid", what, SLICE_ARG(name));
}

static enum wr_status require_keyspace(struct ddl *ddl)
{
    if (ddl->keyspace)
        return WR_OK;
    return fail(ddl->ctx, WR_INVALID, "Keyspace '%.*s' doesn't exist", SLICE_ARG(ddl->keyspace_name));
}

/* What DROP names: types null where it gives none. */
struct dropped {
    const char *text; /* k.f, or k.f(int) */
    const struct slice *types;
    uint32_t count;
    uint32_t overloads; /* functions and aggregates of the name */
};

static enum wr_status read_dropped(struct ddl *ddl, const char *what, struct dropped *out)
{
    const struct ast_drop *ast = &ddl->ast->drop;
    struct slice name = ast->name.name, *texts = NULL;
    const struct type *const *types;
    struct host_walk walk = host_walk(ddl->exec->db, ddl->keyspace_name, name);
    struct buf text;

    *out = (struct dropped){ 0 };
    buf_init(&text, ddl->ctx->arena);
    buf_printf(&text, "%.*s.%.*s", SLICE_ARG(ddl->keyspace_name), SLICE_ARG(name));
    for (const struct ast_type *t = ast->args; t; t = t->next) {
        buf_put_str(&text, t == ast->args ? "(" : ", ");
        cql_put_type(&text, t, SLICE_NULL);
    }
    if (ast->has_args)
        buf_put_str(&text, ast->args ? ")" : "()");
    buf_put_u8(&text, 0);
    if (text.failed)
        return fail_nomem(ddl->ctx);
    out->text = (const char *)text.data;
    if (!ddl->keyspace)
        return WR_OK;

    while (host_next(&walk))
        out->overloads++;
    for (uint32_t i = 0; i < ddl->keyspace->aggregate_count; i++)
        out->overloads += slice_eq(ddl->keyspace->aggregates[i].name, name);
    if (out->overloads > 1 && !ast->has_args)
        return fail(
            ddl->ctx, WR_INVALID,
            "'DROP %s %.*s' matches multiple function definitions; specify the argument types by issuing a statement "
            "like 'DROP %s %.*s (type, type, ...)'. You can use cqlsh 'DESCRIBE %s %.*s' command to find all overloads",
            what, SLICE_ARG(name), what, SLICE_ARG(name), what, SLICE_ARG(name));
    TRY(check_not_frozen(ddl, ast->args, SLICE_NULL));
    TRY(bind_types(ddl, ast->args, &types, &out->count));
    TRY(type_texts(ddl->ctx, types, out->count, &texts));
    out->types = texts;
    return WR_OK;
}

/* ---- functions ---- */

enum wr_status ddl_parameter_types(struct ctx *ctx, const struct ast_create_function *ast, struct ast_type **out)
{
    struct ast_type **last = out;
    *out = NULL;
    for (const struct ast_column_def *c = ast->args; c; c = c->next) {
        struct ast_type *copy = NEW(ctx, struct ast_type);
        if (!copy)
            return WR_NOMEM;
        *copy = *c->type;
        copy->next = NULL;
        *last = copy;
        last = &copy->next;
    }
    return WR_OK;
}

static enum wr_status create_native(struct ddl *ddl)
{
    const struct ast_create_function *ast = &ddl->ast->create_function;
    struct ast_type *all;
    const struct type *const *types;
    const struct type *result;
    struct slice *texts, *returns, signature;
    uint32_t count;

    TRY(require_keyspace(ddl));
    TRY(ddl_parameter_types(ddl->ctx, ast, &all));
    TRY(check_not_frozen(ddl, all, SLICE_NULL));
    if (is_frozen(ast->returns))
        return fail_frozen(ddl, "Return type", ast->returns, SLICE_NULL);
    TRY(bind_types(ddl, all, &types, &count));
    TRY(ddl_bind_type(ddl, ast->returns, &result));
    TRY(type_texts(ddl->ctx, types, count, &texts));
    TRY(type_texts(ddl->ctx, &result, 1, &returns));
    const struct host_function *host = host_find(ddl->exec->db, ddl->keyspace_name, ast->name.name, texts, count);
    if (host && slice_eq(host->result, returns[0]))
        return WR_OK; /* it is there, as the statement says it shall be */
    TRY(signature_text(ddl->ctx, ast->name.name, texts, count, &signature));
    return fail(ddl->ctx, WR_INVALID, "Function %.*s.%.*s returning %.*s is not registered by the host program",
                SLICE_ARG(ddl->keyspace_name), SLICE_ARG(signature), SLICE_ARG(returns[0]));
}

enum wr_status ddl_create_function(struct ddl *ddl)
{
    const struct ast_create_function *ast = &ddl->ast->create_function;

    TRY(ddl_require_user_keyspace(ddl));
    TRY(check_name(ddl, "Function", ast->name.name));
    if (ast->or_replace && ast->if_not_exists)
        return fail(ddl->ctx, WR_INVALID, "Cannot use both 'OR REPLACE' and 'IF NOT EXISTS' directives");
    if (slice_eq_str(ast->language, SYSTEM_HOST_LANGUAGE))
        return create_native(ddl);
    return fail(
        ddl->ctx, WR_INVALID,
        "User-defined functions are disabled in cassandra.yaml - set user_defined_functions_enabled=true to enable");
}

enum wr_status ddl_drop_function(struct ddl *ddl)
{
    const struct ast_drop *ast = &ddl->ast->drop;
    struct host_walk walk = host_walk(ddl->exec->db, ddl->keyspace_name, ast->name.name);
    const struct host_function *host = NULL;
    struct dropped d;

    TRY(ddl_require_user_keyspace(ddl));
    TRY(read_dropped(ddl, "FUNCTION", &d));
    if (ddl->keyspace)
        host = ast->has_args ? host_find(ddl->exec->db, ddl->keyspace_name, ast->name.name, d.types, d.count)
                             : host_next(&walk);
    if (host)
        return fail(ddl->ctx, WR_INVALID,
                    "Function '%s' is registered by the host program, which alone can take it back", d.text);
    return ast->if_exists ? WR_OK : fail(ddl->ctx, WR_INVALID, "Function '%s' doesn't exist", d.text);
}

/* ---- aggregates ---- */

struct draft {
    struct aggregate aggregate;
    struct slice *types; /* texts of the arguments */
    const struct host_function *state;
};

/* `k.f(a, b)`: one of an aggregate's functions by the types of its state and of `args`, as the statement writes them. */
static enum wr_status part_text(struct ddl *ddl, struct slice name, const struct ast_type *args, struct slice *out)
{
    struct buf text;
    buf_init(&text, ddl->ctx->arena);
    buf_printf(&text, "%.*s.%.*s(", SLICE_ARG(ddl->keyspace_name), SLICE_ARG(name));
    cql_put_type(&text, ddl->ast->create_aggregate.state_type, ddl->keyspace_name);
    for (; args; args = args->next) {
        buf_put_str(&text, ", ");
        cql_put_type(&text, args, ddl->keyspace_name);
    }
    buf_put_u8(&text, ')');
    return buf_done(ddl->ctx, &text, out);
}

/* Of an aggregate's functions: nobody's aggregate, and registered. */
static enum wr_status find_part(struct ddl *ddl, const char *what, struct slice name, struct slice shown, const struct slice *types,
                                uint32_t count, const struct host_function **out)
{
    const struct aggregate *aggregate;
    if ((*out = host_find(ddl->exec->db, ddl->keyspace_name, name, types, count)))
        return WR_OK;
    TRY(aggregate_find(ddl->ctx, ddl->keyspace, name, types, count, &aggregate));
    return fail(ddl->ctx, WR_INVALID, aggregate ? "%s function %.*s isn't a scalar function" : "%s function %.*s doesn't exist", what,
                SLICE_ARG(shown));
}

static enum wr_status find_parts(struct ddl *ddl, struct draft *d)
{
    struct aggregate *a = &d->aggregate;
    const struct type **types = NEW_ARRAY(ddl->ctx, const struct type *, (size_t)a->arg_count + 1);
    const struct host_function *final;
    struct slice *texts, shown;
    bool known;

    if (!types)
        return WR_NOMEM;
    types[0] = a->state;
    for (uint32_t i = 0; i < a->arg_count; i++)
        types[i + 1] = a->args[i];
    TRY(type_texts(ddl->ctx, types, a->arg_count + 1, &texts));
    d->types = texts + 1;
    TRY(part_text(ddl, a->state_function, ddl->ast->create_aggregate.args, &shown));
    TRY(find_part(ddl, "State", a->state_function, shown, texts, a->arg_count + 1, &d->state));
    if (!slice_eq(d->state->result, texts[0]))
        return fail(
            ddl->ctx, WR_INVALID,
            "State function %.*s return type must be the same as the first argument type - check STYPE, argument and return types",
            SLICE_ARG(shown));
    a->result = a->state;
    if (slice_is_null(a->final_function))
        return WR_OK;
    TRY(part_text(ddl, a->final_function, NULL, &shown));
    TRY(find_part(ddl, "Final", a->final_function, shown, texts, 1, &final));
    return host_types(ddl->ctx, ddl->schema, final, types, &a->result, &known);
}

static enum wr_status bind_initial(struct ddl *ddl, struct draft *d)
{
    const struct ast_expr *ast = ddl->ast->create_aggregate.initial;
    struct bind bind = { .ctx = ddl->ctx,
                         .db = ddl->exec->db,
                         .schema = ddl->schema,
                         .current_keyspace = ddl->keyspace_name,
                         .text = ddl->ast->text };
    struct aggregate *a = &d->aggregate;
    const struct expr *expr;
    bool bytes = a->state->kind == TYPE_TEXT || a->state->kind == TYPE_ASCII || a->state->kind == TYPE_BLOB;

    if (ast) {
        TRY(expr_bind_term(&bind, ast, a->state, SLICE_LIT("(dummy)"), &expr));
        TRY(expr_eval_term(ddl->exec, expr, &a->initial));
        bool null = ast->kind == EXPR_CONSTANT && ast->literal == LITERAL_NULL;
        if (!null && (slice_is_null(a->initial) || (!a->initial.len && !bytes)))
            return fail(ddl->ctx, WR_INVALID, "INITCOND must not be empty for all types except TEXT, ASCII, BLOB");
    }
    if (slice_is_null(a->initial) && !(d->state->flags & WR_FUNCTION_CALLED_ON_NULL))
        return fail(
            ddl->ctx, WR_INVALID,
            "Cannot create aggregate '%.*s' without INITCOND because state function %.*s.%s does not accept 'null' "
            "arguments",
            SLICE_ARG(a->name), SLICE_ARG(ddl->keyspace_name), d->state->name);
    return WR_OK;
}

static enum wr_status check_replaced(struct ddl *ddl, const struct draft *d, const struct aggregate *before)
{
    const struct aggregate *a = &d->aggregate;
    if (type_eq_value(a->result, before->result))
        return WR_OK;
    return fail(
        ddl->ctx, WR_INVALID,
        "Cannot replace aggregate '%.*s', the new return type %s isn't compatible with the return type %s of existing "
        "function",
        SLICE_ARG(a->name), type_name(ddl->ctx, a->result), type_name(ddl->ctx, before->result));
}

static enum wr_status tell(struct ddl *ddl, const char *change, const struct aggregate *a, const struct slice *types)
{
    TRY(ddl_done(ddl, change, "AGGREGATE", a->name));
    struct slice *copies = NEW_ARRAY(ddl->ctx, struct slice, a->arg_count);
    if (!copies)
        return WR_NOMEM;
    for (uint32_t i = 0; i < a->arg_count; i++)
        TRY(ctx_copy(ddl->ctx, types[i], &copies[i]));
    ddl->exec->change.args = copies;
    ddl->exec->change.arg_count = a->arg_count;
    return WR_OK;
}

enum wr_status ddl_create_aggregate(struct ddl *ddl)
{
    const struct ast_create_aggregate *ast = &ddl->ast->create_aggregate;
    struct draft d = { .aggregate = { .name = ast->name.name,
                                      .state_function = ast->state_function.name,
                                      .final_function = ast->final_function.name,
                                      .initial = SLICE_NULL } };
    struct aggregate *a = &d.aggregate;
    const struct aggregate *before;

    /* what the server's authorizer asks for first */
    if (!ddl->keyspace)
        return fail(ddl->ctx, WR_CONFIG, "Keyspace %.*s doesn't exist", SLICE_ARG(ddl->keyspace_name));
    TRY(ddl_bind_type(ddl, ast->state_type, &a->state));
    TRY(bind_types(ddl, ast->args, &a->args, &a->arg_count));
    TRY(ddl_require_user_keyspace(ddl));
    TRY(check_name(ddl, "Aggregate", a->name));
    if (ast->or_replace && ast->if_not_exists)
        return fail(ddl->ctx, WR_INVALID, "Cannot use both 'OR REPLACE' and 'IF NOT EXISTS' directives");
    TRY(check_not_frozen(ddl, ast->args, ddl->keyspace_name));
    if (is_frozen(ast->state_type))
        return fail_frozen(ddl, "State type", ast->state_type, ddl->keyspace_name);
    TRY(find_parts(ddl, &d));
    TRY(bind_initial(ddl, &d));

    TRY(aggregate_find(ddl->ctx, ddl->keyspace, a->name, d.types, a->arg_count, &before));
    if (!before && host_find(ddl->exec->db, ddl->keyspace_name, a->name, d.types, a->arg_count))
        return fail(ddl->ctx, WR_INVALID, "Aggregate '%.*s' cannot replace a function", SLICE_ARG(a->name));
    if (before && ast->if_not_exists)
        return WR_OK;
    if (before && !ast->or_replace)
        return fail(ddl->ctx, WR_INVALID, "Aggregate '%.*s' already exists", SLICE_ARG(a->name));
    if (before)
        TRY(check_replaced(ddl, &d, before));
    ddl_edit(ddl, SLICE_NULL);
    TRY(catalog_store_aggregate(&ddl->edit, a));
    return tell(ddl, before ? "UPDATED" : "CREATED", a, d.types);
}

enum wr_status ddl_drop_aggregate(struct ddl *ddl)
{
    const struct ast_drop *ast = &ddl->ast->drop;
    const struct aggregate *a = NULL;
    struct slice *types;
    struct dropped d;

    TRY(ddl_require_user_keyspace(ddl));
    TRY(read_dropped(ddl, "AGGREGATE", &d));
    if (ast->has_args)
        TRY(aggregate_find(ddl->ctx, ddl->keyspace, ast->name.name, d.types, d.count, &a));
    for (uint32_t i = 0; !ast->has_args && ddl->keyspace && i < ddl->keyspace->aggregate_count; i++)
        if (slice_eq(ddl->keyspace->aggregates[i].name, ast->name.name))
            a = &ddl->keyspace->aggregates[i];
    if (!a && ast->if_exists)
        return WR_OK;
    if (!a)
        return fail(ddl->ctx, WR_INVALID, "Aggregate '%s' doesn't exist", d.text);
    TRY(type_texts(ddl->ctx, a->args, a->arg_count, &types));
    ddl_edit(ddl, SLICE_NULL);
    TRY(catalog_remove_aggregate(&ddl->edit, a));
    return tell(ddl, "DROPPED", a, types);
}
