/* wr_schema_export: a schema as statements, run again in another database, gives the same. */
#include "exported.h"

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

static void expect_made_again(const char *schema)
{
    static struct text script, again, described, made;
    wr_db *from = open_at(CLOCK_S), *to = open_at(CLOCK_S);
    script.len = again.len = described.len = made.len = 0;
    exec(from, schema);
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

/* Of a table's options those alone that a new one has not, and what is made of them is what was there. */
static void a_schema_is_made_again(void **state)
{
    (void)state;
    expect_made_again(every_kind);
}

/* DESCRIBE leaves out the quotes, as a server does, and what it prints means another type or is refused. */
static void types_and_functions_of_odd_names(void **state)
{
    (void)state;
    expect_made_again("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}; USE k;"
                      "CREATE TYPE \"int\" (a text); CREATE TYPE \"byte\" (b frozen<\"int\">, \"int\" int); CREATE TYPE \"empty\" (a int); CREATE TYPE \"list\" (a int);"
                      "CREATE TYPE \"Byte\" (a int); CREATE TYPE key (a int); CREATE TYPE \"ttl\" (a int); CREATE TYPE \"select\" (a int);"
                      "CREATE TABLE t (p int PRIMARY KEY, a \"int\", b list<frozen<\"byte\">>, c tuple<\"empty\", \"list\", \"Byte\">, d key, e vector<frozen<\"ttl\">, 2>, f \"select\");"
                      "CREATE FUNCTION \"ttl\" (a \"int\", b tuple<\"ttl\", int>) CALLED ON NULL INPUT RETURNS \"int\" LANGUAGE java AS 'return a;';"
                      "CREATE AGGREGATE \"key\" (tuple<\"ttl\", int>) SFUNC \"ttl\" STYPE \"int\";"
                      "CREATE TABLE was_compact (p int, c int, PRIMARY KEY (p, c)) WITH COMPACT STORAGE; ALTER TABLE was_compact DROP COMPACT STORAGE;");
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
        cmocka_unit_test(a_schema_is_made_again),
        cmocka_unit_test(types_and_functions_of_odd_names),
        cmocka_unit_test(parts_of_a_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
