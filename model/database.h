/*
 * database.h - struct database: an engine, the current schema snapshot and what statements share. wr_db stands on it.
 */
#ifndef WR_MODEL_DATABASE_H
#define WR_MODEL_DATABASE_H

#include <pthread.h>
#include <stdatomic.h>

#include "model/clients.h"
#include "model/forks.h"
#include "model/listeners.h"
#include "model/plan.h"
#include "model/sweeper.h"
#include "model/turn.h"

struct host_function;

/* A read in a held write: part of whoever reads, told when the write ends, and its transaction with it. */
struct held_read {
    struct held_read *next, **at; /* at NULL: in no write */
    void (*end)(struct held_read *read);
};

/* The write that database_hold keeps open. */
struct held_write {
    struct txn *_Atomic txn;      /* used by its thread alone; NULL: none is open */
    _Atomic(pthread_t) thread;    /* set before txn; others read it to see that it is not they */
    bool takes_space;             /* something in it may not take a full disk's last pages (ctx.h) */
    enum wr_status status;        /* the first failure of a write in it, which may have left half of it behind; */
    enum wr_status refused;       /* of what was refused before it wrote, or of a part: counts where body returns WR_OK */
    char error[ERROR_TEXT_MAX];   /* what the first of either said; "": nothing */
    struct held_read *reads;      /* that are open in it; its thread's, too */
};

struct database {
    struct engine *engine;
    _Atomic(struct schema *) schema;  /* current; replaced under schema_lock. Comparing with a snapshot one holds needs no lock */
    pthread_mutex_t schema_lock;
    pthread_rwlock_t schema_gate;     /* held shared by every write, exclusively by a schema change until its snapshot is in place */
    _Atomic int64_t last_timeuuid_us; /* of now() (timeuuid.h) */
    struct host_function *_Atomic functions; /* of the host, newest first (host.h) */
    _Atomic uint32_t refs;            /* handles on it */
    struct held_write held;
    struct turn turn;                 /* of who holds such a write, or applies what was put off for a read: so that one waits for the other with an end */
    struct listeners listeners;       /* who is told of changes of the schema */
    struct sweeper sweeper;
    struct clients clients;           /* who is connected, where somebody serves it */
    _Atomic uint32_t nodes;           /* healthy ones, which consistency levels are checked against (consistency.h) */
    _Atomic uint64_t mutation_bytes;  /* one that is larger is refused; 0: none is (mutation_size.h) */
    _Atomic uint32_t tombstones_warned, tombstones_refused; /* of more than so many a read warns, or fails; 0: never (read_command.h) */
    bool read_only;
    uint32_t forks;                   /* that had led to the process when that opened it */
    _Atomic bool schema_changes;      /* a change may have been committed whose snapshot is not in place yet */
    _Atomic uint64_t schema_commit;   /* read-only: a commit that has the current one; another process makes them */
    _Atomic bool masking;             /* dynamic data masking is on (wr_set_masking) */
};

/* Opens an engine's database: an empty one gets the system tables, another is read (catalog.h). One reference, the caller's. */
enum wr_status database_open(struct ctx *ctx, const struct engine_options *options, struct database **out);
struct database *database_acquire(struct database *db);
void database_release(struct database *db); /* the last one closes, where it is this process's; NULL is fine */
static inline bool database_is_parents(const struct database *db) /* opened before a fork: nothing may be done with it here */
{
    return db->forks != forks_so_far();
}
#define DATABASE_IS_PARENTS "the database was opened before this process was forked, and is its parent's"
struct schema *database_schema(struct database *db); /* with a reference of the caller's own */
bool database_schema_is(struct database *db, const struct schema *schema); /* whether it is the current one */
enum wr_status database_require_keyspace(struct ctx *ctx, struct database *db, struct slice name); /* as USE does */

/*
 * What is read is of one schema: a change that comes between choosing what to read and beginning to has changed the data too, and what it dropped goes
 * away bit by bit. So who has begun in a transaction of his own asks whether that has the schema he knows. *outdated: it has not, and is ended, and
 * the database has the one that follows.
 */
enum wr_status database_compare_schema(struct ctx *ctx, struct database *db, const struct schema *schema, struct txn **txn, bool *outdated);
static inline enum wr_status database_look_at_schema(struct ctx *ctx, struct database *db, const struct schema *schema, struct txn **txn, bool *outdated)
{
    *outdated = false;
    if (!db->read_only && !atomic_load_explicit(&db->schema_changes, memory_order_acquire) && database_schema_is(db, schema)) /* in that order */
        return WR_OK;
    return database_compare_schema(ctx, db, schema, txn, outdated);
}
/* Read-only, where another process may write: the schema is the newest one, before anything is looked up in it. Otherwise nothing. */
enum wr_status database_renew_schema(struct ctx *ctx, struct database *db);

/* Runs body in a write transaction and commits, again from the start where the map had to grow; under the schema gate, which is
 * taken exclusively for a schema change. What body changed is visible when it returns WR_OK, and listeners have been told; of a schema also where
 * the change could not be synced, since the data is as it has it. */
enum write_kind {
    WRITE_STATEMENT, /* one write of data: may share the data file's transaction with others (engine_write_gathered) */
    WRITE_ALONE,     /* the same of which nobody knows how long it takes: in a transaction of its own, so that whoever reads does not wait for it */
    WRITE_HELD,      /* as WRITE_STATEMENT for many of them as one (engine_write_held) */
    WRITE_SCHEMA
};
enum wr_status database_write(struct ctx *ctx, struct database *db, enum write_kind kind,
                              enum wr_status (*body)(struct ctx *ctx, struct txn *txn, void *arg), void *arg,
                              struct schema **next_schema);

/* database_write in which everything the thread does to this database is one transaction: database_held gives it. Where a write in it
 * fails, half of it may have been left behind, so the whole fails. */
enum wr_status database_hold(struct ctx *ctx, struct database *db, enum wr_status (*body)(void *arg), void *arg);
static inline struct txn *database_held(struct database *db) /* this thread's; NULL: none */
{
    struct txn *txn = atomic_load(&db->held.txn);
    return txn && pthread_equal(atomic_load(&db->held.thread), pthread_self()) ? txn : NULL;
}
enum wr_status database_held_part(const struct ctx *ctx, struct database *db, enum wr_status st); /* returns st, which fails the whole where one is held and it is a failure */
/* Where to read: *own tells that it is the caller's, to be aborted; else it is the held one, whose writes are seen as they come. */
enum wr_status database_begin_read(struct ctx *ctx, struct database *db, bool brief, struct txn **out, bool *own); /* brief: as txn_begin_brief */
/* Before anything is read: rows of what is about to be that were put off (engine.h) are applied, and *txn is one that has them, another than it was. After
 * a failure it may be NULL. */
enum wr_status database_begin_behind(struct ctx *ctx, struct database *db, const struct reach *reach, struct txn **txn);
static inline enum wr_status database_catch_up(struct ctx *ctx, struct database *db, const struct reach *reach, struct txn **txn)
{
    return engine_had_backlog(db->engine) ? database_begin_behind(ctx, db, reach, txn) : WR_OK; /* mostly there has been none */
}
/* The first half of it; of all tables where reach has none. While engine_bar_backlog holds others back, nothing is put off when it returns.
 * WR_BUSY: another thread's database_hold has not ended for database_turn_ms, which tests set. */
extern int database_turn_ms;
enum wr_status database_apply_put_off(struct ctx *ctx, struct database *db, const struct reach *reach);
/* Of a read that may outlast body: before the write ends it leaves, or its end is called, after which it has left. */
void database_enter_held(struct database *db, struct held_read *read);
void database_leave_held(struct held_read *read); /* which may be in none */

#endif
