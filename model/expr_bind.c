/*
 * expr_bind.c - nodes to bound expressions: Term.Raw.prepare for terms, Selectable.newSelectorFactory for select lists.
 */
#include "model/func_user.h"
#include "model/expr_node.h"
#include "model/parse.h"
#include "model/unicode.h"

/* ---- making an expr ---- */

enum wr_status expr_new(struct bind *bind, enum expr_op op, const struct type *type, struct node *node,
                        uint32_t arg_count, struct expr **out)
{
    struct expr *expr = NEW_ROOM(bind->ctx, struct expr, 1);

    if (!expr)
        return WR_NOMEM;
    *expr = (struct expr){ .op = op, .type = type, .node = node, .arg_count = arg_count };
    if (op == EVAL_PACK)
        expr->packed = type;
    if (arg_count && !(expr->args = NEW_ARRAY(bind->ctx, const struct expr *, arg_count)))
        return WR_NOMEM;
    *out = expr;
    return WR_OK;
}

/* A failure is kept for the run, as Cassandra does, where the statement's own words are not to blame. */
static enum wr_status fold(struct bind *bind, struct expr *expr)
{
    struct exec exec = { .ctx = bind->ctx, .db = bind->db, .schema = bind->schema };
    struct eval eval = { .exec = &exec };
    struct slice value;
    enum wr_status st = expr->node->selecting ? expr_eval(&eval, expr, &value) : expr_eval_term(&exec, expr, &value);

    if (st == WR_NOMEM || (st != WR_OK && expr->terminal))
        return st;
    if (st != WR_OK) {
        bind->ctx->error[0] = 0;
        bind->ctx->failed = WR_OK;
        bind->ctx->failure = NULL;
        return WR_OK;
    }
    expr->op = EVAL_VALUE;
    expr->arg_count = 0;
    expr->value = value;
    return WR_OK;
}

enum wr_status expr_finish(struct bind *bind, struct expr *expr, const struct expr **out)
{
    expr->constant = expr->op != EVAL_AGGREGATE && expr->op != EVAL_CELLS &&
                     (expr->op != EVAL_CALL || !(expr->func->flags & FUNC_IMPURE));
    expr->terminal = expr->op == EVAL_PACK && !expr->node->selecting;
    expr->has_aggregate = expr->op == EVAL_AGGREGATE;
    expr->rowless = expr->op == EVAL_CALL && expr->constant;
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        const struct expr *arg = expr->args[i];
        if (!arg)
            continue;
        expr->constant &= arg->constant;
        expr->terminal &= arg->terminal;
        expr->has_marker |= arg->has_marker;
        expr->has_aggregate |= arg->has_aggregate;
        expr->rowless &= arg->rowless || arg->op == EVAL_VALUE || arg->op == EVAL_MARKER;
        expr->to_check |= arg->to_check;
    }
    *out = expr;
    if (expr->op == EVAL_CALL && func_is_users(expr->func)) /* called for rows alone */
        expr->rowless = false;
    if (expr->constant)
        TRY(fold(bind, expr));
    bool is_checked_call = expr->op == EVAL_CALL && (expr->rowless || (expr->func->flags & FUNC_MASKING));
    expr->to_check |= is_checked_call || expr->op == EVAL_ELEMENT || expr->op == EVAL_SLICE;
    return WR_OK;
}

/* ---- the smallest parts ---- */

enum wr_status fail_no_type(struct bind *bind, struct node *node)
{
    return fail(bind->ctx, WR_INVALID,
                "Cannot infer type for term %s in selection clause (try using a cast to force a type)",
                node_text(bind->ctx, node));
}

static const struct slice selection_name = { (const uint8_t *)"[selection]", 11 };

static enum wr_status bind_constant(struct bind *bind, struct node *node, struct receiver receiver,
                                    const struct expr **out)
{
    const struct ast_expr *ast = node->ast;
    struct expr *expr;

    if (!receiver.type)
        return fail_no_type(bind, node);
    TRY(expr_new(bind, EVAL_VALUE, receiver.type, node, 0, &expr));
    if (ast->literal == LITERAL_NULL) {
        if (receiver.type->kind == TYPE_COUNTER)
            return fail(bind->ctx, WR_INVALID, "Invalid null value for counter increment/decrement");
        expr->value = SLICE_NULL;
    } else {
        TRY(literal_parse(bind->ctx, ast->literal, ast->text, receiver.type,
                          node->selecting ? selection_name : receiver.name, &expr->value));
        /* any bytes are a tinyint, of which ByteSerializer reads the first; Cassandra takes them for a tuple too, and then cannot read them */
        if (ast->literal == LITERAL_HEX && receiver.type->kind != TYPE_TINYINT && receiver.type->kind != TYPE_CUSTOM &&
            receiver.type->kind != TYPE_COMPOSITE)
            TRY(type_validate(bind->ctx, receiver.type, expr->value));
    }
    expr->constant = expr->terminal = true;
    *out = expr;
    return WR_OK;
}

static enum wr_status bind_marker(struct bind *bind, struct node *node, struct receiver receiver,
                                  const struct expr **out)
{
    const struct ast_expr *ast = node->ast;
    struct expr *expr;

    if (!receiver.type)
        return fail_no_type(bind, node);
    if (ast->marker >= bind->marker_count)
        return fail(bind->ctx, WR_INVALID, "Bind variables are not allowed here");
    struct slice name = !slice_is_null(ast->text) ? ast->text : node->selecting ? selection_name : receiver.name;
    bind->markers[ast->marker] = (struct column_spec){
        .keyspace = bind->table ? bind->table->keyspace : SLICE_EMPTY,
        .table = bind->table ? bind->table->name : SLICE_EMPTY,
        .name = name,
        .type = receiver.type,
    };
    TRY(expr_new(bind, EVAL_MARKER, receiver.type, node, 0, &expr));
    expr->as_sent = bind->reversed == receiver.type || !type_can_be_frozen(receiver.type);
    expr->marker = ast->marker;
    expr->has_marker = expr->to_check = true;
    *out = expr;
    return WR_OK;
}

static enum wr_status bind_column(struct bind *bind, struct node *node, const struct expr **out)
{
    struct expr *expr;

    if (!node->column) /* a key of {k: v} that was taken for a field */
        return node_find_column(bind, node->ast->text, &node->column);
    TRY(expr_new(bind, EVAL_COLUMN, node->column->type, node, 0, &expr));
    expr->column = node->column;
    if (!bind->first_selected)
        bind->first_selected = node->column;
    *out = expr;
    return bind->masks && node->selecting && node->column->mask ? expr_masked(bind, expr, out) : WR_OK;
}

/* ---- functions ---- */

static bool is_behind(struct call_place a, struct call_place b)
{
    return a.part != b.part ? a.part > b.part : a.column > b.column;
}

/* So that a run can ask whether its role may call it. */
static enum wr_status note_call(struct bind *bind, const struct func *func)
{
    struct called *called, **at = &bind->called;

    if (!func_is_users(func) && !func->made)
        return WR_OK;
    bind->calls_others = true;
    if (!(called = NEW(bind->ctx, struct called)))
        return WR_NOMEM;
    while (*at && !is_behind((*at)->place, bind->calling))
        at = &(*at)->next;
    *called = (struct called){ func, bind->calling, *at };
    *at = called;
    return func->made ? func_user_parts(bind, func, note_call) : WR_OK;
}

static enum wr_status bind_args(struct bind *bind, struct node *node, const struct func *func, const struct expr **out)
{
    enum expr_op op = func->aggregate ? EVAL_AGGREGATE : EVAL_CALL;
    const struct type *reversed = bind->reversed;
    struct expr *expr;

    TRY(expr_new(bind, op, func->result, node, func->arg_count, &expr));
    expr->func = func;
    TRY(note_call(bind, func));
    for (uint32_t i = 0; i < func->arg_count; i++) {
        struct receiver receiver = { .type = func->args[i] };
        if (!node->selecting) {
            const char *name = ctx_format(bind->ctx, "arg%u(%s)", i, func_full_name(bind->ctx, func));
            if (!name)
                return WR_NOMEM;
            TRY(unicode_lower(bind->ctx, slice_str(name), &receiver.name)); /* FunctionResolver.makeArgSpec */
        }
        if (func->flags & FUNC_OF_KEY)
            bind->reversed = table_key(bind->table, i)->descending ? func->args[i] : NULL;
        TRY(node_bind(bind, node->args[i], receiver, &expr->args[i]));
        bind->reversed = reversed;
        if (func->aggregate && expr->args[i]->has_aggregate)
            return fail(bind->ctx, WR_INVALID,
                        "aggregate functions cannot be used as arguments of aggregate functions");
    }
    return expr_finish(bind, expr, out);
}

static enum wr_status bind_call_term(struct bind *bind, struct node *node, struct receiver receiver,
                                     const struct expr **out)
{
    struct ctx *ctx = bind->ctx;
    struct slice keyspace, name;
    const struct func *func;
    enum assignment test;

    TRY(node_func_name(ctx, node, &keyspace, &name));
    TRY(node_resolve(bind, node, receiver.type, false, &func));
    if (!func && slice_is_null(keyspace))
        return fail(ctx, WR_INVALID, "Unknown function %.*s called", SLICE_ARG(name));
    if (!func)
        return fail(ctx, WR_INVALID, "Unknown function %.*s.%.*s called", SLICE_ARG(keyspace), SLICE_ARG(name));
    if (func->aggregate)
        return fail(ctx, WR_INVALID, "Aggregation function are not supported in the where clause");
    TRY(func_result_test(ctx, func, receiver.type, &test));
    if (bind->reversed == receiver.type && type_is_collection(receiver.type) && func->result->multicell) /* as node_test */
        test = ASSIGN_NO;
    if (test == ASSIGN_NO)
        return fail(ctx, WR_INVALID,
                    "Type error: cannot assign result of function %s (type %s) to %.*s (type %s)",
                    func_full_name(ctx, func), type_name(ctx, func->result), SLICE_ARG(receiver.name), type_name(ctx, receiver.type));
    return bind_args(bind, node, func, out);
}

static const struct node *first_column(const struct node *node)
{
    if (node->column)
        return node;
    for (uint32_t i = 0; i < node->arg_count; i++) {
        const struct node *found = node->args[i] ? first_column(node->args[i]) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

static enum wr_status bind_cast_selecting(struct bind *bind, struct node *node, const struct expr **out)
{
    struct ctx *ctx = bind->ctx;
    struct named_call cast = { .args = node->args, .arg_count = 1 };
    const struct expr *inner;

    TRY(node_bind(bind, node->args[0], (struct receiver){ .type = NULL }, &inner));
    if (type_eq(node->type, inner->type) && !node_is_reversed(node->args[0])) { /* to a ReversedType there is no cast */
        node->vanished = true;
        *out = inner;
        return WR_OK;
    }
    TRY(node_func_name(ctx, node, &cast.keyspace, &cast.name));
    TRY(func_resolve(bind, &cast, NULL, false, &node->func));
    if (!node->func) {
        struct buf what, type;
        buf_init(&what, ctx->arena);
        if (bind->first_selected) /* whatever is cast: Selectable.WithCast names the first column of the list */
            buf_put_slice(&what, bind->first_selected->name);
        else
            node_put(&what, node->args[0]);
        buf_init(&type, ctx->arena);
        cql_put_type(&type, node->ast->type, SLICE_NULL);
        return fail(ctx, WR_INVALID, "%.*s cannot be cast to %.*s", SLICE_ARG(buf_slice(&what)),
                    SLICE_ARG(buf_slice(&type)));
    }

    struct expr *expr;
    TRY(expr_new(bind, EVAL_CALL, node->func->result, node, 1, &expr));
    expr->func = node->func;
    expr->args[0] = inner;
    return expr_finish(bind, expr, out);
}

static enum wr_status bind_hint(struct bind *bind, struct node *node, struct receiver receiver, const struct expr **out)
{
    struct ctx *ctx = bind->ctx;
    enum assignment test;
    const struct expr *inner;
    struct expr *expr;
    const struct type *type;

    TRY(node_written_type(bind, node, &type));
    TRY(node_test(bind, node->args[0], type, &test));
    if (!node->selecting) {
        if (test == ASSIGN_NO) {
            struct buf written;
            buf_init(&written, ctx->arena);
            cql_put_type(&written, node->ast->type, node->keyspace);
            return fail(ctx, WR_INVALID, "Cannot cast value %s to type %.*s", node_text(ctx, node->args[0]),
                        SLICE_ARG(buf_slice(&written)));
        }
        TRY(node_test(bind, node, receiver.type, &test));
        if (test == ASSIGN_NO)
            return fail(ctx, WR_INVALID, "Cannot assign value %s to %.*s of type %s", node_text(ctx, node),
                        SLICE_ARG(receiver.name), type_name(ctx, receiver.type));
        return node_bind(bind, node->args[0], receiver, out);
    }
    if (test == ASSIGN_NO) {
        const char *text = node_text(ctx, node);
        return fail(ctx, WR_INVALID, "Cannot assign value %s to %s of type %s", text, text, type_name(ctx, type));
    }
    TRY(node_bind(bind, node->args[0], (struct receiver){ .type = type }, &inner));
    if (!(expr = NEW(ctx, struct expr)))
        return WR_NOMEM;
    *expr = *inner; /* the same value under another type and name */
    expr->type = type;
    expr->node = node;
    *out = expr;
    return WR_OK;
}

/* ---- selecting within a value ---- */

static const char *expr_name(struct ctx *ctx, const struct expr *expr)
{
    return node_text(ctx, expr->node);
}

/* In messages about a selector a cast is there, though it does nothing. */
static const char *written(struct ctx *ctx, struct node *node)
{
    node->vanished = false;
    return node_text(ctx, node);
}

/* The receiver of what stands in brackets behind a set or a map. */
static enum wr_status selection_receiver(struct bind *bind, const struct expr *selected, struct node *node,
                                         const char *what, struct receiver *out)
{
    struct ctx *ctx = bind->ctx;
    const char *name;

    if (selected->type->kind == TYPE_LIST)
        return fail(ctx, WR_INVALID, "%s selection is only allowed on sets and maps, but %s is a list", what,
                    node_text(ctx, node->args[0]));
    name = ctx_format(ctx, selected->type->kind == TYPE_MAP ? "key(%s)" : "value(%s)", expr_name(ctx, selected));
    if (!name)
        return WR_NOMEM;
    *out = (struct receiver){ slice_str(name), selected->type->args[0] };
    return WR_OK;
}

static enum wr_status bind_element(struct bind *bind, struct node *node, const struct expr **out)
{
    const struct expr *selected;
    struct receiver receiver;
    struct expr *expr;

    TRY(node_bind(bind, node->args[0], (struct receiver){ .type = NULL }, &selected));
    if (!type_is_collection(selected->type))
        return fail(bind->ctx, WR_INVALID, "Invalid element selection: %s is of type %s is not a collection",
                    written(bind->ctx, node->args[0]), type_name(bind->ctx, selected->type));
    TRY(selection_receiver(bind, selected, node, "Element", &receiver));
    TRY(expr_new(bind, EVAL_ELEMENT, type_contained(selected->type), node, 2, &expr));
    expr->args[0] = selected;
    TRY(node_bind(bind, node->args[1], receiver, &expr->args[1]));
    return expr_finish(bind, expr, out);
}

static enum wr_status bind_slice(struct bind *bind, struct node *node, struct receiver expected,
                                 const struct expr **out)
{
    const struct expr *selected;
    struct receiver receiver;
    struct expr *expr;

    TRY(node_bind(bind, node->args[0], expected, &selected));
    if (!type_is_collection(selected->type))
        return fail(bind->ctx, WR_INVALID, "Invalid slice selection: %s of type %s is not a collection",
                    written(bind->ctx, node->args[0]), type_name(bind->ctx, selected->type));
    TRY(selection_receiver(bind, selected, node, "Slice", &receiver));
    TRY(expr_new(bind, EVAL_SLICE, selected->type, node, 3, &expr));
    expr->args[0] = selected;
    for (uint32_t i = 1; i < 3; i++)
        if (node->args[i])
            TRY(node_bind(bind, node->args[i], receiver, &expr->args[i]));
    return expr_finish(bind, expr, out);
}

static enum wr_status bind_field(struct bind *bind, struct node *node, const struct expr **out)
{
    struct node *from = node->args[0];
    struct receiver expected = { .type = NULL };
    const struct expr *selected;
    struct expr *expr;
    uint32_t field;

    if (from->ast->kind == EXPR_TUPLE && from->arg_count) /* parentheses */
        TRY(node_exact_type(bind, from->args[0], &expected.type));
    TRY(node_bind(bind, from, expected, &selected));
    if (selected->type->kind != TYPE_UDT)
        return fail(bind->ctx, WR_INVALID, "Invalid field selection: %s of type %s is not a user type",
                    written(bind->ctx, from), type_name(bind->ctx, selected->type));
    if (!type_field(selected->type, node->ast->text, &field))
        return fail(bind->ctx, WR_INVALID, "%s of type %s has no field %.*s", node_text(bind->ctx, from),
                    type_name(bind->ctx, selected->type), SLICE_ARG(node->ast->text));
    TRY(expr_new(bind, EVAL_FIELD, selected->type->args[field], node, 1, &expr));
    expr->field = field;
    expr->args[0] = selected;
    return expr_finish(bind, expr, out);
}

static enum wr_status bind_cell_function(struct bind *bind, struct node *node, const struct expr **out)
{
    struct ctx *ctx = bind->ctx;
    struct slice name = node->ast->text;
    enum cells_of of = slice_eq_str(name, "ttl")         ? CELLS_TTL
                       : slice_eq_str(name, "writetime") ? CELLS_WRITETIME
                                                         : CELLS_MAXWRITETIME;
    const struct type *type = type_native(of == CELLS_TTL ? TYPE_INT : TYPE_BIGINT);
    const struct node *column = first_column(node);
    const struct expr *selected;
    struct expr *expr;

    if (!column || node->arg_count != 1)
        return fail(ctx, WR_INVALID, "Invalid argument of selection function %.*s", SLICE_ARG(name));
    if (column_is_primary_key(column->column))
        return fail(ctx, WR_INVALID, "Cannot use selection function %.*s on PRIMARY KEY part %.*s", SLICE_ARG(name),
                    SLICE_ARG(column->column->name));
    TRY(node_bind(bind, node->args[0], (struct receiver){ .type = NULL }, &selected));
    if (selected->type->multicell && of != CELLS_MAXWRITETIME &&
        !(type = type_make(ctx, TYPE_LIST, &type, 1, false, 0)))
        return WR_NOMEM;
    TRY(expr_new(bind, EVAL_CELLS, type, node, 1, &expr));
    expr->cells = of;
    expr->args[0] = selected;
    return expr_finish(bind, expr, out);
}

enum wr_status node_bind(struct bind *bind, struct node *node, struct receiver receiver, const struct expr **out)
{
    switch (node->ast->kind) {
    case EXPR_CONSTANT:
        return bind_constant(bind, node, receiver, out);
    case EXPR_MARKER:
        return bind_marker(bind, node, receiver, out);
    case EXPR_COLUMN:
        return bind_column(bind, node, out);
    case EXPR_CAST:
        if (node->selecting)
            return bind_cast_selecting(bind, node, out);
        return bind_call_term(bind, node, receiver, out);
    case EXPR_FUNCTION:
    case EXPR_BINARY:
    case EXPR_NEGATE:
        return node->selecting ? bind_args(bind, node, node->func, out) : bind_call_term(bind, node, receiver, out);
    case EXPR_CELL_FUNCTION:
        return bind_cell_function(bind, node, out);
    case EXPR_HINT:
        return bind_hint(bind, node, receiver, out);
    case EXPR_LIST:
        return bind_list(bind, node, receiver, out);
    case EXPR_BRACES:
        return bind_braces(bind, node, receiver, out);
    case EXPR_PAIRS:
        return bind_pairs(bind, node, receiver, out);
    case EXPR_TUPLE:
        return bind_tuple(bind, node, receiver, out);
    case EXPR_ELEMENT:
        return bind_element(bind, node, out);
    case EXPR_SLICE:
        return bind_slice(bind, node, receiver, out);
    case EXPR_FIELD:
        return bind_field(bind, node, out);
    case EXPR_NOTHING:
        break;
    }
    return fail_corrupt(bind->ctx, "node_bind");
}

/* ---- what others see ---- */

enum wr_status expr_bind_term(struct bind *bind, const struct ast_expr *ast, const struct type *receiver,
                              struct slice name, const struct expr **out)
{
    struct node *node;

    TRY(node_make(bind, ast, false, &node));
    return node_bind(bind, node, (struct receiver){ name, receiver }, out);
}

enum wr_status expr_try_term(struct bind *bind, const struct ast_expr *ast, const struct type *receiver, struct slice name,
                             struct node **tried, const struct expr **out)
{
    *tried = NULL;
    TRY(node_make(bind, ast, false, tried));
    return node_bind(bind, *tried, (struct receiver){ name, receiver }, out);
}

void expr_put_tried(struct buf *text, const struct ast_expr *ast, const struct node *tried)
{
    if (tried)
        node_put(text, tried);
    else
        cql_put_expr(text, ast);
}

enum wr_status expr_bind_key(struct bind *bind, const struct ast_expr *ast, const struct column *column, const struct expr **out)
{
    bind->reversed = column->descending ? column->type : NULL;
    enum wr_status st = expr_bind_term(bind, ast, column->type, column->name, out);
    bind->reversed = NULL;
    return st;
}

enum wr_status expr_prepare_selector(struct bind *bind, const struct ast_expr *ast, struct node **out)
{
    return node_make(bind, ast, true, out);
}

enum wr_status expr_find_bare_column(struct bind *bind, const struct ast_expr *ast, const struct column **out)
{
    const struct column *column = NULL;

    if (ast->kind == EXPR_COLUMN)
        TRY(node_find_column(bind, ast->text, &column));
    *out = column && bind->masks && column->mask ? NULL : column;
    return WR_OK;
}

enum wr_status expr_bind_selector(struct bind *bind, struct node *prepared, const struct expr **out)
{
    return node_bind(bind, prepared, (struct receiver){ .type = NULL }, out);
}

static bool node_selects(const struct node *node, bool (*is)(const struct column *column))
{
    bool pairs = node->ast->kind == EXPR_PAIRS, found = node->ast->kind == EXPR_COLUMN && node->column && is(node->column);
    for (uint32_t i = 0; i < node->arg_count && !found; i++) {
        const struct node *arg = node->args[i];
        if (!arg || !arg->selecting || (pairs && i % 2 == 0 && arg->ast->kind == EXPR_COLUMN))
            continue;
        found = node_selects(arg, is) != (pairs && i % 2 == 1);
    }
    return found;
}

static bool holds_literals(const struct ast_expr *ast)
{
    return ast->kind == EXPR_LIST || ast->kind == EXPR_BRACES || ast->kind == EXPR_TUPLE;
}

/* Selectable.Raw.prepare, which leaves a map's literal as it is. */
static enum wr_status look_up(struct bind *bind, const struct ast_expr *ast)
{
    struct node *node;

    if (ast->kind == EXPR_PAIRS)
        return WR_OK;
    if (!holds_literals(ast))
        return expr_prepare_selector(bind, ast, &node);
    for (const struct ast_expr *arg = ast->args; arg; arg = arg->next)
        TRY(look_up(bind, arg));
    return WR_OK;
}

enum wr_status expr_selects(struct bind *bind, const struct ast_expr *ast, bool (*is)(const struct column *column), bool *out)
{
    bool pairs = ast->kind == EXPR_PAIRS;
    struct node *node;
    uint32_t i = 0;

    if (!pairs && !holds_literals(ast)) {
        TRY(expr_prepare_selector(bind, ast, &node));
        *out = node_selects(node, is);
        return WR_OK;
    }
    TRY(look_up(bind, ast));
    *out = false;
    for (const struct ast_expr *arg = ast->args; arg && !*out; arg = arg->next, i++) {
        bool value = pairs && i % 2 == 1, selects;
        if (pairs && !value && arg->kind == EXPR_COLUMN) /* it may be the name of a field */
            continue;
        TRY(expr_selects(bind, arg, is, &selects));
        *out = selects != value;
    }
    return WR_OK;
}
