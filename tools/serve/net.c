/* The one file that includes uv.h. */
#include "net.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <uv.h>

#include "tls.h"

/* Of one connection at most READ_ROOM is read and WRITE_TURN_MAX written, and a little more, before others have their turn; where all of them
 * together took long, half as much is read of each in the next turn, down to READ_ROOM_MIN. */
enum { READ_ROOM = 64 << 10, READ_ROOM_MIN = 2 << 10, TURN_LONG_NS = 4000000, PLAIN_ROOM = 16 << 10 };
enum { WRITE_ROOM = 256 << 10, WRITE_TURN_MAX = 1 << 20, BUFS_MAX = 64, BACKLOG = 1024, TICK_MS = 1000 };

struct net_conn {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    };
    struct net *net;
    void *session;
    uv_write_t request;
    struct chunk *writing;  /* what has been taken and not been written */
    size_t requested;       /* bytes that a uv_write is at; 0: none is */
    struct tls *tls;        /* NULL: none */
    struct chunk *plain;    /* with TLS: what has been taken and not been encrypted */
    size_t encrypted;       /* plain bytes that `writing` is made of */
    bool secured;           /* the handshake is over, and the session has been told */
    bool shaking;           /* another thread is at the handshake, and has the tls for itself until on_shaken */
    bool shook;             /* that it came to no bad end */
    uv_work_t shake;
    bool finishing, reading, closed;
    bool rests;             /* has been read from in this turn, and reads on in the next */
    struct net_conn *next_resting;
    struct net_conn *next, *prev;
};

struct net {
    uv_loop_t loop;
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } listener;
    uv_async_t wake;
    uv_timer_t timer;
    uv_prepare_t turn;
    uv_thread_t thread;
    bool is_path, started;
    bool unaccepted;        /* a connection waits that there was no memory for */
    struct tls_context *tls;
    struct net_handlers handlers;
    struct net_conn *conns;
    struct net_conn *resting;
    size_t room;            /* what is read at once in this turn */
    uint64_t turn_from;     /* uv_hrtime of its first read; 0: there was none */
    uint8_t buffer[READ_ROOM]; /* of the one read that is being handled */
};

void chunk_free_all(struct chunk *first)
{
    while (first) {
        struct chunk *next = first->next;
        free(first->data);
        free(first);
        first = next;
    }
}

/* ---- one connection ---- */

static void conn_free(struct net_conn *conn)
{
    chunk_free_all(conn->writing);
    chunk_free_all(conn->plain);
    tls_close(conn->tls);
    free(conn);
}

static void on_closed(uv_handle_t *handle)
{
    struct net_conn *conn = handle->data;
    conn->closed = true;
    if (!conn->shaking)
        conn_free(conn);
}

static void stop_resting(struct net_conn *conn)
{
    struct net_conn **at = &conn->net->resting;
    while (conn->rests && *at != conn)
        at = &(*at)->next_resting;
    if (conn->rests)
        *at = conn->next_resting;
    conn->rests = false;
}

void net_conn_close(struct net_conn *conn)
{
    if (uv_is_closing(&conn->handle))
        return;
    *(conn->prev ? &conn->prev->next : &conn->net->conns) = conn->next;
    if (conn->next)
        conn->next->prev = conn->prev;
    stop_resting(conn);
    conn->reading = false;
    if (conn->session)
        conn->net->handlers.closed(conn->session); /* first: from then on no other thread writes to the socket */
    conn->session = NULL;
    if (conn->shaking)
        uv_cancel((uv_req_t *)&conn->shake); /* unless a thread has begun it; on_shaken comes in any case */
    uv_close(&conn->handle, on_closed);
}

static void consume(struct net_conn *conn, size_t len)
{
    if (!conn->tls)
        conn->net->handlers.written(conn->session, len);
    while (len) {
        struct chunk *first = conn->writing;
        size_t left = first->len - first->written;
        if (len < left) {
            first->written += len;
            return;
        }
        len -= left;
        conn->writing = first->next;
        first->next = NULL;
        chunk_free_all(first);
    }
    if (conn->encrypted && !conn->writing) {
        len = conn->encrypted;
        conn->encrypted = 0;
        conn->net->handlers.written(conn->session, len);
    }
}

/* What is to go out next, encrypted; NULL: nothing. */
static struct chunk *next_encrypted(struct net_conn *conn)
{
    size_t len, room = WRITE_ROOM;
    if (!conn->plain && tls_is_ready(conn->tls))
        conn->plain = conn->net->handlers.outgoing(conn->session);
    if (!conn->plain && conn->finishing)
        tls_finish(conn->tls);
    while (conn->plain && room) {
        struct chunk *first = conn->plain;
        size_t left = first->len - first->written, n = left < room ? left : room;
        if (!tls_write(conn->tls, first->data + first->written, n))
            conn->finishing = true;
        conn->encrypted += n;
        first->written += n;
        room -= n;
        if (n == left) {
            conn->plain = first->next;
            first->next = NULL;
            chunk_free_all(first);
        }
    }
    uint8_t *data = tls_take(conn->tls, &len);
    struct chunk *chunk = data ? malloc(sizeof *chunk) : NULL;
    if (chunk) {
        *chunk = (struct chunk){ .data = data, .len = len };
    } else if (data) { /* without them what comes next cannot be read */
        free(data);
        conn->finishing = true;
    }
    return chunk;
}

static struct chunk *next_outgoing(struct net_conn *conn)
{
    return conn->tls ? next_encrypted(conn) : conn->net->handlers.outgoing(conn->session);
}

static unsigned gather(struct net_conn *conn, uv_buf_t bufs[BUFS_MAX], size_t *total)
{
    unsigned count = 0;
    *total = 0;
    for (struct chunk *c = conn->writing; c && count < BUFS_MAX && *total < WRITE_ROOM; c = c->next, count++) {
        size_t left = c->len - c->written, n = left < WRITE_ROOM - *total ? left : WRITE_ROOM - *total;
        bufs[count] = uv_buf_init((char *)c->data + c->written, (unsigned)n);
        *total += n;
    }
    return count;
}

static void on_written(uv_write_t *request, int status)
{
    struct net_conn *conn = request->data;
    size_t len = conn->requested;
    conn->requested = 0;
    if (!conn->session)
        return;
    if (status < 0) {
        net_conn_close(conn);
        return;
    }
    consume(conn, len);
    net_conn_write(conn);
}

void net_conn_write(struct net_conn *conn)
{
    uv_buf_t bufs[BUFS_MAX];
    size_t total, written = 0;
    while (!conn->requested && conn->session && !conn->shaking) {
        if (!conn->writing && !(conn->writing = next_outgoing(conn))) {
            if (conn->finishing)
                net_conn_close(conn);
            return;
        }
        unsigned count = gather(conn, bufs, &total);
        int n = written < WRITE_TURN_MAX ? uv_try_write(&conn->stream, bufs, count) : UV_EAGAIN; /* on_written comes in another turn */
        if (n > 0) {
            written += (size_t)n;
            consume(conn, (size_t)n);
        } else if (n == UV_EAGAIN) {
            conn->request.data = conn;
            conn->requested = total;
            if (uv_write(&conn->request, &conn->stream, bufs, count, on_written) < 0) {
                conn->requested = 0;
                net_conn_close(conn);
            }
        } else {
            net_conn_close(conn);
        }
    }
}

int net_conn_socket(struct net_conn *conn)
{
    uv_os_fd_t fd;
    return !conn->tls && uv_fileno(&conn->handle, &fd) == 0 ? fd : -1;
}

size_t net_write_now(int socket, const uint8_t *data, size_t len)
{
    ssize_t n = send(socket, data, len, MSG_DONTWAIT | MSG_NOSIGNAL);
    return n > 0 ? (size_t)n : 0; /* an error will be met again by the loop */
}

static void resume_reading(struct net_conn *conn);

static void on_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    (void)suggested;
    struct net_conn *conn = handle->data;
    if (!conn->net->turn_from)
        conn->net->turn_from = uv_hrtime();
    *buf = uv_buf_init((char *)conn->net->buffer, (unsigned)conn->net->room);
}

static void receive_plain(struct net_conn *conn)
{
    uint8_t plain[PLAIN_ROOM];
    int n;
    while ((n = tls_read(conn->tls, plain, sizeof plain)) > 0)
        if (!conn->finishing)
            conn->net->handlers.received(conn->session, plain, (size_t)n);
    if (n < 0)
        net_conn_finish(conn); /* once the alert that tells why has been sent */
    net_conn_write(conn);
}

static void work_at_handshake(uv_work_t *shake)
{
    struct net_conn *conn = shake->data;
    conn->shook = tls_shake(conn->tls);
}

static void on_shaken(uv_work_t *shake, int status)
{
    struct net_conn *conn = shake->data;
    conn->shaking = false;
    if (conn->closed) {
        conn_free(conn);
        return;
    }
    if (status < 0 || !conn->session)
        return;
    if (conn->shook && tls_is_ready(conn->tls)) {
        conn->secured = true;
        conn->net->handlers.secured(conn->session, tls_protocol(conn->tls), tls_cipher(conn->tls));
        receive_plain(conn); /* that came with the end of the handshake */
    } else {
        if (!conn->shook)
            net_conn_finish(conn);
        net_conn_write(conn);
    }
    resume_reading(conn);
}

/* A handshake takes a millisecond and more of a processor, in which the loop could answer a hundred requests, and a cluster's clients make theirs
 * all at once. It is not the pool's either: who connects has only so much patience, and long requests may have all of its threads. */
static void shake_hands(struct net_conn *conn)
{
    conn->shake.data = conn;
    conn->shaking = true;
    uv_read_stop(&conn->stream);
    uv_queue_work(&conn->net->loop, &conn->shake, work_at_handshake, on_shaken);
}

static void receive_encrypted(struct net_conn *conn, const uint8_t *data, size_t len)
{
    if (!tls_put(conn->tls, data, len))
        net_conn_close(conn);
    else if (conn->secured)
        receive_plain(conn);
    else
        shake_hands(conn);
}

/* Where much has come, libuv would read it all. */
static void rest(struct net_conn *conn)
{
    uv_read_stop(&conn->stream);
    conn->rests = true;
    conn->next_resting = conn->net->resting;
    conn->net->resting = conn;
}

static void on_read(uv_stream_t *stream, ssize_t len, const uv_buf_t *buf)
{
    struct net_conn *conn = stream->data;
    if (len < 0)
        net_conn_close(conn);
    else if (len > 0 && conn->tls)
        receive_encrypted(conn, (const uint8_t *)buf->base, (size_t)len);
    else if (len > 0 && !conn->finishing)
        conn->net->handlers.received(conn->session, (const uint8_t *)buf->base, (size_t)len);
    if (len == (ssize_t)conn->net->room && conn->reading && !conn->rests && !conn->shaking)
        rest(conn);
}

/* As it was told to, unless a handshake is to end first. */
static void resume_reading(struct net_conn *conn)
{
    if (conn->reading && !conn->shaking)
        uv_read_start(&conn->stream, on_buffer, on_read);
}

void net_conn_read(struct net_conn *conn, bool on)
{
    if (conn->reading == on || uv_is_closing(&conn->handle))
        return;
    conn->reading = on;
    stop_resting(conn);
    if (on)
        resume_reading(conn);
    else
        uv_read_stop(&conn->stream);
}

void net_conn_finish(struct net_conn *conn)
{
    conn->finishing = true;
    net_conn_read(conn, false);
}

/* ---- accepting ---- */

/* Who comes by IPv4 to a socket of both is told as by IPv4, as Java's InetAddress has it. */
static void drop_mapping(const struct in6_addr *address, char *text)
{
    const char *colon = strrchr(text, ':');
    if (IN6_IS_ADDR_V4MAPPED(address) && colon)
        memmove(text, colon + 1, strlen(colon));
}

static void describe(const struct sockaddr *address, struct net_address *out)
{
    memset(out, 0, sizeof *out);
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)address;
        uv_ip4_name(in, out->text, sizeof out->text);
        out->port = ntohs(in->sin_port);
    } else if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)address;
        uv_ip6_name(in, out->text, sizeof out->text);
        drop_mapping(&in->sin6_addr, out->text);
        out->port = ntohs(in->sin6_port);
    }
}

static struct net_address peer_of(struct net_conn *conn)
{
    struct sockaddr_storage storage = { 0 };
    int len = sizeof storage;
    struct net_address address = { "127.0.0.1", 0 }; /* of a path: this machine */
    if (!conn->net->is_path && uv_tcp_getpeername(&conn->tcp, (struct sockaddr *)&storage, &len) == 0)
        describe((const struct sockaddr *)&storage, &address);
    return address;
}

static void on_connection(uv_stream_t *listener, int status)
{
    struct net *net = listener->data;
    struct net_conn *conn = status < 0 ? NULL : calloc(1, sizeof *conn);
    net->unaccepted = status == 0 && !conn; /* libuv tells of no other before this one has been accepted */
    if (!conn)
        return;
    conn->net = net;
    if (net->is_path)
        uv_pipe_init(&net->loop, &conn->pipe, 0);
    else
        uv_tcp_init(&net->loop, &conn->tcp);
    conn->handle.data = conn;
    conn->next = net->conns;
    if (conn->next)
        conn->next->prev = conn;
    net->conns = conn;
    if (uv_accept(listener, &conn->stream) < 0) {
        net_conn_close(conn);
        return;
    }
    if (!net->is_path)
        uv_tcp_nodelay(&conn->tcp, 1);
    if (net->tls && !(conn->tls = tls_open(net->tls))) {
        net_conn_close(conn);
        return;
    }
    struct net_address address = peer_of(conn);
    if (!(conn->session = net->handlers.opened(net->handlers.arg, conn, &address)))
        net_conn_close(conn);
    else
        net_conn_read(conn, true);
}

/* ---- the loop ---- */

static void on_wake(uv_async_t *wake)
{
    struct net *net = wake->data;
    net->handlers.woken(net->handlers.arg);
}

static void on_tick(uv_timer_t *timer)
{
    struct net *net = timer->data;
    net->handlers.tick(net->handlers.arg);
    if (net->unaccepted)
        on_connection(&net->listener.stream, 0);
}

static void set_room(struct net *net)
{
    bool is_long = net->turn_from && uv_hrtime() - net->turn_from > TURN_LONG_NS;
    size_t room = is_long ? net->room / 2 : net->turn_from ? net->room * 2 : net->room;
    net->room = room < READ_ROOM_MIN ? READ_ROOM_MIN : room > READ_ROOM ? READ_ROOM : room;
    net->turn_from = 0;
}

static void on_turn(uv_prepare_t *turn)
{
    struct net *net = turn->data;
    set_room(net);
    net->handlers.turn(net->handlers.arg);
    while (net->resting) {
        struct net_conn *conn = net->resting;
        stop_resting(conn);
        resume_reading(conn);
    }
}

static int bind_tcp(struct net *net, const char *host, uint16_t port)
{
    struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM }, *found = NULL;
    char service[8];
    snprintf(service, sizeof service, "%u", port);
    if (getaddrinfo(host, service, &hints, &found) != 0)
        return UV_EADDRNOTAVAIL;
    int st = uv_tcp_bind(&net->listener.tcp, found->ai_addr, 0);
    freeaddrinfo(found);
    return st;
}

/* A server that was killed leaves its socket behind, at which nobody listens any more. */
static bool is_abandoned(const struct sockaddr_un *address)
{
    struct stat file;
    if (lstat(address->sun_path, &file) != 0 || !S_ISSOCK(file.st_mode))
        return false;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    bool refused = fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof *address) < 0 && errno == ECONNREFUSED;
    if (fd >= 0)
        close(fd);
    return refused;
}

/* The folder of the path, which is without a slash in the one where the server was started. */
static bool has_folder(const struct sockaddr_un *address)
{
    struct sockaddr_un folder = *address;
    char *slash = strrchr(folder.sun_path, '/');
    struct stat file;
    if (!slash || slash == folder.sun_path)
        return true;
    *slash = '\0';
    return stat(folder.sun_path, &file) == 0 || errno != ENOENT;
}

static int bind_path(struct net *net, const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path)
        return UV_ENAMETOOLONG; /* libuv would listen at what it has room for */
    memcpy(address.sun_path, path, strlen(path));
    int st = uv_pipe_bind(&net->listener.pipe, path);
    if (st == UV_EADDRINUSE && is_abandoned(&address) && unlink(path) == 0)
        st = uv_pipe_bind(&net->listener.pipe, path);
    /* libuv tells of a folder that is not there as of one that may not be written to */
    return st == UV_EACCES && !has_folder(&address) ? UV_ENOENT : st;
}

static int listen_at(struct net *net, const struct net_place *place)
{
    const char *path = place->path;
    net->is_path = path != NULL;
    int st = path ? uv_pipe_init(&net->loop, &net->listener.pipe, 0) : uv_tcp_init(&net->loop, &net->listener.tcp);
    if (st == 0)
        st = path ? bind_path(net, path) : bind_tcp(net, place->host, place->port);
    net->listener.handle.data = net;
    return st == 0 ? uv_listen(&net->listener.stream, BACKLOG, on_connection) : st;
}

static void close_handle(uv_handle_t *handle, void *arg)
{
    (void)arg;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

static void drain(struct net *net)
{
    uv_walk(&net->loop, close_handle, NULL);
    uv_run(&net->loop, UV_RUN_DEFAULT);
    uv_loop_close(&net->loop);
}

struct net *net_open(const struct net_place *place, const struct net_handlers *handlers, char *error, size_t error_room)
{
    struct net *net = calloc(1, sizeof *net);
    int st = net ? uv_loop_init(&net->loop) : UV_ENOMEM;
    if (st < 0) {
        snprintf(error, error_room, "%s", uv_strerror(st));
        free(net);
        return NULL;
    }
    net->handlers = *handlers;
    net->tls = place->tls;
    net->room = READ_ROOM;
    st = listen_at(net, place);
    if (st == 0 && (st = uv_async_init(&net->loop, &net->wake, on_wake)) == 0)
        st = uv_timer_init(&net->loop, &net->timer);
    if (st == 0)
        st = uv_prepare_init(&net->loop, &net->turn);
    net->wake.data = net->timer.data = net->turn.data = net;
    if (st == 0)
        return net;
    if (place->path)
        snprintf(error, error_room, "cannot listen at %s: %s", place->path, uv_strerror(st));
    else
        snprintf(error, error_room, "cannot listen at %s:%u: %s", place->host, place->port, uv_strerror(st));
    drain(net);
    free(net);
    return NULL;
}

struct net_address net_address(const struct net *net)
{
    struct sockaddr_storage storage = { 0 };
    int len = sizeof storage;
    struct net_address address = { "", 0 };
    if (!net->is_path && uv_tcp_getsockname(&net->listener.tcp, (struct sockaddr *)&storage, &len) == 0)
        describe((const struct sockaddr *)&storage, &address);
    return address;
}

static void run_loop(void *arg)
{
    struct net *net = arg;
    uv_run(&net->loop, UV_RUN_DEFAULT);
    uv_loop_close(&net->loop);
}

bool net_start(struct net *net)
{
    uv_timer_start(&net->timer, on_tick, TICK_MS, TICK_MS);
    uv_prepare_start(&net->turn, on_turn);
    net->started = uv_thread_create(&net->thread, run_loop, net) == 0;
    return net->started;
}

void net_wake(struct net *net)
{
    uv_async_send(&net->wake);
}

void net_accept_no_more(struct net *net)
{
    if (!uv_is_closing(&net->listener.handle))
        uv_close(&net->listener.handle, NULL);
}

void net_end(struct net *net)
{
    while (net->conns)
        net_conn_close(net->conns);
    net_accept_no_more(net);
    close_handle((uv_handle_t *)&net->wake, NULL);
    close_handle((uv_handle_t *)&net->timer, NULL);
    close_handle((uv_handle_t *)&net->turn, NULL);
}

void net_close(struct net *net)
{
    if (net->started)
        uv_thread_join(&net->thread);
    else
        drain(net);
    free(net);
}
