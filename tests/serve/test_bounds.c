/* tools/serve/session.h, promise 1, tools/serve/events.h and awaited.h: what a client may make the server hold, for how long, and what it is told. */
#include <time.h>

#include "client.h"

enum { PIPELINED = 32, VALUE_BYTES = 1 << 20, ROWS = 12 };

static wr_server *start(wr_db *db, const struct wr_serve_options *options)
{
    wr_server *server;
    assert_int_equal(wr_serve_start(db, options, &server), WR_OK);
    return server;
}

static wr_db *open_with_table(void)
{
    wr_db *db;
    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    assert_int_equal(wr_exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
                                 "CREATE TABLE k.t (p int, c int, v text, PRIMARY KEY (p, c))", NULL, NULL), WR_OK);
    return db;
}

static char *insert_of(int c)
{
    static const char end[] = "')";
    char *text = malloc(VALUE_BYTES + 100);
    assert_non_null(text);
    int at = snprintf(text, 100, "INSERT INTO k.t (p, c, v) VALUES (1, %d, '", c);
    memset(text + at, 'x', VALUE_BYTES);
    memcpy(text + at + VALUE_BYTES, end, sizeof end);
    return text;
}

/* How many requests of a connection the server has read. */
static int requests_taken(struct client *asks, const struct client *of)
{
    char text[120];
    struct sockaddr_in address;
    socklen_t len = sizeof address;
    uint32_t count;
    assert_int_equal(getsockname(of->fd, (struct sockaddr *)&address, &len), 0);
    snprintf(text, sizeof text, "SELECT request_count FROM system_views.clients WHERE address = '127.0.0.1' AND port = %u", ntohs(address.sin_port));
    assert_int_equal(ask(asks, text), OP_RESULT);
    memcpy(&count, asks->body + asks->len - sizeof count, sizeof count); /* of a bigint, the last value of the one row */
    return (int)ntohl(count);
}

static void hold_back(const struct client *client, int on)
{
    assert_int_equal(setsockopt(client->fd, IPPROTO_TCP, TCP_CORK, &on, sizeof on), 0);
}

static void test_answers_that_nobody_reads_are_bounded(void **state)
{
    (void)state;
    wr_db *db = open_with_table();
    struct wr_serve_options options = WR_SERVE_OPTIONS_INIT;
    options.threads = 1; /* connections take turns, so each answer to one means that one more of the other's requests has been run */
    wr_server *server = start(db, &options);
    struct client *slow = client_open(server), *other = client_open(server);
    for (int c = 0; c < ROWS; c++) {
        char *text = insert_of(c);
        assert_int_equal(wr_exec(db, text, NULL, NULL), WR_OK);
        free(text);
    }
    hold_back(slow, true); /* they come in one piece: what comes behind the first answer would wait for that to be taken */
    for (int i = 0; i < PIPELINED; i++)
        send_query(slow, "SELECT v FROM k.t WHERE p = 1"); /* 12 MiB each, 384 MiB in all */
    hold_back(slow, false);
    for (struct timespec nap = { .tv_nsec = 1000000 }; requests_taken(other, slow) < PIPELINED + 1; nanosleep(&nap, NULL))
        ;
    for (int i = 0; i <= PIPELINED; i++) /* with a filter, so that the loop does not run it itself */
        assert_int_equal(ask(other, "SELECT c FROM k.t WHERE p = 1 AND v > '' LIMIT 1 ALLOW FILTERING"), OP_RESULT);
    int answered = 0, refused = 0;
    for (int i = 0; i < PIPELINED; i++) {
        bool is_result = receive(slow) == OP_RESULT;
        answered += is_result;
        refused += !is_result && has(slow, "256 MiB of answers wait for it");
    }
    assert_int_equal(answered + refused, PIPELINED);
    assert_true(answered >= 256 / ROWS && refused > 0);
    assert_int_equal(ask(slow, "SELECT c FROM k.t WHERE p = 1 LIMIT 1"), OP_RESULT); /* it goes on */
    client_close(slow);
    client_close(other);
    wr_serve_stop(server);
    wr_close(db);
}

static void test_requests_that_wait_are_bounded_and_all_are_answered(void **state)
{
    (void)state;
    wr_db *db = open_with_table();
    wr_server *server = start(db, NULL);
    struct client *client = client_open(server);
    char *text = insert_of(1);
    for (int i = 0; i < 2 * PIPELINED; i++) /* 64 MiB, of which 16 may wait */
        send_query(client, text);
    for (int i = 0; i < 2 * PIPELINED; i++)
        assert_int_equal(receive(client), OP_RESULT);
    free(text);
    client_close(client);
    wr_serve_stop(server);
    wr_close(db);
}

static int prepare_markers(struct client *client, size_t count)
{
    static const char begin[] = "SELECT p FROM k.t WHERE p IN (?";
    size_t len = sizeof begin - 1 + 2 * (count - 1) + 1;
    char *body = malloc(4 + len), *at = body + 4;
    assert_non_null(body);
    memcpy(body, &(uint32_t){ htonl((uint32_t)len) }, 4);
    memcpy(at, begin, sizeof begin - 1);
    at += sizeof begin - 1;
    for (size_t i = 1; i < count; i++, at += 2)
        memcpy(at, ",?", 2);
    *at = ')';
    send_frame(client, OP_PREPARE, body, 4 + len);
    free(body);
    return receive(client);
}

/* QueryProcessor.prepare. */
static void test_no_statement_has_more_markers_than_a_message_counts(void **state)
{
    static const char told[] = "Too many markers(?). 65536 markers exceed the allowed maximum of 65535";
    (void)state;
    wr_db *db = open_with_table();
    wr_server *server = start(db, NULL);
    struct client *client = client_open(server);
    assert_int_equal(prepare_markers(client, UINT16_MAX), OP_RESULT);
    assert_int_equal(prepare_markers(client, UINT16_MAX + 1), OP_ERROR);
    assert_string_equal(client->body + 6, told);
    assert_int_equal(prepare_markers(client, 1), OP_RESULT);
    client_close(client);
    wr_serve_stop(server);
    wr_close(db);
}

static void test_who_does_not_read_events_is_let_go(void **state)
{
    (void)state;
    char path[] = "/tmp/widerow-bounds-XXXXXX", text[80];
    int fd = mkstemp(path), received = 0;
    close(fd);
    unlink(path);
    wr_db *db = open_with_table();
    struct wr_serve_options options = WR_SERVE_OPTIONS_INIT;
    options.socket_path = path; /* the system keeps less for it than for a port */
    wr_server *server = start(db, &options);
    struct client *deaf = client_open_path(path), *other = client_open_path(path);
    client_register(deaf);
    bool gone = false;
    for (int i = 0; i < 200000 && !gone; i++) {
        snprintf(text, sizeof text, "ALTER TABLE k.t WITH comment = '%d'", i);
        assert_int_equal(wr_exec(db, text, NULL, NULL), WR_OK);
        if (i % 1000 == 999) {
            assert_int_equal(ask(other, "SELECT port FROM system_views.clients"), OP_RESULT);
            gone = other->body[other->len - 9] == 1; /* rows: this one alone */
        }
    }
    assert_true(gone);
    while (recv(deaf->fd, text, sizeof text, 0) > 0) /* what the system had taken, then the end */
        received++;
    assert_true(received > 0);
    client_close(deaf);
    client_close(other);
    wr_serve_stop(server);
    wr_close(db);
}

static void test_a_server_that_stops_says_so(void **state)
{
    (void)state;
    wr_db *db = open_with_table();
    wr_server *server = start(db, NULL);
    struct client *client = client_open(server);
    uint16_t port = wr_serve_port(server);
    /* as a Cassandra 5.0.6 that was told to end sent it: [inet] of 4 bytes and the port */
    const char down[] = { 0, 13, 'S', 'T', 'A', 'T', 'U', 'S', '_', 'C', 'H', 'A', 'N', 'G', 'E', 0, 4, 'D', 'O', 'W', 'N', 4, 127, 0, 0, 1, 0, 0,
                          (char)(port >> 8), (char)port };
    client_register(client);
    wr_serve_stop(server);
    assert_int_equal(receive(client), OP_EVENT);
    assert_int_equal(client->len, sizeof down);
    assert_memory_equal(client->body, down, sizeof down);
    assert_int_equal(recv(client->fd, client->body, 1, 0), 0);
    client_close(client);
    wr_close(db);
}

/* Its packed bytes may be few: what it says of its own length is believed. */
static void test_what_is_too_big_unpacked_is_refused_and_no_more(void **state)
{
    (void)state;
    static const char startup[] = "\0\2\0\013CQL_VERSION\0\0053.0.0\0\013COMPRESSION\0\003lz4";
    static const uint8_t packed[] = { 4, 1, 0, 1, OP_QUERY, 0, 0, 0, 6, 1, 0, 0, 1, 0x10, 'x' };
    static const uint8_t broken[] = { 4, 1, 0, 1, OP_QUERY, 0, 0, 0, 6, 1, 0, 0, 0, 0x10, 'x' };
    wr_db *db = open_with_table();
    wr_server *server = start(db, NULL);
    struct client *client = client_greet_with(client_connect(server), startup, sizeof startup - 1);
    send_all(client->fd, packed, sizeof packed);
    assert_int_equal(receive(client), OP_ERROR);
    assert_true(has(client, "Request is too big: length 16777226"));
    send_all(client->fd, broken, sizeof broken);
    assert_int_equal(receive(client), OP_ERROR);
    assert_true(has(client, "The compressed body"));
    assert_int_equal(ask(client, "SELECT * FROM k.t"), OP_RESULT);
    client_close(client);
    wr_serve_stop(server);
    wr_close(db);
}

/* Gives what it is given, two milliseconds later. */
static void nap(wr_call *call, void *arg)
{
    struct timespec while_asleep = { .tv_nsec = 2000000 };
    (void)arg;
    nanosleep(&while_asleep, NULL);
    wr_return_value(call, wr_call_arg(call, 0));
}

static void test_reads_that_take_too_long_end(void **state)
{
    enum { ROWS_LONG = 5000 }; /* ten seconds */
    /* as a Cassandra 5.0.6 whose read_request_timeout was short sent it: the level ONE, none of one response, no data */
    static const char late[] = "\0\0\x12\0\0\060Operation timed out - received only 0 responses.\0\1\0\0\0\0\0\0\0\1";
    static const char *const reads[] = { "SELECT k.nap(c) FROM k.t", "SELECT max(k.nap(c)) FROM k.t WHERE p = 1" };
    enum { READS = sizeof reads / sizeof reads[0] };
    struct wr_function slow = { "k", "nap", "int", "int", 0, nap, NULL, NULL };
    struct wr_serve_options options = WR_SERVE_OPTIONS_INIT;
    struct client *clients[READS];
    char text[80];
    (void)state;
    wr_db *db = open_with_table();
    assert_int_equal(wr_function_register(db, &slow), WR_OK);
    for (int c = 0; c < ROWS_LONG; c++) {
        snprintf(text, sizeof text, "INSERT INTO k.t (p, c) VALUES (1, %d)", c);
        assert_int_equal(wr_exec(db, text, NULL, NULL), WR_OK);
    }
    options.read_timeout_s = 1;
    wr_server *server = start(db, &options);
    for (int i = 0; i < READS; i++)
        send_query(clients[i] = client_open(server), reads[i]);
    for (int i = 0; i < READS; i++) {
        assert_int_equal(receive(clients[i]), OP_ERROR);
        assert_int_equal(clients[i]->len, sizeof late);
        assert_memory_equal(clients[i]->body, late, sizeof late);
        assert_int_equal(ask(clients[i], "SELECT k.nap(c) FROM k.t WHERE p = 1 LIMIT 3"), OP_RESULT); /* the next one has its own time */
        client_close(clients[i]);
    }
    wr_serve_stop(server);
    wr_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers_that_nobody_reads_are_bounded),
        cmocka_unit_test(test_requests_that_wait_are_bounded_and_all_are_answered),
        cmocka_unit_test(test_no_statement_has_more_markers_than_a_message_counts),
        cmocka_unit_test(test_who_does_not_read_events_is_let_go),
        cmocka_unit_test(test_a_server_that_stops_says_so),
        cmocka_unit_test(test_what_is_too_big_unpacked_is_refused_and_no_more),
        cmocka_unit_test(test_reads_that_take_too_long_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
