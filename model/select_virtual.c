/* Rows that are made (virtual.h) as a source gives them: made when it is opened, then walked. */
#include "model/select_source.h"

/* The rows of one partition, from `first` on. */
static void enter(struct source *s, uint32_t first)
{
    const struct virtual_row *rows = s->made.rows.rows;
    s->made.first = s->made.end = first;
    while (s->made.end < s->made.rows.count && slice_eq(rows[s->made.end].key, rows[first].key))
        s->made.end++;
    s->made.given = 0;
    s->partition.key = rows[first].key;
    s->resuming = s->resuming && slice_eq(s->partition.key, s->from.key);
    s->in_partition = s->fresh = true;
}

/* Not by keys: from the partition on that a page ended in, which may be gone. */
static enum wr_status skip_to_place(struct exec *exec, struct source *s)
{
    const struct table *table = s->plan->table;
    int64_t token = virtual_token(table, s->from.key);
    struct slice *key = NEW_ARRAY(exec->ctx, struct slice, table->key_count);
    int c = 1;
    if (!key)
        return WR_NOMEM;
    TRY(partition_key_get(exec->ctx, s->from.key, table->key_count, key));
    for (uint32_t i = 0; i < table->key_count; i++)
        TRY(type_validate(exec->ctx, table_key(table, i)->type, key[i]));
    for (; s->made.end < s->made.rows.count; s->made.end++) {
        const struct virtual_row *row = &s->made.rows.rows[s->made.end];
        c = row->token != token ? (row->token > token) - (row->token < token) : virtual_key_cmp(table, row->values, key);
        if (c > 0 || (c == 0 && !s->from.after_partition))
            break;
    }
    return WR_OK;
}

enum wr_status made_open(struct exec *exec, struct source *s)
{
    TRY(virtual_read(exec, s->plan->table, s->plan->by_key ? s->keys.list : NULL, s->keys.count, &s->made.rows));
    s->single = ROW_NONE;
    s->made.end = 0;
    return slice_is_null(s->from.key) || s->plan->by_key ? WR_OK : skip_to_place(exec, s);
}

static bool is_before(const struct token_range *tokens, const struct virtual_row *row)
{
    const struct key_range *keys = &tokens->keys;
    int c = keys->type && keys->low.len ? type_compare(keys->type, row->key, keys->low) : 1;
    return row->token < tokens->from || c < 0 || (c == 0 && !keys->low_inclusive);
}

static bool is_behind(const struct token_range *tokens, const struct virtual_row *row)
{
    const struct key_range *keys = &tokens->keys;
    int c = keys->type && keys->high.len ? type_compare(keys->type, row->key, keys->high) : -1;
    return row->token > tokens->to || c > 0 || (c == 0 && !keys->high_inclusive);
}

static bool next_partition(struct source *s)
{
    if (!s->plan->by_key) {
        while (s->made.end < s->made.rows.count && is_before(&s->tokens, &s->made.rows.rows[s->made.end]))
            s->made.end++;
        if (s->made.end < s->made.rows.count && !is_behind(&s->tokens, &s->made.rows.rows[s->made.end]))
            enter(s, s->made.end);
        return s->in_partition;
    }
    while (s->keys.at < s->keys.count && !s->in_partition) {
        struct slice key = s->keys.list[s->keys.at++];
        for (uint32_t i = 0; i < s->made.rows.count && !s->in_partition; i++)
            if (slice_eq(s->made.rows.rows[i].key, key))
                enter(s, i);
    }
    return s->in_partition;
}

/* The next row of the partition that passes; of DISTINCT the first stands for it. */
static enum wr_status next_row(struct exec *exec, struct source *s, bool *found)
{
    uint32_t count = s->made.end - s->made.first;
    bool distinct = s->plan->unit == UNIT_PARTITION;
    *found = false;
    while (!*found && s->made.given < count) {
        uint32_t at = s->scan_flags & SCAN_REVERSED ? count - 1 - s->made.given : s->made.given;
        const struct virtual_row *row = &s->made.rows.rows[s->made.first + at];
        s->made.given = distinct ? count : s->made.given + 1;
        memcpy(s->values, row->values, s->plan->table->column_count * sizeof *s->values);
        s->clustering = distinct ? SLICE_EMPTY : row->clustering;
        s->row = distinct ? NULL : &s->single;
        if (!source_in_ranges(s, row->clustering))
            continue;
        TRY(filter_partition(exec->ctx, s->filter, s->values, found));
        if (*found)
            TRY(filter_row(exec->ctx, s->filter, s->values, found));
    }
    return WR_OK;
}

enum wr_status made_next(struct exec *exec, struct source *s, bool *found)
{
    *found = false;
    while (s->in_partition || next_partition(s)) {
        TRY(next_row(exec, s, found));
        if (*found) {
            s->new_partition = s->fresh;
            s->fresh = false;
            return WR_OK;
        }
        s->in_partition = false;
    }
    return WR_OK;
}
