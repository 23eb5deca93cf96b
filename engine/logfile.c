#include "engine/logfile.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "engine/nocow.h"

enum {
    BLOCK = 4096,   /* what a disk without the cache takes is whole blocks of memory and of the file */
    STAGED = 16 * BLOCK,
    FILL_STEP = 1 << 18,
    FILL_FIRST = 1 << 19,
    TRIES_APART = 1000, /* of making one */
};

void logfile_init(struct logfile *f, const struct folder *folder, bool is_synced)
{
    *f = (struct logfile){ .folder = folder, .is_synced = is_synced, .fd = -1, .half_bytes = is_synced ? LOG_HALF_BYTES : LOG_ALONE_BYTES };
    pthread_mutex_init(&f->lock, NULL);
    for (int i = 0; i < 2; i++)
        pthread_cond_init(&f->ended[i], NULL);
}

static size_t memory_bytes(const struct logfile *f)
{
    return f->half_bytes + (f->is_synced ? STAGED : 0);
}

void logfile_release(struct logfile *f)
{
    if (f->bytes)
        munmap(f->bytes, memory_bytes(f));
    if (f->fd >= 0)
        close(f->fd);
    for (int i = 0; i < 2; i++)
        pthread_cond_destroy(&f->ended[i]);
    pthread_mutex_destroy(&f->lock);
}

/* ---- making it ---- */

static off_t place_in_file(unsigned half, size_t at)
{
    return (off_t)half * LOG_HALF_BYTES + (off_t)at;
}

/* errno, or 0; ENOTSUP, or ENOSYS of a kernel before 4.6: not synced in one, here. */
static int write_blocks(const struct logfile *f, unsigned half, size_t at, const uint8_t *blocks, size_t len, bool synced)
{
    ssize_t put;

    do {
#ifdef RWF_DSYNC
        put = pwritev2(f->fd, &(struct iovec){ (void *)blocks, len }, 1, place_in_file(half, at), synced ? RWF_DSYNC : 0);
#else /* musl has it since 1.2.5 */
        if (synced)
            return ENOTSUP;
        put = pwrite(f->fd, blocks, len, place_in_file(half, at));
#endif
    } while (put < 0 && errno == EINTR);
    return put == (ssize_t)len ? 0 : put < 0 ? errno : ENOSPC;
}

/*
 * Zeroes up to `until` and some way on; false: they cannot be written. Blocks are written and not only allocated: one that never was is marked as such, and the
 * first write changes that mark. Twice as far each time, since who writes little is not to wait for much.
 */
static bool fill(struct logfile *f, unsigned half, size_t until)
{
    static _Alignas(BLOCK) uint8_t zeroes[FILL_STEP]; /* const they would lie in the library's file */
    size_t *filled = &f->filled[half], twice = *filled ? 2 * *filled : FILL_FIRST;

    if (until > *filled && until < twice)
        until = twice;
    for (; *filled < until && *filled < LOG_HALF_BYTES; *filled += FILL_STEP)
        if (write_blocks(f, half, *filled, zeroes, FILL_STEP, false) != 0)
            return false;
    return true;
}

/* Room for all of it, so that only the zeroes are left to be written; where the file system cannot promise any, they are at once. */
static bool allocate(struct logfile *f)
{
    bool allocated = fallocate(f->fd, 0, 0, (off_t)LOG_HALVES * LOG_HALF_BYTES) == 0;
    if (!allocated && errno != EOPNOTSUPP)
        return false;
    for (unsigned half = 0; !allocated && half < LOG_HALVES; half++)
        if (!fill(f, half, LOG_HALF_BYTES))
            return false;
    return true;
}

/* Past the kernel's cache, where the file system has it. */
static void go_direct(struct logfile *f)
{
    if (fcntl(f->fd, F_SETFL, O_DIRECT) == 0 && pwrite(f->fd, f->bytes + LOG_HALF_BYTES, BLOCK, 0) != BLOCK)
        fcntl(f->fd, F_SETFL, 0);
}

static bool make_file(struct logfile *f)
{
    f->fd = folder_open_file(f->folder, f->folder->log_path, O_RDWR | O_CREAT);
    if (f->fd < 0)
        return false;
    if (!f->is_synced)
        return nocow_ask(f->fd) && fallocate(f->fd, 0, 0, LOG_ALONE_BYTES) == 0;
    return allocate(f) && fill(f, 0, FILL_FIRST) && fsync(f->fd) == 0 && fsync(f->folder->fd) == 0; /* its name, too */
}

/* Such as on a full disk, which had better be left what was taken of it. */
static void give_up(struct logfile *f)
{
    f->pause = TRIES_APART;
    if (f->fd < 0)
        return;
    folder_discard_log(f->folder);
    close(f->fd);
    f->fd = -1;
    memset(f->filled, 0, sizeof f->filled);
}

bool logfile_make(struct logfile *f)
{
    bool shared = f->folder && !f->is_synced;

    if (f->bytes)
        return true;
    if (f->pause) {
        f->pause--;
        return false;
    }
    void *at = !f->folder || make_file(f)
                   ? mmap(NULL, memory_bytes(f), PROT_READ | PROT_WRITE, shared ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS,
                          shared ? f->fd : -1, 0)
                   : MAP_FAILED;
    if (at == MAP_FAILED) {
        give_up(f);
        return false;
    }
    f->bytes = at;
    if (shared) /* or the first touch reads megabytes of it ahead, which have not been written */
        madvise(at, LOG_ALONE_BYTES, MADV_RANDOM);
    if (f->is_synced)
        go_direct(f);
    return true;
}

/* ---- putting ---- */

void logfile_turn(struct logfile *f, unsigned half)
{
    uint64_t place = atomic_load_explicit(&f->put_until, memory_order_relaxed);

    assert(half == 0 || f->is_synced);
    f->half = half;
    f->start = place;
}

uint64_t logfile_put(struct logfile *f, size_t end)
{
    uint64_t place = f->start + end;
    atomic_store_explicit(&f->put_until, place, memory_order_release);
    return place;
}

size_t logfile_forget(struct logfile *f)
{
    pthread_mutex_lock(&f->lock);
    uint64_t synced = f->synced;
    pthread_mutex_unlock(&f->lock);
    assert(f->is_synced && synced >= f->start);
    atomic_store_explicit(&f->put_until, synced, memory_order_release);
    return (size_t)(synced - f->start);
}

/* ---- syncing ---- */

/*
 * errno, or 0. By whoever has set `busy`, without the lock. Whole blocks: what is already there of the first once more, zeroes behind the last;
 * from a copy, for others are putting into the same memory. What is one write is synced by it: a disk that can write past its own cache has nothing
 * to flush then.
 */
static int write_out(struct logfile *f, uint64_t from, uint64_t until)
{
    size_t at = (size_t)(from - f->start) / BLOCK * BLOCK, end = (size_t)(until - f->start), whole;
    bool synced = end - at <= STAGED && end <= f->filled[f->half] && !f->no_synced_writes;
    uint8_t *staged = f->bytes + LOG_HALF_BYTES;
    int error = 0;

    if (!fill(f, f->half, end))
        f->filled[f->half] = LOG_HALF_BYTES; /* they only spare time: what counts may still find room, where all of it is not kept for us */
    for (; at < end && !error; at += whole) {
        size_t n = end - at < STAGED ? end - at : STAGED;
        whole = (n + BLOCK - 1) / BLOCK * BLOCK;
        memcpy(staged, f->bytes + at, n);
        memset(staged + n, 0, whole - n);
        error = write_blocks(f, f->half, at, staged, whole, synced);
    }
    if (synced && (error == ENOTSUP || error == ENOSYS)) {
        f->no_synced_writes = true;
        return write_out(f, from, until);
    }
    return error || synced || fdatasync(f->fd) == 0 ? error : errno;
}

/* With the lock held and nobody at it. Who waits for this sync is woken by it, and of those for the next one, to make that. */
static void sync_for_all(struct logfile *f)
{
    uint64_t from = f->synced, until = atomic_load_explicit(&f->put_until, memory_order_acquire);

    f->busy = true;
    f->going = until;
    pthread_mutex_unlock(&f->lock);
    int error = write_out(f, from, until);
    pthread_mutex_lock(&f->lock);
    f->busy = false;
    if (error)
        f->error = error;
    else
        f->synced = until;
    pthread_cond_t *mine = &f->ended[f->number & 1], *next = &f->ended[++f->number & 1];
    pthread_cond_broadcast(mine);
    if (error)
        pthread_cond_broadcast(next);
    else
        pthread_cond_signal(next);
}

enum wr_status logfile_sync(struct ctx *ctx, struct logfile *f, uint64_t place)
{
    if (!f->is_synced)
        return WR_OK;
    pthread_mutex_lock(&f->lock);
    while (f->synced < place && !f->error) {
        if (f->busy)
            pthread_cond_wait(&f->ended[(f->number + (place > f->going)) & 1], &f->lock);
        else
            sync_for_all(f);
    }
    int error = f->synced < place ? f->error : 0;
    pthread_mutex_unlock(&f->lock);
    if (!error)
        return WR_OK;
    errno = error;
    fail_errno(ctx, "cannot sync", f->folder->log_path);
    return WR_IO;
}
