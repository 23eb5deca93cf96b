/*
 * expr_agg.c - the states of all aggregate calls in a list of selectors.
 *
 * Evaluating a row's arguments may take memory of the run; it is given back after each row, so that a count over a
 * million rows needs no more than one over ten.
 */
#include "model/expr_node.h"

struct aggregate_call {
    const struct expr *expr;
    void *state;
};

struct aggregates {
    struct aggregate_call *calls;
    uint32_t count;
    bool of_columns; /* each is Cassandra's own, and of a column or of rows */
    uint32_t next; /* whose result is asked for next, mostly: they are in the order of the selectors */
};

static uint32_t count_calls(const struct expr *expr)
{
    uint32_t n = expr->op == EVAL_AGGREGATE;

    for (uint32_t i = 0; expr->has_aggregate && i < expr->arg_count; i++)
        n += expr->args[i] ? count_calls(expr->args[i]) : 0;
    return n;
}

static void collect(const struct expr *expr, struct aggregates *a)
{
    if (expr->op == EVAL_AGGREGATE)
        a->calls[a->count++].expr = expr;
    for (uint32_t i = 0; expr->has_aggregate && i < expr->arg_count; i++)
        if (expr->args[i])
            collect(expr->args[i], a);
}

static bool is_of_rows(const struct expr *call)
{
    return call->func->aggregate == &func_count_rows;
}

static bool is_of_column(const struct expr *call)
{
    return !call->func->made && call->arg_count == 1 && call->args[0]->op == EVAL_COLUMN;
}

enum wr_status aggregates_new(struct exec *exec, const struct expr *const *selectors, uint32_t count,
                              struct aggregates **out)
{
    struct aggregates *a = NEW(exec->ctx, struct aggregates);
    uint32_t n = 0;

    if (!a)
        return WR_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        n += count_calls(selectors[i]);
    if (!(a->calls = NEW_ARRAY(exec->ctx, struct aggregate_call, n)))
        return WR_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        collect(selectors[i], a);
    a->of_columns = true;
    for (uint32_t i = 0; i < a->count; i++)
        a->of_columns &= is_of_rows(a->calls[i].expr) || is_of_column(a->calls[i].expr);
    for (uint32_t i = 0; i < a->count; i++)
        if (!(a->calls[i].state = ctx_alloc(exec->ctx, a->calls[i].expr->func->aggregate->state_size)))
            return WR_NOMEM;
    *out = a;
    return WR_OK;
}

void aggregates_reset(struct aggregates *a)
{
    for (uint32_t i = 0; i < a->count; i++)
        a->calls[i].expr->func->aggregate->reset(a->calls[i].state);
}

enum wr_status aggregates_add(struct eval *eval, struct aggregates *a)
{
    struct ctx *ctx = eval->exec->ctx;

    for (uint32_t i = 0; i < a->count; i++) {
        const struct expr *expr = a->calls[i].expr;
        struct call call = { ctx, eval->exec, expr->func };
        struct arena_mark mark = arena_mark(ctx->arena);
        struct slice few[FUNC_ARGS_MAX], *args = few;
        bool null, grew = false;

        if (expr->arg_count > FUNC_ARGS_MAX && !(args = NEW_ARRAY(ctx, struct slice, expr->arg_count)))
            return WR_NOMEM;
        TRY(expr_eval_args(eval, expr, args, &null));
        if (!null)
            TRY(expr->func->aggregate->add(&call, a->calls[i].state, args, &grew));
        if (!grew)
            arena_rewind(ctx->arena, mark);
    }
    return WR_OK;
}

bool aggregates_are_of_columns(const struct aggregates *a)
{
    return a->of_columns;
}

static enum wr_status add_column(struct exec *exec, const struct aggregate_call *a, const struct slice *value, uint32_t stride, uint32_t rows)
{
    const struct func *func = a->expr->func;
    const struct call call = { exec->ctx, exec, func };

    for (; rows; rows--, value += stride) {
        const struct arena_mark mark = arena_mark(exec->ctx->arena);
        bool grew = false;
        if (argument_is_absent(func, 0, *value))
            continue;
        TRY(func->aggregate->add(&call, a->state, value, &grew));
        if (!grew)
            arena_rewind(exec->ctx->arena, mark);
    }
    return WR_OK;
}

enum wr_status aggregates_add_columns(struct exec *exec, struct aggregates *a, const struct slice *values, uint32_t stride, uint32_t rows)
{
    for (uint32_t i = 0; i < a->count; i++) {
        const struct expr *expr = a->calls[i].expr;
        if (is_of_rows(expr))
            count_rows_add_many(a->calls[i].state, rows);
        else
            TRY(add_column(exec, &a->calls[i], values + expr->args[0]->column->ordinal, stride, rows));
    }
    return WR_OK;
}

static enum aggregates_look call_look(const struct expr *call, const struct column *column)
{
    const struct func_aggregate *aggregate = call->func->aggregate;

    if (is_of_rows(call))
        return LOOK_AT_NONE;
    if (call->arg_count != 1 || call->args[0]->op != EVAL_COLUMN || call->args[0]->column != column)
        return LOOK_AT_ALL;
    return aggregate == &func_min ? LOOK_AT_FIRST : aggregate == &func_max ? LOOK_AT_LAST : LOOK_AT_ALL;
}

enum aggregates_look aggregates_look(const struct expr *const *selectors, uint32_t count, const struct column *column)
{
    enum aggregates_look look = LOOK_AT_ALL;

    for (uint32_t i = 0; i < count; i++) {
        enum aggregates_look one = selectors[i]->op == EVAL_AGGREGATE ? call_look(selectors[i], column) : LOOK_AT_ALL;
        if (one == LOOK_AT_ALL || (i && one != look))
            return LOOK_AT_ALL;
        look = one;
    }
    return look;
}

void aggregates_add_rows(struct aggregates *a, uint64_t rows)
{
    for (uint32_t i = 0; i < a->count; i++)
        count_rows_add_many(a->calls[i].state, rows);
}

enum wr_status eval_aggregate(struct eval *eval, const struct expr *expr, struct slice *out)
{
    struct aggregates *all = eval->aggregates;

    for (uint32_t i = 0; all && i < all->count; i++) {
        uint32_t at = (all->next + i) % all->count;
        if (all->calls[at].expr != expr)
            continue;
        all->next = at + 1;
        return expr->func->aggregate->result(&(struct call){ eval->exec->ctx, eval->exec, expr->func }, all->calls[at].state, out);
    }
    return fail_corrupt(eval->exec->ctx, "eval_aggregate");
}
