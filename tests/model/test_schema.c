/* Answers model/schema.h, and of model/ddl.h what statements do to snapshots. Their messages are in
 * tests/conformance/schema_*.cql. */
#include "tests/model/schema_run.h"

#include "model/schema_diff.h"

#include <pthread.h>

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    fixture_open(f, false);
    RUN(f, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture_close(*state);
    free(*state);
    return 0;
}

static const struct table *table_of(const struct schema *schema, const char *name)
{
    return schema_table(schema, SLICE_LIT("k"), slice_str(name));
}

static void a_snapshot_never_changes(void **state)
{
    struct fixture *f = *state;
    RUN(f, "CREATE TABLE k.t (p int, c int, v text, PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c DESC)");
    struct schema *before = database_schema(f->db);
    const struct table *t = table_of(before, "t");
    RUN(f, "ALTER TABLE k.t ADD w map<int, text>");
    RUN(f, "DROP TABLE k.t");
    RUN(f, "DROP KEYSPACE k");

    assert_ptr_equal(table_of(before, "t"), t);
    assert_int_equal(t->column_count, 3);
    assert_true(t->clustering.reversed);
    assert_true(slice_eq_str(t->columns[2].name, "v"));
    struct schema *after = database_schema(f->db);
    assert_null(schema_keyspace(after, SLICE_LIT("k")));
    schema_release(after);
    schema_release(before);
}

static void what_does_not_change_is_shared(void **state)
{
    struct fixture *f = *state;
    RUN(f, "CREATE TABLE k.a (p int PRIMARY KEY)");
    RUN(f, "CREATE TABLE k.c (p int PRIMARY KEY)");
    struct schema *before = database_schema(f->db);
    RUN(f, "CREATE TABLE k.b (p int PRIMARY KEY)");
    RUN(f, "ALTER TABLE k.c ADD v int");
    struct schema *after = database_schema(f->db);

    assert_ptr_equal(table_of(before, "a"), table_of(after, "a"));
    assert_ptr_not_equal(table_of(before, "c"), table_of(after, "c"));
    assert_null(table_of(before, "b"));
    assert_ptr_equal(schema_keyspace(before, SLICE_LIT("system")), schema_keyspace(after, SLICE_LIT("system")));
    const struct keyspace *k = schema_keyspace(after, SLICE_LIT("k"));
    assert_int_equal(k->table_count, 3);
    for (uint32_t i = 1; i < k->table_count; i++)
        assert_true(slice_cmp(k->tables[i - 1]->name, k->tables[i]->name) < 0);
    assert_true(schema_version(after) == schema_version(before) + 2);
    schema_release(before);
    assert_true(slice_eq_str(table_of(after, "a")->name, "a")); /* still there: the piece is counted */
    schema_release(after);
}

static void columns_are_in_the_order_of_star(void **state)
{
    struct fixture *f = *state;
    RUN(f, "CREATE TABLE k.t (z int, p2 int, c2 text, s2 int STATIC, \"A\" list<int>, c1 int, p1 int, s1 int STATIC, "
           "PRIMARY KEY ((p2, p1), c2, c1)) WITH CLUSTERING ORDER BY (c2 ASC, c1 DESC)");
    static const char *const names[] = { "p2", "p1", "c2", "c1", "s1", "s2", "A", "z" };
    struct schema *schema = database_schema(f->db);
    const struct table *t = table_of(schema, "t");

    assert_int_equal(t->column_count, 8);
    assert_int_equal(t->key_count, 2);
    assert_int_equal(t->clustering_count, 2);
    assert_int_equal(t->static_count, 2);
    assert_int_equal(t->regular_count, 2);
    for (uint32_t i = 0; i < t->column_count; i++) {
        assert_true(slice_eq_str(t->columns[i].name, names[i]));
        assert_int_equal(t->columns[i].ordinal, i);
        assert_int_equal(t->columns[i].position, i % 2);
        assert_int_equal(t->columns[i].id != 0, i >= 4);
        assert_ptr_equal(table_column(t, slice_str(names[i])), &t->columns[i]);
        if (i >= 4)
            assert_ptr_equal(table_column_by_id(t, t->columns[i].id), &t->columns[i]);
    }
    assert_false(t->clustering.reversed);
    assert_false(t->clustering.columns[0].inverted);
    assert_true(t->clustering.columns[1].inverted);
    assert_null(table_column(t, SLICE_LIT("nosuch")));
    schema_release(schema);
}

static void a_column_added_again_keeps_its_id_and_hides_old_cells(void **state)
{
    struct fixture *f = *state;
    RUN(f, "CREATE TABLE k.t (p int PRIMARY KEY, a int, b int)");
    struct schema *first = database_schema(f->db);
    uint32_t id_a = table_column(table_of(first, "t"), SLICE_LIT("a"))->id;
    uint32_t id_b = table_column(table_of(first, "t"), SLICE_LIT("b"))->id;
    assert_true(table_column(table_of(first, "t"), SLICE_LIT("a"))->dropped_us == TIMESTAMP_NONE);
    RUN(f, "ALTER TABLE k.t DROP a USING TIMESTAMP 12345");
    RUN(f, "ALTER TABLE k.t ADD c int");
    RUN(f, "ALTER TABLE k.t ADD a int");
    struct schema *last = database_schema(f->db);
    const struct table *t = table_of(last, "t");
    assert_int_equal(table_column(t, SLICE_LIT("a"))->id, id_a);
    assert_true(table_column(t, SLICE_LIT("a"))->dropped_us == 12345);
    assert_int_equal(table_column(t, SLICE_LIT("b"))->id, id_b);
    assert_true(table_column(t, SLICE_LIT("c"))->id > id_b);
    assert_int_equal(t->dropped_count, 1);
    schema_release(first);
    schema_release(last);
}

static void a_type_that_changes_changes_in_every_table(void **state)
{
    struct fixture *f = *state;
    RUN(f, "CREATE TYPE k.inner (a int)");
    RUN(f, "CREATE TYPE k.outer (i frozen<inner>)");
    RUN(f, "CREATE TABLE k.t (p int PRIMARY KEY, l list<frozen<outer>>, u inner)");
    struct schema *before = database_schema(f->db);
    RUN(f, "ALTER TYPE k.inner ADD b text");
    RUN(f, "ALTER TYPE k.inner RENAME a TO aa");
    struct schema *after = database_schema(f->db);

    const struct type *was = table_column(table_of(before, "t"), SLICE_LIT("u"))->type;
    const struct type *is = table_column(table_of(after, "t"), SLICE_LIT("u"))->type;
    assert_int_equal(was->arg_count, 1);
    assert_int_equal(is->arg_count, 2);
    assert_true(is->multicell);
    assert_true(slice_eq_str(is->field_names[0], "aa"));
    const struct type *outer = table_column(table_of(after, "t"), SLICE_LIT("l"))->type->args[0];
    assert_int_equal(outer->args[0]->arg_count, 2);
    assert_int_equal(schema_type(after, SLICE_LIT("k"), SLICE_LIT("inner"))->arg_count, 2);
    assert_false(schema_type(after, SLICE_LIT("k"), SLICE_LIT("inner"))->multicell);
    assert_null(schema_type(after, SLICE_LIT("k"), SLICE_LIT("nosuch")));
    assert_null(schema_type(after, SLICE_LIT("nosuch"), SLICE_LIT("inner")));
    schema_release(before);
    schema_release(after);
}

static void tables_are_found_by_the_engines_id(void **state)
{
    struct fixture *f = *state;
    char cql[64];
    for (int i = 0; i < 40; i++) {
        snprintf(cql, sizeof cql, "CREATE TABLE k.t%d (p int PRIMARY KEY)", i);
        RUN(f, cql);
    }
    struct schema *schema = database_schema(f->db);
    for (uint32_t i = 0; i < schema_keyspace_count(schema); i++) {
        const struct keyspace *k = schema_keyspace_at(schema, i);
        for (uint32_t t = 0; t < k->table_count; t++) {
            bool is_virtual = k->tables[t]->flags & TABLE_VIRTUAL;
            assert_ptr_equal(schema_table_by_id(schema, k->tables[t]->shape.table_id), is_virtual ? NULL : k->tables[t]);
            assert_int_equal(k->is_system, k->tables[t]->shape.table_id <= SYSTEM_TABLE_ID_MAX);
        }
    }
    assert_null(schema_table_by_id(schema, 999999));
    assert_null(schema_table_by_id(schema, 0));
    schema_release(schema);
}

static void truncate_takes_a_new_table_id_and_new_index_ids(void **state)
{
    struct fixture *f = *state;
    struct schema_change change;
    RUN(f, "CREATE TABLE k.t (p int PRIMARY KEY, v int)");
    RUN(f, "CREATE INDEX ON k.t (v)");
    struct schema *before = database_schema(f->db);
    OK(&f->ctx, run_change(f, "TRUNCATE k.t", &change));
    assert_null(change.target);
    struct schema *after = database_schema(f->db);
    assert_true(table_of(after, "t")->shape.table_id > table_of(before, "t")->shape.table_id);
    assert_true(table_of(after, "t")->indexes[0].id > table_of(before, "t")->indexes[0].id);
    assert_true(table_of(after, "t")->shape.indexes[0].index_id == table_of(after, "t")->indexes[0].id);
    assert_memory_equal(table_of(after, "t")->id, table_of(before, "t")->id, 16);
    schema_release(before);
    schema_release(after);
}

static void system_tables_can_be_truncated_and_stay_so(void **state)
{
    struct fixture *f = *state;
    RUN(f, "TRUNCATE system_traces.sessions");
    RUN(f, "CREATE TABLE k.t (p int PRIMARY KEY)");
    struct schema *schema = database_schema(f->db);
    const struct table *t = schema_table(schema, SLICE_LIT("system_traces"), SLICE_LIT("sessions"));
    assert_true(t->shape.table_id > SYSTEM_TABLE_ID_MAX);
    assert_ptr_equal(schema_table_by_id(schema, t->shape.table_id), t);
    schema_release(schema);
}

static void changes_say_what_they_did(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *cql, *change, *target, *name;
    } cases[] = {
        { "CREATE TABLE k.t (p int PRIMARY KEY, v int)", "CREATED", "TABLE", "t" },
        { "CREATE TABLE IF NOT EXISTS k.t (p int PRIMARY KEY)", NULL, NULL, "" },
        { "ALTER TABLE k.t ADD w int", "UPDATED", "TABLE", "t" },
        { "ALTER TABLE k.t ADD IF NOT EXISTS w int", NULL, NULL, "" },
        { "ALTER TABLE k.t WITH comment = 'x'", "UPDATED", "TABLE", "t" },
        { "ALTER TABLE k.t WITH comment = 'x'", NULL, NULL, "" },
        { "CREATE INDEX i ON k.t (v)", "UPDATED", "TABLE", "t" },
        { "CREATE INDEX IF NOT EXISTS i ON k.t (v)", NULL, NULL, "" },
        { "DROP INDEX k.i", "UPDATED", "TABLE", "t" },
        { "DROP INDEX IF EXISTS k.i", NULL, NULL, "" },
        { "CREATE TYPE k.u (a int)", "CREATED", "TYPE", "u" },
        { "ALTER TYPE k.u ADD b int", "UPDATED", "TYPE", "u" },
        { "ALTER TYPE k.u ADD IF NOT EXISTS b int", NULL, NULL, "" },
        { "CREATE TABLE k.d (p int, c frozen<u>, PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c DESC)", "CREATED", "TABLE", "d" },
        { "ALTER TYPE k.u ADD IF NOT EXISTS b int", "UPDATED", "TYPE", "u" }, /* a server finds the reversed type another */
        { "DROP TABLE k.d", "DROPPED", "TABLE", "d" },
        { "DROP TYPE k.u", "DROPPED", "TYPE", "u" },
        { "DROP TYPE IF EXISTS k.u", NULL, NULL, "" },
        { "DROP TABLE k.t", "DROPPED", "TABLE", "t" },
        { "DROP TABLE IF EXISTS k.t", NULL, NULL, "" },
        { "ALTER KEYSPACE k WITH durable_writes = true", NULL, NULL, "" },
        { "ALTER KEYSPACE k WITH durable_writes = false", "UPDATED", "KEYSPACE", "" },
        { "DROP KEYSPACE k", "DROPPED", "KEYSPACE", "" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct schema *before = database_schema(f->db);
        struct schema_change change = { .change = NULL };
        OK(&f->ctx, run_change(f, cases[i].cql, &change));
        assert_int_equal(database_schema_is(f->db, before),
                         cases[i].change == NULL); /* nothing done: nothing swapped */
        schema_release(before);
        if (!cases[i].change) {
            assert_null(change.target);
            continue;
        }
        assert_string_equal(change.change, cases[i].change);
        assert_string_equal(change.target, cases[i].target);
        assert_true(slice_eq_str(change.keyspace, "k"));
        assert_true(slice_eq_str(change.name, cases[i].name));
    }
}

static enum wr_status note_table(void *arg, const struct wr_schema_change *change)
{
    struct buf *told = arg;
    if (strcmp(change->target, "TABLE") == 0)
        buf_put_str(told, change->name);
    return WR_OK;
}

/* Tables.withSwapped puts a table last; a user type in one moves nothing. */
static void tables_are_told_as_they_were_altered(void **state)
{
    struct fixture *f = *state;
    struct buf told;
    RUN(f, "CREATE TYPE k.u (a int)");
    RUN(f, "CREATE TABLE k.c (p int PRIMARY KEY, v frozen<u>)");
    RUN(f, "CREATE TABLE k.a (p int PRIMARY KEY, v int)");
    RUN(f, "CREATE TABLE k.d (p int PRIMARY KEY, v frozen<u>)");
    RUN(f, "CREATE TABLE k.b (p int PRIMARY KEY)");
    RUN(f, "ALTER TABLE k.c ADD w int");
    RUN(f, "CREATE INDEX ON k.a (v)");
    struct schema *before = database_schema(f->db);
    RUN(f, "ALTER TYPE k.u ADD b int");
    struct schema *after = database_schema(f->db);
    buf_init(&told, &f->arena);
    OK(&f->ctx, schema_diff(&f->ctx, before, after, note_table, &told));
    assert_true(slice_eq_str(buf_slice(&told), "dc"));
    schema_release(before);
    RUN(f, "DROP KEYSPACE k");
    struct schema *gone = database_schema(f->db);
    buf_init(&told, &f->arena);
    OK(&f->ctx, schema_diff(&f->ctx, after, gone, note_table, &told));
    assert_true(slice_eq_str(buf_slice(&told), "dbca"));
    schema_release(after);
    schema_release(gone);
}

static void a_failing_change_changes_nothing(void **state)
{
    struct fixture *f = *state;
    RUN(f, "CREATE TABLE k.t (p int PRIMARY KEY, v int)");
    struct schema *before = database_schema(f->db);
    assert_int_equal(run_change(f, "ALTER TABLE k.t DROP (v, nosuch)", NULL), WR_INVALID);
    assert_int_equal(run_change(f, "CREATE TABLE k.t (p int PRIMARY KEY)", NULL), WR_ALREADY_EXISTS);
    assert_string_equal(f->ctx.failure->keyspace, "k");
    assert_string_equal(f->ctx.failure->name, "t");
    assert_true(database_schema_is(f->db, before));
    schema_release(before);
}

static void dml_is_told_what_is_missing(void **state)
{
    struct fixture *f = *state;
    struct schema *schema = database_schema(f->db);
    const struct table *table;
    static const struct {
        const char *current, *keyspace, *name, *error;
    } cases[] = {
        { NULL, NULL, "t", "No keyspace has been specified. USE a keyspace, or explicitly specify keyspace.tablename" },
        { "nosuch", NULL, "t", "keyspace nosuch does not exist" },
        { "system", "nosuch", "local", "keyspace nosuch does not exist" },
        { "k", NULL, "t", "table t does not exist" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(schema_require_table(&f->ctx, schema, slice_str(cases[i].current),
                                              slice_str(cases[i].keyspace), slice_str(cases[i].name), &table),
                         WR_INVALID);
        assert_string_equal(f->ctx.error, cases[i].error);
    }
    OK(&f->ctx, schema_require_table(&f->ctx, schema, SLICE_LIT("system"), SLICE_NULL, SLICE_LIT("local"), &table));
    OK(&f->ctx, schema_require_table(&f->ctx, schema, SLICE_LIT("k"), SLICE_LIT("system"), SLICE_LIT("local"), &table));
    schema_release(schema);
}

/* Types made of two of the one before: all that walks them must end. */
static void types_stay_within_their_limits(void **state)
{
    struct fixture *f = *state;
    char cql[128];
    enum wr_status st = WR_OK;
    int made = 1;
    RUN(f, "CREATE TYPE k.t0 (a int)");
    for (; made < 64 && st == WR_OK; made++) {
        snprintf(cql, sizeof cql, "CREATE TYPE k.t%d (a frozen<t%d>, b frozen<t%d>)", made, made - 1, made - 1);
        st = run_change(f, cql, NULL);
    }
    assert_int_equal(st, WR_INVALID);
    assert_in_range(made, 12, 20); /* 2^14 is TYPE_NODES_MAX */
    assert_int_equal(run_change(f, "ALTER TYPE k.t0 ADD b tuple<int, int, int, int>", NULL), WR_INVALID);

    RUN(f, "CREATE TYPE k.d1 (a int)"); /* the type and its field: two levels */
    for (int i = 2; i < TYPE_DEPTH_MAX; i++) {
        snprintf(cql, sizeof cql, "CREATE TYPE k.d%d (a frozen<d%d>)", i, i - 1);
        RUN(f, cql);
    }
    snprintf(cql, sizeof cql, "CREATE TYPE k.e (a frozen<d%d>)", TYPE_DEPTH_MAX - 1);
    assert_int_equal(run_change(f, cql, NULL), WR_INVALID);
    assert_int_equal(run_change(f, "ALTER TYPE k.d1 ADD b tuple<int>", NULL), WR_INVALID);
    RUN(f, "ALTER TYPE k.d1 ADD b int");
}

/* ---- references ---- */

static void *release_many(void *arg)
{
    for (int i = 0; i < 2000; i++) {
        struct schema *schema = database_schema(arg);
        if (!schema_keyspace(schema, SLICE_LIT("system")))
            abort();
        schema_release(schema);
    }
    return NULL;
}

static void readers_hold_snapshots_while_the_schema_changes(void **state)
{
    struct fixture *f = *state;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, release_many, f->db), 0);
    for (int i = 0; i < 30; i++) {
        RUN(f, "CREATE TABLE k.x (p int PRIMARY KEY)");
        RUN(f, "DROP TABLE k.x");
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_snapshot_never_changes),
        TEST(what_does_not_change_is_shared),
        TEST(columns_are_in_the_order_of_star),
        TEST(a_column_added_again_keeps_its_id_and_hides_old_cells),
        TEST(a_type_that_changes_changes_in_every_table),
        TEST(tables_are_found_by_the_engines_id),
        TEST(truncate_takes_a_new_table_id_and_new_index_ids),
        TEST(system_tables_can_be_truncated_and_stay_so),
        TEST(changes_say_what_they_did),
        TEST(tables_are_told_as_they_were_altered),
        TEST(a_failing_change_changes_nothing),
        TEST(dml_is_told_what_is_missing),
        TEST(types_stay_within_their_limits),
        TEST(readers_hold_snapshots_while_the_schema_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
