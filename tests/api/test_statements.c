/* Statements as C uses them: widerow.h, binding, rows, paging, batches, schema changes, consistency, time. */
#include "handle.h"

static int setup(void **state)
{
    wr_db *db;
    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}; USE k;"
             "CREATE TYPE u (a int, b text);"
             "CREATE TABLE t (p int, c int, v text, s set<text>, m map<text, int>, f frozen<u>, PRIMARY KEY (p, c));"
             "CREATE TABLE n (p int PRIMARY KEY, v counter);"
             "CREATE TABLE o (p int PRIMARY KEY, v text);");
    *state = db;
    return 0;
}

static void values_built_of_parts(void **state)
{
    wr_stmt *s = prepare(*state, "INSERT INTO t (p, c, s, m, f) VALUES (1, 1, ?, ?, ?)");
    char text[64];
    assert_int_equal(wr_bind_open(s, 0), WR_OK);
    wr_bind_text(s, WR_ELEMENT, "b", -1);
    wr_bind_text(s, WR_ELEMENT, "a", -1);
    wr_bind_text(s, WR_ELEMENT, "b", -1);
    assert_int_equal(wr_bind_close(s), WR_OK);
    assert_int_equal(wr_bind_open(s, 1), WR_OK);
    wr_bind_text(s, WR_ELEMENT, "y", -1);
    wr_bind_int(s, WR_ELEMENT, 2);
    wr_bind_text(s, WR_ELEMENT, "x", -1);
    wr_bind_int(s, WR_ELEMENT, 1);
    assert_int_equal(wr_bind_close(s), WR_OK);
    assert_int_equal(wr_bind_literal(s, 2, "{b: 'it''s'}", -1), WR_OK);
    assert_int_equal(wr_step(s), WR_DONE);
    wr_finalize(s);
    s = prepare(*state, "SELECT s, m, f FROM t WHERE p = 1");
    assert_int_equal(wr_step(s), WR_ROW);
    wr_value_format(wr_column_value(s, 0), WR_LITERAL, text, sizeof text);
    assert_string_equal(text, "{'a', 'b'}");
    wr_value_format(wr_column_value(s, 1), WR_LITERAL, text, sizeof text);
    assert_string_equal(text, "{'x': 1, 'y': 2}");
    wr_value_format(wr_column_value(s, 2), WR_JSON, text, sizeof text);
    assert_string_equal(text, "{\"a\": null, \"b\": \"it's\"}");
    assert_int_equal(wr_step(s), WR_DONE);
    wr_finalize(s);
}

static void misuse_is_an_error(void **state)
{
    wr_stmt *s = prepare(*state, "SELECT v FROM t WHERE p = ?");
    assert_int_equal(wr_step(s), WR_INVALID);
    assert_string_equal(wr_stmt_error(s), "there were 1 markers(?) in CQL but 0 bound variables");
    assert_int_equal(wr_bind_int(s, 1, 1), WR_MISUSE);
    assert_int_equal(wr_bind_int(s, -2, 1), WR_MISUSE);
    assert_int_equal(wr_bind_int(s, 0, INT64_C(1) << 40), WR_INVALID);
    assert_int_equal(wr_bind_text(s, 0, "no number", -1), WR_INVALID);
    assert_int_equal(wr_bind_open(s, 0), WR_INVALID);
    assert_int_equal(wr_bind_close(s), WR_MISUSE);
    assert_int_equal(wr_close(*state), WR_MISUSE); /* with an open statement */
    assert_true(wr_column_is_null(s, 0) && wr_column_is_null(s, 99) && wr_column_is_null(s, -1));
    assert_null(wr_column_name(s, 99));
    wr_finalize(s);
}

/* A server runs it as it stands and fails to prepare it; of two TTLs the last one counts. */
static void assert_fails_at(wr_db *db, const char *cql, const char *place)
{
    assert_int_not_equal(wr_exec(db, cql, NULL, NULL), WR_OK);
    assert_int_equal(wr_error_offset(db), strstr(cql, place) - cql);
}

static void a_script_tells_where_it_failed(void **state)
{
    const char *bound = "INSERT INTO o (p) VALUES (1); /* first */ -- one\n  INSERT INTO nowhere (p) VALUES (2); SELECT * FROM o";
    const char *syntax = "INSERT INTO o (p) VALUES (1);\n INSERT INTO o (p) VALEUS (2)";
    const char *run = "SELECT p FROM o;\n INSERT INTO o (p, v) VALUES (1, 'a') USING TTL 700000000;";
    assert_fails_at(*state, bound, "INSERT INTO nowhere");
    assert_fails_at(*state, syntax, "VALEUS");
    assert_fails_at(*state, run, "INSERT INTO o (p, v)");
}

static void a_marker_that_nothing_asks_for_takes_anything(void **state)
{
    wr_stmt *s = prepare(*state, "UPDATE o USING TTL ? AND TTL ? SET v = 'a' WHERE p = 77");
    assert_int_equal(wr_marker_count(s), 2);
    assert_string_equal(wr_marker_type_name(s, 0), "blob");
    assert_string_equal(wr_marker_type_name(s, 1), "int");
    assert_int_equal(wr_bind_value(s, 0, "x", 1), WR_OK);
    assert_int_equal(wr_bind_int(s, 1, 100000), WR_OK);
    assert_int_equal(wr_step(s), WR_DONE);
    wr_finalize(s);
    s = prepare(*state, "SELECT ttl(v) FROM o WHERE p = 77");
    assert_int_equal(wr_step(s), WR_ROW);
    assert_in_range(wr_value_int(wr_column_value(s, 0)), 90000, 100000);
    wr_finalize(s);
}

static void statements_outlive_schema_changes(void **state)
{
    wr_stmt *s = prepare(*state, "SELECT * FROM t"), *gone;
    assert_int_equal(wr_column_count(s), 6);
    exec(*state, "ALTER TABLE t ADD w int");
    assert_int_equal(wr_step(s), WR_DONE);
    assert_int_equal(wr_column_count(s), 7);
    gone = prepare(*state, "SELECT w FROM t");
    exec(*state, "ALTER TABLE t DROP w");
    assert_int_equal(wr_step(gone), WR_INVALID);
    assert_string_equal(wr_stmt_error(gone), "Undefined column name w in table k.t");
    exec(*state, "ALTER TABLE t ADD w int");
    assert_int_equal(wr_step(gone), WR_DONE);
    wr_finalize(gone);
    wr_finalize(s);
}

static void pages(void **state)
{
    wr_stmt *s = prepare(*state, "INSERT INTO t (p, c) VALUES (1, ?)");
    char kept[256];
    size_t len;
    int rows = 0;
    for (int i = 0; i < 10; i++) {
        wr_bind_int(s, 0, i);
        assert_int_equal(wr_step(s), WR_DONE);
    }
    wr_finalize(s);
    s = prepare(*state, "SELECT c FROM t WHERE p = 1");
    wr_set_page_size(s, 4);
    while (wr_step(s) == WR_ROW)
        assert_int_equal(wr_column_int(s, 0), rows++);
    assert_int_equal(rows, 4);
    const void *place = wr_page_state(s, &len);
    assert_true(place && len < sizeof kept);
    memcpy(kept, place, len);
    wr_finalize(s);
    s = prepare(*state, "SELECT c FROM t WHERE p = 1"); /* another statement goes on there */
    wr_set_page_size(s, 100);
    assert_int_equal(wr_set_page_state(s, kept, len), WR_OK);
    while (wr_step(s) == WR_ROW)
        assert_int_equal(wr_column_int(s, 0), rows++);
    assert_int_equal(rows, 10);
    assert_null(wr_page_state(s, &len));
    wr_set_page_state(s, "garbage", 7);
    assert_int_equal(wr_step(s), WR_PROTOCOL);
    assert_string_equal(wr_stmt_error(s), "Invalid value for the paging state");
    wr_finalize(s);
}

enum { MANY = 130 };

/* Rows behind one that a step gave may be ready already: whoever counts, pages, stops or asks for texts in between sees one after the other. */
static int read_page(wr_stmt *s, int at, int stop)
{
    char expected[32];

    for (int n = 0; n != stop && wr_step(s) == WR_ROW; n++, at++) {
        assert_int_equal(wr_column_int(s, 0), at / 65);
        assert_int_equal(wr_column_int(s, 1), at % 65);
        snprintf(expected, sizeof expected, at % 11 ? "text %d" : "another %d", at);
        assert_string_equal(wr_column_text(s, 2), expected);
        assert_string_equal(wr_column_text(s, 2), expected);
    }
    assert_true(wr_stmt_status(s) == WR_ROW || wr_stmt_status(s) == WR_DONE);
    return at;
}

static void rows_come_one_after_the_other(void **state)
{
    static const int limits[] = { 1, 7, 8, 9, 24, 25, 64, 65, 66, MANY - 1, MANY, MANY + 1 }, pages[] = { 1, 8, 9, 33, 65, 200 };
    char text[200];

    exec(*state, "CREATE TABLE many (p int, c int, v text, w int, PRIMARY KEY (p, c))");
    for (int i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "INSERT INTO many (p, c, v) VALUES (%d, %d, 'text %d')", i / 65, i % 65, i);
        exec(*state, text);
        snprintf(text, sizeof text, "UPDATE many SET v = 'another %d' WHERE p = %d AND c = %d", i, i / 65, i % 65); /* not all of one time */
        if (i % 11 == 0)
            exec(*state, text);
    }
    wr_stmt *s = prepare(*state, "SELECT p, c, v FROM many WHERE p IN (0, 1) LIMIT ?");
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        int most = limits[l] < MANY ? limits[l] : MANY;
        wr_bind_int(s, 0, limits[l]);
        assert_int_equal(read_page(s, 0, -1), most);
        for (int stop = 1; stop < most; stop += 10) {
            assert_int_equal(read_page(s, 0, stop), stop);
            wr_reset(s);
        }
        for (size_t p = 0; p < sizeof pages / sizeof *pages; p++) {
            int at = 0;
            bool more = true;
            wr_set_page_size(s, pages[p]);
            for (int from = 0; more; from = at) {
                char place[256];
                size_t len;
                at = read_page(s, from, -1);
                assert_int_equal(at - from, most - from < pages[p] ? most - from : pages[p]);
                const void *next = wr_page_state(s, &len);
                more = next && at < most;
                assert_true(len <= sizeof place && (next || at == most));
                if (next)
                    memcpy(place, next, len);
                assert_int_equal(wr_set_page_state(s, more ? place : NULL, more ? len : 0), WR_OK);
            }
            assert_int_equal(at, most);
        }
        wr_set_page_size(s, 0);
    }
    wr_finalize(s);
}

static void batches_of_prepared_statements(void **state)
{
    wr_stmt *insert = prepare(*state, "INSERT INTO t (p, c, v) VALUES (?, ?, ?)"), *cas, *result;
    wr_batch *batch;
    assert_int_equal(wr_batch_new(*state, WR_BATCH_LOGGED, &batch), WR_OK);
    for (int i = 0; i < 3; i++) {
        wr_bind_int(insert, 0, 1);
        wr_bind_int(insert, 1, i);
        wr_bind_text(insert, 2, i ? "later" : "first", -1);
        assert_int_equal(wr_batch_add(batch, insert), WR_OK);
    }
    assert_int_equal(wr_batch_run(batch, NULL), WR_OK);
    cas = prepare(*state, "UPDATE t SET v = 'changed' WHERE p = 1 AND c = ? IF v = 'first'");
    for (int c = 0; c < 2; c++) {
        wr_bind_int(cas, 0, c);
        assert_int_equal(wr_batch_add(batch, cas), WR_OK);
    }
    assert_int_equal(wr_batch_run(batch, &result), WR_OK);
    assert_int_equal(wr_step(result), WR_ROW);
    assert_string_equal(wr_column_name(result, 0), "[applied]");
    assert_false(wr_column_bool(result, 0)); /* the second row's condition does not hold */
    wr_bind_int(cas, 0, 0);
    assert_int_equal(wr_batch_add(batch, cas), WR_OK);
    assert_int_equal(wr_batch_run(batch, &result), WR_OK);
    assert_int_equal(wr_step(result), WR_ROW);
    assert_true(wr_column_bool(result, 0));
    wr_stmt *select = prepare(*state, "SELECT v FROM t WHERE p = 1");
    assert_int_equal(wr_batch_add(batch, select), WR_INVALID);
    wr_finalize(select);
    wr_batch_free(batch);
    wr_finalize(insert);
    wr_finalize(cas);
}

/* What each level is answered: tests/conformance/consistency.cql. */
static void levels_bind_those_who_ask(void **state)
{
    exec(*state, "CREATE KEYSPACE k3 WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}; CREATE TABLE k3.t (p int PRIMARY KEY);");
    wr_stmt *read = prepare(*state, "SELECT * FROM k3.t");
    assert_int_equal(wr_step(read), WR_DONE); /* none asked for: it runs */
    assert_int_equal(wr_set_consistency(read, WR_CL_QUORUM), WR_OK);
    assert_int_equal(wr_step(read), WR_UNAVAILABLE);
    assert_int_equal(wr_set_consistency(read, (enum wr_consistency)(WR_CL_LOCAL_ONE + 1)), WR_PROTOCOL);
    assert_int_equal(wr_set_consistency(read, WR_CL_ONE), WR_OK);
    assert_int_equal(wr_step(read), WR_DONE);
    wr_finalize(read);
}

static int64_t count(wr_db *db)
{
    wr_stmt *s = prepare(db, "SELECT count(*) FROM t");
    assert_int_equal(wr_step(s), WR_ROW);
    int64_t n = wr_column_int(s, 0);
    wr_finalize(s);
    return n;
}

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

static void expect_row(wr_stmt *s, int64_t key, const char *text)
{
    char found[8];
    assert_int_equal(wr_step(s), WR_ROW);
    assert_int_equal(wr_column_int(s, 0), key);
    wr_value_format(wr_column_value(s, 1), WR_STRING, found, sizeof found);
    assert_string_equal(found, text);
}

/* Elsewhere rows are read ahead, some at a time; here each is as the writes before its step have left it. */
static enum wr_status write_between_steps(void *arg)
{
    wr_stmt *rows = prepare(arg, "SELECT c, v FROM t WHERE p = 5"), *keys = prepare(arg, "SELECT p, v FROM o WHERE p IN (4, 2, 1, 3)");
    for (int i = 0; i < 12; i++) {
        char text[64];
        snprintf(text, sizeof text, "INSERT INTO t (p, c, v) VALUES (5, %d, 'old')", i);
        exec(arg, text);
    }
    exec(arg, "INSERT INTO o (p, v) VALUES (1, 'old'); INSERT INTO o (p, v) VALUES (2, 'old'); INSERT INTO o (p, v) VALUES (3, 'old')");
    expect_row(rows, 0, "old");
    expect_row(keys, 1, "old");
    exec(arg, "DELETE FROM t WHERE p = 5 AND c = 1; UPDATE t SET v = 'new' WHERE p = 5 AND c = 2; INSERT INTO t (p, c, v) VALUES (5, 12, 'new')");
    exec(arg, "DELETE FROM o WHERE p = 2; UPDATE o SET v = 'new' WHERE p = 3; INSERT INTO o (p, v) VALUES (4, 'new')");
    expect_row(rows, 2, "new");
    expect_row(keys, 3, "new");
    exec(arg, "DELETE FROM t WHERE p = 5 AND c > 3 AND c < 11; DELETE FROM o WHERE p = 4");
    expect_row(rows, 3, "old");
    expect_row(rows, 11, "old");
    expect_row(rows, 12, "new");
    assert_int_equal(wr_step(rows), WR_DONE);
    assert_int_equal(wr_step(keys), WR_DONE);
    wr_finalize(rows);
    wr_finalize(keys);
    return WR_OK;
}

static void atomically_a_select_sees_what_is_written_under_it(void **state)
{
    assert_int_equal(wr_atomically(*state, write_between_steps, *state), WR_OK);
    assert_int_equal(count(*state), 5);
}

/* A statement that could not be bound again is when it can be, be it for a value; what was open of one by then is given up. */
static void binding_goes_by_the_schema_of_the_day(void **state)
{
    static const uint8_t uuid[16];
    wr_db *db = *state;
    exec(db, "CREATE TYPE pair (a int, b text); CREATE TABLE w (p uuid PRIMARY KEY, v frozen<pair>)");
    wr_stmt *s = prepare(db, "INSERT INTO w (p, v) VALUES (?, ?)");
    assert_int_equal(wr_bind_uuid(s, 0, uuid), WR_OK);
    assert_int_equal(wr_bind_null(s, 1), WR_OK);
    exec(db, "DROP TABLE w");
    assert_int_equal(wr_step(s), WR_INVALID);
    assert_int_equal(wr_bind_uuid(s, 0, uuid), WR_INVALID);
    exec(db, "CREATE TABLE w (p uuid PRIMARY KEY, v frozen<pair>)");
    assert_int_equal(wr_bind_uuid(s, 0, uuid), WR_OK);
    assert_int_equal(wr_bind_open(s, 1), WR_OK);
    assert_int_equal(wr_bind_int(s, WR_ELEMENT, 1), WR_OK);
    exec(db, "DROP TABLE w; DROP TYPE pair; CREATE TYPE pair (a text); CREATE TABLE w (p uuid PRIMARY KEY, v frozen<pair>)");
    assert_int_equal(wr_step(s), WR_DONE);
    assert_int_equal(wr_bind_text(s, WR_ELEMENT, "x", 1), WR_MISUSE);
    assert_int_equal(wr_bind_close(s), WR_MISUSE);
    wr_finalize(s);
    exec(db, "DROP TABLE w; DROP TYPE pair");
}

/* The value that a run reads stays as it is until the run is over. */
static void a_value_is_not_closed_under_a_run(void **state)
{
    wr_db *db = *state;
    exec(db, "CREATE TABLE w (p int PRIMARY KEY)");
    exec(db, "INSERT INTO w (p) VALUES (1); INSERT INTO w (p) VALUES (2)");
    wr_stmt *s = prepare(db, "SELECT p FROM w WHERE p IN ?");
    assert_int_equal(wr_bind_literal(s, 0, "[1, 2]", -1), WR_OK);
    assert_int_equal(wr_bind_open(s, 0), WR_OK);
    assert_int_equal(wr_bind_int(s, WR_ELEMENT, 1), WR_OK);
    assert_int_equal(wr_step(s), WR_ROW);
    assert_int_equal(wr_bind_close(s), WR_MISUSE);
    wr_reset(s);
    assert_int_equal(wr_bind_close(s), WR_OK);
    assert_int_equal(wr_step(s), WR_ROW);
    assert_int_equal(wr_step(s), WR_DONE);
    wr_finalize(s);
    exec(db, "DROP TABLE w");
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

/* What was known of a bound value does not outlive the type that it was bound as. */
static void bound_values_meet_the_type_of_the_day(void **state)
{
    wr_db *db = *state;
    wr_batch *batch;
    exec(db, "CREATE TABLE w (p int PRIMARY KEY, v blob)");
    wr_stmt *s = prepare(db, "INSERT INTO w (p, v) VALUES (1, ?)");
    assert_int_equal(wr_batch_new(db, WR_BATCH_UNLOGGED, &batch), WR_OK);
    assert_int_equal(wr_bind_blob(s, 0, "\xff", 1), WR_OK);
    assert_int_equal(wr_step(s), WR_DONE);
    assert_int_equal(wr_batch_add(batch, s), WR_OK);
    exec(db, "ALTER TABLE w DROP v; DROP TABLE w; CREATE TABLE w (p int PRIMARY KEY, v text)");
    assert_int_equal(wr_step(s), WR_INVALID);
    assert_string_equal(wr_stmt_error(s), "String didn't validate.");
    assert_int_equal(wr_batch_run(batch, NULL), WR_INVALID);
    assert_string_equal(wr_batch_error(batch), "String didn't validate.");
    wr_batch_free(batch);
    wr_finalize(s);
}

static void insert_number(wr_db *db, int p)
{
    char cql[64];
    snprintf(cql, sizeof cql, "INSERT INTO t (p, c) VALUES (%d, 1)", p);
    assert_int_equal(wr_exec(db, cql, NULL, NULL), WR_OK);
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

/* Nobody writes, and nobody calls wr_sweep: a thread does it, since reads pass over so much. */
static void what_reads_pass_over_is_swept(void **state)
{
    enum { EXPIRING = 3000 };
    wr_db *db = *state;
    struct wr_table_stats stats;
    uint64_t findings = 1;

    exec(db, "CREATE TABLE expiring (p int, c int, v int, PRIMARY KEY (p, c)) WITH gc_grace_seconds = 0");
    for (int c = 0; c <= EXPIRING; c++) {
        char cql[96];
        snprintf(cql, sizeof cql, "INSERT INTO expiring (p, c, v) VALUES (1, %d, 1) USING TTL %d", c, c < EXPIRING ? 100 : 0);
        assert_int_equal(wr_exec(db, cql, NULL, NULL), WR_OK);
    }
    wr_clock_step(db, INT64_C(200) * 1000000);
    do {
        wr_stmt *s = prepare(db, "SELECT count(*) FROM expiring");
        assert_int_equal(wr_step(s), WR_ROW);
        assert_int_equal(wr_column_int(s, 0), 1);
        wr_finalize(s);
        assert_int_equal(wr_table_stats(db, "k", "expiring", &stats), WR_OK);
    } while (stats.tombstones > 0);
    assert_int_equal(stats.rows, 1);
    assert_int_equal(wr_check(db, NULL, NULL, &findings), WR_OK);
    assert_int_equal(findings, 0);
    exec(db, "DROP TABLE expiring");
}

static void handles_have_keyspaces_of_their_own(void **state)
{
    wr_db *other;
    assert_int_equal(wr_attach(*state, &other), WR_OK);
    assert_null(wr_keyspace(other));
    assert_string_equal(wr_keyspace(*state), "k");
    assert_int_equal(wr_exec(other, "SELECT * FROM t", NULL, NULL), WR_INVALID);
    assert_string_equal(wr_error(other), "No keyspace has been specified. USE a keyspace, or explicitly specify keyspace.tablename");
    exec(other, "INSERT INTO k.t (p, c) VALUES (1, 1)");
    assert_int_equal(count(*state), 1);
    assert_int_equal(wr_close(other), WR_OK);
}

/* ---- what is read between writes ---- */

enum { PARTITIONS = 40, ROWS_EACH = 12, ROW_TEXT = 16384 };

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
            memset(text, 'a' + c, sizeof text);
            wr_bind_text(row, 0, key, len);
            wr_bind_int(row, 1, c);
            wr_bind_text(row, 2, text, c == 7 ? 2900 : 10 + (p + c) % 90);
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

static void decimals_as_doubles(void **state)
{
    char cql[800];
    exec(*state, "CREATE TABLE d (p int PRIMARY KEY, v decimal)");
    wr_stmt *s = prepare(*state, "INSERT INTO d (p, v) VALUES (1, ?)");
    assert_int_equal(wr_bind_double(s, 0, 0.1), WR_OK);
    assert_int_equal(wr_step(s), WR_DONE);
    assert_int_equal(wr_bind_double(s, 0, 1.0 / 0.0), WR_INVALID);
    wr_finalize(s);
    int len = snprintf(cql, sizeof cql, "INSERT INTO d (p, v) VALUES (2, -15%0597d", 0); /* whose exponent comes behind 600 digits */
    snprintf(cql + len, sizeof cql - (size_t)len, "1E-650)");
    exec(*state, cql);
    s = prepare(*state, "SELECT v FROM d WHERE p IN (1, 2)");
    assert_int_equal(wr_step(s), WR_ROW);
    assert_string_equal(wr_column_text(s, 0), "0.1");
    assert_true(wr_column_double(s, 0) == 0.1);
    assert_int_equal(wr_step(s), WR_ROW);
    assert_true(wr_column_double(s, 0) == -1.5e-51);
    assert_int_equal(wr_column_int(s, 0), 0);
    wr_finalize(s);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(values_built_of_parts), TEST(decimals_as_doubles), TEST(misuse_is_an_error),
        TEST(a_script_tells_where_it_failed), TEST(a_marker_that_nothing_asks_for_takes_anything), TEST(statements_outlive_schema_changes), TEST(pages), TEST(rows_come_one_after_the_other),
        TEST(batches_of_prepared_statements), TEST(levels_bind_those_who_ask), TEST(time_is_the_databases_own),
        TEST(a_clock_may_stand_from_the_start), TEST(atomically_is_all_or_nothing),
        TEST(atomically_a_select_sees_what_is_written_under_it), TEST(bound_values_meet_the_type_of_the_day), TEST(handles_have_keyspaces_of_their_own),
        TEST(binding_goes_by_the_schema_of_the_day), TEST(a_value_is_not_closed_under_a_run), TEST(expired_cells_are_told),
        TEST(atomically_in_a_stream_of_writes_is_all_or_nothing), TEST(what_reads_pass_over_is_swept),
        TEST(a_read_begun_atomically_ends_with_it), TEST(a_clock_at_the_end_of_time_is_swept_under),
        TEST(atomically_what_was_read_stays_when_something_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
