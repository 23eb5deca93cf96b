/* Answers model/catalog.h and model/catalog_code.h: what is stored comes back, rows of system_schema are in step, and
 * neither damaged bytes nor failing memory or storage do harm. */
#include "engine/rig.h"
#include "model/catalog_code.h"
#include "tests/model/schema_run.h"

#include "engine/store.h"

static const char *const script[] = {
    "CREATE KEYSPACE k WITH replication = {'class': 'NetworkTopologyStrategy', 'datacenter1': 1} AND durable_writes = "
    "false",
    "CREATE TYPE k.u (a int, \"B b\" set<text>, t tuple<int, text>)",
    "CREATE TYPE k.\"Outer\" (x frozen<u>, l list<frozen<u>>)",
    "CREATE TABLE k.t (p int, \"Q\" text, c timeuuid, d decimal, s int STATIC, v text, l list<int>, m map<text, "
    "frozen<set<int>>>, "
    "f frozen<\"Outer\">, n u_gone, PRIMARY KEY ((p, \"Q\"), c, d)) WITH CLUSTERING ORDER BY (c DESC)",
    "CREATE TABLE k.t (p int, \"Q\" text, c timeuuid, d decimal, s int STATIC, v text, l list<int>, m map<text, "
    "frozen<set<int>>>, "
    "f frozen<\"Outer\">, x int, PRIMARY KEY ((p, \"Q\"), c, d)) WITH CLUSTERING ORDER BY (c DESC) AND comment = "
    "'it''s' "
    "AND default_time_to_live = 5 AND gc_grace_seconds = 7 AND bloom_filter_fp_chance = 0.25 AND cdc = true "
    "AND compaction = {'class': 'LeveledCompactionStrategy', 'sstable_size_in_mb': 10} AND allow_auto_snapshot = false",
    "CREATE TABLE k.counts (p int, c int, n counter, PRIMARY KEY (p, c))",
    "CREATE TABLE k.dense (p int, c int, v blob, PRIMARY KEY (p, c)) WITH COMPACT STORAGE",
    "CREATE TABLE k.narrow (p int PRIMARY KEY, a int, b text) WITH COMPACT STORAGE",
    "INSERT INTO k.t (p, \"Q\", c, d, v, l, m) VALUES (1, 'q', 50554d6e-29bb-11e5-b345-feff819cdc9f, 1.50, 'v', [1, "
    "2], {'a': {1}})",
    "UPDATE k.t SET v = 'w', l = l + [3] WHERE p = 1 AND \"Q\" = 'q' AND c = 50554d6e-29bb-11e5-b345-feff819cdc9f AND "
    "d = 2",
    "CREATE INDEX ON k.t (v)",
    "CREATE INDEX ON k.t (l)",
    "CREATE INDEX mk ON k.t (keys(m))",
    "CREATE INDEX ON k.t (\"Q\")",
    "CREATE CUSTOM INDEX sx ON k.t (x) USING 'sai' WITH OPTIONS = {}",
    "INSERT INTO k.t (p, \"Q\", c, d, v, x) VALUES (2, 'q', 50554d6e-29bb-11e5-b345-feff819cdc9f, 1, 'v', 3)",
    "ALTER TABLE k.t DROP s USING TIMESTAMP 99",
    "ALTER TABLE k.t ADD (y int, s int STATIC)",
    "ALTER TABLE k.t DROP f",
    "DROP INDEX k.mk",
    "ALTER TYPE k.u RENAME a TO aa",
    "ALTER TYPE k.u ADD z frozen<map<int, text>>",
    "CREATE TABLE k.gone (p int PRIMARY KEY, u frozen<u>)",
    "CREATE INDEX ON k.gone (u)",
    "DROP TABLE k.gone",
    "TRUNCATE k.counts",
    "CREATE TABLE k.base (p int, c text, v int, w text, l list<int>, f frozen<list<u>>, PRIMARY KEY (p, c)) "
    "WITH CLUSTERING ORDER BY (c DESC)",
    "INSERT INTO k.base (p, c, v, w, l) VALUES (1, 'a', 1, 'w', [1, 2])",
    "CREATE MATERIALIZED VIEW k.wide AS SELECT * FROM k.base WHERE v IS NOT NULL AND p IN (1, 2) AND (c) > ('') "
    "PRIMARY KEY (v, c, p)",
    "CREATE MATERIALIZED VIEW k.keys AS SELECT p, c FROM k.base WHERE p IS NOT NULL AND c IS NOT NULL "
    "PRIMARY KEY ((c, p)) WITH comment = 'v'",
    "CREATE MATERIALIZED VIEW k.gone AS SELECT w, p, c FROM k.base WHERE p >= 1 AND c IS NOT NULL PRIMARY KEY (c, p)",
    "BEGIN BATCH INSERT INTO k.base (p, c, v) VALUES (2, 'b', 2); UPDATE k.base SET v = 3 WHERE p = 1 AND c = 'a'; "
    "APPLY BATCH",
    "ALTER TABLE k.base ADD (x int, s int STATIC)",
    "ALTER TABLE k.base RENAME c TO \"C c\" AND p TO pp",
    "ALTER MATERIALIZED VIEW k.keys WITH comment = 'w'",
    "CREATE INDEX ON k.base (w)",
    "DROP MATERIALIZED VIEW k.gone",
    "TRUNCATE k.base",
    "INSERT INTO k.base (pp, \"C c\", v, x) VALUES (2, 'b', 2, 1)",
    "DELETE FROM k.base WHERE pp = 2",
    "CREATE TABLE k.later (p int PRIMARY KEY)",
    "CREATE TABLE k.masked (p int MASKED WITH DEFAULT PRIMARY KEY, t text MASKED WITH mask_inner(1, null, '#'), "
    "l list<int> MASKED WITH mask_replace([1, 2]), v int)",
    "ALTER TABLE k.masked ALTER v MASKED WITH mask_replace(7)",
    "CREATE KEYSPACE other WITH replication = {'class': 'SimpleStrategy'}",
    "CREATE TABLE other.t (p int PRIMARY KEY)",
    "CREATE KEYSPACE brief WITH replication = {'class': 'SimpleStrategy'}",
    "CREATE TYPE brief.u (a int)",
    "CREATE TABLE brief.t (p int PRIMARY KEY, u u)",
    "DROP KEYSPACE brief",
    "ALTER KEYSPACE other WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}",
};
enum { SCRIPT_COUNT = sizeof script / sizeof script[0], REFUSED = 3 /* the line that names no type there is */ };

static void run_script(struct fixture *f)
{
    for (int i = 0; i < SCRIPT_COUNT; i++)
        if (i == REFUSED)
            assert_int_equal(run_change(f, script[i], NULL), WR_INVALID);
        else
            RUN(f, script[i]);
}

static struct slice text_of(struct fixture *f, const struct schema *schema)
{
    struct buf buf;
    buf_init(&buf, &f->arena);
    for (uint32_t i = 0; i < schema_keyspace_count(schema); i++) {
        const struct keyspace *k = schema_keyspace_at(schema, i);
        describe_keyspace(&buf, k, FORM_INTERNALS);
        for (uint32_t t = 0; t < k->type_count; t++)
            describe_type(&buf, k->declared[t], FORM_INTERNALS);
        for (uint32_t t = 0; t < k->table_count; t++) {
            const struct table *table = k->tables[t];
            if (table_is_view(table))
                OK(&f->ctx, describe_view(&f->ctx, &buf, table, FORM_INTERNALS));
            else
                describe_table(&buf, table, FORM_INTERNALS);
            buf_printf(&buf, "\n%u views", table->view_count);
            buf_printf(&buf, "\nid %llu next %u flags %u ", (unsigned long long)table->shape.table_id,
                       table->next_column_id, table->flags);
            for (uint32_t c = 0; c < table->column_count; c++)
                buf_printf(&buf, "%u/%lld ", table->columns[c].id, (long long)table->columns[c].dropped_us);
            for (uint32_t x = 0; x < table->index_count; x++) {
                describe_index(&buf, table, &table->indexes[x]);
                buf_printf(&buf, "id %llu\n", (unsigned long long)table->indexes[x].id);
            }
        }
    }
    assert_false(buf.failed);
    return buf_slice(&buf);
}

static void what_is_stored_comes_back(void **state)
{
    struct fixture f;
    uint8_t uuid[2][16];
    (void)state;
    fixture_open(&f, true);
    run_script(&f);
    struct schema *schema = database_schema(f.db);
    struct slice before = text_of(&f, schema);
    uint64_t version = schema_version(schema);
    schema_version_uuid(schema, uuid[0]);
    schema_release(schema);
    fixture_reopen(&f);
    schema = database_schema(f.db);
    struct slice after = text_of(&f, schema);
    assert_int_equal(before.len, after.len);
    assert_memory_equal(before.data, after.data, before.len);
    assert_true(schema_version(schema) == version);
    schema_version_uuid(schema, uuid[1]);
    assert_memory_equal(uuid[0], uuid[1], 16);
    schema_release(schema);
    RUN(&f, "CREATE TABLE other.more (p int PRIMARY KEY)");
    schema = database_schema(f.db);
    schema_version_uuid(schema, uuid[1]);
    assert_memory_not_equal(uuid[0], uuid[1], 16);
    schema_release(schema);
    fixture_close(&f);
}

/* ---- rows of system_schema ---- */

static uint32_t count_rows(struct fixture *f, const struct schema *schema, const char *table_name,
                           struct slice keyspace)
{
    const struct table *table = schema_table(schema, SLICE_LIT("system_schema"), slice_str(table_name));
    struct partition partition;
    struct scan *scan;
    struct txn *txn;
    const struct row_view *row;
    uint32_t count = 0;
    bool found;
    OK(&f->ctx, txn_begin_read(&f->ctx, f->db->engine, &txn));
    OK(&f->ctx, scan_new(&f->ctx, &scan));
    OK(&f->ctx, partition_find(&f->ctx, txn, &table->shape, keyspace, &partition, &found));
    if (found) {
        OK(&f->ctx, scan_open(&f->ctx, scan, txn, &partition, (struct range){ SLICE_EMPTY, SLICE_NULL }, 0, NULL));
        do {
            OK(&f->ctx, scan_next(&f->ctx, scan, &row));
            count += row != NULL;
        } while (row);
    }
    scan_free(scan);
    txn_abort(&txn);
    return count;
}

static void check_rows(struct fixture *f)
{
    struct schema *schema = database_schema(f->db);
    for (uint32_t i = 0; i < schema_keyspace_count(schema); i++) {
        const struct keyspace *k = schema_keyspace_at(schema, i);
        uint32_t columns = 0, indexes = 0, dropped = 0, views = 0;
        for (uint32_t t = 0; t < k->table_count; t++) {
            columns += k->tables[t]->column_count;
            indexes += k->tables[t]->index_count;
            dropped += k->tables[t]->dropped_count;
            views += table_is_view(k->tables[t]);
        }
        if (system_kind_of(k->name) == SYSTEM_VIRTUAL) { /* told of in system_virtual_schema alone */
            assert_int_equal(count_rows(f, schema, "keyspaces", k->name) + count_rows(f, schema, "tables", k->name), 0);
            continue;
        }
        assert_int_equal(count_rows(f, schema, "keyspaces", k->name), 1);
        assert_int_equal(count_rows(f, schema, "tables", k->name), k->table_count - views);
        assert_int_equal(count_rows(f, schema, "views", k->name), views);
        assert_int_equal(count_rows(f, schema, "columns", k->name), columns);
        assert_int_equal(count_rows(f, schema, "indexes", k->name), indexes);
        assert_int_equal(count_rows(f, schema, "dropped_columns", k->name), dropped);
        assert_int_equal(count_rows(f, schema, "types", k->name), k->type_count);
    }
    assert_int_equal(count_rows(f, schema, "keyspaces", SLICE_LIT("brief")), 0);
    assert_int_equal(count_rows(f, schema, "columns", SLICE_LIT("brief")), 0);
    schema_release(schema);
}

static void print_finding(void *arg, const char *finding)
{
    (void)arg;
    print_message("finding: %s\n", finding);
}

static void check_engine(struct fixture *f)
{
    struct findings findings = { .report = print_finding };
    OK(&f->ctx, engine_verify(&f->ctx, f->db->engine, &findings));
    assert_int_equal(findings.count, 0);
}

static void rows_of_system_schema_are_in_step(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f, false);
    check_rows(&f);
    run_script(&f);
    check_rows(&f);
    check_engine(&f);
    fixture_close(&f);
}

static void an_index_is_built_over_what_is_there(void **state)
{
    struct fixture f;
    char cql[160];
    (void)state;
    fixture_open(&f, false);
    RUN(&f, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
    RUN(&f, "CREATE TABLE k.t (p int, c int, s text STATIC, v int, m map<int, text>, PRIMARY KEY (p, c))");
    RUN(&f, "CREATE TABLE k.one (p int PRIMARY KEY, v int)");
    for (int i = 0; i < 700; i++) { /* several steps of the walk, in one partition and over many */
        snprintf(cql, sizeof cql, "INSERT INTO k.t (p, c, s, v, m) VALUES (%d, %d, 's%d', %d, {%d: 'x'})",
                 i < 400 ? 0 : i, i, i % 3, i % 5, i % 2);
        RUN(&f, cql);
        snprintf(cql, sizeof cql, "INSERT INTO k.one (p, v) VALUES (%d, %d) USING TTL %d", i, i % 5, i % 7 ? 0 : 1);
        RUN(&f, cql);
    }
    f.ctx.now_s += 10; /* some have expired that nobody has looked at since */
    RUN(&f, "CREATE INDEX ON k.t (v)");
    RUN(&f, "CREATE INDEX ON k.t (s)");
    RUN(&f, "CREATE INDEX ON k.t (entries(m))");
    RUN(&f, "CREATE INDEX ON k.t (c)");
    RUN(&f, "CREATE INDEX ON k.one (v)");
    check_engine(&f); /* every row has exactly the entries of its terms */
    RUN(&f, "DELETE FROM k.t WHERE p = 0");
    RUN(&f, "UPDATE k.one SET v = 9 WHERE p = 3");
    check_engine(&f);
    fixture_close(&f);
}

/* ---- bytes ---- */

static const struct type *lookup(void *arg, struct slice keyspace, struct slice name)
{
    return schema_type(arg, keyspace, name);
}

static enum wr_status decode_again(struct fixture *f, const struct schema *schema, const struct table *table,
                                   struct slice bytes, struct table *out)
{
    return table_decode(&f->ctx, bytes, table->keyspace, table->name, lookup, (void *)schema, out);
}

static void bytes_go_round_and_damage_is_told(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f, false);
    run_script(&f);
    struct schema *schema = database_schema(f.db);
    const struct keyspace *k = schema_keyspace(schema, SLICE_LIT("k"));
    for (uint32_t t = 0; t < k->table_count; t++) {
        struct table again;
        struct slice bytes, twice;
        OK(&f.ctx, table_encode(&f.ctx, k->tables[t], &bytes));
        OK(&f.ctx, decode_again(&f, schema, k->tables[t], bytes, &again));
        OK(&f.ctx, table_encode(&f.ctx, &again, &twice));
        assert_true(slice_eq(bytes, twice));
        struct arena_mark mark = arena_mark(&f.arena);
        uint8_t *copy = malloc(bytes.len);
        assert_non_null(copy);
        for (size_t n = 0; n < bytes.len; n++) {
            uint8_t *exact = malloc(n ? n : 1); /* so that a read past the end is seen */
            assert_non_null(exact);
            memcpy(exact, bytes.data, n);
            assert_int_not_equal(decode_again(&f, schema, k->tables[t], slice_of(exact, n), &again), WR_OK);
            free(exact);
            for (unsigned flip = 1; flip < 256; flip = flip * 3 + 1) {
                memcpy(copy, bytes.data, bytes.len);
                copy[n] ^= (uint8_t)flip;
                enum wr_status st = decode_again(&f, schema, k->tables[t], slice_of(copy, bytes.len), &again);
                assert_true(st == WR_OK || st == WR_CORRUPT || st == WR_VERSION);
            }
            arena_rewind(&f.arena, mark);
        }
        free(copy);
    }
    schema_release(schema);
    fixture_close(&f);
}

static void aggregates_go_round_and_damage_is_told(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f, false);
    run_script(&f);
    struct schema *schema = database_schema(f.db);
    const struct type *args[] = { type_native(TYPE_INT), schema_type(schema, SLICE_LIT("k"), SLICE_LIT("Outer")) };
    const struct aggregate aggregates[] = {
        { SLICE_LIT("a"), args, 2, SLICE_LIT("state"), SLICE_LIT("final"), args[1], args[0], SLICE_LIT("\1\2") },
        { SLICE_LIT("Other"), NULL, 0, SLICE_LIT("s"), SLICE_NULL, args[0], args[0], SLICE_NULL },
    };
    for (size_t i = 0; i < sizeof aggregates / sizeof aggregates[0]; i++) {
        struct aggregate again;
        struct slice bytes, twice;
        OK(&f.ctx, aggregate_encode(&f.ctx, &aggregates[i], &bytes));
        OK(&f.ctx, aggregate_decode(&f.ctx, bytes, SLICE_LIT("k"), lookup, schema, &again));
        assert_true(slice_is_null(again.initial) == slice_is_null(aggregates[i].initial));
        assert_true(slice_is_null(again.final_function) == slice_is_null(aggregates[i].final_function));
        OK(&f.ctx, aggregate_encode(&f.ctx, &again, &twice));
        assert_true(slice_eq(bytes, twice));
        for (size_t n = 0; n < bytes.len; n++) {
            uint8_t *copy = malloc(bytes.len);
            assert_non_null(copy);
            memcpy(copy, bytes.data, bytes.len);
            assert_int_not_equal(aggregate_decode(&f.ctx, slice_of(copy, n), SLICE_LIT("k"), lookup, schema, &again), WR_OK);
            for (unsigned flip = 1; flip < 256; flip++) {
                copy[n] = bytes.data[n] ^ (uint8_t)flip;
                enum wr_status st = aggregate_decode(&f.ctx, slice_of(copy, bytes.len), SLICE_LIT("k"), lookup, schema, &again);
                assert_true(st == WR_OK || st == WR_CORRUPT || st == WR_VERSION);
            }
            free(copy);
        }
    }
    schema_release(schema);
    fixture_close(&f);
}

static void functions_go_round_and_damage_is_told(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f, false);
    run_script(&f);
    struct schema *schema = database_schema(f.db);
    const struct type *args[] = { type_native(TYPE_INT), schema_type(schema, SLICE_LIT("k"), SLICE_LIT("Outer")) };
    const struct slice names[] = { SLICE_LIT("a"), SLICE_LIT("B c") };
    const struct function functions[] = {
        { SLICE_LIT("f"), names, args, 2, args[1], true, SLICE_LIT("java"), SLICE_LIT("return b;") },
        { SLICE_LIT("Other"), NULL, NULL, 0, args[0], false, SLICE_LIT("java"), SLICE_LIT("") },
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        struct function again;
        struct slice bytes, twice;
        OK(&f.ctx, function_encode(&f.ctx, &functions[i], &bytes));
        OK(&f.ctx, function_decode(&f.ctx, bytes, SLICE_LIT("k"), lookup, schema, &again));
        assert_int_equal(again.called_on_null, functions[i].called_on_null);
        OK(&f.ctx, function_encode(&f.ctx, &again, &twice));
        assert_true(slice_eq(bytes, twice));
        for (size_t n = 0; n < bytes.len; n++) {
            uint8_t *copy = malloc(bytes.len);
            assert_non_null(copy);
            memcpy(copy, bytes.data, bytes.len);
            assert_int_not_equal(function_decode(&f.ctx, slice_of(copy, n), SLICE_LIT("k"), lookup, schema, &again), WR_OK);
            for (unsigned flip = 1; flip < 256; flip++) {
                copy[n] = bytes.data[n] ^ (uint8_t)flip;
                enum wr_status st = function_decode(&f.ctx, slice_of(copy, bytes.len), SLICE_LIT("k"), lookup, schema, &again);
                assert_true(st == WR_OK || st == WR_CORRUPT || st == WR_VERSION);
            }
            free(copy);
        }
    }
    schema_release(schema);
    fixture_close(&f);
}

struct damage {
    struct slice name, value;
};

static enum wr_status put_damage(struct ctx *ctx, struct txn *txn, void *arg)
{
    const struct damage *d = arg;
    return catalog_put(ctx, txn, d->name, d->value);
}

static void a_damaged_catalog_is_told_on_opening(void **state)
{
    static const struct {
        enum catalog_tag tag;
        const char *keyspace, *name;
        struct slice value;
        enum wr_status st;
    } cases[] = {
        { CATALOG_TABLE, "k", "t", { (const uint8_t *)"\1junk", 5 }, WR_CORRUPT },
        { CATALOG_TABLE, "k", "t", { (const uint8_t *)"\2", 1 }, WR_VERSION },
        { CATALOG_TABLE, "k", "nosuch", { (const uint8_t *)"", 0 }, WR_CORRUPT },
        { CATALOG_TYPE,
          "k",
          "u",
          { (const uint8_t *)"\1\2u\1\2a\2b", 8 },
          WR_CORRUPT }, /* of a type that is not there */
        { CATALOG_TYPE, "k", "u", { (const uint8_t *)"\1\2u\1\2a\12frozen<u>", 15 }, WR_CORRUPT }, /* of itself */
        { CATALOG_KEYSPACE, "k", NULL, { (const uint8_t *)"\1\2x\1\0", 5 }, WR_CORRUPT },          /* another's name */
        { CATALOG_KEYSPACE, "k", NULL, { (const uint8_t *)"\1\2k\7\0", 5 }, WR_CORRUPT },
        { CATALOG_VERSION, NULL, NULL, { (const uint8_t *)"abc", 3 }, WR_CORRUPT },
        { CATALOG_SYSTEM_ID, "system", "local", { (const uint8_t *)"abc", 3 }, WR_CORRUPT },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture f;
        struct damage damage = { .value = cases[i].value };
        fixture_open(&f, true);
        RUN(&f, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
        RUN(&f, "CREATE TYPE k.u (a int)");
        RUN(&f, "CREATE TABLE k.t (p int PRIMARY KEY, u u)");
        OK(&f.ctx,
           catalog_name(&f.ctx, cases[i].tag, slice_str(cases[i].keyspace), slice_str(cases[i].name), &damage.name));
        OK(&f.ctx, engine_write(&f.ctx, f.db->engine, put_damage, &damage));
        database_release(f.db);
        f.db = NULL;
        enum wr_status st = fixture_try_open(&f);
        if (st != cases[i].st)
            print_message("case %zu: %s\n", i, f.ctx.error);
        assert_int_equal(st, cases[i].st);
        f.db = NULL;
        fixture_close(&f);
    }
}

/* Whatever the bytes of a view, reading the schema ends in a snapshot or in an error. */
static void a_damaged_view_is_told(void **state)
{
    struct fixture f;
    struct slice name, bytes;
    struct txn *txn;
    uint32_t refused = 0;
    (void)state;
    fixture_open(&f, false);
    run_script(&f);
    OK(&f.ctx, catalog_name(&f.ctx, CATALOG_TABLE, SLICE_LIT("k"), SLICE_LIT("wide"), &name));
    OK(&f.ctx, txn_begin_write(&f.ctx, f.db->engine, &txn));
    OK(&f.ctx, catalog_get(&f.ctx, txn, name, &bytes));
    OK(&f.ctx, ctx_copy(&f.ctx, bytes, &bytes));
    for (size_t n = 0; n < bytes.len; n++) {
        for (unsigned flip = 1; flip < 256; flip = flip * 7 + 1) {
            struct arena_mark mark = arena_mark(&f.arena);
            struct slice damaged;
            struct schema *schema = NULL;
            OK(&f.ctx, ctx_copy(&f.ctx, bytes, &damaged));
            ((uint8_t *)(uintptr_t)damaged.data)[n] ^= (uint8_t)flip;
            OK(&f.ctx, catalog_put(&f.ctx, txn, name, damaged));
            enum wr_status st = catalog_load(&f.ctx, txn, &schema);
            assert_true(st == WR_OK || st == WR_CORRUPT || st == WR_VERSION);
            refused += st != WR_OK;
            schema_release(schema);
            arena_rewind(&f.arena, mark);
        }
    }
    assert_true(refused > 0);
    OK(&f.ctx, catalog_name(&f.ctx, CATALOG_TABLE, SLICE_LIT("k"), SLICE_LIT("wide"), &name));
    OK(&f.ctx, catalog_put(&f.ctx, txn, name, bytes));
    OK(&f.ctx, catalog_name(&f.ctx, CATALOG_TABLE, SLICE_LIT("k"), SLICE_LIT("base"), &name));
    OK(&f.ctx, catalog_delete(&f.ctx, txn, name));
    struct schema *schema = NULL;
    assert_int_equal(catalog_load(&f.ctx, txn, &schema), WR_CORRUPT); /* a view without its table */
    txn_abort(&txn);
    fixture_close(&f);
}

static void names_longer_than_a_key_are_kept_apart(void **state)
{
    struct fixture f;
    char name[600], cql[1400];
    (void)state;
    fixture_open(&f, true);
    RUN(&f, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = 0;
    snprintf(cql, sizeof cql, "CREATE TYPE k.%s (a int)", name);
    RUN(&f, cql);
    snprintf(cql, sizeof cql, "CREATE TYPE k.%sx (a frozen<%s>)", name, name);
    RUN(&f, cql);
    fixture_reopen(&f);
    struct schema *schema = database_schema(f.db);
    assert_int_equal(schema_keyspace(schema, SLICE_LIT("k"))->type_count, 2);
    assert_non_null(schema_type(schema, SLICE_LIT("k"), slice_str(name)));
    schema_release(schema);
    snprintf(cql, sizeof cql, "DROP TYPE k.%sx", name);
    RUN(&f, cql);
    snprintf(cql, sizeof cql, "DROP TYPE k.%s", name);
    RUN(&f, cql);
    fixture_close(&f);
}

/* ---- failures ---- */

static void every_failing_allocation_leaves_things_as_they_were(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f, false);
    for (int i = 0; i < SCRIPT_COUNT; i++) {
        enum wr_status st = WR_NOMEM;
        for (long n = 0; st == WR_NOMEM; n++) {
            struct schema *before = database_schema(f.db);
            arena_release(&f.arena); /* so that memory is asked for */
            ctx_init(&f.ctx, &f.arena);
            f.ctx.now_s = 1700000000;
            rig.mem_fail_after = n;
            st = run_change(&f, script[i], NULL);
            rig.mem_fail_after = -1;
            if (st == WR_NOMEM)
                assert_true(database_schema_is(f.db, before));
            schema_release(before);
        }
        assert_int_equal(st, i == REFUSED ? WR_INVALID : WR_OK);
    }
    check_rows(&f);
    check_engine(&f);
    fixture_close(&f);
}

static void every_failing_store_call_leaves_things_as_they_were(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f, false);
    for (int i = 0; i < SCRIPT_COUNT; i++) {
        enum wr_status st = WR_IO;
        for (long n = 0; st == WR_IO; n += 3) {
            struct schema *before = database_schema(f.db);
            struct arena_mark mark = arena_mark(&f.arena);
            rig.store_fail_with = WR_IO;
            rig.store_fail_after = n;
            st = run_change(&f, script[i], NULL);
            rig.store_fail_after = -1;
            if (st == WR_IO)
                assert_true(database_schema_is(f.db, before));
            schema_release(before);
            arena_rewind(&f.arena, mark);
        }
        assert_int_equal(st, i == REFUSED ? WR_INVALID : WR_OK);
    }
    check_rows(&f);
    check_engine(&f);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_stored_comes_back),
        cmocka_unit_test(rows_of_system_schema_are_in_step),
        cmocka_unit_test(an_index_is_built_over_what_is_there),
        cmocka_unit_test(bytes_go_round_and_damage_is_told),
        cmocka_unit_test(functions_go_round_and_damage_is_told),
        cmocka_unit_test(aggregates_go_round_and_damage_is_told),
        cmocka_unit_test(a_damaged_catalog_is_told_on_opening),
        cmocka_unit_test(a_damaged_view_is_told),
        cmocka_unit_test(names_longer_than_a_key_are_kept_apart),
        cmocka_unit_test(every_failing_allocation_leaves_things_as_they_were),
        cmocka_unit_test(every_failing_store_call_leaves_things_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
