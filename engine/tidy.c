#include "engine/tidy.h"

#include "engine/backlog.h"
#include "engine/partition.h"
#include "engine/partitions.h"
#include "engine/rowcode.h"
#include "engine/spill.h"
#include "engine/state.h"

/* Where a table is asked for, or may be: with the lock. */
static struct tidying *slot_of(struct engine *engine, uint64_t table_id)
{
    struct tidying *free = NULL;

    for (unsigned i = 0; i < TIDY_TABLES; i++) {
        struct tidying *t = &engine->tidying[i];
        if (t->table_id == table_id)
            return t;
        if (!t->table_id)
            free = t;
    }
    return free;
}

static void ask(struct engine *engine, const struct tidying *where)
{
    pthread_mutex_lock(&engine->tidying_lock);
    struct tidying *t = slot_of(engine, where->table_id);
    if (t && !t->table_id)
        *t = *where;
    if (t) {
        t->from = where->from < t->from ? where->from : t->from;
        t->to = where->to > t->to ? where->to : t->to;
    }
    pthread_mutex_unlock(&engine->tidying_lock);
}

void tidy_want(struct engine *engine, const struct tidying *where)
{
    if (!engine->sweep_wanted)
        return;
    ask(engine, where);
    engine->sweep_wanted(engine->sweep_arg);
}

/* One of those that are asked for; *others: there are more. */
static struct tidying take(struct engine *engine, bool *others)
{
    struct tidying where = { 0 };

    *others = false;
    pthread_mutex_lock(&engine->tidying_lock);
    for (unsigned i = 0; i < TIDY_TABLES; i++) {
        struct tidying *t = &engine->tidying[i];
        *others |= t->table_id && where.table_id;
        if (where.table_id)
            continue;
        where = *t;
        t->table_id = 0;
    }
    pthread_mutex_unlock(&engine->tidying_lock);
    return where;
}

/* Whatever the time: what has a second in which it expires is alive until a visit has emptied it. */
static enum wr_status row_lives(struct ctx *ctx, struct slice bytes, bool *lives)
{
    struct rowcode code;
    struct cell cell;
    struct stub stub;

    *lives = false;
    if (slice_is_null(bytes))
        return WR_OK;
    if (!rowcode_open(&code, bytes))
        return fail_corrupt(ctx, "header of a row");
    *lives = liveness_is_live(code.liveness, 0);
    while (!*lives && rowcode_next(&code, &cell)) {
        if (!(cell.flags & CELL_SPILLED_COLUMN))
            *lives = cell_is_live(&cell, 0);
        else if (stub_decode(&cell, &stub))
            *lives = stub_was_alive(&stub);
        else
            return fail_corrupt(ctx, "the place of a large collection");
    }
    return code.failed ? fail_corrupt(ctx, "cells of a row") : WR_OK;
}

static enum wr_status partition_lives(struct ctx *ctx, struct txn *txn, const struct partition *partition, bool *lives)
{
    TRY(row_lives(ctx, partition->row, lives));
    return *lives || !partition->has_clustering ? WR_OK : partition_has_any(ctx, txn, TREE_ROWS, partition->id, lives);
}

struct dead {
    struct slice *keys;
    uint32_t count, looked_at;
    int64_t last; /* token that was looked at */
    bool ended;
};

/* All that are dead among the next ones, before any of them is moved. */
static enum wr_status find_dead(struct ctx *ctx, struct txn *txn, const struct table_shape *table, const struct tidying *where, uint32_t most,
                                struct partitions *partitions, struct dead *dead)
{
    struct partition partition;
    bool found, lives;

    TRY(partitions_open(ctx, partitions, txn, table, where->from, where->to, SLICE_NULL));
    for (dead->looked_at = 0; dead->looked_at < most; dead->looked_at++) {
        TRY(partitions_next(ctx, partitions, &partition, &found));
        dead->ended = !found;
        if (!found)
            break;
        dead->last = partition.token;
        TRY(partition_lives(ctx, txn, &partition, &lives));
        if (!lives)
            dead->keys[dead->count++] = partition.key; /* a copy: the transaction may be written to */
    }
    partitions_close(partitions);
    return WR_OK;
}

static enum wr_status bury(struct ctx *ctx, struct txn *txn, const struct table_shape *table, const struct dead *dead)
{
    for (uint32_t i = 0; i < dead->count; i++) {
        struct arena_mark mark = arena_mark(ctx->arena);
        struct place place;
        TRY(place_open(ctx, txn, table, dead->keys[i], &place));
        TRY(place_bury(ctx, txn, &place));
        arena_rewind(ctx->arena, mark);
    }
    return WR_OK;
}

static enum wr_status tidy(struct ctx *ctx, struct txn *txn, const struct table_shape *table, uint32_t most, struct tidying *where, bool *rest)
{
    struct dead dead = { .keys = NEW_ARRAY(ctx, struct slice, most) };
    struct partitions *partitions = NULL;
    enum wr_status st;

    if (!dead.keys)
        return WR_NOMEM;
    TRY(partitions_new(ctx, &partitions));
    TRY_OUT(find_dead(ctx, txn, table, where, most, partitions, &dead));
    TRY_OUT(bury(ctx, txn, table, &dead));
    *rest = !dead.ended && dead.last < where->to;
    if (*rest) /* of so many keys with one token those behind stay */
        where->from = dead.last > where->from ? dead.last : dead.last + 1;
out:
    partitions_free(partitions);
    return st;
}

enum wr_status tidy_some(struct ctx *ctx, struct txn *txn, uint32_t most, bool *more)
{
    const struct writer *writer = txn_writer(txn);
    struct engine *engine = txn_engine(txn);
    struct arena_mark mark = arena_mark(ctx->arena);
    bool rest = false;
    struct tidying where = take(engine, more);

    const struct table_shape *table = where.table_id && writer->lookup ? writer->lookup(writer->lookup_arg, where.table_id) : NULL;
    if (!table || (backlog_has_any(writer->backlog) && backlog_knows(writer->backlog, table)))
        return WR_OK;
    enum wr_status st = tidy(ctx, txn, table, most, &where, &rest);
    if (rest || st == WR_BUSY) /* it is run again */
        ask(engine, &where);
    *more |= rest;
    arena_rewind(ctx->arena, mark);
    return st;
}
