#include "model/read_command.h"

#include "engine/token.h"
#include "model/failure.h"
#include "model/parse.h"

enum { TEXT_MAX = 512 }; /* of the query, in a warning */

/* ---- the command as CQL: ReadCommand.toCQLString ---- */

static bool has_column(const struct row_column *columns, uint32_t count, uint32_t ordinal)
{
    for (uint32_t i = 0; i < count; i++)
        if (columns[i].ordinal == ordinal)
            return true;
    return false;
}

static int cmp_low(const struct type *type, const struct row_part *a, const struct row_part *b)
{
    if (slice_is_null(a->low) || slice_is_null(b->low))
        return slice_is_null(b->low) - slice_is_null(a->low);
    return type_compare(type, a->low, b->low);
}

/* Parts of one column: by where they begin, of those that begin alike the first. */
static const struct row_part *next_part(const struct row_part *parts, uint32_t count, const struct column *column, const struct row_part *last)
{
    const struct type *type = column->type->args[0];
    const struct row_part *next = NULL;

    for (uint32_t i = 0; i < count; i++) {
        const struct row_part *p = &parts[i];
        if (p->column == column && (!last || cmp_low(type, p, last) > 0) && (!next || cmp_low(type, p, next) < 0))
            next = p;
    }
    return next;
}

/* `m`, `m[7]`, `m[3:5]`. */
static void put_part(struct buf *out, const struct column *column, const struct row_part *part)
{
    cql_put_name(out, column->name);
    if (!part)
        return;
    const struct type *type = column->type->args[0];
    bool slice = slice_is_null(part->low) || slice_is_null(part->high) || type_compare(type, part->low, part->high) != 0;
    buf_put_u8(out, '[');
    if (!slice_is_null(part->low))
        type_print_literal(out, type, part->low);
    buf_put_str(out, slice ? ":" : "");
    if (slice && !slice_is_null(part->high))
        type_print_literal(out, type, part->high);
    buf_put_u8(out, ']');
}

static enum wr_status put_columns(struct exec *exec, struct buf *out, const struct source_plan *plan)
{
    const struct row_columns *wanted = &plan->columns;
    const struct table *table = plan->table;
    struct row_part *parts;
    bool any = false;

    TRY(source_parts(exec, plan, &parts));

    for (uint32_t i = table->key_count + table->clustering_count; i < table->column_count && !plan->star; i++) {
        if (!has_column(wanted->statics, wanted->static_ids.count, i) && !has_column(wanted->regular, wanted->regular_ids.count, i))
            continue;
        const struct column *column = &table->columns[i];
        const struct row_part *part = NULL, *next = column->type->multicell ? next_part(parts, plan->part_count, column, NULL) : NULL;
        do {
            part = next;
            buf_put_str(out, any ? ", " : "");
            put_part(out, column, part);
            any = true;
            next = part ? next_part(parts, plan->part_count, column, part) : NULL;
        } while (next);
    }
    if (!any)
        buf_put_str(out, "*");
    return WR_OK;
}

static void put_and(struct buf *out, bool *any)
{
    buf_put_str(out, *any ? " AND " : " WHERE ");
    *any = true;
}

static enum wr_status put_key(struct ctx *ctx, struct buf *out, const struct table *table, struct slice key)
{
    struct slice *values = NEW_ARRAY(ctx, struct slice, table->key_count);
    if (!values)
        return WR_NOMEM;
    TRY(partition_key_get(ctx, key, table->key_count, values));
    for (uint32_t i = 0; i < table->key_count; i++) {
        buf_put_str(out, i ? " AND " : "");
        cql_put_name(out, table_key(table, i)->name);
        buf_put_str(out, " = ");
        type_print_literal(out, table_key(table, i)->type, values[i]);
    }
    return WR_OK;
}

/* A bound in the table's order. */
struct bound {
    struct slice *values;
    uint32_t n;
    bool inclusive;
};

static enum wr_status read_bound(struct ctx *ctx, const struct table *table, struct slice bytes, bool is_end, struct bound *out)
{
    bool behind = false;

    *out = (struct bound){ .values = NEW_ARRAY(ctx, struct slice, table->clustering_count) };
    if (!out->values)
        return WR_NOMEM;
    if (!slice_is_null(bytes))
        TRY(clustering_split_bound(ctx, &table->clustering, bytes, out->values, &out->n, &behind));
    out->inclusive = behind == is_end;
    return WR_OK;
}

struct slices {
    struct bound *starts, *ends; /* in the table's order */
    uint32_t count;
};

/* Of a page of one partition: what it began with. */
static enum wr_status read_slices(struct ctx *ctx, const struct source *s, struct slices *out)
{
    const struct table *table = s->plan->table;
    bool goes_on = s->resuming && s->plan->by_key;
    uint32_t first = goes_on ? s->ranges.cut_at : 0;
    bool turned = ((s->plan->scan_flags & SCAN_REVERSED) != 0) != table->clustering.reversed; /* ranges are in the order of the scan */

    out->count = s->ranges.count - first;
    out->starts = NEW_ARRAY(ctx, struct bound, 2 * (size_t)out->count);
    if (!out->starts)
        return WR_NOMEM;
    out->ends = out->starts + out->count;
    for (uint32_t i = 0; i < out->count; i++) {
        uint32_t at = first + (turned ? out->count - 1 - i : i);
        struct range r = goes_on && at == s->ranges.cut_at ? s->ranges.cut : s->ranges.list[at];
        TRY(read_bound(ctx, table, r.start, false, table->clustering.reversed ? &out->ends[i] : &out->starts[i]));
        TRY(read_bound(ctx, table, r.end, true, table->clustering.reversed ? &out->starts[i] : &out->ends[i]));
    }
    return WR_OK;
}

/* ClusteringIndexNamesFilter.toCQLString */
static void put_names(struct buf *out, const struct table *table, const struct slices *slices)
{
    bool one = table->clustering_count == 1;

    buf_put_str(out, one ? "" : "(");
    for (uint32_t c = 0; c < table->clustering_count; c++) {
        buf_put_str(out, c ? ", " : "");
        cql_put_name(out, table_clustering(table, c)->name);
    }
    buf_put_str(out, one ? "" : ")");
    buf_put_str(out, slices->count == 1 ? " = " : " IN (");
    for (uint32_t i = 0; i < slices->count; i++) {
        buf_put_str(out, i ? ", " : "");
        buf_put_str(out, one ? "" : "(");
        for (uint32_t c = 0; c < slices->starts[i].n; c++) {
            buf_put_str(out, c ? ", " : "");
            type_print_literal(out, table_clustering(table, c)->type, slices->starts[i].values[c]);
        }
        buf_put_str(out, one ? "" : ")");
    }
    buf_put_str(out, slices->count == 1 ? "" : ")");
}

static void put_side(struct buf *out, const struct column *column, const struct bound *bound, uint32_t c, bool is_end, bool *any)
{
    if (c >= bound->n)
        return;
    put_and(out, any);
    cql_put_name(out, column->name);
    buf_put_str(out, column->descending != is_end ? " <" : " >");
    buf_put_str(out, bound->inclusive ? "= " : " ");
    type_print_literal(out, column->type, bound->values[c]);
}

static bool is_equal(const struct slices *slices, uint32_t i, uint32_t c)
{
    const struct bound *start = &slices->starts[i], *end = &slices->ends[i];
    return c < start->n && c < end->n && slice_eq(start->values[c], end->values[c]);
}

/* The values of a column in all the slices, each once. */
static void put_equals(struct buf *out, const struct column *column, const struct slices *slices, uint32_t c)
{
    struct slice first = slices->starts[0].values[c], last = SLICE_NULL;
    bool many = false;

    for (uint32_t i = 1; i < slices->count; i++)
        many |= !slice_eq(slices->starts[i].values[c], first);
    cql_put_name(out, column->name);
    buf_put_str(out, many ? " IN (" : " = ");
    for (uint32_t i = 0; i < slices->count; i++) {
        struct slice value = slices->starts[i].values[c];
        if (i && slice_eq(value, last))
            continue;
        buf_put_str(out, i ? ", " : "");
        type_print_literal(out, column->type, value);
        last = value;
    }
    buf_put_str(out, many ? ")" : "");
}

/* Slices.toCQLString: each column by itself, as the first of the slices has it. */
static void put_slices(struct buf *out, const struct table *table, const struct slices *slices, bool *any)
{
    for (uint32_t c = 0; c < table->clustering_count; c++) {
        const struct column *column = table_clustering(table, c);
        if (is_equal(slices, 0, c)) {
            put_and(out, any);
            put_equals(out, column, slices, c);
            continue;
        }
        if (c >= slices->starts[0].n && c >= slices->ends[0].n)
            return;
        put_side(out, column, &slices->starts[0], c, false, any);
        put_side(out, column, &slices->ends[0], c, true, any);
    }
}

static void put_order(struct buf *out, const struct table *table)
{
    for (uint32_t c = 0; c < table->clustering_count; c++) {
        buf_put_str(out, c ? ", " : " ORDER BY ");
        cql_put_name(out, table_clustering(table, c)->name);
        buf_put_str(out, table_clustering(table, c)->descending ? " ASC" : " DESC");
    }
}

/* What of the limit of groups is left to a key's command behind those of others: of none, too, which is a number there. */
static uint32_t groups_left(const struct source *s)
{
    uint32_t all = s->command.limits.groups;
    if (!s->command.groups_before)
        return all;
    return (all == UINT32_MAX ? INT32_MAX : all) - s->command.groups_before;
}

static void put_limits(struct buf *out, const struct source *s)
{
    const struct command_limits *l = &s->command.limits;
    bool per_partition = l->of_partition != UINT32_MAX;

    if (groups_left(s) != UINT32_MAX)
        buf_printf(out, " GROUP LIMIT %u", groups_left(s));
    if (per_partition && l->grouped)
        buf_printf(out, " GROUP PER PARTITION LIMIT %u", l->of_partition);
    if (l->rows != UINT32_MAX)
        buf_printf(out, " LIMIT %u", l->rows);
    if (per_partition && !l->grouped)
        buf_printf(out, " PER PARTITION LIMIT %u", l->of_partition);
    if (l->aggregates && l->rows == UINT32_MAX)
        buf_put_str(out, " ");
}

/* Where the page begins: DataRange.toCQLString. */
static enum wr_status put_tokens(struct exec *exec, struct buf *out, const struct source *s, bool *any)
{
    const struct table *table = s->plan->table;

    if (slice_is_null(s->from.key))
        return restrict_put_tokens(exec, s->plan->where, false, out, any);
    struct slice *values = NEW_ARRAY(exec->ctx, struct slice, table->key_count);
    if (!values)
        return WR_NOMEM;
    TRY(partition_key_get(exec->ctx, s->from.key, table->key_count, values));
    put_and(out, any);
    buf_put_str(out, "token(");
    for (uint32_t i = 0; i < table->key_count; i++) {
        buf_put_str(out, i ? ", " : "");
        cql_put_name(out, table_key(table, i)->name);
    }
    buf_put_str(out, s->from.after_partition ? ") > token(" : ") >= token(");
    for (uint32_t i = 0; i < table->key_count; i++) {
        buf_put_str(out, i ? ", " : "");
        type_print_literal(out, table_key(table, i)->type, values[i]);
    }
    buf_put_str(out, ")");
    return restrict_put_tokens(exec, s->plan->where, true, out, any);
}

static enum wr_status put_where(struct exec *exec, struct buf *out, const struct source *s)
{
    const struct source_plan *plan = s->plan;
    struct slices slices = { 0 };
    bool any = false;

    if (plan->by_key) {
        put_and(out, &any);
        TRY(put_key(exec->ctx, out, plan->table, s->partition.key));
    } else {
        TRY(put_tokens(exec, out, s, &any));
    }
    if (plan->table->clustering_count && s->ranges.count) {
        TRY(read_slices(exec->ctx, s, &slices));
        if (restrict_is_clustering_range(plan->where)) {
            put_slices(out, plan->table, &slices, &any);
        } else {
            put_and(out, &any);
            put_names(out, plan->table, &slices);
        }
    }
    TRY(restrict_put_filter(exec, plan->where, out, &any));
    if (((plan->scan_flags & SCAN_REVERSED) != 0) != plan->table->clustering.reversed)
        put_order(out, plan->table);
    return WR_OK;
}

static enum wr_status put_command(struct exec *exec, struct buf *out, const struct source *s)
{
    const struct table *table = s->plan->table;

    buf_put_str(out, "SELECT ");
    TRY(put_columns(exec, out, s->plan));
    buf_put_str(out, " FROM ");
    cql_put_full_name(out, table->keyspace, table->name);
    TRY(put_where(exec, out, s));
    put_limits(out, s);
    buf_put_str(out, " ALLOW FILTERING");
    return WR_OK;
}

/* ---- counting ---- */

/* Beyond so many nobody counts on. */
static uint64_t most_of(const struct exec *exec)
{
    uint32_t refused = atomic_load(&exec->db->tombstones_refused);
    return refused ? refused : UINT64_MAX;
}

static enum wr_status end_command(struct exec *exec, struct source *s)
{
    uint32_t most = atomic_load(&exec->db->tombstones_warned);
    struct met met = s->command.met;
    bool warns = most && met.tombstones > most;
    struct buf text;
    struct slice query;

    s->command.met = (struct met){ 0, 0 };
    s->command.passed_tombstones += met.tombstones;
    if (!warns)
        return WR_OK;
    buf_init(&text, exec->ctx->arena);
    TRY(put_command(exec, &text, s));
    TRY(buf_done(exec->ctx, &text, &query));
    ctx_warn(exec->ctx, "Read %llu live rows and %llu tombstone cells for query %.*s; token %lld (see tombstone_warn_threshold)",
             (unsigned long long)met.live_rows, (unsigned long long)met.tombstones, (int)(query.len < TEXT_MAX ? query.len : TEXT_MAX),
             (const char *)query.data, (long long)token_of(s->partition.key));
    return WR_OK;
}

/* A read that fails warns as well: MetricRecording is closed all the same, at the tombstone that was too much. */
static enum wr_status check(struct exec *exec, struct source *s)
{
    uint64_t most = most_of(exec);

    if (s->command.met.tombstones <= most)
        return WR_OK;
    s->command.met.tombstones = most + 1;
    TRY(end_command(exec, s));
    return failure_of_tombstones(exec);
}

void read_command_begin(struct exec *exec, struct source *s)
{
    s->command.counted = false;
    if (!s->command.counts)
        return;
    if (exec->cursors.scan)
        scan_take_dead(exec->cursors.scan);
    if (!source_is_by_keys(s))
        return;
    s->command.groups_before = s->command.groups_begun;
    if (s->command.left)
        s->command.limits.rows = *s->command.left < *s->command.page_left ? *s->command.left : *s->command.page_left;
}

/* Of the ranges that were opened: the last one up to `last`, the others whole. */
static enum wr_status count_buried(struct exec *exec, struct source *s, bool whole, struct slice last)
{
    uint64_t most = most_of(exec);

    for (uint32_t i = s->resuming ? s->ranges.cut_at : 0; i < s->ranges.at; i++) {
        const struct stretch read = { .range = s->resuming && i == s->ranges.cut_at ? s->ranges.cut : s->ranges.list[i],
                                      .last = whole || i + 1 < s->ranges.at ? SLICE_NULL : last,
                                      .reversed = s->plan->scan_flags & SCAN_REVERSED };
        TRY(tombstones_buried(exec->ctx, exec->txn, &s->partition, read, most, &s->command.met.tombstones));
    }
    return WR_OK;
}

enum wr_status read_command_count(struct exec *exec, struct source *s, bool whole, struct slice last)
{
    if (!s->command.counts)
        return WR_OK;
    if (!s->command.counted) /* else a row behind the last that PER PARTITION LIMIT allows was looked at, as a server does not */
        s->command.met.live_rows += s->read_count - s->command.read_before;
    s->command.read_before = s->read_count;
    if (s->command.counted)
        return WR_OK;
    s->command.counted = true;
    if (s->command.counts_static)
        TRY(tombstones_in_entry(exec->ctx, exec->txn, &s->partition, &s->command.met));
    if (exec->cursors.scan)
        s->command.met.tombstones += scan_take_dead(exec->cursors.scan);
    TRY(count_buried(exec, s, whole, last));
    TRY(check(exec, s));
    return source_is_by_keys(s) ? end_command(exec, s) : WR_OK;
}

enum wr_status read_command_hit(struct exec *exec, struct source *s)
{
    struct stretch here = { .range.start = s->clustering, .last = SLICE_NULL };
    struct met met = { 0, 0 }; /* that it is alive is counted with those read */

    if (!s->command.counts || s->command.counted)
        return WR_OK;
    TRY(ctx_next_bytes(exec->ctx, s->clustering, &here.range.end));
    TRY(tombstones_in_row(exec->ctx, exec->txn, &s->partition, s->clustering, &met));
    TRY(tombstones_buried(exec->ctx, exec->txn, &s->partition, here, most_of(exec), &met.tombstones));
    s->command.met.tombstones += met.tombstones;
    return check(exec, s);
}

enum wr_status read_command_end(struct exec *exec, struct source *s, bool with_rows)
{
    bool by_keys = source_is_by_keys(s);

    if (!s->command.counts)
        return WR_OK;
    if (s->in_partition && with_rows)
        TRY(read_command_count(exec, s, false, s->clustering));
    else if (s->in_partition && s->command.counts_static && !by_keys)
        TRY(tombstones_in_entry(exec->ctx, exec->txn, &s->partition, &s->command.met));
    return by_keys ? WR_OK : end_command(exec, s);
}

enum wr_status read_command_entry(struct exec *exec, const struct source_plan *plan, const struct partition *partition)
{
    uint32_t rows = exec->page.size > 0 ? (uint32_t)exec->page.size : UINT32_MAX;
    struct source s = { .plan = plan, .partition = *partition, .command.limits = { .rows = rows, .groups = UINT32_MAX, .of_partition = UINT32_MAX } };

    if (!read_command_counts(exec))
        return WR_OK;
    TRY(tombstones_in_entry(exec->ctx, exec->txn, partition, &s.command.met));
    TRY(check(exec, &s));
    return end_command(exec, &s);
}
