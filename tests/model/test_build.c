/* Answers engine.h's txn_build_index and txn_build_derived where they are committed in parts: what statements, other threads, a kill and a full map see of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#undef fail

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/engine.h"
#include "engine/rig.h"
#include "tests/folder.h"
#include "widerow.h"

enum { PARTITIONS = 20, ROWS = 100, VALUES = 10, APART = 20 }; /* a part is of more entries than APART */

static char folder[200];
static wr_db *db;

static enum wr_status run_on(wr_db *handle, const char *cql, bool (*on_row)(void *arg, wr_stmt *row), void *arg)
{
    enum wr_status st = wr_exec(handle, cql, on_row, arg);
    if (st != WR_OK)
        print_message("%s: %s\n", cql, wr_error(handle));
    return st;
}

static void must(const char *cql)
{
    assert_int_equal(run_on(db, cql, NULL, NULL), WR_OK);
}

static bool see_number(void *arg, wr_stmt *row)
{
    *(int64_t *)arg = wr_column_int(row, 0);
    return true;
}

static int64_t number(wr_db *handle, const char *cql)
{
    int64_t n = -1;
    return run_on(handle, cql, see_number, &n) == WR_OK ? n : -1;
}

static void open_again(uint64_t map_bytes)
{
    struct wr_options options = WR_OPTIONS_INIT;
    options.map_bytes = map_bytes;
    options.durability = WR_DURABILITY_NONE;
    assert_int_equal(wr_open(folder, &options, &db), WR_OK);
}

static void fill(uint64_t map_bytes)
{
    char cql[300];
    make_folder(folder, sizeof folder);
    open_again(map_bytes);
    must("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    must("CREATE TABLE k.t (p int, c int, v int, s int static, w text, PRIMARY KEY (p, c))");
    for (int p = 0; p < PARTITIONS; p++)
        for (int c = 0; c < ROWS; c++) {
            snprintf(cql, sizeof cql, "INSERT INTO k.t (p, c, v, s, w) VALUES (%d, %d, %d, %d, 'text of %d, %d')%s", p, c, (p + c) % VALUES, p, p, c,
                     c % 3 ? "" : " USING TTL 1000");
            must(cql);
        }
}

static void in_parts(bool small)
{
    rig.build_batch_bytes = small ? 2000 : 8 << 20;
    rig.build_part_bytes = small ? 2000 : 16 << 20;
}

static void print_finding(void *arg, const char *finding)
{
    (void)arg;
    print_message("%s\n", finding);
}

static void check(void)
{
    uint64_t findings = 1;
    assert_int_equal(wr_check(db, print_finding, NULL, &findings), WR_OK);
    assert_int_equal(findings, 0);
}

static void end(void)
{
    check();
    wr_close(db);
    remove_folder(folder);
    in_parts(false);
}

static const char *const makers[] = {
    "CREATE INDEX i ON k.t (v)",
    "CREATE INDEX i ON k.t (s)",
    "CREATE INDEX i ON k.t (c)",
    "CREATE INDEX i ON k.t (w) USING 'sai'",
    "CREATE MATERIALIZED VIEW k.i AS SELECT p, c, v, w FROM k.t WHERE p IS NOT NULL AND c IS NOT NULL AND v IS NOT NULL PRIMARY KEY (v, c, p)",
};
static const char *const seers[] = {
    "SELECT count(*) FROM k.t WHERE v = 3",
    "SELECT count(*) FROM k.t WHERE s = 3",
    "SELECT count(*) FROM k.t WHERE c = 3",
    "SELECT count(*) FROM k.t WHERE w = 'text of 3, 3'",
    "SELECT count(*) FROM k.i WHERE v = 3",
};
static const int64_t seen[] = { PARTITIONS * ROWS / VALUES, ROWS, PARTITIONS, 1, PARTITIONS * ROWS / VALUES };
static const char *const enders[] = { "DROP INDEX k.i", "DROP INDEX k.i", "DROP INDEX k.i", "DROP INDEX k.i", "DROP MATERIALIZED VIEW k.i" };

enum { KINDS = sizeof makers / sizeof *makers };

static atomic_bool ended;

static void *read_on(void *arg)
{
    wr_db *handle = arg;
    while (!atomic_load(&ended)) {
        if (number(handle, "SELECT count(*) FROM k.t") != PARTITIONS * ROWS || number(handle, "SELECT count(v) FROM k.t WHERE p = 3 AND c >= 0") != ROWS)
            abort();
        if (number(handle, "SELECT v FROM k.t WHERE p = 4 AND c = 5") != 9)
            abort();
    }
    return NULL;
}

static void test_others_read_meanwhile(void **state)
{
    (void)state;
    enum { READERS = 2, ROUNDS = 3 };
    pthread_t threads[READERS];
    wr_db *handles[READERS];
    fill(0);
    in_parts(true);
    atomic_store(&ended, false);
    for (int i = 0; i < READERS; i++) {
        assert_int_equal(wr_attach(db, &handles[i]), WR_OK);
        assert_int_equal(pthread_create(&threads[i], NULL, read_on, handles[i]), 0);
    }
    for (int i = 0; i < ROUNDS * KINDS; i++) {
        must(makers[i % KINDS]);
        assert_int_equal(number(db, seers[i % KINDS]), seen[i % KINDS]);
        check();
        must(enders[i % KINDS]);
    }
    atomic_store(&ended, true);
    for (int i = 0; i < READERS; i++) {
        pthread_join(threads[i], NULL);
        wr_close(handles[i]);
    }
    end();
}

static void sweep_all(void)
{
    assert_int_equal(wr_sweep(db, 0), WR_OK);
}

static uint64_t entries(void)
{
    struct wr_db_stats stats;
    assert_int_equal(wr_db_stats(db, &stats), WR_OK);
    return stats.entries;
}

/* How many there are when nothing is there of any of them but tombstones in the schema's tables: some of these may share a range, or not. */
static uint64_t entries_without(void)
{
    for (int i = 0; i < KINDS; i++) {
        must(makers[i]);
        must(enders[i]);
    }
    sweep_all();
    return entries();
}

/* From another thread, at its next steps: some parts are there by then. */
static void *interrupt_soon(void *arg)
{
    usleep(*(unsigned *)arg);
    wr_interrupt(db);
    return NULL;
}

static void test_given_up_on_the_way(void **state)
{
    (void)state;
    int stopped = 0;
    fill(0);
    uint64_t before = entries_without();
    for (unsigned i = 0; i < 8 * KINDS; i++) {
        pthread_t thread;
        unsigned after_us = 200 + 400 * (i / KINDS);
        in_parts(true);
        assert_int_equal(pthread_create(&thread, NULL, interrupt_soon, &after_us), 0);
        enum wr_status st = wr_exec(db, makers[i % KINDS], NULL, NULL);
        pthread_join(thread, NULL);
        check();
        if (st == WR_OK)
            must(enders[i % KINDS]);
        else
            assert_int_equal(st, WR_INTERRUPTED);
        stopped += st != WR_OK;
        sweep_all();
        assert_in_range(entries(), before - APART, before + APART);
    }
    assert_true(stopped > 0);
    end();
}

static void test_killed_on_the_way(void **state)
{
    (void)state;
    fill(0);
    uint64_t before = entries_without();
    wr_close(db);
    for (unsigned i = 0; i < 4 * KINDS; i++) {
        pid_t child = fork();
        if (child == 0) {
            open_again(0);
            in_parts(true);
            ualarm(500 + 1000 * (i / KINDS), 0);
            wr_exec(db, makers[i % KINDS], NULL, NULL);
            _exit(0);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        open_again(0);
        check();
        wr_exec(db, enders[i % KINDS], NULL, NULL); /* where it was whole */
        sweep_all();
        assert_in_range(entries(), before - APART, before + APART);
        check();
        wr_close(db);
    }
    open_again(0);
    end();
}

/* The map is full on the way, and larger when it is begun again. */
static void test_map_grows_on_the_way(void **state)
{
    (void)state;
    fill(1 << 20);
    in_parts(true);
    for (int i = 0; i < KINDS; i++) {
        must(makers[i]);
        assert_int_equal(number(db, seers[i]), seen[i]);
        check();
        if (i == KINDS - 1)
            break;
        must(enders[i]);
    }
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_others_read_meanwhile),
        cmocka_unit_test(test_given_up_on_the_way),
        cmocka_unit_test(test_killed_on_the_way),
        cmocka_unit_test(test_map_grows_on_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
