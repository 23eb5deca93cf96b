#include "model/select_source.h"

#include "engine/token.h"
#include "model/read_command.h"
#include "model/tracing.h"

const struct row source_no_cells;

enum wr_status source_fail_long(struct exec *exec)
{
    return fail(exec->ctx, WR_BUSY, "the read is too long for others to wait for it");
}

/* ---- partitions ---- */

void source_expect(const struct exec *exec, const struct source *s, uint32_t at, uint32_t most, struct expected_partition *out)
{
    const struct engine *engine = exec->db->engine;
    uint32_t left = s->keys.count - at, n = left < most ? left : most;
    bool worth = n > 1 && partition_is_worth_expecting(engine);

    for (uint32_t i = 0; i < n; i++)
        if (worth)
            partition_expect(engine, &s->plan->table->shape, s->keys.list[at + i], &out[i]);
        else
            out[i].token = exec_token(exec, s->keys.list[at + i]);
    for (uint32_t i = 0; worth && i < n; i++)
        partition_expect_place(engine, &out[i]);
}

/* Of the keys that come next, more each time; where their rows begin is looked up for all at once. */
static enum wr_status find_some(struct exec *exec, struct source *s)
{
    struct expected_partition expected[PARTITIONS_AT_ONCE];
    const uint32_t wanted = s->ahead.next, left = s->keys.count - s->keys.at, n = wanted < left ? wanted : left;
    bool found;

    s->ahead.first = s->keys.at;
    s->ahead.end = s->keys.at + n;
    s->ahead.next = 2 * wanted < PARTITIONS_AT_ONCE ? 2 * wanted : PARTITIONS_AT_ONCE;
    source_expect(exec, s, s->keys.at, n, expected);
    for (uint32_t i = 0; i < n; i++) {
        TRY(source_find_key(exec, s, s->keys.list[s->keys.at + i], expected[i].token, &found));
        s->ahead.found[i] = s->partition;
        s->ahead.found[i].id = found ? s->partition.id : 0;
    }
    partitions_expect(exec->txn, s->ahead.found, n, source_is_reversed(s));
    return WR_OK;
}

static enum wr_status find_next_key(struct exec *exec, struct source *s, bool *found)
{
    const uint32_t at = s->keys.at++;

    if (!s->ahead.found)
        return source_find_key(exec, s, s->keys.list[at], exec_token(exec, s->keys.list[at]), found);
    s->partition = s->ahead.found[at - s->ahead.first];
    *found = s->partition.id != 0;
    return WR_OK;
}

static enum wr_status next_by_key(struct exec *exec, struct source *s, bool *found)
{
    for (*found = false; !*found && s->keys.at < s->keys.count;) {
        if (is_traced(exec))
            source_trace_partition(exec, s);
        if (s->ahead.found && s->keys.at >= s->ahead.end)
            TRY(find_some(exec, s));
        TRY(find_next_key(exec, s, found));
    }
    if (*found)
        s->keys.found_at = s->keys.at;
    return WR_OK;
}

enum wr_status source_walk(struct exec *exec, struct source *s, bool *found)
{
    const struct table_shape *shape = &s->plan->table->shape;

    if (!s->cursor_open) {
        if (!exec->cursors.partitions)
            TRY(partitions_new(exec->ctx, &exec->cursors.partitions));
        TRY((s->command.counts ? partitions_open_any : partitions_open)(exec->ctx, exec->cursors.partitions, exec->txn, shape, s->tokens.from, s->tokens.to,
                                                                        s->from.key));
        s->cursor_open = true;
    }
    return partitions_next(exec->ctx, exec->cursors.partitions, &s->partition, found);
}

static enum wr_status find_partition(struct exec *exec, struct source *s, bool *found)
{
    const struct source_plan *plan = s->plan;

    if (plan->by_key && !s->index)
        return next_by_key(exec, s, found);
    if (s->resuming && !s->looked_up && !source_is_by_hit(s)) { /* cursor and index go on behind the partition a page ended in */
        s->looked_up = true;
        TRY(source_find_key(exec, s, s->from.key, token_of(s->from.key), found));
        if (*found)
            return WR_OK;
    }
    if (s->hits.put_off && s->read_count + s->passed_count >= s->hits.patience)
        TRY(hits_instead(exec, s));
    s->passed_count++;
    TRY(source_stay_brief(exec, s));
    return s->index ? hits_next_partition(exec, s, found) : source_walk(exec, s, found);
}

/* Whether the partition has all words, in whatever rows. */
static enum wr_status find_words(struct exec *exec, struct source *s, bool *all)
{
    const struct row_view *view;

    words_forget(s->words);
    s->row_mark = arena_mark(exec->ctx->arena);
    TRY(scan_open(exec->ctx, exec->cursors.scan, exec->txn, &s->partition, (struct range){ SLICE_EMPTY, SLICE_NULL }, s->scan_flags, source_columns(s)));
    for (*all = false; !*all;) {
        arena_rewind(exec->ctx->arena, s->row_mark);
        TRY(scan_next(exec->ctx, exec->cursors.scan, &view));
        if (!view)
            return WR_OK;
        if (!source_shows(s, exec->ctx, &view->row))
            continue;
        TRY(row_values_row(exec->ctx, &s->plan->columns, view->clustering, &view->row, s->values));
        TRY(words_add(exec->ctx, s->words, s->values, all));
    }
    return WR_OK;
}

enum wr_status source_next_partition(struct exec *exec, struct source *s, bool *found)
{
    const struct source_plan *plan = s->plan;

    s->range_open = false;
    s->batch.at = s->batch.count = 0;
    s->values = s->shared;
    s->hits.gathered = NULL;
    if (!s->index) /* else the last partition's key is still looked at */
        arena_rewind(exec->ctx->arena, s->base);
    TRY(find_partition(exec, s, found));
    if (!*found)
        return WR_OK;

    s->resuming = s->resuming && slice_eq(s->partition.key, s->from.key);
    s->ranges.at = s->resuming ? s->ranges.cut_at : 0;
    s->any_row = s->resuming && s->from.clustering.len > 0;
    s->fresh = true;
    s->read_at = s->read_count;
    read_command_begin(exec, s);
    if (plan->columns.static_ids.count)
        TRY(partition_static(exec->ctx, exec->txn, &s->partition, &s->columns->static_ids, &s->statics));
    if (is_traced(exec))
        TRY(source_trace_statics(exec, s));
    TRY(row_values_partition(exec->ctx, &plan->columns, s->partition.key, &s->statics, s->values));
    TRY(filter_partition(exec->ctx, s->filter, s->values, &s->in_partition));
    if (s->words && s->in_partition)
        TRY(find_words(exec, s, &s->in_partition));
    s->mark = s->row_mark = arena_mark(exec->ctx->arena);
    return WR_OK;
}

/* ---- rows ---- */

bool source_shows_anyway(const struct source *s, const struct ctx *ctx, const struct row *row)
{
    if (liveness_is_live(row->liveness, ctx->now_s))
        return true;
    for (uint32_t i = 0; i < row->cell_count; i++) {
        const struct column *c = table_column_by_id(s->plan->table, row->cells[i].column);
        if (c && row->cells[i].timestamp_us > c->dropped_us)
            return true;
    }
    return false;
}

/* Where clusterings are restricted a server reads static columns that are asked for alone (ColumnFilter.allRegularColumnsBuilder). */
static enum wr_status static_is_alive(struct exec *exec, const struct source *s, bool *alive)
{
    struct row all = s->statics;
    if (!s->hidden || !s->plan->columns.static_ids.count)
        TRY(partition_static(exec->ctx, exec->txn, &s->partition, NULL, &all));
    *alive = row_is_alive(&all, exec->ctx->now_s) && source_shows(s, exec->ctx, &all);
    return WR_OK;
}

static enum wr_status open_range(struct exec *exec, struct source *s)
{
    struct range range = s->resuming && s->ranges.at == s->ranges.cut_at ? s->ranges.cut : s->ranges.list[s->ranges.at];
    s->ranges.at++;
    TRY(scan_open(exec->ctx, exec->cursors.scan, exec->txn, &s->partition, range, s->scan_flags, source_columns(s)));
    scan_expect(exec->cursors.scan, s->wanted < s->command.limits.of_partition ? s->wanted : s->command.limits.of_partition);
    s->range_open = true;
    return WR_OK;
}

uint32_t source_batch(const struct source *s)
{
    uint32_t rows = s->batch.next;
    return rows <= s->wanted ? rows : s->wanted ? s->wanted : 1;
}

void source_batch_read(struct exec *exec, struct source *s, uint32_t count)
{
    s->batch.at = 0;
    s->batch.count = count;
    if (s->wanted != UINT32_MAX)
        s->wanted -= count < s->wanted ? count : s->wanted;
    if (s->batch.next > 1 && s->batch.next < BATCH_MAX)
        s->batch.next *= 2;
    s->row_mark = arena_mark(exec->ctx->arena);
}

/* No more than these, where the partition's limit tells. */
static uint32_t batch_in_partition(const struct source *s)
{
    const uint32_t rows = source_batch(s), most = s->command.limits.of_partition;
    const uint64_t given = s->read_count - s->read_at;

    return most == UINT32_MAX || s->command.limits.grouped || s->filter || given >= most || rows <= most - given ? rows : most - (uint32_t)given;
}

/* The flat rows that come next in the open range; none: what comes next is not flat. */
static enum wr_status read_ahead(struct exec *exec, struct source *s)
{
    uint32_t count;

    TRY(scan_flat_rows(exec->ctx, exec->cursors.scan, &s->batch.rows, batch_in_partition(s), &count));
    TRY(row_values_flat(exec->ctx, &s->plan->columns, s->shared, &s->batch.rows, count));
    source_batch_read(exec, s, count);
    return WR_OK;
}

static inline bool take_flat(struct source *s)
{
    if (s->batch.at == s->batch.count)
        return false;
    source_take(s);
    s->row = &source_no_cells;
    return true;
}

/* On to a stored row in any of the ranges; s->row NULL: there is none. */
static enum wr_status read_on(struct exec *exec, struct source *s)
{
    const struct row_view *view;

    TRY(source_stay_brief(exec, s));
    arena_rewind(exec->ctx->arena, s->mark);
    s->values = s->shared;
    for (s->row = NULL; !s->row;) {
        if (!s->range_open) {
            if (s->ranges.at >= s->ranges.count)
                return WR_OK;
            TRY(open_range(exec, s));
        }
        if (s->batch.rows.values) {
            TRY(read_ahead(exec, s));
            if (take_flat(s)) {
                s->range_open = !s->plan->full_row;
                return WR_OK;
            }
        }
        TRY(scan_next(exec->ctx, exec->cursors.scan, &view));
        s->range_open = view && !s->plan->full_row;
        if (view && source_shows(s, exec->ctx, &view->row)) {
            s->row = &view->row;
            s->clustering = view->clustering;
        }
    }
    return WR_OK;
}

/* The next stored row; s->row NULL: the partition has no more. The values of a row that is not flat are still in its cells. */
static inline enum wr_status next_stored(struct exec *exec, struct source *s)
{
    arena_rewind(exec->ctx->arena, s->row_mark);
    return take_flat(s) ? WR_OK : read_on(exec, s);
}

/* DISTINCT and static compact tables: at most one row. */
static enum wr_status next_unit(struct exec *exec, struct source *s, bool *found)
{
    *found = false;
    s->row = NULL;
    if (!s->fresh)
        return WR_OK;
    if (s->plan->unit == UNIT_PARTITION)
        TRY(next_stored(exec, s));
    *found = s->row != NULL;
    s->read_count += *found && s->values == s->shared; /* else source_take did */
    TRY(read_command_count(exec, s, !*found, s->clustering));
    if (!*found && !s->plan->rows_alone)
        TRY(static_is_alive(exec, s, found));
    s->row = NULL;
    s->values = s->shared;
    s->clustering = SLICE_EMPTY;
    return WR_OK;
}

static inline enum wr_status next_scanned(struct exec *exec, struct source *s, bool *found)
{
    const struct source_plan *plan = s->plan;

    do {
        TRY(next_stored(exec, s));
        if (!s->row)
            break;
        s->any_row = true;
        if (s->values == s->shared) { /* else source_take did */
            s->read_count++;
            TRY(row_values_row(exec->ctx, &plan->columns, s->clustering, s->row, s->values));
        }
        *found = true;
        if (s->filter)
            TRY(filter_row(exec->ctx, s->filter, s->values, found));
        if (*found)
            return WR_OK;
    } while (true);
    *found = false;
    if (s->any_row || plan->rows_alone || !(plan->static_alone || s->hidden))
        return WR_OK;
    s->any_row = true;
    s->clustering = SLICE_EMPTY;
    TRY(static_is_alive(exec, s, found));
    return *found ? row_values_row(exec->ctx, &plan->columns, SLICE_EMPTY, NULL, s->values) : WR_OK;
}

bool source_in_ranges(const struct source *s, struct slice clustering)
{
    for (uint32_t i = s->resuming ? s->ranges.cut_at : 0; i < s->ranges.count; i++) {
        struct range r = s->resuming && i == s->ranges.cut_at ? s->ranges.cut : s->ranges.list[i];
        if (slice_cmp(clustering, r.start) >= 0 && (slice_is_null(r.end) || slice_cmp(clustering, r.end) < 0))
            return true;
    }
    return false;
}

static bool reads_whole_partitions(const struct source *s)
{
    return !s->resuming && s->ranges.count == 1 && !s->ranges.list[0].start.len && slice_is_null(s->ranges.list[0].end);
}

enum wr_status source_next(struct exec *exec, struct source *s, bool *found)
{
    *found = false;
    if (s->done)
        return WR_OK;
    if (s->by_entry)
        return entries_next(exec, s, found);
    if (s->made_up) {
        arena_rewind(exec->ctx->arena, s->mark);
        TRY(made_next(exec, s, found));
        s->done = !*found;
        return WR_OK;
    }
    for (;;) {
        if (source_reads_hits_ahead(s))
            return hits_next(exec, s, found);
        if (s->in_partition) {
            if (s->plan->unit != UNIT_ROW)
                TRY(next_unit(exec, s, found));
            else if (source_is_by_hit(s))
                TRY(hits_next_row(exec, s, found));
            else
                TRY(next_scanned(exec, s, found));
            if (*found) {
                s->new_partition = s->fresh;
                s->fresh = false;
                return WR_OK;
            }
            s->in_partition = false;
            TRY(read_command_count(exec, s, true, SLICE_NULL));
            if (s->cursor_open && s->fresh && s->read_count == s->read_at && reads_whole_partitions(s))
                partitions_pass(exec->cursors.partitions, exec->txn, &s->partition);
        }
        TRY(source_next_partition(exec, s, found));
        if (!*found) {
            s->done = true;
            return WR_OK;
        }
    }
}

enum wr_status source_skip_partition(struct exec *exec, struct source *s)
{
    s->in_partition = false;
    return read_command_count(exec, s, false, s->clustering);
}

/* How many rows come next of which nothing has to be known but that they are there. */
static enum wr_status pass_rows(struct exec *exec, struct source *s, uint64_t *rows)
{
    uint32_t ready = source_ready(s);
    uint64_t passed = 0;

    s->batch.at += ready;
    if (s->by_entry && !s->plan->by_key && !s->filter)
        TRY(entries_pass(exec, s, &passed));
    else if (s->in_partition && s->range_open && s->batch.rows.values && !s->filter && !s->command.counts)
        TRY(scan_pass_rows(exec->ctx, exec->cursors.scan, exec->brief ? BRIEF_ROWS : UINT64_MAX, &passed));
    *rows = ready + passed;
    s->read_count += *rows;
    return WR_OK;
}

enum wr_status source_pass(struct exec *exec, struct source *s, uint64_t *rows)
{
    *rows = 0;
    if (s->plan->look == LOOK_AT_NONE)
        return pass_rows(exec, s, rows);
    bool has_value = s->ends_alone && !slice_is_null(s->values[s->plan->table->key_count]);
    return has_value ? source_skip_partition(exec, s) : WR_OK;
}
