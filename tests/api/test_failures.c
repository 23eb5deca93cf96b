/* Details of failures, of statements, handles and batches, and what consistency levels ask of how many nodes. */
#include "server_recorded.h"

/* As record_server.py writes them. */
static void put_details(char *out, size_t size, const struct wr_failure *f)
{
    size_t at = 0;
    *out = 0;
    if (f->required)
        snprintf(out, size, "consistency=%d required=%u alive=%u", f->consistency, f->required, f->alive);
    if (!f->keyspace)
        return;
    at = (size_t)snprintf(out, size, "keyspace=%s name=%s", f->keyspace, f->name);
    for (uint32_t i = 0; i < f->argument_count; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%s", i ? "," : " types=", f->argument_types[i]);
}

static void failures_have_cassandras_details(void **state)
{
    char details[256];
    int wrong = 0;
    for (size_t i = 0; i < COUNT(failures); i++) {
        struct wr_failure f = { .status = WR_OK };
        enum wr_status st;
        exec(*state, "TRUNCATE wrserver.t; INSERT INTO wrserver.t (p, v) VALUES (1, 1)");
        wr_stmt *s = NULL;
        st = wr_prepare(*state, failures[i].cql, -1, &s);
        if (st != WR_OK)
            wr_failure(*state, &f);
        if (s && failures[i].level >= 0)
            wr_set_consistency(s, (enum wr_consistency)failures[i].level);
        if (s && failures[i].serial >= 0)
            wr_set_serial_consistency(s, (enum wr_consistency)failures[i].serial);
        while (s && (st = wr_step(s)) == WR_ROW)
            ;
        if (s && st != WR_DONE)
            wr_stmt_failure(s, &f);
        put_details(details, sizeof details, &f);
        unsigned code = wr_status_code(f.status);
        const char *text = st == WR_DONE ? "" : s ? wr_stmt_error(s) : wr_error(*state);
        if (code != failures[i].code || strcmp(details, failures[i].details) != 0 ||
            (failures[i].text[0] && strcmp(text, failures[i].text) != 0)) {
            print_error("level %d, serial %d: %s\n  0x%04X [%s] %s\n  recorded 0x%04X [%s] %s\n", failures[i].level,
                        failures[i].serial, failures[i].cql, code, details, text, failures[i].code, failures[i].details,
                        failures[i].text);
            wrong++;
        }
        wr_finalize(s);
    }
    assert_int_equal(wrong, 0);
}

static void failures_reach_the_handle(void **state)
{
    struct wr_failure f;
    assert_int_equal(wr_exec(*state, "CREATE TABLE wrserver.t (p int PRIMARY KEY)", NULL, NULL), WR_ALREADY_EXISTS);
    wr_failure(*state, &f);
    assert_int_equal(f.status, WR_ALREADY_EXISTS);
    assert_string_equal(f.keyspace, "wrserver");
    assert_string_equal(f.name, "t");
    assert_int_equal(wr_exec(*state, "SELECT * FROM nosuch", NULL, NULL), WR_INVALID);
    wr_failure(*state, &f);
    assert_int_equal(f.status, WR_INVALID);
    assert_null(f.keyspace);
}

static void failures_of_batches(void **state)
{
    struct wr_failure f;
    wr_batch *batch;
    wr_stmt *s = prepare(*state, "INSERT INTO wrserver3.t (p, v) VALUES (1, 1)");
    assert_int_equal(wr_batch_new(*state, WR_BATCH_LOGGED, &batch), WR_OK);
    assert_int_equal(wr_batch_add(batch, s), WR_OK);
    wr_batch_set_consistency(batch, WR_CL_QUORUM);
    assert_int_equal(wr_batch_run(batch, NULL), WR_UNAVAILABLE);
    wr_batch_failure(batch, &f);
    assert_int_equal(f.status, WR_UNAVAILABLE);
    assert_int_equal(f.consistency, WR_CL_QUORUM);
    assert_int_equal(f.required, 2);
    assert_int_equal(f.alive, 1);
    assert_int_equal(wr_batch_add(batch, s), WR_OK);
    wr_batch_set_consistency(batch, WR_CL_ONE);
    assert_int_equal(wr_batch_run(batch, NULL), WR_OK);
    wr_finalize(s);
    s = prepare(*state, "INSERT INTO t (p, v) VALUES (9, 1) IF NOT EXISTS");
    assert_int_equal(wr_batch_add(batch, s), WR_OK);
    wr_batch_set_serial_consistency(batch, WR_CL_QUORUM);
    assert_int_equal(wr_batch_run(batch, NULL), WR_INVALID);
    assert_string_equal(wr_batch_error(batch),
                        "Invalid consistency for conditional update. Must be one of SERIAL or LOCAL_SERIAL");
    wr_batch_free(batch);
    wr_finalize(s);
}

static void more_nodes_are_more_replicas(void **state)
{
    struct wr_failure f;
    wr_stmt *three = prepare(*state, "SELECT * FROM wrserver3.t"), *one = prepare(*state, "SELECT * FROM wrserver.t");
    assert_int_equal(wr_set_nodes(*state, 0), WR_MISUSE);
    assert_int_equal(wr_set_nodes(*state, 2), WR_OK);
    wr_set_consistency(three, WR_CL_QUORUM);
    assert_int_equal(wr_step(three), WR_DONE);
    wr_set_consistency(three, WR_CL_ALL);
    assert_int_equal(wr_step(three), WR_UNAVAILABLE);
    wr_stmt_failure(three, &f);
    assert_int_equal(f.required, 3);
    assert_int_equal(f.alive, 2);
    assert_int_equal(wr_set_nodes(*state, 3), WR_OK);
    assert_int_equal(wr_step(three), WR_DONE);
    wr_set_consistency(one, WR_CL_TWO); /* replicated once, whatever nodes there are */
    assert_int_equal(wr_step(one), WR_UNAVAILABLE);
    wr_finalize(three);
    wr_finalize(one);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_recorded, teardown)
    const struct CMUnitTest tests[] = {
        TEST(failures_have_cassandras_details),
        TEST(failures_reach_the_handle),
        TEST(failures_of_batches),
        TEST(more_nodes_are_more_replicas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
