/* Column families: handles, and writes. */
#include "model/api_cf.h"

#include "model/parse.h"

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

static enum wr_status find_family(wr_cf *cf)
{
    const struct table *table;
    TRY(schema_require_table(&cf->ctx, cf->schema, SLICE_NULL, slice_str(cf->keyspace), slice_str(cf->name), &table));
    return family_of(&cf->ctx, table, &cf->family);
}

enum wr_status cf_begin(wr_cf *cf)
{
    arena_reset(&cf->arena);
    if (database_is_parents(cf->db->database))
        return fail(&cf->ctx, WR_MISUSE, DATABASE_IS_PARENTS);
    cf->ctx.error[0] = '\0';
    db_let_interrupt(cf->db, &cf->ctx);
    return WR_OK;
}

/* Without a family it keeps no schema, so that the next call looks for it again. */
enum wr_status cf_refresh(wr_cf *cf)
{
    if (cf->schema && database_schema_is(cf->db->database, cf->schema))
        return WR_OK;
    schema_release(cf->schema);
    cf->schema = NULL;
    TRY(database_renew_schema(&cf->ctx, cf->db->database));
    cf->schema = database_schema(cf->db->database);
    enum wr_status st = find_family(cf);
    if (st != WR_OK) {
        schema_release(cf->schema);
        cf->schema = NULL;
        return st;
    }
    memset(cf->places, 1, sizeof cf->places);
    cf->wanted = 0;
    if (cf->family.value->id < FLAT_COLUMNS) {
        cf->places[cf->family.value->id] = 0;
        cf->wanted = UINT64_C(1) << cf->family.value->id;
    }
    return WR_OK;
}

static enum wr_status open_family(wr_cf *cf, const char *keyspace, const char *name)
{
    cf->keyspace = mem_string(keyspace, strlen(keyspace));
    cf->name = mem_string(name, strlen(name));
    if (!cf->keyspace || !cf->name)
        return fail_nomem(&cf->ctx);
    TRY(scan_new(&cf->ctx, &cf->scan));
    TRY(partitions_new(&cf->ctx, &cf->partitions));
    return cf_refresh(cf);
}

enum wr_status wr_cf_open(wr_db *db, const char *keyspace, const char *name, wr_cf **out)
{
    *out = NULL;
    TRY(db_check_open(db));
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
        enum wr_status st = cf_refresh(m->cf);
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
    TRY(cf_begin(cf));
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
    TRY(db_check_open(db));
    for (size_t i = 0; i < count; i++) {
        if (mutations[i].cf->db->database != db->database)
            return db_fail(db, WR_MISUSE, "wr_cf_batch_mutate: a column family belongs to another database", SIZE_MAX);
        if ((unsigned)mutations[i].change > WR_CF_ADD)
            return db_fail(db, WR_MISUSE, "wr_cf_batch_mutate: there is no such change", SIZE_MAX);
    }
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    db_let_interrupt(db, &ctx);
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
