/* A child that was forked while a database is open: none of its threads is there, and its files are the parent's. To close it in the child, as what cleans up at a
 * program's end does, comes back at once and changes nothing. */
#include "handle.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WRITES = 100, SECONDS_MOST = 20 };

static const char schema[] = "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}; USE k; CREATE TABLE t (p int PRIMARY KEY, c int)";

static void fork_and_close(const char *path, enum wr_durability durability)
{
    struct wr_options options = WR_OPTIONS_INIT;
    wr_db *db, *second;
    int status;

    options.durability = durability;
    assert_int_equal(wr_open(path, &options, &db), WR_OK);
    assert_int_equal(wr_attach(db, &second), WR_OK);
    exec(db, schema);
    for (int i = 0; i < WRITES; i++)
        insert_number(db, i);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS_MOST);
        _exit(wr_close(second) != WR_OK || wr_close(db) != WR_OK);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    for (int i = WRITES; i < 2 * WRITES; i++)
        insert_number(db, i);
    assert_int_equal(count(db), 2 * WRITES);
    assert_int_equal(wr_close(second), WR_OK);
    assert_int_equal(wr_close(db), WR_OK);
    if (!path)
        return;
    assert_int_equal(wr_open(path, &options, &db), WR_OK);
    exec(db, "USE k");
    assert_int_equal(count(db), 2 * WRITES);
    exec(db, "DROP KEYSPACE k");
    assert_int_equal(wr_close(db), WR_OK);
}

static void closing_it_in_the_child_leaves_it_to_the_parent(void **state)
{
    static const enum wr_durability modes[] = { WR_DURABILITY_PERIODIC, WR_DURABILITY_FULL, WR_DURABILITY_NONE };
    char folder[] = "/tmp/widerow-test-XXXXXX", remove[64];
    (void)state;

    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        fork_and_close(folder, modes[i]);
    fork_and_close(NULL, WR_DURABILITY_PERIODIC);
    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    assert_int_equal(system(remove), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(closing_it_in_the_child_leaves_it_to_the_parent) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
