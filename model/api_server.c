/* What a server tells its clients of statements and failures, and who it is. */
#include "model/api.h"
#include "model/batch.h"
#include "model/catalog.h"
#include "model/failure.h"
#include "model/literal.h"

/* ---- what a statement is ---- */

static bool name_is_qualified(const struct ast_name *name)
{
    return name->keyspace.data != NULL;
}

/* What Cassandra has as a QualifiedStatement; nothing else is qualified, whatever it names. */
static bool is_qualified(const struct ast_statement *ast)
{
    switch (ast->kind) {
    case AST_SELECT:
        return name_is_qualified(&ast->select.table);
    case AST_INSERT:
        return name_is_qualified(&ast->insert.table);
    case AST_UPDATE:
        return name_is_qualified(&ast->update.table);
    case AST_DELETE:
        return name_is_qualified(&ast->delete_.table);
    case AST_TRUNCATE:
        return name_is_qualified(&ast->name);
    case AST_BATCH:
        for (const struct ast_statement *s = ast->batch.statements; s; s = s->next)
            if (!is_qualified(s))
                return false;
        return true;
    default:
        return false;
    }
}

static const uint16_t kind_flags[AST_KIND_COUNT] = {
    [AST_SELECT] = WR_STMT_ROWS | WR_STMT_SELECT,
    [AST_DESCRIBE] = WR_STMT_ROWS,
    [AST_LIST_ROLES] = WR_STMT_ROWS,
    [AST_LIST_USERS] = WR_STMT_ROWS,
    [AST_LIST_PERMISSIONS] = WR_STMT_ROWS,
    [AST_INSERT] = WR_STMT_WRITE,
    [AST_UPDATE] = WR_STMT_WRITE,
    [AST_DELETE] = WR_STMT_WRITE,
    [AST_BATCH] = WR_STMT_BATCH,
    [AST_USE] = WR_STMT_USE,
    [AST_CREATE_KEYSPACE] = WR_STMT_SCHEMA,
    [AST_ALTER_KEYSPACE] = WR_STMT_SCHEMA,
    [AST_DROP_KEYSPACE] = WR_STMT_SCHEMA,
    [AST_CREATE_TABLE] = WR_STMT_SCHEMA,
    [AST_ALTER_TABLE] = WR_STMT_SCHEMA,
    [AST_DROP_TABLE] = WR_STMT_SCHEMA,
    [AST_CREATE_TYPE] = WR_STMT_SCHEMA,
    [AST_ALTER_TYPE] = WR_STMT_SCHEMA,
    [AST_DROP_TYPE] = WR_STMT_SCHEMA,
    [AST_CREATE_INDEX] = WR_STMT_SCHEMA,
    [AST_DROP_INDEX] = WR_STMT_SCHEMA,
    [AST_CREATE_VIEW] = WR_STMT_SCHEMA,
    [AST_ALTER_VIEW] = WR_STMT_SCHEMA,
    [AST_DROP_VIEW] = WR_STMT_SCHEMA,
    [AST_CREATE_FUNCTION] = WR_STMT_SCHEMA,
    [AST_DROP_FUNCTION] = WR_STMT_SCHEMA,
    [AST_CREATE_AGGREGATE] = WR_STMT_SCHEMA,
    [AST_DROP_AGGREGATE] = WR_STMT_SCHEMA,
    [AST_CREATE_TRIGGER] = WR_STMT_SCHEMA,
    [AST_DROP_TRIGGER] = WR_STMT_SCHEMA,
};

unsigned stmt_flags(const struct plan *plan)
{
    return kind_flags[plan->ast->kind] | (plan->conditional ? WR_STMT_CONDITIONAL : 0u) |
           (plan->counter ? WR_STMT_COUNTER : 0u) | (is_qualified(plan->ast) ? WR_STMT_QUALIFIED : 0u) |
           (plan->bounded && !plan->calls_others ? WR_STMT_BOUNDED : 0u);
}

unsigned wr_stmt_flags(const wr_stmt *stmt)
{
    return stmt ? stmt->flags : 0;
}

uint64_t wr_stmt_schema(const wr_stmt *stmt)
{
    return stmt ? schema_version(stmt->schema) : 0;
}

const char *wr_stmt_use(const wr_stmt *stmt, size_t *len)
{
    struct slice name = wr_stmt_flags(stmt) & WR_STMT_USE && stmt->plan ? stmt->plan->ast->name.name : SLICE_NULL;
    *len = name.len;
    return (const char *)name.data;
}

bool wr_stmt_table(const wr_stmt *stmt, unsigned i, const char **keyspace, const char **table)
{
    bool has_some = wr_stmt_flags(stmt) & (WR_STMT_SELECT | WR_STMT_WRITE | WR_STMT_BATCH) && !stmt->batch; /* whose statements are the caller's */
    const struct plan *plan = has_some ? stmt->plan : NULL;
    if (plan && stmt->flags & WR_STMT_BATCH)
        plan = batch_part(plan, i);
    else if (i)
        plan = NULL;
    if (!plan)
        return false;
    struct ctx *memory = (struct ctx *)&stmt->ctx; /* the run's arena alone is written */
    *keyspace = ctx_string(memory, plan->table->keyspace);
    *table = ctx_string(memory, plan->table->name);
    return *keyspace && *table;
}

static const struct called *nth_called(const struct called *c, unsigned *i)
{
    for (; c && *i; --*i)
        c = c->next;
    return c;
}

bool wr_stmt_function(const wr_stmt *stmt, unsigned i, const char **keyspace, const char **name)
{
    const struct plan *whole = stmt ? stmt->plan : NULL;
    bool batch = whole && stmt->flags & WR_STMT_BATCH && !stmt->batch; /* of a text: a wr_batch's statements tell of theirs themselves */
    const struct plan *plan = batch ? batch_part(whole, 0) : whole;
    const struct called *c = NULL;

    for (uint32_t n = 1; plan && !(c = nth_called(plan->called, &i)); n++)
        plan = batch ? batch_part(whole, n) : NULL;
    if (!c)
        return false;
    *name = c->func->name;
    *keyspace = ctx_string((struct ctx *)&stmt->ctx, c->func->keyspace); /* the run's arena alone is written */
    return *keyspace != NULL;
}

void wr_stmt_failure(const wr_stmt *stmt, struct wr_failure *out)
{
    *out = stmt ? failure_of(&stmt->ctx) : (struct wr_failure){ .status = WR_MISUSE };
}

/* ---- the database, as clients see it ---- */

enum wr_status wr_on_schema_change(wr_db *db, void (*fn)(void *arg, const struct wr_schema_change *change), void *arg)
{
    struct work work;
    enum wr_status st = WR_OK;
    TRY(work_begin(&work, db));
    if (listeners_call_here(&db->database->listeners))
        st = fail(&work.ctx, WR_MISUSE, "wr_on_schema_change: not by who is told of a change");
    else if (!fn)
        listeners_remove(&db->database->listeners, arg);
    else if (listeners_add(&db->database->listeners, fn, arg) != WR_OK)
        st = fail_nomem(&work.ctx);
    return work_end(&work, db, st);
}

enum wr_status wr_set_nodes(wr_db *db, uint32_t nodes)
{
    struct work work;
    TRY(work_begin(&work, db));
    if (!nodes)
        return work_end(&work, db, fail(&work.ctx, WR_MISUSE, "wr_set_nodes: a cluster has at least one node"));
    atomic_store(&db->database->nodes, nodes);
    return work_end(&work, db, WR_OK);
}

enum wr_status wr_set_clients(wr_db *db, bool (*next)(void *arg, uint32_t i, struct wr_client *out), void *arg)
{
    struct work work;
    TRY(work_begin(&work, db));
    clients_set(&db->database->clients, next, arg);
    return work_end(&work, db, WR_OK);
}

enum wr_status wr_use(wr_db *db, const char *keyspace)
{
    struct work work;
    TRY(work_begin(&work, db));
    enum wr_status st = keyspace ? database_require_keyspace(&work.ctx, db->database, slice_str(keyspace)) : WR_OK;
    if (st == WR_OK && db_use(db, slice_str(keyspace)) != WR_OK)
        st = fail_nomem(&work.ctx);
    return work_end(&work, db, st);
}

enum wr_status wr_set_keyspace(wr_db *db, const char *keyspace)
{
    struct work work;
    TRY(work_begin(&work, db));
    return work_end(&work, db, db_use(db, slice_str(keyspace)) == WR_OK ? WR_OK : fail_nomem(&work.ctx));
}

struct served {
    struct database *database;
    struct slice address; /* as an inet */
    uint16_t port;
};

static enum wr_status put_address(struct ctx *ctx, struct txn *txn, void *arg)
{
    const struct served *served = arg;
    struct schema *schema = database_schema(served->database);
    struct system_rows rows;
    system_rows_init(&rows, ctx, txn, schema);
    enum wr_status st = system_put_address(&rows, served->address, served->port);
    if (st == WR_OK)
        st = system_rows_apply(&rows);
    schema_release(schema);
    return st;
}

static enum wr_status set_address(struct ctx *ctx, struct database *database, const char *address, uint16_t port)
{
    struct served served = { .database = database, .port = port };
    if (database->read_only)
        return fail(ctx, WR_READONLY, "the database is open read-only");
    if (database_held(database))
        return fail(ctx, WR_MISUSE, "wr_set_address: not within wr_atomically");
    TRY(literal_from_string(ctx, type_native(TYPE_INET), slice_str(address), &served.address));
    TRY(database_write(ctx, database, WRITE_STATEMENT, put_address, &served, NULL));
    clients_set_address(&database->clients, address, port);
    return WR_OK;
}

enum wr_status wr_set_address(wr_db *db, const char *address, uint16_t port)
{
    struct work work;
    TRY(work_begin(&work, db));
    return work_end(&work, db, set_address(&work.ctx, db->database, address, port));
}
