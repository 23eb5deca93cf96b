/* Prepared statements: running them, paging, and what they tell of themselves. */
#include "model/api.h"
#include "model/consistency.h"
#include "model/page.h"

/* ---- running ---- */

enum wr_status stmt_fail(wr_stmt *stmt, enum wr_status status, const char *text)
{
    return stmt->status = fail(&stmt->ctx, status, "%s", text);
}

static enum wr_status check_markers_bound(wr_stmt *stmt)
{
    uint32_t bound = 0;
    for (uint32_t i = 0; i < stmt->markers.count; i++)
        bound += stmt->markers.bound[i].is_set;
    if (bound == stmt->markers.count)
        return WR_OK;
    if (builder_is_open(stmt->markers.builder))
        return fail(&stmt->ctx, WR_INVALID, "a value that wr_bind_open has opened is not closed (wr_bind_close)");
    return fail(&stmt->ctx, WR_INVALID, "there were %u markers(?) in CQL but %u bound variables", stmt->markers.count, bound);
}

void stmt_prepare_exec(wr_stmt *stmt)
{
    struct exec *exec = &stmt->exec;
    struct clock *clock = engine_clock(stmt->db->database->engine);
    arena_reset(&stmt->run_arena);
    stmt->markers.failed = false;
    stmt_show_columns(stmt, stmt->plan);
    if (stmt->plan->ops->columns)
        stmt->result.name_count = 0; /* those of the run before have just gone */
    stmt->ctx.failure = NULL;
    exec->ctx = &stmt->ctx;
    exec->db = stmt->db->database;
    exec->schema = stmt->schema;
    exec->given = (struct given){ stmt->markers.values, stmt->markers.sound };
    exec->now_us = clock_now_us(clock);
    exec->levels = stmt->settings.levels;
    stmt->traced = stmt->settings.tracer;
    exec->tracer = stmt->traced.note ? &stmt->traced : NULL;
    exec->timestamp_us = stmt->settings.timestamp_us;
    exec->page.size = stmt->settings.page_size;
    exec->page.state = stmt->page.given ? slice_of(stmt->page.state, stmt->page.len) : SLICE_NULL;
    exec->page.next = SLICE_NULL;
    exec->made.new_keyspace = SLICE_NULL;
    exec->run = NULL;
    exec->brief = false;
    memset(&exec->made.change, 0, sizeof exec->made.change);
    stmt->ctx.now_s = stmt->settings.now_s == INT64_MIN ? clock_seconds(exec->now_us) : (uint32_t)stmt->settings.now_s;
    stmt->ctx.now_ms = exec->now_us / 1000;
    if (!stmt->of_script)
        atomic_store_explicit(&stmt->ctx.interrupts_before, db_interrupts_before(stmt->db), memory_order_relaxed);
    stmt->ctx.warnings = NULL;
    arena_reset(&stmt->notes_arena);
}

void stmt_forget_attempt(wr_stmt *stmt)
{
    struct exec *exec = &stmt->exec;

    arena_reset(&stmt->run_arena);
    arena_reset(&stmt->notes_arena);
    stmt->ctx.warnings = NULL;
    stmt->ctx.failure = NULL;
    stmt->ctx.error[0] = '\0'; /* nobody is told why */
    exec->page.next = SLICE_NULL;
    exec->run = NULL;
    exec->who.roles = NULL;
}

/* Of a run whose columns are not the plan's. */
static enum wr_status take_columns(wr_stmt *stmt)
{
    if (!stmt->plan->ops->columns)
        return WR_OK;
    stmt->result.columns = stmt->plan->ops->columns(&stmt->exec, stmt->plan, &stmt->result.column_count);
    return stmt_lay_out_columns(&stmt->ctx, stmt, stmt->result.columns, stmt->result.column_count, &stmt->result.places);
}

static enum wr_status run_write(struct ctx *ctx, struct txn *txn, void *arg)
{
    wr_stmt *stmt = arg;
    struct exec *exec = &stmt->exec;
    if (!database_schema_is(exec->db, stmt->schema)) { /* changed while waiting for the writer */
        TRY(stmt_rebind(stmt));
        exec->schema = stmt->schema;
    }
    stmt_forget_attempt(stmt); /* the one before met the end of the map */
    schema_release(exec->made.next_schema);
    exec->made.next_schema = NULL;
    exec->txn = txn;
    enum wr_status st = stmt->plan->ops->start(exec, stmt->plan);
    exec->txn = NULL;
    TRY(st);
    TRY(take_columns(stmt)); /* behind the commit nothing may fail */
    return ctx_had_memory(ctx);
}

static enum wr_status start_write(wr_stmt *stmt)
{
    bool schema_change = stmt->plan->ops->access == PLAN_SCHEMA;
    if (stmt->db->database->read_only)
        return fail(&stmt->ctx, WR_READONLY, "the database is open read-only");
    if (schema_change && database_held(stmt->db->database))
        return fail(&stmt->ctx, WR_MISUSE, "a schema change cannot run inside wr_atomically");
    stmt->ctx.may_take_reserve = stmt->plan->frees;
    enum write_kind kind = schema_change ? WRITE_SCHEMA : stmt->plan->calls_others ? WRITE_ALONE : WRITE_STATEMENT;
    return database_write(&stmt->ctx, stmt->db->database, kind, run_write, stmt, &stmt->exec.made.next_schema);
}

/* A run that was begun before a fork is only forgotten: its transaction is the parent's, which may be in it. */
static void end_run(wr_stmt *stmt)
{
    if (stmt->running && stmt->exec.txn && !database_is_parents(stmt->exec.db)) {
        if (stmt->plan->ops->finish)
            stmt->plan->ops->finish(&stmt->exec, stmt->plan);
        if (!txn_is_write(stmt->exec.txn))
            txn_abort(&stmt->exec.txn);
    }
    stmt->exec.txn = NULL;
    database_leave_held(&stmt->held_read);
    stmt->running = stmt->brief.done = false;
    stmt->result.row = NULL;
    stmt->result.shown = 0;
    stmt->exec.ahead.left = 0;
}

static void end_with_held(struct held_read *read)
{
    wr_stmt *stmt = (wr_stmt *)((char *)read - offsetof(wr_stmt, held_read));
    end_run(stmt);
    stmt->cut_short = true;
}

static void end_with_wr_atomically(wr_stmt *stmt)
{
    stmt->held_read.end = end_with_held;
    database_enter_held(stmt->db->database, &stmt->held_read);
}

/* *outdated: there is another schema by now, and nothing has been begun. A brief read may look into what is gathered, and is begun once more beside it
 * where it does not find all there. */
static enum wr_status start_read(wr_stmt *stmt, bool *outdated)
{
    struct exec *exec = &stmt->exec;
    struct database *db = stmt->db->database;
    bool held = database_held(db) != NULL, done = false, own; /* end_run sees it by its kind */

    for (bool brief = brief_may_be(stmt);; brief = false) {
        TRY(database_begin_read(&stmt->ctx, db, brief, &exec->txn, &own));
        if (!held) /* else no schema changes meanwhile */
            TRY(database_look_at_schema(&stmt->ctx, db, stmt->schema, &exec->txn, outdated));
        if (*outdated)
            return WR_OK;
        if (!own || !txn_is_write(exec->txn) || (done = brief_read(stmt)))
            break;
    }
    if (held)
        end_with_wr_atomically(stmt);
    return done ? WR_OK : stmt->plan->ops->start(exec, stmt->plan);
}

/* The way to a read's partition is waited for while the read begins. */
static void expect_partition(wr_stmt *stmt)
{
    const struct plan *plan = stmt->plan;
    const struct engine *engine = stmt->db->database->engine;
    struct expected_partition *expected = &stmt->exec.expected;

    expected->key = SLICE_NULL;
    if (!partition_is_worth_expecting(engine) || plan->ops->access != PLAN_READ || !plan->routing || plan->table->key_count != 1 ||
        plan->routing[0] == ROUTING_NONE)
        return;
    struct slice key = stmt->markers.values[plan->routing[0]];
    if (key.len && key.len <= KEY_BYTES_MAX)
        partition_expect(engine, &plan->table->shape, key, expected);
}

/* *outdated: of a schema that is not the current one any more; nothing has been done. */
static enum wr_status try_run(wr_stmt *stmt, bool *outdated)
{
    *outdated = false;
    stmt->ctx.error[0] = '\0';
    if (stmt->cut_short) {
        stmt->cut_short = false;
        return fail(&stmt->ctx, WR_MISUSE, "the wr_atomically in which this read was begun has ended");
    }
    TRY(stmt_ensure_plan(stmt));
    TRY(check_markers_bound(stmt));
    expect_partition(stmt);
    stmt_prepare_exec(stmt);
    stmt->page.given = false;
    TRY(ctx_go_on(&stmt->ctx));
    if (stmt->role || stmt->plan->ops->access == PLAN_SCHEMA)
        TRY(stmt_authorize(stmt));
    TRY(plan_check(&stmt->ctx, stmt->plan));
    TRY(consistency_check(&stmt->exec, stmt->plan));
    stmt->running = true;
    switch (stmt->plan->ops->access) {
    case PLAN_READ:
        TRY(start_read(stmt, outdated));
        if (*outdated) {
            stmt->running = false;
            stmt->page.given = !slice_is_null(stmt->exec.page.state); /* the next try begins at it */
            return WR_OK;
        }
        TRY(take_columns(stmt));
        break;
    case PLAN_WRITE:
    case PLAN_SCHEMA:
        TRY(start_write(stmt));
        break;
    case PLAN_NEITHER:
        TRY(stmt->plan->ops->start(&stmt->exec, stmt->plan));
        TRY(take_columns(stmt));
        break;
    }
    if (!slice_is_null(stmt->exec.made.new_keyspace) && db_use(stmt->db, stmt->exec.made.new_keyspace) != WR_OK)
        return fail_nomem(&stmt->ctx);
    return WR_OK;
}

static enum wr_status begin_run(wr_stmt *stmt)
{
    bool outdated;
    do
        TRY(try_run(stmt, &outdated));
    while (outdated);
    return WR_OK;
}

/* A write that is refused before it begins fails a wr_atomically as one does that fails later. */
static enum wr_status start_run(wr_stmt *stmt)
{
    enum wr_status st = begin_run(stmt);
    return stmt->flags & (WR_STMT_WRITE | WR_STMT_BATCH) ? database_held_part(&stmt->ctx, stmt->db->database, st) : st;
}

enum wr_status stmt_start(wr_stmt *stmt)
{
    enum wr_status st = ctx_outcome(&stmt->ctx, start_run(stmt));
    if (st != WR_OK)
        end_run(stmt);
    return stmt->status = st;
}

/* A step of the plan, which most rows come without. */
static __attribute__((noinline)) enum wr_status step_plan(wr_stmt *stmt)
{
    enum wr_status st = WR_OK;

    stmt->result.row = NULL;
    stmt->result.shown = 0;
    if (database_is_parents(stmt->db->database))
        end_run(stmt);
    if (!stmt->running)
        st = start_run(stmt);
    if (st == WR_OK && stmt->brief.done)
        stmt->result.row = brief_next(stmt);
    else if (st == WR_OK && stmt->plan->ops->step)
        st = stmt->plan->ops->step(&stmt->exec, stmt->plan, &stmt->result.row);
    st = ctx_outcome(&stmt->ctx, st);
    if (st == WR_OK && stmt->result.row) {
        stmt->result.shown = stmt->result.column_count;
        return stmt->status = WR_ROW;
    }
    end_run(stmt);
    return stmt->status = st == WR_OK ? WR_DONE : st;
}

enum wr_status wr_step(wr_stmt *stmt)
{
    if (!stmt)
        return WR_MISUSE;
    struct rows_ahead *ahead = &stmt->exec.ahead;
    if (!ahead->left)
        return step_plan(stmt);
    ahead->left--;
    arena_rewind(stmt->ctx.arena, ahead->mark);
    stmt->result.row = ahead->next;
    ahead->next += ahead->stride;
    return stmt->status = WR_ROW;
}

void wr_reset(wr_stmt *stmt)
{
    if (!stmt)
        return;
    if (stmt->running)
        stmt->exec.page.next = SLICE_NULL;
    end_run(stmt);
    stmt->cut_short = false;
    stmt->status = WR_OK;
}

/* ---- what a statement tells of itself ---- */

const char *wr_stmt_error(const wr_stmt *stmt)
{
    return stmt ? stmt->ctx.error : "there is no statement: it could not be prepared";
}

enum wr_status wr_stmt_status(const wr_stmt *stmt)
{
    return stmt ? stmt->status : WR_MISUSE;
}

const char *wr_stmt_cql(const wr_stmt *stmt)
{
    return stmt ? stmt->cql : NULL;
}

wr_db *wr_stmt_db(const wr_stmt *stmt)
{
    return stmt ? stmt->db : NULL;
}

const char *wr_stmt_warning(const wr_stmt *stmt, unsigned i)
{
    if (!stmt)
        return NULL;
    const struct warning *lists[] = { stmt->prepare_warnings, stmt->running && stmt->brief.done ? NULL : stmt->ctx.warnings };
    for (size_t l = 0; l < 2; l++)
        for (const struct warning *w = lists[l]; w; w = w->next)
            if (i-- == 0)
                return w->text;
    return NULL;
}

static const char *change_name(const wr_stmt *stmt, struct slice name)
{
    wr_stmt *memory = (wr_stmt *)stmt;
    return slice_is_null(name) ? NULL : stmt_made(stmt, ctx_name(&memory->ctx, name));
}

static const struct schema_change *change_of(const wr_stmt *stmt)
{
    return stmt ? &stmt->exec.made.change : NULL;
}

void wr_stmt_schema_change(const wr_stmt *stmt, const char **change, const char **target, const char **keyspace,
                           const char **name)
{
    const struct schema_change *c = change_of(stmt);
    bool changed = c && c->target;
    if (change)
        *change = changed ? c->change : NULL;
    if (target)
        *target = changed ? c->target : NULL;
    if (keyspace)
        *keyspace = changed ? change_name(stmt, c->keyspace) : NULL;
    if (name)
        *name = changed ? change_name(stmt, c->name) : NULL;
}

const char *wr_stmt_schema_change_argument(const wr_stmt *stmt, unsigned i)
{
    const struct schema_change *c = change_of(stmt);
    return c && c->target && i < c->arg_count ? change_name(stmt, c->args[i]) : NULL;
}

/* ---- how a run is to be done ---- */

enum wr_status wr_set_consistency(wr_stmt *stmt, enum wr_consistency consistency)
{
    if (!stmt)
        return WR_MISUSE;
    if ((unsigned)consistency > WR_CL_NODE_LOCAL)
        return stmt_fail(stmt, WR_PROTOCOL, "Unknown code for a consistency level");
    stmt->settings.levels.level = (uint8_t)consistency;
    stmt->settings.levels.asked = true;
    return WR_OK;
}

enum wr_status wr_set_serial_consistency(wr_stmt *stmt, enum wr_consistency consistency)
{
    if (!stmt)
        return WR_MISUSE;
    if ((unsigned)consistency > WR_CL_NODE_LOCAL)
        return stmt_fail(stmt, WR_PROTOCOL, "Unknown code for a consistency level");
    stmt->settings.levels.serial = (uint8_t)consistency;
    return WR_OK;
}

void wr_set_trace(wr_stmt *stmt, wr_trace_fn fn, void *arg)
{
    if (stmt)
        stmt->settings.tracer = (struct tracer){ fn, arg };
}

enum wr_status wr_set_now(wr_stmt *stmt, int64_t now_s)
{
    if (!stmt)
        return WR_MISUSE;
    if (now_s != INT64_MIN && (now_s < 0 || now_s > UINT32_MAX))
        return stmt_fail(stmt, WR_MISUSE, "wr_set_now: a time that seconds since 1970 in 32 bits do not hold");
    stmt->settings.now_s = now_s;
    return WR_OK;
}

enum wr_status wr_set_timestamp(wr_stmt *stmt, int64_t timestamp_us)
{
    if (!stmt)
        return WR_MISUSE;
    stmt->settings.timestamp_us = timestamp_us;
    return WR_OK;
}

enum wr_status wr_set_page_size(wr_stmt *stmt, int rows)
{
    if (!stmt)
        return WR_MISUSE;
    stmt->settings.page_size = rows > 0 ? rows : 0;
    return WR_OK;
}

enum wr_status wr_set_page_state(wr_stmt *stmt, const void *state, size_t len)
{
    if (!stmt)
        return WR_MISUSE;
    if (stmt->running) /* it reads from there */
        return stmt_fail(stmt, WR_MISUSE, "wr_set_page_state: the statement is being run; wr_reset it first");
    stmt->page.given = false;
    if (len > stmt->page.room && state) {
        uint8_t *grown = mem_realloc(stmt->page.state, len);
        if (!grown)
            return stmt_fail(stmt, WR_NOMEM, "out of memory");
        stmt->page.state = grown;
        stmt->page.room = len;
    }
    stmt->page.given = state != NULL;
    stmt->page.len = len;
    if (state && len)
        memmove(stmt->page.state, state, len);
    return WR_OK;
}

bool wr_is_page_state(const void *state, size_t len)
{
    return page_is_state(slice_of(state, len));
}

const void *wr_page_state(const wr_stmt *stmt, size_t *len)
{
    struct slice state = !stmt || stmt->running ? SLICE_NULL : stmt->exec.page.next; /* a brief read knows it before its rows are taken */
    *len = state.len;
    return state.data;
}
