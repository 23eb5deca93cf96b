/*
 * Reads that will not take long, between writes: in the writes' own transaction where that is pending (engine.h, txn_begin_brief), which is
 * then left alone again before the caller goes on. So all of it is read at once, and its rows are copied.
 */
#include "model/api.h"

static enum wr_status have_room(struct brief *b, uint32_t width)
{
    size_t needed = (size_t)(b->count + 1) * width;
    if (needed <= b->room)
        return WR_OK;
    struct slice *rows = mem_realloc(b->rows, 2 * needed * sizeof *rows);
    if (!rows)
        return WR_NOMEM;
    b->rows = rows;
    b->room = 2 * needed;
    return WR_OK;
}

/* *fits false: it is more than a brief read. */
static enum wr_status copy_row(wr_stmt *stmt, const struct slice *row, bool *fits)
{
    struct brief *b = &stmt->brief;
    const uint32_t width = stmt->result.column_count, *places = stmt->plan->places;
    size_t bytes = 0;

    b->bytes += width * sizeof *row;
    TRY(have_room(b, width));
    struct slice *values = b->rows + (size_t)b->count * width;
    for (uint32_t i = 0; i < width; i++) {
        values[i] = row[places[i]];
        bytes += values[i].len;
    }
    b->bytes += bytes;
    *fits = b->count < BRIEF_ROWS && b->bytes <= BRIEF_BYTES;
    if (!*fits)
        return WR_OK;
    uint8_t *at = arena_alloc_raw(&b->arena, bytes);
    if (!at)
        return WR_NOMEM;
    for (uint32_t i = 0; i < width; i++) {
        if (!values[i].len)
            continue;
        memcpy(at, values[i].data, values[i].len);
        values[i].data = at;
        at += values[i].len;
    }
    b->count++;
    return WR_OK;
}

static enum wr_status copy_all(wr_stmt *stmt, int64_t begun, bool *fits)
{
    struct exec *exec = &stmt->exec;
    const struct plan *plan = stmt->plan;
    const struct slice *row;

    *fits = true;
    TRY(plan->ops->start(exec, plan));
    for (;;) {
        TRY(plan->ops->step(exec, plan, &row));
        if (!row)
            return ctx_had_memory(exec->ctx);
        TRY(copy_row(stmt, row, fits));
        for (struct rows_ahead *ahead = &exec->ahead; *fits && ahead->left; ahead->left--, ahead->next += ahead->stride)
            TRY(copy_row(stmt, ahead->next, fits));
        *fits = *fits && clock_monotonic_ns() - begun <= BRIEF_NS;
        if (!*fits)
            return WR_OK;
    }
}

bool brief_may_be(wr_stmt *stmt)
{
    return stmt->plan->brief && !stmt->settings.tracer.note && brief_is_tried(&stmt->brief.trial);
}

bool brief_read(wr_stmt *stmt)
{
    struct brief *b = &stmt->brief;
    struct exec *exec = &stmt->exec;
    bool fits = false;
    int64_t begun = clock_monotonic_ns();

    b->count = 0;
    b->bytes = 0;
    arena_reset(&b->arena);
    exec->brief = true;
    b->done = copy_all(stmt, begun, &fits) == WR_OK && fits;
    exec->brief = false;
    stmt->plan->ops->finish(exec, stmt->plan);
    txn_abort(&exec->txn);
    exec->ahead.left = 0;
    brief_was(&b->trial, b->done && clock_monotonic_ns() - begun <= BRIEF_NS);
    if (b->done) {
        stmt->result.places = stmt->result.in_order;
        return true;
    }
    stmt_forget_attempt(stmt);
    return false;
}

const struct slice *brief_next(wr_stmt *stmt)
{
    struct brief *b = &stmt->brief;

    if (!b->count)
        return NULL;
    stmt->exec.ahead = (struct rows_ahead){
        .next = b->rows + stmt->result.column_count, .stride = stmt->result.column_count, .left = b->count - 1, .mark = arena_mark(&stmt->run_arena)
    };
    b->count = 0;
    return b->rows;
}
