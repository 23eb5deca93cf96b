/* Answers engine/logfile.h where several wait for a sync: who shares one, and who is told of a failure. */
#include "engine/logfile.h"

#include <errno.h>
#include <pthread.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "tests/engine/database.h"

/* ---- a sync that goes on until it is let, and a disk that writes nothing past its own cache ---- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int begun;  /* syncs */
    int let_go; /* so many may end */
    int error;  /* of one that ends; 0: it is done */
} disk = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .let_go = 1000 };

int fdatasync(int fd)
{
    (void)fd;
    pthread_mutex_lock(&disk.lock);
    const int mine = ++disk.begun;
    pthread_cond_broadcast(&disk.changed);
    while (disk.let_go < mine)
        pthread_cond_wait(&disk.changed, &disk.lock);
    const int error = disk.error;
    pthread_mutex_unlock(&disk.lock);
    errno = error;
    return error ? -1 : 0;
}

ssize_t pwritev2(int fd, const struct iovec *v, int count, off_t at, int flags)
{
    if (!flags)
        return pwritev(fd, v, count, at);
    errno = ENOTSUP;
    return -1;
}

static void wait_until_begun(int syncs)
{
    pthread_mutex_lock(&disk.lock);
    while (disk.begun < syncs)
        pthread_cond_wait(&disk.changed, &disk.lock);
    pthread_mutex_unlock(&disk.lock);
}

static void let_go(int syncs, int error)
{
    pthread_mutex_lock(&disk.lock);
    disk.let_go = syncs;
    disk.error = error;
    pthread_cond_broadcast(&disk.changed);
    pthread_mutex_unlock(&disk.lock);
}

/* ---- who waits ---- */

enum { WAITERS = 3 };

struct waiter {
    struct logfile *file;
    uint64_t place;
    enum wr_status status;
    pthread_t thread;
};

static void *wait_for_it(void *arg)
{
    struct waiter *w = arg;
    struct arena arena;
    struct ctx ctx;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    w->status = logfile_sync(&ctx, w->file, w->place);
    arena_release(&arena);
    return NULL;
}

static void start(struct waiter *w, struct logfile *file, size_t end)
{
    *w = (struct waiter){ .file = file, .place = logfile_put(file, end) };
    assert_int_equal(pthread_create(&w->thread, NULL, wait_for_it, w), 0);
}

/* It must not go on for ever: told within ten seconds. */
static void join(struct waiter *w, enum wr_status status)
{
    struct timespec until;
    assert_int_equal(clock_gettime(CLOCK_REALTIME, &until), 0);
    until.tv_sec += 10;
    assert_int_equal(pthread_timedjoin_np(w->thread, NULL, &until), 0);
    assert_int_equal(w->status, status);
}

/* One syncs, the others wait for the next; then this one ends as `error` says. */
static void sync_beside_others(int error)
{
    const struct timespec nap = { .tv_nsec = 20000000 };
    struct waiter first, others[WAITERS];
    struct folder folder;
    struct database db;
    struct logfile f;
    enum wr_status status = error ? WR_IO : WR_OK;

    database_init(&db);
    database_folder(&db);
    OK(&db.ctx, folder_open(&db.ctx, db.path, false, true, &folder));
    logfile_init(&f, &folder, true);
    assert_true(logfile_make(&f));
    memset(f.bytes, 'x', 1000);
    const int before = disk.begun;
    let_go(before, error);
    start(&first, &f, 200);
    wait_until_begun(before + 1);
    for (size_t i = 0; i < WAITERS; i++)
        start(&others[i], &f, 300 + i);
    nanosleep(&nap, NULL); /* they will be waiting; where they are not yet, less is looked at */
    let_go(1000, error);
    join(&first, status);
    for (size_t i = 0; i < WAITERS; i++)
        join(&others[i], status);
    assert_in_range(disk.begun - before, error ? 1 : 2, error ? 1 : 1 + WAITERS);
    logfile_release(&f);
    folder_discard_log(&folder);
    folder_close(&folder);
    let_go(1000, 0);
    database_close(&db);
}

static void who_waits_for_the_next_sync_has_it(void **state)
{
    (void)state;
    sync_beside_others(0);
}

static void a_failure_is_told_to_all_who_wait(void **state)
{
    (void)state;
    sync_beside_others(EIO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_waits_for_the_next_sync_has_it),
        cmocka_unit_test(a_failure_is_told_to_all_who_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
