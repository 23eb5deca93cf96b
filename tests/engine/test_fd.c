#include "engine/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/engine/database.h"

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) != -1;
}

static void a_file_is_lifted_above_standard_error(void **state)
{
    (void)state;
    int in = dup(STDIN_FILENO), high = open("/", O_RDONLY | O_DIRECTORY);

    assert_true(high > STDERR_FILENO);
    assert_int_equal(fd_lift(high), high);
    assert_int_equal(fd_lift(-1), -1);
    close(STDIN_FILENO);
    int low = open("/", O_RDONLY | O_DIRECTORY);
    assert_int_equal(low, STDIN_FILENO);
    int lifted = fd_lift(low);
    assert_true(lifted > STDERR_FILENO && is_open(lifted) && !is_open(STDIN_FILENO));
    close(lifted);

    struct fd_places places;
    fd_take_places(&places);
    assert_int_equal(places.count, 1);
    assert_true(is_open(STDIN_FILENO));
    fd_free_places(&places);
    assert_false(is_open(STDIN_FILENO));
    close(high);
    if (in >= 0) {
        assert_int_equal(dup2(in, STDIN_FILENO), STDIN_FILENO);
        close(in);
    }
}

/* A program whose standard files are closed, and its database. Asserting prints, so it tells by its status. */
static int open_without(bool in_folder)
{
    struct engine_options options = { .create = true };
    struct database db;

    database_init(&db);
    if (in_folder)
        database_folder(&db);
    options.path = in_folder ? db.path : NULL;
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        close(fd);
    if (engine_open(&db.ctx, &options, &db.engine) != WR_OK)
        return 1;
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (is_open(fd))
            return 2;
    database_close(&db);
    return 0;
}

static void a_database_leaves_the_standard_numbers_alone(void **state)
{
    (void)state;
    for (int in_folder = 0; in_folder < 2; in_folder++) {
        pid_t child = fork();
        int status;
        if (child == 0)
            _exit(open_without(in_folder));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

/* The limit of a file's size is a disk that is full in the midst of a write. */
static void a_part_of_a_write_is_none(void **state)
{
    enum { LIMIT = 6 };
    struct rlimit before, least;
    char path[] = P_tmpdir "/widerow-test-XXXXXX";
    int fd = mkstemp(path);
    (void)state;

    assert_true(fd >= 0);
    unlink(path);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    least = (struct rlimit){ LIMIT, before.rlim_max };
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &least), 0);
    bool whole = fd_put(fd, "123456", LIMIT, 0);
    errno = ENOENT;
    bool part = fd_put(fd, "1234567", LIMIT + 1, 0);
    int code = errno;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_true(whole);
    assert_false(part);
    assert_int_equal(code, ENOSPC);
    close(fd);
    assert_false(fd_put(-1, "1", 1, 0));
    assert_int_equal(errno, EBADF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_lifted_above_standard_error),
        cmocka_unit_test(a_database_leaves_the_standard_numbers_alone),
        cmocka_unit_test(a_part_of_a_write_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
