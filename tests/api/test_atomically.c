/* wr_atomically: all or nothing, what is read under it, what ends with it. */
#include "handle.h"

static bool insert_one(void *arg, enum wr_status *st)
{
    wr_db *db = arg;
    *st = wr_exec(db, "INSERT INTO t (p, c) VALUES (5, 1)", NULL, NULL);
    return *st == WR_OK;
}

static enum wr_status two_and_a_mistake(void *arg)
{
    enum wr_status st;
    if (!insert_one(arg, &st))
        return st;
    return wr_exec(arg, "INSERT INTO t (p, c) VALUES (5, 'x')", NULL, NULL);
}

static enum wr_status two(void *arg)
{
    enum wr_status st;
    if (!insert_one(arg, &st))
        return st;
    assert_int_equal(count(arg), 1); /* its own write is seen */
    return wr_exec(arg, "UPDATE n SET v = v + 1 WHERE p = 1", NULL, NULL);
}

static void atomically_is_all_or_nothing(void **state)
{
    assert_int_equal(wr_atomically(*state, two_and_a_mistake, *state), WR_INVALID);
    assert_int_equal(count(*state), 0);
    assert_int_equal(wr_atomically(*state, two, *state), WR_OK);
    assert_int_equal(count(*state), 1);
}

static enum wr_status ignore_what_fails_inside(void *arg)
{
    enum wr_status st;
    if (!insert_one(arg, &st))
        return st;
    assert_int_equal(wr_atomically(arg, two_and_a_mistake, arg), WR_INVALID);
    return WR_OK;
}

static enum wr_status ignore_an_unbound_marker(void *arg)
{
    enum wr_status st;
    if (!insert_one(arg, &st))
        return st;
    wr_stmt *s = prepare(arg, "INSERT INTO t (p, c) VALUES (5, ?)");
    assert_int_equal(wr_step(s), WR_INVALID);
    wr_finalize(s);
    return WR_OK;
}

static enum wr_status ignore_a_mistake_in_the_text(void *arg)
{
    enum wr_status st;
    if (!insert_one(arg, &st))
        return st;
    assert_int_equal(wr_exec(arg, "INSERT INTO t (p, c) VALUES (5, 'x')", NULL, NULL), WR_INVALID);
    return WR_OK;
}

static enum wr_status make_up_a_status(void *arg)
{
    (void)arg;
    return WR_IO;
}

static void atomically_what_failed_before_is_not_told(void **state)
{
    assert_int_equal(wr_exec(*state, "SELECT nothing", NULL, NULL), WR_SYNTAX);
    assert_int_equal(wr_atomically(*state, make_up_a_status, NULL), WR_IO);
    assert_string_equal(wr_error(*state), "");
}

static void atomically_a_part_that_fails_fails_the_whole(void **state)
{
    assert_int_equal(wr_atomically(*state, ignore_what_fails_inside, *state), WR_INVALID);
    assert_int_equal(wr_atomically(*state, ignore_an_unbound_marker, *state), WR_INVALID);
    assert_string_equal(wr_error(*state), "a write within wr_atomically has failed: there were 1 markers(?) in CQL but 0 bound variables");
    assert_int_equal(count(*state), 0);
    assert_int_equal(wr_atomically(*state, ignore_a_mistake_in_the_text, *state), WR_OK); /* it was never run */
    assert_int_equal(count(*state), 1);
}

struct under {
    wr_db *db;
    int rows;
};

static void insert_rows(wr_db *db, int count)
{
    wr_stmt *stmt = prepare(db, "INSERT INTO t (p, c, v) VALUES (5, ?, 'old')");
    for (int i = 0; i < count; i++) {
        wr_bind_int(stmt, 0, i);
        assert_int_equal(wr_step(stmt), WR_DONE);
    }
    wr_finalize(stmt);
}

static bool row_is(wr_stmt *s, int64_t key, const char *text)
{
    return wr_column_int(s, 0) == key && strcmp(wr_column_text(s, 1), text) == 0;
}

/* What is written before the first step shows. Of what is written behind it each row may, and the others are as they were: row 1 is deleted, 2 is changed,
 * and one comes at the end. */
static enum wr_status write_between_steps(void *arg)
{
    const struct under *u = arg;
    wr_stmt *rows = prepare(u->db, "SELECT c, v FROM t WHERE p = 5");
    char text[160];
    insert_rows(u->db, u->rows);
    assert_int_equal(wr_step(rows), WR_ROW);
    assert_true(row_is(rows, 0, "old"));
    snprintf(text, sizeof text, "DELETE FROM t WHERE p = 5 AND c = 1; UPDATE t SET v = 'new' WHERE p = 5 AND c = 2; INSERT INTO t (p, c, v) VALUES (5, %d, 'new')", u->rows);
    exec(u->db, text);
    assert_int_equal(wr_step(rows), WR_ROW);
    if (row_is(rows, 1, "old"))
        assert_int_equal(wr_step(rows), WR_ROW);
    assert_true(row_is(rows, 2, "old") || row_is(rows, 2, "new"));
    for (int i = 3; i < u->rows; i++) {
        assert_int_equal(wr_step(rows), WR_ROW);
        assert_true(row_is(rows, i, "old"));
    }
    if (wr_step(rows) == WR_ROW) {
        assert_true(row_is(rows, u->rows, "new"));
        assert_int_equal(wr_step(rows), WR_DONE);
    }
    for (int i = 0; i <= u->rows; i++) /* and now all of it */
        if (i != 1) {
            assert_int_equal(wr_step(rows), WR_ROW);
            assert_true(row_is(rows, i, i == 2 || i == u->rows ? "new" : "old"));
        }
    assert_int_equal(wr_step(rows), WR_DONE);
    wr_finalize(rows);
    return WR_OK;
}

static void atomically_a_select_sees_what_was_written_before_it(void **state)
{
    for (int rows = 12; rows <= 1200; rows *= 10) {
        exec(*state, "DELETE FROM t WHERE p = 5");
        struct under u = { *state, rows };
        assert_int_equal(wr_atomically(*state, write_between_steps, &u), WR_OK);
        assert_int_equal(count(*state), rows);
    }
}

static enum wr_status insert_three_and_read_them(void *arg)
{
    for (int p = 101; p <= 103; p++)
        insert_number(arg, p);
    wr_stmt *stmt = prepare(arg, "INSERT INTO t (p, c) VALUES (101, 1) IF NOT EXISTS");
    assert_int_equal(wr_step(stmt), WR_ROW);
    assert_false(wr_column_bool(stmt, 0));
    wr_finalize(stmt);
    assert_int_equal(count(arg), 43); /* what came before, and its own */
    return wr_exec(arg, "DELETE FROM t WHERE p = 1", NULL, NULL);
}

static enum wr_status insert_three_and_fail(void *arg)
{
    assert_int_equal(insert_three_and_read_them(arg), WR_OK);
    return WR_INVALID;
}

static enum wr_status sync_it(void *arg)
{
    return wr_sync(arg);
}

static enum wr_status sweep_it(void *arg)
{
    return wr_sweep(arg, 1);
}

static enum wr_status check_it(void *arg)
{
    return wr_check(arg, NULL, NULL, NULL);
}

static enum wr_status close_it(void *arg)
{
    return wr_close(arg);
}

static enum wr_status step_it(void *arg)
{
    return wr_step(arg) == WR_ROW ? WR_OK : WR_INVALID;
}

/* Of three rows one has been read when the transaction ends. */
static void a_read_begun_atomically_ends_with_it(void **state)
{
    wr_db *db = *state;
    for (int p = 1; p <= 3; p++)
        insert_number(db, p);
    wr_stmt *s = prepare(db, "SELECT p FROM t");
    assert_int_equal(wr_atomically(db, step_it, s), WR_OK);
    assert_true(wr_column_is_null(s, 0));
    exec(db, "DELETE FROM t WHERE p = 3");
    assert_int_equal(wr_step(s), WR_MISUSE);
    assert_string_equal(wr_stmt_error(s), "the wr_atomically in which this read was begun has ended");
    assert_int_equal(wr_step(s), WR_ROW);
    assert_int_equal(wr_step(s), WR_ROW);
    assert_int_equal(wr_step(s), WR_DONE);
    assert_int_equal(wr_atomically(db, step_it, s), WR_OK);
    wr_reset(s);
    assert_int_equal(wr_step(s), WR_ROW);
    wr_reset(s);
    assert_int_equal(wr_atomically(db, step_it, s), WR_OK);
    wr_finalize(s);
    exec(db, "TRUNCATE t");
}

/* Beside single writes, with which it shares a transaction of the data file. */
static void atomically_in_a_stream_of_writes_is_all_or_nothing(void **state)
{
    wr_db *db = *state;
    for (int round = 0; round < 2; round++) {
        for (int p = 1; p <= 40; p++)
            insert_number(db, p);
        assert_int_equal(wr_atomically(db, round ? insert_three_and_read_them : insert_three_and_fail, db), round ? WR_OK : WR_INVALID);
        assert_int_equal(count(db), round ? 42 : 40);
    }
    assert_int_equal(wr_atomically(db, sync_it, db), WR_MISUSE);
    assert_int_equal(wr_atomically(db, sweep_it, db), WR_MISUSE);
    assert_int_equal(wr_atomically(db, check_it, db), WR_MISUSE);
    assert_int_equal(wr_atomically(db, close_it, db), WR_MISUSE);
    assert_int_equal(wr_exec(db, "TRUNCATE t", NULL, NULL), WR_OK);
}

struct one_more {
    wr_db *db;
    wr_stmt *get, *put;
};

static enum wr_status read_and_write_one_more(void *arg)
{
    struct one_more *m = arg;
    for (int i = 0; i < 2; i++) { /* the second sees what the first has written */
        assert_int_equal(wr_step(m->get), WR_ROW);
        int64_t v = wr_column_int(m->get, 0);
        wr_bind_int(m->put, 0, v + 1);
        assert_int_equal(wr_step(m->put), WR_DONE);
        assert_int_equal(wr_column_int(m->get, 0), v); /* a row, once given, stays */
        assert_int_equal(wr_step(m->get), WR_DONE);
    }
    return WR_OK;
}

static enum wr_status read_one_and_give_up(void *arg)
{
    struct one_more *m = arg;
    assert_int_equal(read_and_write_one_more(arg), WR_OK);
    assert_int_equal(wr_step(m->get), WR_ROW);
    return WR_INVALID;
}

static uint64_t commits(wr_db *db)
{
    struct wr_db_stats stats;
    assert_int_equal(wr_db_stats(db, &stats), WR_OK);
    return stats.commits;
}

/* A row that is read by its key costs no commit: it is read where the writes before it are pending. */
static void atomically_a_row_is_read_and_written_in_a_stream_of_writes(void **state)
{
    enum { TIMES = 400 };
    wr_db *db = *state;
    exec(db, "CREATE TABLE one (p text, c int, v bigint, PRIMARY KEY (p, c)); INSERT INTO one (p, c, v) VALUES ('a', 1, 0)");
    struct one_more m = { db, prepare(db, "SELECT v FROM one WHERE p = 'a' AND c = 1"), prepare(db, "UPDATE one SET v = ? WHERE p = 'a' AND c = 1") };
    for (int p = 1; p <= 40; p++)
        insert_number(db, p);
    uint64_t before = commits(db);
    for (int i = 0; i < TIMES; i++)
        assert_int_equal(wr_atomically(db, read_and_write_one_more, &m), WR_OK);
    assert_in_range(commits(db) - before, 0, TIMES / 4);
    assert_int_equal(wr_atomically(db, read_one_and_give_up, &m), WR_INVALID);
    assert_int_equal(wr_step(m.get), WR_MISUSE); /* it has ended with that */
    assert_int_equal(wr_step(m.get), WR_ROW);
    assert_int_equal(wr_column_int(m.get, 0), 2 * TIMES);
    wr_finalize(m.get);
    wr_finalize(m.put);
}

/* ---- what is read between writes ---- */

enum { PARTITIONS = 8, ROWS_EACH = 300, ROW_TEXT = 16384 }; /* more than are read at once */

static void fill_places(wr_db *db)
{
    wr_stmt *row = prepare(db, "INSERT INTO r (p, c, v, m, i) VALUES (?, ?, ?, {'a': 'of the row', 'b': 'too'}, ?)");
    wr_stmt *whole = prepare(db, "UPDATE r SET s = ? WHERE p = ?");
    char text[3000], key[32];
    for (int p = 0; p < PARTITIONS; p++) {
        int len = snprintf(key, sizeof key, "partition %d", p);
        memset(text, 's', sizeof text);
        wr_bind_text(whole, 0, text, 10 + p);
        wr_bind_text(whole, 1, key, len);
        assert_int_equal(wr_step(whole), WR_DONE);
        for (int c = 0; c < ROWS_EACH; c++) {
            memset(text, 'a' + c % 26, sizeof text);
            wr_bind_text(row, 0, key, len);
            wr_bind_int(row, 1, c);
            wr_bind_text(row, 2, text, c % 100 == 7 ? 2900 : 10 + (p + c) % 90);
            wr_bind_int(row, 3, p % 4);
            assert_int_equal(wr_step(row), WR_DONE);
        }
    }
    wr_finalize(row);
    wr_finalize(whole);
}

static void row_text(wr_stmt *s, char out[ROW_TEXT])
{
    size_t at = 0;
    for (int i = 0; i < wr_column_count(s); i++)
        at += wr_value_format(wr_column_value(s, i), WR_LITERAL, out + at, ROW_TEXT - at);
    assert_true(at < ROW_TEXT);
}

struct between {
    wr_stmt *rows, *add, *change;
    int count, number;
};
static char expected[PARTITIONS * ROWS_EACH][ROW_TEXT];

static void write_some(struct between *b)
{
    char key[32], text[600];
    memset(text, 'w', sizeof text);
    for (int i = 0; i < 10; i++) {
        int len = snprintf(key, sizeof key, "another %d", ++b->number % 700);
        wr_bind_text(b->add, 0, key, len);
        wr_bind_text(b->add, 1, text, b->number % 60);
        wr_bind_int(b->add, 2, b->number % 5);
        wr_bind_text(b->add, 3, text, b->number % 600);
        assert_int_equal(wr_step(b->add), WR_DONE);
    }
}

/* The rows are as they are without any writes, and each stays as it was given until the next is asked for, be it that it is written itself. */
static enum wr_status read_between_writes(void *arg)
{
    static char given[ROW_TEXT], later[ROW_TEXT];
    struct between *b = arg;
    for (b->count = 0; wr_step(b->rows) == WR_ROW; b->count++)
        row_text(b->rows, expected[b->count]);
    write_some(b);
    for (int n = 0; n < b->count; n++) {
        assert_int_equal(wr_step(b->rows), WR_ROW);
        row_text(b->rows, given);
        assert_string_equal(given, expected[n]);
        write_some(b);
        if (b->change) {
            wr_bind_text(b->change, 0, given, 1 + n * 13 % 80);
            wr_bind_int(b->change, 1, wr_column_int(b->rows, wr_column_index(b->rows, "c")));
            assert_int_equal(wr_step(b->change), WR_DONE);
        }
        row_text(b->rows, later);
        assert_string_equal(later, given);
    }
    assert_int_equal(wr_step(b->rows), WR_DONE);
    return WR_OK;
}

static void atomically_what_was_read_stays_when_something_is_written(void **state)
{
    static const char *const queries[] = {
        "SELECT * FROM r WHERE p = 'partition 7'",
        "SELECT p, c, v FROM r WHERE p = 'partition 7' ORDER BY c DESC",
        "SELECT * FROM r WHERE p IN ('partition 1', 'partition 2', 'partition 3')",
        "SELECT JSON * FROM r WHERE p IN ('partition 1', 'partition 2', 'partition 3')",
        "SELECT p, s, c, m['b'], v FROM r WHERE i = 2",
        "SELECT DISTINCT p, s FROM r WHERE p IN ('partition 4', 'partition 5', 'partition 6')",
        "SELECT p, s, max(v) FROM r WHERE p IN ('partition 4', 'partition 5', 'partition 6') GROUP BY p",
    };
    wr_db *db = *state;
    exec(db, "CREATE TABLE r (p text, c int, s text STATIC, v text, m map<text, text>, i int, PRIMARY KEY (p, c)); CREATE INDEX ON r (i)");
    fill_places(db);
    struct between b = { .add = prepare(db, "INSERT INTO r (p, s, c, v) VALUES (?, ?, ?, ?)") };
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        b.rows = prepare(db, queries[i]);
        b.change = i < 2 ? prepare(db, "UPDATE r SET v = ? WHERE p = 'partition 7' AND c = ?") : NULL;
        assert_int_equal(wr_atomically(db, read_between_writes, &b), WR_OK);
        assert_true(b.count > 2);
        wr_finalize(b.rows);
        wr_finalize(b.change);
    }
    wr_finalize(b.add);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_tables, teardown)
    const struct CMUnitTest tests[] = {
        TEST(atomically_is_all_or_nothing),
        TEST(atomically_a_part_that_fails_fails_the_whole),
        TEST(atomically_what_failed_before_is_not_told),
        TEST(atomically_a_select_sees_what_was_written_before_it),
        TEST(a_read_begun_atomically_ends_with_it),
        TEST(atomically_in_a_stream_of_writes_is_all_or_nothing),
        TEST(atomically_a_row_is_read_and_written_in_a_stream_of_writes),
        TEST(atomically_what_was_read_stays_when_something_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
