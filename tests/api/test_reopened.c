/* A schema is the same when its database is opened again: each thing that a schema has, and the system's keyspaces where they were altered. */
#include "../folder.h"
#include "handle.h"

static const char *const schema[] = {
    "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3} AND durable_writes = false",
    "CREATE KEYSPACE \"K\" WITH replication = {'class': 'NetworkTopologyStrategy', 'datacenter1': 2}",
    "ALTER KEYSPACE system_auth WITH replication = {'class': 'NetworkTopologyStrategy', 'datacenter1': 3}",
    "ALTER KEYSPACE system_distributed WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}",
    "CREATE TYPE k.inner_type (a int, \"B\" text)",
    "CREATE TYPE k.outer_type (i frozen<inner_type>, l list<frozen<inner_type>>, m map<text, int>)",
    "CREATE TYPE k.another (o frozen<outer_type>)",
    "ALTER TYPE k.inner_type RENAME a TO z AND \"B\" TO b",
    "ALTER TYPE k.inner_type ADD c tuple<int, vector<float, 3>>",
    "CREATE TABLE k.t (p int, q text, c int, d timeuuid, s frozen<set<int>> static, v int, u inner_type, a frozen<another>, w vector<float, 2>, x text,"
    " PRIMARY KEY ((p, q), c, d)) WITH CLUSTERING ORDER BY (c DESC, d ASC) AND comment = 'it''s' AND gc_grace_seconds = 5 AND default_time_to_live = 7"
    " AND compaction = {'class': 'UnifiedCompactionStrategy', 'scaling_parameters': 'T4,L2'} AND compression = {'class': 'ZstdCompressor', "
    "'compression_level': 5}"
    " AND caching = {'keys': 'NONE', 'rows_per_partition': '10'} AND extensions = {'e': 0x0a} AND cdc = true AND memtable = 'default' AND speculative_retry = "
    "'50ms'",
    "ALTER TABLE k.t DROP v USING TIMESTAMP 1000",
    "ALTER TABLE k.t ADD v int",
    "CREATE TABLE k.n (p int PRIMARY KEY, n counter)",
    "CREATE TABLE k.\"T\" (\"P\" text PRIMARY KEY, m map<text, frozen<list<int>>>, l list<int>, s set<text>)",
    "CREATE INDEX one ON k.t (v)",
    "CREATE INDEX \"Two\" ON k.t (x) USING 'sai' WITH OPTIONS = {'case_sensitive': 'false', 'normalize': 'true'}",
    "CREATE INDEX three ON k.t (w) USING 'sai' WITH OPTIONS = {'similarity_function': 'dot_product'}",
    "CREATE INDEX ON k.\"T\" (entries(m))",
    "CREATE INDEX ON k.\"T\" (values(l))",
    "CREATE CUSTOM INDEX four ON k.\"T\" (s) USING 'StorageAttachedIndex'",
    ("CREATE MATERIALIZED VIEW k.by_c AS SELECT p, q, c, d, v FROM k.t WHERE c > 5 AND p = 5 AND q IN ('a', 'b') AND d IS NOT NULL"
     " PRIMARY KEY (c, p, q, d) WITH comment = 'a view'"),
    "CREATE FUNCTION k.plus (a int, b int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return a == null ? b : a + b;'",
    "CREATE FUNCTION k.of_type (a inner_type) RETURNS NULL ON NULL INPUT RETURNS text LANGUAGE java AS $$return a.getString(\"b\");$$",
    "CREATE AGGREGATE k.total (int) SFUNC plus STYPE int INITCOND 5",
    "CREATE TABLE k.masked (p text MASKED WITH mask_inner(1, null, '#') PRIMARY KEY, v int MASKED WITH DEFAULT, w int MASKED WITH k.plus(3))",
};

static char described[2][1 << 20];

static bool add_row(void *arg, wr_stmt *row)
{
    char *to = arg;
    size_t len = strlen(to);
    int last = wr_column_count(row) - 1;
    for (int i = 0; i <= last; i++)
        len += (size_t)snprintf(to + len, sizeof described[0] - len, "%s%c", wr_column_text(row, i) ? wr_column_text(row, i) : "null", i == last ? '\n' : '|');
    assert_true(len < sizeof described[0]);
    return true;
}

static void describe(wr_db *db, char *to)
{
    *to = '\0';
    if (wr_exec(db,
                "DESCRIBE FULL SCHEMA; SELECT * FROM system_schema.dropped_columns; SELECT * FROM system_schema.column_masks;"
                "SELECT keyspace_name, replication, durable_writes FROM system_schema.keyspaces",
                add_row, to) != WR_OK)
        fail_msg("%s", wr_error(db));
}

static wr_db *opened(const char *path)
{
    wr_db *db;
    if (wr_open(path, NULL, &db) != WR_OK)
        fail_msg("%s", wr_error(db));
    wr_set_masking(db, true);
    return db;
}

static void schema_is_the_same(void **state)
{
    char path[256];
    (void)state;
    make_folder(path, sizeof path);
    wr_db *db = opened(path);
    for (size_t i = 0; i < sizeof schema / sizeof *schema; i++)
        exec(db, schema[i]);
    describe(db, described[0]);
    assert_non_null(strstr(described[0], "'datacenter1': '3'"));
    assert_int_equal(wr_close(db), WR_OK);
    for (int i = 0; i < 2; i++) {
        db = opened(path);
        describe(db, described[1]);
        assert_string_equal(described[0], described[1]);
        if (i == 0) /* what is written anew is written from what was read */
            exec(db, "ALTER KEYSPACE system_auth WITH durable_writes = true; ALTER TABLE k.t WITH cdc = true; ALTER KEYSPACE k WITH durable_writes = false");
        assert_int_equal(wr_close(db), WR_OK);
    }
    remove_folder(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(schema_is_the_same) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
