/* Column masks as a host turns them on (widerow.h); what they show is recorded in tests/conformance/masks_seen.cql. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../folder.h"
#include "widerow.h"

static void run(wr_db *db, const char *cql)
{
    if (wr_exec(db, cql, NULL, NULL) != WR_OK)
        fail_msg("%s: %s", cql, wr_error(db));
}

static void assert_step(wr_stmt *stmt, int64_t expected)
{
    enum wr_status st = wr_step(stmt);
    if (st != WR_ROW)
        fail_msg("%s", wr_stmt_error(stmt));
    assert_int_equal(wr_column_int(stmt, 0), expected);
    wr_reset(stmt);
}

static wr_stmt *prepared(wr_db *db, const char *cql)
{
    wr_stmt *stmt;
    if (wr_prepare(db, cql, -1, &stmt) != WR_OK)
        fail_msg("%s: %s", cql, wr_error(db));
    return stmt;
}

static void minus_one(wr_call *call, void *arg)
{
    (void)arg;
    wr_return_int(call, wr_value_int(wr_call_arg(call, 0)) - wr_value_int(wr_call_arg(call, 1)));
}

static const char schema[] = "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'};"
                             "CREATE TABLE k.t (p int PRIMARY KEY, v int MASKED WITH mask_replace(77));"
                             "INSERT INTO k.t (p, v) VALUES (1, 5);";

static void test_off(void **state)
{
    wr_db *db;
    (void)state;
    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    assert_int_equal(wr_exec(db, schema, NULL, NULL), WR_INVALID);
    assert_string_equal(wr_error(db),
                        "Cannot mask columns because dynamic data masking is not enabled. You can enable it with the "
                        "dynamic_data_masking_enabled property on cassandra.yaml");
    assert_int_equal(wr_close(db), WR_OK);
}

/* Of a statement that was prepared before, by whom it was prepared, and after the database has been opened again. */
static void test_seen(void **state)
{
    char folder[200];
    wr_db *db, *other;
    (void)state;
    make_folder(folder, sizeof folder);
    assert_int_equal(wr_open(folder, NULL, &db), WR_OK);
    wr_set_masking(db, true);
    run(db, schema);
    assert_int_equal(wr_attach(db, &other), WR_OK);
    wr_stmt *clear = prepared(db, "SELECT v FROM k.t"), *masked = prepared(other, "SELECT v FROM k.t");
    assert_step(masked, 5);
    wr_set_unmask(other, false);
    assert_step(masked, 77);
    assert_step(clear, 5);
    wr_set_masking(db, false);
    assert_step(masked, 5);
    wr_finalize(clear);
    wr_finalize(masked);
    assert_int_equal(wr_close(other), WR_OK);
    assert_int_equal(wr_close(db), WR_OK);

    assert_int_equal(wr_open(folder, NULL, &db), WR_OK);
    wr_set_unmask(db, false);
    masked = prepared(db, "SELECT v FROM k.t");
    assert_step(masked, 5);
    wr_set_masking(db, true);
    assert_step(masked, 77);
    wr_finalize(masked);
    uint64_t findings;
    assert_int_equal(wr_check(db, NULL, NULL, &findings), WR_OK);
    assert_int_equal(findings, 0);
    assert_int_equal(wr_close(db), WR_OK);
    remove_folder(folder);
}

static void test_host_function(void **state)
{
    struct wr_function f = { "k", "less", "int, int", "int", 0, minus_one, NULL, NULL };
    wr_db *db;
    (void)state;
    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    wr_set_masking(db, true);
    run(db, schema);
    assert_int_equal(wr_function_register(db, &f), WR_OK);
    run(db, "ALTER TABLE k.t ALTER v MASKED WITH k.less(3)");
    wr_set_unmask(db, false);
    wr_stmt *masked = prepared(db, "SELECT v FROM k.t");
    assert_step(masked, 2);
    f.call = NULL;
    assert_int_equal(wr_function_register(db, &f), WR_OK);
    assert_int_equal(wr_step(masked), WR_INVALID); /* never what is behind */
    assert_string_equal(wr_stmt_error(masked),
                        "Unable to find masking function k.less of column v: it is not registered");
    wr_finalize(masked);
    assert_int_equal(wr_close(db), WR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_off),
        cmocka_unit_test(test_seen),
        cmocka_unit_test(test_host_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
