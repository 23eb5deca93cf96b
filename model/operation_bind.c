#include "model/func.h"
#include "model/operation.h"
#include "model/parse.h"

static struct operation operation_on(enum operation_kind kind, const struct column *column)
{
    return (struct operation){ .kind = kind, .column = column, .lossy = column->type->multicell && type_keys_are_lossy(column->type) };
}

/* ---- messages ---- */

/* The operation as Operation.RawUpdate.toString prints it: `v = v + 1`. */
static const char *assignment_text(struct ctx *ctx, const struct column *column, const struct ast_assignment *ast)
{
    struct buf text;
    struct slice done;
    buf_init(&text, ctx->arena);
    buf_put_slice(&text, column->name);
    if (ast->kind == ASSIGN_ELEMENT) {
        buf_put_str(&text, "[");
        cql_put_expr(&text, ast->element);
        buf_put_str(&text, "]");
    } else if (ast->kind == ASSIGN_FIELD) {
        buf_put_str(&text, ".");
        buf_put_slice(&text, ast->field);
    }
    buf_put_str(&text, " = ");
    if (ast->kind == ASSIGN_ADD || ast->kind == ASSIGN_SUB) {
        buf_put_slice(&text, column->name);
        buf_put_str(&text, ast->kind == ASSIGN_ADD ? " + " : " - ");
    }
    cql_put_expr(&text, ast->value);
    buf_put_u8(&text, 0);
    return buf_done(ctx, &text, &done) == WR_OK ? (const char *)done.data : "?";
}

static enum wr_status fail_operation(struct bind *bind, const struct column *column, const struct ast_assignment *ast,
                                     const char *what)
{
    return fail(bind->ctx, WR_INVALID, "Invalid operation (%s) for %s %.*s", assignment_text(bind->ctx, column, ast),
                what, SLICE_ARG(column->name));
}

/* The receiver `what(column)`, as Cassandra names the parts of collections: idx(l), value(m), key(m). */
static struct slice part_name(struct ctx *ctx, const struct column *column, const char *what)
{
    const char *name = ctx_format(ctx, "%s(%.*s)", what, SLICE_ARG(column->name));
    return name ? slice_str(name) : column->name;
}

static enum wr_status bind_field(struct bind *bind, const struct column *column, struct slice field,
                                 struct operation *op)
{
    if (!type_field(column->type, field, &op->field))
        return fail(bind->ctx, WR_INVALID, "UDT column %.*s does not have a field named %.*s", SLICE_ARG(column->name),
                    SLICE_ARG(field));
    return WR_OK;
}

/* The element of c[element]: an index, a key, or (deleting) an element of a set. */
static enum wr_status bind_element(struct bind *bind, const struct column *column, const struct ast_expr *ast,
                                   struct operation *op)
{
    static const char *const names[] = { [TYPE_LIST] = "idx", [TYPE_SET] = "value", [TYPE_MAP] = "key" };
    enum type_kind kind = column->type->kind;
    const struct type *type = kind == TYPE_LIST ? type_native(TYPE_INT) : column->type->args[0];
    return expr_bind_term(bind, ast, type, part_name(bind->ctx, column, names[kind]), &op->element);
}

/* ---- SET ---- */

enum wr_status operation_bind_set(struct bind *bind, const struct column *column, const struct ast_expr *value,
                                  struct operation *out)
{
    *out = operation_on(column->type->multicell ? OPERATION_OVERWRITE : OPERATION_SET, column);
    TRY(expr_bind_term(bind, value, column->type, column->name, &out->value));
    if (column->type->kind == TYPE_COUNTER)
        return fail(
            bind->ctx, WR_INVALID,
            "Cannot set the value of counter column %.*s (counters can only be incremented/decremented, not set)",
            SLICE_ARG(column->name));
    if (column->type->kind == TYPE_UDT && value->kind == EXPR_TUPLE)
        out->kind = OPERATION_SET_TUPLE;
    return WR_OK;
}

void operation_bind_json(const struct column *column, struct operation *out)
{
    *out = operation_on(column->type->multicell ? OPERATION_OVERWRITE : OPERATION_SET, column);
}

void operation_bind_empty(const struct column *column, struct operation *out)
{
    *out = operation_on(OPERATION_SET_EMPTY, column);
}

/* The function behind `column + value` where both are of one type. */
static enum wr_status bind_sum(struct bind *bind, const struct type *type, struct operation *op)
{
    const struct func_entry *entry = NULL;
    const struct type *args[FUNC_ARGS_MAX];
    struct slice name = slice_str(operator_function('+'));
    struct func func;

    while ((entry = func_find(name, entry)))
        for (uint32_t i = 0; func_overload(entry, name, i, args, &func); i++) {
            if (func.arg_count != 2 || !type_eq(args[0], type) || !type_eq(args[1], type))
                continue;
            struct func *kept = NEW(bind->ctx, struct func);
            const struct type **kept_args = NEW_ARRAY(bind->ctx, const struct type *, 2);
            if (!kept || !kept_args)
                return WR_NOMEM;
            kept_args[0] = kept_args[1] = type;
            *kept = func;
            kept->args = kept_args;
            op->func = kept;
            return WR_OK;
        }
    return fail(bind->ctx, WR_INVALID, "the '+' operation is not supported between %s and %s",
                type_name(bind->ctx, type), type_name(bind->ctx, type));
}

/* c + value and c - value of a column that is no collection. */
static enum wr_status bind_count(struct bind *bind, const struct column *column, const struct ast_assignment *ast,
                                 bool can_read, struct operation *out)
{
    const struct type *type = column->type;
    bool counter = type->kind == TYPE_COUNTER, adds = ast->kind == ASSIGN_ADD;

    if (adds && type_has_fields(type))
        return fail_operation(bind, column, ast, "tuple column");
    if (adds && can_read && !counter) {
        if (!type_is_numeric(type) && !type_is_text(type))
            return fail_operation(bind, column, ast, "non-numeric and non-text type");
        *out = operation_on(OPERATION_ARITHMETIC, column);
        TRY(bind_sum(bind, type, out));
    } else if (!counter) {
        return fail_operation(bind, column, ast, "non counter column");
    } else {
        *out = operation_on(adds ? OPERATION_COUNT_UP : OPERATION_COUNT_DOWN, column);
    }
    return expr_bind_term(bind, ast->value, type, column->name, &out->value);
}

/* A value that must be of a map's kind or its set of keys: any other failure says just that. */
static enum wr_status bind_map_operand(struct bind *bind, const struct column *column, const struct ast_assignment *ast,
                                       const struct type *type, const char *word, const char *must_be,
                                       struct operation *op)
{
    struct buf text;
    struct node *tried;
    enum wr_status st = expr_try_term(bind, ast->value, type, column->name, &tried, &op->value);
    if (st != WR_INVALID)
        return st;
    buf_init(&text, bind->ctx->arena);
    expr_put_tried(&text, ast->value, tried);
    return fail(bind->ctx, WR_INVALID, "Value for a map %s has to be a %s, but was: '%.*s'", word, must_be,
                SLICE_ARG(buf_slice(&text)));
}

static enum wr_status bind_add(struct bind *bind, const struct column *column, const struct ast_assignment *ast,
                               bool can_read, struct operation *out)
{
    if (!type_is_collection(column->type))
        return bind_count(bind, column, ast, can_read, out);
    if (!column->type->multicell)
        return fail_operation(bind, column, ast, "frozen collection column");
    *out = operation_on(OPERATION_APPEND, column);
    if (column->type->kind == TYPE_MAP)
        return bind_map_operand(bind, column, ast, column->type, "addition", "map", out);
    return expr_bind_term(bind, ast->value, column->type, column->name, &out->value);
}

static enum wr_status bind_subtract(struct bind *bind, const struct column *column, const struct ast_assignment *ast,
                                    bool can_read, struct operation *out)
{
    const struct type *type = column->type;
    if (!type_is_collection(type))
        return bind_count(bind, column, ast, can_read, out);
    if (!type->multicell)
        return fail_operation(bind, column, ast, "frozen collection column");
    *out = operation_on(type->kind == TYPE_LIST ? OPERATION_LIST_DISCARD : OPERATION_DISCARD, column);
    if (type->kind != TYPE_MAP)
        return expr_bind_term(bind, ast->value, type, column->name, &out->value);
    const struct type *keys = type_make(bind->ctx, TYPE_SET, type->args, 1, false, 0);
    if (!keys)
        return WR_NOMEM;
    return bind_map_operand(bind, column, ast, keys, "substraction", "set", out);
}

/* Operation.Prepend prepares its value before it looks at the column, and prints with a minus. */
static enum wr_status bind_prepend(struct bind *bind, const struct column *column, const struct ast_assignment *ast,
                                   bool can_read, struct operation *out)
{
    struct buf text;
    struct node *tried;
    bool is_list = column->type->kind == TYPE_LIST;

    (void)can_read;
    *out = operation_on(OPERATION_PREPEND, column);
    TRY(expr_try_term(bind, ast->value, column->type, column->name, &tried, &out->value));
    if (is_list && column->type->multicell)
        return WR_OK;
    buf_init(&text, bind->ctx->arena);
    expr_put_tried(&text, ast->value, tried);
    return fail(bind->ctx, WR_INVALID, "Invalid operation (%.*s = %.*s - %.*s) for %s list column %.*s", SLICE_ARG(column->name),
                SLICE_ARG(buf_slice(&text)), SLICE_ARG(column->name), is_list ? "frozen" : "non", SLICE_ARG(column->name));
}

static enum wr_status bind_set_element(struct bind *bind, const struct column *column, const struct ast_assignment *ast,
                                       bool can_read, struct operation *out)
{
    const struct type *type = column->type;
    (void)can_read;
    if (!type_is_collection(type))
        return fail_operation(bind, column, ast, "non collection column");
    if (!type->multicell)
        return fail_operation(bind, column, ast, "frozen collection column");
    if (type->kind == TYPE_SET)
        return fail_operation(bind, column, ast, "set column");
    *out = operation_on(type->kind == TYPE_LIST ? OPERATION_SET_INDEX : OPERATION_SET_KEY, column);
    TRY(bind_element(bind, column, ast->element, out));
    return expr_bind_term(bind, ast->value, type_contained(type), part_name(bind->ctx, column, "value"),
                          &out->value);
}

static enum wr_status bind_set_field(struct bind *bind, const struct column *column, const struct ast_assignment *ast,
                                     bool can_read, struct operation *out)
{
    (void)can_read;
    if (column->type->kind != TYPE_UDT)
        return fail_operation(bind, column, ast, "non-UDT column");
    if (!column->type->multicell)
        return fail_operation(bind, column, ast, "frozen UDT column");
    *out = operation_on(OPERATION_SET_FIELD, column);
    TRY(bind_field(bind, column, ast->field, out));
    const char *name = ctx_format(bind->ctx, "%.*s.%.*s", SLICE_ARG(column->name), SLICE_ARG(ast->field));
    if (!name)
        return WR_NOMEM;
    return expr_bind_term(bind, ast->value, column->type->args[out->field], slice_str(name), &out->value);
}

static enum wr_status bind_set(struct bind *bind, const struct column *column, const struct ast_assignment *ast,
                               bool can_read, struct operation *out)
{
    (void)can_read;
    return operation_bind_set(bind, column, ast->value, out);
}

enum wr_status operation_bind_assignment(struct bind *bind, const struct column *column,
                                         const struct ast_assignment *ast, bool can_read, struct operation *out)
{
    static enum wr_status (*const binders[])(struct bind *, const struct column *, const struct ast_assignment *, bool,
                                             struct operation *) = {
        [ASSIGN_SET] = bind_set,         [ASSIGN_ADD] = bind_add,
        [ASSIGN_PREPEND] = bind_prepend, [ASSIGN_SUB] = bind_subtract,
        [ASSIGN_ELEMENT] = bind_set_element, [ASSIGN_FIELD] = bind_set_field,
    };
    return binders[ast->kind](bind, column, ast, can_read, out);
}

/* ---- DELETE ---- */

static enum wr_status bind_delete_field(struct bind *bind, const struct column *column, const struct ast_deletion *ast,
                                        struct operation *out)
{
    if (column->type->kind != TYPE_UDT)
        return fail(bind->ctx, WR_INVALID, "Invalid field deletion operation for non-UDT column %.*s",
                    SLICE_ARG(column->name));
    if (!column->type->multicell)
        return fail(bind->ctx, WR_INVALID, "Frozen UDT column %.*s does not support field deletions",
                    SLICE_ARG(column->name));
    *out = operation_on(OPERATION_DELETE_FIELD, column);
    return bind_field(bind, column, ast->field, out);
}

static enum wr_status bind_delete_element(struct bind *bind, const struct column *column,
                                          const struct ast_deletion *ast, struct operation *out)
{
    static const enum operation_kind kinds[] = {
        [TYPE_LIST] = OPERATION_DELETE_INDEX, [TYPE_SET] = OPERATION_DELETE_ELEMENT, [TYPE_MAP] = OPERATION_DELETE_KEY,
    };
    if (!type_is_collection(column->type) || !column->type->multicell)
        return fail(bind->ctx, WR_INVALID, "Invalid deletion operation for %s collection column %.*s",
                    type_is_collection(column->type) ? "frozen" : "non", SLICE_ARG(column->name));
    *out = operation_on(kinds[column->type->kind], column);
    return bind_element(bind, column, ast->element, out);
}

enum wr_status operation_bind_deletion(struct bind *bind, const struct column *column, const struct ast_deletion *ast,
                                       struct operation *out)
{
    if (ast->element)
        return bind_delete_element(bind, column, ast, out);
    if (!slice_is_null(ast->field))
        return bind_delete_field(bind, column, ast, out);
    *out = operation_on(column->type->multicell ? OPERATION_DELETE_COMPLEX : OPERATION_DELETE, column);
    return WR_OK;
}
