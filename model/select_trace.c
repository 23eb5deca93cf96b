/* What a traced run tells of the rows it reads (tracing.h). */
#include "model/select_source.h"
#include "model/tracing.h"

/* As a server prints a Range of Token.KeyBound: what no bound was given for is the least token, on either side. */
static void trace_scan(const struct exec *exec, const struct source *s)
{
    bool first = s->tokens.from == INT64_MIN, last = s->tokens.to == INT64_MAX;
    tracing_note(exec, "Executing seq scan across 0 sstables for (%s(%lld), %s(%lld)]", first ? "min" : "max",
                 (long long)(first ? INT64_MIN : s->tokens.from - 1), last ? "min" : "max",
                 (long long)(last ? INT64_MIN : s->tokens.to));
}

static void trace_index(const struct exec *exec, const struct source *s)
{
    const struct table *table = s->plan->table;
    tracing_note(exec, "Executing read on %.*s.%.*s using index %.*s", SLICE_ARG(table->keyspace), SLICE_ARG(table->name),
               SLICE_ARG(s->index->name));
    if (s->index->index_class != INDEX_LEGACY)
        return;
    tracing_note(exec, "Executing single-partition query on %.*s.%.*s", SLICE_ARG(table->name), SLICE_ARG(s->index->name));
    tracing_note(exec, "Acquiring sstable references");
    tracing_note(exec, "Skipped 0/0 non-slice-intersecting sstables, included 0 due to tombstones");
}

static bool has_multicell(const struct row_column *columns, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (columns[i].multicell)
            return true;
    return false;
}

/* Where keys alone are asked for, a server fetches all there is (ColumnFilter.fetchedColumns). */
static bool fetches_multicell(const struct source_plan *plan)
{
    const struct row_columns *columns = &plan->columns;

    if (columns->regular_ids.count + columns->static_ids.count)
        return has_multicell(columns->regular, columns->regular_ids.count) || has_multicell(columns->statics, columns->static_ids.count);
    for (uint32_t i = 0; i < plan->table->column_count; i++)
        if (plan->table->columns[i].type->multicell)
            return true;
    return false;
}

/* See tracing.h. */
static bool is_by_timestamp(const struct source *s)
{
    const struct source_plan *plan = s->plan;
    bool by_names = s->index || plan->full_row || plan->table->clustering_count == 0;
    return by_names && !(plan->table->flags & TABLE_COUNTER) && !fetches_multicell(plan);
}

void source_trace_open(const struct exec *exec, struct source *s)
{
    if (s->made_up || source_is_by_keys(s))
        return;
    s->command.told = true;
    if (!s->plan->by_key) {
        tracing_note(exec, "Computing ranges to query");
        tracing_note(exec, "Submitted 1 concurrent range requests");
    }
    if (s->index)
        trace_index(exec, s);
    else
        trace_scan(exec, s);
}

void source_trace_partition(const struct exec *exec, struct source *s)
{
    if (source_is_by_keys(s))
        source_trace_end(exec, s);
    s->command.told = true;
    tracing_partition(exec, s->plan->table, is_by_timestamp(s));
}

enum wr_status source_trace_statics(struct exec *exec, struct source *s)
{
    struct row statics = s->statics;

    if (!s->command.counts_static)
        return WR_OK;
    if (s->plan->static_alone || !s->plan->columns.static_ids.count) /* all are read, whatever is asked for */
        TRY(partition_static(exec->ctx, exec->txn, &s->partition, NULL, &statics));
    s->command.told_count -= row_is_alive(&statics, exec->ctx->now_s);
    return WR_OK;
}

void source_trace_end(const struct exec *exec, struct source *s)
{
    if (!s->command.told)
        return;
    const struct met met = { .live_rows = s->read_count - s->command.told_count, .tombstones = s->command.passed_tombstones };
    if (source_is_by_keys(s))
        tracing_partition_read(exec, is_by_timestamp(s), s->partition.id != 0, met);
    else
        tracing_read(exec, met);
    s->command.told = false;
    s->command.told_count = s->read_count;
    s->command.passed_tombstones = 0;
}
