#include "model/cas.h"

#include <stdlib.h>

#include "engine/hash.h"
#include "model/consistency.h"
#include "model/modify.h"
#include "model/rowvalues.h"
#include "model/star.h"
#include "model/tracing.h"

struct cas_row { /* one row that conditions speak of */
    struct slice clustering;
    enum conditions_kind kind;
    struct bound_condition *list;
    uint32_t count, room;
    bool exists;
    struct slice *values; /* by ordinal */
};

struct cas { /* CQL3CasRequest */
    struct exec *exec;
    const struct table *table;
    struct slice key;
    struct cas_row *rows;  /* regular ones; room for one an entry */
    uint32_t row_count;
    uint32_t *slots;       /* by hash of the clustering: number of the row from 1 on; 0: free */
    uint32_t slot_mask;
    struct cas_row statics; /* kind CONDITIONS_NONE: no condition on the static row */
    bool *needed;           /* by ordinal: what a server reads */
    bool *asked;            /* by ordinal: what has to be read to decide */
    bool whole;             /* all that is needed is read */
    bool narrowed;          /* of some collections no more is read than elements */
    const struct column **result; /* conditioned columns in the order they were met */
    uint32_t result_count;
    bool shows_all;         /* some condition is IF [NOT] EXISTS */
    bool updates_row;       /* some statement does, a regular row */
    bool updates_static;    /* some conditional statement does, the static row */
    bool updates_lists;     /* some statement does, and has to see what is in them */
    struct cas_first { /* row of the partition, where no condition is on a regular one; values NULL: none */
        struct slice clustering, *values;
    } first;
};

struct cas_result {
    struct column_spec *specs;
    struct slice *values; /* row_count times spec_count */
    uint32_t spec_count, row_count, at;
};

/* ---- collecting conditions ---- */

static enum wr_status mix(struct ctx *ctx, enum conditions_kind before, enum conditions_kind now)
{
    if (now == CONDITIONS_COLUMNS)
        return fail(ctx, WR_INVALID, "Cannot mix IF conditions and IF NOT EXISTS for the same row");
    if (before == CONDITIONS_COLUMNS)
        return fail(ctx, WR_INVALID, "Cannot mix IF conditions and IF %sEXISTS for the same row",
                    now == CONDITIONS_NOT_EXISTS ? "NOT " : "");
    return fail(ctx, WR_INVALID, "Cannot mix IF EXISTS and IF NOT EXISTS conditions for the same row");
}

/* The row of that clustering, a new one at its first mention. */
static struct cas_row *find_row(struct cas *cas, struct slice clustering)
{
    uint32_t at = (uint32_t)hash64(clustering) & cas->slot_mask;

    for (; cas->slots[at]; at = (at + 1) & cas->slot_mask)
        if (slice_eq(cas->rows[cas->slots[at] - 1].clustering, clustering))
            return &cas->rows[cas->slots[at] - 1];
    cas->rows[cas->row_count++] = (struct cas_row){ .clustering = clustering };
    cas->slots[at] = cas->row_count;
    return &cas->rows[cas->row_count - 1];
}

/* A part of a statement's conditions onto a row; list NULL: IF [NOT] EXISTS. */
static enum wr_status add_to_row(struct cas *cas, struct cas_row *row, enum conditions_kind kind,
                                 const struct condition *list, uint32_t count)
{
    struct ctx *ctx = cas->exec->ctx;

    if (row->kind != CONDITIONS_NONE && row->kind != kind)
        return mix(ctx, row->kind, kind);
    row->kind = kind;
    if (row->room - row->count < count) {
        uint32_t room = (row->count + count) * 2;
        struct bound_condition *all = NEW_ARRAY(ctx, struct bound_condition, room);
        if (!all)
            return WR_NOMEM;
        if (row->count)
            memcpy(all, row->list, row->count * sizeof *all);
        row->list = all;
        row->room = room;
    }
    for (uint32_t i = 0; i < count; i++) {
        TRY(condition_evaluate(cas->exec, &list[i], &row->list[row->count++]));
        const struct column *column = list[i].column;
        cas->needed[column->ordinal] = true;
        if (!cas->asked[column->ordinal]) {
            cas->asked[column->ordinal] = true;
            cas->result[cas->result_count++] = column;
        }
    }
    return WR_OK;
}

static enum wr_status add_conditions(struct cas *cas, const struct modify *m, const struct targets *targets)
{
    const struct conditions *c = &m->conditions;

    if (c->kind != CONDITIONS_COLUMNS) {
        cas->shows_all = true;
        return add_to_row(cas, targets->row_count ? find_row(cas, targets->rows[0].clustering) : &cas->statics, c->kind,
                          NULL, 0);
    }
    if (c->regular_count)
        TRY(add_to_row(cas, find_row(cas, targets->rows[0].clustering), c->kind, c->list, c->regular_count));
    if (c->count > c->regular_count)
        TRY(add_to_row(cas, &cas->statics, c->kind, c->list + c->regular_count, c->count - c->regular_count));
    return WR_OK;
}

static enum wr_status check_one_partition(struct cas *cas, const struct modify *m, const struct targets *targets,
                                          bool in_batch)
{
    struct ctx *ctx = cas->exec->ctx;
    const char *what = m->kind == AST_DELETE ? "deletions" : "updates";

    if (m->where && restrict_key_has_in(m->where))
        return in_batch ? fail(ctx, WR_SERVER_ERROR,
                               "java.lang.IllegalArgumentException: Batch with conditions cannot span multiple "
                               "partitions (you cannot use IN on the partition key)")
                        : fail(ctx, WR_INVALID, "IN on the partition key is not supported with conditional %s", what);
    if (targets->key_count == 0) /* its token is none of those asked for: a server fails with an IndexOutOfBoundsException */
        return fail(ctx, WR_INVALID, "The token function cannot be used in WHERE clauses for %s statements",
                    m->kind == AST_DELETE ? "DELETE" : "UPDATE");
    if (slice_is_null(cas->key))
        cas->key = targets->keys[0];
    else if (!slice_eq(cas->key, targets->keys[0]))
        return fail(ctx, WR_INVALID, "Batch with conditions cannot span multiple partitions");
    if (m->where && restrict_clustering_has_in(m->where))
        return fail(ctx, WR_INVALID, "IN on the clustering key columns is not supported with conditional %s", what);
    return WR_OK;
}

static enum wr_status collect(struct cas *cas, const struct batch_entry *entries, uint32_t count, bool in_batch,
                              struct targets *targets)
{
    const struct given given = cas->exec->given;
    enum wr_status st = WR_OK;

    for (uint32_t i = 0; i < count && st == WR_OK; i++) {
        const struct modify *m = modify_of(entries[i].plan);
        cas->exec->given = entries[i].given;
        st = modify_keys(cas->exec, m, &targets[i]);
        if (st == WR_OK)
            st = check_one_partition(cas, m, &targets[i], in_batch);
        if (st == WR_OK)
            st = modify_rows(cas->exec, m, &targets[i]);
        cas->updates_row |= m->updates_row;
        cas->updates_lists |= m->regular.read.count > 0;
        if (st != WR_OK || m->conditions.kind == CONDITIONS_NONE)
            continue;
        cas->updates_static |= m->statics.count > 0;
        st = add_conditions(cas, m, &targets[i]);
    }
    cas->exec->given = given;
    return st;
}

/* ---- reading ---- */

static enum wr_status new_values(struct cas *cas, struct slice **out)
{
    *out = NEW_ARRAY(cas->exec->ctx, struct slice, cas->table->column_count);
    return *out ? WR_OK : WR_NOMEM;
}

/* Whether a row has anything that is read: its marker, or a cell of a column that is. */
static bool is_seen(const struct cas *cas, const struct row *row, const struct slice *values, enum column_kind kind)
{
    if (row && liveness_is_live(row->liveness, cas->exec->ctx->now_s))
        return true;
    for (uint32_t i = 0; i < cas->table->column_count; i++)
        if (cas->table->columns[i].kind == kind && cas->needed[i] && !slice_is_null(values[i]))
            return true;
    return false;
}

static enum wr_status read_row(struct cas *cas, const struct row_columns *wanted, const struct partition *partition,
                               struct cas_row *row)
{
    struct exec *exec = cas->exec;
    struct row found;
    bool exists;

    TRY(new_values(cas, &row->values));
    TRY(row_find_live(exec->ctx, exec->txn, partition, row->clustering, cas->whole ? NULL : &wanted->regular_ids, &found, &exists));
    if (!exists)
        return WR_OK;
    TRY(row_values(exec->ctx, wanted, cas->key, NULL, row->clustering, &found, row->values));
    bool by_any = cas->updates_row && !cas->whole; /* cell that is alive, be it not read */
    row->exists = by_any || is_seen(cas, &found, row->values, COLUMN_REGULAR);
    return WR_OK;
}

static enum wr_status read_rows(struct cas *cas, const struct row_columns *wanted, const struct partition *partition)
{
    struct exec *exec = cas->exec;
    struct row static_row;

    TRY(new_values(cas, &cas->statics.values));
    TRY(partition_static(exec->ctx, exec->txn, partition, cas->whole ? NULL : &wanted->static_ids, &static_row));
    TRY(row_values(exec->ctx, wanted, cas->key, &static_row, SLICE_EMPTY, NULL, cas->statics.values));
    cas->statics.exists = is_seen(cas, NULL, cas->statics.values, COLUMN_STATIC);
    for (uint32_t i = 0; i < cas->row_count; i++)
        TRY(read_row(cas, wanted, partition, &cas->rows[i]));
    return WR_OK;
}

/* Where there is no partition: everything is null. */
static enum wr_status read_nothing(struct cas *cas)
{
    TRY(new_values(cas, &cas->statics.values));
    for (uint32_t i = 0; i < cas->row_count; i++)
        TRY(new_values(cas, &cas->rows[i].values));
    return WR_OK;
}

/* The first row of the partition that is seen, in the table's order. */
static enum wr_status read_first(struct cas *cas, const struct row_columns *wanted, const struct partition *partition)
{
    struct exec *exec = cas->exec;
    const struct range all = { SLICE_EMPTY, SLICE_NULL };
    const struct row_view *view;
    struct slice *values;
    struct scan *scan = NULL;
    enum wr_status st;

    TRY(new_values(cas, &values));
    TRY_OUT(scan_new(exec->ctx, &scan));
    TRY_OUT(scan_open(exec->ctx, scan, exec->txn, partition, all, cas->table->clustering.reversed ? SCAN_REVERSED : 0,
                      NULL));
    for (;;) {
        TRY_OUT(scan_next(exec->ctx, scan, &view));
        if (!view)
            break;
        TRY_OUT(row_values(exec->ctx, wanted, cas->key, NULL, view->clustering, &view->row, values));
        if (!is_seen(cas, &view->row, values, COLUMN_REGULAR))
            continue;
        for (uint32_t i = 0; i < cas->table->column_count; i++) /* they borrow from the scan */
            TRY_OUT(ctx_copy(exec->ctx, values[i], &values[i]));
        TRY_OUT(ctx_copy(exec->ctx, view->clustering, &cas->first.clustering));
        cas->first.values = values;
        break;
    }
out:
    if (scan)
        scan_close(scan);
    scan_free(scan);
    return st;
}

/* ---- deciding ---- */

static enum wr_status row_allows(struct cas *cas, const struct cas_row *row, bool *allows)
{
    if (row->count > 1)
        TRY(conditions_order(cas->exec->ctx, row->list, row->count));
    *allows = true;
    if (row->kind == CONDITIONS_EXISTS || row->kind == CONDITIONS_NOT_EXISTS)
        *allows = row->exists == (row->kind == CONDITIONS_EXISTS);
    for (uint32_t i = 0; i < row->count && *allows; i++)
        TRY(condition_holds(cas->exec, &row->list[i], row->values[row->list[i].condition->column->ordinal], allows));
    return WR_OK;
}

static int cmp_rows(const void *a, const void *b)
{
    return slice_cmp(((const struct cas_row *)a)->clustering, ((const struct cas_row *)b)->clustering);
}

static int cmp_rows_reversed(const void *a, const void *b)
{
    return cmp_rows(b, a);
}

/* CQL3CasRequest keeps its rows in the table's order, and behind the first that does not allow it none is looked at. */
static enum wr_status decide(struct cas *cas, bool *applies)
{
    if (cas->row_count > 1)
        qsort(cas->rows, cas->row_count, sizeof *cas->rows, cas->table->clustering.reversed ? cmp_rows_reversed : cmp_rows);
    TRY(row_allows(cas, &cas->statics, applies));
    for (uint32_t i = 0; i < cas->row_count && *applies; i++)
        TRY(row_allows(cas, &cas->rows[i], applies));
    return WR_OK;
}

bool cas_has_row(const struct cas *cas, struct slice clustering)
{
    const struct cas_row row = { .clustering = clustering };

    if (!cas->row_count)
        return cas->first.values && slice_eq(cas->first.clustering, clustering);
    return bsearch(&row, cas->rows, cas->row_count, sizeof row, cas->table->clustering.reversed ? cmp_rows_reversed : cmp_rows) != NULL;
}

bool cas_has_column(const struct cas *cas, const struct column *column)
{
    return cas->needed[column->ordinal];
}

static enum wr_status apply_all(struct cas *cas, const struct batch_entry *entries, uint32_t count,
                                const struct targets *targets)
{
    const struct given given = cas->exec->given;
    enum wr_status st = WR_OK;
    struct write w;

    write_init(&w, cas->exec, NULL, true);
    w.cas = cas;
    for (uint32_t i = 0; i < count && st == WR_OK; i++) {
        cas->exec->given = entries[i].given;
        st = modify_collect(&w, modify_of(entries[i].plan), &targets[i]);
    }
    cas->exec->given = given;
    TRY(st);
    TRY(write_finish(&w));
    return write_apply(&w);
}

/* ---- the result ---- */

static const uint8_t boolean_bytes[2] = { 0, 1 };

/* A result of [applied] and these columns, with room for so many rows. */
static enum wr_status new_result(struct cas *cas, const struct column *const *columns, uint32_t count, uint32_t rows,
                                 struct cas_result **out)
{
    struct ctx *ctx = cas->exec->ctx;
    const struct table *table = cas->table;
    struct cas_result *r = NEW(ctx, struct cas_result);

    if (!r || !(r->specs = NEW_ARRAY(ctx, struct column_spec, count + 1)) ||
        !(r->values = NEW_ARRAY(ctx, struct slice, (size_t)rows * (count + 1))))
        return WR_NOMEM;
    r->spec_count = count + 1;
    r->specs[0] =
        (struct column_spec){ table->keyspace, table->name, SLICE_LIT("[applied]"), type_native(TYPE_BOOLEAN), false };
    for (uint32_t i = 0; i < count; i++)
        r->specs[i + 1] = (struct column_spec){ table->keyspace, table->name, columns[i]->name, columns[i]->type, columns[i]->descending };
    *out = r;
    return WR_OK;
}

static enum wr_status put_applied_alone(struct cas *cas, bool applied)
{
    struct cas_result *r;
    TRY(new_result(cas, NULL, 0, 1, &r));
    r->row_count = 1;
    r->values[0] = slice_of(&boolean_bytes[applied], 1);
    cas->exec->run = r;
    return WR_OK;
}

/* What a refusal shows: all columns, or those of conditions, behind the key's in a batch; the key's are primaryKeyColumns() there,
 * with the column1 of a static compact table, which `*` does not show. */
static enum wr_status result_columns(struct cas *cas, bool in_batch, const struct column *const **out, uint32_t *count)
{
    const struct table *table = cas->table;
    const struct column **columns;
    uint32_t n = 0;

    if (cas->shows_all) {
        TRY(table_star(cas->exec->ctx, table, &columns, count));
        *out = columns;
        return WR_OK;
    }
    if (!(columns = NEW_ARRAY(cas->exec->ctx, const struct column *, table->column_count)))
        return WR_NOMEM;
    for (uint32_t i = 0; in_batch && i < table->key_count + table->clustering_count; i++)
        columns[n++] = &table->columns[i];
    for (uint32_t i = 0; i < cas->result_count; i++)
        columns[n++] = cas->result[i];
    *out = columns;
    *count = n;
    return WR_OK;
}

/* regular NULL: a row of the static values alone. */
static enum wr_status put_row(struct cas *cas, struct cas_result *r, const struct column *const *columns,
                              const struct slice *regular)
{
    struct slice *out = r->values + (size_t)r->row_count++ * r->spec_count;

    out[0] = slice_of(&boolean_bytes[0], 1);
    for (uint32_t i = 1; i < r->spec_count; i++) {
        const struct column *column = columns[i - 1];
        bool shared = column->kind == COLUMN_STATIC || column->kind == COLUMN_PARTITION_KEY;
        const struct slice *from = shared ? cas->statics.values : regular;
        TRY(ctx_copy(cas->exec->ctx, from ? from[column->ordinal] : SLICE_NULL, &out[i]));
    }
    return WR_OK;
}

static enum wr_status refuse(struct cas *cas, const struct row_columns *wanted, const struct partition *partition,
                             bool found, bool in_batch)
{
    const struct column *const *columns;
    struct cas_result *r;
    uint32_t n;

    TRY(result_columns(cas, in_batch, &columns, &n));
    TRY(new_result(cas, columns, n, cas->row_count + 1, &r));
    for (uint32_t i = 0; i < cas->row_count; i++)
        if (cas->rows[i].exists)
            TRY(put_row(cas, r, columns, cas->rows[i].values));
    if (!cas->row_count && found)
        TRY(read_first(cas, wanted, partition));
    if (cas->first.values)
        TRY(put_row(cas, r, columns, cas->first.values));
    if (!r->row_count && cas->statics.exists)
        TRY(put_row(cas, r, columns, NULL));
    if (!r->row_count)
        return put_applied_alone(cas, false);
    cas->exec->run = r;
    return WR_OK;
}

/* ---- all of it ---- */

static enum wr_status cas_init(struct cas *cas, struct exec *exec, const struct table *table, uint32_t count)
{
    struct ctx *ctx = exec->ctx;

    uint32_t slots = 2;

    while (slots < count * 2)
        slots *= 2;
    *cas = (struct cas){ .exec = exec, .table = table, .key = SLICE_NULL, .slot_mask = slots - 1 };
    cas->slots = NEW_ARRAY(ctx, uint32_t, slots);
    cas->rows = NEW_ARRAY(ctx, struct cas_row, count);
    cas->needed = NEW_ARRAY(ctx, bool, table->column_count);
    cas->asked = NEW_ARRAY(ctx, bool, table->column_count);
    cas->result = NEW_ARRAY(ctx, const struct column *, table->column_count);
    return cas->slots && cas->rows && cas->needed && cas->asked && cas->result ? WR_OK : WR_NOMEM;
}

/* What conditions speak of is read by name, be it there or not. */
static void trace_rows(const struct cas *cas)
{
    uint32_t read = cas->statics.exists;
    for (uint32_t i = 0; i < cas->row_count; i++)
        read += cas->rows[i].exists;
    tracing_note(cas->exec, "Reading existing values for CAS precondition");
    tracing_partition(cas->exec, cas->table, true);
    tracing_partition_read(cas->exec, true, read != 0, (struct met){ .live_rows = read });
}

static void need_columns(struct cas *cas)
{
    for (uint32_t i = 0; i < cas->table->column_count; i++) {
        const struct column *column = &cas->table->columns[i];
        if (column_is_primary_key(column) || (column->kind == COLUMN_STATIC && cas->updates_static))
            cas->needed[i] = cas->asked[i] = true;
        if (column->kind == COLUMN_REGULAR && cas->updates_row)
            cas->needed[i] = true;
    }
}

/* m[key] of a map that is not frozen is decided by one element. */
static bool is_part(const struct bound_condition *c)
{
    const struct type *type = c->condition->column->type;
    return c->condition->on == CONDITION_ELEMENT && type->kind == TYPE_MAP && type->multicell && !slice_is_null(c->element) &&
           !slice_is_unset(c->element);
}

/* Marks the columns of which a row's conditions ask for more; the parts of the others are counted, and put where there is room. */
static void find_row_parts(const struct cas_row *row, bool *whole, struct row_part *parts, uint32_t *count)
{
    for (uint32_t i = 0; i < row->count; i++) {
        const struct bound_condition *c = &row->list[i];
        const struct column *column = c->condition->column;
        if (!is_part(c))
            whole[column->ordinal] = true;
        else if (!whole[column->ordinal]) {
            if (parts)
                parts[*count] = (struct row_part){ column, c->element, c->element };
            ++*count;
        }
    }
}

static uint32_t find_parts(const struct cas *cas, bool *whole, struct row_part *parts)
{
    uint32_t count = 0;

    find_row_parts(&cas->statics, whole, parts, &count);
    for (uint32_t i = 0; i < cas->row_count; i++)
        find_row_parts(&cas->rows[i], whole, parts, &count);
    return count;
}

static enum wr_status narrow(struct cas *cas, struct row_columns *wanted)
{
    struct ctx *ctx = cas->exec->ctx;
    struct row_part *parts;

    bool *whole = NEW_ARRAY(ctx, bool, cas->table->column_count);
    if (!whole)
        return WR_NOMEM;
    uint32_t most = find_parts(cas, whole, NULL);
    if (!most)
        return WR_OK;
    if (!(parts = NEW_ARRAY(ctx, struct row_part, most)))
        return WR_NOMEM;
    cas->narrowed = true;
    return row_columns_narrow(ctx, wanted, parts, find_parts(cas, whole, parts));
}

/* A row is there, or is not, without its other columns being read; those may be large collections. */
static enum wr_status read_to_decide(struct cas *cas, const struct partition *partition, bool found, struct row_columns *wanted)
{
    if (!found)
        return read_nothing(cas);
    cas->whole = table_has_dropped(cas->table); /* cells of dropped columns make no row */
    TRY(row_columns_make(cas->exec->ctx, cas->table, cas->whole ? cas->needed : cas->asked, wanted));
    if (!cas->whole && !is_traced(cas->exec)) /* who tells of the static row asks whether anything is in it */
        TRY(narrow(cas, wanted));
    return read_rows(cas, wanted, partition);
}

static enum wr_status read_the_rest(struct cas *cas, const struct partition *partition, bool found, struct row_columns *wanted)
{
    if (!found || cas->whole)
        return WR_OK;
    cas->whole = true;
    TRY(row_columns_make(cas->exec->ctx, cas->table, cas->needed, wanted));
    return cas->shows_all || cas->narrowed ? read_rows(cas, wanted, partition) : WR_OK;
}

enum wr_status cas_run(struct exec *exec, const struct batch_entry *entries, uint32_t count, bool in_batch)
{
    struct targets *targets = NEW_ARRAY(exec->ctx, struct targets, count);
    struct row_columns wanted;
    struct partition partition;
    bool found, applies;
    struct cas cas;

    exec->run = NULL;
    if (!targets)
        return WR_NOMEM;
    TRY(cas_init(&cas, exec, entries[0].plan->table, count));
    TRY(collect(&cas, entries, count, in_batch, targets));
    TRY(consistency_check_conditional(exec, cas.table));
    need_columns(&cas);
    TRY(partition_find(exec->ctx, exec->txn, &cas.table->shape, cas.key, &partition, &found));
    TRY(read_to_decide(&cas, &partition, found, &wanted));
    if (is_traced(exec))
        trace_rows(&cas);
    TRY(decide(&cas, &applies));
    tracing_note(exec, applies ? "CAS precondition is met; proposing client-requested updates" : "CAS precondition does not match current values");
    if (!applies) {
        tracing_note(exec, "CAS did not apply");
        TRY(read_the_rest(&cas, &partition, found, &wanted));
        return refuse(&cas, &wanted, &partition, found, in_batch);
    }
    if (cas.updates_lists && !cas.row_count && found) {
        TRY(read_the_rest(&cas, &partition, found, &wanted));
        TRY(read_first(&cas, &wanted, &partition));
    }
    TRY(apply_all(&cas, entries, count, targets));
    tracing_note(exec, "CAS applied successfully");
    return put_applied_alone(&cas, true);
}

enum wr_status cas_step(struct exec *exec, const struct slice **row)
{
    struct cas_result *r = exec->run;

    *row = r && r->at < r->row_count ? r->values + (size_t)r->at++ * r->spec_count : NULL;
    return WR_OK;
}

const struct column_spec *cas_columns(const struct exec *exec, uint32_t *count)
{
    const struct cas_result *r = exec->run;

    *count = r ? r->spec_count : 0;
    return r ? r->specs : NULL;
}
