/* Who is told what a run does, and when. What is told is compared with Cassandra's in tests/serve/traces.py. */
#include "server_recorded.h"

struct told {
    char text[4096];
};

static void tell(void *arg, const char *activity)
{
    struct told *told = arg;
    size_t len = strlen(told->text);
    snprintf(told->text + len, sizeof told->text - len, "%s\n", activity);
}

static void run_out(wr_stmt *stmt)
{
    enum wr_status st;
    while ((st = wr_step(stmt)) == WR_ROW)
        continue;
    assert_int_equal(st, WR_DONE);
}

static void runs_are_told_until_they_are_not(void **state)
{
    struct told told = { "" };
    exec(*state, "CREATE TABLE told (p int PRIMARY KEY, v int)");
    wr_stmt *insert = prepare(*state, "INSERT INTO told (p, v) VALUES (1, 1)"), *select = prepare(*state, "SELECT * FROM told WHERE p = 1");
    wr_set_trace(insert, tell, &told);
    run_out(insert);
    assert_string_equal(told.text, "Determining replicas for mutation\nAppending to commitlog\nAdding to told memtable\n");
    told.text[0] = '\0';
    run_out(select);
    assert_string_equal(told.text, "");
    wr_set_trace(select, tell, &told);
    assert_int_equal(wr_step(select), WR_ROW);
    assert_null(strstr(told.text, "live rows"));
    wr_reset(select);
    assert_non_null(strstr(told.text, "Read 1 live rows and 0 tombstone cells\n"));
    told.text[0] = '\0';
    wr_set_trace(select, NULL, NULL);
    run_out(select);
    assert_string_equal(told.text, "");
    wr_finalize(insert);
    wr_finalize(select);
}

static void batches_are_told(void **state)
{
    struct told told = { "" };
    wr_batch *batch;
    exec(*state, "CREATE TABLE told (p int PRIMARY KEY, v int)");
    wr_stmt *insert = prepare(*state, "INSERT INTO told (p, v) VALUES (?, 1)");
    assert_int_equal(wr_batch_new(*state, WR_BATCH_LOGGED, &batch), WR_OK);
    wr_batch_set_trace(batch, tell, &told);
    for (int p = 0; p < 2; p++) {
        wr_bind_int(insert, 0, p);
        assert_int_equal(wr_batch_add(batch, insert), WR_OK);
    }
    assert_int_equal(wr_batch_run(batch, NULL), WR_OK);
    assert_memory_equal(told.text, "Determining replicas for atomic batch\n", 38);
    wr_batch_free(batch);
    wr_finalize(insert);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_recorded, teardown)
    const struct CMUnitTest tests[] = {
        TEST(runs_are_told_until_they_are_not),
        TEST(batches_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
