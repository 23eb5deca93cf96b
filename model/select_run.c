/* A SELECT under way: limits, pages, and the rows that go out. */

#include "model/failure.h"
#include "model/read_command.h"
#include "model/select_node.h"
#include "model/tracing.h"
#include "model/value.h"

/* ---- starting ---- */

static enum wr_status eval_limit(struct exec *exec, const struct expr *expr, uint32_t *out)
{
    struct slice value;
    *out = UINT32_MAX;
    if (!expr)
        return WR_OK;
    TRY(expr_eval_term(exec, expr, &value));
    if (slice_is_unset(value))
        return WR_OK;
    if (slice_is_null(value))
        return fail(exec->ctx, WR_INVALID, "Invalid null value of limit");
    if (value.len != sizeof(uint32_t)) /* empty */
        return fail_composed_null(exec->ctx, "Integer.intValue()", "Int32Type");
    int64_t limit = value_to_int(type_native(TYPE_INT), value);
    if (limit <= 0)
        return fail(exec->ctx, WR_INVALID, "LIMIT must be strictly positive");
    *out = (uint32_t)limit;
    return WR_OK;
}

static void warn_of_aggregation(struct exec *exec, const struct select_plan *plan)
{
    if (plan->grouping == GROUP_NONE)
        return;
    if (!restrict_has_key_restriction(plan->source.where))
        ctx_warn(exec->ctx, "Aggregation query used without partition key");
    else if (restrict_key_has_in(plan->source.where))
        ctx_warn(exec->ctx, "Aggregation query used on multiple partition keys (IN restriction)");
}

/* SelectStatement.execute: what comes in one page is read without a pager, whatever state was given. No limit is one of INT32_MAX rows there. */
static bool is_without_pager(const struct exec *exec, const struct select_plan *plan, const struct select_run *run)
{
    bool in_one = exec->page.size <= 0 || exec->page.size == INT32_MAX || run->left <= (uint32_t)exec->page.size;
    return plan->grouping == GROUP_NONE && (in_one || plan->ann.column);
}

static enum wr_status start_place(struct exec *exec, const struct select_plan *plan, struct select_run *run, struct source_place *place)
{
    struct page_state state;

    *place = (struct source_place){ .key = SLICE_NULL };
    run->source.command.at_once = is_without_pager(exec, plan, run);
    if (slice_is_null(exec->page.state))
        return WR_OK;
    TRY(page_decode(exec->ctx, exec->page.state, &state));
    if (run->source.command.at_once)
        return WR_OK;
    run->left = state.remaining;
    if (state.remaining_in_partition < run->partition_left)
        run->partition_left = state.remaining_in_partition;
    place->key = state.key;
    place->clustering = state.clustering;
    place->after_partition = (state.flags & PAGE_PARTITION_DONE) != 0;
    place->of_single = (state.flags & PAGE_SINGLE) != 0;
    return WR_OK;
}

static enum wr_status pass_hidden(struct exec *exec, const struct select_plan *plan, struct select_run *run);

/* How many rows are asked for; what is given in the select list is looked at whether or not there is a row to evaluate it for. */
static enum wr_status bind_limits(struct exec *exec, const struct select_plan *plan, struct select_run *run)
{
    TRY(eval_limit(exec, plan->limit, &run->left));
    TRY(eval_limit(exec, plan->per_partition_limit, &run->partition_limit));
    run->partition_left = run->partition_limit;
    run->page_left = exec->page.size > 0 ? (uint32_t)exec->page.size : UINT32_MAX;
    for (uint32_t i = 0; i < plan->project.expr_count; i++)
        TRY(expr_check_terminals(exec, plan->project.exprs[i]));
    if (plan->group_function)
        TRY(expr_check_terminals(exec, plan->group_function));
    return group_check_monotonic(exec, plan);
}

/*
 * Each partition has its rows in the order that those of all are put in, so the first of all are among the first of each. A server reads them all: so is
 * it done where somebody is told of what was read, or might be told that a row cannot be evaluated.
 */
static void limit_sorted(const struct exec *exec, const struct select_plan *plan, struct select_run *run)
{
    if (!plan->sort_count || plan->sorts_json || plan->grouping != GROUP_NONE || plan->project.expr_count || is_traced(exec) ||
        read_command_counts(exec))
        return;
    if (run->left < run->partition_limit)
        run->partition_left = run->partition_limit = run->left;
}

/* Where limits of rows or of the page do not hold. */
static void lift_limits(const struct exec *exec, const struct select_plan *plan, struct select_run *run)
{
    /* in one page come, where its size is 1, keys that have but one row each, too */
    bool single_rows = plan->source.by_key && plan->plan.table->clustering_count == 0 && exec->page.size == 1;

    if (plan->grouping == GROUP_ALL && !plan->ann.column) /* one row, whatever is asked for */
        run->left = run->page_left = UINT32_MAX;
    if (plan->one_page || (plan->grouping == GROUP_PREFIX && single_rows))
        run->page_left = UINT32_MAX;
}

/* As a server's command has them: groups are read in pages of their own, of rows. */
static struct command_limits limits_of(const struct exec *exec, const struct select_plan *plan, const struct select_run *run)
{
    enum { GROUPED_ROWS = 10000 };
    uint32_t asked = run->left < run->page_left ? run->left : run->page_left;
    uint32_t page = exec->page.size > 0 ? (uint32_t)exec->page.size : UINT32_MAX;

    return (struct command_limits){
        .rows = plan->grouping == GROUP_NONE                              ? asked
                : plan->grouping == GROUP_PREFIX && page == UINT32_MAX ? GROUPED_ROWS
                                                                          : page,
        .groups = plan->grouping == GROUP_PREFIX ? asked : UINT32_MAX,
        .of_partition = plan->source.unit == UNIT_PARTITION ? 1 : run->partition_limit,
        .grouped = plan->grouping == GROUP_PREFIX,
        .aggregates = plan->grouping == GROUP_ALL,
    };
}

static enum wr_status check_paged_order(struct exec *exec, const struct select_plan *plan, const struct select_run *run)
{
    bool whole = exec->page.size <= 0 || (plan->grouping == GROUP_NONE && exec->page.size == INT32_MAX);
    if (!plan->sort_count || whole || (plan->grouping == GROUP_NONE && !run->source.asks))
        return WR_OK;
    return fail(exec->ctx, WR_INVALID,
                "Cannot page queries with both ORDER BY and a IN restriction on the partition key; you must either remove the "
                "ORDER BY or the IN and sort client side, or disable paging for this query");
}

enum wr_status select_start(struct exec *exec, const struct plan *base)
{
    const struct select_plan *plan = (const struct select_plan *)base;
    struct select_run *run;
    struct source_place place;
    bool done = false;

    if (plan->point && !is_traced(exec))
        TRY(entries_read_point(exec, plan, &done));
    if (done)
        return WR_OK;
    run = NEW(exec->ctx, struct select_run);
    if (!run || !(run->out = NEW_ARRAY(exec->ctx, struct slice, base->column_count)))
        return WR_NOMEM;
    exec->run = run;
    TRY(bind_limits(exec, plan, run));
    TRY(start_place(exec, plan, run, &place));
    if (plan->ann.column)
        TRY(ann_check(exec, plan, run));
    lift_limits(exec, plan, run);
    limit_sorted(exec, plan, run);
    if (plan->grouping != GROUP_NONE)
        TRY(group_new(exec, plan, &run->group));
    run->source.command.limits = limits_of(exec, plan, run);
    run->source.rows_most = plan->grouping != GROUP_NONE || plan->ann.column ? UINT32_MAX : run->source.command.limits.rows;
    if (plan->grouping == GROUP_NONE && run->page_left != UINT32_MAX) {
        run->source.command.left = &run->left;
        run->source.command.page_left = &run->page_left;
    }
    TRY(source_find(exec, &run->source, &plan->source, place));
    if (plan->ann.column)
        TRY(ann_eval(exec, plan, run));
    warn_of_aggregation(exec, plan);
    TRY(check_paged_order(exec, plan, run));
    TRY(source_open(exec, &run->source));
    if (plan->direct && (!run->source.filter || source_reads_hits_ahead(&run->source)))
        run->source.wanted = run->left < run->page_left ? run->left : run->page_left;
    if (run->source.hidden && plan->grouping != GROUP_ALL)
        return pass_hidden(exec, plan, run);
    run->source.done |= run->source.hidden;
    if (plan->ann.column)
        return ann_fill(exec, plan, run);
    return plan->sort_count ? sorted_fill(exec, plan, run) : WR_OK;
}

void select_finish(struct exec *exec, const struct plan *plan)
{
    struct select_run *run = exec->run;
    (void)plan;
    if (run && !run->point.is_point) {
        ann_free(run->nearest);
        if (is_traced(exec))
            source_trace_end(exec, &run->source);
    }
    if (exec->cursors.scan)
        scan_close(exec->cursors.scan);
    if (exec->cursors.partitions)
        partitions_close(exec->cursors.partitions);
    if (exec->cursors.index_scan)
        index_scan_close(exec->cursors.index_scan);
}

/* ---- rows ---- */

/* Counts a row (or group) against PER PARTITION LIMIT; *counts false: its partition has given enough. A page that begins within a
 * partition goes on counting there. */
static inline enum wr_status count_in_partition(struct exec *exec, struct select_run *run, bool *counts)
{
    *counts = true;
    if (run->partition_limit == UINT32_MAX)
        return WR_OK;
    if (run->source.new_partition && !run->source.resuming)
        run->partition_left = run->partition_limit;
    if (run->partition_left == 0) {
        *counts = false;
        return source_skip_partition(exec, &run->source);
    }
    bool has_more = --run->partition_left || run->source.command.limits.grouped; /* the last group goes on to the row that ends it */
    return has_more ? WR_OK : source_skip_partition(exec, &run->source);
}

static enum wr_status next_row(struct exec *exec, const struct select_plan *plan, struct select_run *run, struct eval *eval,
                               const struct slice **row)
{
    struct source *s = &run->source;
    bool found, counts;

    *row = NULL;
    do {
        TRY(source_next(exec, s, &found));
        if (!found)
            return WR_OK;
        TRY(count_in_partition(exec, run, &counts));
    } while (!counts);
    *eval = (struct eval){ .exec = exec, .columns = s->values, .row = s->row, .static_row = s->static_row };
    return project_row(&plan->project, plan->source.table, eval, run->out, row);
}

static void count_given(struct select_run *run, uint32_t rows)
{
    if (run->left != UINT32_MAX)
        run->left -= rows;
    if (run->page_left != UINT32_MAX)
        run->page_left -= rows;
}

/* Most reads: columns of rows as they come, and whoever traces them is told of each. */
static inline enum wr_status next_direct(struct exec *exec, struct select_run *run, const struct slice **row)
{
    bool found;
    TRY(source_next_values(exec, &run->source, &found));
    *row = found ? run->source.values : NULL;
    if (!found || exec->tracer)
        return WR_OK;
    exec->ahead = source_take_many(&run->source, (run->left < run->page_left ? run->left : run->page_left) - 1);
    count_given(run, exec->ahead.left);
    return WR_OK;
}

static enum wr_status give_group(struct exec *exec, const struct select_plan *plan, struct select_run *run, struct eval *eval,
                                 const struct slice **row)
{
    *eval = group_eval(exec, run);
    run->group.open = false;
    run->group.given = true;
    return project_row(&plan->project, plan->source.table, eval, run->out, row);
}

/* A group ends where the next row is not of it; that row stays pending until the group has been given. */
static enum wr_status next_group(struct exec *exec, const struct select_plan *plan, struct select_run *run, struct eval *eval,
                                 const struct slice **row)
{
    struct group *g = &run->group;

    for (*row = NULL;;) {
        if (!run->pending)
            TRY(source_next(exec, &run->source, &run->pending));
        if (!run->pending) { /* the end; without GROUP BY there is a row even of nothing */
            bool owed = g->open || (plan->grouping == GROUP_ALL && !g->given);
            return owed ? give_group(exec, plan, run, eval, row) : WR_OK;
        }
        bool fits;
        if (g->open) {
            TRY(group_has(exec, plan, run, &fits));
            if (!fits)
                return give_group(exec, plan, run, eval, row);
        } else {
            TRY(count_in_partition(exec, run, &fits));
            if (!fits) {
                run->pending = false;
                continue;
            }
            TRY(group_begin(exec, plan, run));
            run->source.command.groups_begun += plan->grouping == GROUP_PREFIX;
        }
        TRY(group_add(exec, plan, run));
        if (plan->source.look != LOOK_AT_ALL)
            TRY(group_pass(exec, run));
        if (run->page_left == 1)
            TRY(group_keep_last(exec, run));
        g->key_at = run->source.keys.at;
        run->pending = false;
    }
}

enum wr_status select_next(struct exec *exec, const struct select_plan *plan, struct select_run *run, struct eval *eval,
                           const struct slice **row)
{
    return plan->grouping == GROUP_NONE ? next_row(exec, plan, run, eval, row) : next_group(exec, plan, run, eval, row);
}

/* ---- pages ---- */

/* Whether the keys have nothing more to give, their partition having given all. To see that a group is whole the next partition was looked for:
 * a server does not do that where a partition cannot have another row, and one that holds nothing but tombstones is one to it. */
static bool keys_are_done(const struct select_plan *plan, const struct select_run *run)
{
    const struct source *s = &run->source;
    bool grouped = plan->grouping == GROUP_PREFIX;

    if (!plan->source.by_key || (grouped && s->keys.found_at > run->group.key_at))
        return false;
    return (grouped ? run->group.key_at : s->keys.at) == s->keys.count;
}

/* The row that ended a group is of another partition, which a server then leaves unread. */
static bool is_elsewhere(const struct select_run *run)
{
    return run->pending && run->source.new_partition && !run->source.resuming;
}

/*
 * The page is full. As a server does, it says that there may be more without looking; only where the last of the keys has no more
 * to give (one row a partition, or enough of them) does it know better.
 */
static enum wr_status end_page(struct exec *exec, const struct select_plan *plan, struct select_run *run)
{
    const struct source *s = &run->source;
    bool grouped = plan->grouping == GROUP_PREFIX && !s->hidden;
    struct page_state state = {
        .remaining = run->left,
        .remaining_in_partition = run->partition_left,
        .key = grouped ? run->group.last_key : source_key(s),
        .clustering = grouped ? run->group.last_clustering : s->clustering,
    };
    bool given_all = run->partition_left == 0 || state.clustering.len == 0;

    if (given_all && !is_elsewhere(run) && keys_are_done(plan, run))
        return WR_OK;
    if (given_all || (s->done && !grouped)) {
        state.flags = PAGE_PARTITION_DONE;
        state.clustering = SLICE_EMPTY;
    }
    if (plan->source.by_key && s->keys.count == 1)
        state.flags |= PAGE_SINGLE;
    return page_encode(exec->ctx, &state, &exec->page.next);
}

/* A page of rows that are counted there and never shown: DataLimits sees static rows, of which IN () on the clustering selects nothing. */
static enum wr_status pass_hidden(struct exec *exec, const struct select_plan *plan, struct select_run *run)
{
    bool found = true, counts;

    for (; run->left && run->page_left; run->left--, run->page_left--) {
        do {
            counts = true;
            TRY(source_next(exec, &run->source, &found));
            if (found)
                TRY(count_in_partition(exec, run, &counts));
        } while (!counts);
        if (!found)
            break;
    }
    run->ended = true;
    run->group.key_at = run->source.keys.at;
    return found && run->left ? end_page(exec, plan, run) : WR_OK;
}

enum wr_status select_step(struct exec *exec, const struct plan *base, const struct slice **row)
{
    const struct select_plan *plan = (const struct select_plan *)base;
    struct select_run *run = exec->run;
    struct eval eval;

    *row = NULL;
    if (run->point.is_point) {
        *row = run->point.row;
        run->point.row = NULL;
        return WR_OK;
    }
    if (run->ended)
        return WR_OK;
    if (run->left == 0 || run->page_left == 0) {
        run->ended = true;
        TRY(read_command_end(exec, &run->source, !is_elsewhere(run)));
        return run->left == 0 ? WR_OK : end_page(exec, plan, run);
    }
    if (plan->direct)
        TRY(next_direct(exec, run, row));
    else if (run->nearest)
        *row = ann_next(run->nearest);
    else if (run->sorted)
        *row = sorted_next(run->sorted);
    else
        TRY(select_next(exec, plan, run, &eval, row));
    run->ended = !*row;
    if (run->ended)
        TRY(read_command_end(exec, &run->source, true));
    count_given(run, 1);
    return WR_OK;
}
