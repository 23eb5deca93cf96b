/*
 * expr_eval.c - the values of bound expressions.
 */
#include "engine/coding.h"
#include "model/expr_node.h"
#include "model/recompose.h"
#include "model/rowvalues.h"

const uint8_t slice_unset_mark[1] = { 0 };

typedef enum wr_status eval_fn(struct eval *eval, const struct expr *expr, struct slice *out);

static enum wr_status eval_value(struct eval *eval, const struct expr *expr, struct slice *out)
{
    (void)eval;
    *out = expr->value;
    return WR_OK;
}

static enum wr_status eval_column(struct eval *eval, const struct expr *expr, struct slice *out)
{
    *out = eval->columns ? eval->columns[expr->column->ordinal] : SLICE_NULL;
    return WR_OK;
}

/* UserTypes.Value.fromSerialized lets through what its type throws; where other values come in, that is made the statement's mistake. */
static enum wr_status check_sent(struct ctx *ctx, const struct type *type, struct slice value)
{
    enum wr_status st = type_validate_sent(ctx, type, value);
    if (st != WR_INVALID || type->kind != TYPE_UDT)
        return st;
    const char *cause = ctx_format(ctx, "%s", ctx->error);
    return fail(ctx, WR_SERVER_ERROR, "org.apache.cassandra.serializers.MarshalException: %s", cause ? cause : "");
}

static enum wr_status eval_marker(struct eval *eval, const struct expr *expr, struct slice *out)
{
    const struct given *given = &eval->exec->given;
    struct slice value = given->values[expr->marker];

    *out = value;
    if (slice_is_null(value) || slice_is_unset(value))
        return WR_OK;
    if (!(given->sound && given->sound[expr->marker]))
        TRY((expr->as_sent ? type_validate : check_sent)(eval->exec->ctx, expr->type, value));
    return expr->as_sent ? WR_OK : value_recompose(eval->exec->ctx, expr->type, value, out);
}

/* ---- functions ---- */

enum { ARGS_INLINE = 8 };

static enum wr_status fail_unset_argument(struct ctx *ctx, const struct func *func)
{
    return fail(ctx, WR_INVALID, "Invalid unset value for argument in call to function %s", func->name);
}

enum wr_status expr_eval_args(struct eval *eval, const struct expr *expr, struct slice *args, bool *null)
{
    const struct func *func = expr->func;

    *null = false;
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        TRY(expr_eval(eval, expr->args[i], &args[i]));
        if (slice_is_unset(args[i]))
            return fail_unset_argument(eval->exec->ctx, func);
        if (argument_is_absent(func, i, args[i]))
            *null = true;
    }
    return WR_OK;
}

static enum wr_status eval_call(struct eval *eval, const struct expr *expr, struct slice *out)
{
    struct call call = { eval->exec->ctx, eval->exec, expr->func };
    struct slice few[ARGS_INLINE], *args = few;
    bool null, is_masked_column = expr->node->ast->kind == EXPR_COLUMN;

    if (eval->no_row && is_masked_column) {
        *out = SLICE_NULL;
        return WR_OK;
    }
    if (expr->arg_count > ARGS_INLINE && !(args = NEW_ARRAY(call.ctx, struct slice, expr->arg_count)))
        return WR_NOMEM;
    TRY(expr_eval_args(eval, expr, args, &null));
    if (null) {
        *out = SLICE_NULL;
        return WR_OK;
    }
    return expr->func->call(&call, args, out);
}

/* ---- literals ---- */

static enum wr_status eval_pack(struct eval *eval, const struct expr *expr, struct slice *out)
{
    const struct type *type = expr->packed;
    struct ctx *ctx = eval->exec->ctx;
    uint32_t n = expr->arg_count;
    bool by_fields = type_has_fields(type);
    struct slice *values = NEW_ARRAY(ctx, struct slice, n);

    if (!values)
        return WR_NOMEM;
    for (uint32_t i = 0; i < n; i++) {
        struct slice *value = &values[i];
        *value = SLICE_NULL;
        if (expr->args[i])
            TRY(expr_eval(eval, expr->args[i], value));
        if (expr->node->selecting && slice_is_unset(*value) && type->kind != TYPE_VECTOR)
            *value = SLICE_EMPTY; /* what UNSET_BYTE_BUFFER holds: Selectable.WithTerm does not look whether it is that */
        if (by_fields && slice_is_unset(*value)) {
            if (expr->node->ast->kind == EXPR_TUPLE) /* of a user type's value, too */
                return fail(ctx, WR_INVALID, "Invalid unset value for tuple field number %u", i);
            if (!type->multicell)
                return fail(ctx, WR_INVALID, "Invalid unset value for field '%.*s' of user defined type %.*s",
                            SLICE_ARG(type->field_names[i]), SLICE_ARG(type->name));
            *value = SLICE_EMPTY; /* UserTypes.DelayedValue: what UNSET_BYTE_BUFFER holds is written, and no null */
        } else if (!by_fields && (slice_is_null(*value) || slice_is_unset(*value))) {
            if (type->kind == TYPE_VECTOR)
                return fail(ctx, WR_INVALID, "null is not supported inside vectors");
            /* a list and a map's values may show the nulls of columns */
            bool shows = type->kind == TYPE_LIST || (type->kind == TYPE_MAP && i % 2 == 1);
            if (!shows || !expr->node->selecting)
                return fail(ctx, WR_INVALID, "null is not supported inside collections");
        } else if (type->kind == TYPE_VECTOR && value->len == 0 && (type_empty_is_null(type->args[0]) || type->args[0]->kind == TYPE_TINYINT)) {
            /* a tinyint, too, may be empty: as a hex constant */
            return fail(ctx, WR_INVALID, "null is not supported inside vectors");
        }
    }
    if (type->kind == TYPE_SET)
        n = type_sort_unique(type, values, n);
    else if (type->kind == TYPE_MAP)
        n = type_sort_unique(type, values, n / 2);
    return type_pack(ctx, type, values, n, out);
}

/* ---- within values ---- */

/* The places (of elements, or of pairs) that a selection takes of a set or a map: from *at, *n of them. */
struct places {
    uint32_t at, n;
    struct slice value; /* of the last place: what an element selection gives */
};

static enum wr_status selection_bounds(struct eval *eval, const struct expr *expr, struct slice *low,
                                       struct slice *high)
{
    bool element = expr->op == EVAL_ELEMENT;
    const char *what = element ? "element" : "slice";
    struct slice *bounds[] = { low, high };

    *low = *high = SLICE_UNSET;
    for (uint32_t i = 1; i < expr->arg_count; i++) {
        const char *wrong = NULL;
        if (!expr->args[i])
            continue;
        TRY(expr_eval(eval, expr->args[i], bounds[i - 1]));
        if (slice_is_null(*bounds[i - 1]))
            wrong = "null";
        else if (element && slice_is_unset(*bounds[i - 1]))
            wrong = "unset";
        if (wrong)
            return fail(eval->exec->ctx, WR_INVALID, "Invalid %s value for %s selection on %s", wrong, what,
                        node_text(eval->exec->ctx, expr->args[0]->node));
    }
    if (element)
        *high = *low;
    return WR_OK;
}

enum wr_status expr_part_bounds(struct exec *exec, const struct expr *part, struct slice *low, struct slice *high)
{
    struct eval eval = { .exec = exec };
    TRY(selection_bounds(&eval, part, low, high));
    *low = slice_is_unset(*low) ? SLICE_NULL : *low;
    *high = slice_is_unset(*high) ? SLICE_NULL : *high;
    return WR_OK;
}

/* A mask is made of what stands behind the value (PartialMaskingFunction, HashMaskingFunction), where that is known without a row. */
static enum wr_status check_mask(struct eval *eval, const struct expr *expr)
{
    struct call call = { eval->exec->ctx, eval->exec, expr->func };
    struct slice args[FUNC_ARGS_MAX] = { SLICE_NULL }, value;

    for (uint32_t i = 1; i < expr->arg_count; i++) {
        if (expr->args[i]->op != EVAL_VALUE && expr->args[i]->op != EVAL_MARKER)
            return WR_OK;
        TRY(expr_eval(eval, expr->args[i], &args[i]));
    }
    return expr->func->call(&call, args, &value);
}

enum wr_status expr_check_terminals(struct exec *exec, const struct expr *expr)
{
    struct eval eval = { .exec = exec };
    struct slice value, other;

    if (!expr->to_check)
        return WR_OK;
    for (uint32_t i = 0; i < expr->arg_count; i++)
        if (expr->args[i])
            TRY(expr_check_terminals(exec, expr->args[i]));
    if (expr->op == EVAL_MARKER)
        return expr_eval(&eval, expr, &value);
    if (expr->op == EVAL_ELEMENT || expr->op == EVAL_SLICE)
        return selection_bounds(&eval, expr, &value, &other);
    if (expr->op != EVAL_CALL)
        return WR_OK;
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (expr->args[i]->op != EVAL_MARKER)
            continue;
        TRY(expr_eval(&eval, expr->args[i], &value));
        if (slice_is_unset(value))
            return fail_unset_argument(exec->ctx, expr->func);
    }
    if (expr->rowless)
        return expr_eval(&eval, expr, &value);
    return expr->func->flags & FUNC_MASKING ? check_mask(&eval, expr) : WR_OK;
}

static void find_places(const struct type *type, struct slice collection, struct slice low, struct slice high,
                        struct places *out)
{
    struct slice key, value;
    struct elements e;

    /* in this order, and only until the upper bound is met: what was bound for a descending column may lie in any order */
    bool inside = slice_is_unset(low);
    *out = (struct places){ .value = SLICE_NULL };
    elements_open(&e, type, collection);
    for (uint32_t i = 0; elements_next_entry(&e, &key, &value); i++) {
        int beyond = slice_is_unset(high) ? -1 : type_compare(type->args[0], key, high);
        inside = inside || type_compare(type->args[0], key, low) >= 0;
        if (!inside)
            continue;
        if (beyond > 0)
            return;
        if (!out->n++)
            out->at = i;
        out->value = value;
        if (beyond == 0)
            return;
    }
}

static enum wr_status eval_element(struct eval *eval, const struct expr *expr, struct slice *out)
{
    struct slice collection, low, high;
    struct places places;

    TRY(selection_bounds(eval, expr, &low, &high));
    TRY(expr_eval(eval, expr->args[0], &collection));
    *out = SLICE_NULL;
    if (slice_is_null(collection))
        return WR_OK;
    find_places(expr->args[0]->type, collection, low, high, &places);
    *out = places.value;
    return WR_OK;
}

static enum wr_status eval_slice(struct eval *eval, const struct expr *expr, struct slice *out)
{
    const struct type *type = expr->args[0]->type;
    uint32_t step = type->arg_count;
    struct slice collection, low, high, *values;
    struct places places;
    struct elements e;

    TRY(selection_bounds(eval, expr, &low, &high));
    TRY(expr_eval(eval, expr->args[0], &collection));
    *out = SLICE_NULL;
    if (slice_is_null(collection))
        return WR_OK;
    find_places(type, collection, low, high, &places);
    if (!places.n && type->multicell)
        return WR_OK; /* as if there were no cells */
    if (!(values = NEW_ARRAY(eval->exec->ctx, struct slice, (places.at + places.n) * step)))
        return WR_NOMEM;
    elements_open(&e, type, collection);
    for (uint32_t i = 0; i < (places.at + places.n) * step && elements_next(&e, &values[i]); i++)
        ;
    return type_pack(eval->exec->ctx, type, values + places.at * step, places.n, out);
}

static enum wr_status eval_field(struct eval *eval, const struct expr *expr, struct slice *out)
{
    struct slice udt;

    TRY(expr_eval(eval, expr->args[0], &udt));
    *out = element_at(expr->args[0]->type, udt, expr->field);
    return WR_OK;
}

/* ---- writetime, maxwritetime, ttl ---- */

/* The times of the cells behind an expression (ColumnTimestamps): one, or one a cell. */
struct times {
    bool single;
    uint32_t n;                /* 0: none at all */
    const struct cell **cells; /* NULL in it: a field without a cell */
};

static enum wr_status column_times(struct eval *eval, const struct column *column, struct times *out)
{
    const struct type *type = column->type;
    const struct row *row = column->kind == COLUMN_STATIC ? eval->static_row : eval->row;
    const struct cell *cells;
    uint32_t n = 0, kept = 0;

    out->single = !type->multicell;
    out->n = 0;
    if (!row || !(cells = row_find(row, column->id, &n)) || n == 0)
        return WR_OK;
    if (!(out->cells =
              NEW_ARRAY(eval->exec->ctx, const struct cell *, type->kind == TYPE_UDT ? type->arg_count + n : n)))
        return WR_NOMEM;
    for (uint32_t i = 0; i < n; i++) {
        if (cells[i].timestamp_us <= column->dropped_us || !cell_is_live(&cells[i], eval->exec->ctx->now_s))
            continue;
        if (type->kind == TYPE_UDT && type->multicell) {
            uint32_t field = row_field(type, &cells[i]);
            if (field < type->arg_count)
                out->cells[field] = &cells[i];
        } else {
            out->cells[kept] = &cells[i];
        }
        kept++;
    }
    out->n = kept && type->kind == TYPE_UDT && type->multicell ? type->arg_count : kept;
    return WR_OK;
}

static enum wr_status times_of(struct eval *eval, const struct expr *expr, struct times *out)
{
    struct slice value, low, high;
    struct places places;

    *out = (struct times){ .single = true };
    switch (expr->op) {
    case EVAL_COLUMN:
        return column_times(eval, expr->column, out);
    case EVAL_CALL: /* a mask: elements and fields are looked for in what it shows, and have the times of the column's at their place */
        return times_of(eval, expr->args[0], out);
    case EVAL_FIELD:
        TRY(times_of(eval, expr->args[0], out));
        TRY(eval_field(eval, expr, &value));
        if (slice_is_null(value))
            out->n = 0;
        else if (!out->single)
            *out = (struct times){ true, expr->field < out->n, out->cells + expr->field };
        return WR_OK;
    case EVAL_ELEMENT:
    case EVAL_SLICE:
        TRY(times_of(eval, expr->args[0], out));
        TRY(selection_bounds(eval, expr, &low, &high));
        TRY(expr_eval(eval, expr->args[0], &value));
        places.n = 0;
        if (!slice_is_null(value))
            find_places(expr->args[0]->type, value, low, high, &places);
        if (places.n == 0)
            out->n = 0;
        else if (!out->single)
            *out = (struct times){ expr->op == EVAL_ELEMENT, places.at + places.n <= out->n ? places.n : 0,
                                   out->cells + places.at };
        return WR_OK;
    default:
        return WR_OK;
    }
}

static bool cell_time(const struct eval *eval, const struct cell *cell, enum cells_of of, int64_t *out)
{
    if (!cell || (of == CELLS_TTL && cell->kind != CELL_EXPIRING))
        return false;
    *out = of == CELLS_TTL ? (int64_t)cell->local_s - eval->exec->ctx->now_s : cell->timestamp_us;
    return true;
}

static enum wr_status eval_cells(struct eval *eval, const struct expr *expr, struct slice *out)
{
    size_t width = expr->cells == CELLS_TTL ? 4 : 8;
    struct times times;
    struct buf buf;
    int64_t time, max = INT64_MIN;
    bool any = false;

    TRY(times_of(eval, expr->args[0], &times));
    *out = SLICE_NULL;
    if (!times.n)
        return WR_OK;
    buf_init(&buf, eval->exec->ctx->arena);
    if (!times.single && expr->cells != CELLS_MAXWRITETIME)
        buf_put_u32(&buf, times.n);
    for (uint32_t i = 0; i < times.n; i++) {
        bool has = cell_time(eval, times.cells[i], expr->cells, &time);
        any |= has;
        if (expr->cells == CELLS_MAXWRITETIME) {
            max = has && time > max ? time : max;
            continue;
        }
        if (!times.single)
            buf_put_u32(&buf, has ? (uint32_t)width : UINT32_MAX);
        if (has && width == 4)
            buf_put_u32(&buf, (uint32_t)time);
        else if (has)
            buf_put_u64(&buf, (uint64_t)time);
    }
    if (expr->cells == CELLS_MAXWRITETIME)
        buf_put_u64(&buf, (uint64_t)max);
    if (!any && (times.single || expr->cells == CELLS_MAXWRITETIME))
        return WR_OK;
    return buf_done(eval->exec->ctx, &buf, out);
}

static enum wr_status eval_taken(struct eval *eval, const struct expr *expr, struct slice *out)
{
    struct ctx *ctx = eval->exec->ctx;

    TRY(expr_eval(eval, expr->args[0], out));
    enum wr_status st = type_validate(ctx, expr->type, *out);
    return st == WR_INVALID ? fail(ctx, st, "%s", expr->refusal) : st;
}

/* ---- all of them ---- */

static eval_fn *const eval_table[EVAL_COUNT] = {
    [EVAL_VALUE] = eval_value, [EVAL_MARKER] = eval_marker,       [EVAL_COLUMN] = eval_column,
    [EVAL_CALL] = eval_call,   [EVAL_AGGREGATE] = eval_aggregate, [EVAL_CELLS] = eval_cells,
    [EVAL_PACK] = eval_pack,   [EVAL_ELEMENT] = eval_element,     [EVAL_SLICE] = eval_slice,
    [EVAL_FIELD] = eval_field, [EVAL_TAKEN] = eval_taken,
};

enum wr_status expr_eval(struct eval *eval, const struct expr *expr, struct slice *out)
{
    return eval_table[expr->op](eval, expr, out);
}

enum wr_status expr_eval_term(struct exec *exec, const struct expr *expr, struct slice *out)
{
    struct eval eval = { .exec = exec };

    TRY(expr_eval(&eval, expr, out));
    if (expr->op != EVAL_CALL || slice_is_null(*out))
        return WR_OK;
    return value_recompose(exec->ctx, expr->type, *out, out); /* a set of a function's own may be in any order */
}
