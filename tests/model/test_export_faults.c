/* wr_schema_export, wr_table_export and wr_table_cells with each of its calls for memory, and of the store, failing in turn: an error, or all of it; never a
 * crash. */
#include "engine/rig.h"

#include "tests/api/handle.h"

enum { COMMENT = 100000 /* which has no room in what there is of memory */ };

static wr_db *open_filled(void)
{
    struct wr_options options = WR_OPTIONS_INIT;
    static char comment[COMMENT + 64];
    wr_db *db;
    options.clock_us = INT64_C(1500000000000000);
    assert_int_equal(wr_open(NULL, &options, &db), WR_OK);
    exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
             "CREATE TYPE k.pair (a int, b text);"
             "CREATE TABLE k.t (p decimal, c text, s int static, v frozen<map<decimal, frozen<pair>>>, m map<decimal, int>, l list<int>, u k.pair,"
             "    PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c DESC);"
             "INSERT INTO k.t (p, c, s, v, m, l, u) VALUES (1.0, 'a', 1, {1.50: {a: 1}}, {1.0: 1, 2.50: 2}, [1, 2], {a: 1, b: 'x'});"
             "UPDATE k.t USING TTL 100 SET m[3.0] = 3, l = l + [3], u.b = 'y' WHERE p = 1.0 AND c = 'a';"
             "DELETE m[2.5] FROM k.t WHERE p = 1.0 AND c = 'a';"
             "DELETE FROM k.t WHERE p = 1.0 AND c > 'b' AND c < 'd'; DELETE FROM k.t WHERE p = 2");
    int len = sprintf(comment, "ALTER TABLE k.t WITH comment = '");
    memset(comment + len, 'c', COMMENT);
    memcpy(comment + len + COMMENT, "'", 2);
    exec(db, comment);
    return db;
}

static bool add_length(void *arg, const char *cql, size_t len)
{
    (void)cql;
    *(size_t *)arg += len;
    return true;
}

static enum wr_status export(wr_db *db, size_t *len)
{
    *len = 0;
    return wr_table_export(db, "k", "t", INT64_MIN, 4096, add_length, len);
}

static enum wr_status schema(wr_db *db, size_t *len)
{
    *len = 0;
    enum wr_status st = wr_schema_export(db, NULL, NULL, add_length, len);
    assert_true(st != WR_OK || *len > COMMENT);
    return st;
}

static bool count_cell(void *arg, const struct wr_cell *cell)
{
    (void)cell;
    ++*(size_t *)arg;
    return true;
}

static enum wr_status cells(wr_db *db, size_t *count)
{
    *count = 0;
    return wr_table_cells(db, "k", "t", NULL, count_cell, count);
}

static void each_call_for_memory(enum wr_status (*tell)(wr_db *db, size_t *len))
{
    wr_db *db = open_filled();
    size_t whole, len;
    enum wr_status st = WR_NOMEM;
    assert_int_equal(tell(db, &whole), WR_OK);
    for (long n = 0; st != WR_OK; n++) {
        rig.mem_fail_after = n;
        st = tell(db, &len);
        rig.mem_fail_after = -1;
        assert_true(st == WR_OK ? len == whole : st == WR_NOMEM);
        assert_true(n < 1000);
    }
    assert_int_equal(wr_close(db), WR_OK);
}

static void each_call_for_memory_of_statements(void **state)
{
    (void)state;
    each_call_for_memory(export);
}

static void each_call_for_memory_of_a_schema(void **state)
{
    (void)state;
    each_call_for_memory(schema);
}

static void each_call_for_memory_of_cells(void **state)
{
    (void)state;
    each_call_for_memory(cells);
}

static void each_call_of_the_store(void **state)
{
    (void)state;
    wr_db *db = open_filled();
    size_t whole, len;
    enum wr_status st = WR_IO;
    long n = 0;
    assert_int_equal(export(db, &whole), WR_OK);
    for (; st != WR_OK; n++) {
        rig.store_fail_after = n;
        st = export(db, &len);
        rig.store_fail_after = -1;
        assert_true(st == WR_OK ? len == whole : st == WR_IO);
        assert_true(n < 1000);
    }
    assert_true(n > 5);
    assert_int_equal(wr_close(db), WR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_call_for_memory_of_a_schema), cmocka_unit_test(each_call_for_memory_of_statements),
                                        cmocka_unit_test(each_call_for_memory_of_cells), cmocka_unit_test(each_call_of_the_store) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
