#include "engine/gather.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "engine/log.h"

enum {
    WRITES_MOST = 8192, /* in a session */
    SESSION_MS = 50,    /* until what is acknowledged is in the data file, with nobody asking for it */
    AGAIN_MS = 2,       /* where somebody writes just then */
    FAILED_MS = 1000,   /* where it failed: who reads or writes tries, too */
};
#define DISK_LEAST (UINT64_C(64) << 20) /* a session's pages are written at its end, and there must be room for them */

int gather_after = 16;

enum order { ORDER_NONE, ORDER_BEGIN, ORDER_COMMIT, ORDER_ABORT, ORDER_STOP };

struct gather {
    struct store *store;
    struct syncer *durability;
    const struct folder *folder; /* NULL: in memory */
    uint8_t database_id[DATABASE_ID_BYTES];
    int fd; /* of the log; -1: none */
    uint8_t *log;
    bool no_log; /* there can be none here: nothing is gathered */

    atomic_int streak;   /* writes since the last read */
    atomic_uint waiting; /* who wants the writer's turn */
    atomic_bool open;    /* there is a session */
    atomic_bool pending; /* something acknowledged is not in the data file */

    pthread_mutex_t lock; /* of who writes or flushes, and of all below */
    struct txn *txn;      /* NULL: none is open */
    struct journal journal;
    size_t mark; /* where the record of the write begins */
    uint64_t session, commit_id;
    uint32_t writes; /* acknowledged in the session */

    pthread_mutex_t order_lock;
    pthread_cond_t changed;
    enum order order;
    enum wr_status outcome;
    char *error;          /* of the outcome, in the keeper's memory until the next order */
    int64_t due_ns;
    bool has_thread;
    pthread_t thread;
};

/* Who has the keeper's orders done: ask or, for the keeper himself, obey. */
typedef enum wr_status giver(struct ctx *ctx, struct gather *g, enum order order);

/* ---- after a crash ---- */

static enum wr_status replay(struct ctx *ctx, struct txn *txn, struct slice records, uint64_t session)
{
    struct slice changes;
    for (uint32_t n = 0; log_next(&records, session, n, &changes); n++)
        TRY(store_replay(ctx, txn, changes));
    return WR_OK;
}

static enum wr_status give_back(struct ctx *ctx, struct gather *g, struct slice records, uint64_t session)
{
    struct txn *txn = NULL;
    struct slice rest = records, changes;
    enum wr_status st;

    if (slice_is_null(records) || !log_next(&rest, session, 0, &changes))
        return WR_OK;
    for (;;) {
        uint64_t seen_bytes = store_map_bytes(g->store), commit_id;
        TRY(store_begin_write(ctx, g->store, &txn));
        st = g->durability ? durability_begin(ctx, g->durability) : WR_OK;
        if (st == WR_OK)
            st = replay(ctx, txn, records, session);
        if (st == WR_OK)
            st = store_commit(ctx, &txn, &commit_id);
        txn_abort(&txn);
        if (st == WR_OK && g->durability)
            return durability_committed(ctx, g->durability, commit_id);
        if (st != WR_FULL)
            return st;
        TRY(store_grow(ctx, g->store, seen_bytes));
    }
}

static enum wr_status recover(struct ctx *ctx, struct gather *g)
{
    uint64_t session;
    uint8_t *bytes;
    size_t len;
    enum wr_status st = log_read(ctx, g->folder, &bytes, &len);

    if (st == WR_OK && bytes) {
        struct slice records = log_records(slice_of(bytes, len), g->database_id, store_last_commit(g->store), &session);
        st = give_back(ctx, g, records, session);
    }
    mem_free(bytes);
    return st;
}

enum wr_status gather_check_log(struct ctx *ctx, struct store *store, const struct folder *folder,
                                const uint8_t database_id[DATABASE_ID_BYTES])
{
    uint64_t session;
    uint8_t *bytes;
    size_t len;

    if (folder_has_writer(folder))
        return WR_OK;
    enum wr_status st = log_read(ctx, folder, &bytes, &len);
    if (st == WR_OK && bytes) {
        struct slice rest = log_records(slice_of(bytes, len), database_id, store_last_commit(store), &session), changes;
        if (!slice_is_null(rest) && log_next(&rest, session, 0, &changes))
            st = fail(ctx, WR_BUSY, "the database was not closed by a process that is gone; it must be opened for writing once");
    }
    mem_free(bytes);
    return st;
}

/* ---- opening ---- */

/* Memory that outlives the process, with room on the disk for all of it: writing to it cannot fail. */
static bool map_log(struct gather *g)
{
    int flags = g->folder ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;

    if (g->log || g->no_log)
        return !g->no_log;
    if (g->folder)
        g->fd = open(g->folder->log_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    bool fits = !g->folder || (g->fd >= 0 && fallocate(g->fd, 0, 0, LOG_BYTES) == 0);
    void *at = fits ? mmap(NULL, LOG_BYTES, PROT_READ | PROT_WRITE, flags, g->fd, 0) : MAP_FAILED;
    g->no_log = at == MAP_FAILED;
    g->log = g->no_log ? NULL : at;
    return !g->no_log;
}

static void abandon(void *arg);
static enum wr_status flush_locked(struct ctx *ctx, struct gather *g, giver *order);
static enum wr_status ask(struct ctx *ctx, struct gather *g, enum order order);

static void init_locks(struct gather *g)
{
    pthread_mutexattr_t mutex_attr;
    pthread_condattr_t cond_attr;

    pthread_mutexattr_init(&mutex_attr);
    pthread_mutexattr_settype(&mutex_attr, PTHREAD_MUTEX_ERRORCHECK); /* a thread within its own write is told */
    pthread_mutex_init(&g->lock, &mutex_attr);
    pthread_mutexattr_destroy(&mutex_attr);
    pthread_mutex_init(&g->order_lock, NULL);
    pthread_condattr_init(&cond_attr);
    pthread_condattr_setclock(&cond_attr, CLOCK_MONOTONIC);
    pthread_cond_init(&g->changed, &cond_attr);
    pthread_condattr_destroy(&cond_attr);
}

static void destroy(struct gather *g)
{
    if (g->log)
        munmap(g->log, LOG_BYTES);
    if (g->fd >= 0)
        close(g->fd);
    pthread_cond_destroy(&g->changed);
    pthread_mutex_destroy(&g->order_lock);
    pthread_mutex_destroy(&g->lock);
    mem_free(g);
}

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
    atomic_fetch_sub(&g->waiting, 1);
}

enum wr_status gather_open(struct ctx *ctx, struct store *store, struct syncer *durability, const struct folder *folder,
                           const uint8_t database_id[DATABASE_ID_BYTES], struct gather **out)
{
    struct gather *g = mem_alloc(sizeof *g);

    if (!g)
        return fail_nomem(ctx);
    g->store = store;
    g->durability = durability;
    g->folder = durability ? folder : NULL;
    g->fd = -1;
    memcpy(g->database_id, database_id, DATABASE_ID_BYTES);
    g->journal.abandon = abandon;
    g->journal.arg = g;
    init_locks(g);
    enum wr_status st = g->folder ? recover(ctx, g) : WR_OK;
    if (st != WR_OK) {
        destroy(g);
        return st;
    }
    store_set_turn_hooks(store, (struct turn_hooks){ g, asked, taken });
    *out = g;
    return WR_OK;
}

/* ---- the keeper: begins and ends LMDB's transactions ---- */

static enum wr_status keep_begin(struct ctx *ctx, struct gather *g)
{
    TRY(store_begin_kept(ctx, g->store, &g->txn));
    enum wr_status st = g->durability ? durability_begin(ctx, g->durability) : WR_OK;
    if (st != WR_OK)
        txn_abort(&g->txn);
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

/* Nobody has asked for what is acknowledged, and it has waited long enough. Tells when to come again. */
static int64_t flush_idle(struct ctx *ctx, struct gather *g)
{
    if (pthread_mutex_trylock(&g->lock) != 0)
        return AGAIN_MS;
    enum wr_status st = flush_locked(ctx, g, obey);
    pthread_mutex_unlock(&g->lock);
    return st == WR_OK ? AGAIN_MS : FAILED_MS;
}

static void *keep(void *arg)
{
    struct gather *g = arg;
    struct arena arena;
    struct ctx ctx;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    pthread_mutex_lock(&g->order_lock);
    while (g->order != ORDER_STOP) {
        if (g->order != ORDER_NONE) {
            arena_reset(&arena);
            enum order order = g->order;
            pthread_mutex_unlock(&g->order_lock); /* who has given it waits */
            enum wr_status st = obey(&ctx, g, order);
            pthread_mutex_lock(&g->order_lock);
            if (order == ORDER_BEGIN)
                g->due_ns = clock_monotonic_ns() + SESSION_MS * INT64_C(1000000);
            g->outcome = st;
            g->error = ctx.error;
            g->order = ORDER_NONE;
            pthread_cond_broadcast(&g->changed);
        } else if (!atomic_load(&g->open)) {
            pthread_cond_wait(&g->changed, &g->order_lock);
        } else if (clock_monotonic_ns() < g->due_ns) {
            struct timespec at = { g->due_ns / 1000000000, g->due_ns % 1000000000 };
            pthread_cond_timedwait(&g->changed, &g->order_lock, &at);
        } else {
            arena_reset(&arena);
            pthread_mutex_unlock(&g->order_lock);
            int64_t again_ms = flush_idle(&ctx, g);
            pthread_mutex_lock(&g->order_lock);
            g->due_ns = clock_monotonic_ns() + again_ms * 1000000;
        }
    }
    pthread_mutex_unlock(&g->order_lock);
    arena_release(&arena);
    return NULL;
}

static enum wr_status start_keeper(struct ctx *ctx, struct gather *g)
{
    sigset_t all, before;

    if (g->has_thread)
        return WR_OK;
    sigfillset(&all); /* the host's signals are for the host's threads */
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int code = pthread_create(&g->thread, NULL, keep, g);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    g->has_thread = code == 0;
    return code ? fail(ctx, WR_NOMEM, "no thread could be started") : WR_OK;
}

/* Has the keeper do something, with g->lock held. */
static enum wr_status ask(struct ctx *ctx, struct gather *g, enum order order)
{
    enum wr_status st;

    pthread_mutex_lock(&g->order_lock);
    g->order = order;
    pthread_cond_broadcast(&g->changed);
    while (g->order == order)
        pthread_cond_wait(&g->changed, &g->order_lock);
    st = g->outcome;
    if (st != WR_OK)
        st = fail(ctx, st, "%s", g->error);
    pthread_mutex_unlock(&g->order_lock);
    return st;
}

/* ---- sessions: with g->lock held ---- */

static void end_session(struct gather *g)
{
    atomic_store(&g->pending, false);
    atomic_store(&g->open, false);
}

/* A transaction that holds what is pending. */
static enum wr_status have_txn(struct ctx *ctx, struct gather *g, giver *order)
{
    if (g->txn)
        return WR_OK;
    TRY(order(ctx, g, ORDER_BEGIN));
    if (!atomic_load(&g->pending)) {
        log_begin(g->log, g->database_id, store_base(g->txn), &g->session);
        g->journal.len = LOG_HEAD;
        g->writes = 0;
        atomic_store(&g->open, true);
        return WR_OK;
    }
    enum wr_status st = replay(ctx, g->txn, slice_of(g->log + LOG_HEAD, g->mark - LOG_HEAD), g->session);
    if (st != WR_OK)
        order(ctx, g, ORDER_ABORT);
    return st;
}

static enum wr_status flush_locked(struct ctx *ctx, struct gather *g, giver *order)
{
    if (!atomic_load(&g->open))
        return WR_OK;
    if (!atomic_load(&g->pending)) {
        if (g->txn)
            order(ctx, g, ORDER_ABORT);
        end_session(g);
        return WR_OK;
    }
    for (;;) {
        uint64_t seen_bytes = store_map_bytes(g->store);
        enum wr_status st = have_txn(ctx, g, order);
        if (st == WR_OK)
            st = order(ctx, g, ORDER_COMMIT);
        if (st == WR_OK) {
            end_session(g);
            return WR_OK;
        }
        if (st != WR_FULL)
            return st;
        TRY(store_grow(ctx, g->store, seen_bytes));
    }
}

/* ---- writes ---- */

static bool has_room(const struct gather *g)
{
    struct statvfs fs;
    if (!g->folder)
        return true;
    return fstatvfs(g->fd, &fs) == 0 && (uint64_t)fs.f_bavail * fs.f_frsize >= DISK_LEAST;
}

static bool may_begin(struct ctx *ctx, struct gather *g)
{
    if (atomic_load(&g->waiting))
        return false;
    return g->txn || atomic_load(&g->pending) || (map_log(g) && has_room(g) && start_keeper(ctx, g) == WR_OK);
}

enum wr_status gather_begin(struct ctx *ctx, struct gather *g, struct txn **out)
{
    *out = NULL;
    bool never = g->durability && durability_is_full(g->durability);
    if (never || (!atomic_load(&g->open) && atomic_load(&g->streak) < gather_after))
        return WR_OK;
    if (pthread_mutex_lock(&g->lock) == EDEADLK)
        return fail(ctx, WR_MISUSE, "this thread has a write transaction open already");
    if (!may_begin(ctx, g)) {
        pthread_mutex_unlock(&g->lock);
        return WR_OK;
    }
    enum wr_status st = have_txn(ctx, g, ask);
    if (st != WR_OK) {
        pthread_mutex_unlock(&g->lock);
        return st;
    }
    struct journal *j = &g->journal;
    j->bytes = g->log;
    j->room = LOG_BYTES - LOG_RECORD_TAIL;
    j->overflow = j->room - j->len < LOG_RECORD_HEAD;
    j->reserved = NULL;
    g->mark = j->len;
    j->len += j->overflow ? 0 : LOG_RECORD_HEAD;
    store_set_journal(g->txn, j);
    *out = g->txn;
    return WR_OK;
}

/* By txn_abort. What the write has changed cannot be taken out of LMDB's transaction, so that is given up with it. */
static void abandon(void *arg)
{
    struct gather *g = arg;
    struct arena arena;
    struct ctx ctx;
    bool clean = g->journal.len <= g->mark + LOG_RECORD_HEAD && !g->journal.overflow;

    g->journal.len = g->mark;
    store_set_journal(g->txn, NULL);
    if (clean) {
        store_tell_aborted(g->store);
    } else {
        arena_init(&arena);
        ctx_init(&ctx, &arena);
        ask(&ctx, g, ORDER_ABORT);
        arena_release(&arena);
        if (!atomic_load(&g->pending))
            end_session(g);
    }
    pthread_mutex_unlock(&g->lock);
}

/* More than the log has room for: the data file takes it, and what was pending, at once. */
static enum wr_status commit_whole(struct ctx *ctx, struct gather *g)
{
    g->journal.len = g->mark;
    TRY(ask(ctx, g, ORDER_COMMIT));
    end_session(g);
    return WR_OK;
}

enum wr_status gather_commit(struct ctx *ctx, struct gather *g)
{
    struct journal *j = &g->journal;
    enum wr_status st = WR_OK;

    journal_settle(j);
    store_set_journal(g->txn, NULL);
    if (j->overflow) {
        st = commit_whole(ctx, g);
    } else if (j->len == g->mark + LOG_RECORD_HEAD) {
        j->len = g->mark; /* it has written nothing */
    } else {
        j->len = g->mark = log_seal(g->log, g->mark, j->len, g->session, g->writes++);
        atomic_store(&g->pending, true);
        store_tell_committed(g->store);
    }
    bool ends = g->writes >= WRITES_MOST || atomic_load(&g->waiting);
    if (st == WR_OK && ends) {
        struct ctx quiet = *ctx; /* the write stands; who comes next is told */
        flush_locked(&quiet, g, ask);
    }
    uint64_t commit_id = g->commit_id;
    pthread_mutex_unlock(&g->lock);
    if (st == WR_OK && g->durability)
        durability_wait(ctx, g->durability, commit_id);
    return st;
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
    if (atomic_load_explicit(&g->streak, memory_order_relaxed))
        atomic_store_explicit(&g->streak, 0, memory_order_relaxed);
    return atomic_load(&g->pending) ? gather_flush(ctx, g) : WR_OK;
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
    bool flushed = gather_flush(&ctx, g) == WR_OK;
    arena_release(&arena);
    if (g->has_thread) {
        pthread_mutex_lock(&g->order_lock);
        g->order = ORDER_STOP;
        pthread_cond_broadcast(&g->changed);
        pthread_mutex_unlock(&g->order_lock);
        pthread_join(g->thread, NULL);
    }
    store_set_turn_hooks(g->store, (struct turn_hooks){ NULL, NULL, NULL });
    if (flushed && g->folder)
        folder_discard_log(g->folder);
    destroy(g);
}
