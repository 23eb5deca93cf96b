/* Statements as C uses them: widerow.h, binding, rows, batches, schema changes, consistency. */
#include <stdlib.h>
#include <time.h>

#include "handle.h"

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

static void no_statement_tells_nothing(wr_stmt *s)
{
    const char *names[4] = { "", "", "", "" };
    struct wr_failure failure;
    size_t len = 1;
    assert_null(wr_stmt_cql(s));
    assert_null(wr_stmt_db(s));
    assert_null(wr_stmt_warning(s, 0));
    wr_stmt_schema_change(s, &names[0], &names[1], &names[2], &names[3]);
    for (size_t i = 0; i < 4; i++)
        assert_null(names[i]);
    assert_null(wr_stmt_schema_change_argument(s, 0));
    assert_null(wr_page_state(s, &len));
    assert_int_equal(len, 0);
    assert_int_equal(wr_stmt_flags(s), 0);
    assert_int_equal(wr_stmt_schema(s), 0);
    assert_int_equal(wr_stmt_validate(s, true), WR_MISUSE);
    assert_null(wr_stmt_use(s, &len));
    assert_false(wr_stmt_table(s, 0, &names[0], &names[1]));
    assert_false(wr_stmt_function(s, 0, &names[0], &names[1]));
    wr_marker_table(s, 0, &names[0], &names[1]);
    assert_null(names[0]);
    wr_stmt_failure(s, &failure);
    assert_int_equal(failure.status, WR_MISUSE);
}

/* As it is after a wr_prepare whose failure nobody has looked at. */
static void no_statement_is_misuse(void **state)
{
    wr_stmt *s;
    wr_batch *batch;
    assert_int_equal(wr_prepare(*state, "SELECT nothing FROM t", -1, &s), WR_INVALID);
    assert_null(s);
    assert_int_equal(wr_bind_int(s, 0, 1), WR_MISUSE);
    assert_int_equal(wr_bind_null(s, WR_ELEMENT), WR_MISUSE);
    assert_int_equal(wr_bind_text(s, 0, "a", -1), WR_MISUSE);
    assert_int_equal(wr_bind_value(s, 0, "a", 1), WR_MISUSE);
    assert_int_equal(wr_bind_open(s, 0), WR_MISUSE);
    assert_int_equal(wr_bind_close(s), WR_MISUSE);
    wr_clear_bindings(s);
    assert_int_equal(wr_set_consistency(s, WR_CL_ONE), WR_MISUSE);
    assert_int_equal(wr_set_serial_consistency(s, WR_CL_SERIAL), WR_MISUSE);
    assert_int_equal(wr_set_timestamp(s, 1), WR_MISUSE);
    assert_int_equal(wr_set_now(s, 1), WR_MISUSE);
    assert_int_equal(wr_set_page_size(s, 1), WR_MISUSE);
    assert_int_equal(wr_set_page_state(s, NULL, 0), WR_MISUSE);
    assert_int_equal(wr_step(s), WR_MISUSE);
    assert_int_equal(wr_stmt_status(s), WR_MISUSE);
    assert_string_equal(wr_stmt_error(s), "there is no statement: it could not be prepared");
    assert_int_equal(wr_marker_count(s) + wr_column_count(s), 0);
    assert_int_equal(wr_marker_index(s, "p") + wr_column_index(s, "p"), -2);
    assert_null(wr_column_name(s, 0));
    assert_null(wr_marker_type_info(s, 0));
    no_statement_tells_nothing(s);
    assert_int_equal(wr_batch_new(*state, WR_BATCH_LOGGED, &batch), WR_OK);
    assert_int_equal(wr_batch_add(batch, s), WR_MISUSE);
    wr_batch_free(batch);
    wr_reset(s);
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

static void count_activity(void *arg, const char *activity)
{
    *(int *)arg += activity[0] != 0;
}

static void a_trace_is_of_whole_runs(void **state)
{
    int told = 0;
    insert_number(*state, 1);
    wr_stmt *s = prepare(*state, "SELECT * FROM t");
    wr_set_trace(s, count_activity, &told);
    assert_int_equal(wr_step(s), WR_ROW);
    int begun = told;
    wr_set_trace(s, NULL, NULL);
    assert_int_equal(wr_step(s), WR_DONE);
    assert_true(begun > 0 && told > begun);
    int all = told;
    assert_int_equal(wr_step(s), WR_ROW);
    assert_int_equal(told, all);
    wr_finalize(s);
}

/* They lie in the memory of the run. */
static void columns_of_a_condition_end_with_its_run(void **state)
{
    wr_stmt *s = prepare(*state, "INSERT INTO o (p, v) VALUES (1, 'a') IF NOT EXISTS");
    assert_int_equal(wr_step(s), WR_ROW);
    assert_string_equal(wr_column_name(s, 0), "[applied]");
    assert_int_equal(wr_step(s), WR_DONE);
    wr_set_serial_consistency(s, WR_CL_ONE);
    assert_int_equal(wr_step(s), WR_INVALID);
    assert_int_equal(wr_column_count(s), 0);
    assert_null(wr_column_name(s, 0));
    assert_int_equal(wr_column_index(s, "v"), -1);
    wr_set_serial_consistency(s, WR_CL_SERIAL);
    assert_int_equal(wr_step(s), WR_ROW);
    assert_int_equal(wr_column_index(s, "v"), 2);
    assert_int_equal(wr_stmt_validate(s, true), WR_MISUSE);
    wr_reset(s);
    assert_int_equal(wr_stmt_validate(s, true), WR_OK);
    assert_int_equal(wr_column_index(s, "v"), -1);
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
    assert_int_equal(wr_set_consistency(read, (enum wr_consistency)(WR_CL_NODE_LOCAL + 1)), WR_PROTOCOL);
    assert_int_equal(wr_set_consistency(read, WR_CL_NODE_LOCAL), WR_OK);
    assert_int_equal(wr_step(read), WR_INVALID);
    assert_int_equal(wr_set_consistency(read, WR_CL_ONE), WR_OK);
    assert_int_equal(wr_step(read), WR_DONE);
    wr_finalize(read);
}

/* How large each write is: tests/conformance/mutation_size.cql. */
static void writes_may_have_a_largest_size(void **state)
{
    wr_db *other;
    char text[1200];
    memset(text, 'x', sizeof text);
    assert_int_equal(wr_attach(*state, &other), WR_OK);
    exec(*state, "CREATE TABLE large (p int PRIMARY KEY, v text)");
    wr_stmt *insert = prepare(*state, "INSERT INTO large (p, v) VALUES (1, ?)");
    wr_stmt *conditional = prepare(*state, "INSERT INTO large (p, v) VALUES (1, ?) IF NOT EXISTS");
    assert_int_equal(wr_bind_text(insert, 0, text, sizeof text), WR_OK);
    assert_int_equal(wr_bind_text(conditional, 0, text, sizeof text), WR_OK);
    wr_set_max_mutation_size(other, 1000); /* of all handles */
    assert_int_equal(wr_step(insert), WR_INVALID);
    assert_string_equal(wr_stmt_error(insert), "Rejected an oversized mutation (1254/1000) for keyspace: k. Top keys are: large.1");
    assert_int_equal(wr_step(conditional), WR_INVALID);
    wr_set_max_mutation_size(other, 1254);
    assert_int_equal(wr_step(insert), WR_DONE);
    assert_int_equal(wr_step(conditional), WR_ROW); /* not applied, so nothing is written */
    wr_set_max_mutation_size(*state, 0);
    wr_finalize(insert);
    wr_finalize(conditional);
    wr_close(other);
}

static void a_map_that_grows_while_opening_is_no_failure(void **state)
{
    struct wr_options options = WR_OPTIONS_INIT;
    struct wr_failure failure;
    wr_db *db;
    (void)state;
    options.map_bytes = 1;
    assert_int_equal(wr_open(NULL, &options, &db), WR_OK);
    assert_string_equal(wr_error(db), "");
    wr_failure(db, &failure);
    assert_int_equal(failure.status, WR_OK);
    assert_int_equal(wr_close(db), WR_OK);
}

/* Of as many parts as there may be: its name is written to the catalog, and read from there. */
static void a_tuple_of_many_parts(void **state)
{
    enum { PARTS = 16000 };
    char *text = malloc(PARTS * 5 + 100), *at = text;
    at += sprintf(at, "CREATE TABLE wide (p int PRIMARY KEY, v tuple<int");
    for (int i = 1; i < PARTS; i++)
        at += sprintf(at, ", int");
    strcpy(at, ">)");
    exec(*state, text);
    free(text);
    exec(*state, "INSERT INTO wide (p, v) VALUES (1, (7, 8))");
    wr_stmt *s = prepare(*state, "SELECT v FROM wide");
    assert_int_equal(wr_step(s), WR_ROW);
    assert_int_equal(wr_value_count(wr_column_value(s, 0)), PARTS);
    wr_finalize(s);
    exec(*state, "DROP TABLE wide");
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

static bool tell_texts(void *arg, const struct wr_cell *cell)
{
    char *texts = arg;
    sprintf(texts + strlen(texts), "%s %s %s;", cell->partition_key, cell->column, cell->value ? cell->value : "-");
    return true;
}

static void a_nul_does_not_end_what_is_told_of_a_cell(void **state)
{
    char texts[256] = "";
    wr_db *db = *state;
    exec(db, "CREATE TABLE w (p text PRIMARY KEY, v text)");
    exec(db, "UPDATE w SET v = blobastext(0x630064) WHERE p = blobastext(0x610062)");
    assert_int_equal(wr_table_cells(db, "k", "w", NULL, tell_texts, texts), WR_OK);
    assert_string_equal(texts, "'a\xc0\x80" "b' v 'c\xc0\x80" "d';");
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

/* What it takes of the processor to prepare an INSERT that names so many columns: the least of some. */
static double time_to_name(wr_db *db, int columns)
{
    size_t room = (size_t)columns * 24 + 200, len = 0;
    char *cql = malloc(room);
    double least = 1e9;

    len += (size_t)snprintf(cql, room, "CREATE TABLE w%d (p int PRIMARY KEY", columns);
    for (int i = 0; i < columns; i++)
        len += (size_t)snprintf(cql + len, room - len, ", c%d int", i);
    snprintf(cql + len, room - len, ")");
    exec(db, cql);
    len = (size_t)snprintf(cql, room, "INSERT INTO w%d (p", columns);
    for (int i = 0; i < columns; i++)
        len += (size_t)snprintf(cql + len, room - len, ", c%d", i);
    len += (size_t)snprintf(cql + len, room - len, ") VALUES (0");
    for (int i = 0; i < columns; i++)
        len += (size_t)snprintf(cql + len, room - len, ", %d", i);
    snprintf(cql + len, room - len, ")");
    for (int i = 0; i < 3; i++) {
        clock_t begin = clock();
        wr_finalize(prepare(db, cql));
        double took = (double)(clock() - begin);
        least = took < least ? took : least;
    }
    exec(db, cql);
    free(cql);
    return least;
}

static void columns_are_found_in_wide_tables(void **state)
{
    double few = time_to_name(*state, 2000), many = time_to_name(*state, 20000);
    assert_true(many < 40 * few); /* ten times as many; it was a hundred times where each was looked for among all */
    wr_stmt *s = prepare(*state, "SELECT c0, c19999, c7 FROM w20000");
    assert_int_equal(wr_step(s), WR_ROW);
    assert_int_equal(wr_column_int(s, 0), 0);
    assert_int_equal(wr_column_int(s, 1), 19999);
    assert_int_equal(wr_column_int(s, 2), 7);
    wr_finalize(s);
    assert_int_equal(wr_exec(*state, "ALTER TABLE w20000 ADD (z int, z int)", NULL, NULL), WR_INVALID);
    assert_int_equal(wr_exec(*state, "ALTER TABLE w20000 ADD c20000 int; ALTER TABLE w20000 DROP c3", NULL, NULL), WR_OK);
    assert_int_equal(wr_exec(*state, "SELECT c3 FROM w20000", NULL, NULL), WR_INVALID);
    exec(*state, "SELECT c20000, c4 FROM w20000");
}

static void a_statement_has_nothing_of_the_one_before(void **state)
{
    int told = 0;
    exec(*state, "INSERT INTO t (p, c, v) VALUES (1, 1, 'a'); INSERT INTO t (p, c, v) VALUES (1, 2, 'b')");
    wr_stmt *s = prepare(*state, "SELECT * FROM t WHERE p = ? LIMIT ?");
    wr_bind_int(s, 0, 1);
    wr_bind_int(s, 1, 10);
    wr_set_page_size(s, 1);
    wr_set_timestamp(s, 1);
    wr_set_now(s, 5);
    wr_set_trace(s, count_activity, &told);
    assert_int_equal(wr_step(s), WR_ROW);
    wr_finalize(s); /* amid its rows */

    s = prepare(*state, "INSERT INTO t (p, c, v) VALUES (?, 3, 'c')");
    told = 0;
    assert_int_equal(wr_marker_count(s), 1);
    assert_int_equal(wr_column_count(s), 0);
    assert_int_equal(wr_step(s), WR_INVALID);
    assert_string_equal(wr_stmt_error(s), "there were 1 markers(?) in CQL but 0 bound variables");
    wr_bind_int(s, 0, 1);
    assert_int_equal(wr_step(s), WR_DONE);
    wr_finalize(s);

    s = prepare(*state, "SELECT writetime(v) FROM t WHERE p = 1");
    assert_string_equal(wr_stmt_error(s), "");
    assert_int_equal(wr_step(s), WR_ROW);
    assert_int_equal(wr_step(s), WR_ROW);
    assert_int_equal(wr_step(s), WR_ROW);
    assert_true(wr_column_int(s, 0) > 1);
    assert_int_equal(wr_step(s), WR_DONE);
    assert_int_equal(told, 0);
    wr_finalize(s);
}

static void statements_at_once_have_memory_of_their_own(void **state)
{
    exec(*state, "INSERT INTO t (p, c, v) VALUES (1, 1, 'a'); INSERT INTO t (p, c, v) VALUES (2, 1, 'b')");
    wr_stmt *a = prepare(*state, "SELECT v FROM t WHERE p = 1"), *b = prepare(*state, "SELECT v FROM t WHERE p = 2");
    assert_int_equal(wr_step(a), WR_ROW);
    assert_int_equal(wr_step(b), WR_ROW);
    wr_finalize(a);
    a = prepare(*state, "SELECT c, p FROM t WHERE p = 1");
    assert_int_equal(wr_step(a), WR_ROW);
    assert_string_equal(wr_column_text(b, 0), "b");
    assert_string_equal(wr_column_name(b, 0), "v");
    assert_int_equal(wr_column_int(a, 1), 1);
    wr_finalize(b);
    wr_finalize(a);
}

static void a_column_is_named_once(void **state)
{
    exec(*state, "CREATE TABLE wide (p int PRIMARY KEY, a int, b int, c int, d int, e int, f int, g int, h int, i int, j int, k int, l int, m int, n int,"
                 " o int, q int)");
    exec(*state, "INSERT INTO wide (p, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, q) VALUES (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)");
    static const char *const twice[] = {
        "INSERT INTO wide (p, a, \"a\") VALUES (1, 1, 1)",
        "INSERT INTO wide (p, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, A) VALUES (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)",
    };
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++) {
        assert_int_equal(wr_exec(*state, twice[i], NULL, NULL), WR_INVALID);
        assert_string_equal(wr_error(*state), "The column names contains duplicates");
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_tables, teardown)
    const struct CMUnitTest tests[] = {
        TEST(misuse_is_an_error),
        TEST(no_statement_is_misuse),
        TEST(a_script_tells_where_it_failed),
        TEST(a_marker_that_nothing_asks_for_takes_anything),
        TEST(statements_outlive_schema_changes),
        TEST(a_trace_is_of_whole_runs),
        TEST(columns_of_a_condition_end_with_its_run),
        TEST(batches_of_prepared_statements),
        TEST(levels_bind_those_who_ask),
        TEST(writes_may_have_a_largest_size),
        TEST(a_map_that_grows_while_opening_is_no_failure),
        TEST(a_tuple_of_many_parts),
        TEST(bound_values_meet_the_type_of_the_day),
        TEST(handles_have_keyspaces_of_their_own),
        TEST(binding_goes_by_the_schema_of_the_day),
        TEST(a_value_is_not_closed_under_a_run),
        TEST(a_nul_does_not_end_what_is_told_of_a_cell),
        TEST(columns_are_found_in_wide_tables),
        TEST(a_statement_has_nothing_of_the_one_before),
        TEST(statements_at_once_have_memory_of_their_own),
        TEST(a_column_is_named_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
