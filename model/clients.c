#include "model/clients.h"

#include <stdio.h>
#include <string.h>

void clients_init(struct clients *c)
{
    *c = (struct clients){ .address = "127.0.0.1", .port = 9042 };
    pthread_mutex_init(&c->lock, NULL);
}

void clients_release(struct clients *c)
{
    pthread_mutex_destroy(&c->lock);
}

void clients_set(struct clients *c, clients_next *next, void *arg)
{
    pthread_mutex_lock(&c->lock);
    c->next = next;
    c->arg = arg;
    pthread_mutex_unlock(&c->lock);
}

void clients_each(struct clients *c, void (*fn)(void *arg, const struct wr_client *client), void *arg)
{
    pthread_mutex_lock(&c->lock);
    for (uint32_t i = 0; c->next; i++) {
        struct wr_client client = { 0 };
        if (!c->next(c->arg, i, &client))
            break;
        fn(arg, &client);
    }
    pthread_mutex_unlock(&c->lock);
}

void clients_set_address(struct clients *c, const char *address, uint16_t port)
{
    pthread_mutex_lock(&c->lock);
    snprintf(c->address, sizeof c->address, "%s", address);
    c->port = port;
    pthread_mutex_unlock(&c->lock);
}

uint16_t clients_address(struct clients *c, char address[ADDRESS_TEXT_MAX])
{
    pthread_mutex_lock(&c->lock);
    memcpy(address, c->address, sizeof c->address);
    uint16_t port = c->port;
    pthread_mutex_unlock(&c->lock);
    return port;
}
