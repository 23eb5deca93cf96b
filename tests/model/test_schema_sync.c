/* A change of the schema whose sync fails: that is told, and what is read afterwards fits what the data has become. */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/api/handle.h"
#include "tests/folder.h"

static bool sync_fails;

int fdatasync(int fd)
{
    if (!sync_fails)
        return (int)syscall(SYS_fdatasync, fd);
    errno = EIO;
    return -1;
}

static wr_db *opened(const char *folder)
{
    struct wr_options options = WR_OPTIONS_INIT;
    wr_db *db;
    options.durability = WR_DURABILITY_FULL;
    assert_int_equal(wr_open(folder, &options, &db), WR_OK);
    return db;
}

static bool count_row(void *arg, wr_stmt *stmt)
{
    (void)stmt;
    ++*(int *)arg;
    return true;
}

/* The rows, or -1: there is nothing to be asked so. */
static int rows_of(wr_db *db, const char *cql)
{
    int rows = 0;
    enum wr_status st = wr_exec(db, cql, count_row, &rows);
    if (st == WR_OK)
        return rows;
    assert_int_equal(st, WR_INVALID);
    return -1;
}

static void assert_sound(wr_db *db)
{
    uint64_t findings;
    assert_int_equal(wr_check(db, NULL, NULL, &findings), WR_OK);
    assert_int_equal(findings, 0);
}

static void changes(void **state)
{
    static const struct {
        const char *change, *read;
        int rows;
    } cases[] = {
        { "DROP INDEX k.by_v", "SELECT * FROM k.t WHERE v = 1", -1 },
        { "DROP MATERIALIZED VIEW k.mv", "SELECT * FROM k.mv", -1 },
        { "DROP TABLE k.o", "SELECT * FROM k.o", -1 },
        { "TRUNCATE k.o", "SELECT * FROM k.o", 0 },
        { "CREATE INDEX ON k.o (v)", "SELECT * FROM k.o WHERE v = 1", 2 },
        { "CREATE MATERIALIZED VIEW k.ov AS SELECT * FROM k.o WHERE p IS NOT NULL AND v IS NOT NULL PRIMARY KEY (v, p)", "SELECT * FROM k.ov", 2 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char folder[200];
        make_folder(folder, sizeof folder);
        wr_db *db = opened(folder);
        exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
                 "CREATE TABLE k.t (p int PRIMARY KEY, v int); CREATE INDEX by_v ON k.t (v); CREATE TABLE k.o (p int PRIMARY KEY, v int);"
                 "CREATE MATERIALIZED VIEW k.mv AS SELECT * FROM k.t WHERE p IS NOT NULL AND v IS NOT NULL PRIMARY KEY (v, p);"
                 "INSERT INTO k.t (p, v) VALUES (1, 1); INSERT INTO k.o (p, v) VALUES (1, 1); INSERT INTO k.o (p, v) VALUES (2, 1)");
        sync_fails = true;
        assert_int_equal(wr_exec(db, cases[i].change, NULL, NULL), WR_IO);
        sync_fails = false;
        assert_int_equal(rows_of(db, cases[i].read), cases[i].rows);
        assert_sound(db);
        assert_int_equal(wr_close(db), WR_OK);
        db = opened(folder);
        assert_int_equal(rows_of(db, cases[i].read), cases[i].rows);
        assert_sound(db);
        assert_int_equal(wr_close(db), WR_OK);
        remove_folder(folder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(changes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
