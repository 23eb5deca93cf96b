/* Functions of the host and aggregates over them (widerow.h), where a server has nothing to compare with. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../folder.h"
#include "widerow.h"

static void plus(wr_call *call, void *arg)
{
    int64_t sum = arg ? *(int *)arg : 0;
    for (unsigned i = 0; i < wr_call_count(call); i++)
        sum += wr_value_int(wr_call_arg(call, i));
    wr_return_int(call, sum);
}

static void count_destroyed(void *arg)
{
    ++*(int *)arg;
}

static void give_literal(wr_call *call, void *arg)
{
    wr_return_literal(call, arg, -1);
}

static void give_text(wr_call *call, void *arg)
{
    wr_return_text(call, arg, -1);
}

static void give_three_bytes(wr_call *call, void *arg)
{
    (void)arg;
    wr_return_bytes(call, "\1\2\3", 3);
}

static void give_error(wr_call *call, void *arg)
{
    wr_return_null(call);
    wr_return_error(call, arg);
}

static void give_nothing(wr_call *call, void *arg)
{
    (void)call, (void)arg;
}

static void run(wr_db *db, const char *cql)
{
    enum wr_status st = wr_exec(db, cql, NULL, NULL);
    if (st != WR_OK)
        fail_msg("%s: %s", cql, wr_error(db));
}

static void assert_fails(wr_db *db, const char *cql, enum wr_status status, const char *message)
{
    assert_int_equal(wr_exec(db, cql, NULL, NULL), status);
    assert_string_equal(wr_error(db), message);
}

static bool keep_text(void *arg, wr_stmt *row)
{
    const char *text = wr_column_text(row, 0);
    snprintf(arg, 100, "%s", text ? text : "null");
    return true;
}

static void assert_gives(wr_db *db, const char *cql, const char *expected)
{
    char text[100] = "no row";
    enum wr_status st = wr_exec(db, cql, keep_text, text);
    if (st != WR_OK)
        fail_msg("%s: %s", cql, wr_error(db));
    assert_string_equal(text, expected);
}

static void add(wr_db *db, const char *name, const char *arguments, const char *returns, unsigned flags,
                wr_function_fn call, void *arg)
{
    struct wr_function f = { "k", name, arguments, returns, flags, call, arg, NULL };
    enum wr_status st = wr_function_register(db, &f);
    if (st != WR_OK)
        fail_msg("%s: %s", name, wr_error(db));
}

static const char schema[] =
    "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}; CREATE TYPE k.u (a int);"
    "CREATE TABLE k.t (p int, c timestamp, v int, PRIMARY KEY (p, c));"
    "INSERT INTO k.t (p, c, v) VALUES (1, 0, 5); INSERT INTO k.t (p, c, v) VALUES (1, 1, 6);";

static wr_db *opened(const char *path)
{
    wr_db *db;
    assert_int_equal(wr_open(path, NULL, &db), WR_OK);
    return db;
}

static void test_language(void **state)
{
    wr_db *db = opened(NULL);
    (void)state;
    run(db, schema);
    assert_fails(
        db, "CREATE FUNCTION k.f(a int) CALLED ON NULL INPUT RETURNS int LANGUAGE javascript AS 'a;'", WR_INVALID,
        "Currently only Java UDFs are available in Cassandra. For more information - CASSANDRA-18252 and CASSANDRA-17281");
    assert_fails(db, "CREATE FUNCTION k.f(a int) CALLED ON NULL INPUT RETURNS int LANGUAGE native AS 'f'", WR_INVALID,
                 "Function k.f(int) returning int is not registered by the host program");
    add(db, "f", "int", "int", 0, plus, NULL);
    run(db, "CREATE FUNCTION k.f(a int) CALLED ON NULL INPUT RETURNS int LANGUAGE native AS 'f'");
    assert_fails(db, "CREATE FUNCTION k.f(a int) CALLED ON NULL INPUT RETURNS text LANGUAGE native AS 'f'", WR_INVALID,
                 "Function k.f(int) returning text is not registered by the host program");
    assert_fails(db, "DROP FUNCTION k.f", WR_INVALID,
                 "Function 'k.f' is registered by the host program, which alone can take it back");
    assert_fails(db, "DROP FUNCTION IF EXISTS k.f(int)", WR_INVALID,
                 "Function 'k.f(int)' is registered by the host program, which alone can take it back");
    assert_gives(db, "SELECT language FROM system_schema.functions WHERE keyspace_name = 'k'", "native");
    assert_int_equal(wr_close(db), WR_OK);
}

static void test_shown(void **state)
{
    wr_db *db = opened(NULL);
    char text[400] = "";
    (void)state;
    add(db, "f", " int , map<text,frozen<list<int>>>", "int", WR_FUNCTION_CALLED_ON_NULL, plus, NULL);
    run(db, schema); /* the keyspace comes after the function */
    assert_gives(db, "SELECT to_json(argument_types) FROM system_schema.functions WHERE keyspace_name = 'k'",
                 "[\"int\", \"map<text, frozen<list<int>>>\"]");
    wr_stmt *stmt;
    assert_int_equal(wr_prepare(db, "DESCRIBE FUNCTION k.f", -1, &stmt), WR_OK);
    assert_int_equal(wr_step(stmt), WR_ROW);
    snprintf(text, sizeof text, "%s", wr_column_text(stmt, 3));
    wr_finalize(stmt);
    assert_string_equal(text,
                        "CREATE FUNCTION k.f(arg0 int, arg1 map<text, frozen<list<int>>>)\n    CALLED ON NULL INPUT\n"
                        "    RETURNS int\n    LANGUAGE native\n    AS $$f$$;");
    run(db, text); /* what is described is accepted again */
    run(db, "DROP KEYSPACE k");
    assert_gives(db, "SELECT function_name FROM system_schema.functions WHERE keyspace_name = 'k'", "no row");
    assert_int_equal(wr_close(db), WR_OK);
}

static void test_arguments(void **state)
{
    static const struct {
        struct wr_function function;
        enum wr_status status;
        const char *message;
    } wrong[] = {
        { { "k", "f", "nosuch", "int", 0, plus, NULL, NULL },
          WR_INVALID,
          "wr_function_register: 'nosuch' is not a type of keyspace 'k'" },
        { { "k", "f", "int,,int", "int", 0, plus, NULL, NULL },
          WR_INVALID,
          "wr_function_register: '' is not a type of keyspace 'k'" },
        { { "k", "f", "int", "", 0, plus, NULL, NULL },
          WR_INVALID,
          "wr_function_register: '' is not a type of keyspace 'k'" },
        { { "k", NULL, "int", "int", 0, plus, NULL, NULL },
          WR_MISUSE,
          "wr_function_register: keyspace, name and returns must be given" },
        { { "system", "f", "int", "int", 0, plus, NULL, NULL },
          WR_INVALID,
          "wr_function_register: functions cannot be put into a system keyspace" },
    };
    wr_db *db = opened(NULL);
    (void)state;
    run(db, schema);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(wr_function_register(db, &wrong[i].function), wrong[i].status);
        assert_string_equal(wr_error(db), wrong[i].message);
    }
    assert_fails(db, "SELECT k.f(p) FROM k.t", WR_INVALID, "Unknown function 'k.f'");
    assert_int_equal(wr_close(db), WR_OK);
}

static void test_results(void **state)
{
    wr_db *db = opened(NULL);
    (void)state;
    run(db, schema);
    add(db, "fits", "int", "tinyint", 0, plus, NULL);
    assert_gives(db, "SELECT k.fits(v) FROM k.t LIMIT 1", "5");
    add(db, "small", "", "tinyint", 0, plus, &(int){ 300 });
    assert_fails(db, "SELECT k.small() FROM k.t", WR_FUNCTION_FAILURE,
                 "The number does not suit a value of type tinyint");
    add(db, "parts", "", "map<text, frozen<list<int>>>", 0, give_literal, "{'a': [1, 2]}");
    assert_gives(db, "SELECT to_json(k.parts()) FROM k.t", "{\"a\": [1, 2]}");
    add(db, "user", "", "u", 0, give_literal, "{a: 7}");
    assert_gives(db, "SELECT k.user().a FROM k.t", "7");
    add(db, "broken", "", "int", 0, give_literal, "{");
    assert_int_equal(wr_exec(db, "SELECT k.broken() FROM k.t", NULL, NULL), WR_FUNCTION_FAILURE);
    add(db, "day", "", "date", 0, give_text, "2020-01-31");
    assert_gives(db, "SELECT k.day() FROM k.t", "2020-01-31");
    add(db, "noday", "", "date", 0, give_text, "x");
    assert_int_equal(wr_exec(db, "SELECT k.noday() FROM k.t", NULL, NULL), WR_FUNCTION_FAILURE);
    add(db, "bytes", "", "int", 0, give_three_bytes, NULL);
    assert_fails(db, "SELECT k.bytes() FROM k.t", WR_FUNCTION_FAILURE, "Expected 4 or 0 byte int (3)");
    add(db, "error", "int", "int", WR_FUNCTION_DETERMINISTIC, give_error, "it went wrong");
    assert_fails(db, "SELECT k.error(v) FROM k.t", WR_FUNCTION_FAILURE, "it went wrong");
    assert_fails(db, "SELECT k.error(1) FROM k.t", WR_FUNCTION_FAILURE, "it went wrong");
    assert_gives(db, "SELECT k.error(null) FROM k.t", "null"); /* not called */
    add(db, "nothing", "int", "int", WR_FUNCTION_CALLED_ON_NULL, give_nothing, NULL);
    assert_gives(db, "SELECT k.nothing(null) FROM k.t", "null");
    assert_int_equal(wr_close(db), WR_OK);
}

/* A prepared statement follows; destructors are called at the end, also of what was replaced. */
static void test_replacing(void **state)
{
    wr_db *db = opened(NULL);
    int destroyed = 0;
    wr_stmt *stmt;
    struct wr_function f = { "k", "f", "int", "int", 0, plus, &destroyed, count_destroyed };
    (void)state;
    run(db, schema);
    assert_int_equal(wr_function_register(db, &f), WR_OK);
    assert_int_equal(wr_prepare(db, "SELECT k.f(v) FROM k.t LIMIT 1", -1, &stmt), WR_OK);
    assert_int_equal(wr_step(stmt), WR_ROW);
    assert_int_equal(wr_column_int(stmt, 0), 5);
    wr_reset(stmt);
    add(db, "f", "int", "int", 0, plus, &(int){ 100 });
    assert_int_equal(wr_step(stmt), WR_ROW);
    assert_int_equal(wr_column_int(stmt, 0), 105);
    wr_reset(stmt);
    f.call = NULL; /* arg and destroy are as they were: the destructor is not owed twice */
    assert_int_equal(wr_function_register(db, &f), WR_OK);
    assert_int_equal(wr_step(stmt), WR_INVALID);
    assert_string_equal(wr_stmt_error(stmt), "Unknown function 'k.f'");
    assert_gives(db, "SELECT function_name FROM system_schema.functions WHERE keyspace_name = 'k'", "no row");
    wr_finalize(stmt);
    assert_int_equal(destroyed, 0);
    assert_int_equal(wr_close(db), WR_OK);
    assert_int_equal(destroyed, 1);
}

static enum wr_status register_within(void *arg)
{
    struct wr_function f = { "k", "f", "int", "int", 0, plus, NULL, NULL };
    return wr_function_register(arg, &f);
}

static void test_atomically(void **state)
{
    wr_db *db = opened(NULL);
    (void)state;
    run(db, schema);
    assert_int_equal(wr_atomically(db, register_within, db), WR_MISUSE);
    assert_fails(db, "SELECT k.f(v) FROM k.t", WR_INVALID, "Unknown function 'k.f'");
    assert_int_equal(wr_close(db), WR_OK);
}

static void test_monotonic(void **state)
{
    wr_db *db = opened(NULL);
    (void)state;
    run(db, schema);
    add(db, "steady", "timestamp", "bigint", WR_FUNCTION_MONOTONIC | WR_FUNCTION_DETERMINISTIC, plus, NULL);
    add(db, "wild", "timestamp", "bigint", WR_FUNCTION_DETERMINISTIC, plus, NULL);
    assert_gives(db, "SELECT count(*) FROM k.t GROUP BY p, k.steady(c)", "1");
    assert_int_equal(wr_exec(db, "SELECT count(*) FROM k.t GROUP BY p, k.wild(c)", NULL, NULL), WR_INVALID);
    assert_int_equal(wr_close(db), WR_OK);
}

static void test_schema_change(void **state)
{
    wr_db *db = opened(NULL);
    wr_stmt *stmt;
    const char *change, *target, *keyspace, *name;
    (void)state;
    run(db, schema);
    add(db, "f", "int, text, int", "int", WR_FUNCTION_CALLED_ON_NULL, plus, NULL);
    assert_int_equal(wr_prepare(db, "CREATE AGGREGATE k.g(text, int) SFUNC f STYPE int", -1, &stmt), WR_OK);
    assert_int_equal(wr_step(stmt), WR_DONE);
    wr_stmt_schema_change(stmt, &change, &target, &keyspace, &name);
    assert_string_equal(change, "CREATED");
    assert_string_equal(target, "AGGREGATE");
    assert_string_equal(keyspace, "k");
    assert_string_equal(name, "g");
    assert_string_equal(wr_stmt_schema_change_argument(stmt, 0), "text");
    assert_string_equal(wr_stmt_schema_change_argument(stmt, 1), "int");
    assert_null(wr_stmt_schema_change_argument(stmt, 2));
    wr_finalize(stmt);
    assert_fails(db, "DROP TYPE k.u; DROP AGGREGATE k.g; DROP AGGREGATE k.g", WR_INVALID,
                 "Aggregate 'k.g' doesn't exist");
    assert_int_equal(wr_close(db), WR_OK);
}

/* Aggregates are of the file, functions of the process. */
static void test_reopening(void **state)
{
    char folder[200];
    (void)state;
    make_folder(folder, sizeof folder);
    wr_db *db = opened(folder);
    run(db, schema);
    add(db, "f", "u, int", "u", WR_FUNCTION_CALLED_ON_NULL, give_literal, "{a: 3}");
    add(db, "last", "u", "int", WR_FUNCTION_CALLED_ON_NULL, plus, &(int){ 7 });
    run(db, "CREATE AGGREGATE k.g(int) SFUNC f STYPE u FINALFUNC last INITCOND {a: 1}");
    assert_gives(db, "SELECT k.g(v) FROM k.t", "7");
    assert_fails(db, "DROP TYPE k.u", WR_INVALID,
                 "Cannot drop user type 'k.u' as it is still used by functions k.last, k.f, k.g");
    assert_int_equal(wr_close(db), WR_OK);

    db = opened(folder);
    assert_gives(db, "SELECT function_name FROM system_schema.functions WHERE keyspace_name = 'k'", "no row");
    assert_gives(db, "SELECT initcond FROM system_schema.aggregates WHERE keyspace_name = 'k'", "{a: 1}");
    assert_fails(db, "SELECT k.g(v) FROM k.t", WR_INVALID,
                 "Unable to find function k.f(u, int) referenced by UDA k.g: it is not registered");
    add(db, "f", "u, int", "u", WR_FUNCTION_CALLED_ON_NULL, give_literal, "{a: 3}");
    assert_int_equal(wr_exec(db, "SELECT k.g(v) FROM k.t", NULL, NULL), WR_INVALID);
    add(db, "last", "u", "int", WR_FUNCTION_CALLED_ON_NULL, plus, &(int){ 8 });
    assert_gives(db, "SELECT k.g(v) FROM k.t", "8");
    uint64_t findings;
    assert_int_equal(wr_check(db, NULL, NULL, &findings), WR_OK);
    assert_int_equal(findings, 0);
    assert_int_equal(wr_close(db), WR_OK);

    struct wr_options options = WR_OPTIONS_INIT;
    options.read_only = true;
    assert_int_equal(wr_open(folder, &options, &db), WR_OK);
    add(db, "f", "u, int", "u", WR_FUNCTION_CALLED_ON_NULL, give_literal, "{a: 3}");
    add(db, "last", "u", "int", WR_FUNCTION_CALLED_ON_NULL, plus, &(int){ 9 });
    assert_gives(db, "SELECT k.g(v) FROM k.t", "9");
    assert_int_equal(wr_close(db), WR_OK);
    remove_folder(folder);
}

static void *call_often(void *arg)
{
    wr_db *own;
    char text[100];
    bool right = wr_attach(arg, &own) == WR_OK;
    for (int i = 0; i < 300 && right; i++) {
        right = wr_exec(own, "SELECT k.f(v) FROM k.t LIMIT 1", keep_text, text) == WR_OK;
        right = right && (strcmp(text, "5") == 0 || strcmp(text, "6") == 0);
    }
    return wr_close(own) == WR_OK && right ? arg : NULL;
}

/* Whoever calls meets the function that was or the one that is. */
static void test_threads(void **state)
{
    enum { THREADS = 3 };
    static int nothing = 0, one = 1;
    wr_db *db = opened(NULL);
    pthread_t threads[THREADS];
    (void)state;
    run(db, schema);
    add(db, "f", "int", "int", 0, plus, &nothing);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, db), 0);
    for (int i = 0; i < 40; i++)
        add(db, "f", "int", "int", 0, plus, i % 2 ? &one : &nothing);
    for (int i = 0; i < THREADS; i++) {
        void *right;
        assert_int_equal(pthread_join(threads[i], &right), 0);
        assert_non_null(right);
    }
    assert_int_equal(wr_close(db), WR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_language),  cmocka_unit_test(test_shown),         cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_results),   cmocka_unit_test(test_replacing),     cmocka_unit_test(test_atomically),
        cmocka_unit_test(test_monotonic), cmocka_unit_test(test_schema_change), cmocka_unit_test(test_reopening),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
