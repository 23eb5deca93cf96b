/*
 * Rows of tables without clustering columns by their keys, as values. Each lies in its partition's entry in the directory: one look there is
 * all it takes, and neither a scan nor a range is opened.
 */
#include "model/select_source.h"

/* A row that is not flat; *found false: there is none. */
static enum wr_status put_together(struct exec *exec, struct source *s, struct slice *values, bool *found)
{
    const struct row_columns *wanted = &s->plan->columns;
    const struct columns *ids = wanted->every_regular ? NULL : &wanted->regular_ids;

    TRY(row_find_live(exec->ctx, exec->txn, &s->partition, SLICE_EMPTY, ids, &s->single, found));
    return *found ? row_values_row(exec->ctx, wanted, SLICE_EMPTY, &s->single, values) : WR_OK;
}

/* The row of one key. */
static enum wr_status look_up(struct exec *exec, struct source *s, uint32_t at, struct slice *values, bool *found)
{
    uint32_t width = s->plan->table->key_count;

    TRY(partition_find(exec->ctx, exec->txn, &s->plan->table->shape, s->keys[at], &s->partition, found));
    if (!*found)
        return WR_OK;
    s->found_at = at + 1;
    if (!partition_flat_row(&s->partition, &s->flat, values))
        TRY(put_together(exec, s, values, found));
    for (uint32_t i = 0; i < width; i++)
        values[i] = s->key_values[(size_t)at * width + i];
    return WR_OK;
}

static enum wr_status read_some(struct exec *exec, struct source *s)
{
    struct slice *values = s->flat.values;
    uint32_t n = 0, most = source_batch(s);
    bool found;

    arena_rewind(exec->ctx->arena, s->base);
    while (n < most && s->key_at < s->key_count) {
        TRY(look_up(exec, s, s->key_at++, values, &found));
        if (!found)
            continue;
        values += s->flat.stride;
        s->flat.clusterings[n++] = SLICE_EMPTY;
    }
    source_batch_read(exec, s, n);
    return WR_OK;
}

enum wr_status entries_next(struct exec *exec, struct source *s, bool *found)
{
    if (s->batch_at == s->batch_count)
        TRY(read_some(exec, s));
    *found = s->batch_count > 0;
    s->done = !*found;
    if (!*found)
        return WR_OK;
    source_take(s);
    s->row = &source_no_cells;
    s->new_partition = true;
    return WR_OK;
}
