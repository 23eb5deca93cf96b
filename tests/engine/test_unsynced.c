/* A new database that cannot be synced: whichever sync fails that is told, a backup is none, and the next try makes it. */
#include <errno.h>
#include <sys/syscall.h>

#include "tests/engine/disk.h"

static long fail_after = -1; /* syncs; -1: none fails */

static int sync_by(long call, int fd)
{
    if (fail_after < 0 || fail_after-- > 0)
        return (int)syscall(call, fd);
    errno = EIO;
    return -1;
}

int fsync(int fd)
{
    return sync_by(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    return sync_by(SYS_fdatasync, fd);
}

static bool is_there(const struct database *db)
{
    char path[256];
    struct stat stat_of;
    snprintf(path, sizeof path, "%s/widerow.db", db->path);
    return stat(path, &stat_of) == 0;
}

typedef enum wr_status maker(struct database *from, struct database *made);

static enum wr_status make_by_opening(struct database *from, struct database *made)
{
    (void)from;
    return try_open(made, DURABILITY_FULL, false);
}

static enum wr_status make_by_backup(struct database *from, struct database *made)
{
    return engine_backup(&from->ctx, from->engine, made->path);
}

/* Each sync of it in turn; how many there are. */
static long fail_each_sync(maker *make, struct database *from, struct database *made)
{
    enum wr_status st;
    long n = 0;

    do {
        fail_after = n++;
        st = make(from, made);
        bool failed = fail_after < 0;
        fail_after = -1;
        assert_int_equal(st, failed ? WR_IO : WR_OK);
        assert_true(!failed || !is_there(made) || make == make_by_opening); /* which goes on when it is there */
    } while (st != WR_OK);
    return n - 1;
}

static void is_none(void **state)
{
    static struct versions live;
    struct database db, copy;
    (void)state;

    database_init(&db);
    database_folder(&db);
    assert_true(fail_each_sync(make_by_opening, NULL, &db) >= 3);
    memset(&live, 0, sizeof live);
    fill(&db, &live);
    database_init(&copy);
    database_folder(&copy);
    assert_true(fail_each_sync(make_by_backup, &db, &copy) >= 3);
    OK(&copy.ctx, try_open(&copy, DURABILITY_FULL, true));
    assert_true(holds(&copy, &live));
    database_close(&copy);
    database_close(&db);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(is_none) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
