/*
 * client.h - what the requests of one connection share: its database, its keyspace, and handles on databases.
 *
 * Requests of a connection run at the same time, and the message of a failure lies with the handle it happened on; so each has a handle of
 * its own while it runs. There are as many as have been needed at once.
 */
#ifndef WR_SERVE_CLIENT_H
#define WR_SERVE_CLIENT_H

#include <pthread.h>
#include <stdatomic.h>

#include "auth.h"
#include "databases.h"
#include "version.h"
#include "widerow.h"
#include "wire.h"

struct client_handle {
    wr_db *db;
    struct database *database; /* that it is on */
    struct client_handle *next;
};

/* How far a connection is. A thread that checks a password ends the second. */
enum client_stage { CLIENT_NEW, CLIENT_AUTHENTICATING, CLIENT_READY };

struct client {
    struct databases *databases;          /* the server's */
    _Atomic(struct database *) database; /* current; NULL: none yet. Once it has been seen it stays good while the client is */
    atomic_int stage;
    bool asked; /* who it is: what it runs is that role's to run */
    _Atomic(const char *) user; /* who it is; NULL: nobody was asked. Another once it has logged in again, and the one before stays good while the client is */
    const struct version *version;
    const char *address;  /* of the other side; the connection's */
    pthread_mutex_t lock; /* of what follows */
    struct client_name *names; /* all that it has had */
    struct database **taken; /* all that have been current and were taken for it */
    uint32_t taken_count;
    char *keyspace;       /* current, in the current database; NULL: none */
    bool use_warned;      /* has been told about USE and prepared statements */
    struct client_handle *idle;
};

void client_init(struct client *client, struct databases *databases);
void client_release(struct client *client);

/* It has logged in by that name. False: no memory. */
bool client_log_in(struct client *client, const char *user);

/* The current database; where each connection has its own, it is made now. NULL: see error. */
struct database *client_database(struct client *client, struct databases_error *error);
/* That of a name, or (NULL) the connection's own; it is the client's until client_release. NULL: see error. */
struct database *client_find(struct client *client, const char *name, struct databases_error *error);
void client_enter(struct client *client, struct database *database); /* it is current from now on, with no keyspace */

/* A handle on the database whose current keyspace is the given one (data NULL: the connection's, be it there or not). NULL: no memory, or
 * WR_INVALID where there is no such keyspace, with the message in error. */
struct client_handle *client_take(struct client *client, struct database *database, struct wire_bytes keyspace, char *error, size_t error_room,
                                  enum wr_status *status);
/* Another keyspace for it, which has to be there also where it is the current one already. */
enum wr_status client_handle_enter(struct client_handle *handle, struct wire_bytes keyspace);
/* Whose permissions its requests run with: in a database that clients have to themselves its superuser's. NULL: nobody's, since nobody was
 * asked. */
const char *client_role(const struct client *client, const struct database *database);
void client_give(struct client *client, struct client_handle *handle); /* NULL is fine */

/* USE has been run on a handle: the connection's database and keyspace are that handle's from now on. */
void client_use(struct client *client, const struct client_handle *handle);

/* A copy to be freed of the keyspace that is current in the database; NULL: none. */
char *client_keyspace(struct client *client, const struct database *database);

/* True once in a connection's life, by either of them: the second only where its keyspace is another than the one given (NULL: none). */
bool client_warns_of_use(struct client *client);
bool client_warns_of_another(struct client *client, const struct database *database, const char *keyspace);

#endif
