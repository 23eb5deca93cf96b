/* A disk that cannot be read where a database is put back: that is told, whichever read it is, and nothing is taken for its end. */
#include <errno.h>
#include <sys/syscall.h>

#include "tests/engine/disk.h"

static long fail_after = -1; /* reads; -1: none fails */

ssize_t pread(int fd, void *bytes, size_t n, off_t at)
{
    if (fail_after < 0 || fail_after-- > 0)
        return syscall(SYS_pread64, fd, bytes, n, at);
    errno = EIO;
    return -1;
}

static void after_a_loss_of_power(void **state)
{
    static struct versions live, synced;
    struct database db, image;
    uint64_t seed = 7;
    enum wr_status st;
    long n = 0;
    (void)state;

    new_disk(&db, DURABILITY_PERIODIC);
    fill(&db, &live);
    change(&db, &live, &seed, 30);
    OK(&db.ctx, engine_sync(&db.ctx, db.engine));
    synced = live;
    change(&db, &live, &seed, 1500); /* until pages are saved that were given up */
    struct file sync = load(&db, "widerow.sync");
    change_boot(sync);
    make_image(&image, load(&db, "widerow.db"), sync, load_undo(&db, &seed));
    do {
        fail_after = n++;
        st = try_open(&image, DURABILITY_PERIODIC, false);
        bool failed = fail_after < 0;
        fail_after = -1;
        assert_true(st == WR_OK || (st == WR_IO && failed));
    } while (st != WR_OK);
    assert_true(n > 10);
    assert_true(holds(&image, &synced));
    database_close(&image);
    database_close(&db);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(after_a_loss_of_power) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
