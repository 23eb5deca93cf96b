/* Calls that are refused, and what they say of it; and the small ones that tell of values, columns, markers and the library. */
#include "../folder.h"
#include "families.h"

static void refuses(wr_db *db, enum wr_status st, enum wr_status wanted, const char *text)
{
    assert_int_equal(st, wanted);
    assert_string_equal(wr_error(db), text);
}

static void statement_refuses(wr_stmt *s, enum wr_status st, enum wr_status wanted, const char *text)
{
    assert_int_equal(st, wanted);
    assert_string_equal(wr_stmt_error(s), text);
}

/* ---- the library and handles ---- */

static void names_of_the_library(void **state)
{
    (void)state;
    assert_string_equal(wr_version(), WR_VERSION_TEXT);
    assert_string_equal(wr_status_name(WR_INVALID), "InvalidRequest");
    assert_int_equal(wr_status_code(WR_INVALID), 0x2200);
    assert_string_equal(wr_status_name((enum wr_status)9999), "unknown status");
    assert_int_equal(wr_status_code((enum wr_status)9999), 0);
}

static void options_of_another_version(void **state)
{
    struct wr_options options = WR_OPTIONS_INIT;
    (void)state;
    for (int i = 0; i < 2; i++) {
        wr_db *db;
        options.size = i ? sizeof options : sizeof options - 1;
        options.durability = i ? (enum wr_durability)9 : options.durability;
        assert_int_equal(wr_open(NULL, &options, &db), WR_MISUSE);
        assert_string_equal(wr_error(db), "wr_open: the options are not of this library's version");
        wr_set_tombstone_thresholds(db, 1, 2); /* to nobody */
        assert_int_equal(wr_close(db), WR_OK);
    }
}

static bool stop_at_once(void *arg, wr_stmt *row)
{
    (void)row;
    ++*(int *)arg;
    return false;
}

static void a_script_can_be_stopped_at_a_row(void **state)
{
    int rows = 0;
    insert_number(*state, 1);
    insert_number(*state, 2);
    assert_int_equal(wr_exec(*state, "SELECT p FROM t; DROP TABLE t", stop_at_once, &rows), WR_OK);
    assert_int_equal(rows, 1);
    assert_int_equal(count(*state), 2);
}

static void where_a_statement_ends(void **state)
{
    bool complete = false, blank = true;
    (void)state;
    assert_int_equal(wr_statement_end("SELECT 1; x", 11, &complete, &blank), 9);
    assert_true(complete && !blank);
    assert_int_equal(wr_statement_end("SELECT 1", 8, NULL, NULL), 8);
    assert_int_equal(wr_statement_end(" -- x", 5, &complete, &blank), 5);
    assert_true(!complete && blank);
}

static enum wr_status change_schema(void *arg)
{
    refuses(arg, wr_exec(arg, "CREATE TABLE later (p int PRIMARY KEY)", NULL, NULL), WR_MISUSE, "a schema change cannot run inside wr_atomically");
    refuses(arg, wr_set_address(arg, "127.0.0.1", 9042), WR_MISUSE, "wr_set_address: not within wr_atomically");
    return WR_OK;
}

static void within_wr_atomically(void **state)
{
    assert_int_equal(wr_atomically(*state, change_schema, *state), WR_OK);
    exec(*state, "CREATE TABLE later (p int PRIMARY KEY)");
}

static void what_only_reads(void **state)
{
    struct wr_options options = WR_OPTIONS_INIT;
    struct wr_cf_column column = { .name = TEXT("n"), .value = TEXT("v"), .timestamp_us = 1 };
    static const char told[] = "the database is open read-only";
    char path[256];
    wr_db *db;
    (void)state;
    make_folder(path, sizeof path);
    assert_int_equal(wr_open(path, NULL, &db), WR_OK);
    wr_cf_close(family(db, "f", "UTF8Type", "UTF8Type"));
    exec(db, "CREATE TABLE ks.t (p int PRIMARY KEY)");
    assert_int_equal(wr_close(db), WR_OK);
    options.read_only = true;
    assert_int_equal(wr_open(path, &options, &db), WR_OK);
    refuses(db, wr_exec(db, "INSERT INTO ks.t (p) VALUES (1)", NULL, NULL), WR_READONLY, told);
    refuses(db, wr_exec(db, "DROP TABLE ks.t", NULL, NULL), WR_READONLY, told);
    refuses(db, wr_set_address(db, "127.0.0.1", 9042), WR_READONLY, told);
    refuses(db, wr_atomically(db, change_schema, db), WR_READONLY, "the database is not open for writing");
    wr_cf *cf;
    assert_int_equal(wr_cf_open(db, "ks", "f", &cf), WR_OK);
    assert_int_equal(wr_cf_insert(cf, TEXT("k"), &column), WR_READONLY);
    assert_string_equal(wr_cf_error(cf), told);
    wr_cf_close(cf);
    assert_int_equal(wr_close(db), WR_OK);
    remove_folder(path);
}

/* ---- statements ---- */

static void markers_by_name(void **state)
{
    wr_stmt *s = prepare(*state, "SELECT v FROM t WHERE p = ? AND c = :second");
    size_t len = 9;
    assert_int_equal(wr_marker_index(s, "p"), 0);
    assert_int_equal(wr_marker_index(s, "second"), 1);
    assert_int_equal(wr_marker_index(s, "c"), -1);
    assert_null(wr_marker_name(s, 2, &len));
    assert_null(wr_marker_name(s, -1, &len));
    assert_string_equal(wr_marker_type_name(s, 2), "");
    assert_string_equal(wr_marker_type_name(s, 1), "int");
    statement_refuses(s, wr_set_serial_consistency(s, (enum wr_consistency)99), WR_PROTOCOL, "Unknown code for a consistency level");
    assert_int_equal(wr_set_serial_consistency(s, WR_CL_SERIAL), WR_OK);
    wr_finalize(s);
}

static void parts_that_do_not_belong(void **state)
{
    exec(*state, "CREATE TABLE w (p int PRIMARY KEY, tu tuple<int, int>, m map<int, int>, l list<int>, ve vector<int, 2>)");
    wr_stmt *s = prepare(*state, "INSERT INTO w (p, tu, m, l, ve) VALUES (?, ?, ?, ?, ?)");
    static const int most[] = { [1] = 2, [4] = 2 };
    wr_bind_int(s, 0, 1);
    for (int i = 1; i <= 4; i += 3) {
        assert_int_equal(wr_bind_open(s, i), WR_OK);
        for (int n = 0; n < most[i]; n++)
            assert_int_equal(wr_bind_int(s, WR_ELEMENT, n), WR_OK);
        statement_refuses(s, wr_bind_int(s, WR_ELEMENT, 3), WR_INVALID, "wr_bind: the open value takes no further element");
        assert_int_equal(wr_bind_close(s), WR_OK);
    }
    assert_int_equal(wr_bind_open(s, 2), WR_OK);
    statement_refuses(s, wr_bind_unset(s, WR_ELEMENT), WR_INVALID, "wr_bind: an element cannot be unset");
    assert_int_equal(wr_bind_int(s, WR_ELEMENT, 1), WR_OK);
    statement_refuses(s, wr_bind_close(s), WR_INVALID, "wr_bind_close: a map key has no value");
    statement_refuses(s, wr_bind_int(s, WR_ELEMENT, 2), WR_MISUSE, "wr_bind: no value is open for WR_ELEMENT"); /* that gave it up */
    assert_int_equal(wr_bind_open(s, 3), WR_OK);
    assert_int_equal(wr_bind_null(s, WR_ELEMENT), WR_OK);
    statement_refuses(s, wr_bind_close(s), WR_INVALID, "null is not supported inside collections");
    wr_clear_bindings(s);
    wr_finalize(s);
}

static void values_nest_32_deep(void **state)
{
    char cql[1024] = "CREATE TABLE w (p int PRIMARY KEY, v ";
    for (int i = 0; i < 33; i++)
        strcat(cql, "frozen<list<");
    strcat(cql, "int");
    for (int i = 0; i < 33; i++)
        strcat(cql, ">>");
    exec(*state, strcat(cql, ")"));
    wr_stmt *s = prepare(*state, "INSERT INTO w (p, v) VALUES (1, ?)");
    for (int i = 0; i < 32; i++)
        assert_int_equal(wr_bind_open(s, i ? WR_ELEMENT : 0), WR_OK);
    statement_refuses(s, wr_bind_open(s, WR_ELEMENT), WR_INVALID, "wr_bind_open: values are nested too deep");
    for (int i = 0; i < 32; i++)
        assert_int_equal(wr_bind_close(s), WR_OK);
    assert_int_equal(wr_step(s), WR_DONE);
    wr_finalize(s);
}

/* before, then `open` so often, what is inside, `close` as often, and what is behind */
static enum wr_status nested(wr_db *db, int depth, const char *const parts[5])
{
    static char cql[16384];
    strcpy(cql, parts[0]);
    for (int i = 0; i < depth; i++)
        strcat(cql, parts[1]);
    strcat(cql, parts[2]);
    for (int i = 0; i < depth; i++)
        strcat(cql, parts[3]);
    strcat(cql, parts[4]);
    return wr_exec(db, cql, NULL, NULL);
}

static void statements_nest_so_deep(void **state)
{
    static const struct {
        const char *parts[5];
        int most;
        const char *refused;
    } cases[] = {
        { { "CREATE TABLE w (p int PRIMARY KEY, v ", "tuple<", "int", ">", "); DROP TABLE w" }, 63, "Types may not be nested more than 64 levels deep" },
        { { "SELECT (", "tuple<", "int", ">", ")null FROM t" }, 63, "Types may not be nested more than 64 levels deep" },
        { { "SELECT c", "", "", "+c", " FROM t" }, 400, "Expressions may not be nested more than 400 levels deep" },
        { { "INSERT INTO t (p, c) VALUES (1, 1", "", "", "+1", ")" }, 400, "Expressions may not be nested more than 400 levels deep" },
        { { "SELECT ", "[", "c", "]", " FROM t" }, 400, "Expressions may not be nested more than 400 levels deep" },
        { { "SELECT ", "[", "c", "]", " FROM t" }, 1000, "the statement is nested too deeply" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].most <= 400 && nested(*state, cases[i].most, cases[i].parts) != WR_OK)
            fail_msg("%s%s: %s", cases[i].parts[0], cases[i].parts[1], wr_error(*state));
        assert_int_not_equal(nested(*state, cases[i].most + 1, cases[i].parts), WR_OK);
        assert_string_equal(wr_error(*state), cases[i].refused);
    }
}

static void nothing_is_bound_in_the_midst_of_a_run(void **state)
{
    insert_number(*state, 1);
    insert_number(*state, 2);
    wr_stmt *s = prepare(*state, "SELECT p FROM t WHERE c = ? ALLOW FILTERING");
    assert_int_equal(wr_bind_int(s, 0, 1), WR_OK);
    assert_int_equal(wr_step(s), WR_ROW);
    statement_refuses(s, wr_bind_int(s, 0, 2), WR_MISUSE, "wr_bind: the statement is being run; wr_reset it first");
    statement_refuses(s, wr_stmt_set_role(s, "somebody"), WR_MISUSE, "wr_stmt_set_role: the statement is running");
    wr_reset(s);
    assert_int_equal(wr_bind_int(s, 0, 2), WR_OK);
    assert_int_equal(wr_step(s), WR_DONE);
    wr_finalize(s);
    assert_int_equal(wr_stmt_set_role(NULL, "somebody"), WR_MISUSE);
}

static void batches(void **state)
{
    wr_batch *batch;
    wr_db *other;
    refuses(*state, wr_batch_new(*state, (enum wr_batch_kind)9, &batch), WR_MISUSE, "wr_batch_new: there is no such kind of batch");
    assert_null(batch);
    assert_int_equal(wr_batch_new(*state, WR_BATCH_LOGGED, &batch), WR_OK);
    wr_stmt *s = prepare(*state, "INSERT INTO t (p, c) VALUES (?, ?)");
    wr_bind_int(s, 0, 1);
    assert_int_equal(wr_batch_add(batch, s), WR_INVALID);
    assert_string_equal(wr_batch_error(batch), "wr_batch_add: a marker of the statement is not bound");
    wr_bind_int(s, 1, 1);
    assert_int_equal(wr_batch_add(batch, s), WR_OK);
    assert_int_equal(wr_open(NULL, NULL, &other), WR_OK);
    exec(other, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}; CREATE TABLE k.t (p int PRIMARY KEY)");
    wr_stmt *foreign = prepare(other, "INSERT INTO k.t (p) VALUES (1)");
    assert_int_equal(wr_batch_add(batch, foreign), WR_MISUSE);
    assert_string_equal(wr_batch_error(batch), "wr_batch_add: the statement belongs to another database");
    wr_finalize(foreign);
    assert_int_equal(wr_close(other), WR_OK);
    assert_int_equal(wr_batch_set_consistency(batch, WR_CL_NODE_LOCAL), WR_OK); /* as by the protocol: a statement is refused before */
    assert_int_equal(wr_batch_run(batch, NULL), WR_SERVER_ERROR);
    assert_string_equal(wr_batch_error(batch), "java.lang.UnsupportedOperationException: Invalid consistency level: NODE_LOCAL");
    assert_int_equal(wr_batch_set_consistency(batch, WR_CL_ONE), WR_OK);
    assert_int_equal(wr_batch_add(batch, s), WR_OK);
    assert_int_equal(wr_batch_run(batch, NULL), WR_OK);
    assert_int_equal(count(*state), 1);
    assert_int_equal(wr_batch_add(batch, s), WR_OK);
    exec(*state, "DROP TABLE t"); /* what a statement of it is refused for when it is bound again, the batch is, too */
    assert_int_equal(wr_batch_run(batch, NULL), WR_INVALID);
    assert_string_equal(wr_batch_error(batch), "table t does not exist");
    wr_batch_free(batch);
    wr_finalize(s);
}

/* ---- values ---- */

static void values_as_they_are_read(void **state)
{
    static const uint8_t uuid[16] = { 0x50, 0x55, 0x4d, 0x6e, 0x29, 0xbb, 0x11, 0xe5, 0xb3, 0x45, 0xfe, 0xff, 0x81, 0x9c, 0xdc, 0x9f };
    uint8_t got[16] = { 0 };
    char text[32];
    size_t len;
    exec(*state,
         "CREATE TABLE w (p int PRIMARY KEY, id uuid, tu timeuuid, n int, ve vector<float, 2>, f frozen<u>, e int);"
         "INSERT INTO w (p, id, tu, n, ve, f) VALUES (1, 50554d6e-29bb-11e5-b345-feff819cdc9f, 50554d6e-29bb-11e5-b345-feff819cdc9f, 5, [1, 2], {a: 1})");
    wr_stmt *s = prepare(*state, "SELECT id, tu, n, ve, f, e FROM w");
    assert_int_equal(wr_step(s), WR_ROW);
    for (int i = 0; i < 2; i++) {
        memset(got, 0, sizeof got);
        assert_true(wr_column_uuid(s, i, got));
        assert_memory_equal(got, uuid, sizeof uuid);
    }
    assert_false(wr_column_uuid(s, 2, got));
    assert_false(wr_column_uuid(s, 9, got));
    assert_true(wr_column_bool(s, 2));
    assert_false(wr_column_bool(s, 5));
    assert_int_equal(wr_column_type(s, 3), WR_TYPE_VECTOR);
    assert_int_equal(wr_column_type(s, 4), WR_TYPE_UDT);
    assert_int_equal(wr_column_type(s, 6), WR_TYPE_EMPTY);
    assert_int_equal(wr_value_count(wr_column_value(s, 2)), 0);
    assert_int_equal(wr_value_count(wr_column_value(s, 3)), 2);
    assert_int_equal(wr_value_count(wr_column_value(s, 4)), 2);
    const char *name = wr_value_field_name(wr_column_value(s, 4), 1, &len);
    assert_true(name && len == 1 && *name == 'b');
    assert_null(wr_value_field_name(wr_column_value(s, 4), 2, &len));
    assert_null(wr_value_field_name(wr_column_value(s, 3), 0, &len));
    assert_int_equal(wr_value_format(wr_column_value(s, 5), WR_LITERAL, text, sizeof text), 4);
    assert_string_equal(text, "null");
    assert_int_equal(wr_value_format(wr_column_value(s, 3), WR_STRING, text, 4), strlen("[1.0, 2.0]"));
    assert_string_equal(text, "[1.");
    wr_finalize(s);
}

static void page_states(void **state)
{
    size_t len;
    insert_number(*state, 1);
    insert_number(*state, 2);
    wr_stmt *s = prepare(*state, "SELECT p FROM t");
    wr_set_page_size(s, 1);
    assert_int_equal(wr_step(s), WR_ROW);
    assert_int_equal(wr_step(s), WR_DONE);
    const void *page = wr_page_state(s, &len);
    assert_true(page && wr_is_page_state(page, len));
    assert_false(wr_is_page_state(page, len - 1));
    assert_false(wr_is_page_state("x", 1));
    wr_finalize(s);
}

static void give_whether(wr_call *call, void *arg)
{
    (void)arg;
    assert_int_equal(wr_call_count(call), 1);
    assert_true(wr_value_is_null(wr_call_arg(call, 1)));
    wr_return_bool(call, wr_value_int(wr_call_arg(call, 0)) > 5);
}

static void functions_that_say_yes_or_no(void **state)
{
    struct wr_function is_large = { .keyspace = "k", .name = "is_large", .arguments = "int", .returns = "boolean", .call = give_whether };
    assert_int_equal(wr_function_register(*state, &is_large), WR_OK);
    exec(*state, "INSERT INTO t (p, c) VALUES (1, 1); INSERT INTO t (p, c) VALUES (1, 9)");
    wr_stmt *s = prepare(*state, "SELECT is_large(c) FROM t WHERE p = 1");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(wr_step(s), WR_ROW);
        assert_int_equal(wr_column_bool(s, 0), i);
    }
    wr_finalize(s);
}

/* ---- cells as they are stored ---- */

static bool count_cell(void *arg, const struct wr_cell *cell)
{
    (void)cell;
    return --*(int *)arg > 0;
}

static void cells_of_a_key(void **state)
{
    int most = 100;
    exec(*state, "CREATE TABLE w (p int, q int, c int, v int, PRIMARY KEY ((p, q), c)); INSERT INTO w (p, q, c, v) VALUES (1, 2, 3, 4)");
    insert_number(*state, 1);
    refuses(*state, wr_table_cells(*state, "k", "w", "1", count_cell, &most), WR_INVALID, "the partition key of w has 2 columns, not 1");
    refuses(*state, wr_table_cells(*state, "k", "t", "1, 2", count_cell, &most), WR_INVALID, "the partition key of t has 1 columns, not 2");
    refuses(*state, wr_table_cells(*state, "k", "w", "1, null", count_cell, &most), WR_INVALID, "Invalid null value in condition for column q");
    assert_int_equal(most, 100);
    assert_int_equal(wr_table_cells(*state, "k", "w", "1, 2", count_cell, &most), WR_OK);
    assert_int_equal(most, 98); /* the row's marker and v */
    most = 1;
    assert_int_equal(wr_table_cells(*state, "k", "w", NULL, count_cell, &most), WR_OK);
    assert_int_equal(most, 0); /* and no further */
}

/* ---- column families ---- */

static void family_refuses(wr_cf *cf, enum wr_status st, enum wr_status wanted, const char *text)
{
    assert_int_equal(st, wanted);
    assert_string_equal(wr_cf_error(cf), text);
}

static void column_families(void **state)
{
    wr_cf *plain = family(*state, "plain", "UTF8Type", "UTF8Type"), *counters = family(*state, "counters", "UTF8Type", "CounterColumnType"), *none;
    struct wr_cf_column column = { .name = TEXT("n"), .value = TEXT("v"), .timestamp_us = 1 };
    uint64_t columns;
    wr_db *other;
    family_refuses(plain, wr_cf_add(plain, TEXT("k"), TEXT("n"), 1), WR_INVALID, "invalid operation for non commutative columnfamily plain");
    family_refuses(counters, wr_cf_insert(counters, TEXT("k"), &column), WR_INVALID, "invalid operation for commutative columnfamily counters");
    column.ttl_s = -1;
    family_refuses(plain, wr_cf_insert(plain, TEXT("k"), &column), WR_INVALID, "ttl must be between 0 and 630720000 (got -1)");
    column.ttl_s = 0;
    column.name = TEXT("");
    family_refuses(plain, wr_cf_insert(plain, TEXT("k"), &column), WR_INVALID, "column name must not be empty");
    family_refuses(plain, wr_cf_insert(plain, (struct wr_bytes){ NULL, 0 }, &column), WR_INVALID, "Key may not be empty");
    column = (struct wr_cf_column){ .name = TEXT("n"), .timestamp_us = 1 }; /* no value is an empty one */
    assert_int_equal(wr_cf_insert(plain, TEXT("k"), &column), WR_OK);
    assert_int_equal(wr_cf_get(plain, TEXT("k"), TEXT("n"), &column), WR_OK);
    assert_int_equal(column.value.len, 0);
    assert_int_equal(wr_cf_add(counters, TEXT("k"), TEXT("n"), 2), WR_OK);
    assert_int_equal(wr_cf_add(counters, TEXT("k"), TEXT("m"), 3), WR_OK);
    assert_int_equal(wr_cf_remove(counters, TEXT("k"), TEXT("n"), INT64_MIN), WR_OK);
    assert_int_equal(wr_cf_get_count(counters, TEXT("k"), NULL, &columns), WR_OK);
    assert_int_equal(columns, 1);
    assert_int_equal(wr_cf_get(counters, TEXT("k"), TEXT("n"), &column), WR_NOT_FOUND);

    exec(*state, "CREATE TABLE ks.t (p int PRIMARY KEY, v int)");
    refuses(*state, wr_cf_open(*state, "ks", "t", &none), WR_INVALID, "table t is not a column family of names and values");
    assert_int_equal(wr_open(NULL, NULL, &other), WR_OK);
    wr_cf *foreign = family(other, "plain", "UTF8Type", "UTF8Type");
    struct wr_cf_mutation mutation = { foreign, WR_CF_REMOVE, TEXT("k"), { .name = TEXT("n") } };
    refuses(*state, wr_cf_batch_mutate(*state, &mutation, 1), WR_MISUSE, "wr_cf_batch_mutate: a column family belongs to another database");
    wr_cf_close(foreign);
    assert_int_equal(wr_close(other), WR_OK);
    wr_cf_close(plain);
    wr_cf_close(counters);
}

static void ranges_and_names_of_families(void **state)
{
    wr_cf *cf = family(*state, "plain", "UTF8Type", "UTF8Type");
    wr_cf *composite = family(*state, "composite", "CompositeType(UTF8Type,UTF8Type)", "UTF8Type");
    struct wr_cf_column column = { .name = { "\0\5ab", 4 }, .value = TEXT("v"), .timestamp_us = 1 };
    wr_cf_result *result = NULL;
    bool refused = false;
    insert(cf, TEXT("a"), TEXT("n"), TEXT("v"), 1);
    insert(cf, TEXT("b"), TEXT("n"), TEXT("v"), 1);
    struct wr_bytes keys[2] = { TEXT("a"), TEXT("b") };
    for (int i = 0; i < 2; i++) { /* one of the two is the wrong way round */
        enum wr_status st = wr_cf_get_range_slices(cf, keys[i], keys[1 - i], 0, NULL, &result);
        if (st == WR_OK)
            assert_int_equal(wr_cf_result_rows(result), 2);
        else
            family_refuses(cf, st, WR_INVALID, "start key's token sorts after end key's token"), refused = true;
        wr_cf_result_free(result);
        result = NULL;
    }
    assert_true(refused);
    family_refuses(composite, wr_cf_insert(composite, TEXT("k"), &column), WR_INVALID, "Not enough bytes to read value of component 0");
    wr_cf_result_free(NULL);
    wr_cf_close(cf);
    wr_cf_close(composite);
}

int main(void)
{
#define TEST_OF(name) cmocka_unit_test_setup_teardown(name, open_tables, teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_the_library),
        cmocka_unit_test(options_of_another_version),
        TEST_OF(a_script_can_be_stopped_at_a_row),
        cmocka_unit_test(where_a_statement_ends),
        TEST_OF(within_wr_atomically),
        cmocka_unit_test(what_only_reads),
        TEST_OF(markers_by_name),
        TEST_OF(parts_that_do_not_belong),
        TEST_OF(values_nest_32_deep),
        TEST_OF(statements_nest_so_deep),
        TEST_OF(nothing_is_bound_in_the_midst_of_a_run),
        TEST_OF(batches),
        TEST_OF(values_as_they_are_read),
        TEST_OF(page_states),
        TEST_OF(functions_that_say_yes_or_no),
        TEST_OF(cells_of_a_key),
        cmocka_unit_test_setup_teardown(column_families, setup, teardown),
        cmocka_unit_test_setup_teardown(ranges_and_names_of_families, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
