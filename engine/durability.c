#include "engine/durability.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "engine/thread.h"
#include "engine/undo.h"

enum { INTERVAL_MS_DEFAULT = 1000, PATIENCE_MOST = 40 };

/*
 * Mode periodic. Pages given up since the pinned snapshot are not used again, so the file grows by what commits touch
 * (five to ten pages each) until the pin moves on: at the first mark a thread moves it, at the second commits wait for
 * that. A sync point comes early when much has been saved for the one before.
 *
 * Measured with 200,000 commits of two rows each to 1,000 partitions, 111 MB of data, on two busy cores (LMDB alone,
 * never synced: 32 to 65 us a commit), each committed by itself. The pin kept from sync point to sync point: 220 to 310 us, some 4 GB
 * written, a file of 175 MB even with an early sync point every 16 MB. The pin moved, with marks of 4 and 64 MB: 90 to
 * 140 us, 1.0 to 1.8 GB, 171 MB; of 4 and 16 MB: 145 to 160 us, 1.0 GB, 125 MB; of 2 and 8 MB: 55 to 155 us, 0.3 to 0.8
 * GB, 118 MB. The pool of pages in turn is what is written at each sync point, so a small one spares the disk; the time
 * went up and down with the machine's other work.
 */
enum { HELD_SHARE = 32 }; /* a larger file may grow by more before it is worth a sync of the undo file: by this part */
#define HELD_EARLY (UINT64_C(2) << 20)
#define HELD_TIMES_MOST 8 /* the second mark */
#define HELD_GUESS (UINT64_C(64) << 10) /* by a commit, where it cannot be told */

/* The most that a share comes to, and mode full: each write is synced with the log, and what comes in between the sync points spares syncs
 * of the data file. */
#define HELD_EARLY_FULL (UINT64_C(16) << 20)
#define UNDO_MOST  (UINT64_C(64) << 20)

struct syncer {
    struct store *store;
    enum durability mode;
    uint32_t interval_ms;
    const struct folder *folder;
    int fd; /* of the sync file */
    uint8_t boot_id[BOOT_ID_BYTES];
    bool marked;       /* mode none: the slot says that it promises nothing; under the writer's lock */
    atomic_bool dirty; /* something has been committed since the thread last looked */
    atomic_bool failed;
    atomic_bool urgent; /* held_early has been reached, or somebody is in a hurry */
    _Atomic uint64_t held_bytes;
    _Atomic uint64_t held_early; /* the first mark */
    _Atomic uint64_t synced_id;     /* under the lock, read without it */

    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool syncing; /* somebody makes a sync point: slot and pin are his */
    bool stop, has_thread;
    uint64_t pinned_id, syncs;
    uint64_t rounds; /* how often `syncing` has ended */
    pthread_t thread;

    struct sync_slot slot;
    struct pin pin;    /* the slot's snapshot or, where undo has what that loses, a later one; mode none: none */
    struct undo *undo; /* mode periodic */
};

static bool keeps_pin(const struct syncer *d)
{
    return d->mode != DURABILITY_NONE;
}

void durability_fail(struct syncer *d)
{
    atomic_store(&d->failed, true);
}

/* To the message of what has failed. */
static enum wr_status add(struct ctx *ctx, const char *text)
{
    size_t len = strlen(ctx->error);
    snprintf(ctx->error + len, sizeof ctx->error - len, "%s", text);
    return WR_IO;
}

static enum wr_status fail_sync(struct ctx *ctx, struct syncer *d)
{
    durability_fail(d);
    return add(ctx, "; the last writes may be lost with the power, and no more are taken");
}

static enum wr_status fail_already(struct ctx *ctx)
{
    return fail(ctx, WR_IO, "an earlier sync of the database to the disk failed; it must be closed and opened again");
}

enum wr_status durability_check(struct ctx *ctx, struct syncer *d)
{
    return atomic_load_explicit(&d->failed, memory_order_relaxed) ? fail_already(ctx) : WR_OK;
}

/* The next slot: of meta, under this boot. */
static enum wr_status write_slot(struct ctx *ctx, struct syncer *d, const uint8_t meta[META_BYTES], uint32_t flags)
{
    struct sync_slot next = d->slot;

    next.sequence++;
    next.flags = flags;
    memcpy(next.boot_id, d->boot_id, BOOT_ID_BYTES);
    memmove(next.meta, meta, META_BYTES);
    if (syncfile_write(ctx, d->fd, d->folder->sync_path, &next) != WR_OK)
        return fail_sync(ctx, d);
    d->slot = next;
    return WR_OK;
}

static bool is_in_slot(const struct syncer *d, const struct pin *pin)
{
    return memcmp(pin->meta, d->slot.meta, META_BYTES) == 0 && d->slot.flags == 0 &&
           memcmp(d->slot.boot_id, d->boot_id, BOOT_ID_BYTES) == 0;
}

static enum wr_status put_on_disk(struct ctx *ctx, struct syncer *d, const struct pin *pin)
{
    if (fdatasync(store_fd(d->store)) != 0) {
        fail_errno(ctx, "cannot sync", "the data file");
        return fail_sync(ctx, d);
    }
    return write_slot(ctx, d, pin->meta, 0);
}

static void set_mark(struct syncer *d, const struct pin *pin)
{
    struct meta meta;

    if (d->mode == DURABILITY_FULL || !meta_decode(pin->meta, &meta))
        return;
    uint64_t share = meta.last_page * meta.page_bytes / HELD_SHARE;
    d->held_early = share < HELD_EARLY ? HELD_EARLY : share > HELD_EARLY_FULL ? HELD_EARLY_FULL : share;
}

static void set_pin(struct syncer *d, struct pin *pin, uint64_t held_bytes)
{
    struct pin old = d->pin;

    set_mark(d, pin);
    d->pin = *pin;
    pages_unpin(&old);
    atomic_fetch_sub(&d->held_bytes, held_bytes);
    pthread_mutex_lock(&d->lock);
    d->pinned_id = pin->commit_id;
    pthread_mutex_unlock(&d->lock);
}

/* By whoever has set `syncing`. Where snapshots are kept, writers go on meanwhile; in mode none nothing would stop them
 * from using this one's pages again, so they wait. */
static enum wr_status sync_point(struct ctx *ctx, struct syncer *d)
{
    struct pin pin = { 0 };
    bool news = false;
    enum wr_status st;

    TRY(store_stop_writers(ctx, d->store));
    uint64_t held_bytes = atomic_load(&d->held_bytes);
    st = pages_pin(ctx, d->store, &pin);
    if (st == WR_OK)
        st = datafile_fill(ctx, store_fd(d->store), "the data file", pin.meta);
    if (keeps_pin(d))
        store_let_writers(d->store);
    if (st == WR_OK && (news = !is_in_slot(d, &pin)))
        st = put_on_disk(ctx, d, &pin);
    if (st == WR_OK) {
        pthread_mutex_lock(&d->lock);
        d->syncs += news;
        atomic_store(&d->synced_id, pin.commit_id);
        pthread_mutex_unlock(&d->lock);
    }
    if (!keeps_pin(d)) {
        d->marked = false;
        pages_unpin(&pin);
        store_let_writers(d->store);
    } else if (st == WR_OK) {
        if (d->undo && (news || !undo_is_ready(d->undo)))
            undo_begin(ctx, d->undo, &d->slot, &pin);
        set_pin(d, &pin, held_bytes);
    } else {
        pages_unpin(&pin);
    }
    return st;
}

/* The pin moves to the newest snapshot; what the synced one loses by that is saved first. By whoever has set `syncing`. Where memory has
 * no room for the file its pages are written soon anyway, and syncing them costs no more than saving those they replace. */
static enum wr_status move_pin(struct ctx *ctx, struct syncer *d)
{
    struct pin pin = { 0 };
    enum wr_status st;

    if (!undo_is_ready(d->undo) || undo_bytes(d->undo) >= UNDO_MOST || store_outgrows_memory(d->store))
        return sync_point(ctx, d);
    TRY(store_stop_writers(ctx, d->store));
    uint64_t held_bytes = atomic_load(&d->held_bytes);
    st = pages_pin(ctx, d->store, &pin);
    store_let_writers(d->store);
    TRY(st);
    st = undo_save(ctx, d->undo, d->store, &pin, d->pin.commit_id);
    if (st == WR_OK)
        set_pin(d, &pin, held_bytes);
    else
        pages_unpin(&pin);
    return st;
}

/* With d->lock held and nobody syncing. */
static enum wr_status run_alone(struct ctx *ctx, struct syncer *d, enum wr_status (*run)(struct ctx *, struct syncer *))
{
    d->syncing = true;
    pthread_mutex_unlock(&d->lock);
    enum wr_status st = run(ctx, d);
    pthread_mutex_lock(&d->lock);
    d->syncing = false;
    d->rounds++;
    pthread_cond_broadcast(&d->changed);
    return st;
}

bool durability_has(const struct syncer *d, uint64_t commit_id)
{
    return atomic_load(&d->synced_id) >= commit_id;
}

enum wr_status durability_reach(struct ctx *ctx, struct syncer *d, uint64_t commit_id)
{
    enum wr_status st = WR_OK;

    pthread_mutex_lock(&d->lock);
    while (d->syncing && !durability_has(d, commit_id))
        pthread_cond_wait(&d->changed, &d->lock);
    if (!durability_has(d, commit_id))
        st = atomic_load(&d->failed) ? fail_already(ctx) : run_alone(ctx, d, sync_point);
    pthread_mutex_unlock(&d->lock);
    return st;
}

enum wr_status durability_sync(struct ctx *ctx, struct syncer *d)
{
    return durability_reach(ctx, d, UINT64_MAX);
}

/* ---- the thread ---- */

static void wait_until(struct syncer *d, int64_t at_ns)
{
    struct timespec at = { at_ns / 1000000000, at_ns % 1000000000 };
    while (!d->stop && !atomic_load(&d->urgent) && clock_monotonic_ns() < at_ns)
        pthread_cond_timedwait(&d->changed, &d->lock, &at);
}

static void run_once(struct ctx *ctx, struct syncer *d, bool due)
{
    while (d->syncing)
        pthread_cond_wait(&d->changed, &d->lock);
    atomic_store(&d->urgent, false);
    if (!due && d->undo) {
        run_alone(ctx, d, move_pin); /* where it fails the pin stays, and what waits for it tries a sync point next */
        return;
    }
    atomic_store(&d->dirty, false);
    if (run_alone(ctx, d, sync_point) != WR_OK)
        atomic_store(&d->dirty, true); /* told to the next writer if it was the disk; else tried again */
}

/* After the first commit that needs one; in mode full only when it is urgent. */
static int64_t next_due_ns(const struct syncer *d)
{
    return d->mode == DURABILITY_PERIODIC ? clock_monotonic_ns() + (int64_t)d->interval_ms * 1000000 : INT64_MAX;
}

static void *run_thread(void *arg)
{
    struct syncer *d = arg;
    struct arena arena;
    struct ctx ctx;
    int64_t due_ns = 0; /* 0: not set */

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    pthread_mutex_lock(&d->lock);
    while (!d->stop) {
        if (!atomic_load(&d->dirty) || atomic_load(&d->failed)) {
            pthread_cond_wait(&d->changed, &d->lock);
            continue;
        }
        if (due_ns == 0)
            due_ns = next_due_ns(d);
        wait_until(d, due_ns);
        if (d->stop)
            break;
        bool due = clock_monotonic_ns() >= due_ns;
        run_once(&ctx, d, due);
        if (due)
            due_ns = 0;
        arena_reset(&arena);
    }
    pthread_mutex_unlock(&d->lock);
    arena_release(&arena);
    return NULL;
}

static enum wr_status start_thread(struct ctx *ctx, struct syncer *d)
{
    if (thread_start(&d->thread, run_thread, d) != 0)
        return fail(ctx, WR_NOMEM, "cannot start the thread that syncs the database");
    d->has_thread = true;
    return WR_OK;
}

/* ---- opening, closing, committing ---- */

static void init_locks(struct syncer *d)
{
    pthread_mutex_init(&d->lock, NULL);
    thread_cond_init(&d->changed);
}

static void destroy(struct syncer *d)
{
    pages_unpin(&d->pin);
    undo_close(d->undo);
    if (d->fd >= 0)
        close(d->fd);
    pthread_cond_destroy(&d->changed);
    pthread_mutex_destroy(&d->lock);
    mem_free(d);
}

enum wr_status durability_open(struct ctx *ctx, struct store *store, const struct folder *folder,
                               const struct sync_slot *slot, enum durability mode, uint32_t interval_ms,
                               struct syncer **out)
{
    struct syncer *d = mem_alloc(sizeof *d);
    enum wr_status st;

    if (!d)
        return fail_nomem(ctx);
    d->store = store;
    d->mode = mode;
    d->interval_ms = interval_ms ? interval_ms : INTERVAL_MS_DEFAULT;
    d->held_early = HELD_EARLY_FULL;
    d->folder = folder;
    d->slot = *slot;
    boot_id_read(d->boot_id);
    init_locks(d);
    d->fd = folder_open_file(folder, folder->sync_path, O_RDWR);
    if (d->fd < 0)
        TRY_OUT(fail_errno(ctx, "cannot open", folder->sync_path));
    if (mode == DURABILITY_PERIODIC)
        TRY_OUT(undo_open(ctx, folder, &d->undo));
    if (keeps_pin(d))
        TRY_OUT(sync_point(ctx, d));
    *out = d;
    return WR_OK;
out:
    destroy(d);
    return st;
}

void durability_stop(struct syncer *d)
{
    if (!d)
        return;
    pthread_mutex_lock(&d->lock);
    d->stop = true;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
    if (d->has_thread)
        pthread_join(d->thread, NULL);
    d->has_thread = false;
}

void durability_close(struct syncer *d)
{
    struct arena arena;
    struct ctx ctx;

    if (!d)
        return;
    durability_stop(d);
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    if (durability_sync(&ctx, d) == WR_OK) /* nobody is left to be told of a failure; the slot before it stands */
        folder_discard_undo(d->folder);
    arena_release(&arena);
    destroy(d);
}

enum wr_status durability_begin(struct ctx *ctx, struct syncer *d)
{
    TRY(durability_check(ctx, d));
    if (keeps_pin(d) && !d->has_thread && !d->stop)
        TRY(start_thread(ctx, d));
    if (!keeps_pin(d) && !d->marked) {
        TRY(write_slot(ctx, d, d->slot.meta, SYNC_UNPINNED));
        d->marked = true;
    }
    return WR_OK;
}

static void wake_thread(struct syncer *d)
{
    pthread_mutex_lock(&d->lock);
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
}

static bool set_dirty(struct syncer *d)
{
    return !atomic_exchange(&d->dirty, true);
}

void durability_hurry(struct syncer *d)
{
    bool wake = set_dirty(d);
    wake |= !atomic_exchange(&d->urgent, true);
    if (wake)
        wake_thread(d);
}

void durability_pace(struct syncer *d)
{
    if (!keeps_pin(d) || atomic_load(&d->held_bytes) < d->held_early * HELD_TIMES_MOST)
        return;
    pthread_mutex_lock(&d->lock);
    uint64_t rounds = d->rounds; /* until the pin has moved, or could not be moved twice */
    while (atomic_load(&d->held_bytes) >= d->held_early * HELD_TIMES_MOST && d->rounds < rounds + 2 && !atomic_load(&d->failed)) {
        atomic_store(&d->dirty, true);
        atomic_store(&d->urgent, true);
        pthread_cond_broadcast(&d->changed);
        pthread_cond_wait(&d->changed, &d->lock);
    }
    pthread_mutex_unlock(&d->lock);
}

void durability_expect(struct syncer *d)
{
    if (d->mode == DURABILITY_PERIODIC && set_dirty(d))
        wake_thread(d);
}

void durability_note(struct ctx *ctx, struct syncer *d, uint64_t commit_id)
{
    uint64_t given_up = HELD_GUESS;

    if (!keeps_pin(d))
        return;
    pages_given_up(ctx, d->store, commit_id, &given_up); /* a failure to look is none of a commit that stands */
    uint64_t held = atomic_fetch_add(&d->held_bytes, given_up) + given_up;
    bool wake = set_dirty(d);
    wake |= held >= d->held_early && !atomic_exchange(&d->urgent, true);
    if (wake)
        wake_thread(d);
}

/* The write is there, and is read, also where it was no disk that failed: WR_FULL and WR_NOMEM would say that nothing of it was kept, and it would be
 * done again in a larger map. */
static enum wr_status wait_for_sync(struct ctx *ctx, struct syncer *d, uint64_t commit_id)
{
    enum wr_status st = durability_reach(ctx, d, commit_id);
    return st == WR_OK || st == WR_IO ? st : add(ctx, "; the write may be lost with the power until a later one is synced");
}

enum wr_status durability_wait(struct ctx *ctx, struct syncer *d, uint64_t commit_id)
{
    if (d->mode == DURABILITY_FULL)
        return wait_for_sync(ctx, d, commit_id);
    durability_pace(d);
    return WR_OK;
}

enum wr_status durability_committed(struct ctx *ctx, struct syncer *d, uint64_t commit_id)
{
    if (d->mode == DURABILITY_PERIODIC) /* in mode full the sync point comes at once */
        durability_note(ctx, d, commit_id);
    return durability_wait(ctx, d, commit_id);
}

bool durability_is_full(const struct syncer *d)
{
    return d->mode == DURABILITY_FULL;
}

unsigned durability_patience(const struct syncer *d)
{
    unsigned times = d->mode == DURABILITY_PERIODIC ? d->interval_ms / INTERVAL_MS_DEFAULT : 1;
    return times < 1 ? 1 : times > PATIENCE_MOST ? PATIENCE_MOST : times;
}

void durability_figures(struct syncer *d, uint64_t *syncs, uint64_t *pinned_id)
{
    pthread_mutex_lock(&d->lock);
    *syncs = d->syncs;
    *pinned_id = d->pinned_id;
    pthread_mutex_unlock(&d->lock);
}
