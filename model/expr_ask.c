/*
 * expr_ask.c - what is asked of a bound expression: what it is, what it reads, how it is shown.
 */
#include "model/expr_node.h"

const struct type *expr_type(const struct expr *expr)
{
    return expr->type;
}

void expr_put_name(struct buf *buf, const struct expr *expr)
{
    node_put(buf, expr->node);
}

bool expr_is_marker(const struct expr *expr, uint32_t *index)
{
    if (expr->op != EVAL_MARKER)
        return false;
    *index = expr->marker;
    return true;
}

bool expr_has_aggregate(const struct expr *expr)
{
    return expr->has_aggregate;
}

const struct column *expr_as_column(const struct expr *expr)
{
    return expr->op == EVAL_COLUMN && expr->node->ast->kind == EXPR_COLUMN ? expr->column : NULL;
}

const struct func *expr_as_call(const struct expr *expr)
{
    return expr->op == EVAL_CALL || expr->op == EVAL_AGGREGATE ? expr->func : NULL;
}

/* Selector.isTerminal: a run's markers are values when its functions are partially applied. */
static bool is_terminal(const struct expr *expr)
{
    return expr->op == EVAL_VALUE || expr->op == EVAL_MARKER;
}

static bool varies_by_first(const struct expr *expr)
{
    bool varies = expr->arg_count && !is_terminal(expr->args[0]);
    for (uint32_t i = 1; i < expr->arg_count; i++)
        varies = varies && is_terminal(expr->args[i]);
    return varies;
}

const struct expr *expr_not_monotonic(const struct expr *expr)
{
    const struct expr *found = NULL;

    if (expr->op == EVAL_CALL && !(expr->func->flags & FUNC_MONOTONIC && varies_by_first(expr)))
        return expr;
    for (uint32_t i = 0; i < expr->arg_count && !found; i++)
        if (expr->args[i])
            found = expr_not_monotonic(expr->args[i]);
    return found;
}

void expr_put_signature(struct buf *buf, const struct expr *expr)
{
    bool constant[FUNC_ARGS_MAX];
    for (uint32_t i = 0; i < expr->arg_count && i < FUNC_ARGS_MAX; i++)
        constant[i] = is_terminal(expr->args[i]);
    func_put_signature(buf, expr->func, constant);
}

void expr_needs(const struct expr *expr, bool *needed, bool *cells)
{
    if (expr->op == EVAL_COLUMN)
        needed[expr->column->ordinal] = true;
    if (expr->op == EVAL_CELLS)
        *cells = true;
    for (uint32_t i = 0; i < expr->arg_count; i++)
        if (expr->args[i])
            expr_needs(expr->args[i], needed, cells);
}

void expr_columns(const struct expr *expr, const struct column **columns, uint32_t *count)
{
    uint32_t at = 0;
    if (expr->op == EVAL_COLUMN) {
        while (at < *count && columns[at] != expr->column)
            at++;
        columns[at] = expr->column;
        *count += at == *count;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++)
        if (expr->args[i])
            expr_columns(expr->args[i], columns, count);
}

static bool is_part(const struct expr *expr)
{
    if ((expr->op != EVAL_ELEMENT && expr->op != EVAL_SLICE) || expr->args[0]->op != EVAL_COLUMN || !expr->args[0]->type->multicell)
        return false;
    for (uint32_t i = 1; i < expr->arg_count; i++)
        if (expr->args[i] && !is_terminal(expr->args[i]))
            return false;
    return true;
}

void expr_needs_parts(const struct expr *expr, bool *whole, const struct expr **parts, uint32_t *count)
{
    if (expr->op == EVAL_COLUMN)
        whole[expr->column->ordinal] = true;
    if (is_part(expr)) {
        if (parts)
            parts[*count] = expr;
        ++*count;
        return;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++)
        if (expr->args[i])
            expr_needs_parts(expr->args[i], whole, parts, count);
}

const struct column *expr_part_column(const struct expr *part)
{
    return part->args[0]->column;
}

static const struct column *first_written(const struct node *node, const bool *marked)
{
    const struct column *found = node->ast->kind == EXPR_COLUMN && node->column && marked[node->column->ordinal] ? node->column : NULL;
    for (uint32_t i = 0; i < node->arg_count && !found; i++)
        found = node->args[i] ? first_written(node->args[i], marked) : NULL;
    return found;
}

const struct column *expr_first_column(const struct expr *selector, const bool *marked)
{
    return first_written(selector->node, marked);
}
