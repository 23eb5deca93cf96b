/*
 * Functions and aggregates by CQL. A body in Java is compiled to see that it can be; LANGUAGE native says that the host is to
 * have registered the function. What the host registers is none of the schema's: CREATE and DROP FUNCTION look past it, and
 * aggregates are made of either.
 */
#include "model/ddl.h"
#include "model/expr.h"
#include "model/functions.h"
#include "model/java.h"
#include "model/parse.h"
#include "model/name_set.h"
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

enum { NONE_BOUND = 0, ALL_BOUND = UINT32_MAX };

/* bound: how many of the first a server has bound by then. */
static enum wr_status check_not_frozen(struct ddl *ddl, const struct ast_type *types, uint32_t bound)
{
    for (uint32_t i = 0; types; types = types->next, i++)
        if (is_frozen(types))
            return fail_frozen(ddl, "Argument", types, i < bound ? ddl->keyspace_name : SLICE_NULL);
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

/* keyspace: as of fail_frozen. */
static enum wr_status dropped_text(struct ddl *ddl, struct slice keyspace, const char **out)
{
    const struct ast_drop *ast = &ddl->ast->drop;
    struct buf text;

    buf_init(&text, ddl->ctx->arena);
    buf_printf(&text, "%.*s.%.*s", SLICE_ARG(ddl->keyspace_name), SLICE_ARG(ast->name.name));
    for (const struct ast_type *t = ast->args; t; t = t->next) {
        buf_put_str(&text, t == ast->args ? "(" : ", ");
        cql_put_type(&text, t, keyspace);
    }
    if (ast->has_args)
        buf_put_str(&text, ast->args ? ")" : "()");
    buf_put_u8(&text, 0);
    *out = (const char *)text.data;
    return text.failed ? fail_nomem(ddl->ctx) : WR_OK;
}

static enum wr_status read_dropped(struct ddl *ddl, const char *what, struct dropped *out)
{
    const struct ast_drop *ast = &ddl->ast->drop;
    struct slice name = ast->name.name, *texts, bound = SLICE_NULL;
    const struct type *const *types;
    const struct user_function *list;

    *out = (struct dropped){ 0 };
    if (!ddl->keyspace)
        return dropped_text(ddl, bound, &out->text);
    TRY(functions_list(ddl->ctx, ddl->exec->db, ddl->schema, ddl->keyspace_name, name, &list, &out->overloads));
    for (uint32_t i = 0; i < ddl->keyspace->aggregate_count; i++)
        out->overloads += slice_eq(ddl->keyspace->aggregates[i].name, name);
    if (out->overloads) { /* the server's authorizer has compared the types with theirs */
        TRY(bind_types(ddl, ast->args, &types, &out->count));
        bound = ddl->keyspace_name;
    }
    TRY(dropped_text(ddl, bound, &out->text));
    if (out->overloads > 1 && !ast->has_args)
        return fail(
            ddl->ctx, WR_INVALID,
            "'DROP %s %.*s' matches multiple function definitions; specify the argument types by issuing a statement "
            "like 'DROP %s %.*s (type, type, ...)'. You can use cqlsh 'DESCRIBE %s %.*s' command to find all overloads",
            what, SLICE_ARG(name), what, SLICE_ARG(name), what, SLICE_ARG(name));
    TRY(check_not_frozen(ddl, ast->args, out->overloads ? ALL_BOUND : NONE_BOUND));
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

/* One by one, as far as they are the same: *bound is how many had to be bound for it, at least. */
static enum wr_status compare_with(struct ddl *ddl, const struct ast_type *args, const struct slice *texts, uint32_t *bound)
{
    bool same = true;
    for (uint32_t i = 0; args && same; args = args->next, i++) {
        const struct type *type;
        struct slice *text;
        TRY(ddl_bind_type(ddl, args, &type));
        TRY(type_texts(ddl->ctx, &type, 1, &text));
        same = slice_eq(*text, texts[i]);
        *bound = i < *bound ? *bound : i + 1;
    }
    return WR_OK;
}

/* UserFunctions.find, for the server's authorizer: types are bound as they are compared with those of functions of as many. */
static enum wr_status bind_as_namesake(struct ddl *ddl, struct slice name, const struct ast_type *args, uint32_t *bound)
{
    const struct keyspace *k = ddl->keyspace;
    const struct user_function *list;
    uint32_t n, count = 0;

    *bound = NONE_BOUND;
    if (!k)
        return WR_OK;
    for (const struct ast_type *t = args; t; t = t->next)
        count++;
    TRY(functions_list(ddl->ctx, ddl->exec->db, ddl->schema, k->name, name, &list, &n));
    for (uint32_t i = 0; i < n; i++)
        if (list[i].arg_count == count)
            TRY(compare_with(ddl, args, list[i].texts, bound));
    for (uint32_t i = 0; i < k->aggregate_count; i++) {
        const struct aggregate *a = &k->aggregates[i];
        struct slice *texts;
        if (!slice_eq(a->name, name) || a->arg_count != count)
            continue;
        TRY(type_texts(ddl->ctx, a->args, count, &texts));
        TRY(compare_with(ddl, args, texts, bound));
    }
    return WR_OK;
}

static enum wr_status create_native(struct ddl *ddl, const struct ast_type *args)
{
    const struct ast_create_function *ast = &ddl->ast->create_function;
    const struct type *const *types;
    const struct type *result;
    struct slice *texts, *returns, signature;
    uint32_t count;

    TRY(require_keyspace(ddl));
    TRY(check_not_frozen(ddl, args, NONE_BOUND));
    if (is_frozen(ast->returns))
        return fail_frozen(ddl, "Return type", ast->returns, SLICE_NULL);
    TRY(bind_types(ddl, args, &types, &count));
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

/* `[a, b]`, and whether one is there twice. */
static enum wr_status check_argument_names(struct ddl *ddl, const struct ast_column_def *args)
{
    bool twice = false;
    size_t count = 0;
    struct name_set seen;
    struct buf buf;

    for (const struct ast_column_def *a = args; a; a = a->next)
        count++;
    TRY(name_set_make(ddl->ctx, &seen, count));
    buf_init(&buf, ddl->ctx->arena);
    for (const struct ast_column_def *a = args; a; a = a->next) {
        buf_printf(&buf, "%s%.*s", a == args ? "" : ", ", SLICE_ARG(a->name));
        twice |= !name_set_add(&seen, a->name);
    }
    if (!twice)
        return WR_OK;
    return fail(ddl->ctx, WR_INVALID, "Duplicate argument names for given function %.*s with argument names [%.*s]",
                SLICE_ARG(ddl->ast->create_function.name.name), SLICE_ARG(buf_slice(&buf)));
}

static enum wr_status draft_function(struct ddl *ddl, const struct ast_type *args, struct function *out)
{
    const struct ast_create_function *ast = &ddl->ast->create_function;
    const struct java_body *compiled;
    struct slice *names;
    uint32_t n = 0;

    *out = (struct function){ .name = ast->name.name,
                              .called_on_null = ast->called_on_null,
                              .language = ast->language,
                              .body = ast->body };
    TRY(bind_types(ddl, args, &out->args, &out->arg_count));
    TRY(ddl_bind_type(ddl, ast->returns, &out->result));
    if (!(names = NEW_ARRAY(ddl->ctx, struct slice, out->arg_count)))
        return WR_NOMEM;
    for (const struct ast_column_def *c = ast->args; c; c = c->next)
        names[n++] = c->name;
    out->arg_names = names;
    struct java_signature signature = { out->arg_names, out->args, out->arg_count, out->result,
                                        ddl->schema,    ddl->keyspace_name, out->called_on_null };
    return java_compile(ddl->ctx, &signature, out->body, &compiled);
}

static enum wr_status check_replaced_function(struct ddl *ddl, const struct function *f, const struct function *before)
{
    if (f->called_on_null != before->called_on_null)
        return fail(ddl->ctx, WR_INVALID, "Function '%.*s' must have %s directive", SLICE_ARG(f->name),
                    f->called_on_null ? "CALLED ON NULL INPUT" : "RETURNS NULL ON NULL INPUT");
    if (type_keeps_order(f->result, before->result))
        return WR_OK;
    return fail(ddl->ctx, WR_INVALID,
                "Cannot replace function '%.*s', the new return type %s is not compatible with the return type %s of existing function",
                SLICE_ARG(f->name), type_name(ddl->ctx, f->result), type_name(ddl->ctx, before->result));
}

/* What clients are told of, which is not what system_schema has: as the statement writes them, in the keyspace. */
static enum wr_status written_types(struct ddl *ddl, const struct ast_type *types, uint32_t count, struct slice **out)
{
    struct slice *list = NEW_ARRAY(ddl->ctx, struct slice, count);
    if (!list)
        return WR_NOMEM;
    for (uint32_t i = 0; i < count; i++, types = types->next) {
        struct buf text;
        buf_init(&text, ddl->ctx->arena);
        cql_put_type(&text, types, ddl->keyspace_name);
        TRY(buf_done(ddl->ctx, &text, &list[i]));
    }
    *out = list;
    return WR_OK;
}

/* The edit is done, and clients are told of a function or aggregate. */
static enum wr_status tell(struct ddl *ddl, const char *change, const char *target, struct slice name, const struct type *const *types,
                           const struct slice *texts, uint32_t count)
{
    TRY(ddl_done(ddl, change, target, name));
    ddl->exec->made.change.types = types;
    ddl->exec->made.change.args = texts;
    ddl->exec->made.change.arg_count = count;
    return WR_OK;
}

static bool is_behind_host(const struct ddl *ddl, struct slice name, const struct slice *types, uint32_t count)
{
    return host_find(ddl->exec->db, ddl->keyspace_name, name, types, count) != NULL;
}

static enum wr_status store_function(struct ddl *ddl, const struct function *f, const struct function *before,
                                     const struct slice *types, const struct ast_type *args)
{
    struct slice old, made, *told;
    if (before) {
        TRY(function_encode(ddl->ctx, before, &old));
        TRY(function_encode(ddl->ctx, f, &made));
        if (slice_eq(old, made))
            return WR_OK;
    }
    ddl_edit(ddl, SLICE_NULL);
    TRY(catalog_store_function(&ddl->edit, f, is_behind_host(ddl, f->name, types, f->arg_count)));
    TRY(written_types(ddl, args, f->arg_count, &told));
    return tell(ddl, before ? "UPDATED" : "CREATED", "FUNCTION", f->name, f->args, told, f->arg_count);
}

enum wr_status ddl_create_function(struct ddl *ddl)
{
    const struct ast_create_function *ast = &ddl->ast->create_function;
    struct slice name = ast->name.name, *types;
    const struct aggregate *aggregate;
    const struct function *before;
    struct ast_type *args;
    struct function f;
    uint32_t bound;

    TRY(ddl_parameter_types(ddl->ctx, ast, &args));
    TRY(bind_as_namesake(ddl, name, args, &bound));
    TRY(ddl_require_user_keyspace(ddl));
    if (ast->or_replace && ast->if_not_exists)
        return fail(ddl->ctx, WR_INVALID, "Cannot use both 'OR REPLACE' and 'IF NOT EXISTS' directives");
    bool native = slice_eq_str(ast->language, SYSTEM_HOST_LANGUAGE);
    if (!native && !slice_eq_str(ast->language, "java"))
        return fail(ddl->ctx, WR_INVALID,
                    "Currently only Java UDFs are available in Cassandra. For more information - CASSANDRA-18252 and CASSANDRA-17281");
    TRY(check_name(ddl, "Function", name));
    if (native)
        return create_native(ddl, args);
    TRY(check_argument_names(ddl, ast->args));
    TRY(check_not_frozen(ddl, args, bound));
    if (is_frozen(ast->returns))
        return fail_frozen(ddl, "Return type", ast->returns, SLICE_NULL);
    TRY(require_keyspace(ddl));
    TRY(draft_function(ddl, args, &f));
    TRY(type_texts(ddl->ctx, f.args, f.arg_count, &types));
    TRY(aggregate_find(ddl->ctx, ddl->keyspace, name, types, f.arg_count, &aggregate));
    TRY(function_find(ddl->ctx, ddl->keyspace, name, types, f.arg_count, &before));
    if (aggregate)
        return fail(ddl->ctx, WR_INVALID, "Function '%.*s' cannot replace an aggregate", SLICE_ARG(name));
    if (before && ast->if_not_exists)
        return WR_OK;
    if (before && !ast->or_replace)
        return fail(ddl->ctx, WR_INVALID, "Function '%.*s' already exists", SLICE_ARG(name));
    if (before)
        TRY(check_replaced_function(ddl, &f, before));
    return store_function(ddl, &f, before, types, args);
}

/* ---- DROP FUNCTION ---- */

/* `k.a, k.b`: aggregates that are made of it. */
static enum wr_status aggregates_using(struct ddl *ddl, const struct function *f, const struct slice *types, struct slice *out)
{
    const struct keyspace *k = ddl->keyspace;
    struct buf buf;

    buf_init(&buf, ddl->ctx->arena);
    for (uint32_t i = 0; i < k->aggregate_count; i++) {
        const struct aggregate *a = &k->aggregates[i];
        struct slice *args, *state;
        TRY(type_texts(ddl->ctx, a->args, a->arg_count, &args));
        TRY(type_texts(ddl->ctx, &a->state, 1, &state));
        bool of_state = f->arg_count > 0 && slice_eq(types[0], *state);
        bool steps = slice_eq(a->state_function, f->name) && f->arg_count == a->arg_count + 1 &&
                     same_texts(types + 1, args, a->arg_count);
        bool ends = slice_eq(a->final_function, f->name) && f->arg_count == 1;
        if (of_state && (steps || ends))
            buf_printf(&buf, "%s%.*s.%.*s", buf.len ? ", " : "", SLICE_ARG(k->name), SLICE_ARG(a->name));
    }
    return buf_done(ddl->ctx, &buf, out);
}

static bool is_masked_by(const struct table *t, struct slice keyspace, struct slice function)
{
    for (uint32_t i = 0; i < t->column_count; i++) {
        const struct column_mask *mask = t->columns[i].mask;
        if (mask && slice_eq(mask->keyspace, keyspace) && slice_eq(mask->name, function))
            return true;
    }
    return false;
}

/* `t, u`: tables with a column that a function of its name masks, whatever it takes (TableMetadata.dependsOn). */
static enum wr_status tables_masked_by(struct ddl *ddl, const struct function *f, struct slice *out)
{
    const struct table **tables;
    struct buf buf;

    TRY(ddl_tables_in_order(ddl, &tables));
    buf_init(&buf, ddl->ctx->arena);
    for (uint32_t t = 0; t < ddl->keyspace->table_count; t++)
        if (!table_is_view(tables[t]) && is_masked_by(tables[t], ddl->keyspace_name, f->name))
            buf_printf(&buf, "%s%.*s", buf.len ? ", " : "", SLICE_ARG(tables[t]->name));
    return buf_done(ddl->ctx, &buf, out);
}

/* Not where the host has one of the same types, which the aggregates and masks are made of all the same. */
static enum wr_status check_unused(struct ddl *ddl, const struct function *f, const struct slice *types, const char *text)
{
    struct slice users;
    if (is_behind_host(ddl, f->name, types, f->arg_count))
        return WR_OK;
    TRY(aggregates_using(ddl, f, types, &users));
    if (users.len)
        return fail(ddl->ctx, WR_INVALID, "Function '%s' is still referenced by aggregates %.*s", text, SLICE_ARG(users));
    TRY(tables_masked_by(ddl, f, &users));
    if (users.len)
        return fail(ddl->ctx, WR_INVALID, "Function '%s' is still referenced by column masks in tables %.*s", text, SLICE_ARG(users));
    return WR_OK;
}

static bool has_host(const struct ddl *ddl, struct slice name, const struct dropped *d, bool any)
{
    struct host_walk walk = host_walk(ddl->exec->db, ddl->keyspace_name, name);
    if (!ddl->keyspace)
        return false;
    return any ? host_next(&walk) != NULL : is_behind_host(ddl, name, d->types, d->count);
}

enum wr_status ddl_drop_function(struct ddl *ddl)
{
    const struct ast_drop *ast = &ddl->ast->drop;
    struct slice name = ast->name.name, *types;
    const struct function *f = NULL;
    struct dropped d;

    TRY(ddl_require_user_keyspace(ddl));
    TRY(read_dropped(ddl, "FUNCTION", &d));
    if (ast->has_args)
        TRY(function_find(ddl->ctx, ddl->keyspace, name, d.types, d.count, &f));
    for (uint32_t i = 0; !ast->has_args && ddl->keyspace && i < ddl->keyspace->function_count; i++)
        if (slice_eq(ddl->keyspace->functions[i].name, name))
            f = &ddl->keyspace->functions[i];
    if (!f && has_host(ddl, name, &d, !ast->has_args))
        return fail(ddl->ctx, WR_INVALID,
                    "Function '%s' is registered by the host program, which alone can take it back", d.text);
    if (!f && ast->if_exists)
        return WR_OK;
    if (!f)
        return fail(ddl->ctx, WR_INVALID, "Function '%s' doesn't exist", d.text);
    TRY(type_texts(ddl->ctx, f->args, f->arg_count, &types));
    TRY(check_unused(ddl, f, types, d.text));
    ddl_edit(ddl, SLICE_NULL);
    TRY(catalog_remove_function(&ddl->edit, f, is_behind_host(ddl, f->name, types, f->arg_count)));
    return tell(ddl, "DROPPED", "FUNCTION", f->name, f->args, types, f->arg_count);
}

/* ---- aggregates ---- */

struct draft {
    struct aggregate aggregate;
    struct slice *types; /* texts of the arguments */
    const struct user_function *state;
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

/* Of an aggregate's functions: nobody's aggregate, and there. */
static enum wr_status find_part(struct ddl *ddl, const char *what, struct slice name, struct slice shown, const struct slice *types,
                                uint32_t count, const struct user_function **out)
{
    const struct aggregate *aggregate;
    TRY(functions_find(ddl->ctx, ddl->exec->db, ddl->schema, ddl->keyspace_name, name, types, count, out));
    if (*out && (*out)->args)
        return WR_OK;
    TRY(aggregate_find(ddl->ctx, ddl->keyspace, name, types, count, &aggregate));
    return fail(ddl->ctx, WR_INVALID, aggregate ? "%s function %.*s isn't a scalar function" : "%s function %.*s doesn't exist", what,
                SLICE_ARG(shown));
}

static enum wr_status find_parts(struct ddl *ddl, struct draft *d)
{
    struct aggregate *a = &d->aggregate;
    const struct type **types = NEW_ARRAY(ddl->ctx, const struct type *, (size_t)a->arg_count + 1);
    const struct user_function *final;
    struct slice *texts, shown;

    if (!types)
        return WR_NOMEM;
    types[0] = a->state;
    for (uint32_t i = 0; i < a->arg_count; i++)
        types[i + 1] = a->args[i];
    TRY(type_texts(ddl->ctx, types, a->arg_count + 1, &texts));
    d->types = texts + 1;
    TRY(part_text(ddl, a->state_function, ddl->ast->create_aggregate.args, &shown));
    TRY(find_part(ddl, "State", a->state_function, shown, texts, a->arg_count + 1, &d->state));
    if (!type_eq(d->state->result, a->state))
        return fail(
            ddl->ctx, WR_INVALID,
            "State function %.*s return type must be the same as the first argument type - check STYPE, argument and return types",
            SLICE_ARG(shown));
    a->result = a->state;
    if (slice_is_null(a->final_function))
        return WR_OK;
    TRY(part_text(ddl, a->final_function, NULL, &shown));
    TRY(find_part(ddl, "Final", a->final_function, shown, texts, 1, &final));
    a->result = final->result;
    return WR_OK;
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
    bool bytes = type_is_text(a->state) || a->state->kind == TYPE_BLOB;

    if (ast) {
        TRY(expr_bind_term(&bind, ast, a->state, SLICE_LIT("(dummy)"), &expr));
        TRY(expr_eval_term(ddl->exec, expr, &a->initial));
        bool null = ast->kind == EXPR_CONSTANT && ast->literal == LITERAL_NULL;
        if (!null && (slice_is_null(a->initial) || (!a->initial.len && !bytes)))
            return fail(ddl->ctx, WR_INVALID, "INITCOND must not be empty for all types except TEXT, ASCII, BLOB");
    }
    if (slice_is_null(a->initial) && !d->state->called_on_null)
        return fail(
            ddl->ctx, WR_INVALID,
            "Cannot create aggregate '%.*s' without INITCOND because state function %.*s.%.*s does not accept 'null' "
            "arguments",
            SLICE_ARG(a->name), SLICE_ARG(ddl->keyspace_name), SLICE_ARG(d->state->name));
    return WR_OK;
}

static enum wr_status check_replaced(struct ddl *ddl, const struct draft *d, const struct aggregate *before)
{
    const struct aggregate *a = &d->aggregate;
    if (type_keeps_order(a->result, before->result))
        return WR_OK;
    return fail(
        ddl->ctx, WR_INVALID,
        "Cannot replace aggregate '%.*s', the new return type %s isn't compatible with the return type %s of existing "
        "function",
        SLICE_ARG(a->name), type_name(ddl->ctx, a->result), type_name(ddl->ctx, before->result));
}

enum wr_status ddl_create_aggregate(struct ddl *ddl)
{
    const struct ast_create_aggregate *ast = &ddl->ast->create_aggregate;
    struct draft d = { .aggregate = { .name = ast->name.name,
                                      .state_function = ast->state_function.name,
                                      .final_function = ast->final_function.name,
                                      .initial = SLICE_NULL } };
    struct aggregate *a = &d.aggregate;
    struct slice old, made, *told;
    const struct aggregate *before;
    const struct user_function *function;
    uint32_t bound;

    /* what the server's authorizer asks for first */
    if (!ddl->keyspace)
        return fail(ddl->ctx, WR_CONFIG, "Keyspace %.*s doesn't exist", SLICE_ARG(ddl->keyspace_name));
    TRY(bind_as_namesake(ddl, a->name, ast->args, &bound));
    TRY(ddl_bind_type(ddl, ast->state_type, &a->state));
    TRY(bind_types(ddl, ast->args, &a->args, &a->arg_count));
    TRY(ddl_require_user_keyspace(ddl));
    TRY(check_name(ddl, "Aggregate", a->name));
    if (ast->or_replace && ast->if_not_exists)
        return fail(ddl->ctx, WR_INVALID, "Cannot use both 'OR REPLACE' and 'IF NOT EXISTS' directives");
    TRY(check_not_frozen(ddl, ast->args, ALL_BOUND));
    if (is_frozen(ast->state_type))
        return fail_frozen(ddl, "State type", ast->state_type, ddl->keyspace_name);
    TRY(find_parts(ddl, &d));
    TRY(bind_initial(ddl, &d));

    TRY(aggregate_find(ddl->ctx, ddl->keyspace, a->name, d.types, a->arg_count, &before));
    TRY(functions_find(ddl->ctx, ddl->exec->db, ddl->schema, ddl->keyspace_name, a->name, d.types, a->arg_count, &function));
    if (!before && function)
        return fail(ddl->ctx, WR_INVALID, "Aggregate '%.*s' cannot replace a function", SLICE_ARG(a->name));
    if (before && ast->if_not_exists)
        return WR_OK;
    if (before && !ast->or_replace)
        return fail(ddl->ctx, WR_INVALID, "Aggregate '%.*s' already exists", SLICE_ARG(a->name));
    if (before) {
        TRY(check_replaced(ddl, &d, before));
        TRY(aggregate_encode(ddl->ctx, before, &old));
        TRY(aggregate_encode(ddl->ctx, a, &made));
        if (slice_eq(old, made))
            return WR_OK;
    }
    ddl_edit(ddl, SLICE_NULL);
    TRY(catalog_store_aggregate(&ddl->edit, a));
    TRY(written_types(ddl, ast->args, a->arg_count, &told));
    return tell(ddl, before ? "UPDATED" : "CREATED", "AGGREGATE", a->name, a->args, told, a->arg_count);
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
    return tell(ddl, "DROPPED", "AGGREGATE", a->name, a->args, types, a->arg_count);
}
