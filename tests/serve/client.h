/*
 * client.h - a client of protocol v4, for tests: one request after the other, or many before the first answer. Whatever fails, fails the test.
 */
#ifndef WR_TESTS_SERVE_CLIENT_H
#define WR_TESTS_SERVE_CLIENT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "widerow_serve.h"

enum { OP_ERROR = 0, OP_STARTUP = 1, OP_READY = 2, OP_AUTHENTICATE = 3, OP_QUERY = 7, OP_RESULT = 8, OP_PREPARE = 9, OP_EXECUTE = 0x0a, OP_REGISTER = 0x0b, OP_EVENT = 0x0c,
       OP_AUTH_RESPONSE = 0x0f, OP_AUTH_SUCCESS = 0x10, BODY_MAX = 1 << 16 };

struct client {
    int fd;
    uint8_t opcode; /* of the last answer */
    int stream;
    char body[BODY_MAX + 1]; /* its beginning, and a NUL */
    size_t len;              /* of what is there */
};

/* One call may be interrupted and send less: by the end of a server that this thread has started, where libuv uses io_uring. */
static inline void send_all(int fd, const uint8_t *data, size_t len)
{
    for (ssize_t n; len; data += n, len -= (size_t)n) {
        n = send(fd, data, len, MSG_NOSIGNAL);
        assert_true(n > 0);
    }
}

/* How much has come, of so much, before the end. */
static inline size_t receive_all(int fd, void *out, size_t len)
{
    size_t got = 0;
    for (ssize_t n = 1; got < len && n > 0; got += n > 0 ? (size_t)n : 0)
        n = recv(fd, (uint8_t *)out + got, len - got, MSG_WAITALL);
    return got;
}

/* In one piece: of two, the system keeps the second until the first has come. */
static inline void send_frame(struct client *client, uint8_t opcode, const void *body, size_t len)
{
    const uint8_t header[9] = { 4, 0, 0, 1, opcode, (uint8_t)(len >> 24), (uint8_t)(len >> 16), (uint8_t)(len >> 8), (uint8_t)len };
    uint8_t *whole = malloc(sizeof header + len);
    assert_non_null(whole);
    memcpy(whole, header, sizeof header);
    if (len)
        memcpy(whole + sizeof header, body, len);
    send_all(client->fd, whole, sizeof header + len);
    free(whole);
}

/* The next frame; its opcode. */
static inline int receive(struct client *client)
{
    uint8_t header[9];
    assert_int_equal(receive_all(client->fd, header, sizeof header), sizeof header);
    client->opcode = header[4];
    client->stream = header[2] << 8 | header[3];
    size_t left = (size_t)header[5] << 24 | (size_t)header[6] << 16 | (size_t)header[7] << 8 | header[8];
    client->len = left < BODY_MAX ? left : BODY_MAX;
    for (size_t n = 0; left; left -= n) {
        char rest[BODY_MAX];
        n = left < BODY_MAX ? left : BODY_MAX;
        assert_int_equal(receive_all(client->fd, n == client->len ? client->body : rest, n), n);
    }
    client->body[client->len] = '\0';
    return client->opcode;
}

static inline void send_query(struct client *client, const char *query)
{
    size_t len = strlen(query);
    uint8_t *body = malloc(len + 7);
    assert_non_null(body);
    memcpy(body, (uint8_t[]){ (uint8_t)(len >> 24), (uint8_t)(len >> 16), (uint8_t)(len >> 8), (uint8_t)len }, 4);
    memcpy(body + 4, query, len);
    memcpy(body + 4 + len, "\0\1\0", 3); /* ONE, no flags */
    send_frame(client, OP_QUERY, body, len + 7);
    free(body);
}

static inline int ask(struct client *client, const char *query)
{
    send_query(client, query);
    return receive(client);
}

static inline bool has(const struct client *client, const char *text)
{
    return memmem(client->body, client->len, text, strlen(text));
}

static inline struct client *client_greet_with(int fd, const char *startup, size_t len)
{
    struct client *client = calloc(1, sizeof *client);
    assert_non_null(client);
    client->fd = fd;
    send_frame(client, OP_STARTUP, startup, len);
    receive(client);
    return client;
}

static inline struct client *client_greet(int fd)
{
    static const char startup[] = "\0\1\0\013CQL_VERSION\0\0053.0.0";
    return client_greet_with(fd, startup, sizeof startup - 1);
}

static inline int client_connect(const wr_server *server)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(wr_serve_port(server)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)
    };
    int fd = socket(AF_INET, SOCK_STREAM, 0), at_once = 1; /* as drivers send: what is small does not wait until what is before it has arrived */
    assert_int_equal(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static inline struct client *client_open(const wr_server *server)
{
    return client_greet(client_connect(server));
}

static inline struct client *client_open_path(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return client_greet(fd);
}

static inline void client_register(struct client *client)
{
    static const char events[] = "\0\3\0\015SCHEMA_CHANGE\0\015STATUS_CHANGE\0\017TOPOLOGY_CHANGE";
    send_frame(client, OP_REGISTER, events, sizeof events - 1);
    assert_int_equal(receive(client), OP_READY);
}

static inline void client_close(struct client *client)
{
    close(client->fd);
    free(client);
}

#endif
