/* wr_schema_export and wr_table_export: a schema and a table's data as statements, run again in another database, give the same. */
#include "handle.h"

#include <stdlib.h>
#include <time.h>

/* Far ahead of every timestamp but those that tests choose; TTLs are exact while it stands. */
enum { CLOCK_S = 1500000000 };

static wr_db *open_at(int64_t now_s)
{
    struct wr_options options = WR_OPTIONS_INIT;
    wr_db *db;
    options.clock_us = now_s * 1000000;
    assert_int_equal(wr_open(NULL, &options, &db), WR_OK);
    return db;
}

struct text {
    char data[65536];
    size_t len;
};

static void add(struct text *t, const char *piece)
{
    size_t n = strlen(piece);
    assert_true(t->len + n + 1 < sizeof t->data);
    memcpy(t->data + t->len, piece, n + 1);
    t->len += n;
}

static bool add_statement(void *arg, const char *cql, size_t len)
{
    assert_int_equal(strlen(cql), len);
    add(arg, cql);
    add(arg, ";\n");
    return true;
}

static bool add_cell(void *arg, const struct wr_cell *cell)
{
    char line[4096], number[96];
    if (strcmp(cell->kind, "range deletion") == 0) /* cut in other places, and merged in others */
        return true;
    bool list = cell->element && strlen(cell->element) == 36; /* the place of a list's element is its database's own */
    snprintf(number, sizeof number, "%lld %u %u\n", (long long)cell->timestamp_us, cell->ttl_s,
             cell->ttl_s ? cell->local_s : 0);
    snprintf(line, sizeof line, "%s|%s|%s|%s|%s|%s|", cell->partition_key, cell->clustering ? cell->clustering : "static", cell->column,
             list ? "" : cell->element ? cell->element : "-", cell->value ? cell->value : "-", cell->kind);
    add(arg, line);
    add(arg, number);
    return true;
}

static void make(wr_db *db, const char *columns, const char *options)
{
    char cql[2048];
    exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
             "CREATE TYPE k.pair (a int, \"B\" text);"
             "USE k");
    snprintf(cql, sizeof cql, "CREATE TABLE t (%s)%s", columns, options);
    exec(db, cql);
}

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

/* Expired cells shadow what is older: they go as the tombstones they are. A column that was dropped stays so when it comes again. */
static void what_is_gone(void **state)
{
    (void)state;
    static struct text statements;
    wr_db *db = open_at(CLOCK_S);
    statements.len = 0;
    make(db, "p int PRIMARY KEY, v int, w int", "");
    exec(db, "UPDATE t USING TIMESTAMP 10 AND TTL 5 SET v = 1, w = 1 WHERE p = 1; UPDATE t USING TIMESTAMP 10 AND TTL 50 SET v = 1 WHERE p = 2;"
             "ALTER TABLE t DROP w; ALTER TABLE t ADD w int");
    wr_clock_step(db, INT64_C(20) * 1000000);
    assert_int_equal(wr_table_export(db, "k", "t", INT64_MIN, 0, add_statement, &statements), WR_OK);
    assert_string_equal(statements.data, "UPDATE k.t USING TIMESTAMP 10 SET v = null WHERE p = 1;\n"
                                         "UPDATE k.t USING TIMESTAMP 10 AND TTL 30 SET v = 1 WHERE p = 2;\n");
    assert_int_equal(wr_close(db), WR_OK);
}

/* A row of keys alone lives by a cell that has no name: an INSERT would make it again, for good. */
static void rows_of_keys_alone_that_have_ended(void **state)
{
    (void)state;
    static struct text statements;
    wr_db *db = open_at(CLOCK_S);
    statements.len = 0;
    make(db, "p int, c int, PRIMARY KEY (p, c)", " WITH COMPACT STORAGE");
    exec(db, "INSERT INTO t (p, c) VALUES (1, 1) USING TIMESTAMP 10 AND TTL 5; INSERT INTO t (p, c) VALUES (1, 2) USING TIMESTAMP 10;"
             "INSERT INTO t (p, c) VALUES (1, 3) USING TIMESTAMP 10; DELETE FROM t USING TIMESTAMP 20 WHERE p = 1 AND c = 3");
    wr_clock_step(db, INT64_C(20) * 1000000);
    assert_int_equal(wr_table_export(db, "k", "t", INT64_MIN, 0, add_statement, &statements), WR_OK);
    assert_string_equal(statements.data, "DELETE FROM k.t USING TIMESTAMP 10 WHERE p = 1 AND c = 1;\n"
                                         "INSERT INTO k.t (p, c) VALUES (1, 2) USING TIMESTAMP 10;\n"
                                         "DELETE FROM k.t USING TIMESTAMP 20 WHERE p = 1 AND c = 3;\n");
    assert_int_equal(wr_close(db), WR_OK);
}

/* ---- what has come since ---- */

static int64_t last_timestamp(wr_db *db)
{
    struct wr_db_stats stats;
    assert_int_equal(wr_db_stats(db, &stats), WR_OK);
    return stats.last_timestamp_us;
}

#define MANY_COLUMNS \
    "p int, c int, v int, w text, l list<int>, m map<text, int>, s set<int>, u pair, st int static, ls list<int> static, PRIMARY KEY (p, c)"

static bool add_json(void *arg, wr_stmt *row)
{
    add(arg, wr_column_text(row, 0));
    add(arg, "\n");
    return true;
}

static void all_rows(wr_db *db, struct text *out)
{
    out->len = 0;
    out->data[0] = 0;
    assert_int_equal(wr_exec(db, "SELECT JSON * FROM k.t", add_json, out), WR_OK);
}

/* What `from` was told of since goes to `to`; how many bytes that was. */
static size_t tell(wr_db *from, wr_db *to, int64_t since_us)
{
    static struct text statements;
    statements.len = 0;
    assert_int_equal(wr_table_export(from, "k", "t", since_us, 0, add_statement, &statements), WR_OK);
    if (statements.len)
        exec(to, statements.data);
    return statements.len;
}

/* The clock stands, so each step begins a microsecond behind the one before. */
static void later_writes_alone(void **state)
{
    static const char *const steps[] = {
        ("INSERT INTO t (p, c, v, w, l, m, s, u) VALUES (1, 1, 1, 'a', [1, 2, 3], {'a': 1, 'b': 2}, {1, 2}, {a: 1, \"B\": 'x'});"
        "INSERT INTO t (p, c, v) VALUES (1, 2, 2); INSERT INTO t (p, c, v) VALUES (1, 3, 3); INSERT INTO t (p, c, v) VALUES (2, 1, 1);"
        "UPDATE t SET st = 1, ls = [1] WHERE p = 1; INSERT INTO t (p, c) VALUES (4, 4)"),
        "UPDATE t SET s = {9} WHERE p = 1 AND c = 1",
        "UPDATE t SET u = {a: 7} WHERE p = 1 AND c = 1",
        "UPDATE t SET l = [7] + l WHERE p = 1 AND c = 1; UPDATE t SET ls = ls + [2] WHERE p = 1",
        "DELETE l[1] FROM t WHERE p = 1 AND c = 1; UPDATE t SET l[1] = 9 WHERE p = 1 AND c = 1",
        "UPDATE t USING TTL 3 SET l = l + [5] WHERE p = 1 AND c = 1",
        "DELETE l[0], l[0], l[0], l[0] FROM t WHERE p = 1 AND c = 1",
        "UPDATE t SET w = 'b', l = l + [3], m['c'] = 3, s = s + {3}, u.a = 2 WHERE p = 1 AND c = 1; INSERT INTO t (p, c, v) VALUES (3, 1, 1) USING TTL 100",
        ("DELETE m['a'], s[1], u.\"B\" FROM t WHERE p = 1 AND c = 1; DELETE v FROM t WHERE p = 1 AND c = 2; DELETE FROM t WHERE p = 1 AND c = 3;"
        "UPDATE t SET st = null WHERE p = 1; UPDATE t SET m = {'z': 1}, s = {} WHERE p = 1 AND c = 1"),
        "INSERT INTO t (p, c) VALUES (4, 4) USING TTL 1",
        "", /* nothing */
        "DELETE l FROM t WHERE p = 1 AND c = 1; DELETE FROM t WHERE p = 2; DELETE FROM t WHERE p = 1 AND c > 5 AND c < 9; INSERT INTO t (p, c) VALUES (2, 1)",
    };
    static struct text rows, copied;
    wr_db *from = open_at(CLOCK_S), *to = open_at(CLOCK_S);
    int64_t since_us = INT64_MIN;
    (void)state;
    make(from, MANY_COLUMNS, "");
    make(to, MANY_COLUMNS, "");
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (*steps[i])
            exec(from, steps[i]);
        int64_t now_us = last_timestamp(from);
        assert_int_equal(tell(from, to, since_us) == 0, !*steps[i]);
        since_us = now_us;
        all_rows(from, &rows);
        all_rows(to, &copied);
        assert_string_equal(copied.data, rows.data);
    }
    exec(from, "UPDATE t USING TIMESTAMP 5 SET v = 7 WHERE p = 9 AND c = 9"); /* of another clock, and of before */
    assert_int_equal(tell(from, to, since_us), 0);
    assert_int_not_equal(tell(from, to, 4), 0);
    all_rows(from, &rows);
    all_rows(to, &copied);
    assert_string_equal(copied.data, rows.data);
    assert_int_equal(wr_close(from), WR_OK);
    assert_int_equal(wr_close(to), WR_OK);
}

static unsigned below(unsigned n)
{
    return (unsigned)random() % n;
}

/* A table, and writes whose numbers are made up: each %d is one. */
static const struct kind {
    const char *columns, *writes[16]; /* NULL ends these */
} kinds[] = {
    { MANY_COLUMNS, {
        "INSERT INTO t (p, c, v, w) VALUES (%d, %d, %d, 'x')",
        "INSERT INTO t (p, c) VALUES (%d, %d) USING TTL %d1",
        "INSERT INTO t (p, c, v, l, s, u) VALUES (%d, %d, %d, [%d, %d], {%d, %d}, {a: %d}) USING TTL %d1",
        "UPDATE t SET v = null, s = s + {%d}, l = l + [%d, %d] WHERE p = %d AND c = %d",
        "UPDATE t SET l = [%d] + l, u.\"B\" = '%d' WHERE p = %d AND c = %d",
        "UPDATE t USING TTL %d1 SET l = l + [%d], s = s - {%d}, m['%d'] = %d WHERE p = %d AND c = %d",
        "UPDATE t SET l = [], s = {%d}, m = {'%d': 1}, u = {a: %d} WHERE p = %d AND c = %d",
        "DELETE u.a, m['%d'], s[%d] FROM t WHERE p = %d AND c = %d",
        "DELETE l, w FROM t WHERE p = %d AND c = %d",
        "DELETE FROM t WHERE p = %d AND c = %d",
        "DELETE FROM t WHERE p = %d AND c > %d",
        "DELETE FROM t WHERE p = %d",
        "UPDATE t SET st = %d, ls = ls + [%d] WHERE p = %d",
        "UPDATE t SET ls = [%d], st = null WHERE p = %d",
    } },
    { "p int PRIMARY KEY, v int, w text, l list<int>, m map<text, int>, s set<int>, u pair", {
        "INSERT INTO t (p, v, w) VALUES (%d, %d, 'x')",
        "INSERT INTO t (p) VALUES (%d) USING TTL %d1",
        "INSERT INTO t (p, v, l, s, u) VALUES (%d, %d, [%d, %d], {%d, %d}, {a: %d}) USING TTL %d1",
        "UPDATE t SET v = null, s = s + {%d}, l = l + [%d, %d] WHERE p = %d",
        "UPDATE t USING TTL %d1 SET l = [%d] + l, s = s - {%d}, m['%d'] = %d WHERE p = %d",
        "UPDATE t SET l = [], s = {%d}, m = {'%d': 1}, u = {a: %d} WHERE p = %d",
        "DELETE u.a, m['%d'], s[%d] FROM t WHERE p = %d",
        "DELETE l, w FROM t WHERE p = %d",
        "DELETE FROM t WHERE p = %d",
    } },
};

static void write_some(wr_db *db, const struct kind *kind)
{
    unsigned writes = 0;
    char cql[300];
    size_t len = 0;
    while (kind->writes[writes])
        writes++;
    for (const char *f = kind->writes[below(writes)]; *f; f++) {
        bool number = f[0] == '%' && f[1] == 'd';
        cql[len++] = number ? (char)('0' + below(4)) : *f;
        f += number;
    }
    cql[len] = 0;
    exec(db, cql);
}

static void seed_histories(void)
{
    const char *given = getenv("WIDEROW_EXPORT_SEED");
    unsigned seed = given ? (unsigned)atoi(given) : (unsigned)time(NULL);
    print_message("WIDEROW_EXPORT_SEED=%u\n", seed);
    srandom(seed);
}

/* Whatever is written, and whenever its copy is told of it: both show the same once what expires is over. */
static void a_copy_that_is_told_of_later_writes(void **state)
{
    enum { KINDS = sizeof kinds / sizeof *kinds, HISTORIES = 200, STEPS = 10, SECOND = 1000000 };
    static struct text rows, copied;
    (void)state;
    seed_histories();
    for (int history = 0; history < HISTORIES; history++) {
        wr_db *both[2] = { open_at(CLOCK_S), open_at(CLOCK_S) };
        const struct kind *kind = &kinds[history % KINDS];
        int64_t since_us = INT64_MIN;
        for (int i = 0; i < 2; i++)
            make(both[i], kind->columns, history / KINDS % 2 ? " WITH default_time_to_live = 20" : "");
        for (int step = 0; step < STEPS; step++) {
            for (unsigned n = below(8); n; n--) {
                write_some(both[0], kind);
                for (int i = 0, by_s = below(4) ? 0 : 1 + (int)below(12); i < 2; i++)
                    wr_clock_step(both[i], (int64_t)by_s * SECOND);
            }
            int64_t now_us = last_timestamp(both[0]);
            tell(both[0], both[1], since_us);
            since_us = now_us;
            for (int i = 0, by_s = 2 * (int)below(2); i < 2; i++)
                wr_clock_step(both[i], (int64_t)by_s * SECOND);
        }
        for (int i = 0; i < 2; i++)
            wr_clock_step(both[i], 2 * SECOND);
        all_rows(both[0], &rows);
        all_rows(both[1], &copied);
        assert_string_equal(copied.data, rows.data);
        for (int i = 0; i < 2; i++)
            assert_int_equal(wr_close(both[i]), WR_OK);
    }
}

/* Lists do not merge, so there are none. */
static const struct kind written_apart = {
    "p int, c int, v int, w text, m map<text, int>, s set<int>, u pair, st int static, ss set<int> static, PRIMARY KEY (p, c)", {
        "INSERT INTO t (p, c, v, w) VALUES (%d, %d, %d, 'x')",
        "INSERT INTO t (p, c) VALUES (%d, %d) USING TTL %d1",
        "INSERT INTO t (p, c, v, s, u) VALUES (%d, %d, %d, {%d, %d}, {a: %d}) USING TTL %d1",
        "UPDATE t SET v = null, s = s + {%d}, m = m - {'%d'} WHERE p = %d AND c = %d",
        "UPDATE t USING TTL %d1 SET s = s - {%d}, m['%d'] = %d WHERE p = %d AND c = %d",
        "UPDATE t SET w = '%d', u.\"B\" = '%d' WHERE p = %d AND c = %d",
        "UPDATE t SET s = {%d}, m = {'%d': 1}, u = {a: %d} WHERE p = %d AND c = %d",
        "DELETE u.a, m['%d'], s[%d] FROM t WHERE p = %d AND c = %d",
        "DELETE s, w FROM t WHERE p = %d AND c = %d",
        "DELETE FROM t WHERE p = %d AND c = %d",
        "DELETE FROM t WHERE p = %d AND c > %d",
        "DELETE FROM t WHERE p = %d",
        "UPDATE t SET st = %d, ss = ss + {%d} WHERE p = %d",
        "UPDATE t SET ss = {%d}, st = null WHERE p = %d",
    }
};

/* A hub and two devices, each written to apart. A device brings the hub what it has written since the last time, and takes with it what has come there: all that
 * is later than the earliest time until which any device had brought its writes when this one was last there. In the end all show the same,
 * once what expires is over. */
static void databases_that_are_merged_at_a_hub(void **state)
{
    enum { DATABASES = 3, HISTORIES = 200, STEPS = 12, SECOND = 1000000 };
    static struct text rows, others;
    (void)state;
    seed_histories();
    for (int history = 0; history < HISTORIES; history++) {
        wr_db *dbs[DATABASES];
        int64_t brought_us[DATABASES], since_us[DATABASES];
        for (int i = 0; i < DATABASES; i++) {
            dbs[i] = open_at(CLOCK_S);
            make(dbs[i], written_apart.columns, "");
            brought_us[i] = since_us[i] = 0; /* and not all that an empty copy wants: what has expired hides what others have */
        }
        for (int step = 0; step < STEPS; step++) {
            for (unsigned n = below(8); n; n--) {
                write_some(dbs[below(DATABASES)], &written_apart);
                for (int i = 0, by_s = below(4) ? 0 : 1 + (int)below(12); i < DATABASES; i++)
                    wr_clock_step(dbs[i], (int64_t)by_s * SECOND);
            }
            int device = 1 + (int)below(DATABASES - 1);
            brought_us[0] = last_timestamp(dbs[0]);
            int64_t now_us = last_timestamp(dbs[device]);
            tell(dbs[device], dbs[0], brought_us[device]);
            tell(dbs[0], dbs[device], since_us[device]);
            brought_us[device] = now_us;
            since_us[device] = brought_us[0];
            for (int i = 1; i < DATABASES; i++)
                since_us[device] = brought_us[i] < since_us[device] ? brought_us[i] : since_us[device];
        }
        for (int device = 1; device < DATABASES; device++)
            tell(dbs[device], dbs[0], brought_us[device]);
        for (int device = 1; device < DATABASES; device++)
            tell(dbs[0], dbs[device], since_us[device]);
        for (int i = 0; i < DATABASES; i++)
            wr_clock_step(dbs[i], 2 * SECOND);
        all_rows(dbs[0], &rows);
        for (int i = 1; i < DATABASES; i++) {
            all_rows(dbs[i], &others);
            assert_string_equal(others.data, rows.data);
        }
        for (int i = 0; i < DATABASES; i++)
            assert_int_equal(wr_close(dbs[i]), WR_OK);
    }
}

static bool count_to_three(void *arg, const char *cql, size_t len)
{
    (void)cql, (void)len;
    return ++*(int *)arg < 3;
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
    const char *of_two = "BEGIN UNLOGGED BATCH " INSERT_OF("1", "1", "a") "; " INSERT_OF("1", "2", "; b") "; APPLY BATCH;\n" INSERT_OF("1", "3", "c") ";\n" INSERT_OF(
        "2", "1", "d") ";\n";
    const char *of_all = "BEGIN UNLOGGED BATCH " INSERT_OF("1", "1", "a") "; " INSERT_OF("1", "2", "; b") "; " INSERT_OF("1", "3", "c") "; APPLY BATCH;\n" INSERT_OF(
        "2", "1", "d") ";\n";
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

/* ---- the schema ---- */

/* As DESCRIBE shows it: with every option. */
static bool add_described(void *arg, wr_stmt *row)
{
    add(arg, wr_column_text(row, 3));
    add(arg, "\n");
    return true;
}

static const char every_kind[] =
    "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
    "CREATE KEYSPACE \"Fast\" WITH replication = {'class': 'NetworkTopologyStrategy', 'datacenter1': 2} AND durable_writes = false;"
    "USE k;"
    "CREATE TYPE z (a int);"
    "CREATE TYPE a (z frozen<z>, \"B\" text);"
    "CREATE FUNCTION plus (a int, b int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return a + b;';"
    "CREATE AGGREGATE total (int) SFUNC plus STYPE int INITCOND 0;"
    "CREATE TABLE plain (p int PRIMARY KEY, v frozen<a>);"
    "CREATE TABLE up (p int, c int, d text, s int static, v text, PRIMARY KEY (p, c, d));"
    "CREATE TABLE down (p int, c int, d text, v set<text>, PRIMARY KEY (p, c, d)) WITH CLUSTERING ORDER BY (c ASC, d DESC);"
    "CREATE TABLE tuned (p int PRIMARY KEY) WITH comment = 'it''s' AND gc_grace_seconds = 60 AND default_time_to_live = 5"
    "    AND caching = {'keys': 'NONE'} AND compression = {'enabled': false} AND speculative_retry = '50ms' AND read_repair = 'NONE';"
    "CREATE TABLE levels (p int PRIMARY KEY) WITH compaction = {'class': 'LeveledCompactionStrategy'};"
    "CREATE TABLE fine_levels (p int PRIMARY KEY) WITH compaction = {'class': 'LeveledCompactionStrategy'} AND bloom_filter_fp_chance = 0.01;"
    "CREATE TABLE rows (p int, c int, v int, PRIMARY KEY (p, c)) WITH COMPACT STORAGE;"
    "CREATE INDEX ON down (v);"
    "CREATE CUSTOM INDEX sai ON up (v) USING 'sai' WITH OPTIONS = {'case_sensitive': 'false'};"
    "CREATE MATERIALIZED VIEW by_c AS SELECT * FROM down WHERE c IS NOT NULL AND d IS NOT NULL AND p IS NOT NULL PRIMARY KEY (c, d, p)"
    "    WITH CLUSTERING ORDER BY (d ASC, p DESC) AND comment = 'a view';"
    "CREATE MATERIALIZED VIEW by_d AS SELECT c, d, p FROM down WHERE c IS NOT NULL AND d IS NOT NULL AND p IS NOT NULL PRIMARY KEY (c, p, d);";

/* Of a table's options those alone that a new one has not, and what is made of them is what was there. */
static void a_schema_is_made_again(void **state)
{
    (void)state;
    static struct text script, again, described, made;
    wr_db *from = open_at(CLOCK_S), *to = open_at(CLOCK_S);
    script.len = again.len = described.len = made.len = 0;
    exec(from, every_kind);
    assert_int_equal(wr_schema_export(from, NULL, NULL, add_statement, &script), WR_OK);
    exec(to, script.data);
    assert_int_equal(wr_schema_export(to, NULL, NULL, add_statement, &again), WR_OK);
    assert_string_equal(again.data, script.data);
    assert_int_equal(wr_exec(from, "DESCRIBE SCHEMA", add_described, &described), WR_OK);
    assert_int_equal(wr_exec(to, "DESCRIBE SCHEMA", add_described, &made), WR_OK);
    assert_string_equal(made.data, described.data);
    assert_null(strstr(script.data, "memtable"));
    assert_null(strstr(script.data, "CREATE KEYSPACE system"));
    assert_int_equal(wr_close(from), WR_OK);
    assert_int_equal(wr_close(to), WR_OK);
}

static void expect_schema(wr_db *db, const char *keyspace, const char *table, const char *expected)
{
    static struct text script;
    script.len = 0;
    script.data[0] = 0;
    assert_int_equal(wr_schema_export(db, keyspace, table, add_statement, &script), WR_OK);
    assert_string_equal(script.data, expected);
}

static void give_one(wr_call *call, void *arg)
{
    (void)arg;
    wr_return_int(call, 1);
}

static void parts_of_a_schema(void **state)
{
    (void)state;
    int told = 0;
    wr_db *db = open_at(CLOCK_S);
    exec(db, every_kind);
    exec(db, "CREATE KEYSPACE other WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    assert_int_equal(wr_function_register(db, &(struct wr_function){ "other", "native", "int", "int", 0, give_one, NULL, NULL }), WR_OK);
    expect_schema(db, "Fast", NULL,
                  "CREATE KEYSPACE \"Fast\" WITH replication = {'class': 'NetworkTopologyStrategy', 'datacenter1': '2'}  AND durable_writes = false;\n");
    expect_schema(db, "k", "plain", "CREATE TABLE k.plain (\n    p int PRIMARY KEY,\n    v frozen<a>\n);\n");
    expect_schema(db, "k", "up",
                  "CREATE TABLE k.up (\n    p int,\n    c int,\n    d text,\n    s int static,\n    v text,\n    PRIMARY KEY (p, c, d)\n);\n"
                  "CREATE CUSTOM INDEX sai ON k.up (v) USING 'sai' WITH OPTIONS = {'case_sensitive': 'false'};\n");
    expect_schema(db, "k", "by_d",
                  "CREATE MATERIALIZED VIEW k.by_d AS\n    SELECT c, p, d\n    FROM k.down\n    WHERE c IS NOT NULL AND d IS NOT NULL AND p IS NOT NULL\n"
                  "    PRIMARY KEY (c, p, d)\n WITH CLUSTERING ORDER BY (p ASC, d DESC);\n");
    expect_schema(db, "k", "rows",
                  "CREATE TABLE k.rows (\n    p int,\n    c int,\n    v int,\n    PRIMARY KEY (p, c)\n) WITH COMPACT STORAGE;\n");
    expect_schema(db, "k", "fine_levels",
                  "CREATE TABLE k.fine_levels (\n    p int PRIMARY KEY\n) WITH bloom_filter_fp_chance = 0.01\n"
                  "    AND compaction = {'class': 'org.apache.cassandra.db.compaction.LeveledCompactionStrategy', 'max_threshold': '32', 'min_threshold': '4'};\n");
    expect_schema(db, "system_views", NULL, "");
    expect_schema(db, "other", NULL, "CREATE KEYSPACE other WITH replication = {'class': 'SimpleStrategy', 'replication_factor': '1'};\n");
    assert_int_equal(wr_schema_export(db, "k", NULL, count_to_three, &told), WR_OK);
    assert_int_equal(told, 3);
    assert_int_equal(wr_schema_export(db, "nosuch", NULL, count_to_three, &told), WR_INVALID);
    assert_string_equal(wr_error(db), "Keyspace 'nosuch' does not exist");
    assert_int_equal(wr_schema_export(db, "k", "nosuch", count_to_three, &told), WR_INVALID);
    assert_string_equal(wr_error(db), "table nosuch does not exist");
    assert_int_equal(wr_schema_export(db, NULL, "plain", count_to_three, &told), WR_MISUSE);
    assert_int_equal(wr_close(db), WR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_markers_and_ttls),
        cmocka_unit_test(elements),
        cmocka_unit_test(deletions),
        cmocka_unit_test(a_row_keeps_its_clustering_as_it_was_written),
        cmocka_unit_test(values_that_no_literal_says),
        cmocka_unit_test(counters),
        cmocka_unit_test(compact_tables),
        cmocka_unit_test(what_is_gone),
        cmocka_unit_test(rows_of_keys_alone_that_have_ended),
        cmocka_unit_test(large_collections),
        cmocka_unit_test(later_writes_alone),
        cmocka_unit_test(a_copy_that_is_told_of_later_writes),
        cmocka_unit_test(databases_that_are_merged_at_a_hub),
        cmocka_unit_test(batches),
        cmocka_unit_test(a_schema_is_made_again),
        cmocka_unit_test(parts_of_a_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
