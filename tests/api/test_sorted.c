/* ORDER BY with a LIMIT over several partitions: of each no more is read than may be given, and what is given is what reading all of them gives, which is
 * what a handle does that counts tombstones. */
#include "handle.h"

enum { PARTITIONS = 9, ROWS = 12 };

static int setup(void **state)
{
    wr_db *db;
    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}; USE k;"
             "CREATE TABLE t (p int, c int, d int, v int, s int static, PRIMARY KEY (p, c, d)) WITH CLUSTERING ORDER BY (c DESC, d ASC)");
    wr_stmt *insert = prepare(db, "INSERT INTO t (p, c, d, v, s) VALUES (?, ?, ?, ?, 5)");
    for (int p = 0; p < PARTITIONS; p++)
        for (int i = 0; i < ROWS; i++) {
            wr_bind_int(insert, 0, p);
            wr_bind_int(insert, 1, i * (p + 3) % 7); /* most are in many partitions */
            wr_bind_int(insert, 2, i % 3);
            wr_bind_int(insert, 3, p * ROWS + i);
            assert_int_equal(wr_step(insert), WR_DONE);
        }
    wr_finalize(insert);
    exec(db, "DELETE FROM t WHERE p = 3 AND c = 2; DELETE v FROM t WHERE p = 4 AND c = 1 AND d = 0; DELETE FROM t WHERE p = 6;"
             "INSERT INTO t (p, s) VALUES (70, 1); INSERT INTO t (p, s) VALUES (71, 1)");
    *state = db;
    return 0;
}

static unsigned read_all(wr_stmt *s, int64_t *out, unsigned room)
{
    unsigned n = 0;
    while (wr_step(s) == WR_ROW) {
        assert_true(n < room);
        out[n++] = (wr_column_int(s, 0) << 16) + (wr_column_is_null(s, 1) ? 99 : wr_column_int(s, 1)) * 256 + wr_column_int(s, 2) * 16;
    }
    assert_string_equal(wr_stmt_error(s), "");
    return n;
}

static void the_first_of_all_partitions(void **state)
{
    static const char *const wheres[] = {
        "p IN (8, 2, 5, 1, 3, 4, 0)", "p IN (8, 6, 100, 5, 1, 70, 71, 4)", "p IN (5, 6, 7) AND c > 1", "p IN (5, 4, 3) AND c IN (1, 2, 5)",
        "p IN (1, 2, 3, 4) AND v > 20",
    };
    static const char *const orders[] = { "c DESC", "c ASC", "c DESC, d ASC", "c ASC, d DESC" };
    wr_db *db = *state;
    int64_t some[PARTITIONS * ROWS], all[PARTITIONS * ROWS];
    char cql[300];
    unsigned given = 0;

    for (unsigned w = 0; w < 5; w++)
        for (unsigned o = 0; o < 4; o++)
            for (unsigned each = 0; each < 2; each++) {
                snprintf(cql, sizeof cql, "SELECT p, c, d, v FROM t WHERE %s ORDER BY %s %s LIMIT ? ALLOW FILTERING", wheres[w], orders[o],
                         each ? "PER PARTITION LIMIT 4" : "");
                wr_stmt *s = prepare(db, cql);
                for (int limit = 1; limit <= 40; limit++) {
                    wr_bind_int(s, 0, limit);
                    wr_set_tombstone_thresholds(db, 0, 0);
                    unsigned n = read_all(s, some, PARTITIONS * ROWS);
                    wr_set_tombstone_thresholds(db, 1000, 0);
                    assert_int_equal(read_all(s, all, PARTITIONS * ROWS), n);
                    assert_memory_equal(some, all, n * sizeof *all);
                    assert_true(n <= (unsigned)limit);
                    given += n;
                }
                wr_finalize(s);
            }
    assert_true(given > 10000);
}

/* What a server meets in the rows behind the limit is told. */
static void what_lies_behind_the_limit(void **state)
{
    wr_db *db = *state;
    exec(db, "CREATE TABLE behind (p int, c int, v int, PRIMARY KEY (p, c)); INSERT INTO behind (p, c, v) VALUES (1, 0, 1);"
             "INSERT INTO behind (p, c, v) VALUES (1, 1, 0); INSERT INTO behind (p, c, v) VALUES (2, 0, 1);"
             "DELETE FROM behind WHERE p = 1 AND c = 7; DELETE FROM behind WHERE p = 1 AND c = 8");
    wr_stmt *s = prepare(db, "SELECT p, 10 / v FROM behind WHERE p IN (1, 2) ORDER BY c LIMIT 1");
    assert_int_equal(wr_step(s), WR_FUNCTION_FAILURE);
    wr_finalize(s);
    wr_set_tombstone_thresholds(db, 1, 0);
    s = prepare(db, "SELECT p FROM behind WHERE p IN (1, 2) ORDER BY c LIMIT 1");
    assert_int_equal(wr_step(s), WR_ROW);
    assert_non_null(wr_stmt_warning(s, 0));
    wr_finalize(s);
    wr_set_tombstone_thresholds(db, 0, 0);
}

/* The order of texts is not that of a partition's rows: all of them are read. */
static void texts_of_all_partitions(void **state)
{
    static const char *const orders[] = { "c DESC", "c ASC, d DESC" };
    wr_db *db = *state;
    char cql[300], some[40][64];

    for (unsigned o = 0; o < 2; o++) {
        exec(db, "UPDATE t SET v = 1 WHERE p = 8 AND c = 100 AND d = 1; UPDATE t SET v = 1 WHERE p = 5 AND c = 20 AND d = 1");
        snprintf(cql, sizeof cql, "SELECT JSON * FROM t WHERE p IN (8, 2, 5, 1) ORDER BY %s LIMIT ?", orders[o]);
        wr_stmt *s = prepare(db, cql);
        for (int limit = 1; limit < 40; limit++) {
            int n = 0;
            wr_bind_int(s, 0, limit);
            wr_set_tombstone_thresholds(db, 0, 0);
            for (; wr_step(s) == WR_ROW; n++)
                snprintf(some[n], sizeof some[n], "%s", wr_column_text(s, 0));
            wr_set_tombstone_thresholds(db, 1000, 100000);
            for (int i = 0; wr_step(s) == WR_ROW; i++)
                assert_true(i < n && strncmp(some[i], wr_column_text(s, 0), sizeof some[i] - 1) == 0);
        }
        wr_finalize(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_first_of_all_partitions, setup, teardown),
        cmocka_unit_test_setup_teardown(what_lies_behind_the_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(texts_of_all_partitions, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
