#include "awaited.h"

void awaited_init(struct awaited *awaited)
{
    *awaited = (struct awaited){ .client = NULL };
    pthread_mutex_init(&awaited->lock, NULL);
}

void awaited_release(struct awaited *awaited)
{
    pthread_mutex_destroy(&awaited->lock);
}

void awaited_begin(struct awaited *awaited, const void *client)
{
    pthread_mutex_lock(&awaited->lock);
    awaited->client = client;
    awaited->is_gone = false;
    pthread_mutex_unlock(&awaited->lock);
}

bool awaited_read(struct awaited *awaited, wr_stmt *stmt)
{
    pthread_mutex_lock(&awaited->lock);
    bool waits = !awaited->is_gone;
    if (waits)
        awaited->read = stmt;
    awaited->is_late = false;
    awaited->ticks = 0;
    pthread_mutex_unlock(&awaited->lock);
    return waits;
}

void awaited_end_read(struct awaited *awaited)
{
    pthread_mutex_lock(&awaited->lock);
    awaited->read = NULL;
    pthread_mutex_unlock(&awaited->lock);
}

bool awaited_is_late(struct awaited *awaited)
{
    pthread_mutex_lock(&awaited->lock);
    bool is_late = awaited->is_late;
    pthread_mutex_unlock(&awaited->lock);
    return is_late;
}

void awaited_leave(struct awaited *awaited, const void *client)
{
    pthread_mutex_lock(&awaited->lock);
    if (awaited->client == client) {
        awaited->is_gone = true;
        wr_stmt_interrupt(awaited->read);
    }
    pthread_mutex_unlock(&awaited->lock);
}

void awaited_tick(struct awaited *awaited)
{
    pthread_mutex_lock(&awaited->lock);
    if (awaited->read && awaited->ticks_max)
        awaited->is_late |= awaited->ticks++ == awaited->ticks_max;
    if (awaited->is_gone || awaited->is_late)
        wr_stmt_interrupt(awaited->read);
    pthread_mutex_unlock(&awaited->lock);
}
