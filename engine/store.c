#include "engine/store.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/datafile.h"
#include "engine/environment.h"
#include "engine/fd.h"
#include "engine/keycache.h"
#include "engine/map.h"
#include "engine/nocow.h"
#include "engine/pages.h"
#include "engine/pool.h"
#include "engine/readahead.h"
#include "engine/reserve.h"
#include "engine/thread.h"
#include "engine/trust.h"

static const char *const tree_names[TREE_COUNT] = {
    [TREE_META] = NULL, /* the main tree */
    [TREE_CATALOG] = "catalog", [TREE_PARTITIONS] = "partitions", [TREE_ROWS] = "rows",   [TREE_GRAVES] = "graves",
    [TREE_SPILL] = "spill",     [TREE_INDEX] = "index",           [TREE_QUEUE] = "queue",
};

const char *store_tree_name(enum tree tree)
{
    return tree_names[tree];
}

/* ---- making ---- */

static int name_cmp(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum wr_status store_make(struct ctx *ctx, const char *path)
{
    enum { NAMED = TREE_COUNT - 1 };
    const char *names[NAMED];

    memcpy(names, tree_names + 1, sizeof names);
    qsort(names, NAMED, sizeof *names, name_cmp);
    int code = datafile_begin(path, names, NAMED);
    return code ? fail_lmdb(ctx, code) : WR_OK;
}

/* ---- opening ---- */

/* By ThreadSanitizer, in this program or its host. It does not see LMDB's way of making pages known to readers, and would tell of each
 * that was written through the map. */
extern void __tsan_init(void) __attribute__((weak));
static bool is_watched(void)
{
    return __tsan_init != NULL;
}

/* A full XFS refuses to promise what it has given already. */
static bool has_blocks(int fd, off_t bytes)
{
    struct stat stat;
    return fstat(fd, &stat) == 0 && (off_t)stat.st_blocks * 512 >= bytes;
}

/*
 * Finds room for the lock file, which LMDB makes full of holes and maps: on a full disk, or with a quota used up, the first touch of one would
 * end the process (SIGBUS). Its size is left to LMDB. Before the environment is open: closing a file gives up what the process has locked in it.
 */
static int reserve_lock_file(const struct store_options *options)
{
    enum { HEADER_BYTES = 4096, SLOT_BYTES = 64, BYTES = HEADER_BYTES + (READERS_MAX + PINS) * SLOT_BYTES };
    char path[PATH_MAX];
    int code = 0;

    if (snprintf(path, sizeof path, "%s-lock", options->data_path) >= (int)sizeof path)
        return ENAMETOOLONG;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0)
        return 0; /* LMDB says why, or does without on what cannot be written */
    (void)nocow_ask(fd); /* it is copied on write, then: LMDB has no other */
    if (!has_blocks(fd, BYTES) && fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, BYTES) != 0 && (errno == ENOSPC || errno == EDQUOT))
        code = errno;
    close(fd);
    return code;
}

/*
 * MDB_NOSYNC: durability.c syncs. MDB_NOTLS: a transaction belongs to a statement, not to a thread. Without MDB_NORDAHEAD: readahead.h
 * sees to that. Without MDB_NOMEMINIT: it saved nothing that could be measured, and would let bytes of the host's freed memory into the
 * file. MDB_WRITEMAP in memory alone (docs/decisions.md).
 */
static int open_env(const struct store_options *options, bool in_place, uint64_t map_bytes, MDB_env **out)
{
    unsigned flags = MDB_NOSUBDIR | MDB_NOTLS | MDB_NOSYNC | (options->read_only ? MDB_RDONLY : 0) | (in_place ? MDB_WRITEMAP : 0);
    struct fd_places places;
    MDB_env *env = NULL;
    int code = mdb_env_create(&env);

    if (code)
        return code;
    code = mdb_env_set_mapsize(env, map_bytes);
    if (!code)
        code = mdb_env_set_maxreaders(env, READERS_MAX + PINS + 1); /* and the finder */
    if (!code)
        code = mdb_env_set_maxdbs(env, TREE_COUNT);
    if (!code && !in_place)
        code = reserve_lock_file(options);
    fd_take_places(&places);
    if (!code)
        code = mdb_env_open(env, options->data_path, flags, 0644);
    fd_free_places(&places);
    if (code) {
        mdb_env_close(env);
        return code;
    }
    *out = env;
    return 0;
}

/* Address space that the process may not have (ulimit -v), or that valgrind does not give. */
static bool is_too_large(int code)
{
    return code == ENOMEM || code == EINVAL;
}

/* LMDB maps all of a file that is there, however little it was asked for. */
static enum wr_status fail_open(struct ctx *ctx, const struct store_options *options, uint64_t bytes, int code)
{
    struct stat file;

    if (stat(options->data_path, &file) == 0 && (uint64_t)file.st_size > bytes)
        bytes = (uint64_t)file.st_size;
    if (code == ENOMEM && !map_has_room(bytes))
        return fail(ctx, WR_NOMEM, "no address space to map the database: %llu bytes", (unsigned long long)bytes);
    return fail_lmdb(ctx, code);
}

static int open_trees(struct store *store)
{
    MDB_txn *txn = NULL;
    int code = mdb_txn_begin(store->env, NULL, store->read_only ? MDB_RDONLY : 0, &txn);

    for (int i = 0; !code && i < TREE_COUNT; i++)
        code = mdb_dbi_open(txn, tree_names[i], store->read_only ? 0 : MDB_CREATE, &store->trees[i]);
    if (!code) {
        code = mdb_txn_commit(txn);
        txn = NULL;
    }
    if (txn)
        mdb_txn_abort(txn);
    return code == MDB_NOTFOUND ? MDB_INVALID : code;
}

static void init_locks(struct store *store)
{
    pthread_mutexattr_t mutex_attr;

    pthread_mutexattr_init(&mutex_attr);
    pthread_mutexattr_settype(&mutex_attr, PTHREAD_MUTEX_ERRORCHECK); /* a thread that writes twice at once is told */
    pthread_mutex_init(&store->writer, &mutex_attr);
    pthread_mutexattr_destroy(&mutex_attr);
    pthread_mutex_init(&store->gate.lock, NULL);
    thread_cond_init(&store->gate.changed);
}

/* Who writes takes pages of the free list, and what that has given up is walked with each sync point (undo.h). */
static enum wr_status check_first(struct ctx *ctx, struct store *store)
{
    const struct pages_first first = { .tree = store_tree_name(TREE_CATALOG), .free_list = !store->read_only };

    map_take_over(store);
    return pages_check_first(ctx, store, &first);
}

enum wr_status store_check_library(struct ctx *ctx)
{
    int major, minor, patch;
    const char *text = mdb_version(&major, &minor, &patch);
    if (LMDB_IS_KNOWN(major, minor, patch))
        return WR_OK;
    return fail(ctx, WR_VERSION, "LMDB 0.9 is needed, and the one that was loaded is %s", text);
}

enum wr_status store_open(struct ctx *ctx, const struct store_options *options, struct store **out)
{
    struct store *store = mem_alloc(sizeof *store);
    int code;

    if (!store)
        return fail_nomem(ctx);
    store->engine = options->engine;
    store->read_only = options->read_only;
    store->in_place = options->in_place && !is_watched();
    store->reserve.is_none = options->in_place;
    store->write_txn.store = store; /* for good: who holds a write asks it without the turn (gather.h) */
    store->write_txn.write = true;
    store->write_txn.own = &store->own;
    init_locks(store);

    uint64_t bytes = options->map_bytes ? options->map_bytes : map_first_bytes();
    if (bytes > MAP_BYTES_MOST)
        bytes = MAP_BYTES_MOST;
    bytes = (bytes + MAP_BYTES_STEP - 1) / MAP_BYTES_STEP * MAP_BYTES_STEP;
    while (is_too_large(code = open_env(options, store->in_place, bytes, &store->env)) && !options->map_bytes && bytes > MAP_BYTES_LEAST)
        bytes /= 2;
    enum wr_status st = code ? fail_open(ctx, options, bytes, code) : check_first(ctx, store);
    if (st != WR_OK) {
        store_close(store);
        return st;
    }
    code = open_trees(store);
    for (int i = 0; !code && !store->read_only && i < PINS; i++) {
        code = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &store->pins[i].handle);
        if (!code)
            mdb_txn_reset(store->pins[i].handle);
    }
    if (!code)
        code = map_find(store);
    if (code) {
        store_close(store);
        return fail_lmdb(ctx, code);
    }
    pool_clear_dead(store);
    readahead_begin(store);
    trust_open(store);
    keycache_open(&store->keycache);
    store->newest = store->read_only ? UINT64_MAX : store_last_commit(store); /* another process commits: nothing may be parked */
    *out = store;
    return WR_OK;
}

void store_set_hooks(struct store *store, struct writer_hooks hooks)
{
    store->hooks = hooks;
}

void store_set_turn_hooks(struct store *store, struct turn_hooks hooks)
{
    store->turn = hooks;
}

static void call_hook(void (*hook)(void *), void *arg)
{
    if (hook)
        hook(arg);
}

void store_close(struct store *store)
{
    if (!store)
        return;
    pool_free(store);
    assert(store->gate.active == 0);
    for (int i = 0; i < PINS; i++)
        if (store->pins[i].handle)
            mdb_txn_abort(store->pins[i].handle);
    if (store->finder)
        mdb_txn_abort(store->finder);
    if (store->env)
        mdb_env_close(store->env);
    keycache_close(&store->keycache);
    trust_close(store);
    pthread_cond_destroy(&store->gate.changed);
    pthread_mutex_destroy(&store->gate.lock);
    pthread_mutex_destroy(&store->writer);
    mem_free(store);
}

/* ---- transactions ---- */

enum wr_status store_begin_read(struct ctx *ctx, struct store *store, struct txn **out)
{
    struct txn *pooled = NULL;
    int code;

    TRY(fault(ctx));
    if ((*out = pool_take(store)))
        return WR_OK;
    TRY(map_enter(ctx, store, &pooled));
    code = pool_begin(store, pooled, out);
    for (int tries = 0; (code == MDB_MAP_RESIZED || code == MDB_READERS_FULL) && tries < 10; tries++) {
        map_leave(store);
        if (code == MDB_MAP_RESIZED)
            TRY(map_follow(ctx, store));
        else
            pool_make_room(store);
        TRY(map_enter(ctx, store, &pooled));
        code = pool_begin(store, pooled, out);
    }
    if (!code)
        return WR_OK;
    map_leave(store);
    return fail_lmdb(ctx, code);
}

void store_step_aside(struct txn *txn)
{
    map_leave(txn->store);
}

enum wr_status store_step_back(struct ctx *ctx, struct txn **txn)
{
    enum wr_status st = map_enter(ctx, (*txn)->store, NULL);
    memset((*txn)->trees, 0, sizeof (*txn)->trees); /* they lie elsewhere, if the map was moved */
    if (st == WR_OK)
        return WR_OK;
    pool_drop(*txn);
    *txn = NULL;
    return st;
}

static enum wr_status take_turn(struct ctx *ctx, struct store *store)
{
    TRY(map_enter(ctx, store, NULL));
    if (pthread_mutex_lock(&store->writer) != EDEADLK)
        return WR_OK;
    map_leave(store);
    return fail(ctx, WR_MISUSE, "this thread has a write transaction open already");
}

static enum wr_status ask_for_turn(struct ctx *ctx, struct store *store)
{
    return store->turn.asked ? store->turn.asked(ctx, store->turn.arg) : WR_OK;
}

enum wr_status store_stop_writers(struct ctx *ctx, struct store *store)
{
    enum wr_status st = ask_for_turn(ctx, store);
    if (st == WR_OK)
        st = take_turn(ctx, store);
    call_hook(store->turn.taken, store->turn.arg);
    return st;
}

void store_let_writers(struct store *store)
{
    pthread_mutex_unlock(&store->writer);
    map_leave(store);
}

enum wr_status store_grow(struct ctx *ctx, struct store *store, uint64_t seen_bytes)
{
    enum wr_status st = ask_for_turn(ctx, store);
    if (st == WR_OK)
        st = map_grow(ctx, store, seen_bytes);
    call_hook(store->turn.taken, store->turn.arg);
    return st;
}

/* With the writer's turn. */
static enum wr_status begin_write(struct ctx *ctx, struct store *store, struct txn **out)
{
    struct txn *txn = &store->write_txn;
    int code = mdb_txn_begin(store->env, NULL, 0, &txn->handle);
    if (code) {
        store_let_writers(store);
        return fail_lmdb(ctx, code);
    }
    own_clear(txn->own);
    txn->file_bytes = map_used_bytes(store);
    memset(txn->trees, 0, sizeof txn->trees);
    txn->dirty = txn->has_marks = txn->failed = false;
    txn->journal = NULL;
    *out = txn;
    return WR_OK;
}

enum wr_status store_begin_write(struct ctx *ctx, struct store *store, struct txn **out)
{
    TRY(fault(ctx));
    if (store->read_only)
        return fail(ctx, WR_READONLY, "the database is open for reading only");
    TRY(store_stop_writers(ctx, store));
    return begin_write(ctx, store, out);
}

enum wr_status store_begin_kept(struct ctx *ctx, struct store *store, struct txn **out)
{
    TRY(fault(ctx));
    TRY(take_turn(ctx, store));
    return begin_write(ctx, store, out);
}

uint64_t store_base(const struct txn *txn)
{
    return mdb_txn_id(txn->handle) - 1;
}

uint64_t store_snapshot(const struct txn *txn)
{
    return mdb_txn_id(txn->handle);
}

/* A try would not tell this thread's from another's. */
bool store_has_turn(struct store *store)
{
    static const struct timespec at_once = { 0, 0 };
    int code = pthread_mutex_timedlock(&store->writer, &at_once);
    if (code == 0)
        pthread_mutex_unlock(&store->writer);
    return code == EDEADLK;
}

uint64_t store_last_commit(struct store *store)
{
    MDB_envinfo info;
    mdb_env_info(store->env, &info);
    return info.me_last_txnid;
}

void store_set_journal(struct txn *txn, struct journal *journal)
{
    txn->journal = journal;
    txn->dirty = journal ? journal->len > journal->start : txn->dirty;
}

void store_tell_committed(struct store *store)
{
    call_hook(store->hooks.committed, store->hooks.arg);
}

void store_tell_aborted(struct store *store)
{
    call_hook(store->hooks.aborted, store->hooks.arg);
}

const struct journal *store_journal(const struct txn *txn)
{
    return txn->journal;
}

/* A file may grow since a process died with a snapshot open. A sync point clears its slot, but of mode none there may be none for long. */
static void follow_growth(struct store *store)
{
    enum { GROWTH_BYTES = 4 << 20 };
    uint64_t bytes = map_used_bytes(store);

    if (bytes < store->cleared_at + GROWTH_BYTES)
        return;
    store->cleared_at = bytes;
    pool_clear_dead(store);
}

/* Of a write, which keeps the turn. */
static enum wr_status commit_write(struct ctx *ctx, struct txn *t, uint64_t *commit_id)
{
    struct store *store = t->store;

    environment_close_cursors(t);
    int code = environment_put_marks(t);
    if (code)
        mdb_txn_abort(t->handle);
    else
        code = mdb_txn_commit(t->handle);
    if (code) {
        enum wr_status st = fail_write(ctx, t, code); /* at once: it looks at errno */
        call_hook(store->hooks.aborted, store->hooks.arg);
        return st;
    }
    readahead_follow(store);
    follow_growth(store);
    reserve_follow(store);
    *commit_id = store_last_commit(store); /* a transaction that wrote nothing has left no snapshot of its own */
    pool_show(store, *commit_id);
    call_hook(store->hooks.committed, store->hooks.arg);
    return WR_OK;
}

enum wr_status store_commit(struct ctx *ctx, struct txn **txn, uint64_t *commit_id)
{
    struct txn *t = *txn;
    enum wr_status st = fault(ctx);

    if (!t->write || st != WR_OK) {
        txn_abort(txn);
        return st;
    }
    *txn = NULL;
    st = commit_write(ctx, t, commit_id);
    store_let_writers(t->store);
    return st;
}

enum wr_status store_commit_and_begin(struct ctx *ctx, struct txn **txn, uint64_t *commit_id)
{
    struct txn *t = *txn;

    TRY(fault(ctx));
    *txn = NULL;
    enum wr_status st = commit_write(ctx, t, commit_id);
    t->handle = NULL;
    if (st == WR_OK)
        return begin_write(ctx, t->store, txn);
    store_let_writers(t->store);
    return st;
}

static void abort_write(struct txn *t)
{
    environment_close_cursors(t);
    mdb_txn_abort(t->handle);
    call_hook(t->store->hooks.aborted, t->store->hooks.arg);
}

enum wr_status store_begin_again(struct ctx *ctx, struct txn **txn)
{
    struct txn *t = *txn;

    TRY(fault(ctx));
    *txn = NULL;
    abort_write(t);
    return begin_write(ctx, t->store, txn);
}

void txn_abort(struct txn **txn)
{
    struct txn *t = *txn;

    *txn = NULL;
    if (!t)
        return;
    if (!t->write) {
        pool_give(t);
        return;
    }
    if (t->let_go) {
        void (*let_go)(void *) = t->let_go;
        t->let_go = NULL; /* from the call on it is another's */
        let_go(t->let_go_arg);
        return;
    }
    if (t->journal) {
        t->journal->abandon(t->journal->arg);
        return;
    }
    if (!t->handle) /* lost between two of its parts, and the turn with it */
        return;
    abort_write(t);
    store_let_writers(t->store);
}

bool txn_is_write(const struct txn *txn)
{
    return txn->write;
}

bool txn_is_still(const struct txn *txn)
{
    return !txn->write || txn->let_go;
}

void store_hold_still(struct txn *txn, void (*let_go)(void *arg), void *arg)
{
    txn->let_go_arg = arg;
    txn->let_go = let_go;
}

bool store_is_long(const struct txn *txn)
{
    return txn->journal && !txn->journal->changes_left;
}

bool store_is_dirty(const struct txn *txn)
{
    return txn->dirty;
}

bool store_has_failed(const struct txn *txn)
{
    return txn->failed;
}

uint32_t store_changes(const struct txn *txn)
{
    return txn->own->changes;
}

struct engine *txn_engine(const struct txn *txn)
{
    return txn->store->engine;
}

uint64_t store_memory_there_is(const struct store *store)
{
    return 2 * store->ahead.around_most;
}

bool store_outgrows_memory(const struct store *store)
{
    return readahead_is_ours(store);
}

const _Atomic bool *store_crowded(const struct store *store)
{
    return &store->ahead.crowds_memory;
}

int store_fd(struct store *store)
{
    int fd = -1;
    mdb_env_get_fd(store->env, &fd);
    return fd;
}
