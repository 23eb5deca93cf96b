/* Batches of prepared statements. A batch's result is a statement without text, whose plan runs the batch. */
#include "model/api.h"
#include "model/batch.h"
#include "model/failure.h"

struct batch_plan {
    struct plan plan; /* first: ops are given this */
    wr_batch *batch;
};

struct added {
    wr_stmt *stmt;
    uint32_t plans; /* its, when its values were taken: what was known of them holds for that plan */
};

struct wr_batch {
    wr_stmt result;
    struct batch_plan plan;
    struct arena arena; /* of entries and their values */
    enum ast_batch_kind kind;
    struct added *added;
    struct batch_entry *entries; /* of them */
    uint32_t count, room;
};

static enum wr_status start(struct exec *exec, const struct plan *plan)
{
    wr_batch *b = ((const struct batch_plan *)plan)->batch;
    TRY(batch_check(exec->ctx, b->kind, b->entries, b->count, false));
    for (uint32_t i = 0; i < b->count; i++)
        TRY(plan_check(exec->ctx, b->entries[i].plan));
    return batch_run(exec, b->kind, b->entries, b->count, NULL);
}

static enum wr_status authorize(struct exec *exec, const struct plan *plan)
{
    wr_batch *b = ((const struct batch_plan *)plan)->batch;
    for (uint32_t i = 0; i < b->count; i++)
        TRY(b->entries[i].plan->ops->authorize(exec, b->entries[i].plan));
    return WR_OK;
}

static enum wr_status step(struct exec *exec, const struct plan *plan, const struct slice **row)
{
    (void)plan;
    return batch_step(exec, row);
}

static const struct column_spec *columns(const struct exec *exec, const struct plan *plan, uint32_t *count)
{
    (void)plan;
    return batch_columns(exec, count);
}

static const struct plan_ops batch_ops = {
    .name = "batch", .access = PLAN_WRITE, .authorize = authorize, .start = start, .step = step, .columns = columns
};

enum wr_status batch_rebind(wr_batch *batch, struct schema *schema)
{
    (void)schema; /* each statement takes the current one, which is this */
    batch->plan.plan.calls_others = false;
    batch->plan.plan.frees = true;
    for (uint32_t i = 0; i < batch->count; i++) {
        wr_stmt *stmt = batch->added[i].stmt;
        enum wr_status st = stmt_ensure_plan(stmt);
        if (st != WR_OK)
            return failure_pass(&batch->result.ctx, &stmt->ctx, st);
        batch->entries[i].plan = stmt->plan;
        batch->plan.plan.calls_others |= stmt->plan->calls_others;
        batch->plan.plan.frees &= stmt->plan->frees;
        if (stmt->plans != batch->added[i].plans)
            batch->entries[i].given.sound = NULL;
    }
    batch->result.plan = &batch->plan.plan;
    return WR_OK;
}

enum wr_status wr_batch_new(wr_db *db, enum wr_batch_kind kind, wr_batch **out)
{
    static const enum ast_batch_kind kinds[] = { BATCH_LOGGED, BATCH_UNLOGGED, BATCH_COUNTER };
    *out = NULL;
    TRY(db_check_open(db));
    if ((unsigned)kind > WR_BATCH_COUNTER)
        return db_fail(db, WR_MISUSE, "wr_batch_new: there is no such kind of batch");
    wr_batch *batch = mem_alloc(sizeof *batch);
    if (!batch)
        return db_fail(db, WR_NOMEM, "out of memory");
    stmt_init(&batch->result, db);
    arena_init(&batch->arena);
    batch->result.batch = batch;
    batch->result.flags = WR_STMT_BATCH;
    batch->plan.plan.ops = &batch_ops;
    batch->plan.batch = batch;
    batch->kind = kinds[kind];
    *out = batch;
    if (stmt_take_role(&batch->result) == WR_OK)
        return WR_OK;
    wr_batch_free(batch);
    *out = NULL;
    return db_fail(db, WR_NOMEM, "out of memory");
}

static void *grown(wr_batch *batch, void *items, size_t size, uint32_t room)
{
    void *wider = arena_alloc(&batch->arena, size * room);
    if (wider && batch->count)
        memcpy(wider, items, size * batch->count);
    return wider;
}

static enum wr_status make_room(wr_batch *batch)
{
    if (batch->count < batch->room)
        return WR_OK;
    uint32_t room = batch->room ? batch->room * 2 : 16;
    struct added *added = grown(batch, batch->added, sizeof *added, room);
    struct batch_entry *entries = grown(batch, batch->entries, sizeof *entries, room);
    if (!added || !entries)
        return fail_nomem(&batch->result.ctx);
    batch->added = added;
    batch->entries = entries;
    batch->room = room;
    return WR_OK;
}

static enum wr_status copy_values(wr_batch *batch, const wr_stmt *stmt, struct given *out)
{
    struct slice *values = arena_alloc_raw(&batch->arena, stmt->markers.count * sizeof *values);
    bool *sound = arena_alloc_raw(&batch->arena, stmt->markers.count * sizeof *sound);
    if (!values || !sound)
        return fail_nomem(&batch->result.ctx);
    if (stmt->markers.count)
        memcpy(sound, stmt->markers.sound, stmt->markers.count * sizeof *sound);
    for (uint32_t i = 0; i < stmt->markers.count; i++) {
        struct slice value = stmt->markers.values[i];
        values[i] = value;
        if (slice_is_null(value) || slice_is_unset(value))
            continue;
        uint8_t *bytes = arena_alloc_raw(&batch->arena, value.len);
        if (!bytes)
            return fail_nomem(&batch->result.ctx);
        memcpy(bytes, value.data, value.len);
        values[i].data = bytes;
    }
    *out = (struct given){ values, sound };
    return WR_OK;
}

enum wr_status wr_batch_add(wr_batch *batch, wr_stmt *stmt)
{
    struct given given;
    wr_reset(&batch->result);
    if (!stmt)
        return stmt_fail(&batch->result, WR_MISUSE, "wr_batch_add: there is no statement");
    if (stmt->db->database != batch->result.db->database)
        return stmt_fail(&batch->result, WR_MISUSE, "wr_batch_add: the statement belongs to another database");
    for (uint32_t i = 0; i < stmt->markers.count; i++)
        if (!stmt->markers.bound[i].is_set)
            return stmt_fail(&batch->result, WR_INVALID, "wr_batch_add: a marker of the statement is not bound");
    if (!(stmt->flags & WR_STMT_WRITE))
        return stmt_fail(&batch->result, WR_INVALID,
                         "Invalid statement in batch: only UPDATE, INSERT and DELETE statements are allowed.");
    TRY(make_room(batch));
    TRY(copy_values(batch, stmt, &given));
    batch->added[batch->count] = (struct added){ stmt, stmt->plans };
    batch->entries[batch->count] = (struct batch_entry){ .plan = NULL, .given = given };
    batch->count++;
    return WR_OK;
}

enum wr_status wr_batch_set_timestamp(wr_batch *batch, int64_t timestamp_us)
{
    return wr_set_timestamp(&batch->result, timestamp_us);
}

enum wr_status wr_batch_set_now(wr_batch *batch, int64_t now_s)
{
    return wr_set_now(&batch->result, now_s);
}

enum wr_status wr_batch_set_consistency(wr_batch *batch, enum wr_consistency consistency)
{
    return wr_set_consistency(&batch->result, consistency);
}

enum wr_status wr_batch_set_serial_consistency(wr_batch *batch, enum wr_consistency consistency)
{
    return wr_set_serial_consistency(&batch->result, consistency);
}

void wr_batch_set_trace(wr_batch *batch, wr_trace_fn fn, void *arg)
{
    wr_set_trace(&batch->result, fn, arg);
}

enum wr_status wr_batch_run(wr_batch *batch, wr_stmt **result)
{
    wr_reset(&batch->result);
    batch->result.plan = NULL; /* the statements may have been bound anew since */
    enum wr_status st = stmt_start(&batch->result);
    batch->count = batch->room = 0;
    batch->result.settings.timestamp_us = TIMESTAMP_NONE;
    arena_reset(&batch->arena);
    if (result)
        *result = st == WR_OK ? &batch->result : NULL;
    return st;
}

const char *wr_batch_error(const wr_batch *batch)
{
    return batch->result.ctx.error;
}

void wr_batch_failure(const wr_batch *batch, struct wr_failure *out)
{
    wr_stmt_failure(&batch->result, out);
}

const char *wr_batch_warning(const wr_batch *batch, unsigned i)
{
    return wr_stmt_warning(&batch->result, i);
}

void wr_batch_free(wr_batch *batch)
{
    if (!batch)
        return;
    stmt_release(&batch->result);
    arena_release(&batch->arena);
    mem_free(batch);
}
