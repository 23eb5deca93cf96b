/*
 * events.h - what is told to the clients that have registered for it. Any thread.
 *
 * Who does not read what he is told is let go: see session_push.
 */
#ifndef WR_SERVE_EVENTS_H
#define WR_SERVE_EVENTS_H

#include "server.h"

/* To those who have that database. */
void events_schema_change(const struct database *database, const struct wr_schema_change *change);

/* That the node is down: what Cassandra tells when it is stopped, before it closes the connections. */
void events_down(struct server *server);

#endif
