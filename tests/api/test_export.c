/* wr_table_export: a table's data as statements, run again in another database, give the same. */
#include "exported.h"

#include <stdlib.h>

/* In batches, too, its statements make the same cells. */
static void batched_round_trip(wr_db *from, wr_db *to, const char *cells)
{
    static struct text statements, copied;
    statements.len = copied.len = 0;
    assert_int_equal(wr_table_export(from, "k", "t", INT64_MIN, 300, add_statement, &statements), WR_OK);
    exec(to, statements.data);
    assert_int_equal(wr_table_cells(to, "k", "t", NULL, add_cell, &copied), WR_OK);
    assert_string_equal(copied.data, cells);
}

/* What is written comes out as `expected` (NULL: whatever it is), and run elsewhere makes the same cells and the same statements. */
static void round_trip(const char *columns, const char *options, const char *writes, const char *expected)
{
    static struct text statements, again, cells, copied;
    wr_db *from = open_at(CLOCK_S), *to = open_at(CLOCK_S), *at_once = open_at(CLOCK_S);
    statements.len = again.len = cells.len = copied.len = 0;
    make(from, columns, options);
    make(to, columns, options);
    make(at_once, columns, options);
    exec(from, writes);
    assert_int_equal(wr_table_export(from, "k", "t", INT64_MIN, 0, add_statement, &statements), WR_OK);
    if (expected)
        assert_string_equal(statements.data, expected);
    exec(to, statements.data);
    assert_int_equal(wr_table_export(to, "k", "t", INT64_MIN, 0, add_statement, &again), WR_OK);
    assert_string_equal(again.data, statements.data);
    assert_int_equal(wr_table_cells(from, "k", "t", NULL, add_cell, &cells), WR_OK);
    assert_int_equal(wr_table_cells(to, "k", "t", NULL, add_cell, &copied), WR_OK);
    assert_string_equal(copied.data, cells.data);
    batched_round_trip(from, at_once, cells.data);
    assert_int_equal(wr_close(from), WR_OK);
    assert_int_equal(wr_close(to), WR_OK);
    assert_int_equal(wr_close(at_once), WR_OK);
}

static void rows_markers_and_ttls(void **state)
{
    (void)state;
    round_trip("p int, c text, v int, w text, s int static, PRIMARY KEY (p, c)", "",
               "INSERT INTO t (p, c, v, w) VALUES (1, 'a', 1, 'it''s') USING TIMESTAMP 10;"
               "UPDATE t USING TIMESTAMP 20 AND TTL 100 SET v = 2 WHERE p = 1 AND c = 'a';"
               "UPDATE t USING TIMESTAMP 30 SET v = 3 WHERE p = 1 AND c = 'b';"
               "INSERT INTO t (p, c, w) VALUES (1, 'c', null) USING TIMESTAMP -5 AND TTL 60;"
               "UPDATE t USING TIMESTAMP 40 SET s = 4 WHERE p = 1",
               "UPDATE k.t USING TIMESTAMP 40 SET s = 4 WHERE p = 1;\n"
               "INSERT INTO k.t (p, c, w) VALUES (1, 'a', 'it''s') USING TIMESTAMP 10;\n"
               "UPDATE k.t USING TIMESTAMP 20 AND TTL 100 SET v = 2 WHERE p = 1 AND c = 'a';\n"
               "UPDATE k.t USING TIMESTAMP 30 SET v = 3 WHERE p = 1 AND c = 'b';\n"
               "INSERT INTO k.t (p, c, w) VALUES (1, 'c', null) USING TIMESTAMP -5 AND TTL 60;\n");
    round_trip("p int PRIMARY KEY, v int", " WITH default_time_to_live = 50",
               "INSERT INTO t (p, v) VALUES (1, 1) USING TIMESTAMP 10; INSERT INTO t (p, v) VALUES (2, 2) USING TIMESTAMP 10 AND TTL 0",
               "INSERT INTO k.t (p, v) VALUES (1, 1) USING TIMESTAMP 10 AND TTL 50;\n"
               "INSERT INTO k.t (p, v) VALUES (2, 2) USING TIMESTAMP 10 AND TTL 0;\n");
}

static void elements(void **state)
{
    (void)state;
    round_trip("p int PRIMARY KEY, l list<int>, m map<text, int>, s set<decimal>, u pair", "",
               "UPDATE t USING TIMESTAMP 10 SET l = [1, 2, 2], m = {'a': 1, 'b': 2}, s = {1.0, 2.50}, u = {a: 1, \"B\": 'x'} WHERE p = 1;"
               "UPDATE t USING TIMESTAMP 20 AND TTL 100 SET l = l + [3], m['b'] = 3, s = s + {4.0}, u.a = 2 WHERE p = 1;"
               "DELETE m['c'], s[2.5], u.\"B\" FROM t USING TIMESTAMP 30 WHERE p = 1",
               "DELETE u FROM k.t USING TIMESTAMP 9 WHERE p = 1;\n" /* its first field was written later */
               "UPDATE k.t USING TIMESTAMP 10 SET l = [1, 2, 2], m = {'a': 1}, s = {1.0} WHERE p = 1;\n"
               "UPDATE k.t USING TIMESTAMP 20 AND TTL 100 SET l = l + [3] WHERE p = 1;\n"
               "UPDATE k.t USING TIMESTAMP 20 AND TTL 100 SET m = m + {'b': 3} WHERE p = 1;\n"
               "DELETE m['c'] FROM k.t USING TIMESTAMP 30 WHERE p = 1;\n"
               "DELETE s[2.5] FROM k.t USING TIMESTAMP 30 WHERE p = 1;\n"
               "UPDATE k.t USING TIMESTAMP 20 AND TTL 100 SET s = s + {4.0} WHERE p = 1;\n"
               "UPDATE k.t USING TIMESTAMP 20 AND TTL 100 SET u.a = 2 WHERE p = 1;\n"
               "DELETE u.\"B\" FROM k.t USING TIMESTAMP 30 WHERE p = 1;\n");
}

static void deletions(void **state)
{
    (void)state;
    round_trip("p int, c int, d int, v int, s int static, PRIMARY KEY (p, c, d)", " WITH CLUSTERING ORDER BY (c DESC, d ASC)",
               "DELETE FROM t USING TIMESTAMP 5 WHERE p = 1;"
               "DELETE FROM t USING TIMESTAMP 10 WHERE p = 1 AND c > 5;"
               "DELETE FROM t USING TIMESTAMP 20 WHERE p = 1 AND c = 7 AND d >= 3;"
               "DELETE FROM t USING TIMESTAMP 30 WHERE p = 1 AND c = 2 AND d = 2;"
               "DELETE v FROM t USING TIMESTAMP 40 WHERE p = 1 AND c = 2 AND d = 3",
               "DELETE FROM k.t USING TIMESTAMP 5 WHERE p = 1;\n"
               "DELETE FROM k.t USING TIMESTAMP 30 WHERE p = 1 AND c = 2 AND d = 2;\n"
               "UPDATE k.t USING TIMESTAMP 40 SET v = null WHERE p = 1 AND c = 2 AND d = 3;\n"
               "DELETE FROM k.t USING TIMESTAMP 10 WHERE p = 1 AND c > 5 AND c < 7;\n"
               "DELETE FROM k.t USING TIMESTAMP 20 WHERE p = 1 AND c = 7 AND d >= 3;\n"
               "DELETE FROM k.t USING TIMESTAMP 10 WHERE p = 1 AND c = 7 AND d < 3;\n"
               "DELETE FROM k.t USING TIMESTAMP 10 WHERE p = 1 AND c > 7;\n");
}

/* A place among rows has several columns, a statement of a range has one that is not equal: there is one for each. */
static void ranges_with_ends_of_several_columns(void **state)
{
    static const char *const columns = "p int, c int, d int, e int, PRIMARY KEY (p, c, d, e)";
    static const char *const writes =
        "INSERT INTO t (p, c, d, e) VALUES (1, 1, 2, 3) USING TIMESTAMP 5; INSERT INTO t (p, c, d, e) VALUES (1, 1, 2, 4) USING TIMESTAMP 5;"
        "INSERT INTO t (p, c, d, e) VALUES (1, 5, 6, 7) USING TIMESTAMP 5; INSERT INTO t (p, c, d, e) VALUES (1, 5, 6, 8) USING TIMESTAMP 5;"
        "DELETE FROM t USING TIMESTAMP 10 WHERE p = 1 AND (c, d, e) > (1, 2, 3) AND (c, d, e) <= (5, 6, 7);"
        "DELETE FROM t USING TIMESTAMP 20 WHERE p = 2 AND (c, d) <= (3, 4);"
        "DELETE FROM t USING TIMESTAMP 30 WHERE p = 3 AND (c, d, e) >= (3, 4, 5) AND (c) < (9);"
        "DELETE FROM t USING TIMESTAMP 40 WHERE p = 4 AND (c, d, e) > (3, 4, 5) AND (c, d) < (3, 8)";
    (void)state;
    round_trip(columns, "", writes,
               "INSERT INTO k.t (p, c, d, e) VALUES (1, 1, 2, 3) USING TIMESTAMP 5;\n"
               "INSERT INTO k.t (p, c, d, e) VALUES (1, 5, 6, 8) USING TIMESTAMP 5;\n"
               "DELETE FROM k.t USING TIMESTAMP 10 WHERE p = 1 AND c = 1 AND d = 2 AND e > 3;\n"
               "DELETE FROM k.t USING TIMESTAMP 10 WHERE p = 1 AND c = 1 AND d > 2;\n"
               "DELETE FROM k.t USING TIMESTAMP 10 WHERE p = 1 AND c > 1 AND c < 5;\n"
               "DELETE FROM k.t USING TIMESTAMP 10 WHERE p = 1 AND c = 5 AND d < 6;\n"
               "DELETE FROM k.t USING TIMESTAMP 10 WHERE p = 1 AND c = 5 AND d = 6 AND e <= 7;\n"
               "DELETE FROM k.t USING TIMESTAMP 20 WHERE p = 2 AND c < 3;\n"
               "DELETE FROM k.t USING TIMESTAMP 20 WHERE p = 2 AND c = 3 AND d <= 4;\n"
               "DELETE FROM k.t USING TIMESTAMP 40 WHERE p = 4 AND c = 3 AND d = 4 AND e > 5;\n"
               "DELETE FROM k.t USING TIMESTAMP 40 WHERE p = 4 AND c = 3 AND d > 4 AND d < 8;\n"
               "DELETE FROM k.t USING TIMESTAMP 30 WHERE p = 3 AND c = 3 AND d = 4 AND e >= 5;\n"
               "DELETE FROM k.t USING TIMESTAMP 30 WHERE p = 3 AND c = 3 AND d > 4;\n"
               "DELETE FROM k.t USING TIMESTAMP 30 WHERE p = 3 AND c > 3 AND c < 9;\n");
    round_trip(columns, " WITH CLUSTERING ORDER BY (c DESC, d DESC, e DESC)", writes, NULL);
    round_trip(columns, " WITH CLUSTERING ORDER BY (c ASC, d DESC, e ASC)", writes, NULL);
    round_trip(columns, " WITH CLUSTERING ORDER BY (c DESC, d ASC, e DESC)", writes, NULL);
}

/* The ends of a deletion are values as they are ordered; of one row alone it is a deletion of that row to who runs the statement. */
static void a_row_keeps_its_clustering_as_it_was_written(void **state)
{
    (void)state;
    static struct text statements;
    wr_db *from = open_at(CLOCK_S), *to = open_at(CLOCK_S);
    make(from, "p int, c decimal, v int, PRIMARY KEY (p, c)", "");
    make(to, "p int, c decimal, v int, PRIMARY KEY (p, c)", "");
    exec(from, "DELETE FROM t USING TIMESTAMP 10 WHERE p = 1 AND c > 0;"
               "DELETE FROM t USING TIMESTAMP 20 WHERE p = 1 AND c >= 1.50 AND c <= 1.50;"
               "INSERT INTO t (p, c, v) VALUES (1, 1.50, 3) USING TIMESTAMP 30");
    assert_int_equal(wr_table_export(from, "k", "t", INT64_MIN, 0, add_statement, &statements), WR_OK);
    exec(to, statements.data);
    wr_stmt *s = prepare(to, "SELECT c FROM t");
    assert_int_equal(wr_step(s), WR_ROW);
    assert_string_equal(wr_column_text(s, 0), "1.50");
    wr_finalize(s);
    wr_close(from);
    wr_close(to);
}

static void values_that_no_literal_says(void **state)
{
    (void)state;
    round_trip("p text PRIMARY KEY, i int, t timestamp, d date, x duration, b blob, f frozen<pair>, n frozen<list<int>>", "",
               "INSERT INTO t (p, i, t, d, x, b, f, n) VALUES (blob_as_text(0x61000a27), blob_as_int(0x), 9223372036854775807, 4294967295,"
               " 0s, 0x0a00, {\"B\": ''}, [blob_as_int(0x)]) USING TIMESTAMP 1",
               "INSERT INTO k.t (p, b, d, f, i, n, t, x) VALUES (blobastext(0x61000a27), 0x0a00, '4294967295', {a: null, \"B\": ''},"
               " blobasint(0x), [blobasint(0x)], '9223372036854775807', 0s) USING TIMESTAMP 1;\n");
    round_trip("p text PRIMARY KEY, v frozen<map<text, text>>, w text", "",
               "INSERT INTO t (p, v, w) VALUES ('*/*', {'src/**/*.c': '/ *', '/*': 'a*b/c'}, '/**') USING TIMESTAMP 1",
               "INSERT INTO k.t (p, v, w) VALUES (blobastext(0x2a2f2a), {blobastext(0x2f2a): 'a*b/c', blobastext(0x7372632f2a2a2f2a2e63): '/ *'},"
               " blobastext(0x2f2a2a)) USING TIMESTAMP 1;\n");
    round_trip("p int, c decimal, v list<decimal>, PRIMARY KEY (p, c)", "",
               "INSERT INTO t JSON '{\"p\": 1, \"c\": \"1e307\", \"v\": [\"1e2147483647\", \"-1e309\", \"1e-400\"]}' USING TIMESTAMP 1;"
               "INSERT INTO t (p, c) VALUES (1, blob_as_decimal(0x8000000001)) USING TIMESTAMP 1",
               "INSERT INTO k.t (p, c, v) VALUES (1, blobasdecimal(0xfffffecd01), [blobasdecimal(0x8000000101), blobasdecimal(0xfffffecbff), 1E-400])"
               " USING TIMESTAMP 1;\n"
               "INSERT INTO k.t (p, c) VALUES (1, blobasdecimal(0x8000000001)) USING TIMESTAMP 1;\n");
    round_trip("p int, c frozen<map<int, int>>, PRIMARY KEY (p, c)", " WITH CLUSTERING ORDER BY (c DESC)",
               "INSERT INTO t (p, c) VALUES (1, {}) USING TIMESTAMP 1", "INSERT INTO k.t (p, c) VALUES (1, fromjson('{}')) USING TIMESTAMP 1;\n");
    /* sets and maps within tuples, out of order or with doubles */
    round_trip("p int, c frozen<tuple<int, frozen<set<tinyint>>>>, v frozen<list<frozen<tuple<frozen<map<int, int>>>>>>, PRIMARY KEY (p, c)", "",
               "INSERT INTO t (p, c, v) VALUES (1, 0x000000040000000700000013000000030000000102000000010200000001ff, [({1: 2, 3: 4}),"
               " 0x00000024000000020000000400000003000000040000000400000004000000010000000400000002]) USING TIMESTAMP 1",
               "INSERT INTO k.t (p, c, v) VALUES (1, 0x000000040000000700000013000000030000000102000000010200000001ff, [({1: 2, 3: 4}),"
               " 0x00000024000000020000000400000003000000040000000400000004000000010000000400000002]) USING TIMESTAMP 1;\n");
    /* bytes that mean what a literal means, and are others */
    round_trip("p varint PRIMARY KEY, b boolean, f float, d double, i inet, m time, n decimal, s text, u duration", "",
               "INSERT INTO t (p, b, f, d, i, m, n, s, u) VALUES (blob_as_varint(0x0001), blob_as_boolean(0x02), blob_as_float(0x7fc00001),"
               " blob_as_double(0xfff8000000000000), blob_as_inet(0x00000000000000000000ffff01020304), blob_as_time(0xffffffffffffffff),"
               " blob_as_decimal(0x00000002ff96), blob_as_text(0xc080eda080), blob_as_duration(0x800200020000)) USING TIMESTAMP 1",
               "INSERT INTO k.t (p, b, d, f, i, m, n, s, u) VALUES (blobasvarint(0x0001), blobasboolean(0x02), blobasdouble(0xfff8000000000000),"
               " blobasfloat(0x7fc00001), blobasinet(0x00000000000000000000ffff01020304), blobastime(0xffffffffffffffff),"
               " blobasdecimal(0x00000002ff96), blobastext(0xc080eda080), blobasduration(0x800200020000)) USING TIMESTAMP 1;\n");
    round_trip("p varint PRIMARY KEY, b boolean, f float, d double, i inet, m time, n decimal, s text, u duration", "",
               "INSERT INTO t (p, b, f, d, i, m, n, s, u) VALUES (-129, true, NaN, NaN, '::1', '23:59:59.999999999', -1.50, 'é', 2mo1d) USING TIMESTAMP 1",
               "INSERT INTO k.t (p, b, d, f, i, m, n, s, u) VALUES (-129, true, NaN, NaN, '0:0:0:0:0:0:0:1', '23:59:59.999999999', -1.50, 'é', 2mo1d)"
               " USING TIMESTAMP 1;\n");
}

static void counters(void **state)
{
    (void)state;
    static struct text statements;
    wr_db *db = open_at(CLOCK_S);
    statements.len = 0;
    make(db, "p int PRIMARY KEY, n counter, m counter", "");
    exec(db, "UPDATE t SET n = n + 5, m = m - 7 WHERE p = 1; UPDATE t SET n = n + 5 WHERE p = 2; DELETE n FROM t WHERE p = 2");
    assert_int_equal(wr_table_export(db, "k", "t", INT64_MIN, 0, add_statement, &statements), WR_OK);
    assert_string_equal(statements.data, "UPDATE k.t SET m = m + -7, n = n + 5 WHERE p = 1;\n");
    statements.len = 0;
    assert_int_equal(wr_table_export(db, "k", "t", 0, 0, add_statement, &statements), WR_OK); /* what a total is made of nobody knows */
    assert_int_equal(statements.len, 0);
    assert_int_equal(wr_close(db), WR_OK);
}

static void compact_tables(void **state)
{
    (void)state;
    round_trip("p int, c int, v int, PRIMARY KEY (p, c)", " WITH COMPACT STORAGE",
               "INSERT INTO t (p, c, v) VALUES (1, 2, 3) USING TIMESTAMP 10; INSERT INTO t (p, c, v) VALUES (1, 3, null) USING TIMESTAMP 11",
               "INSERT INTO k.t (p, c, v) VALUES (1, 2, 3) USING TIMESTAMP 10;\nINSERT INTO k.t (p, c, v) VALUES (1, 3, null) USING TIMESTAMP 11;\n");
    round_trip("p int, c int, PRIMARY KEY (p, c)", " WITH COMPACT STORAGE", "INSERT INTO t (p, c) VALUES (1, 2) USING TIMESTAMP 10",
               "INSERT INTO k.t (p, c) VALUES (1, 2) USING TIMESTAMP 10;\n");
    round_trip("p int PRIMARY KEY, v int, w int", " WITH COMPACT STORAGE",
               "INSERT INTO t (p, v, w) VALUES (1, 2, 3) USING TIMESTAMP 10; UPDATE t USING TIMESTAMP 20 SET w = 4 WHERE p = 1",
               "INSERT INTO k.t (p, v) VALUES (1, 2) USING TIMESTAMP 10;\nINSERT INTO k.t (p, w) VALUES (1, 4) USING TIMESTAMP 20;\n");
}

/* Twenty seconds after the writes. */
static void later(const char *columns, const char *options, const char *writes, const char *expected)
{
    static struct text statements;
    wr_db *db = open_at(CLOCK_S);
    statements.len = 0;
    make(db, columns, options);
    exec(db, writes);
    wr_clock_step(db, INT64_C(20) * 1000000);
    assert_int_equal(wr_table_export(db, "k", "t", INT64_MIN, 0, add_statement, &statements), WR_OK);
    assert_string_equal(statements.data, expected);
    assert_int_equal(wr_close(db), WR_OK);
}

/* Expired cells shadow what is older: they go as the tombstones they are. A column that was dropped stays so when it comes again. */
static void what_is_gone(void **state)
{
    (void)state;
    later("p int PRIMARY KEY, v int, w int", "",
          "UPDATE t USING TIMESTAMP 10 AND TTL 5 SET v = 1, w = 1 WHERE p = 1; UPDATE t USING TIMESTAMP 10 AND TTL 50 SET v = 1 WHERE p = 2;"
          "ALTER TABLE t DROP w; ALTER TABLE t ADD w int",
          "UPDATE k.t USING TIMESTAMP 10 SET v = null WHERE p = 1;\n"
          "UPDATE k.t USING TIMESTAMP 10 AND TTL 30 SET v = 1 WHERE p = 2;\n");
}

/* A row of keys alone lives by a cell that has no name: an INSERT would make it again, for good. */
static void rows_of_keys_alone_that_have_ended(void **state)
{
    (void)state;
    later("p int, c int, PRIMARY KEY (p, c)", " WITH COMPACT STORAGE",
          "INSERT INTO t (p, c) VALUES (1, 1) USING TIMESTAMP 10 AND TTL 5; INSERT INTO t (p, c) VALUES (1, 2) USING TIMESTAMP 10;"
          "INSERT INTO t (p, c) VALUES (1, 3) USING TIMESTAMP 10; DELETE FROM t USING TIMESTAMP 20 WHERE p = 1 AND c = 3",
          "DELETE FROM k.t USING TIMESTAMP 10 WHERE p = 1 AND c = 1;\n"
          "INSERT INTO k.t (p, c) VALUES (1, 2) USING TIMESTAMP 10;\n"
          "DELETE FROM k.t USING TIMESTAMP 20 WHERE p = 1 AND c = 3;\n");
}

/* A collection goes in statements of a size that a server takes; who has had enough gets no more. */
static void large_collections(void **state)
{
    (void)state;
    static struct text statements;
    wr_db *db = open_at(CLOCK_S);
    int told = 0;
    make(db, "p int PRIMARY KEY, l list<blob>", "");
    wr_stmt *stmt = prepare(db, "UPDATE t USING TIMESTAMP 10 SET l = l + ? WHERE p = 1");
    char *blob = calloc(1, 30000);
    assert_non_null(blob);
    for (int i = 0; i < 12; i++) {
        assert_int_equal(wr_bind_open(stmt, 0), WR_OK);
        assert_int_equal(wr_bind_blob(stmt, WR_ELEMENT, blob, 30000), WR_OK);
        assert_int_equal(wr_bind_close(stmt), WR_OK);
        assert_int_equal(wr_step(stmt), WR_DONE);
    }
    wr_finalize(stmt);
    free(blob);
    assert_int_equal(wr_table_export(db, "k", "t", INT64_MIN, 0, count_to_three, &told), WR_OK);
    assert_int_equal(told, 3);
    assert_int_equal(wr_table_export(db, "k", "nosuch", INT64_MIN, 0, add_statement, &statements), WR_INVALID);
    assert_string_equal(wr_error(db), "table nosuch does not exist");
    assert_int_equal(wr_close(db), WR_OK);
}

static void expect_batches(wr_db *db, size_t bytes, const char *expected)
{
    static struct text statements;
    statements.len = 0;
    assert_int_equal(wr_table_export(db, "k", "t", INT64_MIN, bytes, add_statement, &statements), WR_OK);
    assert_string_equal(statements.data, expected);
}

#define INSERT_OF(p, c, v) "INSERT INTO k.t (p, c, v) VALUES (" p ", " c ", '" v "') USING TIMESTAMP 1"

/* Of one partition each, and no longer than was asked for; one statement is not put in a batch, and neither is a counter's. */
static void batches(void **state)
{
    (void)state;
    int told = 0;
    wr_db *db = open_at(CLOCK_S), *counters = open_at(CLOCK_S);
    make(db, "p int, c int, v text, PRIMARY KEY (p, c)", "");
    exec(db, INSERT_OF("1", "1", "a") ";" INSERT_OF("1", "2", "; b") ";" INSERT_OF("1", "3", "c") ";" INSERT_OF("2", "1", "d"));
    const char *of_one_each = INSERT_OF("1", "1", "a") ";\n" INSERT_OF("1", "2", "; b") ";\n" INSERT_OF("1", "3", "c") ";\n" INSERT_OF("2", "1", "d") ";\n";
    const char *of_two = "BEGIN UNLOGGED BATCH " INSERT_OF("1", "1", "a") "; " INSERT_OF("1", "2", "; b") "; APPLY BATCH;\n" INSERT_OF(
        "1", "3", "c") ";\n" INSERT_OF("2", "1", "d") ";\n";
    const char *of_all = "BEGIN UNLOGGED BATCH " INSERT_OF("1", "1", "a") "; " INSERT_OF("1", "2", "; b") "; " INSERT_OF(
        "1", "3", "c") "; APPLY BATCH;\n" INSERT_OF("2", "1", "d") ";\n";
    expect_batches(db, 0, of_one_each);
    expect_batches(db, 100, of_one_each);
    expect_batches(db, 200, of_two);
    expect_batches(db, 16384, of_all);
    expect_batches(db, SIZE_MAX, of_all);
    assert_int_equal(wr_table_export(db, "k", "t", INT64_MIN, 100, count_to_three, &told), WR_OK);
    assert_int_equal(told, 3);
    make(counters, "p int, c int, n counter, PRIMARY KEY (p, c)", "");
    exec(counters, "UPDATE t SET n = n + 1 WHERE p = 1 AND c = 1; UPDATE t SET n = n + 2 WHERE p = 1 AND c = 2");
    expect_batches(counters, 16384, "UPDATE k.t SET n = n + 1 WHERE p = 1 AND c = 1;\nUPDATE k.t SET n = n + 2 WHERE p = 1 AND c = 2;\n");
    assert_int_equal(wr_close(db), WR_OK);
    assert_int_equal(wr_close(counters), WR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_markers_and_ttls),
        cmocka_unit_test(elements),
        cmocka_unit_test(deletions),
        cmocka_unit_test(ranges_with_ends_of_several_columns),
        cmocka_unit_test(a_row_keeps_its_clustering_as_it_was_written),
        cmocka_unit_test(values_that_no_literal_says),
        cmocka_unit_test(counters),
        cmocka_unit_test(compact_tables),
        cmocka_unit_test(what_is_gone),
        cmocka_unit_test(rows_of_keys_alone_that_have_ended),
        cmocka_unit_test(large_collections),
        cmocka_unit_test(batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
