/* wr_table_cells: a table's partitions as they are stored, cell by cell. */
#include "engine/coding.h"
#include "model/api.h"
#include "model/expr.h"
#include "model/parse.h"
#include "model/rowvalues.h"
#include "model/stored.h"

/* What a walk over stored cells needs, and the cell being told. */
struct teller {
    struct ctx *ctx;
    const struct table *table;
    bool (*on_cell)(void *arg, const struct wr_cell *cell);
    void *arg;
    struct wr_cell cell;
    bool ended; /* on_cell has had enough */
};

/* A text that ends with a NUL, and has none before. */
static const char *name_of(struct ctx *ctx, struct slice bytes)
{
    return ctx_format(ctx, "%.*s", SLICE_ARG(bytes));
}

static const char *text_of(struct ctx *ctx, const struct buf *buf)
{
    struct slice bytes;
    return buf_done(ctx, buf, &bytes) == WR_OK ? name_of(ctx, bytes) : NULL;
}

static const char *literal_of(struct ctx *ctx, const struct type *type, struct slice value)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    type_print_literal(&buf, type, value);
    return text_of(ctx, &buf);
}

static enum wr_status key_text(struct ctx *ctx, const struct table *table, struct slice key, const char **out)
{
    struct slice *values = NEW_ARRAY(ctx, struct slice, table->key_count);
    struct buf buf;
    if (!values)
        return WR_NOMEM;
    TRY(partition_key_get(ctx, key, table->key_count, values));
    buf_init(&buf, ctx->arena);
    for (uint32_t i = 0; i < table->key_count; i++) {
        buf_put_str(&buf, i ? ", " : "");
        type_print_literal(&buf, table_key(table, i)->type, values[i]);
    }
    *out = text_of(ctx, &buf);
    return *out ? WR_OK : WR_NOMEM;
}

static enum wr_status clustering_text(struct ctx *ctx, const struct table *table, struct slice clustering, struct slice annex, const char **out)
{
    struct slice *values = NEW_ARRAY(ctx, struct slice, table->clustering_count);
    struct buf buf;
    if (!values)
        return WR_NOMEM;
    TRY(clustering_get(ctx, &table->clustering, clustering, annex, values));
    buf_init(&buf, ctx->arena);
    for (uint32_t i = 0; i < table->clustering_count; i++) {
        buf_put_str(&buf, i ? ", " : "");
        type_print_literal(&buf, table_clustering(table, i)->type, values[i]);
    }
    *out = text_of(ctx, &buf);
    return *out ? WR_OK : WR_NOMEM;
}

/* A bound is a prefix of a clustering, with one byte more where it stands behind it: shown as `0x` and its bytes. */
static const char *range_text(struct ctx *ctx, struct range range)
{
    struct buf buf;
    const struct type *blob = type_native(TYPE_BLOB);
    buf_init(&buf, ctx->arena);
    buf_put_str(&buf, "from ");
    type_print_literal(&buf, blob, range.start);
    buf_put_str(&buf, " to ");
    if (slice_is_null(range.end))
        buf_put_str(&buf, "the end");
    else
        type_print_literal(&buf, blob, range.end);
    return text_of(ctx, &buf);
}

static void tell(struct teller *t, const char *kind, int64_t timestamp_us, uint32_t ttl_s, uint32_t local_s)
{
    t->cell.kind = kind;
    t->cell.timestamp_us = timestamp_us;
    t->cell.ttl_s = ttl_s;
    t->cell.local_s = local_s;
    if (!t->ended && !t->on_cell(t->arg, &t->cell))
        t->ended = true;
    t->cell.column = "";
    t->cell.element = t->cell.value = NULL;
}

static void tell_deletion(struct teller *t, const char *kind, struct deletion deletion)
{
    if (!deletion_is_none(deletion))
        tell(t, kind, deletion.timestamp_us, 0, deletion.local_s);
}

/* ---- cells ---- */

/* The place of an element in its collection, and its value: see operation.h. */
static enum wr_status name_element(struct teller *t, const struct column *column, const struct cell *cell, struct slice *value)
{
    const struct type *type = column->type;
    struct ctx *ctx = t->ctx;
    struct slice path;
    TRY(row_cell(ctx, column, cell, &path, value));
    if (type->kind == TYPE_LIST) {
        t->cell.element = literal_of(ctx, type_native(TYPE_UUID), path);
    } else if (type->kind == TYPE_UDT) {
        uint32_t field = row_field(type, cell);
        if (field == type->arg_count)
            return fail_corrupt(ctx, "a field's number");
        t->cell.element = name_of(ctx, type->field_names[field]);
    } else {
        t->cell.element = literal_of(ctx, type->args[0], path);
        if (type->kind == TYPE_SET)
            *value = SLICE_NULL;
    }
    return t->cell.element ? WR_OK : WR_NOMEM;
}

static const struct type *value_type(const struct type *type, const struct cell *cell)
{
    if (!type->multicell)
        return type;
    if (type->kind == TYPE_UDT)
        return type->args[row_field(type, cell)];
    return type_contained(type);
}

static enum wr_status tell_cell(struct teller *t, const struct cell *cell)
{
    static const char *const kinds[] = {
        [CELL_PLAIN] = "cell", [CELL_EXPIRING] = "expiring", [CELL_DEAD] = "tombstone", [CELL_EXPIRED] = "expiring",
    };
    const struct column *column = table_column_by_id(t->table, cell->column);
    struct slice value = cell->value;
    t->cell.column = column ? name_of(t->ctx, column->name) : "(dropped)";
    if (!t->cell.column)
        return WR_NOMEM;
    if (column && column->type->multicell)
        TRY(name_element(t, column, cell, &value));
    if (column && cell->kind != CELL_DEAD && cell->kind != CELL_EXPIRED && !slice_is_null(value) &&
        !(t->cell.value = literal_of(t->ctx, value_type(column->type, cell), value)))
        return WR_NOMEM;
    tell(t, cell->flags & CELL_COUNTER && cell->kind != CELL_DEAD ? "counter" : kinds[cell->kind], cell->timestamp_us, cell->ttl_s, cell->local_s);
    return WR_OK;
}

static enum wr_status tell_row(struct teller *t, const struct row *row)
{
    tell_deletion(t, "row deletion", row->deletion);
    if (!liveness_is_none(row->liveness))
        tell(t, "marker", row->liveness.timestamp_us, row->liveness.ttl_s, row->liveness.local_s);
    for (uint32_t i = 0; i < row->complex_count; i++) {
        const struct column *column = table_column_by_id(t->table, row->complex[i].column);
        if (column && !(t->cell.column = name_of(t->ctx, column->name)))
            return WR_NOMEM;
        tell_deletion(t, "collection deletion", row->complex[i].deletion);
    }
    for (uint32_t i = 0; i < row->cell_count && !t->ended; i++)
        TRY(tell_cell(t, &row->cells[i]));
    return WR_OK;
}

static enum wr_status tell_partition(void *arg, struct stored *stored, const struct partition *partition)
{
    struct teller *t = arg;
    struct ctx *ctx = t->ctx;
    struct range_deletion *ranges;
    uint32_t range_count;
    struct row row;
    const struct row_view *view;
    t->cell.clustering = NULL;
    TRY(key_text(ctx, t->table, partition->key, &t->cell.partition_key));
    tell_deletion(t, "partition deletion", partition->deletion);
    TRY(partition_static_raw(ctx, stored->txn, partition, &row));
    TRY(tell_row(t, &row));
    TRY(partition_ranges(ctx, stored->txn, partition, &ranges, &range_count));
    for (uint32_t i = 0; i < range_count; i++) {
        if (!(t->cell.clustering = range_text(ctx, ranges[i].range)))
            return WR_NOMEM;
        tell_deletion(t, "range deletion", ranges[i].deletion);
    }
    TRY(stored_open_rows(stored, partition));
    while (!t->ended) {
        struct arena_mark mark = arena_mark(ctx->arena);
        TRY(scan_next(ctx, stored->scan, &view));
        if (!view)
            break;
        TRY(clustering_text(ctx, t->table, view->clustering, view->row.annex, &t->cell.clustering));
        TRY(tell_row(t, &view->row));
        arena_rewind(ctx->arena, mark);
    }
    return WR_OK;
}

/* ---- which partitions ---- */

/* The key that literals like 'a', 7 mean. */
static enum wr_status parse_key(struct ctx *ctx, wr_db *db, struct schema *schema, const struct table *table, const char *text,
                                struct slice *key)
{
    struct bind bind = { .ctx = ctx, .schema = schema, .current_keyspace = table->keyspace, .table = table };
    struct exec exec = { .ctx = ctx, .db = db->database, .schema = schema };
    struct slice *values = NEW_ARRAY(ctx, struct slice, table->key_count);
    char *tuple = ctx_format(ctx, "(%s)", text);
    struct ast_expr *ast;
    const struct expr *expr;
    if (!values || !tuple)
        return WR_NOMEM;
    TRY(parse_term(ctx, slice_str(tuple), &ast));
    bool several = ast->kind == EXPR_TUPLE;
    uint32_t count = several ? ast->arg_count : 1;
    if (count != table->key_count)
        return fail(ctx, WR_INVALID, "the partition key of %.*s has %u columns, not %u", SLICE_ARG(table->name), table->key_count, count);
    struct ast_expr *at = several ? ast->args : ast;
    for (uint32_t i = 0; i < count; i++, at = at->next) {
        const struct column *column = table_key(table, i);
        TRY(expr_bind_term(&bind, at, column->type, column->name, &expr));
        TRY(expr_eval_term(&exec, expr, &values[i]));
        if (slice_is_null(values[i]))
            return fail(ctx, WR_INVALID, "Invalid null value in condition for column %.*s", SLICE_ARG(column->name));
    }
    return partition_key_put(ctx, values, table->key_count, key);
}

static enum wr_status tell_one(struct teller *t, wr_db *db, struct schema *schema, struct stored *stored, const char *key_literals)
{
    struct partition partition;
    struct slice key;
    bool found;
    TRY(parse_key(t->ctx, db, schema, t->table, key_literals, &key));
    TRY(partition_find_any(t->ctx, stored->txn, &t->table->shape, token_of(key), key, &partition, &found));
    return found ? tell_partition(t, stored, &partition) : WR_OK;
}

static enum wr_status table_cells(struct teller *t, wr_db *db, const char *keyspace, const char *table, const char *key, bool *outdated)
{
    TRY(database_renew_schema(t->ctx, db->database));
    struct schema *schema = database_schema(db->database);
    struct stored stored = { 0 };
    enum wr_status st;
    TRY_OUT(schema_require_table(t->ctx, schema, SLICE_NULL, slice_str(keyspace), slice_str(table), &t->table));
    TRY_OUT(stored_begin(t->ctx, db->database, schema, t->table, &stored, outdated));
    if (!*outdated)
        TRY_OUT(key ? tell_one(t, db, schema, &stored, key) : stored_each(&stored, &t->ended, tell_partition, t));
out:
    stored_end(&stored);
    schema_release(schema);
    return st;
}

enum wr_status wr_table_cells(wr_db *db, const char *keyspace, const char *table, const char *partition_key,
                              bool (*on_cell)(void *arg, const struct wr_cell *cell), void *arg)
{
    struct arena arena;
    struct ctx ctx;
    struct teller t = { .ctx = &ctx, .on_cell = on_cell, .arg = arg, .cell = { .column = "" } };
    TRY(db_check_open(db));
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    ctx.now_s = clock_now_s(engine_clock(db->database->engine));
    bool outdated;
    enum wr_status st;
    do {
        outdated = false;
        st = table_cells(&t, db, keyspace, table, partition_key, &outdated);
    } while (outdated);
    if (st != WR_OK)
        db_fail(db, st, ctx.error);
    arena_release(&arena);
    return st;
}
