/* Answers model/virtual.h and model/failure.h where memory is short; what tables say is in
 * tests/conformance/system_virtual.cql. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/rig.h"
#include "widerow.h"

static void on_change(void *arg, const struct wr_schema_change *change)
{
    assert_non_null(change->keyspace);
    ++*(int *)arg;
}

static bool next_client(void *arg, uint32_t i, struct wr_client *out)
{
    static const char *const options[] = { "DRIVER_NAME", "a driver" };
    (void)arg;
    *out = (struct wr_client){
        .address = "::1", .port = (uint16_t)i, .driver_name = "a driver", .options = options, .option_count = 1
    };
    return i < 40;
}

static enum wr_status read_all(wr_db *db, const char *cql, int *rows)
{
    wr_stmt *s;
    enum wr_status st = wr_prepare(db, cql, -1, &s);
    if (st != WR_OK)
        return st;
    while ((st = wr_step(s)) == WR_ROW)
        ++*rows;
    wr_finalize(s);
    return st == WR_DONE ? WR_OK : st;
}

/* Statements that have a failure other than for want of memory give WR_OK here. */
static enum wr_status fails(wr_db *db, const char *cql, enum wr_status expected)
{
    struct wr_failure f;
    enum wr_status st = wr_exec(db, cql, NULL, NULL);
    wr_failure(db, &f);
    assert_int_equal(f.status, st);
    return st == expected ? WR_OK : st;
}

static enum wr_status story(wr_db *db)
{
    static const struct {
        const char *cql;
        int rows;
    } reads[] = {
        { "SELECT * FROM system_views.settings WHERE name = 'cluster_name'", 1 },
        { "SELECT DISTINCT keyspace_name FROM system_virtual_schema.tables", 2 },
        { "SELECT * FROM system_virtual_schema.columns WHERE keyspace_name = 'system_views' AND table_name = "
          "'settings'",
          2 },
        { "SELECT * FROM system_views.clients", 40 },
        { "SELECT * FROM system_views.disk_usage WHERE keyspace_name = 'k' AND table_name = 't'", 1 },
        { "SELECT * FROM system.size_estimates WHERE keyspace_name = 'k' AND table_name = 't'", 2 },
        { "SELECT * FROM system.table_estimates WHERE token(keyspace_name) = token('k')", 4 },
    };
    enum wr_status st;
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        int rows = 0;
        if ((st = read_all(db, reads[i].cql, &rows)) != WR_OK)
            return st;
        assert_int_equal(rows, reads[i].rows);
    }
    if ((st = fails(db, "CREATE TABLE k.t (p int PRIMARY KEY)", WR_ALREADY_EXISTS)) != WR_OK)
        return st;
    return fails(db, "SELECT v / 0 FROM k.t", WR_FUNCTION_FAILURE);
}

static wr_db *open_db(int *changes)
{
    wr_db *db;
    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    assert_int_equal(
        wr_exec(db,
                "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
                "CREATE TABLE k.t (p int PRIMARY KEY, v int); INSERT INTO k.t (p, v) VALUES (1, 1);",
                NULL, NULL),
        WR_OK);
    assert_int_equal(wr_on_schema_change(db, on_change, changes), WR_OK);
    assert_int_equal(wr_set_clients(db, next_client, NULL), WR_OK);
    return db;
}

static void each_call_for_memory(void **state)
{
    int changes = 0, failures = 0;
    wr_db *db = open_db(&changes);
    enum wr_status st = WR_NOMEM;
    (void)state;
    for (long n = 0; st != WR_OK; n++) {
        rig.mem_fail_after = n;
        st = story(db);
        bool came_due = rig.mem_fail_after < 0;
        rig.mem_fail_after = -1;
        if (st != WR_OK) {
            assert_int_equal(st, WR_NOMEM);
            assert_true(came_due);
            failures++;
        }
        assert_true(n < 10000);
    }
    assert_true(failures > 10);
    assert_int_equal(wr_close(db), WR_OK);
}

/* A change that is made is made, whoever could be told of it. */
static void changes_are_made_though_nobody_is_told(void **state)
{
    int changes = 0;
    wr_db *db = open_db(&changes);
    (void)state;
    for (long n = 0; n < 400 && changes < 2; n++) {
        changes = 0;
        rig.mem_fail_after = n;
        enum wr_status st =
            wr_exec(db, "CREATE KEYSPACE x WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
                    NULL, NULL);
        rig.mem_fail_after = -1;
        assert_true(st == WR_OK || st == WR_NOMEM);
        assert_int_equal(wr_use(db, "x"), st == WR_OK ? WR_OK : WR_INVALID);
        if (st == WR_OK)
            assert_int_equal(wr_exec(db, "DROP KEYSPACE x", NULL, NULL), WR_OK);
    }
    assert_int_equal(changes, 2);
    assert_int_equal(wr_close(db), WR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_call_for_memory),
                                        cmocka_unit_test(changes_are_made_though_nobody_is_told) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
