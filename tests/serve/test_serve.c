/* include/widerow_serve.h: a server in this process. */
#include <sys/resource.h>
#include <sys/wait.h>

#include "client.h"

static wr_db *open_memory(void)
{
    wr_db *db;
    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    return db;
}

static int connect_to(uint16_t port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

/* OPTIONS in v4; the opcode of the answer, -1: the connection was closed. */
static int ask_options(int fd)
{
    static const uint8_t options[] = { 4, 0, 0, 1, 5, 0, 0, 0, 0 };
    uint8_t header[9];
    send_all(fd, options, sizeof options);
    return receive_all(fd, header, sizeof header) == sizeof header ? header[4] : -1;
}

static void test_starts_answers_and_stops(void **state)
{
    (void)state;
    wr_db *db = open_memory();
    wr_server *server;
    assert_int_equal(wr_serve_start(db, NULL, &server), WR_OK);
    assert_string_equal(wr_serve_error(server), "");
    assert_int_not_equal(wr_serve_port(server), 0);
    int fd = connect_to(wr_serve_port(server));
    assert_int_equal(ask_options(fd), 6);
    wr_serve_stop(server);
    char byte;
    while (recv(fd, &byte, 1, 0) > 0) /* what is left of the answer, then the end */
        ;
    close(fd);
    assert_int_equal(wr_exec(db, "SELECT key FROM system.local", NULL, NULL), WR_OK); /* the database stays */
    assert_int_equal(wr_close(db), WR_OK);
}

/* A socket of IPv6 that takes IPv4, too. */
static void test_who_comes_by_ipv4_is_told_so(void **state)
{
    static const char row[] = "\0\0\0\4\177\0\0\1\0\0\0\011localhost";
    (void)state;
    wr_db *db = open_memory();
    wr_server *server;
    struct wr_serve_options options = WR_SERVE_OPTIONS_INIT;
    options.host = "::";
    options.allow_remote = true;
    if (wr_serve_start(db, &options, &server) == WR_OK) { /* not every machine has IPv6 */
        struct client *client = client_open(server);
        assert_int_equal(ask(client, "SELECT address, hostname FROM system_views.clients"), OP_RESULT);
        assert_memory_equal(client->body + client->len - (sizeof row - 1), row, sizeof row - 1);
        client_close(client);
    }
    wr_serve_stop(server);
    wr_close(db);
}

/* As what cleans up at a program's end does. */
static void test_a_child_that_was_forked_leaves_it_to_the_parent(void **state)
{
    (void)state;
    wr_db *db = open_memory();
    wr_server *server;
    int status;
    assert_int_equal(wr_serve_start(db, NULL, &server), WR_OK);
    int fd = connect_to(wr_serve_port(server));
    assert_int_equal(ask_options(fd), 6);
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        wr_serve_stop(server);
        _exit(wr_close(db) != WR_OK);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(fd);
    fd = connect_to(wr_serve_port(server));
    assert_int_equal(ask_options(fd), 6);
    close(fd);
    wr_serve_stop(server);
    assert_int_equal(wr_close(db), WR_OK);
}

static void test_where_no_file_can_be_opened_it_says_so(void **state)
{
    (void)state;
    wr_db *db = open_memory();
    wr_server *server;
    struct rlimit before, none;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){ 3, before.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    enum wr_status st = wr_serve_start(db, NULL, &server);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_not_equal(st, WR_OK);
    assert_string_equal(wr_serve_error(server), "too many open files");
    wr_serve_stop(server);
    assert_int_equal(wr_close(db), WR_OK);
}

static void test_several_at_once_and_one_after_the_other(void **state)
{
    (void)state;
    for (int round = 0; round < 5; round++) {
        wr_db *first_db = open_memory(), *second_db = open_memory();
        wr_server *first, *second;
        assert_int_equal(wr_serve_start(first_db, NULL, &first), WR_OK);
        assert_int_equal(wr_serve_start(second_db, NULL, &second), WR_OK);
        assert_int_not_equal(wr_serve_port(first), wr_serve_port(second));
        int fd = connect_to(wr_serve_port(second));
        assert_int_equal(ask_options(fd), 6);
        close(fd);
        wr_serve_stop(first);
        wr_serve_stop(second);
        assert_int_equal(wr_close(first_db), WR_OK);
        assert_int_equal(wr_close(second_db), WR_OK);
    }
}

static void test_the_handle_may_be_closed_before(void **state)
{
    (void)state;
    wr_db *db = open_memory();
    wr_server *server;
    assert_int_equal(wr_serve_start(db, NULL, &server), WR_OK);
    assert_int_equal(wr_close(db), WR_OK);
    int fd = connect_to(wr_serve_port(server));
    assert_int_equal(ask_options(fd), 6);
    close(fd);
    wr_serve_stop(server);
}

static void test_a_port_that_is_taken(void **state)
{
    (void)state;
    wr_db *db = open_memory();
    wr_server *server, *other;
    struct wr_serve_options options = WR_SERVE_OPTIONS_INIT;
    assert_int_equal(wr_serve_start(db, NULL, &server), WR_OK);
    options.port = wr_serve_port(server);
    assert_int_equal(wr_serve_start(db, &options, &other), WR_IO);
    assert_non_null(strstr(wr_serve_error(other), "address already in use"));
    wr_serve_stop(other);
    wr_serve_stop(server);
    wr_close(db);
}

static void test_only_this_machine_unless_told(void **state)
{
    (void)state;
    wr_db *db = open_memory();
    wr_server *server;
    struct wr_serve_options options = WR_SERVE_OPTIONS_INIT;
    options.host = "0.0.0.0";
    assert_int_equal(wr_serve_start(db, &options, &server), WR_MISUSE);
    assert_non_null(strstr(wr_serve_error(server), "only this machine's own addresses"));
    wr_serve_stop(server);
    options.allow_remote = true;
    assert_int_equal(wr_serve_start(db, &options, &server), WR_OK);
    wr_serve_stop(server);
    options.size = 4;
    assert_int_equal(wr_serve_start(db, &options, &server), WR_MISUSE);
    wr_serve_stop(server);
    wr_serve_stop(NULL);
    wr_close(db);
}

static void test_more_connections_than_are_allowed(void **state)
{
    (void)state;
    wr_db *db = open_memory();
    wr_server *server;
    uint8_t header[9];
    struct wr_serve_options options = WR_SERVE_OPTIONS_INIT;
    options.connections_max = 2;
    assert_int_equal(wr_serve_start(db, &options, &server), WR_OK);
    int first = connect_to(wr_serve_port(server)), second = connect_to(wr_serve_port(server));
    assert_int_equal(ask_options(first), 6);
    assert_int_equal(ask_options(second), 6);
    int third = connect_to(wr_serve_port(server));
    assert_int_equal(receive_all(third, header, sizeof header), sizeof header);
    assert_int_equal(header[4], 0); /* ERROR */
    close(first);
    close(second);
    close(third);
    wr_serve_stop(server);
    wr_close(db);
}

/* ---- a change of the schema that the server has not been told of yet ---- */

struct early { /* a listener from before the server's */
    struct client *client;
    uint8_t execute[2 + 16 + 3]; /* id, ONE, SKIP_METADATA */
    int executed, prepared;
    uint32_t error, columns;
};

static uint32_t read_u32(const char *at)
{
    const uint8_t *b = (const uint8_t *)at;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void prepare_star(struct client *client)
{
    static const char body[] = "\0\0\0\033SELECT * FROM k.t WHERE p=1";
    send_frame(client, OP_PREPARE, body, sizeof body - 1);
    assert_int_equal(receive(client), OP_RESULT);
}

static void run_early(void *arg, const struct wr_schema_change *change)
{
    struct early *early = arg;
    (void)change;
    send_frame(early->client, OP_EXECUTE, early->execute, sizeof early->execute);
    early->executed = receive(early->client);
    early->error = read_u32(early->client->body);
    prepare_star(early->client);
    early->columns = read_u32(early->client->body + 4 + 2 + 16 + 12 + 4); /* behind kind, id and no markers: flags, then the columns */
}

/* A client has been told of two columns, and a run's would be three. It is told to prepare again, as those are who come when the server knows. */
static void test_rows_are_of_the_columns_that_were_told(void **state)
{
    (void)state;
    wr_db *db = open_memory();
    wr_server *server;
    struct early early = { .executed = -1 };
    assert_int_equal(wr_exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
                                 "CREATE TABLE k.t (p int PRIMARY KEY, v int); INSERT INTO k.t (p, v) VALUES (1, 2)", NULL, NULL), WR_OK);
    assert_int_equal(wr_on_schema_change(db, run_early, &early), WR_OK);
    assert_int_equal(wr_serve_start(db, NULL, &server), WR_OK);
    early.client = client_open(server);
    prepare_star(early.client);
    memcpy(early.execute, early.client->body + 4, 2 + 16);
    memcpy(early.execute + 18, "\0\1\2", 3);
    send_frame(early.client, OP_EXECUTE, early.execute, sizeof early.execute);
    assert_int_equal(receive(early.client), OP_RESULT);
    assert_int_equal(wr_exec(db, "ALTER TABLE k.t ADD w int", NULL, NULL), WR_OK);
    assert_int_equal(early.executed, OP_ERROR);
    assert_int_equal(early.error, 0x2500);
    assert_int_equal(early.columns, 3);
    wr_on_schema_change(db, NULL, &early);
    client_close(early.client);
    wr_serve_stop(server);
    wr_close(db);
}

/* What the library tells comes whole, of what is prepared too. */
static void test_a_long_error_is_not_cut(void **state)
{
    (void)state;
    enum { NAME = 3500 };
    static char body[4 + NAME + 64];
    wr_db *db = open_memory();
    wr_server *server;
    assert_int_equal(wr_exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
                                 "CREATE TABLE k.t (p int PRIMARY KEY)", NULL, NULL), WR_OK);
    assert_int_equal(wr_serve_start(db, NULL, &server), WR_OK);
    struct client *client = client_open(server);
    char *text = body + 4, *name = text + sprintf(text, "SELECT ");
    memset(name, 'x', NAME);
    size_t len = (size_t)(name + NAME + sprintf(name + NAME, " FROM k.t") - text);
    body[2] = (char)(len >> 8);
    body[3] = (char)len;
    send_frame(client, OP_PREPARE, body, 4 + len);
    assert_int_equal(receive(client), OP_ERROR);
    assert_int_equal((uint8_t)client->body[4] << 8 | (uint8_t)client->body[5], sizeof "Undefined column name  in table k.t" - 1 + NAME);
    client_close(client);
    wr_serve_stop(server);
    wr_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_starts_answers_and_stops), cmocka_unit_test(test_who_comes_by_ipv4_is_told_so),
        cmocka_unit_test(test_a_child_that_was_forked_leaves_it_to_the_parent),
        cmocka_unit_test(test_where_no_file_can_be_opened_it_says_so),
        cmocka_unit_test(test_several_at_once_and_one_after_the_other),
        cmocka_unit_test(test_the_handle_may_be_closed_before), cmocka_unit_test(test_a_port_that_is_taken),
        cmocka_unit_test(test_only_this_machine_unless_told), cmocka_unit_test(test_more_connections_than_are_allowed),
        cmocka_unit_test(test_rows_are_of_the_columns_that_were_told), cmocka_unit_test(test_a_long_error_is_not_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
