/* The server where memory runs out: whoever asks is answered, as ever or with an error, or sees the connection end, and the next one is served. */
#include "client.h"

#include "engine/rig.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/time.h>

/* ---- the allocation that fails: of the server or of the library, which the linker leads here ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *at, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *at, size_t size);

static atomic_bool armed, has_failed;
static atomic_long allocations;   /* since it was armed */
static long first_failing, failing; /* from which on, and how many */
static _Thread_local bool is_client;

static bool fails(void)
{
    if (is_client || !atomic_load(&armed))
        return false;
    long n = atomic_fetch_add(&allocations, 1);
    bool it_does = n >= first_failing && n < first_failing + failing;
    if (it_does)
        atomic_store(&has_failed, true);
    return it_does;
}

static void arm(long first)
{
    first_failing = first;
    atomic_store(&allocations, 0);
    atomic_store(&has_failed, false);
    atomic_store(&armed, true);
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *at, size_t size)
{
    return fails() ? NULL : __real_realloc(at, size);
}

/* ---- a client that the server may leave ---- */

enum { OP_OPTIONS = 5, OP_BATCH = 0x0d, PATIENCE_S = 20, LONG_BYTES = 200000, PIPELINED = 20 };

struct guest {
    int fd;
    bool left; /* the connection has ended */
    uint8_t opcode;
    uint8_t body[64]; /* its beginning */
};

static bool take(struct guest *guest, void *out, size_t len)
{
    for (size_t got = 0; got < len && !guest->left;) {
        ssize_t n = recv(guest->fd, (uint8_t *)out + got, len - got, 0);
        assert_false(n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)); /* nobody answers, and nobody says so */
        guest->left = n <= 0;
        got += n > 0 ? (size_t)n : 0;
    }
    return !guest->left;
}

static void wait_for_answer(struct guest *guest)
{
    uint8_t header[9], rest[4096];
    do {
        if (!take(guest, header, sizeof header))
            return;
        guest->opcode = header[4];
        size_t left = (size_t)header[5] << 24 | (size_t)header[6] << 16 | (size_t)header[7] << 8 | header[8];
        for (bool first = true; left; first = false) {
            size_t n = left < sizeof rest ? left : sizeof rest;
            if (!take(guest, rest, n))
                return;
            if (first)
                memcpy(guest->body, rest, n < sizeof guest->body ? n : sizeof guest->body);
            left -= n;
        }
    } while (guest->opcode == OP_EVENT);
}

static void say(struct guest *guest, uint8_t opcode, const void *body, size_t len)
{
    uint8_t header[9] = { 4, 0, 0, 1, opcode, (uint8_t)(len >> 24), (uint8_t)(len >> 16), (uint8_t)(len >> 8), (uint8_t)len };
    const uint8_t *const parts[] = { header, body };
    const size_t lens[] = { sizeof header, len };

    for (int i = 0; i < 2; i++)
        for (size_t at = 0; at < lens[i] && !guest->left;) {
            ssize_t n = send(guest->fd, parts[i] + at, lens[i] - at, MSG_NOSIGNAL);
            guest->left = n <= 0;
            at += n > 0 ? (size_t)n : 0;
        }
}

static void request(struct guest *guest, uint8_t opcode, const void *body, size_t len)
{
    say(guest, opcode, body, len);
    wait_for_answer(guest);
}

static size_t query_body(uint8_t *body, const char *query)
{
    size_t len = strlen(query);
    memcpy(body, (uint8_t[]){ (uint8_t)(len >> 24), (uint8_t)(len >> 16), (uint8_t)(len >> 8), (uint8_t)len }, 4);
    memcpy(body + 4, query, len);
    memcpy(body + 4 + len, "\0\1\0", 3); /* ONE, no flags */
    return len + 7;
}

static void say_query(struct guest *guest, const char *query)
{
    static uint8_t body[LONG_BYTES + 100];
    say(guest, OP_QUERY, body, query_body(body, query));
}

static void query(struct guest *guest, const char *text)
{
    say_query(guest, text);
    wait_for_answer(guest);
}

/* The beginning of an answer, of all queries that are sent so, as it is with enough memory: what is no error is that. */
enum { ASKED_MAX = 8 };
static struct {
    const char *text;
    uint8_t body[64];
} asked[ASKED_MAX];

static void ask_again(struct guest *guest, const char *text)
{
    size_t i = 0;
    memset(guest->body, 0, sizeof guest->body);
    query(guest, text);
    if (guest->left || guest->opcode != OP_RESULT)
        return;
    while (i < ASKED_MAX && asked[i].text && strcmp(asked[i].text, text) != 0)
        i++;
    assert_true(i < ASKED_MAX);
    if (!asked[i].text) {
        assert_false(atomic_load(&armed)); /* the first is right */
        asked[i].text = text;
        memcpy(asked[i].body, guest->body, sizeof guest->body);
    }
    assert_memory_equal(guest->body, asked[i].body, sizeof guest->body);
}

static void arrive(struct guest *guest, const wr_server *server, bool packed)
{
    static const char plain[] = "\0\1\0\013CQL_VERSION\0\0053.0.0", lz4[] = "\0\2\0\013CQL_VERSION\0\0053.0.0\0\013COMPRESSION\0\003lz4";
    struct timeval patience = { PATIENCE_S, 0 };

    *guest = (struct guest){ .fd = client_connect(server) };
    assert_int_equal(setsockopt(guest->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    request(guest, OP_STARTUP, packed ? lz4 : plain, (packed ? sizeof lz4 : sizeof plain) - 1);
}

/* Prepared, run by itself and in a batch. Only of an answer that is not packed the id can be told. */
static void run_prepared(struct guest *guest)
{
    static const char insert[] = "INSERT INTO k.t (p, c, v) VALUES (2, 1, 'x')";
    uint8_t body[200];
    size_t len = query_body(body, insert) - 3;

    guest->opcode = OP_ERROR;
    request(guest, OP_PREPARE, body, len);
    if (guest->left || guest->opcode != OP_RESULT || guest->body[4] || guest->body[5] != 16)
        return;
    const uint8_t *id = guest->body + 4;
    memcpy(body, id, 18);
    memcpy(body + 18, "\0\1\0", 3);
    uint8_t batch[64] = { 0, 0, 1, 1 };
    memcpy(batch + 4, id, 18);
    memcpy(batch + 22, "\0\0\0\1\0", 5);
    request(guest, OP_EXECUTE, body, 21);
    request(guest, OP_BATCH, batch, 27);
}

/* One connection that asks for about everything, and one that hears of changes. */
static void visit(const wr_server *server, bool packed)
{
    static const char events[] = "\0\1\0\015SCHEMA_CHANGE";
    static char insert[LONG_BYTES + 60];
    struct guest guest, listener;

    arrive(&guest, server, packed);
    arrive(&listener, server, false);
    request(&listener, OP_REGISTER, events, sizeof events - 1);
    request(&guest, OP_OPTIONS, "", 0);
    query(&guest, "USE k");
    void (*ask_for)(struct guest *, const char *) = packed ? query : ask_again; /* of what is packed nothing can be told */
    ask_for(&guest, "SELECT * FROM t WHERE p = 1");
    ask_for(&guest, "SELECT * FROM k.t");
    ask_for(&guest, "SELECT keyspace_name, table_name, comment FROM system_schema.tables WHERE keyspace_name = 'k'");
    query(&guest, "SELECT nothing");
    ask_for(&guest, "CREATE TABLE k.u (a int PRIMARY KEY)");
    ask_for(&guest, "DROP TABLE k.u");
    run_prepared(&guest);
    int begins = snprintf(insert, sizeof insert, "INSERT INTO k.t (p, c, v) VALUES (9, 9, '");
    memset(insert + begins, 'a', LONG_BYTES);
    strcpy(insert + begins + LONG_BYTES, "')");
    query(&guest, insert);
    query(&guest, "SELECT v FROM k.t WHERE p = 9");
    for (int i = 0; i < PIPELINED; i++)
        say_query(&guest, "SELECT * FROM k.t WHERE p = 1");
    for (int i = 0; i < PIPELINED; i++)
        wait_for_answer(&guest);
    close(guest.fd);
    close(listener.fd);
}

static wr_db *open_filled(void)
{
    wr_db *db;
    char statement[2100];

    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    assert_int_equal(wr_exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
                                 "CREATE TABLE k.t (p int, c int, v text, PRIMARY KEY (p, c))", NULL, NULL), WR_OK);
    for (int i = 0; i < 30; i++) {
        int len = snprintf(statement, sizeof statement, "INSERT INTO k.t (p, c, v) VALUES (1, %d, '", i);
        memset(statement + len, 'b', 2000);
        strcpy(statement + len + 2000, "')");
        assert_int_equal(wr_exec(db, statement, NULL, NULL), WR_OK);
    }
    return db;
}

static void is_served(const wr_server *server)
{
    struct client *client = client_open(server);
    assert_int_equal(client->opcode, OP_READY);
    assert_int_equal(ask(client, "SELECT p FROM k.t WHERE p = 1"), OP_RESULT);
    client_close(client);
}

/* The n-th allocation fails, and with it those behind it, for every n until no visit comes to it. */
static void fail_each(long in_a_row)
{
    enum { APART = 3 };
    struct wr_serve_options options = WR_SERVE_OPTIONS_INIT;
    wr_db *db = open_filled();
    wr_server *server;
    int unmet = 0;

    is_client = true;
    rig.mem_blocks_apart = true;
    failing = in_a_row;
    options.threads = 2;
    assert_int_equal(wr_serve_start(db, &options, &server), WR_OK);
    for (int twice = 0; twice < 2; twice++) { /* the first writes what the others see */
        memset(asked, 0, sizeof asked);
        visit(server, false);
    }
    wr_serve_stop(server);
    for (long n = 0; unmet < 4; n += 1 + n / 60 * APART) {
        assert_int_equal(wr_serve_start(db, &options, &server), WR_OK); /* one that has no buffers yet */
        arm(n);
        visit(server, n % 2);
        atomic_store(&armed, false);
        unmet = atomic_load(&has_failed) ? 0 : unmet + 1;
        is_served(server);
        wr_serve_stop(server);
    }
    assert_int_equal(wr_close(db), WR_OK);
}

static void an_allocation_that_fails_leaves_nobody_waiting(void **state)
{
    (void)state;
    fail_each(1);
}

/* So that there is no room for the answer that tells it, either. */
static void several_that_fail_leave_nobody_waiting(void **state)
{
    (void)state;
    fail_each(3);
}

static void a_server_that_does_not_start_leaves_nothing(void **state)
{
    wr_db *db = open_filled();
    enum wr_status st = WR_NOMEM;
    (void)state;

    is_client = false; /* this thread's are the server's */
    failing = 1;
    for (long n = 0; st != WR_OK; n++) {
        wr_server *server = NULL;
        arm(n);
        st = wr_serve_start(db, NULL, &server);
        atomic_store(&armed, false);
        if (st == WR_OK)
            is_served(server);
        wr_serve_stop(server);
    }
    assert_int_equal(wr_close(db), WR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_allocation_that_fails_leaves_nobody_waiting),
        cmocka_unit_test(several_that_fail_leave_nobody_waiting),
        cmocka_unit_test(a_server_that_does_not_start_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
