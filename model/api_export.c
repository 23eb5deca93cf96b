/* A database as the CQL that makes it again: schema and data. */
#include "model/api.h"
#include "model/export.h"
#include "model/schema_element.h"

/* ---- the schema ---- */

static enum wr_status add_users_keyspaces(struct schema_elements *e)
{
    struct schema_elements all;
    schema_elements_init(&all, e->ctx, e->db, e->schema);
    TRY(schema_elements_add_keyspaces(&all));
    for (uint32_t i = 0; i < all.count; i++)
        if (!all.list[i].as_keyspace->is_system)
            TRY(schema_elements_add_whole(e, all.list[i].as_keyspace));
    return WR_OK;
}

static enum wr_status add_keyspace(struct schema_elements *e, struct slice name)
{
    const struct keyspace *k;
    TRY(schema_require_keyspace(e->ctx, e->schema, name, &k));
    return schema_elements_add_whole(e, k);
}

static enum wr_status add_table(struct schema_elements *e, struct slice keyspace, struct slice name)
{
    const struct table *t;
    TRY(schema_require_table(e->ctx, e->schema, SLICE_NULL, keyspace, name, &t));
    return (table_is_view(t) ? schema_elements_add_view : schema_elements_add_table)(e, t);
}

/* Something else has made it, or makes it each time. */
static bool is_made_by_cql(const struct schema_element *e)
{
    if (e->as_table && e->as_table->flags & TABLE_VIRTUAL)
        return false;
    if (e->as_function && slice_eq_str(e->as_function->language, SYSTEM_HOST_LANGUAGE))
        return false;
    return system_kind_of(e->keyspace) != SYSTEM_VIRTUAL;
}

static enum wr_status tell_elements(const struct schema_elements *e, struct export_sink sink)
{
    for (uint32_t i = 0; i < e->count; i++) {
        struct slice text;
        char *cql;
        if (!is_made_by_cql(&e->list[i]))
            continue;
        TRY(schema_element_text(e->ctx, &e->list[i], FORM_SCRIPT, &text));
        text.len--; /* its semicolon */
        if (!(cql = ctx_string(e->ctx, text)))
            return WR_NOMEM;
        if (!sink.on_statement(sink.arg, cql, text.len))
            break;
    }
    return WR_OK;
}

static enum wr_status tell_schema(struct ctx *ctx, struct database *db, const char *keyspace, const char *table, struct export_sink sink)
{
    struct schema_elements e;
    if (table && !keyspace)
        return fail(ctx, WR_MISUSE, "wr_schema_export: a table has a keyspace");
    TRY(database_renew_schema(ctx, db));
    struct schema *schema = database_schema(db);
    schema_elements_init(&e, ctx, db, schema);
    enum wr_status st = table      ? add_table(&e, slice_str(keyspace), slice_str(table))
                        : keyspace ? add_keyspace(&e, slice_str(keyspace))
                                   : add_users_keyspaces(&e);
    if (st == WR_OK)
        st = tell_elements(&e, sink);
    schema_release(schema);
    return st;
}

enum wr_status wr_schema_export(wr_db *db, const char *keyspace, const char *table,
                                bool (*on_statement)(void *arg, const char *cql, size_t len), void *arg)
{
    const struct export_sink sink = { on_statement, arg };
    struct work work;
    TRY(work_begin(&work, db));
    return work_end(&work, db, tell_schema(&work.ctx, db->database, keyspace, table, sink));
}

/* ---- a table's data ---- */

static enum wr_status tell_table(struct ctx *ctx, struct database *db, struct slice keyspace, struct slice name, const struct export_wish *wish,
                                 bool *outdated)
{
    const struct table *table;
    TRY(database_renew_schema(ctx, db));
    struct schema *schema = database_schema(db);
    enum wr_status st = schema_require_table(ctx, schema, SLICE_NULL, keyspace, name, &table);
    if (st == WR_OK)
        st = export_table(ctx, db, schema, table, wish, outdated);
    schema_release(schema);
    return st;
}

enum wr_status wr_table_export(wr_db *db, const char *keyspace, const char *table, int64_t since_us, size_t batch_bytes,
                               bool (*on_statement)(void *arg, const char *cql, size_t len), void *arg)
{
    const struct export_wish wish = { since_us, batch_bytes, { on_statement, arg } };
    struct work work;
    bool outdated;
    enum wr_status st;
    TRY(work_begin(&work, db));
    do {
        outdated = false;
        st = tell_table(&work.ctx, db->database, slice_str(keyspace), slice_str(table), &wish, &outdated);
    } while (outdated);
    return work_end(&work, db, st);
}
