/* Prepared statements: making them, binding them again after schema changes, and their end. */
#include "model/api.h"
#include "model/parse.h"

/* ---- bound to a schema ---- */

/* The names of columns, and the places of values that come in their order, in ctx's memory. */
enum wr_status stmt_lay_out_columns(struct ctx *ctx, wr_stmt *stmt, const struct column_spec *columns, uint32_t count, const uint32_t **in_order)
{
    uint32_t *places = NEW_ARRAY(ctx, uint32_t, count);
    stmt->result.name_count = 0;
    if (!places || !(stmt->result.names = NEW_ARRAY(ctx, char *, count)))
        return WR_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        places[i] = i;
        if (!(stmt->result.names[i] = ctx_name(ctx, columns[i].name)))
            return WR_NOMEM;
    }
    stmt->result.name_count = count;
    *in_order = places;
    return WR_OK;
}

static enum wr_status bind_plan(struct ctx *ctx, wr_stmt *stmt, struct schema *schema)
{
    struct ast_statement *ast;
    struct slice text = slice_of(stmt->cql, stmt->cql_len);
    TRY(parse(ctx, text, &ast));
    struct bind bind = {
        .ctx = ctx,
        .db = stmt->db->database,
        .schema = schema,
        .masks = stmt_has_to_mask(stmt),
        .current_keyspace = slice_str(stmt->keyspace),
        .text = text,
        .marker_count = ast->marker_count,
    };
    if (!(bind.markers = NEW_ARRAY(ctx, struct column_spec, ast->marker_count)))
        return WR_NOMEM;
    struct plan *plan;
    stmt->masks = bind.masks;
    TRY(plan_bind(&bind, ast, &plan));
    TRY(stmt_lay_out_columns(ctx, stmt, plan->columns, plan->column_count, &stmt->result.in_order));
    if (!plan->places)
        plan->places = stmt->result.in_order;
    TRY(ctx_had_memory(ctx));
    stmt->plan = plan;
    stmt_show_columns(stmt, plan);
    return WR_OK;
}

static enum wr_status rebind_text(wr_stmt *stmt, struct schema *schema)
{
    stmt->plan = NULL;
    stmt->plans++;
    if (stmt->markers.sound && stmt->markers.count)
        memset(stmt->markers.sound, 0, stmt->markers.count * sizeof *stmt->markers.sound);
    stmt->result.name_count = stmt->result.column_count = 0;
    arena_reset(&stmt->plan_arena);
    stmt->ctx.arena = stmt->ctx.notes = &stmt->plan_arena;
    stmt->ctx.error_offset = SIZE_MAX;
    stmt->ctx.failure = NULL;
    stmt->ctx.warnings = NULL;
    stmt->ctx.now_ms = clock_now_us(engine_clock(stmt->db->database->engine)) / 1000;
    enum wr_status st = ctx_outcome(&stmt->ctx, bind_plan(&stmt->ctx, stmt, schema));
    stmt->prepare_warnings = st == WR_OK ? stmt->ctx.warnings : NULL;
    stmt->ctx.arena = &stmt->run_arena;
    stmt->ctx.notes = &stmt->notes_arena;
    stmt->ctx.warnings = NULL;
    return st;
}

enum wr_status stmt_rebind(wr_stmt *stmt)
{
    TRY(database_renew_schema(&stmt->ctx, stmt->db->database));
    struct schema *schema = database_schema(stmt->db->database);
    enum wr_status st = stmt->batch ? batch_rebind(stmt->batch, schema) : rebind_text(stmt, schema);
    builder_abandon(stmt->markers.builder);
    schema_release(stmt->schema);
    stmt->schema = schema;
    return st;
}

/* Where another process may have changed the schema, and no snapshot that is read will tell. */
static bool must_ask_anew(const wr_stmt *stmt)
{
    return stmt->db->database->read_only && stmt->plan->ops->access == PLAN_NEITHER;
}

enum wr_status stmt_ensure_plan(wr_stmt *stmt)
{
    if (database_is_parents(stmt->db->database))
        return fail(&stmt->ctx, WR_MISUSE, DATABASE_IS_PARENTS);
    if (stmt->plan && database_schema_is(stmt->db->database, stmt->schema) && stmt->masks == stmt_has_to_mask(stmt) && !must_ask_anew(stmt))
        return WR_OK;
    wr_reset(stmt); /* a batch may take it up while the row of its own run is being read */
    return stmt_rebind(stmt);
}

static enum wr_status make_markers(wr_stmt *stmt, uint32_t count)
{
    stmt->markers.count = count;
    if (!count)
        return WR_OK;
    stmt->markers.values = mem_alloc(count * sizeof *stmt->markers.values);
    stmt->markers.bound = mem_alloc(count * sizeof *stmt->markers.bound);
    stmt->markers.sound = mem_alloc(count * sizeof *stmt->markers.sound);
    return stmt->markers.values && stmt->markers.bound && stmt->markers.sound ? WR_OK : fail_nomem(&stmt->ctx);
}

void stmt_init(wr_stmt *stmt, wr_db *db)
{
    stmt->db = db;
    arena_init(&stmt->plan_arena);
    arena_init(&stmt->run_arena);
    arena_init(&stmt->notes_arena);
    arena_init(&stmt->brief.arena);
    ctx_init(&stmt->ctx, &stmt->run_arena);
    stmt->ctx.interrupts = &db->interrupts;
    stmt->ctx.notes = &stmt->notes_arena;
    stmt->settings.levels.serial = WR_CL_SERIAL;
    stmt->settings.timestamp_us = TIMESTAMP_NONE;
    stmt->settings.now_s = INT64_MIN;
    atomic_fetch_add(&db->open_handles, 1);
}

static enum wr_status prepare(wr_stmt *stmt, const char *cql, size_t len)
{
    stmt->cql_len = len;
    if (!(stmt->cql = mem_string(cql, len)))
        return fail_nomem(&stmt->ctx);
    TRY(stmt_take_role(stmt));
    TRY(stmt_rebind(stmt));
    stmt->flags = stmt_flags(stmt->plan);
    return make_markers(stmt, stmt->plan->marker_count);
}

/* ---- made in the memory of the one before ---- */

enum { SPARE_BYTES_MAX = 64 << 10 }; /* of an arena that is kept for the next statement */

static wr_stmt *take_spare(wr_db *db)
{
    pthread_mutex_lock(&db->lock);
    wr_stmt *stmt = db->spare;
    db->spare = NULL;
    pthread_mutex_unlock(&db->lock);
    return stmt;
}

static wr_stmt *stmt_new(wr_db *db)
{
    wr_stmt *stmt = take_spare(db);
    if (!stmt) {
        if ((stmt = mem_alloc(sizeof *stmt)))
            stmt_init(stmt, db);
        return stmt;
    }
    struct arena plan = stmt->plan_arena, run = stmt->run_arena, notes = stmt->notes_arena, brief = stmt->brief.arena;
    memset(stmt, 0, offsetof(wr_stmt, ctx));
    stmt_init(stmt, db);
    stmt->plan_arena = plan;
    stmt->run_arena = run;
    stmt->notes_arena = notes;
    stmt->brief.arena = brief;
    return stmt;
}

static void release_memory(wr_stmt *stmt)
{
    arena_release(&stmt->plan_arena);
    arena_release(&stmt->run_arena);
    arena_release(&stmt->notes_arena);
    arena_release(&stmt->brief.arena);
}

void stmt_free_spare(wr_stmt *stmt)
{
    if (!stmt)
        return;
    release_memory(stmt);
    mem_free(stmt);
}

/* Everything but what release_memory gives back. */
static void release_contents(wr_stmt *stmt)
{
    wr_reset(stmt);
    scan_free(stmt->exec.cursors.scan);
    partitions_free(stmt->exec.cursors.partitions);
    index_scan_free(stmt->exec.cursors.index_scan);
    schema_release(stmt->exec.made.next_schema);
    schema_release(stmt->schema);
    mem_free(stmt->brief.rows);
    for (uint32_t i = 0; stmt->markers.bound && i < stmt->markers.count; i++)
        mem_free(stmt->markers.bound[i].bytes);
    builder_free(stmt->markers.builder);
    mem_free(stmt->markers.values);
    mem_free(stmt->markers.bound);
    mem_free(stmt->markers.sound);
    mem_free(stmt->page.state);
    mem_free(stmt->keyspace);
    mem_free(stmt->role);
    mem_free(stmt->cql);
}

void stmt_release(wr_stmt *stmt)
{
    release_contents(stmt);
    release_memory(stmt);
    atomic_fetch_sub(&stmt->db->open_handles, 1);
}

/* Its contents have been released. */
static void keep_spare(wr_db *db, wr_stmt *stmt)
{
    arena_trim(&stmt->plan_arena, SPARE_BYTES_MAX);
    arena_trim(&stmt->run_arena, SPARE_BYTES_MAX);
    arena_trim(&stmt->notes_arena, SPARE_BYTES_MAX);
    arena_trim(&stmt->brief.arena, SPARE_BYTES_MAX);
    pthread_mutex_lock(&db->lock);
    wr_stmt *before = db->spare;
    db->spare = stmt;
    pthread_mutex_unlock(&db->lock);
    stmt_free_spare(before);
}

static enum wr_status take_keyspace(wr_stmt *stmt, const char *keyspace)
{
    stmt->keyspace = keyspace ? mem_string(keyspace, strlen(keyspace)) : NULL;
    return keyspace && !stmt->keyspace ? fail_nomem(&stmt->ctx) : WR_OK;
}

static enum wr_status take_current_keyspace(wr_stmt *stmt)
{
    pthread_mutex_lock(&stmt->db->lock);
    enum wr_status st = take_keyspace(stmt, stmt->db->keyspace);
    pthread_mutex_unlock(&stmt->db->lock);
    return st;
}

/* keyspace: where the name of the current one stands; NULL: it is the handle's. */
static enum wr_status make(wr_db *db, const char *const *keyspace, const char *cql, ptrdiff_t len, wr_stmt **out)
{
    *out = NULL;
    TRY(db_check_open(db));
    wr_stmt *stmt = stmt_new(db);
    if (!stmt)
        return db_fail(db, WR_NOMEM, "out of memory");
    enum wr_status st = keyspace ? take_keyspace(stmt, *keyspace) : take_current_keyspace(stmt);
    if (st == WR_OK)
        st = prepare(stmt, cql, len < 0 ? strlen(cql) : (size_t)len);
    if (st != WR_OK) {
        st = db_fail_as(db, st, &stmt->ctx, stmt->ctx.error_offset);
        wr_finalize(stmt);
        return st;
    }
    *out = stmt;
    return WR_OK;
}

enum wr_status wr_prepare(wr_db *db, const char *cql, ptrdiff_t len, wr_stmt **out)
{
    return make(db, NULL, cql, len, out);
}

enum wr_status wr_prepare_in(wr_db *db, const char *keyspace, const char *cql, ptrdiff_t len, wr_stmt **out)
{
    return make(db, &keyspace, cql, len, out);
}

void wr_finalize(wr_stmt *stmt)
{
    if (!stmt)
        return;
    wr_db *db = stmt->db;
    release_contents(stmt);
    keep_spare(db, stmt);
    atomic_fetch_sub(&db->open_handles, 1);
}
