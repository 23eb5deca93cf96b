/*
 * expr_mask.c - column masks (MASKED WITH): the function of a mask found, and called with the column's value before the
 * arguments that the schema keeps. A select list that has to mask reads a masked column as that call, wherever it names
 * the column.
 */
#include "model/expr_node.h"
#include "model/parse.h"

/* ---- the function ---- */

/* An argument that is known by its type alone, a ReversedType where it is a descending column's: FunctionResolver takes types, too. */
static enum wr_status typed_node(struct bind *bind, const struct type *type, bool descending, struct node **out)
{
    struct column *column = NEW(bind->ctx, struct column);
    struct ast_expr *ast = NEW(bind->ctx, struct ast_expr);
    struct node *node = NEW(bind->ctx, struct node);
    struct buf text;

    if (!column || !ast || !node)
        return WR_NOMEM;
    column->type = type;
    column->descending = descending;
    ast->kind = EXPR_COLUMN;
    buf_init(&text, bind->ctx->arena);
    if (descending && !(type = type_reversed(bind->ctx, type)))
        return WR_NOMEM;
    type_print_class(&text, type); /* how AbstractType prints in a message */
    TRY(buf_done(bind->ctx, &text, &ast->text));
    node->ast = ast;
    node->column = column;
    *out = node;
    return WR_OK;
}

static enum wr_status mask_func(struct bind *bind, const struct column *column, const struct func **out)
{
    const struct column_mask *mask = column->mask;
    struct node **args = NEW_ARRAY(bind->ctx, struct node *, (size_t)mask->arg_count + 1);

    if (!args)
        return WR_NOMEM;
    TRY(typed_node(bind, column->type, false, &args[0]));
    for (uint32_t i = 0; i < mask->arg_count; i++)
        TRY(typed_node(bind, mask->types[i], false, &args[i + 1]));
    TRY(func_resolve(bind, &(struct named_call){ mask->keyspace, mask->name, args, mask->arg_count + 1 }, column->type, false, out));
    if (*out)
        return WR_OK;
    return fail(bind->ctx, WR_INVALID, "Unable to find masking function %.*s.%.*s of column %.*s: it is not registered",
                SLICE_ARG(mask->keyspace), SLICE_ARG(mask->name), SLICE_ARG(column->name));
}

/* ---- calling it ---- */

enum wr_status expr_masked(struct bind *bind, const struct expr *column, const struct expr **out)
{
    const struct column_mask *mask = column->column->mask;
    const struct func *func;
    struct expr *call, *value;

    TRY(mask_func(bind, column->column, &func));
    TRY(expr_new(bind, EVAL_CALL, column->type, column->node, mask->arg_count + 1, &call));
    call->func = func;
    call->args[0] = column;
    bind->calls_others |= func_is_users(func);
    for (uint32_t i = 0; i < mask->arg_count; i++) {
        TRY(expr_new(bind, EVAL_VALUE, mask->types[i], column->node, 0, &value));
        value->value = mask->values[i];
        value->constant = true;
        call->args[i + 1] = value;
    }
    *out = call; /* as it is: its name is the column's, and nothing of it is to be folded */
    return WR_OK;
}

/* ---- MASKED WITH ---- */

/* As it was written: nosuch(1, 'a'). */
static const char *mask_text(struct ctx *ctx, struct slice keyspace, struct slice name, struct node *const *args,
                             uint32_t count)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    if (!slice_is_null(keyspace))
        buf_printf(&buf, "%.*s.", SLICE_ARG(keyspace));
    buf_put_slice(&buf, name);
    buf_put_u8(&buf, '(');
    for (uint32_t i = 0; i < count; i++) {
        buf_put_str(&buf, i ? ", " : "");
        node_put(&buf, args[i]);
    }
    buf_put_u8(&buf, ')');
    return buf_string(ctx, &buf);
}

/* ColumnMask.Raw.findMaskingFunction */
static enum wr_status check_func(struct bind *bind, const struct func *func, const char *text,
                                 const struct table *table, const struct column *column)
{
    struct ctx *ctx = bind->ctx;
    if (!func)
        return fail(ctx, WR_INVALID,
                    "Unable to find masking function for %.*s, no declared function matches the signature %s",
                    SLICE_ARG(column->name), text);
    if (func->aggregate)
        return fail(ctx, WR_INVALID, "Aggregate function %s cannot be used for masking table columns", text);
    if (!func_is_users(func) && !(func->flags & FUNC_MASKING))
        return fail(ctx, WR_INVALID, "Not-masking function %s cannot be used for masking table columns", text);
    if (func_is_users(func) && !slice_eq(func->keyspace, table->keyspace))
        return fail(ctx, WR_INVALID, "Masking function %s doesn't belong to the same keyspace as the table %.*s.%.*s",
                    text, SLICE_ARG(table->keyspace), SLICE_ARG(table->name));
    if (!type_eq(func->result, column->type))
        return fail(
            ctx, WR_INVALID,
            "Masking function %s return type is %s. This is different to the type of the masked column %.*s of type "
            "%s. Masking functions can only be attached to table columns if they return the same data type as the "
            "masked column.",
            text, type_name(ctx, func->result), SLICE_ARG(column->name), type_name(ctx, column->type));
    return WR_OK;
}

static enum wr_status keep_arguments(struct bind *bind, struct exec *exec, const struct func *func, struct node **args,
                                     struct column_mask *mask)
{
    const struct type **types = NEW_ARRAY(bind->ctx, const struct type *, mask->arg_count);
    struct slice *values = NEW_ARRAY(bind->ctx, struct slice, mask->arg_count);

    if (!types || !values)
        return WR_NOMEM;
    for (uint32_t i = 0; i < mask->arg_count; i++) {
        const struct expr *expr;
        types[i] = func->args[i + 1];
        TRY(node_bind(bind, args[i], (struct receiver){ SLICE_LIT("(dummy)"), types[i] }, &expr));
        TRY(expr_eval_term(exec, expr, &values[i]));
    }
    mask->types = types;
    mask->values = values;
    return WR_OK;
}

/* token() asks its table for its key, and one that is being made cannot be asked (FunctionResolver.get). */
static enum wr_status check_token(struct bind *bind, const struct ast_mask *ast, const struct table *table)
{
    struct slice keyspace = ast->function.keyspace;

    if (bind->table || !slice_eq_str(ast->function.name, "token") || !(slice_is_null(keyspace) || slice_eq_str(keyspace, "system")))
        return WR_OK;
    return fail(bind->ctx, WR_INVALID, "The receiver table %.*s.%.*s specified by call to function system.token hasn't been found",
                SLICE_ARG(table->keyspace), SLICE_ARG(table->name));
}

enum wr_status expr_bind_mask(struct bind *bind, struct exec *exec, const struct ast_mask *ast,
                              const struct table *table, const struct column *column, const struct column_mask **out)
{
    struct column_mask *mask = NEW(bind->ctx, struct column_mask);
    struct slice name = ast->is_default ? SLICE_LIT("mask_default") : ast->function.name;
    struct slice keyspace = ast->is_default ? SLICE_LIT("system") : ast->function.keyspace;
    const struct func *func;
    struct node **args;
    uint32_t count = 1;

    for (const struct ast_expr *a = ast->args; a; a = a->next)
        count++;
    if (!mask || !(args = NEW_ARRAY(bind->ctx, struct node *, count)))
        return WR_NOMEM;
    TRY(typed_node(bind, column->type, column->descending, &args[0])); /* which CREATE TABLE does not know yet, here or there */
    count = 1;
    for (const struct ast_expr *a = ast->args; a; a = a->next)
        TRY(node_make(bind, a, false, &args[count++]));
    TRY(check_token(bind, ast, table));
    TRY(func_resolve(bind, &(struct named_call){ keyspace, name, args, count }, column->type, false, &func));
    TRY(check_func(bind, func, mask_text(bind->ctx, keyspace, name, args + 1, count - 1), table, column));
    mask->keyspace = func_is_users(func) ? func->keyspace : SLICE_LIT("system");
    mask->name = slice_str(func->name);
    mask->arg_count = count - 1;
    *out = mask;
    return keep_arguments(bind, exec, func, args + 1, mask);
}
