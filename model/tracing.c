#include "model/tracing.h"

#include <stdarg.h>
#include <stdio.h>

#include "model/write.h"

void tracing_note(const struct exec *exec, const char *format, ...)
{
    enum { ACTIVITY_MAX = 512 }; /* names of a keyspace, a table and an index, and the words */
    char activity[ACTIVITY_MAX];

    if (!is_traced(exec))
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(activity, sizeof activity, format, arguments);
    va_end(arguments);
    exec->tracer->note(exec->tracer->arg, activity);
}

/* ---- reading ---- */

void tracing_partition(const struct exec *exec, const struct table *table, bool by_timestamp)
{
    if (!is_traced(exec))
        return;
    tracing_note(exec, "Executing single-partition query on %.*s", SLICE_ARG(table->name));
    tracing_note(exec, "Acquiring sstable references");
    tracing_note(exec, by_timestamp ? "Merging memtable contents"
                                    : "Skipped 0/0 non-slice-intersecting sstables, included 0 due to tombstones");
}

void tracing_partition_read(const struct exec *exec, bool by_timestamp, bool found, struct met met)
{
    if (!by_timestamp && found)
        tracing_note(exec, "Merged data from memtables and 0 sstables");
    tracing_read(exec, met);
}

void tracing_read(const struct exec *exec, struct met met)
{
    tracing_note(exec, "Read %llu live rows and %llu tombstone cells", (unsigned long long)met.live_rows, (unsigned long long)met.tombstones);
}

/* ---- writing ---- */

static uint32_t count_cells(const struct update *update)
{
    uint32_t count = update->static_row ? update->static_row->cell_count : 0;
    for (uint32_t i = 0; i < update->row_count; i++)
        count += update->rows[i].row.cell_count;
    return count;
}

void tracing_replicas(const struct exec *exec, const struct write *w)
{
    if (!is_traced(exec) || !w->first || w->conditional)
        return;
    tracing_note(exec, "Determining replicas for %s", w->logged && w->mutation_count > 1 ? "atomic batch" : "mutation");
}

static bool has_cell_of(const struct row *row, const struct column *column)
{
    for (uint32_t i = 0; i < row->cell_count; i++)
        if (row->cells[i].column == column->id)
            return true;
    return false;
}

static bool writes_column(const struct update *update, const struct column *column)
{
    bool writes = update->static_row && has_cell_of(update->static_row, column);
    for (uint32_t i = 0; i < update->row_count && !writes; i++)
        writes = column_is_primary_key(column) || has_cell_of(&update->rows[i].row, column);
    return writes;
}

/* Indexes with a table of their own. */
static void trace_indexes(const struct exec *exec, const struct write_part *part)
{
    const struct table *table = part->table;
    for (uint32_t i = 0; i < table->index_count; i++) {
        const struct index *index = &table->indexes[i];
        if (index->index_class == INDEX_LEGACY && writes_column(&part->update, index->column))
            tracing_note(exec, "Adding to %.*s.%.*s memtable", SLICE_ARG(table->name), SLICE_ARG(index->name));
    }
}

void tracing_updates(const struct exec *exec, const struct write *w)
{
    for (const struct write_part *part = w->first; part && is_traced(exec); part = part->next) {
        const struct table *table = part->table;
        if (table->flags & TABLE_COUNTER) {
            tracing_note(exec, "Acquiring counter locks");
            tracing_note(exec, "Reading %u counter values from the CF", count_cells(&part->update));
        }
        tracing_note(exec, "Appending to commitlog");
        if (table->view_count)
            tracing_note(exec, "Creating materialized view mutations from base table replica");
        tracing_note(exec, "Adding to %.*s memtable", SLICE_ARG(table->name));
        trace_indexes(exec, part);
    }
}
