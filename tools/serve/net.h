/*
 * net.h - the sockets of a server: one thread with libuv's loop accepts, reads and writes, and knows nothing of what the bytes mean.
 *
 * Everything here but net_wake is called on the loop's thread, or before it has started.
 */
#ifndef WR_SERVE_NET_H
#define WR_SERVE_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct net;
struct net_conn;
struct tls_context;

/* Bytes on their way out; the list and its bytes belong to whoever has it. */
struct chunk {
    struct chunk *next;
    uint8_t *data;
    size_t len;
    size_t written; /* of len, so far */
};
void chunk_free_all(struct chunk *first);

struct net_address {
    char text[64]; /* of the other side: "127.0.0.1" */
    uint16_t port;
};

struct net_handlers {
    void *(*opened)(void *arg, struct net_conn *conn, const struct net_address *address); /* the connection's session; NULL: refused */
    void (*received)(void *session, const uint8_t *data, size_t len);
    struct chunk *(*outgoing)(void *session);        /* all that waits to go out; NULL: nothing */
    void (*written)(void *session, size_t len);
    void (*secured)(void *session, const char *protocol, const char *cipher); /* TLS has been agreed on; static strings */
    void (*closed)(void *session);                   /* the last call for it */
    void (*woken)(void *arg);                        /* after net_wake, also after several */
    void (*tick)(void *arg);                         /* each second */
    void (*turn)(void *arg);                         /* before the loop looks what has come in */
    void *arg;
};

struct net_place {
    const char *host;
    uint16_t port;            /* 0: one that is free */
    const char *path;         /* not NULL: a socket of the file system */
    struct tls_context *tls;  /* NULL: none; outlives the net */
};

/* Listens there. NULL: it cannot, and error tells why. */
struct net *net_open(const struct net_place *place, const struct net_handlers *handlers, char *error, size_t error_room);
struct net_address net_address(const struct net *net); /* that it listens at; port 0: a path */

bool net_start(struct net *net);   /* starts the thread */
void net_wake(struct net *net);    /* any thread: woken will be called */
void net_accept_no_more(struct net *net);
void net_end(struct net *net);     /* ends the loop: closes what is open */
void net_close(struct net *net);   /* by the thread that opened it: waits for the loop's end */

void net_conn_write(struct net_conn *conn);  /* there is something outgoing */
int net_conn_socket(struct net_conn *conn);  /* for net_write_now; -1: none */
void net_conn_read(struct net_conn *conn, bool on);
void net_conn_finish(struct net_conn *conn); /* reads no more; the next net_conn_write closes it once all has been written */
void net_conn_close(struct net_conn *conn);  /* at once */

/* Any thread, while the connection is open and nothing is outgoing: how many of the bytes the system takes without waiting. So the loop
 * need not be woken for each answer. */
size_t net_write_now(int socket, const uint8_t *data, size_t len);

#endif
