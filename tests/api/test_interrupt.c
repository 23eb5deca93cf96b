/* wr_interrupt: what ends, what has changed when it has, and what goes on as if nothing had been. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../folder.h"
#include "handle.h"

enum { PARTITIONS = 40, EACH = 100 };

static wr_db *watched;
static int calls_left;

/* Interrupts when it has been called so often. */
static void stop(wr_call *call, void *arg)
{
    (void)arg;
    if (calls_left-- == 0)
        wr_interrupt(watched);
    wr_return_int(call, wr_value_int(wr_call_arg(call, 0)));
}

static enum wr_status fill(void *arg)
{
    wr_stmt *s = prepare(arg, "INSERT INTO t (p, c, v) VALUES (?, ?, 'a text that is neither long nor short')");
    for (int i = 0; i < PARTITIONS * EACH; i++) {
        wr_bind_int(s, 0, i / EACH);
        wr_bind_int(s, 1, i % EACH);
        assert_int_equal(wr_step(s), WR_DONE);
    }
    wr_finalize(s);
    return WR_OK;
}

static int open_filled(void **state)
{
    const struct wr_function function = { .keyspace = "k", .name = "stop", .call = stop, .arguments = "int", .returns = "int" };
    open_tables(state);
    watched = *state;
    assert_int_equal(wr_function_register(*state, &function), WR_OK);
    assert_int_equal(wr_atomically(*state, fill, *state), WR_OK);
    return 0;
}

/* Rows until it ends; *st: how. */
static int rows_of(wr_stmt *s, enum wr_status *st)
{
    int rows = 0;
    while ((*st = wr_step(s)) == WR_ROW)
        rows++;
    return rows;
}

/* ---- reads ---- */

static const char *const reads[] = {
    "SELECT k.stop(c) FROM t",
    "SELECT max(k.stop(c)) FROM t",
    "SELECT k.stop(c) FROM t WHERE v = 'a text that is neither long nor short' ALLOW FILTERING",
    "SELECT p, max(k.stop(c)) FROM t GROUP BY p",
    "SELECT k.stop(c) FROM t WHERE p IN (1, 2, 3, 4, 5, 6, 7, 8, 9)",
    "SELECT k.stop(c) FROM t WHERE token(p) > 0",
    "SELECT DISTINCT k.stop(p) FROM t",
};

static void a_read_ends_and_can_be_run_again(void **state)
{
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        wr_stmt *s = prepare(*state, reads[i]);
        enum wr_status st;
        calls_left = -1;
        int all = rows_of(s, &st);
        assert_int_equal(st, WR_DONE);
        calls_left = 2;
        assert_true(rows_of(s, &st) < all);
        assert_int_equal(st, WR_INTERRUPTED);
        assert_string_equal(wr_stmt_error(s), "interrupted");
        calls_left = -1;
        assert_int_equal(rows_of(s, &st), all);
        assert_int_equal(st, WR_DONE);
        wr_finalize(s);
    }
}

static void a_read_between_two_steps_ends_too(void **state)
{
    wr_stmt *s = prepare(*state, "SELECT c FROM t");
    enum wr_status st;
    assert_int_equal(wr_step(s), WR_ROW);
    wr_interrupt(*state);
    assert_true(rows_of(s, &st) < PARTITIONS * EACH - 1);
    assert_int_equal(st, WR_INTERRUPTED);
    assert_int_equal(rows_of(s, &st), PARTITIONS * EACH);
    wr_finalize(s);
}

/* One row of a read may cost a second and a half. */
static void so_does_a_function_of_the_schema(void **state)
{
    enum wr_status st;
    exec(*state, "CREATE OR REPLACE FUNCTION k.endless(a int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'while (true) try { while (true) { } } finally { continue; }'");
    wr_stmt *s = prepare(*state, "SELECT k.endless(k.stop(c)) FROM t");
    calls_left = 0;
    assert_int_equal(rows_of(s, &st), 0);
    assert_int_equal(st, WR_INTERRUPTED);
    assert_string_equal(wr_stmt_error(s), "interrupted");
    wr_finalize(s);
    exec(*state, "DROP FUNCTION k.endless");
}

static void what_begins_later_is_not_affected(void **state)
{
    wr_interrupt(*state);
    assert_int_equal(count(*state), PARTITIONS * EACH);
    exec(*state, "INSERT INTO o (p, v) VALUES (1, 'a'); SELECT * FROM t");
}

static void neither_is_what_runs_on_another_handle(void **state)
{
    wr_db *other;
    enum wr_status st;
    assert_int_equal(wr_attach(*state, &other), WR_OK);
    wr_stmt *s = prepare(other, "SELECT k.stop(c) FROM k.t");
    calls_left = 2;
    assert_int_equal(rows_of(s, &st), PARTITIONS * EACH);
    assert_int_equal(st, WR_DONE);
    assert_true(calls_left < 0);
    wr_finalize(s);
    assert_int_equal(wr_close(other), WR_OK);
}

static void one_statement_ends_alone(void **state)
{
    wr_stmt *one = prepare(*state, "SELECT c FROM t"), *other = prepare(*state, "SELECT c FROM t");
    enum wr_status st;
    wr_stmt_interrupt(NULL);
    wr_stmt_interrupt(one); /* which does not run */
    assert_int_equal(wr_step(one), WR_ROW);
    assert_int_equal(wr_step(other), WR_ROW);
    wr_stmt_interrupt(one);
    assert_true(rows_of(one, &st) < PARTITIONS * EACH - 1);
    assert_int_equal(st, WR_INTERRUPTED);
    assert_int_equal(rows_of(other, &st), PARTITIONS * EACH - 1);
    assert_int_equal(st, WR_DONE);
    assert_int_equal(rows_of(one, &st), PARTITIONS * EACH);
    assert_int_equal(st, WR_DONE);
    wr_finalize(one);
    wr_finalize(other);
}

/* ---- several ---- */

static bool stop_at_the_first(void *arg, wr_stmt *row)
{
    (void)row;
    wr_interrupt(arg);
    return true;
}

static void the_rest_of_a_script_is_not_run(void **state)
{
    exec(*state, "INSERT INTO o (p, v) VALUES (1, 'before')");
    enum wr_status st = wr_exec(*state, "SELECT * FROM o; INSERT INTO o (p, v) VALUES (1, 'behind')", stop_at_the_first, *state);
    assert_int_equal(st, WR_INTERRUPTED);
    wr_stmt *s = prepare(*state, "SELECT v FROM o WHERE p = 1");
    assert_int_equal(wr_step(s), WR_ROW);
    assert_string_equal(wr_column_text(s, 0), "before");
    wr_finalize(s);
}

static enum wr_status insert_stop_insert(void *arg)
{
    enum wr_status st = wr_exec(arg, "INSERT INTO t (p, c) VALUES (-1, 1)", NULL, NULL);
    assert_int_equal(st, WR_OK);
    wr_interrupt(arg);
    return wr_exec(arg, "INSERT INTO t (p, c) VALUES (-1, 2)", NULL, NULL);
}

static enum wr_status ignore_it(void *arg)
{
    assert_int_equal(insert_stop_insert(arg), WR_INTERRUPTED);
    return WR_OK;
}

static enum wr_status within_another(void *arg)
{
    return wr_atomically(arg, insert_stop_insert, arg);
}

static void atomically_is_undone(void **state)
{
    static enum wr_status (*const bodies[])(void *) = { insert_stop_insert, ignore_it, within_another };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        assert_int_equal(wr_atomically(*state, bodies[i], *state), WR_INTERRUPTED);
        assert_non_null(strstr(wr_error(*state), "interrupted"));
        assert_int_equal(count(*state), PARTITIONS * EACH);
    }
    exec(*state, "INSERT INTO o (p, v) VALUES (7, 'a')");
}

/* ---- walks that are no statements ---- */

static bool stop_export(void *arg, const char *cql, size_t len)
{
    (void)cql, (void)len;
    wr_interrupt(arg);
    return true;
}

static void an_export_ends(void **state)
{
    assert_int_equal(wr_table_export(*state, "k", "t", INT64_MIN, 0, stop_export, *state), WR_INTERRUPTED);
    assert_string_equal(wr_error(*state), "interrupted");
}

/* ---- by another thread ---- */

struct interrupter {
    wr_db *db;
    wr_stmt *stmt; /* it alone; NULL: what runs on db */
    pthread_t thread;
    atomic_bool done;
    int every; /* so many turns */
};

static void *interrupt(void *arg)
{
    struct interrupter *i = arg;
    for (int turn = 0; !atomic_load(&i->done); turn++) {
        if (turn % i->every == 0 && i->stmt)
            wr_stmt_interrupt(i->stmt);
        else if (turn % i->every == 0)
            wr_interrupt(i->db);
        sched_yield();
    }
    return NULL;
}

static void begin(struct interrupter *i, wr_db *db, wr_stmt *stmt, int every)
{
    *i = (struct interrupter){ .db = db, .stmt = stmt, .every = every };
    assert_int_equal(pthread_create(&i->thread, NULL, interrupt, i), 0);
}

static void end(struct interrupter *i)
{
    atomic_store(&i->done, true);
    pthread_join(i->thread, NULL);
}

static bool has_index(wr_db *db)
{
    wr_stmt *s = prepare(db, "SELECT index_name FROM system_schema.indexes WHERE keyspace_name = 'k' AND table_name = 't'");
    enum wr_status st = wr_step(s);
    wr_finalize(s);
    return st == WR_ROW;
}

static enum wr_status check(wr_db *db)
{
    uint64_t findings = 0;
    enum wr_status st = wr_check(db, NULL, NULL, &findings);
    assert_int_equal(findings, 0);
    return st;
}

/* Some are quicker than the other thread is at times. */
enum { TRIES = 2000 };

static void an_index_that_is_not_made_is_not_there(void **state)
{
    struct interrupter i;
    enum wr_status st = WR_OK;
    begin(&i, *state, NULL, 1);
    for (int n = 0; n < TRIES && st == WR_OK; n++) {
        st = wr_exec(*state, "DROP INDEX IF EXISTS k.t_v", NULL, NULL);
        if (st == WR_OK)
            st = wr_exec(*state, "CREATE INDEX t_v ON k.t (v)", NULL, NULL);
    }
    end(&i);
    assert_int_equal(st, WR_INTERRUPTED);
    exec(*state, "DROP INDEX IF EXISTS k.t_v");
    assert_false(has_index(*state));
    exec(*state, "CREATE INDEX t_v ON k.t (v)");
    assert_int_equal(check(*state), WR_OK);
}

/* Also as it begins, behind writes that it is to see. */
static void one_statement_ends_wherever_it_is(void **state)
{
    wr_stmt *one = prepare(*state, "SELECT c FROM t"), *other = prepare(*state, "SELECT c FROM t");
    struct interrupter i;
    enum wr_status st = WR_OK;
    int ended = 0;
    begin(&i, *state, one, 1);
    for (int n = 0; n < TRIES && ended < 20; n++) {
        for (int k = 0; k < EACH; k++) /* so many that they are gathered */
            exec(*state, "INSERT INTO t (p, c, v) VALUES (1, 1, 'b')");
        int rows = rows_of(one, &st);
        ended += st == WR_INTERRUPTED;
        assert_true(st == WR_INTERRUPTED || (st == WR_DONE && rows == PARTITIONS * EACH));
        assert_int_equal(rows_of(other, &st), PARTITIONS * EACH);
        assert_int_equal(st, WR_DONE);
    }
    end(&i);
    assert_true(ended > 0);
    assert_int_equal(rows_of(one, &st), PARTITIONS * EACH);
    wr_finalize(one);
    wr_finalize(other);
}

static void a_check_ends(void **state)
{
    struct interrupter i;
    enum wr_status st = WR_OK;
    begin(&i, *state, NULL, 1);
    for (int n = 0; n < TRIES && st == WR_OK; n++)
        st = check(*state);
    end(&i);
    assert_int_equal(st, WR_INTERRUPTED);
    assert_int_equal(check(*state), WR_OK);
}

/* ---- writes: done or not ---- */

static bool is_there[PARTITIONS][EACH];

struct change {
    int kind, p, from, to;
    wr_db *db;
};

static void apply_to(bool rows[PARTITIONS][EACH], const struct change *c)
{
    for (int p = 0; p < PARTITIONS; p++)
        for (int n = 0; n < EACH; n++)
            if ((c->kind == 3 && n == c->from) || (p == c->p && n >= c->from && n <= c->to))
                rows[p][n] = c->kind % 2 == 0;
}

/* 0: a batch of INSERT; 1: DELETE of a range; 2: the same INSERTs in wr_atomically; 3: one row of each partition. */
static enum wr_status put_rows(void *arg)
{
    const struct change *c = arg;
    wr_stmt *s = prepare(c->db, "INSERT INTO t (p, c, v) VALUES (?, ?, 'again')");
    enum wr_status st = WR_DONE;
    for (int n = c->from; st == WR_DONE && n <= c->to; n++) {
        wr_bind_int(s, 0, c->p);
        wr_bind_int(s, 1, n);
        st = wr_step(s);
    }
    wr_finalize(s);
    return st == WR_DONE ? WR_OK : st;
}

static enum wr_status put_batch(struct change *c)
{
    wr_stmt *s = prepare(c->db, "INSERT INTO t (p, c, v) VALUES (?, ?, 'again')");
    wr_batch *batch;
    assert_int_equal(wr_batch_new(c->db, WR_BATCH_LOGGED, &batch), WR_OK);
    for (int n = c->from; n <= c->to; n++) {
        wr_bind_int(s, 0, c->p);
        wr_bind_int(s, 1, n);
        assert_int_equal(wr_batch_add(batch, s), WR_OK);
    }
    enum wr_status st = wr_batch_run(batch, NULL);
    wr_batch_free(batch);
    wr_finalize(s);
    return st;
}

static enum wr_status run_change(struct change *c)
{
    char cql[4096];
    int len;
    switch (c->kind) {
    case 0:
        return put_batch(c);
    case 1:
        snprintf(cql, sizeof cql, "DELETE FROM t WHERE p = %d AND c >= %d AND c <= %d", c->p, c->from, c->to);
        return wr_exec(c->db, cql, NULL, NULL);
    case 2:
        return wr_atomically(c->db, put_rows, c);
    default:
        len = snprintf(cql, sizeof cql, "DELETE FROM t WHERE c = %d AND p IN (0", c->from);
        for (int p = 1; p < PARTITIONS; p++)
            len += snprintf(cql + len, sizeof cql - (size_t)len, ", %d", p);
        snprintf(cql + len, sizeof cql - (size_t)len, ")");
        c->p = -1;
        return wr_exec(c->db, cql, NULL, NULL);
    }
}

static void compare(wr_db *db)
{
    bool found[PARTITIONS][EACH] = { { false } };
    wr_stmt *s = prepare(db, "SELECT p, c FROM t");
    enum wr_status st;
    while ((st = wr_step(s)) == WR_ROW)
        found[wr_column_int(s, 0)][wr_column_int(s, 1)] = true;
    wr_finalize(s);
    assert_int_equal(st, WR_DONE);
    assert_memory_equal(found, is_there, sizeof found);
}

static void change_at_random(wr_db *db, int changes)
{
    struct interrupter i;
    int interrupted = 0, done = 0;
    memset(is_there, 1, sizeof is_there);
    begin(&i, db, NULL, 3);
    for (int n = 0; n < changes || ((!interrupted || !done) && n < 100 * changes); n++) {
        struct change c = { rand() % 4, rand() % PARTITIONS, rand() % EACH, rand() % EACH, db };
        enum wr_status st = run_change(&c);
        assert_true(st == WR_OK || st == WR_INTERRUPTED);
        *(st == WR_OK ? &done : &interrupted) += 1;
        if (st == WR_OK)
            apply_to(is_there, &c);
    }
    end(&i);
    assert_true(interrupted > 0 && done > 0);
    compare(db);
    assert_int_equal(check(db), WR_OK);
}

static void a_write_is_done_or_has_changed_nothing(void **state)
{
    change_at_random(*state, 400);
    exec(*state, "CREATE INDEX ON t (v)");
    exec(*state, "TRUNCATE t");
    assert_int_equal(wr_atomically(*state, fill, *state), WR_OK);
    change_at_random(*state, 400);
}

static void in_a_folder_too(void **state)
{
    char folder[200];
    wr_db *db;
    (void)state;
    make_folder(folder, sizeof folder);
    assert_int_equal(wr_open(folder, NULL, &db), WR_OK);
    exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}; USE k;"
             "CREATE TABLE t (p int, c int, v text, PRIMARY KEY (p, c));");
    assert_int_equal(wr_atomically(db, fill, db), WR_OK);
    change_at_random(db, 400);
    assert_int_equal(wr_close(db), WR_OK);
    assert_int_equal(wr_open(folder, NULL, &db), WR_OK);
    exec(db, "USE k");
    compare(db);
    assert_int_equal(wr_close(db), WR_OK);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_read_ends_and_can_be_run_again, open_filled, teardown),
        cmocka_unit_test_setup_teardown(so_does_a_function_of_the_schema, open_filled, teardown),
        cmocka_unit_test_setup_teardown(a_read_between_two_steps_ends_too, open_filled, teardown),
        cmocka_unit_test_setup_teardown(what_begins_later_is_not_affected, open_filled, teardown),
        cmocka_unit_test_setup_teardown(neither_is_what_runs_on_another_handle, open_filled, teardown),
        cmocka_unit_test_setup_teardown(one_statement_ends_alone, open_filled, teardown),
        cmocka_unit_test_setup_teardown(the_rest_of_a_script_is_not_run, open_filled, teardown),
        cmocka_unit_test_setup_teardown(atomically_is_undone, open_filled, teardown),
        cmocka_unit_test_setup_teardown(an_export_ends, open_filled, teardown),
        cmocka_unit_test_setup_teardown(an_index_that_is_not_made_is_not_there, open_filled, teardown),
        cmocka_unit_test_setup_teardown(one_statement_ends_wherever_it_is, open_filled, teardown),
        cmocka_unit_test_setup_teardown(a_check_ends, open_filled, teardown),
        cmocka_unit_test_setup_teardown(a_write_is_done_or_has_changed_nothing, open_filled, teardown),
        cmocka_unit_test(in_a_folder_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
