/*
 * session.h - one connection: requests (intake.h) to threads, answers back, and how much of each at a time.
 *
 * What is marked "loop" belongs to the loop's thread; the rest is under the lock. Whoever runs a request holds a reference, so a session
 * outlives its socket until the last of its requests is done.
 *
 * 1. At most RUNNING_MAX requests of a connection run or wait for a thread; the others wait here, and past WAITING_MAX of them or IN_BYTES_MAX
 *    of bodies, or while OUT_BYTES_MAX of answers have not been taken by the other side, nothing more is read from it.
 *    What runs then may still answer, up to SESSION_OUT_MAX of answers that wait; past that the answer is an error. Of events EVENT_BYTES_MAX
 *    may wait; past that the connection is closed. So a connection has a bounded share of the memory, whatever its other side does.
 * 2. What is quick (server_run_here) is run when it has come, and all that a read of the socket brought is answered in one write. Of each
 *    connection so much is read and written at a time that others need not wait (net.c).
 * 3. Garbage is answered with an error or with the end of the connection, and concerns nobody else.
 */
#ifndef WR_SERVE_SESSION_H
#define WR_SERVE_SESSION_H

#include <stdatomic.h>

#include "answer.h"
#include "client.h"
#include "intake.h"
#include "net.h"
#include "pool.h"

struct server;

enum { SESSION_OUT_MAX = ANSWER_MAX }; /* bytes of answers that wait, unless it is only one */

struct session_job {
    struct job job; /* first */
    struct session *session;
    struct frame_header header;
    uint8_t *body;
    size_t len, room;
    bool is_short; /* as far as is known */
    bool holds;    /* counted in server->holding */
    bool reads;    /* nothing else, as far as is known */
};

/* What is to go out. */
struct outbox {
    struct chunk *first, *last;
    size_t bytes;                  /* not written yet */
    size_t event_bytes;            /* of events, since nothing waited */
    bool overrun;                  /* more of them have come than may wait, or there is no memory for what is to be sent */
    bool loop_writes;              /* the loop is at what came before */
    int socket;                    /* for writing without the loop; -1: not possible */
};

struct session {
    struct server *server;
    struct client client;
    struct net_address address;
    _Atomic(const char *) tls_protocol, tls_cipher; /* NULL: none */
    atomic_uint references;

    struct net_conn *conn;         /* loop; NULL: closed */
    struct wire_format format;     /* loop until it is ready, then it never changes */
    struct intake intake;          /* loop */
    struct session_job *waiting, *waiting_last; /* loop */
    unsigned waiting_count, running;
    struct pool_lane lanes[POOL_LENGTHS]; /* the pool's */
    atomic_size_t in_bytes;        /* bodies of requests that wait or run */
    atomic_uint in_flight;         /* of those running, what has not been answered */
    bool deaf;                     /* loop: whatever else comes is not listened to */
    uint32_t idle_ticks;           /* loop: seconds since something came */

    pthread_mutex_t lock;
    struct outbox out;
    unsigned done;                 /* requests that have ended since the loop looked */
    bool is_dirty, closed;
    bool wants_done;               /* requests wait for others to end, so the loop is to hear of it */
    struct session *next_dirty;

    atomic_uint events;            /* 1 << enum request_event */
    atomic_llong request_count;
    char **options;                /* of STARTUP: name, value, ...; set once, before it is ready */
    uint32_t option_count;         /* pairs */
    bool has_greeted;              /* by a STARTUP that could be read */
    uint32_t place;                /* in the server's list, under the server's lock */
};

struct session *session_new(struct server *server, struct net_conn *conn, const struct net_address *address);
void session_release(struct session *session); /* one reference */

void session_received(struct session *session, const uint8_t *data, size_t len);

/* Loop: a whole request, which goes over to the session; the same of one whose bytes lie elsewhere, run at once, if that can be. */
void session_take(struct session *session, struct session_job *job);
bool session_run_here(struct session *session, const struct frame_header *header, const uint8_t *body, size_t len);
void session_job_free(struct session_job *job); /* NULL is fine */

/* A frame for the socket; its bytes go over to the session. Any thread. */
void session_send(struct session *session, struct wire_out *frame);
bool session_send_answer(struct session *session, struct wire_out *frame); /* false: too much waits already, and nothing has happened */
void session_push(struct session *session, struct wire_out *frame);        /* an event */
void session_cut_off(struct session *session); /* the loop shall close it: something that the other side waits for cannot be sent */
/* Nobody waits any more for what it asked. Any thread. */
bool session_has_closed(struct session *session);
/* The request of a job has ended; frees the job. */
void session_done(struct session_job *job);

/* Loop: all that is to go out; what has been written; new requests in place of those that have ended. */
struct chunk *session_outgoing(struct session *session);
void session_written(struct session *session, size_t len);
void session_pump(struct session *session);
void session_look(struct session *session); /* it was said to be dirty */
void session_closed(struct session *session);
bool session_is_idle(struct session *session); /* nothing is running or waiting, nothing to go out */
void session_tick(struct session *session, uint32_t idle_max); /* each second; says farewell to who has been idle for longer (0: to nobody) */

/* Loop: an answer that the loop itself gives, made in the server's answer; an error; a frame. */
void session_answer(struct session *session, int16_t stream);
void session_refuse(struct session *session, int16_t stream, unsigned code, const char *format, ...) __attribute__((format(printf, 4, 5)));
void session_send_own(struct session *session, struct wire_out *frame);
void session_end(struct session *session); /* no more is read; closes once what was said has been sent */

#endif
