/* Column families: handles, reads and writes. */
#include "engine/coding.h"
#include "engine/token.h"
#include "model/api.h"
#include "model/family.h"
#include "model/parse.h"

enum { COUNT_DEFAULT = 100 };

struct wr_cf {
    wr_db *db;
    char *keyspace, *name;
    struct arena arena; /* of the last call */
    struct ctx ctx;
    struct schema *schema; /* the snapshot family lies in */
    struct family family;
    struct scan *scan;
    struct partitions *partitions;
    uint8_t places[FLAT_COLUMNS]; /* of the value column in a flat row's values, and of any other (scan.h) */
    uint64_t wanted;              /* that column; 0: its number is too high */
};

struct result_row {
    struct slice key;
    struct wr_cf_column *columns;
    size_t count, room;
};

struct wr_cf_result {
    struct arena arena;
    struct result_row *rows;
    size_t count, room;
};

static struct slice slice_of_bytes(struct wr_bytes bytes)
{
    return slice_of(bytes.data, bytes.len);
}

static struct wr_bytes bytes_of(struct slice s)
{
    return (struct wr_bytes){ s.data, s.len };
}

const char *wr_cf_error(const wr_cf *cf)
{
    return cf->ctx.error;
}

/* ---- making and opening ---- */

static enum wr_status put_class(struct ctx *ctx, struct buf *buf, const char *class_name)
{
    const struct type *type;
    TRY(type_parse_name(ctx, slice_str(class_name ? class_name : "BytesType"), SLICE_EMPTY, NULL, NULL, &type));
    type_print_name(buf, type);
    return WR_OK;
}

/* The components of a comparator: one, or those of CompositeType(A, B). */
static enum wr_status put_comparator(struct ctx *ctx, struct buf *buf, const char *comparator, uint32_t *count)
{
    static const char composite[] = "CompositeType(";
    const char *at = comparator ? comparator : "BytesType";
    const char *start = strstr(at, composite);
    *count = 0;
    if (!start) {
        *count = 1;
        buf_put_str(buf, "column1 ");
        return put_class(ctx, buf, at);
    }
    for (at = start + sizeof composite - 1; *at && *at != ')';) {
        size_t len = strcspn(at, ",)");
        char *part = ctx_string(ctx, slice_of(at, len));
        if (!part)
            return WR_NOMEM;
        part += strspn(part, " ");
        buf_printf(buf, "%scolumn%u ", *count ? ", " : "", *count + 1);
        TRY(put_class(ctx, buf, part));
        ++*count;
        at += len + (at[len] == ',');
    }
    return *count ? WR_OK : fail(ctx, WR_CONFIG, "Invalid definition for comparator %s", comparator);
}

static enum wr_status create_text(struct ctx *ctx, const struct wr_cf_def *def, struct slice *out)
{
    struct buf buf;
    uint32_t columns;
    buf_init(&buf, ctx->arena);
    buf_put_str(&buf, "CREATE TABLE ");
    cql_put_name(&buf, slice_str(def->keyspace));
    buf_put_str(&buf, ".");
    cql_put_name(&buf, slice_str(def->name));
    buf_put_str(&buf, " (key ");
    TRY(put_class(ctx, &buf, def->key_validator));
    buf_put_str(&buf, ", ");
    TRY(put_comparator(ctx, &buf, def->comparator, &columns));
    buf_put_str(&buf, ", value ");
    TRY(put_class(ctx, &buf, def->default_validator));
    buf_put_str(&buf, ", PRIMARY KEY (key");
    for (uint32_t i = 0; i < columns; i++)
        buf_printf(&buf, ", column%u", i + 1);
    buf_put_str(&buf, ")) WITH COMPACT STORAGE AND comment = ");
    type_print_literal(&buf, type_native(TYPE_TEXT), def->comment ? slice_str(def->comment) : SLICE_EMPTY);
    if (def->gc_grace_s >= 0)
        buf_printf(&buf, " AND gc_grace_seconds = %d", def->gc_grace_s);
    buf_put_u8(&buf, 0);
    return buf_done(ctx, &buf, out);
}

/* Whether a table that exists has the key, name and value types that the definition asks for. */
static bool is_same_family(wr_db *db, struct ctx *ctx, const struct wr_cf_def *def)
{
    struct schema *schema = database_schema(db->database);
    const struct table *table = schema_table(schema, slice_str(def->keyspace), slice_str(def->name));
    struct family family;
    struct buf has, wanted;
    uint32_t columns = 0;
    bool same = table && family_of(ctx, table, &family) == WR_OK;
    if (same) {
        buf_init(&has, ctx->arena);
        buf_init(&wanted, ctx->arena);
        same = put_class(ctx, &wanted, def->key_validator) == WR_OK;
        same = same && put_comparator(ctx, &wanted, def->comparator, &columns) == WR_OK;
        same = same && put_class(ctx, &wanted, def->default_validator) == WR_OK;
        type_print_name(&has, table_key(table, 0)->type);
        for (uint32_t i = 0; i < table->clustering_count; i++) {
            buf_printf(&has, "%scolumn%u ", i ? ", " : "", i + 1);
            type_print_name(&has, table_clustering(table, i)->type);
        }
        type_print_name(&has, family.value->type);
        same = same && slice_eq(buf_slice(&has), buf_slice(&wanted));
    }
    schema_release(schema);
    return same;
}

static enum wr_status create_family(wr_db *db, struct ctx *ctx, const struct wr_cf_def *def)
{
    struct slice text;
    struct buf keyspace;
    buf_init(&keyspace, ctx->arena);
    buf_put_str(&keyspace, "CREATE KEYSPACE IF NOT EXISTS ");
    cql_put_name(&keyspace, slice_str(def->keyspace));
    buf_put_str(&keyspace, " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    buf_put_u8(&keyspace, 0);
    if (keyspace.failed)
        return fail_nomem(ctx);
    TRY(create_text(ctx, def, &text));
    TRY(wr_exec(db, (const char *)keyspace.data, NULL, NULL));
    enum wr_status st = wr_exec(db, (const char *)text.data, NULL, NULL);
    return st == WR_ALREADY_EXISTS && is_same_family(db, ctx, def) ? WR_OK : st;
}

enum wr_status wr_cf_create(wr_db *db, const struct wr_cf_def *def)
{
    struct arena arena;
    struct ctx ctx;
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    enum wr_status st = create_family(db, &ctx, def);
    if (st != WR_OK && ctx.error[0])
        db_fail(db, st, ctx.error, SIZE_MAX);
    arena_release(&arena);
    return st;
}

enum wr_status wr_cf_drop(wr_db *db, const char *keyspace, const char *name)
{
    struct arena arena;
    struct buf buf;
    arena_init(&arena);
    buf_init(&buf, &arena);
    buf_put_str(&buf, "DROP TABLE ");
    cql_put_name(&buf, slice_str(keyspace));
    buf_put_str(&buf, ".");
    cql_put_name(&buf, slice_str(name));
    buf_put_u8(&buf, 0);
    enum wr_status st = buf.failed ? db_fail(db, WR_NOMEM, "out of memory", SIZE_MAX)
                                   : wr_exec(db, (const char *)buf.data, NULL, NULL);
    arena_release(&arena);
    return st;
}

/* Brings cf->family up to the current schema. */
static enum wr_status refresh(wr_cf *cf)
{
    const struct table *table;
    if (cf->schema && database_schema_is(cf->db->database, cf->schema))
        return WR_OK;
    schema_release(cf->schema);
    cf->schema = database_schema(cf->db->database);
    TRY(schema_require_table(&cf->ctx, cf->schema, SLICE_NULL, slice_str(cf->keyspace), slice_str(cf->name), &table));
    TRY(family_of(&cf->ctx, table, &cf->family));
    memset(cf->places, 1, sizeof cf->places);
    cf->wanted = 0;
    if (cf->family.value->id < FLAT_COLUMNS) {
        cf->places[cf->family.value->id] = 0;
        cf->wanted = UINT64_C(1) << cf->family.value->id;
    }
    return WR_OK;
}

static char *string_copy(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = mem_alloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static enum wr_status open_family(wr_cf *cf, const char *keyspace, const char *name)
{
    cf->keyspace = string_copy(keyspace);
    cf->name = string_copy(name);
    if (!cf->keyspace || !cf->name)
        return fail_nomem(&cf->ctx);
    TRY(scan_new(&cf->ctx, &cf->scan));
    TRY(partitions_new(&cf->ctx, &cf->partitions));
    return refresh(cf);
}

enum wr_status wr_cf_open(wr_db *db, const char *keyspace, const char *name, wr_cf **out)
{
    *out = NULL;
    if (!db->database)
        return db_fail(db, WR_MISUSE, "wr_cf_open: the database is not open", SIZE_MAX);
    wr_cf *cf = mem_alloc(sizeof *cf);
    if (!cf)
        return db_fail(db, WR_NOMEM, "out of memory", SIZE_MAX);
    cf->db = db;
    arena_init(&cf->arena);
    ctx_init(&cf->ctx, &cf->arena);
    atomic_fetch_add(&db->open_handles, 1);
    enum wr_status st = open_family(cf, keyspace, name);
    if (st != WR_OK) {
        db_fail(db, st, cf->ctx.error, SIZE_MAX);
        wr_cf_close(cf);
        return st;
    }
    *out = cf;
    return WR_OK;
}

void wr_cf_close(wr_cf *cf)
{
    if (!cf)
        return;
    scan_free(cf->scan);
    partitions_free(cf->partitions);
    schema_release(cf->schema);
    arena_release(&cf->arena);
    mem_free(cf->keyspace);
    mem_free(cf->name);
    atomic_fetch_sub(&cf->db->open_handles, 1);
    mem_free(cf);
}

/* ---- writing ---- */

struct write {
    wr_db *db;
    const struct wr_cf_mutation *mutations;
    size_t count;
};

static enum wr_status make_update(struct ctx *ctx, const struct wr_cf_mutation *m, struct update **out)
{
    static enum wr_status (*const makers[])(struct ctx *, const struct family *, const struct family_change *,
                                            struct update **) = {
        [WR_CF_INSERT] = family_insert,
        [WR_CF_REMOVE] = family_remove,
        [WR_CF_ADD] = family_add,
    };
    struct clock *clock = engine_clock(m->cf->db->database->engine);
    struct family_change change = {
        .key = slice_of_bytes(m->key),
        .name = slice_of_bytes(m->column.name),
        .value = slice_of_bytes(m->column.value),
        .timestamp_us = m->column.timestamp_us == INT64_MIN ? clock_timestamp_us(clock) : m->column.timestamp_us,
        .increment = m->column.counter,
        .ttl_s = m->column.ttl_s,
    };
    return makers[m->change](ctx, &m->cf->family, &change, out);
}

static enum wr_status run_write(struct ctx *ctx, struct txn *txn, void *arg)
{
    const struct write *write = arg;
    struct update *first = NULL, **last = &first;
    ctx->now_s = clock_now_s(engine_clock(write->db->database->engine));
    for (size_t i = 0; i < write->count; i++) {
        const struct wr_cf_mutation *m = &write->mutations[i];
        enum wr_status st = refresh(m->cf);
        if (st != WR_OK)
            return fail(ctx, st, "%s", m->cf->ctx.error);
        TRY(make_update(ctx, m, last));
        last = &(*last)->next;
    }
    return apply(ctx, txn, first);
}

static enum wr_status write_all(struct ctx *ctx, const struct write *write)
{
    struct database *database = write->db->database;
    if (database->read_only)
        return fail(ctx, WR_READONLY, "the database is open read-only");
    return database_write(ctx, database, WRITE_STATEMENT, run_write, (void *)write, NULL);
}

static enum wr_status write_one(wr_cf *cf, const struct wr_cf_mutation *mutation)
{
    struct write write = { cf->db, mutation, 1 };
    arena_reset(&cf->arena);
    return write_all(&cf->ctx, &write);
}

enum wr_status wr_cf_insert(wr_cf *cf, struct wr_bytes key, const struct wr_cf_column *column)
{
    struct wr_cf_mutation m = { cf, WR_CF_INSERT, key, *column };
    return write_one(cf, &m);
}

enum wr_status wr_cf_remove(wr_cf *cf, struct wr_bytes key, struct wr_bytes name, int64_t timestamp_us)
{
    struct wr_cf_mutation m = { cf, WR_CF_REMOVE, key, { .name = name, .timestamp_us = timestamp_us } };
    return write_one(cf, &m);
}

enum wr_status wr_cf_add(wr_cf *cf, struct wr_bytes key, struct wr_bytes name, int64_t by)
{
    struct wr_cf_mutation m = { cf, WR_CF_ADD, key, { .name = name, .timestamp_us = INT64_MIN, .counter = by } };
    return write_one(cf, &m);
}

enum wr_status wr_cf_batch_mutate(wr_db *db, const struct wr_cf_mutation *mutations, size_t count)
{
    struct write write = { db, mutations, count };
    struct arena arena;
    struct ctx ctx;
    for (size_t i = 0; i < count; i++)
        if (mutations[i].cf->db->database != db->database)
            return db_fail(db, WR_MISUSE, "wr_cf_batch_mutate: a column family belongs to another database", SIZE_MAX);
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    enum wr_status st = write_all(&ctx, &write);
    if (st != WR_OK)
        db_fail(db, st, ctx.error, SIZE_MAX);
    arena_release(&arena);
    return st;
}

enum wr_status wr_cf_truncate(wr_cf *cf)
{
    struct buf buf;
    arena_reset(&cf->arena);
    buf_init(&buf, &cf->arena);
    buf_put_str(&buf, "TRUNCATE ");
    cql_put_name(&buf, slice_str(cf->keyspace));
    buf_put_str(&buf, ".");
    cql_put_name(&buf, slice_str(cf->name));
    buf_put_u8(&buf, 0);
    if (buf.failed)
        return fail_nomem(&cf->ctx);
    enum wr_status st = wr_exec(cf->db, (const char *)buf.data, NULL, NULL);
    return st == WR_OK ? WR_OK : fail(&cf->ctx, st, "%s", wr_error(cf->db));
}

/* ---- reading ---- */

struct read {
    wr_cf *cf;
    struct txn *txn;
    bool owned; /* the transaction is the call's own */
};

static enum wr_status read_begin(wr_cf *cf, struct read *read)
{
    struct database *database = cf->db->database;
    arena_reset(&cf->arena);
    TRY(refresh(cf));
    cf->ctx.now_s = clock_now_s(engine_clock(database->engine));
    *read = (struct read){ .cf = cf };
    return database_begin_read(&cf->ctx, database, &read->txn, &read->owned);
}

static void read_end(struct read *read)
{
    scan_close(read->cf->scan);
    partitions_close(read->cf->partitions);
    if (read->owned)
        txn_abort(&read->txn);
}

/* Called for each column of a slice; its bytes are good until the next. */
typedef enum wr_status column_fn(struct ctx *ctx, void *arg, const struct wr_cf_column *column);

static enum wr_status emit_row(struct read *read, struct slice clustering, const struct row *row, column_fn *emit, void *arg)
{
    const struct family *family = &read->cf->family;
    uint32_t n;
    const struct cell *cell = row_find(row, family->value->id, &n);
    struct slice name;
    if (!n)
        return WR_OK;
    TRY(family_name_get(&read->cf->ctx, family, clustering, row->annex, &name));
    struct wr_cf_column column = {
        .name = bytes_of(name),
        .value = bytes_of(cell->value),
        .timestamp_us = cell->timestamp_us,
        .ttl_s = (int32_t)cell->ttl_s,
    };
    if (family->is_counter && cell->value.len == 8)
        column.counter = (int64_t)read_u64(cell->value.data);
    return emit(&read->cf->ctx, arg, &column);
}

static enum wr_status slice_by_names(struct read *read, const struct partition *partition, const struct wr_cf_predicate *p,
                                     column_fn *emit, void *arg)
{
    struct ctx *ctx = &read->cf->ctx;
    for (size_t i = 0; i < p->name_count; i++) {
        struct slice clustering, annex;
        struct row row;
        bool found;
        TRY(family_name_put(ctx, &read->cf->family, slice_of_bytes(p->names[i]), &clustering, &annex));
        TRY(row_find_live(ctx, read->txn, partition, clustering, NULL, &row, &found));
        if (found)
            TRY(emit_row(read, clustering, &row, emit, arg));
    }
    return WR_OK;
}

/* The flat rows that come next, some of them; *count 0: the next one is none, or there is none. */
static enum wr_status emit_flats(struct read *read, uint32_t most, column_fn *emit, void *arg, uint32_t *count)
{
    enum { ROWS = 32, STRIDE = 2 };
    wr_cf *cf = read->cf;
    struct slice clusterings[ROWS], names[ROWS], values[ROWS * STRIDE];
    int64_t timestamps[ROWS];
    const struct flat_rows flat = {
        .places = cf->places, .wanted = cf->wanted, .values = values, .stride = STRIDE, .clusterings = clusterings, .timestamps = timestamps,
    };
    *count = 0;
    if (cf->wanted)
        TRY(scan_flat_rows(&cf->ctx, cf->scan, &flat, most < ROWS ? most : ROWS, count));
    TRY(family_names_get(&cf->ctx, &cf->family, clusterings, *count, names));
    for (uint32_t i = 0; i < *count; i++) {
        struct slice value = values[i * STRIDE];
        struct wr_cf_column column = { .name = bytes_of(names[i]), .value = bytes_of(value), .timestamp_us = timestamps[i] };
        if (!slice_is_null(value))
            TRY(emit(&cf->ctx, arg, &column));
    }
    return WR_OK;
}

static enum wr_status slice_by_range(struct read *read, const struct partition *partition, const struct wr_cf_predicate *p,
                                     column_fn *emit, void *arg)
{
    wr_cf *cf = read->cf;
    uint32_t left = p && p->count ? p->count : COUNT_DEFAULT;
    struct range range = { SLICE_EMPTY, SLICE_NULL };
    const struct row_view *view;
    bool reversed = p && p->reversed;
    if (p)
        TRY(family_range(&cf->ctx, &cf->family, slice_of_bytes(p->start), slice_of_bytes(p->finish), reversed, &range));
    if (cf->family.table->clustering.reversed)
        reversed = !reversed;
    TRY(scan_open(&cf->ctx, cf->scan, read->txn, partition, range, reversed ? SCAN_REVERSED : 0, NULL));
    scan_expect(cf->scan, left);
    while (left) {
        uint32_t count;
        TRY(emit_flats(read, left, emit, arg, &count));
        left -= count;
        if (count)
            continue;
        TRY(scan_next(&cf->ctx, cf->scan, &view));
        if (!view)
            break;
        TRY(emit_row(read, view->clustering, &view->row, emit, arg));
        left--;
    }
    return WR_OK;
}

static enum wr_status slice_partition(struct read *read, const struct partition *partition, const struct wr_cf_predicate *p,
                                      column_fn *emit, void *arg)
{
    return p && p->names ? slice_by_names(read, partition, p, emit, arg) : slice_by_range(read, partition, p, emit, arg);
}

static enum wr_status slice_key(struct read *read, struct slice key, const struct wr_cf_predicate *p, column_fn *emit, void *arg)
{
    struct partition partition;
    bool found;
    TRY(family_check_key(&read->cf->ctx, &read->cf->family, key));
    TRY(partition_find(&read->cf->ctx, read->txn, &read->cf->family.table->shape, key, &partition, &found));
    return found ? slice_partition(read, &partition, p, emit, arg) : WR_OK;
}

static enum wr_status copy_column(struct ctx *ctx, const struct wr_cf_column *from, struct wr_cf_column *to)
{
    struct slice name, value;
    TRY(ctx_copy(ctx, slice_of_bytes(from->name), &name));
    TRY(ctx_copy(ctx, slice_of_bytes(from->value), &value));
    *to = *from;
    to->name = bytes_of(name);
    to->value = bytes_of(value);
    return WR_OK;
}

struct found_column {
    struct wr_cf_column *column;
    bool found;
};

static enum wr_status keep_column(struct ctx *ctx, void *arg, const struct wr_cf_column *column)
{
    struct found_column *out = arg;
    out->found = true;
    return copy_column(ctx, column, out->column);
}

enum wr_status wr_cf_get(wr_cf *cf, struct wr_bytes key, struct wr_bytes name, struct wr_cf_column *column)
{
    struct wr_cf_predicate p = { .names = &name, .name_count = 1 };
    struct found_column found = { column, false };
    struct read read;
    TRY(read_begin(cf, &read));
    enum wr_status st = slice_key(&read, slice_of_bytes(key), &p, keep_column, &found);
    read_end(&read);
    if (st == WR_OK && !found.found)
        return fail(&cf->ctx, WR_NOT_FOUND, "there is no such column");
    return st;
}

static enum wr_status count_column(struct ctx *ctx, void *arg, const struct wr_cf_column *column)
{
    (void)ctx, (void)column;
    ++*(uint64_t *)arg;
    return WR_OK;
}

enum wr_status wr_cf_get_count(wr_cf *cf, struct wr_bytes key, const struct wr_cf_predicate *predicate, uint64_t *count)
{
    struct read read;
    *count = 0;
    TRY(read_begin(cf, &read));
    enum wr_status st = slice_key(&read, slice_of_bytes(key), predicate, count_column, count);
    read_end(&read);
    return st;
}

/* ---- results ---- */

static void *grow(struct arena *arena, void *items, size_t size, size_t count, size_t *room)
{
    if (count < *room)
        return items;
    size_t wider = *room ? *room * 2 : 16;
    void *grown = arena_alloc_raw(arena, size * wider);
    if (!grown)
        return NULL;
    if (count)
        memcpy(grown, items, size * count);
    *room = wider;
    return grown;
}

/* A new row at the end; NULL: no memory. */
static struct result_row *result_add_row(struct ctx *ctx, wr_cf_result *result, struct slice key)
{
    struct result_row *rows = grow(&result->arena, result->rows, sizeof *rows, result->count, &result->room);
    uint8_t *copy = arena_alloc_raw(&result->arena, key.len);
    if (rows)
        result->rows = rows;
    if (!rows || !copy) {
        fail_nomem(ctx);
        return NULL;
    }
    if (key.len)
        memcpy(copy, key.data, key.len);
    rows[result->count] = (struct result_row){ .key = slice_of(copy, key.len) };
    return &rows[result->count++];
}

static enum wr_status add_column(struct ctx *ctx, void *arg, const struct wr_cf_column *column)
{
    wr_cf_result *result = arg;
    struct result_row *row = &result->rows[result->count - 1];
    struct wr_cf_column *columns = grow(&result->arena, row->columns, sizeof *columns, row->count, &row->room);
    struct arena *own = ctx->arena;
    if (!columns)
        return fail_nomem(ctx);
    row->columns = columns;
    ctx->arena = &result->arena;
    enum wr_status st = copy_column(ctx, column, &columns[row->count]);
    ctx->arena = own;
    row->count += st == WR_OK;
    return st;
}

static enum wr_status slice_keys(struct read *read, const struct wr_bytes *keys, size_t count, const struct wr_cf_predicate *p,
                                 wr_cf_result *result)
{
    for (size_t i = 0; i < count; i++) {
        if (!result_add_row(&read->cf->ctx, result, slice_of_bytes(keys[i])))
            return WR_NOMEM;
        TRY(slice_key(read, slice_of_bytes(keys[i]), p, add_column, result));
    }
    return WR_OK;
}

static enum wr_status slice_tokens(struct read *read, struct slice start, struct slice end, uint32_t most,
                                   const struct wr_cf_predicate *p, wr_cf_result *result)
{
    wr_cf *cf = read->cf;
    struct partition partition;
    bool found;
    int64_t from = start.len ? token_of(start) : INT64_MIN, to = end.len ? token_of(end) : INT64_MAX;
    if (from > to)
        return fail(&cf->ctx, WR_INVALID, "start key's token sorts after end key's token");
    TRY(partitions_open(&cf->ctx, cf->partitions, read->txn, &cf->family.table->shape, from, to, SLICE_NULL));
    while (result->count < most) {
        TRY(partitions_next(&cf->ctx, cf->partitions, &partition, &found));
        if (!found)
            break;
        if (!result_add_row(&cf->ctx, result, partition.key))
            return WR_NOMEM;
        TRY(slice_partition(read, &partition, p, add_column, result));
        if (!result->rows[result->count - 1].count)
            result->count--; /* nothing alive in it */
    }
    return WR_OK;
}

/* What a read fills a result with. */
struct wanted {
    const struct wr_bytes *keys; /* NULL: by token */
    size_t key_count;
    struct slice start, end;
    uint32_t rows_max;
    const struct wr_cf_predicate *predicate;
};

static enum wr_status read_result(wr_cf *cf, const struct wanted *w, wr_cf_result **out)
{
    struct read read;
    *out = NULL;
    TRY(read_begin(cf, &read));
    wr_cf_result *result = mem_alloc(sizeof *result);
    enum wr_status st = result ? WR_OK : fail_nomem(&cf->ctx);
    if (st == WR_OK)
        st = w->keys ? slice_keys(&read, w->keys, w->key_count, w->predicate, result)
                     : slice_tokens(&read, w->start, w->end, w->rows_max, w->predicate, result);
    read_end(&read);
    if (st == WR_OK)
        *out = result;
    else
        wr_cf_result_free(result);
    return st;
}

enum wr_status wr_cf_get_slice(wr_cf *cf, struct wr_bytes key, const struct wr_cf_predicate *predicate, wr_cf_result **out)
{
    struct wanted w = { .keys = &key, .key_count = 1, .predicate = predicate };
    return read_result(cf, &w, out);
}

enum wr_status wr_cf_multiget_slice(wr_cf *cf, const struct wr_bytes *keys, size_t key_count,
                                    const struct wr_cf_predicate *predicate, wr_cf_result **out)
{
    static const struct wr_bytes none;
    struct wanted w = { .keys = keys ? keys : &none, .key_count = keys ? key_count : 0, .predicate = predicate };
    return read_result(cf, &w, out);
}

enum wr_status wr_cf_get_range_slices(wr_cf *cf, struct wr_bytes start_key, struct wr_bytes end_key, uint32_t row_count,
                                      const struct wr_cf_predicate *predicate, wr_cf_result **out)
{
    struct wanted w = {
        .start = slice_of_bytes(start_key),
        .end = slice_of_bytes(end_key),
        .rows_max = row_count ? row_count : COUNT_DEFAULT,
        .predicate = predicate,
    };
    return read_result(cf, &w, out);
}

size_t wr_cf_result_rows(const wr_cf_result *result)
{
    return result->count;
}

struct wr_bytes wr_cf_result_key(const wr_cf_result *result, size_t row)
{
    return row < result->count ? bytes_of(result->rows[row].key) : (struct wr_bytes){ NULL, 0 };
}

size_t wr_cf_result_columns(const wr_cf_result *result, size_t row)
{
    return row < result->count ? result->rows[row].count : 0;
}

const struct wr_cf_column *wr_cf_result_column(const wr_cf_result *result, size_t row, size_t column)
{
    return column < wr_cf_result_columns(result, row) ? &result->rows[row].columns[column] : NULL;
}

void wr_cf_result_free(wr_cf_result *result)
{
    if (!result)
        return;
    arena_release(&result->arena);
    mem_free(result);
}
