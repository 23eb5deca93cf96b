/* What widerow.h tells of a statement before it is run: its flags, the tables and functions it stands on, whether it is allowed, and whether it costs no more
 * than its rows do. */
#include "handle.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void flags_tell_statements_apart(void **state)
{
    static const struct {
        const char *cql;
        unsigned flags;
    } cases[] = {
        { "SELECT * FROM t", WR_STMT_ROWS | WR_STMT_SELECT },
        { "DESCRIBE KEYSPACES", WR_STMT_ROWS },
        { "INSERT INTO o (p) VALUES (1)", WR_STMT_WRITE | WR_STMT_BOUNDED },
        { "DELETE FROM o WHERE p = 1 IF EXISTS", WR_STMT_WRITE | WR_STMT_CONDITIONAL | WR_STMT_BOUNDED },
        { "UPDATE n SET v = v + 1 WHERE p = 1", WR_STMT_WRITE | WR_STMT_COUNTER | WR_STMT_BOUNDED },
        { "BEGIN COUNTER BATCH UPDATE n SET v = v + 1 WHERE p = 1 APPLY BATCH", WR_STMT_BATCH | WR_STMT_COUNTER },
        { "BEGIN BATCH UPDATE o SET v = '1' WHERE p = 1 IF v = '2' APPLY BATCH", WR_STMT_BATCH | WR_STMT_CONDITIONAL },
        { "CREATE TABLE x (p int PRIMARY KEY)", WR_STMT_SCHEMA },
        { "DROP KEYSPACE k", WR_STMT_SCHEMA },
        { "TRUNCATE t", 0 },
        { "USE k", WR_STMT_USE },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        wr_stmt *s = prepare(*state, cases[i].cql);
        assert_int_equal(wr_stmt_flags(s), cases[i].flags);
        wr_finalize(s);
    }
}

typedef bool named(const wr_stmt *stmt, unsigned i, const char **keyspace, const char **name);

/* `k.a k.b `, one after the other. */
static void assert_names(wr_db *db, const char *cql, named *of, const char *expected)
{
    wr_stmt *s = prepare(db, cql);
    const char *keyspace, *name;
    char names[100] = "";
    size_t at = 0;

    for (unsigned i = 0; of(s, i, &keyspace, &name); i++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s.%s ", keyspace, name);
    assert_string_equal(names, expected);
    wr_finalize(s);
}

static void tables_of_statements(void **state)
{
    static const struct {
        const char *cql, *tables;
    } cases[] = {
        { "SELECT key FROM system.local", "system.local " },
        { "SELECT count(*) FROM tables.one", "tables.one " },
        { "DELETE FROM tables.one WHERE p = 1", "tables.one " },
        { "BEGIN BATCH INSERT INTO tables.one (p) VALUES (1); INSERT INTO tables.two (p) VALUES (1); DELETE FROM tables.one WHERE p = 2; APPLY BATCH",
          "tables.one tables.two tables.one " },
        { "BEGIN BATCH APPLY BATCH", "" },
        { "TRUNCATE tables.one", "" },
        { "USE tables", "" },
        { "DROP TABLE tables.one", "" },
    };
    exec(*state, "CREATE KEYSPACE tables WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    exec(*state, "CREATE TABLE tables.one (p int PRIMARY KEY)");
    exec(*state, "CREATE TABLE tables.two (p int PRIMARY KEY)");
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_names(*state, cases[i].cql, wr_stmt_table, cases[i].tables);
}

/* Its result has rows and no text: what ran are statements that the caller has. */
static void tables_of_a_batch_are_its_statements(void **state)
{
    const char *keyspace, *name;
    wr_stmt *write, *read, *result;
    wr_batch *batch;
    write = prepare(*state, "INSERT INTO o (p) VALUES (1)");
    read = prepare(*state, "SELECT * FROM o");
    for (enum wr_batch_kind kind = WR_BATCH_LOGGED; kind <= WR_BATCH_UNLOGGED; kind++) {
        assert_int_equal(wr_batch_new(*state, kind, &batch), WR_OK);
        assert_int_equal(wr_batch_add(batch, write), WR_OK);
        assert_int_equal(wr_batch_run(batch, &result), WR_OK);
        assert_false(wr_stmt_table(result, 0, &keyspace, &name));
        wr_batch_free(batch);
    }
    exec(*state, "DROP TABLE o");
    assert_int_equal(wr_step(read), WR_INVALID);
    assert_int_equal(wr_batch_new(*state, WR_BATCH_LOGGED, &batch), WR_OK);
    assert_int_equal(wr_batch_add(batch, read), WR_INVALID); /* though it is bound to nothing */
    wr_batch_free(batch);
    wr_finalize(write);
    wr_finalize(read);
}

static void a_batch_binds_anew_what_is_being_read(void **state)
{
    wr_stmt *insert = prepare(*state, "INSERT INTO o (p) VALUES (1) IF NOT EXISTS");
    wr_batch *batch;
    assert_int_equal(wr_batch_new(*state, WR_BATCH_UNLOGGED, &batch), WR_OK);
    assert_int_equal(wr_step(insert), WR_ROW);
    assert_int_equal(wr_batch_add(batch, insert), WR_OK);
    exec(*state, "ALTER TABLE o ADD w int");
    assert_true(wr_column_bool(insert, 0));
    assert_int_equal(wr_batch_run(batch, NULL), WR_OK);
    assert_true(wr_column_is_null(insert, 0));
    assert_int_equal(wr_step(insert), WR_ROW);
    assert_false(wr_column_bool(insert, 0));
    wr_batch_free(batch);
    wr_finalize(insert);
}

static void functions_of_statements(void **state)
{
    static const char f[] = "CREATE FUNCTION calls.%s(s int, x int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return 1;'";
    static const struct {
        const char *cql, *functions;
    } cases[] = {
        { "SELECT calls.f(p, p), max(calls.g(p, 1)) FROM calls.t", "calls.f calls.g " },
        { "SELECT calls.all(p) FROM calls.t", "calls.all calls.f " },
        { "BEGIN BATCH INSERT INTO calls.t (p) VALUES (calls.f(1, 2)); DELETE FROM calls.t WHERE p = calls.g(1, 2); APPLY BATCH", "calls.f calls.g " },
        { "SELECT count(*), max(p) AS f FROM calls.t", "" },
        { "DROP FUNCTION calls.f", "" },
    };
    char cql[200];
    exec(*state, "CREATE KEYSPACE calls WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    exec(*state, "CREATE TABLE calls.t (p int PRIMARY KEY)");
    for (const char *name = "f\0g\0"; *name; name += 2) {
        snprintf(cql, sizeof cql, f, name);
        exec(*state, cql);
    }
    exec(*state, "CREATE AGGREGATE calls.all(int) SFUNC f STYPE int");
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_names(*state, cases[i].cql, wr_stmt_function, cases[i].functions);
}

static void validated_before_it_is_run(void **state)
{
    static const struct {
        const char *cql;
        enum wr_status status;
    } cases[] = {
        { "TRUNCATE t", WR_OK },
        { "TRUNCATE nosuch", WR_INVALID },
        { "DROP TABLE nosuch", WR_OK },
        { "CREATE TABLE x (p int PRIMARY KEY) WITH gc_grace_seconds = 'x'", WR_SYNTAX },
        { "ALTER TABLE nosuch WITH caching = {'x': 'y'}", WR_CONFIG },
        { "ALTER TABLE nosuch WITH gc_grace_seconds = -1", WR_OK },
        { "CREATE ROLE ''", WR_INVALID },
        { "LIST ROLES", WR_UNAUTHORIZED },
        { "SELECT * FROM t WHERE p = ?", WR_OK },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        wr_stmt *s = prepare(*state, cases[i].cql);
        if (wr_stmt_validate(s, false) != cases[i].status)
            fail_msg("%s: %d %s", cases[i].cql, wr_stmt_status(s), wr_stmt_error(s));
        wr_finalize(s);
    }
}

static void validating_uses_nothing_up(void **state)
{
    size_t len;
    insert_number(*state, 1);
    insert_number(*state, 2);
    wr_stmt *s = prepare(*state, "SELECT p FROM t WHERE p IN (1, 2)");
    wr_set_page_size(s, 1);
    assert_int_equal(wr_step(s), WR_ROW);
    assert_int_equal(wr_step(s), WR_DONE);
    const void *place = wr_page_state(s, &len);
    assert_int_equal(wr_set_page_state(s, place, len), WR_OK);
    assert_int_equal(wr_stmt_validate(s, true), WR_OK);
    assert_int_equal(wr_step(s), WR_ROW);
    assert_int_equal(wr_column_int(s, 0), 2);
    wr_finalize(s);
}

static void give_null(wr_call *call, void *arg)
{
    (void)call;
    (void)arg;
}

static void bounded_is_what_costs_what_its_rows_cost(void **state)
{
    static const struct {
        const char *cql;
        bool bounded;
    } cases[] = {
        { "SELECT * FROM wide WHERE p = ?", true },
        { "SELECT v FROM wide WHERE p = ? AND c < ? ORDER BY c DESC LIMIT ?", true },
        { "SELECT v FROM wide WHERE p = ? AND c = ?", true },
        { "SELECT DISTINCT p, s FROM wide WHERE p = ?", true },
        { "SELECT * FROM wide", false },
        { "SELECT * FROM wide WHERE token(p) > ?", false },
        { "SELECT * FROM wide WHERE p IN ?", false },
        { "SELECT * FROM wide WHERE p = ? AND c IN ?", false },
        { "SELECT * FROM wide WHERE p = ? AND v = ? ALLOW FILTERING", false },
        { "SELECT * FROM wide WHERE i = ?", false },
        { "SELECT count(*) FROM wide WHERE p = ?", false },
        { "SELECT * FROM wide WHERE p = ? GROUP BY c", false },
        { "SELECT k.slow(v) FROM wide WHERE p = ?", false },
        { "SELECT * FROM system_views.settings WHERE name = ?", false },
        { "INSERT INTO wide (p, s) VALUES (?, ?)", true },
        { "UPDATE wide SET v = ? WHERE p = ? AND c = ?", true },
        { "UPDATE wide SET v = ? WHERE p = ? AND c IN ?", false },
        { "UPDATE wide SET v = k.slow(?) WHERE p = ? AND c = ?", false },
        { "DELETE FROM wide WHERE p = ? AND c = ?", true },
        { "DELETE s FROM wide WHERE p = ?", true },
        { "DELETE FROM wide WHERE p = ? AND c > ?", false },
        { "DELETE FROM wide WHERE p = ?", false },
        { "DELETE FROM wide WHERE p IN ? AND c = ?", false },
        { "TRUNCATE wide", false },
    };
    assert_int_equal(wr_function_register(*state, &(struct wr_function){ "k", "slow", "int", "int", 0, give_null, NULL, NULL }), WR_OK);
    exec(*state, "CREATE TABLE wide (p int, c int, s int static, v int, i int, PRIMARY KEY (p, c))");
    exec(*state, "CREATE INDEX ON wide (i)");
    for (size_t i = 0; i < COUNT(cases); i++) {
        wr_stmt *s = prepare(*state, cases[i].cql);
        if (cases[i].bounded != !!(wr_stmt_flags(s) & WR_STMT_BOUNDED))
            fail_msg("%s is %sbounded", cases[i].cql, cases[i].bounded ? "" : "not ");
        wr_finalize(s);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_tables, teardown)
    const struct CMUnitTest tests[] = {
        TEST(flags_tell_statements_apart),
        TEST(tables_of_statements),
        TEST(tables_of_a_batch_are_its_statements),
        TEST(a_batch_binds_anew_what_is_being_read),
        TEST(functions_of_statements),
        TEST(validated_before_it_is_run),
        TEST(validating_uses_nothing_up),
        TEST(bounded_is_what_costs_what_its_rows_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
