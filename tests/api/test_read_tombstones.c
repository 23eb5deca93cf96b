/* wr_set_tombstone_thresholds: who is warned, who is refused, and until when. The texts are recorded from a server in
 * tests/conformance/tombstone_warnings.cql. */
#include "handle.h"

static int setup(void **state)
{
    wr_db *db;
    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    wr_clock_set(db, 1700000000000000);
    exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    exec(db, "CREATE TABLE k.t (p int, c int, v int, PRIMARY KEY (p, c)) WITH gc_grace_seconds = 1000");
    exec(db, "BEGIN BATCH DELETE FROM k.t WHERE p = 1 AND c = 1; DELETE FROM k.t WHERE p = 1 AND c = 2; DELETE FROM k.t WHERE p = 1 AND c = 3;"
             "INSERT INTO k.t (p, c, v) VALUES (1, 4, null); INSERT INTO k.t (p, c, v) VALUES (1, 5, 5) USING TTL 100; APPLY BATCH");
    *state = db;
    return 0;
}

/* The warnings of a run, and whether it ended well. */
static unsigned run(wr_stmt *s, enum wr_status *ended, enum wr_failure_reason *reason)
{
    struct wr_failure failure;
    unsigned warnings = 0;
    while ((*ended = wr_step(s)) == WR_ROW)
        ;
    wr_stmt_failure(s, &failure);
    *reason = failure.reason;
    while (*ended == WR_DONE && wr_stmt_warning(s, warnings))
        warnings++;
    return warnings;
}

static void assert_read(wr_db *db, const char *cql, enum wr_status expected, unsigned warnings)
{
    enum wr_failure_reason reason;
    enum wr_status ended;
    wr_stmt *s = prepare(db, cql);
    assert_int_equal(run(s, &ended, &reason), warnings);
    wr_finalize(s);
    assert_int_equal(ended, expected);
    assert_int_equal(reason, expected == WR_READ_FAILURE ? WR_REASON_TOMBSTONES : WR_REASON_UNKNOWN);
}

static void nobody_is_told_who_did_not_ask(void **state)
{
    assert_read(*state, "SELECT * FROM k.t WHERE p = 1", WR_DONE, 0);
}

static void more_than_the_threshold(void **state)
{
    wr_db *db = *state;
    wr_set_tombstone_thresholds(db, 3, 0);
    assert_read(db, "SELECT * FROM k.t WHERE p = 1", WR_DONE, 1);
    assert_read(db, "SELECT * FROM k.t WHERE p = 1 AND c < 4", WR_DONE, 0);
    assert_read(db, "SELECT * FROM k.t WHERE p = 1 LIMIT 1", WR_DONE, 1);
    assert_read(db, "SELECT * FROM k.t WHERE p = 1 ORDER BY c DESC LIMIT 1", WR_DONE, 0);
    assert_read(db, "SELECT * FROM k.t WHERE p IN (1, 2)", WR_DONE, 1);
    assert_read(db, "SELECT * FROM k.t", WR_DONE, 1);
    wr_set_tombstone_thresholds(db, 4, 0);
    assert_read(db, "SELECT * FROM k.t", WR_DONE, 0);
    wr_clock_step(db, 100 * 1000000LL); /* the cell has expired; its row is one of those that are met */
    assert_read(db, "SELECT * FROM k.t", WR_DONE, 1);
}

/* In a table without clustering columns, where rows are mostly read without their cells. */
static void of_one_row(void **state)
{
    static const char *const reads[] = { "SELECT * FROM k.o WHERE p = 1", "SELECT a FROM k.o WHERE p IN (1, 2)", "SELECT s, a FROM k.o" };
    wr_db *db = *state;
    exec(db, "CREATE TABLE k.o (p int PRIMARY KEY, a int, b int, c int, d int, s set<int>)");
    exec(db, "INSERT INTO k.o (p, a, b, c, d) VALUES (1, 1, null, null, null)");
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        wr_set_tombstone_thresholds(db, 2, 0);
        assert_read(db, reads[i], WR_DONE, 1);
        wr_set_tombstone_thresholds(db, 3, 0);
        assert_read(db, reads[i], WR_DONE, 0);
    }
}

static void too_many_are_refused(void **state)
{
    wr_db *db = *state;
    wr_set_tombstone_thresholds(db, 0, 3);
    assert_read(db, "SELECT * FROM k.t WHERE p = 1", WR_READ_FAILURE, 0);
    assert_read(db, "SELECT count(*) FROM k.t", WR_READ_FAILURE, 0);
    assert_read(db, "SELECT * FROM k.t WHERE p = 1 AND c < 4", WR_DONE, 0);
    wr_set_tombstone_thresholds(db, 0, 0);
    assert_read(db, "SELECT * FROM k.t WHERE p = 1", WR_DONE, 0);
}

/* What a statement met while nobody counted, or before it was reset, is not its next run's. */
static void each_run_has_its_own(void **state)
{
    wr_db *db = *state;
    wr_stmt *s = prepare(db, "SELECT * FROM k.t WHERE p = 1");
    enum wr_failure_reason reason;
    enum wr_status ended;
    assert_int_equal(run(s, &ended, &reason), 0);
    wr_set_tombstone_thresholds(db, 4, 0);
    wr_reset(s);
    assert_int_equal(wr_step(s), WR_ROW);
    wr_reset(s);
    assert_int_equal(run(s, &ended, &reason), 0);
    assert_int_equal(ended, WR_DONE);
    wr_set_tombstone_thresholds(db, 3, 0);
    wr_reset(s);
    assert_int_equal(run(s, &ended, &reason), 1);
    wr_finalize(s);
}

static void none_are_left_behind_gc_grace(void **state)
{
    wr_db *db = *state;
    wr_set_tombstone_thresholds(db, 1, 0);
    assert_read(db, "SELECT * FROM k.t", WR_DONE, 1);
    wr_clock_step(db, 3000 * 1000000LL);
    assert_int_equal(wr_sweep(db, 1000), WR_OK);
    assert_read(db, "SELECT * FROM k.t", WR_DONE, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nobody_is_told_who_did_not_ask, setup, teardown),
        cmocka_unit_test_setup_teardown(more_than_the_threshold, setup, teardown),
        cmocka_unit_test_setup_teardown(of_one_row, setup, teardown),
        cmocka_unit_test_setup_teardown(too_many_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(each_run_has_its_own, setup, teardown),
        cmocka_unit_test_setup_teardown(none_are_left_behind_gc_grace, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
