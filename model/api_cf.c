/* Column families: handles, and writes. */
#include "model/api_cf.h"

#include "model/parse.h"

const char *wr_cf_error(const wr_cf *cf)
{
    return cf->ctx.error;
}

/* ---- making and opening ---- */

/* What a definition's classes mean. */
struct definition {
    const struct type *key, *value;
    const struct type *const *names; /* of a column's name: one, or the components of a CompositeType */
    uint32_t name_count;
    bool turned; /* the whole comparator is reversed: each of them is the other way round then */
};

static enum wr_status read_class(struct ctx *ctx, const char *class_name, const struct type **out)
{
    return type_parse_name(ctx, slice_str(class_name ? class_name : "BytesType"), SLICE_EMPTY, NULL, NULL, out);
}

static enum wr_status read_definition(struct ctx *ctx, const struct wr_cf_def *def, struct definition *out)
{
    const struct type **comparator = NEW(ctx, const struct type *);
    if (!comparator)
        return WR_NOMEM;
    TRY(read_class(ctx, def->key_validator, &out->key));
    TRY(read_class(ctx, def->default_validator, &out->value));
    TRY(read_class(ctx, def->comparator, comparator));
    bool several = (*comparator)->kind == TYPE_COMPOSITE;
    out->names = several ? (*comparator)->components : comparator;
    out->name_count = several ? (*comparator)->component_count : 1;
    out->turned = def->comparator && type_class_is_reversed(slice_str(def->comparator));
    return out->name_count ? WR_OK : fail(ctx, WR_CONFIG, "Invalid definition for comparator %s", def->comparator);
}

static bool descends(const struct definition *d, uint32_t i)
{
    return d->turned != d->names[i]->reversed;
}

static enum wr_status create_text(struct ctx *ctx, const struct wr_cf_def *def, const struct definition *d, struct slice *out)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    buf_put_str(&buf, "CREATE TABLE ");
    cql_put_full_name(&buf, slice_str(def->keyspace), slice_str(def->name));
    buf_put_str(&buf, " (key ");
    type_print_name(&buf, d->key);
    for (uint32_t i = 0; i < d->name_count; i++) {
        buf_printf(&buf, ", column%u ", i + 1);
        type_print_name(&buf, d->names[i]);
    }
    buf_put_str(&buf, ", value ");
    type_print_name(&buf, d->value);
    buf_put_str(&buf, ", PRIMARY KEY (key");
    for (uint32_t i = 0; i < d->name_count; i++)
        buf_printf(&buf, ", column%u", i + 1);
    buf_put_str(&buf, ")) WITH COMPACT STORAGE AND CLUSTERING ORDER BY (");
    for (uint32_t i = 0; i < d->name_count; i++)
        buf_printf(&buf, "%scolumn%u %s", i ? ", " : "", i + 1, descends(d, i) ? "DESC" : "ASC");
    buf_put_str(&buf, ") AND comment = ");
    type_print_literal(&buf, type_native(TYPE_TEXT), def->comment ? slice_str(def->comment) : SLICE_EMPTY);
    if (def->gc_grace_s >= 0)
        buf_printf(&buf, " AND gc_grace_seconds = %d", def->gc_grace_s);
    buf_put_u8(&buf, 0);
    return buf_done(ctx, &buf, out);
}

static bool has_names(const struct table *table, const struct definition *d)
{
    if (table->clustering_count != d->name_count)
        return false;
    for (uint32_t i = 0; i < d->name_count; i++) {
        const struct column *column = table_clustering(table, i);
        if (!type_eq(column->type, d->names[i]) || column->descending != descends(d, i))
            return false;
    }
    return true;
}

/* Whether a table that exists has the key, names and values that the definition asks for. */
static bool is_same_family(wr_db *db, struct ctx *ctx, const struct wr_cf_def *def, const struct definition *d)
{
    struct schema *schema = database_schema(db->database);
    const struct table *table = schema_table(schema, slice_str(def->keyspace), slice_str(def->name));
    struct family family;
    bool same = table && family_of(ctx, table, &family) == WR_OK && type_eq(table_key(table, 0)->type, d->key) &&
                type_eq(family.value->type, d->value) && has_names(table, d);
    schema_release(schema);
    return same;
}

static enum wr_status create_family(wr_db *db, struct ctx *ctx, const struct wr_cf_def *def)
{
    struct definition d;
    struct slice text;
    struct buf keyspace;
    TRY(read_definition(ctx, def, &d));
    if (is_same_family(db, ctx, def, &d))
        return WR_OK;
    buf_init(&keyspace, ctx->arena);
    buf_put_str(&keyspace, "CREATE KEYSPACE IF NOT EXISTS ");
    cql_put_name(&keyspace, slice_str(def->keyspace));
    buf_put_str(&keyspace, " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    buf_put_u8(&keyspace, 0);
    if (keyspace.failed)
        return fail_nomem(ctx);
    TRY(create_text(ctx, def, &d, &text));
    TRY(wr_exec(db, (const char *)keyspace.data, NULL, NULL));
    enum wr_status st = wr_exec(db, (const char *)text.data, NULL, NULL);
    return st == WR_ALREADY_EXISTS && is_same_family(db, ctx, def, &d) ? WR_OK : st; /* another thread may have made it meanwhile */
}

enum wr_status wr_cf_create(wr_db *db, const struct wr_cf_def *def)
{
    struct arena arena;
    struct ctx ctx;
    TRY(db_check_open(db));
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    enum wr_status st = create_family(db, &ctx, def);
    if (st != WR_OK && ctx.error[0])
        db_fail(db, st, ctx.error);
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
    cql_put_full_name(&buf, slice_str(keyspace), slice_str(name));
    buf_put_u8(&buf, 0);
    enum wr_status st = buf.failed ? db_fail(db, WR_NOMEM, "out of memory")
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
        return db_fail(db, WR_NOMEM, "out of memory");
    cf->db = db;
    arena_init(&cf->arena);
    ctx_init(&cf->ctx, &cf->arena);
    atomic_fetch_add(&db->open_handles, 1);
    enum wr_status st = open_family(cf, keyspace, name);
    if (st != WR_OK) {
        db_fail(db, st, cf->ctx.error);
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

struct cf_write {
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
    const struct cf_write *write = arg;
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
    TRY(apply(ctx, txn, first));
    return ctx_had_memory(ctx);
}

static bool removes_all(const struct cf_write *write)
{
    size_t i = 0;
    while (i < write->count && write->mutations[i].change == WR_CF_REMOVE)
        i++;
    return i == write->count;
}

static enum wr_status write_all(struct ctx *ctx, const struct cf_write *write)
{
    struct database *database = write->db->database;
    ctx->may_take_reserve = removes_all(write);
    if (database->read_only)
        return fail(ctx, WR_READONLY, "the database is open read-only");
    return database_write(ctx, database, WRITE_STATEMENT, run_write, (void *)write, NULL);
}

static enum wr_status write_one(wr_cf *cf, const struct wr_cf_mutation *mutation)
{
    struct cf_write write = { cf->db, mutation, 1 };
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
    struct cf_write write = { db, mutations, count };
    struct arena arena;
    struct ctx ctx;
    TRY(db_check_open(db));
    for (size_t i = 0; i < count; i++) {
        if (mutations[i].cf->db->database != db->database)
            return db_fail(db, WR_MISUSE, "wr_cf_batch_mutate: a column family belongs to another database");
        if ((unsigned)mutations[i].change > WR_CF_ADD)
            return db_fail(db, WR_MISUSE, "wr_cf_batch_mutate: there is no such change");
    }
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    db_let_interrupt(db, &ctx);
    enum wr_status st = write_all(&ctx, &write);
    if (st != WR_OK)
        db_fail(db, st, ctx.error);
    arena_release(&arena);
    return st;
}

enum wr_status wr_cf_truncate(wr_cf *cf)
{
    struct buf buf;
    arena_reset(&cf->arena);
    buf_init(&buf, &cf->arena);
    buf_put_str(&buf, "TRUNCATE ");
    cql_put_full_name(&buf, slice_str(cf->keyspace), slice_str(cf->name));
    buf_put_u8(&buf, 0);
    if (buf.failed)
        return fail_nomem(&cf->ctx);
    enum wr_status st = wr_exec(cf->db, (const char *)buf.data, NULL, NULL);
    return st == WR_OK ? WR_OK : fail(&cf->ctx, st, "%s", wr_error(cf->db));
}
