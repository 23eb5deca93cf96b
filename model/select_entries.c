/*
 * Rows of tables without clustering columns, by their keys or by token, as values. Each lies in its partition's entry in the directory: one look
 * there is all it takes, and neither a scan nor a range is opened. And, of any table, the one row of a primary key.
 */
#include "model/consistency.h"
#include "model/read_command.h"
#include "model/select_node.h"

/* A row that is not flat; *found false: there is none. */
static enum wr_status put_together(struct exec *exec, const struct row_columns *wanted, const struct partition *partition,
                                   struct slice *values, bool *found)
{
    const struct columns *ids = wanted->every_regular ? NULL : &wanted->regular_ids;
    struct row row;

    TRY(row_find_live(exec->ctx, exec->txn, partition, SLICE_EMPTY, ids, &row, found));
    return *found ? row_values_row(exec->ctx, wanted, SLICE_EMPTY, &row, values) : WR_OK;
}

/* The row of a partition, whose key's columns have these values; *found false: it has none. */
static inline enum wr_status read_entry(struct exec *exec, const struct source_plan *plan, const struct row_columns *wanted, const struct slice *key_values,
                                 const struct flat_rows *flat, const struct partition *partition, struct slice *values, bool *found)
{
    *found = true;
    if (partition_flat_row(partition, flat, values)) {
        TRY(row_values_collections(exec->ctx, wanted, values));
    } else {
        TRY(put_together(exec, wanted, partition, values, found));
        TRY(read_command_entry(exec, plan, partition));
    }
    for (uint32_t i = 0; i < plan->table->key_count; i++)
        values[i] = key_values[i];
    return WR_OK;
}

/* ---- as a source ---- */

static enum wr_status look_up_some(struct exec *exec, struct source *s)
{
    struct expected_partition expected[BATCH_MAX];
    struct slice *values = s->batch.rows.values;
    uint32_t n = 0, most = source_batch(s), width = s->plan->table->key_count, first = s->keys.at;
    bool found;

    while (n < most && s->keys.at < s->keys.count) {
        uint32_t at = s->keys.at++, ahead = (at - first) % most;
        if (!ahead) /* the first, or as many again, since some have no row */
            source_expect(exec, s, at, most, expected);
        TRY(source_find_key(exec, s, s->keys.list[at], expected[ahead].token, &found));
        if (!found)
            continue;
        s->keys.found_at = s->keys.at;
        TRY(read_entry(exec, s->plan, s->columns, &s->keys.values[(size_t)at * width], &s->batch.rows, &s->partition, values, &found));
        if (!found)
            continue;
        values += s->batch.rows.stride;
        s->batch.rows.clusterings[n++] = SLICE_EMPTY;
    }
    source_batch_read(exec, s, n);
    return WR_OK;
}

static enum wr_status walk_some(struct exec *exec, struct source *s)
{
    struct slice *values = s->batch.rows.values;
    uint32_t n = 0, most = source_batch(s);
    bool found;

    while (n < most) {
        TRY(source_walk(exec, s, &found));
        if (!found)
            break;
        if (partition_flat_row(&s->partition, &s->batch.rows, values))
            TRY(row_values_collections(exec->ctx, s->columns, values));
        else
            TRY(put_together(exec, s->columns, &s->partition, values, &found));
        if (!found) {
            partitions_pass(exec->cursors.partitions, exec->txn, &s->partition);
            continue;
        }
        TRY(row_values_partition(exec->ctx, s->columns, s->partition.key, NULL, values));
        values += s->batch.rows.stride;
        s->batch.keys[n] = s->partition.key;
        s->batch.rows.clusterings[n++] = SLICE_EMPTY;
    }
    source_batch_read(exec, s, n);
    return WR_OK;
}

enum wr_status entries_next(struct exec *exec, struct source *s, bool *found)
{
    for (*found = false; !*found;) {
        if (s->batch.at == s->batch.count) {
            arena_rewind(exec->ctx->arena, s->base);
            TRY((s->plan->by_key ? look_up_some : walk_some)(exec, s));
            s->done = !s->batch.count;
            if (s->done)
                return WR_OK;
        }
        source_take(s);
        *found = true;
        if (!s->filter)
            break;
        arena_rewind(exec->ctx->arena, s->row_mark);
        TRY(filter_partition(exec->ctx, s->filter, s->values, found));
        if (*found)
            TRY(filter_row(exec->ctx, s->filter, s->values, found));
    }
    s->row = &source_no_cells;
    s->new_partition = true;
    return WR_OK;
}

enum wr_status entries_pass(struct exec *exec, struct source *s, uint64_t *rows)
{
    struct arena_mark mark = arena_mark(exec->ctx->arena);
    struct row row;
    bool found;

    for (*rows = 0;;) {
        TRY(source_walk(exec, s, &found));
        if (!found) {
            s->done = true;
            return WR_OK;
        }
        if (!partition_row_is_plain(&s->partition))
            TRY(row_find_live(exec->ctx, exec->txn, &s->partition, SLICE_EMPTY, source_columns(s), &row, &found));
        *rows += found;
        if (!found)
            partitions_pass(exec->cursors.partitions, exec->txn, &s->partition);
        arena_rewind(exec->ctx->arena, mark);
    }
}

/* ---- as all of a read: the one row of a primary key ---- */

enum wr_status entries_bind_point(struct ctx *ctx, struct select_plan *plan)
{
    const struct source_plan *source = &plan->source;
    bool reads_its_row = plan->direct && source->flat && source->unit == UNIT_ROW && !(source->table->flags & TABLE_MADE) && !source->by_index &&
                         !source->filters && !plan->limit;
    return reads_its_row ? restrict_primary_key(ctx, source->where, &plan->point) : WR_OK;
}

/* A page of one row says that there may be more in the partition, and whoever counts tombstones is told of those beside the row: reads of its range do. */
static inline bool is_more_than_its_row(const struct exec *exec, const struct table *table)
{
    return table->clustering_count && (exec->page.size == 1 || read_command_counts(exec));
}

struct row_key {
    struct slice partition, clustering; /* comparable bytes; empty without clustering columns */
};

/* And its values, by ordinal. *sound false: no row has it, or none may be asked for by it, which source_find tells. */
static inline enum wr_status eval_key(struct exec *exec, const struct select_plan *plan, struct slice *values, struct row_key *out, bool *sound)
{
    const struct table *table = plan->source.table;
    struct buf bytes;

    for (uint32_t i = 0; i < table->key_count + table->clustering_count; i++) {
        TRY(expr_eval_term(exec, plan->point[i], &values[i]));
        *sound = !slice_is_null(values[i]) && !slice_is_unset(values[i]) && values[i].len <= KEY_BYTES_MAX;
        if (!*sound)
            return WR_OK;
    }
    out->partition = values[0];
    out->clustering = SLICE_EMPTY;
    if (table->key_count > 1)
        TRY(partition_key_bytes(exec->ctx, values, table->key_count, &out->partition));
    *sound = out->partition.len && out->partition.len <= KEY_BYTES_MAX;
    if (!table->clustering_count)
        return WR_OK;
    buf_init(&bytes, exec->ctx->arena);
    clustering_put(&bytes, &table->clustering, values + table->key_count, table->clustering_count);
    return buf_done(exec->ctx, &bytes, &out->clustering);
}

/* Of a table with clustering columns. */
static enum wr_status read_row(struct exec *exec, const struct source_plan *plan, const struct row_key *key, struct flat_rows *flat,
                               const struct partition *partition, struct slice *values, bool *found)
{
    struct ctx *ctx = exec->ctx;
    const struct row_columns *wanted = &plan->columns;
    const struct columns *ids = wanted->every_regular ? NULL : &wanted->regular_ids;
    struct row row, statics = ROW_NONE;
    struct slice bytes;

    TRY(row_stored(ctx, exec->txn, partition, key->clustering, &bytes));
    if (wanted->static_ids.count)
        TRY(partition_static(ctx, exec->txn, partition, &wanted->static_ids, &statics));
    TRY(row_values_partition(ctx, wanted, key->partition, &statics, values));
    *flat->clusterings = key->clustering;
    *found = row_flat(&plan->table->shape, bytes, flat, values);
    if (*found)
        return row_values_flat(ctx, wanted, values, flat, 1);
    TRY(row_show_live(ctx, exec->txn, &plan->table->shape, bytes, ids, &row, found));
    return *found ? row_values_row(ctx, wanted, key->clustering, &row, values) : WR_OK;
}

enum wr_status entries_read_point(struct exec *exec, const struct select_plan *plan, bool *done)
{
    const struct source_plan *source = &plan->source;
    const struct row_columns *columns = &source->columns;
    const struct table *table = source->table;
    struct partition partition;
    struct slice *values, clustering;
    struct point_run *run;
    struct row_key key;
    bool sound, found;

    *done = false;
    if (!slice_is_null(exec->page.state) || is_more_than_its_row(exec, table))
        return WR_OK;
    if (!(values = NEW_ROOM(exec->ctx, struct slice, table->column_count + 1)))
        return WR_NOMEM;
    TRY(eval_key(exec, plan, values, &key, &sound));
    if (!sound)
        return WR_OK;
    TRY(consistency_check_read(exec, table, 1));
    TRY(database_catch_up(exec->ctx, exec->db, &(struct reach){ .table = &table->shape, .keys = &key.partition, .key_count = 1 }, &exec->txn));
    if (!(run = NEW_ROOM(exec->ctx, struct point_run, 1)))
        return WR_NOMEM;
    struct flat_rows flat = {
        .places = columns->flat_places, .wanted = columns->flat_wanted, .collections = columns->flat_collections, .values = values,
        .clusterings = &clustering, .now_s = exec->ctx->now_s, .counts_dead = read_command_counts(exec)
    };
    TRY((flat.counts_dead ? partition_find_any : partition_find_at)(exec->ctx, exec->txn, &table->shape, exec_token(exec, key.partition), key.partition,
                                                                    &partition, &found));
    if (found)
        TRY(table->clustering_count ? read_row(exec, source, &key, &flat, &partition, values, &found)
                                    : read_entry(exec, source, columns, values, &flat, &partition, values, &found));
    *run = (struct point_run){ .is_point = true, .row = found ? values : NULL };
    exec->run = run;
    *done = true;
    return WR_OK;
}
