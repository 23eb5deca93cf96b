#include "engine/gather.h"

#include <errno.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "engine/fd.h"
#include "engine/gather_state.h"
#include "engine/rig.h"
#include "engine/thread.h"

enum {
    CHANGES_MOST = 8192,   /* of LMDB's in a session: each has a page or two of memory until its end */
    AGAIN_MS = 2,          /* where somebody writes just then */
    FAILED_MS = 1000,      /* where it failed: who reads or writes tries, too */
    CHANGES_BESIDE = 2000, /* of a write beside what others may wait to see: it takes some milliseconds */
    TRIES = 200,           /* to get the lock, before waiting for it, */
    YIELDS = 20,           /* of who writes with others let run in between: to sleep and be woken takes longer than most writes */
    FULL_SOONER = 4,       /* mode full: each write that is not gathered is two syncs */
};
#define DISK_LEAST (UINT64_C(64) << 20) /* a session's pages are written at its end, and there must be room for them */

/* ---- whether it pays ---- */

static bool is_worth(struct gather *g)
{
    if (rig.gather_after == 0)
        return true;
    if (g->stream.full)
        return atomic_load_explicit(&g->missed, memory_order_relaxed) >= rig.gather_after / FULL_SOONER;
    return credit_writes(&g->credit) >= rig.gather_after;
}

void gather_missed(struct gather *g)
{
    atomic_fetch_add_explicit(&g->missed, 1, memory_order_relaxed);
    credit_earn(&g->credit, false);
}

/* ---- locks ---- */

static enum wr_status fail_nested(struct ctx *ctx)
{
    return fail(ctx, WR_MISUSE, "this thread has a write transaction open already");
}

/* Who has it writes or reads for a microsecond or two, mostly, and might have it again before a thread that sleeps has woken up. */
static bool try_lock(struct gather *g)
{
    for (int i = 0; i < TRIES; i++) {
        if (pthread_mutex_trylock(&g->lock) == 0)
            return true;
        thread_relax();
    }
    return false;
}

/* Of those who write some may have to let others run before they get it. A read does not: it would be after all that want to. */
static int lock_to_write(struct gather *g)
{
    for (int i = 0; i < YIELDS; i++) {
        if (try_lock(g))
            return 0;
        sched_yield();
    }
    return pthread_mutex_lock(&g->lock);
}

/* The lock, when no write is held. */
static enum wr_status lock_free(struct ctx *ctx, struct gather *g)
{
    if (held_is_mine(g) || lock_to_write(g) == EDEADLK)
        return fail_nested(ctx);
    while (atomic_load(&g->held.is_open))
        pthread_cond_wait(&g->held.ended, &g->lock);
    return WR_OK;
}

/* What is pending goes into the data file. With the lock. */
static enum wr_status flush_locked(struct ctx *ctx, struct gather *g, giver *order)
{
    const struct held *h = &g->held;
    if (atomic_load(&h->is_open) && h->lost == WR_OK)
        return h->apart ? WR_OK : held_set_apart(ctx, g, order);
    return stream_flush(ctx, &g->stream, order);
}

/* ---- the keeper ---- */

static enum wr_status obey_keeper(struct ctx *ctx, void *arg, enum order order)
{
    struct gather *g = arg;
    return stream_obey(ctx, &g->stream, order);
}

/* Who lets more time pass between sync points wants fewer pages written: sessions are so much longer, but where another process would wait for what they
 * hold. */
static bool may_go_on(const struct stream *s)
{
    if (!s->txn || !s->file.folder)
        return false;
    int64_t most_ms = (int64_t)rig.gather_session_ms * durability_patience(s->durability);
    return clock_monotonic_ns() - s->begun_ns < most_ms * 1000000 && !folder_has_others(s->file.folder);
}

/* Nobody has asked for what is acknowledged, and it has waited long enough. With the lock; after how many ms it is looked at again. */
static int flush_old(struct ctx *ctx, struct gather *g)
{
    struct held *h = &g->held;
    bool goes_on = may_go_on(&g->stream);
    bool wait = atomic_load(&h->is_open) && (h->apart || !h->is_due); /* it mostly ends soon, and the session with it */
    h->is_due = wait && !goes_on;
    bool failed = !wait && !goes_on && flush_locked(ctx, g, stream_obey) != WR_OK;
    return failed ? FAILED_MS : rig.gather_session_ms;
}

static int64_t flush_idle(struct ctx *ctx, void *arg)
{
    struct gather *g = arg;

    if (pthread_mutex_trylock(&g->lock) != 0) /* with it a session begins: there may be one that nobody sees yet */
        return AGAIN_MS * INT64_C(1000000);
    int ms = gather_is_open(g) ? flush_old(ctx, g) : 0;
    bool goes_on = gather_is_open(g);
    pthread_mutex_unlock(&g->lock);
    return goes_on ? ms * INT64_C(1000000) : KEEPER_NEVER;
}

static enum wr_status have_keeper(struct ctx *ctx, struct gather *g)
{
    const struct keeper_work work = { g, obey_keeper, flush_idle };
    return g->stream.keeper ? WR_OK : keeper_start(ctx, &work, &g->stream.keeper);
}

/* ---- the turn of writers ---- */

static enum wr_status asked(struct ctx *ctx, void *arg)
{
    struct gather *g = arg;

    atomic_fetch_add(&g->waiting, 1);
    if (held_is_mine(g))
        return fail_nested(ctx);
    if (!gather_is_open(g))
        return WR_OK;
    TRY(lock_free(ctx, g));
    enum wr_status st = flush_locked(ctx, g, stream_ask);
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
    if (!g->stream.full || !atomic_load(&g->waiting))
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
    thread_cond_init(&g->held.ended);
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
    struct stream *s = &g->stream;
    s->store = store;
    s->durability = durability;
    s->full = durability && durability_is_full(durability);
    memcpy(s->database_id, database_id, DATABASE_ID_BYTES);
    logfile_init(&s->file, durability ? folder : NULL, s->full);
    g->journal = (struct journal){ .abandon = abandon, .arg = g };
    g->held.journal = (struct journal){ .grows = true, .abandon = abandon, .arg = g };
    init_locks(g);
    store_set_turn_hooks(store, (struct turn_hooks){ g, asked, taken });
    *out = g;
    return WR_OK;
}

/* ---- writes ---- */

/* As much as the data file may grow where the size of files is limited. */
static bool limit_has_room(const struct stream *s)
{
    struct stat file;
    return fstat(store_fd(s->store), &file) == 0 && fd_may_reach((uint64_t)file.st_size + DISK_LEAST);
}

/* Asked before the log is made, too, which would take what little there is. */
static bool disk_has_room(const struct stream *s)
{
    struct statvfs fs;
    if (!s->file.folder)
        return true;
    return fstatvfs(s->file.folder->fd, &fs) == 0 && (uint64_t)fs.f_bavail * fs.f_frsize >= DISK_LEAST && limit_has_room(s);
}

/* What is pending and has no transaction could not be committed: nothing more is acknowledged that nobody could read. With the lock. */
static enum wr_status commit_what_failed(struct ctx *ctx, struct stream *s)
{
    return stream_is_pending(s) && !s->txn ? stream_flush(ctx, s, stream_ask) : WR_OK;
}

static bool may_begin(struct ctx *ctx, struct gather *g)
{
    struct stream *s = &g->stream;

    if (!s->full && atomic_load(&g->waiting))
        return false;
    return gather_is_open(g) || (disk_has_room(s) && logfile_make(&s->file) && have_keeper(ctx, g) == WR_OK);
}

/* With the lock. */
static enum wr_status begin_locked(struct ctx *ctx, struct gather *g, uint64_t *reach)
{
    if (stream_wants_room(&g->stream))
        TRY(stream_flush(ctx, &g->stream, stream_ask));
    if (!gather_is_open(g))
        credit_begin_session(&g->credit);
    return stream_have_txn(ctx, &g->stream, stream_ask, reach);
}

static void begin_record(struct gather *g, struct txn **out)
{
    struct stream *s = &g->stream;
    struct journal *j = &g->journal;

    j->bytes = s->file.bytes;
    j->room = s->file.half_bytes - LOG_RECORD_TAIL;
    j->overflow = s->mark + LOG_RECORD_HEAD > j->room; /* the last record may have ended with the log */
    j->reserved = NULL;
    j->changes_left = stream_is_pending(s) ? CHANGES_BESIDE : UINT64_MAX;
    j->start = j->len = s->mark + (j->overflow ? 0 : LOG_RECORD_HEAD);
    store_set_journal(s->txn, j);
    *out = s->txn;
}

enum wr_status gather_begin(struct ctx *ctx, struct gather *g, struct txn **out)
{
    uint64_t reach = 0;

    *out = NULL;
    if (!gather_is_open(g) && !is_worth(g))
        return WR_OK;
    for (;;) {
        if (g->stream.durability)
            TRY(durability_check(ctx, g->stream.durability));
        let_others_begin(g);
        TRY(lock_free(ctx, g));
        enum wr_status st = commit_what_failed(ctx, &g->stream);
        if (st != WR_OK || !may_begin(ctx, g)) {
            pthread_mutex_unlock(&g->lock);
            return st;
        }
        st = begin_locked(ctx, g, &reach);
        if (st == WR_OK && !reach) {
            begin_record(g, out);
            return WR_OK;
        }
        pthread_mutex_unlock(&g->lock);
        TRY(st);
        TRY(durability_reach(ctx, g->stream.durability, reach));
    }
}

/* By txn_abort. What the write has changed cannot be taken out of LMDB's transaction, so that is given up with it, and what is pending
 * done again: at once and for good, so that however many writes fail, none is done again more than once. */
static void abandon(void *arg)
{
    struct gather *g = arg;
    struct stream *s = &g->stream;
    struct arena arena;
    struct ctx ctx;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    bool clean = !store_is_dirty(s->txn) && !store_has_failed(s->txn);
    store_set_journal(s->txn, NULL);
    if (clean && gather_is_open(g))
        store_tell_aborted(s->store);
    else
        stream_ask(&ctx, s, ORDER_ABORT);
    if (!stream_is_pending(s) && !s->txn)
        stream_end(s);
    else if (!clean || atomic_load(&g->waiting))
        flush_locked(&ctx, g, stream_ask); /* who comes next is told of a failure */
    pthread_mutex_unlock(&g->lock);
    arena_release(&arena);
}

/* What the held write has in its own memory becomes a record, where the log has room for it. */
static void move_to_log(struct gather *g, struct journal *from)
{
    struct txn *txn;
    begin_record(g, &txn);
    struct journal *j = &g->journal;

    j->overflow |= from->overflow || j->room - j->len < from->len;
    if (j->overflow || !from->len)
        return;
    memcpy(j->bytes + j->len, from->bytes, from->len);
    j->len += from->len;
}

/* Until that place in the log. Others may have come further. */
static void acknowledge(struct gather *g, uint64_t place)
{
    uint64_t before = atomic_load(&g->acknowledged);
    while (before < place && !atomic_compare_exchange_weak(&g->acknowledged, &before, place))
        ;
}

/* Gives whether the write is too large for the log, and gone into the data file. */
static enum wr_status keep_what_was_written(struct ctx *ctx, struct gather *g, bool *whole)
{
    struct stream *s = &g->stream;
    bool dirty = store_is_dirty(s->txn), was_held = store_journal(s->txn) == &g->held.journal;

    journal_settle(was_held ? &g->held.journal : &g->journal);
    if (was_held)
        move_to_log(g, &g->held.journal);
    store_set_journal(s->txn, NULL);
    *whole = dirty && g->journal.overflow;
    if (*whole)
        return stream_commit_whole(ctx, s);
    if (dirty)
        stream_put(s, g->journal.len);
    else if (!gather_is_open(g))
        return stream_ask(ctx, s, ORDER_ABORT);
    return WR_OK;
}

enum wr_status gather_commit(struct ctx *ctx, struct gather *g)
{
    struct stream *s = &g->stream;
    bool whole;
    enum wr_status st = keep_what_was_written(ctx, g, &whole);
    uint64_t place = s->put, commit_id = s->commit_id;

    if (!s->full)
        acknowledge(g, place);
    credit_earn(&g->credit, true);
    if (st == WR_OK && ((s->txn && store_changes(s->txn) >= CHANGES_MOST) || g->held.is_due || atomic_load(&g->waiting))) {
        struct ctx quiet; /* the write stands; who comes next is told */
        ctx_init(&quiet, ctx->arena);
        flush_locked(&quiet, g, stream_ask);
    }
    g->held.is_due = false;
    pthread_mutex_unlock(&g->lock);
    TRY(st);
    if (whole)
        return s->durability ? durability_wait(ctx, s->durability, commit_id) : WR_OK;
    TRY(stream_sync(ctx, s, place)); /* also what it has only read, and others have written */
    acknowledge(g, place);
    if (s->durability)
        durability_pace(s->durability);
    return WR_OK;
}

/* ---- everybody else ---- */

enum wr_status gather_flush(struct ctx *ctx, struct gather *g)
{
    if (!gather_is_open(g))
        return WR_OK;
    atomic_fetch_add(&g->flushing, 1);
    int code = pthread_mutex_lock(&g->lock);
    atomic_fetch_sub(&g->flushing, 1);
    if (code == EDEADLK)
        return WR_OK;
    held_await(g);
    enum wr_status st = flush_locked(ctx, g, stream_ask);
    pthread_mutex_unlock(&g->lock);
    return st;
}

/* What is acknowledged is not all in the data file. */
static bool has_more(struct gather *g)
{
    return atomic_load(&g->acknowledged) > atomic_load(&g->stream.flushed);
}

enum wr_status gather_before_read(struct ctx *ctx, struct gather *g, bool brief)
{
    if (brief)
        credit_spend(&g->credit);
    else
        credit_halve(&g->credit);
    return has_more(g) ? gather_flush(ctx, g) : WR_OK;
}

/* With the lock: all that the transaction holds may be seen. What others still wait for is synced for that, as it would be to commit it; but where
 * many want the lock, it is committed, and they read side by side. */
static bool may_be_shared(struct ctx *ctx, struct gather *g, bool crowded)
{
    struct stream *s = &g->stream;

    if (!s->txn || !has_more(g) || atomic_load(&g->held.is_open))
        return false;
    if (atomic_load(&g->acknowledged) == s->put)
        return true;
    if (crowded)
        return false;
    struct ctx quiet; /* whose write it is is told */
    ctx_init(&quiet, ctx->arena);
    if (stream_sync(&quiet, s, s->put) != WR_OK)
        return false;
    acknowledge(g, s->put);
    return true;
}

void gather_give_up_failed(struct gather *g)
{
    struct arena arena;
    struct ctx ctx;

    if (!store_has_failed(g->stream.txn))
        return;
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    if (held_is_mine(g))
        held_lose(&ctx, g, stream_ask, fail_corrupt(&ctx, "a page that was read"));
    else
        stream_ask(&ctx, &g->stream, ORDER_ABORT);
    arena_release(&arena);
}

static void end_sharing(void *arg)
{
    struct gather *g = arg;

    gather_give_up_failed(g);
    pthread_mutex_unlock(&g->lock);
}

struct txn *gather_share(struct ctx *ctx, struct gather *g)
{
    if (!has_more(g) || !credit_is_left(&g->credit))
        return NULL;
    bool waits = pthread_mutex_trylock(&g->lock) != 0;
    if (waits) {
        credit_spend_for_waiting(&g->credit);
        if (!try_lock(g) && pthread_mutex_lock(&g->lock) == EDEADLK)
            return NULL;
    }
    if (may_be_shared(ctx, g, waits)) {
        credit_spend(&g->credit);
        store_hold_still(g->stream.txn, end_sharing, g);
        return g->stream.txn;
    }
    pthread_mutex_unlock(&g->lock);
    return NULL;
}

static bool is_safe(const struct stream *s, uint64_t commit_id)
{
    return atomic_load(&s->vouched) >= commit_id || durability_has(s->durability, commit_id);
}

static void await_safe(struct ctx *ctx, struct gather *g, uint64_t commit_id)
{
    struct stream *s = &g->stream;
    struct ctx quiet; /* after a failed sync reading goes on */

    if (pthread_mutex_lock(&g->lock) == EDEADLK)
        return;
    pthread_mutex_unlock(&g->lock); /* who had made the commit has vouched for it, if it was gathered */
    if (is_safe(s, commit_id))
        return;
    ctx_init(&quiet, ctx->arena);
    durability_reach(&quiet, s->durability, commit_id);
}

static enum wr_status wait_for_sync(struct ctx *ctx, struct gather *g, struct txn **txn)
{
    struct stream *s = &g->stream;
    uint64_t commit_id = store_snapshot(*txn);

    if (is_safe(s, commit_id) || held_is_mine(g) || store_has_turn(s->store)) /* within a write there is nobody to wait for */
        return WR_OK;
    store_step_aside(*txn); /* or who syncs, or has the lock, would wait for a map that is not moved before this read has ended */
    await_safe(ctx, g, commit_id);
    return store_step_back(ctx, txn);
}

enum wr_status gather_after_begin(struct ctx *ctx, struct gather *g, struct txn **txn)
{
    return g->stream.full ? wait_for_sync(ctx, g, txn) : WR_OK;
}

void gather_close(struct gather *g)
{
    struct arena arena;
    struct ctx ctx;

    if (!g)
        return;
    struct stream *s = &g->stream;
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    bool done = gather_flush(&ctx, g) == WR_OK && s->file.folder && durability_sync(&ctx, s->durability) == WR_OK;
    arena_release(&arena);
    keeper_stop(s->keeper);
    store_set_turn_hooks(s->store, (struct turn_hooks){ NULL, NULL, NULL });
    if (done)
        folder_discard_log(s->file.folder);
    logfile_release(&s->file);
    mem_free(g->held.journal.bytes);
    pthread_cond_destroy(&g->held.ended);
    pthread_cond_destroy(&g->turn_taken);
    pthread_mutex_destroy(&g->turn_lock);
    pthread_mutex_destroy(&g->lock);
    mem_free(g);
}
