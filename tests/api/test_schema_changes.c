/* Who reads while the schema changes, in another thread or process: each read is of one schema, the data and what is known of them. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../folder.h"
#include "handle.h"

static const char *const keyspace = "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}; USE k;";

/* ---- another process ---- */

static char folder[200];

enum { ROWS = 200 };

static void fill(wr_db *db, const char *table, int rows)
{
    char cql[96];
    for (int i = 0; i < rows; i++) {
        snprintf(cql, sizeof cql, "INSERT INTO %s (p, v) VALUES (%d, %d)", table, i, i % 2);
        exec(db, cql);
    }
    assert_int_equal(wr_sync(db), WR_OK);
}

/* What the process that writes does, a step whenever it is told to; it says when one is done. */
static void step(wr_db *db, char which)
{
    struct wr_cf_def def = { .keyspace = "k", .name = "f", .gc_grace_s = -1 };
    struct wr_cf_column column = { .name = { "n", 1 }, .value = { "v", 1 }, .timestamp_us = INT64_MIN };
    wr_cf *cf;

    switch (which) {
    case '1':
        exec(db, keyspace);
        exec(db, "CREATE TABLE t (p int PRIMARY KEY, v int); CREATE INDEX ON t (v); CREATE TABLE gone (p int PRIMARY KEY, v int)");
        assert_int_equal(wr_cf_create(db, &def), WR_OK);
        fill(db, "t", ROWS);
        fill(db, "gone", ROWS);
        break;
    case '2':
        exec(db, "TRUNCATE t; DROP TABLE gone; ALTER TABLE t ADD more text; CREATE TABLE made (p int PRIMARY KEY)");
        exec(db, "INSERT INTO t (p, v, more) VALUES (1000, 1, 'm'); INSERT INTO made (p) VALUES (1)");
        assert_int_equal(wr_cf_open(db, "k", "f", &cf), WR_OK);
        assert_int_equal(wr_cf_truncate(cf), WR_OK);
        assert_int_equal(wr_cf_insert(cf, (struct wr_bytes){ "a", 1 }, &column), WR_OK);
        wr_cf_close(cf);
        assert_int_equal(wr_sync(db), WR_OK);
        break;
    default:
        exec(db, "DROP KEYSPACE k");
        assert_int_equal(wr_sync(db), WR_OK);
    }
}

struct other {
    pid_t pid;
    int orders, done; /* pipes */
};

static void write_as_told(int orders, int done)
{
    wr_db *db;
    char which;
    if (wr_open(folder, NULL, &db) != WR_OK)
        _exit(1);
    while (read(orders, &which, 1) == 1) {
        step(db, which);
        if (write(done, &which, 1) != 1)
            _exit(1);
    }
    _exit(wr_close(db) != WR_OK);
}

static void tell(struct other *o, char which)
{
    char answer;
    assert_int_equal(write(o->orders, &which, 1), 1);
    assert_int_equal(read(o->done, &answer, 1), 1);
}

static int open_other(void **state)
{
    static struct other o;
    int orders[2], done[2];
    make_folder(folder, sizeof folder);
    assert_int_equal(pipe(orders), 0);
    assert_int_equal(pipe(done), 0);
    o = (struct other){ .pid = fork(), .orders = orders[1], .done = done[0] };
    if (o.pid == 0) {
        close(orders[1]);
        write_as_told(orders[0], done[1]);
    }
    close(orders[0]);
    close(done[1]);
    *state = &o;
    return 0;
}

static int close_other(void **state)
{
    struct other *o = *state;
    int status;
    close(o->orders);
    assert_int_equal(waitpid(o->pid, &status, 0), o->pid);
    assert_int_equal(status, 0);
    remove_folder(folder);
    return 0;
}

static int64_t number(wr_stmt *s)
{
    assert_int_equal(wr_step(s), WR_ROW);
    int64_t n = wr_column_int(s, 0);
    wr_reset(s);
    return n;
}

static bool note_cell(void *arg, const struct wr_cell *cell)
{
    (void)cell;
    ++*(int *)arg;
    return true;
}

static bool note_statement(void *arg, const char *cql, size_t len)
{
    (void)cql, (void)len;
    ++*(int *)arg;
    return true;
}

static size_t columns_of_a(wr_cf *cf)
{
    wr_cf_result *result;
    assert_int_equal(wr_cf_get_slice(cf, (struct wr_bytes){ "a", 1 }, NULL, &result), WR_OK);
    size_t n = wr_cf_result_columns(result, 0);
    wr_cf_result_free(result);
    return n;
}

static void test_other_process(void **state)
{
    const struct wr_options read_only = { .size = sizeof read_only, .read_only = true };
    struct wr_table_stats stats;
    uint64_t findings;
    wr_stmt *s;
    wr_db *db;
    wr_cf *cf;
    int n = 0;

    tell(*state, '1');
    assert_int_equal(wr_open(folder, &read_only, &db), WR_OK);
    wr_stmt *all = prepare(db, "SELECT count(*) FROM k.t"), *by_index = prepare(db, "SELECT count(*) FROM k.t WHERE v = 1");
    wr_stmt *gone = prepare(db, "SELECT count(*) FROM k.gone"), *star = prepare(db, "SELECT * FROM k.t"), *tables = prepare(db, "DESCRIBE TABLES");
    assert_int_equal(wr_cf_open(db, "k", "f", &cf), WR_OK);
    assert_int_equal(number(all), ROWS);
    assert_int_equal(number(by_index), ROWS / 2);
    assert_int_equal(number(gone), ROWS);
    assert_int_equal(columns_of_a(cf), 0);
    assert_int_equal(wr_column_count(star), 2);

    tell(*state, '2');
    assert_int_equal(number(all), 1);
    assert_int_equal(number(by_index), 1);
    assert_int_equal(wr_step(gone), WR_INVALID);
    assert_string_equal(wr_stmt_error(gone), "table gone does not exist");
    assert_int_equal(columns_of_a(cf), 1);
    assert_int_equal(wr_step(star), WR_ROW);
    assert_int_equal(wr_column_count(star), 3);
    assert_string_equal(wr_column_text(star, 1), "m");
    wr_reset(star);
    s = prepare(db, "SELECT count(*) FROM k.made");
    assert_int_equal(number(s), 1);
    wr_finalize(s);
    while (wr_step(tables) == WR_ROW)
        n += strcmp(wr_column_text(tables, 0), "k") == 0;
    assert_int_equal(n, 3);
    assert_int_equal(wr_table_stats(db, "k", "t", &stats), WR_OK);
    assert_int_equal(stats.rows, 1);
    assert_int_equal(wr_table_stats(db, "k", "gone", &stats), WR_INVALID);
    n = 0;
    assert_int_equal(wr_table_cells(db, "k", "made", NULL, note_cell, &n), WR_OK);
    assert_int_equal(n, 1);
    n = 0;
    assert_int_equal(wr_table_export(db, "k", "t", INT64_MIN, 0, note_statement, &n), WR_OK);
    assert_int_equal(n, 1);
    assert_int_equal(wr_check(db, NULL, NULL, &findings), WR_OK);
    assert_int_equal(findings, 0);
    assert_int_equal(wr_use(db, "k"), WR_OK);

    tell(*state, '3');
    assert_int_equal(wr_step(all), WR_INVALID);
    assert_int_equal(wr_use(db, "k"), WR_INVALID);
    assert_int_equal(wr_table_cells(db, "k", "t", NULL, note_cell, &n), WR_INVALID);
    assert_int_equal(wr_cf_get_count(cf, (struct wr_bytes){ "a", 1 }, NULL, &findings), WR_INVALID);
    wr_finalize(all);
    wr_finalize(by_index);
    wr_finalize(gone);
    wr_finalize(star);
    wr_finalize(tables);
    wr_cf_close(cf);
    assert_int_equal(wr_close(db), WR_OK);
}

/* ---- another thread ---- */

enum { EACH = 60, ROUNDS = 1500, READERS = 3 };

static wr_db *shared;
static atomic_bool ended;

/* The page behind the first ten rows begins with the eleventh, whatever changes between choosing what to read and beginning to. */
static const char *read_page(wr_stmt *s)
{
    char place[128];
    size_t len;
    int n = 0;
    wr_set_page_size(s, 10);
    while (wr_step(s) == WR_ROW)
        n++;
    const void *given = wr_page_state(s, &len);
    if (n != 10 || !given || len > sizeof place)
        return "a first page";
    memcpy(place, given, len);
    wr_set_page_state(s, place, len);
    bool goes_on = wr_step(s) == WR_ROW && wr_column_int(s, 0) == 10;
    wr_reset(s);
    return goes_on ? NULL : "a second page";
}

/* A partition is written whole and truncated whole, so a read has all of its rows or none. */
static void *look(void *arg)
{
    static const char *const reads[] = { "SELECT count(*) FROM k.t", "SELECT count(*) FROM k.t WHERE v = 1", "SELECT count(*) FROM k.t WHERE p = 1" };
    const char *wrong = NULL;
    struct wr_table_stats stats;
    wr_stmt *s[3], *pages;
    wr_db *db;
    wr_attach(shared, &db);
    for (int i = 0; i < 3; i++)
        wr_prepare(db, reads[i], -1, &s[i]);
    wr_prepare(db, "SELECT c FROM k.kept WHERE p = 1", -1, &pages);
    for (int i = *(int *)arg; !atomic_load(&ended) && !wrong; i++) {
        enum wr_status st = wr_step(s[i % 3]);
        int64_t n = wr_column_int(s[i % 3], 0);
        if (st != WR_ROW || (n != 0 && n != EACH))
            wrong = reads[i % 3];
        wr_reset(s[i % 3]);
        if (wr_table_stats(db, "k", "t", &stats) != WR_OK || (stats.rows != 0 && stats.rows != EACH))
            wrong = "wr_table_stats";
        if (!wrong)
            wrong = read_page(pages);
    }
    wr_finalize(pages);
    for (int i = 0; i < 3; i++)
        wr_finalize(s[i]);
    wr_close(db);
    return (void *)wrong;
}

static void test_other_thread(void **state)
{
    (void)state;
    char batch[EACH * 64], *at = batch;
    pthread_t threads[READERS];
    int first[READERS] = { 0, 1, 2 };
    void *wrong;

    assert_int_equal(wr_open(NULL, NULL, &shared), WR_OK);
    exec(shared, keyspace);
    exec(shared, "CREATE TABLE t (p int, c int, v int, PRIMARY KEY (p, c)); CREATE INDEX ON t (v); CREATE TABLE o (p int PRIMARY KEY)");
    exec(shared, "CREATE TABLE kept (p int, c int, PRIMARY KEY (p, c))");
    for (int i = 0; i < 20; i++) {
        snprintf(batch, sizeof batch, "INSERT INTO kept (p, c) VALUES (1, %d)", i);
        exec(shared, batch);
    }
    at += sprintf(at, "BEGIN UNLOGGED BATCH ");
    for (int i = 0; i < EACH; i++)
        at += sprintf(at, "INSERT INTO t (p, c, v) VALUES (1, %d, 1); ", i);
    sprintf(at, "APPLY BATCH");
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, look, &first[i]), 0);
    for (int i = 0; i < ROUNDS; i++) {
        exec(shared, batch);
        exec(shared, "TRUNCATE t");
        exec(shared, "INSERT INTO o (p) VALUES (1)"); /* what has been dropped goes with the writes behind it */
    }
    atomic_store(&ended, true);
    for (int i = 0; i < READERS; i++) {
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        if (wrong)
            fail_msg("half of the rows, others, or an error: %s", (const char *)wrong);
    }
    assert_int_equal(wr_close(shared), WR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_other_process, open_other, close_other),
        cmocka_unit_test(test_other_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
