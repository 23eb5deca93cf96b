/* The database's clock, what expires by it, and who takes that away: widerow.h, wr_clock_set, wr_sweep. */
#include <time.h>

#include "handle.h"

static void time_is_the_databases_own(void **state)
{
    wr_db *db = *state;
    wr_clock_set(db, INT64_C(1700000000000000));
    exec(db, "INSERT INTO t (p, c) VALUES (1, 1) USING TTL 60");
    wr_clock_step(db, 59 * INT64_C(1000000));
    assert_int_equal(count(db), 1);
    wr_clock_step(db, 1 * INT64_C(1000000));
    assert_int_equal(count(db), 0);
    assert_int_equal(wr_clock_now(db), INT64_C(1700000060000000));
    uint8_t id[16];
    wr_timeuuid(db, id);
    assert_int_equal(wr_timeuuid_us(id), INT64_C(1700000060000000));
    wr_clock_release(db);
    assert_int_equal(wr_sweep(db, 0), WR_OK);
    uint64_t findings = 1;
    assert_int_equal(wr_check(db, NULL, NULL, &findings), WR_OK);
    assert_int_equal(findings, 0);
}

static void a_clock_may_stand_from_the_start(void **state)
{
    struct wr_options options = WR_OPTIONS_INIT;
    wr_db *db;
    (void)state;
    options.clock_us = INT64_C(1000000000000000);
    assert_int_equal(wr_open(NULL, &options, &db), WR_OK);
    exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
             "CREATE TABLE k.t (p int PRIMARY KEY, v int); INSERT INTO k.t (p, v) VALUES (1, 1);");
    wr_stmt *s = prepare(db, "SELECT writetime(v) FROM k.t");
    assert_int_equal(wr_step(s), WR_ROW);
    assert_in_range(wr_column_int(s, 0), INT64_C(1000000000000000), INT64_C(1000000001000000));
    wr_finalize(s);
    assert_int_equal(wr_close(db), WR_OK);
}

static void a_handle_that_is_not_open_has_no_clock(void **state)
{
    static const uint8_t zeroes[16];
    struct wr_options options = WR_OPTIONS_INIT;
    uint8_t id[16];
    wr_db *db;
    (void)state;
    options.must_exist = true;
    assert_int_not_equal(wr_open("/nonexistent/widerow", &options, &db), WR_OK);
    wr_clock_set(db, 5);
    wr_clock_step(db, 5);
    wr_clock_release(db);
    assert_int_equal(wr_clock_now(db), 0);
    wr_timeuuid(db, id);
    assert_memory_equal(id, zeroes, sizeof id);
    assert_int_equal(wr_close(db), WR_OK);
}

static bool tell_kind(void *arg, const struct wr_cell *cell)
{
    strcat(arg, cell->kind);
    strcat(arg, cell->value ? "=" : ";");
    return true;
}

/* What a writer has found expired has lost its value, and is told of all the same. */
static void expired_cells_are_told(void **state)
{
    char kinds[256] = "";
    wr_db *db = *state;
    exec(db, "CREATE TABLE w (p int PRIMARY KEY, v int, l list<int>)");
    exec(db, "UPDATE w USING TTL 5 SET v = 1, l = [1] WHERE p = 1");
    wr_clock_step(db, INT64_C(10) * 1000000);
    assert_int_equal(wr_sweep(db, 0), WR_OK);
    assert_int_equal(wr_table_cells(db, "k", "w", NULL, tell_kind, kinds), WR_OK);
    assert_string_equal(kinds, "collection deletion;expiring;expiring;");
    exec(db, "DROP TABLE w");
}

static void a_clock_at_the_end_of_time_is_swept_under(void **state)
{
    insert_number(*state, 1);
    wr_clock_set(*state, INT64_MAX);
    assert_int_equal(wr_sweep(*state, 0), WR_OK);
    wr_clock_set(*state, -1000000);
    exec(*state, "INSERT INTO t (p, c) VALUES (2, 2)");
    assert_int_equal(count(*state), 2);
    wr_clock_release(*state);
    exec(*state, "TRUNCATE t");
}

enum { EXPIRING = 3000 };

static void insert_expired(wr_db *db, int p)
{
    for (int c = 0; c <= EXPIRING; c++) {
        char cql[96];
        snprintf(cql, sizeof cql, "INSERT INTO expiring (p, c, v) VALUES (%d, %d, 1) USING TTL %d", p, c, c < EXPIRING ? 100 : 0);
        assert_int_equal(wr_exec(db, cql, NULL, NULL), WR_OK);
    }
    wr_clock_step(db, INT64_C(200) * 1000000);
}

static void pass_over_expired(wr_db *db, int32_t left)
{
    wr_stmt *s = prepare(db, "SELECT count(*) FROM expiring");
    assert_int_equal(wr_step(s), WR_ROW);
    assert_int_equal(wr_column_int(s, 0), left);
    wr_finalize(s);
}

/* Nobody writes, and nobody calls wr_sweep: a thread does it, since reads pass over so much. */
static void what_reads_pass_over_is_swept(void **state)
{
    wr_db *db = *state;
    struct wr_table_stats stats;
    uint64_t findings = 1;

    exec(db, "CREATE TABLE expiring (p int, c int, v int, PRIMARY KEY (p, c)) WITH gc_grace_seconds = 0");
    insert_expired(db, 1);
    do {
        pass_over_expired(db, 1);
        assert_int_equal(wr_table_stats(db, "k", "expiring", &stats), WR_OK);
    } while (stats.tombstones > 0);
    assert_int_equal(stats.rows, 1);
    assert_int_equal(wr_check(db, NULL, NULL, &findings), WR_OK);
    assert_int_equal(findings, 0);
    exec(db, "DROP TABLE expiring");
}

/* What only one read passes over, too, while the thread rests from a round before. */
static void what_a_read_passes_over_between_rounds_is_swept(void **state)
{
    enum { TRIES = 300 };
    const struct timespec nap = { .tv_nsec = 100000000 };
    wr_db *db = *state;
    struct wr_table_stats stats;

    exec(db, "CREATE TABLE expiring (p int, c int, v int, PRIMARY KEY (p, c)) WITH gc_grace_seconds = 0");
    for (int p = 1; p <= 2; p++) {
        insert_expired(db, p);
        pass_over_expired(db, p);
        for (int i = 0; i < TRIES; i++) {
            assert_int_equal(wr_table_stats(db, "k", "expiring", &stats), WR_OK);
            if (!stats.tombstones)
                break;
            nanosleep(&nap, NULL);
        }
        assert_int_equal(stats.tombstones, 0);
    }
    exec(db, "DROP TABLE expiring");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_tables, teardown)
    const struct CMUnitTest tests[] = {
        TEST(time_is_the_databases_own),
        TEST(a_clock_may_stand_from_the_start),
        cmocka_unit_test(a_handle_that_is_not_open_has_no_clock),
        TEST(expired_cells_are_told),
        TEST(a_clock_at_the_end_of_time_is_swept_under),
        TEST(what_reads_pass_over_is_swept),
        TEST(what_a_read_passes_over_between_rounds_is_swept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
