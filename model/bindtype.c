/*
 * bindtype.c - types as written in a statement to struct type, with the rules on what may lie in what (CQL3Type.Raw).
 */
#include "model/expr.h"
#include "model/parse.h"

/* frozen: it stands in something frozen, and has become so too. */
static enum wr_status fail_with(struct bind *bind, const char *message, const struct ast_type *ast, bool frozen)
{
    struct ast_type alone = *ast, shown = { .kind = AST_TYPE_FROZEN, .args = &alone };
    struct buf buf;

    alone.next = NULL;
    buf_init(&buf, bind->ctx->arena);
    cql_put_type(&buf, frozen ? &shown : ast, SLICE_NULL);
    return fail(bind->ctx, WR_INVALID, "%s: %.*s", message, SLICE_ARG(buf_slice(&buf)));
}

static bool is_native(const struct ast_type *ast, enum type_kind kind)
{
    return ast->kind == AST_TYPE_NATIVE && type_by_name(ast->name.name)->kind == kind;
}

static bool is_collection(const struct ast_type *ast)
{
    return ast->kind == AST_TYPE_LIST || ast->kind == AST_TYPE_SET || ast->kind == AST_TYPE_MAP;
}

static bool is_udt(const struct ast_type *ast)
{
    return ast->kind == AST_TYPE_USER;
}

bool ast_type_has_users(const struct ast_type *ast)
{
    bool has = is_udt(ast);
    for (const struct ast_type *arg = ast->args; arg && !has; arg = arg->next)
        has = ast_type_has_users(arg);
    return has;
}

bool ast_type_lacks_keyspace(const struct ast_type *ast)
{
    bool lacks = is_udt(ast) && slice_is_null(ast->name.keyspace);
    for (const struct ast_type *arg = ast->args; arg && !lacks; arg = arg->next)
        lacks = ast_type_lacks_keyspace(arg);
    return lacks;
}

enum wr_status fail_foreign_type(struct ctx *ctx, struct slice keyspace, struct slice given)
{
    return fail(ctx, WR_INVALID,
                "Statement on keyspace %.*s cannot refer to a user type in keyspace %.*s; user types can only be used in the "
                "keyspace they are defined in",
                SLICE_ARG(keyspace), SLICE_ARG(given));
}

static enum wr_status make(struct bind *bind, struct slice keyspace, const struct ast_type *ast, bool frozen,
                           unsigned depth, const struct type **out);

static enum wr_status find_udt(struct bind *bind, struct slice keyspace, const struct ast_type *ast, bool frozen,
                               const struct type **out)
{
    struct slice given = ast->name.keyspace;

    if (slice_is_null(keyspace))
        keyspace = given;
    if (!slice_is_null(given) && !slice_eq(given, keyspace))
        return fail_foreign_type(bind->ctx, keyspace, given);
    *out = (frozen ? schema_type : schema_declared_type)(bind->schema, keyspace, ast->name.name);
    if (!*out)
        return fail(bind->ctx, WR_INVALID, "Unknown type %.*s.%.*s", SLICE_ARG(keyspace), SLICE_ARG(ast->name.name));
    return WR_OK;
}

/* What may not lie inside a collection, in the order in which Cassandra looks. */
static enum wr_status check_collection(struct bind *bind, const struct ast_type *ast, bool frozen)
{
    const struct ast_type *key = ast->kind == AST_TYPE_MAP ? ast->args : NULL;
    const struct ast_type *value = key ? key->next : ast->args;

    if (!frozen && is_collection(value))
        return fail_with(bind, "Non-frozen collections are not allowed inside collections", ast, frozen);
    if (!frozen && is_udt(value))
        return fail_with(bind, "Non-frozen UDTs are not allowed inside collections", ast, frozen);
    if (is_native(value, TYPE_COUNTER) || (key && is_native(key, TYPE_COUNTER)))
        return fail_with(bind, "Counters are not allowed inside collections", ast, frozen);
    if (ast->kind == AST_TYPE_SET && is_native(value, TYPE_DURATION))
        return fail_with(bind, "Durations are not allowed inside sets", ast, frozen);
    if (key && is_native(key, TYPE_DURATION))
        return fail_with(bind, "Durations are not allowed as map keys", ast, frozen);
    if (key && !frozen && is_collection(key))
        return fail_with(bind, "Non-frozen collections are not allowed inside collections", ast, frozen);
    if (key && !frozen && is_udt(key))
        return fail_with(bind, "Non-frozen UDTs are not allowed inside collections", ast, frozen);
    return WR_OK;
}

static enum wr_status make_collection(struct bind *bind, struct slice keyspace, const struct ast_type *ast, bool frozen,
                                      unsigned depth, const struct type **out)
{
    static const enum type_kind kinds[] = {
        [AST_TYPE_LIST] = TYPE_LIST,
        [AST_TYPE_SET] = TYPE_SET,
        [AST_TYPE_MAP] = TYPE_MAP,
    };
    const struct type *args[2];
    uint32_t n = ast->kind == AST_TYPE_MAP ? 2 : 1;

    TRY(check_collection(bind, ast, frozen));
    if (n == 2) /* a map's values before its keys: of two that are wrong, theirs is told */
        TRY(make(bind, keyspace, ast->args->next, frozen, depth + 1, &args[1]));
    TRY(make(bind, keyspace, ast->args, frozen, depth + 1, &args[0]));
    return (*out = type_make(bind->ctx, kinds[ast->kind], args, n, !frozen, 0)) ? WR_OK : WR_NOMEM;
}

static enum wr_status make_tuple(struct bind *bind, struct slice keyspace, const struct ast_type *ast, unsigned depth,
                                 const struct type **out)
{
    const struct type **args;
    uint32_t n = 0;

    for (const struct ast_type *arg = ast->args; arg; arg = arg->next)
        n++;
    if (!(args = NEW_ARRAY(bind->ctx, const struct type *, n)))
        return WR_NOMEM;
    n = 0;
    for (const struct ast_type *arg = ast->args; arg; arg = arg->next) {
        if (is_native(arg, TYPE_COUNTER))
            return fail(bind->ctx, WR_INVALID, "Counters are not allowed inside tuples");
        TRY(make(bind, keyspace, arg, true, depth + 1, &args[n++]));
    }
    return (*out = type_make(bind->ctx, TYPE_TUPLE, args, n, false, 0)) ? WR_OK : WR_NOMEM;
}

/* What it holds stays as it is written, in whatever is frozen (CQL3Type.Raw.RawVector). */
static enum wr_status make_vector(struct bind *bind, struct slice keyspace, const struct ast_type *ast, unsigned depth,
                                  const struct type **out)
{
    const struct type *element;

    TRY(make(bind, keyspace, ast->args, false, depth + 1, &element));
    if (ast->dimension <= 0 || ast->dimension > INT32_MAX)
        return fail(bind->ctx, WR_INVALID, "vectors may only have positive dimensions; given %lld",
                    (long long)ast->dimension);
    *out = type_make(bind->ctx, TYPE_VECTOR, &element, 1, false, (uint32_t)ast->dimension);
    return *out ? WR_OK : WR_NOMEM;
}

/* A class may define a user type of its own in the middle of it; here there are none but those of CREATE TYPE. */
static enum wr_status check_declared(struct bind *bind, struct slice keyspace, const struct type *type)
{
    if (type->kind == TYPE_UDT &&
        !(slice_eq(type->keyspace, keyspace) && schema_declared_type(bind->schema, keyspace, type->name)))
        return fail(bind->ctx, WR_INVALID, "Unknown type %.*s.%.*s", SLICE_ARG(type->keyspace), SLICE_ARG(type->name));
    for (uint32_t i = 0; i < type->arg_count; i++)
        TRY(check_declared(bind, keyspace, type->args[i]));
    return WR_OK;
}

static enum wr_status make(struct bind *bind, struct slice keyspace, const struct ast_type *ast, bool frozen,
                           unsigned depth, const struct type **out)
{
    if (depth >= TYPE_DEPTH_MAX)
        return fail(bind->ctx, WR_INVALID, "Types may not be nested more than %d levels deep", TYPE_DEPTH_MAX);
    switch (ast->kind) {
    case AST_TYPE_USER: return find_udt(bind, keyspace, ast, frozen, out);
    case AST_TYPE_NATIVE:
        *out = type_by_name(ast->name.name);
        return WR_OK;
    case AST_TYPE_LIST:
    case AST_TYPE_SET:
    case AST_TYPE_MAP:
        return make_collection(bind, keyspace, ast, frozen, depth, out);
    case AST_TYPE_TUPLE:
        return make_tuple(bind, keyspace, ast, depth, out);
    case AST_TYPE_VECTOR:
        return make_vector(bind, keyspace, ast, depth, out);
    case AST_TYPE_FROZEN: /* the parser has refused what cannot be (CQL3Type.Raw.freeze) */
        return make(bind, keyspace, ast->args, true, depth, out);
    case AST_TYPE_CLASS:
        TRY(type_parse_class(bind->ctx, ast->name.name, out));
        return slice_is_null(keyspace) ? WR_OK : check_declared(bind, keyspace, *out);
    }
    return fail_corrupt(bind->ctx, "bind_type");
}

enum wr_status bind_type(struct bind *bind, struct slice keyspace, const struct ast_type *ast, const struct type **out)
{
    return make(bind, keyspace, ast, false, 0, out);
}
