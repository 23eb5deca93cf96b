#include "engine/gather.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/statvfs.h>

#include "engine/keeper.h"
#include "engine/logfile.h"
#include "engine/map.h"
#include "engine/recovery.h"

enum {
    WRITES_MOST = 8192,   /* in a session */
    SESSION_MS = 50,      /* until what is acknowledged is in the data file, with nobody asking for it */
    AGAIN_MS = 2,         /* where somebody writes just then */
    FAILED_MS = 1000,     /* where it failed: who reads or writes tries, too */
    LOG_SPARE = 128 << 10 /* mode full: a half with less room than this is done; a larger write is a commit and a sync point of its own */
};
#define DISK_LEAST (UINT64_C(64) << 20) /* a session's pages are written at its end, and there must be room for them */

int gather_after = 16;

struct gather {
    struct store *store;
    struct syncer *durability;
    uint8_t database_id[DATABASE_ID_BYTES];
    bool full; /* the mode */

    atomic_int streak; /* writes that were not gathered, since the last read; mode full: since the database was opened */
    atomic_bool open;  /* there is a session */
    /* Places in the log: until where writes are acknowledged, and are in the data file. */
    _Atomic uint64_t acknowledged, flushed;
    _Atomic uint64_t vouched; /* mode full: what there is up to this commit is synced, in the log or with the data file */

    pthread_mutex_t turn_lock;
    pthread_cond_t turn_taken;
    atomic_uint waiting; /* who wants the writer's turn */

    pthread_mutex_t lock; /* of who writes or flushes, and of all below */
    struct logfile file;
    struct txn *txn; /* NULL: none is open */
    struct journal journal;
    size_t mark;  /* where the record of the write begins; all before it is put, */
    uint64_t put; /* until this place */
    uint64_t chain, number, half_base;
    uint64_t chain_commit; /* the data file's last commit, where the chain may go on; 0: it may not */
    size_t session_at;     /* where its records begin, and their first number */
    uint64_t session_number;
    uint32_t writes; /* in the session */
    uint64_t commit_id; /* the keeper's last */

    struct keeper *keeper; /* NULL: not yet needed */
};

/* Who has the keeper's orders done: ask or, for the keeper himself, obey. */
typedef enum wr_status giver(struct ctx *ctx, struct gather *g, enum order order);

static bool is_pending(const struct gather *g)
{
    return g->put != atomic_load_explicit(&g->flushed, memory_order_relaxed);
}

/* ---- the keeper's part: LMDB's transactions ---- */

static enum wr_status keep_begin(struct ctx *ctx, struct gather *g)
{
    TRY(store_begin_kept(ctx, g->store, &g->txn));
    bool is_new = g->durability && !is_pending(g); /* what was acknowledged is done again for readers, whatever failed since */
    enum wr_status st = is_new ? durability_begin(ctx, g->durability) : WR_OK;
    if (st != WR_OK)
        txn_abort(&g->txn);
    keeper_call_in(g->keeper, SESSION_MS * INT64_C(1000000));
    return st;
}

static enum wr_status keep_commit(struct ctx *ctx, struct gather *g)
{
    store_set_journal(g->txn, NULL);
    enum wr_status st = store_commit(ctx, &g->txn, &g->commit_id);
    if (st == WR_OK && g->durability)
        durability_note(ctx, g->durability, g->commit_id);
    return st;
}

static enum wr_status obey(struct ctx *ctx, struct gather *g, enum order order)
{
    switch (order) {
    case ORDER_BEGIN:
        return keep_begin(ctx, g);
    case ORDER_COMMIT:
        return keep_commit(ctx, g);
    case ORDER_ABORT:
        store_set_journal(g->txn, NULL);
        txn_abort(&g->txn);
        return WR_OK;
    case ORDER_NONE:
    case ORDER_STOP:
        break;
    }
    return WR_OK;
}

static enum wr_status ask(struct ctx *ctx, struct gather *g, enum order order)
{
    return keeper_ask(ctx, g->keeper, order);
}

static enum wr_status obey_keeper(struct ctx *ctx, void *arg, enum order order)
{
    return obey(ctx, arg, order);
}

static enum wr_status flush_locked(struct ctx *ctx, struct gather *g, giver *order);

/* Nobody has asked for what is acknowledged, and it has waited long enough. */
static int64_t flush_idle(struct ctx *ctx, void *arg)
{
    struct gather *g = arg;

    if (!atomic_load(&g->open))
        return KEEPER_NEVER;
    if (pthread_mutex_trylock(&g->lock) != 0)
        return AGAIN_MS * INT64_C(1000000);
    enum wr_status st = flush_locked(ctx, g, obey);
    pthread_mutex_unlock(&g->lock);
    return st == WR_OK ? KEEPER_NEVER : FAILED_MS * INT64_C(1000000);
}

static enum wr_status have_keeper(struct ctx *ctx, struct gather *g)
{
    const struct keeper_work work = { g, obey_keeper, flush_idle };
    return g->keeper ? WR_OK : keeper_start(ctx, &work, &g->keeper);
}

/* ---- the turn of writers ---- */

static enum wr_status asked(struct ctx *ctx, void *arg)
{
    struct gather *g = arg;

    atomic_fetch_add(&g->waiting, 1);
    if (!atomic_load(&g->open))
        return WR_OK;
    if (pthread_mutex_lock(&g->lock) == EDEADLK)
        return fail(ctx, WR_MISUSE, "this thread has a write transaction open already");
    enum wr_status st = flush_locked(ctx, g, ask);
    pthread_mutex_unlock(&g->lock);
    return st;
}

static void taken(void *arg)
{
    struct gather *g = arg;

    pthread_mutex_lock(&g->turn_lock);
    if (atomic_fetch_sub(&g->waiting, 1) == 1)
        pthread_cond_broadcast(&g->turn_taken);
    pthread_mutex_unlock(&g->turn_lock);
}

/* Mode full: nobody goes another way, with a sync point of his own, only because somebody is about to take the turn. */
static void let_others_begin(struct gather *g)
{
    if (!g->full || !atomic_load(&g->waiting))
        return;
    pthread_mutex_lock(&g->turn_lock);
    while (atomic_load(&g->waiting))
        pthread_cond_wait(&g->turn_taken, &g->turn_lock);
    pthread_mutex_unlock(&g->turn_lock);
}

/* ---- opening ---- */

static void init_locks(struct gather *g)
{
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK); /* a thread within its own write is told */
    pthread_mutex_init(&g->lock, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_mutex_init(&g->turn_lock, NULL);
    pthread_cond_init(&g->turn_taken, NULL);
}

static void abandon(void *arg);

enum wr_status gather_open(struct ctx *ctx, struct store *store, struct syncer *durability, const struct folder *folder,
                           const uint8_t database_id[DATABASE_ID_BYTES], struct gather **out)
{
    struct gather *g = mem_alloc(sizeof *g);

    if (!g)
        return fail_nomem(ctx);
    g->store = store;
    g->durability = durability;
    g->full = durability && durability_is_full(durability);
    memcpy(g->database_id, database_id, DATABASE_ID_BYTES);
    g->journal.abandon = abandon;
    g->journal.arg = g;
    logfile_init(&g->file, durability ? folder : NULL, g->full);
    init_locks(g);
    store_set_turn_hooks(store, (struct turn_hooks){ g, asked, taken });
    *out = g;
    return WR_OK;
}

/* ---- sessions: with g->lock held ---- */

static void end_session(struct gather *g)
{
    atomic_store(&g->flushed, g->put);
    atomic_store(&g->open, false);
}

static enum wr_status sync_log(struct ctx *ctx, struct gather *g, uint64_t place)
{
    enum wr_status st = logfile_sync(ctx, &g->file, place);
    if (st != WR_OK)
        durability_fail(g->durability);
    return st;
}

/* The log goes on in this half, as a chain of its own or the one before. */
static void begin_half(struct gather *g, unsigned half, bool goes_on, uint64_t base)
{
    if (!goes_on)
        g->chain = log_new_chain();
    g->half_base = base;
    logfile_turn(&g->file, half);
    log_begin(g->file.bytes, g->database_id, &(struct log_head){ g->chain, base, g->number });
    g->mark = LOG_HEAD;
}

/* What the log holds may be needed after a loss of power. *reach: no session can begin before a sync point has covered that commit. */
static bool begin_full(struct gather *g, uint64_t base, uint64_t *reach)
{
    bool goes_on = base == g->chain_commit, has_room = LOG_BYTES - g->mark >= LOG_SPARE;

    if (goes_on && has_room)
        return true;
    *reach = goes_on ? g->half_base : base;
    if (!durability_has(g->durability, *reach))
        return false;
    *reach = 0;
    begin_half(g, goes_on && !g->file.half, goes_on, base);
    if (goes_on)
        durability_hurry(g->durability);
    return true;
}

static bool begin_session(struct gather *g, uint64_t *reach)
{
    uint64_t base = store_base(g->txn);

    if (!g->full)
        begin_half(g, 0, false, base);
    else if (!begin_full(g, base, reach))
        return false;
    else
        g->chain_commit = base;
    g->session_at = g->mark;
    g->session_number = g->number;
    g->writes = 0;
    atomic_store(&g->open, true);
    return true;
}

static struct log_walk session_records(const struct gather *g)
{
    struct slice records = slice_of(g->file.bytes + g->session_at, g->mark - g->session_at);
    return (struct log_walk){ .rest = records, .chain = g->chain, .number = g->session_number };
}

/* A transaction that holds what is pending. *reach not 0: see begin_full. */
static enum wr_status have_txn(struct ctx *ctx, struct gather *g, giver *order, uint64_t *reach)
{
    *reach = 0;
    if (g->txn)
        return WR_OK;
    TRY(order(ctx, g, ORDER_BEGIN));
    if (!is_pending(g))
        return begin_session(g, reach) ? WR_OK : order(ctx, g, ORDER_ABORT);
    enum wr_status st = recovery_replay(ctx, g->txn, session_records(g));
    if (st != WR_OK)
        order(ctx, g, ORDER_ABORT);
    return st;
}

/* What could not be synced was told as failed, and is taken out. */
static void forget_unsynced(struct ctx *ctx, struct gather *g, giver *order)
{
    if (g->txn)
        order(ctx, g, ORDER_ABORT);
    size_t end = logfile_forget(&g->file);
    g->mark = end > g->session_at ? end : g->session_at;
    g->put = end > g->session_at ? g->file.start + end : atomic_load(&g->flushed);
}

static enum wr_status flush_locked(struct ctx *ctx, struct gather *g, giver *order)
{
    struct ctx quiet = *ctx; /* who waits for the sync is told of its failure */
    uint64_t reach;

    if (!atomic_load(&g->open))
        return WR_OK;
    if (sync_log(&quiet, g, g->put) != WR_OK)
        forget_unsynced(&quiet, g, order);
    if (!is_pending(g)) {
        if (g->txn)
            order(ctx, g, ORDER_ABORT);
        end_session(g);
        return WR_OK;
    }
    for (;;) {
        uint64_t seen_bytes = map_bytes(g->store);
        enum wr_status st = have_txn(ctx, g, order, &reach);
        if (st == WR_OK)
            st = order(ctx, g, ORDER_COMMIT);
        if (st == WR_OK) {
            g->chain_commit = g->commit_id;
            atomic_store(&g->vouched, g->commit_id);
            end_session(g);
            return WR_OK;
        }
        if (st != WR_FULL)
            return st;
        TRY(map_grow(ctx, g->store, seen_bytes));
    }
}

/* ---- writes ---- */

static bool disk_has_room(const struct gather *g)
{
    struct statvfs fs;
    if (!g->file.folder)
        return true;
    return fstatvfs(g->file.fd, &fs) == 0 && (uint64_t)fs.f_bavail * fs.f_frsize >= DISK_LEAST;
}

static bool may_begin(struct ctx *ctx, struct gather *g)
{
    if (!g->full && atomic_load(&g->waiting))
        return false;
    return atomic_load(&g->open) || (logfile_make(&g->file) && disk_has_room(g) && have_keeper(ctx, g) == WR_OK);
}

/* With g->lock held. */
static enum wr_status begin_locked(struct ctx *ctx, struct gather *g, uint64_t *reach)
{
    if (g->full && atomic_load(&g->open) && LOG_BYTES - g->mark < LOG_SPARE)
        TRY(flush_locked(ctx, g, ask));
    return have_txn(ctx, g, ask, reach);
}

static void begin_record(struct gather *g, struct txn **out)
{
    struct journal *j = &g->journal;

    j->bytes = g->file.bytes;
    j->room = LOG_BYTES - LOG_RECORD_TAIL;
    j->overflow = j->room - g->mark < LOG_RECORD_HEAD;
    j->reserved = NULL;
    j->len = g->mark + (j->overflow ? 0 : LOG_RECORD_HEAD);
    store_set_journal(g->txn, j);
    *out = g->txn;
}

enum wr_status gather_begin(struct ctx *ctx, struct gather *g, struct txn **out)
{
    uint64_t reach = 0;

    *out = NULL;
    if (!atomic_load(&g->open) && atomic_load(&g->streak) < gather_after)
        return WR_OK;
    for (;;) {
        if (g->durability)
            TRY(durability_check(ctx, g->durability));
        let_others_begin(g);
        if (pthread_mutex_lock(&g->lock) == EDEADLK)
            return fail(ctx, WR_MISUSE, "this thread has a write transaction open already");
        if (!may_begin(ctx, g)) {
            pthread_mutex_unlock(&g->lock);
            return WR_OK;
        }
        enum wr_status st = begin_locked(ctx, g, &reach);
        if (st == WR_OK && !reach) {
            begin_record(g, out);
            return WR_OK;
        }
        pthread_mutex_unlock(&g->lock);
        TRY(st);
        TRY(durability_reach(ctx, g->durability, reach));
    }
}

/* By txn_abort. What the write has changed cannot be taken out of LMDB's transaction, so that is given up with it. */
static void abandon(void *arg)
{
    struct gather *g = arg;
    struct arena arena;
    struct ctx ctx;
    bool clean = g->journal.len <= g->mark + LOG_RECORD_HEAD && !g->journal.overflow;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    store_set_journal(g->txn, NULL);
    if (clean)
        store_tell_aborted(g->store);
    else
        ask(&ctx, g, ORDER_ABORT);
    if (!g->txn && !is_pending(g))
        end_session(g);
    else if (atomic_load(&g->waiting))
        flush_locked(&ctx, g, ask); /* who comes next is told of a failure */
    pthread_mutex_unlock(&g->lock);
    arena_release(&arena);
}

/* More than the log has room for: the data file takes it, and what was pending, at once. */
static enum wr_status commit_whole(struct ctx *ctx, struct gather *g)
{
    TRY(sync_log(ctx, g, g->put));
    TRY(ask(ctx, g, ORDER_COMMIT));
    g->chain_commit = 0;
    end_session(g);
    return WR_OK;
}

static void put_record(struct gather *g, size_t end)
{
    g->mark = log_seal(g->file.bytes, g->mark, end, g->chain, g->number++, store_base(g->txn) + 1);
    g->put = logfile_put(&g->file, g->mark);
    g->writes++;
    store_tell_committed(g->store);
}

/* Until that place in the log. Others may have come further. */
static void acknowledge(struct gather *g, uint64_t place)
{
    uint64_t before = atomic_load(&g->acknowledged);
    while (before < place && !atomic_compare_exchange_weak(&g->acknowledged, &before, place))
        ;
}

enum wr_status gather_commit(struct ctx *ctx, struct gather *g)
{
    struct journal *j = &g->journal;
    enum wr_status st = WR_OK;

    journal_settle(j);
    bool whole = j->overflow;
    store_set_journal(g->txn, NULL);
    if (whole)
        st = commit_whole(ctx, g);
    else if (j->len > g->mark + LOG_RECORD_HEAD) /* else it has written nothing */
        put_record(g, j->len);
    uint64_t place = g->put, commit_id = g->commit_id;
    if (!g->full)
        acknowledge(g, place);
    if (st == WR_OK && (g->writes >= WRITES_MOST || atomic_load(&g->waiting))) {
        struct ctx quiet = *ctx; /* the write stands; who comes next is told */
        flush_locked(&quiet, g, ask);
    }
    pthread_mutex_unlock(&g->lock);
    TRY(st);
    if (whole)
        return g->durability ? durability_wait(ctx, g->durability, commit_id) : WR_OK;
    TRY(sync_log(ctx, g, place)); /* also what it has only read, and others have written */
    acknowledge(g, place);
    if (g->durability)
        durability_pace(g->durability);
    return WR_OK;
}

/* ---- everybody else ---- */

enum wr_status gather_flush(struct ctx *ctx, struct gather *g)
{
    if (!atomic_load(&g->open) || pthread_mutex_lock(&g->lock) == EDEADLK)
        return WR_OK;
    enum wr_status st = flush_locked(ctx, g, ask);
    pthread_mutex_unlock(&g->lock);
    return st;
}

enum wr_status gather_before_read(struct ctx *ctx, struct gather *g)
{
    if (!g->full && atomic_load_explicit(&g->streak, memory_order_relaxed))
        atomic_store_explicit(&g->streak, 0, memory_order_relaxed);
    return atomic_load(&g->acknowledged) > atomic_load(&g->flushed) ? gather_flush(ctx, g) : WR_OK;
}

static bool is_safe(const struct gather *g, uint64_t commit_id)
{
    return atomic_load(&g->vouched) >= commit_id || durability_has(g->durability, commit_id);
}

void gather_after_begin(struct ctx *ctx, struct gather *g, uint64_t commit_id)
{
    struct ctx quiet = *ctx; /* after a failed sync reading goes on */

    if (!g->full || is_safe(g, commit_id))
        return;
    if (pthread_mutex_lock(&g->lock) == EDEADLK)
        return;
    pthread_mutex_unlock(&g->lock); /* who had made the commit has vouched for it, if it was gathered */
    if (!is_safe(g, commit_id) && !store_has_turn(g->store)) /* within a write there is nobody to wait for */
        durability_reach(&quiet, g->durability, commit_id);
}

void gather_missed(struct gather *g)
{
    atomic_fetch_add_explicit(&g->streak, 1, memory_order_relaxed);
}

void gather_close(struct gather *g)
{
    struct arena arena;
    struct ctx ctx;

    if (!g)
        return;
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    bool done = gather_flush(&ctx, g) == WR_OK && g->file.folder && durability_sync(&ctx, g->durability) == WR_OK;
    arena_release(&arena);
    keeper_stop(g->keeper);
    store_set_turn_hooks(g->store, (struct turn_hooks){ NULL, NULL, NULL });
    if (done)
        folder_discard_log(g->file.folder);
    logfile_release(&g->file);
    pthread_cond_destroy(&g->turn_taken);
    pthread_mutex_destroy(&g->turn_lock);
    pthread_mutex_destroy(&g->lock);
    mem_free(g);
}
