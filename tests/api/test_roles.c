/* widerow.h on roles: whose permissions a handle, a statement and a batch have, and from when on. What they may is tests/conformance's. */
#include "handle.h"

static int setup(void **state)
{
    wr_db *db;
    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    exec(db, "CREATE TABLE k.t (p int PRIMARY KEY, v int)");
    exec(db, "INSERT INTO k.t (p, v) VALUES (1, 7)");
    wr_set_role(db, "cassandra");
    /* the hash of `secret`, of four rounds: quick */
    exec(db, "CREATE ROLE bob WITH LOGIN = true AND HASHED PASSWORD = '$2a$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW'");
    exec(db, "CREATE ROLE idle WITH HASHED PASSWORD = '$2a$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW'");
    wr_set_role(db, NULL);
    *state = db;
    return 0;
}

static wr_db *attach(wr_db *db, const char *role)
{
    wr_db *handle;
    assert_int_equal(wr_attach(db, &handle), WR_OK);
    assert_int_equal(wr_set_role(handle, role), WR_OK);
    return handle;
}

static void grant(wr_db *db, const char *cql)
{
    wr_db *admin = attach(db, "cassandra");
    exec(admin, cql);
    assert_int_equal(wr_close(admin), WR_OK);
}

static void assert_refused(wr_db *db, const char *cql, enum wr_status status, const char *text)
{
    assert_int_equal(wr_exec(db, cql, NULL, NULL), status);
    assert_string_equal(wr_error(db), text);
}

#define NO_SELECT "User bob has no SELECT permission on <table k.t> or any of its parents"
#define NO_MODIFY "User bob has no MODIFY permission on <table k.t> or any of its parents"

static void logging_in(void **state)
{
    static const struct {
        const char *role, *password, *text;
    } refused[] = {
        { "bob", "wrong", "Provided username bob and/or password are incorrect" },
        { "bob", "", "Provided username bob and/or password are incorrect" },
        { "nobody", "secret", "Provided username nobody and/or password are incorrect" },
        { "", "secret", "Provided username  and/or password are incorrect" },
        { "idle", "wrong", "Provided username idle and/or password are incorrect" },
        { "idle", "secret", "idle is not permitted to log in" },
    };
    wr_db *handle = attach(*state, NULL);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_int_equal(wr_login(handle, refused[i].role, refused[i].password), WR_BAD_CREDENTIALS);
        assert_string_equal(wr_error(handle), refused[i].text);
        exec(handle, "SELECT * FROM k.t"); /* still nobody */
    }
    assert_int_equal(wr_status_code(WR_BAD_CREDENTIALS), 0x0100);
    assert_int_equal(wr_login(handle, "bob", "secret"), WR_OK);
    assert_refused(handle, "SELECT * FROM k.t", WR_UNAUTHORIZED, NO_SELECT);
    assert_int_equal(wr_login(handle, "idle", "secret"), WR_BAD_CREDENTIALS);
    assert_refused(handle, "SELECT * FROM k.t", WR_UNAUTHORIZED, NO_SELECT); /* still bob */
    assert_int_equal(wr_set_role(handle, NULL), WR_OK);
    exec(handle, "SELECT * FROM k.t");
    assert_int_equal(wr_close(handle), WR_OK);
}

static void the_password_that_a_statement_sets(void **state)
{
    wr_db *handle = attach(*state, "bob");
    exec(handle, "ALTER ROLE bob WITH PASSWORD = 'new; ''one'''");
    assert_int_equal(wr_login(handle, "bob", "secret"), WR_BAD_CREDENTIALS);
    assert_int_equal(wr_login(handle, "bob", "new; 'one'"), WR_OK);
    assert_int_equal(wr_close(handle), WR_OK);
}

static void a_handle_counts_for_what_is_made_on_it_later(void **state)
{
    wr_db *handle = attach(*state, NULL);
    wr_stmt *before = prepare(handle, "SELECT v FROM k.t WHERE p = 1");
    wr_set_role(handle, "bob");
    wr_stmt *after = prepare(handle, "SELECT v FROM k.t WHERE p = 1");
    assert_int_equal(wr_step(before), WR_ROW);
    assert_int_equal(wr_step(after), WR_UNAUTHORIZED);
    assert_string_equal(wr_stmt_error(after), NO_SELECT);
    wr_finalize(before);
    wr_finalize(after);
    assert_int_equal(wr_close(handle), WR_OK);
}

static void a_statement_that_several_share(void **state)
{
    wr_stmt *stmt = prepare(*state, "SELECT v FROM k.t WHERE p = 1");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(wr_stmt_set_role(stmt, "cassandra"), WR_OK);
        assert_int_equal(wr_step(stmt), WR_ROW);
        assert_int_equal(wr_stmt_set_role(stmt, "cassandra"), WR_OK); /* the same: also while it runs */
        assert_int_equal(wr_stmt_set_role(stmt, "bob"), WR_MISUSE);
        wr_reset(stmt);
        assert_int_equal(wr_stmt_set_role(stmt, "bob"), WR_OK);
        assert_int_equal(wr_step(stmt), WR_UNAUTHORIZED);
        assert_int_equal(wr_stmt_set_role(stmt, NULL), WR_OK);
        assert_int_equal(wr_step(stmt), WR_ROW);
        wr_reset(stmt);
    }
    wr_finalize(stmt);
}

static void a_change_counts_with_the_next_run(void **state)
{
    wr_db *handle = attach(*state, "bob");
    wr_stmt *stmt = prepare(handle, "SELECT v FROM k.t WHERE p = 1");
    assert_int_equal(wr_step(stmt), WR_UNAUTHORIZED);
    grant(*state, "CREATE ROLE team; GRANT SELECT ON ALL KEYSPACES TO team; GRANT team TO bob");
    assert_int_equal(wr_step(stmt), WR_ROW);
    assert_int_equal(wr_column_int(stmt, 0), 7);
    grant(*state, "REVOKE team FROM bob");
    assert_int_equal(wr_step(stmt), WR_DONE); /* it had begun */
    assert_int_equal(wr_step(stmt), WR_UNAUTHORIZED);
    grant(*state, "ALTER ROLE bob WITH SUPERUSER = true");
    assert_int_equal(wr_step(stmt), WR_ROW);
    wr_reset(stmt);
    grant(*state, "DROP ROLE bob");
    assert_int_equal(wr_step(stmt), WR_UNAUTHORIZED);
    assert_string_equal(wr_stmt_error(stmt), "You do not have access to this datacenter (datacenter1)");
    wr_finalize(stmt);
    assert_int_equal(wr_close(handle), WR_OK);
}

static void batches(void **state)
{
    wr_db *handle = attach(*state, "bob");
    wr_stmt *insert = prepare(*state, "INSERT INTO k.t (p, v) VALUES (2, 2)"); /* made by nobody: the batch's role counts */
    wr_batch *batch;
    assert_int_equal(wr_batch_new(handle, WR_BATCH_LOGGED, &batch), WR_OK);
    for (int granted = 0; granted < 2; granted++) {
        assert_int_equal(wr_batch_add(batch, insert), WR_OK);
        assert_int_equal(wr_batch_run(batch, NULL), granted ? WR_OK : WR_UNAUTHORIZED);
        if (!granted)
            assert_string_equal(wr_batch_error(batch), NO_MODIFY);
        grant(*state, "GRANT MODIFY ON k.t TO bob");
    }
    wr_batch_free(batch);
    wr_finalize(insert);
    assert_int_equal(wr_close(handle), WR_OK);
}

static enum wr_status write_twice(void *arg)
{
    wr_db *handle = arg;
    enum wr_status st = wr_exec(handle, "CREATE ROLE inner_role; GRANT MODIFY ON k.t TO inner_role", NULL, NULL);
    if (st == WR_OK)
        st = wr_set_role(handle, "inner_role");
    return st == WR_OK ? wr_exec(handle, "INSERT INTO k.t (p, v) VALUES (3, 3)", NULL, NULL) : st;
}

static void within_one_transaction(void **state)
{
    wr_db *handle = attach(*state, "cassandra");
    /* the role has no LOGIN, so nothing lets it in; and the whole is undone with that */
    assert_int_equal(wr_atomically(handle, write_twice, handle), WR_UNAUTHORIZED);
    assert_string_equal(wr_error(handle), "You do not have access to this datacenter (datacenter1)");
    wr_set_role(handle, "cassandra");
    assert_refused(handle, "LIST ROLES OF inner_role", WR_INVALID, "<role inner_role> doesn't exist");
    assert_int_equal(wr_close(handle), WR_OK);
}

static void masks_are_the_roles(void **state)
{
    wr_db *handle = attach(*state, "bob");
    wr_set_masking(*state, true);
    exec(*state, "CREATE TABLE k.m (p int PRIMARY KEY, v int MASKED WITH DEFAULT)");
    exec(*state, "INSERT INTO k.m (p, v) VALUES (1, 5)");
    grant(*state, "GRANT SELECT ON k.m TO bob");
    wr_stmt *stmt = prepare(*state, "SELECT v FROM k.m");
    static const struct {
        const char *role, *statement;
        int seen;
    } steps[] = {
        { NULL, NULL, 5 }, { "bob", NULL, 0 }, { "cassandra", NULL, 5 }, { "bob", "GRANT UNMASK ON k.m TO bob", 5 },
        { "bob", "REVOKE UNMASK ON k.m FROM bob", 0 }, { NULL, NULL, 5 },
    };
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if (steps[i].statement)
            grant(*state, steps[i].statement);
        assert_int_equal(wr_stmt_set_role(stmt, steps[i].role), WR_OK);
        assert_int_equal(wr_step(stmt), WR_ROW);
        assert_int_equal(wr_column_int(stmt, 0), steps[i].seen);
        wr_reset(stmt);
    }
    wr_finalize(stmt);
    assert_int_equal(wr_close(handle), WR_OK);
}

static void a_list_without_rows_has_no_columns(void **state)
{
    wr_db *handle = attach(*state, "bob");
    wr_stmt *stmt = prepare(handle, "LIST ALL OF bob");
    assert_int_equal(wr_step(stmt), WR_DONE);
    assert_int_equal(wr_column_count(stmt), 0);
    grant(*state, "GRANT SELECT ON k.t TO bob");
    assert_int_equal(wr_step(stmt), WR_ROW);
    assert_int_equal(wr_column_count(stmt), 4);
    assert_string_equal(wr_column_name(stmt, 2), "resource");
    assert_string_equal(wr_column_text(stmt, 2), "<table k.t>");
    assert_int_equal(wr_step(stmt), WR_DONE);
    wr_finalize(stmt);
    assert_int_equal(wr_close(handle), WR_OK);
}

/* With IF nothing is looked for before the statement runs (AddIdentityStatement.validate). */
static void an_identity_is_looked_for_when_it_matters(void **state)
{
    static const struct {
        const char *cql;
        enum wr_status validated;
    } cases[] = {
        { "ADD IDENTITY '' TO ROLE 'bob'", WR_INVALID },
        { "ADD IDENTITY IF NOT EXISTS '' TO ROLE 'bob'", WR_OK },
        { "DROP IDENTITY ''", WR_INVALID },
        { "DROP IDENTITY IF EXISTS ''", WR_OK },
    };
    wr_db *handle = attach(*state, "cassandra");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wr_stmt *stmt = prepare(handle, cases[i].cql);
        assert_int_equal(wr_stmt_validate(stmt, false), cases[i].validated);
        assert_int_equal(wr_step(stmt), WR_INVALID);
        assert_string_equal(wr_stmt_error(stmt), "Key may not be empty");
        wr_finalize(stmt);
    }
    assert_int_equal(wr_close(handle), WR_OK);
}

static void a_handle_that_is_not_open(void **state)
{
    (void)state;
    wr_db *db;
    struct wr_options options = WR_OPTIONS_INIT;
    options.must_exist = true;
    assert_int_not_equal(wr_open("/nonexistent/widerow", &options, &db), WR_OK);
    assert_int_equal(wr_set_role(db, "x"), WR_MISUSE);
    assert_int_equal(wr_login(db, "x", "y"), WR_MISUSE);
    assert_int_equal(wr_close(db), WR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(logging_in, setup, teardown),
        cmocka_unit_test_setup_teardown(the_password_that_a_statement_sets, setup, teardown),
        cmocka_unit_test_setup_teardown(a_handle_counts_for_what_is_made_on_it_later, setup, teardown),
        cmocka_unit_test_setup_teardown(a_statement_that_several_share, setup, teardown),
        cmocka_unit_test_setup_teardown(a_change_counts_with_the_next_run, setup, teardown),
        cmocka_unit_test_setup_teardown(batches, setup, teardown),
        cmocka_unit_test_setup_teardown(within_one_transaction, setup, teardown),
        cmocka_unit_test_setup_teardown(masks_are_the_roles, setup, teardown),
        cmocka_unit_test_setup_teardown(a_list_without_rows_has_no_columns, setup, teardown),
        cmocka_unit_test_setup_teardown(an_identity_is_looked_for_when_it_matters, setup, teardown),
        cmocka_unit_test(a_handle_that_is_not_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
