/* Where a SELECT reads, and which readers it takes for that. */
#include "engine/token.h"
#include "model/consistency.h"
#include "model/read_command.h"
#include "model/select_source.h"
#include "model/tracing.h"

/* ---- what is asked for ---- */

/* As a server reads them: with all there is where nothing but keys is asked for (ColumnFilter.fetchedColumns). */
static bool fetches_statics(const struct source_plan *plan)
{
    bool keys_alone = !plan->columns.regular_ids.count && !(plan->columns.every_regular && plan->table->regular_count);
    return plan->columns.static_ids.count || (keys_alone && plan->table->static_count);
}

/*
 * What the restrictions leave to be read: keys or tokens, and ranges of rows. In the order of SelectStatement.getSliceCommands and
 * getRangeCommand: what is found to read nothing is not looked at any further, whatever else would be wrong with it.
 */
static enum wr_status find_places(struct exec *exec, struct source *s)
{
    const struct source_plan *plan = s->plan;
    uint32_t key_value_count = 0;

    if (plan->by_key) {
        TRY(restrict_key_values(exec, plan->where, &s->keys.values, &key_value_count));
        if (!key_value_count)
            return WR_OK;
    }
    bool null_bound;
    TRY(restrict_ranges(exec, plan->where, &s->ranges.list, &s->ranges.count, &null_bound));
    bool is_range = restrict_is_clustering_range(plan->where);
    /* makeClusteringIndexFilter: ranges go by what is selected, names by what is read with it */
    if (!s->ranges.count && (is_range ? !plan->selects_static || plan->by_key : !fetches_statics(plan)))
        return WR_OK;
    if (plan->by_key)
        TRY(restrict_keys_of(exec, plan->where, s->keys.values, key_value_count, &s->keys.list, &s->keys.count));
    if (exec->brief && (uint64_t)s->keys.count * s->ranges.count > BRIEF_ROWS)
        return source_fail_long(exec);
    if (!plan->by_key)
        TRY(restrict_tokens(exec, plan->where, &s->tokens));
    s->asks = !s->tokens.empty && !(plan->by_key && s->keys.count == 0);
    s->hidden = s->asks && !s->ranges.count && !is_range && !restrict_has_regular(plan->where);
    s->done = !s->asks || !(s->ranges.count || s->hidden);
    return WR_OK;
}

enum wr_status source_parts(struct exec *exec, const struct source_plan *plan, struct row_part **out)
{
    struct row_part *parts = NEW_ARRAY(exec->ctx, struct row_part, plan->part_count);

    if (!parts)
        return WR_NOMEM;
    for (uint32_t i = 0; i < plan->part_count; i++) {
        parts[i].column = expr_part_column(plan->parts[i]);
        TRY(expr_part_bounds(exec, plan->parts[i], &parts[i].low, &parts[i].high));
    }
    *out = parts;
    return WR_OK;
}

static enum wr_status find_columns(struct exec *exec, struct source *s)
{
    const struct source_plan *plan = s->plan;
    struct row_columns *narrow;
    struct row_part *parts;

    s->columns = &plan->columns;
    if (!plan->part_count || plan->hides_rows)
        return WR_OK;
    if (!(narrow = NEW(exec->ctx, struct row_columns)))
        return WR_NOMEM;
    TRY(source_parts(exec, plan, &parts));
    *narrow = plan->columns;
    s->columns = narrow;
    return row_columns_narrow(exec->ctx, narrow, parts, plan->part_count);
}

enum wr_status source_find(struct exec *exec, struct source *s, const struct source_plan *plan, struct source_place from)
{
    s->done = true;
    s->plan = plan;
    s->from = from;
    s->static_row = &s->statics;
    s->made_up = plan->table->flags & TABLE_MADE;
    s->wanted = UINT32_MAX;
    s->command.counts = !s->made_up && (read_command_counts(exec) || is_traced(exec));
    s->ends_alone = (plan->look == LOOK_AT_FIRST || plan->look == LOOK_AT_LAST) && !s->command.counts && !s->made_up && slice_is_null(from.key);
    s->scan_flags = !s->ends_alone ? plan->scan_flags : plan->look == LOOK_AT_LAST ? SCAN_REVERSED : 0;
    s->command.counts_static = plan->static_alone || fetches_statics(plan); /* ColumnFilter.allRegularColumnsBuilder */
    if (!(s->values = s->shared = NEW_ARRAY(exec->ctx, struct slice, plan->table->column_count)))
        return WR_NOMEM;
    TRY(find_columns(exec, s));
    if (plan->filters)
        TRY(filter_new(exec, plan->where, &s->filter));
    TRY(words_new(exec->ctx, s->filter, &s->words));
    return find_places(exec, s);
}

/* ---- readers ---- */

/*
 * Flat rows are read ahead, some at a time, since the way from a statement down to the storage costs more than a row's bytes. Few at
 * first: many reads are of one row. Within wr_atomically a write may come between two rows, and none is read ahead of it.
 */
enum { BATCH_FIRST = 8 };

/* Whoever counts tombstones is told of those at each hit before the next is read; words are looked for in one partition after the other. */
static bool may_read_hits_ahead(const struct source *s)
{
    return s->plan->by_index && s->plan->ahead && !s->command.counts && !s->words;
}

static bool reads_ahead(const struct exec *exec, const struct source *s)
{
    if (s->plan->unit != UNIT_ROW || !txn_is_still(exec->txn))
        return false;
    if (s->by_entry)
        return !s->plan->by_key || (s->plan->ahead && s->keys.count > 1);
    if (!s->plan->table->clustering_count)
        return may_read_hits_ahead(s);
    return !s->plan->full_row;
}

static enum wr_status batch_open(struct exec *exec, struct source *s)
{
    uint32_t rows = reads_ahead(exec, s) ? BATCH_MAX : 1;
    uint32_t stride = s->plan->table->column_count + 1; /* rowvalues.h: a place for what is unwanted */
    struct slice *room = arena_alloc_raw(exec->ctx->arena, (size_t)rows * (stride + 1) * sizeof *room);

    if (!room)
        return fail_nomem(exec->ctx);
    s->batch.rows = (struct flat_rows){
        .places = s->plan->columns.flat_places,
        .wanted = s->plan->columns.flat_wanted,
        .collections = s->plan->part_count ? 0 : s->plan->columns.flat_collections, /* where parts of some are wanted, no more than those is read */
        .values = room,
        .clusterings = room + (size_t)rows * stride,
        .stride = stride,
        .now_s = exec->ctx->now_s,
        .counts_dead = s->command.counts,
    };
    s->batch.next = s->ends_alone ? 1 : rows < BATCH_FIRST ? rows : BATCH_FIRST;
    bool of_any = s->by_entry ? !s->plan->by_key : rows > 1 && may_read_hits_ahead(s);
    if (of_any && !(s->batch.keys = NEW_ROOM(exec->ctx, struct slice, rows)))
        return WR_NOMEM;
    return WR_OK;
}

/* A trace tells of each partition; so does who counts tombstones, of those walked over. */
static bool is_by_entry(const struct exec *exec, const struct source *s)
{
    if (!s->plan->entries || s->resuming || is_traced(exec))
        return false;
    return s->plan->by_key ? !s->filter : !s->command.counts;
}

enum { FIND_FIRST = 4 };

/* Of one key after the other what is read of it is told before the next is looked for, where somebody wants to know. */
static bool finds_ahead(const struct exec *exec, const struct source *s)
{
    return source_is_by_keys(s) && s->plan->table->clustering_count && s->keys.count >= FIND_FIRST && s->rows_most >= FIND_FIRST && !s->command.counts &&
           txn_is_still(exec->txn);
}

static enum wr_status open_readers(struct exec *exec, struct source *s)
{
    const struct source_plan *plan = s->plan;

    if (s->made_up)
        TRY(made_open(exec, s));
    if (plan->by_index)
        TRY(hits_open(exec, s));
    s->by_entry = is_by_entry(exec, s);
    if (!exec->cursors.scan && !s->by_entry)
        TRY(scan_new(exec->ctx, &exec->cursors.scan));
    if (finds_ahead(exec, s) && !(s->ahead.found = NEW_ROOM(exec->ctx, struct partition, PARTITIONS_AT_ONCE)))
        return WR_NOMEM;
    s->ahead.next = FIND_FIRST;
    if (plan->flat && !is_traced(exec)) /* a trace counts the rows one by one */
        TRY(batch_open(exec, s));
    return WR_OK;
}

/* ---- opening ---- */

static void reverse_ranges(struct range *ranges, uint32_t n)
{
    for (uint32_t i = 0; i < n / 2; i++) {
        struct range r = ranges[i];
        ranges[i] = ranges[n - 1 - i];
        ranges[n - 1 - i] = r;
    }
}

/* Finds what of the ranges a page has left unread in its last partition. */
static enum wr_status cut_ranges(struct exec *exec, struct source *s)
{
    bool reversed = source_is_reversed(s);
    struct slice at = s->from.clustering;
    struct buf bytes;

    if (!s->ranges.count) /* rows that are hidden */
        return WR_OK;
    if (at.len == 0) {
        s->ranges.cut = s->ranges.list[0];
        return WR_OK;
    }
    /* No clustering is a prefix of another, so with 0xFF behind it a row's bytes are the place after the row. */
    if (!reversed) {
        buf_init(&bytes, exec->ctx->arena);
        buf_put_slice(&bytes, at);
        buf_put_u8(&bytes, 0xFF);
        TRY(buf_done(exec->ctx, &bytes, &at));
    }
    for (; s->ranges.cut_at < s->ranges.count; s->ranges.cut_at++) {
        s->ranges.cut = s->ranges.list[s->ranges.cut_at];
        if (!reversed && slice_cmp(at, s->ranges.cut.start) > 0)
            s->ranges.cut.start = at;
        if (reversed && (slice_is_null(s->ranges.cut.end) || slice_cmp(at, s->ranges.cut.end) < 0))
            s->ranges.cut.end = at;
        if (!range_is_empty(s->ranges.cut))
            break;
    }
    return WR_OK;
}

/* A place may be of another query: SinglePartitionPager takes the row of it alone, MultiPartitionQueryPager needs its key. */
static enum wr_status begin_where_page_ended(struct exec *exec, struct source *s)
{
    int64_t token = token_of(s->from.key);

    TRY(cut_ranges(exec, s));
    s->resuming = !s->from.after_partition;
    if (s->plan->by_key) {
        if (s->keys.count == 1)
            s->from.key = s->keys.list[0];
        else if (s->from.of_single)
            s->keys.at = s->keys.count;
        while (s->keys.at < s->keys.count && !slice_eq(s->keys.list[s->keys.at], s->from.key))
            s->keys.at++;
        if (s->keys.at < s->keys.count)
            s->keys.at += s->from.after_partition;
        return WR_OK;
    }
    if (s->plan->table->flags & TABLE_MADE)
        return WR_OK; /* made_open looks for it */
    s->done = token > s->tokens.to;
    s->tokens.from = token;
    return WR_OK;
}

/* Before anything is read. */
static enum wr_status catch_up(struct exec *exec, const struct source *s)
{
    const struct reach reach = { &s->plan->table->shape, s->plan->by_key ? s->keys.list : NULL, s->keys.count, s->tokens.from, s->tokens.to };
    return s->made_up ? WR_OK : database_catch_up(exec->ctx, exec->db, &reach, &exec->txn);
}

enum wr_status source_open(struct exec *exec, struct source *s)
{
    const struct source_plan *plan = s->plan;
    uint32_t keys_at_once = !plan->by_key ? 0 : s->command.at_once ? s->keys.count : 1;

    if (s->done && !s->tokens.beyond)
        return WR_OK;
    TRY(consistency_check_read(exec, plan->table, keys_at_once));
    if (s->done)
        return WR_OK;
    TRY(catch_up(exec, s));
    if (source_is_reversed(s))
        reverse_ranges(s->ranges.list, s->ranges.count);
    if (!slice_is_null(s->from.key))
        TRY(begin_where_page_ended(exec, s));
    TRY(open_readers(exec, s));
    source_keep(exec, s);
    if (is_traced(exec))
        source_trace_open(exec, s);
    return WR_OK;
}
