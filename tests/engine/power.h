/*
 * power.h - a disk from which power can go at any moment, for one test program: pwrite, fdatasync and their kin as the engine and LMDB
 * call them, with a memory of what has been synced.
 *
 * A cut is taken between two of their calls, in whichever thread comes to it: of each file what was last synced, with any of what has been
 * written since (in pieces of 512 bytes of the log and the undo file, pages of the data file, bytes of the sync file), as long as it was or is. No call
 * reaches a file meanwhile, so a cut is what one moment could have left. Nothing is really synced: that spares time.
 */
#ifndef WR_TESTS_POWER_H
#define WR_TESTS_POWER_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "tests/engine/disk.h"

enum watched { DATA, SYNC, LOG, UNDO, WATCHED, FOLDER = WATCHED, NOT_WATCHED };
static const char *const watched_names[WATCHED] = { "/widerow.db", "/widerow.sync", "/widerow.log", "/widerow.undo" };
static const size_t watched_pieces[WATCHED] = { PAGE, 1, 512, 512 };

static struct {
    atomic_bool watching; /* the database's own threads ask, too, before and after */
    char path[128]; /* the folder */
    struct file synced[WATCHED];
    bool has_name[WATCHED];    /* on the disk */
    size_t log_from, log_to;   /* what has been put since it was last synced lies there */
    uint64_t seed;
    pthread_rwlock_t still; /* for writing: no file changes */
    pthread_mutex_t lock;

    atomic_long cut_after; /* calls; -1: no cut */
    atomic_bool is_cut;
    struct file cut[WATCHED];
    void (*at_cut)(void), (*behind_cut)(void); /* before it and behind it: what is put into memory that a file shares goes on meanwhile */

    atomic_long fail_after; /* calls; -1: none fails */
    atomic_long fail_times; /* as many in a row */
    atomic_long failing;    /* that are left of them */
    bool fail_halfway;      /* a write that fails has written half */
    atomic_bool has_failed;
    int fail_with;
    unsigned fail_of; /* a bit for each of enum watched: no others' calls are counted there; 0: all are */
    bool forgets; /* what has been synced: power is not cut */
    atomic_size_t room, promised; /* the data file has no room beyond the greater one; 0, 0: it has all there is */
    atomic_int without_dsync; /* no write is synced by itself: with what such a file system or kernel refuses one; 0: they are */
    atomic_long calls, syncs[WATCHED + 1], puts; /* puts: into the log */
    void (*at_sync[WATCHED])(void); /* in whichever thread syncs that file */
} power = { .still = PTHREAD_RWLOCK_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER, .cut_after = -1, .fail_after = -1 };

static enum watched which(int fd)
{
    char link[64], target[256];

    if (!atomic_load(&power.watching))
        return NOT_WATCHED;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, target, sizeof target - 1);
    size_t len = strlen(power.path);
    if (n < (ssize_t)len || memcmp(target, power.path, len) != 0)
        return NOT_WATCHED;
    target[n] = '\0';
    if (!target[len])
        return FOLDER;
    for (int i = 0; i < WATCHED; i++)
        if (strcmp(target + len, watched_names[i]) == 0)
            return (enum watched)i;
    return strcmp(target + len, "/widerow.db-new") == 0 ? DATA : NOT_WATCHED; /* before it has its name */
}

static struct file read_all_of(const char *name)
{
    char path[192];
    struct stat stat;
    snprintf(path, sizeof path, "%s%s", power.path, name);
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return NO_FILE;
    assert_int_equal(fstat(fd, &stat), 0);
    struct file f = { malloc((size_t)stat.st_size + 1), (size_t)stat.st_size };
    assert_int_equal(pread(fd, f.bytes, f.len, 0), f.len);
    close(fd);
    return f;
}

/* ---- the cut ---- */

static struct file cut_file(enum watched w)
{
    struct file now = read_all_of(watched_names[w]), old = power.synced[w];
    size_t piece = watched_pieces[w];

    if (!now.bytes || !power.has_name[w]) {
        free(now.bytes);
        return NO_FILE;
    }
    for (size_t at = 0; at < now.len; at += piece) {
        size_t n = now.len - at < piece ? now.len - at : piece;
        if (random_below(&power.seed, 2))
            continue;
        for (size_t i = at; i < at + n; i++)
            now.bytes[i] = i < old.len ? old.bytes[i] : 0;
    }
    if (old.len < now.len && random_below(&power.seed, 2))
        now.len = old.len;
    return now;
}

static void may_cut(void)
{
    if (atomic_load(&power.cut_after) < 0 || atomic_fetch_sub(&power.cut_after, 1) != 0)
        return;
    pthread_rwlock_wrlock(&power.still);
    if (power.at_cut)
        power.at_cut();
    for (int w = 0; w < WATCHED; w++)
        power.cut[w] = cut_file((enum watched)w);
    if (power.behind_cut)
        power.behind_cut();
    pthread_rwlock_unlock(&power.still);
    atomic_store(&power.is_cut, true);
}

static bool may_fail(enum watched w)
{
    if (power.fail_of && !(power.fail_of >> w & 1))
        return false;
    atomic_fetch_add(&power.calls, 1);
    if (atomic_load(&power.fail_after) >= 0 && atomic_fetch_sub(&power.fail_after, 1) == 0)
        atomic_store(&power.failing, atomic_load(&power.fail_times));
    if (atomic_load(&power.failing) <= 0 || atomic_fetch_sub(&power.failing, 1) <= 0)
        return false;
    atomic_store(&power.has_failed, true);
    errno = power.fail_with;
    return true;
}

/* Of a disk that is full: what the data file was promised before is there. */
static bool lacks_room(enum watched w, size_t end)
{
    size_t room = atomic_load(&power.room);
    if (w != DATA || !room || end <= room || end <= atomic_load(&power.promised))
        return false;
    errno = ENOSPC;
    return true;
}

/* Watches a database that has been opened and not yet written. */
static inline void power_watch(const struct database *db, uint64_t seed)
{
    snprintf(power.path, sizeof power.path, "%s", db->path);
    for (int w = 0; w < WATCHED; w++) {
        free(power.synced[w].bytes);
        power.synced[w] = read_all_of(watched_names[w]);
        power.has_name[w] = power.synced[w].bytes;
        atomic_store(&power.syncs[w], 0);
    }
    power.log_from = SIZE_MAX;
    power.log_to = 0;
    power.seed = seed;
    power.at_cut = power.behind_cut = NULL;
    memset(power.at_sync, 0, sizeof power.at_sync);
    atomic_store(&power.fail_times, 1);
    power.fail_halfway = false;
    power.fail_of = 0;
    atomic_store(&power.has_failed, false);
    atomic_store(&power.calls, 0);
    atomic_store(&power.puts, 0);
    atomic_store(&power.is_cut, false);
    atomic_store(&power.watching, true);
}

/* No call fails any more. */
static inline void power_mend(void)
{
    atomic_store(&power.fail_after, -1);
    atomic_store(&power.failing, 0);
}

/* A sync that is under way may end behind this; the database is to be closed before another is watched. */
static inline void power_unwatch(void)
{
    atomic_store(&power.cut_after, -1);
    power_mend();
    atomic_store(&power.watching, false);
    pthread_mutex_lock(&power.lock);
    for (int w = 0; w < WATCHED; w++) {
        free(power.synced[w].bytes);
        power.synced[w] = NO_FILE;
    }
    pthread_mutex_unlock(&power.lock);
}

/* What a loss of power has left, as a database of another boot. */
static inline void power_left(struct database *image, const struct file left[WATCHED])
{
    struct file sync = copy_of(left[SYNC]);
    change_boot(sync);
    make_image(image, copy_of(left[DATA]), sync, copy_of(left[UNDO]));
    if (left[LOG].bytes)
        save(image, "widerow.log", left[LOG]);
}

/* The cut. */
static inline void power_image(struct database *image)
{
    power_left(image, power.cut);
    for (int w = 0; w < WATCHED; w++)
        free(power.cut[w].bytes);
    atomic_store(&power.is_cut, false);
}

/* Waits for the cut that was asked for, where a call has come to it; else takes it now. */
static inline void power_cut_by_now(void)
{
    if (atomic_exchange(&power.cut_after, -1) >= 0) {
        atomic_store(&power.cut_after, 0);
        may_cut();
    }
    while (!atomic_load(&power.is_cut)) /* another thread's */
        sched_yield();
}

/* A cut now. */
static inline void power_cut(struct database *image)
{
    atomic_store(&power.cut_after, 0);
    power_cut_by_now();
    power_image(image);
}

/* What is there if the process is killed now. */
static inline void power_kill_image(const struct database *db, struct database *image)
{
    pthread_rwlock_wrlock(&power.still);
    struct file log = read_all_of(watched_names[LOG]), undo = read_all_of(watched_names[UNDO]);
    make_image(image, load(db, "widerow.db"), load(db, "widerow.sync"), undo);
    pthread_rwlock_unlock(&power.still);
    if (log.bytes)
        save(image, "widerow.log", log);
    free(log.bytes);
}

/* ---- the calls ---- */

/* All of a file; of the log, which is long and synced often, what has been put. */
static struct file take_unsynced(enum watched w, size_t *from)
{
    pthread_rwlock_rdlock(&power.still);
    pthread_mutex_lock(&power.lock);
    struct file f = NO_FILE;
    *from = w == LOG ? power.log_from : 0;
    if (w != LOG) {
        f = read_all_of(watched_names[w]);
    } else if (power.log_from < power.log_to) {
        char path[192];
        snprintf(path, sizeof path, "%s%s", power.path, watched_names[w]);
        int fd = open(path, O_RDONLY);
        f = (struct file){ malloc(power.log_to - power.log_from), power.log_to - power.log_from };
        assert_int_equal(pread(fd, f.bytes, f.len, (off_t)*from), f.len);
        close(fd);
        power.log_from = SIZE_MAX;
        power.log_to = 0;
    }
    pthread_mutex_unlock(&power.lock);
    pthread_rwlock_unlock(&power.still);
    return f;
}

static void keep_synced(enum watched w, struct file part, size_t from)
{
    struct file *to = &power.synced[w];

    pthread_rwlock_rdlock(&power.still);
    pthread_mutex_lock(&power.lock);
    if (part.bytes && from + part.len > to->len) {
        to->bytes = realloc(to->bytes, from + part.len);
        to->len = from + part.len;
    }
    if (part.bytes)
        memcpy(to->bytes + from, part.bytes, part.len);
    pthread_mutex_unlock(&power.lock);
    pthread_rwlock_unlock(&power.still);
    free(part.bytes);
}

static void note_names(void)
{
    char path[192];

    pthread_rwlock_rdlock(&power.still);
    pthread_mutex_lock(&power.lock);
    for (int w = 0; w < WATCHED; w++) {
        snprintf(path, sizeof path, "%s%s", power.path, watched_names[w]);
        power.has_name[w] |= access(path, F_OK) == 0;
    }
    pthread_mutex_unlock(&power.lock);
    pthread_rwlock_unlock(&power.still);
}

static int sync_watched(enum watched w)
{
    atomic_fetch_add(&power.syncs[w], 1);
    may_cut();
    if (may_fail(w))
        return -1;
    if (w == FOLDER) {
        note_names();
        return 0;
    }
    if (power.at_sync[w])
        power.at_sync[w]();
    if (power.forgets)
        return 0;
    size_t from;
    struct file part = take_unsynced(w, &from); /* what comes after this moment may not be in it */
    may_cut();
    keep_synced(w, part, from);
    may_cut();
    return 0;
}

int fdatasync(int fd)
{
    enum watched w = which(fd);
    return w == NOT_WATCHED ? 0 : sync_watched(w);
}

int fsync(int fd)
{
    return fdatasync(fd);
}

/* What a write that fails leaves behind. */
static void write_half(int fd, const void *bytes, size_t n, off_t at)
{
    int error = errno;

    pthread_rwlock_rdlock(&power.still);
    if (power.fail_halfway)
        syscall(SYS_pwrite64, fd, bytes, n < 1024 ? n / 2 : n / 2 / 512 * 512, at); /* whole blocks: the log may go past the kernel's cache */
    pthread_rwlock_unlock(&power.still);
    errno = error;
}

#define WRITE(fd, w, call, half)                                                                                       \
    do {                                                                                                               \
        may_cut();                                                                                                     \
        if (may_fail(w)) {                                                                                             \
            half;                                                                                                      \
            return -1;                                                                                                 \
        }                                                                                                              \
        pthread_rwlock_rdlock(&power.still);                                                                           \
        long n_ = (call);                                                                                              \
        pthread_rwlock_unlock(&power.still);                                                                           \
        return n_;                                                                                                     \
    } while (0)

/* Before the bytes are there: a sync that is under way then takes them, or not, as a disk would. */
static void note_put(size_t at, size_t n)
{
    pthread_mutex_lock(&power.lock);
    if (at < power.log_from)
        power.log_from = at;
    if (at + n > power.log_to)
        power.log_to = at + n;
    pthread_mutex_unlock(&power.lock);
    atomic_fetch_add(&power.puts, 1);
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
    enum watched w = which(fd);
    if (w == NOT_WATCHED)
        return syscall(SYS_pwrite64, fd, bytes, n, at);
    if (lacks_room(w, (size_t)at + n))
        return -1;
    if (w == LOG)
        note_put((size_t)at, n);
    WRITE(fd, w, syscall(SYS_pwrite64, fd, bytes, n, at), write_half(fd, bytes, n, at));
}

#ifdef __GLIBC__ /* musl's is the same function */
ssize_t pwrite64(int fd, const void *bytes, size_t n, off_t at)
{
    return pwrite(fd, bytes, n, at);
}
#endif

static size_t bytes_of(const struct iovec *v, int count)
{
    size_t n = 0;
    for (int i = 0; i < count; i++)
        n += v[i].iov_len;
    return n;
}

ssize_t pwritev(int fd, const struct iovec *v, int count, off_t at)
{
    enum watched w = which(fd);
    if (w == NOT_WATCHED)
        return syscall(SYS_pwritev, fd, v, count, at, 0);
    if (lacks_room(w, (size_t)at + bytes_of(v, count)))
        return -1;
    WRITE(fd, w, syscall(SYS_pwritev, fd, v, count, at, 0), write_half(fd, v->iov_base, v->iov_len, at));
}

#ifdef RWF_DSYNC
ssize_t pwritev2(int fd, const struct iovec *v, int count, off_t at, int flags)
{
    enum watched w = which(fd);
    if ((flags & RWF_DSYNC) && atomic_load(&power.without_dsync)) {
        errno = atomic_load(&power.without_dsync);
        return -1;
    }
    ssize_t n = count == 1 ? pwrite(fd, v->iov_base, v->iov_len, at) : pwritev(fd, v, count, at);
    return n < 0 || !(flags & RWF_DSYNC) || w == NOT_WATCHED || sync_watched(w) == 0 ? n : -1;
}
#endif

#ifdef __GLIBC__
ssize_t pwritev64(int fd, const struct iovec *v, int count, off_t at)
{
    return pwritev(fd, v, count, at);
}
#endif

ssize_t writev(int fd, const struct iovec *v, int count)
{
    enum watched w = which(fd);
    if (w == NOT_WATCHED)
        return syscall(SYS_writev, fd, v, count);
    if (lacks_room(w, (size_t)lseek(fd, 0, SEEK_CUR) + bytes_of(v, count)))
        return -1;
    WRITE(fd, w, syscall(SYS_writev, fd, v, count), write_half(fd, v->iov_base, v->iov_len, lseek(fd, 0, SEEK_CUR)));
}

int fallocate(int fd, int mode, off_t at, off_t len)
{
    size_t end = (size_t)(at + len);
    enum watched w = which(fd);
    if (lacks_room(w, end))
        return -1;
    int code = (int)syscall(SYS_fallocate, fd, mode, at, len);
    if (w == DATA && code == 0 && end > atomic_load(&power.promised))
        atomic_store(&power.promised, end);
    return code;
}

#ifdef __GLIBC__
int fallocate64(int fd, int mode, off64_t at, off64_t len)
{
    return fallocate(fd, mode, at, len);
}
#endif

int ftruncate(int fd, off_t len)
{
    enum watched w = which(fd);
    if (w == NOT_WATCHED)
        return (int)syscall(SYS_ftruncate, fd, len);
    WRITE(fd, w, syscall(SYS_ftruncate, fd, len), (void)0);
}

#endif
