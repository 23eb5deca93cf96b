/* Functions of CREATE FUNCTION over their life (widerow.h): kept in the file, called, replaced while others call. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "../folder.h"
#include "handle.h"

static const char schema[] =
    "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}; CREATE TYPE k.u (a int);"
    "CREATE TABLE k.t (p int, c int, v int, w frozen<u>, PRIMARY KEY (p, c));"
    "INSERT INTO k.t (p, c, v, w) VALUES (1, 0, 5, {a: 3}); INSERT INTO k.t (p, c, v) VALUES (1, 1, 6);";

/* A function of one int. */
#define FUNCTION(create, body) create " FUNCTION k.f(a int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS '" body "'"

static wr_db *opened(const char *path)
{
    wr_db *db;
    assert_int_equal(wr_open(path, NULL, &db), WR_OK);
    return db;
}

static void assert_fails(wr_db *db, const char *cql, const char *message)
{
    assert_int_equal(wr_exec(db, cql, NULL, NULL), WR_INVALID);
    assert_string_equal(wr_error(db), message);
}

static bool keep_text(void *arg, wr_stmt *row)
{
    const char *text = wr_column_text(row, 0);
    snprintf(arg, 400, "%s", text ? text : "null");
    return true;
}

static void assert_gives(wr_db *db, const char *cql, const char *expected)
{
    char text[400] = "no row";
    enum wr_status st = wr_exec(db, cql, keep_text, text);
    if (st != WR_OK)
        fail_msg("%s: %s", cql, wr_error(db));
    assert_string_equal(text, expected);
}

/* ---- the file ---- */

static void test_reopening(void **state)
{
    char folder[200];
    uint64_t findings;
    (void)state;
    make_folder(folder, sizeof folder);
    wr_db *db = opened(folder);
    exec(db, schema);
    exec(db, FUNCTION("CREATE", "return 1;"));
    exec(db, "CREATE FUNCTION k.g(s int, w u) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS $$return 7;$$;"
             "CREATE AGGREGATE k.all(u) SFUNC g STYPE int FINALFUNC f INITCOND 0; ALTER TYPE k.u ADD b text;");
    assert_int_equal(wr_close(db), WR_OK);

    db = opened(folder);
    assert_gives(db, "SELECT k.g(v, w) FROM k.t", "7");
    assert_gives(db, "SELECT k.all(w) FROM k.t", "1");
    assert_gives(db, "SELECT body FROM system_schema.functions WHERE keyspace_name = 'k' AND function_name = 'g'", "return 7;");
    assert_fails(db, "DROP TYPE k.u", "Cannot drop user type 'k.u' as it is still used by functions k.g, k.all");
    assert_fails(db, "DROP FUNCTION k.f", "Function 'k.f' is still referenced by aggregates k.all");
    assert_int_equal(wr_check(db, NULL, NULL, &findings), WR_OK);
    assert_int_equal(findings, 0);
    exec(db, "DROP KEYSPACE k");
    assert_gives(db, "SELECT body FROM system_schema.functions WHERE keyspace_name = 'k'", "no row");
    exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
    assert_fails(db, "DROP FUNCTION k.f", "Function 'k.f' doesn't exist");
    assert_int_equal(wr_close(db), WR_OK);
    remove_folder(folder);
}

/* ---- beside the host's ---- */

static void give_nine(wr_call *call, void *arg)
{
    (void)arg;
    wr_return_int(call, 9);
}

static void add(wr_db *db, wr_function_fn call)
{
    struct wr_function f = { "k", "f", "int", "int", WR_FUNCTION_CALLED_ON_NULL, call, NULL, NULL };
    assert_int_equal(wr_function_register(db, &f), WR_OK);
}

static const char language[] = "SELECT language FROM system_schema.functions WHERE keyspace_name = 'k'";

static void test_host_in_front(void **state)
{
    wr_db *db = opened(NULL);
    (void)state;
    exec(db, schema);
    exec(db, FUNCTION("CREATE", "return 1;"));
    assert_gives(db, "SELECT k.f(v) FROM k.t", "1");
    assert_gives(db, language, "java");
    add(db, give_nine);
    assert_gives(db, "SELECT k.f(v) FROM k.t", "9");
    assert_gives(db, language, "native");
    exec(db, FUNCTION("CREATE OR REPLACE", "return 7;")); /* of the schema: the host's stays in front */
    assert_gives(db, "SELECT k.f(v) FROM k.t", "9");
    assert_gives(db, language, "native");
    exec(db, "CREATE AGGREGATE k.g() SFUNC f STYPE int INITCOND 0; DROP FUNCTION k.f(int)");
    assert_gives(db, "SELECT k.g() FROM k.t", "9");
    assert_gives(db, language, "native");
    assert_fails(db, "DROP FUNCTION k.f", "Function 'k.f' is registered by the host program, which alone can take it back");
    exec(db, FUNCTION("CREATE", "return 7;"));
    add(db, NULL);
    assert_gives(db, "SELECT k.g() FROM k.t", "7");
    assert_gives(db, language, "java");
    assert_int_equal(wr_close(db), WR_OK);
}

/* The host's functions are gone with their process, those of the schema beside and behind them are not. */
static void test_reopening_without_host(void **state)
{
    char folder[200];
    (void)state;
    make_folder(folder, sizeof folder);
    wr_db *db = opened(folder);
    exec(db, schema);
    exec(db, "CREATE FUNCTION k.g(a int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return 7;'");
    add(db, give_nine);
    assert_int_equal(wr_close(db), WR_OK);
    for (int opening = 0; opening < 2; opening++) {
        db = opened(folder);
        assert_gives(db, "SELECT body FROM system_schema.functions WHERE keyspace_name = 'k' AND function_name = 'g'", "return 7;");
        assert_gives(db, "SELECT language FROM system_schema.functions WHERE keyspace_name = 'k' AND function_name = 'f'", "no row");
        assert_int_equal(wr_close(db), WR_OK);
    }
    db = opened(folder);
    exec(db, FUNCTION("CREATE", "return 1;"));
    add(db, give_nine);
    assert_int_equal(wr_close(db), WR_OK);
    db = opened(folder);
    assert_gives(db, "SELECT body FROM system_schema.functions WHERE keyspace_name = 'k' AND function_name = 'f'", "return 1;");
    assert_int_equal(wr_close(db), WR_OK);
    remove_folder(folder);
}

/* ---- who is told ---- */

struct heard {
    char text[400];
};

static void on_change(void *arg, const struct wr_schema_change *change)
{
    struct heard *h = arg;
    size_t len = strlen(h->text);
    len += (size_t)snprintf(h->text + len, sizeof h->text - len, "%s %s %s", change->change, change->target,
                            change->name ? change->name : change->keyspace);
    for (uint32_t i = 0; i < change->argument_count; i++)
        len += (size_t)snprintf(h->text + len, sizeof h->text - len, " %s", change->argument_types[i]);
    snprintf(h->text + len, sizeof h->text - len, "; ");
}

static void test_listeners(void **state)
{
    static const struct {
        const char *cql, *events;
    } changes[] = {
        { FUNCTION("CREATE", "return 1;"), "CREATED FUNCTION f int; " },
        { FUNCTION("CREATE OR REPLACE", "return 1;"), "" },
        { FUNCTION("CREATE OR REPLACE", "return 7;"), "UPDATED FUNCTION f int; " },
        { "CREATE FUNCTION k.f(a u, b tuple<int, text>) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return 1;'",
          "CREATED FUNCTION f u frozen<tuple<int, text>>; " },
        { "CREATE AGGREGATE k.g() SFUNC f STYPE int INITCOND 0", "CREATED AGGREGATE g; " },
        { "CREATE OR REPLACE AGGREGATE k.g() SFUNC f STYPE int INITCOND 0", "" },
        { "CREATE OR REPLACE AGGREGATE k.g() SFUNC f STYPE int INITCOND 1", "UPDATED AGGREGATE g; " },
        { "DROP TABLE k.t", "DROPPED TABLE t; " },
        { "ALTER TYPE k.u ADD c int", "UPDATED TYPE u; UPDATED FUNCTION f u frozen<tuple<int, text>>; " },
        { "DROP FUNCTION k.f(u, tuple<int, text>)", "DROPPED FUNCTION f u frozen<tuple<int, text>>; " },
        { "DROP KEYSPACE k", "DROPPED AGGREGATE g; DROPPED FUNCTION f int; DROPPED TYPE u; DROPPED KEYSPACE k; " },
    };
    struct heard heard;
    wr_db *db = opened(NULL);
    (void)state;
    exec(db, schema);
    assert_int_equal(wr_on_schema_change(db, on_change, &heard), WR_OK);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        heard.text[0] = 0;
        exec(db, changes[i].cql);
        assert_string_equal(heard.text, changes[i].events);
    }
    assert_int_equal(wr_close(db), WR_OK);
}

/* ---- statements that are there already ---- */

static void test_prepared(void **state)
{
    wr_db *db = opened(NULL), *other;
    (void)state;
    exec(db, schema);
    exec(db, FUNCTION("CREATE", "return 1;"));
    assert_int_equal(wr_attach(db, &other), WR_OK);
    wr_stmt *stmt = prepare(db, "SELECT k.f(v) FROM k.t");
    assert_int_equal(wr_step(stmt), WR_ROW);
    exec(other, "DROP FUNCTION k.f"); /* a run goes on with what it had */
    assert_int_equal(wr_step(stmt), WR_ROW);
    assert_int_equal(wr_column_int(stmt, 0), 1);
    wr_reset(stmt);
    assert_int_equal(wr_step(stmt), WR_INVALID);
    assert_string_equal(wr_stmt_error(stmt), "Unknown function 'k.f'");
    wr_reset(stmt);
    exec(other, FUNCTION("CREATE", "return 7;"));
    assert_int_equal(wr_step(stmt), WR_ROW);
    assert_int_equal(wr_column_int(stmt, 0), 7);
    wr_finalize(stmt);
    assert_int_equal(wr_close(other), WR_OK);
    assert_int_equal(wr_close(db), WR_OK);
}

/* One half of the calls by a statement that is there already. */
static void *call_often(void *arg)
{
    wr_db *own;
    wr_stmt *stmt = NULL;
    bool right = wr_attach(arg, &own) == WR_OK;
    for (int i = 0; i < 300 && right; i++) {
        if (!stmt && wr_prepare(own, "SELECT k.f(v) FROM k.t LIMIT 1", -1, &stmt) != WR_OK) {
            right = strcmp(wr_error(own), "Unknown function 'k.f'") == 0;
            continue;
        }
        enum wr_status st = wr_step(stmt);
        int64_t got = st == WR_ROW ? wr_column_int(stmt, 0) : 0;
        right = st == WR_ROW ? got == 1 || got == 7 : strcmp(wr_stmt_error(stmt), "Unknown function 'k.f'") == 0;
        if (i % 2) {
            wr_finalize(stmt);
            stmt = NULL;
        } else {
            wr_reset(stmt);
        }
    }
    wr_finalize(stmt);
    return wr_close(own) == WR_OK && right ? arg : NULL;
}

/* Whoever calls meets the function that was or the one that is, or none. */
static void test_threads(void **state)
{
    enum { THREADS = 3 };
    wr_db *db = opened(NULL);
    pthread_t threads[THREADS];
    (void)state;
    exec(db, schema);
    exec(db, FUNCTION("CREATE", "return 1;"));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, db), 0);
    for (int i = 0; i < 20; i++) {
        exec(db, i % 2 ? FUNCTION("CREATE OR REPLACE", "return 1;") : FUNCTION("CREATE OR REPLACE", "return 7;"));
        if (i % 5 == 0)
            exec(db, "DROP FUNCTION k.f");
    }
    for (int i = 0; i < THREADS; i++) {
        void *right;
        assert_int_equal(pthread_join(threads[i], &right), 0);
        assert_non_null(right);
    }
    assert_int_equal(wr_close(db), WR_OK);
}

/* ---- who may ---- */

static void test_permissions(void **state)
{
    wr_db *db = opened(NULL);
    (void)state;
    exec(db, schema);
    exec(db, FUNCTION("CREATE", "return 1;"));
    assert_int_equal(wr_set_role(db, "cassandra"), WR_OK);
    exec(db, "CREATE ROLE bob WITH LOGIN = true; GRANT SELECT ON k.t TO bob");
    assert_int_equal(wr_set_role(db, "bob"), WR_OK);
    assert_int_equal(wr_exec(db, "SELECT k.f(v) FROM k.t", NULL, NULL), WR_UNAUTHORIZED);
    assert_string_equal(wr_error(db), "User bob has no EXECUTE permission on <function k.f(int)> or any of its parents");
    assert_int_equal(wr_exec(db, FUNCTION("CREATE OR REPLACE", "return 7;"), NULL, NULL), WR_UNAUTHORIZED);
    assert_string_equal(wr_error(db), "User bob has no ALTER permission on <function k.f(int)> or any of its parents");
    assert_int_equal(wr_exec(db, "DROP FUNCTION k.f", NULL, NULL), WR_UNAUTHORIZED);
    assert_int_equal(wr_exec(db, "DROP FUNCTION k.none(nosuch)", NULL, NULL), WR_INVALID);
    assert_int_equal(wr_set_role(db, "cassandra"), WR_OK);
    exec(db, "GRANT EXECUTE ON FUNCTION k.f(int) TO bob; GRANT CREATE ON ALL FUNCTIONS IN KEYSPACE k TO bob");
    assert_int_equal(wr_set_role(db, "bob"), WR_OK);
    assert_gives(db, "SELECT k.f(v) FROM k.t", "1");
    exec(db, "CREATE FUNCTION k.g(a int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return 1;'");
    assert_gives(db, "SELECT k.g(v) FROM k.t", "1"); /* whoever makes one may call it */
    exec(db, "DROP FUNCTION k.g");
    assert_int_equal(wr_set_role(db, "cassandra"), WR_OK);
    exec(db, "CREATE FUNCTION k.g(a int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return 1;'");
    assert_int_equal(wr_set_role(db, "bob"), WR_OK);
    assert_int_equal(wr_exec(db, "SELECT k.g(v) FROM k.t", NULL, NULL), WR_UNAUTHORIZED); /* its permissions went with it */
    assert_int_equal(wr_set_role(db, NULL), WR_OK);
    assert_int_equal(wr_close(db), WR_OK);
}

/* ---- reading it back ---- */

static void test_described(void **state)
{
    wr_db *db = opened(NULL);
    (void)state;
    exec(db, schema);
    exec(db, "CREATE FUNCTION k.g(\"A\" u) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return 1; // it''s'");
    assert_gives(db, "SELECT body FROM system_schema.functions WHERE keyspace_name = 'k'", "return 1; // it's");
    exec(db, "CREATE OR REPLACE FUNCTION k.g(\"A\" u) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return 1; // it''s $$'");
    wr_stmt *stmt = prepare(db, "DESCRIBE FUNCTION k.g");
    assert_int_equal(wr_step(stmt), WR_ROW);
    assert_string_equal(wr_column_text(stmt, 3), "CREATE FUNCTION k.g(\"A\" u)\n    CALLED ON NULL INPUT\n    RETURNS int\n"
                                                 "    LANGUAGE java\n    AS 'return 1; // it''s $$';");
    wr_finalize(stmt);
    assert_int_equal(wr_close(db), WR_OK);
}

/* ---- what takes too long ---- */

/* None of these may be let run, nor caught; some do all their work within one call of the library. */
static void test_exhausted(void **state)
{
    static const struct {
        const char *body, *message;
    } cases[] = {
        { "while (true) { }", "User defined function ran longer than 1500ms" },
        { "try { while (true) { } } catch (Throwable t) { return 1; } finally { while (true) { } }", "User defined function ran longer than 1500ms" },
        { "List<Object> l = new ArrayList<Object>(); for (int i = 0; i < 45; i++) { List<Object> m = new ArrayList<Object>(); m.add(l); m.add(l); l = m; } "
          "return l.hashCode();",
          "User defined function ran longer than 1500ms" },
        { "List<Object> l = new ArrayList<Object>(), o = new ArrayList<Object>(); for (int i = 0; i < 45; i++) { List<Object> m = new ArrayList<Object>(); "
          "m.add(l); m.add(l); l = m; List<Object> n = new ArrayList<Object>(); n.add(o); n.add(o); o = n; } return l.equals(o) ? 1 : 0;",
          "User defined function ran longer than 1500ms" },
        { "String s = \"a\".repeat(4000000); return s.indexOf(\"a\".repeat(2000000) + \"b\");", "User defined function ran longer than 1500ms" },
        { "List<Integer> l = new ArrayList<Integer>(); for (int i = 0; i < 200000; i++) l.add(i); l.removeAll(new ArrayList<Integer>(l)); "
          "while (true) l.contains(-1);",
          "User defined function ran longer than 1500ms" },
        { "java.math.BigInteger b = java.math.BigInteger.TEN.pow(3000); while (true) b.multiply(b).mod(b.add(java.math.BigInteger.ONE));", NULL },
        { "StringBuilder b = new StringBuilder(); while (true) { b.setLength(0); b.setLength(8000000); }", "User defined function ran longer than 1500ms" },
        { "String s = \"a\".repeat(10000000); while (true) s.startsWith(s);", "User defined function ran longer than 1500ms" },
        { "ByteBuffer b = ByteBuffer.allocate(20000000); while (true) b.hashCode();", "User defined function ran longer than 1500ms" },
        { "java.math.BigInteger b = new java.math.BigInteger(\"1\".repeat(150000)); while (true) b.toString();", "User defined function ran longer than 1500ms" },
        { "String s = \"0\".repeat(4000000); while (true) Integer.parseInt(s);", "User defined function ran longer than 1500ms" },
        { "List<Integer> l = new ArrayList<Integer>(); for (int i = 0; i < 500000; i++) l.add(i); while (true) l.retainAll(l);", "User defined function ran longer than 1500ms" },
        { "String s = \"1\".repeat(150000); while (true) new java.math.BigDecimal(s);", "User defined function ran longer than 1500ms" },
        { "java.math.BigDecimal b = new java.math.BigDecimal(\"1\".repeat(150000)); while (true) b.precision();", "User defined function ran longer than 1500ms" },
        { "java.math.BigDecimal b = new java.math.BigDecimal(\"1\".repeat(150000) + \".5\"); while (true) b.doubleValue();", "User defined function ran longer than 1500ms" },
        { "return java.math.BigInteger.ONE.shiftLeft(8000000).toString().length();", "java.lang.ArithmeticException: BigInteger would overflow supported range" },
        { "return java.math.BigInteger.ONE.setBit(8000000).toString().length();", "java.lang.ArithmeticException: BigInteger would overflow supported range" },
        { "byte[] b = new byte[1000000]; b[0] = 1; return new java.math.BigDecimal(new java.math.BigInteger(b)).precision();",
          "java.lang.ArithmeticException: BigInteger would overflow supported range" },
        { "String s = \"x\"; while (true) s += s;", "java.lang.OutOfMemoryError: Java heap space" },
        { "while (true) try { String s = \"x\"; while (true) s += s; } catch (Throwable t) { }", "java.lang.OutOfMemoryError: Java heap space" },
    };
    wr_db *db = opened(NULL);
    char cql[1000];
    (void)state;

    exec(db, schema);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(cql, sizeof cql, "CREATE OR REPLACE FUNCTION k.f(a int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS $$%s$$", cases[i].body);
        exec(db, cql);
        assert_int_equal(wr_exec(db, "SELECT k.f(v) FROM k.t WHERE p = 1 AND c = 0", NULL, NULL), WR_FUNCTION_FAILURE);
        if (cases[i].message)
            assert_string_equal(wr_error(db), cases[i].message);
    }
    assert_int_equal(wr_close(db), WR_OK);
}

/* Asked of a 5.0.6, whose text has the whole source that it generates. */
static void test_names_of_arguments(void **state)
{
    static const char *const good[] = { "$x", "var", "record", "X", "x1", "udfContext", "é" };
    static const char *const bad[] = { "class", "1x", "a b", "_", "true", "null", "int", "a.b", "a-b" };
    wr_db *db = opened(NULL);
    char cql[200];
    (void)state;

    exec(db, schema);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(cql, sizeof cql, "CREATE OR REPLACE FUNCTION k.f(\"%s\" int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return %s;'", good[i], good[i]);
        exec(db, cql);
        assert_gives(db, "SELECT k.f(v) FROM k.t WHERE p = 1 AND c = 0", "5");
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(cql, sizeof cql, "CREATE OR REPLACE FUNCTION k.f(\"%s\" int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return 1;'", bad[i]);
        assert_int_equal(wr_exec(db, cql, NULL, NULL), WR_INVALID);
        assert_true(strncmp(wr_error(db), "Java source compilation failed:\nGENERATED SOURCE ERROR: ", 56) == 0);
    }
    assert_int_equal(wr_close(db), WR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reopening),
        cmocka_unit_test(test_host_in_front),
        cmocka_unit_test(test_reopening_without_host),
        cmocka_unit_test(test_listeners),
        cmocka_unit_test(test_prepared),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_permissions),
        cmocka_unit_test(test_described),
        cmocka_unit_test(test_exhausted),
        cmocka_unit_test(test_names_of_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
