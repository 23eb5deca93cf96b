/*
 * clients.h - where a database is served and who is connected to it (wr_set_address, wr_set_clients), as system_views tells.
 */
#ifndef WR_MODEL_CLIENTS_H
#define WR_MODEL_CLIENTS_H

#include <pthread.h>

#include "widerow.h"

enum { ADDRESS_TEXT_MAX = 48 }; /* an IPv6 address's */

typedef bool clients_next(void *arg, uint32_t i, struct wr_client *out);

struct clients {
    pthread_mutex_t lock; /* held while the source is asked, so that one taken away is in no call */
    clients_next *next;   /* NULL: nobody serves */
    void *arg;
    char address[ADDRESS_TEXT_MAX];
    uint16_t port;
};

void clients_init(struct clients *c);
void clients_release(struct clients *c);
void clients_set(struct clients *c, clients_next *next, void *arg);
void clients_each(struct clients *c, void (*fn)(void *arg, const struct wr_client *client), void *arg);

void clients_set_address(struct clients *c, const char *address, uint16_t port); /* 127.0.0.1 and 9042 at first */
uint16_t clients_address(struct clients *c, char address[ADDRESS_TEXT_MAX]); /* gives the port */

#endif
