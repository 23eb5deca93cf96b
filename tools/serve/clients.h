/*
 * clients.h - who is connected, for system_views.clients.
 */
#ifndef WR_SERVE_CLIENTS_H
#define WR_SERVE_CLIENTS_H

#include "widerow.h"

/* As wr_set_clients has it; arg is the struct database; told are those who have it. Any thread: what comes out is a copy of the calling thread's own. */
bool clients_next(void *arg, uint32_t i, struct wr_client *out);

#endif
