/*
 * auth.h - the exchange of Cassandra's PasswordAuthenticator: SASL PLAIN, against the salted hashes of system_auth.roles.
 */
#ifndef WR_SERVE_AUTH_H
#define WR_SERVE_AUTH_H

#include "wire.h"
#include "widerow.h"

#define AUTH_CLASS "org.apache.cassandra.auth.PasswordAuthenticator"

/* The name of a token ([authorization id] NUL name NUL password), to be freed, whatever its password. NULL: the message is in error. */
char *auth_name(struct wire_bytes token, char *error, size_t error_room);

/* The same, where the token is of a role that may log in. Slow by intent: bcrypt. */
char *auth_check(wr_db *db, struct wire_bytes token, char *error, size_t error_room);

/* Whether that role is itself a superuser of the database. */
bool auth_is_super(wr_db *db, const char *user);

#endif
