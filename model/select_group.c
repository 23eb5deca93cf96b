/* Rows to groups: GROUP BY, and aggregates without it. A column without an aggregate takes the value of the group's
 * first row. */

#include "model/failure.h"
#include "model/select_node.h"

enum wr_status group_new(struct exec *exec, const struct select_plan *plan, struct group *out)
{
    const struct projection *p = &plan->project;
    memset(out, 0, sizeof *out);
    if (!(out->values = NEW_ARRAY(exec->ctx, struct slice, plan->source.table->column_count)))
        return WR_NOMEM;
    return p->has_aggregate ? aggregates_new(exec, p->exprs, p->expr_count, &out->aggregates) : WR_OK;
}

static struct eval row_eval(struct exec *exec, const struct select_run *run)
{
    const struct source *s = &run->source;
    return (struct eval){ .exec = exec, .columns = s->values, .row = s->row, .static_row = s->static_row };
}

static enum wr_status function_value(struct exec *exec, const struct select_plan *plan, const struct select_run *run,
                                     struct slice *out)
{
    struct eval eval = row_eval(exec, run);
    *out = SLICE_NULL;
    if (!plan->group_function)
        return WR_OK;
    enum wr_status st = expr_eval(&eval, plan->group_function, out);
    return st == WR_INVALID ? failure_of_read(exec) : st; /* the replica counts groups, and says no more than that it failed */
}

static bool is_same(const struct type *type, struct slice a, struct slice b)
{
    if (slice_is_null(a) || slice_is_null(b))
        return slice_is_null(a) == slice_is_null(b);
    return type_compare(type, a, b) == 0;
}

enum wr_status group_has(struct exec *exec, const struct select_plan *plan, const struct select_run *run, bool *has)
{
    const struct table *table = plan->source.table;
    const struct group *g = &run->group;
    uint32_t by_value = plan->group_clusterings - (plan->group_function != NULL);
    struct slice value;

    *has = plan->grouping == GROUP_ALL;
    if (*has || run->source.new_partition)
        return WR_OK;
    for (uint32_t i = 0; i < by_value; i++) {
        uint32_t ordinal = table->key_count + i;
        if (!is_same(table->columns[ordinal].type, g->values[ordinal], run->source.values[ordinal]))
            return WR_OK;
    }
    TRY(function_value(exec, plan, run, &value));
    *has = !plan->group_function || is_same(expr_type(plan->group_function), g->function, value);
    return WR_OK;
}

/* ---- the first row, kept ---- */

static struct slice keep_bytes(struct group *g, size_t *at, struct slice value)
{
    uint8_t *to = g->bytes + *at;
    if (slice_is_null(value))
        return value;
    if (value.len)
        memcpy(to, value.data, value.len);
    *at += value.len;
    return slice_of(to, value.len);
}

/* Cells are looked at for their timestamps alone, and what they point to lives as long as the transaction. NULL: no
 * row. */
static const struct row *keep_cells(struct group *g, size_t *at, const struct row *row, struct row *kept)
{
    if (!row)
        return NULL;
    *kept = *row;
    kept->cells = (struct cell *)(void *)(g->bytes + *at);
    if (row->cell_count)
        memcpy(kept->cells, row->cells, row->cell_count * sizeof *row->cells);
    *at += row->cell_count * sizeof *row->cells;
    return kept;
}

static size_t cells_size(const struct row *row)
{
    return row ? row->cell_count * sizeof *row->cells : 0;
}

static enum wr_status make_room(struct exec *exec, struct select_run *run, size_t need)
{
    struct group *g = &run->group;
    if (need <= g->room)
        return WR_OK;
    g->room = 2 * need;
    if (!(g->bytes = ctx_alloc(exec->ctx, g->room)))
        return WR_NOMEM;
    source_keep(exec, &run->source);
    return WR_OK;
}

enum wr_status group_begin(struct exec *exec, const struct select_plan *plan, struct select_run *run)
{
    const struct source *s = &run->source;
    const struct row *row = plan->project.reads_cells ? s->row : NULL;
    const struct row *static_row = plan->project.reads_cells ? s->static_row : NULL;
    struct group *g = &run->group;
    size_t need = cells_size(row) + cells_size(static_row), at = 0;
    struct slice function;

    TRY(function_value(exec, plan, run, &function));
    need += function.len;
    for (uint32_t i = 0; i < plan->kept_count; i++)
        need += s->values[plan->kept[i]].len;
    TRY(make_room(exec, run, need + 1)); /* never without a place: an empty value is not a null one */
    g->row = keep_cells(g, &at, row, &g->rows[0]);
    g->static_row = keep_cells(g, &at, static_row, &g->rows[1]);
    for (uint32_t i = 0; i < plan->kept_count; i++)
        g->values[plan->kept[i]] = keep_bytes(g, &at, s->values[plan->kept[i]]);
    g->function = keep_bytes(g, &at, function);
    g->open = true;
    if (g->aggregates)
        aggregates_reset(g->aggregates);
    return WR_OK;
}

/* ---- the last row's place, kept ---- */

/* A server's state names the last row it has read of a group, and not the one that ended it, so rows that are written between the two are given
 * (AbstractQueryPager.recordLast). */
enum wr_status group_keep_last(struct exec *exec, struct select_run *run)
{
    const struct source *s = &run->source;
    struct group *g = &run->group;
    struct slice key = source_key(s);
    size_t need = key.len + s->clustering.len + 1; /* never without a place */

    if (need > g->last_room) {
        g->last_room = 2 * need;
        if (!(g->last = ctx_alloc(exec->ctx, g->last_room)))
            return WR_NOMEM;
        source_keep(exec, &run->source);
    }
    memcpy(g->last, key.data, key.len);
    if (s->clustering.len)
        memcpy(g->last + key.len, s->clustering.data, s->clustering.len);
    g->last_key = slice_of(g->last, key.len);
    g->last_clustering = slice_of(g->last + key.len, s->clustering.len);
    return WR_OK;
}

/* ---- aggregates ---- */

/* Whether the rows that have been read ahead are of the group, whatever they are: those of a scan are of one partition. */
static bool has_ready(const struct select_plan *plan, const struct source *s)
{
    const bool one_partition = plan->grouping == GROUP_PREFIX && !plan->group_clusterings && !s->by_entry && !source_is_by_hit(s);
    return plan->grouping == GROUP_ALL || one_partition;
}

/* Those, too. */
static enum wr_status add_ready(struct exec *exec, const struct select_plan *plan, struct select_run *run)
{
    if (plan->source.look != LOOK_AT_ALL || run->partition_limit != UINT32_MAX || exec->tracer || !has_ready(plan, &run->source) ||
        !aggregates_are_of_columns(run->group.aggregates))
        return WR_OK;
    const struct rows_ahead ahead = source_take_many(&run->source, UINT32_MAX);
    return ahead.left ? aggregates_add_columns(exec, run->group.aggregates, ahead.next, ahead.stride, ahead.left) : WR_OK;
}

enum wr_status group_add(struct exec *exec, const struct select_plan *plan, struct select_run *run)
{
    struct eval eval = row_eval(exec, run);
    struct arena_mark before = arena_mark(exec->ctx->arena), after;

    if (!run->group.aggregates)
        return WR_OK;
    TRY(aggregates_add(&eval, run->group.aggregates));
    TRY(add_ready(exec, plan, run));
    after = arena_mark(exec->ctx->arena);
    if (after.block != before.block || after.used != before.used)
        source_keep(exec, &run->source); /* a state has grown */
    return WR_OK;
}

enum wr_status group_pass(struct exec *exec, struct select_run *run)
{
    uint64_t rows;

    TRY(source_pass(exec, &run->source, &rows));
    if (rows)
        aggregates_add_rows(run->group.aggregates, rows);
    return WR_OK;
}

struct eval group_eval(struct exec *exec, const struct select_run *run)
{
    const struct group *g = &run->group;
    return (struct eval){
        .exec = exec,
        .columns = g->values,
        .row = g->row,
        .static_row = g->static_row,
        .aggregates = g->aggregates,
        .no_row = !g->open,
    };
}
