/* A child that was forked while a database is open: none of its threads is there, and its files are the parent's. To close it in the child, as what cleans up
 * at a program's end does, comes back at once and changes nothing; whatever else is done there with the parent's handles is refused. */
#include "../folder.h"
#include "handle.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WRITES = 100, SECONDS_MOST = 20 };

static const char schema[] = "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}; USE k; CREATE TABLE t (p int PRIMARY KEY, c int)";

static void fork_and_close(const char *path, enum wr_durability durability)
{
    struct wr_options options = WR_OPTIONS_INIT;
    wr_db *db, *second;
    int status;

    options.durability = durability;
    assert_int_equal(wr_open(path, &options, &db), WR_OK);
    assert_int_equal(wr_attach(db, &second), WR_OK);
    exec(db, schema);
    for (int i = 0; i < WRITES; i++)
        insert_number(db, i);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS_MOST);
        _exit(wr_close(second) != WR_OK || wr_close(db) != WR_OK);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    for (int i = WRITES; i < 2 * WRITES; i++)
        insert_number(db, i);
    assert_int_equal(count(db), 2 * WRITES);
    assert_int_equal(wr_close(second), WR_OK);
    assert_int_equal(wr_close(db), WR_OK);
    if (!path)
        return;
    assert_int_equal(wr_open(path, &options, &db), WR_OK);
    exec(db, "USE k");
    assert_int_equal(count(db), 2 * WRITES);
    exec(db, "DROP KEYSPACE k");
    assert_int_equal(wr_close(db), WR_OK);
}

static void closing_it_in_the_child_leaves_it_to_the_parent(void **state)
{
    static const enum wr_durability modes[] = { WR_DURABILITY_PERIODIC, WR_DURABILITY_FULL, WR_DURABILITY_NONE };
    char folder[200];
    (void)state;

    make_folder(folder, sizeof folder);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        fork_and_close(folder, modes[i]);
    fork_and_close(NULL, WR_DURABILITY_PERIODIC);
    remove_folder(folder);
}

/* What the parent has of its database. */
struct held {
    wr_db *db;
    wr_stmt *read, *begun, *write;
    wr_batch *batch;
    wr_cf *cf;
};

static void expect_misuse(enum wr_status st, const char *call, const char *error)
{
    if (st == WR_MISUSE && strstr(error, "before this process was forked"))
        return;
    fprintf(stderr, "%s in the child: %s, %s\n", call, wr_status_name(st), error);
    _exit(1);
}

static bool see_cell(void *arg, const struct wr_cell *cell)
{
    (void)arg, (void)cell;
    return true;
}

static bool see_statement(void *arg, const char *cql, size_t len)
{
    (void)arg, (void)cql, (void)len;
    return true;
}

static enum wr_status do_nothing(void *arg)
{
    (void)arg;
    return WR_OK;
}

/* Ends the process: 0 where each call came back as it should. */
static void use_in_child(struct held *h)
{
    static const uint8_t zeroes[16];
    const struct wr_bytes bytes = { "a", 1 };
    const struct wr_cf_column column = { .name = bytes, .value = bytes, .timestamp_us = INT64_MIN };
    const struct wr_cf_def family = { "k", "f", "UTF8Type", "UTF8Type", "UTF8Type", NULL, -1 };
    struct wr_cf_mutation mutation = { h->cf, WR_CF_INSERT, bytes, column };
    struct wr_db_stats stats;
    struct wr_cf_column out;
    wr_cf_result *result;
    uint8_t uuid[16];
    wr_db *other;
    wr_stmt *stmt;
    wr_batch *batch;
    wr_cf *cf;

    alarm(SECONDS_MOST);
#define REFUSED(call) expect_misuse(call, #call, wr_error(h->db))
#define REFUSED_STEP(stmt) expect_misuse(wr_step(stmt), #stmt, wr_stmt_error(stmt))
#define REFUSED_CF(call) expect_misuse(call, #call, wr_cf_error(h->cf))
    REFUSED(wr_exec(h->db, "SELECT * FROM t", NULL, NULL));
    REFUSED(wr_prepare(h->db, "SELECT * FROM t", -1, &stmt));
    REFUSED(wr_attach(h->db, &other));
    REFUSED(wr_sync(h->db));
    REFUSED(wr_sweep(h->db, 1));
    REFUSED(wr_check(h->db, NULL, NULL, NULL));
    REFUSED(wr_backup(h->db, "/tmp/widerow-no-such-folder"));
    REFUSED(wr_db_stats(h->db, &stats));
    REFUSED(wr_table_cells(h->db, "k", "t", NULL, see_cell, NULL));
    REFUSED(wr_schema_export(h->db, "k", NULL, see_statement, NULL));
    REFUSED(wr_table_export(h->db, "k", "t", INT64_MIN, 0, see_statement, NULL));
    REFUSED(wr_atomically(h->db, do_nothing, NULL));
    REFUSED(wr_use(h->db, "k"));
    REFUSED(wr_set_role(h->db, "cassandra"));
    REFUSED(wr_login(h->db, "cassandra", "cassandra"));
    REFUSED(wr_batch_new(h->db, WR_BATCH_LOGGED, &batch));
    REFUSED(wr_cf_create(h->db, &family));
    REFUSED(wr_cf_open(h->db, "k", "f", &cf));
    REFUSED(wr_cf_batch_mutate(h->db, &mutation, 1));
    expect_misuse(wr_stmt_validate(h->write, true), "wr_stmt_validate", wr_stmt_error(h->write));
    REFUSED_STEP(h->read);
    REFUSED_STEP(h->write);
    wr_set_page_size(h->begun, 0);
    for (int i = 0; i < WRITES && wr_step(h->begun) == WR_ROW; i++) /* those that were found before it was forked */
        ;
    expect_misuse(wr_stmt_status(h->begun), "the rest of a read", wr_stmt_error(h->begun));
    for (int empty = 0; empty < 2; empty++)
        expect_misuse(wr_batch_run(h->batch, NULL), "wr_batch_run", wr_batch_error(h->batch));
    REFUSED_CF(wr_cf_insert(h->cf, bytes, &column));
    REFUSED_CF(wr_cf_get(h->cf, bytes, bytes, &out));
    REFUSED_CF(wr_cf_get_slice(h->cf, bytes, NULL, &result));
    wr_timeuuid(h->db, uuid);
    if (memcmp(uuid, zeroes, sizeof uuid) != 0)
        _exit(2);
    wr_finalize(h->begun);
    wr_finalize(h->read);
    wr_reset(h->write);
    wr_finalize(h->write);
    wr_batch_free(h->batch);
    wr_cf_close(h->cf);
    if (wr_close(h->db) != WR_OK || wr_open(NULL, NULL, &h->db) != WR_OK)
        _exit(3);
    exec(h->db, schema);
    insert_number(h->db, 1);
    _exit(count(h->db) != 1 || wr_close(h->db) != WR_OK);
}

static void fork_and_use(const char *path)
{
    struct held h;
    int status;

    assert_int_equal(wr_open(path, NULL, &h.db), WR_OK);
    exec(h.db, schema);
    exec(h.db, "CREATE TABLE f (key text, column1 text, value text, PRIMARY KEY (key, column1)) WITH COMPACT STORAGE");
    for (int i = 0; i < WRITES; i++)
        insert_number(h.db, i);
    assert_int_equal(wr_batch_new(h.db, WR_BATCH_LOGGED, &h.batch), WR_OK);
    h.write = prepare(h.db, "INSERT INTO t (p, c) VALUES (1000000, 0)");
    assert_int_equal(wr_batch_add(h.batch, h.write), WR_OK);
    assert_int_equal(wr_cf_open(h.db, "k", "f", &h.cf), WR_OK);
    h.read = prepare(h.db, "SELECT * FROM t WHERE p = 1");
    assert_int_equal(wr_step(h.read), WR_ROW);
    wr_reset(h.read);
    h.begun = prepare(h.db, "SELECT * FROM t");
    assert_int_equal(wr_step(h.begun), WR_ROW);
    pid_t child = fork();
    if (child == 0)
        use_in_child(&h);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    for (int rows = 1; rows < WRITES; rows++)
        assert_int_equal(wr_step(h.begun), WR_ROW);
    assert_int_equal(wr_step(h.begun), WR_DONE);
    assert_int_equal(count(h.db), WRITES);
    assert_int_equal(wr_batch_run(h.batch, NULL), WR_OK);
    assert_int_equal(count(h.db), WRITES + 1);
    wr_batch_free(h.batch);
    wr_finalize(h.read);
    wr_finalize(h.begun);
    wr_finalize(h.write);
    wr_cf_close(h.cf);
    exec(h.db, "DROP KEYSPACE k");
    assert_int_equal(wr_close(h.db), WR_OK);
}

static void using_it_in_the_child_is_refused(void **state)
{
    char folder[200];
    (void)state;

    make_folder(folder, sizeof folder);
    fork_and_use(folder);
    fork_and_use(NULL);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closing_it_in_the_child_leaves_it_to_the_parent),
        cmocka_unit_test(using_it_in_the_child_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
