/* tools/serve/session.h, promise 2, and run_briefly: what the loop runs itself, and that nobody waits for what takes long. */
#include <pthread.h>

#include "client.h"

enum { WARM_RUNS = 100, PIPELINED = 300, ID_LEN = 16, KIND_ROWS = 2, ROWS_MANY = 3000,
       THREADS = 3, SLOW = 8 /* more than those */ };

/* ---- a database that is served, with a function that does not return before it is told to ---- */

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool may_leave;
    unsigned entries;
};

static void wait_at_gate(wr_call *call, void *arg)
{
    struct gate *gate = arg;
    pthread_mutex_lock(&gate->lock);
    gate->entries++;
    pthread_cond_broadcast(&gate->changed);
    while (!gate->may_leave)
        pthread_cond_wait(&gate->changed, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
    wr_return_value(call, wr_call_arg(call, 0));
}

static void gate_wait_for_entries(struct gate *gate, unsigned entries)
{
    pthread_mutex_lock(&gate->lock);
    while (gate->entries < entries)
        pthread_cond_wait(&gate->changed, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}

static void gate_open(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->may_leave = true;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

struct served {
    wr_db *db;
    wr_server *server;
    struct client *client;
    struct gate gate;
};

static int set_up(void **state)
{
    struct served *it = *state = calloc(1, sizeof *it);
    pthread_mutex_init(&it->gate.lock, NULL);
    pthread_cond_init(&it->gate.changed, NULL);
    struct wr_function slow = { "k", "slow", "int", "int", 0, wait_at_gate, &it->gate, NULL };
    struct wr_serve_options options = WR_SERVE_OPTIONS_INIT;
    options.threads = THREADS;
    assert_int_equal(wr_open(NULL, NULL, &it->db), WR_OK);
    assert_int_equal(wr_exec(it->db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
                                     "CREATE TABLE k.t (p int, c int, v int, PRIMARY KEY (p, c))", NULL, NULL), WR_OK);
    assert_int_equal(wr_function_register(it->db, &slow), WR_OK);
    assert_int_equal(wr_serve_start(it->db, &options, &it->server), WR_OK);
    it->client = client_open(it->server);
    return 0;
}

static int tear_down(void **state)
{
    struct served *it = *state;
    client_close(it->client);
    wr_serve_stop(it->server);
    wr_close(it->db);
    pthread_cond_destroy(&it->gate.changed);
    pthread_mutex_destroy(&it->gate.lock);
    free(it);
    return 0;
}

/* ---- EXECUTE ---- */

struct statement {
    char id[ID_LEN];
};

static void put_int(uint8_t *at, uint32_t n)
{
    memcpy(at, (uint8_t[]){ (uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n }, 4);
}

static uint32_t int_at(const char *at)
{
    uint32_t n;
    memcpy(&n, at, sizeof n);
    return ntohl(n);
}

static struct statement prepare(struct client *client, const char *text)
{
    enum { ID_AT = 6 }; /* behind the kind and the id's length */
    struct statement statement;
    size_t len = strlen(text);
    uint8_t *body = malloc(len + 4);
    assert_non_null(body);
    put_int(body, (uint32_t)len);
    memcpy(body + 4, text, len);
    send_frame(client, OP_PREPARE, body, len + 4);
    free(body);
    assert_int_equal(receive(client), OP_RESULT);
    memcpy(statement.id, client->body + ID_AT, ID_LEN);
    return statement;
}

enum { EXECUTE_MAX = 100 };

/* The frame of a run with ints, on a stream; how long it is. */
static size_t put_execute(uint8_t frame[EXECUTE_MAX], struct statement statement, uint16_t stream, const int *values, unsigned count)
{
    uint8_t *at = frame + 9;
    memcpy(at, "\0\020", 2);
    memcpy(at += 2, statement.id, ID_LEN);
    memcpy(at += ID_LEN, "\0\1\1\0", 4); /* ONE; there are values */
    at += 4;
    *at++ = (uint8_t)count;
    for (unsigned i = 0; i < count; i++, at += 8) {
        put_int(at, 4);
        put_int(at + 4, (uint32_t)values[i]);
    }
    memcpy(frame, (uint8_t[]){ 4, 0, (uint8_t)(stream >> 8), (uint8_t)stream, OP_EXECUTE }, 5);
    put_int(frame + 5, (uint32_t)(at - frame - 9));
    return (size_t)(at - frame);
}

static void send_execute(struct client *client, struct statement statement, const int *values, unsigned count)
{
    uint8_t frame[EXECUTE_MAX];
    size_t len = put_execute(frame, statement, 1, values, count);
    send_all(client->fd, frame, len);
}

static int execute(struct client *client, struct statement statement, const int *values, unsigned count)
{
    send_execute(client, statement, values, count);
    return receive(client);
}

#define INTS(...) (const int[]){ __VA_ARGS__ }, sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int)

/* Until it is known to be quick. */
static void warm(struct client *client, struct statement statement, const int *values, unsigned count)
{
    for (int i = 0; i < WARM_RUNS; i++)
        assert_int_equal(execute(client, statement, values, count), OP_RESULT);
}

/* ---- the tests ---- */

/* All in one write or cut anywhere, each is answered on its stream with its own row. */
static void test_many_at_once_are_all_answered(void **state)
{
    struct served *it = *state;
    struct statement insert = prepare(it->client, "INSERT INTO k.t (p, c, v) VALUES (?, ?, ?)");
    struct statement select = prepare(it->client, "SELECT v FROM k.t WHERE p = ? AND c = ?");
    for (int i = 0; i < PIPELINED; i++)
        assert_int_equal(execute(it->client, insert, INTS(i, 1, 7 * i)), OP_RESULT);
    warm(it->client, select, INTS(1, 1));
    uint8_t *frames = malloc((size_t)PIPELINED * EXECUTE_MAX);
    assert_non_null(frames);
    for (size_t piece = 1 << 20; piece; piece /= 40) { /* the last ones cut most frames several times */
        size_t len = 0;
        bool seen[PIPELINED] = { false };
        for (int i = 0; i < PIPELINED; i++)
            len += put_execute(frames + len, select, (uint16_t)i, INTS(i, 1));
        for (size_t at = 0, n; at < len; at += n) {
            n = len - at < piece ? len - at : piece;
            send_all(it->client->fd, frames + at, n);
        }
        for (int i = 0; i < PIPELINED; i++) {
            assert_int_equal(receive(it->client), OP_RESULT);
            int stream = it->client->stream;
            assert_in_range(stream, 0, PIPELINED - 1);
            assert_false(seen[stream]);
            seen[stream] = true;
            assert_int_equal(int_at(it->client->body + it->client->len - 4), 7 * stream);
        }
    }
    free(frames);
}

/* The rows of partition 2. */
static void execute_many(struct client *client, struct statement insert)
{
    for (int c = 0; c < ROWS_MANY; c++)
        assert_int_equal(execute(client, insert, INTS(2, c, c)), OP_RESULT);
}

/* The loop gives it up, and a thread gives all of it. */
static void test_a_quick_read_that_has_become_long_is_answered_whole(void **state)
{
    struct served *it = *state;
    struct statement insert = prepare(it->client, "INSERT INTO k.t (p, c, v) VALUES (?, ?, ?)");
    struct statement select = prepare(it->client, "SELECT v FROM k.t WHERE p = ?");
    assert_int_equal(execute(it->client, insert, INTS(1, 0, 1)), OP_RESULT);
    warm(it->client, select, INTS(1));
    execute_many(it->client, insert);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(execute(it->client, select, INTS(2)), OP_RESULT);
        assert_int_equal(int_at(it->client->body), KIND_ROWS);
        assert_int_equal(it->client->len, 23 + 4 + ROWS_MANY * 8);
        assert_int_equal(int_at(it->client->body + it->client->len - 4), ROWS_MANY - 1);
        assert_int_equal(execute(it->client, select, INTS(1)), OP_RESULT);
        assert_int_equal(int_at(it->client->body + it->client->len - 4), 1);
    }
}

/* The same of statements that come as texts; what is not bounded is a thread's from the first. */
static void test_texts_are_answered_whole(void **state)
{
    struct served *it = *state;
    char text[100];
    for (int c = 0; c < ROWS_MANY; c++) {
        snprintf(text, sizeof text, "INSERT INTO k.t (p, c, v) VALUES (2, %d, %d)", c, c);
        assert_int_equal(ask(it->client, text), OP_RESULT);
    }
    for (int i = 0; i < WARM_RUNS; i++) {
        assert_int_equal(ask(it->client, "SELECT v FROM k.t WHERE p = 2 AND c = 8"), OP_RESULT);
        assert_int_equal(int_at(it->client->body + it->client->len - 4), 8);
    }
    assert_int_equal(ask(it->client, "SELECT v FROM k.t WHERE p = 2"), OP_RESULT);
    assert_int_equal(it->client->len, 23 + 4 + ROWS_MANY * 8);
    assert_int_equal(ask(it->client, "SELECT count(*) FROM k.t"), OP_RESULT);
    assert_int_equal(int_at(it->client->body + it->client->len - 4), ROWS_MANY);
    assert_int_equal(ask(it->client, "SELECT nothing FROM k.t WHERE p = 2"), OP_ERROR);
    assert_true(has(it->client, "Undefined column name nothing in table k.t"));
}

/* While one connection's write holds the writer and another's waits for it, a third one reads. */
static void test_a_write_that_takes_long_holds_up_no_reads(void **state)
{
    struct served *it = *state;
    struct client *slow = client_open(it->server), *writer = client_open(it->server);
    struct statement insert = prepare(it->client, "INSERT INTO k.t (p, c, v) VALUES (?, ?, ?)");
    struct statement select = prepare(it->client, "SELECT v FROM k.t WHERE p = ? AND c = ?");
    warm(it->client, insert, INTS(1, 1, 5));
    warm(it->client, select, INTS(1, 1));
    send_query(slow, "UPDATE k.t SET v = k.slow(6) WHERE p = 1 AND c = 2");
    gate_wait_for_entries(&it->gate, 1);
    send_execute(writer, insert, INTS(1, 3, 7));
    for (int i = 0; i < WARM_RUNS; i++) {
        assert_int_equal(execute(it->client, select, INTS(1, 1)), OP_RESULT);
        assert_int_equal(int_at(it->client->body + it->client->len - 4), 5);
    }
    gate_open(&it->gate);
    assert_int_equal(receive(slow), OP_RESULT);
    assert_int_equal(receive(writer), OP_RESULT);
    for (int c = 2; c <= 3; c++) {
        assert_int_equal(execute(it->client, select, INTS(1, c)), OP_RESULT);
        assert_int_equal(int_at(it->client->body + it->client->len - 4), 4 + (c == 2 ? 2 : 3));
    }
    client_close(slow);
    client_close(writer);
}

/* However many writes wait for one that takes long, reads go on: known ones, texts, those never seen before. */
static void test_writes_that_wait_hold_up_no_reads(void **state)
{
    struct served *it = *state;
    struct client *slow = client_open(it->server), *writers[SLOW];
    assert_int_equal(ask(it->client, "INSERT INTO k.t (p, c, v) VALUES (1, 1, 5)"), OP_RESULT);
    struct statement select = prepare(it->client, "SELECT v FROM k.t WHERE p = ? AND c = ?");
    warm(it->client, select, INTS(1, 1));
    send_query(slow, "UPDATE k.t SET v = k.slow(6) WHERE p = 1 AND c = 2");
    gate_wait_for_entries(&it->gate, 1);
    for (int i = 0; i < SLOW; i++)
        send_query(writers[i] = client_open(it->server), "INSERT INTO k.t (p, c, v) VALUES (2, 2, 2)");
    for (int i = 0; i < WARM_RUNS; i++) {
        assert_int_equal(execute(it->client, select, INTS(1, 1)), OP_RESULT);
        assert_int_equal(ask(it->client, "SELECT v FROM k.t WHERE p = 1 AND c = 1"), OP_RESULT);
    }
    prepare(it->client, "SELECT c, v FROM k.t WHERE p = ? AND c = ?");
    gate_open(&it->gate);
    assert_int_equal(receive(slow), OP_RESULT);
    client_close(slow);
    for (int i = 0; i < SLOW; i++) {
        assert_int_equal(receive(writers[i]), OP_RESULT);
        client_close(writers[i]);
    }
}

/* The same of scans, by text or prepared, of which there are more than threads; and they all come to their end. */
static void test_scans_hold_up_no_short_reads(void **state)
{
    struct served *it = *state;
    struct client *scanners[SLOW];
    static const char scan[] = "SELECT k.slow(v) FROM k.t";
    assert_int_equal(ask(it->client, "INSERT INTO k.t (p, c, v) VALUES (1, 1, 5)"), OP_RESULT);
    struct statement select = prepare(it->client, "SELECT v FROM k.t WHERE p = ? AND c = ?"), all = prepare(it->client, scan);
    warm(it->client, select, INTS(1, 1));
    for (int i = 0; i < SLOW; i++) {
        scanners[i] = client_open(it->server);
        if (i % 2)
            send_execute(scanners[i], all, NULL, 0);
        else
            send_query(scanners[i], scan);
    }
    gate_wait_for_entries(&it->gate, 1);
    for (int i = 0; i < WARM_RUNS; i++) {
        assert_int_equal(execute(it->client, select, INTS(1, 1)), OP_RESULT);
        assert_int_equal(ask(it->client, "SELECT v FROM k.t WHERE p = 1 AND c = 1"), OP_RESULT);
        assert_int_equal(int_at(it->client->body + it->client->len - 4), 5);
    }
    struct statement fresh = prepare(it->client, "SELECT v, c FROM k.t WHERE p = ? AND c = ?"); /* it has never been run */
    assert_int_equal(execute(it->client, fresh, INTS(1, 1)), OP_RESULT);
    gate_open(&it->gate);
    for (int i = 0; i < SLOW; i++) {
        assert_int_equal(receive(scanners[i]), OP_RESULT);
        assert_int_equal(int_at(scanners[i]->body + scanners[i]->len - 4), 5);
        client_close(scanners[i]);
    }
}

/* So that drivers can connect: they read these whole, and give up after two seconds. */
static void test_scans_hold_up_no_reads_of_the_schema(void **state)
{
    struct served *it = *state;
    static const char *const reads[] = { "SELECT * FROM system.local", "SELECT * FROM system.peers_v2", "SELECT * FROM system_schema.columns",
                                         "SELECT * FROM system_virtual_schema.columns" };
    struct client *scanners[SLOW];
    assert_int_equal(wr_exec(it->db, "INSERT INTO k.t (p, c, v) VALUES (1, 1, 5)", NULL, NULL), WR_OK);
    for (int i = 0; i < 150; i++) { /* more columns than a short read gives rows */
        char text[200];
        snprintf(text, sizeof text, "CREATE TABLE k.wide%d (p int PRIMARY KEY, a int, b int, c int, d int, e int, f int, g int)", i);
        assert_int_equal(wr_exec(it->db, text, NULL, NULL), WR_OK);
    }
    for (int i = 0; i < SLOW; i++) {
        scanners[i] = client_open(it->server);
        send_query(scanners[i], "SELECT k.slow(v) FROM k.t");
    }
    gate_wait_for_entries(&it->gate, 1);
    for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++)
        assert_int_equal(ask(it->client, reads[i]), OP_RESULT);
    gate_open(&it->gate);
    for (int i = 0; i < SLOW; i++) {
        assert_int_equal(receive(scanners[i]), OP_RESULT);
        client_close(scanners[i]);
    }
}

static void test_reads_that_nobody_waits_for_are_not_run(void **state)
{
    struct served *it = *state;
    static const char scan[] = "SELECT k.slow(v) FROM k.t";
    struct client *gone = client_open(it->server);
    assert_int_equal(ask(it->client, "INSERT INTO k.t (p, c, v) VALUES (1, 1, 5)"), OP_RESULT);
    struct statement all = prepare(gone, scan);
    for (int i = 0; i < SLOW; i++) {
        send_query(gone, scan);
        send_execute(gone, all, NULL, 0);
    }
    gate_wait_for_entries(&it->gate, 1);
    client_close(gone);
    for (int i = 0; i < 3; i++) /* by then the loop has seen that */
        assert_int_equal(ask(it->client, "SELECT v FROM k.t WHERE p = 1 AND c = 1"), OP_RESULT);
    gate_open(&it->gate);
    assert_int_equal(ask(it->client, scan), OP_RESULT);
    wr_serve_stop(it->server); /* which waits for what still runs */
    it->server = NULL;
    assert_in_range(it->gate.entries, 2, THREADS + 1);
}

/* Of each read the row at which its client went, and a few. */
static void test_reads_that_nobody_waits_for_any_more_end(void **state)
{
    struct served *it = *state;
    static const char rows[] = "SELECT k.slow(v) FROM k.t", one[] = "SELECT max(k.slow(v)) FROM k.t";
    struct client *gone = client_open(it->server);
    execute_many(it->client, prepare(it->client, "INSERT INTO k.t (p, c, v) VALUES (?, ?, ?)"));
    struct statement all = prepare(gone, rows);
    send_query(gone, one);
    send_query(gone, rows);
    send_execute(gone, all, NULL, 0);
    gate_wait_for_entries(&it->gate, THREADS);
    client_close(gone);
    for (int i = 0; i < 3; i++) /* by then the loop has seen that */
        assert_int_equal(ask(it->client, "SELECT v FROM k.t WHERE p = 1 AND c = 1"), OP_RESULT);
    gate_open(&it->gate);
    wr_serve_stop(it->server); /* which waits for what still runs */
    it->server = NULL;
    assert_in_range(it->gate.entries, THREADS, ROWS_MANY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_many_at_once_are_all_answered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_quick_read_that_has_become_long_is_answered_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_texts_are_answered_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_write_that_takes_long_holds_up_no_reads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_writes_that_wait_hold_up_no_reads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_scans_hold_up_no_short_reads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_scans_hold_up_no_reads_of_the_schema, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_reads_that_nobody_waits_for_are_not_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_reads_that_nobody_waits_for_any_more_end, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
