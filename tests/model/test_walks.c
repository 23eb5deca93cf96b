/* Which reads ask for partitions of which nothing is alive to be moved out of their way (engine/tidy.h), and that all read the same then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#undef fail /* ours is engine/ctx.h's */

#include "model/api.h"

enum { KEYS = 2100, LIVE = 3, WAITS = 500 };

static void must(bool right, const char *cql, const char *what)
{
    if (!right)
        print_message("%s: %s\n", cql, what);
    assert_true(right);
}

static void exec(wr_db *db, const char *cql)
{
    must(wr_exec(db, cql, NULL, NULL) == WR_OK, cql, wr_error(db));
}

static wr_stmt *prepare(wr_db *db, const char *cql)
{
    wr_stmt *stmt;
    must(wr_prepare(db, cql, -1, &stmt) == WR_OK, cql, wr_error(db));
    return stmt;
}

static void for_keys(wr_db *db, const char *cql, int from, int to)
{
    wr_stmt *stmt = prepare(db, cql);

    for (int key = from; key < to; key++) {
        assert_int_equal(wr_bind_int(stmt, 0, key), WR_OK);
        assert_int_equal(wr_step(stmt), WR_DONE);
    }
    wr_finalize(stmt);
}

static wr_db *open_tables(void)
{
    struct wr_options options = WR_OPTIONS_INIT;
    wr_db *db;

    options.clock_us = 1900000000000000;
    assert_int_equal(wr_open(NULL, &options, &db), WR_OK);
    exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}; USE k");
    exec(db, "CREATE TABLE e (p int PRIMARY KEY, v int); CREATE TABLE r (p int, c int, s int static, v int, PRIMARY KEY (p, c))");
    return db;
}

/* Entries that walks over a table come by. */
static int living(wr_db *db, const char *name)
{
    struct database *database = db->database;
    struct schema *schema = database_schema(database);
    const struct table *table = schema_table(schema, slice_str("k"), slice_str(name));
    struct partitions *partitions = NULL;
    struct partition partition;
    struct arena arena;
    struct ctx ctx;
    struct txn *txn;
    bool found = true;
    int n = -1;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    assert_non_null(table);
    assert_int_equal(txn_begin_read(&ctx, database->engine, &txn), WR_OK);
    assert_int_equal(partitions_new(&ctx, &partitions), WR_OK);
    assert_int_equal(partitions_open(&ctx, partitions, txn, &table->shape, INT64_MIN, INT64_MAX, SLICE_NULL), WR_OK);
    for (; found; n++)
        assert_int_equal(partitions_next(&ctx, partitions, &partition, &found), WR_OK);
    partitions_free(partitions);
    txn_abort(&txn);
    schema_release(schema);
    arena_release(&arena);
    return n;
}

/* Until the database's own thread has done it, or this one. */
static int living_soon(wr_db *db, const char *name, int expected)
{
    int n = living(db, name);

    for (int i = 0; n != expected && i < WAITS; i++) {
        assert_int_equal(wr_sweep(db, 0), WR_OK);
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
        n = living(db, name);
    }
    return n;
}

static int rows(wr_stmt *stmt)
{
    enum wr_status st;
    int n = 0;

    while ((st = wr_step(stmt)) == WR_ROW)
        n++;
    assert_int_equal(st, WR_DONE);
    return n;
}

static void check_database(wr_db *db)
{
    uint64_t findings;
    assert_int_equal(wr_check(db, NULL, NULL, &findings), WR_OK);
    assert_int_equal(findings, 0);
}

/* The read twice, since what it steps over behind the last thousand is not asked for by the first one; and its rows once more. */
static void check_read(wr_db *db, const char *cql, int expected, const char *table, int left)
{
    wr_stmt *stmt = prepare(db, cql);

    for (int i = 0; i < 2; i++)
        must(rows(stmt) == expected, cql, "its rows");
    int n = living_soon(db, table, left);
    if (n != left)
        print_message("%d entries, not %d\n", n, left);
    must(n == left, cql, "what it left");
    assert_int_equal(rows(stmt), expected);
    wr_finalize(stmt);
}

static void deleted_keys(void **state)
{
    static const char *const reads[] = { "SELECT * FROM e", "SELECT p, TTL(v) FROM e", "SELECT DISTINCT p FROM e", "SELECT * FROM e WHERE v = 1 ALLOW FILTERING",
                                         "SELECT JSON * FROM e", "SELECT * FROM e WHERE token(p) <= 9223372036854775807" };
    (void)state;
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        wr_db *db = open_tables();
        for_keys(db, "INSERT INTO e (p, v) VALUES (?, 1)", 0, KEYS);
        for_keys(db, "DELETE FROM e WHERE p = ?", LIVE, KEYS);
        assert_int_equal(living(db, "e"), KEYS);
        check_read(db, reads[i], LIVE, "e", LIVE);
        for_keys(db, "UPDATE e USING TIMESTAMP 5 SET v = 2 WHERE p = ?", 0, KEYS); /* older: covered */
        for_keys(db, "UPDATE e SET v = 1 WHERE p = ?", LIVE, 2 * LIVE);
        check_read(db, reads[i], 2 * LIVE, "e", 2 * LIVE);
        check_database(db);
        wr_close(db);
    }
}

static void what_has_expired(void **state)
{
    (void)state;
    wr_db *db = open_tables();
    for_keys(db, "INSERT INTO e (p, v) VALUES (?, 1) USING TTL 100", LIVE, KEYS);
    for_keys(db, "INSERT INTO r (p, c, v) VALUES (?, 1, 1) USING TTL 100", LIVE, KEYS);
    for_keys(db, "INSERT INTO e (p, v) VALUES (?, 1)", 0, LIVE);
    for_keys(db, "INSERT INTO r (p, c, v) VALUES (?, 1, 1)", 0, LIVE);
    wr_clock_step(db, 101 * INT64_C(1000000));
    assert_int_equal(wr_sweep(db, 0), WR_OK);
    check_read(db, "SELECT * FROM e", LIVE, "e", LIVE);
    check_read(db, "SELECT * FROM r", LIVE, "r", LIVE);
    check_database(db);
    wr_close(db);
}

static void partitions_without_rows(void **state)
{
    static const char *const reads[] = { "SELECT * FROM r", "SELECT v FROM r", "SELECT DISTINCT p, s FROM r", "SELECT count(*), p FROM r GROUP BY p" };
    (void)state;
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        wr_db *db = open_tables();
        for_keys(db, "INSERT INTO r (p, c, v) VALUES (?, 1, 1)", 0, KEYS);
        for_keys(db, "INSERT INTO r (p, s) VALUES (?, 1)", 0, 1);
        for_keys(db, i % 2 ? "DELETE FROM r WHERE p = ?" : "DELETE FROM r WHERE p = ? AND c = 1", LIVE, KEYS);
        check_read(db, reads[i], LIVE, "r", LIVE);
        check_database(db);
        wr_close(db);
    }
}

/* Where nothing was found because of what was asked for, nothing is moved, and nobody looks for it again and again. */
static void reads_of_parts_do_not_ask(void **state)
{
    static const char *const reads[] = { "SELECT * FROM r WHERE c > 5 ALLOW FILTERING", "SELECT * FROM r WHERE c = 2 ALLOW FILTERING", "SELECT * FROM r WHERE v = 5 ALLOW FILTERING" };
    (void)state;
    wr_db *db = open_tables();
    for_keys(db, "INSERT INTO r (p, c, v) VALUES (?, 1, 1)", 0, KEYS);
    for_keys(db, "DELETE FROM r WHERE p = ?", KEYS, 2 * KEYS);
    for (size_t i = 0; i < 2; i++)
        check_read(db, reads[i], 0, "r", 2 * KEYS);
    check_read(db, reads[2], 0, "r", KEYS);
    wr_close(db);
}

static void families(void **state)
{
    struct wr_cf_def def = { .keyspace = "k", .name = "f", .comparator = "UTF8Type", .gc_grace_s = -1 };
    const struct wr_bytes name = { (const unsigned char *)"c", 1 }, none = { 0 };
    wr_cf_result *result;
    wr_cf *cf;

    (void)state;
    wr_db *db = open_tables();
    assert_int_equal(wr_cf_create(db, &def), WR_OK);
    assert_int_equal(wr_cf_open(db, "k", "f", &cf), WR_OK);
    for (int key = 0; key < KEYS; key++) {
        const struct wr_bytes k = { (const unsigned char *)&key, sizeof key };
        const struct wr_cf_column column = { .name = name, .value = name, .timestamp_us = 5 };
        assert_int_equal(wr_cf_insert(cf, k, &column), WR_OK);
        if (key >= LIVE)
            assert_int_equal(wr_cf_remove(cf, k, key % 2 ? name : none, 6), WR_OK);
    }
    assert_int_equal(living(db, "f"), KEYS);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(wr_cf_get_range_slices(cf, none, none, 0, NULL, &result), WR_OK);
        assert_int_equal(wr_cf_result_rows(result), LIVE);
        wr_cf_result_free(result);
    }
    assert_int_equal(living_soon(db, "f", LIVE), LIVE);
    assert_int_equal(wr_cf_get_range_slices(cf, none, none, 0, NULL, &result), WR_OK);
    assert_int_equal(wr_cf_result_rows(result), LIVE);
    wr_cf_result_free(result);
    wr_cf_close(cf);
    wr_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deleted_keys),          cmocka_unit_test(what_has_expired),
        cmocka_unit_test(partitions_without_rows), cmocka_unit_test(reads_of_parts_do_not_ask),
        cmocka_unit_test(families),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
