#include <stdlib.h>

#include "engine/coding.h"
#include "engine/counter.h"
#include "model/authorize.h"
#include "model/cas.h"
#include "model/consistency.h"
#include "model/failure.h"
#include "model/modify.h"
#include "model/rowvalues.h"
#include "model/tracing.h"
#include "model/virtual.h"

/* ---- what is written to ---- */

/* A term of a primary key in an INSERT. */
static enum wr_status key_value(struct exec *exec, const struct modify *m, const struct slice *json, uint32_t ordinal,
                                struct slice *out)
{
    const struct column *column = &m->plan.table->columns[ordinal];

    if (json)
        TRY(insert_json_value(exec->ctx, json, ordinal, out));
    else
        TRY(expr_eval_term(exec, m->keys[ordinal], out));
    if (slice_is_null(*out))
        return restrict_fail_null(exec->ctx, column);
    if (slice_is_unset(*out))
        return fail(exec->ctx, WR_INVALID, "Invalid unset value for column %.*s", SLICE_ARG(column->name));
    return WR_OK;
}

static bool is_dense(const struct table *table)
{
    return (table->flags & (TABLE_DENSE | TABLE_COMPOUND)) == TABLE_DENSE;
}

/* The clustering column without which no row can be: of a dense table's its one, empty or null; of others that a tuple bound short leaves out, of which a
 * server writes a row without it. NULL: there is all it takes, for a compact table a prefix. */
static const struct column *clustering_lack(const struct table *table, const struct slice *values)
{
    uint32_t i = 0;

    if (is_dense(table))
        return values[0].len ? NULL : table_clustering(table, 0);
    if (table->flags & TABLE_COMPACT)
        return NULL;
    while (i < table->clustering_count && !slice_is_null(values[i]))
        i++;
    return i < table->clustering_count ? table_clustering(table, i) : NULL;
}

/* A row's clustering, in comparable bytes; values has one for each clustering column, missing ones null. */
static enum wr_status make_row(struct ctx *ctx, const struct table *table, const struct slice *values,
                               struct target_row *out)
{
    out->lacks = clustering_lack(table, values);
    return clustering_encode(ctx, &table->clustering, values, &out->clustering, &out->annex);
}

/* UpdateParameters.newRow: a condition may speak of such a row. */
static enum wr_status check_row(struct ctx *ctx, const struct table *table, const struct target_row *row)
{
    if (!row->lacks)
        return WR_OK;
    return fail(ctx, WR_INVALID, "Invalid %snull value for column %.*s", is_dense(table) ? "empty or " : "", SLICE_ARG(row->lacks->name));
}

/* A DELETE that speaks of it does nothing, as a server's tombstone of a row that never is. Not where it has no value at all: that deletes the
 * partition there, and is refused here. */
static bool deletes_nothing(const struct modify *m, const struct target_row *row)
{
    const struct table *table = m->plan.table;
    return m->kind == AST_DELETE && row->lacks && row->lacks != table_clustering(table, 0);
}

static enum wr_status insert_key(struct exec *exec, const struct modify *m, struct targets *t)
{
    const struct table *table = m->plan.table;
    struct slice *values = NEW_ROOM(exec->ctx, struct slice, table->key_count + 1);

    if (!values)
        return WR_NOMEM;
    if (m->json)
        TRY(insert_json_values(exec, table, m->json, &t->json));
    for (uint32_t i = 0; i < table->key_count; i++)
        TRY(key_value(exec, m, t->json, i, &values[i]));
    t->keys = values + table->key_count;
    t->key_count = 1;
    return partition_key_of(exec->ctx, values, table->key_count, t->keys);
}

static enum wr_status insert_row(struct exec *exec, const struct modify *m, struct targets *t)
{
    const struct table *table = m->plan.table;
    struct slice *values = NEW_ARRAY(exec->ctx, struct slice, table->clustering_count);

    if (!m->updates_row)
        return WR_OK;
    if (!values || !(t->rows = NEW(exec->ctx, struct target_row)))
        return WR_NOMEM;
    for (uint32_t i = 0; i < m->clustering_given; i++)
        TRY(key_value(exec, m, t->json, table->key_count + i, &values[i]));
    t->row_count = 1;
    if (table->clustering_count)
        return make_row(exec->ctx, table, values, t->rows);
    t->rows->clustering = SLICE_EMPTY;
    return WR_OK;
}

static int cmp_ascending(const void *a, const void *b)
{
    return slice_cmp(((const struct target_row *)a)->clustering, ((const struct target_row *)b)->clustering);
}

static int cmp_descending(const void *a, const void *b)
{
    return cmp_ascending(b, a);
}

static enum wr_status where_rows(struct exec *exec, const struct modify *m, struct targets *t)
{
    const struct table *table = m->plan.table;
    uint32_t width = table->clustering_count;
    struct slice *values;

    if (m->ranged)
        return restrict_ranges(exec, m->where, &t->ranges, &t->range_count, &t->null_bound);
    if (!m->updates_row)
        return WR_OK;
    if (!width) {
        if (!(t->rows = NEW(exec->ctx, struct target_row)))
            return WR_NOMEM;
        t->rows->clustering = SLICE_EMPTY;
        t->row_count = 1;
        return WR_OK;
    }
    TRY(restrict_clusterings(exec, m->where, &values, &t->row_count));
    if (!(t->rows = NEW_ARRAY(exec->ctx, struct target_row, t->row_count)))
        return WR_NOMEM;
    for (uint32_t i = 0; i < t->row_count; i++)
        TRY(make_row(exec->ctx, table, values + (size_t)i * width, &t->rows[i]));
    if (t->row_count > 1) /* in the table's order: the first to fail is the one whose message is given */
        qsort(t->rows, t->row_count, sizeof *t->rows, table->clustering.reversed ? cmp_descending : cmp_ascending);
    return WR_OK;
}

enum wr_status modify_keys(struct exec *exec, const struct modify *m, struct targets *out)
{
    struct targets t = { 0 };
    TRY(m->where ? restrict_keys(exec, m->where, &t.keys, &t.key_count) : insert_key(exec, m, &t));
    *out = t;
    return WR_OK;
}

enum wr_status modify_rows(struct exec *exec, const struct modify *m, struct targets *t)
{
    return m->where ? where_rows(exec, m, t) : insert_row(exec, m, t);
}

/* ---- timestamp and TTL ---- */

enum wr_status modify_timestamp(struct exec *exec, const struct expr *term, int64_t *timestamp_us, bool *given)
{
    struct slice value;

    *given = false;
    if (!term)
        return WR_OK;
    TRY(expr_eval_term(exec, term, &value));
    if (slice_is_null(value))
        return fail(exec->ctx, WR_INVALID, "Invalid null value of timestamp");
    if (slice_is_unset(value))
        return WR_OK;
    if (value.len != sizeof(uint64_t)) /* empty */
        return fail_composed_null(exec->ctx, "Long.longValue()", "LongType");
    *timestamp_us = (int64_t)read_u64(value.data);
    *given = true;
    return WR_OK;
}

/* A null TTL means none; an unset one, the table's. Whether it ends too late goes by the clock, whatever time the statement was given. */
static enum wr_status find_ttl(struct exec *exec, const struct modify *m, uint32_t *ttl_s)
{
    const struct table *table = m->plan.table;
    struct ctx *ctx = exec->ctx;
    int32_t ttl = table->options.default_time_to_live;
    bool is_default = true;

    if (m->ttl) {
        struct slice value;
        TRY(expr_eval_term(exec, m->ttl, &value));
        if (!slice_is_unset(value)) {
            ttl = value.len == 4 ? (int32_t)read_u32(value.data) : 0;
            is_default = false;
        }
    }
    if (ttl < 0)
        return fail(ctx, WR_INVALID, "A TTL must be greater or equal to 0, but was %d", (int)ttl);
    if (ttl > TTL_MAX_S)
        return fail(ctx, WR_INVALID, "ttl is too large. requested (%d) maximum (%d)", (int)ttl, TTL_MAX_S);
    if (ttl && exec->now_us / 1000000 + ttl > (int64_t)EXPIRY_MAX_S)
        return fail(ctx, WR_INVALID,
                    "Request on table %.*s.%.*s with %sttl of %d seconds exceeds maximum supported expiration date of "
                    "2038-01-19T03:14:06+00:00. In order to avoid this use a lower TTL, change the expiration date "
                    "overflow policy or upgrade to a version where this limitation is fixed. See CASSANDRA-14092 and "
                    "CASSANDRA-14227 for more details.",
                    SLICE_ARG(table->keyspace), SLICE_ARG(table->name), is_default ? "default " : "", (int)ttl);
    *ttl_s = (uint32_t)ttl;
    return WR_OK;
}

/* ExpirationDateOverflowHandling.computeLocalExpirationTime: a statement's own time may be later than any cell's end. */
static uint32_t expiry_of(uint32_t now_s, uint32_t ttl_s)
{
    uint64_t expires_s = (uint64_t)now_s + ttl_s;
    return expires_s > EXPIRY_MAX_S ? EXPIRY_MAX_S : (uint32_t)expires_s;
}

static enum wr_status find_times(struct write *w, const struct modify *m, struct write_times *out)
{
    struct write_times t = { .now_s = w->exec->ctx->now_s };
    bool given = false;

    if (!w->conditional)
        TRY(modify_timestamp(w->exec, m->timestamp, &t.timestamp_us, &given));
    if (!given)
        t.timestamp_us = w->timestamp_us;
    TRY(find_ttl(w->exec, m, &t.ttl_s));
    if (t.timestamp_us == TIMESTAMP_NONE)
        return fail(w->exec->ctx, WR_INVALID,
                    "Out of bound timestamp, must be in [-9223372036854775807, 9223372036854775807]");
    t.expires_s = t.ttl_s ? expiry_of(t.now_s, t.ttl_s) : 0;
    *out = t;
    return WR_OK;
}

/* ---- what is written ---- */

struct partition_rows { /* the rows as they are, for operations that look */
    struct slice key;
    struct partition partition;
    bool found;
    uint32_t read_count; /* of them, for a trace */
};

static bool is_looked_at(const struct looked_row *looked, const struct table *table, struct slice key, struct slice clustering, const struct columns *read)
{
    return looked->table == table && slice_eq(looked->key, key) && slice_is_null(looked->clustering) == slice_is_null(clustering) &&
           slice_eq(looked->clustering, clustering) && looked->read.count == read->count && !read->paths &&
           memcmp(looked->read.ids, read->ids, read->count * sizeof *read->ids) == 0;
}

static enum wr_status find_current(struct write *w, const struct table *table, struct partition_rows *rows, const struct target_row *target,
                                   const struct columns *read, const struct row **out)
{
    struct exec *exec = w->exec;
    struct looked_row *looked = &w->looked;
    struct slice clustering = target ? target->clustering : SLICE_NULL;

    *out = NULL;
    if (!rows->found || (target && w->cas && !cas_has_row(w->cas, target->clustering)))
        return WR_OK;
    if (!is_looked_at(looked, table, rows->key, clustering, read)) {
        *looked = (struct looked_row){ .key = rows->key, .clustering = clustering, .read = *read, .found = true };
        if (target)
            TRY(row_find_live(exec->ctx, exec->txn, &rows->partition, clustering, read, &looked->row, &looked->found));
        else
            TRY(partition_static(exec->ctx, exec->txn, &rows->partition, read, &looked->row));
        looked->table = table;
    }
    /* without conditions nothing is seen of a row that other columns alone keep alive (ColumnFilter.selection); a static row is there where it has cells */
    bool is_there = looked->row.cell_count || (target && (w->cas || liveness_is_live(looked->row.liveness, exec->ctx->now_s)));
    if (looked->found && is_there)
        *out = &looked->row;
    rows->read_count += looked->found;
    return WR_OK;
}

/* target NULL: the static row. */
static enum wr_status collect_row(struct write *w, const struct modify *m, const struct targets *targets,
                                  const struct write_times *times, struct partition_rows *rows,
                                  const struct target_row *target, struct row *out)
{
    const struct operations *operations = target ? &m->regular : &m->statics;
    const struct row *current = NULL;

    *out = ROW_NONE;
    if (target) {
        if (operations->count || m->marks_row)
            TRY(check_row(w->exec->ctx, m->plan.table, target));
        out->annex = target->annex;
    }
    if (operations->read.count)
        TRY(find_current(w, m->plan.table, rows, target, &operations->read, &current));
    TRY(operations_run(w, operations, times, targets->json, current, out));
    if (target && m->marks_row)
        out->liveness = (struct liveness){ times->timestamp_us, times->ttl_s, times->expires_s };
    return WR_OK;
}

static enum wr_status collect_static(struct write *w, const struct modify *m, const struct targets *targets, const struct write_times *times,
                                     struct partition_rows *rows, struct write_part *part)
{
    struct row *row = NEW(w->exec->ctx, struct row);
    if (!row)
        return WR_NOMEM;
    TRY(collect_row(w, m, targets, times, rows, NULL, row));
    if (!row_is_empty(row))
        part->update.static_row = row;
    return WR_OK;
}

static enum wr_status collect_rows(struct write *w, const struct modify *m, const struct targets *targets,
                                   const struct write_times *times, struct slice key, struct partition_rows *rows)
{
    struct write_part *part, *further;
    bool has_rows = m->updates_row && (m->regular.count || m->kind != AST_DELETE);
    uint32_t row_count = has_rows ? targets->row_count : 0;

    TRY(write_add(w, m->plan.table, key, row_count, 0, &part));
    for (uint32_t i = 0; i < row_count || i == 0; i++) {
        if (i < row_count && !deletes_nothing(m, &targets->rows[i])) {
            struct row_update *row = &part->update.rows[part->update.row_count];
            row->clustering = targets->rows[i].clustering;
            TRY(collect_row(w, m, targets, times, rows, &targets->rows[i], &row->row));
            if (!row_is_empty(&row->row))
                part->update.row_count++;
        }
        if (!m->statics.count)
            continue;
        /* once behind each row that is written (UpdateStatement.addUpdateForKey): a static list grows, a static counter counts, as often */
        further = part;
        if (i)
            TRY(write_add(w, m->plan.table, key, 0, 0, &further));
        TRY(collect_static(w, m, targets, times, rows, further));
    }
    return WR_OK;
}

static enum wr_status collect_partition(struct write *w, const struct modify *m, const struct targets *targets,
                                        const struct write_times *times, struct slice key)
{
    struct exec *exec = w->exec;
    const struct table *table = m->plan.table;
    struct partition_rows rows = { .key = key, .found = false };

    if (!m->regular.read.count && !m->statics.read.count)
        return collect_rows(w, m, targets, times, key, &rows);
    tracing_partition(exec, table, false); /* what is looked at is a list */
    TRY(partition_find(exec->ctx, exec->txn, &table->shape, key, &rows.partition, &rows.found));
    enum wr_status st = collect_rows(w, m, targets, times, key, &rows);
    tracing_partition_read(exec, false, rows.found, (struct met){ .live_rows = rows.read_count });
    return st;
}

/* A row of a dense compact table is deleted by a tombstone of its one value (UpdateParameters.addRowDeletion), which a table that is none any more
 * tells from the row's deletion. A counter ends by it (counter.h). */
static enum wr_status delete_row(struct ctx *ctx, const struct table *table, const struct write_times *times, struct row *row)
{
    if (!(table->flags & TABLE_DENSE)) {
        row->deletion = write_deletion(times);
        return WR_OK;
    }
    struct cell *cell = NEW(ctx, struct cell);
    if (!cell)
        return WR_NOMEM;
    cell->column = table->columns[table->column_count - 1].id;
    cell->timestamp_us = times->timestamp_us;
    cell->kind = CELL_DEAD;
    cell->local_s = times->now_s;
    if (table_is_counter(table))
        counter_end(cell);
    row->cells = cell;
    row->cell_count = 1;
    return WR_OK;
}

/* DELETE without columns: rows, ranges, or the partition. */
static enum wr_status collect_deletions(struct write *w, const struct modify *m, const struct targets *targets,
                                        const struct write_times *times, struct slice key)
{
    struct deletion deletion = write_deletion(times);
    struct write_part *part;

    TRY(write_add(w, m->plan.table, key, m->has_clustering ? targets->row_count : 0, targets->range_count, &part));
    w->null_bound |= targets->null_bound;
    if (!m->has_clustering) {
        part->update.partition_deletion = deletion;
        return WR_OK;
    }
    for (uint32_t i = 0; i < targets->range_count; i++)
        part->update.ranges[i] = (struct range_deletion){ targets->ranges[i], deletion };
    for (uint32_t i = 0; i < targets->row_count; i++) {
        const struct target_row *target = &targets->rows[i];
        if (deletes_nothing(m, target))
            continue;
        TRY(check_row(w->exec->ctx, m->plan.table, target));
        struct row_update *row = &part->update.rows[part->update.row_count++];
        *row = (struct row_update){ target->clustering, ROW_NONE };
        row->row.annex = target->annex;
        TRY(delete_row(w->exec->ctx, m->plan.table, times, &row->row));
    }
    part->update.range_count = targets->range_count;
    return WR_OK;
}

/* Validation.validateKey, which a condition goes without; what is empty or too long has been refused. */
static enum wr_status check_key(struct ctx *ctx, const struct table *table, struct slice key)
{
    struct slice *values = NEW_ARRAY(ctx, struct slice, table->key_count);

    if (!values)
        return WR_NOMEM;
    TRY(partition_key_get(ctx, key, table->key_count, values));
    for (uint32_t i = 0; i < table->key_count; i++)
        TRY(type_validate(ctx, table_key(table, i)->type, values[i]));
    return WR_OK;
}

/* Rows lose columns one by one. */
static enum wr_status check_columns_deleted(struct ctx *ctx, const struct modify *m)
{
    bool of_rows = m->ranged || (m->regular.count && m->plan.table->clustering_count && !m->has_clustering);
    if (m->kind == AST_DELETE && !m->deletes_all && of_rows)
        return fail(ctx, WR_INVALID, "Range deletions are not supported for specific columns");
    return WR_OK;
}

static enum wr_status collect_key(struct write *w, const struct modify *m, const struct targets *targets,
                                  const struct write_times *times, struct slice key)
{
    struct ctx *ctx = w->exec->ctx;

    if (m->checks_key && !w->conditional)
        TRY(check_key(ctx, m->plan.table, key));
    if (m->lacks && targets->row_count)
        TRY(check_row(ctx, m->plan.table, &targets->rows[0]));
    if (m->lacks)
        return fail(ctx, WR_INVALID, "Column %.*s is mandatory for this COMPACT STORAGE table", SLICE_ARG(m->lacks->name));
    if (m->deletes_all)
        return collect_deletions(w, m, targets, times, key);
    TRY(check_columns_deleted(ctx, m));
    return collect_partition(w, m, targets, times, key);
}

enum wr_status modify_collect(struct write *w, const struct modify *m, const struct targets *targets)
{
    struct write_times times;

    if (m->has_clustering && !targets->row_count && !targets->range_count)
        return WR_OK; /* IN () or an empty range: nothing is looked at any further */
    if (!w->conditional && (m->regular.read.count || m->statics.read.count))
        TRY(consistency_check_required_read(w->exec, m->plan.table, targets->key_count));
    TRY(find_times(w, m, &times));
    for (uint32_t i = 0; i < targets->key_count; i++) {
        TRY(ctx_go_on(w->exec->ctx)); /* WHERE may name a million */
        TRY(collect_key(w, m, targets, &times, targets->keys[i]));
    }
    return WR_OK;
}

enum wr_status modify_run_virtual(struct exec *exec, const struct modify *m)
{
    enum virtual_write write = m->kind != AST_DELETE ? VIRTUAL_UPDATE
                               : !m->deletes_all     ? VIRTUAL_DELETE_COLUMNS
                               : m->ranged           ? VIRTUAL_DELETE_RANGE
                               : m->has_clustering   ? VIRTUAL_DELETE_ROW
                                                     : VIRTUAL_DELETE_PARTITION;
    struct targets targets;
    TRY(modify_keys(exec, m, &targets));
    TRY(modify_rows(exec, m, &targets));
    TRY(check_columns_deleted(exec->ctx, m));
    return virtual_write(exec->ctx, m->plan.table, write);
}

/* ---- the plans ---- */

static enum wr_status start_plain(struct exec *exec, const struct plan *plan)
{
    const struct modify *m = modify_of(plan);
    struct targets targets;
    struct write w;
    int64_t timestamp_us;
    bool given;

    exec->run = NULL;
    if (modify_is_virtual(m))
        return modify_run_virtual(exec, m);
    write_init(&w, exec, exec->timestamp_us == TIMESTAMP_NONE ? NULL : &exec->timestamp_us, false);
    TRY(modify_timestamp(exec, m->timestamp, &timestamp_us, &given)); /* ModificationStatement.validateTimestamp: before all else */
    TRY(modify_keys(exec, m, &targets));
    TRY(modify_rows(exec, m, &targets));
    TRY(modify_collect(&w, m, &targets));
    TRY(write_finish(&w));
    return write_apply(&w);
}

static enum wr_status start_conditional(struct exec *exec, const struct plan *plan)
{
    struct batch_entry entry = { plan, exec->given };
    return cas_run(exec, &entry, 1, false);
}

static enum wr_status step_conditional(struct exec *exec, const struct plan *plan, const struct slice **row)
{
    (void)plan;
    return cas_step(exec, row);
}

static const struct column_spec *columns_conditional(const struct exec *exec, const struct plan *plan, uint32_t *count)
{
    (void)plan;
    return cas_columns(exec, count);
}

/* ModificationStatement.authorize: conditions show what is there, and views follow from it. */
static enum wr_status authorize(struct exec *exec, const struct plan *plan)
{
    const struct table *table = plan->table;
    TRY(authorize_table(exec, PERMISSION_MODIFY, table));
    if (plan->conditional || table->view_count)
        TRY(authorize_table(exec, PERMISSION_SELECT, table));
    for (uint32_t i = 0; i < table->view_count; i++)
        TRY(authorize_table(exec, PERMISSION_MODIFY, table->views[i]));
    return authorize_functions(exec, plan);
}

static const struct plan_ops plain_ops = { .name = "modify", .access = PLAN_WRITE, .authorize = authorize, .start = start_plain };
static const struct plan_ops conditional_ops = { .name = "modify if", .access = PLAN_WRITE, .authorize = authorize, .start = start_conditional,
                                                 .step = step_conditional, .columns = columns_conditional };

const struct modify *modify_of(const struct plan *plan)
{
    return plan->ops == &plain_ops || plan->ops == &conditional_ops ? (const struct modify *)plan : NULL;
}

enum wr_status modify_new(struct bind *bind, const struct ast_statement *ast, struct modify **out)
{
    struct modify *m;
    TRY(modify_bind(bind, ast, &m));
    m->plan.ops = m->plan.conditional ? &conditional_ops : &plain_ops;
    *out = m;
    return WR_OK;
}

enum wr_status bind_modify(struct bind *bind, const struct ast_statement *ast, struct plan **out)
{
    struct modify *m;
    TRY(modify_new(bind, ast, &m));
    *out = &m->plan;
    return WR_OK;
}
