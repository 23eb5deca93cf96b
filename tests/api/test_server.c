/* What a server sets of its handles, statements and batches for a client, and of itself. */
#include "server_recorded.h"

static void use_without_a_statement(void **state)
{
    assert_int_equal(wr_use(*state, "wrserver3"), WR_OK);
    assert_string_equal(wr_keyspace(*state), "wrserver3");
    assert_int_equal(wr_use(*state, "nosuch"), WR_INVALID);
    assert_string_equal(wr_error(*state), "Keyspace 'nosuch' does not exist");
    assert_string_equal(wr_keyspace(*state), "wrserver3");
    assert_int_equal(wr_use(*state, NULL), WR_OK);
    assert_null(wr_keyspace(*state));
}

static void statements_have_a_keyspace_of_their_own(void **state)
{
    wr_stmt *stmt;
    assert_int_equal(wr_use(*state, "wrserver3"), WR_OK);
    assert_int_equal(wr_prepare_in(*state, "system", "SELECT key FROM local", -1, &stmt), WR_OK);
    assert_string_equal(wr_keyspace(*state), "wrserver3");
    assert_int_equal(wr_step(stmt), WR_ROW);
    wr_finalize(stmt);
    assert_int_equal(wr_prepare_in(*state, "nosuch", "SELECT key FROM local", -1, &stmt), WR_INVALID);
    assert_null(stmt);
    assert_string_equal(wr_error(*state), "keyspace nosuch does not exist");
    assert_int_equal(wr_prepare_in(*state, NULL, "SELECT key FROM local", -1, &stmt), WR_INVALID);
    assert_string_equal(wr_error(*state), "No keyspace has been specified. USE a keyspace, or explicitly specify keyspace.tablename");
    assert_int_equal(wr_use(*state, NULL), WR_OK);
}

static int64_t ttl_left(wr_stmt *read)
{
    int64_t left = -1;
    if (wr_step(read) == WR_ROW)
        left = wr_column_is_null(read, 0) ? 0 : wr_column_int(read, 0);
    wr_reset(read);
    return left;
}

static void statements_have_a_clock_of_their_own(void **state)
{
    enum { NOW = 1700000000 };
    wr_clock_set(*state, INT64_C(1000000) * NOW);
    wr_stmt *write = prepare(*state, "INSERT INTO t (p, v) VALUES (5, 5) USING TTL 100"),
            *read = prepare(*state, "SELECT ttl(v) FROM t WHERE p = 5"),
            *other = prepare(*state, "UPDATE t SET v = 6 WHERE p = 6");
    assert_int_equal(wr_step(write), WR_DONE);
    assert_int_equal(ttl_left(read), 100);
    wr_set_now(read, NOW + 99);
    assert_int_equal(ttl_left(read), 1);
    wr_set_now(read, NOW + 100);
    assert_int_equal(ttl_left(read), -1);
    wr_set_now(write, NOW + 1000);
    assert_int_equal(wr_step(write), WR_DONE);
    wr_set_now(other, NOW + 1000000); /* a write from the future makes nobody else's data expire */
    assert_int_equal(wr_step(other), WR_DONE);
    wr_set_now(read, INT64_MIN);
    assert_int_equal(ttl_left(read), 1100);
    wr_batch *batch;
    assert_int_equal(wr_batch_new(*state, WR_BATCH_UNLOGGED, &batch), WR_OK);
    assert_int_equal(wr_batch_set_now(batch, NOW + 50), WR_OK);
    assert_int_equal(wr_batch_add(batch, write), WR_OK);
    assert_int_equal(wr_batch_run(batch, NULL), WR_OK);
    wr_batch_free(batch);
    assert_int_equal(ttl_left(read), 150);
    assert_int_equal(wr_set_now(read, -1), WR_MISUSE);
    wr_finalize(write);
    wr_finalize(read);
    wr_finalize(other);
    wr_clock_release(*state);
}

static int64_t writetime_of(wr_db *db, const char *cql)
{
    wr_stmt *s = prepare(db, cql);
    assert_int_equal(wr_step(s), WR_ROW);
    int64_t time = wr_column_int(s, 0);
    wr_finalize(s);
    return time;
}

/* As a driver's: statements with their own keep it, and conditional ones take no notice. */
static void batches_have_a_default_timestamp(void **state)
{
    wr_stmt *plain = prepare(*state, "INSERT INTO t (p, v) VALUES (21, 1)"),
            *own = prepare(*state, "INSERT INTO t (p, v) VALUES (22, 1) USING TIMESTAMP 77"),
            *conditional = prepare(*state, "INSERT INTO t (p, v) VALUES (23, 1) IF NOT EXISTS");
    wr_batch *batch;
    assert_int_equal(wr_batch_new(*state, WR_BATCH_LOGGED, &batch), WR_OK);
    wr_batch_set_timestamp(batch, 1234);
    wr_batch_add(batch, plain);
    wr_batch_add(batch, own);
    assert_int_equal(wr_batch_run(batch, NULL), WR_OK);
    assert_int_equal(writetime_of(*state, "SELECT writetime(v) FROM t WHERE p = 21"), 1234);
    assert_int_equal(writetime_of(*state, "SELECT writetime(v) FROM t WHERE p = 22"), 77);
    wr_batch_set_timestamp(batch, 1234);
    wr_batch_add(batch, conditional);
    assert_int_equal(wr_batch_run(batch, NULL), WR_OK);
    assert_true(writetime_of(*state, "SELECT writetime(v) FROM t WHERE p = 23") > 1234);
    wr_batch_free(batch);
    wr_finalize(plain);
    wr_finalize(own);
    wr_finalize(conditional);
}

static void batches_warn(void **state)
{
    wr_batch *batch;
    exec(*state, "CREATE TABLE nograce (p int PRIMARY KEY) WITH gc_grace_seconds = 0");
    wr_stmt *s = prepare(*state, "INSERT INTO nograce (p) VALUES (1)");
    assert_int_equal(wr_batch_new(*state, WR_BATCH_LOGGED, &batch), WR_OK);
    wr_batch_add(batch, s);
    assert_int_equal(wr_batch_run(batch, NULL), WR_OK);
    assert_non_null(strstr(wr_batch_warning(batch, 0), "configured with a gc_grace_seconds of 0"));
    assert_null(wr_batch_warning(batch, 1));
    wr_batch_free(batch);
    wr_finalize(s);
}

static void the_address_is_told(void **state)
{
    char text[64];
    assert_int_equal(wr_set_address(*state, "192.168.7.9", 19042), WR_OK);
    wr_stmt *s = prepare(*state, "SELECT rpc_address, rpc_port FROM system.local WHERE key = 'local'");
    assert_int_equal(wr_step(s), WR_ROW);
    wr_value_format(wr_column_value(s, 0), WR_STRING, text, sizeof text);
    assert_string_equal(text, "192.168.7.9");
    assert_int_equal(wr_column_int(s, 1), 19042);
    wr_finalize(s);
    assert_int_equal(wr_set_address(*state, "no address", 1), WR_INVALID);
}

static bool next_client(void *arg, uint32_t i, struct wr_client *out)
{
    static const char *const options[] = { "DRIVER_NAME", "a driver", "CQL_VERSION", "3.4.7" };
    if (i >= *(uint32_t *)arg)
        return false;
    *out = (struct wr_client){ .address = "127.0.0.1",
                               .port = (uint16_t)(50000 - i),
                               .connection_stage = "ready",
                               .protocol_version = 5,
                               .request_count = 12,
                               .username = "anonymous",
                               .options = options,
                               .option_count = 2 };
    return true;
}

static void clients_are_told(void **state)
{
    char text[128];
    uint32_t count = 2;
    wr_stmt *s = prepare(*state, "SELECT port, request_count, ssl_enabled, driver_name, client_options FROM "
                                 "system_views.clients WHERE address = '127.0.0.1'");
    assert_int_equal(wr_step(s), WR_DONE);
    assert_int_equal(wr_set_clients(*state, next_client, &count), WR_OK);
    assert_int_equal(wr_step(s), WR_ROW);
    assert_int_equal(wr_column_int(s, 0), 49999);
    assert_int_equal(wr_column_int(s, 1), 12);
    assert_false(wr_column_bool(s, 2) || wr_column_is_null(s, 2));
    assert_true(wr_column_is_null(s, 3));
    wr_value_format(wr_column_value(s, 4), WR_LITERAL, text, sizeof text);
    assert_string_equal(text, "{'CQL_VERSION': '3.4.7', 'DRIVER_NAME': 'a driver'}");
    assert_int_equal(wr_step(s), WR_ROW);
    assert_int_equal(wr_column_int(s, 0), 50000);
    assert_int_equal(wr_step(s), WR_DONE);
    assert_int_equal(wr_set_clients(*state, NULL, NULL), WR_OK);
    assert_int_equal(wr_step(s), WR_DONE);
    wr_finalize(s);
}

static void text_of(wr_db *db, const char *cql, char *text, size_t size)
{
    wr_stmt *s = prepare(db, cql);
    assert_int_equal(wr_step(s), WR_ROW);
    wr_value_format(wr_column_value(s, 0), WR_STRING, text, size);
    wr_finalize(s);
}

static void settings_are_those_of_this_database(void **state)
{
    char text[64], local[64];
    text_of(*state, "SELECT cluster_name FROM system.local", local, sizeof local);
    text_of(*state, "SELECT value FROM system_views.settings WHERE name = 'cluster_name'", text, sizeof text);
    assert_string_equal(text, local);
    assert_int_equal(wr_set_address(*state, "::1", 19042), WR_OK);
    text_of(*state, "SELECT value FROM system_views.settings WHERE name = 'native_transport_port'", text, sizeof text);
    assert_string_equal(text, "19042");
    text_of(*state, "SELECT value FROM system_views.settings WHERE name = 'rpc_address'", text, sizeof text);
    assert_string_equal(text, "::1");
}

static void virtual_tables_hold_nothing(void **state)
{
    struct wr_table_stats stats;
    assert_int_equal(wr_table_stats(*state, "system_views", "settings", &stats), WR_OK);
    assert_int_equal(stats.rows, 0);
    assert_int_equal(wr_table_cells(*state, "system_views", "settings", NULL, NULL, NULL), WR_OK);
    exec(*state, "BEGIN BATCH INSERT INTO t (p, v) VALUES (1, 1); APPLY BATCH; TRUNCATE system_views.system_logs");
    uint64_t findings = 1;
    assert_int_equal(wr_check(*state, NULL, NULL, &findings), WR_OK);
    assert_int_equal(findings, 0);
}

static enum wr_status set_address(void *db)
{
    return wr_set_address(db, "127.0.0.1", 9042);
}

static void an_address_is_not_set_within_another_write(void **state)
{
    assert_int_equal(wr_atomically(*state, set_address, *state), WR_MISUSE);
    assert_int_equal(set_address(*state), WR_OK);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_recorded, teardown)
    const struct CMUnitTest tests[] = {
        TEST(an_address_is_not_set_within_another_write),
        TEST(use_without_a_statement),
        TEST(statements_have_a_keyspace_of_their_own),
        TEST(statements_have_a_clock_of_their_own),
        TEST(batches_have_a_default_timestamp),
        TEST(batches_warn),
        TEST(the_address_is_told),
        TEST(clients_are_told),
        TEST(settings_are_those_of_this_database),
        TEST(virtual_tables_hold_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
