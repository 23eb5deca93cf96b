/* Looking after a database: its clock, syncing, copies, the sweep, checks and figures. */
#include <stdio.h>

#include "model/api.h"
#include "model/timeuuid.h"
#include "model/view.h"

/* ---- time ---- */

static struct clock *clock_of(wr_db *db)
{
    return engine_clock(db->database->engine);
}

int64_t wr_clock_now(wr_db *db)
{
    return db->database ? clock_now_us(clock_of(db)) : 0;
}

void wr_clock_set(wr_db *db, int64_t now_us)
{
    if (db->database)
        clock_set(clock_of(db), now_us);
}

void wr_clock_step(wr_db *db, int64_t by_us)
{
    if (db->database)
        clock_step(clock_of(db), by_us);
}

void wr_clock_release(wr_db *db)
{
    if (db->database)
        clock_release(clock_of(db));
}

void wr_timeuuid(wr_db *db, uint8_t out[16])
{
    if (!db->database || database_is_parents(db->database)) { /* which may give the same */
        memset(out, 0, 16);
        return;
    }
    timeuuid_next(&db->database->last_timeuuid_us, clock_now_us(clock_of(db)), out);
}

int64_t wr_timeuuid_us(const uint8_t uuid[16])
{
    return timeuuid_us(uuid);
}

/* ---- the folder ---- */

/* Of what waits for writes, or for a change of the schema that waits for them: it would wait for its own thread. */
static enum wr_status work_begin_outside(struct work *work, wr_db *db, const char *function)
{
    TRY(work_begin(work, db));
    if (!database_held(db->database))
        return WR_OK;
    return work_end(work, db, fail(&work->ctx, WR_MISUSE, "%s: not within wr_atomically", function));
}

enum wr_status wr_sync(wr_db *db)
{
    struct work work;
    TRY(work_begin_outside(&work, db, "wr_sync"));
    return work_end(&work, db, engine_sync(&work.ctx, db->database->engine));
}

enum wr_status wr_backup(wr_db *db, const char *path)
{
    const struct reach reach = reach_all(NULL);
    struct work work;
    TRY(work_begin(&work, db));
    struct database *database = db->database;
    engine_bar_backlog(database->engine, true);
    enum wr_status st = database_apply_put_off(&work.ctx, database, &reach); /* so that a copy can be read where nobody may write; where it fails, the copy has them put off */
    if (st != WR_INTERRUPTED)
        st = engine_backup(&work.ctx, database->engine, path);
    engine_bar_backlog(database->engine, false);
    return work_end(&work, db, st);
}

enum wr_status wr_sweep(wr_db *db, unsigned steps)
{
    struct work work;
    bool more = true;
    enum wr_status st = WR_OK;
    TRY(work_begin_outside(&work, db, "wr_sweep"));
    pthread_rwlock_rdlock(&db->database->schema_gate); /* the sweep asks for tables by id */
    for (unsigned i = 0; st == WR_OK && more && (!steps || i < steps); i++) {
        st = engine_sweep(&work.ctx, db->database->engine, &more);
        arena_reset(&work.arena);
    }
    pthread_rwlock_unlock(&db->database->schema_gate);
    return work_end(&work, db, st);
}

enum wr_status wr_check(wr_db *db, void (*on_finding)(void *arg, const char *finding), void *arg, uint64_t *findings)
{
    struct work work;
    struct findings found = { .report = on_finding, .arg = arg };
    TRY(work_begin_outside(&work, db, "wr_check"));
    enum wr_status st = database_renew_schema(&work.ctx, db->database);
    pthread_rwlock_rdlock(&db->database->schema_gate); /* so that schema and data are of one time */
    struct schema *schema = database_schema(db->database);
    if (st == WR_OK)
        st = engine_verify(&work.ctx, db->database->engine, &found);
    if (st == WR_OK && !found.unreadable)
        st = views_check(&work.ctx, db->database->engine, schema, &found);
    schema_release(schema);
    pthread_rwlock_unlock(&db->database->schema_gate);
    if (findings)
        *findings = found.count;
    return work_end(&work, db, st);
}

static enum wr_status table_stats(struct ctx *ctx, wr_db *db, struct slice keyspace, struct slice name,
                                  struct wr_table_stats *out, bool *outdated)
{
    TRY(database_renew_schema(ctx, db->database));
    struct schema *schema = database_schema(db->database);
    const struct table *table;
    struct table_figures figures;
    struct txn *txn = NULL;
    enum wr_status st;
    TRY_OUT(schema_require_table(ctx, schema, SLICE_NULL, keyspace, name, &table));
    TRY_OUT(txn_begin_read(ctx, db->database->engine, &txn));
    TRY_OUT(database_look_at_schema(ctx, db->database, schema, &txn, outdated));
    if (*outdated)
        goto out;
    const struct reach reach = reach_all(&table->shape);
    TRY_OUT(database_catch_up(ctx, db->database, &reach, &txn));
    TRY_OUT(engine_table_figures(ctx, txn, &table->shape, &figures));
    *out = (struct wr_table_stats){
        .partitions = figures.partitions,
        .rows = figures.rows,
        .cells = figures.cells,
        .tombstones = figures.tombstones,
        .bytes = figures.bytes,
        .widest_partition_rows = figures.widest_rows,
        .widest_partition_bytes = figures.widest_bytes,
    };
out:
    txn_abort(&txn);
    schema_release(schema);
    return st;
}

enum wr_status wr_table_stats(wr_db *db, const char *keyspace, const char *table, struct wr_table_stats *out)
{
    struct work work;
    bool outdated;
    enum wr_status st;
    TRY(work_begin(&work, db));
    do {
        outdated = false;
        st = table_stats(&work.ctx, db, slice_str(keyspace), slice_str(table), out, &outdated);
    } while (outdated);
    return work_end(&work, db, st);
}

enum wr_status wr_db_stats(wr_db *db, struct wr_db_stats *out)
{
    struct work work;
    struct engine_figures figures;
    TRY(work_begin(&work, db));
    enum wr_status st = engine_figures(&work.ctx, db->database->engine, &figures);
    if (st == WR_OK)
        *out = (struct wr_db_stats){
            .file_bytes = figures.file_bytes,
            .used_bytes = figures.used_bytes,
            .free_bytes = figures.free_bytes,
            .entries = figures.entries,
            .commits = figures.last_commit_id,
            .syncs = figures.syncs,
            .last_timestamp_us = figures.last_timestamp_us,
        };
    return work_end(&work, db, st);
}
