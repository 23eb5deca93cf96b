/* ORDER BY over several partitions (IN): every row is read, kept and put in order; only then LIMIT counts. */

#include "model/select_node.h"
#include "model/sort.h"

struct sorted_row {
    struct slice *values; /* the result row, then what it is sorted by */
};

struct sorted {
    struct sorted_row *rows;
    uint32_t count, room, at;
};

/* Copies the result row and its sort values into memory of the run that stays. */
static enum wr_status keep_row(struct exec *exec, const struct select_plan *plan, const struct slice *row,
                               const struct slice *columns, struct sorted_row *out)
{
    uint32_t width = plan->plan.column_count, n = width + plan->sort_count;
    size_t need = 1; /* an empty value needs a place too */
    struct slice *values = NEW_ARRAY(exec->ctx, struct slice, n);

    if (!values)
        return WR_NOMEM;
    for (uint32_t i = 0; i < n; i++) {
        values[i] = i < width ? row[i] : plan->sorts_json ? row[0] : columns[plan->sort[i - width].ordinal];
        need += values[i].len;
    }
    uint8_t *bytes = ctx_alloc(exec->ctx, need);
    if (!bytes)
        return WR_NOMEM;
    for (uint32_t i = 0; i < n; i++) {
        if (slice_is_null(values[i]))
            continue;
        if (values[i].len)
            memcpy(bytes, values[i].data, values[i].len);
        values[i].data = bytes;
        bytes += values[i].len;
    }
    out->values = values;
    return WR_OK;
}

static enum wr_status grow(struct exec *exec, struct sorted *sorted)
{
    uint32_t room = sorted->room ? 2 * sorted->room : 64;
    struct sorted_row *rows = NEW_ARRAY(exec->ctx, struct sorted_row, room);
    if (!rows)
        return WR_NOMEM;
    if (sorted->count)
        memcpy(rows, sorted->rows, sorted->count * sizeof *rows);
    sorted->rows = rows;
    sorted->room = room;
    return WR_OK;
}

/* As if they were vectors: of elements of one length the first bytes, as many as those take; else all of them. */
static int cmp_texts_as_vectors(const struct type *type, struct slice x, struct slice y)
{
    int element = type_fixed_len(type->args[0]);
    size_t len = element < 0 ? SIZE_MAX : (size_t)element * type->dimension;

    return x.len < len || y.len < len ? slice_cmp(x, y) : type_compare(type, slice_of(x.data, len), slice_of(y.data, len));
}

/* The texts of SELECT JSON *, which a server takes for values of the column (Selection.getOrderingIndex): most types compare their bytes. A double
 * is the first eight, shorter numbers are the same in all texts, and UUIDs are none of other lengths. */
static int cmp_texts(const struct type *type, struct slice x, struct slice y)
{
    switch (type->kind) {
    case TYPE_BOOLEAN:
    case TYPE_TINYINT:
    case TYPE_FLOAT:
    case TYPE_UUID:
    case TYPE_TIMEUUID: return 0;
    case TYPE_DOUBLE: return slice_cmp(slice_of(x.data, sizeof(double)), slice_of(y.data, sizeof(double)));
    case TYPE_VARINT:
    case TYPE_DECIMAL: return type_compare(type, x, y);
    case TYPE_VECTOR: return cmp_texts_as_vectors(type, x, y);
    default: return slice_cmp(x, y);
    }
}

/* By columns; what is null is first in the table's order, whether its column ascends there or descends, and last in the reverse of it. */
static int cmp_rows(const void *a, const void *b, const void *arg)
{
    const struct select_plan *plan = arg;
    const struct sorted_row *one = a, *other = b;
    const struct slice *x = one->values + plan->plan.column_count, *y = other->values + plan->plan.column_count;

    for (uint32_t i = 0; i < plan->sort_count; i++) {
        bool null = slice_is_null(x[i]) || slice_is_null(y[i]), backwards = null ? plan->reversed : plan->sort[i].descending;
        int c = null             ? slice_is_null(y[i]) - slice_is_null(x[i])
              : plan->sorts_json ? cmp_texts(plan->sort[i].type, x[i], y[i])
                                 : type_compare(plan->sort[i].type, x[i], y[i]);
        if (c)
            return backwards ? -c : c;
    }
    return 0;
}

enum wr_status sorted_fill(struct exec *exec, const struct select_plan *plan, struct select_run *run)
{
    struct sorted *sorted = NEW(exec->ctx, struct sorted);
    const struct slice *row;
    struct eval eval;

    if (!sorted)
        return WR_NOMEM;
    source_keep(exec, &run->source);
    for (;;) {
        TRY(select_next(exec, plan, run, &eval, &row));
        if (!row)
            break;
        if (sorted->count == sorted->room)
            TRY(grow(exec, sorted));
        TRY(keep_row(exec, plan, row, eval.columns, &sorted->rows[sorted->count++]));
        source_keep(exec, &run->source);
    }
    run->sorted = sorted;
    return sort_stably(exec->ctx, sorted->rows, sorted->count, sizeof *sorted->rows, cmp_rows, plan); /* equals: as their partitions */
}

const struct slice *sorted_next(struct sorted *sorted)
{
    return sorted->at < sorted->count ? sorted->rows[sorted->at++].values : NULL;
}
