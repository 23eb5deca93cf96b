/*
 * widerow_serve.h - a database served to Cassandra's drivers and tools: the native protocol (v3, v4, v5) on a port of this process.
 *
 *     wr_db *db;
 *     wr_server *server;
 *     wr_open(NULL, NULL, &db);
 *     wr_serve_start(db, NULL, &server);                    (on 127.0.0.1, at a port that is free)
 *     connect_the_application_to("127.0.0.1", wr_serve_port(server));
 *     ...
 *     wr_serve_stop(server);
 *     wr_close(db);
 *
 * A library of its own (libwiderow_serve) beside libwiderow. The database stays yours: use it from the same process at the same time, set its
 * clock, look at its tables. docs/server.md tells what a client finds.
 */
#ifndef WIDEROW_SERVE_H
#define WIDEROW_SERVE_H

#include "widerow.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wr_server wr_server;

/* Who sees which database. */
enum wr_serve_database_per {
    WR_SERVE_ONE,            /* all that which was given to wr_serve_start */
    WR_SERVE_PER_USER,       /* each user name one of its own; clients must give a name, and any password does (but with `authenticate`) */
    WR_SERVE_PER_PREFIX,     /* a connection that says USE a__k has from then on the database a, and there the keyspace k; USE a__ has no
                                keyspace yet. Until then it has the one that was given to wr_serve_start */
    WR_SERVE_PER_CONNECTION  /* each connection one of its own, gone with it: for clients that have a single connection */
};

/* Zero-fill it (WR_SERVE_OPTIONS_INIT) and set what you need. `size` lets later versions add members. */
struct wr_serve_options {
    uint32_t size;            /* sizeof(struct wr_serve_options) */
    const char *host;         /* to listen at; NULL: 127.0.0.1 */
    uint16_t port;            /* 0: one that is free, see wr_serve_port */
    const char *socket_path;  /* not NULL: a socket of the file system instead of host and port */
    bool allow_remote;        /* host may be another than this machine's own, also where clients are not asked who they are over TLS */
    const char *tls_certificate, *tls_key; /* PEM files: TLS (1.2 and later) alone is spoken; NULL: no TLS */
    const char *tls_client_ca; /* a PEM file: clients must show a certificate that one of these has signed; NULL: they need not */
    bool authenticate;        /* clients must give a name and a password, of system_auth.roles (at first cassandra and cassandra) of the given database, and
                                 may do there what that role may, in databases of their own everything; with WR_SERVE_PER_USER superusers see the
                                 given one */
    uint32_t replicas;        /* plays a healthy cluster of so many nodes, for consistency levels; 0: 1 */
    uint32_t threads;         /* that run requests, besides one for short ones; 0: as many as the machine has processors, at least 2 */
    uint32_t connections_max; /* 0: 20000 */
    uint32_t idle_s;          /* a connection that asks for nothing so long is told so and closed; 0: it may stay */
    uint32_t prepared_max;    /* statements kept prepared (of a database), the least recently used go; 0: 10000 */
    enum wr_serve_database_per database_per; /* the databases that are not the given one are made when they are asked for */
    const char *database_folder; /* they lie in sub-folders of it, by name, and stay; NULL: in memory, and gone when they are closed */
    uint32_t databases_max;   /* open at once; for another the one not used for the longest time is closed; 0: 1000 */
    uint32_t database_idle_s; /* one that no connection has used so long is closed; 0: it stays until another needs its place */
    uint32_t tombstones_warned, tombstones_refused; /* wr_set_tombstone_thresholds; 0: 1000 and 100000; UINT32_MAX: never */
    bool clock_functions;     /* clients may move their database's clock: SELECT widerow.clock_step(seconds) FROM system.local, clock_set(timestamp),
                                 clock_release(); each gives the time that it is then */
    const char *script;       /* CQL that each database runs when it is opened, before a client sees it: a suite's schema. One that fails is not opened, or the
                                 server not started. NULL: none */
    uint32_t read_timeout_s;  /* a read that takes longer ends, and its client is told ReadTimeout (a server's settings are 5, and 10 for ranges); 0: it takes what it
                                 takes. Writes are done, however long that takes */
    enum wr_durability durability; /* of the databases that are made when they are asked for */
    uint32_t mutation_bytes_max; /* wr_set_max_mutation_size; 0: 16 MiB; UINT32_MAX: whatever fits */
};
#define WR_SERVE_OPTIONS_INIT { sizeof(struct wr_serve_options), NULL, 0, NULL, false, NULL, NULL, NULL, false, 0, 0, 0, 0, 0, WR_SERVE_ONE, NULL, 0, 0, 0, 0, false, NULL, 0, WR_DURABILITY_PERIODIC, 0 }

/* Serves the database until wr_serve_stop, in threads of its own, which take no signals. options NULL: the defaults. The handle may be closed
 * before. Also on failure *out is a server whose wr_serve_error() tells why and which must be stopped; NULL only when there is no memory.
 * WR_IO (the address is taken, ...), WR_INVALID (a certificate), WR_MISUSE, WR_NOMEM, and what failed in the script. */
WR_API enum wr_status wr_serve_start(wr_db *db, const struct wr_serve_options *options, wr_server **out);

WR_API uint16_t wr_serve_port(const wr_server *server); /* that it listens at; 0: a socket of the file system */
WR_API const char *wr_serve_error(const wr_server *server); /* why it did not start, or why the last wr_serve_database failed; "" when it went well */

/* Where it did not start because the script failed: what failed, without the line that wr_serve_error() has in front, and in *offset the place in the script.
 * NULL, and -1: it was something else. */
WR_API const char *wr_serve_script_error(const wr_server *server, ptrdiff_t *offset);

/* A handle on the database of a user or prefix (a name of 1 to 128 bytes), made where it is not there yet, to be closed with wr_close: for a test that fills
 * it, or steps its clock. The database stays open until wr_serve_stop, and behind that as long as a handle on it is. On failure *out is NULL, and
 * wr_serve_error() tells why. */
WR_API enum wr_status wr_serve_database(wr_server *server, const char *name, wr_db **out);

/* Takes no more connections and requests, answers those that are there (within five seconds), and closes. NULL is fine. In a child that was forked the
 * server stays the parent's. */
WR_API void wr_serve_stop(wr_server *server);

#ifdef __cplusplus
}
#endif

#endif
