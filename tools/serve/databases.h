/*
 * databases.h - the databases of a server, and which of them a connection sees: one for all, or one for each name or connection.
 *
 * 1. One has a name that clients give (their user's, or the beginning of a keyspace's), or none: then it is of one connection. It is made
 *    when it is first taken.
 * 2. In memory, what is closed is gone; in a folder, each name has a sub-folder of its own.
 * 3. At most so many are open. Where another is wanted, the one that nobody has used for the longest time is closed; where all are in use,
 *    that is an error. One that nobody has, and nobody can take again, is closed soon.
 * 4. The first, which the server was started with, is always there.
 *
 * Any thread may call anything here.
 */
#ifndef WR_SERVE_DATABASES_H
#define WR_SERVE_DATABASES_H

#include <stdatomic.h>

#include "prepared.h"
#include "widerow_serve.h"

struct databases;
struct server;

enum { DATABASE_NAME_MAX = 128 };

struct database {
    wr_db *db;
    struct prepared_store *prepared;
    struct server *server;
    char name[DATABASE_NAME_MAX + 1]; /* "": none */
    struct pace reads, writes;        /* runs of bounded statements that come as texts, and of small batches */
    atomic_uint users;
    _Atomic uint64_t unused_us;       /* since when, if there are no users; of a clock that only counts */
    struct database *next;
};

static inline struct pace *database_pace(struct database *database, bool reads)
{
    return reads ? &database->reads : &database->writes;
}

/* What each database is opened and told. */
struct databases_setup {
    enum wr_serve_database_per per;
    const char *folder;       /* NULL: in memory */
    enum wr_durability durability;
    uint32_t most, idle_s;    /* idle_s 0: they stay until their place is needed */
    uint32_t prepared_max, nodes;
    uint32_t tombstones_warned, tombstones_refused; /* 0: never */
    uint32_t mutation_bytes; /* 0: any size */
    bool clock_functions;     /* clients may move its clock */
    const char *script;       /* CQL that is run first; NULL: none */
    const char *host;         /* where it is served; NULL: nowhere that has a port */
    uint16_t port;
    struct server *server;
    void (*schema_changed)(void *database, const struct wr_schema_change *change);
    bool (*clients_next)(void *database, uint32_t i, struct wr_client *out);
};

struct databases_error {
    unsigned code; /* enum error_code */
    char text[256];
    size_t message;          /* where in the text, behind the script's line, what failed in it begins */
    ptrdiff_t script_offset; /* where in the script that is; -1: it was something else */
};

/* NULL: it cannot, and status and error tell why. Strings of the setup are copied. */
struct databases *databases_open(wr_db *first, const struct databases_setup *setup, enum wr_status *status, struct databases_error *error);
void databases_close(struct databases *databases); /* nobody has one any more; NULL is fine */

enum wr_serve_database_per databases_per(const struct databases *databases);
struct database *databases_first(struct databases *databases);

/* That of a name, or (NULL) a new one without; to be given back. NULL: see error. */
struct database *databases_take(struct databases *databases, const char *name, struct databases_error *error);
void databases_give(struct database *database);

/* Whether there is something for databases_sweep, which closes what has been idle for too long, and may take its time. */
bool databases_are_due(struct databases *databases);
void databases_sweep(struct databases *databases);

/* Where in a keyspace's name the part begins that is its name in a database of its own: behind the first "__" that something stands before.
 * 0: nowhere, or databases are not chosen so. */
size_t databases_prefix(const struct databases *databases, const char *keyspace, size_t len);

#endif
