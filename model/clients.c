#include "model/clients.h"

void clients_init(struct clients *c)
{
    *c = (struct clients){ .next = NULL };
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
