/* ORDER BY and GROUP BY: what they may name, and what it means for the read. */

#include "model/func.h"
#include "model/select_node.h"

static const char order_message[] =
    "Order by currently only supports the ordering of columns following their declared order in the PRIMARY KEY";
static const char group_message[] =
    "Group by currently only support groups of columns following their declared order in the PRIMARY KEY";

/* ---- ORDER BY ---- */

/* Orderings are kept in a map by their columns (getOrderingColumns): the first place of a column counts, and its last direction. */
struct direction {
    bool descending, met;
};

static enum wr_status last_directions(struct bind *bind, const struct ast_select *ast, struct direction **out)
{
    if (!(*out = NEW_ARRAY(bind->ctx, struct direction, bind->table->column_count)))
        return WR_NOMEM;
    for (const struct ast_ordering *o = ast->order_by; o; o = o->next) {
        const struct column *column = table_column(bind->table, o->column);
        if (column) /* else it is refused when its turn comes */
            (*out)[column->ordinal].descending = o->descending;
    }
    return WR_OK;
}

static enum wr_status bind_orderings(struct bind *bind, const struct ast_select *ast, struct select_plan *plan)
{
    const struct table *table = bind->table;
    struct sort_column *sort = NEW_ARRAY(bind->ctx, struct sort_column, table->clustering_count);
    struct direction *directions;
    uint32_t at = 0;

    if (!sort)
        return WR_NOMEM;
    plan->sort = sort;
    TRY(last_directions(bind, ast, &directions));
    for (const struct ast_ordering *o = ast->order_by; o; o = o->next) {
        const struct column *column;
        TRY(bind_column(bind, o->column, &column));
        struct direction *direction = &directions[column->ordinal];
        if (direction->met)
            continue;
        direction->met = true;
        if (column->kind != COLUMN_CLUSTERING)
            return fail(bind->ctx, WR_INVALID, "Order by is currently only supported on the clustered columns of the PRIMARY KEY, got %.*s",
                        SLICE_ARG(column->name));
        for (; at != column->position; at++) /* what is = may be left out */
            if (at >= table->clustering_count || !restrict_column_is_eq(plan->source.where, table_clustering(table, at)))
                return fail(bind->ctx, WR_INVALID, "%s", order_message);
        at++;
        sort[plan->sort_count++] = (struct sort_column){ column->ordinal, column->type, direction->descending };
    }
    return WR_OK;
}

enum wr_status order_bind(struct bind *bind, const struct ast_select *ast, struct select_plan *plan)
{
    const struct restrictions *where = plan->source.where;
    struct ctx *ctx = bind->ctx;

    if (!ast->order_by || plan->ann.column)
        return WR_OK;
    if (restrict_uses_index(where))
        return fail(ctx, WR_INVALID, "ORDER BY with 2ndary indexes is not supported, except for ANN queries.");
    if (restrict_is_key_range(where))
        return fail(ctx, WR_INVALID, "ORDER BY is only supported when the partition key is restricted by an EQ or an IN.");
    TRY(bind_orderings(bind, ast, plan));
    for (uint32_t i = 0; i < plan->sort_count; i++) {
        bool reversed = plan->sort[i].descending != bind->table->columns[plan->sort[i].ordinal].descending;
        if (i && reversed != plan->reversed)
            return fail(ctx, WR_INVALID, "Unsupported order by relation");
        plan->reversed = reversed;
    }
    if (!restrict_key_has_in(where))
        plan->sort_count = 0; /* one partition has its order already */
    plan->sorts_json = ast->json && ast->star && !ast->group_by;
    return WR_OK;
}

/* ---- GROUP BY ---- */

static enum wr_status check_not_aggregate(struct bind *bind, const struct expr *expr)
{
    const struct func *func = expr_as_call(expr);
    if (!func || !func->aggregate)
        return WR_OK;
    return fail(bind->ctx, WR_INVALID, "Aggregate functions are not supported within the GROUP BY clause, got: %s",
                func_full_name(bind->ctx, func));
}

/* It is asked for when a run makes its groups, behind what is wrong with selectors. */
enum wr_status group_check_monotonic(struct exec *exec, const struct select_plan *plan)
{
    const struct expr *expr = plan->group_function, *wrong = expr ? expr_not_monotonic(expr) : NULL;
    struct buf text;

    if (!expr || (!wrong && expr_as_call(expr)))
        return WR_OK;
    buf_init(&text, exec->ctx->arena);
    if (wrong)
        expr_put_signature(&text, wrong);
    else
        expr_put_name(&text, expr);
    return fail(exec->ctx, WR_INVALID, "Only monotonic functions are supported in the GROUP BY clause. Got: %.*s ",
                SLICE_ARG(buf_slice(&text)));
}

/* The one clustering column a function of GROUP BY is of. */
static enum wr_status bind_function(struct bind *bind, const struct ast_expr *ast, struct select_plan *plan,
                                    const struct column **out)
{
    const struct table *table = bind->table;
    const struct column **named = NEW_ARRAY(bind->ctx, const struct column *, table->column_count);
    struct node *prepared;
    uint32_t n = 0;

    if (!named)
        return WR_NOMEM;
    bool masks = bind->masks;
    bind->masks = false;         /* groups are of values as they are */
    bind->first_selected = NULL; /* of the select list's no more */
    TRY(expr_prepare_selector(bind, ast, &prepared));
    enum wr_status st = expr_bind_selector(bind, prepared, &plan->group_function);
    bind->masks = masks;
    TRY(st);
    TRY(check_not_aggregate(bind, plan->group_function));
    expr_columns(plan->group_function, named, &n);
    if (n == 0)
        return fail(bind->ctx, WR_INVALID, "GROUP BY functions must have one clustering column name as parameter");
    if (n > 1) {
        struct buf names;
        buf_init(&names, bind->ctx->arena);
        for (uint32_t i = 0; i < n; i++)
            buf_printf(&names, "%s%.*s", i ? "," : "", SLICE_ARG(named[i]->name));
        return fail(bind->ctx, WR_INVALID, "GROUP BY functions accept only one clustering column as parameter, got: %.*s",
                    SLICE_ARG(buf_slice(&names)));
    }
    if (named[0]->kind != COLUMN_CLUSTERING)
        return fail(bind->ctx, WR_INVALID, "Group by functions are only supported on clustering columns, got %.*s",
                    SLICE_ARG(named[0]->name));
    *out = named[0];
    return WR_OK;
}

enum wr_status group_bind(struct bind *bind, const struct ast_select *ast, struct select_plan *plan)
{
    const struct restrictions *where = plan->source.where;
    const struct table *table = bind->table;
    uint32_t keys = table->key_count, count = keys + table->clustering_count, at = 0;
    struct ctx *ctx = bind->ctx;

    if (!ast->group_by) {
        plan->grouping = plan->project.has_aggregate ? GROUP_ALL : GROUP_NONE;
        return WR_OK;
    }
    plan->grouping = GROUP_PREFIX;
    for (const struct ast_expr *g = ast->group_by; g; g = g->next) {
        const struct column *column;
        if (g->kind != EXPR_COLUMN) {
            TRY(bind_function(bind, g, plan, &column));
        } else {
            TRY(bind_column(bind, g->text, &column));
            if (!column_is_primary_key(column))
                return fail(ctx, WR_INVALID, "Group by is currently only supported on the columns of the PRIMARY KEY, got %.*s",
                            SLICE_ARG(column->name));
            if (plan->group_function)
                return fail(ctx, WR_INVALID, "Functions are only supported on the last element of the GROUP BY clause");
        }
        for (;; at++) { /* what is = may be left out */
            if (at >= count)
                return fail(ctx, WR_INVALID, "%s", group_message);
            if (&table->columns[at] == column)
                break;
            if (!restrict_column_is_eq(where, &table->columns[at]))
                return fail(ctx, WR_INVALID, "%s", group_message);
        }
        at++;
    }
    if (at < keys)
        return fail(ctx, WR_INVALID, "Group by is not supported on only a part of the partition key");
    plan->group_clusterings = at - keys;
    if (plan->group_clusterings && ast->distinct)
        return fail(ctx, WR_INVALID, "Grouping on clustering columns is not allowed for SELECT DISTINCT queries");
    return WR_OK;
}
