/* Restrictions as a server's read command shows them: RowFilter.toCQLString, DataRange.toCQLString. */
#include "model/parse.h"
#include "model/restrict_node.h"
#include "model/value.h"

static void put_name(struct buf *out, const struct column *column, bool *any)
{
    buf_put_str(out, *any ? " AND " : " WHERE ");
    *any = true;
    cql_put_name(out, column->name);
}

static enum wr_status put_evaluated(struct exec *exec, struct buf *out, const struct type *type, const struct expr *expr)
{
    struct slice value;
    TRY(expr_eval_term(exec, expr, &value));
    type_print_literal(out, type, value);
    return WR_OK;
}

static enum wr_status put_equals(struct exec *exec, struct buf *out, const struct restriction *r, bool *any)
{
    struct slice *values;
    uint32_t n, width = r->column_count;

    TRY(restriction_values(exec, r, &values, &n));
    for (uint32_t c = 0; c < width; c++) {
        put_name(out, r->columns[c], any);
        buf_put_str(out, n == 1 ? " = " : " IN [");
        for (uint32_t i = 0; i < n; i++) {
            buf_put_str(out, i ? ", " : "");
            type_print_literal(out, r->columns[c]->type, values[(size_t)i * width + c]);
        }
        buf_put_str(out, n == 1 ? "" : "]");
    }
    return WR_OK;
}

static enum wr_status put_bounds(struct exec *exec, struct buf *out, const struct restriction *r, bool *any)
{
    static const char *const operators[2][2] = { { " > ", " >= " }, { " < ", " <= " } };

    for (int b = BOUND_START; b <= BOUND_END; b++) {
        const struct restriction_bound *bound = &r->bounds[b];
        struct slice *values = NEW_ARRAY(exec->ctx, struct slice, r->column_count);
        if (!values)
            return WR_NOMEM;
        if (!bound->column_count)
            continue;
        TRY(right_side_eval(exec, r, &bound->value, bound->column_count, values, NULL));
        for (uint32_t c = 0; c < bound->column_count; c++) {
            put_name(out, r->columns[c], any);
            buf_put_str(out, operators[b][bound->inclusive]);
            type_print_literal(out, r->columns[c]->type, values[c]);
        }
    }
    return WR_OK;
}

static enum wr_status put_contains(struct exec *exec, struct buf *out, const struct restriction *r, bool *any)
{
    const struct column *column = r->columns[0];
    const struct type *type = column->type, *of_value = type_contained(type), *of_key = type->args[0];

    for (const struct contains *c = r->contains; c; c = c->next) {
        put_name(out, column, any);
        if (c->kind == CONTAINS_ENTRY) {
            buf_put_str(out, "[");
            TRY(put_evaluated(exec, out, of_key, c->key));
            buf_put_str(out, "] = ");
        } else {
            buf_put_str(out, c->kind == CONTAINS_KEY ? " CONTAINS KEY " : " CONTAINS ");
        }
        TRY(c->kind == CONTAINS_KEY ? put_evaluated(exec, out, of_key, c->key) : put_evaluated(exec, out, of_value, c->value));
    }
    return WR_OK;
}

static enum wr_status put_like(struct exec *exec, struct buf *out, const struct restriction *r, bool *any)
{
    struct slice pattern;
    TRY(right_side_eval(exec, r, &r->values[0], 1, &pattern, NULL));
    put_name(out, r->columns[0], any);
    buf_put_str(out, " LIKE ");
    type_print_literal(out, r->columns[0]->type, pattern);
    return WR_OK;
}

static enum wr_status put_nothing(struct exec *exec, struct buf *out, const struct restriction *r, bool *any)
{
    (void)exec, (void)out, (void)r, (void)any;
    return WR_OK;
}

static enum wr_status put(struct exec *exec, struct buf *out, const struct restriction *r, bool *any)
{
    static enum wr_status (*const kinds[])(struct exec *exec, struct buf *out, const struct restriction *r, bool *any) = {
        [RESTRICTION_EQ] = put_equals,         [RESTRICTION_IN] = put_equals, [RESTRICTION_SLICE] = put_bounds,
        [RESTRICTION_CONTAINS] = put_contains, [RESTRICTION_LIKE] = put_like, [RESTRICTION_ANN] = put_nothing,
    };
    return kinds[r->kind](exec, out, r, any);
}

enum wr_status restrict_put_filter(struct exec *exec, const struct restrictions *rs, struct buf *out, bool *any)
{
    const struct table *table = rs->table;

    for (uint32_t i = 0; rs->filters_keys && i < table->key_count; i++)
        if (rs->keys[i])
            TRY(put(exec, out, rs->keys[i], any));
    for (uint32_t i = rs->ranged; i < table->clustering_count; i++)
        if (rs->clustering[i] && (i == rs->ranged || rs->clustering[i] != rs->clustering[i - 1]))
            TRY(put(exec, out, rs->clustering[i], any));
    for (uint32_t i = 0; i < rs->other_count; i++)
        if (rs->others[i])
            TRY(put(exec, out, rs->others[i], any));
    return WR_OK;
}

enum wr_status restrict_put_tokens(struct exec *exec, const struct restrictions *rs, bool begun, struct buf *out, bool *any)
{
    static const char *const operators[2][2] = { { ") > ", ") >= " }, { ") < ", ") <= " } };
    const struct restriction *r = rs->token;
    struct slice value;

    for (int b = begun ? BOUND_END : BOUND_START; r && b <= BOUND_END; b++) {
        const struct restriction_bound *bound = &r->bounds[b];
        if (!bound->column_count)
            continue;
        TRY(right_side_eval(exec, r, &bound->value, 1, &value, NULL));
        if (token_is_least(rs, value))
            continue;
        buf_put_str(out, *any ? " AND token(" : " WHERE token(");
        *any = true;
        for (uint32_t i = 0; i < rs->table->key_count; i++) {
            buf_put_str(out, i ? ", " : "");
            cql_put_name(out, table_key(rs->table, i)->name);
        }
        buf_put_str(out, operators[b][bound->inclusive]);
        type_print_literal(out, r->token_type, value);
    }
    return WR_OK;
}
