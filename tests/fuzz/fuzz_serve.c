/*
 * A whole server and what a client may send it: greeted in a version and with a compression or not at all, then bytes as they are, or requests
 * under headers that fit them. Nothing may crash, and the connection must come to its end, which is that of the input.
 *
 *   input  how u8 (below) | the rest: as it is, or with FRAMED a list of  opcode u8 | flags u8 | length u8 | body (what is left, of the last one)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tools/serve/frame.h"
#include "widerow_serve.h"

enum how { VERSION_MASK = 3, LZ4 = 4, SNAPPY = 8, GREETED = 16, FRAMED = 32, PIECES = 64 };

static char path[] = "/tmp/fuzz_serve.XXXXXX";
static struct sockaddr_un address = { .sun_family = AF_UNIX };
static wr_db *db;
static wr_server *server;

static void must(int ok, const char *what)
{
    if (ok)
        return;
    perror(what);
    abort();
}

static void stop_server(void)
{
    wr_serve_stop(server);
    wr_close(db);
    unlink(address.sun_path);
    rmdir(path);
}

static void start_server(void)
{
    struct wr_serve_options options = WR_SERVE_OPTIONS_INIT;
    must(mkdtemp(path) != NULL, "mkdtemp");
    snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", path);
    options.socket_path = address.sun_path;
    options.threads = 1;
    must(wr_open(NULL, NULL, &db) == WR_OK, "wr_open");
    must(wr_exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
                     "CREATE TABLE k.t (p int, c int, v text, PRIMARY KEY (p, c));"
                     "INSERT INTO k.t (p, c, v) VALUES (1, 1, 'a'); INSERT INTO k.t (p, c, v) VALUES (1, 2, 'b')", NULL, NULL) == WR_OK, "wr_exec");
    must(wr_serve_start(db, &options, &server) == WR_OK, "wr_serve_start");
    atexit(stop_server);
}

/* ---- what is sent ---- */

static void put_request(struct wire_out *out, unsigned version, uint8_t opcode, uint8_t flags, const uint8_t *body, size_t len)
{
    struct frame_header header = { .version = (uint8_t)version, .flags = flags, .stream = 1, .opcode = opcode, .length = (uint32_t)len };
    frame_header_put(out, &header);
    wire_put(out, body, len);
}

static void put_startup(struct wire_out *out, unsigned version, uint8_t how)
{
    static const char plain[] = "\0\1\0\013CQL_VERSION\0\0053.0.0", more[] = "\0\013COMPRESSION";
    const char *name = how & LZ4 ? "lz4" : how & SNAPPY ? "snappy" : NULL;
    struct wire_out body = { 0 };
    wire_put(&body, plain, sizeof plain - 1);
    if (name) {
        body.data[1] = 2;
        wire_put(&body, more, sizeof more - 1);
        wire_put_string(&body, name);
    }
    put_request(out, version, OP_STARTUP, 0, body.data, body.len);
    wire_out_release(&body);
}

static void put_requests(struct wire_out *out, unsigned version, const uint8_t *data, size_t size)
{
    enum { HEAD = 3 };
    while (size >= HEAD) {
        size_t len = data[2] < size - HEAD ? data[2] : size - HEAD;
        put_request(out, version, data[0], data[1], data + HEAD, len);
        data += HEAD + len;
        size -= HEAD + len;
    }
}

static void send_all(int fd, const struct wire_out *out, size_t piece)
{
    for (size_t at = 0; at < out->len; at += piece)
        if (send(fd, out->data + at, out->len - at < piece ? out->len - at : piece, MSG_NOSIGNAL) < 0)
            return; /* it has had enough */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool is_started;
    struct wire_out greeting = { 0 }, requests = { 0 }, segments = { 0 };
    char answers[4096];
    if (!is_started)
        start_server();
    is_started = true;
    uint8_t how = size ? data[0] : 0;
    unsigned version = 3 + (how & VERSION_MASK) % 3;
    bool segmented = version == 5 && how & GREETED;
    if (how & GREETED)
        put_startup(&greeting, version, how);
    if (how & FRAMED)
        put_requests(&requests, version, data + 1, size - 1);
    else if (size)
        wire_put(&requests, data + 1, size - 1);
    if (segmented && how & FRAMED)
        segment_put(&segments, requests.data, requests.len, how & LZ4);

    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    must(fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0, "connect");
    send_all(fd, &greeting, SIZE_MAX / 2);
    if (segmented) /* what comes behind the greeting is in segments: it has to be read first */
        recv(fd, answers, sizeof answers, 0);
    send_all(fd, segments.len ? &segments : &requests, how & PIECES ? 7 : SIZE_MAX / 2);
    shutdown(fd, SHUT_WR);
    while (recv(fd, answers, sizeof answers, 0) > 0)
        ;
    close(fd);
    wire_out_release(&greeting);
    wire_out_release(&requests);
    wire_out_release(&segments);
    return 0;
}
