/*
 * auth.h - the exchange of Cassandra's PasswordAuthenticator: SASL PLAIN, against the salted hashes of system_auth.roles.
 */
#ifndef WR_SERVE_AUTH_H
#define WR_SERVE_AUTH_H

#include "wire.h"
#include "widerow.h"

#define AUTH_CLASS "org.apache.cassandra.auth.PasswordAuthenticator"

enum { AUTH_USER_MAX = 128 };

/* The name of a token, whatever its password. */
bool auth_name(struct wire_bytes token, char user[AUTH_USER_MAX], char *error, size_t error_room);

/* Whether the token ([authorization id] NUL name NUL password) is of a role that may log in; its name in user. On false the message is in
 * error. Slow by intent: bcrypt. */
bool auth_check(wr_db *db, struct wire_bytes token, char user[AUTH_USER_MAX], char *error, size_t error_room);

/* Whether that role is itself a superuser of the database. */
bool auth_is_super(wr_db *db, const char *user);

#endif
