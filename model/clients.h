/*
 * clients.h - who is connected to a database that is served: the source of system_views.clients (wr_set_clients).
 */
#ifndef WR_MODEL_CLIENTS_H
#define WR_MODEL_CLIENTS_H

#include <pthread.h>

#include "widerow.h"

typedef bool clients_next(void *arg, uint32_t i, struct wr_client *out);

struct clients {
    pthread_mutex_t lock; /* held while the source is asked, so that one taken away is in no call */
    clients_next *next;   /* NULL: nobody serves */
    void *arg;
};

void clients_init(struct clients *c);
void clients_release(struct clients *c);
void clients_set(struct clients *c, clients_next *next, void *arg);

#endif
