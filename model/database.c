#include "model/database.h"

#include <time.h>

#include "model/catalog.h"
#include "model/host.h"

static const struct table_shape *lookup_shape(void *arg, uint64_t table_id)
{
    struct database *db = arg;
    const struct table *table = schema_table_by_id(atomic_load(&db->schema), table_id);
    return table ? &table->shape : NULL;
}

static enum wr_status write_system_rows(struct ctx *ctx, struct txn *txn, void *arg)
{
    struct schema **loaded = arg;
    struct slice name, value;
    schema_release(*loaded); /* of an attempt before this one */
    *loaded = NULL;
    TRY(catalog_next(ctx, txn, SLICE_EMPTY, SLICE_EMPTY, false, &name, &value));
    TRY(slice_is_null(name) ? catalog_init(ctx, txn, loaded) : catalog_load(ctx, txn, loaded));
    return catalog_refresh_local(ctx, txn, *loaded);
}

static enum wr_status load_schema(struct ctx *ctx, struct database *db, struct schema **loaded)
{
    if (!db->read_only) {
        ctx->may_take_reserve = true; /* a database on a full disk is opened */
        return engine_write(ctx, db->engine, write_system_rows, loaded);
    }
    struct txn *txn;
    TRY(txn_begin_read(ctx, db->engine, &txn));
    enum wr_status st = catalog_load(ctx, txn, loaded);
    txn_abort(&txn);
    return st;
}

enum wr_status database_open(struct ctx *ctx, const struct engine_options *options, struct database **out)
{
    struct database *db = mem_alloc(sizeof *db);
    struct schema *loaded = NULL;
    pthread_rwlockattr_t attributes;
    enum wr_status st;
    if (!db || !forks_count()) {
        mem_free(db);
        return fail_nomem(ctx);
    }
    pthread_mutex_init(&db->schema_lock, NULL);
    pthread_rwlockattr_init(&attributes);
#ifdef PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP /* as glibc has it: a schema change does not wait for ever */
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
    pthread_rwlock_init(&db->schema_gate, &attributes);
    pthread_rwlockattr_destroy(&attributes);
    atomic_init(&db->refs, 1);
    atomic_init(&db->schema, NULL);
    atomic_init(&db->nodes, 1);
    clients_init(&db->clients);
    listeners_init(&db->listeners);
    turn_init(&db->turn);
    sweeper_init(&db->sweeper, db);
    atomic_init(&db->functions, NULL);
    atomic_init(&db->masking, false);
    atomic_init(&db->tombstones_warned, 0);
    atomic_init(&db->tombstones_refused, 0);
    db->read_only = options->read_only;
    db->forks = forks_so_far();
    TRY_OUT(engine_open(ctx, options, &db->engine));
    TRY_OUT(load_schema(ctx, db, &loaded));
    atomic_store(&db->schema, loaded);
    engine_set_table_lookup(db->engine, lookup_shape, db);
    if (!db->read_only)
        engine_set_sweep_hook(db->engine, sweeper_want, &db->sweeper);
    if (!db->read_only && engine_has_backlog(db->engine))
        sweeper_want(&db->sweeper);
    *out = db;
    return WR_OK;
out:
    schema_release(loaded);
    database_release(db);
    return st;
}

struct database *database_acquire(struct database *db)
{
    atomic_fetch_add(&db->refs, 1);
    return db;
}

/* Processes that go on reading cannot apply anything. What fails stays for who opens it for writing. */
static void apply_for_others(struct database *db)
{
    const struct reach reach = reach_all(NULL);
    struct arena arena;
    struct ctx ctx;

    if (!db->engine || db->read_only || !engine_has_backlog(db->engine) || !engine_has_others(db->engine))
        return;
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    database_apply_put_off(&ctx, db, &reach);
    arena_release(&arena);
}

void database_release(struct database *db)
{
    if (!db || atomic_fetch_sub(&db->refs, 1) > 1)
        return;
    if (database_is_parents(db))
        return; /* its threads are not here to be waited for, and its files are the parent's; the rest goes with the process */
    sweeper_release(&db->sweeper);
    apply_for_others(db);
    engine_close(db->engine);
    host_release(db);
    schema_release(atomic_load(&db->schema));
    listeners_release(&db->listeners);
    clients_release(&db->clients);
    pthread_rwlock_destroy(&db->schema_gate);
    pthread_mutex_destroy(&db->schema_lock);
    turn_destroy(&db->turn);
    mem_free(db);
}

struct schema *database_schema(struct database *db)
{
    pthread_mutex_lock(&db->schema_lock); /* between reading the pointer and counting nobody may release the last reference */
    struct schema *schema = schema_acquire(atomic_load(&db->schema));
    pthread_mutex_unlock(&db->schema_lock);
    return schema;
}

bool database_schema_is(struct database *db, const struct schema *schema)
{
    return atomic_load_explicit(&db->schema, memory_order_acquire) == schema;
}

enum wr_status database_require_keyspace(struct ctx *ctx, struct database *db, struct slice name)
{
    TRY(database_renew_schema(ctx, db));
    struct schema *schema = database_schema(db);
    const struct keyspace *keyspace;
    enum wr_status st = schema_require_keyspace(ctx, schema, name, &keyspace);
    schema_release(schema);
    return st;
}

/* Gives the one before, with its reference. */
static struct schema *swap_schema(struct database *db, struct schema *next)
{
    pthread_mutex_lock(&db->schema_lock);
    struct schema *before = atomic_exchange(&db->schema, next);
    pthread_mutex_unlock(&db->schema_lock);
    return before;
}

/* ---- the schema of what is read ---- */

static enum wr_status has_schema(struct ctx *ctx, struct database *db, const struct schema *schema, struct txn *txn, bool *has)
{
    uint64_t version;
    bool known = db->read_only && database_schema_is(db, schema);

    *has = known && atomic_load(&db->schema_commit) == txn_snapshot(txn);
    if (*has)
        return WR_OK;
    TRY(catalog_version(ctx, txn, &version));
    *has = version == schema_version(schema);
    if (*has && known)
        atomic_store(&db->schema_commit, txn_snapshot(txn));
    return WR_OK;
}

/* What another process has made of it. Under the gate, since wr_check asks for tables by id. */
static enum wr_status load_schema_again(struct ctx *ctx, struct database *db)
{
    struct schema *loaded, *before = NULL;

    pthread_rwlock_wrlock(&db->schema_gate);
    enum wr_status st = load_schema(ctx, db, &loaded);
    if (st == WR_OK)
        before = swap_schema(db, loaded);
    pthread_rwlock_unlock(&db->schema_gate);
    schema_release(before);
    return st;
}

static enum wr_status follow_schema(struct ctx *ctx, struct database *db)
{
    if (db->read_only)
        return load_schema_again(ctx, db);
    pthread_rwlock_rdlock(&db->schema_gate); /* until it is in place */
    pthread_rwlock_unlock(&db->schema_gate);
    return WR_OK;
}

enum wr_status database_compare_schema(struct ctx *ctx, struct database *db, const struct schema *schema, struct txn **txn, bool *outdated)
{
    bool has;
    enum wr_status st = has_schema(ctx, db, schema, *txn, &has);

    *outdated = false;
    if (st == WR_OK && has)
        return WR_OK;
    txn_abort(txn);
    TRY(st);
    TRY(follow_schema(ctx, db));
    *outdated = !database_schema_is(db, schema);
    return *outdated ? WR_OK : txn_begin_read(ctx, db->engine, txn); /* its successor could not be put in place: there is no better one */
}

enum wr_status database_renew_schema(struct ctx *ctx, struct database *db)
{
    struct txn *txn = NULL;
    bool has;

    if (!db->read_only)
        return WR_OK;
    TRY(txn_begin_read(ctx, db->engine, &txn));
    struct schema *schema = database_schema(db);
    enum wr_status st = has_schema(ctx, db, schema, txn, &has);
    schema_release(schema);
    txn_abort(&txn);
    return st == WR_OK && !has ? follow_schema(ctx, db) : st;
}

typedef enum wr_status writing(struct ctx *ctx, struct txn *txn, void *arg);

static void note_held_error(struct database *db, const struct ctx *ctx)
{
    if (!db->held.error[0])
        memcpy(db->held.error, ctx->error, sizeof db->held.error);
}

enum wr_status database_held_part(const struct ctx *ctx, struct database *db, enum wr_status st)
{
    if (st == WR_OK || !database_held(db) || db->held.refused != WR_OK)
        return st;
    note_held_error(db, ctx);
    return db->held.refused = st;
}

/* A write within one that is held. */
static enum wr_status write_part(struct ctx *ctx, struct database *db, struct txn *held, writing *body, void *arg)
{
    enum wr_status st = txn_resume(ctx, held);
    if (st == WR_OK) {
        st = body(ctx, held, arg);
        db->held.takes_space |= !ctx->may_take_reserve;
        txn_pause(ctx, held, st);
    }
    if (st == WR_OK || db->held.status != WR_OK)
        return st;
    note_held_error(db, ctx);
    return db->held.status = st;
}

static enum wr_status (*const write_by_kind[])(struct ctx *, struct engine *, writing *, void *) = {
    [WRITE_STATEMENT] = engine_write_gathered, [WRITE_ALONE] = engine_write, [WRITE_HELD] = engine_write_held, [WRITE_SCHEMA] = engine_write
};

/* Whether what is read has that schema. A change may be there though its write has failed: whoever waits for the disk is told of a sync
 * that fails when the transaction is done. */
static bool schema_is_written(struct database *db, const struct schema *schema)
{
    struct arena arena;
    struct ctx ctx;
    struct txn *txn = NULL;
    uint64_t version;
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    bool is = txn_begin_read(&ctx, db->engine, &txn) == WR_OK && catalog_version(&ctx, txn, &version) == WR_OK &&
              version == schema_version(schema);
    txn_abort(&txn);
    arena_release(&arena);
    return is;
}

struct schema_write {
    struct database *db;
    writing *body;
    void *arg;
    struct schema **next; /* what body makes */
    struct news news;
};

static enum wr_status run_schema_write(struct ctx *ctx, struct txn *txn, void *arg)
{
    struct schema_write *w = arg;

    TRY(w->body(ctx, txn, w->arg));
    return *w->next ? news_find(ctx, &w->news, &w->db->listeners, atomic_load(&w->db->schema), *w->next) : WR_OK;
}

/* Under the gate, as all writes; nobody changes the schema meanwhile. */
static enum wr_status write_schema(struct ctx *ctx, struct schema_write *w, bool *done)
{
    struct database *db = w->db;
    struct schema *before = NULL;

    pthread_rwlock_wrlock(&db->schema_gate);
    atomic_store(&db->schema_changes, true);
    enum wr_status st = write_by_kind[WRITE_SCHEMA](ctx, db->engine, run_schema_write, w);
    *done = *w->next && (st == WR_OK || schema_is_written(db, *w->next));
    if (*done) {
        before = swap_schema(db, *w->next);
        *w->next = NULL;
    }
    atomic_store(&db->schema_changes, false);
    pthread_rwlock_unlock(&db->schema_gate);
    schema_release(before);
    return st;
}

static enum wr_status change_schema(struct ctx *ctx, struct database *db, writing *body, void *arg, struct schema **next)
{
    struct schema_write w = { .db = db, .body = body, .arg = arg, .next = next };
    bool done;

    if (listeners_call_here(&db->listeners))
        return fail(ctx, WR_MISUSE, "the schema cannot be changed by who is told of a change of it");
    news_init(&w.news);
    enum wr_status st = write_schema(ctx, &w, &done);
    if (done)
        listeners_tell(&db->listeners, &w.news);
    news_release(&w.news);
    return st;
}

enum wr_status database_write(struct ctx *ctx, struct database *db, enum write_kind kind,
                              enum wr_status (*body)(struct ctx *ctx, struct txn *txn, void *arg), void *arg,
                              struct schema **next_schema)
{
    struct txn *held = database_held(db);
    if (held && (kind == WRITE_STATEMENT || kind == WRITE_ALONE))
        return write_part(ctx, db, held, body, arg);
    if (held) /* its thread would wait for itself */
        return fail(ctx, WR_MISUSE, "this cannot run inside wr_atomically");
    if (kind == WRITE_SCHEMA)
        return change_schema(ctx, db, body, arg, next_schema);
    pthread_rwlock_rdlock(&db->schema_gate);
    enum wr_status st = write_by_kind[kind](ctx, db->engine, body, arg);
    pthread_rwlock_unlock(&db->schema_gate);
    return st;
}

int database_turn_ms = 5000;

struct held_body {
    struct database *db;
    enum wr_status (*body)(void *arg);
    void *arg;
    bool has_turn; /* where something may be put off, that others want applied */
    bool needs_turn;
};

static enum wr_status run_held(struct ctx *ctx, struct txn *txn, void *arg)
{
    struct held_body *run = arg;
    struct engine *engine = run->db->engine;
    struct held_write *held = &run->db->held;
    enum wr_status st, broke, failed;

    run->needs_turn = !run->has_turn && engine_had_backlog(engine);
    if (run->needs_turn)
        return WR_BUSY;
    atomic_store(&held->thread, pthread_self());
    held->status = held->refused = WR_OK;
    held->error[0] = '\0';
    held->takes_space = false;
    engine_settling_broke(engine); /* what was before */
    atomic_store(&held->txn, txn);
    st = run->body(run->arg);
    ctx->may_take_reserve = !held->takes_space;
    for (struct held_read *read; (read = held->reads) != NULL;) {
        database_leave_held(read);
        read->end(read);
    }
    atomic_store(&held->txn, NULL);
    broke = engine_settling_broke(engine); /* by a read of body's */
    if (held->status == WR_OK)
        held->status = broke;
    failed = held->status != WR_OK || st != WR_OK ? held->status : held->refused;
    if (failed == WR_OK)
        return st;
    return fail(ctx, failed, "a write within wr_atomically has failed%s%s", held->error[0] ? ": " : "", held->error);
}

enum wr_status database_hold(struct ctx *ctx, struct database *db, enum wr_status (*body)(void *arg), void *arg)
{
    struct held_body run = { .db = db, .body = body, .arg = arg };
    enum wr_status st;
    if (database_held(db))
        return database_held_part(ctx, db, body(arg)); /* within another: one transaction, of which no part is undone alone */
    run.has_turn = engine_had_backlog(db->engine);
    do {
        run.needs_turn = false;
        if (run.has_turn)
            turn_take(&db->turn, -1);
        st = database_write(ctx, db, WRITE_HELD, run_held, &run, NULL);
        if (run.has_turn)
            turn_give(&db->turn);
        run.has_turn = true;
    } while (run.needs_turn);
    return st;
}

struct catch_up {
    const struct reach *reach;
    uint64_t most_rows; /* 0: many */
    bool more;
};

/* A full disk may have space for fewer. False: it has not. */
static bool catch_up_by_less(struct catch_up *c)
{
    enum { FIRST = 4096, LESS = 16 };
    c->most_rows = c->most_rows ? c->most_rows / LESS : FIRST;
    c->more = true;
    return c->most_rows != 0;
}

static enum wr_status catch_up_some(struct ctx *ctx, struct txn *txn, void *arg)
{
    struct catch_up *c = arg;
    return txn_catch_up(ctx, txn, c->reach, c->most_rows, &c->more);
}

enum wr_status database_apply_put_off(struct ctx *ctx, struct database *db, const struct reach *reach)
{
    struct catch_up c = { reach, 0, true }; /* also where a write that is not committed yet has applied all: it has the turn */

    if (!engine_had_backlog(db->engine))
        return WR_OK;
    if (db->read_only)
        return fail(ctx, WR_BUSY, "rows are put off; the process that writes applies them soon, and so does who opens the database for writing");
    if (database_held(db)) /* this thread's own write: its end shows what is committed before it */
        return fail(ctx, WR_BUSY, "rows are put off, and are not applied within wr_atomically for who looks at what is committed");
    while (c.more) { /* in steps, between which others have their turn */
        if (!turn_take(&db->turn, database_turn_ms))
            return fail(ctx, WR_BUSY,
                        "rows are put off, and wr_atomically of another thread, which is to end before they are applied, has not for some seconds");
        bool may_take = ctx->may_take_reserve;
        ctx->may_take_reserve = true; /* it has been acknowledged */
        enum wr_status st = database_write(ctx, db, WRITE_ALONE, catch_up_some, &c, NULL);
        ctx->may_take_reserve = may_take;
        turn_give(&db->turn);
        if (st != WR_FULL || !catch_up_by_less(&c))
            TRY(st);
        if (c.most_rows) /* what was given up is used again behind a sync */
            TRY(engine_sync(ctx, db->engine));
    }
    return WR_OK;
}

/* By the process that writes, which puts nothing more off once it sees this one. *txn: a read of what it has left. */
static enum wr_status await_applied(struct ctx *ctx, struct database *db, const struct reach *reach, struct txn **txn)
{
    const struct timespec look_again = { 0, 20 * 1000 * 1000 };
    int64_t until_ns = clock_monotonic_ns() + database_turn_ms * INT64_C(1000000);

    for (bool behind;;) {
        TRY(ctx_go_on(ctx));
        TRY(txn_begin_read(ctx, db->engine, txn));
        TRY(txn_is_behind(ctx, *txn, reach, &behind));
        if (!behind)
            return WR_OK;
        txn_abort(txn);
        if (clock_monotonic_ns() > until_ns)
            return database_apply_put_off(ctx, db, reach); /* which says why it is not */
        nanosleep(&look_again, NULL);
    }
}

/* In writes of their own, while nothing more is put off; then a read of what they have left. */
static enum wr_status begin_anew(struct ctx *ctx, struct database *db, const struct reach *reach, struct txn **txn)
{
    txn_abort(txn);
    if (db->read_only)
        return await_applied(ctx, db, reach, txn);
    engine_bar_backlog(db->engine, true);
    enum wr_status st = database_apply_put_off(ctx, db, reach);
    if (st == WR_OK)
        st = txn_begin_read(ctx, db->engine, txn);
    engine_bar_backlog(db->engine, false);
    return st;
}

enum wr_status database_begin_behind(struct ctx *ctx, struct database *db, const struct reach *reach, struct txn **txn)
{
    for (bool behind;;) {
        TRY(txn_is_behind(ctx, *txn, reach, &behind));
        if (!behind)
            return WR_OK;
        if (txn_is_still(*txn))
            TRY(begin_anew(ctx, db, reach, txn));
        else
            TRY(txn_catch_up(ctx, *txn, reach, 0, &behind));
    }
}

void database_enter_held(struct database *db, struct held_read *read)
{
    read->next = db->held.reads;
    read->at = &db->held.reads;
    if (read->next)
        read->next->at = &read->next;
    db->held.reads = read;
}

void database_leave_held(struct held_read *read)
{
    if (!read->at)
        return;
    *read->at = read->next;
    if (read->next)
        read->next->at = read->at;
    read->at = NULL;
}

enum wr_status database_begin_read(struct ctx *ctx, struct database *db, bool brief, struct txn **out, bool *own)
{
    struct txn *held = database_held(db);
    *own = true;
    if (!held)
        return (brief ? txn_begin_brief : txn_begin_read)(ctx, db->engine, out);
    *out = brief && !engine_had_backlog(db->engine) ? txn_share_held(ctx, held) : NULL; /* what is put off is applied by a write */
    if (*out)
        return WR_OK;
    *own = false;
    TRY(txn_keep(ctx, held));
    *out = held;
    return WR_OK;
}
