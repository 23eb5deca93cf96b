/*
 * server.h - what the connections of a server share, and how it starts and stops.
 */
#ifndef WR_SERVE_SERVER_H
#define WR_SERVE_SERVER_H

#include "answer.h"
#include "databases.h"
#include "run.h"
#include "session.h"

enum { THREADS_MAX = 64 }; /* for long requests, and one besides */

struct server {
    struct databases *databases;
    struct net *net;
    struct tls_context *tls; /* NULL: none */
    struct pool *pool;
    struct job sweep;        /* of the databases */
    struct pool_lane sweep_lane;
    atomic_bool is_sweeping;
    struct answer answer; /* loop: what the loop itself answers */
    struct run run;       /* loop: requests that it runs itself */
    struct session *receiving; /* loop: the connection that it is at; NULL: none */
    struct wire_out ready; /* loop: answers that it has for that one */
    uint64_t turn_from_us; /* loop: when the first of this turn began; 0: there was none yet */
    struct run *runs[THREADS_MAX + 1]; /* of the threads; before there are connections none is added any more */
    unsigned run_count;
    atomic_uint holding;  /* requests with the threads that may keep writers waiting for long */
    uint32_t connections_max, idle_s, read_timeout_s;
    bool authenticates;

    pthread_mutex_t sessions_lock;
    struct session **sessions; /* that are connected, in no order */
    uint32_t session_count, session_room;

    pthread_mutex_t dirty_lock;
    struct session *dirty; /* that have something for the loop to look at; each with a reference */
    bool ended;            /* the loop is no more */

    atomic_bool stopping;
    bool parting; /* loop: it has heard of stopping */
    unsigned ticks_left;
};

/* Loop: has a thread run the request. */
void server_run(struct server *server, struct session_job *job);
/* Loop: runs it itself, if it is known to be quick and nothing would make it wait. The answer is then in server->ready. A thread would have to
 * be woken, and the loop by it, which takes longer than most requests. */
bool server_run_here(struct server *server, struct session *session, const struct frame_header *header, const uint8_t *body, size_t len);

/* Loop: nobody waits any more for what a session has asked. */
void server_leave(struct server *server, const struct session *session);

/* The loop shall look at the session. Any thread. */
void server_dirty(struct server *server, struct session *session);

#endif
