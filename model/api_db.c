/* Handles on a database: opening, attaching, closing, running scripts. */
#include <stdlib.h>

#include "model/api.h"
#include "model/failure.h"
#include "model/parse.h"

const char *wr_version(void)
{
    return WR_VERSION_TEXT;
}

static const struct {
    int number;
    unsigned native;
    const char *name;
} statuses[] = {
#define STATUS_ROW(name, number, native, text) { number, native, text },
    WR_STATUS_TABLE(STATUS_ROW)
#undef STATUS_ROW
};

const char *wr_status_name(enum wr_status status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        if (statuses[i].number == (int)status)
            return statuses[i].name;
    return "unknown status";
}

unsigned wr_status_code(enum wr_status status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        if (statuses[i].number == (int)status)
            return statuses[i].native;
    return 0;
}

enum wr_status db_fail(wr_db *db, enum wr_status status, const char *text)
{
    pthread_mutex_lock(&db->lock);
    arena_reset(&db->arena);
    if (text != db->ctx.error)
        fail(&db->ctx, status, "%s", text);
    db->ctx.error_offset = SIZE_MAX;
    pthread_mutex_unlock(&db->lock);
    return status;
}

enum wr_status db_fail_as(wr_db *db, enum wr_status status, const struct ctx *ctx, size_t offset)
{
    pthread_mutex_lock(&db->lock);
    arena_reset(&db->arena);
    enum wr_status st = failure_pass(&db->ctx, ctx, status);
    db->ctx.error_offset = offset;
    pthread_mutex_unlock(&db->lock);
    return st;
}

enum wr_status db_check_open(wr_db *db)
{
    if (db->database && !database_is_parents(db->database))
        return WR_OK;
    return db_fail(db, WR_MISUSE, db->database ? DATABASE_IS_PARENTS : "the database is not open");
}

enum wr_status work_begin(struct work *work, wr_db *db)
{
    TRY(db_check_open(db));
    arena_init(&work->arena);
    ctx_init(&work->ctx, &work->arena);
    db_let_interrupt(db, &work->ctx);
    work->ctx.now_s = clock_now_s(engine_clock(db->database->engine));
    return WR_OK;
}

enum wr_status work_end(struct work *work, wr_db *db, enum wr_status st)
{
    st = ctx_outcome(&work->ctx, st);
    if (st != WR_OK)
        st = db_fail_as(db, st, &work->ctx, SIZE_MAX);
    arena_release(&work->arena);
    return st;
}

void wr_failure(wr_db *db, struct wr_failure *out)
{
    pthread_mutex_lock(&db->lock);
    *out = failure_of(&db->ctx);
    pthread_mutex_unlock(&db->lock);
}

static wr_db *handle_new(struct database *database)
{
    wr_db *db = mem_alloc(sizeof *db);
    if (!db)
        return NULL;
    pthread_mutex_init(&db->lock, NULL);
    arena_init(&db->arena);
    ctx_init(&db->ctx, &db->arena);
    db->database = database;
    return db;
}

static void handle_free(wr_db *db)
{
    arena_release(&db->arena);
    pthread_mutex_destroy(&db->lock);
    mem_free(db->keyspace);
    mem_free(db->role);
    mem_free(db);
}

enum wr_status wr_open(const char *path, const struct wr_options *options, wr_db **out)
{
    static const struct wr_options defaults = WR_OPTIONS_INIT;
    static const enum durability durabilities[] = { DURABILITY_PERIODIC, DURABILITY_FULL, DURABILITY_NONE };
    wr_db *db = *out = handle_new(NULL);
    if (!db)
        return WR_NOMEM;
    if (!options)
        options = &defaults;
    if (options->size != sizeof *options || (unsigned)options->durability > WR_DURABILITY_NONE)
        return db_fail(db, WR_MISUSE, "wr_open: the options are not of this library's version");
    bool memory = !path || strcmp(path, ":memory:") == 0;
    struct engine_options engine = {
        .path = memory ? NULL : path,
        .durability = memory ? DURABILITY_NONE : durabilities[options->durability],
        .sync_interval_ms = options->sync_interval_ms,
        .read_only = options->read_only && !memory,
        .create = !options->must_exist && !options->read_only,
        .map_bytes = options->map_bytes,
        .clock_us = options->clock_us,
    };
    ctx_init(&db->ctx, &db->arena);
    enum wr_status st = database_open(&db->ctx, &engine, &db->database);
    arena_reset(&db->arena);
    if (st == WR_OK)
        ctx_init(&db->ctx, &db->arena); /* a map that had to grow on the way is no failure */
    return st;
}

void wr_set_masking(wr_db *db, bool enabled)
{
    if (db->database)
        atomic_store(&db->database->masking, enabled);
}

void wr_set_max_mutation_size(wr_db *db, uint64_t bytes)
{
    if (db->database)
        atomic_store(&db->database->mutation_bytes, bytes);
}

void wr_set_tombstone_thresholds(wr_db *db, uint32_t warned, uint32_t refused)
{
    if (!db->database)
        return;
    atomic_store(&db->database->tombstones_warned, warned);
    atomic_store(&db->database->tombstones_refused, refused);
}

void wr_set_unmask(wr_db *db, bool unmask)
{
    atomic_store(&db->masked, !unmask);
}

enum wr_status wr_attach(wr_db *db, wr_db **out)
{
    *out = NULL;
    TRY(db_check_open(db));
    wr_db *other = handle_new(db->database);
    if (!other)
        return db_fail(db, WR_NOMEM, "out of memory");
    database_acquire(db->database);
    *out = other;
    return WR_OK;
}

enum wr_status wr_close(wr_db *db)
{
    if (!db)
        return WR_OK;
    if (atomic_load(&db->open_handles))
        return db_fail(db, WR_MISUSE, "wr_close: statements, batches or column families of this handle are still open, or it is in wr_atomically");
    stmt_free_spare(db->spare);
    database_release(db->database);
    handle_free(db);
    return WR_OK;
}

const char *wr_error(wr_db *db)
{
    return db->ctx.error;
}

ptrdiff_t wr_error_offset(wr_db *db)
{
    pthread_mutex_lock(&db->lock);
    size_t offset = db->ctx.error_offset;
    pthread_mutex_unlock(&db->lock);
    return offset == SIZE_MAX ? -1 : (ptrdiff_t)offset;
}

const char *wr_keyspace(wr_db *db)
{
    return db->keyspace;
}

enum wr_status db_use(wr_db *db, struct slice name)
{
    char *keyspace = name.data ? mem_string((const char *)name.data, name.len) : NULL;
    if (name.data && !keyspace)
        return WR_NOMEM;
    pthread_mutex_lock(&db->lock);
    mem_free(db->keyspace);
    db->keyspace = keyspace;
    pthread_mutex_unlock(&db->lock);
    return WR_OK;
}

size_t wr_statement_end(const char *text, size_t len, bool *complete, bool *blank)
{
    bool is_complete, is_blank;
    size_t end = parse_statement_end(slice_of(text, len), &is_complete, &is_blank);
    if (complete)
        *complete = is_complete;
    if (blank)
        *blank = is_blank;
    return end;
}

void wr_interrupt(wr_db *db)
{
    _Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler may call it");
    atomic_fetch_add(&db->interrupts, 1);
}

void wr_stmt_interrupt(wr_stmt *stmt)
{
    if (stmt)
        atomic_fetch_sub(&stmt->ctx.interrupts_before, 1);
}

struct script {
    wr_row_fn on_row;
    void *arg;
    uint32_t interrupts_before;
    bool stopped;
};

static enum wr_status run_one(wr_db *db, const char *text, size_t len, struct script *script)
{
    wr_stmt *stmt;
    enum wr_status st = wr_prepare(db, text, (ptrdiff_t)len, &stmt);
    if (st != WR_OK)
        return st;
    stmt->of_script = true;
    stmt->ctx.interrupts_before = script->interrupts_before;
    while ((st = wr_step(stmt)) == WR_ROW) {
        if (script->on_row && !script->on_row(script->arg, stmt)) {
            script->stopped = true;
            break;
        }
    }
    if (st != WR_ROW && st != WR_DONE)
        st = db_fail_as(db, st, &stmt->ctx, SIZE_MAX);
    wr_finalize(stmt);
    return st == WR_ROW || st == WR_DONE ? WR_OK : st;
}

/* Of the statement that failed, which is so far into the script. */
static void place_error(wr_db *db, struct slice statement, size_t at)
{
    pthread_mutex_lock(&db->lock);
    if (db->ctx.error_offset == SIZE_MAX)
        db->ctx.error_offset = parse_statement_begin(statement);
    db->ctx.error_offset += at;
    pthread_mutex_unlock(&db->lock);
}

enum wr_status wr_exec(wr_db *db, const char *cql, wr_row_fn on_row, void *arg)
{
    struct script script = { .on_row = on_row, .arg = arg, .interrupts_before = db_interrupts_before(db) };
    size_t len = strlen(cql), at = 0;
    while (at < len && !script.stopped) {
        bool blank;
        size_t end = wr_statement_end(cql + at, len - at, NULL, &blank);
        if (!blank) {
            enum wr_status st = run_one(db, cql + at, end, &script);
            if (st != WR_OK) {
                place_error(db, slice_of(cql + at, end), at);
                return st;
            }
        }
        at += end;
    }
    return WR_OK;
}

struct atomically {
    wr_db *db;
    enum wr_status (*body)(void *arg);
    void *arg;
    uint32_t interrupts_before;
};

static enum wr_status run_atomically(void *arg)
{
    const struct atomically *a = arg;
    bool within = atomic_exchange(&a->db->holds, true); /* one of the same handle, which began earlier */
    if (!within)
        a->db->interrupts_at_hold = a->interrupts_before;
    enum wr_status st = a->body(a->arg);
    atomic_store(&a->db->holds, within);
    return st;
}

enum wr_status wr_atomically(wr_db *db, enum wr_status (*body)(void *arg), void *arg)
{
    struct atomically a = { db, body, arg, atomic_load(&db->interrupts) };
    struct arena arena;
    struct ctx ctx;
    TRY(db_check_open(db));
    if (db->database->read_only)
        return db_fail(db, WR_READONLY, "the database is not open for writing");
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    db_fail(db, WR_OK, ""); /* what it says afterwards is of this */
    atomic_fetch_add(&db->open_handles, 1); /* body cannot close it */
    enum wr_status st = database_hold(&ctx, db->database, run_atomically, &a);
    atomic_fetch_sub(&db->open_handles, 1);
    if (st != WR_OK && ctx.error[0])
        db_fail(db, st, ctx.error);
    arena_release(&arena);
    return st;
}
