/* Rows looked up by key among more partitions than the processor's caches have room for: memory is asked for ahead (keycache.h, partition_expect), and what is found is
 * what lies there, also in a snapshot of which no place is known yet, and for keys that have no row. */
#include "handle.h"

enum { PARTITIONS = 60000, ASKED = 50 };

static enum wr_status insert_all(void *arg)
{
    wr_stmt *insert = arg;

    for (int p = 0; p < PARTITIONS; p++) {
        wr_bind_int(insert, 0, 2 * p); /* every other number has no row */
        wr_bind_int(insert, 1, 3 * p);
        if (wr_step(insert) != WR_DONE)
            return WR_INVALID;
        wr_reset(insert);
    }
    return WR_OK;
}

static void check_one(wr_stmt *select, int key, int changed)
{
    wr_bind_int(select, 0, key);
    enum wr_status st = wr_step(select);
    assert_int_equal(st, key % 2 ? WR_DONE : WR_ROW);
    if (st == WR_ROW)
        assert_int_equal(wr_column_int(select, 0), key == changed ? -1 : key / 2 * 3);
    wr_reset(select);
}

/* Rows come by token, so they are counted and summed. No key is asked for twice. */
static void check_many(wr_stmt *select, int from, int by, int changed)
{
    int64_t sum = 0, expected = 0;
    int rows = 0, expected_rows = 0;

    wr_bind_open(select, 0);
    for (int i = 0; i < ASKED; i++) {
        int key = (from + i * by) % (2 * PARTITIONS);
        wr_bind_int(select, WR_ELEMENT, key);
        expected_rows += key % 2 == 0;
        expected += key % 2 ? 0 : key == changed ? -1 : key / 2 * 3;
    }
    wr_bind_close(select);
    for (; wr_step(select) == WR_ROW; rows++)
        sum += wr_column_int(select, 0);
    assert_string_equal(wr_stmt_error(select), "");
    assert_int_equal(rows, expected_rows);
    assert_int_equal(sum, expected);
    wr_reset(select);
}

static void check_all(wr_stmt *one, wr_stmt *many, int changed)
{
    for (int pass = 0; pass < 3; pass++)
        for (int key = 0; key < 2 * PARTITIONS; key++)
            check_one(one, key, changed);
    for (int i = 0; i < 500; i++)
        check_many(many, i * 7919 % (2 * PARTITIONS), 1 + i * 2 % 601, changed);
}

static void what_is_asked_for_ahead_is_found(void **state)
{
    wr_db *db;
    (void)state;

    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}; USE k;"
             "CREATE TABLE t (p int PRIMARY KEY, v int)");
    wr_stmt *insert = prepare(db, "INSERT INTO t (p, v) VALUES (?, ?)");
    assert_int_equal(wr_atomically(db, insert_all, insert), WR_OK);
    wr_stmt *one = prepare(db, "SELECT v FROM t WHERE p = ?"), *many = prepare(db, "SELECT v FROM t WHERE p IN ?");
    check_all(one, many, -1);
    wr_bind_int(insert, 0, 1000);
    wr_bind_int(insert, 1, -1);
    assert_int_equal(wr_step(insert), WR_DONE);
    check_many(many, 990, 1, 1000); /* no place is known in this snapshot */
    check_all(one, many, 1000);
    wr_finalize(insert);
    wr_finalize(one);
    wr_finalize(many);
    assert_int_equal(wr_close(db), WR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(what_is_asked_for_ahead_is_found) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
